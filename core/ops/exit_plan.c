/* exit_plan.c - the common part of exit data and region ends (exit.c): which references are removed, which objects
 * and attachments end, and what is copied to the host.
 *
 *     exit.c: requests with objects
 *         v
 *     remove_references            pending changes of counters (change_set)
 *     find_dying_objects           objects without references -> dying
 *     accd__exit_end_attachments   pointers in and to dying objects -> removed (detach.c)
 *     plan_exit_moves              bytes of dying objects, or of `always` -> moves
 *     accd__split_plan             tuples that lose objects -> shifts
 *     accd__exit_plan_words        host values for pointers that stay
 *     accd__plan_commit            one batch of transfers
 *         | failure: accd__exit_undo; nothing has changed
 *         v success
 *     accd__apply_changes, accd__report_exit, accd__exit_commit
 *
 * TR14-4.2-11 gives the order: pointers are detached, the references of all clauses are removed, data of objects
 * without references are moved, and then these objects are removed. Until nothing can fail any more, changes are
 * only noted in the change set (plan/change_set.h).
 *
 * Life of an object at an exit: change noted (remove_references) -> is_removed (accd__exit_remove_object) -> listed in
 * `dying` -> moved to the host -> its placement, memory and record are freed (accd__exit_commit).
 *
 * A group of sections exits as one unit if nothing prevents it (exit_as_group); otherwise its sections become
 * requests. */
#include "ops/exit_plan.h"
#include "plan/fusion.h"
#include "table/attach.h"
#include "table/find.h"
#include "table/name.h"
#include "table/objects.h"
#include "table/regions.h"

#include <assert.h>

/* True if `request` is final: it is of exit data, with finalize on the construct or the item, and so removes all
 * references of its object. Decides ACC33-2.6.7-3. */
static bool is_final(const struct accd__exit_plan *exit_plan, const struct accd__request *request)
{
    return exit_plan->dynamic && (exit_plan->plan->input.construct->finalize || request->flags & ACCD_ITEM_FINALIZE);
}

/* ----------------------------------------------------------------------- pointers of clauses -- */

/* Plans to decrement the attachment counter of the pointer of `request`; for a final detach (finalize), plans to clear
 * the counter. Sets request->detached to the number that is subtracted. Returns an error if the rules reject the
 * detach, or without memory. Decides ACC33-det-2. */
static accd_status remove_attachment_count(struct accd__exit_plan *exit_plan, struct accd__request *request)
{
    struct accd__plan *plan = exit_plan->plan;
    struct accd__attachment *attach;
    ACCD_TRY(accd__find_attachment(plan->env, request->slot, &attach));
    const uint32_t left = attach ? accd__planned_attach_count(plan, attach) : 0;
    if (!left) {
        /* a final detach of a pointer whose attachment another clause of this construct has ended is not an error */
        bool ended = attach && is_final(exit_plan, request);
        request->attached = false;
        return exit_plan->abandon || ended ? ACCD_OK : accd__check_slot_state(plan, request, NULL, ACCD_SLOT_DETACHED);
    }
    if (!exit_plan->abandon)
        ACCD_TRY(accd__check_pointer_unchanged(plan, request, attach));
    const bool all = is_final(exit_plan, request) &&
                     (request->action == ACCD_ACTION_DETACH || plan->context->rules.finalize_detaches);
    request->detached = all ? left : 1;
    return accd__exit_detach(exit_plan, attach, request->detached);
}

/* Notes the removal of references by request `index`, under rules where structured and dynamic counter act as one. The
 * first request for an object removes one reference, if possible of the construct's kind; where items count, each
 * request does. A final request (finalize) removes all. Memory that the user mapped loses none. Decides OMP60-map-6. */
static void remove_any_reference(const struct accd__exit_plan *exit_plan, size_t index)
{
    assert(exit_plan->changes[index]);
    const struct accd__plan *plan = exit_plan->plan;
    struct accd__request *request = &plan->resolved.requests[index];
    struct accd__object_change *change = exit_plan->changes[index];
    const struct accd__object *object = change->object;
    const uint32_t structured = change->structured, dynamic = change->dynamic;
    const uint32_t total = object->structured + object->dynamic;
    const bool all = is_final(exit_plan, request), items = plan->context->rules.counting == ACCD_COUNT_ITEMS;
    if (object->size & ACCD_OBJECT_MAPPED || (structured + dynamic >= (items ? total : 1) && !all))
        return;
    if (all) {
        change->structured = object->structured;
        change->dynamic = object->dynamic;
    } else if (exit_plan->dynamic ? object->dynamic > dynamic : object->structured == structured) {
        change->dynamic++;
    } else {
        change->structured++;
    }
    request->removed_count = change->structured + change->dynamic - structured - dynamic;
    if (request->removed_count && change->structured + change->dynamic == total)
        change->last = (uint32_t)index + 1;
    /* if so, it removes structured references that open regions have added; these regions must then forget the object
     */
    if (change->structured > structured && (exit_plan->dynamic || (index < plan->input.leaving->nrequests &&
                                                                   !plan->input.leaving->requests[index].object)))
        change->becomes_undercounted = true;
}

/* Notes the removal of references from the object of `request`: of one, or of all if the request is final (finalize).
 * Exit data removes dynamic references, the end of a region structured ones. `change`: pending change of that object.
 * Decides ACC33-2.6.7-3, ACC33-2.6.7-5. */
static void remove_typed_references(const struct accd__exit_plan *exit_plan, struct accd__request *request,
                                    struct accd__object_change *change)
{
    assert(change && change->object == request->object);
    const struct accd__object *object = change->object;
    /* acc_unmap_data alone removes the last dynamic reference of data mapped by acc_map_data */
    const uint32_t least = exit_plan->dynamic && object->size & ACCD_OBJECT_MAPPED;
    uint32_t *removed_count = exit_plan->dynamic ? &change->dynamic : &change->structured;
    const uint32_t left = (exit_plan->dynamic ? object->dynamic : object->structured) - *removed_count;
    request->removed_count = left > least ? left - least : 0;
    if (request->removed_count > 1 && !is_final(exit_plan, request))
        request->removed_count = 1;
    *removed_count += request->removed_count;
}

/* Notes the references and attachment counts that all requests remove, and sets exit_plan->changes. Where the rules
 * count items, handles the last item first. Returns an error if the rules reject a detach, or without memory. Decides
 * ACC33-2.7-1. */
static accd_status remove_references(struct accd__exit_plan *exit_plan)
{
    struct accd__plan *plan = exit_plan->plan;
    /* true if exit data also detaches the pointer of a clause that has no effect on its data */
    bool detaches = plan->context->rules.attach_implied == ACCD_CHOICE_REJECT;
    const bool counts_constructs = plan->context->rules.counting != ACCD_COUNT_CLAUSES;
    const bool items = plan->context->rules.counting == ACCD_COUNT_ITEMS;
    ACCD_SCRATCH_ALLOC(plan->context, exit_plan->changes, plan->resolved.nrequests);
    if (items && exit_plan->dynamic)
        accd__plan_requests_together(plan);
    for (size_t k = 0; k < plan->resolved.nrequests; k++) {
        const size_t i = items ? plan->resolved.nrequests - 1 - k : k;
        struct accd__request *request = &plan->resolved.requests[i];
        struct accd__object *object = request->object;
        request->detached = request->removed_count = 0;
        exit_plan->changes[i] = NULL;
        if (exit_plan->dynamic && object && !object->dynamic && !counts_constructs) {
            request->state = ACCD_REQUEST_SKIPPED; /* ACC33-2.7-1: no dynamic reference is left, so that the clause does
                                                      not affect the data */
            if (!detaches)
                continue;
        }
        if (request->attached)
            ACCD_TRY(remove_attachment_count(exit_plan, request));
        if (!object || request->state == ACCD_REQUEST_SKIPPED)
            continue;
        ACCD_TRY(accd__note_object_change(plan, object, &exit_plan->changes[i]));
        if (!accd__request_counts(plan, request))
            continue;
        if (counts_constructs)
            remove_any_reference(exit_plan, i);
        else
            remove_typed_references(exit_plan, request, exit_plan->changes[i]);
    }
    return ACCD_OK;
}

/* ----------------------------------------------------------------------------------- the end -- */

/* Lists the objects of requests that will have no reference as dying (to be removed). Fails only without memory.
 * Decides DIR-1-01, ACC33-2.6.7-4, ACC33-2.7-3. */
static accd_status find_dying_objects(struct accd__exit_plan *exit_plan)
{
    for (size_t i = 0; i < exit_plan->plan->resolved.nrequests; i++)
        if (exit_plan->changes[i])
            ACCD_TRY(accd__exit_remove_object(exit_plan, exit_plan->changes[i]));
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------- moves -- */

/* True if the bulk transfer of a removed group moves the bytes of `request`. That is so if the request is for an item
 * whose elements were walked. */
static bool is_in_bulk(const struct accd__exit_plan *exit_plan, const struct accd__request *request)
{
    const struct accd__item_source *source = accd__request_source(&exit_plan->plan->input, request);
    return exit_plan->group_dies && source && source->root >= 0;
}

/* True if the rules have fusion, and the region that ends is the one whose clause made the data of `request` present.
 * The region then copies the data back, even if enter data keep the object present. Decides DIR-6-06. */
static bool level_copies_back(const struct accd__exit_plan *exit_plan, const struct accd__request *request)
{
    return exit_plan->plan->context->rules.fusion && !exit_plan->dynamic &&
           (request->state == ACCD_REQUEST_NEW || request->state == ACCD_REQUEST_WITHIN_NEW ||
            request->state == ACCD_REQUEST_FILLS_HOLE);
}

/* True if the object of request `index` is removed and the request may copy the bytes out. If rules.counting is
 * ACCD_COUNT_ITEMS, each list item counts a reference of its own. Then only the request that removes the last reference
 * and requests that count no reference may do so. Otherwise every request may. */
static bool moves_last(const struct accd__exit_plan *exit_plan, size_t index)
{
    assert(exit_plan->changes[index]);
    const struct accd__plan *plan = exit_plan->plan;
    return exit_plan->changes[index]->is_removed &&
           (plan->context->rules.counting != ACCD_COUNT_ITEMS || exit_plan->changes[index]->last == index + 1 ||
            !accd__request_counts(plan, &plan->resolved.requests[index]));
}

/* True if request `index` has an object and moves its bytes to the host. Reasons: the object is removed, the request
 * has the modifier always, or a region with fusion copies its data back (level_copies_back). False if the bulk transfer
 * of a group moves them. Decides TR14-1.2-14, ACC33-2.7.2-2, OMP60-map-6, DIR-4.3-02, DIR-4.3-05, LLNL-2.1-07. */
static bool request_moves(const struct accd__exit_plan *exit_plan, size_t index)
{
    const struct accd__request *request = &exit_plan->plan->resolved.requests[index];
    return exit_plan->changes[index] && !is_in_bulk(exit_plan, request) &&
           (moves_last(exit_plan, index) || request->flags & ACCD_ITEM_ALWAYS_OUT ||
            level_copies_back(exit_plan, request));
}

/* True if `request` of exit data covers a part of a storage object (allocated by hold; bytes that no clause names are
 * holes). The object may stay present; bytes that no clause names any more are then copied out. */
static bool leaves_holes(const struct accd__exit_plan *exit_plan, const struct accd__request *request)
{
    return exit_plan->dynamic && request->object && request->state != ACCD_REQUEST_SKIPPED &&
           request->object->size & ACCD_OBJECT_STORAGE && request->bytes < accd__object_bytes(request->object);
}

/* Plans to copy out the bytes of request `index` that no clause names any more, if the request's action copies out. If
 * the request has a mapping program, copies only if all its bytes are unnamed. Fails only without memory. */
static accd_status plan_unnamed_moves(struct accd__plan *plan, uint32_t index)
{
    assert(plan->resolved.requests[index].object);
    const struct accd__request *request = &plan->resolved.requests[index];
    const struct accd__object *object = request->object;
    if (accd__get_named_part(plan->env, object, request->host, request->bytes) == ACCD_RANGE_DISJOINT)
        return accd__plan_request_moves(plan, index, true);
    if (accd__request_program(&plan->input, request) || !accd__traits_of_action[request->action].out)
        return ACCD_OK;
    for (uint64_t at = request->host, end = at + request->bytes, stop; at < end; at = stop) {
        stop = end;
        if (!accd__is_byte_named(plan->env, object, at, &stop))
            ACCD_TRY(accd__plan_add_move(plan, &(struct accd__move){at, object->dev + (at - object->host), stop - at,
                                                                    index, ACCD_WHOLE_REQUEST, 0, true}));
    }
    return ACCD_OK;
}

/* Plans the moves to the host, and excludes the bytes of attached pointers. An abandoned region moves nothing. Fails
 * only without memory. */
static accd_status plan_exit_moves(const struct accd__exit_plan *exit_plan)
{
    struct accd__plan *plan = exit_plan->plan;
    for (uint32_t i = 0; i < plan->resolved.nrequests && !exit_plan->abandon; i++)
        if (request_moves(exit_plan, i))
            ACCD_TRY(accd__plan_request_moves(plan, i, true));
        else if (leaves_holes(exit_plan, &plan->resolved.requests[i]))
            ACCD_TRY(plan_unnamed_moves(plan, i));
    ACCD_TRY(accd__plan_merge_moves(plan));
    return accd__plan_keep_pointers(plan);
}

/* Plans to write the host value to the device copy of each pointer whose attachment ends, unless the object with the
 * pointer is removed (TR14-4.1-01). Fails only without memory. */
accd_status accd__exit_plan_words(struct accd__exit_plan *exit_plan)
{
    struct accd__plan *plan = exit_plan->plan;
    for (size_t i = 0; i < exit_plan->removed.n; i++) {
        const struct accd__attachment *attach = exit_plan->removed.at[i]->attach;
        struct accd__object *holder;
        ACCD_TRY(accd__find_object(plan->env, attach->slot, &holder));
        if (holder && !accd__object_is_removed(plan, holder))
            ACCD_TRY(accd__plan_restore_pointer(
                plan, attach, accd__planned_object_dev(plan, holder) + (attach->slot - holder->host)));
    }
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------ groups -- */

/* Replaces a group (deep structure in one record) that cannot exit as one unit by requests for all its sections, which
 * become objects. Fails without memory, or if descriptors cannot be read from the device. */
static accd_status expand_group_requests(struct accd__exit_plan *exit_plan)
{
    assert(exit_plan->plan->resolved.group);
    struct accd__plan *plan = exit_plan->plan;
    struct accd__group *group = plan->resolved.group;
    struct accd__device_env *env = plan->env;
    if (group->pending)
        ACCD_TRY(accd__group_expand_sections(env, group));
    if (group->pending_attach)
        ACCD_TRY(accd__group_expand_pointers(env, group));
    size_t items = plan->resolved.nrequests;
    ACCD_TRY(accd__plan_add_sections(plan));
    for (size_t i = items; i < plan->resolved.nrequests; i++) {
        struct accd__request *request = &plan->resolved.requests[i];
        request->object = &group->objects[request->source & ~ACCD_SOURCE_WALKED];
        request->state = ACCD_REQUEST_PRESENT;
        request->attached = request->slot && plan->context->policy.counts_attachments;
    }
    plan->resolved.group = NULL;
    return ACCD_OK;
}

/* True if, with fusion, the elements of a root of the walk (item that was walked) lie in several present objects. The
 * construct can then not use the group, which moves elements of one object only. */
static bool roots_are_split(const struct accd__plan *plan)
{
    for (size_t i = 0; plan->resolved.fusion && i < plan->input.walk->nroots; i++)
        if (plan->resolved.requests[plan->input.walk->roots[i].item].bytes != plan->input.walk->roots[i].bytes)
            return true;
    return false;
}

/* True if the exit removes the objects of all roots (walked items), whose elements contain the group's pointers.
 * Required if attachments are not counted, because pointers in elements that stay would dangle. */
static bool roots_are_removed(const struct accd__plan *plan)
{
    for (size_t i = 0; i < plan->input.walk->nroots; i++) {
        const struct accd__object *object = plan->resolved.requests[plan->input.walk->roots[i].item].object;
        if (!object || object->structured + object->dynamic != 1 || object->size & ACCD_OBJECT_MAPPED)
            return false;
    }
    return true;
}

/* True if tasks of a queue that the construct does not follow use the memory of the group. The group must then be
 * expanded, so that the error names a section. False if the region is abandoned, or queues run in concurrent mode (with
 * the result of program order). */
static bool is_group_pending(const struct accd__exit_plan *exit_plan, const struct accd__group *group)
{
    assert(group->block);
    struct accd__device_env *env = exit_plan->plan->env;
    if (!env->queues.ntasks || exit_plan->abandon || accd__is_concurrent(env))
        return false;
    accd__begin_pending_query(env, exit_plan->plan->input.queue);
    return accd__find_pending_task(env, group->block->dev, group->block->bytes);
}

/* Plans that a group (table/group.h) loses references as one unit: sets group_exits, group_dies and group_references.
 * This requires that no other construct attached the group's pointers, and that these pointers either all stay attached
 * or are all detached. Otherwise replaces the group by requests for its sections, or drops the group if exit data has
 * no effect. Returns an error if the rules reject a changed pointer, or without memory. */
static accd_status exit_as_group(struct accd__exit_plan *exit_plan)
{
    struct accd__plan *plan = exit_plan->plan;
    struct accd__group *group = plan->resolved.group;
    if (!group)
        return ACCD_OK;
    const uint32_t counter = exit_plan->dynamic ? group->dynamic : group->structured;
    if (group->pending && exit_plan->dynamic && !group->dynamic) {
        plan->resolved.group = NULL; /* exit data does nothing, because no dynamic reference is left */
        return ACCD_OK;
    }
    uint32_t references = exit_plan->dynamic && plan->input.construct->finalize ? counter : 1;
    bool is_removed = group->structured + group->dynamic == references;
    bool counted = plan->context->policy.counts_attachments;
    bool stays_attached = counted ? group->attached > references && !plan->input.construct->finalize
                                  : !plan->input.construct->finalize; /* pointers stay attached if the group stays */
    bool maybe_freed = plan->context->config.check_host &&
                       plan->input.walk->host_frees != plan->context->host.host_frees; /* host memory of the group may
                                                                                        * have been freed */
    if (!accd__plan_can_group(plan) || maybe_freed || exit_plan->abandon || (!is_removed && !stays_attached) ||
        (is_removed && !counted && !roots_are_removed(plan)) || (is_removed && is_group_pending(exit_plan, group)) ||
        accd__plan_overlaps_group(plan, group) || roots_are_split(plan) ||
        (!exit_plan->dynamic && !accd__group_descriptors_unchanged(plan->env, group)) ||
        !accd__group_collapse(plan->env, group) || accd__group_shares_slots(plan->env, group))
        return expand_group_requests(exit_plan);
    size_t section;
    /* checks the group's pointers at the end of a region only: exit data has just found the group by walking the same
     * pointers */
    if (!exit_plan->abandon && !exit_plan->dynamic && plan->context->rules.pointer_changed == ACCD_CHOICE_REJECT &&
        !accd__group_pointers_unchanged(group->walk, &section)) {
        char name[160];
        accd__format_row_slot(group->walk, section, name, sizeof name);
        return accd__set_error(plan->context, ACCD_ERROR_POINTER_CHANGED, R_STRUCTURE_FIXED,
                               "the pointer %s was changed while it is attached", name);
    }
    exit_plan->group_exits = true;
    exit_plan->group_dies = is_removed;
    exit_plan->group_references = references;
    if (is_removed) /* look-ups of the following steps must not expand a group that is about to be removed */
        accd__group_clear_pending(plan->env, group, true, true);
    return ACCD_OK;
}

/* Plans the bulk transfer of a removed group: sections, bytes of roots (walked items) whose objects are removed, and
 * host values of pointers in the other roots. Does nothing if no group is removed, or the region is abandoned. Fails
 * only without memory. */
static accd_status plan_exit_bulk(struct accd__exit_plan *exit_plan)
{
    struct accd__plan *plan = exit_plan->plan;
    if (!exit_plan->group_dies || exit_plan->abandon)
        return ACCD_OK;
    ACCD_TRY(accd__bulk_begin(plan, plan->resolved.group));
    plan->changes.bulk->out = plan->changes.bulk->restore = true;
    for (size_t k = 0; k < plan->resolved.nrequests; k++) {
        const struct accd__item_source *source = accd__request_source(&plan->input, &plan->resolved.requests[k]);
        struct accd__object *object = plan->resolved.requests[k].object;
        if (!source || source->root < 0 || !object)
            continue;
        accd__bulk_set_root(plan, (size_t)source->root, object);
        plan->changes.bulk->own[source->root] = accd__object_is_removed(plan, object);
    }
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------ commit -- */

/* Removes references from the counters of a group that stays present. If its sections or pointers are expanded to
 * objects or attachments, also removes them from the counters of these records. */
static void remove_group_references(const struct accd__exit_plan *exit_plan)
{
    assert(exit_plan->plan->resolved.group && !exit_plan->group_dies);
    struct accd__group *group = exit_plan->plan->resolved.group;
    const struct accd_walk *walk = group->walk;
    const bool counted = exit_plan->plan->context->policy.counts_attachments;
    const uint32_t removed_count = exit_plan->group_references;
    *(exit_plan->dynamic ? &group->dynamic : &group->structured) -= removed_count;
    group->attached -= counted ? removed_count : 0;
    if (group->pending && group->pending_attach)
        return;
    for (size_t i = 0; i < walk->nsegments; i++) {
        const struct accd__segment *segment = &walk->segments[i];
        for (size_t row = 0; row < segment->rows && accd__segment_is_mapped(segment); row++) {
            if (!accd__section_bytes(segment, row))
                continue;
            if (!group->pending) {
                struct accd__object *object = &group->objects[segment->first + row];
                *(exit_plan->dynamic ? &object->dynamic : &object->structured) -= removed_count;
            }
            uint64_t slot = accd__section_slot(walk, segment, row);
            struct accd__attachment *attach = group->pending_attach || !counted
                                                  ? NULL
                                                  : accd__btree_floor(&exit_plan->plan->env->attached.slots, slot);
            if (attach && attach->slot == slot)
                attach->count -= removed_count;
        }
    }
}

/* Undoes the plan of a failed exit. Voids the marks by which the plan noted which originals (records of clauses) end
 * and which tuples (blocks of fused objects) may split. Makes the group that was to be removed pending again: its
 * sections have no objects and its pointers no attachments. */
void accd__exit_undo(struct accd__exit_plan *exit_plan)
{
    struct accd__plan *plan = exit_plan->plan;
    accd__split_undo(plan);
    if (exit_plan->group_dies)
        accd__group_set_pending(plan->env, plan->resolved.group);
}

/* Removes dying objects from the records of open regions that refer to them. That is needed only for objects that a
 * region named without counting a reference, or that lost references of open regions to another construct. */
static void forget_named_objects(const struct accd__exit_plan *exit_plan)
{
    struct accd__device_env *env = exit_plan->plan->env;
    for (size_t i = 0; env->levels.top && i < exit_plan->dying.n; i++)
        if (exit_plan->dying.at[i]->size & (ACCD_OBJECT_NAMED | ACCD_OBJECT_UNDERCOUNTED))
            accd__regions_forget_object(env, exit_plan->dying.at[i]);
}

/* Commits an exit: removes the attachments that end, commits the split of tuples (blocks of fused objects), and removes
 * dying objects with their memory. Then removes references of the group, or the group itself. Cannot fail. */
void accd__exit_commit(struct accd__exit_plan *exit_plan)
{
    struct accd__plan *plan = exit_plan->plan;
    struct accd__device_env *env = plan->env;
    forget_named_objects(exit_plan);
    for (size_t i = 0; i < exit_plan->removed.n; i++)
        accd__remove_attachment(env, exit_plan->removed.at[i]->attach);
    if (plan->resolved.fusion)
        accd__split_commit(plan);
    for (size_t i = 0; i < exit_plan->dying.n; i++) {
        if (plan->resolved.fusion && exit_plan->dying.at[i]->size & ACCD_OBJECT_SHARED)
            accd__mark_unwritten(env, exit_plan->dying.at[i]->dev, accd__object_bytes(exit_plan->dying.at[i]));
        if (env->tuples.placements.count)
            accd__free_placement(env, exit_plan->dying.at[i]);
        accd__free_object_memory(env, exit_plan->dying.at[i]);
        accd__remove_object(env, exit_plan->dying.at[i]);
    }
    if (exit_plan->group_exits && !exit_plan->group_dies)
        remove_group_references(exit_plan);
    if (exit_plan->group_dies) {
        struct accd__group *group = plan->resolved.group;
        env->present.live -= group->live;
        env->attached.live -= group->live;
        accd__release_block(env, group->block, group->live);
        accd__group_retire(env, group);
    }
}

/* Looks up again the requests of an ending region that have no object, because their data may have been unmapped and
 * mapped again since the region began. Returns an error if the rules reject a request, or without memory. Does nothing
 * if the rules count clauses. */
static accd_status find_remapped_objects(struct accd__exit_plan *exit_plan)
{
    struct accd__plan *plan = exit_plan->plan;
    if (plan->context->rules.counting == ACCD_COUNT_CLAUSES)
        return ACCD_OK;
    for (size_t i = 0; i < plan->resolved.nrequests; i++) {
        struct accd__request *request = &plan->resolved.requests[i];
        struct accd__resolution found;
        if (request->object || request->state == ACCD_REQUEST_SKIPPED || !request->bytes)
            continue;
        ACCD_TRY(accd__resolve_request(plan, request, exit_plan->abandon ? ACCD_DEMAND_ABANDON : ACCD_DEMAND_REGION_END,
                                       &found));
    }
    return ACCD_OK;
}

/* Returns ACCD_ERROR_MISSING_WAIT if tasks of a queue for which the construct does not wait use the memory of dying
 * objects, or of a group that is removed. Decides ACC33-async-4. */
static accd_status check_pending_queues(const struct accd__exit_plan *exit_plan)
{
    struct accd__device_env *env = exit_plan->plan->env;
    accd__begin_pending_query(env, exit_plan->plan->input.queue);
    for (size_t i = 0; i < exit_plan->dying.n; i++) {
        const struct accd__object *object = exit_plan->dying.at[i];
        ACCD_TRY(accd__check_pending(env, object, object->dev, accd__object_bytes(object), "removed"));
    }
    const struct accd__block *block = exit_plan->group_dies ? exit_plan->plan->resolved.group->block : NULL;
    return block ? accd__check_pending(env, NULL, block->dev, block->bytes, "freed") : ACCD_OK;
}

/* Runs all steps of an exit that may fail. Returns the first error; the caller then undoes the steps. For an abandoned
 * region, failed transfers are no error. Decides TR14-4.2-11. */
static accd_status plan_and_transfer_exit(struct accd__exit_plan *exit_plan)
{
    struct accd__plan *plan = exit_plan->plan;
    if (plan->input.leaving)
        ACCD_TRY(find_remapped_objects(exit_plan));
    ACCD_TRY(exit_as_group(exit_plan));
    ACCD_TRY(remove_references(exit_plan));
    const bool attached = plan->env->attached.live;
    if (attached)
        ACCD_TRY(accd__exit_release_records(exit_plan));
    ACCD_TRY(find_dying_objects(exit_plan));
    if (attached)
        ACCD_TRY(accd__exit_end_attachments(exit_plan));
    ACCD_TRY(plan_exit_moves(exit_plan));
    if (plan->env->queues.ntasks && !exit_plan->abandon)
        ACCD_TRY(check_pending_queues(exit_plan));
    if (plan->resolved.fusion)
        ACCD_TRY(accd__split_plan(plan, exit_plan->dying.at, exit_plan->dying.n));
    if (plan->resolved.fusion && !exit_plan->abandon)
        ACCD_TRY(accd__fuse_check_pending(plan));
    ACCD_TRY(accd__exit_plan_words(exit_plan));
    ACCD_TRY(plan_exit_bulk(exit_plan));
    accd_status status = accd__plan_commit(plan);
    return exit_plan->abandon ? ACCD_OK : status;
}

/* Executes an exit whose requests are resolved: plans the exit, transfers data, applies the pending changes, reports
 * events, and removes records. If a step fails, undoes all steps and returns the error. */
accd_status accd__run_exit(struct accd__exit_plan *exit_plan)
{
    accd_status status = plan_and_transfer_exit(exit_plan);
    if (status != ACCD_OK) {
        accd__exit_undo(exit_plan);
        return status;
    }
    accd__apply_changes(exit_plan->plan);
    accd__report_exit(exit_plan);
    accd__exit_commit(exit_plan);
    return ACCD_OK;
}
