/* Threads of a parallel region, each with data of its own and tasks that it waits for. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    double sum = 0;
#pragma omp parallel num_threads(6) reduction(+ : sum)
    {
        const int n = 500;
        double *a = malloc((size_t)n * sizeof *a);
        for (int round = 0; round < 15; round++) {
            for (int i = 0; i < n; i++)
                a[i] = i;
#pragma omp target data map(tofrom : a[0:n])
            {
#pragma omp target
                for (int i = 0; i < n; i++)
                    a[i] += 1;
#pragma omp target update from(a[0:5])
            }
#pragma omp target nowait map(tofrom : a[0:n]) depend(inout : a[0])
            for (int i = 0; i < n; i++)
                a[i] += 1;
#pragma omp taskwait
            sum += a[3];
        }
        free(a);
    }
    printf("%g\n", sum);
    return 0;
}
