// Routines that move data, beside directives.
// openmp: no - routines of OpenACC
#include <openacc.h>
#include <stdio.h>
struct s {
    int n;
    double *x;
#pragma acc shape include(x[0:n])
};
void *device_of(void *p); // of a unit without directives
int main(void)
{
    double x[3] = {1, 2, 3}, y[4] = {1, 1, 1, 1};
    struct s X = {3, x};
#pragma acc enter data copyin(X)
    double *d = acc_copyin(y, sizeof y);
    acc_create_async(y, sizeof y, 1);
    acc_wait(1);
#pragma acc parallel loop present(X, y)
    for (int i = 0; i < X.n; i++) {
        X.x[i] += 1;
        y[i] += X.x[i];
    }
    acc_update_self(x, sizeof x);
    printf("%d %d %g\n", d == acc_deviceptr(y), d == device_of(y), x[2]);
    acc_copyout(y, sizeof y);
#pragma acc parallel loop present(X) if(acc_is_present(&X, sizeof X)) // on the device
    for (int i = 0; i < X.n; i++)
        X.x[i] += 100;
#pragma acc update self(X)
    printf("%g\n", x[2]);
#pragma acc exit data delete(X)
#pragma acc parallel loop present(X) if(acc_is_present(&X, sizeof X)) // on the host
    for (int i = 0; i < X.n; i++)
        X.x[i] += 100;
    printf("%g\n", x[2]);
    acc_copyout_finalize(y, sizeof y);
    printf("%g\n", y[0]);
}
