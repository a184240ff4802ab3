/* columns.h - one level of a walk: the sections that its rows' fields describe, column by column. */
#ifndef ACCD_COLUMNS_H
#define ACCD_COLUMNS_H

#include "walk/program.h"

/* What one part of a level learned about one column. */
struct accd__column_summary {
    size_t from, to; /* rows */
    uint64_t low, high, bytes, total, descriptor_checksum;
    size_t applied;
    int64_t start;
    bool varies, start_varies, may_have_gaps;
    bool repeats; /* so far what an earlier walk found: nothing is written or summed up */
};

struct accd__level_job {
    struct accd_walk *walk;
    struct accd__rowset *set;
    const int64_t *params;
    int64_t *const *inherit;
    int64_t **keep;                      /* registers that inner levels read, by number */
    const struct accd__segment **before; /* of the earlier walk, for each field; may be NULL */
    unsigned parts;
    struct accd__column_summary *tallies; /* parts x fields */
    accd__column *registers;              /* parts x registers */
    struct accd__part_fault {
        enum accd__fault fault;
        size_t row, field;
        int64_t value;
    } * faults; /* one for each part */
};

/* Writes what was only compared so far: the rows of a part before end are those of the earlier walk. */
void accd__stop_column_reuse(struct accd__segment *segment, const struct accd__segment *before,
                             struct accd__column_summary *t, size_t end);
/* Runs a part of a level; level is a struct accd__level_job. What fails is in its faults. */
void accd__run_level_part(void *level, unsigned part);

#endif
