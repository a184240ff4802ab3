/* The program ends, and a target region with nowait has not begun; "waits": after all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int *a = calloc(1000, sizeof *a);
    for (int k = 0; k < 100; k++) {
#pragma omp target nowait map(a[0 : 1000])
        for (int i = 0; i < 1000; i++)
            for (int j = 0; j < 1000; j++)
                a[i] += j;
    }
    if (argc > 1 && !strcmp(argv[1], "waits")) {
#pragma omp taskwait
    }
    puts("main ends");
    return 0;
}
