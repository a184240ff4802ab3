/* Messages of an MPI program that was compiled for checking: what is sent and received counts as an access of the
 * program. The update, or the wait, that an argument names is left out. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 16 };
static double field[N][N], edge[N], sums[N];

int main(int argc, char **argv)
{
    const char *without = argc > 1 ? argv[1] : "";
    int rank, wrong = 0;
    MPI_Datatype column;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
#pragma acc data copyin(field, edge, sums)
    {
#pragma acc parallel loop present(field, sums)
        for (int i = 0; i < N; i++) {
            field[i][3] = 10 * rank + i + 1;
            sums[i] = i + 1;
        }
        if (strcmp(without, "column")) {
#pragma acc update self(field)
        }
        if (strcmp(without, "sums")) {
#pragma acc update self(sums)
        }
#pragma acc update device(edge) async
        if (strcmp(without, "wait")) {
#pragma acc wait
        }
        MPI_Irecv(edge, N, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
        /* the column beside it is the same on both sides */
        MPI_Send(&field[0][2], 1, column, 1 - rank, 2, MPI_COMM_WORLD);
        MPI_Isend(&field[0][3], 1, column, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Recv(&field[0][2], 1, column, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, sums, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (strcmp(without, "edge")) {
#pragma acc update device(edge)
        }
#pragma acc parallel loop present(edge) reduction(+ : wrong)
        for (int i = 0; i < N; i++)
            wrong += edge[i] != 10 * (1 - rank) + i + 1;
    }
    for (int i = 0; i < N; i++)
        wrong += sums[i] != 2 * (i + 1);
    if (rank == 0)
        printf("wrong: %d\n", wrong);
    MPI_Type_free(&column);
    MPI_Finalize();
}
