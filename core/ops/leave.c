/* leave.c - how data leave: what exit data and the ends of regions (exit.c) have in common.
 *
 * TR14-4.2-11: pointers are detached, the references of all clauses are taken off, what was asked for
 * objects that have none left is moved, and then those objects go. Until nothing can fail any more, all
 * of it is only noted. */
#include "ops/leave.h"
#include "plan/fusion.h"
#include "table/name.h"

/* Whether a claim takes off all references there are.
 * Decides ACC33-2.6.7-3. */
static bool final(const struct leave *leave, const struct accd_claim *claim)
{
    return leave->dynamic && (leave->plan->given.construct->finalize || claim->flags & ACCD_ITEM_FINAL);
}

/* ------------------------------------------------------------------------ pointers of clauses -- */

/* Decides ACC33-det-2. */
static accd_status take_off_attachment(struct leave *leave, struct accd_claim *claim)
{
    struct accd_plan *plan = leave->plan;
    struct accd_attach *attach;
    ACCD_TRY(accd_find_attach(plan->dir, claim->slot, &attach));
    const uint32_t left = attach ? accd_attach_left(plan, attach) : 0;
    if (!left) {
        bool ended = attach && final(leave, claim); /* by another clause of this construct */
        claim->attached = false;
        return leave->abandon || ended ? ACCD_OK : accd_claim_slot_finds(plan, claim, NULL, ACCD_SLOT_DETACHED);
    }
    if (!leave->abandon)
        ACCD_TRY(accd_check_pointer(plan, claim, attach));
    const bool all = final(leave, claim) &&
                     (claim->action == ACCD_DETACH || plan->context->rules.finalize_detaches);
    claim->detached = all ? left : 1;
    return accd_detach(leave, attach, claim->detached);
}

/* Both counters are one (OMP60-map-6): the first claim on an object, or each where items count, removes one reference,
 * of the kind that the construct adds, if there is one, and a final claim removes all.
 * Decides OMP60-map-6. */
static void take_off_either(const struct leave *leave, size_t index)
{
    const struct accd_plan *plan = leave->plan;
    struct accd_claim *claim = &plan->found.claims[index];
    struct accd_object_change *change = leave->changes[index];
    const struct accd_object *object = change->object;
    const uint32_t structured = change->structured, dynamic = change->dynamic;
    const uint32_t total = object->structured + object->dynamic;
    const bool all = final(leave, claim), items = plan->context->rules.counting == ACCD_COUNT_ITEMS;
    if (object->size & ACCD_OBJECT_MAPPED || (structured + dynamic >= (items ? total : 1) && !all))
        return;
    if (all) {
        change->structured = object->structured;
        change->dynamic = object->dynamic;
    } else if (leave->dynamic ? object->dynamic > dynamic : object->structured == structured) {
        change->dynamic++;
    } else {
        change->structured++;
    }
    claim->taken = change->structured + change->dynamic - structured - dynamic;
    if (claim->taken && change->structured + change->dynamic == total)
        change->last = (uint32_t)index + 1;
    /* open regions lose references that they added */
    if (change->structured > structured &&
        (leave->dynamic || (index < plan->given.leaving->nclaims && !plan->given.leaving->claims[index].object)))
        change->fell_short = true;
}

/* Decides ACC33-2.6.7-3, ACC33-2.6.7-5. */
static void take_off_one_kind(const struct leave *leave, struct accd_claim *claim, struct accd_object_change *change)
{
    const struct accd_object *object = change->object;
    /* acc_unmap_data alone takes the last dynamic reference off what acc_map_data mapped */
    const uint32_t least = leave->dynamic && object->size & ACCD_OBJECT_MAPPED;
    uint32_t *taken = leave->dynamic ? &change->dynamic : &change->structured;
    const uint32_t left = (leave->dynamic ? object->dynamic : object->structured) - *taken;
    claim->taken = left > least ? left - least : 0;
    if (claim->taken > 1 && !final(leave, claim))
        claim->taken = 1;
    *taken += claim->taken;
}

/* Where items count, those of the last items are removed first.
 * Decides ACC33-2.7-1. */
static accd_status take_off_references(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    bool detaches = plan->context->rules.attach_implied == ACCD_REJECT; /* whatever else it does */
    const bool either = plan->context->rules.counting != ACCD_COUNT_CLAUSES;
    const bool items = plan->context->rules.counting == ACCD_COUNT_ITEMS;
    ACCD_TAKE(plan->context, leave->changes, plan->found.nclaims);
    if (items && leave->dynamic)
        accd_plan_together(plan);
    for (size_t k = 0; k < plan->found.nclaims; k++) {
        const size_t i = items ? plan->found.nclaims - 1 - k : k;
        struct accd_claim *claim = &plan->found.claims[i];
        struct accd_object *object = claim->object;
        claim->detached = claim->taken = 0;
        leave->changes[i] = NULL;
        if (leave->dynamic && object && !object->dynamic && !either) {
            claim->state = ACCD_CLAIM_SKIP; /* ACC33-2.7-1: the clause then does nothing */
            if (!detaches)
                continue;
        }
        if (claim->attached)
            ACCD_TRY(take_off_attachment(leave, claim));
        if (!object || claim->state == ACCD_CLAIM_SKIP)
            continue;
        ACCD_TRY(accd_note_object(plan, object, &leave->changes[i]));
        if (!accd_claim_counts(plan, claim))
            continue;
        if (either)
            take_off_either(leave, i);
        else
            take_off_one_kind(leave, claim, leave->changes[i]);
    }
    return ACCD_OK;
}

/* ----------------------------------------------------------------------------------- the end -- */

/* Decides DIR-1-01, ACC33-2.6.7-4, ACC33-2.7-3. */
static accd_status find_dying(struct leave *leave)
{
    for (size_t i = 0; i < leave->plan->found.nclaims; i++)
        if (leave->changes[i])
            ACCD_TRY(accd_end_object(leave, leave->changes[i]));
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------ moves -- */

static bool in_bulk(const struct leave *leave, const struct accd_claim *claim)
{
    const struct accd_source *source = accd_claim_source(&leave->plan->given, claim);
    return leave->group_dies && source && source->root >= 0;
}

/* Whether a level of the directory ends whose clause put the data there: the level fetches what the clause
 * asks for, although data of enter data keep the object (DIR-6-06).
 * Decides DIR-6-06. */
static bool level_fetches(const struct leave *leave, const struct accd_claim *claim)
{
    return leave->plan->context->rules.fusion && !leave->dynamic &&
           (claim->state == ACCD_CLAIM_NEW || claim->state == ACCD_CLAIM_WITHIN ||
            claim->state == ACCD_CLAIM_FILLS);
}

/* Whether the object of a claim goes and, where items count and the claim counts, the claim removes the last reference:
 * then it moves what it asks for. */
static bool moves_last(const struct leave *leave, size_t index)
{
    const struct accd_plan *plan = leave->plan;
    return leave->changes[index]->goes &&
           (plan->context->rules.counting != ACCD_COUNT_ITEMS || leave->changes[index]->last == index + 1 ||
            !accd_claim_counts(plan, &plan->found.claims[index]));
}

/* What a claim asks for is moved: of an object that goes, or always.
 * Decides TR14-1.2-14, ACC33-2.7.2-2, OMP60-map-6, DIR-4.3-02, DIR-4.3-05, LLNL-2.1-07. */
static bool moves(const struct leave *leave, size_t index)
{
    const struct accd_claim *claim = &leave->plan->found.claims[index];
    return leave->changes[index] && !in_bulk(leave, claim) &&
           (moves_last(leave, index) || claim->flags & ACCD_ITEM_ALWAYS_OUT || level_fetches(leave, claim));
}

/* Whether an exit data takes bytes of a held object that stays: what no clause names any more is fetched. */
static bool empties(const struct leave *leave, const struct accd_claim *claim)
{
    return leave->dynamic && claim->object && claim->state != ACCD_CLAIM_SKIP &&
           claim->object->size & ACCD_OBJECT_HELD && claim->bytes < accd_object_bytes(claim->object);
}

static accd_status fetch_unnamed(struct accd_plan *plan, uint32_t index)
{
    const struct accd_claim *claim = &plan->found.claims[index];
    const struct accd_object *object = claim->object;
    if (accd_named(plan->dir, object, claim->host, claim->bytes) == ACCD_NONE)
        return accd_plan_own_bytes(plan, index, true);
    if (accd_claim_program(&plan->given, claim) || !accd_demands[claim->action].out)
        return ACCD_OK;
    for (uint64_t at = claim->host, end = at + claim->bytes, stop; at < end; at = stop) {
        stop = end;
        if (!accd_named_at(plan->dir, object, at, &stop))
            ACCD_TRY(accd_plan_move(plan, &(struct accd_move){at, object->dev + (at - object->host), stop - at,
                                                              index, ACCD_WHOLE, 0, true}));
    }
    return ACCD_OK;
}

static accd_status plan_moves(const struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    for (uint32_t i = 0; i < plan->found.nclaims && !leave->abandon; i++)
        if (moves(leave, i))
            ACCD_TRY(accd_plan_own_bytes(plan, i, true));
        else if (empties(leave, &plan->found.claims[i]))
            ACCD_TRY(fetch_unnamed(plan, i));
    ACCD_TRY(accd_plan_merge(plan));
    return accd_plan_keep_pointers(plan);
}

/* Pointers that stay point to the host again: TR14-4.1-01. */
accd_status accd_leave_words(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    for (size_t i = 0; i < leave->removed.n; i++) {
        const struct accd_attach *attach = leave->removed.at[i]->attach;
        struct accd_object *holder;
        ACCD_TRY(accd_find(plan->dir, attach->slot, &holder));
        if (holder && !accd_object_goes(plan, holder))
            ACCD_TRY(accd_restore_pointer(plan, attach,
                                          accd_object_dev(plan, holder) + (attach->slot - holder->host)));
    }
    return ACCD_OK;
}

/* ----------------------------------------------------------------------------------- groups -- */

/* The sections one by one, when the group cannot leave as a whole. */
static accd_status sections_of_group(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    struct accd_group *group = plan->found.group;
    struct accd_directory *dir = plan->dir;
    if (group->pending)
        ACCD_TRY(accd_group_index(dir, group));
    if (group->pending_attach)
        ACCD_TRY(accd_group_attachments(dir, group));
    size_t items = plan->found.nclaims;
    ACCD_TRY(accd_plan_sections(plan));
    for (size_t i = items; i < plan->found.nclaims; i++) {
        struct accd_claim *claim = &plan->found.claims[i];
        claim->object = &group->objects[claim->source & ~ACCD_CLAIM_WALKED];
        claim->state = ACCD_CLAIM_PRESENT;
        claim->attached = claim->slot && plan->context->verdicts.counts_attachments;
    }
    plan->found.group = NULL;
    return ACCD_OK;
}

/* Whether elements of the walk lie in several present objects: a group moves those of one. */
static bool roots_cut(const struct accd_plan *plan)
{
    for (size_t i = 0; plan->found.fusion && i < plan->given.walk->nroots; i++)
        if (plan->found.claims[plan->given.walk->roots[i].item].bytes != plan->given.walk->roots[i].bytes)
            return true;
    return false;
}

/* Whether all elements that hold a group's pointers go with the construct. Where attachments are not counted, those
 * that stay in others would dangle. */
static bool roots_die(const struct accd_plan *plan)
{
    for (size_t i = 0; i < plan->given.walk->nroots; i++) {
        const struct accd_object *object = plan->found.claims[plan->given.walk->roots[i].item].object;
        if (!object || object->structured + object->dynamic != 1 || object->size & ACCD_OBJECT_MAPPED)
            return false;
    }
    return true;
}

/* Whether queues that the construct does not come behind use sections of the group: one of them is then named. */
static bool is_needed(const struct leave *leave, const struct accd_group *group)
{
    struct accd_directory *dir = leave->plan->dir;
    if (!dir->queues.ntasks || leave->abandon || accd_is_concurrent(dir))
        return false;
    accd_pending_begin(dir, leave->plan->given.queue);
    return accd_pending_at(dir, group->block->dev, group->block->bytes);
}

/* A pending group leaves as a whole if no other construct attached anything among its pointers, and if its
 * pointers either stay attached or end together with it. */
static accd_status group_leaves(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    struct accd_group *group = plan->found.group;
    if (!group)
        return ACCD_OK;
    const uint32_t counter = leave->dynamic ? group->dynamic : group->structured;
    if (group->pending && leave->dynamic && !group->dynamic) {
        plan->found.group = NULL; /* the clause does nothing */
        return ACCD_OK;
    }
    uint32_t references = leave->dynamic && plan->given.construct->finalize ? counter : 1;
    bool dies = group->structured + group->dynamic == references;
    bool counted = plan->context->verdicts.counts_attachments;
    bool stays = counted ? group->attached > references && !plan->given.construct->finalize
                         : !plan->given.construct->finalize; /* attached, if the group stays */
    bool lost = plan->context->config.check_host &&
                plan->given.walk->losses != plan->context->host.losses; /* maybe of its host memory */
    if (!accd_plan_may_group(plan) || lost || leave->abandon || (!dies && !stays) ||
        (dies && !counted && !roots_die(plan)) || (dies && is_needed(leave, group)) ||
        accd_plan_touches(plan, group) || roots_cut(plan) ||
        (!leave->dynamic && !accd_group_descriptors_kept(plan->dir, group)) ||
        !accd_group_gather(plan->dir, group) || accd_group_slots_shared(plan->dir, group))
        return sections_of_group(leave);
    size_t section;
    /* an exit data found the group by walking the same pointers just now */
    if (!leave->abandon && !leave->dynamic && plan->context->rules.pointer_changed == ACCD_REJECT &&
        !accd_bulk_pointers_kept(group->walk, &section)) {
        char name[160];
        accd_name_row_slot(group->walk, section, name, sizeof name);
        return accd_fail(plan->context, ACCD_POINTER_CHANGED, R_STRUCTURE_FIXED,
                         "the pointer %s was changed while it is attached", name);
    }
    leave->group_leaves = true;
    leave->group_dies = dies;
    leave->group_references = references;
    if (dies) /* look-ups leave out its sections and pointers meanwhile */
        accd_group_wake(plan->dir, group, true, true);
    return ACCD_OK;
}

static accd_status plan_bulk(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    if (!leave->group_dies || leave->abandon)
        return ACCD_OK;
    ACCD_TRY(accd_bulk_begin(plan, plan->found.group));
    plan->result.bulk->out = plan->result.bulk->restore = true;
    for (size_t k = 0; k < plan->found.nclaims; k++) {
        const struct accd_source *source = accd_claim_source(&plan->given, &plan->found.claims[k]);
        struct accd_object *object = plan->found.claims[k].object;
        if (!source || source->root < 0 || !object)
            continue;
        accd_bulk_root(plan, (size_t)source->root, object);
        plan->result.bulk->own[source->root] = accd_object_goes(plan, object);
    }
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------- commit -- */

/* A group that stays loses references: of its sections and pointers, if it was looked into on the way. */
static void take_off_group(const struct leave *leave)
{
    struct accd_group *group = leave->plan->found.group;
    const struct accd_walk *walk = group->walk;
    const bool counted = leave->plan->context->verdicts.counts_attachments;
    const uint32_t taken = leave->group_references;
    *(leave->dynamic ? &group->dynamic : &group->structured) -= taken;
    group->attached -= counted ? taken : 0;
    if (group->pending && group->pending_attach)
        return;
    for (size_t i = 0; i < walk->nsegments; i++) {
        const struct accd_segment *segment = &walk->segments[i];
        for (size_t row = 0; row < segment->rows && accd_segment_maps(segment); row++) {
            if (!accd_section_bytes(segment, row))
                continue;
            if (!group->pending) {
                struct accd_object *object = &group->objects[segment->first + row];
                *(leave->dynamic ? &object->dynamic : &object->structured) -= taken;
            }
            uint64_t slot = accd_section_slot(walk, segment, row);
            struct accd_attach *attach = group->pending_attach || !counted
                                             ? NULL
                                             : accd_range_floor(&leave->plan->dir->attached.slots, slot);
            if (attach && attach->slot == slot)
                attach->count -= taken;
        }
    }
}

void accd_leave_undo(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    accd_unfuse_undo(plan);
    if (leave->group_dies)
        accd_group_wait(plan->dir, plan->found.group);
}

/* An object may go while regions are open that named it without a reference or, where both counters are one, whose
 * references were taken: then their clauses forget the object when it goes. */
static void forget_named(const struct leave *leave)
{
    struct accd_directory *dir = leave->plan->dir;
    for (size_t i = 0; dir->levels.top && i < leave->dying.n; i++)
        if (leave->dying.at[i]->size & (ACCD_OBJECT_NAMED | ACCD_OBJECT_SHORT))
            accd_regions_forget(dir, leave->dying.at[i]);
}

void accd_leave_finish(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    struct accd_directory *dir = plan->dir;
    forget_named(leave);
    for (size_t i = 0; i < leave->removed.n; i++)
        accd_remove_attach(dir, leave->removed.at[i]->attach);
    if (plan->found.fusion)
        accd_unfuse_commit(plan);
    for (size_t i = 0; i < leave->dying.n; i++) {
        if (plan->found.fusion && leave->dying.at[i]->size & ACCD_OBJECT_SHARED)
            accd_forget_bytes(dir, leave->dying.at[i]->dev, accd_object_bytes(leave->dying.at[i]));
        if (dir->tuples.shares.count)
            accd_share_free(dir, leave->dying.at[i]);
        accd_free_memory_of(dir, leave->dying.at[i]);
        accd_remove_object(dir, leave->dying.at[i]);
    }
    if (leave->group_leaves && !leave->group_dies)
        take_off_group(leave);
    if (leave->group_dies) {
        struct accd_group *group = plan->found.group;
        dir->present.live -= group->live;
        dir->attached.live -= group->live;
        accd_release_block(dir, group->block, group->live);
        accd_group_retire(dir, group);
    }
}

/* What a clause named may have gone since, and be there again: then it is that. */
static accd_status find_again(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    if (plan->context->rules.counting == ACCD_COUNT_CLAUSES)
        return ACCD_OK;
    for (size_t i = 0; i < plan->found.nclaims; i++) {
        struct accd_claim *claim = &plan->found.claims[i];
        struct accd_answer found;
        if (claim->object || claim->state == ACCD_CLAIM_SKIP || !claim->bytes)
            continue;
        ACCD_TRY(accd_claim_find(plan, claim, leave->abandon ? ACCD_ASKS_ABANDON : ACCD_ASKS_AGAIN, &found));
    }
    return ACCD_OK;
}

/* What goes is not needed by queues that the construct does not come behind (ACC33-async-4).
 * Decides ACC33-async-4. */
static accd_status check_pending(const struct leave *leave)
{
    struct accd_directory *dir = leave->plan->dir;
    accd_pending_begin(dir, leave->plan->given.queue);
    for (size_t i = 0; i < leave->dying.n; i++) {
        const struct accd_object *object = leave->dying.at[i];
        ACCD_TRY(accd_pending_check(dir, object, object->dev, accd_object_bytes(object), "removed"));
    }
    const struct accd_block *block = leave->group_dies ? leave->plan->found.group->block : NULL;
    return block ? accd_pending_check(dir, NULL, block->dev, block->bytes, "freed") : ACCD_OK;
}

/* Decides TR14-4.2-11. */
static accd_status plan_and_move(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    if (plan->given.leaving)
        ACCD_TRY(find_again(leave));
    ACCD_TRY(group_leaves(leave));
    ACCD_TRY(take_off_references(leave));
    const bool attached = plan->dir->attached.live;
    if (attached)
        ACCD_TRY(accd_release_records(leave));
    ACCD_TRY(find_dying(leave));
    if (attached)
        ACCD_TRY(accd_end_attachments(leave));
    ACCD_TRY(plan_moves(leave));
    if (plan->dir->queues.ntasks && !leave->abandon)
        ACCD_TRY(check_pending(leave));
    if (plan->found.fusion)
        ACCD_TRY(accd_unfuse_plan(plan, leave->dying.at, leave->dying.n));
    if (plan->found.fusion && !leave->abandon)
        ACCD_TRY(accd_fuse_pending(plan));
    ACCD_TRY(accd_leave_words(leave));
    ACCD_TRY(plan_bulk(leave));
    accd_status status = accd_plan_commit(plan);
    return leave->abandon ? ACCD_OK : status;
}

accd_status accd_leave_now(struct leave *leave)
{
    accd_status status = plan_and_move(leave);
    if (status != ACCD_OK) {
        accd_leave_undo(leave);
        return status;
    }
    accd_ledger_apply(leave->plan);
    accd_tell_exit(leave);
    accd_leave_finish(leave);
    return ACCD_OK;
}
