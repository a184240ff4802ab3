// stale host data: a kernel copies structures with padding, and numbers of 80 bits. RIGHT: values that the host has.
#include <stdio.h>
#include <string.h>

enum { N = 8 };
struct small {
    int i;
    char c;
};
struct large {
    char c;
    double d;
    struct small s[2];
};

int main(void)
{
    struct small a[N], b[N];
    struct large e[N], f[N];
    long double x[N], y[N];
    memset(a, 1, sizeof a), memset(b, 2, sizeof b);
    memset(e, 1, sizeof e), memset(f, 2, sizeof f);
    memset(x, 1, sizeof x), memset(y, 2, sizeof y);
    for (int i = 0; i < N; i++) {
        a[i].i = b[i].i = e[i].s[0].i = f[i].s[0].i = e[i].s[1].i = f[i].s[1].i = i;
        a[i].c = b[i].c = e[i].s[0].c = f[i].s[0].c = e[i].s[1].c = f[i].s[1].c = e[i].c = f[i].c = 'a';
        e[i].d = f[i].d = x[i] = y[i] = i;
    }
#ifndef RIGHT
    f[5].s[1].c = 'b';
#endif
#pragma acc data copyin(a, e, x, f, b, y)
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++) {
            b[i] = a[i];
            f[i] = e[i];
            y[i] = x[i];
        }
        const struct small one = b[5];
        const struct large other = f[5]; // checked: stale-data
        printf("%d %c %Lg\n", one.i, other.s[1].c, y[5]);
#pragma acc update self(b, f, y)
    }
    return 0;
}
