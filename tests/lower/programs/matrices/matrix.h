#ifndef MATRIX_H
#define MATRIX_H
#include "number.h"
#include "vector.h"
struct matrix {
    int rows;
    struct vector *row;
#pragma acc shape include(row[0:rows])
};
void matrix_enter(struct matrix *m);
void matrix_exit(struct matrix *m);
static inline void matrix_add(struct matrix *m, number value)
{
#pragma acc parallel loop gang present(m[0:1]) firstprivate(value)
    for (int i = 0; i < m->rows; i++)
#pragma acc loop vector
        for (int k = 0; k < m->row[i].n; k++)
            m->row[i].x[k] += value;
}
#endif
