// missing data: one of two members is not mapped.
#include <stdlib.h>
struct pair {
    int *x, *y;
};
int main(void)
{
    struct pair p = {calloc(8, sizeof(int)), calloc(8, sizeof(int))};
#ifdef RIGHT
#pragma acc data copyin(p) copyin(p.x[0:8]) copy(p.y[0:8])
#else
#pragma acc data copyin(p) copyin(p.x[0:8])
#endif
    {
#pragma acc parallel loop present(p)
        for (int i = 0; i < 8; i++)
            p.y[i] = p.x[i] + 1; // expect: host-pointer-on-device
    }
    return p.y[3] != 1;
}
