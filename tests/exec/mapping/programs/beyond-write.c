// partial section: the kernel writes the element past the section.
int main(void)
{
    int a[16] = {0};
#ifdef RIGHT
#pragma acc data copy(a[0:14])
#else
#pragma acc data copy(a[0:13])
#endif
    {
#pragma acc parallel loop present(a[0:13])
        for (int i = 0; i < 14; i++)
            a[i] = i; // expect: out-of-bounds
    }
    return a[12] != 12;
}
