// TR14, figure A.2: shapes of a class template and of classes that contain it. The values are those of
// spec/tr14/A.2-figure.lua.
#include <openacc.h>
#include <cstdio>

// Where host and device share their memory everything is present: then it is as it should be.
static bool is_right(const void *p, size_t bytes, bool wanted)
{
    static char unmapped;
    return acc_is_present((void *)&unmapped, 1) || (acc_is_present((void *)p, bytes) != 0) == wanted;
}

template<typename T>
class vector {
    T *base;
    T *end;
    T *reserved;
    int size() { return end - base; }
    #pragma acc shape include(base[0:size()], end[@base], reserved[@base])
public:
    vector(int n, int spare, T first, T step) : base(new T[n + spare]), end(base + n), reserved(end + spare)
    {
        for (int i = 0; i < n; i++)
            base[i] = first + step * i;
    }
    vector(const vector &) = delete;
    vector &operator=(const vector &) = delete;
    ~vector() { delete[] base; }
    T *begin() const { return base; }
    T *finish() const { return end; }
    T *most() const { return reserved; }
    bool is_there(bool wanted) const { return is_right(base, sizeof(T), wanted); }
};

class Data {
    vector<float> d1;
    vector<float> d2;
    // This named shape excludes member d2
    #pragma acc shape(only_d1) exclude(d2)
public:
    Data(float first, float second) : d1(2, 0, first, 1), d2(1, 1, second, 0) {}
    vector<float> &one() { return d1; }
    vector<float> &two() { return d2; }
};

class Stuff {
    Data data1;
    Data data2;
    vector<float> raw;
    int direct[100];
    #pragma acc shape default(include) exclude(raw)
    #pragma acc shape(data1) exclude(data2)
    #pragma acc shape(data2) exclude(data1)
    #pragma acc shape(small) include<only_d1>(data1,data2)
public:
    Stuff() : data1(1, 2), data2(3, 4), raw(1, 0, 5, 0), direct() {}
    void present(const char *what, bool d11, bool d12, bool d21, bool d22)
    {
        printf("%s: data1 %d %d, data2 %d %d, raw %d\n", what, data1.one().is_there(d11), data1.two().is_there(d12),
               data2.one().is_there(d21), data2.two().is_there(d22), raw.is_there(false));
    }
    void small()
    {
        #pragma acc parallel present<small>(this[0:1])
        {
            direct[7] = 77;
            data2.one().begin()[1] = 33;
        }
    }
    void print() { printf("direct %d, data2.d1 %g\n", direct[7], data2.one().begin()[1]); }
};

int main()
{
    vector<float> v1(3, 2, 1, 1);
    #pragma acc data copy(v1)
    {
        #pragma acc parallel present(v1)
        for (float *p = v1.begin(); p != v1.finish(); p++)
            *p *= 2;
        #pragma acc update self(v1)
        printf("update self(v1): %g %g %g\n", v1.begin()[0], v1.begin()[1], v1.begin()[2]);
        long distance = 0;
        #pragma acc parallel present(v1) copyout(distance)
        distance = v1.most() - v1.begin();
        printf("reserved: %ld\n", distance);
    }
    printf("after the region: %d\n", v1.is_there(false));

    Data d(1, 3);
    #pragma acc data copy(d)
    printf("copy(d): %d %d\n", d.one().is_there(true), d.two().is_there(true));
    #pragma acc data copy<only_d1>(d)
    printf("copy<only_d1>(d): %d %d\n", d.one().is_there(true), d.two().is_there(false));

    Stuff s;
    #pragma acc data copyin(s)
    s.present("copyin(s)", true, true, true, true);
    #pragma acc data copyin<data1>(s)
    s.present("copyin<data1>(s)", true, true, false, false);
    #pragma acc data copyin<data2>(s)
    s.present("copyin<data2>(s)", false, false, true, true);
    #pragma acc data copy<small>(s)
    {
        s.present("copy<small>(s)", true, false, true, false);
        s.small();
    }
    s.print();
    printf("line %d\n", __LINE__);
    return 0;
}
