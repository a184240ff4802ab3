/* standin.c - a stand-in for the CUDA driver, libcuda.so.1, in host memory: tests of the backend on
 * machines without a GPU load it instead.
 *
 * It is stricter than a driver. Device addresses lie in a mapping that nobody may touch but kernels of
 * standin_nvrtc.c while they run; everything else reaches the bytes through a second one. Work of a
 * stream waits until somebody waits for it, so that memory given back or read too early shows. Copies
 * must lie in live allocations of the current context, the kernel that moves pieces is checked piece by
 * piece and leaves a sticky error behind. Fresh memory is noise. After a fork it is not started.
 *
 * ACCDEEP_STANDIN_DEVICES     how many devices there are (1)
 * ACCDEEP_STANDIN_BYTES       memory of each (32 GiB, of which what is used is there)
 * ACCDEEP_STANDIN_FAIL        NAME:N[:ERROR] the N-th call of NAME (*: of any) fails
 * ACCDEEP_STANDIN_COUNTS      a file that gets, at the end, how often each entry point was called
 *
 * Built with STANDIN_VERSION=11010 it is a driver without pools and batches; with 12080, the usual one, it
 * has the batches of that time; with 13000 those of today. */
#include "../../cuda/driver.h"
#include "standin.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef STANDIN_VERSION
#define STANDIN_VERSION 12080
#endif
#define DRIVER __attribute__((visibility("default")))
enum { GRAIN = 512, NESTING = 16, DEVICES = 16, SEGMENT = 32 << 20, SEGMENTS = 8192 };
static const uint64_t SPACE = (uint64_t)SEGMENT * SEGMENTS;
enum { ALIGNED = 32 << 20 }; /* as addresses of a device that are reserved in large are */

struct cu_context_object {
    int users, sticky;
};
struct cu_pool_object {
    int device;
    uint64_t at, end; /* what is left of its last segments */
    size_t live;      /* allocations from it */
};
struct cu_function_object {
    standin_kernel_fn *kernel; /* NULL: the backend's own */
    standin_run_fn *run;
};
struct cu_module_object {
    void *library; /* that the stand-in of NVRTC made; NULL: the backend's own kernel */
    struct cu_function_object functions[4];
    size_t nfunctions;
};
enum kind { COPY_IN, COPY_OUT, COPY_WITHIN, MOVE_PIECES, KERNEL };
struct work {
    enum kind kind;
    uint64_t to, from, bytes;
    const struct cu_function_object *function; /* of a kernel: with to as its argument */
    unsigned blocks, threads;
    struct work *next;
};
struct cu_stream_object {
    struct cu_context_object *context;
    struct work *first, **last;
};

struct allocation {
    uint64_t at, bytes; /* offset in the space */
    struct cu_context_object *context;
    struct cu_pool_object *pool;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    pid_t process; /* that started it; 0: none did */
    int devices;
    uint64_t room, used[DEVICES];
    char *base, *bytes; /* addresses, content */
    struct allocation *allocations; /* live ones, in order */
    size_t nallocations, room_allocations;
    struct cu_pool_object *owner[SEGMENTS];
    size_t next; /* segment to look at first */
    struct cu_pool_object usual[DEVICES]; /* without a pool of the caller's */
    struct cu_context_object contexts[DEVICES];
    uint64_t live; /* everything else that must be given back */
    struct {
        char *at;
        size_t bytes;
    } pinned[256];
} all;
static __thread struct {
    struct cu_context_object *stack[NESTING];
    int depth;
} thread;

/* ----------------------------------------------------------------------- counts and failures -- */

#define SAME_NAME(symbol, parameters) #symbol,
static const char *const names[] = {ACCD_CUDA_REQUIRED(SAME_NAME) ACCD_CUDA_OPTIONAL(SAME_NAME)};
enum { NAMES = sizeof names / sizeof names[0] };
static uint64_t counts[NAMES], total;
static struct {
    char name[64];
    uint64_t left;
    int error;
} planned;

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static void write_counts(void)
{
    const char *path = getenv("ACCDEEP_STANDIN_COUNTS");
    FILE *file = path && all.process == getpid() ? fopen(path, "w") : NULL;
    for (int i = 0; file && i < NAMES; i++)
        if (counts[i])
            fprintf(file, "%s %llu\n", names[i], (unsigned long long)counts[i]);
    if (file)
        fclose(file);
}

static void start(void)
{
    char plan[64];
    all.process = getpid();
    all.devices = atoi(setting("ACCDEEP_STANDIN_DEVICES", "1"));
    all.room = strtoull(setting("ACCDEEP_STANDIN_BYTES", "34359738368"), NULL, 10);
    int memory = memfd_create("standin", MFD_CLOEXEC); /* mapped twice */
    if (memory < 0 || ftruncate(memory, (off_t)SPACE))
        abort();
    char *room = mmap(NULL, SPACE + ALIGNED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        abort();
    all.base = mmap(room + (ALIGNED - (uintptr_t)room % ALIGNED), SPACE, PROT_NONE,
                    MAP_SHARED | MAP_NORESERVE | MAP_FIXED, memory, 0);
    all.bytes = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory, 0);
    close(memory);
    if (all.base == MAP_FAILED || all.bytes == MAP_FAILED)
        abort();
    snprintf(plan, sizeof plan, "%s", setting("ACCDEEP_STANDIN_FAIL", ""));
    if (sscanf(plan, "%63[^:]:%llu:%d", planned.name, (unsigned long long *)&planned.left,
               &planned.error) < 2)
        planned.left = 0;
    atexit(write_counts);
}

/* What a call gives before it does anything; 0: it may go on. */
static cu_result entered(int number, int usual)
{
    const char *name = names[number];
    if (all.process != getpid())
        return CU_NOT_INITIALIZED;
    counts[number]++;
    total++;
    if (planned.left && (!strcmp(planned.name, "*") || !strcmp(planned.name, name)) &&
        --planned.left == 0) {
        int error = planned.error ? planned.error : usual;
        bool sticky = error == CU_ILLEGAL_ADDRESS || error == CU_LAUNCH_FAILED;
        if (sticky && thread.depth)
            thread.stack[thread.depth - 1]->sticky = error;
        return error;
    }
    return thread.depth ? thread.stack[thread.depth - 1]->sticky : CU_OK;
}

static int number_of(const char *name)
{
    for (int i = 0; i < NAMES; i++)
        if (!strcmp(names[i], name))
            return i;
    abort();
}

#define BEGIN(name, usual)                            \
    static int number = -1;                           \
    pthread_mutex_lock(&lock);                        \
    if (number < 0)                                   \
        number = number_of(#name);                    \
    cu_result result = entered(number, (usual));      \
    if (result != CU_OK) {                            \
        pthread_mutex_unlock(&lock);                  \
        return result;                                \
    }
#define END                         \
    pthread_mutex_unlock(&lock);    \
    return result

DRIVER uint64_t standin_count(const char *name);
DRIVER uint64_t standin_count(const char *name)
{
    return strcmp(name, "*") ? counts[number_of(name)] : total;
}

DRIVER void standin_fail(const char *name, uint64_t n, int error);
DRIVER void standin_fail(const char *name, uint64_t n, int error)
{
    snprintf(planned.name, sizeof planned.name, "%s", name);
    planned.left = n;
    planned.error = error;
}

DRIVER int standin_pending(void);
DRIVER int standin_pending(void) { return planned.left != 0; }

DRIVER void standin_reset(void);
DRIVER void standin_reset(void)
{
    memset(counts, 0, sizeof counts);
    total = planned.left = 0;
    for (int i = 0; i < DEVICES; i++)
        all.contexts[i].sticky = 0;
}

DRIVER uint64_t standin_live(void);
DRIVER uint64_t standin_live(void)
{
    uint64_t live = all.live + all.nallocations;
    for (int i = 0; i < DEVICES; i++)
        live += (uint64_t)all.contexts[i].users;
    return live;
}

DRIVER void standin_room(uint64_t bytes);
DRIVER void standin_room(uint64_t bytes)
{
    all.room = bytes ? bytes : strtoull(setting("ACCDEEP_STANDIN_BYTES", "34359738368"), NULL, 10);
}

/* ---------------------------------------------------------------------------- device memory -- */

/* Streams, pools, modules: known as long as nobody gives them back, which nobody can in a context that
 * is lost. */
struct made {
    struct made *next, **at;
    max_align_t object[];
};
static struct made *made_first;

static void *make(size_t bytes)
{
    struct made *made = calloc(1, sizeof *made + bytes);
    if (!made)
        abort();
    made->next = made_first;
    made->at = &made_first;
    if (made_first)
        made_first->at = &made->next;
    made_first = made;
    all.live++;
    return made->object;
}

static void unmake(void *object)
{
    struct made *made = (struct made *)(void *)((char *)object - offsetof(struct made, object));
    *made->at = made->next;
    if (made->next)
        made->next->at = made->at;
    free(made);
    all.live--;
}

static struct cu_context_object *current(void)
{
    return thread.depth ? thread.stack[thread.depth - 1] : NULL;
}

/* The first allocation that ends behind an offset. */
static size_t behind(uint64_t at)
{
    size_t low = 0, high = all.nallocations;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (all.allocations[middle].at + all.allocations[middle].bytes <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct allocation *allocation_at(uint64_t dev)
{
    uint64_t at = dev - (uint64_t)(uintptr_t)all.base;
    size_t i = behind(at);
    return at < SPACE && i < all.nallocations && all.allocations[i].at <= at ? &all.allocations[i]
                                                                            : NULL;
}

static bool reachable(uint64_t dev, uint64_t bytes, const struct cu_context_object *context)
{
    const struct allocation *found = allocation_at(dev);
    return found && found->context == context &&
           bytes <= found->bytes - (dev - (uint64_t)(uintptr_t)all.base - found->at);
}

static char *content(uint64_t dev) { return all.bytes + (dev - (uint64_t)(uintptr_t)all.base); }

/* Segments belong to one pool, as on a GPU. Addresses come round as late as can be, so that old ones
 * stay wrong for long: a pool takes no address twice while anything in it lives. */
static bool more_segments(struct cu_pool_object *pool, uint64_t bytes)
{
    size_t n = (size_t)((bytes + SEGMENT - 1) / SEGMENT), found = 0, first = all.next;
    for (size_t tried = 0; tried < 2 * SEGMENTS && found < n; tried++) {
        size_t at = first + found;
        if (at >= SEGMENTS) {
            first = found = 0;
        } else if (all.owner[at]) {
            first = at + 1;
            found = 0;
        } else {
            found++;
        }
    }
    if (found < n)
        return false;
    for (size_t i = 0; i < n; i++)
        all.owner[first + i] = pool;
    all.next = (first + n) % SEGMENTS;
    pool->at = (uint64_t)first * SEGMENT;
    pool->end = pool->at + (uint64_t)n * SEGMENT;
    return true;
}

static void give_segments_back(struct cu_pool_object *pool)
{
    for (size_t i = 0; i < SEGMENTS; i++)
        if (all.owner[i] == pool)
            all.owner[i] = NULL;
    pool->at = pool->end = 0;
}

static cu_result allocate(uint64_t *at_p, uint64_t bytes, struct cu_pool_object *pool)
{
    struct cu_context_object *context = current();
    uint64_t grains = (bytes + GRAIN - 1) / GRAIN * GRAIN;
    if (!context)
        return CU_INVALID_CONTEXT;
    if (!bytes)
        return CU_INVALID_VALUE;
    uint64_t *used = &all.used[context - all.contexts];
    if (grains < bytes || grains > all.room || *used > all.room - grains ||
        (grains > pool->end - pool->at && !more_segments(pool, grains)))
        return CU_OUT_OF_MEMORY;
    if (all.nallocations == all.room_allocations) {
        all.room_allocations = 2 * all.room_allocations + 64;
        all.allocations = realloc(all.allocations,
                                  all.room_allocations * sizeof all.allocations[0]);
        if (!all.allocations)
            abort();
    }
    size_t i = behind(pool->at);
    memmove(&all.allocations[i + 1], &all.allocations[i],
            (all.nallocations - i) * sizeof all.allocations[0]);
    all.allocations[i] = (struct allocation){pool->at, bytes, context, pool};
    all.nallocations++;
    *used += grains;
    memset(all.bytes + pool->at, 0xC3, bytes < 1 << 20 ? bytes : 1 << 20);
    *at_p = (uint64_t)(uintptr_t)all.base + pool->at;
    pool->at += grains;
    pool->live++;
    return CU_OK;
}

static cu_result release(uint64_t dev)
{
    struct allocation *found = allocation_at(dev);
    if (!found || (uint64_t)(uintptr_t)all.base + found->at != dev || found->context != current())
        return CU_INVALID_VALUE;
    uint64_t grains = (found->bytes + GRAIN - 1) / GRAIN * GRAIN;
    all.used[found->context - all.contexts] -= grains;
    memset(all.bytes + found->at, 0x3C, found->bytes < 4096 ? found->bytes : 4096);
    uint64_t page = (found->at + 4095) / 4096 * 4096, end = (found->at + grains) / 4096 * 4096;
    if (end > page + (64 << 10))
        madvise(all.bytes + page, end - page, MADV_REMOVE);
    if (--found->pool->live == 0)
        give_segments_back(found->pool);
    size_t i = (size_t)(found - all.allocations);
    all.nallocations--;
    memmove(found, found + 1, (all.nallocations - i) * sizeof *found);
    return CU_OK;
}

/* ---------------------------------------------------------------------------------- streams -- */

struct row {
    uint64_t to, from, bytes;
};

static bool overlap(uint64_t a, uint64_t b, uint64_t bytes)
{
    return a - b < bytes || b - a < bytes;
}

/* The kernel of the backend. An address it may not use is a sticky error, as on a GPU. */
static cu_result move_pieces(struct cu_context_object *context, uint64_t table, uint64_t n)
{
    if (!reachable(table, n * sizeof(struct row), context))
        return context->sticky = CU_ILLEGAL_ADDRESS;
    for (uint64_t i = 0; i < n; i++) {
        struct row row;
        memcpy(&row, content(table + i * sizeof row), sizeof row);
        if (!reachable(row.to, row.bytes, context) || !reachable(row.from, row.bytes, context))
            return context->sticky = CU_ILLEGAL_ADDRESS;
        if ((row.to - row.from) % 8)
            return context->sticky = CU_MISALIGNED_ADDRESS;
        memcpy(content(row.to), content(row.from), row.bytes);
    }
    return CU_OK;
}

/* While it runs, memory is to be had at the device's addresses, as far as any is allocated. */
static void run_kernel(const struct work *work)
{
    const struct allocation *last = &all.allocations[all.nallocations - 1];
    uint64_t low = all.allocations[0].at / SEGMENT * SEGMENT;
    uint64_t high = (last->at + last->bytes + SEGMENT - 1) / SEGMENT * SEGMENT;
    mprotect(all.base + low, high - low, PROT_READ | PROT_WRITE);
    work->function->run(work->function->kernel, work->to, work->blocks, work->threads);
    mprotect(all.base + low, high - low, PROT_NONE);
}

static cu_result drain(struct cu_stream_object *stream)
{
    cu_result result = CU_OK;
    while (stream->first) {
        struct work *work = stream->first;
        stream->first = work->next;
        if (result != CU_OK) {
        } else if (work->kind == MOVE_PIECES) {
            result = move_pieces(stream->context, work->to, work->bytes);
        } else if (work->kind == KERNEL) {
            run_kernel(work);
        } else {
            void *to = work->kind == COPY_OUT ? (void *)(uintptr_t)work->to : content(work->to);
            const void *from =
                work->kind == COPY_IN ? (const void *)(uintptr_t)work->from : content(work->from);
            memcpy(to, from, work->bytes);
        }
        free(work);
    }
    stream->last = &stream->first;
    return result;
}

static void append(struct cu_stream_object *stream, struct work work)
{
    struct work *copy = malloc(sizeof *copy);
    if (!copy)
        abort();
    *copy = work;
    *stream->last = copy;
    stream->last = &copy->next;
}

static bool usable(const struct cu_stream_object *stream)
{
    return stream && current() && stream->context == current();
}

static cu_result enqueue(struct cu_stream_object *stream, enum kind kind, uint64_t to,
                         uint64_t from, uint64_t bytes)
{
    struct cu_context_object *context = current();
    if (!usable(stream))
        return CU_INVALID_HANDLE;
    bool to_device = kind == COPY_IN || kind == COPY_WITHIN;
    bool from_device = kind == COPY_OUT || kind == COPY_WITHIN;
    if ((to_device && !reachable(to, bytes, context)) ||
        (from_device && !reachable(from, bytes, context)) ||
        (kind == COPY_WITHIN && overlap(to, from, bytes)) ||
        (kind != MOVE_PIECES && !to_device && to - (uint64_t)(uintptr_t)all.base < SPACE) ||
        (kind != MOVE_PIECES && !from_device && from - (uint64_t)(uintptr_t)all.base < SPACE))
        return CU_INVALID_VALUE;
    append(stream, (struct work){.kind = kind, .to = to, .from = from, .bytes = bytes});
    return CU_OK;
}

#if STANDIN_VERSION >= 12080
static cu_result batch(cu_address *to, cu_address *from, const size_t *bytes, size_t n,
                       const struct cu_copy_attributes *attributes, const size_t *first,
                       size_t nattributes, cu_stream stream)
{
    if (!stream || !n || !nattributes || first[0] || !attributes->access)
        return CU_INVALID_VALUE;
    cu_result result = CU_OK;
    for (size_t i = n; i-- > 0 && result == CU_OK;) { /* in whatever order */
        bool in = to[i] - (uint64_t)(uintptr_t)all.base < SPACE;
        bool out = from[i] - (uint64_t)(uintptr_t)all.base < SPACE;
        result = !in && !out ? CU_INVALID_VALUE
                             : enqueue(stream, in && out ? COPY_WITHIN : in ? COPY_IN : COPY_OUT,
                                       to[i], from[i], bytes[i]);
    }
    return result;
}
#endif

/* ------------------------------------------------------------------------------ entry points -- */

#define DECLARE(symbol, parameters) DRIVER cu_result symbol parameters;
ACCD_CUDA_REQUIRED(DECLARE)
ACCD_CUDA_OPTIONAL(DECLARE) /* whether or not it has them */

cu_result cuInit(unsigned flags)
{
    pthread_mutex_lock(&lock);
    if (!all.process)
        start();
    pthread_mutex_unlock(&lock);
    BEGIN(cuInit, CU_UNKNOWN)
    if (flags)
        result = CU_INVALID_VALUE;
    else if (!all.devices)
        result = CU_NO_DEVICE;
    END;
}

cu_result cuDriverGetVersion(int *version)
{
    *version = STANDIN_VERSION;
    return CU_OK;
}

static const struct {
    int error;
    const char *name, *text;
} errors[] = {
    {CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CU_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CU_STUB_LIBRARY, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {CU_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CU_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CU_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CU_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CU_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {CU_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CU_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static cu_result describe(int error, const char **text, bool name)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].error == error) {
            *text = name ? errors[i].name : errors[i].text;
            return CU_OK;
        }
    *text = NULL;
    return CU_INVALID_VALUE;
}

cu_result cuGetErrorName(cu_result error, const char **text) { return describe(error, text, true); }
cu_result cuGetErrorString(cu_result error, const char **text)
{
    return describe(error, text, false);
}

cu_result cuDeviceGetCount(int *count)
{
    BEGIN(cuDeviceGetCount, CU_UNKNOWN)
    *count = all.devices;
    END;
}

cu_result cuDeviceGet(cu_device *device, int at)
{
    BEGIN(cuDeviceGet, CU_UNKNOWN)
    if (at < 0 || at >= all.devices)
        result = CU_INVALID_DEVICE;
    else
        *device = at;
    END;
}

cu_result cuDeviceGetName(char *name, int room, cu_device device)
{
    BEGIN(cuDeviceGetName, CU_UNKNOWN)
    snprintf(name, (size_t)room, "stand-in %d", device);
    END;
}

cu_result cuDeviceGetAttribute(int *value, cu_attribute attribute, cu_device device)
{
    BEGIN(cuDeviceGetAttribute, CU_UNKNOWN)
    if (device >= all.devices)
        result = CU_INVALID_VALUE;
    else if (attribute == CU_MEMORY_POOLS_SUPPORTED)
        *value = 1;
    else if (attribute == CU_MULTIPROCESSORS)
        *value = 2;
    else if (attribute == CU_CAPABILITY_MAJOR)
        *value = STANDIN_VERSION >= 13000 ? 12 : 9; /* the stand-in of NVRTC knows 9.0 best */
    else if (attribute == CU_CAPABILITY_MINOR)
        *value = 0;
    else
        result = CU_INVALID_VALUE;
    END;
}

cu_result cuDeviceTotalMem_v2(size_t *bytes, cu_device device)
{
    BEGIN(cuDeviceTotalMem_v2, CU_UNKNOWN)
    (void)device;
    *bytes = all.room;
    END;
}

cu_result cuDevicePrimaryCtxRetain(cu_context *context, cu_device device)
{
    BEGIN(cuDevicePrimaryCtxRetain, CU_OUT_OF_MEMORY)
    *context = &all.contexts[device];
    all.contexts[device].users++;
    END;
}

cu_result cuDevicePrimaryCtxRelease_v2(cu_device device)
{
    BEGIN(cuDevicePrimaryCtxRelease_v2, CU_OK)
    all.contexts[device].users--;
    END;
}

cu_result cuCtxPushCurrent_v2(cu_context context)
{
    BEGIN(cuCtxPushCurrent_v2, CU_INVALID_CONTEXT)
    if (context->sticky)
        result = context->sticky;
    else if (!context->users || thread.depth == NESTING)
        result = CU_INVALID_CONTEXT;
    else
        thread.stack[thread.depth++] = context;
    END;
}

cu_result cuCtxPopCurrent_v2(cu_context *context) /* also from a context that is lost */
{
    if (!thread.depth)
        return CU_INVALID_CONTEXT;
    *context = thread.stack[--thread.depth];
    return CU_OK;
}

cu_result cuMemAlloc_v2(cu_address *at, size_t bytes)
{
    BEGIN(cuMemAlloc_v2, CU_OUT_OF_MEMORY)
    struct cu_context_object *context = current();
    result = context ? allocate(at, bytes, &all.usual[context - all.contexts]) : CU_INVALID_CONTEXT;
    END;
}

cu_result cuMemFree_v2(cu_address at)
{
    BEGIN(cuMemFree_v2, CU_INVALID_VALUE)
    result = release(at);
    END;
}

cu_result cuMemHostAlloc(void **at, size_t bytes, unsigned flags)
{
    BEGIN(cuMemHostAlloc, CU_OUT_OF_MEMORY)
    (void)flags;
    size_t i = 0;
    while (i < sizeof all.pinned / sizeof all.pinned[0] && all.pinned[i].at)
        i++;
    void *made = i < sizeof all.pinned / sizeof all.pinned[0]
                     ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                     : MAP_FAILED;
    if (!current() || made == MAP_FAILED) {
        result = current() ? CU_OUT_OF_MEMORY : CU_INVALID_CONTEXT;
    } else {
        all.pinned[i].at = *at = made;
        all.pinned[i].bytes = bytes;
        all.live++;
    }
    END;
}

cu_result cuMemFreeHost(void *at)
{
    BEGIN(cuMemFreeHost, CU_INVALID_VALUE)
    size_t i = 0;
    while (i < sizeof all.pinned / sizeof all.pinned[0] && all.pinned[i].at != at)
        i++;
    if (i == sizeof all.pinned / sizeof all.pinned[0]) {
        result = CU_INVALID_VALUE;
    } else {
        munmap(at, all.pinned[i].bytes);
        all.pinned[i].at = NULL;
        all.live--;
    }
    END;
}

cu_result cuMemcpyHtoDAsync_v2(cu_address to, const void *from, size_t bytes, cu_stream stream)
{
    BEGIN(cuMemcpyHtoDAsync_v2, CU_UNKNOWN)
    result = enqueue(stream, COPY_IN, to, (uint64_t)(uintptr_t)from, bytes);
    END;
}

cu_result cuMemcpyDtoHAsync_v2(void *to, cu_address from, size_t bytes, cu_stream stream)
{
    BEGIN(cuMemcpyDtoHAsync_v2, CU_UNKNOWN)
    result = enqueue(stream, COPY_OUT, (uint64_t)(uintptr_t)to, from, bytes);
    END;
}

cu_result cuMemcpyDtoDAsync_v2(cu_address to, cu_address from, size_t bytes, cu_stream stream)
{
    BEGIN(cuMemcpyDtoDAsync_v2, CU_UNKNOWN)
    result = enqueue(stream, COPY_WITHIN, to, from, bytes);
    END;
}

#if STANDIN_VERSION >= 13000
cu_result cuMemcpyBatchAsync_v2(cu_address *to, cu_address *from, size_t *bytes, size_t n,
                                struct cu_copy_attributes *attributes, size_t *first,
                                size_t nattributes, cu_stream stream)
{
    BEGIN(cuMemcpyBatchAsync_v2, CU_UNKNOWN)
    result = batch(to, from, bytes, n, attributes, first, nattributes, stream);
    END;
}
#elif STANDIN_VERSION >= 12080
cu_result cuMemcpyBatchAsync(cu_address *to, cu_address *from, size_t *bytes, size_t n,
                             struct cu_copy_attributes *attributes, size_t *first,
                             size_t nattributes, size_t *failed, cu_stream stream)
{
    BEGIN(cuMemcpyBatchAsync, CU_UNKNOWN)
    *failed = SIZE_MAX;
    result = batch(to, from, bytes, n, attributes, first, nattributes, stream);
    END;
}
#endif

cu_result cuStreamCreate(cu_stream *stream, unsigned flags)
{
    BEGIN(cuStreamCreate, CU_OUT_OF_MEMORY)
    if (!current() || flags > CU_STREAM_NON_BLOCKING_FLAG) {
        result = CU_INVALID_CONTEXT;
    } else {
        *stream = make(sizeof **stream);
        **stream = (struct cu_stream_object){.context = current()};
        (*stream)->last = &(*stream)->first;
    }
    END;
}

cu_result cuStreamDestroy_v2(cu_stream stream)
{
    BEGIN(cuStreamDestroy_v2, CU_INVALID_HANDLE)
    result = drain(stream);
    unmake(stream);
    END;
}

cu_result cuStreamSynchronize(cu_stream stream)
{
    BEGIN(cuStreamSynchronize, CU_UNKNOWN)
    if (!stream || stream->context != current())
        result = CU_INVALID_HANDLE;
    else
        result = drain(stream);
    END;
}

#if STANDIN_VERSION >= 11020
cu_result cuMemPoolCreate(cu_pool *pool, const struct cu_pool_props *props)
{
    BEGIN(cuMemPoolCreate, CU_OUT_OF_MEMORY)
    if (props->allocation != CU_ALLOCATION_PINNED || props->handles ||
        props->location.type != CU_LOCATION_DEVICE || props->location.id >= all.devices) {
        result = CU_INVALID_VALUE;
    } else {
        *pool = make(sizeof **pool);
        **pool = (struct cu_pool_object){.device = props->location.id};
    }
    END;
}

cu_result cuMemPoolDestroy(cu_pool pool)
{
    BEGIN(cuMemPoolDestroy, CU_INVALID_VALUE)
    if (!pool->live) /* otherwise it stays until nobody uses it, here: for good */
        unmake(pool);
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
    if (!stream || stream->context != current() ||
        &all.contexts[pool->device] != stream->context)
        result = CU_INVALID_VALUE;
    else
        result = allocate(at, bytes, pool);
    END;
}

/* Work that was given to the stream before is done first: what comes later finds nothing. */
cu_result cuMemFreeAsync(cu_address at, cu_stream stream)
{
    BEGIN(cuMemFreeAsync, CU_INVALID_VALUE)
    if (!stream || stream->context != current())
        result = CU_INVALID_HANDLE;
    else
        result = drain(stream);
    if (result == CU_OK)
        result = release(at);
    END;
}
#endif

cu_result cuModuleLoadData(cu_module *module, const void *image)
{
    BEGIN(cuModuleLoadData, CU_INVALID_IMAGE)
    const char *text = image;
    const size_t mark = sizeof STANDIN_IMAGE - 1;
    bool compiled = !strncmp(text, STANDIN_IMAGE, mark);
    void *library = compiled ? dlopen(text + mark, RTLD_NOW | RTLD_LOCAL) : NULL;
    bool ours = !strncmp(text, ".version ", 9) && strstr(text, ".visible .entry accd_move_pieces(");
    if (!current() || (compiled ? !library : !ours)) {
        result = CU_INVALID_IMAGE;
    } else {
        *module = make(sizeof **module);
        (*module)->library = library;
    }
    END;
}

cu_result cuModuleUnload(cu_module module)
{
    BEGIN(cuModuleUnload, CU_INVALID_VALUE)
    if (module->library)
        dlclose(module->library);
    unmake(module);
    END;
}

cu_result cuModuleGetFunction(cu_function *function, cu_module module, const char *name)
{
    BEGIN(cuModuleGetFunction, CU_NOT_FOUND)
    struct cu_function_object *made = &module->functions[module->nfunctions];
    void *kernel = module->library ? dlsym(module->library, name) : NULL;
    void *run = module->library ? dlsym(module->library, "standin_run") : NULL;
    memcpy(&made->kernel, &kernel, sizeof kernel);
    memcpy(&made->run, &run, sizeof run);
    if ((module->library ? !kernel || !run : strcmp(name, "accd_move_pieces") != 0) ||
        module->nfunctions == sizeof module->functions / sizeof module->functions[0]) {
        result = CU_NOT_FOUND;
    } else {
        module->nfunctions++;
        *function = made;
    }
    END;
}

cu_result cuLaunchKernel(cu_function function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                         unsigned by, unsigned bz, unsigned shared, cu_stream stream,
                         void **parameters, void **extra)
{
    BEGIN(cuLaunchKernel, CU_UNKNOWN)
    uint64_t first = *(const uint64_t *)parameters[0];
    if (!function || !gx || gy != 1 || gz != 1 || !bx || bx > 1024 || by != 1 || bz != 1 ||
        shared || extra)
        result = CU_INVALID_VALUE;
    else if (!function->kernel)
        result = bx % 32 ? CU_INVALID_VALUE
                         : enqueue(stream, MOVE_PIECES, first, 0, *(const uint64_t *)parameters[1]);
    else if (!usable(stream))
        result = CU_INVALID_HANDLE;
    else
        append(stream, (struct work){.kind = KERNEL,
                                     .to = first,
                                     .function = function,
                                     .blocks = gx,
                                     .threads = bx});
    END;
}

/* Compilers of kernels ask for it without looking whether it is there. */
DRIVER cu_result cuGetExportTable(const void **table, const void *id);
cu_result cuGetExportTable(const void **table, const void *id)
{
    (void)table;
    (void)id;
    return CU_NOT_SUPPORTED;
}
