// data race: none: kernels follow each other, and each reads what the one before has written.
int main(void)
{
    int a[16][16] = {{0}};
#pragma acc data copy(a)
    for (int d = 2; d < 31; d++) {
        int first = d > 15 ? d - 15 : 1, last = d < 16 ? d - 1 : 15;
#pragma acc parallel loop
        for (int i = first; i <= last; i++)
            a[i][d - i] = a[i - 1][d - i] + a[i][d - i - 1] + 1;
    }
    return a[2][2] < 1;
}
