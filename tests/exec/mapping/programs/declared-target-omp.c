// declared variables: the host changes the variable after the start, and no update sends it.
#pragma omp declare target
int scale = 1;
int table[8];
#pragma omp end declare target
int main(void)
{
    int value = 0;
    scale = 3;
#ifdef RIGHT
#pragma omp target update to(scale)
#endif
#pragma omp target map(from : value) // strict: stale-data
    value = scale; // checked: stale-data
    return value == 2;
}
