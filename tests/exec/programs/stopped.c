/* Accesses inside of functions of the C library, by argument. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named {
    char *name;
};

__attribute__((noinline)) static size_t deep(const char *text)
{
    char copy[400];
    snprintf(copy, sizeof copy, "<%s>", text); /* the place */
    return strlen(copy);
}

__attribute__((noinline)) static int order(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b; /* called by the C library, which the region calls */
}

int main(int argc, char **argv)
{
    const int way = argc > 1 ? *argv[1] : 0;
    char *to = malloc(80), *from = malloc(80);
    size_t n = 0;
    struct named s = {from};
    memset(from, 'x', 79);
    from[79] = 0;
#pragma acc enter data copyin(from[0:20])
#pragma acc parallel copy(to[0:80]) present(from[0:20]) copyin(s) copy(n)
    {
        if (way == 'c')
            memcpy(to, from, 80);
        if (way == 's')
            n = deep(s.name);
        if (way == 'w')
            n = deep((char *)(n + 0x10000));
        if (way == 'n')
            n = strlen((char *)n);
        if (way == 'o')
            qsort(from, 40, 1, order);
    }
    /* most of these runs are not watched */
    for (int i = 1; i <= 61 && way == 'l'; i++) {
#pragma acc parallel present(from[0:20])
        memset(from, 'y', i < 61 ? 20 : 21);
    }
#pragma acc exit data delete(from[0:20])
    free(to);
    free(from);
}
