/* program.c - mapping programs as Lua objects. */
#include "binding.h"

static const char type_name[] = "accdeep.program";

struct program {
    struct handle handle;
    accd_program *core;
};

static void empty(struct handle *handle)
{
    struct program *program = (struct program *)handle;
    accd_program_release(program->core);
    program->core = NULL;
}

accd_program *check_program(lua_State *L, int index)
{
    struct program *program = luaL_checkudata(L, index, type_name);
    luaL_argcheck(L, program->core, index, "the program's context is closed");
    return program->core;
}

/* The array at key of the table at index 2; its elements are read by read(L, element, i). Space for
 * them stays on the stack. */
static void *read_array(lua_State *L, const char *key, size_t size, size_t *n,
                        void (*read)(lua_State *L, void *to))
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

static void read_piece(lua_State *L, void *to)
{
    int at = lua_gettop(L);
    *(accd_piece *)to = (accd_piece){
        .offset = (uint64_t)get_integer(L, at, "offset", 0),
        .bytes = (uint64_t)get_integer(L, at, "bytes", 0),
        .action = (uint8_t)get_integer(L, at, "action", ACCD_INHERIT),
        .init = get_boolean(L, at, "init"),
        .entry_only = get_boolean(L, at, "entry_only"),
        .base_pointer = get_boolean(L, at, "base_pointer"),
        .label = get_pointer(L, at, "label"),
    };
}

static void read_field(lua_State *L, void *to)
{
    int at = lua_gettop(L);
    accd_field *field = to;
    *field = (accd_field){
        .offset = (uint64_t)get_integer(L, at, "offset", 0),
        .unit = (uint64_t)get_integer(L, at, "unit", 0),
        .count = (int)get_integer(L, at, "count", -1),
        .start = (int)get_integer(L, at, "start", -1),
        .action = (uint8_t)get_integer(L, at, "action", ACCD_INHERIT),
        .flags = (uint16_t)get_integer(L, at, "flags", 0),
        .init = get_boolean(L, at, "init"),
        .embedded = get_boolean(L, at, "embedded"),
        .in_place = get_boolean(L, at, "in_place"),
        .slot_bytes = (uint32_t)get_integer(L, at, "slot_bytes", 0),
        .code_end = (size_t)get_integer(L, at, "code_end", 0),
        .label = get_pointer(L, at, "label"),
        .up = (unsigned)get_integer(L, at, "up", 0),
    };
    if (lua_getfield(L, at, "child") != LUA_TNIL)
        field->child = check_program(L, -1);
    lua_pop(L, 1);
}

static void read_member(lua_State *L, void *to)
{
    int at = lua_gettop(L);
    *(accd_member *)to = (accd_member){
        .offset = (uint64_t)get_integer(L, at, "offset", 0),
        .bytes = (uint64_t)get_integer(L, at, "bytes", 0),
        .label = get_pointer(L, at, "label"),
    };
}

/* context:program{stride=, pieces=, fields=, code=, registers=, params=, excluded=, members=} */
int l_program(lua_State *L)
{
    struct context *context = check_context(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    accd_program_spec spec = {
        .stride = (uint64_t)get_integer(L, 2, "stride", 0),
        .registers = (unsigned)get_integer(L, 2, "registers", 0),
        .params = (unsigned)get_integer(L, 2, "params", 0),
    };
    spec.pieces = read_array(L, "pieces", sizeof(accd_piece), &spec.npieces, read_piece);
    spec.fields = read_array(L, "fields", sizeof(accd_field), &spec.nfields, read_field);
    spec.excluded = read_array(L, "excluded", sizeof(accd_member), &spec.nexcluded, read_member);
    spec.members = read_array(L, "members", sizeof(accd_member), &spec.nmembers, read_member);
    lua_getfield(L, 2, "code");
    spec.code = read_code(L, lua_gettop(L), &spec.ncode);
    struct program *program = lua_newuserdatauv(L, sizeof *program, 1);
    *program = (struct program){.handle = {.empty = empty}};
    luaL_setmetatable(L, type_name);
    lua_pushvalue(L, 1); /* the context outlives its programs */
    lua_setiuservalue(L, -2, 1);
    accd_status status = accd_program_new(context->core, &spec, &program->core);
    if (status != ACCD_OK)
        return push_error(L, context, status);
    handle_link(&program->handle, context);
    return 1;
}

static int l_gc(lua_State *L)
{
    struct program *program = luaL_checkudata(L, 1, type_name);
    if (program->handle.context)
        empty(&program->handle);
    handle_unlink(&program->handle);
    return 0;
}

void open_program(lua_State *L)
{
    luaL_newmetatable(L, type_name);
    set_function(L, "__gc", l_gc);
    lua_pop(L, 1);
}
