// data race: neighbouring bytes of a word are changed together.
int main(void)
{
    char a[64] = {0};
#ifdef RIGHT
#pragma acc parallel loop copy(a)
#else
#pragma acc parallel loop copy(a)
#endif
    for (int i = 0; i < 63; i++)
#ifdef RIGHT
        a[i] = 1;
#else
        a[i / 2 * 2] = (char)i; // checked: data-race
#endif
    return a[5] == 99;
}
