// unmapped twice: two exit data for one enter data.
int main(void)
{
    int a[16] = {0};
#pragma acc enter data copyin(a)
#pragma acc exit data delete(a)
#ifndef RIGHT
#pragma acc exit data delete(a) // expect: not-present
#endif
    return 0;
}
