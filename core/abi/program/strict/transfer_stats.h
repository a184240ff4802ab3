/* transfer_stats.h - statistics of how often a place of the program moved or allocated a variable, and how often
 * without use. redundant_transfers.c has the table and reports redundant transfers; check/unused.c reports unused data.
 * All functions need the lock. */
#ifndef RT_TRANSFER_STATS_H
#define RT_TRANSFER_STATS_H

#include "abi/program/base/runtime.h"

enum {
    RT_SMALL_TRANSFER = 64, /* bytes that compilers move with every construct: scalars, results of reductions */
    RT_STATS_MAX = 1 << 16
};

/* Statistics of the allocations or transfers of a variable by the constructs of a place. */
struct rt_transfer_stats {
    /* return address of the constructs */
    uintptr_t pc;
    accd_op op;         /* ACCD_OP_ALLOC, ACCD_OP_H2D, ACCD_OP_D2H */
    char variable[160]; /* result of rt_copy_variable_name; "*": any variable */
    char name[160];     /* name of a range */
    bool others;        /* true if other ranges had other names */
    bool has_unsampled; /* true if some were not checked */
    const char *file;   /* NULL: not known */
    int line;
    uint64_t calls, last_call; /* number of constructs; the last one */
    /* number and bytes of all operations */
    uint64_t n, bytes;
    uint64_t redundant, redundant_bytes; /* transfers of bytes that the target had already */
    uint64_t unread;                     /* bytes that were moved and not read */
    uint64_t unused, unused_bytes;       /* allocations without any use */
};
extern struct rt_transfer_stats *rt_stats_table; /* elements from 1 to rt_stats_count */
extern size_t rt_stats_count;

/* Counts an allocation or a transfer of the construct under way. Returns the number of its statistics; 0: it is small,
 * or the table is full. */
uint16_t rt_stats_record(const accd_event *event);

/* Joins statistics of the same line and variable, and sorts them by cost, the largest first. Called at the end. */
void rt_stats_merge(uint64_t (*cost)(const struct rt_transfer_stats *stats));
/* True if is_whole holds for certain for the clause that moves a variable; statistics must be joined. A clause may name
 * another variable in each call, as a parameter does. So each construct of the place must have had this variable, or
 * is_whole must hold for all statistics of the place. */
bool rt_stats_cover_clause(const struct rt_transfer_stats *stats,
                           bool (*is_whole)(const struct rt_transfer_stats *stats));

/* Counts a transfer, and returns the number of its statistics, or 0. redundant: both sides had the bytes;
 * has_unsampled: that was not checked. */
uint16_t rt_stats_record_transfer(const accd_event *event, bool redundant, bool has_unsampled);
/* Reports redundant transfers, and clears the table. */
void rt_report_redundant_transfers(void);

#endif
