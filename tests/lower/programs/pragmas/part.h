#ifndef PART_H
#define PART_H
struct part {
    int n;
    double *v;
#pragma acc shape include(v[0:n])
};
#define PRAGMA(x) _Pragma(#x)
#define ENTER(x) PRAGMA(acc enter data copyin(x))
#define LEAVE(x) PRAGMA(acc exit data copyout(x))
#define PARALLEL_FOR(i, n, clauses) PRAGMA(acc parallel loop clauses) for (int i = 0; i < (n); i++)

static inline void part_add(struct part *p, double value)
{
    ENTER(p[0:1])
    PARALLEL_FOR(i, p->n, present(p[0:1]) firstprivate(value)) p->v[i] += value;
    LEAVE(p[0:1])
}
#endif
