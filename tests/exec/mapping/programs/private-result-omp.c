// private copy: the scalar is firstprivate in the target region, which changes its copy.
int main(void)
{
    int count = 0;
#ifdef RIGHT
#pragma omp target map(tofrom : count)
#else
#pragma omp target // checked: lost-change
#endif
    for (int i = 0; i < 10; i++)
        count++;
    return count == 11;
}
