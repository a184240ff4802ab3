/* inside.h - declarations that only the files of core/ops share. */
#ifndef ACCD_OPS_INSIDE_H
#define ACCD_OPS_INSIDE_H

#include "ops/ops.h"
#include "plan/attach_plan.h"
#include "table/group.h"

/* A bulk: the transfer of a whole group (table/group.h), without a request for each section. It moves sections, own
 * bytes (bytes of the elements themselves, without followed pointers) and pointers. bulk.c runs it. */
struct accd__bulk {
    struct accd__device_env *env;
    struct accd_walk *walk;  /* walk of this construct, whose actions apply */
    struct accd_walk *group; /* walk of the group, from the entry that made the group */
    uint64_t block;          /* device address of the block with the group's sections */
    /* array over the segments of `walk`: the group's segment with the same sections */
    const struct accd__segment **places;
    uint64_t *roots;   /* device addresses of the walk's roots; 0: absent */
    bool *own;         /* array over roots: the own bytes of the root move */
    bool entry;        /* the bulk of an entry: also writes device addresses into the pointers of the elements */
    bool out;          /* device to host; otherwise host to device */
    bool restore;      /* pointers in roots that stay present get their host values back */
    bool announcing;   /* ranges are only announced, not yet staged or fetched */
    bool windows;      /* large columns are sent in windows (runs of rows, windows.c) */
    uint64_t capacity; /* bytes left in the present window */
    struct accd__own_range {
        uint64_t offset, bytes;
    } * ranges; /* buffer of accd__bulk_run, large enough for any rowset */
    /* buffer: device content of each segment; NULL: the segment does not move */
    char **images;
    /* buffer: offset of the content of each segment in the block */
    uint64_t *starts;
    /* buffer: segments of the present rowset */
    const struct accd__segment **columns;
};

/* ----------------------------------------------------------------------------------- enter.c -- */

/* Records the error that the device has no `bytes` bytes of memory left for `request`, and returns its status. Returns
 * `status` without a new error if a queue failed. */
accd_status accd__report_device_full(const struct accd__plan *plan, const struct accd__request *request,
                                     accd_status status, uint64_t bytes);

/* --------------------------------------------------------------------------------- release.c -- */

/* Plans the release of type records whose descriptors are attached again with another type, and sets *release_p to it;
 * leaves *release_p unchanged if there is no such descriptor. Returns an error if the rules forbid the release, or the
 * construct needs an object that it removes. */
accd_status accd__attach_plan_release_records(const struct accd__attach_plan *attaches,
                                              struct accd__record_release **release_p);

/* --------------------------------------------------------------------------------- journal.c -- */

/* Saves the present bytes and pointers that an entry is about to overwrite, so that an abandoned construct can restore
 * them. Requires an open journal. Fails without memory, or if the device cannot be read. */
accd_status accd__journal_save_entry(const struct accd__plan *plan, const struct accd__attach_plan *attaches);

/* ----------------------------------------------------------------------------------- event.c -- */

/* Reports an entry that succeeded as events, in the order of the document's steps. Does nothing if neither an observer
 * nor a queue wants them. */
void accd__report_entry(const struct accd__plan *plan);
/* Reports an update that succeeded as events, in the order of the document's steps. */
void accd__report_update(const struct accd__plan *plan);

/* ------------------------------------------------------------------------------------ bulk.c -- */

/* Adds upper bounds for the numbers of transfers that a bulk needs to `traffic`. */
void accd__bulk_count(const struct accd__bulk *bulk, struct accd__traffic *traffic);
/* Announces all ranges of a bulk to the device, and decides if windows are used. `traffic`: traffic of the whole batch.
 */
void accd__bulk_announce(struct accd__bulk *bulk, const struct accd__traffic *traffic);
/* Stages (to the device) or fetches (from it) all ranges of a bulk, and copies their bytes. Requires that the bulk was
 * announced. Cannot fail. */
void accd__bulk_run(struct accd__bulk *bulk);
/* Returns the size in bytes of a bulk for `walk` with all its arrays. */
size_t accd__bulk_bytes(const struct accd_walk *walk);
/* Makes a bulk in `memory`, of which only the arrays are set, and returns it. Requires accd__bulk_bytes(walk) bytes at
 * `memory`. */
struct accd__bulk *accd__bulk_init(void *memory, const struct accd_walk *walk);
/* Sets the device address of root number `root` of the walk (an item whose elements are walked) from `object`, the
 * present object that contains it; NULL: the root is absent. */
void accd__bulk_set_root(const struct accd__plan *plan, size_t root, const struct accd__object *object);
/* Sets plan->changes.bulk to a new bulk for `group`, in scratch space; the caller sets its direction and roots.
 * `places` is set if the group has as many segments as the walk; otherwise its elements are NULL. Fails only without
 * memory. */
accd_status accd__bulk_begin(struct accd__plan *plan, struct accd__group *group);
/* True if all pointers of a group still have the values that `walk`, the walk of the group, read. If not, sets
 * *section_p to the number of the first section whose pointer has changed. */
bool accd__group_pointers_unchanged(const struct accd_walk *walk, size_t *section_p);

/* ---------------------------------------------------------------------------------- queued.c -- */

/* Functions with which core/queue executes and frees bulks that a queue keeps. */
extern const struct accd__bulk_ops accd__bulk_ops;
/* Sets batch->bulk to a copy of the bulk that a queue keeps, or to NULL if nothing is to be transferred. Lists the
 * device memory that the bulk uses. Fails only without memory. */
accd_status accd__bulk_queue(struct accd__batch *batch);
/* Returns a copy of `bulk` that outlives its construct and its group; NULL: no memory. */
struct accd__bulk *accd__bulk_copy(const struct accd__bulk *bulk);
/* Frees a copy made by accd__bulk_copy and releases its walks. */
void accd__bulk_free(struct accd__bulk *bulk);

/* ------------------------------------------------------------------------------- copy_rows.c -- */

/* Fills bulk->ranges with the own ranges that move in each element of `set`, and returns their number; 0: none of the
 * elements' own bytes move separately. */
size_t accd__bulk_own_ranges(const struct accd__bulk *bulk, const struct accd__rowset *set);
/* True if `segment` moves, and the content of all its sections moves unchanged: plain data, or elements without bytes
 * that need special care. */
bool accd__is_dense_column(const struct accd__bulk *bulk, const struct accd__segment *segment);

#endif
