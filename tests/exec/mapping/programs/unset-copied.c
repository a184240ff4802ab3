// uninitialized data: nothing was written to what copyout copies.
int main(void)
{
    int a[16] = {0}, b[16] = {0};
#pragma acc parallel loop copyin(a) copyout(b) // strict: uninitialized-read
    for (int i = 0; i < 16; i++)
#ifdef RIGHT
        b[i] = a[i];
#else
        b[i] = b[i]; // checked: uninitialized-read
#endif
    return b[3] == 1; // checked: uninitialized-read
}
