// changed pointer: a kernel moves an attached pointer, and the host reads its own after the data are unmapped.
struct list {
    int *at;
};

int main(void)
{
    int a[4] = {1, 2, 3, 4}, seen = 0;
    struct list list = {a};
#pragma omp target data map(tofrom : list) map(tofrom : list.at[0 : 2])
    {
#ifdef RIGHT
#pragma omp target map(tofrom : list, seen)
        seen = *(list.at + 1);
#else
#pragma omp target map(tofrom : list, seen) // expect: pointer-changed
        seen = *++list.at;
#endif
    }
    return list.at != a || seen != 2;
}
