/* lifecycle.c - the life of the runtime in a process: options from the environment, start, context, calls,
 * constructs, end.
 *
 *      first call ----> start_runtime (once): options, callbacks, exit handlers
 *           |           tools register (once)
 *           v
 *      enter_call ----> open_context, unless rt.context exists: devices, declared variables, images
 *           |           lock held
 *           |           rt_run_construct: checks (run_checked), then the core
 *           v
 *      leave_call       protection of devices; lock released
 *           :
 *      acc_shutdown --> rt_end_device_data: final checks, context freed; the next call opens a new one
 *           :
 *      exit ----------> report_end: findings, leaks, counts
 *
 * Invariants: rt.site is not NULL exactly while a call holds the lock. rt.context is NULL before the first call and
 * after a shutdown. A thread's state is complete (type != 0) before it takes the lock in a call. */
#include "accdeep_internal.h"
#include "base/abnormal_exit.h"
#include "base/context.h"
#include "base/kernel.h"
#include "base/lock.h"
#include "base/runtime.h"
#include "base/supervisor.h"
#include "coherence/check.h"
#include "feed_pages/tools.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/label.h"
#include "diag/report_file.h"
#include "diag/source_lines.h"
#include "diag/symbolize.h"
#include "image/allocatable.h"
#include "image/declared.h"
#include "image/image.h"
#include "image/malloc_blocks.h"
#include "image/member_pointers.h"
#include "image/struct_programs.h"
#include "lib/arena.h"
#include "lib/new_stack.h"
#include "lib/rank.h"
#include "lib/text_buffer.h"
#include "trace/advice.h"
#include "trace/prof.h"
#include "trace/trace.h"
#include "trace/user_tools.h"
#include "lifecycle.h"
#include "orders.h"
#include "spans.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* once: start_runtime was run. tools_once: tools have had their chance to register. */
static pthread_once_t once = PTHREAD_ONCE_INIT, tools_once = PTHREAD_ONCE_INIT;
/* key whose destructor on_thread_end runs for each thread that has called the runtime */
static pthread_key_t thread_end;
static uint64_t threads; /* number of threads that have got a number; protected by the lock */

/* ----------------------------------------------------------------------------------- options -- */

/* Returns an environment variable as a number from `minimum` to `limit`, or `usual` if it is unset or empty. Any other
 * value ends the program. */
static uint64_t number_option(const char *name, uint64_t usual, uint64_t minimum, uint64_t limit)
{
    assert(name && minimum <= limit);
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return usual;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (errno || *end || *text == '-' || n < minimum || n > limit)
        rt_fatal("file", "%s=%s is not a whole number from %llu to %llu", name, text, (unsigned long long)minimum,
                 (unsigned long long)limit);
    return n;
}

/* Returns true if an environment variable is 1; false if it is 0, unset or empty. Any other value ends the program. */
static bool flag_option(const char *name)
{
    return number_option(name, 0, 0, 1) != 0;
}

/* Sets rt.options.guard_before and check_all by ACCDEEP_STRICT, and returns true in strict runs. A value that is not
 * known ends the program. */
static bool strict_option(void)
{
    const char *text = getenv("ACCDEEP_STRICT");
    rt.options.guard_before = text && !strncmp(text, "begin", strlen("begin"));
    rt.options.check_all = text && (!strcmp(text, "all") || !strcmp(text, "begin,all"));
    return rt.options.guard_before || rt.options.check_all || flag_option("ACCDEEP_STRICT");
}

/* Returns the device type of ACC_DEVICE_TYPE, nvidia by default. An unknown type ends the program. */
static int type_option(void)
{
    static const struct {
        const char *name;
        int type;
    } types[] = {{"host", RT_DEVICE_HOST}, {"nvidia", RT_DEVICE_NVIDIA}, {"not_host", RT_DEVICE_NVIDIA}};
    const char *text = getenv("ACC_DEVICE_TYPE");
    for (size_t i = 0; text && i < sizeof types / sizeof types[0]; i++)
        if (!strcasecmp(text, types[i].name))
            return types[i].type;
    if (text && *text)
        rt_fatal("no-device", "ACC_DEVICE_TYPE=%s: there are the devices host and nvidia", text);
    return RT_DEVICE_NVIDIA;
}

/* Returns the rule profile called `name`. Sets *null_unmatched_p to the value of rt.options.null_unmatched for it. An
 * unknown name ends the program. */
static const accd_rules *find_rules(const char *name, bool *null_unmatched_p)
{
    static const char *const versions[] = {"openmp-5.2", "openmp-6.0", "openmp-6.1"};
    bool is_later = false;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        is_later |= !strcmp(name, versions[i]);
    *null_unmatched_p = is_later || !strcmp(name, "libomptarget-19");
    const accd_rules *rules = accd_find_rules(is_later ? "openmp-5.1" : name);
    if (!rules)
        rt_fatal("file", "there is no rule profile '%s'", name);
    return rules;
}

/* Returns the rule profile of ACCDEEP_RULES, by default that of the standard of the program's first call. Sets
 * rt.options.null_unmatched. An unknown name ends the program. */
static const accd_rules *rules_option(void)
{
    const char *name = getenv("ACCDEEP_RULES");
    if (!name || !*name)
        name = rt.starts_with_openmp ? "openmp-5.1" : "openacc-3.3";
    return find_rules(name, &rt.options.null_unmatched);
}

/* Sets rt.options.others to the rule profiles of ACCDEEP_ALSO, a list with commas. Unknown names, and profiles with
 * other records than those of the program's rules (fusion), end the program. */
static void read_other_rules(void)
{
    struct rt_options *options = &rt.options;
    static char *names; /* never freed: the rules have their names */
    bool unused;
    names = strdup(getenv("ACCDEEP_ALSO") ? getenv("ACCDEEP_ALSO") : "");
    if (!names)
        rt_fatal("out-of-memory", "no memory for the names of rule profiles");
    char *rest = names;
    for (const char *name; (name = strsep(&rest, ","));) {
        if (!*name)
            continue;
        accd_rules rules = *find_rules(name, &unused);
        rules.name = name;
        if (options->nothers == RT_OTHER_RULES_MAX)
            rt_fatal("file", "at most %d rule profiles can be compared", RT_OTHER_RULES_MAX);
        if (rules.fusion != options->rules->fusion)
            rt_fatal("file", "the rule profiles %s and %s cannot be compared: one of them fuses data", rules.name,
                     options->rules->name);
        options->others[options->nothers++] = rules;
    }
}

/* Opens the file of findings (ACCDEEP_REPORT) and reads suppressions (ACCDEEP_SUPPRESS). Must be called before the
 * first report; failure ends the program. */
static void open_reports(void)
{
    static char path[4096];
    char name[4096];
    const char *report = getenv("ACCDEEP_REPORT"), *suppress = getenv("ACCDEEP_SUPPRESS");
    if (report && *report && !rt_report_file_open(report, name, sizeof name))
        rt_fatal("file", "%s: %s", name, strerror(errno));
    if (!suppress || !*suppress)
        return;
    const int wrong = rt_load_suppressions(suppress);
    if (wrong < 0)
        rt_fatal("file", "%s: %s", suppress, strerror(errno));
    if (wrong)
        rt_fatal("file", "%s:%d: a suppression is CODE:PLACE or CODE:PLACE:OBJECT", suppress, wrong);
    snprintf(path, sizeof path, "%s", suppress);
    rt.options.suppress = path;
}

/* Reads all options from the environment and opens the trace. A wrong value, or a file that cannot be opened, ends the
 * program. */
static void read_options(void)
{
    static char draw_trace[4096];
    char name[4096];
    struct rt_options *options = &rt.options;
    options->trace = -1;
    options->color = flag_option("ACCDEEP_COLOR");
    options->summary = flag_option("ACCDEEP_SUMMARY");
    options->json = getenv("ACCDEEP_FORMAT") && !strcmp(getenv("ACCDEEP_FORMAT"), "json");
    rt_symbolize_init();
    open_reports();
    options->rules = rules_option();
    read_other_rules();
    options->instrumented = rt_is_instrumented();
    options->strict = strict_option() && !options->instrumented;
    options->diagnose = options->strict || options->instrumented;
    options->seed = number_option("ACCDEEP_ORDER", 0, 0, RT_SEED_MAX);
    if (options->seed && options->diagnose)
        rt_fatal("unsupported", "the order of a seed is for programs that are not checked: no --strict, no accdeep cc");
    options->compare_none = flag_option("ACCDEEP_NO_RACES");
    options->compare_all = flag_option("ACCDEEP_ALL_RACES");
    options->fail_on_finding = flag_option("ACCDEEP_FAIL");
    options->devices = (int)number_option("ACCDEEP_DEVICES", 1, 1, 64);
    const char *offload = getenv("OMP_TARGET_OFFLOAD");
    options->targets = offload && !strcasecmp(offload, "disabled") ? 0 : options->devices;
    options->device_bytes = number_option("ACCDEEP_DEVICE_MEMORY", (uint64_t)16 << 30, 1, (uint64_t)1 << 44);
    options->type = type_option();
    options->device = (int)number_option("ACC_DEVICE_NUM", 0, 0, (uint64_t)options->devices - 1);
    const char *draw = getenv("ACCDEEP_DRAW");
    snprintf(draw_trace, sizeof draw_trace, "%s", draw ? draw : "");
    options->draw = *draw_trace ? draw_trace : NULL;
    const char *trace = getenv("ACCDEEP_TRACE");
    if (!trace || !*trace)
        return;
    rt_expand_file_name(trace, name, sizeof name);
    /* A file named after the process id may be left from an earlier process, so it is emptied. */
    const int fresh = strstr(trace, "%p") ? O_TRUNC : 0;
    options->trace =
        strcmp(trace, "-") != 0 ? rt_open_output_file(name, O_APPEND | fresh) : rt_move_to_high_fd(STDERR_FILENO);
    if (options->trace < 0)
        rt_fatal("file", "%s: %s", name, strerror(errno));
}

/* ----------------------------------------------------------------------------- start and end -- */

/* Destructor of the key thread_end: frees what the state of an ending thread refers to. `arg`: the thread's struct
 * rt_thread. Its regions are not freed if the thread has the lock, because it then ends inside a call. */
static void on_thread_end(void *arg)
{
    assert(arg);
    struct rt_thread *thread = arg;
    rt_unregister_thread(thread);
    if (rt_lock()) {
        RT_CALL_HOOKS(end_thread, thread->number);
        if (thread->regions)
            rt_arena_realloc(NULL, thread->regions, thread->regions_capacity * sizeof *thread->regions, 0);
        thread->regions = NULL;
        thread->nregions = thread->regions_capacity = 0;
        rt_unlock();
    }
    free(thread->records);
    thread->records = NULL;
    thread->nrecords = thread->records_capacity = 0;
}

/* Reports a region that is open at the end of the program, unless a signal ends it. */
static void report_open_region(void)
{
    const char *name;
    const int device = rt_find_open_region(&name);
    if (device >= 0 && !rt.is_killed)
        rt_report("note", "region-nesting", NULL, 0, "the program ends inside a %s region of device %d", name, device);
}

/* Writes the final reports, once; none in a forked process. Does nothing if an error ends the program; if a signal
 * handler has interrupted a call, only the counts are written. */
static void report_end(void)
{
    static atomic_bool is_reported;
    const bool is_own_process = rt.pid == getpid();
    if (is_own_process)
        rt_wait_for_exit();
    if (rt.is_ending || atomic_exchange(&is_reported, true))
        return;
    if (!rt_lock()) { /* rt_lock fails if a signal handler has interrupted a call of this thread */
        if (is_own_process)
            rt_emit_counts();
        return;
    }
    rt_unlock();
    if (is_own_process && !rt.is_dying) {
        rt_ensure_started();
        rt_prof_finish();
    }
    rt_lock();
    if (rt.context && is_own_process) {
        report_open_region();
        RT_CALL_HOOKS(report);
    }
    if (is_own_process)
        RT_CALL_HOOKS(finish);
    if (is_own_process)
        rt_emit_counts();
    rt_unlock();
}

/* Exit handler: writes the final reports, and replaces the exit status 0 (rt_get_exit_status). `arg` is not used. */
static void at_exit(int status, void *arg)
{
    (void)arg;
    report_end();
    if (rt_get_exit_status(status) != status && rt.pid == getpid() && !rt.is_ending)
        exit(rt_get_exit_status(status)); /* glibc continues with the remaining exit handlers and this status */
}

/* Reads the options and installs the callbacks and handlers of the process. Called once, on a new stack; `unused` is
 * not used. A wrong option ends the program. */
static void start_runtime(void *unused)
{
    (void)unused;
    rt_notify_supervisor('D');
    rt.start_pid = getpid();
    read_options();
    rt.names_eagerly = rt.options.draw || rt.options.trace >= 0 || rt.options.diagnose || rt.options.nothers;
    if (rt.options.seed) {
        rt.names_eagerly = true; /* therefore calls take the slow path */
        rt_add_tool(&rt_orders_tool);
    }
    rt_add_tools();
    rt.names_eagerly |= rt_load_user_tools();
    pthread_key_create(&thread_end, on_thread_end);
    rt_lock_init();
    on_exit(at_exit, NULL);
    if (getenv("ACCDEEP_REPORT")) { /* `accdeep exec` always sets this variable, maybe to an empty string */
        rt.report_at_end = report_end;
        rt_install_exit_handlers();
    }
}

/* Calls start_runtime on a new stack, as the thread's own may be small. */
static void start_once(void)
{
    rt_run_on_new_stack(start_runtime, NULL);
}

static void pass_alloc(uint64_t dev, uint64_t host, uint64_t bytes)
{
    RT_CALL_HOOKS(allocate_memory, dev, host, bytes);
}

static void pass_free(uint64_t dev, uint64_t bytes)
{
    RT_CALL_HOOKS(free_memory, dev, bytes);
}

static void pass_send(uint64_t dev, const void *host, uint64_t bytes)
{
    RT_CALL_HOOKS(begin_send, dev, host, bytes);
}

static void pass_fetch(uint64_t dev, const void *host, uint64_t bytes)
{
    RT_CALL_HOOKS(begin_fetch, dev, host, bytes);
}

/* Returns a backend that works like `backend`, and calls the hooks for device memory; `backend` itself without such
 * hooks. */
static const accd_backend *observe_memory(const accd_backend *backend)
{
    static const accd__memory_observer observer = {pass_alloc, pass_free, pass_send, pass_fetch};
    return RT_HAS_HOOK(begin_send) || RT_HAS_HOOK(begin_fetch) ? accd__observe_memory(backend, &observer) : backend;
}

/* Opens the context of the core and makes declared variables and images present. Failure ends the program. The lock
 * must be held. Runs on a new stack; `unused` is not used. */
static void open_context(void *unused)
{
    assert(!rt.context);
    (void)unused;
    accd_context_config config;
    accd_context_config_init(&config);
    config.rules = rt.options.rules;
    config.devices = (unsigned)rt.options.devices;
    config.device_bytes = rt.options.device_bytes;
    config.threads = 1; /* helper threads would not survive a fork */
    config.backend = observe_memory(accd_find_backend(!rt.options.diagnose      ? "direct"
                                                      : rt.options.instrumented ? "guarded-again"
                                                      : rt.options.guard_before ? "guarded-begin"
                                                                                : "guarded-end"));
    /* the page guard leaves memory of the arena accessible to kernels */
    config.alloc = rt.options.strict ? rt_arena_realloc : NULL;
    config.queues = rt.options.seed ? ACCD_QUEUES_DELAYED : ACCD_QUEUES_IN_ORDER;
    accd_status status = accd_context_new(&rt.context, &config);
    if (status != ACCD_OK)
        rt_fatal(accd_status_code(status), "the device cannot be opened: %s", accd_status_text(status));
    rt_subscribe();
    if (rt.options.seed)
        rt_open_orders();
    if (!rt.pid)
        rt.pid = getpid();
    rt.device_low = UINT64_MAX;
    rt.device_high = 0;
    for (int i = 0; i < rt.options.devices; i++) {
        uint64_t low, high;
        if (!accd_device_address_space(rt.context, i, &low, &high))
            continue;
        rt.device_low = low < rt.device_low ? low : rt.device_low;
        rt.device_high = high > rt.device_high ? high : rt.device_high;
    }
    RT_CALL_HOOKS(open);
    rt_declared_init();
    rt_load_images();
}

/* Lets tools register; runs on a new stack. `unused` is not used. */
static void open_tools(void *unused)
{
    (void)unused;
    rt_prof_register_tools();
}

/* Calls open_tools on a new stack, as the thread's own may be small. */
static void open_tools_once(void)
{
    rt_run_on_new_stack(open_tools, NULL);
}

/* Initializes the thread's state at its first call; the first call of the process starts the runtime. */
struct rt_thread *rt_ensure_started(void)
{
    struct rt_thread *self = rt_current_thread();
    if (!self->type) {
        /* Signals are blocked, because a signal handler with a directive would deadlock in pthread_once. */
        sigset_t all_signals, before;
        sigfillset(&all_signals);
        pthread_sigmask(SIG_BLOCK, &all_signals, &before);
        pthread_once(&once, start_once);
        self->type = rt.options.type;
        self->device = rt.options.device;
        rt_register_thread(self);
        pthread_setspecific(thread_end, self);
        /* tools may call the runtime, so this thread's state must be complete before */
        pthread_once(&tools_once, open_tools_once);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return self;
}

/* Reports a rejected call and ends the program. If the program has jumped out of the thread's kernel, reports this as
 * the reason instead. */
_Noreturn void rt_reject_call(const struct rt_site *site, const char *code, const char *format, ...)
{
    char text[256];
    va_list args;
    if (rt_has_left_kernel(&rt_this_thread, site->call.sp))
        rt_report_jump_out_of_kernel(rt_this_thread.activity, site->call.pc);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rt_report("error", code, NULL, site->call.pc, "%s %s", site->construct_name, text);
    rt_exit_with_error();
}

/* Reports the unknown interface with the compiler's name, and ends the program. */
void rt_reject_unknown_abi(const struct rt_site *site, const char *format, ...)
{
    char text[256], compiler[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rt_ensure_started(); /* the options decide how reports are written */
    rt_get_compiler_name(site->call.pc, compiler, sizeof compiler);
    rt_emit_diagnostic(&(struct rt_diagnostic){.level = "error",
                                               .code = "unsupported",
                                               .pc = site->call.pc,
                                               .help = "compile with gcc 12 to 16, or with clang 14 to 23"},
                       "%s: %s %s, which accdeep " ACCD_VERSION " does not know", site->construct_name, compiler, text);
    rt_exit_with_error();
}

/* Begins a call: starts the runtime, takes the locks, opens the context, and in strict runs makes device memory
 * accessible to the host. Returns the thread's state. Ends the program if the thread runs a kernel or another call, or
 * if the context cannot be opened. */
static inline struct rt_thread *enter_call(const struct rt_site *site)
{
    struct rt_thread *thread = rt_ensure_started();
    if (thread->activity > RT_FAST_PATH)
        rt_reject_nested_call(site, rt_kernel_kind(thread->activity));
    bool is_exclusive = rt.has_declared;
    if (is_exclusive)
        rt_set_exclusive(true);
    if (!rt_lock())
        rt_reject_call(site, "misuse",
                       "was called while another call of the same thread was under way, maybe by a "
                       "signal handler");
    thread->exclusive_calls = thread->exclusive_calls << 1 | is_exclusive;
    rt.site = site;
    rt.calls++;
    if (__builtin_expect(!rt.context, 0))
        rt_run_on_new_stack(open_context, NULL);
    if (!thread->number)
        thread->number = ++threads;
    RT_CALL_HOOKS(begin_call, thread, site);
    return thread;
}

/* Ends a call: calls the hook end_call, and releases the locks. A call must be under way. */
static inline void leave_call(void)
{
    assert(rt.site);
    if (RT_HAS_HOOK(end_call))
        for (size_t i = RT_TOOLS_MAX; i-- > 0;)
            if (rt_hooks.end_call[i])
                rt_hooks.end_call[i](&rt_this_thread);
    rt.site = NULL;
    rt_unlock();
    if (rt_this_thread.exclusive_calls & 1)
        rt_set_exclusive(false);
    rt_this_thread.exclusive_calls >>= 1;
}

/* Begins a call on the slow path, and returns the thread's state. Informs tools if the call starts the device; on a
 * device, updates declared variables and their allocated contents. */
struct rt_thread *rt_enter_slow_path(const struct rt_site *site)
{
    if (rt_is_profiled())
        rt_prof_start_device(site, RT_PARENT_ROUTINE, RT_DEVICE_DEFAULT, true);
    struct rt_thread *self = enter_call(site);
    if (rt.has_declared && self->type != RT_DEVICE_HOST) {
        rt_declared_refresh();
        rt_allocatable_sync(self);
    }
    return self;
}

/* Ends a call on the slow path, and decides which path the thread's next call takes. */
void rt_leave_slow_path(void)
{
    rt.active[rt_this_thread.type == RT_DEVICE_HOST] = true;
    rt_this_thread.activity = rt_this_thread.type == RT_DEVICE_HOST ? RT_SLOW_PATH : RT_FAST_PATH;
    if (rt_this_thread.activity == RT_FAST_PATH)
        rt.fast_path_enabled =
            rt.context && !rt_is_profiled() && !rt.has_declared && !rt.names_eagerly && !rt.is_ending;
    leave_call();
}

/* Begins a call that does not use the device, and returns the thread's state. */
struct rt_thread *rt_enter_without_device(const struct rt_site *site)
{
    return enter_call(site);
}
/* Ends a call that rt_enter_without_device began. */
void rt_leave_without_device(void)
{
    leave_call();
}

/* Makes the final checks and frees the context, so that the next call opens a new one. */
void rt_end_device_data(void)
{
    rt.fast_path_enabled = false;
    RT_CALL_HOOKS(report);
    RT_CALL_HOOKS(close);
    rt_clear_struct_programs();
    accd_context_free(rt.context);
    rt.context = NULL;
    rt_clear_labels();
}

/* Reports the device address in a data clause of `item`, and ends the program. The help depends on whether present
 * data, or memory allocated by the program, has the address. */
static _Noreturn void report_device_address(const accd_item *item)
{
    assert(rt.site && rt.context);
    const uint64_t address = (uintptr_t)item->host;
    const int device = accd_device_at(rt.context, address);
    const uint64_t host = accd_host_address(rt.context, device, address);
    const bool has_region = rt_is_kernel_construct(rt.site->construct_name) ||
                            strstr(rt.site->construct_name, "data") == rt.site->construct_name;
    char name[160] = "", display[200], help[300], openmp[300];
    if (rt_format_name(rt.site, address, item->bytes, name, sizeof name))
        snprintf(display, sizeof display, "%s, at %p,", name, item->host);
    else
        snprintf(display, sizeof display, "%p", item->host);
    const int n = (int)rt_variable_name_length(name);
    accd_present_object object;
    if (host && accd_present_at(rt.context, device, host, 0, &object)) {
        snprintf(help, sizeof help, "name the data by their address on the host, that of the variable");
        snprintf(openmp, sizeof openmp, "%s", help);
    } else if (has_region) {
        snprintf(help, sizeof help, "name memory of acc_malloc in deviceptr(%.*s) instead", n, n ? name : "...");
        snprintf(openmp, sizeof openmp, "name memory of omp_target_alloc in is_device_ptr(%.*s) instead", n,
                 n ? name : "...");
    } else {
        snprintf(help, sizeof help,
                 "leave it out: the memory is on the device already, and no data of the host "
                 "belong to it");
        snprintf(openmp, sizeof openmp, "%s", help);
    }
    rt_emit_diagnostic(
        &(struct rt_diagnostic){
            .level = "error",
            .code = "device-pointer-on-host",
            .pc = rt.site->call.pc,
            .object = n ? name : NULL,
            .help = help,
            .openmp = openmp,
        },
        "%s needs the host's address of data, but %s is an address of device %d", rt.site->construct_name, display,
        device);
    rt_exit_with_error();
}

/* Ends the program with a report if an item has a device address, which the core would take for a host address. */
static void reject_device_addresses(const accd_item *items, size_t nitems)
{
    for (size_t i = 0; i < nitems; i++)
        if (rt_is_device_address(items[i].host))
            report_device_address(&items[i]);
}

/* Runs a construct in the core and returns its status; stores its region in *region_p. Sets in_core meanwhile: a fault
 * is then reported as an access to host memory that is not mapped. */
static inline accd_status run_core(struct rt_thread *thread, const accd_construct *construct, accd_region **region_p)
{
    thread->in_core = true;
    accd_status status = accd_run_construct(rt.context, construct, region_p);
    thread->in_core = false;
    return status;
}

/* Ends a region of the core, with its transfers and frees. Failure ends the program. */
void rt_end_core_region(struct rt_thread *thread, accd_region *region)
{
    assert(region);
    rt.construct.nitems = 0;
    RT_CALL_HOOKS(end_region, thread);
    thread->in_core = true;
    accd_status status = accd_region_end(region);
    thread->in_core = false;
    rt_check_status(status);
}

/* Checks the items of a construct before the core gets them: wrong items end the program. */
static __attribute__((noinline)) void check_items(struct rt_thread *thread, accd_construct_kind kind,
                                                  const accd_item *items, size_t nitems)
{
    assert(rt.site && (items || !nitems));
    if (kind != ACCD_KIND_EXIT_DATA) /* an exit ignores absent data, and device addresses are absent */
        reject_device_addresses(items, nitems);
    /* While in_core is set, a fault is reported as an access to host memory that is not mapped. */
    thread->in_core = true;
    rt_check_malloc_blocks(items, nitems);
    thread->in_core = false;
}

/* Handles that a construct has failed with `status`. With the knob `member` at ACCD_MEMBER_UNCOUNTED, its data may be
 * partly present only because pointers in them are present on their own. Then unmaps these pointers and runs the
 * construct again. Any other failure, also of the second run, ends the program. */
static RT_COLD void retry_without_member_pointers(struct rt_thread *thread, const accd_construct *construct,
                                                  accd_status status, accd_region **region_p)
{
    assert(status != ACCD_OK);
    if (status == ACCD_ERROR_PARTIALLY_PRESENT && construct->kind != ACCD_KIND_EXIT_DATA &&
        construct->kind != ACCD_KIND_UPDATE && rt.options.rules->member == ACCD_MEMBER_UNCOUNTED &&
        rt_unmap_member_pointers(thread, construct->items, construct->nitems))
        status = run_core(thread, construct, region_p);
    rt_check_status(status);
}

/* Checks the items, runs the construct between the hooks of tools, and returns the construct's region; NULL: it opens
 * none. Used if RT_NEEDS_CHECK is set. */
static __attribute__((noinline)) accd_region *run_checked(struct rt_thread *thread, accd_construct_kind kind,
                                                          unsigned flags, const accd_item *items, size_t nitems,
                                                          bool finalize)
{
    const struct rt_construct construct = {kind, items, nitems, flags & RT_HAS_PRIVATE_ITEMS, finalize};
    rt.construct.items = items; /* the handler of faults reads the items */
    rt.construct.nitems = nitems;
    check_items(thread, kind, items, nitems);
    RT_CALL_HOOKS(begin_construct, thread, &construct);
    accd_region *region = rt_run_construct(thread, kind, 0, items, nitems, finalize);
    RT_CALL_HOOKS(end_construct, thread, &construct, region);
    return region;
}

/* Runs a construct of the current call by the core's function `run_function`, and returns its region; NULL: it opens
 * none. Failure ends the program. */
static inline accd_region *
run_using(struct rt_thread *thread, accd_construct_kind kind, const accd_item *items, size_t nitems, bool finalize,
          accd_status (*run_function)(accd_context *, const accd_construct *, accd_region **))
{
    accd_construct *construct = &rt.construct;
    accd_region *region = NULL;
    construct->items = items;
    construct->nitems = nitems;
    construct->device = thread->device;
    construct->kind = kind;
    construct->finalize = finalize;
    construct->name = rt.site->construct_name;
    construct->thread = thread->number;
    thread->in_core = true;
    accd_status status = run_function(rt.context, construct, &region);
    thread->in_core = false;
    if (__builtin_expect(status != ACCD_OK, 0))
        retry_without_member_pointers(thread, construct, status, &region);
    return region;
}

/* Runs a construct with items that attach pointers, by the core's function for such items, and returns its region;
 * NULL: it opens none. Used if RT_HAS_POINTERS is the only flag. */
static __attribute__((noinline)) accd_region *run_with_pointers(struct rt_thread *thread, accd_construct_kind kind,
                                                                const accd_item *items, size_t nitems, bool finalize)
{
    return run_using(thread, kind, items, nitems, finalize, accd_run_construct_with_pointers);
}

/* Runs a construct, checked or with pointers as `flags` say, and returns its region; NULL: it opens none. */
accd_region *rt_run_construct(struct rt_thread *thread, accd_construct_kind kind, unsigned flags,
                              const accd_item *items, size_t nitems, bool finalize)
{
    assert((flags & ~(unsigned)(RT_NEEDS_CHECK | RT_HAS_POINTERS | RT_HAS_PRIVATE_ITEMS)) == 0);
    assert(rt.site && rt.context && (items || !nitems));
    if (flags)
        return flags & RT_NEEDS_CHECK ? run_checked(thread, kind, flags, items, nitems, finalize)
                                      : run_with_pointers(thread, kind, items, nitems, finalize);
    return run_using(thread, kind, items, nitems, finalize, accd_run_construct);
}

/* ------------------------------------------------------------------------------------- tools -- */

/* Reports to tools that the thread's device starts, unless it is active or its start is being reported. */
void rt_prof_start_device(const struct rt_site *site, int parent, int requested_type, bool implicit)
{
    static atomic_bool under_way[2];
    struct rt_thread *self = rt_ensure_started();
    const bool host = self->type == RT_DEVICE_HOST;
    if (rt.active[host] || self->in_callback || self->starting || !rt_is_profiled() ||
        /* true: another thread reports the start at this moment */
        atomic_exchange(&under_way[host], true))
        return;
    struct rt_prof_span span = {
        .site = site,
        .event = RT_EV_DEVICE_INIT,
        .parent = parent,
        .queue = RT_ASYNC_SYNC,
        .type = rt.options.rules->events_bare ? requested_type : self->type,
        .device = self->device,
        .implicit = implicit,
    };
    self->starting = true;
    self->nrecords = 0;
    rt_prof_dispatch_event(&span, RT_EV_DEVICE_INIT);
    rt_enter(site);
    rt_leave();
    rt_prof_end_span(&span);
    self->starting = false;
    under_way[host] = false;
}

/* Begins a span of events for tools, after the start of the device; not in callbacks, whose calls are not reported. */
void rt_prof_begin_span(struct rt_prof_span *span, const struct rt_site *site, int event, int parent, int queue,
                        int type)
{
    const struct rt_thread *self = rt_ensure_started();
    if (self->in_callback || !rt_is_profiled()) /* rt_ensure_started has let tools register, so the answer is final */
        return;
    if (event != RT_EV_WAIT && event != RT_EV_DEVICE_SHUTDOWN)
        rt_prof_start_device(site, parent, RT_DEVICE_DEFAULT, true);
    rt_prof_init_span(span, site, event, parent, queue, type);
}

/* Reports the number of a queue that is no async value, and ends the program. */
void rt_reject_queue(const struct rt_site *site, int queue)
{
    rt_ensure_started(); /* the options decide how reports are written */
    rt_report("error", "invalid-async", "ACC33-async-1", site->call.pc, "%s: %d is not an async value",
              site->construct_name, queue);
    rt_exit_with_error();
}

/* Calls the hook `wait`, if a tool has it: queue `async` waits for `queue`. */
void rt_observe_wait(const struct rt_site *site, int async, int queue)
{
    rt_check_queue(site, async);
    rt_check_queue(site, queue);
    if (!RT_HAS_HOOK(wait))
        return;
    const struct rt_wait wait = {.device = rt_enter(site)->device, .async = async, .queue = queue};
    RT_CALL_HOOKS(wait, &wait);
    rt_leave();
}
