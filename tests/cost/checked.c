/* checked.c - loops of a program compiled for checking, as often as its second argument says, for cost.lua. */
#include <stdlib.h>
#include <string.h>

enum { N = 4096, AGAIN = 16 }; /* AGAIN: so that the construct itself does not count */

static void teams(double *p, double *q)
{
#pragma omp target enter data map(alloc : p [0:N], q [0:N])
#pragma omp target teams distribute parallel for
    for (int i = 0; i < AGAIN * N; i++)
        p[i % N] = q[i % N] + 1;
#pragma omp target exit data map(release : p [0:N], q [0:N])
}

int main(int argc, char **argv)
{
    const int rounds = argc > 2 ? atoi(argv[2]) : 0;
    const char *mode = argc > 1 ? argv[1] : "";
    double *p = malloc(N * sizeof *p), *q = malloc(N * sizeof *q), *free_p = malloc(N * sizeof *free_p);
    if (!p || !q || !free_p)
        return 1;
    for (int i = 0; i < N; i++)
        p[i] = q[i] = free_p[i] = i;
#pragma acc enter data copyin(p [0:N], q [0:N])
    for (int r = 0; r < rounds; r++) {
        if (!strcmp(mode, "kernel")) {
#pragma acc parallel loop present(p [0:N], q [0:N])
            for (int i = 0; i < N; i++)
                p[i] = q[i] + 1;
        } else if (!strcmp(mode, "queue")) {
#pragma acc parallel loop present(p [0:N], q [0:N]) async(r % 2)
            for (int i = 0; i < AGAIN * N; i++)
                p[i % N] = q[i % N] + 1;
#pragma acc wait(r % 2) async((r + 1) % 2)
        } else if (!strcmp(mode, "teams")) {
            teams(p, q);
            double *t = p;
            p = q;
            q = t;
        } else if (!strcmp(mode, "host")) {
            for (int i = 0; i < N; i++)
                free_p[i] += r;
        } else if (!strcmp(mode, "update")) {
#pragma acc parallel loop present(p [0:N], q [0:N])
            for (int i = 0; i < N; i++)
                p[i] += q[i];
#pragma acc update self(p [0:N])
            for (int i = 0; i < N; i++)
                q[i] = p[i] + r;
#pragma acc update device(q [0:N])
        }
    }
#pragma acc wait
#pragma acc exit data delete (p [0:N], q [0:N])
    return 0;
}
