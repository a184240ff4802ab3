/* find.c - look-ups in the present table, by host address and by device address, and in the attach table. Groups that
 * a look-up finds become objects, or attachments, first. */
#include "table/inside.h"

static inline bool covers(const struct accd_object *object, uint64_t host)
{
    return object && host - object->host < accd_object_bytes(object);
}

/* Decides LLNL-2.2-03. */
accd_status accd_find(struct accd_directory *dir, uint64_t host, struct accd_object **object_p)
{
    struct accd_object *object = accd_range_floor(&dir->present.objects, host);
    if (!covers(object, host)) {
        if (dir->groups.npending) {
            ACCD_TRY(accd_index_met(dir, host, host + 1));
            object = accd_range_floor(&dir->present.objects, host);
        }
        if (!covers(object, host))
            object = NULL;
    }
    *object_p = object;
    return ACCD_OK;
}

/* Decides ACC33-gloss-1, LLNL-2.2-02. */
accd_status accd_relate(struct accd_directory *dir, uint64_t host, uint64_t bytes,
                        enum accd_relation *relation_p, struct accd_object **object_p)
{
    if (dir->groups.npending)
        ACCD_TRY(accd_index_met(dir, host, host + bytes));
    void *after;
    struct accd_object *object = accd_range_around(&dir->present.objects, host, &after), *next = after;
    *object_p = NULL;
    if (covers(object, host)) {
        *relation_p = bytes <= accd_object_end(object) - host ? ACCD_INSIDE : ACCD_ACROSS;
        *object_p = object;
    } else if (next && next->host - host < bytes) {
        *relation_p = ACCD_ACROSS;
        *object_p = next;
    } else {
        *relation_p = ACCD_NONE;
    }
    return ACCD_OK;
}

static accd_status build_device_order(struct accd_directory *dir)
{
    if (!accd_range_reserve(&dir->present.by_device, dir->present.objects.count))
        return accd_out_of_memory(dir->context, "for the device order of present objects");
    ACCD_EACH(struct accd_object, object, &dir->present.objects, 0)
        accd_range_insert(&dir->present.by_device, object->dev, object);
    dir->present.device_order = true;
    return ACCD_OK;
}

accd_status accd_find_device(struct accd_directory *dir, uint64_t dev, struct accd_object **object_p)
{
    struct accd_span *met =
        dir->groups.npending ? accd_span_first(dir->groups.places, dev, dev + 1, NULL, NULL) : NULL;
    if (met)
        ACCD_TRY(accd_group_index(dir, met->owner));
    if (!dir->present.device_order)
        ACCD_TRY(build_device_order(dir));
    struct accd_object *object = accd_range_floor(&dir->present.by_device, dev);
    *object_p = object && dev - object->dev < accd_object_bytes(object) ? object : NULL;
    return ACCD_OK;
}

accd_status accd_find_attach(struct accd_directory *dir, uint64_t slot, struct accd_attach **attach_p)
{
    if (dir->groups.npending_attach)
        ACCD_TRY(accd_index_pointers(dir, slot, slot + 1));
    struct accd_attach *attach = accd_range_floor(&dir->attached.slots, slot);
    *attach_p = attach && attach->slot == slot ? attach : NULL;
    return ACCD_OK;
}

/* A pointer may begin before low and reach into the range, and so may the descriptor it is a part of. */
static struct accd_attach *reaching(struct accd_directory *dir, uint64_t low)
{
    struct accd_attach *attach = low ? accd_range_floor(&dir->attached.slots, low - 1) : NULL;
    struct accd_attach *around = attach && dir->attached.nwhole && attach->slot
                                     ? accd_range_floor(&dir->attached.slots, attach->slot - 1)
                                     : NULL;
    if (around && accd_attach_end(around) > low)
        return around;
    return attach && accd_attach_end(attach) > low ? attach : NULL;
}

accd_status accd_first_attach(struct accd_directory *dir, uint64_t low, uint64_t high,
                              struct accd_range_cursor *cursor, struct accd_attach **attach_p)
{
    *attach_p = NULL;
    if (!dir->attached.slots.count && !dir->groups.npending_attach)
        return ACCD_OK;
    if (dir->groups.npending_attach)
        ACCD_TRY(accd_index_pointers(dir, low, high));
    const struct accd_attach *before = reaching(dir, low);
    struct accd_attach *attach =
        accd_range_seek(&dir->attached.slots, before ? before->slot : low, cursor);
    *attach_p = attach && attach->slot < high ? attach : NULL;
    return ACCD_OK;
}

struct accd_attach *accd_next_attach(struct accd_range_cursor *cursor, uint64_t high)
{
    struct accd_attach *attach = accd_range_next(cursor);
    return attach && attach->slot < high ? attach : NULL;
}

struct accd_attach *accd_attach_inside(struct accd_directory *dir, uint64_t slot, uint64_t bytes)
{
    const bool plain = dir->attached.slots.count > dir->attached.nwhole; /* others lie in no descriptor */
    struct accd_attach *attach = plain ? accd_range_floor(&dir->attached.slots, slot + bytes - 1) : NULL;
    return attach && attach->slot >= slot + sizeof(void *) &&
                   accd_attach_end(attach) <= slot + bytes
               ? attach
               : NULL;
}

struct accd_attach *accd_attach_record(struct accd_directory *dir, const struct accd_attach *attach)
{
    struct accd_attach *inner =
        attach->descriptor ? accd_attach_inside(dir, attach->slot, attach->descriptor->bytes) : NULL;
    return inner && inner->holds_record ? inner : NULL;
}

struct accd_attach *accd_attach_around(struct accd_directory *dir, const struct accd_attach *record)
{
    struct accd_attach *around = record->holds_record ? accd_range_floor(&dir->attached.slots, record->slot - 1) : NULL;
    return around && accd_attach_record(dir, around) == record ? around : NULL;
}

/* Decides FLANG-moving-target-3. */
bool accd_attached_as_now(const struct accd_attach *attach, uint32_t slot_bytes)
{
    const struct accd_kept_descriptor *kept = attach->descriptor;
    if (accd_load_pointer(attach->slot) != attach->target)
        return false;
    if (!slot_bytes)
        return true;
    return kept && kept->bytes == slot_bytes &&
           !memcmp(kept->rest, (const char *)accd_pointer(attach->slot) + sizeof(void *),
                   slot_bytes - sizeof(void *));
}

accd_status accd_index_pointers(struct accd_directory *dir, uint64_t low, uint64_t high)
{
    struct accd_span *met;
    while ((met = accd_span_first(dir->groups.slots, low, high, NULL, NULL)))
        ACCD_TRY(accd_group_attachments(dir, met->owner));
    return ACCD_OK;
}

accd_status accd_index_all(struct accd_directory *dir)
{
    for (size_t i = 0; i < dir->groups.n; i++) {
        struct accd_group *group = dir->groups.at[i];
        if (group && group->pending)
            ACCD_TRY(accd_group_index(dir, group));
        if (group && group->pending_attach)
            ACCD_TRY(accd_group_attachments(dir, group));
    }
    return ACCD_OK;
}
