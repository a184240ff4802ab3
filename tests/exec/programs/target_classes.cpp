// OpenMP's target directives in classes: this, references, members.
#include <cassert>
#include <omp.h>

struct matrix {
    int rows, columns;
    double *data;
    matrix(int r, int c) : rows(r), columns(c), data(new double[r * c]())
    {
        #pragma omp target enter data map(to: this[0:1])
        #pragma omp target enter data map(to: data[0:r * c])
    }
    ~matrix()
    {
        #pragma omp target exit data map(release: data[0:rows * columns])
        #pragma omp target exit data map(release: this[0:1])
        delete[] data;
    }
    void fill(double value)
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < rows * columns; i++)
            data[i] = value + i;
    }
    double at(int i)
    {
        #pragma omp target update from(data[i:1])
        return data[i];
    }
};

template <typename T>
static T last(T (&array)[4])
{
    T result{};
    #pragma omp target map(from: result) map(to: array)
    result = array[3];
    return result;
}

int main()
{
    matrix m(3, 4);
    m.fill(2);
    assert(m.data[7] == 0 && m.at(7) == 9);
    int four[4] = {1, 2, 3, 4}, &first = four[0];
    assert(last(four) == 4);
    #pragma omp target map(tofrom: first)
    first = 10;
    assert(four[0] == 10 && four[1] == 2);
}
