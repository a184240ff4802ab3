// data race: a scalar that is declared in the team's region, and that its threads share.
int main(void)
{
    int a[8][8], b[8][8];
    for (int i = 0; i < 64; i++)
        a[i / 8][i % 8] = i;
#pragma omp target teams distribute map(to : a) map(from : b)
    for (int i = 0; i < 8; i++) {
        int t = 0;
#ifdef RIGHT
#pragma omp parallel for private(t)
#else
#pragma omp parallel for
#endif
        for (int j = 0; j < 8; j++) {
            t = a[i][j]; // checked: data-race
            b[i][j] = t;
        }
    }
    return b[3][3] != 27;
}
