/* ledger.c - what a construct is about to change of records that are there: found by the record, applied at once when
 * nothing can fail any more. A hash table: open addressing, half full at most. */
#include "plan/inside.h"
#include "plan/ledger.h"

enum { FEW_BITS = 4 };

struct entry {
    const void *record; /* NULL: free */
    void *change;
};

struct accd_ledger {
    struct entry *at; /* 1 << bits */
    size_t n;
    unsigned bits;
    struct accd_object_change *objects; /* the last one noted */
    struct accd_attach_change *attachments;
    struct entry few[1 << FEW_BITS];
};

/* The entry of a record, or the free one for it. */
static struct entry *place(const struct accd_ledger *ledger, const void *record)
{
    size_t i = (accd_address(record) * 0x9E3779B97F4A7C15u) >> (64 - ledger->bits);
    while (ledger->at[i].record && ledger->at[i].record != record)
        i = (i + 1) & (((size_t)1 << ledger->bits) - 1);
    return &ledger->at[i];
}

static accd_status make_table(struct accd_plan *plan)
{
    struct accd_ledger *ledger = plan->result.ledger, table = *ledger;
    do
        table.bits++;
    while ((size_t)1 << (table.bits - 1) < plan->found.nclaims); /* most claims have an object of their own */
    ACCD_TAKE(plan->context, table.at, (size_t)1 << table.bits);
    memset(table.at, 0, sizeof table.at[0] << table.bits);
    for (size_t i = 0; i < (size_t)1 << ledger->bits; i++)
        if (ledger->at[i].record)
            *place(&table, ledger->at[i].record) = ledger->at[i];
    ledger->at = table.at;
    ledger->bits = table.bits;
    return ACCD_OK;
}

/* The entry of a record; without a change, if none was noted. */
static accd_status note(struct accd_plan *plan, const void *record, struct entry **entry_p)
{
    struct accd_ledger *ledger = plan->result.ledger;
    if (!ledger) {
        ACCD_TAKE(plan->context, ledger, 1);
        *ledger = (struct accd_ledger){.at = ledger->few, .bits = FEW_BITS};
        plan->result.ledger = ledger;
    }
    if (ledger->n == (size_t)1 << (ledger->bits - 1))
        ACCD_TRY(make_table(plan));
    *entry_p = place(ledger, record);
    ledger->n += !(*entry_p)->record;
    (*entry_p)->record = record;
    return ACCD_OK;
}

static void *find(const struct accd_plan *plan, const void *record)
{
    return plan->result.ledger ? place(plan->result.ledger, record)->change : NULL;
}

accd_status accd_note_object(struct accd_plan *plan, struct accd_object *object, struct accd_object_change **change_p)
{
    struct entry *entry = NULL;
    struct accd_object_change *change;
    ACCD_TRY(note(plan, object, &entry));
    if (!entry->change) {
        ACCD_TAKE(plan->context, change, 1);
        *change = (struct accd_object_change){.object = object,
                                              .dev = object->dev,
                                              .shared = object->size & ACCD_OBJECT_SHARED,
                                              .before = plan->result.ledger->objects};
        entry->change = plan->result.ledger->objects = change;
    }
    *change_p = entry->change;
    return ACCD_OK;
}

accd_status accd_note_attach(struct accd_plan *plan, struct accd_attach *attach, struct accd_attach_change **change_p)
{
    struct entry *entry = NULL;
    struct accd_attach_change *change;
    ACCD_TRY(note(plan, attach, &entry));
    if (!entry->change) {
        ACCD_TAKE(plan->context, change, 1);
        *change = (struct accd_attach_change){
            .attach = attach, .dev = attach->dev, .before = plan->result.ledger->attachments};
        entry->change = plan->result.ledger->attachments = change;
    }
    *change_p = entry->change;
    return ACCD_OK;
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
    return (plan->found.fusion ? accd_object_dev(plan, object) : object->dev) + (host - object->host);
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
    if (!plan->result.ledger)
        return;
    for (const struct accd_object_change *change = plan->result.ledger->objects; change; change = change->before) {
        struct accd_object *object = change->object;
        object->structured -= change->structured;
        object->dynamic -= change->dynamic;
        object->pins -= change->unpinned;
        object->dev = change->dev;
        object->size &= ~ACCD_OBJECT_SHARED;
        object->size |= (change->shared ? ACCD_OBJECT_SHARED : 0) | (change->fell_short ? ACCD_OBJECT_SHORT : 0);
    }
    for (const struct accd_attach_change *change = plan->result.ledger->attachments; change; change = change->before) {
        change->attach->count -= change->taken;
        change->attach->dev = change->dev;
        if (change->dangles && change->attach->count)
            accd_attach_lead(plan->dir, change->attach, 0);
    }
}
