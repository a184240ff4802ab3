/* Variables of declare target directives, which kernels use by name. With an argument, host and device change them, and
 * no update follows. */
#include <stdio.h>
#include <stdlib.h>

#pragma omp declare target
static int scale = 1, unused = 1;
int table[100];
double big[1000];
int *pointer = &scale;
int (*function)(const char *) = atoi;
int get(int i)
{
    return table[i] * scale;
}
#pragma omp end declare target
int linked[10];
#pragma omp declare target link(linked)

int main(int argc, char **argv)
{
    int value = 0;
    (void)argv;
    if (argc > 1) {
        table[3] = 5;
        unused = 4;
    }
    #pragma omp target update to(scale)
    #pragma omp target teams distribute parallel for reduction(+: value)
    for (int i = 0; i < 100; i++)
        value += get(i) + (pointer && function);
    #pragma omp target map(tofrom: linked)
    linked[2] = 4;
    #pragma omp target
    big[7] = 3;
    if (argc > 1)
        printf("big %g\n", big[7]);
    #pragma omp target update from(big)
    printf("%d %d %g %d\n", value, linked[2], big[7], unused);
}
