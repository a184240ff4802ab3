/* exit.c - exit constructs: exit data, the end of a region. What they ask for is found here, and carried out
 * by leave.c. */
#include "ops/leave.h"
#include "plan/fusion.h"

/* -------------------------------------------------------------------------------- exit data -- */

/* The enter data that an exit data ends (DIR-6-01). Other profiles go by the counters alone. Storage for members that
 * several enter data map is freed with the last one.
 * Decides DIR-6-01. */
static accd_status end_opened(struct accd_plan *plan, struct accd_claim *claim, const struct accd_object *object)
{
    struct accd_original *opened =
        plan->found.fusion ? accd_opened(plan->dir, claim->host, claim->bytes) : NULL;
    if (opened)
        ACCD_TRY(accd_unfuse_original(plan, opened));
    else if (plan->found.fusion)
        plan->dir->tuples.unowned = true;
    if (opened || !plan->context->verdicts.owns_exits || claim->flags & (ACCD_ITEM_UNCOUNTED | ACCD_ITEM_TRY))
        return ACCD_OK;
    if (claim->action == ACCD_HOLD) {
        claim->state = ACCD_CLAIM_SKIP;
        return ACCD_OK;
    }
    return accd_claim_error(plan, claim, object, ACCD_NOT_PRESENT, R_UNOWNED,
                            "no enter data that is still open on device %d opened just " ACCD_ASKED,
                            plan->dir->device.number);
}

/* Decides TR14-4.3-05, TR14-4.3-11. */
static accd_status resolve_exit(struct accd_plan *plan, uint32_t index)
{
    struct accd_claim *claim = &plan->found.claims[index];
    const bool tolerant = claim->flags & ACCD_ITEM_TRY;
    struct accd_answer found;
    accd_status status =
        accd_claim_find(plan, claim, tolerant ? ACCD_ASKS_EXIT_OF_PRESENT : ACCD_ASKS_EXIT, &found);
    if ((found.what == ACCD_FOUND_NOTHING || found.what == ACCD_FOUND_EXCLUDED) && claim->attached && !tolerant) {
        struct accd_attach *attach; /* absent because the pointer points elsewhere now? */
        ACCD_TRY(accd_find_attach(plan->dir, claim->slot, &attach));
        ACCD_TRY(accd_check_pointer(plan, claim, attach));
    }
    ACCD_TRY(status);
    if (found.outcome == ACCD_SKIPS)
        return ACCD_OK;
    ACCD_TRY(end_opened(plan, claim, found.object));
    return found.outcome == ACCD_CUTS && claim->state != ACCD_CLAIM_SKIP
               ? accd_claim_cut(plan, index, NULL)
               : ACCD_OK;
}

/* Finalize without an attachment: the host's value all the same, if the object ever held one. */
static accd_status detach_finally(struct accd_plan *plan, const struct accd_claim *claim,
                                  const struct accd_object *holder, bool *done_p)
{
    const struct accd_attach was = {.slot = claim->slot};
    bool finally = plan->given.construct->finalize || claim->flags & ACCD_ITEM_FINAL;
    *done_p = finally && plan->context->rules.detach_final == ACCD_IGNORE &&
              holder && holder->size & ACCD_OBJECT_HOLDS &&
              accd_host_usable(plan->context, claim->slot, sizeof(void *));
    return *done_p ? accd_restore_pointer(plan, &was, holder->dev + (claim->slot - holder->host)) : ACCD_OK;
}

/* Which clauses of an exit data detach their pointer.
 * Decides TR14-1.2-18, TR14-4.3-13, ACC33-det-1. */
static accd_status resolve_detach(struct accd_plan *plan, struct accd_claim *claim)
{
    struct accd_attach *attach;
    struct accd_object *holder;
    bool done;
    if (!claim->slot || claim->state == ACCD_CLAIM_SKIP)
        return ACCD_OK;
    if (claim->action != ACCD_DETACH && !plan->context->verdicts.counts_attachments)
        return ACCD_OK; /* it ends with the pointer's object */
    ACCD_TRY(accd_find_attach(plan->dir, claim->slot, &attach));
    if (attach) {
        claim->attached = true;
        return ACCD_OK;
    }
    ACCD_TRY(accd_find(plan->dir, claim->slot, &holder));
    ACCD_TRY(detach_finally(plan, claim, holder, &done));
    return done ? ACCD_OK
                : accd_claim_slot_finds(plan, claim, holder, holder ? ACCD_SLOT_UNATTACHED : ACCD_SLOT_ABSENT);
}

static accd_status resolve_exits(struct accd_plan *plan)
{
    for (size_t i = 0; i < plan->found.nclaims; i++)
        ACCD_TRY(resolve_detach(plan, &plan->found.claims[i]));
    for (uint32_t i = 0; i < plan->found.nclaims; i++) { /* pieces that come behind are resolved */
        if (plan->found.claims[i].action != ACCD_DETACH && plan->found.claims[i].state == ACCD_CLAIM_OPEN)
            ACCD_TRY(resolve_exit(plan, i));
        struct accd_claim *claim = &plan->found.claims[i];
        if (claim->state == ACCD_CLAIM_SKIP && plan->context->rules.attach_implied == ACCD_IGNORE)
            claim->attached = false;
        if (plan->found.fusion && claim->object &&
            (plan->given.construct->finalize || claim->flags & ACCD_ITEM_FINAL))
            ACCD_TRY(accd_unfuse_opened(plan, claim->object));
    }
    return ACCD_OK;
}

accd_status accd_exit_data(struct accd_plan *plan)
{
    struct leave leave = {.plan = plan, .dynamic = true};
    if (plan->given.walk) {
        if (!accd_plan_marked(plan) && accd_plan_may_group(plan))
            plan->found.group = accd_group_matching(plan->dir, plan->given.walk);
        if (!plan->found.group)
            ACCD_TRY(accd_plan_sections(plan));
    }
    ACCD_TRY(accd_unfuse_begin(plan));
    accd_status status = resolve_exits(plan);
    if (status == ACCD_OK)
        return accd_leave_now(&leave);
    accd_unfuse_undo(plan);
    return status;
}

/* ---------------------------------------------------------------------------------- regions -- */

static accd_status end_originals(struct accd_plan *plan, const struct accd_region *region)
{
    accd_status status = accd_unfuse_begin(plan);
    for (size_t i = 0; i < region->noriginals && status == ACCD_OK; i++)
        if (region->originals[i]) /* its data may have gone */
            status = accd_unfuse_original(plan, region->originals[i]);
    if (status != ACCD_OK)
        accd_unfuse_undo(plan);
    return status;
}

/* Which clauses detach a pointer that they did not attach: the pointer, or its target, was absent at the entry. A
 * clause that found no data has no object: it takes no action.
 * Decides ACC33-det-3. */
static accd_status resolve_ends(struct accd_plan *plan)
{
    for (size_t i = 0; plan->context->verdicts.ends_detach && i < plan->found.nclaims; i++) {
        struct accd_claim *claim = &plan->found.claims[i];
        struct accd_attach *attach;
        if (!claim->slot || claim->attached || (claim->action != ACCD_ATTACH && !claim->object))
            continue;
        ACCD_TRY(accd_find_attach(plan->dir, claim->slot, &attach));
        claim->attached = attach != NULL;
    }
    return ACCD_OK;
}

/* Decides ACC33-2.7.1-2. */
accd_status accd_leave_region(struct accd_region *region, bool abandon)
{
    accd_context *context = region->context;
    const accd_construct construct = {
        .device = region->dir->device.number,
        .kind = region->kind,
        .name = region->name,
        .file = region->file,
        .line = region->line,
        .nitems = region->nitems,
        .queue = region->queue,
    };
    struct accd_queue *queue = accd_queue_of(region->dir, region->queue);
    if (abandon && queue && region->kind == ACCD_COMPUTE) /* what it asked for is not done */
        accd_queue_cut(queue, region->opened);
    struct accd_plan plan = {
        .context = context,
        .dir = region->dir,
        .given = {.construct = &construct,
                  .leaving = region,
                  .queue = abandon ? NULL : queue,
                  .sources = region->items,
                  .gaps = region->gaps,
                  .ngaps = region->ngaps,
                  .walk = region->walk},
        .found = {.group = region->group, .nclaims = region->nclaims},
    };
    struct leave leave = {.plan = &plan, .abandon = abandon};
    plan.found.claims = accd_scratch_take(&context->scratch, plan.found.nclaims * sizeof plan.found.claims[0]);
    accd_status status = plan.found.claims || !plan.found.nclaims ? ACCD_OK : accd_plan_no_memory(context);
    context->busy = true;
    if (status == ACCD_OK) {
        if (plan.found.nclaims)
            memcpy(plan.found.claims, region->claims, plan.found.nclaims * sizeof plan.found.claims[0]);
        status = end_originals(&plan, region);
    }
    if (status == ACCD_OK && !abandon)
        status = resolve_ends(&plan);
    if (status == ACCD_OK)
        status = accd_leave_now(&leave);
    accd_directory_unreserve(region->dir);
    accd_scratch_reset(&context->scratch);
    if (queue)
        region->dir->queues.giving = NULL;
    context->busy = false;
    if (status == ACCD_OK)
        accd_region_free(region);
    return status;
}
