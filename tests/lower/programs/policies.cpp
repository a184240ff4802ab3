// TR14, figure A.3: policies, in C++. The values are those of spec/tr14/A.3-figure.lua.
#include <cstdio>

template<class T>
class vector {
    T *base, *end;
    #pragma acc shape include(base[0:end - base], end[@base])
public:
    vector(int n, T value) : base(new T[n]), end(base + n)
    {
        for (T *p = base; p != end; p++)
            *p = value;
    }
    void add(T value) const
    {
        for (T *p = base; p != end; p++)
            *p += value;
    }
    T last() const { return end[-1]; }
    void set(T value) { end[-1] = value; }
};

struct deep_type {
    int n;
    float* a;
    float* b;
    float* c;
    #pragma acc shape init_needed(n) include(a[0:n],b[0:n],c[0:n])
    #pragma acc policy(calc_a) default(copyin) copyout(a)
    #pragma acc policy(move_a_to_c) default(copyin) copyout(c) exclude(b)
    #pragma acc policy(update_b) default(exclude) update(b)
};

static deep_type deep()
{
    return { 2, new float[2]{1, 2}, new float[2]{3, 4}, new float[2]{5, 6} };
}

class Compound_type {
    vector<float> v1;
    vector<float> v2;
    vector<float> v3;
    vector<float> raw;
    deep_type data;

    #pragma acc shape exclude(raw)
    #pragma acc shape(only_vs) exclude(data)
    #pragma acc policy(name1) default(create) copyin(data)
    #pragma acc policy(name2) default(copyin) invoke<calc_a>(data)
    #pragma acc policy(name3) shape(only_vs) default(none) copyin(v2,v3) copy(v1)
    #pragma acc policy(update_stuff) default(exclude) update(v1,v2,data)
    #pragma acc policy(update_other) default(exclude) update(v2) invoke<update_b>(data)
public:
    Compound_type() : v1(1, 1), v2(2, 2), v3(1, 3), raw(1, 4), data(deep()) {}
    void set(float value)
    {
        v1.set(value);
        v2.set(value);
        data.b[0] = value;
    }
    void print(const char *what) const
    {
        printf("%s: %g %g %g %g, %d %g %g %g\n", what, v1.last(), v2.last(), v3.last(), raw.last(), data.n, data.a[0],
               data.b[0], data.c[0]);
    }
    void invoke1()
    {
        float seen = 0;
        #pragma acc data invoke<name1>(this[0:1])
        #pragma acc parallel present(this[0:1]) copyout(seen)
        seen = data.b[0] + data.b[1];
        printf("name1: %g\n", seen);
    }
    void invoke2()
    {
        #pragma acc data invoke<name2>(this[0:1])
        {
            #pragma acc parallel present(this[0:1])
            for (int i = 0; i < data.n; i++)
                data.a[i] = data.b[i] + data.c[i];
        }
    }
    void invoke3()
    {
        #pragma acc data invoke<name3>(this[0:1])
        #pragma acc parallel present<only_vs>(this[0:1])
        v1.add(v2.last() + v3.last());
    }
    void on_device(float value)
    {
        #pragma acc parallel present(this[0:1])
        {
            v1.add(value);
            v2.add(value);
            for (int i = 0; i < data.n; i++)
                data.b[i] += value;
        }
    }
};

int main()
{
    deep_type X = deep(), *array_X = new deep_type[2]{deep(), deep()};
    int size = 2;

    #pragma acc data invoke<calc_a>(X)
    {
        #pragma acc parallel present(X)
        for (int i = 0; i < X.n; i++)
            X.a[i] = X.b[i] + X.c[i];
    }
    printf("calc_a: %g %g %g\n", X.a[0], X.a[1], X.b[0]);

    #pragma acc data invoke<move_a_to_c>(X)
    {
        #pragma acc parallel present(X)::{ exclude(b) }
        for (int i = 0; i < X.n; i++)
            X.c[i] = X.a[i];
    }
    printf("move_a_to_c: %g %g\n", X.c[0], X.c[1]);

    #pragma acc data copyin(X, array_X[0:size])
    {
        X.b[1] = 44;
        array_X[1].b[0] = 55;
        #pragma acc update invoke<update_b>(device: X)
        #pragma acc update invoke<update_b>(device: array_X[0:size])
        float seen[3];
        #pragma acc parallel present(X, array_X[0:size]) copyout(seen)
        {
            seen[0] = X.a[1];
            seen[1] = X.b[1];
            seen[2] = array_X[1].b[0];
        }
        printf("update_b: %g %g %g\n", seen[0], seen[1], seen[2]);
    }

    Compound_type C;
    C.invoke1();
    C.invoke2();
    C.print("name2");
    C.invoke3();
    C.print("name3");

    #pragma acc enter data copyin(C)
    C.set(7);
    #pragma acc update invoke<update_stuff>(device: C)
    C.on_device(1);
    #pragma acc update invoke<update_stuff>(self: C)
    C.print("update_stuff");
    C.on_device(1);
    #pragma acc update invoke<update_other>(self: C)
    #pragma acc update self(C)::{ include(v1) exclude(v2, v3, data, raw) }
    C.print("update_other");
    #pragma acc exit data delete(C)
    printf("line %d\n", __LINE__);
    return 0;
}
