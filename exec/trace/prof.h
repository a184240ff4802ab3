/* prof.h - events for tools of OpenACC's profiling interface. A span is one activity of a call, with a first and a
 * last event. Without a registered tool each span costs one branch. Implemented by prof.c, prof_tools.c,
 * rt/lifecycle.c. */
#ifndef RT_PROF_H
#define RT_PROF_H

#include "base/runtime.h"

/* Events, numbered as in the compiler's acc_prof.h. An _END event is its start event + 1. */
enum {
    RT_EV_NONE,
    RT_EV_DEVICE_INIT, /* acc_ev_device_init_start; each event that has an _END event is the _start event */
    RT_EV_DEVICE_INIT_END,
    RT_EV_DEVICE_SHUTDOWN,
    RT_EV_DEVICE_SHUTDOWN_END,
    RT_EV_RUNTIME_SHUTDOWN,
    RT_EV_CREATE,
    RT_EV_DELETE,
    RT_EV_ALLOC,
    RT_EV_FREE,
    RT_EV_ENTER_DATA,
    RT_EV_ENTER_DATA_END,
    RT_EV_EXIT_DATA,
    RT_EV_EXIT_DATA_END,
    RT_EV_UPDATE,
    RT_EV_UPDATE_END,
    RT_EV_COMPUTE,
    RT_EV_COMPUTE_END,
    RT_EV_LAUNCH,
    RT_EV_LAUNCH_END,
    RT_EV_UPLOAD,
    RT_EV_UPLOAD_END,
    RT_EV_DOWNLOAD,
    RT_EV_DOWNLOAD_END,
    RT_EV_WAIT,
    RT_EV_WAIT_END,
    RT_EV_COUNT
};

/* Parents: the constructs that cause events, numbered as in the compiler's acc_prof.h. */
enum {
    RT_PARENT_COMPUTE = 0, /* reported as parallel: the compiler does not distinguish kernels and serial */
    RT_PARENT_DATA = 3,
    RT_PARENT_ENTER_DATA = 4,
    RT_PARENT_EXIT_DATA = 5,
    RT_PARENT_HOST_DATA = 6,
    RT_PARENT_DECLARE = 8,
    RT_PARENT_UPDATE = 12,
    RT_PARENT_WAIT = 14,
    RT_PARENT_ROUTINE = 15 /* routine of the runtime's interface */
};

/* Span: one activity of a call, from its first event to its last. */
struct rt_prof_span {
    const struct rt_site *site; /* call of the program; NULL: the span is not reported */
    int event;                  /* start event; RT_EV_NONE: only nested events are reported */
    int parent, queue;          /* cause (RT_PARENT_x); queue number, RT_ASYNC_SYNC or RT_ASYNC_NOVAL */
    int type, device;           /* device type (RT_DEVICE_x) and number */
    bool implicit;              /* true if no directive or routine asked for the activity itself */
    void *tool;                 /* data that callbacks of the start event leave for callbacks of the end event */
    void (*kernel)(void *);     /* kernel of a launch; NULL: the span is not a launch */
};

/* Returns true if callbacks are registered, or if tools have not yet had a chance to register. */
static inline bool rt_is_profiled(void)
{
    return __builtin_expect(atomic_load_explicit(&rt.profiled, memory_order_relaxed), 0);
}

#define RT_COLD __attribute__((cold)) /* rarely executed code */

/* Begins the step `part` of the reported span `span`: reports the start event of the step. */
RT_COLD
void rt_prof_begin_nested_span(struct rt_prof_span *part, const struct rt_prof_span *span, int event);
/* Reports the events that were recorded since the last report, and the end event of `span`. */
RT_COLD void rt_prof_end_span(struct rt_prof_span *span);

/* Begins `part`, a step of `span`, with this start event. Only marks `part` as not reported if `span` is not reported.
 */
static inline void rt_span_begin_nested(struct rt_prof_span *part, const struct rt_prof_span *span, int event)
{
    part->site = NULL;
    if (__builtin_expect(span->site != NULL, 0))
        rt_prof_begin_nested_span(part, span, event);
}
/* Ends a span or a step; does nothing if it is not reported. */
static inline void rt_span_end(struct rt_prof_span *span)
{
    if (__builtin_expect(span->site != NULL, 0))
        rt_prof_end_span(span);
}

/* Records an event of data for the end of the current span. Records nothing if no tool wants the event, in callbacks,
 * and in muted threads. Ends the program without memory. The lock must be held, here and in the two functions below. */
RT_COLD
void rt_prof_record_data(int event, const void *host, uint64_t device, uint64_t bytes);
/* Records the events of the core for the end of the current span, while rt.data_profiled. */
extern const struct rt_tool rt_profile_tool;
/* Records an event of data if `span` is reported and its device is not the host. */
static inline void rt_span_record(const struct rt_prof_span *span, int event, const void *host, const void *device,
                                  uint64_t bytes)
{
    if (__builtin_expect(span->site != NULL, 0) && span->type != RT_DEVICE_HOST)
        rt_prof_record_data(event, host, (uintptr_t)device, bytes);
}

/* Fills in *span for a call at `site` and reports its start event `event`, unless it is RT_EV_NONE. The device must be
 * active (reported as started). parent: RT_PARENT_x; type: device type, RT_DEVICE_CURRENT: the thread's. The lock must
 * not be held. */
RT_COLD
void rt_prof_init_span(struct rt_prof_span *span, const struct rt_site *site, int event, int parent, int queue,
                       int type);
/* Calls the callbacks of `event` of the span, which must not be about data (rt_is_data_event). The lock must not be
 * held. */
RT_COLD void rt_prof_dispatch_event(struct rt_prof_span *span, int event);

/* Reports the end of the runtime to tools, unless the thread runs a callback. */
RT_COLD void rt_prof_finish(void);

/* prof_tools.c */
struct rt_prof_info;
struct rt_prof_event_info;
struct rt_prof_api_info;
/* Callback of a tool; the structures are defined in prof.c. */
typedef void rt_prof_callback(struct rt_prof_info *location, struct rt_prof_event_info *detail,
                              struct rt_prof_api_info *api);
/* Returns true for events about memory and transfers, whose records have the data's addresses. */
static inline bool rt_is_data_event(int event)
{
    return (event >= RT_EV_CREATE && event <= RT_EV_FREE) || (event >= RT_EV_UPLOAD && event <= RT_EV_DOWNLOAD_END);
}
/* Returns true if callbacks of an event are registered, even if tools have disabled them. */
bool rt_is_event_registered(int event);
/* Stores at most `capacity` enabled callbacks of an event in calling order, and returns their total number. The lock
 * must be held. */
size_t rt_prof_get_callbacks(int event, rt_prof_callback **calls, size_t capacity);
/* Lets tools register their callbacks: tools linked with the program, and libraries named by ACC_PROFLIB. Called once;
 * a library that cannot be opened is reported. */
RT_COLD void rt_prof_register_tools(void);

#endif
