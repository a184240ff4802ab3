/* Hooks of tools: called in the order of the tools, and only those that a tool has; events that tools need. */
#include "../tap.h"

#include <base/runtime.h>
#include <tool/tool.h>

static char calls[80];

static void note(const char *text)
{
    strcat(calls, text);
}

static void open_first(void)
{
    note("open1 ");
}

static void open_second(void)
{
    note("open2 ");
}

static void finish_second(void)
{
    note("finish2 ");
}

static void end_thread(uint64_t thread)
{
    note(thread == 7 ? "thread7 " : "thread? ");
}

int main(void)
{
    static const struct rt_tool first = {
        .name = "first", .events = 1u << ACCD_OP_ALLOC, .open = open_first, .end_thread = end_thread};
    static const struct rt_tool second = {
        .name = "second", .events = 1u << ACCD_OP_FREE, .open = open_second, .finish = finish_second};
    ok(!RT_HAS_HOOK(open), "without tools there is no hook");
    RT_CALL_HOOKS(open);
    is_text(calls, "", "and none is called");
    is_number(rt_get_event_needs(), 0, "and no event is needed");
    rt_add_tool(&first);
    rt_add_tool(&second);
    ok(RT_HAS_HOOK(open) && RT_HAS_HOOK(finish) && RT_HAS_HOOK(end_thread), "a hook of any tool is there");
    ok(!RT_HAS_HOOK(close) && !RT_HAS_HOOK(event), "others are not");
    RT_CALL_HOOKS(open);
    RT_CALL_HOOKS(close);
    RT_CALL_HOOKS(finish);
    RT_CALL_HOOKS(end_thread, 7);
    is_text(calls, "open1 open2 finish2 thread7 ", "hooks are called in the order of tools, with their arguments");
    is_number(rt_get_event_needs(), 1u << ACCD_OP_ALLOC | 1u << ACCD_OP_FREE, "events of all tools are needed");
    rt_need_events(1u << ACCD_OP_H2D);
    ok(rt_get_event_needs() & 1u << ACCD_OP_H2D, "and those that were added");
    static const struct rt_tool plain = {.name = "plain", .open = open_first};
    for (int i = 2; i < RT_TOOLS_MAX; i++)
        rt_add_tool(&plain);
    calls[0] = 0;
    RT_CALL_HOOKS(finish);
    is_text(calls, "finish2 ", "the most tools that there can be leave other hooks as they are");
    return done();
}
