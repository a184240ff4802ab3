// finalize for a member: an object in which other directives attached pointers stays for them.
// accdeep: no: its library reports the attached pointer
#include <stdio.h>
struct s {
    int n;
    int *b, *c;
    struct s *owner; // of the host alone
#pragma acc shape include(b [0:n], c [0:n]) exclude(owner)
};
static void add(struct s *p)
{
#pragma acc enter data copyin(p->b [0:2], p->n)
#pragma acc enter data copyin(p->b [0:2])
#pragma acc serial present(p->b [0:2])
    p->b[0] += 10;
#pragma acc exit data copyout(p->b [0:2]) finalize if (p->n > 1)
}
int main(void)
{
    int b[2] = { 1, 2 }, c[2] = { 3, 4 };
    struct s X = { 2, b, c, &X };
    add(&X);
    printf("alone: %d\n", b[0]);
#pragma acc enter data copyin(X)
    add(&X);
    printf("inside: %d\n", b[0]);
#pragma acc enter data copyin(X.b [0:2])
#pragma acc serial present(X)
    X.c[0] += X.n;
#pragma acc exit data copyout(X) finalize
    printf("end: %d %d\n", b[0], c[0]);
#pragma acc enter data copyin(X)
#pragma acc enter data copyin(X)
#pragma acc serial present(X)
    X.c[1] = 9;
#pragma acc exit data copyout(X) finalize // no counter is left
    printf("whole: %d\n", c[1]);
    return 0;
}
