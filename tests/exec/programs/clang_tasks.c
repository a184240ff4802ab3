/* Ends of tasks that libomp alone has, or that clang makes in another way: nothing is to be reported. By argument, a
 * region that no wait is for. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { N = 64 };
static int a[N], b[N];

static int sum_of(const int *of)
{
    int sum = 0;
    for (int i = 0; i < N; i++)
        sum += of[i];
    return sum;
}

static void add(int by)
{
    #pragma omp target map(tofrom: a) nowait
    for (int i = 0; i < N; i++)
        a[i] += by;
}

/* The end of a region that is not parallel, of a loop, of a single construct whose value all get, of a reduction. */
static void ends(int wide)
{
    int value = 0, sum = 0;
    #pragma omp parallel if (wide) num_threads(2)
    {
        #pragma omp single
        add(1);
    }
    printf("parallel %d\n", sum_of(a));
    #pragma omp parallel num_threads(2) firstprivate(value)
    {
        #pragma omp single copyprivate(value)
        {
            add(1);
            value = 2;
        }
        #pragma omp for reduction(+: sum)
        for (int i = 0; i < N; i++)
            sum += a[i];
        #pragma omp sections
        {
            #pragma omp section
            add(1);
        }
        #pragma omp single
        b[0] = a[0];
        #pragma omp masked
        add(1);
        #pragma omp barrier
        #pragma omp single nowait
        {
            b[0] += a[0];
            add(1);
        }
    }
    printf("sum %d, %d, %d\n", sum, b[0], sum_of(a));
    #pragma omp taskgroup
    add(1);
    printf("taskgroup %d\n", sum_of(a));
}

/* Dependences of an object, of a wait that does not wait, of tasks of the host, of all memory. */
static void dependences(void)
{
    omp_depend_t writes, reads;
    #pragma omp depobj(writes) depend(inout: a)
    #pragma omp depobj(reads) depend(in: a)
    #pragma omp target enter data map(to: a) nowait depend(depobj: writes)
    #pragma omp target nowait depend(depobj: writes)
    for (int i = 0; i < N; i++)
        a[i] += 1;
    #pragma omp target update from(a) nowait depend(depobj: writes)
    #pragma omp task depend(depobj: reads) depend(out: b)
    for (int i = 0; i < N; i++)
        b[i] = a[i];
    #pragma omp target map(tofrom: b) nowait depend(inout: b)
    for (int i = 0; i < N; i++)
        b[i] += 1;
    #pragma omp taskwait depend(in: b)
    printf("b %d\n", sum_of(b));
    #pragma omp target exit data map(release: a) depend(depobj: reads) nowait
    #pragma omp taskwait
    #pragma omp depobj(writes) destroy
    #pragma omp depobj(reads) destroy
    #pragma omp target map(tofrom: a) nowait depend(mutexinoutset: a)
    a[0] += 1;
    #pragma omp target map(tofrom: a) nowait depend(mutexinoutset: a)
    a[0] += 1;
    #pragma omp taskwait depend(inout: a)
    printf("a %d\n", sum_of(a));
}

/* Copies by a routine, after a task. */
static void copies(void)
{
#if __clang_major__ >= 17
    const int host = omp_get_initial_device(), device = omp_get_default_device();
    int *there = omp_target_alloc(sizeof a, device);
    omp_depend_t writes;
    #pragma omp depobj(writes) depend(inout: there[0])
    #pragma omp target is_device_ptr(there) nowait depend(out: there[0])
    for (int i = 0; i < N; i++)
        there[i] = i;
    omp_target_memcpy_async(a, there, sizeof a, 0, 0, host, device, 1, &writes);
    #pragma omp taskwait
    printf("copied %d\n", sum_of(a));
    #pragma omp depobj(writes) destroy
    omp_target_free(there, device);
#endif
}

/* More variables than most functions have arguments. */
static void many(void)
{
    #define TEN(x) x##0 = 0, x##1 = 1, x##2 = 2, x##3 = 3, x##4 = 4, x##5 = 5, x##6 = 6, x##7 = 7, x##8 = 8, x##9 = 9
    #define ALL(x) x##0 + x##1 + x##2 + x##3 + x##4 + x##5 + x##6 + x##7 + x##8 + x##9
    int TEN(c), TEN(d), TEN(e), TEN(f), TEN(g), TEN(h), TEN(i), sum = 0;
    #pragma omp parallel num_threads(1)
    {
        sum += ALL(c) + ALL(d) + ALL(e) + ALL(f) + ALL(g) + ALL(h) + ALL(i);
        i9 = h9 + 1;
    }
    printf("many %d %d\n", sum, i9);
}

/* An event of the host completes a task that ours waits for. */
static void detached(void)
{
    omp_event_handle_t event;
    int done = 0;
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task detach(event) depend(out: done)
        done = 1;
        #pragma omp target map(tofrom: done) nowait depend(inout: done)
        done += 1;
        omp_fulfill_event(event);
        #pragma omp taskwait
        printf("detached %d\n", done);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "parallel")) {
        #pragma omp parallel num_threads(2)
        #pragma omp single
        {
            add(1);
            b[0] = a[0];
        }
    } else {
        ends(argc > 1);
        dependences();
        copies();
        many();
        detached();
    }
    printf("end %d\n", sum_of(a));
}
