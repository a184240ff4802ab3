/* strict.c - strict runs (`exec --strict`): a kernel runs while the host's memory is protected, and device memory is
 * protected from the host. The end reports data that are still mapped and redundant transfers. */
#include "accdeep_internal.h"
#include "base/abnormal_exit.h"
#include "base/compiler_facts.h"
#include "base/kernel.h"
#include "base/lock.h"
#include "base/runtime.h"
#include "coherence/host_access.h"
#include "coherence/races.h"
#include "coherence/snapshots.h"
#include "coherence/transfer_stats.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "guard/page_guard_internal.h"
#include "guard/wild_pointer.h"
#include "image/declared.h"
#include "image/image.h"
#include "leaks.h"
#include "needless_clauses.h"
#include "null_pointers.h"
#include "pointer_changes.h"
#include "strict.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int guarded_device; /* device of the guarded kernel under way */
/* Number of calls and kernels that use device memory now. Device memory stays open to the host while this is
 * not 0. */
static unsigned device_users;
static bool devices_are_protected; /* true while the host may not access device memory */
static bool is_skipping;           /* true if the last construct was skipped by sampling */
static const char not_watched_code[] = "not-watched";
/* Seconds: time of the first protection (0: none yet); total time of protecting and unprotecting device memory. */
static double start_time, protect_seconds;

/* --------------------------------------------------------------- protection of device memory -- */

/* Sets the protection of the memory of all devices; protection: PROT_* bits. Does nothing without a context
 * of the core. */
static void protect_device_memory(int protection)
{
    uint64_t low, high;
    for (int i = 0; rt.context && i < rt.options.devices; i++)
        if (accd_device_address_space(rt.context, i, &low, &high))
            rt_protect_pages(low, high, protection);
}

/* Returns the time of the monotonic clock in seconds. */
static double get_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Opens device memory to the host, for a call or a kernel, until rt_protect_devices. */
void rt_unprotect_devices(void)
{
    if (device_users++ || !devices_are_protected)
        return;
    double start = get_seconds();
    protect_device_memory(PROT_READ | PROT_WRITE);
    devices_are_protected = false;
    protect_seconds += get_seconds() - start;
}

/* Opens device memory to the host, until the next call ends. */
void rt_unprotect_devices_until_next_call(void)
{
    rt_unprotect_devices();
    device_users--;
}

/* Ends the use of device memory by a call, and protects the memory if that was the last use. After a skipped construct,
 * the memory stays open until the next checked one. The memory also stays open if protecting takes more than a fifth of
 * the program's time. */
void rt_protect_devices(enum rt_sampling sampling)
{
    enum { SHARE = 5 };
    if (sampling != RT_ALWAYS_CHECKED)
        is_skipping = sampling == RT_SKIPPED;
    assert(device_users);
    if (--device_users || is_skipping)
        return;
    double start = get_seconds();
    if (start_time == 0)
        start_time = start;
    if (SHARE * protect_seconds > start - start_time)
        return;
    protect_device_memory(PROT_NONE);
    devices_are_protected = true;
    protect_seconds += get_seconds() - start;
}

/* ----------------------------------------------------------------------------------- kernels -- */

/* Callback of the page guard: returns 1 if the byte at a host address is present on the device of the guarded kernel, 0
 * otherwise. ud is not used. */
static int is_present(void *ud, uint64_t address)
{
    (void)ud;
    return accd_get_presence(rt.context, guarded_device, (const void *)(uintptr_t)address, 1) == ACCD_PRESENCE_FULL;
}

/* Reports an uninitialized pointer (`value` near poison), an unaligned access (`value` is
 * RT_UNALIGNED_ACCESS), or any other value that is not an address. */
void rt_report_wild_pointer(const struct rt_site *site, uint64_t value, uintptr_t pc, const char *actor)
{
    const struct rt_region_begin region = rt_get_kernel_region(site);
    if (rt_is_uninitialized_pointer(value))
        rt_emit_diagnostic(
            &(struct rt_diagnostic){
                .level = "error",
                .code = "uninitialized-read",
                .rule = "ACC33-2.7-1",
                .pc = pc,
                .region = region,
                .help = "copy the pointer in, or attach it, before a region follows it",
                .openmp = "map the pointer with to, or a section of it, before a region follows it",
            },
            "%s follows a pointer in device memory that nothing was written to: its value is %p", actor,
            (void *)(uintptr_t)value);
    else if (value == RT_UNALIGNED_ACCESS)
        rt_emit_diagnostic(
            &(struct rt_diagnostic){
                .level = "error",
                .code = "unsupported",
                .rule = "HOUSE-memory",
                .pc = pc,
                .region = region,
                .help = "run it with --strict=begin: there, data begin at a page",
            },
            "%s uses data that are less aligned on the device than an instruction needs", actor);
    else
        rt_emit_diagnostic(
            &(struct rt_diagnostic){
                .level = "error", .code = "out-of-bounds", .rule = "ACC33-2.7.1-1", .pc = pc, .region = region},
            "%s follows %p, which is not an address", actor, (void *)(uintptr_t)value);
}

static bool
    has_unchecked_gaps; /* true if sampling has skipped a kernel since the gaps between data were last checked */

/* Reports that a kernel has written next to data on the device, and ends the program. Returns if the gaps between data
 * are unchanged. actor: words for the writer, with which the report begins. */
static void check_gaps(int device, const char *actor)
{
    assert(actor);
    uint64_t block, address = accd__device_find_overrun(rt.context, device, &block);
    accd_present_object object;
    if (!address)
        return;
    char element[340] = "memory of acc_malloc", name[RT_NAME_SIZE];
    struct rt_diagnostic diagnostic = {
        .level = "error",
        .code = "out-of-bounds",
        .rule = "ACC33-2.7.1-1",
        .pc = rt.site ? rt.site->call.pc : 0,
    };
    if (accd_present_at(rt.context, device, block, 1, &object)) {
        snprintf(name, sizeof name, "%s", rt_get_display_name(&object.info).name);
        rt_format_element(rt.site, object.info.host, object.info.bytes, address - block, name, element, sizeof element);
        diagnostic.object = name;
        diagnostic.element = element;
        diagnostic.other = rt_get_mapped_location(&object.info);
        diagnostic.help = rt_get_out_of_bounds_help(device, &object.info, (int64_t)(address - block), name);
    }
    rt_emit_diagnostic(&diagnostic, "%s has written %s, %s", actor, element,
                       address < block ? "before the beginning of the data on the device"
                                       : "after the end of the data on the device");
    rt_exit_with_error();
}

/* Reports a kernel that wrote next to device memory, and ends the program. After a kernel that sampling
 * skips, only records in has_unchecked_gaps that a check is due. */
void rt_check_device_gaps(int device)
{
    const bool passed_over = rt_current_thread()->sampling == RT_SKIPPED;
    if (!passed_over)
        check_gaps(device, has_unchecked_gaps ? "this region, or one before it that was not watched," : "this region");
    has_unchecked_gaps = passed_over;
}

/* Reports the wrong access of a kernel, described by `fault`, and ends the program. site: construct of the
 * kernel; device: device of the kernel. */
static _Noreturn void report_fault(const struct rt_site *site, int device, const struct rt_guard_fault *fault)
{
    assert(fault->fault_context);
    const char *verb = fault->write ? "writes" : "reads";
    void *address = (void *)(uintptr_t)fault->address;
    const uintptr_t pc = rt_find_program_pc(fault->fault_context);
    char actor[60];
    snprintf(actor, sizeof actor, "the %s region", site->construct_name);
    if (fault->has_jumped)
        rt_report_jump_out_of_kernel(rt_construct_id(site), pc);
    if (fault->wild_pointer) {
        rt_report_wild_pointer(site, fault->wild_pointer, pc, actor);
        rt_exit_with_error();
    }
    if (!fault->host && (rt_report_null_pointer(rt_construct_id(site), device, fault->address, pc, actor) ||
                         rt_report_out_of_bounds(site, actor, verb, fault->address, pc)))
        rt_exit_with_error();
    if (!fault->host) {
        rt_emit_diagnostic(&(struct rt_diagnostic){.level = "error",
                                                   .code = "out-of-bounds",
                                                   .rule = "ACC33-2.7.1-1",
                                                   .pc = pc,
                                                   .region = rt_get_kernel_region(site)},
                           "%s %s %p, which is neither host nor device memory", actor, verb, address);
        rt_exit_with_error();
    }
    rt_report_host_access(site, device, actor, verb, fault->address, pc);
}

/* Runs the kernel `arg` (struct rt_kernel), and marks the thread as running it. A guarded kernel has the
 * thread pointer of the guard's thread, so the mark is in that thread's rt_this_thread. */
static void call_kernel(void *arg)
{
    struct rt_kernel *kernel = arg;
    struct rt_thread *self = rt_current_thread();
    rt_begin_kernel(self, kernel->construct);
    kernel->fn(kernel->args);
    self->activity = RT_SLOW_PATH;
}

/* Unguarded kernel of the thread: `leave`, the target of siglongjmp after a fault (NULL: no such kernel
 * runs), and the fault. */
static __thread struct {
    sigjmp_buf *leave;
    struct rt_guard_fault fault;
} unguarded_run;

/* Records a fault and leaves the unguarded kernel by siglongjmp; run_unguarded then reports the fault.
 * Returns if the thread runs no such kernel, or has left it by a jump. */
void rt_handle_unguarded_fault(const siginfo_t *info, const ucontext_t *context)
{
    enum { PAGE_FAULT = 14, ERROR_WRITE = 2 }; /* trap number and bit of the error code of x86 */
    const greg_t *registers = context->uc_mcontext.gregs;
    const bool is_page_fault = registers[REG_TRAPNO] == PAGE_FAULT;
    if (!unguarded_run.leave || rt_has_left_kernel(rt_current_thread(), (uintptr_t)registers[REG_RSP]))
        return;
    rt_read_fault_context(unguarded_run.fault.fault_context, registers);
    unguarded_run.fault = (struct rt_guard_fault){
        .address = is_page_fault ? (uintptr_t)info->si_addr : 0,
        .fault_context = unguarded_run.fault.fault_context,
        .write = is_page_fault && registers[REG_ERR] & ERROR_WRITE,
        .wild_pointer = is_page_fault ? 0 : rt_find_wild_pointer(registers),
    };
    siglongjmp(*unguarded_run.leave, 1);
}

/* Runs a kernel without a page guard. A fault ends the kernel by siglongjmp, is reported, and ends the program. */
static void run_unguarded(const struct rt_site *site, int device, struct rt_kernel *kernel)
{
    assert(kernel->fn);
    sigjmp_buf leave;
    struct accd__debug_fault_context fault_context;
    if (!sigsetjmp(leave, 0)) {
        unguarded_run.fault.fault_context = &fault_context;
        unguarded_run.leave = &leave;
        call_kernel(kernel);
        unguarded_run.leave = NULL;
        return;
    }
    sigset_t faults;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    sigaddset(&faults, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
    unguarded_run.leave = NULL;
    rt_current_thread()->activity = RT_SLOW_PATH;
    report_fault(site, device, &unguarded_run.fault);
}

/* Reports why the kernel of `site` was not guarded; each reason once. Needs the lock. */
static void report_unguarded(const struct rt_site *site)
{
    static bool is_reported[RT_UNGUARDED_REASONS];
    static const char *const texts[RT_UNGUARDED_REASONS] = {
        "this compute region was not checked, and others will not be: this system cannot protect host memory",
        "this compute region was not checked, and others will not be: host memory cannot be protected "
        "while a thread runs that cannot be stopped",
        "this compute region was not checked, and others will not be: host memory can be protected only with the "
        "malloc "
        "of the C library",
        "this compute region was not checked to its end: it starts a thread or a process, or sends a signal"};
    const enum rt_unguarded_reason reason = rt_guard_get_reason(rt_process_guard);
    if (!is_reported[reason])
        rt_report("note", not_watched_code, NULL, site->call.pc, "%s", texts[reason]);
    is_reported[reason] = true;
}

/* Runs a kernel with the page guard, one kernel at a time. A kernel that sampling skips runs without the
 * guard. A wrong access is reported and ends the program; so does missing memory. The lock is held until the
 * other threads are stopped, so that none of them is inside the runtime. */
void rt_run_guarded_kernel(const struct rt_site *site, int device, struct rt_kernel *kernel)
{
    assert(kernel->fn && rt.context);
    enum { SECTIONS = 64 };
    static pthread_mutex_t kernel_mutex = PTHREAD_MUTEX_INITIALIZER; /* held while a kernel is guarded */
    struct rt_thread *self = rt_current_thread();
    if (self->sampling == RT_SKIPPED) {
        rt_guard_unprotect_all(rt_process_guard);
        run_unguarded(site, device, kernel);
        return;
    }
    pthread_mutex_lock(&kernel_mutex);
    rt_lock(); /* held so that the declared ranges, counted and then listed below, do not change between */
    const size_t capacity = (2 * (size_t)rt.options.devices + rt_get_declared_ranges(NULL)) * sizeof(struct rt_range);
    struct rt_range *open = rt_arena_realloc(NULL, NULL, 0, capacity);
    struct rt_device_section *sections = rt_arena_realloc(NULL, NULL, 0, SECTIONS * sizeof *sections);
    struct rt_guard_fault fault;
    size_t n = 0;
    uint64_t low, high;
    if (!open || !sections)
        rt_fatal("out-of-memory", "no memory to watch a kernel");
    for (int i = 0; i < rt.options.devices; i++)
        if (accd_device_address_space(rt.context, i, &low, &high))
            open[n++] = (struct rt_range){low, high - low};
    for (int i = 0; i < rt.options.devices; i++)
        if (accd__device_metadata_range(rt.context, i, &low, &high))
            open[n++] = (struct rt_range){low, high - low};
    n += rt_get_declared_ranges(open + n);
    if (!rt_process_guard) {
        rt_guard_fatal_signal_handler = rt_on_fatal_signal;
        rt_defer_fatal_signal = rt_guard_defer_signal;
        rt_process_guard = rt_guard_new(is_present, NULL);
    }
    guarded_device = device;
    const size_t nsections = rt_races_get_sections(self, sections, SECTIONS);
    rt_guard_set_sections(rt_process_guard, sections, nsections);
    rt.guarded_kernels++;
    const enum rt_guard_result result = rt_guard_run(rt_process_guard, call_kernel, kernel, open, n, rt_unlock, &fault);
    rt.guarded_kernels--;
    if (result == RT_GUARD_FAULT) {
        rt.watched_kernels++;
        report_fault(site, device, &fault);
    }
    rt_lock();
    if (result == RT_UNGUARDED)
        report_unguarded(site);
    rt.watched_kernels += result == RT_GUARD_OK;
    rt_races_record_touched(self, site->call.pc, sections, nsections);
    rt_arena_realloc(NULL, sections, SECTIONS * sizeof *sections, 0);
    rt_arena_realloc(NULL, open, capacity, 0);
    rt_unlock();
    pthread_mutex_unlock(&kernel_mutex);
}

/* ----------------------------------------------------------------------------------- the end -- */

/* Runs the last checks, at the end of a strict run or in acc_shutdown: gaps not checked yet, leaks, races,
 * stale data and redundant transfers. Clears the tables. Leaks are not reported if a signal ends the program. */
void rt_strict_finish(void)
{
    if (has_unchecked_gaps)
        rt_unprotect_devices();
    for (int device = 0; device < accd_device_count(rt.context) && has_unchecked_gaps; device++)
        check_gaps(device, "a region that was not watched");
    if (has_unchecked_gaps)
        rt_protect_devices(RT_ALWAYS_CHECKED);
    has_unchecked_gaps = false;
    for (int device = 0; device < accd_device_count(rt.context) && !rt.is_killed; device++)
        rt_report_leaks(device);
    if (!rt.is_killed)
        rt_report_device_alloc_leaks();
    rt_races_finish();
    rt_snapshot_finish();
    rt_report_redundant_transfers();
    rt_report_needless_clauses();
}

/* Returns true if a pointer item holds the device address of its target at `device`, the address of its copy
 * on the device. False for items of another size than a pointer and for null pointers. */
static bool is_translated_pointer(const struct rt_thread *self, const accd_item *item, const void *device)
{
    const void *target;
    uint64_t device_value;
    if (item->bytes != sizeof target)
        return false;
    memcpy(&target, item->host, sizeof target);
    memcpy(&device_value, device, sizeof device_value);
    return device_value && device_value == accd_device_address(rt.context, self->device, target);
}

/* Reports present variables of at most RT_PRIVATE_SCALAR_MAX bytes in copyin clauses whose device value differs from
 * the host's, except translated pointers. gcc passes a firstprivate variable like a copyin clause, so it is unknown
 * which of the two the program means. */
void rt_check_private_scalars(const struct rt_thread *self, const accd_item *items, size_t nitems)
{
    for (size_t i = 0; i < nitems; i++) {
        const accd_item *item = &items[i];
        char name[160];
        if (item->action != ACCD_ACTION_COPYIN || !item->bytes || item->bytes > RT_PRIVATE_SCALAR_MAX ||
            accd_get_presence(rt.context, self->device, item->host, item->bytes) != ACCD_PRESENCE_FULL)
            continue;
        const void *device = (const void *)(uintptr_t)accd_device_address(rt.context, self->device, item->host);
        if (!memcmp(item->host, device, item->bytes) || is_translated_pointer(self, item, device))
            continue;
        rt_format_name(rt.site, (uintptr_t)item->host, item->bytes, name, sizeof name);
        rt_emit_diagnostic(
            &(struct rt_diagnostic){
                .level = "note",
                .code = "unsupported",
                .rule = "ACC33-impl-1",
                .pc = rt.site->call.pc,
                .object = name,
                .is_grouped = true,
            },
            "%s is present with another value than the host's; the compute region gets the device's value, because "
            "gcc does not tell firstprivate variables from copyin",
            name);
    }
}
