/* A program with every kind of activity that a tool can observe. With an argument, it leaves data on the device. */
#include <openacc.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    double a[100] = {0};
    (void)argv;
#pragma acc enter data copyin(a)
#pragma acc parallel loop present(a) async(1)
    for (int i = 0; i < 100; i++)
        a[i] = i;
#pragma acc wait(1)
#pragma acc update self(a[10:5])
    double *block = acc_malloc(80);
    acc_memcpy_to_device(block, a, 80);
    acc_free(block);
    if (argc == 1)
        acc_delete(a, sizeof a);
    printf("%g\n", a[12]);
    return 0;
}
