/* Kernels that leave what is mapped, by argument. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 50 };

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "right";
    double a[2 * N], sum = 0;
    char text[N];
    for (int i = 0; i < 2 * N; i++)
        a[i] = i;
    memset(text, 'x', N);
    const int n = strcmp(way, "reads") ? N : N + 1;
    const int far = strcmp(way, "far") ? 1 : N - 1;
    if (!strcmp(way, "reads") || !strcmp(way, "far") || !strcmp(way, "right")) {
#pragma acc parallel loop copyin(a[0:N]) copy(sum)
        for (int i = 0; i < n; i++)
            sum += a[i] + (i == N - 1 && far > 1 ? a[i + far] : 0);
    } else if (!strcmp(way, "writes")) {
#pragma acc parallel loop copy(a[0:N])
        for (int i = 0; i <= N; i++)
            a[i] = i;
    } else if (!strcmp(way, "fill")) { /* bytes that share their last 16 with nothing */
#pragma acc parallel loop copy(text)
        for (int i = 0; i <= N; i++)
            text[i] = 'y';
    } else if (!strcmp(way, "before")) {
#pragma acc parallel loop copy(a[8:N])
        for (int i = 7; i < N; i++)
            a[i] = i;
    } else if (!strcmp(way, "malloc")) {
        char *d = acc_malloc(10);
#pragma acc parallel loop deviceptr(d)
        for (int i = 0; i <= 10; i++)
            d[i] = 0;
    }
    if (!strcmp(way, "vector")) { /* an instruction that needs an aligned address */
        typedef float four __attribute__((vector_size(16)));
        float x[5] __attribute__((aligned(16))) = {1, 2, 3, 4, 5};
#pragma acc parallel copy(x)
        *(four *)x += 1;
        sum = x[3];
    }
    printf("%g %g %c\n", sum, a[0], text[0]);
    return 0;
}
