/* tuples.c - the clauses of a directive as candidates for fusion (DIR-4.2-01 to DIR-4.2-05), and the comparison of
 * clauses with each other. Fusion places objects in one device block, a tuple. A candidate is a clause that takes part
 * in it (struct accd__fusion_candidate): a range, and the base address of its array. resolve.c adds the candidates;
 * fuse.c uses them. */
#include "plan/fusion.h"
#include "plan/inside.h"

#include <assert.h>

/* Returns the base of `request`: the host address of element 0 of its array, or the address of the structure of which
 * it is a member. If the clause gives no base, returns the address of the data. Decides DIR-4.1-03. */
static uint64_t request_base(const struct accd__plan *plan, const struct accd__request *request)
{
    if (request->source & ACCD_SOURCE_WALKED) {
        size_t row;
        const struct accd__segment *segment = accd__request_segment(&plan->input, request, &row);
        return request->host - (uint64_t)accd__section_start(segment, row) * segment->field->unit;
    }
    const accd_item *item = &plan->input.construct->items[request->source];
    return item->frame ? accd__address(item->frame) : item->base ? accd__address(item->base) : request->host;
}

/* True if this construct may fuse data. Reasons are the knobs `fusion` and `partial_overlap`, the modifiers
 * present_and_copyin and update_and_copy of an item or section, and any present tuple. */
bool accd__can_fuse(const struct accd__plan *plan)
{
    const accd_rules *rules = &plan->context->rules;
    bool may_fuse = rules->fusion || rules->partial_overlap != ACCD_OVERLAP_ERROR ||
                    plan->input.item_flags & (ACCD_ITEM_COPY_ABSENT | ACCD_ITEM_UPDATE_PRESENT) ||
                    plan->env->tuples.fused.count; /* new data between fused data join their block */
    for (size_t i = 0; plan->input.walk && i < plan->input.walk->nsegments && !may_fuse; i++)
        may_fuse = plan->input.walk->segments[i].flags & (ACCD_ITEM_COPY_ABSENT | ACCD_ITEM_UPDATE_PRESENT);
    return may_fuse;
}

/* Sets plan->resolved.fusion to an empty record with space for one candidate for each request. Fails only without
 * memory. Decides DIR-4.2-01. */
accd_status accd__fuse_begin(struct accd__plan *plan)
{
    struct accd__fusion *fusion = accd__scratch_alloc(
        &plan->context->scratch, sizeof *fusion + plan->resolved.nrequests * sizeof fusion->candidates[0]);
    if (!fusion)
        return accd__report_plan_out_of_memory(plan->context);
    *fusion = (struct accd__fusion){.candidates = (struct accd__fusion_candidate *)(fusion + 1)};
    plan->resolved.fusion = fusion;
    return ACCD_OK;
}

/* Adds a candidate with base, range and flags of request `index`, and returns it. The caller sets `allocates`,
 * `dropped` and `split`, and `more` and `nmore` of a split one. */
struct accd__fusion_candidate *accd__fuse_add_candidate(struct accd__plan *plan, uint32_t index)
{
    assert(plan->resolved.fusion && index < plan->resolved.nrequests);
    const struct accd__request *request = &plan->resolved.requests[index];
    const uint64_t base = request_base(plan, request);
    struct accd__fusion_candidate *candidate = &plan->resolved.fusion->candidates[plan->resolved.fusion->ncandidates++];
    *candidate = (struct accd__fusion_candidate){
        .request = index,
        .base = base == UINT64_MAX ? 0 : base, /* UINT64_MAX cannot be a key of the index; 0 is free, because no item
                                                * has base 0 */
        .host = request->host,
        .bytes = request->bytes,
        .flags = request->flags,
    };
    return candidate;
}

/* --------------------------------------------------------------------------------- comparing -- */

/* Returns the host address after the last byte of a candidate. */
static uint64_t candidate_end(const struct accd__fusion_candidate *candidate)
{
    return candidate->host + candidate->bytes;
}

/* Marks a candidate as dropped, because a second clause copies its data, and makes all requests of its clause move
 * nothing. */
static void drop_candidate(struct accd__plan *plan, struct accd__fusion_candidate *candidate)
{
    candidate->dropped = true;
    for (uint32_t i = 0; i <= candidate->nmore; i++) {
        struct accd__request *request = &plan->resolved.requests[i ? candidate->more + i - 1 : candidate->request];
        request->flags &= (uint16_t)~ACCD_ITEM_UPDATE_PRESENT;
        request->moves_nothing = true;
    }
}

/* Sets *sorted_p to the *n_p candidates with absent bytes, as pairs {host address, index} sorted by address. At one
 * address, the longest is first. Among equal lengths, candidates that accept present data (accd__accepts_present) are
 * last. Returns ACCD_ERROR_OUT_OF_MEMORY without memory. */
static accd_status sort_candidates(struct accd__plan *plan, struct accd__pair **sorted_p, size_t *n_p)
{
    const struct accd__fusion *fusion = plan->resolved.fusion;
    assert(fusion);
    size_t n = 0;
    struct accd__pair *pairs;
    ACCD_SCRATCH_ALLOC(plan->context, pairs, 2 * fusion->ncandidates);
    for (size_t i = 0; i < fusion->ncandidates; i++)
        if (fusion->candidates[i].allocates)
            pairs[n++] = (struct accd__pair){
                ~(fusion->candidates[i].bytes << 1) + accd__accepts_present(fusion->candidates[i].flags), i};
    struct accd__pair *sorted = accd__sort_pairs(pairs, pairs + n, n);
    for (size_t i = 0; i < n; i++)
        sorted[i].key = fusion->candidates[sorted[i].value].host;
    *sorted_p = accd__sort_pairs(sorted, sorted == pairs ? pairs + n : pairs, n);
    *n_p = n;
    return ACCD_OK;
}

/* Returns ACCD_ERROR_PARTIAL_OVERLAP unless all candidates with absent bytes are disjoint or nested, or fails without
 * memory. With the knob `fusion`, drops a candidate that accepts present data (accd__accepts_present) if it lies in a
 * larger candidate, or equals one that does not accept them. Candidates of `hold` clauses drop none. Decides
 * DIR-4.2-02, DIR-4.2-03. */
accd_status accd__compare_clauses(struct accd__plan *plan)
{
    struct accd__fusion *fusion = plan->resolved.fusion;
    struct accd__pair *sorted = NULL;
    size_t n = 0, depth = 0;
    ACCD_TRY(sort_candidates(plan, &sorted, &n));
    uint32_t *enclosing;
    ACCD_SCRATCH_ALLOC(plan->context, enclosing, n);
    for (size_t i = 0; i < n; i++) {
        struct accd__fusion_candidate *candidate = &fusion->candidates[sorted[i].value];
        const uint64_t end = candidate_end(candidate);
        while (depth && candidate_end(&fusion->candidates[enclosing[depth - 1]]) <= candidate->host)
            depth--;
        bool is_dropped = false;
        for (size_t k = 0;
             k < depth && !is_dropped && accd__accepts_present(candidate->flags) && plan->context->rules.fusion; k++) {
            const struct accd__fusion_candidate *outer = &fusion->candidates[enclosing[k]];
            if (plan->resolved.requests[outer->request].action ==
                ACCD_ACTION_HOLD) /* `hold` copies nothing, so that the clause inside it must copy its data */
                continue;
            is_dropped |= candidate_end(outer) >= end &&
                          (outer->bytes > candidate->bytes || !accd__accepts_present(outer->flags));
        }
        if (is_dropped) {
            drop_candidate(plan, candidate);
            continue;
        }
        if (depth && candidate_end(&fusion->candidates[enclosing[depth - 1]]) < end)
            return accd__report_overlap(plan, &plan->resolved.requests[candidate->request],
                                        &plan->resolved.requests[fusion->candidates[enclosing[depth - 1]].request]);
        enclosing[depth++] = (uint32_t)sorted[i].value;
    }
    return ACCD_OK;
}
