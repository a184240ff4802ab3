/* update.c - executes update constructs: unconditional moves (copies between host and device) of present data
 * (TR14-1.2-16). Attached pointers keep their values on both sides (TR14-4.1-06). Called by core/api/construct.c. */
#include "ops/inside.h"
#include "table/find.h"

#include <assert.h>

/* Resolves request `index` of an update: finds its object, and applies the rules. Splits the request if several objects
 * contain its data. Returns an error if the rules reject the request, or without memory. Decides TR14-1.2-15,
 * TR14-1.2-16, ACC33-upd-1, DIR-ABI-03. */
static accd_status resolve_update(struct accd__plan *plan, uint32_t index)
{
    assert(index < plan->resolved.nrequests);
    struct accd__request *request = &plan->resolved.requests[index];
    const bool if_present = request->flags & ACCD_ITEM_IF_PRESENT;
    struct accd__resolution found;
    struct accd__attachment *attach = NULL;
    /* skips an item of which only members move: the data themselves need not be present (AMB-TR14-20) */
    if (accd__requests_members_only(plan, request)) {
        request->state = ACCD_REQUEST_SKIPPED;
        return ACCD_OK;
    }
    if (request->slot)
        ACCD_TRY(accd__find_attachment(plan->env, request->slot, &attach));
    if (attach && !if_present)
        ACCD_TRY(accd__check_pointer_unchanged(plan, request, attach));
    ACCD_TRY(
        accd__resolve_request(plan, request, if_present ? ACCD_DEMAND_UPDATE_IF_PRESENT : ACCD_DEMAND_UPDATE, &found));
    return found.decision == ACCD_DECISION_SPLIT ? accd__split_request(plan, index, NULL) : ACCD_OK;
}

/* Sets plan->resolved.group to a group (deep structure in one record) that contains all columns of the walk, whose
 * sections are then updated without a record for each. The group stays NULL if there is none, or the rules or gaps
 * exclude groups. If bytes of elements move, the group must have exactly these columns: only then are all attached
 * pointers in the elements known. Fails without memory. */
static accd_status match_group(struct accd__plan *plan)
{
    assert(plan->input.walk);
    struct accd_walk *walk = plan->input.walk;
    struct accd__device_env *env = plan->env;
    if (plan->context->rules.attached == ACCD_ATTACHED_COPIED || walk->gaps)
        return ACCD_OK; /* uses no group: a group's transfer never moves pointers, which the rules may require, and
                           supports no gaps */
    for (size_t i = 0; i < walk->nroots; i++)
        if (plan->resolved.requests[walk->roots[i].item].state == ACCD_REQUEST_SKIPPED)
            return ACCD_OK;
    for (size_t i = 0; env->tuples.placements.count && i < walk->nroots; i++) {
        enum accd__containment relation;
        struct accd__object *object;
        const struct accd__walk_root *root = &walk->roots[i];
        ACCD_TRY(accd__find_containment(env, root->host, root->bytes, &relation, &object));
        if (relation == ACCD_RANGE_PARTIAL) /* uses no group, because it moves elements of one object only */
            return ACCD_OK;
    }
    struct accd__group *group = accd__find_matching_group(env, walk);
    if (group && !accd__group_shares_slots(env, group) && !accd__plan_overlaps_group(plan, group)) {
        ACCD_TRY(accd__bulk_begin(plan, group));
        plan->resolved.group = group;
        for (size_t i = 0; i < walk->nroots; i++)
            plan->changes.bulk->own[i] = accd__has_own_moves(walk->rowsets[walk->roots[i].rowset].program);
        return ACCD_OK;
    }
    for (size_t i = 0; i < walk->nroots; i++)
        if (accd__has_own_moves(walk->rowsets[walk->roots[i].rowset].program))
            return ACCD_OK;
    if (walk->nrowsets != walk->nroots || !walk->nsegments)
        return ACCD_OK;
    for (size_t g = 0; g < env->groups.n; g++) {
        group = env->groups.at[g];
        if (!group || !group->pending || accd__plan_overlaps_group(plan, group))
            continue;
        ACCD_TRY(accd__bulk_begin(plan, group));
        const struct accd__segment **places = plan->changes.bulk->places;
        size_t nmatches = 0;
        for (size_t i = 0; i < walk->nsegments; i++) {
            places[i] = NULL;
            for (size_t k = 0; k < group->walk->nsegments && !places[i]; k++)
                if (accd__columns_equal(group->walk, &group->walk->segments[k], walk, &walk->segments[i]))
                    places[i] = &group->walk->segments[k];
            nmatches += places[i] != NULL;
        }
        if (nmatches == walk->nsegments && accd__group_descriptors_unchanged(env, group)) {
            plan->resolved.group = group;
            return ACCD_OK;
        }
        plan->changes.bulk = NULL;
    }
    return ACCD_OK;
}

/* Returns true if all requests move in one direction, and sets *out to true for the direction to the host. Returns
 * false if requests have both directions; *out then has no meaning. */
static bool has_one_direction(const struct accd__plan *plan, bool *out)
{
    for (size_t i = 0; i < plan->resolved.nrequests; i++) {
        bool this = plan->resolved.requests[i].action == ACCD_ACTION_UPDATE_SELF;
        if (i && this != *out)
            return false;
        *out = this;
    }
    return true;
}

/* Sets *order_p to pairs {item number, request number} of all requests, sorted by item; sections of a walk follow their
 * item. Used if moves have both directions, because their order then matters. Fails only without memory. Decides
 * OMP60-upd-1. */
static accd_status order_by_item(struct accd__plan *plan, struct accd__pair **order_p)
{
    size_t n = plan->resolved.nrequests;
    struct accd__pair *pairs;
    ACCD_SCRATCH_ALLOC(plan->context, pairs, 2 * n);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct accd__pair){accd__request_item(&plan->input, &plan->resolved.requests[i]), i};
    *order_p = accd__sort_pairs(pairs, pairs + n, n);
    return ACCD_OK;
}

/* Executes an update: uses a group for large walks if possible, resolves the requests, and plans, runs and reports
 * their moves. Returns an error if the rules reject a request, without memory, or if a transfer fails, and then changes
 * nothing. */
accd_status accd__run_update(struct accd__plan *plan)
{
    bool out = false;
    if (plan->input.walk && accd__plan_can_group(plan) &&
        plan->input.walk->sections >= plan->context->config.group_least && has_one_direction(plan, &out))
        ACCD_TRY(match_group(plan));
    if (plan->input.walk && !plan->resolved.group)
        ACCD_TRY(accd__plan_add_sections(plan));
    /* the number of requests grows: the loop also handles the pieces that splitting appends */
    for (uint32_t i = 0; i < plan->resolved.nrequests; i++)
        if (plan->resolved.requests[i].state == ACCD_REQUEST_UNRESOLVED)
            ACCD_TRY(resolve_update(plan, i));
    struct accd__bulk *bulk = plan->changes.bulk;
    for (size_t i = 0; bulk && i < plan->input.walk->nroots; i++) {
        bulk->out = out;
        accd__bulk_set_root(plan, i, plan->resolved.requests[plan->input.walk->roots[i].item].object);
        bulk->own[i] = bulk->own[i] && bulk->roots[i];
    }
    struct accd__pair *order = NULL;
    if (plan->input.walk && !has_one_direction(plan, &out))
        ACCD_TRY(order_by_item(plan, &order));
    for (uint32_t k = 0; k < plan->resolved.nrequests; k++) {
        uint32_t i = order ? (uint32_t)order[k].value : k;
        const struct accd__request *request = &plan->resolved.requests[i];
        const struct accd__item_source *source = accd__request_source(&plan->input, request);
        bool in_bulk = bulk && source && source->root >= 0;
        if (request->state == ACCD_REQUEST_PRESENT && !in_bulk)
            ACCD_TRY(accd__plan_request_moves(plan, i, request->action == ACCD_ACTION_UPDATE_SELF));
    }
    ACCD_TRY(accd__plan_keep_pointers(plan));
    ACCD_TRY(accd__plan_commit(plan));
    accd__report_update(plan);
    return ACCD_OK;
}
