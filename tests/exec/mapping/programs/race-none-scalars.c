// data race: none: each iteration writes a scalar before it reads it, so that a copy for each thread suffices.
int main(void)
{
    int a[64], b[64], t = 5, n = 0;
    for (int i = 0; i < 64; i++)
        a[i] = i;
#pragma acc parallel loop copyin(a) copyout(b)
    for (int i = 0; i < 64; i++) {
        t = a[i];
        if (t > 3)
            t -= 3;
        n = t + 1;
        b[i] = n;
    }
    return b[10] != 8 || t != 5 || n != 0;
}
