// freed while mapped: the array of a function that has returned is still mapped.
__attribute__((noinline)) static int use(int start)
{
    int local[32] = {0};
    local[3] = start;
#pragma acc enter data copyin(local) // expect: still-mapped
#pragma acc parallel present(local)
    local[3]++;
#ifdef RIGHT
#pragma acc exit data copyout(local)
#endif
    return start;
}
__attribute__((noinline)) static int other(int start)
{
    int local[48] = {0};
    local[1] = start;
#pragma acc parallel copy(local) // may: lost-change
    local[1]++;
    return local[1];
}
int main(void)
{
    return use(1) < 0 || other(1) != 2;
}
