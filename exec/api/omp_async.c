/* omp_async.c - OpenMP's asynchronous routines (omp_target_memcpy_async etc.). Each is executed at once, after the
 * tasks that its depend objects name, and counts as a task of its own in the race check. */
#include "rt/lifecycle.h"
#include "order_tasks.h"
#include "target.h"
#include "tasks.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>

/* Declarations as in omp.h. */
int omp_target_memcpy_async(void *to, const void *from, size_t bytes, size_t to_offset, size_t from_offset,
                            int to_device, int from_device, int ndepend, void **depend);
int omp_target_memcpy_rect_async(void *to, const void *from, size_t element, int rank, const size_t *volume,
                                 const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
                                 const size_t *from_dimensions, int to_device, int from_device, int ndepend,
                                 void **depend);
void *omp_target_memset_async(void *pointer, int value, size_t bytes, int device, int ndepend, void **depend);

/* Returns n depend objects of libgomp (two pointers each) as the list that GOMP_taskwait_depend takes; the caller must
 * free it. NULL if n is 0, or without memory. */
static void **new_depend_list(int n, void **objects)
{
    enum { HEAD = 5 };
    void **list = n > 0 ? calloc(HEAD + (size_t)n, sizeof *list) : NULL;
    if (!list)
        return NULL;
    list[1] = (void *)(uintptr_t)n;
    for (int i = 0; i < n; i++)
        list[HEAD + i] = objects + 2 * (size_t)i;
    return list;
}

/* Asynchronous routine, which counts as a task. While it runs, the thread has the epoch of the task (its position in
 * the order of work); `before` is the epoch that the thread had before. */
struct routine {
    struct rt_thread *self;
    struct rt_epoch before;
};

/* Waits for the tasks that the `ndepend` depend objects name, and begins the routine's own task, which end_task must
 * end. libomp's depend objects cannot be read: with libomp, a routine with depend objects waits for all tasks, and
 * keeps the thread's epoch. */
static struct routine begin_task(const struct rt_site *site, int ndepend, void **depend)
{
    const bool libomp = dlsym(RTLD_NEXT, "__kmpc_fork_call");
    void **list = libomp ? NULL : new_depend_list(ndepend, depend);
    if (ndepend)
        rt_run_deferred_tasks(list);
    if (list) {
        RT_NEXT(GOMP_taskwait_depend)(list);
    } else if (ndepend) {
        RT_NEXT(GOMP_taskwait)(); /* libomp has this function, too */
        rt_after_taskwait(site, NULL);
    }
    struct rt_thread *self = rt_ensure_started();
    const struct routine routine = {self, self->epoch};
    if (list || !ndepend)
        self->epoch = rt_begin_nowait_task(site, list);
    free(list);
    return routine;
}

/* Ends the routine's task: the thread has its own epoch again. */
static void end_task(const struct routine *routine)
{
    assert(routine->self);
    routine->self->epoch = routine->before;
}

/* Copies bytes between devices at once, as a task; returns 0, or EINVAL for invalid arguments. */
int omp_target_memcpy_async(void *to, const void *from, size_t bytes, size_t to_offset, size_t from_offset,
                            int to_device, int from_device, int ndepend, void **depend)
{
    const struct rt_site site = rt_caller_site(__func__);
    const struct routine routine = begin_task(&site, ndepend, depend);
    const int error = rt_target_copy(&site, to, from, bytes, to_offset, from_offset, to_device, from_device);
    end_task(&routine);
    return error;
}

/* Copies a part of an array between devices at once, as a task. Returns 0, EINVAL for invalid arguments, or the largest
 * number of dimensions if `to` and `from` are NULL. */
int omp_target_memcpy_rect_async(void *to, const void *from, size_t element, int rank, const size_t *volume,
                                 const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
                                 const size_t *from_dimensions, int to_device, int from_device, int ndepend,
                                 void **depend)
{
    const struct rt_site site = rt_caller_site(__func__);
    const struct routine routine = begin_task(&site, ndepend, depend);
    const int error = rt_target_copy_rows(&site, to, from, element, rank, volume, to_offsets, from_offsets,
                                          to_dimensions, from_dimensions, to_device, from_device);
    end_task(&routine);
    return error;
}

/* Sets `bytes` bytes at `pointer`, in memory of `device`, at once, as a task; returns `pointer`. */
void *omp_target_memset_async(void *pointer, int value, size_t bytes, int device, int ndepend, void **depend)
{
    const struct rt_site site = rt_caller_site(__func__);
    const struct routine routine = begin_task(&site, ndepend, depend);
    void *const same = rt_target_memset(&site, pointer, value, bytes, device);
    end_task(&routine);
    return same;
}
