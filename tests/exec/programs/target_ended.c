/* Ends by a signal, by argument: a number, or in a kernel that several threads run. A second
 * argument: after its handler has set the default again, as programs do that clean up first. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void clean_up(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

int main(int argc, char **argv)
{
    static double a[1000], b[1000];
    int *nothing = NULL;
    const char *way = argc > 1 ? argv[1] : "0";
    if (argc > 2)
        signal(atoi(way), clean_up);
    for (int i = 0; i < 3; i++) {
#pragma omp target map(tofrom : a)
        a[i] = 1;
        a[3] += 1;
#pragma omp target data map(to : b)
        {
            b[0] += 1;
#pragma omp target update from(b)
        }
    }
    if (!strcmp(way, "team")) {
#pragma omp target teams distribute parallel for map(tofrom : nothing[:0])
        for (int i = 0; i < 1000; i++)
            nothing[i] = i;
    }
    if (!strcmp(way, "spin")) {
        kill(getpid(), 0);
#pragma omp target
        for (volatile int i = 0; i >= 0; i = i < 1000 ? i + 1 : 0) {
        }
    }
    if (!strcmp(way, "host"))
        for (volatile int i = 0; i >= 0; i = i < 1000 ? i + 1 : 0) {
        }
    raise(atoi(way));
    return 0;
}
