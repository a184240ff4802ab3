/* debug.h - types in debug information for Lua: the handle of core.debug, the walk over the types of a unit, and the
 * functions that the files debug*.c share. */
#ifndef ACCD_BINDING_DEBUG_H
#define ACCD_BINDING_DEBUG_H

#include "binding.h"
#include "debuginfo/dw.h"

/* Handle of core.debug. Its user value 1 is a table of the names of types, with their enclosing scopes, by the address
 * of the type's entry (DIE). The table has the types of the units that were walked. */
struct accd__lua_debug {
    struct accd__dw dw;
    Dwfl *dwfl;
    Dwarf_Die *found; /* entries that were returned to Lua; entry n is found[n - 1] */
    size_t nfound, capacity;
};

enum { DEBUG_NAME_MOST = 4096 }; /* bytes of the name of nested scopes; scopes that do not fit are left out */

/* Walk over the types of a unit. The walk finds types whose name, up to its template arguments, is `base`. With
 * `slack`, it finds types whose name's length differs from that of `base` by at most `slack` letters instead. Without
 * `base`, all types are found. */
struct accd__debug_walk {
    lua_State *L;
    struct accd__lua_debug *debug;
    int names;   /* stack index of the handle's table of names */
    int results; /* stack index of the list of results; 0: only names are recorded */
    const char *base;
    const char *scopes;   /* base names of the classes to search, each after a ':'; NULL: no classes are searched */
    size_t length, slack; /* length of `base`; allowed difference from this length */
    bool everywhere, is_fortran; /* everywhere: functions and all classes are searched, too */
    char name[DEBUG_NAME_MOST];  /* names of the present scope and of those around it, each followed by :: */
};
/* Walks the types of `unit`: records their names, and adds the wanted types to the results. Raises without memory. */
void accd__debug_walk_unit(struct accd__debug_walk *walk, Dwarf_Die *unit);

/* Stores a copy of an entry in debug->found, for debug:type, and returns the entry's number, from 1. Raises without
 * memory. */
lua_Integer accd__debug_keep_entry(lua_State *L, struct accd__lua_debug *debug, const Dwarf_Die *die);

/* Callback of dwfl_getmodules: stores `module` in *module_p and stops the iteration. */
int accd__debug_take_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, void *module_p);

/* Pushes a list of {name, line, scope, number}, and a list that gives the enclosing scope of each scope (0: a unit).
 * The first list has the variables of the first file of `debug` whose names begin with `prefix`. `number` is the number
 * of the variable's type, for debug:type. Raises without memory. */
void accd__debug_push_variables(lua_State *L, struct accd__lua_debug *debug, const char *prefix);

/* Pushes the name of the type at entry `die`, with its enclosing scopes; nil for a type without a name. Walks the
 * type's unit first if the handle's table of names does not have the name. `names`: stack index of this table. */
void accd__debug_push_name(lua_State *L, struct accd__lua_debug *debug, int names, Dwarf_Die *die);

/* Pushes the table of the type at entry `die`, with all types that the type refers to, as debug_type.c describes; nil
 * for void. */
void accd__debug_push_type(lua_State *L, struct accd__lua_debug *debug, int names, const Dwarf_Die *die);

#endif
