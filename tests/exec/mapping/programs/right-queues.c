// nothing: two queues with disjoint data, ordered by waits before the host reads.
int main(void)
{
    int a[32] = {0}, b[32] = {0};
#pragma acc enter data copyin(a) async(1)
#pragma acc enter data copyin(b) async(2)
#pragma acc parallel loop present(a) async(1)
    for (int i = 0; i < 32; i++)
        a[i] += 1;
#pragma acc parallel loop present(b) async(2)
    for (int i = 0; i < 32; i++)
        b[i] += 2;
#pragma acc parallel loop present(a, b) async(2) wait(1)
    for (int i = 0; i < 32; i++)
        b[i] += a[i];
#pragma acc exit data copyout(a, b) async(2)
#pragma acc wait
    return b[3] != 3;
}
