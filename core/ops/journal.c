/* journal.c - saves what a compute construct changes in data that were present before it, so that these changes can be
 * undone when the construct is abandoned. Saved are the bytes that its entry or its kernel overwrites and, where
 * attachments are not counted, the pointers that its entry attaches.
 *
 *     bytes: | old content, written bits | address | length | old content, written bits | address | length |
 *                                                                                             used ---------^
 * Records are appended, and restored from the end: if a byte was saved twice, its oldest content is restored last. */
#include "accdeep_queues.h"
#include "ops/inside.h"
#include "plan/fusion.h"
#include "table/attach.h"
#include "table/find.h"
#include "table/objects.h"

#include <assert.h>

/* Saved state of an attached pointer. */
struct saved_pointer {
    struct accd__attachment attachment; /* copy of the attachment; count 0: the pointer was not attached */
    bool holds; /* true if the object that contains the pointer had the flag ACCD_OBJECT_HAD_POINTER */
};

struct accd__journal {
    size_t used, capacity;
    uint8_t *bytes; /* buffer of the records, which are read from the end */
    struct saved_pointer *pointers;
    size_t npointers, pointers_capacity;
};

/* Appends a record with the `bytes` bytes of device content at `from`, to be restored at `dev`. The addresses differ if
 * fusion moves the data within the device: `dev` is then the new one. Fails without memory, or if the device cannot be
 * read. */
static accd_status save_bytes_from(struct accd__device_env *env, uint64_t from, uint64_t dev, uint64_t bytes)
{
    assert(env->journal);
    struct accd__journal *journal = env->journal;
    size_t saved = bytes + (bytes + 7) / 8, need = saved + 2 * sizeof(uint64_t);
    if (!accd__mem_grow(&env->context->mem, (void **)&journal->bytes, &journal->capacity, journal->used + need, 1))
        return accd__report_out_of_memory(env->context, "to remember what a kernel overwrites");
    uint8_t *at = journal->bytes + journal->used;
    ACCD_TRY(accd__check_device_status(&env->device, env->device.ops->save(env->device.handle, from, bytes, at),
                                       "in an access to its memory"));
    memcpy(at + saved, &dev, sizeof dev);
    memcpy(at + saved + sizeof dev, &bytes, sizeof bytes);
    journal->used += need;
    return ACCD_OK;
}

/* Appends a record with the device bytes [dev, dev + bytes). Fails without memory, or if the device cannot be read. */
accd_status accd__journal_save_bytes(struct accd__device_env *env, uint64_t dev, uint64_t bytes)
{
    return save_bytes_from(env, dev, dev, bytes);
}

/* Saves the `bytes` bytes of present data that an entry will write at `dev`. Data that fusion moves are read at their
 * old address, because the move is still to come. Fails without memory, or if the device cannot be read. */
static accd_status save_present(const struct accd__plan *plan, uint64_t dev, uint64_t bytes)
{
    uint64_t from = dev;
    for (size_t i = 0; plan->resolved.fusion && i < plan->resolved.fusion->shifts.n; i++) {
        const struct accd__object_shift *shift = &plan->resolved.fusion->shifts.at[i];
        if (dev - shift->to < accd__object_bytes(shift->object))
            from = shift->from + (dev - shift->to);
    }
    return save_bytes_from(plan->env, from, dev, bytes);
}

/* Saves the present bytes that the entry of `plan` will overwrite and, if attachments are not counted, the pointers in
 * `attaches` that it will attach. Fails without memory, or if the device cannot be read. */
accd_status accd__journal_save_entry(const struct accd__plan *plan, const struct accd__attach_plan *attaches)
{
    assert(plan->env->journal);
    struct accd__device_env *env = plan->env;
    struct accd__journal *journal = env->journal;
    for (size_t i = 0; i < plan->changes.moves.n; i++) {
        const struct accd__move *move = &plan->changes.moves.at[i];
        const unsigned state = plan->resolved.requests[move->request].state;
        if (state == ACCD_REQUEST_PRESENT || state == ACCD_REQUEST_FILLS_HOLE)
            ACCD_TRY(save_present(plan, move->dev, move->bytes));
    }
    for (size_t i = 0; i < plan->changes.words.n; i++)
        ACCD_TRY(save_present(plan, plan->changes.words.at[i].dev, plan->changes.words.at[i].bytes));
    if (plan->context->policy.counts_attachments)
        return ACCD_OK; /* nothing to save: the end of the construct subtracts the counts that its entry added */
    for (size_t i = 0; i < attaches->n; i++) {
        const struct accd__planned_attach *planned = &attaches->at[i];
        if (planned->counts || planned->repeats || !planned->holder)
            continue; /* needs no record: the attachment stays as it is, or ends when the construct's new objects are
                         removed */
        if (planned->descriptor || (planned->attach && planned->attach->descriptor))
            continue; /* cannot happen: descriptors are Fortran's, whose rules count attachments */
        if (!accd__mem_grow(&env->context->mem, (void **)&journal->pointers, &journal->pointers_capacity,
                            journal->npointers + 1, sizeof journal->pointers[0]))
            return accd__report_out_of_memory(env->context, "to remember an attached pointer");
        struct saved_pointer *pointer = &journal->pointers[journal->npointers++];
        env->journal_attaches = true;
        pointer->attachment = planned->attach
                                  ? *planned->attach
                                  : (struct accd__attachment){.slot = plan->resolved.requests[planned->request].slot};
        pointer->holds = planned->holder->size & ACCD_OBJECT_HAD_POINTER;
    }
    return ACCD_OK;
}

/* Increments (`pins` is true) or decrements the pins (number of attachments) of the target of `attach`. Does nothing if
 * the target is not present; pins do not fall below 0. */
static void adjust_pins(struct accd__device_env *env, const struct accd__attachment *attach, bool pins)
{
    struct accd__object *target;
    if (attach->base && accd__find_object(env, attach->base, &target) == ACCD_OK && target)
        target->pins += pins ? 1 : target->pins ? UINT32_MAX : 0;
}

/* Restores the saved state of one attachment: removes, makes or changes its record. Cannot fail. */
static void restore_attachment(struct accd__device_env *env, const struct saved_pointer *pointer)
{
    struct accd__attachment *attach = accd__btree_floor(&env->attached.slots, pointer->attachment.slot);
    struct accd__object *holder;
    if (attach && attach->slot != pointer->attachment.slot)
        attach = NULL;
    if (attach)
        adjust_pins(env, attach, false);
    if (pointer->attachment.count) {
        if (!attach) /* cannot fail: the record was removed meanwhile, so that the pool has a free one */
            attach = accd__insert_attachment(env, pointer->attachment.slot);
        const uint64_t base = pointer->attachment.base;
        accd__attachment_set_base(env, attach, 0);
        *attach = pointer->attachment;
        attach->base = 0;
        accd__attachment_set_base(env, attach, base);
        adjust_pins(env, attach, true);
        return;
    }
    if (!attach)
        return; /* nothing to undo: the pointer is not attached, because the entry failed before it attached the pointer
                 */
    if (!pointer->holds && accd__find_object(env, attach->slot, &holder) == ACCD_OK && holder)
        holder->size &= ~ACCD_OBJECT_HAD_POINTER;
    accd__remove_attachment(env, attach);
}

/* Opens the journal of a device. Returns ACCD_ERROR_MISUSE if a journal is open or the device cannot save bytes, and
 * fails without memory or if there is no such device. */
accd_status accd_journal_begin(accd_context *context, int device)
{
    ACCD_ON_DEVICE(env, context, device);
    if (env->journal || !env->device.ops->save)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "a journal cannot be opened");
    env->journal = accd__mem_alloc_zeroed(&context->mem, sizeof *env->journal);
    env->slow_path_reasons += env->journal != NULL;
    return env->journal ? ACCD_OK : accd__report_out_of_memory(context, "for a journal");
}

/* Closes the journal of a device, if one is open. Unless `commit` is set, first restores all saved bytes that are still
 * allocated, and all saved pointers. */
void accd_journal_end(accd_context *context, int device, int commit)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    struct accd__journal *journal = env ? env->journal : NULL;
    if (!journal)
        return;
    if (env->device.ops->settle_kernel) /* undoes the writes of kernels first, because kernels ran after the entry,
                                           whose writes are restored below */
        env->device.ops->settle_kernel(env->device.handle, commit);
    while (!commit && journal->used) {
        uint64_t dev, bytes;
        const uint8_t *end = journal->bytes + journal->used;
        memcpy(&bytes, end - sizeof bytes, sizeof bytes);
        memcpy(&dev, end - sizeof bytes - sizeof dev, sizeof dev);
        size_t saved = bytes + (bytes + 7) / 8;
        journal->used -= saved + 2 * sizeof(uint64_t);
        if (env->device.ops->is_allocated(env->device.handle, dev, bytes))
            env->device.ops->restore(env->device.handle, dev, bytes, journal->bytes + journal->used);
    }
    for (size_t i = commit ? 0 : journal->npointers; i-- > 0;)
        restore_attachment(env, &journal->pointers[i]);
    accd__mem_free(&context->mem, journal->bytes, journal->capacity);
    accd__mem_free(&context->mem, journal->pointers, journal->pointers_capacity * sizeof journal->pointers[0]);
    accd__mem_free(&context->mem, journal, sizeof *journal);
    env->journal = NULL;
    env->journal_attaches = false;
    env->slow_path_reasons--;
}
