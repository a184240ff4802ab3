// TR14, chapter 2: std::vector, a class that the program cannot change, has a shape from outside.
#include <cstdio>
#include <vector>

#pragma acc shape type(std::_Vector_base::_Vector_impl) \
    include(_M_start[0:_M_finish - _M_start], _M_finish[@_M_start], _M_end_of_storage[@_M_start])

struct item {
    int n;
    float *x;
    #pragma acc shape include(x[0:n])
};

class grid {
    std::vector<float> values;
    std::vector<std::vector<double>> rows;
    std::vector<item> items;
    int size_ = 3;

public:
    explicit grid(int n) : values(n, 1), rows(2, std::vector<double>(n, 2)), items(2)
    {
        for (auto &one : items)
            one = { n, new float[n]() };
        #pragma acc enter data copyin(this[0:1])
    }
    grid(const grid &) = delete;
    grid &operator=(const grid &) = delete;
    ~grid()
    {
        #pragma acc exit data delete(this[0:1])
        for (auto &one : items)
            delete[] one.x;
    }
    void step()
    {
        #pragma acc parallel present(this[0:1])
        for (int i = 0; i < size_; i++) {
            values[i] += i;
            rows[1][i] += values[i];
            items[1].x[i] = values[i];
        }
    }
    void print()
    {
        #pragma acc update self(this[0:1])
        printf("grid: %g %g %g\n", values[2], rows[1][2], items[1].x[1]);
    }
};

int main()
{
    std::vector<int> v{1, 2, 3, 4};
    v.reserve(100);
    #pragma acc data copy(v)
    {
        #pragma acc parallel present(v)
        for (int &i : v)
            i *= 2;
    }
    printf("vector: %d %d, %zu of %zu\n", v[0], v[3], v.size(), v.capacity());
    v.push_back(5);

    grid g(3);
    g.step();
    g.step();
    g.print();
    printf("line %d\n", __LINE__);
    return 0;
}
