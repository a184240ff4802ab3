// stale device data: the host changes an element, and no update sends it.
int main(void)
{
    int a[16] = {0}, sum = 0;
#pragma acc enter data copyin(a)
    a[5] = 1;
#ifdef RIGHT
#pragma acc update device(a[5:1])
#endif
#pragma acc parallel loop present(a) reduction(+ : sum) // strict: stale-data
    for (int i = 0; i < 16; i++)
        sum += a[i]; // checked: stale-data
#pragma acc exit data delete(a)
    return sum > 1;
}
