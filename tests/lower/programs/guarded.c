// Calls in bounds that C makes only if a pointer is valid.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct text {
    char *text;
    int k;
#pragma acc shape include(text [0:(text ? strlen(text) + 1 : 0)])
};
struct list {
    int n;
    float *a;
};
static struct list *header;
static int length_of(const struct list *of) { return of->n; }
struct block {
    float *a;
    int k;
#pragma acc shape include(a [0:(header ? length_of(header) : 0)])
};
int main(void)
{
    struct text t = { NULL, 1 }, u = { calloc(3, 1), 2 };
    u.text[0] = 'a';
    u.text[1] = 'b';
#pragma acc data copy(u)
#pragma acc serial present(u)
    u.text[0] = 'x';
    printf("%s\n", u.text);
#pragma acc data copy(t)
#pragma acc serial present(t)
    t.k = 5;
    printf("%d\n", t.k);

    struct list *none = NULL, one = { 2, calloc(2, sizeof(float)) }, *some = &one;
    struct list l = { 1, calloc(2, sizeof(float)) };
#pragma acc data copy(l)::{ include(a[0:none && length_of(none) > 1 ? 2 : 1]) }
#pragma acc serial present(l)
    l.a[0] = 3;
#pragma acc data copy(l)::{ include(a[0:some ? length_of(some) : 0]) }
#pragma acc serial present(l)
    l.a[1] = 4;
    printf("%g %g\n", l.a[0], l.a[1]);
    float *q = l.a;
#pragma acc data copy(q [0:none ? length_of(none) : 1], t)
#pragma acc serial present(q [0:1])
    q[0] += 4;
    printf("%g\n", q[0]);

    struct block b = { NULL, 1 };
#pragma acc data copy(b)
#pragma acc serial present(b)
    b.k = 6;
    header = &one;
    b.a = one.a;
#pragma acc data copy(b)
#pragma acc serial present(b)
    b.a[1] = (float)b.k;
    printf("%g\n", one.a[1]);
    return 0;
}
