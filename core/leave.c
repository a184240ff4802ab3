/* leave.c - exit constructs: the end of a region, exit data.
 *
 * TR14-4.2-11: pointers are detached, the references of all clauses are taken off, what was asked for
 * objects that have none left is moved, and then those objects go. Counters are changed on the way
 * and put back if something fails. */
#include "core.h"

struct leave {
    struct accd_plan *plan;
    size_t counted;                  /* claims whose counters are changed */
    struct accd_object **dying;
    size_t ndying;
    struct removed {
        struct accd_attach *attach;
        uint32_t count;              /* what its counter was before it was forced to zero */
        bool dangles;                /* does not end: its target goes, and it stays as it is */
    } * removed;                     /* attachments that end, or lose their target */
    size_t nremoved, removed_room, unpinned;
    uint32_t group_references;       /* taken off its counter */
    bool dynamic, abandon;           /* last, so that what is set to zero before them is aligned */
    bool group_leaves, group_dies;
};

static accd_status end_attachment(struct leave *leave, struct accd_attach *attach, uint32_t count,
                                  bool dangles)
{
    if (leave->nremoved == leave->removed_room) {
        size_t room = leave->removed_room ? 2 * leave->removed_room : 16;
        struct removed *grown =
            accd_scratch_take(&leave->plan->context->scratch, room * sizeof *grown);
        if (!grown)
            return accd_plan_no_memory(leave->plan->context);
        if (leave->nremoved)
            memcpy(grown, leave->removed, leave->nremoved * sizeof *grown);
        leave->removed = grown;
        leave->removed_room = room;
    }
    leave->removed[leave->nremoved++] = (struct removed){attach, count, dangles};
    if (!dangles)
        attach->count = 0;
    return ACCD_OK;
}

/* ------------------------------------------------------------------------ pointers of clauses -- */

/* What the pointer is on the host, or was, if its memory is there no more. */
static uint64_t host_pointer(const struct accd_plan *plan, const struct accd_attach *attach)
{
    return accd_host_usable(plan->context, attach->slot, sizeof(void *))
               ? accd_load_pointer(attach->slot)
               : attach->target;
}

/* TR14-4.3-04: what was attached must be what is named now. */
accd_status accd_check_pointer(const struct accd_plan *plan, const struct accd_claim *claim,
                               const struct accd_attach *attach)
{
    char name[160];
    uint64_t bytes = accd_attach_end(attach) - attach->slot;
    if (plan->context->rules.pointer_changed != ACCD_REJECT ||
        !accd_host_usable(plan->context, attach->slot, bytes) ||
        accd_attached_as_now(attach, accd_claim_slot_bytes(plan, claim)))
        return ACCD_OK;
    accd_name_claim_slot(plan, claim, name, sizeof name);
    return accd_claim_error(plan, claim, NULL, ACCD_POINTER_CHANGED, R_STRUCTURE_FIXED,
                            "the pointer %s was changed while it is attached", name);
}

static accd_status take_off_attachment(struct leave *leave, struct accd_claim *claim)
{
    struct accd_plan *plan = leave->plan;
    const accd_rules *rules = &plan->context->rules;
    struct accd_attach *attach;
    char name[160];
    ACCD_TRY(accd_find_attach(plan->dir, claim->slot, &attach));
    if (!attach || !attach->count) {
        bool ended = attach && plan->construct->finalize; /* by another clause of this construct */
        claim->attached = false;
        if (rules->detach_unattached == ACCD_IGNORE || leave->abandon || ended)
            return ACCD_OK;
        accd_name_claim_slot(plan, claim, name, sizeof name);
        return accd_claim_error(plan, claim, NULL, ACCD_NOT_ATTACHED, R_NOT_ATTACHED,
                                "the pointer %s is not attached", name);
    }
    if (!leave->abandon)
        ACCD_TRY(accd_check_pointer(plan, claim, attach));
    claim->detached = plan->construct->finalize ? attach->count : 1;
    attach->count -= claim->detached;
    return attach->count ? ACCD_OK : end_attachment(leave, attach, 0, false);
}

static accd_status take_off_references(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    bool detaches = plan->context->rules.attach_implied == ACCD_REJECT; /* whatever else it does */
    for (size_t i = 0; i < plan->nclaims; i++) {
        struct accd_claim *claim = &plan->claims[i];
        struct accd_object *object = claim->object;
        claim->detached = claim->owner = 0;
        leave->counted = i + 1;
        if (leave->dynamic && object && !object->dynamic && !(object->size & ACCD_OBJECT_TOUCHED)) {
            claim->state = ACCD_CLAIM_SKIP; /* ACC33-2.7-1: the clause then does nothing */
            if (!detaches)
                continue;
        }
        if (claim->attached)
            ACCD_TRY(take_off_attachment(leave, claim));
        if (!object || claim->state == ACCD_CLAIM_SKIP || !accd_plan_counts(plan, claim))
            continue;
        /* acc_unmap_data alone takes the last dynamic reference off what acc_map_data mapped */
        uint32_t least = leave->dynamic && object->size & ACCD_OBJECT_MAPPED;
        uint32_t *counter = leave->dynamic ? &object->dynamic : &object->structured;
        claim->owner = *counter > least ? *counter - least : 0;
        if (claim->owner > 1 && !(leave->dynamic && plan->construct->finalize))
            claim->owner = 1;
        *counter -= claim->owner;
        object->size |= ACCD_OBJECT_TOUCHED;
    }
    return ACCD_OK;
}

static void forget_touched(const struct leave *leave)
{
    for (size_t i = 0; i < leave->counted; i++)
        if (leave->plan->claims[i].object)
            leave->plan->claims[i].object->size &= ~ACCD_OBJECT_TOUCHED;
}

/* ----------------------------------------------------------------------------------- the end -- */

static accd_status find_dying(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    leave->dying =
        accd_scratch_take(&plan->context->scratch, plan->nclaims * sizeof leave->dying[0]);
    if (!leave->dying)
        return accd_plan_no_memory(leave->plan->context);
    for (size_t i = 0; i < plan->nclaims; i++) {
        struct accd_object *object = plan->claims[i].object;
        if (!object || plan->claims[i].state == ACCD_CLAIM_SKIP || object->structured ||
            object->dynamic || object->size & (ACCD_OBJECT_DYING | ACCD_OBJECT_MAPPED))
            continue;
        object->size |= ACCD_OBJECT_DYING;
        leave->dying[leave->ndying++] = object;
    }
    return ACCD_OK;
}

static accd_status still_attached(const struct leave *leave, const struct accd_object *object,
                                  const struct accd_attach *attach, const char *how)
{
    struct accd_plan *plan = leave->plan;
    char name[160], pointer[160];
    accd_name_object(plan->dir, object, name, sizeof name);
    accd_name_slot(plan->dir, attach->slot, attach->label, pointer, sizeof pointer);
    accd_status status = accd_claim_error(plan, NULL, object, ACCD_STILL_ATTACHED, R_STILL_ATTACHED,
                                          "%s would be removed, but the pointer %s is still "
                                          "attached %s",
                                          name, pointer, how);
    accd_object_info *asked = &plan->context->error.asked;
    memcpy(asked->name, pointer, sizeof asked->name);
    asked->host = attach->slot;
    asked->bytes = sizeof(void *);
    return status;
}

/* Attachments whose pointer lies in a dying object end with it. */
static accd_status end_inner_attachments(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    bool reject = plan->context->rules.still_attached == ACCD_REJECT && !leave->abandon;
    for (size_t i = 0; i < leave->ndying; i++) {
        struct accd_range_cursor cursor;
        struct accd_attach *attach;
        const struct accd_object *object = leave->dying[i];
        ACCD_TRY(accd_first_attach(plan->dir, object->host, accd_object_end(object), &cursor,
                                   &attach));
        for (; attach; attach = accd_next_attach(&cursor, accd_object_end(object))) {
            if (!attach->count)
                continue;
            if (reject)
                return still_attached(leave, object, attach, "in it");
            ACCD_TRY(end_attachment(leave, attach, attach->count, false));
        }
    }
    return ACCD_OK;
}

static accd_status unpin(struct leave *leave)
{
    struct accd_directory *dir = leave->plan->dir;
    for (; leave->unpinned < leave->nremoved; leave->unpinned++) {
        struct accd_object *target;
        ACCD_TRY(accd_find(dir, leave->removed[leave->unpinned].attach->base, &target));
        if (target && target->pins)
            target->pins--;
    }
    return ACCD_OK;
}

/* Attachments of pointers elsewhere that lead to a dying object. */
static accd_status end_outer_attachments(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    struct accd_directory *dir = plan->dir;
    const accd_rules *rules = &plan->context->rules;
    bool dangles = rules->lost_target == ACCD_LOST_DANGLES;
    size_t pinned = 0;
    for (size_t i = 0; i < leave->ndying; i++)
        pinned += leave->dying[i]->pins != 0;
    if (!pinned)
        return ACCD_OK;
    struct accd_range_cursor cursor;
    struct accd_attach *attach;
    ACCD_TRY(accd_first_attach(dir, 0, UINT64_MAX, &cursor, &attach));
    for (; attach; attach = accd_next_attach(&cursor, UINT64_MAX)) {
        struct accd_object *target;
        if (!attach->count)
            continue;
        ACCD_TRY(accd_find(dir, attach->base, &target));
        if (!target || !(target->size & ACCD_OBJECT_DYING))
            continue;
        if (rules->still_attached == ACCD_REJECT && !leave->abandon)
            return still_attached(leave, target, attach, "to it");
        ACCD_TRY(end_attachment(leave, attach, attach->count, dangles));
    }
    return unpin(leave);
}

/* ------------------------------------------------------------------------------------ moves -- */

static bool in_bulk(const struct leave *leave, const struct accd_claim *claim)
{
    const struct accd_source *source = accd_claim_source(leave->plan, claim);
    return leave->group_dies && source && source->root >= 0;
}

static accd_status plan_moves(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    for (uint32_t i = 0; i < plan->nclaims && !leave->abandon; i++) {
        const struct accd_claim *claim = &plan->claims[i];
        if (claim->object && claim->state != ACCD_CLAIM_SKIP &&
            claim->object->size & ACCD_OBJECT_DYING && !in_bulk(leave, claim))
            ACCD_TRY(accd_plan_own_bytes(plan, i, true));
    }
    ACCD_TRY(accd_plan_merge(plan));
    return accd_plan_keep_pointers(plan);
}

/* The host's value, of a descriptor all of it: FLANG-detach-1. */
static accd_status restore_pointer(struct accd_plan *plan, const struct accd_attach *attach,
                                   uint64_t dev)
{
    const struct accd_dope *dope = attach->dope;
    ACCD_TRY(accd_plan_word(plan, dev, host_pointer(plan, attach)));
    if (!dope)
        return ACCD_OK;
    const char *rest = dope->rest;
    if (accd_host_usable(plan->context, attach->slot, dope->bytes))
        rest = (const char *)accd_pointer(attach->slot) + sizeof(void *);
    return accd_plan_dope(plan, attach->slot, dev, rest, dope->bytes);
}

/* Pointers that stay lead to the host again: TR14-4.1-01. */
static accd_status plan_words(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    for (size_t i = 0; i < leave->nremoved; i++) {
        const struct accd_attach *attach = leave->removed[i].attach;
        struct accd_object *holder;
        if (leave->removed[i].dangles)
            continue;
        ACCD_TRY(accd_find(plan->dir, attach->slot, &holder));
        if (holder && !(holder->size & ACCD_OBJECT_DYING))
            ACCD_TRY(restore_pointer(plan, attach, holder->dev + (attach->slot - holder->host)));
    }
    return ACCD_OK;
}

/* ----------------------------------------------------------------------------------- groups -- */

/* The sections one by one, when the group cannot leave as a whole. */
static accd_status sections_of_group(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    struct accd_group *group = plan->group;
    struct accd_directory *dir = plan->dir;
    if (group->pending)
        ACCD_TRY(accd_group_index(dir, group));
    if (group->pending_attach)
        ACCD_TRY(accd_group_attachments(dir, group));
    size_t items = plan->nclaims;
    ACCD_TRY(accd_plan_sections(plan));
    for (size_t i = items; i < plan->nclaims; i++) {
        struct accd_claim *claim = &plan->claims[i];
        claim->object = &group->objects[claim->source & ~ACCD_CLAIM_WALKED];
        claim->state = ACCD_CLAIM_PRESENT;
        claim->attached = claim->slot != 0;
    }
    plan->group = NULL;
    return ACCD_OK;
}

/* Whether elements of the walk lie in several present objects: a group moves those of one. */
static bool roots_cut(const struct accd_plan *plan)
{
    for (size_t i = 0; plan->fusion && i < plan->walk->nroots; i++)
        if (plan->claims[plan->walk->roots[i].item].bytes != plan->walk->roots[i].bytes)
            return true;
    return false;
}

/* A pending group leaves as a whole if nobody else attached anything among its pointers, and if its
 * pointers either stay attached or end together with it. */
static accd_status group_leaves(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    struct accd_group *group = plan->group;
    if (!group)
        return ACCD_OK;
    uint32_t *counter = leave->dynamic ? &group->dynamic : &group->structured;
    if (group->pending && leave->dynamic && !group->dynamic) {
        plan->group = NULL; /* the clause does nothing */
        return ACCD_OK;
    }
    uint32_t references = leave->dynamic && plan->construct->finalize ? *counter : 1;
    bool dies = group->structured + group->dynamic == references;
    bool lost = plan->context->config.check_host &&
                plan->walk->losses != plan->context->host.losses; /* maybe of its host memory */
    if (!group->pending || !group->pending_attach || lost || leave->abandon ||
        (!dies && (plan->construct->finalize || group->attached <= references)) ||
        accd_group_slots_shared(plan->dir, group) || accd_plan_touches(plan, group) ||
        roots_cut(plan) || (!leave->dynamic && !accd_group_dopes_kept(plan->dir, group)))
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
    *counter -= references;
    group->attached -= references;
    if (dies) { /* nobody looks for its sections and pointers any more */
        group->pending = group->pending_attach = false;
        plan->dir->npending--;
        plan->dir->npending_attach--;
    }
    return ACCD_OK;
}

static accd_status plan_bulk(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    if (!leave->group_dies || leave->abandon)
        return ACCD_OK;
    ACCD_TRY(accd_bulk_begin(plan, plan->group));
    plan->bulk->out = plan->bulk->restore = true;
    for (size_t k = 0; k < plan->nclaims; k++) {
        const struct accd_source *source = accd_claim_source(plan, &plan->claims[k]);
        struct accd_object *object = plan->claims[k].object;
        if (!source || source->root < 0 || !object)
            continue;
        plan->bulk->roots[source->root] = object;
        plan->bulk->own[source->root] = object->size & ACCD_OBJECT_DYING;
    }
    return ACCD_OK;
}

/* --------------------------------------------------------------------------------- undo, end -- */

/* A group that was looked into on the way: its sections and pointers have counters of their own then. */
static void put_back_sections(const struct leave *leave)
{
    const struct accd_group *group = leave->plan->group;
    const struct accd_walk *walk = group->walk;
    for (size_t i = 0; i < walk->nsegments; i++) {
        const struct accd_segment *segment = &walk->segments[i];
        for (size_t row = 0; row < segment->rows && accd_segment_maps(segment); row++) {
            if (!accd_section_bytes(segment, row))
                continue;
            if (!group->pending) {
                struct accd_object *object = &group->objects[segment->first + row];
                *(leave->dynamic ? &object->dynamic : &object->structured) +=
                    leave->group_references;
            }
            uint64_t slot = accd_section_slot(walk, segment, row);
            struct accd_attach *attach =
                group->pending_attach ? NULL : accd_range_floor(&leave->plan->dir->slots, slot);
            if (attach && attach->slot == slot)
                attach->count += leave->group_references;
        }
    }
}

static void undo(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    struct accd_directory *dir = plan->dir;
    for (size_t i = 0; i < leave->unpinned; i++) {
        struct accd_object *target;
        if (accd_find(dir, leave->removed[i].attach->base, &target) == ACCD_OK && target)
            target->pins++;
    }
    for (size_t i = 0; i < leave->nremoved; i++)
        leave->removed[i].attach->count = leave->removed[i].count;
    for (size_t i = 0; i < leave->counted; i++) {
        struct accd_claim *claim = &plan->claims[i];
        if (claim->object)
            *(leave->dynamic ? &claim->object->dynamic : &claim->object->structured) +=
                claim->owner;
        if (claim->detached) {
            struct accd_attach *attach = accd_range_floor(&dir->slots, claim->slot);
            attach->count += claim->detached;
        }
    }
    for (size_t i = 0; i < leave->ndying; i++)
        leave->dying[i]->size &= ~ACCD_OBJECT_DYING;
    forget_touched(leave);
    if (plan->fusion)
        accd_unfuse_undo(plan);
    if (leave->group_leaves) {
        struct accd_group *group = plan->group;
        *(leave->dynamic ? &group->dynamic : &group->structured) += leave->group_references;
        group->attached += leave->group_references;
        if (!leave->group_dies)
            put_back_sections(leave);
        if (leave->group_dies) {
            group->pending = group->pending_attach = true;
            dir->npending++;
            dir->npending_attach++;
        }
    }
}

static void finish(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    struct accd_directory *dir = plan->dir;
    forget_touched(leave);
    for (size_t i = 0; i < leave->nremoved; i++)
        if (leave->removed[i].dangles)
            leave->removed[i].attach->base = 0;
        else
            accd_remove_attach(dir, leave->removed[i].attach);
    if (plan->fusion)
        accd_unfuse_commit(plan);
    for (size_t i = 0; i < leave->ndying; i++) {
        if (plan->fusion && leave->dying[i]->size & ACCD_OBJECT_SHARED)
            accd_forget_bytes(dir, leave->dying[i]->dev, accd_object_bytes(leave->dying[i]));
        if (dir->seats.count)
            accd_seat_free(dir, leave->dying[i]);
        accd_free_memory_of(dir, leave->dying[i]);
        accd_remove_object(dir, leave->dying[i]);
    }
    if (leave->group_dies) {
        struct accd_group *group = plan->group;
        dir->live_objects -= group->live;
        dir->live_attachments -= group->live;
        accd_release_block(dir, group->block, group->live);
        accd_group_retire(dir, group);
    }
}

static void tell(struct leave *leave)
{
    if (!leave->plan->context->config.on_event)
        return;
    struct accd_exit_story story = {
        .dying = leave->dying,
        .ndying = leave->ndying,
        .group_leaves = leave->group_leaves,
        .group_dies = leave->group_dies,
    };
    struct accd_attach **forced = accd_scratch_take(&leave->plan->context->scratch,
                                                    leave->nremoved * sizeof forced[0]);
    for (size_t i = 0; forced && i < leave->nremoved; i++)
        if (leave->removed[i].count && !leave->removed[i].dangles)
            forced[story.nforced++] = leave->removed[i].attach;
    story.forced = forced;
    accd_tell_exit(leave->plan, &story);
}

static accd_status leave_now(struct leave *leave)
{
    struct accd_plan *plan = leave->plan;
    ACCD_TRY(group_leaves(leave));
    ACCD_TRY(take_off_references(leave));
    ACCD_TRY(find_dying(leave));
    ACCD_TRY(plan_moves(leave)); /* while only what clauses detach has counted down to zero */
    ACCD_TRY(end_inner_attachments(leave));
    ACCD_TRY(unpin(leave));
    ACCD_TRY(end_outer_attachments(leave));
    if (plan->fusion)
        ACCD_TRY(accd_unfuse_plan(plan, leave->dying, leave->ndying));
    ACCD_TRY(plan_words(leave));
    ACCD_TRY(plan_bulk(leave));
    accd_status status = accd_plan_commit(plan);
    return leave->abandon ? ACCD_OK : status;
}

static accd_status carry_out(struct leave *leave)
{
    accd_status status = leave_now(leave);
    if (status != ACCD_OK) {
        undo(leave);
        return status;
    }
    tell(leave);
    finish(leave);
    return ACCD_OK;
}

/* -------------------------------------------------------------------------------- exit data -- */

/* Without fusion nobody keeps what enter data opened. */
static bool owns_exits(const accd_rules *rules)
{
    return rules->fusion && rules->exit_unowned == ACCD_REJECT;
}

/* The enter data that an exit data ends (DIR-6-01). Other profiles go by the counters alone. */
static accd_status end_opened(struct accd_plan *plan, const struct accd_claim *claim,
                              const struct accd_object *object)
{
    struct accd_original *opened =
        plan->fusion ? accd_opened(plan->dir, claim->host, claim->bytes) : NULL;
    if (opened)
        ACCD_TRY(accd_unfuse_original(plan, opened));
    if (opened || !owns_exits(&plan->context->rules) ||
        claim->flags & (ACCD_ITEM_UNCOUNTED | ACCD_ITEM_TRY))
        return ACCD_OK;
    return accd_claim_error(plan, claim, object, ACCD_NOT_PRESENT, R_UNOWNED,
                            "no enter data that is still open opened just this range on device %d",
                            plan->dir->number);
}

static accd_status resolve_exit(struct accd_plan *plan, uint32_t index)
{
    struct accd_claim *claim = &plan->claims[index];
    const accd_rules *rules = &plan->context->rules;
    enum accd_relation relation;
    struct accd_object *object;
    bool tolerant = claim->flags & ACCD_ITEM_TRY;
    ACCD_TRY(accd_relate(plan->dir, claim->host, claim->bytes, &relation, &object));
    if (relation == ACCD_ACROSS) {
        struct accd_cover cover = accd_cover_of(plan->dir, claim->host, claim->bytes);
        if (!cover.whole || !(cover.one || rules->fusion))
            return accd_claim_error(plan, claim, object, ACCD_PARTIALLY_PRESENT,
                                    R_PARTIALLY_PRESENT,
                                    "only a part of it is present on device %d",
                                    plan->dir->number);
        ACCD_TRY(end_opened(plan, claim, object));
        return accd_claim_cut(plan, index, cover.objects);
    }
    if (relation == ACCD_NONE) {
        if (claim->attached && !tolerant) { /* absent because the pointer leads elsewhere now? */
            struct accd_attach *attach;
            ACCD_TRY(accd_find_attach(plan->dir, claim->slot, &attach));
            ACCD_TRY(accd_check_pointer(plan, claim, attach));
        }
        if (rules->exit_absent == ACCD_REJECT && !tolerant)
            return accd_claim_error(plan, claim, NULL, ACCD_NOT_PRESENT,
                                    owns_exits(rules) ? R_UNOWNED : R_EXIT_ABSENT,
                                    "it is not present on device %d", plan->dir->number);
        claim->state = ACCD_CLAIM_SKIP;
        return ACCD_OK;
    }
    claim->state = ACCD_CLAIM_PRESENT;
    claim->object = object;
    return end_opened(plan, claim, object);
}

/* Finalize without an attachment: the host's value all the same, if the object ever held one. */
static accd_status detach_finally(struct accd_plan *plan, const struct accd_claim *claim,
                                  const struct accd_object *holder, bool *done_p)
{
    const struct accd_attach was = {.slot = claim->slot};
    *done_p = plan->construct->finalize && plan->context->rules.detach_final == ACCD_IGNORE &&
              holder && holder->size & ACCD_OBJECT_HOLDS &&
              accd_host_usable(plan->context, claim->slot, sizeof(void *));
    return *done_p ? restore_pointer(plan, &was, holder->dev + (claim->slot - holder->host))
                   : ACCD_OK;
}

/* Which clauses of an exit data detach their pointer. */
static accd_status resolve_detach(struct accd_plan *plan, struct accd_claim *claim)
{
    const accd_rules *rules = &plan->context->rules;
    struct accd_attach *attach;
    struct accd_object *holder;
    char name[160];
    if (!claim->slot || claim->state == ACCD_CLAIM_SKIP)
        return ACCD_OK;
    ACCD_TRY(accd_find_attach(plan->dir, claim->slot, &attach));
    if (attach) {
        claim->attached = true;
        return ACCD_OK;
    }
    ACCD_TRY(accd_find(plan->dir, claim->slot, &holder));
    bool explicit = claim->action == ACCD_DETACH, done;
    bool implied = !explicit && rules->attach_implied == ACCD_REJECT;
    ACCD_TRY(detach_finally(plan, claim, holder, &done));
    if (done)
        return ACCD_OK;
    accd_name_claim_slot(plan, claim, name, sizeof name);
    if (!holder && (explicit ? rules->attach_absent == ACCD_REJECT : implied))
        return accd_claim_error(plan, claim, NULL, ACCD_NOT_PRESENT, R_ATTACH_ABSENT,
                                "the pointer %s itself is not present on device %d", name,
                                plan->dir->number);
    if (holder && (explicit || implied || claim->source & ACCD_CLAIM_WALKED) &&
        rules->detach_unattached == ACCD_REJECT)
        return accd_claim_error(plan, claim, holder, ACCD_NOT_ATTACHED, R_NOT_ATTACHED,
                                "the pointer %s is not attached", name);
    return ACCD_OK;
}

static accd_status resolve_exits(struct accd_plan *plan)
{
    for (size_t i = 0; i < plan->nclaims; i++)
        ACCD_TRY(resolve_detach(plan, &plan->claims[i]));
    for (uint32_t i = 0; i < plan->nclaims; i++) { /* pieces that come behind are resolved */
        if (plan->claims[i].action != ACCD_DETACH && plan->claims[i].state == ACCD_CLAIM_OPEN)
            ACCD_TRY(resolve_exit(plan, i));
        struct accd_claim *claim = &plan->claims[i];
        if (claim->state == ACCD_CLAIM_SKIP && plan->context->rules.attach_implied == ACCD_IGNORE)
            claim->attached = false;
        if (plan->fusion && plan->construct->finalize && claim->object)
            ACCD_TRY(accd_unfuse_opened(plan, claim->object));
    }
    return ACCD_OK;
}

accd_status accd_exit_data(struct accd_plan *plan)
{
    struct leave leave = {.plan = plan, .dynamic = true};
    if (plan->walk) {
        plan->group = accd_group_matching(plan->dir, plan->walk);
        if (!plan->group)
            ACCD_TRY(accd_plan_sections(plan));
    }
    accd_status status = plan->dir->seats.count ? accd_unfuse_begin(plan) : ACCD_OK;
    if (status == ACCD_OK)
        status = resolve_exits(plan);
    if (status != ACCD_OK) {
        if (plan->fusion)
            accd_unfuse_undo(plan);
        return status;
    }
    return carry_out(&leave);
}

/* ---------------------------------------------------------------------------------- regions -- */

void accd_region_free(struct accd_region *region)
{
    struct accd_directory *dir = region->dir;
    struct accd_region **at = &dir->top;
    while (*at != region) /* above it may be regions of other threads */
        at = &(*at)->below;
    *at = region->below;
    dir->depth--;
    accd_walk_release(region->walk);
    accd_mem_free(&region->context->mem, region, region->bytes);
}

void accd_regions_forget(struct accd_directory *dir, const struct accd_object *object)
{
    for (struct accd_region *region = dir->top; region; region = region->below)
        for (size_t i = 0; i < region->nclaims; i++) {
            struct accd_claim *claim = &region->claims[i];
            if (claim->object == object)
                claim->object = NULL;
            if (claim->slot && claim->slot - object->host < accd_object_bytes(object))
                claim->attached = false; /* its attachment ended with the object */
        }
}

static accd_status end_originals(struct accd_plan *plan, const struct accd_region *region)
{
    accd_status status = plan->dir->seats.count ? accd_unfuse_begin(plan) : ACCD_OK;
    for (size_t i = 0; i < region->noriginals && status == ACCD_OK; i++)
        status = accd_unfuse_original(plan, region->originals[i]);
    if (status != ACCD_OK && plan->fusion)
        accd_unfuse_undo(plan);
    return status;
}

accd_status accd_leave_region(struct accd_region *region, bool abandon)
{
    accd_context *context = region->context;
    const accd_construct construct = {
        .device = region->dir->number,
        .kind = region->kind,
        .name = region->name,
        .file = region->file,
        .line = region->line,
        .nitems = region->nitems,
    };
    struct accd_plan plan = {
        .context = context,
        .dir = region->dir,
        .construct = &construct,
        .leaving = region,
        .walk = region->walk,
        .group = region->group,
        .sources = region->items,
        .nclaims = region->nclaims,
    };
    struct leave leave = {.plan = &plan, .abandon = abandon};
    plan.claims = accd_scratch_take(&context->scratch, plan.nclaims * sizeof plan.claims[0]);
    accd_status status = plan.claims || !plan.nclaims ? ACCD_OK : accd_plan_no_memory(context);
    context->busy = true;
    if (status == ACCD_OK) {
        if (plan.nclaims)
            memcpy(plan.claims, region->claims, plan.nclaims * sizeof plan.claims[0]);
        status = end_originals(&plan, region);
    }
    if (status == ACCD_OK)
        status = carry_out(&leave);
    accd_scratch_reset(&context->scratch);
    context->busy = false;
    if (status == ACCD_OK)
        accd_region_free(region);
    return status;
}
