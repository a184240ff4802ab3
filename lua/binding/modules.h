/* modules.h - Lua modules inside the program, or the library. */
#ifndef ACCD_MODULES_H
#define ACCD_MODULES_H

#include <lua.h>
#include <stddef.h>

int luaopen_lpeg(lua_State *L); /* of LPeg itself, or lua/lpeg.c */

struct embedded_module {
    const char *name;
    const unsigned char *code;
    size_t bytes;
};

extern const struct embedded_module embedded_places;           /* accdeep.rules.places */
extern const struct embedded_module *const embedded_modules[]; /* ends with NULL */

/* Pushes the module's chunk; raises where memory ends. */
void embedded_push(lua_State *L, const struct embedded_module *module);

#endif
