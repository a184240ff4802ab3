// stale host data: memcpy copies the host's old state.
#include <string.h>
int main(void)
{
    int a[64] = {0}, copy[64];
#pragma omp target enter data map(to : a)
#pragma omp target
    for (int i = 0; i < 64; i++)
        a[i] = i;
#ifdef RIGHT
#pragma omp target update from(a)
#endif
    memcpy(copy, a, sizeof a); // checked: stale-data
#pragma omp target exit data map(from : a)
    return copy[0];
}
