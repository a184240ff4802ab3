/* shares.c - which data lie in one device block, and since when: tuples, and the places that objects left. */
#include "table/inside.h"
#include "table/tuples.h"

struct accd_share *accd_share_of(struct accd_directory *dir, const struct accd_object *object)
{
    struct accd_share *share = accd_range_floor(&dir->tuples.shares, object->host);
    return share && share->object == object ? share : NULL;
}

bool accd_named_at(struct accd_directory *dir, const struct accd_object *object, uint64_t host,
                   uint64_t *end_p)
{
    const struct accd_share *share = accd_share_of(dir, object);
    uint64_t end = host, next = *end_p;
    for (const struct accd_original *o = share ? share->originals : NULL; o; o = o->next) {
        if (o->idle || accd_original_ends(&dir->tuples, o))
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

enum accd_relation accd_named(struct accd_directory *dir, const struct accd_object *object, uint64_t host,
                              uint64_t bytes)
{
    bool any = false, all = true;
    for (uint64_t at = host, end = host + bytes, stop; at < end; at = stop) {
        stop = end;
        bool named = accd_named_at(dir, object, at, &stop);
        any |= named;
        all &= named;
    }
    return all ? ACCD_INSIDE : any ? ACCD_ACROSS : ACCD_NONE;
}

struct accd_fused *accd_fused_at(struct accd_directory *dir, uint64_t host)
{
    struct accd_fused *fused = accd_range_floor(&dir->tuples.fused, host);
    return fused && host < fused->end ? fused : NULL;
}

struct accd_fused *accd_fused_in_device(struct accd_directory *dir, uint64_t dev)
{
    const struct accd_block *block = accd_range_floor(&dir->present.blocks, dev);
    if (!block || !block->host || dev - block->dev >= block->bytes)
        return NULL;
    struct accd_fused *fused = accd_fused_at(dir, block->host + (dev - block->dev));
    return fused && fused->block == block ? fused : NULL;
}

uint64_t accd_fused_dev(const struct accd_fused *fused)
{
    return fused->block->dev + (fused->host - fused->block->host);
}

void accd_fused_release(struct accd_directory *dir, struct accd_fused *fused)
{
    if (!fused || --fused->places)
        return;
    if (fused->current)
        accd_range_erase(&dir->tuples.fused, fused->host);
    accd_pool_give(&dir->tuples.fused_pool, fused);
}

struct accd_object *accd_first_behind(struct accd_directory *dir, uint64_t host,
                                      struct accd_range_cursor *cursor)
{
    const struct accd_object *object = accd_range_floor(&dir->present.objects, host);
    return accd_range_seek(&dir->present.objects,
                           object && accd_object_end(object) > host ? object->host : host, cursor);
}

struct accd_cover accd_cover_of(struct accd_directory *dir, uint64_t host, uint64_t bytes)
{
    struct accd_range_cursor cursor;
    struct accd_cover cover = {.whole = true};
    uint64_t at = host, end = host + bytes;
    struct accd_object *object = accd_first_behind(dir, host, &cursor);
    for (; object && object->host < end; object = accd_range_next(&cursor)) {
        cover.whole &= object->host <= at;
        cover.objects++;
        at = accd_object_end(object);
    }
    cover.whole &= at >= end;
    const struct accd_fused *fused = accd_fused_at(dir, host);
    cover.one = cover.whole && (cover.objects == 1 || (fused && end <= fused->end));
    return cover;
}

struct accd_original *accd_opened(struct accd_directory *dir, uint64_t host, uint64_t bytes)
{
    const struct accd_object *object = dir->tuples.shares.count ? accd_object_at(dir, host, false) : NULL;
    if (!object)
        return NULL;
    const struct accd_share *share = accd_share_of(dir, object);
    struct accd_original *original = share ? share->originals : NULL;
    while (original && !(original->dynamic && !accd_original_ends(&dir->tuples, original) &&
                         original->whole == host && original->length == bytes))
        original = original->next;
    return original;
}
