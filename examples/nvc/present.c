#include <stdio.h>
#include <stdlib.h>

struct vector {
    int n;
    double *x;
};

static void twice(struct vector *v)
{
#ifdef NVC
#pragma acc parallel loop present(v)
#else
#pragma acc parallel loop present(v[0:1])
#endif
    for (int i = 0; i < v->n; i++)
        v->x[i] *= 2;
}

int main(void)
{
    double x[4] = {1, 2, 3, 4};
    struct vector *v = malloc(sizeof *v);
    *v = (struct vector){4, x};
#pragma acc enter data copyin(v[0:1], v->x[0:4])
    twice(v);
#pragma acc exit data copyout(v->x[0:4]) delete(v[0:1])
    printf("%g\n", x[3]);
    free(v);
    return 0;
}
