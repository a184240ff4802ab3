// data race: a function for devices counts in a variable of the device.
#pragma omp declare target
static int calls;
static int twice(int x)
{
#ifdef RIGHT
#pragma omp atomic
#endif
    calls++; // checked: data-race
    return 2 * x;
}
#pragma omp end declare target

int main(void)
{
    int a[64];
#pragma omp target teams distribute parallel for map(from : a)
    for (int i = 0; i < 64; i++)
        a[i] = twice(i);
    return a[5] != 10;
}
