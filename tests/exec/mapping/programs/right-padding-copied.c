// nothing: copies of structures change padding only, on the device and on the host.
#include <string.h>

enum { N = 8 };
struct item {
    char c;
    double d;
};

int main(void)
{
    struct item a[N], b[N];
    double sum = 0;
    memset(a, 1, sizeof a), memset(b, 2, sizeof b);
    for (int i = 0; i < N; i++) {
        a[i].c = b[i].c = 'a';
        a[i].d = b[i].d = i;
    }
#pragma acc data copyin(a, b) copy(sum)
    {
        memset(&a[3], 3, sizeof a[3]);
        a[3].c = 'a';
        a[3].d = 3;
#pragma acc parallel loop present(a, b)
        for (int i = 0; i < N; i++)
            b[i] = a[i];
#pragma acc update self(b)
#pragma acc parallel loop present(a, b) reduction(+ : sum)
        for (int i = 0; i < N; i++)
            sum += (a[i] = b[i]).d;
    }
    return sum != 28;
}
