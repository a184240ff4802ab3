/* columns.h - one level of a walk: the sections that its rows' fields describe, column by column. */
#ifndef ACCD_COLUMNS_H
#define ACCD_COLUMNS_H

#include "walk/program.h"

/* Summary of one column over the rows of one part of a level. */
struct accd__column_summary {
    size_t from, to; /* range of rows */
    uint64_t low, high, bytes, total, descriptor_checksum;
    size_t applied;
    int64_t start;
    bool varies, start_varies, may_have_gaps;
    bool repeats; /* true while all rows equal the earlier walk's; nothing is written or summed up then */
};

struct accd__level_job {
    struct accd_walk *walk;
    struct accd__rowset *set;
    const int64_t *params;
    int64_t *const *inherit;
    int64_t **keep;                      /* registers that inner levels read, by number */
    const struct accd__segment **before; /* segment of the earlier walk for each field, or NULL */
    unsigned parts;
    struct accd__column_summary *tallies; /* array of parts x fields */
    accd__column *registers;              /* array of parts x registers */
    struct accd__part_fault {
        enum accd__fault fault;
        size_t row, field;
        int64_t value;
    } * faults; /* fault of each part */
};

/* Ends the comparison of a part with the earlier column: copies its rows before `end` from there, and sums them up. */
void accd__stop_column_reuse(struct accd__segment *segment, const struct accd__segment *before,
                             struct accd__column_summary *t, size_t end);
/* Runs one part of a level (a struct accd__level_job); errors go to its faults. Called on a worker thread. */
void accd__run_level_part(void *level, unsigned part);

#endif
