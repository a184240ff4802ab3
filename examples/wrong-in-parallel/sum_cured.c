/* The length of a vector. */
#include <math.h>
#include <stdio.h>

int main(void)
{
    double x[1000], sum = 0;
    for (int i = 0; i < 1000; i++)
        x[i] = 0.5;
#pragma acc parallel loop copyin(x) copy(sum) reduction(+ : sum)
    for (int i = 0; i < 1000; i++)
        sum += x[i] * x[i];
    printf("%.1f\n", sqrt(sum * 10));
}
