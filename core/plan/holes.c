/* holes.c - what counts as present: an object without the bytes that its clause left out, if the rules say
 * so (OMP60-map-13); and data that must be there before a construct begins (OMP60-map-9). */
#include "plan/inside.h"

/* ------------------------------------------------------------------------------------- holes -- */

/* Whether a claim asks for a range as such, not for what its own mapping program names: with ACCD_ITEM_TRY a
 * compute construct is content with what there is of it. */
static bool asks_plainly(const struct accd_plan *plan, const struct accd_claim *claim)
{
    const struct accd_source *source = accd_claim_source(plan, claim);
    return source && source->root < 0;
}

static const accd_program *layout_of_claim(const struct accd_plan *plan,
                                           const struct accd_claim *claim)
{
    const struct accd_source *source = accd_claim_source(plan, claim);
    const accd_label *label = source ? source->label : NULL;
    if (!source) {
        size_t segment, row;
        accd_walk_locate(plan->walk, claim->source & ~ACCD_CLAIM_WALKED, &segment, &row);
        label = plan->walk->segments[segment].field->label;
    }
    return label ? label->layout : NULL;
}

/* How far a claim begins behind the first byte of its item: a part of it begins inside of an element. */
static uint64_t into_element(const struct accd_plan *plan, const struct accd_claim *claim)
{
    const struct accd_source *source = accd_claim_source(plan, claim);
    return source ? claim->host - source->host : 0;
}

bool accd_claim_keeps(const struct accd_plan *plan, const struct accd_claim *owner, uint64_t host,
                      uint64_t bytes, const struct accd_claim *claim)
{
    if (plan->context->rules.holes == ACCD_IGNORE)
        return true;
    const accd_program *layout = layout_of_claim(plan, owner);
    uint64_t from = host - owner->host;
    return !layout || !layout->spec.nexcluded ||
           (bytes == owner->bytes && (!claim || asks_plainly(plan, claim))) ||
           accd_relate_layouts(layout, from, from + bytes, claim ? layout_of_claim(plan, claim) : NULL,
                               claim ? into_element(plan, claim) : 0) ==
               ACCD_INSIDE;
}

bool accd_part_is_nothing(const struct accd_plan *plan, const struct accd_claim *claim)
{
    const accd_rules *rules = &plan->context->rules;
    bool passes = claim->action == ACCD_NO_CREATE ||
                  (rules->counting == ACCD_COUNT_CONSTRUCTS &&
                   (plan->leaving || plan->construct->kind == ACCD_UPDATE));
    return passes && rules->part_present == ACCD_IGNORE && !(claim->flags & ACCD_ITEM_MUST) &&
           asks_plainly(plan, claim);
}

accd_status accd_claim_left_out(const struct accd_plan *plan, const struct accd_claim *claim,
                                const struct accd_object *object, enum accd_relation *relation_p)
{
    const accd_program *layout = accd_layout_of(plan->dir, object);
    uint64_t from = claim->host - object->host;
    *relation_p = ACCD_INSIDE;
    if (!layout || !layout->spec.nexcluded ||
        (plan->construct->kind == ACCD_COMPUTE && claim->flags & ACCD_ITEM_TRY &&
         claim->bytes == accd_object_bytes(object) && asks_plainly(plan, claim)))
        return ACCD_OK;
    *relation_p = accd_relate_layouts(layout, from, from + claim->bytes, layout_of_claim(plan, claim),
                                      into_element(plan, claim));
    if (*relation_p != ACCD_ACROSS)
        return ACCD_OK;
    if (accd_part_is_nothing(plan, claim)) {
        *relation_p = ACCD_NONE;
        return ACCD_OK;
    }
    return accd_claim_error(plan, claim, object, ACCD_PARTIALLY_PRESENT, R_PARTIALLY_PRESENT,
                            "other parts of it were left out when this object was mapped to device %d",
                            plan->dir->device.number);
}

/* The range of what an item's program asks for of its elements: its first piece, in the first one, to the last one. */
static bool range_of_pieces(const struct accd_plan *plan, const struct accd_claim *claim,
                            uint64_t *host_p, uint64_t *bytes_p)
{
    const struct accd_source *source = &plan->sources[claim->source];
    const accd_program_spec *spec =
        plan->leaving ? &plan->walk->rowsets[plan->walk->roots[source->root].rowset].program->spec
                      : &plan->construct->items[claim->source].program->spec; /* before the walk, too */
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

accd_status accd_relate_claim(struct accd_plan *plan, struct accd_claim *claim,
                              enum accd_relation *relation_p, struct accd_object **object_p)
{
    ACCD_TRY(accd_relate(plan->dir, claim->host, claim->bytes, relation_p, object_p));
    const struct accd_source *source = accd_claim_source(plan, claim);
    uint64_t host, bytes;
    if (*relation_p != ACCD_ACROSS || plan->context->rules.holes == ACCD_IGNORE ||
        !source || source->root < 0 || claim->bytes != source->bytes ||
        !range_of_pieces(plan, claim, &host, &bytes))
        return ACCD_OK;
    bool enters = !plan->leaving && plan->construct->kind != ACCD_EXIT_DATA &&
                  plan->construct->kind != ACCD_UPDATE;
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

bool accd_claim_spares(struct accd_plan *plan, const struct accd_claim *claim)
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

/* ------------------------------------------------------------------------- extended ranges -- */

/* Where the pointer leads to that a section of a walk was reached through, if the section begins behind that. */
static uint64_t section_base(const struct accd_walk *walk, size_t section)
{
    size_t index, row;
    accd_walk_locate(walk, section, &index, &row);
    const struct accd_segment *segment = &walk->segments[index];
    int64_t start = accd_section_start(segment, row);
    return start > 0 ? segment->host[row] - (uint64_t)start * segment->field->unit : 0;
}

uint64_t accd_claim_base(const struct accd_plan *plan, const struct accd_claim *claim)
{
    if (!plan->context->rules.extended_range)
        return 0;
    if (claim->source & ACCD_CLAIM_WALKED)
        return section_base(plan->walk, claim->source & ~ACCD_CLAIM_WALKED);
    uint64_t base = plan->sources[claim->source].base;
    return base < claim->host ? base : 0;
}

static uint64_t object_base(const struct accd_directory *dir, const struct accd_object *object)
{
    const struct accd_group *group = object->size & ACCD_OBJECT_MEMBER ? dir->groups[object->where] : NULL;
    if (group)
        return section_base(group->walk, (size_t)(object - group->objects));
    return object->size & ACCD_OBJECT_ORIGIN ? dir->origins[object->where].base : 0;
}

/* Groups whose sections begin behind their pointers are looked into. */
static accd_status index_shifted(struct accd_directory *dir)
{
    for (size_t g = 0; g < dir->ngroups && dir->npending; g++) {
        struct accd_group *group = dir->groups[g];
        for (size_t i = 0; group && group->pending && i < group->walk->nsegments; i++)
            if (group->walk->segments[i].start_of || group->walk->segments[i].start)
                ACCD_TRY(accd_group_index(dir, group));
    }
    return ACCD_OK;
}

accd_status accd_find_extended(struct accd_directory *dir, uint64_t host,
                               struct accd_object **object_p)
{
    struct accd_range_cursor cursor;
    struct accd_object *found = NULL;
    *object_p = NULL;
    if (!dir->context->rules.extended_range || !host)
        return ACCD_OK;
    ACCD_TRY(index_shifted(dir));
    struct accd_object *object = accd_range_seek(&dir->objects, host + 1, &cursor);
    for (; object && !found; object = accd_range_next(&cursor)) {
        uint64_t base = object_base(dir, object);
        if (base && base <= host)
            found = object;
    }
    for (const struct accd_region *region = dir->top; region; region = region->below)
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

static accd_status require(struct accd_plan *plan, struct accd_claim *claim)
{
    enum accd_relation relation;
    struct accd_object *object;
    if (claim->bytes)
        ACCD_TRY(accd_relate_claim(plan, claim, &relation, &object));
    else
        ACCD_TRY(accd_relate(plan->dir, claim->host, 1, &relation, &object));
    if (relation == ACCD_INSIDE && plan->context->rules.holes == ACCD_REJECT && claim->bytes)
        ACCD_TRY(accd_claim_left_out(plan, claim, object, &relation));
    if (relation == ACCD_INSIDE)
        return ACCD_OK;
    if (relation != ACCD_ACROSS)
        return accd_claim_error(plan, claim, object, ACCD_NOT_PRESENT, R_NOT_PRESENT,
                                "it is not present on device %d, but must be there before the construct",
                                plan->dir->device.number);
    struct accd_cover cover = accd_cover_of(plan->dir, claim->host, claim->bytes);
    if (cover.whole && (cover.one || plan->context->rules.fusion))
        return ACCD_OK;
    return accd_claim_error(plan, claim, object, ACCD_PARTIALLY_PRESENT, R_NOT_PRESENT,
                            "only a part of it is present on device %d, but its clause asks for all "
                            "of it",
                            plan->dir->device.number);
}

/* Of an update by a mapper the members are asked for that it moves, each for itself. */
static bool asks_for_members(const struct accd_plan *plan, const struct accd_claim *claim)
{
    const struct accd_source *source = accd_claim_source(plan, claim);
    if (plan->construct->kind != ACCD_UPDATE || !source || source->root < 0)
        return false;
    const accd_program_spec *spec = &plan->construct->items[claim->source].program->spec;
    for (size_t i = 0; i < spec->npieces; i++)
        if (!spec->pieces[i].entry_only)
            return false;
    return true;
}

accd_status accd_plan_required(struct accd_plan *plan, size_t first)
{
    for (size_t i = first; i < plan->nclaims; i++) {
        struct accd_claim *claim = &plan->claims[i];
        if (claim->flags & ACCD_ITEM_MUST && !asks_for_members(plan, claim) &&
            (claim->bytes || plan->context->rules.counting == ACCD_COUNT_CONSTRUCTS))
            ACCD_TRY(require(plan, claim));
    }
    return ACCD_OK;
}
