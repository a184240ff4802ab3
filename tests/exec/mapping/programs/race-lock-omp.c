// data race: some iterations change a variable without the lock.
#include <omp.h>

int main(void)
{
    int n = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp target parallel for map(tofrom : n, lock)
    for (int i = 0; i < 64; i++) {
#ifndef RIGHT
        if (i == 40)
            n += 5; // checked: data-race
#endif
        omp_set_lock(&lock);
        n++; // checked: data-race
        omp_unset_lock(&lock);
    }
    return n < 64;
}
