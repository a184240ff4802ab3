/* libc_heap.h - the GNU C library's heap under its second names, since malloc_blocks.c defines malloc itself. */
#ifndef RT_LIBC_HEAP_H
#define RT_LIBC_HEAP_H

#include <stddef.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t element_size);
void *__libc_realloc(void *at, size_t n);
void *__libc_memalign(size_t alignment, size_t n);
void __libc_free(void *at);

/* Allocates, resizes or frees a block of that heap; an rt_allocator (lib/vector.h). */
static inline void *rt_libc_realloc(void *ud, void *ptr, size_t old, size_t n)
{
    (void)ud, (void)old;
    if (n)
        return __libc_realloc(ptr, n);
    __libc_free(ptr);
    return NULL;
}

#endif
