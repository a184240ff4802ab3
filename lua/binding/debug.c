/* debug.c - types in the debug information of programs: the handle, and finding types by name.
 *
 * core.debug(path) -> a handle, or nil and why not; path nil: this process. Nothing of the files is
 * kept in Lua but what is asked for. Files may be damaged: what libdw cannot read is not there. */
#include "binding.h"

#ifdef HAVE_LIBDW
#include "debug.h"

#include <stdlib.h>
#include <string.h>

#define DEBUG "accdeep.debug"

/* Deeper nesting of scopes is no program's, but that of a broken file. */
enum { NESTING_MOST = 64, NAME_MOST = 4096 };

bool debug_first(const struct debug *debug, Dwarf_Die *parent, Dwarf_Die *child_p)
{
    return debug->dw.dwarf_child(parent, child_p) == 0;
}

bool debug_next(const struct debug *debug, Dwarf_Die *die)
{
    return debug->dw.dwarf_siblingof(die, die) == 0;
}

bool debug_flag(const struct debug *debug, Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    bool is_set = false;
    return debug->dw.dwarf_attr(die, name, &attribute) &&
           debug->dw.dwarf_formflag(&attribute, &is_set) == 0 && is_set;
}

bool debug_refers(const struct debug *debug, Dwarf_Die *die, unsigned name, Dwarf_Die *to)
{
    Dwarf_Attribute attribute;
    return debug->dw.dwarf_attr(die, name, &attribute) &&
           debug->dw.dwarf_formref_die(&attribute, to);
}

/* ------------------------------------------------------------------------------------- walks -- */

/* A walk over the types of a unit. Those that are looked for have a name that is base up to its
 * template arguments, or differs by so many letters at most; without a base all are. */
struct walk {
    lua_State *L;
    struct debug *debug;
    int names;   /* index of the handle's table of names */
    int results; /* index of a list that gets what is looked for; 0: only names are wanted */
    const char *base;
    const char *around; /* base names of the scopes, each behind a ':'; NULL: whatever */
    size_t length, slack;
    bool everywhere, is_fortran;
    char name[NAME_MOST]; /* of the scope under way, with :: behind it */
};

static size_t base_length(const char *name)
{
    const char *end = strchr(name, '<');
    return end && end != name ? (size_t)(end - name) : strlen(name);
}

static bool is_wanted(const struct walk *walk, const char *name)
{
    if (!walk->base)
        return true;
    size_t length = base_length(name);
    size_t distance = length > walk->length ? length - walk->length : walk->length - length;
    return walk->slack ? distance <= walk->slack : !distance && !strncmp(name, walk->base, length);
}

/* Whether a class may hold what is looked for: it is named in it, or all types are wanted. */
static bool may_hold(const struct walk *walk, const char *name)
{
    if (!walk->results || walk->everywhere)
        return true;
    if (!walk->around || !name)
        return false;
    size_t length = base_length(name);
    const char *at = walk->around;
    while ((at = strchr(at, ':'))) {
        at++;
        if (!strncmp(at, name, length) && (at[length] == ':' || !at[length]))
            return true;
    }
    return false;
}

/* Pushes what a type is called in the scope under way. One that is defined outside of the scope
 * that declares it is called as it was declared. */
static void push_in_scope(struct walk *walk, Dwarf_Die *die, const char *name, size_t scope)
{
    lua_State *L = walk->L;
    Dwarf_Die declared;
    if (debug_refers(walk->debug, die, DW_AT_specification, &declared)) {
        if (lua_rawgetp(L, walk->names, declared.addr) == LUA_TSTRING)
            return;
        lua_pop(L, 1);
    }
    lua_pushlstring(L, walk->name, scope);
    lua_pushstring(L, name);
    lua_concat(L, 2);
}

/* Pushes where a type is declared, "file.c:12", or nil. (dwarf_decl_file would end the process
 * where a unit's files cannot be read.) */
static void push_place(lua_State *L, const struct debug *debug, Dwarf_Die *die)
{
    const struct accd_dw *dw = &debug->dw;
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    Dwarf_Files *files;
    Dwarf_Word number, line;
    size_t nfiles;
    const char *file = NULL;
    if (dw->dwarf_formudata(dw->dwarf_attr(die, DW_AT_decl_line, &attribute), &line) == 0 &&
        dw->dwarf_formudata(dw->dwarf_attr(die, DW_AT_decl_file, &attribute), &number) == 0 &&
        dw->dwarf_diecu(die, &unit, NULL, NULL) &&
        dw->dwarf_getsrcfiles(&unit, &files, &nfiles) == 0 && number < nfiles)
        file = dw->dwarf_filesrc(files, number, NULL, NULL);
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (file)
        lua_pushfstring(L, "%s:%d", slash ? slash + 1 : file, (int)line);
    else
        lua_pushnil(L);
}

static void add_result(struct walk *walk, Dwarf_Die *die)
{
    lua_State *L = walk->L; /* the name is on the stack, and stays */
    struct debug *debug = walk->debug;
    if (debug->nfound == debug->room) {
        size_t room = debug->room ? 2 * debug->room : 64;
        Dwarf_Die *more = realloc(debug->found, room * sizeof *more);
        if (!more)
            luaL_error(L, "not enough memory");
        debug->found = more;
        debug->room = room;
    }
    debug->found[debug->nfound++] = *die;
    lua_createtable(L, 0, 7);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "name");
    lua_pushinteger(L, (lua_Integer)debug->nfound);
    lua_setfield(L, -2, "number");
    const char *kind = "struct";
    switch (debug->dw.dwarf_tag(die)) {
    case DW_TAG_union_type:
        kind = "union";
        break;
    case DW_TAG_enumeration_type:
        kind = "enum";
        break;
    case DW_TAG_typedef:
        kind = "typedef";
        break;
    default:
        break;
    }
    lua_pushstring(L, kind);
    lua_setfield(L, -2, "kind");
    lua_pushboolean(L, debug_flag(debug, die, DW_AT_declaration));
    lua_setfield(L, -2, "declaration");
    lua_pushboolean(L, walk->is_fortran);
    lua_setfield(L, -2, "fortran");
    lua_pushinteger(L, debug->dw.dwarf_bytesize(die));
    lua_setfield(L, -2, "size");
    push_place(L, debug, die);
    lua_setfield(L, -2, "at");
    lua_rawseti(L, walk->results, (lua_Integer)lua_rawlen(L, walk->results) + 1);
}

static void visit_type(struct walk *walk, Dwarf_Die *die, const char *name, size_t scope)
{
    lua_State *L = walk->L;
    push_in_scope(walk, die, name, scope);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, walk->names, die->addr);
    if (walk->results)
        add_result(walk, die);
    lua_pop(L, 1);
}

static bool is_type(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_enumeration_type || tag == DW_TAG_typedef;
}

static bool is_scope(const struct walk *walk, int tag, const char *name)
{
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
        return true;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        return may_hold(walk, name);
    case DW_TAG_subprogram: /* types of a Fortran program stand in one */
    case DW_TAG_lexical_block:
        return walk->everywhere || walk->is_fortran;
    default:
        return false;
    }
}

/* Functions and what has no name do not show in the names of what is inside. */
static size_t enter_scope(struct walk *walk, int tag, const char *name, size_t scope)
{
    size_t length = name ? strlen(name) : 0;
    if (!length || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
        scope + length + 2 >= NAME_MOST)
        return scope;
    memcpy(walk->name + scope, name, length);
    memcpy(walk->name + scope + length, "::", 2);
    return scope + length + 2;
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, size_t scope, unsigned nesting)
{
    struct debug *debug = walk->debug;
    Dwarf_Die child;
    if (nesting > NESTING_MOST || !debug_first(debug, parent, &child))
        return;
    do {
        int tag = debug->dw.dwarf_tag(&child);
        bool may_be = is_type(tag);
        if (!may_be && !is_scope(walk, tag, NULL) && tag != DW_TAG_subprogram)
            continue;
        const char *name = debug->dw.dwarf_diename(&child);
        if (may_be && name && is_wanted(walk, name))
            visit_type(walk, &child, name, scope);
        if (is_scope(walk, tag, name))
            walk_children(walk, &child, enter_scope(walk, tag, name, scope), nesting + 1);
    } while (debug_next(debug, &child));
}

static void walk_unit(struct walk *walk, Dwarf_Die *unit)
{
    walk->is_fortran = accd_dw_is_fortran(&walk->debug->dw, unit);
    walk_children(walk, unit, 0, 0);
}

void debug_push_name(lua_State *L, struct debug *debug, int names, Dwarf_Die *die)
{
    Dwarf_Die unit;
    if (!debug->dw.dwarf_diename(die)) {
        lua_pushnil(L);
        return;
    }
    if (lua_rawgetp(L, names, die->addr) == LUA_TSTRING ||
        !debug->dw.dwarf_diecu(die, &unit, NULL, NULL))
        return;
    lua_pop(L, 1);
    luaL_checkstack(L, 10, NULL);
    if (lua_rawgetp(L, names, unit.addr) == LUA_TNIL) { /* the unit was not walked as a whole */
        struct walk *walk = lua_newuserdatauv(L, sizeof *walk, 0);
        *walk = (struct walk){.L = L, .debug = debug, .names = names, .everywhere = true};
        walk_unit(walk, &unit);
        lua_pop(L, 1);
        lua_pushboolean(L, true);
        lua_rawsetp(L, names, unit.addr);
    }
    lua_pop(L, 1);
    if (lua_rawgetp(L, names, die->addr) != LUA_TSTRING) { /* where no scope of the unit leads */
        lua_pop(L, 1);
        lua_pushstring(L, debug->dw.dwarf_diename(die));
    }
}

/* ----------------------------------------------------------------------------------- handles -- */

static struct debug *check_debug(lua_State *L)
{
    struct debug *debug = luaL_checkudata(L, 1, DEBUG);
    luaL_argcheck(L, debug->dwfl, 1, "closed");
    return debug;
}

static int l_close(lua_State *L)
{
    struct debug *debug = luaL_checkudata(L, 1, DEBUG);
    if (debug->dwfl)
        debug->dw.dwfl_end(debug->dwfl);
    debug->dwfl = NULL;
    accd_dw_unload(&debug->dw);
    free(debug->found);
    debug->found = NULL;
    debug->nfound = debug->room = 0;
    return 0;
}

static void walk_dwarf(struct walk *walk, Dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, split;
    uint8_t kind;
    while (walk->debug->dw.dwarf_get_units(dwarf, unit, &unit, NULL, &kind, &die, &split) == 0) {
        Dwarf_Die *root = kind == DW_UT_skeleton && split.addr ? &split : &die;
        if (root->addr) /* else the unit is damaged */
            walk_unit(walk, root);
    }
}

/* One module at a time: what Lua may raise does not pass through libdw. */
static int take_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                       void *arg)
{
    (void)data, (void)name, (void)base;
    *(Dwfl_Module **)arg = module;
    return DWARF_CB_ABORT;
}

/* Files come in the order in which they were loaded, the program first: the first one that has what
 * is looked for decides. Tells whether one, and whether the first one, has debug information. */
static void walk_files(struct walk *walk, bool *any_p, bool *first_p)
{
    const struct debug *debug = walk->debug;
    Dwfl_Module *module;
    Dwarf_Addr bias;
    ptrdiff_t at = 0;
    *any_p = *first_p = false;
    for (bool is_first = true;
         (at = debug->dw.dwfl_getmodules(debug->dwfl, take_module, &module, at)) > 0;
         is_first = false) {
        Dwarf *dwarf = debug->dw.dwfl_module_getdwarf(module, &bias);
        if (!dwarf)
            continue;
        *any_p = true;
        *first_p |= is_first;
        walk_dwarf(walk, dwarf);
        Dwarf *shared = debug->dw.dwarf_getalt(dwarf); /* what several files have in common */
        if (shared)
            walk_dwarf(walk, shared);
        if (!walk->slack && lua_rawlen(walk->L, walk->results) > 0)
            break;
    }
}

/* debug:find(base, around, slack, everywhere) -> list of {name, number, kind, size,
 * declaration, fortran, at}, whether there is any debug information, and whether the program itself
 * has some. base nil: all types. around: base names of the scopes that may be classes,
 * ":outer:inner", or nil. slack: letters by which names may be longer or shorter; any name then
 * fits that has such a length. everywhere: inside functions and all classes, too. */
static int l_find(lua_State *L)
{
    struct debug *debug = check_debug(L);
    const char *base = luaL_optstring(L, 2, NULL), *around = luaL_optstring(L, 3, NULL);
    lua_Integer slack = luaL_optinteger(L, 4, 0);
    lua_settop(L, 5);
    lua_getiuservalue(L, 1, 1);
    lua_newtable(L);
    struct walk *walk = lua_newuserdatauv(L, sizeof *walk, 0);
    *walk = (struct walk){.L = L,
                          .debug = debug,
                          .names = 6,
                          .results = 7,
                          .base = base,
                          .around = around,
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

/* debug:type(number) -> the type that find gave this number; see debug_type.c. */
static int l_type(lua_State *L)
{
    struct debug *debug = check_debug(L);
    lua_Integer number = luaL_checkinteger(L, 2);
    luaL_argcheck(L, number >= 1 && (size_t)number <= debug->nfound, 2, "no such type");
    lua_settop(L, 2);
    lua_getiuservalue(L, 1, 1);
    debug_push_type(L, debug, 3, &debug->found[number - 1]);
    return 1;
}

static bool report(struct debug *debug, const char *path)
{
    unsigned long long loads;
    if (!path)
        return accd_dw_list_files(&debug->dw, debug->dwfl, &loads);
    debug->dw.dwfl_report_begin_add(debug->dwfl);
    Dwfl_Module *module = debug->dw.dwfl_report_offline(debug->dwfl, path, path, -1);
    return debug->dw.dwfl_report_end(debug->dwfl, NULL, NULL) == 0 && module;
}

static void make_class(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"find", l_find}, {"type", l_type}, {"close", l_close}, {NULL, NULL}};
    if (luaL_newmetatable(L, DEBUG)) {
        luaL_newlib(L, methods);
        lua_setfield(L, -2, "__index");
        lua_pushcfunction(L, l_close);
        lua_setfield(L, -2, "__gc");
        lua_pushcfunction(L, l_close);
        lua_setfield(L, -2, "__close");
    }
    lua_pop(L, 1);
}

static int l_debug(lua_State *L)
{
    const char *path = luaL_optstring(L, 1, NULL);
    struct debug *debug = lua_newuserdatauv(L, sizeof *debug, 1);
    *debug = (struct debug){.dwfl = NULL};
    luaL_setmetatable(L, DEBUG);
    lua_newtable(L);
    lua_setiuservalue(L, -2, 1);
    if (!accd_dw_load(&debug->dw)) {
        lua_pushnil(L);
        lua_pushliteral(L, "libdw.so.1, which reads debug information, is not there");
        return 2;
    }
    debug->dwfl = accd_dw_begin(&debug->dw);
    if (debug->dwfl && report(debug, path))
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

void open_debug(lua_State *L)
{
    make_class(L);
    lua_pushcfunction(L, l_debug);
    lua_setfield(L, -2, "debug");
}
