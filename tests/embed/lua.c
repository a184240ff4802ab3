/* A Lua state of the program's own: it is used, keeps its globals, and stays open. */
#include "support.h"

#include <lauxlib.h>
#include <lualib.h>

static float v[4] = {1, 2, 3, 4};

/* A number for all that a table of globals holds. */
static lua_Integer count(lua_State *L)
{
    lua_Integer n = 0;
    lua_pushglobaltable(L);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        n++;
    lua_pop(L, 1);
    return n;
}

static void use(lua_State *L)
{
    accd_session *a = NULL, *b = NULL;
    lua_Integer before = count(L);
    int top = lua_gettop(L);
    if (!ok(accd_session_new(&a, &(accd_session_config){.L = L}) == ACCD_OK, "a session in a state of ours"))
        printf("# %s\n", accd_last_error_message(a));
    ok(accd_session_new(&b, &(accd_session_config){.L = L}) == ACCD_OK, "and another");
    fine(a, accd_bind(a, "v", "float[4]", &v));
    fine(a, accd_run_directive(a, "acc enter data copyin(v)"));
    refuses(b, accd_run_directive(b, "acc enter data copyin(v)"), ACCD_ERROR_INVALID, "unknown-name", "there is");
    ok(accd_deviceptr(a, v) && !accd_deviceptr(b, v), "they have nothing in common");
    accd_session_free(a);
    refuses(b, accd_run_directive(b, "acc enter"), ACCD_ERROR_SYNTAX, "syntax", "");
    accd_session_free(b);
    ok(count(L) == before && lua_gettop(L) == top, "globals and stack are as they were");
    lua_gc(L, LUA_GCCOLLECT);
}

static int fails_to_open(lua_State *L, accd_session_config config, accd_status status)
{
    accd_session *a;
    config.L = L;
    int good = accd_session_new(&a, &config) == status;
    accd_session_free(a);
    return good;
}

int main(void)
{
    lua_State *L = luaL_newstate();
    use(L); /* with nothing in it */
    luaL_openlibs(L);
    use(L);
    ok(!luaL_dostring(L, "string = nil; table.insert = nil; require = error; pairs, pcall = nil"),
       "a state whose owner has changed everything");
    use(L);
    ok(!luaL_dostring(L, "return ('x'):rep(3) == 'xxx' and package.loaded['accdeep.embed'] == nil") &&
           lua_toboolean(L, -1),
       "it is as its owner left it");
    lua_pop(L, 1);
    ok(fails_to_open(L, (accd_session_config){.max_memory = 1 << 20}, ACCD_ERROR_MISUSE), "its memory is not counted");
    ok(fails_to_open(L, (accd_session_config){.rules = "none"}, ACCD_ERROR_INVALID),
       "what is wrong is told as elsewhere");
    lua_close(L);

    L = luaL_newstate();
    luaL_newmetatable(L, "accdeep.context");
    ok(fails_to_open(L, (accd_session_config){0}, ACCD_ERROR_MISUSE), "another copy of accdeep is not mixed with");
    lua_close(L);
    return done();
}
