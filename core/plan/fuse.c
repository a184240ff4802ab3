/* fuse.c - fusion at an entry: decides which ranges of a new data environment share a device block (DIR 4.2, Figure 2).
 * It allocates the blocks and plans the copies of objects that move there. Called by core/ops/enter.c.
 *
 *     host      a[0:4]          a[6:2]            clauses with one base, or ranges that intersect
 *               |     |         |     |
 *     before   [block A]       [block B]          each object has device memory of its own
 *                  \               \              two shifts: copied within the device
 *     after    [ a[0:4] | hole  | a[6:2] ]        one block, a fused tuple; distances are those of the host
 *              A and B become vacated slots of their placements, to which split.c may return the objects
 *
 * Input: plan->resolved.fusion->candidates, the clauses that resolve.c added. Output: plan->resolved.fusion->ranges,
 * shifts and copies; the commit makes records of them. Words: a base is the host address of element 0 of an array. A
 * range is a host range that may get one block. A tuple is a block with several objects at their true distances. An
 * original is the record of a clause that took part in fusion. A placement is the record of a present object in the
 * tuples (table/tuples.h). A vacated slot is a former place of an object that is kept for its return. A shift is a
 * present object that moves within the device (fusion.h). A serial is the number of a construct that opened a region or
 * originals. Steps, in the order of the functions:
 * 1. Ranges: candidates of one base form a range; ranges that intersect are joined; a range of one object is dropped.
 * A range in which a tuple lies entirely keeps that tuple (cover); any other range gets a block.
 * 2. Reserve: every present object in a range without cover is a shift. Records and blocks are reserved.
 * 3. Moves: shifts are copied within the device; pointers to shifted objects get new values.
 * 4. Commit: new tuples and originals are inserted; old places become vacated slots or are freed. Cannot fail.
 *
 * Life of an original: candidate (resolve.c) -> original of its object's placement (add_originals) -> marked as ending
 * by an exit (split.c) -> freed.
 *
 * Invariants: fused tuples that are current are disjoint and indexed by host address in env->tuples.fused. After
 * join_ranges, ranges are disjoint, sorted by host address, and cut no tuple and no object. */
#include "base/sort.h"
#include "plan/change_set.h"
#include "plan/fusion.h"
#include "plan/inside.h"
#include "table/find.h"
#include "table/name.h"
#include "table/objects.h"
#include "table/targets.h"

#include <assert.h>

/* --------------------------------------------------------------------------------- 1. ranges -- */

/* Extends `range` so that it contains the whole of the fused tuple in which its first or last byte lies or, outside of
 * tuples, of the present object there. Leaves other ranges unchanged. */
static void extend_to_tuples(struct accd__device_env *env, struct accd__fusion_range *range)
{
    assert(range->host < range->end);
    for (int upper = 0; upper < 2; upper++) {
        uint64_t at = upper ? range->end - 1 : range->host, low = range->host, high = range->end;
        const struct accd__fused_tuple *fused = accd__find_fused_tuple(env, at);
        const struct accd__object *object = fused ? NULL : accd__btree_floor(&env->present.objects, at);
        if (fused) {
            low = fused->host;
            high = fused->end;
        } else if (object && at < accd__object_end(object)) {
            low = object->host;
            high = accd__object_end(object);
        }
        range->host = low < range->host ? low : range->host;
        range->end = high > range->end ? high : range->end;
    }
}

/* Fusion 1 of Figure 2: sets fusion->ranges to one range for all candidates of one base. A present object with an
 * original of that base is included. Without the knob `fusion`, each candidate gets a range of its own. Returns
 * ACCD_ERROR_OUT_OF_MEMORY without memory. Decides DIR-4.2-08. */
static accd_status fuse_by_base(struct accd__plan *plan)
{
    struct accd__fusion *fusion = plan->resolved.fusion;
    struct accd__device_env *env = plan->env;
    const bool bases = plan->context->rules.fusion;
    size_t n = fusion->ncandidates;
    struct accd__pair *pairs = accd__scratch_alloc(&plan->context->scratch, 2 * n * sizeof *pairs);
    fusion->ranges = accd__scratch_alloc(&plan->context->scratch, n * sizeof fusion->ranges[0]);
    if (!pairs || !fusion->ranges)
        return accd__report_plan_out_of_memory(plan->context);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct accd__pair){fusion->candidates[i].base, i};
    pairs = accd__sort_pairs(pairs, pairs + n, n);
    for (size_t i = 0; i < n; i++) {
        const struct accd__fusion_candidate *candidate = &fusion->candidates[pairs[i].value];
        uint64_t host = candidate->host, end = host + candidate->bytes;
        struct accd__fusion_range *range = &fusion->ranges[fusion->nranges];
        bool first = !i || !bases || pairs[i].key != pairs[i - 1].key;
        if (first) {
            *range = (struct accd__fusion_range){.host = host, .end = end};
            fusion->nranges++;
            const struct accd__original *other = bases ? accd__btree_floor(&env->tuples.bases, candidate->base) : NULL;
            if (other && other->base == candidate->base) {
                host = other->placement->object->host;
                end = accd__object_end(other->placement->object);
            }
        } else {
            range--;
        }
        if (candidate->split)
            range->reason = ACCD_FUSED_BY_PIECES;
        else if (range->reason == ACCD_FUSED_BY_RANGE && (host < range->host || end > range->end))
            range->reason = ACCD_FUSED_BY_BASE;
        range->host = host < range->host ? host : range->host;
        range->end = end > range->end ? end : range->end;
    }
    return ACCD_OK;
}

/* Fusion 2 of Figure 2: replaces fusion->ranges by disjoint ranges, sorted by host address, in which ranges that
 * intersect are joined. One pass suffices, because extended ranges cut no tuple. Returns ACCD_ERROR_OUT_OF_MEMORY
 * without memory. Decides DIR-4.2-10, DIR-2-04. */
static accd_status join_ranges(struct accd__plan *plan)
{
    struct accd__fusion *fusion = plan->resolved.fusion;
    size_t n = fusion->nranges, njoined = 0;
    struct accd__fusion_range *ranges = accd__scratch_alloc(&plan->context->scratch, n * sizeof *ranges);
    struct accd__pair *pairs = accd__scratch_alloc(&plan->context->scratch, 2 * n * sizeof *pairs);
    if (!ranges || !pairs)
        return accd__report_plan_out_of_memory(plan->context);
    for (size_t i = 0; i < n; i++) {
        extend_to_tuples(plan->env, &fusion->ranges[i]);
        pairs[i] = (struct accd__pair){fusion->ranges[i].host, i};
    }
    pairs = accd__sort_pairs(pairs, pairs + n, n);
    for (size_t i = 0; i < n; i++) {
        const struct accd__fusion_range *next = &fusion->ranges[pairs[i].value];
        struct accd__fusion_range *last = njoined ? &ranges[njoined - 1] : NULL;
        if (!last || next->host >= last->end) {
            ranges[njoined++] = *next;
            continue;
        }
        last->end = next->end > last->end ? next->end : last->end;
        last->reason = next->reason > last->reason ? next->reason : last->reason;
    }
    fusion->ranges = ranges;
    fusion->nranges = njoined;
    return ACCD_OK;
}

/* Removes from fusion->ranges each range that one object, present or new, fills alone, unless a tuple contains the
 * range. Sets `cover` of a remaining range to the tuple that contains it (ALIAS), or to NULL if the range will get
 * memory (ALLOC). Decides DIR-4.2-11, DIR-4.2-12. */
static void select_ranges(struct accd__plan *plan)
{
    struct accd__fusion *fusion = plan->resolved.fusion;
    size_t nselected = 0;
    for (size_t i = 0; i < fusion->nranges; i++) {
        struct accd__fusion_range range = fusion->ranges[i];
        struct accd__btree_cursor cursor;
        range.cover = accd__find_fused_tuple(plan->env, range.host);
        if (range.cover && range.end > range.cover->end)
            range.cover = NULL;
        const struct accd__object *object = accd__first_object_after(plan->env, range.host, &cursor);
        const struct accd__request *request = accd__find_new_request(plan, range.host, range.end - range.host);
        bool is_single = object && object->host < range.end
                             ? accd__object_end(object) >= range.end && object->host <= range.host
                             : request && request->host == range.host && request->host + request->bytes == range.end;
        if (range.cover || !is_single)
            fusion->ranges[nselected++] = range;
    }
    fusion->nranges = nselected;
}

/* Computes fusion->ranges, the host ranges to fuse, from the candidates; drops candidates whose requests are skipped.
 * Returns ACCD_ERROR_PARTIAL_OVERLAP if clauses overlap in part, or fails without memory. Decides DIR-2-01, DIR-2-02,
 * DIR-4.2-09, DIR-4.2-18, DIR-6-02. */
accd_status accd__fuse_plan(struct accd__plan *plan)
{
    assert(plan->resolved.fusion);
    struct accd__fusion *fusion = plan->resolved.fusion;
    size_t nleft = 0;
    for (size_t i = 0; i < fusion->ncandidates; i++)
        if (plan->resolved.requests[fusion->candidates[i].request].state != ACCD_REQUEST_SKIPPED)
            fusion->candidates[nleft++] = fusion->candidates[i];
    fusion->ncandidates = nleft;
    if (!nleft)
        return ACCD_OK;
    if (nleft > 1)
        ACCD_TRY(accd__compare_clauses(plan));
    ACCD_TRY(fuse_by_base(plan));
    ACCD_TRY(join_ranges(plan));
    select_ranges(plan);
    return ACCD_OK;
}

/* -------------------------------------------------------------------------------- 2. reserve -- */

/* True if the old place of a shifted object is freed instead of being kept as a vacated slot. That is so for enter
 * data, if the object was placed after the innermost open region began (`placement->serial`), or no region is open. No
 * region end will then return the object to its old place. False for memory of the user (ACCD_OBJECT_MAPPED).
 * `placement`: record of `object`, or NULL. */
static bool abandons_slot(const struct accd__plan *plan, const struct accd__placement *placement,
                          const struct accd__object *object)
{
    const struct accd_region *top = plan->env->levels.top;
    return plan->input.construct->kind == ACCD_KIND_ENTER_DATA && placement && !(object->size & ACCD_OBJECT_MAPPED) &&
           (!top || top->serial < placement->serial);
}

/* Appends to fusion->shifts every present object in a range that gets memory (`cover` is NULL), by host address.
 * Returns ACCD_ERROR_OUT_OF_MEMORY without memory. */
static accd_status list_entry_shifts(struct accd__plan *plan)
{
    struct accd__fusion *fusion = plan->resolved.fusion;
    struct accd__device_env *env = plan->env;
    struct accd__btree_cursor cursor;
    for (size_t i = 0; i < fusion->nranges; i++) {
        const struct accd__fusion_range *range = &fusion->ranges[i];
        struct accd__object *object = range->cover ? NULL : accd__first_object_after(env, range->host, &cursor);
        for (; object && object->host < range->end; object = accd__btree_next(&cursor)) {
            struct accd__placement *placement = accd__find_placement(env, object);
            const struct accd__fused_tuple *fused = placement ? placement->fused : NULL;
            bool keeps_slot = !abandons_slot(plan, placement, object);
            uint64_t left = !fused                        ? accd__object_bytes(object)
                            : object->host == fused->host ? fused->end - fused->host
                                                          : 0;
            ACCD_SCRATCH_APPEND(plan->context, &fusion->shifts,
                                (struct accd__object_shift){.object = object,
                                                            .placement = placement,
                                                            .range = (uint32_t)i,
                                                            .from = object->dev,
                                                            .size = object->size,
                                                            .freed_bytes = keeps_slot ? 0 : left,
                                                            .keeps_slot = keeps_slot});
        }
    }
    return ACCD_OK;
}

/* Returns ACCD_ERROR_MISSING_WAIT if pending tasks use an object that moves (shifts), except tasks that are certainly
 * done before this construct continues. If queues are concurrent, waits for the tasks instead. */
accd_status accd__fuse_check_pending(const struct accd__plan *plan)
{
    struct accd__device_env *env = plan->env;
    if (!env->queues.ntasks)
        return ACCD_OK;
    accd__begin_pending_query(env, plan->input.queue);
    for (size_t i = 0; i < plan->resolved.fusion->shifts.n; i++) {
        const struct accd__object_shift *shift = &plan->resolved.fusion->shifts.at[i];
        ACCD_TRY(accd__check_pending(env, shift->object, shift->from, accd__object_bytes(shift->object),
                                     "moved within the device"));
    }
    return ACCD_OK;
}

/* Lists the shifts (objects that move), sets fusion->noriginals and fusion->blocks, and reserves all records that
 * accd__fuse_commit will take. Returns ACCD_ERROR_MISSING_WAIT if a queue uses an object that moves, or fails without
 * memory. */
accd_status accd__fuse_reserve(struct accd__plan *plan)
{
    assert(plan->resolved.fusion && !plan->resolved.fusion->shifts.n);
    struct accd__fusion *fusion = plan->resolved.fusion;
    struct accd__device_env *env = plan->env;
    size_t vacated_count = 0;
    ACCD_TRY(list_entry_shifts(plan));
    ACCD_TRY(accd__fuse_check_pending(plan));
    for (size_t i = 0; i < fusion->ncandidates; i++)
        fusion->noriginals += 1 + fusion->candidates[i].nmore;
    for (size_t i = 0; i < fusion->nranges; i++)
        fusion->blocks += !fusion->ranges[i].cover;
    size_t tuples = fusion->blocks;
    for (size_t i = 0; i < fusion->shifts.n; i++) {
        vacated_count += fusion->shifts.at[i].keeps_slot;
        fusion->blocks += fusion->shifts.at[i].keeps_slot && !(fusion->shifts.at[i].size & ACCD_OBJECT_SHARED);
    }
    size_t placements = plan->resolved.nfresh + fusion->shifts.n + fusion->noriginals;
    bool ok = accd__pool_reserve(&env->tuples.placement_pool, placements) &&
              accd__btree_reserve(&env->tuples.placements, placements) &&
              accd__pool_reserve(&env->tuples.original_pool, fusion->noriginals) &&
              accd__btree_reserve(&env->tuples.bases, fusion->noriginals) &&
              accd__pool_reserve(&env->tuples.vacated_pool, vacated_count) &&
              accd__pool_reserve(&env->tuples.fused_pool, tuples) && accd__btree_reserve(&env->tuples.fused, tuples);
    ok = ok && (!env->present.device_order ||
                accd__btree_reserve(&env->present.by_device, fusion->shifts.n + plan->resolved.nfresh));
    return ok ? ACCD_OK : accd__report_plan_out_of_memory(plan->context);
}

/* Sets the device address of each range: in the tuple that covers it, or in newly allocated device memory with the
 * alignment of the host. Notes the new addresses of shifted objects in the change set. Returns an error if the device
 * has no memory or a queue fails, or without memory; accd__fuse_undo then frees what was allocated. Decides DIR-4.1-04,
 * DIR-4.1-05, DIR-4.2-13. */
accd_status accd__fuse_place(struct accd__plan *plan)
{
    assert(plan->resolved.fusion && !plan->resolved.fusion->nplaced);
    struct accd__fusion *fusion = plan->resolved.fusion;
    struct accd__device_env *env = plan->env;
    for (size_t i = 0; i < fusion->nranges; i++, fusion->nplaced++) {
        struct accd__fusion_range *range = &fusion->ranges[i];
        if (range->cover) {
            range->dev = accd__fused_tuple_dev(range->cover) + (range->host - range->cover->host);
            continue;
        }
        uint64_t padding = range->host & 15;
        range->bytes = padding + (range->end - range->host);
        accd_status status = accd__alloc_device_memory(env, range->host, range->bytes, &range->place);
        if (accd__is_queue_error(status))
            return status;
        if (status != ACCD_OK) {
            size_t k = 0;
            while (fusion->candidates[k].host - range->host >= range->end - range->host)
                k++; /* skips candidates until the first one in the range */
            accd__report_request_error(
                plan, &plan->resolved.requests[fusion->candidates[k].request], NULL, status, R_ALLOCATE,
                "device %d has no %llu bytes of memory left for " ACCD_NAME_PLACEHOLDER " and what it is fused with",
                env->device.number, (unsigned long long)range->bytes);
            return accd__append_driver_error(&env->device, status);
        }
        range->dev = range->place + padding;
    }
    for (size_t i = 0; i < fusion->shifts.n; i++) {
        struct accd__object_shift *shift = &fusion->shifts.at[i];
        const struct accd__fusion_range *range = &fusion->ranges[shift->range];
        struct accd__object_change *change;
        ACCD_TRY(accd__note_object_change(plan, shift->object, &change));
        change->dev = shift->to = range->dev + (shift->object->host - range->host);
        change->shared = true;
    }
    return ACCD_OK;
}

/* Returns the fusion range that contains the host address `host`; NULL: no range contains it. */
static const struct accd__fusion_range *find_fusion_range(const struct accd__plan *plan, uint64_t host)
{
    assert(plan->resolved.fusion);
    const struct accd__fusion *fusion = plan->resolved.fusion;
    size_t i = ACCD_UPPER_BOUND(fusion->ranges, end, fusion->nranges, host);
    return i < fusion->nranges && fusion->ranges[i].host <= host ? &fusion->ranges[i] : NULL;
}

/* Returns the device address of `host` in its fusion range; 0: no range contains `host`. */
uint64_t accd__fuse_dev(const struct accd__plan *plan, uint64_t host)
{
    const struct accd__fusion_range *range = find_fusion_range(plan, host);
    return range ? range->dev + (host - range->host) : 0;
}

/* ---------------------------------------------------------------------------------- 3. moves -- */

/* Lists the requests that copy all their bytes from the host although the bytes lie in a present object
 * (accd__request_updates_present). Sets *pairs_p to pairs {host address, index of the request}, sorted by address, and
 * *n_p to their number; if that is 0, *pairs_p may stay unchanged. Requests that copy only pieces or grid elements are
 * not listed. Returns ACCD_ERROR_OUT_OF_MEMORY without memory. Decides DIR-6-04. */
static accd_status list_updated_requests(struct accd__plan *plan, struct accd__pair **pairs_p, size_t *n_p)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->resolved.nrequests; i++)
        n += accd__request_updates_present(&plan->resolved.requests[i]);
    *n_p = n;
    if (!n)
        return ACCD_OK;
    struct accd__pair *pairs;
    ACCD_SCRATCH_ALLOC(plan->context, pairs, 2 * n);
    n = 0;
    for (size_t i = 0; i < plan->resolved.nrequests; i++) {
        const struct accd__request *request = &plan->resolved.requests[i];
        size_t from, to;
        struct accd__grid grid;
        const struct accd__rowset *set =
            accd__request_updates_present(request) ? accd__request_elements(plan, request, &from, &to) : NULL;
        if (accd__request_updates_present(request) &&
            (!set || accd__moves_as_one_piece(set->program, request->action, false)) &&
            !accd__request_grid(plan, request, &grid)) /* a section with gaps is not listed: the host sends only its
                                                        * elements, so that its gaps must move within the device */
            pairs[n++] = (struct accd__pair){request->host, i};
    }
    *n_p = n;
    *pairs_p = accd__sort_pairs(pairs, pairs + n, n);
    return ACCD_OK;
}

/* True if `copy` begins where `last` ends, at its source, its destination and on the host. Copies of two objects must
 * also have source and destination each in one allocation. */
static bool continues_copy(const struct accd__device_env *env, const struct accd__device_copy *last,
                           const struct accd__device_copy *copy)
{
    const uint64_t bytes = last->bytes + copy->bytes;
    return last->host + last->bytes == copy->host && last->from + last->bytes == copy->from &&
           last->to + last->bytes == copy->to &&
           (last->object == copy->object || (env->device.ops->is_allocated(env->device.handle, last->from, bytes) &&
                                             env->device.ops->is_allocated(env->device.handle, last->to, bytes)));
}

/* Plans the copy of the part [host, end) of a shifted object: extends the last copy if this one continues it, otherwise
 * appends one. Does nothing if the part is empty. Returns ACCD_ERROR_OUT_OF_MEMORY without memory. */
static accd_status add_device_copy(struct accd__plan *plan, const struct accd__object_shift *shift, uint64_t host,
                                   uint64_t end)
{
    struct accd__fusion *fusion = plan->resolved.fusion;
    struct accd__device_copy copy = {
        .from = shift->from + (host - shift->object->host),
        .to = shift->to + (host - shift->object->host),
        .host = host,
        .bytes = end - host,
        .object = shift->object,
    };
    struct accd__device_copy *last = fusion->copies.n ? &fusion->copies.at[fusion->copies.n - 1] : NULL;
    if (host >= end)
        return ACCD_OK;
    if (last && continues_copy(plan->env, last, &copy)) {
        last->bytes += copy.bytes;
        last->object = copy.object;
        return ACCD_OK;
    }
    ACCD_SCRATCH_APPEND(plan->context, &fusion->copies, copy);
    return ACCD_OK;
}

/* Plans the copies of all shifted objects within the device. `cut`: `ncut` pairs {host address, index}, sorted by
 * address, of requests whose bytes the host sends; these bytes are left out. Fails only without memory. Decides
 * DIR-4.2-14, DIR-4.2-15. */
accd_status accd__fuse_plan_copies(struct accd__plan *plan, const struct accd__pair *cut, size_t ncut)
{
    const struct accd__fusion *fusion = plan->resolved.fusion;
    size_t k = 0;
    /* shifts and `cut` are both sorted by host address, so that `k` only grows */
    for (size_t i = 0; i < fusion->shifts.n; i++) {
        const struct accd__object_shift *shift = &fusion->shifts.at[i];
        uint64_t at = shift->object->host, end = accd__object_end(shift->object);
        for (; k < ncut && cut[k].key < end; k++) {
            const struct accd__request *request = &plan->resolved.requests[cut[k].value];
            if (request->host < shift->object->host)
                continue;
            ACCD_TRY(add_device_copy(plan, shift, at, request->host));
            if (request->host + request->bytes > at)
                at = request->host + request->bytes;
        }
        ACCD_TRY(add_device_copy(plan, shift, at, end));
    }
    return ACCD_OK;
}

/* Notes the new device value of each attached pointer whose target moves, and plans its write unless the object with
 * the pointer is removed. Attachments that end, and those to removed objects, are ignored. Fails only without memory.
 */
accd_status accd__fuse_plan_pointers(struct accd__plan *plan)
{
    struct accd__fusion *fusion = plan->resolved.fusion;
    struct accd__device_env *env = plan->env;
    ACCD_SCRATCH_LIST(const struct accd__object *) pinned = {0};
    const struct accd__pair *targets;
    size_t n;
    if (fusion->shifts.n && env->groups.npending_attach)
        ACCD_TRY(accd__expand_group_pointers(env, 0, UINT64_MAX));
    for (size_t i = 0; i < fusion->shifts.n; i++)
        if (fusion->shifts.at[i].object->pins)
            ACCD_SCRATCH_APPEND(plan->context, &pinned, fusion->shifts.at[i].object);
    if (!pinned.n)
        return ACCD_OK;
    ACCD_TRY(accd__list_attachments_to(env, pinned.at, pinned.n, &targets, &n));
    for (size_t i = 0; i < n; i++) {
        struct accd__attachment *attach = accd__pointer(targets[i].value);
        struct accd__object *target, *holder;
        if (!accd__planned_attach_count(plan, attach))
            continue;
        ACCD_TRY(accd__find_object(env, attach->base, &target));
        if (!target || accd__object_is_removed(plan, target))
            continue;
        uint64_t dev = accd__planned_object_dev(plan, target) + (attach->target - target->host);
        if (dev == attach->dev)
            continue;
        struct accd__attachment_change *change;
        ACCD_TRY(accd__note_attachment_change(plan, attach, &change));
        change->dev = dev;
        ACCD_TRY(accd__find_object(env, attach->slot, &holder));
        if (holder && !accd__object_is_removed(plan, holder))
            ACCD_TRY(
                accd__plan_add_word(plan, accd__planned_object_dev(plan, holder) + (attach->slot - holder->host), dev));
    }
    return ACCD_OK;
}

/* Plans to rewrite the attached pointers in the bytes of the `n` requests of `pairs` (see list_updated_requests).
 * Neither the copy from the host, which leaves pointers out, nor the copy within the device, which leaves these
 * requests out, transfers them. Returns ACCD_ERROR_OUT_OF_MEMORY without memory. */
static accd_status keep_updated_pointers(struct accd__plan *plan, const struct accd__pair *pairs, size_t n)
{
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach;
    for (size_t i = 0; i < n; i++) {
        const struct accd__request *request = &plan->resolved.requests[pairs[i].value];
        uint64_t end = request->host + request->bytes;
        ACCD_TRY(accd__first_attachment(plan->env, request->host, end, &cursor, &attach));
        for (; attach; attach = accd__next_attachment(&cursor, end)) {
            if (attach->slot - request->object->host >= accd__object_bytes(request->object))
                continue;
            ACCD_TRY(accd__plan_add_attached_pointer(plan, attach, accd__request_dev(plan, request, attach->slot)));
        }
    }
    return ACCD_OK;
}

/* Plans the copies of shifted objects within the device, and all writes of attached pointers that these copies require.
 * Fails only without memory. */
accd_status accd__fuse_plan_moves(struct accd__plan *plan)
{
    struct accd__pair *pairs = NULL;
    size_t n;
    ACCD_TRY(list_updated_requests(plan, &pairs, &n));
    ACCD_TRY(accd__fuse_plan_copies(plan, pairs, n));
    ACCD_TRY(accd__fuse_plan_pointers(plan));
    return keep_updated_pointers(plan, pairs, n);
}

/* --------------------------------------------------------------------------------- 4. commit -- */

/* Returns the placement of `object` (its record in the tuples). If the object has none, makes a placement with
 * `serial`, the number of the construct that placed the object, in a reserved record. Cannot fail. */
static struct accd__placement *get_placement(struct accd__device_env *env, struct accd__object *object, uint64_t serial)
{
    assert(object);
    struct accd__placement *placement = accd__find_placement(env, object);
    if (placement)
        return placement;
    placement = accd__pool_alloc(&env->tuples.placement_pool);
    *placement = (struct accd__placement){.object = object, .serial = serial};
    accd__btree_insert(&env->tuples.placements, object->host, placement);
    env->slow_path_reasons++;
    return placement;
}

/* Returns the block (record of shared device memory) that contains the old place of a shifted object. If that memory
 * was the object's own, makes a block for it in a reserved record. Cannot fail. */
static struct accd__block *make_vacated_block(struct accd__device_env *env, const struct accd__object_shift *shift)
{
    if (shift->size & ACCD_OBJECT_SHARED)
        return accd__btree_floor(&env->present.blocks, shift->from);
    return accd__insert_block(env, &(struct accd__block){
                                       .dev = shift->from,
                                       .bytes = accd__object_bytes(shift->object),
                                       .live = 1,
                                       .host = shift->object->host,
                                       .user_owned = shift->size & ACCD_OBJECT_MAPPED,
                                   });
}

/* Sets `depth` and `jump` of a new vacated slot from the older slots below it. The links form a skew-binary list, in
 * which a search reaches any depth in O(log n) steps. */
static void set_skip_link(struct accd__vacated_slot *vacated)
{
    assert(vacated && vacated->below != vacated);
    struct accd__vacated_slot *below = vacated->below, *jump = below ? below->jump : NULL;
    bool far = jump && jump->jump && below->depth - jump->depth == jump->depth - jump->jump->depth;
    vacated->depth = below ? below->depth + 1 : 0;
    vacated->jump = far ? jump->jump : below;
}

/* Makes the old place of a shifted object the latest vacated slot of `placement` if shift->keeps_slot is set. Otherwise
 * frees the old place, and drops the object's reference to its old tuple. Cannot fail: the records are reserved.
 * Decides DIR-4.2-16. */
static void vacate_slot(struct accd__device_env *env, const struct accd__object_shift *shift,
                        struct accd__placement *placement)
{
    if (shift->keeps_slot) {
        struct accd__vacated_slot *vacated = accd__pool_alloc(&env->tuples.vacated_pool);
        *vacated = (struct accd__vacated_slot){
            .below = placement->vacated,
            .fused = placement->fused,
            .dev = shift->from,
            .serial = placement->serial,
            .shared = shift->size & ACCD_OBJECT_SHARED || !(shift->size & ACCD_OBJECT_MAPPED),
        };
        set_skip_link(vacated);
        placement->vacated = vacated;
        make_vacated_block(env, shift)->vacated++;
        return;
    }
    accd__release_fused_tuple(env, placement->fused);
    if (shift->size & ACCD_OBJECT_SHARED)
        accd__release_block(env, accd__btree_floor(&env->present.blocks, shift->from), 1);
    else
        accd__free_device_memory(env, shift->from, accd__object_bytes(shift->object));
}

/* Removes the tuples from which planned shifts move objects from the index of current tuples (env->tuples.fused). */
static void retire_tuples(struct accd__plan *plan)
{
    for (size_t i = 0; i < plan->resolved.fusion->shifts.n; i++) {
        const struct accd__placement *placement = plan->resolved.fusion->shifts.at[i].placement;
        if (!placement || !placement->fused || !placement->fused->current)
            continue;
        accd__btree_erase(&plan->env->tuples.fused, placement->fused->host);
        placement->fused->current = false;
    }
}

/* Replaces the keys of shifted objects in present.by_device, if that index is in use. */
void accd__fuse_update_device_order(struct accd__plan *plan)
{
    const struct accd__fusion *fusion = plan->resolved.fusion;
    struct accd__device_env *env = plan->env;
    if (!env->present.device_order)
        return;
    for (size_t i = 0; i < fusion->shifts.n; i++)
        accd__btree_erase(&env->present.by_device, fusion->shifts.at[i].from);
    for (size_t i = 0; i < fusion->shifts.n; i++)
        accd__btree_insert(&env->present.by_device, fusion->shifts.at[i].to, fusion->shifts.at[i].object);
}

/* Makes `fused` the tuple of `placement`, and increments the reference counts of the tuple (`places`) and of its block
 * (`live`). */
static void join_tuple(struct accd__placement *placement, struct accd__fused_tuple *fused)
{
    assert(fused && fused->block);
    placement->fused = fused;
    fused->places++;
    fused->block->live++;
}

/* True if the clause of `original` names no bytes of `object`, so that these stay holes. Such a clause is a `hold`, or
 * it only uses bytes of a storage object of which some are unnamed. `request`: request of the clause for these bytes.
 */
static bool names_no_bytes(const struct accd__plan *plan, const struct accd__original *original,
                           const struct accd__object *object, const struct accd__request *request)
{
    uint64_t end = original->host + original->bytes, last = accd__object_end(object);
    if (!(object->size & ACCD_OBJECT_STORAGE) || original->action == ACCD_ACTION_HOLD)
        return original->action == ACCD_ACTION_HOLD;
    return (request->state == ACCD_REQUEST_PRESENT || !accd__traits_of_action[original->action].creates) &&
           accd__get_named_part(plan->env, object, original->host, (end < last ? end : last) - original->host) !=
               ACCD_RANGE_CONTAINED;
}

/* Returns a copy of `prototype` in a reserved record, inserted into the placement of its object. If the rules have
 * fusion, also inserts the copy into the ring of originals with the same base. Cannot fail. */
static struct accd__original *insert_original(struct accd__plan *plan, const struct accd__original *prototype,
                                              const struct accd__request *request)
{
    struct accd__device_env *env = plan->env;
    struct accd__original *original = accd__pool_alloc(&env->tuples.original_pool);
    struct accd__object *object = NULL;
    *original = *prototype;
    (void)accd__find_object(env, original->host, &object); /* cannot fail: no pending group overlaps the object */
    original->names_no_bytes = names_no_bytes(plan, prototype, object, request);
    original->placement = get_placement(env, object, original->serial);
    original->next = original->placement->originals;
    if (original->next)
        original->next->prev = original;
    original->placement->originals = original;
    original->left = original->right = original;
    if (!plan->context->rules.fusion)
        return original;
    struct accd__original *other = accd__btree_floor(&env->tuples.bases, original->base);
    if (!other || other->base != original->base) {
        accd__btree_insert(&env->tuples.bases, original->base, original);
        return original;
    }
    original->right = other->right;
    original->left = other;
    other->right->left = original;
    other->right = original;
    return original;
}

/* Makes an original (record in the tuples) of each candidate, that is, clause of this construct; of a split clause, one
 * for each piece. `region`: region whose list of originals gets them; NULL: no region (enter data). `serial`: number of
 * the construct. Cannot fail. Decides DIR-4.2-05, DIR-4.2-06. */
static void add_originals(struct accd__plan *plan, struct accd_region *region, uint64_t serial)
{
    struct accd__fusion *fusion = plan->resolved.fusion;
    bool dynamic = plan->input.construct->kind == ACCD_KIND_ENTER_DATA;
    for (size_t i = 0; i < fusion->ncandidates; i++) {
        const struct accd__fusion_candidate *candidate = &fusion->candidates[i];
        const struct accd__request *request = &plan->resolved.requests[candidate->request];
        const struct accd__item_source *source = accd__request_source(&plan->input, request);
        struct accd__original prototype = {
            .base = candidate->base,
            .host = candidate->host,
            .bytes = candidate->bytes,
            .slot = request->slot,
            .whole = candidate->host,
            .length = candidate->bytes,
            .serial = serial,
            .order = (uint32_t)i,
            .action = request->action,
            .flags = candidate->flags,
            .dynamic = dynamic,
            .dropped = candidate->dropped,
        };
        if (source) {
            prototype.source = *source;
        } else {
            size_t row;
            const struct accd__segment *segment = accd__request_segment(&plan->input, request, &row);
            prototype.source = (struct accd__item_source){.label = segment->field->label,
                                                          .host = candidate->host,
                                                          .bytes = candidate->bytes,
                                                          .start = accd__section_start(segment, row),
                                                          .root = -1};
        }
        struct accd__original *first = NULL;
        for (size_t k = 0; k <= candidate->nmore; k++) {
            if (candidate->split) {
                request = &plan->resolved.requests[k ? candidate->more + k - 1 : candidate->request];
                prototype.host = request->host;
                prototype.bytes = request->bytes;
            }
            struct accd__original *original = insert_original(plan, &prototype, request);
            if (region) {
                original->region_slot = &region->originals[region->noriginals++];
                *original->region_slot = original;
            }
            if (first) {
                original->piece = first->piece;
                first->piece = original;
            } else {
                first = original;
            }
            original->head = first;
            /* Equal bases must not connect clauses without the knob `fusion`; only the pieces of one clause stay
             * together. Therefore the address of the clause's first piece takes the place of the base. */
            if (!plan->context->rules.fusion)
                original->base = accd__address(first);
        }
    }
}

/* Commits the planned fusion, in this order:
 * 1. Removes the old tuples of shifted objects from the index of current tuples.
 * 2. Inserts a block and a tuple (device block of several objects) for each range without cover.
 * 3. Moves the placement (record in the tuples) of each shifted object to its new tuple; its old place becomes a
 * vacated slot, or is freed.
 * 4. Gives new objects placements, and joins those in a range to the range's tuple.
 * 5. Makes an original (record) of each clause that took part.
 * `serial`: number of the construct; `region`: region that lists the originals, NULL: enter data. Cannot fail. */
void accd__fuse_commit(struct accd__plan *plan, struct accd_region *region, uint64_t serial)
{
    assert(plan->resolved.fusion && plan->resolved.fusion->nplaced == plan->resolved.fusion->nranges);
    struct accd__fusion *fusion = plan->resolved.fusion;
    struct accd__device_env *env = plan->env;
    retire_tuples(plan);
    for (size_t i = 0; i < fusion->nranges; i++) {
        struct accd__fusion_range *range = &fusion->ranges[i];
        if (range->cover)
            continue;
        struct accd__block *block =
            accd__insert_block(env, &(struct accd__block){.dev = range->place,
                                                          .bytes = range->bytes,
                                                          .host = range->host - (range->host & 15),
                                                          .padding = range->host & 15});
        range->fused = accd__pool_alloc(&env->tuples.fused_pool);
        *range->fused = (struct accd__fused_tuple){.host = range->host,
                                                   .end = range->end,
                                                   .serial = serial,
                                                   .support = serial,
                                                   .block = block,
                                                   .current = true};
        accd__btree_insert(&env->tuples.fused, range->host, range->fused);
    }
    accd__fuse_update_device_order(plan);
    for (size_t i = 0; i < fusion->shifts.n; i++) {
        const struct accd__object_shift *shift = &fusion->shifts.at[i];
        struct accd__placement *placement = get_placement(env, shift->object, 0);
        vacate_slot(env, shift, placement);
        join_tuple(placement, fusion->ranges[shift->range].fused);
        placement->serial = serial;
    }
    for (size_t i = 0; i < plan->resolved.nfresh; i++) {
        struct accd__object *object = plan->resolved.requests[plan->resolved.fresh[i]].object;
        const struct accd__fusion_range *range = find_fusion_range(plan, object->host);
        if (!range && !plan->context->rules.fusion)
            continue;
        struct accd__placement *placement = get_placement(env, object, serial);
        if (!range)
            continue;
        join_tuple(placement, range->cover ? range->cover : range->fused);
    }
    add_originals(plan, region, serial);
}

/* Frees the device memory that accd__fuse_place has allocated for ranges. */
void accd__fuse_undo(struct accd__plan *plan)
{
    const struct accd__fusion *fusion = plan->resolved.fusion;
    for (size_t i = 0; i < fusion->nplaced; i++)
        if (!fusion->ranges[i].cover)
            accd__free_device_memory(plan->env, fusion->ranges[i].place, fusion->ranges[i].bytes);
}
