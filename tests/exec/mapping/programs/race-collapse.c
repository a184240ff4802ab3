// data race: a dependence between iterations of the inner of two collapsed loops.
int main(void)
{
    int a[8][8] = {{0}};
#ifdef RIGHT
#pragma acc parallel loop copy(a)
#else
#pragma acc parallel loop collapse(2) copy(a)
#endif
    for (int i = 0; i < 8; i++)
        for (int j = 1; j < 8; j++)
            a[i][j] = a[i][j - 1] + 1; // checked: data-race
    return a[3][7] != 7;
}
