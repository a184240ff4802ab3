/* copy_rows.h - one rowset of a bulk, as bulk.c and windows.c share it. */
#ifndef ACCD_ROWS_H
#define ACCD_ROWS_H

#include "ops/inside.h"

/* How one rowset takes part. */
struct accd_rows_job {
    const struct accd_bulk *bulk;
    const struct accd_rowset *set;
    char *rows;            /* device content of the elements, if they lie together; else NULL ... */
    uint64_t rows_start;   /* ... from this byte of them on */
    bool whole;            /* own bytes go as they are */
    struct accd_own_range *own; /* otherwise: these of each element */
    size_t nown;
    char **sections;       /* device content of each segment, NULL: does not move ... */
    uint64_t *starts;      /* ... from this place on */
    const struct accd_segment **segments;
    const struct accd_segment **places;
    size_t nsegments;
    size_t first, end;     /* rows that are filled */
    unsigned parts;
    bool windows;          /* some columns are filled a window at a time ... */
    bool rows_too;         /* ... and the elements with them */
};

/* bulk.c: copies the rows [first, end), or a part of them, and writes their pointers. */
void accd_copy_rows(void *job, unsigned part);
/* Device address of a root rowset's first element. */
uint64_t accd_root_dev(const struct accd_bulk *bulk, const struct accd_rowset *set);

bool accd_rows_move(const struct accd_bulk *bulk, const struct accd_rowset *set);
char *accd_bulk_image(const struct accd_bulk *bulk, uint64_t dev, uint64_t bytes);
void accd_own_one_by_one(const struct accd_rows_job *job);
void accd_words_one_by_one(const struct accd_rows_job *job);

/* windows.c: decides about a rowset whose columns are known. */
void accd_windows_choose(struct accd_rows_job *job);
bool accd_column_in_windows(const struct accd_rows_job *job, size_t column);
void accd_windows_announce(const struct accd_rows_job *job);
void accd_windows_fill(struct accd_bulk *bulk, struct accd_rows_job *job);
/* What was filled since the last window was sent, is. */
void accd_windows_send(struct accd_bulk *bulk);

#endif
