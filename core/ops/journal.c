/* journal.c - what a compute construct changes of data that were present before it: bytes that its kernel or its
 * entry overwrites, and, where attachments are not counted, pointers that its entry attaches. A construct
 * that is given up leaves all that as it was. */
#include "ops/inside.h"
#include "plan/fusion.h"

struct pointer {
    struct accd_attach was; /* count 0: it was not attached */
    bool holds;             /* its object held an attached pointer before */
};

struct accd_journal {
    size_t used, room;
    uint8_t *bytes; /* records: what was there, address, length; read from the end */
    struct pointer *pointers;
    size_t npointers, pointers_room;
};

/* Remembers for a place what lies at another one, which is the same place or where its data lay before. */
static accd_status save_from(struct accd_directory *dir, uint64_t from, uint64_t dev, uint64_t bytes)
{
    struct accd_journal *journal = dir->journal;
    size_t saved = bytes + (bytes + 7) / 8, need = saved + 2 * sizeof(uint64_t);
    if (!accd_mem_grow(&dir->context->mem, (void **)&journal->bytes, &journal->room, journal->used + need, 1))
        return accd_out_of_memory(dir->context, "to remember what a kernel overwrites");
    uint8_t *at = journal->bytes + journal->used;
    ACCD_TRY(accd_device_result(&dir->device, dir->device.ops->save(dir->device.handle, from, bytes, at),
                                "in an access to its memory"));
    memcpy(at + saved, &dev, sizeof dev);
    memcpy(at + saved + sizeof dev, &bytes, sizeof bytes);
    journal->used += need;
    return ACCD_OK;
}

accd_status accd_journal_bytes(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    return save_from(dir, dev, dev, bytes);
}

/* The same of bytes that an entry writes, before it copies what it fuses to its new places. */
static accd_status save_present(const struct accd_plan *plan, uint64_t dev, uint64_t bytes)
{
    uint64_t from = dev;
    for (size_t i = 0; plan->found.fusion && i < plan->found.fusion->shifts.n; i++) {
        const struct accd_shift *shift = &plan->found.fusion->shifts.at[i];
        if (dev - shift->to < accd_object_bytes(shift->object))
            from = shift->from + (dev - shift->to);
    }
    return save_from(plan->dir, from, dev, bytes);
}

accd_status accd_journal_entry(const struct accd_plan *plan, const struct accd_links *links)
{
    struct accd_directory *dir = plan->dir;
    struct accd_journal *journal = dir->journal;
    for (size_t i = 0; i < plan->result.moves.n; i++) {
        const struct accd_move *move = &plan->result.moves.at[i];
        const unsigned state = plan->found.claims[move->claim].state;
        if (state == ACCD_CLAIM_PRESENT || state == ACCD_CLAIM_FILLS)
            ACCD_TRY(save_present(plan, move->dev, move->bytes));
    }
    for (size_t i = 0; i < plan->result.words.n; i++)
        ACCD_TRY(save_present(plan, plan->result.words.at[i].dev, plan->result.words.at[i].bytes));
    if (plan->context->verdicts.counts_attachments)
        return ACCD_OK; /* the construct's references are taken off */
    for (size_t i = 0; i < links->n; i++) {
        const struct accd_link *link = &links->at[i];
        if (link->counts || link->repeats || !link->holder)
            continue; /* no change, or it goes with what the construct makes present */
        if (link->descriptor || (link->attach && link->attach->descriptor))
            continue; /* descriptors are Fortran's, whose constructs count attachments */
        if (!accd_mem_grow(&dir->context->mem, (void **)&journal->pointers, &journal->pointers_room,
                           journal->npointers + 1, sizeof journal->pointers[0]))
            return accd_out_of_memory(dir->context, "to remember an attached pointer");
        struct pointer *pointer = &journal->pointers[journal->npointers++];
        dir->journal_attaches = true;
        pointer->was = link->attach ? *link->attach
                                    : (struct accd_attach){.slot = plan->found.claims[link->claim].slot};
        pointer->holds = link->holder->size & ACCD_OBJECT_HOLDS;
    }
    return ACCD_OK;
}

static void pin(struct accd_directory *dir, const struct accd_attach *attach, bool pins)
{
    struct accd_object *target;
    if (attach->base && accd_find(dir, attach->base, &target) == ACCD_OK && target)
        target->pins += pins ? 1 : target->pins ? UINT32_MAX : 0;
}

static void put_back(struct accd_directory *dir, const struct pointer *pointer)
{
    struct accd_attach *attach = accd_range_floor(&dir->attached.slots, pointer->was.slot);
    struct accd_object *holder;
    if (attach && attach->slot != pointer->was.slot)
        attach = NULL;
    if (attach)
        pin(dir, attach, false);
    if (pointer->was.count) {
        if (!attach) /* it was attached to nothing: there is room for what was taken out */
            attach = accd_insert_attach(dir, pointer->was.slot);
        const uint64_t base = pointer->was.base;
        accd_attach_lead(dir, attach, 0);
        *attach = pointer->was;
        attach->base = 0;
        accd_attach_lead(dir, attach, base);
        pin(dir, attach, true);
        return;
    }
    if (!attach)
        return; /* the construct's entry failed */
    if (!pointer->holds && accd_find(dir, attach->slot, &holder) == ACCD_OK && holder)
        holder->size &= ~ACCD_OBJECT_HOLDS;
    accd_remove_attach(dir, attach);
}

accd_status accd_journal_open(accd_context *context, int device)
{
    ACCD_ON_DEVICE(dir, context, device);
    if (dir->journal || !dir->device.ops->save)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "a journal cannot be opened");
    dir->journal = accd_mem_zero(&context->mem, sizeof *dir->journal);
    dir->eventful += dir->journal != NULL;
    return dir->journal ? ACCD_OK : accd_out_of_memory(context, "for a journal");
}

void accd_journal_close(accd_context *context, int device, int commit)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_journal *journal = dir ? dir->journal : NULL;
    if (!journal)
        return;
    if (dir->device.ops->conclude) /* kernels run after the construct's entry */
        dir->device.ops->conclude(dir->device.handle, commit);
    while (!commit && journal->used) {
        uint64_t dev, bytes;
        const uint8_t *end = journal->bytes + journal->used;
        memcpy(&bytes, end - sizeof bytes, sizeof bytes);
        memcpy(&dev, end - sizeof bytes - sizeof dev, sizeof dev);
        size_t saved = bytes + (bytes + 7) / 8;
        journal->used -= saved + 2 * sizeof(uint64_t);
        if (dir->device.ops->allocated(dir->device.handle, dev, bytes))
            dir->device.ops->restore(dir->device.handle, dev, bytes, journal->bytes + journal->used);
    }
    for (size_t i = commit ? 0 : journal->npointers; i-- > 0;)
        put_back(dir, &journal->pointers[i]);
    accd_mem_free(&context->mem, journal->bytes, journal->room);
    accd_mem_free(&context->mem, journal->pointers, journal->pointers_room * sizeof journal->pointers[0]);
    accd_mem_free(&context->mem, journal, sizeof *journal);
    dir->journal = NULL;
    dir->journal_attaches = false;
    dir->eventful--;
}
