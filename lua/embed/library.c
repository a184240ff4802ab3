/* library.c - loads accdeep's Lua modules into an environment of their own, inside of any Lua state.
 *
 * The modules have a table of globals and a `require` that are hidden from the owner of the state. What the owner has
 * changed in the globals does not affect them. Two things exist only once in a state and are shared: the registry,
 * which holds the metatables of LPeg's patterns and of our objects, and the methods of strings. */
#include "embed.h"

#include <modules.h>

#include <lualib.h>

#include <assert.h>
#include <string.h>

/* Registry keys, by address. key: the functions of accdeep.embed. mark: set if the metatables are those of this
 * library. */
static const char key = 0, mark = 0;

/* require(name) -> module: loads an embedded module once, with the library's own globals. Raises for other names.
 * Upvalues: table of loaded modules, table of globals. */
static int own_require(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    lua_settop(L, 1);
    lua_pushvalue(L, 1);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    lua_pop(L, 1);
    const struct embedded_module *const *module = embedded_modules;
    while (*module && strcmp((*module)->name, name) != 0)
        module++;
    if (!*module)
        return luaL_error(L, "module '%s' is not in the library", name);
    embedded_push(L, *module);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_setupvalue(L, -2, 1); /* upvalue 1 of a chunk is _ENV, the chunk's table of globals */
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, -2);
    lua_rawset(L, lua_upvalueindex(1));
    return 1;
}

/* Lua function without arguments: opens Lua's libraries into the state's table of globals, which must be empty. */
static int open_libraries(lua_State *L)
{
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base},
        {LUA_TABLIBNAME, luaopen_table},
        {LUA_STRLIBNAME, luaopen_string},
        {LUA_MATHLIBNAME, luaopen_math},
        {LUA_UTF8LIBNAME, luaopen_utf8},
        {LUA_DBLIBNAME, luaopen_debug},
        {NULL, NULL},
    };
    lua_pushglobaltable(L);
    for (const luaL_Reg *library = libraries; library->name; library++) {
        lua_pushcfunction(L, library->func);
        lua_pushstring(L, library->name);
        lua_call(L, 1, 1);
        lua_setfield(L, -2, library->name);
    }
    return 0;
}

/* Fills the table on top of the stack with Lua's libraries. While open_libraries runs, this table is the state's table
 * of globals. Afterwards the owner's globals, and the methods of strings, if there were any, are restored, also on
 * failure. Raises without memory. */
static void open_isolated(lua_State *L)
{
    assert(lua_istable(L, -1));
    int libraries = lua_gettop(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushliteral(L, "");
    if (!lua_getmetatable(L, -1))
        lua_pushnil(L);
    int strings = lua_gettop(L);
    lua_pushcfunction(L, open_libraries);
    lua_pushvalue(L, libraries);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    int status = lua_pcall(L, 0, 0, 0);
    lua_pushvalue(L, libraries + 1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    if (!lua_isnil(L, strings)) {
        lua_pushvalue(L, strings);
        lua_setmetatable(L, strings - 1);
    }
    if (status != LUA_OK)
        lua_error(L);
    lua_settop(L, libraries);
}

/* Pushes a table of the modules that exist before any `require`: lpeg and accdeep.core. The owner's LPeg is used if it
 * is loaded, because patterns have one metatable in a state. Raises on failure. */
static void push_loaded(lua_State *L)
{
    lua_newtable(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    if (lua_getfield(L, -1, "lpeg") != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_pushcfunction(L, luaopen_lpeg);
        lua_call(L, 0, 1);
    }
    lua_setfield(L, -3, "lpeg");
    lua_pop(L, 1);
    lua_pushcfunction(L, luaopen_accdeep_core);
    lua_call(L, 0, 1);
    lua_setfield(L, -2, "accdeep.core");
}

/* Pushes the functions of accdeep.embed, loaded into a new environment. Raises if the state has loaded another copy of
 * accdeep, or on failure. */
static void open_library(lua_State *L)
{
    bool is_ours = lua_rawgetp(L, LUA_REGISTRYINDEX, &mark) != LUA_TNIL;
    if (luaL_getmetatable(L, "accdeep.context") != LUA_TNIL && !is_ours)
        luaL_error(L, "the state has loaded another copy of accdeep");
    lua_pop(L, 2);
    lua_pushboolean(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &mark);
    lua_newtable(L);
    open_isolated(L);
    push_loaded(L);
    lua_pushvalue(L, -2);
    lua_pushcclosure(L, own_require, 2);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "require");
    lua_remove(L, -2);
    lua_pushliteral(L, "accdeep.embed");
    lua_call(L, 1, 1);
}

/* Pushes the functions of accdeep.embed, loaded at the first call for a state. */
void accd__push_library(lua_State *L)
{
    luaL_checkstack(L, 16, NULL);
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) != LUA_TNIL)
        return;
    lua_pop(L, 1);
    open_library(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
}
