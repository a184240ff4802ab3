#include <stdio.h>

enum { N = 16 };

int main(void)
{
    double u[N] = {0};
#pragma acc enter data copyin(u)
    u[0] = 1;
    u[N - 1] = 2;
#ifdef NVC
#pragma acc update device(u[0:1], u[N - 1:1])
#else
#pragma acc update device(u[0:1])
#pragma acc update device(u[N - 1:1])
#endif
#pragma acc parallel loop present(u)
    for (int i = 0; i < N; i++)
        u[i] += 1;
#pragma acc exit data copyout(u)
    printf("%g\n", u[N - 1]);
    return 0;
}
