/* Sections of a variable that is declare target link, mapped one after the other. Functions of a region use them. With
 * an argument the region itself does, which gcc compiles wrongly. */
#include <stdio.h>

enum { N = 100 };
int table[N];
#pragma omp declare target link(table)
#pragma omp declare target
static int __attribute__((noinline)) take(int i) { return table[i]++; }
#pragma omp end declare target

int main(int argc, char **argv)
{
    int sum = 0;
    (void)argv;
    for (int i = 0; i < N; i++)
        table[i] = i;
#pragma omp target map(tofrom : table, sum)
    for (int i = 20; i < 30; i++)
        sum += take(i);
#pragma omp target map(tofrom : table[0 : 30], sum)
    for (int i = 20; i < 30; i++)
        sum += take(i);
#pragma omp target map(tofrom : table[20 : 10], sum)
    for (int i = 20; i < 30; i++)
        sum += take(i);
    printf("%d: %d %d %d %d\n", sum, table[19], table[20], table[29], table[30]);
    if (argc > 1) {
#pragma omp target map(tofrom : table[20 : 10], sum)
        sum = table[25] == 28;
    }
    return 0;
}
