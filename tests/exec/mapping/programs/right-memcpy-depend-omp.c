// nothing: asynchronous copies and a kernel follow each other by depend objects and clauses.
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
    omp_depend_t on;
#pragma omp depobj(on) depend(inout: d[0])
    for (int i = 0; i < N; i++)
        m[i] = i;
    copy_async(d, m, N * sizeof *m, 0, 0, device, host, 1, (void **)&on);
#pragma omp target is_device_ptr(d) depend(inout: d[0]) nowait
    for (int i = 0; i < N; i++)
        d[i] *= 2;
    copy_async(m, d, N * sizeof *m, 0, 0, host, device, 1, (void **)&on);
#pragma omp taskwait
    printf("%g\n", m[10]);
    m[10] = 1;
#pragma omp depobj(on) destroy
    omp_target_free(d, device);
    free(m);
    return 0;
}
