/* target.h - what OpenMP's directives and routines share: functions of the compiler's own runtime, devices of calls,
 * tasks. */
#ifndef RT_TARGET_H
#define RT_TARGET_H

#include "abi/program/base/runtime.h"

/* Returns a function of libgomp or libomp that this library hides; ends the program if there is none. */
void *rt_find_next_function(const char *name);

/* Functions that both runtimes have. */
struct rt_openmp_functions {
    int (*get_default_device)(void);
    void (*set_default_device)(int device);
    void (*set_max_active_levels)(int regions);
};
const struct rt_openmp_functions *rt_get_openmp_functions(void);

/* True if the caller runs in a target region of a device; also true for threads of its team. */
bool rt_is_in_target(void);

/* tasks.c: tasks of libgomp, for strict runs and traces. */
/* True if tasks of nowait directives run when the compiler's runtime decides; otherwise they run at once. */
bool rt_defers_tasks(void);
/* Begins the task that a directive with nowait makes. Returns its epoch, for checked and strict runs only. */
struct rt_epoch rt_begin_nowait_task(const struct rt_site *site, void **depend);
/* Records that the program has waited for the tasks of depend clauses, or, with NULL, for all tasks. */
void rt_after_taskwait(const struct rt_site *site, void **depend);
bool rt_has_pending_tasks(void); /* the program has not waited for all of its tasks */
/* Finds libgomp's functions, before a region with protected memory may need them. */
void rt_find_libgomp_tasks(void);
/* True if the program has tasks that an event completes: then nothing may wait for tasks before. */
extern bool rt_has_detached_tasks;

/* Offset of the default device of threads that run a target region of device 0, above any device number. Threads of a
 * team inherit the value. */
enum { RT_TARGET_DEVICE_BASE = 1 << 28 };

/* Do the work of omp_target_memcpy, omp_target_memcpy_rect and omp_target_memset for a call at site. */
int rt_target_copy(const struct rt_site *site, void *to, const void *from, size_t bytes, size_t to_offset,
                   size_t from_offset, int to_device, int from_device);
int rt_target_copy_rows(const struct rt_site *site, void *to, const void *from, size_t element, int rank,
                        const size_t *volume, const size_t *to_offsets, const size_t *from_offsets,
                        const size_t *to_dimensions, const size_t *from_dimensions, int to_device, int from_device);
void *rt_target_memset(const struct rt_site *site, void *pointer, int value, size_t bytes, int device);

void *omp_target_alloc(size_t bytes, int device);
void omp_target_free(void *pointer, int device);

/* Returns the number of OpenMP's devices; 0 if OMP_TARGET_OFFLOAD disables them. */
int rt_get_target_device_count(void);
/* Returns the device of a number in a directive; -1: the host. Ends the program if there is none (OMP60-api-2). */
int rt_resolve_target_device(int number, const struct rt_site *site);

/* Call that uses a device, which is the thread's device until rt_target_leave. A negative device keeps the thread's
 * own. */
struct rt_target_call {
    struct rt_thread *self;
    /* device of the thread before */
    int before;
};
struct rt_target_call rt_target_enter(const struct rt_site *site, int device);
void rt_target_leave(const struct rt_target_call *call);

#endif
