/* main.c - the accdeep program: Lua, LPeg and accdeep's Lua modules in one file. Runs accdeep.tools.cli.
 *
 * ACCDEEP_LUA_DIR names a folder whose modules replace the embedded ones, for development. */
#include "binding.h"
#include "modules.h"
#include "program.h"

#include <lualib.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_INTERNAL = 70 };

/* Loader of an embedded module, which is the upvalue: runs its chunk with its name, and returns the module. */
static int load_embedded(lua_State *L)
{
    const struct embedded_module *module = lua_touserdata(L, lua_upvalueindex(1));
    assert(module);
    embedded_push(L, module);
    lua_pushstring(L, module->name);
    lua_call(L, 1, 1);
    return 1;
}

/* Adds the embedded modules and the modules in C to package.preload, so that `require` finds them. */
static void preload_modules(lua_State *L)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, luaopen_accdeep_core);
    lua_setfield(L, -2, "accdeep.core");
    lua_pushcfunction(L, luaopen_accdeep_system);
    lua_setfield(L, -2, "accdeep.system");
    lua_pushcfunction(L, luaopen_lpeg);
    lua_setfield(L, -2, "lpeg");
    for (const struct embedded_module *const *m = embedded_modules; *m; m++) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)*m);
        lua_pushcclosure(L, load_embedded, 1);
        lua_setfield(L, -2, (*m)->name);
    }
    lua_pop(L, 1);
}

/* Makes `require` find accdeep's modules in a folder instead of the embedded ones; other embedded modules stay. */
static void use_folder(lua_State *L, const char *folder)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    for (const struct embedded_module *const *m = embedded_modules; *m; m++)
        if (!strncmp((*m)->name, "accdeep", 7)) {
            lua_pushnil(L);
            lua_setfield(L, -2, (*m)->name);
        }
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "path");
    lua_pushfstring(L, "%s/?.lua;%s/?/init.lua;%s", folder, folder, lua_tostring(L, -1));
    lua_setfield(L, -3, "path");
    lua_pop(L, 3);
}

/* Message handler: returns the error as text with a traceback. */
static int add_traceback(lua_State *L)
{
    luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
    return 1;
}

/* Lua function (argc, argv as light userdata) -> exit status: opens all modules, and runs the command line with
 * accdeep.tools.cli. */
static int run_program(lua_State *L)
{
    int argc = (int)lua_tointeger(L, 1);
    char **argv = lua_touserdata(L, 2);
    luaL_openlibs(L);
    preload_modules(L);
    const char *folder = getenv("ACCDEEP_LUA_DIR");
    if (folder && *folder)
        use_folder(L, folder);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "accdeep.tools.cli");
    lua_call(L, 1, 1);
    lua_createtable(L, argc - 1, 0);
    for (int i = 1; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i);
    }
    lua_call(L, 1, 1);
    return 1;
}

/* Runs the command line in a new Lua state, and returns its exit status; an error that reaches this function is an
 * internal one. */
int main(int argc, char **argv)
{
    lua_State *L = luaL_newstate();
    if (!L) {
        fprintf(stderr, "accdeep: not enough memory\n");
        return EXIT_INTERNAL;
    }
    lua_gc(L, LUA_GCGEN, 0, 0);
    lua_pushcfunction(L, add_traceback);
    lua_pushcfunction(L, run_program);
    lua_pushinteger(L, argc);
    lua_pushlightuserdata(L, argv);
    int status = EXIT_INTERNAL;
    if (lua_pcall(L, 2, 1, 1) == LUA_OK)
        status = (int)lua_tointeger(L, -1);
    else
        fprintf(stderr, "accdeep: internal error: %s\n", lua_tostring(L, -1));
    lua_close(L);
    return status;
}
