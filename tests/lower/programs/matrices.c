// Headers with shapes and directives: one with a guard, one with `#pragma once`, each in several files; another unit.
#include <assert.h>
#include <stdio.h>
#include "matrices/vector.h"
#include "matrices/matrix.h" // which includes the other one
#include "matrices/other.h"

int main(void)
{
    struct matrix m = { 3, malloc(3 * sizeof(struct vector)) };
    for (int i = 0; i < m.rows; i++)
        vector_make(&m.row[i], i + 2);
    matrix_enter(&m);
    for (int i = 0; i < m.rows; i++)
        vector_set(&m.row[i], 1);
    matrix_add(&m, 10);
#pragma acc parallel loop present(m)
    for (int i = 0; i < m.rows; i++) {
        assert(m.row[i].n > 0);
        m.row[i].x[0] *= 2;
    }
    matrix_exit(&m);
    number sum = 0;
    for (int i = 0; i < m.rows; i++)
        for (int k = 0; k < m.row[i].n; k++)
            sum += m.row[i].x[k];
    printf("%g, line %d, %d of %s\n", sum, __LINE__, vector_line(), vector_file());
    return 0;
}
