// data race: no barrier is between two loops of one parallel construct.
int main(void)
{
    int a[64] = {0}, b[64];
#ifdef RIGHT
#pragma acc kernels copy(a) copyout(b)
#else
#pragma acc parallel copy(a) copyout(b)
#endif
    {
#pragma acc loop gang independent
        for (int i = 0; i < 64; i++)
            a[i] = i;
#pragma acc loop gang independent
        for (int i = 0; i < 64; i++)
            b[i] = a[63 - i]; // checked: data-race
    }
    return b[0] != 63;
}
