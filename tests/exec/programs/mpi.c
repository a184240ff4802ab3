/* Ranks that exchange an array while a kernel runs. With an argument, the last kernel uses the host's memory. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 100000, ROUNDS = 50 };

int main(int argc, char **argv)
{
    int rank, size, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *mine = malloc(N * sizeof *mine), *sent = malloc(N * sizeof *sent), *got = malloc(N * sizeof *got);
    for (int i = 0; i < N; i++)
        mine[i] = sent[i] = rank;
#pragma acc data copy(mine[0:N])
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request requests[2];
        MPI_Status done[2];
        MPI_Irecv(got, N, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(sent, N, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
#pragma acc parallel loop present(mine[0:N])
        for (int i = 0; i < N; i++)
            mine[i] += 1;
        MPI_Waitall(2, requests, done);
        wrong += got[0] != (rank + size - 1) % size || got[N - 1] != got[0];
    }
    wrong += mine[N - 1] != rank + ROUNDS;
    if (argc > 1) {
#pragma acc parallel loop deviceptr(got)
        for (int i = 0; i < N; i++)
            got[i] += 1;
    }
    MPI_Reduce(rank ? &wrong : MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank)
        printf("wrong: %d\n", wrong);
    MPI_Finalize();
    return wrong;
}
