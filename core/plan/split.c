/* split.c - fusion at an exit: decides how tuples split that lose an object or an original, and where their objects go
 * (DIR 4.3, Figure 3). Called by core/ops/exit_plan.c and exit.c. No device memory is allocated, so that an exit cannot
 * fail for lack of it. Objects that nothing connects any more return to a vacated slot, or stay where they are.
 *
 *     placement of an object
 *       fused ------> tuple it is in now                        layer of the present tuple
 *       vacated ----> slot (dev, tuple, serial)                 layer below: where it was before
 *                       below -> slot -> ... -> NULL            older layers
 *       originals --> clauses that begin in it, latest first
 *
 * A tuple holds as long as originals that are at most as old as it connect its objects: by one base, or because their
 * ranges intersect. fused->support is the serial of the youngest original that it depends on.
 *
 * Steps of accd__split_plan:
 * 1. Tuples that lose an object, or an original no younger than their support, become regroups.
 * 2. The objects of a regroup that stay form a union-find forest: one tree per connected part.
 * 3. Layers in older tuples that are not affected connect their objects for certain (list_layers).
 * 4. The other layers are evaluated, oldest first: each vacated slot is worth returning to TOGETHER with other objects,
 * ALONE, or not at all (NONE).
 * 5. The present tuple is evaluated last: objects that are still connected stay in place as one part.
 * 6. Every other object moves to its first usable slot, if it has one. The moves become shifts, as in fuse.c.
 *
 * Life of a vacated slot: made by vacate_slot in fuse.c -> evaluated by exits -> its object returns (return_to_slot),
 * the slot becomes useless (free_unused_slots), or its object is removed (accd__free_placement).
 *
 * Marks: tuples.exit is the number of this exit. A mark in a record (original->ends, fused->loses, vacated->evaluated)
 * is valid only if it equals that number, so incrementing the number clears all marks. */
#include "plan/inside.h"
#include "plan/fusion.h"
#include "plan/change_set.h"

#include <assert.h>

accd_status accd__split_begin(struct accd__plan *plan)
{
    struct accd__tuples *tuples = &plan->env->tuples;
    const bool either = plan->context->rules.counting != ACCD_COUNT_CLAUSES;
    tuples->unowned = tuples->placements.count && (tuples->unowned || either);
    if (!tuples->placements.count)
        return ACCD_OK;
    ACCD_SCRATCH_ALLOC(plan->context, plan->resolved.fusion, 1);
    *plan->resolved.fusion = (struct accd__fusion){0};
    tuples->exit++;
    return ACCD_OK;
}

/* Marks one piece of a clause as ending; a repeated call for the piece does nothing. Fails only without memory. */
static accd_status end_piece(struct accd__plan *plan, struct accd__original *original)
{
    if (accd__original_ends(&plan->env->tuples, original))
        return ACCD_OK;
    ACCD_SCRATCH_APPEND(plan->context, &plan->resolved.fusion->ending, original);
    original->ends = plan->env->tuples.exit;
    original->whole_ends = false;
    return ACCD_OK;
}

accd_status accd__split_end_original(struct accd__plan *plan, struct accd__original *original)
{
    assert(plan->resolved.fusion);
    for (original = original->head; original; original = original->piece) {
        ACCD_TRY(end_piece(plan, original));
        original->whole_ends = true;
    }
    return ACCD_OK;
}

accd_status accd__split_end_enter_data(struct accd__plan *plan, const struct accd__object *object)
{
    const struct accd__placement *placement = accd__find_placement(plan->env, object);
    plan->env->tuples.unowned = true;
    for (struct accd__original *original = placement ? placement->originals : NULL; original; original = original->next)
        if (original->dynamic)
            ACCD_TRY(accd__split_end_original(plan, original));
    return ACCD_OK;
}

/* --------------------------------------------------------------------------- affected tuples -- */

/* Adds the tuple `fused` to the regroups unless it is one already. Lowers the regroup's `least` to `serial`, the number
 * of an original that ends, if that is smaller. */
static accd_status note_regroup(struct accd__plan *plan, struct accd__fused_tuple *fused, uint64_t serial)
{
    struct accd__fusion *fusion = plan->resolved.fusion;
    if (fused->loses != plan->env->tuples.exit) {
        ACCD_SCRATCH_APPEND(plan->context, &fusion->regroups, (struct accd__regroup){.fused = fused, .least = serial});
        fused->loses = plan->env->tuples.exit;
        fused->regroup = fusion->regroups.n - 1;
    }
    struct accd__regroup *regroup = &fusion->regroups.at[fused->regroup];
    regroup->least = serial < regroup->least ? serial : regroup->least;
    return ACCD_OK;
}

/* Marks as ending all originals of affected tuples that begin before a removed object and extend into it. Needed where
 * references are removed without their originals, so that data are removed first. */
static accd_status end_reaching_originals(struct accd__plan *plan, struct accd__object *const *dying, size_t ndying)
{
    struct accd__fusion *fusion = plan->resolved.fusion;
    struct accd__pair *pairs;
    ACCD_SCRATCH_ALLOC(plan->context, pairs, 2 * ndying);
    for (size_t i = 0; i < ndying; i++)
        pairs[i] = (struct accd__pair){dying[i]->host, i};
    pairs = accd__sort_pairs(pairs, pairs + ndying, ndying);
    for (size_t i = 0; i < fusion->regroups.n; i++) {
        const struct accd__fused_tuple *fused = fusion->regroups.at[i].fused;
        struct accd__btree_cursor cursor;
        const struct accd__placement *placement = accd__btree_seek(&plan->env->tuples.placements, fused->host, &cursor);
        for (; placement && placement->object->host < fused->end; placement = accd__btree_next(&cursor))
            for (struct accd__original *o = placement->originals; o; o = o->next) {
                const size_t next = ACCD_UPPER_BOUND(pairs, key, ndying, o->host);
                if (next < ndying && pairs[next].key - o->host < o->bytes)
                    ACCD_TRY(end_piece(plan, o));
            }
    }
    return ACCD_OK;
}

/* Lists as regroups the tuples that lose an object of `dying`, or an original that they depend on. Marks the originals
 * of these objects as ending. */
static accd_status find_affected_tuples(struct accd__plan *plan, struct accd__object *const *dying, size_t ndying)
{
    const struct accd__fusion *fusion = plan->resolved.fusion;
    for (size_t i = 0; i < ndying; i++) {
        const struct accd__object *object = dying[i];
        const struct accd__placement *placement = accd__find_placement(plan->env, object);
        if (!placement)
            continue;
        for (struct accd__original *original = placement->originals; original; original = original->next)
            ACCD_TRY(end_piece(plan, original));
        struct accd__fused_tuple *fused = placement->fused;
        if (fused && (plan->env->tuples.unowned || placement->serial <= fused->serial || object->host == fused->host ||
                      accd__object_end(object) == fused->end))
            ACCD_TRY(note_regroup(plan, fused, placement->serial));
    }
    if (plan->env->tuples.unowned && ndying)
        ACCD_TRY(end_reaching_originals(plan, dying, ndying));
    for (size_t i = 0; i < fusion->ending.n; i++) {
        const struct accd__original *original = fusion->ending.at[i];
        struct accd__fused_tuple *fused = original->placement->fused;
        /* an original younger than the support holds a tuple together only if older ones have ended */
        if (fused && original->serial <= fused->support)
            ACCD_TRY(note_regroup(plan, fused, original->serial));
    }
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------- parts -- */

/* Returns the root of member `i` in the union-find forest. Shortens the path to it (path halving). */
static uint32_t find_root(struct accd__tuple_occupant *members, uint32_t i)
{
    while (members[i].up != i)
        i = members[i].up = members[members[i].up].up;
    return i;
}

/* Unites the parts of members `a` and `b`; the root with the smaller index becomes the root of both. */
static void union_sets(struct accd__tuple_occupant *members, uint32_t a, uint32_t b)
{
    a = find_root(members, a);
    b = find_root(members, b);
    members[a > b ? a : b].up = a > b ? b : a;
}

/* Unites the members (values of `pairs`) whose keys are equal. Reorders `pairs`, which must have capacity for 2 n. */
static void union_equal_keys(struct accd__tuple_occupant *members, struct accd__pair *pairs, size_t n)
{
    pairs = accd__sort_pairs(pairs, pairs + n, n);
    for (size_t i = 1; i < n; i++)
        if (pairs[i].key == pairs[i - 1].key)
            union_sets(members, (uint32_t)pairs[i].value, (uint32_t)pairs[i - 1].value);
}

/* A tuple that an object was in earlier, as one of the object's vacated slots (old places, see the head of this file).
 */
struct tuple_layer {
    uint64_t serial, above; /* serial of the tuple; serial of the place that the object moved to from this slot */
    /* index of the object in the members of the regroup */
    uint32_t member;
    bool last;                          /* this slot was the last place before the object's present one */
    struct accd__vacated_slot *vacated; /* vacated slot; NULL: the layer is the present place of the object */
};

/* True if the number of `original` is at most `serial`, and the original does not end with this exit. */
static bool is_counted_original(const struct accd__plan *plan, const struct accd__original *original, uint64_t serial)
{
    return original->serial <= serial && !accd__original_ends(&plan->env->tuples, original);
}

/* Unites the objects of a layer that originals up to a serial connect: by one base, or because their ranges, including
 * holes, intersect. Sets `several` in roots that unite more than one part. Decides DIR-6-02. */
static accd_status connect_occupants(struct accd__plan *plan, struct accd__tuple_occupant *members,
                                     const struct tuple_layer *layers, size_t n, uint64_t serial)
{
    size_t most = n, npairs = 0, roots = 0;
    for (size_t k = 0; k < n; k++)
        for (const struct accd__original *o = members[layers[k].member].placement->originals; o; o = o->next)
            most += is_counted_original(plan, o, serial);
    struct accd__pair *pairs;
    ACCD_SCRATCH_ALLOC(plan->context, pairs, 2 * most);
    for (size_t k = 0; k < n; k++) {
        struct accd__tuple_occupant *member = &members[layers[k].member];
        member->before = find_root(members, layers[k].member);
        for (const struct accd__original *o = member->placement->originals; o; o = o->next)
            if (is_counted_original(plan, o, serial))
                pairs[npairs++] = (struct accd__pair){o->base, layers[k].member};
    }
    union_equal_keys(members, pairs, npairs);
    for (size_t k = 0; k < n; k++) {
        struct accd__tuple_occupant *root = &members[find_root(members, layers[k].member)];
        root->low = UINT64_MAX;
        root->high = 0;
    }
    for (size_t k = 0; k < n; k++) {
        const struct accd__placement *placement = members[layers[k].member].placement;
        struct accd__tuple_occupant *root = &members[find_root(members, layers[k].member)];
        uint64_t high = accd__object_end(placement->object);
        for (const struct accd__original *o = placement->originals; o; o = o->next)
            if (is_counted_original(plan, o, serial) && o->host + o->bytes > high)
                high = o->host + o->bytes;
        if (!root->high)
            pairs[roots++].value = (uint64_t)(root - members);
        root->low = placement->object->host < root->low ? placement->object->host : root->low;
        root->high = high > root->high ? high : root->high;
    }
    for (size_t k = 0; k < roots; k++)
        pairs[k].key = members[pairs[k].value].low;
    pairs = accd__sort_pairs(pairs, pairs + most, roots);
    uint64_t end = 0;
    for (size_t k = 0; k < roots; k++) {
        const struct accd__tuple_occupant *root = &members[pairs[k].value];
        uint64_t high = root->high;
        if (root->low < end)
            union_sets(members, (uint32_t)pairs[k].value, (uint32_t)pairs[k - 1].value);
        end = high > end ? high : end;
    }
    for (size_t k = 0; k < n; k++)
        members[find_root(members, layers[k].member)].count = 0;
    for (size_t k = 0; k < n; k++) {
        struct accd__tuple_occupant *root = &members[find_root(members, layers[k].member)];
        uint32_t before = members[layers[k].member].before;
        if (!root->count++) {
            root->first = before;
            root->several = false;
        }
        root->several |= before != root->first;
    }
    return ACCD_OK;
}

/* True if `fused` may depend on an original of the regroup that ends, so that it may split. */
static bool may_split(const struct accd__regroup *regroup, const struct accd__fused_tuple *fused)
{
    return fused->support >= regroup->least;
}

/* Unites the objects that older tuples, which cannot split, hold together. Sets *layers_p to the *n_p layers whose
 * tuples may split, sorted by the serial of their tuples. Fails only without memory. */
static accd_status list_layers(struct accd__plan *plan, struct accd__regroup *regroup, struct tuple_layer **layers_p,
                               size_t *n_p)
{
    struct accd__tuple_occupant *members = regroup->members;
    size_t most = regroup->n, n = 0, certain = 0;
    for (uint32_t i = 0; i < regroup->n; i++)
        for (const struct accd__vacated_slot *f = members[i].placement->vacated;
             f && (!f->fused || may_split(regroup, f->fused)); f = f->below)
            most++;
    struct tuple_layer *layers = accd__scratch_alloc(&plan->context->scratch, 2 * most * sizeof *layers);
    struct accd__pair *pairs = accd__scratch_alloc(&plan->context->scratch, 2 * most * sizeof *pairs);
    if (!layers || !pairs)
        return accd__report_plan_out_of_memory(plan->context);
    for (uint32_t i = 0; i < regroup->n; i++) {
        const struct accd__placement *placement = members[i].placement;
        uint64_t above = placement->serial;
        for (struct accd__vacated_slot *f = placement->vacated; f; above = f->serial, f = f->below) {
            if (!f->fused)
                continue;
            if (!may_split(regroup, f->fused)) {
                pairs[certain++] = (struct accd__pair){accd__address(f->fused), i};
                break;
            }
            layers[most + n++] = (struct tuple_layer){f->fused->serial, above, i, f == placement->vacated, f};
        }
    }
    union_equal_keys(members, pairs, certain);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct accd__pair){accd__address(layers[most + i].vacated->fused), i};
    struct accd__pair *sorted = accd__sort_pairs(pairs, pairs + n, n);
    for (size_t i = 0; i < n; i++)
        sorted[i].key = layers[most + sorted[i].value].serial;
    sorted = accd__sort_pairs(sorted, sorted == pairs ? pairs + n : pairs, n);
    for (size_t i = 0; i < n; i++)
        layers[i] = layers[most + sorted[i].value];
    *layers_p = layers;
    *n_p = n;
    return ACCD_OK;
}

/* True if this exit has evaluated the slot `vacated`, with `worth` as the result. */
static bool has_slot_use(const struct accd__device_env *env, const struct accd__vacated_slot *vacated,
                         enum accd__slot_use worth)
{
    return vacated->evaluated == env->tuples.exit && vacated->use == worth;
}

/* Returns the first slot, from `vacated` down, that an object may return to; NULL: there is no such slot. */
static struct accd__vacated_slot *first_usable_slot(const struct accd__device_env *env,
                                                    struct accd__vacated_slot *vacated)
{
    while (vacated && has_slot_use(env, vacated, ACCD_SLOT_USE_NONE))
        vacated = vacated->below;
    return vacated;
}

/* Sets the use of each vacated slot in the layers. Originals older than the objects' next move connect a layer;
 * if the present tuple ends, all originals connect its last layer. Requires that layers are sorted by serial. */
static accd_status evaluate_layers(struct accd__plan *plan, struct accd__tuple_occupant *members,
                                   const struct tuple_layer *layers, size_t n, bool ends)
{
    for (size_t i = 0, end; i < n; i = end) {
        uint64_t serial = UINT64_MAX;
        const struct accd__fused_tuple *fused = layers[i].vacated->fused;
        for (end = i; end < n && layers[end].vacated->fused == fused; end++)
            if (!(layers[end].last && ends) && layers[end].above <= serial)
                serial = layers[end].above - 1;
        ACCD_TRY(connect_occupants(plan, members, layers + i, end - i, serial));
        for (size_t k = i; k < end; k++) {
            struct accd__vacated_slot *vacated = layers[k].vacated;
            bool holds = members[find_root(members, layers[k].member)].several;
            vacated->evaluated = plan->env->tuples.exit;
            vacated->use = holds                                          ? ACCD_SLOT_USE_TOGETHER
                           : first_usable_slot(plan->env, vacated->below) ? ACCD_SLOT_USE_NONE
                                                                          : ACCD_SLOT_USE_ALONE;
        }
    }
    return ACCD_OK;
}

/* Returns the last serial that an original of the objects' level, or of the base level above it, can have: younger
 * ones belong to the next level that stays open. */
static uint64_t last_serial_of_level(const struct accd__plan *plan, const struct accd__regroup *regroup)
{
    uint64_t serial = 0, next = 0;
    for (uint32_t i = 0; i < regroup->n; i++)
        if (regroup->members[i].placement->serial > serial)
            serial = regroup->members[i].placement->serial;
    const struct accd_region *region = plan->env->levels.top;
    for (; region && region->serial > serial; region = region->below)
        if (region != plan->input.leaving)
            next = region->serial;
    return next - 1; /* wraps to UINT64_MAX if there is no next level */
}

/* Returns the serial of the oldest original after a level, which holds a tuple together once the originals of the level
 * have ended; UINT64_MAX: there is no such original. */
static uint64_t oldest_serial_after(const struct accd__plan *plan, const struct accd__regroup *regroup, uint64_t serial)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < regroup->n; i++)
        for (const struct accd__original *o = regroup->members[i].placement->originals; o; o = o->next)
            if (is_counted_original(plan, o, UINT64_MAX) && o->serial > serial && o->serial < first)
                first = o->serial;
    return first;
}

/* Finds the objects that stay together in the present tuple. *any_p: some do. */
static accd_status evaluate_present(struct accd__plan *plan, struct accd__regroup *regroup, bool *any_p)
{
    struct accd__tuple_occupant *members = regroup->members;
    const uint64_t last = last_serial_of_level(plan, regroup), next_serial = oldest_serial_after(plan, regroup, last);
    struct tuple_layer *layers;
    ACCD_SCRATCH_ALLOC(plan->context, layers, regroup->n);
    for (uint32_t i = 0; i < regroup->n; i++)
        layers[i] = (struct tuple_layer){.member = i};
    ACCD_TRY(connect_occupants(plan, members, layers, regroup->n, last));
    for (uint32_t i = 0; i < regroup->n; i++)
        members[i].older = members[find_root(members, i)].several;
    ACCD_TRY(connect_occupants(plan, members, layers, regroup->n, UINT64_MAX));
    for (uint32_t i = 0; i < regroup->n; i++) {
        struct accd__tuple_occupant *root = &members[find_root(members, i)];
        root->held = root->several ? next_serial : 0;
    }
    *any_p = false;
    for (uint32_t i = 0; i < regroup->n; i++) {
        struct accd__tuple_occupant *root = &members[find_root(members, i)];
        if (members[i].older) {
            root->several = true;
            root->held = 0;
        }
        *any_p |= root->several;
    }
    return ACCD_OK;
}

/* Finds the parts of a regroup. First assumes that the tuple ends and all objects return to earlier slots; if a part
 * stays nevertheless, evaluates the layers again without that assumption. */
static accd_status find_tuple_parts(struct accd__plan *plan, struct accd__regroup *regroup)
{
    struct accd__tuple_occupant *members = regroup->members;
    struct tuple_layer *layers = NULL;
    size_t n = 0;
    bool stays_in_place = false;
    ACCD_TRY(list_layers(plan, regroup, &layers, &n));
    uint32_t *certain;
    ACCD_SCRATCH_ALLOC(plan->context, certain, regroup->n);
    for (uint32_t i = 0; i < regroup->n; i++)
        certain[i] = members[i].up;
    ACCD_TRY(evaluate_layers(plan, members, layers, n, true));
    ACCD_TRY(evaluate_present(plan, regroup, &stays_in_place));
    if (!stays_in_place || !n)
        return ACCD_OK;
    for (uint32_t i = 0; i < regroup->n; i++)
        members[i].up = certain[i];
    ACCD_TRY(evaluate_layers(plan, members, layers, n, false));
    return evaluate_present(plan, regroup, &stays_in_place);
}

/* True if member `i` belongs to a part of several objects, which stay where they are. */
static bool stays_in_place(struct accd__regroup *regroup, uint32_t i)
{
    return regroup->members[find_root(regroup->members, i)].several;
}

/* Sets the members of `regroup` to the objects of its tuple that stay present, by host address. Fails only without
 * memory. */
static accd_status list_occupants(struct accd__plan *plan, struct accd__regroup *regroup)
{
    struct accd__btree_cursor cursor;
    const struct accd__fused_tuple *fused = regroup->fused;
    ACCD_SCRATCH_LIST(struct accd__tuple_occupant) members = {0};
    struct accd__placement *placement = accd__btree_seek(&plan->env->tuples.placements, fused->host, &cursor);
    for (; placement && placement->object->host < fused->end; placement = accd__btree_next(&cursor))
        if (placement->fused == fused && !accd__object_is_removed(plan, placement->object))
            ACCD_SCRATCH_APPEND(plan->context, &members,
                                (struct accd__tuple_occupant){.placement = placement, .up = (uint32_t)members.n});
    regroup->members = members.at;
    regroup->n = (uint32_t)members.n;
    return ACCD_OK;
}

/* Lists the objects of a regroup that return to a vacated slot as shifts. Fails only without memory. Decides
 * DIR-4.3-03. */
static accd_status list_exit_shifts(struct accd__plan *plan, struct accd__regroup *regroup)
{
    struct accd__fusion *fusion = plan->resolved.fusion;
    for (uint32_t i = 0; i < regroup->n; i++) {
        struct accd__placement *placement = regroup->members[i].placement;
        const struct accd__vacated_slot *vacated =
            stays_in_place(regroup, i) ? NULL : first_usable_slot(plan->env, placement->vacated);
        if (!vacated)
            continue;
        ACCD_SCRATCH_APPEND(plan->context, &fusion->shifts,
                            (struct accd__object_shift){.object = placement->object,
                                                        .placement = placement,
                                                        .from = placement->object->dev,
                                                        .to = vacated->dev,
                                                        .size = placement->object->size,
                                                        .kept = vacated->shared});
    }
    return ACCD_OK;
}

/* Decides DIR-4.3-01, DIR-6-05. */
accd_status accd__split_plan(struct accd__plan *plan, struct accd__object *const *dying, size_t ndying)
{
    assert(plan->resolved.fusion && (dying || !ndying));
    struct accd__fusion *fusion = plan->resolved.fusion;
    struct accd__device_env *env = plan->env;
    size_t members = 0;
    ACCD_TRY(find_affected_tuples(plan, dying, ndying));
    for (size_t i = 0; i < fusion->regroups.n; i++) {
        struct accd__regroup *regroup = &fusion->regroups.at[i];
        ACCD_TRY(list_occupants(plan, regroup));
        if (regroup->n)
            ACCD_TRY(find_tuple_parts(plan, regroup));
        ACCD_TRY(list_exit_shifts(plan, regroup));
        members += regroup->n;
    }
    if (!members)
        return ACCD_OK;
    /* a part of at least two objects is a tuple */
    if (!accd__pool_reserve(&env->tuples.fused_pool, members / 2) ||
        !accd__btree_reserve(&env->tuples.fused, members / 2) ||
        (env->present.device_order && !accd__btree_reserve(&env->present.by_device, fusion->shifts.n)))
        return accd__report_plan_out_of_memory(plan->context);
    env->reserved.objects += fusion->shifts.n;
    for (size_t i = 0; i < fusion->shifts.n; i++) {
        const struct accd__object_shift *shift = &fusion->shifts.at[i];
        struct accd__object_change *change;
        ACCD_TRY(accd__note_object_change(plan, shift->object, &change));
        change->dev = shift->to;
        change->shared = shift->kept;
    }
    ACCD_TRY(accd__fuse_plan_copies(plan, NULL, 0));
    return accd__fuse_plan_pointers(plan);
}

/* ------------------------------------------------------------------------------------ commit -- */

/* Removes the piece `original` from the list of pieces of its clause; the other pieces stay. */
static void unlink_piece(struct accd__original *original)
{
    assert(original->head);
    struct accd__original *head = original->head == original ? original->piece : original->head;
    for (struct accd__original *piece = original->head; piece; piece = piece->piece) {
        piece->head = head;
        if (piece->piece == original)
            piece->piece = original->piece;
    }
}

/* Removes `original` from its clause, its placement, the ring of originals with its base, and its region. Then frees
 * it. */
static void free_original(struct accd__device_env *env, struct accd__original *original)
{
    if (!(accd__original_ends(&env->tuples, original) && original->whole_ends) && original->head)
        unlink_piece(original);
    if (original->prev)
        original->prev->next = original->next;
    else
        original->placement->originals = original->next;
    if (original->next)
        original->next->prev = original->prev;
    const struct accd__original *known = accd__btree_floor(&env->tuples.bases, original->base);
    if (known == original) {
        accd__btree_erase(&env->tuples.bases, original->base);
        if (original->right != original)
            accd__btree_insert(&env->tuples.bases, original->base, original->right);
    }
    original->right->left = original->left;
    original->left->right = original->right;
    if (original->region_slot)
        *original->region_slot = NULL;
    accd__pool_free(&env->tuples.original_pool, original);
}

/* Frees the vacated slot of `object`. If `is_reoccupied`, the object has returned there, so that its memory stays;
 * otherwise the memory of the slot is released, too. */
static void free_vacated_slot(struct accd__device_env *env, const struct accd__object *object,
                              struct accd__vacated_slot *vacated, bool is_reoccupied)
{
    struct accd__block *block = accd__btree_floor(&env->present.blocks, vacated->dev);
    assert(block && block->vacated);
    block->vacated--;
    if (!is_reoccupied) {
        accd__mark_unwritten(env, vacated->dev, accd__object_bytes(object));
        accd__release_fused_tuple(env, vacated->fused);
    }
    if (!is_reoccupied || !vacated->shared)
        accd__release_block(env, block, 1);
    accd__pool_free(&env->tuples.vacated_pool, vacated);
}

/* Frees the vacated slots of `placement` that this exit evaluated as NONE. For TOGETHER the support of the slot's tuple
 * is updated; for ALONE the slot loses its tuple. */
static void free_unused_slots(struct accd__device_env *env, struct accd__placement *placement)
{
    bool any = false;
    for (const struct accd__vacated_slot *vacated = placement->vacated; vacated && !any; vacated = vacated->below)
        any = has_slot_use(env, vacated, ACCD_SLOT_USE_NONE);
    for (struct accd__vacated_slot **at = &placement->vacated; *at;) {
        struct accd__vacated_slot *vacated = *at;
        if (has_slot_use(env, vacated, ACCD_SLOT_USE_TOGETHER))
            vacated->fused->support = env->levels.serial;
        if (has_slot_use(env, vacated, ACCD_SLOT_USE_ALONE)) {
            accd__release_fused_tuple(env, vacated->fused);
            vacated->fused = NULL;
        }
        if (!has_slot_use(env, vacated, ACCD_SLOT_USE_NONE)) {
            at = &vacated->below;
            continue;
        }
        *at = vacated->below;
        free_vacated_slot(env, placement->object, vacated, false);
    }
    for (struct accd__vacated_slot *vacated = any ? placement->vacated : NULL; vacated; vacated = vacated->below)
        vacated->jump = vacated->below; /* resets all skip links, because they may point to freed slots */
}

/* Moves an object's records to its latest vacated slot. Requires a tuple and a slot. */
static void return_to_slot(struct accd__device_env *env, struct accd__placement *placement)
{
    assert(placement->vacated && placement->fused);
    struct accd__vacated_slot *vacated = placement->vacated;
    struct accd__block *left = placement->fused->block;
    uint64_t from = left->dev + (placement->object->host - left->host);
    accd__mark_unwritten(env, from, accd__object_bytes(placement->object));
    accd__release_fused_tuple(env, placement->fused);
    placement->vacated = vacated->below;
    placement->fused = vacated->fused;
    placement->serial = vacated->serial;
    free_vacated_slot(env, placement->object, vacated, true);
    accd__release_block(env, left, 1);
}

/* Makes each part with several objects a current tuple: the tuple that its first object is in, or a new record if that
 * tuple is used by another part. Objects that are alone lose their tuple. */
static void make_part_tuples(struct accd__device_env *env, struct accd__regroup *regroup, uint64_t serial)
{
    struct accd__tuple_occupant *members = regroup->members;
    for (uint32_t i = 0; i < regroup->n; i++)
        members[i].count = 0;
    for (uint32_t i = 0; i < regroup->n; i++) {
        const struct accd__object *object = members[i].placement->object;
        struct accd__tuple_occupant *root = &members[find_root(members, i)];
        root->low = root->count ? root->low : object->host;
        root->high = accd__object_end(object);
        root->count++;
    }
    for (uint32_t i = 0; i < regroup->n; i++) {
        struct accd__placement *placement = members[i].placement;
        uint32_t r = find_root(members, i);
        struct accd__tuple_occupant *root = &members[r];
        struct accd__fused_tuple *fused = placement->fused;
        if (root->count == 1) {
            placement->fused = NULL;
            accd__release_fused_tuple(env, fused);
        } else if (r == i) { /* first object of the part */
            bool present = fused->block == regroup->fused->block;
            if (fused->current) {
                struct accd__fused_tuple *part = accd__pool_alloc(&env->tuples.fused_pool);
                *part = *fused;
                part->places = 1;
                fused->places--;
                placement->fused = fused = part;
            }
            if (present) /* a tuple that objects returned to keeps its serial, a part of the split tuple gets one */
                fused->serial = root->held ? root->held : serial;
            fused->current = true;
            fused->host = root->low;
            fused->end = root->high;
            accd__btree_insert(&env->tuples.fused, fused->host, fused);
        } else if (root->placement->fused != fused) {
            placement->fused = root->placement->fused;
            placement->fused->places++;
            accd__release_fused_tuple(env, fused);
        }
    }
}

/* Regroups one tuple: frees unused slots, returns objects to their slots, and makes tuples of the parts that remain. */
static void commit_tuple(struct accd__device_env *env, struct accd__regroup *regroup)
{
    struct accd__fused_tuple *fused = regroup->fused;
    accd__btree_erase(&env->tuples.fused, fused->host);
    const uint64_t serial = fused->serial;
    fused->current = false;
    fused->support = env->levels.serial;
    fused->places++; /* prevents that the tuple is freed before the end of this function */
    for (uint32_t i = 0; i < regroup->n; i++) {
        struct accd__placement *placement = regroup->members[i].placement;
        free_unused_slots(env, placement);
        if (!stays_in_place(regroup, i) && placement->vacated)
            return_to_slot(env, placement);
    }
    make_part_tuples(env, regroup, serial);
    accd__release_fused_tuple(env, fused);
}

/* Frees the placements of a regroup that have no tuple, no vacated slots and no originals. Used where the rules have no
 * fusion. */
static void free_idle_placements(struct accd__device_env *env, struct accd__regroup *regroup)
{
    for (uint32_t i = 0; i < regroup->n; i++) {
        const struct accd__placement *placement = regroup->members[i].placement;
        if (!placement->fused && !placement->vacated && !placement->originals)
            accd__free_placement(env, placement->object);
    }
}

/* Makes the bytes of an ended original holes of its storage object (a hold allocation) again, except for bytes that
 * other clauses name and for attached pointers. Does nothing for objects without holes. Decides DIR-4.2-17. */
static void clear_unnamed_bytes(const struct accd__plan *plan, const struct accd__original *original)
{
    struct accd__device_env *env = plan->env;
    const struct accd__object *object = original->placement->object;
    if (!(object->size & ACCD_OBJECT_STORAGE) || accd__object_is_removed(plan, object) || original->names_no_bytes)
        return;
    uint64_t stop = original->host + original->bytes, last = accd__object_end(object);
    stop = stop < last ? stop : last;
    for (uint64_t at = original->host, end = stop; at < end; at = stop) {
        struct accd__btree_cursor cursor;
        struct accd__attachment *attach = NULL;
        stop = end;
        if (accd__is_byte_named(env, object, at, &stop))
            continue;
        (void)accd__first_attachment(env, at, stop, &cursor, &attach); /* cannot fail: nothing is left to be indexed */
        uint64_t from = at;
        for (; attach; attach = accd__next_attachment(&cursor, stop)) {
            if (attach->slot > from)
                accd__mark_unwritten(env, object->dev + (from - object->host), attach->slot - from);
            from = accd__attachment_end(attach);
        }
        if (from < stop)
            accd__mark_unwritten(env, object->dev + (from - object->host), stop - from);
    }
}

/* Decides DIR-4.3-04. */
void accd__split_commit(struct accd__plan *plan)
{
    assert(plan->resolved.fusion);
    struct accd__fusion *fusion = plan->resolved.fusion;
    struct accd__device_env *env = plan->env;
    accd__fuse_update_device_order(plan);
    for (size_t i = 0; i < fusion->ending.n; i++)
        clear_unnamed_bytes(plan, fusion->ending.at[i]);
    for (size_t i = 0; i < fusion->ending.n; i++)
        free_original(env, fusion->ending.at[i]);
    for (size_t i = 0; i < fusion->regroups.n; i++)
        commit_tuple(env, &fusion->regroups.at[i]);
    if (!plan->context->rules.fusion)
        for (size_t i = 0; i < fusion->regroups.n; i++)
            free_idle_placements(env, &fusion->regroups.at[i]);
}

void accd__split_undo(struct accd__plan *plan)
{
    plan->env->tuples.exit++;
}

void accd__free_placement(struct accd__device_env *env, const struct accd__object *object)
{
    struct accd__placement *placement = accd__find_placement(env, object);
    if (!placement)
        return;
    while (placement->originals)
        free_original(env, placement->originals);
    while (placement->vacated) {
        struct accd__vacated_slot *vacated = placement->vacated;
        placement->vacated = vacated->below;
        free_vacated_slot(env, object, vacated, false);
    }
    accd__release_fused_tuple(env, placement->fused);
    accd__btree_erase(&env->tuples.placements, object->host);
    env->slow_path_reasons--;
    accd__pool_free(&env->tuples.placement_pool, placement);
}
