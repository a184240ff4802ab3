/* digest.c - one number for the state of all devices, addresses among it: whether a call has changed anything. */
#include "face/inside.h"
#include "ops/ops.h"
#include "table/tuples.h"

static uint64_t mix(uint64_t hash, const void *from, size_t n)
{
    const unsigned char *p = from;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

#define MIX(value) hash = mix(hash, &(value), sizeof(value))

static uint64_t digest_bytes(struct accd_directory *dir, uint64_t hash, uint64_t dev, uint64_t n)
{
    unsigned char buffer[1024];
    for (uint64_t at = 0; at < n; at += sizeof buffer) {
        uint64_t take = n - at < sizeof buffer ? n - at : sizeof buffer;
        if (dir->device.ops->read(dir->device.handle, dev + at, buffer, take) == ACCD_OK)
            hash = mix(hash, buffer, take);
        uint64_t written = dir->device.ops->written ? dir->device.ops->written(dir->device.handle, dev + at, take) : 0;
        MIX(written);
    }
    return hash;
}

static uint64_t digest_tuples(struct accd_directory *dir, uint64_t hash)
{
    ACCD_EACH(const struct accd_share, share, &dir->tuples.shares, 0) {
        if (!share->fused && !share->former && !share->originals)
            continue;
        const uint64_t fused = share->fused ? share->fused->host : 0;
        MIX(fused);
        MIX(share->serial);
        for (const struct accd_former *former = share->former; former; former = former->below)
            MIX(former->dev);
        for (const struct accd_original *original = share->originals; original;
             original = original->next)
            MIX(original->serial);
    }
    return hash;
}

uint64_t accd_digest(accd_context *context)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; context && i < context->ndirs; i++) {
        struct accd_directory *dir = &context->dirs[i];
        if (accd_index_all(dir) != ACCD_OK)
            return 0;
        ACCD_EACH(struct accd_object, object, &dir->present.objects, 0) {
            MIX(object->host);
            uint64_t size = object->size & ~ACCD_OBJECT_SHARED; /* alone in a block is alone */
            MIX(size);
            MIX(object->dev);
            MIX(object->structured);
            MIX(object->dynamic);
            MIX(object->pins);
            hash = digest_bytes(dir, hash, object->dev, accd_object_bytes(object));
        }
        ACCD_EACH(struct accd_attach, attach, &dir->attached.slots, 0) {
            MIX(attach->slot);
            MIX(attach->target);
            MIX(attach->dev);
            MIX(attach->count);
            const unsigned holds_record = attach->holds_record;
            MIX(holds_record);
            if (attach->descriptor)
                hash = mix(hash, attach->descriptor->rest, attach->descriptor->bytes - sizeof(void *));
        }
        for (const struct accd_region *region = dir->levels.top; region; region = region->below) {
            MIX(region->kind);
            MIX(region->thread);
            MIX(region->line);
            for (size_t k = 0; k < region->nclaims; k++) {
                MIX(region->claims[k].host);
                MIX(region->claims[k].bytes);
                const uint64_t held = region->claims[k].object ? region->claims[k].object->host : 0;
                MIX(held);
            }
        }
        hash = digest_tuples(dir, hash);
        MIX(dir->device.stats.live_bytes);
        MIX(dir->device.stats.live_allocations);
    }
    return hash;
}
