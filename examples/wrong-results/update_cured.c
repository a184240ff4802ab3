#include <stdio.h>

enum { N = 8 };

int main(void)
{
    double u[N] = {0};
#pragma acc data copy(u)
    {
#pragma acc parallel loop present(u)
        for (int i = 0; i < N; i++)
            u[i] = i;
#pragma acc update self(u)
        double sum = 0;
        for (int i = 0; i < N; i++)
            sum += u[i];
        printf("sum %g\n", sum);
    }
    return 0;
}
