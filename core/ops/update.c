/* update.c - update constructs: unconditional moves of present data (TR14-1.2-16), with attached
 * pointers kept on both sides (TR14-4.1-06). */
#include "ops/inside.h"

/* Decides TR14-1.2-15, TR14-1.2-16, ACC33-upd-1, DIR-ABI-03. */
static accd_status resolve(struct accd_plan *plan, uint32_t index)
{
    struct accd_claim *claim = &plan->found.claims[index];
    const bool tolerant = claim->flags & ACCD_ITEM_TRY;
    struct accd_answer found;
    struct accd_attach *attach = NULL;
    if (accd_asks_for_members(plan, claim)) { /* what does not move itself need not be present: AMB-TR14-20 */
        claim->state = ACCD_CLAIM_SKIP;
        return ACCD_OK;
    }
    if (claim->slot)
        ACCD_TRY(accd_find_attach(plan->dir, claim->slot, &attach));
    if (attach && !tolerant)
        ACCD_TRY(accd_check_pointer(plan, claim, attach));
    ACCD_TRY(accd_claim_find(plan, claim, tolerant ? ACCD_ASKS_UPDATE_OF_PRESENT : ACCD_ASKS_UPDATE, &found));
    return found.outcome == ACCD_CUTS ? accd_claim_cut(plan, index, NULL) : ACCD_OK;
}

/* A pending group that has all columns of the walk among its own: then they can be updated without
 * turning a million sections into objects. Elements that move themselves want all of its columns,
 * because only then are all attached pointers in them known. */
static accd_status match(struct accd_plan *plan)
{
    struct accd_walk *walk = plan->given.walk;
    struct accd_directory *dir = plan->dir;
    if (plan->context->rules.attached == ACCD_ATTACHED_COPIED || walk->gaps)
        return ACCD_OK; /* a group leaves pointers out of what it moves */
    for (size_t i = 0; i < walk->nroots; i++)
        if (plan->found.claims[walk->roots[i].item].state == ACCD_CLAIM_SKIP)
            return ACCD_OK;
    for (size_t i = 0; dir->tuples.shares.count && i < walk->nroots; i++) {
        enum accd_relation relation;
        struct accd_object *object;
        const struct accd_walk_root *root = &walk->roots[i];
        ACCD_TRY(accd_relate(dir, root->host, root->bytes, &relation, &object));
        if (relation == ACCD_ACROSS) /* elements in several objects */
            return ACCD_OK;
    }
    struct accd_group *group = accd_group_matching(dir, walk);
    if (group && !accd_group_slots_shared(dir, group) && !accd_plan_touches(plan, group)) {
        ACCD_TRY(accd_bulk_begin(plan, group));
        plan->found.group = group;
        for (size_t i = 0; i < walk->nroots; i++)
            plan->result.bulk->own[i] = accd_moves_itself(walk->rowsets[walk->roots[i].rowset].program);
        return ACCD_OK;
    }
    for (size_t i = 0; i < walk->nroots; i++)
        if (accd_moves_itself(walk->rowsets[walk->roots[i].rowset].program))
            return ACCD_OK;
    if (walk->nrowsets != walk->nroots || !walk->nsegments)
        return ACCD_OK;
    for (size_t g = 0; g < dir->groups.n; g++) {
        group = dir->groups.at[g];
        if (!group || !group->pending || accd_plan_touches(plan, group))
            continue;
        ACCD_TRY(accd_bulk_begin(plan, group));
        const struct accd_segment **places = plan->result.bulk->places;
        size_t matched = 0;
        for (size_t i = 0; i < walk->nsegments; i++) {
            places[i] = NULL;
            for (size_t k = 0; k < group->walk->nsegments && !places[i]; k++)
                if (accd_same_columns(group->walk, &group->walk->segments[k], walk, &walk->segments[i]))
                    places[i] = &group->walk->segments[k];
            matched += places[i] != NULL;
        }
        if (matched == walk->nsegments && accd_group_descriptors_kept(dir, group)) {
            plan->found.group = group;
            return ACCD_OK;
        }
        plan->result.bulk = NULL;
    }
    return ACCD_OK;
}

static bool one_direction(const struct accd_plan *plan, bool *out)
{
    for (size_t i = 0; i < plan->found.nclaims; i++) {
        bool this = plan->found.claims[i].action == ACCD_UPDATE_SELF;
        if (i && this != *out)
            return false;
        *out = this;
    }
    return true;
}

/* Moves in both directions are done in the order of the items, sections of a walk with theirs (OMP60-upd-1).
 * Decides OMP60-upd-1. */
static accd_status in_order(struct accd_plan *plan, struct accd_pair **order_p)
{
    size_t n = plan->found.nclaims;
    struct accd_pair *pairs;
    ACCD_TAKE(plan->context, pairs, 2 * n);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct accd_pair){accd_claim_item(&plan->given, &plan->found.claims[i]), i};
    *order_p = accd_sort_pairs(pairs, pairs + n, n);
    return ACCD_OK;
}

accd_status accd_update(struct accd_plan *plan)
{
    bool out = false;
    if (plan->given.walk && accd_plan_may_group(plan) && plan->given.walk->sections >= plan->context->config.group_least &&
        one_direction(plan, &out))
        ACCD_TRY(match(plan));
    if (plan->given.walk && !plan->found.group)
        ACCD_TRY(accd_plan_sections(plan));
    for (uint32_t i = 0; i < plan->found.nclaims; i++) /* pieces that come behind are resolved */
        if (plan->found.claims[i].state == ACCD_CLAIM_OPEN)
            ACCD_TRY(resolve(plan, i));
    struct accd_bulk *bulk = plan->result.bulk;
    for (size_t i = 0; bulk && i < plan->given.walk->nroots; i++) {
        bulk->out = out;
        accd_bulk_root(plan, i, plan->found.claims[plan->given.walk->roots[i].item].object);
        bulk->own[i] = bulk->own[i] && bulk->roots[i];
    }
    struct accd_pair *order = NULL;
    if (plan->given.walk && !one_direction(plan, &out))
        ACCD_TRY(in_order(plan, &order));
    for (uint32_t k = 0; k < plan->found.nclaims; k++) {
        uint32_t i = order ? (uint32_t)order[k].value : k;
        const struct accd_claim *claim = &plan->found.claims[i];
        const struct accd_source *source = accd_claim_source(&plan->given, claim);
        bool in_bulk = bulk && source && source->root >= 0;
        if (claim->state == ACCD_CLAIM_PRESENT && !in_bulk)
            ACCD_TRY(accd_plan_own_bytes(plan, i, claim->action == ACCD_UPDATE_SELF));
    }
    ACCD_TRY(accd_plan_keep_pointers(plan));
    ACCD_TRY(accd_plan_commit(plan));
    accd_tell_update(plan);
    return ACCD_OK;
}
