/* detach.c - attachments that end with what goes, and what goes with them: pointers in objects that go, and
 * pointers to such; and where a descriptor's attachment made its type record present, the reference it held on
 * that (FLANG-todo-1), in the same step as all else (FLANG-api-7). */
#include "ops/leave.h"
#include "plan/fusion.h"
#include "table/name.h"

/* Decides TR14-4.1-04, ACC33-det-1, FLANG-pointer-5. */
static accd_status take_off(struct leave *leave, struct accd_attach *attach, uint32_t taken, bool forced)
{
    struct accd_plan *plan = leave->plan;
    struct accd_attach_change *change;
    ACCD_TRY(accd_note_attach(plan, attach, &change));
    change->taken += taken;
    change->forced = forced;
    if (change->taken == attach->count)
        ACCD_ADD(plan->context, &leave->removed, change);
    return ACCD_OK;
}

accd_status accd_detach(struct leave *leave, struct accd_attach *attach, uint32_t taken)
{
    return take_off(leave, attach, taken, false);
}

accd_status accd_end_attachment(struct leave *leave, struct accd_attach *attach)
{
    return take_off(leave, attach, accd_attach_left(leave->plan, attach), true);
}

/* ------------------------------------------------------------------------------- type records -- */

accd_status accd_end_object(struct leave *leave, struct accd_object_change *change)
{
    struct accd_object *object = change->object;
    if (object->structured > change->structured || object->dynamic > change->dynamic || change->coming ||
        change->goes || object->size & ACCD_OBJECT_MAPPED)
        return ACCD_OK;
    ACCD_ADD(leave->plan->context, &leave->dying, object);
    change->goes = true;
    return ACCD_OK;
}

/* The reference that an attachment held on its target.
 * Decides FLANG-todo-1. */
static accd_status release_record(struct leave *leave, struct accd_attach_change *ended)
{
    struct accd_plan *plan = leave->plan;
    const uint64_t target = ended->attach->target;
    struct accd_object *record = NULL;
    if (ended->attach->base) /* it is still what was attached */
        ACCD_TRY(accd_find(plan->dir, target, &record));
    if (!record)
        return ACCD_OK;
    struct accd_object_change *change;
    ACCD_TRY(accd_note_object(plan, record, &change));
    if (record->dynamic - change->dynamic <= (record->size & ACCD_OBJECT_MAPPED ? 1 : 0))
        return ACCD_OK; /* others took it off already */
    struct accd_original *opened =
        plan->found.fusion
            ? accd_opened(plan->dir, target, accd_record_bytes(plan->context, target))
            : NULL;
    if (opened)
        ACCD_TRY(accd_unfuse_original(plan, opened));
    change->dynamic++;
    ended->record = record;
    return accd_end_object(leave, change);
}

accd_status accd_release_records(struct leave *leave)
{
    struct accd_directory *dir = leave->plan->dir;
    for (; leave->released < leave->removed.n; leave->released++) {
        struct accd_attach_change *ended = leave->removed.at[leave->released];
        struct accd_attach *inner = dir->attached.nrecords ? accd_attach_record(dir, ended->attach) : NULL;
        if (inner && accd_attach_left(leave->plan, inner))
            ACCD_TRY(accd_end_attachment(leave, inner));
        if (ended->attach->holds_record)
            ACCD_TRY(release_record(leave, ended));
    }
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------- what continues -- */

/* Decides TR14-4.3-12. */
static accd_status still_attached(const struct leave *leave, const struct accd_object *object,
                                  const struct accd_attach *attach, const char *how)
{
    struct accd_plan *plan = leave->plan;
    accd_object_info *asked = &plan->context->error.asked;
    char name[160];
    accd_name_object(plan->dir, object, name, sizeof name);
    accd_claim_error(plan, NULL, object, ACCD_STILL_ATTACHED, R_STILL_ATTACHED,
                     "%s would be removed, but the pointer " ACCD_ASKED " is still attached %s", name, how);
    accd_name_slot(plan->dir, attach->slot, attach->label, asked->name, sizeof asked->name);
    asked->host = attach->slot;
    asked->bytes = sizeof(void *);
    return accd_name_asked(plan->context);
}

/* Attachments whose pointer lies in a dying object end with it.
 * Decides ACC33-att-7. */
static accd_status end_inner_attachments(struct leave *leave, size_t from)
{
    struct accd_plan *plan = leave->plan;
    bool reject = plan->context->rules.still_attached == ACCD_REJECT && !leave->abandon;
    for (size_t i = from; i < leave->dying.n; i++) {
        struct accd_range_cursor cursor;
        struct accd_attach *attach;
        const struct accd_object *object = leave->dying.at[i];
        ACCD_TRY(accd_first_attach(plan->dir, object->host, accd_object_end(object), &cursor, &attach));
        for (; attach; attach = accd_next_attach(&cursor, accd_object_end(object))) {
            if (!accd_attach_left(plan, attach))
                continue;
            if (reject)
                return still_attached(leave, object, attach, "in it");
            ACCD_TRY(accd_end_attachment(leave, attach));
        }
    }
    return ACCD_OK;
}

/* An attached pointer points to its target no more. */
static accd_status unpin(struct accd_plan *plan, const struct accd_attach *attach)
{
    struct accd_object *target;
    ACCD_TRY(accd_find(plan->dir, attach->base, &target));
    if (!target || !accd_pins_left(plan, target))
        return ACCD_OK;
    struct accd_object_change *change;
    ACCD_TRY(accd_note_object(plan, target, &change));
    change->unpinned++;
    return ACCD_OK;
}

static accd_status unpin_removed(struct leave *leave)
{
    for (; leave->unpinned < leave->removed.n; leave->unpinned++)
        ACCD_TRY(unpin(leave->plan, leave->removed.at[leave->unpinned]->attach));
    return ACCD_OK;
}

/* An attachment whose target goes without it. */
static accd_status let_dangle(struct accd_plan *plan, struct accd_attach *attach)
{
    struct accd_attach_change *change;
    ACCD_TRY(accd_note_attach(plan, attach, &change));
    change->dangles = true;
    return unpin(plan, attach);
}

/* Attachments of pointers elsewhere that point to a dying object.
 * Decides ACC33-att-11. */
static accd_status end_outer_attachments(struct leave *leave, size_t from)
{
    struct accd_plan *plan = leave->plan;
    struct accd_directory *dir = plan->dir;
    const accd_rules *rules = &plan->context->rules;
    ACCD_LIST(const struct accd_object *) pinned = {0};
    const struct accd_pair *targets;
    size_t n;
    for (size_t i = from; i < leave->dying.n; i++)
        if (accd_pins_left(plan, leave->dying.at[i]))
            ACCD_ADD(plan->context, &pinned, leave->dying.at[i]);
    if (!pinned.n)
        return ACCD_OK;
    ACCD_TRY(accd_targets_of(dir, pinned.at, pinned.n, &targets, &n));
    for (size_t i = 0; i < n; i++) {
        struct accd_attach *attach = accd_pointer(targets[i].value);
        struct accd_object *target;
        if (!accd_attach_left(plan, attach))
            continue;
        ACCD_TRY(accd_find(dir, attach->base, &target));
        if (rules->still_attached == ACCD_REJECT && !leave->abandon)
            return still_attached(leave, target, attach, "to it");
        ACCD_TRY(rules->lost_target == ACCD_LOST_DANGLES ? let_dangle(plan, attach)
                                                         : accd_end_attachment(leave, attach));
    }
    return unpin_removed(leave);
}

/* Decides TR14-4.1-03. */
accd_status accd_end_attachments(struct leave *leave)
{
    for (size_t seen = 0; seen < leave->dying.n;) {
        const size_t from = seen;
        seen = leave->dying.n;
        ACCD_TRY(end_inner_attachments(leave, from));
        ACCD_TRY(unpin_removed(leave));
        ACCD_TRY(end_outer_attachments(leave, from));
        ACCD_TRY(accd_release_records(leave));
    }
    return unpin_removed(leave);
}
