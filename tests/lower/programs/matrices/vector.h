#pragma once
#include <stdlib.h>
#include <string.h>
#include "number.h"
struct vector {
    int n;
    number *x;
    #pragma acc shape include(x[0:n])
};

static inline void vector_make(struct vector *v, int n)
{
    v->n = n;
    v->x = calloc(n, sizeof *v->x);
}

static inline void vector_set(struct vector *v, number to)
{
    // the vector is part of a matrix
    #pragma acc parallel loop present(v[0:1]) \
        copyin(to)
    for (int i = 0; i < v->n; i++)
        v->x[i] = to;
}

static inline const char *vector_file(void)
{
    const char *slash = strrchr(__FILE__, '/');
    return slash ? slash + 1 : __FILE__;
}
static inline int vector_line(void) { return __LINE__; }
