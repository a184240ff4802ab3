/* copy_rows.h - the transfer of one rowset of a bulk, shared by bulk.c, windows.c and copy_rows.c. */
#ifndef ACCD_ROWS_H
#define ACCD_ROWS_H

#include "ops/inside.h"

/* The transfer of one rowset. */
struct accd__rows_job {
    const struct accd__bulk *bulk;
    const struct accd__rowset *set;
    char *rows;                  /* device content of the elements if it is contiguous, or NULL */
    uint64_t rows_start;         /* offset of `rows` in the rowset, in bytes */
    bool whole;                  /* own bytes of all elements move as one range */
    struct accd__own_range *own; /* ranges of each element that move, unless whole */
    size_t nown;
    char **sections;  /* device content of each segment; NULL: does not move */
    uint64_t *starts; /* offset of each section buffer in the group's block */
    const struct accd__segment **segments;
    const struct accd__segment **places;
    size_t nsegments;
    size_t first, end; /* range of rows to fill */
    unsigned parts;
    bool windows;  /* some columns are filled a window at a time */
    bool rows_too; /* the elements are filled with these windows */
};

/* Copies the rows [first, end), or one of `parts` parts of them, and writes their pointers. Runs on worker threads. */
void accd__copy_rows(void *job, unsigned part);
/* Returns the device address of a root rowset's first element. */
uint64_t accd__root_rows_dev(const struct accd__bulk *bulk, const struct accd__rowset *set);

/* True if the own bytes of a rowset's elements are moved separately from their section. */
bool accd__rows_are_moved(const struct accd__bulk *bulk, const struct accd__rowset *set);
/* Returns the device content of a range, to be filled or to be read; NULL: it is only announced. */
char *accd__bulk_device_content(const struct accd__bulk *bulk, uint64_t dev, uint64_t bytes);
/* Moves the own ranges of each element one by one. */
void accd__copy_own_ranges(const struct accd__rows_job *job);
/* Writes the pointers of elements that were not filled as a whole. */
void accd__write_words(const struct accd__rows_job *job);

/* Chooses the columns and elements of a rowset that are sent in windows. Requires that the columns are set. */
void accd__windows_choose(struct accd__rows_job *job);
/* True if a column is sent in windows. */
bool accd__is_column_in_windows(const struct accd__rows_job *job, size_t column);
/* Announces the ranges of a rowset that are sent in windows. */
void accd__windows_announce(const struct accd__rows_job *job);
/* Fills and sends all windows of a rowset. */
void accd__windows_fill(struct accd__bulk *bulk, struct accd__rows_job *job);
/* Sends what was filled since the last window was sent. */
void accd__windows_send(struct accd__bulk *bulk);

#endif
