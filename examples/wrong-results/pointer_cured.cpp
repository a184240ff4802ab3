#include <cstdio>

struct Field {
    int n;
    double *value;
};

int main()
{
    double storage[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    Field f = {8, storage};
#pragma omp target enter data map(to: f, f.value[0:f.n])
#pragma omp target teams distribute parallel for map(alloc: f)
    for (int i = 0; i < f.n; i++)
        f.value[i] *= 2;
#pragma omp target exit data map(from: f.value[0:f.n]) map(delete: f)
    std::printf("%g\n", f.value[7]);
}
