/* target.h - helpers that OpenMP's directives and routines share. They find functions of the compiler's own runtime
 * (libgomp or libomp), resolve device numbers, select a call's device, record tasks and copy memory. */
#ifndef RT_TARGET_H
#define RT_TARGET_H

#include "base/runtime.h"

/* Returns the function `name` of libgomp or libomp, which a function of this library hides. Ends the program if neither
 * library has the function. */
void *rt_find_next_function(const char *name);

/* Functions of the compiler's own runtime that libgomp and libomp both have: omp_get_default_device etc. */
struct rt_openmp_functions {
    int (*get_default_device)(void);
    void (*set_default_device)(int device);
    void (*set_max_active_levels)(int regions);
};
/* Returns these functions, looked up at the first call; ends the program if one is missing. */
const struct rt_openmp_functions *rt_get_openmp_functions(void);

/* Returns true if the calling thread runs in a target region of a device: the thread that launched the region, or one
 * of the region's team. */
bool rt_is_in_target(void);

/* tasks.c: tasks of libgomp, for strict runs and traces. */
/* Returns true if libgomp or libomp decides when the tasks of nowait directives run. Returns false if they run at once:
 * in strict and instrumented runs, unless the program has made a task with a detach clause. */
bool rt_defers_tasks(void);
/* Records the task of a nowait directive, called at `site`, as pending. Returns the epoch of the task (its position in
 * the order of work); an empty epoch unless the run is strict or instrumented. depend: libgomp's list of depend
 * clauses; NULL: none. */
struct rt_epoch rt_begin_nowait_task(const struct rt_site *site, void **depend);
/* Records, in the race check and the trace, that the program has waited for the tasks that `depend` names (libgomp's
 * list of depend clauses). `depend` NULL: it has waited for all tasks. Does nothing if no task is pending, or in a
 * kernel. */
void rt_after_taskwait(const struct rt_site *site, void **depend);
bool rt_has_pending_tasks(void); /* true if the program has not waited for all of its tasks */
/* Looks up libgomp's functions for tasks, once. Called before a kernel runs whose host pages are protected, because the
 * look-up would access them. */
void rt_find_libgomp_tasks(void);
/* True if the program has made a task with a detach clause, which an event of the program completes. Then tasks of
 * nowait directives are deferred, because waiting for such a task in the creating thread might never end. */
extern bool rt_has_detached_tasks;

/* Value of default-device-var in a target region on device 0; on device n, the value plus n. It is larger than any
 * device number, and the threads of a region's team inherit it. So a thread recognises that it runs a target region. */
enum { RT_TARGET_DEVICE_BASE = 1 << 28 };

/* Do the work of omp_target_memcpy, omp_target_memcpy_rect and omp_target_memset for a call at `site`; the other
 * parameters are those of the routines. The copies return 0, or EINVAL for invalid arguments; rt_target_copy_rows
 * returns the largest number of dimensions if both pointers are NULL. rt_target_memset returns `pointer`, and sets
 * nothing if an argument is invalid. A failed copy ends the program. */
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
