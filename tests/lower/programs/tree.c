// Types of a header, of macros and of typedefs; an alias; members that are structures; constructs in constructs.
#include "part.h"
#define N 4
#define COUNT(w) ((w).count)
static int size = 2;
struct whole { int count; struct part *parts;
    #pragma acc shape include(parts[0:count])
    #pragma acc policy(sent) default(copyin)
};
typedef struct { int m; double *x; struct part inner;
#pragma acc shape include(x[0:m*N])
} box;

static struct part make(int n, float v)
{
    struct part p = { n, malloc(n * sizeof(float)), NULL, NULL };
    for (int i = 0; i < n; i++) p.values[i] = v + i;
    p.last = p.values + n - 1;
    return p;
}
void work(struct whole *w, box *b, int nb)
{
#pragma acc enter data copyin(w[0:1]) \
        copyin(b[0:nb])
#if !defined(NEVER)
    #pragma acc parallel loop present(w[0:1], b[0:nb])
    for (int i = 0; i < 1; i++) { w->parts[0].last[0] += 100; for (int k = 0; k < b[1].m * N; k++) b[1].x[k] *= 2; b[0].inner.values[0] = 42; }
#endif
    w->parts[1].values[0] = -5;
    #pragma acc update device(w->parts[1].values[0:1])
    #pragma acc parallel present(w[0:1])
    w->parts[1].values[0] -= 1;
    #pragma acc update self(w[0:1])
    #pragma acc exit data copyout(b[0:nb]) delete(w[0:1])
}
int main(void)
{
    struct part p[2]; p[0] = make(2, 1); p[1] = make(3, 5);
    struct whole W = { 2, p };
    box B[2]; for (int i = 0; i < size; i++) { B[i].m = i + 1; B[i].x = malloc(B[i].m * N * sizeof(double)); for (int k = 0; k < B[i].m * N; k++) B[i].x[k] = k; B[i].inner = make(1, 9); }
    work(&W, B, size);
    printf("%g %g %d %g %g %g %g\n", p[0].values[1], p[1].values[0], p[1].n, B[1].x[7], B[0].inner.values[0], B[0].x[1], B[1].inner.last[0]);
    struct part q = make(3, 1);
    #pragma acc data copy(q)::{ include(values[0:n]) exclude(note, last) }
    {
        #pragma acc serial
        for (int i = 0; i < q.n; i++) q.values[i] += COUNT(W);
    }
    printf("%g line %d\n", q.values[2], __LINE__);
    return 0;
}
