/* kernels_openacc.c - OpenACC kernels of the compiler on data that accdeep has mapped.
 *
 *     gcc -fopenacc ... kernels_openacc.c -laccdeep        runs on the host, with the device "direct"
 *     kernels_openacc cuda                                 if the compiler's kernels run on a GPU
 */
#include "own_kernels.h"

#include <openacc.h>

/* Takes a device address, as a library for the device does. */
static void twice(float *u, int n)
{
#pragma acc parallel loop deviceptr(u)
    for (int i = 0; i < n; i++)
        u[i] *= 2;
}

int main(int argc, char **argv)
{
    int kernels = 0, n = g.n;
    map_grid(argc > 1 ? argv[1] : "direct");

    /* deviceptr: d is the address of the device's copy of g, and d->u points to the device's array. */
    struct grid *d = accd_deviceptr(session, &g);
#pragma acc parallel loop deviceptr(d)
    for (int i = 0; i < n; i++)
        d->u[i] *= 2;
    kernels++;

    /* A device address as an argument. */
    twice(accd_deviceptr(session, g.u), n);
    kernels++;

    /* acc_map_data: the compiler's runtime also knows the array, so present and host_data accept it. */
    if (acc_get_device_type() != acc_device_host) {
        float *u = g.u;
        acc_map_data(u, accd_deviceptr(session, u), (size_t)n * sizeof *u);
#pragma acc parallel loop present(u[0:n])
        for (int i = 0; i < n; i++)
            u[i] *= 2;
#pragma acc host_data use_device(u)
        twice(u, n);
        acc_unmap_data(u);
        kernels += 2;
    }
    return unmap_grid(kernels);
}
