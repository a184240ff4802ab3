/* debug.c - types in the debug information of programs: the handle, and finding types by name.
 *
 * core.debug(path) -> handle; or nil, reason. Without a path, the handle is for this process. Only requested types
 * become Lua objects. Files may be damaged: what libdw cannot read is treated as missing. */
#include "binding.h"

#ifdef HAVE_LIBDW
#include "debug.h"

#include <stdlib.h>
#include <string.h>

#define DEBUG "accdeep.debug"

/* Returns the handle at index 1. Raises if it is no handle, or is closed. */
static struct accd__lua_debug *check_debug(lua_State *L)
{
    struct accd__lua_debug *debug = luaL_checkudata(L, 1, DEBUG);
    luaL_argcheck(L, debug->dwfl, 1, "closed");
    return debug;
}

/* debug:close(): frees the debug information; the handle can only be closed again afterwards. */
static int l_close(lua_State *L)
{
    struct accd__lua_debug *debug = luaL_checkudata(L, 1, DEBUG);
    if (debug->dwfl)
        debug->dw.dwfl_end(debug->dwfl);
    debug->dwfl = NULL;
    accd__dw_unload(&debug->dw);
    free(debug->found);
    debug->found = NULL;
    debug->nfound = debug->capacity = 0;
    return 0;
}

/* Walks the types of all units of a file. For a unit whose entries lie in a split file (.dwo), walks the entries of
 * the split file. */
static void walk_dwarf(struct accd__debug_walk *walk, Dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, split;
    uint8_t kind;
    while (walk->debug->dw.dwarf_get_units(dwarf, unit, &unit, NULL, &kind, &die, &split) == 0) {
        Dwarf_Die *root = kind == DW_UT_skeleton && split.addr ? &split : &die;
        if (root->addr) /* damaged units have no root */
            accd__debug_walk_unit(walk, root);
    }
}

/* Walks the files in the order in which they were loaded, the program first, up to the first file with results (with
 * `slack`, all files). Sets *any_p to true if some file has debug information, and *first_p if the first file has. */
static void walk_files(struct accd__debug_walk *walk, bool *any_p, bool *first_p)
{
    const struct accd__lua_debug *debug = walk->debug;
    Dwfl_Module *module;
    Dwarf_Addr bias;
    ptrdiff_t link = 0;
    *any_p = *first_p = false;
    for (bool is_first = true;
         (link = debug->dw.dwfl_getmodules(debug->dwfl, accd__debug_take_module, &module, link)) > 0;
         is_first = false) {
        Dwarf *dwarf = debug->dw.dwfl_module_getdwarf(module, &bias);
        if (!dwarf)
            continue;
        *any_p = true;
        *first_p |= is_first;
        walk_dwarf(walk, dwarf);
        Dwarf *shared = debug->dw.dwarf_getalt(dwarf); /* file with data that several files share */
        if (shared)
            walk_dwarf(walk, shared);
        if (!walk->slack && lua_rawlen(walk->L, walk->results) > 0)
            break;
    }
}

/* debug:find(base, scopes, slack, everywhere) -> list, any, first. The list has {name, number, kind, size, declaration,
 * fortran, at} for each type that was found. any: true if some file has debug information; first: true if the program
 * has. base: name without template arguments; nil: all types. scopes: base names of the scopes that may be classes,
 * such as ":outer:inner"; nil: none. slack: greatest difference in length of other names that are found, too; nil: 0.
 * everywhere: functions and all classes are searched, too. */
static int l_find(lua_State *L)
{
    struct accd__lua_debug *debug = check_debug(L);
    const char *base = luaL_optstring(L, 2, NULL), *scopes = luaL_optstring(L, 3, NULL);
    lua_Integer slack = luaL_optinteger(L, 4, 0);
    lua_settop(L, 5);
    lua_getiuservalue(L, 1, 1);
    lua_newtable(L);
    struct accd__debug_walk *walk = lua_newuserdatauv(L, sizeof *walk, 0);
    *walk = (struct accd__debug_walk){.L = L,
                                      .debug = debug,
                                      .names = 6,
                                      .results = 7,
                                      .base = base,
                                      .scopes = scopes,
                                      .length = base ? strlen(base) : 0,
                                      .slack = base ? (size_t)slack : SIZE_MAX,
                                      .everywhere = lua_toboolean(L, 5)};
    bool any, first;
    walk_files(walk, &any, &first);
    lua_pushvalue(L, 7);
    lua_pushboolean(L, any);
    lua_pushboolean(L, first);
    return 3;
}

/* debug:type(number) -> table that describes the type with this number, which debug:find or debug:variables has
 * returned (debug_type.c lists the fields). Raises for other numbers. */
static int l_type(lua_State *L)
{
    struct accd__lua_debug *debug = check_debug(L);
    lua_Integer number = luaL_checkinteger(L, 2);
    luaL_argcheck(L, number >= 1 && (size_t)number <= debug->nfound, 2, "no such type");
    lua_settop(L, 2);
    lua_getiuservalue(L, 1, 1);
    accd__debug_push_type(L, debug, 3, &debug->found[number - 1]);
    return 1;
}

/* debug:variables(prefix) -> list of {name, line, scope, number}, list of scopes. The first list has all variables of
 * the program whose names begin with prefix, with the numbers of their types. The second one gives for each scope the
 * number of its enclosing scope, 0 for a unit. */
static int l_variables(lua_State *L)
{
    struct accd__lua_debug *debug = check_debug(L);
    accd__debug_push_variables(L, debug, luaL_checkstring(L, 2));
    return 2;
}

/* Adds the file at `path`, or the files of this process if `path` is NULL, to the session of libdw. Returns false on
 * failure. */
static bool add_files(struct accd__lua_debug *debug, const char *path)
{
    unsigned long long loads;
    if (!path)
        return accd__dw_list_files(&debug->dw, debug->dwfl, &loads);
    debug->dw.dwfl_report_begin_add(debug->dwfl);
    Dwfl_Module *module = debug->dw.dwfl_report_offline(debug->dwfl, path, path, -1);
    return debug->dw.dwfl_report_end(debug->dwfl, NULL, NULL) == 0 && module;
}

/* Creates the class of handles, unless it exists. */
static void make_class(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"find", l_find}, {"type", l_type}, {"variables", l_variables}, {"close", l_close}, {NULL, NULL}};
    if (luaL_newmetatable(L, DEBUG)) {
        luaL_newlib(L, methods);
        lua_setfield(L, -2, "__index");
        accd__set_function(L, "__gc", l_close);
        accd__set_function(L, "__close", l_close);
    }
    lua_pop(L, 1);
}

/* core.debug([path]) -> handle; or nil, reason. path: a file; nil: this process. */
static int l_debug(lua_State *L)
{
    const char *path = luaL_optstring(L, 1, NULL);
    struct accd__lua_debug *debug = lua_newuserdatauv(L, sizeof *debug, 1);
    *debug = (struct accd__lua_debug){.dwfl = NULL};
    luaL_setmetatable(L, DEBUG);
    lua_newtable(L);
    lua_setiuservalue(L, -2, 1);
    if (!accd__dw_load(&debug->dw)) {
        lua_pushnil(L);
        lua_pushliteral(L, "libdw.so.1, which reads debug information, is not there");
        return 2;
    }
    debug->dwfl = accd__dw_new_session(&debug->dw);
    if (debug->dwfl && add_files(debug, path))
        return 1;
    lua_pushnil(L);
    lua_pushstring(L, debug->dw.dwfl_errmsg(-1));
    return 2;
}

#else

static void make_class(lua_State *L)
{
    (void)L;
}

static int l_debug(lua_State *L)
{
    lua_pushnil(L);
    lua_pushliteral(L, "this accdeep was built without libdw, which reads debug information");
    return 2;
}

#endif

/* Adds core.debug to the module, which without libdw always returns nil and a reason. */
void accd__open_debug(lua_State *L)
{
    make_class(L);
    accd__set_function(L, "debug", l_debug);
}
