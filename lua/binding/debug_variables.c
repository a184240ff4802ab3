/* debug_variables.c - finds variables and parameters of a program by the beginning of their names, with the scopes that
 * they are declared in. */
#ifdef HAVE_LIBDW
#include "debug.h"

#include <assert.h>
#include <string.h>

/* Limit of nested scopes; only a damaged file has deeper ones. */
enum { NESTING_MOST = 64 };

/* Walk over the scopes of a file. */
struct walk {
    lua_State *L;       /* stack: list of variables on top; below, the list of the enclosing scope of each scope */
    lua_Integer scopes; /* number of scopes so far */
    struct accd__lua_debug *debug;
    const char *prefix;
    size_t length;
};

/* Appends a variable in scope number `scope` to the list on top of the stack, if its name begins with the prefix and it
 * has a type. */
static void add_variable(struct walk *walk, Dwarf_Die *die, lua_Integer scope)
{
    lua_State *L = walk->L;
    const char *name = walk->debug->dw.dwarf_diename(die);
    Dwarf_Die type;
    uint64_t line;
    if (!name || strncmp(name, walk->prefix, walk->length) != 0 ||
        !accd__dw_get_reference(&walk->debug->dw, die, DW_AT_type, &type))
        return;
    lua_createtable(L, 0, 4);
    accd__set_text(L, "name", name);
    if (accd__dw_get_number(&walk->debug->dw, die, DW_AT_decl_line, &line))
        accd__set_integer(L, "line", (lua_Integer)line);
    accd__set_integer(L, "scope", scope);
    accd__set_integer(L, "number", accd__debug_keep_entry(L, walk->debug, &type));
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

/* Numbers a scope, whose enclosing scope has the number `enclosing`, adds its variables, and visits the scopes within
 * it. nesting: depth of the scope. */
static void visit_scope(struct walk *walk, Dwarf_Die *parent, unsigned nesting, lua_Integer enclosing)
{
    Dwarf_Die child;
    lua_Integer scope = ++walk->scopes;
    lua_pushinteger(walk->L, enclosing);
    lua_rawseti(walk->L, -3, scope);
    bool more = nesting < NESTING_MOST && accd__dw_first_child(&walk->debug->dw, parent, &child);
    for (; more; more = accd__dw_next_sibling(&walk->debug->dw, &child))
        switch (walk->debug->dw.dwarf_tag(&child)) {
        case DW_TAG_variable:
        case DW_TAG_formal_parameter:
            add_variable(walk, &child, scope);
            break;
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
            visit_scope(walk, &child, nesting + 1, scope);
            break;
        default:
            break;
        }
}

/* Pushes the list of variables {name, line, scope, number} whose names begin with `prefix`. Then pushes a list that
 * gives the number of the enclosing scope of each scope, 0 for a unit. Searches only the first file of `debug`. */
void accd__debug_push_variables(lua_State *L, struct accd__lua_debug *debug, const char *prefix)
{
    assert(debug->dwfl && prefix);
    struct walk walk = {L, 0, debug, prefix, strlen(prefix)};
    Dwfl_Module *module = NULL;
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;
    lua_newtable(L);
    lua_newtable(L);
    luaL_checkstack(L, 8, NULL);
    debug->dw.dwfl_getmodules(debug->dwfl, accd__debug_take_module, &module, 0);
    if (module)
        while ((unit = debug->dw.dwfl_module_nextcu(module, unit, &bias)))
            visit_scope(&walk, unit, 0, 0);
    lua_insert(L, -2);
}

#endif
