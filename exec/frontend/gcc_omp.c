/* gcc_omp.c - the entry points that gcc calls for OpenMP's target directives (-fopenmp), each one construct of the
 * core. Their parameters and the arguments of regions are defined by that interface.
 *
 * libgomp runs the regions like target regions of the host, with their own control variables, teams and threads; only
 * their data are those of the device. A nowait directive becomes a task of libgomp, for which all columns (addresses,
 * sizes, kinds) of its entries are copied (struct deferred_task).
 *
 *      GOMP_x -> fast path: items in rt_fast -> rt_run_fast_items
 *             -> execute_directive -> run now, or deferred: libgomp's task -> run_task -> run */
#include "api/order_tasks.h"
#include "api/target.h"
#include "api/tasks.h"

#include "base/kernel.h"
#include "diag/errors.h"
#include "diag/label.h"
#include "image/declared.h"
#include "rt/launch.h"
#include "rt/lifecycle.h"
#include "gcc_fast_path.h"
#include "lower.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NOWAIT = 1, EXIT_DATA = 2 }; /* flags that gcc passes to the entry points below */
enum { TASK_DEPENDS = 8 };          /* flag for GOMP_task: the task has depend clauses */
enum { ON_HOST = -2 };              /* device number by which libgomp runs a region on the host */

/* ------------------------------------------------------------------------------------- tasks -- */

/* Directive: the arguments of the call that gcc makes for it, and the function that executes it. */
struct directive {
    struct rt_site site;
    int device; /* device number; -1: the host */
    void (*fn)(void *);
    void **teams; /* teams and thread limit of a target construct, in libgomp's form; NULL: other directives */
    struct entries map;
    unsigned flags;
    void (*run)(const struct directive *directive); /* executes the directive */
};

/* Directive that a task of libgomp executes (nowait). The task has copies of all arrays of the entries, because the
 * program's own may be gone when it runs. */
struct deferred_task {
    struct directive directive;
    struct rt_epoch epoch; /* position of the task in its chain of tasks, for the race check */
    uint64_t storage[];    /* addresses, sizes, arguments, private variables, kinds, in this order */
};
static __thread const struct deferred_task *deferred_in_creation; /* task that this thread is creating; NULL: no task */

/* Returns the number of 8-byte words that hold `bytes` bytes. */
static size_t count_words(size_t bytes)
{
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

/* Returns true if entry i is a variable of clause firstprivate, whose value each region gets as a copy of its own. */
static bool is_private(const struct entries *map, size_t i)
{
    return rt_get_entry_kind(map, i) == FIRSTPRIVATE && map->host[i];
}

/* Returns the alignment of entry i in bytes, from the high 8 bits of its kind. */
static size_t get_alignment(const struct entries *map, size_t i)
{
    return (size_t)1 << (map->kind[i] >> 8);
}

/* Returns the number of bytes for copies of all firstprivate variables among the entries, with the most that their
 * alignment can need. */
static size_t private_bytes(const struct entries *map)
{
    size_t bytes = 0;
    for (size_t i = 0; i < map->n; i++)
        if (is_private(map, i))
            bytes += map->size[i] + get_alignment(map, i) - 1;
    return bytes;
}

/* Copies the firstprivate variables to `storage`, which must have private_bytes(map) bytes, and stores the address of
 * each copy in args, at the index of the variable's entry. */
static void copy_private(const struct entries *map, char *storage, void **args)
{
    assert(storage && args);
    for (size_t i = 0; i < map->n; i++) {
        if (!is_private(map, i))
            continue;
        args[i] = rt_place_private_copy(&storage, map->size[i], get_alignment(map, i));
        memcpy(args[i], map->host[i], map->size[i]);
    }
}

/* Calls the hook `pass_argument` with the host addresses of the entries, and the values of firstprivate pointers. */
static void report_arguments(struct rt_thread *self, const struct entries *map)
{
    for (size_t i = 0; i < map->n; i++)
        if (!is_private(map, i))
            RT_CALL_HOOKS(pass_argument, self, (uintptr_t)map->host[i]);
        else if (map->size[i] == sizeof(void *))
            RT_CALL_HOOKS(pass_argument, self, rt_load_word(map->host[i]));
}

/* Function of libgomp's task: executes the deferred directive and frees it. `data`: address of a pointer to the struct
 * deferred_task. */
static void run_task(void *data)
{
    assert(data);
    struct deferred_task *task = *(struct deferred_task **)data;
    struct accd__debug_call_frame *call = &task->directive.site.call;
    /* libgomp has not run the task at once, so the frames of the directive's call may no longer exist: the task's own
     * frame replaces them. */
    if (task != deferred_in_creation)
        *call = (struct accd__debug_call_frame){.pc = call->pc, .sp = (uintptr_t)__builtin_frame_address(0)};
    struct rt_thread *self = rt_ensure_started();
    const struct rt_epoch before = self->epoch;
    self->epoch = task->epoch;
    task->directive.run(&task->directive);
    self->epoch = before;
    free(task);
}

/* Function of rt_take_task: executes the deferred directive and frees it. data: the struct deferred_task. */
static void run_task_of_list(void *data)
{
    run_task(&data);
}

/* Creates a task that executes a nowait directive, with copies of its entries: a task of libgomp, or with a seed one of
 * rt_take_task. depend: libgomp's list of depend clauses; NULL: none. The iterators must be expanded. Ends the program
 * without memory. */
static void defer_directive(const struct directive *directive, void **depend)
{
    assert(directive->flags & NOWAIT);
    const struct entries *map = &directive->map;
    const size_t n = map->n, arguments = map->argument ? map->arguments : 0, bytes = private_bytes(map);
    struct deferred_task *task =
        malloc(sizeof *task + (2 * n + arguments + count_words(bytes) + count_words(2 * n)) * sizeof(uint64_t));
    if (!task)
        rt_fatal("out-of-memory", "no memory for a task of a directive with %zu entries", n);
    void **host = (void **)(void *)task->storage;
    size_t *size = (size_t *)(void *)(task->storage + n), *argument = size + n;
    char *copies = (char *)(argument + arguments);
    unsigned short *kind = (unsigned short *)(void *)(copies + count_words(bytes) * sizeof(uint64_t));
    task->directive = *directive;
    if (n) {
        memcpy(host, map->host, n * sizeof *host);
        memcpy(size, map->size, n * sizeof *size);
        memcpy(kind, map->kind, n * sizeof *kind);
    }
    if (arguments)
        memcpy(argument, map->argument, arguments * sizeof *argument);
    copy_private(map, copies, host);
    task->directive.map =
        (struct entries){n, host, size, kind, true, map->region, arguments ? argument : NULL, arguments};
    task->epoch = rt_begin_nowait_task(&directive->site, depend);
    if (!rt_defers_tasks() && rt_take_task(run_task_of_list, task, depend))
        return;
    deferred_in_creation = task;
    RT_NEXT(GOMP_task)
    (run_task, &task, NULL, sizeof task, sizeof task, rt_defers_tasks(), depend ? TASK_DEPENDS : 0, depend, 0, NULL);
    deferred_in_creation = NULL;
}

/* Executes a directive whose iterators are expanded, after the tasks that `depend` (libgomp's list of depend clauses,
 * or NULL) names. With the flag NOWAIT, only creates a task that does so. */
static void execute_expanded(const struct directive *directive, void **depend)
{
    assert(!rt_has_iterators(&directive->map));
    if (directive->flags & NOWAIT) {
        defer_directive(directive, depend);
        return;
    }
    if (depend) {
        rt_run_deferred_tasks(depend);
        RT_NEXT(GOMP_taskwait_depend)(depend);
        rt_after_taskwait(&directive->site, depend);
    }
    directive->run(directive);
}

/* Executes a directive after expanding its iterators, or creates a task that does so (flag NOWAIT). depend: libgomp's
 * list of depend clauses; NULL: none. Unknown flags end the program. */
static void execute_directive(const struct directive *directive, void **depend)
{
    struct directive copy = *directive;
    if (directive->flags & ~(unsigned)(NOWAIT | EXIT_DATA))
        rt_reject_unknown_abi(&directive->site, "passes the flags 0x%x", directive->flags);
    rt_run_some_tasks();
    if (!rt_has_iterators(&directive->map)) {
        execute_expanded(directive, depend);
        return;
    }
    copy.map = rt_expand_iterators(&directive->map);
    execute_expanded(&copy, depend);
    free(copy.map.host);
}

/* --------------------------------------------------------------------------------- fast path -- */

/* Returns the path that a directive on `device` can take, with the table `specs`. If it is not SLOW_PATH, holds the
 * lock, has made `device` the thread's device and has made the items in rt_fast; the caller must then call
 * leave_fast_path with *call. On SLOW_PATH nothing has changed. */
static enum route choose_route(const struct rt_site *site, int device, const struct entries *map, const uint8_t *specs,
                               struct rt_target_call *call)
{
    if (device < 0)
        return SLOW_PATH;
    *call = (struct rt_target_call){&rt_this_thread, rt_this_thread.device};
    rt_this_thread.device = device;
    const enum route route = rt_choose_route(site, map, specs, true, true);
    if (route == SLOW_PATH)
        rt_this_thread.device = call->before;
    return route;
}

/* Ends a directive on the fast path: restores the thread's device that choose_route saved in *call, and releases the
 * lock. */
static void leave_fast_path(const struct rt_target_call *call)
{
    rt_this_thread.device = call->before;
    rt_leave_fast_path();
}

/* Runs a directive without a region (enter data, exit data, update) on the fast path, as a construct of `kind`, with
 * the table `specs`. Returns false, and does nothing, if the directive needs the slow path. */
static inline bool run_fast(const struct rt_site *site, int device, const struct entries *map, accd_construct_kind kind,
                            const uint8_t *specs)
{
    struct rt_target_call call;
    const enum route route = choose_route(site, device, map, specs, &call);
    if (route == SLOW_PATH)
        return false;
    rt_run_fast_items(kind, route);
    leave_fast_path(&call);
    return true;
}

/* -------------------------------------------------------------------------------------- data -- */

/* Begins a target data region at once; if the device is the host, an empty region. */
void GOMP_target_data_ext(int device, RT_COLUMNS);
void GOMP_target_data_ext(int device, RT_COLUMNS)
{
    const struct rt_site site = rt_caller_site("target data");
    const struct entries map = RT_ENTRIES(true, false);
    device = rt_resolve_target_device(device, &site);
    struct rt_target_call call;
    const enum route route = choose_route(&site, device, &map, rt_entry_specs, &call);
    if (route != SLOW_PATH) {
        struct rt_region *level = rt_push_region(call.self, 0);
        level->region = rt_run_fast_items(ACCD_KIND_REGION, route);
        leave_fast_path(&call);
        return;
    }
    call = rt_target_enter(&site, device);
    struct rt_region *level = rt_push_region(call.self, 0);
    if (device >= 0) {
        const bool has_iterator = rt_has_iterators(&map);
        const struct entries full_map = has_iterator ? rt_expand_iterators(&map) : map;
        level->region = rt_run_entries(call.self, ACCD_KIND_REGION, &full_map, rt_add_entry_items);
        if (has_iterator)
            free(full_map.host);
        rt_translate_addresses(call.self, &map);
    }
    rt_target_leave(&call);
}

/* Ends the thread's innermost data region; ends the program if no region is open. */
void GOMP_target_end_data(void);
void GOMP_target_end_data(void)
{
    struct rt_site site = rt_caller_site("end target data");
    site.is_region_end = true;
    rt_pop_region(rt_enter(&site));
    rt_leave();
}

/* Executes a directive without a region. Without nowait and depend clauses it takes the fast path if possible, as a
 * construct of `kind` with the table `specs`. Otherwise execute_directive calls `run`. */
static void move_data(const struct rt_site *site, int device, const struct entries *map, unsigned flags, void **depend,
                      accd_construct_kind kind, const uint8_t *specs, void (*run)(const struct directive *))
{
    device = rt_resolve_target_device(device, site);
    if ((flags & ~(unsigned)EXIT_DATA) || depend || !run_fast(site, device, map, kind, specs))
        execute_directive(&(struct directive){.site = *site, .device = device, .flags = flags, .map = *map, .run = run},
                          depend);
}

/* Executes target enter data or target exit data on the slow path; does nothing if the device is the host. */
static void run_enter_exit(const struct directive *directive)
{
    const bool is_exit_data = directive->flags & EXIT_DATA;
    if (directive->device < 0)
        return;
    const struct rt_target_call call = rt_target_enter(&directive->site, directive->device);
    rt_run_entries(call.self, is_exit_data ? ACCD_KIND_EXIT_DATA : ACCD_KIND_ENTER_DATA, &directive->map,
                   is_exit_data ? rt_add_exit_items : rt_add_entry_items);
    rt_target_leave(&call);
}

/* Executes target enter data or, with the flag EXIT_DATA, target exit data: at once, or as a task (nowait). */
void GOMP_target_enter_exit_data(int device, RT_COLUMNS, unsigned flags, void **depend);
void GOMP_target_enter_exit_data(int device, RT_COLUMNS, unsigned flags, void **depend)
{
    const bool is_exit_data = flags & EXIT_DATA;
    const struct rt_site site = rt_caller_site(is_exit_data ? "target exit data" : "target enter data");
    const struct entries map = RT_ENTRIES(true, false);
    move_data(&site, device, &map, flags, depend, is_exit_data ? ACCD_KIND_EXIT_DATA : ACCD_KIND_ENTER_DATA,
              is_exit_data ? rt_exit_specs : rt_entry_specs, run_enter_exit);
}

/* Executes target update on the slow path; does nothing if the device is the host. */
static void run_update(const struct directive *directive)
{
    if (directive->device < 0)
        return;
    const struct rt_target_call call = rt_target_enter(&directive->site, directive->device);
    rt_run_entries(call.self, ACCD_KIND_UPDATE, &directive->map, rt_add_update_items);
    rt_target_leave(&call);
}

/* Executes target update at once, or as a task (nowait). */
void GOMP_target_update_ext(int device, RT_COLUMNS, unsigned flags, void **depend);
void GOMP_target_update_ext(int device, RT_COLUMNS, unsigned flags, void **depend)
{
    const struct rt_site site = rt_caller_site("target update");
    const struct entries map = RT_ENTRIES(true, false);
    move_data(&site, device, &map, flags, depend, ACCD_KIND_UPDATE, rt_update_specs, run_update);
}

/* ----------------------------------------------------------------------------------- regions -- */

/* Function and arguments of a target region. teams: its teams and thread limit, in libgomp's form; device: the device
 * number, -1 for the host. */
struct body {
    void (*fn)(void *);
    void **teams;
    int device;
    void *args[]; /* arguments of fn, followed by the private variables */
};

/* Runs a target region, with its device as the default device unless that is the host. libgomp calls this function as
 * a target region of the host, with new control variables. data: the struct body. */
static void run_in_host_region(void *data)
{
    struct body *body = data;
    if (body->device >= 0)
        RT_NEXT(omp_set_default_device)(RT_TARGET_DEVICE_BASE + body->device);
    /* Checks recognise only the thread that runs the kernel, so no other threads are started. */
    if (body->device >= 0 && rt.options.diagnose)
        RT_NEXT(omp_set_max_active_levels)(0);
    body->fn(body->args);
}

void GOMP_target_ext(int device, void (*fn)(void *), RT_COLUMNS, unsigned flags, void **depend, void **args);

/* Runs a target region through libgomp's GOMP_target_ext, on the host's threads. */
static void run_body(struct body *body)
{
    RT_NEXT(GOMP_target_ext)(ON_HOST, run_in_host_region, 0, (void **)body, NULL, NULL, 0, NULL, body->teams);
}

/* Function of a struct rt_kernel: runs the target region of the struct body that args[0] points to. args: the kernel's
 * array of arguments. */
static void run_kernel(void *args)
{
    run_body(*(struct body **)args);
}

/* Moves the region's arguments from the indices after the expansion of iterators to those of the entries as gcc passed
 * them, where the region's code expects them. Does nothing if no iterators were expanded. */
static void pick_arguments(const struct entries *map, void **args)
{
    for (size_t i = 0; map->argument && i < map->arguments; i++)
        /* The index map->argument[i] is never less than i, so that no argument is overwritten before it is moved. */
        args[i] = args[map->argument[i]];
}

/* Runs a target construct on the fast path. Returns false, and does nothing, if the construct needs the slow path. It
 * also needs it if the program has declared variables, or more than 512 bytes of firstprivate variables. */
static bool run_compute_fast(const struct rt_site *site, int device, void (*fn)(void *), const struct entries *map,
                             void **teams)
{
    enum { FEW = 512, WORDS = sizeof(struct body) / sizeof(void *) + FAST_ITEMS_MAX };
    union {
        struct body body;
        void *words[WORDS];
    } inline_storage;
    struct rt_target_call call;
    uint64_t addresses[FAST_ITEMS_MAX];
    char copies[FEW];
    if (private_bytes(map) > FEW)
        return false;
    const enum route route = choose_route(site, device, map, rt_entry_specs, &call);
    if (route == SLOW_PATH)
        return false;
    rt_declared_refresh();
    if (rt.has_declared) {
        rt_target_leave(&call);
        return false;
    }
    accd_region *region = rt_run_fast_items(ACCD_KIND_COMPUTE, route);
    struct body *body = &inline_storage.body;
    *body = (struct body){fn, teams, device};
    for (size_t i = 0; i < map->n; i++)
        body->args[i] = map->host[i];
    const size_t naddresses = accd_region_addresses(region, addresses, rt_fast.n);
    for (size_t k = 0; k < rt_fast.n; k++) {
        const size_t i = rt_fast.entries[k];
        if (k < naddresses)
            body->args[i] =
                (void *)(uintptr_t)(addresses[k] + ((uintptr_t)map->host[i] - (uintptr_t)rt_fast.items[k].host));
        else
            body->args[i] = rt_get_kernel_argument(call.self, map, i);
    }
    copy_private(map, copies, body->args);
    leave_fast_path(&call);
    call.self->nkernels++;
    rt_begin_kernel(call.self, site->call.pc | RT_TARGET_BIT);
    run_body(body);
    call.self->activity = RT_FAST_PATH;
    call = rt_target_enter(site, device);
    rt_end_core_region(call.self, region);
    rt_target_leave(&call);
    return true;
}

/* Runs a target construct on a device, on the slow path: maps its data, runs the kernel and unmaps the data. Ends the
 * program without memory. */
static void run_target(const struct directive *directive)
{
    assert(directive->device >= 0 && directive->fn);
    const struct entries *map = &directive->map;
    const size_t head = sizeof(struct rt_kernel) + sizeof(void *);
    const size_t args = head + sizeof(struct body) + map->n * sizeof(void *), bytes = args + private_bytes(map);
    const struct rt_target_call call = rt_target_enter(&directive->site, directive->device);
    rt_declared_refresh();
    rt_acquire_exclusive(&directive->site);
    if (RT_HAS_HOOK(run_kernel))
        rt_find_next_functions();
    struct rt_kernel *kernel = rt_alloc_kernel(bytes);
    struct body *body = (struct body *)(void *)((char *)kernel + head);
    kernel->fn = run_kernel;
    kernel->code = directive->fn;
    kernel->args[0] = body;
    *body = (struct body){directive->fn, directive->teams, directive->device};
    rt_report_link_sections(map, kernel->code);
    if (RT_HAS_HOOK(pass_argument))
        report_arguments(call.self, map);
    struct rt_items items;
    rt_items_init(&items, map->n);
    rt_add_entry_items(map, &items);
    accd_region *region = rt_run_items(call.self, ACCD_KIND_COMPUTE, RT_NEEDS_CHECK, &items);
    for (size_t i = 0; i < map->n; i++)
        if (!(body->args[i] = rt_get_kernel_argument(call.self, map, i)) && map->host[i])
            RT_CALL_HOOKS(pass_null, map->host[i]);
    copy_private(map, (char *)kernel + args, body->args);
    pick_arguments(map, body->args);
    rt_launch_kernel(&directive->site, directive->device, kernel);
    RT_CALL_HOOKS(end_nulls, &directive->site);
    rt_restore_null_pointers(call.self, &items);
    rt_items_free(&items);
    rt_end_core_region(call.self, region);
    rt_free_kernel(kernel, bytes);
    rt_target_leave(&call);
}

/* Runs a target construct on the host, with the program's own variables except copies of firstprivate ones. Ends the
 * program without memory. */
static void run_target_on_host(const struct directive *directive)
{
    assert(directive->device < 0 && directive->fn);
    const struct entries *map = &directive->map;
    const size_t args = sizeof(struct body) + map->n * sizeof(void *);
    struct body *body = malloc(args + private_bytes(map));
    if (!body)
        rt_fatal("out-of-memory", "no memory for the arguments of a target region");
    *body = (struct body){directive->fn, directive->teams, -1};
    for (size_t i = 0; i < map->n; i++)
        body->args[i] = map->host[i];
    copy_private(map, (char *)body + args, body->args);
    pick_arguments(map, body->args);
    run_body(body);
    free(body);
}

/* Runs a target construct at once, or as a task (nowait). args: its teams and thread limit, in libgomp's form. */
void GOMP_target_ext(int device, void (*fn)(void *), RT_COLUMNS, unsigned flags, void **depend, void **args)
{
    const struct rt_site site = rt_caller_site("target");
    const struct entries map = RT_ENTRIES(true, true);
    device = rt_resolve_target_device(device, &site);
    if (!flags && !depend && run_compute_fast(&site, device, fn, &map, args))
        return;
    execute_directive(&(struct directive){.site = site,
                                          .device = device,
                                          .fn = fn,
                                          .teams = args,
                                          .flags = flags,
                                          .map = map,
                                          .run = device < 0 ? run_target_on_host : run_target},
                      depend);
}
