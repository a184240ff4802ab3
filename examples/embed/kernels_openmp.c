/* kernels_openmp.c - OpenMP kernels of the compiler on data that accdeep has mapped.
 *
 *     gcc -fopenmp ... kernels_openmp.c -laccdeep          runs on the host, with the device "direct"
 *     kernels_openmp cuda                                  if the compiler's kernels run on a GPU
 */
#include "own_kernels.h"

#include <omp.h>

int main(int argc, char **argv)
{
    int kernels = 0, n = g.n;
    map_grid(argc > 1 ? argv[1] : "direct");

    /* is_device_ptr: d is the address of the device's copy of g, and d->u points to the device's array. */
    struct grid *d = accd_deviceptr(session, &g);
#pragma omp target teams distribute parallel for is_device_ptr(d)
    for (int i = 0; i < n; i++)
        d->u[i] *= 2;
    kernels++;

    /* omp_target_associate_ptr: the compiler's runtime also knows the array, so map clauses find it. */
    int device = omp_get_default_device();
    float *u = g.u;
    size_t bytes = (size_t)n * sizeof *u;
    if (omp_get_num_devices() > 0 &&
        omp_target_associate_ptr(u, accd_deviceptr(session, u), bytes, 0, device) == 0) {
#pragma omp target teams distribute parallel for map(tofrom: u[0:n])
        for (int i = 0; i < n; i++)
            u[i] *= 2;
        omp_target_disassociate_ptr(u, device);
        kernels++;
    }
    return unmap_grid(kernels);
}
