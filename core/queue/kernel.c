/* kernel.c - kernels that the device runs itself: what they may touch, as tables. A kernel is given
 * less than the interpreter's accesses reach, never more; what it cannot decide is theirs. */
#include "queue/inside.h"
#include "table/name.h"

struct tables {
    struct accd_reach *ranges;
    size_t nranges, ranges_room;
    accd_kernel_slot *slots;
    size_t nslots, slots_room;
    struct accd_pair *pairs; /* for sorting, two of each */
    size_t pairs_room;
};

static bool add_range(struct accd_mem *mem, struct tables *tables, uint64_t low, uint64_t bytes,
                      uint64_t flags)
{
    if (!ACCD_GROW(mem, tables->ranges, tables->ranges_room, tables->nranges + 1))
        return false;
    tables->ranges[tables->nranges++] = (struct accd_reach){low, low + bytes, flags};
    return true;
}

/* All there is, or what a task uses. The user's own memory first: what is mapped to a part of it comes behind it,
 * and counts there. */
static bool add_ranges(struct accd_directory *dir, const struct accd_task *task, struct tables *tables)
{
    struct accd_mem *mem = &dir->context->mem;
    uint64_t bytes, dev = dir->device.ops->next(dir->device.handle, 0, &bytes);
    for (; dev; dev = dir->device.ops->next(dir->device.handle, dev + 1, &bytes)) {
        const struct accd_block *block = accd_range_floor(&dir->present.blocks, dev);
        bool ours = block && dev - block->dev < block->bytes;
        bool meant = !task || accd_task_uses(task, dev, bytes);
        if (!ours && meant && !add_range(mem, tables, dev, bytes, 0))
            return false;
    }
    ACCD_EACH(const struct accd_object, object, &dir->present.objects, 0) {
        const accd_program *layout = accd_layout_of(dir, object);
        uint64_t flags = ACCD_REACH_OBJECT;
        if (task && !accd_task_uses(task, object->dev, accd_object_bytes(object)))
            continue;
        if (layout && layout->spec.nexcluded)
            flags |= ACCD_REACH_EXCLUDES;
        if (!add_range(mem, tables, object->dev, accd_object_bytes(object), flags))
            return false;
    }
    return true;
}

/* Pointers that are attached, and those the caller knows. -1: one is a descriptor, more than that. */
static int add_slots(struct accd_directory *dir, const accd_kernel *kernel, struct tables *tables)
{
    struct accd_mem *mem = &dir->context->mem;
    ACCD_EACH(struct accd_attach, attach, &dir->attached.slots, 0) {
        struct accd_object *holder = NULL;
        accd_kernel_slot slot = {.bytes = accd_attach_end(attach) - attach->slot,
                                 .value = attach->dev};
        if (accd_find(dir, attach->slot, &holder) != ACCD_OK)
            return 0;
        if (!holder)
            continue; /* its copy is gone: no kernel can find it */
        if (slot.bytes != sizeof(uint64_t))
            return -1;
        slot.at = holder->dev + (attach->slot - holder->host);
        (void)accd_attached_range(dir->context, dir->device.number, (const void *)(uintptr_t)attach->slot,
                                  attach->dev, &slot.low, &slot.high);
        if (slot.low == slot.high)
            slot.low = slot.high = 0; /* it points nowhere */
        if (!ACCD_GROW(mem, tables->slots, tables->slots_room, tables->nslots + 1))
            return 0;
        tables->slots[tables->nslots++] = slot;
    }
    if (!ACCD_GROW(mem, tables->slots, tables->slots_room, tables->nslots + kernel->nslots))
        return 0;
    for (size_t i = 0; i < kernel->nslots; i++)
        tables->slots[tables->nslots++] = kernel->slots[i];
    return 1;
}

/* Elements of an array in the order of their first words; equal ones stay in order. */
static bool sort(struct accd_mem *mem, struct tables *tables, void *array, size_t n, size_t size)
{
    char *from = array;
    if (n < 2)
        return true;
    if (!ACCD_GROW(mem, tables->pairs, tables->pairs_room, 2 * n))
        return false;
    for (size_t i = 0; i < n; i++) {
        memcpy(&tables->pairs[i].key, from + i * size, sizeof tables->pairs[i].key);
        tables->pairs[i].value = i;
    }
    const struct accd_pair *sorted = accd_sort_pairs(tables->pairs, tables->pairs + n, n);
    char *copy = accd_mem_array(mem, n, size);
    if (!copy)
        return false;
    memcpy(copy, from, n * size);
    for (size_t i = 0; i < n; i++)
        memcpy(from + i * size, copy + sorted[i].value * size, size);
    accd_mem_free(mem, copy, n * size);
    return true;
}

static accd_status fill_and_launch(struct accd_directory *dir, const accd_kernel *kernel, unsigned queue,
                                   const struct accd_task *task, struct tables *tables,
                                   accd_kernel_end *end_p)
{
    struct accd_mem *mem = &dir->context->mem;
    int slots = add_slots(dir, kernel, tables);
    *end_p = (accd_kernel_end){.how = ACCD_KERNEL_NOT_RUN,
                               .said = "descriptors are attached on the device"};
    if (slots < 0)
        return ACCD_OK;
    if (!slots || !add_ranges(dir, task, tables) ||
        !sort(mem, tables, tables->ranges, tables->nranges, sizeof tables->ranges[0]) ||
        !sort(mem, tables, tables->slots, tables->nslots, sizeof tables->slots[0])) {
        end_p->said = "there is no memory for a kernel's tables";
        return ACCD_OK;
    }
    const struct accd_launch launch = {.kernel = kernel,
                                       .ranges = tables->ranges,
                                       .nranges = tables->nranges,
                                       .slots = tables->slots,
                                       .nslots = tables->nslots,
                                       .queue = queue};
    return accd_device_result(&dir->device, dir->device.ops->launch(dir->device.handle, &launch, end_p),
                              "in a kernel");
}

accd_status accd_kernel_launch(struct accd_directory *dir, const accd_kernel *kernel, unsigned queue,
                               const struct accd_task *task, accd_kernel_end *end_p)
{
    struct accd_mem *mem = &dir->context->mem;
    struct tables tables = {0};
    ACCD_TRY(accd_index_all(dir));
    accd_status status = fill_and_launch(dir, kernel, queue, task, &tables, end_p);
    accd_mem_free(mem, tables.ranges, tables.ranges_room * sizeof tables.ranges[0]);
    accd_mem_free(mem, tables.slots, tables.slots_room * sizeof tables.slots[0]);
    accd_mem_free(mem, tables.pairs, tables.pairs_room * sizeof tables.pairs[0]);
    return status;
}
