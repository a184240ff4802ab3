/* The same mistake as in never_attached.lua, in a real program: an array and the structure that points
 * to it are mapped in an order that leaves the pointer unattached.
 *
 *     accdeep cc gcc -g -fopenacc examples/never_attached.c -o build/never_attached
 *     accdeep exec build/never_attached          stops at the line that follows the pointer
 *     accdeep exec build/never_attached right    attaches it first
 */
#include <stdio.h>

struct vector {
    int n;
    float *data;
};

int main(int argc, char **argv)
{
    float data[4] = {1, 2, 3, 4};
    struct vector v = {4, data};
    (void)argv;

#pragma acc enter data copyin(data)
#pragma acc enter data copyin(v)
    if (argc > 1) {
#pragma acc enter data attach(v.data)
    }

#pragma acc parallel loop present(v)
    for (int i = 0; i < v.n; i++)
        v.data[i] += 10;

#pragma acc exit data copyout(data) delete(v)
    printf("%g %g\n", data[0], data[3]);
    return 0;
}
