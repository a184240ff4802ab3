/* requests.c - requests of a plan: their sources, names and errors, how they are split, and the writes planned for
 * them. A request asks for one object; it comes from an item or from a section, the data to which a pointer in an
 * item's elements points (plan.h). Only the plan changes here, never the device, a counter or the host. */
#include "plan/change_set.h"
#include "plan/inside.h"
#include "table/find.h"
#include "table/name.h"
#include "table/objects.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

/* ------------------------------------------------------------------------------------- names -- */

/* Returns the source (label and host range of the item) of `request`; NULL: it is for a walked section. */
const struct accd__item_source *accd__request_source(const struct accd__plan_input *input,
                                                     const struct accd__request *request)
{
    return request->source & ACCD_SOURCE_WALKED ? NULL : &input->sources[request->source];
}

/* Returns the column of the walk (sections of one field) that contains the section of `request`, and sets *row_p to its
 * number there. Requires a request of a walked section. */
const struct accd__segment *accd__request_segment(const struct accd__plan_input *input,
                                                  const struct accd__request *request, size_t *row_p)
{
    assert(input->walk && request->source & ACCD_SOURCE_WALKED);
    return accd__find_segment(input->walk, request->source & ~ACCD_SOURCE_WALKED, row_p);
}

/* Returns the field (declaration of a mapped pointer or member) through which the section of a walked request is
 * reached. Requires a request of a walked section. */
static const accd_field *request_field(const struct accd__plan_input *input, const struct accd__request *request)
{
    size_t row;
    return accd__request_segment(input, request, &row)->field;
}

/* Returns the index of the item from which `request` comes, directly or by a walk. */
size_t accd__request_item(const struct accd__plan_input *input, const struct accd__request *request)
{
    size_t row;
    if (!(request->source & ACCD_SOURCE_WALKED))
        return request->source;
    return accd__segment_root(input->walk, accd__request_segment(input, request, &row))->item;
}

/* Returns the label (source of names in messages) of the item of `request` or, for a walked section, of its field; or
 * NULL. */
const accd_label *accd__request_label(const struct accd__plan_input *input, const struct accd__request *request)
{
    const struct accd__item_source *source = accd__request_source(input, request);
    return source ? source->label : request_field(input, request)->label;
}

/* Returns the mapping program of the elements of `request`, or NULL. For an item, requires that the construct still has
 * its items. */
const accd_program *accd__request_program(const struct accd__plan_input *input, const struct accd__request *request)
{
    if (!(request->source & ACCD_SOURCE_WALKED))
        return input->construct->items[request->source].program;
    return request_field(input, request)->child;
}

/* Writes the name of the data of `request`, as messages show it. */
void accd__format_request(const struct accd__plan_input *input, const struct accd__request *request, char *to,
                          size_t capacity)
{
    const struct accd__item_source *source = accd__request_source(input, request);
    if (source)
        accd__format_source(source, request->host, request->bytes, to, capacity);
    else
        accd__format_section(input->walk, request->source & ~ACCD_SOURCE_WALKED, to, capacity);
}

/* Writes the name of the pointer of `request`, as messages show it. */
void accd__format_request_slot(const struct accd__plan_input *input, const struct accd__request *request, char *to,
                               size_t capacity)
{
    const struct accd__item_source *source = accd__request_source(input, request);
    if (source)
        accd__format_pointer(source->label, source->index, to, capacity);
    else
        accd__format_row_slot(input->walk, request->source & ~ACCD_SOURCE_WALKED, to, capacity);
}

/* Records an error with a formatted message, the data of `request` and the conflicting object `other`. Returns
 * `status`. */
accd_status accd__report_request_error(const struct accd__plan *plan, const struct accd__request *request,
                                       const struct accd__object *other, accd_status status, enum accd__rule rule,
                                       const char *format, ...)
{
    accd_error *error = &plan->context->error;
    char text[sizeof error->message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    accd_object_info conflicting = {0};
    if (other)
        accd__describe_object(plan->env, other, &conflicting);
    accd__set_error(plan->context, status, rule, "%s", text);
    error->other = conflicting;
    if (!request)
        return status;
    accd__format_request(&plan->input, request, error->asked.name, sizeof error->asked.name);
    error->asked.host = request->host;
    error->asked.bytes = request->bytes;
    error->item = accd__request_item(&plan->input, request);
    return accd__insert_object_name(plan->context);
}

/* True if `request`, for a base pointer (pointer to another item's section), adds or removes references: the knob
 * `member` is `counted`, or the request covers the whole object. Requires request->object. Decides ACC33-att-10. */
bool accd__pointer_request_counts(const struct accd__plan *plan, const struct accd__request *request)
{
    assert(request->object);
    return plan->context->rules.member == ACCD_MEMBER_COUNTED || accd__object_bytes(request->object) <= request->bytes;
}

/* True if `request` comes from an item that is a base pointer (ACCD_ITEM_BASE_POINTER) or a member of a structure
 * (accd_item.frame is set). False for walked sections. */
bool accd__request_is_part(const struct accd__plan *plan, const struct accd__request *request)
{
    return !(request->source & ACCD_SOURCE_WALKED) &&
           (request->flags & ACCD_ITEM_BASE_POINTER || plan->input.construct->items[request->source].frame);
}

/* Sets ACCD_ITEM_UNCOUNTED (no reference is added or removed) in requests for parts of an object, all except the first.
 * If a part counts, items without a pointer that name the object directly get the flag, too. A part is a member or base
 * pointer. Requests with `finalize` are left unchanged. Decides OMP60-map-4. */
void accd__plan_requests_together(struct accd__plan *plan)
{
    struct accd__request *requests = plan->resolved.requests;
    /* first pass: members and base pointers; second pass: other items, which count only if no part of their object
     * does */
    for (int whole = 0; whole <= 1; whole++)
        for (size_t i = 0; i < plan->resolved.nrequests; i++) {
            struct accd__object *object = requests[i].object;
            if (!object || requests[i].flags & (ACCD_ITEM_UNCOUNTED | ACCD_ITEM_FINALIZE) ||
                accd__request_is_part(plan, &requests[i]) == whole ||
                (whole && (requests[i].slot || requests[i].source & ACCD_SOURCE_WALKED)))
                continue;
            if (object->size & ACCD_OBJECT_VISITED)
                requests[i].flags |= ACCD_ITEM_UNCOUNTED;
            else if (!whole)
                object->size |= ACCD_OBJECT_VISITED;
        }
    for (size_t i = 0; i < plan->resolved.nrequests; i++)
        if (requests[i].object)
            requests[i].object->size &= ~ACCD_OBJECT_VISITED;
}

/* ------------------------------------------------------------------------------------- moves -- */

/* Appends a copy of `move` to the planned moves. Fails only without memory. */
accd_status accd__plan_add_move(struct accd__plan *plan, const struct accd__move *move)
{
    assert(move);
    ACCD_SCRATCH_APPEND(plan->context, &plan->changes.moves, *move);
    return ACCD_OK;
}

/* Plans to write the 8 bytes of `value` to device address `dev`. Fails only without memory. */
accd_status accd__plan_add_word(struct accd__plan *plan, uint64_t dev, uint64_t value)
{
    ACCD_SCRATCH_APPEND(plan->context, &plan->changes.words, (struct accd__word){dev, value, sizeof value});
    return ACCD_OK;
}

/* Plans to fill `bytes` bytes at `dev` with `value`, as writes of at most 8 bytes each. Fails only without memory. */
accd_status accd__plan_add_fill(struct accd__plan *plan, uint64_t dev, uint64_t bytes, uint8_t value)
{
    struct accd__word word = {.bytes = sizeof word.value};
    memset(&word.value, value, sizeof word.value);
    for (uint64_t at = 0; at < bytes; at += word.bytes) {
        word.dev = dev + at;
        if (bytes - at < word.bytes)
            word.bytes = (uint32_t)(bytes - at);
        ACCD_SCRATCH_APPEND(plan->context, &plan->changes.words, word);
    }
    return ACCD_OK;
}

/* Plans to write the pointer value `value` to `dev`. If `rest` is not NULL, plans to write a descriptor of `bytes`
 * bytes, which begins with `value` and continues with the bytes at `rest`. If a pointer inside the descriptor stays
 * attached, its device value is written again. Fails only without memory. */
accd_status accd__plan_add_pointer(struct accd__plan *plan, uint64_t slot, uint64_t dev, uint64_t value,
                                   const void *rest, uint32_t bytes)
{
    assert(!rest || bytes >= sizeof value);
    if (!rest)
        return accd__plan_add_word(plan, dev, value);
    const struct accd__attachment *inner = accd__find_attachment_within(plan->env, slot, bytes);
    ACCD_SCRATCH_APPEND(plan->context, &plan->changes.descriptor_writes,
                        (struct accd__descriptor_write){dev, value, rest, bytes - (uint32_t)sizeof value});
    return inner && accd__planned_attach_count(plan, inner)
               ? accd__plan_add_word(plan, dev + (inner->slot - slot), accd__planned_attachment_dev(plan, inner))
               : ACCD_OK;
}

/* Returns the size in bytes of the descriptor (pointer with bounds) through which the data of `request` are reached; 0:
 * a plain pointer. Decides ACC33-att-9. */
uint32_t accd__request_slot_bytes(const struct accd__plan_input *input, const struct accd__request *request)
{
    const struct accd__item_source *source = accd__request_source(input, request);
    return source ? source->slot_bytes : request_field(input, request)->slot_bytes;
}

/* Makes room for `more` further requests, by moving the array of requests if needed; pointers to requests are then no
 * longer valid. Returns false without memory, and changes nothing. */
static bool reserve_requests(struct accd__plan *plan, size_t more)
{
    size_t need = plan->resolved.nrequests + more;
    if (need <= plan->resolved.requests_capacity)
        return true;
    need *= 2;
    struct accd__request *grown =
        accd__scratch_alloc(&plan->context->scratch, need * sizeof plan->resolved.requests[0]);
    if (!grown)
        return false;
    memcpy(grown, plan->resolved.requests, plan->resolved.nrequests * sizeof grown[0]);
    plan->resolved.requests = grown;
    plan->resolved.requests_capacity = need;
    return true;
}

/* Splits request `index` at the bounds of present objects or, with `storage`, at the holes of that storage object;
 * appends the further pieces. plan.h tells their states. Further pieces have no pointer. With `storage`, they also get
 * ACCD_ITEM_UNCOUNTED. Fails only without memory. */
accd_status accd__split_request(struct accd__plan *plan, uint32_t index, struct accd__object *storage)
{
    assert(index < plan->resolved.nrequests);
    assert(plan->resolved.requests[index].bytes);
    const struct accd__request whole = plan->resolved.requests[index];
    const uint64_t end = whole.host + whole.bytes;
    for (uint64_t at = whole.host, stop; at < end; at = stop) {
        struct accd__btree_cursor cursor;
        struct accd__object *object = storage ? storage : accd__first_object_after(plan->env, at, &cursor);
        const bool first = at == whole.host;
        bool is_present = object && object->host <= at;
        stop = storage || !object ? end : is_present ? accd__object_end(object) : object->host;
        stop = stop < end ? stop : end;
        if (storage)
            is_present = accd__is_byte_named(plan->env, storage, at, &stop);
        if (!first && !reserve_requests(plan, 1))
            return accd__report_plan_out_of_memory(plan->context);
        struct accd__request *request = &plan->resolved.requests[first ? index : plan->resolved.nrequests++];
        *request = whole;
        request->host = at;
        request->bytes = stop - at;
        if (is_present || storage) {
            request->state = is_present ? ACCD_REQUEST_PRESENT : ACCD_REQUEST_FILLS_HOLE;
            request->object = object;
        }
        if (first)
            continue;
        request->slot = 0; /* the first piece attaches or detaches the pointer; further pieces must not do it again */
        request->attached = false;
        if (storage) /* the pieces lie in one object, to which the first piece adds the reference */
            request->flags |= ACCD_ITEM_UNCOUNTED;
    }
    return ACCD_OK;
}

/* Returns the first request in resolved.fresh (requests that make objects, by host address) with a byte in [host, host
 * + bytes); NULL: there is none. */
struct accd__request *accd__find_new_request(const struct accd__plan *plan, uint64_t host, uint64_t bytes)
{
    assert(!plan->resolved.nfresh || plan->resolved.fresh);
    size_t low = 0, high = plan->resolved.nfresh;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct accd__request *request = &plan->resolved.requests[plan->resolved.fresh[middle]];
        if (request->host + request->bytes <= host)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == plan->resolved.nfresh)
        return NULL;
    struct accd__request *request = &plan->resolved.requests[plan->resolved.fresh[low]];
    return request->host < host + bytes ? request : NULL;
}

/* Records ACCD_ERROR_PARTIAL_OVERLAP about two requests of one construct, with `owner` as the other object, and returns
 * it. The message says that neither contains the other. With the knob `counting` = `items`, and if `request` is the
 * later one and contains `owner`, it says that instead. */
accd_status accd__report_overlap(const struct accd__plan *plan, const struct accd__request *request,
                                 const struct accd__request *owner)
{
    assert(request != owner);
    char name[sizeof plan->context->error.other.name];
    accd__format_request(&plan->input, owner, name, sizeof name);
    const bool later = plan->context->rules.counting == ACCD_COUNT_ITEMS && request > owner &&
                       owner->host - request->host < request->bytes &&
                       owner->bytes <= request->bytes - (owner->host - request->host);
    accd_status status = accd__report_request_error(
        plan, request, NULL, ACCD_ERROR_PARTIAL_OVERLAP,
        plan->context->rules.fusion ? R_OVERLAP_LEVELS : R_PARTIAL_OVERLAP,
        later ? ACCD_NAME_PLACEHOLDER " contains %s, which this directive maps before it"
              : ACCD_NAME_PLACEHOLDER " overlaps %s of this directive, and neither contains the other",
        *name ? name : "another object");
    accd_object_info *other = &plan->context->error.other;
    memcpy(other->name, name, sizeof name);
    other->host = owner->host;
    other->bytes = owner->bytes;
    return status;
}
