/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_OPS_INSIDE_H
#define ACCD_OPS_INSIDE_H

#include "ops/ops.h"
#include "plan/attach_plan.h"
#include "table/group.h"

/* Own bytes, sections and pointers of a whole group, without a record for each. */
struct accd__bulk {
    struct accd__device_env *env;
    struct accd_walk *walk;              /* of this construct: its actions count */
    struct accd_walk *group;             /* that of the group ... */
    uint64_t block;                      /* ... whose sections are at this device address, in their places */
    const struct accd__segment **places; /* the group's segment for each of the walk's */
    uint64_t *roots;                     /* device addresses of the walk's roots, 0: absent */
    bool *own;                           /* whether the own bytes of a root take part */
    bool entry;                          /* sends as an entry does, and writes pointers */
    bool out;                            /* otherwise: fetches, or sends */
    bool restore;                        /* writes host pointers into roots that stay */
    bool announcing;                     /* what will be staged and fetched is only named */
    bool windows;                        /* large columns are sent in windows of rows ... */
    uint64_t capacity;                   /* ... and the present one has so many bytes left */
    struct accd__own_range {
        uint64_t offset, bytes;
    } * ranges; /* room for accd__bulk_run */
    char **images;
    uint64_t *starts;
    const struct accd__segment **columns;
};

/* ----------------------------------------------------------------------------------- enter.c -- */

/* Smaller objects of one construct share a device block; larger ones are given back on their own. */

/* The device has no memory for what a claim asks for. */
accd_status accd__report_device_full(const struct accd__plan *plan, const struct accd__request *request,
                                     accd_status status, uint64_t bytes);

/* --------------------------------------------------------------------------------- release.c -- */

/* Type records of descriptors that are attached again, with another type, are released. *release_p: NULL, if there
 * are none. */
accd_status accd__attach_plan_release_records(const struct accd__attach_plan *attaches,
                                              struct accd__record_release **release_p);

/* --------------------------------------------------------------------------------- journal.c -- */

accd_status accd__journal_save_entry(const struct accd__plan *plan, const struct accd__attach_plan *attaches);

/* ----------------------------------------------------------------------------------- event.c -- */

/* Tells about a construct that succeeded, in the order of the document's steps. */
void accd__report_entry(const struct accd__plan *plan);
void accd__report_update(const struct accd__plan *plan);

/* ------------------------------------------------------------------------------------ bulk.c -- */

void accd__bulk_count(const struct accd__bulk *bulk, struct accd__traffic *traffic);
void accd__bulk_announce(struct accd__bulk *bulk, const struct accd__traffic *traffic);
void accd__bulk_run(struct accd__bulk *bulk);
/* Bytes of a bulk with all its arrays, and one in so many; only the arrays are set. */
size_t accd__bulk_bytes(const struct accd_walk *walk);
struct accd__bulk *accd__bulk_init(void *memory, const struct accd_walk *walk);
/* The object that holds a root of the plan's bulk, or NULL. */
void accd__bulk_set_root(const struct accd__plan *plan, size_t root, const struct accd__object *object);
/* Makes plan->result.bulk; its places are those of a group with the same segments. */
accd_status accd__bulk_begin(struct accd__plan *plan, struct accd__group *group);
/* Whether all pointers of a group still point where they pointed; otherwise the first that does not. */
bool accd__group_pointers_unchanged(const struct accd_walk *walk, size_t *section_p);

/* ---------------------------------------------------------------------------------- queued.c -- */

extern const struct accd__bulk_ops accd__bulk_ops;
/* The bulk of a batch becomes one that a queue keeps, with what it uses. NULL: it has nothing to do. */
accd_status accd__bulk_queue(struct accd__batch *batch);
/* A copy that outlives its construct and its group; NULL: no memory. */
struct accd__bulk *accd__bulk_copy(const struct accd__bulk *bulk);
void accd__bulk_free(struct accd__bulk *bulk);

/* ------------------------------------------------------------------------------- copy_rows.c -- */

/* Whether own bytes of a rowset's elements, whether the sections of a segment move with a group. */
size_t accd__bulk_own_ranges(const struct accd__bulk *bulk, const struct accd__rowset *set);
bool accd__is_dense_column(const struct accd__bulk *bulk, const struct accd__segment *segment);

#endif
