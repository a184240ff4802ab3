/* attach.c - records of the attach table: made, removed, and the rings of those with one target. */
#include "table/inside.h"

/* Without memory for a place the order is given up, and made again when it is asked for. */
static void give_up(struct accd_directory *dir)
{
    accd_range_close(&dir->attached.targets);
    dir->attached.target_order = false;
}

void accd_attach_put_in(struct accd_directory *dir, struct accd_attach *attach)
{
    struct accd_attach *other = accd_range_floor(&dir->attached.targets, attach->base);
    attach->next_target = attach->prev_target = attach;
    if (other && other->base == attach->base) {
        attach->prev_target = other;
        attach->next_target = other->next_target;
        other->next_target->prev_target = attach;
        other->next_target = attach;
    } else if (!accd_range_insert(&dir->attached.targets, attach->base, attach)) {
        give_up(dir);
    }
}

static void take_out(struct accd_directory *dir, struct accd_attach *attach)
{
    struct accd_attach *next = attach->next_target;
    if (next == attach) {
        accd_range_erase(&dir->attached.targets, attach->base);
        return;
    }
    next->prev_target = attach->prev_target;
    attach->prev_target->next_target = next;
    accd_range_replace(&dir->attached.targets, attach->base, next);
}

void accd_attach_lead(struct accd_directory *dir, struct accd_attach *attach, uint64_t base)
{
    if (dir->attached.target_order && attach->base)
        take_out(dir, attach);
    attach->base = base;
    if (dir->attached.target_order && base)
        accd_attach_put_in(dir, attach);
}

struct accd_attach *accd_new_attach(struct accd_directory *dir, uint64_t slot)
{
    struct accd_attach *attach = accd_pool_take(&dir->attached.pool);
    *attach = (struct accd_attach){.slot = slot};
    dir->attached.live++;
    return attach;
}

void accd_insert_attaches(struct accd_directory *dir, const struct accd_pair *attaches, size_t n)
{
    if (n)
        accd_attach_reaches(dir, attaches[0].key, attaches[n - 1].key);
    accd_range_insert_run(&dir->attached.slots, attaches, n);
}

struct accd_attach *accd_insert_attach(struct accd_directory *dir, uint64_t slot)
{
    struct accd_attach *attach = accd_new_attach(dir, slot);
    accd_insert_attaches(dir, &(struct accd_pair){slot, (uintptr_t)attach}, 1);
    return attach;
}

static void give_attach(struct accd_directory *dir, struct accd_attach *attach)
{
    accd_attach_lead(dir, attach, 0);
    dir->attached.nrecords -= attach->holds_record;
    dir->attached.nwhole -= attach->descriptor != NULL;
    accd_descriptor_forget(dir, attach->descriptor);
    accd_pool_give(&dir->attached.pool, attach);
    dir->attached.live--;
}

void accd_remove_attach(struct accd_directory *dir, struct accd_attach *attach)
{
    accd_range_erase(&dir->attached.slots, attach->slot);
    give_attach(dir, attach);
}

void accd_remove_attaches(struct accd_directory *dir, struct accd_attach *const *attaches, size_t n)
{
    uint64_t keys[ACCD_SHORT_ITEMS];
    for (size_t i = 0; i < n; i++)
        keys[i] = attaches[i]->slot;
    if (n)
        accd_range_erase_all(&dir->attached.slots, keys, n);
    for (size_t i = 0; i < n; i++)
        give_attach(dir, attaches[i]);
}

struct accd_kept_descriptor *accd_descriptor_keep(struct accd_directory *dir, const void *descriptor,
                                                  uint32_t bytes)
{
    struct accd_kept_descriptor *kept =
        accd_mem_new(&dir->context->mem, sizeof *kept + bytes - sizeof(void *));
    if (!kept)
        return NULL;
    kept->bytes = bytes;
    memcpy(kept->rest, (const char *)descriptor + sizeof(void *), bytes - sizeof(void *));
    return kept;
}

void accd_descriptor_forget(struct accd_directory *dir, struct accd_kept_descriptor *kept)
{
    if (kept)
        accd_mem_free(&dir->context->mem, kept, sizeof *kept + kept->bytes - sizeof(void *));
}
