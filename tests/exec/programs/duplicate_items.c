/* List items that name data twice, and members of one structure. */
#include <omp.h>
#include <stdio.h>

struct vector { int n, used, *data; };

int main(void)
{
    int a[4] = {1, 2, 3, 4}, b[3] = {1, 1, 1};
    struct vector v = {1, 2, a};
#pragma omp target map(to : b[0:3]) map(from : b[0:3])
    for (int i = 0; i < 3; i++)
        b[i] += 5;
    printf("%d\n", b[1]);
#pragma omp target data map(tofrom : v.n, v.used) map(tofrom : v.data[0:4])
    {
#pragma omp target map(tofrom : v.n, v.used) map(tofrom : v.data[0:4])
        {
            v.n = 7;
            v.data[1] = 8;
        }
        printf("%d %d\n", v.n, a[1]);
    }
    printf("%d %d\n", v.n, a[1]);
#pragma omp target enter data map(to : a) map(to : a[1:2])
#pragma omp target exit data map(release : a)
    printf("%d\n", omp_target_is_present(a, 0));
    return 0;
}
