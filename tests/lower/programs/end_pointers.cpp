// Pointers to the end of data in member functions: in a class, a template, a lambda, with clauses and without.
#include <cstdio>
struct layer {
    int n;
    float *w, *e;
#pragma acc shape init_needed(n) include(w [0:n], e[@w])
    explicit layer(int count) : n(count), w(new float[count]), e(w + count)
    {
        for (int i = 0; i < n; i++)
            w[i] = (float)i;
    }
    float at(int i) const { return w[i]; }
    float sum()
    {
        float s = 0;
#pragma acc parallel present(this [0:1]) copy(s)
        {
            for (float *p = w; p != e; ++p)
                s += *p;
            s += at(1);
        }
        return s;
    }
    float twice()
    {
        auto f = [this](float by) {
            float s = 0;
#pragma acc serial copy(s)
            for (float *p = this->w; p != e; ++p) {
                *p *= by;
                s += *p;
            }
            return s;
        };
        return f(2);
    }
};
template <class T> struct list {
    T *first, *last;
    int n;
#pragma acc shape init_needed(n) include(first [0:n], last[@first])
    T total()
    {
        T s = 0;
#pragma acc serial copyin(this [0:1]) copy(s)
        for (T *p = first; p != last; ++p)
            s += *p;
        return s;
    }
};
struct net {
    layer *more;
    int k;
#pragma acc shape init_needed(k) include(more [0:k])
};
int main()
{
    layer layers[2] = {layer(3), layer(4)};
    net N = {layers, 2};
#pragma acc enter data copyin(N)
    std::printf("%g %g\n", layers[0].sum(), layers[1].sum());
    std::printf("%g %g\n", layers[0].twice(), layers[1].twice());
#pragma acc exit data copyout(N)
    std::printf("%g %g\n", layers[0].w[2], layers[1].w[3]);
    list<double> a = {new double[2]{1, 2}, nullptr, 2};
    list<int> b = {new int[3]{1, 2, 3}, nullptr, 3};
    a.last = a.first + 2;
    b.last = b.first + 3;
    std::printf("%g %d\n", a.total(), b.total());
}
