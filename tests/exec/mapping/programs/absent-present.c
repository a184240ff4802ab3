// absent data: present of an array that was never mapped.
int main(void)
{
    int a[16] = {0};
#ifdef RIGHT
#pragma acc enter data copyin(a)
#endif
#pragma acc parallel loop present(a) // expect: not-present
    for (int i = 0; i < 16; i++)
        a[i] = 1;
#pragma acc exit data copyout(a)
    return a[2] != 1;
}
