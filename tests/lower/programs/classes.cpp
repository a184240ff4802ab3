// Namespaces, private members, references, this, inheritance, auto, lambdas, constexpr, using, anonymous unions.
#include <cstdio>
namespace outer { namespace { constexpr int FACTOR = 2; }
namespace inner {
class part {
    int n_;
    float *x_;
    union { int a; float f; };
    #pragma acc shape include(x_[0:n_ * FACTOR])
public:
    part() : n_(0), x_(nullptr), a(0) {}
    void fill(int n, float v) { n_ = n; x_ = new float[n * FACTOR]; for (int i = 0; i < n * FACTOR; i++) x_[i] = v; }
    void add(float v) { for (int i = 0; i < n_ * FACTOR; i++) x_[i] += v; }
    float last() const { return x_[n_ * FACTOR - 1]; }
};
}
struct base { int m = 3; double *d = nullptr;
    #pragma acc shape include(d[0:m])
    virtual ~base() {}
};
class derived : public base {
    inner::part *parts; int np;
    inner::part one;
    #pragma acc shape include(parts[0:count()])
    int count() const { return np; }
    class hidden {
    public:
        int k;
        float *y;
        #pragma acc shape include(y[0:k])
    } h;
public:
    derived(int n);
    derived(const derived &) = delete;
    derived &operator=(const derived &) = delete;
    void on_device();
    void print(const char *what) { printf("%s %g %g %g %g\n", what, parts[np - 1].last(), one.last(), d[2], h.y[0]); }
};
derived::derived(int n) : base(), parts(new inner::part[n]), np{n}, one() {
    d = new double[3]{1, 2, 3};
    h = {2, new float[2]{5, 6}};
    for (int i = 0; i < n; i++) parts[i].fill(i + 1, i);
    one.fill(2, 9);
#pragma acc enter data copyin(this[0:1])
}
void derived::on_device()
{
    auto work = [this](float v) {
        #pragma acc parallel present(this[0:1])
        {
            for (int i = 0; i < np; i++)
                parts[i].add(v);
            one.add(v);
            d[2] += v;
            h.y[0] += v;
        }
    };
    work(1);
    #pragma acc update self(this[0:1])
}
}
using outer::derived;
template<class T> static void leave(T &t)
{
#pragma acc exit data copyout(t)
}
int main()
{
    derived d(3);
    auto &r = d;
    r.on_device();
    r.print("updated");
    r.on_device();
    leave(r);
    r.print("left");
    try {
        const derived &c = d;
        #pragma acc data copyin(c)
        try {
            #pragma acc serial present(c)
            ;
        } catch (...) {
            printf("never\n");
        }
    } catch (int) {
    }
    return 0;
}
