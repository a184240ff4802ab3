/* Defects that `exec --strict` and programs of `accdeep cc` must both report, and right programs, by argument. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

static void overwrite_by_routine(int *a)
{
#pragma acc enter data copyin(a[0:64])
#pragma acc parallel present(a[0:64])
    a[3] = 100;
    acc_memcpy_to_device(acc_deviceptr(a), a, 64 * sizeof *a);
#pragma acc exit data delete(a[0:64])
}

/* The kernel's section has no element that the host has changed. */
static void use_other_section(int *a)
{
#pragma acc enter data copyin(a[0:64])
    a[3] = 100;
#pragma acc parallel present(a[32:32])
    a[40] += 1;
#pragma acc update self(a[32:32])
#pragma acc exit data delete(a[0:64])
}

/* The transfer of equal values reads what the end of the region frees. */
static void free_before_wait(int *a)
{
#pragma acc data copyin(a[0:64])
    {
#pragma acc update device(a[0:32]) async(1)
        (void)*(volatile int *)a;
    }
#pragma acc wait
}

/* The array is mapped again while a transfer from it is pending. */
static void map_again(int *a)
{
#pragma acc parallel copy(a[0:64]) async(1)
    a[3] = 100;
#pragma acc enter data create(a[0:64])
    a[3] = 5;
#pragma acc wait
#pragma acc exit data delete(a[0:64])
}

/* A later transfer of a part leaves changes of the rest to be found. */
static void change_rest(int *a)
{
#pragma acc enter data copyin(a[0:64])
#pragma acc parallel present(a[0:64])
    a[3] = 100;
#pragma acc update self(a[0:64]) async(1)
    a[60] = 5;
#pragma acc parallel present(a[0:64]) async(1)
    a[4] = 100;
#pragma acc update self(a[0:8]) async(1)
#pragma acc wait
#pragma acc exit data delete(a[0:64])
}

int main(int argc, char **argv)
{
    void (*const cases[])(int *) = {overwrite_by_routine, use_other_section, free_before_wait, map_again, change_rest};
    int *a = calloc(64, sizeof *a);
    cases[argc > 1 ? atoi(argv[1]) : 0](a);
    free(a);
    return 0;
}
