/* groups.c - decides if a construct can handle all sections of its walk as one group. A walk runs the mapping programs
 * of items and finds sections, the data to which their pointers point. A root is an item whose elements are walked. A
 * group is one record for all these sections instead of one object each (table/group.h). Output: plan->resolved.group.
 * Called by core/ops/enter.c, exit.c, exit_plan.c, update.c, and by begin.c. */
#include "plan/fusion.h"
#include "plan/inside.h"
#include "table/group.h"

#include <assert.h>

/* True if an item names bytes of a root of another item, or has a pointer in the bytes of any root, so that a group
 * cannot own these bytes. Also true if there are too many pairs of roots and items to compare. */
static bool roots_are_shared(const struct accd__plan *plan)
{
    enum { MAX_PAIRS = 1 << 16 };
    size_t n = plan->input.construct->nitems;
    if (plan->input.walk->nroots * n > MAX_PAIRS)
        return true;
    for (size_t i = 0; i < plan->input.walk->nroots; i++) {
        const struct accd__walk_root *root = &plan->input.walk->roots[i];
        for (size_t k = 0; k < n; k++) {
            const struct accd__request *request = &plan->resolved.requests[k];
            if (k != root->item && request->bytes && request->host < root->host + root->bytes &&
                root->host < request->host + request->bytes)
                return true;
            if (request->slot && request->slot < root->host + root->bytes &&
                root->host < request->slot + sizeof(void *))
                return true;
        }
    }
    return false;
}

/* True if data or a pointer of an item, or the target of an attach clause, overlap sections or pointers of `group`.
 * These must then be handled one by one. Also true if roots_are_shared. */
bool accd__plan_overlaps_group(const struct accd__plan *plan, const struct accd__group *group)
{
    assert(plan->input.walk && group);
    if (roots_are_shared(plan))
        return true;
    for (size_t i = 0; i < plan->input.construct->nitems; i++) {
        const struct accd__request *request = &plan->resolved.requests[i];
        if (request->bytes && accd__group_overlaps(group, request->host, request->host + request->bytes))
            return true;
        if (!request->slot)
            continue;
        /* an empty section may be attached to data at its address or just before it */
        if (!request->bytes && request->host && accd__group_overlaps(group, request->host - 1, request->host + 1))
            return true;
        uint64_t end =
            request->slot + (request->source & ACCD_SOURCE_WALKED ? sizeof(void *)
                                                                  : plan->input.sources[i].slot_bytes + sizeof(void *));
        if (accd__group_overlaps(group, request->slot, end) ||
            (request->slot < group->slot_high && group->slot_low < end))
            return true;
        if (request->action == ACCD_ACTION_ATTACH) {
            if (!accd__is_host_accessible(plan->context, request->slot, sizeof(void *)))
                return true;
            uint64_t target = accd__load_pointer(request->slot);
            if (accd__group_overlaps(group, target, target + 1))
                return true;
        }
    }
    return false;
}

/* True if `walk` has as many roots as `construct` has items with elements, in the same order and with equal addresses
 * and sizes. */
static bool has_same_roots(const struct accd_walk *walk, const accd_construct *construct)
{
    size_t root = 0;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        if (!accd__item_has_elements(item))
            continue;
        if (root == walk->nroots || walk->roots[root].host != accd__address(item->host) ||
            walk->roots[root].bytes != item->bytes)
            return false;
        root++;
    }
    return root == walk->nroots;
}

/* Filter for a search in env->groups.roots: true if the group that owns `span` has the roots of the accd_construct
 * `ud`. */
static bool group_has_roots(void *ud, const struct accd__interval *span)
{
    const struct accd__group *group = span->owner;
    return has_same_roots(group->walk, ud);
}

/* Returns the walk of a group whose roots equal those of `construct`. If there is none, returns that of the retired
 * group (the one that ended last) if it has these roots; otherwise NULL. Requires an item with elements. */
struct accd_walk *accd__find_similar_walk(const struct accd__device_env *env, const accd_construct *construct)
{
    assert(construct->nitems);
    size_t first = 0;
    while (!accd__item_has_elements(&construct->items[first]))
        first++;
    const uint64_t host = accd__address(construct->items[first].host);
    const struct accd__interval *found =
        accd__interval_find_overlap(env->groups.roots, host, host + 1, group_has_roots, (void *)(uintptr_t)construct);
    if (found)
        return ((const struct accd__group *)found->owner)->walk;
    if (env->groups.retired && has_same_roots(env->groups.retired->walk, construct))
        return env->groups.retired->walk;
    return NULL;
}

/* True if one group may stand for the sections of the walk: the construct is not queued, or its walk has no
 * descriptors. */
bool accd__plan_can_group(const struct accd__plan *plan)
{
    assert(!plan->input.queue || plan->input.walk);
    return !plan->input.queue || !accd__walk_descriptor_checksum(plan->input.walk);
}

/* True if an item or a walked section has one of the flags for `always`, `present`, `finalize`, `zero`, or for
 * attaching always or never. */
bool accd__plan_has_modifiers(const struct accd__plan *plan)
{
    unsigned flags = plan->input.item_flags;
    for (size_t i = 0; plan->input.walk && i < plan->input.walk->nsegments; i++)
        flags |= plan->input.walk->segments[i].flags;
    return flags & (ACCD_ITEM_ALWAYS_IN | ACCD_ITEM_ALWAYS_OUT | ACCD_ITEM_REQUIRE_PRESENT | ACCD_ITEM_FINALIZE |
                    ACCD_ITEM_ZERO | ACCD_ATTACH_FLAGS);
}

/* True if all roots of the walk will be present after the construct: their requests are not skipped, and their actions
 * create absent data or require present data. */
static bool roots_will_be_present(const struct accd__plan *plan)
{
    for (size_t i = 0; i < plan->input.walk->nroots; i++) {
        const struct accd__request *root = &plan->resolved.requests[plan->input.walk->roots[i].item];
        const struct accd__action_traits *demand = &accd__traits_of_action[root->action];
        if (root->state == ACCD_REQUEST_SKIPPED || !demand->entry ||
            !(demand->creates || demand->requires_present)) /* this root may stay absent */
            return false;
    }
    return true;
}

/* Sets plan->resolved.group to a present group with equal sections, or to a new one. Leaves it NULL if there are few
 * sections (config.group_least), roots may stay absent, data may be fused, sections have gaps or modifiers, or
 * policy.groups forbids it. A new group also requires sections that overlap nothing. Fails only without memory. */
accd_status accd__plan_group(struct accd__plan *plan)
{
    struct accd_walk *walk = plan->input.walk;
    struct accd__device_env *env = plan->env;
    const accd_rules *rules = &plan->context->rules;
    bool creates = true;
    if (!accd__plan_can_group(plan) || walk->sections < plan->context->config.group_least ||
        !roots_will_be_present(plan) || accd__can_fuse(plan) || walk->gaps || accd__plan_has_modifiers(plan) ||
        !plan->context->policy.groups[plan->input.construct->kind])
        return ACCD_OK;
    for (size_t i = 0; i < walk->nsegments; i++)
        creates &= accd__traits_of_action[walk->segments[i].action].creates;
    struct accd__group *group = accd__find_matching_group(env, walk);
    if (group && !(creates && rules->again == ACCD_CHOICE_REJECT) && !accd__plan_overlaps_group(plan, group) &&
        group->structured < UINT32_MAX / 2 && group->dynamic < UINT32_MAX / 2) {
        plan->resolved.group = group;
        return ACCD_OK;
    }
    if (group || !creates || accd__walk_has_gaps(walk))
        return ACCD_OK;
    bool may_have_gaps = false;
    ACCD_TRY(accd__group_new(env, walk, &group));
    accd_status status = accd__group_build_bitmap(env, group, &may_have_gaps);
    may_have_gaps = may_have_gaps && group->live && !accd__group_shares_slots(env, group) &&
                    !accd__plan_overlaps_group(plan, group);
    if (status != ACCD_OK || !may_have_gaps) {
        accd__group_free(env, group);
        return status;
    }
    plan->resolved.group = group;
    plan->resolved.new_group = true;
    return ACCD_OK;
}
