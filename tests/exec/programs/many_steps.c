/* More events than the trace of a picture has; most data are mapped after them. With an argument, an error at the end. */
#include <stdlib.h>

enum { STEPS = 3400, OBJECTS = 300 };

int main(int argc, char **argv)
{
    int u[4] = {0}, *list[OBJECTS];
    (void)argv;
    for (int i = 0; i < STEPS; i++) {
#pragma acc enter data copyin(u)
#pragma acc exit data copyout(u)
    }
    for (int i = 0; i < OBJECTS; i++) {
        int *p = list[i] = malloc(sizeof *p);
#pragma acc enter data create(p[0:1])
    }
    if (argc > 1) {
#pragma acc update self(u)
    }
    return 3;
}
