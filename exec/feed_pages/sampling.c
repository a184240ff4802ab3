/* sampling.c - decides which constructs of a strict run are checked. The first 16 runs of a construct are checked.
 * While the construct runs with the same arguments and present data, every 2nd, 4th, 8th, ... and finally every 256th
 * run is checked. Runs are counted without a clock, so that two equal runs of a program check the same constructs.
 *
 * Present data are identified by host addresses and sizes, not by device addresses, so that data mapped again in each
 * step count as the same. A construct whose data always differ is checked in 1 of 64 runs. */
#include "base/runtime.h"
#include "lib/arena.h"
#include "lib/hash.h"
#include "sampling.h"

#include <assert.h>
#include <string.h>

enum {
    FIRST = 16,     /* number of checked runs of a construct with the same arguments before runs are skipped */
    EACH = 4,       /* number of checked runs after which the interval doubles again */
    INTERVAL = 256, /* largest interval, in runs */
    /* number of checked runs of a construct with any arguments before at most 1 run in SHARE is checked */
    OTHERS = 64,
    SHARE = 64,
    SMALL = 4096,  /* a directive that moves at most this many bytes is always checked, because that costs little */
    MOST = 1 << 19 /* most entries: a full table is cleared */
};

/* Counters of a construct, or of a construct with certain arguments. */
struct entry {
    uint64_t key; /* hash of the construct, or of construct and arguments; not 0 */
    /* numbers of runs and of checked runs; runs still to skip; one run in `interval` is checked */
    uint32_t runs, samples, skip, interval;
};
static struct rt_hash entries = RT_HASH_TABLE(rt_arena_realloc, struct entry);
/* Sum of the hashes of all present data: a sum, so that the order of their allocation does not matter. */
static uint64_t present_hash;

/* Returns a hash of the hash `a` and the value `b`. */
static uint64_t mix_hash(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9u;
    return x ^ x >> 29;
}

/* Returns the entry of a key, a new entry if there is none; NULL without memory. */
static struct entry *get_entry(uint64_t key)
{
    struct entry *entry = rt_hash_add(&entries, key);
    if (entry && !entry->interval)
        entry->interval = 1;
    return entry;
}

/* Adds a value that the kernel gets to the thread's argument hash, if the value looks like an address. */
void rt_sampling_add_value(struct rt_thread *self, uint64_t value)
{
    if (value - rt.device_low < rt.device_high - rt.device_low)
        value = 1; /* device addresses all count as equal, because data mapped again may have another device address */
    if (value == 1 || (value >> 32 && !(value >> 47)))
        self->argument_hash = mix_hash(self->argument_hash, value);
}

/* Returns a hash of the items, of the values passed (argument_hash) and of all present data. Resets
 * argument_hash. */
static uint64_t hash_arguments(struct rt_thread *self, const accd_item *items, size_t nitems)
{
    accd_stats stats;
    uint64_t value;
    accd_get_stats(rt.context, self->device, &stats);
    uint64_t sum = mix_hash(present_hash, mix_hash(stats.objects, stats.attachments));
    for (size_t i = 0; i < nitems; i++) {
        sum = mix_hash(sum, (uintptr_t)items[i].host);
        sum = mix_hash(sum, items[i].bytes << 8 | items[i].action);
        if (items[i].bytes != sizeof value || items[i].action != ACCD_ACTION_COPYIN)
            continue;
        /* gcc may pass a copyin variable of this size by value: it may be a pointer argument of the kernel */
        memcpy(&value, items[i].host, sizeof value);
        rt_sampling_add_value(self, value);
    }
    sum = mix_hash(sum, self->argument_hash);
    self->argument_hash = 0;
    return sum;
}

/* Counts a run of a construct, and returns true if the run is to be checked. same: counters of the
 * construct's runs with the same arguments; total: counters of all its runs. */
static bool is_sampled(struct entry *same, struct entry *total)
{
    assert(same->interval && same->interval <= INTERVAL);
    total->runs++;
    if (same->skip) {
        same->skip--;
        return false;
    }
    if (total->samples >= OTHERS + total->runs / SHARE)
        return false;
    total->samples++;
    if (++same->samples >= FIRST) {
        if ((same->samples - FIRST) % EACH == 0 && same->interval < INTERVAL)
            same->interval *= 2;
        same->skip = same->interval - 1;
    }
    return true;
}

/* Counts a run of the construct under way, and returns RT_SAMPLED (checked), RT_SKIPPED, or RT_ALWAYS_CHECKED
 * for a directive without a kernel that moves at most SMALL bytes. Without memory, each run is checked. */
enum rt_sampling rt_sample_construct(struct rt_thread *self, accd_construct_kind kind, const accd_item *items,
                                     size_t nitems)
{
    if (rt.options.check_all)
        return RT_SAMPLED;
    const uint64_t construct = mix_hash(rt.site->call.pc, (uint64_t)kind << 32 | (uint32_t)self->device) | 1;
    if (entries.n + 2 > MOST)
        rt_hash_clear(&entries);
    struct entry *same =
        get_entry(construct) ? get_entry(mix_hash(construct, hash_arguments(self, items, nitems)) | 1) : NULL;
    if (!same || is_sampled(same, rt_hash_find(&entries, construct)))
        return RT_SAMPLED;
    uint64_t bytes = 0;
    for (size_t i = 0; i < nitems && bytes <= SMALL; i++)
        bytes += items[i].bytes;
    return kind != ACCD_KIND_COMPUTE && bytes <= SMALL ? RT_ALWAYS_CHECKED : RT_SKIPPED;
}

/* Adds allocated data to the hash of present data, or removes freed data from it. Ignores other events. */
void rt_sampling_event(const accd_event *event)
{
    const uint64_t data = mix_hash(event->host, mix_hash(event->bytes, (uint64_t)event->device));
    if (event->op == ACCD_OP_ALLOC)
        present_hash += data;
    else if (event->op == ACCD_OP_FREE)
        present_hash -= data;
}

/* Forgets the present data, as the context ends. Constructs of a later context with the same data then have
 * the same hash. */
void rt_sampling_reset(void)
{
    present_hash = 0;
}
