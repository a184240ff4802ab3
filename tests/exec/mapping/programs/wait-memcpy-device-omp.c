// missing wait: a kernel uses device memory that an asynchronous copy has yet to fill.
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef int copy_fn(void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *, const size_t *,
                    const size_t *, int, int, int, void **);

int main(void)
{
    enum { N = 100 };
    copy_fn *copy_async = (copy_fn *)dlsym(RTLD_DEFAULT, "omp_target_memcpy_rect_async");
    const int device = omp_get_default_device(), host = omp_get_initial_device();
    const size_t volume[2] = {N, N}, none[2] = {0, 0};
    double(*m)[N] = calloc(N, sizeof *m), sum = 0, *d = omp_target_alloc(N * sizeof *m, device);
    copy_async(d, m, sizeof **m, 2, volume, none, none, volume, volume, device, host, 0, NULL);
#ifdef RIGHT
#pragma omp taskwait
#endif
#pragma omp target is_device_ptr(d) map(tofrom: sum)
    for (int i = 0; i < N; i++)
        sum += d[i * N]; // checked: missing-wait
#pragma omp taskwait
    printf("%g\n", sum);
    omp_target_free(d, device);
    free(m);
    return 0;
}
