/* clang_loops.c - corrects the bounds of loops that libomp shares among the threads of a team. Interposes libomp's
 * functions, which clang's code calls at the begin of such a loop.
 *
 * With schedule(static, 1), clang's code of a combined construct with distribute uses the stride set by libomp as the
 * step of its loop. libomp 14 to 19 gives a team of one thread all iterations as one chunk, and a stride beyond the
 * last iteration. The loop would then end after the first iteration. Kernels of checked runs have teams of one thread.
 * Such a team therefore gets chunks of one iteration here, as the schedule requests. */
#include "api/next_function.h"

#include <stddef.h>
#include <stdint.h>

enum { STATIC_CHUNKED = 33 };

/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types */
#define PARAMETERS(type, step_type)                                                                             \
    (void *location, int32_t thread, int32_t schedule, int32_t *last, type *low, type *high, step_type *stride, \
     step_type step, step_type chunk)
/* Defines the entry point `name` for loop variables of `type`. It calls libomp's function, which sets the first chunk
 * [*low, *high]; with schedule(static, 1) it then reduces this chunk to one iteration. */
#define TAKE(name, type, step_type)                                                                 \
    void name PARAMETERS(type, step_type);                                                          \
    void name PARAMETERS(type, step_type)                                                           \
    {                                                                                               \
        RT_NEXT(name)(location, thread, schedule, last, low, high, stride, step, chunk);            \
        if (schedule == STATIC_CHUNKED && chunk == 1 && (step > 0 ? *low < *high : *low > *high)) { \
            *high = *low;                                                                           \
            *stride = step;                                                                         \
        }                                                                                           \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
TAKE(__kmpc_for_static_init_4, int32_t, int32_t)
TAKE(__kmpc_for_static_init_4u, uint32_t, int32_t)
TAKE(__kmpc_for_static_init_8, int64_t, int64_t)
TAKE(__kmpc_for_static_init_8u, uint64_t, int64_t)
