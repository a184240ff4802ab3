// outside of a block: the section is one row too long.
int main()
{
    int rows = 6, columns = 10;
    double *m = new double[rows * columns]();
#ifndef RIGHT
    rows++;
#endif
#pragma omp target enter data map(to : m[0:rows * columns]) // expect: invalid-section
#pragma omp target exit data map(from : m[0:rows * columns])
    delete[] m;
    return 0;
}
