/* attach_plan.c - plans, writes and records the pointers that an entry construct attaches.
 *
 *     attaches->at[i]:   holder object             target object
 *                        +------------+            +-----------+
 *         request.slot ->|  pointer   |----------->| base      |     on the device the pointer gets
 *                        +------------+            +-----------+     dev(target) + (pointer - target.host)
 *
 * The slot is the host address of the pointer. The holder is the object that contains the pointer; the target is the
 * object into which it points. A planned attach refers to its holder and its target as objects, if they are present, or
 * by the indices of the requests that make them. An attachment is the record of an attached pointer (table/table.h).
 * Under counting rules (policy.counts_attachments), each attach increments the counter of the attachment; under other
 * rules, an attachment ends when its pointer is unmapped.
 *
 * Life of a planned attach:
 * 1. accd__attach_plan_make checks the pointer against the rules and finds holder and target.
 * 2. choose_targets marks all but one attach of a pointer as `repeats`, so that each pointer is written once.
 * 3. accd__attach_plan_words, once all objects have device addresses, plans the pointer values to write.
 * 4. accd__attach_plan_commit makes or re-targets the attachment and increments its counter; it cannot fail.
 * 5. accd__attach_plan_free frees the descriptors that no attachment took, after a commit as after a failure.
 *
 * Invariants: a slot has at most one attachment in env->attached.slots; target->pins is the number of attachments to an
 * object. Called by core/ops/enter.c. */
#include "plan/attach_plan.h"
#include "plan/change_set.h"
#include "plan/inside.h"
#include "table/attach.h"
#include "table/find.h"
#include "table/source.h"

#include <assert.h>

/* Sets *found to true if an object contains [host, host + bytes), except bytes that its clause excluded where the knob
 * `holes` makes them absent. Sets *object to that object if it is present. If this construct makes it, sets *request to
 * the index of the request that makes it, and *object to NULL. Fails only without memory. */
static accd_status find_pointer_holder(struct accd__plan *plan, uint64_t host, uint64_t bytes,
                                       struct accd__object **object, uint32_t *request, bool *found)
{
    assert(object && request && found);
    enum accd__containment relation;
    ACCD_TRY(accd__find_containment(plan->env, host, bytes, &relation, object));
    *found = relation == ACCD_RANGE_CONTAINED;
    if (*found && plan->context->policy.holes)
        *found = accd__compare_with_object(plan->env, *object, host, bytes) == ACCD_RANGE_CONTAINED;
    if (*found)
        return ACCD_OK;
    *object = NULL;
    const struct accd__request *fresh = accd__find_new_request(plan, host, 1);
    if (fresh && bytes <= fresh->host + fresh->bytes - host &&
        accd__request_allocates(plan, fresh, host, bytes, NULL)) {
        *request = (uint32_t)(fresh - plan->resolved.requests);
        *found = true;
    }
    return ACCD_OK;
}

/* Looks for the nearest list item, present or new, that begins after `host` and whose extended range contains `host`.
 * The extended range begins at element 0 of the item's array (OMP60-map-10). Sets *found to true if there is one, and
 * then the fields for target and base in `planned`. Fails only without memory. */
static accd_status find_extended_target(struct accd__plan *plan, struct accd__planned_attach *planned, uint64_t host,
                                        bool *found)
{
    assert(host);
    ACCD_TRY(accd__find_extended_object(plan->env, host, &planned->target));
    uint64_t nearest = planned->target ? planned->target->host : UINT64_MAX;
    /* Present objects are searched above; list items of this construct may be nearer, and their data may be new. */
    for (size_t i = 0; i < plan->input.construct->nitems; i++) {
        const struct accd__request *request = &plan->resolved.requests[i];
        uint64_t base = request->host > host ? accd__request_extended_base(plan, request) : 0;
        uint32_t owner = request->state == ACCD_REQUEST_WITHIN_NEW ? request->owner : (uint32_t)i;
        if (!base || base > host || plan->resolved.requests[owner].host >= nearest ||
            request->state == ACCD_REQUEST_SKIPPED || request->state == ACCD_REQUEST_UNRESOLVED)
            continue;
        /* NULL if the data are new; `target_request` then identifies the target */
        planned->target = plan->resolved.requests[owner].object;
        planned->target_request = owner;
        nearest = planned->target ? planned->target->host : plan->resolved.requests[owner].host;
    }
    *found = nearest != UINT64_MAX;
    planned->base = nearest;
    return ACCD_OK;
}

/* Looks for the target of a section without elements at `host`: data at that address, a list item whose extended range
 * contains it, or data that end just before it. Sets *found to true if there are such data, and then the fields for
 * target and base in `planned`. Fails only without memory. Decides OMP60-map-10, OMPEX-struct_map-10. */
static accd_status find_empty_target(struct accd__plan *plan, struct accd__planned_attach *planned, uint64_t host,
                                     bool *found)
{
    *found = false;
    for (uint64_t back = 0; back < 2 && host > back && !*found; back++) {
        planned->base = host - back;
        ACCD_TRY(find_pointer_holder(plan, planned->base, 1, &planned->target, &planned->target_request, found));
        if (!back && !*found)
            ACCD_TRY(find_extended_target(plan, planned, host, found));
    }
    return ACCD_OK;
}

/* Sets *attached_p to true if the pointer of `planned`, and its descriptor of `slot_bytes` bytes (0: a plain pointer),
 * have not changed since they were attached. Where attachments are not counted, the pointer must also be attached to
 * the planned target; if it is not, the attachment will move to that target. Fails only without memory. Decides
 * ACC33-att-3, FLANG-moving-target-1, FLANG-moving-target-2, FLANG-pointer-4, FLANG-api-4. */
static accd_status check_attached(struct accd__plan *plan, const struct accd__planned_attach *planned,
                                  uint32_t slot_bytes, bool *attached_p)
{
    const struct accd__attachment *attach = planned->attach;
    struct accd__object *before = NULL;
    *attached_p = attach && accd__is_attachment_current(attach, slot_bytes);
    if (!*attached_p || plan->context->policy.counts_attachments)
        return ACCD_OK;
    if (attach->base)
        ACCD_TRY(accd__find_object(plan->env, attach->base, &before));
    *attached_p = before && before == planned->target;
    return ACCD_OK;
}

/* Appends the attach of the pointer of request `index` to `attaches`, and sets request->attached. Appends nothing if
 * the rules do not attach that pointer. Returns an error if they reject it, if its host memory may not be read, or
 * without memory. Requires that the request has a slot, and capacity in attaches->at. Decides ACC33-att-2, ACC33-att-4,
 * ACC33-att-6, OMP60-map-7, FLANG-storage-3, FLANG-api-2, FLANG-api-3, OMPEX-struct_map-2, OMPEX-struct_map-8,
 * TR14-1.2-09. */
static accd_status plan_attach(struct accd__attach_plan *attaches, uint32_t index)
{
    struct accd__plan *plan = attaches->plan;
    assert(index < plan->resolved.nrequests && plan->resolved.requests[index].slot);
    struct accd__request *request = &plan->resolved.requests[index];
    const accd_rules *rules = &plan->context->rules;
    bool explicit = request->action == ACCD_ACTION_ATTACH;
    struct accd__planned_attach planned = {.request = index};
    const uint32_t slot_bytes = accd__request_slot_bytes(&plan->input, request);
    const uint64_t bytes = slot_bytes ? slot_bytes : sizeof(void *);
    bool found;
    ACCD_TRY(find_pointer_holder(plan, request->slot, bytes, &planned.holder, &planned.holder_request, &found));
    if (!found) /* the pointer lies in no object: the rules ignore that, or reject it */
        return accd__check_slot_state(plan, request, NULL, ACCD_SLOT_ABSENT);
    if (!accd__is_host_accessible(plan->context, request->slot, bytes))
        return accd__report_request_error(plan, request, planned.holder, ACCD_ERROR_OUT_OF_BOUNDS, R_HOST_BOUNDS,
                                          "the pointer to " ACCD_NAME_PLACEHOLDER " does not lie in live host memory");
    if (rules->reattach == ACCD_REATTACH_COUNTS) {
        ACCD_TRY(accd__find_attachment(plan->env, request->slot, &planned.attach));
        if (planned.attach) { /* the pointer keeps its old target, whatever it contains now */
            planned.pointer = planned.attach->target;
            request->attached = true;
            planned.counts = true;
            attaches->at[attaches->n++] = planned;
            return ACCD_OK;
        }
    }
    planned.pointer = accd__load_pointer(request->slot);
    if (!explicit && request->state != ACCD_REQUEST_SKIPPED) {
        planned.base = request->host;
        planned.target = request->object;
        planned.target_request = request->state == ACCD_REQUEST_WITHIN_NEW ? request->owner : index;
    } else if (planned.pointer) {
        if (!explicit && !request->bytes) {
            ACCD_TRY(find_empty_target(plan, &planned, request->host, &found));
        } else if (slot_bytes && request->bytes) { /* the data that the descriptor describes must all be present */
            planned.base = request->host;
            ACCD_TRY(find_pointer_holder(plan, request->host, request->bytes, &planned.target, &planned.target_request,
                                         &found));
        } else {
            ACCD_TRY(find_pointer_holder(plan, planned.pointer, 1, &planned.target, &planned.target_request, &found));
        }
        if (!found)
            return accd__check_slot_state(plan, request, NULL, ACCD_SLOT_TARGET_ABSENT);
    } else if (!explicit) {
        return ACCD_OK;
    } else {
        ACCD_TRY(accd__check_slot_state(plan, request, planned.holder, ACCD_SLOT_NULL));
    }
    explicit |= (request->flags & ACCD_ITEM_ATTACH_ALWAYS) != 0; /* attached like an explicit attach (OMP61-1) */
    if (rules->attach == ACCD_ATTACH_POLICY_NEW && !explicit && planned.holder && planned.target)
        return ACCD_OK; /* attaches nothing: neither the holder nor the target is new (OMP60-map-7) */
    ACCD_TRY(accd__find_attachment(plan->env, request->slot, &planned.attach));
    ACCD_TRY(check_attached(plan, &planned, slot_bytes, &planned.counts));
    if (planned.attach && !planned.counts && !accd__is_attachment_current(planned.attach, slot_bytes))
        ACCD_TRY(accd__check_slot_state(plan, request, NULL, ACCD_SLOT_REPOINTED));
    /* The attachment will move. The look-up of its old target may have to expand a group, which may fail; done here, it
     * cannot fail when the commit repeats it. */
    if (planned.attach && !planned.counts) {
        attaches->nreattached++;
        struct accd__object *before;
        ACCD_TRY(accd__find_object(plan->env, planned.attach->base, &before));
    }
    if (slot_bytes && !planned.counts) {
        planned.descriptor = accd__save_descriptor(plan->env, accd__pointer(request->slot), slot_bytes);
        if (!planned.descriptor)
            return accd__report_plan_out_of_memory(plan->context);
    }
    request->attached = true;
    attaches->at[attaches->n++] = planned;
    return ACCD_OK;
}

/* True if `a` is a better attach than `b` of the same pointer: the target of `a` contains the byte that the pointer
 * points to. If both targets or neither contain it, the first in memory is better. The order of clauses therefore has
 * no effect. Decides TR14-4.2-01. */
static bool is_preferred_target(const struct accd__plan *plan, const struct accd__planned_attach *a,
                                const struct accd__planned_attach *b)
{
    uint64_t host[2];
    bool contains_pointer[2];
    const struct accd__planned_attach *attaches[] = {a, b};
    for (int k = 0; k < 2; k++) {
        const struct accd__object *object = attaches[k]->target;
        const struct accd__request *request = &plan->resolved.requests[attaches[k]->target_request];
        uint64_t bytes = object ? accd__object_bytes(object) : request->bytes;
        host[k] = object ? object->host : request->host;
        contains_pointer[k] = attaches[k]->pointer - host[k] < bytes;
    }
    return contains_pointer[0] != contains_pointer[1] ? contains_pointer[0] : host[0] < host[1];
}

/* Chooses one attach for each pointer that several requests attach, and sets `repeats` of the others. With the knob
 * `counting` = `items`, the last one is chosen; otherwise the one with the preferred target. The chosen attach takes
 * the position of the first one in the list. Under counting rules, `repeats` stays false if the pointer is attached to
 * its target already. Returns ACCD_ERROR_OUT_OF_MEMORY without memory. */
static __attribute__((noinline, cold)) accd_status choose_targets(struct accd__attach_plan *attaches)
{
    assert(attaches->n >= 2);
    struct accd__plan *plan = attaches->plan;
    const bool counted = plan->context->policy.counts_attachments;
    /* each item attaches the pointer again, so that the last item determines the target */
    const bool last = plan->context->rules.counting == ACCD_COUNT_ITEMS;
    size_t n = attaches->n;
    struct accd__pair *pairs;
    ACCD_SCRATCH_ALLOC(plan->context, pairs, 2 * n);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct accd__pair){plan->resolved.requests[attaches->at[i].request].slot, i};
    pairs = accd__sort_pairs(pairs, pairs + n, n);
    for (size_t i = 0, end; i < n; i = end) {
        size_t first = pairs[i].value, best = first;
        for (end = i + 1; end < n && pairs[end].key == pairs[i].key; end++) {
            size_t other = pairs[end].value;
            first = other < first ? other : first;
            best = last || is_preferred_target(plan, &attaches->at[other], &attaches->at[best]) ? other : best;
        }
        struct accd__planned_attach swap = attaches->at[first];
        attaches->at[first] = attaches->at[best];
        attaches->at[best] = swap;
        for (size_t k = i; k < end && !(counted && attaches->at[first].counts); k++)
            attaches->at[pairs[k].value].repeats = pairs[k].value != first;
    }
    return ACCD_OK;
}

/* Fills attaches->at with the attaches of all requests of an entry that have a pointer, except those whose data are
 * skipped. An explicit attach clause is never skipped. Returns an error if the rules reject a pointer, or without
 * memory. Decides TR14-1.2-05, TR14-1.2-18, TR14-1.2-19, TR14-1.2-20, TR14-4.1-02, TR14-4.2-10, TR14-4.3-03,
 * OMPEX-struct_map-9. */
accd_status accd__attach_plan_make(struct accd__attach_plan *attaches)
{
    assert(!attaches->n);
    struct accd__plan *plan = attaches->plan;
    size_t n = 0;
    for (size_t i = 0; i < plan->resolved.nrequests; i++)
        n += plan->resolved.requests[i].slot != 0;
    if (!n)
        return ACCD_OK;
    ACCD_SCRATCH_ALLOC(plan->context, attaches->at, n);
    const bool counted = plan->context->policy.counts_attachments;
    for (uint32_t i = 0; i < plan->resolved.nrequests; i++) {
        const struct accd__request *request = &plan->resolved.requests[i];
        bool has_data_request = request->bytes ? request->state != ACCD_REQUEST_SKIPPED : !counted;
        if (request->slot && (has_data_request || request->action == ACCD_ACTION_ATTACH) &&
            accd__traits_of_action[request->action].entry)
            ACCD_TRY(plan_attach(attaches, i));
    }
    return attaches->n < 2 ? ACCD_OK : choose_targets(attaches);
}

/* Returns the object that contains the pointer of `planned`. Requires that the new objects of the construct exist. */
static struct accd__object *attach_holder(const struct accd__plan *plan, const struct accd__planned_attach *planned)
{
    return planned->holder ? planned->holder : plan->resolved.requests[planned->holder_request].object;
}

/* Returns the target object of `planned`; NULL: the pointer is a null pointer. Requires that the new objects of the
 * construct exist. */
static struct accd__object *attach_target(const struct accd__plan *plan, const struct accd__planned_attach *planned)
{
    return !planned->pointer ? NULL
           : planned->target ? planned->target
                             : plan->resolved.requests[planned->target_request].object;
}

/* Returns the device value of the pointer of `planned`: the device address of the byte that the pointer points to. 0:
 * it is a null pointer. Decides FLANG-api-6, TR14-3.5-05. */
static uint64_t attach_value(const struct accd__plan *plan, const struct accd__planned_attach *planned)
{
    const struct accd__object *target = attach_target(plan, planned);
    return target ? accd__planned_object_dev(plan, target) + (planned->pointer - target->host) : 0;
}

/* Plans the writes of the device values of all planned pointers, except those whose device pointer has its value
 * already (`counts`) or gets it from a second attach (`repeats`). Fails only without memory. Decides TR14-1.1-04,
 * TR14-4.1-01, FLANG-pointer-3. */
accd_status accd__attach_plan_words(const struct accd__attach_plan *attaches)
{
    struct accd__plan *plan = attaches->plan;
    for (size_t i = attaches->n; i-- > 0;) { /* the order is reversed: if one descriptor is written several times, the
                                                first attach is written last and stays */
        const struct accd__planned_attach *planned = &attaches->at[i];
        if (planned->counts || planned->repeats)
            continue; /* the device pointer has its value already, or gets it from another planned attach */
        const struct accd__object *holder = attach_holder(plan, planned);
        uint64_t dev =
            accd__planned_object_dev(plan, holder) + (plan->resolved.requests[planned->request].slot - holder->host);
        const struct accd__saved_descriptor *descriptor = planned->descriptor;
        ACCD_TRY(accd__plan_add_pointer(plan, plan->resolved.requests[planned->request].slot, dev,
                                        attach_value(plan, planned), descriptor ? descriptor->rest : NULL,
                                        descriptor ? descriptor->bytes : 0));
    }
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------ commit -- */

/* True if `a` is not NULL and both saved descriptors have equal sizes and equal bytes after their addresses of data. */
static bool descriptors_equal(const struct accd__saved_descriptor *a, const struct accd__saved_descriptor *b)
{
    assert(b);
    return a && a->bytes == b->bytes && !memcmp(a->rest, b->rest, a->bytes - sizeof(void *));
}

/* Frees the saved descriptors of all planned attaches that still own one. */
void accd__attach_plan_free(struct accd__attach_plan *attaches)
{
    for (size_t i = 0; i < attaches->n; i++)
        accd__free_saved_descriptor(attaches->plan->env, attaches->at[i].descriptor);
}

/* Makes the attachment of each planned pointer, moves it to the new target, or increments its counter. Clears
 * request->attached where nothing was attached, which includes attaches that neither write nor count. Cannot fail.
 * Decides ACC33-att-1, TR14-4.1-04, FLANG-pointer-1. */
void accd__attach_plan_commit(struct accd__attach_plan *attaches)
{
    struct accd__plan *plan = attaches->plan;
    struct accd__device_env *env = plan->env;
    for (size_t i = 0; i < attaches->n; i++) {
        const bool counted = plan->context->policy.counts_attachments;
        struct accd__planned_attach *planned = &attaches->at[i];
        struct accd__request *request = &plan->resolved.requests[planned->request];
        if (!counted && (planned->repeats || planned->counts)) {
            request->attached = false;
            continue;
        }
        /* looks the attachment up again: an earlier iteration may have made or removed it */
        struct accd__attachment *attach = accd__btree_floor(&env->attached.slots, request->slot);
        if (attach && attach->slot != request->slot)
            attach = NULL;
        struct accd__object *target = attach_target(plan, planned);
        if (counted && attach && attach->target == planned->pointer &&
            (planned->counts || !planned->descriptor || descriptors_equal(attach->descriptor, planned->descriptor))) {
            attach->count++; /* the pointer was attached before, or by another clause of this construct */
            continue;
        }
        if (attach) { /* the pointer is attached again, to another target: the counter restarts (ACC33-att-3) */
            struct accd__object *before = NULL;
            if (accd__find_object(env, attach->base, &before) == ACCD_OK && before && before->pins)
                before->pins--;
            if (!target)
                accd__remove_attachment(env, attach);
        }
        if (!target) { /* the device got a null pointer, which is no attachment, so that no exit detaches it */
            request->attached = false;
            continue;
        }
        if (!attach &&
            /* marks the holder: a detach with finalize writes host values of unattached pointers only in marked
             * objects */
            counted)
            attach_holder(plan, planned)->size |= ACCD_OBJECT_HAD_POINTER;
        if (!attach)
            attach = accd__insert_attachment(env, request->slot);
        accd__attachment_set_label(attach, accd__request_label(&plan->input, request));
        env->attached.ndescriptors += (planned->descriptor != NULL) - (size_t)(attach->descriptor != NULL);
        accd__free_saved_descriptor(env, attach->descriptor);
        attach->descriptor = planned->descriptor;
        planned->descriptor = NULL;
        attach->target = planned->pointer;
        accd__attachment_set_base(env, attach, planned->base ? planned->base : planned->pointer);
        attach->dev = attach_value(plan, planned);
        attach->count = 1;
        target->pins++;
    }
}

/* Returns ACCD_ERROR_POINTER_CHANGED if the host pointer of `attach` no longer has the value with which it was
 * attached. Returns ACCD_OK if the rules do not check that (knob `pointer_changed`), or the host memory of the pointer
 * may not be read. Decides TR14-4.3-04, TR14-1.2-17, TR14-2.3-06. */
accd_status accd__check_pointer_unchanged(const struct accd__plan *plan, const struct accd__request *request,
                                          const struct accd__attachment *attach)
{
    assert(attach);
    uint64_t bytes = accd__attachment_end(attach) - attach->slot;
    if (!plan->context->policy.slot[ACCD_SLOT_OWNER_ITEM][ACCD_SLOT_CHANGED] ||
        !accd__is_host_accessible(plan->context, attach->slot, bytes) ||
        accd__is_attachment_current(attach, accd__request_slot_bytes(&plan->input, request)))
        return ACCD_OK;
    return accd__check_slot_state(plan, request, NULL, ACCD_SLOT_CHANGED);
}
