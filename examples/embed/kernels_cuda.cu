/* kernels_cuda.cu - a CUDA kernel on data that accdeep has mapped.
 *
 *     nvcc ... kernels_cuda.cu -laccdeep
 */
#include "own_kernels.h"

/* d is the address of the device's copy of g, and d->u points to the device's array. */
__global__ void twice(struct grid *d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < d->n)
        d->u[i] *= 2;
}

int main(void)
{
    map_grid("cuda");
    twice<<<(POINTS + 255) / 256, 256>>>((struct grid *)accd_deviceptr(session, &g));
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        return 1;
    }
    return unmap_grid(1);
}
