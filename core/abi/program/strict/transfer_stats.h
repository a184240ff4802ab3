/* transfer_stats.h - how often a place of the program moved or allocated a variable, and how often in vain: for advice.
 * redundant_transfers.c has the table, and reports what was moved in vain; check/unused.c, what was not used. */
#ifndef RT_TRANSFER_STATS_H
#define RT_TRANSFER_STATS_H

#include "abi/program/base/runtime.h"

enum {
    RT_SMALL_TRANSFER = 64, /* bytes: what compilers move with every construct: scalars, results of reductions */
    RT_STATS_MAX = 1 << 16
};

/* Of the allocations or transfers of a variable by the constructs of a place. */
struct rt_transfer_stats {
    uintptr_t pc;
    accd_op op;         /* ACCD_OP_ALLOC, ACCD_OP_H2D, ACCD_OP_D2H */
    char variable[160]; /* rt_copy_variable_name; "*": any variable */
    char name[160];     /* of a range */
    bool others;        /* there are ranges of other names */
    bool has_unsampled; /* not all of them were looked at */
    const char *file;   /* NULL: not known */
    int line;
    uint64_t calls, last_call; /* constructs */
    uint64_t n, bytes;
    uint64_t redundant, redundant_bytes; /* transfers of what was there already */
    uint64_t unread;                     /* bytes that were moved and not read */
    uint64_t unused, unused_bytes;       /* allocations */
};
extern struct rt_transfer_stats *rt_stats_table; /* from number 1 on */
extern size_t rt_stats_count;

/* Counts an allocation or a transfer of the construct under way. The number of its tally; 0: it is small, or has none.
 */
uint16_t rt_stats_record(const accd_event *event);

/* At the end. Makes one tally of those of a line and a variable, and sorts them by what they cost. */
void rt_stats_merge(uint64_t (*cost)(const struct rt_transfer_stats *stats));
/* Whether one number of each tally is all there is: for certain of the clause of its variable. The tallies are joined.
 * A clause may name another variable each time that it is met, as a parameter does. So each construct of the place must
 * have had one for this variable, or all tallies of the place must be so. */
bool rt_stats_cover_clause(const struct rt_transfer_stats *stats,
                           bool (*is_whole)(const struct rt_transfer_stats *stats));

/* Counts a transfer, and returns the number of its tally, or 0. idle: it moved what both sides had; passed: that was
 * not looked at. */
uint16_t rt_stats_record_transfer(const accd_event *event, bool redundant, bool has_unsampled);
void rt_report_redundant_transfers(void);

#endif
