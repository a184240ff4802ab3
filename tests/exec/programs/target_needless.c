/* Updates of absent data. The argument chooses one. */
#include <stdio.h>
#include <stdlib.h>

static void send(double *v, int n)
{
#pragma omp target update to(v[0:n])
}

int main(int argc, char **argv)
{
    const char way = argc > 1 ? *argv[1] : 0;
    double *a = calloc(8, sizeof *a), *b = calloc(8, sizeof *b);
    switch (way) {
    case 'n': /* never mapped */
        for (int i = 0; i < 3; i++)
            send(a, 8);
        break;
    case 'l': { /* too late: the lost change is reported */
#pragma omp target data map(to : a[0:8])
#pragma omp target
        a[0] = 1;
#pragma omp target update from(a[0:8])
        break;
    }
    case 'o': { /* one of two */
#pragma omp target enter data map(to : a[0:8])
#pragma omp target update to(a[0:8], b[0:8])
#pragma omp target exit data map(release : a[0:8])
        break;
    }
    case 'c': /* correct: the function updates what is mapped, if anything is, and an empty section */
        send(a, 8);
        send(b, argc - 2);
#pragma omp target enter data map(to : a[0:8])
        a[1] = 2;
        send(a, 8);
#pragma omp target
        a[0] += a[1];
#pragma omp target exit data map(from : a[0:8])
        break;
    }
    printf("%g\n", a[0]);
    return 0;
}
