/* embed.h - what the files of the library for host programs share.
 *
 * Lua reads and lowers directives, and changes nothing on a device meanwhile; C runs what comes of them. So
 * whatever ends a call of Lua - an error, no memory, a limit - ends it before anything happened, and a
 * prepared directive runs without Lua. Regions are C's: a stack for all devices. */
#ifndef ACCD_EMBED_H
#define ACCD_EMBED_H

#include "accdeep.h"

#include <binding.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define ACCD_MAGIC UINT64_C(0x61636364656570)

/* What the interpreter says of a directive. */
enum accd__plan_kind {
    PLAN_DONE,    /* it was carried out */
    PLAN_STEP,    /* a construct to run */
    PLAN_REGION,  /* a construct that opens a region */
    PLAN_COMPUTE, /* the same, for a kernel */
    PLAN_END      /* the end of the region of that name */
};

struct accd__session_region {
    struct accd__session_region *outer;
    accd_region *core; /* NULL: its if clause was false */
    int device;        /* -1: it runs on the host */
    enum accd__plan_kind kind;
    int ref;           /* of the directive's record, whose construct has the names that the core uses */
    bool owns;         /* the reference is its own, not that of the handle */
    accd_prepared *by; /* the handle that opened it, or NULL */
    char name[64];     /* of its directive, "target data" */
    bool is_openmp;
};

struct accd__directive_plan {
    enum accd__plan_kind kind;
    struct accd__lua_construct *construct; /* NULL: nothing to run */
    int device;                            /* -1: the host's own data, or an if clause that does not hold */
    unsigned queue;                        /* of the device: which one events name */
    bool is_openmp;
    bool gated; /* Lua is asked each time: conditions, device and queue numbers, measured bounds */
    char name[64];
};

struct accd__meter { /* of the interpreter's memory */
    accd_allocator fn;
    void *ud;
    size_t used, most;
    bool refused;
};

struct accd__caller { /* of a function of the interface */
    char *frame;      /* where its own frame ends */
    void *link;       /* the call */
};

struct accd_session {
    uint64_t magic;
    _Atomic(uintptr_t) owner; /* the thread it belongs to; 0: none */
    struct accd__meter meter;
    lua_State *L;  /* NULL: it could not be opened */
    bool borrowed; /* L is a thread of the host's state */
    bool is_usual; /* the usual allocator, and no limit of memory */
    bool broken;   /* a callback left it in the middle of something */
    /* in the registry: the Lua half, its functions, L, what was reported last, the error of a limit */
    int self, library, thread, detail_ref, limit_ref;
    accd_context *core;                   /* NULL: it could not be opened */
    struct accd__lua_context *context;    /* the same as Lua's object */
    int device;                           /* the current one */
    struct accd__caller caller;           /* of the call under way; no frame: there is none */
    struct accd__session_region *kernel;  /* a kernel of accd_run_compute runs in it */
    uint64_t steps, max_steps;            /* of the call under way */
    uint64_t generation;                  /* counts what makes prepared directives stale */
    struct accd__session_region *regions; /* the innermost one */
    accd_prepared *handles;
    accd_error_detail detail;
    const char *message;
    char sentence[400], shown[700]; /* of an error that Lua has no part in */
};

struct accd_prepared {
    accd_session *a; /* NULL: the session is closed */
    accd_prepared *next, **link;
    struct accd__meter meter; /* where its memory is from: it may outlive the session */
    int ref;                  /* what Lua knows of it; it keeps the construct */
    uint64_t generation;
    struct accd__directive_plan plan;
};

/* --------------------------------------------------------------------------------- protect.c -- */

/* Runs fn(L) with request as light userdata, protected and within limits. On failure the error is reported. */
accd_status accd__call_protected(accd_session *a, lua_CFunction fn, void *request);
/* For fn: pushes method name of the Lua half and the half itself. */
void accd__push_method(lua_State *L, accd_session *a, const char *name);
/* For fn: pushes file and line of the host program's call. */
void accd__push_location(lua_State *L, const char *file, int line);

/* Ways to fail: the detail is filled, the status returned. */
accd_status accd__reject_call(accd_session *a, accd_status status, const char *rule, const char *message);
accd_status accd__report_core_error(accd_session *a, accd_status status);
accd_status accd__report_no_memory(accd_session *a); /* ACCD_ERROR_LIMIT, where it is the limit that refused some */

void *accd__session_alloc(accd_session *a, size_t bytes); /* zeroed, or NULL with the error reported */
void accd__session_free_block(accd_session *a, void *block, size_t bytes);

/* --------------------------------------------------------------------------------- regions.c -- */

void accd__unref(accd_session *a, int ref);
/* The innermost region has ended. */
void accd__pop_region(accd_session *a);
/* Takes a region off, and those inside it, without copying anything to the host. */
void accd__drop_regions(accd_session *a, struct accd__session_region *region);
/* Ends the kernel under way as if its construct had failed. */
void accd__undo_kernel(accd_session *a);

/* ------------------------------------------------------------------------------------ call.c -- */

/* Tells a call inside of another one from a call after a callback that jumped out. */
#define ACCD_HERE ((struct accd__caller){__builtin_dwarf_cfa(), __builtin_return_address(0)})

/* Begins a call that may change the session; given: its arguments are there. Not ACCD_OK: the call is refused.
 * Every call that began ends with accd__end_call, which passes the status on. */
accd_status accd__begin_call(accd_session *a, struct accd__caller caller, bool given);
accd_status accd__end_call(accd_session *a, accd_status status);
/* Begins a call that looks at devices, which a kernel may do. It has no end. */
accd_status accd__check_inspection(accd_session *a, struct accd__caller caller);
/* Whether the session can be closed now. */
accd_status accd__check_can_close(accd_session *a, struct accd__caller caller);

/* ----------------------------------------------------------------------------------- library.c -- */

/* Pushes the table of functions of accdeep.embed, in an environment of its own within the state. Raises. */
void accd__push_library(lua_State *L);

#endif
