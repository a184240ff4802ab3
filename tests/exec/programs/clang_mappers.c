/* Mappers that do not name the first member of their structure, in explicit maps. */
#include <stdio.h>

struct cell {
    int first, n, sum, *data;
};
#pragma omp declare mapper(struct cell c) map(tofrom : c.n)
#pragma omp declare mapper(deep : struct cell c) map(tofrom : c.sum, c.data[0 : 2])

int main(void)
{
    int data[6] = {1, 2, 3, 4, 5, 6};
    struct cell c = {1, 2, 3, data}, more[3] = {{1, 1, 1, data}, {2, 2, 2, data + 2}, {3, 3, 3, data + 4}};
#pragma omp target map(c)
    c.n += 1;
    printf("%d\n", c.n);
#pragma omp target map(mapper(default), tofrom : more[1 : 2])
    {
        more[1].n += 10;
        more[2].n += 20;
    }
    printf("%d %d\n", more[1].n, more[2].n);
#pragma omp target map(mapper(deep), tofrom : more[0 : 3])
    {
        more[1].sum += 10;
        more[2].data[1] += 20;
    }
    printf("%d %d\n", more[1].sum, data[5]);
#pragma omp target data map(mapper(deep), tofrom : c)
    {
#pragma omp target map(mapper(deep), tofrom : c)
        {
            c.data[0]++;
            c.sum++;
        }
    }
    printf("%d %d\n", c.sum, data[0]);
    return 0;
}
