/* B4, B10, B11, B12: ranges of which only a part is present. The argument chooses one. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double z[40] = {0};
    int way = argc > 1 ? atoi(argv[1]) : 0;
#pragma acc enter data copyin(z[10:10])
    switch (way) {
    case 1: {
#pragma acc update self(z[15:10])
        break;
    }
    case 2:
        acc_create(z + 5, 80);
        break;
    case 3: {
#pragma acc enter data copyin(z[5:10])
        break;
    }
    case 4:
        acc_create(z + 20, 80);
        acc_create(z + 10, 160);
        break;
    case 5:
        acc_update_device(z + 5, 80);
        break;
    case 6: {
        double *y = malloc(80), *middle = y + 3;
#pragma acc enter data copyin(y[0:5]) create(middle[0:7])
        break;
    }
    case 7: { /* names the pointer, not its data */
        double *first = &z[10];
#pragma acc exit data delete(first)
#pragma acc update self(first)
        break;
    }
    }
    printf("nothing was wrong\n");
    return 0;
}
