/* ir.c - texts of the construct IR (core/abi/ir), read for Lua. */
#include "binding.h"

#include <abi/ir/accdeep_ir.h>
#include <string.h>

/* Pushes a table {name=, offset=, is_value=} for an input of a text. */
static void push_input(lua_State *L, const accd_ir_input *input)
{
    lua_createtable(L, 0, 3);
    accd__set_text(L, "name", input->name);
    accd__set_integer(L, "offset", input->offset);
    accd__set_boolean(L, "is_value", input->is_value);
}

/* Pushes a table for a statement, with the fields that l_read_ir lists. `index`: stack index of the context. */
static void push_statement(lua_State *L, int index, const accd_ir_statement *statement)
{
    static const char *const kinds[] = {"memory", "store", "construct", "end"};
    static const char *const constructs[] = {"region", "compute", "enter data", "exit data", "update"};
    lua_createtable(L, 0, 8);
    accd__set_text(L, "kind", kinds[statement->kind]);
    accd__set_integer(L, "line", statement->line);
    accd__set_text(L, "name", statement->name);
    if (statement->kind == ACCD_IR_MEMORY)
        accd__set_integer(L, "bytes", (lua_Integer)statement->bytes);
    if (statement->kind == ACCD_IR_STORE) {
        accd__set_integer(L, "offset", statement->offset);
        accd__set_integer(L, "scalar", statement->scalar);
        accd__set_integer(L, "value", statement->value);
        accd__set_text(L, "target", statement->target);
    }
    if (statement->kind == ACCD_IR_CONSTRUCT) {
        accd__set_text(L, "construct_kind", constructs[statement->construct]);
        accd__set_text(L, "file", statement->file);
        accd__set_integer(L, "file_line", statement->file_line);
        accd__set_integer(L, "ninputs", (lua_Integer)statement->ninputs);
        accd__push_ir_construct(L, index, statement);
        lua_setfield(L, -2, "construct");
    }
}

/* Pushes the lists of statements and inputs of the text at stack index 2, light userdata; 1: the context. Raises
 * without memory. */
static int l_push_result(lua_State *L)
{
    const accd_ir *ir = lua_touserdata(L, 2);
    lua_newtable(L);
    for (size_t i = 0; i < ir->nstatements; i++) {
        push_statement(L, 1, &ir->statements[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_newtable(L);
    for (size_t i = 0; i < ir->ninputs; i++) {
        push_input(L, &ir->inputs[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 2;
}

/* Returns the number of the function `name` in the table at stack index 5; -1: there is none. `ud`: the Lua state. */
static int find_function(void *ud, const char *name)
{
    lua_State *L = ud;
    const int number = lua_getfield(L, 5, name) == LUA_TNIL ? -1 : (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return number;
}

/* context:read_ir(text, file, line, functions) -> list of statements, list of inputs; or nil, {message=, line=,
 * column=}. file, line: place of the directive if the text does not name one; file may be nil. functions: table from
 * the name of a function that bounds call to its number (context:bind_function), or nil. Fields of a statement are kind
 * ("memory", "store", "construct", "end") and line, and:
 *
 *     memory      name, bytes
 *     store       name, offset, scalar, and value; or target, an address `value` bytes after the beginning of target
 *     construct   name, construct_kind, file, file_line, construct: an object without inputs (construct:set_inputs),
 *                 ninputs: number of the first inputs of the text, which the construct needs
 *
 * An input is {name=, offset=, is_value=}. Raises without memory. */
int accd__l_read_ir(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    size_t length;
    const char *text = luaL_checklstring(L, 2, &length);
    lua_settop(L, 5);
    const accd_ir_config config = {.file = luaL_optstring(L, 3, NULL),
                                   .line = (int)luaL_optinteger(L, 4, 0),
                                   .find_function = lua_istable(L, 5) ? find_function : NULL,
                                   .ud = L};
    accd_ir_error error = {0};
    accd_ir *ir;
    accd_status status = accd_ir_read(context->core, text, &config, &ir, &error);
    if (status == ACCD_OK && strlen(text) != length) { /* the reader stops at a zero byte */
        accd_ir_free(ir);
        status = ACCD_ERROR_MISUSE;
        error = (accd_ir_error){.line = 1, .column = 1, .message = "the text has a zero byte"};
        for (const char *at = text; *at; at++) {
            error.line += *at == '\n';
            error.column = *at == '\n' ? 1 : error.column + 1;
        }
    }
    if (status == ACCD_ERROR_OUT_OF_MEMORY)
        return luaL_error(L, "not enough memory");
    if (status != ACCD_OK) {
        lua_pushnil(L);
        lua_createtable(L, 0, 3);
        accd__set_text(L, "message", error.message);
        accd__set_integer(L, "line", error.line);
        accd__set_integer(L, "column", error.column);
        return 2;
    }
    lua_pushcfunction(L, l_push_result);
    lua_pushvalue(L, 1);
    lua_pushlightuserdata(L, ir);
    const int result = lua_pcall(L, 2, 2, 0);
    accd_ir_free(ir);
    return result == LUA_OK ? 2 : lua_error(L);
}
