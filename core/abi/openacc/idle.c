/* idle.c - transfers that moved bytes that had not changed since they were moved last: advice
 * at the end of a strict run. What both sides held then is kept as a hash for each range that
 * moved. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

/* A range that moved, or with no bytes: how often its first address was allocated. */
struct range {
    uint64_t host, bytes;
    uint64_t life; /* of its object when it moved */
    uint64_t hash;
    bool used;
};
static struct range *ranges;
static size_t nranges, room; /* room is 0 or a power of two */

/* Transfers from one place in one direction. */
struct tally {
    uintptr_t pc;
    accd_op op;
    uint64_t all, idle, bytes;
    char name[160]; /* of the first range that moved in vain */
    bool others;    /* ranges of other names did, too */
};
static struct tally *tallies;
static size_t ntallies, tallies_room;

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 32) * 0x9E3779B97F4A7C15u;
    return x ^ x >> 29;
}

static uint64_t hash_of(const char *from, uint64_t bytes)
{
    uint64_t hash = bytes, word;
    for (; bytes >= sizeof word; from += sizeof word, bytes -= sizeof word) {
        memcpy(&word, from, sizeof word);
        hash = mix(hash ^ word) + hash;
    }
    for (word = 0; bytes--;)
        word = word << 8 | (unsigned char)*from++;
    return mix(hash ^ word);
}

/* The place of a range, or the free one where it belongs. */
static struct range *place_of(struct range *table, size_t size, uint64_t host, uint64_t bytes)
{
    size_t k = mix(host ^ mix(bytes));
    while (table[k & (size - 1)].used &&
           (table[k & (size - 1)].host != host || table[k & (size - 1)].bytes != bytes))
        k++;
    return &table[k & (size - 1)];
}

/* NULL: no memory, and some advice is not given. */
static struct range *range_of(uint64_t host, uint64_t bytes)
{
    if (2 * nranges >= room) {
        size_t more = room ? 2 * room : 256;
        struct range *grown = calloc(more, sizeof *grown);
        if (!grown)
            return NULL;
        for (size_t i = 0; i < room; i++)
            if (ranges[i].used)
                *place_of(grown, more, ranges[i].host, ranges[i].bytes) = ranges[i];
        free(ranges);
        ranges = grown;
        room = more;
    }
    struct range *range = place_of(ranges, room, host, bytes);
    if (!range->used) {
        *range = (struct range){.host = host, .bytes = bytes, .used = true};
        nranges++;
    }
    return range;
}

static void count(const accd_event *event, bool idle)
{
    const uintptr_t pc = goacc.site->call.pc;
    const accd_op op = event->op;
    char name[sizeof tallies->name];
    size_t i = 0;
    while (i < ntallies && (tallies[i].pc != pc || tallies[i].op != op))
        i++;
    if (i == ntallies) {
        if (ntallies == tallies_room) {
            size_t more = tallies_room ? 2 * tallies_room : 64;
            struct tally *grown = realloc(tallies, more * sizeof *grown);
            if (!grown)
                return;
            tallies = grown;
            tallies_room = more;
        }
        tallies[ntallies++] = (struct tally){.pc = pc, .op = op};
    }
    struct tally *tally = &tallies[i];
    tally->all++;
    if (!idle)
        return;
    goacc_spell(goacc.site, event->host, event->bytes, name, sizeof name);
    if (!tally->idle++)
        memcpy(tally->name, name, sizeof name);
    tally->others |= strcmp(tally->name, name) != 0;
    tally->bytes += event->bytes;
}

static int by_bytes(const void *a, const void *b)
{
    const struct tally *first = a, *second = b;
    return (first->bytes < second->bytes) - (first->bytes > second->bytes);
}

void goacc_idle_event(const accd_event *event)
{
    accd_present object;
    if (event->op == ACCD_OP_ALLOC) { /* what moved before was another object */
        struct range *first = range_of(event->host, 0);
        if (first)
            first->life++;
        return;
    }
    enum { SMALL = 64 }; /* what compilers move with every construct: scalars, results of reductions */
    if ((event->op != ACCD_OP_H2D && event->op != ACCD_OP_D2H) || event->bytes <= SMALL ||
        !accd_present_at(goacc.context, event->device, event->host, 0, &object))
        return;
    struct range *first = range_of(object.info.host, 0);
    uint64_t life = first ? first->life : 0;
    struct range *range = first ? range_of(event->host, event->bytes) : NULL;
    if (!range)
        return;
    uint64_t hash = hash_of((const char *)(uintptr_t)event->host, event->bytes);
    count(event, range->life == life && range->hash == hash);
    range->life = life;
    range->hash = hash;
}

void goacc_idle_end(void)
{
    if (ntallies)
        qsort(tallies, ntallies, sizeof *tallies, by_bytes);
    for (size_t i = 0; i < ntallies && tallies[i].idle; i++)
        goacc_tell("advice", "idle-transfer", NULL, tallies[i].pc,
                   "%s%s: %llu of %llu transfers %s the device from here moved bytes that were the "
                   "same on both sides since they were moved last: %llu bytes",
                   tallies[i].name, tallies[i].others ? " and others" : "",
                   (unsigned long long)tallies[i].idle, (unsigned long long)tallies[i].all,
                   tallies[i].op == ACCD_OP_H2D ? "to" : "from",
                   (unsigned long long)tallies[i].bytes);
    ntallies = 0; /* acc_shutdown reports, and the end of the program does */
}
