// nothing: bytes of any value are reset on the device; one of them is what fresh device memory holds.
#include <stdio.h>

static unsigned char image[256];

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 256; i++)
        image[i] = (unsigned char)i;
#pragma acc data copyin(image) // may: lost-change
    for (int k = 0; k < 2; k++) {
#pragma acc update device(image) // may: overwritten-change
#pragma acc parallel loop present(image) reduction(+ : sum)
        for (int i = 0; i < 256; i++) {
            sum += image[i];
            image[i] = 1;
        }
    }
    printf("%d\n", sum);
}
