// unattached pointer: the block is mapped by another pointer than the member.
#include <stdlib.h>
struct vec {
    int n;
    double *v;
};
int main(void)
{
    struct vec s = {10, calloc(10, sizeof(double))};
    double *p = s.v;
#pragma omp target enter data map(to : s)
#ifdef RIGHT
#pragma omp target enter data map(to : s.v[0:10])
#else
#pragma omp target enter data map(to : p[0:10])
#endif
#pragma omp target
    for (int i = 0; i < s.n; i++)
        s.v[i] = 1; // expect: host-pointer-on-device
#pragma omp target exit data map(from : p[0:10])
#pragma omp target exit data map(delete : s)
    return p[3] != 1;
}
