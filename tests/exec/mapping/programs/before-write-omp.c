// partial section: the target region writes the element before the section.
int main(void)
{
    long a[32] = {0};
#ifdef RIGHT
#pragma omp target map(tofrom : a[7:16])
#else
#pragma omp target map(tofrom : a[8:15]) // strict: out-of-bounds
#endif
    for (int i = 22; i >= 7; i--)
        a[i] = i; // checked: out-of-bounds
    return a[9] != 9;
}
