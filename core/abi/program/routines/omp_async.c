/* omp_async.c - the asynchronous routines of OpenMP: they are done at once, after the tasks that
 * they depend on. */
#include "target.h"

#define HERE ((const struct goacc_site[]){goacc_here(__func__)})

/* As omp.h declares them. */
int omp_target_memcpy(void *to, const void *from, size_t bytes, size_t to_offset,
                      size_t from_offset, int to_device, int from_device);
int omp_target_memcpy_rect(void *to, const void *from, size_t element, int rank,
                           const size_t *volume, const size_t *to_offsets,
                           const size_t *from_offsets, const size_t *to_dimensions,
                           const size_t *from_dimensions, int to_device, int from_device);
void *omp_target_memset(void *pointer, int value, size_t bytes, int device);
int omp_target_memcpy_async(void *to, const void *from, size_t bytes, size_t to_offset,
                            size_t from_offset, int to_device, int from_device, int ndepend,
                            void **depend);
int omp_target_memcpy_rect_async(void *to, const void *from, size_t element, int rank,
                                 const size_t *volume, const size_t *to_offsets,
                                 const size_t *from_offsets, const size_t *to_dimensions,
                                 const size_t *from_dimensions, int to_device, int from_device,
                                 int ndepend, void **depend);
void *omp_target_memset_async(void *pointer, int value, size_t bytes, int device, int ndepend,
                              void **depend);

/* The tasks that a copy depends on are siblings: it is done after all of them. */
static void wait_for(const struct goacc_site *site, int ndepend)
{
    static void (*taskwait)(void);
    if (!taskwait)
        *(void **)&taskwait = goacc_behind("GOMP_taskwait"); /* libomp has it, too */
    if (!ndepend)
        return;
    taskwait();
    goacc_tasks_waited(site, NULL);
}

int omp_target_memcpy_async(void *to, const void *from, size_t bytes, size_t to_offset,
                            size_t from_offset, int to_device, int from_device, int ndepend,
                            void **depend)
{
    (void)depend;
    wait_for(HERE, ndepend);
    return omp_target_memcpy(to, from, bytes, to_offset, from_offset, to_device, from_device);
}

int omp_target_memcpy_rect_async(void *to, const void *from, size_t element, int rank,
                                 const size_t *volume, const size_t *to_offsets,
                                 const size_t *from_offsets, const size_t *to_dimensions,
                                 const size_t *from_dimensions, int to_device, int from_device,
                                 int ndepend, void **depend)
{
    (void)depend;
    wait_for(HERE, ndepend);
    return omp_target_memcpy_rect(to, from, element, rank, volume, to_offsets, from_offsets,
                                  to_dimensions, from_dimensions, to_device, from_device);
}

void *omp_target_memset_async(void *pointer, int value, size_t bytes, int device, int ndepend,
                              void **depend)
{
    (void)depend;
    wait_for(HERE, ndepend);
    return omp_target_memset(pointer, value, bytes, device);
}
