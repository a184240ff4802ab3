/* OpenMP's target directives: what libgomp with a discrete device would do, and what the standard says beyond. */
#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16 };

struct vector {
    int n;
    double *data;
    int unused[8];
    int last;
};

static int device, host;

static void implicit(void)
{
    int scalar = 3, array[N] = {0}, *nothing = NULL, unmapped[N], *pointer = unmapped;
    struct vector v = {.n = 5};
    #pragma omp target
    {
        scalar++; /* a copy of its own */
        array[2] = scalar;
        array[3] = nothing == NULL;
        array[4] = pointer == NULL; /* before OpenMP 5.2 */
        v.n = 6;
    }
    assert(scalar == 3 && array[2] == 4 && array[3] == 1 && array[4] == 1 && v.n == 6);
    #pragma omp target data map(to: array[4 : 8])
    {
        #pragma omp target /* the part that is there (OMP60-map-12) */
        array[5] = 50;
        #pragma omp target update from(array[5 : 1])
    }
    assert(array[5] == 50);
    #pragma omp target defaultmap(tofrom : scalar) private(array)
    {
        array[0] = 1;
        scalar = array[0];
    }
    assert(scalar == 1 && array[0] == 0);
}

static void counted(void)
{
    int *p = malloc(N * sizeof *p);
    for (int i = 0; i < N; i++)
        p[i] = i;
    #pragma omp target enter data map(to: p[0 : N])
    #pragma omp target enter data map(alloc: p[:0]) /* counts what is there (OMP60-map-10) */
    p[1] = -1;
    #pragma omp target map(tofrom: p[0 : N]) /* present: nothing moves */
    p[2] = 20;
    assert(p[1] == -1 && p[2] == 2);
    #pragma omp target map(always, tofrom: p[1 : 1])
    p[1]--;
    assert(p[1] == -2);
    #pragma omp target exit data map(from: p[0 : N])
    assert(p[2] == 2 && omp_target_is_present(p, device));
    #pragma omp target exit data map(always, from: p[2 : 1])
    assert(p[2] == 20 && !omp_target_is_present(p, device));
    #pragma omp target enter data map(to: p[0 : N])
    #pragma omp target enter data map(to: p[0 : N])
    #pragma omp target exit data map(delete: p[0 : N])
    assert(!omp_target_is_present(p, device));
    #pragma omp target exit data map(from: p[0 : N]) /* absent: does nothing */
    #pragma omp target update to(p[0 : N])
    free(p);
}

static void structures(void)
{
    struct vector v = {4, calloc(4, sizeof(double)), {7}, 9}, w = v;
    #pragma omp target map(tofrom: v.n, v.data) map(to: v.last) map(tofrom: v.data[0 : v.n])
    {
        v.data[3] = v.last + v.n;
        v.n = 40;
        v.last = 90; /* not fetched */
    }
    assert(v.n == 40 && v.last == 9 && v.data[3] == 13 && v.unused[0] == 7);
    #pragma omp target map(to: w.n) map(tofrom: w.data[0 : w.n]) /* which names no pointer */
    for (int i = 0; i < 4; i++)
        w.data[i] += w.n;
    assert(v.data[0] == 4 && v.data[3] == 17);
    #pragma omp target enter data map(to: w.n, w.last)
    assert(omp_target_is_present(&w.n, device) && omp_target_is_present(&w.last, device));
    #pragma omp target exit data map(release: w.last) /* members leave together */
    assert(!omp_target_is_present(&w.n, device));
    #pragma omp target enter data map(to: w)
    #pragma omp target enter data map(to: w.data[0 : 4]) /* attached */
    #pragma omp target
    w.data[1] = 8;
    #pragma omp target exit data map(from: w.data[0 : 4])
    #pragma omp target exit data map(release: w)
    assert(w.data[1] == 8);
    free(v.data);
}

#pragma omp declare target
int table[4] = {1, 2, 3, 4};
static int *middle = &table[2];
static int sum(void)
{
    return table[0] + *middle;
}
#pragma omp end declare target

static void declared(void)
{
    int result = 0;
    table[0] = 100; /* the device has its own */
    #pragma omp target map(from: result)
    {
        result = sum();
        table[1] = 7;
    }
    assert(result == 4 && table[1] == 2);
#ifdef __clang__ /* takes a variable once */
    #pragma omp target update to(table[0 : 1])
    #pragma omp target update from(table[1 : 1])
#else
    #pragma omp target update to(table[0 : 1]) from(table[1 : 1])
#endif
    #pragma omp target map(from: result)
    result = sum();
    assert(result == 103 && table[1] == 7);
}

static void devices(void)
{
    int where[4] = {-1, -1, -1, -1};
    assert(omp_get_num_devices() == 1 && omp_get_initial_device() == 1 && omp_is_initial_device());
    #pragma omp target device(device)
    {
        where[0] = omp_is_initial_device();
        #pragma omp parallel num_threads(2)
        #pragma omp critical
        where[1] = omp_is_initial_device() || where[1] > 0;
    }
    #pragma omp target teams num_teams(2)
    #pragma omp parallel num_threads(2)
    where[2] = omp_is_initial_device();
    assert(!where[0] && !where[1] && !where[2]);
    #pragma omp target if (0)
    where[0] = omp_is_initial_device();
    #pragma omp target device(host)
    where[1] = omp_is_initial_device();
    assert(where[0] == 1 && where[1] == 1);
    #pragma omp target data device(host) map(to: where)
    assert(!omp_target_is_present(where, device));
}

static void teams(void)
{
    int a[100] = {0}, total = 0;
    #pragma omp target teams distribute parallel for map(tofrom: a) reduction(+ : total) num_teams(3) thread_limit(2)
    for (int i = 0; i < 100; i++) {
        a[i] += i;
        total += i;
    }
    assert(total == 4950 && a[99] == 99);
}

static void tasks(void)
{
    int a[N] = {0}, x = 1;
    #pragma omp parallel num_threads(3)
    #pragma omp single
    {
        #pragma omp target enter data map(to: a) nowait depend(out : a)
        for (int i = 0; i < N; i++) {
            #pragma omp target nowait depend(inout : a) firstprivate(i)
            a[i] = i ? a[i - 1] + i : 1;
        }
        #pragma omp target update from(a) nowait depend(inout : a)
        #pragma omp target exit data map(delete : a) depend(inout : a)
        x = a[N - 1];
        #pragma omp taskwait
    }
    assert(x == 121 && a[N - 1] == 121);
    #pragma omp target nowait map(x) depend(inout : x)
    x++;
    #pragma omp taskwait
    assert(x == 122);
}

static void pointers(void)
{
    double *p = malloc(N * sizeof *p), *there = NULL;
    #pragma omp target data map(from: p[0 : N])
    {
        #pragma omp target data use_device_ptr(p)
        {
            there = p;
            #pragma omp target is_device_ptr(p)
            for (int i = 0; i < N; i++)
                p[i] = i;
        }
        assert(there != p);
    }
    assert(p[5] == 5);
    double *q = omp_target_alloc((N + 1) * sizeof *q, device);
    assert(q && !omp_target_alloc(0, device));
    assert(!omp_target_associate_ptr(p, q, N * sizeof *p, sizeof *q, device));
    assert(!omp_target_associate_ptr(p, q, N * sizeof *p, sizeof *q, device)); /* the same again */
    assert(omp_target_associate_ptr(p, q, N * sizeof *p, 0, device));
    #pragma omp target enter data map(always, to: p[0 : N])
    #pragma omp target exit data map(delete: p[0 : N]) /* associated data stay */
    assert(omp_target_is_present(p + 3, device) && !omp_target_is_present(p + N, device));
    double back[2][2] = {{0}};
    assert(!omp_target_memcpy(back, q, 2 * sizeof *q, 0, 6 * sizeof *q, host, device));
    assert(back[0][0] == 5 && back[0][1] == 6);
    const size_t volume[] = {2, 1}, to[] = {0, 1}, from[] = {1, 2}, rows[] = {2, 2}, fours[] = {4, 4};
    assert(!omp_target_memcpy_rect(back, q + 1, sizeof *q, 2, volume, to, from, rows, fours, host, device));
    assert(back[0][1] == 6 && back[1][1] == 10 && back[0][0] == 5);
    assert(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, host, device) >= 3);
    assert(!omp_target_disassociate_ptr(p, device) && omp_target_disassociate_ptr(p, device));
    omp_target_free(q, device);
    free(p);
}

static void threads(void)
{
    int ok = 0;
    #pragma omp parallel num_threads(4) reduction(+ : ok)
    {
        int own[N];
        for (int round = 0; round < 50; round++) {
            memset(own, 0, sizeof own);
            #pragma omp target map(tofrom: own)
            for (int i = 0; i < N; i++)
                own[i] += i;
            ok += own[N - 1] == N - 1;
        }
    }
    assert(ok % 50 == 0 && ok > 0);
}

int main(void)
{
    device = omp_get_default_device();
    host = omp_get_initial_device();
    implicit();
    counted();
    structures();
    declared();
    devices();
    teams();
    tasks();
    pointers();
    threads();
}
