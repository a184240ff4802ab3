/* Programs that end in the middle of something, by argument. */
#include <openacc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

void GOACC_data_end(void);

static void *later(void *x)
{
    int *p = x;
    usleep(20000);
#pragma acc serial copy(p[0:1])
    p[0]++;
    printf("%d\n", p[0]);
    return NULL;
}

static volatile sig_atomic_t signals;
static void count(int number) { signals += number == SIGALRM; }

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "status";
    int x = 1, out = !strcmp(way, "kernel-exit");
    int *host = calloc(100, sizeof *host);
    printf("%s\n", way);
    fflush(stdout);
    for (int i = 0; i < 3; i++) {
#pragma acc enter data copyin(host[0:100])
        host[0]++;
#pragma acc exit data copyout(host[0:100])
    }
#pragma acc data copy(x)
    {
        if (!strcmp(way, "region"))
            exit(3);
        if (!strcmp(way, "signal"))
            raise(SIGTERM);
        if (!strcmp(way, "segv"))
            raise(SIGSEGV); /* sent: no access that could be explained */
        if (!strcmp(way, "null"))
            printf("%d\n", *(volatile int *)0); /* NOLINT: it ends the program */
        if (!strcmp(way, "abort"))
            abort();
        if (!strcmp(way, "_exit")) {
            printf("not flushed");
            _exit(0);
        }
        if (!strcmp(way, "quick_exit"))
            quick_exit(6);
        if (!strcmp(way, "first")) { /* the first thread ends before another */
            static int shared = 6;
            pthread_t thread;
            pthread_create(&thread, NULL, later, &shared);
            pthread_exit(NULL);
        }
        if (!strcmp(way, "alarm")) { /* its handler runs while a kernel does, and has memory of the host */
            signal(SIGALRM, count);
            setitimer(ITIMER_REAL, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
            while (!signals) {
#pragma acc serial present(x)
                for (int i = 0; i < 100000; i++)
                    x ^= i;
            }
            setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
        }
        int spin = !strcmp(way, "spin");
#pragma acc serial present(x) copyin(out, spin)
        {
            x = 2;
            while (spin)
                x++;
            if (out)
                exit(9);
        }
        if (!strcmp(way, "fork")) {
            pid_t child = fork();
            int status = 0;
            if (!child)
                exit(4);
            waitpid(child, &status, 0);
            printf("child %d\n", WEXITSTATUS(status));
        }
    }
    if (!strcmp(way, "end-twice"))
        GOACC_data_end();
    return 42;
}
