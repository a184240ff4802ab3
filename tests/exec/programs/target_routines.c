/* Calls of routines of OpenMP: all right ones, or a wrong one, as the argument says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_DEVICE = 7, INVALID_DEVICE = -4, DEFAULT_DEVICE = -5 };

typedef void *fill(void *pointer, int value, size_t bytes, int device);

/* The routine of OpenMP 6.0, which the compiler's header lacks. */
static fill *find_memset(void)
{
    fill *found;
    *(void **)&found = dlsym(RTLD_DEFAULT, "omp_target_memset");
    return found;
}

static void call_rightly(int host)
{
    int a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {0};
    const size_t volume[] = {2, 2}, offsets[] = {0, 1}, dimensions[] = {2, 4}, outside[] = {1, 1};
    int *d = omp_target_alloc(sizeof a, DEFAULT_DEVICE), *none = omp_target_alloc(8, NO_DEVICE);
    printf("%d %d\n", d != NULL, none != NULL);
    omp_target_free(NULL, 0);
    printf("%d", omp_target_memcpy(d, a, sizeof a, 0, 0, 0, host));
    printf(" %d", omp_target_memcpy_rect(b, d, sizeof(int), 2, volume, offsets, offsets, dimensions, dimensions, host, 0));
    printf(" %d", omp_target_memcpy_rect(b, d, sizeof(int), 2, volume, outside, offsets, dimensions, dimensions, host, 0));
    printf(" %d\n", omp_target_memcpy(d, a, sizeof a, 0, 0, NO_DEVICE, host));
    printf("%d %d %d %d\n", b[1], b[2], b[5], b[6]);
    find_memset()(d, 1, sizeof(int), 0);
    omp_target_memcpy(b, d, sizeof(int), 0, 0, host, 0);
    find_memset()(b + 1, 2, sizeof(int), host);
    find_memset()(NULL, 0, 0, 0);
    printf("%x %x\n", (unsigned)b[0], (unsigned)b[1]);
    printf("%d", omp_target_associate_ptr(a, d, sizeof a, 0, 0));
    printf(" %d", omp_target_associate_ptr(a + 2, d, 8, 8, 0)); /* a part of it is associated already */
    printf(" %d", omp_target_associate_ptr(a, d, sizeof a, 8, 0));
    printf(" %d %d", omp_target_disassociate_ptr(a, 0), omp_target_disassociate_ptr(a, 0));
    printf(" %d\n", omp_target_associate_ptr(NULL, d, sizeof a, 0, 0));
    printf("%d %d", omp_target_is_present(a, host), omp_target_is_present(a, NO_DEVICE));
    void *accessible = dlsym(RTLD_DEFAULT, "omp_target_is_accessible");
    int (*is_accessible)(const void *pointer, size_t bytes, int device);
    *(void **)&is_accessible = accessible;
    printf(" %d %d", is_accessible(d, sizeof a, 0), is_accessible(d, sizeof a + 1, 0));
    omp_target_free(d, 0);
    printf(" %d\n", is_accessible(d, sizeof a, 0));
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    const int host = omp_get_initial_device();
    int a[4] = {1, 2, 3, 4};
    if (!*way) {
        call_rightly(host);
        return 0;
    }
    int *d = omp_target_alloc(sizeof a, 0);
    if (!strcmp(way, "alloc on invalid device"))
        omp_target_alloc(8, INVALID_DEVICE);
    else if (!strcmp(way, "free on no device"))
        omp_target_free(d, NO_DEVICE);
    else if (!strcmp(way, "free device memory on host"))
        omp_target_free(d, host);
    else if (!strcmp(way, "free twice")) {
        omp_target_free(d, 0);
        omp_target_free(d, 0);
    } else if (!strcmp(way, "copy device as host"))
        omp_target_memcpy(a, d, sizeof a, 0, 0, host, host);
    else if (!strcmp(way, "copy too much"))
        omp_target_memcpy(a, d, sizeof a, 0, 4, host, 0);
    else if (!strcmp(way, "fill null"))
        find_memset()(NULL, 0, 4, 0);
    else if (!strcmp(way, "fill on no device"))
        find_memset()(d, 0, 4, NO_DEVICE);
    else if (!strcmp(way, "fill device as host"))
        find_memset()(d, 0, 4, host);
    else if (!strcmp(way, "associate too much"))
        omp_target_associate_ptr(a, d, sizeof a, 4, 0);
    puts("not reached");
}
