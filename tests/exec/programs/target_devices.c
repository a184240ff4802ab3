/* Two devices that have the same data. By argument: what a transfer from the first makes old on the second. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { N = 64 };
static int u[N], sum;

static void add(int device)
{
#pragma omp target device(device) map(tofrom : u)
    for (int i = 0; i < N; i++)
        u[i] += 1;
}

static void add_all(int device)
{
#pragma omp target device(device) map(to : u) map(tofrom : sum)
    for (int i = 0; i < N; i++)
        sum += u[i];
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "right";
#pragma omp target enter data map(to : u) device(0)
#pragma omp target enter data map(to : u) device(1)
    if (strcmp(way, "equal") != 0)
        add(0);
    if (!strcmp(way, "copied")) {
        int *d;
#pragma omp target data use_device_addr(u) device(0)
        d = u;
        omp_target_memcpy(u, d, sizeof u, 0, 0, omp_get_initial_device(), 0);
    } else {
#pragma omp target update from(u) device(0)
    }
    if (!strcmp(way, "right")) {
#pragma omp target update to(u) device(1)
    }
    add_all(1);
#pragma omp target exit data map(delete : u) device(0)
#pragma omp target exit data map(delete : u) device(1)
    printf("%d\n", sum);
}
