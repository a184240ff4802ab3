/* construct.c - the waist: constructs from their items to what they did, and regions to their end. */
#include "ops/ops.h"

static accd_status check_items(accd_context *context, const accd_construct *construct)
{
    if (construct->nitems > ACCD_CLAIM_WALKED - 1 || (construct->nitems && !construct->items))
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "the construct has %zu items%s", construct->nitems,
                         construct->items ? "" : ", but they are a null pointer");
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        bool exits = item->action == ACCD_DELETE || item->action == ACCD_COPYOUT ||
                     item->action == ACCD_DETACH || item->action == ACCD_HOLD;
        bool updates = item->action == ACCD_UPDATE_SELF || item->action == ACCD_UPDATE_DEVICE;
        bool fits = construct->kind == ACCD_EXIT_DATA ? exits
                    : construct->kind == ACCD_UPDATE
                        ? updates
                        : item->action < ACCD_ACTION_COUNT && accd_demands[item->action].entry;
        const accd_program *program = item->program;
        bool runs = !program || (!program->inherited && (!program->spec.params || item->params));
        bool known = !item->ndims || item->dims;
        if (fits && runs && known)
            continue;
        if (!known)
            return accd_fail(context, ACCD_MISUSE, R_MISUSE, "item %zu has dimensions that are a null pointer", i);
        return accd_fail(context, ACCD_MISUSE, R_MISUSE,
                         "item %zu asks for %s, which this construct cannot do%s", i,
                         accd_action_name(item->action),
                         fits ? " without parameters or an enclosing element" : "");
    }
    return ACCD_OK;
}

/* Apart, so that constructs of the short way have no frame for a plan. */
static __attribute__((noinline)) accd_status run_planned(accd_context *context, const accd_construct *construct,
                                                         accd_region **region_p)
{
    ACCD_ON_DEVICE(dir, context, construct->device);
    if ((unsigned)construct->kind > ACCD_UPDATE)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "there is no such kind of construct");
    if (context->busy || context->working || construct->queue)
        ACCD_TRY(accd_may_ask(dir, construct->queue));
    ACCD_TRY(check_items(context, construct));
    bool opens = construct->kind == ACCD_REGION || construct->kind == ACCD_COMPUTE;
    if (opens && !region_p)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "a region needs a place to be returned");
    struct accd_plan plan;
    context->busy = true;
    accd_status status = accd_plan_begin(&plan, dir, construct);
    if (status == ACCD_OK)
        status = construct->kind == ACCD_EXIT_DATA ? accd_exit_data(&plan)
                 : construct->kind == ACCD_UPDATE  ? accd_update(&plan)
                                                   : accd_enter(&plan, region_p);
    accd_plan_end(&plan);
    if (plan.given.queue)
        dir->queues.giving = NULL;
    context->busy = false;
    return status;
}

accd_status accd_run(accd_context *context, const accd_construct *construct, accd_region **region_p)
{
    accd_status status;
    if (!construct)
        return accd_not_given(context, __func__, "construct");
    if (accd_run_short(context, construct, region_p, &status))
        return status;
    return run_planned(context, construct, region_p);
}

accd_status accd_run_linked(accd_context *context, const accd_construct *construct, accd_region **region_p)
{
    accd_status status;
    if (construct && accd_run_short_linked(context, construct, region_p, &status))
        return status;
    return accd_run(context, construct, region_p);
}

/* The innermost region of the same device and thread: itself, or one above it.
 * Decides DIR-4.1-01. */
static accd_region *innermost(const accd_region *region)
{
    accd_region *top = region->dir->levels.top;
    while (top->thread != region->thread)
        top = top->below;
    return top;
}

/* Decides DIR-4.1-06, DIR-4.3-06. */
accd_status accd_region_end(accd_region *region)
{
    if (!region)
        return ACCD_MISUSE;
    const accd_context *context = region->context;
    accd_region *top = innermost(region);
    if (context->busy || context->working)
        ACCD_TRY(accd_may_ask(region->dir, 0));
    accd_status status;
    for (; top != region && top->given_up; top = innermost(region))
        ACCD_TRY(accd_leave_region(top, true));
    if (top == region)
        return accd_leave_short(region, &status) ? status : accd_leave_region(region, false);
    return accd_fail(region->context, ACCD_REGION_NESTING, R_NESTING,
                     "the region is not the innermost one of device %d: %s, opened at %s:%d, is",
                     region->dir->device.number, top->name ? top->name : "another one",
                     top->file ? top->file : "?", top->line);
}

accd_status accd_region_abandon(accd_region *region)
{
    if (!region)
        return ACCD_MISUSE;
    ACCD_TRY(accd_idle(region->context));
    for (accd_region *top = region->dir->levels.top; top != region; top = top->below)
        top->given_up |= top->thread == region->thread;
    region->given_up = true;
    for (accd_region *top; (top = innermost(region)) != region;)
        ACCD_TRY(accd_leave_region(top, true));
    return accd_leave_region(region, true);
}

size_t accd_region_addresses(const accd_region *region, uint64_t *addresses, size_t n)
{
    const size_t known = region && addresses && region->home ? region->nclaims : 0;
    size_t i = 0;
    for (; i < n && i < known && region->claims[i].object; i++) {
        const struct accd_claim *claim = &region->claims[i];
        addresses[i] = claim->object->dev + (claim->host - claim->object->host);
    }
    return i;
}

int accd_region_device(const accd_region *region) { return region ? region->dir->device.number : -1; }
