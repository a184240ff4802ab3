/* target.h - helpers that OpenMP's directives and routines share. They resolve device numbers, select a call's device,
 * and copy memory. */
#ifndef RT_TARGET_H
#define RT_TARGET_H

#include "base/runtime.h"

/* Returns true if the calling thread runs in a target region of a device: the thread that launched the region, or one
 * of the region's team. */
bool rt_is_in_target(void);

/* Value of default-device-var in a target region on device 0; on device n, the value plus n. It is larger than any
 * device number, and the threads of a region's team inherit it. So a thread recognises that it runs a target region. */
enum { RT_TARGET_DEVICE_BASE = 1 << 28 };

/* Do the work of omp_target_memcpy, omp_target_memcpy_rect and omp_target_memset for a call at `site`; the other
 * parameters are those of the routines. The copies return 0, or EINVAL for invalid arguments; rt_target_copy_rows
 * returns the largest number of dimensions if both pointers are NULL. rt_target_memset returns `pointer`. A failed
 * copy, and memory that is not allocated, end the program. */
int rt_target_copy(const struct rt_site *site, void *to, const void *from, size_t bytes, size_t to_offset,
                   size_t from_offset, int to_device, int from_device);
int rt_target_copy_rows(const struct rt_site *site, void *to, const void *from, size_t element, int rank,
                        const size_t *volume, const size_t *to_offsets, const size_t *from_offsets,
                        const size_t *to_dimensions, const size_t *from_dimensions, int to_device, int from_device);
void *rt_target_memset(const struct rt_site *site, void *pointer, int value, size_t bytes, int device);

/* OpenMP's routines of these names, defined in omp.c; frontend/clang_registration.c calls them. */
void *omp_target_alloc(size_t bytes, int device);
void omp_target_free(void *pointer, int device);

/* Returns the number of devices for OpenMP; 0 if OMP_TARGET_OFFLOAD disables them. Starts the runtime if necessary. */
int rt_get_target_device_count(void);
/* Returns the device that `number` means in a directive; -1 for the host. Ends the program if the number belongs to no
 * device, or inside of a target region (OMP60-api-2). */
int rt_resolve_target_device(int number, const struct rt_site *site);

/* Call of a directive or routine, during which another device may be the thread's. */
struct rt_target_call {
    struct rt_thread *self;
    int before; /* device of the thread before the call */
};
/* Begins a call at `site`, which rt_target_leave must end; until then `device` is the thread's device. A negative
 * `device` keeps the thread's own device. */
struct rt_target_call rt_target_enter(const struct rt_site *site, int device);
/* Ends a call, and gives the thread its former device again. */
void rt_target_leave(const struct rt_target_call *call);

#endif
