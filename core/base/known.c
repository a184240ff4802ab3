/* known.c - host memory made known, so that sections outside it are errors and not faults. */
#include "base/base.h"

void accd_host_init(struct accd_host *host, struct accd_mem *mem)
{
    accd_range_init(&host->ranges, mem);
    accd_pool_init(&host->pool, mem, sizeof(struct accd_host_block), 32);
}

void accd_host_close(struct accd_host *host)
{
    accd_range_close(&host->ranges);
    accd_pool_close(&host->pool);
}

/* The known range that begins at an address, or NULL. */
static struct accd_host_block *block_at(accd_context *context, uint64_t address)
{
    struct accd_host_block *block = accd_range_floor(&context->host.ranges, address);
    return block && block->start == address ? block : NULL;
}

struct accd_host_block *accd_host_block_around(accd_context *context, uint64_t address)
{
    struct accd_host_block *block = accd_range_floor(&context->host.ranges, address);
    return block && address - block->start < block->bytes ? block : NULL;
}

accd_status accd_host_add(accd_context *context, const void *start, uint64_t bytes, const accd_label *label)
{
    if (!context)
        return ACCD_MISUSE;
    if (bytes >= UINT64_MAX - accd_address(start))
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "the host range does not fit into memory");
    struct accd_host_block *block = block_at(context, accd_address(start));
    if (block) {
        block->serial = block->live ? block->serial : context->host.added++;
        block->bytes = bytes;
        block->label = label;
        block->live = 1;
        return ACCD_OK;
    }
    if (!accd_pool_reserve(&context->host.pool, 1) || !accd_range_reserve(&context->host.ranges, 1))
        return accd_out_of_memory(context, "for a host range");
    block = accd_pool_take(&context->host.pool);
    *block = (struct accd_host_block){accd_address(start), bytes, label, 1, context->host.added++};
    accd_range_insert(&context->host.ranges, block->start, block);
    return ACCD_OK;
}

void accd_host_mark(accd_context *context, const void *start, int live)
{
    struct accd_host_block *block = context ? block_at(context, accd_address(start)) : NULL;
    if (!block)
        return;
    context->host.losses += live <= 0;
    block->live = live;
    if (live < 0) {
        accd_range_erase(&context->host.ranges, block->start);
        accd_pool_give(&context->host.pool, block);
    }
}

bool accd_host_covers(accd_context *context, uint64_t start, uint64_t bytes)
{
    const struct accd_host_block *block = accd_host_block_around(context, start);
    return block && block->live && bytes <= block->bytes - (start - block->start);
}

bool accd_host_usable(accd_context *context, uint64_t start, uint64_t bytes)
{
    return !context->config.check_host || accd_host_covers(context, start, bytes);
}

int accd_host_bounds(accd_context *context, const void *address, uint64_t *start_p, uint64_t *bytes_p)
{
    const struct accd_host_block *block =
        context && start_p && bytes_p ? accd_host_block_around(context, accd_address(address)) : NULL;
    if (!block || !block->live)
        return 0;
    *start_p = block->start;
    *bytes_p = block->bytes;
    return 1;
}
