// missing wait: a queue adds up by atomic operations while another one copies the sums.
#include <stdio.h>

int main(void)
{
    float sums[64] = {0};
#pragma acc data copyin(sums)
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < 640; i++) {
#pragma acc atomic update
            sums[i % 64] += 1;
        }
#ifdef RIGHT
#pragma acc wait(1) async(2)
#endif
#pragma acc update self(sums) async(2) // expect: missing-wait
#pragma acc wait
    }
    printf("%g\n", sums[3]);
    return 0;
}
