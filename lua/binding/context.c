/* context.c - a context of the core as a Lua object. */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------- callbacks -- */

static void on_event(void *ud, const accd_event *event)
{
    struct reported *reported = ud;
    if (reported->n == reported->room) {
        size_t room = reported->room ? 2 * reported->room : 64;
        struct event *grown = charged_alloc(NULL, reported->events, reported->room * sizeof *grown, room * sizeof *grown);
        if (!grown) {
            reported->lost = true;
            return;
        }
        reported->events = grown;
        reported->room = room;
    }
    const size_t bytes = strlen(event->name) + 1;
    char *name = charged_alloc(NULL, NULL, 0, bytes);
    if (!name) {
        reported->lost = true;
        return;
    }
    memcpy(name, event->name, bytes);
    reported->events[reported->n++] = (struct event){
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

void forget_events(struct reported *reported)
{
    for (size_t i = 0; i < reported->n; i++)
        charged_alloc(NULL, reported->events[i].name, strlen(reported->events[i].name) + 1, 0);
    reported->n = 0;
    reported->lost = false;
}

struct bound_call {
    struct context *context;
    int fn, nargs;
    size_t n;
    const int64_t *const *args;
    int64_t *out;
};

/* Calls the function for each row; runs protected, since it may raise. */
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

static int on_bound(void *ud, int fn, size_t n, int nargs, const int64_t *const *args,
                    int64_t *out)
{
    struct context *context = ud;
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

/* core.device(backend, number) -> {name=, bytes=, driver=}, or nil and why there is none */
static int l_device(lua_State *L)
{
    const accd_backend *backend = accd_backend_named(luaL_checkstring(L, 1));
    accd_device_info info;
    lua_Integer number = luaL_checkinteger(L, 2);
    if (!backend) {
        lua_pushnil(L);
        lua_pushfstring(L, "this build has no %s devices", lua_tostring(L, 1));
        return 2;
    }
    if (accd_device_about(backend, (unsigned)number, &info) != ACCD_OK) {
        lua_pushnil(L);
        lua_pushstring(L, info.why);
        return 2;
    }
    lua_createtable(L, 0, 3);
    set_text(L, "name", info.name);
    set_integer(L, "bytes", (lua_Integer)info.bytes);
    set_text(L, "compiler", info.compiler);
    set_text(L, "driver", info.driver);
    return 1;
}

static int l_open(lua_State *L)
{
    static const char *const layouts[] = {"cfi", "flang", "gfortran", NULL};
    accd_context_config config;
    accd_rules rules;
    luaL_checktype(L, 1, LUA_TTABLE);
    accd_context_config_init(&config);
    lua_getfield(L, 1, "backend");
    config.backend = accd_backend_named(luaL_optstring(L, -1, "sim"));
    luaL_argcheck(L, config.backend, 1, "there is no such backend");
    lua_pop(L, 1);
    config.first_device = (unsigned)get_integer(L, 1, "first_device", 0);
    accd_device_info no_device = {0};
    config.no_device = &no_device;
    config.devices = (unsigned)get_integer(L, 1, "devices", config.devices);
    config.device_bytes = (uint64_t)get_integer(L, 1, "device_bytes", (lua_Integer)config.device_bytes);
    config.threads = (unsigned)get_integer(L, 1, "threads", config.threads);
    config.group_least = (size_t)get_integer(L, 1, "group_least", (lua_Integer)config.group_least);
    config.check_host = get_boolean(L, 1, "check_host");
    config.own_kernels = get_boolean(L, 1, "own_kernels");
    config.checkpoints = get_boolean(L, 1, "checkpoints");
    config.new_places = get_boolean(L, 1, "new_places");
    const struct allocator *allocator = get_pointer(L, 1, "allocator");
    config.alloc = allocator ? allocator->fn : charged_alloc;
    config.alloc_ud = allocator ? allocator->ud : NULL;
    config.charge = charge_device;
    static const char *const modes[] = {"program", "delayed", "concurrent", NULL};
    lua_getfield(L, 1, "async");
    config.queues = (accd_queue_mode)luaL_checkoption(L, -1, "program", modes);
    lua_pop(L, 1);
    if (lua_getfield(L, 1, "rules") == LUA_TTABLE) {
        read_rules(L, &rules);
        config.rules = &rules;
    }
    lua_getfield(L, 1, "descriptors");
    config.descriptors = (accd_descriptor_layout)luaL_checkoption(L, -1, layouts[0], layouts);
    struct context *context = lua_newuserdatauv(L, sizeof *context, 0);
    *context = (struct context){.L = L, .bound_ref = LUA_NOREF, .error_ref = LUA_NOREF, .objects_ref = LUA_NOREF,
                                .unchecked = !config.check_host};
    luaL_setmetatable(L, CONTEXT_TYPE);
    lua_newtable(L);
    context->bound_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    if (config.checkpoints) {
        lua_newtable(L);
        lua_createtable(L, 0, 1);
        set_text(L, "__mode", "v");
        lua_setmetatable(L, -2);
        context->objects_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    config.on_bound = on_bound;
    config.bound_ud = context;
    accd_status status = accd_context_open(&context->core, &config);
    if (status != ACCD_OK) {
        lua_pushnil(L);
        lua_createtable(L, 0, 3);
        set_text(L, "code", accd_status_code(status));
        set_text(L, "rule", status == ACCD_NO_DEVICE ? "HOUSE-device" : "HOUSE-memory");
        if (status == ACCD_NO_DEVICE)
            lua_pushstring(L, no_device.why);
        else
            lua_pushfstring(L, "%d simulated devices of %I bytes cannot be made", (int)config.devices,
                            (LUAI_UACINT)config.device_bytes);
        lua_setfield(L, -2, "message");
        return 2;
    }
    return 1;
}

static int l_close(lua_State *L)
{
    struct context *context = luaL_checkudata(L, 1, CONTEXT_TYPE);
    if (!context->core)
        return 0;
    context->L = L;
    while (context->handles || context->opened) {
        struct handle *handle = context->opened ? context->opened : context->handles;
        handle->empty(handle);
        handle_unlink(handle);
    }
    accd_context_close(context->core);
    context->core = NULL;
    forget_events(&context->reported);
    charged_alloc(NULL, context->reported.events, context->reported.room * sizeof *context->reported.events, 0);
    context->reported.events = NULL;
    luaL_unref(L, LUA_REGISTRYINDEX, context->bound_ref);
    luaL_unref(L, LUA_REGISTRYINDEX, context->error_ref);
    luaL_unref(L, LUA_REGISTRYINDEX, context->objects_ref);
    context->bound_ref = context->error_ref = context->objects_ref = LUA_NOREF;
    return 0;
}

/* ----------------------------------------------------------------------------------- methods -- */

/* How elements of an array are called: {name=, shift=, rank=, described=, span=, {lower, extent, sm} ...} */
static accd_array read_array(lua_State *L, int at)
{
    accd_array array = {
        .shift = get_integer(L, at, "shift", 0),
        .rank = (unsigned)get_integer(L, at, "rank", 0),
        .described = (uint32_t)get_integer(L, at, "described", 0),
        .span = (uint32_t)get_integer(L, at, "span", 0),
    };
    if (array.rank > ACCD_RANK_MOST)
        luaL_error(L, "an array has too many dimensions");
    lua_getfield(L, at, "name");
    array.name = lua_tostring(L, -1);
    lua_pop(L, 1); /* the table keeps it */
    for (unsigned i = 0; i < array.rank && !array.described; i++) {
        lua_rawgeti(L, at, (lua_Integer)i + 1);
        int dimension = lua_gettop(L);
        array.dimensions[i] = (accd_dimension){get_integer(L, dimension, "lower", 0),
                                               get_integer(L, dimension, "extent", 0),
                                               get_integer(L, dimension, "sm", 0)};
        lua_pop(L, 1);
    }
    return array;
}

/* context:label{name=, unit=, section=, member=, element=, round=, file=, line=, layout=, pointer=, array=} */
static int l_label(lua_State *L)
{
    struct context *context = check_context(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    accd_label label = {
        .unit = (uint64_t)get_integer(L, 2, "unit", 0),
        .line = (int)get_integer(L, 2, "line", 0),
    };
    if (get_boolean(L, 2, "section"))
        label.flags |= ACCD_LABEL_SECTION;
    if (get_boolean(L, 2, "member"))
        label.flags |= ACCD_LABEL_MEMBER;
    if (get_boolean(L, 2, "element"))
        label.flags |= ACCD_LABEL_ELEMENT;
    if (get_boolean(L, 2, "round"))
        label.flags |= ACCD_LABEL_ROUND;
    lua_getfield(L, 2, "name");
    label.name = luaL_checkstring(L, -1);
    lua_getfield(L, 2, "file");
    label.file = lua_tostring(L, -1);
    if (lua_getfield(L, 2, "layout") != LUA_TNIL)
        label.layout = check_program(L, -1);
    lua_getfield(L, 2, "pointer");
    label.pointer = lua_tostring(L, -1);
    accd_array array;
    if (lua_getfield(L, 2, "array") == LUA_TTABLE) {
        array = read_array(L, lua_gettop(L));
        label.array = &array;
    }
    const accd_label *made = accd_label_new(context->core, &label);
    if (!made)
        return push_error(L, context, ACCD_OUT_OF_MEMORY);
    lua_pushlightuserdata(L, (void *)(uintptr_t)made);
    return 1;
}

/* context:bind_function(number, fn): fn is what ACCD_I_CALL of that number calls */
static int l_bind_function(lua_State *L)
{
    struct context *context = check_context(L, 1);
    lua_Integer number = luaL_checkinteger(L, 2);
    luaL_checktype(L, 3, LUA_TFUNCTION);
    lua_rawgeti(L, LUA_REGISTRYINDEX, context->bound_ref);
    lua_pushvalue(L, 3);
    lua_rawseti(L, -2, number);
    return 0;
}

static int l_listen(lua_State *L)
{
    struct context *context = check_context(L, 1);
    bool on = lua_toboolean(L, 2);
    accd_context_on_event(context->core, on ? on_event : NULL, &context->reported);
    context->reported.listening = on;
    if (!on)
        forget_events(&context->reported);
    return 0;
}

/* context:drain() -> list of events since the last call */
static int l_drain(lua_State *L)
{
    struct context *context = check_context(L, 1);
    struct reported *reported = &context->reported;
    if (reported->lost) {
        forget_events(reported);
        return luaL_error(L, "not enough memory");
    }
    lua_createtable(L, (int)reported->n, 0);
    for (size_t i = 0; i < reported->n; i++) {
        const struct event *event = &reported->events[i];
        lua_createtable(L, 0, 8);
        set_text(L, "op", accd_op_name(event->op));
        set_text(L, "name", event->name);
        set_integer(L, "bytes", (lua_Integer)event->bytes);
        if (event->host)
            set_integer(L, "host", (lua_Integer)event->host);
        set_integer(L, "device", event->device);
        set_text(L, "rule", event->rule);
        if (event->file)
            lua_pushfstring(L, "%s:%d", event->file, event->line);
        else
            lua_pushliteral(L, "");
        lua_setfield(L, -2, "at");
        if (event->async != ACCD_SYNCHRONOUS) {
            set_integer(L, "async", event->async);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    forget_events(reported);
    return 1;
}

static int l_check(lua_State *L)
{
    lua_pushstring(L, accd_check(check_context(L, 1)->core));
    return 1;
}

static int l_digest(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)accd_digest(check_context(L, 1)->core));
    return 1;
}

static int l_fail_allocation(lua_State *L)
{
    accd_fail_allocation(check_context(L, 1)->core, (int)luaL_checkinteger(L, 2), word_at(L, 3));
    return 0;
}

static int l_fail_copy(lua_State *L)
{
    accd_fail_copy(check_context(L, 1)->core, (int)luaL_checkinteger(L, 2), word_at(L, 3));
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

void open_context(lua_State *L)
{
    luaL_newmetatable(L, CONTEXT_TYPE);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    set_function(L, "__gc", l_close);
    set_function(L, "__close", l_close);
    lua_pop(L, 1);
    set_function(L, "open", l_open);
    set_function(L, "device", l_device);
}
