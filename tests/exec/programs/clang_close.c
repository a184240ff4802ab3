/* Members are mapped right behind other data that are present. */
#include <stdio.h>
#include <stdlib.h>

struct two {
    int *p, *q;
};

int main(void)
{
    static _Alignas(16) char memory[32];
    int **before = (int **)(void *)memory;
    struct two *two = (struct two *)(void *)(memory + sizeof *before);
    two->p = calloc(1, sizeof *two->p);
    two->q = calloc(2, sizeof *two->q);
#pragma omp target enter data map(to: before[0:1])
#pragma omp target map(two->p[0:1], two->q[0:2])
    {
        two->p[0] = 1;
        two->q[1] = 2;
    }
#pragma omp target exit data map(delete: before[0:1])
    printf("%d %d\n", two->p[0], two->q[1]);
    free(two->p);
    free(two->q);
    return 0;
}
