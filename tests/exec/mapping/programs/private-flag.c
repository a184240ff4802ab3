// private copy: the kernel changes its own copy of a scalar.
int main(void)
{
    int a[16] = {0}, found = 0;
    a[3] = 1;
#ifdef RIGHT
#pragma acc parallel loop copyin(a) copy(found)
#else
#pragma acc parallel loop copyin(a) // checked: lost-change
#endif
    for (int i = 0; i < 16; i++)
        if (a[i])
            found = 1;
    return found == 2;
}
