/* program.h - accdeep.system, the Lua module of the program's own services: terminals, files, processes, line
 * editing. The library libaccdeep and the module accdeep.core work without this module. */
#ifndef ACCD_PROGRAM_H
#define ACCD_PROGRAM_H

#include <lua.h>

/* Pushes the module accdeep.system. */
int luaopen_accdeep_system(lua_State *L);
/* Adds the functions of edit.c to the module on top of the stack. */
void accd__open_edit(lua_State *L);
/* Adds the functions of supervise.c to the module on top of the stack. */
void accd__open_supervise(lua_State *L);
/* Ends the supervisor, the process that system.supervise has started to watch the program. To be called if exec has
 * failed, so that this process will not become the program. Does nothing if there is no supervisor. */
void accd__end_supervision(void);

#endif
