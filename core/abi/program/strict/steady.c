/* steady.c - which constructs of a strict run are looked at. The first runs of a construct are. If it runs on with the
 * same arguments while the same data are present, one run in 2, 4, 8 and so on follows, at last one in 256. Runs are
 * counted, and no clock is read: two equal runs of a program look at the same constructs.
 *
 * What is present is known by host addresses and sizes, not by device addresses: data that a program maps and unmaps
 * in each step are the same ones. A construct that always gets other data is looked at for a share of its runs. */
#include "abi/program/base/arena.h"
#include "abi/program/base/runtime.h"

#include <string.h>

enum {
    FIRST = 16,      /* runs that are looked at, of a construct with the same arguments */
    EACH = 4,        /* so many looks later the interval doubles */
    INTERVAL = 256,  /* at most */
    OTHERS = 64,     /* looks at a construct, whatever its arguments; then one run in */
    SHARE = 64,
    SMALL = 4096,    /* bytes that a directive moves at little cost: they are always looked at */
    TABLE = 1 << 12, /* entries at first */
    MOST = 1 << 20   /* the table begins anew */
};

struct entry {
    uint64_t key; /* 0: free */
    uint32_t runs, looks, skip, interval;
};
static struct entry *entries; /* open addressing */
static size_t room, used;
static uint64_t present; /* sum of what is mapped */

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9u;
    return x ^ x >> 29;
}

static struct entry *place_of(uint64_t key)
{
    size_t i = (size_t)(key >> 20) & (room - 1);
    while (entries[i].key && entries[i].key != key)
        i = (i + 1) & (room - 1);
    return &entries[i];
}

static bool grow(void)
{
    const size_t before = room, more = !room ? TABLE : room < MOST ? 2 * room : room;
    struct entry *old = entries;
    entries = goacc_open_memory(NULL, NULL, 0, more * sizeof *entries);
    if (!entries) {
        entries = old;
        return false;
    }
    memset(entries, 0, more * sizeof *entries);
    room = more;
    used = before == more ? 0 : used;
    for (size_t i = 0; i < before && used; i++)
        if (old[i].key)
            *place_of(old[i].key) = old[i];
    if (old)
        goacc_open_memory(NULL, old, before * sizeof *old, 0);
    return true;
}

/* NULL: no memory. */
static struct entry *entry_of(uint64_t key)
{
    key |= !key;
    struct entry *entry = room ? place_of(key) : NULL;
    if (entry && entry->key)
        return entry;
    if (2 * (used + 2) > room) { /* two are asked for at a time */
        if (!grow())
            return NULL;
        entry = place_of(key);
    }
    used++;
    *entry = (struct entry){.key = key, .interval = 1};
    return entry;
}

void goacc_steady_value(struct goacc_thread *self, uint64_t value)
{
    if (value - goacc.device_low < goacc.device_high - goacc.device_low)
        value = 1; /* device addresses are one like another */
    if (value == 1 || (value >> 32 && !(value >> 47)))
        self->values = mixed(self->values, value);
}

static uint64_t arguments(struct goacc_thread *self, const accd_item *items, size_t nitems)
{
    accd_stats stats;
    uint64_t value;
    accd_get_stats(goacc.context, self->device, &stats);
    uint64_t sum = mixed(present, mixed(stats.objects, stats.attachments));
    for (size_t i = 0; i < nitems; i++) {
        sum = mixed(sum, (uintptr_t)items[i].host);
        sum = mixed(sum, items[i].bytes << 8 | items[i].action);
        if (items[i].bytes != sizeof value || items[i].action != ACCD_COPYIN)
            continue;
        memcpy(&value, items[i].host, sizeof value); /* a kernel may get it as its own variable */
        goacc_steady_value(self, value);
    }
    sum = mixed(sum, self->values);
    self->values = 0;
    return sum;
}

/* Whether the turn of a construct has come. */
static bool is_due(struct entry *same, struct entry *all)
{
    all->runs++;
    if (same->skip) {
        same->skip--;
        return false;
    }
    if (all->looks >= OTHERS + all->runs / SHARE)
        return false;
    all->looks++;
    if (++same->looks >= FIRST) {
        if ((same->looks - FIRST) % EACH == 0 && same->interval < INTERVAL)
            same->interval *= 2;
        same->skip = same->interval - 1;
    }
    return true;
}

enum goacc_look goacc_steady_look(struct goacc_thread *self, accd_kind kind, const accd_item *items, size_t nitems)
{
    if (goacc.options.all)
        return GOACC_LOOKED;
    const uint64_t construct = mixed(goacc.site->call.pc, (uint64_t)kind << 32 | (uint32_t)self->device);
    struct entry *all = entry_of(construct);
    const uint64_t key = all ? all->key : 0;
    struct entry *same = all ? entry_of(mixed(construct, arguments(self, items, nitems))) : NULL;
    if (!same || is_due(same, place_of(key))) /* the table may have moved */
        return GOACC_LOOKED;
    uint64_t bytes = 0;
    for (size_t i = 0; i < nitems && bytes <= SMALL; i++)
        bytes += items[i].bytes;
    return kind != ACCD_COMPUTE && bytes <= SMALL ? GOACC_CALLED : GOACC_PASSED;
}

void goacc_steady_event(const accd_event *event)
{
    const uint64_t data = mixed(event->host, mixed(event->bytes, (uint64_t)event->device));
    if (event->op == ACCD_OP_ALLOC)
        present += data;
    else if (event->op == ACCD_OP_FREE)
        present -= data;
}

void goacc_steady_forget(void)
{
    present = 0;
}
