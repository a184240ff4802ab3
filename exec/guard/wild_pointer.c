/* wild_pointer.c - finds, in the registers at a fault, the value that a kernel used as a pointer. Called in
 * signal handlers. */
#include "wild_pointer.h"

#include "accdeep_core.h"

#include <string.h>

/* Returns true if a value is within 1 MB of poison, the value of fresh device memory. */
bool rt_is_uninitialized_pointer(uint64_t value)
{
    enum { NEAR = 1 << 20 };
    uint64_t poison;
    memset(&poison, ACCD_POISON, sizeof poison);
    return value - poison + NEAR < (uint64_t)2 * NEAR;
}

/* Returns the register value that the processor most likely refused as an address: the first near poison, or
 * else the first that is not an address. RT_UNALIGNED_ACCESS if there is none. */
uint64_t rt_find_wild_pointer(const greg_t *registers)
{
    static const int general[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_R8,
                                  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    uint64_t candidate = 0;
    for (size_t i = 0; i < sizeof general / sizeof general[0]; i++) {
        uint64_t value = (uint64_t)registers[general[i]];
        int64_t high = (int64_t)value >> 47;
        if (high == 0 || high == -1)
            continue;
        if (rt_is_uninitialized_pointer(value))
            return value;
        candidate = candidate ? candidate : value;
    }
    return candidate ? candidate : RT_UNALIGNED_ACCESS;
}
