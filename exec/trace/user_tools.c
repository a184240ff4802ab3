/* user_tools.c - tools of users (`exec --tool FILE.so`): loads their libraries, and calls the callbacks of
 * accdeep_tool.h in the hooks of tool.h. */
#include "base/runtime.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "tool/accdeep_tool.h"
#include "user_tools.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { TOOLS_MAX = 8 };
static accd_tool tools[TOOLS_MAX];
static size_t ntools;
static bool is_reporting; /* true while a tool reports a note, which is no finding for tools */

/* ------------------------------------------------------------------------------------- functions -- */

static int find_line(uintptr_t address, const char **file_p, int *line_p, const char **function_p)
{
    return rt_find_line(address, file_p, line_p, function_p);
}

static void get_name(const accd_event *event, char *name, size_t capacity)
{
    accd_object_info info = {.host = event->host, .bytes = event->bytes};
    accd_present_object object;
    snprintf(info.name, sizeof info.name, "%s", event->name);
    /* a name that was not looked up yet, of data that are present: the name of their object */
    if (rt_parse_lazy_name(info.name, NULL) && accd_present_at(rt.context, event->device, event->host, 0, &object) &&
        object.info.host == event->host)
        info = object.info;
    if (event->host)
        snprintf(name, capacity, "%s", rt_get_display_name(&info).name);
    else
        snprintf(name, capacity, "%s", strchr(event->name, '@') ? "" : event->name); /* operands without names */
}

static uint64_t get_device_address(int device, const void *host)
{
    return rt.context ? accd_device_address(rt.context, device, host) : 0;
}

static void report(const char *code, uintptr_t address, const char *message)
{
    is_reporting = true;
    rt_report("note", code, NULL, address, "%s", message);
    is_reporting = false;
}

static const accd_tool_functions functions = {
    .struct_size = sizeof functions,
    .version = ACCD_VERSION,
    .find_line = find_line,
    .get_name = get_name,
    .get_device_address = get_device_address,
    .report = report,
};

/* ----------------------------------------------------------------------------------------- hooks -- */

/* Returns the call under way, for callbacks; without a name if there is none. */
static accd_tool_call get_call(void)
{
    const struct rt_thread *self = &rt_this_thread;
    return (accd_tool_call){sizeof(accd_tool_call), rt.site ? rt.site->construct_name : "",
                            rt.site ? rt.site->call.pc : 0, self->number, self->device};
}

/* Calls the callback `name` of each tool that has it; the first argument is the call under way. */
#define CALL_TOOLS(name, ...)                        \
    do {                                             \
        const accd_tool_call call_ = get_call();     \
        for (size_t i_ = 0; i_ < ntools; i_++)       \
            if (tools[i_].name)                      \
                tools[i_].name(&call_, __VA_ARGS__); \
    } while (0)

static void begin_construct(struct rt_thread *thread, const struct rt_construct *construct)
{
    (void)thread;
    CALL_TOOLS(begin_construct, construct->kind, construct->items, construct->nitems);
}

static void end_construct(struct rt_thread *thread, const struct rt_construct *construct, bool opens_region)
{
    (void)thread, (void)opens_region;
    CALL_TOOLS(end_construct, construct->kind, construct->items, construct->nitems);
}

static void begin_kernel(struct rt_thread *thread, const struct rt_site *site, int device)
{
    (void)thread, (void)site, (void)device;
    const accd_tool_call call = get_call();
    for (size_t i = 0; i < ntools; i++)
        if (tools[i].begin_kernel)
            tools[i].begin_kernel(&call);
}

static void end_kernel(struct rt_thread *thread, const struct rt_site *site, int device, const struct rt_kernel *kernel)
{
    (void)thread, (void)site, (void)device, (void)kernel;
    const accd_tool_call call = get_call();
    for (size_t i = 0; i < ntools; i++)
        if (tools[i].end_kernel)
            tools[i].end_kernel(&call);
}

static void pass_event(const accd_event *event)
{
    CALL_TOOLS(event, event);
}

/* Returns a queue's number for tools: ACCD_SYNCHRONOUS for the host and for all queues. */
static int64_t get_queue(int queue)
{
    return queue == RT_ASYNC_SYNC || queue == RT_ASYNC_NOVAL ? ACCD_SYNCHRONOUS : queue;
}

static void pass_wait(const struct rt_wait *wait)
{
    if (!wait->is_test)
        CALL_TOOLS(wait, get_queue(wait->async), wait->is_for_tasks ? ACCD_SYNCHRONOUS : get_queue(wait->queue));
}

static void pass_allocation(int device, uint64_t dev, uint64_t bytes)
{
    (void)device;
    CALL_TOOLS(allocate, dev, bytes);
}

static void pass_free(int device, uint64_t dev)
{
    (void)device;
    CALL_TOOLS(free, dev);
}

static void pass_copy(const struct rt_copy *copy)
{
    CALL_TOOLS(copy, copy->to, copy->from, copy->bytes);
}

static void pass_finding(const struct rt_finding *finding)
{
    for (size_t i = 0; i < ntools && !is_reporting; i++)
        if (tools[i].finding)
            tools[i].finding(finding->message);
}

static void finish(void)
{
    for (size_t i = 0; i < ntools; i++)
        if (tools[i].finish)
            tools[i].finish();
}

static const struct rt_tool user_tool = {
    .name = "user tools",
    .events = ~0u,
    .finish = finish,
    .begin_construct = begin_construct,
    .end_construct = end_construct,
    .begin_kernel = begin_kernel,
    .end_kernel = end_kernel,
    .event = pass_event,
    .allocate = pass_allocation,
    .end_free = pass_free,
    .copy = pass_copy,
    .wait = pass_wait,
    .find = pass_finding,
};

/* ----------------------------------------------------------------------------------------- start -- */

/* Loads the library of a tool, and starts the tool. Ends the program on failure. */
static void load_tool(const char *path)
{
    if (ntools == TOOLS_MAX)
        rt_fatal("file", "%s: at most %d tools can be loaded", path, TOOLS_MAX);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        rt_fatal("file", "the tool %s cannot be loaded: %s", path, dlerror());
    int (*start)(const accd_tool_functions *, accd_tool *);
    *(void **)&start = dlsym(library, "accdeep_tool_start");
    if (!start)
        rt_fatal("file", "%s is not a tool: it has no function accdeep_tool_start", path);
    accd_tool *tool = &tools[ntools];
    *tool = (accd_tool){.struct_size = sizeof *tool, .name = path};
    const int status = start(&functions, tool);
    if (status)
        rt_fatal("file", "the tool %s did not start: accdeep_tool_start returned %d", path, status);
    ntools++;
}

/* Loads the tools of ACCDEEP_TOOL; returns true if there is one. */
bool rt_load_user_tools(void)
{
    const char *paths = getenv("ACCDEEP_TOOL");
    char path[4096];
    while (paths && *paths) {
        const size_t n = strcspn(paths, ":");
        if (n >= sizeof path)
            rt_fatal("file", "ACCDEEP_TOOL: the name of a file is too long");
        memcpy(path, paths, n);
        path[n] = 0;
        if (n)
            load_tool(path);
        paths += n + (paths[n] == ':');
    }
    if (ntools)
        rt_add_tool(&user_tool);
    return ntools;
}
