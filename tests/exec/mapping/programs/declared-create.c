// declared variables: the host initializes the variable, and no update sends the values.
#include <openacc.h>
float table[16];
#pragma acc declare create(table)
int main(void)
{
    float sum = 0;
    for (int i = 0; i < 16; i++)
        table[i] = 1;
#ifdef RIGHT
    acc_update_device(table, sizeof table);
#endif
#pragma acc parallel loop reduction(+ : sum) // strict: stale-data
    for (int i = 0; i < 16; i++)
        sum += table[i]; // checked: stale-data
    return sum == 17;
}
