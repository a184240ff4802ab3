/* claims.c - claims: their names, their errors, how they are cut, and what is to be moved and written for them.
 * Nothing here changes anything but the plan: a construct that must fail fails before it touches the device, a
 * counter or the host. */
#include "plan/inside.h"
#include "plan/ledger.h"
#include "table/name.h"

#include <stdarg.h>
#include <stdio.h>

/* ------------------------------------------------------------------------------------ names -- */

const struct accd_source *accd_claim_source(const struct accd_given *given, const struct accd_claim *claim)
{
    return claim->source & ACCD_CLAIM_WALKED ? NULL : &given->sources[claim->source];
}

const struct accd_segment *accd_claim_segment(const struct accd_given *given, const struct accd_claim *claim,
                                              size_t *row_p)
{
    return accd_walk_locate(given->walk, claim->source & ~ACCD_CLAIM_WALKED, row_p);
}

static const accd_field *field_of(const struct accd_given *given, const struct accd_claim *claim)
{
    size_t row;
    return accd_claim_segment(given, claim, &row)->field;
}

size_t accd_claim_item(const struct accd_given *given, const struct accd_claim *claim)
{
    size_t row;
    if (!(claim->source & ACCD_CLAIM_WALKED))
        return claim->source;
    return accd_section_root(given->walk, accd_claim_segment(given, claim, &row))->item;
}

const accd_label *accd_claim_label(const struct accd_given *given, const struct accd_claim *claim)
{
    const struct accd_source *source = accd_claim_source(given, claim);
    return source ? source->label : field_of(given, claim)->label;
}

const accd_program *accd_claim_program(const struct accd_given *given, const struct accd_claim *claim)
{
    if (!(claim->source & ACCD_CLAIM_WALKED))
        return given->construct->items[claim->source].program;
    return field_of(given, claim)->child;
}

void accd_name_claim(const struct accd_given *given, const struct accd_claim *claim, char *to, size_t room)
{
    const struct accd_source *source = accd_claim_source(given, claim);
    if (source)
        accd_name_source(source, claim->host, claim->bytes, to, room);
    else
        accd_name_section(given->walk, claim->source & ~ACCD_CLAIM_WALKED, to, room);
}

void accd_name_claim_slot(const struct accd_given *given, const struct accd_claim *claim, char *to,
                          size_t room)
{
    const struct accd_source *source = accd_claim_source(given, claim);
    if (source)
        accd_name_pointer(source->label, source->index, to, room);
    else
        accd_name_row_slot(given->walk, claim->source & ~ACCD_CLAIM_WALKED, to, room);
}

accd_status accd_claim_error(const struct accd_plan *plan, const struct accd_claim *claim,
                             const struct accd_object *other, accd_status status,
                             enum accd_rule rule, const char *format, ...)
{
    accd_error *error = &plan->context->error;
    char text[sizeof error->message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    accd_object_info in_the_way = {0};
    if (other)
        accd_describe_object(plan->dir, other, &in_the_way);
    accd_fail(plan->context, status, rule, "%s", text);
    error->other = in_the_way;
    if (!claim)
        return status;
    accd_name_claim(&plan->given, claim, error->asked.name, sizeof error->asked.name);
    error->asked.host = claim->host;
    error->asked.bytes = claim->bytes;
    error->item = accd_claim_item(&plan->given, claim);
    return accd_name_asked(plan->context);
}

/* Decides ACC33-att-10. */
bool accd_pointer_counts(const struct accd_plan *plan, const struct accd_claim *claim)
{
    return plan->context->rules.member == ACCD_MEMBER_COUNTED || accd_object_bytes(claim->object) <= claim->bytes;
}

bool accd_claim_is_part(const struct accd_plan *plan, const struct accd_claim *claim)
{
    return !(claim->source & ACCD_CLAIM_WALKED) &&
           (claim->flags & ACCD_ITEM_POINTER || plan->given.construct->items[claim->source].frame);
}

/* Decides OMP60-map-4. */
void accd_plan_together(struct accd_plan *plan)
{
    struct accd_claim *claims = plan->found.claims;
    for (int whole = 0; whole <= 1; whole++) /* a structure itself counts with its members */
        for (size_t i = 0; i < plan->found.nclaims; i++) {
            struct accd_object *object = claims[i].object;
            if (!object || claims[i].flags & (ACCD_ITEM_UNCOUNTED | ACCD_ITEM_FINAL) ||
                accd_claim_is_part(plan, &claims[i]) == whole ||
                (whole && (claims[i].slot || claims[i].source & ACCD_CLAIM_WALKED)))
                continue;
            if (object->size & ACCD_OBJECT_TOUCHED)
                claims[i].flags |= ACCD_ITEM_UNCOUNTED;
            else if (!whole)
                object->size |= ACCD_OBJECT_TOUCHED;
        }
    for (size_t i = 0; i < plan->found.nclaims; i++)
        if (claims[i].object)
            claims[i].object->size &= ~ACCD_OBJECT_TOUCHED;
}

/* ------------------------------------------------------------------------------------ moves -- */

accd_status accd_plan_move(struct accd_plan *plan, const struct accd_move *move)
{
    ACCD_ADD(plan->context, &plan->result.moves, *move);
    return ACCD_OK;
}

accd_status accd_plan_word(struct accd_plan *plan, uint64_t dev, uint64_t value)
{
    ACCD_ADD(plan->context, &plan->result.words, (struct accd_word){dev, value, sizeof value});
    return ACCD_OK;
}

accd_status accd_plan_fill(struct accd_plan *plan, uint64_t dev, uint64_t bytes, uint8_t value)
{
    struct accd_word word = {.bytes = sizeof word.value};
    memset(&word.value, value, sizeof word.value);
    for (uint64_t at = 0; at < bytes; at += word.bytes) {
        word.dev = dev + at;
        if (bytes - at < word.bytes)
            word.bytes = (uint32_t)(bytes - at);
        ACCD_ADD(plan->context, &plan->result.words, word);
    }
    return ACCD_OK;
}

accd_status accd_plan_pointer(struct accd_plan *plan, uint64_t slot, uint64_t dev, uint64_t value,
                              const void *rest, uint32_t bytes)
{
    if (!rest)
        return accd_plan_word(plan, dev, value);
    const struct accd_attach *inner = accd_attach_inside(plan->dir, slot, bytes);
    ACCD_ADD(plan->context, &plan->result.rests,
             (struct accd_rest){dev, value, rest, bytes - (uint32_t)sizeof value});
    return inner && accd_attach_left(plan, inner)
               ? accd_plan_word(plan, dev + (inner->slot - slot), accd_attach_dev(plan, inner))
               : ACCD_OK;
}

/* Decides ACC33-att-9. */
uint32_t accd_claim_slot_bytes(const struct accd_given *given, const struct accd_claim *claim)
{
    const struct accd_source *source = accd_claim_source(given, claim);
    return source ? source->slot_bytes : field_of(given, claim)->slot_bytes;
}

static bool room_for_claims(struct accd_plan *plan, size_t more)
{
    size_t need = plan->found.nclaims + more;
    if (need <= plan->found.claims_room)
        return true;
    need *= 2;
    struct accd_claim *grown =
        accd_scratch_take(&plan->context->scratch, need * sizeof plan->found.claims[0]);
    if (!grown)
        return false;
    memcpy(grown, plan->found.claims, plan->found.nclaims * sizeof grown[0]);
    plan->found.claims = grown;
    plan->found.claims_room = need;
    return true;
}

accd_status accd_claim_cut(struct accd_plan *plan, uint32_t index, struct accd_object *held)
{
    const struct accd_claim whole = plan->found.claims[index];
    const uint64_t end = whole.host + whole.bytes;
    for (uint64_t at = whole.host, stop; at < end; at = stop) {
        struct accd_range_cursor cursor;
        struct accd_object *object = held ? held : accd_first_behind(plan->dir, at, &cursor);
        const bool first = at == whole.host;
        bool there = object && object->host <= at;
        stop = held || !object ? end : there ? accd_object_end(object) : object->host;
        stop = stop < end ? stop : end;
        if (held)
            there = accd_named_at(plan->dir, held, at, &stop);
        if (!first && !room_for_claims(plan, 1))
            return accd_plan_no_memory(plan->context);
        struct accd_claim *claim = &plan->found.claims[first ? index : plan->found.nclaims++];
        *claim = whole;
        claim->host = at;
        claim->bytes = stop - at;
        if (there || held) {
            claim->state = there ? ACCD_CLAIM_PRESENT : ACCD_CLAIM_FILLS;
            claim->object = object;
        }
        if (first)
            continue;
        claim->slot = 0; /* of all pieces the first one attaches the pointer, or detaches it ... */
        claim->attached = false;
        if (held) /* ... and counts the object */
            claim->flags |= ACCD_ITEM_UNCOUNTED;
    }
    return ACCD_OK;
}

/* The first claim in plan->found.fresh with a byte in [host, host + bytes), or NULL. */
struct accd_claim *accd_fresh_in(const struct accd_plan *plan, uint64_t host, uint64_t bytes)
{
    size_t low = 0, high = plan->found.nfresh;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct accd_claim *claim = &plan->found.claims[plan->found.fresh[middle]];
        if (claim->host + claim->bytes <= host)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == plan->found.nfresh)
        return NULL;
    struct accd_claim *claim = &plan->found.claims[plan->found.fresh[low]];
    return claim->host < host + bytes ? claim : NULL;
}

accd_status accd_overlap_error(const struct accd_plan *plan, const struct accd_claim *claim,
                               const struct accd_claim *owner)
{
    char name[sizeof plan->context->error.other.name];
    accd_name_claim(&plan->given, owner, name, sizeof name);
    const bool later = plan->context->rules.counting == ACCD_COUNT_ITEMS && claim > owner &&
                       owner->host - claim->host < claim->bytes &&
                       owner->bytes <= claim->bytes - (owner->host - claim->host);
    accd_status status =
        accd_claim_error(plan, claim, NULL, ACCD_PARTIAL_OVERLAP,
                         plan->context->rules.fusion ? R_OVERLAP_LEVELS : R_PARTIAL_OVERLAP,
                         later ? ACCD_ASKED " contains %s, which this directive maps before it"
                               : ACCD_ASKED " overlaps %s of this directive, and neither contains the other",
                         *name ? name : "another object");
    accd_object_info *other = &plan->context->error.other;
    memcpy(other->name, name, sizeof name);
    other->host = owner->host;
    other->bytes = owner->bytes;
    return status;
}
