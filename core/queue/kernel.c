/* kernel.c - launches kernels that the device runs itself, with tables of the device memory that they may access. A
 * kernel may access only memory that the interpreter of kernels (lua/accdeep) may access. Where the tables cannot
 * decide, the kernel stops, its writes are undone, and the interpreter runs it. */
#include "accdeep_queues.h"
#include "queue/inside.h"
#include "table/find.h"
#include "table/name.h"

/* Tables of a kernel: `ranges` of device memory that it may access, and `slots`, the pointers in device memory that it
 * may follow. */
struct kernel_tables {
    struct accd__kernel_range *ranges;
    size_t nranges, ranges_capacity;
    accd_kernel_slot *slots;
    size_t nslots, slots_capacity;
    struct accd__pair *pairs; /* array for sorting, with two pairs for each element to be sorted */
    size_t pairs_capacity;
};

/* Adds the range of `bytes` bytes at device address `low` to the tables. `flags`: ACCD_KERNEL_RANGE_*. Returns true, or
 * false without memory from `mem`. */
static bool add_kernel_range(struct accd__mem *mem, struct kernel_tables *tables, uint64_t low, uint64_t bytes,
                             uint64_t flags)
{
    if (!ACCD_GROW(mem, tables->ranges, tables->ranges_capacity, tables->nranges + 1))
        return false;
    tables->ranges[tables->nranges++] = (struct accd__kernel_range){low, low + bytes, flags};
    return true;
}

/* Adds the ranges of the device memory that a task uses; task = NULL: of all device memory. Allocations that belong to
 * no block of objects come first, because objects mapped to parts of them must come later to take precedence. Returns
 * true, or false without memory. */
static bool add_kernel_ranges(struct accd__device_env *env, const struct accd__task *task, struct kernel_tables *tables)
{
    struct accd__mem *mem = &env->context->mem;
    uint64_t bytes, dev = env->device.ops->next_allocation(env->device.handle, 0, &bytes);
    for (; dev; dev = env->device.ops->next_allocation(env->device.handle, dev + 1, &bytes)) {
        const struct accd__block *block = accd__btree_floor(&env->present.blocks, dev);
        bool is_block = block && dev - block->dev < block->bytes;
        bool selected = !task || accd__task_uses_range(task, dev, bytes);
        if (!is_block && selected && !add_kernel_range(mem, tables, dev, bytes, 0))
            return false;
    }
    ACCD_FOR_EACH(const struct accd__object, object, &env->present.objects, 0)
    {
        const accd_program *layout = accd__object_layout(env, object);
        uint64_t flags = ACCD_KERNEL_RANGE_OBJECT;
        if (task && !accd__task_uses_range(task, object->dev, accd__object_bytes(object)))
            continue;
        if (layout && layout->spec.nexcluded)
            flags |= ACCD_KERNEL_RANGE_EXCLUDES;
        if (!add_kernel_range(mem, tables, object->dev, accd__object_bytes(object), flags))
            return false;
    }
    return true;
}

/* Adds all attached pointers of the device, and the pointers kernel->slots, to the tables. Returns 1 on success, 0
 * without memory, and -1 if a Fortran descriptor is attached, which the tables cannot describe. */
static int add_kernel_slots(struct accd__device_env *env, const accd_kernel *kernel, struct kernel_tables *tables)
{
    struct accd__mem *mem = &env->context->mem;
    ACCD_FOR_EACH(struct accd__attachment, attach, &env->attached.slots, 0)
    {
        struct accd__object *holder = NULL;
        accd_kernel_slot slot = {.bytes = accd__attachment_end(attach) - attach->slot, .value = attach->dev};
        if (accd__find_object(env, attach->slot, &holder) != ACCD_OK)
            return 0;
        if (!holder)
            continue; /* the object with the pointer was unmapped, so that no kernel can find the pointer */
        if (slot.bytes != sizeof(uint64_t))
            return -1;
        slot.at = holder->dev + (attach->slot - holder->host);
        (void)accd_attached_range(env->context, env->device.number, (const void *)(uintptr_t)attach->slot, attach->dev,
                                  &slot.low, &slot.high);
        if (slot.low == slot.high)
            slot.low = slot.high = 0; /* an empty range: the pointer has no target */
        if (!ACCD_GROW(mem, tables->slots, tables->slots_capacity, tables->nslots + 1))
            return 0;
        tables->slots[tables->nslots++] = slot;
    }
    if (!ACCD_GROW(mem, tables->slots, tables->slots_capacity, tables->nslots + kernel->nslots))
        return 0;
    for (size_t i = 0; i < kernel->nslots; i++)
        tables->slots[tables->nslots++] = kernel->slots[i];
    return 1;
}

/* Sorts an array of n elements of `size` bytes by their first words, stably. Returns false without memory. */
static bool sort_by_first_word(struct accd__mem *mem, struct kernel_tables *tables, void *array, size_t n, size_t size)
{
    char *from = array;
    assert(size >= sizeof(uint64_t));
    if (n < 2)
        return true;
    if (!ACCD_GROW(mem, tables->pairs, tables->pairs_capacity, 2 * n))
        return false;
    for (size_t i = 0; i < n; i++) {
        memcpy(&tables->pairs[i].key, from + i * size, sizeof tables->pairs[i].key);
        tables->pairs[i].value = i;
    }
    const struct accd__pair *sorted = accd__sort_pairs(tables->pairs, tables->pairs + n, n);
    char *copy = accd__mem_alloc_array(mem, n, size);
    if (!copy)
        return false;
    memcpy(copy, from, n * size);
    for (size_t i = 0; i < n; i++)
        memcpy(from + i * size, copy + sorted[i].value * size, size);
    accd__mem_free(mem, copy, n * size);
    return true;
}

/* Fills and sorts the tables for the memory of `task` (NULL: all memory), and launches the kernel in queue number
 * `queue`. Sets *end_p to the outcome. If the tables cannot be made, returns ACCD_OK, and *end_p has
 * ACCD_KERNEL_NOT_RUN with the reason. Returns the error of the device. */
static accd_status fill_and_launch(struct accd__device_env *env, const accd_kernel *kernel, unsigned queue,
                                   const struct accd__task *task, struct kernel_tables *tables,
                                   accd_kernel_result *end_p)
{
    struct accd__mem *mem = &env->context->mem;
    int slots = add_kernel_slots(env, kernel, tables);
    *end_p = (accd_kernel_result){.outcome = ACCD_KERNEL_NOT_RUN, .message = "descriptors are attached on the device"};
    if (slots < 0)
        return ACCD_OK;
    if (!slots || !add_kernel_ranges(env, task, tables) ||
        !sort_by_first_word(mem, tables, tables->ranges, tables->nranges, sizeof tables->ranges[0]) ||
        !sort_by_first_word(mem, tables, tables->slots, tables->nslots, sizeof tables->slots[0])) {
        end_p->message = "there is no memory for a kernel's tables";
        return ACCD_OK;
    }
    const struct accd__launch launch = {.kernel = kernel,
                                        .ranges = tables->ranges,
                                        .nranges = tables->nranges,
                                        .slots = tables->slots,
                                        .nslots = tables->nslots,
                                        .queue = queue};
    return accd__check_device_status(&env->device, env->device.ops->launch(env->device.handle, &launch, end_p),
                                     "in a kernel");
}

accd_status accd__launch_kernel(struct accd__device_env *env, const accd_kernel *kernel, unsigned queue,
                                const struct accd__task *task, accd_kernel_result *end_p)
{
    struct accd__mem *mem = &env->context->mem;
    assert(env->device.ops->launch);
    struct kernel_tables tables = {0};
    ACCD_TRY(accd__expand_groups(env));
    accd_status status = fill_and_launch(env, kernel, queue, task, &tables, end_p);
    accd__mem_free(mem, tables.ranges, tables.ranges_capacity * sizeof tables.ranges[0]);
    accd__mem_free(mem, tables.slots, tables.slots_capacity * sizeof tables.slots[0]);
    accd__mem_free(mem, tables.pairs, tables.pairs_capacity * sizeof tables.pairs[0]);
    return status;
}
