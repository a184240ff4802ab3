// absent data: update of data that were unmapped before.
int main(void)
{
    int a[16] = {0};
#pragma acc enter data copyin(a)
#pragma acc parallel loop present(a)
    for (int i = 0; i < 16; i++)
        a[i] = 1;
#ifdef RIGHT
#pragma acc update self(a)
#pragma acc exit data delete(a)
#else
#pragma acc exit data copyout(a)
#pragma acc update self(a) // expect: not-present
#endif
    return a[2] != 1;
}
