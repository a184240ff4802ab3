/* copy_rows.h - the transfer of one rowset (elements over which one mapping program runs) of a bulk (transfer of a
 * group, inside.h). A row is one element. A column, or segment, holds the sections of one pointer field, one for each
 * row. Own bytes are those of an element that move with it, without followed pointers. bulk.c, windows.c and
 * copy_rows.c share this header. */
#ifndef ACCD_ROWS_H
#define ACCD_ROWS_H

#include "ops/inside.h"

/* The transfer of one rowset. The arrays `sections`, `starts`, `segments` and `places` have one entry for each
 * column. */
struct accd__rows_job {
    const struct accd__bulk *bulk;
    const struct accd__rowset *set;
    /* buffer with the device content of the elements; NULL: they have no contiguous buffer, or do not move */
    char *rows;
    /* offset in bytes of the first element in `rows` from the first element of the rowset */
    uint64_t rows_start;
    bool whole;                  /* the own bytes of all elements move as one range */
    struct accd__own_range *own; /* ranges of own bytes of each element, `nown` of them */
    size_t nown;
    /* buffer with the device content of each column; NULL: the column does not move, or its window is not filled now */
    char **sections;
    uint64_t *starts; /* offset in the group's block of the first byte in each of `sections` */
    const struct accd__segment **segments;
    /* the segment of the group's walk for each column, which tells the places of its sections in the block */
    const struct accd__segment **places;
    size_t nsegments;
    size_t first, end; /* rows [first, end) that accd__copy_rows copies */
    /* number of parts into which the rows are divided for threads */
    unsigned parts;
    bool windows;    /* some columns are sent in windows of rows */
    bool sends_rows; /* the elements are sent in these windows, too */
};

/* Copies part `part` of the rows [first, end) of the struct accd__rows_job at `job` in the direction of its bulk, and
 * writes the pointers of these rows. Runs on worker threads. */
void accd__copy_rows(void *job, unsigned part);
/* Returns the device address of a root rowset's first element. */
uint64_t accd__root_rows_dev(const struct accd__bulk *bulk, const struct accd__rowset *set);

/* True if own bytes of a rowset's elements move by themselves. False if the section that contains the elements moves as
 * a whole. */
bool accd__rows_are_moved(const struct accd__bulk *bulk, const struct accd__rowset *set);
/* Stages (to the device) or fetches (from it) the device range, and returns the buffer with its content, to be filled
 * or read. While the bulk is announcing, tells the device the range and returns NULL. */
char *accd__bulk_device_content(const struct accd__bulk *bulk, uint64_t dev, uint64_t bytes);
/* Moves the own ranges of each element with one transfer each, or announces these. For elements without a contiguous
 * buffer. */
void accd__copy_own_ranges(const struct accd__rows_job *job);
/* Writes, with one transfer each, or announces the pointers of elements without a contiguous buffer: device values at
 * an entry, host values in roots that stay present at an exit. */
void accd__write_words(const struct accd__rows_job *job);

/* Decides if columns of a rowset, and its elements, are sent in windows (runs of rows, windows.c): sets `windows` and
 * `sends_rows`. Both stay false without bulk->windows or for few bytes. Requires that the columns are set. */
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
