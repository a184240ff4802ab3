/* Programs that gcc 12's own runtime gets wrong, silently or by a crash. */
#include <assert.h>
#include <openacc.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int a, b;
};
struct holder {
    int n;
    float *p;
};

/* B1: members of a present group are counted each. */
static void members_counted(void)
{
    struct pair s = {1, 2};
#pragma acc enter data copyin(s.a, s.b)
#pragma acc enter data copyin(s.a, s.b)
#pragma acc exit data delete (s.a, s.b)
    assert(acc_is_present(&s.a, sizeof s.a) && acc_is_present(&s.b, sizeof s.b));
#pragma acc exit data delete (s.a, s.b)
    assert(!acc_is_present(&s.a, sizeof s.a) && !acc_is_present(&s.b, sizeof s.b));
}

/* B2: an update through a pointer leaves the pointer as it is. */
static void update_keeps_pointer(void)
{
    float data[10], seen = -1;
    struct holder s = {10, data};
    for (int i = 0; i < 10; i++)
        data[i] = (float)i;
#pragma acc enter data copyin(s)
#pragma acc enter data copyin(s.p[0 : 10])
    data[2] = 42;
#pragma acc update device(s.p[2 : 3])
#pragma acc serial present(s) copyout(seen)
    {
        seen = s.p[2];
    }
    assert(seen == 42);
#pragma acc exit data delete (s.p[0 : 10])
#pragma acc exit data delete (s)
    assert(s.p == data);
}

/* B3: a present scalar in a kernels construct. */
static void kernels_on_present_scalar(void)
{
    int n = 7, out = 0;
#pragma acc enter data copyin(n)
    n = 8;
#pragma acc kernels copyout(out)
    {
        out = n;
    }
    assert(out == 7);
#pragma acc exit data delete (n)
}

/* B5: the scope of a local declare ends with its function. */
static int sum_declared(int from)
{
    int a[4] = {from, from, from, from}, sum = 0;
#pragma acc declare copyin(a)
#pragma acc serial copy(sum)
    for (int i = 0; i < 4; i++)
        sum += a[i];
    return sum;
}

static int sum_clause(int from)
{
    int b[4] = {from, from, from, from}, sum = 0;
#pragma acc serial copyin(b) copy(sum)
    for (int i = 0; i < 4; i++)
        sum += b[i];
    return sum;
}

static void declare_ends(void)
{
    assert(sum_declared(1) == 4);
    assert(sum_clause(9) == 36);
    assert(sum_declared(2) == 8);
    assert(sum_declared(3) == 12);
}

/* B7: an address that was never mapped, among many that were, in order. */
static void host_address_among_many(void)
{
    enum { N = 200000 };
    char *data = malloc(2 * N);
    for (int i = 0; i < N; i++)
        acc_create(data + 2 * i, 1);
    void *device = acc_deviceptr(data + 2 * (N / 2));
    assert(acc_hostptr(device) == data + 2 * (N / 2));
    assert(!acc_hostptr(data));
    for (int i = 0; i < N; i++)
        acc_delete(data + 2 * i, 1);
    free(data);
}

/* B13: two arrays of one region. */
static void host_addresses(void)
{
    float x[64], y[64];
#pragma acc data create(x, y)
    {
        assert(acc_hostptr(acc_deviceptr(x)) == x);
        assert(acc_hostptr(acc_deviceptr(y + 3)) == y + 3);
    }
}

int main(void)
{
    float *p = NULL;
    acc_attach((void **)&p); /* B6: as the first call of all */
    members_counted();
    update_keeps_pointer();
    kernels_on_present_scalar();
    declare_ends();
    host_address_among_many();
    host_addresses();
    return 0;
}
