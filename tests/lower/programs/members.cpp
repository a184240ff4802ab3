// Lambdas with this, private base classes, members of pairs and arrays, templates with numbers, packs.
// clang: no: clang 14 crashes at `this` in a lambda.
#include <cstdio>
#include <memory>
#include <utility>
#include <tuple>
#include <array>
struct A {
    int n = 4;
    double *x = new double[4]{1, 2, 3, 4};
#pragma acc shape include(x [0:n])
    int scale = 2;
    double run(double by)
    {
        double s = 0;
        auto up = [this, by](int k) {
#pragma acc parallel loop copy(this [0:1])
            for (int i = 0; i < n; i++)
                x[i] += by * k * scale;
        };
        up(1);
        auto all = [&](auto f) {
#pragma acc data copy(this [0:1])
            {
                f();
#pragma acc parallel loop
                for (int i = 0; i < n; i++)
                    x[i] += 1;
            }
        };
        all([&] {
#pragma acc parallel loop present(this [0:1])
            for (int i = 0; i < n; i++)
                x[i] *= 2;
        });
        auto copy_of = [*this]() { return x[0]; };
#pragma acc parallel loop copyin(this [0:1]) reduction(+ : s)
        for (int i = 0; i < n; i++)
            s += x[i];
        return s + copy_of();
    }
    void shadow(int n)
    {
        double x = 5;
#pragma acc parallel loop copy(this [0:1])
        for (int i = 0; i < n; i++)
            this->x[i] += x;
    }
    double &operator[](int i)
    {
        return x[i];
    }
    double *data()
    {
        return x;
    }
    int size() const
    {
        return n;
    }
};

struct B : private A {
    int m = 2;
    double *y = new double[2]{};
#pragma acc shape include(y [0:m])
    void go()
    {
#pragma acc parallel loop copy(this [0:1])
        for (int i = 0; i < m; i++)
            y[i] += x[i] + n + 3;
        std::printf("%g %g\n", y[0], y[1]);
    }
};
struct C : virtual A {
    int *z = new int[3]{1, 2, 3};
#pragma acc shape include(z [0:3])
    virtual ~C()
    {
        delete[] z;
    }
};
template <int N, class T = float> struct stat {
    T a[N];
    T *p = new T[N]();
#pragma acc shape include(p [0:N])
    template <int K> static void add(stat<K, T> &s)
    {
#pragma acc parallel loop copy(s)
        for (int i = 0; i < K; i++)
            s.p[i] += K;
    }
};
template <class S> auto sum_of(S &s, int n) -> decltype(s.p[0] + 0)
{
    decltype(s.p[0] + 0) t{};
#pragma acc parallel loop copyin(s) reduction(+ : t)
    for (int i = 0; i < n; i++)
        t += s.p[i];
    return t;
}
template <class... Ts> void each(Ts &...ts)
{
    (
        [&](auto &t) {
#pragma acc parallel loop copy(t)
            for (int i = 0; i < 2; i++)
                t.p[i] += 1;
        }(ts),
        ...);
}
int main()
{
    A a;
    std::printf("%g\n", a.run(1));
    a.shadow(3);
    std::printf("%g %g\n", a.x[0], a.x[3]);
    B b;
    b.go();
    stat<3> s3;
    stat<4, double> s4;
    stat<3>::add(s3);
    stat<1, double>::add(s4);
    each(s3, s4);
    std::printf("%g %g\n", double(sum_of(s3, 3)), sum_of(s4, 4));
    std::pair<A, int> pr{a, 2};
    auto &[f, k] = pr;
    auto &pf = pr.first;
#pragma acc parallel loop copy(pf)
    for (int i = 0; i < pf.n; i++)
        pf.x[i] += 1;
#pragma acc parallel loop copy(pr.first)
    for (int i = 0; i < pr.first.n; i++)
        pr.first.x[i] += 1;
    std::printf("%g %d\n", f.x[1], k);
    std::array<A, 2> arr;
#pragma acc parallel loop copy(arr)
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 4; i++)
            arr[j].x[i] += j;
    std::printf("%g\n", arr[1].x[0]);
    auto u = std::make_unique<A[]>(2);
    A *raw = u.get();
#pragma acc enter data copyin(raw [0:2])
#pragma acc parallel loop present(raw [0:2])
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < raw[j].n; i++)
            raw[j].x[i] += j + 1;
#pragma acc update self(raw [0:2])
    std::printf("%g\n", u[1].x[0]);
#pragma acc exit data delete (raw [0:2])
    const auto &ca = a;
    const A *pa = &ca;
    double tot = 0;
#pragma acc parallel loop copyin(pa [0:1]) reduction(+ : tot)
    for (int i = 0; i < pa->n; i++)
        tot += pa->x[i];
    std::printf("%g\n", tot);
}
