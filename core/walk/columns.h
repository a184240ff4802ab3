/* columns.h - one level of a walk: the sections that its rows' fields describe, column by column. */
#ifndef ACCD_COLUMNS_H
#define ACCD_COLUMNS_H

#include "walk/program.h"

/* Summary of one column over the rows of one part of a level. */
struct accd__column_summary {
    size_t from, to; /* range of rows [from, to) of the part */
    /* Hull, first length, sum of padded lengths and checksum of descriptors, as in struct accd__segment; `high` is the
     * address of a first byte. */
    uint64_t low, high, bytes, total, descriptor_checksum;
    /* Number of sections that are not empty. */
    size_t applied;
    int64_t start;
    /* True if lengths differ, if first indices differ, if a descriptor may describe gaps. */
    bool varies, start_varies, may_have_gaps;
    bool repeats; /* true while all rows equal those of the earlier walk; until then no column is written and no sum
                     updated */
};

struct accd__level_job {
    struct accd_walk *walk;
    struct accd__rowset *set;
    const int64_t *params;
    int64_t *const *inherit;
    int64_t **keep; /* columns of registers that inner levels read, by register number; NULL: not read */
    const struct accd__segment **before; /* segment of the earlier walk for each field, or NULL */
    unsigned parts;
    struct accd__column_summary *tallies; /* summaries; that of part p and field f is at p * fields + f */
    accd__column *registers;              /* registers; those of part p begin at p * registers */
    struct accd__part_fault {
        enum accd__fault fault;
        size_t row, field;
        int64_t value;
    } * faults; /* first fault of each part; ACCD_FAULT_NONE: none */
};

/* Ends the comparison of a part with the earlier column `before`: copies the rows before `end` from that column, and
 * adds them to the summary `t`. */
void accd__stop_column_reuse(struct accd__segment *segment, const struct accd__segment *before,
                             struct accd__column_summary *t, size_t end);
/* Runs one part of a level (a struct accd__level_job); errors go to its faults. Called on a worker thread. */
void accd__run_level_part(void *level, unsigned part);

#endif
