/* debug.h - what the parts of debug.c share: the files of a session with libdw, what their types
 * are called, and reading types. */
#ifndef ACCD_BINDING_DEBUG_H
#define ACCD_BINDING_DEBUG_H

#include "binding.h"
#include "debuginfo/dw.h"

/* A handle of Lua's. Its user value 1 is a table: address of a type's entry -> its name with the
 * scopes around it, for types of the units that were walked. */
struct accd__lua_debug {
    struct accd__dw dw;
    Dwfl *dwfl;
    Dwarf_Die *found; /* what find gave out, by number */
    size_t nfound, room;
};

enum { DEBUG_NAME_MOST = 4096 };

/* A walk over the types of a unit. Those that are looked for have a name that is base up to its
 * template arguments, or differs by so many letters at most; without a base all are. */
struct accd__debug_walk {
    lua_State *L;
    struct accd__lua_debug *debug;
    int names;   /* index of the handle's table of names */
    int results; /* index of a list that gets what is looked for; 0: only names are wanted */
    const char *base;
    const char *around; /* base names of the scopes, each behind a ':'; NULL: whatever */
    size_t length, slack;
    bool everywhere, is_fortran;
    char name[DEBUG_NAME_MOST]; /* of the scope under way, with :: behind it */
};
void accd__debug_walk_unit(struct accd__debug_walk *walk, Dwarf_Die *unit);

/* Keeps an entry for debug:type; its number. Raises if there is no memory. */
lua_Integer accd__debug_keep_entry(lua_State *L, struct accd__lua_debug *debug, const Dwarf_Die *die);

/* For dwfl_getmodules: one module at a time. */
int accd__debug_take_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, void *module_p);

/* Pushes a list of {name, line, scope, number}: the variables of the first file whose names begin so, and the numbers
 * of their types; and the scopes around scopes. */
void accd__debug_push_variables(lua_State *L, struct accd__lua_debug *debug, const char *prefix);

/* Pushes the name of a type with the scopes around it, or nil. names: index of the handle's
 * table. */
void accd__debug_push_name(lua_State *L, struct accd__lua_debug *debug, int names, Dwarf_Die *die);

/* Pushes the type at an entry and all types that it refers to; see debug_type.c. */
void accd__debug_push_type(lua_State *L, struct accd__lua_debug *debug, int names, const Dwarf_Die *die);

#endif
