/* prof.h - what tools hear by OpenACC's profiling interface: events that begin and end what a call
 * does. Costs a branch each while no tool listens. */
#ifndef GOACC_PROF_H
#define GOACC_PROF_H

#include "runtime.h"

/* As acc_prof.h of the compiler numbers them. What begins ends with the next one. */
enum {
    GOACC_EV_NONE,
    GOACC_EV_DEVICE_INIT, /* _start */
    GOACC_EV_DEVICE_INIT_END,
    GOACC_EV_DEVICE_SHUTDOWN,
    GOACC_EV_DEVICE_SHUTDOWN_END,
    GOACC_EV_RUNTIME_SHUTDOWN,
    GOACC_EV_CREATE,
    GOACC_EV_DELETE,
    GOACC_EV_ALLOC,
    GOACC_EV_FREE,
    GOACC_EV_ENTER_DATA, /* _start */
    GOACC_EV_ENTER_DATA_END,
    GOACC_EV_EXIT_DATA,
    GOACC_EV_EXIT_DATA_END,
    GOACC_EV_UPDATE,
    GOACC_EV_UPDATE_END,
    GOACC_EV_COMPUTE,
    GOACC_EV_COMPUTE_END,
    GOACC_EV_LAUNCH,
    GOACC_EV_LAUNCH_END,
    GOACC_EV_UPLOAD,
    GOACC_EV_UPLOAD_END,
    GOACC_EV_DOWNLOAD,
    GOACC_EV_DOWNLOAD_END,
    GOACC_EV_WAIT,
    GOACC_EV_WAIT_END,
    GOACC_EV_COUNT
};

/* The construct that events come from, numbered likewise. */
enum {
    GOACC_IN_COMPUTE = 0, /* parallel: the compiler does not tell it from kernels and serial */
    GOACC_IN_DATA = 3,
    GOACC_IN_ENTER_DATA = 4,
    GOACC_IN_EXIT_DATA = 5,
    GOACC_IN_HOST_DATA = 6,
    GOACC_IN_DECLARE = 8,
    GOACC_IN_UPDATE = 12,
    GOACC_IN_WAIT = 14,
    GOACC_IN_ROUTINE = 15 /* of the runtime's interface */
};

/* What one call does, from its first event to its last. */
struct goacc_span {
    const struct goacc_site *site; /* NULL: not reported */
    int event;                     /* GOACC_EV_NONE: only what happens inside is reported */
    int parent, queue;
    int type, device;
    bool implicit;
    void *tool; /* what callbacks of its start leave for those of its end */
    void (*kernel)(void *);
};

/* Whether callbacks are registered; also until tools had a chance to. */
static inline bool goacc_listens(void)
{
    return __builtin_expect(atomic_load_explicit(&goacc.profiled, memory_order_relaxed), 0);
}

#define GOACC_COLD __attribute__((cold)) /* most programs never get there */

/* Around what a call does, without the lock. type: of the device, GOACC_CURRENT: the thread's. */
GOACC_COLD
void goacc_prof_begin(struct goacc_span *span, const struct goacc_site *site, int event, int parent,
                      int queue, int type);
GOACC_COLD
void goacc_prof_begin_part(struct goacc_span *part, const struct goacc_span *span, int event);
GOACC_COLD void goacc_prof_finish(struct goacc_span *span);

static inline void goacc_begin(struct goacc_span *span, const struct goacc_site *site, int event,
                               int parent, int queue, int type)
{
    span->site = NULL;
    if (goacc_listens())
        goacc_prof_begin(span, site, event, parent, queue, type);
}
/* A step of it. */
static inline void goacc_begin_part(struct goacc_span *part, const struct goacc_span *span,
                                    int event)
{
    part->site = NULL;
    if (__builtin_expect(span->site != NULL, 0))
        goacc_prof_begin_part(part, span, event);
}
static inline void goacc_finish(struct goacc_span *span)
{
    if (__builtin_expect(span->site != NULL, 0))
        goacc_prof_finish(span);
}

/* A wait for a queue, GOACC_NOVAL: for all, in the trace. async: of the queue that waits, GOACC_SYNC: the program. */
GOACC_COLD void goacc_hear_wait(const struct goacc_site *site, int async, int queue);

/* The host waits for a queue, GOACC_NOVAL: for all. Nothing is ever under way. */
static inline void goacc_wait(const struct goacc_site *site, int parent, int queue)
{
    struct goacc_span span;
    goacc_begin(&span, site, GOACC_EV_WAIT, parent, queue, GOACC_CURRENT);
    goacc_finish(&span);
    if (goacc.follows)
        goacc_hear_wait(site, GOACC_SYNC, queue);
}

/* Inside, with the lock: something for goacc_finish to tell. */
GOACC_COLD
void goacc_prof_note(int event, const void *host, uint64_t device, uint64_t bytes);
GOACC_COLD void goacc_prof_note_event(const accd_event *event);
static inline void goacc_note(const struct goacc_span *span, int event, const void *host,
                              const void *device, uint64_t bytes)
{
    if (__builtin_expect(span->site != NULL, 0) && span->type != GOACC_HOST)
        goacc_prof_note(event, host, (uintptr_t)device, bytes);
}

/* Tells that the thread's device starts, if it does now. asked: its type in the program's words. */
GOACC_COLD
void goacc_prof_device(const struct goacc_site *site, int parent, int asked, bool implicit);
/* Steps of the two: what a call does, on a device that has started; one event, without the lock. */
GOACC_COLD
void goacc_prof_open_span(struct goacc_span *span, const struct goacc_site *site, int event,
                          int parent, int queue, int type);
GOACC_COLD void goacc_prof_tell(struct goacc_span *span, int event);

/* The runtime ends. */
GOACC_COLD void goacc_prof_close(void);

/* prof_tools.c */
struct goacc_place;
struct goacc_detail;
struct goacc_api;
typedef void goacc_callback(struct goacc_place *place, struct goacc_detail *detail,
                            struct goacc_api *api);
static inline bool goacc_about_data(int event)
{
    return (event >= GOACC_EV_CREATE && event <= GOACC_EV_FREE) ||
           (event >= GOACC_EV_UPLOAD && event <= GOACC_EV_DOWNLOAD_END);
}
/* Whether callbacks of an event are registered. */
bool goacc_heard(int event);
/* Writes at most `most` of the callbacks to be called for an event and returns how many there are.
 * With the lock. */
size_t goacc_callbacks(int event, goacc_callback **calls, size_t most);
/* Lets tools register that come with the program, or are named by ACC_PROFLIB. */
GOACC_COLD void goacc_prof_open(void);

#endif
