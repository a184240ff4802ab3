// Old data of the host that the standard library reads, a part each: algorithms, containers, files.
#include <algorithm>
#include <fstream>
#include <numeric>
#include <vector>

static double sum(const std::vector<double> &of)
{
    return std::accumulate(of.begin() + 16, of.begin() + 32, 0.);
}

int main()
{
    std::vector<double> x(64), y(64);
    double *p = x.data();
    #pragma acc enter data copyin(p[0:64])
    #pragma acc parallel loop present(p[0:64])
    for (int i = 0; i < 64; i++)
        p[i] = 64 - i;
    std::copy(x.begin(), x.begin() + 16, y.begin());
    double all = sum(x);
    std::ofstream("/dev/null").write(reinterpret_cast<char *>(p + 32), 16 * sizeof *p);
    std::sort(x.begin() + 48, x.end());
    std::ifstream("/dev/zero").read(reinterpret_cast<char *>(p), 8 * sizeof *p);
    #pragma acc exit data copyout(p[0:64])
    return all < y[1];
}
