/* tuples.c - the clauses of a directive as tuples (DIR-4.2-01 to DIR-4.2-05): how they lie to what is
 * present, and to one another. */
#include "plan/inside.h"
#include "plan/fusion.h"

/* Host address of element 0 of what a claim is a section of.
 * Decides DIR-4.1-03. */
static uint64_t base_of(const struct accd_plan *plan, const struct accd_claim *claim)
{
    if (claim->source & ACCD_CLAIM_WALKED) {
        size_t row;
        const struct accd_segment *segment = accd_claim_segment(&plan->given, claim, &row);
        return claim->host - (uint64_t)accd_section_start(segment, row) * segment->field->unit;
    }
    const accd_item *item = &plan->given.construct->items[claim->source];
    return item->frame ? accd_address(item->frame)
           : item->base ? accd_address(item->base)
                        : claim->host;
}

bool accd_fuse_wanted(const struct accd_plan *plan)
{
    const accd_rules *rules = &plan->context->rules;
    bool wanted = rules->fusion || rules->partial_overlap != ACCD_OVERLAP_ERROR ||
                  plan->given.item_flags & (ACCD_ITEM_KEEP | ACCD_ITEM_REFRESH) ||
                  plan->dir->tuples.fused.count; /* what lies between fused data is put there */
    for (size_t i = 0; plan->given.walk && i < plan->given.walk->nsegments && !wanted; i++)
        wanted = plan->given.walk->segments[i].flags & (ACCD_ITEM_KEEP | ACCD_ITEM_REFRESH);
    return wanted;
}

/* Decides DIR-4.2-01. */
accd_status accd_fuse_begin(struct accd_plan *plan)
{
    struct accd_fusion *fusion =
        accd_scratch_take(&plan->context->scratch,
                          sizeof *fusion + plan->found.nclaims * sizeof fusion->candidates[0]);
    if (!fusion)
        return accd_plan_no_memory(plan->context);
    *fusion = (struct accd_fusion){.candidates = (struct accd_candidate *)(fusion + 1)};
    plan->found.fusion = fusion;
    return ACCD_OK;
}

struct accd_candidate *accd_fuse_candidate(struct accd_plan *plan, uint32_t index)
{
    const struct accd_claim *claim = &plan->found.claims[index];
    const uint64_t base = base_of(plan, claim);
    struct accd_candidate *candidate =
        &plan->found.fusion->candidates[plan->found.fusion->ncandidates++];
    *candidate = (struct accd_candidate){
        .claim = index,
        .base = base == UINT64_MAX ? 0 : base, /* which is not a key, and no item's base */
        .host = claim->host,
        .bytes = claim->bytes,
        .flags = claim->flags,
    };
    return candidate;
}

/* -------------------------------------------------------------------------------- comparing -- */

static uint64_t end_of(const struct accd_candidate *candidate)
{
    return candidate->host + candidate->bytes;
}

/* The data of a clause come with another one: it moves nothing. */
static void drop(struct accd_plan *plan, struct accd_candidate *candidate)
{
    candidate->dropped = true;
    for (uint32_t i = 0; i <= candidate->nmore; i++) {
        struct accd_claim *claim = &plan->found.claims[i ? candidate->more + i - 1 : candidate->claim];
        claim->flags &= (uint16_t)~ACCD_ITEM_REFRESH;
        claim->still = true;
    }
}

/* Candidates that bring something, by address; of those that begin together the longest first, of equal
 * ones those without present_or. */
static accd_status sort_candidates(struct accd_plan *plan, struct accd_pair **sorted_p, size_t *n_p)
{
    const struct accd_fusion *fusion = plan->found.fusion;
    size_t n = 0;
    struct accd_pair *pairs;
    ACCD_TAKE(plan->context, pairs, 2 * fusion->ncandidates);
    for (size_t i = 0; i < fusion->ncandidates; i++)
        if (fusion->candidates[i].allocates)
            pairs[n++] = (struct accd_pair){
                ~(fusion->candidates[i].bytes << 1) + accd_present_or(fusion->candidates[i].flags), i};
    struct accd_pair *sorted = accd_sort_pairs(pairs, pairs + n, n);
    for (size_t i = 0; i < n; i++)
        sorted[i].key = fusion->candidates[sorted[i].value].host;
    *sorted_p = accd_sort_pairs(sorted, sorted == pairs ? pairs + n : pairs, n);
    *n_p = n;
    return ACCD_OK;
}

/* Two clauses of one directive that bring something lie apart, or one in the other. Then a present_or clause
 * in a larger one, or equal to one without present_or, asks for nothing (DIR-4.2-02).
 * Decides DIR-4.2-02, DIR-4.2-03. */
accd_status accd_compare_clauses(struct accd_plan *plan)
{
    struct accd_fusion *fusion = plan->found.fusion;
    struct accd_pair *sorted = NULL;
    size_t n = 0, depth = 0;
    ACCD_TRY(sort_candidates(plan, &sorted, &n));
    uint32_t *around;
    ACCD_TAKE(plan->context, around, n);
    for (size_t i = 0; i < n; i++) {
        struct accd_candidate *candidate = &fusion->candidates[sorted[i].value];
        const uint64_t end = end_of(candidate);
        while (depth && end_of(&fusion->candidates[around[depth - 1]]) <= candidate->host)
            depth--;
        bool drops = false;
        for (size_t k = 0; k < depth && !drops && accd_present_or(candidate->flags) && plan->context->rules.fusion;
             k++) {
            const struct accd_candidate *outer = &fusion->candidates[around[k]];
            if (plan->found.claims[outer->claim].action == ACCD_HOLD) /* it allocates storage, with holes */
                continue;
            drops |= end_of(outer) >= end && (outer->bytes > candidate->bytes || !accd_present_or(outer->flags));
        }
        if (drops) {
            drop(plan, candidate);
            continue;
        }
        if (depth && end_of(&fusion->candidates[around[depth - 1]]) < end)
            return accd_overlap_error(
                plan, &plan->found.claims[candidate->claim],
                &plan->found.claims[fusion->candidates[around[depth - 1]].claim]);
        around[depth++] = (uint32_t)sorted[i].value;
    }
    return ACCD_OK;
}
