/* target.h - what OpenMP's directives and routines share: functions of the compiler's own runtime, and the
 * device of a call. */
#ifndef RT_TARGET_H
#define RT_TARGET_H

#include "abi/program/base/runtime.h"

/* A function of libgomp or libomp behind ours. Ends the program if there is none. */
void *rt_find_next_function(const char *name);

/* Functions that both have. */
struct rt_openmp_functions {
    int (*get_default_device)(void);
    void (*set_default_device)(int device);
    void (*set_max_active_levels)(int regions);
};
const struct rt_openmp_functions *rt_get_openmp_functions(void);

/* Whether the caller runs in a target region of a device: threads of its team do, too. */
bool rt_is_in_target(void);

/* tasks.c, for strict runs. */
/* Whether the tasks of nowait directives run when the compiler's runtime decides; otherwise, at once. */
bool rt_defers_tasks(void);
/* A directive with nowait makes a task. */
struct rt_epoch rt_begin_nowait_task(const struct rt_site *site, void **depend);
/* The program has waited for the tasks that depend clauses name, or for all. */
void rt_after_taskwait(const struct rt_site *site, void **depend);
bool rt_has_pending_tasks(void); /* for which the program has not waited */
/* Finds libgomp's functions, before a region whose memory is closed may need them. */
void rt_find_libgomp_tasks(void);
extern bool
    rt_has_detached_tasks; /* the program has tasks that an event completes: nothing may wait for tasks before */

/* The default device of threads that run a target region of device 0, above any number of a device:
 * threads of a team have the same. */
enum { RT_TARGET_DEVICE_BASE = 1 << 28 };

/* omp_target_memcpy, _rect and omp_target_memset, called at a site. */
int rt_target_copy(const struct rt_site *site, void *to, const void *from, size_t bytes, size_t to_offset,
                   size_t from_offset, int to_device, int from_device);
int rt_target_copy_rows(const struct rt_site *site, void *to, const void *from, size_t element, int rank,
                        const size_t *volume, const size_t *to_offsets, const size_t *from_offsets,
                        const size_t *to_dimensions, const size_t *from_dimensions, int to_device, int from_device);
void *rt_target_memset(const struct rt_site *site, void *pointer, int value, size_t bytes, int device);

void *omp_target_alloc(size_t bytes, int device);
void omp_target_free(void *pointer, int device);

/* The devices of the program: none where OMP_TARGET_OFFLOAD says so. */
int rt_get_target_device_count(void);
/* The device of a number, -1: the host. Ends the program if there is none (OMP60-api-2). */
int rt_resolve_target_device(int number, const struct rt_site *site);

/* Enters a call that uses a device, which is the thread's meanwhile. */
struct rt_target_call {
    struct rt_thread *self;
    int before;
};
struct rt_target_call rt_target_enter(const struct rt_site *site, int device);
void rt_target_leave(const struct rt_target_call *call);

#endif
