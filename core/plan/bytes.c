/* bytes.c - the bytes that claims ask for become moves: attached pointers are cut out, what overlaps is joined. */
#include "plan/inside.h"
#include "device/written.h"
#include "plan/ledger.h"

/* Of a move the part from one host address to another, if there is any. */
static accd_status plan_part(struct accd_plan *plan, const struct accd_move *move, uint64_t from, uint64_t to)
{
    struct accd_move part = *move;
    if (from >= to)
        return ACCD_OK;
    part.host = from;
    part.dev = move->dev + (from - move->host);
    part.bytes = to - from;
    return accd_plan_move(plan, &part);
}

/* Cuts one move at the attached pointers in it, in place of the move itself.
 * Decides TR14-4.1-06, TR14-4.1-07, ACC33-att-8, TR14-A.1-04. */
static accd_status split_move(struct accd_plan *plan, const struct accd_move *move)
{
    struct accd_range_cursor cursor;
    struct accd_attach *attach;
    const bool copied = plan->context->rules.attached == ACCD_ATTACHED_COPIED;
    uint64_t at = move->host, end = move->host + move->bytes;
    ACCD_TRY(accd_first_attach(plan->dir, at, end, &cursor, &attach));
    for (; attach; attach = accd_next_attach(&cursor, end)) {
        if (copied && !accd_is_detached(plan, attach))
            continue;
        const uint64_t after = accd_attach_end(attach);
        ACCD_TRY(plan_part(plan, move, at, attach->slot));
        at = after > at ? after : at;
    }
    return plan_part(plan, move, at, end);
}

accd_status accd_plan_attached(struct accd_plan *plan, const struct accd_attach *attach, uint64_t dev)
{
    const struct accd_kept_descriptor *kept = attach->descriptor;
    return accd_plan_pointer(plan, attach->slot, dev, accd_attach_dev(plan, attach), kept ? kept->rest : NULL,
                             kept ? kept->bytes : 0);
}

/* The other way: everything goes in one transfer, and what it overwrites of the device's pointers is
 * written again; on the way to the host they are left out when the bytes are stored.
 * Decides TR14-4.1-07. */
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

/* Pointers that are followed but point to nothing this time (TR14-4.3-14), by address. */
static accd_status loose_pointers(struct accd_plan *plan, struct accd_pair **slots_p, size_t *n_p)
{
    const struct accd_walk *walk = plan->given.walk;
    size_t most = 0, n = 0;
    for (size_t i = 0; walk && i < walk->nsegments; i++)
        if (accd_segment_maps(&walk->segments[i]) && !walk->segments[i].field->in_place)
            most += walk->segments[i].rows - walk->segments[i].applied;
    *n_p = most;
    if (!most)
        return ACCD_OK;
    struct accd_pair *slots;
    ACCD_TAKE(plan->context, slots, 2 * most);
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

/* The moves there are, to be planned anew. */
static const struct accd_move *take_moves(struct accd_plan *plan, size_t *n_p)
{
    const struct accd_move *moves = plan->result.moves.at;
    *n_p = plan->result.moves.n;
    plan->result.moves.at = NULL;
    plan->result.moves.n = plan->result.moves.room = 0;
    return moves;
}

/* Neither side's value of them is any good on the other: they are cut out of the moves. */
static accd_status leave_loose_pointers(struct accd_plan *plan)
{
    struct accd_pair *slots = NULL;
    size_t nslots, n;
    ACCD_TRY(loose_pointers(plan, &slots, &nslots));
    if (!nslots || !plan->result.moves.n)
        return ACCD_OK;
    const struct accd_move *moves = take_moves(plan, &n);
    for (size_t i = 0; i < n; i++) {
        uint64_t at = moves[i].host, end = moves[i].host + moves[i].bytes;
        size_t k = ACCD_FIRST_ABOVE(slots, key, nslots, at);
        while (k && slots[k - 1].key + slots[k - 1].value > at) /* it reaches behind the start */
            k--;
        for (; at < end; k++) {
            uint64_t stop = k < nslots && slots[k].key < end ? slots[k].key : end;
            ACCD_TRY(plan_part(plan, &moves[i], at, stop));
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
    if (!dir->attached.slots.count && !dir->groups.npending_attach)
        return ACCD_OK;
    size_t n;
    const struct accd_move *moves = take_moves(plan, &n);
    /* what is attached when a queue gets there is not known */
    const bool reverse = plan->context->verdicts.reverses && !plan->given.queue;
    for (size_t i = 0; i < n; i++)
        ACCD_TRY(reverse ? reverse_move(plan, &moves[i]) : split_move(plan, &moves[i]));
    return ACCD_OK;
}

/* Among moves of one object in one direction, each byte moves once. The order stays that of the
 * first clause that asked.
 * Decides TR14-4.2-07. */
accd_status accd_plan_merge(struct accd_plan *plan)
{
    size_t n = plan->result.moves.n;
    if (n < 2)
        return ACCD_OK;
    struct accd_pair *pairs;
    ACCD_TAKE(plan->context, pairs, 2 * n);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct accd_pair){plan->result.moves.at[i].host, i};
    pairs = accd_sort_pairs(pairs, pairs + n, n);
    struct accd_move *moves = plan->result.moves.at;
    size_t current = pairs[0].value;
    bool joined = false;
    for (size_t i = 1; i < n; i++) {
        size_t next = pairs[i].value;
        struct accd_move *a = &moves[current], *b = &moves[next];
        if (b->host > a->host + a->bytes ||
            plan->found.claims[a->claim].object != plan->found.claims[b->claim].object) {
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
    plan->result.moves.n = kept;
    return ACCD_OK;
}

/* Pointers that are not followed get a value on the device (TR14-4.3-15), but for those that are attached: data that
 * are present may be sent again. */
static accd_status fill_pointers(struct accd_plan *plan, uint64_t host, uint64_t end, uint64_t dev)
{
    const uint8_t value = plan->context->rules.untranslated == ACCD_AS_NULL ? 0 : ACCD_POISON;
    struct accd_range_cursor cursor;
    struct accd_attach *attach;
    uint64_t at = host;
    ACCD_TRY(accd_first_attach(plan->dir, host, end, &cursor, &attach));
    for (; attach; attach = accd_next_attach(&cursor, end)) {
        if (attach->slot > at)
            ACCD_TRY(accd_plan_fill(plan, dev + (at - host), attach->slot - at, value));
        if (accd_attach_end(attach) > at)
            at = accd_attach_end(attach);
    }
    return at < end ? accd_plan_fill(plan, dev + (at - host), end - at, value) : ACCD_OK;
}

/* What zero says of bytes that an entry allocates and does not copy.
 * Decides ACC33-2.7-4. */
static accd_status clear(struct accd_plan *plan, const struct accd_claim *claim, bool out, uint64_t host,
                         uint64_t end)
{
    const bool allocates = claim->state == ACCD_CLAIM_NEW || claim->state == ACCD_CLAIM_WITHIN;
    if (!out && allocates && claim->flags & ACCD_ITEM_ZERO)
        ACCD_ADD(plan->context, &plan->result.clears,
                 (struct accd_clear){host, accd_claim_dev(plan, claim, host), end - host});
    return ACCD_OK;
}

accd_status accd_plan_clears(struct accd_plan *plan)
{
    const size_t n = plan->result.clears.n, nmoves = plan->result.moves.n;
    if (!n || !nmoves)
        return ACCD_OK;
    const struct accd_clear *whole = plan->result.clears.at;
    struct accd_pair *moves;
    ACCD_TAKE(plan->context, moves, 2 * nmoves);
    for (size_t i = 0; i < nmoves; i++)
        moves[i] = (struct accd_pair){plan->result.moves.at[i].host, plan->result.moves.at[i].bytes};
    moves = accd_sort_pairs(moves, moves + nmoves, nmoves);
    memset(&plan->result.clears, 0, sizeof plan->result.clears);
    for (size_t i = 0; i < n; i++) {
        uint64_t at = whole[i].host, end = at + whole[i].bytes;
        size_t k = ACCD_FIRST_ABOVE(moves, key, nmoves, at);
        for (k = k ? k - 1 : 0; at < end; k++) {
            const bool is_last = k >= nmoves || moves[k].key >= end;
            const uint64_t stop = is_last ? end : moves[k].key;
            if (stop > at)
                ACCD_ADD(plan->context, &plan->result.clears,
                         (struct accd_clear){at, whole[i].dev + (at - whole[i].host), stop - at});
            const uint64_t after = is_last ? end : moves[k].key + moves[k].value;
            at = after > at ? after : at;
        }
    }
    return ACCD_OK;
}

static accd_status pieces_of_rows(struct accd_plan *plan, uint32_t index,
                                  const struct accd_rowset *set, size_t from, size_t to, bool out)
{
    const struct accd_claim *claim = &plan->found.claims[index];
    const accd_program_spec *spec = &set->program->spec;
    const bool is_filled = plan->context->rules.untranslated != ACCD_AS_HOST;
    bool update = plan->given.construct->kind == ACCD_UPDATE;
    for (size_t row = from; row < to; row++) {
        uint64_t at = accd_row_address(set, row);
        for (size_t p = 0; p < spec->npieces; p++) {
            const accd_piece *piece = &spec->pieces[p];
            uint64_t host = at + piece->offset, end = host + piece->bytes;
            if (host < claim->host) /* a claim may be a part of its item */
                host = claim->host;
            if (end > claim->host + claim->bytes)
                end = claim->host + claim->bytes;
            if (host >= end)
                continue;
            uint64_t dev = accd_claim_dev(plan, claim, host);
            const struct accd_demand *demand =
                &accd_demands[accd_effective(piece->action, piece->init, claim->action)];
            if (piece->entry_only && (out || update))
                continue;
            if (piece->action != ACCD_INHERIT && claim->state != ACCD_CLAIM_FILLS && accd_claim_refreshes(claim) &&
                !(claim->flags & ACCD_ITEM_ALWAYS_IN))
                continue; /* that is not what it asks for */
            if (piece->entry_only && is_filled) {
                ACCD_TRY(fill_pointers(plan, host, end, dev));
                continue;
            }
            if (out ? !demand->out : !demand->in) {
                ACCD_TRY(clear(plan, claim, out, host, end));
                continue;
            }
            ACCD_TRY(accd_plan_move(
                plan, &(struct accd_move){host, dev, end - host, index, (uint32_t)p,
                                          (uint32_t)row, out}));
        }
    }
    return ACCD_OK;
}

/* The elements of a claim that is walked, or NULL. */
const struct accd_rowset *accd_elements_of(const struct accd_plan *plan,
                                           const struct accd_claim *claim, size_t *from,
                                           size_t *to)
{
    const struct accd_walk *walk = plan->given.walk;
    const struct accd_source *source = accd_claim_source(&plan->given, claim);
    if (!walk || (source && source->root < 0))
        return NULL;
    size_t row = 0;
    const struct accd_segment *segment = source ? NULL : accd_claim_segment(&plan->given, claim, &row);
    if (segment && !segment->field->child)
        return NULL;
    const struct accd_rowset *set =
        &walk->rowsets[segment ? (size_t)segment->elements : walk->roots[source->root].rowset];
    *from = set->owner ? 0 : row * set->per;
    *to = *from + set->per;
    if (set->owner) {
        for (size_t end = set->rows; *from < end;) { /* owners ascend */
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

accd_status accd_plan_own_bytes(struct accd_plan *plan, uint32_t index, bool out)
{
    const struct accd_claim *claim = &plan->found.claims[index];
    size_t from = 0, to = 0;
    if (claim->still || !claim->bytes)
        return ACCD_OK;
    const struct accd_rowset *set = plan->given.walk ? accd_elements_of(plan, claim, &from, &to) : NULL;
    if (set && !accd_moves_whole(set->program, claim->action, out))
        return pieces_of_rows(plan, index, set, from, to, out);
    const struct accd_demand *demand = &accd_demands[claim->action];
    struct accd_grid grid;
    if (out ? !demand->out : !demand->in)
        return clear(plan, claim, out, claim->host, claim->host + claim->bytes);
    if (accd_claim_grid(plan, claim, &grid))
        return accd_plan_grid(plan, index, &grid, out);
    return accd_plan_move(plan, &(struct accd_move){claim->host, accd_claim_dev(plan, claim, claim->host),
                                                    claim->bytes, index, ACCD_WHOLE, 0, out});
}

/* What the pointer is on the host, or was, if its memory is there no more, or if it lies in a descriptor that stays
 * attached as it was. */
static uint64_t host_pointer(const struct accd_plan *plan, const struct accd_attach *attach)
{
    const struct accd_attach *around = accd_attach_around(plan->dir, attach);
    return accd_host_usable(plan->context, attach->slot, sizeof(void *)) &&
                   !(around && accd_attach_left(plan, around))
               ? accd_load_pointer(attach->slot)
               : attach->target;
}

/* Decides FLANG-detach-1, FLANG-detach-2, ACC33-det-1. */
accd_status accd_restore_pointer(struct accd_plan *plan, const struct accd_attach *attach, uint64_t dev)
{
    const struct accd_kept_descriptor *kept = attach->descriptor;
    const char *rest = kept ? kept->rest : NULL;
    if (kept && accd_host_usable(plan->context, attach->slot, kept->bytes))
        rest = (const char *)accd_pointer(attach->slot) + sizeof(void *);
    return accd_plan_pointer(plan, attach->slot, dev, host_pointer(plan, attach), rest,
                             kept ? kept->bytes : 0);
}
