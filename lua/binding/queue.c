/* queue.c - activity queues of a context's devices, and Lua functions in them. */
#include "binding.h"

#include <stdlib.h>

static unsigned queue_at(lua_State *L, int index)
{
    return (unsigned)luaL_checkinteger(L, index);
}

/* context:queue(device, async) -> number; or nil, error */
static int l_queue(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    unsigned queue;
    accd_status status = accd_queue_get(context->core, accd__device_argument(L, 2), luaL_checkinteger(L, 3), &queue);
    if (status != ACCD_OK)
        return accd__push_error(L, context, status);
    lua_pushinteger(L, queue);
    return 1;
}

/* context:queue_wait(device, queue) -> true; or nil, error. 0: all queues of the device */
static int l_queue_wait(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    return accd__push_result(L, context, accd_queue_wait(context->core, accd__device_argument(L, 2), queue_at(L, 3)));
}

/* context:queue_after(device, queue, other device, other queue) -> true; or nil, error */
static int l_queue_after(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    return accd__push_result(L, context,
                             accd_queue_wait_for(context->core, accd__device_argument(L, 2), queue_at(L, 3),
                                                 accd__device_argument(L, 4), queue_at(L, 5)));
}

/* context:waited(device, queue, other device, other queue, file, line): reports a wait. */
static int l_waited(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_report_wait(context->core, accd__device_argument(L, 2), queue_at(L, 3), accd__device_argument(L, 4),
                     queue_at(L, 5), luaL_optstring(L, 6, NULL), (int)luaL_optinteger(L, 7, 0));
    return 0;
}

/* context:queue_test(device, queue) -> whether it has nothing left to do; or nil, error */
static int l_queue_test(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    int done;
    accd_status status = accd_queue_test(context->core, accd__device_argument(L, 2), queue_at(L, 3), &done);
    if (status != ACCD_OK)
        return accd__push_error(L, context, status);
    lua_pushboolean(L, done);
    return 1;
}

/* context:queues(device) -> {{async=, pending=} ...} */
static int l_queues(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_queue_info info;
    lua_newtable(L);
    for (unsigned i = 1; accd_queue_get_info(context->core, accd__device_argument(L, 2), i, &info); i++) {
        lua_createtable(L, 0, 2);
        accd__set_integer(L, "async", info.async);
        accd__set_integer(L, "pending", (lua_Integer)info.pending);
        lua_rawseti(L, -2, i);
    }
    return 1;
}

/* context:copy_async(device, queue, way, to, from, bytes, file, line) -> true; or nil, error */
static int l_copy_async(lua_State *L)
{
    static const char *const ways[] = {"h2d", "d2h", "d2d", NULL};
    struct accd__lua_context *context = accd__check_context(L, 1);
    return accd__push_result(L, context,
                             accd_copy_async(context->core, accd__device_argument(L, 2), queue_at(L, 3),
                                             (accd_direction)luaL_checkoption(L, 4, NULL, ways),
                                             accd__word_argument(L, 5), accd__word_argument(L, 6),
                                             accd__word_argument(L, 7), luaL_optstring(L, 8, NULL),
                                             (int)luaL_optinteger(L, 9, 0)));
}

/* --------------------------------------------------------------------------------- functions -- */

/* A Lua function that a queue holds. */
struct held {
    struct accd__lua_context *context;
    int ref;
    unsigned users; /* the state, and checkpoints */
};

/* What the function raises is the cause of the error that the wait gives. Its argument: whether the device has run
 * the kernel. */
static int run_held(void *ud, accd_host_call call)
{
    struct held *held = ud;
    struct accd__lua_context *context = held->context;
    lua_State *L = context->L;
    int failed = 0;
    if (call == ACCD_CALL_RETAIN) {
        held->users++;
        return 0;
    }
    if (call != ACCD_CALL_DISCARD && lua_checkstack(L, 4)) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, held->ref);
        lua_pushboolean(L, call == ACCD_CALL_KERNEL_DONE);
        failed = lua_pcall(L, 1, 0, 0) != LUA_OK;
    } else if (call != ACCD_CALL_DISCARD) {
        lua_pushliteral(L, "stack overflow"); /* there is always room for one value */
        failed = 1;
    }
    if (failed) {
        luaL_unref(L, LUA_REGISTRYINDEX, context->error_ref);
        context->error_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    if (--held->users)
        return failed;
    luaL_unref(L, LUA_REGISTRYINDEX, held->ref);
    free(held);
    return failed;
}

static struct held *hold(lua_State *L, struct accd__lua_context *context, int index)
{
    luaL_checktype(L, index, LUA_TFUNCTION);
    struct held *held = malloc(sizeof *held);
    if (!held)
        luaL_error(L, "not enough memory");
    lua_pushvalue(L, index);
    *held = (struct held){context, luaL_ref(L, LUA_REGISTRYINDEX), 1};
    return held;
}

/* The queue has not taken the function: it was not run either. */
static int taken(lua_State *L, struct accd__lua_context *context, accd_status status, struct held *held)
{
    if (status != ACCD_OK && status != ACCD_ERROR_CALLBACK)
        (void)run_held(held, ACCD_CALL_DISCARD);
    return accd__push_result(L, context, status);
}

/* context:queue_call(device, queue, fn) -> true; or nil, error */
static int l_queue_call(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    struct held *held = hold(L, context, 4);
    return taken(L, context,
                 accd_queue_call(context->core, accd__device_argument(L, 2), queue_at(L, 3), run_held, held), held);
}

/* context:launch(region, fn, {device address, ...}) -> true; or nil, error */
static int l_launch(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_region *region = accd__check_region(L, 2);
    size_t n;
    lua_settop(L, 4);
    const uint64_t *devs = accd__get_words(L, &n);
    struct held *held = hold(L, context, 3);
    return taken(L, context, accd_launch_function(region, devs, n, run_held, held), held);
}

/* context:launch_kernel(region, fn, {device address, ...}, kernel) -> "under way", or as context:kernel_run(device,
 * kernel). fn is called when the kernel is over, with whether the device has run it. */
static int l_launch_kernel(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_region *region = accd__check_region(L, 2);
    size_t n;
    lua_settop(L, 5);
    luaL_checktype(L, 3, LUA_TFUNCTION);
    accd_kernel kernel;
    accd__read_kernel(L, 5, &kernel);
    lua_pushvalue(L, 4);
    const uint64_t *devs = accd__get_words(L, &n);
    struct held *held = hold(L, context, 3);
    accd_kernel_result end;
    accd_status status = accd_launch_kernel(region, devs, n, &kernel, run_held, held, &end);
    if (status != ACCD_OK || end.outcome != ACCD_KERNEL_QUEUED)
        (void)run_held(held, ACCD_CALL_DISCARD);
    return status == ACCD_OK ? accd__push_kernel_result(L, &end) : accd__push_error(L, context, status);
}

const luaL_Reg accd__queue_methods[] = {
    {"queue", l_queue},
    {"queue_wait", l_queue_wait},
    {"queue_after", l_queue_after},
    {"waited", l_waited},
    {"queue_test", l_queue_test},
    {"queue_call", l_queue_call},
    {"queues", l_queues},
    {"copy_async", l_copy_async},
    {"launch", l_launch},
    {"launch_kernel", l_launch_kernel},
    {NULL, NULL},
};
