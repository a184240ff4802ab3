// Directives in templates: several instances of one directive, some never made; elements that are deep themselves.
#include <cstdio>
struct item { int n; float *x;
#pragma acc shape include(x[0:n])
};
template<class T, int N = 3> class list {
    T *base, *end;
    int k[N];
public:
    list() : base(new T[N]), end(base + N) { for (int i = 0; i < N; i++) k[i] = i; }
    T &operator[](int i) { return base[i]; }
    #pragma acc shape include(base[0:end - base], end[@base])
    void go() {
#pragma acc data copy(this[0:1])
        {
#pragma acc parallel present(this[0:1])
            k[N - 1] += 10;
        }
    }
    int sum() { int s = 0; for (int i = 0; i < N; i++) s += k[i]; return s; }
};
template<typename T> int never(T &t) {
#pragma acc data copy(t)
    { t.k = 1; }
    return 0;
}
inline int unused(item &t) {
#pragma acc data copy(t)
    { t.n = 1; }
    return 0;
}
template<class T> void both(T &t, item &i) {
#pragma acc data copy(t, i)
#pragma acc serial
    { i.x[0] += 1; (void)t; }
}
int main()
{
    list<float> a; list<item> b; list<double, 5> c;
    for (int i = 0; i < 3; i++) b[i] = {1, new float[1]{1}};
    a.go(); b.go(); c.go();
    item t{2, new float[2]{1, 2}};
   
    both(a, t); both(b, t);
    printf("%d %d %d %g\n", a.sum(), b.sum(), c.sum(), t.x[0]);
    return 0;
}
