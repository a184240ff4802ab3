/* Ranks pass device addresses to MPI, as libraries with support for GPUs allow. With "read" the host itself follows one.
 * stale: the update of what the host has changed is left out; unset: nothing was written to what is sent; wait: the
 * wait for the kernel; past: a message is longer than its array. */
#include <mpi.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100000, FEW = 64 };
static double few[FEW];

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
    if (!strcmp(way, "stale"))
        u[5] = 7;
    for (int n = 100; n <= N; n *= 1000) {
        if (strcmp(way, "stale")) {
#pragma acc parallel loop present(u[0:N]) async
            for (int i = 0; i < n; i++)
                u[i] = rank + 1;
        }
        if (strcmp(way, "wait")) {
#pragma acc wait
        }
#pragma acc host_data use_device(u, v)
        {
            MPI_Request request;
            MPI_Irecv(v, n, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request);
            if (!strcmp(way, "unset"))
                MPI_Send(v + N / 2, n / 2, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD);
            else
                MPI_Send(u + (strcmp(way, "past") ? 0 : N - 99), n, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
#pragma acc parallel loop present(v[0:N])
        for (int i = 1; i < n; i++)
            v[i] += 1;
#pragma acc update self(v[0:2])
        wrong += v[1] != 3 - rank && !strcmp(way, "right");
    }
#pragma acc enter data copyin(few)
    for (int n = 0; n < FEW; n++) /* both sides have the values that the message replaces */
        few[n] = n + 1;
#pragma acc update device(few)
#pragma acc host_data use_device(few)
    MPI_Allreduce(MPI_IN_PLACE, few, FEW, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#pragma acc exit data copyout(few)
    wrong += few[FEW - 1] != 2 * FEW;
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
