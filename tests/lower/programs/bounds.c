// Bounds that only the code of a shape expresses: parameters, members of the structure around, the number of a pointer,
// parts of rows, calls and floating numbers. rules: tr14x
#include <stdio.h>
#include <stdlib.h>

static int twice(int n) { return 2 * n; }

struct part {
    int n;
    float scale;
    int *p;
#pragma acc shape(upto) with(k = 2) include(p [0:k])
#pragma acc shape(one) with(at) include(p [at:1])
#pragma acc shape(called) include(p [0:n > 0 ? twice(n) : 0])
#pragma acc shape(scaled) include(p [0:(int)scale])
};
struct ragged {
    int rows, *lengths, **row;
#pragma acc shape include(lengths [0:rows], row [0:rows] [0:lengths [#]])
};
struct table {
    int from, n, cell[3][4], *several[2], (*block)[4];
    struct part in;
#pragma acc shape include(several [from:1] [0:n], block [0:n]) include<upto(n)>(in)
};

static int *numbers(int n)
{
    int *p = malloc(n * sizeof *p);
    for (int i = 0; i < n; i++)
        p[i] = i + 1;
    return p;
}

int main(void)
{
    struct part a = {2, 3.5f, numbers(4)};
#pragma acc data copy<upto(3)>(a)
#pragma acc serial
    {
        a.p[2] += 10;
    }
#pragma acc data copy<upto>(a)
#pragma acc serial
    {
        a.p[1] += 20;
    }
#pragma acc data copy<one(3)>(a)
#pragma acc serial
    {
        a.p[3] += 30;
    }
#pragma acc data copy<called>(a)
#pragma acc serial
    {
        a.p[3] += 100;
    }
#pragma acc data copy<scaled>(a)
#pragma acc serial
    {
        a.p[2] += 200;
    }
    printf("part: %d %d %d %d\n", a.p[0], a.p[1], a.p[2], a.p[3]);

    int lengths[3] = {2, 0, 3}, *row[3] = {numbers(2), NULL, numbers(3)};
    struct ragged r = {3, lengths, row};
#pragma acc data copy(r)
#pragma acc serial
    {
        for (int i = 0; i < r.rows; i++)
            for (int k = 0; k < r.lengths[i]; k++)
                r.row[i][k] += 10 * i;
    }
    printf("ragged: %d %d, %d %d %d\n", row[0][0], row[0][1], row[2][0], row[2][1], row[2][2]);

    struct table t = {1, 2, {{0}}, {NULL, numbers(2)}, (int(*)[4])numbers(8), {2, 0, numbers(2)}};
#pragma acc data copy(t)
#pragma acc serial
    {
        t.several[1][1] += 5;
        t.block[1][3] += 6;
        t.in.p[1] += 7;
        t.cell[2][3] = 8;
    }
    printf("table: %d %d %d %d\n", t.several[1][1], t.block[1][3], t.in.p[1], t.cell[2][3]);
    return 0;
}
