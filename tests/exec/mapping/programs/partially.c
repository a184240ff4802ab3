// partial section: a part of the section is present already.
int main(void)
{
    int a[16] = {0};
#ifdef RIGHT
#pragma acc enter data copyin(a[0:16])
#else
#pragma acc enter data copyin(a[0:8])
#endif
#pragma acc parallel loop copy(a[4:8]) // expect: partially-present
    for (int i = 4; i < 12; i++)
        a[i] = 1;
#pragma acc exit data copyout(a)
    return a[5] != 1;
}
