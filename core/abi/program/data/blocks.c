/* blocks.c - sections that leave the block that malloc gave: moved there, they would overwrite what
 * the C library keeps between blocks.
 *
 * A block of the GNU C library begins behind a word with its size and three bits, at a multiple of 16.
 * The word alone proves nothing, because it may be the program's own data; only when it says that a
 * section is too long, the blocks in front of it are counted from the start of the heap. Blocks of other
 * threads' arenas, sections that begin inside of a block, and sections that do not move, are not checked:
 * the host memory of deleted data may be freed already, and belong to others. */
#include "abi/program/base/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
enum { GNU_MALLOC = 0 }; /* blocks are the sanitizer's */
#else
enum { GNU_MALLOC = 1 };
#endif

enum {
    HEAD = 2 * sizeof(uint64_t), /* in front of a block's bytes: a word of the block before, the size */
    MAPPED = 2, /* the block is a mapping of its own */
    ARENA = 4,  /* of another thread */
    BITS = 7
};

static uint64_t word_at(uint64_t address)
{
    return *(const uint64_t *)(uintptr_t)address;
}

uint64_t goacc_heap_start(void)
{
    if (goacc.heap)
        return goacc.heap == UINT64_MAX ? 0 : goacc.heap;
    uint64_t start = 0;
    char line[512];
    unsigned long long low;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !start && fgets(line, sizeof line, maps))
        if (strstr(line, "[heap]") && sscanf(line, "%llx-", &low) == 1)
            start = low;
    if (maps)
        fclose(maps);
    goacc.heap = start ? start : UINT64_MAX;
    goacc_declared_statics();
    return start;
}

/* Whether a block's bytes begin at an address of the heap. */
static bool begins_block(uint64_t start, uint64_t low, uint64_t high)
{
    uint64_t at = low;
    while (at + HEAD < start) {
        uint64_t bytes = word_at(at + sizeof(uint64_t)) & ~(uint64_t)BITS;
        if (bytes < GOACC_BLOCK || bytes % GOACC_ALIGNED || bytes > high - at)
            return false;
        at += bytes;
    }
    return at + HEAD == start;
}

/* Bytes of the block that begins at an address, if the section is longer; 0: it is not, or no block is
 * known to begin there. */
static uint64_t exceeded(uint64_t start, uint64_t bytes)
{
    static uint64_t page;
    if (start % GOACC_ALIGNED)
        return 0;
    if (!page)
        page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t low = goacc_heap_start();
    const bool behind = low && start >= low + HEAD; /* data of the program lie before the heap */
    const uint64_t high = behind ? (uintptr_t)sbrk(0) : 0;
    const bool on_heap = behind && start < high;
    if (!on_heap && start % page != HEAD)
        return 0;
    uint64_t head = word_at(start - sizeof head), size = head & ~(uint64_t)BITS;
    if (!on_heap) {
        bool mapped = (head & BITS) == MAPPED && size && size % page == 0 && !word_at(start - HEAD);
        return mapped && bytes > size - HEAD ? size - HEAD : 0;
    }
    uint64_t room = size - sizeof head; /* up to the size of the next one */
    if (head & (MAPPED | ARENA) || size < GOACC_BLOCK || size % GOACC_ALIGNED || size > high - start ||
        bytes <= room || !begins_block(start, low, high))
        return 0;
    return room;
}

void goacc_check_blocks(const accd_item *items, size_t nitems)
{
    for (size_t i = 0; i < nitems; i++) {
        const accd_item *item = &items[i];
        uint64_t room = GNU_MALLOC && item->bytes > GOACC_BLOCK && item->host && goacc_moves(item->action)
                            ? exceeded((uintptr_t)item->host, item->bytes)
                            : 0;
        char name[160];
        if ((int64_t)item->bytes < 0) {
            goacc_spell(goacc.site, (uintptr_t)item->host, 0, name, sizeof name);
            goacc_die_about("invalid-section", name,
                            "%s: the section that begins at %s has a negative length, %lld bytes", goacc.site->what,
                            name, (long long)item->bytes);
        }
        if (!room)
            continue;
        goacc_spell(goacc.site, (uintptr_t)item->host, item->bytes, name, sizeof name);
        goacc_die_about("invalid-section", name,
                        "%s: %s: the section has %llu bytes, and the block that malloc gave has %llu", goacc.site->what,
                        name, (unsigned long long)item->bytes, (unsigned long long)room);
    }
}
