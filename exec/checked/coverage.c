/* coverage.c - functions that clang calls for loads and stores with
 * -fsanitize-coverage=trace-loads,trace-stores. They are needed besides the functions of tsan.c, because
 * clang's thread sanitizer ignores arrays on the stack, which may be mapped. */
#include "fast_path.h"
#include "loops.h"

/* Defines the functions for loads and stores of n bytes at `at`, which check the access. */
#define TRACED(n)                                      \
    API void __sanitizer_cov_load##n(const void *at);  \
    void __sanitizer_cov_load##n(const void *at)       \
    {                                                  \
        rt_kernel_loops.is_traced = true;              \
        check_last((uintptr_t)at, n, RT_ACCESS_READ);  \
    }                                                  \
    API void __sanitizer_cov_store##n(const void *at); \
    void __sanitizer_cov_store##n(const void *at)      \
    {                                                  \
        rt_kernel_loops.is_traced = true;              \
        check_last((uintptr_t)at, n, RT_ACCESS_WRITE); \
    }
TRACED(1)
TRACED(2)
TRACED(4)
TRACED(8)
TRACED(16)
