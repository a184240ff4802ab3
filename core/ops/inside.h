/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_OPS_INSIDE_H
#define ACCD_OPS_INSIDE_H

#include "ops/ops.h"
#include "plan/links.h"
#include "table/group.h"

/* Own bytes, sections and pointers of a whole group, without a record for each. */
struct accd_bulk {
    struct accd_directory *dir;
    struct accd_walk *walk;  /* of this construct: its actions count */
    struct accd_walk *group; /* that of the group ... */
    uint64_t block;          /* ... whose sections are at this device address, in their places */
    const struct accd_segment **places; /* the group's segment for each of the walk's */
    uint64_t *roots;          /* device addresses of the walk's roots, 0: absent */
    bool *own;                /* whether the own bytes of a root take part */
    bool entry;               /* sends as an entry does, and writes pointers */
    bool out;                 /* otherwise: fetches, or sends */
    bool restore;             /* writes host pointers into roots that stay */
    bool announcing;          /* what will be staged and fetched is only named */
    bool windows;             /* large columns are sent in windows of rows ... */
    uint64_t room;            /* ... and the present one has so many bytes left */
    struct accd_own_range { uint64_t offset, bytes; } *ranges; /* room for accd_bulk_run */
    char **images;
    uint64_t *starts;
    const struct accd_segment **columns;
};

/* ----------------------------------------------------------------------------------- enter.c -- */

/* Smaller objects of one construct share a device block; larger ones are given back on their own. */

/* The device has no memory for what a claim asks for. */
accd_status accd_device_full(const struct accd_plan *plan, const struct accd_claim *claim, accd_status status,
                             uint64_t bytes);

/* --------------------------------------------------------------------------------- release.c -- */

/* Type records of descriptors that are attached again, with another type, are released. *release_p: NULL, if there
 * are none. */
accd_status accd_links_release(const struct accd_links *links, struct accd_release **release_p);

/* --------------------------------------------------------------------------------- journal.c -- */

accd_status accd_journal_entry(const struct accd_plan *plan, const struct accd_links *links);

/* ----------------------------------------------------------------------------------- event.c -- */

/* Tells about a construct that succeeded, in the order of the document's steps. */
void accd_tell_entry(const struct accd_plan *plan);
void accd_tell_update(const struct accd_plan *plan);

/* ------------------------------------------------------------------------------------ bulk.c -- */

void accd_bulk_count(const struct accd_bulk *bulk, struct accd_traffic *traffic);
void accd_bulk_announce(struct accd_bulk *bulk, const struct accd_traffic *traffic);
void accd_bulk_run(struct accd_bulk *bulk);
/* Bytes of a bulk with all its arrays, and one in so many; only the arrays are set. */
size_t accd_bulk_bytes(const struct accd_walk *walk);
struct accd_bulk *accd_bulk_lay_out(void *memory, const struct accd_walk *walk);
/* The object that holds a root of the plan's bulk, or NULL. */
void accd_bulk_root(const struct accd_plan *plan, size_t root, const struct accd_object *object);
/* Makes plan->result.bulk; its places are those of a group with the same segments. */
accd_status accd_bulk_begin(struct accd_plan *plan, struct accd_group *group);
/* Whether all pointers of a group still point where they pointed; otherwise the first that does not. */
bool accd_bulk_pointers_kept(const struct accd_walk *walk, size_t *section_p);

/* ---------------------------------------------------------------------------------- queued.c -- */

extern const struct accd_bulk_ops accd_bulk_ops;
/* The bulk of a batch becomes one that a queue keeps, with what it uses. NULL: it has nothing to do. */
accd_status accd_bulk_leave(struct accd_batch *batch);
/* A copy that outlives its construct and its group; NULL: no memory. */
struct accd_bulk *accd_bulk_keep(const struct accd_bulk *bulk);
void accd_bulk_drop(struct accd_bulk *bulk);

/* ------------------------------------------------------------------------------- copy_rows.c -- */

/* Whether own bytes of a rowset's elements, whether the sections of a segment move with a group. */
size_t accd_bulk_own(const struct accd_bulk *bulk, const struct accd_rowset *set);
bool accd_bulk_dense(const struct accd_bulk *bulk, const struct accd_segment *segment);

#endif
