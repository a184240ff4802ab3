// data race: the vector loop is independent, the sequential one around it is not.
int main(void)
{
    int a[8][8] = {{0}};
#pragma acc parallel copy(a)
    {
#ifdef RIGHT
#pragma acc loop seq
#else
#pragma acc loop gang
#endif
        for (int i = 1; i < 8; i++)
#pragma acc loop vector
            for (int j = 0; j < 8; j++)
                a[i][j] = a[i - 1][j] + 1; // checked: data-race
    }
    return a[7][3] != 7;
}
