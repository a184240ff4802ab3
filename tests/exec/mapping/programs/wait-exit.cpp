// missing wait: the data are unmapped while a kernel uses them.
int main()
{
    int a[64] = {};
#pragma acc enter data copyin(a)
#pragma acc parallel loop present(a) async
    for (int i = 0; i < 64; i++)
        a[i] = i;
#ifdef RIGHT
#pragma acc wait
#endif
#pragma acc exit data copyout(a) // expect: missing-wait
#pragma acc wait
    return a[4] != 4;
}
