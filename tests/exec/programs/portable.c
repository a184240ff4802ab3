/* Directives that documents and runtimes read differently, and twins that all of them read alike. */
#include <openacc.h>
#include <stdio.h>
#include <string.h>

struct vector {
    int n;
    float *data;
};

/* A delete of data that are absent: an error of TR-14-1. */
static void absent(int is_twin)
{
    float a[8] = {0};
    if (is_twin) {
#pragma acc enter data copyin(a)
    }
#pragma acc exit data delete(a)
}

/* A plain copyin of present data: an error of OpenACC 2.0. */
static void again(int is_twin)
{
    float a[8] = {0};
#pragma acc enter data copyin(a)
    if (is_twin) {
#pragma acc update device(a)
    } else {
#pragma acc enter data copyin(a)
#pragma acc exit data delete(a)
    }
#pragma acc exit data delete(a)
}

/* An update of a structure with an attached pointer: gcc 12 overwrites the pointer on the device. */
static void overwritten(int is_twin)
{
    float data[4] = {1, 2, 3, 4};
    struct vector v = {4, data};
#pragma acc enter data copyin(v)
#pragma acc enter data copyin(v.data[0 : 4])
    v.n = 2;
    if (is_twin) {
#pragma acc update device(v.n)
    } else {
#pragma acc update device(v)
    }
#pragma acc exit data delete(v.data[0 : 4])
#pragma acc exit data delete(v)
}

/* The target of an attached pointer is unmapped: an error of TR-14-1. */
static void lost(int is_twin)
{
    float data[4] = {1, 2, 3, 4};
    struct vector v = {4, data};
#pragma acc enter data copyin(v)
#pragma acc enter data copyin(v.data[0 : 4])
    if (is_twin) {
#pragma acc exit data delete(v.data[0 : 4])
    } else {
        acc_delete(data, sizeof data);
    }
#pragma acc exit data delete(v)
}

/* A detach of a pointer that is not attached: an error of gcc 12 and of TR-14-1. */
static void unattached(int is_twin)
{
    float data[4] = {1, 2, 3, 4};
    struct vector v = {4, data};
#pragma acc enter data copyin(v, data)
    if (is_twin) {
#pragma acc enter data attach(v.data)
    }
#pragma acc exit data detach(v.data)
#pragma acc exit data delete(v, data)
}

/* A region whose data are mapped already, in a loop. */
static void regions(int is_twin)
{
    float a[8] = {0};
#pragma acc enter data copyin(a)
    for (int i = 0; i < 3; i++) {
        if (is_twin) {
#pragma acc parallel loop present(a)
            for (int k = 0; k < 8; k++)
                a[k] += 1;
        } else {
#pragma acc parallel loop copy(a)
            for (int k = 0; k < 8; k++)
                a[k] += 1;
        }
    }
#pragma acc exit data copyout(a)
    printf("%g\n", a[7]);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*function)(int);
    } cases[] = {{"absent", absent}, {"again", again},           {"overwritten", overwritten},
                 {"lost", lost},     {"unattached", unattached}, {"regions", regions}};
    for (unsigned i = 0; argc > 1 && i < sizeof cases / sizeof cases[0]; i++)
        if (!strcmp(argv[1], cases[i].name))
            cases[i].function(argc > 2);
    return 0;
}
