/* lpeg.c - LPeg where it cannot be linked: lpeg.so, which Lua itself would load. The file found
 * when accdeep was built comes first, then package.cpath. */
#include "modules.h"

#include <dlfcn.h>
#include <lauxlib.h>

/* Leaves the stack as it was. */
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

int luaopen_lpeg(lua_State *L)
{
    /* The module uses the Lua library of this process, whose names a library opened at run time may
     * hide. */
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
