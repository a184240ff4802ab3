// data race: a sum without reduction; the variable is mapped.
int main(void)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;
    int s = 0;
#ifdef RIGHT
#pragma omp target teams distribute parallel for map(tofrom : s) reduction(+ : s)
#else
#pragma omp target teams distribute parallel for map(tofrom : s)
#endif
    for (int i = 0; i < 64; i++)
        s += a[i]; // checked: data-race
    return s != 2016;
}
