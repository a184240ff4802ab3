/* release.c - ends attachments that no exit ends, and removes the references that they hold on type records (objects
 * that describe the type of a descriptor). A release is a second plan, sent with the plan of another construct and
 * committed before that plan. */
#include "ops/exit_plan.h"
#include "plan/fusion.h"
#include "table/find.h"

#include <assert.h>

/* A planned release: a second plan, which shares the pending changes of the plan with which it is sent. */
struct accd__record_release {
    accd_construct construct;
    struct accd__plan plan;
    struct accd__exit_plan exit_plan;
};

/* Notes which objects gain references from the construct of `plan`, so that the release does not remove these objects.
 * Fails only without memory. */
static accd_status note_added_references(struct accd__plan *plan)
{
    for (size_t i = 0; i < plan->resolved.nrequests; i++) {
        const struct accd__request *request = &plan->resolved.requests[i];
        if (!request->object || !accd__request_counts(plan, request))
            continue;
        struct accd__object_change *change;
        ACCD_TRY(accd__note_object_change(plan, request->object, &change));
        change->gains_references = true;
    }
    return ACCD_OK;
}

/* Plans the end of the `n` attachments `ends`, and of the records and attachments that end with them. `plan`: plan with
 * which the release is sent. Returns ACCD_ERROR_LIMIT if fused data would have to be split, or an error if the rules
 * reject an end, without memory, or if descriptors cannot be read from the device. */
static accd_status plan_release(struct accd__record_release *release, struct accd__plan *plan,
                                struct accd__attachment *const *ends, size_t n)
{
    struct accd__exit_plan *exit_plan = &release->exit_plan;
    ACCD_TRY(accd__expand_groups(plan->env));
    ACCD_TRY(accd__split_begin(&release->plan));
    for (size_t i = 0; i < n; i++)
        if (accd__planned_attach_count(&release->plan, ends[i])) /* an attachment that is listed twice is ended once */
            ACCD_TRY(accd__exit_end_attachment(exit_plan, ends[i]));
    ACCD_TRY(accd__exit_release_records(exit_plan));
    ACCD_TRY(accd__exit_end_attachments(exit_plan));
    struct accd__fusion *fusion = release->plan.resolved.fusion;
    if (fusion)
        ACCD_TRY(accd__split_plan(&release->plan, exit_plan->dying.at, exit_plan->dying.n));
    bool fused = fusion && fusion->regroups.n;
    for (size_t i = 0; i < exit_plan->removed.n; i++)
        fused |= exit_plan->removed.at[i]->record && accd__fuse_covers(plan, exit_plan->removed.at[i]->record->host);
    if (fused) /* rejects this, because one construct cannot both fuse data and split fused data */
        return accd__set_error(plan->context, ACCD_ERROR_LIMIT, R_LIMIT,
                               "a type record that goes with this construct lies among fused data; detach "
                               "its descriptor first");
    ACCD_TRY(accd__exit_plan_words(exit_plan));
    /* words (pointer values to write) of the release become descriptor writes, which are sent first, so that words of
     * the construct overwrite them */
    for (size_t i = 0; i < release->plan.changes.words.n; i++) {
        const struct accd__word *word = &release->plan.changes.words.at[i];
        ACCD_TRY(accd__plan_add_pointer(&release->plan, 0, word->dev, word->value, word, sizeof(void *)));
    }
    return ACCD_OK;
}

/* Sets *release_p to a second plan of the kind exit data, which ends the `n` attachments `ends` and shares the change
 * set (pending changes) of `plan`. Fails if fused data would have to be split, the rules reject an end, or without
 * memory; the marks are then discarded. */
accd_status accd__record_release_plan(struct accd__plan *plan, struct accd__attachment *const *ends, size_t n,
                                      struct accd__record_release **release_p)
{
    assert(ends && n && release_p);
    struct accd__record_release *release;
    ACCD_SCRATCH_ALLOC(plan->context, release, 1);
    *release = (struct accd__record_release){
        .construct = {.device = plan->input.construct->device,
                      .kind = ACCD_KIND_EXIT_DATA,
                      .file = plan->input.construct->file,
                      .line = plan->input.construct->line},
        .plan = {.context = plan->context, .env = plan->env, .input = {.construct = &release->construct}},
        .exit_plan = {.plan = &release->plan, .dynamic = true}};
    accd_status status = note_added_references(plan);
    release->plan.changes.change_set = plan->changes.change_set;
    if (status == ACCD_OK)
        status = plan_release(release, plan, ends, n);
    plan->changes.change_set = release->plan.changes.change_set;
    if (status != ACCD_OK) {
        accd__exit_undo(&release->exit_plan);
        return status;
    }
    plan->changes.descriptor_writes =
        release->plan.changes.descriptor_writes; /* sent before all words, so that the values of pointers that are
                                                  * attached again overwrite these writes */
    *release_p = release;
    return ACCD_OK;
}

/* Undoes a planned release: discards its marks on originals and fused tuples. Nothing else has changed. */
void accd__record_release_undo(struct accd__record_release *release)
{
    accd__exit_undo(&release->exit_plan);
}

/* Applies the pending changes of both plans, then reports and removes what the release ends. */
void accd__record_release_commit(struct accd__record_release *release)
{
    accd__apply_changes(&release->plan); /* the change set is shared, so that this applies the changes of both plans */
    accd__report_exit(&release->exit_plan);
    accd__exit_commit(&release->exit_plan);
}

/* True if the descriptor of `planned`, which is attached again, still points to its type record, so that the record
 * need not be released. `typed`: attachment of the pointer to the record, inside the descriptor. */
static bool keeps_type_record(const struct accd__planned_attach *planned, const struct accd__attachment *typed)
{
    assert(planned->attach);
    return typed != planned->attach && planned->pointer && planned->descriptor &&
           accd__attachment_end(typed) <= planned->attach->slot + planned->descriptor->bytes &&
           accd__load_pointer(typed->slot) == typed->target;
}

/* Returns ACCD_ERROR_STILL_ATTACHED if a request of the construct, or a pointer that it attaches, lies in an object
 * that the release removes, or if such a pointer points to one. */
static accd_status check_released_objects(const struct accd__attach_plan *attaches)
{
    struct accd__plan *plan = attaches->plan;
    for (size_t i = 0; i < plan->resolved.nrequests + attaches->n; i++) {
        const struct accd__planned_attach *planned =
            i < plan->resolved.nrequests ? NULL : &attaches->at[i - plan->resolved.nrequests];
        const struct accd__request *request = &plan->resolved.requests[planned ? planned->request : i];
        const struct accd__object *objects[] = {planned ? planned->holder : request->object,
                                                planned ? planned->target : NULL};
        for (int k = 0; k < 2; k++)
            if (objects[k] && accd__object_is_removed(plan, objects[k]))
                return accd__report_request_error(
                    plan, request, objects[k], ACCD_ERROR_STILL_ATTACHED, R_STILL_ATTACHED,
                    ACCD_NAME_PLACEHOLDER " lies in a type record that goes with this construct");
    }
    return ACCD_OK;
}

/* Sets *release_p to the release of the type records to which descriptors that are attached again no longer point;
 * leaves it unchanged if there are none. Returns an error if the construct needs an object that the release removes,
 * fused data would have to be split, the rules reject an end, or without memory. */
accd_status accd__attach_plan_release_records(const struct accd__attach_plan *attaches,
                                              struct accd__record_release **release_p)
{
    struct accd__plan *plan = attaches->plan;
    struct accd__device_env *env = plan->env;
    size_t n = 0;
    if (!attaches->nreattached || !env->attached.ntype_records)
        return ACCD_OK;
    struct accd__attachment **ends;
    ACCD_SCRATCH_ALLOC(plan->context, ends, attaches->nreattached);
    for (size_t i = 0; i < attaches->n; i++) {
        const struct accd__planned_attach *planned = &attaches->at[i];
        if (!planned->attach || planned->counts)
            continue;
        struct accd__attachment *typed =
            planned->attach->holds_record ? planned->attach : accd__type_record_attachment(env, planned->attach);
        if (typed && !keeps_type_record(planned, typed))
            ends[n++] = typed;
    }
    if (!n)
        return ACCD_OK;
    ACCD_TRY(accd__record_release_plan(plan, ends, n, release_p));
    return check_released_objects(attaches);
}
