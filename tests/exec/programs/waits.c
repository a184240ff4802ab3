#include <openacc.h>

int main(void)
{
    int a[4] = {1, 2, 3, 4}, b[4];
#pragma acc enter data copyin(a) create(b) async(1)
#pragma acc parallel loop present(a) async(1)
    for (int i = 0; i < 4; i++)
        a[i] *= 10;
#pragma acc parallel loop present(a, b) wait(1) async(2)
    for (int i = 0; i < 4; i++)
        b[i] = a[i] + 1;
#pragma acc update self(b) wait(2)
#pragma acc wait(1) async(2)
#pragma acc wait(1, 2)
#pragma acc wait
    acc_wait(1);
    acc_wait_async(1, 2);
    acc_wait_all();
#pragma acc exit data delete(a, b) wait
    return b[3] == 41 ? 0 : 1;
}
