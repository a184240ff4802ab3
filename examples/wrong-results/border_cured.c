#include <stdio.h>

enum { N = 8 };

int main(void)
{
    double u[N] = {4, 0, 0, 0, 0, 0, 0, 4}, next[N] = {4, 0, 0, 0, 0, 0, 0, 4};
#pragma acc data copy(u) copyin(next)
    for (int step = 0; step < 10; step++) {
#pragma acc parallel loop present(u, next)
        for (int i = 1; i < N - 1; i++)
            next[i] = 0.5 * (u[i - 1] + u[i + 1]);
#pragma acc parallel loop present(u, next)
        for (int i = 0; i < N; i++)
            u[i] = next[i];
    }
    printf("%g %g\n", u[0], u[4]);
    return 0;
}
