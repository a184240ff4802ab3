// data race: each iteration reads what the next one overwrites.
int main(void)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;
    int b[64];
    for (int i = 0; i < 64; i++)
        b[i] = a[i];
#ifdef RIGHT
#pragma acc parallel loop copy(a) copyin(b)
#else
#pragma acc parallel loop copy(a) copyin(b)
#endif
    for (int i = 0; i < 63; i++)
#ifdef RIGHT
        a[i] = b[i + 1];
#else
        a[i] = a[i + 1]; // checked: data-race
#endif
    return a[3] != 4;
}
