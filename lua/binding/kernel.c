/* kernel.c - kernels given as text, as Lua sees them. */
#include "binding.h"

/* context:kernel_compiler(device) -> what compiles kernels for it; or false, and why nothing does
 * ("": it runs none) */
static int l_kernel_compiler(lua_State *L)
{
    struct context *context = check_context(L, 1);
    char what[200];
    if (accd_kernel_compiler(context->core, device_at(L, 2), what, sizeof what)) {
        lua_pushstring(L, what);
        return 1;
    }
    lua_pushboolean(L, 0);
    lua_pushstring(L, what);
    return 2;
}

static uint64_t *read_words(lua_State *L, int index, const char *key, size_t *n)
{
    lua_getfield(L, index, key);
    return get_words(L, n);
}

/* What the table at index says; what it refers to is kept on the stack. */
void read_kernel(lua_State *L, int index, accd_kernel *kernel)
{
    size_t pointers, slots;
    luaL_checktype(L, index, LUA_TTABLE);
    luaL_checkstack(L, 8, "a kernel's tables");
    *kernel = (accd_kernel){.writes = get_boolean(L, index, "writes"),
                            .parallel = get_boolean(L, index, "parallel"),
                            .turns = (uint64_t)get_integer(L, index, "turns", 0),
                            .again = (uint64_t)get_integer(L, index, "again", 0)};
    const uint64_t *words = read_words(L, index, "pointers", &pointers);
    kernel->pointers = (const accd_kernel_pointer *)(const void *)words;
    kernel->npointers = pointers / 3;
    words = read_words(L, index, "slots", &slots);
    kernel->slots = (const accd_kernel_slot *)(const void *)words;
    kernel->nslots = slots / 5;
    lua_getfield(L, index, "text");
    kernel->text = luaL_checkstring(L, -1);
}

int push_kernel_end(lua_State *L, const accd_kernel_end *end)
{
    static const char *const names[] = {"done", "stopped", "not run", "rejected", "under way"};
    lua_pushstring(L, names[end->how]);
    if (end->how == ACCD_KERNEL_DONE || end->how == ACCD_KERNEL_UNDER_WAY)
        return 1;
    if (end->how == ACCD_KERNEL_STOPPED) {
        lua_pushinteger(L, end->why);
        lua_pushinteger(L, end->site);
        return 3;
    }
    lua_pushstring(L, end->said);
    return 2;
}

/* context:kernel_run(device, {text=, pointers={at, low, high, ...}, slots={at, bytes, value, low,
 * high, ...}, writes=, parallel=, turns=, again=}) -> "done"; "stopped", why, site; "not run" or "rejected",
 * what was said; or nil, error */
static int l_kernel_run(lua_State *L)
{
    struct context *context = check_context(L, 1);
    accd_kernel kernel;
    read_kernel(L, 3, &kernel);
    accd_kernel_end end;
    accd_status status = accd_kernel_run(context->core, device_at(L, 2), &kernel, &end);
    return status == ACCD_OK ? push_kernel_end(L, &end) : push_error(L, context, status);
}

const luaL_Reg kernel_methods[] = {
    {"kernel_compiler", l_kernel_compiler},
    {"kernel_run", l_kernel_run},
    {NULL, NULL},
};
