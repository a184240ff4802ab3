// partial section: the section is that of the vector before it grew.
#include <vector>
int main()
{
    std::vector<double> v(10, 1.0);
    int n = (int)v.size();
    v.resize(20, 1.0);
#ifdef RIGHT
    n = (int)v.size();
#endif
    double *p = v.data(), sum = 0;
#pragma omp target map(to : p[0:n]) map(tofrom : sum)
    for (int i = 0; i < 20; i++)
        sum += p[i]; // expect: out-of-bounds
    return sum != 20;
}
