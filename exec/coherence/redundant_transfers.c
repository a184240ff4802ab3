/* redundant_transfers.c - the table of transfer statistics, by construct and variable, and the advice about redundant
 * transfers, whose bytes were equal on both sides. */
#include "diag/diagnostics.h"
#include "diag/symbolize.h"
#include "lib/hash.h"
#include "transfer_stats.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct rt_transfer_stats *rt_stats_table;
size_t rt_stats_count;

/* Index in rt_stats_table. Statistics with the same hash of construct, operation and variable have consecutive odd
 * keys. */
struct entry {
    uint64_t key;
    uint16_t number;
};
static struct rt_hash entries = RT_HASH_TABLE(rt_heap_realloc, struct entry);

/* Reserves address space for rt_stats_table, which uses memory only where it is written. Returns false on failure. */
static bool reserve_table(void)
{
    void *at = mmap(NULL, RT_STATS_MAX * sizeof *rt_stats_table, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    rt_stats_table = at == MAP_FAILED ? NULL : at;
    return rt_stats_table;
}

/* Returns the statistics of a construct (return address `pc`), an operation and a variable. If there are
 * none, returns new ones, in which `name`, the name of a range, is stored. Returns NULL if the table is full,
 * or without memory. */
static struct rt_transfer_stats *get_stats(uintptr_t pc, accd_op op, const char *variable, const char *name)
{
    assert(variable && name);
    uint64_t hash = (pc ^ (uint64_t)op << 60) * 0x9E3779B97F4A7C15u;
    struct rt_transfer_stats *stats;
    struct entry *entry;
    if (!rt_stats_table && !reserve_table())
        return NULL;
    for (const char *at = variable; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
    for (hash |= 1; (entry = rt_hash_find(&entries, hash)); hash += 2) {
        stats = &rt_stats_table[entry->number];
        if (stats->pc == pc && stats->op == op && !strcmp(stats->variable, variable))
            return stats;
    }
    entry = rt_stats_count + 1 < RT_STATS_MAX ? rt_hash_add(&entries, hash) : NULL;
    if (!entry)
        return NULL;
    entry->number = (uint16_t)++rt_stats_count;
    stats = &rt_stats_table[entry->number];
    *stats = (struct rt_transfer_stats){.pc = pc, .op = op};
    strncpy(stats->variable, variable, sizeof stats->variable - 1);
    strncpy(stats->name, name, sizeof stats->name - 1);
    rt_find_line(pc, &stats->file, &stats->line, NULL);
    return stats;
}

/* Counts the construct under way (number rt.calls) in stats->calls, once for all operations of that
 * construct. */
static void count_construct(struct rt_transfer_stats *stats)
{
    stats->calls += stats->last_call != rt.calls;
    stats->last_call = rt.calls;
}

/* Counts an event in the statistics of its variable, and its construct in those of any variable ("*").
 * Returns the index of the variable's statistics. 0: not counted (small data, no construct under way, full
 * table or no memory). */
uint16_t rt_stats_record(const accd_event *event)
{
    char variable[sizeof rt_stats_table->variable], address[20];
    const char *name = event->name;
    if (event->bytes <= RT_SMALL_TRANSFER || !rt.site)
        return 0;
    if (rt_parse_lazy_name(name, NULL)) { /* the name is unknown */
        snprintf(address, sizeof address, "%p", (void *)(uintptr_t)event->host);
        name = address;
    }
    rt_copy_variable_name(event->name, variable, sizeof variable);
    struct rt_transfer_stats *line_stats = get_stats(rt.site->call.pc, event->op, "*", ""),
                             *stats = get_stats(rt.site->call.pc, event->op, variable, name);
    if (!line_stats || !stats)
        return 0;
    count_construct(line_stats);
    count_construct(stats);
    stats->n++;
    stats->bytes += event->bytes;
    return (uint16_t)(stats - rt_stats_table);
}

/* ----------------------------------------------------------------------------------- merging -- */

/* Compares the locations of two statistics: by file and line, or by address if the line is not known; then by
 * operation. Returns less than 0, 0 or more than 0. */
static int64_t compare_locations(const struct rt_transfer_stats *a, const struct rt_transfer_stats *b)
{
    const int64_t file = a->file && b->file ? strcmp(a->file, b->file) : !a->file - !b->file,
                  location = a->file ? a->line - b->line : (int64_t)(a->pc - b->pc);
    return file ? file : location ? location : (int64_t)a->op - (int64_t)b->op;
}

/* Orders statistics by location, operation and variable, for qsort. */
static int compare_stats(const void *a, const void *b)
{
    const struct rt_transfer_stats *stats = a, *other = b;
    const int64_t location = compare_locations(stats, other);
    return location ? (location < 0 ? -1 : 1) : strcmp(stats->variable, other->variable);
}

/* function whose result compare_costs sorts by; set by rt_stats_merge */
static uint64_t (*sort_cost)(const struct rt_transfer_stats *stats);

/* Orders statistics by the result of sort_cost, the largest first, for qsort. */
static int compare_costs(const void *a, const void *b)
{
    const uint64_t cost = sort_cost(a), other_cost = sort_cost(b);
    return cost != other_cost ? (cost < other_cost) - (cost > other_cost) : compare_stats(a, b);
}

/* Adds the counters of `stats` to those of `to`, statistics of the same line, operation and variable. */
static void add_stats(struct rt_transfer_stats *to, const struct rt_transfer_stats *stats)
{
    to->has_other_names |= stats->has_other_names || strcmp(to->name, stats->name) != 0;
    to->has_unsampled |= stats->has_unsampled;
    to->calls += stats->calls;
    to->n += stats->n;
    to->bytes += stats->bytes;
    to->redundant += stats->redundant;
    to->redundant_bytes += stats->redundant_bytes;
    to->unread += stats->unread;
    to->unused += stats->unused;
    to->unused_bytes += stats->unused_bytes;
}

/* Joins statistics of the same line, operation and variable, and sorts them by the result of `cost`, the
 * largest first. If a signal ends the program, only empties the table. */
void rt_stats_merge(uint64_t (*cost)(const struct rt_transfer_stats *stats))
{
    assert(cost);
    size_t n = 0;
    /* The data of a killed program might have been used later, so nothing is reported. */
    if (rt.is_killed)
        rt_stats_count = 0;
    if (!rt_stats_count)
        return;
    /* Statistics without a variable name get the name of the range, if all their transfers were redundant and
     * had one name. */
    for (size_t i = 1; i <= rt_stats_count; i++) {
        struct rt_transfer_stats *stats = &rt_stats_table[i];
        if (!*stats->variable && stats->redundant == stats->n && !stats->has_other_names)
            rt_copy_variable_name(stats->name, stats->variable, sizeof stats->variable);
    }
    qsort(rt_stats_table + 1, rt_stats_count, sizeof *rt_stats_table, compare_stats);
    for (size_t i = 1; i <= rt_stats_count; i++)
        if (n && !compare_stats(&rt_stats_table[n], &rt_stats_table[i]))
            add_stats(&rt_stats_table[n], &rt_stats_table[i]);
        else
            rt_stats_table[++n] = rt_stats_table[i];
    rt_stats_count = n;
    sort_cost = cost;
    qsort(rt_stats_table + 1, rt_stats_count, sizeof *rt_stats_table, compare_costs);
}

/* Returns true if `is_whole` holds for `stats`, and either for all statistics of the same line and operation,
 * or each construct of the line has moved this variable. */
bool rt_stats_cover_clause(const struct rt_transfer_stats *stats,
                           bool (*is_whole)(const struct rt_transfer_stats *stats))
{
    assert(is_whole);
    bool all_whole = true, in_each_call = false;
    for (size_t i = 1; i <= rt_stats_count; i++) {
        const struct rt_transfer_stats *other = &rt_stats_table[i];
        if (compare_locations(stats, other) != 0)
            continue;
        if (!strcmp(other->variable, "*"))
            in_each_call = *stats->variable && other->calls == stats->calls;
        else
            all_whole &= is_whole(other);
    }
    return is_whole(stats) && (all_whole || in_each_call);
}

/* ------------------------------------------------------------------------------------ advice -- */

/* Counts a transfer, and whether it was redundant. Returns the index of its statistics in rt_stats_table; 0:
 * not counted. */
uint16_t rt_stats_record_transfer(const accd_event *event, bool redundant, bool has_unsampled)
{
    char name[sizeof rt_stats_table->name];
    const uint16_t number = rt_stats_record(event);
    struct rt_transfer_stats *stats = number ? &rt_stats_table[number] : NULL;
    if (stats)
        stats->has_unsampled |= has_unsampled;
    if (!stats || !redundant)
        return number;
    rt_format_name(rt.site, event->host, event->bytes, name, sizeof name);
    if (!stats->redundant++)
        memcpy(stats->name, name, sizeof name);
    stats->has_other_names |= strcmp(stats->name, name) != 0;
    stats->redundant_bytes += event->bytes;
    return number;
}

/* Returns the bytes of redundant transfers: the cost for rt_stats_merge. */
static uint64_t get_redundant_bytes(const struct rt_transfer_stats *stats)
{
    return stats->redundant_bytes;
}

/* Returns true if all transfers of these statistics were checked and redundant. */
static bool is_always_redundant(const struct rt_transfer_stats *stats)
{
    return stats->redundant == stats->n && !stats->has_unsampled;
}

/* Returns the help text for redundant transfers of a clause. If certainly all transfers of the clause are
 * redundant, returns NULL: then the diagnostic has the general help of its code. */
static const char *get_redundant_help(const struct rt_transfer_stats *stats)
{
    if (!rt_stats_cover_clause(stats, is_always_redundant))
        return "transfer the data only after a change, and only what has changed";
    return NULL;
}

/* Reports all statistics with redundant transfers, those with the most bytes first, and clears the table. */
void rt_report_redundant_transfers(void)
{
    rt_stats_merge(get_redundant_bytes);
    for (size_t i = 1; i <= rt_stats_count && rt_stats_table[i].redundant; i++) {
        const struct rt_transfer_stats *stats = &rt_stats_table[i];
        rt_emit_diagnostic(
            &(struct rt_diagnostic){
                .level = "advice",
                .code = "idle-transfer",
                .pc = stats->pc,
                .object = stats->name,
                .bytes = stats->redundant_bytes,
                .times = stats->redundant,
                .ntransfers = stats->n,
                .help = get_redundant_help(stats),
            },
            "%s%s: %llu of %llu transfers %s the device from here moved bytes that were equal on both sides: %llu "
            "bytes",
            stats->name, stats->has_other_names ? " and others" : "", (unsigned long long)stats->redundant,
            (unsigned long long)stats->n, stats->op == ACCD_OP_H2D ? "to" : "from",
            (unsigned long long)stats->redundant_bytes);
    }
    rt_hash_clear(&entries);
    /* The table is cleared, because acc_shutdown and the end of the program both report. */
    rt_stats_count = 0;
}
