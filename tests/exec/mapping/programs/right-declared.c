// nothing: declared variables, a constant table, and a function that uses them.
static const int powers[4] = {1, 10, 100, 1000};
int offset = 5;
#pragma acc declare copyin(offset, powers)
#pragma acc routine seq
static int value(int i) { return powers[i] + offset; }
int main(void)
{
    int a[4];
#pragma acc parallel loop copyout(a)
    for (int i = 0; i < 4; i++)
        a[i] = value(i);
    return a[2] != 105;
}
