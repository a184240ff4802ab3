/* objects.c - names that directives can use: declares types, binds objects and functions of the host program. */
#include "embed.h"

#include <lauxlib.h>

#include <assert.h>

/* Call of a method of the Lua session, whose arguments are the texts, file and line, and the numbers, in this order. */
struct library_request {
    accd_session *a;
    const char *method;
    const char *texts[2]; /* list of texts; the first NULL ends it */
    const char *file;
    int line, nnumbers;
    uint64_t numbers[2];
};

/* Lua function (struct library_request): calls the method. Raises if the method does. */
static int call_library(lua_State *L)
{
    const struct library_request *request = lua_touserdata(L, 1);
    assert(request->nnumbers >= 0 && request->nnumbers <= 2);
    accd__push_method(L, request->a, request->method);
    int before = lua_gettop(L) - 1;
    for (int i = 0; i < 2 && request->texts[i]; i++)
        lua_pushstring(L, request->texts[i]);
    accd__push_location(L, request->file, request->line);
    for (int i = 0; i < request->nnumbers; i++)
        lua_pushinteger(L, (lua_Integer)request->numbers[i]);
    lua_call(L, lua_gettop(L) - before, 0);
    return 0;
}

/* Executes a request that changes names or types, ends the public call, and returns the call's status. On success
 * prepared directives become stale, so that their next run plans them again. */
static accd_status call_changing(struct library_request request)
{
    accd_status status = accd__call_protected(request.a, call_library, &request);
    if (status == ACCD_OK)
        request.a->generation++;
    return accd__end_call(request.a, status);
}

/* Declares types and constants given as text. */
accd_status accd_declare_loc(accd_session *a, const char *text, const char *file, int line)
{
    accd_status status = accd__begin_call(a, ACCD_HERE, text);
    if (status != ACCD_OK)
        return status;
    return call_changing((struct library_request){a, "declare", {text}, file, line, 0, {0}});
}

/* Declares types and constants, without a known location. */
accd_status(accd_declare)(accd_session *a, const char *text)
{
    return accd_declare_loc(a, text, NULL, 0);
}

/* Declares a type from the debug information of a program; program = NULL: this process. */
accd_status accd_declare_from_debug_info_loc(accd_session *a, const char *program, const char *type, const char *file,
                                             int line)
{
    accd_status status = accd__begin_call(a, ACCD_HERE, type);
    if (status != ACCD_OK)
        return status;
    return call_changing(
        (struct library_request){a, "declare_from", {type, program ? program : ""}, file, line, 0, {0}});
}

/* Declares a type from debug information, without a known location. */
accd_status(accd_declare_from_debug_info)(accd_session *a, const char *program, const char *type)
{
    return accd_declare_from_debug_info_loc(a, program, type, NULL, 0);
}

/* Binds a name to an object of the program. */
accd_status accd_bind_sized(accd_session *a, const char *name, const char *type, const void *object, size_t bytes,
                            const char *file, int line)
{
    accd_status status = accd__begin_call(a, ACCD_HERE, name && type && object);
    if (status != ACCD_OK)
        return status;
    return call_changing((struct library_request){a, "bind", {name, type}, file, line, 2, {(uintptr_t)object, bytes}});
}

/* Removes a name that accd_bind_sized has bound. */
accd_status accd_unbind(accd_session *a, const char *name)
{
    accd_status status = accd__begin_call(a, ACCD_HERE, name);
    if (status != ACCD_OK)
        return status;
    return call_changing((struct library_request){a, "unbind", {name}, NULL, 0, 0, {0}});
}

/* Checks that offset and size of a member of a declared type are `offset` and `bytes`; otherwise fails. Changes
 * nothing. */
accd_status accd_check_member(accd_session *a, const char *type, const char *member, size_t offset, size_t bytes,
                              const char *file, int line)
{
    accd_status status = accd__begin_call(a, ACCD_HERE, type && member);
    if (status != ACCD_OK)
        return status;
    struct library_request request = {a, "check_member", {type, member}, file, line, 2, {offset, bytes}};
    return accd__end_call(a, accd__call_protected(a, call_library, &request));
}

/* ---------------------------------------------------------------------------------- functions -- */

enum { ARGUMENTS_MOST = 8 };

/* Function of the program, and the first argument `ud` of its calls. */
struct function {
    accd_user_fn fn;
    void *ud;
};

/* Lua function (integers...) -> integer; or nil, and the error number that the program's function returned. Upvalue:
 * the struct function. Raises for more than 8 arguments, or other values. */
static int call_function(lua_State *L)
{
    const struct function *function = lua_touserdata(L, lua_upvalueindex(1));
    int64_t args[ARGUMENTS_MOST], result = 0;
    int n = lua_gettop(L);
    if (n > ARGUMENTS_MOST)
        return luaL_error(L, "a function takes at most %d arguments", ARGUMENTS_MOST);
    for (int i = 0; i < n; i++)
        args[i] = luaL_checkinteger(L, i + 1);
    int failed = function->fn(function->ud, n, args, &result);
    if (!failed) {
        lua_pushinteger(L, result);
        return 1;
    }
    lua_pushnil(L);
    lua_pushinteger(L, failed);
    return 2;
}

/* Arguments of add_function. */
struct function_request {
    accd_session *a;
    const char *name;
    struct function function;
};

/* Lua function (struct function_request): binds the function in the Lua session. Raises if the name exists. */
static int add_function(lua_State *L)
{
    const struct function_request *request = lua_touserdata(L, 1);
    accd__push_method(L, request->a, "func");
    lua_pushstring(L, request->name);
    struct function *function = lua_newuserdatauv(L, sizeof *function, 0);
    *function = request->function;
    lua_pushcclosure(L, call_function, 1);
    lua_call(L, 3, 0);
    return 0;
}

/* Makes a function of the program callable from directives. */
accd_status accd_bind_function(accd_session *a, const char *name, accd_user_fn fn, void *ud)
{
    accd_status status = accd__begin_call(a, ACCD_HERE, name && fn);
    if (status != ACCD_OK)
        return status;
    struct function_request request = {a, name, {fn, ud}};
    status = accd__call_protected(a, add_function, &request);
    if (status == ACCD_OK)
        a->generation++;
    return accd__end_call(a, status);
}
