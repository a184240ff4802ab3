// nothing: a routine unmaps what a section of a member has mapped.
#include <openacc.h>
#include <stdlib.h>

static struct {
    int n;
    double *a;
} s;

int main(void)
{
    s.n = 100;
    s.a = malloc(100 * sizeof *s.a);
    for (int i = 0; i < 100; i++)
        s.a[i] = i;
#pragma acc enter data copyin(s.a[0:100])
#pragma acc parallel loop present(s.a[0:100])
    for (int i = 0; i < 100; i++)
        s.a[i] += 1;
    acc_copyout(s.a, 100 * sizeof *s.a);
    const double last = s.a[99];
    free(s.a);
    return last != 100;
}
