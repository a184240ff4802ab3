/* presence.c - looks requests up in the present table and applies the rules to the result. Output: state and object of
 * the request, and the decision of the policy table (rules compiled for look-ups, base/rules.h). With the knob `holes`
 * = `reject`, an object has holes: bytes that its clause excluded are not present (OMP60-map-13). The mapping program
 * that lists the excluded bytes of a type is called its layout. A storage object, allocated by `hold`, has holes where
 * no clause names bytes. Called for entries, exits and updates. */
#include "plan/inside.h"
#include "table/find.h"
#include "table/group.h"
#include "table/name.h"
#include "table/objects.h"
#include "table/source.h"

#include <assert.h>
#include <stdio.h>

/* ------------------------------------------------------------------------------------- holes -- */

/* True if `request` is for an item without a mapping program, so that it means all bytes of its range. In a compute
 * construct, such an item with ACCD_ITEM_IF_PRESENT accepts an object with holes. */
static bool requests_plain_range(const struct accd__plan *plan, const struct accd__request *request)
{
    const struct accd__item_source *source = accd__request_source(&plan->input, request);
    return source && source->root < 0;
}

/* Returns the layout of `request`: the mapping program of its label, which lists the excluded bytes. NULL: the label
 * has no layout, so that no bytes are excluded. */
static const accd_program *request_layout(const struct accd__plan *plan, const struct accd__request *request)
{
    const accd_label *label = accd__request_label(&plan->input, request);
    return label ? label->layout : NULL;
}

/* Returns the distance in bytes from the first byte of the item to the first byte of `request`. It is not 0 only if
 * `request` is a later piece of an item that was split. Returns 0 for a walked section. */
static uint64_t offset_in_item(const struct accd__plan *plan, const struct accd__request *request)
{
    const struct accd__item_source *source = accd__request_source(&plan->input, request);
    return source ? request->host - source->host : 0;
}

/* True if the object that request `owner` will make contains all bytes of [host, host + bytes), none of them in a hole
 * (excluded bytes). Bytes that the layout of `request` excludes may be in holes; request = NULL excludes none. */
bool accd__request_allocates(const struct accd__plan *plan, const struct accd__request *owner, uint64_t host,
                             uint64_t bytes, const struct accd__request *request)
{
    if (!plan->context->policy.holes)
        return true;
    const accd_program *layout = request_layout(plan, owner);
    uint64_t from = host - owner->host;
    return !layout || !layout->spec.nexcluded ||
           (bytes == owner->bytes && (!request || requests_plain_range(plan, request))) ||
           accd__compare_layouts(layout, from, from + bytes, request ? request_layout(plan, request) : NULL,
                                 request ? offset_in_item(plan, request) : 0) == ACCD_RANGE_CONTAINED;
}

/* Sets *host_p and *bytes_p to the range from the first piece of the first element of an item to the last piece of its
 * last element. A piece is a byte range that the program names. Returns false if the program names whole elements,
 * names no piece, or has elements inside its element; the results must then not be used. Requires a request of an item
 * with elements. */
static bool get_pieces_range(const struct accd__plan *plan, const struct accd__request *request, uint64_t *host_p,
                             uint64_t *bytes_p)
{
    assert(!(request->source & ACCD_SOURCE_WALKED) && plan->input.sources[request->source].root >= 0);
    const struct accd__item_source *source = &plan->input.sources[request->source];
    /* takes the program from the walk at the end of a region, otherwise from the construct, because the walk may not
     * exist yet */
    const accd_program_spec *spec =
        plan->input.leaving ? &plan->input.walk->rowsets[plan->input.walk->roots[source->root].rowset].program->spec
                            : &plan->input.construct->items[request->source].program->spec;
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

/* Sets *relation_p to the relation of the range of `request` to present data, and *object_p to the object with its
 * first present byte, or NULL. If the range is present in part and the program names only parts of the elements,
 * narrows `request` to the range of these parts. That requires that this range is entirely present or, except in
 * entries, entirely absent (OMP60-map-15). Fails only without memory. Decides OMP60-map-13. */
static accd_status find_request_containment(struct accd__plan *plan, struct accd__request *request,
                                            enum accd__containment *relation_p, struct accd__object **object_p)
{
    ACCD_TRY(accd__find_containment(plan->env, request->host, request->bytes, relation_p, object_p));
    const struct accd__item_source *source = accd__request_source(&plan->input, request);
    uint64_t host, bytes;
    if (*relation_p != ACCD_RANGE_PARTIAL || !plan->context->policy.holes || !source || source->root < 0 ||
        request->bytes != source->bytes || !get_pieces_range(plan, request, &host, &bytes))
        return ACCD_OK;
    bool is_entry = !plan->input.leaving && plan->input.construct->kind != ACCD_KIND_EXIT_DATA &&
                    plan->input.construct->kind != ACCD_KIND_UPDATE;
    enum accd__containment relation;
    struct accd__object *object;
    ACCD_TRY(accd__find_containment(plan->env, host, bytes, &relation, &object));
    if (relation == ACCD_RANGE_PARTIAL ||
        /* the request keeps its whole range: an entry with absent parts would enlarge the present object
         * (OMP60-map-13) */
        (relation == ACCD_RANGE_DISJOINT && is_entry))
        return ACCD_OK;
    request->host = host;
    request->bytes = bytes;
    *relation_p = relation;
    *object_p = object;
    return ACCD_OK;
}

/* True if the layout of `request` excludes every byte of its range that lies in a present object, so that the request
 * and present data share no byte. */
static bool avoids_present_objects(struct accd__plan *plan, const struct accd__request *request)
{
    struct accd__btree_cursor cursor;
    const accd_program *own = request_layout(plan, request);
    uint64_t end = request->host + request->bytes, into = offset_in_item(plan, request);
    struct accd__object *object = accd__first_object_after(plan->env, request->host, &cursor);
    for (; object && object->host < end; object = accd__btree_next(&cursor)) {
        uint64_t low = object->host > request->host ? object->host : request->host;
        uint64_t high = accd__object_end(object) < end ? accd__object_end(object) : end;
        if (!own || accd__compare_layouts(own, low - request->host + into, high - request->host + into, NULL, 0) !=
                        ACCD_RANGE_DISJOINT)
            return false;
    }
    return true;
}

/* Returns how many of the bytes that the layout of `request` does not exclude are present in `object`, which contains
 * the range: all (ACCD_LOOKUP_OBJECT), some (ACCD_LOOKUP_HOLES) or none (ACCD_LOOKUP_EXCLUDED). Bytes that the clause
 * of `object` excluded are not present. Decides TR14-3.1.1-14, OMPEX-struct_map-1. */
static enum accd__lookup_result find_excluded_bytes(const struct accd__plan *plan, const struct accd__request *request,
                                                    const struct accd__object *object)
{
    assert(object && request->host >= object->host);
    const accd_program *layout = accd__object_layout(plan->env, object);
    uint64_t from = request->host - object->host;
    if (!layout || !layout->spec.nexcluded ||
        (plan->input.construct->kind == ACCD_KIND_COMPUTE && request->flags & ACCD_ITEM_IF_PRESENT &&
         request->bytes == accd__object_bytes(object) && requests_plain_range(plan, request)))
        return ACCD_LOOKUP_OBJECT;
    enum accd__containment relation = accd__compare_layouts(
        layout, from, from + request->bytes, request_layout(plan, request), offset_in_item(plan, request));
    return relation == ACCD_RANGE_CONTAINED  ? ACCD_LOOKUP_OBJECT
           : relation == ACCD_RANGE_DISJOINT ? ACCD_LOOKUP_EXCLUDED
                                             : ACCD_LOOKUP_HOLES;
}

/* True if `request` may fill holes of `object`, which contains its range. That is so if `object` is a storage object
 * (allocated by `hold`; bytes that no clause names are holes) of which `request` covers a part, and the rules have
 * fusion. The request must also create data (`demand`: how it treats absent data), not be a `hold`, and count a
 * reference. */
static bool can_fill_holes(const struct accd__plan *plan, const struct accd__request *request,
                           const struct accd__object *object, enum accd__demand demand)
{
    assert(object);
    return object->size & ACCD_OBJECT_STORAGE && request->bytes < accd__object_bytes(object) && plan->resolved.fusion &&
           demand <= ACCD_DEMAND_ABSENT_PART && request->action != ACCD_ACTION_HOLD &&
           !(request->flags & ACCD_ITEM_UNCOUNTED);
}

/* Sets found->lookup to the kind of present data in the range of `request`, and found->object to the object with the
 * first present byte, or NULL. An empty request is looked up by the byte at its address. May narrow the request
 * (find_request_containment). `demand`: how the request treats absent data. Fails only without memory. */
static accd_status look_up_request(struct accd__plan *plan, struct accd__request *request, enum accd__demand demand,
                                   struct accd__resolution *found)
{
    enum accd__containment relation;
    if (request->bytes)
        ACCD_TRY(find_request_containment(plan, request, &relation, &found->object));
    else
        ACCD_TRY(accd__find_containment(plan->env, request->host, 1, &relation, &found->object));
    if (relation == ACCD_RANGE_DISJOINT) {
        found->lookup = ACCD_LOOKUP_ABSENT;
    } else if (relation == ACCD_RANGE_PARTIAL) {
        const struct accd__coverage cover = accd__get_coverage(plan->env, request->host, request->bytes);
        found->lookup = !cover.whole ? ACCD_LOOKUP_PARTIAL : cover.is_single ? ACCD_LOOKUP_TUPLE : ACCD_LOOKUP_OBJECTS;
    } else {
        found->lookup = plan->context->policy.holes && request->bytes
                            ? find_excluded_bytes(plan, request, found->object)
                            : ACCD_LOOKUP_OBJECT;
        if (found->lookup == ACCD_LOOKUP_OBJECT && can_fill_holes(plan, request, found->object, demand)) {
            relation = accd__get_named_part(plan->env, found->object, request->host, request->bytes);
            found->lookup = relation == ACCD_RANGE_CONTAINED  ? ACCD_LOOKUP_OBJECT
                            : relation == ACCD_RANGE_DISJOINT ? ACCD_LOOKUP_UNNAMED
                                                              : ACCD_LOOKUP_NAMED_PART;
        }
    }
    return ACCD_OK;
}

/* Records the error that `entry`, an entry of the policy table, describes about `request` and the conflicting `object`
 * (or NULL). Its message has the number of the device or, for ACCD_ERROR_ALREADY_PRESENT, the name of the profile.
 * Returns its status. */
accd_status accd__reject_request(const struct accd__plan *plan, const struct accd__request *request,
                                 const struct accd__object *object, const struct accd__policy_entry *entry)
{
    assert(entry && entry->status != ACCD_OK);
    char number[12];
    snprintf(number, sizeof number, "%d", plan->env->device.number);
    return accd__report_request_error(plan, request, object, entry->status, entry->rule, "%s %s%s", entry->text_before,
                                      entry->status == ACCD_ERROR_ALREADY_PRESENT ? plan->context->rules.name : number,
                                      entry->text_after);
}

/* Returns the entry of the policy table (rules compiled for look-ups) for the look-up result `lookup` of `request`.
 * `demand`: how the request treats absent data. An item without a program and without the `present` modifier uses the
 * row for plain ranges where the two rows differ. */
const struct accd__policy_entry *accd__request_policy(const struct accd__plan *plan,
                                                      const struct accd__request *request, enum accd__demand demand,
                                                      enum accd__lookup_result lookup)
{
    assert(lookup < ACCD_LOOKUP_COUNT);
    const uint8_t(*row)[ACCD_LOOKUP_COUNT] = plan->context->policy.presence[demand];
    const bool plain = row[0][lookup] != row[1][lookup] && !(request->flags & ACCD_ITEM_REQUIRE_PRESENT) &&
                       requests_plain_range(plan, request);
    return &accd__policy_entries[row[plain][lookup]];
}

/* Looks `request` up, and applies the decisions REJECT (an error), SKIP and USE (states SKIPPED and PRESENT). For SPLIT
 * and FILL the state is unchanged, and the caller splits the request. *found receives look-up result, decision and
 * object. `demand`: how the request treats absent data. Fails without memory, too. */
accd_status accd__resolve_request(struct accd__plan *plan, struct accd__request *request, enum accd__demand demand,
                                  struct accd__resolution *found)
{
    *found = (struct accd__resolution){.lookup = ACCD_LOOKUP_COUNT};
    ACCD_TRY(look_up_request(plan, request, demand, found));
    const struct accd__policy_entry *entry = accd__request_policy(plan, request, demand, found->lookup);
    found->decision = entry->decision;
    if (entry->decision == ACCD_DECISION_REJECT ||
        (entry->decision == ACCD_DECISION_REJECT_NAMED && !avoids_present_objects(plan, request)))
        return accd__reject_request(plan, request, found->object, entry);
    if (entry->decision == ACCD_DECISION_SKIP)
        request->state = ACCD_REQUEST_SKIPPED;
    if (entry->decision == ACCD_DECISION_USE) {
        request->state = ACCD_REQUEST_PRESENT;
        request->object = found->object;
    }
    return ACCD_OK;
}

/* Records and returns the error with which the policy table rejects `state`, the state of the pointer of `request`;
 * returns ACCD_OK if the table accepts the state. Requests with `if_present` accept every state before
 * ACCD_SLOT_DETACHED in its enumeration. `holder`: object that contains the pointer, or NULL. */
accd_status accd__check_slot_state(const struct accd__plan *plan, const struct accd__request *request,
                                   const struct accd__object *holder, enum accd__slot_state state)
{
    const enum accd__slot_owner owner = request->action == ACCD_ACTION_ATTACH || request->action == ACCD_ACTION_DETACH
                                            ? ACCD_SLOT_OWNER_ATTACH
                                        : request->source & ACCD_SOURCE_WALKED ? ACCD_SLOT_OWNER_SECTION
                                                                               : ACCD_SLOT_OWNER_ITEM;
    const struct accd__policy_entry *entry = &accd__policy_entries[plan->context->policy.slot[owner][state]];
    char name[160], device[16] = "";
    if (entry->decision != ACCD_DECISION_REJECT ||
        (request->flags & ACCD_ITEM_IF_PRESENT && state < ACCD_SLOT_DETACHED))
        return ACCD_OK;
    accd__format_request_slot(&plan->input, request, name, sizeof name);
    if (entry->status == ACCD_ERROR_NOT_PRESENT)
        snprintf(device, sizeof device, " %d", plan->env->device.number);
    return accd__report_request_error(plan, request, holder, entry->status, entry->rule, "%s%s%s%s%s",
                                      entry->text_before, *entry->text_before ? " " : "", name, entry->text_after,
                                      device);
}

/* --------------------------------------------------------------------------- extended ranges -- */

/* Returns the address in the pointer to section number `section` of a walk (that of element 0), if the section begins
 * with a later element. Otherwise returns 0. */
static uint64_t section_base_address(const struct accd_walk *walk, size_t section)
{
    size_t row;
    const struct accd__segment *segment = accd__find_segment(walk, section, &row);
    int64_t start = accd__section_start(segment, row);
    return start > 0 ? segment->host[row] - (uint64_t)start * segment->field->unit : 0;
}

/* Returns the address of element 0 of the array of `request`, or of the structure around it, if it precedes the data
 * and the knob `extended_range` is set. Otherwise returns 0. */
uint64_t accd__request_extended_base(const struct accd__plan *plan, const struct accd__request *request)
{
    if (!plan->context->rules.extended_range)
        return 0;
    if (request->source & ACCD_SOURCE_WALKED)
        return section_base_address(plan->input.walk, request->source & ~ACCD_SOURCE_WALKED);
    uint64_t base = plan->input.sources[request->source].base;
    return base < request->host ? base : 0;
}

/* Returns the address at which the extended range of `object` begins (element 0 of its array, before its data). 0: no
 * such address is recorded for `object`. */
static uint64_t object_base_address(const struct accd__device_env *env, const struct accd__object *object)
{
    const struct accd__group *group = object->size & ACCD_OBJECT_MEMBER ? env->groups.at[object->where] : NULL;
    if (group)
        return section_base_address(group->walk, (size_t)(object - group->objects));
    return object->size & ACCD_OBJECT_ORIGIN ? env->present.origins[object->where].base : 0;
}

/* Makes objects of the sections of pending groups (table/group.h) in which sections begin after the addresses in their
 * pointers, because only objects can be searched for these addresses. Fails only without memory. */
static accd_status expand_shifted_groups(struct accd__device_env *env)
{
    for (size_t g = 0; g < env->groups.n && env->groups.npending; g++) {
        struct accd__group *group = env->groups.at[g];
        for (size_t i = 0; group && group->pending && i < group->walk->nsegments; i++)
            if (group->walk->segments[i].start_of || group->walk->segments[i].start)
                ACCD_TRY(accd__group_expand_sections(env, group));
    }
    return ACCD_OK;
}

/* Sets *object_p to the nearest present object after `host` whose extended range contains `host`; NULL: there is none,
 * or the knob `extended_range` is not set. Searches the present objects and the items of open regions. Fails only
 * without memory. Decides OMP60-map-10. */
accd_status accd__find_extended_object(struct accd__device_env *env, uint64_t host, struct accd__object **object_p)
{
    struct accd__btree_cursor cursor;
    struct accd__object *found = NULL;
    *object_p = NULL;
    if (!env->context->rules.extended_range || !host)
        return ACCD_OK;
    ACCD_TRY(expand_shifted_groups(env));
    struct accd__object *object = accd__btree_seek(&env->present.objects, host + 1, &cursor);
    for (; object && !found; object = accd__btree_next(&cursor)) {
        uint64_t base = object_base_address(env, object);
        if (base && base <= host)
            found = object;
    }
    for (const struct accd_region *region = env->levels.top; region; region = region->below)
        /* searches items of open regions, too, because an item whose data were present before the region gave its
         * object no base */
        for (size_t i = 0; i < region->nrequests; i++) {
            const struct accd__request *request = &region->requests[i];
            uint64_t base = request->source & ACCD_SOURCE_WALKED ? 0 : region->items[request->source].base;
            if (request->object && base && base <= host && host < request->host &&
                (!found || request->object->host < found->host))
                found = request->object;
        }
    *object_p = found;
    return ACCD_OK;
}

/* ---------------------------------------------------------------------- the present modifier -- */

/* True if the construct is an update, and the mapping program of the item of `request` moves no bytes of the elements
 * themselves, only sections that pointers in them reach. False for walked sections. */
bool accd__requests_members_only(const struct accd__plan *plan, const struct accd__request *request)
{
    const struct accd__item_source *source = accd__request_source(&plan->input, request);
    return plan->input.construct->kind == ACCD_KIND_UPDATE && source && source->root >= 0 &&
           !accd__has_own_moves(plan->input.construct->items[request->source].program);
}

/* Looks up each request with index `first` or greater that has the `present` modifier. Returns an error if one is
 * absent, or without memory. May set the states of these requests. Decides OMP60-map-9. */
accd_status accd__plan_check_required(struct accd__plan *plan, size_t first)
{
    struct accd__resolution found;
    for (size_t i = first; i < plan->resolved.nrequests; i++) {
        struct accd__request *request = &plan->resolved.requests[i];
        if (request->flags & ACCD_ITEM_REQUIRE_PRESENT && !accd__requests_members_only(plan, request) &&
            (request->bytes || plan->context->rules.counting != ACCD_COUNT_CLAUSES))
            ACCD_TRY(accd__resolve_request(plan, request, ACCD_DEMAND_PRESENT_BEFORE, &found));
    }
    return ACCD_OK;
}
