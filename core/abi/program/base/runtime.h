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
#ifndef GOACC_RUNTIME_H
#define GOACC_RUNTIME_H

#include "accdeep_core.h"
#include "debuginfo/debug.h"
#include "descriptor.h"
#include "own_stack.h"

#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if __has_include(<sys/single_threaded.h>) /* of glibc 2.32 */
#include <sys/single_threaded.h>
#define GOACC_ONE_THREAD __libc_single_threaded
#else
#define GOACC_ONE_THREAD false
#endif

/* A construct or call of the program. The frame pointer must be kept: -fno-omit-frame-pointer. */
struct goacc_site {
    struct goacc_call call;
    const char *what; /* "enter data", "acc_copyin" */
    bool declares;    /* the scope of a declare directive begins or ends */
    bool ends;        /* a data region ends */
    const int *queue; /* of a compute construct, for its trace; NULL: none */
    /* Names that the compiler passed with the call, where debug information has none; or NULL. */
    bool (*name)(const void *names, uint64_t host, uint64_t bytes, struct goacc_name *name_p);
    const void *names;
    const char *place; /* what the compiler says of it: ";FILE;FUNCTION;LINE;COLUMN;;", or NULL */
};

/* Whether a site runs a kernel. */
static inline bool goacc_is_kernel(const char *what)
{
    return !strcmp(what, "compute") || !strcmp(what, "target");
}

/* Where the function that uses it was called: bp[0] is the caller's frame pointer, behind it lies
 * the return address, behind that the caller's frame. */
static inline __attribute__((always_inline)) struct goacc_site goacc_here(const char *what)
{
    const uintptr_t *bp = __builtin_frame_address(0);
    return (struct goacc_site){.call = {bp[1], (uintptr_t)(bp + 2), bp[0]}, .what = what};
}

/* Device types, as openacc.h of the compiler numbers them. */
enum {
    GOACC_CURRENT = -1,
    GOACC_NONE = 0,
    GOACC_DEFAULT = 1,
    GOACC_HOST = 2,
    GOACC_NOT_HOST = 4,
    GOACC_NVIDIA = 5,
    GOACC_RADEON = 8
};
enum { GOACC_SYNC = -2, GOACC_NOVAL = -1 };

/* A structured region of a thread; without a region of the core if nothing was to be done. */
struct goacc_level {
    accd_region *region;
    uintptr_t pc;
    int parent; /* what tools hear it is: data, host_data */
};

/* An operation of asynchronous work: the one of that number of a queue, or of a chain of tasks. Strand 0: the host. */
struct goacc_turn {
    unsigned strand;
    uint64_t number;
};

/* Of the call under way, in a strict run: what it does is looked at, since it is no construct, or its turn has come; or
 * it is passed over, as a construct that was looked at often. */
enum goacc_look { GOACC_CALLED, GOACC_LOOKED, GOACC_PASSED };

/* What a thread does: its calls ask first; they may be quick, since its device is not the host; or it runs a kernel of
 * a construct, a return address, with a bit for target regions. One store begins a kernel, and one ends it. */
enum { GOACC_ASKS, GOACC_QUICK };
#define GOACC_TARGET (~(UINTPTR_MAX >> 1))

struct goacc_named;
struct goacc_thread {
    uint64_t number;      /* of the thread, from 1 */
    int type, device;     /* current device type and number */
    uintptr_t does;       /* GOACC_ASKS, GOACC_QUICK, or the construct of its kernel on a device that is not the host */
    uintptr_t frame;      /* of the function that runs the kernel; the stack grows to lower addresses */
    unsigned held;        /* one bit for each call under way: it holds back kernels */
    bool in_core;         /* the core moves bytes */
    enum goacc_look look;
    uint64_t values;      /* a sum of addresses that the construct passes as values */
    uintptr_t stack_high; /* end of its stack; 0: not asked for yet */
    struct goacc_level *levels;
    size_t nlevels, levels_room;
    bool in_callback;         /* of a tool: what it does is not reported */
    bool muted;               /* tools hear nothing of this thread */
    bool starting;            /* tools are informed that the device starts */
    bool ends_group;           /* waits for the end of a group of tasks: what it reads meanwhile is complete */
    struct goacc_turn turn;    /* what the call under way is */
    struct goacc_named *named; /* sections of the compute construct under way, where races are looked for */
    struct goacc_note *notes;  /* what was done under the lock, to be reported after */
    size_t nnotes, notes_room;
    struct goacc_thread *next; /* in the list of threads that have called the runtime */
};

/* An outlined function of the program and what it gets. */
struct goacc_kernel {
    void (*fn)(void *);
    void (*code)(void *); /* the program's function, which fn is or calls; NULL: not known */
    uintptr_t construct;  /* as in goacc_thread; goacc_launch sets it */
    void *args[];
};

static inline uintptr_t goacc_construct(const struct goacc_site *site)
{
    return site->call.pc | (*site->what == 't' ? GOACC_TARGET : 0);
}
/* Around a kernel of a device that is not the host, on the thread and in the function that runs it. */
static inline __attribute__((always_inline)) void goacc_begin_kernel(struct goacc_thread *self, uintptr_t construct)
{
    self->does = construct;
    self->frame = (uintptr_t)__builtin_frame_address(0);
}
/* The region of the kernel that a thread runs; NULL: it runs none. */
static inline const char *goacc_region(uintptr_t does)
{
    return does <= GOACC_QUICK ? NULL : does & GOACC_TARGET ? "target" : "compute";
}
/* Whether the program has jumped out of the thread's kernel: what it does now has a frame that is not below the
 * kernel's. */
static inline bool goacc_has_jumped(const struct goacc_thread *self, uintptr_t frame)
{
    return self->does > GOACC_QUICK && frame > self->frame;
}
/* Reports that. pc: where the program is now. */
_Noreturn void goacc_tell_jump(uintptr_t construct, uintptr_t pc);

/* Opens a structured region of the thread, without a region of the core yet; ends the innermost one. With the lock. */
struct goacc_level *goacc_push_level(struct goacc_thread *self, int parent);
void goacc_pop_level(struct goacc_thread *self);

/* Around a kernel, with the lock: makes sure that other calls of the program can be held back. */
void goacc_hold_back(const struct goacc_site *site);
/* Runs a kernel whose data are present, without the lock, which is held before and after. */
void goacc_launch(const struct goacc_site *site, int device, struct goacc_kernel *kernel);

enum { GOACC_FOUND = 5 };
struct goacc_options {
    const accd_rules *rules;
    bool strict, json;
    bool begin;       /* strict: closed pages stand before objects, not after them */
    bool all;         /* strict: each construct is looked at */
    bool check;       /* the program was compiled for checking: it is not watched */
    bool left;        /* strict or check: what does nothing, and what is left at the end, is reported */
    bool fail;        /* the process exits with GOACC_FOUND where something was found, and its own status is 0 */
    bool unmatched;   /* OpenMP 5.2: a pointer to nothing present keeps its value, before it becomes null */
    int trace;        /* file descriptor, -1: none */
    const char *draw, *suppress; /* files, or NULL */
    int devices, targets; /* of all, of OpenMP: none where OMP_TARGET_OFFLOAD says so */
    uint64_t device_bytes;
    int type, device; /* ACC_DEVICE_TYPE, ACC_DEVICE_NUM */
};

enum goacc_fork { GOACC_BEFORE_FORK, GOACC_IN_PARENT, GOACC_IN_CHILD };
struct goacc_runtime {
    accd_context *context;
    atomic_bool quick; /* calls need the lock alone: devices are in use, without listeners, pictures, checks, names */
    struct goacc_options options;
    atomic_bool profiled; /* tools are informed of events, or may wish to be */
    bool data_profiled;   /* also of data; with the lock */
    bool follows;         /* waits are of interest: there is a trace, or a strict run */
    bool active[2];       /* used or initialised since the start or acc_shutdown: devices, host */
    uint64_t device_low, device_high; /* all device addresses lie between them */
    uint64_t heap;                    /* where it begins; 0: not asked for yet */
    accd_construct construct; /* under way, of no items: the end of a region. What goacc_run does not write is 0 */
    atomic_bool declares;             /* there are declared variables */
    bool target_first;                /* the first call of the program is one of OpenMP */
    bool device_pointers;             /* a pointer to device memory keeps its value in a region of OpenMP */
    bool names; /* objects are named as they are mapped, otherwise when asked for */
    const struct goacc_site *site; /* of the call under way */
    uint64_t calls;                /* so far, if they are checked */
    int pid;                       /* of the process that made the context */
    bool found;                    /* a warning or a note about the program was reported */
    volatile bool ending;
    int trace_lost; /* errno of events that could not be written; 0: none */
    atomic_int watched; /* kernels that are watched now */
    volatile bool dying;  /* the program ends without its exit functions */
    bool ends_at_once;    /* an error may not call them: they are under way */
    volatile bool killed; /* by a signal: what is left then is no finding */
    void (*at_end)(void); /* reports what the end reports, once; NULL: nothing is to be reported */
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
    void (*on_fork)(enum goacc_fork when);
};
extern struct goacc_runtime goacc __asm__("goacc_runtime_state"); /* a program may have its goacc */

extern __thread struct goacc_thread goacc_own __asm__("goacc_thread_state");
_Noreturn void goacc_gone(void);
/* The thread's own state. */
static inline struct goacc_thread *goacc_self(void)
{
    if (__builtin_expect(goacc.ending, 0)) /* an exit function calls after an error */
        goacc_gone();
    return &goacc_own;
}
/* The same in a runtime that has started. */
struct goacc_thread *goacc_started(void);
/* The list of threads that have called the runtime. */
void goacc_add_thread(struct goacc_thread *thread);
void goacc_remove_thread(const struct goacc_thread *thread);
/* The region of the kernel that a thread runs, or helps to run: it has never called the runtime, and another thread runs
 * a kernel. NULL: none. For handlers of faults. */
const char *goacc_region_of_team(const struct goacc_thread *thread);

/* goacc_enter and goacc_leave, below, where calls are not quick. */
struct goacc_thread *goacc_enter_asking(const struct goacc_site *site);
void goacc_leave_asking(void);
/* The same for a call that does not use the device: it does not become active by it. */
struct goacc_thread *goacc_enter_idle(const struct goacc_site *site);
void goacc_leave_idle(void);
/* The bare lock, for what may come before the runtime. False: it is the thread's already. */
bool goacc_take_lock(void);
bool goacc_try_lock(void); /* false also if another thread has it */
void goacc_give_lock(void);
void goacc_lock_open(void);
/* The thread that has the lock without the mutex: it was the only one. Those that start meanwhile take the mutex, and
 * wait until it is done. */
extern struct goacc_thread *_Atomic goacc_holder;
extern volatile bool goacc_locked; /* by the mutex */
static inline bool goacc_lock(void)
{
    if (!GOACC_ONE_THREAD || goacc_locked || atomic_load_explicit(&goacc_holder, memory_order_relaxed))
        return goacc_take_lock();
    atomic_store_explicit(&goacc_holder, &goacc_own, memory_order_relaxed);
    return true;
}
static inline void goacc_unlock(void)
{
    if (__builtin_expect(atomic_load_explicit(&goacc_holder, memory_order_relaxed) == &goacc_own, 1))
        atomic_store_explicit(&goacc_holder, NULL, memory_order_release);
    else
        goacc_give_lock();
}

/* Whether the thread's calls are. */
static inline bool goacc_is_quick(void)
{
    return __builtin_expect(
        atomic_load_explicit(&goacc.quick, memory_order_relaxed) && goacc_own.does == GOACC_QUICK, 1);
}
/* Makes the runtime if it is not there, and takes the lock. Every call between the two. */
static inline struct goacc_thread *goacc_enter(const struct goacc_site *site)
{
    if (!goacc_is_quick() || !goacc_lock())
        return goacc_enter_asking(site);
    goacc.site = site;
    return &goacc_own;
}
static inline void goacc_leave_quick(void)
{
    goacc.site = NULL;
    goacc_unlock();
}
static inline void goacc_leave(void)
{
    if (goacc_is_quick())
        goacc_leave_quick();
    else
        goacc_leave_asking();
}
/* Asks the core for its events if anybody wants them now. With the lock. */
void goacc_listen(void);
accd_event_fn goacc_listener(void);
/* named: what is reported of a strict run needs names. */
void goacc_hear(bool named);
/* While a kernel uses declared variables, other threads wait with their calls. */
void goacc_alone(bool alone);
/* For what cannot do anything without the runtime's memory: tells, ends the program. */
_Noreturn void goacc_die(const char *code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same about an object, or its name. */
_Noreturn void goacc_die_about(const char *code, const char *object, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* For a call that the runtime does not take, without the lock: reports it, the call is the first word, and ends the
 * program. */
_Noreturn void goacc_refuse(const struct goacc_site *site, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* For something that no known version of a compiler passes: reports the compiler of the call's code and what it did, as
 * in "passes entries of kind 0x99", and ends the program. With or without the lock. */
_Noreturn void goacc_refuse_newer(const struct goacc_site *site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Tells the last error of the core and ends the program. */
_Noreturn void goacc_fail(void);
/* The status of a call into the core: anything but ACCD_OK ends the program. */
static inline void goacc_must(accd_status status)
{
    if (__builtin_expect(status != ACCD_OK, 0))
        goacc_fail();
}
/* Writes device memory by its address. */
static inline void goacc_write_device(int device, uint64_t dev, const void *from, uint64_t bytes)
{
    goacc_must(accd_to_device(goacc.context, device, dev, from, bytes));
    if (goacc.on_write)
        goacc.on_write(device, dev, from, bytes);
}
/* The device on which a region of the program is open, and the region's name; -1: none is. */
int goacc_open_region(const char **name_p);
/* Whether an address is one of a device. */
static inline bool goacc_is_on_device(const void *address)
{
    const uint64_t at = (uintptr_t)address;
    return at - goacc.device_low < goacc.device_high - goacc.device_low && accd_device_of(goacc.context, at) >= 0;
}
/* Sections that leave the block that malloc gave end the program, before anything moves. */
void goacc_check_blocks(const accd_item *items, size_t nitems);
/* Whether the word in front of an address at a multiple may be the size of a block that the section leaves. */
bool goacc_may_leave_block(uintptr_t host, uint64_t bytes);
/* Whether a block of malloc seems to begin at an address, and holds another one. */
bool goacc_is_in_block(uint64_t block, uint64_t at);
uint64_t goacc_heap_start(void); /* the address; 0: it is not known */
/* Blocks begin at multiples; the least one, with its head. */
enum { GOACC_ALIGNED = 16, GOACC_BLOCK = 32 };

/* Whether data are to be looked at before the core gets them: they have an address of the device, may be a variable
 * of a function, or leave a block of malloc. moves: bytes go to the device or come from there. */
static inline bool goacc_is_doubtful(uintptr_t host, uint64_t bytes, bool moves)
{
    return host - goacc.device_low < goacc.device_high - goacc.device_low || host >= goacc.site->call.sp ||
           (moves && bytes > GOACC_BLOCK && host % GOACC_ALIGNED == 0 &&
            (host >= goacc.heap || host % 4096 == GOACC_ALIGNED) && goacc_may_leave_block(host, bytes));
}
static inline bool goacc_moves(accd_action action)
{
    const unsigned moving = 1u << ACCD_COPY | 1u << ACCD_COPYIN | 1u << ACCD_COPYOUT | 1u << ACCD_UPDATE_SELF |
                            1u << ACCD_UPDATE_DEVICE;
    return moving >> action & 1;
}

/* The end of the structure that a member lies in, as the call under way sees it; 0: not known. */
uintptr_t goacc_aggregate_end(uintptr_t member, size_t bytes);

/* structures.c: the program of a structure of so many bytes of which pieces, an array of malloc that is taken, ask for
 * something. It is kept; the caller is no user of it. */
accd_program *goacc_structure_program(uint64_t bytes, accd_piece *pieces, size_t n);

static inline uintptr_t goacc_word(const void *address)
{
    uintptr_t value;
    memcpy(&value, address, sizeof value);
    return value;
}
/* Whether an item is no more than the pointer or descriptor of another item's data. */
bool goacc_carries(const accd_item *items, size_t nitems, const accd_item *item);

/* Ends all device data of the process, after strict runs have reported on them: acc_shutdown. */
void goacc_shut(void);

/* Runs a construct of the thread's device for the site. how: some of the items are doubtful, or have pointers. */
enum { GOACC_DOUBTFUL = 1, GOACC_LINKED = 2 };
void goacc_end_region(struct goacc_thread *self, accd_region *region);
accd_region *goacc_run(struct goacc_thread *self, accd_kind kind, unsigned how, const accd_item *items,
                       size_t nitems, bool finalize);

_Noreturn void goacc_end(void); /* with status 1, in the middle of a call or of a kernel */

/* tell.c */
void goacc_tell_event(const accd_event *event, const char *about); /* in the trace; about: more fields */
void goacc_trace_event(const accd_event *event); /* trace.c: the same with fields about the object or pointer */
/* The last error of the core. */
void goacc_tell_error(const struct goacc_site *site, const accd_error *error);
/* The compiler left variables of declare directives out of an update. */
void goacc_tell_lost_update(void);
/* Where the last such update stands; 0: there was none. */
uintptr_t goacc_lost_update(void);
/* Data mapped at a site were on the stack of a function that has returned. */
void goacc_tell_returned(uintptr_t pc);

/* loaded.c: tells `accdeep exec` that the library was loaded ('L'), that a directive is executed ('D'). */
void goacc_tell_supervisor(char what);
/* The same at the end of the process that it started: returns when all is said that the end tells. */
void goacc_tell_end_of_process(void);

/* find.c */
/* A second place of a finding: where something was mapped, written, moved last. */
struct goacc_mark {
    const char *is, *file; /* "mapped", "written", "agreed"; file is NULL: not known */
    int line;
};
struct goacc_finding {
    const char *level, *code;      /* "error", "warning", "note", "advice"; a code of error_codes.lua; both are kept */
    const char *rule;              /* NULL: the house rule of the code, if there is one */
    uintptr_t pc;                  /* of the access, the construct or the call, a return address; 0: none */
    const char *object, *element;  /* "u[0:16]", "u[17] of u[0:16]"; NULL: none */
    const char *second;            /* object; NULL: none */
    struct goacc_mark other;
    uint64_t bytes, times, of;     /* cost: so many bytes, in so many transfers of so many; 0: none */
    uint64_t objects;              /* that it is about, where it stands for several; 0: one */
    bool together; /* with those of other variables at its place, mapped at one place: the first is
                      printed, the end names the others */
    const char *lines;             /* of text, after the first ones; NULL: none */
    const char *help, *openmp;     /* as in abi/helps: openmp: in words of OpenMP, or NULL; help is
                                      NULL: the code's */
    bool continues;                /* an error after which the program continues, so that it may be suppressed */
};
/* Where a finding stands; NULL: not known. */
struct goacc_where {
    const char *file, *function;
    int line;
};
/* Reports a finding: the first of its code at a place, about a variable, is printed at once. The others are counted, and
 * the end prints the count. False: it was counted. Any thread may call it, with the lock or without. */
bool goacc_find(const struct goacc_finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for what is expensive to spell: counts a finding of the code at the place, about the variable, if one was
 * reported. False: none was; goacc_find must be called. */
bool goacc_find_again(const char *code, uintptr_t pc, const char *object);
/* A finding without an object: what says the same at the same place is counted. */
void goacc_tell(const char *level, const char *code, const char *rule, uintptr_t pc,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Prints the counts, once. */
void goacc_find_end(void);
/* How much of "p[1].a[0:4]" is the variable: all but the section at its end. */
size_t goacc_variable_length(const char *name);

/* help.c */
/* NULL: there is no such code. */
const struct accd_help *goacc_help_entry(const char *code);
struct goacc_text;
/* The rule of the profile's document, or of the house; NULL: there is none. */
const char *goacc_rule_of(const struct goacc_finding *finding);
bool goacc_speaks_openmp(void); /* whether the profile follows OpenMP */
/* The help in the words of the rule's language, or of the profile's, with the objects' names in place of {1|...} and
 * {2|...}, but no addresses. False: there is none. */
bool goacc_help_of(const struct goacc_finding *finding, const char *rule, struct goacc_text *to);

/* report.c: findings in a file. False: it cannot be opened, errno says why; name gets its name. */
bool goacc_report_open(const char *pattern, char *name, size_t room);
/* A line of JSON, for a file of such lines. */
void goacc_report_line(const struct goacc_text *line);
/* Adds a result to a file in SARIF, and returns its number; 0: there is none. Sets how often it was found. */
size_t goacc_report_add(const struct goacc_finding *finding, const struct goacc_where *where, const char *rule,
                        const char *message);
void goacc_report_count(size_t number, uint64_t count);
int goacc_report_end(void); /* errno of what could not be written; 0: nothing */

/* suppress.c: returns the number of a line that is wrong, 0: none is, -1: there is no file, errno says why. */
int goacc_suppress_open(const char *path);
bool goacc_is_suppressed(const struct goacc_finding *finding, const struct goacc_where *where);
/* Calls for each line that matched nothing. */
void goacc_suppress_end(void (*unused)(const char *path, int number));

/* text.c: a file, or a copy of one, whose number is far from those that programs close and open for themselves. how:
 * O_TRUNC, O_APPEND. -1: it cannot be opened, errno says why. */
int goacc_high_file(int file);
int goacc_open_file(const char *name, int how);

/* state.c: around debug information and reports; the thread may have it. */
void goacc_take_words(void);
void goacc_give_words(void);

/* name.c */
void goacc_tell_open(void);
/* The return address that a name stands for, until it is looked up; 0: the name is one. end_p: behind it, or NULL. */
uintptr_t goacc_late(const char *name, const char **end_p);
/* What the program calls a range, as a site sees it. False: not known. */
bool goacc_name_of(const struct goacc_site *site, uint64_t host, uint64_t bytes, struct goacc_name *name_p);
/* The variable or member that a name of a section or an element is of, without subscripts: "s.a" for "s[1].a[0:4]"; empty
 * for an address, and for a name that is not looked up yet. */
void goacc_variable_of(const char *name, char *to, size_t room);

/* label.c */
/* The label of the call under way, whose data have no names yet: the names are looked up when the data are reported; a
 * label for each would be too many. */
const accd_label *goacc_site_label(void);
/* An item whose data have a name at the site gets a label of its own, and the start of the section so named. */
void goacc_find_name(accd_item *item);
/* Whether a name stands for a copy that the compiler made and passes. */
bool goacc_names_copy(const char *name);
/* Whether the directive under way repeats an earlier one: then its data have the same names. */
void goacc_label_repeats(bool repeats);
static inline void goacc_label_item(accd_item *item, const accd_label *label)
{
    item->label = label;
    if (__builtin_expect(goacc.names, 0))
        goacc_find_name(item);
}
static inline void goacc_name_item(accd_item *item)
{
    goacc_label_item(item, goacc_site_label());
}
/* An item with a program: what the program leaves out is not present. */
void goacc_label_layout(accd_item *item);
void goacc_forget_labels(void); /* they went with the context */
void goacc_forget_structures(void); /* before the context goes */
/* name.c */
/* What the program calls a range, or 0 bytes: what begins there; its address, and false, if that
 * is not known. */
bool goacc_spell(const struct goacc_site *site, uint64_t host, uint64_t bytes, char *to,
                 size_t room);
/* Whether a byte of a range, counted from host, is padding of its type; false also where nothing is known. */
bool goacc_is_padding(const struct goacc_site *site, uint64_t host, uint64_t bytes, uint64_t at);
/* "u[17] of u[0:16]": the element of an object in which a byte lies. object: the object's name, of
 * so many letters, becomes that of the site if it knows one. */
enum { GOACC_NAME = 160 };
void goacc_spell_element(const struct goacc_site *site, uint64_t host, uint64_t bytes, uint64_t at,
                         char object[GOACC_NAME], char *to, size_t room);
/* Bytes of the scalar that a Fortran variable at an address points to; 0: it is no such variable, or not known. */
uint64_t goacc_pointee(uint64_t variable);
/* Where a call stands; function_p may be NULL, and what it gets. False: not known. */
/* Keeps the place that the compiler passed: its debug information may have no line for the call. With the lock. */
void goacc_note_place(const struct goacc_site *site);
/* Writes the name and version of the compiler of the code at a call; without debug information "the compiler". */
void goacc_compiler(uintptr_t pc, char *name, size_t room);
/* Returns the number of the first line of the code's source that has all words, up to a NULL; 0: none has. */
int goacc_source_line(uintptr_t pc, const char *const words[], const char **file_p);
/* Returns the clause of a requires directive, in the source of the code, by which devices share the memory of the host;
 * NULL: none is found. gcc leaves no other trace of it. */
const char *goacc_required_memory(uintptr_t pc);
bool goacc_line(uintptr_t pc, const char **file_p, int *line_p, const char **function_p);
/* Whether code is the system's: of a library or of a header; whether code of the program has no
 * debug information. */
bool goacc_is_system_place(uintptr_t pc);
bool goacc_lacks_lines(uintptr_t pc);
/* A call in code of the system, active on this stack: it becomes that of the program's function
 * around it. */
void goacc_leave_system(struct goacc_call *call);
/* A function that was stopped gives way to its caller. False: that is not known. */
bool goacc_step_out(struct goacc_stopped *stopped);
/* The function at an address, as the linker knows it, or NULL. */
const char *goacc_symbol(uintptr_t address);
/* How a present object, or an attached pointer, is reported: by its name or its address, and from
 * where, if that is known. */
struct goacc_shown {
    char name[160];
    const char *file; /* or NULL */
    int line;
};
struct goacc_shown goacc_shown(const accd_object_info *object);
struct goacc_mark goacc_mapped_at(const accd_object_info *object);
struct goacc_shown goacc_shown_pointer(const accd_attachment *pointer);
/* The pointer that lies at an address, as a site sees it: "f.results", and a section of what it
 * points to. */
struct goacc_pointer {
    uint64_t slot;
    char name[1400],
        section[160]; /* section: "f.results[0:n]", in Fortran the name; "": not known */
};
/* False: the site does not know it; the name says where in a present object it lies. */
bool goacc_spell_pointer(const struct goacc_site *site, int device, uint64_t slot,
                         struct goacc_pointer *pointer);
/* Reads host memory that may be gone. */
bool goacc_peek(uint64_t host, char *to, size_t n);
/* What a range is called that is present, and that a pointer at an address points to. False: the bytes there are no
 * such pointer. */
bool goacc_present_target(uint64_t host, uint64_t bytes, char *to, size_t room);
/* The call under way in a report: "exit data", "the end of the data region of FILE:LINE". Compilers
 * give the end of a region the line of a statement near it. */
void goacc_spell_call(char *to, size_t room);
/* " of FILE:LINE", or nothing. */
void goacc_place(uintptr_t pc, char *to, size_t room);
/* rank.c */
int goacc_rank(void); /* of this process in an MPI program; -1: it is not one */
/* The name of a file: %r in the pattern is the rank, or 0, and %p the process. What does not fit is cut. */
void goacc_file_name(const char *pattern, char *to, size_t room);

/* hear.c */
void goacc_on_event(void *ud, const accd_event *event);
void goacc_tell_end(void);

/* declared.c: variables of declare directives at file scope are present all the time; kernels use
 * them by name, so that host and device bytes change places around each kernel. */
extern const char goacc_declared_region[]; /* the name of the region they make */
void goacc_declared_open(void);
void goacc_declared_look(void);
/* The dynamic linker, if no module came after it; NULL: some did. It stays to the end, and those that are loaded come
 * behind it. */
extern const struct link_map *goacc_last_module;
static inline void goacc_declared_update(void) /* after libraries may have come or gone */
{
    if (!goacc_last_module || __atomic_load_n(&goacc_last_module->l_next, __ATOMIC_RELAXED))
        goacc_declared_look();
}
bool goacc_declared(const void *host);
struct goacc_range;
/* Returns true if the range is a part of a variable of clause link, which `all` gets, and not all of it. */
bool goacc_declared_part(const void *host, uint64_t bytes, struct goacc_range *all);
/* Returns the declared pointer that holds an address of the host, or the beginning of its block; or NULL.
 * is_in_block: goacc_is_in_block. */
const void *goacc_declared_pointer(const void *host, bool (*is_in_block)(uint64_t block, uint64_t at));
bool goacc_declared_stays(const void *host); /* and is present to the end: no clause link */
/* The program's own variables at file scope, once the beginning of the heap is known. */
extern uint64_t goacc_statics_low, goacc_statics_bytes;
void goacc_declared_statics(void);
static inline bool goacc_is_static(const void *host)
{
    return (uintptr_t)host - goacc_statics_low < goacc_statics_bytes;
}
/* Writes them to ranges, which may be NULL, and returns how many there are. */
size_t goacc_declared_ranges(struct goacc_range *ranges);
/* Whether the address lies in memory of the program that is never written. */
bool goacc_constant(const void *host);
/* Returns true if code of the program or of its libraries is at the address: a pointer to it is one to a function. */
bool goacc_is_code(const void *address);
void goacc_declared_swap(const struct goacc_thread *self);

/* allocated.c: the contents of allocatable variables of declare directives. A variable may be one of them, by its size;
 * it is none any more. */
void goacc_allocated_add(char *host, uint64_t bytes);
void goacc_allocated_forget(const char *host);
/* Maps and unmaps what was allocated and deallocated since the last call. */
void goacc_allocated_look(const struct goacc_thread *self);
void goacc_allocated_swap(void); /* with goacc_declared_swap */
/* The variable is of declare copyin. */
void goacc_allocated_copies(const void *host);
/* Whether an allocatable variable or its contents begin at an address: they stay to the end. */
bool goacc_allocated_has(uint64_t host);
void goacc_allocated_close(void); /* nothing is present any more */

/* stack.c: before a construct; after one that maps data for longer than a region, or takes some
 * off. declares: the scope of a declare directive begins with it. */
void goacc_stack_check(struct goacc_thread *self, const accd_item *items, size_t nitems,
                       bool declares);
void goacc_stack_note(struct goacc_thread *self, const accd_item *items, size_t nitems, bool exits);
/* Whether data were mapped for the scope of a declare directive, of which no end is reported. */
void goacc_stack_end(uint64_t thread); /* has ended */
uintptr_t goacc_stack_high(struct goacc_thread *self); /* the end of its stack; 1: not known */
bool goacc_stack_declared(uint64_t host);
/* Whether a pointer is one that the program does not know: no directive of it can unmap the pointer. */
bool goacc_stack_hides(uint64_t host);

/* members.c: whether all that was partly present of the items could be removed. */
bool goacc_members_give_way(const struct goacc_thread *self, const accd_item *items, size_t nitems);

/* fault.c: what an access that ends the program was. */
void goacc_fault_start(void);
/* freed.c: whether the block of mapped data was freed, which is reported; data are no longer
 * mapped. */
bool goacc_was_freed(int device, uint64_t host);
void goacc_freed_unmapped(int device, uint64_t host);
/* The program's call of free or realloc under way in the thread: its return address and frame. pc: 0: none. */
extern __thread struct goacc_freeing {
    uintptr_t pc;
    const uintptr_t *frame;
} goacc_freeing;
/* gone.c */
/* Data were unmapped, whose device memory began there. */
void goacc_gone_note(const accd_event *event, uint64_t dev);

/* strict.c */
/* Device memory is open from the first of these to the last, and closed to the host otherwise. */
void goacc_strict_open_devices(void);
void goacc_strict_close_devices(enum goacc_look look);
void goacc_strict_lend_devices(void); /* open to the host until the next call ends */
bool goacc_strict_lend_to_message(void); /* the same, if MPI makes the access under way */
/* Most memory of the host may stay closed between kernels. Gaps between kernels are numbered. A range is untouched
 * if the host cannot have changed it after the gap `since`. */
uint64_t goacc_strict_gap(void);
bool goacc_strict_untouched(uint64_t host, uint64_t bytes, uint64_t since);
/* Reads memory of the host, as goacc_peek does, and leaves it closed. */
bool goacc_strict_peek(uint64_t host, char *to, size_t n);
/* Whether it can be read, and holds something else than these bytes. */
bool goacc_strict_differs(uint64_t host, const char *from, size_t n);
/* Runs a kernel, in memory of the arena. Ends the program if it uses memory of the host. */
void goacc_strict_run(const struct goacc_site *site, int device, struct goacc_kernel *kernel);
/* Ends the program if a kernel, which has run, wrote beside device memory. */
void goacc_strict_ran(int device);
/* Tells variables of a compute construct that may be meant to be private. */
void goacc_strict_scalars(const struct goacc_thread *self, const accd_item *items, size_t nitems);
/* Tells clauses of an exit that will do nothing. */
void goacc_strict_exit(const struct goacc_thread *self, const accd_item *items, size_t nitems);
void goacc_strict_end(void);
/* At the end of the program: how many kernels were watched, if some were not. */
void goacc_strict_count(void);

/* draw.c: after each call, at a finding, at the end. */
void goacc_draw_look(void);
void goacc_draw_finding(const char *message);
void goacc_draw_end(void);

/* stale.c */
/* Before a construct; after one that opens a region; before a region ends, after the kernel if it has one. */
void goacc_stale_before(const struct goacc_thread *self, accd_kind kind, const accd_item *items,
                        size_t nitems);
void goacc_stale_enter(const struct goacc_thread *self, const accd_item *items, size_t nitems);
void goacc_stale_leave(struct goacc_thread *self, bool kernel);
/* Before the runtime itself unmaps data. */
void goacc_stale_goes(int device, uint64_t host, uint64_t bytes);
void goacc_stale_event(const accd_event *event);
/* Whether a transfer, whose event comes before that of stale.c, changed a byte. */
bool goacc_stale_changes(const accd_event *event);
/* A kernel has run: looks at the declared variables that it uses. Before goacc_stale_leave. on_initial: its value. */
void goacc_stale_declared(int device, const struct goacc_kernel *kernel);
void goacc_stale_initial(int device, const char *host, const char *initial, uint64_t bytes);
/* Whether an item is data, not a pointer to another item's. */
bool goacc_names_data(const accd_item *items, size_t nitems, const accd_item *item);
/* on_write: that is no change of a kernel. */
void goacc_stale_copied(int device, uint64_t dev, const void *host, uint64_t bytes);
void goacc_stale_end(void);

/* order.c: in strict runs, with the lock. */
/* What the thread does from now on is an operation of a queue; GOACC_SYNC: of the host. */
void goacc_order_queue(struct goacc_thread *self, int queue);
/* The host, or with async the queue of that number, waits for a queue; GOACC_NOVAL: for all of the device. */
void goacc_order_wait(int device, int async, int queue);
static inline void goacc_in_queue(struct goacc_thread *self, int queue)
{
    if (__builtin_expect(goacc.options.left, 0))
        goacc_order_queue(self, queue);
}
/* A task begins, after those that its depend clauses name; NULL: there are none. */
struct goacc_turn goacc_order_task(void **depend);
/* The host waits for tasks: those that depend clauses name, all. */
void goacc_order_depend(void **depend);
void goacc_order_tasks(void);

/* races.c: the same. */
void goacc_races_event(const accd_event *event);
/* A routine reads or writes bytes. */
void goacc_races_access(bool on_device, bool writes, uint64_t start, uint64_t bytes);
void goacc_races_free(int device, uint64_t dev); /* before the memory is freed */
/* Before a kernel, whose data are present; after it. */
void goacc_races_named(struct goacc_thread *self, const accd_item *items, size_t nitems);
/* Which of these sections, so many at most, the kernel touches; a watch says it. */
struct goacc_section;
size_t goacc_races_sections(const struct goacc_thread *self, struct goacc_section *sections, size_t most);
void goacc_races_touched(struct goacc_thread *self, uintptr_t pc, const struct goacc_section *sections, size_t n);
void goacc_races_ran(struct goacc_thread *self);
/* The host may have waited for something. */
void goacc_races_waited(void);
void goacc_races_end(void);

/* steady.c: whether the construct under way is looked at; what it maps or frees; the devices are closed. */
enum goacc_look goacc_steady_look(struct goacc_thread *self, accd_kind kind, const accd_item *items, size_t nitems);
/* Before it: what a kernel gets by value. Other addresses of the host are other arguments. */
void goacc_steady_value(struct goacc_thread *self, uint64_t value);
void goacc_steady_event(const accd_event *event);
void goacc_steady_forget(void);

#endif
