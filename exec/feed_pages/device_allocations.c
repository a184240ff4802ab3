/* device_allocations.c - device memory of acc_malloc and omp_target_alloc. Serves the report of blocks that are left at
 * the end. */
#include "diag/diagnostics.h"
#include "lib/hash.h"
#include "leaks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Block of device memory that the program has allocated. */
struct block {
    uint64_t dev, bytes;      /* device address and size */
    uintptr_t pc;             /* return address of the call that allocated the block */
    const char *routine_name; /* name of that routine */
    int device;
};
static struct rt_hash blocks = RT_HASH_TABLE(rt_heap_realloc, struct block); /* blocks by device address */

/* Adds a block to the table, in runs with checks (rt.options.diagnose). Does nothing if `dev` is 0, or
 * without memory. */
void rt_device_alloc_add(int device, uint64_t dev, uint64_t bytes)
{
    struct block *block = rt.options.diagnose && dev ? rt_hash_add(&blocks, dev) : NULL;
    if (block)
        *block = (struct block){dev, bytes, rt.site->call.pc, rt.site->construct_name, device};
}

/* Removes the block at `dev`, if it was added. */
void rt_device_alloc_remove(uint64_t dev)
{
    if (dev)
        rt_hash_remove(&blocks, dev);
}

/* Orders blocks by device, return address of the allocating call and device address, for qsort. */
static int compare_blocks(const void *a, const void *b)
{
    const struct block *block = a, *other = b;
    if (block->device != other->device)
        return block->device - other->device;
    return block->pc != other->pc ? (block->pc < other->pc ? -1 : 1)
                                  : (block->dev > other->dev) - (block->dev < other->dev);
}

/* Reports n blocks of `bytes` bytes together that one call has allocated on one device; `first` is one of them. */
static void report_block_group(const struct block *first, size_t n, uint64_t bytes)
{
    assert(n && first->routine_name);
    const bool openmp = !strncmp(first->routine_name, "omp", 3);
    rt_emit_diagnostic(
        &(struct rt_diagnostic){
            .level = "note",
            .code = "still-mapped",
            .rule = openmp ? "OMP60-api-4" : "ACC33-3.2.16-1",
            .pc = first->pc,
            .bytes = bytes,
            .help = openmp ? "free the memory: omp_target_free" : "free the memory: acc_free",
        },
        "%s: %zu block%s of device memory, %llu bytes, %s still allocated on device %d at the end", first->routine_name,
        n, n == 1 ? "" : "s", (unsigned long long)bytes, n == 1 ? "is" : "are", first->device);
}

/* Reports the blocks that are left, in one note for each allocating call, and clears the table. */
void rt_report_device_alloc_leaks(void)
{
    struct block *const left = blocks.slots;
    size_t n = 0;
    for (struct block *block = NULL; (block = rt_hash_next(&blocks, block));)
        if (!accd_host_address(rt.context, block->device, block->dev))
            /* Memory given to acc_map_data has a host address, and is reported with its data. */
            left[n++] = *block;
    if (n)
        qsort(left, n, sizeof *left, compare_blocks);
    for (size_t i = 0, k; i < n; i = k) {
        uint64_t bytes = 0;
        for (k = i; k < n && left[k].pc == left[i].pc && left[k].device == left[i].device; k++)
            bytes += left[k].bytes;
        report_block_group(&left[i], k - i, bytes);
    }
    rt_device_alloc_clear();
}

/* Frees the table without a report. */
void rt_device_alloc_clear(void)
{
    rt_hash_clear(&blocks);
}
