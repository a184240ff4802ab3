/* check.c - checks the invariants that hold after every construct. Tests call it often.
 *
 * 1. Present host ranges are disjoint, and so are device ranges; both indices are sound.
 * 2. Structured counters equal the requests of open levels, or less if exit data has removed references, too. Every
 * object that is present, or named by a level, has a reference.
 * 3. Every attachment lies in a present object, points into one or dangles, and its word on the device is right. It
 * counts 1, unless attachments are counted.
 * 4. Device memory in use is that of live objects and blocks, of acc_malloc, and of queues that will free it.
 * 5. Fused data lie in the block of their tuple, at their host distances; tuples are disjoint; blocks count the
 * vacated slots (former places of objects, table/tuples.h) in them.
 * 6. Tasks of queues are numbered in order, counted, and use allocated device memory only.
 *
 * Functions check_X return the text of the first violation, or NULL; without memory, a text that says so. */
#include "accdeep_checkpoints.h"
#include "accdeep_internal.h"
#include "ops/ops.h"
#include "table/find.h"
#include "table/group.h"
#include "table/name.h"
#include "table/objects.h"
#include "table/tuples.h"

#include <assert.h>
#include <stdio.h>

/* Formats the text about a violation into env->context->check_message; its value is that text. */
#define VIOLATION(...)                                                                       \
    (snprintf(env->context->check_message, sizeof env->context->check_message, __VA_ARGS__), \
     env->context->check_message)

/* Returns the name of an object. The text is in error.asked.name of the context, which the next call overwrites. */
static const char *format_object_name(struct accd__device_env *env, const struct accd__object *object)
{
    accd__format_object(env, object, env->context->error.asked.name, sizeof env->context->error.asked.name);
    return env->context->error.asked.name;
}

#define NO_MEMORY VIOLATION("no memory to check what is there")

/* Counts of references to records (objects or blocks): pairs of a record's address and a count. count_object adds pairs
 * with count 1; sum_tally joins the pairs of each record. */
struct address_tally {
    struct accd__pair *pairs;
    size_t n, capacity;
};

/* Counts of one device. levels: references that open levels hold, by object. pins: attachments that point to an object,
 * by object. places: vacated slots (former places of moved objects), by block. */
struct tallies {
    struct accd__scratch scratch;
    struct address_tally levels, pins, places;
};

/* Appends the pair (address of `object`, 1) to a tally that is not yet summed. Returns false without memory. */
static bool count_object(struct tallies *tallies, struct address_tally *tally, const void *object)
{
    assert(tallies && tally && object);
    if (!accd__scratch_grow_array(&tallies->scratch, (void **)&tally->pairs, tally->n, &tally->capacity,
                                  sizeof tally->pairs[0]))
        return false;
    tally->pairs[tally->n++] = (struct accd__pair){accd__address(object), 1};
    return true;
}

/* Sorts a tally by address and adds up the counts of equal addresses, so that get_count can be called. Returns false
 * without memory. */
static bool sum_tally(struct tallies *tallies, struct address_tally *tally)
{
    assert(tallies && tally);
    struct accd__pair *spare = accd__scratch_alloc(&tallies->scratch, tally->n * sizeof *spare);
    size_t nsums = 0;
    if (!spare)
        return false;
    tally->pairs = accd__sort_pairs(tally->pairs, spare, tally->n);
    for (size_t i = 0; i < tally->n; i++)
        if (nsums && tally->pairs[nsums - 1].key == tally->pairs[i].key)
            tally->pairs[nsums - 1].value += tally->pairs[i].value;
        else
            tally->pairs[nsums++] = tally->pairs[i];
    tally->n = nsums;
    return true;
}

/* Returns the count of the record `object` in a summed tally; 0 if it was not counted. */
static uint64_t get_count(const struct address_tally *tally, const void *object)
{
    const uint64_t key = accd__address(object);
    const size_t after = ACCD_UPPER_BOUND(tally->pairs, key, tally->n, key);
    return after && tally->pairs[after - 1].key == key ? tally->pairs[after - 1].value : 0;
}

/* Checks the present table: host ranges are disjoint, and each object has the right counters, pins (number of
 * attachments that point to it) and device memory. The tallies of levels and pins must be summed. */
static const char *check_objects(struct accd__device_env *env, const struct tallies *tallies)
{
    uint64_t end = 0;
    size_t n = 0, nnamed = 0;
    ACCD_FOR_EACH(struct accd__object, object, &env->present.objects, 0)
    {
        const uint64_t levels = get_count(&tallies->levels, object), pins = get_count(&tallies->pins, object);
        n++;
        nnamed += levels != 0;
        if (object->host < end)
            return VIOLATION("%s overlaps the object before it", format_object_name(env, object));
        end = accd__object_end(object);
        if (!accd__object_bytes(object))
            return VIOLATION("%s is empty", format_object_name(env, object));
        if (!object->structured && !object->dynamic)
            return VIOLATION("%s is present without a reference", format_object_name(env, object));
        if (object->size & ACCD_OBJECT_UNDERCOUNTED ? object->structured > levels : object->structured != levels)
            return VIOLATION("%s has structured counter %u, but levels account for %llu",
                             format_object_name(env, object), object->structured, (unsigned long long)levels);
        if (object->pins != pins)
            return VIOLATION("%s is pinned %u times, but %llu pointers point to it", format_object_name(env, object),
                             object->pins, (unsigned long long)pins);
        if (object->size & ACCD_OBJECT_VISITED)
            return VIOLATION("%s is marked as if a construct were under way", format_object_name(env, object));
        if (!env->device.ops->is_allocated(env->device.handle, object->dev, accd__object_bytes(object)))
            return VIOLATION("%s has no allocated device memory", format_object_name(env, object));
    }
    if (nnamed != tallies->levels.n)
        return VIOLATION("a level names an object that is gone");
    return n == env->present.live ? NULL : VIOLATION("the number of live objects is wrong");
}

/* Checks that the device ranges of present objects are disjoint. If the index of objects by device address has been
 * built, also checks that it has all objects. */
static const char *check_device_order(struct accd__device_env *env, struct tallies *tallies)
{
    const size_t most = env->present.objects.count;
    struct accd__pair *pairs = accd__scratch_alloc(&tallies->scratch, 2 * most * sizeof *pairs);
    size_t n = 0;
    if (!pairs)
        return NO_MEMORY;
    ACCD_FOR_EACH(struct accd__object, object, &env->present.objects, 0)
    pairs[n++] = (struct accd__pair){object->dev, accd__object_bytes(object)};
    const struct accd__pair *sorted = accd__sort_pairs(pairs, pairs + n, n);
    for (size_t i = 1; i < n; i++)
        if (sorted[i].key - sorted[i - 1].key < sorted[i - 1].value)
            return VIOLATION("two objects share device memory");
    return !env->present.device_order || env->present.by_device.count == n
               ? NULL
               : VIOLATION("the device order has %zu objects instead of %zu", env->present.by_device.count, n);
}

/* Returns true if the device copy, at address `dev`, of an attached Fortran descriptor has the bytes that the
 * attachment has saved, apart from the descriptor's address of the data. If the pointer to the type record is attached,
 * too, it must have the record's device address. Returns false also if the device cannot be read. */
static bool descriptor_is_there(struct accd__device_env *env, const struct accd__attachment *attach, uint64_t dev)
{
    assert(attach->descriptor && attach->descriptor->bytes <= ACCD_MAX_SLOT_BYTES);
    char actual[ACCD_MAX_SLOT_BYTES], expected[ACCD_MAX_SLOT_BYTES];
    uint32_t bytes = attach->descriptor->bytes - (uint32_t)sizeof(void *);
    const struct accd__attachment *inner = accd__find_attachment_within(env, attach->slot, attach->descriptor->bytes);
    memcpy(expected, attach->descriptor->rest, bytes);
    if (inner)
        memcpy(expected + (inner->slot - attach->slot) - sizeof(void *), &inner->dev, sizeof inner->dev);
    return env->device.ops->read(env->device.handle, dev + sizeof(void *), actual, bytes) == ACCD_OK &&
           !memcmp(actual, expected, bytes);
}

/* Checks all attachments, the pointers in device memory, and the order of attachments by their targets. Counts each
 * attachment in tallies->pins, for its target. */
static const char *check_attachments(struct accd__device_env *env, struct tallies *tallies)
{
    size_t n = 0, records = 0, leading = 0;
    ACCD_FOR_EACH(struct accd__attachment, attach, &env->attached.slots, 0)
    {
        const struct accd__object *holder = accd__object_at(env, attach->slot, false), *target;
        char name[160];
        n++;
        records += attach->holds_record;
        leading += attach->base != 0;
        accd__format_slot(env, attach->slot, attach->label, name, sizeof name);
        if (!attach->count)
            return VIOLATION("%s is attached with counter 0", name);
        if (!holder)
            return VIOLATION("%s is attached, but not present", name);
        if (attach->count != 1 && !env->context->policy.counts_attachments)
            return VIOLATION("%s is attached with counter %u, but nothing counts", name, attach->count);
        if (!attach->base && env->context->rules.lost_target == ACCD_LOST_TARGET_DANGLES)
            continue; /* the target has been removed, so that there is no device address to compare with */
        target = accd__object_at(env, attach->base, false);
        if (!target)
            return VIOLATION("%s points to nothing present", name);
        if (attach->holds_record && !accd__descriptor_attachment(env, attach))
            return VIOLATION("%s holds a type record of no descriptor", name);
        if (attach->dev - target->dev != attach->target - target->host)
            return VIOLATION("%s points to the wrong place", name);
        uint64_t dev = holder->dev + (attach->slot - holder->host), word;
        /* The pointer on the device is compared only under rules that forbid kernels to change it. It is not compared
         * while a queue may still have to write it, or if the device is lost and cannot be read. */
        bool is_comparable = env->context->rules.attached == ACCD_ATTACHED_KEPT &&
                             env->context->rules.attach != ACCD_ATTACH_POLICY_EVERY;
        if (!env->device.ops->is_allocated(env->device.handle, dev, sizeof word))
            return VIOLATION("%s has no allocated device memory", name);
        is_comparable =
            is_comparable && !accd__find_pending_task(env, dev, accd__attachment_end(attach) - attach->slot);
        is_comparable = is_comparable && env->device.ops->read(env->device.handle, dev, &word, sizeof word) == ACCD_OK;
        if (is_comparable && attach->descriptor && !descriptor_is_there(env, attach, dev))
            return VIOLATION("the descriptor %s holds other bounds on the device", name);
        if (is_comparable && word != attach->dev)
            return VIOLATION("%s holds another address on the device", name);
        if (!count_object(tallies, &tallies->pins, target))
            return NO_MEMORY;
    }
    ACCD_FOR_EACH(const struct accd__attachment, first, &env->attached.targets, 0)
    {
        const struct accd__attachment *attach = first;
        do {
            leading--;
            attach = attach->next_target;
        } while (leading < n && attach != first && attach->base == first->base);
        if (attach != first)
            return VIOLATION("the order of attached pointers by their targets is wrong");
    }
    if (leading && env->attached.target_order)
        return VIOLATION("the order of attached pointers by their targets is not whole");
    if (records != env->attached.ntype_records)
        return VIOLATION("the number of attached type records is wrong");
    return n == env->attached.live ? NULL : VIOLATION("the number of attachments is wrong");
}

/* Counts the references that open levels hold, in tallies->levels, for their objects. Checks the number of levels, and
 * the number of reasons that keep constructs off the fast path. */
static const char *check_levels(struct accd__device_env *env, struct tallies *tallies)
{
    size_t depth = 0;
    for (const struct accd_region *region = env->levels.top; region; region = region->below, depth++) {
        for (size_t i = 0; i < region->nrequests; i++) {
            const struct accd__request *request = &region->requests[i];
            if (request->object && request->counted && !count_object(tallies, &tallies->levels, request->object))
                return NO_MEMORY;
        }
        const struct accd__group *group = region->group;
        for (size_t i = 0; group && i < group->walk->sections; i++)
            if (accd__object_bytes(&group->objects[i]) && !count_object(tallies, &tallies->levels, &group->objects[i]))
                return NO_MEMORY;
    }
    const size_t slow_path_reasons = env->groups.npending + env->groups.npending_attach + env->queues.ntasks +
                                     env->tuples.placements.count + (env->journal != NULL) +
                                     (env->context->config.on_event != NULL) + env->device.ops->has_no_bytes;
    if (slow_path_reasons != env->slow_path_reasons)
        return VIOLATION("plain constructs have %zu things to look out for, but %zu are counted", slow_path_reasons,
                         env->slow_path_reasons);
    return depth == env->levels.depth ? NULL : VIOLATION("the number of levels is wrong");
}

/* Sums the tallies of levels and pins, which check_objects needs. Returns NULL, or a text that says that there is no
 * memory. */
static const char *check_counters(struct accd__device_env *env, struct tallies *tallies)
{
    return sum_tally(tallies, &tallies->levels) && sum_tally(tallies, &tallies->pins) ? NULL : NO_MEMORY;
}

/* Checks that objects that share memory lie in blocks, that each block has objects, and that objects and blocks
 * together are not larger than the device memory in use. */
static const char *check_memory(struct accd__device_env *env)
{
    uint64_t bytes = 0;
    ACCD_FOR_EACH(struct accd__object, object, &env->present.objects, 0)
    {
        if (!(object->size & (ACCD_OBJECT_SHARED | ACCD_OBJECT_MAPPED)))
            bytes += accd__object_bytes(object);
        struct accd__block *block = object->size & ACCD_OBJECT_SHARED ? accd__object_block(env, object) : NULL;
        if (object->size & ACCD_OBJECT_SHARED && (!block || object->dev - block->dev >= block->bytes))
            return VIOLATION("%s lies in no block", format_object_name(env, object));
    }
    ACCD_FOR_EACH(struct accd__block, block, &env->present.blocks, 0)
    {
        if (!block->live)
            return VIOLATION("a device block outlived its objects");
        bytes += block->bytes;
    }
    return bytes <= env->device.stats.live_bytes
               ? NULL
               : VIOLATION("objects and blocks need %llu bytes, but only %llu are in use", (unsigned long long)bytes,
                           (unsigned long long)env->device.stats.live_bytes);
}

/* Checks the object of one placement (record of where fusion has put an object). If it belongs to a tuple of fused
 * data, it must lie in the tuple's block, at its host distance. Its originals (clauses on it) must begin in it and be
 * in one tuple. */
static const char *check_share(struct accd__device_env *env, const struct accd__placement *placement)
{
    assert(placement->object);
    const struct accd__object *object = placement->object;
    const struct accd__fused_tuple *fused = placement->fused;
    if (accd__object_at(env, object->host, false) != object)
        return VIOLATION("a share outlived its object");
    if (fused != accd__find_fused_tuple(env, object->host))
        return VIOLATION("%s is not in the tuple around it", format_object_name(env, object));
    if (fused && (!fused->current || object->dev - fused->block->dev != object->host - fused->block->host))
        return VIOLATION("%s is not at its place in its tuple", format_object_name(env, object));
    for (const struct accd__original *original = placement->originals; original; original = original->next) {
        const struct accd__coverage cover = accd__get_coverage(env, original->host, original->bytes);
        if (original->placement != placement || accd__original_ends(&env->tuples, original) ||
            original->host - object->host >= accd__object_bytes(object))
            return VIOLATION("an original does not begin in %s", format_object_name(env, object));
        if (env->context->rules.fusion && (!cover.whole || !cover.is_single))
            return VIOLATION("an original of %s is not in one tuple", format_object_name(env, object));
        const struct accd__original *other =
            env->context->rules.fusion ? accd__btree_floor(&env->tuples.bases, original->base) : NULL;
        if (other && other->base == original->base && other->placement != placement &&
            (!fused || other->placement->fused != fused))
            return VIOLATION("%s and data of the same base are apart", format_object_name(env, object));
    }
    return NULL;
}

/* Checks that tuples of fused data are disjoint and current, that placements are consistent, and that each block has
 * the right number of vacated slots. */
static const char *check_tuples(struct accd__device_env *env, struct tallies *tallies)
{
    struct address_tally *places = &tallies->places;
    uint64_t end = 0;
    ACCD_FOR_EACH(const struct accd__fused_tuple, fused, &env->tuples.fused, 0)
    {
        if (fused->host < end || !fused->current)
            return VIOLATION("tuples are not apart");
        end = fused->end;
    }
    ACCD_FOR_EACH(const struct accd__placement, placement, &env->tuples.placements, 0)
    {
        const char *violation = check_share(env, placement);
        if (violation)
            return violation;
        for (const struct accd__vacated_slot *vacated = placement->vacated; vacated; vacated = vacated->below) {
            if (!count_object(tallies, places, accd__btree_floor(&env->present.blocks, vacated->dev)))
                return NO_MEMORY;
        }
    }
    if (!sum_tally(tallies, places))
        return NO_MEMORY;
    ACCD_FOR_EACH(const struct accd__block, block, &env->present.blocks, 0)
    if (block->vacated != get_count(places, block) || block->vacated > block->live)
        return VIOLATION("a block counts %zu places that wait instead of %llu", block->vacated,
                         (unsigned long long)get_count(places, block));
    return NULL;
}

/* Checks that the ordered indices (B-trees) of a device are sound. */
static const char *check_indices(struct accd__device_env *env)
{
    struct accd__btree *indices[] = {&env->present.objects, &env->present.by_device, &env->present.blocks,
                                     &env->attached.slots,  &env->attached.targets,  &env->tuples.placements,
                                     &env->tuples.fused,    &env->tuples.bases};
    const char *violation = NULL;
    for (size_t i = 0; i < sizeof indices / sizeof indices[0] && !violation; i++)
        violation = accd__btree_check(indices[i]);
    return violation;
}

/* Runs all checks of one device; each check may rely on the results of earlier ones. */
static const char *check_all(struct accd__device_env *env, struct tallies *tallies)
{
    const char *violation = check_indices(env);
    violation = violation ? violation : check_levels(env, tallies);
    violation = violation ? violation : check_attachments(env, tallies);
    violation = violation ? violation : check_counters(env, tallies);
    violation = violation ? violation : check_objects(env, tallies);
    violation = violation ? violation : check_device_order(env, tallies);
    violation = violation ? violation : check_memory(env);
    violation = violation ? violation : check_tuples(env, tallies);
    return violation ? violation : accd__queues_check(env);
}

/* Checks one device. First makes objects of all its groups (one record for many sections, table/group.h); without
 * memory for that, returns a text that says so. */
static const char *check_directory(struct accd__device_env *env)
{
    struct tallies tallies = {.scratch = {.mem = &env->context->mem}};
    if (accd__expand_groups(env) != ACCD_OK)
        return VIOLATION("no memory to index groups");
    accd__begin_pending_query(env, NULL);
    const char *violation = check_all(env, &tallies);
    accd__scratch_free(&tallies.scratch);
    return violation;
}

/* Checks all devices of a context. Returns the text of the first violation, or NULL if all invariants hold. */
const char *accd__check_invariants(accd_context *context)
{
    if (!context)
        return "there is no context";
    for (int i = 0; i < context->nenvs; i++) {
        const char *violation = check_directory(&context->envs[i]);
        if (violation)
            return violation;
    }
    return NULL;
}
