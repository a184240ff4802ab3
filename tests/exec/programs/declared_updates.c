/* gcc leaves all variables out of the update: one mistake, one report. The host's change of `gravity` is sent by no
 * update, although a comment names it: another report. */
#include <stdio.h>

double table[4], gravity = 9.81;
struct {
    int order;
    double limit;
} params;
#pragma acc declare create(table, gravity, params)

int main(void)
{
    double e = 0;
    for (int i = 0; i < 4; i++)
        table[i] = 1;
    params.order = 4;
    params.limit = 1e9;
    gravity = 1.62;
#pragma acc update device(table, \
                          params) /* gravity, (gravity) */
#pragma acc parallel copy(e)
    {
        for (int i = 0; i < params.order; i++)
            e += table[i];
        e *= gravity;
        if (e > params.limit)
            e = params.limit;
    }
    printf("%g\n", e);
    return 0;
}
