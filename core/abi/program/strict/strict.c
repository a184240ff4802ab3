/* strict.c - the steps of a strict run (`exec --strict`): a kernel runs while the host's memory is closed,
 * device memory is closed to the host, and the end reports data that are still mapped and transfers that
 * changed nothing. */
#include "abi/program/base/ends.h"
#include "abi/program/base/runtime.h"
#include "abi/program/data/image.h"
#include "changed.h"
#include "followed.h"
#include "left.h"
#include "stray.h"
#include "tally.h"
#include "unmatched.h"
#include "watching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int watched_device; /* of the kernel under way */
static unsigned users;      /* calls and kernels that need the devices' memory */
static bool closed;         /* to the host */
static bool passing;        /* the last construct was passed over */
static atomic_ullong passed; /* kernels, over */
static unsigned long long watched;
static const char not_watched[] = "not-watched";
static double begun, spent; /* seconds, with closing and opening */

/* --------------------------------------------------------------------- device memory, closed -- */

static void protect(int how)
{
    uint64_t low, high;
    for (int i = 0; goacc.context && i < goacc.options.devices; i++)
        if (accd_device_space(goacc.context, i, &low, &high))
            goacc_system(SYS_mprotect, (long)low, (long)(high - low), how, 0, 0, 0);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void goacc_strict_open_devices(void)
{
    if (users++ || !closed)
        return;
    double start = now();
    protect(PROT_READ | PROT_WRITE);
    closed = false;
    spent += now() - start;
}

void goacc_strict_lend_devices(void)
{
    goacc_strict_open_devices();
    users--;
}

/* After a construct that is passed over, the memory stays open until the next one that is looked at. Closing and
 * opening may take a fifth of the program's time: when calls follow each other closely, it stays open between them. */
void goacc_strict_close_devices(enum goacc_look look)
{
    enum { SHARE = 5 };
    if (look != GOACC_CALLED)
        passing = look == GOACC_PASSED;
    if (--users || passing)
        return;
    double start = now();
    if (begun == 0)
        begun = start;
    if (SHARE * spent > start - begun)
        return;
    protect(PROT_NONE);
    closed = true;
    spent += now() - start;
}

/* ----------------------------------------------------------------------------------- kernels -- */

static int is_present(void *ud, uint64_t address)
{
    (void)ud;
    return accd_presence_of(goacc.context, watched_device, (const void *)(uintptr_t)address, 1) ==
           ACCD_WHOLLY;
}

void goacc_tell_stray(uint64_t value, uintptr_t pc, const char *region)
{
    if (goacc_unwritten(value))
        goacc_find(
            &(struct goacc_finding){
                .level = "error",
                .code = "uninitialized-read",
                .rule = "ACC33-2.7-1",
                .pc = pc,
                .help = "copy the pointer in, or attach it, before a region follows it",
                .openmp = "map the pointer with to, or a section of it, before a region follows it",
            },
            "%s follows a pointer in device memory that nothing was written to: its value is %p",
            region, (void *)(uintptr_t)value);
    else if (value == GOACC_UNALIGNED)
        goacc_find(
            &(struct goacc_finding){
                .level = "error",
                .code = "unsupported",
                .rule = "HOUSE-memory",
                .pc = pc,
                .help = "run it with --strict=begin: there, data begin at a page",
            },
            "%s uses data that are less aligned on the device than an instruction needs", region);
    else
        goacc_tell("error", "out-of-bounds", "ACC33-2.7.1-1", pc,
                   "%s follows %p, which is not an address", region, (void *)(uintptr_t)value);
}

static bool beside; /* kernels were passed over since what lies beside data was looked at */

/* Ends the program if something was written beside data; by: what has written it. */
static void look_beside(int device, const char *by)
{
    uint64_t block, address = accd_device_overrun(goacc.context, device, &block);
    accd_present object;
    if (!address)
        return;
    char element[340] = "memory of acc_malloc", name[GOACC_NAME];
    struct goacc_finding finding = {
        .level = "error",
        .code = "out-of-bounds",
        .rule = "ACC33-2.7.1-1",
        .pc = goacc.site ? goacc.site->call.pc : 0,
    };
    if (accd_present_at(goacc.context, device, block, 1, &object)) {
        snprintf(name, sizeof name, "%s", goacc_shown(&object.info).name);
        goacc_spell_element(goacc.site, object.info.host, object.info.bytes, address - block, name,
                            element, sizeof element);
        finding.object = name;
        finding.element = element;
        finding.other = goacc_mapped_at(&object.info);
        finding.help = goacc_help_beside(device, &object.info, (int64_t)(address - block));
    }
    goacc_find(&finding, "%s has written %s, %s", by, element,
               address < block ? "before the beginning of the data on the device"
                               : "after the end of the data on the device");
    goacc_end();
}

void goacc_strict_ran(int device)
{
    const bool passed_over = goacc_self()->look == GOACC_PASSED;
    if (!passed_over)
        look_beside(device, beside ? "this region, or one before it that was not watched," : "this region");
    beside = passed_over;
}

static _Noreturn void tell_fault(const struct goacc_site *site, int device, const struct goacc_fault *fault)
{
    const char *does = fault->write ? "writes" : "reads";
    void *address = (void *)(uintptr_t)fault->address;
    const uintptr_t pc = goacc_stopped_in_program(fault->stopped);
    char region[200];
    int n = snprintf(region, sizeof region, "the %s region", site->what);
    goacc_place(site->call.pc, region + n, sizeof region - (size_t)n);
    if (fault->jumped)
        goacc_tell_jump(goacc_construct(site), pc);
    if (fault->stray) {
        goacc_tell_stray(fault->stray, pc, region);
        goacc_end();
    }
    if (!fault->host &&
        (goacc_tell_null(goacc_construct(site), device, fault->address, pc, region) ||
         goacc_tell_outside(site, region, does, fault->address, pc)))
        goacc_end();
    if (!fault->host) {
        goacc_tell("error", "out-of-bounds", "ACC33-2.7.1-1", pc,
                   "%s %s %p, which is neither host nor device memory", region,
                   does, address);
        goacc_end();
    }
    goacc_tell_host(site, device, region, does, fault->address, pc);
}

/* If it is watched, on the watch's thread, which has a state of its own. */
static void run_kernel(void *arg)
{
    struct goacc_kernel *kernel = arg;
    struct goacc_thread *self = goacc_self();
    goacc_begin_kernel(self, kernel->construct);
    kernel->fn(kernel->args);
    self->does = GOACC_ASKS;
}

/* Of a kernel that is not watched. */
static __thread struct {
    sigjmp_buf *leave;
    struct goacc_fault fault;
} unwatched;

void goacc_strict_fault(const siginfo_t *info, const ucontext_t *context)
{
    enum { PAGE_FAULT = 14, ERROR_WRITE = 2 }; /* of the processor */
    const greg_t *registers = context->uc_mcontext.gregs;
    const bool known = registers[REG_TRAPNO] == PAGE_FAULT;
    if (!unwatched.leave || goacc_has_jumped(goacc_self(), (uintptr_t)registers[REG_RSP]))
        return;
    goacc_stopped_look(unwatched.fault.stopped, registers);
    unwatched.fault = (struct goacc_fault){
        .address = known ? (uintptr_t)info->si_addr : 0,
        .stopped = unwatched.fault.stopped,
        .write = known && registers[REG_ERR] & ERROR_WRITE,
        .stray = known ? 0 : goacc_stray(registers),
    };
    siglongjmp(*unwatched.leave, 1);
}

static void run_unwatched(const struct goacc_site *site, int device, struct goacc_kernel *kernel)
{
    sigjmp_buf leave;
    struct goacc_stopped stopped;
    if (!sigsetjmp(leave, 0)) {
        unwatched.fault.stopped = &stopped;
        unwatched.leave = &leave;
        run_kernel(kernel);
        unwatched.leave = NULL;
        return;
    }
    sigset_t faults;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    sigaddset(&faults, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
    unwatched.leave = NULL;
    goacc_self()->does = GOACC_ASKS;
    tell_fault(site, device, &unwatched.fault);
}

/* Each reason once. With the lock. */
static void tell_unwatched(const struct goacc_site *site)
{
    static bool told[GOACC_UNWATCHED_REASONS];
    static const char *const texts[GOACC_UNWATCHED_REASONS] = {
        "this compute region was not checked, and others will not be: this system cannot protect host memory",
        "this compute region was not checked, and others will not be: host memory cannot be protected "
        "while a thread runs that cannot be stopped",
        "this compute region was not checked, and others will not be: host memory can be protected only with the malloc "
        "of the C library",
        "this compute region was not checked to its end: it starts a thread or a process, or sends a signal"};
    const enum goacc_reason reason = goacc_watch_reason(goacc_watcher);
    if (!told[reason])
        goacc_tell("note", not_watched, NULL, site->call.pc, "%s", texts[reason]);
    told[reason] = true;
}

/* The lock is held while other threads are stopped: none of them is inside the runtime. */
void goacc_strict_run(const struct goacc_site *site, int device, struct goacc_kernel *kernel)
{
    enum { SECTIONS = 64 };
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* is watched at a time */
    struct goacc_thread *self = goacc_self();
    if (self->look == GOACC_PASSED) {
        atomic_fetch_add_explicit(&passed, 1, memory_order_relaxed);
        goacc_watch_open_memory(goacc_watcher);
        run_unwatched(site, device, kernel);
        return;
    }
    pthread_mutex_lock(&one);
    goacc_lock(); /* libraries may come and go */
    const size_t room = (2 * (size_t)goacc.options.devices + goacc_declared_ranges(NULL)) * sizeof(struct goacc_range);
    struct goacc_range *open = goacc_open_memory(NULL, NULL, 0, room);
    struct goacc_section *sections = goacc_open_memory(NULL, NULL, 0, SECTIONS * sizeof *sections);
    struct goacc_fault fault;
    size_t n = 0;
    uint64_t low, high;
    if (!open || !sections)
        goacc_die("out-of-memory", "no memory to watch a kernel");
    for (int i = 0; i < goacc.options.devices; i++)
        if (accd_device_space(goacc.context, i, &low, &high))
            open[n++] = (struct goacc_range){low, high - low};
    for (int i = 0; i < goacc.options.devices; i++)
        if (accd_device_tables(goacc.context, i, &low, &high))
            open[n++] = (struct goacc_range){low, high - low};
    n += goacc_declared_ranges(open + n);
    if (!goacc_watcher) {
        goacc_watch_deadly = goacc_on_deadly;
        goacc_defer_deadly = goacc_watch_defer;
        goacc_watcher = goacc_watch_open(is_present, NULL);
    }
    watched_device = device;
    const size_t nsections = goacc_races_sections(self, sections, SECTIONS);
    goacc_watch_sections(goacc_watcher, sections, nsections);
    goacc.watched++;
    const enum goacc_watched result =
        goacc_watch_run(goacc_watcher, run_kernel, kernel, open, n, goacc_unlock, &fault);
    goacc.watched--;
    if (result == GOACC_WATCHED_FAULT)
        tell_fault(site, device, &fault);
    goacc_lock();
    if (result == GOACC_UNWATCHED)
        tell_unwatched(site);
    watched += result == GOACC_WATCHED_OK;
    goacc_races_touched(self, site->call.pc, sections, nsections);
    goacc_open_memory(NULL, sections, SECTIONS * sizeof *sections, 0);
    goacc_open_memory(NULL, open, room, 0);
    goacc_unlock();
    pthread_mutex_unlock(&one);
}

/* ----------------------------------------------------------------------------------- the end -- */

void goacc_strict_end(void)
{
    if (beside)
        goacc_strict_open_devices();
    for (int device = 0; device < accd_device_count(goacc.context) && beside; device++)
        look_beside(device, "a region that was not watched");
    if (beside)
        goacc_strict_close_devices(GOACC_CALLED);
    beside = false;
    for (int device = 0; device < accd_device_count(goacc.context) && !goacc.killed; device++)
        goacc_tell_left(device);
    if (!goacc.killed)
        goacc_raw_tell();
    goacc_races_end();
    goacc_stale_end();
    goacc_idle_end();
}

void goacc_strict_count(void)
{
    const unsigned long long all = atomic_load(&passed) + watched;
    if (all > watched && watched && goacc_rank() <= 0) /* ranks mostly do the same */
        goacc_tell("note", not_watched, NULL, 0,
                   "%llu of %llu kernel runs were checked, the others repeat constructs: "
                   "--strict=all checks each",
                   watched, all);
}

void goacc_strict_exit(const struct goacc_thread *self, const accd_item *items, size_t nitems)
{
    for (size_t i = 0; i < nitems; i++) {
        const accd_item *item = &items[i];
        char name[160], target[160];
        if (item->action == ACCD_DETACH || !item->bytes || item->flags & ACCD_ITEM_POINTER ||
            accd_presence_of(goacc.context, self->device, item->host, item->bytes) != ACCD_ABSENT ||
            goacc_carries(items, nitems, item))
            continue;
        goacc_spell(goacc.site, (uintptr_t)item->host, item->bytes, name, sizeof name);
        const bool pointer = goacc_present_target((uintptr_t)item->host, item->bytes, target, sizeof target);
        goacc_find(
            &(struct goacc_finding){
                .level = "note",
                .code = "not-present",
                .rule = "ACC33-2.7-1",
                .pc = goacc.site->call.pc,
                .object = name,
                .together = true,
                .help = "leave the clause out, or map the data before",
            },
            "%s of %s does nothing: it is not present on device %d%s%s%s", goacc.site->what, name, self->device,
            pointer ? "; it is a pointer, and its data " : "", pointer ? target : "", pointer ? " are present" : "");
    }
}

/* Whether the device's copy of a pointer is the device's address of what the host's points to. */
static bool is_translated(const struct goacc_thread *self, const accd_item *item, const void *device)
{
    const void *target;
    uint64_t there;
    if (item->bytes != sizeof target)
        return false;
    memcpy(&target, item->host, sizeof target);
    memcpy(&there, device, sizeof there);
    return there && there == accd_device_address(goacc.context, self->device, target);
}

/* gcc passes a firstprivate variable as it passes a copyin clause. If it is present, with another
 * value than the host's, it is unknown which of the two was asked for. */
void goacc_strict_scalars(const struct goacc_thread *self, const accd_item *items, size_t nitems)
{
    enum { SCALAR = 16 };
    for (size_t i = 0; i < nitems; i++) {
        const accd_item *item = &items[i];
        char name[160];
        if (item->action != ACCD_COPYIN || !item->bytes || item->bytes > SCALAR ||
            accd_presence_of(goacc.context, self->device, item->host, item->bytes) != ACCD_WHOLLY)
            continue;
        const void *device =
            (const void *)(uintptr_t)accd_device_address(goacc.context, self->device, item->host);
        if (!memcmp(item->host, device, item->bytes) || is_translated(self, item, device))
            continue;
        goacc_spell(goacc.site, (uintptr_t)item->host, item->bytes, name, sizeof name);
        goacc_find(
            &(struct goacc_finding){
                .level = "note",
                .code = "unsupported",
                .rule = "ACC33-impl-1",
                .pc = goacc.site->call.pc,
                .object = name,
                .together = true,
            },
            "%s is present with another value than the host's; the compute region gets the device's value, because "
            "gcc does not tell firstprivate variables from copyin",
            name);
    }
}
