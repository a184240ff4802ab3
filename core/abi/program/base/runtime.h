/* runtime.h - the shared interface of the runtime for compiled OpenACC and OpenMP programs. Each process has one
 * runtime, made at its first call, with one context of the core (rt.context) that a lock protects.
 *
 *   gcc/       goacc: gcc's entry points for OpenACC directives; target: those for OpenMP target directives;
 *              entries: turns the entries of a directive into items; iterators: OpenMP iterators
 *   clang/     target: clang's entry points for OpenMP target directives; maps: turns the maps of a directive into
 *              items; registration: device code of programs and libraries; tasks: libomp's tasks; loops: shared loops
 *   routines/  openacc: acc_* routines for C; fortran: their Fortran names; omp, omp_async: omp_* routines of devices;
 *              tasks: ends of libgomp's tasks
 *   run/       lifecycle: start, options, calls, constructs, end; launch: kernels and the structured regions of a
 *              thread; items: the items of a directive; event_dispatch: hands events of the core to their users
 *   check/     programs compiled for checking. shadow: state of each byte of both sides; transfer: transfers of the
 *              runtime; access: accesses of the program; device_races, pending_transfers: unordered accesses;
 *              unused: needless transfers and allocations; reports: the findings
 *   strict/    strict runs. page_guard, lazy_reprotect, protection_map, single_step: host pages protected in kernels;
 *              happens_before, races: order of queues and tasks; snapshots: stale data; redundant_transfers: transfers
 *              of unchanged bytes; stack_variables, interposed_free, out_of_bounds, null_pointers, wild_pointer,
 *              pointer_changes: misuse of memory and pointers; fault: accesses that end the program; sampling: choice
 *              of the constructs to check; leaks: data that are mapped at the end; stop_the_world: other threads
 *   data/      declared: variables of declare directives at file scope; allocatable: contents of allocatable ones;
 *              image: device code and its variables; code_references: variables that code uses; struct_programs:
 *              mapping programs of structures; member_pointers: pointers present only for the sections they point
 *              to; malloc_blocks: sections that exceed a block of malloc.
 *
 *   base/      state: state of the runtime and of each thread, locks; prof, prof_tools: events for tools; draw, trace:
 *              pictures of the state, fields of trace lines; rank: MPI rank; diagnostics, report_file, suppress, help:
 *              findings; errors: errors of the core; symbolize, label: names and lines by debug information;
 *              abnormal_exit, supervisor: the end of the program
 *
 * A folder uses those below it in this list (tests/layers/layers.lua). A call that fails reports its error and ends
 * the program with status 1, like the compiler's own runtime: OpenACC defines no recovery. */
#ifndef RT_RUNTIME_H
#define RT_RUNTIME_H

#include "accdeep_core.h"
#include "debuginfo/debug.h"
#include "descriptor.h"
#include "new_stack.h"

#include <assert.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if __has_include(<sys/single_threaded.h>) /* glibc 2.32 and later */
#include <sys/single_threaded.h>
#define RT_SINGLE_THREADED __libc_single_threaded
#else
#define RT_SINGLE_THREADED false
#endif

/* Construct or call of the program. Code with calls must keep frame pointers (-fno-omit-frame-pointer). */
struct rt_site {
    struct accd__debug_call_frame call;
    const char *what;   /* name of the directive or routine: "enter data", "acc_copyin" */
    bool declares;      /* call at the begin or end of a declare directive's scope */
    bool is_region_end; /* call that ends a data region */
    const int *queue;   /* queue of a compute construct, for the trace line of the kernel; NULL: synchronous */
    /* Callback that stores in *name_p the name of a range, from `names`; returns false if they have no name for it.
     * NULL: the compiler passed no names. */
    bool (*name)(const void *names, uint64_t host, uint64_t bytes, struct accd__debug_name *name_p);
    const void *names;    /* names passed by the compiler, the first argument of `name` */
    const char *location; /* location passed by the compiler, ";FILE;FUNCTION;LINE;COLUMN;;"; NULL: not passed */
};

/* True if the construct `what` runs a kernel. */
static inline bool rt_is_kernel_construct(const char *what)
{
    return !strcmp(what, "compute") || !strcmp(what, "target");
}

/* Returns the call of the function that uses this one. bp[0] is the caller's frame pointer, followed by the return
 * address and by the caller's frame. */
static inline __attribute__((always_inline)) struct rt_site rt_caller_site(const char *what)
{
    const uintptr_t *bp = __builtin_frame_address(0);
    return (struct rt_site){.call = {bp[1], (uintptr_t)(bp + 2), bp[0]}, .what = what};
}

/* Device types, numbered as in the compiler's openacc.h. */
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

/* Structured region of a thread. */
struct rt_region {
    accd_region *region; /* region of the core; NULL: the core had nothing to map */
    uintptr_t pc;        /* return address of the call that opened the region */
    int parent;          /* construct reported to tools: RT_PARENT_DATA, RT_PARENT_HOST_DATA; 0 in OpenMP */
};

/* Operation `number` of a stream, which is a queue or a chain of tasks. Stream 0 is the host. */
struct rt_epoch {
    unsigned stream;
    uint64_t number;
};

/* How a strict run treats the current call: it is always checked (no construct), sampled now, or skipped because the
 * construct has been checked often. */
enum rt_sampling { RT_ALWAYS_CHECKED, RT_SAMPLED, RT_SKIPPED };

/* Activity of a thread: its calls take the slow path, or the fast path (current device is not the host), or the thread
 * runs a kernel. A kernel is given by the return address of its construct, with RT_TARGET_BIT for target regions. One
 * store begins or ends a kernel, so that signal handlers see a consistent value. */
enum { RT_SLOW_PATH, RT_FAST_PATH };
#define RT_TARGET_BIT (~(UINTPTR_MAX >> 1))

struct rt_kernel_section;
struct rt_thread {
    uint64_t number;           /* thread number, from 1; 0: not yet given */
    int type, device;          /* current device type and number */
    uintptr_t activity;        /* RT_SLOW_PATH, RT_FAST_PATH, or the construct whose kernel runs on a device */
    uintptr_t frame;           /* frame of the function that runs the kernel; the stack grows downwards */
    unsigned exclusive_calls;  /* a bit for each nested call, innermost lowest; 1: the call holds the exclusive lock */
    bool in_core;              /* true while the core moves bytes */
    enum rt_sampling sampling; /* treatment of the current call */
    uint64_t argument_hash;    /* hash, in order, of the addresses passed by value; device addresses count as 1 */
    uintptr_t stack_high;      /* highest address of the thread's stack; 0: not yet known */
    struct rt_region *regions;
    size_t nregions, regions_capacity;
    bool in_callback;      /* true in a callback of a tool, whose calls are not reported */
    bool muted;            /* true if tools get no events of this thread */
    bool starting;         /* true while tools are informed that the device starts */
    bool ends_group;       /* true while the thread waits for a task group; pending transfers are not checked then */
    struct rt_epoch epoch; /* position of the current call in its stream (queue, task chain or host) */
    struct rt_kernel_section *kernel_sections; /* sections of the current compute construct, for the race check */
    struct rt_prof_record *records; /* events of tools, recorded under the lock, reported after its release */
    size_t nrecords, records_capacity;
    struct rt_thread *next; /* next thread that has called the runtime */
};

/* Outlined function of the program and its arguments. */
struct rt_kernel {
    void (*fn)(void *);
    void (*code)(void *); /* function of the program: `fn`, or one that `fn` calls; NULL: unknown */
    uintptr_t construct;  /* construct id, as in rt_thread.activity; set by rt_launch_kernel */
    void *args[];
};

/* Returns the identity of the construct at `site`: its return address, with RT_TARGET_BIT for target constructs. */
static inline uintptr_t rt_construct_id(const struct rt_site *site)
{
    return site->call.pc | (*site->what == 't' ? RT_TARGET_BIT : 0);
}
/* Marks the calling thread as running the kernel of `construct`. Must be inlined into the function that runs the
 * kernel, whose frame it records. */
static inline __attribute__((always_inline)) void rt_begin_kernel(struct rt_thread *self, uintptr_t construct)
{
    assert(construct > RT_FAST_PATH);
    self->activity = construct;
    self->frame = (uintptr_t)__builtin_frame_address(0);
}
/* Returns "target" or "compute", the construct whose kernel a thread with this `activity` runs; NULL: no kernel. */
static inline const char *rt_kernel_kind(uintptr_t activity)
{
    return activity <= RT_FAST_PATH ? NULL : activity & RT_TARGET_BIT ? "target" : "compute";
}
/* True if the program has jumped out of the thread's kernel: `frame`, of its current call, lies above the kernel's
 * frame. */
static inline bool rt_has_left_kernel(const struct rt_thread *self, uintptr_t frame)
{
    return self->activity > RT_FAST_PATH && frame > self->frame;
}
/* Reports a jump out of the kernel of `construct`, noticed in a call at `pc`, and ends the program. */
_Noreturn void rt_report_jump_out_of_kernel(uintptr_t construct, uintptr_t pc);

/* Pushes a structured region, whose `region` of the core is NULL at first, and returns it. The lock must be held. */
struct rt_region *rt_push_region(struct rt_thread *self, int parent);
void rt_pop_region(struct rt_thread *self); /* pops the innermost region; ends the program if no region is open */

/* Ensures that the current call can exclude other calls while a kernel runs; may release and retake the lock, which
 * must be held. */
void rt_acquire_exclusive(const struct rt_site *site);
/* Runs a kernel whose data are present. The lock is held before and after, but not while the kernel runs. */
void rt_launch_kernel(const struct rt_site *site, int device, struct rt_kernel *kernel);

enum { RT_EXIT_FINDINGS = 5 };
struct rt_options {
    const accd_rules *rules;
    bool strict, json;
    bool guard_before;    /* strict: guard pages lie before objects, not after them */
    bool check_all;       /* strict: each construct is checked (no sampling) */
    bool instrumented;    /* the program was compiled for checking: no page guard is used */
    bool diagnose;        /* strict or instrumented: redundant operations and leaks are reported */
    bool fail_on_finding; /* exit status 0 becomes RT_EXIT_FINDINGS if a finding was reported */
    bool null_unmatched;  /* pointers to absent data keep their value (OpenMP 5.2 and later); false: become null */
    int trace;            /* file descriptor of the trace; -1: no trace */
    const char *draw, *suppress; /* files of the picture and of suppressions; NULL: no such file */
    int devices, targets;        /* number of devices; number for OpenMP (0: OMP_TARGET_OFFLOAD=disabled) */
    uint64_t device_bytes;
    int type, device; /* initial device type and number, from ACC_DEVICE_TYPE and ACC_DEVICE_NUM */
};

enum rt_fork_phase { RT_FORK_PREPARE, RT_FORK_PARENT, RT_FORK_CHILD };
struct rt_state {
    accd_context *context;         /* NULL: not yet opened, or shut down */
    atomic_bool fast_path_enabled; /* calls need only the lock: no tools, pictures, checks or names are active */
    struct rt_options options;
    atomic_bool profiled;             /* tools get events, or have not yet had a chance to register */
    bool data_profiled;               /* tools get data events too; protected by the lock */
    bool observes_waits;              /* waits are traced or checked */
    bool active[2];                   /* [0]: devices, [1]: host; used or initialised since the start or acc_shutdown */
    uint64_t device_low, device_high; /* bounds of all device addresses; UINT64_MAX and 0 without devices */
    uint64_t heap_start;              /* address where the heap begins; 0: not yet known */
    /* Construct passed to the core, reused by each call; fields that rt_run_construct does not set stay 0. */
    accd_construct construct;
    atomic_bool has_declared;    /* the program has declared variables */
    bool starts_with_openmp;     /* the program's first call was one of OpenMP */
    bool device_pointers;        /* a pointer to device memory keeps its value in an OpenMP region */
    bool names_eagerly;          /* objects are named when mapped; false: when a report needs the name */
    const struct rt_site *site;  /* current call; NULL between calls */
    uint64_t calls;              /* number of calls on the slow path */
    int pid;                     /* process that opened the first context; 0: not yet opened */
    bool has_findings;           /* a warning or a note about the program was reported */
    volatile bool is_ending;     /* an error ends the program */
    int trace_lost;              /* errno of the last trace line that could not be written; 0: all were written */
    atomic_int guarded_kernels;  /* number of kernels that run with the page guard now */
    volatile bool is_dying;      /* the program ends without its exit handlers */
    bool must_exit_at_once;      /* exit handlers run already, so that an error must not start them again */
    volatile bool is_killed;     /* a signal ends the program, so that leaks are not reported */
    void (*report_at_end)(void); /* prints the reports of the program's end, once; NULL: not needed */
    void (*on_finding)(const char *message); /* called for each reported finding; NULL: not called */
    void (*on_end)(void);                    /* called when an error ends the program; NULL: not called */
    accd_event_fn on_event;                  /* called for events of the core; NULL: not called */
    /* Called after a write to device memory by address; `host` is the source, NULL if unknown. NULL: not called. */
    void (*on_write)(int device, uint64_t dev, const void *host, uint64_t bytes);
    /* Called after modules were loaded or unloaded; NULL: not called. */
    void (*on_modules)(void);
    /* Called when a declared variable is mapped, with its value at the program's start, which the host may have changed
     * since; initial NULL: the variable is unmapped. NULL: not called. */
    void (*on_initial)(int device, const char *host, const char *initial, uint64_t bytes);
    /* Called at a fork, with the lock held; NULL: not called. */
    void (*on_fork)(enum rt_fork_phase when);
};
extern struct rt_state rt __asm__("rt_process_state"); /* asm name: a program may have its own symbol rt */

extern __thread struct rt_thread rt_this_thread __asm__("rt_thread_state");
_Noreturn void rt_exit_during_shutdown(void); /* ends the process at once, in a call of an exit handler */
/* Returns the state of the calling thread. Does not return after a fatal error, when an exit handler makes a call. */
static inline struct rt_thread *rt_current_thread(void)
{
    if (__builtin_expect(rt.is_ending, 0)) /* an exit handler calls after an error */
        rt_exit_during_shutdown();
    return &rt_this_thread;
}
/* Starts the runtime if necessary and returns the state of the calling thread. */
struct rt_thread *rt_ensure_started(void);
/* Adds `thread` to the list of threads that have called the runtime. */
void rt_register_thread(struct rt_thread *thread);
void rt_unregister_thread(const struct rt_thread *thread); /* removes `thread` from the list, if listed */
/* Returns the kind of construct whose kernel `thread` runs, for fault handlers. A thread that has never called the
 * runtime counts as a helper of any running kernel. NULL: no kernel, or the list of threads is locked. */
const char *rt_team_kernel_kind(const struct rt_thread *thread);

/* Begin and end a call as rt_enter and rt_leave do (below), for threads that may not take the fast path. */
struct rt_thread *rt_enter_slow_path(const struct rt_site *site);
void rt_leave_slow_path(void);
/* Begin and end a call that does not use the device, and so does not make the device active. */
struct rt_thread *rt_enter_without_device(const struct rt_site *site);
void rt_leave_without_device(void);
/* Takes the lock without starting the runtime. Returns false if the calling thread has the lock already. */
bool rt_lock_slow_path(void);
bool rt_try_lock(void); /* returns false also if another thread has the lock */
void rt_unlock_slow_path(void);
void rt_lock_init(void);
/* Thread that has the lock without the mutex because it was the only thread. Threads that start meanwhile take the
 * mutex and wait until this is NULL. */
extern struct rt_thread *_Atomic rt_lock_owner;
extern volatile bool rt_is_mutex_held; /* true if the lock is held by the mutex */
/* Takes the lock, without the mutex in a single-threaded process. Returns false if the calling thread has the lock
 * already. */
static inline bool rt_lock(void)
{
    if (!RT_SINGLE_THREADED || rt_is_mutex_held || atomic_load_explicit(&rt_lock_owner, memory_order_relaxed))
        return rt_lock_slow_path();
    atomic_store_explicit(&rt_lock_owner, &rt_this_thread, memory_order_relaxed);
    return true;
}
/* Releases the lock, which the calling thread must have. */
static inline void rt_unlock(void)
{
    if (__builtin_expect(atomic_load_explicit(&rt_lock_owner, memory_order_relaxed) == &rt_this_thread, 1))
        atomic_store_explicit(&rt_lock_owner, NULL, memory_order_release);
    else
        rt_unlock_slow_path();
}

/* Returns true if the calling thread may take the fast path: its calls need only the lock. */
static inline bool rt_can_use_fast_path(void)
{
    return __builtin_expect(atomic_load_explicit(&rt.fast_path_enabled, memory_order_relaxed) &&
                                rt_this_thread.activity == RT_FAST_PATH,
                            1);
}
/* Begins a call of the program: starts the runtime if necessary, takes the lock, sets rt.site and returns the
 * thread's state. rt_leave ends the call. */
static inline struct rt_thread *rt_enter(const struct rt_site *site)
{
    if (!rt_can_use_fast_path() || !rt_lock())
        return rt_enter_slow_path(site);
    rt.site = site;
    return &rt_this_thread;
}
static inline void rt_leave_fast_path(void) /* ends a call that took the fast path */
{
    assert(rt.site);
    rt.site = NULL;
    rt_unlock();
}
static inline void rt_leave(void) /* ends a call that rt_enter began */
{
    if (rt_can_use_fast_path())
        rt_leave_fast_path();
    else
        rt_leave_slow_path();
}
/* Sets the core's event callback and event mask for the present users of events. The lock must be held. */
void rt_subscribe(void);
accd_event_fn rt_get_event_callback(void); /* returns rt.on_event, or NULL if nothing uses events */
/* Selects the events that the core reports. `named`: in a strict run, transfers and frees are reported with names. */
void rt_set_event_mask(bool named);
/* Takes (`on`) or releases the exclusive lock: calls of other threads wait while a kernel uses declared variables. */
void rt_set_exclusive(bool on);
/* Reports an error at the current call, if there is one, and ends the program. */
_Noreturn void rt_fatal(const char *code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports an error about the object with this name, and ends the program. */
_Noreturn void rt_fatal_about(const char *code, const char *object, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports a rejected call, whose name begins the message, and ends the program. The lock must not be held. */
_Noreturn void rt_reject_call(const struct rt_site *site, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports that the compiler of the call's code uses an unknown interface ("passes entries of kind 0x99"), and ends
 * the program. The lock may be held. */
_Noreturn void rt_reject_unknown_abi(const struct rt_site *site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Reports the core's last error and ends the program. */
_Noreturn void rt_fail_with_core_error(void);
/* Ends the program with a report unless `status` is ACCD_OK. */
static inline void rt_check_status(accd_status status)
{
    if (__builtin_expect(status != ACCD_OK, 0))
        rt_fail_with_core_error();
}
/* Writes `bytes` from host memory to device address `dev` and calls on_write; ends the program on failure. */
static inline void rt_write_device(int device, uint64_t dev, const void *from, uint64_t bytes)
{
    assert(rt.context);
    rt_check_status(accd_copy_to_device(rt.context, device, dev, from, bytes));
    if (rt.on_write)
        rt.on_write(device, dev, from, bytes);
}
/* Returns the first device with an open region of the program and stores the region's name; -1: no open region. */
int rt_find_open_region(const char **name_p);
/* True if `address` is an address of a device. */
static inline bool rt_is_device_address(const void *address)
{
    const uint64_t at = (uintptr_t)address;
    return at - rt.device_low < rt.device_high - rt.device_low && accd_device_at(rt.context, at) >= 0;
}
/* Ends the program with a report if an item exceeds its block of malloc. Called before any transfer. */
void rt_check_malloc_blocks(const accd_item *items, size_t nitems);
/* True if the word before `host` may be the size of a malloc block that is shorter than `bytes`. host must be a
 * multiple of RT_BLOCK_ALIGNMENT. */
bool rt_may_exceed_block(uintptr_t host, uint64_t bytes);
/* True if a block of malloc seems to begin at `block` and to contain `at`. */
bool rt_is_in_block(uint64_t block, uint64_t at);
uint64_t rt_find_heap_start(void); /* returns the address where the heap begins; 0: unknown */
/* Alignment of malloc blocks, and the smallest block with its header, in bytes. */
enum { RT_BLOCK_ALIGNMENT = 16, RT_BLOCK_MIN = 32 };

/* True if data must be checked before the core gets them: a device address, a possible stack variable, or a possible
 * overrun of a malloc block. moves: bytes are transferred. The lock must be held. */
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

/* Returns the end of the structure that contains a member, as the current call sees it; 0: unknown. */
uintptr_t rt_find_aggregate_end(uintptr_t member, size_t bytes);

/* struct_programs.c: Returns the cached mapping program of a structure of `bytes` bytes with n requested pieces.
 * Takes ownership of `pieces`, from malloc. The cache keeps the reference. */
accd_program *rt_get_struct_program(uint64_t bytes, accd_piece *pieces, size_t n);

static inline uintptr_t rt_load_word(const void *address)
{
    uintptr_t value;
    memcpy(&value, address, sizeof value);
    return value;
}
/* True if an item is only the pointer or descriptor of another item's data. */
bool rt_is_pointer_item(const accd_item *items, size_t nitems, const accd_item *item);

/* Ends all device data of the process (acc_shutdown), after the final checks of strict and instrumented runs. */
void rt_end_device_data(void);

enum { RT_NEEDS_CHECK = 1, RT_HAS_POINTERS = 2 }; /* flags: items must be checked first; items have pointers */
void rt_end_core_region(struct rt_thread *self, accd_region *region); /* ends the program on failure */
/* Runs a construct on the thread's device for the current call. Returns its region; NULL: the construct opens none.
 * Failure ends the program. The lock must be held. */
accd_region *rt_run_construct(struct rt_thread *self, accd_construct_kind kind, unsigned flags, const accd_item *items,
                              size_t nitems, bool finalize);

_Noreturn void rt_exit_with_error(void); /* exits with status 1, from within a call or a kernel */

/* errors.c: Writes a line of the trace, which must be open; `about`: further JSON fields, each after a comma. */
void rt_write_trace_event(const accd_event *event, const char *about);
void rt_trace_event(const accd_event *event); /* trace.c: adds the fields about the object or pointer */
/* Reports an error of the core at a site, without ending the program. */
void rt_report_core_error(const struct rt_site *site, const accd_error *error);
/* Reports that the compiler left variables of declare directives out of an update. */
void rt_report_empty_update(void);
/* Returns the return address of the last update without data; 0: no such update. */
uintptr_t rt_get_empty_update_site(void);
/* Reports that data mapped at `pc` were on the stack of a function that has returned. */
void rt_report_returned_variable(uintptr_t pc);

/* supervisor.c: Notifies `accdeep exec` that the library was loaded ('L') or a directive is executed ('D'). */
void rt_notify_supervisor(char what);
/* Notifies `accdeep exec` that its child ends without a directive, and waits at most a second for the answer. */
void rt_note_process_end(void);

/* diagnostics.c: Second location of a finding: where something was last mapped, written or transferred. */
struct rt_related_location {
    const char *is, *file; /* is: "mapped", "written", "agreed"; file NULL: unknown */
    int line;
};
struct rt_diagnostic {
    /* level: "error", "warning", "note", "advice"; code of error_codes.lua; both static */
    const char *level, *code;
    const char *rule;             /* NULL: accdeep's own rule for the code, if any */
    uintptr_t pc;                 /* return address of the access, construct or call; 0: unknown */
    const char *object, *element; /* "u[0:16]", "u[17] of u[0:16]"; NULL: not about data */
    const char *second;           /* name of the second object; NULL: no second object */
    struct rt_related_location other;
    uint64_t bytes, times, of; /* cost: `bytes` bytes in `times` of `of` transfers; 0: no cost */
    uint64_t objects;          /* number of objects that the finding is about; 0: one */
    /* group with findings of other variables mapped at the same location: the first is printed, the end names the
     * rest */
    bool together;
    const char *lines;         /* further lines of text; NULL: no further lines */
    const char *help, *openmp; /* help (NULL: the help of `code`) and its OpenMP wording (NULL: the same) */
    bool continues;            /* error after which the program continues, and which may be suppressed */
};
/* Location of a finding; `file` or `function` NULL: unknown. */
struct rt_source_location {
    const char *file, *function;
    int line;
};
/* Prints a finding if it is the first of its code, location and variable; counts repetitions, whose number the end
 * prints. Returns false if the finding was only counted. Callable from any thread, with or without the lock. */
bool rt_emit_diagnostic(const struct rt_diagnostic *diagnostic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Counts a repetition before its costly text is made, and returns true. Returns false if no such finding was reported
 * yet: then rt_emit_diagnostic must be called. */
bool rt_count_duplicate(const char *code, uintptr_t pc, const char *object);
/* Reports a finding without an object; repetitions at the same location are counted. */
void rt_report(const char *level, const char *code, const char *rule, uintptr_t pc, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Prints the counts of repeated findings, once. */
void rt_emit_counts(void);
/* Returns the length of the variable in "p[1].a[0:4]": all except the final section. */
size_t rt_variable_name_length(const char *name);

/* help.c: Returns the help of a code; NULL: unknown code. */
const struct accd__help *rt_find_help(const char *code);
struct rt_text_buffer;
/* Returns the finding's rule in the profile's document, or accdeep's own rule; NULL: no rule. */
const char *rt_find_rule(const struct rt_diagnostic *diagnostic);
bool rt_uses_openmp_terms(void); /* true if the profile follows OpenMP */
/* Writes the help in the terms of the rule's language, or the profile's. The objects' names replace {1|...} and
 * {2|...}, unless they are addresses. Returns false if there is no help. */
bool rt_format_help(const struct rt_diagnostic *diagnostic, const char *rule, struct rt_text_buffer *to);

/* report_file.c: Opens the file of findings, whose expanded name is stored. Returns false with errno set on failure. */
bool rt_report_file_open(const char *pattern, char *name, size_t capacity);
/* Appends a finding to the file of JSON lines, if the report is one. */
void rt_report_file_add_line(const struct rt_text_buffer *line);
/* Adds a result to the SARIF file and returns its number; 0: no such file, a forked process, or no memory. */
size_t rt_report_file_add_result(const struct rt_diagnostic *diagnostic, const struct rt_source_location *where,
                                 const char *rule, const char *message);
void rt_report_file_set_count(size_t number, uint64_t count); /* sets the count of a result; number 0: no result */
int rt_report_file_finish(void); /* completes the file; returns errno of the last failed write, or 0 */

/* suppress.c: Reads a file of suppressions. Returns 0, the number of a wrong line, or -1 with errno set. */
int rt_load_suppressions(const char *path);
/* Counts the finding for the first suppression that matches it, and returns true; false: no suppression matches. */
bool rt_is_suppressed(const struct rt_diagnostic *diagnostic, const struct rt_source_location *where);
/* Calls `unused` for each suppression that matched no finding. */
void rt_for_each_unused_suppression(void (*unused)(const char *path, int number));

/* text_buffer.c: Copies a descriptor, or opens a file with O_TRUNC or O_APPEND, under a high number that programs do
 * not use themselves. Returns -1 with errno set on failure. */
int rt_move_to_high_fd(int file);
int rt_open_output_file(const char *name, int flags);

/* state.c: Take and release the recursive lock of debug information and reports. */
void rt_lock_diagnostics(void);
void rt_unlock_diagnostics(void);

/* symbolize.c */
void rt_symbolize_init(void); /* stores the working directory, relative to which files are named */
/* Returns the return address in a lazy name (label.c), whose end is stored; 0: an ordinary name. end_p may be NULL. */
uintptr_t rt_parse_lazy_name(const char *name, const char **end_p);
/* Finds the program's name of a range, as seen at a site. Returns false if unknown. */
bool rt_find_name(const struct rt_site *site, uint64_t host, uint64_t bytes, struct accd__debug_name *name_p);
/* Copies the variable or member of a section's name, without subscripts: "s.a" for "s[1].a[0:4]". Empty for an
 * address or a lazy name. */
void rt_copy_variable_name(const char *name, char *to, size_t capacity);

/* label.c */
/* Returns the label of the current call for data whose names are looked up only when reported, as a label for each
 * object would cost too much. */
const accd_label *rt_get_site_label(void);
/* Looks up the name of an item's data and gives the item its own label and the start of the named section. */
void rt_resolve_item_label(accd_item *item);
/* True if a name is that of a private copy made by the compiler. */
bool rt_is_private_copy_name(const char *name);
/* Sets whether the current directive repeats an earlier one, so that names can be reused. */
void rt_set_label_reuse(bool repeats);
/* Labels an item, with its own name if names are needed at once. */
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
/* Adds the layout of an item's mapping program to its label: bytes outside the program are not present. */
void rt_add_label_layout(accd_item *item);
void rt_clear_labels(void);          /* frees all labels, after the context */
void rt_clear_struct_programs(void); /* frees all programs, before the context */
/* symbolize.c */
/* Writes the program's name of a range (0 bytes: of the object that begins there). Returns false and writes the
 * address if unknown. */
bool rt_format_name(const struct rt_site *site, uint64_t host, uint64_t bytes, char *to, size_t capacity);
/* True if byte `at` of a range is known to be padding of its type. */
bool rt_is_padding(const struct rt_site *site, uint64_t host, uint64_t bytes, uint64_t at);
/* Writes the element that contains byte `at`, as in "u[17] of u[0:16]". Replaces `object`, the object's name, by the
 * site's name if it has one. */
enum { RT_NAME_SIZE = 160 };
void rt_format_element(const struct rt_site *site, uint64_t host, uint64_t bytes, uint64_t at,
                       char object[RT_NAME_SIZE], char *to, size_t capacity);
/* Returns the size of the scalar that a Fortran pointer variable points to; 0: unknown or no such variable. */
uint64_t rt_find_pointee_bytes(uint64_t variable);
/* Records the location that the compiler passed with a call, for code without line information. The lock must be
 * held. */
void rt_record_location(const struct rt_site *site);
/* Writes the name and version of the compiler of a call's code, or "the compiler" without debug information. */
void rt_get_compiler_name(uintptr_t pc, char *name, size_t capacity);
/* Returns the first source line of the code that contains all `words`, a NULL-terminated list; 0: no such line. */
int rt_find_source_line(uintptr_t pc, const char *const words[], const char **file_p);
/* Returns the clause of a requires directive that makes devices share the host's memory, found in the source text
 * because gcc leaves no other trace of it. NULL: none. */
const char *rt_find_requires_clause(uintptr_t pc);
/* Finds the location of a call; function_p may be NULL, *function_p may become NULL. False: unknown. */
bool rt_find_line(uintptr_t pc, const char **file_p, int *line_p, const char **function_p);
bool rt_is_system_code(uintptr_t pc);   /* true if code belongs to a system library or header */
bool rt_lacks_debug_info(uintptr_t pc); /* true if code of the program has no debug information */
/* Replaces a call in system code on this stack by the enclosing call in the program's code. */
void rt_unwind_to_program(struct accd__debug_call_frame *call);
/* Replaces the context of a stopped function by that of its caller. Returns false if the caller is unknown. */
bool rt_unwind_frame(struct accd__debug_fault_context *stopped);
/* Returns the symbol of the function at an address; NULL: no symbol. */
const char *rt_find_symbol(uintptr_t address);
/* Name of an object or attached pointer in reports (the address if it has no name), and its location if known. */
struct rt_display_name {
    char name[160];
    const char *file; /* NULL: unknown */
    int line;
};
struct rt_display_name rt_get_display_name(const accd_object_info *object);
struct rt_related_location rt_get_mapped_location(const accd_object_info *object);
struct rt_display_name rt_get_pointer_display_name(const accd_attachment *pointer);
/* Name of the pointer at an address, as a site sees it, and a section of its target. */
struct rt_pointer_name {
    uint64_t slot;
    char name[1400], section[160]; /* section: "f.results[0:n]", in Fortran the name; "": unknown */
};
/* Names the pointer at `slot`. Returns false if the site has no name; then `name` locates it within a present object.
 */
bool rt_format_pointer(const struct rt_site *site, int device, uint64_t slot, struct rt_pointer_name *pointer);
/* Copies host memory that may be unmapped; false: not readable. */
bool rt_peek_memory(uint64_t host, char *to, size_t n);
/* Writes the name of the present object that the pointer at `host` points to. False: the bytes there are no such
 * pointer. */
bool rt_format_pointer_target(uint64_t host, uint64_t bytes, char *to, size_t capacity);
/* Writes the current call for a report: "exit data", "the end of the data region of FILE:LINE". Compilers attribute
 * the end of a region to a nearby statement, hence the region's start. */
void rt_format_call(char *to, size_t capacity);
/* Writes " of FILE:LINE", or an empty string. */
void rt_format_location(uintptr_t pc, char *to, size_t capacity);
/* rank.c */
int rt_get_mpi_rank(void); /* returns the MPI rank of this process; -1: no MPI program */
/* Expands a file name: %r is the rank (0 without MPI), %p the process. Truncates to the capacity. */
void rt_expand_file_name(const char *pattern, char *to, size_t capacity);

/* event_dispatch.c */
/* Hands an event of the core to all users of events. The lock is held. */
void rt_on_core_event(void *ud, const accd_event *event);
void rt_report_end(void); /* runs the checks of the program's end; lock held */

/* declared.c: Variables of declare directives at file scope are always present. Kernels use them by name, so that
 * host and device bytes are swapped around each kernel. */
extern const char rt_declared_region_name[]; /* name of their region */
void rt_declared_init(void);                 /* maps all declared variables in a new context */
void rt_declared_rescan(void); /* finds modules loaded or unloaded since the latest scan, and maps new variables */
/* Last loaded module at the latest scan, or NULL to force a scan. The dynamic linker appends new modules after it. */
extern const struct link_map *rt_last_module;
static inline void rt_declared_refresh(void) /* rescans after libraries were loaded or unloaded */
{
    if (!rt_last_module || __atomic_load_n(&rt_last_module->l_next, __ATOMIC_RELAXED))
        rt_declared_rescan();
}
bool rt_is_declared(const void *host); /* true if a declared variable contains the address */
struct rt_range;
/* Returns true if the range is a proper part of a link variable, whose whole range is stored in `all`. */
bool rt_is_part_of_link_variable(const void *host, uint64_t bytes, struct rt_range *all);
/* Returns the declared pointer whose value is `host` or the start of the malloc block with `host`; NULL: no such
 * pointer. `is_in_block` is always rt_is_in_block. */
const void *rt_find_declared_pointer(const void *host, bool (*is_in_block)(uint64_t block, uint64_t at));
bool rt_is_declared_permanent(const void *host); /* true for variables present until the end (no clause link) */
/* Range of the program's variables at file scope, set once the heap's start is known. */
extern uint64_t rt_statics_low, rt_statics_bytes;
void rt_find_static_range(void);
static inline bool rt_is_static(const void *host)
{
    return (uintptr_t)host - rt_statics_low < rt_statics_bytes;
}
/* Stores the ranges of all declared variables unless `ranges` is NULL; returns their number. */
size_t rt_get_declared_ranges(struct rt_range *ranges);
/* True if the address is in read-only memory of the program or a library. */
bool rt_is_constant(const void *host);
/* True if code of the program or its libraries is at the address. */
bool rt_is_code(const void *address);
/* Swaps the bytes of declared variables with those of the thread's device. The lock and the exclusive lock must be
 * held. */
void rt_swap_declared_variables(const struct rt_thread *self);

/* allocatable.c: Adds a declared variable whose size is that of a pointer or descriptor; other variables are ignored.
 */
void rt_allocatable_add(char *host, uint64_t bytes);
void rt_allocatable_remove(const char *host); /* removes a variable, if it was added */
/* Maps contents that were allocated since the last call, and unmaps contents that were deallocated. */
void rt_allocatable_sync(const struct rt_thread *self);
void rt_allocatable_swap(void); /* called by rt_swap_declared_variables */
/* Marks an allocatable variable as one of declare copyin. */
void rt_allocatable_set_copyin(const void *host);
/* True if an allocatable variable with mapped contents, or these contents, begin at an address: they stay present. */
bool rt_is_allocatable_data(uint64_t host);
void rt_allocatable_clear(void); /* forgets all contents, after the device data ended */

/* stack_variables.c: Before a construct, reports data in the items' ranges that belong to returned functions, and
 * unmaps these data. `declares`: a declare directive's scope begins. */
void rt_check_returned_variables(struct rt_thread *self, const accd_item *items, size_t nitems, bool declares);
/* Records variables on the stack that enter data maps, or (`exits`) that exit data unmaps. */
void rt_record_stack_variables(struct rt_thread *self, const accd_item *items, size_t nitems, bool exits);
void rt_end_thread_stack(uint64_t thread);          /* forgets the stack of a thread that has ended */
uintptr_t rt_get_stack_end(struct rt_thread *self); /* returns the end of the thread's stack; 1: unknown */
bool rt_is_declared_on_stack(uint64_t host);        /* true for data of a declare directive's scope */
/* True if the program has no name for a pointer at `host`, so that no directive can unmap the pointer. */
bool rt_is_hidden_pointer(uint64_t host);

/* member_pointers.c: Unmaps pointers that alone made items partly present, and returns true. Returns false if there are
 * no such pointers, or if other data make an item partly present. */
bool rt_unmap_member_pointers(const struct rt_thread *self, const accd_item *items, size_t nitems);

/* fault.c: Installs the handler that explains accesses that end the program. */
void rt_install_fault_handler(void);
/* interposed_free.c: Returns true if the program freed the block of mapped data; that was reported. */
bool rt_is_freed_data(int device, uint64_t host);
void rt_forget_freed_data(int device, uint64_t host); /* forgets that the block was freed, as the data are unmapped */
/* Return address and frame of the thread's current call of free or realloc; pc 0: no such call. */
extern __thread struct rt_free_call {
    uintptr_t pc;
    const uintptr_t *frame;
} rt_free_call;
/* out_of_bounds.c */
/* Adds unmapped data, whose device memory began at `dev`, to the quarantine. */
void rt_quarantine_add(const accd_event *event, uint64_t dev);

/* strict.c */
void rt_unprotect_devices(void);                    /* opens device memory to the host at the start of a call */
void rt_protect_devices(enum rt_sampling sampling); /* protects device memory at the end of a call */
void rt_unprotect_devices_until_next_call(void);    /* opens device memory until the next call ends */
/* Opens device memory until the next call ends and returns true, if MPI makes the current access; else false. */
bool rt_unprotect_devices_for_mpi(void);
/* Lazy reprotection: host memory may stay protected between kernels. Host intervals between kernels are numbered; a
 * range is untouched if the host cannot have written it after interval `since`. */
uint64_t rt_get_host_interval(void);
bool rt_is_untouched_since(uint64_t host, uint64_t bytes, uint64_t since);
/* Copies protected host memory, which stays protected, to `to`; false: not readable. */
bool rt_peek_protected(uint64_t host, char *to, size_t n);
/* True if protected memory is readable and differs from these bytes. */
bool rt_protected_differs(uint64_t host, const char *from, size_t n);
/* Runs a kernel with the page guard, on memory of the arena. A host access ends the program. */
void rt_run_guarded_kernel(const struct rt_site *site, int device, struct rt_kernel *kernel);
/* Ends the program if a finished kernel wrote to the gaps beside device memory. */
void rt_check_device_gaps(int device);
/* Reports variables of a compute construct that may be meant to be private. */
void rt_check_private_scalars(const struct rt_thread *self, const accd_item *items, size_t nitems);
/* Reports clauses of an exit data directive that have no effect. */
void rt_check_exit_clauses(const struct rt_thread *self, const accd_item *items, size_t nitems);
void rt_strict_finish(void); /* runs the final checks of strict and instrumented runs */
/* Reports at the end how many kernels were checked, if some were skipped. */
void rt_report_sampling(void);

/* draw.c */
void rt_draw_update(void); /* draws the state after a call, if more objects are present than before */
void rt_draw_diagnostic(const char *message); /* draws the state at the first finding */
void rt_draw_finish(void);                    /* writes the picture, at the end */

/* snapshots.c */
/* Hooks before a construct; after a region was opened; before a region ends (`kernel`: after the region's kernel). */
void rt_snapshot_before_construct(const struct rt_thread *self, accd_construct_kind kind, const accd_item *items,
                                  size_t nitems);
void rt_snapshot_enter_region(const struct rt_thread *self, const accd_item *items, size_t nitems);
void rt_snapshot_leave_region(struct rt_thread *self, bool kernel);
/* Hook before the runtime unmaps data that no directive unmaps. */
void rt_snapshot_before_unmap(int device, uint64_t host, uint64_t bytes);
void rt_snapshot_event(const accd_event *event);
/* True if a transfer changes a byte. Called before rt_snapshot_event gets the event. */
bool rt_is_changing_transfer(const accd_event *event);
/* Checks the declared variables that a finished kernel uses, before rt_snapshot_leave_region. */
void rt_snapshot_check_declared(int device, const struct rt_kernel *kernel);
/* Callback rt.on_initial of strict runs. */
void rt_snapshot_set_initial(int device, const char *host, const char *initial, uint64_t bytes);
/* True if an item is data, not a pointer to another item's data. */
bool rt_is_data_item(const accd_item *items, size_t nitems, const accd_item *item);
/* Records a write by the runtime (rt.on_write) so that no kernel is held responsible. */
void rt_snapshot_device_write(int device, uint64_t dev, const void *host, uint64_t bytes);
void rt_snapshot_finish(void);

/* happens_before.c: Vector clocks of strict and instrumented runs; the lock must be held. */
/* Starts an operation of a queue for the thread; RT_ASYNC_SYNC: of the host. */
void rt_clock_begin_operation(struct rt_thread *self, int queue);
/* Makes queue `async` (RT_ASYNC_SYNC: the host) wait for `queue` (RT_ASYNC_NOVAL: all of the device). */
void rt_clock_wait(int device, int async, int queue);
/* Starts an operation of `queue` if the run checks races. */
static inline void rt_enter_queue(struct rt_thread *self, int queue)
{
    if (__builtin_expect(rt.options.diagnose, 0))
        rt_clock_begin_operation(self, queue);
}
/* Starts a task after the tasks that its depend clauses name; NULL: no clauses. Returns the task's epoch. */
struct rt_epoch rt_clock_begin_task(void **depend);
void rt_clock_wait_depend(void **depend); /* makes the host wait for the tasks of depend clauses */
void rt_clock_wait_tasks(void);           /* makes the host wait for all tasks */

/* races.c: Race detection of strict runs; the lock must be held. */
void rt_races_event(const accd_event *event); /* records the accesses of an event of the core */
/* Records bytes that a routine reads or writes. */
void rt_races_routine_access(bool on_device, bool writes, uint64_t start, uint64_t bytes);
void rt_races_free(int device, uint64_t dev); /* called before the memory is freed */
/* Hook before a kernel, whose data are present. */
void rt_races_before_kernel(struct rt_thread *self, const accd_item *items, size_t nitems);
/* Stores at most `most` sections of the kernel, of which the page guard finds the touched ones. */
struct rt_device_section;
size_t rt_races_get_sections(const struct rt_thread *self, struct rt_device_section *sections, size_t most);
void rt_races_record_touched(struct rt_thread *self, uintptr_t pc, const struct rt_device_section *sections, size_t n);
void rt_races_after_kernel(struct rt_thread *self); /* hook after a kernel */
/* Hook after the host may have waited. */
void rt_races_after_wait(void);
void rt_races_finish(void);

/* sampling.c: Decides whether the current construct is checked, and returns the decision. */
enum rt_sampling rt_sample_construct(struct rt_thread *self, accd_construct_kind kind, const accd_item *items,
                                     size_t nitems);
/* Adds a kernel's by-value argument to the key of its construct, before the decision. */
void rt_sampling_add_value(struct rt_thread *self, uint64_t value);
void rt_sampling_event(const accd_event *event); /* observes an event of a construct */
void rt_sampling_reset(void);                    /* forgets all constructs, with the end of the context */

#endif
