// Standard constructs, loops and clauses, which OpenMP has under other names. accdeep: no: declare.
#include <stdio.h>
#include <stdlib.h>

#define N 40

int table[4] = {1, 2, 3, 4};
#pragma acc declare copyin(table)

#pragma acc routine seq
static int square(int x)
{
    return x * x;
}

#pragma acc routine vector
static void fill(int *row, int n, int value);
static void fill(int *row, int n, int value)
{
#pragma acc loop vector
    for (int k = 0; k < n; k++)
        row[k] = value + k;
}

static long sum_of(const int *p, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

int main(void)
{
    int a[N], b[N], c[N][N], count = 0, most = 0, *p = malloc(N * sizeof *p);
    double mean = 0;
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 0;
        p[i] = N - i;
    }

#pragma acc parallel loop copyin(a) pcopyout(b) num_gangs(4) vector_length(32)
    for (int i = 0; i < N; i++)
        b[i] = square(a[i]) + table[i % 4];
    printf("parallel loop: %ld\n", sum_of(b, N));

#pragma acc data copyin(a[0:N], p[0:N]) create(b) \
    copy(c)
    {
#pragma acc parallel loop gang present(c)
        for (int i = 0; i < N; i++) {
#pragma acc loop vector
            for (int k = 0; k < N; k++)
                c[i][k] = i * k;
        }
#pragma acc parallel present(c) num_gangs(2)
        {
#pragma acc loop gang
            for (int i = 0; i < N; i++)
                fill(c[i], N / 2, i);
#pragma acc loop gang worker vector collapse(2)
            for (int i = 0; i < N; i++)
                for (int k = N / 2; k < N; k++)
                    c[i][k] += 1;
        }
#pragma acc parallel loop reduction(+ : count) reduction(max : most) present(a, p[0:N])
        for (int i = 0; i < N; i++) {
            count += a[i] > 10;
            most = p[i] > most ? p[i] : most;
        }
#pragma acc serial loop present(a) copy(mean)
        for (int i = 0; i < N; i++)
            mean += a[i] / (double)N;
#pragma acc kernels present(a, b)
        {
            for (int i = 0; i < N; i++)
                b[i] = a[i];
#pragma acc loop independent
            for (int i = 0; i < N; i++)
                b[i] += 1;
        }
#pragma acc update self(b[0:N]) if(N > 3)
#pragma acc wait
    }
    printf("data: %ld %ld, %d %d %g\n", sum_of(c[0], N * N), sum_of(b, N), count, most, mean);

    int total = 0;
#pragma acc parallel loop copy(total) copyin(a)
    for (int i = 0; i < N; i++) {
#pragma acc atomic update
        total += a[i];
    }
    int inside = 5, local = 7;
#pragma acc serial firstprivate(local) copyout(inside)
    {
        local += 1;
        inside = local;
    }
#pragma acc parallel loop private(local) copy(b) if(N > 3)
    for (int i = 0; i < N; i++) {
        local = i;
#pragma acc loop seq
        for (int k = 0; k < 3; k++)
            local += k;
        b[i] = local;
    }
    printf("others: %d %d %d %ld\n", total, inside, local, sum_of(b, N));

    int i, k, m; // private to each thread
#pragma acc parallel loop copyout(c) copyin(a)
    for (i = 0; i < N; i++) {
#pragma acc loop
        for (k = 0; k < N; k++) {
            c[i][k] = 0;
            for (m = 0; m < 3; m++)
                c[i][k] += a[i] * m;
        }
    }
    printf("loop variables: %ld\n", sum_of(c[0], N * N));

    int last = 0; // kernels copies scalars
#pragma acc kernels copyout(b)
    {
        last = a[N - 1];
#pragma acc loop independent
        for (i = 0; i < N; i++)
            for (k = 0, b[i] = 0; k < 3; k++)
                b[i] += last;
    }
    int even = 0;
#pragma acc kernels copyin(a)
    {
#pragma acc loop independent reduction(+ : even)
        for (i = 0; i < N; i++)
            even += a[i] % 2 == 0;
    }
    printf("kernels: %d %ld %d\n", last, sum_of(b, N), even);

#pragma acc enter data copyin(p[0:N])
#pragma acc enter data copyin(p[0:N])
#pragma acc parallel loop present(p[0:N])
    for (int i = 0; i < N; i++)
        p[i]++;
#pragma acc exit data copyout(p[0:N]) finalize
    printf("finalize: %ld, line %d\n", sum_of(p, N), __LINE__);
    return 0;
}
