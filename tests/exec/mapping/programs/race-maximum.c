// data race: a maximum without reduction.
int main(void)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;
    int m = 0;
#ifdef RIGHT
#pragma acc parallel loop copy(m) reduction(max : m)
#else
#pragma acc parallel loop copy(m)
#endif
    for (int i = 0; i < 64; i++)
        if (a[i] > m) // checked: data-race
            m = a[i]; // checked: data-race
    return m != 63;
}
