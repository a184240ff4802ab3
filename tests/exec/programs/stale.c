/* Data that one side has changed and the other needs, by argument: the shapes of missing and wrong updates. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16 };
struct field {
    int n;
    double *u, *old;
};

static void step(double *u, int n)
{
#pragma acc parallel loop present(u[0:n])
    for (int i = 0; i < n; i++)
        u[i] += 1;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "right";
    double u[N], sum = 0;
    struct field f = {N, malloc(N * sizeof(double)), malloc(N * sizeof(double))};
    for (int i = 0; i < N; i++)
        u[i] = f.u[i] = f.old[i] = i;
    if (!strcmp(way, "right")) { /* each change is sent, or fetched, before the other side needs the data */
#pragma acc data copy(u) copyin(f.u[0:N])
        for (int t = 0; t < 3; t++) {
            step(u, N);
#pragma acc update self(u)
            u[3] += 1;
#pragma acc update device(u[3:1])
            step(f.u, N);
#pragma acc update self(f.u[0:N])
        }
    } else if (!strcmp(way, "smallest")) {
#pragma acc data copy(u)
        {
            step(u, N);
            u[0] = u[N - 1] + 1;
        }
    } else if (!strcmp(way, "pipeline")) { /* the host changes corners of what the device iterates on */
#pragma acc data copy(u)
        for (int t = 0; t < 3; t++) {
            step(u + 1, N - 2);
            u[0] = -u[N - 1];
        }
    } else if (!strcmp(way, "boundary")) { /* the host's boundary conditions, in neither direction */
#pragma acc enter data copyin(f.old[0:N])
        for (int t = 0; t < 3; t++) {
            step(f.old, N);
            f.old[0] = f.old[1] = t;
#pragma acc update self(f.old[0:N])
        }
#pragma acc exit data delete(f.old[0:N])
    } else if (!strcmp(way, "direction")) { /* of the update */
#pragma acc data copy(u)
        {
            step(u, N);
#pragma acc update device(u)
        }
    } else if (!strcmp(way, "unsent")) {
#pragma acc data copyin(u) copy(sum)
        for (int t = 0; t < 2; t++) {
            u[5] = t;
#pragma acc parallel loop reduction(+ : sum)
            for (int i = 0; i < N; i++)
                sum += u[i];
        }
    } else if (!strcmp(way, "lost")) { /* deleted, and never copied out */
#pragma acc enter data copyin(f)
#pragma acc enter data copyin(f.u[0:N])
        step(f.u, N);
#pragma acc exit data delete(f.u[0:N])
#pragma acc exit data delete(f)
    } else if (!strcmp(way, "unwritten")) {
#pragma acc enter data create(u)
#pragma acc update self(u)
#pragma acc exit data delete(u)
    } else if (!strcmp(way, "padding")) { /* the host sets the values that a kernel sets, too */
        struct item {
            char c;
            double d;
        } v[3], one = {'a', 1};
        memset(v, 1, sizeof v);
#pragma acc data copy(v)
        {
#pragma acc parallel loop present(v)
            for (int i = 0; i < 3; i++) {
                v[i].c = 'a';
                v[i].d = 1;
            }
            memset(v, 2, sizeof v);
            for (int i = 0; i < 3; i++)
                v[i].c = one.c, v[i].d = i == 2 && argc > 2 ? 2 : one.d;
        }
        u[0] = v[2].d;
    } else if (!strcmp(way, "routines")) { /* copies by address are transfers, too */
        double *d = acc_copyin(u, sizeof u);
        step(u, N);
        acc_memcpy_from_device(u, d, sizeof u);
        u[2] = 7;
        acc_memcpy_to_device(d, u, sizeof u);
        step(u, N);
        acc_copyout(u, sizeof u);
    } else if (!strcmp(way, "freed")) { /* the host's memory is gone first */
        double *large = calloc(1 << 20, sizeof *large);
#pragma acc enter data copyin(large[0:1 << 20])
        free(large);
#pragma acc exit data delete(large[0:1 << 20])
    }
    printf("%g %g %g %g\n", u[0], u[3], f.u[0], f.old[0]);
    return 0;
}
