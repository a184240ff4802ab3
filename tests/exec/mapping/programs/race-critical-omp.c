// data race: two critical regions of different names protect one variable.
int main(void)
{
    int n = 0;
#pragma omp target parallel for map(tofrom : n)
    for (int i = 0; i < 64; i++) {
#pragma omp critical(first)
        n++; // checked: data-race
#ifdef RIGHT
#pragma omp critical(first)
#else
#pragma omp critical(second)
#endif
        n += 2; // checked: data-race
    }
    return n != 192;
}
