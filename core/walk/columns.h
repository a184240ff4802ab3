/* columns.h - one level of a walk: the sections that its rows' fields describe, column by column. */
#ifndef ACCD_COLUMNS_H
#define ACCD_COLUMNS_H

#include "walk/program.h"

/* What one part of a level learned about one column. */
struct accd_tally {
    size_t from, to;      /* rows */
    uint64_t low, high, bytes, total, descriptor_sum;
    size_t applied;
    int64_t start;
    bool varies, start_varies, apart;
    bool repeats;         /* so far what an earlier walk found: nothing is written or summed up */
};

struct accd_level_job {
    struct accd_walk *walk;
    struct accd_rowset *set;
    const int64_t *params;
    int64_t *const *inherit;
    int64_t **keep;          /* registers that inner levels read, by number */
    const struct accd_segment **before; /* of the earlier walk, for each field; may be NULL */
    unsigned parts;
    struct accd_tally *tallies;   /* parts x fields */
    accd_column *registers;       /* parts x registers */
    struct accd_part_fault {
        enum accd_fault fault;
        size_t row, field;
        int64_t value;
    } * faults;              /* one for each part */
};

/* Writes what was only compared so far: the rows of a part before end are those of the earlier walk. */
void accd_stop_repeating(struct accd_segment *segment, const struct accd_segment *before,
                         struct accd_tally *t, size_t end);
/* Runs a part of a level; level is a struct accd_level_job. What fails is in its faults. */
void accd_level_part(void *level, unsigned part);

#endif
