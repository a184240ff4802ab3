// TR14, figures A.6 to A.8: nests instead of shapes and policies, convenience syntax, members in member functions.
// The values are those of spec/tr14/A.6-figures.lua.
#include <cstdio>

struct bare {
    int n;
    float *a;
    float *b;
    float *c;
    bool is_long() const { return n > 2; }
    int length() { return n; }
};

class deep_type {
    int n;
    float *a;
    float *b;
    float *c;

public:
    explicit deep_type(int count);
    void foo();
    void bar();
    void print(const char *what) const { printf("%s: %g %g %g\n", what, a[0], b[0], c[n - 1]); }
};

static float *row(int n, float first)
{
    float *p = new float[n];
    for (int i = 0; i < n; i++)
        p[i] = first + 1 + i;
    return p;
}

deep_type::deep_type(int count) : n(count), a(row(count, 10)), b(row(count, 20)), c(row(count, 30)) {}

// Figure A.8: names of members are those of *this.
void deep_type::foo()
{
    float sum = 0;
    #pragma acc parallel copyin(a[0:n], b[0:n]) copy(sum) copyin(this[0:1])
    sum = a[0] + b[1];
    printf("foo: %g\n", sum);
}

void deep_type::bar()
{
    #pragma acc data copyin(this[0:1])::{ include(b[0:n]) exclude(c) }
    {
        #pragma acc data copy(this->a[0:this->n])
        #pragma acc parallel present(this[0:1])
        for (int i = 0; i < n; i++)
            a[i] += b[i];
    }
}

int main()
{
    bare X = { 3, row(3, 10), row(3, 20), row(3, 30) };
    bare *Y = new bare[2]{{ 1, row(1, 10), row(1, 20), row(1, 30) }, { 2, row(2, 10), row(2, 20), row(2, 30) }};
    int size = 2;

    #pragma acc data copy(X)::{ init_needed(n) include(a[0:n],b[0:n],c[0:n]) }
    {
        #pragma acc parallel
        for (int i = 0; i < X.n; i++)
            X.c[i] = X.a[i] + X.b[i];
        #pragma acc update self(X)::{ include(c[0:length()]) exclude(n,a,b) }
        printf("update: %g\n", X.c[0]);
    }
    printf("copy(X): %g %g %g\n", X.c[0], X.c[1], X.c[2]);

    #pragma acc data copyout(X)::{ init_needed(n) include(a[0:n]) exclude(b,c) }
    {
        #pragma acc parallel present(X)::{ include(a[0:n]) exclude(b,c) }
        for (int i = 0; i < X.n; i++)
            X.a[i] = 10 + i;
    }
    printf("copyout(X): %g %g %g\n", X.a[0], X.a[2], X.b[2]);

    #pragma acc enter data copyin(Y[0:size])::{ init_needed(n) include(a[0:n],b[0:length()],c[0:n]) }
    #pragma acc parallel present(Y[0:size])
    for (int k = 0; k < size; k++)
        Y[k].b[Y[k].n - 1] += 100;
    #pragma acc update self(Y[0:size])::{ include(b[0:n]) exclude(n,a,c) }
    #pragma acc exit data delete(Y[0:size])::{ include(a[0:n],b[0:n],c[0:n]) }
    printf("Y: %g %g %g\n", Y[0].b[0], Y[1].b[1], Y[1].b[0]);

    #pragma acc data invoke<>(X)::{ default(copyin) copyout(a[0:n]) copyin(b[0:n]) exclude(c) }
    {
        #pragma acc parallel present(X)::{ include(a[0:n], b[0:n]) exclude(c) }
        for (int i = 0; i < X.n; i++)
            X.a[i] = X.b[i] * 2;
    }
    printf("invoke<>(X): %g %g\n", X.a[0], X.a[2]);

    deep_type D(2);
    D.foo();
    D.bar();
    D.print("bar");
    printf("line %d\n", __LINE__);
    return X.is_long() ? 0 : 1;
}
