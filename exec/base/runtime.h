/* runtime.h - state of the runtime for compiled OpenACC and OpenMP programs: threads, options, the lock. Each process
 * has one runtime, made at its first call, with one context of the core (rt.context) that the lock protects. Each file
 * of the runtime has a header of its name; exec/README.md lists them.
 *
 * A call that fails reports its error and ends the program with status 1, like the compiler's own runtime: OpenACC
 * defines no recovery. */
#ifndef RT_RUNTIME_H
#define RT_RUNTIME_H

#include "accdeep_core.h"
#include "debuginfo/debug.h"
#include "lib/descriptor.h"
#include "lib/new_stack.h"
#include "tool/tool.h"

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
    const char *construct_name; /* name of the directive or routine: "enter data", "acc_copyin" */
    bool declares;              /* call at the begin or end of a declare directive's scope */
    bool is_region_end;         /* call that ends a data region */
    const int *queue;           /* queue of a compute construct, for the trace line of the kernel; NULL: synchronous */
    /* Callback that stores in *name_p the name of a range, from `names`; returns false if they have no name for it.
     * NULL: the compiler passed no names. */
    bool (*name)(const void *names, uint64_t host, uint64_t bytes, struct accd__debug_name *name_p);
    const void *names;    /* names passed by the compiler, the first argument of `name` */
    const char *location; /* location passed by the compiler, ";FILE;FUNCTION;LINE;COLUMN;;"; NULL: not passed */
};

/* Returns true if the construct named `construct_name` runs a kernel: "compute" (OpenACC) or "target" (OpenMP). */
static inline bool rt_is_kernel_construct(const char *construct_name)
{
    return !strcmp(construct_name, "compute") || !strcmp(construct_name, "target");
}

/* Returns the site of the program's call of the entry point into which this function is inlined. In the entry point's
 * frame, bp[0] is the program's frame pointer, bp[1] the return address and bp + 2 the program's stack pointer. */
static inline __attribute__((always_inline)) struct rt_site rt_caller_site(const char *construct_name)
{
    const uintptr_t *bp = __builtin_frame_address(0);
    return (struct rt_site){.call = {bp[1], (uintptr_t)(bp + 2), bp[0]}, .construct_name = construct_name};
}

/* Device types, numbered as in the compiler's openacc.h. RT_DEVICE_CURRENT: the thread's device type. */
enum {
    RT_DEVICE_CURRENT = -1,
    RT_DEVICE_NONE = 0,
    RT_DEVICE_DEFAULT = 1,
    RT_DEVICE_HOST = 2,
    RT_DEVICE_NOT_HOST = 4,
    RT_DEVICE_NVIDIA = 5,
    RT_DEVICE_RADEON = 8
};

/* Values of a queue number: no queue (synchronous, acc_async_sync), and async without a number (in a wait: all queues).
 */
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

#define RT_TARGET_BIT (~(UINTPTR_MAX >> 1)) /* highest bit of an address, which is 0 in return addresses */

struct rt_kernel_section;

struct rt_thread {
    uint64_t number;          /* thread number, from 1; 0: not yet given */
    int type, device;         /* current device type and number */
    uintptr_t activity;       /* RT_SLOW_PATH, RT_FAST_PATH, or the construct whose kernel runs on a device */
    uintptr_t frame;          /* frame of the function that runs the kernel; the stack grows downwards */
    unsigned exclusive_calls; /* a bit for each nested call, innermost lowest; 1: the call holds the exclusive lock */
    /* true while the core or a check accesses the program's data: a fault then means that they are not mapped */
    bool in_core;
    enum rt_sampling sampling; /* decision whether a strict run checks the current call */
    /* hash of the pointer values passed to the current construct, for sampling; device addresses count as 1 */
    uint64_t argument_hash;
    uintptr_t stack_high; /* highest address of the thread's stack; 0: not yet known */
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
    return site->call.pc | (*site->construct_name == 't' ? RT_TARGET_BIT : 0);
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

enum { RT_EXIT_FINDINGS = 5 }; /* exit status of a program with findings, under --fail */

enum { RT_OTHER_RULES_MAX = 8 };

struct rt_options {
    const accd_rules *rules;
    accd_rules others[RT_OTHER_RULES_MAX]; /* rule profiles to compare `rules` with: the first `nothers` */
    int nothers;
    bool strict, json;    /* strict: `exec --strict`; json: reports are JSON lines */
    bool guard_before;    /* strict: inaccessible guard pages lie before objects on the device, not after them */
    bool check_all;       /* strict: each construct is checked (no sampling) */
    bool instrumented;    /* the program was compiled for checking: host pages are not protected in kernels */
    bool diagnose;        /* strict or instrumented: redundant operations and leaks are reported */
    bool fail_on_finding; /* exit status 0 becomes RT_EXIT_FINDINGS if a finding was reported */
    bool null_unmatched;  /* pointers to absent data keep their value (OpenMP 5.2 and later); false: become null */
    int trace;            /* file descriptor of the trace; -1: no trace */
    const char *draw, *suppress; /* files of the picture and of suppressions; NULL: no such file */
    int devices, targets;        /* number of devices; number for OpenMP (0: OMP_TARGET_OFFLOAD=disabled) */
    uint64_t device_bytes;       /* memory of each device in bytes (ACCDEEP_DEVICE_MEMORY) */
    int type, device;            /* initial device type and number, from ACC_DEVICE_TYPE and ACC_DEVICE_NUM */
};

struct rt_state {
    accd_context *context; /* NULL: not yet opened, or shut down */
    /* calls need only the lock: no tools, declared variables, pictures, traces or checks */
    atomic_bool fast_path_enabled;
    struct rt_options options;
    atomic_bool profiled; /* tools get events, or have not yet had a chance to register */
    /* tools have callbacks for data events (memory, transfers); protected by the lock */
    bool data_profiled;
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
};

/* name of the region of declared variables, which is open as long as the context exists */
extern const char rt_declared_region_name[];

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

uintptr_t rt_get_stack_end(struct rt_thread *self); /* returns the highest address of the thread's stack; 1: unknown */

/* Adds `thread` to the list of threads that have called the runtime. */
void rt_register_thread(struct rt_thread *thread);

void rt_unregister_thread(const struct rt_thread *thread); /* removes `thread` from the list, if listed */

/* Returns the kind of construct whose kernel `thread` runs, for fault handlers. A thread that has never called the
 * runtime counts as a helper of any running kernel. NULL: no kernel, or the list of threads is locked. */
const char *rt_team_kernel_kind(const struct rt_thread *thread);

/* Takes the lock without starting the runtime. Returns false if the calling thread has the lock already. */
bool rt_lock_slow_path(void);

/* takes the lock without waiting; returns false if any thread has the lock, also the calling one */
bool rt_try_lock(void);

void rt_unlock_slow_path(void); /* releases the lock, which the calling thread holds by the mutex */

void rt_lock_init(void); /* registers the functions that handle the locks at a fork; called once */

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

/* Sets the core's event callback and event mask by what uses events at present (trace, checks, tools). The lock must be
 * held. */
void rt_subscribe(void);

/* Events of the core that strict runs need. */
enum {
    RT_STRICT_EVENTS = 1 << ACCD_OP_H2D | 1 << ACCD_OP_D2H | 1 << ACCD_OP_FREE | 1 << ACCD_OP_ALLOC |
                       1 << ACCD_OP_ATTACH | 1 << ACCD_OP_DETACH
};

/* Selects the events that the core reports. `needs_names`: in a strict run, transfers and frees are reported with
 * names. */
void rt_set_event_mask(bool needs_names);

/* Takes (`on`) or releases the exclusive lock: calls of other threads wait while a kernel uses declared variables. */
void rt_set_exclusive(bool on);

/* Returns the first device with an open region and stores the region's name; -1: no open region. The region of declared
 * variables, which is always open, does not count. */
int rt_find_open_region(const char **name_p);

/* Returns true if `address` lies within the bounds of all device addresses and belongs to a device (accd_device_at). */
static inline bool rt_is_device_address(const void *address)
{
    const uint64_t at = (uintptr_t)address;
    return at - rt.device_low < rt.device_high - rt.device_low && accd_device_at(rt.context, at) >= 0;
}

/* Returns true if `action` can transfer bytes between host and device. */
static inline bool rt_moves_bytes(accd_action action)
{
    const unsigned moving = 1u << ACCD_ACTION_COPY | 1u << ACCD_ACTION_COPYIN | 1u << ACCD_ACTION_COPYOUT |
                            1u << ACCD_ACTION_UPDATE_SELF | 1u << ACCD_ACTION_UPDATE_DEVICE;
    return moving >> action & 1;
}

/* Returns the pointer-sized value at `address`, which need not be aligned. */
static inline uintptr_t rt_load_word(const void *address)
{
    uintptr_t value;
    memcpy(&value, address, sizeof value);
    return value;
}

/* Take and release the lock of debug information and reports, which a thread may take several times. */
void rt_lock_diagnostics(void);

void rt_unlock_diagnostics(void);

#endif
