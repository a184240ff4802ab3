/* Prints how the compiler laid out types: TYPE|NAME|OFFSET|BYTES, one member a line; the whole has no name. */
#include <complex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum sign { MINUS = -1, PLUS = 1 };
enum wide { FAR = 0x100000000 };

struct deep_type {
    int n;
    float *a, *b, *c;
};

struct node {
    struct node *next, *(*many)[3];
    struct deep_type inner;
};

typedef struct {
    char c;
    double d;
    struct {
        short s;
        union {
            int i;
            float f;
        };
    };
    struct {
        long x, y;
    } named;
    enum sign sign;
    enum wide wide;
    _Bool flag;
    long double big;
    double complex z;
    int grid[2][3][4];
    void (*call)(int);
    const char *const *words;
    uint16_t u16;
    int8_t i8;
    unsigned narrow : 3, other : 9;
    union {
        struct deep_type d;
        char bytes[40];
    } either;
    struct opaque *hidden;
    struct deep_type list[2];
    _Alignas(64) int aligned;
    int tail[];
} mixed;

struct __attribute__((packed)) packed {
    char c;
    double d;
    int i;
};

static struct deep_type X;
static struct node N;
static mixed M;
static struct packed P;

#define WHOLE(type, object) printf("%s||0|%zu\n", type, sizeof object)
#define MEMBER(type, object, member)                                                               \
    printf("%s|%s|%td|%zu\n", type, #member, (char *)&(object).member - (char *)&(object),         \
           sizeof(object).member)

int main(void)
{
    WHOLE("struct deep_type", X);
    MEMBER("struct deep_type", X, n);
    MEMBER("struct deep_type", X, c);
    WHOLE("struct node", N);
    MEMBER("struct node", N, many);
    MEMBER("struct node", N, inner.b);
    WHOLE("mixed", M);
    MEMBER("mixed", M, d);
    MEMBER("mixed", M, s);
    MEMBER("mixed", M, f);
    MEMBER("mixed", M, named.y);
    MEMBER("mixed", M, sign);
    MEMBER("mixed", M, wide);
    MEMBER("mixed", M, flag);
    MEMBER("mixed", M, big);
    MEMBER("mixed", M, z);
    MEMBER("mixed", M, grid);
    MEMBER("mixed", M, grid[1][2][3]);
    MEMBER("mixed", M, call);
    MEMBER("mixed", M, words);
    MEMBER("mixed", M, u16);
    MEMBER("mixed", M, i8);
    MEMBER("mixed", M, either.d.c);
    MEMBER("mixed", M, hidden);
    MEMBER("mixed", M, list[1].b);
    MEMBER("mixed", M, aligned);
    WHOLE("struct packed", P);
    MEMBER("struct packed", P, d);
    MEMBER("struct packed", P, i);
    return 0;
}
