/* loops.c - the iterations of a kernel's loops: calls that `accdeep cc` adds to loops, and the history of accesses by
 * iteration (loops.h). Accesses of different iterations that conflict go to the runtime (coherence/iteration_races.c),
 * which reports them. */
#include "fast_path.h"
#include "libc_calls.h"
#include "loops.h"

#include <string.h>
#include <sys/mman.h>

/* The loops of the kernel whose iterations are compared, and the thread that runs it; NULL: no such kernel runs. */
struct rt_kernel_loops rt_kernel_loops = {.time = 1};
static const struct rt_check_thread *kernel_owner;
API int accdeep_compares; /* number of running kernels whose iterations are to be compared */

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
    rt_kernel_loops.has_conflict = false;
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
    rt_kernel_loops.has_conflict = true;
    memcpy(pending_bytes, (const void *)conflict->at, rt_min_size(conflict->n, sizeof pending_bytes));
}

/* --------------------------------------------------------------------------------------- locks -- */

/* Locks and critical regions that the thread holds: their number, and the number of the first one (RT_LOCK, ...). */
static __thread unsigned nlocks, held_lock;

/* Returns the number of a lock: the first locks of the process have numbers of their own, all others
 * RT_SEVERAL_LOCKS. at: address that identifies the lock, or the name of the critical region. */
static unsigned get_lock_number(const void *at)
{
    static const void *locks[RT_EXCLUSIONS - RT_LOCK];
    for (unsigned i = 0; i < RT_EXCLUSIONS - RT_LOCK; i++) {
        const void *none = NULL;
        if (locks[i] == at ||
            __atomic_compare_exchange_n(&locks[i], &none, at, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || none == at)
            return RT_LOCK + i;
    }
    return RT_SEVERAL_LOCKS;
}

static void record_delayed(void);

/* Notes that the thread has taken the lock `at`. */
static void note_lock(const void *at)
{
    if (kernel_owner == &this_check_thread)
        record_delayed();
    held_lock = nlocks++ ? RT_SEVERAL_LOCKS : get_lock_number(at);
    if (kernel_owner == &this_check_thread)
        rt_kernel_loops.has_locks = true;
}

/* Notes that the thread is about to release a lock. */
static void note_release(void)
{
    if (kernel_owner == &this_check_thread)
        record_delayed();
    nlocks -= nlocks != 0;
    if (kernel_owner == &this_check_thread)
        rt_kernel_loops.has_locks = nlocks;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): types, and lists of parameters */

/* TAKE defines the function NAME of OpenMP's runtimes that takes the lock `at`, RELEASE one that releases it: they call
 * that of the runtime. */
#define LOCK(name, parameters, arguments, before, after)                                          \
    API void name parameters;                                                                     \
    void name parameters                                                                          \
    {                                                                                             \
        static void *cached;                                                                      \
        void(*const real) parameters = (void(*) parameters)rt_find_real_function(&cached, #name); \
        before;                                                                                   \
        if (real)                                                                                 \
            real arguments;                                                                       \
        after;                                                                                    \
    }
#define TAKE(name, parameters, arguments, at) LOCK(name, parameters, arguments, (void)0, note_lock(at))
#define RELEASE(name, parameters, arguments) LOCK(name, parameters, arguments, note_release(), (void)0)
TAKE(GOMP_critical_start, (void), (), &nlocks)
RELEASE(GOMP_critical_end, (void), ())
TAKE(GOMP_critical_name_start, (void **name), (name), name)
RELEASE(GOMP_critical_name_end, (void **name), (name))
TAKE(__kmpc_critical, (void *location, int thread, void *name), (location, thread, name), name)
TAKE(__kmpc_critical_with_hint, (void *location, int thread, void *name, unsigned hint), (location, thread, name, hint),
     name)
RELEASE(__kmpc_end_critical, (void *location, int thread, void *name), (location, thread, name))
TAKE(omp_set_lock, (void *lock), (lock), lock)
RELEASE(omp_unset_lock, (void *lock), (lock))
TAKE(omp_set_nest_lock, (void *lock), (lock), lock)
RELEASE(omp_unset_nest_lock, (void *lock), (lock))
TAKE(omp_set_lock_, (void *lock), (lock), lock)
RELEASE(omp_unset_lock_, (void *lock), (lock))
TAKE(omp_set_nest_lock_, (void *lock), (lock), lock)
RELEASE(omp_unset_nest_lock_, (void *lock), (lock))

/* Defines the function NAME of OpenMP's runtimes that takes a lock if it is free, and returns nonzero then. */
#define TRY(name)                                                                           \
    API int name(void *lock);                                                               \
    int name(void *lock)                                                                    \
    {                                                                                       \
        static void *cached;                                                                \
        int (*const real)(void *) = (int (*)(void *))rt_find_real_function(&cached, #name); \
        const int is_taken = real ? real(lock) : 0;                                         \
        if (is_taken)                                                                       \
            note_lock(lock);                                                                \
        return is_taken;                                                                    \
    }
TRY(omp_test_lock)
TRY(omp_test_lock_)
TRY(omp_test_nest_lock)
TRY(omp_test_nest_lock_)

/* NOLINTEND(bugprone-macro-parentheses) */

/* ------------------------------------------------------------------------------------- history -- */

/* An access to record. `entry`: as in cells; see rt_record_iteration_access for the rest. */
struct use {
    uint32_t entry;
    bool is_write;
    uintptr_t at, pc;
    size_t n;
    const uintptr_t *frame;
};

/* Returns the number of the loop's iteration that `time` belongs to, and stores the values of its variables in
 * `values`. Values of earlier iterations than the last RT_LOOP_LOG follow from those of the first two. Returns SIZE_MAX
 * if they are not known. */
API size_t rt_find_iteration(const struct rt_parallel_loop *loop, uint32_t time, long *values)
{
    size_t low = 0, high = loop->n;
    if (!loop->times || loop->n > RT_LOOP_TIMES || time < loop->first)
        return SIZE_MAX;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (loop->times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    const bool is_linear = !strchr(loop->names, ',') && loop->n > 1;
    if (loop->n - low > RT_LOOP_LOG && !is_linear)
        return SIZE_MAX;
    for (unsigned k = 0; k < RT_LOOP_VALUES; k++)
        values[k] = loop->n - low <= RT_LOOP_LOG ? loop->log[low % RT_LOOP_LOG][k]
                                                 : loop->head[0][k] + (long)low * (loop->head[1][k] - loop->head[0][k]);
    return low;
}

/* Returns true if `time` is in that iteration of `ended`, a loop that has ended without a barrier, whose number is that
 * of the current iteration. Compilers give iterations of equal numbers to the same thread. True also if the iterations
 * are not known, or if no loop runs. */
static bool is_same_iteration(const struct rt_parallel_loop *ended, uint32_t time)
{
    long values[RT_LOOP_VALUES];
    const struct rt_parallel_loop *loop = ended, *const end = rt_kernel_loops.loops + rt_kernel_loops.depth;
    while (loop < end && loop->has_ended)
        loop++;
    const size_t number = rt_find_iteration(ended, time, values);
    return loop == end || number == SIZE_MAX || number == loop->n - 1;
}

/* Returns the cell entry of an access of the kernel now. */
static inline uint32_t get_entry(unsigned access_flags)
{
    const unsigned exclusion = nlocks ? held_lock : access_flags & RT_ACCESS_ATOMIC ? RT_ATOMIC : RT_PLAIN;
    return rt_kernel_loops.time * RT_EXCLUSIONS + exclusion;
}

/* Returns true if an earlier access, a cell's `last`, conflicts with the use. */
static inline bool conflicts(uint32_t last, const struct use *use, unsigned *level_p)
{
    const uint32_t time = last / RT_EXCLUSIONS;
    if (!rt_is_concurrent(&rt_kernel_loops, time, level_p))
        return false;
    const struct rt_parallel_loop *loop = &rt_kernel_loops.loops[*level_p];
    if (loop->has_ended && is_same_iteration(loop, time))
        return false;
    const bool holds_lock = use->entry % RT_EXCLUSIONS >= RT_SEVERAL_LOCKS;
    return !rt_is_excluded(last, use->entry) || (holds_lock && loop->flags & RT_LOOP_TEAMS);
}

/* Returns true if the entry `last` of a cell is a plain access of the current iteration, and `entry` is none. */
static inline bool stands_for(uint32_t last, uint32_t entry)
{
    return last >= rt_kernel_loops.own && last % RT_EXCLUSIONS == RT_PLAIN && entry % RT_EXCLUSIONS != RT_PLAIN;
}

/* Records the use in a cell for bytes of it, at offset k of device memory. */
static inline void record_in_cell(struct rt_access_cell *cell, const struct use *use, size_t k)
{
    unsigned level = 0;
    const uint32_t last_write = cell->write, last_read = cell->read;
    if (last_write != use->entry || use->is_write) {
        const bool by_write = conflicts(last_write, use, &level);
        if (by_write || (use->is_write && conflicts(last_read, use, &level)))
            note_conflict(&(struct rt_iteration_conflict){.at = use->at,
                                                          .n = use->n,
                                                          .is_write = use->is_write,
                                                          .earlier_is_write = by_write,
                                                          .pc = use->pc,
                                                          .frame = use->frame,
                                                          .loop = &rt_kernel_loops.loops[level],
                                                          .earlier_pc = by_write ? local_shadow.origins[k / 8]
                                                                                 : local_shadow.readers[k / 8],
                                                          .time = (by_write ? last_write : last_read) / RT_EXCLUSIONS});
    }
    /* A plain access stands for an atomic one that follows in the same iteration: it conflicts with more. */
    if (use->is_write) {
        if (!stands_for(last_write, use->entry))
            cell->write = use->entry;
        return;
    }
    const bool is_plainer = last_read % RT_EXCLUSIONS && use->entry % RT_EXCLUSIONS == RT_PLAIN;
    if (last_read != use->entry && !stands_for(last_read, use->entry) &&
        (is_plainer || !rt_is_concurrent(&rt_kernel_loops, last_read / RT_EXCLUSIONS, &level))) {
        cell->read = use->entry;
        local_shadow.readers[k / 8] = (uint32_t)use->pc;
    }
}

/* Returns the cell of the unit of `unit` bytes (8, 4 or 1) at offset k of device memory. */
static inline struct rt_access_cell *get_cell(size_t k, unsigned unit)
{
    return unit == 8   ? &local_shadow.wide_cells[k / 8]
           : unit == 4 ? &local_shadow.cells[k / 4]
                       : &local_shadow.byte_cells[k];
}

/* Returns the size of the units of the tile at offset k for an access of the bytes [k, end) in it: the largest that the
 * bytes consist of. Divides the units of the tile if they are larger. */
static unsigned prepare_units(size_t k, size_t end)
{
    uint8_t *own = &local_shadow.cell_units[k / RT_TILE_BYTES];
    const unsigned unit = k % 4 || end % 4 ? 1 : k % 8 || end % 8 ? 4 : 8, before = *own;
    if (before && before <= unit)
        return before;
    const size_t tile = k / RT_TILE_BYTES * RT_TILE_BYTES;
    for (size_t i = tile; before && i < tile + RT_TILE_BYTES; i += unit)
        *get_cell(i, unit) = *get_cell(i, before);
    *own = (uint8_t)unit;
    return unit;
}

/* Records an access of the thread's kernel to n bytes of device memory at `at`, and notes conflicts with accesses of
 * other iterations. */
static void record_device_access(uintptr_t at, size_t n, unsigned access_flags, uintptr_t pc, const uintptr_t *frame)
{
    const struct use use = {get_entry(access_flags), access_flags & RT_ACCESS_WRITE, at, pc, n, frame};
    if (use.is_write && pending.n && pending.at == at && pending.n == n)
        pending.updates = true;
    for (size_t k = at - local_shadow.low, end = k + n; k < end;) {
        const size_t next = rt_min_size(end, (k / RT_TILE_BYTES + 1) * RT_TILE_BYTES);
        const unsigned unit = prepare_units(k, next);
        for (; k < next; k += unit)
            record_in_cell(get_cell(k, unit), &use, k);
    }
}

/* Records an access of the thread's kernel to n bytes at `at`, and returns true, if a scalar variable of a loop is
 * there. Of a scalar that each iteration has a copy of, only reads of other iterations' values conflict. */
static bool record_scalar_access(uintptr_t at, size_t n, unsigned access_flags, uintptr_t pc, const uintptr_t *frame)
{
    struct rt_scalar *scalar = rt_kernel_loops.scalars, *const end = scalar + rt_kernel_loops.nscalars;
    while (scalar < end && (at < scalar->at || at + n > scalar->at + scalar->n))
        scalar++;
    if (scalar == end)
        return false;
    const struct use use = {get_entry(access_flags), access_flags & RT_ACCESS_WRITE, at, pc, n, frame};
    unsigned level = 0;
    const struct rt_access_cell last = scalar->cell;
    if (use.is_write && pending.n && pending.at == at && pending.n == n)
        pending.updates = true;
    if (scalar->kind == RT_SCALAR_REDUCED)
        return true;
    const bool is_shared = scalar->kind == RT_SCALAR_SHARED;
    const bool by_write = (is_shared || !use.is_write) && conflicts(last.write, &use, &level),
               by_read = is_shared && use.is_write && conflicts(last.read, &use, &level);
    if (by_write || by_read)
        note_conflict(&(struct rt_iteration_conflict){.at = at,
                                                      .n = n,
                                                      .is_write = use.is_write,
                                                      .earlier_is_write = by_write,
                                                      .pc = pc,
                                                      .frame = frame,
                                                      .loop = &rt_kernel_loops.loops[level],
                                                      .earlier_pc = scalar->pcs[!by_write],
                                                      .time = (by_write ? last.write : last.read) / RT_EXCLUSIONS,
                                                      .scalar = scalar});
    if (use.is_write)
        scalar->cell.write = use.entry;
    else
        scalar->cell.read = use.entry;
    scalar->pcs[!use.is_write] = (uint32_t)pc;
    return true;
}

/* Access that is not recorded yet: an atomic operation on the same bytes may follow, whose first part it is. n 0: none.
 */
static struct delayed_access {
    uintptr_t at, pc;
    size_t n;
    unsigned access_flags;
    bool is_on_device;
} delayed;

/* Records an access now. */
static void record_now(const struct delayed_access *access, const uintptr_t *frame)
{
    const bool may_be_scalar = !access->is_on_device || rt_kernel_loops.has_device_scalars;
    if (may_be_scalar && record_scalar_access(access->at, access->n, access->access_flags, access->pc, frame))
        return;
    if (access->is_on_device)
        record_device_access(access->at, access->n, access->access_flags, access->pc, frame);
}

/* Records the delayed access, if there is one. */
static void record_delayed(void)
{
    if (delayed.n)
        record_now(&delayed, NULL);
    delayed.n = 0;
}

/* Records an access of the thread's kernel. In code of clang, a plain access waits for the next one: it is left out if
 * that is an atomic operation on the same bytes. */
void rt_record_iteration_access(uintptr_t at, size_t n, unsigned access_flags, uintptr_t pc, const uintptr_t *frame,
                                bool is_on_device)
{
    const struct delayed_access access = {at, pc, n, access_flags, is_on_device};
    const bool is_atomic = access_flags & RT_ACCESS_ATOMIC;
    if (is_atomic && delayed.at == at && delayed.n == n)
        delayed.n = 0;
    record_delayed();
    if (rt_kernel_loops.is_traced && !is_atomic)
        delayed = access;
    else
        record_now(&access, frame);
}

/* --------------------------------------------------------------------------------------- loops -- */

/* Completes the state of the loops after they have changed. */
static void update_loops(void)
{
    const unsigned depth = rt_kernel_loops.depth;
    rt_kernel_loops.entry = rt_kernel_loops.time * RT_EXCLUSIONS;
    rt_kernel_loops.own = depth ? rt_kernel_loops.loops[depth - 1].current * RT_EXCLUSIONS : 0;
    rt_kernel_loops.first = depth ? rt_kernel_loops.loops[0].first * RT_EXCLUSIONS : UINT32_MAX;
}

/* Lets the kernel of the thread use the fast path again, or, with `records`, sends each access to the slow path. */
static void set_recording(struct rt_check_thread *thread, bool records)
{
    if (records && !thread->records_iterations)
        memset(thread->lookup_cache, 0, sizeof thread->lookup_cache);
    thread->records_iterations = records;
    thread->records = records || thread->records_accesses;
    thread->history_bytes = thread->records_accesses && !records ? local_shadow.bytes : 0;
    for (unsigned shift = 0; shift < 4; shift++) {
        thread->units[shift] = thread->records ? 0 : local_shadow.bytes >> shift;
        thread->reach[shift] = thread->records ? 0 : local_shadow.reach >> shift;
    }
    thread->stack_bytes = records && rt_kernel_loops.nscalars ? 0 : thread->all_stack_bytes;
    update_loops();
}

/* Ends the loops of the thread's kernel; called when the kernel ends. Does nothing if its iterations are not compared.
 */
API void rt_end_kernel_loops(void)
{
    if (kernel_owner != &this_check_thread)
        return;
    record_delayed();
    report_pending();
    rt_kernel_loops.depth = rt_kernel_loops.nscalars = 0;
    rt_kernel_loops.has_locks = rt_kernel_loops.has_device_scalars = false;
    __atomic_store_n(&kernel_owner, NULL, __ATOMIC_RELEASE);
}

/* Counts the kernel that the thread runs as one with marked loops, and lets its iterations be compared if no other
 * kernel's are. Does nothing for a kernel whose iterations are not to be compared. */
static void begin_kernel_loops(void)
{
    const struct rt_check_thread *none = NULL;
    this_check_thread.has_loops = true;
    if (this_check_thread.skips_iterations)
        return;
    const bool is_compared =
        local_shadow.wide_cells && __atomic_compare_exchange_n(&kernel_owner, &none, &this_check_thread, false,
                                                               __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    local_shadow.on_kernel_loops(is_compared);
    if (is_compared && rt_kernel_loops.time > RT_TIME_MAX / 2) {
        local_shadow.on_history_full();
        rt_kernel_loops.time = 1;
    }
}

/* Removes the loop at `level` from the list, and scalar variables that it assigns. */
static void remove_loop(unsigned level)
{
    while (rt_kernel_loops.nscalars && rt_kernel_loops.scalars[rt_kernel_loops.nscalars - 1].depth > level)
        rt_kernel_loops.nscalars--;
    uint32_t *const times = rt_kernel_loops.loops[level].times;
    memmove(&rt_kernel_loops.loops[level], &rt_kernel_loops.loops[level + 1],
            (--rt_kernel_loops.depth - level) * sizeof rt_kernel_loops.loops[0]);
    rt_kernel_loops.loops[rt_kernel_loops.depth].times = times;
}

/* Removes loops that have ended without a barrier, up to the innermost one that runs. */
static void remove_ended_loops(void)
{
    while (rt_kernel_loops.depth && rt_kernel_loops.loops[rt_kernel_loops.depth - 1].has_ended)
        remove_loop(rt_kernel_loops.depth - 1);
}

/* Returns the loop `id`, which begins now, as the new innermost loop. If the list is full, the oldest loop that has
 * ended is removed; returns NULL if there is none. */
static struct rt_parallel_loop *begin_loop(const char *names, unsigned id, unsigned flags)
{
    if (rt_kernel_loops.depth == RT_LOOPS_MAX) {
        unsigned level = 0;
        while (level < RT_LOOPS_MAX && !rt_kernel_loops.loops[level].has_ended)
            level++;
        if (level == RT_LOOPS_MAX)
            return NULL;
        remove_loop(level);
    }
    struct rt_parallel_loop *loop = &rt_kernel_loops.loops[rt_kernel_loops.depth++];
    if (!loop->times) {
        void *const at = mmap(NULL, RT_LOOP_TIMES * sizeof *loop->times, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        loop->times = at == MAP_FAILED ? NULL : at;
    }
    loop->names = names;
    loop->id = id;
    loop->flags = flags;
    loop->has_ended = false;
    loop->first = rt_kernel_loops.time;
    loop->n = 0;
    set_recording(&this_check_thread, true);
    return loop;
}

/* Begins an iteration of the loop `id`, whose iterations may run in parallel on a device. names: of its variables, "i"
 * or "i, j"; a, b, c: their values; flags: RT_LOOP_TEAMS. A loop begins with its first iteration. Does nothing outside
 * of kernels. */
API void accdeep_iteration(const char *names, unsigned id, unsigned flags, long a, long b, long c);
void accdeep_iteration(const char *names, unsigned id, unsigned flags, long a, long b, long c)
{
    if (!this_check_thread.in_kernel)
        return;
    if (!this_check_thread.has_loops)
        begin_kernel_loops();
    if (kernel_owner != &this_check_thread)
        return;
    record_delayed();
    report_pending();
    if (rt_kernel_loops.time == RT_TIME_MAX - 1) { /* the last time: later iterations are not compared */
        rt_kernel_loops.depth = rt_kernel_loops.nscalars = 0;
        set_recording(&this_check_thread, false);
        return;
    }
    const uint32_t time = ++rt_kernel_loops.time;
    struct rt_parallel_loop *loop = rt_kernel_loops.depth ? &rt_kernel_loops.loops[rt_kernel_loops.depth - 1] : NULL;
    if (!loop || loop->id != id || loop->has_ended)
        loop = begin_loop(names, id, flags);
    if (!loop)
        return;
    loop->current = time;
    update_loops();
    const long values[RT_LOOP_VALUES] = {a, b, c};
    if (loop->n < 2)
        memcpy(loop->head[loop->n], values, sizeof values);
    if (loop->n < RT_LOOP_TIMES && loop->times)
        loop->times[loop->n] = time;
    memcpy(loop->log[loop->n++ % RT_LOOP_LOG], values, sizeof values);
}

/* Ends the loop `id`: accesses that follow are ordered after all of its iterations, unless flags is
 * RT_LOOP_NO_BARRIER. Does nothing if the loop had no iteration. */
API void accdeep_loop_end(unsigned id, unsigned flags);
void accdeep_loop_end(unsigned id, unsigned flags)
{
    struct rt_parallel_loop *loop = rt_kernel_loops.depth ? &rt_kernel_loops.loops[rt_kernel_loops.depth - 1] : NULL;
    if (kernel_owner != &this_check_thread || !loop || loop->id != id || loop->has_ended)
        return;
    record_delayed();
    report_pending();
    if (flags & RT_LOOP_NO_BARRIER) {
        loop->has_ended = true;
        loop->current = ++rt_kernel_loops.time;
    } else {
        remove_loop(rt_kernel_loops.depth - 1);
        remove_ended_loops();
    }
    set_recording(&this_check_thread, rt_kernel_loops.depth);
}

/* Removes the loops that a barrier orders before what follows: those that have ended. */
static void pass_barrier(void)
{
    if (kernel_owner != &this_check_thread)
        return;
    record_delayed();
    report_pending();
    remove_ended_loops();
    set_recording(&this_check_thread, rt_kernel_loops.depth);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): types, and lists of parameters */

/* BARRIER defines the function NAME of OpenMP's runtimes, which has a barrier: it calls that of the runtime. */
#define BARRIER(type, name, parameters, arguments)                                                \
    API type name parameters;                                                                     \
    type name parameters                                                                          \
    {                                                                                             \
        static void *cached;                                                                      \
        type(*const real) parameters = (type(*) parameters)rt_find_real_function(&cached, #name); \
        pass_barrier();                                                                           \
        return real arguments;                                                                    \
    }
BARRIER(void, GOMP_barrier, (void), ())
BARRIER(bool, GOMP_barrier_cancel, (void), ())
BARRIER(void, GOMP_loop_end, (void), ())
BARRIER(void, GOMP_sections_end, (void), ())
BARRIER(void, __kmpc_barrier, (void *location, int thread), (location, thread))

/* NOLINTEND(bugprone-macro-parentheses) */

/* Names a scalar variable of n bytes at `at` that the iterations of the innermost loop assign, or a variable that they
 * reduce. kind: of enum rt_scalar_kind. Called at the begin of each iteration. */
API void accdeep_scalar(const char *name, const void *at, unsigned long n, int kind);
void accdeep_scalar(const char *name, const void *at, unsigned long n, int kind)
{
    enum { BYTES_MAX = 32 };
    const uintptr_t start = (uintptr_t)at;
    const bool is_on_device = start - local_shadow.low < local_shadow.bytes,
               is_on_stack = start - this_check_thread.stack < this_check_thread.all_stack_bytes,
               is_wanted = kind == RT_SCALAR_REDUCED  ? is_on_device
                           : kind == RT_SCALAR_SHARED ? is_on_stack
                                                      : is_on_device || is_on_stack;
    if (kernel_owner != &this_check_thread || !rt_kernel_loops.depth || !is_wanted ||
        (n > BYTES_MAX && kind != RT_SCALAR_REDUCED))
        return;
    for (unsigned i = 0; i < rt_kernel_loops.nscalars; i++)
        if (rt_kernel_loops.scalars[i].at == start)
            return;
    if (rt_kernel_loops.nscalars == RT_SCALARS_MAX)
        return;
    rt_kernel_loops.scalars[rt_kernel_loops.nscalars++] = (struct rt_scalar){
        .name = name, .at = start, .n = n, .depth = rt_kernel_loops.depth, .kind = (enum rt_scalar_kind)kind};
    rt_kernel_loops.has_device_scalars |= is_on_device;
    set_recording(&this_check_thread, true);
}
