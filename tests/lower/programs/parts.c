// Sections of arrays that are members: of values, of structures, in several dimensions; members on exit data; members
// that are const. alone: no: host and device differ.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    int n;
    int *i;
#pragma acc shape init_needed(n) include(i [0:n])
#pragma acc policy(up) default(exclude) update(i)
};
struct sheet {
    int k, from;
    struct row col[3];
    int raw[4];
    int two[2][3];
    struct {
        char c;
        short part[3];
    } in;
    int *left;
#pragma acc shape exclude(left)
#pragma acc shape(second) default(exclude) include(col [1:1])
#pragma acc shape(middle) default(exclude) include(raw [1:2], two [1] [0:2])
#pragma acc shape(rest) default(exclude) include(raw [from:4 - from], col [from:k - from], from, k)
#pragma acc shape(follows) include(k, col [1:1])
#pragma acc policy(p) default(exclude) update(col [1:1])
#pragma acc policy(q) default(exclude) invoke<up>(col [2:1])
#pragma acc policy(out) default(copyin) copyout(raw [from:2], col [0:1])
};
struct plain {
    int k, raw[4];
};
struct fixed {
    const int cap;
    int n;
    double *x;
    int k;
#pragma acc shape init_needed(n) include(x [0:n])
#pragma acc shape(nok) exclude(k)
};

static struct sheet make(void)
{
    struct sheet t;
    memset(&t, 0, sizeof t);
    t.k = 3;
    t.from = 2;
    for (int c = 0; c < 3; c++) {
        t.col[c].n = 2;
        t.col[c].i = calloc(2, sizeof(int));
    }
    return t;
}
static void set(struct sheet *t, int s)
{
    for (int c = 0; c < 3; c++)
        t->col[c].i[0] = s + c;
    for (int k = 0; k < 4; k++)
        t->raw[k] = s + k;
    for (int k = 0; k < 6; k++)
        t->two[k / 3][k % 3] = s + k;
    t->in.part[1] = (short)s;
}
// What the device has.
static void show(const char *what, struct sheet *t)
{
    int a[3], r[4], w[6], p;
#pragma acc serial present(t [0:1]) copyout(a, r, w, p)
    {
        for (int c = 0; c < 3; c++)
            a[c] = t->col[c].i[0];
        for (int k = 0; k < 4; k++)
            r[k] = t->raw[k];
        for (int k = 0; k < 6; k++)
            w[k] = t->two[k / 3][k % 3];
        p = t->in.part[1];
    }
    printf("%s: %d %d %d, %d %d %d %d, %d %d %d %d %d %d, %d\n", what, a[0], a[1], a[2], r[0], r[1], r[2], r[3], w[0],
           w[1], w[2], w[3], w[4], w[5], p);
}

static void updates(void)
{
    struct sheet t = make();
    int one = 1;
#pragma acc update device(t) if_present
#pragma acc update self(t.raw [1:2], t.two [one:one]) if_present
#pragma acc enter data copyin(t)
    set(&t, 10);
#pragma acc update device <second>(t)
    show("second", &t);
    set(&t, 20);
#pragma acc update device <middle>(t)
    show("middle", &t);
    set(&t, 30);
#pragma acc update device <rest>(t)
    show("rest", &t);
    set(&t, 40);
#pragma acc update invoke <p>(device : t)
    show("p", &t);
    set(&t, 50);
#pragma acc update invoke <q>(device : t)
    show("q", &t);
    set(&t, 60);
#pragma acc update device(t)::{ default(exclude) include(col[0:1]) }
    show("nest", &t);
    set(&t, 70);
    int at = 1;
#pragma acc update device(t.raw [at + 1:at], t.two [at:1])
    show("items", &t);
    set(&t, 80);
#pragma acc update device(t.in.part [1:1], t.col [at:1])
    show("inside", &t);
    set(&t, 90);
#pragma acc update device(t)
#pragma acc serial present(t)
    {
        for (int k = 0; k < 4; k++)
            t.raw[k] = 100 + k;
        t.col[0].i[0] = 200;
        t.col[1].i[0] = 201;
        t.col[2].i[0] = 202;
        t.from = 1;
        t.k = 4;
    }
#pragma acc update self(t.raw [t.from - 2:1])
    printf("self: %d %d %d %d\n", t.raw[0], t.raw[1], t.raw[2], t.raw[3]);
#pragma acc update self <rest>(t)
    printf("self: %d %d %d %d, %d %d %d, %d %d\n", t.raw[0], t.raw[1], t.raw[2], t.raw[3], t.col[0].i[0], t.col[1].i[0],
           t.col[2].i[0], t.from, t.k);
#pragma acc update self(t.col [1:1])
    printf("self: %d %d\n", t.col[0].i[0], t.col[1].i[0]);
#pragma acc exit data delete (t)
}

static void regions(void)
{
    struct sheet t = make();
    int *far = t.col[0].i;
    t.col[0].i = t.col[2].i = (int *)8; // no directive may follow these
#pragma acc data copy <follows>(t)
#pragma acc serial present <follows>(t)
    t.col[1].i[1] = t.k;
    printf("follows: %d\n", t.col[1].i[1]);
#pragma acc data copy(t.col [1:1])
#pragma acc serial present <>(t)
    t.col[1].i[1] = t.col[1].n;
    printf("item: %d\n", t.col[1].i[1]);
    t.col[0].i = far;
    t.col[1].i = t.col[2].i = NULL;
    t.col[1].n = t.col[2].n = 0;
    set(&(struct sheet){ .col = { { 2, far }, { 2, far }, { 2, far } } }, 5);
    for (int k = 0; k < 4; k++)
        t.raw[k] = k + 1;
#pragma acc data invoke <out>(t)
#pragma acc serial present <>(t)
    {
        for (int k = 0; k < 4; k++)
            t.raw[k] = 50 + k;
        t.k = 9;
        t.col[0].i[1] = 7;
        t.col[1].n = 8;
    }
    printf("out: %d %d %d %d, %d %d %d\n", t.raw[0], t.raw[1], t.raw[2], t.raw[3], t.k, t.col[0].i[1], t.col[1].n);
    struct plain d[2] = { { 1, { 1, 2, 3, 4 } }, { 2, { 5, 6, 7, 8 } } };
#pragma acc data copyin(d [0:2])::{ default(exclude) include(k, raw[1:2]) }
#pragma acc serial present(d)
    d[1].raw[1] = d[1].raw[2] + d[0].k;
#pragma acc data invoke <>(d [0:2])::{ default(copyin) copyout(raw[0:2]) }
#pragma acc serial present(d)
    for (int k = 0; k < 4; k++)
        d[0].raw[k] = d[1].raw[k] = 20 + k;
    printf("plain: %d %d %d %d\n", d[0].raw[1], d[0].raw[2], d[1].raw[0], d[1].raw[3]);
}

static void exits(void)
{
    struct fixed t = { 4, 2, calloc(2, sizeof(double)), 3 };
#pragma acc enter data copyin <nok>(t)
#pragma acc serial present <nok>(t)
    t.x[1] = t.cap + t.n;
#pragma acc exit data copyout <nok>(t)
    printf("const: %g %d %d\n", t.x[1], t.k, t.cap);
#pragma acc enter data copyin(t)
#pragma acc enter data copyin(t.x [0:2])
#pragma acc serial present(t)
    t.x[0] = t.x[1] + t.k;
#pragma acc exit data delete (t.x [0:1])
#pragma acc exit data copyout(t)
    printf("member: %g\n", t.x[0]);
#pragma acc enter data copyin(t.n, t.x [0:2])
#pragma acc serial present <>(t)
    t.x[0] += t.n;
#pragma acc exit data copyout(t.x [0:2]) delete (t.n)
    printf("members: %g\n", t.x[0]);
#pragma acc data copyout(t)
#pragma acc serial present(t)
    {
        t.x[0] = 5;
        t.x[1] = 6;
        t.k = 7;
    }
    printf("copyout: %g %g %d\n", t.x[0], t.x[1], t.k);
}

// Pointers that no data are attached to have the host's values again.
struct open {
    struct node {
        double *x;
        int k;
#pragma acc shape include(x [0:x ? 2 : 0])
    } t[2];
    int m;
    struct node *more;
#pragma acc shape include(more [0:m])
};
static void unattached(void)
{
    struct node u = { NULL, 3 };
    struct open v = { .m = 0 };
#pragma acc data copyout(u, v)
#pragma acc serial present(u, v)
    {
        u.k = 8;
        v.t[0].k = 7;
        v.t[1].k = 9;
        v.m = 0;
    }
    printf("null: %d %d %d %d\n", u.k, v.t[0].k, v.t[1].k, !u.x && !v.t[1].x && !v.more);
#pragma acc enter data create(u, v)
#pragma acc serial present(u, v)
    {
        u.k = 18;
        v.t[0].k = 17;
        v.t[1].k = 19;
        v.m = 0;
    }
#pragma acc exit data copyout(u, v)
    printf("null: %d %d %d %d\n", u.k, v.t[0].k, v.t[1].k, !u.x && !v.t[1].x && !v.more);
}

// Several elements of one array in one update.
static void elements(void)
{
    struct open v = { .m = 2, .more = calloc(2, sizeof(struct node)) };
    double x[2][2] = { { 1, 2 }, { 3, 4 } };
    for (int i = 0; i < 2; i++)
        v.more[i].x = v.t[i].x = x[i];
#pragma acc enter data copyin(v)
#pragma acc serial present(v)
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            v.more[i].x[j] += 10;
            v.more[i].k = 5 + i;
        }
#pragma acc update self(v.more [0].x [1:1], v.more [1].x [0:1]) self(v.more [1].k)
    printf("elements: %g %g %g %g, %d %d\n", x[0][0], x[0][1], x[1][0], x[1][1], v.more[0].k, v.more[1].k);
#pragma acc exit data delete (v)
}

int main(void)
{
    updates();
    elements();
    unattached();
    regions();
    exits();
    return 0;
}
