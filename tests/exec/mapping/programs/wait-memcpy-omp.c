// missing wait: the host reads what an asynchronous copy from the device has yet to write. gcc 12 declares no such routine.
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef int copy_fn(void *, const void *, size_t, size_t, size_t, int, int, int, void **);

int main(void)
{
    enum { N = 1000 };
    copy_fn *copy_async = (copy_fn *)dlsym(RTLD_DEFAULT, "omp_target_memcpy_async");
    const int device = omp_get_default_device(), host = omp_get_initial_device();
    double *m = malloc(N * sizeof *m), *d = omp_target_alloc(N * sizeof *d, device);
    for (int i = 0; i < N; i++)
        m[i] = i;
    copy_async(d, m, N * sizeof *m, 0, 0, device, host, 0, NULL);
#pragma omp taskwait
#pragma omp target is_device_ptr(d)
    for (int i = 0; i < N; i++)
        d[i] *= 2;
    copy_async(m, d, N * sizeof *m, 0, 0, host, device, 0, NULL);
#ifdef RIGHT
#pragma omp taskwait
#endif
    printf("%g\n", m[10]); // checked: missing-wait
#pragma omp taskwait
    omp_target_free(d, device);
    free(m);
    return 0;
}
