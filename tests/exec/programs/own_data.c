/* Threads of the host, each with data and queues of its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, N = 1000, ROUNDS = 20 };

static void *work(void *number)
{
    const long id = (long)number;
    double *a = malloc(N * sizeof *a);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++)
            a[i] = (double)(i + id);
#pragma acc data copy(a[0:N])
        {
#pragma acc parallel loop present(a[0:N])
            for (int i = 0; i < N; i++)
                a[i] *= 2;
#pragma acc update self(a[0:10])
        }
        if (a[7] != (double)(2 * (7 + id)))
            printf("wrong %g\n", a[7]);
#pragma acc parallel loop copy(a[0:N]) async(id + 1)
        for (int i = 0; i < N; i++)
            a[i] *= 2;
#pragma acc wait(id + 1)
    }
    free(a);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
