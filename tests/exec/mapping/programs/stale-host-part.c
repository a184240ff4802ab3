// stale host data: the update copies one half, and the host reads the other one, too.
int main(void)
{
    double a[32] = {0};
#pragma acc enter data copyin(a)
#pragma acc parallel loop present(a)
    for (int i = 0; i < 32; i++)
        a[i] = 2;
#ifdef RIGHT
#pragma acc update self(a)
#else
#pragma acc update self(a[0:16])
#endif
    double last = a[31]; // checked: stale-data
#pragma acc exit data delete(a) // strict: lost-change
    return last < 0;
}
