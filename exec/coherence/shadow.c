/* shadow.c - shadow memory: allocation, states of ranges, digests, mappings. shadow.h has a picture and the states.
 * The device's shadow is one block of address space. The host's shadow is a table of shadow pages, each for 2 MB.
 * Neither uses memory before it is written. Terms: a granule is the bytes of a range in one word (8 bytes), a run is
 * several whole words, a tile is 512 bytes of device memory. */
#include "diag/errors.h"
#include "image/declared.h"
#include "lib/vector.h"
#include "shadow.h"

#include <assert.h>
#include <sys/mman.h>

static size_t *covered_pages; /* indices in rt_shadow.shadow_pages of the pages that exist */
static size_t ncovered_pages, covered_capacity;

/* Ring of the mappings (present objects, with both addresses) that were found last; an entry of 0 bytes is empty. */
enum { MAPPING_CACHE = 4 };
static struct rt_mapping mapping_cache[MAPPING_CACHE];
static unsigned next_cached;

/* Mappings marked by rt_mark_divergent: one bit for each byte of device memory, set for the first byte of a marked
 * object. NULL: no mapping was marked yet. */
static unsigned char *divergent;

/* Size in bytes of the shadow (states and origins) of `bytes` bytes of memory. */
#define SHADOW(bytes) ((bytes) / 8 * 2 * sizeof(uint32_t))

/* Returns true if the program contains the library for checking, whose symbols are weak here. */
bool rt_is_instrumented(void)
{
    return &rt_shadow && rt_get_check_thread;
}

/* Maps `bytes` bytes at `at`, with more flags of mmap; returns MAP_FAILED on failure. */
static void *map_reserved(void *at, uint64_t bytes, int flags)
{
    return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

/* Returns new address space of `bytes` bytes, by mmap; NULL on failure. */
void *rt_reserve_memory(uint64_t bytes)
{
    void *at = map_reserved(NULL, bytes, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Sets memory of rt_reserve_memory to 0, and returns its pages to the system. Memory that the program has locked
 * (mlockall) is mapped again. Failure ends the program. */
void rt_empty_memory(void *at, uint64_t bytes)
{
    if (madvise(at, bytes, MADV_DONTNEED) && map_reserved(at, bytes, MAP_FIXED) == MAP_FAILED)
        rt_fatal("out-of-memory", "no memory for the checks");
}

/* Reserves the tiles for `bytes` bytes of device memory. If the stack lies above device memory and there is address
 * space, the tiles reach to the stack's end. On failure rt_shadow.tiles is NULL. */
static void allocate_tiles(uint64_t bytes)
{
    const uint64_t stack = rt_get_stack_end(&rt_this_thread);
    rt_shadow.reach = stack > rt.device_high ? stack - rt.device_low : bytes;
    rt_shadow.tiles = rt_reserve_memory(rt_shadow.reach / RT_TILE_BYTES + 1);
    if (rt_shadow.tiles)
        return;
    rt_shadow.reach = bytes;
    rt_shadow.tiles = rt_reserve_memory(bytes / RT_TILE_BYTES + 1);
}

/* Allocates the shadow of device memory and the table of the host's shadow pages, and fills rt_shadow. */
void rt_shadow_init(void (*on_access)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                    void (*on_mpi_transfer)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                    void (*on_free)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame),
                    void (*on_async_buffer)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame))
{
    assert(on_access && on_mpi_transfer && on_free && on_async_buffer);
    static uint32_t **shadow_pages;
    const uint64_t bytes = rt.device_high - rt.device_low;
    if (!shadow_pages)
        shadow_pages = rt_reserve_memory((uint64_t)RT_SHADOW_PAGES * sizeof *shadow_pages);
    rt_shadow.states = rt_reserve_memory(SHADOW(bytes));
    allocate_tiles(bytes);
    if (!shadow_pages || !rt_shadow.states || !rt_shadow.tiles)
        rt_fatal("out-of-memory", "no memory for the checks");
    rt_shadow.origins = rt_shadow.states + bytes / 8;
    rt_shadow.low = rt.device_low;
    rt_shadow.bytes = bytes;
    rt_shadow.on_access = on_access;
    rt_shadow.on_mpi_transfer = on_mpi_transfer;
    rt_shadow.on_free = on_free;
    rt_shadow.on_async_buffer = on_async_buffer;
    rt_shadow.shadow_pages = shadow_pages;
}

/* Frees the device's shadow, and empties the host's shadow pages, which stay reserved for the next context. */
void rt_shadow_free(void)
{
    const uint64_t bytes = rt_shadow.bytes;
    rt_invalidate_mapping_cache();
    if (divergent)
        munmap(divergent, bytes / 8);
    divergent = NULL;
    for (size_t i = 0; i < ncovered_pages; i++)
        rt_empty_memory(rt_shadow.shadow_pages[covered_pages[i]], SHADOW(RT_SHADOW_PAGE_BYTES));
    rt_shadow.shadow_pages = NULL;
    rt_shadow.bytes = 0;
    munmap(rt_shadow.states, SHADOW(bytes));
    munmap(rt_shadow.tiles, rt_shadow.reach / RT_TILE_BYTES + 1);
}

/* Adds the missing shadow pages of the n bytes at `host`; n must not be 0. Returns false without memory. */
bool rt_add_shadow(uint64_t host, uint64_t n)
{
    for (uint64_t i = host / RT_SHADOW_PAGE_BYTES; i <= (host + n - 1) / RT_SHADOW_PAGE_BYTES && i < RT_SHADOW_PAGES;
         i++) {
        if (rt_shadow.shadow_pages[i])
            continue;
        if (!RT_RESERVE(rt_heap_realloc, covered_pages, ncovered_pages, covered_capacity))
            return false;
        rt_shadow.shadow_pages[i] = rt_reserve_memory(SHADOW(RT_SHADOW_PAGE_BYTES));
        if (!rt_shadow.shadow_pages[i])
            return false;
        covered_pages[ncovered_pages++] = i;
    }
    return true;
}

/* Asks the kernel for huge pages for the states of the object of `bytes` bytes at `dev`: for each aligned 2 MB that
 * holds only its states. */
void rt_use_huge_shadow_pages(uint64_t dev, uint64_t bytes)
{
    enum { HUGE = 2 << 20 };
    const uintptr_t first = (uintptr_t)&rt_shadow.states[(dev - rt_shadow.low) / 8],
                    end = (first + bytes / 8 * sizeof(uint32_t)) & ~(uintptr_t)(HUGE - 1),
                    start = (first + HUGE - 1) & ~(uintptr_t)(HUGE - 1);
    if (start < end)
        madvise((void *)start, end - start, MADV_HUGEPAGE);
}

/* Stores the addresses of the states and of the origin of the word that contains `at`; NULL in both if the word has no
 * shadow. */
static void find_shadow(uint64_t at, uint32_t **states_p, uint32_t **origin_p)
{
    if (rt_is_in_device_space(at)) {
        const size_t i = (at - rt_shadow.low) / 8;
        *states_p = &rt_shadow.states[i];
        *origin_p = &rt_shadow.origins[i];
    } else {
        uint32_t *shadow_page = rt_shadow.shadow_pages[at / RT_SHADOW_PAGE_BYTES % RT_SHADOW_PAGES];
        *states_p = shadow_page ? &shadow_page[at % RT_SHADOW_PAGE_BYTES / 8] : NULL;
        *origin_p = shadow_page ? &shadow_page[at % RT_SHADOW_PAGE_BYTES / 8 + RT_SHADOW_ORIGINS] : NULL;
    }
}

/* Returns the granule at the beginning of the n bytes at `at`: the bytes in the first word, with the word's shadow. */
struct rt_granule rt_get_granule(uint64_t at, uint64_t n)
{
    const unsigned offset = at % 8;
    struct rt_granule granule = {.at = at, .n = n < 8 - offset ? n : 8 - offset};
    granule.bytes = (granule.n == 8 ? UINT32_MAX : (1u << 4 * granule.n) - 1) << 4 * offset;
    find_shadow(at, &granule.states, &granule.origin);
    return granule;
}

/* Returns the whole words at the beginning of a range, as far as their shadow is contiguous. */
struct rt_word_run rt_get_word_run(uint64_t at, uint64_t n)
{
    struct rt_word_run run = {.n = at % 8 ? 0 : n / 8};
    const uint64_t high = rt_shadow.low + rt_shadow.bytes;
    const uint64_t rest =
        (rt_is_in_device_space(at) ? high - at : RT_SHADOW_PAGE_BYTES - at % RT_SHADOW_PAGE_BYTES) / 8;
    find_shadow(at, &run.states, &run.origins);
    if (!run.states)
        run.n = 0;
    run.n = run.n < rest ? run.n : rest;
    return run;
}

/* Returns how many words at the beginning of a run have all of `states` and none of `none` in each byte. Tests blocks
 * of 16 words first, which is faster. */
size_t rt_count_words_with_state(const struct rt_word_run *run, uint32_t states, uint32_t none)
{
    assert(run->states || !run->n);
    typedef uint32_t vector __attribute__((vector_size(16), aligned(4)));
    enum { WIDTH = sizeof(vector) / sizeof(uint32_t), BLOCK = 8 * WIDTH };
    const uint32_t mask = RT_ALL_BYTES(states | none), expected = RT_ALL_BYTES(states);
    size_t i = 0;
    for (; i + BLOCK <= run->n; i += BLOCK) {
        const vector *at = (const vector *)(run->states + i);
        const vector all = at[0] & at[1] & at[2] & at[3] & at[4] & at[5] & at[6] & at[7],
                     any = at[0] | at[1] | at[2] | at[3] | at[4] | at[5] | at[6] | at[7],
                     differs = ((all & mask) ^ expected) | ((any & mask) ^ expected);
        if (differs[0] | differs[1] | differs[2] | differs[3])
            break;
    }
    while (i < run->n && (run->states[i] & mask) == expected)
        i++;
    return i;
}

/* Clears the states `clear` and sets the states `set` of the n bytes at `at`, whole words at once where possible.
 * Clears their tiles, too, unless DIRTY is the only state that is cleared. */
void rt_set_states(uint64_t at, uint64_t n, uint32_t clear, uint32_t set)
{
    for (uint64_t k = 0; k < n;) {
        const struct rt_word_run run = rt_get_word_run(at + k, n - k);
        for (size_t i = 0; i < run.n; i++)
            run.states[i] = (run.states[i] & ~RT_ALL_BYTES(clear)) | RT_ALL_BYTES(set);
        const struct rt_granule granule = rt_get_granule(at + k, n - k);
        if (!run.n)
            rt_change_states(&granule, clear, set);
        else if (clear & ~(uint32_t)RT_DIRTY)
            rt_invalidate_tiles(at + k, 8 * run.n);
        k += run.n ? 8 * run.n : granule.n;
    }
}

/* Returns true if each of n bytes has all of `states` and none of `none`. */
bool rt_has_range_states(uint64_t at, uint64_t n, uint32_t states, uint32_t none)
{
    for (uint64_t k = 0; k < n;) {
        const struct rt_word_run run = rt_get_word_run(at + k, n - k);
        const struct rt_granule granule = rt_get_granule(at + k, n - k);
        if (run.n ? rt_count_words_with_state(&run, states, none) < run.n
                  : !rt_have_all_bytes(&granule, states) || rt_get_bytes_with_state(&granule, none))
            return false;
        k += run.n ? 8 * run.n : granule.n;
    }
    return true;
}

/* ----------------------------------------------------------------------------------- digests -- */

atomic_bool rt_declared_swapped;

/* Returns the address where the bytes of `at` are now. While a kernel runs with the bytes of declared variables
 * swapped, that is the other side for such a variable, otherwise `at`. */
const void *rt_get_content_address(uint64_t at)
{
    struct rt_mapping mapping;
    if (!rt_declared_swapped)
        return (const void *)(uintptr_t)at;
    const bool is_mapped = rt_is_in_device_space(at) ? rt_find_device_mapping(at, &mapping)
                                                     : rt_find_mapping(rt_this_thread.device, at, &mapping);
    return (const void *)(uintptr_t)(is_mapped && rt_is_declared((const void *)mapping.host)
                                         ? rt_other_side(&mapping, at)
                                         : at);
}

/* Returns true if a byte of the granule's word is valid: then the origin of the word is a return address, not a digest.
 * The word must have a shadow. */
static bool has_valid_byte(const struct rt_granule *granule)
{
    return *granule->states & RT_ALL_BYTES(RT_VALID);
}

/* Returns a digest of the present bytes of the granule's word, which must have a shadow. Reads no word without present
 * bytes, whose memory may be unmapped. */
static uint32_t compute_digest(const struct rt_granule *granule)
{
    assert(granule->states);
    uint64_t value = 0;
    if (*granule->states & RT_ALL_BYTES(RT_PRESENT))
        memcpy(&value, (const char *)rt_get_content_address(granule->at) - granule->at % 8, sizeof value);
    return rt_digest_present_bytes(*granule->states, value);
}

/* Stores the digest of a word's present bytes as its origin, if no byte of the word is valid. */
void rt_store_digest(const struct rt_granule *granule)
{
    if (granule->states && !has_valid_byte(granule))
        __atomic_store_n(granule->origin, compute_digest(granule), __ATOMIC_RELAXED);
}

/* Returns true if a word's present bytes match its digest, or if the word has no digest. */
bool rt_matches_digest(const struct rt_granule *granule)
{
    return !granule->states || has_valid_byte(granule) || *granule->origin == compute_digest(granule);
}

/* Clears all states of n bytes. Words whose digest matched before get a digest of their other bytes. */
void rt_remove_shadow(uint64_t at, uint64_t n)
{
    RT_FOR_EACH_GRANULE(granule, at, n)
    {
        const bool same = rt_matches_digest(&granule);
        rt_change_states(&granule, 0xf, 0);
        if (same)
            rt_store_digest(&granule);
    }
}

/* ---------------------------------------------------------------------------------- mappings -- */

/* Forgets the cached mappings, also those of the threads, by a new version number. */
void rt_invalidate_mapping_cache(void)
{
    memset(mapping_cache, 0, sizeof mapping_cache);
    __atomic_fetch_add(&rt_shadow.version, 1, __ATOMIC_RELAXED);
}

/* Adds the part of the mapping from the word of `at` on to the thread's lookup cache. Outside of kernels, the fast path
 * gets the shadow of this part, too. Does nothing with several devices, with declared variables, or if the thread's
 * accesses are recorded. Also does nothing if a byte's offset in its word differs between the sides. */
void rt_cache_mapping(const struct rt_mapping *mapping, uint64_t at)
{
    struct rt_check_thread *thread = rt_get_check_thread();
    const uint64_t start = rt_is_in_device_space(at) ? mapping->dev : mapping->host,
                   offset = rt_other_side(mapping, start) - start;
    const uint64_t word = at / 8 * 8;
    assert(at - start < mapping->bytes);
    if (rt.options.devices != 1 || rt.has_declared || offset % 8 || word < start || thread->records)
        return;
    const struct rt_word_run run = rt_get_word_run(word, start + mapping->bytes - word);
    const struct rt_word_run other = rt_get_word_run(word + offset, 8 * run.n);
    if (!other.n)
        return;
    if (thread->version != rt_shadow.version)
        memset(thread->lookup_cache, 0, sizeof thread->lookup_cache);
    thread->version = rt_shadow.version;
    memmove(thread->lookup_cache + 1, thread->lookup_cache, (RT_LOOKUP_CACHE - 1) * sizeof thread->lookup_cache[0]);
    thread->lookup_cache[0] =
        (struct rt_lookup_entry){word, 8 * other.n, offset, run.states, run.origins, other.states, other.origins};
    if (thread->in_kernel)
        return;
    thread->low = word;
    thread->states = run.states;
    thread->origins = run.origins;
    for (unsigned shift = 0; shift < 4; shift++)
        /* The run's last word is left out, because accesses of 16 bytes use the next word, too. */
        thread->units[shift] = (8 * other.n - 8) >> shift;
}

/* Stores a mapping in the ring of cached mappings, in place of the oldest one. */
static void add_to_mapping_cache(const struct rt_mapping *mapping)
{
    mapping_cache[next_cached++ % MAPPING_CACHE] = *mapping;
}

/* Stores in *mapping the mapping of a host address on `device`, from the ring or the present table. Returns false if
 * there is none. */
bool rt_find_mapping(int device, uint64_t host, struct rt_mapping *mapping)
{
    for (size_t i = 0; i < MAPPING_CACHE; i++)
        if (host - mapping_cache[i].host < mapping_cache[i].bytes && mapping_cache[i].device == device) {
            *mapping = mapping_cache[i];
            return true;
        }
    uint64_t start, bytes;
    if (!accd_present_bounds(rt.context, device, (const void *)(uintptr_t)host, &start, &bytes))
        return false;
    const uint64_t dev = accd_device_address(rt.context, device, (const void *)(uintptr_t)start);
    *mapping = (struct rt_mapping){start, dev, bytes, device};
    add_to_mapping_cache(mapping);
    return true;
}

/* Stores in *mapping the mapping of a device address, from the ring or the present table. Returns false if there is
 * none. */
bool rt_find_device_mapping(uint64_t dev, struct rt_mapping *mapping)
{
    for (size_t i = 0; i < MAPPING_CACHE; i++)
        if (dev - mapping_cache[i].dev < mapping_cache[i].bytes) {
            *mapping = mapping_cache[i];
            return true;
        }
    const int device = accd_device_at(rt.context, dev);
    const uint64_t host = device < 0 ? 0 : accd_host_address(rt.context, device, dev);
    return host && rt_find_mapping(device, host, mapping) && dev - mapping->dev < mapping->bytes;
}

/* Marks a mapping as divergent (both sides count as valid, though they differ), by the bit of its first device byte.
 * Ends the program without memory. */
void rt_mark_divergent(const struct rt_mapping *mapping)
{
    assert(rt_is_in_device_space(mapping->dev));
    const uint64_t at = mapping->dev - rt_shadow.low;
    if (!divergent && !(divergent = rt_reserve_memory(rt_shadow.bytes / 8)))
        rt_fatal("out-of-memory", "no memory for the checks");
    divergent[at / 8] |= (unsigned char)(1u << at % 8);
}

/* Returns true if the mapping is marked as divergent. */
bool rt_is_divergent(const struct rt_mapping *mapping)
{
    const uint64_t at = mapping->dev - rt_shadow.low;
    return divergent && divergent[at / 8] >> at % 8 & 1;
}

/* Removes the mark of a mapping, if it has one. */
void rt_unmark_divergent(const struct rt_mapping *mapping)
{
    assert(!divergent || rt_is_in_device_space(mapping->dev));
    const uint64_t at = mapping->dev - rt_shadow.low;
    if (divergent)
        divergent[at / 8] &= (unsigned char)~(1u << at % 8);
}

/* Makes the valid bytes on the other side of n written bytes Invalid, and stores a digest in each word that has no
 * valid byte left. */
void rt_invalidate_other_side(const struct rt_mapping *mapping, uint64_t at, uint64_t n)
{
    RT_FOR_EACH_GRANULE(granule, rt_other_side(mapping, at), n)
    {
        if (!rt_get_bytes_with_state(&granule, RT_VALID))
            continue;
        rt_change_states(&granule, RT_VALID | RT_DIRTY, 0);
        rt_store_digest(&granule);
    }
}
