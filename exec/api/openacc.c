/* openacc.c - the acc_* routines of OpenACC 3.3 that the compiler's openacc.h declares. Each is a construct of one item
 * (host range with an action), or a single operation of the core. If the thread's device is the host, memory is shared:
 * nothing is mapped, and everything is present (ACC33-gloss-2). */
#include "base/context.h"
#include "base/kernel.h"
#include "diag/errors.h"
#include "diag/label.h"
#include "image/malloc_blocks.h"
#include "rt/lifecycle.h"
#include "rt/orders.h"
#include "rt/spans.h"
#include "trace/prof.h"
#include "routine_steps.h"
#include "routines.h"

#include <assert.h>

/* Parameters of routines for data and for pointers; those of asynchronous ones also have a queue. */
#define DATA (void *host, size_t bytes)
#define DATA_QUEUE (void *host, size_t bytes, int queue)
#define SLOT (void **slot)
#define SLOT_QUEUE (void **slot, int queue)

/* -------------------------------------------------------------------------------------- data -- */

/* Returns the event (RT_EV_x) that tools get for a construct of this kind. */
static int get_kind_event(accd_construct_kind kind)
{
    return kind == ACCD_KIND_ENTER_DATA  ? RT_EV_ENTER_DATA
           : kind == ACCD_KIND_EXIT_DATA ? RT_EV_EXIT_DATA
                                         : RT_EV_UPDATE;
}

/* Begins a routine at `site`: `span`, with the event `event` (RT_EV_NONE: its steps have events), for tools, and the
 * call. Returns the thread's state. end_routine ends both. */
static struct rt_thread *begin_routine(struct rt_prof_span *span, const struct rt_site *site, int event, int queue)
{
    rt_span_begin(span, site, event, RT_PARENT_ROUTINE, queue, RT_DEVICE_CURRENT);
    return rt_enter(site);
}
static void end_routine(struct rt_prof_span *span) /* ends a routine that begin_routine began */
{
    rt_leave();
    rt_span_end(span);
}

/* Returns the call of a routine by the thread, on the data at `host`, or on device memory at that address. */
static accd__routine_call make_call(const struct rt_thread *self, accd__routine routine, const void *host, size_t bytes)
{
    return (accd__routine_call){
        .routine = routine,
        .current = self->type == RT_DEVICE_HOST ? -1 : self->device,
        .devices = rt.options.devices,
        .usual = rt.options.device,
        .address = (uintptr_t)host,
        .bytes = bytes,
    };
}

/* Runs the construct of a routine with `item`, on the thread's device. The queue is only reported and checked. flags:
 * of rt_run_construct. */
static void run_construct(struct rt_thread *self, const accd__routine_info *routine, accd_item *item, unsigned flags,
                          int queue)
{
    item->action = routine->action;
    rt_label_item_at_site(item);
    RT_CALL_HOOKS(begin_operation, self, queue);
    rt_run_construct(self, (accd_construct_kind)routine->kind, flags, item, 1, routine->finalize);
    RT_CALL_HOOKS(begin_operation, self, RT_ASYNC_SYNC);
}

/* Runs a data routine for the `bytes` bytes at `host`, at once: the queue is only reported and checked. Returns the
 * device address for enter data, `host` if the host is the thread's device, otherwise NULL. */
void *rt_run_data_routine(const struct rt_site *site, accd__routine routine, void *host, size_t bytes, int queue)
{
    const accd__routine_info *info = accd__get_routine(routine);
    struct rt_prof_span span;
    struct rt_thread *self = begin_routine(&span, site, get_kind_event((accd_construct_kind)info->kind), queue);
    uint64_t result = 0;
    if (self->type != RT_DEVICE_HOST && accd__is_plain_range(host, bytes)) {
        accd_item item = {.host = host, .bytes = bytes};
        const bool needs_check =
            !rt_can_use_fast_path() || rt_needs_check((uintptr_t)host, bytes, rt_moves_bytes(info->action));
        run_construct(self, info, &item, needs_check ? RT_NEEDS_CHECK : 0, queue);
        if (info->kind == ACCD_KIND_ENTER_DATA)
            result = accd_device_address(rt.context, self->device, host);
    } else {
        const accd__routine_call call = make_call(self, routine, host, bytes);
        result = rt_decide_routine(&call).result;
    }
    end_routine(&span);
    return (void *)(uintptr_t)result;
}

/* HERE: address of the site (struct rt_site) of the program's call of the routine that uses the macro. RUN: runs a data
 * routine; name: ACCD__ROUTINE_name. */
#define HERE ((const struct rt_site[]){rt_caller_site(__func__)})
#define RUN(name, queue) rt_run_data_routine(HERE, ACCD__ROUTINE_##name, host, bytes, queue)

/* Map the data, and return their device address: acc_copyin with a copy of the values, acc_create without. Names with
 * `present_or` and `p` are older ones. */
RT_ROUTINE(void *, acc_copyin, DATA, RUN(COPYIN, RT_ASYNC_SYNC))
RT_ROUTINE(void *, acc_present_or_copyin, DATA, RUN(COPYIN, RT_ASYNC_SYNC))
RT_ROUTINE(void *, acc_pcopyin, DATA, RUN(COPYIN, RT_ASYNC_SYNC))
RT_ROUTINE(void *, acc_create, DATA, RUN(CREATE, RT_ASYNC_SYNC))
RT_ROUTINE(void *, acc_present_or_create, DATA, RUN(CREATE, RT_ASYNC_SYNC))
RT_ROUTINE(void *, acc_pcreate, DATA, RUN(CREATE, RT_ASYNC_SYNC))
/* Decrement the dynamic counter of the data; with finalize, set it to 0. If no reference is left, they unmap the data;
 * acc_copyout copies them back before. */
RT_ROUTINE(void, acc_copyout, DATA, (void)RUN(COPYOUT, RT_ASYNC_SYNC))
RT_ROUTINE(void, acc_copyout_finalize, DATA, (void)RUN(COPYOUT_FINALIZE, RT_ASYNC_SYNC))
RT_ROUTINE(void, acc_delete, DATA, (void)RUN(DELETE, RT_ASYNC_SYNC))
RT_ROUTINE(void, acc_delete_finalize, DATA, (void)RUN(DELETE_FINALIZE, RT_ASYNC_SYNC))
/* Copy the host's bytes to the device, and the device's bytes to the host. */
RT_ROUTINE(void, acc_update_device, DATA, (void)RUN(UPDATE_DEVICE, RT_ASYNC_SYNC))
RT_ROUTINE(void, acc_update_self, DATA, (void)RUN(UPDATE_SELF, RT_ASYNC_SYNC))
/* Do the same at once; `queue` is only reported and checked. */
RT_ROUTINE(void, acc_copyin_async, DATA_QUEUE, (void)RUN(COPYIN, queue))
RT_ROUTINE(void, acc_create_async, DATA_QUEUE, (void)RUN(CREATE, queue))
RT_ROUTINE(void, acc_copyout_async, DATA_QUEUE, (void)RUN(COPYOUT, queue))
RT_ROUTINE(void, acc_copyout_finalize_async, DATA_QUEUE, (void)RUN(COPYOUT_FINALIZE, queue))
RT_ROUTINE(void, acc_delete_async, DATA_QUEUE, (void)RUN(DELETE, queue))
RT_ROUTINE(void, acc_delete_finalize_async, DATA_QUEUE, (void)RUN(DELETE_FINALIZE, queue))
RT_ROUTINE(void, acc_update_device_async, DATA_QUEUE, (void)RUN(UPDATE_DEVICE, queue))
RT_ROUTINE(void, acc_update_self_async, DATA_QUEUE, (void)RUN(UPDATE_SELF, queue))

/* ---------------------------------------------------------------------------------- pointers -- */

/* Runs acc_attach or acc_detach for the pointer at `slot`; ends the program if `slot` is NULL. queue: only reported and
 * checked. Does nothing if the host is the thread's device. */
static void run_pointer_routine(const struct rt_site *site, accd__routine routine, void **slot, int queue)
{
    const accd__routine_info *info = accd__get_routine(routine);
    struct rt_prof_span span;
    struct rt_thread *self = begin_routine(&span, site, get_kind_event((accd_construct_kind)info->kind), queue);
    const accd__routine_call call = make_call(self, routine, slot, 0);
    accd__routine_step step = rt_decide_routine(&call);
    if (step.operation == ACCD__DO_CONSTRUCT)
        run_construct(self, info, &step.item, RT_NEEDS_CHECK, queue);
    end_routine(&span);
}

#define POINTER(name, queue) run_pointer_routine(HERE, ACCD__ROUTINE_##name, slot, queue)

/* acc_attach makes the pointer's device copy point to the device copy of its target. acc_detach decrements the
 * pointer's attachment counter, and sets it to 0 with finalize; at 0, the device copy gets the host's value. */
RT_ROUTINE(void, acc_attach, SLOT, POINTER(ATTACH, RT_ASYNC_SYNC))
RT_ROUTINE(void, acc_attach_async, SLOT_QUEUE, POINTER(ATTACH, queue))
RT_ROUTINE(void, acc_detach, SLOT, POINTER(DETACH, RT_ASYNC_SYNC))
RT_ROUTINE(void, acc_detach_async, SLOT_QUEUE, POINTER(DETACH, queue))
RT_ROUTINE(void, acc_detach_finalize, SLOT, POINTER(DETACH_FINALIZE, RT_ASYNC_SYNC))
RT_ROUTINE(void, acc_detach_finalize_async, SLOT_QUEUE, POINTER(DETACH_FINALIZE, queue))

/* ----------------------------------------------------------------------------------- queries -- */

/* Returns 1 if all `bytes` bytes at `host` are present, or if the host is the thread's device; otherwise 0. In
 * instrumented runs the data at `host` then count as used. */
int rt_is_present(const struct rt_site *site, const void *host, size_t bytes)
{
    assert(site);
    const struct rt_thread *self = rt_enter(site);
    const int present = self->type == RT_DEVICE_HOST || accd__is_range_present(rt.context, self->device, host, bytes);
    RT_CALL_HOOKS(query, self->device, host);
    rt_leave();
    return present;
}

RT_ROUTINE(int, acc_is_present, DATA, rt_is_present(HERE, host, bytes)) /* returns 1 if all bytes are present */

/* Returns the counterpart of an address on the other side, for acc_deviceptr or acc_hostptr; NULL: there is none. */
static void *find_counterpart(const struct rt_site *site, accd__routine routine, const void *address)
{
    const accd__routine_call call = make_call(rt_enter(site), routine, address, 0);
    const uint64_t result = rt_decide_routine(&call).result;
    if (routine == ACCD__ROUTINE_DEVICEPTR)
        RT_CALL_HOOKS(expose, result);
    rt_leave();
    return (void *)(uintptr_t)result;
}

/* Return the device address of the data at `host`, and the host address of the data at `device`; NULL: none. */
RT_ROUTINE(void *, acc_deviceptr, (void *host), find_counterpart(HERE, ACCD__ROUTINE_DEVICEPTR, host))
RT_ROUTINE(void *, acc_hostptr, (void *device), find_counterpart(HERE, ACCD__ROUTINE_HOSTPTR, device))

/* -------------------------------------------------------------------------------- raw memory -- */

/* Maps the `bytes` bytes at `host` to device memory at `device`, which the program has allocated. Ends the program on
 * an error, and if the host is the thread's device. */
void acc_map_data(void *host, void *device, size_t bytes);
void acc_map_data(void *host, void *device, size_t bytes)
{
    struct rt_prof_span span;
    accd__routine_call call =
        make_call(begin_routine(&span, HERE, RT_EV_NONE, RT_ASYNC_SYNC), ACCD__ROUTINE_MAP_DATA, host, bytes);
    accd_item item = {.host = host, .bytes = bytes};
    rt_label_item_at_site(&item);
    call.label = item.label;
    call.from = (uintptr_t)device;
    accd__routine_step step = rt_decide_routine(&call);
    rt_perform_routine(&call, &step);
    rt_span_record(&span, RT_EV_CREATE, host, device, bytes);
    end_routine(&span);
}

/* Unmaps the data at `host`, which acc_map_data has mapped. Ends the program on an error; does nothing if the host is
 * the thread's device. */
void acc_unmap_data(void *host);
void acc_unmap_data(void *host)
{
    struct rt_prof_span span;
    const accd__routine_call call =
        make_call(begin_routine(&span, HERE, RT_EV_NONE, RT_ASYNC_SYNC), ACCD__ROUTINE_UNMAP_DATA, host, 0);
    accd__routine_step step = rt_decide_routine(&call);
    if (step.operation == ACCD__DO_UNMAP) {
        accd_present_object object = {0};
        accd_present_at(rt.context, step.device, (uintptr_t)host, 0, &object);
        rt_perform_routine(&call, &step);
        rt_span_record(&span, RT_EV_DELETE, host, (void *)(uintptr_t)object.dev, object.info.bytes);
    }
    end_routine(&span);
}

/* Allocates device memory; host memory if the host is the thread's device. Returns NULL if memory is exhausted, and for
 * 0 bytes. */
void *acc_malloc(size_t bytes);
void *acc_malloc(size_t bytes)
{
    struct rt_prof_span span;
    const accd__routine_call call =
        make_call(begin_routine(&span, HERE, RT_EV_NONE, RT_ASYNC_SYNC), ACCD__ROUTINE_MALLOC, NULL, bytes);
    accd__routine_step step = rt_decide_routine(&call);
    rt_perform_routine(&call, &step);
    void *const memory = (void *)(uintptr_t)step.result;
    if (memory)
        rt_span_record(&span, RT_EV_ALLOC, NULL, memory, bytes);
    end_routine(&span);
    return memory;
}

/* Frees memory of acc_malloc. Ends the program if the device memory at `device` is not allocated. */
void acc_free(void *device);
void acc_free(void *device)
{
    struct rt_prof_span span;
    const accd__routine_call call =
        make_call(begin_routine(&span, HERE, RT_EV_NONE, RT_ASYNC_SYNC), ACCD__ROUTINE_FREE, device, 0);
    accd__routine_step step = rt_decide_routine(&call);
    rt_perform_routine(&call, &step);
    if (step.operation == ACCD__DO_FREE && step.device >= 0)
        rt_span_record(&span, RT_EV_FREE, NULL, device, 0);
    end_routine(&span);
}

/* Copies memory for a routine of acc_memcpy, and informs the checks. The queue is only recorded. to_device,
 * from_device: devices of acc_memcpy_d2d, otherwise not used. Ends the program on an error. */
static void copy_memory(const struct rt_site *site, accd__routine routine, void *to, const void *from, size_t bytes,
                        int to_device, int from_device, int queue)
{
    struct rt_prof_span span;
    struct rt_thread *self = begin_routine(&span, site, RT_EV_NONE, queue);
    accd__routine_call call = make_call(self, routine, to, bytes);
    call.from = (uintptr_t)from;
    call.device = to_device;
    call.from_device = from_device;
    call.queue = call.current < 0 ? 0 : rt_get_work_queue(call.current, queue);
    RT_CALL_HOOKS(begin_operation, self, queue);
    accd__routine_step step = rt_decide_routine(&call);
    rt_perform_routine(&call, &step);
    RT_CALL_HOOKS(begin_operation, self, RT_ASYNC_SYNC);
    if (routine == ACCD__ROUTINE_MEMCPY_TO_DEVICE)
        rt_span_record(&span, RT_EV_UPLOAD, from, to, bytes);
    else if (routine == ACCD__ROUTINE_MEMCPY_FROM_DEVICE)
        rt_span_record(&span, RT_EV_DOWNLOAD, to, from, bytes);
    end_routine(&span);
}

#define COPY(name, to, from, queue) copy_memory(HERE, ACCD__ROUTINE_##name, to, from, bytes, 0, 0, queue)

/* Copy bytes from `host` to device memory, from there to `host`, and within the device's memory. Asynchronous ones run
 * at once; `queue` is recorded. */
RT_ROUTINE(void, acc_memcpy_to_device, (void *device, void *host, size_t bytes),
           COPY(MEMCPY_TO_DEVICE, device, host, RT_ASYNC_SYNC))
RT_ROUTINE(void, acc_memcpy_to_device_async, (void *device, void *host, size_t bytes, int queue),
           COPY(MEMCPY_TO_DEVICE, device, host, queue))
RT_ROUTINE(void, acc_memcpy_from_device, (void *host, void *device, size_t bytes),
           COPY(MEMCPY_FROM_DEVICE, host, device, RT_ASYNC_SYNC))
RT_ROUTINE(void, acc_memcpy_from_device_async, (void *host, void *device, size_t bytes, int queue),
           COPY(MEMCPY_FROM_DEVICE, host, device, queue))
RT_ROUTINE(void, acc_memcpy_device, (void *to, void *from, size_t bytes), COPY(MEMCPY_DEVICE, to, from, RT_ASYNC_SYNC))
RT_ROUTINE(void, acc_memcpy_device_async, (void *to, void *from, size_t bytes, int queue),
           COPY(MEMCPY_DEVICE, to, from, queue))
/* Copy the data at the host address `from`, present on one device, to the data at `to`, present on another. */
RT_ROUTINE(void, acc_memcpy_d2d, (void *to, void *from, size_t bytes, int to_device, int from_device),
           copy_memory(HERE, ACCD__ROUTINE_MEMCPY_D2D, to, from, bytes, to_device, from_device, RT_ASYNC_SYNC))
RT_ROUTINE(void, acc_memcpy_d2d_async, (void *to, void *from, size_t bytes, int to_device, int from_device, int queue),
           copy_memory(HERE, ACCD__ROUTINE_MEMCPY_D2D, to, from, bytes, to_device, from_device, queue))

/* ----------------------------------------------------------------------------------- devices -- */

/* Returns the device type that `type` means for the thread: RT_DEVICE_HOST or RT_DEVICE_NVIDIA. RT_DEVICE_CURRENT means
 * the thread's type, and RT_DEVICE_DEFAULT the one of ACC_DEVICE_TYPE. Ends the program with a report if no device has
 * the type. */
static int resolve_device_type(const struct rt_thread *self, int type)
{
    if (type == RT_DEVICE_CURRENT)
        return self->type;
    if (type == RT_DEVICE_DEFAULT)
        return rt.options.type;
    if (!accd__count_devices(type, type, 1))
        rt_fatal("no-device", "there is no device of type %d; there are host (%d) and nvidia (%d)", type,
                 RT_DEVICE_HOST, RT_DEVICE_NVIDIA);
    return type == RT_DEVICE_HOST ? RT_DEVICE_HOST : RT_DEVICE_NVIDIA;
}

/* Returns the number of devices of a type: 1 for the host, 0 for unknown types. Starts the runtime if necessary. */
int rt_get_num_devices(int type)
{
    const struct rt_thread *self = rt_ensure_started(); /* sets rt.options, which have the number */
    return accd__count_devices(type, self->type, rt.options.devices);
}

/* Makes the thread's current device active (used since the start) by an empty call. */
static void activate_device(const struct rt_site *site)
{
    rt_enter(site);
    rt_leave();
}

/* Sets the device type of a thread. The thread's next call then takes the slow path, which decides whether later calls
 * may take the fast path. */
static void set_thread_type(struct rt_thread *self, int type)
{
    self->type = type;
    self->activity = RT_SLOW_PATH; /* stays until a call has taken the slow path */
}

/* Sets the thread's device type to the one that `type` means. If it differs from before, the device number becomes 0.
 */
static void change_device_type(struct rt_thread *self, int type)
{
    const int resolved_type = resolve_device_type(self, type);
    if (resolved_type != self->type)
        self->device = 0;
    set_thread_type(self, resolved_type);
}

/* Sets the thread's device type and makes the device active. If the type differs from the thread's, the device number
 * becomes 0. */
void rt_set_device_type(const struct rt_site *site, int type)
{
    struct rt_thread *self = rt_enter_without_device(site);
    change_device_type(self, type);
    rt_leave_without_device();
    activate_device(site);
}

/* Returns the thread's device type; RT_DEVICE_NONE while tools are informed that a device starts, if the rules have
 * events_bare (events as in libgomp 12). */
int rt_get_device_type(void)
{
    const struct rt_thread *self = rt_ensure_started();
    return self->starting && rt.options.rules->events_bare ? RT_DEVICE_NONE : self->type;
}

/* Ends the program with a report if `type` has no device with the number `number`. */
static void check_number(int number, int type)
{
    if (number < 0 || number >= rt_get_num_devices(type))
        rt_fatal("no-device", "there is no device %d of type %d; there are %d", number, type, rt_get_num_devices(type));
}

/* Sets the thread's device and makes it active. Type 0 means the thread's type, and a negative number the device of
 * ACC_DEVICE_NUM. */
void rt_set_device_num(const struct rt_site *site, int number, int type)
{
    struct rt_thread *self = rt_enter_without_device(site);
    const int resolved_type = type ? resolve_device_type(self, type) : self->type;
    accd__routine_call call = make_call(self, ACCD__ROUTINE_SET_DEVICE_NUM, NULL, 0);
    call.device = number;
    call.devices = rt_get_num_devices(resolved_type);
    number = (int)rt_decide_routine(&call).result;
    set_thread_type(self, resolved_type);
    self->device = number;
    rt_leave_without_device();
    activate_device(site);
}

/* Returns the number of the thread's device; 0 if `type` is not the thread's device type. */
int rt_get_device_num(const struct rt_site *site, int type)
{
    const struct rt_thread *self = rt_enter_without_device(site);
    int resolved_type = resolve_device_type(self, type), number = resolved_type == self->type ? self->device : 0;
    rt_leave_without_device();
    return number;
}

/* Sets the thread's device type, and starts the device. Ends the program if the device is active already and the rules'
 * knob device_state is ACCD_CHOICE_REJECT. */
void rt_init_device(const struct rt_site *site, int type)
{
    struct rt_thread *self = rt_enter_without_device(site);
    change_device_type(self, type);
    if (rt.active[self->type == RT_DEVICE_HOST] && rt.options.rules->device_state == ACCD_CHOICE_REJECT)
        rt_fatal("misuse", "the device is active already");
    rt_leave_without_device();
    if (rt_is_profiled())
        rt_prof_start_device(site, RT_PARENT_ROUTINE, type, false);
    activate_device(site);
}

/* Ends all data of the devices and reports the end to tools; for the host, only reports it. Ends the program inside of
 * a data region, or if the device is not active and the rules' knob device_state is ACCD_CHOICE_REJECT. */
void rt_shutdown_device(const struct rt_site *site, int type)
{
    const struct rt_thread *self = rt_enter_without_device(site);
    const int resolved_type = resolve_device_type(self, type);
    const bool host = resolved_type == RT_DEVICE_HOST;
    if (!rt.active[host] && rt.options.rules->device_state == ACCD_CHOICE_REJECT)
        rt_fatal("misuse", "the device is not active");
    rt_leave_without_device();
    struct rt_prof_span span = {.site = NULL};
    if (rt.active[host])
        rt_span_begin(&span, site, RT_EV_DEVICE_SHUTDOWN, RT_PARENT_ROUTINE, RT_ASYNC_SYNC, resolved_type);
    rt_enter_without_device(site);
    if (!host) {
        const char *name;
        if (rt_find_open_region(&name) >= 0)
            rt_fatal("region-nesting", "the device is shut down inside a %s region", name);
        rt_end_device_data();
    }
    rt.active[host] = false;
    rt_leave_without_device();
    rt_span_end(&span);
}

/* Numbers of properties of devices (acc_property_x) in openacc.h. */
enum { MEMORY = 1, FREE_MEMORY = 2, NAME = 0x10001, VENDOR = 0x10002, DRIVER = 0x10003 };

/* Returns the device type that `type` means, in a call that does not use the device. Stores in *number_p the number of
 * the thread's device if `type` is RT_DEVICE_CURRENT. Ends the program if no device has this type and number. */
static int resolve_device(const struct rt_thread *self, int type, int *number_p)
{
    const int resolved_type = resolve_device_type(self, type);
    if (type == RT_DEVICE_CURRENT)
        *number_p = self->device;
    check_number(*number_p, resolved_type);
    return resolved_type;
}

/* Returns the memory or the free memory of a simulated device in bytes, as `property` says; 0 for other properties, and
 * for the host. */
size_t rt_get_property(const struct rt_site *site, int number, int type, int property)
{
    const int resolved_type = resolve_device(rt_enter_without_device(site), type, &number);
    accd_stats stats;
    size_t value = 0;
    if (resolved_type != RT_DEVICE_HOST && (property == MEMORY || property == FREE_MEMORY)) {
        accd_get_stats(rt.context, number, &stats);
        value = rt.options.device_bytes - (property == FREE_MEMORY ? stats.live_bytes : 0);
    }
    rt_leave_without_device();
    return value;
}

/* Returns the device's name, vendor or driver version; NULL for other properties. */
const char *rt_get_property_string(const struct rt_site *site, int number, int type, int property)
{
    const int resolved_type = resolve_device(rt_enter_without_device(site), type, &number);
    rt_leave_without_device();
    switch (property) {
    case NAME:
        return resolved_type == RT_DEVICE_HOST ? "host" : "simulated";
    case VENDOR:
        return "accdeep";
    case DRIVER:
        return accd_version();
    default:
        return NULL;
    }
}

/* Returns 1 if the calling code runs on a device of `type`, otherwise 0. Kernels count as code of the host if the rules
 * have the knob kernels_on_host. */
int rt_is_on_device_type(int type)
{
    bool in_kernel = rt_kernel_kind(rt_ensure_started()->activity) && !rt.options.rules->kernels_on_host;
    return accd__is_on_device(type, in_kernel);
}

/* Routines for devices; routines.h says what each does. */
RT_ROUTINE(int, acc_get_num_devices, (int type), rt_get_num_devices(type))
RT_ROUTINE(void, acc_set_device_type, (int type), rt_set_device_type(HERE, type))
RT_ROUTINE(int, acc_get_device_type, (void), rt_get_device_type())
RT_ROUTINE(void, acc_set_device_num, (int number, int type), rt_set_device_num(HERE, number, type))
RT_ROUTINE(int, acc_get_device_num, (int type), rt_get_device_num(HERE, type))
RT_ROUTINE(size_t, acc_get_property, (int number, int type, int property),
           rt_get_property(HERE, number, type, property))
RT_ROUTINE(const char *, acc_get_property_string, (int number, int type, int property),
           rt_get_property_string(HERE, number, type, property))
RT_ROUTINE(void, acc_init, (int type), rt_init_device(HERE, type))
RT_ROUTINE(void, acc_shutdown, (int type), rt_shutdown_device(HERE, type))
RT_ROUTINE(int, acc_on_device, (int type), rt_is_on_device_type(type))

/* ------------------------------------------------------------------------------------ queues -- */

/* Returns 1. In strict and instrumented runs, first records that the host has waited for `queue`. */
int rt_test_queue(const struct rt_site *site, int queue)
{
    assert(site);
    rt_check_queue(site, queue);
    if (RT_HAS_HOOK(wait)) {
        const struct rt_wait wait = {
            .device = rt_enter(site)->device, .async = RT_ASYNC_SYNC, .queue = queue, .is_test = true};
        RT_CALL_HOOKS(wait, &wait);
        rt_leave();
    }
    return 1;
}

/* Return 1, because the work of queues is always complete. Checks count the test as a wait of the host. */
RT_ROUTINE(int, acc_async_test, (int queue), rt_test_queue(HERE, queue))
RT_ROUTINE(int, acc_async_test_all, (void), rt_test_queue(HERE, RT_ASYNC_NOVAL))
/* Record that the host, or with `_async` a queue, waits for `queue` or for all queues. Names with `async_wait` are
 * older ones. */
RT_ROUTINE(void, acc_wait, (int queue), rt_host_wait(HERE, RT_PARENT_ROUTINE, queue))
RT_ROUTINE(void, acc_async_wait, (int queue), rt_host_wait(HERE, RT_PARENT_ROUTINE, queue))
RT_ROUTINE(void, acc_wait_all, (void), rt_host_wait(HERE, RT_PARENT_ROUTINE, RT_ASYNC_NOVAL))
RT_ROUTINE(void, acc_async_wait_all, (void), rt_host_wait(HERE, RT_PARENT_ROUTINE, RT_ASYNC_NOVAL))
RT_ROUTINE(void, acc_wait_async, (int queue, int other), rt_observe_wait(HERE, other, queue))
RT_ROUTINE(void, acc_wait_all_async, (int queue), rt_observe_wait(HERE, queue, RT_ASYNC_NOVAL))

/* Return NULL or 0: simulated devices have no CUDA. */
RT_ROUTINE(void *, acc_get_current_cuda_device, (void), NULL)
RT_ROUTINE(void *, acc_get_current_cuda_context, (void), NULL)
RT_ROUTINE(void *, acc_get_cuda_stream, (int queue), ((void)queue, NULL))
RT_ROUTINE(int, acc_set_cuda_stream, (int queue, void *stream), ((void)queue, (void)stream, 0))
