/* columns.h - the work on one level of a walk: computing the sections that the fields of one rowset describe. A level
 * is one rowset (elements over which one program runs, walk.h) with its segments (a column of sections for each field).
 * A part is a range of the level's rows, which one thread computes. */
#ifndef ACCD_COLUMNS_H
#define ACCD_COLUMNS_H

#include "walk/program.h"

/* Summary of one column over the rows of one part of a level. */
struct accd__column_summary {
    size_t from, to; /* range of rows [from, to) of the part */
    /* Values for the members of struct accd__segment with these names, over the rows of the part. `bytes` is the length
     * of the first section. `high` is the greatest address of a section's first byte, not its end. */
    uint64_t low, high, bytes, total, descriptor_checksum;
    /* Number of sections that are not empty. */
    size_t applied;
    int64_t start; /* index of the first element of the first section */
    /* varies: lengths differ. start_varies: first indices differ. may_have_gaps: a descriptor may describe gaps. */
    bool varies, start_varies, may_have_gaps;
    bool repeats; /* true while all rows computed so far equal those of the earlier walk. As long as that is so, no
                     column is written, and of the other members only descriptor_checksum and may_have_gaps are updated
                   */
};

/* Work on one level: the rowset whose columns the parts fill, and their results. */
struct accd__level_job {
    struct accd_walk *walk;
    struct accd__rowset *set;
    const int64_t *params;   /* parameters of the item that is walked */
    int64_t *const *inherit; /* columns of the enclosing rowset's registers, by register number */
    int64_t **keep; /* columns in which to store registers that programs of inner elements read, by register number;
                       NULL: no program reads the register */
    /* array by field number: segment of the earlier walk to compare with, or NULL */
    const struct accd__segment **before;
    unsigned parts;                       /* number of parts */
    struct accd__column_summary *tallies; /* summaries; that of part p and field f is at p * (number of fields) + f */
    accd__column *registers; /* registers; those of part p begin at p * (number of registers of the program) */
    struct accd__part_fault {
        enum accd__fault fault;
        size_t row, field; /* row (in the rowset) and field number of the section that cannot be computed */
        int64_t value;     /* number of elements that the section would have had; 0 if it was not computed */
    } * faults;            /* first fault of each part; ACCD_FAULT_NONE: none */
};

/* Ends the comparison of a part with the earlier column `before`. Copies the rows of the part before `end` from that
 * column to `segment`, adds them to the part's summary `t`, and clears t->repeats; later rows are then written. */
void accd__stop_column_reuse(struct accd__segment *segment, const struct accd__segment *before,
                             struct accd__column_summary *t, size_t end);
/* Fills the columns for part number `part` of a level. `level` is a struct accd__level_job; its faults[part] gets the
 * first fault of the part. Called on a worker thread. */
void accd__run_level_part(void *level, unsigned part);

#endif
