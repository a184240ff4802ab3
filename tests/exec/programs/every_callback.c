/* A tool that prints each callback with its call, without addresses. */
#include <accdeep_tool.h>

#include <stdio.h>
#include <stdlib.h>

static const accd_tool_functions *functions;

static void print_call(const char *callback, const accd_tool_call *call)
{
    const char *file = "", *function = "";
    int line = 0;
    functions->find_line(call->address, &file, &line, &function);
    fprintf(stderr, "%s: %s at line %d of %s, device %d", callback, call->construct, line, function, call->device);
}
static void begin_construct(const accd_tool_call *call, accd_construct_kind kind, const accd_item *items, size_t n)
{
    print_call("begin_construct", call);
    fprintf(stderr, ", kind %d, %zu items of %llu bytes\n", kind, n, n ? (unsigned long long)items->bytes : 0ull);
}
static void end_construct(const accd_tool_call *call, accd_construct_kind kind, const accd_item *items, size_t n)
{
    print_call("end_construct", call);
    fprintf(stderr, ", kind %d, present %d\n", kind, n && functions->get_device_address(call->device, items->host));
}
static void begin_kernel(const accd_tool_call *call)
{
    print_call("begin_kernel", call);
    fputc('\n', stderr);
}
static void end_kernel(const accd_tool_call *call)
{
    print_call("end_kernel", call);
    fputc('\n', stderr);
}
static void event(const accd_tool_call *call, const accd_event *event)
{
    char name[200];
    functions->get_name(event, name, sizeof name);
    print_call("event", call);
    fprintf(stderr, ", op %d of %s, %llu bytes\n", event->op, name, (unsigned long long)event->bytes);
}
static void wait(const accd_tool_call *call, int64_t async, int64_t queue)
{
    print_call("wait", call);
    fprintf(stderr, ", %s waits for %s\n", async == ACCD_SYNCHRONOUS ? "host" : "queue",
            queue == ACCD_SYNCHRONOUS ? "all" : "a queue");
}
static void allocate(const accd_tool_call *call, uint64_t address, uint64_t bytes)
{
    print_call("allocate", call);
    fprintf(stderr, ", %llu bytes, %s\n", (unsigned long long)bytes, address ? "address" : "none");
}
static void release(const accd_tool_call *call, uint64_t address)
{
    print_call("free", call);
    fprintf(stderr, ", %s\n", address ? "address" : "none");
}
static void copy(const accd_tool_call *call, uint64_t to, uint64_t from, uint64_t bytes)
{
    print_call("copy", call);
    fprintf(stderr, ", %llu bytes%s\n", (unsigned long long)bytes, to == from ? ", the same" : "");
}
static void finding(const char *message)
{
    fprintf(stderr, "finding: %.30s\n", message);
}
static void finish(void)
{
    fprintf(stderr, "finish\n");
}

int accdeep_tool_start(const accd_tool_functions *runtime, accd_tool *tool)
{
    if (getenv("TOOL_FAILS"))
        return 7;
    if (tool->struct_size < sizeof *tool || runtime->struct_size < sizeof *runtime || !*runtime->version)
        return 1;
    functions = runtime;
    *tool = (accd_tool){sizeof *tool, "every callback", begin_construct, end_construct, begin_kernel, end_kernel, event,
                        wait,         allocate,         release,         copy,          finding,      finish};
    return 0;
}
