/* groups.c - whether the sections of a walk may be one group, and what they were before. */
#include "plan/inside.h"
#include "plan/fusion.h"
#include "table/group.h"

/* Whether another item names bytes of elements that are walked, or a pointer in them: they are then not
 * the group's alone to write or to keep. */
static bool roots_shared(const struct accd_plan *plan)
{
    enum { PAIRS_MOST = 1 << 16 };
    size_t n = plan->given.construct->nitems;
    if (plan->given.walk->nroots * n > PAIRS_MOST)
        return true;
    for (size_t i = 0; i < plan->given.walk->nroots; i++) {
        const struct accd_walk_root *root = &plan->given.walk->roots[i];
        for (size_t k = 0; k < n; k++) {
            const struct accd_claim *claim = &plan->found.claims[k];
            if (k != root->item && claim->bytes && claim->host < root->host + root->bytes &&
                root->host < claim->host + claim->bytes)
                return true;
            if (claim->slot && claim->slot < root->host + root->bytes &&
                root->host < claim->slot + sizeof(void *))
                return true;
        }
    }
    return false;
}

bool accd_plan_touches(const struct accd_plan *plan, const struct accd_group *group)
{
    if (roots_shared(plan))
        return true;
    for (size_t i = 0; i < plan->given.construct->nitems; i++) {
        const struct accd_claim *claim = &plan->found.claims[i];
        if (claim->bytes && accd_group_meets(group, claim->host, claim->host + claim->bytes))
            return true;
        if (!claim->slot)
            continue;
        if (!claim->bytes && claim->host && /* what is at its address, or ends there */
            accd_group_meets(group, claim->host - 1, claim->host + 1))
            return true;
        uint64_t end = claim->slot + (claim->source & ACCD_CLAIM_WALKED
                                          ? sizeof(void *)
                                          : plan->given.sources[i].slot_bytes + sizeof(void *));
        if (accd_group_meets(group, claim->slot, end) ||
            (claim->slot < group->slot_high && group->slot_low < end))
            return true;
        if (claim->action == ACCD_ATTACH) {
            if (!accd_host_usable(plan->context, claim->slot, sizeof(void *)))
                return true;
            uint64_t target = accd_load_pointer(claim->slot);
            if (accd_group_meets(group, target, target + 1))
                return true;
        }
    }
    return false;
}

static bool same_roots(const struct accd_walk *walk, const accd_construct *construct)
{
    size_t root = 0;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        if (!accd_item_walks(item))
            continue;
        if (root == walk->nroots || walk->roots[root].host != accd_address(item->host) ||
            walk->roots[root].bytes != item->bytes)
            return false;
        root++;
    }
    return root == walk->nroots;
}

static bool has_roots(void *ud, const struct accd_span *span)
{
    const struct accd_group *group = span->owner;
    return same_roots(group->walk, ud);
}

struct accd_walk *accd_group_before(const struct accd_directory *dir, const accd_construct *construct)
{
    size_t first = 0;
    while (!accd_item_walks(&construct->items[first]))
        first++;
    const uint64_t host = accd_address(construct->items[first].host);
    const struct accd_span *found = accd_span_first(dir->groups.roots, host, host + 1, has_roots,
                                                    (void *)(uintptr_t)construct);
    if (found)
        return ((const struct accd_group *)found->owner)->walk;
    if (dir->groups.retired && same_roots(dir->groups.retired->walk, construct))
        return dir->groups.retired->walk;
    return NULL;
}

bool accd_plan_may_group(const struct accd_plan *plan)
{
    return !plan->given.queue || !accd_walk_descriptor_sum(plan->given.walk);
}

bool accd_plan_marked(const struct accd_plan *plan)
{
    unsigned flags = plan->given.item_flags;
    for (size_t i = 0; plan->given.walk && i < plan->given.walk->nsegments; i++)
        flags |= plan->given.walk->segments[i].flags;
    return flags &
           (ACCD_ITEM_ALWAYS_IN | ACCD_ITEM_ALWAYS_OUT | ACCD_ITEM_MUST | ACCD_ITEM_FINAL | ACCD_ITEM_ZERO |
            ACCD_ATTACH_FLAGS);
}

/* Whether all elements that are walked will be present. */
static bool roots_open(const struct accd_plan *plan)
{
    for (size_t i = 0; i < plan->given.walk->nroots; i++) {
        const struct accd_claim *root = &plan->found.claims[plan->given.walk->roots[i].item];
        const struct accd_demand *demand = &accd_demands[root->action];
        if (root->state == ACCD_CLAIM_SKIP || !demand->entry ||
            !(demand->creates || demand->must)) /* such a one may stay absent */
            return false;
    }
    return true;
}

accd_status accd_plan_group(struct accd_plan *plan)
{
    struct accd_walk *walk = plan->given.walk;
    struct accd_directory *dir = plan->dir;
    const accd_rules *rules = &plan->context->rules;
    bool creates = true;
    if (!accd_plan_may_group(plan) || walk->sections < plan->context->config.group_least || !roots_open(plan) ||
        accd_fuse_wanted(plan) || walk->gaps || accd_plan_marked(plan) ||
        !plan->context->verdicts.groups[plan->given.construct->kind])
        return ACCD_OK;
    for (size_t i = 0; i < walk->nsegments; i++)
        creates &= accd_demands[walk->segments[i].action].creates;
    struct accd_group *group = accd_group_matching(dir, walk);
    if (group && !(creates && rules->again == ACCD_REJECT) && !accd_plan_touches(plan, group) &&
        group->structured < UINT32_MAX / 2 && group->dynamic < UINT32_MAX / 2) {
        plan->found.group = group;
        return ACCD_OK;
    }
    if (group || !creates || accd_walk_gaps(walk))
        return ACCD_OK;
    bool apart = false;
    ACCD_TRY(accd_group_new(dir, walk, &group));
    accd_status status = accd_group_map(dir, group, &apart);
    apart = apart && group->live && !accd_group_slots_shared(dir, group) && !accd_plan_touches(plan, group);
    if (status != ACCD_OK || !apart) {
        accd_group_free(dir, group);
        return status;
    }
    plan->found.group = group;
    plan->found.new_group = true;
    return ACCD_OK;
}
