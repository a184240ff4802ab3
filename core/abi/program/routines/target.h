/* target.h - helpers that OpenMP's directives and routines share: functions of the compiler's own runtime (libgomp or
 * libomp), devices of calls, tasks. */
#ifndef RT_TARGET_H
#define RT_TARGET_H

#include "abi/program/base/runtime.h"

/* Returns the function `name` of libgomp or libomp, which this library replaces; ends the program if neither has it. */
void *rt_find_next_function(const char *name);

/* Functions of the compiler's runtime that libgomp and libomp both have. */
struct rt_openmp_functions {
    int (*get_default_device)(void);
    void (*set_default_device)(int device);
    void (*set_max_active_levels)(int regions);
};
/* Returns these functions, looked up once; ends the program if one is missing. */
const struct rt_openmp_functions *rt_get_openmp_functions(void);

/* True if the caller runs in a target region of a device; also true for threads of its team. */
bool rt_is_in_target(void);

/* tasks.c: tasks of libgomp, for strict runs and traces. */
/* Returns true if the compiler's runtime decides when the tasks of nowait directives run. Returns false if they run at
 * once: in strict and checked runs, unless a task has a detach clause. */
bool rt_defers_tasks(void);
/* Begins the task of a directive with nowait. Returns the epoch of the task; an empty epoch unless the run is checked
 * or strict. depend: libgomp's list of depend clauses, or NULL. */
struct rt_epoch rt_begin_nowait_task(const struct rt_site *site, void **depend);
/* Records that the program has waited for the tasks that `depend` names (libgomp's list of depend clauses); for all
 * tasks if `depend` is NULL. */
void rt_after_taskwait(const struct rt_site *site, void **depend);
bool rt_has_pending_tasks(void); /* true if the program has not waited for all of its tasks */
/* Looks up libgomp's functions; called before a region with protected memory may need them. */
void rt_find_libgomp_tasks(void);
/* True if the program has made a task with a detach clause, which an event completes. Then tasks are not waited for
 * early. */
extern bool rt_has_detached_tasks;

/* OpenMP's default-device value of a thread that runs a target region on device 0; region devices count from here. It
 * lies above any device number, and threads of a team inherit it. */
enum { RT_TARGET_DEVICE_BASE = 1 << 28 };

/* Do the work of omp_target_memcpy, omp_target_memcpy_rect and omp_target_memset for a call at `site`. The copies
 * return 0, or EINVAL for invalid arguments; rt_target_copy_rows returns the largest number of dimensions if both
 * pointers are NULL. rt_target_memset returns `pointer`. */
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
/* Returns the device that `number` means in a directive; -1 for the host. Ends the program if no device has the number,
 * or inside of a target region (OMP60-api-2). */
int rt_resolve_target_device(int number, const struct rt_site *site);

/* Call of a routine that uses a device. */
struct rt_target_call {
    struct rt_thread *self;
    /* device of the thread before the call */
    int before;
};
/* Begins a call at `site`: `device` is the thread's device until rt_target_leave. A negative `device` keeps the
 * thread's own device. */
struct rt_target_call rt_target_enter(const struct rt_site *site, int device);
/* Ends a call: the thread has the device from before again. */
void rt_target_leave(const struct rt_target_call *call);

#endif
