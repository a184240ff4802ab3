/* check.h - the checks of programs compiled for checking: states of each byte of mapped data on both sides. Higher
 * layers of the runtime call these functions for what they do with data. The library in core/abi/checked calls for
 * accesses of the program. */
#ifndef RT_CHECK_H
#define RT_CHECK_H

#include "abi/program/base/runtime.h"

/* True if the program was compiled for checking. */
bool rt_is_instrumented(void);
/* Begins the checks, when the context is made. rt_check_finish reports, and rt_check_free frees all, before the context
 * is freed. */
void rt_check_init(void);
void rt_scan_modules(void); /* finds loaded modules that were not compiled for checking */
void rt_check_finish(void);
void rt_check_free(void);

/* Handles an event of the core (on_event). */
void rt_check_event(const accd_event *event);
/* Handle declared variables that are mapped with an initial value (initial NULL: unmapped), and what the runtime itself
 * writes to device memory (on_write). */
void rt_check_set_initial(int device, const char *host, const char *initial, uint64_t bytes);
void rt_check_device_write(int device, uint64_t dev, const void *host, uint64_t bytes);

/* Handle routines of the program: copies between any two addresses, device memory, and data of acc_map_data. */
void rt_check_copy(uint64_t to, uint64_t from, uint64_t bytes);
void rt_check_device_alloc(uint64_t dev, uint64_t bytes);
void rt_check_device_free(uint64_t dev);
void rt_check_map(const void *host, uint64_t bytes);
void rt_check_unmap(int device, const void *host); /* called before the data are unmapped */
/* Records that the program gets a device address: libraries may use the data. */
void rt_check_expose(uint64_t dev);
/* Records that the program asks whether data are present, or that a construct finds them so. Such data have a use, even
 * if nothing reads them. */
void rt_check_mark_used(int device, const void *host);
void rt_check_mark_items_used(int device, const accd_item *items, size_t nitems);
static inline void rt_expose_address(const void *device)
{
    if (__builtin_expect(rt.options.instrumented, 0))
        rt_check_expose((uintptr_t)device);
}

/* Begin and end a kernel of the calling thread. */
void rt_check_begin_kernel(const struct rt_site *site, int device);
void rt_check_end_kernel(void);

#endif
