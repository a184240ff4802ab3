/* advice.c - observes transfers and allocations of a plain run for `accdeep exec --advice`.
 *
 *     core ---> hooks (tool/tool.h) ---> on_alloc, on_free, on_send, on_fetch
 *                                                                  |
 *      blocks  device address -> allocation, with its copies       |  compare bytes before they are overwritten
 *      copies  host address   -> data on the device, or their  <---+
 *                                hash when they were unmapped      |
 *      traffic call and host address -> counts, waste        <-----+---> advice_report.c, at the end
 *
 * Life of a copy: a transfer to memory that the same call has allocated begins it (live). While it is live, a transfer
 * of equal bytes in either direction is waste. When its block is freed, its bytes are hashed. If its next life begins
 * with the same bytes, that transfer is waste: the device would still have them, had the data stayed mapped.
 *
 * Cost: constructs take their fast path, and no name is looked up before something is wasted. All other work is paid
 * from a budget that grows with the run's time (spend). What the budget does not allow is only counted in the totals,
 * and bytes that are not compared count as needed, so that each waste that is reported is certain.
 *
 * Transfers of up to SMALL bytes are only counted in the totals: compilers move scalars and results of reductions with
 * every construct. All functions need the lock. */
#include "accdeep_internal.h"
#include "base/runtime.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "lib/hash.h"
#include "lib/new_stack.h"
#include "advice.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

enum {
    SMALL = 64,                /* bytes of a transfer that is not worth advice */
    TRAFFIC_MAX = 1 << 14,     /* pairs of a call and data whose operations are counted */
    COPIES_MAX = 1 << 14,      /* data whose hash is kept */
    BLOCKS_MAX = 1 << 13,      /* allocations that are followed at a time */
    RECENT = 16,               /* latest allocations, among which a transfer finds its block */
    PREFIX = 4096,             /* bytes that are compared before the rest is paid for */
    FIRST_BUDGET = 8 << 20,    /* bytes that may be compared at once */
    NS_PER_BYTE = 10,          /* time in which the budget grows by a byte; comparing a byte takes 0.1 to 0.25 ns */
    OPERATION = 1000,          /* price of following an operation, in bytes */
    CALLS_WITHOUT_BUDGET = 64, /* cheap checks that are left out before the clock is read again */
};

/* Data on the device. live: they are there, at `dev`; otherwise `hash` is that of their last bytes there, if has_hash.
 * block: their allocation; NULL: not known, then they are live only until any block is freed (nfrees). */
struct copy {
    struct copy *sibling; /* next copy of the block */
    struct block *block;
    uint64_t host, bytes, dev, hash, nfrees;
    bool live, has_hash;
};

/* Allocation of device memory. */
struct block {
    struct copy *copies;
    struct rt_traffic *traffic; /* traffic of its call and first data; NULL: not counted */
    uint64_t dev, bytes;
    uintptr_t pc; /* return address of the call that allocated it */
};

static struct rt_link link_speed;
static struct rt_advice_totals totals;

struct copy_entry {
    uint64_t host;
    struct copy *copy;
};
static struct rt_hash copies = RT_HASH_TABLE(rt_heap_realloc, struct copy_entry);
struct block_entry {
    uint64_t dev;
    struct block *block;
};
static struct rt_hash blocks = RT_HASH_TABLE(rt_heap_realloc, struct block_entry);
static struct block *recent[RECENT]; /* ring of the latest allocations; NULL: freed */
static size_t nrecent;               /* number of blocks that were added to the ring */
static uint64_t nfrees, in_use;      /* number of frees; bytes of device memory in use */

static uint64_t budget = FIRST_BUDGET, budget_time; /* bytes that may be compared, and when the budget grew last */
static unsigned skipped;                            /* cheap checks to leave out before the clock is read again */

/* ------------------------------------------------------------------------------------ tables -- */

/* Returns a well-mixed number for a key. */
static inline uint64_t mix(uint64_t key)
{
    key *= 0x9E3779B97F4A7C15u;
    return key ^ key >> 29;
}

/* Returns the return address of the call to which transfers and allocations belong: at the end of a region the call
 * that began it. 0: no call is under way. */
static inline uintptr_t current_place(void)
{
    if (!rt.site)
        return 0;
    const struct rt_thread *thread = &rt_this_thread;
    return rt.site->is_region_end && thread->nregions ? thread->regions[thread->nregions - 1].pc : rt.site->call.pc;
}

/* Returns the traffic of a call and the data at `host`; NULL: too many, or no memory. */
static struct rt_traffic *get_traffic(uintptr_t pc, uint64_t host)
{
    struct traffic_entry {
        uint64_t key;
        struct rt_traffic *traffic;
    };
    static struct rt_hash table = RT_HASH_TABLE(rt_heap_realloc, struct traffic_entry);
    /* two pairs rarely have the same key; then only the first one is counted */
    const uint64_t key = (mix(pc) ^ host) | UINT64_C(1) << 63;
    struct traffic_entry *entry = rt_hash_find(&table, key);
    if (entry)
        return entry->traffic->pc == pc && entry->traffic->host == host ? entry->traffic : NULL;
    struct rt_traffic *traffic = table.n < TRAFFIC_MAX ? calloc(1, sizeof *traffic) : NULL;
    entry = traffic ? rt_hash_add(&table, key) : NULL;
    if (!entry) {
        free(traffic);
        return NULL;
    }
    *traffic = (struct rt_traffic){.pc = pc, .host = host, .next = totals.traffic};
    totals.ntraffic++;
    return entry->traffic = totals.traffic = traffic;
}

/* Returns the block at a device address; NULL: it is not followed. */
static struct block *find_block(uint64_t dev)
{
    const struct block_entry *entry = rt_hash_find(&blocks, dev);
    return entry ? entry->block : NULL;
}

/* Returns the copy of the data at `host`; NULL: there was none. */
static struct copy *find_copy(uint64_t host)
{
    const struct copy_entry *entry = rt_hash_find(&copies, host);
    return entry ? entry->copy : NULL;
}

/* Returns the copy of the data at `host`, maybe a new one; NULL: too many, or no memory. */
static struct copy *get_copy(uint64_t host)
{
    struct copy *copy = find_copy(host);
    if (copy || copies.n == COPIES_MAX || !(copy = calloc(1, sizeof *copy)))
        return copy;
    struct copy_entry *entry = rt_hash_add(&copies, host);
    if (!entry) {
        free(copy);
        return NULL;
    }
    copy->host = host;
    return entry->copy = copy;
}

/* Returns the block around the range at `dev`, if the call that returns to `pc` has allocated it and it is among the
 * latest ones; otherwise NULL. */
static struct block *find_recent_block(uint64_t dev, uint64_t bytes, uintptr_t pc)
{
    for (size_t i = 0; i < RECENT; i++) {
        struct block *at = recent[(nrecent - 1 - i) % RECENT];
        if (at && dev - at->dev < at->bytes && bytes <= at->bytes - (dev - at->dev))
            return at->pc == pc ? at : NULL;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------ budget -- */

/* Counts an operation. */
static inline void count(struct rt_amount *amount, uint64_t bytes)
{
    amount->n++;
    amount->bytes += bytes;
}

/* Adds to the budget what the time since the last call of this function allows. */
static void grow_budget(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    budget += budget_time ? (ns - budget_time) / NS_PER_BYTE : 0;
    budget_time = ns;
}

/* Takes bytes from the budget, and returns true. If the budget is too small now, counts a skipped check and returns
 * false. */
static bool spend(uint64_t bytes)
{
    if (bytes > budget && (!skipped || bytes > OPERATION))
        grow_budget();
    if (bytes <= budget) {
        budget -= bytes;
        return true;
    }
    skipped = skipped ? skipped - 1 : CALLS_WITHOUT_BUDGET;
    totals.nskipped++;
    return false;
}

/* Counts an operation, and returns true if it can be followed: its data are not small, and the budget allows it. */
static inline bool can_follow(struct rt_amount *amount, uint64_t host, uint64_t bytes)
{
    count(amount, bytes);
    return host && bytes > SMALL && spend(OPERATION);
}

/* Returns true if the `bytes` bytes at `host` and on the device are equal; false also without budget. */
static bool are_equal(const void *host, uint64_t dev, uint64_t bytes)
{
    const char *device = (const char *)(uintptr_t)dev;
    const uint64_t first = bytes < PREFIX ? bytes : PREFIX;
    return spend(first) && !memcmp(host, device, first) &&
           (first == bytes ||
            (spend(bytes - first) && !memcmp((const char *)host + first, device + first, bytes - first)));
}

/* Returns the 64-bit hash of a range: four lanes of eight bytes, so that the multiplications overlap. */
static uint64_t hash_bytes(const void *at, uint64_t bytes)
{
    enum { LANES = 4 };
    const uint64_t prime = 0xD6E8FEB86659FD93u;
    const char *from = at;
    uint64_t lanes[LANES] = {1, 2, 3, 4}, hash = bytes, word;
    for (; bytes >= sizeof lanes; bytes -= sizeof lanes, from += sizeof lanes)
        for (int i = 0; i < LANES; i++) {
            memcpy(&word, from + (size_t)i * sizeof word, sizeof word);
            lanes[i] = (lanes[i] ^ word) * prime;
            lanes[i] ^= lanes[i] >> 32;
        }
    for (int i = 0; bytes; i++) {
        const uint64_t n = bytes < sizeof word ? bytes : sizeof word;
        word = 0;
        memcpy(&word, from, n);
        lanes[i] = (lanes[i] ^ word) * prime;
        lanes[i] ^= lanes[i] >> 32;
        bytes -= n;
        from += n;
    }
    for (int i = 0; i < LANES; i++)
        hash = mix(hash ^ lanes[i]);
    return hash;
}

/* ------------------------------------------------------------------------------------- waste -- */

/* Stores the name of the `bytes` bytes of data in the traffic, as the current call sees it; 0: of the variable. If a
 * part of an object has no name, stores that of the object's variable. Returns true, as RT_ON_NEW_STACK needs a result.
 */
static bool store_name(struct rt_traffic *at, uint64_t bytes)
{
    char name[RT_NAME_SIZE], variable[RT_NAME_SIZE];
    bool has_name = rt_format_name(rt.site, at->host, bytes, name, sizeof name);
    const bool is_whole = bytes && has_name;
    uint64_t start = 0, size;
    const void *host = (const void *)(uintptr_t)at->host;
    if (!has_name && accd_present_bounds(rt.context, rt_this_thread.device, host, &start, &size))
        has_name = rt_format_name(rt.site, start, size, name, sizeof name);
    rt_copy_variable_name(name, variable, sizeof variable);
    if (!has_name)
        rt_format_name(NULL, at->host, bytes, name, sizeof name);
    free(at->name);
    at->name = strdup(!has_name || is_whole || !*variable ? name : variable);
    at->has_section = bytes;
    return true;
}

/* Counts an operation that could be left out. */
static void count_waste(struct rt_traffic *at, enum rt_waste kind, uint64_t bytes)
{
    /* several data may share an allocation, so that its size is not that of the first of them */
    const bool has_section = kind != RT_WASTE_ALLOC;
    if (!at->name || has_section > at->has_section)
        RT_ON_NEW_STACK(store_name, at, has_section ? bytes : 0);
    count(&at->wasted[kind], bytes);
}

/* ------------------------------------------------------------------------------------ events -- */

/* Returns true if the data at `dev` have been equal on both sides since their memory was allocated. */
static bool is_live(const struct copy *copy, uint64_t dev, uint64_t bytes)
{
    return copy && copy->live && copy->dev == dev && copy->bytes == bytes && (copy->block || copy->nfrees == nfrees);
}

/* Notes that the data at `host` are equal on both sides; block: their allocation, or NULL. */
static void begin_copy(uint64_t host, uint64_t dev, uint64_t bytes, struct block *block)
{
    struct copy *copy = get_copy(host);
    if (!copy || (copy->live && copy->block)) /* parts and copies on other devices are not followed */
        return;
    copy->live = true;
    copy->dev = dev;
    copy->bytes = bytes;
    copy->block = block;
    copy->nfrees = nfrees;
    copy->has_hash = false;
    if (!block)
        return;
    copy->sibling = block->copies;
    block->copies = copy;
}

/* Counts an allocation, and whether it repeats an earlier one of the same data from the same call. */
static void on_alloc(uint64_t dev, uint64_t host, uint64_t bytes)
{
    in_use += bytes;
    if (in_use > totals.peak) {
        totals.peak = in_use;
        totals.peak_pc = current_place();
    }
    struct block *block =
        can_follow(&totals.allocated, host, bytes) && blocks.n < BLOCKS_MAX ? malloc(sizeof *block) : NULL;
    struct block_entry *entry = block ? rt_hash_add(&blocks, dev) : NULL;
    if (!entry) {
        free(block);
        return;
    }
    const uintptr_t pc = current_place();
    *block = (struct block){.dev = dev, .bytes = bytes, .pc = pc};
    entry->block = block;
    recent[nrecent++ % RECENT] = block;
    block->traffic = get_traffic(pc, host);
    if (!block->traffic)
        return;
    count(&block->traffic->allocated, bytes);
    if (block->traffic->freed) {
        block->traffic->freed--;
        count_waste(block->traffic, RT_WASTE_ALLOC, bytes);
    }
}

/* Hashes the data of the block that is freed, and forgets the block. */
static void on_free(uint64_t dev, uint64_t bytes)
{
    struct block *block = find_block(dev);
    nfrees++;
    in_use -= bytes;
    if (!block)
        return;
    for (struct copy *copy = block->copies; copy; copy = copy->sibling) {
        copy->live = false;
        copy->block = NULL;
        copy->has_hash = spend(copy->bytes);
        if (copy->has_hash)
            copy->hash = hash_bytes((const void *)(uintptr_t)copy->dev, copy->bytes);
    }
    if (block->traffic)
        block->traffic->freed++;
    for (size_t i = 0; i < RECENT; i++)
        if (recent[i] == block)
            recent[i] = NULL;
    rt_hash_remove(&blocks, dev);
    free(block);
}

/* Counts a transfer to the device, and whether the device has the bytes already, or had them when the data were
 * unmapped. */
static void on_send(uint64_t dev, const void *host, uint64_t bytes)
{
    if (!can_follow(&totals.sent, (uintptr_t)host, bytes))
        return;
    const uintptr_t pc = current_place();
    struct rt_traffic *at = get_traffic(pc, (uintptr_t)host);
    if (!at)
        return;
    count(&at->sent, bytes);
    const struct copy *copy = find_copy(at->host);
    struct block *block = is_live(copy, dev, bytes) ? NULL : find_recent_block(dev, bytes, pc);
    if (!block) {
        if (are_equal(host, dev, bytes))
            count_waste(at, RT_WASTE_SEND, bytes);
        if (!is_live(copy, dev, bytes))
            begin_copy(at->host, dev, bytes, find_block(dev));
        return;
    }
    if (copy && !copy->live && copy->bytes == bytes && copy->has_hash && spend(bytes) &&
        hash_bytes(host, bytes) == copy->hash)
        count_waste(at, RT_WASTE_RESEND, bytes);
    begin_copy(at->host, dev, bytes, block);
}

/* Counts a transfer to the host, and whether the host has the bytes already. Data that were never equal on both sides
 * are results of a kernel: then equal bytes are a coincidence. */
static void on_fetch(uint64_t dev, const void *host, uint64_t bytes)
{
    struct rt_traffic *at =
        can_follow(&totals.fetched, (uintptr_t)host, bytes) ? get_traffic(current_place(), (uintptr_t)host) : NULL;
    if (!at)
        return;
    count(&at->fetched, bytes);
    if (!is_live(find_copy(at->host), dev, bytes))
        begin_copy(at->host, dev, bytes, find_block(dev));
    else if (are_equal(host, dev, bytes))
        count_waste(at, RT_WASTE_FETCH, bytes);
}

/* -------------------------------------------------------------------------------------- tool -- */

/* Reads the link from the environment. */
bool rt_read_advice_link(void)
{
    const char *text = getenv("ACCDEEP_ADVICE");
    char *end;
    if (!text || !*text)
        return false;
    link_speed.bytes_per_second = strtoull(text, &end, 10);
    link_speed.latency = *end == ',' ? strtoull(end + 1, &end, 10) : 0;
    if (*end || !link_speed.bytes_per_second || strspn(text, "0123456789,") != strlen(text))
        rt_fatal("file", "ACCDEEP_ADVICE=%s is not BYTES_PER_SECOND,NANOSECONDS", text);
    grow_budget();
    return true;
}

/* Forgets what lies in device memory, because the context is freed. */
static void forget_device_memory(void)
{
    for (const struct block_entry *entry; (entry = rt_hash_next(&blocks, NULL));)
        on_free(entry->dev, entry->block->bytes);
    in_use = 0;
}

/* Reports at the end of the program, unless a signal ends it: its data might have been used later. */
static void report(void)
{
    if (!rt.is_killed)
        rt_report_advice(&link_speed, &totals);
}

const struct rt_tool rt_advice_tool = {
    .name = "advice",
    .close = forget_device_memory,
    .finish = report,
    .allocate_memory = on_alloc,
    .free_memory = on_free,
    .begin_send = on_send,
    .begin_fetch = on_fetch,
};
