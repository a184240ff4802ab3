// leak: enter data without exit data.
int main(void)
{
    static int a[16];
#pragma acc enter data copyin(a) // expect: still-mapped
#pragma acc parallel present(a)
    a[3] = 1;
#ifdef RIGHT
#pragma acc exit data copyout(a)
#else
#pragma acc update self(a)
#endif
    return a[3] == 2;
}
