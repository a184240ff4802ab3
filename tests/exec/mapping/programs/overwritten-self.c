// overwritten change: update self where update device is needed.
int main(void)
{
    int a[16] = {0}, sum = 0;
#pragma acc enter data copyin(a)
    for (int i = 0; i < 16; i++)
        a[i] = 1;
#ifdef RIGHT
#pragma acc update device(a)
#else
#pragma acc update self(a) // expect: overwritten-change
#endif
#pragma acc parallel loop present(a) reduction(+ : sum)
    for (int i = 0; i < 16; i++)
        sum += a[i];
#pragma acc exit data delete(a)
    return sum > 16;
}
