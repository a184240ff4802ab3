/* embed.h - state of a session, and internal functions of libaccdeep (accdeep.h).
 *
 *   accd_run_directive(a, text)
 *        |  accd__begin_call          is the session this thread's, and in no call?
 *        |  accd__call_protected      Lua parses, checks and lowers the text  ->  accd__directive_plan
 *        |  run_plan                  C runs the plan's construct; a region is pushed on a->regions
 *        v  accd__end_call            status
 *
 * Lua changes nothing on a device while it plans. If a call of Lua ends early (an error, no memory, a limit), nothing
 * has happened yet. A prepared directive runs without Lua, unless its plan is stale (names or types have changed, see
 * `generation`) or gated (conditions must be evaluated at each run). The stack of open regions, for all devices, is
 * kept in C. */
#ifndef ACCD_EMBED_H
#define ACCD_EMBED_H

#include "accdeep.h"

#include <binding.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define ACCD_MAGIC UINT64_C(0x61636364656570) /* accd_session.magic of each session until it is freed */

/* Kind of plan that the interpreter returns for a directive. */
enum accd__plan_kind {
    PLAN_DONE,    /* the interpreter has executed the directive */
    PLAN_STEP,    /* a construct to run, which opens no region */
    PLAN_REGION,  /* a construct that opens a region */
    PLAN_COMPUTE, /* a construct that opens a region with a kernel */
    PLAN_END      /* the end of the region with the plan's name */
};

/* Open region. */
struct accd__session_region {
    struct accd__session_region *outer;
    accd_region *core; /* region of the core; NULL: the if clause was false, so that no construct ran */
    int device;        /* number of the device; -1: the region runs on the host */
    enum accd__plan_kind kind;
    int ref;           /* reference to the directive's record, whose construct has the names that the core uses */
    bool owns;         /* the region releases `ref`; false: the handle of the prepared directive does */
    accd_prepared *by; /* prepared directive that opened the region; NULL: no handle, or it was freed */
    char name[64];     /* name of the directive, such as "target data" */
    bool is_openmp;
};

/* Plan of a directive (what C has to run), as lua/accdeep/embed.lua returns it. */
struct accd__directive_plan {
    enum accd__plan_kind kind;
    struct accd__lua_construct *construct; /* construct to run; NULL: nothing to run */
    int device;     /* number of the device; -1: data of the host, or an if clause that is false */
    unsigned queue; /* number of the device's queue for the construct; 0: none */
    bool is_openmp;
    bool gated; /* true if Lua must plan again at each run, because conditions, device or queue numbers, or bounds that
                   Lua computes may have changed */
    char name[64]; /* name of the directive; of the region to end, for PLAN_END */
};

struct accd__meter { /* allocator of the interpreter's memory, with a limit `most` in bytes (0: no limit) */
    accd_allocator fn;
    void *ud;
    size_t used, most;
    bool refused; /* an allocation has been refused because of the limit */
};

struct accd__caller { /* call of a public function, identified by its stack frame */
    char *frame;      /* canonical frame address of the public function; NULL: no call */
    void *link;       /* return address of the public function, in the program */
};

/* Session. */
struct accd_session {
    uint64_t magic;
    _Atomic(uintptr_t) owner; /* thread that owns the session; 0: the session was given away */
    struct accd__meter meter;
    lua_State *L;     /* state that the session uses; NULL: the state could not be made */
    bool is_borrowed; /* L is a thread of the state that the caller configured */
    bool is_usual;    /* default allocator and no memory limit, so that the Lua state can be cached */
    bool is_broken;   /* a callback jumped out of a call; the session can only be closed */
    /* registry references, in this order, to: the Lua session, the functions of accdeep.embed, the Lua thread L, the
     * last diagnostic, the error of the step limit; LUA_NOREF: not yet set */
    int self, library, thread, detail_ref, limit_ref;
    accd_context *core;                  /* context of the core; NULL: the context could not be opened */
    struct accd__lua_context *context;   /* Lua's object for `core` */
    int device;                          /* number of the current device */
    struct accd__caller caller;          /* call in progress; `frame` is NULL between calls */
    struct accd__session_region *kernel; /* region whose kernel runs in accd_run_compute; NULL: no kernel runs */
    uint64_t steps, max_steps; /* interpreter instructions of the call in progress, and their limit (0: no limit) */
    uint64_t generation;       /* version of names and types; a prepared directive of an older version is stale */
    struct accd__session_region *regions; /* innermost open region */
    accd_prepared *handles;               /* list of the handles of prepared directives */
    accd_error_detail detail;             /* error of the last failed call */
    const char *message;                  /* the same error as text; NULL: no error yet */
    char sentence[400], text[700];        /* texts of an error that was raised without Lua */
};

/* Handle of a prepared directive. */
struct accd_prepared {
    accd_session *a; /* session; NULL: the session was closed */
    accd_prepared *next, **link;
    struct accd__meter meter; /* allocator of this block, which may outlive the session */
    int ref;                  /* reference to the Lua record of the directive; the record keeps the construct alive */
    uint64_t generation; /* the session's `generation` when the plan was made; if the session's is higher now, the plan
                            is stale */
    struct accd__directive_plan plan;
};

/* --------------------------------------------------------------------------------- protect.c -- */

/* Calls fn(L) with `request` as light userdata at index 1, protected and within the limits of memory and steps. If fn
 * raises, or without memory, fills the session's error detail and returns the status of the error. Comments of
 * functions for this call begin with "Lua function (type of request)". */
accd_status accd__call_protected(accd_session *a, lua_CFunction fn, void *request);
/* Pushes the method `name` of the Lua session, and the session as the method's first argument. May raise. */
void accd__push_method(lua_State *L, accd_session *a, const char *name);
/* Pushes file and line of the host program's call; "text" and 1 if `file` is NULL. May raise. */
void accd__push_location(lua_State *L, const char *file, int line);

/* Fills the session's error detail with status, rule and message, which must be constant or stay valid. Returns
 * `status`. */
accd_status accd__reject_call(accd_session *a, accd_status status, const char *rule, const char *message);
/* Fills the error detail with the last error of the core. Returns `status`. */
accd_status accd__report_core_error(accd_session *a, accd_status status);
/* Fills the error detail; returns ACCD_ERROR_LIMIT if the limit refused memory, else ACCD_ERROR_OUT_OF_MEMORY. */
accd_status accd__report_no_memory(accd_session *a);

/* Returns a block of `bytes` zeros from the session's allocator; on failure reports the error and returns NULL. */
void *accd__session_alloc(accd_session *a, size_t bytes);
/* Frees a block of accd__session_alloc; `bytes` is its size. */
void accd__session_free_block(accd_session *a, void *block, size_t bytes);

/* --------------------------------------------------------------------------------- regions.c -- */

/* Releases a registry reference of the session's Lua state; LUA_NOREF does nothing. */
void accd__unref(accd_session *a, int ref);
/* Removes the innermost region, which the core has ended, from the stack of regions, and frees its record. */
void accd__pop_region(accd_session *a);
/* Abandons `region`, which is open, and all regions inside it, without copying anything to the host. */
void accd__drop_regions(accd_session *a, struct accd__session_region *region);
/* Ends the kernel in progress as if its construct had failed: undoes the kernel's writes on the device, and abandons
 * its region with all regions inside. */
void accd__undo_kernel(accd_session *a);

/* ------------------------------------------------------------------------------------ call.c -- */

/* Identity of the public function in which the macro is written: its frame and return address. */
#define ACCD_HERE ((struct accd__caller){__builtin_dwarf_cfa(), __builtin_return_address(0)})

/* Begins a call that may change the session; `caller` is ACCD_HERE of the public function. has_arguments: true if all
 * required arguments are non-NULL. Returns ACCD_OK; or, if the call is refused, another status, after which
 * accd__end_call must not follow. */
accd_status accd__begin_call(accd_session *a, struct accd__caller caller, bool has_arguments);
/* Ends a call that accd__begin_call began. Returns `status`. */
accd_status accd__end_call(accd_session *a, accd_status status);
/* Returns ACCD_OK if a call may inspect devices now: between public calls, or from a kernel of the session. Otherwise
 * returns the status of the error. accd__end_call must not follow in either case. */
accd_status accd__check_inspection(accd_session *a, struct accd__caller caller);
/* Returns ACCD_OK if the session can be closed now: it belongs to this thread, and is in no call. Otherwise returns
 * ACCD_ERROR_MISUSE. */
accd_status accd__check_can_close(accd_session *a, struct accd__caller caller);

/* ----------------------------------------------------------------------------------- library.c -- */

/* Pushes the table of functions of accdeep.embed, which is loaded once for each state, into an environment of its own.
 * Raises on failure. */
void accd__push_library(lua_State *L);

#endif
