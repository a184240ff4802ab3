// uninitialized data: the kernel follows a pointer that nothing was written to.
#include <openacc.h>
#include <stdlib.h>
int main(void)
{
    int **rows = malloc(4 * sizeof *rows), value = 0;
    for (int i = 0; i < 4; i++)
        rows[i] = calloc(4, sizeof(int));
#pragma acc enter data create(rows[0:4])
#ifdef RIGHT
    for (int i = 0; i < 4; i++) {
        acc_copyin(rows[i], 4 * sizeof(int));
        acc_attach((void **)&rows[i]);
    }
#endif
#pragma acc parallel present(rows[0:4]) copy(value)
    value = rows[1][2]; // expect: uninitialized-read
#ifdef RIGHT
    for (int i = 0; i < 4; i++) {
        acc_detach((void **)&rows[i]);
        acc_delete(rows[i], 4 * sizeof(int));
    }
#endif
#pragma acc exit data delete(rows[0:4])
    return value;
}
