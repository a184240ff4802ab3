/* device_clang.c - what the driver of programs asks the runtime of clang.
 *
 * begin() starts the runtime. device_of() returns the device address of a byte, or NULL if the byte is not present.
 * from_device() copies bytes from the device. driver.c calls them.
 *
 * Memory of clang's device is never freed, so that a new object never gets an address that an old pointer holds. New
 * memory is filled with 0x7f, the value of unwritten bytes. Gaps of GAP bytes keep a pointer outside an object from
 * pointing into its neighbour. */
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <errno.h>
#include <omp.h>
#include <sys/mman.h>
enum { GAP = 256, CHUNK = 1 << 24, HEAD = 16 };
static char *chunk, *chunk_end;
void *memalign(size_t to, size_t bytes);
void *memalign(size_t to, size_t bytes)
{
    to = to < HEAD ? HEAD : to;
    if (bytes > (size_t)1 << 40)
        return errno = ENOMEM, NULL;
    size_t room = bytes + to + HEAD + GAP;
    if (chunk == NULL || (size_t)(chunk_end - chunk) < room) {
        size_t all = room > CHUNK ? room : CHUNK;
        chunk = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (chunk == MAP_FAILED)
            return chunk = NULL, errno = ENOMEM, NULL;
        chunk_end = chunk + all;
    }
    char *start = (char *)(((uintptr_t)chunk + HEAD + to - 1) / to * to);
    memcpy(start - sizeof bytes, &bytes, sizeof bytes);
    chunk += room;
    return memset(start, 0x7f, bytes);
}
void *malloc(size_t bytes)
{
    return memalign(HEAD, bytes);
}
void free(void *start)
{
    (void)start;
}
void *calloc(size_t n, size_t bytes)
{
    void *p = malloc(n * bytes);
    return p ? memset(p, 0, n * bytes) : p;
}
void *realloc(void *old, size_t bytes)
{
    void *start = malloc(bytes);
    size_t before = 0;
    if (start && old) {
        memcpy(&before, (char *)old - sizeof before, sizeof before);
        memcpy(start, old, before < bytes ? before : bytes);
    }
    return start;
}
void *aligned_alloc(size_t to, size_t bytes)
{
    return memalign(to, bytes);
}
int posix_memalign(void **at, size_t to, size_t bytes)
{
    return (*at = memalign(to, bytes)) ? 0 : ENOMEM;
}

static int begun;
static void begin(void)
{
#pragma omp target enter data map(to : begun)
#pragma omp target exit data map(delete : begun)
}
extern void *omp_get_mapped_ptr(const void *, int) __attribute__((weak));
static char *device_of(void *host)
{
    int device = omp_get_default_device();
    if (!omp_target_is_present(host, device))
        return NULL;
    if (omp_get_mapped_ptr)
        return omp_get_mapped_ptr(host, device);
    char *there = host;
#pragma omp target data use_device_ptr(there)
    host = there;
    return host;
}
static void from_device(void *to, void *from, size_t bytes)
{
    omp_target_memcpy(to, from, bytes, 0, 0, omp_get_initial_device(), omp_get_default_device());
}
