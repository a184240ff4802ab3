/* Directives in a thread whose stack is as small as it may be; with an argument: defects, too. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *work(void *way)
{
    double a[64] = {0};
#pragma acc parallel loop copy(a)
    for (int i = 0; i < 64; i++)
        a[i] += 1;
    if (!strcmp(way, "warning") || !strcmp(way, "error")) {
#pragma acc data copy(a)
        {
#pragma acc parallel loop
            for (int i = 0; i < 64; i++)
                a[i] += 1;
            a[3] = 7;
        }
    }
    if (!strcmp(way, "error")) {
#pragma acc parallel loop present(a)
        for (int i = 0; i < 64; i++)
            a[i] += 1;
    }
    printf("%g\n", a[5]);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    if (pthread_create(&thread, &attributes, work, argc > 1 ? argv[1] : "right"))
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
