/* Kernels change variables by atomic operations, and the host reads them without an update. Built with -fopenacc, or
 * with -fopenmp: then gcc has atomic long double, and clang complex numbers. */
#include <stdio.h>

#ifdef _OPENACC
#define MAP _Pragma("acc enter data copyin(x)")
#define KERNEL _Pragma("acc parallel present(x)")
#define ATOMIC _Pragma("acc atomic update")
#define CAPTURED _Pragma("acc atomic capture")
#define STORED _Pragma("acc atomic write")
#define LOADED _Pragma("acc atomic read")
#define UPDATE _Pragma("acc update self(x)")
#define UNMAP _Pragma("acc exit data delete(x)")
#else
#define MAP _Pragma("omp target enter data map(to: x)")
#define KERNEL _Pragma("omp target map(alloc: x)")
#define ATOMIC _Pragma("omp atomic update")
#define CAPTURED _Pragma("omp atomic capture")
#define STORED _Pragma("omp atomic write")
#define LOADED _Pragma("omp atomic read")
#define UPDATE _Pragma("omp target update from(x)")
#define UNMAP _Pragma("omp target exit data map(delete: x)")
#endif

static double sum;

#define CASE(type, atomic, ...)  \
    do {                         \
        static type x = 12;      \
        type y = 0;              \
        MAP                      \
        KERNEL                   \
        {                        \
            atomic __VA_ARGS__   \
            (void)y;             \
        }                        \
        sum += (double)x;        \
        UPDATE                   \
        sum += (double)x;        \
        UNMAP                    \
        (void)y;                 \
    } while (0)

int main(void)
{
    CASE(signed char, ATOMIC, x += 1;);
    CASE(short, ATOMIC, x *= 2;);
    CASE(int, ATOMIC, x |= 1;);
    CASE(int, ATOMIC, x *= 2;);
    CASE(long, ATOMIC, x <<= 1;);
    CASE(unsigned long, ATOMIC, x = 5 - x;);
    CASE(float, ATOMIC, x += 1;);
    CASE(float, ATOMIC, x /= 2;);
    CASE(double, ATOMIC, x -= 1;);
    CASE(double, ATOMIC, x = 2 / x;);
    CASE(int, CAPTURED, y = x++;);
    CASE(double, CAPTURED, y = x += 1;);
    CASE(float, CAPTURED, { y = x; x *= 3; });
    CASE(float, STORED, x = 5;);
    CASE(double, STORED, x = 6;);
#if defined __clang__
    CASE(_Complex float, ATOMIC, x += 1;);
    CASE(_Complex double, ATOMIC, x *= 2;);
    CASE(_Complex double, CAPTURED, y = x += 1;);
    CASE(_Complex double, STORED, x = 5;);
#elif defined _OPENMP
    CASE(long double, ATOMIC, x += 1;);
    CASE(long double, CAPTURED, y = x *= 2;);
#endif
    CASE(float, LOADED, y = x;); /* no change */
    CASE(double, LOADED, y = x;);
    printf("%g\n", sum);
    return 0;
}
