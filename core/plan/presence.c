/* presence.c - what a claim finds on the device, and what becomes of it. Where the rules say so, an object is present
 * without the bytes that its clause left out (OMP60-map-13). */
#include "plan/inside.h"
#include "table/group.h"
#include "table/name.h"

#include <stdio.h>

/* ------------------------------------------------------------------------------------- holes -- */

/* Whether a claim asks for a range as such, not for what its own mapping program names: with ACCD_ITEM_TRY a
 * compute construct is content with what there is of it. */
static bool asks_plainly(const struct accd_plan *plan, const struct accd_claim *claim)
{
    const struct accd_source *source = accd_claim_source(&plan->given, claim);
    return source && source->root < 0;
}

static const accd_program *layout_of_claim(const struct accd_plan *plan, const struct accd_claim *claim)
{
    const accd_label *label = accd_claim_label(&plan->given, claim);
    return label ? label->layout : NULL;
}

/* How far a claim begins behind the first byte of its item: a part of it begins inside of an element. */
static uint64_t into_element(const struct accd_plan *plan, const struct accd_claim *claim)
{
    const struct accd_source *source = accd_claim_source(&plan->given, claim);
    return source ? claim->host - source->host : 0;
}

bool accd_claim_keeps(const struct accd_plan *plan, const struct accd_claim *owner, uint64_t host,
                      uint64_t bytes, const struct accd_claim *claim)
{
    if (!plan->context->verdicts.holes)
        return true;
    const accd_program *layout = layout_of_claim(plan, owner);
    uint64_t from = host - owner->host;
    return !layout || !layout->spec.nexcluded ||
           (bytes == owner->bytes && (!claim || asks_plainly(plan, claim))) ||
           accd_relate_layouts(layout, from, from + bytes, claim ? layout_of_claim(plan, claim) : NULL,
                               claim ? into_element(plan, claim) : 0) ==
               ACCD_INSIDE;
}

/* The range of what an item's program asks for of its elements: its first piece, in the first one, to the last one. */
static bool range_of_pieces(const struct accd_plan *plan, const struct accd_claim *claim,
                            uint64_t *host_p, uint64_t *bytes_p)
{
    const struct accd_source *source = &plan->given.sources[claim->source];
    const accd_program_spec *spec =
        plan->given.leaving ? &plan->given.walk->rowsets[plan->given.walk->roots[source->root].rowset].program->spec
                      : &plan->given.construct->items[claim->source].program->spec; /* before the walk, too */
    uint64_t low = UINT64_MAX, high = 0;
    bool parts = spec->nexcluded > 0;
    for (size_t i = 0; i < spec->nfields; i++)
        if (spec->fields[i].embedded || spec->fields[i].in_place)
            return false;
    for (size_t i = 0; i < spec->npieces; i++) {
        const accd_piece *piece = &spec->pieces[i];
        parts |= piece->base_pointer;
        if (piece->base_pointer)
            continue;
        low = piece->offset < low ? piece->offset : low;
        high = piece->offset + piece->bytes > high ? piece->offset + piece->bytes : high;
    }
    *host_p = source->host + low;
    *bytes_p = source->bytes - low - (spec->stride - high);
    return parts && low < high;
}

/* How a claim lies to present data. One of which only parts are meant, those that its program names, is cut down to
 * the range of these where that is what is present, or absent (OMP60-map-15).
 * Decides OMP60-map-13. */
static accd_status relate(struct accd_plan *plan, struct accd_claim *claim,
                          enum accd_relation *relation_p, struct accd_object **object_p)
{
    ACCD_TRY(accd_relate(plan->dir, claim->host, claim->bytes, relation_p, object_p));
    const struct accd_source *source = accd_claim_source(&plan->given, claim);
    uint64_t host, bytes;
    if (*relation_p != ACCD_ACROSS || !plan->context->verdicts.holes ||
        !source || source->root < 0 || claim->bytes != source->bytes ||
        !range_of_pieces(plan, claim, &host, &bytes))
        return ACCD_OK;
    bool enters = !plan->given.leaving && plan->given.construct->kind != ACCD_EXIT_DATA &&
                  plan->given.construct->kind != ACCD_UPDATE;
    enum accd_relation relation;
    struct accd_object *object;
    ACCD_TRY(accd_relate(plan->dir, host, bytes, &relation, &object));
    if (relation == ACCD_ACROSS || (relation == ACCD_NONE && enters)) /* OMP60-map-13: it grows */
        return ACCD_OK;
    claim->host = host;
    claim->bytes = bytes;
    *relation_p = relation;
    *object_p = object;
    return ACCD_OK;
}

/* Whether all present objects that meet a claim lie in what its own program leaves out. */
static bool spares(struct accd_plan *plan, const struct accd_claim *claim)
{
    struct accd_range_cursor cursor;
    const accd_program *own = layout_of_claim(plan, claim);
    uint64_t end = claim->host + claim->bytes, into = into_element(plan, claim);
    struct accd_object *object = accd_first_behind(plan->dir, claim->host, &cursor);
    for (; object && object->host < end; object = accd_range_next(&cursor)) {
        uint64_t low = object->host > claim->host ? object->host : claim->host;
        uint64_t high = accd_object_end(object) < end ? accd_object_end(object) : end;
        if (!own || accd_relate_layouts(own, low - claim->host + into, high - claim->host + into, NULL, 0) != ACCD_NONE)
            return false;
    }
    return true;
}

/* How the bytes of an object that a claim's own program names lie to those that the object's clause left out.
 * Decides TR14-3.1.1-14, OMPEX-struct_map-1. */
static enum accd_finding find_holes(const struct accd_plan *plan, const struct accd_claim *claim,
                                    const struct accd_object *object)
{
    const accd_program *layout = accd_layout_of(plan->dir, object);
    uint64_t from = claim->host - object->host;
    if (!layout || !layout->spec.nexcluded ||
        (plan->given.construct->kind == ACCD_COMPUTE && claim->flags & ACCD_ITEM_TRY &&
         claim->bytes == accd_object_bytes(object) && asks_plainly(plan, claim)))
        return ACCD_FOUND_OBJECT;
    enum accd_relation relation = accd_relate_layouts(layout, from, from + claim->bytes,
                                                      layout_of_claim(plan, claim), into_element(plan, claim));
    return relation == ACCD_INSIDE ? ACCD_FOUND_OBJECT
           : relation == ACCD_NONE ? ACCD_FOUND_EXCLUDED
                                   : ACCD_FOUND_HOLES;
}

/* Whether a claim asks for a part of a held object in which it may fill holes. All of the object is there. */
static bool may_fill(const struct accd_plan *plan, const struct accd_claim *claim,
                     const struct accd_object *object, enum accd_asks ask)
{
    return object->size & ACCD_OBJECT_HELD && claim->bytes < accd_object_bytes(object) && plan->found.fusion &&
           ask <= ACCD_ASKS_REST && claim->action != ACCD_HOLD && !(claim->flags & ACCD_ITEM_UNCOUNTED);
}

static accd_status find(struct accd_plan *plan, struct accd_claim *claim, enum accd_asks ask,
                        struct accd_answer *found)
{
    enum accd_relation relation;
    if (claim->bytes)
        ACCD_TRY(relate(plan, claim, &relation, &found->object));
    else
        ACCD_TRY(accd_relate(plan->dir, claim->host, 1, &relation, &found->object));
    if (relation == ACCD_NONE) {
        found->what = ACCD_FOUND_NOTHING;
    } else if (relation == ACCD_ACROSS) {
        const struct accd_cover cover = accd_cover_of(plan->dir, claim->host, claim->bytes);
        found->what = !cover.whole ? ACCD_FOUND_PART : cover.one ? ACCD_FOUND_TUPLE : ACCD_FOUND_OBJECTS;
    } else {
        found->what = plan->context->verdicts.holes && claim->bytes ? find_holes(plan, claim, found->object)
                                                                    : ACCD_FOUND_OBJECT;
        if (found->what == ACCD_FOUND_OBJECT && may_fill(plan, claim, found->object, ask)) {
            relation = accd_named(plan->dir, found->object, claim->host, claim->bytes);
            found->what = relation == ACCD_INSIDE ? ACCD_FOUND_OBJECT
                          : relation == ACCD_NONE ? ACCD_FOUND_UNNAMED
                                                  : ACCD_FOUND_NAMED_PART;
        }
    }
    return ACCD_OK;
}

accd_status accd_claim_reject(const struct accd_plan *plan, const struct accd_claim *claim,
                              const struct accd_object *object, const struct accd_verdict *verdict)
{
    char number[12];
    snprintf(number, sizeof number, "%d", plan->dir->device.number);
    return accd_claim_error(plan, claim, object, verdict->status, verdict->rule, "%s %s%s", verdict->before,
                            verdict->status == ACCD_ALREADY_PRESENT ? plan->context->rules.name : number,
                            verdict->after);
}

const struct accd_verdict *accd_claim_verdict(const struct accd_plan *plan, const struct accd_claim *claim,
                                              enum accd_asks ask, enum accd_finding what)
{
    const uint8_t (*row)[ACCD_FINDINGS] = plan->context->verdicts.presence[ask];
    const bool plain = row[0][what] != row[1][what] && !(claim->flags & ACCD_ITEM_MUST) && asks_plainly(plan, claim);
    return &accd_verdicts[row[plain][what]];
}

accd_status accd_claim_find(struct accd_plan *plan, struct accd_claim *claim, enum accd_asks ask,
                            struct accd_answer *found)
{
    *found = (struct accd_answer){.what = ACCD_FINDINGS};
    ACCD_TRY(find(plan, claim, ask, found));
    const struct accd_verdict *verdict = accd_claim_verdict(plan, claim, ask, found->what);
    found->outcome = verdict->outcome;
    if (verdict->outcome == ACCD_REJECTS || (verdict->outcome == ACCD_REJECTS_MEANT && !spares(plan, claim)))
        return accd_claim_reject(plan, claim, found->object, verdict);
    if (verdict->outcome == ACCD_SKIPS)
        claim->state = ACCD_CLAIM_SKIP;
    if (verdict->outcome == ACCD_TAKES) {
        claim->state = ACCD_CLAIM_PRESENT;
        claim->object = found->object;
    }
    return ACCD_OK;
}

accd_status accd_claim_slot_finds(const struct accd_plan *plan, const struct accd_claim *claim,
                                  const struct accd_object *holder, enum accd_slot_finding what)
{
    const enum accd_slot_of of = claim->action == ACCD_ATTACH || claim->action == ACCD_DETACH ? ACCD_OF_ATTACH
                                 : claim->source & ACCD_CLAIM_WALKED                          ? ACCD_OF_SECTION
                                                                                              : ACCD_OF_ITEM;
    const struct accd_verdict *verdict = &accd_verdicts[plan->context->verdicts.slot[of][what]];
    char name[160], device[16] = "";
    if (verdict->outcome != ACCD_REJECTS || (claim->flags & ACCD_ITEM_TRY && what < ACCD_SLOT_DETACHED))
        return ACCD_OK;
    accd_name_claim_slot(&plan->given, claim, name, sizeof name);
    if (verdict->status == ACCD_NOT_PRESENT)
        snprintf(device, sizeof device, " %d", plan->dir->device.number);
    return accd_claim_error(plan, claim, holder, verdict->status, verdict->rule, "%s%s%s%s%s", verdict->before,
                            *verdict->before ? " " : "", name, verdict->after, device);
}

/* ------------------------------------------------------------------------- extended ranges -- */

/* The target of the pointer that a section of a walk was reached through, if the section begins behind it. 0: it
 * does not. */
static uint64_t section_base(const struct accd_walk *walk, size_t section)
{
    size_t row;
    const struct accd_segment *segment = accd_walk_locate(walk, section, &row);
    int64_t start = accd_section_start(segment, row);
    return start > 0 ? segment->host[row] - (uint64_t)start * segment->field->unit : 0;
}

uint64_t accd_claim_base(const struct accd_plan *plan, const struct accd_claim *claim)
{
    if (!plan->context->rules.extended_range)
        return 0;
    if (claim->source & ACCD_CLAIM_WALKED)
        return section_base(plan->given.walk, claim->source & ~ACCD_CLAIM_WALKED);
    uint64_t base = plan->given.sources[claim->source].base;
    return base < claim->host ? base : 0;
}

static uint64_t object_base(const struct accd_directory *dir, const struct accd_object *object)
{
    const struct accd_group *group = object->size & ACCD_OBJECT_MEMBER ? dir->groups.at[object->where] : NULL;
    if (group)
        return section_base(group->walk, (size_t)(object - group->objects));
    return object->size & ACCD_OBJECT_ORIGIN ? dir->present.origins[object->where].base : 0;
}

/* Groups whose sections begin behind their pointers are looked into. */
static accd_status index_shifted(struct accd_directory *dir)
{
    for (size_t g = 0; g < dir->groups.n && dir->groups.npending; g++) {
        struct accd_group *group = dir->groups.at[g];
        for (size_t i = 0; group && group->pending && i < group->walk->nsegments; i++)
            if (group->walk->segments[i].start_of || group->walk->segments[i].start)
                ACCD_TRY(accd_group_index(dir, group));
    }
    return ACCD_OK;
}

/* Decides OMP60-map-10. */
accd_status accd_find_extended(struct accd_directory *dir, uint64_t host, struct accd_object **object_p)
{
    struct accd_range_cursor cursor;
    struct accd_object *found = NULL;
    *object_p = NULL;
    if (!dir->context->rules.extended_range || !host)
        return ACCD_OK;
    ACCD_TRY(index_shifted(dir));
    struct accd_object *object = accd_range_seek(&dir->present.objects, host + 1, &cursor);
    for (; object && !found; object = accd_range_next(&cursor)) {
        uint64_t base = object_base(dir, object);
        if (base && base <= host)
            found = object;
    }
    for (const struct accd_region *region = dir->levels.top; region; region = region->below)
        for (size_t i = 0; i < region->nclaims; i++) { /* list items of data that were there before */
            const struct accd_claim *claim = &region->claims[i];
            uint64_t base = claim->source & ACCD_CLAIM_WALKED ? 0 : region->items[claim->source].base;
            if (claim->object && base && base <= host && host < claim->host &&
                (!found || claim->object->host < found->host))
                found = claim->object;
        }
    *object_p = found;
    return ACCD_OK;
}

/* ---------------------------------------------------------------------- the present modifier -- */

bool accd_asks_for_members(const struct accd_plan *plan, const struct accd_claim *claim)
{
    const struct accd_source *source = accd_claim_source(&plan->given, claim);
    return plan->given.construct->kind == ACCD_UPDATE && source && source->root >= 0 &&
           !accd_moves_itself(plan->given.construct->items[claim->source].program);
}

/* Decides OMP60-map-9. */
accd_status accd_plan_required(struct accd_plan *plan, size_t first)
{
    struct accd_answer found;
    for (size_t i = first; i < plan->found.nclaims; i++) {
        struct accd_claim *claim = &plan->found.claims[i];
        if (claim->flags & ACCD_ITEM_MUST && !accd_asks_for_members(plan, claim) &&
            (claim->bytes || plan->context->rules.counting != ACCD_COUNT_CLAUSES))
            ACCD_TRY(accd_claim_find(plan, claim, ACCD_ASKS_BEFORE, &found));
    }
    return ACCD_OK;
}
