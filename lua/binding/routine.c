/* routine.c - the table of OpenACC's and OpenMP's routines, and calls of them, for scenarios. */
#include "accdeep_routines.h"
#include "binding.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Sets field `key` of the table on top of the stack to the list of the words in `text`, separated by blanks. */
static void set_words(lua_State *L, const char *key, const char *text)
{
    assert(text);
    lua_newtable(L);
    for (lua_Integer i = 1; *text; i++) {
        const size_t n = strcspn(text, " ");
        lua_pushlstring(L, text, n);
        lua_rawseti(L, -2, i);
        text += n + (text[n] == ' ');
    }
    lua_setfield(L, -2, key);
}

/* core.is_async_value(value) -> true if the integer is an async value of a program, else false */
static int l_is_async_value(lua_State *L)
{
    lua_pushboolean(L, accd__is_async_value(luaL_checkinteger(L, 1)));
    return 1;
}

/* Sets the field `constants` of the table on top of the stack: constants of the headers of OpenACC and OpenMP that are
 * arguments of routines, by name. */
static void set_constants(lua_State *L)
{
    static const struct {
        const char *name;
        int value;
    } constants[] = {
        {"acc_device_current", ACCD__DEVICE_CURRENT},
        {"acc_device_none", ACCD__DEVICE_NONE},
        {"acc_device_default", ACCD__DEVICE_DEFAULT},
        {"acc_device_host", ACCD__DEVICE_HOST},
        {"acc_device_not_host", ACCD__DEVICE_NOT_HOST},
        {"acc_device_nvidia", ACCD__DEVICE_NVIDIA},
        {"omp_initial_device", ACCD__OMP_INITIAL_DEVICE},
        {"omp_invalid_device", ACCD__OMP_INVALID_DEVICE},
        {"omp_default_device", ACCD__OMP_DEFAULT_DEVICE},
        {"acc_async_noval", ACCD__ASYNC_NOVAL},
        {"acc_async_sync", ACCD__ASYNC_SYNC},
    };
    lua_newtable(L);
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++)
        accd__set_integer(L, constants[i].name, constants[i].value);
    lua_setfield(L, -2, "constants");
}

/* Sets the field `routines` of the module on top of the stack: a list by number, from 1, of {names=, signature=,
 * async=, in_kernels=, in_expressions=}. Routines that run a construct also have kind=, action=, finalize=: numbers of
 * core.kind and core.action, and a boolean. names and signature are lists of words; core/accdeep_routines.h has their
 * meanings.
 */
void accd__open_routines(lua_State *L)
{
    lua_createtable(L, ACCD__ROUTINE_COUNT, 0);
    for (int i = 0; i < ACCD__ROUTINE_COUNT; i++) {
        const accd__routine_info *routine = accd__get_routine((accd__routine)i);
        lua_createtable(L, 0, 8);
        set_words(L, "names", routine->names);
        set_words(L, "signature", routine->signature);
        accd__set_text(L, "rule", accd__get_routine_rule_id((accd__routine)i));
        accd__set_boolean(L, "async", routine->flags & ACCD__ROUTINE_ASYNC);
        accd__set_boolean(L, "in_kernels", routine->flags & ACCD__ROUTINE_IN_KERNELS);
        accd__set_boolean(L, "in_expressions", routine->flags & ACCD__ROUTINE_IN_EXPRESSIONS);
        if (accd__routine_runs_construct((accd__routine)i)) {
            accd__set_integer(L, "kind", routine->kind);
            accd__set_integer(L, "action", routine->action);
            accd__set_boolean(L, "finalize", routine->finalize);
        }
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "routines");
    set_constants(L);
    accd__set_function(L, "is_async_value", l_is_async_value);
}

/* Pushes the list in field `key` of the table at `index` as an array of numbers, and returns the array. Raises if it
 * has fewer than n numbers. */
static const size_t *get_numbers(lua_State *L, int index, const char *key, lua_Integer n)
{
    size_t count;
    lua_getfield(L, index, key);
    const uint64_t *numbers = accd__get_words(L, &count);
    luaL_argcheck(L, n < 0 || count >= (size_t)n, index, key);
    _Static_assert(sizeof(size_t) == sizeof numbers[0], "numbers of elements are words");
    return numbers;
}

/* Fills *box from the table on top of the stack {element=, rank=, volume=, to_offsets=, from_offsets=, to_dimensions=,
 * from_dimensions=}, whose lists have `rank` integers. Pushes the arrays of the box, which must stay on the stack. */
static void read_box(lua_State *L, accd__routine_box *box)
{
    const int index = lua_gettop(L);
    box->element = (size_t)accd__get_integer(L, index, "element", 0);
    box->rank = accd__get_integer(L, index, "rank", 0);
    box->volume = get_numbers(L, index, "volume", box->rank);
    box->to_offsets = get_numbers(L, index, "to_offsets", box->rank);
    box->from_offsets = get_numbers(L, index, "from_offsets", box->rank);
    box->to_dimensions = get_numbers(L, index, "to_dimensions", box->rank);
    box->from_dimensions = get_numbers(L, index, "from_dimensions", box->rank);
}

/* Pushes the result of a call. If the caller has to allocate or free memory of the host, then pushes "allocate" or
 * "free". If bytes were copied, pushes "h2d", "d2h" or "d2d", the device, the device address, and the number of bytes.
 * Returns the number of values pushed. */
static int push_step(lua_State *L, const accd__routine_step *step)
{
    static const char *const directions[] = {"d2h", "h2d", "d2d"};
    lua_pushinteger(L, (lua_Integer)step->result);
    if (step->operation == ACCD__DO_ALLOCATE || step->operation == ACCD__DO_FREE) {
        if (step->device >= 0)
            return 1;
        lua_pushstring(L, step->operation == ACCD__DO_FREE ? "free" : "allocate");
        return 2;
    }
    const bool is_copy = step->operation == ACCD__DO_COPY || step->operation == ACCD__DO_FILL;
    if (!is_copy || (step->device < 0 && step->from_device < 0))
        return 1;
    lua_pushstring(L, directions[step->device < 0 ? 0 : step->from_device < 0 ? 1 : 2]);
    lua_pushinteger(L, step->device < 0 ? step->from_device : step->device);
    lua_pushinteger(L, (lua_Integer)(step->device < 0 ? step->from : step->address));
    lua_pushinteger(L, (lua_Integer)step->bytes);
    return 5;
}

/* context:routine(number, {current=, queue=, label=, address=, from=, bytes=, to_offset=, from_offset=, device=,
 * from_device=, value=, box=, slot_bytes=}) -> result and the values of push_step; or nil, error. Calls a routine by
 * its number in core.routines, and does all but allocate and free memory of the host. The fields are those of
 * accd__routine_call; nil is 0. label: light userdata or nil; box: see read_box, or nil. */
static int l_routine(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    const lua_Integer number = luaL_checkinteger(L, 2);
    luaL_argcheck(L, number >= 1 && number <= ACCD__ROUTINE_COUNT, 2, "there is no such routine");
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_settop(L, 3);
    accd__routine_box box;
    accd__routine_call call = {
        .routine = (accd__routine)(number - 1),
        .current = (int)accd__get_integer(L, 3, "current", 0),
        .devices = accd_device_count(context->core),
        .invalid = ACCD__OMP_INVALID_DEVICE,
        .queue = (unsigned)accd__get_integer(L, 3, "queue", 0),
        .label = accd__get_pointer(L, 3, "label"),
        .address = (uint64_t)accd__get_integer(L, 3, "address", 0),
        .from = (uint64_t)accd__get_integer(L, 3, "from", 0),
        .bytes = (uint64_t)accd__get_integer(L, 3, "bytes", 0),
        .to_offset = (uint64_t)accd__get_integer(L, 3, "to_offset", 0),
        .from_offset = (uint64_t)accd__get_integer(L, 3, "from_offset", 0),
        .device = accd__get_integer(L, 3, "device", 0),
        .from_device = accd__get_integer(L, 3, "from_device", 0),
        .value = accd__get_integer(L, 3, "value", 0),
        .slot_bytes = (uint32_t)accd__get_integer(L, 3, "slot_bytes", 0),
    };
    call.usual = call.current; /* omp_default_device */
    if (call.routine == ACCD__ROUTINE_SET_DEVICE_NUM)
        call.usual = 0;
    if (lua_getfield(L, 3, "box") == LUA_TTABLE) {
        read_box(L, &box);
        call.box = &box;
    }
    accd__routine_step step;
    accd_status status = accd__decide_routine(context->core, &call, &step);
    const bool is_host_memory =
        (step.operation == ACCD__DO_ALLOCATE || step.operation == ACCD__DO_FREE) && step.device < 0;
    if (status == ACCD_OK && !is_host_memory)
        status = accd__perform_routine(context->core, &call, &step);
    if (status == ACCD_OK)
        return push_step(L, &step);
    accd__push_error(L, context, status);
    char name[40];
    const char *const names = accd__get_routine(call.routine)->names;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(names, " "), names);
    accd__set_text(L, "help", accd__get_routine_help(name, status));
    return 2;
}

const luaL_Reg accd__routine_methods[] = {{"routine", l_routine}, {NULL, NULL}};
