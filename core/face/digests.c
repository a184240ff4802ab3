/* digests.c - five numbers for the parts of a device's state. They do not depend on addresses.
 *
 * These are sums over what there is, each with its place: the number of its host range, in the order of registration,
 * and an offset. So it does not matter in which order things are visited, nor how bytes are cut into objects. */
#include "face/inside.h"
#include "ops/ops.h"
#include "table/group.h"
#include "table/name.h"
#include "table/tuples.h"

__extension__ typedef unsigned __int128 wide;

/* Two numbers as one; their order counts. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
    const wide product = (wide)(a ^ 0x9E3779B97F4A7C15u) * (b ^ 0xC2B2AE3D27D4EB4Fu);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* What a place is in: each kind has numbers of its own. */
enum { HOST = 1, ON_DEVICE, IN_SPACE, NOWHERE };

struct known {
    uint64_t start, bytes, number; /* among all that are known, in the order of registration, from 1 */
    bool live;
};

/* The objects of a device by device address. */
struct placed {
    const struct accd_device *device;
    const struct accd_pair *objects;
    size_t nobjects;
    uint64_t low, high; /* in which these lie */
};

struct digest {
    accd_context *context;
    struct accd_directory *dir;
    const struct known *known; /* by address */
    size_t nknown;
    uint64_t low, high; /* in which all known ranges lie, with the byte behind each */
    const uint32_t *numbers; /* of the first known ranges, in place of their own */
    size_t nnumbers;
    struct placed *placed;
};

static inline const struct known *known_at(const struct digest *digest, uint64_t address)
{
    if (address - digest->low > digest->high - digest->low)
        return NULL;
    const size_t above = ACCD_FIRST_ABOVE(digest->known, start, digest->nknown, address);
    const struct known *known = above ? &digest->known[above - 1] : NULL;
    return known && address - known->start <= known->bytes ? known : NULL;
}

/* A host address as a number. 0 is 0. */
static uint64_t place(const struct digest *digest, uint64_t address)
{
    const struct known *known = known_at(digest, address);
    return known ? fold(fold(HOST, known->number), address - known->start) : address ? fold(NOWHERE, address) : 0;
}

/* The same of a device address that stands for a host address. */
static uint64_t device_place(const struct digest *digest, const struct accd_device *device, uint64_t host)
{
    return fold(fold(ON_DEVICE, (uint64_t)device->number), place(digest, host));
}

/* The place of a device address in present data; 0: none are there. */
static uint64_t place_in(const struct digest *digest, const struct placed *placed, uint64_t dev)
{
    const size_t above = dev - placed->low < placed->high - placed->low
                             ? ACCD_FIRST_ABOVE(placed->objects, key, placed->nobjects, dev)
                             : 0;
    const struct accd_object *object = above ? accd_pointer(placed->objects[above - 1].value) : NULL;
    if (!object || dev - object->dev >= accd_object_bytes(object))
        return 0;
    return device_place(digest, placed->device, object->host + (dev - object->dev));
}

/* An address of the device where no data are present, counted from its first one, from 1, or as it is where the device
 * has no first one; 0: it is not the device's. */
static uint64_t offset_in(const struct placed *placed, uint64_t dev)
{
    const accd_backend *ops = placed->device->ops;
    if (!ops->owns(placed->device->handle, dev))
        return 0;
    return ops->origin ? dev - ops->origin(placed->device->handle) + 1 : dev;
}

/* Whether a device address where no data are present is in an allocation of the program's. */
static bool is_programs(struct accd_directory *dir, uint64_t dev)
{
    const struct accd_block *block = accd_range_floor(&dir->present.blocks, dev);
    return dir->device.ops->allocated(dir->device.handle, dev, 1) &&
           (!block || block->borrowed || dev - block->dev >= block->bytes);
}

/* What a word of eight bytes stands for: a place, if it is an address, else itself. Device addresses where no data are
 * present stand for the same. *offset_p: of such an address, in an allocation of the program's. Where memory was that
 * is gone depends on what else was there; with config.new_places nothing comes to lie there again. */
static uint64_t word_meant(const struct digest *digest, uint64_t word, uint64_t *offset_p)
{
    enum { LEAST = 4096, ADDRESS_BITS = 47 };
    *offset_p = 0;
    if (word < LEAST || word >> ADDRESS_BITS)
        return word;
    if (known_at(digest, word))
        return place(digest, word);
    for (int i = 0; i < digest->context->ndirs; i++) {
        const struct placed *placed = &digest->placed[i];
        const uint64_t meant = place_in(digest, placed, word);
        if (meant)
            return meant;
        const uint64_t offset = offset_in(placed, word);
        if (offset && is_programs(&digest->context->dirs[i], word))
            *offset_p = offset;
        if (offset)
            return fold(IN_SPACE, (uint64_t)i);
    }
    return word;
}

static uint64_t device_address(const struct digest *digest, uint64_t dev)
{
    const struct placed *placed = &digest->placed[digest->dir->device.number];
    const uint64_t meant = place_in(digest, placed, dev);
    return meant ? meant : fold(IN_SPACE, offset_in(placed, dev));
}

/* -------------------------------------------------------------------------------------- bytes -- */

/* A sum over words of known ranges, counted from the starts of these, and the bytes that there are of each. Bytes come
 * by ascending addresses. */
struct cells {
    const struct digest *digest;
    uint64_t sum;
    uint64_t dangling;      /* the same of device addresses where no data are present */
    uint64_t number, word;  /* the range and the word that came last, in part ... */
    uint64_t value;         /* ... its bytes ... */
    unsigned there;         /* ... and which ones, as bits */
    struct accd_range_cursor cursor;
    struct accd_attach *attach; /* of the attached pointers on the device, the next one; NULL: none */
};

static inline void add_word(struct cells *cells, uint64_t number, uint64_t word, uint64_t value, unsigned there)
{
    cells->sum += fold(value, fold(number, word << 8 | there));
}

/* A whole word at a host address. */
static inline void add_whole(struct cells *cells, uint64_t number, uint64_t word, uint64_t value, uint64_t host)
{
    while (cells->attach && cells->attach->slot < host)
        cells->attach = accd_range_next(&cells->cursor);
    const struct accd_attach *attach = cells->attach;
    const bool leads = attach && attach->slot == host && attach->dev == value && attach->base;
    uint64_t offset = 0;
    add_word(cells, number, word,
             leads ? device_place(cells->digest, &cells->digest->dir->device, attach->target)
                   : word_meant(cells->digest, value, &offset),
             0xff);
    if (offset)
        cells->dangling += fold(offset, fold(number, word));
}

static void add_rest(struct cells *cells, uint64_t start)
{
    if (cells->there == 0xff)
        add_whole(cells, cells->number, cells->word, cells->value, start + 8 * cells->word);
    else if (cells->there)
        add_word(cells, cells->number, cells->word, cells->value, cells->there);
    cells->value = cells->there = 0;
}

/* Bytes at an offset of a known range, or of nothing: start is 0. bits: which of them count; NULL: all. */
static void add_bytes(struct cells *cells, uint64_t start, uint64_t number, uint64_t offset, const uint8_t *bytes,
                      const uint8_t *bits, uint64_t n)
{
    for (uint64_t i = 0; i < n;) {
        const uint64_t word = (offset + i) / 8, at = (offset + i) % 8;
        if (!at && n - i >= 8) {
            const unsigned shift = i % 8;
            const unsigned there = bits ? (bits[i / 8] | (unsigned)bits[i / 8 + 1] << 8) >> shift & 0xff : 0xff;
            uint64_t value;
            memcpy(&value, bytes + i, sizeof value);
            if (there == 0xff) {
                add_rest(cells, start);
                add_whole(cells, number, word, value, start + offset + i);
                i += 8;
                continue;
            }
        }
        if (cells->word != word || cells->number != number)
            add_rest(cells, start);
        cells->word = word;
        cells->number = number;
        if (!bits || bits[i / 8] >> i % 8 & 1) {
            cells->value |= (uint64_t)bytes[i] << 8 * at;
            cells->there |= 1u << at;
        }
        i++;
    }
}

/* Bytes that the core keeps. */
static uint64_t digest_own(const struct digest *digest, const void *bytes, uint64_t n)
{
    struct cells cells = {.digest = digest};
    add_bytes(&cells, 0, 0, 0, bytes, NULL, n);
    add_rest(&cells, 0);
    return cells.sum;
}

/* *dangling_p: as that of cells. */
static uint64_t digest_host(const struct digest *digest, uint64_t *dangling_p)
{
    struct cells cells = {.digest = digest};
    for (size_t i = 0; i < digest->nknown; i++) {
        const struct known *known = &digest->known[i];
        if (!known->live)
            continue;
        add_bytes(&cells, known->start, known->number, 0, accd_pointer(known->start), NULL, known->bytes);
        add_rest(&cells, known->start);
        cells.sum += fold(fold(HOST, known->number), known->bytes);
    }
    *dangling_p = cells.dangling;
    return cells.sum;
}

/* Bytes of the device: those that were written, where it knows. */
static void add_device_bytes(struct cells *cells, uint64_t start, uint64_t number, uint64_t offset, uint64_t dev,
                             uint64_t bytes)
{
    enum { PART = 4096 };
    const struct accd_device *device = &cells->digest->dir->device;
    const bool known = device->ops->written && device->ops->save;
    uint8_t part[PART + PART / 8 + 1];
    for (uint64_t at = 0; at < bytes; at += PART) {
        const uint64_t n = bytes - at < PART ? bytes - at : PART;
        const accd_status status = known ? device->ops->save(device->handle, dev + at, n, part)
                                         : device->ops->read(device->handle, dev + at, part, n);
        if (known)
            part[n + (n + 7) / 8] = 0;
        if (status == ACCD_OK)
            add_bytes(cells, start, number, offset + at, part, known ? part + n : NULL, n);
    }
}

static uint64_t digest_values(const struct digest *digest, uint64_t *dangling_p)
{
    struct cells cells = {.digest = digest};
    uint64_t start = 0;
    cells.attach = accd_range_seek(&digest->dir->attached.slots, 0, &cells.cursor);
    ACCD_EACH(const struct accd_object, object, &digest->dir->present.objects, 0) {
        const struct known *known = known_at(digest, object->host);
        const uint64_t from = known ? known->start : 0, number = known ? known->number : 0;
        if (from != start)
            add_rest(&cells, start);
        start = from;
        add_device_bytes(&cells, start, number, object->host - start, object->dev, accd_object_bytes(object));
    }
    add_rest(&cells, start);
    *dangling_p = cells.dangling;
    return cells.sum;
}

/* ------------------------------------------------------------------------------------ records -- */

static uint64_t digest_present(const struct digest *digest)
{
    uint64_t sum = 0;
    ACCD_EACH(const struct accd_object, object, &digest->dir->present.objects, 0)
        sum += fold(place(digest, object->host), accd_object_bytes(object));
    return sum;
}

static uint64_t digest_counters(const struct digest *digest)
{
    struct accd_directory *dir = digest->dir;
    uint64_t sum = 0;
    ACCD_EACH(const struct accd_object, object, &dir->present.objects, 0)
        sum += fold(place(digest, object->host), (uint64_t)object->structured << 32 | object->dynamic);
    ACCD_EACH(const struct accd_attach, attach, &dir->attached.slots, 0) {
        uint64_t hash = fold(fold(ON_DEVICE, place(digest, attach->slot)),
                             (uint64_t)attach->count << 1 | attach->holds_record);
        hash = fold(fold(hash, place(digest, attach->target)), place(digest, attach->base));
        sum += fold(hash, attach->descriptor ? digest_own(digest, attach->descriptor->rest,
                                                          attach->descriptor->bytes - sizeof(void *))
                                             : 0);
    }
    return sum;
}

/* Which bytes of an element clauses leave out, and what they do with others. */
static uint64_t digest_layout(const accd_program *layout)
{
    uint64_t sum = 0;
    for (size_t i = 0; layout && i < layout->spec.npieces; i++) {
        const accd_piece *piece = &layout->spec.pieces[i];
        sum += fold(piece->offset, piece->bytes << 8 | piece->action);
    }
    for (size_t i = 0; layout && i < layout->spec.nexcluded; i++)
        sum += fold(fold(layout->spec.excluded[i].offset, layout->spec.excluded[i].bytes), 1);
    return layout ? fold(sum, layout->spec.stride) : 0;
}

/* What of objects is not counted. */
static uint64_t digest_objects(const struct digest *digest)
{
    const uint64_t flags = ACCD_OBJECT_MAPPED | ACCD_OBJECT_HELD | ACCD_OBJECT_NAMED | ACCD_OBJECT_SHORT |
                           ACCD_OBJECT_PIECE | ACCD_OBJECT_POINTER | ACCD_OBJECT_HOLDS;
    struct accd_directory *dir = digest->dir;
    uint64_t sum = 0;
    ACCD_EACH(const struct accd_object, object, &dir->present.objects, 0) {
        uint64_t hash = fold(place(digest, object->host), (object->size & flags) | object->pins);
        hash = fold(hash, dir->context->layouts ? digest_layout(accd_layout_of(dir, object)) : 0);
        if (object->size & ACCD_OBJECT_ORIGIN)
            hash = fold(hash, place(digest, dir->present.origins[object->where].base));
        sum += hash;
    }
    ACCD_EACH(const struct accd_block, block, &dir->present.blocks, 0)
        if (block->frame || block->host || block->former || block->borrowed)
            sum += fold(fold(place(digest, block->frame), place(digest, block->host)),
                        fold(block->bytes, fold(block->former, (uint64_t)block->ahead << 1 | block->borrowed)));
    return sum;
}

static uint64_t digest_claim(const struct digest *digest, const struct accd_claim *claim)
{
    const uint64_t held = claim->object ? place(digest, claim->object->host) : 0;
    const uint64_t bits = (uint64_t)claim->flags << 16 | (uint64_t)claim->action << 8 | (uint64_t)claim->state << 4 |
                          (uint64_t)claim->attached << 1 | claim->counted;
    return fold(fold(fold(place(digest, claim->host), claim->bytes), fold(place(digest, claim->slot), held)), bits);
}

static uint64_t digest_region(const struct digest *digest, const struct accd_region *region)
{
    const struct accd_queue *queue = accd_queue_of(digest->dir, region->queue);
    const struct accd_group *group = region->group;
    uint64_t hash = fold(fold(region->kind, region->thread), region->given_up);
    if (queue)
        hash = fold(fold(hash, (uint64_t)queue->async), queue->asked - region->opened);
    for (size_t i = 0; i < region->nclaims; i++)
        hash = fold(hash, digest_claim(digest, &region->claims[i]));
    for (size_t i = 0; i < region->nitems; i++) {
        const struct accd_source *item = &region->items[i];
        hash = fold(hash, fold(place(digest, item->host), item->bytes));
        hash = fold(hash, fold(place(digest, item->base), item->slot_bytes));
        hash = fold(hash, item->label ? digest_layout(item->label->layout) : 0);
    }
    for (size_t i = 0; i < region->ngaps; i++) {
        const struct accd_grid *grid = &region->gaps[i].grid;
        hash = fold(fold(hash, region->gaps[i].item), grid->run);
        for (unsigned k = 0; k < grid->n; k++)
            hash = fold(hash, fold(grid->dim[k].count, grid->dim[k].step));
    }
    for (size_t i = 0; group && group->objects && i < group->walk->sections; i++)
        if (accd_object_bytes(&group->objects[i]))
            hash = fold(hash, place(digest, group->objects[i].host));
    return hash;
}

/* ------------------------------------------------------------------------------------- tuples -- */

/* Numbers of constructs, of which only the order counts. */
struct serials {
    ACCD_LIST(struct accd_pair) list;
};

static bool note_serial(const struct digest *digest, struct serials *serials, uint64_t serial)
{
    if (!accd_scratch_room(&digest->context->scratch, (void **)&serials->list.at, serials->list.n, &serials->list.room,
                           sizeof serials->list.at[0]))
        return false;
    serials->list.at[serials->list.n++] = (struct accd_pair){serial, 0};
    return true;
}

static bool note_serials(const struct digest *digest, struct serials *serials)
{
    bool ok = true;
    for (const struct accd_region *region = digest->dir->levels.top; region; region = region->below)
        ok = ok && note_serial(digest, serials, region->serial);
    ACCD_EACH(const struct accd_share, share, &digest->dir->tuples.shares, 0) {
        ok = ok && note_serial(digest, serials, share->serial);
        if (share->fused)
            ok = ok && note_serial(digest, serials, share->fused->serial) &&
                 note_serial(digest, serials, share->fused->support);
        for (const struct accd_former *former = share->former; former; former = former->below)
            ok = ok && note_serial(digest, serials, former->serial);
        for (const struct accd_original *original = share->originals; original; original = original->next)
            ok = ok && note_serial(digest, serials, original->serial);
    }
    return ok;
}

/* Numbers them by their order. */
static bool order_serials(const struct digest *digest, struct serials *serials)
{
    struct accd_pair *spare = note_serials(digest, serials) && serials->list.n
                                  ? accd_scratch_take(&digest->context->scratch, serials->list.n * sizeof *spare)
                                  : NULL;
    if (!spare)
        return false;
    serials->list.at = accd_sort_pairs(serials->list.at, spare, serials->list.n);
    for (size_t i = 1; i < serials->list.n; i++)
        serials->list.at[i].value =
            serials->list.at[i - 1].value + (serials->list.at[i].key != serials->list.at[i - 1].key);
    return true;
}

static uint64_t ordinal(const struct serials *serials, uint64_t serial)
{
    return serials->list.at[ACCD_FIRST_ABOVE(serials->list.at, key, serials->list.n, serial) - 1].value;
}

/* A place in the memory of a block, by what lies in the block. */
static uint64_t place_in_block(const struct digest *digest, uint64_t dev)
{
    const struct accd_block *block = accd_range_floor(&digest->dir->present.blocks, dev);
    if (!block || block->borrowed || dev - block->dev >= block->bytes)
        return device_address(digest, dev);
    return fold(fold(place(digest, block->host), place(digest, block->frame)), fold(block->bytes, dev - block->dev));
}

static uint64_t digest_original(const struct digest *digest, const struct serials *serials,
                                const struct accd_original *original)
{
    const uint64_t bits = (uint64_t)original->order << 32 | (uint64_t)original->flags << 16 |
                          (uint64_t)original->action << 8 | (uint64_t)original->dynamic << 2 |
                          (uint64_t)original->dropped << 1 | original->idle;
    const bool bases = digest->context->rules.fusion; /* else that is the record of the clause's first piece */
    uint64_t hash = fold(bases ? place(digest, original->base) : 0, place(digest, original->host));
    hash = fold(fold(hash, original->bytes), place(digest, original->slot));
    hash = fold(fold(hash, place(digest, original->whole)), original->length);
    return fold(fold(hash, ordinal(serials, original->serial)), bits);
}

static accd_status digest_tuples_of(const struct digest *digest, uint64_t *sum_p)
{
    struct accd_tuples *tuples = &digest->dir->tuples;
    struct serials serials = {{0}};
    *sum_p = 0;
    if (!tuples->shares.count)
        return ACCD_OK;
    if (!order_serials(digest, &serials))
        return accd_out_of_memory(digest->context, "for a digest");
    ACCD_EACH(const struct accd_share, share, &tuples->shares, 0) {
        const struct accd_fused *fused = share->fused;
        uint64_t hash = fold(place(digest, share->object->host), ordinal(&serials, share->serial));
        if (fused) {
            hash = fold(fold(hash, place(digest, fused->host)), fused->end - fused->host);
            hash = fold(fold(hash, ordinal(&serials, fused->serial)), ordinal(&serials, fused->support));
        }
        for (const struct accd_former *former = share->former; former; former = former->below) {
            hash = fold(fold(hash, place_in_block(digest, former->dev)), ordinal(&serials, former->serial));
            hash = fold(hash, former->shared ? 2 : 3);
        }
        for (const struct accd_original *original = share->originals; original; original = original->next)
            hash = fold(hash, digest_original(digest, &serials, original));
        *sum_p += hash;
    }
    for (const struct accd_region *region = digest->dir->levels.top; region; region = region->below)
        *sum_p = fold(*sum_p, ordinal(&serials, region->serial));
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------- queues -- */

static uint64_t digest_transfer(const struct digest *digest, const struct accd_transfer *transfer)
{
    const uint64_t host = transfer->way == ACCD_OWN
                              ? digest_own(digest, accd_pointer(transfer->host), transfer->bytes)
                          : transfer->way == ACCD_MOVED_WITHIN ? device_address(digest, transfer->host)
                                                               : place(digest, transfer->host);
    return fold(fold(device_address(digest, transfer->dev), host), transfer->bytes << 2 | transfer->way);
}

static uint64_t digest_task(const struct digest *digest, const struct accd_task *task)
{
    uint64_t hash = fold(task->kind, task->number - task->queue->asked);
    for (size_t i = 0; i < task->nranges; i++)
        hash = fold(fold(hash, device_address(digest, task->ranges[i].key)),
                    task->ranges[i].value - task->ranges[i].key);
    switch (task->kind) {
    case ACCD_TASK_TRANSFERS:
        for (size_t i = 0; i < task->u.batch.n; i++)
            hash = fold(hash, digest_transfer(digest, &task->u.batch.at[i]));
        break;
    case ACCD_TASK_AFTER:
        hash = fold(fold(hash, (uint64_t)task->u.after.queue->async),
                    task->u.after.number - task->u.after.queue->asked);
        break;
    case ACCD_TASK_FREE:
    case ACCD_TASK_FORGET:
        hash = fold(fold(hash, device_address(digest, task->u.memory.dev)), task->u.memory.bytes);
        break;
    default:
        break;
    }
    return hash;
}

/* Queues have numbers in the order in which they were first named; their async values count. */
static uint64_t digest_queues(const struct digest *digest)
{
    const struct accd_queues *queues = &digest->dir->queues;
    uint64_t sum = 0;
    for (size_t i = 0; i < queues->n; i++) {
        uint64_t hash = queues->at[i] ? fold(0, (uint64_t)queues->at[i]->async) : 0;
        for (const struct accd_task *task = queues->at[i] ? queues->at[i]->first : NULL; task; task = task->next) {
            hash = fold(hash, digest_task(digest, task));
            sum += task->next ? 0 : hash;
        }
    }
    return sum;
}

/* Whether an allocation is of present data, rather than of the program (acc_malloc). */
static bool holds_data(struct accd_directory *dir, const struct placed *placed, uint64_t dev)
{
    const struct accd_block *block = accd_range_floor(&dir->present.blocks, dev);
    const size_t above = ACCD_FIRST_ABOVE(placed->objects, key, placed->nobjects, dev);
    const struct accd_object *object = above ? accd_pointer(placed->objects[above - 1].value) : NULL;
    return (block && block->dev == dev && !block->borrowed) ||
           (object && object->dev == dev && !(object->size & ACCD_OBJECT_MAPPED));
}

/* The bytes of other allocations. */
static uint64_t digest_allocations(const struct digest *digest)
{
    struct accd_directory *dir = digest->dir;
    const struct accd_device *device = &dir->device;
    uint64_t owned = 0, bytes;
    ACCD_EACH(const struct accd_object, object, &dir->present.objects, 0)
        owned += object->size & (ACCD_OBJECT_SHARED | ACCD_OBJECT_MAPPED) ? 0 : accd_object_bytes(object);
    ACCD_EACH(const struct accd_block, block, &dir->present.blocks, 0)
        owned += block->borrowed ? 0 : block->bytes;
    if (owned == device->stats.live_bytes || !device->ops->next || !device->ops->origin)
        return 0;
    struct cells cells = {.digest = digest};
    uint64_t dev = device->ops->next(device->handle, 0, &bytes);
    for (; dev; dev = device->ops->next(device->handle, dev + 1, &bytes)) {
        if (holds_data(dir, &digest->placed[device->number], dev))
            continue;
        add_device_bytes(&cells, 0, fold(IN_SPACE, dev - device->ops->origin(device->handle)), 0, dev, bytes);
        add_rest(&cells, 0);
    }
    return cells.sum;
}

/* Memory of the device that is in use, where it may run short: what is left over in blocks does not matter before. */
static uint64_t memory_in_use(const struct accd_directory *dir)
{
    const uint64_t bytes = dir->device.stats.live_bytes;
    return bytes > dir->context->config.device_bytes / 2 ? bytes : 0;
}

static accd_status digest_rest(const struct digest *digest, uint64_t *rest_p)
{
    const struct accd_directory *dir = digest->dir;
    uint64_t hash;
    ACCD_TRY(digest_tuples_of(digest, &hash));
    hash = fold(hash, digest_objects(digest));
    hash = fold(hash, digest_allocations(digest));
    for (const struct accd_region *region = dir->levels.top; region; region = region->below)
        hash = fold(hash, digest_region(digest, region));
    hash = fold(hash, digest_queues(digest));
    *rest_p = fold(fold(hash, memory_in_use(dir)), dir->journal != NULL);
    return ACCD_OK;
}

/* ---------------------------------------------------------------------------------------- all -- */

/* Known ranges by address, and numbered by the order of their registration. */
static accd_status know_ranges(struct digest *digest)
{
    const size_t n = digest->context->host.ranges.count;
    struct known *known;
    struct accd_pair *pairs;
    size_t i = 0;
    ACCD_TAKE(digest->context, known, n + 1);
    ACCD_TAKE(digest->context, pairs, 2 * n + 1);
    ACCD_EACH(const struct accd_host_block, block, &digest->context->host.ranges, 0) {
        known[i] = (struct known){.start = block->start, .bytes = block->bytes, .live = block->live != 0};
        pairs[i] = (struct accd_pair){block->serial, i};
        digest->high = block->start + block->bytes > digest->high ? block->start + block->bytes : digest->high;
        i++;
    }
    const struct accd_pair *sorted = accd_sort_pairs(pairs, pairs + n, n);
    for (i = 0; i < n; i++)
        known[sorted[i].value].number = i < digest->nnumbers ? digest->numbers[i] : i + 1;
    digest->known = known;
    digest->nknown = n;
    digest->low = n ? known[0].start : 1; /* nothing is known in [1, 0] but 0, which is no address */
    return ACCD_OK;
}

static accd_status place_objects(struct digest *digest, struct accd_directory *dir, struct placed *placed)
{
    const size_t n = dir->present.objects.count;
    struct accd_pair *pairs;
    size_t i = 0;
    ACCD_TAKE(digest->context, pairs, 2 * n + 1);
    ACCD_EACH(const struct accd_object, object, &dir->present.objects, 0)
        pairs[i++] = (struct accd_pair){object->dev, accd_address(object)};
    *placed = (struct placed){.device = &dir->device, .nobjects = n};
    placed->objects = accd_sort_pairs(pairs, pairs + n, n);
    if (n) {
        const struct accd_object *last = accd_pointer(placed->objects[n - 1].value);
        placed->low = placed->objects[0].key;
        placed->high = last->dev + accd_object_bytes(last);
    }
    return ACCD_OK;
}

static accd_status digest_all(struct digest *digest, accd_digest_set *digests_p)
{
    accd_context *context = digest->context;
    ACCD_TRY(know_ranges(digest));
    ACCD_TAKE(context, digest->placed, (size_t)context->ndirs);
    for (int i = 0; i < context->ndirs; i++) {
        ACCD_TRY(accd_index_all(&context->dirs[i]));
        ACCD_TRY(place_objects(digest, &context->dirs[i], &digest->placed[i]));
    }
    uint64_t rest, on_host, on_device;
    ACCD_TRY(digest_rest(digest, &rest));
    *digests_p = (accd_digest_set){.host = digest_host(digest, &on_host),
                                   .present = digest_present(digest),
                                   .values = digest_values(digest, &on_device),
                                   .counters = digest_counters(digest)};
    digests_p->rest = fold(rest, fold(on_host, on_device));
    return ACCD_OK;
}

accd_status accd_digests(accd_context *context, int device, const uint32_t *numbers, size_t n,
                         accd_digest_set *digests_p)
{
    ACCD_ON_DEVICE(dir, context, device);
    ACCD_GIVEN(context, digests_p);
    ACCD_TRY(accd_at_rest(context));
    struct digest digest = {.context = context, .dir = dir, .numbers = numbers, .nnumbers = numbers ? n : 0};
    const accd_status status = digest_all(&digest, digests_p);
    accd_scratch_reset(&context->scratch);
    return status;
}
