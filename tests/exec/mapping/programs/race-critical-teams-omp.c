// data race: a critical region excludes threads of its own team only.
int main(void)
{
    int n = 0;
#ifdef RIGHT
#pragma omp target teams distribute parallel for map(tofrom : n) num_teams(1)
#else
#pragma omp target teams distribute parallel for map(tofrom : n)
#endif
    for (int i = 0; i < 64; i++) {
#pragma omp critical
        n++; // checked: data-race
    }
    return n != 64;
}
