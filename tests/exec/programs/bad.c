/* A program as users bring it, by argument: right, or a section of a negative length. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int n = argc > 1 && !strcmp(argv[1], "negative") ? -4 : 16;
    int *a = calloc(64, sizeof *a);
    puts("begin");
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    printf("end %d\n", a[3]);
    free(a);
    return 7;
}
