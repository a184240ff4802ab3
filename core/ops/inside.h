/* inside.h - declarations that only the files of core/ops share. */
#ifndef ACCD_OPS_INSIDE_H
#define ACCD_OPS_INSIDE_H

#include "ops/ops.h"
#include "plan/attach_plan.h"
#include "table/group.h"

/* A bulk transfer: own bytes, sections and pointers of a whole group, without a request for each. bulk.c runs it. */
struct accd__bulk {
    struct accd__device_env *env;
    struct accd_walk *walk;              /* walk of this construct, whose actions apply */
    struct accd_walk *group;             /* walk of the group */
    uint64_t block;                      /* device address of the block with the group's sections */
    const struct accd__segment **places; /* the group's segment for each segment of `walk` */
    uint64_t *roots;                     /* device addresses of the walk's roots; 0: absent */
    bool *own;                           /* array over roots: the own bytes of the root move */
    bool entry;                          /* direction of an entry: sends, and writes pointers */
    bool out;                            /* device to host; otherwise host to device */
    bool restore;                        /* writes host pointers into roots that stay present */
    bool announcing;                     /* ranges are only announced, not yet staged or fetched */
    bool windows;                        /* large columns are sent in windows of rows */
    uint64_t capacity;                   /* bytes left in the present window */
    struct accd__own_range {
        uint64_t offset, bytes;
    } * ranges; /* buffer of accd__bulk_run, large enough for any rowset */
    char **images;
    uint64_t *starts;
    const struct accd__segment **columns;
};

/* ----------------------------------------------------------------------------------- enter.c -- */

/* Records the error of a device without memory for a request, and returns its status. */
accd_status accd__report_device_full(const struct accd__plan *plan, const struct accd__request *request,
                                     accd_status status, uint64_t bytes);

/* --------------------------------------------------------------------------------- release.c -- */

/* Plans the release of type records whose descriptors are attached again with another type. *release_p stays NULL if
 * there are none. */
accd_status accd__attach_plan_release_records(const struct accd__attach_plan *attaches,
                                              struct accd__record_release **release_p);

/* --------------------------------------------------------------------------------- journal.c -- */

/* Saves the present bytes and pointers that an entry is about to overwrite. Requires an open journal. */
accd_status accd__journal_save_entry(const struct accd__plan *plan, const struct accd__attach_plan *attaches);

/* ----------------------------------------------------------------------------------- event.c -- */

/* Reports an entry, or an update, that succeeded as events, in the order of the document's steps. */
void accd__report_entry(const struct accd__plan *plan);
void accd__report_update(const struct accd__plan *plan);

/* ------------------------------------------------------------------------------------ bulk.c -- */

/* Adds the numbers of transfers that a bulk needs to `traffic`. */
void accd__bulk_count(const struct accd__bulk *bulk, struct accd__traffic *traffic);
/* Announces all ranges of a bulk to the device, and decides on windows. */
void accd__bulk_announce(struct accd__bulk *bulk, const struct accd__traffic *traffic);
/* Stages and fetches all ranges of a bulk. Requires that it was announced. */
void accd__bulk_run(struct accd__bulk *bulk);
/* Returns the size of a bulk with all its arrays. accd__bulk_init makes one in that memory, with only the arrays set.
 */
size_t accd__bulk_bytes(const struct accd_walk *walk);
struct accd__bulk *accd__bulk_init(void *memory, const struct accd_walk *walk);
/* Sets the device address of a root from the object that contains it; NULL: the root is absent. */
void accd__bulk_set_root(const struct accd__plan *plan, size_t root, const struct accd__object *object);
/* Makes plan->changes.bulk for a group. Its places are set if the group has the same number of segments as the walk. */
accd_status accd__bulk_begin(struct accd__plan *plan, struct accd__group *group);
/* True if all pointers of a group still have their values; otherwise *section_p is the first that has not. */
bool accd__group_pointers_unchanged(const struct accd_walk *walk, size_t *section_p);

/* ---------------------------------------------------------------------------------- queued.c -- */

extern const struct accd__bulk_ops accd__bulk_ops;
/* Replaces the bulk of a batch by a copy that a queue keeps, and lists the memory it uses. NULL: nothing to transfer.
 */
accd_status accd__bulk_queue(struct accd__batch *batch);
/* Returns a copy that outlives its construct and its group; NULL: no memory. */
struct accd__bulk *accd__bulk_copy(const struct accd__bulk *bulk);
/* Frees a copy and releases its walks. */
void accd__bulk_free(struct accd__bulk *bulk);

/* ------------------------------------------------------------------------------- copy_rows.c -- */

/* Returns the number of own ranges that move in each element of a rowset, which are left in bulk->ranges. */
size_t accd__bulk_own_ranges(const struct accd__bulk *bulk, const struct accd__rowset *set);
/* True if the sections of a segment move as they are: plain data, or elements without special bytes. */
bool accd__is_dense_column(const struct accd__bulk *bulk, const struct accd__segment *segment);

#endif
