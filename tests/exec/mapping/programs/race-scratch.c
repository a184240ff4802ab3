// data race: a scratch array that all iterations share.
int main(void)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;
    int t[4], b[64];
#ifdef RIGHT
#pragma acc parallel loop copyin(a) private(t) copyout(b)
#else
#pragma acc parallel loop copyin(a) create(t) copyout(b)
#endif
    for (int i = 0; i < 64; i++) {
        for (int k = 0; k < 4; k++)
            t[k] = a[i] + k; // checked: data-race
        b[i] = t[0] + t[3];
    }
    return b[3] != 9;
}
