// uninitialized data: map(from) of an array that the region adds to.
int main(void)
{
    int c[16] = {0};
#ifdef RIGHT
#pragma omp target map(tofrom : c)
#else
#pragma omp target map(from : c)
#endif
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 4; j++)
            c[i] += j; // checked: uninitialized-read
    return c[3] == 1;
}
