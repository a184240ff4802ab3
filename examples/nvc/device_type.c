#include <stdio.h>

enum { N = 16 };

int main(void)
{
    double u[N] = {0};
#ifdef NVC
#pragma acc parallel loop copy(u) device_type(nvidia) vector_length(64)
#else
#pragma acc parallel loop copy(u) vector_length(64)
#endif
    for (int i = 0; i < N; i++)
        u[i] += 1;
    printf("%g\n", u[N - 1]);
    return 0;
}
