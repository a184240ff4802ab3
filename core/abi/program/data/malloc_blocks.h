/* malloc_blocks.h - sections that exceed a block of malloc. */
#ifndef RT_MALLOC_BLOCKS_H
#define RT_MALLOC_BLOCKS_H

#include "abi/program/base/runtime.h"

/* Ends the program with a report if an item exceeds its block of malloc. Called before any transfer. */
void rt_check_malloc_blocks(const accd_item *items, size_t nitems);
/* True if the word before `host` may be the size of a malloc block that is shorter than `bytes`. host must be a
 * multiple of RT_BLOCK_ALIGNMENT. */
bool rt_may_exceed_block(uintptr_t host, uint64_t bytes);
/* True if a block of malloc seems to begin at `block` and to contain `at`. */
bool rt_is_in_block(uint64_t block, uint64_t at);
uint64_t rt_find_heap_start(void); /* returns the address where the heap begins; 0: unknown */
/* Alignment of malloc blocks, and the smallest block with its header, in bytes. */
enum { RT_BLOCK_ALIGNMENT = 16, RT_BLOCK_MIN = 32 };
/* True if data must be checked before the core gets them: a device address, a possible stack variable, or a possible
 * overrun of a malloc block. moves: bytes are transferred. The lock must be held. */
static inline bool rt_needs_check(uintptr_t host, uint64_t bytes, bool moves)
{
    return host - rt.device_low < rt.device_high - rt.device_low || host >= rt.site->call.sp ||
           (moves && bytes > RT_BLOCK_MIN && host % RT_BLOCK_ALIGNMENT == 0 &&
            (host >= rt.heap_start || host % 4096 == RT_BLOCK_ALIGNMENT) && rt_may_exceed_block(host, bytes));
}

#endif
