// data race: a sum without reduction; each gang has a copy of the variable.
int main(void)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;
    int s = 0;
#ifdef RIGHT
#pragma acc parallel loop reduction(+ : s)
#else
#pragma acc parallel loop
#endif
    for (int i = 0; i < 64; i++)
        s += a[i]; // checked: data-race
    return s > 2016;
}
