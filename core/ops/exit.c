/* exit.c - exit constructs: exit data, and the ends of regions. Resolves their requests (a request is an item of a
 * clause, or a section that a walk reached); exit_plan.c plans and executes the exits. Called by core/api/construct.c
 * and levels.c. */
#include "ops/exit_plan.h"
#include "plan/fusion.h"
#include "table/find.h"
#include "table/regions.h"

#include <assert.h>

/* --------------------------------------------------------------------------------- exit data -- */

/* Marks the latest enter data that named exactly the range of `request` as ending, if the rules have fusion. If there
 * is none, and the policy exit_needs_enter_data is set, a `hold` request is skipped, and another counted one without
 * if_present is an error. Under other rules, only the counters decide. Also fails without memory. Decides DIR-6-01. */
static accd_status end_enter_data(struct accd__plan *plan, struct accd__request *request,
                                  const struct accd__object *object)
{
    struct accd__original *enter_data =
        plan->resolved.fusion ? accd__find_enter_data(plan->env, request->host, request->bytes) : NULL;
    if (enter_data)
        ACCD_TRY(accd__split_end_original(plan, enter_data));
    else if (plan->resolved.fusion)
        plan->env->tuples.unowned = true;
    if (enter_data || !plan->context->policy.exit_needs_enter_data ||
        request->flags & (ACCD_ITEM_UNCOUNTED | ACCD_ITEM_IF_PRESENT))
        return ACCD_OK;
    if (request->action == ACCD_ACTION_HOLD) {
        request->state = ACCD_REQUEST_SKIPPED;
        return ACCD_OK;
    }
    return accd__report_request_error(
        plan, request, object, ACCD_ERROR_NOT_PRESENT, R_UNOWNED,
        "no enter data that is still open on device %d opened just " ACCD_NAME_PLACEHOLDER, plan->env->device.number);
}

/* Resolves request `index` of exit data: finds its object, and applies the rules. Splits the request if several objects
 * contain its data. Returns an error if the rules reject the request, or without memory. Decides TR14-4.3-05,
 * TR14-4.3-11. */
static accd_status resolve_exit_request(struct accd__plan *plan, uint32_t index)
{
    assert(index < plan->resolved.nrequests);
    struct accd__request *request = &plan->resolved.requests[index];
    const bool if_present = request->flags & ACCD_ITEM_IF_PRESENT;
    struct accd__resolution found;
    accd_status status =
        accd__resolve_request(plan, request, if_present ? ACCD_DEMAND_EXIT_IF_PRESENT : ACCD_DEMAND_EXIT, &found);
    if ((found.lookup == ACCD_LOOKUP_ABSENT || found.lookup == ACCD_LOOKUP_EXCLUDED) && request->attached &&
        !if_present) {
        struct accd__attachment *attach; /* a pointer changed since its attach is reported first, because this explains
                                            why the data are absent */
        ACCD_TRY(accd__find_attachment(plan->env, request->slot, &attach));
        ACCD_TRY(accd__check_pointer_unchanged(plan, request, attach));
    }
    ACCD_TRY(status);
    if (found.decision == ACCD_DECISION_SKIP)
        return ACCD_OK;
    ACCD_TRY(end_enter_data(plan, request, found.object));
    return found.decision == ACCD_DECISION_SPLIT && request->state != ACCD_REQUEST_SKIPPED
               ? accd__split_request(plan, index, NULL)
               : ACCD_OK;
}

/* Plans to write the host value to the device copy of the pointer of `request`, which is not attached. Does so only in
 * a final exit (finalize), if the knob `detach_final` says ignore, the pointer is readable, and a pointer in `holder`
 * was attached once. `holder`: object that contains the pointer, or NULL. Sets *done_p to whether the value will be
 * written. Fails only without memory. */
static accd_status restore_unattached(struct accd__plan *plan, const struct accd__request *request,
                                      const struct accd__object *holder, bool *done_p)
{
    assert(request->slot && done_p);
    const struct accd__attachment unattached = {.slot = request->slot};
    bool finally = plan->input.construct->finalize || request->flags & ACCD_ITEM_FINALIZE;
    *done_p = finally && plan->context->rules.detach_final == ACCD_CHOICE_IGNORE && holder &&
              holder->size & ACCD_OBJECT_HAD_POINTER &&
              accd__is_host_accessible(plan->context, request->slot, sizeof(void *));
    return *done_p ? accd__plan_restore_pointer(plan, &unattached, holder->dev + (request->slot - holder->host))
                   : ACCD_OK;
}

/* Sets request->attached for a request of exit data whose pointer is attached and will be detached. Without attachment,
 * restores the pointer's host value, or returns an error if the rules reject the detach. Also fails without memory.
 * Decides TR14-1.2-18, TR14-4.3-13, ACC33-det-1. */
static accd_status resolve_detach_request(struct accd__plan *plan, struct accd__request *request)
{
    struct accd__attachment *attach;
    struct accd__object *holder;
    bool done;
    if (!request->slot || request->state == ACCD_REQUEST_SKIPPED)
        return ACCD_OK;
    if (request->action != ACCD_ACTION_DETACH && !plan->context->policy.counts_attachments)
        return ACCD_OK; /* detaches nothing: attachments are not counted, so that each ends when the object with its
                           pointer is removed */
    ACCD_TRY(accd__find_attachment(plan->env, request->slot, &attach));
    if (attach) {
        request->attached = true;
        return ACCD_OK;
    }
    ACCD_TRY(accd__find_object(plan->env, request->slot, &holder));
    ACCD_TRY(restore_unattached(plan, request, holder, &done));
    return done ? ACCD_OK
                : accd__check_slot_state(plan, request, holder, holder ? ACCD_SLOT_UNATTACHED : ACCD_SLOT_ABSENT);
}

/* Resolves the detaches and then the data of all requests of exit data. Returns an error if the rules reject one, or
 * without memory. */
static accd_status resolve_exit_requests(struct accd__plan *plan)
{
    for (size_t i = 0; i < plan->resolved.nrequests; i++)
        ACCD_TRY(resolve_detach_request(plan, &plan->resolved.requests[i]));
    /* the number of requests grows: the loop also handles the pieces that splitting appends */
    for (uint32_t i = 0; i < plan->resolved.nrequests; i++) {
        if (plan->resolved.requests[i].action != ACCD_ACTION_DETACH &&
            plan->resolved.requests[i].state == ACCD_REQUEST_UNRESOLVED)
            ACCD_TRY(resolve_exit_request(plan, i));
        struct accd__request *request = &plan->resolved.requests[i];
        if (request->state == ACCD_REQUEST_SKIPPED && plan->context->rules.attach_implied == ACCD_CHOICE_IGNORE)
            request->attached = false;
        if (plan->resolved.fusion && request->object &&
            (plan->input.construct->finalize || request->flags & ACCD_ITEM_FINALIZE))
            ACCD_TRY(accd__split_end_enter_data(plan, request->object));
    }
    return ACCD_OK;
}

/* Executes exit data: finds a group (sections kept as one record) that equals the walk, or adds a request for each
 * section; resolves the requests; and runs the exit. Returns the first error, and then changes nothing. */
accd_status accd__run_exit_data(struct accd__plan *plan)
{
    struct accd__exit_plan exit_plan = {.plan = plan, .dynamic = true};
    if (plan->input.walk) {
        if (!accd__plan_has_modifiers(plan) && accd__plan_can_group(plan))
            plan->resolved.group = accd__find_matching_group(plan->env, plan->input.walk);
        if (!plan->resolved.group)
            ACCD_TRY(accd__plan_add_sections(plan));
    }
    ACCD_TRY(accd__split_begin(plan));
    accd_status status = resolve_exit_requests(plan);
    if (status == ACCD_OK)
        return accd__run_exit(&exit_plan);
    accd__split_undo(plan);
    return status;
}

/* ----------------------------------------------------------------------------------- regions -- */

/* Marks the originals (fusion's records of clauses) of a region as ending. Fails only without memory, and then discards
 * the marks. */
static accd_status end_region_originals(struct accd__plan *plan, const struct accd_region *region)
{
    accd_status status = accd__split_begin(plan);
    for (size_t i = 0; i < region->noriginals && status == ACCD_OK; i++)
        if (region->originals[i]) /* NULL: the original has ended before: exit data unmapped its data */
            status = accd__split_end_original(plan, region->originals[i]);
    if (status != ACCD_OK)
        accd__split_undo(plan);
    return status;
}

/* Sets `attached` in requests whose pointers were not attached at the entry, because pointer or target was absent, but
 * are attached now: the end of the region detaches them. Skips requests without an object, except those of attach
 * clauses. Does nothing unless the policy region_end_detaches is set. Fails only without memory. Decides ACC33-det-3.
 */
static accd_status resolve_end_detaches(struct accd__plan *plan)
{
    for (size_t i = 0; plan->context->policy.region_end_detaches && i < plan->resolved.nrequests; i++) {
        struct accd__request *request = &plan->resolved.requests[i];
        struct accd__attachment *attach;
        if (!request->slot || request->attached || (request->action != ACCD_ACTION_ATTACH && !request->object))
            continue;
        ACCD_TRY(accd__find_attachment(plan->env, request->slot, &attach));
        request->attached = attach != NULL;
    }
    return ACCD_OK;
}

/* Executes the end of `region` by an exit plan with a copy of the region's requests, and frees the region. `abandon`:
 * copies nothing to the host, ignores failed transfers, and cancels the work that a compute region has queued. Returns
 * the first error; the region then stays open. Decides ACC33-2.7.1-2. */
accd_status accd__end_region(struct accd_region *region, bool abandon)
{
    assert(region);
    accd_context *context = region->context;
    const accd_construct construct = {
        .device = region->env->device.number,
        .kind = region->kind,
        .name = region->name,
        .file = region->file,
        .line = region->line,
        .nitems = region->nitems,
        .queue = region->queue,
    };
    struct accd__queue *queue = accd__get_queue(region->env, region->queue);
    /* an abandoned compute region also loses its kernel: cancels the work that the region has queued */
    if (abandon && queue && region->kind == ACCD_KIND_COMPUTE)
        accd__queue_cancel_after(queue, region->queue_start);
    struct accd__plan plan = {
        .context = context,
        .env = region->env,
        .input = {.construct = &construct,
                  .leaving = region,
                  .queue = abandon ? NULL : queue,
                  .sources = region->items,
                  .gaps = region->gaps,
                  .ngaps = region->ngaps,
                  .walk = region->walk},
        .resolved = {.group = region->group, .nrequests = region->nrequests},
    };
    struct accd__exit_plan exit_plan = {.plan = &plan, .abandon = abandon};
    plan.resolved.requests =
        accd__scratch_alloc(&context->scratch, plan.resolved.nrequests * sizeof plan.resolved.requests[0]);
    accd_status status =
        plan.resolved.requests || !plan.resolved.nrequests ? ACCD_OK : accd__report_plan_out_of_memory(context);
    context->busy = true;
    if (status == ACCD_OK) {
        if (plan.resolved.nrequests)
            memcpy(plan.resolved.requests, region->requests,
                   plan.resolved.nrequests * sizeof plan.resolved.requests[0]);
        status = end_region_originals(&plan, region);
    }
    if (status == ACCD_OK && !abandon)
        status = resolve_end_detaches(&plan);
    if (status == ACCD_OK)
        status = accd__run_exit(&exit_plan);
    accd__unreserve_records(region->env);
    accd__scratch_reset(&context->scratch);
    if (queue)
        region->env->queues.releasing = NULL;
    context->busy = false;
    if (status == ACCD_OK)
        accd__region_free(region);
    return status;
}
