/* A private scalar that was never set: gcc passes no address for its copy, but what was on the stack. A pointer that
 * points nowhere is an error. By argument. */
#include <stdint.h>
#include <stdio.h>

static void smear(uintptr_t word)
{
    void *volatile words[64];
    for (int i = 0; i < 64; i++)
        words[i] = (void *)word;
}

static void region(void)
{
    int x;
#pragma acc parallel
    x = 1;
}

static int section(long *p)
{
    int sum = 0;
#pragma acc parallel copyin(p[0:2]) copy(sum)
    sum += (int)p[1];
    return sum;
}

int main(int argc, char **argv)
{
    const char way = argc > 1 ? *argv[1] : 'n';
    if (way == 's')
        return section((long *)0x1000);
    smear(way == 'n' ? 0 : way == 'w' ? 0x1000 : (uintptr_t)1 << 63);
    region();
    puts("done");
}
