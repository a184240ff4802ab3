// What clang has and gcc does not, or does in another way: mappers, lambdas, device code with constructors, strided
// updates, indirect calls.
#include <cassert>
#include <cstdlib>
#include <omp.h>

constexpr int N = 16;

struct vector {
    int n;
    double *data;
};
#pragma omp declare mapper(whole : vector v) map(v, v.data[0:v.n])

static void mappers()
{
    vector v = {N, new double[N]}, several[3];
    for (int i = 0; i < N; i++)
        v.data[i] = i;
    #pragma omp target enter data map(mapper(whole), to: v)
    #pragma omp target map(alloc: v)
    v.data[1] = v.n;
    assert(v.data[1] == 1);
    #pragma omp target update from(mapper(whole): v)
    assert(v.data[1] == N);
    #pragma omp target exit data map(mapper(whole), release: v)
    assert(!omp_target_is_present(&v, 0) && !omp_target_is_present(v.data, 0));
    for (vector &one : several)
        one = {4, new double[4]()};
    #pragma omp target map(mapper(whole), tofrom: several)
    for (int i = 0; i < 3; i++)
        several[i].data[3] = i + 1;
    for (int i = 0; i < 3; i++)
        assert(several[i].data[3] == i + 1 && !omp_target_is_present(several[i].data, 0));
}

#pragma omp declare target
struct counter {
    int value;
    counter() : value(40) {}
} counts;
int linked[N];
static int twice(int x) { return 2 * x; }
#pragma omp end declare target
int more[N] = {7};
#pragma omp declare target link(more)

static void declared()
{
    int result = 0;
    counts.value = 1; // the host's
    #pragma omp target map(from: result)
    result = counts.value++;
    assert(result == 40 && counts.value == 1);
    #pragma omp target update from(counts)
    assert(counts.value == 41);
    #pragma omp target map(tofrom: more) map(from: result)
    {
        result = more[0];
        more[1] = twice(4);
    }
    assert(result == 7 && more[1] == 8);
    linked[0] = 3;
    #pragma omp target map(always, to: linked) map(from: result) // one variable, by name and by clause
    result = linked[0];
    assert(result == 3 && omp_target_is_present(linked, 0));
}

static void lambdas()
{
    int a[N] = {}, factor = 3;
    auto scale = [&](int i) { a[i] = factor * i; };
    #pragma omp target data map(tofrom: a) map(to: factor)
    #pragma omp target map(to: scale)
    for (int i = 0; i < N; i++)
        scale(i);
    assert(a[5] == 15);
}

static void pointers()
{
    int *p = new int[N](), on_host[N] = {}, copies[2] = {5, 6};
    #pragma omp target enter data map(to: p[4:8])
    #pragma omp target // by the base of the section
    p[4] = 44;
    #pragma omp target data use_device_ptr(p)
    {
        #pragma omp target is_device_ptr(p)
        p[5] = 55;
    }
    #pragma omp target exit data map(from: p[4:8])
    assert(p[4] == 44 && p[5] == 55);
    #pragma omp target firstprivate(copies) map(from: on_host)
    {
        copies[0]++;
        on_host[0] = copies[0] + copies[1];
    }
    assert(on_host[0] == 12 && copies[0] == 5);
    int *device = static_cast<int *>(omp_target_alloc(sizeof on_host, 0));
    #pragma omp target is_device_ptr(device)
    device[3] = 33;
    omp_target_memcpy(on_host, device, sizeof on_host, 0, 0, omp_get_initial_device(), 0);
    omp_target_free(device, 0);
    assert(on_host[3] == 33);
}

static void strides()
{
    int a[4][4] = {};
    #pragma omp target data map(to: a)
    {
        #pragma omp target
        for (int i = 0; i < N; i++)
            a[i / 4][i % 4] = i;
        #pragma omp target update from(a[0:4][1:2])
    }
    for (int i = 0; i < N; i++)
        assert(a[i / 4][i % 4] == (i % 4 == 1 || i % 4 == 2 ? i : 0));
}

int main()
{
    mappers();
    declared();
    lambdas();
    pointers();
    strides();
}
