/* malloc_blocks.h - finds array sections in clauses that exceed the block of malloc in which they begin. */
#ifndef RT_MALLOC_BLOCKS_H
#define RT_MALLOC_BLOCKS_H

#include "base/runtime.h"

/* Ends the program with a report if an item that moves bytes exceeds its block of malloc, or if any item has a negative
 * length. Called before any transfer. */
void rt_check_malloc_blocks(const accd_item *items, size_t nitems);
/* Returns true if the section of `bytes` bytes at `host` may exceed its block and must be checked. That is so if the
 * word before `host`, read as a block's size, is smaller. Also true if that word may be unreadable, if the heap's start
 * is unknown, and in instrumented programs. `host` must be a multiple of RT_BLOCK_ALIGNMENT. */
bool rt_may_exceed_block(uintptr_t host, uint64_t bytes);
/* Returns true if a block of malloc seems to begin at the address `block`, by its size word, and contains the address
 * `at`. */
bool rt_is_in_block(uint64_t block, uint64_t at);
uint64_t rt_find_heap_start(void); /* returns the address where the heap begins; 0: unknown */
/* Alignment of malloc blocks, and the smallest block with its header, in bytes. */
enum { RT_BLOCK_ALIGNMENT = 16, RT_BLOCK_MIN = 32 };
/* Returns true if the `bytes` bytes at `host` must be checked before the core gets them. Reasons: `host` may be a
 * device address or the address of a stack variable, or the bytes are transferred (`moves`) and may exceed a malloc
 * block. A call must be under way (rt.site). */
static inline __attribute__((always_inline)) bool rt_needs_check(uintptr_t host, uint64_t bytes, bool moves)
{
    assert(rt.site);
    return host - rt.device_low < rt.device_high - rt.device_low || host >= rt.site->call.sp ||
           (moves && bytes > RT_BLOCK_MIN && host % RT_BLOCK_ALIGNMENT == 0 &&
            (host >= rt.heap_start || host % 4096 == RT_BLOCK_ALIGNMENT) && rt_may_exceed_block(host, bytes));
}

/* Returns true if `action` can transfer bytes between host and device. */
static inline bool rt_moves_bytes(accd_action action)
{
    const unsigned moving = 1u << ACCD_ACTION_COPY | 1u << ACCD_ACTION_COPYIN | 1u << ACCD_ACTION_COPYOUT |
                            1u << ACCD_ACTION_UPDATE_SELF | 1u << ACCD_ACTION_UPDATE_DEVICE;
    return moving >> action & 1;
}

#endif
