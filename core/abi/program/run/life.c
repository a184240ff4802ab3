/* life.c - the one runtime of a process, from its first call to its end: options from the environment, the
 * context, calls, constructs. */
#include "abi/program/base/arena.h"
#include "abi/program/base/ends.h"
#include "abi/program/base/prof.h"
#include "abi/program/check/check.h"
#include "abi/program/base/runtime.h"
#include "abi/program/data/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT, introduced = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;
static uint64_t threads; /* under the lock */

/* ----------------------------------------------------------------------------------- options -- */

static uint64_t number_option(const char *name, uint64_t usual, uint64_t least, uint64_t most)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return usual;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (errno || *end || *text == '-' || n < least || n > most)
        goacc_die("file", "%s=%s is not a whole number from %llu to %llu", name, text,
                  (unsigned long long)least, (unsigned long long)most);
    return n;
}

static bool flag_option(const char *name)
{
    return number_option(name, 0, 0, 1) != 0;
}

/* Whether the run is strict, where closed pages stand, and whether each construct is looked at. */
static bool strict_option(void)
{
    const char *text = getenv("ACCDEEP_STRICT");
    goacc.options.begin = text && !strncmp(text, "begin", strlen("begin"));
    goacc.options.all = text && (!strcmp(text, "all") || !strcmp(text, "begin,all"));
    return goacc.options.begin || goacc.options.all || flag_option("ACCDEEP_STRICT");
}

static int type_option(void)
{
    static const struct {
        const char *name;
        int type;
    } types[] = {{"host", GOACC_HOST}, {"nvidia", GOACC_NVIDIA}, {"not_host", GOACC_NVIDIA}};
    const char *text = getenv("ACC_DEVICE_TYPE");
    for (size_t i = 0; text && i < sizeof types / sizeof types[0]; i++)
        if (!strcasecmp(text, types[i].name))
            return types[i].type;
    if (text && *text)
        goacc_die("no-device", "ACC_DEVICE_TYPE=%s: there are the devices host and nvidia", text);
    return GOACC_NVIDIA;
}

/* The profile of a program: its own choice, or that of the standard whose call comes first. */
static const accd_rules *rules_option(void)
{
    const char *name = getenv("ACCDEEP_RULES");
    if (!name || !*name)
        name = goacc.target_first ? "openmp-5.1" : "openacc-3.3";
    static const char *const later[] = {"openmp-5.2", "openmp-6.0", "openmp-6.1"};
    bool is_later = false;
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
        is_later |= !strcmp(name, later[i]);
    goacc.options.unmatched = is_later || !strcmp(name, "libomptarget-19");
    const accd_rules *rules = accd_rules_named(is_later ? "openmp-5.1" : name);
    if (!rules)
        goacc_die("file", "there is no rule profile '%s'", name);
    return rules;
}

/* Before anything is reported. */
static void open_reports(void)
{
    static char path[4096];
    char name[4096];
    const char *report = getenv("ACCDEEP_REPORT"), *suppress = getenv("ACCDEEP_SUPPRESS");
    if (report && *report && !goacc_report_open(report, name, sizeof name))
        goacc_die("file", "%s: %s", name, strerror(errno));
    if (!suppress || !*suppress)
        return;
    const int wrong = goacc_suppress_open(suppress);
    if (wrong < 0)
        goacc_die("file", "%s: %s", suppress, strerror(errno));
    if (wrong)
        goacc_die("file", "%s:%d: a suppression is CODE:PLACE or CODE:PLACE:OBJECT", suppress, wrong);
    snprintf(path, sizeof path, "%s", suppress);
    goacc.options.suppress = path;
}

static void read_options(void)
{
    static char picture[4096];
    char name[4096];
    struct goacc_options *options = &goacc.options;
    options->trace = -1;
    options->json = getenv("ACCDEEP_FORMAT") && !strcmp(getenv("ACCDEEP_FORMAT"), "json");
    goacc_tell_open();
    open_reports();
    options->rules = rules_option();
    options->check = goacc_check_is_there();
    options->strict = strict_option() && !options->check;
    options->left = options->strict || options->check;
    options->fail = flag_option("ACCDEEP_FAIL");
    options->devices = (int)number_option("ACCDEEP_DEVICES", 1, 1, 64);
    const char *offload = getenv("OMP_TARGET_OFFLOAD");
    options->targets = offload && !strcasecmp(offload, "disabled") ? 0 : options->devices;
    options->device_bytes =
        number_option("ACCDEEP_DEVICE_MEMORY", (uint64_t)16 << 30, 1, (uint64_t)1 << 44);
    options->type = type_option();
    options->device = (int)number_option("ACC_DEVICE_NUM", 0, 0, (uint64_t)options->devices - 1);
    const char *draw = getenv("ACCDEEP_DRAW");
    if (draw && *draw) {
        goacc_file_name(draw, picture, sizeof picture);
        options->draw = picture;
    }
    const char *trace = getenv("ACCDEEP_TRACE");
    goacc.follows = options->left || (trace && *trace);
    if (!trace || !*trace)
        return;
    goacc_file_name(trace, name, sizeof name);
    const int fresh = strstr(trace, "%p") ? O_TRUNC : 0; /* an earlier process may have had the number */
    options->trace = strcmp(trace, "-") != 0 ? goacc_open_file(name, O_APPEND | fresh)
                                             : goacc_high_file(STDERR_FILENO);
    if (options->trace < 0)
        goacc_die("file", "%s: %s", name, strerror(errno));
}

/* ----------------------------------------------------------------------------- start and end -- */

static void end_thread(void *arg)
{
    struct goacc_thread *thread = arg;
    goacc_remove_thread(thread);
    if (goacc_lock()) {
        goacc_stack_end(thread->number);
        if (thread->levels)
            goacc_open_memory(NULL, thread->levels, thread->levels_room * sizeof *thread->levels, 0);
        thread->levels = NULL;
        thread->nlevels = thread->levels_room = 0;
        goacc_unlock();
    }
    free(thread->notes);
    thread->notes = NULL;
    thread->nnotes = thread->notes_room = 0;
}

/* A process that was forked has its own copy of the device, but does not report on it. */
static void report_end(void)
{
    static atomic_bool reported;
    const bool own = goacc.pid == getpid();
    if (own)
        goacc_wait_for_end();
    if (goacc.ending || atomic_exchange(&reported, true))
        return;
    if (!goacc_lock()) { /* in a signal handler, in the middle of a call */
        if (own)
            goacc_find_end();
        return;
    }
    goacc_unlock();
    if (own && !goacc.dying) {
        goacc_started();
        goacc_prof_close();
    }
    goacc_lock();
    if (goacc.context && own)
        goacc_tell_end();
    if (own && goacc.options.strict)
        goacc_strict_count();
    if (own)
        goacc_find_end();
    if (goacc.options.draw)
        goacc_draw_end();
    goacc_unlock();
}

static void at_exit(int status, void *arg)
{
    (void)arg;
    report_end();
    if (!status && goacc.found && goacc.options.fail && goacc.pid == getpid() && !goacc.ending)
        exit(GOACC_FOUND); /* glibc continues with what is left to do at the end, and this status */
}

static void start_runtime(void *unused)
{
    (void)unused;
    goacc_tell_supervisor('D');
    read_options();
    goacc.names = goacc.options.draw || goacc.options.trace >= 0 || goacc.options.left;
    if (goacc.options.draw) {
        goacc.on_finding = goacc_draw_finding;
        goacc.on_end = goacc_draw_end;
    }
    goacc.on_event = goacc_on_event;
    goacc.on_write = goacc.options.strict ? goacc_stale_copied : goacc.options.check ? goacc_check_written : NULL;
    goacc.on_modules = goacc.options.check ? goacc_objects_look : NULL;
    goacc.on_initial = goacc.options.strict ? goacc_stale_initial : goacc.options.check ? goacc_check_initial : NULL;
    pthread_key_create(&thread_end, end_thread);
    goacc_lock_open();
    on_exit(at_exit, NULL);
    if (getenv("ACCDEEP_REPORT")) { /* `accdeep exec` sets it, maybe to nothing */
        goacc.at_end = report_end;
        goacc_ends_open();
    }
    goacc_fault_start();
}

/* The thread may have a small stack. */
static void start(void)
{
    goacc_call_on_own_stack(start_runtime, NULL);
}

static void open_context(void *unused)
{
    (void)unused;
    accd_context_config config;
    accd_context_config_init(&config);
    config.rules = goacc.options.rules;
    config.devices = (unsigned)goacc.options.devices;
    config.device_bytes = goacc.options.device_bytes;
    config.threads = 1; /* helpers would not survive a fork */
    config.backend = accd_backend_named(!goacc.options.left     ? "direct"
                                        : goacc.options.check ? "guarded-again"
                                        : goacc.options.begin ? "guarded-begin"
                                                              : "guarded-end");
    config.alloc = goacc.options.strict ? goacc_open_memory : NULL; /* watched kernels need it */
    config.on_event = goacc_listener();
    accd_status status = accd_context_open(&goacc.context, &config);
    if (status != ACCD_OK)
        goacc_die(accd_status_code(status), "the device cannot be opened: %s",
                  accd_status_text(status));
    goacc_listen();
    if (!goacc.pid)
        goacc.pid = getpid();
    goacc.device_low = UINT64_MAX;
    goacc.device_high = 0;
    for (int i = 0; i < goacc.options.devices; i++) {
        uint64_t low, high;
        if (!accd_device_space(goacc.context, i, &low, &high))
            continue;
        goacc.device_low = low < goacc.device_low ? low : goacc.device_low;
        goacc.device_high = high > goacc.device_high ? high : goacc.device_high;
    }
    if (goacc.options.check)
        goacc_check_open();
    goacc_declared_open();
    goacc_images_open();
}

static void open_tools(void *unused)
{
    (void)unused;
    goacc_prof_open();
}

static void introduce(void)
{
    goacc_call_on_own_stack(open_tools, NULL);
}

struct goacc_thread *goacc_started(void)
{
    struct goacc_thread *self = goacc_self();
    if (!self->type) {
        sigset_t all, before; /* a handler with a directive would wait for the start that it interrupts */
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        pthread_once(&once, start);
        self->type = goacc.options.type;
        self->device = goacc.options.device;
        goacc_add_thread(self);
        pthread_setspecific(thread_end, self);
        pthread_once(&introduced, introduce); /* tools may call us: this thread is ready */
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return self;
}

/* The lock is not ours. */
_Noreturn void goacc_refuse(const struct goacc_site *site, const char *code, const char *format, ...)
{
    char text[256];
    va_list args;
    if (goacc_has_jumped(&goacc_own, site->call.sp))
        goacc_tell_jump(goacc_own.does, site->call.pc);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    goacc_tell("error", code, NULL, site->call.pc, "%s %s", site->what, text);
    goacc_end();
}

void goacc_refuse_newer(const struct goacc_site *site, const char *format, ...)
{
    char text[256], compiler[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    goacc_started(); /* reports are as the options say */
    goacc_compiler(site->call.pc, compiler, sizeof compiler);
    goacc_find(&(struct goacc_finding){.level = "error",
                                       .code = "unsupported",
                                       .pc = site->call.pc,
                                       .help = "compile with gcc 12 to 16, or with clang 14 to 23"},
               "%s: %s %s, which accdeep " ACCD_VERSION " does not know", site->what, compiler, text);
    goacc_end();
}

static inline struct goacc_thread *enter(const struct goacc_site *site)
{
    struct goacc_thread *thread = goacc_started();
    if (thread->does > GOACC_QUICK)
        goacc_refuse(site, "misuse", "was called inside a %s region", goacc_region(thread->does));
    bool hold = goacc.declares;
    if (hold)
        goacc_alone(true);
    if (!goacc_lock())
        goacc_refuse(site, "misuse", "was called while another call of the same thread was under way, maybe by a "
                                     "signal handler");
    thread->held = thread->held << 1 | hold;
    goacc.site = site;
    goacc.calls++;
    if (__builtin_expect(!goacc.context, 0))
        goacc_call_on_own_stack(open_context, NULL);
    if (!thread->number)
        thread->number = ++threads;
    if (goacc.options.strict) {
        thread->look = GOACC_CALLED;
        goacc_strict_open_devices();
        if (site->ends && thread->nlevels && thread->levels[thread->nlevels - 1].region)
            goacc_stale_leave(thread, false);
    }
    return thread;
}

static inline void leave(void)
{
    if (goacc.options.draw && goacc.context)
        goacc_draw_look();
    if (goacc.options.strict)
        goacc_strict_close_devices(goacc_own.look);
    goacc.site = NULL;
    goacc_unlock();
    if (goacc_own.held & 1)
        goacc_alone(false);
    goacc_own.held >>= 1;
}

struct goacc_thread *goacc_enter_asking(const struct goacc_site *site)
{
    if (goacc_listens())
        goacc_prof_device(site, GOACC_IN_ROUTINE, GOACC_DEFAULT, true);
    struct goacc_thread *self = enter(site);
    if (goacc.declares && self->type != GOACC_HOST) {
        goacc_declared_update();
        goacc_allocated_look(self);
    }
    return self;
}

void goacc_leave_asking(void)
{
    goacc.active[goacc_own.type == GOACC_HOST] = true;
    goacc_own.does = goacc_own.type == GOACC_HOST ? GOACC_ASKS : GOACC_QUICK;
    if (goacc_own.does == GOACC_QUICK)
        goacc.quick = goacc.context && !goacc_listens() && !goacc.declares && !goacc.names && !goacc.ending;
    leave();
}

struct goacc_thread *goacc_enter_idle(const struct goacc_site *site)
{
    return enter(site);
}
void goacc_leave_idle(void)
{
    leave();
}

void goacc_shut(void)
{
    goacc.quick = false;
    if (goacc.options.check)
        goacc_check_end();
    if (goacc.options.left)
        goacc_strict_end();
    if (goacc.options.check)
        goacc_check_close();
    goacc_steady_forget();
    goacc_forget_structures();
    accd_context_close(goacc.context);
    goacc.context = NULL;
    goacc_forget_labels();
}

/* Reports a device address in a data clause: of present data, or of memory that the program has
 * allocated there. */
static _Noreturn void tell_device_address(const accd_item *item)
{
    const uint64_t address = (uintptr_t)item->host;
    const int device = accd_device_of(goacc.context, address);
    const uint64_t host = accd_host_address(goacc.context, device, address);
    const bool has_region =
        goacc_is_kernel(goacc.site->what) || strstr(goacc.site->what, "data") == goacc.site->what;
    char name[160] = "", shown[200], help[300], openmp[300];
    if (goacc_spell(goacc.site, address, item->bytes, name, sizeof name))
        snprintf(shown, sizeof shown, "%s, at %p,", name, item->host);
    else
        snprintf(shown, sizeof shown, "%p", item->host);
    const int n = (int)goacc_variable_length(name);
    accd_present object;
    if (host && accd_present_at(goacc.context, device, host, 0, &object)) {
        snprintf(help, sizeof help,
                 "name the data by their address on the host, that of the variable");
        snprintf(openmp, sizeof openmp, "%s", help);
    } else if (has_region) {
        snprintf(help, sizeof help, "name memory of acc_malloc in deviceptr(%.*s) instead", n,
                 n ? name : "...");
        snprintf(openmp, sizeof openmp,
                 "name memory of omp_target_alloc in is_device_ptr(%.*s) instead", n,
                 n ? name : "...");
    } else {
        snprintf(help, sizeof help,
                 "leave it out: the memory is on the device already, and no data of the host "
                 "belong to it");
        snprintf(openmp, sizeof openmp, "%s", help);
    }
    goacc_find(
        &(struct goacc_finding){
            .level = "error",
            .code = "device-pointer-on-host",
            .pc = goacc.site->call.pc,
            .object = n ? name : NULL,
            .help = help,
            .openmp = openmp,
        },
        "%s needs the host's address of data, but %s is an address of device %d", goacc.site->what,
        shown, device);
    goacc_end();
}

/* A device address in a data clause would be taken for one of the host's. */
static void check_addresses(const accd_item *items, size_t nitems)
{
    for (size_t i = 0; i < nitems; i++)
        if (goacc_is_on_device(items[i].host))
            tell_device_address(&items[i]);
}

static inline accd_status run(struct goacc_thread *thread, const accd_construct *construct,
                              accd_region **region_p)
{
    thread->in_core = true;
    accd_status status = accd_run(goacc.context, construct, region_p);
    thread->in_core = false;
    return status;
}

void goacc_end_region(struct goacc_thread *thread, accd_region *region)
{
    goacc.construct.nitems = 0;
    thread->in_core = true;
    accd_status status = accd_region_end(region);
    thread->in_core = false;
    goacc_must(status);
}

static __attribute__((noinline)) void check(struct goacc_thread *thread, accd_kind kind, const accd_item *items,
                                            size_t nitems)
{
    if (kind != ACCD_EXIT_DATA) /* which does nothing for absent data */
        check_addresses(items, nitems);
    thread->in_core = true; /* a section that is not there at all */
    goacc_check_blocks(items, nitems);
    thread->in_core = false;
    goacc_stack_check(thread, items, nitems, kind == ACCD_ENTER_DATA && goacc.site->declares);
    if (goacc.options.left && kind == ACCD_EXIT_DATA)
        goacc_strict_exit(thread, items, nitems);
    if (!goacc.options.strict)
        return;
    thread->in_core = true;
    thread->look = goacc_steady_look(thread, kind, items, nitems);
    thread->in_core = false;
    goacc_label_repeats(thread->look != GOACC_LOOKED);
    goacc_stale_before(thread, kind, items, nitems);
}

/* What the core refused is done after all, if nothing is in the way but pointers that are present alone. */
static GOACC_COLD void run_again(struct goacc_thread *thread, const accd_construct *construct, accd_status status,
                                 accd_region **region_p)
{
    if (status == ACCD_PARTIALLY_PRESENT && construct->kind != ACCD_EXIT_DATA && construct->kind != ACCD_UPDATE &&
        goacc.options.rules->member == ACCD_MEMBER_UNCOUNTED &&
        goacc_members_give_way(thread, construct->items, construct->nitems))
        status = run(thread, construct, region_p);
    goacc_must(status);
}

static __attribute__((noinline)) accd_region *run_checked(struct goacc_thread *thread, accd_kind kind,
                                                          const accd_item *items, size_t nitems, bool finalize)
{
    goacc.construct.items = items;
    goacc.construct.nitems = nitems;
    check(thread, kind, items, nitems);
    if (goacc.options.check && kind != ACCD_EXIT_DATA)
        goacc_check_named(thread->device, items, nitems);
    if (goacc.options.strict)
        goacc_hear(thread->look != GOACC_PASSED || kind != ACCD_COMPUTE);
    const bool spares = kind == ACCD_COMPUTE && thread->look == GOACC_PASSED; /* what the kernel maps for itself */
    if (spares)
        accd_device_guard(goacc.context, thread->device, 0);
    accd_region *region = goacc_run(thread, kind, 0, items, nitems, finalize);
    if (spares)
        accd_device_guard(goacc.context, thread->device, 1);
    if (kind == ACCD_ENTER_DATA || kind == ACCD_EXIT_DATA)
        goacc_stack_note(thread, items, nitems, kind == ACCD_EXIT_DATA);
    if (goacc.options.strict && region)
        goacc_stale_enter(thread, items, nitems);
    if (goacc.options.strict && kind == ACCD_COMPUTE)
        goacc_races_named(thread, items, nitems);
    return region;
}

/* by: how the core is asked. */
static inline accd_region *run_by(struct goacc_thread *thread, accd_kind kind, const accd_item *items, size_t nitems,
                                  bool finalize,
                                  accd_status (*by)(accd_context *, const accd_construct *, accd_region **))
{
    accd_construct *construct = &goacc.construct;
    accd_region *region = NULL;
    construct->items = items;
    construct->nitems = nitems;
    construct->device = thread->device;
    construct->kind = kind;
    construct->finalize = finalize;
    construct->name = goacc.site->what;
    construct->thread = thread->number;
    thread->in_core = true;
    accd_status status = by(goacc.context, construct, &region);
    thread->in_core = false;
    if (__builtin_expect(status != ACCD_OK, 0))
        run_again(thread, construct, status, &region);
    return region;
}

static __attribute__((noinline)) accd_region *run_linked(struct goacc_thread *thread, accd_kind kind,
                                                         const accd_item *items, size_t nitems, bool finalize)
{
    return run_by(thread, kind, items, nitems, finalize, accd_run_linked);
}

accd_region *goacc_run(struct goacc_thread *thread, accd_kind kind, unsigned how, const accd_item *items,
                       size_t nitems, bool finalize)
{
    if (how)
        return (how & GOACC_DOUBTFUL ? run_checked : run_linked)(thread, kind, items, nitems, finalize);
    return run_by(thread, kind, items, nitems, finalize, accd_run);
}

/* ------------------------------------------------------------------------------------- tools -- */

void goacc_prof_device(const struct goacc_site *site, int parent, int asked, bool implicit)
{
    static atomic_bool under_way[2];
    struct goacc_thread *self = goacc_started();
    const bool host = self->type == GOACC_HOST;
    if (goacc.active[host] || self->in_callback || self->starting || !goacc_listens() ||
        atomic_exchange(&under_way[host], true))
        return;
    struct goacc_span span = {
        .site = site,
        .event = GOACC_EV_DEVICE_INIT,
        .parent = parent,
        .queue = GOACC_SYNC,
        .type = goacc.options.rules->events_bare ? asked : self->type,
        .device = self->device,
        .implicit = implicit,
    };
    self->starting = true;
    self->nnotes = 0;
    goacc_prof_tell(&span, GOACC_EV_DEVICE_INIT);
    goacc_enter(site);
    goacc_leave();
    goacc_prof_finish(&span);
    self->starting = false;
    under_way[host] = false;
}

void goacc_prof_begin(struct goacc_span *span, const struct goacc_site *site, int event, int parent,
                      int queue, int type)
{
    const struct goacc_thread *self = goacc_started();
    if (self->in_callback || !goacc_listens()) /* tools had their chance by now */
        return;
    if (event != GOACC_EV_WAIT && event != GOACC_EV_DEVICE_SHUTDOWN)
        goacc_prof_device(site, parent, GOACC_DEFAULT, true);
    goacc_prof_open_span(span, site, event, parent, queue, type);
}

void goacc_hear_wait(const struct goacc_site *site, int async, int queue)
{
    char name[32] = "all queues";
    const int device = goacc_enter(site)->device;
    if (queue != GOACC_NOVAL)
        snprintf(name, sizeof name, "queue %d", queue);
    const accd_event event = {.op = ACCD_OP_WAIT,
                              .device = device,
                              .name = name,
                              .rule = "ACC33-async-3",
                              .async = async == GOACC_SYNC ? ACCD_SYNCHRONOUS : async};
    if (goacc.options.left) {
        goacc_order_wait(device, async, queue);
        goacc_races_waited();
    }
    if (goacc.options.trace >= 0)
        goacc_trace_event(&event);
    goacc_leave();
}
