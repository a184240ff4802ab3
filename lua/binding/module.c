/* module.c - accdeep.core: the module itself, its constants, shared helpers. */
#include "binding.h"

#include "base/rules.h"

#include <stdlib.h>
#include <string.h>

lua_Integer get_integer(lua_State *L, int index, const char *key, lua_Integer otherwise)
{
    lua_Integer value = otherwise;
    if (lua_getfield(L, index, key) != LUA_TNIL)
        value = luaL_checkinteger(L, -1);
    lua_pop(L, 1);
    return value;
}

bool get_boolean(lua_State *L, int index, const char *key)
{
    lua_getfield(L, index, key);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

void *get_pointer(lua_State *L, int index, const char *key)
{
    lua_getfield(L, index, key);
    void *value = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return value;
}

accd_instruction *read_code(lua_State *L, int index, size_t *n)
{
    size_t values = lua_rawlen(L, index), count = values / 5;
    accd_instruction *code = lua_newuserdatauv(L, (count + 1) * sizeof *code, 0);
    lua_Integer v[5];
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 5; k++) {
            lua_rawgeti(L, index, (lua_Integer)(5 * i) + k + 1);
            v[k] = luaL_checkinteger(L, -1);
            lua_pop(L, 1);
        }
        for (int k = 0; k < 4; k++)
            luaL_argcheck(L, v[k] >= 0 && v[k] <= 255, index, "code out of range");
        code[i] = (accd_instruction){(uint8_t)v[0], (uint8_t)v[1], (uint8_t)v[2], (uint8_t)v[3],
                                     v[4]};
    }
    *n = count;
    return code;
}

void push_object_info(lua_State *L, const accd_object_info *info)
{
    if (!info->bytes && !info->name[0]) {
        lua_pushnil(L);
        return;
    }
    lua_createtable(L, 0, 5);
    lua_pushstring(L, info->name);
    lua_setfield(L, -2, "name");
    lua_pushinteger(L, (lua_Integer)info->host);
    lua_setfield(L, -2, "host");
    lua_pushinteger(L, (lua_Integer)info->bytes);
    lua_setfield(L, -2, "bytes");
    if (info->file) {
        lua_pushstring(L, info->file);
        lua_setfield(L, -2, "file");
        lua_pushinteger(L, info->line);
        lua_setfield(L, -2, "line");
    }
}

int push_error(lua_State *L, struct context *context, accd_status status)
{
    const accd_error *error = accd_context_error(context->core);
    lua_pushnil(L);
    lua_createtable(L, 0, 6);
    lua_pushstring(L, accd_status_code(status));
    lua_setfield(L, -2, "code");
    lua_pushstring(L, error->rule);
    lua_setfield(L, -2, "rule");
    lua_pushstring(L, error->message);
    lua_setfield(L, -2, "message");
    if (error->item != SIZE_MAX) {
        lua_pushinteger(L, (lua_Integer)error->item + 1);
        lua_setfield(L, -2, "item");
    }
    push_object_info(L, &error->asked);
    lua_setfield(L, -2, "asked");
    push_object_info(L, &error->other);
    lua_setfield(L, -2, "other");
    if (status == ACCD_CALLBACK && context->error_ref != LUA_NOREF) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, context->error_ref);
        lua_setfield(L, -2, "cause");
        luaL_unref(L, LUA_REGISTRYINDEX, context->error_ref);
        context->error_ref = LUA_NOREF;
    }
    return 2;
}

int push_item_error(lua_State *L, struct context *context, accd_status status, size_t item)
{
    push_error(L, context, status);
    if (item) {
        lua_pushinteger(L, (lua_Integer)item);
        lua_setfield(L, -2, "item");
    }
    return 2;
}

int push_result(lua_State *L, struct context *context, accd_status status)
{
    if (status != ACCD_OK)
        return push_error(L, context, status);
    lua_pushboolean(L, 1);
    return 1;
}

/* ---------------------------------------------------------------------------------- handles -- */

void handle_link(struct handle *handle, struct context *context)
{
    handle->context = context;
    handle->next = context->handles;
    handle->at = &context->handles;
    if (handle->next)
        handle->next->at = &handle->next;
    context->handles = handle;
}

void handle_unlink(struct handle *handle)
{
    if (!handle->context)
        return;
    *handle->at = handle->next;
    if (handle->next)
        handle->next->at = handle->at;
    handle->context = NULL;
}

/* -------------------------------------------------------------------------------- constants -- */

static void set_number(lua_State *L, const char *name, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, name);
}

static void set_constants(lua_State *L)
{
    static const char *const opcodes[ACCD_I_COUNT] = {
        "CONST", "PARAM", "INHERIT", "SELF", "LOAD", "LOAD_AT", "ADD", "SUB",  "MUL",
        "DIV",   "MOD",   "SHL",     "SHR",  "AND",  "OR",      "XOR", "EQ",   "NE",
        "LT",    "LE",    "NEG",     "NOT",  "LNOT", "DISTANCE", "SELECT", "CAST", "CALL",
        "REQUIRE",
    };
    static const char *const rules[][ACCD_RULE_IDS] = {
#define X(name, ...) {__VA_ARGS__},
        ACCD_RULE_MAP(X)
#undef X
    };
    static const char *const scalars[ACCD_SCALAR_COUNT] = {"i8",  "u8",  "i16", "u16", "i32",
                                                           "u32", "i64", "u64", "bool"};
    lua_newtable(L);
    for (int i = 0; i < ACCD_I_COUNT; i++)
        set_number(L, opcodes[i], i);
    lua_setfield(L, -2, "opcode");
    lua_newtable(L); /* rows of rules that say the same in several documents */
    for (int i = 0; i < (int)(sizeof rules / sizeof rules[0]); i++) {
        lua_newtable(L);
        for (int k = 0; k < ACCD_RULE_IDS && rules[i][k]; k++) {
            lua_pushstring(L, rules[i][k]);
            lua_rawseti(L, -2, k + 1);
        }
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "rules");
    lua_newtable(L);
    for (int i = 0; i < ACCD_SCALAR_COUNT; i++)
        set_number(L, scalars[i], i);
    lua_setfield(L, -2, "scalar");
    lua_newtable(L);
    for (int i = 0; i < ACCD_ACTION_COUNT; i++)
        set_number(L, accd_action_name((accd_action)i), i);
    lua_setfield(L, -2, "action");
    lua_newtable(L);
    set_number(L, "region", ACCD_REGION);
    set_number(L, "compute", ACCD_COMPUTE);
    set_number(L, "enter data", ACCD_ENTER_DATA);
    set_number(L, "exit data", ACCD_EXIT_DATA);
    set_number(L, "update", ACCD_UPDATE);
    lua_setfield(L, -2, "kind");
    lua_newtable(L);
    set_number(L, "uncounted", ACCD_ITEM_UNCOUNTED);
    set_number(L, "init", ACCD_ITEM_INIT);
    set_number(L, "try", ACCD_ITEM_TRY);
    set_number(L, "present_or", ACCD_ITEM_PRESENT_OR);
    set_number(L, "pointer", ACCD_ITEM_POINTER);
    set_number(L, "keep", ACCD_ITEM_KEEP);
    set_number(L, "refresh", ACCD_ITEM_REFRESH);
    set_number(L, "always_in", ACCD_ITEM_ALWAYS_IN);
    set_number(L, "always_out", ACCD_ITEM_ALWAYS_OUT);
    set_number(L, "must", ACCD_ITEM_MUST);
    set_number(L, "final", ACCD_ITEM_FINAL);
    lua_setfield(L, -2, "flag");
    lua_newtable(L);
    for (int i = 0; i < ACCD_STATUS_COUNT; i++) {
        lua_pushstring(L, accd_status_text((accd_status)i));
        lua_setfield(L, -2, accd_status_code((accd_status)i));
    }
    lua_setfield(L, -2, "status");
    lua_pushliteral(L, ACCD_VERSION);
    lua_setfield(L, -2, "version");
}

__attribute__((visibility("default"))) int luaopen_accdeep_core(lua_State *L)
{
    lua_newtable(L);
    set_constants(L);
    open_context(L);
    open_program(L);
    open_construct(L);
    open_memory(L);
    open_system(L);
    open_edit(L);
    open_debug(L);
    return 1;
}
