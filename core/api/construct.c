/* construct.c - runs constructs and ends regions: the public functions to which every directive is lowered. Each tries
 * the fast path first, and otherwise plans the construct and executes the plan (core/ops). */
#include "accdeep_constructs.h"
#include "accdeep_programs.h"
#include "ops/ops.h"
#include "table/objects.h"

#include <assert.h>

/* Returns ACCD_OK if each item of a construct has an action that the construct can do, `dims` unless ndims is 0, and
 * the parameters that its program needs. Otherwise sets the last error and returns ACCD_ERROR_MISUSE for the first
 * invalid item, or for too many items. */
static accd_status check_items(accd_context *context, const accd_construct *construct)
{
    if (construct->nitems > ACCD_SOURCE_WALKED - 1 || (construct->nitems && !construct->items))
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "the construct has %zu items%s", construct->nitems,
                               construct->items ? "" : ", but they are a null pointer");
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        bool exits = item->action == ACCD_ACTION_DELETE || item->action == ACCD_ACTION_COPYOUT ||
                     item->action == ACCD_ACTION_DETACH || item->action == ACCD_ACTION_HOLD;
        bool updates = item->action == ACCD_ACTION_UPDATE_SELF || item->action == ACCD_ACTION_UPDATE_DEVICE;
        bool is_allowed = construct->kind == ACCD_KIND_EXIT_DATA ? exits
                          : construct->kind == ACCD_KIND_UPDATE
                              ? updates
                              : item->action < ACCD_ACTION_COUNT && accd__traits_of_action[item->action].entry;
        const accd_program *program = item->program;
        bool has_parameters = !program || (!program->inherited && (!program->spec.params || item->params));
        bool is_valid = !item->ndims || item->dims;
        if (is_allowed && has_parameters && is_valid)
            continue;
        if (!is_valid)
            return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE,
                                   "item %zu has dimensions that are a null pointer", i);
        return accd__set_error(
            context, ACCD_ERROR_MISUSE, R_MISUSE, "item %zu asks for %s, which this construct cannot do%s", i,
            accd_action_name(item->action), is_allowed ? " without parameters or an enclosing element" : "");
    }
    return ACCD_OK;
}

/* Checks, plans and executes a construct: the general path, for all cases that the fast path refuses. Returns the
 * errors of accd_run_construct. Not inlined, so that the fast path has no stack frame for a plan. */
static __attribute__((noinline)) accd_status run_general_path(accd_context *context, const accd_construct *construct,
                                                              accd_region **region_p)
{
    assert(construct);
    ACCD_ON_DEVICE(env, context, construct->device);
    if ((unsigned)construct->kind > ACCD_KIND_UPDATE)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "there is no such kind of construct");
    if (context->busy || context->runs_queue || construct->queue)
        ACCD_TRY(accd__check_can_submit(env, construct->queue));
    ACCD_TRY(check_items(context, construct));
    bool opens = construct->kind == ACCD_KIND_REGION || construct->kind == ACCD_KIND_COMPUTE;
    if (opens && !region_p)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "a region needs a place to be returned");
    struct accd__plan plan;
    context->busy = true;
    accd_status status = accd__plan_begin(&plan, env, construct);
    if (status == ACCD_OK)
        status = construct->kind == ACCD_KIND_EXIT_DATA ? accd__run_exit_data(&plan)
                 : construct->kind == ACCD_KIND_UPDATE  ? accd__run_update(&plan)
                                                        : accd__run_entry(&plan, region_p);
    accd__plan_end(&plan);
    if (plan.input.queue)
        env->queues.releasing = NULL;
    context->busy = false;
    return status;
}

/* Executes a construct: on the fast path for items without pointers if possible, otherwise on the general path. */
accd_status accd_run_construct(accd_context *context, const accd_construct *construct, accd_region **region_p)
{
    accd_status status;
    if (!construct)
        return accd__report_missing_argument(context, __func__, "construct");
    if (accd__run_fast_path(context, construct, region_p, &status))
        return status;
    return run_general_path(context, construct, region_p);
}

/* Executes a construct: on the fast path for items that attach or detach pointers if possible, otherwise as
 * accd_run_construct does. */
accd_status accd_run_construct_with_pointers(accd_context *context, const accd_construct *construct,
                                             accd_region **region_p)
{
    accd_status status;
    if (construct && accd__run_fast_path_with_pointers(context, construct, region_p, &status))
        return status;
    return accd_run_construct(context, construct, region_p);
}

/* Returns the innermost region of the device and thread of `region`: `region` itself, or a region opened after it.
 * `region` must be open. Decides DIR-4.1-01. */
static accd_region *innermost_region(const accd_region *region)
{
    assert(region->env->levels.top);
    accd_region *top = region->env->levels.top;
    while (top->thread != region->thread)
        top = top->below;
    return top;
}

/* Ends and frees a region, which must be the innermost one of its device and thread. Before that, ends regions inside
 * it that accd_region_abandon could not end. Decides DIR-4.1-06, DIR-4.3-06. */
accd_status accd_region_end(accd_region *region)
{
    if (!region)
        return ACCD_ERROR_MISUSE;
    const accd_context *context = region->context;
    accd_region *top = innermost_region(region);
    if (context->busy || context->runs_queue)
        ACCD_TRY(accd__check_can_submit(region->env, 0));
    accd_status status;
    for (; top != region && top->abandoned; top = innermost_region(region))
        ACCD_TRY(accd__end_region(top, true));
    if (top == region)
        return accd__end_fast_path(region, &status) ? status : accd__end_region(region, false);
    return accd__set_error(region->context, ACCD_ERROR_REGION_NESTING, R_NESTING,
                           "the region is not the innermost one of device %d: %s, opened at %s:%d, is",
                           region->env->device.number, top->name ? top->name : "another one",
                           top->file ? top->file : "?", top->line);
}

/* Ends a region, and before it the regions of the same device and thread inside it, without copies to the host. */
accd_status accd_region_abandon(accd_region *region)
{
    if (!region)
        return ACCD_ERROR_MISUSE;
    ACCD_TRY(accd__check_not_busy(region->context));
    for (accd_region *top = region->env->levels.top; top != region; top = top->below)
        top->abandoned |=
            top->thread ==
            region->thread; /* if the loop below fails, accd_region_end of an outer region ends it later */
    region->abandoned = true;
    for (accd_region *top; (top = innermost_region(region)) != region;)
        ACCD_TRY(accd__end_region(top, true));
    return accd__end_region(region, true);
}

/* Writes the device addresses of the first items, at most n, of a region that the fast path opened, and returns their
 * number. Stops at an item without an object. Returns 0 for other regions. */
size_t accd_region_addresses(const accd_region *region, uint64_t *addresses, size_t n)
{
    const size_t is_valid = region && addresses && region->free_list ? region->nrequests : 0;
    size_t i = 0;
    for (; i < n && i < is_valid && region->requests[i].object; i++) {
        const struct accd__request *request = &region->requests[i];
        addresses[i] = request->object->dev + (request->host - request->object->host);
    }
    return i;
}

/* Returns the number of the region's device; -1 if `region` is NULL. */
int accd_region_device(const accd_region *region)
{
    return region ? region->env->device.number : -1;
}
