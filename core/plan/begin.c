/* begin.c - from the items of a construct to claims: what may be read of them, what they walk to. */
#include "plan/inside.h"

#include <stdio.h>

/* Whether the memory of an item may be read: what a walk or a move would otherwise fault on. */
static accd_status check_item(const struct accd_plan *plan, struct accd_claim *claim, const accd_item *item)
{
    accd_context *context = plan->context;
    const struct accd_demand *demand = &accd_demands[claim->action];
    if (!claim->host) {
        if (context->rules.null_pointer == ACCD_REJECT)
            return accd_claim_error(plan, claim, NULL, ACCD_NULL_POINTER, R_NULL,
                                    ACCD_ASKED " has %llu bytes, but its base is a null pointer",
                                    (unsigned long long)claim->bytes);
        claim->state = ACCD_CLAIM_SKIP;
        return ACCD_OK;
    }
    if (claim->host + claim->bytes < claim->host || claim->bytes >> (ACCD_SIZE_BITS - 1))
        return accd_claim_error(plan, claim, NULL, ACCD_INVALID_SECTION, R_SECTION,
                                ACCD_ASKED " does not fit into memory");
    bool touches = demand->in || demand->out || demand->creates || item->program;
    if (!context->config.check_host || !touches || accd_host_covers(context, claim->host, claim->bytes))
        return ACCD_OK;
    if (accd_device_of(context, claim->host) >= 0)
        return accd_claim_error(plan, claim, NULL, ACCD_DEVICE_POINTER_ON_HOST, R_HOST_BOUNDS,
                                "the base of " ACCD_ASKED " is a device address");
    accd_host_range known;
    const bool is_known = accd_host_at(context, accd_pointer(claim->host), &known);
    accd_status status = accd_claim_error(plan, claim, NULL, ACCD_OUT_OF_BOUNDS, R_HOST_BOUNDS,
                                          is_known && !known.live
                                              ? "the host memory of " ACCD_ASKED " was freed"
                                              : ACCD_ASKED " does not lie in live host memory");
    if (is_known)
        context->error.other = known.info;
    return status;
}

/* A null pointer counts as present, with length zero (ACC33-gloss-2): a data clause comes down to what it does
 * about the pointer itself (ACC33-att-4).
 * Decides ACC33-gloss-2, ACC33-2.7-2. */
static bool leads_nowhere(const struct accd_plan *plan, const struct accd_claim *claim)
{
    return !claim->host && claim->slot && plan->context->rules.null_pointer == ACCD_IGNORE &&
           plan->given.construct->kind != ACCD_UPDATE &&
           accd_host_usable(plan->context, claim->slot, sizeof(void *)) &&
           !accd_load_pointer(claim->slot);
}

/* Where constructs count, a section of no elements stands for the present object at its address, of which it moves
 * nothing (OMP60-map-10); otherwise it asks for nothing (TR14-4.3-14).
 * Decides TR14-4.3-14, OMP60-map-10. */
static __attribute__((noinline)) accd_status resolve_empty(const struct accd_plan *plan,
                                                           struct accd_claim *claim)
{
    struct accd_object *object = NULL;
    if (plan->context->rules.counting != ACCD_COUNT_CLAUSES && claim->host)
        ACCD_TRY(accd_find(plan->dir, claim->host, &object));
    claim->state = object ? ACCD_CLAIM_PRESENT : ACCD_CLAIM_SKIP;
    claim->object = object;
    return ACCD_OK;
}

/* Apart, so that constructs of flat data have little code to run through. */
static __attribute__((noinline)) accd_status walk_items(struct accd_plan *plan)
{
    struct accd_walk *before = accd_group_before(plan->dir, plan->given.construct);
    if (before)
        accd_walk_retain(before); /* missing memory may cost the directory its retired group */
    accd_status status = accd_walk_items(plan->context, plan->given.construct, before, &plan->given.walk);
    accd_walk_release(before);
    return status;
}

accd_status accd_plan_begin(struct accd_plan *plan, struct accd_directory *dir,
                            const accd_construct *construct)
{
    accd_context *context = dir->context;
    size_t n = construct->nitems;
    *plan = (struct accd_plan){.context = context,
                               .dir = dir,
                               .given = {.construct = construct, .queue = accd_queue_of(dir, construct->queue)}};
    plan->found.claims =
        accd_scratch_take(&context->scratch, n * (sizeof plan->found.claims[0] + sizeof plan->given.sources[0] +
                                                  sizeof plan->result.moves.at[0]));
    if (!plan->found.claims)
        return accd_plan_no_memory(context);
    plan->given.sources = (struct accd_source *)(plan->found.claims + n);
    plan->result.moves.at = (struct accd_move *)(plan->given.sources + n);
    plan->result.moves.room = n; /* flat data want no more */
    int walked = 0;
    unsigned gaps = 0;
    for (size_t i = 0; i < n; i++) {
        const accd_item *item = &construct->items[i];
        plan->given.sources[i] = (struct accd_source){
            .label = item->label,
            .host = accd_address(item->host),
            .bytes = item->bytes,
            .start = item->start,
            .slot_bytes = item->slot_bytes,
            .base = context->rules.extended_range
                        ? accd_address(item->frame ? item->frame : item->base) : 0,
            .root = accd_item_walks(item) ? walked++ : -1,
        };
        memcpy(plan->given.sources[i].index, item->index, sizeof item->index);
        plan->given.item_flags |= item->flags;
        gaps |= item->ndims;
        plan->found.claims[i] = (struct accd_claim){
            .host = accd_address(item->host),
            .bytes = item->bytes,
            .slot = item->flags & ACCD_ITEM_ATTACH_NEVER ? 0 : accd_address(item->slot),
            .source = (uint32_t)i,
            .action = accd_effective(item->action, item->flags & ACCD_ITEM_INIT, ACCD_INHERIT),
            .flags = item->flags,
        };
    }
    plan->found.nclaims = plan->found.claims_room = n;
    if (plan->given.item_flags & ACCD_ITEM_MUST)
        ACCD_TRY(accd_plan_required(plan, 0)); /* before all other errors */
    for (size_t i = 0; i < n; i++) {
        struct accd_claim *claim = &plan->found.claims[i];
        if (plan->given.sources[i].slot_bytes % sizeof(void *) ||
            plan->given.sources[i].slot_bytes > ACCD_SLOT_MOST)
            return accd_claim_error(plan, claim, NULL, ACCD_MISUSE, R_MISUSE,
                                    "the descriptor of " ACCD_ASKED " has %u bytes, as none has",
                                    plan->given.sources[i].slot_bytes);
        if (claim->action == ACCD_ATTACH || claim->action == ACCD_DETACH)
            continue;
        if (leads_nowhere(plan, claim))
            claim->action = construct->kind == ACCD_EXIT_DATA ? ACCD_DETACH : ACCD_ATTACH;
        else if (!claim->bytes)
            ACCD_TRY(resolve_empty(plan, claim));
        else
            ACCD_TRY(check_item(plan, claim, &construct->items[i]));
    }
    if (gaps)
        ACCD_TRY(accd_plan_gaps(plan));
    return walked ? walk_items(plan) : ACCD_OK;
}

void accd_plan_end(struct accd_plan *plan)
{
    accd_walk_release(plan->given.walk);
    plan->given.walk = NULL;
    accd_directory_unreserve(plan->dir);
    accd_scratch_reset(&plan->context->scratch);
}

/* The claim of one section; returns how many it is, 0 or 1. */
static size_t section_claim(const struct accd_plan *plan, const struct accd_segment *segment,
                            size_t row, struct accd_claim *claim)
{
    uint64_t bytes = accd_section_bytes(segment, row);
    if (!accd_segment_maps(segment) || !bytes)
        return 0;
    size_t item = accd_section_root(plan->given.walk, segment)->item;
    uint16_t flags = (plan->found.claims[item].flags & (ACCD_ITEM_TRY | ACCD_ITEM_PART)) | segment->flags;
    *claim = (struct accd_claim){
        .host = segment->host[row],
        .bytes = bytes,
        .slot = flags & ACCD_ITEM_ATTACH_NEVER ? 0 : accd_section_slot(plan->given.walk, segment, row),
        .source = (uint32_t)(segment->first + row) | ACCD_CLAIM_WALKED,
        .action = segment->action,
        .flags = segment->field->in_place ? flags | ACCD_ITEM_UNCOUNTED : flags,
    };
    return 1;
}

/* Element by element, as a person would list them.
 * Decides TR14-1.2-05, TR14-1.2-07. */
accd_status accd_plan_sections(struct accd_plan *plan)
{
    const struct accd_walk *walk = plan->given.walk;
    size_t more = 0;
    for (size_t i = 0; i < walk->nsegments; i++)
        if (accd_segment_maps(&walk->segments[i]))
            more += walk->segments[i].applied;
    struct accd_claim *claims;
    ACCD_TAKE(plan->context, claims, plan->found.nclaims + more);
    const size_t items = plan->found.nclaims;
    size_t n = items;
    memcpy(claims, plan->found.claims, n * sizeof *claims);
    for (size_t i = 0; i < walk->nrowsets; i++)
        for (size_t row = 0; row < walk->rowsets[i].rows; row++)
            for (size_t f = 0; f < walk->rowsets[i].nsegments; f++)
                n += section_claim(plan, &walk->segments[walk->rowsets[i].segments + f], row, &claims[n]);
    plan->found.claims = claims;
    plan->found.claims_room = items + more;
    plan->found.nclaims = n;
    return plan->given.leaving ? ACCD_OK : accd_plan_required(plan, items);
}
