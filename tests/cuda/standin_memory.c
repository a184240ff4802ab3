/* standin_memory.c - memory of the stand-in driver.
 *
 * Device addresses lie in a mapping that nobody may touch but kernels of standin_nvrtc.c while they run;
 * everything else reaches the bytes through a second one. Fresh memory is noise, and what was given back is,
 * too. */
#include "standin_driver.h"

enum { GRAIN = 512, PAGE = 4096 };
enum { ALIGNED = 32 << 20 }; /* as addresses of a device that are reserved in large are */

static struct cu_pool_object *owner[SEGMENTS];
static size_t next;                          /* segment to look at first */
static struct cu_pool_object usual[DEVICES]; /* without a pool of the caller's */
static struct {
    char *at;
    size_t bytes;
} pinned[PINNED];
static size_t npinned;

void standin_start_memory(void)
{
    int memory = memfd_create("standin", MFD_CLOEXEC); /* mapped twice */
    if (memory < 0 || ftruncate(memory, (off_t)SPACE))
        abort();
    char *room = mmap(NULL, SPACE + ALIGNED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        abort();
    standin.base = mmap(room + (ALIGNED - (uintptr_t)room % ALIGNED), SPACE, PROT_NONE,
                        MAP_SHARED | MAP_NORESERVE | MAP_FIXED, memory, 0);
    standin.bytes = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory, 0);
    close(memory);
    if (standin.base == MAP_FAILED || standin.bytes == MAP_FAILED)
        abort();
}

/* ---------------------------------------------------------------------------- device memory -- */

static uint64_t offset(uint64_t dev)
{
    return dev - (uint64_t)(uintptr_t)standin.base;
}

bool standin_on_device(uint64_t at)
{
    return offset(at) < SPACE;
}

char *standin_content(uint64_t dev)
{
    return standin.bytes + offset(dev);
}

/* The first allocation that ends behind an offset. */
static size_t behind(uint64_t at)
{
    size_t low = 0, high = standin.nallocations;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (standin.allocations[middle].at + standin.allocations[middle].bytes <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct standin_allocation *allocation_at(uint64_t dev)
{
    uint64_t at = offset(dev);
    size_t i = behind(at);
    bool found = at < SPACE && i < standin.nallocations && standin.allocations[i].at <= at;
    return found ? &standin.allocations[i] : NULL;
}

bool standin_reachable(uint64_t dev, uint64_t bytes, const struct cu_context_object *context, uint64_t ticket)
{
    const struct standin_allocation *found = allocation_at(dev);
    return found && found->context == context && found->ticket <= ticket &&
           bytes <= found->bytes - (offset(dev) - found->at);
}

const struct standin_allocation *standin_allocation_at(uint64_t dev)
{
    return allocation_at(dev);
}

/* Segments belong to one pool, as on a GPU. Addresses come round as late as can be, so that old ones
 * stay wrong for long: a pool takes no address twice while anything in it lives. */
static bool more_segments(struct cu_pool_object *pool, uint64_t bytes)
{
    size_t n = (size_t)((bytes + SEGMENT - 1) / SEGMENT), found = 0, first = next;
    for (size_t tried = 0; tried < 2 * SEGMENTS && found < n; tried++) {
        size_t at = first + found;
        if (at >= SEGMENTS) {
            first = found = 0;
        } else if (owner[at]) {
            first = at + 1;
            found = 0;
        } else {
            found++;
        }
    }
    if (found < n)
        return false;
    for (size_t i = 0; i < n; i++)
        owner[first + i] = pool;
    next = (first + n) % SEGMENTS;
    pool->at = (uint64_t)first * SEGMENT;
    pool->end = pool->at + (uint64_t)n * SEGMENT;
    return true;
}

static void give_segments_back(struct cu_pool_object *pool)
{
    for (size_t i = 0; i < SEGMENTS; i++)
        if (owner[i] == pool)
            owner[i] = NULL;
    pool->at = pool->end = 0;
}

/* Fresh pages take most of a test's time: of large memory, some are noise, the others zero. */
static void make_noise(char *at, uint64_t bytes)
{
    enum { WHOLE = 64 << 10, MOST = 1 << 20 };
    memset(at, 0xC3, bytes < WHOLE ? bytes : WHOLE);
    for (uint64_t page = WHOLE; page + PAGE <= bytes && page < MOST; page += WHOLE)
        memset(at + page, 0xC3, PAGE);
}

/* stream: NULL for memory that is all streams' at once. */
static cu_result allocate_block(uint64_t *at_p, uint64_t bytes, struct cu_pool_object *pool,
                                struct cu_stream_object *stream)
{
    struct cu_context_object *context = standin_current();
    uint64_t grains = (bytes + GRAIN - 1) / GRAIN * GRAIN;
    if (!context)
        return CU_INVALID_CONTEXT;
    if (!bytes)
        return CU_INVALID_VALUE;
    uint64_t *used = &standin.used[context - standin.contexts];
    if (grains < bytes || grains > standin.room || *used > standin.room - grains ||
        (grains > pool->end - pool->at && !more_segments(pool, grains)))
        return CU_OUT_OF_MEMORY;
    if (standin.nallocations == standin.room_allocations) {
        standin.room_allocations = 2 * standin.room_allocations + 64;
        standin.allocations = realloc(standin.allocations, standin.room_allocations * sizeof standin.allocations[0]);
        if (!standin.allocations)
            abort();
    }
    size_t i = behind(pool->at);
    memmove(&standin.allocations[i + 1], &standin.allocations[i],
            (standin.nallocations - i) * sizeof standin.allocations[0]);
    standin.allocations[i] = (struct standin_allocation){
        .at = pool->at,
        .bytes = bytes,
        .context = context,
        .pool = pool,
        .stream = stream ? (long)stream->place : ANYWHERE,
        .ticket = stream ? standin_issue(stream) : standin_ticket(),
    };
    standin.nallocations++;
    *used += grains;
    make_noise(standin.bytes + pool->at, bytes);
    *at_p = (uint64_t)(uintptr_t)standin.base + pool->at;
    pool->at += grains;
    pool->live++;
    return CU_OK;
}

static cu_result release_block(uint64_t dev)
{
    struct standin_allocation *found = allocation_at(dev);
    if (!found || found->at != offset(dev) || found->context != standin_current())
        return CU_INVALID_VALUE;
    uint64_t grains = (found->bytes + GRAIN - 1) / GRAIN * GRAIN;
    standin.used[found->context - standin.contexts] -= grains;
    memset(standin.bytes + found->at, 0x3C, found->bytes < PAGE ? found->bytes : PAGE);
    uint64_t page = (found->at + PAGE - 1) / PAGE * PAGE, end = (found->at + grains) / PAGE * PAGE;
    if (end > page + (64 << 10))
        madvise(standin.bytes + page, end - page, MADV_REMOVE);
    if (--found->pool->live == 0)
        give_segments_back(found->pool);
    size_t i = (size_t)(found - standin.allocations);
    standin.nallocations--;
    memmove(found, found + 1, (standin.nallocations - i) * sizeof *found);
    return CU_OK;
}

static uint64_t opened, opened_bytes;

/* There is at least one allocation, that of its argument. Those that it does not come behind stay closed, as
 * far as they have whole pages. */
void standin_open(const struct standin_work *kernel, const struct cu_context_object *context)
{
    const struct standin_allocation *first = standin.allocations, *last = first + standin.nallocations - 1;
    opened = first->at / SEGMENT * SEGMENT;
    opened_bytes = (last->at + last->bytes + SEGMENT - 1) / SEGMENT * SEGMENT - opened;
    mprotect(standin.base + opened, opened_bytes, PROT_READ | PROT_WRITE);
    for (const struct standin_allocation *each = first; each <= last; each++) {
        uint64_t low = (each->at + PAGE - 1) / PAGE * PAGE, high = (each->at + each->bytes) / PAGE * PAGE;
        if (low < high &&
            (each->context != context || each->ticket > kernel->ticket || !standin_is_behind(&kernel->behind, each)))
            mprotect(standin.base + low, high - low, PROT_NONE);
    }
}

void standin_close(void)
{
    mprotect(standin.base + opened, opened_bytes, PROT_NONE);
}

cu_result cuMemAlloc_v2(cu_address *at, size_t bytes)
{
    BEGIN(cuMemAlloc_v2, CU_OUT_OF_MEMORY)
    struct cu_context_object *context = standin_current();
    result = context ? allocate_block(at, bytes, &usual[context - standin.contexts], NULL) : CU_INVALID_CONTEXT;
    END;
}

/* The whole device comes to rest before. */
cu_result cuMemFree_v2(cu_address at)
{
    BEGIN(cuMemFree_v2, CU_INVALID_VALUE)
    result = standin_current() ? standin_drain_context(standin_current()) : CU_INVALID_CONTEXT;
    if (result == CU_OK)
        result = release_block(at);
    END;
}

/* ------------------------------------------------------------------------------ host memory -- */

bool standin_pinned(uint64_t host, uint64_t bytes)
{
    for (size_t i = 0; i < npinned; i++) {
        uint64_t at = (uint64_t)(uintptr_t)pinned[i].at;
        if (host >= at && host - at <= pinned[i].bytes && bytes <= pinned[i].bytes - (host - at))
            return true;
    }
    return false;
}

cu_result cuMemHostAlloc(void **at, size_t bytes, unsigned flags)
{
    BEGIN(cuMemHostAlloc, CU_OUT_OF_MEMORY)
    (void)flags;
    void *made =
        npinned < PINNED ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (!standin_current() || made == MAP_FAILED) {
        result = standin_current() ? CU_OUT_OF_MEMORY : CU_INVALID_CONTEXT;
    } else {
        pinned[npinned].at = *at = made;
        pinned[npinned++].bytes = bytes;
        standin.live++;
    }
    END;
}

cu_result cuMemFreeHost(void *at)
{
    BEGIN(cuMemFreeHost, CU_INVALID_VALUE)
    size_t i = 0;
    while (i < npinned && pinned[i].at != at)
        i++;
    if (i == npinned) {
        result = CU_INVALID_VALUE;
    } else {
        munmap(at, pinned[i].bytes);
        pinned[i] = pinned[--npinned];
        standin.live--;
    }
    END;
}

/* ------------------------------------------------------------------------------------ pools -- */

#if STANDIN_VERSION >= 11020
cu_result cuMemPoolCreate(cu_pool *pool, const struct cu_pool_props *props)
{
    BEGIN(cuMemPoolCreate, CU_OUT_OF_MEMORY)
    if (props->allocation != CU_ALLOCATION_PINNED || props->handles || props->location.type != CU_LOCATION_DEVICE ||
        props->location.id >= standin.devices) {
        result = CU_INVALID_VALUE;
    } else {
        *pool = standin_make(sizeof **pool);
        **pool = (struct cu_pool_object){.device = props->location.id};
    }
    END;
}

cu_result cuMemPoolDestroy(cu_pool pool)
{
    BEGIN(cuMemPoolDestroy, CU_INVALID_VALUE)
    if (!pool->live) /* otherwise it stays until nobody uses it, here: for good */
        standin_unmake(pool);
    END;
}

cu_result cuMemPoolSetAttribute(cu_pool pool, cu_pool_attribute attribute, void *value)
{
    BEGIN(cuMemPoolSetAttribute, CU_INVALID_VALUE)
    if (!pool || attribute != CU_POOL_RELEASE_THRESHOLD || !value)
        result = CU_INVALID_VALUE;
    END;
}

cu_result cuMemAllocFromPoolAsync(cu_address *at, size_t bytes, cu_pool pool, cu_stream stream)
{
    BEGIN(cuMemAllocFromPoolAsync, CU_OUT_OF_MEMORY)
    if (!standin_usable(stream) || &standin.contexts[pool->device] != stream->context)
        result = CU_INVALID_VALUE;
    else
        result = allocate_block(at, bytes, pool, stream);
    END;
}

/* Work that was given to the stream before is done first: what comes later finds nothing, nor does what
 * other streams have left. */
cu_result cuMemFreeAsync(cu_address at, cu_stream stream)
{
    BEGIN(cuMemFreeAsync, CU_INVALID_VALUE)
    const struct standin_allocation *found = standin_allocation_at(at);
    if (!standin_usable(stream)) {
        result = CU_INVALID_HANDLE;
    } else if (found && found->context == stream->context) {
        (void)standin_issue(stream);
        bool may = standin_is_behind(&stream->behind, found);
        result = may ? standin_drain(stream) : standin_lose(stream->context, CU_ILLEGAL_ADDRESS);
    }
    if (result == CU_OK)
        result = release_block(at);
    END;
}
#endif
