/* A pointer that the host changes while it is attached, and is mapped again: gcc 12 keeps the old target. The twin maps
 * it first. */
#include <stdio.h>

struct vector {
    int n;
    float *data;
};

int main(int argc, char **argv)
{
    (void)argv;
    float first[4] = {1, 2, 3, 4}, second[4] = {5, 6, 7, 8};
    struct vector v = {4, argc > 1 ? second : first};
    float seen = 0;
#pragma omp target enter data map(to : v)
#pragma omp target enter data map(to : v.data[0 : 4])
    v.data = second;
#pragma omp target enter data map(to : v.data[0 : 4])
#pragma omp target map(from : seen)
    seen = v.data[0];
    printf("%g\n", seen);
#pragma omp target exit data map(delete : v.data[0 : 4])
#pragma omp target exit data map(delete : v)
    return 0;
}
