// freed while mapped: the destructor of the vector frees its elements, which are still mapped.
#include <vector>
static int use(int start)
{
    std::vector<int> v(50, start);
    int *p = v.data(), value = 0;
#pragma omp target enter data map(to : p[0:50]) // expect: still-mapped
#pragma omp target map(from : value)
    value = p[4];
#ifdef RIGHT
#pragma omp target exit data map(release : p[0:50])
#endif
    return value;
} // expect: still-mapped
int main()
{
    return use(3) != 3;
}
