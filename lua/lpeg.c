/* lpeg.c - opens LPeg where it cannot be linked: loads lpeg.so, as Lua itself would. Tries the file found when accdeep
 * was built, then package.cpath. */
#include "modules.h"

#include <dlfcn.h>
#include <lauxlib.h>

/* Loads lpeg.so by package.cpath, and returns its handle; NULL if it is not found. Leaves the stack as it was. */
static void *open_by_path(lua_State *L)
{
    void *module = NULL;
    int top = lua_gettop(L);
    if (lua_getglobal(L, "package") == LUA_TTABLE && lua_getfield(L, -1, "searchpath") == LUA_TFUNCTION) {
        lua_pushliteral(L, "lpeg");
        lua_getfield(L, -3, "cpath");
        if (lua_pcall(L, 2, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING)
            module = dlopen(lua_tostring(L, -1), RTLD_NOW);
    }
    lua_settop(L, top);
    return module;
}

/* Opens LPeg and returns the number of results, its module. Raises if no usable lpeg.so is found. */
int luaopen_lpeg(lua_State *L)
{
    /* lpeg.so uses the Lua library of this process. If that was itself loaded at run time, its names may be hidden, so
     * this makes them global. */
    Dl_info lua;
    if (dladdr(__extension__(void *) lua_newstate, &lua))
        (void)dlopen(lua.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    void *module = dlopen(ACCDEEP_LPEG_MODULE, RTLD_NOW);
    if (!module)
        module = open_by_path(L);
    if (!module)
        return luaL_error(L, "LPeg is neither " ACCDEEP_LPEG_MODULE " nor in package.cpath");
    lua_CFunction open = __extension__(lua_CFunction) dlsym(module, "luaopen_lpeg");
    return open ? open(L) : luaL_error(L, "what package.cpath has as lpeg.so is not LPeg");
}
