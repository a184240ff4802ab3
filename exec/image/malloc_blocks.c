/* malloc_blocks.c - finds sections that exceed their block of malloc: their transfer would overwrite the bookkeeping of
 * the C library. lifecycle.c calls rt_check_malloc_blocks before a construct moves data; rt_needs_check is the quick
 * test.
 *
 * A block of the GNU C library begins at a multiple of 16, after a word with its size and three flag bits:
 *
 *      | size of previous block or its data | size + bits | bytes of the block ... | size + bits | ...
 *      block - 16                           block - 8     block                                    next block
 *
 * The size word alone proves nothing, as it may be data of the program. Only if it says that a section is too long, the
 * blocks are followed, by their sizes, from the start of the heap up to the section. Strict and instrumented runs also
 * do this for sections that begin within a block.
 *
 * The library of instrumented programs knows each block and how many bytes were requested. In other programs the size
 * is the requested one rounded up by malloc, and blocks in malloc's arenas of other threads are not checked. Sections
 * without a transfer are never checked: the host memory of deleted data may have been freed and reused. */
#include "base/runtime.h"
#include "checked/checked.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "lib/new_stack.h"
#include "declared.h"
#include "malloc_blocks.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
enum { GNU_MALLOC = 0 }; /* the sanitizer has its own malloc, so nothing is checked */
#else
enum { GNU_MALLOC = 1 };
#endif

enum {
    HEAD = 2 * sizeof(uint64_t), /* bytes of a block's header: a word that belongs to the block before, and the size */
    MAPPED = 2,                  /* bit of the size word: the block is a mapping of its own, not on the heap */
    ARENA = 4,                   /* bit of the size word: the block is in another arena of malloc */
    BITS = 7                     /* mask of all bits of the size word that are not size */
};

#pragma weak rt_find_malloc_block
#pragma weak rt_get_requested_size

static uint64_t walked_blocks; /* number of blocks followed so far; find_exceeded_rest limits it */

/* Returns the word at an address of the heap, which must be readable. */
static uint64_t load_heap_word(uint64_t address)
{
    return *(const uint64_t *)(uintptr_t)address;
}

/* Finds the start of the heap in /proc/self/maps and returns it; 0: the process has no heap yet. Sets rt.heap_start to
 * it (UINT64_MAX: no heap), and the range of static memory. */
static uint64_t locate_heap(void)
{
    uint64_t start = 0;
    char line[512];
    unsigned long long low;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !start && fgets(line, sizeof line, maps))
        if (strstr(line, "[heap]") && sscanf(line, "%llx-", &low) == 1)
            start = low;
    if (maps)
        fclose(maps);
    rt.heap_start = start ? start : UINT64_MAX;
    rt_find_static_range();
    return start;
}

/* Returns the start of the heap, found at the first call; 0: the process has no heap. */
uint64_t rt_find_heap_start(void)
{
    if (rt.heap_start)
        return rt.heap_start == UINT64_MAX ? 0 : rt.heap_start;
    return RT_ON_NEW_STACK(locate_heap); /* a thread's own stack may be small */
}

/* Returns true if the section of `bytes` bytes at `host` may exceed its block: the word before `host`, taken as the
 * block's size, is too small. True without a test in instrumented programs, if the heap's start is not known, if that
 * word may be unreadable, and for negative lengths. */
bool rt_may_exceed_block(uintptr_t host, uint64_t bytes)
{
    assert(host % RT_BLOCK_ALIGNMENT == 0);
    if (rt.options.instrumented || !rt.heap_start || host % 4096 == 0 ||
        /* The word before the start of a page lies in another page, which may not be mapped. */
        (int64_t)bytes < 0)
        return true;
    rt_this_thread.in_core = true; /* a fault is then reported as one of host memory that is not mapped */
    atomic_signal_fence(memory_order_seq_cst);
    const uint64_t size = load_heap_word(host - sizeof size) & ~(uint64_t)BITS;
    atomic_signal_fence(memory_order_seq_cst);
    rt_this_thread.in_core = false;
    return size - RT_BLOCK_MIN < bytes + HEAD - RT_BLOCK_MIN;
}

/* Returns the start of the heap block that contains `address`, and stores the block's end in *end_p. Follows the blocks
 * from `low`, the start of the heap, up to `high`, its end. Returns 0 if no block contains the address, or if a word on
 * the way cannot be the size of a block. */
static uint64_t find_block_around(uint64_t address, uint64_t low, uint64_t high, uint64_t *end_p)
{
    assert(low <= address && low <= high && end_p);
    for (uint64_t at = low, bytes; at + HEAD <= address; at += bytes) {
        bytes = load_heap_word(at + sizeof(uint64_t)) & ~(uint64_t)BITS;
        if (bytes < RT_BLOCK_MIN || bytes % RT_BLOCK_ALIGNMENT || bytes > high - at)
            return 0;
        *end_p = at + bytes + sizeof(uint64_t); /* up to the size word of the next block */
        if (address < *end_p)
            return at + HEAD;
        walked_blocks++;
    }
    return 0;
}

/* Returns true if a block of malloc seems to begin at `start`: the word before it and the one after the block look like
 * size words. The block and the next one must lie before `high`, the end of the heap. */
static bool is_plausible_block(uint64_t start, uint64_t high)
{
    assert(start < high);
    const uint64_t size = load_heap_word(start - sizeof size) & ~(uint64_t)BITS, next = start - HEAD + size;
    if (start % RT_BLOCK_ALIGNMENT || size < RT_BLOCK_MIN || size % RT_BLOCK_ALIGNMENT || size > high - start)
        return false;
    const uint64_t head = load_heap_word(next + sizeof head);
    return next + (head & ~(uint64_t)BITS) <= high && head & 1;
}

/* Returns true if a block of malloc, on the heap or in a mapping of its own, seems to begin at `block` and contains the
 * address `at`. */
bool rt_is_in_block(uint64_t block, uint64_t at)
{
    const uint64_t low = rt_find_heap_start(), high = low ? (uintptr_t)sbrk(0) : 0, page = 4096;
    if (!GNU_MALLOC || block % RT_BLOCK_ALIGNMENT || at < block)
        return false;
    if (low && block >= low + HEAD && block < high)
        return is_plausible_block(block, high) && at - block < (load_heap_word(block - sizeof at) & ~(uint64_t)BITS);
    uint64_t head[2]; /* header of a block that is a mapping of its own */
    return block % page == HEAD && rt_peek_memory(block - HEAD, (char *)head, sizeof head) && !head[0] &&
           (head[1] & BITS) == MAPPED && at - block < (head[1] & ~(uint64_t)BITS) - HEAD;
}

/* Returns the number of bytes that an instrumented program requested for the block at `block`; 0: not known. Also 0 if
 * the size word does not fit the number, because the block may have been freed without notice. */
static uint64_t get_requested_bytes(uint64_t block)
{
    enum { ROUNDED = 4096 + 2 * RT_BLOCK_MIN };
    const uint64_t requested_bytes = &rt_get_requested_size ? rt_get_requested_size(block) : 0;
    const uint64_t size = requested_bytes ? load_heap_word(block - sizeof size) & ~(uint64_t)BITS : 0;
    return requested_bytes && requested_bytes + sizeof size <= size && size - requested_bytes < ROUNDED
               ? requested_bytes
               : 0;
}

/* Returns the bytes from `start` to the end of the block that contains `start`, if the section of `bytes` bytes there
 * is longer. Returns 0 if it is not longer, if its block is not known, if the section was examined before, and in runs
 * that are neither strict nor instrumented. `low`, `high`: start and end of the heap; low 0: the section is not on the
 * heap. */
static uint64_t find_exceeded_rest(uint64_t start, uint64_t bytes, uint64_t low, uint64_t high)
{
    assert(bytes > 0);
    enum { SEEN = 1 << 10 };
    static const uint64_t limit = (uint64_t)1 << 24; /* limit for blocks followed, over all sections */
    static struct {
        uint64_t start, bytes;
    } block_cache[SEEN];
    uint64_t end = 0, block = 0;
    if (!rt.options.strict && !rt.options.instrumented)
        return 0;
    if (!low) { /* blocks outside the heap are known only to instrumented programs */
        size_t n = 0;
        if (!&rt_find_malloc_block || rt_find_malloc_block(start, &block, &n) != RT_OWNER_HOST)
            return 0;
        return bytes > block + n - start ? block + n - start : 0; /* the program has requested n bytes */
    }
    const size_t i = ((start ^ bytes) * 0x9E3779B97F4A7C15u >> 32) % SEEN;
    if ((block_cache[i].start == start && block_cache[i].bytes == bytes) || walked_blocks > limit ||
        is_plausible_block(start, high))
        return 0;
    block_cache[i].start = start;
    block_cache[i].bytes = bytes;
    block = find_block_around(start, low, high, &end);
    const uint64_t requested_bytes = block ? get_requested_bytes(block) : 0;
    if (requested_bytes && block + requested_bytes > start)
        end = block + requested_bytes;
    return block && bytes > end - start ? end - start : 0;
}

/* Returns the bytes available in its block for a section of `bytes` bytes at `start`, if the section is longer. Returns
 * 0 if it is not longer, or if its block is not known. Sets *inside_p to true if the section begins within the block.
 */
static uint64_t find_exceeded_block(uint64_t start, uint64_t bytes, bool *inside_p)
{
    assert(bytes > 0 && inside_p);
    static uint64_t page;
    const uint64_t requested_bytes = start % RT_BLOCK_ALIGNMENT ? 0 : get_requested_bytes(start);
    if (requested_bytes)
        return bytes > requested_bytes ? requested_bytes : 0;
    if (!page)
        page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t low = rt_find_heap_start();
    const bool above_heap_start = low && start >= low + HEAD; /* static data, which lie before the heap, are excluded */
    const uint64_t high = above_heap_start ? (uintptr_t)sbrk(0) : 0;
    const bool on_heap = above_heap_start && start < high;
    if (start % RT_BLOCK_ALIGNMENT || (!on_heap && start % page != HEAD))
        return *inside_p = true, find_exceeded_rest(start, bytes, on_heap ? low : 0, high);
    uint64_t end, head = load_heap_word(start - sizeof head), size = head & ~(uint64_t)BITS;
    if (!on_heap) {
        bool mapped = (head & BITS) == MAPPED && size && size % page == 0 && !load_heap_word(start - HEAD);
        return mapped && bytes > size - HEAD ? size - HEAD : 0;
    }
    uint64_t capacity = size - sizeof head; /* up to the size word of the next block */
    if (head & (MAPPED | ARENA) || size < RT_BLOCK_MIN || size % RT_BLOCK_ALIGNMENT || size > high - start ||
        bytes <= capacity || find_block_around(start, low, high, &end) != start)
        return *inside_p = true, find_exceeded_rest(start, bytes, low, high);
    return capacity;
}

/* Writes the name of the item's section, which exceeds its block, to the buffer `to` of `capacity` bytes. Debug
 * information has a name only for data within a block, so the bounds of the section are computed. Returns true if the
 * name is one of Fortran, where the second bound is not a length. */
static bool format_section(const accd_item *item, char *to, size_t capacity)
{
    struct accd__debug_name name;
    const uint64_t host = (uintptr_t)item->host;
    const bool begins = rt_find_name(rt.site, host, 0, &name);
    if (!rt_format_name(rt.site, host, item->bytes, to, capacity) && begins && name.section && name.unit && !name.rank)
        snprintf(to, capacity, "%s[%lld:%llu]", name.name, (long long)name.start,
                 (unsigned long long)(item->bytes / name.unit));
    return begins && name.fortran;
}

/* Ends the program with a report if an item that moves bytes exceeds its block of malloc, or if any item has a negative
 * length. */
void rt_check_malloc_blocks(const accd_item *items, size_t nitems)
{
    assert(rt.site && (items || !nitems));
    for (size_t i = 0; i < nitems; i++) {
        const accd_item *item = &items[i];
        bool is_inside = false;
        const uint64_t minimum = rt.options.instrumented ? 0 : RT_BLOCK_MIN;
        uint64_t capacity = GNU_MALLOC && item->bytes > minimum && item->host && rt_moves_bytes(item->action)
                                ? find_exceeded_block((uintptr_t)item->host, item->bytes, &is_inside)
                                : 0;
        char name[160];
        if ((int64_t)item->bytes < 0) {
            rt_format_name(rt.site, (uintptr_t)item->host, 0, name, sizeof name);
            rt_fatal_about("invalid-section", name,
                           "%s: the section that begins at %s has a negative length, %lld bytes",
                           rt.site->construct_name, name, (long long)item->bytes);
        }
        if (!capacity)
            continue;
        const bool fortran = format_section(item, name, sizeof name);
        rt_emit_diagnostic(
            &(struct rt_diagnostic){
                .level = "error",
                .code = "invalid-section",
                .pc = rt.site->call.pc,
                .object = name,
                .bytes = item->bytes,
                .help = fortran ? "end the section inside of the array"
                                : "end the section inside of the block: in [first:n], n is the "
                                  "length, not the end",
            },
            "%s: %s: the section has %llu bytes, and the block that malloc gave has %llu%s", rt.site->construct_name,
            name, (unsigned long long)item->bytes, (unsigned long long)capacity, is_inside ? " from there on" : "");
        rt_exit_with_error();
    }
}
