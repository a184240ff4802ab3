/* prof_tools.c - registrations of profiling tools: acc_prof_register, acc_prof_unregister, and the start of tools.
 *
 * Before the first event, acc_register_library is called: that of the program, or of a library linked with it or
 * preloaded, and that of each library in ACC_PROFLIB, separated by semicolons. prof.c asks for the callbacks. */
#include "base/context.h"
#include "base/lock.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "lib/vector.h"
#include "prof.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Values of acc_register_t, the parameter `operation` of acc_prof_register and acc_prof_unregister. */
enum { REGISTER, TOGGLE, TOGGLE_THREAD };

/* Types of the functions that a tool gets to register, to unregister and to look functions up, and of its own start
 * function. */
typedef void registrar(int event, rt_prof_callback *call, int operation);
typedef void query(void);
typedef query *lookup(const char *name);
typedef void library(registrar *enter, registrar *leave, lookup *find);

registrar acc_prof_register, acc_prof_unregister;
lookup acc_prof_lookup;
library acc_register_library;

/* ------------------------------------------------------------------------------ registration -- */

/* Registered callback of an event. */
struct listener {
    rt_prof_callback *call;
    unsigned count; /* number of registrations */
    bool off;       /* true if a tool has disabled the callback */
};
/* Listeners of each event: an array `at` in calling order, changed under the lock. off: a tool has disabled the
 * event. */
static struct {
    struct listener *at;
    size_t capacity;
    atomic_size_t n;
    bool off;
} events[RT_EV_COUNT];
/* is_all_off: a tool has disabled all events. is_opened: tools have had their chance to register. */
static bool is_all_off, is_opened;

/* Returns true if `event` is an _END event, whose callbacks are called in reverse order of registration. */
static bool is_end(int event)
{
    return event == RT_EV_DEVICE_INIT_END || event == RT_EV_DEVICE_SHUTDOWN_END ||
           (event >= RT_EV_ENTER_DATA && event % 2);
}

/* Returns the listener of an event with this callback; NULL: the callback is not registered. */
static struct listener *find_listener(int event, rt_prof_callback *call)
{
    assert(event > RT_EV_NONE && event < RT_EV_COUNT && call);
    for (size_t i = 0; i < events[event].n; i++)
        if (events[event].at[i].call == call)
            return &events[event].at[i];
    return NULL;
}

/* Adds a callback, which must not be registered, as the last listener of an event; for an _END event as the first. Ends
 * the program without memory. */
static void add_listener(int event, rt_prof_callback *call)
{
    assert(!find_listener(event, call));
    const size_t n = events[event].n;
    if (!RT_RESERVE(rt_heap_realloc, events[event].at, n, events[event].capacity))
        rt_fatal("out-of-memory", "no memory for a callback");
    struct listener *at = events[event].at + (is_end(event) ? 0 : n);
    memmove(at + 1, at, (size_t)(events[event].at + n - at) * sizeof *at);
    *at = (struct listener){call, 1, false};
    events[event].n++;
}

/* Removes a listener of `event`; the others keep their order. */
static void remove_listener(int event, struct listener *listener)
{
    assert(listener >= events[event].at && listener < events[event].at + events[event].n);
    const struct listener *end = events[event].at + --events[event].n;
    memmove(listener, listener + 1, (size_t)(end - listener) * sizeof *listener);
}

/* Updates the flags that depend on registered callbacks. rt.profiled becomes true if any event has a callback, and is
 * true also until tools had a chance to register; if so, rt.fast_path_enabled is cleared; it is never set
 * here. rt.data_profiled becomes true if an event about data has a callback; events of the core are then requested.
 * Last subscribes to the requested events. The lock must be held. */
static void update_profiled_flag(void)
{
    bool has_callback = !is_opened, data = false;
    for (int event = 0; event < RT_EV_COUNT; event++) {
        has_callback |= events[event].n != 0;
        data |= events[event].n != 0 && rt_is_data_event(event);
    }
    rt.profiled = has_callback;
    rt.fast_path_enabled &= !has_callback;
    if (data)
        rt_need_events(~0u);
    rt.data_profiled = data;
    rt_subscribe();
}

/* Changes the registration of a callback (`operation`: REGISTER), or enables and disables it (TOGGLE, and TOGGLE_THREAD
 * for the calling thread). `on`: registers or enables. For toggles, RT_EV_NONE stands for all events and NULL for all
 * callbacks. Meaningless requests are ignored. Ends the program without memory. */
static void change_registration(int event, rt_prof_callback *call, int operation, bool on)
{
    if (operation == TOGGLE_THREAD) {
        if (event == RT_EV_NONE && !call)
            rt_current_thread()->muted = !on;
        return;
    }
    if (event < RT_EV_NONE || event >= RT_EV_COUNT || (call && event == RT_EV_NONE) || (operation == REGISTER && !call))
        return;
    rt_lock();
    struct listener *listener = call ? find_listener(event, call) : NULL;
    if (operation == TOGGLE && event == RT_EV_NONE)
        is_all_off = !on;
    else if (operation == TOGGLE && !call)
        events[event].off = !on;
    else if (operation == TOGGLE && listener)
        listener->off = !on;
    else if (operation == REGISTER && on && !listener)
        add_listener(event, call);
    else if (operation == REGISTER && on)
        listener->count++;
    else if (operation == REGISTER && listener && --listener->count == 0)
        remove_listener(event, listener);
    update_profiled_flag();
    rt_unlock();
}

/* Registers or enables the callback `call` for an event; routine for tools. */
void acc_prof_register(int event, rt_prof_callback *call, int operation)
{
    change_registration(event, call, operation, true);
}
/* Unregisters or disables the callback `call` for an event; routine for tools. */
void acc_prof_unregister(int event, rt_prof_callback *call, int operation)
{
    change_registration(event, call, operation, false);
}

/* Returns true if callbacks of an event are registered, enabled or not. */
bool rt_is_event_registered(int event)
{
    assert(event >= RT_EV_NONE && event < RT_EV_COUNT);
    return events[event].n != 0;
}

/* Stores at most `capacity` enabled callbacks of an event in `calls`, and returns the number of all of them. */
size_t rt_prof_get_callbacks(int event, rt_prof_callback **calls, size_t capacity)
{
    assert(event >= RT_EV_NONE && event < RT_EV_COUNT);
    size_t n = 0;
    for (size_t i = 0; i < events[event].n && !is_all_off && !events[event].off; i++) {
        if (events[event].at[i].off)
            continue;
        if (n < capacity)
            calls[n] = events[event].at[i].call;
        n++;
    }
    return n;
}

/* Returns NULL, because no inquiry functions are defined; routine for tools. */
query *acc_prof_lookup(const char *name)
{
    (void)name;
    return NULL;
}

/* --------------------------------------------------------------------------------- libraries -- */

/* Default of acc_register_library, which does nothing. Programs and their libraries may define this function. */
static void no_library(registrar *enter, registrar *leave, lookup *find_query)
{
    (void)enter, (void)leave, (void)find_query;
}
library acc_register_library __attribute__((weak, alias("no_library")));

/* Calls the function acc_register_library at address `symbol`; does nothing for NULL. */
static void call_register_library(void *symbol)
{
    library *function;
    memcpy(&function, &symbol, sizeof function);
    if (function)
        function(acc_prof_register, acc_prof_unregister, acc_prof_lookup);
}

/* Returns the address of acc_register_library in a library after this one in search order; NULL: no library has it.
 * Returns NULL also if that function belongs to libgomp, the library that has acc_prof_register, because it would end
 * the program. */
static void *find_next_register_library(void)
{
    void *next = dlsym(RTLD_NEXT, "acc_register_library");
    void *runtime = dlsym(RTLD_NEXT, "acc_prof_register");
    Dl_info of_next, of_runtime;
    bool has_info = next && runtime && dladdr(next, &of_next) && dladdr(runtime, &of_runtime);
    return has_info && of_next.dli_fbase == of_runtime.dli_fbase ? NULL : next;
}

/* Opens the library `path` and lets it register; reports a library that cannot be opened. A library that is loaded
 * already is ignored, because the constructor of libgomp has started it. */
static void open_library(const char *path)
{
    if (dlopen(path, RTLD_LAZY | RTLD_NOLOAD))
        return;
    void *handle = dlopen(path, RTLD_LAZY);
    if (handle)
        call_register_library(dlsym(handle, "acc_register_library"));
    else
        rt_report("warning", "file", NULL, 0, "ACC_PROFLIB: %s", dlerror());
}

/* Calls acc_register_library of the program, or else of a library linked with it; then that of each library named by
 * ACC_PROFLIB. */
void rt_prof_register_tools(void)
{
    library *program = acc_register_library;
    const char *list = getenv("ACC_PROFLIB");
    char *paths = list ? strdup(list) : NULL, *rest = NULL;
    if (program != no_library)
        program(acc_prof_register, acc_prof_unregister, acc_prof_lookup);
    else
        call_register_library(find_next_register_library());
    for (char *path = paths ? strtok_r(paths, ";", &rest) : NULL; path; path = strtok_r(NULL, ";", &rest))
        open_library(path);
    free(paths);
    rt_lock();
    is_opened = true;
    update_profiled_flag();
    rt_unlock();
}
