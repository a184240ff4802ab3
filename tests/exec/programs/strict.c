/* Right and wrong programs, by argument. */
#include <openacc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 32 };
struct vec {
    int n;
    float *a;
};
static float global[N];
static float *hidden(float *p) { return p; }

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "right";
    struct vec *s = malloc(sizeof *s);
    float *a = malloc(N * sizeof *a), *other = malloc(N * sizeof *other), local[N] = {1, 2, 3, 4};
    float *volatile p = NULL;
    s->n = N;
    s->a = a;
    for (int i = 0; i < N; i++)
        a[i] = other[i] = (float)i;
#pragma acc enter data copyin(s[0:1], a[0:N])
    if (strcmp(way, "pointer") != 0) {
#pragma acc enter data attach(s->a)
    }
    if (!strcmp(way, "update")) {
#pragma acc update device(s[0:1])
    }
    if (!strcmp(way, "stack"))
        p = hidden(local);
    else if (!strcmp(way, "global"))
        p = hidden(global);
    else if (!strcmp(way, "heap"))
        p = hidden(other);
    else if (!strcmp(way, "wild"))
        p = (void *)0x10000;
    uintptr_t where = (uintptr_t)p; /* no pointer that anybody could follow for the program */
#pragma acc parallel loop present(s[0:1]) copyin(where)
    for (int i = 0; i < N; i++)
        s->a[i] += where ? ((float *)where)[i] : 100;
    if (!strcmp(way, "device"))
        printf("%g\n", *(float *)acc_deviceptr(a));
    if (!strcmp(way, "idle")) {
#pragma acc update self(a[0:N])
#pragma acc update self(a[0:N])
#pragma acc update device(a[0:N])
    }
    if (!strcmp(way, "exit")) {
#pragma acc exit data delete(other[0:N])
    }
    if (!strcmp(way, "leak")) {
#pragma acc enter data copyin(a[0:N])
        exit(0);
    }
#pragma acc exit data detach(s->a)
#pragma acc exit data copyout(a[0:N]) delete(s[0:1])
    printf("%g %g\n", a[0], a[N - 1]);
    return 0;
}
