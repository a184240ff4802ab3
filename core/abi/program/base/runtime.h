/* runtime.h - what the faces of real OpenACC and OpenMP programs share: one runtime for the process, made at
 * the first call, with a context of the core behind a lock.
 *
 *   gcc/       goacc: gcc's entry points for OpenACC directives; target: those for OpenMP's target directives;
 *              entries: the items that entries of a directive become
 *   clang/     target: clang's entry points for OpenMP's target directives; maps: the items that maps of a directive
 *              become; library: the device code that programs and libraries bring; tasks: libomp's tasks;
 *              loops: those that libomp shares among threads
 *   routines/  openacc: the acc_* routines, C; fortran: their Fortran names; omp: the omp_* routines of devices,
 *              omp_async: the asynchronous ones; tasks: ends of libgomp's tasks
 *   run/       life: start, options, calls and constructs, end; launch: kernels and structured regions of a thread;
 *              items: the items of a directive; hear: events of the core, for all who want them
 *   check/     programs compiled for checking. shadow: what holds of each byte of both sides; transfer: what the
 *              runtime does with them; access: what the program does; turns, waits: what nothing orders;
 *              unused: what is moved or allocated in vain; reports: what is wrong with that
 *   strict/    strict: kernels without the host's memory (watch), what is left behind;
 *              order: which work of queues and tasks comes before which; races: accesses that nothing orders;
 *              stale: changes of one side that the other never got, or overwrites;
 *              idle: transfers of bytes that had not changed; stack: variables of functions that have returned;
 *              fault: accesses that end the program; gone: accesses to device memory without data;
 *              followed, unmatched: pointers to host memory, and null ones, that kernels follow; changed: attached ones
 *              that kernels change; left: what is mapped or attached at the end;
 *              stopped: the program's call of a library that makes an access; freed: blocks of malloc that are freed
 *              while mapped, and device memory that is
 *   data/      declared: variables of declare directives at file scope; allocated: what allocatable ones hold;
 *              image: device code and its variables; structures: programs of structures;
 *              members: pointers that are present only for the sections they point to;
 *              blocks: sections that leave a block of malloc
 *   base/      prof: events for tools, by OpenACC's profiling interface; draw: a picture of the state;
 *              trace: what a line of the trace is about; rank: the number of the process in an MPI program;
 *              find: findings, once for a place; suppress: which are not reported; report: a file of them;
 *              tell: errors of the core, events; text: their lines;
 *              name: names and lines by debug information (core/debuginfo); label: of what is mapped; help: of codes;
 *              ends: of the program;
 *              state: the state of the runtime and of each thread, the locks
 *
 * A folder uses those below it in this list (tests/layers/layers.lua).
 *
 * A call that fails tells why and ends the program with status 1, as the compiler's own runtime
 * does: OpenACC defines no recovery. */
#ifndef RT_RUNTIME_H
#define RT_RUNTIME_H

#include "accdeep_core.h"
#include "debuginfo/debug.h"
#include "descriptor.h"
#include "new_stack.h"

#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if __has_include(<sys/single_threaded.h>) /* of glibc 2.32 */
#include <sys/single_threaded.h>
#define RT_SINGLE_THREADED __libc_single_threaded
#else
#define RT_SINGLE_THREADED false
#endif

/* A construct or call of the program. The frame pointer must be kept: -fno-omit-frame-pointer. */
struct rt_site {
    struct accd__debug_call_frame call;
    const char *what;   /* "enter data", "acc_copyin" */
    bool declares;      /* the scope of a declare directive begins or ends */
    bool is_region_end; /* a data region ends */
    const int *queue;   /* of a compute construct, for its trace; NULL: none */
    /* Names that the compiler passed with the call, where debug information has none; or NULL. */
    bool (*name)(const void *names, uint64_t host, uint64_t bytes, struct accd__debug_name *name_p);
    const void *names;
    const char *location; /* what the compiler says of it: ";FILE;FUNCTION;LINE;COLUMN;;", or NULL */
};

/* Whether a site runs a kernel. */
static inline bool rt_is_kernel_construct(const char *what)
{
    return !strcmp(what, "compute") || !strcmp(what, "target");
}

/* Where the function that uses it was called: bp[0] is the caller's frame pointer, behind it lies
 * the return address, behind that the caller's frame. */
static inline __attribute__((always_inline)) struct rt_site rt_caller_site(const char *what)
{
    const uintptr_t *bp = __builtin_frame_address(0);
    return (struct rt_site){.call = {bp[1], (uintptr_t)(bp + 2), bp[0]}, .what = what};
}

/* Device types, as openacc.h of the compiler numbers them. */
enum {
    RT_DEVICE_CURRENT = -1,
    RT_DEVICE_NONE = 0,
    RT_DEVICE_DEFAULT = 1,
    RT_DEVICE_HOST = 2,
    RT_DEVICE_NOT_HOST = 4,
    RT_DEVICE_NVIDIA = 5,
    RT_DEVICE_RADEON = 8
};
enum { RT_ASYNC_SYNC = -2, RT_ASYNC_NOVAL = -1 };

/* A structured region of a thread; without a region of the core if nothing was to be done. */
struct rt_region {
    accd_region *region;
    uintptr_t pc;
    int parent; /* what tools hear it is: data, host_data */
};

/* An operation of asynchronous work: the one of that number of a queue, or of a chain of tasks. Strand 0: the host. */
struct rt_epoch {
    unsigned stream;
    uint64_t number;
};

/* Of the call under way, in a strict run: what it does is looked at, since it is no construct, or its turn has come; or
 * it is passed over, as a construct that was looked at often. */
enum rt_sampling { RT_ALWAYS_CHECKED, RT_SAMPLED, RT_SKIPPED };

/* What a thread does: its calls ask first; they may be quick, since its device is not the host; or it runs a kernel of
 * a construct, a return address, with a bit for target regions. One store begins a kernel, and one ends it. */
enum { RT_SLOW_PATH, RT_FAST_PATH };
#define RT_TARGET_BIT (~(UINTPTR_MAX >> 1))

struct rt_kernel_section;
struct rt_thread {
    uint64_t number;  /* of the thread, from 1 */
    int type, device; /* current device type and number */
    uintptr_t
        activity;    /* RT_SLOW_PATH, RT_FAST_PATH, or the construct of its kernel on a device that is not the host */
    uintptr_t frame; /* of the function that runs the kernel; the stack grows to lower addresses */
    unsigned exclusive_calls; /* one bit for each call under way: it holds back kernels */
    bool in_core;             /* the core moves bytes */
    enum rt_sampling sampling;
    uint64_t argument_hash; /* a sum of addresses that the construct passes as values */
    uintptr_t stack_high;   /* end of its stack; 0: not asked for yet */
    struct rt_region *regions;
    size_t nregions, regions_capacity;
    bool in_callback;      /* of a tool: what it does is not reported */
    bool muted;            /* tools hear nothing of this thread */
    bool starting;         /* tools are informed that the device starts */
    bool ends_group;       /* waits for the end of a group of tasks: what it reads meanwhile is complete */
    struct rt_epoch epoch; /* what the call under way is */
    struct rt_kernel_section
        *kernel_sections;           /* sections of the compute construct under way, where races are looked for */
    struct rt_prof_record *records; /* what was done under the lock, to be reported after */
    size_t nrecords, records_capacity;
    struct rt_thread *next; /* in the list of threads that have called the runtime */
};

/* An outlined function of the program and what it gets. */
struct rt_kernel {
    void (*fn)(void *);
    void (*code)(void *); /* the program's function, which fn is or calls; NULL: not known */
    uintptr_t construct;  /* as in rt_thread; rt_launch_kernel sets it */
    void *args[];
};

static inline uintptr_t rt_construct_id(const struct rt_site *site)
{
    return site->call.pc | (*site->what == 't' ? RT_TARGET_BIT : 0);
}
/* Around a kernel of a device that is not the host, on the thread and in the function that runs it. */
static inline __attribute__((always_inline)) void rt_begin_kernel(struct rt_thread *self, uintptr_t construct)
{
    self->activity = construct;
    self->frame = (uintptr_t)__builtin_frame_address(0);
}
/* The region of the kernel that a thread runs; NULL: it runs none. */
static inline const char *rt_kernel_kind(uintptr_t activity)
{
    return activity <= RT_FAST_PATH ? NULL : activity & RT_TARGET_BIT ? "target" : "compute";
}
/* Whether the program has jumped out of the thread's kernel: what it does now has a frame that is not below the
 * kernel's. */
static inline bool rt_has_left_kernel(const struct rt_thread *self, uintptr_t frame)
{
    return self->activity > RT_FAST_PATH && frame > self->frame;
}
/* Reports that. pc: where the program is now. */
_Noreturn void rt_report_jump_out_of_kernel(uintptr_t construct, uintptr_t pc);

/* Opens a structured region of the thread, without a region of the core yet; ends the innermost one. With the lock. */
struct rt_region *rt_push_region(struct rt_thread *self, int parent);
void rt_pop_region(struct rt_thread *self);

/* Around a kernel, with the lock: makes sure that other calls of the program can be held back. */
void rt_acquire_exclusive(const struct rt_site *site);
/* Runs a kernel whose data are present, without the lock, which is held before and after. */
void rt_launch_kernel(const struct rt_site *site, int device, struct rt_kernel *kernel);

enum { RT_EXIT_FINDINGS = 5 };
struct rt_options {
    const accd_rules *rules;
    bool strict, json;
    bool guard_before;    /* strict: closed pages stand before objects, not after them */
    bool check_all;       /* strict: each construct is looked at */
    bool instrumented;    /* the program was compiled for checking: it is not watched */
    bool diagnose;        /* strict or check: what does nothing, and what is left at the end, is reported */
    bool fail_on_finding; /* the process exits with RT_EXIT_FINDINGS where something was found, and its own status is 0
                           */
    bool null_unmatched;  /* OpenMP 5.2: a pointer to nothing present keeps its value, before it becomes null */
    int trace;            /* file descriptor, -1: none */
    const char *draw, *suppress; /* files, or NULL */
    int devices, targets;        /* of all, of OpenMP: none where OMP_TARGET_OFFLOAD says so */
    uint64_t device_bytes;
    int type, device; /* ACC_DEVICE_TYPE, ACC_DEVICE_NUM */
};

enum rt_fork_phase { RT_FORK_PREPARE, RT_FORK_PARENT, RT_FORK_CHILD };
struct rt_state {
    accd_context *context;
    atomic_bool fast_path_enabled; /* calls need the lock alone: devices are in use, without listeners, pictures,
                                      checks, names */
    struct rt_options options;
    atomic_bool profiled;             /* tools are informed of events, or may wish to be */
    bool data_profiled;               /* also of data; with the lock */
    bool observes_waits;              /* waits are of interest: there is a trace, or a strict run */
    bool active[2];                   /* used or initialised since the start or acc_shutdown: devices, host */
    uint64_t device_low, device_high; /* all device addresses lie between them */
    uint64_t heap_start;              /* where it begins; 0: not asked for yet */
    accd_construct
        construct; /* under way, of no items: the end of a region. What rt_run_construct does not write is 0 */
    atomic_bool has_declared;   /* there are declared variables */
    bool starts_with_openmp;    /* the first call of the program is one of OpenMP */
    bool device_pointers;       /* a pointer to device memory keeps its value in a region of OpenMP */
    bool names_eagerly;         /* objects are named as they are mapped, otherwise when asked for */
    const struct rt_site *site; /* of the call under way */
    uint64_t calls;             /* so far, if they are checked */
    int pid;                    /* of the process that made the context */
    bool has_findings;          /* a warning or a note about the program was reported */
    volatile bool is_ending;
    int trace_lost;              /* errno of events that could not be written; 0: none */
    atomic_int guarded_kernels;  /* kernels that are watched now */
    volatile bool is_dying;      /* the program ends without its exit functions */
    bool must_exit_at_once;      /* an error may not call them: they are under way */
    volatile bool is_killed;     /* by a signal: what is left then is no finding */
    void (*report_at_end)(void); /* reports what the end reports, once; NULL: nothing is to be reported */
    /* Called when a finding is reported, the program ends, the core does something. NULL: not called. */
    void (*on_finding)(const char *message);
    void (*on_end)(void);
    accd_event_fn on_event;
    /* Called when device memory was written by its address; host: where the bytes are, too, or NULL. */
    void (*on_write)(int device, uint64_t dev, const void *host, uint64_t bytes);
    /* Called when a declared variable is mapped, with its value at the start of the program: the host may have changed
     * it since. initial is NULL: the variable goes. NULL: not called. */
    void (*on_modules)(void); /* modules were loaded or unloaded; or NULL */
    void (*on_initial)(int device, const char *host, const char *initial, uint64_t bytes);
    /* Called with the lock when the process forks. NULL: not called. */
    void (*on_fork)(enum rt_fork_phase when);
};
extern struct rt_state rt __asm__("rt_process_state"); /* a program may have its goacc */

extern __thread struct rt_thread rt_this_thread __asm__("rt_thread_state");
_Noreturn void rt_exit_during_shutdown(void);
/* The thread's own state. */
static inline struct rt_thread *rt_current_thread(void)
{
    if (__builtin_expect(rt.is_ending, 0)) /* an exit function calls after an error */
        rt_exit_during_shutdown();
    return &rt_this_thread;
}
/* The same in a runtime that has started. */
struct rt_thread *rt_ensure_started(void);
/* The list of threads that have called the runtime. */
void rt_register_thread(struct rt_thread *thread);
void rt_unregister_thread(const struct rt_thread *thread);
/* The region of the kernel that a thread runs, or helps to run: it has never called the runtime, and another thread
 * runs a kernel. NULL: none. For handlers of faults. */
const char *rt_team_kernel_kind(const struct rt_thread *thread);

/* rt_enter and rt_leave, below, where calls are not quick. */
struct rt_thread *rt_enter_slow_path(const struct rt_site *site);
void rt_leave_slow_path(void);
/* The same for a call that does not use the device: it does not become active by it. */
struct rt_thread *rt_enter_without_device(const struct rt_site *site);
void rt_leave_without_device(void);
/* The bare lock, for what may come before the runtime. False: it is the thread's already. */
bool rt_lock_slow_path(void);
bool rt_try_lock(void); /* false also if another thread has it */
void rt_unlock_slow_path(void);
void rt_lock_init(void);
/* The thread that has the lock without the mutex: it was the only one. Those that start meanwhile take the mutex, and
 * wait until it is done. */
extern struct rt_thread *_Atomic rt_lock_owner;
extern volatile bool rt_is_mutex_held; /* by the mutex */
static inline bool rt_lock(void)
{
    if (!RT_SINGLE_THREADED || rt_is_mutex_held || atomic_load_explicit(&rt_lock_owner, memory_order_relaxed))
        return rt_lock_slow_path();
    atomic_store_explicit(&rt_lock_owner, &rt_this_thread, memory_order_relaxed);
    return true;
}
static inline void rt_unlock(void)
{
    if (__builtin_expect(atomic_load_explicit(&rt_lock_owner, memory_order_relaxed) == &rt_this_thread, 1))
        atomic_store_explicit(&rt_lock_owner, NULL, memory_order_release);
    else
        rt_unlock_slow_path();
}

/* Whether the thread's calls are. */
static inline bool rt_can_use_fast_path(void)
{
    return __builtin_expect(atomic_load_explicit(&rt.fast_path_enabled, memory_order_relaxed) &&
                                rt_this_thread.activity == RT_FAST_PATH,
                            1);
}
/* Makes the runtime if it is not there, and takes the lock. Every call between the two. */
static inline struct rt_thread *rt_enter(const struct rt_site *site)
{
    if (!rt_can_use_fast_path() || !rt_lock())
        return rt_enter_slow_path(site);
    rt.site = site;
    return &rt_this_thread;
}
static inline void rt_leave_fast_path(void)
{
    rt.site = NULL;
    rt_unlock();
}
static inline void rt_leave(void)
{
    if (rt_can_use_fast_path())
        rt_leave_fast_path();
    else
        rt_leave_slow_path();
}
/* Asks the core for its events if anybody wants them now. With the lock. */
void rt_subscribe(void);
accd_event_fn rt_get_event_callback(void);
/* named: what is reported of a strict run needs names. */
void rt_set_event_mask(bool named);
/* While a kernel uses declared variables, other threads wait with their calls. */
void rt_set_exclusive(bool on);
/* For what cannot do anything without the runtime's memory: tells, ends the program. */
_Noreturn void rt_fatal(const char *code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same about an object, or its name. */
_Noreturn void rt_fatal_about(const char *code, const char *object, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* For a call that the runtime does not take, without the lock: reports it, the call is the first word, and ends the
 * program. */
_Noreturn void rt_reject_call(const struct rt_site *site, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* For something that no known version of a compiler passes: reports the compiler of the call's code and what it did, as
 * in "passes entries of kind 0x99", and ends the program. With or without the lock. */
_Noreturn void rt_reject_unknown_abi(const struct rt_site *site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Tells the last error of the core and ends the program. */
_Noreturn void rt_fail_with_core_error(void);
/* The status of a call into the core: anything but ACCD_OK ends the program. */
static inline void rt_check_status(accd_status status)
{
    if (__builtin_expect(status != ACCD_OK, 0))
        rt_fail_with_core_error();
}
/* Writes device memory by its address. */
static inline void rt_write_device(int device, uint64_t dev, const void *from, uint64_t bytes)
{
    rt_check_status(accd_copy_to_device(rt.context, device, dev, from, bytes));
    if (rt.on_write)
        rt.on_write(device, dev, from, bytes);
}
/* The device on which a region of the program is open, and the region's name; -1: none is. */
int rt_find_open_region(const char **name_p);
/* Whether an address is one of a device. */
static inline bool rt_is_device_address(const void *address)
{
    const uint64_t at = (uintptr_t)address;
    return at - rt.device_low < rt.device_high - rt.device_low && accd_device_at(rt.context, at) >= 0;
}
/* Sections that leave the block that malloc gave end the program, before anything moves. */
void rt_check_malloc_blocks(const accd_item *items, size_t nitems);
/* Whether the word in front of an address at a multiple may be the size of a block that the section leaves. */
bool rt_may_exceed_block(uintptr_t host, uint64_t bytes);
/* Whether a block of malloc seems to begin at an address, and holds another one. */
bool rt_is_in_block(uint64_t block, uint64_t at);
uint64_t rt_find_heap_start(void); /* the address; 0: it is not known */
/* Blocks begin at multiples; the least one, with its head. */
enum { RT_BLOCK_ALIGNMENT = 16, RT_BLOCK_MIN = 32 };

/* Whether data are to be looked at before the core gets them: they have an address of the device, may be a variable
 * of a function, or leave a block of malloc. moves: bytes go to the device or come from there. */
static inline bool rt_needs_check(uintptr_t host, uint64_t bytes, bool moves)
{
    return host - rt.device_low < rt.device_high - rt.device_low || host >= rt.site->call.sp ||
           (moves && bytes > RT_BLOCK_MIN && host % RT_BLOCK_ALIGNMENT == 0 &&
            (host >= rt.heap_start || host % 4096 == RT_BLOCK_ALIGNMENT) && rt_may_exceed_block(host, bytes));
}
static inline bool rt_moves_bytes(accd_action action)
{
    const unsigned moving = 1u << ACCD_ACTION_COPY | 1u << ACCD_ACTION_COPYIN | 1u << ACCD_ACTION_COPYOUT |
                            1u << ACCD_ACTION_UPDATE_SELF | 1u << ACCD_ACTION_UPDATE_DEVICE;
    return moving >> action & 1;
}

/* The end of the structure that a member lies in, as the call under way sees it; 0: not known. */
uintptr_t rt_find_aggregate_end(uintptr_t member, size_t bytes);

/* struct_programs.c: the program of a structure of so many bytes of which pieces, an array of malloc that is taken, ask
 * for something. It is kept; the caller is no user of it. */
accd_program *rt_get_struct_program(uint64_t bytes, accd_piece *pieces, size_t n);

static inline uintptr_t rt_load_word(const void *address)
{
    uintptr_t value;
    memcpy(&value, address, sizeof value);
    return value;
}
/* Whether an item is no more than the pointer or descriptor of another item's data. */
bool rt_is_pointer_item(const accd_item *items, size_t nitems, const accd_item *item);

/* Ends all device data of the process, after strict runs have reported on them: acc_shutdown. */
void rt_end_device_data(void);

/* Runs a construct of the thread's device for the site. how: some of the items are doubtful, or have pointers. */
enum { RT_NEEDS_CHECK = 1, RT_HAS_POINTERS = 2 };
void rt_end_core_region(struct rt_thread *self, accd_region *region);
accd_region *rt_run_construct(struct rt_thread *self, accd_construct_kind kind, unsigned how, const accd_item *items,
                              size_t nitems, bool finalize);

_Noreturn void rt_exit_with_error(void); /* with status 1, in the middle of a call or of a kernel */

/* errors.c */
void rt_write_trace_event(const accd_event *event, const char *about); /* in the trace; about: more fields */
void rt_trace_event(const accd_event *event); /* trace.c: the same with fields about the object or pointer */
/* The last error of the core. */
void rt_report_core_error(const struct rt_site *site, const accd_error *error);
/* The compiler left variables of declare directives out of an update. */
void rt_report_empty_update(void);
/* Where the last such update stands; 0: there was none. */
uintptr_t rt_get_empty_update_site(void);
/* Data mapped at a site were on the stack of a function that has returned. */
void rt_report_returned_variable(uintptr_t pc);

/* supervisor.c: tells `accdeep exec` that the library was loaded ('L'), that a directive is executed ('D'). */
void rt_notify_supervisor(char what);
/* The same at the end of the process that it started: returns when all is said that the end tells. */
void rt_note_process_end(void);

/* diagnostics.c */
/* A second place of a finding: where something was mapped, written, moved last. */
struct rt_related_location {
    const char *is, *file; /* "mapped", "written", "agreed"; file is NULL: not known */
    int line;
};
struct rt_diagnostic {
    const char *level, *code;     /* "error", "warning", "note", "advice"; a code of error_codes.lua; both are kept */
    const char *rule;             /* NULL: the house rule of the code, if there is one */
    uintptr_t pc;                 /* of the access, the construct or the call, a return address; 0: none */
    const char *object, *element; /* "u[0:16]", "u[17] of u[0:16]"; NULL: none */
    const char *second;           /* object; NULL: none */
    struct rt_related_location other;
    uint64_t bytes, times, of; /* cost: so many bytes, in so many transfers of so many; 0: none */
    uint64_t objects;          /* that it is about, where it stands for several; 0: one */
    bool together;             /* with those of other variables at its place, mapped at one place: the first is
                                  printed, the end names the others */
    const char *lines;         /* of text, after the first ones; NULL: none */
    const char *help, *openmp; /* as in abi/helps: openmp: in words of OpenMP, or NULL; help is
                                  NULL: the code's */
    bool continues;            /* an error after which the program continues, so that it may be suppressed */
};
/* Where a finding stands; NULL: not known. */
struct rt_source_location {
    const char *file, *function;
    int line;
};
/* Reports a finding: the first of its code at a place, about a variable, is printed at once. The others are counted,
 * and the end prints the count. False: it was counted. Any thread may call it, with the lock or without. */
bool rt_emit_diagnostic(const struct rt_diagnostic *diagnostic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for what is expensive to spell: counts a finding of the code at the place, about the variable, if one was
 * reported. False: none was; rt_emit_diagnostic must be called. */
bool rt_count_duplicate(const char *code, uintptr_t pc, const char *object);
/* A finding without an object: what says the same at the same place is counted. */
void rt_report(const char *level, const char *code, const char *rule, uintptr_t pc, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Prints the counts, once. */
void rt_emit_counts(void);
/* How much of "p[1].a[0:4]" is the variable: all but the section at its end. */
size_t rt_variable_name_length(const char *name);

/* help.c */
/* NULL: there is no such code. */
const struct accd__help *rt_find_help(const char *code);
struct rt_text_buffer;
/* The rule of the profile's document, or of the house; NULL: there is none. */
const char *rt_find_rule(const struct rt_diagnostic *diagnostic);
bool rt_uses_openmp_terms(void); /* whether the profile follows OpenMP */
/* The help in the words of the rule's language, or of the profile's, with the objects' names in place of {1|...} and
 * {2|...}, but no addresses. False: there is none. */
bool rt_format_help(const struct rt_diagnostic *diagnostic, const char *rule, struct rt_text_buffer *to);

/* report_file.c: findings in a file. False: it cannot be opened, errno says why; name gets its name. */
bool rt_report_file_open(const char *pattern, char *name, size_t capacity);
/* A line of JSON, for a file of such lines. */
void rt_report_file_add_line(const struct rt_text_buffer *line);
/* Adds a result to a file in SARIF, and returns its number; 0: there is none. Sets how often it was found. */
size_t rt_report_file_add_result(const struct rt_diagnostic *diagnostic, const struct rt_source_location *where,
                                 const char *rule, const char *message);
void rt_report_file_set_count(size_t number, uint64_t count);
int rt_report_file_finish(void); /* errno of what could not be written; 0: nothing */

/* suppress.c: returns the number of a line that is wrong, 0: none is, -1: there is no file, errno says why. */
int rt_load_suppressions(const char *path);
bool rt_is_suppressed(const struct rt_diagnostic *diagnostic, const struct rt_source_location *where);
/* Calls for each line that matched nothing. */
void rt_for_each_unused_suppression(void (*unused)(const char *path, int number));

/* text_buffer.c: a file, or a copy of one, whose number is far from those that programs close and open for themselves.
 * how: O_TRUNC, O_APPEND. -1: it cannot be opened, errno says why. */
int rt_move_to_high_fd(int file);
int rt_open_output_file(const char *name, int how);

/* state.c: around debug information and reports; the thread may have it. */
void rt_lock_diagnostics(void);
void rt_unlock_diagnostics(void);

/* symbolize.c */
void rt_symbolize_init(void);
/* The return address that a name stands for, until it is looked up; 0: the name is one. end_p: behind it, or NULL. */
uintptr_t rt_parse_lazy_name(const char *name, const char **end_p);
/* What the program calls a range, as a site sees it. False: not known. */
bool rt_find_name(const struct rt_site *site, uint64_t host, uint64_t bytes, struct accd__debug_name *name_p);
/* The variable or member that a name of a section or an element is of, without subscripts: "s.a" for "s[1].a[0:4]";
 * empty for an address, and for a name that is not looked up yet. */
void rt_copy_variable_name(const char *name, char *to, size_t capacity);

/* label.c */
/* The label of the call under way, whose data have no names yet: the names are looked up when the data are reported; a
 * label for each would be too many. */
const accd_label *rt_get_site_label(void);
/* An item whose data have a name at the site gets a label of its own, and the start of the section so named. */
void rt_resolve_item_label(accd_item *item);
/* Whether a name stands for a copy that the compiler made and passes. */
bool rt_is_private_copy_name(const char *name);
/* Whether the directive under way repeats an earlier one: then its data have the same names. */
void rt_set_label_reuse(bool repeats);
static inline void rt_label_item(accd_item *item, const accd_label *label)
{
    item->label = label;
    if (__builtin_expect(rt.names_eagerly, 0))
        rt_resolve_item_label(item);
}
static inline void rt_label_item_at_site(accd_item *item)
{
    rt_label_item(item, rt_get_site_label());
}
/* An item with a program: what the program leaves out is not present. */
void rt_add_label_layout(accd_item *item);
void rt_clear_labels(void);          /* they went with the context */
void rt_clear_struct_programs(void); /* before the context goes */
/* symbolize.c */
/* What the program calls a range, or 0 bytes: what begins there; its address, and false, if that
 * is not known. */
bool rt_format_name(const struct rt_site *site, uint64_t host, uint64_t bytes, char *to, size_t capacity);
/* Whether a byte of a range, counted from host, is padding of its type; false also where nothing is known. */
bool rt_is_padding(const struct rt_site *site, uint64_t host, uint64_t bytes, uint64_t at);
/* "u[17] of u[0:16]": the element of an object in which a byte lies. object: the object's name, of
 * so many letters, becomes that of the site if it knows one. */
enum { RT_NAME_SIZE = 160 };
void rt_format_element(const struct rt_site *site, uint64_t host, uint64_t bytes, uint64_t at,
                       char object[RT_NAME_SIZE], char *to, size_t capacity);
/* Bytes of the scalar that a Fortran variable at an address points to; 0: it is no such variable, or not known. */
uint64_t rt_find_pointee_bytes(uint64_t variable);
/* Where a call stands; function_p may be NULL, and what it gets. False: not known. */
/* Keeps the place that the compiler passed: its debug information may have no line for the call. With the lock. */
void rt_record_location(const struct rt_site *site);
/* Writes the name and version of the compiler of the code at a call; without debug information "the compiler". */
void rt_get_compiler_name(uintptr_t pc, char *name, size_t capacity);
/* Returns the number of the first line of the code's source that has all words, up to a NULL; 0: none has. */
int rt_find_source_line(uintptr_t pc, const char *const words[], const char **file_p);
/* Returns the clause of a requires directive, in the source of the code, by which devices share the memory of the host;
 * NULL: none is found. gcc leaves no other trace of it. */
const char *rt_find_requires_clause(uintptr_t pc);
bool rt_find_line(uintptr_t pc, const char **file_p, int *line_p, const char **function_p);
/* Whether code is the system's: of a library or of a header; whether code of the program has no
 * debug information. */
bool rt_is_system_code(uintptr_t pc);
bool rt_lacks_debug_info(uintptr_t pc);
/* A call in code of the system, active on this stack: it becomes that of the program's function
 * around it. */
void rt_unwind_to_program(struct accd__debug_call_frame *call);
/* A function that was stopped gives way to its caller. False: that is not known. */
bool rt_unwind_frame(struct accd__debug_fault_context *stopped);
/* The function at an address, as the linker knows it, or NULL. */
const char *rt_find_symbol(uintptr_t address);
/* How a present object, or an attached pointer, is reported: by its name or its address, and from
 * where, if that is known. */
struct rt_display_name {
    char name[160];
    const char *file; /* or NULL */
    int line;
};
struct rt_display_name rt_get_display_name(const accd_object_info *object);
struct rt_related_location rt_get_mapped_location(const accd_object_info *object);
struct rt_display_name rt_get_pointer_display_name(const accd_attachment *pointer);
/* The pointer that lies at an address, as a site sees it: "f.results", and a section of what it
 * points to. */
struct rt_pointer_name {
    uint64_t slot;
    char name[1400], section[160]; /* section: "f.results[0:n]", in Fortran the name; "": not known */
};
/* False: the site does not know it; the name says where in a present object it lies. */
bool rt_format_pointer(const struct rt_site *site, int device, uint64_t slot, struct rt_pointer_name *pointer);
/* Reads host memory that may be gone. */
bool rt_peek_memory(uint64_t host, char *to, size_t n);
/* What a range is called that is present, and that a pointer at an address points to. False: the bytes there are no
 * such pointer. */
bool rt_format_pointer_target(uint64_t host, uint64_t bytes, char *to, size_t capacity);
/* The call under way in a report: "exit data", "the end of the data region of FILE:LINE". Compilers
 * give the end of a region the line of a statement near it. */
void rt_format_call(char *to, size_t capacity);
/* " of FILE:LINE", or nothing. */
void rt_format_location(uintptr_t pc, char *to, size_t capacity);
/* rank.c */
int rt_get_mpi_rank(void); /* of this process in an MPI program; -1: it is not one */
/* The name of a file: %r in the pattern is the rank, or 0, and %p the process. What does not fit is cut. */
void rt_expand_file_name(const char *pattern, char *to, size_t capacity);

/* event_dispatch.c */
void rt_on_core_event(void *ud, const accd_event *event);
void rt_report_end(void);

/* declared.c: variables of declare directives at file scope are present all the time; kernels use
 * them by name, so that host and device bytes change places around each kernel. */
extern const char rt_declared_region_name[]; /* the name of the region they make */
void rt_declared_init(void);
void rt_declared_rescan(void);
/* The dynamic linker, if no module came after it; NULL: some did. It stays to the end, and those that are loaded come
 * behind it. */
extern const struct link_map *rt_last_module;
static inline void rt_declared_refresh(void) /* after libraries may have come or gone */
{
    if (!rt_last_module || __atomic_load_n(&rt_last_module->l_next, __ATOMIC_RELAXED))
        rt_declared_rescan();
}
bool rt_is_declared(const void *host);
struct rt_range;
/* Returns true if the range is a part of a variable of clause link, which `all` gets, and not all of it. */
bool rt_is_part_of_link_variable(const void *host, uint64_t bytes, struct rt_range *all);
/* Returns the declared pointer that holds an address of the host, or the beginning of its block; or NULL.
 * is_in_block: rt_is_in_block. */
const void *rt_find_declared_pointer(const void *host, bool (*is_in_block)(uint64_t block, uint64_t at));
bool rt_is_declared_permanent(const void *host); /* and is present to the end: no clause link */
/* The program's own variables at file scope, once the beginning of the heap is known. */
extern uint64_t rt_statics_low, rt_statics_bytes;
void rt_find_static_range(void);
static inline bool rt_is_static(const void *host)
{
    return (uintptr_t)host - rt_statics_low < rt_statics_bytes;
}
/* Writes them to ranges, which may be NULL, and returns how many there are. */
size_t rt_get_declared_ranges(struct rt_range *ranges);
/* Whether the address lies in memory of the program that is never written. */
bool rt_is_constant(const void *host);
/* Returns true if code of the program or of its libraries is at the address: a pointer to it is one to a function. */
bool rt_is_code(const void *address);
void rt_swap_declared_variables(const struct rt_thread *self);

/* allocatable.c: the contents of allocatable variables of declare directives. A variable may be one of them, by its
 * size; it is none any more. */
void rt_allocatable_add(char *host, uint64_t bytes);
void rt_allocatable_remove(const char *host);
/* Maps and unmaps what was allocated and deallocated since the last call. */
void rt_allocatable_sync(const struct rt_thread *self);
void rt_allocatable_swap(void); /* with rt_swap_declared_variables */
/* The variable is of declare copyin. */
void rt_allocatable_set_copyin(const void *host);
/* Whether an allocatable variable or its contents begin at an address: they stay to the end. */
bool rt_is_allocatable_data(uint64_t host);
void rt_allocatable_clear(void); /* nothing is present any more */

/* stack_variables.c: before a construct; after one that maps data for longer than a region, or takes some
 * off. declares: the scope of a declare directive begins with it. */
void rt_check_returned_variables(struct rt_thread *self, const accd_item *items, size_t nitems, bool declares);
void rt_record_stack_variables(struct rt_thread *self, const accd_item *items, size_t nitems, bool exits);
/* Whether data were mapped for the scope of a declare directive, of which no end is reported. */
void rt_end_thread_stack(uint64_t thread);          /* has ended */
uintptr_t rt_get_stack_end(struct rt_thread *self); /* the end of its stack; 1: not known */
bool rt_is_declared_on_stack(uint64_t host);
/* Whether a pointer is one that the program does not know: no directive of it can unmap the pointer. */
bool rt_is_hidden_pointer(uint64_t host);

/* member_pointers.c: whether all that was partly present of the items could be removed. */
bool rt_unmap_member_pointers(const struct rt_thread *self, const accd_item *items, size_t nitems);

/* fault.c: what an access that ends the program was. */
void rt_install_fault_handler(void);
/* interposed_free.c: whether the block of mapped data was freed, which is reported; data are no longer
 * mapped. */
bool rt_is_freed_data(int device, uint64_t host);
void rt_forget_freed_data(int device, uint64_t host);
/* The program's call of free or realloc under way in the thread: its return address and frame. pc: 0: none. */
extern __thread struct rt_free_call {
    uintptr_t pc;
    const uintptr_t *frame;
} rt_free_call;
/* out_of_bounds.c */
/* Data were unmapped, whose device memory began there. */
void rt_quarantine_add(const accd_event *event, uint64_t dev);

/* strict.c */
/* Device memory is open from the first of these to the last, and closed to the host otherwise. */
void rt_unprotect_devices(void);
void rt_protect_devices(enum rt_sampling sampling);
void rt_unprotect_devices_until_next_call(void); /* open to the host until the next call ends */
bool rt_unprotect_devices_for_mpi(void);         /* the same, if MPI makes the access under way */
/* Most memory of the host may stay closed between kernels. Gaps between kernels are numbered. A range is untouched
 * if the host cannot have changed it after the gap `since`. */
uint64_t rt_get_host_interval(void);
bool rt_is_untouched_since(uint64_t host, uint64_t bytes, uint64_t since);
/* Reads memory of the host, as rt_peek_memory does, and leaves it closed. */
bool rt_peek_protected(uint64_t host, char *to, size_t n);
/* Whether it can be read, and holds something else than these bytes. */
bool rt_protected_differs(uint64_t host, const char *from, size_t n);
/* Runs a kernel, in memory of the arena. Ends the program if it uses memory of the host. */
void rt_run_guarded_kernel(const struct rt_site *site, int device, struct rt_kernel *kernel);
/* Ends the program if a kernel, which has run, wrote beside device memory. */
void rt_check_device_gaps(int device);
/* Tells variables of a compute construct that may be meant to be private. */
void rt_check_private_scalars(const struct rt_thread *self, const accd_item *items, size_t nitems);
/* Tells clauses of an exit that will do nothing. */
void rt_check_exit_clauses(const struct rt_thread *self, const accd_item *items, size_t nitems);
void rt_strict_finish(void);
/* At the end of the program: how many kernels were watched, if some were not. */
void rt_report_sampling(void);

/* draw.c: after each call, at a finding, at the end. */
void rt_draw_update(void);
void rt_draw_diagnostic(const char *message);
void rt_draw_finish(void);

/* snapshots.c */
/* Before a construct; after one that opens a region; before a region ends, after the kernel if it has one. */
void rt_snapshot_before_construct(const struct rt_thread *self, accd_construct_kind kind, const accd_item *items,
                                  size_t nitems);
void rt_snapshot_enter_region(const struct rt_thread *self, const accd_item *items, size_t nitems);
void rt_snapshot_leave_region(struct rt_thread *self, bool kernel);
/* Before the runtime itself unmaps data. */
void rt_snapshot_before_unmap(int device, uint64_t host, uint64_t bytes);
void rt_snapshot_event(const accd_event *event);
/* Whether a transfer, whose event comes before that of snapshots.c, changed a byte. */
bool rt_is_changing_transfer(const accd_event *event);
/* A kernel has run: looks at the declared variables that it uses. Before rt_snapshot_leave_region. on_initial: its
 * value. */
void rt_snapshot_check_declared(int device, const struct rt_kernel *kernel);
void rt_snapshot_set_initial(int device, const char *host, const char *initial, uint64_t bytes);
/* Whether an item is data, not a pointer to another item's. */
bool rt_is_data_item(const accd_item *items, size_t nitems, const accd_item *item);
/* on_write: that is no change of a kernel. */
void rt_snapshot_device_write(int device, uint64_t dev, const void *host, uint64_t bytes);
void rt_snapshot_finish(void);

/* happens_before.c: in strict runs, with the lock. */
/* What the thread does from now on is an operation of a queue; RT_ASYNC_SYNC: of the host. */
void rt_clock_begin_operation(struct rt_thread *self, int queue);
/* The host, or with async the queue of that number, waits for a queue; RT_ASYNC_NOVAL: for all of the device. */
void rt_clock_wait(int device, int async, int queue);
static inline void rt_enter_queue(struct rt_thread *self, int queue)
{
    if (__builtin_expect(rt.options.diagnose, 0))
        rt_clock_begin_operation(self, queue);
}
/* A task begins, after those that its depend clauses name; NULL: there are none. */
struct rt_epoch rt_clock_begin_task(void **depend);
/* The host waits for tasks: those that depend clauses name, all. */
void rt_clock_wait_depend(void **depend);
void rt_clock_wait_tasks(void);

/* races.c: the same. */
void rt_races_event(const accd_event *event);
/* A routine reads or writes bytes. */
void rt_races_routine_access(bool on_device, bool writes, uint64_t start, uint64_t bytes);
void rt_races_free(int device, uint64_t dev); /* before the memory is freed */
/* Before a kernel, whose data are present; after it. */
void rt_races_before_kernel(struct rt_thread *self, const accd_item *items, size_t nitems);
/* Which of these sections, so many at most, the kernel touches; a watch says it. */
struct rt_device_section;
size_t rt_races_get_sections(const struct rt_thread *self, struct rt_device_section *sections, size_t most);
void rt_races_record_touched(struct rt_thread *self, uintptr_t pc, const struct rt_device_section *sections, size_t n);
void rt_races_after_kernel(struct rt_thread *self);
/* The host may have waited for something. */
void rt_races_after_wait(void);
void rt_races_finish(void);

/* sampling.c: whether the construct under way is looked at; what it maps or frees; the devices are closed. */
enum rt_sampling rt_sample_construct(struct rt_thread *self, accd_construct_kind kind, const accd_item *items,
                                     size_t nitems);
/* Before it: what a kernel gets by value. Other addresses of the host are other arguments. */
void rt_sampling_add_value(struct rt_thread *self, uint64_t value);
void rt_sampling_event(const accd_event *event);
void rt_sampling_reset(void);

#endif
