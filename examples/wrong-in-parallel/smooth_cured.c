/* A grid whose points become the mean of their neighbours. */
#include <stdio.h>
#define N 64

int main(void)
{
    double u[N], next[N];
    for (int i = 0; i < N; i++)
        u[i] = i == N / 2;
#pragma omp target teams distribute parallel for map(to : u) map(from : next[1 : N - 2])
    for (int i = 1; i < N - 1; i++)
        next[i] = 0.5 * (u[i - 1] + u[i + 1]);
    printf("%g\n", next[N / 2 - 1]);
}
