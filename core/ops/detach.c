/* detach.c - attachments that end with what goes, and what goes with them: pointers in objects that go, and
 * pointers to such; and where a descriptor's attachment made its type record present, the reference it held on
 * that (FLANG-todo-1), in the same step as all else (FLANG-api-7). */
#include "ops/leave.h"

accd_status accd_end_attachment(struct leave *leave, struct accd_attach *attach, uint32_t count,
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
    leave->removed[leave->nremoved++] =
        (struct removed){.attach = attach, .count = count, .dangles = dangles};
    if (!dangles)
        attach->count = 0;
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------- type records -- */

accd_status accd_end_object(struct leave *leave, struct accd_object *object)
{
    if (object->structured || object->dynamic ||
        object->size & (ACCD_OBJECT_DYING | ACCD_OBJECT_MAPPED))
        return ACCD_OK;
    if (!accd_plan_room(leave->plan, (void **)&leave->dying, leave->ndying, &leave->dying_room,
                        sizeof leave->dying[0]))
        return accd_plan_no_memory(leave->plan->context);
    object->size |= ACCD_OBJECT_DYING;
    leave->dying[leave->ndying++] = object;
    return ACCD_OK;
}

/* The reference that an attachment held on its target. */
static accd_status release_record(struct leave *leave, size_t index)
{
    struct accd_plan *plan = leave->plan;
    const uint64_t target = leave->removed[index].attach->target;
    struct accd_object *record = NULL;
    if (leave->removed[index].attach->base) /* it is still what was attached */
        ACCD_TRY(accd_find(plan->dir, target, &record));
    if (!record || record->dynamic <= (record->size & ACCD_OBJECT_MAPPED ? 1 : 0))
        return ACCD_OK; /* others took it off already */
    struct accd_original *opened =
        plan->fusion
            ? accd_opened(plan->dir, target, accd_record_bytes(plan->context, target))
            : NULL;
    if (opened)
        ACCD_TRY(accd_unfuse_original(plan, opened));
    record->dynamic--;
    leave->removed[index].record = record;
    return accd_end_object(leave, record);
}

accd_status accd_release_records(struct leave *leave)
{
    struct accd_directory *dir = leave->plan->dir;
    for (; leave->released < leave->nremoved; leave->released++) {
        const struct accd_attach *attach = leave->removed[leave->released].attach;
        struct accd_attach *inner = dir->attached.nbrought ? accd_attach_brought(dir, attach) : NULL;
        if (leave->removed[leave->released].dangles)
            continue;
        if (inner && inner->count)
            ACCD_TRY(accd_end_attachment(leave, inner, inner->count, false));
        if (attach->brings)
            ACCD_TRY(release_record(leave, leave->released));
    }
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------- what goes on -- */

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
static accd_status end_inner_attachments(struct leave *leave, size_t from)
{
    struct accd_plan *plan = leave->plan;
    bool reject = plan->context->rules.still_attached == ACCD_REJECT && !leave->abandon;
    for (size_t i = from; i < leave->ndying; i++) {
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
            ACCD_TRY(accd_end_attachment(leave, attach, attach->count, false));
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

/* Attachments of pointers elsewhere that point to a dying object. */
static accd_status end_outer_attachments(struct leave *leave, size_t from)
{
    struct accd_plan *plan = leave->plan;
    struct accd_directory *dir = plan->dir;
    const accd_rules *rules = &plan->context->rules;
    bool dangles = rules->lost_target == ACCD_LOST_DANGLES;
    struct accd_targets targets;
    size_t pinned = 0;
    for (size_t i = from; i < leave->ndying; i++)
        pinned += leave->dying[i]->pins != 0;
    if (!pinned)
        return ACCD_OK;
    ACCD_TRY(accd_list_targets(dir, &targets, pinned));
    for (size_t i = from; i < leave->ndying && targets.nobjects < pinned; i++)
        if (leave->dying[i]->pins)
            targets.objects[targets.nobjects++] = leave->dying[i];
    ACCD_TRY(accd_sort_targets(dir, &targets));
    for (size_t i = 0; i < targets.n; i++) {
        struct accd_attach *attach = accd_pointer(targets.at[i].value);
        struct accd_object *target;
        if (!attach->count)
            continue;
        ACCD_TRY(accd_find(dir, attach->base, &target));
        if (rules->still_attached == ACCD_REJECT && !leave->abandon)
            return still_attached(leave, target, attach, "to it");
        ACCD_TRY(accd_end_attachment(leave, attach, attach->count, dangles));
    }
    return unpin(leave);
}

accd_status accd_end_attachments(struct leave *leave)
{
    for (size_t seen = 0; seen < leave->ndying;) {
        const size_t from = seen;
        seen = leave->ndying;
        ACCD_TRY(end_inner_attachments(leave, from));
        ACCD_TRY(unpin(leave));
        ACCD_TRY(end_outer_attachments(leave, from));
        ACCD_TRY(accd_release_records(leave));
    }
    return unpin(leave);
}
