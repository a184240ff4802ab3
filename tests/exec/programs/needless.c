/* Clauses that attach nothing, which is legal: none has a note. The argument chooses one. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

struct list {
    int n;
    double *data, *other;
};

int main(int argc, char **argv)
{
    const char way = argc > 1 ? *argv[1] : 0;
    struct list s = {4, calloc(4, sizeof *s.data), NULL};
    double *absent = calloc(4, sizeof *absent);
    const int none = argc - 2;
#pragma acc enter data copyin(s)
    switch (way) {
    case 't': /* the target is not present */
        for (int i = 0; i < 3; i++) {
#pragma acc enter data attach(s.data)
        }
        break;
    case 'u': { /* the target was unmapped */
#pragma acc enter data copyin(absent[0:4])
#pragma acc exit data delete(absent[0:4])
        s.other = absent;
#pragma acc enter data attach(s.other)
        s.other = NULL;
        break;
    }
    case 'p': { /* the pointer is not present */
        struct list elsewhere = s;
        elsewhere.data = s.data;
#pragma acc enter data copyin(s.data[0:4])
#pragma acc enter data attach(elsewhere.data)
#pragma acc exit data delete(s.data[0:4])
        break;
    }
    case 'r': /* the routine */
        acc_attach((void **)&s.data);
        break;
    case 'c': /* correct: attached at last; a null pointer, an empty section, an update that may find nothing */
        for (int i = 0; i < 3; i++) {
            if (i == 1) {
#pragma acc enter data copyin(absent[0:4])
                s.data = absent;
            }
#pragma acc enter data attach(s.data)
        }
#pragma acc exit data detach(s.data)
#pragma acc exit data detach(s.data)
#pragma acc enter data attach(s.other)
        s.other = s.data;
#pragma acc enter data copyin(s.other[0:none])
#pragma acc exit data delete(s.other[0:none])
#pragma acc update self(argv[0:1]) if_present
#pragma acc exit data delete(absent[0:4])
        break;
    }
#pragma acc exit data delete(s)
    printf("done\n");
    return 0;
}
