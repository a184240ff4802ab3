/* accdeep_core.h - present data, attachments and deep copy on an accelerator's memory.
 *
 * Everything that asks for data movement becomes one thing, a construct: a device, a kind and a
 * vector of items. The core plans a construct without touching anything, reserves all memory it
 * needs, moves the bytes in one batch, attaches pointers, and only then changes counters and
 * levels. A construct that fails changes nothing: not the device, not the counters, not the host.
 *
 * This is the explicit tier: contexts, constructs, items, mapping programs, events, inspection; activity queues and
 * kernels on the device are in accdeep_queues.h, which this header includes.
 * It needs no Lua. Words are those of OpenACC: data environment, present table, structured and
 * dynamic reference counter, attachment counter, section. Rule ids are those of spec/rules.
 *
 * Ownership: what a function returns through a pointer to pointer belongs to the caller until the
 * matching close or release, unless said otherwise. Destructors accept NULL. Output arguments come
 * last and are written on success only. A context is used by one thread at a time; contexts do
 * not share anything. Nothing here prints, exits or uses globals. Bytes are bytes; counts and indices
 * of elements are said to be such; device addresses are uint64_t, 0 is none.
 *
 * Statuses that are not reported at each function: ACCD_NO_DEVICE for the number of a device that there is
 * not, ACCD_OUT_OF_MEMORY of the host, and ACCD_MISUSE for a call from within a callback, for a null pointer
 * where something is needed, and for enumerators and numbers that there are not. Functions that return
 * something else return 0, or NULL, for those.
 */
#ifndef ACCDEEP_CORE_H
#define ACCDEEP_CORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACCD_VERSION_MAJOR 0
#define ACCD_VERSION_MINOR 1
#define ACCD_VERSION_PATCH 0
#define ACCD_VERSION "0.1.0"

#if defined(__GNUC__)
#define ACCD_API __attribute__((visibility("default")))
#else
#define ACCD_API
#endif

/* The version of the library that runs; ACCD_VERSION is that of the header. */
ACCD_API const char *accd_version(void);

/* ---------------------------------------------------------------------------------- status -- */

/* X(enumerator, number, code as printed and as scenarios name it, what it means). Numbers never change: a new
 * status takes the next one. */
#define ACCD_STATUS_MAP(X)                                                                           \
    X(OK, 0, "ok", "no error")                                                                       \
    X(NOT_PRESENT, 1, "not-present", "data are not present on the device")                           \
    X(ALREADY_PRESENT, 2, "already-present", "data are present already")                             \
    X(PARTIALLY_PRESENT, 3, "partially-present", "only a part of the data is present")               \
    X(PARTIAL_OVERLAP, 4, "partial-overlap", "two objects of one construct overlap in part")         \
    X(NOT_ATTACHED, 5, "not-attached", "the pointer is not attached")                                \
    X(POINTER_CHANGED, 6, "pointer-changed", "a translated pointer was changed")                     \
    X(STILL_ATTACHED, 7, "still-attached", "attached pointers would be left behind")                 \
    X(INVALID_SECTION, 8, "invalid-section", "an array section is not valid")                        \
    X(NULL_POINTER, 9, "null-pointer", "a null pointer has no target")                               \
    X(MISSING_WAIT, 10, "missing-wait", "an activity queue was not waited for")                      \
    X(OUT_OF_BOUNDS, 11, "out-of-bounds", "an access leaves the object")                             \
    X(HOST_POINTER_ON_DEVICE, 12, "host-pointer-on-device", "a host address was used on the device") \
    X(DEVICE_POINTER_ON_HOST, 13, "device-pointer-on-host", "a device address was used on the host") \
    X(EXCLUDED_MEMBER, 14, "excluded-member", "a member that was not mapped was used on the device") \
    X(UNINITIALIZED_READ, 15, "uninitialized-read", "device memory was read before it was written")  \
    X(REGION_NESTING, 16, "region-nesting", "regions are not properly nested")                       \
    X(NO_DEVICE, 17, "no-device", "there is no such device")                                         \
    X(OUT_OF_DEVICE_MEMORY, 18, "out-of-device-memory", "the device has not enough free memory")     \
    X(DEVICE_ERROR, 19, "device-error", "the device failed")                                         \
    X(OUT_OF_MEMORY, 20, "out-of-memory", "the host has not enough memory")                          \
    X(LIMIT, 21, "limit", "a limit was reached")                                                     \
    X(CALLBACK, 22, "callback", "a function called for a section bound failed")                      \
    X(MISUSE, 23, "misuse", "the interface was used wrongly")                                        \
    /* of texts, which accdeep.h has */                                                              \
    X(SYNTAX, 24, "syntax", "a text is not well-formed")                                             \
    X(INVALID, 25, "invalid", "a text breaks a rule that holds before anything is run")              \
    X(INTERNAL, 26, "internal", "an error in accdeep itself")

typedef enum accd_status {
#define ACCD_X(name, number, code, text) ACCD_##name = (number),
    ACCD_STATUS_MAP(ACCD_X)
#undef ACCD_X
        ACCD_STATUS_COUNT
} accd_status;

/* The code of a status, "not-present"; "unknown" for anything that is not a status. */
ACCD_API const char *accd_status_code(accd_status status);
/* One phrase that says what the status means. */
ACCD_API const char *accd_status_text(accd_status status);

/* One object in an error: what it is called, where it lies, where it was mapped. */
typedef struct accd_object_info {
    char name[160];     /* "X.a[0:3]"; empty if the core was given no name */
    uint64_t host;      /* first byte on the host */
    uint64_t bytes;     /* 0: no such object */
    const char *file;   /* where the directive stands that mapped it, or NULL */
    int line;           /* 0: not known */
} accd_object_info;

/* What to do about an error, where its status does not say. */
typedef enum accd_advice {
    ACCD_ADVICE_NONE,
    ACCD_ADVICE_WHOLE_ROWS, /* the section takes a part of several rows of an array: all of them, or one row */
} accd_advice;

/* An error. Its texts are the context's, until its next error. */
typedef struct accd_error {
    accd_status status;
    const char *rule;        /* the rule that decided, "TR14-4.2-03"; never NULL in an error */
    size_t item;             /* index of the offending item in the construct, SIZE_MAX: none */
    accd_object_info asked;  /* the object the construct asked for */
    accd_object_info other;  /* the object in its way */
    char message[400];       /* one sentence */
    size_t named;            /* the place in message of what asked is called there: its name or, if it has none, "the
                                data"; who knows a better name puts that in its place */
    size_t named_bytes;      /* how long that is, 0: the sentence does not name it */
    accd_advice advice;
} accd_error;

/* --------------------------------------------------------------------------------- context -- */

typedef struct accd_context accd_context;
typedef struct accd_region accd_region;
typedef struct accd_program accd_program;
typedef struct accd_walk accd_bounds;
typedef struct accd_backend accd_backend;

/* An allocator in Lua's shape: n = 0 frees ptr; otherwise ptr (old bytes long, or NULL) becomes n
 * bytes long. NULL on failure, which must not happen when a block shrinks or is freed. */
typedef void *(*accd_allocator)(void *ud, void *ptr, size_t old, size_t n);

/* A byte of device memory that nothing was ever written to. */
enum { ACCD_POISON = 0xA5 };

/* Where documents and runtimes differ, a rule profile decides: accdeep_rules.def says what each knob is about, which
 * values it has, and what they mean. */
typedef enum accd_choice { ACCD_IGNORE, ACCD_REJECT } accd_choice;
#define ACCD_CHOICE(name, about, rules, ignored, rejected)
#define ACCD_FLAG(name, about, rules, no, yes)
#define ACCD_VALUE(enumerator, word, meaning) enumerator,
#define ACCD_KNOB(name, type, about, rules, values) typedef enum type { values } type; /* NOLINT: no value */
#include "accdeep_rules.def"

typedef struct accd_rules {
    const char *name;
    const char *documents; /* whose rules events and errors cite: names in order, "ACC33 TR14" */
#define ACCD_KNOB(name, type, about, rules, values) type name;
#include "accdeep_rules.def"
} accd_rules;

/* The built-in profile of that name, or NULL: "tr14", "openacc-3.3" and the others of accdeep_rules.def. */
ACCD_API const accd_rules *accd_rules_named(const char *name);
/* Rules that say the same in several documents are a row. The id at a place of a row, both from 0; NULL: there are
 * no more. */
ACCD_API const char *accd_rule_at(unsigned row, unsigned place);

/* What happened, reported after a construct succeeded, in the order of the document's steps. */
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
    ACCD_OP_KERNEL, /* the body of a compute construct has run: when its queue has got there */
    ACCD_OP_WAIT,   /* the program, or a queue, waits for queues: see accd_waited */
    ACCD_OP_COUNT
} accd_op;
ACCD_API const char *accd_op_name(accd_op op);

typedef struct accd_event {
    accd_op op;
    int device;
    const char *name;   /* of the object, or of the pointer for attach and detach; for a kernel what its
                           construct names, "a, v.data[0:4]"; for a wait "queue 1" or "all queues" */
    uint64_t host;      /* first byte on the host, or the pointer's own address; 0 for kernels and waits */
    uint64_t bytes;
    const char *rule;
    const char *file;   /* of the directive, or NULL */
    int line;
    int64_t async;      /* of the construct's queue; ACCD_SYNCHRONOUS: it has none */
} accd_event;
#define ACCD_SYNCHRONOUS INT64_MIN

/* Called after the construct is complete; may look at the context but not change it. */
typedef void (*accd_event_fn)(void *ud, const accd_event *event);

/* Calls function fn for rows 0..n-1 at once: args[k][row] are its arguments, out[row] its results.
 * Returns 0, or not 0 to stop the construct with ACCD_CALLBACK. */
typedef int (*accd_bound_fn)(void *ud, int fn, size_t n, int nargs, const int64_t *const *args, int64_t *out);

/* Layouts of Fortran descriptors; all begin with the address of the data. */
typedef enum accd_descriptor_layout {
    ACCD_DESCRIPTOR_CFI,     /* CFI_cdesc_t of gcc's ISO_Fortran_binding.h */
    ACCD_DESCRIPTOR_FLANG,   /* the same of LLVM Flang: an addendum may follow the dimensions */
    ACCD_DESCRIPTOR_GFORTRAN /* gfortran's own */
} accd_descriptor_layout;

typedef struct accd_device_info {
    char name[128];   /* as its driver calls it */
    uint64_t bytes;   /* memory it has */
    char driver[64];  /* "CUDA 12.4"; empty: it needs none */
    char why[200];    /* why there is no such device */
    char compiler[200]; /* of kernels given as text: "NVRTC 12.4", or why there is none */
} accd_device_info;

typedef enum accd_queue_mode {
    ACCD_QUEUES_IN_ORDER,   /* at once, in program order */
    ACCD_QUEUES_DELAYED,    /* as late as may be, when it is waited for: a missing wait shows */
    ACCD_QUEUES_CONCURRENT  /* while the program goes on, where the device can; else in program order */
} accd_queue_mode;

typedef struct accd_context_config {
    size_t struct_size;      /* sizeof(accd_context_config), set by accd_context_config_init */
    accd_allocator alloc;    /* NULL: realloc and free */
    void *alloc_ud;
    const accd_rules *rules; /* copied; NULL: "tr14" */
    unsigned devices;        /* default 1, at most ACCD_DEVICES_MOST */
    uint64_t device_bytes;   /* memory of each; 0, the default: 16 GiB of a simulated device (address
                                space, not yet memory), all that a real one has */
    unsigned threads;        /* for large constructs; 0: one for each processor, at most 16; else at
                                most ACCD_THREADS_MOST */
    size_t group_least;      /* a construct that walks at least so many sections makes a group */
    int check_host;          /* sections must lie in memory made known by accd_host_add */
    accd_event_fn on_event;
    void *event_ud;
    accd_bound_fn on_bound;
    void *bound_ud;
    const accd_backend *backend; /* of the devices; NULL: the simulated device */
    accd_descriptor_layout descriptors; /* of accd_attach_descriptor */
    unsigned first_device;   /* of the machine's that the backend knows, what device 0 is; if there are
                                fewer than devices, several share one */
    accd_device_info *no_device; /* NULL, or its why tells the reason of ACCD_NO_DEVICE */
    accd_queue_mode queues;  /* when queues do what they are asked for */
    int own_kernels;         /* kernels of the program write device memory: which bytes were ever written is
                                not known then, all count as written, and memory can be used in any stream when its
                                construct returns. "direct" is always so, and "sim", whose memory no kernel
                                can use, never */
} accd_context_config;

#define ACCD_DEVICES_MOST 64
#define ACCD_THREADS_MOST 1024

/* Sets the size and all defaults; what is not set afterwards stays one. */
ACCD_API void accd_context_config_init(accd_context_config *config);

/* The built-in backend of that name, or NULL: "sim", simulated memory that only the core reaches;
 * "direct", the same at its device addresses in this process, for kernels of real programs: it
 * cannot tell which bytes were ever written; "cuda", memory of a GPU, through the driver that is
 * found when the context is opened. A process that has opened a CUDA device must not fork. */
ACCD_API const accd_backend *accd_backend_named(const char *name);

/* The number-th device of this machine that the backend can use. ACCD_NO_DEVICE: info_p->why says why
 * not; it is empty behind the last one. */
ACCD_API accd_status accd_device_about(const accd_backend *backend, unsigned number,
                                       accd_device_info *info_p);

/* Makes a context with its own devices and directory. ACCD_OUT_OF_MEMORY, ACCD_NO_DEVICE, ACCD_MISUSE: a
 * configuration of another size, with more devices or threads than there can be, or with an enumerator that there
 * is not, in its rules, too. */
ACCD_API accd_status accd_context_open(accd_context **context_p, const accd_context_config *config);
/* Frees the context, its open regions, and all device memory. Nothing is copied to the host. */
ACCD_API void accd_context_close(accd_context *context);

/* The error of the last call that failed; valid until the next call. Never NULL. */
ACCD_API const accd_error *accd_context_error(const accd_context *context);
ACCD_API const accd_rules *accd_get_rules(const accd_context *context);
ACCD_API int accd_device_count(const accd_context *context);
ACCD_API void accd_context_on_event(accd_context *context, accd_event_fn fn, void *ud);

/* ---------------------------------------------------------------------- labels and programs -- */

/* One dimension of an array of Fortran; stride in bytes. */
typedef struct accd_dimension {
    int64_t lower, extent, stride;
} accd_dimension;
#define ACCD_RANK_MOST 15

/* How elements of an array are called: s(1,2) in Fortran. In C it is the rows of what a label names, s[1][2]: their
 * extents alone, those of the innermost first. */
typedef struct accd_array {
    const char *name; /* of the array, where the label names a part of it: "s" for "s(2:3)"; or NULL */
    int64_t shift;    /* bytes from the array's first element to the object */
    unsigned rank;
    uint32_t described; /* not 0: the dimensions stand there in the descriptor that points to the object,
                           three words each: lower bound, extent and stride */
    uint32_t span;      /* not 0: the words are stride, lower and upper bound, and strides count what stands
                           there */
    accd_dimension dimensions[ACCD_RANK_MOST];
} accd_array;

/* How an object is called. Labels live as long as the context that made them. */
typedef struct accd_label {
    const char *name;   /* "X", "X.a"; for a member the member's name alone, "a". Every # in it
                           stands for the next index of the item: "Y[#].b" */
    uint64_t unit;      /* bytes of one element */
    unsigned flags;     /* ACCD_LABEL_* */
    const char *file;   /* where the clause stands */
    int line;
    const accd_program *layout; /* how elements of the object are called inside, or NULL */
    const char *pointer;        /* how the pointer that points to it is called, NULL: as the object */
    const accd_array *array;    /* how its elements are called, or NULL */
    uint32_t id;        /* the core's */
} accd_label;
#define ACCD_INDICES 3
#define ACCD_LABEL_SECTION 1u /* printed with [start:length] */
#define ACCD_LABEL_MEMBER 2u  /* printed behind the name of the element that holds the pointer */
#define ACCD_LABEL_ELEMENT 4u /* printed with [start]: one element of an array */
#define ACCD_LABEL_ROUND 8u   /* elements are called (1), (2) ..., as in Fortran, not [0], [1] */
#define ACCD_LABEL_INDEXED 16u /* the core's: there is a # in its name */

/* The context's copy of the label (strings too): one for all that say the same. NULL when out of memory. */
ACCD_API const accd_label *accd_label_new(accd_context *context, const accd_label *label);

/* What a clause asks for. */
typedef enum accd_action {
    ACCD_INHERIT, /* in programs: what the item asks for */
    ACCD_COPY,
    ACCD_COPYIN,
    ACCD_COPYOUT,
    ACCD_CREATE,
    ACCD_NO_CREATE,
    ACCD_PRESENT,
    ACCD_DELETE,
    ACCD_ATTACH,
    ACCD_DETACH,
    ACCD_UPDATE_SELF,
    ACCD_UPDATE_DEVICE,
    ACCD_HOLD, /* storage and a reference, no movement: the base of a member clause (TR14-3.4-05) */
    ACCD_ACTION_COUNT
} accd_action;
ACCD_API const char *accd_action_name(accd_action action);

/* A mapping program says how one element of a walked object is treated: which of its own bytes
 * move, and which of its pointers are followed. It is the compiled form of a nest (TR14-3.3-17). */
typedef struct accd_piece { /* bytes of the element itself */
    uint64_t offset, bytes;
    uint8_t action;          /* ACCD_INHERIT or an own one */
    uint8_t init;            /* init_needed: create acts as copyin, copyout as copy */
    uint8_t entry_only;      /* sent on entry, never fetched: a pointer left untranslated */
    uint8_t base_pointer;    /* of a section, comes with a new object: nothing asks for it in a present one */
    const accd_label *label; /* NULL: called as the object */
} accd_piece;

typedef struct accd_field { /* a pointer of the element that is followed, or embedded elements */
    uint64_t offset;         /* of the pointer, or of the embedded elements */
    uint64_t unit;           /* bytes of one element of the section */
    int count;               /* register that holds the number of elements */
    int start;               /* register that holds the first one, -1: 0 */
    uint8_t action;
    uint16_t flags;          /* with an action of its own: ACCD_ITEM_PRESENT_OR, _KEEP, _REFRESH,
                                _ALWAYS_IN, _ALWAYS_OUT, _MUST, _FINAL; without, these are inherited,
                                too */
    uint8_t init;
    uint8_t embedded;        /* elements lie in the object itself: nothing to map, only to walk */
    uint8_t in_place;        /* a section of an embedded array: bytes of the object, no pointer */
    uint32_t slot_bytes;     /* of the descriptor (CFI_cdesc_t) that begins with the pointer; 0: it is
                                a plain pointer */
    size_t code_end;         /* instructions up to this one have run when the field is looked at */
    const accd_label *label;
    accd_program *child;     /* for the elements of the section, NULL: plain data; retained */
    unsigned up;             /* not 0: the elements are walked by the program so many levels up, 1: by
                                this one (TR14-5-10); child is then NULL, and each element is walked
                                once, however many pointers point to it */
} accd_field;

/* Instructions run on 256 elements at once; registers are columns of 64-bit integers. Those of a
 * field run just before it, so that registers serve again; inner programs read what the registers
 * hold at the end. */
typedef enum accd_opcode {
    ACCD_I_CONST,   /* to = k */
    ACCD_I_PARAM,   /* to = parameter k of the item */
    ACCD_I_INHERIT, /* to = register k of the enclosing element */
    ACCD_I_SELF,    /* to = host address of the element */
    ACCD_I_LOAD,    /* to = member of type b at offset k of the element */
    ACCD_I_LOAD_AT, /* to = value of type b at address a + k (a null or dangling one is an error; of the
                       address -1 nothing is read) */
    /* k = 0: in 64 bits, what cannot be computed becomes ACCD_UNREPRESENTABLE. k = 1 + ACCD_I32, ACCD_U32,
     * ACCD_I64 or ACCD_U64: as C computes in this type, where what C leaves undefined is an error: a
     * division by zero, an overflow of a signed type, a shift by too many bits. Registers hold what
     * the type holds, of ACCD_U64 the same bits. */
    ACCD_I_ADD, ACCD_I_SUB, ACCD_I_MUL, ACCD_I_DIV, ACCD_I_MOD, ACCD_I_SHL, ACCD_I_SHR,
    ACCD_I_AND, ACCD_I_OR, ACCD_I_XOR,
    ACCD_I_EQ, ACCD_I_NE,
    ACCD_I_LT, ACCD_I_LE, /* k = 1 + ACCD_U64: unsigned */
    ACCD_I_NEG, ACCD_I_NOT, ACCD_I_LNOT,
    ACCD_I_DISTANCE, /* to = (a - b) / k, of pointers to elements of k bytes */
    ACCD_I_SELECT,  /* to = a ? b : register k */
    ACCD_I_CAST,    /* to = a converted to type b */
    ACCD_I_CALL,    /* to = function k of registers a .. a+b-1 */
    ACCD_I_REQUIRE, /* to = a; 0 is an error: a section that takes a part of several rows, of k elements
                       each; k = 0: one that lies outside of its row */
    ACCD_I_COUNT
} accd_opcode;

typedef enum accd_scalar {
    ACCD_I8, ACCD_U8, ACCD_I16, ACCD_U16, ACCD_I32, ACCD_U32, ACCD_I64, ACCD_U64, ACCD_BOOL,
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
    unsigned params; /* parameters it reads: items must bring so many */
    const accd_member *excluded; /* bytes that are not available on the device */
    size_t nexcluded;
    const accd_member *members; /* what parts of an element are called in messages */
    size_t nmembers;
} accd_program_spec;

/* Checks and copies the program. ACCD_MISUSE names nothing a program may not hold: registers out of
 * range, members outside the element. The caller is its first user. */
ACCD_API accd_status accd_program_new(accd_context *context, const accd_program_spec *spec,
                                      accd_program **program_p);
/* One user more, and one less; it is freed when the last one is gone. Programs that contain it, and
 * constructs that use it, are users. */
ACCD_API accd_program *accd_program_retain(accd_program *program);
ACCD_API void accd_program_release(accd_program *program);

/* Runs code once, without an element; registers is their number, out gets all of them. Members
 * (ACCD_I_LOAD, ACCD_I_INHERIT, ACCD_I_SELF) are not to be had. ACCD_NULL_POINTER, ACCD_CALLBACK,
 * ACCD_INVALID_SECTION, ACCD_OUT_OF_BOUNDS. */
ACCD_API accd_status accd_evaluate(accd_context *context, const accd_instruction *code,
                                   size_t ncode, unsigned registers, const int64_t *params,
                                   int64_t *out);
/* What a register holds that could not be computed in 64 bits: a division by zero, an overflow. */
#define ACCD_UNREPRESENTABLE INT64_MIN

/* ------------------------------------------------------------------------------- constructs -- */

typedef enum accd_kind {
    ACCD_REGION,     /* structured data region: entry now, exit by accd_region_end */
    ACCD_COMPUTE,    /* compute region: the same */
    ACCD_ENTER_DATA,
    ACCD_EXIT_DATA,
    ACCD_UPDATE
} accd_kind;

typedef struct accd_dim { /* of a section with gaps */
    uint64_t count, step; /* so many, that many bytes apart */
} accd_dim;

typedef struct accd_item {
    const void *host;        /* first byte */
    uint64_t bytes;          /* 0: the clause does not apply (TR14-4.3-14). Of ACCD_ATTACH, for
                                descriptors: what has to be present, 0: what the address points to */
    const void *slot;        /* address of the pointer the section was reached through, or NULL */
    uint32_t slot_bytes;     /* of the descriptor (CFI_cdesc_t) that begins with the pointer: it is
                                attached as a whole (FLANG-composite-1); 0: it is a plain pointer.
                                ACCD_MISUSE: not whole words, or more than any descriptor has */
    int64_t start;           /* index of the first element, for names only */
    int64_t index[ACCD_INDICES]; /* for # in the label's name */
    const accd_label *label; /* or NULL */
    accd_program *program;   /* how its elements are walked, NULL: plain data */
    const int64_t *params;   /* as many as the program reads */
    const void *frame;       /* NULL, or the aggregate it is a member of, if that is not mapped
                                itself: its members lie on the device as they do in it */
    uint64_t room;           /* bytes of the frame: of the first construct that names it */
    const void *base;        /* element 0 of what the section is one of; NULL: it is host (DIR-4.1-03) */
    const accd_dim *dims;    /* with ndims: of the bytes only runs of run bytes are meant, the first one at
                                host, the others at these distances. The bytes are present, or get memory,
                                with the gaps; no other bytes than those of runs move (ACC33-upd-2), no other
                                elements are walked. ACCD_MISUSE: runs that leave the bytes, overlap, or cut elements */
    uint64_t run;
    uint8_t ndims;           /* at most 15; 0: no gaps */
    uint8_t action;          /* accd_action */
    uint16_t flags;          /* ACCD_ITEM_* */
} accd_item;
#define ACCD_ITEM_UNCOUNTED 1u /* bytes of an object that another item counts */
#define ACCD_ITEM_INIT 2u      /* init_needed */
#define ACCD_ITEM_TRY 4u       /* if_present: an absent one is skipped; so is, by exit data, what no
                                  enter data opened */
#define ACCD_ITEM_PRESENT_OR 8u /* present_or_copy and the like: present data are welcome */
#define ACCD_ITEM_POINTER 16u /* the pointer that points to another item's section: it counts as an
                                 object of its own, in a larger one if the rules say so */

#define ACCD_ITEM_KEEP 32u    /* present_and_copyin: of data that are there in part, the absent part */
#define ACCD_ITEM_REFRESH 64u /* update_and_copy: the same, and the present part from the host, too */
#define ACCD_ITEM_ALWAYS_IN 128u  /* what the action sends is sent although the data are present */
#define ACCD_ITEM_ALWAYS_OUT 256u /* what it fetches is fetched although references remain */
#define ACCD_ITEM_MUST 512u   /* present modifier: all of it must be present before the construct; this is
                                 asked before anything else of any item (OMP60-map-9) */
#define ACCD_ITEM_FINAL 1024u /* exit data: no references remain, of this item's data alone */

/* Sets host, bytes, start and base of an item from the section base[start:count] of elements of unit bytes.
 * ACCD_INVALID_SECTION for negative lengths and bounds that do not fit. */
ACCD_API accd_status accd_item_section(accd_context *context, accd_item *item, uint64_t base,
                                       int64_t start, int64_t count, uint64_t unit);

typedef struct accd_construct {
    int device;
    accd_kind kind;
    int finalize;            /* exit data: dynamic counters and attachment counters drop to zero */
    const accd_item *items;
    size_t nitems;
    const char *name;        /* of the level it opens, "data"; kept as is, not copied */
    const char *file;        /* where the directive stands; kept as is, not copied */
    int line;
    uint64_t thread;         /* of the host that encounters it: regions nest among those of a thread */
    unsigned queue;          /* of accd_queue: its transfers, and those of the region's end, belong there;
                                0: they are done when the call returns */
} accd_construct;

/* Carries out a construct. region_p is written for ACCD_REGION and ACCD_COMPUTE, and may be NULL
 * for the others. On failure nothing has changed, and accd_context_error says why: not present, or
 * only in part; pointers that cannot be attached or detached; sections that are none; memory; the
 * device. */
ACCD_API accd_status accd_run(accd_context *context, const accd_construct *construct, accd_region **region_p);

/* Ends a region; it must be the innermost one of its device and thread (ACCD_REGION_NESTING). On
 * failure the region stays open. */
ACCD_API accd_status accd_region_end(accd_region *region);
/* Ends a region, and those in it, without moving or writing anything to the host, for unwinding after a failure.
 * ACCD_OUT_OF_MEMORY: those that are left stay, until they are abandoned again, or a region around them ends. */
ACCD_API accd_status accd_region_abandon(accd_region *region);
/* The number of the device it was opened on. */
ACCD_API int accd_region_device(const accd_region *region);
/* Writes the device addresses of its first n items, as far as they are known without a look-up, and returns how many
 * these are. */
ACCD_API size_t accd_region_addresses(const accd_region *region, uint64_t *addresses, size_t n);

/* The bounds of all sections that walking an item finds now, kept until accd_bounds_free, which comes before the
 * context's end. NULL: there is nothing to walk. Fails as accd_run does where a section is none. */
ACCD_API accd_status accd_bounds_new(accd_context *context, const accd_item *item, accd_bounds **bounds_p);
typedef struct accd_bounds_change {
    char then[160], now[160]; /* the section: "X.a[0:4]", "X.a[0:2]" */
} accd_bounds_change;
/* Whether a section that is reached through the same pointer has other bounds: the first one. 0: none has, as far as
 * both walks took the same way (TR14-4.3-04). */
ACCD_API int accd_bounds_changed(const accd_bounds *then, const accd_bounds *now, accd_bounds_change *change_p);
ACCD_API void accd_bounds_free(accd_bounds *bounds);

/* ------------------------------------------------------------------ single steps (acc_* API) -- */

/* acc_map_data: host memory is present at a device address the caller owns; dynamic counter 1;
 * nothing moves. ACCD_NULL_POINTER, ACCD_INVALID_SECTION: no bytes, ACCD_ALREADY_PRESENT: some of
 * it is (ACC33-3.2.21-1). */
ACCD_API accd_status accd_map(accd_context *context, int device, const void *host, uint64_t dev,
                              uint64_t bytes, const accd_label *label);
/* acc_unmap_data: ends that; nothing moves. ACCD_NOT_PRESENT: host was not mapped so;
 * ACCD_ALREADY_PRESENT: a region uses it; ACCD_STILL_ATTACHED: a pointer is attached to or in it
 * (ACC33-3.2.21-2; unmap_used = ACCD_IGNORE lets both pass). */
ACCD_API accd_status accd_unmap(accd_context *context, int device, const void *host);
/* Device memory without a host counterpart, for the caller until accd_device_free or the context's
 * end. bytes = 0 gives address 0. ACCD_OUT_OF_DEVICE_MEMORY (ACC33-3.2.16-1). */
ACCD_API accd_status accd_device_alloc(accd_context *context, int device, uint64_t bytes, uint64_t *dev_p);
/* Releases it; address 0 does nothing. ACCD_MISUSE: accd_device_alloc did not give the address;
 * ACCD_ALREADY_PRESENT: host data are mapped to it. */
ACCD_API accd_status accd_device_free(accd_context *context, int device, uint64_t dev);
/* Raw copies of bytes between host and device addresses, whatever is present there.
 * ACCD_HOST_POINTER_ON_DEVICE: dev is no address of the device; ACCD_OUT_OF_BOUNDS: the range
 * leaves allocated memory, or, with check_host, known host memory; ACCD_DEVICE_ERROR
 * (ACC33-3.2.30-1). */
ACCD_API accd_status accd_to_device(accd_context *context, int device, uint64_t dev,
                                    const void *host, uint64_t bytes);
ACCD_API accd_status accd_from_device(accd_context *context, int device, void *host, uint64_t dev,
                                      uint64_t bytes);
ACCD_API accd_status accd_within_device(accd_context *context, int device, uint64_t to,
                                        uint64_t from, uint64_t bytes);

typedef enum accd_way { ACCD_TO_DEVICE, ACCD_FROM_DEVICE, ACCD_WITHIN_DEVICE } accd_way;
/* The same in a queue. */
ACCD_API accd_status accd_copy_async(accd_context *context, int device, unsigned queue,
                                     accd_way way, uint64_t to, uint64_t from, uint64_t bytes,
                                     const char *file, int line);

/* Attaches the descriptor of a Fortran variable to the device copy of size bytes at offset behind data,
 * as FLANG-api-2 to FLANG-api-6 list it: nothing happens unless both the section and the descriptor are
 * present; a descriptor that is as it was at the last attach counts up; otherwise it is written to the
 * device, with the data's device address in it (less offset: indices keep their meaning) and a counter of
 * one. data must be the address the descriptor holds: ACCD_POINTER_CHANGED. A scalar has offset 0 and its own size; an empty
 * section is present where one byte would be. A null address is no absent section, but what attach clauses and
 * acc_attach are given as well: the device's descriptor becomes the host's null one, and the attachment ends
 * (ACC33-att-4, ACC33-gloss-2); ACCD_POINTER_CHANGED where the rules let no attached pointer change; nothing
 * happens where they attach a null pointer to nothing (attach_null).
 * With an addendum, the type record its first word points to is made present and attached by the same
 * step; such a record begins with its size in bytes, eight of them. Whatever ends the attachment - a detach, an
 * exit of data or descriptor, the end of a region, a null pointer, another type by this call or a clause - takes
 * this reference off again in its own step (FLANG-api-7). */
ACCD_API accd_status accd_attach_descriptor(accd_context *context, int device,
                                            const void *descriptor, const void *data,
                                            uint64_t offset, uint64_t size, const char *file,
                                            int line);
/* Takes one, or with finalize all, off the attachment counter. At zero the device's descriptor becomes
 * the host's, as a whole, and what its addendum brought goes, unless it is needed elsewhere (FLANG-todo-1). */
ACCD_API accd_status accd_detach_descriptor(accd_context *context, int device,
                                            const void *descriptor, int finalize,
                                            const char *file, int line);
/* Bytes of a descriptor with its dimensions and addendum; 0: its rank is none (0 to 15). */
ACCD_API uint32_t accd_descriptor_bytes(const accd_context *context, const void *descriptor);

/* ------------------------------------------------------------------------------- inspection -- */

typedef enum accd_presence { ACCD_ABSENT, ACCD_PARTLY, ACCD_WHOLLY } accd_presence;

/* How much of the range is present in one object; zero bytes count as one (ACC33-3.2.26-2). */
ACCD_API accd_presence accd_presence_of(accd_context *context, int device, const void *host, uint64_t bytes);
/* Device address of a host address in a present object, or 0. Host address of a device one, or 0. */
ACCD_API uint64_t accd_device_address(accd_context *context, int device, const void *host);
ACCD_API uint64_t accd_host_address(accd_context *context, int device, uint64_t dev);
/* Device address of the target of a host pointer of this value that no clause names: in a present object; in the
 * extended range of one, in front of its bytes, if the rules say so; or at the end of one (OMP60-map-10). 0: there is
 * none. [*low_p, *high_p): the object's device range. */
ACCD_API uint64_t accd_matching_address(accd_context *context, int device, const void *host,
                                        uint64_t *low_p, uint64_t *high_p);

typedef struct accd_present {
    accd_object_info info;
    uint64_t dev;
    uint32_t structured, dynamic;
    int mapped;  /* by accd_map */
    int pointer; /* only by items with ACCD_ITEM_POINTER */
} accd_present;
/* The present object that covers a host address or, with in_device, a device address. */
ACCD_API int accd_present_at(accd_context *context, int device, uint64_t address, int in_device,
                             accd_present *present_p);
/* Present objects in host order: the first one at or after *at; *at becomes its end. 0: no more. */
ACCD_API int accd_present_next(accd_context *context, int device, uint64_t *at, accd_present *present_p);

/* Where the present object that covers a host address begins, and its bytes; 0: there is none. Only
 * looks it up: the others also make names. */
ACCD_API int accd_present_bounds(accd_context *context, int device, const void *host,
                                 uint64_t *start_p, uint64_t *bytes_p);

/* The first present object with a byte in [*at, end): where it begins, its bytes; *at becomes its end.
 * Makes no names. 0: there is none. */
ACCD_API int accd_present_in(accd_context *context, int device, uint64_t *at, uint64_t end,
                             uint64_t *start_p, uint64_t *bytes_p);

typedef struct accd_attachment {
    char name[160];  /* of the pointer */
    uint64_t slot;   /* its host address */
    uint64_t slot_bytes; /* of it: 8, or those of its descriptor */
    uint64_t target; /* host address it held when it was attached */
    uint64_t dev;    /* device address written to the device's copy of it */
    uint32_t count;
    uint64_t low, high; /* device range of the object it points into */
} accd_attachment;
/* The attachment of the pointer at a host address. 0: it is not attached. */
ACCD_API int accd_attachment_at(accd_context *context, int device, const void *slot,
                                accd_attachment *attachment_p);
/* Attachments in order of their pointers: the first one at or after *at; *at becomes the address
 * behind it. 0: no more. */
ACCD_API int accd_attachment_next(accd_context *context, int device, uint64_t *at,
                                  accd_attachment *attachment_p);

typedef struct accd_clause { /* one tuple of a level (DIR-4.1-03) */
    accd_object_info info;
    accd_action action;
    int created; /* this level made the object: ALLOC, otherwise ALIAS */
} accd_clause;
typedef struct accd_level {
    accd_kind kind;
    const char *name, *file;
    int line;
    size_t clauses;
} accd_level;
/* Levels of the device's stack of data environments, 0 is the outermost. 0: there is none. */
ACCD_API int accd_level_at(accd_context *context, int device, size_t index, accd_level *level_p);
ACCD_API int accd_level_clause(accd_context *context, int device, size_t index, size_t clause,
                               accd_clause *clause_p);

/* The lists of a level, and of the floor above it, which enter data fills (DIR-6-02). */
typedef enum accd_list {
    ACCD_ORIGINAL,  /* clauses of the level */
    ACCD_ARTIFICIAL, /* what the level has after fusion */
    ACCD_DYNAMIC,   /* clauses of enter data while the level was the innermost one */
    ACCD_FLOOR      /* what there is after fusion with those */
} accd_list;
typedef struct accd_tuple {
    accd_object_info info;
    uint64_t base;      /* ORIGINAL, DYNAMIC: host address of element 0 */
    uint64_t dev;       /* ARTIFICIAL, FLOOR: device address of the first byte */
    accd_action action; /* ORIGINAL, DYNAMIC */
    unsigned flags;     /* the same: ACCD_ITEM_* */
    int alloc;          /* ARTIFICIAL, FLOOR: the level, or floor, allocated it; otherwise ALIAS */
    const accd_object_info *ancestors; /* ARTIFICIAL, FLOOR: tuples it was made of, in host order */
    size_t nancestors;
} accd_tuple;
typedef void (*accd_tuple_fn)(void *ud, const accd_tuple *tuple);
/* Calls fn for each tuple of a list, originals in order of their clauses, others in host order. Level 0
 * is the outermost one; -1, for DYNAMIC and FLOOR, what lies below all levels. Without fusion in the rules
 * both lists of a level are its clauses, and floors have none. Costs O(n log n).
 * ACCD_NO_DEVICE, ACCD_MISUSE: no such level, ACCD_OUT_OF_MEMORY. */
ACCD_API accd_status accd_each_tuple(accd_context *context, int device, int64_t level,
                                     accd_list list, accd_tuple_fn fn, void *ud);

typedef struct accd_stats {
    uint64_t live_bytes, live_allocations;  /* device memory in use */
    uint64_t objects, attachments;          /* present objects, attached pointers */
    uint64_t allocations, frees;            /* calls of the device since the context was opened */
    uint64_t transfers[3], moved_bytes[3];  /* of the device, [0] h2d, [1] d2h, [2] d2d */
} accd_stats;
/* Numbers of a device; all are 0 if there is no such device. */
ACCD_API void accd_get_stats(accd_context *context, int device, accd_stats *stats_p);

/* Walks everything and returns NULL if all invariants hold, otherwise a sentence about the first
 * that does not. Meant for tests: costs O(n log n). */
ACCD_API const char *accd_check(accd_context *context);
/* A number that is equal for equal states of directory, attachments, levels, device bytes. */
ACCD_API uint64_t accd_digest(accd_context *context);

/* -------------------------------------------------------------------- host memory made known -- */

/* With config.check_host, sections outside all known ranges are errors before they are read:
 * ACCD_OUT_OF_BOUNDS, with the nearest range named. */
ACCD_API accd_status accd_host_add(accd_context *context, const void *start, uint64_t bytes,
                                   const accd_label *label);
/* live = 0 keeps the range for messages ("freed"); live = -1 forgets it. */
ACCD_API void accd_host_mark(accd_context *context, const void *start, int live);
typedef struct accd_host_range {
    accd_object_info info;
    int live;
} accd_host_range;
/* The known range that covers the address; 0: none. */
ACCD_API int accd_host_at(accd_context *context, const void *address, accd_host_range *range_p);

/* The live known range around an address; 0: none. */
ACCD_API int accd_host_bounds(accd_context *context, const void *address, uint64_t *start_p,
                              uint64_t *bytes_p);

/* ----------------------------------------------------------------- tests of failure handling -- */

/* The n-th device allocation (copy) from now fails; 0: none. Simulated device only. */
ACCD_API void accd_fail_allocation(accd_context *context, int device, uint64_t n);
ACCD_API void accd_fail_copy(accd_context *context, int device, uint64_t n);

#ifdef __cplusplus
}
#endif

#include "accdeep_queues.h"

#endif
