/* program.c - mapping programs as Lua objects. */
#include "binding.h"

static const char type_name[] = "accdeep.program";

/* Mapping program. */
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

/* Returns the core's mapping program of the object at `index`. Raises if the value is no program object, or its
 * context is closed. */
accd_program *accd__check_program(lua_State *L, int index)
{
    struct program *program = luaL_checkudata(L, index, type_name);
    luaL_argcheck(L, program->core, index, "the program's context is closed");
    return program->core;
}

/* Pushes an array, read from the list at field `key` of the table at index 2, and returns it. *n is the number of
 * elements; nil has none. read(L, to) fills an element of `size` bytes at `to` from the table on top of the stack, and
 * raises for wrong fields. */
static void *read_array(lua_State *L, const char *key, size_t size, size_t *n, void (*read)(lua_State *L, void *to))
{
    lua_getfield(L, 2, key);
    int list = lua_gettop(L);
    *n = lua_isnil(L, list) ? 0 : lua_rawlen(L, list);
    char *array = lua_newuserdatauv(L, (*n + 1) * size, 0);
    for (size_t i = 0; i < *n; i++) {
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        read(L, array + i * size);
        lua_pop(L, 1);
    }
    return array;
}

/* Fills an accd_piece (a range of an element's own bytes) at `to` from the table on top of the stack, whose fields
 * have the names of the members. */
static void read_piece(lua_State *L, void *to)
{
    int link = lua_gettop(L);
    *(accd_piece *)to = (accd_piece){
        .offset = (uint64_t)accd__get_integer(L, link, "offset", 0),
        .bytes = (uint64_t)accd__get_integer(L, link, "bytes", 0),
        .action = (uint8_t)accd__get_integer(L, link, "action", ACCD_ACTION_INHERIT),
        .init = accd__get_boolean(L, link, "init"),
        .entry_only = accd__get_boolean(L, link, "entry_only"),
        .base_pointer = accd__get_boolean(L, link, "base_pointer"),
        .label = accd__get_pointer(L, link, "label"),
    };
}

/* Fills an accd_field (a pointer that is followed, or embedded elements) at `to` from the table on top of the stack.
 * Its fields have the names of the members; child is a program object. */
static void read_field(lua_State *L, void *to)
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
        .label = accd__get_pointer(L, link, "label"),
        .up = (unsigned)accd__get_integer(L, link, "up", 0),
    };
    if (lua_getfield(L, link, "child") != LUA_TNIL)
        field->child = accd__check_program(L, -1);
    lua_pop(L, 1);
}

/* Fills an accd_member (a named range of an element) at `to` from the table on top of the stack, whose fields have
 * the names of the members. */
static void read_member(lua_State *L, void *to)
{
    int link = lua_gettop(L);
    *(accd_member *)to = (accd_member){
        .offset = (uint64_t)accd__get_integer(L, link, "offset", 0),
        .bytes = (uint64_t)accd__get_integer(L, link, "bytes", 0),
        .label = accd__get_pointer(L, link, "label"),
    };
}

/* context:program{stride=, pieces=, fields=, code=, registers=, params=, excluded=, members=} -> program; or nil,
 * error. Fields are those of accd_program_spec, with lists of tables in place of arrays; code is a list of five
 * integers for each instruction. */
int accd__l_program(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    accd_program_spec spec = {
        .stride = (uint64_t)accd__get_integer(L, 2, "stride", 0),
        .registers = (unsigned)accd__get_integer(L, 2, "registers", 0),
        .params = (unsigned)accd__get_integer(L, 2, "params", 0),
    };
    spec.pieces = read_array(L, "pieces", sizeof(accd_piece), &spec.npieces, read_piece);
    spec.fields = read_array(L, "fields", sizeof(accd_field), &spec.nfields, read_field);
    spec.excluded = read_array(L, "excluded", sizeof(accd_member), &spec.nexcluded, read_member);
    spec.members = read_array(L, "members", sizeof(accd_member), &spec.nmembers, read_member);
    lua_getfield(L, 2, "code");
    spec.code = accd__read_code(L, lua_gettop(L), &spec.ncode);
    struct program *program = lua_newuserdatauv(L, sizeof *program, 1);
    *program = (struct program){.handle = {.invalidate = release_program}};
    luaL_setmetatable(L, type_name);
    lua_pushvalue(L, 1); /* the program keeps its context alive */
    lua_setiuservalue(L, -2, 1);
    accd_status status = accd_program_new(context->core, &spec, &program->core);
    if (status != ACCD_OK)
        return accd__push_error(L, context, status);
    accd__handle_link(&program->handle, context);
    return 1;
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
