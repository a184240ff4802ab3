#include "head.h"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    double x[3] = {1, 2, 3}, sum = 0, last = 0;
    struct s X = {3, x}, *none = NULL;
    const char *what = argc > 1 ? argv[1] : "";
    printf("begin\n");
#pragma acc enter data copyin(X) if(strcmp(what, "absent") != 0)
#pragma acc parallel loop copy(last) reduction(+:sum)
    for (int i = 0; i < X.n; i++) {
        sum += X.x[i];
        X.x[i] *= 2;
        if (i == X.n - 1)
            last = X.x[i];
    }
#pragma acc parallel loop present(X) if(strcmp(what, "host") != 0) async(1)
    for (int i = 0; i < X.n; i++)
        X.x[i] += 1;
#pragma acc wait
    if (!strcmp(what, "unmapped")) {
#pragma acc host_data use_device(what) if_present
        printf("%s\n", what);
#pragma acc host_data use_device(none, what)
        printf("not reached\n");
    }
    if (!strcmp(what, "null")) {
#pragma acc update self(none[0:1])
    }
#pragma acc host_data use_device(x)
    printf("%s\n", (void *)x == (void *)X.x ? "host address" : "device address");
    printf("%g %g %g\n", sum, last, x[2]);
    double most = 0;
#pragma acc data copy(most)
    {
#pragma acc parallel loop reduction(max:most)
        for (int i = 0; i < X.n; i++)
            if (X.x[i] > most)
                most = X.x[i];
#pragma acc serial
        most += 0.5;
    }
    printf("%g\n", most);
#pragma acc exit data copyout(X) finalize
    printf("%g\n", x[2]);
    return 0;
}
