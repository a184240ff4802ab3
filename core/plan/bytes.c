/* bytes.c - what is to move becomes what moves: attached pointers are cut out, what overlaps is joined. */
#include "core.h"

/* Cuts one move at the attached pointers in it, in place of the move itself. */
static accd_status split_move(struct accd_plan *plan, const struct accd_move *move)
{
    struct accd_range_cursor cursor;
    struct accd_attach *attach;
    const bool copied = plan->context->rules.attached == ACCD_ATTACHED_COPIED;
    uint64_t at = move->host, end = move->host + move->bytes;
    ACCD_TRY(accd_first_attach(plan->dir, at, end, &cursor, &attach));
    for (; attach; attach = accd_next_attach(&cursor, end)) {
        if (copied && attach->count)
            continue;
        struct accd_move part = *move;
        uint64_t stop = attach->slot, after = accd_attach_end(attach);
        part.host = at;
        part.dev = move->dev + (at - move->host);
        part.bytes = stop > at ? stop - at : 0;
        if (part.bytes)
            ACCD_TRY(accd_plan_move(plan, &part));
        at = after > at ? after : at;
    }
    if (at < end) {
        struct accd_move part = *move;
        part.host = at;
        part.dev = move->dev + (at - move->host);
        part.bytes = end - at;
        ACCD_TRY(accd_plan_move(plan, &part));
    }
    return ACCD_OK;
}

accd_status accd_plan_attached(struct accd_plan *plan, const struct accd_attach *attach, uint64_t dev)
{
    const struct accd_dope *dope = attach->dope;
    return accd_plan_pointer(plan, attach->slot, dev, attach->dev, dope ? dope->rest : NULL,
                             dope ? dope->bytes : 0);
}

/* The other way: everything goes in one transfer, and what it overwrites of the device's pointers is
 * written again; on the way to the host they are left out when the bytes are stored. */
static accd_status reverse_move(struct accd_plan *plan, const struct accd_move *move)
{
    struct accd_range_cursor cursor;
    struct accd_attach *attach;
    uint64_t end = move->host + move->bytes;
    ACCD_TRY(accd_plan_move(plan, move));
    ACCD_TRY(accd_first_attach(plan->dir, move->host, end, &cursor, &attach));
    for (; attach && !move->out; attach = accd_next_attach(&cursor, end)) {
        uint64_t dev = move->dev + (attach->slot - move->host);
        ACCD_TRY(accd_plan_attached(plan, attach, dev));
    }
    return ACCD_OK;
}

/* Pointers that are followed but lead to nothing this time (TR14-4.3-14), by address. */
static accd_status loose_pointers(struct accd_plan *plan, struct accd_pair **slots_p, size_t *n_p)
{
    const struct accd_walk *walk = plan->walk;
    size_t most = 0, n = 0;
    for (size_t i = 0; walk && i < walk->nsegments; i++)
        if (accd_segment_maps(&walk->segments[i]) && !walk->segments[i].field->in_place)
            most += walk->segments[i].rows - walk->segments[i].applied;
    *n_p = most;
    if (!most)
        return ACCD_OK;
    struct accd_pair *slots = accd_scratch_take(&plan->context->scratch, 2 * most * sizeof *slots);
    if (!slots)
        return accd_plan_no_memory(plan->context);
    for (size_t i = 0; i < walk->nsegments; i++) {
        const struct accd_segment *segment = &walk->segments[i];
        if (!accd_segment_maps(segment) || segment->field->in_place)
            continue;
        for (size_t row = 0; row < segment->rows; row++)
            if (!accd_section_bytes(segment, row))
                slots[n++] = (struct accd_pair){accd_section_slot(walk, segment, row),
                                                accd_field_slot_bytes(segment->field)};
    }
    *slots_p = accd_sort_pairs(slots, slots + most, n);
    return ACCD_OK;
}

/* Neither side's value of them is any good on the other: they are cut out of the moves. */
static accd_status leave_loose_pointers(struct accd_plan *plan)
{
    struct accd_pair *slots = NULL;
    size_t nslots, n = plan->nmoves;
    struct accd_move *moves = plan->moves;
    ACCD_TRY(loose_pointers(plan, &slots, &nslots));
    if (!nslots || !n)
        return ACCD_OK;
    plan->moves = NULL;
    plan->nmoves = plan->moves_room = 0;
    for (size_t i = 0; i < n; i++) {
        struct accd_move part = moves[i];
        uint64_t at = part.host, end = part.host + part.bytes;
        size_t k = 0;
        for (size_t high = nslots; k < high;) { /* the first one that reaches behind its start */
            size_t middle = k + (high - k) / 2;
            if (slots[middle].key + slots[middle].value <= at)
                k = middle + 1;
            else
                high = middle;
        }
        for (; at < end; k++) {
            uint64_t stop = k < nslots && slots[k].key < end ? slots[k].key : end;
            part.host = at;
            part.dev = moves[i].dev + (at - moves[i].host);
            part.bytes = stop > at ? stop - at : 0;
            if (part.bytes)
                ACCD_TRY(accd_plan_move(plan, &part));
            uint64_t after = k < nslots ? slots[k].key + slots[k].value : end;
            at = after > at ? after : at;
        }
    }
    return ACCD_OK;
}

accd_status accd_plan_keep_pointers(struct accd_plan *plan)
{
    struct accd_directory *dir = plan->dir;
    ACCD_TRY(leave_loose_pointers(plan));
    if (!dir->slots.count && !dir->npending_attach)
        return ACCD_OK;
    struct accd_move *moves = plan->moves;
    size_t n = plan->nmoves;
    plan->moves = NULL;
    plan->nmoves = plan->moves_room = 0;
    const accd_rules *rules = &plan->context->rules;
    bool reverse = rules->update == ACCD_UPDATE_REVERSE && rules->attached == ACCD_ATTACHED_KEPT &&
                   !plan->queue; /* what is attached when a queue gets there is not known */
    for (size_t i = 0; i < n; i++)
        ACCD_TRY(reverse ? reverse_move(plan, &moves[i]) : split_move(plan, &moves[i]));
    return ACCD_OK;
}

/* Among moves of one object in one direction, each byte moves once. The order stays that of the
 * first clause that asked. */
accd_status accd_plan_merge(struct accd_plan *plan)
{
    size_t n = plan->nmoves;
    if (n < 2)
        return ACCD_OK;
    struct accd_pair *pairs = accd_scratch_take(&plan->context->scratch, 2 * n * sizeof *pairs);
    if (!pairs)
        return accd_plan_no_memory(plan->context);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct accd_pair){plan->moves[i].host, i};
    pairs = accd_sort_pairs(pairs, pairs + n, n);
    struct accd_move *moves = plan->moves;
    size_t current = pairs[0].value;
    bool joined = false;
    for (size_t i = 1; i < n; i++) {
        size_t next = pairs[i].value;
        struct accd_move *a = &moves[current], *b = &moves[next];
        if (b->host > a->host + a->bytes ||
            plan->claims[a->claim].object != plan->claims[b->claim].object) {
            current = next;
            continue;
        }
        uint64_t end = a->host + a->bytes;
        if (b->host + b->bytes > end)
            end = b->host + b->bytes;
        size_t first = current < next ? current : next;
        struct accd_move both = moves[first];
        if (a->piece != b->piece || a->row != b->row)
            both.piece = ACCD_WHOLE;
        both.host = a->host;
        both.dev = a->dev;
        both.bytes = end - a->host;
        a->bytes = b->bytes = 0;
        moves[first] = both;
        current = first;
        joined = true;
    }
    if (!joined)
        return ACCD_OK;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (moves[i].bytes)
            moves[kept++] = moves[i];
    plan->nmoves = kept;
    return ACCD_OK;
}
