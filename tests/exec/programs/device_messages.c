/* Ranks pass device addresses to MPI, as libraries with support for GPUs allow. With "read" the host itself follows one. */
#include <mpi.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100000 };

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    const char *way = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *u = malloc(N * sizeof *u), *v = malloc(N * sizeof *v), *sum = calloc(4, sizeof *sum);
    for (int i = 0; i < N; i++)
        u[i] = rank;
#pragma acc enter data copyin(u[0:N], sum[0:4]) create(v[0:N])
    for (int n = 100; n <= N; n *= 1000) {
#pragma acc parallel loop present(u[0:N])
        for (int i = 0; i < n; i++)
            u[i] = rank + 1;
#pragma acc host_data use_device(u, v)
        {
            MPI_Request request;
            MPI_Irecv(v, n, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request);
            MPI_Send(u, n, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
#pragma acc update self(v[0:2])
        wrong += v[1] != 2 - rank && !strcmp(way, "right");
    }
    MPI_Allreduce(MPI_IN_PLACE, acc_deviceptr(sum), 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#pragma acc exit data delete(u[0:N], v[0:N]) copyout(sum[0:4])
#pragma acc enter data copyin(u[0:N])
    if (!strcmp(way, "read"))
        wrong += memchr(acc_deviceptr(u), 3, 8) != NULL;
#pragma acc exit data delete(u[0:N])
    printf("wrong: %d\n", wrong);
    MPI_Finalize();
    return wrong;
}
