// nothing: the kernel has arrays of its own, and calls functions with arrays of theirs.
#include <math.h>
#include <string.h>
#pragma acc routine seq
static double norm(const double *x, int n)
{
    double squares[8], sum = 0;
    for (int i = 0; i < n; i++)
        squares[i] = x[i] * x[i];
    for (int i = 0; i < n; i++)
        sum += squares[i];
    return sqrt(sum);
}
int main(void)
{
    double a[8] = {3, 4}, b[8], result = 0;
#pragma acc parallel copyin(a) copyout(b) copy(result)
    {
        double mine[8];
        memcpy(mine, a, sizeof mine);
        memset(b, 0, sizeof b);
        result = norm(mine, 8) + b[3];
    }
    return result != 5 || b[7] != 0;
}
