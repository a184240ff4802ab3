/* prof.c - the profiling interface of OpenACC (3.3, section 5): calls the callbacks of tools. Called through prof.h by
 * all entry points.
 *
 * Callbacks run between the steps of a call, without the lock, and may call any routine; calls that callbacks make are
 * not reported. Actions of the core under the lock are recorded, and reported when the step is done, in the order of
 * the document's steps. An upload then begins and ends at once, after its bytes were transferred. Times are meaningful
 * for constructs, their data phases and their kernels.
 *
 *      call     |  step (lock held)        |  step (lock held)        |
 *      records  |  upload, create, ...     |  download, ...           |
 *      tool     ^ start event              ^ records                  ^ records, end event
 *
 * Callbacks are called in the order of registration, those of an _END event in reverse order. The first use of a device
 * is reported as its start and acc_shutdown as its end, without the data present at that time. The program's end is
 * reported once, not for each device. A wait is reported if the host would wait, not for wait clauses. Memory is
 * reported object by object.
 *
 * Unavailable: end lines of constructs and functions and first lines of functions (-1), vendor (-1), handles (NULL).
 * Each kernel reports one gang, because it runs as one. The compiler does not distinguish kernels and serial from
 * parallel. Rules with events_bare imitate libgomp 12: events have no lines, names of data or thread numbers. Compute
 * constructs then start in no queue, a device starts with the requested type, and devices of type nvidia report CUDA as
 * their interface. */
#include "base/lock.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "lib/vector.h"
#include "prof.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Structures of the interface: acc_prof_info, acc_event_info and acc_api_info. valid_bytes: number of leading bytes
 * that are set. */
struct rt_prof_info {
    int event, valid_bytes, version, device_type, device_number, thread;
    ssize_t async, queue;
    const char *file, *function;
    int line, end_line, function_line, function_end_line;
};
struct rt_prof_event_info {
    int event, valid_bytes, parent, implicit;
    void *tool;
    union {
        struct {
            const char *name;
            size_t bytes;
            const void *host, *device;
        } data;
        struct {
            const char *name;
            size_t gangs, workers, vector;
        } launch;
    };
};
struct rt_prof_api_info {
    int api, valid_bytes, device_type, vendor;
    const void *device, *context, *queue;
};
_Static_assert(sizeof(struct rt_prof_info) == 72 && sizeof(struct rt_prof_event_info) == 56 &&
                   offsetof(struct rt_prof_event_info, data) == 24 && sizeof(struct rt_prof_api_info) == 40,
               "structures are laid out as the compiler's header has them");
enum { VERSION = 201711 }; /* version of OpenACC that defined these structures */
enum { API_NONE = 0, API_CUDA = 1, API_OTHER = 4 };

/* Event recorded under the lock, with the data that it is about. */
struct rt_prof_record {
    int event;
    const void *host;
    uint64_t device, bytes;
    char name[160]; /* "": unknown */
};

/* ---------------------------------------------------------------------------------- dispatch -- */

/* Returns the value of the field `device_api` (API_x) that callbacks get for `event`: the lower-level interface, such
 * as CUDA, that drives the span's device. Host: API_NONE. With events_bare, as libgomp 12 reports: API_NONE for starts
 * of devices and of compute constructs, otherwise API_CUDA. */
static int get_api(const struct rt_prof_span *span, int event)
{
    assert(event > RT_EV_NONE && event < RT_EV_COUNT);
    if (span->type == RT_DEVICE_HOST)
        return API_NONE;
    if (!rt.options.rules->events_bare)
        return API_OTHER;
    return event <= RT_EV_DEVICE_INIT_END || event == RT_EV_COMPUTE ? API_NONE : API_CUDA;
}

/* Returns the structure acc_prof_info of an event in the span: thread, device, queue, source line. The lock must be
 * held, because debug information is read. */
static struct rt_prof_info make_prof_info(const struct rt_prof_span *span, int event)
{
    const bool bare = rt.options.rules->events_bare;
    struct rt_prof_info location = {
        .event = event,
        .valid_bytes = sizeof location,
        .version = VERSION,
        .device_type = span->type,
        .device_number = span->device,
        .thread = bare ? -1 : (int)gettid(),
        .async = bare && event == RT_EV_COMPUTE ? RT_ASYNC_SYNC : span->queue,
        .line = -1,
        .end_line = -1,
        .function_line = -1,
        .function_end_line = -1,
    };
    location.queue = location.async;
    if (!bare && !rt_find_line(span->site->call.pc, &location.file, &location.line, &location.function))
        location.line = -1;
    return location;
}

/* Returns the structure acc_event_info of an event in the span: the kernel of a launch, or the data of a data event,
 * from `record`. record: NULL for events that are not about data. */
static struct rt_prof_event_info make_event_info(const struct rt_prof_span *span, int event,
                                                 const struct rt_prof_record *record)
{
    assert(record || !rt_is_data_event(event));
    struct rt_prof_event_info detail = {
        .event = event,
        .valid_bytes = offsetof(struct rt_prof_event_info, data),
        .parent = span->parent,
        .implicit = span->implicit,
        .tool = span->tool,
    };
    if (event == RT_EV_LAUNCH || event == RT_EV_LAUNCH_END) {
        detail.valid_bytes = sizeof detail;
        detail.launch.name = rt_find_symbol((uintptr_t)span->kernel);
        detail.launch.gangs = detail.launch.workers = detail.launch.vector = 1;
    } else if (rt_is_data_event(event)) {
        detail.valid_bytes = sizeof detail;
        detail.data.name = *record->name ? record->name : NULL;
        detail.data.bytes = record->bytes;
        detail.data.host = record->host;
        detail.data.device = (const void *)(uintptr_t)record->device;
    }
    return detail;
}

/* Calls the callbacks of `event` in the span; `record`: the data of a data event, NULL for other events. The list of
 * callbacks is copied first, because callbacks may change the registrations. Does nothing without callbacks or in a
 * muted thread (of which tools get no events). Ends the program if the copy finds no memory. */
static void call_callbacks(struct rt_prof_span *span, int event, const struct rt_prof_record *record)
{
    assert(event > RT_EV_NONE && event < RT_EV_COUNT);
    enum { FEW = 16 };
    struct rt_thread *self = rt_current_thread();
    rt_prof_callback *inline_calls[FEW], **calls = inline_calls;
    if (!rt_is_event_registered(event) || self->muted)
        return;
    rt_lock();
    size_t n = rt_prof_get_callbacks(event, calls, FEW);
    if (n > FEW) {
        calls = malloc(n * sizeof *calls);
        if (!calls)
            rt_fatal("out-of-memory", "no memory to call %zu callbacks", n);
        rt_prof_get_callbacks(event, calls, n);
    }
    const struct rt_prof_info location = make_prof_info(span, event);
    struct rt_prof_event_info detail = make_event_info(span, event, record);
    rt_unlock();
    self->in_callback = true;
    for (size_t i = 0; i < n; i++) {
        struct rt_prof_info prof_info = location;
        struct rt_prof_event_info event_info = detail;
        struct rt_prof_api_info api = {
            .api = get_api(span, event), .valid_bytes = sizeof api, .device_type = span->type, .vendor = -1};
        calls[i](&prof_info, &event_info, &api);
        detail.tool = event_info.tool;
    }
    self->in_callback = false;
    span->tool = detail.tool;
    if (calls != inline_calls)
        free(calls);
}

/* Calls the callbacks of `event`, which must not be about data (transfers, memory), with the span's construct and
 * device. */
void rt_prof_dispatch_event(struct rt_prof_span *span, int event)
{
    call_callbacks(span, event, NULL);
}

/* ------------------------------------------------------------------------------------- calls -- */

/* Sets the data's name in records[last], the newest record; "" if the name is not known. Reuses the name of one of the
 * 16 records before it with the same data, because a look-up in debug information is expensive. */
static void name_record(struct rt_prof_record *records, size_t last)
{
    enum { BACK = 16 };
    struct rt_prof_record *record = &records[last];
    for (size_t i = last; i-- > 0 && last - i <= BACK;)
        if (records[i].host == record->host && records[i].bytes == record->bytes) {
            memcpy(record->name, records[i].name, sizeof record->name);
            return;
        }
    if (!rt_format_name(rt.site, (uintptr_t)record->host, record->bytes, record->name, sizeof record->name))
        *record->name = 0;
}

/* Returns true for the start events of transfers, whose _END events follow at once. */
static bool is_transfer_event(int event)
{
    return event == RT_EV_UPLOAD || event == RT_EV_DOWNLOAD;
}

/* Returns true if tools have callbacks for an event; for the start event of a transfer, also if they have callbacks for
 * its _END event. */
static bool is_wanted_event(int event)
{
    return rt_is_event_registered(event) || (is_transfer_event(event) && rt_is_event_registered(event + 1));
}

/* Records an event about the `bytes` bytes at `host`, with their address `device`, for the end of the step. Records
 * nothing if tools have no callbacks for the event, in a callback, or in a muted thread. Ends the program without
 * memory. */
void rt_prof_record_data(int event, const void *host, uint64_t device, uint64_t bytes)
{
    struct rt_thread *self = rt_current_thread();
    if (self->in_callback || self->muted || !is_wanted_event(event))
        return;
    if (!RT_RESERVE(rt_heap_realloc, self->records, self->nrecords, self->records_capacity))
        rt_fatal("out-of-memory", "no memory for the events of a construct");
    struct rt_prof_record *record = &self->records[self->nrecords++];
    *record = (struct rt_prof_record){.event = event, .host = host, .device = device, .bytes = bytes};
    if (!rt.options.rules->events_bare && host)
        name_record(self->records, self->nrecords - 1);
}

/* Records the tool events for an event of the core: an allocation of the core is reported as RT_EV_ALLOC and
 * RT_EV_CREATE, a transfer as one upload or download. Other events of the core are ignored. */
static void record_core_event(const accd_event *event)
{
    assert((unsigned)event->op < ACCD_OP_COUNT);
    static const struct {
        int first, second;
    } kinds[ACCD_OP_COUNT] = {[ACCD_OP_ALLOC] = {RT_EV_ALLOC, RT_EV_CREATE},
                              [ACCD_OP_FREE] = {RT_EV_DELETE, RT_EV_FREE},
                              [ACCD_OP_H2D] = {RT_EV_UPLOAD, RT_EV_NONE},
                              [ACCD_OP_D2H] = {RT_EV_DOWNLOAD, RT_EV_NONE}};
    if (!rt.data_profiled)
        return;
    const void *host = (const void *)(uintptr_t)event->host;
    const int events_of[] = {kinds[event->op].first, kinds[event->op].second};
    for (int i = 0; i < 2; i++)
        if (is_wanted_event(events_of[i]))
            rt_prof_record_data(events_of[i], host, accd_device_address(rt.context, event->device, host), event->bytes);
}

/* Calls the callbacks of all events recorded in the span's step, and empties the list of records. */
static void dispatch_records(const struct rt_prof_span *span)
{
    struct rt_thread *self = rt_current_thread();
    for (size_t i = 0; i < self->nrecords; i++) {
        const struct rt_prof_record *record = &self->records[i];
        struct rt_prof_span part = *span;
        part.tool = NULL;
        /* Data events of compute constructs count as implicit, because the construct may have no clause for the data.
         */
        part.implicit |= span->parent == RT_PARENT_COMPUTE;
        call_callbacks(&part, record->event, record);
        if (is_transfer_event(record->event))
            call_callbacks(&part, record->event + 1, record);
    }
    self->nrecords = 0;
}

/* Fills in *span for a call at `site`, with the construct `parent` (RT_PARENT_x), the queue and the device type (of the
 * thread, if RT_DEVICE_CURRENT). Reports the start event `event`, unless it is RT_EV_NONE. */
void rt_prof_init_span(struct rt_prof_span *span, const struct rt_site *site, int event, int parent, int queue,
                       int type)
{
    struct rt_thread *self = rt_current_thread();
    if (type == RT_DEVICE_CURRENT)
        type = self->type;
    *span = (struct rt_prof_span){
        .site = site,
        .event = event,
        .parent = parent,
        .queue = type == RT_DEVICE_HOST ? RT_ASYNC_SYNC : queue,
        .type = type,
        .device = type == self->type ? self->device : 0,
    };
    self->nrecords = 0;
    if (event)
        call_callbacks(span, event, NULL);
}

/* Makes *part a step of the span (such as the data phase of a compute construct), and reports `event`, the step's start
 * event. */
void rt_prof_begin_nested_span(struct rt_prof_span *part, const struct rt_prof_span *span, int event)
{
    assert(span->site);
    *part = *span;
    part->event = event;
    part->implicit = true;
    part->tool = NULL;
    call_callbacks(part, event, NULL);
}

/* Reports the events recorded in the step, then the end event of the span, unless its start event is RT_EV_NONE. */
void rt_prof_end_span(struct rt_prof_span *span)
{
    assert(span->site && span->event + 1 < RT_EV_COUNT);
    dispatch_records(span);
    if (span->event)
        call_callbacks(span, span->event + 1, NULL);
}

/* Reports the end of the runtime to tools, unless the thread runs a callback. */
void rt_prof_finish(void)
{
    const struct rt_site site = {.construct_name = "the end"};
    const struct rt_thread *self = rt_current_thread();
    struct rt_prof_span span = {
        .site = &site,
        .parent = RT_PARENT_ROUTINE,
        .queue = RT_ASYNC_SYNC,
        .type = self->type,
        .device = self->device,
        .implicit = true,
    };
    if (rt_is_profiled() && !self->in_callback)
        call_callbacks(&span, RT_EV_RUNTIME_SHUTDOWN, NULL);
}

const struct rt_tool rt_profile_tool = {.name = "profile", .event = record_core_event};
