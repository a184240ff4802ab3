/* Advice that is given, and advice that would break the program: a part of an array is written, or only some calls of a
 * function may do without the transfer. */
#include <stdio.h>
#include <string.h>

#define N 90
#define EACH(X) X(char) X(short) X(int) X(float) X(double)

/* The boundary comes back as it was moved. */
#define BOUNDARY(type)                                      \
    static void boundary_##type(void)                       \
    {                                                       \
        type a[N], b[N];                                    \
        for (int i = 0; i < N; i++)                         \
            a[i] = b[i] = (type)i;                          \
        _Pragma("acc data copyin(a) copy(b)")               \
        {                                                   \
            _Pragma("acc parallel loop")                    \
            for (int i = 1; i < N - 1; i++)                 \
                b[i] = (type)(a[i - 1] + a[i + 1]);         \
        }                                                   \
        printf("%g %g\n", (double)b[0], (double)b[N - 1]);  \
    }
EACH(BOUNDARY)

/* All of it is overwritten. */
#define WHOLE(type)                                        \
    static void whole_##type(void)                         \
    {                                                      \
        type b[N] = {0};                                   \
        _Pragma("acc parallel loop copy(b)")               \
        for (int i = 0; i < N; i++)                        \
            b[i] = (type)(N - i);                          \
        printf("%g %g\n", (double)b[0], (double)b[N - 1]); \
    }
EACH(WHOLE)

/* The kernels write b, but for its ends, which they read. */
static void ping_pong(void)
{
    float a[N], b[N];
    for (int i = 0; i < N; i++)
        a[i] = b[i] = (float)i;
#pragma acc data copy(a) copyin(b)
    for (int t = 0; t < 10; t++) {
        float *u = t % 2 ? b : a, *v = t % 2 ? a : b;
#pragma acc parallel loop present(u[0:N], v[0:N])
        for (int i = 1; i < N - 1; i++)
            v[i] = 0.5f * (u[i - 1] + u[i + 1]);
    }
    printf("%g\n", (double)a[5]);
}

/* The same without the ends: the help names what the kernels write. */
static void created(void)
{
    float a[N], b[N];
    for (int i = 0; i < N; i++)
        a[i] = (float)i;
#pragma acc data copy(a) create(b)
    for (int t = 0; t < 2; t++) {
        float *u = t % 2 ? b : a, *v = t % 2 ? a : b;
#pragma acc parallel loop present(u[0:N], v[0:N])
        for (int i = 1; i < N - 1; i++)
            v[i] = 0.5f * (u[i - 1] + u[i + 1]);
    }
    printf("%g\n", (double)a[5]);
}

static __attribute__((noinline)) void send(double *u)
{
#pragma acc update device(u[0:N])
}

/* What is sent is new in one call of two. */
static void sometimes(void)
{
    double a[N] = {0}, b[N] = {0};
#pragma acc data copyin(a) copyin(b)
    {
        b[1] = 2;
        send(a);
        send(b);
#pragma acc parallel loop present(a, b)
        for (int i = 0; i < N; i++)
            a[i] += b[i];
#pragma acc update self(a)
    }
    printf("%g\n", a[1]);
}

/* What the kernels leave in p and q is of no use to the host. */
static void scratch(void)
{
    double p[N], q[N], r[N];
    for (int i = 0; i < N; i++)
        p[i] = q[i] = i;
#pragma acc data copyin(p, q) copyout(r)
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            p[i] = q[i] *= 2;
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            r[i] = p[i] + q[i];
    }
    printf("%g\n", r[3]);
}

/* As many bytes as a descriptor of gfortran has. */
static void sizes(void)
{
    double zero[11] = {0}, other[11];
    for (int i = 0; i < 11; i++)
        other[i] = i + 1;
#pragma acc data copyin(zero, other)
    puts("no use");
}

/* Wrong reads of many objects, and an idle transfer of another one. */
static void many(void)
{
    enum { OBJECTS = 100 };
    static int u[OBJECTS][N], v[N];
    int sum = 0;
#pragma acc enter data copyin(v)
    for (int k = 0; k < OBJECTS; k++) {
        int *a = u[k];
#pragma acc enter data copyin(a[0:N])
        a[0] = 1;
#pragma acc parallel present(a[0:N]) copy(sum)
        sum += a[0];
    }
#pragma acc update device(v)
#pragma acc parallel present(v) copy(sum)
    sum += v[0];
#pragma acc exit data delete(v)
    for (int k = 0; k < OBJECTS; k++) {
        int *a = u[k];
#pragma acc exit data delete(a[0:N])
    }
    printf("%d\n", sum);
}

int main(int argc, char **argv)
{
#define RUN(name, type)                                 \
    if (argc > 2 && !strcmp(argv[1], #name) && !strcmp(argv[2], #type)) \
        name##_##type();
#define BOTH(type) RUN(boundary, type) RUN(whole, type)
    EACH(BOTH)
    if (argc > 1 && !strcmp(argv[1], "ping-pong"))
        ping_pong();
    if (argc > 1 && !strcmp(argv[1], "sometimes"))
        sometimes();
    if (argc > 1 && !strcmp(argv[1], "created"))
        created();
    if (argc > 1 && !strcmp(argv[1], "scratch"))
        scratch();
    if (argc > 1 && !strcmp(argv[1], "many"))
        many();
    if (argc > 1 && !strcmp(argv[1], "sizes"))
        sizes();
}
