#include <stdlib.h>

struct vec {
    int n;
    float *a, *b;
};

int main(void)
{
    struct vec s = {4, malloc(4 * sizeof(float)), malloc(4 * sizeof(float))};
    double z[8] = {0};
    for (int i = 0; i < s.n; i++)
        s.a[i] = s.b[i] = (float)i;
#pragma acc enter data copyin(s)
#pragma acc enter data copyin(s.b[0:4], s.a[1:2])
#pragma acc data copy(z[2:4])
    {
#pragma acc parallel loop present(s, z[2:4])
        for (int i = 2; i < 6; i++)
            z[i] = s.b[i - 2];
#pragma acc update self(z[3:2])
    }
#pragma acc exit data delete(s.b[0:4]) copyout(s.a[1:2])
#pragma acc exit data delete(s)
    return z[5] == 3 ? 0 : 1;
}
