/* Structures with pointers: attach by clause and routine, members without the whole, a linked list,
 * rows of a matrix, alternating queues. */
#include <assert.h>
#include <openacc.h>
#include <stdlib.h>

enum { N = 32 };

struct vec {
    int n;
    int *a, *b;
};
struct node {
    struct node *next;
    int value;
};

static int *numbers(int from)
{
    int *p = malloc(N * sizeof *p);
    for (int i = 0; i < N; i++)
        p[i] = from + i;
    return p;
}

static void clauses(void)
{
    struct vec v = {N, numbers(0), numbers(100)};
    int *a = v.a, *b = v.b;
#pragma acc parallel loop copy(v.n, v.a[:N]) copyin(v.b[:N])
    for (int i = 0; i < v.n; i++)
        v.a[i] += v.b[i];
    assert(v.a == a && v.b == b && a[3] == 106 && !acc_is_present(a, 4) && !acc_is_present(&v, 4));

    struct vec *p = &v;
#pragma acc enter data copyin(p[0:1])
#pragma acc enter data copyin(p->a[0:N], p->b[0:N])
    for (int i = 0; i < 3; i++) {
#pragma acc parallel loop present(p[0:1]) async(i % 2)
        for (int k = 0; k < p->n; k++)
            p->a[k] += p->b[k];
#pragma acc wait
    }
#pragma acc update self(p->a[0:2])
    assert(a[0] == 400 && a[1] == 405 && a[2] == 104);
#pragma acc exit data copyout(p->a[0:N]) delete(p->b[0:N])
#pragma acc exit data copyout(p[0:1])
    assert(p->a == a && p->b == b && a[2] == 410);
    free(a);
    free(b);
}

struct leading {
    int *a, *b;
    int n;
};

/* A structure that begins with a pointer, mapped with what its members point to: fresh, present, in parts. */
static void leading(void)
{
    static struct leading v;
    v = (struct leading){numbers(0), numbers(100), N};
    int *a = v.a, *b = v.b, sum = 0;
    for (int i = 0; i < 4; i++) {
#pragma acc data copyin(v, v.b[0:N]) copy(v.a[0:N])
        {
#pragma acc data copyin(v, v.a[0:N], v.b[0:N])
            {
#pragma acc serial present(v)
                v.a[v.n - 1] += v.b[i];
            }
            assert(acc_is_present(a, N * sizeof *a) && acc_is_present(&v, sizeof v));
        }
        assert(!acc_is_present(a, 1) && !acc_is_present(b, 1) && !acc_is_present(&v, 1));
        sum += 100 + i;
        assert(a[N - 1] == N - 1 + sum && v.a == a && v.b == b);
#pragma acc enter data copyin(v, v.a[0:N], v.b[0:N])
#pragma acc enter data copyin(v.a[0:N])
#pragma acc serial present(v)
        v.a[0] = v.b[i];
#pragma acc exit data copyout(v.a[0:N]) delete(v.b[0:N])
        assert(acc_is_present(a, 1) && !acc_is_present(b, 1) && acc_is_present(&v, sizeof v));
#pragma acc exit data copyout(v.a[0:N])
        assert(!acc_is_present(a, 1) && a[0] == 100 + i && acc_is_present(&v, sizeof v));
#pragma acc exit data copyout(v)
        assert(!acc_is_present(&v, 1) && v.a == a && v.b == b && v.n == N);
    }
    free(a);
    free(b);
}

static void routines(void)
{
    struct vec v = {N, numbers(7), NULL};
    int *a = v.a;
    acc_copyin(&v, sizeof v);
    int *device = acc_create(v.a, N * sizeof *a);
    assert(device == acc_deviceptr(a) && acc_hostptr(device + 1) == a + 1);
    acc_attach((void **)&v.a);
    acc_update_device(a, N * sizeof *a);
#pragma acc serial present(v)
    {
        v.a[5] = v.n;
    }
    acc_detach((void **)&v.a);
    acc_copyout(a, N * sizeof *a);
    acc_delete(&v, sizeof v);
    assert(a[5] == N && a[6] == 13 && v.a == a);
    free(a);
}

static void list(void)
{
    struct node *head = NULL;
    int sum = 0;
    for (int i = 1; i <= 10; i++) {
        struct node *node = malloc(sizeof *node);
        *node = (struct node){head, i};
        acc_copyin(node, sizeof *node);
        if (node->next)
            acc_attach((void **)&node->next);
        head = node;
    }
#pragma acc serial present(head[0:1]) copy(sum)
    for (struct node *node = head; node; node = node->next)
        sum += node->value;
    assert(sum == 55);
    while (head) {
        struct node *next = head->next;
        if (next)
            acc_detach((void **)&head->next);
        acc_delete(head, sizeof *head);
        free(head);
        head = next;
    }
}

static void rows(void)
{
    int *row[N];
    for (int i = 0; i < N; i++)
        row[i] = numbers(i);
#pragma acc data copyin(row)
    {
        for (int i = 0; i < N; i++) {
            acc_copyin(row[i], N * sizeof(int));
            acc_attach((void **)&row[i]);
        }
#pragma acc parallel loop present(row)
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++)
                row[i][k] *= 2;
        for (int i = 0; i < N; i++) {
            acc_detach((void **)&row[i]);
            acc_copyout(row[i], N * sizeof(int));
        }
    }
    for (int i = 0; i < N; i++) {
        assert(row[i][3] == 2 * (i + 3));
        free(row[i]);
    }
}

/* Members that are mapped one after the other lie on the device as they do in the structure. */
static void members(void)
{
    struct vec v = {N, numbers(1), numbers(2)};
    int *a = v.a, *b = v.b, seen = 0;
#pragma acc enter data copyin(v.n)
#pragma acc enter data copyin(v.b[0:N])
#pragma acc enter data copyin(v.a[0:N])
#pragma acc serial present(v.n, v.a, v.b) copyout(seen)
    {
        seen = v.n + v.a[1] + v.b[2];
    }
    assert(seen == N + 2 + 4);
#pragma acc exit data delete(v.a[0:N], v.b[0:N]) finalize
#pragma acc exit data delete(v.n)
    assert(!acc_is_present(&v.n, sizeof v.n) && !acc_is_present(a, 4) && !acc_is_present(b, 4));
    free(a);
    free(b);
}

/* Sections of members first, then the structure: the compiler maps the pointers too, OpenACC does not. */
static void whole_after_members(void)
{
    struct vec v = {N, numbers(1), numbers(2)};
#pragma acc enter data copyin(v.a[0:N], v.b[0:N])
#pragma acc enter data copyin(v)
    acc_attach((void **)&v.a);
    acc_attach((void **)&v.b);
#pragma acc parallel loop present(v)
    for (int i = 0; i < v.n; i++)
        v.a[i] += v.b[i];
    acc_detach((void **)&v.a);
    acc_detach((void **)&v.b);
#pragma acc exit data copyout(v.a[0:N]) delete(v.b[0:N])
#pragma acc exit data delete(v)
    assert(v.a[3] == 9 && !acc_is_present(&v.n, sizeof v.n) && !acc_is_present(v.a, 4));
    free(v.a);
    free(v.b);
}

int main(void)
{
    clauses();
    leading();
    routines();
    list();
    rows();
    members();
    whole_after_members();
    return 0;
}
