// partial section: the kernel uses a row that is not in the section.
int main(void)
{
    int a[4][8] = {{0}}, sum = 0;
#ifdef RIGHT
#pragma acc data copyin(a)
#else
#pragma acc data copyin(a[0:2])
#endif
#pragma acc parallel loop present(a[0:2]) reduction(+ : sum)
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 8; j++)
            sum += a[i][j]; // expect: out-of-bounds
    return sum != 0;
}
