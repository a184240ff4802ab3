/* Data that one side has changed and the other needs, in OpenMP's target directives, by argument. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16 };
struct mesh {
    int n;
    float *e;
};

static void step(struct mesh *m)
{
    float *e = m->e;
    #pragma omp target map(e[0 : N])
    for (int i = 0; i < N; i++)
        e[i] += 1;
}

int main(int argc, char **argv)
{
    const char *way = argv[argc - 1];
    struct mesh m = {N, calloc(N, sizeof(float))};
    int a[N] = {0};
    if (!strcmp(way, "right")) {
        #pragma omp target enter data map(to: m.e[0 : m.n])
        step(&m);
        #pragma omp target update from(m.e[0 : m.n])
        m.e[1] = 5;
        #pragma omp target update to(m.e[1 : 1])
        step(&m);
        #pragma omp target exit data map(from: m.e[0 : m.n])
    } else if (!strcmp(way, "from")) {
        #pragma omp target data map(tofrom: a)
        {
            #pragma omp target
            a[1] = 2;
            a[2] = 3;
        }
    } else if (!strcmp(way, "to")) {
        #pragma omp target enter data map(to: m.e[0 : m.n])
        step(&m);
        #pragma omp target update to(m.e[0 : m.n])
        #pragma omp target exit data map(from: m.e[0 : m.n])
    } else if (!strcmp(way, "always")) {
        #pragma omp target data map(tofrom: a)
        {
            a[4] = 1;
            #pragma omp target map(always, to: a)
            a[5] = a[4];
            #pragma omp target map(always, to: a)
            a[6] = a[4];
        }
    } else if (!strcmp(way, "unsent")) {
        #pragma omp target enter data map(to: m.e[0 : m.n])
        m.e[3] = 9;
        float *e = m.e;
        #pragma omp target map(tofrom: a) map(e[0 : N])
        a[2] = (int)e[3];
        #pragma omp target exit data map(delete: m.e[0 : m.n])
    } else if (!strcmp(way, "lost")) {
        #pragma omp target enter data map(to: m.e[0 : m.n])
        step(&m);
        #pragma omp target exit data map(release: m.e[0 : m.n])
    }
    printf("%d %d %g\n", a[2], a[6], m.e[1]);
}
