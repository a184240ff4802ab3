/* bytes.c - plans the moves of requests: which bytes are transferred, without attached pointers. Input: requests with
 * states and objects. Output: the lists moves, words, descriptor_writes and clears of plan->changes. Called by entries,
 * exits and updates after their requests are resolved. Words: an attached pointer is one whose device copy holds a
 * device address. A piece is a byte range of an element that a mapping program names (accd_piece). A rowset is the set
 * of elements over which one program runs. A grid gives the elements of a section with gaps. */
#include "device/written.h"
#include "plan/change_set.h"
#include "plan/inside.h"
#include "table/find.h"

#include <assert.h>

/* Plans the part [from, to) of `move` as a separate move. Does nothing if the part is empty. Fails only without memory.
 */
static accd_status add_partial_move(struct accd__plan *plan, const struct accd__move *move, uint64_t from, uint64_t to)
{
    assert(move && from >= move->host);
    struct accd__move part = *move;
    if (from >= to)
        return ACCD_OK;
    part.host = from;
    part.dev = move->dev + (from - move->host);
    part.bytes = to - from;
    return accd__plan_add_move(plan, &part);
}

/* Plans the parts of `move` between the attached pointers in its range. With the knob `attached` = `copied`, leaves out
 * only the pointers that clauses of this construct detach. Fails only without memory. Decides TR14-4.1-06, TR14-4.1-07,
 * ACC33-att-8, TR14-A.1-04. */
static accd_status add_split_move(struct accd__plan *plan, const struct accd__move *move)
{
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach;
    const bool copied = plan->context->rules.attached == ACCD_ATTACHED_COPIED;
    uint64_t at = move->host, end = move->host + move->bytes;
    ACCD_TRY(accd__first_attachment(plan->env, at, end, &cursor, &attach));
    for (; attach; attach = accd__next_attachment(&cursor, end)) {
        if (copied && !accd__is_planned_detached(plan, attach))
            continue;
        const uint64_t after = accd__attachment_end(attach);
        ACCD_TRY(add_partial_move(plan, move, at, attach->slot));
        at = after > at ? after : at;
    }
    return add_partial_move(plan, move, at, end);
}

/* Plans to write the planned device value of `attach`, and its saved descriptor if it has one, to device address `dev`.
 * Fails only without memory. */
accd_status accd__plan_add_attached_pointer(struct accd__plan *plan, const struct accd__attachment *attach,
                                            uint64_t dev)
{
    assert(attach);
    const struct accd__saved_descriptor *descriptor = attach->descriptor;
    return accd__plan_add_pointer(plan, attach->slot, dev, accd__planned_attachment_dev(plan, attach),
                                  descriptor ? descriptor->rest : NULL, descriptor ? descriptor->bytes : 0);
}

/* Plans `move` as one transfer, attached pointers included. If it goes to the device, also plans to rewrite the
 * attached pointers that it overwrites. If it goes to the host, store_except_pointers in core/ops/commit.c leaves
 * attached pointers out when it stores the received bytes. Fails only without memory. Decides TR14-4.1-07. */
static accd_status add_reverse_move(struct accd__plan *plan, const struct accd__move *move)
{
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach;
    uint64_t end = move->host + move->bytes;
    ACCD_TRY(accd__plan_add_move(plan, move));
    ACCD_TRY(accd__first_attachment(plan->env, move->host, end, &cursor, &attach));
    for (; attach && !move->out; attach = accd__next_attachment(&cursor, end)) {
        uint64_t dev = move->dev + (attach->slot - move->host);
        ACCD_TRY(accd__plan_add_attached_pointer(plan, attach, dev));
    }
    return ACCD_OK;
}

/* Lists the pointers that a mapping program would follow, but whose section is empty (TR14-4.3-14), as pairs {host
 * address of the pointer, bytes} sorted by address. Sets *n_p to their number; if that is 0, *slots_p is unchanged.
 * Fails only without memory. */
static accd_status list_unfollowed_pointers(struct accd__plan *plan, struct accd__pair **slots_p, size_t *n_p)
{
    const struct accd_walk *walk = plan->input.walk;
    size_t most = 0, n = 0;
    for (size_t i = 0; walk && i < walk->nsegments; i++)
        if (accd__segment_is_mapped(&walk->segments[i]) && !walk->segments[i].field->in_place)
            most += walk->segments[i].rows - walk->segments[i].applied;
    *n_p = most;
    if (!most)
        return ACCD_OK;
    struct accd__pair *slots;
    ACCD_SCRATCH_ALLOC(plan->context, slots, 2 * most);
    for (size_t i = 0; i < walk->nsegments; i++) {
        const struct accd__segment *segment = &walk->segments[i];
        if (!accd__segment_is_mapped(segment) || segment->field->in_place)
            continue;
        for (size_t row = 0; row < segment->rows; row++)
            if (!accd__section_bytes(segment, row))
                slots[n++] =
                    (struct accd__pair){accd__section_slot(walk, segment, row), accd__field_slot_bytes(segment->field)};
    }
    *slots_p = accd__sort_pairs(slots, slots + most, n);
    return ACCD_OK;
}

/* Empties the list of planned moves and returns its old array, which holds *n_p moves. */
static const struct accd__move *detach_moves(struct accd__plan *plan, size_t *n_p)
{
    const struct accd__move *moves = plan->changes.moves.at;
    *n_p = plan->changes.moves.n;
    plan->changes.moves.at = NULL;
    plan->changes.moves.n = plan->changes.moves.capacity = 0;
    return moves;
}

/* Cuts pointers whose sections are empty (see list_unfollowed_pointers) out of the planned moves, because neither
 * side's value is valid on the other side. Fails only without memory. */
static accd_status cut_unfollowed_pointers(struct accd__plan *plan)
{
    struct accd__pair *slots = NULL;
    size_t nslots, n;
    ACCD_TRY(list_unfollowed_pointers(plan, &slots, &nslots));
    if (!nslots || !plan->changes.moves.n)
        return ACCD_OK;
    const struct accd__move *moves = detach_moves(plan, &n);
    for (size_t i = 0; i < n; i++) {
        uint64_t at = moves[i].host, end = moves[i].host + moves[i].bytes;
        size_t k = ACCD_UPPER_BOUND(slots, key, nslots, at);
        /* goes back to the first pointer that starts before the move and ends in its range */
        while (k && slots[k - 1].key + slots[k - 1].value > at)
            k--;
        for (; at < end; k++) {
            uint64_t stop = k < nslots && slots[k].key < end ? slots[k].key : end;
            ACCD_TRY(add_partial_move(plan, &moves[i], at, stop));
            uint64_t after = k < nslots ? slots[k].key + slots[k].value : end;
            at = after > at ? after : at;
        }
    }
    return ACCD_OK;
}

/* Replaces the planned moves by moves that leave the values of attached pointers unchanged on both sides. If
 * policy.copies_then_restores is set and the construct is not queued, moves stay whole, and the pointers are rewritten
 * afterwards. Otherwise moves are split around the pointers. Fails only without memory. */
accd_status accd__plan_keep_pointers(struct accd__plan *plan)
{
    struct accd__device_env *env = plan->env;
    ACCD_TRY(cut_unfollowed_pointers(plan));
    if (!env->attached.slots.count && !env->groups.npending_attach)
        return ACCD_OK;
    size_t n;
    const struct accd__move *moves = detach_moves(plan, &n);
    /* Pointers are restored after the move only if the construct runs now. The attachments that will exist when a queue
     * runs the moves are not known yet, so that queued moves are split. */
    const bool reverse = plan->context->policy.copies_then_restores && !plan->input.queue;
    for (size_t i = 0; i < n; i++)
        ACCD_TRY(reverse ? add_reverse_move(plan, &moves[i]) : add_split_move(plan, &moves[i]));
    return ACCD_OK;
}

/* Joins moves of one object that overlap or touch, so that each byte moves once. A joined move takes the earliest
 * position of its parts in the list. Requires that all moves have one direction. Fails only without memory. Decides
 * TR14-4.2-07. */
accd_status accd__plan_merge_moves(struct accd__plan *plan)
{
    size_t n = plan->changes.moves.n;
    if (n < 2)
        return ACCD_OK;
    struct accd__pair *pairs;
    ACCD_SCRATCH_ALLOC(plan->context, pairs, 2 * n);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct accd__pair){plan->changes.moves.at[i].host, i};
    pairs = accd__sort_pairs(pairs, pairs + n, n);
    struct accd__move *moves = plan->changes.moves.at;
    size_t current = pairs[0].value;
    bool is_merged = false;
    for (size_t i = 1; i < n; i++) {
        size_t next = pairs[i].value;
        struct accd__move *a = &moves[current], *b = &moves[next];
        if (b->host > a->host + a->bytes ||
            plan->resolved.requests[a->request].object != plan->resolved.requests[b->request].object) {
            current = next;
            continue;
        }
        uint64_t end = a->host + a->bytes;
        if (b->host + b->bytes > end)
            end = b->host + b->bytes;
        size_t first = current < next ? current : next;
        struct accd__move merged = moves[first];
        if (a->piece != b->piece || a->row != b->row)
            merged.piece = ACCD_WHOLE_REQUEST;
        merged.host = a->host;
        merged.dev = a->dev;
        merged.bytes = end - a->host;
        a->bytes = b->bytes = 0;
        moves[first] = merged;
        current = first;
        is_merged = true;
    }
    if (!is_merged)
        return ACCD_OK;
    size_t nmoves = 0;
    for (size_t i = 0; i < n; i++)
        if (moves[i].bytes)
            moves[nmoves++] = moves[i];
    plan->changes.moves.n = nmoves;
    return ACCD_OK;
}

/* Plans to fill the host range [host, end), which contains only pointers that are not followed, with the value of the
 * knob `untranslated` (TR14-4.3-15). `dev`: device address of `host`. Attached pointers in the range keep their values,
 * because the data may have been present. Fails only without memory. */
static accd_status fill_untranslated(struct accd__plan *plan, uint64_t host, uint64_t end, uint64_t dev)
{
    assert(host <= end);
    const uint8_t value = plan->context->rules.untranslated == ACCD_UNTRANSLATED_NULL ? 0 : ACCD_POISON;
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach;
    uint64_t at = host;
    ACCD_TRY(accd__first_attachment(plan->env, host, end, &cursor, &attach));
    for (; attach; attach = accd__next_attachment(&cursor, end)) {
        if (attach->slot > at)
            ACCD_TRY(accd__plan_add_fill(plan, dev + (at - host), attach->slot - at, value));
        if (accd__attachment_end(attach) > at)
            at = accd__attachment_end(attach);
    }
    return at < end ? accd__plan_add_fill(plan, dev + (at - host), end - at, value) : ACCD_OK;
}

/* Plans to set [host, end) to zero on the device if `request` has the `zero` modifier and its data are new. Does
 * nothing otherwise, or if `out` (device to host). Fails only without memory. Decides ACC33-2.7-4. */
static accd_status add_clear(struct accd__plan *plan, const struct accd__request *request, bool out, uint64_t host,
                             uint64_t end)
{
    assert(host <= end);
    const bool allocates = request->state == ACCD_REQUEST_NEW || request->state == ACCD_REQUEST_WITHIN_NEW;
    if (!out && allocates && request->flags & ACCD_ITEM_ZERO)
        ACCD_SCRATCH_APPEND(plan->context, &plan->changes.clears,
                            (struct accd__clear_range){host, accd__request_dev(plan, request, host), end - host});
    return ACCD_OK;
}

/* Removes all bytes that a planned move writes from the ranges to clear. Fails only without memory. */
accd_status accd__plan_trim_clears(struct accd__plan *plan)
{
    const size_t n = plan->changes.clears.n, nmoves = plan->changes.moves.n;
    if (!n || !nmoves)
        return ACCD_OK;
    const struct accd__clear_range *whole = plan->changes.clears.at;
    struct accd__pair *moves;
    ACCD_SCRATCH_ALLOC(plan->context, moves, 2 * nmoves);
    for (size_t i = 0; i < nmoves; i++)
        moves[i] = (struct accd__pair){plan->changes.moves.at[i].host, plan->changes.moves.at[i].bytes};
    moves = accd__sort_pairs(moves, moves + nmoves, nmoves);
    memset(&plan->changes.clears, 0, sizeof plan->changes.clears);
    for (size_t i = 0; i < n; i++) {
        uint64_t at = whole[i].host, end = at + whole[i].bytes;
        size_t k = ACCD_UPPER_BOUND(moves, key, nmoves, at);
        for (k = k ? k - 1 : 0; at < end; k++) {
            const bool is_last = k >= nmoves || moves[k].key >= end;
            const uint64_t stop = is_last ? end : moves[k].key;
            if (stop > at)
                ACCD_SCRATCH_APPEND(plan->context, &plan->changes.clears,
                                    (struct accd__clear_range){at, whole[i].dev + (at - whole[i].host), stop - at});
            const uint64_t after = is_last ? end : moves[k].key + moves[k].value;
            at = after > at ? after : at;
        }
    }
    return ACCD_OK;
}

/* Plans the moves of the pieces of the elements number `from` to `to` - 1 of `set`, as far as they lie in request
 * `index`. A piece that does not move is left alone, filled if it is a pointer that is not followed, or set to zero
 * (add_clear). `out`: device to host. Fails only without memory. */
static accd_status plan_row_pieces(struct accd__plan *plan, uint32_t index, const struct accd__rowset *set, size_t from,
                                   size_t to, bool out)
{
    assert(set && from <= to && to <= set->rows);
    const struct accd__request *request = &plan->resolved.requests[index];
    const accd_program_spec *spec = &set->program->spec;
    const bool is_filled = plan->context->rules.untranslated != ACCD_UNTRANSLATED_HOST;
    bool update = plan->input.construct->kind == ACCD_KIND_UPDATE;
    for (size_t row = from; row < to; row++) {
        uint64_t at = accd__row_address(set, row);
        for (size_t p = 0; p < spec->npieces; p++) {
            const accd_piece *piece = &spec->pieces[p];
            uint64_t host = at + piece->offset, end = host + piece->bytes;
            if (host < request->host) /* cuts the piece at the request, which may be a part of its item */
                host = request->host;
            if (end > request->host + request->bytes)
                end = request->host + request->bytes;
            if (host >= end)
                continue;
            uint64_t dev = accd__request_dev(plan, request, host);
            const struct accd__action_traits *demand =
                &accd__traits_of_action[accd__effective_action(piece->action, piece->init, request->action)];
            if (piece->entry_only && (out || update))
                continue;
            if (piece->action != ACCD_ACTION_INHERIT && request->state != ACCD_REQUEST_FILLS_HOLE &&
                accd__request_updates_present(request) && !(request->flags & ACCD_ITEM_ALWAYS_IN))
                continue; /* ACCD_ITEM_UPDATE_PRESENT applies only to pieces that inherit the action of their object */
            if (piece->entry_only && is_filled) {
                ACCD_TRY(fill_untranslated(plan, host, end, dev));
                continue;
            }
            if (out ? !demand->out : !demand->in) {
                ACCD_TRY(add_clear(plan, request, out, host, end));
                continue;
            }
            ACCD_TRY(accd__plan_add_move(
                plan, &(struct accd__move){host, dev, end - host, index, (uint32_t)p, (uint32_t)row, out}));
        }
    }
    return ACCD_OK;
}

/* Returns the rowset with the elements of `request`, which are its elements number *from to *to - 1. NULL: the data of
 * the request are plain, and *from and *to are unchanged. */
const struct accd__rowset *accd__request_elements(const struct accd__plan *plan, const struct accd__request *request,
                                                  size_t *from, size_t *to)
{
    const struct accd_walk *walk = plan->input.walk;
    const struct accd__item_source *source = accd__request_source(&plan->input, request);
    if (!walk || (source && source->root < 0))
        return NULL;
    size_t row = 0;
    const struct accd__segment *segment = source ? NULL : accd__request_segment(&plan->input, request, &row);
    if (segment && !segment->field->child)
        return NULL;
    const struct accd__rowset *set =
        &walk->rowsets[segment ? (size_t)segment->elements : walk->roots[source->root].rowset];
    *from = set->owner ? 0 : row * set->per;
    *to = *from + set->per;
    if (set->owner) {
        for (size_t end = set->rows; *from < end;) { /* binary search: owners are in ascending order */
            size_t middle = *from + (end - *from) / 2;
            if (set->owner[middle] < row)
                *from = middle + 1;
            else
                end = middle;
        }
        for (*to = *from; *to < set->rows && set->owner[*to] == row;)
            ++*to;
    }
    return set;
}

/* Plans the moves of request `index`: one move of all bytes, one move for each element of a section with gaps, or the
 * pieces of its mapping program. If its action copies nothing in this direction, new bytes may be set to zero
 * (add_clear). Does nothing if request->moves_nothing is set. `out`: device to host. Fails only without memory. */
accd_status accd__plan_request_moves(struct accd__plan *plan, uint32_t index, bool out)
{
    assert(index < plan->resolved.nrequests);
    const struct accd__request *request = &plan->resolved.requests[index];
    size_t from = 0, to = 0;
    if (request->moves_nothing || !request->bytes)
        return ACCD_OK;
    const struct accd__rowset *set = plan->input.walk ? accd__request_elements(plan, request, &from, &to) : NULL;
    if (set && !accd__moves_as_one_piece(set->program, request->action, out))
        return plan_row_pieces(plan, index, set, from, to, out);
    const struct accd__action_traits *demand = &accd__traits_of_action[request->action];
    struct accd__grid grid;
    if (out ? !demand->out : !demand->in)
        return add_clear(plan, request, out, request->host, request->host + request->bytes);
    if (accd__request_grid(plan, request, &grid))
        return accd__plan_grid_moves(plan, index, &grid, out);
    return accd__plan_add_move(plan,
                               &(struct accd__move){request->host, accd__request_dev(plan, request, request->host),
                                                    request->bytes, index, ACCD_WHOLE_REQUEST, 0, out});
}

/* Returns the value that the host pointer of `attach` has now. If its host memory may not be read, or the pointer lies
 * in a descriptor that stays attached, returns the value with which it was attached. */
static uint64_t host_pointer_value(const struct accd__plan *plan, const struct accd__attachment *attach)
{
    const struct accd__attachment *enclosing = accd__descriptor_attachment(plan->env, attach);
    return accd__is_host_accessible(plan->context, attach->slot, sizeof(void *)) &&
                   !(enclosing && accd__planned_attach_count(plan, enclosing))
               ? accd__load_pointer(attach->slot)
               : attach->target;
}

/* Plans to write the host value of the pointer of `attach` to its device copy at `dev`. If a descriptor is attached,
 * writes all of it: from the host or, if its host memory may not be read, from the saved copy. Fails only without
 * memory. Decides FLANG-detach-1, FLANG-detach-2, ACC33-det-1. */
accd_status accd__plan_restore_pointer(struct accd__plan *plan, const struct accd__attachment *attach, uint64_t dev)
{
    assert(attach);
    const struct accd__saved_descriptor *descriptor = attach->descriptor;
    const char *rest = descriptor ? descriptor->rest : NULL;
    if (descriptor && accd__is_host_accessible(plan->context, attach->slot, descriptor->bytes))
        rest = (const char *)accd__pointer(attach->slot) + sizeof(void *);
    return accd__plan_add_pointer(plan, attach->slot, dev, host_pointer_value(plan, attach), rest,
                                  descriptor ? descriptor->bytes : 0);
}
