// nothing: the kernel writes one half, and the host reads that half.
int main(void)
{
    int a[32];
#pragma acc parallel loop copyout(a)
    for (int i = 0; i < 16; i++)
        a[i] = i;
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += a[i];
    return sum != 120;
}
