/* host_memory.c - the registry of host memory. With config.check_host, an array section outside of all registered
 * ranges is an error instead of a crash. */
#include "accdeep_checkpoints.h"
#include "base/base.h"

/* Makes an empty registry of host ranges, with memory from `mem`. */
void accd__host_registry_init(struct accd__host_registry *host, struct accd__mem *mem)
{
    accd__btree_init(&host->ranges, mem);
    accd__pool_init(&host->pool, mem, sizeof(struct accd__host_block), 32);
}

/* Removes all ranges from the registry and frees their records. */
void accd__host_registry_clear(struct accd__host_registry *host)
{
    accd__btree_clear(&host->ranges);
    accd__pool_free_all(&host->pool);
}

/* Returns the registered range, live or freed, that begins exactly at an address, or NULL. */
static struct accd__host_block *find_block_starting_at(accd_context *context, uint64_t address)
{
    struct accd__host_block *block = accd__btree_floor(&context->host.ranges, address);
    return block && block->start == address ? block : NULL;
}

/* Returns the registered range, live or freed, that contains an address, or NULL. */
struct accd__host_block *accd__host_block_at(accd_context *context, uint64_t address)
{
    struct accd__host_block *block = accd__btree_floor(&context->host.ranges, address);
    return block && address - block->start < block->bytes ? block : NULL;
}

/* Registers [start, start + bytes) as live host memory with the name `label`. Replaces a range that begins at the same
 * address. Errors: ACCD_ERROR_MISUSE, if `context` is NULL or the range exceeds the address space;
 * ACCD_ERROR_OUT_OF_MEMORY. */
accd_status accd_host_register(accd_context *context, const void *start, uint64_t bytes, const accd_label *label)
{
    if (!context)
        return ACCD_ERROR_MISUSE;
    if (bytes >= UINT64_MAX - accd__address(start))
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "the host range does not fit into memory");
    struct accd__host_block *block = find_block_starting_at(context, accd__address(start));
    if (block) {
        block->serial = block->live ? block->serial : context->host.added++;
        block->bytes = bytes;
        block->label = label;
        block->live = 1;
        return ACCD_OK;
    }
    if (!accd__pool_reserve(&context->host.pool, 1) || !accd__btree_reserve(&context->host.ranges, 1))
        return accd__report_out_of_memory(context, "for a host range");
    block = accd__pool_alloc(&context->host.pool);
    *block = (struct accd__host_block){accd__address(start), bytes, label, 1, context->host.added++};
    accd__btree_insert(&context->host.ranges, block->start, block);
    return ACCD_OK;
}

/* Sets the state of the range that begins at `start` to `live`. 1: live; 0: freed; -1: removes the range. Does nothing
 * if there is no such range, or `context` is NULL. */
void accd_host_set_state(accd_context *context, const void *start, int live)
{
    struct accd__host_block *block = context ? find_block_starting_at(context, accd__address(start)) : NULL;
    if (!block)
        return;
    context->host.host_frees += live <= 0;
    block->live = live;
    if (live < 0) {
        accd__btree_erase(&context->host.ranges, block->start);
        accd__pool_free(&context->host.pool, block);
    }
}

/* Returns true if the host range [start, start + bytes) lies in one live registered range. */
bool accd__is_live_host_range(accd_context *context, uint64_t start, uint64_t bytes)
{
    const struct accd__host_block *block = accd__host_block_at(context, start);
    return block && block->live && bytes <= block->bytes - (start - block->start);
}

/* Returns true if the host range [start, start + bytes) may be read: config.check_host is not set, or the range lies in
 * one live registered range. */
bool accd__is_host_accessible(accd_context *context, uint64_t start, uint64_t bytes)
{
    return !context->config.check_host || accd__is_live_host_range(context, start, bytes);
}

/* Sets *start_p and *bytes_p to the live registered range that contains an address, and returns 1. Returns 0 if there
 * is no such range, or if `context`, start_p or bytes_p is NULL. */
int accd_host_bounds(accd_context *context, const void *address, uint64_t *start_p, uint64_t *bytes_p)
{
    const struct accd__host_block *block =
        context && start_p && bytes_p ? accd__host_block_at(context, accd__address(address)) : NULL;
    if (!block || !block->live)
        return 0;
    *start_p = block->start;
    *bytes_p = block->bytes;
    return 1;
}
