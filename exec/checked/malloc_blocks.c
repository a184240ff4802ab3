/* malloc_blocks.c - list of malloc blocks: those that kernels have allocated, which kernels may use, and
 * large ones of host code, which no kernel may use. Small blocks of the host are not listed: they lie in the
 * heap, whose range is known. The functions of the malloc family record their blocks here and call the C
 * library. They, and munmap, tell the runtime which memory is freed. */
#include "lib/vector.h"
#include "fast_path.h"
#include "libc_heap.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* Block of the program. Listed are those that a kernel has allocated, and large ones of host code. */
struct block {
    uintptr_t start;
    size_t bytes;
    bool is_of_kernel;
};
static struct block *blocks;
static size_t nblocks, capacity;
static bool spin_lock;
static size_t nkernel_blocks; /* number of blocks that kernels have allocated */

/* Returns true if a malloc block is a mapping of its own, as large blocks are. Such a block begins 16 bytes after the
 * start of a page, where malloc's header of the block is. */
static bool is_mapping(const void *at)
{
    enum { HEAD = 16 };
    return (uintptr_t)at % PAGE == HEAD;
}

/* Records the requested size of a block. Lists the block if a kernel has allocated it, or if it is large and a mapping
 * of its own. Does nothing for the block at 0. Without memory the block is not listed. */
static void record_block(struct block block)
{
    enum { LARGE = 128 << 10 };
    rt_record_requested_size(block.start, block.bytes);
    if (!block.start || (!block.is_of_kernel && (block.bytes < LARGE || !is_mapping((void *)block.start))))
        return;
    rt_spin_lock(&spin_lock);
    if (RT_RESERVE(rt_libc_realloc, blocks, nblocks, capacity)) {
        blocks[nblocks++] = block;
        nkernel_blocks += block.is_of_kernel;
    }
    rt_spin_unlock(&spin_lock);
}

/* Records a block of n bytes that the calling thread has allocated; does nothing for NULL. */
static void add_block(void *at, size_t n)
{
    record_block((struct block){(uintptr_t)at, n, this_check_thread.in_kernel});
}

/* Removes what is recorded of a block, and returns it; its size is 0 if nothing is recorded. Does nothing for NULL. */
static struct block remove_block(void *at)
{
    struct block removed = {.start = (uintptr_t)at, .bytes = rt_forget_requested_size((uintptr_t)at)};
    if (!at || (!__atomic_load_n(&nkernel_blocks, __ATOMIC_RELAXED) && !is_mapping(at)))
        return removed;
    rt_spin_lock(&spin_lock);
    for (size_t i = nblocks; i-- > 0;)
        if (blocks[i].start == removed.start) {
            removed = blocks[i];
            nkernel_blocks -= removed.is_of_kernel;
            blocks[i] = blocks[--nblocks];
            break;
        }
    rt_spin_unlock(&spin_lock);
    return removed;
}

/* Returns the function malloc_usable_size of the next library, if another allocator has replaced
 * __libc_malloc too. Returns NULL if the blocks are those of the C library. */
static size_t (*find_other_usable_size(void))(void *at)
{
    static size_t (*function)(void *at);
    static bool is_searched;
    Dl_info malloc_is, library;
    if (is_searched)
        return function;
    if (dladdr((void *)(uintptr_t)__libc_malloc, &malloc_is) &&
        dladdr((void *)(uintptr_t)gnu_get_libc_version, &library) && malloc_is.dli_fbase != library.dli_fbase)
        *(void **)&function = dlsym(RTLD_NEXT, "malloc_usable_size");
    is_searched = true;
    return function;
}

/* Returns the usable size of a block; 0 for NULL. The C library's function has no second name, and that of a
 * preloaded allocator does not know these blocks. The word before a block has the block's size and flags. */
API size_t malloc_usable_size(void *at);
size_t malloc_usable_size(void *at)
{
    enum { IS_MAPPED = 2, BITS = 7 };
    size_t (*const other)(void *at) = find_other_usable_size();
    if (!at)
        return 0;
    if (other)
        return other(at);
    const size_t word = ((const size_t *)at)[-1];
    return (word & ~(size_t)BITS) - (word & IS_MAPPED ? 2 : 1) * sizeof word;
}

/* Informs the runtime (rt_shadow.on_free) that n bytes at `start` are freed, if the process has a shadow page for some
 * of them. pc, frame: return address and frame of the call of free or realloc. */
static void notify_free(uintptr_t start, size_t n, uintptr_t pc, const uintptr_t *frame)
{
    if (!n || !local_shadow.shadow_pages)
        return;
    for (uintptr_t shadow_page = start / RT_SHADOW_PAGE_BYTES; shadow_page <= (start + n - 1) / RT_SHADOW_PAGE_BYTES;
         shadow_page++)
        if (local_shadow.shadow_pages[shadow_page % RT_SHADOW_PAGES]) {
            local_shadow.on_free(start, n, pc, frame);
            return;
        }
}

/* Returns the owner of the listed block that contains an address, and sets *start_p and *bytes_p to the
 * block's start and size. Returns RT_OWNER_UNKNOWN if no listed block contains the address. */
API enum rt_block_owner rt_find_malloc_block(uintptr_t at, uintptr_t *start_p, size_t *bytes_p)
{
    enum rt_block_owner owner = RT_OWNER_UNKNOWN;
    rt_spin_lock(&spin_lock);
    for (size_t i = nblocks; i-- > 0 && !owner;)
        if (at - blocks[i].start < blocks[i].bytes) {
            owner = blocks[i].is_of_kernel ? RT_OWNER_KERNEL : RT_OWNER_HOST;
            *start_p = blocks[i].start;
            *bytes_p = blocks[i].bytes;
        }
    rt_spin_unlock(&spin_lock);
    return owner;
}

/* Allocates a block as the C library does, and records it. */
API void *malloc(size_t n);
void *malloc(size_t n)
{
    void *at = __libc_malloc(n);
    add_block(at, n);
    return at;
}

/* Allocates a zeroed block as the C library does, and records it. */
API void *calloc(size_t n, size_t element_size);
void *calloc(size_t n, size_t element_size)
{
    void *at = __libc_calloc(n, element_size);
    add_block(at, n * element_size);
    return at;
}

/* Resizes a block as the C library does, and records the new block. Reports the freed bytes: all of a block that was
 * moved, or the end of one that became shorter in place. A failure leaves the block and its record as they are. The
 * record is removed first, because another thread may get the old block at once. */
API void *realloc(void *at, size_t n);
void *realloc(void *at, size_t n)
{
    const uintptr_t start = (uintptr_t)at, pc = (uintptr_t)__builtin_return_address(0);
    const size_t bytes = malloc_usable_size(at);
    const struct block removed = remove_block(at);
    void *new_block = __libc_realloc(at, n);
    if (!new_block && n) {
        record_block(removed);
        return NULL;
    }
    const size_t nretained = (uintptr_t)new_block == start ? rt_min_size(malloc_usable_size(new_block), bytes) : 0;
    notify_free(start + nretained, bytes - nretained, pc, FRAME);
    add_block(new_block, n);
    return new_block;
}

/* Reports a block as freed, forgets it, and frees it. */
API void free(void *at);
void free(void *at)
{
    if (local_shadow.shadow_pages)
        notify_free((uintptr_t)at, malloc_usable_size(at), (uintptr_t)__builtin_return_address(0), FRAME);
    remove_block(at);
    __libc_free(at);
}

/* Functions of C23 that free a block whose size, or size and alignment, the caller knows. */
API void free_sized(void *at, size_t n);
void free_sized(void *at, size_t n)
{
    (void)n;
    free(at);
}
API void free_aligned_sized(void *at, size_t alignment, size_t n);
void free_aligned_sized(void *at, size_t alignment, size_t n)
{
    (void)alignment, (void)n;
    free(at);
}

/* Reports a mapping of the program as freed, and unmaps it. */
API int munmap(void *at, size_t n);
int munmap(void *at, size_t n)
{
    notify_free((uintptr_t)at, n, (uintptr_t)__builtin_return_address(0), FRAME);
    return (int)syscall(SYS_munmap, at, n);
}

/* Allocates an aligned block as the C library does, and records it. libgomp uses this function for reductions of tasks.
 */
API void *memalign(size_t alignment, size_t n);
void *memalign(size_t alignment, size_t n)
{
    void *at = __libc_memalign(alignment, n);
    add_block(at, n);
    return at;
}

/* Allocates an aligned block, and records it. */
API void *aligned_alloc(size_t alignment, size_t n);
void *aligned_alloc(size_t alignment, size_t n)
{
    return memalign(alignment, n);
}

/* Sets *at to an aligned block. Returns 0, EINVAL for a wrong alignment, or ENOMEM. */
API int posix_memalign(void **at, size_t alignment, size_t n);
int posix_memalign(void **at, size_t alignment, size_t n)
{
    if (alignment % sizeof(void *) || !alignment || alignment & (alignment - 1))
        return EINVAL;
    void *block = aligned_alloc(alignment, n);
    if (!block)
        return ENOMEM;
    *at = block;
    return 0;
}

/* Allocate a block that begins at a page; pvalloc also ends it at one. */
API void *valloc(size_t n);
void *valloc(size_t n)
{
    return memalign(PAGE, n);
}
API void *pvalloc(size_t n);
void *pvalloc(size_t n)
{
    return memalign(PAGE, n > SIZE_MAX - PAGE ? n : (n + PAGE - 1) / PAGE * PAGE);
}
