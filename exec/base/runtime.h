/* runtime.h - state of the runtime for compiled OpenACC and OpenMP programs: threads, options. Each process has one
 * runtime, made at its first call, with one context of the core (rt.context) that the lock (lock.h) protects. Each file
 * of the runtime has a header of its name; exec/README.md lists them.
 *
 * A call that fails reports its error and ends the program with status 1, like the compiler's own runtime: OpenACC
 * defines no recovery. */
#ifndef RT_RUNTIME_H
#define RT_RUNTIME_H

#include "accdeep_core.h"
#include "accdeep_routines.h"
#include "debuginfo/debug.h"
#include "tool/tool.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Returns the site of the program's call of the entry point into which this function is inlined. In the entry point's
 * frame, bp[0] is the program's frame pointer, bp[1] the return address and bp + 2 the program's stack pointer. */
static inline __attribute__((always_inline)) struct rt_site rt_caller_site(const char *construct_name)
{
    const uintptr_t *bp = __builtin_frame_address(0);
    return (struct rt_site){.call = {bp[1], (uintptr_t)(bp + 2), bp[0]}, .construct_name = construct_name};
}

/* Device types, numbered as in the compiler's openacc.h. RT_DEVICE_CURRENT: the thread's device type. */
enum {
    RT_DEVICE_CURRENT = ACCD__DEVICE_CURRENT,
    RT_DEVICE_NONE = ACCD__DEVICE_NONE,
    RT_DEVICE_DEFAULT = ACCD__DEVICE_DEFAULT,
    RT_DEVICE_HOST = ACCD__DEVICE_HOST,
    RT_DEVICE_NOT_HOST = ACCD__DEVICE_NOT_HOST,
    RT_DEVICE_NVIDIA = ACCD__DEVICE_NVIDIA
};

/* Values of a queue number: no queue (synchronous, acc_async_sync), and async without a number (in a wait: all queues).
 */
enum { RT_ASYNC_SYNC = ACCD__ASYNC_SYNC, RT_ASYNC_NOVAL = ACCD__ASYNC_NOVAL };

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

struct rt_kernel_section;

struct rt_thread {
    uint64_t number;          /* thread number, from 1; 0: not yet given */
    int type, device;         /* current device type and number */
    uintptr_t activity;       /* RT_SLOW_PATH, RT_FAST_PATH, or the construct whose kernel runs on a device */
    uint64_t nkernels;        /* number of kernels that the thread has run on a device */
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

enum { RT_EXIT_FINDINGS = 5 }; /* exit status of a program with findings, under --fail */

enum { RT_OTHER_RULES_MAX = 8, RT_SEED_MAX = 1000000000 };

struct rt_options {
    const accd_rules *rules;
    accd_rules others[RT_OTHER_RULES_MAX]; /* rule profiles to compare `rules` with: the first `nothers` */
    int nothers;
    bool color, summary;  /* color: reports are colored; summary: the end tells what was checked and found */
    bool strict, json;    /* strict: `exec --strict`; json: reports are JSON lines */
    bool guard_before;    /* strict: inaccessible guard pages lie before objects on the device, not after them */
    bool check_all;       /* strict: each construct is checked (no sampling) */
    bool compare_none;    /* iterations of kernels are not compared (--no-races) */
    bool compare_all;     /* iterations of each kernel run are compared (--all-races) */
    bool instrumented;    /* the program was compiled for checking: host pages are not protected in kernels */
    bool diagnose;        /* strict or instrumented: redundant operations and leaks are reported */
    bool fail_on_finding; /* exit status 0 becomes RT_EXIT_FINDINGS if a finding was reported */
    bool null_unmatched;  /* pointers to absent data keep their value (OpenMP 5.2 and later); false: become null */
    uint64_t seed;        /* order of asynchronous work (ACCDEEP_ORDER), at most RT_SEED_MAX; 0: it is done at once */
    int trace;            /* file descriptor of the trace; -1: no trace */
    const char *draw, *suppress; /* names: trace for --draw (%r, %p), suppressions; NULL: none */
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
    atomic_bool has_declared;   /* the program has declared variables */
    bool starts_with_openmp;    /* the program's first call was one of OpenMP */
    bool device_pointers;       /* a pointer to device memory keeps its value in an OpenMP region */
    bool names_eagerly;         /* objects are named when mapped; false: when a report needs the name */
    const struct rt_site *site; /* current call; NULL between calls */
    uint64_t calls;             /* number of calls on the slow path */
    /* numbers of kernel runs with loops that accdeep cc has marked, and of those whose iterations were compared */
    uint64_t loop_kernels, compared_kernels;
    uint64_t watched_kernels;    /* number of kernels that the page guard has checked to their end */
    bool has_unchecked_objects;  /* parts of the program were not compiled for checking, in contrast to the program */
    int start_pid;               /* process that has read the options; 0: none yet */
    int pid;                     /* process that opened the first context; 0: not yet opened */
    bool has_findings;           /* a warning or a note about the program was reported */
    bool has_errors;             /* an error was reported after which the program went on */
    volatile bool is_ending;     /* an error ends the program */
    int trace_lost;              /* errno of the last trace line that could not be written; 0: all were written */
    atomic_int guarded_kernels;  /* number of kernels that run with the page guard now */
    volatile bool is_dying;      /* the program ends without its exit handlers */
    bool must_exit_at_once;      /* exit handlers run already, so that an error must not start them again */
    volatile bool is_killed;     /* a signal ends the program, so that leaks are not reported */
    void (*report_at_end)(void); /* prints the reports of the program's end, once; NULL: not needed */
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

uintptr_t rt_get_stack_end(struct rt_thread *self); /* returns the highest address of the thread's stack; 1: unknown */

/* Returns true if the calling thread may take the fast path: its calls need only the lock. */
static inline bool rt_can_use_fast_path(void)
{
    return __builtin_expect(atomic_load_explicit(&rt.fast_path_enabled, memory_order_relaxed) &&
                                rt_this_thread.activity == RT_FAST_PATH,
                            1);
}

/* Returns the pointer-sized value at `address`, which need not be aligned. */
static inline uintptr_t rt_load_word(const void *address)
{
    uintptr_t value;
    memcpy(&value, address, sizeof value);
    return value;
}

/* Returns the exit status of a program that ends with `status`: in place of 0, 1 after an error, and RT_EXIT_FINDINGS
 * with --fail after other findings. */
static inline int rt_get_exit_status(int status)
{
    if (status)
        return status;
    return rt.has_errors ? 1 : rt.has_findings && rt.options.fail_on_finding ? RT_EXIT_FINDINGS : 0;
}

#endif
