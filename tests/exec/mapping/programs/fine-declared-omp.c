// nothing: a pointer of declare target points to mapped data for a while.
#include <stdlib.h>

#pragma omp declare target
int *p;
#pragma omp end declare target

int main(void)
{
    p = malloc(100 * sizeof *p);
    for (int i = 0; i < 100; i++)
        p[i] = i;
#pragma omp target enter data map(to: p[0:100])
#pragma omp target
    p[1] += 4;
#pragma omp target exit data map(from: p[0:100])
#pragma omp target map(tofrom: p[0:100])
    p[1] += 4;
    const int sum = p[1] + p[99];
    free(p);
    return sum != 108;
}
