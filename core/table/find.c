/* find.c - look-ups in the present table, by host or device address, and in the attach table. A pending group is a deep
 * structure kept as one record (group.h); a look-up that finds one makes its objects first. All layers above use these
 * look-ups. */
#include "table/inside.h"
#include "find.h"

/* Returns true if `object` contains the byte at a host address; false if `object` is NULL. */
static inline bool object_covers(const struct accd__object *object, uint64_t host)
{
    return object && host - object->host < accd__object_bytes(object);
}

/* Sets *object_p to the present object that contains a host address, or to NULL. First expands pending groups whose
 * sections may contain the address, and fails without memory for that. Decides LLNL-2.2-03. */
accd_status accd__find_object(struct accd__device_env *env, uint64_t host, struct accd__object **object_p)
{
    struct accd__object *object = accd__btree_floor(&env->present.objects, host);
    if (!object_covers(object, host)) {
        if (env->groups.npending) {
            ACCD_TRY(accd__expand_overlapping_groups(env, host, host + 1));
            object = accd__btree_floor(&env->present.objects, host);
        }
        if (!object_covers(object, host))
            object = NULL;
    }
    *object_p = object;
    return ACCD_OK;
}

/* Sets *relation_p to how a range of at least one byte lies in the present objects: within one (CONTAINED), outside all
 * (DISJOINT), otherwise PARTIAL. Sets *object_p to the first object that overlaps the range, or to NULL. First expands
 * pending groups in the range, and fails without memory for that. Decides ACC33-gloss-1, LLNL-2.2-02. */
accd_status accd__find_containment(struct accd__device_env *env, uint64_t host, uint64_t bytes,
                                   enum accd__containment *relation_p, struct accd__object **object_p)
{
    if (env->groups.npending)
        ACCD_TRY(accd__expand_overlapping_groups(env, host, host + bytes));
    void *after;
    struct accd__object *object = accd__btree_floor_and_next(&env->present.objects, host, &after), *next = after;
    *object_p = NULL;
    if (object_covers(object, host)) {
        *relation_p = bytes <= accd__object_end(object) - host ? ACCD_RANGE_CONTAINED : ACCD_RANGE_PARTIAL;
        *object_p = object;
    } else if (next && next->host - host < bytes) {
        *relation_p = ACCD_RANGE_PARTIAL;
        *object_p = next;
    } else {
        *relation_p = ACCD_RANGE_DISJOINT;
    }
    return ACCD_OK;
}

/* Builds the index of objects by device address, which is maintained from then on. Fails without memory; the index then
 * does not exist. */
static accd_status build_device_order(struct accd__device_env *env)
{
    if (!accd__btree_reserve(&env->present.by_device, env->present.objects.count))
        return accd__report_out_of_memory(env->context, "for the device order of present objects");
    ACCD_FOR_EACH(struct accd__object, object, &env->present.objects, 0)
    accd__btree_insert(&env->present.by_device, object->dev, object);
    env->present.device_order = true;
    return ACCD_OK;
}

/* Sets *object_p to the present object that contains a device address, or to NULL. First expands a pending group with
 * that address, and builds the index by device address if it does not exist. Fails without memory for either. */
accd_status accd__find_object_by_dev(struct accd__device_env *env, uint64_t dev, struct accd__object **object_p)
{
    struct accd__interval *found =
        env->groups.npending ? accd__interval_find_overlap(env->groups.places, dev, dev + 1, NULL, NULL) : NULL;
    if (found)
        ACCD_TRY(accd__group_expand_sections(env, found->owner));
    if (!env->present.device_order)
        ACCD_TRY(build_device_order(env));
    struct accd__object *object = accd__btree_floor(&env->present.by_device, dev);
    *object_p = object && dev - object->dev < accd__object_bytes(object) ? object : NULL;
    return ACCD_OK;
}

/* Sets *attach_p to the attachment of the pointer at `slot`, or to NULL. First makes attachments of the pending
 * pointers of groups that may include this one; fails if that does, mainly without memory. */
accd_status accd__find_attachment(struct accd__device_env *env, uint64_t slot, struct accd__attachment **attach_p)
{
    if (env->groups.npending_attach)
        ACCD_TRY(accd__expand_group_pointers(env, slot, slot + 1));
    struct accd__attachment *attach = accd__btree_floor(&env->attached.slots, slot);
    *attach_p = attach && attach->slot == slot ? attach : NULL;
    return ACCD_OK;
}

/* Returns an attachment that begins before `low` and ends after `low`. If an attached descriptor and a pointer inside
 * it both do, returns that of the descriptor. NULL: no attachment reaches `low`. */
static struct accd__attachment *find_reaching_attachment(struct accd__device_env *env, uint64_t low)
{
    struct accd__attachment *attach = low ? accd__btree_floor(&env->attached.slots, low - 1) : NULL;
    struct accd__attachment *enclosing = attach && env->attached.ndescriptors && attach->slot
                                             ? accd__btree_floor(&env->attached.slots, attach->slot - 1)
                                             : NULL;
    if (enclosing && accd__attachment_end(enclosing) > low)
        return enclosing;
    return attach && accd__attachment_end(attach) > low ? attach : NULL;
}

/* Sets *attach_p to the first attachment that overlaps [low, high), or to NULL, and `cursor` to its position. First
 * makes attachments of the pending pointers of groups in this range; fails if that does, mainly without memory. */
accd_status accd__first_attachment(struct accd__device_env *env, uint64_t low, uint64_t high,
                                   struct accd__btree_cursor *cursor, struct accd__attachment **attach_p)
{
    *attach_p = NULL;
    if (!env->attached.slots.count && !env->groups.npending_attach)
        return ACCD_OK;
    if (env->groups.npending_attach)
        ACCD_TRY(accd__expand_group_pointers(env, low, high));
    const struct accd__attachment *before = find_reaching_attachment(env, low);
    struct accd__attachment *attach = accd__btree_seek(&env->attached.slots, before ? before->slot : low, cursor);
    *attach_p = attach && attach->slot < high ? attach : NULL;
    return ACCD_OK;
}

/* Advances the cursor, and returns the next attachment if it begins before `high`; otherwise NULL. */
struct accd__attachment *accd__next_attachment(struct accd__btree_cursor *cursor, uint64_t high)
{
    struct accd__attachment *attach = accd__btree_next(cursor);
    return attach && attach->slot < high ? attach : NULL;
}

/* Returns an attachment of a pointer that lies in the descriptor of `bytes` bytes at `slot`, but after its first word,
 * the address of data. NULL: none. */
struct accd__attachment *accd__find_attachment_within(struct accd__device_env *env, uint64_t slot, uint64_t bytes)
{
    /* true if attachments without descriptor exist; only such a one, of a pointer to a type record, lies inside a
     * descriptor */
    const bool plain = env->attached.slots.count > env->attached.ndescriptors;
    struct accd__attachment *attach = plain ? accd__btree_floor(&env->attached.slots, slot + bytes - 1) : NULL;
    return attach && attach->slot >= slot + sizeof(void *) && accd__attachment_end(attach) <= slot + bytes ? attach
                                                                                                           : NULL;
}

/* Returns the attachment of the type-record pointer inside the descriptor of `attach`, or NULL. */
struct accd__attachment *accd__type_record_attachment(struct accd__device_env *env,
                                                      const struct accd__attachment *attach)
{
    struct accd__attachment *inner =
        attach->descriptor ? accd__find_attachment_within(env, attach->slot, attach->descriptor->bytes) : NULL;
    return inner && inner->holds_record ? inner : NULL;
}

/* Returns the attachment of the descriptor that contains the pointer of the type-record attachment `record`, or NULL.
 */
struct accd__attachment *accd__descriptor_attachment(struct accd__device_env *env,
                                                     const struct accd__attachment *record)
{
    struct accd__attachment *enclosing =
        record->holds_record ? accd__btree_floor(&env->attached.slots, record->slot - 1) : NULL;
    return enclosing && accd__type_record_attachment(env, enclosing) == record ? enclosing : NULL;
}

/* Returns true if the host pointer of `attach` still holds the target saved at the attach. If slot_bytes is not 0, the
 * host descriptor of that size must equal the saved one, too. Decides FLANG-moving-target-3. */
bool accd__is_attachment_current(const struct accd__attachment *attach, uint32_t slot_bytes)
{
    const struct accd__saved_descriptor *descriptor = attach->descriptor;
    assert(!slot_bytes || slot_bytes >= sizeof(void *));
    if (accd__load_pointer(attach->slot) != attach->target)
        return false;
    if (!slot_bytes)
        return true;
    return descriptor && descriptor->bytes == slot_bytes &&
           !memcmp(descriptor->rest, (const char *)accd__pointer(attach->slot) + sizeof(void *),
                   slot_bytes - sizeof(void *));
}

/* Makes attachments of the pending pointers of each group whose hull of pointers overlaps [low, high). Fails without
 * memory, or if a descriptor cannot be read from the device. */
accd_status accd__expand_group_pointers(struct accd__device_env *env, uint64_t low, uint64_t high)
{
    struct accd__interval *found;
    while ((found = accd__interval_find_overlap(env->groups.slots, low, high, NULL, NULL)))
        ACCD_TRY(accd__group_expand_pointers(env, found->owner));
    return ACCD_OK;
}

/* Makes objects of the pending sections of all groups, and attachments of their pending pointers. Fails without memory,
 * or if a descriptor cannot be read from the device. */
accd_status accd__expand_groups(struct accd__device_env *env)
{
    for (size_t i = 0; i < env->groups.n; i++) {
        struct accd__group *group = env->groups.at[i];
        if (group && group->pending)
            ACCD_TRY(accd__group_expand_sections(env, group));
        if (group && group->pending_attach)
            ACCD_TRY(accd__group_expand_pointers(env, group));
    }
    return ACCD_OK;
}
