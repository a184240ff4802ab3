/* links.c - pointers that an entry construct attaches: what they point to, what is written to the device,
 * and what becomes of their attachment counters. */
#include "plan/inside.h"
#include "plan/ledger.h"
#include "plan/links.h"

static accd_status find_holder(struct accd_plan *plan, uint64_t host, uint64_t bytes,
                               struct accd_object **object, uint32_t *claim, bool *found)
{
    enum accd_relation relation;
    ACCD_TRY(accd_relate(plan->dir, host, bytes, &relation, object));
    *found = relation == ACCD_INSIDE;
    if (*found && plan->context->verdicts.holes)
        *found = accd_relate_within(plan->dir, *object, host, bytes) == ACCD_INSIDE;
    if (*found)
        return ACCD_OK;
    *object = NULL;
    const struct accd_claim *fresh = accd_fresh_in(plan, host, 1);
    if (fresh && bytes <= fresh->host + fresh->bytes - host &&
        accd_claim_keeps(plan, fresh, host, bytes, NULL)) {
        *claim = (uint32_t)(fresh - plan->found.claims);
        *found = true;
    }
    return ACCD_OK;
}

/* The list item, present or new, that begins behind an address but has it in its extended range. */
static accd_status find_behind(struct accd_plan *plan, struct accd_link *link, uint64_t host, bool *found)
{
    ACCD_TRY(accd_find_extended(plan->dir, host, &link->target));
    uint64_t nearest = link->target ? link->target->host : UINT64_MAX;
    for (size_t i = 0; i < plan->given.construct->nitems; i++) { /* of this construct */
        const struct accd_claim *claim = &plan->found.claims[i];
        uint64_t base = claim->host > host ? accd_claim_base(plan, claim) : 0;
        uint32_t owner = claim->state == ACCD_CLAIM_WITHIN ? claim->owner : (uint32_t)i;
        if (!base || base > host || plan->found.claims[owner].host >= nearest ||
            claim->state == ACCD_CLAIM_SKIP || claim->state == ACCD_CLAIM_OPEN)
            continue;
        link->target = plan->found.claims[owner].object; /* NULL, if it is new */
        link->target_claim = owner;
        nearest = link->target ? link->target->host : plan->found.claims[owner].host;
    }
    *found = nearest != UINT64_MAX;
    link->base = nearest;
    return ACCD_OK;
}

/* What a section of no elements stands for: data at its address, data whose extended range has it, or data just
 * before it (OMP60-map-10).
 * Decides OMP60-map-10, OMPEX-struct_map-10. */
static accd_status find_empty(struct accd_plan *plan, struct accd_link *link, uint64_t host, bool *found)
{
    *found = false;
    for (uint64_t back = 0; back < 2 && host > back && !*found; back++) {
        link->base = host - back;
        ACCD_TRY(find_holder(plan, link->base, 1, &link->target, &link->target_claim, found));
        if (!back && !*found)
            ACCD_TRY(find_behind(plan, link, host, found));
    }
    return ACCD_OK;
}

/* Whether a pointer is attached as it would be, and to that object: where attachments are not counted, a
 * section elsewhere moves it.
 * Decides ACC33-att-3, FLANG-moving-target-1, FLANG-moving-target-2, FLANG-pointer-4, FLANG-api-4. */
static accd_status is_attached(struct accd_plan *plan, const struct accd_link *link,
                               uint32_t slot_bytes, bool *attached_p)
{
    const struct accd_attach *attach = link->attach;
    struct accd_object *before = NULL;
    *attached_p = attach && accd_attached_as_now(attach, slot_bytes);
    if (!*attached_p || plan->context->verdicts.counts_attachments)
        return ACCD_OK;
    if (attach->base)
        ACCD_TRY(accd_find(plan->dir, attach->base, &before));
    *attached_p = before && before == link->target;
    return ACCD_OK;
}

/* Decides ACC33-att-2, ACC33-att-4, ACC33-att-6, OMP60-map-7, FLANG-storage-3, FLANG-api-2, FLANG-api-3,
 * OMPEX-struct_map-2, OMPEX-struct_map-8, TR14-1.2-09. */
static accd_status plan_link(struct accd_links *links, uint32_t index)
{
    struct accd_plan *plan = links->plan;
    struct accd_claim *claim = &plan->found.claims[index];
    const accd_rules *rules = &plan->context->rules;
    bool explicit = claim->action == ACCD_ATTACH;
    struct accd_link link = {.claim = index};
    const uint32_t slot_bytes = accd_claim_slot_bytes(&plan->given, claim);
    const uint64_t bytes = slot_bytes ? slot_bytes : sizeof(void *);
    bool found;
    ACCD_TRY(find_holder(plan, claim->slot, bytes, &link.holder, &link.holder_claim, &found));
    if (!found) /* nothing to attach */
        return accd_claim_slot_finds(plan, claim, NULL, ACCD_SLOT_ABSENT);
    if (!accd_host_usable(plan->context, claim->slot, bytes))
        return accd_claim_error(plan, claim, link.holder, ACCD_OUT_OF_BOUNDS, R_HOST_BOUNDS,
                                "the pointer to " ACCD_ASKED " does not lie in live host memory");
    if (rules->reattach == ACCD_REATTACH_COUNTS) {
        ACCD_TRY(accd_find_attach(plan->dir, claim->slot, &link.attach));
        if (link.attach) { /* wherever the pointer points now */
            link.pointer = link.attach->target;
            claim->attached = true;
            link.counts = true;
            links->at[links->n++] = link;
            return ACCD_OK;
        }
    }
    link.pointer = accd_load_pointer(claim->slot);
    if (!explicit && claim->state != ACCD_CLAIM_SKIP) {
        link.base = claim->host;
        link.target = claim->object;
        link.target_claim = claim->state == ACCD_CLAIM_WITHIN ? claim->owner : index;
    } else if (link.pointer) {
        if (!explicit && !claim->bytes) {
            ACCD_TRY(find_empty(plan, &link, claim->host, &found));
        } else if (slot_bytes && claim->bytes) { /* all that the descriptor describes */
            link.base = claim->host;
            ACCD_TRY(find_holder(plan, claim->host, claim->bytes, &link.target, &link.target_claim, &found));
        } else {
            ACCD_TRY(find_holder(plan, link.pointer, 1, &link.target, &link.target_claim, &found));
        }
        if (!found)
            return accd_claim_slot_finds(plan, claim, NULL, ACCD_SLOT_OF_ABSENT);
    } else if (!explicit) {
        return ACCD_OK;
    } else {
        ACCD_TRY(accd_claim_slot_finds(plan, claim, link.holder, ACCD_SLOT_NULL));
    }
    explicit |= (claim->flags & ACCD_ITEM_ATTACH_ALWAYS) != 0; /* OMP61-1 */
    if (rules->attach == ACCD_ATTACH_NEW && !explicit && link.holder && link.target)
        return ACCD_OK; /* OMP60-map-7: neither is new */
    ACCD_TRY(accd_find_attach(plan->dir, claim->slot, &link.attach));
    ACCD_TRY(is_attached(plan, &link, slot_bytes, &link.counts));
    if (link.attach && !link.counts && !accd_attached_as_now(link.attach, slot_bytes))
        ACCD_TRY(accd_claim_slot_finds(plan, claim, NULL, ACCD_SLOT_REPOINTED));
    if (link.attach && !link.counts) { /* indexes what it pointed to, in time */
        links->anew++;
        struct accd_object *before;
        ACCD_TRY(accd_find(plan->dir, link.attach->base, &before));
    }
    if (slot_bytes && !link.counts) {
        link.descriptor = accd_descriptor_keep(plan->dir, accd_pointer(claim->slot), slot_bytes);
        if (!link.descriptor)
            return accd_plan_no_memory(plan->context);
    }
    claim->attached = true;
    links->at[links->n++] = link;
    return ACCD_OK;
}

/* Among objects that sections of one pointer point to, the one it is attached to: that which holds the
 * byte it points to, else the first in memory. So the order of clauses decides nothing (TR14-4.2-01).
 * Decides TR14-4.2-01. */
static bool precedes(const struct accd_plan *plan, const struct accd_link *a, const struct accd_link *b)
{
    uint64_t host[2];
    bool holds[2];
    const struct accd_link *links[] = {a, b};
    for (int k = 0; k < 2; k++) {
        const struct accd_object *object = links[k]->target;
        const struct accd_claim *claim = &plan->found.claims[links[k]->target_claim];
        uint64_t bytes = object ? accd_object_bytes(object) : claim->bytes;
        host[k] = object ? object->host : claim->host;
        holds[k] = links[k]->pointer - host[k] < bytes;
    }
    return holds[0] != holds[1] ? holds[0] : host[0] < host[1];
}

static __attribute__((noinline, cold)) accd_status choose_targets(struct accd_links *links)
{
    struct accd_plan *plan = links->plan;
    const bool counted = plan->context->verdicts.counts_attachments;
    const bool last = plan->context->rules.counting == ACCD_COUNT_ITEMS; /* each item attaches anew */
    size_t n = links->n;
    struct accd_pair *pairs;
    ACCD_TAKE(plan->context, pairs, 2 * n);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct accd_pair){plan->found.claims[links->at[i].claim].slot, i};
    pairs = accd_sort_pairs(pairs, pairs + n, n);
    for (size_t i = 0, end; i < n; i = end) {
        size_t first = pairs[i].value, best = first;
        for (end = i + 1; end < n && pairs[end].key == pairs[i].key; end++) {
            size_t other = pairs[end].value;
            first = other < first ? other : first;
            best = last || precedes(plan, &links->at[other], &links->at[best]) ? other : best;
        }
        struct accd_link swap = links->at[first];
        links->at[first] = links->at[best];
        links->at[best] = swap;
        for (size_t k = i; k < end && !(counted && links->at[first].counts); k++)
            links->at[pairs[k].value].repeats = pairs[k].value != first;
    }
    return ACCD_OK;
}

/* Decides TR14-1.2-05, TR14-1.2-18, TR14-1.2-19, TR14-1.2-20, TR14-4.1-02, TR14-4.2-10, TR14-4.3-03,
 * OMPEX-struct_map-9. */
accd_status accd_links_plan(struct accd_links *links)
{
    struct accd_plan *plan = links->plan;
    size_t n = 0;
    for (size_t i = 0; i < plan->found.nclaims; i++)
        n += plan->found.claims[i].slot != 0;
    if (!n)
        return ACCD_OK;
    ACCD_TAKE(plan->context, links->at, n);
    const bool counted = plan->context->verdicts.counts_attachments;
    for (uint32_t i = 0; i < plan->found.nclaims; i++) {
        const struct accd_claim *claim = &plan->found.claims[i];
        bool asks = claim->bytes ? claim->state != ACCD_CLAIM_SKIP : !counted;
        if (claim->slot && (asks || claim->action == ACCD_ATTACH) && accd_demands[claim->action].entry)
            ACCD_TRY(plan_link(links, i));
    }
    return links->n < 2 ? ACCD_OK : choose_targets(links);
}

static struct accd_object *holder_of(const struct accd_plan *plan, const struct accd_link *link)
{
    return link->holder ? link->holder : plan->found.claims[link->holder_claim].object;
}

/* NULL: the pointer is a null pointer. */
static struct accd_object *target_of(const struct accd_plan *plan, const struct accd_link *link)
{
    return !link->pointer ? NULL : link->target ? link->target : plan->found.claims[link->target_claim].object;
}

/* Decides FLANG-api-6, TR14-3.5-05. */
static uint64_t link_value(const struct accd_plan *plan, const struct accd_link *link)
{
    const struct accd_object *target = target_of(plan, link);
    return target ? accd_object_dev(plan, target) + (link->pointer - target->host) : 0;
}

/* The words to be written into the device's pointers. Objects have their device addresses.
 * Decides TR14-1.1-04, TR14-4.1-01, FLANG-pointer-3. */
accd_status accd_links_words(const struct accd_links *links)
{
    struct accd_plan *plan = links->plan;
    for (size_t i = links->n; i-- > 0;) { /* within a descriptor the first one holds */
        const struct accd_link *link = &links->at[i];
        if (link->counts || link->repeats)
            continue; /* attached here already, or by the first one: counted only */
        const struct accd_object *holder = holder_of(plan, link);
        uint64_t dev = accd_object_dev(plan, holder) + (plan->found.claims[link->claim].slot - holder->host);
        const struct accd_kept_descriptor *kept = link->descriptor;
        ACCD_TRY(accd_plan_pointer(plan, plan->found.claims[link->claim].slot, dev,
                                   link_value(plan, link), kept ? kept->rest : NULL,
                                   kept ? kept->bytes : 0));
    }
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------ commit -- */

static bool same_descriptor(const struct accd_kept_descriptor *a, const struct accd_kept_descriptor *b)
{
    return a && a->bytes == b->bytes && !memcmp(a->rest, b->rest, a->bytes - sizeof(void *));
}

void accd_links_free(struct accd_links *links)
{
    for (size_t i = 0; i < links->n; i++)
        accd_descriptor_forget(links->plan->dir, links->at[i].descriptor);
}

/* Decides ACC33-att-1, TR14-4.1-04, FLANG-pointer-1. */
void accd_links_commit(struct accd_links *links)
{
    struct accd_plan *plan = links->plan;
    struct accd_directory *dir = plan->dir;
    for (size_t i = 0; i < links->n; i++) {
        const bool counted = plan->context->verdicts.counts_attachments;
        struct accd_link *link = &links->at[i];
        struct accd_claim *claim = &plan->found.claims[link->claim];
        if (!counted && (link->repeats || link->counts)) {
            claim->attached = false;
            continue;
        }
        /* another clause of this construct may have attached or detached the same pointer */
        struct accd_attach *attach = accd_range_floor(&dir->attached.slots, claim->slot);
        if (attach && attach->slot != claim->slot)
            attach = NULL;
        struct accd_object *target = target_of(plan, link);
        if (counted && attach && attach->target == link->pointer &&
            (link->counts || !link->descriptor || same_descriptor(attach->descriptor, link->descriptor))) {
            attach->count++; /* here already, or by another clause of this construct */
            continue;
        }
        if (attach) { /* re-attached elsewhere: starts anew (ACC33-att-3) */
            struct accd_object *before = NULL;
            if (accd_find(dir, attach->base, &before) == ACCD_OK && before && before->pins)
                before->pins--;
            if (!target)
                accd_remove_attach(dir, attach);
        }
        if (!target) { /* a null pointer was written, nothing is attached */
            claim->attached = false;
            continue;
        }
        if (!attach && counted) /* others are not detached, finally or not */
            holder_of(plan, link)->size |= ACCD_OBJECT_HOLDS;
        if (!attach)
            attach = accd_insert_attach(dir, claim->slot);
        accd_attach_label(attach, accd_claim_label(&plan->given, claim));
        dir->attached.nwhole += (link->descriptor != NULL) - (size_t)(attach->descriptor != NULL);
        accd_descriptor_forget(dir, attach->descriptor);
        attach->descriptor = link->descriptor;
        link->descriptor = NULL;
        attach->target = link->pointer;
        accd_attach_lead(dir, attach, link->base ? link->base : link->pointer);
        attach->dev = link_value(plan, link);
        attach->count = 1;
        target->pins++;
    }
}

/* TR14-4.3-04: what was attached must be what is named now.
 * Decides TR14-4.3-04, TR14-1.2-17, TR14-2.3-06. */
accd_status accd_check_pointer(const struct accd_plan *plan, const struct accd_claim *claim,
                               const struct accd_attach *attach)
{
    uint64_t bytes = accd_attach_end(attach) - attach->slot;
    if (!plan->context->verdicts.slot[ACCD_OF_ITEM][ACCD_SLOT_CHANGED] ||
        !accd_host_usable(plan->context, attach->slot, bytes) ||
        accd_attached_as_now(attach, accd_claim_slot_bytes(&plan->given, claim)))
        return ACCD_OK;
    return accd_claim_slot_finds(plan, claim, NULL, ACCD_SLOT_CHANGED);
}
