/* Fails as wanted and says something else. */
#include <stdio.h>
int main(void)
{
    fprintf(stderr, "one\n");
    return 1;
}
/* { dg-output "o.e-two" } */
/* { dg-shouldfail "" { openacc_nvidia_accel_selected || openacc_host_selected } } */
