/* short_pointers.c - pointers of plain constructs: those that data clauses attach, and what becomes of them where data
 * go. What would be an error, or changes what others attached, is the general way's. */
#include "ops/short.h"
#include "table/name.h"

bool accd_has_layout(struct accd_directory *dir, const accd_item *item, const struct accd_object *object)
{
    return (item && item->label && item->label->layout) || (object && accd_layout_of(dir, object));
}

/* ------------------------------------------------------------------------------------ entry -- */

/* The last holder, if it has the pointer. */
static struct accd_object *last_holder(const struct accd_directory *dir, uint64_t slot)
{
    struct accd_object *last = accd_short_holder(dir);
    return last && accd_object_holds(last, slot, sizeof(void *)) ? last : NULL;
}

static struct accd_object *keep_holder(struct accd_directory *dir, struct accd_object *holder)
{
    dir->attached.holder = holder;
    dir->attached.holder_gone = dir->present.objects.gone;
    return holder;
}

bool accd_short_holders(struct accd_directory *dir, const accd_construct *construct, struct accd_short_links *links)
{
    const bool holes = dir->context->layouts && dir->context->verdicts.holes;
    struct accd_object **holders = links->holders;
    links->gap.low = links->gap.high = 0;
    for (size_t i = 0; i < construct->nitems; i++) {
        const uint64_t slot = accd_address(construct->items[i].slot);
        void *after;
        holders[i] = NULL;
        if (!slot)
            continue;
        holders[i] = last_holder(dir, slot);
        if (!holders[i]) {
            struct accd_object *object = accd_short_around(dir, slot, &links->gap, &after);
            const struct accd_object *next = after;
            if (object && accd_object_holds(object, slot, sizeof(void *)))
                holders[i] = keep_holder(dir, object);
            else if ((object && slot < accd_object_end(object)) || (next && next->host - slot < sizeof(void *)))
                return false;
        }
        if (holders[i] && holes && accd_has_layout(dir, NULL, holders[i]))
            return false;
    }
    return true;
}

/* Whether a pointer lies in data that are to be created: those of item in. *found_p: it does. False: not all of it. */
static bool lies_in_fresh(const accd_construct *construct, unsigned fresh, struct accd_short_link *link, bool *found_p)
{
    *found_p = false;
    for (; fresh; fresh &= fresh - 1) {
        const uint8_t i = (uint8_t)__builtin_ctz(fresh);
        const accd_item *item = &construct->items[i];
        const uint64_t host = accd_address(item->host), into = link->slot - host;
        link->in = i;
        *found_p = into < item->bytes;
        if (*found_p)
            return sizeof(void *) <= item->bytes - into && !accd_has_layout(NULL, item, NULL);
        if (host - link->slot < sizeof(void *))
            return false;
    }
    return true;
}

static struct accd_attach *find_attach(struct accd_directory *dir, uint64_t slot)
{
    struct accd_attach *attach = accd_range_floor_near(&dir->attached.slots, slot);
    return attach && attach->slot == slot ? attach : NULL;
}

/* Pointers that were changed, or that several clauses move, are the general way's.
 * Decides TR14-1.2-05, OMP60-map-7. */
bool accd_short_links(struct accd_directory *dir, const accd_construct *construct, unsigned fresh,
                      struct accd_object *const *objects, struct accd_short_links *links)
{
    const struct accd_verdicts *verdicts = &dir->context->verdicts;
    const accd_rules *rules = &dir->context->rules;
    const bool counted = verdicts->counts_attachments;
    links->n = 0;
    if (dir->attached.nwhole || dir->device.ops->announce || rules->reattach != ACCD_REATTACH_MOVES)
        return false;
    for (size_t i = 0; i < construct->nitems; i++) {
        struct accd_short_link *link = &links->at[links->n];
        const bool is_fresh = fresh >> i & 1;
        bool found;
        link->slot = accd_address(construct->items[i].slot);
        link->item = (uint8_t)i;
        if (!link->slot)
            continue;
        link->holder = links->holders[i];
        found = link->holder;
        if (!found && !lies_in_fresh(construct, fresh, link, &found))
            return false;
        if (!found && verdicts->slot[ACCD_OF_ITEM][ACCD_SLOT_ABSENT])
            return false;
        if (!found || (rules->attach == ACCD_ATTACH_NEW && link->holder && !is_fresh))
            continue; /* neither is new */
        link->pointer = accd_load_pointer(link->slot);
        link->attach = find_attach(dir, link->slot);
        const struct accd_attach *attach = link->attach;
        link->counts = attach && attach->target == link->pointer;
        if (!link->pointer || (attach && !link->counts))
            return false;
        if (!counted) {
            link->counts &= attach && attach->base && !is_fresh && accd_object_holds(objects[i], attach->base, 1);
            if (link->counts)
                continue;
            if (attach && attach->base)
                return false;
        }
        for (size_t k = 0; k < links->n; k++)
            if (links->at[k].slot == link->slot)
                return false;
        links->n++;
    }
    return true;
}

static void send_word(struct accd_directory *dir, const struct accd_object *holder, uint64_t slot, uint64_t value)
{
    const uint64_t dev = holder->dev + (slot - holder->host);
    memcpy(dir->device.ops->stage(dir->device.handle, dev, sizeof value), &value, sizeof value);
}

static uint64_t value_of(const struct accd_short_link *link, struct accd_object *const *objects)
{
    return objects[link->item]->dev + (link->pointer - objects[link->item]->host);
}

void accd_short_send(struct accd_directory *dir, const struct accd_short_links *links,
                     struct accd_object *const *objects)
{
    for (size_t i = 0; i < links->n; i++) {
        const struct accd_short_link *link = &links->at[i];
        if (!link->counts)
            send_word(dir, link->holder ? link->holder : objects[link->in], link->slot, value_of(link, objects));
    }
}

/* Decides ACC33-att-1. */
void accd_short_attach(struct accd_directory *dir, const accd_construct *construct, struct accd_short_links *links,
                         struct accd_object *const *objects)
{
    struct accd_pair run[ACCD_SHORT_ITEMS];
    size_t n = 0;
    for (size_t i = 0; i < links->n; i++) {
        struct accd_short_link *link = &links->at[i];
        struct accd_attach *attach = link->attach;
        if (link->counts) {
            attach->count++;
            continue;
        }
        struct accd_object *target = objects[link->item], *holder = link->holder ? link->holder : objects[link->in];
        if (!attach) {
            attach = accd_new_attach(dir, link->slot);
            size_t at = n++;
            for (; at && run[at - 1].key > link->slot; at--)
                run[at] = run[at - 1];
            run[at] = (struct accd_pair){link->slot, (uintptr_t)attach};
            holder->size |= dir->context->verdicts.counts_attachments ? ACCD_OBJECT_HOLDS : 0;
        }
        accd_attach_label(attach, construct->items[link->item].label);
        attach->target = link->pointer;
        accd_attach_lead(dir, attach, accd_address(construct->items[link->item].host));
        attach->dev = value_of(link, objects);
        attach->count = 1;
        target->pins++;
    }
    accd_insert_attaches(dir, run, n);
}

size_t accd_short_words(const struct accd_short_links *links)
{
    size_t n = 0;
    for (size_t i = 0; i < links->n; i++)
        n += !links->at[i].counts;
    return n;
}

size_t accd_short_records(const struct accd_short_links *links)
{
    size_t n = 0;
    for (size_t i = 0; i < links->n; i++)
        n += !links->at[i].attach;
    return n;
}

unsigned accd_short_attached(const struct accd_directory *dir, const struct accd_short_links *links)
{
    unsigned items = 0;
    for (size_t i = 0; i < links->n && dir->context->verdicts.counts_attachments; i++)
        items |= 1u << links->at[i].item;
    return items;
}

/* ------------------------------------------------------------------------------------- exit -- */

static bool is_last(const struct accd_short_end *end) { return end->detached && end->attach->count == 1; }

/* Decides ACC33-det-1. */
bool accd_short_ends(struct accd_directory *dir, const struct accd_claim *claims, size_t n, bool dynamic,
                      struct accd_short_ends *ends)
{
    const struct accd_verdicts *verdicts = &dir->context->verdicts;
    ends->n = ends->inside = 0;
    ends->last = false;
    if (dir->attached.nwhole || dir->device.ops->announce)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct accd_attach *attach = claims[i].slot ? find_attach(dir, claims[i].slot) : NULL;
        ends->named[i] = attach;
        const bool named = claims[i].slot && (dynamic || (verdicts->ends_detach && attach));
        if (!verdicts->counts_attachments || !(named || claims[i].attached))
            continue;
        if (!attach && dynamic && !verdicts->slot[ACCD_OF_ITEM][ACCD_SLOT_UNATTACHED])
            continue;
        if (!attach || !attach->base ||
            (attach->target != accd_load_pointer(attach->slot) && verdicts->slot[ACCD_OF_ITEM][ACCD_SLOT_CHANGED]))
            return false;
        for (size_t k = 0; k < ends->n; k++)
            if (ends->at[k].attach == attach)
                return false;
        struct accd_object *target = claims[i].object;
        if (!target || !accd_object_holds(target, attach->base, 1))
            target = accd_range_floor_near(&dir->present.objects, attach->base);
        if (!target || !accd_object_holds(target, attach->base, 1))
            return false;
        ends->at[ends->n++] = (struct accd_short_end){attach, target, NULL, true};
        ends->last |= attach->count == 1;
    }
    return true;
}

bool accd_short_lets_go(struct accd_directory *dir, const struct accd_claim *claims, size_t claim,
                        struct accd_short_ends *ends)
{
    struct accd_object *object = claims[claim].object;
    struct accd_attach *attach = ends->named[claim];
    const accd_rules *rules = &dir->context->rules;
    uint32_t pins = object->pins;
    if (accd_has_pointers(dir, object->host, accd_object_bytes(object))) {
        if (accd_demands[claims[claim].action].out || rules->still_attached == ACCD_REJECT)
            return false;
        ends->inside |= 1u << claim;
    }
    for (size_t i = 0; i < ends->n && ends->last && pins; i++)
        pins -= ends->at[i].target == object && is_last(&ends->at[i]);
    if (!pins)
        return true;
    if (pins > 1 || ends->n == ACCD_SHORT_ITEMS || !attach || !attach->base ||
        !accd_object_holds(object, attach->base, 1) || dir->context->verdicts.counts_attachments ||
        rules->lost_target != ACCD_LOST_DANGLES || rules->still_attached == ACCD_REJECT)
        return false;
    ends->at[ends->n++] = (struct accd_short_end){attach, object, NULL, false};
    return true;
}

/* Decides ACC33-att-7. */
static void end_inside(struct accd_directory *dir, const struct accd_object *object)
{
    const uint64_t end = accd_object_end(object);
    bool any = false;
    ACCD_EACH(struct accd_attach, attach, &dir->attached.slots, object->host)
    {
        if (attach->slot >= end)
            break;
        any = true;
        struct accd_object *target = attach->base ? accd_range_floor(&dir->present.objects, attach->base) : NULL;
        if (target && target->pins && accd_object_holds(target, attach->base, 1))
            target->pins--;
        accd_attach_lead(dir, attach, 0);
        accd_pool_give(&dir->attached.pool, attach);
        dir->attached.live--;
    }
    if (any)
        accd_range_erase_run(&dir->attached.slots, object->host, end);
}

void accd_short_end_inside(struct accd_directory *dir, const struct accd_claim *claims,
                           const struct accd_short_ends *ends)
{
    for (unsigned left = dir->attached.slots.count ? ends->inside : 0; left; left &= left - 1)
        end_inside(dir, claims[__builtin_ctz(left)].object);
}

/* The object that holds a pointer: the last that did, one of the claims', or another one. */
static struct accd_object *holder_of(struct accd_directory *dir, const struct accd_claim *claims, size_t nclaims,
                                     uint64_t slot)
{
    struct accd_object *last = last_holder(dir, slot);
    if (last)
        return last;
    for (size_t i = 0; i < nclaims; i++)
        if (claims[i].object && accd_object_holds(claims[i].object, slot, 1))
            return claims[i].object;
    return keep_holder(dir, accd_range_floor_near(&dir->present.objects, slot));
}

size_t accd_short_restore(struct accd_directory *dir, const struct accd_claim *claims, size_t nclaims,
                          struct accd_short_ends *ends)
{
    size_t n = 0;
    for (size_t i = 0; i < ends->n; i++) {
        struct accd_short_end *end = &ends->at[i];
        const uint64_t slot = end->attach->slot;
        end->holder = NULL;
        if (!is_last(end))
            continue;
        struct accd_object *holder = holder_of(dir, claims, nclaims, slot);
        if (holder && accd_object_holds(holder, slot, 1) && !accd_has_gone(holder)) {
            end->holder = holder;
            n++;
        }
    }
    return n;
}

void accd_short_send_ends(struct accd_directory *dir, const struct accd_short_ends *ends)
{
    for (size_t i = 0; i < ends->n; i++)
        if (ends->at[i].holder)
            send_word(dir, ends->at[i].holder, ends->at[i].attach->slot, accd_load_pointer(ends->at[i].attach->slot));
}

void accd_short_detach(struct accd_directory *dir, const struct accd_short_ends *ends)
{
    struct accd_attach *last[ACCD_SHORT_ITEMS];
    size_t n = 0;
    for (size_t i = 0; i < ends->n; i++) {
        const struct accd_short_end *end = &ends->at[i];
        if (is_last(end)) {
            end->target->pins--;
            last[n++] = end->attach;
        } else if (end->detached) {
            end->attach->count--;
        } else {
            accd_attach_lead(dir, end->attach, 0);
        }
    }
    accd_remove_attaches(dir, last, n);
}
