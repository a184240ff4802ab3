/* resolve.c - resolves the requests of an entry construct against present data and each other (first steps of TR14
 * 4.2). Input: requests of all items and sections, most of them UNRESOLVED. Output: their states (plan.h),
 * resolved.fresh, and candidates for fusion (clauses that may share a device block, fuse.c). The policy table holds the
 * rules for look-ups (base/rules.h). A storage object, allocated by `hold`, has holes where no clause names bytes.
 * Called by core/ops/enter.c after begin.c and, for walked items, accd__plan_add_sections. */
#include "plan/inside.h"
#include "table/find.h"
#include "table/source.h"

#include <assert.h>

/* ---------------------------------------------------------------------------- present or not -- */

/* Returns the demand of `request`: how it treats absent data. The demand selects the row of the policy table (rules
 * compiled for look-ups) that applies to the request. */
static enum accd__demand get_demand(const struct accd__request *request)
{
    const struct accd__action_traits *demand = &accd__traits_of_action[request->action];
    if (!demand->creates)
        return demand->requires_present ? ACCD_DEMAND_PRESENT : ACCD_DEMAND_NO_CREATE;
    if (request->flags & (ACCD_ITEM_COPY_ABSENT | ACCD_ITEM_UPDATE_PRESENT))
        return ACCD_DEMAND_ABSENT_PART;
    if (request->flags & ACCD_ITEM_PRESENT_PART)
        return ACCD_DEMAND_PRESENT_PART;
    return request->flags & (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_UNCOUNTED) || request->action == ACCD_ACTION_HOLD
               ? ACCD_DEMAND_DATA
               : ACCD_DEMAND_NEW;
}

/* Called for a request with a present object. Returns ACCD_ERROR_LIMIT if the reference counters of the object cannot
 * grow any more. With the knob `fusion`, also makes the request move nothing, unless it has update_and_copy or an
 * `always` flag. Decides TR14-4.2-04, TR14-4.3-01, DIR-2-03, LLNL-2.2-01. */
static accd_status accept_present(const struct accd__plan *plan, struct accd__request *request)
{
    assert(request->object);
    const struct accd__object *object = request->object;
    if (object->structured > UINT32_MAX / 2 || object->dynamic > UINT32_MAX / 2)
        return accd__report_request_error(plan, request, object, ACCD_ERROR_LIMIT, R_LIMIT,
                                          "the reference counter of " ACCD_NAME_PLACEHOLDER " is exhausted");
    if (plan->context->rules.fusion &&
        !(request->flags & (ACCD_ITEM_UPDATE_PRESENT | ACCD_ITEM_ALWAYS_IN | ACCD_ITEM_ALWAYS_OUT)))
        request->moves_nothing = true;
    return ACCD_OK;
}

/* Sets ACCD_ITEM_UPDATE_PRESENT in `request`, whose data are present in part, so that the present part is copied from
 * the host, too. Done if its action copies to the device, the knob `partial_overlap` is `update_and_copy`, and the
 * clause is not present_and_copyin. Decides DIR-6-04. */
static void set_update_present(const struct accd__plan *plan, struct accd__request *request)
{
    if (accd__traits_of_action[request->action].in && plan->context->rules.partial_overlap == ACCD_OVERLAP_REFRESH &&
        !(request->flags & ACCD_ITEM_COPY_ABSENT))
        request->flags |= ACCD_ITEM_UPDATE_PRESENT;
}

/* Splits request `index`, whose data lie in several objects, or are present in part. Adds a fusion candidate if the
 * plan may fuse and the request counts; if the data lie in one tuple, only with the knob `fusion`. Returns an error if
 * the rules reject a present piece, a counter is exhausted, or without memory. `found`: result of the look-up of the
 * request. Decides TR14-4.2-03, TR14-3.5-04, DIR-2-06, DIR-4.2-04, DIR-6-03. */
static accd_status split_partly_present(struct accd__plan *plan, uint32_t index, const struct accd__resolution *found)
{
    assert(index < plan->resolved.nrequests);
    struct accd__request *request = &plan->resolved.requests[index];
    const bool is_whole = found->lookup != ACCD_LOOKUP_PARTIAL, is_tuple = found->lookup == ACCD_LOOKUP_TUPLE;
    const struct accd__policy_entry *each =
        accd__request_policy(plan, request, get_demand(request), ACCD_LOOKUP_OBJECT);
    struct accd__fusion_candidate *candidate = NULL;
    if (plan->resolved.fusion && !(request->flags & ACCD_ITEM_UNCOUNTED) &&
        (plan->context->rules.fusion || !is_tuple)) {
        candidate = accd__fuse_add_candidate(plan, index);
        candidate->dropped = is_tuple && accd__accepts_present(request->flags);
        candidate->split = candidate->allocates = !is_whole;
    }
    if (!is_whole)
        set_update_present(plan, request);
    size_t first = plan->resolved.nrequests;
    ACCD_TRY(accd__split_request(plan, index, NULL));
    if (candidate && candidate->split) {
        candidate->more = (uint32_t)first;
        candidate->nmore = (uint32_t)(plan->resolved.nrequests - first);
    }
    for (size_t i = first - 1; i < plan->resolved.nrequests; i++) {
        request = &plan->resolved.requests[i < first ? index : i];
        if (request->state != ACCD_REQUEST_PRESENT)
            continue;
        if (is_whole && each->decision == ACCD_DECISION_REJECT)
            return accd__reject_request(plan, request, request->object, each);
        ACCD_TRY(accept_present(plan, request));
    }
    return ACCD_OK;
}

/* Splits request `index`, which uses only the present part of its data. Absent pieces become SKIPPED, and the first
 * present piece gets the pointer to attach. Returns ACCD_ERROR_LIMIT if a reference counter is exhausted, or fails
 * without memory. Decides OMP60-map-12. */
static __attribute__((noinline, cold)) accd_status select_present_part(struct accd__plan *plan, uint32_t index)
{
    assert(index < plan->resolved.nrequests);
    const size_t first = plan->resolved.nrequests;
    uint64_t slot = plan->resolved.requests[index].slot;
    ACCD_TRY(accd__split_request(plan, index, NULL));
    plan->resolved.requests[index].slot = 0;
    for (size_t i = first - 1; i < plan->resolved.nrequests; i++) {
        struct accd__request *request = &plan->resolved.requests[i < first ? index : i];
        if (request->state != ACCD_REQUEST_PRESENT) {
            request->state = ACCD_REQUEST_SKIPPED;
            continue;
        }
        ACCD_TRY(accept_present(plan, request));
        request->slot = slot;
        slot = 0;
    }
    return ACCD_OK;
}

/* True if `request` is unresolved, has a pointer, and uses only the present part of its data (ACCD_ITEM_PRESENT_PART).
 * Its data, and the object that contains the pointer, may then be absent. */
static bool is_optional_section(const struct accd__request *request)
{
    return request->flags & ACCD_ITEM_PRESENT_PART && request->slot && request->state == ACCD_REQUEST_UNRESOLVED;
}

/* Makes each optional section (is_optional_section) SKIPPED if its pointer lies in absent data, or in a hole
 * (bytes of a storage object that no clause has named). `n`: number of requests before the pieces of split ones were
 * appended. Requires that the request for the data with a pointer precedes the request of its target. Fails only
 * without memory. Decides OMP60-map-12. */
static __attribute__((noinline, cold)) accd_status skip_absent_targets(struct accd__plan *plan, uint32_t n)
{
    const size_t all = plan->resolved.nrequests;
    struct accd__request *requests = plan->resolved.requests;
    struct accd__pair *pairs;
    size_t npairs = 0;
    ACCD_SCRATCH_ALLOC(plan->context, pairs, 2 * all);
    for (size_t i = 0; i < all; i++)
        if (requests[i].flags & ACCD_ITEM_PRESENT_PART &&
            (requests[i].state == ACCD_REQUEST_SKIPPED || is_optional_section(&requests[i])))
            pairs[npairs++] = (struct accd__pair){requests[i].host, i};
    pairs = accd__sort_pairs(pairs, pairs + all, npairs);
    for (uint32_t i = 0; i < n; i++) {
        struct accd__object *object;
        enum accd__containment relation;
        size_t low = 0, high = npairs;
        if (!is_optional_section(&requests[i]))
            continue;
        ACCD_TRY(accd__find_containment(plan->env, requests[i].slot, sizeof(void *), &relation, &object));
        if (relation == ACCD_RANGE_CONTAINED) {
            if (plan->context->policy.holes &&
                accd__compare_with_object(plan->env, object, requests[i].slot, sizeof(void *)) != ACCD_RANGE_CONTAINED)
                requests[i].state = ACCD_REQUEST_SKIPPED;
            continue;
        }
        while (low < high) { /* counts the pairs that begin at or before the pointer */
            size_t middle = low + (high - low) / 2;
            if (pairs[middle].key <= requests[i].slot)
                low = middle + 1;
            else
                high = middle;
        }
        const struct accd__request *preceding = low ? &requests[pairs[low - 1].value] : NULL;
        if (preceding && preceding->state == ACCD_REQUEST_SKIPPED &&
            requests[i].slot - preceding->host < preceding->bytes)
            requests[i].state = ACCD_REQUEST_SKIPPED;
    }
    return ACCD_OK;
}

/* Resolves request `index` in the storage object found->object, which a `hold` clause allocated for the members of an
 * aggregate. Splits the request at the borders of holes (bytes that no clause has named yet); pieces in holes become
 * FILLS_HOLE and copy their bytes. Also adds a candidate of fusion: a clause whose data may share a device block with
 * others (fuse.c). Returns ACCD_ERROR_LIMIT if a reference counter is
 * exhausted, or fails without memory. Decides DIR-4.2-17. */
static __attribute__((noinline, cold)) accd_status fill_storage(struct accd__plan *plan, uint32_t index,
                                                                const struct accd__resolution *found)
{
    assert(plan->resolved.fusion && found->object);
    struct accd__request *request = &plan->resolved.requests[index];
    struct accd__fusion_candidate *candidate = accd__fuse_add_candidate(plan, index);
    candidate->split = found->lookup == ACCD_LOOKUP_NAMED_PART;
    candidate->allocates = true;
    if (candidate->split)
        set_update_present(plan, request);
    size_t first = plan->resolved.nrequests;
    ACCD_TRY(accd__split_request(plan, index, found->object));
    candidate->more = (uint32_t)first;
    candidate->nmore = (uint32_t)(plan->resolved.nrequests - first);
    for (size_t i = first - 1; i < plan->resolved.nrequests; i++) {
        request = &plan->resolved.requests[i < first ? index : i];
        ACCD_TRY(accept_present(plan, request));
        if (request->state == ACCD_REQUEST_FILLS_HOLE)
            request->moves_nothing = false;
    }
    return ACCD_OK;
}

/* True if `request` makes an object that begins or ends in the range of a tuple (objects in one device block), between
 * the objects of the tuple. The block of the tuple then contains these bytes already. */
static bool lies_in_tuple_gap(const struct accd__plan *plan, const struct accd__request *request)
{
    return accd__traits_of_action[request->action].creates &&
           (accd__find_fused_tuple(plan->env, request->host) ||
            accd__find_fused_tuple(plan->env, request->host + request->bytes - 1));
}

/* Looks request `index` up in the present table and applies the decision of the rules: use, skip, split or fill. Adds a
 * candidate of fusion (a clause whose data may share a device block with others, fuse.c) if the plan may fuse and the
 * request counts. Without the knob `fusion`, adds it only for new data in the gap of a tuple. Returns an error if the
 * rules reject the request, or without memory. Decides TR14-4.3-02. */
static accd_status resolve_presence(struct accd__plan *plan, uint32_t index)
{
    assert(index < plan->resolved.nrequests && plan->resolved.requests[index].bytes);
    struct accd__request *request = &plan->resolved.requests[index];
    struct accd__resolution found;
    ACCD_TRY(accd__resolve_request(plan, request, get_demand(request), &found));
    if (found.decision == ACCD_DECISION_SPLIT)
        return get_demand(request) == ACCD_DEMAND_PRESENT_PART ? select_present_part(plan, index)
                                                               : split_partly_present(plan, index, &found);
    if (found.decision == ACCD_DECISION_FILL)
        return fill_storage(plan, index, &found);
    if (found.decision == ACCD_DECISION_SKIP)
        return ACCD_OK;
    const bool is_used = found.decision == ACCD_DECISION_USE;
    if (plan->resolved.fusion && !(request->flags & ACCD_ITEM_UNCOUNTED) &&
        (plan->context->rules.fusion || (!is_used && lies_in_tuple_gap(plan, request)))) {
        struct accd__fusion_candidate *candidate = accd__fuse_add_candidate(plan, index);
        candidate->dropped = is_used && accd__accepts_present(request->flags);
        candidate->allocates = !is_used && accd__traits_of_action[request->action].creates;
    }
    return is_used ? accept_present(plan, request) : ACCD_OK;
}

/* ---------------------------------------------------------------------- conflicts and owners -- */

/* Sets [*low_p, *end_p) to the host range of the whole item or walked section to which `request` belongs; `request` may
 * be only a piece of that range. */
static void get_requested_range(const struct accd__plan *plan, const struct accd__request *request, uint64_t *low_p,
                                uint64_t *end_p)
{
    size_t row;
    const struct accd__item_source *source = accd__request_source(&plan->input, request);
    const struct accd__segment *segment = source ? NULL : accd__request_segment(&plan->input, request, &row);
    *low_p = source ? source->host : segment->host[row];
    *end_p = *low_p + (source ? source->bytes : accd__section_bytes(segment, row));
}

/* True if the whole ranges of the items or sections of two overlapping requests are such that neither contains the
 * other. The requests themselves may be pieces of them, split at present data. Decides TR14-4.2-05. */
static bool clauses_overlap(const struct accd__plan *plan, const struct accd__request *a, const struct accd__request *b)
{
    uint64_t low, low_end, high, high_end;
    get_requested_range(plan, a, &low, &low_end);
    get_requested_range(plan, b, &high, &high_end);
    return (low < high && low_end < high_end) || (low > high && low_end > high_end);
}

/* True if the knob `counting` is `items`, and the item of `request` precedes that of `owner` and maps only a part of
 * its data. False for members, base pointers and walked sections. */
static bool comes_before(const struct accd__plan *plan, const struct accd__request *request,
                         const struct accd__request *owner)
{
    return plan->context->rules.counting == ACCD_COUNT_ITEMS && request < owner && request->bytes < owner->bytes &&
           !accd__request_is_part(plan, request) && !((request->source | owner->source) & ACCD_SOURCE_WALKED);
}

/* Resolves a request that makes no object: it becomes WITHIN_NEW if another request makes an object that contains its
 * data; otherwise it becomes SKIPPED. Returns an error if its data must be present and are not, or overlap a new object
 * in part. Decides TR14-4.2-09, TR14-2.2-03. */
static accd_status resolve_within_new(struct accd__plan *plan, struct accd__request *request)
{
    assert(request->state == ACCD_REQUEST_UNRESOLVED);
    struct accd__request *owner = accd__find_new_request(plan, request->host, request->bytes);
    if (owner && owner->host <= request->host && request->bytes <= owner->host + owner->bytes - request->host &&
        accd__request_allocates(plan, owner, request->host, request->bytes, request)) {
        request->state = ACCD_REQUEST_WITHIN_NEW;
        request->owner = (uint32_t)(owner - plan->resolved.requests);
        return ACCD_OK;
    }
    if (owner)
        return accd__report_overlap(plan, request, owner);
    if (accd__traits_of_action[request->action].requires_present)
        return accd__report_request_error(plan, request, NULL, ACCD_ERROR_NOT_PRESENT, R_NOT_PRESENT,
                                          ACCD_NAME_PLACEHOLDER " is not present on device %d",
                                          plan->env->device.number);
    request->state = ACCD_REQUEST_SKIPPED;
    return ACCD_OK;
}

/* Resolves the requests that make objects, in the order of their addresses: each becomes NEW and enters resolved.fresh,
 * or WITHIN_NEW if an earlier one contains it. Then resolves the requests that make nothing. Returns an error if two
 * requests overlap in part, or without memory. Decides TR14-4.2-06. */
static accd_status resolve_new_objects(struct accd__plan *plan)
{
    const size_t most = plan->resolved.nrequests;
    struct accd__pair *pairs;
    uint32_t *fresh;
    size_t n = 0;
    bool has_others = false;
    ACCD_SCRATCH_ALLOC(plan->context, pairs, 2 * most);
    ACCD_SCRATCH_ALLOC(plan->context, fresh, most);
    plan->resolved.fresh = fresh;
    for (uint32_t i = 0; i < most; i++) {
        const struct accd__request *request = &plan->resolved.requests[i];
        if (request->state != ACCD_REQUEST_UNRESOLVED || !request->bytes)
            continue;
        if (accd__traits_of_action[request->action].creates)
            pairs[n++] = (struct accd__pair){request->host, i};
        else
            has_others = true;
    }
    pairs = accd__sort_pairs(pairs, pairs + most, n);
    for (size_t i = 0; i < n;) {
        /* moves the request to the front that owns the others at its address: the longest; among equal lengths, one
         * without present_or */
        size_t longest = i, end = i + 1;
        for (; end < n && pairs[end].key == pairs[i].key; end++) {
            const struct accd__request *a = &plan->resolved.requests[pairs[end].value];
            const struct accd__request *b = &plan->resolved.requests[pairs[longest].value];
            if (a->bytes > b->bytes ||
                (a->bytes == b->bytes && accd__accepts_present(b->flags) && !accd__accepts_present(a->flags)))
                longest = end;
        }
        struct accd__pair swap = pairs[i];
        pairs[i] = pairs[longest];
        pairs[longest] = swap;
        for (; i < end; i++) {
            struct accd__request *request = &plan->resolved.requests[pairs[i].value];
            struct accd__request *owner =
                plan->resolved.nfresh ? &plan->resolved.requests[fresh[plan->resolved.nfresh - 1]] : NULL;
            if (owner && request->host - owner->host < owner->bytes) {
                if (request->bytes > owner->host + owner->bytes - request->host)
                    return accd__report_overlap(plan, request, owner);
                if (comes_before(plan, request, owner))
                    return accd__report_overlap(plan, owner, request);
                if (clauses_overlap(plan, request, owner) ||
                    !accd__request_allocates(plan, owner, request->host, request->bytes, request))
                    return accd__report_overlap(plan, request, owner);
                request->state = ACCD_REQUEST_WITHIN_NEW;
                request->owner = fresh[plan->resolved.nfresh - 1];
            } else {
                request->state = ACCD_REQUEST_NEW;
                fresh[plan->resolved.nfresh++] = (uint32_t)pairs[i].value;
            }
        }
    }
    for (uint32_t i = 0; has_others && i < plan->resolved.nrequests; i++) {
        struct accd__request *request = &plan->resolved.requests[i];
        if (request->state == ACCD_REQUEST_UNRESOLVED && request->bytes)
            ACCD_TRY(resolve_within_new(plan, request));
    }
    return ACCD_OK;
}

/* Resolves the only unresolved request of the construct, which must have index 0: it becomes NEW if its action creates
 * data. Otherwise it becomes SKIPPED, or is an error if its data must be present. No other request makes an object. */
static accd_status resolve_single(struct accd__plan *plan, struct accd__request *request)
{
    assert(request == plan->resolved.requests && request->state == ACCD_REQUEST_UNRESOLVED);
    if (!accd__traits_of_action[request->action].creates)
        return resolve_within_new(plan, request);
    static const uint32_t only = 0;
    plan->resolved.fresh = &only;
    plan->resolved.nfresh = 1;
    request->state = ACCD_REQUEST_NEW;
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------- entry point -- */

/* Gives each request of an entry its state: first from present data, then by comparison of the remaining requests with
 * each other. Returns an error if the rules reject a request or an overlap, or without memory. Decides TR14-4.2-01,
 * TR14-4.2-02. */
accd_status accd__resolve_entry(struct accd__plan *plan)
{
    /* `n`: number of requests before any split; pieces are appended after them. `open`, `last`: number of unresolved
     * requests, and index of the last one */
    uint32_t open = 0, last = 0, n = (uint32_t)plan->resolved.nrequests;
    for (uint32_t i = 0; i < n; i++) {
        if (plan->resolved.requests[i].action == ACCD_ACTION_ATTACH)
            plan->resolved.requests[i].state = ACCD_REQUEST_SKIPPED;
        if (plan->resolved.requests[i].state == ACCD_REQUEST_UNRESOLVED && plan->resolved.requests[i].bytes)
            ACCD_TRY(resolve_presence(plan, i));
    }
    if (plan->input.item_flags & ACCD_ITEM_PRESENT_PART && plan->input.walk)
        ACCD_TRY(skip_absent_targets(plan, n));
    for (uint32_t i = 0; i < plan->resolved.nrequests; i++)
        if (plan->resolved.requests[i].state == ACCD_REQUEST_UNRESOLVED) {
            open++;
            last = i;
        }
    if (open == 1 && last == 0)
        return resolve_single(plan, &plan->resolved.requests[0]);
    return open ? resolve_new_objects(plan) : ACCD_OK;
}
