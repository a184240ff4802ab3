/* An MPI program: each rank doubles its part of an array. Each rank leaves its part mapped, and rank 1 also maps a
 * second array that it never unmaps.
 *
 *     mpicc -g -fopenacc -foffload=disable examples/ranks.c -o build/ranks
 *     mpirun -n 2 build/accdeep exec --strict build/ranks
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    float u[4], sum = 0, total = 0, halo[2] = {0, 0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++)
        u[i] = (float)(4 * rank + i);

#pragma acc enter data copyin(u)
    if (rank == 1) {
#pragma acc enter data copyin(halo)
    }
#pragma acc parallel loop present(u)
    for (int i = 0; i < 4; i++)
        u[i] *= 2;
#pragma acc update self(u)

    for (int i = 0; i < 4; i++)
        sum += u[i];
    MPI_Reduce(&sum, &total, 1, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %g\n", (double)total);
    MPI_Finalize();
    return 0;
}
