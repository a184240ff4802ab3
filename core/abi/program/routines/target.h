/* target.h - what OpenMP's directives and routines share: functions of the compiler's own runtime, and the
 * device of a call. */
#ifndef GOACC_TARGET_H
#define GOACC_TARGET_H

#include "abi/program/base/runtime.h"

/* A function of libgomp or libomp behind ours. Ends the program if there is none. */
void *goacc_behind(const char *name);

/* Functions that both have. */
struct goacc_openmp {
    int (*get_default_device)(void);
    void (*set_default_device)(int device);
    void (*set_max_active_levels)(int levels);
};
const struct goacc_openmp *goacc_openmp(void);

/* Whether the caller runs in a target region of a device: threads of its team do, too. */
bool goacc_in_target(void);

/* tasks.c, for strict runs. */
/* Whether the tasks of nowait directives run when the compiler's runtime decides; otherwise, at once. */
bool goacc_is_deferred(void);
/* A directive with nowait makes a task. */
struct goacc_turn goacc_next_task(const struct goacc_site *site, void **depend);
/* The program has waited for the tasks that depend clauses name, or for all. */
void goacc_tasks_waited(const struct goacc_site *site, void **depend);
bool goacc_has_tasks(void); /* for which the program has not waited */
/* Finds libgomp's functions, before a region whose memory is closed may need them. */
void goacc_find_tasks(void);
extern bool goacc_detaches; /* the program has tasks that an event completes: nothing may wait for tasks before */

/* The default device of threads that run a target region of device 0, above any number of a device:
 * threads of a team have the same. */
enum { GOACC_IN_TARGET = 1 << 28 };

/* omp_target_memcpy, _rect and omp_target_memset, called at a site. */
int goacc_target_copy(const struct goacc_site *site, void *to, const void *from, size_t bytes, size_t to_offset,
                      size_t from_offset, int to_device, int from_device);
int goacc_target_copy_rows(const struct goacc_site *site, void *to, const void *from, size_t element, int rank,
                           const size_t *volume, const size_t *to_offsets, const size_t *from_offsets,
                           const size_t *to_dimensions, const size_t *from_dimensions, int to_device, int from_device);
void *goacc_target_fill(const struct goacc_site *site, void *pointer, int value, size_t bytes, int device);

void *omp_target_alloc(size_t bytes, int device);
void omp_target_free(void *pointer, int device);

/* The devices of the program: none where OMP_TARGET_OFFLOAD says so. */
int goacc_target_devices(void);
/* The device of a number, -1: the host. Ends the program if there is none (OMP60-api-2). */
int goacc_target_device(int number, const struct goacc_site *site);

/* Enters a call that uses a device, which is the thread's meanwhile. */
struct goacc_target_call {
    struct goacc_thread *self;
    int before;
};
struct goacc_target_call goacc_target_enter(const struct goacc_site *site, int device);
void goacc_target_leave(const struct goacc_target_call *call);

#endif
