// nothing: threads of the host work on their own parts of a mapped array.
int main()
{
    static int a[64];
#pragma omp parallel for num_threads(4)
    for (int t = 0; t < 4; t++) {
        int *part = a + 16 * t;
#pragma omp target map(tofrom : part[0:16])
        for (int i = 0; i < 16; i++)
            part[i] = t;
        part[0] += 1;
    }
    return a[17] != 1 || a[48] != 4;
}
