// lost change: the result is removed, not copied.
int main(void)
{
    int a[16] = {0};
#pragma acc enter data copyin(a)
#pragma acc parallel loop present(a)
    for (int i = 0; i < 16; i++)
        a[i] = i;
#ifdef RIGHT
#pragma acc exit data copyout(a)
#else
#pragma acc exit data delete(a) // strict: lost-change
#endif
    return a[4] == 5; // checked: stale-data
}
