// computes.cpp ROUNDS - the host's part in std::vector and classes, the kernels by pointers: see computes.c.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

struct Field {
    std::vector<double> values;
    explicit Field(std::size_t n) : values(n) { std::iota(values.begin(), values.end(), 0.0); }
    double &operator[](std::size_t i) { return values[i]; }
};

int main(int argc, char **argv)
{
    const std::size_t n = 1 << 20;
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
    Field a(n), b(n);
    double *pa = a.values.data(), *pb = b.values.data(), total = 0;
#pragma acc data copy(pa[0 : n]) copyin(pb[0 : n])
    for (int r = 0; r < rounds; r++) {
#pragma acc parallel loop
        for (std::size_t i = 0; i < n; i++)
            pa[i] = 0.5 * (pa[i] + pb[i]);
#pragma acc update self(pa[0 : n])
        for (double x : a.values)
            total += x;
        for (std::size_t i = 0; i < n; i++)
            b[i] += a[i] / static_cast<double>(n);
#pragma acc update device(pb[0 : n])
    }
    std::printf("%g\n", total);
}
