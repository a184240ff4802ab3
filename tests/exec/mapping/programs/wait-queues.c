// missing wait: the update is in another queue than the kernel.
int main(void)
{
    int a[16] = {0};
#pragma acc enter data copyin(a)
#pragma acc parallel loop present(a) async(1)
    for (int i = 0; i < 16; i++)
        a[i] = i;
#ifdef RIGHT
#pragma acc update self(a) async(2) wait(1)
#else
#pragma acc update self(a) async(2) // expect: missing-wait
#endif
#pragma acc wait
#pragma acc exit data delete(a)
    return a[4] != 4;
}
