// uninitialized data: create where copy is needed; the kernel adds to it.
int main(void)
{
    int a[16] = {0};
#ifdef RIGHT
#pragma acc data copy(a)
#else
#pragma acc data create(a)
#endif
    {
#pragma acc parallel loop present(a)
        for (int i = 0; i < 16; i++)
            a[i] += 1; // checked: uninitialized-read
#ifndef RIGHT
#pragma acc update self(a)
#endif
    }
    return a[4] == 2;
}
