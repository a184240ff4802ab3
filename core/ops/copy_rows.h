/* copy_rows.h - one rowset of a bulk, as bulk.c and windows.c share it. */
#ifndef ACCD_ROWS_H
#define ACCD_ROWS_H

#include "ops/inside.h"

/* How one rowset takes part. */
struct accd__rows_job {
    const struct accd__bulk *bulk;
    const struct accd__rowset *set;
    char *rows;                  /* device content of the elements, if they lie together; else NULL ... */
    uint64_t rows_start;         /* ... from this byte of them on */
    bool whole;                  /* own bytes go as they are */
    struct accd__own_range *own; /* otherwise: these of each element */
    size_t nown;
    char **sections;  /* device content of each segment, NULL: does not move ... */
    uint64_t *starts; /* ... from this place on */
    const struct accd__segment **segments;
    const struct accd__segment **places;
    size_t nsegments;
    size_t first, end; /* rows that are filled */
    unsigned parts;
    bool windows;  /* some columns are filled a window at a time ... */
    bool rows_too; /* ... and the elements with them */
};

/* bulk.c: copies the rows [first, end), or a part of them, and writes their pointers. */
void accd__copy_rows(void *job, unsigned part);
/* Device address of a root rowset's first element. */
uint64_t accd__root_rows_dev(const struct accd__bulk *bulk, const struct accd__rowset *set);

bool accd__rows_are_moved(const struct accd__bulk *bulk, const struct accd__rowset *set);
char *accd__bulk_device_content(const struct accd__bulk *bulk, uint64_t dev, uint64_t bytes);
void accd__copy_own_ranges(const struct accd__rows_job *job);
void accd__write_words(const struct accd__rows_job *job);

/* windows.c: decides about a rowset whose columns are known. */
void accd__windows_choose(struct accd__rows_job *job);
bool accd__is_column_in_windows(const struct accd__rows_job *job, size_t column);
void accd__windows_announce(const struct accd__rows_job *job);
void accd__windows_fill(struct accd__bulk *bulk, struct accd__rows_job *job);
/* What was filled since the last window was sent, is. */
void accd__windows_send(struct accd__bulk *bulk);

#endif
