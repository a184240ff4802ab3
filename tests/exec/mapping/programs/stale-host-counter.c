// stale host data: copyout decrements the counter from 2 to 1, and copies nothing.
int main(void)
{
    int a[16] = {0};
#pragma acc enter data copyin(a) // expect: still-mapped
#ifndef RIGHT
#pragma acc enter data copyin(a)
#endif
#pragma acc parallel loop present(a)
    for (int i = 0; i < 16; i++)
        a[i] = 4;
#pragma acc exit data copyout(a)
    return a[3] < 0; // checked: stale-data
}
