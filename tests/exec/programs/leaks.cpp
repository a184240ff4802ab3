// Reports in code of the C++ library, and of many objects. One defect for each argument.
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

struct Field {
    int n;
    std::complex<double> *x, *y;
    void scale(int i) const { x[i] *= 2.0; }
};

static void fill(std::vector<double> &v)
{
    v.push_back(2); // moves the elements
}

static double sum(const double *now, int n)
{
    double total = 0;
    for (int i = 0; i < n; i++) total += now[i];
    return total;
}

int main(int argc, char **argv)
{
    const char *way = argv[argc - 1];
    enum { PARTS = 40, N = 8 };
    std::vector<double> v(100, 1.0);
    std::vector<Field> fields(PARTS);
    for (auto &f : fields) f = {N, new std::complex<double>[N], new std::complex<double>[N]};
    Field *p = fields.data(), f = p[0];
    double *next = v.data();
    if (!strcmp(way, "vector")) {
#pragma omp target enter data map(to: next[0:100])
        fill(v);
    } else if (!strcmp(way, "complex")) {
#pragma omp target map(f)
        f.scale(1);
    } else if (!strcmp(way, "names")) {
#pragma omp target enter data map(to: next[0:100])
#pragma omp target
        for (int i = 0; i < 100; i++) next[i] = i;
        printf("%g\n", sum(next, 100));
#pragma omp target exit data map(delete: next[0:100])
    } else {
#pragma omp target enter data map(to: p[0:PARTS])
        for (int k = 0; k < PARTS; k++) {
#pragma omp target enter data map(to: p[k].x[0:N])
#pragma omp target enter data map(to: p[k].y[0:N])
        }
        for (int k = 0; k < PARTS && !strcmp(way, "free"); k++) delete[] p[k].x, delete[] p[k].y;
        if (strcmp(way, "free")) new std::vector<Field>(std::move(fields)); // stays to the end
    }
}
