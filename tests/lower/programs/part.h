#include <stdio.h>
#include <stdlib.h>
struct part { int n; float *values, *last; char *note;
    #pragma acc shape exclude(note) include(values[0:n], last[@values])
};
