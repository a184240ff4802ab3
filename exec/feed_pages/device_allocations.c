/* device_allocations.c - device memory of acc_malloc and omp_target_alloc: a hash table by device address, with linear
 * probing. Serves the report of blocks that are left at the end. */
#include "diag/diagnostics.h"
#include "leaks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Block of device memory that the program has allocated. */
struct block {
    uint64_t dev, bytes;      /* device address and size; dev 0: the slot is free */
    uintptr_t pc;             /* return address of the call that allocated the block */
    const char *routine_name; /* name of that routine */
    int device;
};
static struct block *blocks;
static size_t nblocks, capacity; /* number of slots, 0 or a power of two; at most half of them are used */

/* Returns the slot at which the search for the block at `dev` begins. */
static size_t get_home_slot(uint64_t dev)
{
    return (size_t)((dev >> 4) * 0x9E3779B97F4A7C15u >> 20) & (capacity - 1);
}

/* Returns the slot of the block at a device address, or the free slot where it belongs. There must be slots. */
static size_t find_block_entry(uint64_t dev)
{
    assert(capacity && !(capacity & (capacity - 1)));
    size_t i = get_home_slot(dev);
    while (blocks[i].dev && blocks[i].dev != dev)
        i = (i + 1) & (capacity - 1);
    return i;
}

/* Doubles the table. Returns false without memory. */
static bool grow_blocks(void)
{
    struct block *const old = blocks, *new_blocks = calloc(capacity ? 2 * capacity : 64, sizeof *new_blocks);
    const size_t n = capacity;
    if (!new_blocks)
        return false;
    blocks = new_blocks;
    capacity = n ? 2 * n : 64;
    for (size_t i = 0; i < n; i++)
        if (old[i].dev)
            blocks[find_block_entry(old[i].dev)] = old[i];
    free(old);
    return true;
}

/* Adds a block to the table, in runs with checks (rt.options.diagnose). Does nothing if `dev` is 0, or
 * without memory. */
void rt_device_alloc_add(int device, uint64_t dev, uint64_t bytes)
{
    if (!rt.options.diagnose || !dev || (2 * nblocks >= capacity && !grow_blocks()))
        return;
    blocks[find_block_entry(dev)] = (struct block){dev, bytes, rt.site->call.pc, rt.site->construct_name, device};
    nblocks++;
}

/* Removes the block at `dev`. Later entries of its probe sequence move into the hole, so that searches still find them.
 */
void rt_device_alloc_remove(uint64_t dev)
{
    size_t hole = capacity ? find_block_entry(dev) : 0;
    if (!capacity || !dev || !blocks[hole].dev)
        return;
    for (size_t k = (hole + 1) & (capacity - 1); blocks[k].dev; k = (k + 1) & (capacity - 1))
        if (((k - get_home_slot(blocks[k].dev)) & (capacity - 1)) >= ((k - hole) & (capacity - 1))) {
            blocks[hole] = blocks[k];
            hole = k;
        }
    blocks[hole].dev = 0;
    assert(nblocks);
    nblocks--;
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
    size_t n = 0;
    for (size_t i = 0; i < capacity; i++)
        if (blocks[i].dev && !accd_host_address(rt.context, blocks[i].device, blocks[i].dev))
            /* Memory given to acc_map_data has a host address, and is reported with its data. */
            blocks[n++] = blocks[i];
    if (n)
        qsort(blocks, n, sizeof *blocks, compare_blocks);
    for (size_t i = 0, k; i < n; i = k) {
        uint64_t bytes = 0;
        for (k = i; k < n && blocks[k].pc == blocks[i].pc && blocks[k].device == blocks[i].device; k++)
            bytes += blocks[k].bytes;
        report_block_group(&blocks[i], k - i, bytes);
    }
    rt_device_alloc_clear();
}

/* Frees the table without a report. */
void rt_device_alloc_clear(void)
{
    free(blocks);
    blocks = NULL;
    nblocks = capacity = 0;
}
