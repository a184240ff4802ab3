/* A program without a defect. */
#include <stdio.h>

enum { N = 16 };

int main(void)
{
    double u[N];
    for (int i = 0; i < N; i++)
        u[i] = i;
#pragma acc parallel loop copy(u)
    for (int i = 0; i < N; i++)
        u[i] *= 2;
    printf("%g\n", u[N - 1]);
    return 0;
}
