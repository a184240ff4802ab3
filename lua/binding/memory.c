/* memory.c - host and device memory for Lua: scalars at addresses, blocks of host memory, conversions of C. */
#include "binding.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Scalar types of C; those of the core's instructions come first. */
enum scalar { F32 = ACCD_SCALAR_COUNT, F64, F80, POINTER, SCALARS };

/* Names and sizes in bytes of the scalar types; `union value` has room for each. */
static const char *const names[SCALARS] = {"i8",  "u8",   "i16", "u16", "i32", "u32",    "i64",
                                           "u64", "bool", "f32", "f64", "f80", "pointer"};
static const uint8_t sizes[SCALARS] = {1, 1, 2, 2, 4, 4, 8, 8, 1, 4, 8, 16, 8};

union value {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
    long double f80;
};

/* Returns the number of a scalar type (a value of core.scalar) at stack index `index`. Raises for other values. */
static int check_scalar(lua_State *L, int index)
{
    lua_Integer type = luaL_checkinteger(L, index);
    luaL_argcheck(L, type >= 0 && type < SCALARS, index, "no such scalar");
    return (int)type;
}

/* Pushes *v, a value of the scalar type `type`, as a Lua number. */
static void push_value(lua_State *L, const union value *v, int type)
{
    assert(type >= 0 && type < SCALARS);
    switch (type) {
    case ACCD_SCALAR_I8:
        lua_pushinteger(L, v->i8);
        break;
    case ACCD_SCALAR_U8:
        lua_pushinteger(L, v->u8);
        break;
    case ACCD_SCALAR_I16:
        lua_pushinteger(L, v->i16);
        break;
    case ACCD_SCALAR_U16:
        lua_pushinteger(L, v->u16);
        break;
    case ACCD_SCALAR_I32:
        lua_pushinteger(L, v->i32);
        break;
    case ACCD_SCALAR_U32:
        lua_pushinteger(L, v->u32);
        break;
    case ACCD_SCALAR_BOOL:
        lua_pushinteger(L, v->u8 != 0);
        break;
    case F32:
        lua_pushnumber(L, (lua_Number)v->f32);
        break;
    case F64:
        lua_pushnumber(L, v->f64);
        break;
    case F80:
        lua_pushnumber(L, (lua_Number)v->f80);
        break;
    default:
        lua_pushinteger(L, v->i64);
    }
}

/* Returns the number at stack index `index` as an integer, converted as C does; floats outside of the range become 0.
 * Raises for no number. */
static int64_t to_integer(lua_State *L, int index)
{
    if (lua_isinteger(L, index))
        return lua_tointeger(L, index);
    lua_Number n = luaL_checknumber(L, index);
    return n >= -9223372036854775808.0 && n < 9223372036854775808.0 ? (int64_t)n : 0;
}

/* Sets *v to the number at stack index `index`, converted to the scalar type `type`. Raises for no number. */
static void read_value(lua_State *L, int index, union value *v, int type)
{
    assert(type >= 0 && type < SCALARS);
    memset(v, 0, sizeof *v);
    if (type == F32) {
        v->f32 = (float)luaL_checknumber(L, index);
    } else if (type == F64) {
        v->f64 = luaL_checknumber(L, index);
    } else if (type == F80) {
        v->f80 = (long double)luaL_checknumber(L, index);
    } else if (type == ACCD_SCALAR_BOOL) {
        v->u8 = luaL_checknumber(L, index) != 0;
    } else {
        v->i64 = to_integer(L, index); /* memory is little-endian, so that narrow members of *v get the low bytes */
    }
}

/* ------------------------------------------------------------------------------- host memory -- */

/* Returns true if the range lies in one live registered range of host memory. If the context is unchecked (no blocks
 * are registered), returns true unless the address is in the first page or belongs to a device. */
static bool is_accessible(struct accd__lua_context *context, uint64_t address, uint64_t bytes)
{
    enum { NULL_PAGE = 4096 };
    uint64_t start, length;
    if (context->unchecked)
        return address >= NULL_PAGE && accd_device_at(context->core, address) < 0;
    return accd_host_bounds(context->core, (const void *)(uintptr_t)address, &start, &length) &&
           bytes <= length - (address - start);
}

/* context:host_read(address, scalar) -> value; nothing if the scalar is not in live host memory. scalar: a type of
 * core.scalar. */
static int l_host_read(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    uint64_t address = accd__word_argument(L, 2);
    int type = check_scalar(L, 3);
    union value v;
    if (!is_accessible(context, address, sizes[type]))
        return 0;
    memcpy(&v, (const void *)(uintptr_t)address, sizes[type]);
    push_value(L, &v, type);
    return 1;
}

/* context:host_write(address, scalar, value) -> true; nothing if the scalar is not in live host memory */
static int l_host_write(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    uint64_t address = accd__word_argument(L, 2);
    int type = check_scalar(L, 3);
    union value v;
    read_value(L, 4, &v, type);
    if (!is_accessible(context, address, sizes[type]))
        return 0;
    memcpy((void *)(uintptr_t)address, &v, sizes[type]);
    lua_pushboolean(L, 1);
    return 1;
}

/* context:host_at(address) -> {name=, host=, bytes=, file=, line=, live=} about the registered range that contains the
 * address; or nothing */
static int l_host_at(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_host_range range;
    if (!accd_host_at(context->core, accd__address_argument(L, 2), &range))
        return 0;
    accd__push_object_info(L, &range.info);
    if (lua_istable(L, -1)) {
        accd__set_boolean(L, "live", range.live);
    }
    return 1;
}

/* context:host_bounds(address) -> begin, end of the live range that contains the address; or nothing */
static int l_host_bounds(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    uint64_t start, bytes;
    if (!accd_host_bounds(context->core, accd__address_argument(L, 2), &start, &bytes))
        return 0;
    lua_pushinteger(L, (lua_Integer)start);
    lua_pushinteger(L, (lua_Integer)(start + bytes));
    return 2;
}

/* context:host_add(address, bytes, label) -> true; or nil, error. Registers a range of host memory; label: light
 * userdata of context:label, or nil. */
static int l_host_add(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    return accd__push_result(L, context,
                             accd_host_register(context->core, accd__address_argument(L, 2), accd__word_argument(L, 3),
                                                lua_touserdata(L, 4)));
}

/* context:host_mark(address, live): marks the registered range that begins at the address as live or freed. */
static int l_host_mark(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_host_set_state(context->core, accd__address_argument(L, 2), lua_toboolean(L, 3));
    return 0;
}

/* context:host_forget(address): removes the registered range that begins at the address. */
static int l_host_forget(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_host_set_state(context->core, accd__address_argument(L, 2), -1);
    return 0;
}

/* ----------------------------------------------------------------------------- device memory -- */

/* context:device_read(device, address, scalar) -> value; or nil, error. Reads as a kernel on the device would, with
 * the same checks. scalar: a type of core.scalar. */
static int l_device_read(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    int type = check_scalar(L, 4);
    union value v = {0};
    accd_status status =
        accd_device_read(context->core, accd__device_argument(L, 2), accd__word_argument(L, 3), &v, sizes[type]);
    if (status != ACCD_OK)
        return accd__push_error(L, context, status);
    push_value(L, &v, type);
    return 1;
}

/* context:device_write(device, address, scalar, value) -> true; or nil, error. Writes as a kernel on the device
 * would, with the same checks. */
static int l_device_write(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    int type = check_scalar(L, 4);
    union value v;
    read_value(L, 5, &v, type);
    return accd__push_result(
        L, context,
        accd_device_write(context->core, accd__device_argument(L, 2), accd__word_argument(L, 3), &v, sizes[type]));
}

/* context:device_written(device, address, bytes) -> number of bytes of the range that were ever written; -1: not known
 */
static int l_device_written(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    lua_pushinteger(L, accd_device_count_written(context->core, accd__device_argument(L, 2), accd__word_argument(L, 3),
                                                 accd__word_argument(L, 4)));
    return 1;
}

/* context:device_bounds(device, address) -> begin, end of the device range that an access at the address may use;
 * nothing if there is none */
static int l_device_bounds(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    uint64_t low, high;
    if (!accd_device_bounds(context->core, accd__device_argument(L, 2), accd__word_argument(L, 3), &low, &high))
        return 0;
    lua_pushinteger(L, (lua_Integer)low);
    lua_pushinteger(L, (lua_Integer)high);
    return 2;
}

/* context:device_pointer(device, address) -> pointer stored at the device address; if the pointer is attached, also
 * begin and end of the device range of its target; or nil, error */
static int l_device_pointer(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    int device = accd__device_argument(L, 2);
    uint64_t address = accd__word_argument(L, 3), value;
    accd_status status = accd_device_read(context->core, device, address, &value, sizeof value);
    if (status != ACCD_OK)
        return accd__push_error(L, context, status);
    lua_pushinteger(L, (lua_Integer)value);
    uint64_t low, high, host = accd_host_address(context->core, device, address);
    if (!host || !accd_attached_range(context->core, device, (const void *)(uintptr_t)host, value, &low, &high))
        return 1;
    lua_pushinteger(L, (lua_Integer)low);
    lua_pushinteger(L, (lua_Integer)high);
    return 3;
}

/* context:journal_open(device) -> true; or nil, error. From now on the device's bytes are saved before they are
 * overwritten. */
static int l_journal_open(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    return accd__push_result(L, context, accd_journal_begin(context->core, accd__device_argument(L, 2)));
}

/* context:journal_close(device, commit): ends the journal; restores the saved bytes unless commit is true. */
static int l_journal_close(lua_State *L)
{
    accd_journal_end(accd__check_context(L, 1)->core, accd__device_argument(L, 2), lua_toboolean(L, 3));
    return 0;
}

const luaL_Reg accd__memory_methods[] = {
    {"host_read", l_host_read},       {"host_write", l_host_write},       {"host_at", l_host_at},
    {"host_bounds", l_host_bounds},   {"device_bounds", l_device_bounds}, {"device_pointer", l_device_pointer},
    {"host_add", l_host_add},         {"host_mark", l_host_mark},         {"host_forget", l_host_forget},
    {"device_read", l_device_read},   {"device_write", l_device_write},   {"device_written", l_device_written},
    {"journal_open", l_journal_open}, {"journal_close", l_journal_close}, {NULL, NULL},
};

/* ------------------------------------------------------------------------------------ blocks -- */

/* core.malloc(bytes) -> address of zeroed memory, which core.free releases; nothing without memory, or for a negative
 * number */
static int l_malloc(lua_State *L)
{
    lua_Integer bytes = luaL_checkinteger(L, 1);
    void *block = bytes >= 0 ? calloc(1, bytes ? (size_t)bytes : 1) : NULL;
    if (!block)
        return 0;
    lua_pushinteger(L, (lua_Integer)(uintptr_t)block);
    return 1;
}

/* core.free(address): frees a block of core.malloc; address 0 does nothing. */
static int l_free(lua_State *L)
{
    free((void *)(uintptr_t)luaL_checkinteger(L, 1));
    return 0;
}

/* core.get(address, bytes) -> string of the bytes at the address, which is not checked */
static int l_get(lua_State *L)
{
    lua_pushlstring(L, (const char *)(uintptr_t)luaL_checkinteger(L, 1), (size_t)luaL_checkinteger(L, 2));
    return 1;
}

/* core.put(address, string): copies the string to the address, which is not checked. */
static int l_put(lua_State *L)
{
    size_t n;
    const char *text = luaL_checklstring(L, 2, &n);
    memcpy((void *)(uintptr_t)luaL_checkinteger(L, 1), text, n);
    return 0;
}

/* core.convert(scalar, number) -> the number after a conversion to the scalar type of C */
static int l_convert(lua_State *L)
{
    int type = check_scalar(L, 1);
    union value v;
    read_value(L, 2, &v, type);
    push_value(L, &v, type);
    return 1;
}

/* Adds the functions of this file and the tables core.scalar (number by name) and core.sizes (bytes by number) to the
 * module. */
void accd__open_memory(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"malloc", l_malloc}, {"free", l_free}, {"get", l_get}, {"put", l_put}, {"convert", l_convert}, {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
    lua_newtable(L);
    for (int i = 0; i < SCALARS; i++) {
        lua_pushinteger(L, i);
        lua_setfield(L, -2, names[i]);
    }
    lua_setfield(L, -2, "scalar");
    lua_newtable(L);
    for (int i = 0; i < SCALARS; i++) {
        lua_pushinteger(L, sizes[i]);
        lua_rawseti(L, -2, i);
    }
    lua_setfield(L, -2, "sizes");
}
