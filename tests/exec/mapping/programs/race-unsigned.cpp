// data race: a loop that counts down, with a variable of an unsigned type.
int main()
{
    int a[64] = {0};
#ifdef RIGHT
#pragma acc parallel loop seq copy(a)
#else
#pragma acc parallel loop copy(a)
#endif
    for (unsigned long i = 63; i > 0; i--)
        a[i - 1] = a[i] + 1; // checked: data-race
    return a[0] != 63;
}
