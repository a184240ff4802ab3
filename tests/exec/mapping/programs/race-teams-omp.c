// data race: iterations of different teams change one element.
int main(void)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;
    int s[2] = {0, 0};
#ifdef RIGHT
#pragma omp target teams distribute map(tofrom : s)
#else
#pragma omp target teams distribute map(tofrom : s)
#endif
    for (int i = 0; i < 64; i++)
#ifdef RIGHT
#pragma omp atomic
#endif
        s[1] += a[i]; // checked: data-race
    return s[1] != 2016;
}
