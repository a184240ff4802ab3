/* blocks.c - a list of malloc blocks: those that a kernel has allocated, which kernels may use, and large
 * ones of the host, which no kernel may use. Small blocks of the host are not listed: they lie in the heap,
 * whose range is known. */
#include "access.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <malloc.h>

/* Of the GNU C library: its own functions, by other names. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t each);
void *__libc_realloc(void *at, size_t n);
void *__libc_memalign(size_t alignment, size_t n);
void __libc_free(void *at);

struct block {
    uintptr_t start;
    size_t bytes;
    bool of_kernel;
};
static struct block *blocks;
static size_t nblocks, room;
static bool locked;
static size_t of_kernels; /* blocks that are a kernel's */

/* A block that the C library maps by itself begins behind its head, at the start of a page. */
static bool is_mapping(const void *at)
{
    enum { PAGE = 4096, HEAD = 16 };
    return (uintptr_t)at % PAGE == HEAD;
}

/* Without memory less is known. */
static void note(void *at, size_t n)
{
    enum { LARGE = 128 << 10 };
    const bool of_kernel = inside_here.runs;
    goacc_asked_note((uintptr_t)at, n);
    if (!at || (!of_kernel && (n < LARGE || !is_mapping(at))))
        return;
    goacc_hold(&locked);
    if (nblocks == room) {
        struct block *grown = __libc_realloc(blocks, (2 * room + 64) * sizeof *grown);
        if (!grown) {
            goacc_release(&locked);
            return;
        }
        blocks = grown;
        room = 2 * room + 64;
    }
    blocks[nblocks++] = (struct block){(uintptr_t)at, n, of_kernel};
    of_kernels += of_kernel;
    goacc_release(&locked);
}

static void forget(void *at)
{
    goacc_asked_forget((uintptr_t)at);
    if (!at || (!__atomic_load_n(&of_kernels, __ATOMIC_RELAXED) && !is_mapping(at)))
        return;
    goacc_hold(&locked);
    for (size_t i = nblocks; i-- > 0;)
        if (blocks[i].start == (uintptr_t)at) {
            of_kernels -= blocks[i].of_kernel;
            blocks[i] = blocks[--nblocks];
            break;
        }
    goacc_release(&locked);
}

/* Another allocator may have taken the place of __libc_malloc, too. Then it knows the sizes of its blocks: returns its
 * function. NULL: blocks are the C library's. */
static size_t (*other_usable_size(void))(void *at)
{
    static size_t (*found)(void *at);
    static bool known;
    Dl_info malloc_is, library;
    if (known)
        return found;
    if (dladdr((void *)(uintptr_t)__libc_malloc, &malloc_is) && dladdr((void *)(uintptr_t)gnu_get_libc_version, &library) &&
        malloc_is.dli_fbase != library.dli_fbase)
        *(void **)&found = dlsym(RTLD_NEXT, "malloc_usable_size");
    known = true;
    return found;
}

/* The C library's has no other name, and that of a preloaded allocator does not know the blocks of the C library: the word
 * in front of a block has its size, and two bits that are of interest here. */
API size_t malloc_usable_size(void *at);
size_t malloc_usable_size(void *at)
{
    enum { IS_MAPPED = 2, BITS = 7 };
    size_t (*const other)(void *at) = other_usable_size();
    if (!at)
        return 0;
    if (other)
        return other(at);
    const size_t word = ((const size_t *)at)[-1];
    return (word & ~(size_t)BITS) - (word & IS_MAPPED ? 2 : 1) * sizeof word;
}

/* Before a block is freed; the caller is the program. */
static void tell(void *at, uintptr_t pc, const uintptr_t *frame)
{
    const uintptr_t start = (uintptr_t)at;
    if (!at || !checked_here.leaves)
        return;
    const size_t n = malloc_usable_size(at);
    for (uintptr_t leaf = start / GOACC_LEAF; leaf <= (start + n - 1) / GOACC_LEAF; leaf++)
        if (checked_here.leaves[leaf % GOACC_LEAVES]) {
            checked_here.freed(start, n, pc, frame);
            return;
        }
}

API enum goacc_owner goacc_check_block(uintptr_t at, uintptr_t *start_p, size_t *bytes_p)
{
    enum goacc_owner owner = GOACC_UNKNOWN;
    goacc_hold(&locked);
    for (size_t i = nblocks; i-- > 0 && !owner;)
        if (at - blocks[i].start < blocks[i].bytes) {
            owner = blocks[i].of_kernel ? GOACC_OF_KERNEL : GOACC_OF_HOST;
            *start_p = blocks[i].start;
            *bytes_p = blocks[i].bytes;
        }
    goacc_release(&locked);
    return owner;
}

API void *malloc(size_t n);
void *malloc(size_t n)
{
    void *at = __libc_malloc(n);
    note(at, n);
    return at;
}

API void *calloc(size_t n, size_t each);
void *calloc(size_t n, size_t each)
{
    void *at = __libc_calloc(n, each);
    note(at, n * each);
    return at;
}

API void *realloc(void *at, size_t n);
void *realloc(void *at, size_t n)
{
    tell(at, (uintptr_t)__builtin_return_address(0), FRAME);
    forget(at);
    void *grown = __libc_realloc(at, n);
    note(grown, n);
    return grown;
}

API void free(void *at);
void free(void *at)
{
    tell(at, (uintptr_t)__builtin_return_address(0), FRAME);
    forget(at);
    __libc_free(at);
}

/* libgomp's own memory for reductions of tasks, too. */
API void *memalign(size_t alignment, size_t n);
void *memalign(size_t alignment, size_t n)
{
    void *at = __libc_memalign(alignment, n);
    note(at, n);
    return at;
}

API void *aligned_alloc(size_t alignment, size_t n);
void *aligned_alloc(size_t alignment, size_t n)
{
    return memalign(alignment, n);
}

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
