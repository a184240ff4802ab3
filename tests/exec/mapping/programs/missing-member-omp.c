// missing data: one of two members is not mapped.
#include <stdlib.h>
struct pair {
    int *x, *y;
};
int main(void)
{
    struct pair p = {calloc(8, sizeof(int)), calloc(8, sizeof(int))};
#pragma omp target enter data map(to : p)
#pragma omp target enter data map(to : p.x[0:8])
#ifdef RIGHT
#pragma omp target enter data map(to : p.y[0:8])
#endif
#pragma omp target
    for (int i = 0; i < 8; i++)
        p.y[i] = p.x[i] + 1; // expect: host-pointer-on-device
#ifdef RIGHT
#pragma omp target exit data map(from : p.y[0:8])
#endif
#pragma omp target exit data map(release : p.x[0:8])
#pragma omp target exit data map(release : p)
    int wrong = p.y[3] != 1;
    free(p.x);
    free(p.y);
    return wrong;
}
