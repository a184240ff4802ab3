/* debug.h - what the parts of debug.c share: the files of a session with libdw, what their types
 * are called, and reading types. */
#ifndef ACCD_BINDING_DEBUG_H
#define ACCD_BINDING_DEBUG_H

#include "binding.h"
#include "debuginfo/dw.h"

/* A handle of Lua's. Its user value 1 is a table: address of a type's entry -> its name with the
 * scopes around it, for types of the units that were walked. */
struct debug {
    struct accd_dw dw;
    Dwfl *dwfl;
    Dwarf_Die *found; /* what find gave out, by number */
    size_t nfound, room;
};

/* The first child, then the next sibling; whether there is one. */
bool debug_first(const struct debug *debug, Dwarf_Die *parent, Dwarf_Die *child_p);
bool debug_next(const struct debug *debug, Dwarf_Die *die);
bool debug_flag(const struct debug *debug, Dwarf_Die *die, unsigned name);
bool debug_refers(const struct debug *debug, Dwarf_Die *die, unsigned name, Dwarf_Die *to);

/* Pushes the name of a type with the scopes around it, or nil. names: index of the handle's
 * table. */
void debug_push_name(lua_State *L, struct debug *debug, int names, Dwarf_Die *die);

/* Pushes the type at an entry and all that it leads to; see debug_type.c. */
void debug_push_type(lua_State *L, struct debug *debug, int names, const Dwarf_Die *die);

#endif
