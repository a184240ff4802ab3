/* A kernel that is left by a jump; then the host computes, prints, or runs another kernel, by argument. "inside": a jump
 * in a kernel. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static jmp_buf back;
static int a[100];
#pragma omp declare target
static void jump(int i)
{
    if (i > 3)
        longjmp(back, i);
}
#pragma omp end declare target

static void kernel(void)
{
    #pragma omp target map(tofrom: a)
    for (int i = 0; i < 100; i++) {
        a[i] = i;
        jump(i);
    }
}

static void inside(void)
{
    int last = 0;
    #pragma omp target map(from: last)
    {
        jmp_buf here;
        if (!setjmp(here))
            longjmp(here, 1);
        last = 5;
    }
    printf("%d\n", last);
}

int main(int argc, char **argv)
{
    volatile int sum = 0;
    if (!strcmp(argv[1], "inside")) {
        inside();
        return 0;
    }
    if (!setjmp(back))
        kernel();
    if (!strcmp(argv[1], "compute"))
        for (int i = 0; i < 100; i++)
            sum += a[i];
    if (!strcmp(argv[1], "print"))
        printf("jumped\n");
    if (!strcmp(argv[1], "again"))
        kernel();
    return argc;
}
