/* digest_parts.c - five hashes for the parts of a device's state. They do not depend on addresses, so that two runs of
 * a program can be compared.
 *
 * Each hash is a sum over records or words (8 bytes). Each of these is hashed together with its location: the number of
 * its registered host range, in the order of registration, and an offset. The sum does therefore not depend on the
 * order in which records are visited, nor on how bytes are divided into objects. `digest_x` returns the hash of all x
 * of a device, or of one record x; combine_hashes joins the hashes of its parts. */
#include "accdeep_checkpoints.h"
#include "accdeep_internal.h"
#include "api/inside.h"
#include "ops/ops.h"
#include "table/find.h"
#include "table/group.h"
#include "table/name.h"
#include "table/objects.h"
#include "table/tuples.h"

#include <assert.h>

__extension__ typedef unsigned __int128 uint128;

/* Returns a hash of the two hashes `a` and `b`; their order matters. */
static inline uint64_t combine_hashes(uint64_t a, uint64_t b)
{
    const uint128 product = (uint128)(a ^ 0x9E3779B97F4A7C15u) * (b ^ 0xC2B2AE3D27D4EB4Fu);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Kinds of locations, part of each hash of a location. HOST: address in a registered host range. ON_DEVICE: device
 * address that corresponds to a host address. IN_SPACE: device memory without present data. NOWHERE: other host
 * address. */
enum { HOST = 1, ON_DEVICE, IN_SPACE, NOWHERE };

/* Host range that accd_host_register has registered ("known range" below). live: the range was not freed. */
struct host_range {
    uint64_t start, bytes, number; /* number: position in the order of registration, from 1 */
    bool live;
};

/* The present objects of a device, as pairs of device address and object, by device address. */
struct device_objects {
    const struct accd__device *device;
    const struct accd__pair *objects;
    size_t nobjects;
    uint64_t low, high; /* range around the device memory of all objects */
};

/* State of the computation of all hashes of one device. */
struct digest {
    accd_context *context;
    struct accd__device_env *env;
    const struct host_range *host_ranges; /* registered host ranges by address */
    size_t nhost_ranges;
    uint64_t low, high;      /* range around all known ranges; the address `high` itself counts as inside */
    const uint32_t *numbers; /* array: numbers that replace those of the first known ranges */
    size_t nnumbers;
    struct device_objects *placed; /* objects of each device of the context, by device number */
};

/* Returns the known range that contains `address`, or ends at `address`; NULL: no known range does. */
static inline const struct host_range *find_host_range(const struct digest *digest, uint64_t address)
{
    if (address - digest->low > digest->high - digest->low)
        return NULL;
    const size_t above = ACCD_UPPER_BOUND(digest->host_ranges, start, digest->nhost_ranges, address);
    const struct host_range *range = above ? &digest->host_ranges[above - 1] : NULL;
    return range && address - range->start <= range->bytes ? range : NULL;
}

/* Returns the hash of a host address: of its offset in a known range, or else of the address itself; 0 for address 0.
 */
static uint64_t hash_host_address(const struct digest *digest, uint64_t address)
{
    const struct host_range *range = find_host_range(digest, address);
    return range     ? combine_hashes(combine_hashes(HOST, range->number), address - range->start)
           : address ? combine_hashes(NOWHERE, address)
                     : 0;
}

/* Returns the hash of the address on `device` that corresponds to the host address `host`. */
static uint64_t hash_device_location(const struct digest *digest, const struct accd__device *device, uint64_t host)
{
    return combine_hashes(combine_hashes(ON_DEVICE, (uint64_t)device->number), hash_host_address(digest, host));
}

/* Returns the hash of device address `dev` if it is in present data of the device of `placed`: that of the
 * corresponding host address. Returns 0 if no present data contain `dev`. */
static uint64_t hash_present_address(const struct digest *digest, const struct device_objects *placed, uint64_t dev)
{
    const size_t above = dev - placed->low < placed->high - placed->low
                             ? ACCD_UPPER_BOUND(placed->objects, key, placed->nobjects, dev)
                             : 0;
    const struct accd__object *object = above ? accd__pointer(placed->objects[above - 1].value) : NULL;
    if (!object || dev - object->dev >= accd__object_bytes(object))
        return 0;
    return hash_device_location(digest, placed->device, object->host + (dev - object->dev));
}

/* Returns, for an address `dev` outside of present data, 1 + its distance from the first address of the device of
 * `placed`. Returns `dev` itself if the device has no fixed first address, and 0 if `dev` is no address of the device.
 */
static uint64_t device_offset(const struct device_objects *placed, uint64_t dev)
{
    assert(placed->device);
    const accd_backend *ops = placed->device->ops;
    if (!ops->owns(placed->device->handle, dev))
        return 0;
    return ops->base_address ? dev - ops->base_address(placed->device->handle) + 1 : dev;
}

/* Returns true if device address `dev`, outside of present data, is in an allocation of the program
 * (accd_device_alloc), not in a block of the core. */
static bool is_program_memory(struct accd__device_env *env, uint64_t dev)
{
    const struct accd__block *block = accd__btree_floor(&env->present.blocks, dev);
    return env->device.ops->is_allocated(env->device.handle, dev, 1) &&
           (!block || block->user_owned || dev - block->dev >= block->bytes);
}

/* Returns the hash of a word: of its location if the word looks like an address, otherwise the word itself. Device
 * addresses outside of present data have one common hash for each device, because their locations depend on unrelated
 * allocations. If such an address is in an allocation of the program, sets *offset_p to its offset, otherwise to 0. */
static uint64_t hash_word_value(const struct digest *digest, uint64_t word, uint64_t *offset_p)
{
    assert(offset_p);
    enum { LEAST = 4096, ADDRESS_BITS = 47 };
    *offset_p = 0;
    if (word < LEAST || word >> ADDRESS_BITS)
        return word;
    if (find_host_range(digest, word))
        return hash_host_address(digest, word);
    for (int i = 0; i < digest->context->nenvs; i++) {
        const struct device_objects *placed = &digest->placed[i];
        const uint64_t hash_value = hash_present_address(digest, placed, word);
        if (hash_value)
            return hash_value;
        const uint64_t offset = device_offset(placed, word);
        if (offset && is_program_memory(&digest->context->envs[i], word))
            *offset_p = offset;
        if (offset)
            return combine_hashes(IN_SPACE, (uint64_t)i);
    }
    return word;
}

/* Returns the hash of device address `dev` of the digest's device: that of its host address if it is in present data,
 * otherwise that of its offset on the device. */
static uint64_t hash_device_address(const struct digest *digest, uint64_t dev)
{
    const struct device_objects *placed = &digest->placed[digest->env->device.number];
    const uint64_t hash_value = hash_present_address(digest, placed, dev);
    return hash_value ? hash_value : combine_hashes(IN_SPACE, device_offset(placed, dev));
}

/* ------------------------------------------------------------------------------------- bytes -- */

/* Sum over the words of known host ranges, or of their device copies. Bytes are added in ascending order of addresses.
 */
struct word_sum {
    const struct digest *digest;
    uint64_t sum;
    uint64_t dangling;      /* second sum: words that are device addresses in allocations of the program */
    uint64_t number, word;  /* `number` of the range, and index `word` in it, of the incomplete word, of which not all
                               bytes were added */
    uint64_t value;         /* bytes of the incomplete word that were added */
    unsigned present_bytes; /* set of these bytes: bit i for byte i; 0: there is no incomplete word */
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach; /* next attached pointer, by host address; NULL: no further one */
};

/* Adds the hash of the word with index `word` of range `number` to the sum. present_bytes: bit i is set if byte i of
 * the word is in `value`. */
static inline void add_word_hash(struct word_sum *word_sum, uint64_t number, uint64_t word, uint64_t value,
                                 unsigned present_bytes)
{
    word_sum->sum += combine_hashes(value, combine_hashes(number, word << 8 | present_bytes));
}

/* Adds the word `value`, with index `word` in range `number`, at host address `host`, by its hash_word_value. An
 * attached pointer counts as the device address of its target instead. Words must be added by ascending address. */
static inline void add_whole_word(struct word_sum *word_sum, uint64_t number, uint64_t word, uint64_t value,
                                  uint64_t host)
{
    while (word_sum->attach && word_sum->attach->slot < host)
        word_sum->attach = accd__btree_next(&word_sum->cursor);
    const struct accd__attachment *attach = word_sum->attach;
    const bool leads = attach && attach->slot == host && attach->dev == value && attach->base;
    uint64_t offset = 0;
    add_word_hash(word_sum, number, word,
                  leads ? hash_device_location(word_sum->digest, &word_sum->digest->env->device, attach->target)
                        : hash_word_value(word_sum->digest, value, &offset),
                  0xff);
    if (offset)
        word_sum->dangling += combine_hashes(offset, combine_hashes(number, word));
}

/* Adds the incomplete word, if there is one, to the sum, and clears it. start: first address of the word's range. */
static void flush_word(struct word_sum *word_sum, uint64_t start)
{
    if (word_sum->present_bytes == 0xff)
        add_whole_word(word_sum, word_sum->number, word_sum->word, word_sum->value, start + 8 * word_sum->word);
    else if (word_sum->present_bytes)
        add_word_hash(word_sum, word_sum->number, word_sum->word, word_sum->value, word_sum->present_bytes);
    word_sum->value = word_sum->present_bytes = 0;
}

/* Adds `n` bytes, whose values are at `bytes`, to the sum. They are the bytes from `offset` on in known host range
 * `number`, which begins at address `start`. For bytes in no known range, start and number are 0, and `offset` is their
 * host address. For bytes that the core stores itself (digest_core_bytes), all three are 0. `bits`: bit i is set if
 * byte i counts; NULL: all bytes count. */
static void add_byte_range(struct word_sum *word_sum, uint64_t start, uint64_t number, uint64_t offset,
                           const uint8_t *bytes, const uint8_t *bits, uint64_t n)
{
    assert(bytes || !n);
    for (uint64_t i = 0; i < n;) {
        const uint64_t word = (offset + i) / 8, at = (offset + i) % 8;
        if (!at && n - i >= 8) {
            const unsigned shift = i % 8;
            const unsigned present_bytes = bits ? (bits[i / 8] | (unsigned)bits[i / 8 + 1] << 8) >> shift & 0xff : 0xff;
            uint64_t value;
            memcpy(&value, bytes + i, sizeof value);
            if (present_bytes == 0xff) {
                flush_word(word_sum, start);
                add_whole_word(word_sum, number, word, value, start + offset + i);
                i += 8;
                continue;
            }
        }
        if (word_sum->word != word || word_sum->number != number)
            flush_word(word_sum, start);
        word_sum->word = word;
        word_sum->number = number;
        if (!bits || bits[i / 8] >> i % 8 & 1) {
            word_sum->value |= (uint64_t)bytes[i] << 8 * at;
            word_sum->present_bytes |= 1u << at;
        }
        i++;
    }
}

/* Returns the hash of `n` bytes that the core stores, such as a saved descriptor. */
static uint64_t digest_core_bytes(const struct digest *digest, const void *bytes, uint64_t n)
{
    struct word_sum word_sum = {.digest = digest};
    add_byte_range(&word_sum, 0, 0, 0, bytes, NULL, n);
    flush_word(&word_sum, 0);
    return word_sum.sum;
}

/* Returns the sum over the bytes of all live known host ranges. Sets *dangling_p to a second sum, over words that are
 * device addresses in allocations of the program. */
static uint64_t digest_host(const struct digest *digest, uint64_t *dangling_p)
{
    struct word_sum word_sum = {.digest = digest};
    for (size_t i = 0; i < digest->nhost_ranges; i++) {
        const struct host_range *range = &digest->host_ranges[i];
        if (!range->live)
            continue;
        add_byte_range(&word_sum, range->start, range->number, 0, accd__pointer(range->start), NULL, range->bytes);
        flush_word(&word_sum, range->start);
        word_sum.sum += combine_hashes(combine_hashes(HOST, range->number), range->bytes);
    }
    *dangling_p = word_sum.dangling;
    return word_sum.sum;
}

/* Adds `bytes` device bytes at `dev` to the sum. They are copies of the host bytes from `offset` on in known range
 * `number`, which begins at `start`. For bytes in no known range, start and number are 0, and `offset` is their host
 * address. If the device records writes, only bytes that were written count. Leaves out bytes that cannot be read. */
static void add_device_bytes(struct word_sum *word_sum, uint64_t start, uint64_t number, uint64_t offset, uint64_t dev,
                             uint64_t bytes)
{
    enum { PART = 4096 };
    const struct accd__device *device = &word_sum->digest->env->device;
    const bool has_written_map = device->ops->count_written && device->ops->save;
    uint8_t part[PART + PART / 8 + 1];
    for (uint64_t at = 0; at < bytes; at += PART) {
        const uint64_t n = bytes - at < PART ? bytes - at : PART;
        const accd_status status = has_written_map ? device->ops->save(device->handle, dev + at, n, part)
                                                   : device->ops->read(device->handle, dev + at, part, n);
        if (has_written_map)
            part[n + (n + 7) / 8] = 0;
        if (status == ACCD_OK)
            add_byte_range(word_sum, start, number, offset + at, part, has_written_map ? part + n : NULL, n);
    }
}

/* Returns the sum over the device bytes of present data. Sets *dangling_p to a second sum, over words that are device
 * addresses in allocations of the program. */
static uint64_t digest_values(const struct digest *digest, uint64_t *dangling_p)
{
    struct word_sum word_sum = {.digest = digest};
    uint64_t start = 0;
    word_sum.attach = accd__btree_seek(&digest->env->attached.slots, 0, &word_sum.cursor);
    ACCD_FOR_EACH(const struct accd__object, object, &digest->env->present.objects, 0)
    {
        const struct host_range *range = find_host_range(digest, object->host);
        const uint64_t from = range ? range->start : 0, number = range ? range->number : 0;
        if (from != start)
            flush_word(&word_sum, start);
        start = from;
        add_device_bytes(&word_sum, start, number, object->host - start, object->dev, accd__object_bytes(object));
    }
    flush_word(&word_sum, start);
    *dangling_p = word_sum.dangling;
    return word_sum.sum;
}

/* ----------------------------------------------------------------------------------- records -- */

/* Returns the hash of the host ranges of present objects. */
static uint64_t digest_present(const struct digest *digest)
{
    uint64_t sum = 0;
    ACCD_FOR_EACH(const struct accd__object, object, &digest->env->present.objects, 0)
    sum += combine_hashes(hash_host_address(digest, object->host), accd__object_bytes(object));
    return sum;
}

/* Returns the hash of reference counters, and of attachments with their targets, counters and descriptors. */
static uint64_t digest_counters(const struct digest *digest)
{
    struct accd__device_env *env = digest->env;
    uint64_t sum = 0;
    ACCD_FOR_EACH(const struct accd__object, object, &env->present.objects, 0)
    sum +=
        combine_hashes(hash_host_address(digest, object->host), (uint64_t)object->structured << 32 | object->dynamic);
    ACCD_FOR_EACH(const struct accd__attachment, attach, &env->attached.slots, 0)
    {
        uint64_t hash = combine_hashes(combine_hashes(ON_DEVICE, hash_host_address(digest, attach->slot)),
                                       (uint64_t)attach->count << 1 | attach->holds_record);
        hash = combine_hashes(combine_hashes(hash, hash_host_address(digest, attach->target)),
                              hash_host_address(digest, attach->base));
        sum += combine_hashes(hash, attach->descriptor ? digest_core_bytes(digest, attach->descriptor->rest,
                                                                           attach->descriptor->bytes - sizeof(void *))
                                                       : 0);
    }
    return sum;
}

/* Returns the hash of a layout (program that names the parts of an element): the bytes that clauses exclude, and the
 * actions on other bytes; 0 for NULL. */
static uint64_t digest_layout(const accd_program *layout)
{
    uint64_t sum = 0;
    for (size_t i = 0; layout && i < layout->spec.npieces; i++) {
        const accd_piece *piece = &layout->spec.pieces[i];
        sum += combine_hashes(piece->offset, piece->bytes << 8 | piece->action);
    }
    for (size_t i = 0; layout && i < layout->spec.nexcluded; i++)
        sum += combine_hashes(combine_hashes(layout->spec.excluded[i].offset, layout->spec.excluded[i].bytes), 1);
    return layout ? combine_hashes(sum, layout->spec.stride) : 0;
}

/* Returns the hash of the properties of objects other than counters, and of their blocks of device memory. Blocks count
 * only if they have a host address, a frame, vacated slots (see struct accd__block), or memory of the program. */
static uint64_t digest_objects(const struct digest *digest)
{
    const uint64_t flags = ACCD_OBJECT_MAPPED | ACCD_OBJECT_STORAGE | ACCD_OBJECT_NAMED | ACCD_OBJECT_UNDERCOUNTED |
                           ACCD_OBJECT_PIECE | ACCD_OBJECT_POINTER | ACCD_OBJECT_HAD_POINTER;
    struct accd__device_env *env = digest->env;
    uint64_t sum = 0;
    ACCD_FOR_EACH(const struct accd__object, object, &env->present.objects, 0)
    {
        uint64_t hash = combine_hashes(hash_host_address(digest, object->host), (object->size & flags) | object->pins);
        hash = combine_hashes(hash, env->context->layouts ? digest_layout(accd__object_layout(env, object)) : 0);
        if (object->size & ACCD_OBJECT_ORIGIN)
            hash = combine_hashes(hash, hash_host_address(digest, env->present.origins[object->where].base));
        sum += hash;
    }
    ACCD_FOR_EACH(const struct accd__block, block, &env->present.blocks, 0)
    if (block->frame || block->host || block->vacated || block->user_owned)
        sum += combine_hashes(
            combine_hashes(hash_host_address(digest, block->frame), hash_host_address(digest, block->host)),
            combine_hashes(block->bytes,
                           combine_hashes(block->vacated, (uint64_t)block->padding << 1 | block->user_owned)));
    return sum;
}

/* Returns the hash of a request (one range that a clause names) of an open region. */
static uint64_t digest_request(const struct digest *digest, const struct accd__request *request)
{
    const uint64_t object_hash = request->object ? hash_host_address(digest, request->object->host) : 0;
    const uint64_t bits = (uint64_t)request->flags << 16 | (uint64_t)request->action << 8 |
                          (uint64_t)request->state << 4 | (uint64_t)request->attached << 1 | request->counted;
    return combine_hashes(combine_hashes(combine_hashes(hash_host_address(digest, request->host), request->bytes),
                                         combine_hashes(hash_host_address(digest, request->slot), object_hash)),
                          bits);
}

/* Returns the hash of an open region: kind, thread, queue, requests, items, sections with gaps, and objects of its
 * group. */
static uint64_t digest_region(const struct digest *digest, const struct accd_region *region)
{
    const struct accd__queue *queue = accd__get_queue(digest->env, region->queue);
    const struct accd__group *group = region->group;
    uint64_t hash = combine_hashes(combine_hashes(region->kind, region->thread), region->abandoned);
    if (queue)
        hash = combine_hashes(combine_hashes(hash, (uint64_t)queue->async), queue->submitted - region->queue_start);
    for (size_t i = 0; i < region->nrequests; i++)
        hash = combine_hashes(hash, digest_request(digest, &region->requests[i]));
    for (size_t i = 0; i < region->nitems; i++) {
        const struct accd__item_source *item = &region->items[i];
        hash = combine_hashes(hash, combine_hashes(hash_host_address(digest, item->host), item->bytes));
        hash = combine_hashes(hash, combine_hashes(hash_host_address(digest, item->base), item->slot_bytes));
        hash = combine_hashes(hash, item->label ? digest_layout(item->label->layout) : 0);
    }
    for (size_t i = 0; i < region->ngaps; i++) {
        const struct accd__grid *grid = &region->gaps[i].grid;
        hash = combine_hashes(combine_hashes(hash, region->gaps[i].item), grid->run);
        for (unsigned k = 0; k < grid->n; k++)
            hash = combine_hashes(hash, combine_hashes(grid->dim[k].count, grid->dim[k].step));
    }
    for (size_t i = 0; group && group->objects && i < group->walk->sections; i++)
        if (accd__object_bytes(&group->objects[i]))
            hash = combine_hashes(hash, hash_host_address(digest, group->objects[i].host));
    return hash;
}

/* ------------------------------------------------------------------------------------ tuples -- */

/* List of serials (numbers of constructs), of which only the order counts. rank_serials makes it pairs of serial and
 * rank. */
struct serials {
    ACCD_SCRATCH_LIST(struct accd__pair) list;
};

/* Adds a serial to the list, which is in scratch space. Returns true, or false without memory. */
static bool add_serial(const struct digest *digest, struct serials *serials, uint64_t serial)
{
    if (!accd__scratch_grow_array(&digest->context->scratch, (void **)&serials->list.at, serials->list.n,
                                  &serials->list.capacity, sizeof serials->list.at[0]))
        return false;
    serials->list.at[serials->list.n++] = (struct accd__pair){serial, 0};
    return true;
}

/* Adds the serials of all levels, placements, tuples and originals to the list. Returns true, or false without memory.
 */
static bool add_serials(const struct digest *digest, struct serials *serials)
{
    bool ok = true;
    for (const struct accd_region *region = digest->env->levels.top; region; region = region->below)
        ok = ok && add_serial(digest, serials, region->serial);
    ACCD_FOR_EACH(const struct accd__placement, placement, &digest->env->tuples.placements, 0)
    {
        ok = ok && add_serial(digest, serials, placement->serial);
        if (placement->fused)
            ok = ok && add_serial(digest, serials, placement->fused->serial) &&
                 add_serial(digest, serials, placement->fused->support);
        for (const struct accd__vacated_slot *vacated = placement->vacated; vacated; vacated = vacated->below)
            ok = ok && add_serial(digest, serials, vacated->serial);
        for (const struct accd__original *original = placement->originals; original; original = original->next)
            ok = ok && add_serial(digest, serials, original->serial);
    }
    return ok;
}

/* Lists all serials in *serials, sorts them, and gives each its rank, for serial_rank. Returns true; or false without
 * memory, or if there is no serial. */
static bool rank_serials(const struct digest *digest, struct serials *serials)
{
    struct accd__pair *spare = add_serials(digest, serials) && serials->list.n
                                   ? accd__scratch_alloc(&digest->context->scratch, serials->list.n * sizeof *spare)
                                   : NULL;
    if (!spare)
        return false;
    serials->list.at = accd__sort_pairs(serials->list.at, spare, serials->list.n);
    for (size_t i = 1; i < serials->list.n; i++)
        serials->list.at[i].value =
            serials->list.at[i - 1].value + (serials->list.at[i].key != serials->list.at[i - 1].key);
    return true;
}

/* Returns the rank of a serial: the number of different lesser serials. The serial must be in the list of rank_serials.
 */
static uint64_t serial_rank(const struct serials *serials, uint64_t serial)
{
    assert(serials->list.n);
    return serials->list.at[ACCD_UPPER_BOUND(serials->list.at, key, serials->list.n, serial) - 1].value;
}

/* Returns the hash of device address `dev`. In a block of the core, it is that of the block's host address, frame and
 * size, and of the offset; elsewhere that of hash_device_address. */
static uint64_t hash_block_location(const struct digest *digest, uint64_t dev)
{
    const struct accd__block *block = accd__btree_floor(&digest->env->present.blocks, dev);
    if (!block || block->user_owned || dev - block->dev >= block->bytes)
        return hash_device_address(digest, dev);
    return combine_hashes(
        combine_hashes(hash_host_address(digest, block->host), hash_host_address(digest, block->frame)),
        combine_hashes(block->bytes, dev - block->dev));
}

/* Returns the hash of an original: a clause, or a piece of one, as fusion records it (table/tuples.h). */
static uint64_t digest_original(const struct digest *digest, const struct serials *serials,
                                const struct accd__original *original)
{
    const uint64_t bits = (uint64_t)original->order << 32 | (uint64_t)original->flags << 16 |
                          (uint64_t)original->action << 8 | (uint64_t)original->dynamic << 2 |
                          (uint64_t)original->dropped << 1 | original->names_no_bytes;
    const bool bases =
        digest->context->rules.fusion; /* if false, `base` is the address of a record, which does not count */
    uint64_t hash = combine_hashes(bases ? hash_host_address(digest, original->base) : 0,
                                   hash_host_address(digest, original->host));
    hash = combine_hashes(combine_hashes(hash, original->bytes), hash_host_address(digest, original->slot));
    hash = combine_hashes(combine_hashes(hash, hash_host_address(digest, original->whole)), original->length);
    return combine_hashes(combine_hashes(hash, serial_rank(serials, original->serial)), bits);
}

/* Sets *sum_p to the hash of the records of fusion (table/tuples.h): placements with their tuples, vacated slots and
 * originals, and the ranks of open regions. Fails only without memory. */
static accd_status digest_tuples_of(const struct digest *digest, uint64_t *sum_p)
{
    assert(sum_p);
    struct accd__tuples *tuples = &digest->env->tuples;
    struct serials serials = {{0}};
    *sum_p = 0;
    if (!tuples->placements.count)
        return ACCD_OK;
    if (!rank_serials(digest, &serials))
        return accd__report_out_of_memory(digest->context, "for a digest");
    ACCD_FOR_EACH(const struct accd__placement, placement, &tuples->placements, 0)
    {
        const struct accd__fused_tuple *fused = placement->fused;
        uint64_t hash = combine_hashes(hash_host_address(digest, placement->object->host),
                                       serial_rank(&serials, placement->serial));
        if (fused) {
            hash =
                combine_hashes(combine_hashes(hash, hash_host_address(digest, fused->host)), fused->end - fused->host);
            hash = combine_hashes(combine_hashes(hash, serial_rank(&serials, fused->serial)),
                                  serial_rank(&serials, fused->support));
        }
        for (const struct accd__vacated_slot *vacated = placement->vacated; vacated; vacated = vacated->below) {
            hash = combine_hashes(combine_hashes(hash, hash_block_location(digest, vacated->dev)),
                                  serial_rank(&serials, vacated->serial));
            hash = combine_hashes(hash, vacated->shared ? 2 : 3);
        }
        for (const struct accd__original *original = placement->originals; original; original = original->next)
            hash = combine_hashes(hash, digest_original(digest, &serials, original));
        *sum_p += hash;
    }
    for (const struct accd_region *region = digest->env->levels.top; region; region = region->below)
        *sum_p = combine_hashes(*sum_p, serial_rank(&serials, region->serial));
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------ queues -- */

/* Returns the hash of a queued transfer: size, direction, device address, and the other end. The latter is a host
 * address, a device address, or bytes of the core. */
static uint64_t digest_transfer(const struct digest *digest, const struct accd__transfer *transfer)
{
    const uint64_t host = transfer->direction == ACCD_TRANSFER_CORE_TO_DEVICE
                              ? digest_core_bytes(digest, accd__pointer(transfer->host), transfer->bytes)
                          : transfer->direction == ACCD_TRANSFER_WITHIN_DEVICE
                              ? hash_device_address(digest, transfer->host)
                              : hash_host_address(digest, transfer->host);
    return combine_hashes(combine_hashes(hash_device_address(digest, transfer->dev), host),
                          transfer->bytes << 2 | transfer->direction);
}

/* Returns the hash of a queued task: kind, distance from the end of its queue, device ranges, and transfers or other
 * work. */
static uint64_t digest_task(const struct digest *digest, const struct accd__task *task)
{
    uint64_t hash = combine_hashes(task->kind, task->number - task->queue->submitted);
    for (size_t i = 0; i < task->nranges; i++)
        hash = combine_hashes(combine_hashes(hash, hash_device_address(digest, task->ranges[i].key)),
                              task->ranges[i].value - task->ranges[i].key);
    switch (task->kind) {
    case ACCD_TASK_TRANSFERS:
        for (size_t i = 0; i < task->u.batch.n; i++)
            hash = combine_hashes(hash, digest_transfer(digest, &task->u.batch.at[i]));
        break;
    case ACCD_TASK_WAIT:
        hash = combine_hashes(combine_hashes(hash, (uint64_t)task->u.wait.queue->async),
                              task->u.wait.number - task->u.wait.queue->submitted);
        break;
    case ACCD_TASK_FREE:
    case ACCD_TASK_MARK_UNWRITTEN:
        hash =
            combine_hashes(combine_hashes(hash, hash_device_address(digest, task->u.memory.dev)), task->u.memory.bytes);
        break;
    default:
        break;
    }
    return hash;
}

/* Returns the hash of the queues that have tasks: the async value, and the tasks in order. */
static uint64_t digest_queues(const struct digest *digest)
{
    const struct accd__queues *queues = &digest->env->queues;
    uint64_t sum = 0;
    for (size_t i = 0; i < queues->n; i++) {
        uint64_t hash = queues->at[i] ? combine_hashes(0, (uint64_t)queues->at[i]->async) : 0;
        for (const struct accd__task *task = queues->at[i] ? queues->at[i]->first : NULL; task; task = task->next) {
            hash = combine_hashes(hash, digest_task(digest, task));
            sum += task->next ? 0 : hash;
        }
    }
    return sum;
}

/* Returns true if the core made the allocation that begins at `dev`, for present data; false if the program made it
 * (acc_malloc). */
static bool holds_data(struct accd__device_env *env, const struct device_objects *placed, uint64_t dev)
{
    const struct accd__block *block = accd__btree_floor(&env->present.blocks, dev);
    const size_t above = ACCD_UPPER_BOUND(placed->objects, key, placed->nobjects, dev);
    const struct accd__object *object = above ? accd__pointer(placed->objects[above - 1].value) : NULL;
    return (block && block->dev == dev && !block->user_owned) ||
           (object && object->dev == dev && !(object->size & ACCD_OBJECT_MAPPED));
}

/* Returns the sum over the bytes of the program's own allocations (acc_malloc). Returns 0 if all memory in use belongs
 * to present data, or if the device cannot list allocations. */
static uint64_t digest_allocations(const struct digest *digest)
{
    struct accd__device_env *env = digest->env;
    const struct accd__device *device = &env->device;
    uint64_t owned = 0, bytes;
    ACCD_FOR_EACH(const struct accd__object, object, &env->present.objects, 0)
    owned += object->size & (ACCD_OBJECT_SHARED | ACCD_OBJECT_MAPPED) ? 0 : accd__object_bytes(object);
    ACCD_FOR_EACH(const struct accd__block, block, &env->present.blocks, 0)
    owned += block->user_owned ? 0 : block->bytes;
    if (owned == device->stats.live_bytes || !device->ops->next_allocation || !device->ops->base_address)
        return 0;
    struct word_sum word_sum = {.digest = digest};
    uint64_t dev = device->ops->next_allocation(device->handle, 0, &bytes);
    for (; dev; dev = device->ops->next_allocation(device->handle, dev + 1, &bytes)) {
        if (holds_data(env, &digest->placed[device->number], dev))
            continue;
        add_device_bytes(&word_sum, 0, combine_hashes(IN_SPACE, dev - device->ops->base_address(device->handle)), 0,
                         dev, bytes);
        flush_word(&word_sum, 0);
    }
    return word_sum.sum;
}

/* Returns the number of bytes of device memory in use if it exceeds half of all memory, else 0, because a smaller
 * number has no effect on later constructs. */
static uint64_t memory_in_use(const struct accd__device_env *env)
{
    const uint64_t bytes = env->device.stats.live_bytes;
    return bytes > env->context->config.device_bytes / 2 ? bytes : 0;
}

/* Sets *rest_p to the hash of all state that the other four hashes leave out, and on which later constructs depend.
 * Fails only without memory. */
static accd_status digest_rest(const struct digest *digest, uint64_t *rest_p)
{
    const struct accd__device_env *env = digest->env;
    uint64_t hash;
    ACCD_TRY(digest_tuples_of(digest, &hash));
    hash = combine_hashes(hash, digest_objects(digest));
    hash = combine_hashes(hash, digest_allocations(digest));
    for (const struct accd_region *region = env->levels.top; region; region = region->below)
        hash = combine_hashes(hash, digest_region(digest, region));
    hash = combine_hashes(hash, digest_queues(digest));
    *rest_p = combine_hashes(combine_hashes(hash, memory_in_use(env)), env->journal != NULL);
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------ entry points -- */

/* Sets digest->host_ranges to the known ranges by address, and numbers them in the order of registration;
 * digest->numbers replaces the first numbers. Sets digest->low and digest->high. Fails without memory. */
static accd_status list_host_ranges(struct digest *digest)
{
    const size_t n = digest->context->host.ranges.count;
    struct host_range *ranges;
    struct accd__pair *pairs;
    size_t i = 0;
    ACCD_SCRATCH_ALLOC(digest->context, ranges, n + 1);
    ACCD_SCRATCH_ALLOC(digest->context, pairs, 2 * n + 1);
    ACCD_FOR_EACH(const struct accd__host_block, block, &digest->context->host.ranges, 0)
    {
        ranges[i] = (struct host_range){.start = block->start, .bytes = block->bytes, .live = block->live != 0};
        pairs[i] = (struct accd__pair){block->serial, i};
        digest->high = block->start + block->bytes > digest->high ? block->start + block->bytes : digest->high;
        i++;
    }
    const struct accd__pair *sorted = accd__sort_pairs(pairs, pairs + n, n);
    for (i = 0; i < n; i++)
        ranges[sorted[i].value].number = i < digest->nnumbers ? digest->numbers[i] : i + 1;
    digest->host_ranges = ranges;
    digest->nhost_ranges = n;
    digest->low = n ? ranges[0].start : 1; /* the range [1, 0] contains no address, because address 0 is never used */
    return ACCD_OK;
}

/* Sets *placed to the present objects of the device `env`, by device address. Fails without memory. */
static accd_status list_device_objects(struct digest *digest, struct accd__device_env *env,
                                       struct device_objects *placed)
{
    assert(placed);
    const size_t n = env->present.objects.count;
    struct accd__pair *pairs;
    size_t i = 0;
    ACCD_SCRATCH_ALLOC(digest->context, pairs, 2 * n + 1);
    ACCD_FOR_EACH(const struct accd__object, object, &env->present.objects, 0)
    pairs[i++] = (struct accd__pair){object->dev, accd__address(object)};
    *placed = (struct device_objects){.device = &env->device, .nobjects = n};
    placed->objects = accd__sort_pairs(pairs, pairs + n, n);
    if (n) {
        const struct accd__object *last = accd__pointer(placed->objects[n - 1].value);
        placed->low = placed->objects[0].key;
        placed->high = last->dev + accd__object_bytes(last);
    }
    return ACCD_OK;
}

/* Sets *digests_p to the five hashes of digest->env. Uses the context's scratch space, which the caller must reset.
 * Fails without memory. */
static accd_status digest_all(struct digest *digest, accd__digest_set *digests_p)
{
    assert(digests_p);
    accd_context *context = digest->context;
    ACCD_TRY(list_host_ranges(digest));
    ACCD_SCRATCH_ALLOC(context, digest->placed, (size_t)context->nenvs);
    for (int i = 0; i < context->nenvs; i++) {
        ACCD_TRY(accd__expand_groups(&context->envs[i]));
        ACCD_TRY(list_device_objects(digest, &context->envs[i], &digest->placed[i]));
    }
    uint64_t rest, on_host, on_device;
    ACCD_TRY(digest_rest(digest, &rest));
    *digests_p = (accd__digest_set){.host = digest_host(digest, &on_host),
                                    .present = digest_present(digest),
                                    .values = digest_values(digest, &on_device),
                                    .counters = digest_counters(digest)};
    digests_p->rest = combine_hashes(rest, combine_hashes(on_host, on_device));
    return ACCD_OK;
}

/* Sets *digests_p to the five hashes of a device's state. `numbers`: n numbers that replace those of the first n
 * registered host ranges; NULL: none. ACCD_ERROR_MISUSE: something is running; ACCD_ERROR_OUT_OF_MEMORY. */
accd_status accd__state_digests(accd_context *context, int device, const uint32_t *numbers, size_t n,
                                accd__digest_set *digests_p)
{
    ACCD_ON_DEVICE(env, context, device);
    ACCD_REQUIRE_ARGUMENT(context, digests_p);
    ACCD_TRY(accd__check_quiescent(context));
    struct digest digest = {.context = context, .env = env, .numbers = numbers, .nnumbers = numbers ? n : 0};
    const accd_status status = digest_all(&digest, digests_p);
    accd__scratch_reset(&context->scratch);
    return status;
}
