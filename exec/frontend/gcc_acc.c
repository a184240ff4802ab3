/* gcc_acc.c - the entry points that gcc calls for OpenACC directives (-fopenacc), each one construct of the core. Their
 * parameters and the arguments of kernels are defined by that interface.
 *
 * Each entry point tries the fast path first (choose_route), which needs the lock but no memory:
 *
 *      GOACC_x -> choose_route -> FAST_PATH: items in rt_fast -> rt_run_fast_items
 *                              -> SLOW_PATH: rt_enter, gcc_entries.c -> lower.c -> rt_run_items, with events for tools
 */
#include "base/kernel.h"
#include "base/lock.h"
#include "diag/errors.h"
#include "diag/label.h"
#include "diag/symbolize.h"
#include "image/declared.h"
#include "rt/launch.h"
#include "rt/lifecycle.h"
#include "rt/orders.h"
#include "rt/queued_kernels.h"
#include "rt/spans.h"
#include "trace/prof.h"
#include "gcc_fast_path.h"
#include "lower.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Flags that gcc passes, with all bits inverted. HOST_FALLBACK: if(false). LOCAL_DEVICE: clause self (since gcc 14).
 * Both select the host and its data (ACC33-2.5.7-1). */
enum { HOST_FALLBACK = 1, LOCAL_DEVICE = 2 };

/* Returns true if `flags`, as gcc passes them, select the host by neither of the two flags. */
static bool is_on_device(int flags)
{
    return flags == -1;
}

/* Returns the path that a directive can take, with the table `specs`, as rt_choose_route does. words: true if
 * pointer-sized variables are never attached. */
static inline __attribute__((always_inline)) enum route
choose_route(const struct rt_site *site, int flags, const struct entries *map, const uint8_t *specs, bool words)
{
    return is_on_device(flags) ? rt_choose_route(site, map, specs, false, words) : SLOW_PATH;
}

/* -------------------------------------------------------------------------------- structured -- */

/* Returns true for host_data: its first entry is one of use_device, as that directive has no other data clauses. */
static bool uses_device(const struct entries *map)
{
    return map->n && (rt_get_entry_kind(map, 0) == USE_DEVICE || rt_get_entry_kind(map, 0) == USE_DEVICE_IF_PRESENT);
}

/* Returns the device type of a directive with these flags: RT_DEVICE_CURRENT (the thread's), or RT_DEVICE_HOST if the
 * flags select the host. Unknown flags end the program. */
static int get_directive_type(const struct rt_site *site, int flags)
{
    if (~flags & ~(HOST_FALLBACK | LOCAL_DEVICE))
        rt_reject_unknown_abi(site, "passes the flags 0x%x", (unsigned)~flags);
    return is_on_device(flags) ? RT_DEVICE_CURRENT : RT_DEVICE_HOST;
}

/* Returns true if a directive with these flags runs on the host: by its flags, or because the thread's device is the
 * host. */
static bool is_host_directive(const struct rt_thread *self, int flags)
{
    return !is_on_device(flags) || self->type == RT_DEVICE_HOST;
}

/* Opens a data or host_data region on the slow path; on the host an empty one. Failure ends the program. */
static __attribute__((noinline)) void open_data_region(const struct rt_site *site, int flags, const struct entries *map)
{
    const int parent = rt_is_profiled() && uses_device(map) ? RT_PARENT_HOST_DATA : RT_PARENT_DATA;
    struct rt_prof_span span;
    rt_span_begin(&span, site, RT_EV_ENTER_DATA, parent, RT_ASYNC_SYNC, get_directive_type(site, flags));
    struct rt_thread *self = rt_enter(site);
    struct rt_region *level = rt_push_region(self, parent);
    if (!is_host_directive(self, flags)) {
        level->region = rt_run_entries(self, ACCD_KIND_REGION, map, rt_add_entry_items);
        rt_translate_addresses(self, map);
    }
    rt_leave();
    rt_span_end(&span);
}

/* Begins a data or host_data region at once. */
void GOACC_data_start(int flags, RT_COLUMNS);
void GOACC_data_start(int flags, RT_COLUMNS)
{
    const struct rt_site site = rt_caller_site("data");
    const struct entries map = RT_ENTRIES(false, false);
    const enum route route = choose_route(&site, flags, &map, rt_entry_specs, true);
    if (route == SLOW_PATH) {
        open_data_region(&site, flags, &map);
        return;
    }
    struct rt_region *level = rt_push_region(&rt_this_thread, RT_PARENT_DATA);
    level->region = rt_run_fast_items(ACCD_KIND_REGION, route);
    rt_leave_fast_path();
}

/* Returns the construct (RT_PARENT_x, for tools) of the thread's innermost open region; RT_PARENT_DATA if none is open.
 */
static int parent_of_end(void)
{
    const struct rt_thread *self = rt_ensure_started();
    return self->nregions ? self->regions[self->nregions - 1].parent : RT_PARENT_DATA;
}

/* Closes the thread's innermost data region on the slow path. */
static __attribute__((noinline)) void close_data_region(const struct rt_site *site)
{
    struct rt_prof_span span;
    rt_span_begin(&span, site, RT_EV_EXIT_DATA, rt_is_profiled() ? parent_of_end() : 0, RT_ASYNC_SYNC,
                  RT_DEVICE_CURRENT);
    struct rt_thread *self = rt_enter(site);
    rt_pop_region(self);
    rt_leave();
    rt_span_end(&span);
}

/* Ends the thread's innermost data or host_data region; ends the program if no region is open. */
void GOACC_data_end(void);
void GOACC_data_end(void)
{
    struct rt_site site = rt_caller_site("end data");
    site.is_region_end = true;
    if (!rt_can_use_fast_path() || !rt_lock()) {
        close_data_region(&site);
        return;
    }
    rt.site = &site;
    rt_pop_region(&rt_this_thread);
    rt_leave_fast_path();
}

/* ----------------------------------------------------------------------------------- dynamic -- */

/* Directive without a region (enter data, exit data, update). kind: its construct of the core. event, parent: its event
 * and construct for tools. specs: its table for the fast path. convert: makes its items on the slow path. */
struct directive_kind {
    accd_construct_kind kind;
    int event, parent;
    const uint8_t *specs;
    entry_items_of *convert;
};
static const struct directive_kind enters = {ACCD_KIND_ENTER_DATA, RT_EV_ENTER_DATA, RT_PARENT_ENTER_DATA,
                                             rt_entry_specs, rt_add_entry_items};
static const struct directive_kind exits = {ACCD_KIND_EXIT_DATA, RT_EV_EXIT_DATA, RT_PARENT_EXIT_DATA, rt_exit_specs,
                                            rt_add_exit_items};
static const struct directive_kind updates = {ACCD_KIND_UPDATE, RT_EV_UPDATE, RT_PARENT_UPDATE, rt_update_specs,
                                              rt_add_update_items};

/* Runs a directive without a region on the slow path; on the host it moves no data. With a seed (rt/orders.h) the work
 * is left to `queue`; otherwise it is done at once, and the queue is only reported and checked. */
static __attribute__((noinline)) void run_dynamic(const struct rt_site *site, int flags, const struct entries *map,
                                                  const struct directive_kind *directive, int queue)
{
    struct rt_prof_span span;
    rt_span_begin(&span, site, directive->event, site->declares ? RT_PARENT_DECLARE : directive->parent, queue,
                  get_directive_type(site, flags));
    struct rt_thread *self = rt_enter(site);
    if (!is_host_directive(self, flags)) {
        RT_CALL_HOOKS(begin_operation, self, queue);
        rt_run_entries(self, directive->kind, map, directive->convert);
        RT_CALL_HOOKS(begin_operation, self, RT_ASYNC_SYNC);
        if (directive->kind == ACCD_KIND_UPDATE && !map->n)
            rt_report_empty_update();
    }
    rt_leave();
    rt_span_end(&span);
}

/* Runs a directive without a region (enter data, exit data, update) on the fast path. Returns false, and does nothing,
 * if the directive needs the slow path. */
static inline bool run_dynamic_fast(const struct rt_site *site, int flags, const struct entries *map,
                                    const struct directive_kind *directive)
{
    const enum route route = choose_route(site, flags, map, directive->specs, true);
    if (route == SLOW_PATH)
        return false;
    rt_run_fast_items(directive->kind, route);
    rt_leave_fast_path();
    return true;
}

/* Records for the trace and the race check that queue `async` waits for other queues (wait clause or directive). waits:
 * how many queue numbers `queues` has; negative: all queues, and `queues` has none. */
static void trace_waits(const struct rt_site *site, int async, int waits, va_list queues)
{
    assert(RT_HAS_HOOK(wait));
    if (waits < 0)
        rt_observe_wait(site, async, RT_ASYNC_NOVAL);
    while (waits-- > 0)
        rt_observe_wait(site, async, va_arg(queues, int));
}

/* Records that queue `async` waits for the queues passed after `waits`, the last named parameter of the entry point
 * that uses this macro. Does nothing unless waits are traced or checked. */
#define TRACE_WAITS(site, async, waits)                          \
    do {                                                         \
        if (__builtin_expect(RT_HAS_HOOK(wait) && (waits), 0)) { \
            va_list queues;                                      \
            va_start(queues, waits);                             \
            trace_waits((site), (async), (waits), queues);       \
            va_end(queues);                                      \
        }                                                        \
    } while (0)

/* Defines the entry point of a directive, which is executed at once. The queue `async` and the `waits` queues to wait
 * for are only recorded. */
#define DIRECTIVE(function, construct_name, directive)               \
    void function(int flags, RT_COLUMNS, int async, int waits, ...); \
    void function(int flags, RT_COLUMNS, int async, int waits, ...)  \
    {                                                                \
        const struct rt_site site = rt_caller_site(construct_name);  \
        const struct entries map = RT_ENTRIES(false, false);         \
        if (run_dynamic_fast(&site, flags, &map, directive))         \
            return;                                                  \
        TRACE_WAITS(&site, async, waits);                            \
        run_dynamic(&site, flags, &map, directive, async);           \
    }
DIRECTIVE(GOACC_enter_data, "enter data", &enters)
DIRECTIVE(GOACC_exit_data, "exit data", &exits)
DIRECTIVE(GOACC_update, "update", &updates)

/* Returns true if the entries belong to exit data, false if they belong to enter data. The first entry decides whose
 * kind occurs in only one of these directives; false if all kinds occur in both. */
static bool is_exit(const struct entries *map)
{
    for (size_t i = 0; i < map->n; i++) {
        unsigned raw = map->kind[i] & 0xff, kind = rt_get_entry_kind(map, i);
        if (kind == FROM || kind == DELETE || kind == RELEASE || kind == DETACH || raw == FORCE_DETACH)
            return true;
        if (kind == TO || kind == ALLOC || kind == ATTACH || kind == TO_PSET || kind == STRUCT)
            return false;
    }
    return false;
}

/* Executes enter data or exit data at once, for code of gcc before version 12. The queue `async` and the `waits` queues
 * to wait for are only recorded. */
void GOACC_enter_exit_data(int flags, RT_COLUMNS, int async, int waits, ...);
void GOACC_enter_exit_data(int flags, RT_COLUMNS, int async, int waits, ...)
{
    const struct entries map = RT_ENTRIES(false, false);
    bool is_exit_data = is_exit(&map);
    const struct rt_site site = rt_caller_site(is_exit_data ? "exit data" : "enter data");
    TRACE_WAITS(&site, async, waits);
    run_dynamic(&site, flags, &map, is_exit_data ? &exits : &enters, async);
}

/* Maps the data of a declare directive at the begin of its scope, or unmaps them at its end. The kinds of the entries
 * tell which of the two. */
void GOACC_declare(int flags, RT_COLUMNS);
void GOACC_declare(int flags, RT_COLUMNS)
{
    struct rt_site site = rt_caller_site("declare");
    site.declares = true;
    const struct entries map = RT_ENTRIES(false, false);
    bool is_exit_data = is_exit(&map);
    run_dynamic(&site, flags, &map, is_exit_data ? &exits : &enters, RT_ASYNC_SYNC);
}

/* Records a wait directive: the host (RT_ASYNC_SYNC) or queue `async` waits for the `waits` queues whose numbers follow
 * (0: all queues). Never blocks, because all queued work is done at once. */
void GOACC_wait(int async, int waits, ...);
void GOACC_wait(int async, int waits, ...)
{
    const struct rt_site site = rt_caller_site("wait");
    if (async != RT_ASYNC_SYNC) { /* the host does not wait; the queue is complete at any time */
        if (!waits)
            rt_observe_wait(&site, async, RT_ASYNC_NOVAL);
        TRACE_WAITS(&site, async, waits);
        return;
    }
    if (!rt_is_profiled() && !RT_HAS_HOOK(wait))
        return;
    va_list queues;
    va_start(queues, waits);
    if (!waits)
        rt_host_wait(&site, RT_PARENT_WAIT, RT_ASYNC_NOVAL);
    while (waits-- > 0)
        rt_host_wait(&site, RT_PARENT_WAIT, va_arg(queues, int));
    va_end(queues);
}

/* ----------------------------------------------------------------------------------- compute -- */

/* Stores in args[i] the kernel's argument for entry i, for all entries. */
static void fill_arguments(const struct rt_thread *self, const struct entries *map, void **args)
{
    for (size_t i = 0; i < map->n; i++)
        args[i] = rt_get_kernel_argument(self, map, i);
}

/* Ends *part, a step of `span` for tools, and begins the next step, whose start event is `event`. Callbacks run without
 * the lock, and with the host's values of declared variables. Does nothing if no tool gets events. */
static void next_span(struct rt_prof_span *part, const struct rt_prof_span *span, int event)
{
    assert(part && span);
    if (!span->site)
        return;
    rt_leave();
    rt_span_end(part);
    rt_span_begin_nested(part, span, event);
    rt_enter(span->site);
}

/* Runs a compute construct on the fast path: maps its data, calls `fn` and unmaps the data. Returns false, and does
 * nothing, if the construct needs the slow path, also if the program has declared variables. Queues matter only to
 * tools and checks, which use the slow path. */
static bool run_compute_fast(const struct rt_site *site, int flags, void (*fn)(void *), const struct entries *map)
{
    union {
        uint64_t address[FAST_ITEMS_MAX];
        void *at[FAST_ITEMS_MAX];
    } args;
    if (!rt_can_use_fast_path()) /* the rules, which are read below, may not be set yet */
        return false;
    const enum route route = choose_route(site, flags, map, rt_entry_specs, !rt.options.rules->attach_variables);
    if (route == SLOW_PATH)
        return false;
    rt_declared_refresh();
    if (rt.has_declared) {
        rt_leave();
        return false;
    }
    struct rt_thread *self = &rt_this_thread;
    accd_region *region = rt_run_fast_items(ACCD_KIND_COMPUTE, route);
    if (rt_fast.n < map->n ||
        /* Pointers are arguments without items, so that the region's addresses do not suffice. */
        accd_region_addresses(region, args.address, rt_fast.n) < rt_fast.n)
        fill_arguments(self, map, args.at);
    rt_leave_fast_path();
    self->nkernels++;
    rt_begin_kernel(self, site->call.pc);
    fn(args.at);
    self->activity = RT_FAST_PATH;
    rt_enter(site);
    rt_end_core_region(self, region);
    rt_leave();
    return true;
}

/* Runs a compute construct on the slow path: on the host as a plain call of `fn`; otherwise maps the data, runs the
 * kernel and unmaps the data. With a seed (rt/orders.h) the kernel is left to `queue`; otherwise the queue is only
 * reported and checked. Ends the program without memory. */
static __attribute__((noinline)) void run_compute(const struct rt_site *site, int flags, void (*fn)(void *),
                                                  const struct entries *map, int queue)
{
    assert(fn && site);
    enum { FEW = 32 };
    struct rt_thread *self = rt_ensure_started();
    struct rt_prof_span span, part;
    rt_span_begin(&span, site, RT_EV_COMPUTE, RT_PARENT_COMPUTE, queue, get_directive_type(site, flags));
    if (is_host_directive(self, flags)) {
        fn(map->host);
        rt_span_end(&span);
        return;
    }
    span.kernel = fn;
    rt_span_begin_nested(&part, &span, RT_EV_ENTER_DATA);
    union {
        struct rt_kernel kernel;
        void *capacity[1 + FEW];
    } inline_storage;
    struct rt_kernel *kernel = &inline_storage.kernel;
    struct rt_items items;
    const size_t bytes = sizeof *kernel + map->n * sizeof(void *);
    /* Kernels must be able to read their arguments. Strict runs make the stack inaccessible to kernels. */
    const bool is_allocated = rt.options.strict || bytes > sizeof inline_storage;
    self = rt_enter(site);
    rt_declared_refresh();
    rt_acquire_exclusive(site);
    const bool is_queued = rt.options.seed && rt_get_work_queue(self->device, queue);
    if (is_allocated || is_queued)
        kernel = rt_alloc_kernel(bytes);
    kernel->fn = kernel->code = fn;
    rt_report_link_sections(map, kernel->code);
    rt_items_init(&items, map->n);
    rt_add_entry_items(map, &items);
    rt_attach_variables(self, map, &items);
    if (is_queued)
        rt_prepare_queued_items(self, items.at, items.n);
    RT_CALL_HOOKS(begin_operation, self, queue);
    accd_region *region = rt_run_items(self, ACCD_KIND_COMPUTE, RT_NEEDS_CHECK | RT_HAS_PRIVATE_ITEMS, &items);
    rt_items_free(&items);
    fill_arguments(self, map, kernel->args);
    next_span(&part, &span, RT_EV_LAUNCH);
    if (is_queued)
        rt_queue_kernel(site, region, kernel, map->n, bytes);
    else
        rt_launch_kernel(site, self->device, kernel);
    next_span(&part, &span, RT_EV_EXIT_DATA);
    rt_end_core_region(self, region);
    RT_CALL_HOOKS(begin_operation, self, RT_ASYNC_SYNC);
    if (is_allocated && !is_queued)
        rt_free_kernel(kernel, bytes);
    rt_leave();
    rt_span_end(&part);
    rt_span_end(&span);
}

/* Reads the launch arguments of a compute construct, `tags`: tags, each followed by its values, up to a tag of 0.
 * Returns the construct's queue (RT_ASYNC_SYNC: none), and records its waits if they are traced or checked. Unknown
 * tags end the program. */
static int read_queue(const struct rt_site *site, va_list tags)
{
    enum { DIMENSIONS = 1, QUEUE = 2, WAITS = 3, LARGE = 0xffff };
    int queue = RT_ASYNC_SYNC;
    for (unsigned tag; (tag = va_arg(tags, unsigned)) != 0;) {
        int n = 0;
        if (tag >> 28 == QUEUE)
            queue = (tag & LARGE) == LARGE ? va_arg(tags, int) : (int)(tag & LARGE);
        else if (tag >> 28 == DIMENSIONS)
            n = __builtin_popcount(tag & LARGE);
        else if (tag >> 28 == WAITS)
            n = (int16_t)(tag & LARGE);
        else
            rt_reject_unknown_abi(site, "passes the launch argument 0x%x", tag);
        if (tag >> 28 == WAITS && n < 0)
            rt_observe_wait(site, queue, RT_ASYNC_NOVAL);
        while (n-- > 0) {
            const int value = va_arg(tags, int);
            if (tag >> 28 == WAITS)
                rt_observe_wait(site, queue, value);
        }
    }
    return queue;
}

/* Runs a parallel, kernels or serial construct at once. The launch arguments (dimensions, queue, waits) follow `kinds`.
 */
void GOACC_parallel_keyed(int flags, void (*fn)(void *), RT_COLUMNS, ...);
void GOACC_parallel_keyed(int flags, void (*fn)(void *), RT_COLUMNS, ...)
{
    struct rt_site site = rt_caller_site("compute");
    if (run_compute_fast(&site, flags, fn, &RT_ENTRIES(false, false)))
        return;
    int queue = RT_ASYNC_SYNC; /* queues matter only to tools and checks */
    if (rt_is_profiled() || RT_HAS_HOOK(wait)) {
        va_list tags;
        va_start(tags, kinds);
        queue = read_queue(&site, tags);
        va_end(tags);
    }
    if (queue != RT_ASYNC_SYNC)
        site.queue = &queue;
    run_compute(&site, flags, fn, &RT_ENTRIES(false, false), queue);
}

/* Runs a compute construct at once, for code of gcc before version 6. The queue `async` and the `waits` queues to wait
 * for are only recorded. */
void GOACC_parallel(int flags, void (*fn)(void *), RT_COLUMNS, int gangs, int workers, int vector, int async, int waits,
                    ...);
void GOACC_parallel(int flags, void (*fn)(void *), RT_COLUMNS, int gangs, int workers, int vector, int async, int waits,
                    ...)
{
    (void)gangs, (void)workers, (void)vector;
    struct rt_site site = rt_caller_site("compute");
    TRACE_WAITS(&site, async, waits);
    if (async != RT_ASYNC_SYNC)
        site.queue = &async;
    run_compute(&site, flags, fn, &RT_ENTRIES(false, false), async);
}

/* Returns 1: kernels run in one thread. */
int GOACC_get_num_threads(void);
int GOACC_get_num_threads(void)
{
    return 1;
}

/* Returns 0, the number of the only thread. */
int GOACC_get_thread_num(void);
int GOACC_get_thread_num(void)
{
    return 0;
}
