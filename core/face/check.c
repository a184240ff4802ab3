/* check.c - the invariants that hold after every construct.
 *
 * 1. Present host ranges are disjoint, and so are device ranges; both indices are sound.
 * 2. Structured counters equal what the open levels account for, or are less where exit data takes from them,
 *    too; nothing present has no reference, nor does what the levels name.
 * 3. Every attachment lies in a present object, points into one or dangles, and its device word is right; it
 *    counts one, unless attachments are counted.
 * 4. Device memory in use is that of the live objects and blocks, what acc_malloc gave, and what queues give back.
 * 6. What queues have to do is numbered in order, counted, and about allocated device memory. */
#include "ops/ops.h"
#include "table/group.h"
#include "table/name.h"
#include "table/tuples.h"

#include <stdio.h>

#define WRONG(...)                                                                       \
    (snprintf(dir->context->checked, sizeof dir->context->checked, __VA_ARGS__), \
     dir->context->checked)

static const char *name_of(struct accd_directory *dir, const struct accd_object *object)
{
    accd_name_object(dir, object, dir->context->error.asked.name, sizeof dir->context->error.asked.name);
    return dir->context->error.asked.name;
}

#define NO_MEMORY WRONG("no memory to check what is there")

/* Numbers by address. */
struct tally {
    struct accd_pair *pairs;
    size_t n, room;
};

/* What is counted of a directory: references of levels, pins of attachments, former places in blocks. */
struct tallies {
    struct accd_scratch scratch;
    struct tally levels, pins, places;
};

static bool count(struct tallies *tallies, struct tally *tally, const void *object)
{
    if (!accd_scratch_room(&tallies->scratch, (void **)&tally->pairs, tally->n, &tally->room, sizeof tally->pairs[0]))
        return false;
    tally->pairs[tally->n++] = (struct accd_pair){accd_address(object), 1};
    return true;
}

static bool sum(struct tallies *tallies, struct tally *tally)
{
    struct accd_pair *spare = accd_scratch_take(&tallies->scratch, tally->n * sizeof *spare);
    size_t kept = 0;
    if (!spare)
        return false;
    tally->pairs = accd_sort_pairs(tally->pairs, spare, tally->n);
    for (size_t i = 0; i < tally->n; i++)
        if (kept && tally->pairs[kept - 1].key == tally->pairs[i].key)
            tally->pairs[kept - 1].value += tally->pairs[i].value;
        else
            tally->pairs[kept++] = tally->pairs[i];
    tally->n = kept;
    return true;
}

static uint64_t counted(const struct tally *tally, const void *object)
{
    const uint64_t key = accd_address(object);
    const size_t after = ACCD_FIRST_ABOVE(tally->pairs, key, tally->n, key);
    return after && tally->pairs[after - 1].key == key ? tally->pairs[after - 1].value : 0;
}

static const char *check_objects(struct accd_directory *dir, const struct tallies *tallies)
{
    uint64_t end = 0;
    size_t n = 0, named = 0;
    ACCD_EACH(struct accd_object, object, &dir->present.objects, 0) {
        const uint64_t levels = counted(&tallies->levels, object), pins = counted(&tallies->pins, object);
        n++;
        named += levels != 0;
        if (object->host < end)
            return WRONG("%s overlaps the object before it", name_of(dir, object));
        end = accd_object_end(object);
        if (!accd_object_bytes(object))
            return WRONG("%s is empty", name_of(dir, object));
        if (!object->structured && !object->dynamic)
            return WRONG("%s is present without a reference", name_of(dir, object));
        if (object->size & ACCD_OBJECT_SHORT ? object->structured > levels : object->structured != levels)
            return WRONG("%s has structured counter %u, but levels account for %llu",
                         name_of(dir, object), object->structured, (unsigned long long)levels);
        if (object->pins != pins)
            return WRONG("%s is pinned %u times, but %llu pointers point to it",
                         name_of(dir, object), object->pins, (unsigned long long)pins);
        if (object->size & ACCD_OBJECT_TOUCHED)
            return WRONG("%s is marked as if a construct were under way", name_of(dir, object));
        if (!dir->device.ops->allocated(dir->device.handle, object->dev, accd_object_bytes(object)))
            return WRONG("%s has no allocated device memory", name_of(dir, object));
    }
    if (named != tallies->levels.n)
        return WRONG("a level names an object that is gone");
    return n == dir->present.live ? NULL : WRONG("the number of live objects is wrong");
}

static const char *check_device_order(struct accd_directory *dir, struct tallies *tallies)
{
    const size_t most = dir->present.objects.count;
    struct accd_pair *pairs = accd_scratch_take(&tallies->scratch, 2 * most * sizeof *pairs);
    size_t n = 0;
    if (!pairs)
        return NO_MEMORY;
    ACCD_EACH(struct accd_object, object, &dir->present.objects, 0)
        pairs[n++] = (struct accd_pair){object->dev, accd_object_bytes(object)};
    const struct accd_pair *sorted = accd_sort_pairs(pairs, pairs + n, n);
    for (size_t i = 1; i < n; i++)
        if (sorted[i].key - sorted[i - 1].key < sorted[i - 1].value)
            return WRONG("two objects share device memory");
    return !dir->present.device_order || dir->present.by_device.count == n
               ? NULL
               : WRONG("the device order has %zu objects instead of %zu", dir->present.by_device.count, n);
}

static bool descriptor_is_there(struct accd_directory *dir, const struct accd_attach *attach, uint64_t dev)
{
    char found[ACCD_SLOT_MOST], wanted[ACCD_SLOT_MOST];
    uint32_t bytes = attach->descriptor->bytes - (uint32_t)sizeof(void *);
    const struct accd_attach *inner = accd_attach_inside(dir, attach->slot, attach->descriptor->bytes);
    memcpy(wanted, attach->descriptor->rest, bytes);
    if (inner)
        memcpy(wanted + (inner->slot - attach->slot) - sizeof(void *), &inner->dev, sizeof inner->dev);
    return dir->device.ops->read(dir->device.handle, dev + sizeof(void *), found, bytes) == ACCD_OK &&
           !memcmp(found, wanted, bytes);
}

static const char *check_attachments(struct accd_directory *dir, struct tallies *tallies)
{
    size_t n = 0, records = 0, leading = 0;
    ACCD_EACH(struct accd_attach, attach, &dir->attached.slots, 0) {
        const struct accd_object *holder = accd_object_at(dir, attach->slot, false), *target;
        char name[160];
        n++;
        records += attach->holds_record;
        leading += attach->base != 0;
        accd_name_slot(dir, attach->slot, attach->label, name, sizeof name);
        if (!attach->count)
            return WRONG("%s is attached with counter 0", name);
        if (!holder)
            return WRONG("%s is attached, but not present", name);
        if (attach->count != 1 && !dir->context->verdicts.counts_attachments)
            return WRONG("%s is attached with counter %u, but nothing counts", name, attach->count);
        if (!attach->base && dir->context->rules.lost_target == ACCD_LOST_DANGLES)
            continue; /* its target is gone */
        target = accd_object_at(dir, attach->base, false);
        if (!target)
            return WRONG("%s points to nothing present", name);
        if (attach->holds_record && !accd_attach_around(dir, attach))
            return WRONG("%s holds a type record of no descriptor", name);
        if (attach->dev - target->dev != attach->target - target->host)
            return WRONG("%s points to the wrong place", name);
        uint64_t dev = holder->dev + (attach->slot - holder->host), word;
        bool kept = dir->context->rules.attached == ACCD_ATTACHED_KEPT &&
                    dir->context->rules.attach != ACCD_ATTACH_EVERY; /* then kernels may change it */
        if (!dir->device.ops->allocated(dir->device.handle, dev, sizeof word))
            return WRONG("%s has no allocated device memory", name);
        kept = kept && !accd_pending_at(dir, dev, accd_attach_end(attach) - attach->slot); /* a queue may have to write it first */
        /* a device that is lost does not say what it holds */
        kept = kept && dir->device.ops->read(dir->device.handle, dev, &word, sizeof word) == ACCD_OK;
        if (kept && attach->descriptor && !descriptor_is_there(dir, attach, dev))
            return WRONG("the descriptor %s holds other bounds on the device", name);
        if (kept && word != attach->dev)
            return WRONG("%s holds another address on the device", name);
        if (!count(tallies, &tallies->pins, target))
            return NO_MEMORY;
    }
    ACCD_EACH(const struct accd_attach, first, &dir->attached.targets, 0) {
        const struct accd_attach *attach = first;
        do {
            leading--;
            attach = attach->next_target;
        } while (leading < n && attach != first && attach->base == first->base);
        if (attach != first)
            return WRONG("the order of attached pointers by their targets is wrong");
    }
    if (leading && dir->attached.target_order)
        return WRONG("the order of attached pointers by their targets is not whole");
    if (records != dir->attached.nrecords)
        return WRONG("the number of attached type records is wrong");
    return n == dir->attached.live ? NULL : WRONG("the number of attachments is wrong");
}

static const char *check_levels(struct accd_directory *dir, struct tallies *tallies)
{
    size_t depth = 0;
    for (const struct accd_region *region = dir->levels.top; region; region = region->below, depth++) {
        for (size_t i = 0; i < region->nclaims; i++) {
            const struct accd_claim *claim = &region->claims[i];
            if (claim->object && claim->counted && !count(tallies, &tallies->levels, claim->object))
                return NO_MEMORY;
        }
        const struct accd_group *group = region->group;
        for (size_t i = 0; group && i < group->walk->sections; i++)
            if (accd_object_bytes(&group->objects[i]) && !count(tallies, &tallies->levels, &group->objects[i]))
                return NO_MEMORY;
    }
    const size_t eventful = dir->groups.npending + dir->groups.npending_attach + dir->queues.ntasks +
                            dir->tuples.shares.count + (dir->journal != NULL) +
                            (dir->context->config.on_event != NULL);
    if (eventful != dir->eventful)
        return WRONG("plain constructs have %zu things to look out for, but %zu are counted", eventful, dir->eventful);
    return depth == dir->levels.depth ? NULL : WRONG("the number of levels is wrong");
}

static const char *check_counters(struct accd_directory *dir, struct tallies *tallies)
{
    return sum(tallies, &tallies->levels) && sum(tallies, &tallies->pins) ? NULL : NO_MEMORY;
}

static const char *check_memory(struct accd_directory *dir)
{
    uint64_t bytes = 0;
    ACCD_EACH(struct accd_object, object, &dir->present.objects, 0) {
        if (!(object->size & (ACCD_OBJECT_SHARED | ACCD_OBJECT_MAPPED)))
            bytes += accd_object_bytes(object);
        struct accd_block *block = object->size & ACCD_OBJECT_SHARED ? accd_block_of(dir, object) : NULL;
        if (object->size & ACCD_OBJECT_SHARED && (!block || object->dev - block->dev >= block->bytes))
            return WRONG("%s lies in no block", name_of(dir, object));
    }
    ACCD_EACH(struct accd_block, block, &dir->present.blocks, 0) {
        if (!block->live)
            return WRONG("a device block outlived its objects");
        bytes += block->bytes;
    }
    return bytes <= dir->device.stats.live_bytes
               ? NULL
               : WRONG("objects and blocks need %llu bytes, but only %llu are in use",
                       (unsigned long long)bytes, (unsigned long long)dir->device.stats.live_bytes);
}

/* 5. Data that are fused lie in their tuple's block, at their true distances; tuples are apart; blocks count
 * the places in them. */
static const char *check_share(struct accd_directory *dir, const struct accd_share *share)
{
    const struct accd_object *object = share->object;
    const struct accd_fused *fused = share->fused;
    if (accd_object_at(dir, object->host, false) != object)
        return WRONG("a share outlived its object");
    if (fused != accd_fused_at(dir, object->host))
        return WRONG("%s is not in the tuple around it", name_of(dir, object));
    if (fused && (!fused->current || object->dev - fused->block->dev != object->host - fused->block->host))
        return WRONG("%s is not at its place in its tuple", name_of(dir, object));
    for (const struct accd_original *original = share->originals; original;
         original = original->next) {
        const struct accd_cover cover = accd_cover_of(dir, original->host, original->bytes);
        if (original->share != share || accd_original_ends(&dir->tuples, original) ||
            original->host - object->host >= accd_object_bytes(object))
            return WRONG("an original does not begin in %s", name_of(dir, object));
        if (dir->context->rules.fusion && (!cover.whole || !cover.one))
            return WRONG("an original of %s is not in one tuple", name_of(dir, object));
        const struct accd_original *other =
            dir->context->rules.fusion ? accd_range_floor(&dir->tuples.bases, original->base) : NULL;
        if (other && other->base == original->base && other->share != share &&
            (!fused || other->share->fused != fused))
            return WRONG("%s and data of the same base are apart", name_of(dir, object));
    }
    return NULL;
}

static const char *check_tuples(struct accd_directory *dir, struct tallies *tallies)
{
    struct tally *places = &tallies->places;
    uint64_t end = 0;
    ACCD_EACH(const struct accd_fused, fused, &dir->tuples.fused, 0) {
        if (fused->host < end || !fused->current)
            return WRONG("tuples are not apart");
        end = fused->end;
    }
    ACCD_EACH(const struct accd_share, share, &dir->tuples.shares, 0) {
        const char *wrong = check_share(dir, share);
        if (wrong)
            return wrong;
        for (const struct accd_former *former = share->former; former; former = former->below) {
            if (!count(tallies, places, accd_range_floor(&dir->present.blocks, former->dev)))
                return NO_MEMORY;
        }
    }
    if (!sum(tallies, places))
        return NO_MEMORY;
    ACCD_EACH(const struct accd_block, block, &dir->present.blocks, 0)
        if (block->former != counted(places, block) || block->former > block->live)
            return WRONG("a block counts %zu places that wait instead of %llu", block->former,
                         (unsigned long long)counted(places, block));
    return NULL;
}

static const char *check_indices(struct accd_directory *dir)
{
    struct accd_range *indices[] = {&dir->present.objects, &dir->present.by_device, &dir->present.blocks,
                                    &dir->attached.slots,  &dir->attached.targets,  &dir->tuples.shares,
                                    &dir->tuples.fused,    &dir->tuples.bases};
    const char *wrong = NULL;
    for (size_t i = 0; i < sizeof indices / sizeof indices[0] && !wrong; i++)
        wrong = accd_range_check(indices[i]);
    return wrong;
}

static const char *check_all(struct accd_directory *dir, struct tallies *tallies)
{
    const char *wrong = check_indices(dir);
    wrong = wrong ? wrong : check_levels(dir, tallies);
    wrong = wrong ? wrong : check_attachments(dir, tallies);
    wrong = wrong ? wrong : check_counters(dir, tallies);
    wrong = wrong ? wrong : check_objects(dir, tallies);
    wrong = wrong ? wrong : check_device_order(dir, tallies);
    wrong = wrong ? wrong : check_memory(dir);
    wrong = wrong ? wrong : check_tuples(dir, tallies);
    return wrong ? wrong : accd_queues_check(dir);
}

static const char *check_directory(struct accd_directory *dir)
{
    struct tallies tallies = {.scratch = {.mem = &dir->context->mem}};
    if (accd_index_all(dir) != ACCD_OK)
        return WRONG("no memory to index groups");
    accd_pending_begin(dir, NULL);
    const char *wrong = check_all(dir, &tallies);
    accd_scratch_close(&tallies.scratch);
    return wrong;
}

const char *accd_check(accd_context *context)
{
    if (!context)
        return "there is no context";
    for (int i = 0; i < context->ndirs; i++) {
        const char *wrong = check_directory(&context->dirs[i]);
        if (wrong)
            return wrong;
    }
    return NULL;
}
