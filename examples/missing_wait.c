/* Two queues: the update must wait for the kernel in queue 1, and does not.
 *
 *   gcc -g -fopenacc -foffload=disable missing_wait.c && accdeep exec --strict a.out
 *
 * In program order, as a host does the work, the result is right. */
#include <stdio.h>

int main(void)
{
    int u[4] = {1, 2, 3, 4};
#pragma acc data copyin(u)
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < 4; i++)
            u[i] *= 10;
#pragma acc update self(u) async(2) /* with wait(1) it is right */
#pragma acc wait
    }
    printf("%d\n", u[3]);
}
