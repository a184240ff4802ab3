/* Passes with and without a device of its own memory; told about the device, the first is true. */
/* { dg-do run { target { ! openacc_host_selected } } } */
/* { dg-additional-sources data-1-aux.c } */
/* { dg-additional-options "-DWANTED=3 -foffload=-fno-such-option" } */
/* { dg-set-target-env-var "WANTED" "3" } */
#include <stdlib.h>
int twice(int);
int main(void)
{
    int a[2] = {1, 2};
#pragma acc data copy(a)
#pragma acc parallel loop present(a)
    for (int i = 0; i < 2; i++)
        a[i] += WANTED;
    return a[1] != 2 + atoi(getenv("WANTED")) || twice(a[0]) != 8 || ACC_MEM_SHARED;
}
/* { dg-output "" } */
