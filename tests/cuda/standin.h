/* standin.h - what the stand-in driver tells tests, which find these by dlsym in libcuda.so.1. */
#ifndef STANDIN_H
#define STANDIN_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Images that the stand-in of NVRTC makes begin with this; the path of a library follows, in which kernels are
 * functions, and standin_run runs all threads of one. */
#define STANDIN_IMAGE "stand-in image: "
typedef void standin_kernel_fn(uint64_t argument);
typedef void standin_run_fn(standin_kernel_fn *kernel, uint64_t argument, unsigned blocks, unsigned threads);

/* A function of the stand-in, or NULL if it is not the driver that a context has loaded. */
static inline void standin_find(const char *name, void *function)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    void *found = library ? dlsym(library, name) : NULL;
    memcpy(function, &found, sizeof found);
}

/* Finds several, up to one without a name. 0: the tests cannot be run, which is said. */
struct standin_function {
    const char *name;
    void *function; /* address of the pointer to it */
};
static inline int standin_find_all(const struct standin_function *functions)
{
    for (; functions->name; functions++) {
        void *found;
        standin_find(functions->name, functions->function);
        memcpy(&found, functions->function, sizeof found);
        if (!found) {
            printf("Bail out! libcuda.so.1 is not the stand-in\n");
            return 0;
        }
    }
    return 1;
}

/* Calls of an entry point since the last standin_reset; "*": of all that do something. */
typedef uint64_t standin_count_fn(const char *name);
/* The n-th call of it from now fails with the error; n = 0: none does. */
typedef void standin_fail_fn(const char *name, uint64_t n, int error);
/* Whether that call is still to come. */
typedef int standin_pending_fn(void);
/* Forgets counts and errors, sticky ones, too. */
typedef void standin_reset_fn(void);
/* Allocations, pinned blocks, streams, events, pools, modules, retained contexts that are still there. */
typedef uint64_t standin_live_fn(void);
/* Bytes the device has; 0: as at the start. */
typedef void standin_room_fn(uint64_t bytes);

#endif
