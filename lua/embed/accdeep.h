/* accdeep.h - deep copy for a C program of your own: directives as text, on the program's own memory.
 *
 *     accd *a = NULL;
 *     accd_open(&a, &(accd_config){.device = "sim"});
 *     accd_declare(a, "struct deep_type { int n; float *a; };");
 *     accd_bind(a, "X", "struct deep_type", &X);
 *     accd_directive(a, "acc data copy(X, X.a[0:X.n])");
 *     float *dev = accd_deviceptr(a, X.a);
 *     accd_directive(a, "acc end data");
 *     accd_close(a);
 *
 * This is the simple tier; accdeep_core.h, which it includes, is the explicit one: constructs made of
 * items, without text and without Lua. accd_get_context gives its context.
 *
 * Results. Functions return a status: ACCD_OK, which is 0, or why they failed; then nothing has
 * changed, and accd_message and accd_last_detail tell more. Output arguments come last and are written
 * on success only. Bad arguments, NULL among them, are ACCD_MISUSE, never a crash; so is a session whose
 * accd_open failed. A session that was closed must not be used: that is recognised where the memory
 * still tells, which nobody can promise.
 *
 * Threads. Sessions share nothing. A session belongs to the thread that opened it, until this one
 * gives it away (accd_handover) and another one takes it (accd_adopt); anybody else gets ACCD_MISUSE.
 *
 * Callbacks: functions of accd_function, accd_compute and the configuration. Within one, the session
 * answers ACCD_MISUSE; only in the callback of accd_compute are there the functions under "addresses
 * and memory". A callback returns: it must not leave by longjmp or an exception. A kernel of
 * accd_compute that does so is undone with its construct by the next call; after any other callback
 * that does, the session is of no use any more and can only be closed.
 *
 * Nothing here prints, exits, or has global state. Rule ids are those of spec/rules. */
#ifndef ACCDEEP_H
#define ACCDEEP_H

#include <accdeep_core.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct accd accd;                   /* a session */
typedef struct accd_prepared accd_prepared; /* a directive that is parsed once and run often */
struct lua_State;

/* ------------------------------------------------------------------------------- open, close -- */

/* How a session is opened. Zeros are the usual choices, so that an initialiser names what differs:
 * &(accd_config){.device = "cuda", .devices = 2}. Strings are needed during accd_open only.
 * The structure keeps its size: later versions take from `reserved`, which has to be zero. */
typedef struct accd_config {
    const char *device;    /* "sim" (NULL): simulated memory that only accdeep reaches, and that knows which
                              bytes were written; "direct": the same at addresses that functions of this
                              program can use, to run kernels on; "cuda", "cuda:1": memory of a GPU, which kernels
                              of this program use in any stream, and which counts as written */
    unsigned devices;      /* how many; 0: one */
    uint64_t device_bytes; /* memory of each; 0: 16 GiB, of which only what is used is taken */
    const char *rules;     /* a rule profile by name; NULL: "tr14" */
    int strict;            /* not 0: what the profile would silently ignore is an error */
    const char *language;  /* of declarations and directives: "c" (NULL) or "fortran" */
    const char *descriptors; /* how the compiler lays out Fortran's descriptors: "cfi" (NULL), "flang",
                                "gfortran" */
    unsigned threads;      /* for large constructs; 0: one for each processor, at most 16 */
    accd_allocator alloc;  /* memory of the interpreter and the core, but for a few arrays between the two;
                              NULL: realloc and free. Called by the session's thread. With a Lua state of
                              yours, only what is not Lua's */
    void *alloc_ud;
    size_t memory_most;    /* bytes that the interpreter may use, of which it takes about 5 MB for itself; 0:
                              no limit. Not with a Lua state of yours */
    uint64_t steps_most;   /* instructions of the interpreter in one call; 0: no limit. ACCD_LIMIT */
    accd_event_fn on_event; /* called for every allocation, copy, attachment, counter and kernel, once the
                               construct is complete, and for waits */
    void *event_ud;
    struct lua_State *L;   /* a state of Lua 5.4 to work in, from the Lua library that this one uses. It
                              stays yours, keeps its globals, must outlive the session, and runs nothing
                              else while the session is in a call. Strings must have Lua's methods; an LPeg
                              that it loads later must be of the same release. NULL: one of the session's */
    const char *async;     /* when queues do their work: "program" (NULL), at its directive, or "concurrent",
                              while the program goes on, if the device can ("cuda") */
    void *reserved[7];     /* 0 */
} accd_config;

/* Opens a session. On failure, too, *a_p is a session, or NULL if there is no memory even for that: one
 * that answers nothing but accd_message and accd_last_detail, and is closed as others are.
 * config may be NULL. ACCD_NO_DEVICE, ACCD_INVALID: there is no such profile, language, layout;
 * ACCD_OUT_OF_MEMORY, ACCD_LIMIT, ACCD_MISUSE. [HOUSE-device, HOUSE-names, HOUSE-memory] */
ACCD_API accd_status accd_open(accd **a_p, const accd_config *config);

/* Frees the session and its device memory. Open regions end without copying anything to the host.
 * The interpreter stays for a session to come, until the program ends: at most eight of them, and none of a
 * session with alloc, memory_most or L. NULL does nothing. ACCD_MISUSE: the session is another thread's, or in a
 * call; then it stays open. */
ACCD_API accd_status accd_close(accd *a);

/* The session's thread gives it away; afterwards it belongs to no thread. */
ACCD_API accd_status accd_handover(accd *a);
/* Takes a session that was given away. What the other thread did before happens before this. */
ACCD_API accd_status accd_adopt(accd *a);

/* ------------------------------------------------------------------------------------ errors -- */

typedef struct accd_detail {
    accd_status status;
    const char *code;    /* what scenarios call it: "unknown-name"; more of them than statuses */
    const char *message; /* one sentence */
    const char *rule;    /* whose rule it is, "TR14-4.2-03" */
    const char *help;    /* what to do, or NULL */
    const char *file;    /* where the call stands that gave the text; "text", line 1, if it did not say;
                            NULL: the error is about no text */
    int line;            /* in that file; 0: not known */
    int column;          /* in the text's line, from 1; 0: not known */
    const char *text;    /* of the directive or declaration, or NULL */
    accd_object_info objects[2]; /* the object asked for, and the one in its way; 0 bytes: none */
} accd_detail;

/* What the last call that failed has to say; valid until the next call that fails, or the end of the
 * session. Before any failure its status is ACCD_OK. Never NULL: without a session it says so. */
ACCD_API const accd_detail *accd_last_detail(const accd *a);
/* The same as text for people: place, code and message, the directive with a mark below, objects, rule,
 * help. Never NULL. */
ACCD_API const char *accd_message(const accd *a);

/* ------------------------------------------------------------------ types, objects, functions -- */

/* Functions that get a text also get the place of the call, for errors and events: the macros below
 * add it. The functions themselves can be called as (accd_declare)(a, text). */

/* Declares types, with shape and policy directives among them, and constants; variables declared here get
 * memory of the session. All of the text, or nothing. ACCD_SYNTAX; ACCD_INVALID and the code of the
 * rule broken. [HOUSE-syntax, HOUSE-names] */
ACCD_API accd_status accd_declare(accd *a, const char *text);
ACCD_API accd_status accd_declare_at(accd *a, const char *text, const char *file, int line);

/* Declares a type as the compiler laid it out, and all that it points to: what a program's debug information
 * (-g) says, read with libdw. program: a file; NULL: this process, the program first, then its libraries.
 * type: "struct deep_type", "app::grid", "std::vector<float>", "type(particle)"; names like the last but one
 * can then be used as types are. What is declared already has to be the same. All of it, or nothing.
 * ACCD_INVALID: unknown-type (help: the closest name), duplicate-name, file (it is not there, has no debug
 * information, or there is no libdw). [HOUSE-debug] */
ACCD_API accd_status accd_declare_from_debug_info(accd *a, const char *program, const char *type);
ACCD_API accd_status accd_declare_from_debug_info_at(accd *a, const char *program, const char *type,
                                                     const char *file, int line);

/* Makes an object of the program known under a name, with a declared type: "struct deep_type", "float *",
 * "double[10][20]"; in Fortran "type(field)", or a declaration: "real, pointer :: p(:)", then object is its
 * descriptor. The memory stays the program's. It has to be there while it is in use: until the data
 * are off the device, and whenever a directive names it. A name that is bound already moves to the new
 * object; what is present on the device is what was put there. (Directives are lowered again then: for
 * objects that are elsewhere each time bind a pointer, and write copy(x[0:1]).) bytes: of the object, which the type must
 * have; 0, or 1 for any type, as sizeof of a void or char gives it: not compared. Elements of one array
 * may be given by the address of the first. ACCD_INVALID: unknown-type, type-mismatch, duplicate-name.
 * [HOUSE-binding] */
ACCD_API accd_status accd_bind_sized(accd *a, const char *name, const char *type, const void *object,
                                     size_t bytes, const char *file, int line);
#define accd_bind(a, name, type, ptr) \
    accd_bind_sized((a), (name), (type), (ptr), sizeof *(ptr), __FILE__, __LINE__)
/* Forgets the name. Data stay present. */
ACCD_API accd_status accd_unbind(accd *a, const char *name);

/* Compares a member of a declared type with the compiler's:
 *     ACCD_CHECK_MEMBER(a, struct deep_type, b) [HOUSE-binding] */
ACCD_API accd_status accd_check_member(accd *a, const char *type, const char *member, size_t offset,
                                       size_t bytes, const char *file, int line);
#define ACCD_CHECK_MEMBER(a, type, member)                                                       \
    accd_check_member((a), #type, #member, offsetof(type, member), sizeof(((type *)0)->member), \
                      __FILE__, __LINE__)

/* A function of the program for section bounds and conditions. Integers and addresses come as int64_t;
 * the result goes to *result_p. Not 0: it failed, which fails the construct before anything changed
 * (ACCD_CALLBACK). It may be called often, or at another time than one thinks: it should only compute. */
typedef int (*accd_function_fn)(void *ud, int nargs, const int64_t *args, int64_t *result_p);
ACCD_API accd_status accd_function(accd *a, const char *name, accd_function_fn fn, void *ud);

/* -------------------------------------------------------------------------------- directives -- */

/* Carries out a directive. "acc ...", "#pragma acc ...", "!$acc ..." are OpenACC's, "omp ...",
 * "#pragma omp ..." OpenMP's; without such a word the profile decides.
 * - enter data, exit data, update, shape, policy, set, init, shutdown, declare mapper ...: done at once.
 * - data, target data: the region stays open until "acc end data", "omp end target data".
 * - parallel, serial, kernels, target and their kin open in the same way, and the program does the
 *   computing: "acc end parallel" ends it. accd_compute does both. Only clauses count: which variables
 *   your kernel uses is not known here.
 * - async, wait: what they ask for is checked, and events name the queue; the work is done at once. Or, in a
 *   session that is concurrent, it goes on by itself, as if it were done at once: what is sent was read at the
 *   directive, what is fetched is here after a wait, and a kernel of yours finds its data, because a compute
 *   construct waits for the queues of its device.
 * - host_data, use_device_ptr, host constructs of OpenMP: unsupported; accd_deviceptr says what they would.
 * Errors are those of the directive: ACCD_SYNTAX, ACCD_INVALID, and the statuses of the core.
 * A directive is parsed once for its place; later only the construct is run. In a new interpreter the first
 * declaration, binding or directive takes about 5 ms more, in which the grammar is made. */
ACCD_API accd_status accd_directive(accd *a, const char *text);
ACCD_API accd_status accd_directive_at(accd *a, const char *text, const char *file, int line);

/* The kernel of a compute construct, run between its entry and its exit. device: which one; -1: an if
 * clause says that it runs on the host's own data. Not 0: it failed. */
typedef int (*accd_kernel_fn)(accd *a, int device, void *ud);
/* A compute construct with the program's own kernel. If fn fails, or the construct's end does, the entry is
 * undone: nothing is copied back, what the construct brought is gone, and older device data are as before,
 * but for what fn wrote there by other ways than accd_kernel_write. ACCD_CALLBACK: fn failed. */
ACCD_API accd_status accd_compute(accd *a, const char *text, accd_kernel_fn fn, void *ud);
ACCD_API accd_status accd_compute_at(accd *a, const char *text, accd_kernel_fn fn, void *ud,
                                     const char *file, int line);

/* Directives that run often: parsed and lowered now, run by accd_exec. Data and compute directives only.
 * Objects are found when it runs: what members, bounds and conditions hold then. If meanwhile names were
 * bound to other objects, or types, shapes or functions declared, the directive is lowered again by the
 * next accd_exec, which fails as accd_directive would if it does not hold any more.
 * The caller owns the handle; it may outlive the session, and is good for nothing but accd_finalize then. */
ACCD_API accd_status accd_prepare(accd *a, const char *text, accd_prepared **prepared_p);
ACCD_API accd_status accd_prepare_at(accd *a, const char *text, const char *file, int line,
                                     accd_prepared **prepared_p);
/* Runs it. A region, or compute construct, opens; it may be opened again inside itself. */
ACCD_API accd_status accd_exec(accd_prepared *prepared);
/* Ends the region that its last accd_exec opened: the innermost one. ACCD_REGION_NESTING: it is not. */
ACCD_API accd_status accd_exec_end(accd_prepared *prepared);
/* Frees the handle; a region it opened stays open, for "acc end data". NULL does nothing. */
ACCD_API void accd_finalize(accd_prepared *prepared);

#ifndef ACCD_NO_MACROS
#define accd_declare(a, text) accd_declare_at((a), (text), __FILE__, __LINE__)
#define accd_declare_from_debug_info(a, program, type) \
    accd_declare_from_debug_info_at((a), (program), (type), __FILE__, __LINE__)
#define accd_directive(a, text) accd_directive_at((a), (text), __FILE__, __LINE__)
#define accd_compute(a, text, fn, ud) accd_compute_at((a), (text), (fn), (ud), __FILE__, __LINE__)
#define accd_prepare(a, text, prepared_p) \
    accd_prepare_at((a), (text), __FILE__, __LINE__, (prepared_p))
#endif

/* ---------------------------------------------------------------------- addresses and memory -- */

/* All of these are about the current device: 0 at first, see accd_set_device, "acc set device_num(1)"; in a
 * kernel about its own. ACCD_NO_DEVICE: it runs on the host. */

/* The device address of a host address in present data; NULL: it is not present, or a failure, which
 * accd_last_detail tells from it. [ACC33-3.2.28] */
ACCD_API void *accd_deviceptr(accd *a, const void *host);
/* The host address of a device address in present data, or NULL. */
ACCD_API void *accd_hostptr(accd *a, const void *device);
/* 1: all of the range is present in one object; 0: not all, or not in one; bytes = 0 counts as one. */
ACCD_API int accd_is_present(accd *a, const void *host, size_t bytes);

/* Raw copies, as acc_memcpy_to_device and its kin make them: nothing is attached or counted. On the
 * simulated device: reads of bytes that were never written are not reported here. */
ACCD_API accd_status accd_memcpy_to_device(accd *a, void *device, const void *host, size_t bytes);
ACCD_API accd_status accd_memcpy_from_device(accd *a, void *host, const void *device, size_t bytes);
/* As a kernel reads and writes: ACCD_UNINITIALIZED_READ, ACCD_EXCLUDED_MEMBER, ACCD_OUT_OF_BOUNDS. */
ACCD_API accd_status accd_kernel_read(accd *a, void *to, const void *device, size_t bytes);
ACCD_API accd_status accd_kernel_write(accd *a, void *device, const void *from, size_t bytes);

/* ACCD_NO_DEVICE: there is none of that number. */
ACCD_API accd_status accd_set_device(accd *a, int device);
/* The current device; -1: there is no session, or its kernel runs on the host. */
ACCD_API int accd_get_device(accd *a);

/* The explicit tier on the same devices: present objects, attachments, levels, counters, statistics, single
 * steps. It belongs to the session. Regions that are opened there nest among those of the session, which
 * does not know them. NULL: there is no session, or it is in a call. */
ACCD_API accd_context *accd_get_context(accd *a);

#ifdef __cplusplus
}
#endif
#endif
