/* placements.c - looks up the records of fusion, by which present objects move into one device block. A placement is
 * fusion's record of one object; an original is a clause that names bytes of the object; a fused tuple is a block with
 * several objects. tuples.h has the whole picture. */
#include "table/inside.h"
#include "table/tuples.h"
#include "find.h"
#include "objects.h"

/* Returns the placement (record of fusion) of `object`, or NULL. */
struct accd__placement *accd__find_placement(struct accd__device_env *env, const struct accd__object *object)
{
    struct accd__placement *placement = accd__btree_floor(&env->tuples.placements, object->host);
    return placement && placement->object == object ? placement : NULL;
}

/* Returns true if an original of `object` (record of a clause) names the byte at `host`; ignores originals that end
 * with the exit under way, or ask for storage only. Lowers *end_p to the address where the answer changes, if that is
 * lower. */
bool accd__is_byte_named(struct accd__device_env *env, const struct accd__object *object, uint64_t host,
                         uint64_t *end_p)
{
    const struct accd__placement *placement = accd__find_placement(env, object);
    uint64_t end = host, next = *end_p;
    for (const struct accd__original *o = placement ? placement->originals : NULL; o; o = o->next) {
        if (o->names_no_bytes || accd__original_ends(&env->tuples, o))
            continue;
        if (o->host > host)
            next = o->host < next ? o->host : next;
        else if (o->host + o->bytes > end)
            end = o->host + o->bytes;
    }
    if (end == host)
        *end_p = next;
    else if (end < *end_p)
        *end_p = end;
    return end > host;
}

/* Returns whether originals of `object` name all, some or none of the bytes [host, host + bytes). */
enum accd__containment accd__get_named_part(struct accd__device_env *env, const struct accd__object *object,
                                            uint64_t host, uint64_t bytes)
{
    bool any = false, all = true;
    for (uint64_t at = host, end = host + bytes, stop; at < end; at = stop) {
        stop = end;
        bool named = accd__is_byte_named(env, object, at, &stop);
        any |= named;
        all &= named;
    }
    return all ? ACCD_RANGE_CONTAINED : any ? ACCD_RANGE_PARTIAL : ACCD_RANGE_DISJOINT;
}

/* Returns the current fused tuple whose hull contains a host address, or NULL. */
struct accd__fused_tuple *accd__find_fused_tuple(struct accd__device_env *env, uint64_t host)
{
    struct accd__fused_tuple *fused = accd__btree_floor(&env->tuples.fused, host);
    return fused && host < fused->end ? fused : NULL;
}

/* Returns the current fused tuple whose hull contains a device address, or NULL. */
struct accd__fused_tuple *accd__find_fused_tuple_by_dev(struct accd__device_env *env, uint64_t dev)
{
    const struct accd__block *block = accd__btree_floor(&env->present.blocks, dev);
    if (!block || !block->host || dev - block->dev >= block->bytes)
        return NULL;
    struct accd__fused_tuple *fused = accd__find_fused_tuple(env, block->host + (dev - block->dev));
    return fused && fused->block == block ? fused : NULL;
}

/* Returns the device address of the first byte of a tuple. */
uint64_t accd__fused_tuple_dev(const struct accd__fused_tuple *fused)
{
    return fused->block->dev + (fused->host - fused->block->host);
}

/* Drops one reference to a fused tuple; NULL does nothing. Dropping the last reference removes the tuple from the index
 * and frees it. */
void accd__release_fused_tuple(struct accd__device_env *env, struct accd__fused_tuple *fused)
{
    assert(!fused || fused->places > 0);
    if (!fused || --fused->places)
        return;
    if (fused->current)
        accd__btree_erase(&env->tuples.fused, fused->host);
    accd__pool_free(&env->tuples.fused_pool, fused);
}

/* Returns the object that contains the byte at `host` or, if none does, the first object after that byte, or NULL. Sets
 * the cursor to the object. */
struct accd__object *accd__first_object_after(struct accd__device_env *env, uint64_t host,
                                              struct accd__btree_cursor *cursor)
{
    const struct accd__object *object = accd__btree_floor(&env->present.objects, host);
    return accd__btree_seek(&env->present.objects, object && accd__object_end(object) > host ? object->host : host,
                            cursor);
}

/* Returns whether present objects cover [host, host + bytes) without gaps, whether a single object or fused tuple does,
 * and how many objects overlap the range. */
struct accd__coverage accd__get_coverage(struct accd__device_env *env, uint64_t host, uint64_t bytes)
{
    struct accd__btree_cursor cursor;
    struct accd__coverage cover = {.whole = true};
    uint64_t at = host, end = host + bytes;
    struct accd__object *object = accd__first_object_after(env, host, &cursor);
    for (; object && object->host < end; object = accd__btree_next(&cursor)) {
        cover.whole &= object->host <= at;
        cover.objects++;
        at = accd__object_end(object);
    }
    cover.whole &= at >= end;
    const struct accd__fused_tuple *fused = accd__find_fused_tuple(env, host);
    cover.is_single = cover.whole && (cover.objects == 1 || (fused && end <= fused->end));
    return cover;
}

/* Returns the latest original that enter data opened for exactly this range, and that does not end with the exit under
 * way; or NULL. */
struct accd__original *accd__find_enter_data(struct accd__device_env *env, uint64_t host, uint64_t bytes)
{
    const struct accd__object *object = env->tuples.placements.count ? accd__object_at(env, host, false) : NULL;
    if (!object)
        return NULL;
    const struct accd__placement *placement = accd__find_placement(env, object);
    struct accd__original *original = placement ? placement->originals : NULL;
    while (original && !(original->dynamic && !accd__original_ends(&env->tuples, original) && original->whole == host &&
                         original->length == bytes))
        original = original->next;
    return original;
}
