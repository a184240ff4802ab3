// partial section: half of the array is mapped, and all of it is used.
#include <stdlib.h>
int main(void)
{
    enum { N = 40 };
    int *a = malloc(N * sizeof *a), *b = calloc(N, sizeof *b);
    for (int i = 0; i < N; i++)
        a[i] = i;
#ifdef RIGHT
#pragma omp target enter data map(to : a[0:N]) map(alloc : b[0:N])
#else
#pragma omp target enter data map(to : a[0 : N / 2]) map(alloc : b[0:N])
#endif
#pragma omp target teams distribute parallel for
    for (int i = 0; i < N; i++)
        b[i] = a[i] + 1; // expect: out-of-bounds
#pragma omp target exit data map(from : b[0:N]) map(delete : a[0:1])
    int wrong = b[N - 1] != N;
    free(a);
    free(b);
    return wrong;
}
