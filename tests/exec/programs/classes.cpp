// References, members reached through `this`, a template, and an array of a class.
#include <cassert>
#include <openacc.h>

template <class T> class series {
public:
    explicit series(int n) : count(n), data(new T[n])
    {
        for (int i = 0; i < n; i++)
            data[i] = T(i);
    }
    ~series() { delete[] data; }
    void enter()
    {
#pragma acc enter data copyin(this[0 : 1])
#pragma acc enter data copyin(data[0 : count])
    }
    void leave()
    {
#pragma acc exit data copyout(data[0 : count])
#pragma acc exit data delete (this[0 : 1])
    }
    void add(T by)
    {
#pragma acc parallel loop present(this[0 : 1], data[0 : count])
        for (int i = 0; i < count; i++)
            data[i] += by;
    }
    int count;
    T *data;
};

static void twice(double (&x)[8])
{
#pragma acc parallel loop copy(x)
    for (int i = 0; i < 8; i++)
        x[i] *= 2;
}

int main()
{
    series<float> s(10);
    s.enter();
    assert(acc_is_present(s.data, 40));
    s.add(0.5f);
    s.add(1);
    assert(s.data[4] == 4);
    s.leave();
    assert(s.data[4] == 5.5f && !acc_is_present(s.data, 4));
    double x[8] = {1, 2, 3};
    twice(x);
    assert(x[2] == 6);
    return 0;
}
