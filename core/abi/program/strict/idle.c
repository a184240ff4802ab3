/* idle.c - counts of allocations and transfers by place and variable; advice at the end: transfers that moved bytes that
 * were the same on both sides. */
#include "tally.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct goacc_tally *goacc_tallies;
size_t goacc_ntallies;

enum { SLOTS = 2 * GOACC_TALLIES };
static uint16_t *slots; /* by place, operation and variable: numbers; 0: free */

/* Memory that takes none before it is used; NULL: there is none. */
static void *reserve(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* NULL: there are too many. */
static struct goacc_tally *tally_of(uintptr_t pc, accd_op op, const char *variable, const char *name)
{
    uint64_t hash = (pc ^ (uint64_t)op << 60) * 0x9E3779B97F4A7C15u;
    if (!goacc_tallies)
        goacc_tallies = reserve(GOACC_TALLIES * sizeof *goacc_tallies);
    if (!slots)
        slots = reserve(SLOTS * sizeof *slots);
    if (!goacc_tallies || !slots)
        return NULL;
    for (const char *at = variable; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
    for (size_t k = hash ^ hash >> 32;; k++) {
        uint16_t *slot = &slots[k % SLOTS];
        struct goacc_tally *tally = &goacc_tallies[*slot];
        if (*slot && tally->pc == pc && tally->op == op && !strcmp(tally->variable, variable))
            return tally;
        if (*slot)
            continue;
        if (goacc_ntallies + 1 == GOACC_TALLIES)
            return NULL;
        *slot = (uint16_t)++goacc_ntallies;
        tally = &goacc_tallies[*slot];
        *tally = (struct goacc_tally){.pc = pc, .op = op};
        strncpy(tally->variable, variable, sizeof tally->variable - 1);
        strncpy(tally->name, name, sizeof tally->name - 1);
        goacc_line(pc, &tally->file, &tally->line, NULL);
        return tally;
    }
}

static void count_call(struct goacc_tally *tally)
{
    tally->calls += tally->last_call != goacc.calls;
    tally->last_call = goacc.calls;
}

uint16_t goacc_tally_count(const accd_event *event)
{
    char variable[sizeof goacc_tallies->variable];
    if (event->bytes <= GOACC_SMALL || !goacc.site)
        return 0;
    goacc_variable_of(event->name, variable, sizeof variable);
    struct goacc_tally *any = tally_of(goacc.site->call.pc, event->op, "*", ""),
                       *tally = tally_of(goacc.site->call.pc, event->op, variable, event->name);
    if (!any || !tally)
        return 0;
    count_call(any);
    count_call(tally);
    tally->n++;
    tally->bytes += event->bytes;
    return (uint16_t)(tally - goacc_tallies);
}

/* -------------------------------------------------------------------------------------- joining -- */

/* Of one place for the program: a line, or an address that has none. */
static int64_t compare_places(const struct goacc_tally *a, const struct goacc_tally *b)
{
    const int64_t file = a->file && b->file ? strcmp(a->file, b->file) : !a->file - !b->file,
                  place = a->file ? a->line - b->line : (int64_t)(a->pc - b->pc);
    return file ? file : place ? place : (int64_t)a->op - (int64_t)b->op;
}

static int by_place(const void *a, const void *b)
{
    const struct goacc_tally *one = a, *other = b;
    const int64_t place = compare_places(one, other);
    return place ? (place < 0 ? -1 : 1) : strcmp(one->variable, other->variable);
}

static uint64_t (*cost_of)(const struct goacc_tally *tally);

static int by_cost(const void *a, const void *b)
{
    const uint64_t one = cost_of(a), other = cost_of(b);
    return one != other ? (one < other) - (one > other) : by_place(a, b);
}

static void add(struct goacc_tally *to, const struct goacc_tally *tally)
{
    to->others |= tally->others || strcmp(to->name, tally->name) != 0;
    to->passed |= tally->passed;
    to->calls += tally->calls;
    to->n += tally->n;
    to->bytes += tally->bytes;
    to->idle += tally->idle;
    to->idle_bytes += tally->idle_bytes;
    to->unread += tally->unread;
    to->unused += tally->unused;
    to->unused_bytes += tally->unused_bytes;
}

void goacc_tallies_join(uint64_t (*cost)(const struct goacc_tally *tally))
{
    size_t n = 0;
    if (goacc.killed) /* what the program would have done with its data is not known */
        goacc_ntallies = 0;
    if (!goacc_ntallies)
        return;
    for (size_t i = 1; i <= goacc_ntallies; i++) { /* names that were looked up since */
        struct goacc_tally *tally = &goacc_tallies[i];
        if (!*tally->variable && tally->idle == tally->n && !tally->others)
            goacc_variable_of(tally->name, tally->variable, sizeof tally->variable);
    }
    qsort(goacc_tallies + 1, goacc_ntallies, sizeof *goacc_tallies, by_place);
    for (size_t i = 1; i <= goacc_ntallies; i++)
        if (n && !by_place(&goacc_tallies[n], &goacc_tallies[i]))
            add(&goacc_tallies[n], &goacc_tallies[i]);
        else
            goacc_tallies[++n] = goacc_tallies[i];
    goacc_ntallies = n;
    cost_of = cost;
    qsort(goacc_tallies + 1, goacc_ntallies, sizeof *goacc_tallies, by_cost);
}

bool goacc_tally_is_whole(const struct goacc_tally *tally, bool (*is_whole)(const struct goacc_tally *tally))
{
    bool all = true, in_each_call = false;
    for (size_t i = 1; i <= goacc_ntallies; i++) {
        const struct goacc_tally *other = &goacc_tallies[i];
        if (compare_places(tally, other) != 0)
            continue;
        if (!strcmp(other->variable, "*"))
            in_each_call = *tally->variable && other->calls == tally->calls;
        else
            all &= is_whole(other);
    }
    return is_whole(tally) && (all || in_each_call);
}

/* --------------------------------------------------------------------------------------- advice -- */

uint16_t goacc_idle_count(const accd_event *event, bool idle, bool passed)
{
    char name[sizeof goacc_tallies->name];
    const uint16_t number = goacc_tally_count(event);
    struct goacc_tally *tally = number ? &goacc_tallies[number] : NULL;
    if (tally)
        tally->passed |= passed;
    if (!tally || !idle)
        return number;
    goacc_spell(goacc.site, event->host, event->bytes, name, sizeof name);
    if (!tally->idle++)
        memcpy(tally->name, name, sizeof name);
    tally->others |= strcmp(tally->name, name) != 0;
    tally->idle_bytes += event->bytes;
    return number;
}

static uint64_t idle_bytes_of(const struct goacc_tally *tally)
{
    return tally->idle_bytes;
}

static bool is_idle(const struct goacc_tally *tally)
{
    return tally->idle == tally->n && !tally->passed;
}

/* NULL: the code's, for transfers that are all idle. */
static const char *help_of(const struct goacc_tally *tally)
{
    if (!goacc_tally_is_whole(tally, is_idle))
        return "transfer the data only after a change, and only what has changed";
    return NULL;
}

void goacc_idle_end(void)
{
    goacc_tallies_join(idle_bytes_of);
    for (size_t i = 1; i <= goacc_ntallies && goacc_tallies[i].idle; i++) {
        const struct goacc_tally *tally = &goacc_tallies[i];
        goacc_find(
            &(struct goacc_finding){
                .level = "advice",
                .code = "idle-transfer",
                .pc = tally->pc,
                .object = tally->name,
                .bytes = tally->idle_bytes,
                .times = tally->idle,
                .of = tally->n,
                .help = help_of(tally),
            },
            "%s%s: %llu of %llu transfers %s the device from here moved bytes that were equal on both sides: %llu "
            "bytes",
            tally->name, tally->others ? " and others" : "", (unsigned long long)tally->idle,
            (unsigned long long)tally->n, tally->op == ACCD_OP_H2D ? "to" : "from",
            (unsigned long long)tally->idle_bytes);
    }
    if (slots)
        memset(slots, 0, SLOTS * sizeof *slots);
    goacc_ntallies = 0; /* acc_shutdown reports, and the end of the program does */
}
