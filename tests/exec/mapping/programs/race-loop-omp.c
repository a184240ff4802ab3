// data race: iterations of a loop construct use what others write.
int main(void)
{
    int a[64] = {0};
#ifdef RIGHT
#pragma omp target map(tofrom : a)
#else
#pragma omp target teams loop map(tofrom : a)
#endif
    for (int i = 2; i < 64; i++)
        a[i] = a[i - 2] + 1; // checked: data-race
    return a[63] < 1;
}
