/* split.c - fusion at an exit: decides how tuples split that lose an object or an original, and where their objects go
 * (DIR 4.3, Figure 3). Called by core/ops/exit_plan.c, exit.c and release.c. No device memory is allocated, so that an
 * exit cannot fail for lack of it. Objects that nothing connects any more return to a vacated slot, or stay where they
 * are.
 *
 * Words (table/tuples.h): a tuple is a device block with several objects at their true distances. An original is the
 * record of a clause; its base is the host address of element 0 of its array. A placement is the record of an object in
 * the tuples. A vacated slot is a former place of an object. A layer is one of the tuples in which an object was or is.
 * A regroup is a tuple that may split; its members are the objects that stay. A part is a set of members that originals
 * connect. A serial is the number of the construct that made a record.
 *
 *     placement of an object
 *       fused ------> tuple it is in now                        layer of the present tuple
 *       vacated ----> slot (dev, tuple, serial)                 layer below: where it was before
 *                       below -> slot -> ... -> NULL            older layers
 *       originals --> clauses that begin in it, latest first
 *
 * A tuple holds as long as originals of its construct or an older one connect its objects: by one base, or because
 * their ranges intersect. fused->support is the serial of the youngest original that it depends on.
 *
 * Steps of accd__split_plan:
 * 1. Tuples that lose an object, or an original that is not younger than their support, become regroups.
 * 2. The objects of a regroup that stay form a union-find forest: one tree per connected part.
 * 3. Layers in older tuples that certainly stay whole connect their objects (list_layers).
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
#include "plan/change_set.h"
#include "plan/fusion.h"
#include "plan/inside.h"
#include "table/find.h"

#include <assert.h>

/* Sets plan->resolved.fusion to an empty record and starts a new exit number, so that old marks are void. Does neither
 * if the device has no placement. Fails only without memory. */
accd_status accd__split_begin(struct accd__plan *plan)
{
    struct accd__tuples *tuples = &plan->env->tuples;
    const bool counts_items = plan->context->rules.counting != ACCD_COUNT_CLAUSES;
    tuples->unowned = tuples->placements.count && (tuples->unowned || counts_items);
    if (!tuples->placements.count)
        return ACCD_OK;
    ACCD_SCRATCH_ALLOC(plan->context, plan->resolved.fusion, 1);
    *plan->resolved.fusion = (struct accd__fusion){0};
    tuples->exit++;
    return ACCD_OK;
}

/* Marks `original`, one piece of a clause, as ending with this exit, and appends it to fusion->ending. Does nothing if
 * it is marked already. Returns ACCD_ERROR_OUT_OF_MEMORY without memory. */
static accd_status end_piece(struct accd__plan *plan, struct accd__original *original)
{
    if (accd__original_ends(&plan->env->tuples, original))
        return ACCD_OK;
    ACCD_SCRATCH_APPEND(plan->context, &plan->resolved.fusion->ending, original);
    original->ends = plan->env->tuples.exit;
    original->whole_ends = false;
    return ACCD_OK;
}

/* Marks all pieces of the clause to which `original` belongs as ending with this construct, and sets `whole_ends`: the
 * clause ends, not only the object of a piece. Fails only without memory. */
accd_status accd__split_end_original(struct accd__plan *plan, struct accd__original *original)
{
    assert(plan->resolved.fusion);
    for (original = original->head; original; original = original->piece) {
        ACCD_TRY(end_piece(plan, original));
        original->whole_ends = true;
    }
    return ACCD_OK;
}

/* Marks all originals of enter data that begin in `object` as ending, for a `finalize`, which removes all dynamic
 * references. Fails only without memory. */
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

/* Adds the tuple `fused` to fusion->regroups (tuples that may split) unless the list has it. Lowers `least` of its
 * regroup to `serial`, the number of an original that ends or of a removed object's placement, if `serial` is smaller.
 * Returns ACCD_ERROR_OUT_OF_MEMORY without memory. */
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

/* Marks as ending each original in the tuples of fusion->regroups that begins before a removed object and extends into
 * it. `dying`: the `ndying` objects that are removed. Needed only where references are removed without their originals
 * (tuples.unowned), so that an object can be removed before the originals that name it. Returns
 * ACCD_ERROR_OUT_OF_MEMORY without memory. */
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

/* Lists in fusion->regroups the tuples that lose an original on which they depend, or one of the `ndying` objects
 * `dying` on which they may depend. Marks the originals that begin in these objects as ending. Returns
 * ACCD_ERROR_OUT_OF_MEMORY without memory. */
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
        /* an original younger than the support may end without effect, because older ones hold the tuple together */
        if (fused && original->serial <= fused->support)
            ACCD_TRY(note_regroup(plan, fused, original->serial));
    }
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------- parts -- */

/* Returns the index of the root of member `i` in the union-find forest. Shortens the path to the root (path halving).
 */
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

/* Unites the members whose pairs {key, index of the member} have equal keys. Reorders `pairs`, an array with space for
 * 2 n pairs of which the first n are in use. */
static void union_equal_keys(struct accd__tuple_occupant *members, struct accd__pair *pairs, size_t n)
{
    pairs = accd__sort_pairs(pairs, pairs + n, n);
    for (size_t i = 1; i < n; i++)
        if (pairs[i].key == pairs[i - 1].key)
            union_sets(members, (uint32_t)pairs[i].value, (uint32_t)pairs[i - 1].value);
}

/* A layer: one object's place in one tuple. It is either the object's present place, or a vacated slot of the object:
 * its former place in an older tuple, to which it may return. */
struct tuple_layer {
    /* `serial`: number of the construct that made the tuple. `above`: number of the construct that moved the object out
     * of the tuple. Both are 0 for the present place */
    uint64_t serial, above;
    /* index of the object in the members of the regroup */
    uint32_t member;
    bool last;                          /* the object moved from this slot to its present place */
    struct accd__vacated_slot *vacated; /* vacated slot; NULL: the layer is the present place of the object */
};

/* True if `original` was opened by construct number `serial` or an earlier one, and does not end with this exit, so
 * that it connects objects. */
static bool is_counted_original(const struct accd__plan *plan, const struct accd__original *original, uint64_t serial)
{
    return original->serial <= serial && !accd__original_ends(&plan->env->tuples, original);
}

/* Unites those of the objects of the `n` layers that originals up to number `serial` connect: by one base, or because
 * their ranges, including holes, intersect. Sets `is_merged` of each root to true if the call united several parts in
 * it, and `before` of each object to the index of its earlier root. Returns ACCD_ERROR_OUT_OF_MEMORY without memory.
 * Decides DIR-6-02. */
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
            root->is_merged = false;
        }
        root->is_merged |= before != root->first;
    }
    return ACCD_OK;
}

/* True if `fused` depends on originals as young as the oldest one that ends in `regroup`, so that the tuple may split.
 * False: the tuple certainly stays whole. */
static bool may_split(const struct accd__regroup *regroup, const struct accd__fused_tuple *fused)
{
    return fused->support >= regroup->least;
}

/* Unites members of `regroup` that an older tuple which cannot split (may_split) holds together. Sets *layers_p to the
 * *n_p vacated slots (former places of members) whose tuples may split, sorted by the serial of these tuples. Returns
 * ACCD_ERROR_OUT_OF_MEMORY without memory. */
static accd_status list_layers(struct accd__plan *plan, struct accd__regroup *regroup, struct tuple_layer **layers_p,
                               size_t *n_p)
{
    struct accd__tuple_occupant *members = regroup->members;
    size_t most = regroup->n, n = 0, npairs = 0;
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
                pairs[npairs++] = (struct accd__pair){accd__address(f->fused), i};
                break;
            }
            layers[most + n++] = (struct tuple_layer){f->fused->serial, above, i, f == placement->vacated, f};
        }
    }
    union_equal_keys(members, pairs, npairs);
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

/* True if this exit has evaluated the slot `vacated` with the result `use` (NONE, ALONE or TOGETHER,
 * table/tuples.h). */
static bool has_slot_use(const struct accd__device_env *env, const struct accd__vacated_slot *vacated,
                         enum accd__slot_use use)
{
    return vacated->evaluated == env->tuples.exit && vacated->use == use;
}

/* Returns the first slot, from `vacated` down, that this exit has not evaluated as NONE; NULL: there is no such slot.
 * An object may return to that slot. */
static struct accd__vacated_slot *first_usable_slot(const struct accd__device_env *env,
                                                    struct accd__vacated_slot *vacated)
{
    while (vacated && has_slot_use(env, vacated, ACCD_SLOT_USE_NONE))
        vacated = vacated->below;
    return vacated;
}

/* Sets `use` of the vacated slots of the `n` layers, which are sorted by the serial of their tuples. The originals that
 * connect the objects of a layer are those older than the construct that moved them to the next layer. If `ends`, the
 * present tuple ends, and all originals count for the last slot of each object, from which it moved to that tuple.
 * Returns ACCD_ERROR_OUT_OF_MEMORY without memory. */
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
            bool is_together = members[find_root(members, layers[k].member)].is_merged;
            vacated->evaluated = plan->env->tuples.exit;
            vacated->use = is_together                                    ? ACCD_SLOT_USE_TOGETHER
                           : first_usable_slot(plan->env, vacated->below) ? ACCD_SLOT_USE_NONE
                                                                          : ACCD_SLOT_USE_ALONE;
        }
    }
    return ACCD_OK;
}

/* Returns the greatest serial that an original (record of a clause) may have to belong to the level on which the
 * objects of `regroup` were placed. A level is an open region, or the base level below all regions. It ends where the
 * next region begins that stays open, so the result is one less than that region's serial. UINT64_MAX: there is no such
 * region, and all originals count. */
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
    return next - 1; /* if there is no next level, `next` is 0 and the result UINT64_MAX: every original counts */
}

/* Returns the least serial above `serial` among those originals (records of clauses) of the members of `regroup` that
 * do not end with this exit; UINT64_MAX: there is no such original. Such originals may still hold the tuple together
 * when all originals up to `serial` have ended. */
static uint64_t oldest_serial_after(const struct accd__plan *plan, const struct accd__regroup *regroup, uint64_t serial)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < regroup->n; i++)
        for (const struct accd__original *o = regroup->members[i].placement->originals; o; o = o->next)
            if (is_counted_original(plan, o, UINT64_MAX) && o->serial > serial && o->serial < first)
                first = o->serial;
    return first;
}

/* Sets `is_merged` in the root of each part (set of connected members) of `regroup` that stays together in the present
 * tuple. If only originals of later levels (younger regions) connect a part, sets `younger_serial` of its root to their
 * least serial, otherwise to 0. Sets *has_younger_p to true if any part stays together. Returns
 * ACCD_ERROR_OUT_OF_MEMORY without memory. */
static accd_status evaluate_present(struct accd__plan *plan, struct accd__regroup *regroup, bool *has_younger_p)
{
    struct accd__tuple_occupant *members = regroup->members;
    const uint64_t last = last_serial_of_level(plan, regroup), next_serial = oldest_serial_after(plan, regroup, last);
    struct tuple_layer *layers;
    ACCD_SCRATCH_ALLOC(plan->context, layers, regroup->n);
    for (uint32_t i = 0; i < regroup->n; i++)
        layers[i] = (struct tuple_layer){.member = i};
    ACCD_TRY(connect_occupants(plan, members, layers, regroup->n, last));
    for (uint32_t i = 0; i < regroup->n; i++)
        members[i].older = members[find_root(members, i)].is_merged;
    ACCD_TRY(connect_occupants(plan, members, layers, regroup->n, UINT64_MAX));
    for (uint32_t i = 0; i < regroup->n; i++) {
        struct accd__tuple_occupant *root = &members[find_root(members, i)];
        root->younger_serial = root->is_merged ? next_serial : 0;
    }
    *has_younger_p = false;
    for (uint32_t i = 0; i < regroup->n; i++) {
        struct accd__tuple_occupant *root = &members[find_root(members, i)];
        if (members[i].older) {
            root->is_merged = true;
            root->younger_serial = 0;
        }
        *has_younger_p |= root->is_merged;
    }
    return ACCD_OK;
}

/* Computes the parts of a regroup: evaluates the vacated slots and unites members that stay together. At first it
 * assumes that the tuple ends and all objects return to earlier slots. If a part stays nevertheless, it evaluates the
 * layers again without that assumption. Returns ACCD_ERROR_OUT_OF_MEMORY without memory. */
static accd_status find_tuple_parts(struct accd__plan *plan, struct accd__regroup *regroup)
{
    struct accd__tuple_occupant *members = regroup->members;
    struct tuple_layer *layers = NULL;
    size_t n = 0;
    bool stays_in_place = false;
    ACCD_TRY(list_layers(plan, regroup, &layers, &n));
    uint32_t *parents;
    ACCD_SCRATCH_ALLOC(plan->context, parents, regroup->n);
    for (uint32_t i = 0; i < regroup->n; i++)
        parents[i] = members[i].up;
    ACCD_TRY(evaluate_layers(plan, members, layers, n, true));
    ACCD_TRY(evaluate_present(plan, regroup, &stays_in_place));
    if (!stays_in_place || !n)
        return ACCD_OK;
    for (uint32_t i = 0; i < regroup->n; i++)
        members[i].up = parents[i];
    ACCD_TRY(evaluate_layers(plan, members, layers, n, false));
    return evaluate_present(plan, regroup, &stays_in_place);
}

/* True if member `i` belongs to a part that originals hold together in the present tuple, so that it stays where it
 * is. */
static bool stays_in_place(struct accd__regroup *regroup, uint32_t i)
{
    return regroup->members[find_root(regroup->members, i)].is_merged;
}

/* Sets the members of `regroup` to the objects of its tuple that stay present, by host address. Returns
 * ACCD_ERROR_OUT_OF_MEMORY without memory. */
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

/* Appends to fusion->shifts those objects of `regroup` that return to a vacated slot: they do not stay in place, and
 * have a usable slot. Returns ACCD_ERROR_OUT_OF_MEMORY without memory. Decides DIR-4.3-03. */
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
                                                        .shared = vacated->shared});
    }
    return ACCD_OK;
}

/* Plans how tuples split when the `ndying` objects `dying` are removed and the marked originals end. Lists the affected
 * tuples and their parts, reserves records, and plans the moves of objects that return to vacated slots. Fails only
 * without memory. Decides DIR-4.3-01, DIR-6-05. */
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
    /* a part is a tuple only if it has two objects, so that at most members / 2 tuples result */
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
        change->shared = shift->shared;
    }
    ACCD_TRY(accd__fuse_plan_copies(plan, NULL, 0));
    return accd__fuse_plan_pointers(plan);
}

/* ------------------------------------------------------------------------------------ commit -- */

/* Removes `original` from the list of pieces of its clause. If it was the first piece, the next one becomes the head.
 */
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

/* Frees `original` after removing it from its clause, its placement, the ring of originals with its base, and its
 * region. */
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
    const struct accd__original *entry = accd__btree_floor(&env->tuples.bases, original->base);
    if (entry == original) {
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

/* Frees the record of a vacated slot of `object`. If `is_reoccupied`, the object has returned to the slot, so that the
 * memory stays in use; otherwise the memory of the slot is released, too. */
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

/* Frees the vacated slots of `placement` that this exit evaluated as NONE. For TOGETHER, sets `support` of the slot's
 * tuple to the latest serial; for ALONE, removes the slot from its tuple. */
static void free_unused_slots(struct accd__device_env *env, struct accd__placement *placement)
{
    bool has_unused = false;
    for (const struct accd__vacated_slot *vacated = placement->vacated; vacated && !has_unused;
         vacated = vacated->below)
        has_unused = has_slot_use(env, vacated, ACCD_SLOT_USE_NONE);
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
    for (struct accd__vacated_slot *vacated = has_unused ? placement->vacated : NULL; vacated; vacated = vacated->below)
        vacated->jump = vacated->below; /* resets all skip links, because they may point to freed slots */
}

/* Moves the records of an object to its latest vacated slot, and releases the place in its present tuple. The bytes
 * were copied before. Requires that `placement` has a tuple and a slot. */
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

/* Makes each part with several objects a current tuple. That is the tuple of its first object or, if a second part uses
 * that tuple already, a copy of it in a reserved record. `serial`: serial of the tuple that splits. An object that is
 * alone in its part loses its tuple. */
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
        } else if (r == i) { /* the first object decides which tuple the part becomes */
            bool present = fused->block == regroup->fused->block;
            if (fused->current) {
                struct accd__fused_tuple *part = accd__pool_alloc(&env->tuples.fused_pool);
                *part = *fused;
                part->places = 1;
                fused->places--;
                placement->fused = fused = part;
            }
            /* A part of the tuple that splits gets the serial of the younger original that connects it or, without
             * one, the serial of the split tuple. A part that returned to an older tuple keeps that tuple's serial. */
            if (present)
                fused->serial = root->younger_serial ? root->younger_serial : serial;
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

/* Splits one tuple: frees useless slots of its objects, returns objects to their slots, and makes tuples of the parts
 * that remain. Cannot fail. */
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

/* Frees each placement of `regroup` that has no tuple, no vacated slot and no original. Called only without the knob
 * `fusion`; with it, a placement lives as long as its object. */
static void free_idle_placements(struct accd__device_env *env, struct accd__regroup *regroup)
{
    for (uint32_t i = 0; i < regroup->n; i++) {
        const struct accd__placement *placement = regroup->members[i].placement;
        if (!placement->fused && !placement->vacated && !placement->originals)
            accd__free_placement(env, placement->object);
    }
}

/* Makes the bytes of an ended original holes of its storage object (allocated by hold) again, except bytes that other
 * clauses name and attached pointers. Does nothing for other objects, for removed ones, or if the original names no
 * bytes. Cannot fail. Decides DIR-4.2-17. */
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
        (void)accd__first_attachment(env, at, stop, &cursor, &attach); /* cannot fail: no pending group is here */
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

/* Frees the marked originals, marks bytes that no clause names any more as unwritten, and splits the affected tuples.
 * Cannot fail. Decides DIR-4.3-04. */
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

/* Makes all marks of this exit on originals, tuples and slots void, by starting a new exit number. */
void accd__split_undo(struct accd__plan *plan)
{
    plan->env->tuples.exit++;
}

/* Frees the placement of `object`, if it has one, with its originals and vacated slots. */
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
