// freed while mapped: the memory is that of other blocks later, which are freed, too.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *keys = calloc(4096, 1);
#pragma acc enter data copyin(keys[0:4096]) // may: still-mapped
#pragma acc parallel present(keys[0:4096])
    keys[0] = 1;
#ifdef RIGHT
#pragma acc exit data delete(keys[0:4096]) // may: lost-change
#endif
    free(keys); // expect: still-mapped
    for (int i = 0; i < 2; i++) {
        char *other = calloc(4096, 1);
        other[1] = (char)i;
        free(other);
    }
    FILE *file = fopen("/dev/null", "w");
    fputs("text", file);
    fclose(file);
}
