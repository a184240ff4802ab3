/* memory.c - memory of the device: stream-ordered allocation from a pool of the context's own, so that
 * what it has freed serves it again and goes back as a whole. Beside each allocation lie bits that say
 * which bytes were ever written, because the device cannot tell. */
#include "backend.h"
#include "device/written.h"

#include <sys/mman.h>

enum {
    MAPPED_BITS = 64 << 10, /* so many bytes of bits are mapped: pages come as they are needed */
    POOL_WINDOW = 32 << 20, /* what a pool takes at once: all of it is the device's */
    WINDOW = 2 << 20,       /* without a pool: its pages */
    FRONT = 1 << 20         /* in front of a window what is no memory of the host is the device's */
};

/* ---------------------------------------------------------------------------------- windows -- */

/* The first window that ends behind an address. */
static size_t window_behind(const struct accd_cuda *cuda, uint64_t dev)
{
    return ACCD_FIRST_ABOVE(cuda->windows, high, cuda->nwindows, dev);
}

int accd_cuda_owns(void *device, uint64_t dev)
{
    const struct accd_cuda *cuda = device;
    size_t i = window_behind(cuda, dev);
    return i < cuda->nwindows && dev >= cuda->windows[i].low;
}

int accd_cuda_before(void *device, uint64_t dev)
{
    const struct accd_cuda *cuda = device;
    size_t i = window_behind(cuda, dev);
    return i < cuda->nwindows && cuda->windows[i].low - dev <= FRONT;
}

/* There is room for one more. Addresses stay the device's when they are freed. */
static void add_window(struct accd_cuda *cuda, uint64_t dev, uint64_t bytes)
{
    uint64_t step = cuda->pool ? POOL_WINDOW : WINDOW;
    uint64_t low = dev / step * step, high = (dev + bytes + step - 1) / step * step;
    struct accd_cuda_window *windows = cuda->windows;
    size_t i = low ? window_behind(cuda, low - 1) : 0, met = i;
    for (; met < cuda->nwindows && windows[met].low <= high; met++) {
        low = windows[met].low < low ? windows[met].low : low;
        high = windows[met].high > high ? windows[met].high : high;
    }
    memmove(windows + i + 1, windows + met, (cuda->nwindows - met) * sizeof windows[0]);
    windows[i] = (struct accd_cuda_window){low, high};
    cuda->nwindows = cuda->nwindows - (met - i) + 1;
}

/* ------------------------------------------------------------------------------- allocation -- */

static uint64_t bits_bytes(uint64_t bytes) { return accd_written_words(bytes) * sizeof(uint64_t); }

static uint64_t *new_bits(struct accd_cuda *cuda, uint64_t bytes)
{
    uint64_t room = bits_bytes(bytes);
    if (room < MAPPED_BITS)
        return accd_mem_zero(cuda->mem, room);
    void *bits = mmap(NULL, room, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return bits == MAP_FAILED ? NULL : bits;
}

static void free_memory(struct accd_cuda *cuda, struct accd_cuda_memory *memory)
{
    uint64_t room = bits_bytes(memory->bytes);
    if (room < MAPPED_BITS)
        accd_mem_free(cuda->mem, memory->other_bits, room);
    else
        munmap(memory->other_bits, room);
    accd_pool_give(&cuda->memory_pool, memory);
}

accd_status accd_cuda_alloc(void *device, uint64_t bytes, uint64_t *dev_p)
{
    struct accd_cuda *cuda = device;
    cu_address at = 0;
    if (!cuda->lost)
        cuda->why[0] = 0;
    if (cuda->fail_allocation && --cuda->fail_allocation == 0)
        return ACCD_OUT_OF_DEVICE_MEMORY;
    if (cuda->capacity && bytes > cuda->capacity - cuda->live)
        return ACCD_OUT_OF_DEVICE_MEMORY;
    if (!accd_pool_reserve(&cuda->memory_pool, 1) || !accd_range_reserve(&cuda->memories, 1) ||
        !ACCD_GROW(cuda->mem, cuda->windows, cuda->windows_room, cuda->nwindows + 1))
        return ACCD_OUT_OF_MEMORY;
    bool ok = accd_cuda_enter(cuda) && accd_cuda_get(cuda, &cuda->main, bytes, &at) &&
              (!cuda->own_kernels || accd_cuda_wait(cuda, &cuda->main)); /* theirs are in any stream */
    accd_status status = ok ? ACCD_OK : accd_cuda_status(cuda);
    uint64_t *bits = ok ? new_bits(cuda, bytes) : NULL;
    if (ok && !bits) {
        accd_cuda_put(cuda, &cuda->main, at);
        status = ACCD_OUT_OF_MEMORY;
    }
    accd_cuda_leave(cuda);
    if (status != ACCD_OK)
        return status;
    struct accd_cuda_memory *memory = accd_pool_take(&cuda->memory_pool);
    *memory = (struct accd_cuda_memory){
        .dev = at, .bytes = bytes, .full_end = cuda->own_kernels ? bytes : 0, .other_bits = bits};
    accd_range_insert(&cuda->memories, at, memory);
    add_window(cuda, at, bytes);
    cuda->live += bytes;
    cuda->allocations++;
    *dev_p = at;
    return ACCD_OK;
}

struct accd_cuda_memory *accd_cuda_memory_at(struct accd_cuda *cuda, uint64_t dev)
{
    struct accd_cuda_memory *memory = accd_range_floor(&cuda->memories, dev);
    return memory && dev - memory->dev < memory->bytes ? memory : NULL;
}

/* Whatever the driver says to it, the memory is not ours any more. */
accd_status accd_cuda_free(void *device, uint64_t dev)
{
    struct accd_cuda *cuda = device;
    struct accd_cuda_memory *memory = accd_cuda_memory_at(cuda, dev);
    if (!memory || memory->dev != dev)
        return ACCD_MISUSE;
    accd_range_erase(&cuda->memories, dev);
    cuda->live -= memory->bytes;
    free_memory(cuda, memory);
    if (accd_cuda_enter(cuda))
        accd_cuda_put(cuda, &cuda->main, dev);
    accd_cuda_leave(cuda);
    return ACCD_OK;
}

int accd_cuda_allocated(void *device, uint64_t dev, uint64_t bytes)
{
    const struct accd_cuda_memory *memory = accd_cuda_memory_at(device, dev);
    return memory && bytes <= memory->bytes - (dev - memory->dev);
}

uint64_t accd_cuda_size_of(void *device, uint64_t dev)
{
    const struct accd_cuda_memory *memory = accd_cuda_memory_at(device, dev);
    return memory && memory->dev == dev ? memory->bytes : 0;
}

/* Allocations that are still there go with the pool, or one by one. */
void accd_cuda_memory_close(struct accd_cuda *cuda)
{
    ACCD_EACH(struct accd_cuda_memory, memory, &cuda->memories, 0) {
        accd_cuda_put(cuda, &cuda->main, memory->dev);
        free_memory(cuda, memory);
    }
    accd_range_close(&cuda->memories);
    accd_pool_close(&cuda->memory_pool);
    accd_mem_free(cuda->mem, cuda->windows, cuda->windows_room * sizeof cuda->windows[0]);
}

/* ------------------------------------------------------------------------------ its content -- */

uint64_t *accd_cuda_bits(struct accd_cuda_memory *memory)
{
    accd_written_set(memory->other_bits, memory->full, memory->full_end - memory->full, true);
    memory->full = memory->full_end = 0;
    return memory->other_bits;
}

/* The bits of what a large construct copies take longer to set than its bytes to cross, and few ask for them:
 * the largest range is remembered by its ends. */
void accd_cuda_mark(struct accd_cuda_memory *memory, uint64_t dev, uint64_t bytes)
{
    const uint64_t at = dev - memory->dev, end = at + bytes;
    memory->used = true;
    if (at <= memory->full_end && memory->full <= end && memory->full < memory->full_end) {
        memory->full = at < memory->full ? at : memory->full;
        memory->full_end = end > memory->full_end ? end : memory->full_end;
    } else if (bytes > memory->full_end - memory->full) {
        (void)accd_cuda_bits(memory);
        memory->full = at;
        memory->full_end = end;
    } else {
        accd_written_set(memory->other_bits, at, bytes, true);
    }
}

static bool is_full(const struct accd_cuda_memory *memory, uint64_t dev, uint64_t bytes)
{
    return dev - memory->dev >= memory->full && dev - memory->dev + bytes <= memory->full_end;
}

void accd_cuda_poison(struct accd_cuda_memory *memory, uint64_t dev, uint64_t bytes, char *content)
{
    if (!is_full(memory, dev, bytes))
        accd_written_poison(accd_cuda_bits(memory), dev - memory->dev, bytes, content);
}

uint64_t accd_cuda_written(void *device, uint64_t dev, uint64_t bytes)
{
    struct accd_cuda_memory *memory = accd_cuda_memory_at(device, dev);
    if (!memory || is_full(memory, dev, bytes))
        return memory ? bytes : 0;
    return accd_written_count(accd_cuda_bits(memory), dev - memory->dev, bytes);
}

void accd_cuda_forget(void *device, uint64_t dev, uint64_t bytes)
{
    struct accd_cuda *cuda = device;
    struct accd_cuda_memory *memory = accd_cuda_memory_at(cuda, dev);
    if (memory && !cuda->own_kernels)
        accd_written_set(accd_cuda_bits(memory), dev - memory->dev, bytes, false);
}

static accd_status move_now(struct accd_cuda *cuda, uint64_t dev, void *to, const void *from,
                            uint64_t bytes)
{
    if (!cuda->lost)
        cuda->why[0] = 0;
    bool ok = accd_cuda_enter(cuda);
    if (ok && to)
        ok = ACCD_CUDA(cuda, cuMemcpyDtoHAsync_v2, to, dev, bytes, cuda->main.at);
    else if (ok)
        ok = ACCD_CUDA(cuda, cuMemcpyHtoDAsync_v2, dev, from, bytes, cuda->main.at);
    ok = ok && accd_cuda_wait(cuda, &cuda->main);
    accd_cuda_leave(cuda);
    return ok ? ACCD_OK : accd_cuda_status(cuda);
}

accd_status accd_cuda_read(void *device, uint64_t dev, void *to, uint64_t bytes)
{
    struct accd_cuda_memory *memory = accd_cuda_memory_at(device, dev);
    if (!memory || !bytes)
        return memory ? ACCD_OK : ACCD_DEVICE_ERROR;
    accd_status status = move_now(device, dev, to, NULL, bytes);
    if (status == ACCD_OK)
        accd_cuda_poison(memory, dev, bytes, to);
    return status;
}

accd_status accd_cuda_write(void *device, uint64_t dev, const void *from, uint64_t bytes)
{
    struct accd_cuda_memory *memory = accd_cuda_memory_at(device, dev);
    if (!memory || !bytes)
        return memory ? ACCD_OK : ACCD_DEVICE_ERROR;
    accd_status status = move_now(device, dev, NULL, from, bytes);
    if (status == ACCD_OK)
        accd_cuda_mark(memory, dev, bytes);
    return status;
}

accd_status accd_cuda_save(void *device, uint64_t dev, uint64_t bytes, uint8_t *to)
{
    struct accd_cuda_memory *memory = accd_cuda_memory_at(device, dev);
    accd_written_save(accd_cuda_bits(memory), dev - memory->dev, bytes, to + bytes);
    return move_now(device, dev, to, NULL, bytes);
}

/* A kernel that cannot be undone leaves a device whose content is unknown. */
void accd_cuda_restore(void *device, uint64_t dev, uint64_t bytes, const uint8_t *from)
{
    struct accd_cuda *cuda = device;
    struct accd_cuda_memory *memory = accd_cuda_memory_at(device, dev);
    accd_written_restore(accd_cuda_bits(memory), dev - memory->dev, bytes, from + bytes);
    (void)accd_cuda_must(cuda, move_now(device, dev, NULL, from, bytes) == ACCD_OK);
}
