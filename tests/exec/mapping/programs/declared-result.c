// declared variables: the host reads the variable without an update.
#include <openacc.h>
int result[4];
#pragma acc declare create(result)
int main(void)
{
#pragma acc parallel
    for (int i = 0; i < 4; i++)
        result[i] = i;
#ifdef RIGHT
    acc_update_self(result, sizeof result);
#endif
    return result[2] == 9; // checked: stale-data
}
