/* queue.c - activity queues of a context's devices, and Lua functions that queues call. */
#include "binding.h"

#include <assert.h>
#include <stdlib.h>

/* Returns the number of a queue, the integer at stack index `index`. Raises if that is no integer. */
static unsigned get_queue_argument(lua_State *L, int index)
{
    return (unsigned)luaL_checkinteger(L, index);
}

/* context:queue(device, async) -> number of the queue for an async value, which is made when the value is first used;
 * or nil, error */
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

/* context:queue_wait(device, queue) -> true; or nil, error. Waits for the work of a queue; queue 0: for all queues of
 * the device. */
static int l_queue_wait(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    return accd__push_result(L, context,
                             accd_queue_wait(context->core, accd__device_argument(L, 2), get_queue_argument(L, 3)));
}

/* context:queue_after(device, queue, other device, other queue) -> true; or nil, error. Makes `queue` wait for the work
 * that `other queue` has now. */
static int l_queue_after(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    return accd__push_result(L, context,
                             accd_queue_wait_for(context->core, accd__device_argument(L, 2), get_queue_argument(L, 3),
                                                 accd__device_argument(L, 4), get_queue_argument(L, 5)));
}

/* context:waited(device, queue, other device, other queue, file, line): reports the event that `queue` waits for `other
 * queue`. file: a string or nil. */
static int l_waited(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_report_wait(context->core, accd__device_argument(L, 2), get_queue_argument(L, 3), accd__device_argument(L, 4),
                     get_queue_argument(L, 5), luaL_optstring(L, 6, NULL), (int)luaL_optinteger(L, 7, 0));
    return 0;
}

/* context:queue_test(device, queue) -> true if all work of the queue has ended, else false; or nil, error */
static int l_queue_test(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    int done;
    accd_status status = accd_queue_test(context->core, accd__device_argument(L, 2), get_queue_argument(L, 3), &done);
    if (status != ACCD_OK)
        return accd__push_error(L, context, status);
    lua_pushboolean(L, done);
    return 1;
}

/* context:queues(device) -> {{async=, pending=} ...}: async value and number of operations not yet done, in a list by
 * queue number, from 1 */
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

/* --------------------------------------------------------------------------------- functions -- */

/* Lua function that a queue will call. */
struct queued_function {
    struct accd__lua_context *context;
    int ref;        /* registry reference to the function */
    unsigned users; /* number of states that contain the call: the present one, and checkpoints */
};

/* Handles a call of the core for a queued function `ud` (an accd_host_fn). RETAIN adds a user. Any other call drops
 * one, after calling the Lua function unless `call` is DISCARD. The Lua function gets true if the device has run the
 * kernel. Returns 1 if the function raised or could not be called, else 0; the error becomes the cause of the error
 * that a wait returns. */
static int run_queued_function(void *ud, accd_host_call call)
{
    assert(((struct queued_function *)ud)->users > 0);
    struct queued_function *function = ud;
    struct accd__lua_context *context = function->context;
    lua_State *L = context->L;
    int failed = 0;
    if (call == ACCD_CALL_RETAIN) {
        function->users++;
        return 0;
    }
    if (call != ACCD_CALL_DISCARD && lua_checkstack(L, 4)) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, function->ref);
        lua_pushboolean(L, call == ACCD_CALL_KERNEL_DONE);
        failed = lua_pcall(L, 1, 0, 0) != LUA_OK;
    } else if (call != ACCD_CALL_DISCARD) {
        lua_pushliteral(L, "stack overflow"); /* the stack always has space for one value */
        failed = 1;
    }
    if (failed) {
        luaL_unref(L, LUA_REGISTRYINDEX, context->error_ref);
        context->error_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    if (--function->users)
        return failed;
    luaL_unref(L, LUA_REGISTRYINDEX, function->ref);
    free(function);
    return failed;
}

/* Returns a new queued function for the Lua function at stack index `index`, with one user. Raises without memory, or
 * for no function. */
static struct queued_function *new_queued_function(lua_State *L, struct accd__lua_context *context, int index)
{
    luaL_checktype(L, index, LUA_TFUNCTION);
    struct queued_function *function = malloc(sizeof *function);
    if (!function)
        luaL_error(L, "not enough memory");
    lua_pushvalue(L, index);
    *function = (struct queued_function){context, luaL_ref(L, LUA_REGISTRYINDEX), 1};
    return function;
}

/* Pushes the result of queueing a Lua function: true; or nil, error. Returns the number of values pushed. Drops the
 * function if the queue has refused to take it. */
static int push_queue_result(lua_State *L, struct accd__lua_context *context, accd_status status,
                             struct queued_function *function)
{
    if (status != ACCD_OK && status != ACCD_ERROR_CALLBACK)
        (void)run_queued_function(function, ACCD_CALL_DISCARD);
    return accd__push_result(L, context, status);
}

/* context:queue_call(device, queue, fn) -> true; or nil, error. Calls fn(false) when the queue's earlier work has
 * ended; the context's queue mode (accd_queue_mode) decides when that is. */
static int l_queue_call(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    struct queued_function *function = new_queued_function(L, context, 4);
    return push_queue_result(L, context,
                             accd_queue_call(context->core, accd__device_argument(L, 2), get_queue_argument(L, 3),
                                             run_queued_function, function),
                             function);
}

/* context:launch(region, fn, {device address, ...}) -> true; or nil, error. Queues the call fn(false), which runs on
 * the host, as the region's kernel. The list has the device addresses that fn uses. */
static int l_launch(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_region *region = accd__check_region(L, 2);
    size_t n;
    lua_settop(L, 4);
    const uint64_t *devs = accd__get_words(L, &n);
    struct queued_function *function = new_queued_function(L, context, 3);
    return push_queue_result(L, context, accd_launch_function(region, devs, n, run_queued_function, function),
                             function);
}

/* context:launch_kernel(region, fn, {device address, ...}, kernel) -> "under way"; another result of
 * context:kernel_run; or nil, error. Queues a kernel of the region; `kernel` is a table of the fields that
 * context:kernel_run takes. Later calls fn(done): done is true if the device has run the kernel, and false if fn must
 * do the kernel's work. */
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
    struct queued_function *function = new_queued_function(L, context, 3);
    accd_kernel_result end;
    accd_status status = accd_launch_kernel(region, devs, n, &kernel, run_queued_function, function, &end);
    if (status != ACCD_OK || end.outcome != ACCD_KERNEL_QUEUED)
        (void)run_queued_function(function, ACCD_CALL_DISCARD);
    return status == ACCD_OK ? accd__push_kernel_result(L, &end) : accd__push_error(L, context, status);
}

const luaL_Reg accd__queue_methods[] = {
    {"queue", l_queue},   {"queue_wait", l_queue_wait}, {"queue_after", l_queue_after},
    {"waited", l_waited}, {"queue_test", l_queue_test}, {"queue_call", l_queue_call},
    {"queues", l_queues}, {"launch", l_launch},         {"launch_kernel", l_launch_kernel},
    {NULL, NULL},
};
