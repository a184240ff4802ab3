// partial section: an index is larger than the array by far.
#include <vector>
int main()
{
    std::vector<int> v(64, 1);
    int *p = v.data(), sum = 0;
#ifdef RIGHT
    int step = 1;
#else
    int step = 1000;
#endif
#pragma acc parallel loop copyin(p[0:64]) copyin(step) reduction(+ : sum)
    for (int i = 0; i < 64; i++)
        sum += p[i * step]; // expect: out-of-bounds
    return sum != 64;
}
