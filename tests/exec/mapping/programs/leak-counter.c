// leak: enter data in a data region; the exit data of the array is missing.
int main(void)
{
    static int a[16];
#pragma acc data copy(a) // expect: still-mapped
    {
#pragma acc enter data copyin(a)
#pragma acc parallel present(a)
        a[3] = 1;
#ifdef RIGHT
#pragma acc exit data delete(a)
#endif
    }
    return a[3] == 2; // checked: stale-data
}
