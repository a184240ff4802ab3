/* accdeep.h - deep copy for a C program of your own: directives as text, on the program's own memory.
 *
 *     accd_session *a = NULL;
 *     accd_session_new(&a, &(accd_session_config){.device = "sim"});
 *     accd_declare(a, "struct deep_type { int n; float *a; };");
 *     accd_bind(a, "X", "struct deep_type", &X);
 *     accd_run_directive(a, "acc data copy(X, X.a[0:X.n])");
 *     float *dev = accd_deviceptr(a, X.a);
 *     accd_run_directive(a, "acc end data");
 *     accd_session_free(a);
 *
 * This header is the simple tier. accdeep_core.h, which it includes, is the explicit tier: constructs made of
 * items, without text and without Lua. accd_get_context gives the context of a session.
 *
 * Results. Functions return a status: ACCD_OK, which is 0, or the reason of the failure. A call that fails
 * changes nothing; accd_last_error_message and accd_last_error describe the error. Output arguments come last, and are
 * written on success only. Bad arguments, such as NULL, are ACCD_ERROR_MISUSE, never a crash; so is a session whose
 * accd_session_new failed. Using a closed session is undefined. It is detected when possible.
 *
 * Threads. Sessions share nothing. A session belongs to the thread that opened it. That thread may give it
 * away (accd_session_disown), and another one take it (accd_session_adopt). Any other thread gets ACCD_ERROR_MISUSE.
 *
 * Callbacks are the functions of accd_bind_function, accd_run_compute and the configuration. Inside one, calls of the
 * session return ACCD_ERROR_MISUSE. Only the callback of accd_run_compute may call the functions under "addresses and
 * memory". A callback must return: it must not leave by longjmp or an exception. If a kernel of accd_run_compute
 * does so, the next call undoes its construct. After any other callback that does so, the session can only be
 * closed.
 *
 * Nothing here prints or exits. Rule ids, in brackets, are those of spec/rules. */
#ifndef ACCDEEP_H
#define ACCDEEP_H

#include <accdeep_core.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct accd_session accd_session;   /* session: devices, names and open regions */
typedef struct accd_prepared accd_prepared; /* a directive that is parsed once and run often */
struct lua_State;

/* ------------------------------------------------------------------------------- open, close -- */

/* Configuration of a session. Zeros are the defaults, so an initialiser names only what differs:
 * &(accd_session_config){.device = "cuda", .devices = 2}. Strings are read during accd_session_new only.
 * The structure keeps its size: later versions take members from `reserved`, which must be zero. */
typedef struct accd_session_config {
    const char *device;      /* "sim" (NULL): simulated memory that only accdeep reaches; it knows which bytes were
                                written. "direct": the same at addresses of this process, for kernels of this
                                program. "cuda", "cuda:1": memory of a GPU; kernels of this program use it in any
                                stream, and all of it counts as written */
    unsigned devices;        /* number of devices; 0: one */
    uint64_t device_bytes;   /* memory of each device; 0: 16 GiB, of which only the used part is allocated */
    const char *rules;       /* name of a rule profile; NULL: "tr14" */
    int strict;              /* if not 0, clauses that the profile would silently ignore are errors */
    const char *language;    /* language of declarations and directives: "c" (NULL) or "fortran" */
    const char *descriptors; /* layout of Fortran's descriptors: "cfi" (NULL), "flang", "gfortran" */
    unsigned threads;        /* threads that execute a large construct; 0: one for each processor, at most 16 */
    accd_allocator alloc; /* allocator of the interpreter and the core, except for a few arrays between the two; NULL:
                             realloc and free. The session's thread calls it. If `L` is set, Lua's memory comes from the
                             allocator of that state */
    void *alloc_ud;
    size_t max_memory;  /* limit of the interpreter's memory in bytes, of which it needs about 5 MB for itself; 0: no
                           limit. Must be 0 if `L` is set */
    uint64_t max_steps; /* limit of the interpreter's instructions in one call, after which it returns ACCD_ERROR_LIMIT;
                           0: no limit */
    accd_event_fn on_event; /* function called for every allocation, copy, attachment, counter and kernel, after the
                               construct is complete, and for waits */
    void *event_ud;
    struct lua_State *L; /* state of Lua 5.4 to work in, of the Lua library that this one uses; NULL: the session makes
                            one. The caller still owns it; its globals are left alone. It must outlive the session, and
                            run nothing else during a call of the session. Strings must have Lua's methods. An LPeg that
                            it loads later must be of the same release */
    const char *async; /* time at which queued work is done: "program" (NULL), at its directive; "concurrent", while the
                          program continues, if the device supports it ("cuda") */
    void *reserved[7]; /* must be zeros */
} accd_session_config;

/* Opens a session with a configuration, or with the defaults if config is NULL. The caller closes it with
 * accd_session_free, also after a failure: then only accd_last_error_message and accd_last_error accept it.
 * *a_p is NULL if there is no memory for a session. ACCD_ERROR_NO_DEVICE; ACCD_ERROR_INVALID: an unknown profile,
 * language or layout; ACCD_ERROR_OUT_OF_MEMORY, ACCD_ERROR_LIMIT, ACCD_ERROR_MISUSE. [HOUSE-device, HOUSE-names,
 * HOUSE-memory, HOUSE-limit] */
ACCD_API accd_status accd_session_new(accd_session **a_p, const accd_session_config *config);

/* Frees the session and its device memory. Open regions end, and nothing is copied to the host. The interpreter is
 * cached for a later session of this process: at most eight are, and none of a session with alloc, max_memory or L.
 * NULL does nothing. ACCD_ERROR_MISUSE: the session belongs to another thread, or is in a call; it stays open.
 * [HOUSE-misuse] */
ACCD_API accd_status accd_session_free(accd_session *a);

/* Gives the session away; afterwards it belongs to no thread. ACCD_ERROR_MISUSE: the session belongs to another
 * thread. [HOUSE-misuse] */
ACCD_API accd_status accd_session_disown(accd_session *a);
/* Makes the calling thread the owner of a session that was given away. Everything that the former owner did happens
 * before this call returns. ACCD_ERROR_MISUSE: the session belongs to a thread. [HOUSE-misuse] */
ACCD_API accd_status accd_session_adopt(accd_session *a);

/* ------------------------------------------------------------------------------------ errors -- */

typedef struct accd_error_detail {
    accd_status status;
    const char *code;    /* code in scenarios, such as "unknown-name"; there are more codes than statuses */
    const char *message; /* description of the error, one sentence */
    const char *rule;    /* id of the rule that decided, such as "TR14-4.2-03" */
    const char *help;    /* advice, or NULL */
    const char *file; /* file of the call that gave the text; "text", line 1, if the call did not say; NULL: the error
                         is not about a text */
    int line;         /* line in `file`; 0: not known */
    int column;       /* column in the line of the text, from 1; 0: not known */
    const char *text; /* text of the directive or declaration, or NULL */
    accd_object_info objects[2]; /* the requested object, and the one that conflicts with it; 0 bytes: none */
} accd_error_detail;

/* Returns the error of the last call that failed; valid until the next call that fails, or the end of the session.
 * Before any failure its status is ACCD_OK. Never NULL, even if the session is NULL. */
ACCD_API const accd_error_detail *accd_last_error(const accd_session *a);
/* Returns the error of accd_last_error as text to read: location, code, message, the directive with a mark below,
 * objects, rule, help. Valid until the next call that fails, or the end of the session. Never NULL. */
ACCD_API const char *accd_last_error_message(const accd_session *a);

/* ------------------------------------------------------------------ types, objects, functions -- */

/* Functions with a text also take the file and line of the call, for errors and events. The macros below add them.
 * Call a function itself as (accd_declare)(a, text). */

/* Declares types and constants, with shape and policy directives among them. Variables declared here get memory of
 * the session. If an error is found, nothing of the text is declared. ACCD_ERROR_SYNTAX; ACCD_ERROR_INVALID: the text
 * breaks a rule; accd_last_error gives its code. [HOUSE-syntax, HOUSE-names, HOUSE-layout] */
ACCD_API accd_status accd_declare(accd_session *a, const char *text);
ACCD_API accd_status accd_declare_loc(accd_session *a, const char *text, const char *file, int line);

/* Declares a type with the compiler's layout, and the types that it needs, from the debug information (-g)
 * of a program; libdw reads it. program: a file; NULL: this process, the program first, then its
 * libraries. type: "struct deep_type", "app::grid", "std::vector<float>", "type(particle)". Afterwards
 * such a name can be used like other types. A type that is declared already must have the same layout. If
 * an error is found, nothing is declared. ACCD_ERROR_INVALID: unknown-type (the help has the closest name),
 * duplicate-name, file (no such file, no debug information, or no libdw). [HOUSE-debug] */
ACCD_API accd_status accd_declare_from_debug_info(accd_session *a, const char *program, const char *type);
ACCD_API accd_status accd_declare_from_debug_info_loc(accd_session *a, const char *program, const char *type,
                                                      const char *file, int line);

/* Binds a name to an object of the program, with a declared type: "struct deep_type", "float *", "double[10][20]",
 * in Fortran "type(field)". In Fortran type may also be a declaration, such as "real, pointer :: p(:)"; then object
 * is the descriptor. The memory stays the program's. It must exist until its data are unmapped, and whenever a
 * directive names it. A name that is bound already gets the new object; present data stay as they are.
 * (Directives with the name are then lowered again. If the address changes often, bind a pointer, and write
 * copy(x[0:1]).) bytes is the size of the object; it is compared with the size of the type, unless it is 0 or 1
 * (sizeof of void or char). The object may be the first element of an array type.
 * ACCD_ERROR_INVALID: unknown-type, type-mismatch, duplicate-name. [HOUSE-binding] */
ACCD_API accd_status accd_bind_sized(accd_session *a, const char *name, const char *type, const void *object,
                                     size_t bytes, const char *file, int line);
#define accd_bind(a, name, type, ptr) accd_bind_sized((a), (name), (type), (ptr), sizeof *(ptr), __FILE__, __LINE__)
/* Removes a name that accd_bind_sized has bound. Present data of the object stay present. ACCD_ERROR_INVALID:
 * unknown-name. [HOUSE-names] */
ACCD_API accd_status accd_unbind(accd_session *a, const char *name);

/* Checks that offset and size, in bytes, of a member of a declared type are those that the compiler uses:
 *     ACCD_CHECK_MEMBER(a, struct deep_type, b)
 * ACCD_ERROR_INVALID: unknown-type, not-a-struct, unknown-member, type-mismatch. [HOUSE-binding] */
ACCD_API accd_status accd_check_member(accd_session *a, const char *type, const char *member, size_t offset,
                                       size_t bytes, const char *file, int line);
#define ACCD_CHECK_MEMBER(a, type, member) \
    accd_check_member((a), #type, #member, offsetof(type, member), sizeof(((type *)0)->member), __FILE__, __LINE__)

/* Function of the program that section bounds and conditions may call. Integers and addresses are passed as int64_t.
 * The function writes its result to *result_p and returns 0. If it returns another number, the construct fails before
 * anything changes (ACCD_ERROR_CALLBACK). The function must have no side effects: it can be called any number of
 * times, at any moment of the call. */
typedef int (*accd_user_fn)(void *ud, int nargs, const int64_t *args, int64_t *result_p);
/* Makes fn callable from directives under a name. ACCD_ERROR_INVALID: duplicate-name. [TR14-3.1.1-21, HOUSE-names] */
ACCD_API accd_status accd_bind_function(accd_session *a, const char *name, accd_user_fn fn, void *ud);

/* -------------------------------------------------------------------------------- directives -- */

/* Executes a directive. "acc ...", "#pragma acc ..." and "!$acc ..." are OpenACC, "omp ..." and
 * "#pragma omp ..." are OpenMP. Without such a word the profile decides.
 * - enter data, exit data, update, shape, policy, set, init, shutdown, declare mapper ... are done at
 *   once.
 * - data, target data open a region, until "acc end data" or "omp end target data".
 * - parallel, serial, kernels, target and their combined forms also open a region, in which the program
 *   computes, until "acc end parallel". accd_run_compute does both. Only clauses count: accdeep does not see
 *   which variables your kernel uses.
 * - async, wait: their arguments are checked, and events name the queue; the work is done at once. In a
 *   concurrent session the work runs while the program continues, with the same results. Data for the
 *   device are read at the directive; data for the host are there after a wait. A compute construct waits
 *   for the queues of its device, so your kernel finds its data.
 * - host_data, use_device_ptr and OpenMP's constructs of the host are unsupported. accd_deviceptr gives
 *   device addresses.
 *
 * A directive is parsed once for its place; later only its construct runs. In a new interpreter the first
 * declaration, binding or directive takes about 5 ms more, in which the grammar is made.
 *
 * ACCD_ERROR_SYNTAX, ACCD_ERROR_INVALID, and the statuses of the core. [HOUSE-syntax, and the rules of the directive]
 */
ACCD_API accd_status accd_run_directive(accd_session *a, const char *text);
ACCD_API accd_status accd_run_directive_loc(accd_session *a, const char *text, const char *file, int line);

/* Kernel of a compute construct, called between the construct's entry and exit. device is the number of the device,
 * or -1 if an if clause makes the kernel run on the data of the host. The kernel returns 0, or another number if it
 * fails. */
typedef int (*accd_kernel_fn)(accd_session *a, int device, void *ud);
/* Executes a compute construct with a kernel of the program. If fn or the end of the construct fails, the entry is
 * undone. Then nothing is copied to the host, and what the construct mapped is unmapped. Other data on the device
 * have their old values, except those that fn wrote without accd_kernel_write. ACCD_ERROR_CALLBACK: fn failed.
 * Other errors are those of accd_run_directive. [HOUSE-misuse] */
ACCD_API accd_status accd_run_compute(accd_session *a, const char *text, accd_kernel_fn fn, void *ud);
ACCD_API accd_status accd_run_compute_loc(accd_session *a, const char *text, accd_kernel_fn fn, void *ud,
                                          const char *file, int line);

/* Parses and lowers a data or compute directive that will run often; accd_prepared_run runs it. Members, bounds and
 * conditions are evaluated when it runs. If names were bound to other objects since, or types, shapes or functions
 * declared, the next accd_prepared_run lowers it again, and may fail as accd_run_directive does. The caller owns the
 * handle. After the end of the session, only accd_prepared_free may be called with it.
 * ACCD_ERROR_SYNTAX, ACCD_ERROR_INVALID. [HOUSE-syntax] */
ACCD_API accd_status accd_prepare(accd_session *a, const char *text, accd_prepared **prepared_p);
ACCD_API accd_status accd_prepare_loc(accd_session *a, const char *text, const char *file, int line,
                                      accd_prepared **prepared_p);
/* Runs a prepared directive. A data or compute construct opens its region; a prepared directive may be run again
 * inside its own region. Errors are those of accd_run_directive. */
ACCD_API accd_status accd_prepared_run(accd_prepared *prepared);
/* Ends the innermost region, which accd_prepared_run must have opened with this handle. ACCD_ERROR_REGION_NESTING: no
 * such region is open, or it is not the innermost one. [DIR-4.3-06] */
ACCD_API accd_status accd_prepared_end(accd_prepared *prepared);
/* Frees the handle. An open region stays open, for "acc end data". NULL does nothing. */
ACCD_API void accd_prepared_free(accd_prepared *prepared);

#ifndef ACCD_NO_MACROS
#define accd_declare(a, text) accd_declare_loc((a), (text), __FILE__, __LINE__)
#define accd_declare_from_debug_info(a, program, type) \
    accd_declare_from_debug_info_loc((a), (program), (type), __FILE__, __LINE__)
#define accd_run_directive(a, text) accd_run_directive_loc((a), (text), __FILE__, __LINE__)
#define accd_run_compute(a, text, fn, ud) accd_run_compute_loc((a), (text), (fn), (ud), __FILE__, __LINE__)
#define accd_prepare(a, text, prepared_p) accd_prepare_loc((a), (text), __FILE__, __LINE__, (prepared_p))
#endif

/* ---------------------------------------------------------------------- addresses and memory -- */

/* These functions use the current device: 0 at first, later the one of accd_set_device or "acc set device_num(1)". In
 * a kernel they use its device. ACCD_ERROR_NO_DEVICE: the kernel runs on the host. */

/* Returns the device address of a host address in present data. NULL: the address is not present, or the call failed;
 * accd_last_error tells the two apart. [ACC33-3.2.26-1] */
ACCD_API void *accd_deviceptr(accd_session *a, const void *host);
/* Returns the host address of a device address in present data, or NULL. [ACC33-3.2.26-1] */
ACCD_API void *accd_hostptr(accd_session *a, const void *device);
/* Returns 1 if the whole range is present in one object, else 0. bytes = 0 counts as one byte. [ACC33-3.2.26-2] */
ACCD_API int accd_is_present(accd_session *a, const void *host, size_t bytes);

/* Copy bytes, as acc_memcpy_to_device and similar routines do: no pointer is attached, no counter changes. The
 * simulated device does not report reads of bytes that were never written.
 * ACCD_ERROR_OUT_OF_BOUNDS, ACCD_ERROR_HOST_POINTER_ON_DEVICE, ACCD_ERROR_DEVICE. [ACC33-3.2.30-1] */
ACCD_API accd_status accd_memcpy_to_device(accd_session *a, void *device, const void *host, size_t bytes);
ACCD_API accd_status accd_memcpy_from_device(accd_session *a, void *host, const void *device, size_t bytes);
/* Read and write bytes with the checks of a kernel: ACCD_ERROR_UNINITIALIZED_READ, ACCD_ERROR_EXCLUDED_MEMBER,
 * ACCD_ERROR_OUT_OF_BOUNDS. [TR14-1.2-06, TR14-1.2-10, TR14-3.1.1-14] */
ACCD_API accd_status accd_kernel_read(accd_session *a, void *to, const void *device, size_t bytes);
ACCD_API accd_status accd_kernel_write(accd_session *a, void *device, const void *from, size_t bytes);

/* Selects the current device. ACCD_ERROR_NO_DEVICE: no device has this number. [DIR-1-04] */
ACCD_API accd_status accd_set_device(accd_session *a, int device);
/* Returns the number of the current device; -1: the call is refused (no session, or one in a call), or the session's
 * kernel runs on the host. */
ACCD_API int accd_get_device(accd_session *a);

/* Returns the context of the session, for the explicit tier: present objects, attachments, levels, counters,
 * statistics, single steps. The context belongs to the session. Regions that are opened through the context nest
 * among those of the session, but the session does not know them. NULL: no session, or the session is in a call. */
ACCD_API accd_context *accd_get_context(accd_session *a);

#ifdef __cplusplus
}
#endif
#endif
