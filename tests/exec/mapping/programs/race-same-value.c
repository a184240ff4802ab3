// data race: all iterations write the same value, which is a race, too.
int main(void)
{
    int a[64], found = 0;
    for (int i = 0; i < 64; i++)
        a[i] = i;
#ifdef RIGHT
#pragma acc parallel loop copyin(a) copy(found) reduction(|| : found)
#else
#pragma acc parallel loop copyin(a) copy(found)
#endif
    for (int i = 0; i < 64; i++)
        if (a[i] > 20)
            found = 1; // checked: data-race
    return found != 1;
}
