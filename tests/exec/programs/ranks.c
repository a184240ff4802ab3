/* Each process leaves u mapped. The one of rank 1 leaves another array, too. */
#include <stdlib.h>

int main(void)
{
    float u[4] = {1, 2, 3, 4}, other[2] = {0, 0};
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
#pragma acc enter data copyin(u)
    if (rank && *rank == '1') {
#pragma acc enter data copyin(other)
    }
    return 0;
}
