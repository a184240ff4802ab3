/* prof.h - what tools hear by OpenACC's profiling interface: events that begin and end what a call
 * does. Costs a branch each while no tool listens. */
#ifndef RT_PROF_H
#define RT_PROF_H

#include "runtime.h"

/* As acc_prof.h of the compiler numbers them. What begins ends with the next one. */
enum {
    RT_EV_NONE,
    RT_EV_DEVICE_INIT, /* _start */
    RT_EV_DEVICE_INIT_END,
    RT_EV_DEVICE_SHUTDOWN,
    RT_EV_DEVICE_SHUTDOWN_END,
    RT_EV_RUNTIME_SHUTDOWN,
    RT_EV_CREATE,
    RT_EV_DELETE,
    RT_EV_ALLOC,
    RT_EV_FREE,
    RT_EV_ENTER_DATA, /* _start */
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

/* The construct that events come from, numbered likewise. */
enum {
    RT_PARENT_COMPUTE = 0, /* parallel: the compiler does not tell it from kernels and serial */
    RT_PARENT_DATA = 3,
    RT_PARENT_ENTER_DATA = 4,
    RT_PARENT_EXIT_DATA = 5,
    RT_PARENT_HOST_DATA = 6,
    RT_PARENT_DECLARE = 8,
    RT_PARENT_UPDATE = 12,
    RT_PARENT_WAIT = 14,
    RT_PARENT_ROUTINE = 15 /* of the runtime's interface */
};

/* What one call does, from its first event to its last. */
struct rt_prof_span {
    const struct rt_site *site; /* NULL: not reported */
    int event;                  /* RT_EV_NONE: only what happens inside is reported */
    int parent, queue;
    int type, device;
    bool implicit;
    void *tool; /* what callbacks of its start leave for those of its end */
    void (*kernel)(void *);
};

/* Whether callbacks are registered; also until tools had a chance to. */
static inline bool rt_is_profiled(void)
{
    return __builtin_expect(atomic_load_explicit(&rt.profiled, memory_order_relaxed), 0);
}

#define RT_COLD __attribute__((cold)) /* most programs never get there */

/* Around what a call does, without the lock. type: of the device, RT_DEVICE_CURRENT: the thread's. */
RT_COLD
void rt_prof_begin_span(struct rt_prof_span *span, const struct rt_site *site, int event, int parent, int queue,
                        int type);
RT_COLD
void rt_prof_begin_nested_span(struct rt_prof_span *part, const struct rt_prof_span *span, int event);
RT_COLD void rt_prof_end_span(struct rt_prof_span *span);

static inline void rt_span_begin(struct rt_prof_span *span, const struct rt_site *site, int event, int parent,
                                 int queue, int type)
{
    span->site = NULL;
    if (rt_is_profiled())
        rt_prof_begin_span(span, site, event, parent, queue, type);
}
/* A step of it. */
static inline void rt_span_begin_nested(struct rt_prof_span *part, const struct rt_prof_span *span, int event)
{
    part->site = NULL;
    if (__builtin_expect(span->site != NULL, 0))
        rt_prof_begin_nested_span(part, span, event);
}
static inline void rt_span_end(struct rt_prof_span *span)
{
    if (__builtin_expect(span->site != NULL, 0))
        rt_prof_end_span(span);
}

/* A wait for a queue, RT_ASYNC_NOVAL: for all, in the trace. async: of the queue that waits, RT_ASYNC_SYNC: the
 * program. */
RT_COLD void rt_trace_wait(const struct rt_site *site, int async, int queue);

/* The host waits for a queue, RT_ASYNC_NOVAL: for all. Nothing is ever under way. */
static inline void rt_host_wait(const struct rt_site *site, int parent, int queue)
{
    struct rt_prof_span span;
    rt_span_begin(&span, site, RT_EV_WAIT, parent, queue, RT_DEVICE_CURRENT);
    rt_span_end(&span);
    if (rt.observes_waits)
        rt_trace_wait(site, RT_ASYNC_SYNC, queue);
}

/* Inside, with the lock: something for rt_span_end to tell. */
RT_COLD
void rt_prof_record_data(int event, const void *host, uint64_t device, uint64_t bytes);
RT_COLD void rt_prof_record_core_event(const accd_event *event);
static inline void rt_span_record(const struct rt_prof_span *span, int event, const void *host, const void *device,
                                  uint64_t bytes)
{
    if (__builtin_expect(span->site != NULL, 0) && span->type != RT_DEVICE_HOST)
        rt_prof_record_data(event, host, (uintptr_t)device, bytes);
}

/* Tells that the thread's device starts, if it does now. asked: its type in the program's words. */
RT_COLD
void rt_prof_start_device(const struct rt_site *site, int parent, int requested_type, bool implicit);
/* Steps of the two: what a call does, on a device that has started; one event, without the lock. */
RT_COLD
void rt_prof_init_span(struct rt_prof_span *span, const struct rt_site *site, int event, int parent, int queue,
                       int type);
RT_COLD void rt_prof_dispatch_event(struct rt_prof_span *span, int event);

/* The runtime ends. */
RT_COLD void rt_prof_finish(void);

/* prof_tools.c */
struct rt_prof_info;
struct rt_prof_event_info;
struct rt_prof_api_info;
typedef void rt_prof_callback(struct rt_prof_info *location, struct rt_prof_event_info *detail,
                              struct rt_prof_api_info *api);
static inline bool rt_is_data_event(int event)
{
    return (event >= RT_EV_CREATE && event <= RT_EV_FREE) || (event >= RT_EV_UPLOAD && event <= RT_EV_DOWNLOAD_END);
}
/* Whether callbacks of an event are registered. */
bool rt_is_event_registered(int event);
/* Writes at most `most` of the callbacks to be called for an event and returns how many there are.
 * With the lock. */
size_t rt_prof_get_callbacks(int event, rt_prof_callback **calls, size_t most);
/* Lets tools register that come with the program, or are named by ACC_PROFLIB. */
RT_COLD void rt_prof_register_tools(void);

#endif
