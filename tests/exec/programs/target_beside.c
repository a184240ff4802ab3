/* A variable whose change is lost, beside a result that comes back, in one word of the stack: at any address. */
#include <alloca.h>
#include <stdio.h>
static int some[8];
__attribute__((noinline)) static int change(void)
{
    int old = 1, err;
#pragma omp target map(tofrom: some) map(to: old) map(from: err)
    {
        err = some[1] != 1;
        old = 0;
        some[0] = 3;
    }
    return old;
}
__attribute__((noinline)) static int below(int bytes)
{
    volatile char *room = alloca(bytes);
    room[0] = 1;
    return change();
}
int main(void)
{
    int n = 0;
    some[1] = 1;
    for (int i = 1; i < 64; i++)
        n += below(16 * i);
    printf("%d\n", n);
    return 0;
}
