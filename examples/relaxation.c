/* relaxation.c - steps of a relaxation on the device, which maps its data anew for each kernel. */
#include <stdio.h>

enum { N = 1000, STEPS = 10 };
static float u[N], next[N], weight[N];

int main(void)
{
    u[0] = next[0] = 1000;
    for (int i = 0; i < N; i++)
        weight[i] = 0.5f;
    for (int step = 0; step < STEPS; step++) {
#pragma acc parallel loop copy(u, weight) copy(next)
        for (int i = 1; i < N - 1; i++)
            next[i] = u[i] + weight[i] * (u[i - 1] - u[i]);
#pragma acc parallel loop copyin(next) copy(u)
        for (int i = 1; i < N - 1; i++)
            u[i] = next[i];
    }
    printf("%g\n", u[1]);
}
