// data race: independent is not true of a loop.
int main(void)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;

#ifdef RIGHT
#pragma acc kernels loop copy(a)
#else
#pragma acc kernels loop independent copy(a)
#endif
    for (int i = 1; i < 64; i++)
        a[i] += a[i - 1]; // checked: data-race
    return a[1] != 1;
}
