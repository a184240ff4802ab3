/* order_tasks.c - puts off tasks of OpenMP's nowait directives, and executes them early, late or in between
 * (rt/orders.h), as a seed decides. Called by the functions of gcc and clang that make tasks or wait for them.
 *
 * Each thread has a list of its tasks, in the order of their creation. A task is ready if no earlier task of the list
 * names the same address in a depend clause, where one of the two writes. Only tasks that are created outside of
 * parallel and target regions are put off. There the program's own tasks are executed at once, so that the list has all
 * that a depend clause can name. */
#include "base/kernel.h"
#include "diag/errors.h"
#include "rt/orders.h"
#include "next_function.h"
#include "order_tasks.h"
#include "target.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Task that was put off. depend: copy of its list of depend clauses; NULL: none. is_needed: mark of
 * rt_run_deferred_tasks. */
struct put_off {
    struct put_off *next;
    void (*run)(void *data);
    void *data;
    void **depend;
    bool is_needed;
};
static __thread struct put_off *first_task; /* list of the thread's tasks */
static __thread bool is_running;            /* true while the thread executes a task of the list */

/* Depend clauses: the addresses of n_all entries, the first nwriters of which the task writes, the next up to nplain it
 * reads; the others are addresses of depend objects. */
struct clauses {
    void **at;
    size_t n_all, nwriters, nplain;
};

/* Reads a list of depend clauses in one of gcc's formats (coherence/happens_before.c). */
static struct clauses read_clauses(void **depend)
{
    if (depend[0])
        return (struct clauses){depend + 2, (uintptr_t)depend[0], (uintptr_t)depend[1], (uintptr_t)depend[0]};
    const size_t nwriters = (uintptr_t)depend[2] + (uintptr_t)depend[3];
    return (struct clauses){depend + 5, (uintptr_t)depend[1], nwriters, nwriters + (uintptr_t)depend[4]};
}

/* Returns the address of entry i; NULL stands for all memory. Sets *reads_p if the task only reads the address. */
static const void *get_address(const struct clauses *clauses, size_t i, bool *reads_p)
{
    enum { IN = 1 };
    assert(i < clauses->n_all);
    void **const object = clauses->at[i];
    *reads_p = i < clauses->nplain ? i >= clauses->nwriters : (uintptr_t)object[1] == IN;
    return i < clauses->nplain ? object : object[0];
}

/* Returns true if two lists of depend clauses order their tasks; NULL: no clauses, which order nothing. */
static bool have_conflict(void **a, void **b)
{
    if (!a || !b)
        return false;
    const struct clauses clauses_a = read_clauses(a), clauses_b = read_clauses(b);
    for (size_t i = 0; i < clauses_a.n_all; i++)
        for (size_t k = 0; k < clauses_b.n_all; k++) {
            bool a_reads, b_reads;
            const void *const address = get_address(&clauses_a, i, &a_reads),
                              *other = get_address(&clauses_b, k, &b_reads);
            if (!(a_reads && b_reads) && (address == other || !address || !other))
                return true;
        }
    return false;
}

/* Returns a copy of a list of depend clauses, with copies of its depend objects, which the program may change. Ends the
 * program without memory. */
static void **copy_clauses(void **depend)
{
    const struct clauses clauses = read_clauses(depend);
    const size_t head = (size_t)(clauses.at - depend), n = head + clauses.n_all;
    void **copy = malloc((n + 2 * clauses.n_all) * sizeof *copy);
    if (!copy)
        rt_fatal("out-of-memory", "no memory for a depend clause");
    memcpy(copy, depend, n * sizeof *copy);
    for (size_t i = clauses.nplain; i < clauses.n_all; i++)
        copy[head + i] = memcpy(copy + n + 2 * i, clauses.at[i], 2 * sizeof *copy);
    return copy;
}

/* Returns the link to a task that is ready and has the mark is_needed: the last one with seed 1, otherwise any. NULL:
 * there is none. */
static struct put_off **choose_task(void)
{
    struct put_off **chosen = NULL;
    unsigned n = 0;
    for (struct put_off **link = &first_task; *link; link = &(*link)->next) {
        bool is_ready = (*link)->is_needed;
        for (struct put_off *before = first_task; is_ready && before != *link; before = before->next)
            is_ready = !have_conflict(before->depend, (*link)->depend);
        if (is_ready && (rt.options.seed == 1 || rt_happens(256 / ++n)))
            chosen = link;
    }
    return chosen;
}

/* Executes a task. Meanwhile the thread executes no other task, because libomp's tasks do not nest. */
static void run_task(void (*run)(void *data), void *data)
{
    assert(!is_running);
    is_running = true;
    run(data);
    is_running = false;
}

/* Executes the tasks with the mark is_needed, each when it is ready. */
static void run_needed_tasks(void)
{
    for (struct put_off **link; (link = choose_task());) {
        struct put_off *task = *link;
        *link = task->next;
        run_task(task->run, task->data);
        free(task->depend);
        free(task);
    }
}

/* Marks the tasks that come before a needed one, by their depend clauses. */
static void mark_earlier_tasks(void)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (struct put_off *task = first_task; task; task = task->next)
            for (struct put_off *later = task->next; later && !task->is_needed; later = later->next)
                changed |= task->is_needed = later->is_needed && have_conflict(task->depend, later->depend);
    }
}

/* Returns true if the thread may execute tasks now: it executes none, and runs no kernel and no target region. */
static bool can_run_tasks(void)
{
    return first_task && !is_running && !rt_kernel_kind(rt_this_thread.activity) && !rt_is_in_target();
}

void rt_run_deferred_tasks(void **depend)
{
    if (!can_run_tasks())
        return;
    for (struct put_off *task = first_task; task; task = task->next)
        task->is_needed = !depend || have_conflict(task->depend, depend);
    mark_earlier_tasks();
    run_needed_tasks();
}

void rt_run_some_tasks(void)
{
    const unsigned share = can_run_tasks() ? rt_get_order_shares().between : 0;
    for (struct put_off *task = first_task; share && task; task = task->next)
        task->is_needed = rt_happens(share);
    if (!share)
        return;
    mark_earlier_tasks();
    run_needed_tasks();
}

bool rt_take_task(void (*run)(void *data), void *data, void **depend)
{
    assert(run && data);
    if (!rt.options.seed || is_running || rt_kernel_kind(rt_this_thread.activity) || rt_is_in_target() ||
        RT_NEXT(omp_get_level)())
        return false;
    rt_note_deferred();
    if (rt_happens(rt_get_order_shares().early)) {
        if (depend)
            rt_run_deferred_tasks(depend);
        run_task(run, data);
        return true;
    }
    struct put_off *task = malloc(sizeof *task), **link = &first_task;
    if (!task)
        rt_fatal("out-of-memory", "no memory for a task");
    *task = (struct put_off){.run = run, .data = data, .depend = depend ? copy_clauses(depend) : NULL};
    while (*link)
        link = &(*link)->next;
    *link = task;
    return true;
}
