/* Reads of old values on the host: of elements of arrays and members, at each depth. */
#include <stdio.h>
#include <stdlib.h>

struct cell {
    int id;
    float v[3];
};
struct state {
    int n;
    double m[4][5];
    struct cell *cells, inner;
};

int main(void)
{
    double a[10][20];
    struct cell list[6] = {{0}};
    struct state s = {.n = 3, .cells = calloc(5, sizeof *s.cells)};
    for (int i = 0; i < 200; i++)
        a[i / 20][i % 20] = 1;
    #pragma acc data copyin(a, s, s.cells[0:5], list[1:4])
    {
        #pragma acc parallel loop
        for (int i = 0; i < 10; i++)
            a[i][3] = 2;
        #pragma acc serial present(s)
        {
            s.m[2][3] = 4;
            s.cells[2].v[1] = 7;
            s.inner.v[2] = 1;
        }
        #pragma acc parallel loop present(list[1:4])
        for (int i = 1; i < 5; i++)
            list[i].v[1] = 2;
        printf("%g\n", a[4][3]);
        printf("%g\n", s.m[2][3]);
        printf("%g\n", s.cells[2].v[1]);
        printf("%g\n", s.inner.v[2]);
        printf("%g\n", list[4].v[1]);
    }
    free(s.cells);
}
