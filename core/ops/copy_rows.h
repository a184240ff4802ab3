/* copy_rows.h - the transfer of one rowset (elements of one kind) of a bulk (transfer of a group, inside.h). bulk.c,
 * windows.c and copy_rows.c share it. */
#ifndef ACCD_ROWS_H
#define ACCD_ROWS_H

#include "ops/inside.h"

/* The transfer of one rowset. Own bytes: bytes of an element that move with it, without followed pointers. Column: all
 * sections of one field. */
struct accd__rows_job {
    const struct accd__bulk *bulk;
    const struct accd__rowset *set;
    /* device content of the elements if it is contiguous; NULL: it is not, or the elements are not moved */
    char *rows;
    uint64_t rows_start;         /* offset of `rows` in the rowset, in bytes */
    bool whole;                  /* the own bytes of all elements move as one range */
    struct accd__own_range *own; /* ranges of each element that move, unless `whole` is set */
    size_t nown;
    char **sections;  /* device content of each segment; NULL: the segment does not move */
    uint64_t *starts; /* offset of each section buffer in the group's block */
    const struct accd__segment **segments;
    /* the group's segment for each element of `segments` */
    const struct accd__segment **places;
    size_t nsegments;
    size_t first, end; /* range of rows to fill */
    /* number of parts in which threads copy the rows */
    unsigned parts;
    bool windows;    /* some columns are sent in windows of rows */
    bool sends_rows; /* the elements are sent in these windows, too */
};

/* Copies part `part` of the rows [first, end) of the struct accd__rows_job at `job` in the direction of its bulk, and
 * writes the pointers of these rows. Runs on worker threads. */
void accd__copy_rows(void *job, unsigned part);
/* Returns the device address of a root rowset's first element. */
uint64_t accd__root_rows_dev(const struct accd__bulk *bulk, const struct accd__rowset *set);

/* True if the own bytes of a rowset's elements are moved separately from the sections that contain the elements. */
bool accd__rows_are_moved(const struct accd__bulk *bulk, const struct accd__rowset *set);
/* Stages (to the device) or fetches (from it) the device range and returns its content, to be filled or read. Returns
 * NULL while the bulk is only announcing, when the range is announced. */
char *accd__bulk_device_content(const struct accd__bulk *bulk, uint64_t dev, uint64_t bytes);
/* Moves the own ranges of each element one by one, or announces them. Requires that the elements do not move as a
 * whole. */
void accd__copy_own_ranges(const struct accd__rows_job *job);
/* Writes, or announces, the pointers of elements that were not filled as a whole: device values at an entry, host
 * values in roots that stay present. */
void accd__write_words(const struct accd__rows_job *job);

/* Chooses the columns and elements of a rowset that are sent in windows (runs of rows, windows.c): sets `windows` and
 * `sends_rows`. Requires that the columns are set. */
void accd__windows_choose(struct accd__rows_job *job);
/* True if the column with index `column` of the rowset is sent in windows. */
bool accd__is_column_in_windows(const struct accd__rows_job *job, size_t column);
/* Announces the ranges of a rowset that are sent in windows. */
void accd__windows_announce(const struct accd__rows_job *job);
/* Fills and sends all windows of a rowset. */
void accd__windows_fill(struct accd__bulk *bulk, struct accd__rows_job *job);
/* Sends the bytes that were filled since the last window was sent, and begins a new window. */
void accd__windows_send(struct accd__bulk *bulk);

#endif
