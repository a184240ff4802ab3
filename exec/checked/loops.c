/* loops.c - the iterations of a kernel's loops: calls that `accdeep cc` adds to loops, and the history of accesses by
 * iteration (loops.h). Accesses of different iterations that conflict go to the runtime (coherence/iteration_races.c),
 * which reports them. */
#include "fast_path.h"
#include "loops.h"

#include <string.h>

/* The loops of the kernel whose iterations are compared, and the thread that runs it; NULL: no such kernel runs. */
static struct rt_kernel_loops kernel_loops = {.time = 1};
static const struct rt_check_thread *kernel_owner;

/* Conflict that is reported when the iteration ends, and the bytes that were there before the access. n 0: none. */
static struct rt_iteration_conflict pending;
static unsigned char pending_bytes[16];

/* Pairs of accesses that conflict, by hash of their return addresses. */
enum { PAIRS = 256 };
static struct pair {
    uintptr_t pc;
    uint32_t earlier_pc;
    bool is_reported, writes_same_value; /* a conflict was reported; so was one in which both write the same value */
} pairs[PAIRS];

/* ----------------------------------------------------------------------------------- conflicts -- */

/* Returns the entry for the two accesses of a conflict, which replaces that of other accesses with the same hash. */
static struct pair *find_pair(const struct rt_iteration_conflict *conflict)
{
    struct pair *pair = &pairs[(conflict->pc ^ conflict->earlier_pc * 31) % PAIRS];
    if (pair->pc != conflict->pc || pair->earlier_pc != conflict->earlier_pc)
        *pair = (struct pair){conflict->pc, conflict->earlier_pc, false, false};
    return pair;
}

/* Reports the pending conflict, if there is one, and if none of its two accesses was reported with this result. */
static void report_pending(void)
{
    if (!pending.n)
        return;
    struct pair *pair = find_pair(&pending);
    pending.is_same_value = pending.is_write && pending.earlier_is_write && pending.n <= sizeof pending_bytes &&
                            !memcmp((const void *)pending.at, pending_bytes, pending.n);
    if (!pair->is_reported && !(pending.is_same_value && pair->writes_same_value)) {
        if (pair->writes_same_value) /* the names were not noted during the access */
            local_shadow.on_conflicting_access(&pending);
        local_shadow.on_conflict(&pending);
    }
    pair->writes_same_value |= pending.is_same_value;
    pair->is_reported |= !pending.is_same_value;
    pending.n = 0;
}

/* Makes the conflict the pending one, unless one of the same two accesses was reported. */
static __attribute__((noinline)) void note_conflict(const struct rt_iteration_conflict *conflict)
{
    struct pair *pair = find_pair(conflict);
    const bool is_same = pending.n == conflict->n && pending.at == conflict->at;
    if (pair->is_reported || (is_same && pending.pc == conflict->pc))
        return;
    if (is_same && pending.updates) { /* the write that belongs to the pending read */
        pair->is_reported = true;
        return;
    }
    report_pending();
    if (!pair->writes_same_value)
        local_shadow.on_conflicting_access(conflict);
    pending = *conflict;
    pending.frame = NULL;
    memcpy(pending_bytes, (const void *)conflict->at, rt_min_size(conflict->n, sizeof pending_bytes));
}

/* ------------------------------------------------------------------------------------- history -- */

/* An access to record: time doubled, plus 1 for an atomic operation; see rt_record_iteration_access for the rest. */
struct use {
    uint32_t time;
    bool is_write;
    uintptr_t at, pc;
    size_t n;
    const uintptr_t *frame;
};

/* Returns true if an earlier access, a cell's `last`, conflicts with the use. */
static inline bool conflicts(uint32_t last, const struct use *use, unsigned *level_p)
{
    return !(last & use->time & 1) && rt_is_concurrent(&kernel_loops, last >> 1, level_p);
}

/* Records the use in a cell for bytes of it, at offset k of device memory. */
static inline void record_in_cell(struct rt_access_cell *cell, const struct use *use, size_t k)
{
    unsigned level;
    const uint32_t last_write = cell->write, last_read = cell->read;
    if (last_write >> 1 != use->time >> 1 || use->is_write) {
        const bool by_write = conflicts(last_write, use, &level);
        if (by_write || (use->is_write && conflicts(last_read, use, &level)))
            note_conflict(&(struct rt_iteration_conflict){
                .at = use->at, .n = use->n, .is_write = use->is_write, .earlier_is_write = by_write, .pc = use->pc,
                .frame = use->frame, .loop = &kernel_loops.loops[level],
                .earlier_pc = by_write ? local_shadow.origins[k / 8] : local_shadow.readers[k / 8],
                .time = (by_write ? last_write : last_read) >> 1});
    }
    if (use->is_write) {
        cell->write = use->time;
        return;
    }
    const bool is_plainer = (last_read & 1) && !(use->time & 1);
    if (last_read != use->time && (is_plainer || !rt_is_concurrent(&kernel_loops, last_read >> 1, &level))) {
        cell->read = use->time;
        local_shadow.readers[k / 8] = (uint32_t)use->pc;
    }
}

/* Records the use of the bytes [k, end) of one unit of 4 bytes. */
static void record_in_unit(const struct use *use, size_t k, size_t end)
{
    struct rt_access_cell *cell = &local_shadow.cells[k / 4], *bytes = &local_shadow.byte_cells[k / 4 * 4];
    const bool is_whole = end - k == 4;
    if (is_whole && cell->write != RT_CELL_SPLIT) {
        record_in_cell(cell, use, k);
        return;
    }
    if (cell->write != RT_CELL_SPLIT) {
        for (unsigned i = 0; i < 4; i++)
            bytes[i] = *cell;
        cell->write = RT_CELL_SPLIT;
    }
    for (; k < end; k++)
        record_in_cell(&bytes[k % 4], use, k);
}

/* Records an access of the thread's kernel to n bytes of device memory at `at`, and notes conflicts with accesses of
 * other iterations. */
void rt_record_iteration_access(uintptr_t at, size_t n, unsigned access_flags, uintptr_t pc, const uintptr_t *frame)
{
    const struct use use = {kernel_loops.time << 1 | !!(access_flags & RT_ACCESS_ATOMIC), access_flags & RT_ACCESS_WRITE,
                            at, pc, n, frame};
    if (use.is_write && pending.n && pending.at == at && pending.n == n)
        pending.updates = true;
    for (size_t k = at - local_shadow.low, end = k + n, next; k < end; k = next) {
        next = rt_min_size(end, k / 4 * 4 + 4);
        record_in_unit(&use, k, next);
    }
}

/* Records an access of the thread's kernel to n bytes at `at`, outside of device memory, if a scalar variable of a loop
 * is there. Of a scalar that each iteration has a copy of, only reads of other iterations' values conflict. */
void rt_record_scalar_access(uintptr_t at, size_t n, unsigned access_flags, uintptr_t pc, const uintptr_t *frame)
{
    struct rt_scalar *scalar = kernel_loops.scalars, *const end = scalar + kernel_loops.nscalars;
    while (scalar < end && (at < scalar->at || at + n > scalar->at + scalar->n))
        scalar++;
    if (scalar == end)
        return;
    const struct use use = {kernel_loops.time << 1 | !!(access_flags & RT_ACCESS_ATOMIC), access_flags & RT_ACCESS_WRITE,
                            at, pc, n, frame};
    unsigned level;
    const struct rt_access_cell last = scalar->cell;
    if (use.is_write && pending.n && pending.at == at && pending.n == n)
        pending.updates = true;
    const bool by_write = (scalar->is_shared || !use.is_write) && conflicts(last.write, &use, &level),
               by_read = scalar->is_shared && use.is_write && conflicts(last.read, &use, &level);
    if (by_write || by_read)
        note_conflict(&(struct rt_iteration_conflict){
            .at = at, .n = n, .is_write = use.is_write, .earlier_is_write = by_write, .pc = pc, .frame = frame,
            .loop = &kernel_loops.loops[level], .earlier_pc = scalar->pcs[!by_write],
            .time = (by_write ? last.write : last.read) >> 1, .scalar = scalar});
    if (use.is_write)
        scalar->cell.write = use.time;
    else
        scalar->cell.read = use.time;
    scalar->pcs[!use.is_write] = (uint32_t)pc;
}

/* --------------------------------------------------------------------------------------- loops -- */

/* Lets the kernel of the thread use the fast path again, or, with `records`, sends each access to the slow path. */
static void set_recording(struct rt_check_thread *thread, bool records)
{
    for (unsigned shift = 0; shift < 4; shift++) {
        thread->units[shift] = records || thread->records_accesses ? 0 : local_shadow.bytes >> shift;
        thread->reach[shift] = records || thread->records_accesses ? 0 : local_shadow.reach >> shift;
    }
    thread->records_iterations = records;
    thread->stack_bytes = records && kernel_loops.nscalars ? 0 : thread->all_stack_bytes;
}

/* Ends the loops of the thread's kernel, if its iterations are compared; called when the kernel ends. */
API void rt_end_kernel_loops(void)
{
    if (kernel_owner != &this_check_thread)
        return;
    report_pending();
    kernel_loops.depth = kernel_loops.nscalars = 0;
    __atomic_store_n(&kernel_owner, NULL, __ATOMIC_RELEASE);
}

/* Returns true if the thread runs a kernel whose iterations are compared. At most one kernel at a time is; the calls of
 * others do nothing. */
static bool owns_loops(void)
{
    const struct rt_check_thread *none = NULL;
    return kernel_owner == &this_check_thread ||
           (local_shadow.cells && this_check_thread.in_kernel &&
            __atomic_compare_exchange_n(&kernel_owner, &none, &this_check_thread, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED));
}

/* Begins an iteration of the loop `id`, whose iterations may run in parallel on a device. names: of its variables, "i"
 * or "i, j"; a, b, c: their values. A loop begins with its first iteration. Does nothing outside of kernels. */
API void accdeep_iteration(const char *names, unsigned id, long a, long b, long c);
void accdeep_iteration(const char *names, unsigned id, long a, long b, long c)
{
    if (!this_check_thread.in_kernel || !owns_loops())
        return;
    report_pending();
    const uint32_t time = ++kernel_loops.time;
    struct rt_parallel_loop *loop = kernel_loops.depth ? &kernel_loops.loops[kernel_loops.depth - 1] : NULL;
    if (!loop || loop->id != id) {
        if (kernel_loops.depth == RT_LOOPS_MAX)
            return;
        loop = &kernel_loops.loops[kernel_loops.depth++];
        loop->names = names;
        loop->id = id;
        loop->first = time;
        loop->n = 0;
        set_recording(&this_check_thread, true);
    }
    loop->current = time;
    loop->log[loop->n++ % RT_LOOP_LOG] = (struct rt_loop_iteration){time, {a, b, c}};
}

/* Ends the loop `id`: accesses that follow are ordered after all of its iterations. Does nothing if the loop had no
 * iteration. */
API void accdeep_loop_end(unsigned id);
void accdeep_loop_end(unsigned id)
{
    if (kernel_owner != &this_check_thread || !kernel_loops.depth ||
        kernel_loops.loops[kernel_loops.depth - 1].id != id)
        return;
    report_pending();
    while (kernel_loops.nscalars && kernel_loops.scalars[kernel_loops.nscalars - 1].depth == kernel_loops.depth)
        kernel_loops.nscalars--;
    kernel_loops.depth--;
    set_recording(&this_check_thread, kernel_loops.depth);
}

/* Names a scalar variable of n bytes at `at` that the iterations of the innermost loop assign. is_shared: they share
 * it; otherwise each has a copy. Called at the begin of each iteration. */
API void accdeep_scalar(const char *name, const void *at, unsigned long n, int is_shared);
void accdeep_scalar(const char *name, const void *at, unsigned long n, int is_shared)
{
    enum { BYTES_MAX = 32 };
    const uintptr_t start = (uintptr_t)at;
    if (kernel_owner != &this_check_thread || !kernel_loops.depth || n > BYTES_MAX ||
        start - this_check_thread.stack >= this_check_thread.all_stack_bytes)
        return;
    for (unsigned i = 0; i < kernel_loops.nscalars; i++)
        if (kernel_loops.scalars[i].at == start)
            return;
    if (kernel_loops.nscalars == RT_SCALARS_MAX)
        return;
    kernel_loops.scalars[kernel_loops.nscalars++] =
        (struct rt_scalar){.name = name, .at = start, .n = n, .depth = kernel_loops.depth, .is_shared = is_shared};
    set_recording(&this_check_thread, true);
}
