/* A program without debug information: nothing has a name, and nothing goes wrong. */
#include "probe.h"

#include <stdlib.h>

static double z[4];

int main(void)
{
    int local = 0;
    float *p = malloc(sizeof *p);
    names(z, sizeof z, "?");
    names(&local, sizeof local, "?");
    names(p, sizeof *p, "?");
    names(NULL, 0, "?");
    stands_nowhere();
    free(p);
    return probe_done();
}
