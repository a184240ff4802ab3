/* program.h - accdeep.system, the Lua module of what belongs to the program: the command line and what reads
 * lines. The core's module does without. */
#ifndef ACCD_PROGRAM_H
#define ACCD_PROGRAM_H

#include <lua.h>

int luaopen_accdeep_system(lua_State *L);
void accd__open_edit(lua_State *L); /* adds to the module on top of the stack */
void accd__open_supervise(lua_State *L);
/* After system.supervise, if this process does not become the program. */
void accd__end_supervision(void);

#endif
