// data race: the reduction of an inner loop is missing.
int main(void)
{
    int a[64], b[8];
    for (int i = 0; i < 64; i++)
        a[i] = i;
#pragma acc parallel loop gang copyin(a) copyout(b)
    for (int i = 0; i < 8; i++) {
        int s = 0;
#ifdef RIGHT
#pragma acc loop vector reduction(+ : s)
#else
#pragma acc loop vector
#endif
        for (int k = 0; k < 8; k++)
            s += a[i * 8 + k]; // checked: data-race
        b[i] = s;
    }
    return b[1] != 92;
}
