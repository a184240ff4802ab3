/* Fails as wanted with a device of its own memory. */
/* { dg-skip-if "" { *-*-* } { "*" } { "-DACC_MEM_SHARED=0" } } */
#include <stdio.h>
int main(void)
{
    int a[64];
    fprintf(stderr, "here\n");
#pragma acc parallel present(a)
    a[0] = 1;
    return 0;
}
/* { dg-output "here(\n|\r\n|\r).*" } */
/* { dg-output "present clause: !acc_is_present \\\(\[0-9a-fx\]+, 256 .*\\\)(\n|\r\n|\r)$" } */
/* { dg-shouldfail "" } */
