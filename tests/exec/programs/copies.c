/* Scalars that the compiler keeps in registers: it passes copies of them. */
static int sum(const int *a, int n, int factor)
{
    int total = 0;
#pragma acc data present(a[0:n])
#pragma acc parallel loop reduction(+:total)
    for (int i = 0; i < n; i++)
        total += factor * a[i];
    return total;
}

int main(int argc, char **argv)
{
    int a[4] = {1, 2, 3, 4};
    (void)argv;
#pragma acc data copyin(a)
    a[0] = sum(a, 4, argc);
    return a[0] == 10 ? 0 : 1;
}
