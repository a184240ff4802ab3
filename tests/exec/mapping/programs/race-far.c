// data race: iterations that are far apart use the same element.
int main(void)
{
    int a[128];
    for (int i = 0; i < 128; i++)
        a[i] = i;

#ifdef RIGHT
#pragma acc parallel loop copy(a)
#else
#pragma acc parallel loop copy(a)
#endif
    for (int i = 0; i < 64; i++)
#ifdef RIGHT
        a[i] = a[i + 64];
#else
        a[i + 32] = a[i + 64]; // checked: data-race
#endif
    return a[1] < 0;
}
