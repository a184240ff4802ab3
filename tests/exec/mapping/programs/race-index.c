// data race: an index array with two equal indices.
int main(void)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;
    int at[64];
    for (int i = 0; i < 64; i++)
        at[i] = 63 - i;
#ifndef RIGHT
    at[40] = 3;
#endif
#ifdef RIGHT
#pragma acc parallel loop copy(a) copyin(at)
#else
#pragma acc parallel loop copy(a) copyin(at)
#endif
    for (int i = 0; i < 64; i++)
        a[at[i]] = i; // checked: data-race
    return a[63] != 0;
}
