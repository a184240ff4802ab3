// lost change: a structure of the size of a descriptor of gfortran, which begins with a pointer, is copied in only.
#include <stdlib.h>

struct state {
    double *data;
    double v[10];
};

int main(void)
{
    struct state s = {calloc(10, sizeof(double)), {0}};
#ifdef RIGHT
#pragma acc data copy(s) copyin(s.data[0:10])
#else
#pragma acc data copyin(s) copyin(s.data[0:10]) // strict: lost-change
#endif
    {
#pragma acc parallel present(s)
        s.v[3] = s.data[2] + 7;
    }
    const int wrong = s.v[3] == 1; // checked: stale-data
    free(s.data);
    return wrong;
}
