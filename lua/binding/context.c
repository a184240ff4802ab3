/* context.c - contexts of the core as Lua objects: open and close, labels, recorded events, callbacks. */
#include "accdeep_internal.h"
#include "binding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------- callbacks -- */

/* Appends a copy of an event to the list `ud`, a struct accd__lua_events (an accd_event_fn). Without memory drops the
 * event and sets `is_incomplete`. */
static void on_event(void *ud, const accd_event *event)
{
    assert(event->name);
    struct accd__lua_events *event_log = ud;
    if (event_log->n == event_log->capacity) {
        size_t capacity = event_log->capacity ? 2 * event_log->capacity : 64;
        struct accd__lua_event *grown =
            accd__charged_alloc(NULL, event_log->events, event_log->capacity * sizeof *grown, capacity * sizeof *grown);
        if (!grown) {
            event_log->is_incomplete = true;
            return;
        }
        event_log->events = grown;
        event_log->capacity = capacity;
    }
    const size_t bytes = strlen(event->name) + 1;
    char *name = accd__charged_alloc(NULL, NULL, 0, bytes);
    if (!name) {
        event_log->is_incomplete = true;
        return;
    }
    memcpy(name, event->name, bytes);
    event_log->events[event_log->n++] = (struct accd__lua_event){
        .op = event->op,
        .device = event->device,
        .line = event->line,
        .host = event->host,
        .bytes = event->bytes,
        .rule = event->rule,
        .file = event->file,
        .async = event->async,
        .name = name,
    };
}

/* Frees the names of all recorded events, and empties the list. */
void accd__forget_events(struct accd__lua_events *event_log)
{
    assert(event_log->n <= event_log->capacity);
    for (size_t i = 0; i < event_log->n; i++)
        accd__charged_alloc(NULL, event_log->events[i].name, strlen(event_log->events[i].name) + 1, 0);
    event_log->n = 0;
    event_log->is_incomplete = false;
}

/* Arguments of call_bound: the context, and the arguments that the core passes to on_bound, an accd_bound_fn. */
struct bound_call {
    struct accd__lua_context *context;
    int fn, nargs;
    size_t n;
    const int64_t *const *args;
    int64_t *out;
};

/* Lua function (struct bound_call): calls the bound's Lua function for each row of arguments, and stores the results
 * in `out`. Raises if that function raises or returns no integer; therefore on_bound calls it protected. */
static int call_bound(lua_State *L)
{
    struct bound_call *call = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, call->context->bound_ref);
    lua_rawgeti(L, -1, call->fn);
    for (size_t row = 0; row < call->n; row++) {
        lua_pushvalue(L, -1);
        luaL_checkstack(L, call->nargs + 2, NULL);
        for (int k = 0; k < call->nargs; k++)
            lua_pushinteger(L, call->args[k][row]);
        lua_call(L, call->nargs, 1);
        int integer;
        call->out[row] = lua_tointegerx(L, -1, &integer);
        if (!integer)
            return luaL_error(L, "a function used in a section bound returned no integer");
        lua_pop(L, 1);
    }
    return 0;
}

/* Evaluates function number `fn`, which a section bound uses, for the core (an accd_bound_fn). `ud`: the context.
 * There are n rows of `nargs` arguments each: argument k of a row is args[k][row], and its result goes to out[row].
 * Returns 0; or 1 on failure, with the error in `error_ref` unless the stack of Lua is full. */
static int on_bound(void *ud, int fn, size_t n, int nargs, const int64_t *const *args, int64_t *out)
{
    assert(ud && out && nargs >= 0);
    struct accd__lua_context *context = ud;
    lua_State *L = context->L;
    struct bound_call call = {context, fn, nargs, n, args, out};
    if (!lua_checkstack(L, 4))
        return 1;
    lua_pushcfunction(L, call_bound);
    lua_pushlightuserdata(L, &call);
    if (lua_pcall(L, 1, 0, 0) == LUA_OK)
        return 0;
    if (context->error_ref != LUA_NOREF)
        luaL_unref(L, LUA_REGISTRYINDEX, context->error_ref);
    context->error_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    return 1;
}

/* ------------------------------------------------------------------------------ open, close -- */

/* core.device(backend, number) -> {name=, bytes=, compiler=, driver=}; or nil, reason. Describes device `number`, from
 * 0, of this machine. backend: a name, such as "cuda". */
static int l_device(lua_State *L)
{
    const accd_backend *backend = accd_find_backend(luaL_checkstring(L, 1));
    accd_device_info info;
    lua_Integer number = luaL_checkinteger(L, 2);
    if (!backend) {
        lua_pushnil(L);
        lua_pushfstring(L, "this build has no %s devices", lua_tostring(L, 1));
        return 2;
    }
    if (accd_device_get_info(backend, (unsigned)number, &info) != ACCD_OK) {
        lua_pushnil(L);
        lua_pushstring(L, info.why);
        return 2;
    }
    lua_createtable(L, 0, 3);
    accd__set_text(L, "name", info.name);
    accd__set_integer(L, "bytes", (lua_Integer)info.bytes);
    accd__set_text(L, "compiler", info.compiler);
    accd__set_text(L, "driver", info.driver);
    return 1;
}

/* Returns a reference to a new table with weak keys (mode "k") or values ("v"). */
static int make_weak_table(lua_State *L, const char *mode)
{
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    accd__set_text(L, "__mode", mode);
    lua_setmetatable(L, -2);
    return luaL_ref(L, LUA_REGISTRYINDEX);
}

/* core.open{backend=, first_device=, devices=, device_bytes=, threads=, group_least=, check_host=, own_kernels=,
 * checkpoints=, new_places=, allocator=, async=, rules=, descriptors=} -> context; or nil, error. All fields are
 * optional, with the meaning of accd_context_config. On an error that is returned, no context is open. backend: a
 * name, "sim" if nil. allocator: light userdata of a struct accd__lua_allocator; nil: the one that charges the
 * scenario's limit of memory. descriptors: "cfi", "flang" or "gfortran". new_places is the configuration's member
 * avoid_reuse. async, its member queues, is "program", "delayed" or "concurrent". rules: a table as accd__read_rules
 * takes it. Raises for values of another type. */
static int l_open(lua_State *L)
{
    static const char *const layouts[] = {"cfi", "flang", "gfortran", NULL};
    accd_context_config config;
    accd_rules rules;
    luaL_checktype(L, 1, LUA_TTABLE);
    accd_context_config_init(&config);
    lua_getfield(L, 1, "backend");
    config.backend = accd_find_backend(luaL_optstring(L, -1, "sim"));
    luaL_argcheck(L, config.backend, 1, "there is no such backend");
    lua_pop(L, 1);
    config.first_device = (unsigned)accd__get_integer(L, 1, "first_device", 0);
    accd_device_info no_device = {0};
    config.no_device = &no_device;
    config.devices = (unsigned)accd__get_integer(L, 1, "devices", config.devices);
    config.device_bytes = (uint64_t)accd__get_integer(L, 1, "device_bytes", (lua_Integer)config.device_bytes);
    config.threads = (unsigned)accd__get_integer(L, 1, "threads", config.threads);
    config.group_least = (size_t)accd__get_integer(L, 1, "group_least", (lua_Integer)config.group_least);
    config.check_host = accd__get_boolean(L, 1, "check_host");
    config.own_kernels = accd__get_boolean(L, 1, "own_kernels");
    config.checkpoints = accd__get_boolean(L, 1, "checkpoints");
    config.avoid_reuse = accd__get_boolean(L, 1, "new_places");
    const struct accd__lua_allocator *allocator = accd__get_pointer(L, 1, "allocator");
    config.alloc = allocator ? allocator->fn : accd__charged_alloc;
    config.alloc_ud = allocator ? allocator->ud : NULL;
    config.charge = accd__charge_device;
    static const char *const modes[] = {"program", "delayed", "concurrent", NULL};
    lua_getfield(L, 1, "async");
    config.queues = (accd_queue_mode)luaL_checkoption(L, -1, "program", modes);
    lua_pop(L, 1);
    if (lua_getfield(L, 1, "rules") == LUA_TTABLE) {
        accd__read_rules(L, &rules);
        config.rules = &rules;
    }
    lua_getfield(L, 1, "descriptors");
    config.descriptors = (accd_descriptor_layout)luaL_checkoption(L, -1, layouts[0], layouts);
    struct accd__lua_context *context = lua_newuserdatauv(L, sizeof *context, 0);
    *context = (struct accd__lua_context){.L = L,
                                          .bound_ref = LUA_NOREF,
                                          .ir_ref = LUA_NOREF,
                                          .error_ref = LUA_NOREF,
                                          .objects_ref = LUA_NOREF,
                                          .unchecked = !config.check_host};
    luaL_setmetatable(L, CONTEXT_TYPE);
    lua_newtable(L);
    context->bound_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    context->ir_ref = make_weak_table(L, "k");
    if (config.checkpoints)
        context->objects_ref = make_weak_table(L, "v");
    config.on_bound = on_bound;
    config.bound_ud = context;
    accd_status status = accd_context_new(&context->core, &config);
    if (status != ACCD_OK) {
        lua_pushnil(L);
        lua_createtable(L, 0, 3);
        accd__set_text(L, "code", accd_status_code(status));
        accd__set_text(L, "rule", status == ACCD_ERROR_NO_DEVICE ? "HOUSE-device" : "HOUSE-memory");
        if (status == ACCD_ERROR_NO_DEVICE)
            lua_pushstring(L, no_device.why);
        else
            lua_pushfstring(L, "%d simulated devices of %I bytes cannot be made", (int)config.devices,
                            (LUAI_UACINT)config.device_bytes);
        lua_setfield(L, -2, "message");
        return 2;
    }
    return 1;
}

/* context:close(): invalidates the context's objects (programs, constructs, regions ...) and frees the context. Closing
 * again does nothing. */
static int l_close(lua_State *L)
{
    struct accd__lua_context *context = luaL_checkudata(L, 1, CONTEXT_TYPE);
    if (!context->core)
        return 0;
    context->L = L;
    while (context->handles || context->opened) {
        struct accd__lua_handle *handle = context->opened ? context->opened : context->handles;
        handle->invalidate(handle);
        accd__handle_unlink(handle);
    }
    accd_context_free(context->core);
    context->core = NULL;
    accd__forget_events(&context->event_log);
    accd__charged_alloc(NULL, context->event_log.events,
                        context->event_log.capacity * sizeof *context->event_log.events, 0);
    context->event_log.events = NULL;
    luaL_unref(L, LUA_REGISTRYINDEX, context->bound_ref);
    luaL_unref(L, LUA_REGISTRYINDEX, context->ir_ref);
    luaL_unref(L, LUA_REGISTRYINDEX, context->error_ref);
    luaL_unref(L, LUA_REGISTRYINDEX, context->objects_ref);
    context->bound_ref = context->ir_ref = context->error_ref = context->objects_ref = LUA_NOREF;
    return 0;
}

/* ----------------------------------------------------------------------------------- methods -- */

/* context:label{...} -> label, as light userdata. accd__check_label lists the fields. */
static int l_label(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_pushlightuserdata(L, (void *)(uintptr_t)accd__check_label(L, context, 2));
    return 1;
}

/* context:bind_function(number, fn): makes fn, which takes integers and returns one, the function that the
 * instruction ACCD_I_CALL with this number calls. */
static int l_bind_function(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    lua_Integer number = luaL_checkinteger(L, 2);
    luaL_checktype(L, 3, LUA_TFUNCTION);
    lua_rawgeti(L, LUA_REGISTRYINDEX, context->bound_ref);
    lua_pushvalue(L, 3);
    lua_rawseti(L, -2, number);
    return 0;
}

/* context:listen(on): begins or ends the recording of events; at the end drops the recorded events. */
static int l_listen(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    bool on = lua_toboolean(L, 2);
    accd_context_set_event_handler(context->core, on ? on_event : NULL, &context->event_log);
    context->event_log.is_recording = on;
    if (!on)
        accd__forget_events(&context->event_log);
    return 0;
}

/* context:drain() -> list of the events since the last drain: {op=, name=, bytes=, host=, device=, rule=, at=,
 * async=}. host: nil without a host address; at: "file:line" or ""; async: nil for synchronous work. Raises if events
 * were lost because memory ran out. */
static int l_drain(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    struct accd__lua_events *event_log = &context->event_log;
    if (event_log->is_incomplete) {
        accd__forget_events(event_log);
        return luaL_error(L, "not enough memory");
    }
    lua_createtable(L, (int)event_log->n, 0);
    for (size_t i = 0; i < event_log->n; i++) {
        const struct accd__lua_event *event = &event_log->events[i];
        lua_createtable(L, 0, 8);
        accd__set_text(L, "op", accd_op_name(event->op));
        accd__set_text(L, "name", event->name);
        accd__set_integer(L, "bytes", (lua_Integer)event->bytes);
        if (event->host)
            accd__set_integer(L, "host", (lua_Integer)event->host);
        accd__set_integer(L, "device", event->device);
        accd__set_text(L, "rule", event->rule);
        if (event->file)
            lua_pushfstring(L, "%s:%d", event->file, event->line);
        else
            lua_pushliteral(L, "");
        lua_setfield(L, -2, "at");
        if (event->async != ACCD_SYNCHRONOUS) {
            accd__set_integer(L, "async", event->async);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    accd__forget_events(event_log);
    return 1;
}

/* context:check() -> message about a violated invariant of the core; nil if there is no violation */
static int l_check(lua_State *L)
{
    lua_pushstring(L, accd__check_invariants(accd__check_context(L, 1)->core));
    return 1;
}

/* context:digest() -> integer: a hash of the context's state, which is equal for equal states */
static int l_digest(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)accd__state_digest(accd__check_context(L, 1)->core));
    return 1;
}

/* context:fail_allocation(device, n): makes the n-th allocation of the device from now on fail; n = 0: none. */
static int l_fail_allocation(lua_State *L)
{
    accd__inject_allocation_failure(accd__check_context(L, 1)->core, (int)luaL_checkinteger(L, 2),
                                    accd__word_argument(L, 3));
    return 0;
}

/* context:fail_copy(device, n): makes the n-th copy of the device from now on fail; n = 0: none. */
static int l_fail_copy(lua_State *L)
{
    accd__inject_copy_failure(accd__check_context(L, 1)->core, (int)luaL_checkinteger(L, 2), accd__word_argument(L, 3));
    return 0;
}

static const luaL_Reg methods[] = {
    {"close", l_close},
    {"label", l_label},
    {"bind_function", l_bind_function},
    {"listen", l_listen},
    {"drain", l_drain},
    {"check", l_check},
    {"digest", l_digest},
    {"fail_allocation", l_fail_allocation},
    {"fail_copy", l_fail_copy},
    {NULL, NULL},
};

/* Creates the class of contexts, and adds core.open and core.device to the module. */
void accd__open_context_class(lua_State *L)
{
    luaL_newmetatable(L, CONTEXT_TYPE);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    accd__set_function(L, "__gc", l_close);
    accd__set_function(L, "__close", l_close);
    lua_pop(L, 1);
    accd__set_function(L, "open", l_open);
    accd__set_function(L, "device", l_device);
}
