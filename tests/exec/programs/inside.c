/* Way 0: a directive inside a kernel with a scalar of a pointer's size. 1: variables of functions on a stack in static
 * memory, of which one that ended is still mapped. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#pragma acc routine seq
void inner(void); /* inner.c */

static double a[100];
static char stack[1 << 20] __attribute__((aligned(4096)));

static void in_a_kernel(double scalar)
{
#pragma acc enter data copyin(a)
#pragma acc parallel present(a) firstprivate(scalar) num_gangs(1)
    {
        a[0] = scalar;
        inner();
    }
    puts("it was let in");
}

static __attribute__((noinline)) void first(void)
{
    double v[64];
    for (int i = 0; i < 64; i++)
        v[i] = 1;
#pragma acc enter data copyin(v)
}

static __attribute__((noinline)) void second(void)
{
    double v[64];
    for (int i = 0; i < 64; i++)
        v[i] = 2;
#pragma acc parallel loop copy(v)
    for (int i = 0; i < 64; i++)
        v[i] += 10;
    printf("%g\n", v[0]);
}

static void *run(void *arg)
{
    double w[10];
#pragma acc data copyin(w)
    ;
    first();
    second();
    return arg;
}

int main(int argc, char **argv)
{
    double *block = calloc(1000, sizeof *block);
    pthread_t thread;
    pthread_attr_t attr;
#pragma acc data copyin(block[0:1000]) /* where the heap begins is known now */
    ;
    if (argc < 2 || atoi(argv[1]) == 0) {
        in_a_kernel(argc);
    } else {
        pthread_attr_init(&attr);
        pthread_attr_setstack(&attr, stack, sizeof stack);
        pthread_create(&thread, &attr, run, NULL);
        pthread_join(thread, NULL);
    }
    free(block);
    return 0;
}
