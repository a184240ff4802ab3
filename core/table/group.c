/* group.c - groups: all sections of one large walk as one record of the present table.
 *
 * Input: a walk of a large construct, with the sections (targets of pointers) that it reached. Output: a struct
 * accd__group, listed in env->groups. core/plan makes groups (groups.c), core/ops ends them; look-ups of find.c expand
 * them (members.c).
 *
 * A million insertions into ordered indices cost twenty times as much as the copies of the sections, and most sections
 * are unmapped together without a look-up. A group therefore keeps the columns of its walk (a column has the sections
 * of one field), one pair of reference counters and a bitmap of its host memory:
 *
 *     host      low ...[s0]...[s1][s2].......................[s3]... high       sections of the walk
 *     bitmap    0 0 1 1 0 0 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 0 0             a bit for 1 << granule_shift bytes
 *     device    block: [s0][s1][s2][s3]                                        column by column, padded
 *
 * Invariants:
 * - While `pending`, no section is an object; hull and place are in the interval trees of env->groups.
 * - While `pending_attach`, no pointer is an attachment; slots is in its interval tree.
 * - env->groups.npending and npending_attach count such groups, and env->slow_path_reasons includes both numbers.
 * - The sections of a group overlap neither each other, nor objects, nor other groups (accd__group_build_bitmap).
 * - No look-up is answered from a pending group: it is expanded first.
 *
 * States, and the life of a group:
 *
 *     accd__group_new --> set_pending --> pending ------ construct that names all of it ------> pending
 *                                           |  ^
 *              look-up that overlaps        |  | accd__group_collapse: a construct names all sections,
 *              the bitmap, or a pointer     v  | and objects and attachments are unchanged
 *                                        expanded: objects, attachments
 *                                           |
 *              last object removed, or exit of the whole group --> accd__group_free, accd__group_retire
 *
 * A retired group keeps its walk and bitmap, which the next entry of the same structure takes over. */
#include "table/inside.h"
#include "objects.h"

enum { MIN_GRANULE_SHIFT = 4, MAP_BYTES_PER_SECTION = 16 };

/* -------------------------------------------------------------------------------- comparing -- */

/* Returns true if column x of walk a equals column y of walk b: their fields, the parents of their rowsets (arrays of
 * elements with the pointers), and all sections. Sections are compared by address, length and start. */
bool accd__columns_equal(const struct accd_walk *a, const struct accd__segment *x, const struct accd_walk *b,
                         const struct accd__segment *y)
{
    const struct accd__rowset *p = &a->rowsets[x->rowset], *q = &b->rowsets[y->rowset];
    if (x->rows != y->rows || x->field->offset != y->field->offset || x->field->unit != y->field->unit ||
        x->field->embedded != y->field->embedded || x->field->in_place != y->field->in_place ||
        x->field->slot_bytes != y->field->slot_bytes || x->applied != y->applied || p->parent != q->parent ||
        p->program->spec.stride != q->program->spec.stride || !x->bytes_of != !y->bytes_of ||
        !x->start_of != !y->start_of)
        return false;
    if (p->parent < 0 && p->base != q->base)
        return false;
    if (x->bytes_of != y->bytes_of && memcmp(x->bytes_of, y->bytes_of, x->rows * sizeof x->bytes_of[0]) != 0)
        return false;
    if (!x->bytes_of && x->bytes != y->bytes)
        return false;
    if (x->start_of ? memcmp(x->start_of, y->start_of, x->rows * sizeof x->start_of[0]) != 0 : x->start != y->start)
        return false;
    return x->host == y->host || !memcmp(x->host, y->host, x->rows * sizeof x->host[0]);
}

/* Returns true if all columns of two walks are equal. */
bool accd__sections_equal(const struct accd_walk *a, const struct accd_walk *b)
{
    bool same = a->nsegments == b->nsegments;
    for (size_t i = 0; same && i < a->nsegments; i++)
        same = accd__columns_equal(a, &a->segments[i], b, &b->segments[i]);
    return same;
}

/* --------------------------------------------------------------------------------- the map -- */

/* Returns the number of sections of a walk that are mapped and not empty. */
static size_t count_mapped_sections(const struct accd_walk *walk)
{
    size_t n = 0;
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    n += accd__segment_is_mapped(segment) ? segment->applied : 0;
    return n;
}

/* Sets [*low, *high) to the hull of all mapped, non-empty sections of a walk; *low > *high if there are no such
 * sections. */
static void get_sections_hull(const struct accd_walk *walk, uint64_t *low, uint64_t *high)
{
    *low = UINT64_MAX;
    *high = 0;
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    {
        if (!accd__segment_is_mapped(segment) || !segment->applied)
            continue;
        *low = segment->low < *low ? segment->low : *low;
        *high = segment->high > *high ? segment->high : *high;
    }
}

/* Sets bits from .. last of the bitmap; returns nonzero if any of these bits was set before. */
static inline uint64_t mark_bits(uint64_t *bitmap, uint64_t from, uint64_t last)
{
    assert(from <= last);
    uint64_t word = from / 64, already_set = 0;
    if (word == last / 64) {
        uint64_t m = (((uint64_t)2 << (last - from)) - 1) << from % 64;
        already_set = bitmap[word] & m;
        bitmap[word] |= m;
        return already_set;
    }
    already_set = bitmap[word] & (UINT64_MAX << from % 64);
    bitmap[word] |= UINT64_MAX << from % 64;
    for (word++; word < last / 64; word++) {
        already_set |= bitmap[word];
        bitmap[word] = UINT64_MAX;
    }
    uint64_t m = ((uint64_t)2 << last % 64) - 1;
    already_set |= bitmap[word] & m;
    bitmap[word] |= m;
    return already_set;
}

/* Marks the sections of a column, all of one length and at most 62 bits, in the bitmap of `group`; returns nonzero if
 * some bits were set before. Always writes two words, because a branch for sections that cross into the next word would
 * be mispredicted. `granule_shift` and `prefetches` (true: bitmap words are prefetched) are constants, so that the
 * compiler makes a copy of the function for each. */
static inline __attribute__((always_inline)) uint64_t mark_uniform_sections(const struct accd__group *group,
                                                                            const struct accd__segment *segment,
                                                                            const unsigned granule_shift,
                                                                            const bool prefetches)
{
    assert(segment->bytes > 0);
    const uint64_t low = group->low, *host = segment->host, last_byte = segment->bytes - 1;
    uint64_t *bitmap = group->bitmap, already_set = 0;
    for (size_t i = 0, n = segment->rows; i < n; i++) {
        if (prefetches && i + ACCD_PREFETCH_AHEAD < n)
            __builtin_prefetch(bitmap + ((host[i + ACCD_PREFETCH_AHEAD] - low) >> granule_shift) / 64, 1);
        uint64_t at = host[i] - low, from = at >> granule_shift, last = (at + last_byte) >> granule_shift;
        uint64_t bits = ((uint64_t)2 << (last - from)) - 1, *word = bitmap + from / 64;
        uint64_t first = bits << from % 64, second = bits >> 1 >> (63 - from % 64);
        already_set |= (word[0] & first) | (word[1] & second);
        word[0] |= first;
        word[1] |= second;
    }
    return already_set;
}

/* Marks the sections of any column in the bitmap of a group, in whose hull they lie; returns nonzero if some bits were
 * set before. */
static uint64_t mark_segment(const struct accd__group *group, const struct accd__segment *segment)
{
    uint64_t already_set = 0;
    const uint64_t low = group->low, *host = segment->host;
    const unsigned granule_shift = group->granule_shift;
    if (!segment->bytes_of && segment->applied == segment->rows && segment->bytes >> granule_shift < 62) {
        /* true if the bitmap (over 256 KiB) exceeds the cache, so that prefetching pays */
        bool large = group->bitmap_words > 1 << 15;
        if (granule_shift != MIN_GRANULE_SHIFT)
            return mark_uniform_sections(group, segment, granule_shift, true);
        return large ? mark_uniform_sections(group, segment, MIN_GRANULE_SHIFT, true)
                     : mark_uniform_sections(group, segment, MIN_GRANULE_SHIFT, false);
    }
    for (size_t i = 0; i < segment->rows; i++) {
        uint64_t from = host[i] - low, bytes = accd__section_bytes(segment, i);
        if (bytes)
            already_set |= mark_bits(group->bitmap, from >> granule_shift, (from + bytes - 1) >> granule_shift);
    }
    return already_set;
}

/* Returns true if a bit is set for a granule that [low, high) touches. The answer may be true for bytes near a section.
 */
bool accd__group_overlaps(const struct accd__group *group, uint64_t low, uint64_t high)
{
    if (high <= group->low || low >= group->high)
        return false;
    assert(group->bitmap);
    uint64_t from = (low > group->low ? low - group->low : 0) >> group->granule_shift;
    uint64_t last = ((high < group->high ? high : group->high) - 1 - group->low) >> group->granule_shift;
    for (uint64_t word = from / 64; word <= last / 64; word++) {
        uint64_t bits = group->bitmap[word];
        if (word == from / 64)
            bits &= UINT64_MAX << from % 64;
        if (word == last / 64)
            bits &= ((uint64_t)2 << last % 64) - 1;
        if (bits)
            return true;
    }
    return false;
}

/* Returns the sum of the descriptor checksums of all columns of a walk; 1 if the sum is 0 but the walk has descriptors.
 */
uint64_t accd__walk_descriptor_checksum(const struct accd_walk *walk)
{
    uint64_t sum = 0;
    bool found = false;
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    {
        sum += segment->descriptor_checksum;
        found |= segment->field->slot_bytes != 0;
    }
    return sum ? sum : found;
}

/* Returns the checksum of the contents that the host descriptors of a walk have now; never 0, which means no
 * descriptors. The descriptors must be readable. */
static uint64_t descriptor_sum_now(const struct accd_walk *walk)
{
    uint64_t sum = 0;
    bool may_have_gaps = false;
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    {
        const struct accd__rowset *set = &walk->rowsets[segment->rowset];
        if (segment->field->slot_bytes)
            sum += accd__checksum_descriptors(set, segment->field, 0, segment->rows, &may_have_gaps);
    }
    return sum ? sum : 1;
}

/* Returns true if the group has no descriptors, or their host contents have the checksum of the attach. Returns false
 * if host memory was freed since the walk, because the descriptors must then not be read. */
bool accd__group_descriptors_unchanged(const struct accd__device_env *env, const struct accd__group *group)
{
    const accd_context *context = env->context;
    if (!group->descriptor_checksum)
        return true;
    return !(context->config.check_host && group->walk->host_frees != context->host.host_frees) &&
           group->descriptor_checksum == descriptor_sum_now(group->walk);
}

/* Returns the mapped, non-empty sections of a group as *n_p pairs of address and section number, sorted by address. The
 * address is that of the section or, if `slots`, of the pointer to the section. The pairs lie in a new array, *scratch,
 * which the caller frees; NULL: no memory. */
struct accd__pair *accd__group_sorted_sections(struct accd__device_env *env, const struct accd__group *group,
                                               bool slots, size_t *n_p, struct accd__pair **scratch)
{
    const struct accd_walk *walk = group->walk;
    const size_t most = count_mapped_sections(walk);
    size_t n = 0;
    struct accd__pair *pairs = accd__mem_alloc_array(&env->context->mem, 2 * most, sizeof *pairs);
    *scratch = pairs;
    *n_p = most;
    if (!pairs)
        return NULL;
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    {
        if (!accd__segment_is_mapped(segment))
            continue;
        for (size_t row = 0; row < segment->rows; row++)
            if (accd__section_bytes(segment, row))
                pairs[n++] = (struct accd__pair){slots ? accd__section_slot(walk, segment, row) : segment->host[row],
                                                 segment->first + row};
    }
    return accd__sort_pairs(pairs, pairs + most, n);
}

/* Sets *disjoint_p to true if no two sections of the group overlap, otherwise to false. Compares the sorted sections
 * exactly; called if two of them share a bit of the bitmap. Fails without memory. */
static accd_status check_disjoint_sections(struct accd__device_env *env, const struct accd__group *group,
                                           bool *disjoint_p)
{
    const struct accd_walk *walk = group->walk;
    struct accd__pair *scratch;
    size_t n;
    const struct accd__pair *pairs = accd__group_sorted_sections(env, group, false, &n, &scratch);
    if (!pairs)
        return accd__report_out_of_memory(env->context, "for a group");
    *disjoint_p = true;
    for (size_t i = 0; *disjoint_p && i + 1 < n; i++) {
        size_t row;
        const struct accd__segment *segment = accd__find_segment(walk, pairs[i].value, &row);
        *disjoint_p = pairs[i + 1].key - pairs[i].key >= accd__section_bytes(segment, row);
    }
    accd__mem_free(&env->context->mem, scratch, 2 * n * sizeof *scratch);
    return ACCD_OK;
}

/* Returns true if a section of `walk` overlaps a marked granule in the bitmap of the group `other`. */
static bool overlaps_walk(const struct accd__group *other, const struct accd_walk *walk)
{
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    {
        if (!accd__segment_is_mapped(segment) || segment->high <= other->low || segment->low >= other->high)
            continue;
        for (size_t row = 0; row < segment->rows; row++) {
            uint64_t bytes = accd__section_bytes(segment, row);
            if (bytes && accd__group_overlaps(other, segment->host[row], segment->host[row] + bytes))
                return true;
        }
    }
    return false;
}

/* Filter for a search in groups.hulls: returns true if a section of the walk `ud` overlaps the group that owns `span`.
 */
static bool group_overlaps_walk(void *ud, const struct accd__interval *span)
{
    return overlaps_walk(span->owner, ud);
}

/* Builds the bitmap and the hull of a group. Sets *disjoint_p to true if no two of its sections overlap; to false also
 * if the group has no sections, or has fields with embedded or in-place elements. Fails without memory. */
static accd_status build_bitmap(struct accd__device_env *env, struct accd__group *group, bool *disjoint_p)
{
    accd_context *context = env->context;
    struct accd_walk *walk = group->walk;
    const size_t sections = count_mapped_sections(walk);
    *disjoint_p = false;
    get_sections_hull(walk, &group->low, &group->high);
    if (!sections)
        return ACCD_OK;
    uint64_t hull = group->high - group->low;
    group->granule_shift = MIN_GRANULE_SHIFT;
    while (hull >> group->granule_shift > (uint64_t)8 * MAP_BYTES_PER_SECTION * sections)
        group->granule_shift++;
    group->bitmap_words = ((hull - 1) >> group->granule_shift) / 64 +
                          2; /* adds a spare word, because mark_uniform_sections always writes two words */
    group->bitmap = accd__mem_alloc_zeroed(&context->mem, group->bitmap_words * sizeof group->bitmap[0]);
    if (!group->bitmap)
        return accd__report_out_of_memory(context, "for a group");
    uint64_t already_set = 0;
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    {
        /* elements that are embedded, or lie in place in their object, overlap that object: not disjoint, so that the
         * construct takes the general path */
        if (segment->field->in_place || segment->field->embedded)
            return ACCD_OK;
        already_set |= segment->applied ? mark_segment(group, segment) : 0;
    }
    *disjoint_p = !already_set;
    if (already_set) /* two sections share a granule: they overlap, or they are only neighbours */
        return check_disjoint_sections(env, group, disjoint_p);
    return ACCD_OK;
}

/* If the sections of the retired group (which ended last) equal those of `group`, moves the bitmap and hull to `group`,
 * frees the retired group, and returns true. Otherwise returns false, and changes nothing. */
static bool take_retired_bitmap(struct accd__device_env *env, struct accd__group *group)
{
    struct accd__group *retired = env->groups.retired;
    if (!retired || !accd__sections_equal(retired->walk, group->walk))
        return false;
    group->low = retired->low;
    group->high = retired->high;
    group->granule_shift = retired->granule_shift;
    group->bitmap = retired->bitmap;
    group->bitmap_words = retired->bitmap_words;
    retired->bitmap = NULL;
    accd__free_retired_group(env);
    return true;
}

/* Sets the bitmap and hull of a group. Sets *disjoint_p to true if its sections overlap neither each other, nor present
 * objects, nor other groups. Sets it to false also if the hull has more objects than the group has sections. Fails
 * without memory. */
accd_status accd__group_build_bitmap(struct accd__device_env *env, struct accd__group *group, bool *disjoint_p)
{
    bool disjoint = take_retired_bitmap(env, group);
    *disjoint_p = false;
    if (!disjoint)
        ACCD_TRY(build_bitmap(env, group, &disjoint));
    if (!disjoint)
        return ACCD_OK;
    /* Compares the bitmap with present objects in the hull. If the hull has more objects than the group has sections,
     * comparing costs more than a group saves, so that the construct takes the general path. */
    struct accd__btree_cursor cursor;
    struct accd__object *object = accd__btree_floor(&env->present.objects, group->low);
    if (object && accd__group_overlaps(group, object->host, accd__object_end(object)))
        return ACCD_OK;
    size_t nlive = 0;
    for (object = accd__btree_seek(&env->present.objects, group->low, &cursor); object && object->host < group->high;
         object = accd__btree_next(&cursor))
        if (++nlive > group->live || accd__group_overlaps(group, object->host, accd__object_end(object)))
            return ACCD_OK;
    *disjoint_p =
        !accd__interval_find_overlap(env->groups.hulls, group->low, group->high, group_overlaps_walk, group->walk);
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------ new and free -- */

/* Sets group->slot_low and slot_high to the hull of the pointers (or descriptors) to the group's sections. */
static void set_slots_hull(struct accd__group *group)
{
    const struct accd_walk *walk = group->walk;
    group->slot_low = UINT64_MAX;
    group->slot_high = 0;
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    {
        const struct accd__rowset *set = &walk->rowsets[segment->rowset];
        if (!accd__segment_is_mapped(segment) || !segment->rows)
            continue;
        uint64_t low = set->base, high = set->base + (set->rows - 1) * set->program->spec.stride;
        if (set->address) {
            low = UINT64_MAX;
            high = 0;
            accd__extend_hull(set->address, set->rows, &low, &high);
        }
        low += segment->field->offset;
        high += segment->field->offset + accd__field_slot_bytes(segment->field);
        group->slot_low = low < group->slot_low ? low : group->slot_low;
        group->slot_high = high > group->slot_high ? high : group->slot_high;
    }
}

/* Assigns each mapped section of a walk its offset in one device block, column by column. Sets *bytes_p to the size of
 * that block. Fails without memory. */
static accd_status lay_out_sections(struct accd_walk *walk, uint64_t *bytes_p)
{
    uint64_t place = 0;
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    {
        if (!accd__segment_is_mapped(segment))
            continue;
        segment->dev = place;
        if (segment->bytes_of) {
            size_t blocks = (segment->rows + ACCD_ROWS - 1) / ACCD_ROWS;
            segment->dev_of = accd__mem_alloc_array(&walk->context->mem, blocks, sizeof segment->dev_of[0]);
            if (!segment->dev_of)
                return accd__report_out_of_memory(walk->context, "for a group");
            uint64_t at = place;
            for (size_t row = 0; row < segment->rows; row++) {
                if (row % ACCD_ROWS == 0)
                    segment->dev_of[row / ACCD_ROWS] = at;
                at += accd__padded(segment->bytes_of[row]);
            }
        }
        place += segment->total;
    }
    *bytes_p = place;
    return ACCD_OK;
}

/* Returns the interval [low, high) owned by `group`, which is in no tree yet. */
static struct accd__interval make_interval(struct accd__group *group, uint64_t low, uint64_t high)
{
    return (struct accd__interval){.low = low, .high = high, .owner = group};
}

/* Sets *group_p to a new group for `walk`, listed in env->groups, and assigns its sections offsets in a block that the
 * caller allocates later. Fails without memory. */
accd_status accd__group_new(struct accd__device_env *env, struct accd_walk *walk, struct accd__group **group_p)
{
    assert(walk->nroots > 0);
    accd_context *context = env->context;
    struct accd__mem *mem = &context->mem;
    size_t number = env->groups.least_free;
    while (number < env->groups.n && env->groups.at[number])
        number++;
    struct accd__group *group = accd__mem_alloc_zeroed(mem, sizeof *group);
    if (!group || !ACCD_GROW(mem, env->groups.at, env->groups.capacity, number + 1)) {
        accd__mem_free(mem, group, sizeof *group);
        return accd__report_out_of_memory(context, "for a group");
    }
    env->groups.at[number] = group;
    env->groups.least_free = number + 1;
    if (number == env->groups.n)
        env->groups.n++;
    group->id = (uint32_t)number;
    group->walk = accd__walk_retain(walk);
    group->root = make_interval(group, walk->roots[0].host, walk->roots[0].host + 1);
    accd__interval_insert(&env->groups.roots, &group->root);
    group->live = count_mapped_sections(walk);
    set_slots_hull(group);
    group->descriptor_checksum = accd__walk_descriptor_checksum(walk);
    uint64_t bytes = 0;
    accd_status status = lay_out_sections(walk, &bytes);
    if (status != ACCD_OK) {
        accd__group_free(env, group);
        return status;
    }
    *group_p = group;
    return ACCD_OK;
}

/* If `listed`, sets `span` to `interval` and inserts `span` into the tree `root`; otherwise removes `span` from the
 * tree. Does nothing if `span` is in that state already. A span is in the tree if its `owner` is not NULL. */
static void set_listed(struct accd__interval **root, struct accd__interval *span, bool listed,
                       struct accd__interval interval)
{
    if (listed == (span->owner != NULL))
        return;
    if (!listed)
        accd__interval_remove(root, span);
    *span = listed ? interval : (struct accd__interval){.owner = NULL};
    if (listed)
        accd__interval_insert(root, span);
}

/* Sets the state of a group: `sections`, its sections are pending (they have no objects); `pointers`, its pointers are
 * pending (they have no attachments). Updates the counts and interval trees of env->groups, and the reasons for the
 * slow path. */
static void set_pending(struct accd__device_env *env, struct accd__group *group, bool sections, bool pointers)
{
    assert(!sections || group->block);
    struct accd__groups *groups = &env->groups;
    const struct accd__block none = {0}, *block = sections ? group->block : &none;
    groups->npending += (size_t)sections - (size_t)group->pending;
    groups->npending_attach += (size_t)pointers - (size_t)group->pending_attach;
    env->slow_path_reasons +=
        (size_t)sections + (size_t)pointers - (size_t)group->pending - (size_t)group->pending_attach;
    group->pending = sections;
    group->pending_attach = pointers;
    set_listed(&groups->hulls, &group->hull, sections, make_interval(group, group->low, group->high));
    set_listed(&groups->places, &group->place, sections, make_interval(group, block->dev, block->dev + block->bytes));
    set_listed(&groups->slots, &group->slots, pointers, make_interval(group, group->slot_low, group->slot_high));
    set_listed(&groups->pointers_pending, &group->pointers_pending, pointers && !sections, make_interval(group, 0, 0));
}

/* Makes the sections and the pointers of a group pending. */
void accd__group_set_pending(struct accd__device_env *env, struct accd__group *group)
{
    set_pending(env, group, true, true);
}

/* Ends the pending state of the sections if `sections`, and of the pointers if `pointers`; the state of the other part
 * stays as it is. */
void accd__group_clear_pending(struct accd__device_env *env, struct accd__group *group, bool sections, bool pointers)
{
    set_pending(env, group, group->pending && !sections, group->pending_attach && !pointers);
}

/* Removes a group from env->groups: from the list of groups and from all trees. Its number becomes free. */
static void unregister_group(struct accd__device_env *env, struct accd__group *group)
{
    accd__group_clear_pending(env, group, true, true);
    accd__interval_remove(&env->groups.roots, &group->root);
    env->groups.at[group->id] = NULL;
    env->groups.least_free = group->id < env->groups.least_free ? group->id : env->groups.least_free;
}

/* Frees the array of objects of a group, if there is one. */
static void free_group_objects(struct accd__device_env *env, struct accd__group *group)
{
    accd__mem_free(&env->context->mem, group->objects, group->walk->sections * sizeof group->objects[0]);
    group->objects = NULL;
}

/* Frees bitmap, objects and record of a group that env->groups no longer lists, and releases its walk. */
static void free_group_memory(struct accd__device_env *env, struct accd__group *group)
{
    struct accd__mem *mem = &env->context->mem;
    accd__mem_free(mem, group->bitmap, group->bitmap_words * sizeof group->bitmap[0]);
    free_group_objects(env, group);
    accd__walk_release(group->walk);
    accd__mem_free(mem, group, sizeof *group);
}

/* Removes a group from env->groups and frees its memory on the host. The caller frees the device block. */
void accd__group_free(struct accd__device_env *env, struct accd__group *group)
{
    assert(env->groups.at[group->id] == group);
    unregister_group(env, group);
    free_group_memory(env, group);
}

/* Frees the group that groups.retired keeps, if there is one. */
void accd__free_retired_group(struct accd__device_env *env)
{
    if (env->groups.retired)
        free_group_memory(env, env->groups.retired);
    env->groups.retired = NULL;
}

/* Returns the bytes of bitmap and walk that `group` would occupy as the retired group. */
static uint64_t retired_bytes(const struct accd__group *group)
{
    const struct accd_walk *walk = group->walk;
    uint64_t bytes = group->bitmap_words * sizeof group->bitmap[0];
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    {
        size_t columns = 1u + (segment->bytes_of ? 1u : 0u) + (segment->start_of ? 1u : 0u);
        bytes += columns * segment->rows * sizeof segment->host[0];
    }
    for (size_t i = 0; i < walk->nrowsets; i++)
        bytes += walk->rowsets[i].address ? walk->rowsets[i].rows * 2 * sizeof(uint64_t) : 0;
    return bytes;
}

/* Frees the present retired group. Then makes an ended group the retired group or, if bitmap and walk exceed 64 MiB,
 * frees it. */
void accd__group_retire(struct accd__device_env *env, struct accd__group *group)
{
    enum { MAX_RETIRED_BYTES = 64 << 20 };
    accd__free_retired_group(env);
    if (retired_bytes(group) > MAX_RETIRED_BYTES) {
        accd__group_free(env, group);
        return;
    }
    unregister_group(env, group);
    free_group_objects(env, group);
    env->groups.retired = group;
}

/* Filter for a search of intervals: returns true if `span` belongs to another group than `ud`. */
static bool is_other_group(void *ud, const struct accd__interval *span)
{
    return span->owner != ud;
}

/* Returns true if pending pointers of another group may lie, or an attachment lies, in the hull of the group's
 * pointers. */
bool accd__group_shares_slots(struct accd__device_env *env, const struct accd__group *group)
{
    struct accd__btree_cursor cursor;
    if (accd__interval_find_overlap(env->groups.slots, group->slot_low, group->slot_high, is_other_group,
                                    (void *)(uintptr_t)group))
        return true;
    const struct accd__attachment *attach = accd__btree_seek(&env->attached.slots, group->slot_low, &cursor);
    return attach && attach->slot < group->slot_high;
}

/* Frees the record of an object that was removed from the index by host address. Removes it from the index by device
 * address, and frees its name origin or, if it was the last object of its group, the group. */
static void free_object(struct accd__device_env *env, struct accd__object *object)
{
    assert(env->present.live > 0);
    if (env->present.device_order)
        accd__btree_erase(&env->present.by_device, object->dev);
    env->present.live--;
    if (object->size & ACCD_OBJECT_MEMBER) {
        struct accd__group *group = env->groups.at[object->where];
        if (--group->live == 0)
            accd__group_free(env, group);
        return;
    }
    if (object->size & ACCD_OBJECT_ORIGIN) {
        env->present.origins[object->where].next = env->present.free_origin;
        env->present.free_origin = object->where;
    }
    accd__pool_free(&env->present.object_pool, object);
}

/* Removes one object from the indices and frees its record. */
void accd__remove_object(struct accd__device_env *env, struct accd__object *object)
{
    accd__btree_erase(&env->present.objects, object->host);
    free_object(env, object);
}

/* Removes `n` objects from the indices, by host address in one pass, and frees their records. */
void accd__remove_objects(struct accd__device_env *env, struct accd__object *const *objects, size_t n)
{
    assert(n <= ACCD_FAST_PATH_ITEMS);
    uint64_t keys[ACCD_FAST_PATH_ITEMS];
    for (size_t i = 0; i < n; i++)
        keys[i] = objects[i]->host;
    if (n)
        accd__btree_erase_keys(&env->present.objects, keys, n);
    for (size_t i = 0; i < n; i++)
        free_object(env, objects[i]);
}
