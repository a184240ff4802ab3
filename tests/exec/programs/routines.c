/* Calls of routines of OpenACC: all right ones, or a wrong one, as the argument says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void copy_between(void *to, void *from, size_t bytes, int to_device, int from_device);

/* The routine of OpenACC 2.6, which the compiler's header lacks. */
static copy_between *find_d2d(void)
{
    copy_between *found;
    *(void **)&found = dlsym(RTLD_DEFAULT, "acc_memcpy_d2d");
    return found;
}

static void call_rightly(void)
{
    int a[4] = {1, 2, 3, 4}, b[4] = {0};
    acc_copyin(a, sizeof a);
    acc_set_device_num(1, acc_device_nvidia);
    acc_create(b, sizeof b);
    find_d2d()(b, a, sizeof b, 1, 0);
    acc_update_self(b, sizeof b);
    acc_delete(b, sizeof b);
    acc_set_device_num(-1, acc_device_nvidia);
    acc_memcpy_to_device(NULL, a, 0);
    acc_memcpy_from_device(b, a, 0); /* zero bytes: the side does not matter */
    acc_free(NULL);
    acc_delete(a, sizeof a);
    printf("%d %d, %d device, %d host, %d none\n", b[0], b[3], acc_get_num_devices(acc_device_nvidia),
           acc_get_num_devices(acc_device_host), acc_get_num_devices(acc_device_none));
    acc_set_device_type(acc_device_host);
    int *c = acc_malloc(sizeof b);
    acc_memcpy_to_device(c, a, sizeof a);
    printf("%d %d %d\n", c[3], acc_is_present(c, 4), acc_copyin(a, 4) == a && acc_deviceptr(a) == a);
    acc_unmap_data(a);
    acc_free(c);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int a[4] = {1, 2, 3, 4};
    if (!*way) {
        call_rightly();
        return 0;
    }
    int *d = acc_malloc(sizeof a), *e = acc_malloc(sizeof a);
    if (!strcmp(way, "unmap null"))
        acc_unmap_data(NULL);
    else if (!strcmp(way, "copy null"))
        acc_memcpy_to_device(d, NULL, sizeof a);
    else if (!strcmp(way, "copy from device as host"))
        acc_memcpy_to_device(d, e, sizeof a);
    else if (!strcmp(way, "copy to device as host"))
        acc_memcpy_from_device(e, d, sizeof a);
    else if (!strcmp(way, "copy to host as device"))
        acc_memcpy_to_device(a, a, sizeof a);
    else if (!strcmp(way, "copy too much"))
        acc_memcpy_from_device(a, d, sizeof a + 1);
    else if (!strcmp(way, "copy absent"))
        find_d2d()(a, a, sizeof a, 1, 0);
    else if (!strcmp(way, "copy to no device"))
        find_d2d()(a, a, sizeof a, 7, 0);
    else if (!strcmp(way, "free host"))
        acc_free(a);
    else if (!strcmp(way, "free inside"))
        acc_free(d + 1);
    else if (!strcmp(way, "free present"))
        acc_free(acc_copyin(a, sizeof a));
    else if (!strcmp(way, "no device"))
        acc_set_device_num(7, acc_device_nvidia);
    else if (!strcmp(way, "map null"))
        acc_copyin(NULL, 4);
    else if (!strcmp(way, "attach null"))
        acc_attach(NULL);
    else if (!strcmp(way, "data in no queue"))
        acc_copyin_async(a, sizeof a, -3);
    else if (!strcmp(way, "wait for no queue"))
        acc_wait(-7);
    else if (!strcmp(way, "test of no queue"))
        printf("%d\n", acc_async_test(-3));
    else if (!strcmp(way, "directive in no queue")) {
#pragma acc enter data copyin(a) async(-5)
    }
    puts("not reached");
}
