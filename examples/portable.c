/* portable.c - directives that documents and runtimes read differently (programs.md). */
#include <stdio.h>

struct vector {
    int n;
    float *data;
};

int main(void)
{
    float data[4] = {1, 2, 3, 4}, sum = 0;
    struct vector v = {4, data};

#pragma acc enter data copyin(v)
#pragma acc enter data copyin(v.data[0 : 4])
    v.n = 2;
#pragma acc update device(v)

#pragma acc parallel loop present(v) reduction(+ : sum)
    for (int i = 0; i < v.n; i++)
        sum += v.data[i];

#pragma acc exit data delete(v.data[0 : 4])
#pragma acc exit data delete(v)
#pragma acc exit data delete(data)
    printf("%g\n", sum);
    return 0;
}
