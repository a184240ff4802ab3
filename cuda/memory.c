/* memory.c - memory of the device: allocations, which bytes of them were ever written, and which addresses are the
 * device's.
 *
 * Memory comes from a pool of the backend's own (pool.c). The device cannot tell which bytes were written, so each
 * allocation has a bitmap on the host, with a bit for each byte. Of one range of written bytes only the ends are
 * stored; accd__cuda_written_bits sets its bits when the bitmap is needed:
 *
 *     allocation   |......wwwwwwwwwwww......|
 *                   written_low  written_high       bitmap: the other bytes
 *
 * An address window is a range of addresses that the device has used. The addresses stay the device's when memory is
 * freed. */
#include "device/written.h"
#include "backend.h"

#include <sys/mman.h>

#include <assert.h>

enum {
    MAPPED_BITS =
        64
        << 10, /* bitmaps of at least so many bytes come from mmap, so that their pages are allocated only when used */
    POOL_WINDOW = 32 << 20, /* granularity of address windows with a pool, which owns whole blocks of this size */
    WINDOW = 2 << 20,       /* granularity of address windows without a pool */
    FRONT = 1 << 20 /* distance before a window within which addresses that are not the host's count as the device's */
};

/* ---------------------------------------------------------------------------------- windows -- */

/* Returns the index of the first address window that ends after `dev`. */
static size_t first_window_after(const struct accd__cuda *cuda, uint64_t dev)
{
    return ACCD_UPPER_BOUND(cuda->windows, high, cuda->nwindows, dev);
}

/* Returns 1 if the address lies in an address window of the device. */
int accd__cuda_owns(void *device, uint64_t dev)
{
    const struct accd__cuda *cuda = device;
    size_t i = first_window_after(cuda, dev);
    return i < cuda->nwindows && dev >= cuda->windows[i].low;
}

/* Returns 1 if the address is at most FRONT bytes before an address window of the device. */
int accd__cuda_is_before(void *device, uint64_t dev)
{
    const struct accd__cuda *cuda = device;
    size_t i = first_window_after(cuda, dev);
    return i < cuda->nwindows && cuda->windows[i].low - dev <= FRONT;
}

/* Adds a range of device addresses to the address windows, rounded to their granularity; joins windows that the range
 * touches. The array must have capacity for one more window. */
static void add_window(struct accd__cuda *cuda, uint64_t dev, uint64_t bytes)
{
    assert(cuda->nwindows < cuda->windows_capacity);
    uint64_t step = cuda->pool ? POOL_WINDOW : WINDOW;
    uint64_t low = dev / step * step, high = (dev + bytes + step - 1) / step * step;
    struct accd__cuda_window *windows = cuda->windows;
    size_t i = low ? first_window_after(cuda, low - 1) : 0, last = i;
    for (; last < cuda->nwindows && windows[last].low <= high; last++) {
        low = windows[last].low < low ? windows[last].low : low;
        high = windows[last].high > high ? windows[last].high : high;
    }
    memmove(windows + i + 1, windows + last, (cuda->nwindows - last) * sizeof windows[0]);
    windows[i] = (struct accd__cuda_window){low, high};
    cuda->nwindows = cuda->nwindows - (last - i) + 1;
}

/* ------------------------------------------------------------------------------- allocation -- */

/* Returns the size of a bitmap for `bytes` bytes of device memory, in bytes. */
static uint64_t bitmap_bytes(uint64_t bytes)
{
    return accd__written_words(bytes) * sizeof(uint64_t);
}

/* Returns a zeroed bitmap for `bytes` bytes of device memory; NULL: no memory. */
static uint64_t *new_bitmap(struct accd__cuda *cuda, uint64_t bytes)
{
    uint64_t bytes_needed = bitmap_bytes(bytes);
    if (bytes_needed < MAPPED_BITS)
        return accd__mem_alloc_zeroed(cuda->mem, bytes_needed);
    void *bits = mmap(NULL, bytes_needed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return bits == MAP_FAILED ? NULL : bits;
}

/* Frees the record and the bitmap of an allocation, not its device memory. */
static void free_allocation(struct accd__cuda *cuda, struct accd__cuda_memory *memory)
{
    uint64_t bytes_needed = bitmap_bytes(memory->bytes);
    if (bytes_needed < MAPPED_BITS)
        accd__mem_free(cuda->mem, memory->bitmap, bytes_needed);
    else
        munmap(memory->bitmap, bytes_needed);
    accd__pool_free(&cuda->memory_pool, memory);
}

/* Allocates `bytes` bytes of device memory, with a record, a bitmap of written bytes and an address window; sets
 * *dev_p to the address. Returns ACCD_ERROR_OUT_OF_DEVICE_MEMORY, ACCD_ERROR_OUT_OF_MEMORY or ACCD_ERROR_DEVICE on
 * failure. */
accd_status accd__cuda_alloc(void *device, uint64_t host, uint64_t bytes, uint64_t *dev_p)
{
    (void)host;
    struct accd__cuda *cuda = device;
    cu_address at = 0;
    if (!cuda->is_lost)
        cuda->why[0] = 0;
    if (cuda->fail_allocation && --cuda->fail_allocation == 0)
        return ACCD_ERROR_OUT_OF_DEVICE_MEMORY;
    if (cuda->capacity && bytes > cuda->capacity - cuda->live)
        return ACCD_ERROR_OUT_OF_DEVICE_MEMORY;
    if (!accd__pool_reserve(&cuda->memory_pool, 1) || !accd__btree_reserve(&cuda->memories, 1) ||
        !ACCD_GROW(cuda->mem, cuda->windows, cuda->windows_capacity, cuda->nwindows + 1))
        return ACCD_ERROR_OUT_OF_MEMORY;
    bool ok =
        accd__cuda_push_context(cuda) && accd__cuda_pool_alloc(cuda, &cuda->main, bytes, &at) &&
        /* kernels of the program may use any stream, which does not wait for the allocation; so this call waits */
        (!cuda->own_kernels || accd__cuda_wait(cuda, &cuda->main));
    accd_status status = ok ? ACCD_OK : accd__cuda_last_status(cuda);
    uint64_t *bits = ok ? new_bitmap(cuda, bytes) : NULL;
    if (ok && !bits) {
        accd__cuda_pool_free(cuda, &cuda->main, at);
        status = ACCD_ERROR_OUT_OF_MEMORY;
    }
    accd__cuda_pop_context(cuda);
    if (status != ACCD_OK)
        return status;
    struct accd__cuda_memory *memory = accd__pool_alloc(&cuda->memory_pool);
    *memory = (struct accd__cuda_memory){
        .dev = at, .bytes = bytes, .written_high = cuda->own_kernels ? bytes : 0, .bitmap = bits};
    accd__btree_insert(&cuda->memories, at, memory);
    add_window(cuda, at, bytes);
    cuda->live += bytes;
    cuda->allocations++;
    *dev_p = at;
    return ACCD_OK;
}

/* Returns the allocation that contains a device address; NULL: none does. */
struct accd__cuda_memory *accd__cuda_memory_at(struct accd__cuda *cuda, uint64_t dev)
{
    struct accd__cuda_memory *memory = accd__btree_floor(&cuda->memories, dev);
    return memory && dev - memory->dev < memory->bytes ? memory : NULL;
}

/* Frees the allocation that begins at `dev`. Returns ACCD_ERROR_MISUSE if no allocation begins there. The memory
 * counts as freed even if the driver reports an error. */
accd_status accd__cuda_free(void *device, uint64_t dev)
{
    struct accd__cuda *cuda = device;
    struct accd__cuda_memory *memory = accd__cuda_memory_at(cuda, dev);
    if (!memory || memory->dev != dev)
        return ACCD_ERROR_MISUSE;
    accd__btree_erase(&cuda->memories, dev);
    cuda->live -= memory->bytes;
    free_allocation(cuda, memory);
    if (accd__cuda_push_context(cuda))
        accd__cuda_pool_free(cuda, &cuda->main, dev);
    accd__cuda_pop_context(cuda);
    return ACCD_OK;
}

/* Returns true if the whole range lies in one allocation. */
int accd__cuda_is_allocated(void *device, uint64_t dev, uint64_t bytes)
{
    const struct accd__cuda_memory *memory = accd__cuda_memory_at(device, dev);
    return memory && bytes <= memory->bytes - (dev - memory->dev);
}

/* Returns the size in bytes of the allocation that begins at `dev`; 0: no allocation begins there. */
uint64_t accd__cuda_allocation_size(void *device, uint64_t dev)
{
    const struct accd__cuda_memory *memory = accd__cuda_memory_at(device, dev);
    return memory && memory->dev == dev ? memory->bytes : 0;
}

/* Frees all allocations, their records and the address windows. */
void accd__cuda_memory_free(struct accd__cuda *cuda)
{
    ACCD_FOR_EACH(struct accd__cuda_memory, memory, &cuda->memories, 0)
    {
        accd__cuda_pool_free(cuda, &cuda->main, memory->dev);
        free_allocation(cuda, memory);
    }
    accd__btree_clear(&cuda->memories);
    accd__pool_free_all(&cuda->memory_pool);
    accd__mem_free(cuda->mem, cuda->windows, cuda->windows_capacity * sizeof cuda->windows[0]);
}

/* ---------------------------------------------------------------------------------- content -- */

/* Returns the bitmap of an allocation (bit i: byte i was written), after setting the bits of the range of which only
 * the ends were stored. */
uint64_t *accd__cuda_written_bits(struct accd__cuda_memory *memory)
{
    assert(memory->written_low <= memory->written_high && memory->written_high <= memory->bytes);
    accd__written_set(memory->bitmap, memory->written_low, memory->written_high - memory->written_low, true);
    memory->written_low = memory->written_high = 0;
    return memory->bitmap;
}

/* Records that a range was written: extends the written range of which only the ends are stored, replaces it if the
 * new range is larger, or sets bits. Setting the bits of a large copy takes longer than the copy, and the bits are
 * rarely used. Therefore only the ends of the largest range are stored. */
void accd__cuda_mark_written(struct accd__cuda_memory *memory, uint64_t dev, uint64_t bytes)
{
    assert(dev >= memory->dev && bytes <= memory->bytes - (dev - memory->dev));
    const uint64_t at = dev - memory->dev, end = at + bytes;
    memory->has_data = true;
    if (at <= memory->written_high && memory->written_low <= end && memory->written_low < memory->written_high) {
        memory->written_low = at < memory->written_low ? at : memory->written_low;
        memory->written_high = end > memory->written_high ? end : memory->written_high;
    } else if (bytes > memory->written_high - memory->written_low) {
        (void)accd__cuda_written_bits(memory);
        memory->written_low = at;
        memory->written_high = end;
    } else {
        accd__written_set(memory->bitmap, at, bytes, true);
    }
}

/* Returns true if the range lies in the written range of which only the ends are stored. False does not mean that
 * bytes are unwritten, because the bitmap may have them. */
static bool is_fully_written(const struct accd__cuda_memory *memory, uint64_t dev, uint64_t bytes)
{
    return dev - memory->dev >= memory->written_low && dev - memory->dev + bytes <= memory->written_high;
}

/* Overwrites with poison the bytes of `content`, a host copy of the range, that were never written on the device. */
void accd__cuda_poison(struct accd__cuda_memory *memory, uint64_t dev, uint64_t bytes, char *content)
{
    if (!is_fully_written(memory, dev, bytes))
        accd__written_poison(accd__cuda_written_bits(memory), dev - memory->dev, bytes, content);
}

/* Returns how many bytes of the range were ever written; 0 if no allocation contains `dev`. */
uint64_t accd__cuda_written(void *device, uint64_t dev, uint64_t bytes)
{
    struct accd__cuda_memory *memory = accd__cuda_memory_at(device, dev);
    if (!memory || is_fully_written(memory, dev, bytes))
        return memory ? bytes : 0;
    return accd__written_count(accd__cuda_written_bits(memory), dev - memory->dev, bytes);
}

/* Clears the written bits of a range; does nothing if kernels of the program may write memory unnoticed. */
void accd__cuda_mark_unwritten(void *device, uint64_t dev, uint64_t bytes)
{
    struct accd__cuda *cuda = device;
    struct accd__cuda_memory *memory = accd__cuda_memory_at(cuda, dev);
    if (memory && !cuda->own_kernels)
        accd__written_set(accd__cuda_written_bits(memory), dev - memory->dev, bytes, false);
}

/* Copies `bytes` bytes from device address `dev` to `to`, or from `from` to `dev`; one of `to` and `from` is NULL.
 * Waits for the copy. Returns the status of a driver call that fails. */
static accd_status copy_now(struct accd__cuda *cuda, uint64_t dev, void *to, const void *from, uint64_t bytes)
{
    assert(!to != !from);
    if (!cuda->is_lost)
        cuda->why[0] = 0;
    bool ok = accd__cuda_push_context(cuda);
    if (ok && to)
        ok = ACCD_CUDA(cuda, cuMemcpyDtoHAsync_v2, to, dev, bytes, cuda->main.at);
    else if (ok)
        ok = ACCD_CUDA(cuda, cuMemcpyHtoDAsync_v2, dev, from, bytes, cuda->main.at);
    ok = ok && accd__cuda_wait(cuda, &cuda->main);
    accd__cuda_pop_context(cuda);
    return ok ? ACCD_OK : accd__cuda_last_status(cuda);
}

/* Copies a range of device memory to `to`, with poison for bytes that were never written. Returns ACCD_ERROR_DEVICE
 * if no allocation contains `dev`, or the status of a driver call that fails. */
accd_status accd__cuda_read(void *device, uint64_t dev, void *to, uint64_t bytes)
{
    struct accd__cuda_memory *memory = accd__cuda_memory_at(device, dev);
    if (!memory || !bytes)
        return memory ? ACCD_OK : ACCD_ERROR_DEVICE;
    accd_status status = copy_now(device, dev, to, NULL, bytes);
    if (status == ACCD_OK)
        accd__cuda_poison(memory, dev, bytes, to);
    return status;
}

/* Copies `bytes` bytes to device memory, and records them as written. Returns ACCD_ERROR_DEVICE if no allocation
 * contains `dev`, or the status of a driver call that fails. */
accd_status accd__cuda_write(void *device, uint64_t dev, const void *from, uint64_t bytes)
{
    struct accd__cuda_memory *memory = accd__cuda_memory_at(device, dev);
    if (!memory || !bytes)
        return memory ? ACCD_OK : ACCD_ERROR_DEVICE;
    accd_status status = copy_now(device, dev, NULL, from, bytes);
    if (status == ACCD_OK)
        accd__cuda_mark_written(memory, dev, bytes);
    return status;
}

/* Copies a range of device memory to `to`, followed by its written bits (a bit for each byte). Fails if a driver call
 * fails. */
accd_status accd__cuda_save(void *device, uint64_t dev, uint64_t bytes, uint8_t *to)
{
    struct accd__cuda_memory *memory = accd__cuda_memory_at(device, dev);
    assert(memory);
    accd__written_save(accd__cuda_written_bits(memory), dev - memory->dev, bytes, to + bytes);
    return copy_now(device, dev, to, NULL, bytes);
}

/* Restores a range of device memory and its written bits from `from`, where accd__cuda_save has saved them. On
 * failure the device is lost, since its content is unknown. */
void accd__cuda_restore(void *device, uint64_t dev, uint64_t bytes, const uint8_t *from)
{
    struct accd__cuda *cuda = device;
    struct accd__cuda_memory *memory = accd__cuda_memory_at(device, dev);
    assert(memory);
    accd__written_restore(accd__cuda_written_bits(memory), dev - memory->dev, bytes, from + bytes);
    (void)accd__cuda_require(cuda, copy_now(device, dev, NULL, from, bytes) == ACCD_OK);
}
