/* fast_pointers.c - pointers on the fast path: those that data clauses attach, and those whose attachments end when
 * data are unmapped. Pointers that cause errors, or change other attachments, are left to the general path. The holder
 * of a pointer is the present object that contains the pointer; its slot is its own host address. Used by fast_path.c.
 */
#include "ops/fast_path.h"
#include "table/attach.h"
#include "table/name.h"

#include <assert.h>

/* True if the label of `item`, or that of `object`, has a layout (program with excluded bytes); either may be NULL. */
bool accd__has_layout(struct accd__device_env *env, const accd_item *item, const struct accd__object *object)
{
    return (item && item->label && item->label->layout) || (object && accd__object_layout(env, object));
}

/* ------------------------------------------------------------------------------------- entry -- */

/* Returns the cached object, which contains the pointer looked up last, if it also contains the pointer at `slot`;
 * otherwise NULL. */
static struct accd__object *get_last_holder(const struct accd__device_env *env, uint64_t slot)
{
    struct accd__object *last = accd__cached_holder(env);
    return last && accd__object_contains(last, slot, sizeof(void *)) ? last : NULL;
}

/* Caches `holder`, which may be NULL, as the object that contains the pointer looked up last, and returns `holder`. */
static struct accd__object *set_last_holder(struct accd__device_env *env, struct accd__object *holder)
{
    env->attached.holder = holder;
    env->attached.holder_removals = env->present.objects.removals;
    return holder;
}

/* Sets attaches->holders[i] to the present object that contains the pointer of item i, or to NULL. Returns false if the
 * general path must run: a pointer lies only in part in an object, or its holder has a layout (excluded bytes). */
bool accd__find_fast_holders(struct accd__device_env *env, const accd_construct *construct,
                             struct accd__fast_attaches *attaches)
{
    assert(construct->nitems <= ACCD_FAST_PATH_ITEMS);
    const bool holes = env->context->layouts && env->context->policy.holes;
    struct accd__object **holders = attaches->holders;
    attaches->gap.low = attaches->gap.high = 0;
    for (size_t i = 0; i < construct->nitems; i++) {
        const uint64_t slot = accd__address(construct->items[i].slot);
        void *after;
        holders[i] = NULL;
        if (!slot)
            continue;
        holders[i] = get_last_holder(env, slot);
        if (!holders[i]) {
            struct accd__object *object = accd__find_neighbors(env, slot, &attaches->gap, &after);
            const struct accd__object *next = after;
            if (object && accd__object_contains(object, slot, sizeof(void *)))
                holders[i] = set_last_holder(env, object);
            else if ((object && slot < accd__object_end(object)) || (next && next->host - slot < sizeof(void *)))
                return false;
        }
        if (holders[i] && holes && accd__has_layout(env, NULL, holders[i]))
            return false;
    }
    return true;
}

/* Sets *found_p to whether the pointer of `planned` lies in an object to be created. If so, sets planned->in to the
 * number of the item for that object. `fresh`: bit set of items whose objects will be created. Returns false if the
 * pointer lies only in part in such an object, or the object has a layout; the general path must then run. */
static bool lies_in_new_object(const accd_construct *construct, unsigned fresh, struct accd__fast_attach *planned,
                               bool *found_p)
{
    *found_p = false;
    for (; fresh; fresh &= fresh - 1) {
        const uint8_t i = (uint8_t)__builtin_ctz(fresh);
        const accd_item *item = &construct->items[i];
        const uint64_t host = accd__address(item->host), offset = planned->slot - host;
        planned->in = i;
        *found_p = offset < item->bytes;
        if (*found_p)
            return sizeof(void *) <= item->bytes - offset && !accd__has_layout(NULL, item, NULL);
        if (host - planned->slot < sizeof(void *))
            return false;
    }
    return true;
}

/* Returns the attachment of the pointer at `slot`; NULL: the pointer is not attached. */
static struct accd__attachment *find_attachment_of_slot(struct accd__device_env *env, uint64_t slot)
{
    struct accd__attachment *attach = accd__btree_floor_hinted(&env->attached.slots, slot);
    return attach && attach->slot == slot ? attach : NULL;
}

/* Lists the pointers to attach in attaches->at. `fresh`: bit set of items whose objects will be created; `objects`:
 * objects of the other items. Returns false if the general path must run: mainly for null or changed pointers,
 * descriptors, absent pointers that the rules reject, and pointers that several clauses attach. Decides TR14-1.2-05,
 * OMP60-map-7. */
bool accd__find_fast_attaches(struct accd__device_env *env, const accd_construct *construct, unsigned fresh,
                              struct accd__object *const *objects, struct accd__fast_attaches *attaches)
{
    assert(construct->nitems <= ACCD_FAST_PATH_ITEMS && !(fresh >> construct->nitems));
    const struct accd__policy *policy = &env->context->policy;
    const accd_rules *rules = &env->context->rules;
    const bool counted = policy->counts_attachments;
    attaches->n = 0;
    if (env->attached.ndescriptors || env->device.ops->announce || rules->reattach != ACCD_REATTACH_MOVES)
        return false;
    for (size_t i = 0; i < construct->nitems; i++) {
        struct accd__fast_attach *planned = &attaches->at[attaches->n];
        const bool is_fresh = fresh >> i & 1;
        bool found;
        planned->slot = accd__address(construct->items[i].slot);
        planned->item = (uint8_t)i;
        if (!planned->slot)
            continue;
        planned->holder = attaches->holders[i];
        found = planned->holder;
        if (!found && !lies_in_new_object(construct, fresh, planned, &found))
            return false;
        if (!found && policy->slot[ACCD_SLOT_OWNER_ITEM][ACCD_SLOT_ABSENT])
            return false;
        if (!found || (rules->attach == ACCD_ATTACH_POLICY_NEW && planned->holder && !is_fresh))
            continue; /* the rules attach nothing: the pointer is absent or, where only new pairs are attached, pointer
                         and target were both present */
        planned->pointer = accd__load_pointer(planned->slot);
        planned->attach = find_attachment_of_slot(env, planned->slot);
        const struct accd__attachment *attach = planned->attach;
        planned->counts = attach && attach->target == planned->pointer;
        if (!planned->pointer || (attach && !planned->counts))
            return false;
        if (!counted) {
            planned->counts &=
                attach && attach->base && !is_fresh && accd__object_contains(objects[i], attach->base, 1);
            if (planned->counts)
                continue;
            if (attach && attach->base)
                return false;
        }
        for (size_t k = 0; k < attaches->n; k++)
            if (attaches->at[k].slot == planned->slot)
                return false;
        attaches->n++;
    }
    return true;
}

/* Stages the pointer value `value` for the pointer at `slot` in the open batch. Requires that `holder` contains the
 * slot. */
static void send_pointer(struct accd__device_env *env, const struct accd__object *holder, uint64_t slot, uint64_t value)
{
    assert(accd__object_contains(holder, slot, sizeof value));
    const uint64_t dev = holder->dev + (slot - holder->host);
    memcpy(env->device.ops->stage(env->device.handle, dev, sizeof value, NULL), &value, sizeof value);
}

/* Returns the value that the device copy of a planned pointer gets: the device address of the byte to which the pointer
 * points. */
static uint64_t attach_value(const struct accd__fast_attach *planned, struct accd__object *const *objects)
{
    assert(objects[planned->item]);
    return objects[planned->item]->dev + (planned->pointer - objects[planned->item]->host);
}

/* Stages, in the open batch, the device value of each planned pointer, except those that are attached to their targets
 * already. */
void accd__send_fast_pointers(struct accd__device_env *env, const struct accd__fast_attaches *attaches,
                              struct accd__object *const *objects)
{
    for (size_t i = 0; i < attaches->n; i++) {
        const struct accd__fast_attach *planned = &attaches->at[i];
        if (!planned->counts)
            send_pointer(env, planned->holder ? planned->holder : objects[planned->in], planned->slot,
                         attach_value(planned, objects));
    }
}

/* Increments the counter of each planned pointer that is attached to its target already; makes the attachments of the
 * others, or points them to the new target. Inserts all new attachments together. Cannot fail. Decides ACC33-att-1. */
void accd__commit_fast_attaches(struct accd__device_env *env, const accd_construct *construct,
                                struct accd__fast_attaches *attaches, struct accd__object *const *objects)
{
    struct accd__pair run[ACCD_FAST_PATH_ITEMS];
    size_t n = 0;
    for (size_t i = 0; i < attaches->n; i++) {
        struct accd__fast_attach *planned = &attaches->at[i];
        struct accd__attachment *attach = planned->attach;
        if (planned->counts) {
            attach->count++;
            continue;
        }
        struct accd__object *target = objects[planned->item],
                            *holder = planned->holder ? planned->holder : objects[planned->in];
        if (!attach) {
            attach = accd__new_attachment(env, planned->slot);
            size_t at = n++;
            for (; at && run[at - 1].key > planned->slot; at--)
                run[at] = run[at - 1];
            run[at] = (struct accd__pair){planned->slot, (uintptr_t)attach};
            holder->size |= env->context->policy.counts_attachments ? ACCD_OBJECT_HAD_POINTER : 0;
        }
        accd__attachment_set_label(attach, construct->items[planned->item].label);
        attach->target = planned->pointer;
        accd__attachment_set_base(env, attach, accd__address(construct->items[planned->item].host));
        attach->dev = attach_value(planned, objects);
        attach->count = 1;
        target->pins++;
    }
    accd__insert_attachments(env, run, n);
}

/* Returns the number of planned pointers whose device copies must be written: those not attached to their targets
 * already. */
size_t accd__count_fast_words(const struct accd__fast_attaches *attaches)
{
    size_t n = 0;
    for (size_t i = 0; i < attaches->n; i++)
        n += !attaches->at[i].counts;
    return n;
}

/* Returns the number of planned pointers without an attachment. */
size_t accd__count_new_attachments(const struct accd__fast_attaches *attaches)
{
    size_t n = 0;
    for (size_t i = 0; i < attaches->n; i++)
        n += !attaches->at[i].attach;
    return n;
}

/* Returns the bit set of items with planned pointers if the rules count attachments; otherwise 0. */
unsigned accd__get_counted_items(const struct accd__device_env *env, const struct accd__fast_attaches *attaches)
{
    unsigned items = 0;
    for (size_t i = 0; i < attaches->n && env->context->policy.counts_attachments; i++)
        items |= 1u << attaches->at[i].item;
    return items;
}

/* -------------------------------------------------------------------------------------- exit -- */

/* True if a clause decrements the counter of the attachment from 1 to 0. */
static bool is_last_detach(const struct accd__fast_detach *end)
{
    return end->detached && end->attach->count == 1;
}

/* Lists in `ends` the attachments that clauses detach, with their targets; none where attachments are not counted.
 * `dynamic`: exit data, not the end of a region. Returns false if the general path must run: for errors, descriptors,
 * removed targets, pointers that are named twice, and devices that need announcements. Decides ACC33-det-1. */
bool accd__find_fast_detaches(struct accd__device_env *env, const struct accd__request *requests, size_t n,
                              bool dynamic, struct accd__fast_detaches *ends)
{
    assert(n <= ACCD_FAST_PATH_ITEMS);
    const struct accd__policy *policy = &env->context->policy;
    ends->n = ends->inside = 0;
    ends->last = false;
    if (env->attached.ndescriptors || env->device.ops->announce)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct accd__attachment *attach = requests[i].slot ? find_attachment_of_slot(env, requests[i].slot) : NULL;
        ends->named[i] = attach;
        const bool named = requests[i].slot && (dynamic || (policy->region_end_detaches && attach));
        if (!policy->counts_attachments || !(named || requests[i].attached))
            continue;
        if (!attach && dynamic && !policy->slot[ACCD_SLOT_OWNER_ITEM][ACCD_SLOT_UNATTACHED])
            continue;
        if (!attach || !attach->base ||
            (attach->target != accd__load_pointer(attach->slot) &&
             policy->slot[ACCD_SLOT_OWNER_ITEM][ACCD_SLOT_CHANGED]))
            return false;
        for (size_t k = 0; k < ends->n; k++)
            if (ends->at[k].attach == attach)
                return false;
        struct accd__object *target = requests[i].object;
        if (!target || !accd__object_contains(target, attach->base, 1))
            target = accd__btree_floor_hinted(&env->present.objects, attach->base);
        if (!target || !accd__object_contains(target, attach->base, 1))
            return false;
        ends->at[ends->n++] = (struct accd__fast_detach){attach, target, NULL, true};
        ends->last |= attach->count == 1;
    }
    return true;
}

/* True if no pointer stays attached to the object of requests[request], except one that the rules let dangle, which is
 * added to `ends`. If the object contains attached pointers, sets bit `request` of ends->inside; false if the request
 * copies out, or the rules reject that. */
bool accd__can_remove_target(struct accd__device_env *env, const struct accd__request *requests, size_t request,
                             struct accd__fast_detaches *ends)
{
    assert(requests[request].object && ends->n <= ACCD_FAST_PATH_ITEMS);
    struct accd__object *object = requests[request].object;
    struct accd__attachment *attach = ends->named[request];
    const accd_rules *rules = &env->context->rules;
    uint32_t pins = object->pins;
    if (accd__range_has_pointers(env, object->host, accd__object_bytes(object))) {
        if (accd__traits_of_action[requests[request].action].out || rules->still_attached == ACCD_CHOICE_REJECT)
            return false;
        ends->inside |= 1u << request;
    }
    for (size_t i = 0; i < ends->n && ends->last && pins; i++)
        pins -= ends->at[i].target == object && is_last_detach(&ends->at[i]);
    if (!pins)
        return true;
    if (pins > 1 || ends->n == ACCD_FAST_PATH_ITEMS || !attach || !attach->base ||
        !accd__object_contains(object, attach->base, 1) || env->context->policy.counts_attachments ||
        rules->lost_target != ACCD_LOST_TARGET_DANGLES || rules->still_attached == ACCD_CHOICE_REJECT)
        return false;
    ends->at[ends->n++] = (struct accd__fast_detach){attach, object, NULL, false};
    return true;
}

/* Ends the attachments of all pointers that lie in `object`, which will be removed. Requires that no attached
 * descriptors exist. Decides ACC33-att-7. */
static void end_attachments_within(struct accd__device_env *env, const struct accd__object *object)
{
    assert(object);
    const uint64_t end = accd__object_end(object);
    bool has_ended = false;
    ACCD_FOR_EACH(struct accd__attachment, attach, &env->attached.slots, object->host)
    {
        if (attach->slot >= end)
            break;
        has_ended = true;
        struct accd__object *target = attach->base ? accd__btree_floor(&env->present.objects, attach->base) : NULL;
        if (target && target->pins && accd__object_contains(target, attach->base, 1))
            target->pins--;
        accd__attachment_set_base(env, attach, 0);
        accd__pool_free(&env->attached.pool, attach);
        env->attached.live--;
    }
    if (has_ended)
        accd__btree_erase_range(&env->attached.slots, object->host, end);
}

/* Ends the attachments in the objects of all requests in ends->inside. */
void accd__end_contained_attachments(struct accd__device_env *env, const struct accd__request *requests,
                                     const struct accd__fast_detaches *ends)
{
    for (unsigned left = env->attached.slots.count ? ends->inside : 0; left; left &= left - 1)
        end_attachments_within(env, requests[__builtin_ctz(left)].object);
}

/* Returns the object that contains the pointer at `slot`: the cached holder or an object of the requests. If none of
 * these does, caches and returns the last present object that begins at or before `slot` (which need not contain the
 * pointer), or NULL. */
static struct accd__object *find_slot_holder(struct accd__device_env *env, const struct accd__request *requests,
                                             size_t nrequests, uint64_t slot)
{
    struct accd__object *last = get_last_holder(env, slot);
    if (last)
        return last;
    for (size_t i = 0; i < nrequests; i++)
        if (requests[i].object && accd__object_contains(requests[i].object, slot, 1))
            return requests[i].object;
    return set_last_holder(env, accd__btree_floor_hinted(&env->present.objects, slot));
}

/* Sets the holder of each listed pointer whose counter becomes 0, unless the object that contains the pointer is absent
 * or removed, too. Returns the number of holders set. */
size_t accd__find_restored_pointers(struct accd__device_env *env, const struct accd__request *requests,
                                    size_t nrequests, struct accd__fast_detaches *ends)
{
    size_t n = 0;
    for (size_t i = 0; i < ends->n; i++) {
        struct accd__fast_detach *end = &ends->at[i];
        const uint64_t slot = end->attach->slot;
        end->holder = NULL;
        if (!is_last_detach(end))
            continue;
        struct accd__object *holder = find_slot_holder(env, requests, nrequests, slot);
        if (holder && accd__object_contains(holder, slot, 1) && !accd__is_unreferenced(holder)) {
            end->holder = holder;
            n++;
        }
    }
    return n;
}

/* Stages the host value of each pointer with a holder in the open batch. */
void accd__send_restored_pointers(struct accd__device_env *env, const struct accd__fast_detaches *ends)
{
    for (size_t i = 0; i < ends->n; i++)
        if (ends->at[i].holder)
            send_pointer(env, ends->at[i].holder, ends->at[i].attach->slot,
                         accd__load_pointer(ends->at[i].attach->slot));
}

/* Decrements the counters of listed attachments, and removes those whose counter becomes 0. Sets the base of
 * attachments that stay without target to 0. */
void accd__commit_fast_detaches(struct accd__device_env *env, const struct accd__fast_detaches *ends)
{
    assert(ends->n <= ACCD_FAST_PATH_ITEMS);
    struct accd__attachment *last[ACCD_FAST_PATH_ITEMS];
    size_t n = 0;
    for (size_t i = 0; i < ends->n; i++) {
        const struct accd__fast_detach *end = &ends->at[i];
        if (is_last_detach(end)) {
            end->target->pins--;
            last[n++] = end->attach;
        } else if (end->detached) {
            end->attach->count--;
        } else {
            accd__attachment_set_base(env, end->attach, 0);
        }
    }
    accd__remove_attachments(env, last, n);
}
