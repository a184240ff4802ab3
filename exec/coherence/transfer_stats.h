/* transfer_stats.h - statistics of how often a line of the program moved or allocated a variable, and how often
 * the data were not needed. redundant_transfers.c has the table and reports redundant transfers; unused.c reports
 * unused data. All functions need the lock. */
#ifndef RT_TRANSFER_STATS_H
#define RT_TRANSFER_STATS_H

#include "base/runtime.h"

enum {
    RT_SMALL_TRANSFER = 64, /* transfers of up to this many bytes are not counted: scalars and results of reductions,
                             * which compilers move with every construct */
    RT_STATS_MAX = 1 << 16
};

/* Statistics of the allocations or transfers of one variable by the constructs with one return address. */
struct rt_transfer_stats {
    /* return address of the constructs */
    uintptr_t pc;
    accd_op op;           /* ACCD_OP_ALLOC, ACCD_OP_H2D, ACCD_OP_D2H */
    char variable[160];   /* name of the variable, by rt_copy_variable_name; "*": any variable */
    char name[160];       /* name of the first range, "u[0:16]" */
    bool has_other_names; /* true if later ranges of the variable had other names than `name` */
    bool has_unsampled;   /* true if sampling skipped the check of some of these transfers */
    const char *file;     /* source file of the constructs; NULL: not known */
    int line;
    uint64_t calls, last_call; /* number of constructs that moved the variable; rt.calls at the last one */
    /* number of all allocations or transfers; their bytes */
    uint64_t n, bytes;
    uint64_t redundant, redundant_bytes; /* number and bytes of transfers of bytes that the target had already */
    uint64_t unread;                     /* bytes that were moved and never read */
    uint64_t unused, unused_bytes;       /* number and bytes of allocations without any use */
};
/* Table of statistics: elements 1 to rt_stats_count are used; index 0 means no statistics. */
extern struct rt_transfer_stats *rt_stats_table;
extern size_t rt_stats_count;

/* Counts an allocation or a transfer of the construct under way. Returns its index in rt_stats_table; 0 if the data are
 * small or the table is full. */
uint16_t rt_stats_record(const accd_event *event);

/* Joins statistics of the same line, operation and variable, and sorts them by the result of `cost`, the
 * largest first. Called at the end of the program. */
void rt_stats_merge(uint64_t (*cost)(const struct rt_transfer_stats *stats));
/* Returns true if `is_whole`, a test of statistics, certainly holds for the whole clause that moves the
 * variable of `stats`. A clause that names a function's parameter moves another variable in each call. So
 * each construct of the line must have moved this variable, or `is_whole` must hold for all statistics of the
 * line. Call rt_stats_merge before. */
bool rt_stats_cover_clause(const struct rt_transfer_stats *stats,
                           bool (*is_whole)(const struct rt_transfer_stats *stats));

/* Counts a transfer. Returns the index of its statistics in rt_stats_table; 0: not counted. redundant: both
 * sides had the bytes already. has_unsampled: sampling skipped the check whether the transfer is redundant. */
uint16_t rt_stats_record_transfer(const accd_event *event, bool redundant, bool has_unsampled);
/* Reports redundant transfers, and clears the table. */
void rt_report_redundant_transfers(void);

#endif
