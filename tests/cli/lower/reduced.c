int f(int *a, int n)
{
    int sum = 0, count = 0, last = 0;
#pragma acc serial copyin(a[0:n])
    {
        last = a[0];
#pragma acc loop reduction(+ : sum)
        for (int i = 0; i < n; i++)
            sum += a[i] + last;
    }
#pragma acc kernels copyin(a[0:n])
    {
        last = a[0];
#pragma acc loop independent reduction(+ : count)
        for (int i = 0; i < n; i++) {
            int part = 0;
#pragma acc loop reduction(+ : part)
            for (int k = 0; k < 2; k++)
                part += a[i] > k;
            count += part + last;
        }
    }
    return sum + count;
}
