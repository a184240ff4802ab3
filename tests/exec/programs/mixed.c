/* OpenACC and OpenMP in one program: one device, one present table. */
#include <assert.h>
#include <omp.h>
#include <openacc.h>

enum { N = 32 };

int main(void)
{
    int a[N] = {0}, host = 0;
    #pragma acc enter data copyin(a)
    assert(omp_target_is_present(a, 0));
    #pragma omp target map(tofrom: a) map(from: host)
    {
        for (int i = 0; i < N; i++)
            a[i] += i;
        host = omp_is_initial_device();
    }
    assert(!host && a[5] == 0);
    #pragma acc parallel loop present(a)
    for (int i = 0; i < N; i++)
        a[i] *= 2;
    #pragma acc exit data copyout(a)
    assert(a[5] == 10 && !acc_is_present(a, sizeof a));
    #pragma omp target enter data map(to: a)
    assert(acc_is_present(a, sizeof a) && acc_deviceptr(a) != a);
    #pragma acc parallel loop
    for (int i = 0; i < N; i++)
        a[i]++;
    #pragma omp target exit data map(from: a)
    assert(a[5] == 11);
}
