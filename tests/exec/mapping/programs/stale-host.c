// stale host data: the host reads what a kernel has changed, without an update.
int main(void)
{
    int a[16] = {0}, seen = 0;
#pragma acc data copy(a)
    {
#pragma acc parallel loop present(a)
        for (int i = 0; i < 16; i++)
            a[i] = i;
#ifdef RIGHT
#pragma acc update self(a)
#endif
        seen = a[9]; // checked: stale-data
    }
#ifdef RIGHT
    return seen != 9;
#else
    return seen;
#endif
}
