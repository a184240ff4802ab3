/* Sections of a pointer that is declare target: they attach it, whoever uses it. And pointers to functions, which keep
 * their values in regions. */
#include <stdio.h>
#include <stdlib.h>

#pragma omp declare target
int *values;
int __attribute__((noinline)) take(int i) { return values[i]++; }
#pragma omp end declare target

static int twice(int i) { return 2 * i; }

static void apply(int *a, int n, int (*function)(int))
{
#pragma omp target map(tofrom : a[0 : n])
    for (int i = 0; i < n; i++)
        a[i] = function(a[i]);
}

int main(void)
{
    int seen = -1;
    values = calloc(6, sizeof *values);
    values[4] = 3;
#pragma omp target enter data map(to : values[ : 6])
#pragma omp target map(from : seen)
    seen = take(4);
    printf("region %d\n", seen);
#pragma omp target map(tofrom : values[ : 6]) map(from : seen)
    seen = take(4);
#pragma omp target exit data map(from : values[ : 6])
    printf("mapped twice %d, %d\n", seen, values[4]);
#pragma omp target data map(tofrom : values[ : 6])
    {
#pragma omp target map(from : seen)
        seen = take(4);
    }
    printf("data %d, %d\n", seen, values[4]);
    for (int k = 0; k < 2; k++) {
#pragma omp target map(tofrom : values[2 : 4]) map(from : seen)
        seen = take(4);
    }
    printf("later %d, %d\n", seen, values[4]);
    free(values);
    values = calloc(4, sizeof *values);
#pragma omp target map(tofrom : values[ : 4]) map(from : seen)
    seen = take(3);
    printf("another array %d, %d\n", seen, values[3]);
#pragma omp target map(tofrom : values[ : 4])
    values[2] = take(3);
    printf("named by the region, too %d, %d\n", values[2], values[3]);
    apply(values, 4, twice);
    printf("function %d, %d\n", values[2], values[3]);
    free(values);
    return 0;
}
