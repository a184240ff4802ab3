// stale device data: a setter changes the host's copy only.
#include <cstddef>
template <typename T> struct box {
    T v[12] = {};
    void set(std::size_t i, T value)
    {
        v[i] = value;
#ifdef RIGHT
        T *at = v;
#pragma acc update device(at[0:12])
#endif
    }
};
int main()
{
    static box<int> b;
    int sum = 0;
#pragma acc enter data copyin(b)
    b.set(3, 7);
#pragma acc parallel loop present(b) reduction(+ : sum) // strict: stale-data
    for (int i = 0; i < 12; i++)
        sum += b.v[i]; // checked: stale-data
#pragma acc exit data delete(b)
    return sum > 7;
}
