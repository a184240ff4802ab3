/* Threads with regions of their own on one device, and a process that forks. */
#include <assert.h>
#include <openacc.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 300, N = 64 };
static int shared[N];
static int offset[2] = {1, 0};
#pragma acc declare copyin(offset)

#pragma acc routine seq
static int of_device(void) { return offset[0]; }

static void *work(void *arg)
{
    int mine[N], number = *(int *)arg;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++)
            mine[i] = number;
#pragma acc data copy(mine) present(shared)
        {
#pragma acc data present(mine)
            {
#pragma acc parallel loop
                for (int i = 0; i < N; i++)
                    mine[i] += shared[i] + round + of_device();
            }
        }
        for (int i = 0; i < N; i++)
            assert(mine[i] == number + i + round + 1);
        assert(!acc_is_present(mine, sizeof mine));
    }
    return NULL;
}

/* The stack of a thread that has ended is the next one's. */
static void *declare_local(void *arg)
{
    int from = *(int *)arg, a[4] = {from, from, from, from}, sum = 0;
#pragma acc declare copyin(a)
#pragma acc serial copy(sum)
    for (int i = 0; i < 4; i++)
        sum += a[i];
    assert(sum == 4 * from);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    int number[THREADS], status;
    for (int i = 0; i < N; i++)
        shared[i] = i;
    offset[0] = 100; /* the device's is another one */
#pragma acc enter data copyin(shared)
    for (int i = 0; i < THREADS; i++) {
        number[i] = 1000 * i;
        assert(!pthread_create(&thread[i], NULL, work, &number[i]));
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert(!pthread_create(&thread[i], NULL, declare_local, &number[i]));
        pthread_join(thread[i], NULL);
    }
    pid_t child = fork();
    if (child == 0) { /* has the device as it was, for itself */
#pragma acc parallel loop present(shared)
        for (int i = 0; i < N; i++)
            shared[i] = -1;
#pragma acc update self(shared)
        _exit(shared[1] == -1 ? 7 : 8);
    }
    assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
#pragma acc exit data copyout(shared)
    assert(shared[1] == 1);
    return 0;
}
