/* detach.c - ends attachments (records of attached pointers) because objects are removed: those of pointers in these
 * objects, and of pointers to them. If the attachment of a descriptor made its type record (object that describes the
 * type) present, the reference on the record ends in the same construct, too (FLANG-todo-1, FLANG-api-7). Called by
 * exit_plan.c and release.c.
 *
 * Removing an object may end attachments, and ending an attachment may remove a type record. accd__exit_end_attachments
 * repeats both until the list of dying objects stops growing. */
#include "ops/exit_plan.h"
#include "plan/fusion.h"
#include "table/find.h"
#include "table/name.h"
#include "table/targets.h"

#include <assert.h>

/* Decreases the planned counter of the attachment `attach` by `removed_count`; at 0, lists the attachment in
 * exit_plan->removed. `forced`: true if no clause detaches the pointer. Fails only without memory. Decides TR14-4.1-04,
 * ACC33-det-1, FLANG-pointer-5. */
static accd_status remove_references(struct accd__exit_plan *exit_plan, struct accd__attachment *attach,
                                     uint32_t removed_count, bool forced)
{
    assert(removed_count <= accd__planned_attach_count(exit_plan->plan, attach));
    struct accd__plan *plan = exit_plan->plan;
    struct accd__attachment_change *change;
    ACCD_TRY(accd__note_attachment_change(plan, attach, &change));
    change->removed_count += removed_count;
    change->forced = forced;
    if (change->removed_count == attach->count)
        ACCD_SCRATCH_APPEND(plan->context, &exit_plan->removed, change);
    return ACCD_OK;
}

/* Decreases the planned counter of the attachment `attach`, whose pointer a clause detaches, by `removed_count`. Fails
 * only without memory. */
accd_status accd__exit_detach(struct accd__exit_plan *exit_plan, struct accd__attachment *attach,
                              uint32_t removed_count)
{
    return remove_references(exit_plan, attach, removed_count, false);
}

/* Ends the attachment `attach`, although no clause detaches its pointer: sets the planned counter to 0. Fails only
 * without memory. */
accd_status accd__exit_end_attachment(struct accd__exit_plan *exit_plan, struct accd__attachment *attach)
{
    return remove_references(exit_plan, attach, accd__planned_attach_count(exit_plan->plan, attach), true);
}

/* ------------------------------------------------------------------------------ type records -- */

/* Lists the object of `change` as dying (to be removed), unless references are left or will be added, the object is
 * listed already, or the user mapped its memory (acc_map_data). Fails only without memory. */
accd_status accd__exit_remove_object(struct accd__exit_plan *exit_plan, struct accd__object_change *change)
{
    assert(change->object);
    struct accd__object *object = change->object;
    if (object->structured > change->structured || object->dynamic > change->dynamic || change->gains_references ||
        change->is_removed || object->size & ACCD_OBJECT_MAPPED)
        return ACCD_OK;
    ACCD_SCRATCH_APPEND(exit_plan->plan->context, &exit_plan->dying, object);
    change->is_removed = true;
    return ACCD_OK;
}

/* Removes the reference that the ended attachment `removed` held on a type record, if the record is still present.
 * Lists the record as dying if that was its last reference. Fails only without memory. Decides FLANG-todo-1. */
static accd_status release_type_record(struct accd__exit_plan *exit_plan, struct accd__attachment_change *removed)
{
    assert(removed->attach->holds_record);
    struct accd__plan *plan = exit_plan->plan;
    const uint64_t target = removed->attach->target;
    struct accd__object *record = NULL;
    /* looks for the record only if it was not unmapped; with base 0 it was, and an object at `target` is not the record
     */
    if (removed->attach->base)
        ACCD_TRY(accd__find_object(plan->env, target, &record));
    if (!record)
        return ACCD_OK;
    struct accd__object_change *change;
    ACCD_TRY(accd__note_object_change(plan, record, &change));
    if (record->dynamic - change->dynamic <= (record->size & ACCD_OBJECT_MAPPED ? 1 : 0))
        return ACCD_OK; /* removes nothing: other clauses have removed all dynamic references already; acc_unmap_data
                           alone removes the last one of mapped memory */
    struct accd__original *enter_data =
        plan->resolved.fusion ? accd__find_enter_data(plan->env, target, accd__type_record_bytes(plan->context, target))
                              : NULL;
    if (enter_data)
        ACCD_TRY(accd__split_end_original(plan, enter_data));
    change->dynamic++;
    removed->record = record;
    return accd__exit_remove_object(exit_plan, change);
}

/* Handles each removed attachment once. If it is of a descriptor, ends the attachment of the type-record pointer in
 * that descriptor. If it holds a reference on a type record, removes the reference. Fails only without memory. */
accd_status accd__exit_release_records(struct accd__exit_plan *exit_plan)
{
    struct accd__device_env *env = exit_plan->plan->env;
    for (; exit_plan->released < exit_plan->removed.n; exit_plan->released++) {
        struct accd__attachment_change *removed = exit_plan->removed.at[exit_plan->released];
        struct accd__attachment *inner =
            env->attached.ntype_records ? accd__type_record_attachment(env, removed->attach) : NULL;
        if (inner && accd__planned_attach_count(exit_plan->plan, inner))
            ACCD_TRY(accd__exit_end_attachment(exit_plan, inner));
        if (removed->attach->holds_record)
            ACCD_TRY(release_type_record(exit_plan, removed));
    }
    return ACCD_OK;
}

/* ----------------------------------------------------------------------- ends of attachments -- */

/* Records the error that the attached pointer `attach` prevents the removal of `object`, and returns its status.
 * `relation`: "in it" for a pointer in the object, "to it" for a pointer to the object. Decides TR14-4.3-12. */
static accd_status report_still_attached(const struct accd__exit_plan *exit_plan, const struct accd__object *object,
                                         const struct accd__attachment *attach, const char *relation)
{
    struct accd__plan *plan = exit_plan->plan;
    accd_object_info *asked = &plan->context->error.asked;
    char name[160];
    accd__format_object(plan->env, object, name, sizeof name);
    accd__report_request_error(plan, NULL, object, ACCD_ERROR_STILL_ATTACHED, R_STILL_ATTACHED,
                               "%s would be removed, but the pointer " ACCD_NAME_PLACEHOLDER " is still attached %s",
                               name, relation);
    accd__format_slot(plan->env, attach->slot, attach->label, asked->name, sizeof asked->name);
    asked->host = attach->slot;
    asked->bytes = sizeof(void *);
    return accd__insert_object_name(plan->context);
}

/* Plans the end of attachments whose pointers lie in the dying objects (to be removed) with index `from` or greater.
 * Returns an error if the knob `still_attached` rejects such an end and the region is not abandoned, or without memory.
 * Decides ACC33-att-7. */
static accd_status end_inner_attachments(struct accd__exit_plan *exit_plan, size_t from)
{
    assert(from <= exit_plan->dying.n);
    struct accd__plan *plan = exit_plan->plan;
    bool reject = plan->context->rules.still_attached == ACCD_CHOICE_REJECT && !exit_plan->abandon;
    for (size_t i = from; i < exit_plan->dying.n; i++) {
        struct accd__btree_cursor cursor;
        struct accd__attachment *attach;
        const struct accd__object *object = exit_plan->dying.at[i];
        ACCD_TRY(accd__first_attachment(plan->env, object->host, accd__object_end(object), &cursor, &attach));
        for (; attach; attach = accd__next_attachment(&cursor, accd__object_end(object))) {
            if (!accd__planned_attach_count(plan, attach))
                continue;
            if (reject)
                return report_still_attached(exit_plan, object, attach, "in it");
            ACCD_TRY(accd__exit_end_attachment(exit_plan, attach));
        }
    }
    return ACCD_OK;
}

/* Notes in the change set (changes of records, applied after all steps that may fail) that the target of `attach` loses
 * a pin (attached pointer). Does nothing if the target is not present or has no pins left. Fails only without memory.
 */
static accd_status plan_unpin(struct accd__plan *plan, const struct accd__attachment *attach)
{
    struct accd__object *target;
    ACCD_TRY(accd__find_object(plan->env, attach->base, &target));
    if (!target || !accd__planned_pins(plan, target))
        return ACCD_OK;
    struct accd__object_change *change;
    ACCD_TRY(accd__note_object_change(plan, target, &change));
    change->unpinned++;
    return ACCD_OK;
}

/* Notes that the targets of removed attachments each lose a pin (attached pointer), for all attachments that no earlier
 * call has handled. Fails only without memory. */
static accd_status plan_unpin_removed(struct accd__exit_plan *exit_plan)
{
    for (; exit_plan->unpinned < exit_plan->removed.n; exit_plan->unpinned++)
        ACCD_TRY(plan_unpin(exit_plan->plan, exit_plan->removed.at[exit_plan->unpinned]->attach));
    return ACCD_OK;
}

/* Notes that the attachment `attach` stays, with an unchanged device pointer, but loses its target. Fails only without
 * memory. */
static accd_status plan_dangling(struct accd__plan *plan, struct accd__attachment *attach)
{
    struct accd__attachment_change *change;
    ACCD_TRY(accd__note_attachment_change(plan, attach, &change));
    change->dangles = true;
    return plan_unpin(plan, attach);
}

/* Plans the end of attachments whose targets are the dying objects with index `from` or greater; if the knob
 * `lost_target` says dangles, their pointers stay unchanged instead. Pointers that lie in dying objects were handled
 * before. Returns an error if the knob `still_attached` rejects the removal of an attached target and the region is not
 * abandoned, or without memory. Decides ACC33-att-11. */
static accd_status end_outer_attachments(struct accd__exit_plan *exit_plan, size_t from)
{
    assert(from <= exit_plan->dying.n);
    struct accd__plan *plan = exit_plan->plan;
    struct accd__device_env *env = plan->env;
    const accd_rules *rules = &plan->context->rules;
    ACCD_SCRATCH_LIST(const struct accd__object *) pinned = {0};
    const struct accd__pair *targets;
    size_t n;
    for (size_t i = from; i < exit_plan->dying.n; i++)
        if (accd__planned_pins(plan, exit_plan->dying.at[i]))
            ACCD_SCRATCH_APPEND(plan->context, &pinned, exit_plan->dying.at[i]);
    if (!pinned.n)
        return ACCD_OK;
    ACCD_TRY(accd__list_attachments_to(env, pinned.at, pinned.n, &targets, &n));
    for (size_t i = 0; i < n; i++) {
        struct accd__attachment *attach = accd__pointer(targets[i].value);
        struct accd__object *target;
        if (!accd__planned_attach_count(plan, attach))
            continue;
        ACCD_TRY(accd__find_object(env, attach->base, &target));
        if (rules->still_attached == ACCD_CHOICE_REJECT && !exit_plan->abandon)
            return report_still_attached(exit_plan, target, attach, "to it");
        ACCD_TRY(rules->lost_target == ACCD_LOST_TARGET_DANGLES ? plan_dangling(plan, attach)
                                                                : accd__exit_end_attachment(exit_plan, attach));
    }
    return plan_unpin_removed(exit_plan);
}

/* Plans the end of attachments whose pointers lie in dying objects or point to them, and releases type records, until
 * no further object becomes dying. Returns an error if the rules reject such an end, or without memory. Decides
 * TR14-4.1-03. */
accd_status accd__exit_end_attachments(struct accd__exit_plan *exit_plan)
{
    for (size_t done = 0; done < exit_plan->dying.n;) {
        const size_t from = done;
        done = exit_plan->dying.n;
        ACCD_TRY(end_inner_attachments(exit_plan, from));
        ACCD_TRY(plan_unpin_removed(exit_plan));
        ACCD_TRY(end_outer_attachments(exit_plan, from));
        ACCD_TRY(accd__exit_release_records(exit_plan));
    }
    return plan_unpin_removed(exit_plan);
}
