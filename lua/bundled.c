/* bundled.c - loads a Lua module that lua/bundle.lua has made a part of the program. */
#include "modules.h"

#include <lauxlib.h>

/* Pushes the chunk of an embedded module, loaded from its bytecode. Raises if memory runs out. */
void embedded_push(lua_State *L, const struct embedded_module *module)
{
    if (luaL_loadbufferx(L, (const char *)module->code, module->bytes, module->name, "b"))
        lua_error(L);
}
