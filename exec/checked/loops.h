/* loops.h - which accesses of a kernel may run at the same time on a device: history of the accesses of iterations.
 *
 * `accdeep cc` puts a call at the begin of each iteration of a loop whose iterations may run in parallel, and at the
 * end of such a loop (loops.c). The kernel itself runs iteration by iteration, outer loops first. Each begin of an
 * iteration gets the next number of a counter, its time. The history has, for each 4 bytes of device memory, the times
 * of the last write and of a read. An earlier access and the current one belong to different iterations of a loop if
 * its time lies in the loop, and before the loop's current iteration:
 *
 *      time     1    2        3   4   5        6        7   8
 *      outer    [i=0          ]            [i=1           ]
 *      inner         [j=0][j=1]                 [j=0][j=1]
 *                                        ^ an access here may run at the same time as those of i=0
 *
 * Accesses before the outermost loop, and of the current iteration of each loop, are ordered. A loop without a barrier
 * at its end stays in the list of loops: what follows may run at the same time as its iterations. One read suffices: it
 * is replaced only by a read that it is ordered before (Feng and Leiserson, 1997). */
#ifndef RT_LOOPS_H
#define RT_LOOPS_H

#include "checked.h"

enum { RT_LOOPS_MAX = 8, RT_LOOP_VALUES = 3, RT_LOOP_LOG = 64, RT_LOOP_TIMES = 1 << 26, RT_SCALARS_MAX = 32 };
/* Last time; the history is emptied before a kernel that might reach it. */
#define RT_TIME_MAX (UINT32_MAX / RT_EXCLUSIONS)

/* Kind of an access: plain, or one that excludes others of its kind. SEVERAL_LOCKS: several locks
 * are held, or one without a number of its own; LOCK and the numbers from there on: one lock. */
enum { RT_PLAIN, RT_ATOMIC, RT_SEVERAL_LOCKS, RT_LOCK, RT_EXCLUSIONS = 8 };
/* Last accesses of a unit of 8 bytes, 4 bytes or one byte: the last write and a read. Each is a time multiplied by
 * RT_EXCLUSIONS, plus what excluded other accesses. All units of a tile (RT_TILE_BYTES) have the same size, that of its
 * smallest access. */
struct rt_access_cell {
    uint32_t write, read;
};

/* Properties of a loop: its iterations belong to several teams, between which locks exclude nothing; no barrier is at
 * its end. */
enum { RT_LOOP_TEAMS = 1, RT_LOOP_NO_BARRIER = 2 };

/* A loop whose iterations may run in parallel on a device, and that runs, or that has ended without a barrier. */
struct rt_parallel_loop {
    const char *names; /* names of the loop's variables, "i" or "i, j" */
    unsigned id, flags;
    bool has_ended;
    uint32_t first, current; /* times of its first and of its current iteration; of an ended one: of its end */
    size_t n;                /* number of iterations */
    uint32_t *times;         /* times of the first RT_LOOP_TIMES iterations; NULL: not known */
    /* values of the variables in the last iterations: those of number i at index i % RT_LOOP_LOG; in the first two */
    long log[RT_LOOP_LOG][RT_LOOP_VALUES], head[2][RT_LOOP_VALUES];
};

/* Accesses of two iterations to the same bytes, at least one of them a write. */
struct rt_iteration_conflict {
    uintptr_t at;
    size_t n;
    bool is_write, earlier_is_write;
    bool updates;                        /* the current iteration reads the bytes, and then writes them */
    bool is_same_value;                  /* the two accesses write the same bytes */
    uintptr_t pc;                        /* return address of the current access */
    const uintptr_t *frame;              /* frame of the current access; NULL: not known */
    uint32_t earlier_pc;                 /* low half of the return address of the earlier access */
    const struct rt_parallel_loop *loop; /* the loop, whose current iteration makes the access */
    uint32_t time;                       /* time of the earlier access */
    const struct rt_scalar *scalar;      /* the variable, if it is not in device memory; NULL: it is */
};

/* Use of a scalar variable by a loop: each iteration has a copy; the iterations share it; or they reduce it, so that no
 * access counts. */
enum rt_scalar_kind { RT_SCALAR_COPIES, RT_SCALAR_SHARED, RT_SCALAR_REDUCED };

/* A scalar variable that a loop assigns, on the kernel's stack or, if the compiler has mapped a copy, in device memory.
 */
struct rt_scalar {
    const char *name;
    uintptr_t at;
    size_t n;
    unsigned depth; /* number of loops around the one that assigns it, plus one */
    enum rt_scalar_kind kind;
    uint32_t pcs[2]; /* low halves of the return addresses of the last write and of a read */
    struct rt_access_cell cell;
};

/* The loops of the kernel whose iterations are compared; one kernel at a time. */
struct rt_kernel_loops {
    uint32_t time;
    unsigned depth;
    /* Cell entries: of the current iteration's plain accesses; the first of the innermost loop's current iteration; the
     * first of the outermost loop. Entries from `own` on, and those below `first`, are ordered before an access now. */
    uint32_t entry, own, first;
    /* Accesses need a closer look: the kernel holds a lock; a conflict is to be reported when the iteration ends; a
     * scalar variable of a loop is in device memory. */
    bool has_locks, has_conflict, has_device_scalars;
    bool is_traced; /* clang compiled the code: atomic operations have calls of plain accesses before them */
    struct rt_parallel_loop loops[RT_LOOPS_MAX];
    unsigned nscalars;
    struct rt_scalar scalars[RT_SCALARS_MAX];
};

/* Returns true if two accesses of different iterations cannot take place at the same time. a, b: accesses as in cells.
 */
static inline bool rt_is_excluded(uint32_t a, uint32_t b)
{
    a %= RT_EXCLUSIONS;
    b %= RT_EXCLUSIONS;
    return (a == b && a) || (a == RT_SEVERAL_LOCKS && b > a) || (b == RT_SEVERAL_LOCKS && a > b);
}

/* Returns true if an access at `time` may run at the same time as the current access on a device. Then sets *level_p to
 * the loop whose iterations the two belong to. */
static inline bool rt_is_concurrent(const struct rt_kernel_loops *kernel, uint32_t time, unsigned *level_p)
{
    if (!kernel->depth || time >= kernel->loops[kernel->depth - 1].current || time < kernel->loops[0].first)
        return false;
    for (unsigned i = 0; i < kernel->depth; i++) {
        if (time < kernel->loops[i].first)
            return false;
        if (time < kernel->loops[i].current) {
            *level_p = i;
            return true;
        }
    }
    return false;
}

extern struct rt_kernel_loops rt_kernel_loops __attribute__((visibility("hidden")));

/* Returns true if an access with a cell's entry is ordered before an access now. False if that needs a closer look. */
static inline bool rt_is_ordered(uint32_t entry)
{
    return entry >= rt_kernel_loops.own || entry < rt_kernel_loops.first;
}

/* Records a plain access of n bytes (4 or 8, aligned) at offset k of device memory, and returns true. Returns false,
 * and records nothing, if a closer look is needed. */
static inline __attribute__((always_inline)) bool rt_record_plain_access(const struct rt_shadow *shadow, size_t k,
                                                                         size_t n, bool is_write, uintptr_t pc)
{
    const unsigned unit = shadow->cell_units[k / RT_TILE_BYTES];
    if (unit < 4 || unit > n)
        return false;
    struct rt_access_cell *cell = unit == 8 ? &shadow->wide_cells[k / 8] : &shadow->cells[k / 4];
    struct rt_access_cell *const second = cell + (n > unit);
    const uint32_t write = cell->write, read = cell->read;
    if (second->write != write || second->read != read || !rt_is_ordered(write))
        return false;
    if (is_write) {
        if (!rt_is_ordered(read))
            return false;
        cell->write = second->write = rt_kernel_loops.entry;
    } else if (read < rt_kernel_loops.first) {
        cell->read = second->read = rt_kernel_loops.entry;
        shadow->readers[k / 8] = (uint32_t)pc;
    } else if (rt_is_ordered(read)) {
        if (read % RT_EXCLUSIONS)
            return false;
        cell->read = second->read = rt_kernel_loops.entry;
    }
    return true;
}

/* Returns the number of the loop's iteration that `time` belongs to, and stores the values of its variables in
 * `values`. Returns SIZE_MAX if they are not known. */
size_t rt_find_iteration(const struct rt_parallel_loop *loop, uint32_t time, long *values);
/* Records an access of the thread's kernel to n bytes at `at` in the history of iterations. is_on_device: they are in
 * device memory; otherwise only scalar variables of loops count. Notes accesses of other iterations that conflict. */
void rt_record_iteration_access(uintptr_t at, size_t n, unsigned access_flags, uintptr_t pc, const uintptr_t *frame,
                                bool is_on_device);

#endif
