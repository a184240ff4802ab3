/* resolve.c - what each clause of an entry construct finds: present data, parts of such, an object that
 * another clause makes, or nothing. The first steps of TR14 4.2. */
#include "plan/inside.h"

/* ------------------------------------------------------------------------- present or not -- */

/* What becomes of absent data. */
static enum accd_asks asks(const struct accd_claim *claim)
{
    const struct accd_demand *demand = &accd_demands[claim->action];
    if (!demand->creates)
        return demand->must ? ACCD_ASKS_PRESENT : ACCD_ASKS_NO_MORE;
    if (claim->flags & (ACCD_ITEM_KEEP | ACCD_ITEM_REFRESH))
        return ACCD_ASKS_REST;
    if (claim->flags & ACCD_ITEM_PART)
        return ACCD_ASKS_PART;
    return claim->flags & (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_UNCOUNTED) || claim->action == ACCD_HOLD
               ? ACCD_ASKS_DATA
               : ACCD_ASKS_NEW;
}

/* A claim, or piece of one, that lies in a present object.
 * Decides TR14-4.2-04, TR14-4.3-01, DIR-2-03, LLNL-2.2-01. */
static accd_status resolve_inside(const struct accd_plan *plan, struct accd_claim *claim)
{
    const struct accd_object *object = claim->object;
    if (object->structured > UINT32_MAX / 2 || object->dynamic > UINT32_MAX / 2)
        return accd_claim_error(plan, claim, object, ACCD_LIMIT, R_LIMIT,
                                "the reference counter of " ACCD_ASKED " is exhausted");
    if (plan->context->rules.fusion &&
        !(claim->flags & (ACCD_ITEM_REFRESH | ACCD_ITEM_ALWAYS_IN | ACCD_ITEM_ALWAYS_OUT)))
        claim->still = true;
    return ACCD_OK;
}

/* What is there of data that are sent in part comes from the host, too, if the rules say so.
 * Decides DIR-6-04. */
static void refresh(const struct accd_plan *plan, struct accd_claim *claim)
{
    if (accd_demands[claim->action].in && plan->context->rules.partial_overlap == ACCD_OVERLAP_REFRESH &&
        !(claim->flags & ACCD_ITEM_KEEP))
        claim->flags |= ACCD_ITEM_REFRESH;
}

/* A claim of which one object does not hold all, but present ones hold something.
 * Decides TR14-4.2-03, TR14-3.5-04, DIR-2-06, DIR-4.2-04, DIR-6-03. */
static accd_status resolve_across(struct accd_plan *plan, uint32_t index, const struct accd_answer *found)
{
    struct accd_claim *claim = &plan->found.claims[index];
    const bool whole = found->what != ACCD_FOUND_PART, one = found->what == ACCD_FOUND_TUPLE;
    const struct accd_verdict *each = accd_claim_verdict(plan, claim, asks(claim), ACCD_FOUND_OBJECT);
    struct accd_candidate *candidate = NULL;
    if (plan->found.fusion && !(claim->flags & ACCD_ITEM_UNCOUNTED) && (plan->context->rules.fusion || !one)) {
        candidate = accd_fuse_candidate(plan, index);
        candidate->dropped = one && accd_present_or(claim->flags);
        candidate->split = candidate->allocates = !whole;
    }
    if (!whole)
        refresh(plan, claim);
    size_t first = plan->found.nclaims;
    ACCD_TRY(accd_claim_cut(plan, index, NULL));
    if (candidate && candidate->split) {
        candidate->more = (uint32_t)first;
        candidate->nmore = (uint32_t)(plan->found.nclaims - first);
    }
    for (size_t i = first - 1; i < plan->found.nclaims; i++) {
        claim = &plan->found.claims[i < first ? index : i];
        if (claim->state != ACCD_CLAIM_PRESENT)
            continue;
        if (whole && each->outcome == ACCD_REJECTS)
            return accd_claim_reject(plan, claim, claim->object, each);
        ACCD_TRY(resolve_inside(plan, claim));
    }
    return ACCD_OK;
}

/* A claim that asks only for what is present of its data: the absent pieces are skipped, and the first
 * present one attaches the pointer.
 * Decides OMP60-map-12. */
static __attribute__((noinline, cold)) accd_status resolve_part(struct accd_plan *plan, uint32_t index)
{
    const size_t first = plan->found.nclaims;
    uint64_t slot = plan->found.claims[index].slot;
    ACCD_TRY(accd_claim_cut(plan, index, NULL));
    plan->found.claims[index].slot = 0;
    for (size_t i = first - 1; i < plan->found.nclaims; i++) {
        struct accd_claim *claim = &plan->found.claims[i < first ? index : i];
        if (claim->state != ACCD_CLAIM_PRESENT) {
            claim->state = ACCD_CLAIM_SKIP;
            continue;
        }
        ACCD_TRY(resolve_inside(plan, claim));
        claim->slot = slot;
        slot = 0;
    }
    return ACCD_OK;
}

/* Whether a section asks for its data although they may be absent, and so may the pointer to them. */
static bool follows_part(const struct accd_claim *claim)
{
    return claim->flags & ACCD_ITEM_PART && claim->slot && claim->state == ACCD_CLAIM_OPEN;
}

/* Where only a part of data is asked for, what pointers in the rest point to is skipped, too. n: claims that
 * are no pieces. Pointers come before what they point to.
 * Decides OMP60-map-12. */
static __attribute__((noinline, cold)) accd_status skip_targets(struct accd_plan *plan, uint32_t n)
{
    const size_t all = plan->found.nclaims;
    struct accd_claim *claims = plan->found.claims;
    struct accd_pair *pairs;
    size_t npairs = 0;
    ACCD_TAKE(plan->context, pairs, 2 * all);
    for (size_t i = 0; i < all; i++)
        if (claims[i].flags & ACCD_ITEM_PART &&
            (claims[i].state == ACCD_CLAIM_SKIP || follows_part(&claims[i])))
            pairs[npairs++] = (struct accd_pair){claims[i].host, i};
    pairs = accd_sort_pairs(pairs, pairs + all, npairs);
    for (uint32_t i = 0; i < n; i++) {
        struct accd_object *object;
        enum accd_relation relation;
        size_t low = 0, high = npairs;
        if (!follows_part(&claims[i]))
            continue;
        ACCD_TRY(accd_relate(plan->dir, claims[i].slot, sizeof(void *), &relation, &object));
        if (relation == ACCD_INSIDE) {
            if (plan->context->verdicts.holes &&
                accd_relate_within(plan->dir, object, claims[i].slot, sizeof(void *)) != ACCD_INSIDE)
                claims[i].state = ACCD_CLAIM_SKIP;
            continue;
        }
        while (low < high) { /* how many begin at the pointer or before it */
            size_t middle = low + (high - low) / 2;
            if (pairs[middle].key <= claims[i].slot)
                low = middle + 1;
            else
                high = middle;
        }
        const struct accd_claim *around = low ? &claims[pairs[low - 1].value] : NULL;
        if (around && around->state == ACCD_CLAIM_SKIP && claims[i].slot - around->host < around->bytes)
            claims[i].state = ACCD_CLAIM_SKIP;
    }
    return ACCD_OK;
}

/* What no clause named of a held object is sent, into the object (DIR-4.2-17).
 * Decides DIR-4.2-17. */
static __attribute__((noinline, cold)) accd_status resolve_held(struct accd_plan *plan, uint32_t index,
                                                                const struct accd_answer *found)
{
    struct accd_claim *claim = &plan->found.claims[index];
    struct accd_candidate *candidate = accd_fuse_candidate(plan, index);
    candidate->split = found->what == ACCD_FOUND_NAMED_PART;
    candidate->allocates = true;
    if (candidate->split)
        refresh(plan, claim);
    size_t first = plan->found.nclaims;
    ACCD_TRY(accd_claim_cut(plan, index, found->object));
    candidate->more = (uint32_t)first;
    candidate->nmore = (uint32_t)(plan->found.nclaims - first);
    for (size_t i = first - 1; i < plan->found.nclaims; i++) {
        claim = &plan->found.claims[i < first ? index : i];
        ACCD_TRY(resolve_inside(plan, claim));
        if (claim->state == ACCD_CLAIM_FILLS)
            claim->still = false;
    }
    return ACCD_OK;
}

/* Whether a new object takes bytes between data that are fused: those belong to their block. */
static bool lies_between(const struct accd_plan *plan, const struct accd_claim *claim)
{
    return accd_demands[claim->action].creates &&
           (accd_fused_at(plan->dir, claim->host) || accd_fused_at(plan->dir, claim->host + claim->bytes - 1));
}

/* Decides TR14-4.3-02. */
static accd_status resolve_present(struct accd_plan *plan, uint32_t index)
{
    struct accd_claim *claim = &plan->found.claims[index];
    struct accd_answer found;
    ACCD_TRY(accd_claim_find(plan, claim, asks(claim), &found));
    if (found.outcome == ACCD_CUTS)
        return asks(claim) == ACCD_ASKS_PART ? resolve_part(plan, index) : resolve_across(plan, index, &found);
    if (found.outcome == ACCD_FILLS)
        return resolve_held(plan, index, &found);
    if (found.outcome == ACCD_SKIPS)
        return ACCD_OK;
    const bool takes = found.outcome == ACCD_TAKES;
    if (plan->found.fusion && !(claim->flags & ACCD_ITEM_UNCOUNTED) &&
        (plan->context->rules.fusion || (!takes && lies_between(plan, claim)))) {
        struct accd_candidate *candidate = accd_fuse_candidate(plan, index);
        candidate->dropped = takes && accd_present_or(claim->flags);
        candidate->allocates = !takes && accd_demands[claim->action].creates;
    }
    return takes ? resolve_inside(plan, claim) : ACCD_OK;
}

/* --------------------------------------------------------------------- conflicts and owners -- */

/* What the clause or section of a claim asks for, of which the claim may be a piece. */
static void whole_of(const struct accd_plan *plan, const struct accd_claim *claim, uint64_t *low_p, uint64_t *end_p)
{
    size_t row;
    const struct accd_source *source = accd_claim_source(&plan->given, claim);
    const struct accd_segment *segment = source ? NULL : accd_claim_segment(&plan->given, claim, &row);
    *low_p = source ? source->host : segment->host[row];
    *end_p = *low_p + (source ? source->bytes : accd_section_bytes(segment, row));
}

/* Whether two of them overlap in part, although the claims, cut at present data, do not.
 * Decides TR14-4.2-05. */
static bool clauses_cross(const struct accd_plan *plan, const struct accd_claim *a,
                          const struct accd_claim *b)
{
    uint64_t low, low_end, high, high_end;
    whole_of(plan, a, &low, &low_end);
    whole_of(plan, b, &high, &high_end);
    return (low < high && low_end < high_end) || (low > high && low_end > high_end);
}

/* Whether, where list items count, a claim that lies in another one comes before it, and so would map a part of the
 * data first. */
static bool comes_before(const struct accd_plan *plan, const struct accd_claim *claim, const struct accd_claim *owner)
{
    return plan->context->rules.counting == ACCD_COUNT_ITEMS && claim < owner && claim->bytes < owner->bytes &&
           !accd_claim_is_part(plan, claim) && !((claim->source | owner->source) & ACCD_CLAIM_WALKED);
}

/* A claim that makes nothing: it may lie in what another one makes.
 * Decides TR14-4.2-09, TR14-2.2-03. */
static accd_status resolve_within(struct accd_plan *plan, struct accd_claim *claim)
{
    struct accd_claim *owner = accd_fresh_in(plan, claim->host, claim->bytes);
    if (owner && owner->host <= claim->host &&
        claim->bytes <= owner->host + owner->bytes - claim->host &&
        accd_claim_keeps(plan, owner, claim->host, claim->bytes, claim)) {
        claim->state = ACCD_CLAIM_WITHIN;
        claim->owner = (uint32_t)(owner - plan->found.claims);
        return ACCD_OK;
    }
    if (owner)
        return accd_overlap_error(plan, claim, owner);
    if (accd_demands[claim->action].must)
        return accd_claim_error(plan, claim, NULL, ACCD_NOT_PRESENT, R_NOT_PRESENT,
                                ACCD_ASKED " is not present on device %d", plan->dir->device.number);
    claim->state = ACCD_CLAIM_SKIP;
    return ACCD_OK;
}

/* Decides TR14-4.2-06. */
static accd_status resolve_fresh(struct accd_plan *plan)
{
    const size_t most = plan->found.nclaims;
    struct accd_pair *pairs;
    uint32_t *fresh;
    size_t n = 0;
    bool others = false;
    ACCD_TAKE(plan->context, pairs, 2 * most);
    ACCD_TAKE(plan->context, fresh, most);
    plan->found.fresh = fresh;
    for (uint32_t i = 0; i < most; i++) {
        const struct accd_claim *claim = &plan->found.claims[i];
        if (claim->state != ACCD_CLAIM_OPEN || !claim->bytes)
            continue;
        if (accd_demands[claim->action].creates)
            pairs[n++] = (struct accd_pair){claim->host, i};
        else
            others = true;
    }
    pairs = accd_sort_pairs(pairs, pairs + most, n);
    for (size_t i = 0; i < n;) {
        /* of those that begin at one address the longest owns the others, of equal ones one without
         * present_or */
        size_t longest = i, end = i + 1;
        for (; end < n && pairs[end].key == pairs[i].key; end++) {
            const struct accd_claim *a = &plan->found.claims[pairs[end].value];
            const struct accd_claim *b = &plan->found.claims[pairs[longest].value];
            if (a->bytes > b->bytes || (a->bytes == b->bytes && accd_present_or(b->flags) && !accd_present_or(a->flags)))
                longest = end;
        }
        struct accd_pair swap = pairs[i];
        pairs[i] = pairs[longest];
        pairs[longest] = swap;
        for (; i < end; i++) {
            struct accd_claim *claim = &plan->found.claims[pairs[i].value];
            struct accd_claim *owner =
                plan->found.nfresh ? &plan->found.claims[fresh[plan->found.nfresh - 1]] : NULL;
            if (owner && claim->host - owner->host < owner->bytes) {
                if (claim->bytes > owner->host + owner->bytes - claim->host)
                    return accd_overlap_error(plan, claim, owner);
                if (comes_before(plan, claim, owner))
                    return accd_overlap_error(plan, owner, claim);
                if (clauses_cross(plan, claim, owner) ||
                    !accd_claim_keeps(plan, owner, claim->host, claim->bytes, claim))
                    return accd_overlap_error(plan, claim, owner);
                claim->state = ACCD_CLAIM_WITHIN;
                claim->owner = fresh[plan->found.nfresh - 1];
            } else {
                claim->state = ACCD_CLAIM_NEW;
                fresh[plan->found.nfresh++] = (uint32_t)pairs[i].value;
            }
        }
    }
    for (uint32_t i = 0; others && i < plan->found.nclaims; i++) {
        struct accd_claim *claim = &plan->found.claims[i];
        if (claim->state == ACCD_CLAIM_OPEN && claim->bytes)
            ACCD_TRY(resolve_within(plan, claim));
    }
    return ACCD_OK;
}

/* The common case of one clause: nothing to compare it with. */
static accd_status resolve_one(struct accd_plan *plan, struct accd_claim *claim)
{
    if (!accd_demands[claim->action].creates)
        return resolve_within(plan, claim);
    static const uint32_t only = 0;
    plan->found.fresh = &only;
    plan->found.nfresh = 1;
    claim->state = ACCD_CLAIM_NEW;
    return ACCD_OK;
}

/* ----------------------------------------------------------------------------------- all of them -- */

/* Decides TR14-4.2-01, TR14-4.2-02. */
accd_status accd_resolve_entry(struct accd_plan *plan)
{
    uint32_t open = 0, last = 0, n = (uint32_t)plan->found.nclaims; /* pieces come behind them */
    for (uint32_t i = 0; i < n; i++) {
        if (plan->found.claims[i].action == ACCD_ATTACH)
            plan->found.claims[i].state = ACCD_CLAIM_SKIP;
        if (plan->found.claims[i].state == ACCD_CLAIM_OPEN && plan->found.claims[i].bytes)
            ACCD_TRY(resolve_present(plan, i));
    }
    if (plan->given.item_flags & ACCD_ITEM_PART && plan->given.walk)
        ACCD_TRY(skip_targets(plan, n));
    for (uint32_t i = 0; i < plan->found.nclaims; i++)
        if (plan->found.claims[i].state == ACCD_CLAIM_OPEN) {
            open++;
            last = i;
        }
    if (open == 1 && last == 0)
        return resolve_one(plan, &plan->found.claims[0]);
    return open ? resolve_fresh(plan) : ACCD_OK;
}
