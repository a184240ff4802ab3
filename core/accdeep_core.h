/* accdeep_core.h - present data, attachments and deep copy on an accelerator's memory.
 *
 * All data movement is expressed as constructs. A construct has a kind, a device and a vector of items. The core plans
 * a construct without changing anything, and reserves the memory it needs. It then copies the bytes in one batch,
 * attaches pointers, and finally changes counters and levels. A construct that fails leaves the device, the counters
 * and the host unchanged.
 *
 * This header declares contexts, constructs, items, mapping programs, events and inspection. It needs no Lua. It
 * includes accdeep_rules.h (rule profiles), accdeep_queues.h (activity queues, kernels on the device) and
 * accdeep_checkpoints.h (registered host memory, saved states, invariants, digests). Terms are those of OpenACC: data
 * environment, present table, structured and dynamic reference counter, attach counter, section. Rule ids, in
 * parentheses, are those of spec/rules.
 *
 * Ownership. An object returned through a pointer to pointer belongs to the caller, until the matching close or
 * release; exceptions are stated. Destructors accept NULL. Output arguments come last, and are written on success only,
 * unless a function says otherwise.
 *
 * Threads. One thread at a time uses a context. Contexts share nothing. The library prints nothing, never exits and has
 * no global variables.
 *
 * Units. Sizes are in bytes; counts and indices of elements are called so. Device addresses are uint64_t; 0 is not an
 * address.
 *
 * Errors that are not listed at each function: ACCD_ERROR_NO_DEVICE for an invalid device number,
 * ACCD_ERROR_OUT_OF_MEMORY of the host, and ACCD_ERROR_MISUSE. ACCD_ERROR_MISUSE is a call from within a callback, a
 * null pointer where an object is needed, or an invalid enumerator or number. After such an error, functions that do
 * not return a status return 0 or NULL. */
#ifndef ACCDEEP_CORE_H
#define ACCDEEP_CORE_H

#include "accdeep_rules.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACCD_VERSION_MAJOR 0
#define ACCD_VERSION_MINOR 1
#define ACCD_VERSION_PATCH 0
#define ACCD_VERSION "0.1.0"

/* Returns the version of the loaded library; ACCD_VERSION is the version of this header. */
ACCD_API const char *accd_version(void);

/* ---------------------------------------------------------------------------------- status -- */

/* X(enumerator, number, code in messages and scenarios, meaning). Numbers never change: a new status takes the next
 * number. */
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
    /* errors in texts that the functions of accdeep.h read */                                             \
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

/* A hint that the status alone does not give. */
typedef enum accd_advice {
    ACCD_ADVICE_NONE,
    ACCD_ADVICE_WHOLE_ROWS /* the section is a part of several rows of an array: use whole rows, or one row */
} accd_advice;

/* Description of the last failure. The texts belong to the context, and are valid until the next error. */
typedef struct accd_error {
    accd_status status;
    const char *rule;       /* id of the rule that the error cites, "TR14-4.2-03"; never NULL in an error */
    size_t item;            /* index of the failed item in the construct; SIZE_MAX: the error is about no single item */
    accd_object_info asked; /* object that the construct asked for */
    accd_object_info other; /* present object that conflicts with `asked`; bytes = 0: none */
    char message[400];      /* sentence that describes the failure */
    size_t named; /* offset in `message` of the name of `asked`, or of "the data"; callers may replace this text */
    size_t named_bytes; /* length of the text at `named`; 0: the message does not name `asked` */
    accd_advice advice;
} accd_error;

/* --------------------------------------------------------------------------------- context -- */

typedef struct accd_context accd_context;
typedef struct accd_region accd_region;
typedef struct accd_program accd_program;
typedef struct accd_walk accd_bounds;
typedef struct accd_backend accd_backend;

/* Allocator with the interface of Lua's lua_Alloc. n = 0 frees the block `ptr`. Otherwise the function resizes `ptr`
 * from `old` bytes to n bytes; ptr = NULL allocates a new block. It returns the new address, or NULL if there is no
 * memory; freeing and shrinking must not fail. */
typedef void *(*accd_allocator)(void *ud, void *ptr, size_t old, size_t n);

/* Value of each byte of simulated device memory that was never written. Read as numbers, such bytes are so large that
 * they stand out in sums. They are 3e38 as a float, 1e306 as a double, 2139062143 as an int; no pointer has such an
 * address. */
enum { ACCD_POISON = 0x7F };

/* Kinds of events. Events are reported after the construct succeeded, in the order of TR-14-1's steps. */
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
/* Returns the name of a kind of event in traces, such as "alloc" or "h2d"; the string is constant. */
ACCD_API const char *accd_op_name(accd_op op);

typedef struct accd_event {
    accd_op op;
    int device;
    const char *name; /* name of the object; of the pointer (attach, detach); of the kernel's operands, "a,
                         v.data[0:4]"; of the queue, "queue 1" or "all queues" (wait) */
    uint64_t host;    /* host address of the object or the pointer; 0 for kernels and waits */
    uint64_t bytes;
    const char *rule;
    const char *file; /* file of the directive; NULL: not known */
    int line;
    int64_t async; /* async value of the queue that did the operation; ACCD_SYNCHRONOUS: no queue */
} accd_event;
#define ACCD_SYNCHRONOUS INT64_MIN

/* Observer of events, called after the construct is complete. The function may inspect the context, but not change it.
 * The event and its strings are valid during the call. */
typedef void (*accd_event_fn)(void *ud, const accd_event *event);

/* Calls function number `fn` of the host program once for each row 0 .. n-1: args[k][row] is argument k of the row, and
 * out[row] receives the row's result. Returns 0; any other number stops the construct with ACCD_ERROR_CALLBACK. */
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

/* Adds bytes to the count of host memory that simulated devices use; negative bytes are given back. */
typedef void (*accd_charge_fn)(void *ud, int64_t bytes);

/* Later versions may add members at the end. A program compiled with an older header keeps running: members that it
 * does not set have their defaults. */
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
    size_t group_least; /* least number of sections that a construct maps as one group: one record for all of them
                           (core/table/group.c) */
    int check_host;     /* true if sections must lie in memory that accd_host_register has registered */
    accd_event_fn on_event;
    void *event_ud;
    accd_bound_fn on_bound;
    void *bound_ud;
    const accd_backend *backend;        /* backend of the devices; NULL: the simulated device */
    accd_descriptor_layout descriptors; /* layout for accd_attach_descriptor */
    unsigned first_device;       /* number of the machine's device that is device 0. If the machine has too few, several
                                    devices of the context share one */
    accd_device_info *no_device; /* NULL, or its member `why` receives the reason of ACCD_ERROR_NO_DEVICE */
    accd_queue_mode queues;      /* when the work of queues is done */
    int own_kernels; /* true if kernels of the program write device memory. All device memory then counts as written,
                        and any stream may use data once the construct that maps them has returned. Always true for
                        "direct"; never for "sim", whose memory no kernel can use */
    int checkpoints; /* true if states can be saved and restored (accd_checkpoint_new). Only for "sim". The context then
                        works with one thread, and uses `alloc` for checkpoints alone */
    int avoid_reuse; /* true if freed device memory is reused only when no other memory is left, so that stale pointers
                        into it stay invalid. Only for "sim" */
    accd_charge_fn charge; /* NULL: host memory is not counted. Only for "sim" */
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
/* Copies the configuration `from`, of any version of this header, to `to`, which has the size of this library's
 * version. ACCD_ERROR_MISUSE: `from` is shorter than the configuration of the first version, or has nonzero members
 * that this library does not know. */
ACCD_API accd_status accd_context_config_copy(accd_context_config *to, const accd_context_config *from);

/* Returns the built-in backend of that name; NULL: no such backend.
 * - "sim": simulated memory that only the core reaches.
 * - "direct": "sim" at its device addresses in this process, for kernels of real programs; it does not know which
 *   bytes were written.
 * - "guarded": "direct", with a page that no access may touch after each of the first 8192 allocations. Freed memory
 *   of up to 16 KiB cannot be touched for a while.
 * - "guarded-end": "guarded", and the guarded allocations end at their page. Their address is a multiple of the largest
 *   power of two that divides the size, up to 16.
 * - "guarded-begin": "guarded", but the page comes before the allocation.
 * - "guarded-again": "guarded", but freed memory stays accessible: it keeps its guard page, and the next allocation of
 * the same size reuses it.
 * - "cuda": memory of a GPU, through the driver that is found when the context is opened; then the process must not
 *   fork. */
ACCD_API const accd_backend *accd_find_backend(const char *name);

/* Describes device `number`, from 0, of the machine's devices that the backend can use. ACCD_ERROR_NO_DEVICE:
 * info_p->why has the reason; it is empty if `number` is beyond the last device (HOUSE-device). */
ACCD_API accd_status accd_device_get_info(const accd_backend *backend, unsigned number, accd_device_info *info_p);

/* Makes a context with its own devices and tables; the caller frees it. ACCD_ERROR_OUT_OF_MEMORY. ACCD_ERROR_NO_DEVICE.
 * ACCD_ERROR_MISUSE: a configuration of another size, too many devices or threads, or an invalid enumerator, also in
 * its rules (HOUSE-device, HOUSE-memory). */
ACCD_API accd_status accd_context_new(accd_context **context_p, const accd_context_config *config);
/* Frees the context, its open regions, and all device memory. Nothing is copied to the host. */
ACCD_API void accd_context_free(accd_context *context);
/* Returns the error of the last call that failed, valid until the next call; never NULL. */
ACCD_API const accd_error *accd_context_error(const accd_context *context);
/* Returns the rules of the context, which owns them. */
ACCD_API const accd_rules *accd_get_rules(const accd_context *context);
/* Returns the number of devices. */
ACCD_API int accd_device_count(const accd_context *context);
/* Sets the observer of events to `fn`, called with `ud`; fn = NULL: no observer. */
ACCD_API void accd_context_set_event_handler(accd_context *context, accd_event_fn fn, void *ud);
/* Selects by bits 1 << op which events the observer receives from now on (`ops`), and which of them carry names
 * (`named`); the other events have the name "". Initially all bits of both are set. */
ACCD_API void accd_context_subscribe(accd_context *context, unsigned ops, unsigned named);

/* ---------------------------------------------------------------------- labels and programs -- */

/* Dimension of a Fortran array; stride in bytes. */
typedef struct accd_dimension {
    int64_t lower, extent, stride;
} accd_dimension;
#define ACCD_MAX_RANK 15

/* Dimensions by which the elements of an array are named. Fortran: s(1,2). C: s[1][2]; only the extents of the
 * dimensions count then, the innermost first. */
typedef struct accd_array {
    const char *name; /* name of the array, if the label names a part of it: "s" for "s(2:3)"; or NULL */
    int64_t shift;    /* bytes from the array's first element to the object that the label names */
    unsigned rank;
    uint32_t described; /* nonzero: offset of the dimensions in the descriptor that points to the object; each has three
                           words: lower bound, extent and stride */
    uint32_t span; /* nonzero: the words are stride, lower and upper bound, and strides count units of the word at this
                      offset */
    accd_dimension dimensions[ACCD_MAX_RANK];
} accd_array;

/* Name of an object. Labels belong to the context, and live as long as the context. */
typedef struct accd_label {
    const char *name; /* "X", "X.a"; for a member only its own name, "a". Each # is replaced by the next index of the
                         item: "Y[#].b" */
    uint64_t unit;    /* bytes of one element */
    unsigned flags;   /* ACCD_LABEL_* */
    const char *file; /* file of the clause; NULL: not known */
    int line;
    const accd_program *layout; /* program whose members name the parts of an element, or NULL */
    const char *pointer;        /* name of the pointer that points to the object; NULL: the name of the object */
    const accd_array *array;    /* dimensions in names of elements; NULL: one dimension from 0 */
    uint32_t id;                /* number given by the core */
} accd_label;
#define ACCD_MAX_LABEL_INDICES 3
#define ACCD_LABEL_SECTION 1u     /* printed with [start:length] */
#define ACCD_LABEL_MEMBER 2u      /* printed after the name of the element that holds the pointer */
#define ACCD_LABEL_ELEMENT 4u     /* printed with [start]: one element of an array */
#define ACCD_LABEL_PARENTHESES 8u /* elements are named (1), (2) ..., as in Fortran, not [0], [1] */
#define ACCD_LABEL_INDEXED 16u    /* set by the core: the name has a # */

/* Returns the context's copy of a label and its strings; equal labels share one copy. NULL: out of memory. */
ACCD_API const accd_label *accd_label_intern(accd_context *context, const accd_label *label);

/* Operation of a clause on an item. */
typedef enum accd_action {
    ACCD_ACTION_INHERIT, /* action of the item (in mapping programs only) */
    ACCD_ACTION_COPY,
    ACCD_ACTION_COPYIN,
    ACCD_ACTION_COPYOUT,
    ACCD_ACTION_CREATE,
    ACCD_ACTION_NO_CREATE,
    ACCD_ACTION_PRESENT,
    ACCD_ACTION_DELETE,
    ACCD_ACTION_ATTACH,
    ACCD_ACTION_DETACH,
    ACCD_ACTION_UPDATE_SELF,
    ACCD_ACTION_UPDATE_DEVICE,
    ACCD_ACTION_HOLD, /* storage and a reference, no copies: the base of a member clause (TR14-3.4-05) */
    ACCD_ACTION_COUNT
} accd_action;
/* Returns the name of an action in messages, such as "copyin"; the string is constant. */
ACCD_API const char *accd_action_name(accd_action action);

/* A mapping program describes one element of an object: which of its bytes are copied, and which of its pointers are
 * followed. It is the compiled form of a nest (TR14-3.3-17). */
typedef struct accd_piece { /* bytes of the element itself */
    uint64_t offset, bytes;
    uint8_t action;          /* ACCD_ACTION_INHERIT, or another action */
    uint8_t init;            /* init_needed: create acts as copyin, copyout as copy */
    uint8_t entry_only;      /* true for an untranslated pointer: copied to the device at entry, never back */
    uint8_t base_pointer;    /* true for the base pointer of a section: copied with a new object only */
    const accd_label *label; /* NULL: the name of the object */
} accd_piece;

typedef struct accd_field { /* pointer that is followed, or embedded elements */
    uint64_t offset;        /* offset of the pointer, or of the embedded elements */
    uint64_t unit;          /* bytes of one element of the section */
    int count;              /* register with the number of elements */
    int start;              /* register with the index of the first element; -1: the index is 0 */
    uint8_t action;
    uint16_t flags; /* ACCD_ITEM_PRESENT_OR, _KEEP, _REFRESH, _ALWAYS_IN, _ALWAYS_OUT, _MUST, _FINAL, _ZERO, _ATTACH_*,
                       for an explicit action; with ACCD_ACTION_INHERIT all flags except _ATTACH_* are inherited */
    uint8_t init;
    uint8_t embedded;    /* true if the elements lie in the object itself, so that they are walked but not mapped */
    uint8_t in_place;    /* true for a section of an embedded array: bytes of the object, without a pointer */
    uint32_t slot_bytes; /* bytes of the descriptor (CFI_cdesc_t) that begins with the pointer; 0: a plain pointer */
    size_t code_end;     /* number of instructions, from the start of the program, executed before this field */
    const accd_label *label;
    accd_program *child; /* program for the elements of the section, retained; NULL: plain data */
    unsigned up; /* nonzero: child is NULL, and the program `up` levels further out (1: this one) walks the elements
                    (TR14-5-10), each element once, even if several pointers point to it */
} accd_field;

/* Operations of mapping programs; each one computes 256 elements at once. R[x] is register x, a column of 64-bit
 * integers. The instructions of a field run just before the field, so later fields can reuse registers. Programs of
 * inner elements read the final values of registers. */
typedef enum accd_opcode {
    ACCD_I_CONST,   /* R[to] = k */
    ACCD_I_PARAM,   /* R[to] = parameter k of the item */
    ACCD_I_INHERIT, /* R[to] = R[k] of the enclosing element */
    ACCD_I_SELF,    /* R[to] = host address of the element */
    ACCD_I_LOAD,    /* R[to] = member of scalar type b at offset k of the element */
    ACCD_I_LOAD_AT, /* R[to] = value of scalar type b at address R[a] + k. A null or dangling address is an error; at
                       address -1 nothing is read */
    /* Arithmetic: k selects the type. k = 0: computed in 64 bits; an undefined result becomes ACCD_UNREPRESENTABLE. k =
     * 1 + ACCD_SCALAR_I32, ACCD_SCALAR_U32, ACCD_SCALAR_I64 or ACCD_SCALAR_U64: as C computes in this type. Results
     * undefined in C are errors: a division by zero, an overflow of a signed type, a shift by too many bits. Registers
     * have the value of the type; for ACCD_SCALAR_U64, its bits. */
    ACCD_I_ADD,
    ACCD_I_SUB,
    ACCD_I_MUL,
    ACCD_I_DIV,
    ACCD_I_MOD,
    ACCD_I_SHL,
    ACCD_I_SHR,
    ACCD_I_AND,
    ACCD_I_OR,
    ACCD_I_XOR,
    ACCD_I_EQ,
    ACCD_I_NE,
    ACCD_I_LT,
    ACCD_I_LE, /* k = 1 + ACCD_SCALAR_U64: unsigned */
    ACCD_I_NEG,
    ACCD_I_NOT,
    ACCD_I_LNOT,
    ACCD_I_DISTANCE, /* R[to] = (R[a] - R[b]) / k, for pointers to elements of k bytes */
    ACCD_I_SELECT,   /* R[to] = R[a] ? R[b] : R[k] */
    ACCD_I_CAST,     /* R[to] = R[a] converted to type b */
    ACCD_I_CALL,     /* R[to] = function k of registers a .. a+b-1 */
    ACCD_I_REQUIRE,  /* R[to] = R[a]. R[a] = 0 is an error: the section covers parts of several rows of k elements each;
                        with k = 0, the section runs off its row */
    ACCD_I_CALL_IF,  /* R[to] = R[a] ? function k of registers a+1 .. a+b : 0; called only where R[a] is not 0 */
    ACCD_I_COUNT
} accd_opcode;

typedef enum accd_scalar {
    ACCD_SCALAR_I8,
    ACCD_SCALAR_U8,
    ACCD_SCALAR_I16,
    ACCD_SCALAR_U16,
    ACCD_SCALAR_I32,
    ACCD_SCALAR_U32,
    ACCD_SCALAR_I64,
    ACCD_SCALAR_U64,
    ACCD_SCALAR_BOOL,
    ACCD_SCALAR_COUNT
} accd_scalar;

typedef struct accd_instruction {
    uint8_t op, to, a, b;
    int64_t k;
} accd_instruction;

typedef struct accd_member {
    uint64_t offset, bytes;
    const accd_label *label;
} accd_member;

typedef struct accd_program_spec {
    uint64_t stride; /* bytes of one element */
    const accd_piece *pieces;
    size_t npieces;
    const accd_field *fields;
    size_t nfields;
    const accd_instruction *code;
    size_t ncode;
    unsigned registers;
    unsigned params; /* number of parameters that the program reads, and that an item with this program must have */
    const accd_member *excluded; /* excluded members: not available on the device */
    size_t nexcluded;
    const accd_member *members; /* named parts of an element, for messages */
    size_t nmembers;
} accd_program_spec;

/* Checks `spec` and makes a program with copies of its arrays. The caller releases the program. ACCD_ERROR_MISUSE: an
 * invalid program, such as registers out of range, or members outside of the element. */
ACCD_API accd_status accd_program_new(accd_context *context, const accd_program_spec *spec, accd_program **program_p);
/* Adds a user to a program, and returns the program; NULL is returned as it is. Programs that contain the program, and
 * constructs that use it, are users, too. */
ACCD_API accd_program *accd_program_retain(accd_program *program);
/* Removes a user of a program, which may be NULL. The last user frees the program; with config.checkpoints, the context
 * does. */
ACCD_API void accd_program_release(accd_program *program);

/* Runs code once, without an element. `registers` is the number of registers; out[0 .. registers-1] receives their
 * values. ACCD_ERROR_MISUSE: the code has instructions about elements (ACCD_I_LOAD, ACCD_I_INHERIT, ACCD_I_SELF).
 * ACCD_ERROR_NULL_POINTER, ACCD_ERROR_CALLBACK, ACCD_ERROR_INVALID_SECTION, ACCD_ERROR_OUT_OF_BOUNDS (TR14-3.1.1-21).
 */
ACCD_API accd_status accd_evaluate(accd_context *context, const accd_instruction *code, size_t ncode,
                                   unsigned registers, const int64_t *params, int64_t *out);
/* Value of a register whose result cannot be represented in 64 bits, after a division by zero or an overflow. */
#define ACCD_UNREPRESENTABLE INT64_MIN

/* ------------------------------------------------------------------------------- constructs -- */

typedef enum accd_construct_kind {
    ACCD_KIND_REGION,  /* structured data region: entry now, exit at accd_region_end */
    ACCD_KIND_COMPUTE, /* compute region: entry now, exit at accd_region_end */
    ACCD_KIND_ENTER_DATA,
    ACCD_KIND_EXIT_DATA,
    ACCD_KIND_UPDATE
} accd_construct_kind;

typedef struct accd_stride { /* dimension of a section with gaps */
    uint64_t count, step;    /* number of runs, and bytes from one run to the next */
} accd_stride;

typedef struct accd_item {
    const void *host; /* first byte */
    uint64_t bytes;   /* 0: the clause does not apply (TR14-4.3-14). With ACCD_ACTION_ATTACH of a descriptor: the bytes
                         that must be present; 0: those at the address in the descriptor */
    const void *slot; /* address of the pointer through which the section is reached, or NULL */
    uint32_t slot_bytes; /* bytes of the descriptor (CFI_cdesc_t) that begins with the pointer and is attached as a
                            whole (FLANG-composite-1). 0: a plain pointer. ACCD_ERROR_MISUSE: not whole words, or too
                            large for a descriptor */
    int64_t start;       /* index of the first element, for names only */
    int64_t index[ACCD_MAX_LABEL_INDICES]; /* indices for # in the label's name */
    const accd_label *label;               /* name of the item; NULL: it has no name */
    accd_program *program;                 /* mapping program of its elements; NULL: plain data */
    const int64_t *params;                 /* parameters of the program */
    const void *frame;    /* unmapped aggregate whose member the item is, or NULL; its members keep their distances */
    uint64_t frame_bytes; /* bytes of the frame; needed in the first construct that names the frame */
    const void *base;     /* element 0 of the array that contains the section; NULL: at `host` (DIR-4.1-03) */
    /* Section with gaps: ndims dimensions of runs of `run` bytes. The first run is at `host`, the others at the
     * distances that `dims` gives. Presence and allocation concern all bytes, gaps included. Only runs are copied
     * (ACC33-upd-2), and only elements in runs are walked. ACCD_ERROR_MISUSE: runs outside of the bytes, overlapping
     * runs, or parts of elements. */
    const accd_stride *dims;
    uint64_t run;
    uint8_t ndims;  /* number of dims, at most 15; 0: no gaps */
    uint8_t action; /* accd_action */
    uint16_t flags; /* ACCD_ITEM_* */
} accd_item;
#define ACCD_ITEM_UNCOUNTED 1u       /* bytes of an object whose counter another item increments */
#define ACCD_ITEM_INIT 2u            /* init_needed */
#define ACCD_ITEM_IF_PRESENT 4u      /* if_present: absent data are skipped; exit data skips data without enter data */
#define ACCD_ITEM_PRESENT_OR 8u      /* present_or_copy and similar clauses: present data are accepted */
#define ACCD_ITEM_BASE_POINTER 16u   /* the item is the base pointer of another item's section */
#define ACCD_ITEM_COPY_ABSENT 32u    /* present_and_copyin: copies the absent part of partially present data */
#define ACCD_ITEM_UPDATE_PRESENT 64u /* update_and_copy: copies the part that is present already, too */
#define ACCD_ITEM_ALWAYS_IN 128u     /* copies to the device, even if the data are present already */
#define ACCD_ITEM_ALWAYS_OUT 256u    /* copies to the host, even if references remain */
#define ACCD_ITEM_REQUIRE_PRESENT 512u /* present modifier: checked first, for all items (OMP60-map-9) */
#define ACCD_ITEM_FINALIZE 1024u       /* exit data: sets the counters of this item's data to 0 */
#define ACCD_ITEM_ZERO 2048u           /* clears allocated memory to which nothing is copied (ACC33-2.7-4) */
/* Flags for the section's own pointer only (OMP61-1): */
#define ACCD_ITEM_ATTACH_ALWAYS 4096u /* attaches the pointer, even if neither the pointer nor its target is new */
#define ACCD_ITEM_ATTACH_NEVER 8192u  /* never attaches the pointer */
/* Flags for the item and its sections, on entry: */
#define ACCD_ITEM_PRESENT_PART 16384u /* maps and attaches only the present part of the data (OMP60-map-12) */
#define ACCD_ITEM_CHAIN 32768u        /* pointer on the path to another item: also adds a dynamic reference */

/* Sets host, bytes, start and base of an item from the section base[start:count] of elements of unit bytes.
 * ACCD_ERROR_INVALID_SECTION: a negative length, or bounds outside of the address space (ACC33-2.7.1-1). */
ACCD_API accd_status accd_item_set_section(accd_context *context, accd_item *item, uint64_t base, int64_t start,
                                           int64_t count, uint64_t unit);

/* Code that computes where an item lies. Each `int` member is the number of the register that has the value, or -1: the
 * code computes no such value. */
typedef struct accd_item_code {
    const accd_instruction *code; /* instructions, none about elements (see accd_evaluate) */
    size_t ncode;
    unsigned registers;                /* number of registers, at most ACCD_MAX_ITEM_REGISTERS */
    int base, start, count;            /* section base[start:count]; start = -1: index 0; count = -1: one element */
    int slot;                          /* address of the pointer */
    int origin;                        /* register with the address of element 0; -1: element 0 is at `base` */
    int index[ACCD_MAX_LABEL_INDICES]; /* indices for # in the label's name */
    uint64_t unit;                     /* bytes of an element */
    const int *params;                 /* registers with the parameters of the item's program */
    unsigned nparams;
} accd_item_code;
#define ACCD_MAX_ITEM_REGISTERS 64

/* Runs code and sets host, bytes, start, base, index and params of an item, and slot if code->slot is not -1. `given`
 * has the parameters of the code; NULL: none. `params` is an array of code->nparams elements that receives the
 * parameters of the item's program; the item points to it. Fails as accd_evaluate and accd_item_set_section. */
ACCD_API accd_status accd_item_locate(accd_context *context, const accd_item_code *code, const int64_t *given,
                                      int64_t *params, accd_item *item);

typedef struct accd_construct {
    int device;
    accd_construct_kind kind;
    int finalize; /* exit data: dynamic counters and attach counters become 0 */
    const accd_item *items;
    size_t nitems;
    const char *name; /* name of the level that it opens, "data"; not copied, must outlive the region */
    const char *file; /* file of the directive, or NULL; not copied, must outlive the region */
    int line;
    uint64_t thread; /* number of the host thread: regions nest among those of one thread */
    unsigned queue;  /* queue (accd_queue_get) for the transfers of the construct and of the region's end; 0: the
                        transfers are complete when the call returns */
} accd_construct;

/* Executes a construct. *region_p receives the region that ACCD_KIND_REGION and ACCD_KIND_COMPUTE open, which
 * accd_region_end frees; `region_p` may be NULL for other kinds. A failure changes nothing, and accd_context_error has
 * the reason. Reasons are absent or partially present data, pointers that cannot be attached or detached, invalid
 * sections, missing memory, the device (TR14-4.2-01 to TR14-4.2-11). */
ACCD_API accd_status accd_run_construct(accd_context *context, const accd_construct *construct, accd_region **region_p);
/* Executes a construct as accd_run_construct does, but faster if its items attach or detach pointers. */
ACCD_API accd_status accd_run_construct_with_pointers(accd_context *context, const accd_construct *construct,
                                                      accd_region **region_p);

/* Ends a region, and frees it. If the end fails, the region stays open. ACCD_ERROR_REGION_NESTING: the region is not
 * the innermost one of its device and thread (DIR-4.3-06). */
ACCD_API accd_status accd_region_end(accd_region *region);
/* Ends a region and the regions inside it without copying to the host, when an error unwinds the program.
 * ACCD_ERROR_OUT_OF_MEMORY: some of these regions remain, until they are abandoned again or an enclosing region ends.
 */
ACCD_API accd_status accd_region_abandon(accd_region *region);
/* Returns the number of the region's device. */
ACCD_API int accd_region_device(const accd_region *region);
/* Writes the device addresses of the region's first items, at most n, up to the first item whose address needs a
 * look-up. Returns the number of addresses written, 0 for regions of the general path. */
ACCD_API size_t accd_region_addresses(const accd_region *region, uint64_t *addresses, size_t n);

/* Records in *bounds_p the bounds of all sections that an item has now. The caller frees the record with
 * accd_bounds_free before the context is closed. *bounds_p becomes NULL if the item has no mapping program, or a
 * program that calls functions of the host program, which only constructs may call. Fails as accd_run_construct if a
 * section is invalid. */
ACCD_API accd_status accd_bounds_new(accd_context *context, const accd_item *item, accd_bounds **bounds_p);
typedef struct accd_bounds_change {
    char then[160], now[160]; /* names of the section in the earlier and the later record: "X.a[0:4]", "X.a[0:2]" */
} accd_bounds_change;
/* Compares the bounds of the sections that both records reached through the same pointers. Returns 1 if one has
 * changed, and *change_p receives the first such section; otherwise 0 (TR14-4.3-04). */
ACCD_API int accd_bounds_changed(const accd_bounds *then, const accd_bounds *now, accd_bounds_change *change_p);
/* Frees recorded bounds; NULL does nothing. */
ACCD_API void accd_bounds_free(accd_bounds *bounds);

/* ------------------------------------------------------------------ single steps (acc_* API) -- */

/* Maps host memory to a device address that the caller owns (acc_map_data). The dynamic counter becomes 1; nothing is
 * copied. ACCD_ERROR_NULL_POINTER; ACCD_ERROR_INVALID_SECTION: bytes = 0; ACCD_ERROR_ALREADY_PRESENT: some of the bytes
 * are present already (ACC33-3.2.21-1). */
ACCD_API accd_status accd_map_data(accd_context *context, int device, const void *host, uint64_t dev, uint64_t bytes,
                                   const accd_label *label);
/* Ends a mapping of accd_map_data (acc_unmap_data); nothing is copied. ACCD_ERROR_NOT_PRESENT: accd_map_data did not
 * map `host`. ACCD_ERROR_ALREADY_PRESENT: a region uses the data. ACCD_ERROR_STILL_ATTACHED: an attached pointer lies
 * in the data or points to them. The last two are no errors if the rules have unmap_used = ACCD_CHOICE_IGNORE
 * (ACC33-3.2.21-2). */
ACCD_API accd_status accd_unmap_data(accd_context *context, int device, const void *host);
/* Allocates device memory without host data, which belongs to the caller until accd_device_free or the end of the
 * context. bytes = 0: *dev_p becomes 0. ACCD_ERROR_OUT_OF_DEVICE_MEMORY (ACC33-3.2.16-1). */
ACCD_API accd_status accd_device_alloc(accd_context *context, int device, uint64_t bytes, uint64_t *dev_p);
/* Frees memory of accd_device_alloc; dev = 0 does nothing. ACCD_ERROR_MISUSE: accd_device_alloc did not return `dev`;
 * ACCD_ERROR_ALREADY_PRESENT: host data are mapped to the memory (ACC33-3.2.16-1). */
ACCD_API accd_status accd_device_free(accd_context *context, int device, uint64_t dev);
/* Copies bytes from host memory to a device address, whether or not data are present there.
 * ACCD_ERROR_HOST_POINTER_ON_DEVICE: `dev` is not a device address. ACCD_ERROR_OUT_OF_BOUNDS: the range runs off
 * allocated device memory, or, with check_host, registered host memory. ACCD_ERROR_DEVICE (ACC33-3.2.30-1). */
ACCD_API accd_status accd_copy_to_device(accd_context *context, int device, uint64_t dev, const void *host,
                                         uint64_t bytes);
/* Copies bytes from a device address to host memory; fails as accd_copy_to_device. */
ACCD_API accd_status accd_copy_from_device(accd_context *context, int device, void *host, uint64_t dev, uint64_t bytes);
/* Copies bytes between two device addresses of one device; fails as accd_copy_to_device. */
ACCD_API accd_status accd_copy_within_device(accd_context *context, int device, uint64_t to, uint64_t from,
                                             uint64_t bytes);

typedef enum accd_direction {
    ACCD_DIRECTION_TO_DEVICE,
    ACCD_DIRECTION_FROM_DEVICE,
    ACCD_DIRECTION_WITHIN_DEVICE
} accd_direction;
/* Queues a copy as the three functions above, by `way`. The caller's source location is `file` and `line`; NULL and 0:
 * not known (ACC33-async-1). */
ACCD_API accd_status accd_copy_async(accd_context *context, int device, unsigned queue, accd_direction way, uint64_t to,
                                     uint64_t from, uint64_t bytes, const char *file, int line);

/* Attaches the descriptor of a Fortran variable to the device copy of size bytes at offset from data (FLANG-api-2 to
 * FLANG-api-6). Does nothing unless both the section and the descriptor are present. For a scalar, `offset` is 0 and
 * `size` the scalar's size. An empty section counts as present where one byte would be.
 * - If the descriptor is as it was at the last attach, its counter is incremented.
 * - Otherwise it is copied to the device with the data's device address, less offset so that indices keep their
 *   meaning, and the counter is one. data must be the address in the descriptor; otherwise ACCD_ERROR_POINTER_CHANGED.
 * - A null address copies the host's null descriptor to the device and ends the attachment (ACC33-att-4,
 *   ACC33-gloss-2). This is ACCD_ERROR_POINTER_CHANGED if the rules let no attached pointer change. It does nothing if
 *   the rules attach a null pointer to nothing (attach_null).
 * - The first word of an addendum points to a type record, which begins with its size in bytes, a word of eight. The
 *   call maps and attaches the record, too. A later step that ends the attachment also removes this reference: a
 *   detach, an exit of data or descriptor, the end of a region, a null pointer, another type (FLANG-api-7). */
ACCD_API accd_status accd_attach_descriptor(accd_context *context, int device, const void *descriptor, const void *data,
                                            uint64_t offset, uint64_t size, const char *file, int line);
/* Decrements the attach counter of a descriptor, or sets it to 0 if `finalize`. At 0 the whole host descriptor is
 * copied to the device, and the type record of its addendum is unmapped, unless it is needed elsewhere (FLANG-todo-1).
 */
ACCD_API accd_status accd_detach_descriptor(accd_context *context, int device, const void *descriptor, int finalize,
                                            const char *file, int line);
/* Returns the size in bytes of a descriptor, including its dimensions and addendum; 0 if the descriptor's rank is not 0
 * to 15. */
ACCD_API uint32_t accd_descriptor_bytes(const accd_context *context, const void *descriptor);

/* ------------------------------------------------------------------------------- inspection -- */

typedef enum accd_presence { ACCD_PRESENCE_NONE, ACCD_PRESENCE_PARTIAL, ACCD_PRESENCE_FULL } accd_presence;

/* Returns whether a range is present in one object, wholly or in part. bytes = 0 counts as one byte (ACC33-3.2.26-2).
 */
ACCD_API accd_presence accd_get_presence(accd_context *context, int device, const void *host, uint64_t bytes);
/* Translates a host address in a present object to a device address; returns 0 if no present object contains it
 * (ACC33-3.2.26-1).
 */
ACCD_API uint64_t accd_device_address(accd_context *context, int device, const void *host);
/* Translates a device address in a present object to a host address; returns 0 if no present object contains it. */
ACCD_API uint64_t accd_host_address(accd_context *context, int device, uint64_t dev);
/* Returns the device address of the target of a pointer that no clause names, given the pointer's value `host`; 0: the
 * pointer has no target. The target is in a present object, at the end of one, or, if the rules say so, in the extended
 * range before its bytes (OMP60-map-10). [*low_p, *high_p) is the device range of the object. */
ACCD_API uint64_t accd_matching_address(accd_context *context, int device, const void *host, uint64_t *low_p,
                                        uint64_t *high_p);

typedef struct accd_present_object {
    accd_object_info info;
    uint64_t dev;
    uint32_t structured, dynamic;
    int mapped;  /* true if accd_map_data mapped the object */
    int pointer; /* true if only items with ACCD_ITEM_BASE_POINTER mapped the object */
} accd_present_object;
/* Describes the present object that contains a host address or, if `in_device`, a device address. Returns 1, or 0 if no
 * object contains the address.
 */
ACCD_API int accd_present_at(accd_context *context, int device, uint64_t address, int in_device,
                             accd_present_object *present_p);
/* Describes the first present object at or after host address *at, and sets *at to the object's end, so that a loop
 * visits all objects. Returns 1, or 0 after the last object. */
ACCD_API int accd_present_next(accd_context *context, int device, uint64_t *at, accd_present_object *present_p);
/* Gives start and size of the present object that contains a host address. Returns 1, or 0 if there is no such object.
 * Faster than accd_present_at, which also formats names. */
ACCD_API int accd_present_bounds(accd_context *context, int device, const void *host, uint64_t *start_p,
                                 uint64_t *bytes_p);
/* Gives start and size of the first present object with a byte in [*at, end), and sets *at to the object's end. Returns
 * 1, or 0 if there is no such object. No names are formatted. */
ACCD_API int accd_present_overlapping(accd_context *context, int device, uint64_t *at, uint64_t end, uint64_t *start_p,
                                      uint64_t *bytes_p);

typedef struct accd_attachment {
    char name[160];      /* name of the pointer */
    uint64_t slot;       /* host address of the pointer */
    uint64_t slot_bytes; /* bytes of the pointer: 8, or the size of the descriptor that begins with it */
    uint64_t target;     /* pointer's value on the host when it was attached */
    uint64_t dev;        /* pointer's value on the device */
    uint32_t count;
    uint64_t low, high; /* device range of the object into which the pointer points */
} accd_attachment;
/* Describes the attachment of the pointer at host address `slot`. Returns 1, or 0 if the pointer is not attached. */
ACCD_API int accd_attachment_at(accd_context *context, int device, const void *slot, accd_attachment *attachment_p);
/* Describes the first attachment of a pointer at or after host address *at, and sets *at to the next address, so that a
 * loop visits all. Returns 1, or 0 after the last attachment. */
ACCD_API int accd_attachment_next(accd_context *context, int device, uint64_t *at, accd_attachment *attachment_p);

typedef struct accd_clause { /* tuple of a level (DIR-4.1-03) */
    accd_object_info info;
    accd_action action;
    int created; /* true if this level allocated the object (ALLOC), false for ALIAS */
} accd_clause;
typedef struct accd_level {
    accd_construct_kind kind;
    const char *name, *file;
    int line;
    size_t clauses;
} accd_level;
/* Describes level `index` of the device's stack of data environments; index 0 is the outermost level. Returns 1, or 0
 * if there is no such level. */
ACCD_API int accd_level_get(accd_context *context, int device, size_t index, accd_level *level_p);
/* Describes clause number `clause`, from 0, of level `index`. Returns 1, or 0 if there is no such level or clause. */
ACCD_API int accd_level_get_clause(accd_context *context, int device, size_t index, size_t clause,
                                   accd_clause *clause_p);

/* Lists of tuples of a level, and of the base level above it, to which enter data adds (DIR-6-02). */
typedef enum accd_tuple_list {
    ACCD_LIST_ORIGINAL,   /* clauses of the level */
    ACCD_LIST_ARTIFICIAL, /* tuples of the level after fusion */
    ACCD_LIST_DYNAMIC,    /* clauses of enter data while the level was the innermost one */
    ACCD_LIST_BASE_LEVEL  /* tuples of the level after fusion with its dynamic clauses */
} accd_tuple_list;
typedef struct accd_tuple {
    accd_object_info info;
    uint64_t base;      /* ORIGINAL, DYNAMIC: host address of element 0 */
    uint64_t dev;       /* ARTIFICIAL, BASE_LEVEL: device address of the first byte */
    accd_action action; /* ORIGINAL, DYNAMIC */
    unsigned flags;     /* ORIGINAL, DYNAMIC: ACCD_ITEM_* */
    int alloc; /* ARTIFICIAL, BASE_LEVEL: true if this level, or its base level, allocated the tuple's memory; false:
                  ALIAS */
    const accd_object_info *ancestors; /* ARTIFICIAL, BASE_LEVEL: its source tuples, in host order */
    size_t nancestors;
} accd_tuple;
typedef void (*accd_tuple_fn)(void *ud, const accd_tuple *tuple);
/* Calls fn for each tuple of a list: originals in the order of their clauses, others in host order. Level 0 is the
 * outermost one; level = -1, for ACCD_LIST_DYNAMIC and ACCD_LIST_BASE_LEVEL only, is below all levels. Without fusion
 * in the rules, ORIGINAL and ARTIFICIAL both list the clauses of the level, and base levels have no tuples. Costs O(n
 * log n). ACCD_ERROR_NO_DEVICE; ACCD_ERROR_MISUSE: no such level; ACCD_ERROR_OUT_OF_MEMORY (DIR-4.1-03). */
ACCD_API accd_status accd_for_each_tuple(accd_context *context, int device, int64_t level, accd_tuple_list list,
                                         accd_tuple_fn fn, void *ud);

#ifdef __cplusplus
}
#endif

#include "accdeep_checkpoints.h"
#include "accdeep_queues.h"

#endif
