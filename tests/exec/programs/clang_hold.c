// ompx_hold, a clause of clang's own: data stay present until the region ends, whatever exit data says.
#include <omp.h>
#include <stdio.h>

struct pair {
    int a, b;
};

int main(void)
{
    int x = 1;
    struct pair pair = {1, 2};
#define PRESENT() printf("%d %d\n", omp_target_is_present(&x, 0), omp_target_is_present(&pair.a, 0))
#pragma omp target data map(ompx_hold, tofrom : x) map(ompx_hold, tofrom : pair.a, pair.b)
    {
#pragma omp target enter data map(to : x)
#pragma omp target enter data map(to : x)
#pragma omp target exit data map(release : x)
#pragma omp target exit data map(delete : x) map(from : pair.a, pair.b)
        PRESENT();
#pragma omp target
        x = 5, pair.b = 7;
#pragma omp target exit data map(delete : x)
        PRESENT();
    }
    PRESENT();
    printf("%d %d\n", x, pair.b);
#pragma omp target data map(ompx_hold, to : x)
    {
#pragma omp target enter data map(to : x)
    }
    PRESENT();
#pragma omp target exit data map(from : x)
    PRESENT();
    return 0;
}
