/* Uses of absent data. The reports tell what was mapped there, and what lies nearest. The argument chooses a use. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

static double sum(const double *v, int n)
{
    double all = 0;
#pragma acc parallel loop present(v[0:n]) reduction(+ : all)
    for (int i = 0; i < n; i++)
        all += v[i];
    return all;
}

int main(int argc, char **argv)
{
    const char way = argc > 1 ? *argv[1] : 0;
    double *a = calloc(100, sizeof *a), *b = calloc(100, sizeof *b), result = 0;
    double *device = NULL;
#pragma acc enter data copyin(a[0:100])
    if (way == 'm') /* a pointer to the data stays on the device */
        device = acc_deviceptr(a);
    if (way != 'r') {
#pragma acc exit data delete(a[0:100])
    }
    switch (way) {
    case 'r': /* a correct program */
    case 'a': /* unmapped too early */
        result = sum(a, 100);
        break;
    case 's': { /* mapped again, but only a part, and another part is used */
#pragma acc enter data copyin(a[0:50])
        result = sum(a + 50, 50);
        break;
    }
    case 'w': { /* mapped again, but only a part, and all is used */
#pragma acc enter data copyin(a[0:50])
        result = sum(a, 100);
        break;
    }
    case 'u': { /* the nearest part of the variable */
#pragma acc enter data copyin(b[0:10])
#pragma acc enter data copyin(b[60:20])
#pragma acc update self(b[40:15])
        break;
    }
    case 'n': { /* nothing of it was mapped ever */
#pragma acc update self(b[40:15])
        break;
    }
    case 'd': { /* mapped to the other device */
#pragma acc enter data copyin(b[0:100])
        acc_set_device_num(1, acc_device_default);
        result = sum(b, 100);
        break;
    }
    case 'm': {
#pragma acc parallel loop deviceptr(device) reduction(+ : result)
        for (int i = 0; i < 100; i++)
            result += device[i];
        break;
    }
    case 'h': { /* the host's address of unmapped data */
        double **list = malloc(sizeof *list);
        *list = a;
#pragma acc parallel loop copyin(list[0:1]) reduction(+ : result)
        for (int i = 0; i < 100; i++)
            result += list[0][i];
        break;
    }
    case 'x': /* acc_unmap_data */
        device = acc_malloc(800);
        acc_map_data(b, device, 800);
        acc_unmap_data(b);
        result = sum(b, 100);
        break;
    case 'p': { /* the pointer was changed: what it pointed to before has its name */
#pragma acc enter data copyin(b[0:100])
        b = calloc(100, sizeof *b);
#pragma acc update self(b[0:100])
        break;
    }
    }
    printf("result %g\n", result);
    if (way == 'r') {
#pragma acc exit data delete(a[0:100])
    }
    return 0;
}
