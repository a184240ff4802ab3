/* modules.h - Lua modules that are embedded in the program or the library, as bytecode. */
#ifndef ACCD_MODULES_H
#define ACCD_MODULES_H

#include <lua.h>
#include <stddef.h>

/* Opens LPeg, pushes its module and returns 1. LPeg is the C library, or its replacement lua/lpeg.c. */
int luaopen_lpeg(lua_State *L);

/* Module: name, and bytecode of the chunk. */
struct embedded_module {
    const char *name;
    const unsigned char *code;
    size_t bytes;
};

extern const struct embedded_module embedded_places;           /* accdeep.rules.places: source lines of each rule */
extern const struct embedded_module *const embedded_modules[]; /* ends with NULL */

/* Pushes the loaded chunk of `module`, a function. Raises if memory runs out. */
void embedded_push(lua_State *L, const struct embedded_module *module);

#endif
