// nothing: chunks of one iteration, which a team of one thread gets one by one.
int main(void)
{
    int a[64] = {0}, b[64] = {0}, wrong = 0;
    unsigned long none = 0;
#pragma omp target teams distribute parallel for schedule(static, 1) map(tofrom: a)
    for (int i = 0; i < 64; i++)
        a[i] += i;
#pragma omp target map(tofrom: b)
#pragma omp parallel for schedule(static, 1)
    for (unsigned long i = 64; i > 0; i--)
        b[i - 1] += (int)i;
#pragma omp target teams distribute parallel for schedule(static, 1) map(tofrom: a)
    for (unsigned long i = 0; i < none; i++)
        a[i] = -1;
    for (int i = 0; i < 64; i++)
        wrong += a[i] != i || b[i] != i + 1;
    return wrong;
}
