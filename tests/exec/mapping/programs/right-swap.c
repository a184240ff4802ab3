// nothing: two present blocks are exchanged by their pointers in each step.
#include <stdlib.h>
int main(void)
{
    double *old = calloc(20, sizeof *old), *new = calloc(20, sizeof *new), *first = old;
    old[0] = new[0] = 1;
#pragma acc enter data copyin(old[0:20], new[0:20])
    for (int t = 0; t < 4; t++) {
#pragma acc parallel loop present(old[0:20], new[0:20])
        for (int i = 1; i < 19; i++)
            new[i] = (old[i - 1] + old[i + 1]) / 2;
        double *swap = old;
        old = new;
        new = swap;
    }
#pragma acc exit data copyout(old[0:20]) delete(new[0:20]) // may: lost-change
    int wrong = old != first || old[1] == 0;
    free(old);
    free(new);
    return wrong;
}
