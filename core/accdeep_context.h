/* accdeep_context.h - errors, contexts, events and devices. accdeep_core.h includes this header and has the
 * conventions. */
#ifndef ACCDEEP_CONTEXT_H
#define ACCDEEP_CONTEXT_H

#include "accdeep_rules.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------- status -- */

/* Table of statuses: X(enumerator, number, code in messages and scenarios, meaning). Numbers never change: a new status
 * takes the next number. */
#define ACCD_STATUS_MAP(X)                                                                                 \
    X(OK, 0, "ok", "no error")                                                                             \
    X(ERROR_NOT_PRESENT, 1, "not-present", "data are not present on the device")                           \
    X(ERROR_ALREADY_PRESENT, 2, "already-present", "data are present already")                             \
    X(ERROR_PARTIALLY_PRESENT, 3, "partially-present", "only a part of the data is present")               \
    X(ERROR_PARTIAL_OVERLAP, 4, "partial-overlap", "two objects of one construct overlap in part")         \
    X(ERROR_NOT_ATTACHED, 5, "not-attached", "the pointer is not attached")                                \
    X(ERROR_POINTER_CHANGED, 6, "pointer-changed", "a translated pointer was changed")                     \
    X(ERROR_STILL_ATTACHED, 7, "still-attached", "attached pointers would lose their target")              \
    X(ERROR_INVALID_SECTION, 8, "invalid-section", "an array section is not valid")                        \
    X(ERROR_NULL_POINTER, 9, "null-pointer", "a null pointer has no target")                               \
    X(ERROR_MISSING_WAIT, 10, "missing-wait", "an activity queue was not waited for")                      \
    X(ERROR_OUT_OF_BOUNDS, 11, "out-of-bounds", "an access leaves the object")                             \
    X(ERROR_HOST_POINTER_ON_DEVICE, 12, "host-pointer-on-device", "a host address was used on the device") \
    X(ERROR_DEVICE_POINTER_ON_HOST, 13, "device-pointer-on-host", "a device address was used on the host") \
    X(ERROR_EXCLUDED_MEMBER, 14, "excluded-member", "a member that was not mapped was used on the device") \
    X(ERROR_UNINITIALIZED_READ, 15, "uninitialized-read", "device memory was read before it was written")  \
    X(ERROR_REGION_NESTING, 16, "region-nesting", "regions are not properly nested")                       \
    X(ERROR_NO_DEVICE, 17, "no-device", "there is no such device")                                         \
    X(ERROR_OUT_OF_DEVICE_MEMORY, 18, "out-of-device-memory", "the device has not enough free memory")     \
    X(ERROR_DEVICE, 19, "device-error", "the device failed")                                               \
    X(ERROR_OUT_OF_MEMORY, 20, "out-of-memory", "the host has not enough memory")                          \
    X(ERROR_LIMIT, 21, "limit", "a limit was reached")                                                     \
    X(ERROR_CALLBACK, 22, "callback", "a function called for a section bound failed")                      \
    X(ERROR_MISUSE, 23, "misuse", "the interface was used wrongly")                                        \
    /* the statuses from here on are errors in texts that the functions of accdeep.h read */               \
    X(ERROR_SYNTAX, 24, "syntax", "a text is not well-formed")                                             \
    X(ERROR_INVALID, 25, "invalid", "a text breaks a rule that holds before anything is run")              \
    X(ERROR_INTERNAL, 26, "internal", "an error in accdeep itself")

typedef enum accd_status {
#define ACCD_X(name, number, code, text) ACCD_##name = (number),
    ACCD_STATUS_MAP(ACCD_X)
#undef ACCD_X
        ACCD_STATUS_COUNT
} accd_status;

/* Returns the code of a status, such as "not-present"; "unknown" for a number that is no status. The string is
 * constant. */
ACCD_API const char *accd_status_code(accd_status status);
/* Returns the meaning of a status in one phrase; the string is constant. */
ACCD_API const char *accd_status_text(accd_status status);

/* Object that an error is about: name, range of host memory, and the directive that mapped the object. */
typedef struct accd_object_info {
    char name[160];   /* name of the object, "X.a[0:3]"; empty: the object has no name */
    uint64_t host;    /* host address of the object's first byte */
    uint64_t bytes;   /* bytes of the object; 0: the structure describes no object */
    const char *file; /* file of the mapping directive, or NULL */
    int line;         /* line of the mapping directive; 0: not known */
} accd_object_info;

/* Hint about the error that the status alone does not give. */
typedef enum accd_advice {
    ACCD_ADVICE_NONE,
    ACCD_ADVICE_WHOLE_ROWS /* the section covers parts of several rows of an array: use whole rows, or one row */
} accd_advice;

/* Description of the last failure. The texts belong to the context, and are valid until the next error. */
typedef struct accd_error {
    accd_status status;
    const char *rule;       /* id of the rule that the error cites, "TR14-4.2-03"; never NULL in an error */
    size_t item;            /* index of the failed item in the construct; SIZE_MAX: the error is about no single item */
    accd_object_info asked; /* object that the construct asked for */
    accd_object_info other; /* present object that conflicts with `asked`; other.bytes is 0 if there is none */
    char message[400];      /* sentence that describes the failure */
    size_t named; /* offset in `message` of the text that names `asked`: its name, or "the data" if it has none. Callers
                     may replace this text */
    size_t named_bytes; /* bytes of the text at `named`; 0: the message does not name `asked` */
    accd_advice advice;
} accd_error;

/* --------------------------------------------------------------------------------- context -- */

typedef struct accd_context accd_context;
typedef struct accd_region accd_region;
typedef struct accd_program accd_program;
typedef struct accd_walk accd_bounds;
typedef struct accd_backend accd_backend;

/* Allocator with the interface of Lua's lua_Alloc, called with the caller's `ud`. n = 0 frees the block `ptr`.
 * Otherwise the function resizes `ptr` from `old` bytes to n bytes; ptr = NULL allocates a new block. It returns the
 * new address, or NULL if there is no memory. Freeing and shrinking must not fail. */
typedef void *(*accd_allocator)(void *ud, void *ptr, size_t old, size_t n);

/* Value of each byte of simulated device memory that was never written. Read as numbers, such bytes are so large that
 * they stand out in sums. They are 3e38 as a float, 1e306 as a double, 2139062143 as an int; no pointer has such an
 * address. */
enum { ACCD_POISON = 0x7F };

/* Kinds of events. Events are reported after the construct succeeded, in the order of TR-14-1's steps. H2D, D2H and D2D
 * copy bytes: host to device, device to host, within the device. INCREF and DECREF change a reference counter. FUSE
 * merges the device memory of adjacent objects (document DIR). */
typedef enum accd_op {
    ACCD_OP_ALLOC,
    ACCD_OP_FREE,
    ACCD_OP_H2D,
    ACCD_OP_D2H,
    ACCD_OP_D2D,
    ACCD_OP_ATTACH,
    ACCD_OP_DETACH,
    ACCD_OP_INCREF,
    ACCD_OP_DECREF,
    ACCD_OP_FUSE,
    ACCD_OP_KERNEL, /* the body of a compute construct was executed; for a queue, at the time when the queue executed it
                     */
    ACCD_OP_WAIT,   /* the program, or a queue, waits for queues: see accd_report_wait */
    ACCD_OP_COUNT
} accd_op;
/* Returns the name of a kind of event, such as "alloc" or "h2d"; "unknown" for a number that is no accd_op. The string
 * is constant. */
ACCD_API const char *accd_op_name(accd_op op);

typedef struct accd_event {
    accd_op op;
    int device;
    const char *name; /* name of the object; of the pointer (attach, detach); of the kernel's operands, "a,
                         v.data[0:4]"; of the queue, "queue 1" or "all queues" (wait) */
    uint64_t host;    /* host address of the object or the pointer; 0 for kernels and waits */
    uint64_t bytes;   /* number of bytes that the operation concerns */
    const char *rule; /* id of the rule that the event cites */
    const char *file; /* file of the directive; NULL: not known */
    int line;
    int64_t async; /* async value of the queue that did the operation; ACCD_SYNCHRONOUS: no queue */
} accd_event;
#define ACCD_SYNCHRONOUS INT64_MIN

/* Observer of events, called with `ud` of the context for each event, after the construct is complete. The function may
 * inspect the context, but not change it. The event and its strings are valid during the call. */
typedef void (*accd_event_fn)(void *ud, const accd_event *event);

/* Function of the host program that computes section bounds. It calls the program's function number `fn` once for each
 * of the rows 0 .. n-1: args[k][row] is argument k (of nargs) of the row, and out[row] receives the row's result. It
 * returns 0; any other number stops the construct with ACCD_ERROR_CALLBACK. */
typedef int (*accd_bound_fn)(void *ud, int fn, size_t n, int nargs, const int64_t *const *args, int64_t *out);

/* Layouts of Fortran descriptors. All begin with the address of the data. */
typedef enum accd_descriptor_layout {
    ACCD_DESCRIPTOR_CFI,     /* CFI_cdesc_t of gcc's ISO_Fortran_binding.h */
    ACCD_DESCRIPTOR_FLANG,   /* descriptor of LLVM Flang: an addendum may follow the dimensions */
    ACCD_DESCRIPTOR_GFORTRAN /* descriptor of gfortran */
} accd_descriptor_layout;

typedef struct accd_device_info {
    char name[128];  /* name reported by the driver */
    uint64_t bytes;  /* bytes of the device's memory */
    char driver[64]; /* name and version of the driver, "CUDA 12.4"; empty: no driver */
    char why[200];   /* reason why the device cannot be used; empty: it can, or the number is beyond the last device */
    char compiler[200]; /* compiler of kernels given as text, "NVRTC 12.4", or the reason why there is none */
} accd_device_info;

typedef enum accd_queue_mode {
    ACCD_QUEUES_IN_ORDER,  /* work is done at once, in program order */
    ACCD_QUEUES_DELAYED,   /* work is done at the wait, so that a missing wait becomes visible */
    ACCD_QUEUES_CONCURRENT /* work is done while the program continues, if the device can; otherwise at once */
} accd_queue_mode;

/* Function that is called with `ud` when the host memory that simulated devices use grows by `bytes`, or shrinks if
 * `bytes` is negative. */
typedef void (*accd_charge_fn)(void *ud, int64_t bytes);

/* Configuration of a context. Later versions may add members at the end. A program compiled with an older header keeps
 * running: members that it does not set have their defaults. */
typedef struct accd_context_config {
    size_t struct_size;   /* sizeof(accd_context_config), set by accd_context_config_init */
    accd_allocator alloc; /* allocator of the context; NULL: realloc and free */
    void *alloc_ud;
    const accd_rules *rules; /* rule profile, of which the context makes a copy; NULL: the profile "tr14" */
    unsigned devices;        /* number of devices; default 1, at most ACCD_MAX_DEVICES */
    uint64_t device_bytes;   /* memory of each device. 0, the default: the whole memory of a real device; 16 GiB of
                                address space of a simulated one */
    unsigned threads;   /* number of threads for large constructs; 0: one for each processor, at most 16; otherwise at
                           most ACCD_MAX_THREADS */
    size_t group_least; /* least number of sections for which a construct makes one record, a group, instead of one
                           record for each section (core/table/group.c) */
    int check_host;     /* true if sections must lie in memory that accd_host_register has registered */
    accd_event_fn on_event; /* observer of events, called with event_ud; NULL: none */
    void *event_ud;
    accd_bound_fn on_bound; /* function that computes section bounds, called with bound_ud; NULL: none */
    void *bound_ud;
    const accd_backend *backend;        /* backend of the devices; NULL: the simulated device */
    accd_descriptor_layout descriptors; /* layout of the descriptors that accd_attach_descriptor gets */
    unsigned first_device;       /* number of the machine's device that is device 0. If the machine has too few, several
                                    devices of the context share one */
    accd_device_info *no_device; /* NULL; or a structure whose member `why` receives the reason if accd_context_new
                                    returns ACCD_ERROR_NO_DEVICE */
    accd_queue_mode queues;      /* mode of queues: when their work is done */
    int own_kernels; /* true if the program runs kernels itself, which write device memory without the core's knowledge.
                        All device memory then counts as written, and any stream may use data once the construct that
                        maps them has returned. Always true for "direct"; never for "sim", whose memory no kernel can
                        use */
    int checkpoints; /* true if states can be saved and restored (accd_checkpoint_new). Only for "sim" and "unbacked".
                        The context then works with one thread, and uses `alloc` for checkpoints alone */
    int avoid_reuse; /* true if freed device memory is reused only when no other memory is left, so that stale pointers
                        into it stay invalid. Only for "sim" */
    accd_charge_fn charge; /* function that counts the host memory of simulated devices; NULL: it is not counted. Only
                              for "sim" */
    void *charge_ud;
} accd_context_config;

#define ACCD_MAX_DEVICES 64
#define ACCD_MAX_THREADS 1024

/* Sets the first `bytes` bytes of a configuration to their defaults, and struct_size to `bytes`. config = NULL: does
 * nothing. */
ACCD_API void accd_context_config_init_sized(accd_context_config *config, size_t bytes);
/* Sets struct_size of a configuration, and all other members to their defaults. */
static inline void accd_context_config_init(accd_context_config *config)
{
    accd_context_config_init_sized(config, sizeof *config);
}

/* Returns the built-in backend (implementation of devices) of that name; NULL: no such backend.
 * - "sim": simulated memory that only the core reaches.
 * - "direct": "sim" at its device addresses in this process, for kernels of real programs; it does not know which
 *   bytes were written.
 * - "guarded": "direct", with a guard page, which no access may touch, after each of the first 8192 allocations. Freed
 *   memory of up to 16 KiB cannot be touched for a while.
 * - "guarded-end": "guarded", and these allocations end at their guard page. Their address is a multiple of the largest
 *   power of two that divides the size, up to 16.
 * - "guarded-begin": "guarded", but the guard page comes before the allocation.
 * - "guarded-again": "guarded", but freed memory stays accessible: it keeps its guard page, and the next allocation of
 *   the same size reuses it.
 * - "unbacked": device memory has addresses, but no bytes: transfers move nothing, and host memory is never changed.
 * Only statuses, events and the present table show what constructs do. Kernels read zeros.
 * - "cuda": memory of a GPU, through the driver that is found when the context is opened; then the process must not
 *   fork. */
ACCD_API const accd_backend *accd_find_backend(const char *name);

/* Describes in *info_p device `number`, from 0, of the machine's devices that the backend can use.
 * ACCD_ERROR_NO_DEVICE: info_p->why has the reason; empty if `number` is beyond the last device (HOUSE-device). */
ACCD_API accd_status accd_device_get_info(const accd_backend *backend, unsigned number, accd_device_info *info_p);

/* Makes a context with its own devices and tables, *context_p, which the caller frees. config = NULL: the defaults.
 * ACCD_ERROR_OUT_OF_MEMORY. ACCD_ERROR_NO_DEVICE. ACCD_ERROR_MISUSE: a configuration that this version does not know,
 * too many devices or threads, or an invalid enumerator, also in its rules (HOUSE-device, HOUSE-memory). */
ACCD_API accd_status accd_context_new(accd_context **context_p, const accd_context_config *config);
/* Frees the context, its open regions, and all device memory. Nothing is copied to the host. */
ACCD_API void accd_context_free(accd_context *context);
/* Returns the error of the last call that failed, valid until the next error; never NULL. */
ACCD_API const accd_error *accd_context_error(const accd_context *context);
/* Returns the rules of the context, which owns them. */
ACCD_API const accd_rules *accd_get_rules(const accd_context *context);
/* Returns the number of devices of the context. */
ACCD_API int accd_device_count(const accd_context *context);
/* Sets the observer of events to `fn`, called with `ud`; fn = NULL: no observer. */
ACCD_API void accd_context_set_event_handler(accd_context *context, accd_event_fn fn, void *ud);
/* Selects the events that the observer gets from now on. An event of operation `op` is reported if bit 1 << op is set
 * in `ops`. It has names of data if the bit is set in `named`, too; otherwise its name is "". Initially all bits are
 * set. */
ACCD_API void accd_context_subscribe(accd_context *context, unsigned ops, unsigned named);

#ifdef __cplusplus
}
#endif

#endif
