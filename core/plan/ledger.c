/* ledger.c - what a construct is about to change of records that are there: found by the record, applied at once when
 * nothing can fail any more. A few are a list; more of them are hashed: open addressing, half full at most. */
#include "plan/inside.h"

enum { LISTED = 8 };

struct entry {
    const void *record; /* NULL: free */
    void *change;
};

struct accd_ledger {
    struct entry *at; /* all of a list; of a table 1 << bits */
    size_t n;
    unsigned bits;    /* 0: it is a list */
    struct accd_object_change *objects; /* the last one noted */
    struct accd_attach_change *attachments;
    struct entry list[LISTED + 1];
};

/* The entry of a record, or the free one for it. */
static struct entry *place(const struct accd_ledger *ledger, const void *record)
{
    const size_t mask = ((size_t)1 << ledger->bits) - 1;
    size_t i = mask ? (accd_address(record) * 0x9E3779B97F4A7C15u) >> (64 - ledger->bits) : 0;
    while (ledger->at[i].record && ledger->at[i].record != record)
        i = mask ? (i + 1) & mask : i + 1;
    return &ledger->at[i];
}

static bool make_table(struct accd_plan *plan)
{
    struct accd_ledger *ledger = plan->ledger, table = *ledger;
    const size_t had = ledger->bits ? (size_t)1 << ledger->bits : LISTED;
    table.bits = ledger->bits ? ledger->bits + 1 : 5;
    while ((size_t)1 << (table.bits - 1) < plan->nclaims) /* most claims have an object of their own */
        table.bits++;
    const size_t bytes = sizeof table.at[0] << table.bits;
    table.at = accd_scratch_take(&plan->context->scratch, bytes);
    if (!table.at)
        return false;
    memset(table.at, 0, bytes);
    for (size_t i = 0; i < had; i++)
        if (ledger->at[i].record)
            *place(&table, ledger->at[i].record) = ledger->at[i];
    ledger->at = table.at;
    ledger->bits = table.bits;
    return true;
}

/* Where the change of a record is kept; NULL there: none was noted. NULL: no memory. */
static void **note(struct accd_plan *plan, const void *record)
{
    struct accd_ledger *ledger = plan->ledger;
    if (!ledger) {
        ledger = plan->ledger = accd_scratch_take(&plan->context->scratch, sizeof *ledger);
        if (!ledger)
            return NULL;
        *ledger = (struct accd_ledger){.at = ledger->list};
    }
    const size_t most = ledger->bits ? (size_t)1 << (ledger->bits - 1) : LISTED;
    if (ledger->n == most && !make_table(plan))
        return NULL;
    struct entry *entry = place(ledger, record);
    ledger->n += !entry->record;
    entry->record = record;
    return &entry->change;
}

static void *find(const struct accd_plan *plan, const void *record)
{
    return plan->ledger ? place(plan->ledger, record)->change : NULL;
}

struct accd_object_change *accd_note_object(struct accd_plan *plan, struct accd_object *object)
{
    void **at = note(plan, object);
    if (!at || *at)
        return at ? *at : NULL;
    struct accd_object_change *change = *at = accd_scratch_take(&plan->context->scratch, sizeof *change);
    if (!change)
        return NULL;
    *change = (struct accd_object_change){.object = object,
                                          .dev = object->dev,
                                          .shared = object->size & ACCD_OBJECT_SHARED,
                                          .before = plan->ledger->objects};
    return plan->ledger->objects = change;
}

struct accd_attach_change *accd_note_attach(struct accd_plan *plan, struct accd_attach *attach)
{
    void **at = note(plan, attach);
    if (!at || *at)
        return at ? *at : NULL;
    struct accd_attach_change *change = *at = accd_scratch_take(&plan->context->scratch, sizeof *change);
    if (!change)
        return NULL;
    *change = (struct accd_attach_change){.attach = attach, .dev = attach->dev, .before = plan->ledger->attachments};
    return plan->ledger->attachments = change;
}

bool accd_object_goes(const struct accd_plan *plan, const struct accd_object *object)
{
    const struct accd_object_change *change = find(plan, object);
    return change && change->goes;
}

uint64_t accd_object_dev(const struct accd_plan *plan, const struct accd_object *object)
{
    const struct accd_object_change *change = find(plan, object);
    return change ? change->dev : object->dev;
}

uint64_t accd_claim_dev(const struct accd_plan *plan, const struct accd_claim *claim, uint64_t host)
{
    const struct accd_object *object = claim->object;
    return (plan->fusion ? accd_object_dev(plan, object) : object->dev) + (host - object->host);
}

uint32_t accd_pins_left(const struct accd_plan *plan, const struct accd_object *object)
{
    const struct accd_object_change *change = object->pins ? find(plan, object) : NULL;
    return object->pins - (change ? change->unpinned : 0);
}

uint32_t accd_attach_left(const struct accd_plan *plan, const struct accd_attach *attach)
{
    const struct accd_attach_change *change = find(plan, attach);
    return attach->count - (change ? change->taken : 0);
}

uint64_t accd_attach_dev(const struct accd_plan *plan, const struct accd_attach *attach)
{
    const struct accd_attach_change *change = find(plan, attach);
    return change ? change->dev : attach->dev;
}

bool accd_is_detached(const struct accd_plan *plan, const struct accd_attach *attach)
{
    const struct accd_attach_change *change = find(plan, attach);
    return change && change->taken == attach->count && !change->forced;
}

void accd_ledger_apply(const struct accd_plan *plan)
{
    if (!plan->ledger)
        return;
    for (const struct accd_object_change *change = plan->ledger->objects; change; change = change->before) {
        struct accd_object *object = change->object;
        object->structured -= change->structured;
        object->dynamic -= change->dynamic;
        object->pins -= change->unpinned;
        object->dev = change->dev;
        object->size &= ~ACCD_OBJECT_SHARED;
        object->size |= (change->shared ? ACCD_OBJECT_SHARED : 0) | (change->fell_short ? ACCD_OBJECT_SHORT : 0);
    }
    for (const struct accd_attach_change *change = plan->ledger->attachments; change; change = change->before) {
        change->attach->count -= change->taken;
        change->attach->dev = change->dev;
        if (change->dangles && change->attach->count)
            accd_attach_lead(plan->dir, change->attach, 0);
    }
}
