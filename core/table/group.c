/* group.c - all sections of one large walk as one record.
 *
 * Entering a million sections one by one into ordered indices costs twenty times what copying them
 * does, and most of them leave together, unmet. So a group keeps the columns of its walk, one pair of
 * counters and a bit map of the host memory it covers. A look-up that overlaps the map turns the group into
 * objects first; nothing is ever looked up in a pending group. */
#include "table/inside.h"

enum { GRANULE_LEAST = 4, MAP_BYTES_PER_SECTION = 16 };

/* -------------------------------------------------------------------------------- comparing -- */

bool accd_same_columns(const struct accd_walk *a, const struct accd_segment *x,
                       const struct accd_walk *b, const struct accd_segment *y)
{
    const struct accd_rowset *p = &a->rowsets[x->rowset], *q = &b->rowsets[y->rowset];
    if (x->rows != y->rows || x->field->offset != y->field->offset ||
        x->field->unit != y->field->unit || x->field->embedded != y->field->embedded ||
        x->field->in_place != y->field->in_place ||
        x->field->slot_bytes != y->field->slot_bytes || x->applied != y->applied ||
        p->parent != q->parent || p->program->spec.stride != q->program->spec.stride ||
        !x->bytes_of != !y->bytes_of || !x->start_of != !y->start_of)
        return false;
    if (p->parent < 0 && p->base != q->base)
        return false;
    if (x->bytes_of != y->bytes_of && memcmp(x->bytes_of, y->bytes_of, x->rows * sizeof x->bytes_of[0]) != 0)
        return false;
    if (!x->bytes_of && x->bytes != y->bytes)
        return false;
    if (x->start_of ? memcmp(x->start_of, y->start_of, x->rows * sizeof x->start_of[0]) != 0
                    : x->start != y->start)
        return false;
    return x->host == y->host || !memcmp(x->host, y->host, x->rows * sizeof x->host[0]);
}

bool accd_same_sections(const struct accd_walk *a, const struct accd_walk *b)
{
    bool same = a->nsegments == b->nsegments;
    for (size_t i = 0; same && i < a->nsegments; i++)
        same = accd_same_columns(a, &a->segments[i], b, &b->segments[i]);
    return same;
}

/* --------------------------------------------------------------------------------- the map -- */

/* How many sections apply. */
static size_t sections_of(const struct accd_walk *walk)
{
    size_t n = 0;
    ACCD_EACH_SEGMENT(segment, walk)
        n += accd_segment_maps(segment) ? segment->applied : 0;
    return n;
}

static void hull_of(const struct accd_walk *walk, uint64_t *low, uint64_t *high)
{
    *low = UINT64_MAX;
    *high = 0;
    ACCD_EACH_SEGMENT(segment, walk) {
        if (!accd_segment_maps(segment) || !segment->applied)
            continue;
        *low = segment->low < *low ? segment->low : *low;
        *high = segment->high > *high ? segment->high : *high;
    }
}

/* Marks [from, to) of the map; returns what was marked before. */
static inline uint64_t mark(uint64_t *map, uint64_t from, uint64_t last)
{
    uint64_t word = from / 64, met = 0;
    if (word == last / 64) {
        uint64_t m = (((uint64_t)2 << (last - from)) - 1) << from % 64;
        met = map[word] & m;
        map[word] |= m;
        return met;
    }
    met = map[word] & (UINT64_MAX << from % 64);
    map[word] |= UINT64_MAX << from % 64;
    for (word++; word < last / 64; word++) {
        met |= map[word];
        map[word] = UINT64_MAX;
    }
    uint64_t m = ((uint64_t)2 << last % 64) - 1;
    met |= map[word] & m;
    map[word] |= m;
    return met;
}

/* The same for sections of one length that take at most 62 bits. Which sections cross into the next
 * word is hard to guess: both words are always marked. */
static inline __attribute__((always_inline)) uint64_t
mark_equal(const struct accd_group *group, const struct accd_segment *segment,
           const unsigned granule, const bool ahead)
{
    const uint64_t low = group->low, *host = segment->host, reach = segment->bytes - 1;
    uint64_t *map = group->map, met = 0;
    for (size_t i = 0, n = segment->rows; i < n; i++) {
        if (ahead && i + ACCD_PREFETCH_AHEAD < n)
            __builtin_prefetch(map + ((host[i + ACCD_PREFETCH_AHEAD] - low) >> granule) / 64, 1);
        uint64_t at = host[i] - low, from = at >> granule, last = (at + reach) >> granule;
        uint64_t bits = ((uint64_t)2 << (last - from)) - 1, *word = map + from / 64;
        uint64_t first = bits << from % 64, second = bits >> 1 >> (63 - from % 64);
        met |= (word[0] & first) | (word[1] & second);
        word[0] |= first;
        word[1] |= second;
    }
    return met;
}

static uint64_t mark_segment(const struct accd_group *group, const struct accd_segment *segment)
{
    uint64_t met = 0;
    const uint64_t low = group->low, *host = segment->host;
    const unsigned granule = group->granule;
    if (!segment->bytes_of && segment->applied == segment->rows && segment->bytes >> granule < 62) {
        bool large = group->map_words > 1 << 15; /* of the cache */
        if (granule != GRANULE_LEAST)
            return mark_equal(group, segment, granule, true);
        return large ? mark_equal(group, segment, GRANULE_LEAST, true)
                     : mark_equal(group, segment, GRANULE_LEAST, false);
    }
    for (size_t i = 0; i < segment->rows; i++) {
        uint64_t from = host[i] - low, bytes = accd_section_bytes(segment, i);
        if (bytes)
            met |= mark(group->map, from >> granule, (from + bytes - 1) >> granule);
    }
    return met;
}

bool accd_group_meets(const struct accd_group *group, uint64_t low, uint64_t high)
{
    if (high <= group->low || low >= group->high)
        return false;
    uint64_t from = (low > group->low ? low - group->low : 0) >> group->granule;
    uint64_t last = ((high < group->high ? high : group->high) - 1 - group->low) >> group->granule;
    for (uint64_t word = from / 64; word <= last / 64; word++) {
        uint64_t bits = group->map[word];
        if (word == from / 64)
            bits &= UINT64_MAX << from % 64;
        if (word == last / 64)
            bits &= ((uint64_t)2 << last % 64) - 1;
        if (bits)
            return true;
    }
    return false;
}

uint64_t accd_walk_descriptor_sum(const struct accd_walk *walk)
{
    uint64_t sum = 0;
    bool found = false;
    ACCD_EACH_SEGMENT(segment, walk) {
        sum += segment->descriptor_sum;
        found |= segment->field->slot_bytes != 0;
    }
    return sum ? sum : found;
}

/* The same of what they hold by now. */
static uint64_t descriptor_sum_now(const struct accd_walk *walk)
{
    uint64_t sum = 0;
    bool apart = false;
    ACCD_EACH_SEGMENT(segment, walk) {
        const struct accd_rowset *set = &walk->rowsets[segment->rowset];
        if (segment->field->slot_bytes)
            sum += accd_sum_descriptors(set, segment->field, 0, segment->rows, &apart);
    }
    return sum ? sum : 1;
}

bool accd_group_descriptors_kept(const struct accd_directory *dir, const struct accd_group *group)
{
    const accd_context *context = dir->context;
    if (!group->descriptor_sum)
        return true;
    return !(context->config.check_host && group->walk->losses != context->host.losses) &&
           group->descriptor_sum == descriptor_sum_now(group->walk);
}

struct accd_pair *accd_group_ordered(struct accd_directory *dir, const struct accd_group *group, bool slots,
                                     size_t *n_p, struct accd_pair **scratch)
{
    const struct accd_walk *walk = group->walk;
    const size_t most = sections_of(walk);
    size_t n = 0;
    struct accd_pair *pairs = accd_mem_array(&dir->context->mem, 2 * most, sizeof *pairs);
    *scratch = pairs;
    *n_p = most;
    if (!pairs)
        return NULL;
    ACCD_EACH_SEGMENT(segment, walk) {
        if (!accd_segment_maps(segment))
            continue;
        for (size_t row = 0; row < segment->rows; row++)
            if (accd_section_bytes(segment, row))
                pairs[n++] = (struct accd_pair){slots ? accd_section_slot(walk, segment, row) : segment->host[row],
                                                segment->first + row};
    }
    return accd_sort_pairs(pairs, pairs + most, n);
}

/* The exact answer, from the sections in order. */
static accd_status sections_disjoint(struct accd_directory *dir, const struct accd_group *group,
                                     bool *disjoint_p)
{
    const struct accd_walk *walk = group->walk;
    struct accd_pair *scratch;
    size_t n;
    const struct accd_pair *pairs = accd_group_ordered(dir, group, false, &n, &scratch);
    if (!pairs)
        return accd_out_of_memory(dir->context, "for a group");
    *disjoint_p = true;
    for (size_t i = 0; *disjoint_p && i + 1 < n; i++) {
        size_t row;
        const struct accd_segment *segment = accd_walk_locate(walk, pairs[i].value, &row);
        *disjoint_p = pairs[i + 1].key - pairs[i].key >= accd_section_bytes(segment, row);
    }
    accd_mem_free(&dir->context->mem, scratch, 2 * n * sizeof *scratch);
    return ACCD_OK;
}

/* Whether a section of the walk meets the map of another group. */
static bool meets_walk(const struct accd_group *other, const struct accd_walk *walk)
{
    ACCD_EACH_SEGMENT(segment, walk) {
        if (!accd_segment_maps(segment) || segment->high <= other->low || segment->low >= other->high)
            continue;
        for (size_t row = 0; row < segment->rows; row++) {
            uint64_t bytes = accd_section_bytes(segment, row);
            if (bytes && accd_group_meets(other, segment->host[row], segment->host[row] + bytes))
                return true;
        }
    }
    return false;
}

static bool meets_sections(void *ud, const struct accd_span *span) { return meets_walk(span->owner, ud); }

/* Marks all sections; *disjoint_p: none of them overlaps another one. */
static accd_status make_map(struct accd_directory *dir, struct accd_group *group, bool *disjoint_p)
{
    accd_context *context = dir->context;
    struct accd_walk *walk = group->walk;
    const size_t sections = sections_of(walk);
    *disjoint_p = false;
    hull_of(walk, &group->low, &group->high);
    if (!sections)
        return ACCD_OK;
    uint64_t hull = group->high - group->low;
    group->granule = GRANULE_LEAST;
    while (hull >> group->granule > (uint64_t)8 * MAP_BYTES_PER_SECTION * sections)
        group->granule++;
    group->map_words = ((hull - 1) >> group->granule) / 64 + 2; /* one that stays empty */
    group->map = accd_mem_zero(&context->mem, group->map_words * sizeof group->map[0]);
    if (!group->map)
        return accd_out_of_memory(context, "for a group");
    uint64_t met = 0;
    ACCD_EACH_SEGMENT(segment, walk) {
        /* elements and sections inside other objects are left to the general way */
        if (segment->field->in_place || segment->field->embedded)
            return ACCD_OK;
        met |= segment->applied ? mark_segment(group, segment) : 0;
    }
    *disjoint_p = !met;
    if (met) /* perhaps only neighbours within a granule of a map of much memory */
        return sections_disjoint(dir, group, disjoint_p);
    return ACCD_OK;
}

/* The map of the group that died last serves if it had the same sections. */
static bool take_map(struct accd_directory *dir, struct accd_group *group)
{
    struct accd_group *retired = dir->groups.retired;
    if (!retired || !accd_same_sections(retired->walk, group->walk))
        return false;
    group->low = retired->low;
    group->high = retired->high;
    group->granule = retired->granule;
    group->map = retired->map;
    group->map_words = retired->map_words;
    retired->map = NULL;
    accd_forget_retired(dir);
    return true;
}

accd_status accd_group_map(struct accd_directory *dir, struct accd_group *group, bool *apart_p)
{
    bool disjoint = take_map(dir, group);
    *apart_p = false;
    if (!disjoint)
        ACCD_TRY(make_map(dir, group, &disjoint));
    if (!disjoint)
        return ACCD_OK;
    /* Present objects inside the hull: a few are compared, many are left to the general way. */
    struct accd_range_cursor cursor;
    struct accd_object *object = accd_range_floor(&dir->present.objects, group->low);
    if (object && accd_group_meets(group, object->host, accd_object_end(object)))
        return ACCD_OK;
    size_t seen = 0;
    for (object = accd_range_seek(&dir->present.objects, group->low, &cursor);
         object && object->host < group->high; object = accd_range_next(&cursor))
        if (++seen > group->live || accd_group_meets(group, object->host, accd_object_end(object)))
            return ACCD_OK;
    *apart_p = !accd_span_first(dir->groups.hulls, group->low, group->high, meets_sections, group->walk);
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------ new and free -- */

static void slots_hull(struct accd_group *group)
{
    const struct accd_walk *walk = group->walk;
    group->slot_low = UINT64_MAX;
    group->slot_high = 0;
    ACCD_EACH_SEGMENT(segment, walk) {
        const struct accd_rowset *set = &walk->rowsets[segment->rowset];
        if (!accd_segment_maps(segment) || !segment->rows)
            continue;
        uint64_t low = set->base, high = set->base + (set->rows - 1) * set->program->spec.stride;
        if (set->address) {
            low = UINT64_MAX;
            high = 0;
            accd_widen(set->address, set->rows, &low, &high);
        }
        low += segment->field->offset;
        high += segment->field->offset + accd_field_slot_bytes(segment->field);
        group->slot_low = low < group->slot_low ? low : group->slot_low;
        group->slot_high = high > group->slot_high ? high : group->slot_high;
    }
}

/* Lays the sections out in one device block, column by column. Returns its size. */
static accd_status lay_out(struct accd_walk *walk, uint64_t *bytes_p)
{
    uint64_t place = 0;
    ACCD_EACH_SEGMENT(segment, walk) {
        if (!accd_segment_maps(segment))
            continue;
        segment->dev = place;
        if (segment->bytes_of) {
            size_t blocks = (segment->rows + ACCD_ROWS - 1) / ACCD_ROWS;
            segment->dev_of = accd_mem_array(&walk->context->mem, blocks, sizeof segment->dev_of[0]);
            if (!segment->dev_of)
                return accd_out_of_memory(walk->context, "for a group");
            uint64_t at = place;
            for (size_t row = 0; row < segment->rows; row++) {
                if (row % ACCD_ROWS == 0)
                    segment->dev_of[row / ACCD_ROWS] = at;
                at += accd_padded(segment->bytes_of[row]);
            }
        }
        place += segment->total;
    }
    *bytes_p = place;
    return ACCD_OK;
}

static struct accd_span span_of(struct accd_group *group, uint64_t low, uint64_t high)
{
    return (struct accd_span){.low = low, .high = high, .owner = group};
}

/* A group for the walk, known to the directory but without device memory and not pending yet: the
 * caller allocates its block, or frees it again. */
accd_status accd_group_new(struct accd_directory *dir, struct accd_walk *walk, struct accd_group **group_p)
{
    accd_context *context = dir->context;
    struct accd_mem *mem = &context->mem;
    size_t number = dir->groups.least_free;
    while (number < dir->groups.n && dir->groups.at[number])
        number++;
    struct accd_group *group = accd_mem_zero(mem, sizeof *group);
    if (!group || !ACCD_GROW(mem, dir->groups.at, dir->groups.room, number + 1)) {
        accd_mem_free(mem, group, sizeof *group);
        return accd_out_of_memory(context, "for a group");
    }
    dir->groups.at[number] = group;
    dir->groups.least_free = number + 1;
    if (number == dir->groups.n)
        dir->groups.n++;
    group->id = (uint32_t)number;
    group->walk = accd_walk_retain(walk);
    group->root = span_of(group, walk->roots[0].host, walk->roots[0].host + 1);
    accd_span_put(&dir->groups.roots, &group->root);
    group->live = sections_of(walk);
    slots_hull(group);
    group->descriptor_sum = accd_walk_descriptor_sum(walk);
    uint64_t bytes = 0;
    accd_status status = lay_out(walk, &bytes);
    if (status != ACCD_OK) {
        accd_group_free(dir, group);
        return status;
    }
    *group_p = group;
    return ACCD_OK;
}

/* A span has an owner while the directory has the span. */
static void list_span(struct accd_span **root, struct accd_span *span, bool listed, struct accd_span as)
{
    if (listed == (span->owner != NULL))
        return;
    if (!listed)
        accd_span_take(root, span);
    *span = listed ? as : (struct accd_span){.owner = NULL};
    if (listed)
        accd_span_put(root, span);
}

/* Whether the sections of a group, and its pointers, are still one record. */
static void set_pending(struct accd_directory *dir, struct accd_group *group, bool sections, bool pointers)
{
    struct accd_groups *groups = &dir->groups;
    const struct accd_block none = {0}, *block = sections ? group->block : &none;
    groups->npending += (size_t)sections - (size_t)group->pending;
    groups->npending_attach += (size_t)pointers - (size_t)group->pending_attach;
    dir->eventful += (size_t)sections + (size_t)pointers - (size_t)group->pending - (size_t)group->pending_attach;
    group->pending = sections;
    group->pending_attach = pointers;
    list_span(&groups->hulls, &group->hull, sections, span_of(group, group->low, group->high));
    list_span(&groups->places, &group->place, sections, span_of(group, block->dev, block->dev + block->bytes));
    list_span(&groups->slots, &group->slots, pointers, span_of(group, group->slot_low, group->slot_high));
    list_span(&groups->woken, &group->woken, pointers && !sections, span_of(group, 0, 0));
}

void accd_group_wait(struct accd_directory *dir, struct accd_group *group) { set_pending(dir, group, true, true); }

void accd_group_wake(struct accd_directory *dir, struct accd_group *group, bool sections, bool pointers)
{
    set_pending(dir, group, group->pending && !sections, group->pending_attach && !pointers);
}

/* The directory knows it no more. */
static void forget(struct accd_directory *dir, struct accd_group *group)
{
    accd_group_wake(dir, group, true, true);
    accd_span_take(&dir->groups.roots, &group->root);
    dir->groups.at[group->id] = NULL;
    dir->groups.least_free = group->id < dir->groups.least_free ? group->id : dir->groups.least_free;
}

static void free_objects(struct accd_directory *dir, struct accd_group *group)
{
    accd_mem_free(&dir->context->mem, group->objects, group->walk->sections * sizeof group->objects[0]);
    group->objects = NULL;
}

static void free_memory(struct accd_directory *dir, struct accd_group *group)
{
    struct accd_mem *mem = &dir->context->mem;
    accd_mem_free(mem, group->map, group->map_words * sizeof group->map[0]);
    free_objects(dir, group);
    accd_walk_release(group->walk);
    accd_mem_free(mem, group, sizeof *group);
}

void accd_group_free(struct accd_directory *dir, struct accd_group *group)
{
    forget(dir, group);
    free_memory(dir, group);
}

void accd_forget_retired(struct accd_directory *dir)
{
    if (dir->groups.retired)
        free_memory(dir, dir->groups.retired);
    dir->groups.retired = NULL;
}

/* Bytes that a group which died would hold on to. */
static uint64_t retired_bytes(const struct accd_group *group)
{
    const struct accd_walk *walk = group->walk;
    uint64_t bytes = group->map_words * sizeof group->map[0];
    ACCD_EACH_SEGMENT(segment, walk) {
        size_t columns = 1u + (segment->bytes_of ? 1u : 0u) + (segment->start_of ? 1u : 0u);
        bytes += columns * segment->rows * sizeof segment->host[0];
    }
    for (size_t i = 0; i < walk->nrowsets; i++)
        bytes += walk->rowsets[i].address ? walk->rowsets[i].rows * 2 * sizeof(uint64_t) : 0;
    return bytes;
}

void accd_group_retire(struct accd_directory *dir, struct accd_group *group)
{
    enum { RETIRED_MOST = 64 << 20 };
    accd_forget_retired(dir);
    if (retired_bytes(group) > RETIRED_MOST) {
        accd_group_free(dir, group);
        return;
    }
    forget(dir, group);
    free_objects(dir, group);
    dir->groups.retired = group;
}

static bool is_other(void *ud, const struct accd_span *span) { return span->owner != ud; }

bool accd_group_slots_shared(struct accd_directory *dir, const struct accd_group *group)
{
    struct accd_range_cursor cursor;
    if (accd_span_first(dir->groups.slots, group->slot_low, group->slot_high, is_other,
                        (void *)(uintptr_t)group))
        return true;
    const struct accd_attach *attach = accd_range_seek(&dir->attached.slots, group->slot_low, &cursor);
    return attach && attach->slot < group->slot_high;
}

static void give_object(struct accd_directory *dir, struct accd_object *object)
{
    if (dir->present.device_order)
        accd_range_erase(&dir->present.by_device, object->dev);
    dir->present.live--;
    if (object->size & ACCD_OBJECT_MEMBER) {
        struct accd_group *group = dir->groups.at[object->where];
        if (--group->live == 0)
            accd_group_free(dir, group);
        return;
    }
    if (object->size & ACCD_OBJECT_ORIGIN) {
        dir->present.origins[object->where].next = dir->present.free_origin;
        dir->present.free_origin = object->where;
    }
    accd_pool_give(&dir->present.object_pool, object);
}

void accd_remove_object(struct accd_directory *dir, struct accd_object *object)
{
    accd_range_erase(&dir->present.objects, object->host);
    give_object(dir, object);
}

void accd_remove_objects(struct accd_directory *dir, struct accd_object *const *objects, size_t n)
{
    uint64_t keys[ACCD_SHORT_ITEMS];
    for (size_t i = 0; i < n; i++)
        keys[i] = objects[i]->host;
    if (n)
        accd_range_erase_all(&dir->present.objects, keys, n);
    for (size_t i = 0; i < n; i++)
        give_object(dir, objects[i]);
}
