/* kernel.c - kernels given as text: methods of a context that compile and run them. */
#include "binding.h"

#include <assert.h>

/* context:kernel_compiler(device) -> name of the compiler of kernels; or false, reason why there is none. Reason "":
 * the device runs no kernels. */
static int l_kernel_compiler(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    char text[200];
    if (accd_get_kernel_compiler(context->core, accd__device_argument(L, 2), text, sizeof text)) {
        lua_pushstring(L, text);
        return 1;
    }
    lua_pushboolean(L, 0);
    lua_pushstring(L, text);
    return 2;
}

/* Pushes the list in field `key` of the table at `index`, and the list's integers as an array. Returns the array, and
 * sets *n to their number. Raises for other values. */
static uint64_t *read_words(lua_State *L, int index, const char *key, size_t *n)
{
    lua_getfield(L, index, key);
    return accd__get_words(L, n);
}

/* Fills *kernel from the table at `index`, and pushes the arrays and the text that *kernel refers to. Raises for
 * fields of another type. */
void accd__read_kernel(lua_State *L, int index, accd_kernel *kernel)
{
    assert(index > 0 && kernel);
    size_t pointers, slots;
    luaL_checktype(L, index, LUA_TTABLE);
    luaL_checkstack(L, 8, "a kernel's tables");
    *kernel = (accd_kernel){.writes = accd__get_boolean(L, index, "writes"),
                            .parallel = accd__get_boolean(L, index, "parallel"),
                            .max_iterations = (uint64_t)accd__get_integer(L, index, "turns", 0),
                            .retry_reasons = (uint64_t)accd__get_integer(L, index, "again", 0)};
    const uint64_t *words = read_words(L, index, "pointers", &pointers);
    kernel->pointers = (const accd_kernel_pointer *)(const void *)words;
    kernel->npointers = pointers / 3;
    words = read_words(L, index, "slots", &slots);
    kernel->slots = (const accd_kernel_slot *)(const void *)words;
    kernel->nslots = slots / 5;
    lua_getfield(L, index, "text");
    kernel->text = luaL_checkstring(L, -1);
}

/* Pushes the outcome of a kernel as a word. Then pushes reason and site if the kernel was stopped, or a message if
 * the kernel did not run or was rejected. Returns the number of values pushed. */
int accd__push_kernel_result(lua_State *L, const accd_kernel_result *end)
{
    static const char *const names[] = {"done", "stopped", "not run", "rejected", "under way"};
    assert((size_t)end->outcome < sizeof names / sizeof names[0]);
    lua_pushstring(L, names[end->outcome]);
    if (end->outcome == ACCD_KERNEL_DONE || end->outcome == ACCD_KERNEL_QUEUED)
        return 1;
    if (end->outcome == ACCD_KERNEL_STOPPED) {
        lua_pushinteger(L, end->reason);
        lua_pushinteger(L, end->site);
        return 3;
    }
    lua_pushstring(L, end->message);
    return 2;
}

/* context:kernel_run(device, {text=, pointers={at, low, high, ...}, slots={at, bytes, value, low, high, ...},
 * writes=, parallel=, turns=, again=}) -> "done"; "stopped", reason, site; "not run" or "rejected", message; or nil,
 * error. Runs a kernel now. Fields are members of accd_kernel, but turns is max_iterations and again is
 * retry_reasons. */
static int l_kernel_run(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_kernel kernel;
    accd__read_kernel(L, 3, &kernel);
    accd_kernel_result end;
    accd_status status = accd_run_kernel(context->core, accd__device_argument(L, 2), &kernel, &end);
    return status == ACCD_OK ? accd__push_kernel_result(L, &end) : accd__push_error(L, context, status);
}

const luaL_Reg accd__kernel_methods[] = {
    {"kernel_compiler", l_kernel_compiler},
    {"kernel_run", l_kernel_run},
    {NULL, NULL},
};
