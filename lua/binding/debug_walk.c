/* debug_walk.c - finds types of a unit by name, and names types with their enclosing scopes. */
#ifdef HAVE_LIBDW
#include "debug.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Limit of nested scopes, below which nothing is searched; only a damaged file has deeper ones. */
enum { NESTING_MOST = 64 };

/* ------------------------------------------------------------------------------------ handle -- */

/* Appends a copy of an entry to debug->found, and returns the copy's number, from 1. Raises without memory. */
lua_Integer accd__debug_keep_entry(lua_State *L, struct accd__lua_debug *debug, const Dwarf_Die *die)
{
    assert(debug->nfound <= debug->capacity);
    if (debug->nfound == debug->capacity) {
        size_t capacity = debug->capacity ? 2 * debug->capacity : 64;
        Dwarf_Die *more = realloc(debug->found, capacity * sizeof *more);
        if (!more)
            luaL_error(L, "not enough memory");
        debug->found = more;
        debug->capacity = capacity;
    }
    debug->found[debug->nfound++] = *die;
    return (lua_Integer)debug->nfound;
}

/* Callback of dwfl_getmodules: stores the module in *module_p, and stops after it, so that errors that Lua raises later
 * do not pass through libdw. */
int accd__debug_take_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, void *module_p)
{
    (void)data, (void)name, (void)base;
    *(Dwfl_Module **)module_p = module;
    return DWARF_CB_ABORT;
}

/* ------------------------------------------------------------------------------------- walks -- */

/* Returns the length of a name without template arguments: up to the first '<', unless the name begins with '<'. */
static size_t get_base_length(const char *name)
{
    const char *end = strchr(name, '<');
    return end && end != name ? (size_t)(end - name) : strlen(name);
}

/* Returns true if the walk looks for types of this name: equal to `base` or, with `slack`, of a similar length. */
static bool is_wanted(const struct accd__debug_walk *walk, const char *name)
{
    if (!walk->base)
        return true;
    size_t length = get_base_length(name);
    size_t distance = length > walk->length ? length - walk->length : walk->length - length;
    return walk->slack ? distance <= walk->slack : !distance && !strncmp(name, walk->base, length);
}

/* Returns true if the class `name` must be searched, because `scopes` names it, all classes are searched, or all names
 * are recorded. */
static bool may_hold(const struct accd__debug_walk *walk, const char *name)
{
    if (!walk->results || walk->everywhere)
        return true;
    if (!walk->scopes || !name)
        return false;
    size_t length = get_base_length(name);
    const char *link = walk->scopes;
    while ((link = strchr(link, ':'))) {
        link++;
        if (!strncmp(link, name, length) && (link[length] == ':' || !link[length]))
            return true;
    }
    return false;
}

/* Pushes the name of a type after the first `scope` bytes of walk->name, its scope. A type that is defined outside of
 * the scope that declares it has the name of its declaration. */
static void push_scoped_name(struct accd__debug_walk *walk, Dwarf_Die *die, const char *name, size_t scope)
{
    assert(scope < DEBUG_NAME_MOST);
    lua_State *L = walk->L;
    Dwarf_Die declared;
    if (accd__dw_get_reference(&walk->debug->dw, die, DW_AT_specification, &declared)) {
        if (lua_rawgetp(L, walk->names, declared.addr) == LUA_TSTRING)
            return;
        lua_pop(L, 1);
    }
    lua_pushlstring(L, walk->name, scope);
    lua_pushstring(L, name);
    lua_concat(L, 2);
}

/* Pushes the place where a type is declared, such as "file.c:12"; nil if the place is not known. Does not use
 * dwarf_decl_file, because that function ends the process if a unit's files cannot be read. */
static void push_declaration_place(lua_State *L, const struct accd__lua_debug *debug, Dwarf_Die *die)
{
    const struct accd__dw *dw = &debug->dw;
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    Dwarf_Files *files;
    Dwarf_Word number, line;
    size_t nfiles;
    const char *file = NULL;
    if (dw->dwarf_formudata(dw->dwarf_attr(die, DW_AT_decl_line, &attribute), &line) == 0 &&
        dw->dwarf_formudata(dw->dwarf_attr(die, DW_AT_decl_file, &attribute), &number) == 0 &&
        dw->dwarf_diecu(die, &unit, NULL, NULL) && dw->dwarf_getsrcfiles(&unit, &files, &nfiles) == 0 &&
        number < nfiles)
        file = dw->dwarf_filesrc(files, number, NULL, NULL);
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (file)
        lua_pushfstring(L, "%s:%d", slash ? slash + 1 : file, (int)line);
    else
        lua_pushnil(L);
}

/* Appends the table of a type to the walk's results. The type's name is on top of the stack, and stays there. */
static void add_result(struct accd__debug_walk *walk, Dwarf_Die *die)
{
    lua_State *L = walk->L;
    struct accd__lua_debug *debug = walk->debug;
    const lua_Integer number = accd__debug_keep_entry(L, debug, die);
    lua_createtable(L, 0, 7);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "name");
    accd__set_integer(L, "number", number);
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
    accd__set_text(L, "kind", kind);
    accd__set_boolean(L, "declaration", accd__dw_get_flag(&debug->dw, die, DW_AT_declaration));
    accd__set_boolean(L, "fortran", walk->is_fortran);
    accd__set_integer(L, "size", debug->dw.dwarf_bytesize(die));
    push_declaration_place(L, debug, die);
    lua_setfield(L, -2, "at");
    lua_rawseti(L, walk->results, (lua_Integer)lua_rawlen(L, walk->results) + 1);
}

/* Records the name of a type in the table of names, and adds the type to the results, if the walk has any. scope:
 * length of its scope in walk->name. */
static void visit_type(struct accd__debug_walk *walk, Dwarf_Die *die, const char *name, size_t scope)
{
    lua_State *L = walk->L;
    push_scoped_name(walk, die, name, scope);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, walk->names, die->addr);
    if (walk->results)
        add_result(walk, die);
    lua_pop(L, 1);
}

/* Returns true for tags of structures, classes, unions, enumerations and typedefs. */
static bool is_type(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_enumeration_type || tag == DW_TAG_typedef;
}

/* Returns true if the walk searches for types within an entry with this tag and name; name NULL: a class is searched
 * only if all are. */
static bool is_scope(const struct accd__debug_walk *walk, int tag, const char *name)
{
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
        return true;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        return may_hold(walk, name);
    case DW_TAG_subprogram: /* procedures of Fortran are searched, because types are declared in them */
    case DW_TAG_lexical_block:
        return walk->everywhere || walk->is_fortran;
    default:
        return false;
    }
}

/* Appends a scope to walk->name, whose first `scope` bytes are used, and returns the new length. Functions, blocks,
 * scopes without a name, and names that do not fit leave walk->name and its length unchanged. */
static size_t enter_scope(struct accd__debug_walk *walk, int tag, const char *name, size_t scope)
{
    assert(scope < DEBUG_NAME_MOST);
    size_t length = name ? strlen(name) : 0;
    if (!length || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || scope + length + 2 >= DEBUG_NAME_MOST)
        return scope;
    memcpy(walk->name + scope, name, length);
    memcpy(walk->name + scope + length, "::", 2);
    return scope + length + 2;
}

/* Visits the wanted types among the children of an entry, and walks their scopes. scope: length of the present scope in
 * walk->name; nesting: depth of the entry. */
static void walk_children(struct accd__debug_walk *walk, Dwarf_Die *parent, size_t scope, unsigned nesting)
{
    struct accd__lua_debug *debug = walk->debug;
    Dwarf_Die child;
    if (nesting > NESTING_MOST || !accd__dw_first_child(&debug->dw, parent, &child))
        return;
    do {
        int tag = debug->dw.dwarf_tag(&child);
        bool is_type_tag = is_type(tag);
        if (!is_type_tag && !is_scope(walk, tag, NULL) && tag != DW_TAG_subprogram)
            continue;
        const char *name = debug->dw.dwarf_diename(&child);
        if (is_type_tag && name && is_wanted(walk, name))
            visit_type(walk, &child, name, scope);
        if (is_scope(walk, tag, name))
            walk_children(walk, &child, enter_scope(walk, tag, name, scope), nesting + 1);
    } while (accd__dw_next_sibling(&debug->dw, &child));
}

/* Visits all types of a unit that the walk looks for: records their names, and adds them to the results, if any. */
void accd__debug_walk_unit(struct accd__debug_walk *walk, Dwarf_Die *unit)
{
    assert(walk->L && walk->debug && unit->addr);
    walk->is_fortran = accd__dw_is_fortran(&walk->debug->dw, unit);
    walk_children(walk, unit, 0, 0);
}

/* Pushes the name of a type with its scopes, from the table of names; first walks the whole unit if necessary. Pushes
 * nil for a type without a name, or whose unit cannot be read. */
void accd__debug_push_name(lua_State *L, struct accd__lua_debug *debug, int names, Dwarf_Die *die)
{
    Dwarf_Die unit;
    if (!debug->dw.dwarf_diename(die)) {
        lua_pushnil(L);
        return;
    }
    if (lua_rawgetp(L, names, die->addr) == LUA_TSTRING || !debug->dw.dwarf_diecu(die, &unit, NULL, NULL))
        return;
    lua_pop(L, 1);
    luaL_checkstack(L, 10, NULL);
    if (lua_rawgetp(L, names, unit.addr) == LUA_TNIL) { /* the unit was not walked as a whole, so walks it now */
        struct accd__debug_walk *walk = lua_newuserdatauv(L, sizeof *walk, 0);
        *walk = (struct accd__debug_walk){.L = L, .debug = debug, .names = names, .everywhere = true};
        accd__debug_walk_unit(walk, &unit);
        lua_pop(L, 1);
        lua_pushboolean(L, true);
        lua_rawsetp(L, names, unit.addr);
    }
    lua_pop(L, 1);
    if (lua_rawgetp(L, names, die->addr) != LUA_TSTRING) { /* the walk did not find the type: its name gets no scopes */
        lua_pop(L, 1);
        lua_pushstring(L, debug->dw.dwarf_diename(die));
    }
}

#endif
