/* trace.c - adds to each line of the trace the fields about its object or pointer: a number in place of the address,
 * and the state after the directive. Readers rebuild present tables from them; lua/accdeep/inspect/trace.lua writes
 * the same format for scenarios. Called for each event of the core, with the lock. */
#include "base/runtime.h"
#include "diag/errors.h"
#include "diag/label.h"
#include "diag/symbolize.h"
#include "lib/hash.h"
#include "trace.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Number in the trace of an object, or of an attached pointer, at a host address. */
struct traced_object {
    uint64_t key; /* result of get_key */
    unsigned number;
};
static struct rt_hash traced_objects = RT_HASH_TABLE(rt_heap_realloc, struct traced_object);
static unsigned last_number;

/* Returns the key of an object or, with `pointer`, of an attached pointer at a host address. */
static uint64_t get_key(uint64_t address, int device, bool pointer)
{
    return rt_data_key(device, address) | (uint64_t)pointer << 63;
}

/* Returns the number of the object or (`pointer`) the pointer at a host address. A new object at a reused address gets
 * a new number, since its predecessor was removed. Ends the program without memory. */
static unsigned get_object_number(uint64_t address, int device, bool pointer)
{
    struct traced_object *object = rt_hash_add(&traced_objects, get_key(address, device, pointer));
    if (!object)
        rt_fatal("out-of-memory", "no memory for the trace");
    if (!object->number)
        object->number = ++last_number;
    return object->number;
}

/* Writes the fields of an attach or detach event: pointer, counter, and the object that the pointer points to. Forgets
 * the pointer's number if it is not attached any more. */
static void format_pointer_fields(const accd_event *event, char *to, size_t capacity)
{
    assert(capacity > 0);
    const void *const slot = (const void *)(uintptr_t)event->host;
    accd_attachment attachment;
    accd_present_object object;
    const unsigned number = get_object_number(event->host, event->device, true);
    const bool is_attached = accd_attachment_at(rt.context, event->device, slot, &attachment) && attachment.count;
    char target[32] = "";
    if (is_attached && accd_present_at(rt.context, event->device, attachment.low, 1, &object))
        snprintf(target, sizeof target, ",\"object\":%u", get_object_number(object.info.host, event->device, false));
    snprintf(to, capacity, "%s,\"pointer\":%u,\"count\":%u%s", target, number, is_attached ? attachment.count : 0,
             is_attached ? "" : ",\"gone\":true");
    if (!is_attached)
        rt_hash_remove(&traced_objects, get_key(event->host, event->device, true));
}

/* Writes the fields of an event of data: object, offset, size and reference counters; nothing if the data are not
 * present. Forgets the object's number at its free. */
static void format_object_fields(const accd_event *event, char *to, size_t capacity)
{
    accd_object_info object_info = {.host = event->host};
    accd_present_object object;
    char offset[40] = "", object_field[340] = "";
    if (accd_present_at(rt.context, event->device, event->host, 0, &object)) {
        const struct rt_display_name display = rt_get_display_name(&object.info);
        snprintf(object_info.name, sizeof object_info.name, "%s", event->name);
        if (strcmp(display.name, rt_get_display_name(&object_info).name) != 0)
            snprintf(object_field, sizeof object_field, ",\"in\":\"%s\"", display.name);
        if (event->host > object.info.host)
            snprintf(offset, sizeof offset, ",\"offset\":%llu", (unsigned long long)(event->host - object.info.host));
        snprintf(to, capacity, ",\"object\":%u%s%s,\"size\":%llu,\"structured\":%u,\"dynamic\":%u%s",
                 get_object_number(object.info.host, event->device, false), object_field, offset,
                 (unsigned long long)object.info.bytes, object.structured, object.dynamic,
                 event->op == ACCD_OP_FREE ? ",\"gone\":true" : "");
    }
    if (event->op == ACCD_OP_FREE)
        rt_hash_remove(&traced_objects, get_key(event->host, event->device, false));
}

/* Writes the header line, at the first call, unless the file has contents already. */
static void write_header(void)
{
    static const char head[] = "{\"trace\":\"accdeep\",\"version\":1}\n";
    static bool begun;
    struct stat status;
    if (begun)
        return;
    begun = true;
    if (!fstat(rt.options.trace, &status) && !(S_ISREG(status.st_mode) && status.st_size) &&
        write(rt.options.trace, head, sizeof head - 1) < 0)
        return; /* a failed write is ignored: the first event's line fails then, too, and is recorded */
}

/* Copies `names`, the comma-separated names of a kernel's data, to the buffer `to`. Leaves out lazy names ("@" and a
 * return address), names of copies made by the compiler, and names that do not fit. */
static void format_kernel_name(const char *names, char *to, size_t capacity)
{
    assert(names && capacity > 0);
    size_t n = 0;
    *to = 0;
    while (*names) {
        const size_t length = strstr(names, ", ") ? (size_t)(strstr(names, ", ") - names) : strlen(names);
        if (*names != '@' && !rt_is_private_copy_name(names) && strncmp(names, "variable of", 11) != 0 &&
            n + length + 3 < capacity)
            n += (size_t)snprintf(to + n, capacity - n, "%s%.*s", n ? ", " : "", (int)length, names);
        names += length + (names[length] ? 2 : 0);
    }
}

/* Writes a line of the trace for an event, with the fields about its object or pointer. */
static void rt_trace_event(const accd_event *core_event)
{
    assert(core_event->name && rt.options.trace >= 0);
    char fields[600] = "", names[1024];
    accd_event event_copy = *core_event;
    const accd_event *event = &event_copy;
    accd_present_object object;
    write_header();
    if (event_copy.op == ACCD_OP_KERNEL) {
        format_kernel_name(event_copy.name, names, sizeof names);
        event_copy.name = names;
    } else if (rt_parse_lazy_name(event_copy.name, NULL) &&
               accd_present_at(rt.context, event_copy.device, event_copy.host, 0, &object) &&
               object.info.host == event_copy.host) { /* the event gets the name of its object */
        event_copy.name = object.info.name;
    }
    if (event->op == ACCD_OP_ATTACH || event->op == ACCD_OP_DETACH)
        format_pointer_fields(event, fields, sizeof fields);
    else if (event->host)
        format_object_fields(event, fields, sizeof fields);
    rt_write_trace_event(event, fields);
}

/* Writes a line for a wait; none for a test. */
static void trace_wait(const struct rt_wait *wait)
{
    char name[32] = "all queues";
    if (wait->is_test)
        return;
    if (wait->is_for_tasks)
        snprintf(name, sizeof name, wait->depend ? "tasks of depend clauses" : "all tasks");
    else if (wait->queue != RT_ASYNC_NOVAL)
        snprintf(name, sizeof name, "queue %d", wait->queue);
    rt_trace_event(&(accd_event){.op = ACCD_OP_WAIT,
                                 .device = wait->device,
                                 .name = name,
                                 .rule = wait->is_for_tasks ? "OMP60-tgt-1" : "ACC33-async-3",
                                 .async = wait->async == RT_ASYNC_SYNC ? ACCD_SYNCHRONOUS : wait->async});
}

const struct rt_tool rt_trace_tool = {.name = "trace", .events = ~0u, .event = rt_trace_event, .wait = trace_wait};
