/* check.h - programs compiled for checking: what holds of each byte of mapped data, on both sides.
 * The rooms above report what they do with data; the library in core/abi/checked, what the program
 * does. */
#ifndef RT_CHECK_H
#define RT_CHECK_H

#include "abi/program/base/runtime.h"

/* Whether the program was compiled for checking. */
bool rt_is_instrumented(void);
/* With the context; before it goes, with what is left to report. */
void rt_check_init(void);
void rt_scan_modules(void); /* at the modules that are loaded */
void rt_check_finish(void);
void rt_check_free(void);

/* Something of the core was done: on_event. */
void rt_check_event(const accd_event *event);
/* Device memory got what lies at host, or NULL: what the runtime itself has written there:
 * on_write. */
void rt_check_set_initial(int device, const char *host, const char *initial, uint64_t bytes);
void rt_check_device_write(int device, uint64_t dev, const void *host, uint64_t bytes);

/* The same by routines of the program. */
void rt_check_copy(uint64_t to, uint64_t from, uint64_t bytes);
void rt_check_device_alloc(uint64_t dev, uint64_t bytes);
void rt_check_device_free(uint64_t dev);
void rt_check_map(const void *host, uint64_t bytes);
void rt_check_unmap(int device, const void *host); /* before */
/* The program gets an address of device memory: libraries may use the data. */
void rt_check_expose(uint64_t dev);
/* The program asks whether data are present, or a construct other than the end of data is about to find them so: they
 * are of use, though nothing may read them. */
void rt_check_mark_used(int device, const void *host);
void rt_check_mark_items_used(int device, const accd_item *items, size_t nitems);
static inline void rt_expose_address(const void *device)
{
    if (__builtin_expect(rt.options.instrumented, 0))
        rt_check_expose((uintptr_t)device);
}

/* The calling thread runs a kernel from the first to the second. */
void rt_check_begin_kernel(const struct rt_site *site, int device);
void rt_check_end_kernel(void);

#endif
