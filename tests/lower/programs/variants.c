// rules: tr14x - structures of variants: a member beside the union says which one there is.
#include <stdio.h>

struct variant {
    int kind, n;
    union {
        double *x;
        float *y;
        struct {
            int m;
            int *z;
        } deep;
    } u;
#pragma acc shape include(u.x[0:kind == 0 ? n : 0], u.y[0:kind == 1 ? n : 0], u.deep.z[0:kind == 2 ? u.deep.m : 0])
};

struct list {
    int n;
    struct variant *v;
#pragma acc shape include(v[0:n])
};

int main(void)
{
    double x[3] = {1, 2, 3};
    float y[2] = {4, 5};
    int z[4] = {6, 7, 8, 9};
    struct variant v[4] = {{0, 3, {x}}, {1, 2, {0}}, {2, 0, {0}}, {3, 7, {0}}};
    v[1].u.y = y;
    v[2].u.deep.m = 4;
    v[2].u.deep.z = z;
    struct list l = {4, v};
#pragma acc enter data copyin(l)
#pragma acc parallel loop present(l)
    for (int i = 0; i < l.n; i++) {
        if (l.v[i].kind == 0)
            l.v[i].u.x[2] += 1;
        else if (l.v[i].kind == 1)
            l.v[i].u.y[1] += 1;
        else if (l.v[i].kind == 2)
            l.v[i].u.deep.z[3] += 1;
    }
#pragma acc exit data copyout(l)
    printf("%g %g %d\n", x[2], y[1], z[3]);
    return 0;
}
