// data race: a loop of a device routine depends on itself.
#pragma acc routine vector
static void fill(int *a, int n)
{
#ifdef RIGHT
#pragma acc loop seq
#else
#pragma acc loop vector
#endif
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + 1; // checked: data-race
}

int main(void)
{
    int a[64] = {0};
#pragma acc parallel num_gangs(1) copy(a)
    fill(a, 64);
    return a[63] != 63;
}
