/* inside.h - declarations that only the files of core/ops share: the bulk transfer of groups, and functions of entries,
 * events and the journal. Words of a walk (walk/walk.h): a root is an item whose elements are walked. A rowset is the
 * set of elements over which one program runs. A segment, or column, holds the sections of one pointer field of a
 * rowset. Own bytes are those of the elements themselves that move, without the pointers that the walk follows.
 * Announcing a range tells the device, before a batch begins, that the range will be staged (sent) or fetched. */
#ifndef ACCD_OPS_INSIDE_H
#define ACCD_OPS_INSIDE_H

#include "ops/ops.h"
#include "plan/attach_plan.h"
#include "table/group.h"

/* A bulk: the transfer of a whole group (table/group.h), without a request for each section. It moves sections, own
 * bytes of elements, and pointers. bulk.c runs it. */
struct accd__bulk {
    struct accd__device_env *env;
    struct accd_walk *walk;  /* walk of this construct; its actions decide what moves */
    struct accd_walk *group; /* walk of the group, from the entry that made the group */
    uint64_t block;          /* device address of the block with the group's sections */
    /* array over the segments of `walk`: the segment of the group's walk with the same sections, which tells their
     * place in the block */
    const struct accd__segment **places;
    uint64_t *roots; /* array over roots: device address of the root; 0: absent */
    bool *own;       /* array over roots: true if the own bytes of the root's elements move */
    /* the bulk belongs to an entry, and also writes device addresses into the pointers of the elements */
    bool entry;
    bool out;        /* device to host; otherwise host to device */
    bool restore;    /* exit: pointers in roots that stay present get their host values */
    bool announcing; /* state: the ranges are being announced, and not yet staged or fetched */
    /* large columns are sent in windows: runs of rows that fit into one buffer of the device (windows.c) */
    bool windows;
    uint64_t capacity; /* bytes left in the window that is being filled */
    struct accd__own_range {
        uint64_t offset, bytes;
        /* buffer for the own byte ranges of one element, large enough for any rowset; `offset` counts from the
         * element's first byte */
    } * ranges;
    /* buffer, by segment: memory that holds the segment's device content during the transfer; NULL: it does not move,
     * or is sent in windows */
    char **images;
    /* buffer, by segment: offset in the group's block of the first byte of `images` */
    uint64_t *starts;
    /* buffer, by segment: the segments of the rowset that is transferred now */
    const struct accd__segment **columns;
};

/* ----------------------------------------------------------------------------------- enter.c -- */

/* Records the error that the device has no `bytes` bytes of memory left for `request`, unless `status` is the error of
 * a queue, which is recorded already. Returns `status`. */
accd_status accd__report_device_full(const struct accd__plan *plan, const struct accd__request *request,
                                     accd_status status, uint64_t bytes);

/* --------------------------------------------------------------------------------- release.c -- */

/* Plans the release (ops.h) of type records (objects that describe the type of a descriptor) whose descriptors the
 * construct attaches again with a different type. Sets *release_p to it; leaves *release_p unchanged if there is no
 * such descriptor. Returns an error if the rules forbid the release, the construct needs an object that it removes, or
 * without memory. */
accd_status accd__attach_plan_release_records(const struct accd__attach_plan *attaches,
                                              struct accd__record_release **release_p);

/* --------------------------------------------------------------------------------- journal.c -- */

/* Saves the present bytes and pointers that an entry is about to overwrite, so that an abandoned construct can restore
 * them. Requires an open journal. Fails without memory, or if the device cannot be read. */
accd_status accd__journal_save_entry(const struct accd__plan *plan, const struct accd__attach_plan *attaches);

/* ----------------------------------------------------------------------------------- event.c -- */

/* Reports an entry that succeeded as events, in the order of the steps of TR14-4.2. Does nothing if there is neither an
 * observer nor a queue. */
void accd__report_entry(const struct accd__plan *plan);
/* Reports the moves of an update that succeeded as events. Does nothing if there is neither an observer nor a queue. */
void accd__report_update(const struct accd__plan *plan);

/* ------------------------------------------------------------------------------------ bulk.c -- */

/* Adds to the counts in `traffic` (transfers of a batch) upper bounds for the numbers of transfers that the bulk
 * needs. */
void accd__bulk_count(const struct accd__bulk *bulk, struct accd__traffic *traffic);
/* Announces all ranges of a bulk to the device, and decides if windows are used. `traffic`: traffic of the whole batch.
 */
void accd__bulk_announce(struct accd__bulk *bulk, const struct accd__traffic *traffic);
/* Stages (to the device) or fetches (from it) all ranges of a bulk, and copies their bytes. Requires that the bulk was
 * announced. Cannot fail. */
void accd__bulk_run(struct accd__bulk *bulk);
/* Returns the size in bytes of a bulk for `walk` with all its arrays. */
size_t accd__bulk_bytes(const struct accd_walk *walk);
/* Makes a bulk in `memory` and returns it. Its arrays are allocated but not filled, and all other members are 0.
 * Requires accd__bulk_bytes(walk) bytes at `memory`. */
struct accd__bulk *accd__bulk_init(void *memory, const struct accd_walk *walk);
/* Sets the device address of root number `root` (an item whose elements are walked) in plan->changes.bulk. `object`:
 * present or planned object that contains the root; NULL: the root is absent. */
void accd__bulk_set_root(const struct accd__plan *plan, size_t root, const struct accd__object *object);
/* Sets plan->changes.bulk to a new bulk for `group`, in scratch space. The caller sets its direction and, for
 * roots that move, `roots` (device addresses) and `own` (the own bytes of the elements move), which are 0 here. If the
 * walks of the construct and of the group have equally many segments, places[i] becomes segment i of the group's walk.
 * Otherwise the elements of `places` are NULL, and the caller sets them. Fails only without memory. */
accd_status accd__bulk_begin(struct accd__plan *plan, struct accd__group *group);
/* True if all pointers of a group still have the values that `walk`, the walk of the group, read. If not, sets
 * *section_p to the number of the first section whose pointer has changed. */
bool accd__group_pointers_unchanged(const struct accd_walk *walk, size_t *section_p);

/* ---------------------------------------------------------------------------------- queued.c -- */

/* Functions with which core/queue counts, announces, executes and frees bulks, and checks the memory that they use. */
extern const struct accd__bulk_ops accd__bulk_ops;
/* Replaces batch->bulk by a copy that a queue can keep, or by NULL if nothing is to be transferred. Sets
 * batch->accesses to the device ranges that the bulk uses. Fails only without memory. */
accd_status accd__bulk_queue(struct accd__batch *batch);
/* Returns a copy of `bulk` that outlives its construct and its group; NULL: no memory. */
struct accd__bulk *accd__bulk_copy(const struct accd__bulk *bulk);
/* Frees a copy made by accd__bulk_copy and releases its walks. */
void accd__bulk_free(struct accd__bulk *bulk);

/* ------------------------------------------------------------------------------- copy_rows.c -- */

/* Fills bulk->ranges with the byte ranges of each element of `set` that move by themselves, not as part of a section.
 * Returns their number; 0: there are none. */
size_t accd__bulk_own_ranges(const struct accd__bulk *bulk, const struct accd__rowset *set);
/* True if `segment` moves as a whole and is dense: its sections are plain data, or elements all of whose bytes move
 * unchanged. */
bool accd__is_dense_column(const struct accd__bulk *bulk, const struct accd__segment *segment);

#endif
