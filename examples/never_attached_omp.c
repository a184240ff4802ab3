/* A pointer that OpenMP does not attach, as in examples/never_attached.c:
 *
 *     gcc -g -fopenmp -foffload=disable examples/never_attached_omp.c -o build/never_attached_omp
 *     accdeep exec --strict build/never_attached_omp
 *
 * With an argument the structure is mapped before what it points to, and the program is right. */
#include <stdio.h>

struct vector {
    int n;
    double *data;
};

int main(int argc, char **argv)
{
    double data[4] = {1, 2, 3, 4};
    struct vector v = {4, data};
    (void)argv;

    if (argc > 1) {
        #pragma omp target enter data map(to: v)
        #pragma omp target enter data map(to: v.data[0:4])
    } else {
        #pragma omp target enter data map(to: data)
        #pragma omp target enter data map(to: v)
    }

    #pragma omp target teams distribute parallel for
    for (int i = 0; i < v.n; i++)
        v.data[i] += 10;

    #pragma omp target update from(data)
    printf("%g %g\n", data[0], data[3]);
    #pragma omp target exit data map(delete: data, v)
}
