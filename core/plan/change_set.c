/* change_set.c - the pending changes of present objects and attachments, stored by the address of the changed record
 * and applied at the commit.
 *
 * To note a change is to record it in the change set of the plan; the record of the object or attachment itself does
 * not change before the commit. A hash table with open addressing, at most half full, finds the change of a record;
 * lists link the changes of each kind for the commit.
 *     at[hash(record)] -> {record, change} -> change->before -> ... -> NULL
 * Files of core/plan and core/ops note changes while they plan, and read with accd__planned_* what a record will be
 * like after the commit. */
#include "plan/change_set.h"
#include "plan/inside.h"
#include "table/attach.h"

#include <assert.h>

enum { INLINE_BITS = 4 };

struct change_entry {
    const void *record; /* key: object or attachment that changes; NULL: the entry is free */
    /* struct accd__object_change or struct accd__attachment_change of the record */
    void *change;
};

struct accd__change_set {
    struct change_entry *at; /* table of 1 << bits entries */
    size_t n;
    unsigned bits;
    /* head of the list of changed objects, the latest first; NULL: no object changes */
    struct accd__object_change *objects;
    /* head of the list of changed attachments, the latest first; NULL: no attachment changes */
    struct accd__attachment_change *attachments;
    struct change_entry inline_table[1 << INLINE_BITS];
};

/* Returns the entry of `record` (an object or attachment) or, if it has none, the free entry where it belongs. Requires
 * that the table has a free entry. */
static struct change_entry *find_entry(const struct accd__change_set *change_set, const void *record)
{
    assert(record && change_set->bits >= INLINE_BITS && change_set->bits < 64);
    size_t i = (accd__address(record) * 0x9E3779B97F4A7C15u) >> (64 - change_set->bits);
    while (change_set->at[i].record && change_set->at[i].record != record)
        i = (i + 1) & (((size_t)1 << change_set->bits) - 1);
    return &change_set->at[i];
}

/* Enlarges the table to at least twice its size, and so that it can hold one record for each request. Returns
 * ACCD_ERROR_OUT_OF_MEMORY without memory; the table then stays as it is. */
static accd_status grow_table(struct accd__plan *plan)
{
    struct accd__change_set *change_set = plan->changes.change_set, table = *change_set;
    do
        table.bits++;
    /* usually enough, because a request notes one change */
    while ((size_t)1 << (table.bits - 1) < plan->resolved.nrequests);
    ACCD_SCRATCH_ALLOC(plan->context, table.at, (size_t)1 << table.bits);
    memset(table.at, 0, sizeof table.at[0] << table.bits);
    for (size_t i = 0; i < (size_t)1 << change_set->bits; i++)
        if (change_set->at[i].record)
            *find_entry(&table, change_set->at[i].record) = change_set->at[i];
    change_set->at = table.at;
    change_set->bits = table.bits;
    return ACCD_OK;
}

/* Sets *entry_p to the entry of `record`, which is added if there is none; its `change` is then NULL. Makes the change
 * set of the plan at its first use. Returns ACCD_ERROR_OUT_OF_MEMORY without memory. */
static accd_status note_record(struct accd__plan *plan, const void *record, struct change_entry **entry_p)
{
    struct accd__change_set *change_set = plan->changes.change_set;
    if (!change_set) {
        ACCD_SCRATCH_ALLOC(plan->context, change_set, 1);
        *change_set = (struct accd__change_set){.at = change_set->inline_table, .bits = INLINE_BITS};
        plan->changes.change_set = change_set;
    }
    if (change_set->n == (size_t)1 << (change_set->bits - 1))
        ACCD_TRY(grow_table(plan));
    *entry_p = find_entry(change_set, record);
    change_set->n += !(*entry_p)->record;
    (*entry_p)->record = record;
    return ACCD_OK;
}

/* Returns the change noted for `record`; NULL: no change was noted. */
static void *find_change(const struct accd__plan *plan, const void *record)
{
    return plan->changes.change_set ? find_entry(plan->changes.change_set, record)->change : NULL;
}

/* Sets *change_p to the pending change of `object`; adds one that changes nothing yet if there is none. Fails only
 * without memory. */
accd_status accd__note_object_change(struct accd__plan *plan, struct accd__object *object,
                                     struct accd__object_change **change_p)
{
    assert(object && change_p);
    struct change_entry *entry = NULL;
    struct accd__object_change *change;
    ACCD_TRY(note_record(plan, object, &entry));
    if (!entry->change) {
        ACCD_SCRATCH_ALLOC(plan->context, change, 1);
        *change = (struct accd__object_change){.object = object,
                                               .dev = object->dev,
                                               .shared = object->size & ACCD_OBJECT_SHARED,
                                               .before = plan->changes.change_set->objects};
        entry->change = plan->changes.change_set->objects = change;
    }
    *change_p = entry->change;
    return ACCD_OK;
}

/* Sets *change_p to the pending change of `attach`; adds one that changes nothing yet if there is none. Fails only
 * without memory. */
accd_status accd__note_attachment_change(struct accd__plan *plan, struct accd__attachment *attach,
                                         struct accd__attachment_change **change_p)
{
    assert(attach && change_p);
    struct change_entry *entry = NULL;
    struct accd__attachment_change *change;
    ACCD_TRY(note_record(plan, attach, &entry));
    if (!entry->change) {
        ACCD_SCRATCH_ALLOC(plan->context, change, 1);
        *change = (struct accd__attachment_change){
            .attach = attach, .dev = attach->dev, .before = plan->changes.change_set->attachments};
        entry->change = plan->changes.change_set->attachments = change;
    }
    *change_p = entry->change;
    return ACCD_OK;
}

/* True if the pending change of `object` removes it. */
bool accd__object_is_removed(const struct accd__plan *plan, const struct accd__object *object)
{
    const struct accd__object_change *change = find_change(plan, object);
    return change && change->is_removed;
}

/* Returns the device address of `object` after the commit: the pending one or, without a change, the present one. */
uint64_t accd__planned_object_dev(const struct accd__plan *plan, const struct accd__object *object)
{
    const struct accd__object_change *change = find_change(plan, object);
    return change ? change->dev : object->dev;
}

/* Returns the device address, after the commit, of the byte at `host` in the object of `request`. */
uint64_t accd__request_dev(const struct accd__plan *plan, const struct accd__request *request, uint64_t host)
{
    assert(request->object);
    const struct accd__object *object = request->object;
    return (plan->resolved.fusion ? accd__planned_object_dev(plan, object) : object->dev) + (host - object->host);
}

/* Returns the number of attachments to `object` after the commit. */
uint32_t accd__planned_pins(const struct accd__plan *plan, const struct accd__object *object)
{
    const struct accd__object_change *change = object->pins ? find_change(plan, object) : NULL;
    return object->pins - (change ? change->unpinned : 0);
}

/* Returns the attach counter of `attach` after the commit; 0: the attachment ends. */
uint32_t accd__planned_attach_count(const struct accd__plan *plan, const struct accd__attachment *attach)
{
    const struct accd__attachment_change *change = find_change(plan, attach);
    return attach->count - (change ? change->removed_count : 0);
}

/* Returns the value of the device pointer of `attach` after the commit. */
uint64_t accd__planned_attachment_dev(const struct accd__plan *plan, const struct accd__attachment *attach)
{
    const struct accd__attachment_change *change = find_change(plan, attach);
    return change ? change->dev : attach->dev;
}

/* True if the pending change ends `attach` because clauses detach it. False if its counter stays positive, or it ends
 * although no clause detaches it (`forced`). */
bool accd__is_planned_detached(const struct accd__plan *plan, const struct accd__attachment *attach)
{
    const struct accd__attachment_change *change = find_change(plan, attach);
    return change && change->removed_count == attach->count && !change->forced;
}

/* Applies all pending changes: subtracts removed references, pins (numbers of attachments to an object) and attach
 * counters, and stores new addresses and flags. An attachment that stays without a target gets base 0. Cannot fail. */
void accd__apply_changes(const struct accd__plan *plan)
{
    if (!plan->changes.change_set)
        return;
    for (const struct accd__object_change *change = plan->changes.change_set->objects; change;
         change = change->before) {
        struct accd__object *object = change->object;
        object->structured -= change->structured;
        object->dynamic -= change->dynamic;
        object->pins -= change->unpinned;
        object->dev = change->dev;
        object->size &= ~ACCD_OBJECT_SHARED;
        object->size |=
            (change->shared ? ACCD_OBJECT_SHARED : 0) | (change->becomes_undercounted ? ACCD_OBJECT_UNDERCOUNTED : 0);
    }
    for (const struct accd__attachment_change *change = plan->changes.change_set->attachments; change;
         change = change->before) {
        change->attach->count -= change->removed_count;
        change->attach->dev = change->dev;
        if (change->dangles && change->attach->count)
            accd__attachment_set_base(plan->env, change->attach, 0);
    }
}
