/* attach.c - records of the attach table, which lists the attached pointers: makes and removes these records
 * (attachments), and maintains the rings of attachments with one target. */
#include "table/inside.h"
#include "attach.h"

/* Drops the order by targets (targets.c), because there is no memory for an entry. The next accd__build_target_order
 * builds it again. */
static void drop_target_order(struct accd__device_env *env)
{
    accd__btree_clear(&env->attached.targets);
    env->attached.target_order = false;
}

/* Inserts `attach`, whose base (host address of its target) is not 0, into the ring of attachments with this base. If
 * the ring is new, inserts `attach` into the order by targets, too; without memory for that, drops the whole order. */
void accd__attachment_order_by_target(struct accd__device_env *env, struct accd__attachment *attach)
{
    assert(attach->base != 0);
    struct accd__attachment *other = accd__btree_floor(&env->attached.targets, attach->base);
    attach->next_target = attach->prev_target = attach;
    if (other && other->base == attach->base) {
        attach->prev_target = other;
        attach->next_target = other->next_target;
        other->next_target->prev_target = attach;
        other->next_target = attach;
    } else if (!accd__btree_insert(&env->attached.targets, attach->base, attach)) {
        drop_target_order(env);
    }
}

/* Removes `attach`, whose base is not 0, from the ring of attachments with this base. An empty ring is removed from the
 * order by targets; otherwise the next attachment represents the ring there. */
static void remove_from_target_order(struct accd__device_env *env, struct accd__attachment *attach)
{
    struct accd__attachment *next = attach->next_target;
    if (next == attach) {
        accd__btree_erase(&env->attached.targets, attach->base);
        return;
    }
    next->prev_target = attach->prev_target;
    attach->prev_target->next_target = next;
    accd__btree_replace(&env->attached.targets, attach->base, next);
}

/* Sets attach->base to `base` (0: the target is unmapped), and moves `attach` in the order by targets if that order
 * exists. */
void accd__attachment_set_base(struct accd__device_env *env, struct accd__attachment *attach, uint64_t base)
{
    if (env->attached.target_order && attach->base)
        remove_from_target_order(env, attach);
    attach->base = base;
    if (env->attached.target_order && base)
        accd__attachment_order_by_target(env, attach);
}

/* Returns a new attachment of the pointer at `slot` in a reserved record, not yet in the index. */
struct accd__attachment *accd__new_attachment(struct accd__device_env *env, uint64_t slot)
{
    struct accd__attachment *attach = accd__pool_alloc(&env->attached.pool);
    assert(attach);
    *attach = (struct accd__attachment){.slot = slot};
    env->attached.live++;
    return attach;
}

/* Inserts `n` attachments, given as pairs of pointer address and attachment with ascending addresses, into the index by
 * slot. Extends the hull of all attached pointers. */
void accd__insert_attachments(struct accd__device_env *env, const struct accd__pair *attaches, size_t n)
{
    if (n)
        accd__extend_slot_hull(env, attaches[0].key, attaches[n - 1].key);
    accd__btree_insert_sorted(&env->attached.slots, attaches, n);
}

/* Returns a new attachment of the pointer at `slot` in a reserved record, inserted into the index by slot. */
struct accd__attachment *accd__insert_attachment(struct accd__device_env *env, uint64_t slot)
{
    struct accd__attachment *attach = accd__new_attachment(env, slot);
    accd__insert_attachments(env, &(struct accd__pair){slot, (uintptr_t)attach}, 1);
    return attach;
}

/* Frees the record of an attachment that was removed from the index by slot before. Also removes it from the order by
 * targets, frees its saved descriptor, and updates the counts. */
static void free_attachment(struct accd__device_env *env, struct accd__attachment *attach)
{
    assert(env->attached.live > 0);
    accd__attachment_set_base(env, attach, 0);
    env->attached.ntype_records -= attach->holds_record;
    env->attached.ndescriptors -= attach->descriptor != NULL;
    accd__free_saved_descriptor(env, attach->descriptor);
    accd__pool_free(&env->attached.pool, attach);
    env->attached.live--;
}

/* Removes one attachment from the index by slot and frees its record. */
void accd__remove_attachment(struct accd__device_env *env, struct accd__attachment *attach)
{
    accd__btree_erase(&env->attached.slots, attach->slot);
    free_attachment(env, attach);
}

/* Removes `n` attachments from the index by slot in one pass, and frees their records. */
void accd__remove_attachments(struct accd__device_env *env, struct accd__attachment *const *attaches, size_t n)
{
    assert(n <= ACCD_FAST_PATH_ITEMS);
    uint64_t keys[ACCD_FAST_PATH_ITEMS];
    for (size_t i = 0; i < n; i++)
        keys[i] = attaches[i]->slot;
    if (n)
        accd__btree_erase_keys(&env->attached.slots, keys, n);
    for (size_t i = 0; i < n; i++)
        free_attachment(env, attaches[i]);
}

/* Returns a copy of the `bytes` bytes of a descriptor except its first word, the address of data; NULL: no memory. */
struct accd__saved_descriptor *accd__save_descriptor(struct accd__device_env *env, const void *descriptor,
                                                     uint32_t bytes)
{
    assert(bytes >= sizeof(void *));
    struct accd__saved_descriptor *copy = accd__mem_alloc(&env->context->mem, sizeof *copy + bytes - sizeof(void *));
    if (!copy)
        return NULL;
    copy->bytes = bytes;
    memcpy(copy->rest, (const char *)descriptor + sizeof(void *), bytes - sizeof(void *));
    return copy;
}

/* Frees a copy that accd__save_descriptor made, or does nothing for NULL. */
void accd__free_saved_descriptor(struct accd__device_env *env, struct accd__saved_descriptor *copy)
{
    if (copy)
        accd__mem_free(&env->context->mem, copy, sizeof *copy + copy->bytes - sizeof(void *));
}
