#include <stdio.h>

enum { N = 8 };

int main(void)
{
    double u[N] = {0};
#pragma acc data copyin(u)
    {
#pragma acc parallel loop present(u) async(1)
        for (int i = 0; i < N; i++)
            u[i] = i;
#pragma acc update self(u) async(1)
#pragma acc wait(1)
        printf("%g\n", u[N - 1]);
    }
    return 0;
}
