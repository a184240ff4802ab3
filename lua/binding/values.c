/* values.c - conversions between Lua and C that all files of the module use: fields, code, errors; lists of handles. */
#include "binding.h"

#include <assert.h>

/* Returns the integer in a field; `otherwise` if the field is nil. Raises for other values. */
lua_Integer accd__get_integer(lua_State *L, int index, const char *key, lua_Integer otherwise)
{
    lua_Integer value = otherwise;
    if (lua_getfield(L, index, key) != LUA_TNIL)
        value = luaL_checkinteger(L, -1);
    lua_pop(L, 1);
    return value;
}

/* Returns true if a field is neither nil nor false. */
bool accd__get_boolean(lua_State *L, int index, const char *key)
{
    lua_getfield(L, index, key);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

/* Returns the address of the userdata in a field; NULL for other values. */
void *accd__get_pointer(lua_State *L, int index, const char *key)
{
    lua_getfield(L, index, key);
    void *value = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return value;
}

/* Returns the value at stack index `index`: an integer, or the integer in field `value` of a table, a symbol. Raises
 * for other values. */
lua_Integer accd__symbol_value(lua_State *L, int index)
{
    if (!lua_istable(L, index))
        return luaL_checkinteger(L, index);
    return accd__get_integer(L, index, "value", 0);
}

/* Sets a field of the table on top of the stack to an integer. */
void accd__set_integer(lua_State *L, const char *key, lua_Integer value)
{
    assert(lua_istable(L, -1) && key);
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

/* Sets a field of the table on top of the stack to a string; NULL: to nil. */
void accd__set_text(lua_State *L, const char *key, const char *value)
{
    assert(lua_istable(L, -1) && key);
    lua_pushstring(L, value);
    lua_setfield(L, -2, key);
}

/* Sets a field of the table on top of the stack to a boolean. */
void accd__set_boolean(lua_State *L, const char *key, bool value)
{
    assert(lua_istable(L, -1) && key);
    lua_pushboolean(L, value);
    lua_setfield(L, -2, key);
}

/* Sets a field of the table on top of the stack to a C function. */
void accd__set_function(lua_State *L, const char *key, lua_CFunction value)
{
    assert(lua_istable(L, -1) && key && value);
    lua_pushcfunction(L, value);
    lua_setfield(L, -2, key);
}

/* Pushes the integers of the list on top of the stack as an array, and returns the array; *n is their number. Raises
 * for other values. */
uint64_t *accd__get_words(lua_State *L, size_t *n)
{
    assert(n && lua_gettop(L) >= 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    *n = lua_rawlen(L, -1);
    uint64_t *words = lua_newuserdatauv(L, (*n + 1) * sizeof *words, 0);
    for (size_t i = 0; i < *n; i++) {
        lua_rawgeti(L, -2, (lua_Integer)i + 1);
        words[i] = (uint64_t)luaL_checkinteger(L, -1);
        lua_pop(L, 1);
    }
    return words;
}

/* Pushes the instructions of the list at `index`, five integers each, as an array (a userdata), and returns the
 * array. Sets *n to the number of instructions. Raises for other values, or values out of range. */
accd_instruction *accd__read_code(lua_State *L, int index, size_t *n)
{
    assert(n);
    size_t values = lua_rawlen(L, index), count = values / 5;
    accd_instruction *code = lua_newuserdatauv(L, (count + 1) * sizeof *code, 0);
    lua_Integer v[5];
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 5; k++) {
            lua_rawgeti(L, index, (lua_Integer)(5 * i) + k + 1);
            v[k] = accd__symbol_value(L, -1);
            lua_pop(L, 1);
        }
        for (int k = 0; k < 4; k++)
            luaL_argcheck(L, v[k] >= 0 && v[k] <= 255, index, "code out of range");
        code[i] = (accd_instruction){(uint8_t)v[0], (uint8_t)v[1], (uint8_t)v[2], (uint8_t)v[3], v[4]};
    }
    *n = count;
    return code;
}

/* Pushes a table about an object, or nil for an object without bytes and name. */
void accd__push_object_info(lua_State *L, const accd_object_info *info)
{
    assert(info);
    if (!info->bytes && !info->name[0]) {
        lua_pushnil(L);
        return;
    }
    lua_createtable(L, 0, 5);
    accd__set_text(L, "name", info->name);
    accd__set_integer(L, "host", (lua_Integer)info->host);
    accd__set_integer(L, "bytes", (lua_Integer)info->bytes);
    if (info->file) {
        accd__set_text(L, "file", info->file);
        accd__set_integer(L, "line", info->line);
    }
}

/* Pushes nil and a table about the last error of the core, and returns 2. If the scenario's limit of memory refused
 * the allocation that failed, `code` and `rule` are those of ACCD_ERROR_LIMIT. For an error of a callback, `cause` is
 * what the callback raised. */
int accd__push_error(lua_State *L, struct accd__lua_context *context, accd_status status)
{
    assert(status != ACCD_OK);
    const accd_error *error = accd_context_error(context->core);
    const bool is_limit = status == ACCD_ERROR_OUT_OF_MEMORY && accd__was_denied();
    lua_pushnil(L);
    lua_createtable(L, 0, 9);
    accd__set_text(L, "code", accd_status_code(is_limit ? ACCD_ERROR_LIMIT : status));
    accd__set_text(L, "rule", is_limit ? "HOUSE-limit" : error->rule);
    lua_pushfstring(L, is_limit ? "%s: the limit of memory is reached" : "%s", error->message);
    lua_setfield(L, -2, "message");
    if (error->item != SIZE_MAX) {
        accd__set_integer(L, "item", (lua_Integer)error->item + 1);
    }
    if (error->named_bytes) {
        accd__set_integer(L, "named", (lua_Integer)error->named + 1);
        accd__set_integer(L, "named_end", (lua_Integer)(error->named + error->named_bytes));
    }
    if (error->advice == ACCD_ADVICE_WHOLE_ROWS)
        accd__set_text(L, "advice", "whole rows");
    accd__push_object_info(L, &error->asked);
    lua_setfield(L, -2, "asked");
    accd__push_object_info(L, &error->other);
    lua_setfield(L, -2, "other");
    if (status == ACCD_ERROR_CALLBACK && context->error_ref != LUA_NOREF) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, context->error_ref);
        lua_setfield(L, -2, "cause");
        luaL_unref(L, LUA_REGISTRYINDEX, context->error_ref);
        context->error_ref = LUA_NOREF;
    }
    return 2;
}

/* Pushes nil and an error table whose field `item` is `item`, unless that is 0. Returns 2, the number of results. */
int accd__push_item_error(lua_State *L, struct accd__lua_context *context, accd_status status, size_t item)
{
    accd__push_error(L, context, status);
    if (item) {
        accd__set_integer(L, "item", (lua_Integer)item);
    }
    return 2;
}

/* Pushes true for ACCD_OK, otherwise nil and an error table. Returns the number of results. */
int accd__push_result(lua_State *L, struct accd__lua_context *context, accd_status status)
{
    assert(context && context->core);
    if (status != ACCD_OK)
        return accd__push_error(L, context, status);
    lua_pushboolean(L, 1);
    return 1;
}

/* ---------------------------------------------------------------------------------- handles -- */

/* Makes L the thread in which the context's callbacks run, and returns the open context at `index`. Raises for other
 * values, or a closed context. */
struct accd__lua_context *accd__check_context(lua_State *L, int index)
{
    struct accd__lua_context *context = luaL_checkudata(L, index, CONTEXT_TYPE);
    luaL_argcheck(L, context->core, index, "the context is closed");
    context->L = L;
    return context;
}

/* Adds an unlinked handle at the front of *list, a list of `context`. */
static void link_into(struct accd__lua_handle **list, struct accd__lua_handle *handle,
                      struct accd__lua_context *context)
{
    assert(!handle->context && context);
    handle->context = context;
    handle->next = *list;
    handle->link = list;
    if (handle->next)
        handle->next->link = &handle->next;
    *list = handle;
}

/* Adds an unlinked handle to context->handles. */
void accd__handle_link(struct accd__lua_handle *handle, struct accd__lua_context *context)
{
    link_into(&context->handles, handle, context);
}

/* Adds an unlinked region or bounds object to context->opened. */
void accd__opened_link(struct accd__lua_opened *opened, struct accd__lua_context *context)
{
    link_into(&context->opened, &opened->handle, context);
}

/* Stores the object at `index` in the weak table by which checkpoints find live objects, if checkpoints are used. */
void accd__opened_register(lua_State *L, int index, struct accd__lua_context *context)
{
    assert(context && index != 0);
    if (context->objects_ref == LUA_NOREF)
        return;
    index = lua_absindex(L, index);
    lua_rawgeti(L, LUA_REGISTRYINDEX, context->objects_ref);
    lua_pushvalue(L, index);
    lua_rawsetp(L, -2, lua_touserdata(L, index));
    lua_pop(L, 1);
}

/* Removes a handle from the list of its context; does nothing if the handle is in no list. */
void accd__handle_unlink(struct accd__lua_handle *handle)
{
    if (!handle->context)
        return;
    assert(*handle->link == handle);
    *handle->link = handle->next;
    if (handle->next)
        handle->next->link = handle->link;
    handle->context = NULL;
}
