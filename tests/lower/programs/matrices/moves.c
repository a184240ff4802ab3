#include "matrix.h"

void matrix_enter(struct matrix *m)
{
#pragma acc enter data copyin(m[0:1])
}

void matrix_exit(struct matrix *m)
{
#pragma acc exit data copyout(m[0:1])
}
