/* digest.c - a hash of the state of all devices, with all addresses. Tests use it to see if a call changed anything. */
#include "accdeep_checkpoints.h"
#include "accdeep_internal.h"
#include "api/inside.h"
#include "ops/ops.h"
#include "table/find.h"
#include "table/tuples.h"

#include <assert.h>

/* Returns `hash`, extended by `n` bytes at `from` (FNV-1a). */
static uint64_t hash_bytes(uint64_t hash, const void *from, size_t n)
{
    assert(from || !n);
    const unsigned char *p = from;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

/* Replaces the local variable `hash` by its extension by the bytes of the variable `value`. */
#define HASH(value) hash = hash_bytes(hash, &(value), sizeof(value))

/* Returns `hash`, extended by the n device bytes at `dev`, and by the number of them that were ever written (0 if the
 * device does not record writes). Leaves out bytes that cannot be read. */
static uint64_t hash_device_bytes(struct accd__device_env *env, uint64_t hash, uint64_t dev, uint64_t n)
{
    unsigned char buffer[1024];
    for (uint64_t at = 0; at < n; at += sizeof buffer) {
        uint64_t n_bytes = n - at < sizeof buffer ? n - at : sizeof buffer;
        if (env->device.ops->read(env->device.handle, dev + at, buffer, n_bytes) == ACCD_OK)
            hash = hash_bytes(hash, buffer, n_bytes);
        uint64_t written =
            env->device.ops->count_written ? env->device.ops->count_written(env->device.handle, dev + at, n_bytes) : 0;
        HASH(written);
    }
    return hash;
}

/* Returns `hash`, extended by the placements (records of where fusion has put objects, table/tuples.h) that have a
 * fused tuple, vacated slots or originals. */
static uint64_t hash_tuples(struct accd__device_env *env, uint64_t hash)
{
    ACCD_FOR_EACH(const struct accd__placement, placement, &env->tuples.placements, 0)
    {
        if (!placement->fused && !placement->vacated && !placement->originals)
            continue;
        const uint64_t fused = placement->fused ? placement->fused->host : 0;
        HASH(fused);
        HASH(placement->serial);
        for (const struct accd__vacated_slot *vacated = placement->vacated; vacated; vacated = vacated->below)
            HASH(vacated->dev);
        for (const struct accd__original *original = placement->originals; original; original = original->next)
            HASH(original->serial);
    }
    return hash;
}

/* Returns the hash of the present objects, attachments, levels, tuples and device memory of all devices; 0 without
 * memory to make objects of groups. */
uint64_t accd__state_digest(accd_context *context)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; context && i < context->nenvs; i++) {
        struct accd__device_env *env = &context->envs[i];
        if (accd__expand_groups(env) != ACCD_OK)
            return 0;
        ACCD_FOR_EACH(struct accd__object, object, &env->present.objects, 0)
        {
            HASH(object->host);
            /* ignores whether an object is alone in a block, or has its own memory */
            uint64_t size = object->size & ~ACCD_OBJECT_SHARED;
            HASH(size);
            HASH(object->dev);
            HASH(object->structured);
            HASH(object->dynamic);
            HASH(object->pins);
            hash = hash_device_bytes(env, hash, object->dev, accd__object_bytes(object));
        }
        ACCD_FOR_EACH(struct accd__attachment, attach, &env->attached.slots, 0)
        {
            HASH(attach->slot);
            HASH(attach->target);
            HASH(attach->dev);
            HASH(attach->count);
            const unsigned holds_record = attach->holds_record;
            HASH(holds_record);
            if (attach->descriptor)
                hash = hash_bytes(hash, attach->descriptor->rest, attach->descriptor->bytes - sizeof(void *));
        }
        for (const struct accd_region *region = env->levels.top; region; region = region->below) {
            HASH(region->kind);
            HASH(region->thread);
            HASH(region->line);
            for (size_t k = 0; k < region->nrequests; k++) {
                HASH(region->requests[k].host);
                HASH(region->requests[k].bytes);
                const uint64_t object_host = region->requests[k].object ? region->requests[k].object->host : 0;
                HASH(object_host);
            }
        }
        hash = hash_tuples(env, hash);
        HASH(env->device.stats.live_bytes);
        HASH(env->device.stats.live_allocations);
    }
    return hash;
}
