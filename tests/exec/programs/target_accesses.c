// Each way has a defect that only a check of accesses finds, but "right".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    double mass;
    char kind; // padding follows
};

static void right(int n, double *a)
{
    struct part *parts = malloc((size_t)n * sizeof *parts), first;
#pragma omp target enter data map(alloc : parts[0:n]) map(to : a[0:n])
#pragma omp target teams distribute parallel for map(alloc : parts[0:n], a[0:n])
    for (int i = 0; i < n; i++) {
        double *mine = malloc(sizeof *mine);
        *mine = a[i];
        struct part part;
        part.mass = *mine;
        part.kind = 'p';
        parts[i] = part;
        free(mine);
    }
#pragma omp target exit data map(from : parts[0:n]) map(release : a[0:n])
    first = parts[1];
    printf("%g %c\n", first.mass, first.kind);
    free(parts);
}

int main(int argc, char **argv)
{
    const int n = 8;
    const char *way = argc > 1 ? argv[1] : "right";
    double *a = malloc((size_t)n * sizeof *a), sum = 0;
    for (int i = 0; i < n; i++)
        a[i] = i;
    if (!strcmp(way, "right")) {
        right(n, a);
    } else if (!strcmp(way, "unwritten")) {
#pragma omp target map(alloc : a[0:n]) map(from : sum)
        sum = a[2];
    } else if (!strcmp(way, "stale-host")) {
#pragma omp target data map(tofrom : a[0:n])
        {
#pragma omp target
            a[1] = 10;
            sum = a[1];
        }
    } else if (!strcmp(way, "lost")) {
#pragma omp target map(to : a[0:n])
        a[1] = 10;
        sum = a[1];
    } else if (!strcmp(way, "outside")) {
#pragma omp target map(tofrom : a[2:3])
        for (int i = 2; i <= 5; i++)
            a[i] = i;
    }
    printf("%s\n", sum == 77 ? "no" : way);
    free(a);
    return 0;
}
