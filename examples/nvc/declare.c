#include <openacc.h>
#include <stdio.h>

extern double coefficient[4]; /* of a header */
#pragma acc declare create(coefficient)

double coefficient[4];
#ifdef NVC
#pragma acc declare create(coefficient)
#endif

int main(void)
{
    coefficient[1] = 2;
    double sum = 0;
#ifdef NVC
#pragma acc update device(coefficient)
#else
    acc_update_device(coefficient, sizeof coefficient);
#endif
#pragma acc parallel loop reduction(+ : sum) copy(sum)
    for (int i = 0; i < 4; i++)
        sum += coefficient[i];
    printf("%g\n", sum);
    return 0;
}
