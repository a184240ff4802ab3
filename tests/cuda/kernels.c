/* Prints the kernels as the driver gets them. */
#include "backend.h"

#include <stdio.h>

int main(void)
{
    return puts(accd__cuda_kernels) < 0;
}
