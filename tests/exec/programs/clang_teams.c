/* A loop of teams goes one element too far. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = 100, *a = calloc((size_t)n, sizeof *a);
#pragma omp target teams distribute parallel for num_teams(8) thread_limit(8) map(a[0 : n])
    for (int i = 0; i < n + argc; i++)
        a[i] = 1;
    puts("not reached");
    return 0;
}
