/* program.c - binds labels and mapping programs: makes those of the core from the tables of the construct IR.
 *
 * The tables are plain data, which lua/accdeep/lowering/construct_ir.lua describes. Each table is bound once per
 * context: a weak table (accd__lua_context.ir_ref) maps it to the label, as light userdata, or to an object that keeps
 * the program. */
#include "binding.h"

#include <assert.h>
#include <stdlib.h>

static const char type_name[] = "accdeep.program";

/* Mapping program, as a Lua object. */
struct program {
    struct accd__lua_handle handle;
    accd_program *core;
};

/* Releases the core's program of a program object (function `invalidate` of its handle). */
static void release_program(struct accd__lua_handle *handle)
{
    struct program *program = (struct program *)handle;
    accd_program_release(program->core);
    program->core = NULL;
}

/* Raises the error that the core could not make a label or program. */
static _Noreturn void raise_unbound(lua_State *L, accd_status status)
{
    assert(status != ACCD_OK);
    luaL_error(L, status == ACCD_ERROR_OUT_OF_MEMORY ? "not enough memory" : "the construct IR is invalid");
    abort();
}

/* Pushes what the table at `index` is bound to; nil: it is not bound. */
static void push_bound(lua_State *L, const struct accd__lua_context *context, int index)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, context->ir_ref);
    lua_pushvalue(L, index);
    lua_rawget(L, -2);
    lua_remove(L, -2);
}

/* Binds the table at `index` to the value on top of the stack, which stays there. */
static void set_bound(lua_State *L, const struct accd__lua_context *context, int index)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, context->ir_ref);
    lua_pushvalue(L, index);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

/* Returns the array (dimensions for names of elements) read from the table at index `link`. Fields: those of
 * accd_array; in the list part of the table, unless `described` is set, {lower=, extent=, sm=} for each dimension,
 * where sm is the stride. Raises for more than ACCD_MAX_RANK dimensions. The table keeps the name alive. */
static accd_array read_label_array(lua_State *L, int link)
{
    accd_array array = {
        .shift = accd__get_integer(L, link, "shift", 0),
        .rank = (unsigned)accd__get_integer(L, link, "rank", 0),
        .described = (uint32_t)accd__get_integer(L, link, "described", 0),
        .span = (uint32_t)accd__get_integer(L, link, "span", 0),
    };
    if (array.rank > ACCD_MAX_RANK)
        luaL_error(L, "an array has too many dimensions");
    lua_getfield(L, link, "name");
    array.name = lua_tostring(L, -1);
    lua_pop(L, 1);
    for (unsigned i = 0; i < array.rank && !array.described; i++) {
        lua_rawgeti(L, link, (lua_Integer)i + 1);
        int dimension = lua_gettop(L);
        array.dimensions[i] =
            (accd_dimension){accd__get_integer(L, dimension, "lower", 0), accd__get_integer(L, dimension, "extent", 0),
                             accd__get_integer(L, dimension, "sm", 0)};
        lua_pop(L, 1);
    }
    return array;
}

/* Returns the core's label for the table at `index`, and binds the table to it at the first call. */
const accd_label *accd__check_label(lua_State *L, struct accd__lua_context *context, int index)
{
    index = lua_absindex(L, index);
    luaL_checktype(L, index, LUA_TTABLE);
    luaL_checkstack(L, 10, "labels are nested too deeply");
    push_bound(L, context, index);
    const accd_label *bound = lua_touserdata(L, -1);
    lua_pop(L, 1);
    if (bound)
        return bound;
    const int top = lua_gettop(L);
    accd_label label = {
        .unit = (uint64_t)accd__get_integer(L, index, "unit", 0),
        .line = (int)accd__get_integer(L, index, "line", 0),
    };
    if (accd__get_boolean(L, index, "section"))
        label.flags |= ACCD_LABEL_SECTION;
    if (accd__get_boolean(L, index, "member"))
        label.flags |= ACCD_LABEL_MEMBER;
    if (accd__get_boolean(L, index, "element"))
        label.flags |= ACCD_LABEL_ELEMENT;
    if (accd__get_boolean(L, index, "round"))
        label.flags |= ACCD_LABEL_PARENTHESES;
    lua_getfield(L, index, "name");
    label.name = luaL_checkstring(L, -1);
    lua_getfield(L, index, "file");
    label.file = lua_tostring(L, -1);
    if (lua_getfield(L, index, "layout") != LUA_TNIL)
        label.layout = accd__check_program(L, context, -1);
    lua_getfield(L, index, "pointer");
    label.pointer = lua_tostring(L, -1);
    accd_array array;
    if (lua_getfield(L, index, "array") == LUA_TTABLE) {
        array = read_label_array(L, lua_gettop(L));
        label.array = &array;
    }
    bound = accd_label_intern(context->core, &label);
    if (!bound)
        raise_unbound(L, ACCD_ERROR_OUT_OF_MEMORY);
    lua_settop(L, top);
    lua_pushlightuserdata(L, (void *)(uintptr_t)bound);
    set_bound(L, context, index);
    lua_pop(L, 1);
    return bound;
}

/* Returns the label in field `label` of the table at `link`; NULL: the field is nil. */
const accd_label *accd__get_label(lua_State *L, struct accd__lua_context *context, int link)
{
    const accd_label *label = NULL;
    if (lua_getfield(L, link, "label") != LUA_TNIL)
        label = accd__check_label(L, context, -1);
    lua_pop(L, 1);
    return label;
}

/* Pushes an array, read from the list at field `key` of the table at `index`, and returns it. *n is the number of
 * elements; nil has none. read(L, context, to) fills an element of `size` bytes at `to` from the table on top of the
 * stack, and raises for wrong fields. */
static void *read_array(lua_State *L, struct accd__lua_context *context, int index, const char *key, size_t size,
                        size_t *n, void (*read)(lua_State *L, struct accd__lua_context *context, void *to))
{
    lua_getfield(L, index, key);
    int list = lua_gettop(L);
    *n = lua_isnil(L, list) ? 0 : lua_rawlen(L, list);
    char *array = lua_newuserdatauv(L, (*n + 1) * size, 0);
    for (size_t i = 0; i < *n; i++) {
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        read(L, context, array + i * size);
        lua_pop(L, 1);
    }
    return array;
}

/* Fills an accd_piece (a range of an element's own bytes) at `to` from the table on top of the stack, whose fields
 * have the names of the members. */
static void read_piece(lua_State *L, struct accd__lua_context *context, void *to)
{
    int link = lua_gettop(L);
    *(accd_piece *)to = (accd_piece){
        .offset = (uint64_t)accd__get_integer(L, link, "offset", 0),
        .bytes = (uint64_t)accd__get_integer(L, link, "bytes", 0),
        .action = (uint8_t)accd__get_integer(L, link, "action", ACCD_ACTION_INHERIT),
        .init = accd__get_boolean(L, link, "init"),
        .entry_only = accd__get_boolean(L, link, "entry_only"),
        .base_pointer = accd__get_boolean(L, link, "base_pointer"),
        .label = accd__get_label(L, context, link),
    };
}

/* Fills an accd_field (a pointer that is followed, or embedded elements) at `to` from the table on top of the stack.
 * Its fields have the names of the members. */
static void read_field(lua_State *L, struct accd__lua_context *context, void *to)
{
    int link = lua_gettop(L);
    accd_field *field = to;
    *field = (accd_field){
        .offset = (uint64_t)accd__get_integer(L, link, "offset", 0),
        .unit = (uint64_t)accd__get_integer(L, link, "unit", 0),
        .count = (int)accd__get_integer(L, link, "count", -1),
        .start = (int)accd__get_integer(L, link, "start", -1),
        .action = (uint8_t)accd__get_integer(L, link, "action", ACCD_ACTION_INHERIT),
        .flags = (uint16_t)accd__get_integer(L, link, "flags", 0),
        .init = accd__get_boolean(L, link, "init"),
        .embedded = accd__get_boolean(L, link, "embedded"),
        .in_place = accd__get_boolean(L, link, "in_place"),
        .slot_bytes = (uint32_t)accd__get_integer(L, link, "slot_bytes", 0),
        .code_end = (size_t)accd__get_integer(L, link, "code_end", 0),
        .label = accd__get_label(L, context, link),
        .up = (unsigned)accd__get_integer(L, link, "up", 0),
    };
    if (lua_getfield(L, link, "child") != LUA_TNIL)
        field->child = accd__check_program(L, context, -1);
    lua_pop(L, 1);
}

/* Fills an accd_member (a named range of an element) at `to` from the table on top of the stack, whose fields have
 * the names of the members. */
static void read_member(lua_State *L, struct accd__lua_context *context, void *to)
{
    int link = lua_gettop(L);
    *(accd_member *)to = (accd_member){
        .offset = (uint64_t)accd__get_integer(L, link, "offset", 0),
        .bytes = (uint64_t)accd__get_integer(L, link, "bytes", 0),
        .label = accd__get_label(L, context, link),
    };
}

/* Pushes a new object for the program that the table at `index` describes. */
static void push_new_program(lua_State *L, struct accd__lua_context *context, int index)
{
    accd_program_spec spec = {
        .stride = (uint64_t)accd__get_integer(L, index, "stride", 0),
        .registers = (unsigned)accd__get_integer(L, index, "registers", 0),
        .params = (unsigned)accd__get_integer(L, index, "params", 0),
    };
    spec.pieces = read_array(L, context, index, "pieces", sizeof(accd_piece), &spec.npieces, read_piece);
    spec.fields = read_array(L, context, index, "fields", sizeof(accd_field), &spec.nfields, read_field);
    spec.excluded = read_array(L, context, index, "excluded", sizeof(accd_member), &spec.nexcluded, read_member);
    spec.members = read_array(L, context, index, "members", sizeof(accd_member), &spec.nmembers, read_member);
    lua_getfield(L, index, "code");
    spec.code = accd__read_code(L, lua_gettop(L), &spec.ncode);
    struct program *program = lua_newuserdatauv(L, sizeof *program, 0);
    *program = (struct program){.handle = {.invalidate = release_program}};
    luaL_setmetatable(L, type_name);
    const accd_status status = accd_program_new(context->core, &spec, &program->core);
    if (status != ACCD_OK)
        raise_unbound(L, status);
    accd__handle_link(&program->handle, context);
}

/* Returns the core's program for the table at `index`, and binds the table to it at the first call. */
accd_program *accd__check_program(lua_State *L, struct accd__lua_context *context, int index)
{
    index = lua_absindex(L, index);
    luaL_checktype(L, index, LUA_TTABLE);
    luaL_checkstack(L, 30, "programs are nested too deeply");
    const int top = lua_gettop(L);
    push_bound(L, context, index);
    if (lua_isnil(L, -1)) {
        push_new_program(L, context, index);
        set_bound(L, context, index);
    }
    const struct program *program = lua_touserdata(L, -1);
    lua_settop(L, top);
    return program->core;
}

/* Metamethod __gc: releases the program. */
static int l_gc(lua_State *L)
{
    struct program *program = luaL_checkudata(L, 1, type_name);
    if (program->handle.context)
        release_program(&program->handle);
    accd__handle_unlink(&program->handle);
    return 0;
}

/* Creates the class of mapping programs. */
void accd__open_program_class(lua_State *L)
{
    luaL_newmetatable(L, type_name);
    accd__set_function(L, "__gc", l_gc);
    lua_pop(L, 1);
}
