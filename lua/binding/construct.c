/* construct.c - prepared constructs, open regions and bounds as Lua objects.
 *
 * Lua prepares a construct once for each directive. The items have code that the core runs to locate them
 * (item_source), so executing the construct again costs one call from Lua. */
#include "binding.h"

#include <abi/ir/accdeep_ir.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char construct_name[] = "accdeep.construct", region_name[] = "accdeep.region",
                  bounds_name[] = "accdeep.bounds";

enum { NO_REGISTER = -1 };

/* Code that locates an item: computes its address and size. */
struct item_source {
    accd_item_code place;
    bool constant, located; /* constant: the code has constants only; located: constant code has run, so item->host and
                               item->bytes are final */
    bool calls;             /* the code calls functions of the host program */
    accd_stride *dims;      /* dimensions of a section with gaps; NULL: no gaps */
    int64_t *values;        /* values of the parameters of the item's mapping program */
    int frame;              /* number of the input with the address of the item's frame; -1: item->frame is final */
};

/* Prepared construct. */
struct accd__lua_construct {
    struct accd__lua_handle handle;
    accd_construct_kind kind;
    bool finalize;
    const char *name, *file; /* texts that the object's user values keep alive */
    int line;
    size_t nitems; /* number of `items` and of `sources`: item i is located by source i */
    accd_item *items;
    struct item_source *sources;
    int64_t *inputs; /* parameters of the items' code; NULL: it has none, or they are not set yet */
};

/* Releases the programs and frees the items of a construct object, which then has none (function `invalidate` of its
 * handle). */
static void empty_construct(struct accd__lua_handle *handle)
{
    assert(handle && handle->invalidate == empty_construct);
    struct accd__lua_construct *construct = (struct accd__lua_construct *)handle;
    for (size_t i = 0; i < construct->nitems; i++) {
        accd_program_release(construct->items[i].program);
        free((void *)(uintptr_t)construct->sources[i].place.code);
        free((void *)(uintptr_t)construct->sources[i].place.params);
        free(construct->sources[i].dims);
        free(construct->sources[i].values);
    }
    free(construct->items);
    free(construct->sources);
    free(construct->inputs);
    construct->inputs = NULL;
    construct->nitems = 0;
    construct->items = NULL;
    construct->sources = NULL;
}

/* Reads the dimensions of a section with gaps from the table at index `link`: dims = {count, step, count, step ...},
 * and run, the bytes between two gaps. Leaves *item without gaps if dims is nil. Raises for more than 15 dimensions,
 * for values that are no integers, or without memory. */
static void read_gaps(lua_State *L, int link, accd_item *item, struct item_source *source)
{
    enum { MOST = 15 };
    if (lua_getfield(L, link, "dims") == LUA_TTABLE) {
        size_t n = lua_rawlen(L, -1) / 2;
        if (n > MOST)
            luaL_error(L, "a section has at most %d dimensions", MOST);
        source->dims = calloc(n + 1, sizeof source->dims[0]);
        if (!source->dims)
            luaL_error(L, "not enough memory");
        for (size_t i = 0; i < 2 * n; i++) {
            lua_rawgeti(L, -1, (lua_Integer)i + 1);
            uint64_t value = (uint64_t)luaL_checkinteger(L, -1);
            *(i % 2 ? &source->dims[i / 2].step : &source->dims[i / 2].count) = value;
            lua_pop(L, 1);
        }
        item->dims = source->dims;
        item->ndims = (uint8_t)n;
        item->run = (uint64_t)accd__get_integer(L, link, "run", 0);
    }
    lua_pop(L, 1);
}

/* Returns the host address in field `key` of the table at index `link`, an integer or a symbol; NULL: the field is nil.
 */
static const void *get_address(lua_State *L, int link, const char *key)
{
    const lua_Integer address = lua_getfield(L, link, key) == LUA_TNIL ? 0 : accd__symbol_value(L, -1);
    lua_pop(L, 1);
    return (const void *)(uintptr_t)address;
}

/* Reads item number `index`, from 0, of a construct from the table at index `link`. The table's fields are named as
 * the members of accd_item and accd_item_code, except `room` for frame_bytes, `slot_address` for accd_item's slot,
 * and `indices` for index. code: list of five values for each instruction; params: list of registers; label, program:
 * tables. Raises for other values or without memory; the construct can then still be emptied. */
static void read_source(lua_State *L, int link, struct accd__lua_construct *construct, size_t index)
{
    assert(index < construct->nitems);
    accd_item *item = &construct->items[index];
    struct item_source *source = &construct->sources[index];
    item->action = (uint8_t)accd__get_integer(L, link, "action", 0);
    item->flags = (uint16_t)accd__get_integer(L, link, "flags", 0);
    struct accd__lua_context *context = construct->handle.context;
    item->label = accd__get_label(L, context, link);
    item->frame = get_address(L, link, "frame");
    item->frame_bytes = (uint64_t)accd__get_integer(L, link, "room", 0);
    item->slot_bytes = (uint32_t)accd__get_integer(L, link, "slot_bytes", 0);
    read_gaps(L, link, item, source);
    item->slot = get_address(L, link, "slot_address");
    source->frame = -1;
    accd_item_code *place = &source->place;
    *place = (accd_item_code){
        .registers = (unsigned)accd__get_integer(L, link, "registers", 0),
        .base = (int)accd__get_integer(L, link, "base", NO_REGISTER),
        .start = (int)accd__get_integer(L, link, "start", NO_REGISTER),
        .count = (int)accd__get_integer(L, link, "count", NO_REGISTER),
        .slot = (int)accd__get_integer(L, link, "slot", NO_REGISTER),
        .origin = (int)accd__get_integer(L, link, "origin", NO_REGISTER),
        .unit = (uint64_t)accd__get_integer(L, link, "unit", 0),
        .index = {NO_REGISTER, NO_REGISTER, NO_REGISTER},
    };
    if (lua_getfield(L, link, "indices") == LUA_TTABLE)
        for (int i = 0; i < ACCD_MAX_LABEL_INDICES; i++) {
            lua_rawgeti(L, -1, i + 1);
            place->index[i] = (int)luaL_optinteger(L, -1, NO_REGISTER);
            lua_pop(L, 1);
        }
    lua_pop(L, 1);
    lua_getfield(L, link, "code");
    const accd_instruction *code = accd__read_code(L, lua_gettop(L), &place->ncode);
    accd_instruction *copy = malloc((place->ncode + 1) * sizeof *code);
    place->code = copy;
    source->constant = true;
    for (size_t i = 0; copy && i < place->ncode; i++) {
        copy[i] = code[i];
        source->constant &= code[i].op == ACCD_I_CONST;
        source->calls |= code[i].op == ACCD_I_CALL || code[i].op == ACCD_I_CALL_IF;
    }
    lua_pop(L, 2);
    lua_getfield(L, link, "params");
    size_t nparams = lua_isnil(L, -1) ? 0 : lua_rawlen(L, -1);
    int *params = malloc((nparams + 1) * sizeof *params);
    place->params = params;
    source->values = malloc((nparams + 1) * sizeof source->values[0]);
    if (!copy || !params || !source->values)
        luaL_error(L, "not enough memory");
    for (; place->nparams < nparams; place->nparams++) {
        lua_rawgeti(L, -1, (lua_Integer)place->nparams + 1);
        params[place->nparams] = (int)luaL_checkinteger(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    if (lua_getfield(L, link, "program") != LUA_TNIL) {
        accd_program *program = accd__check_program(L, context, -1);
        item->program = program;
        accd_program_retain(program);
    }
    lua_pop(L, 1);
}

/* Pushes an empty construct object with space for n items, and returns it. The two texts on top of the stack become
 * its name and file, and are removed. `index`: stack index of the context. Raises without memory. */
static struct accd__lua_construct *push_construct(lua_State *L, int index, size_t n)
{
    struct accd__lua_construct *construct = lua_newuserdatauv(L, sizeof *construct, 3);
    *construct = (struct accd__lua_construct){.handle = {.invalidate = empty_construct}};
    luaL_setmetatable(L, construct_name);
    lua_pushvalue(L, index);
    lua_setiuservalue(L, -2, 1);
    construct->name = lua_tostring(L, -3);
    construct->file = lua_tostring(L, -2);
    lua_pushvalue(L, -3);
    lua_setiuservalue(L, -2, 2);
    lua_pushvalue(L, -2);
    lua_setiuservalue(L, -2, 3);
    lua_replace(L, -3);
    lua_pop(L, 1);
    construct->items = calloc(n + 1, sizeof construct->items[0]);
    construct->sources = calloc(n + 1, sizeof construct->sources[0]);
    accd__handle_link(&construct->handle, accd__check_context(L, index));
    if (!construct->items || !construct->sources)
        luaL_error(L, "not enough memory");
    return construct;
}

/* context:construct{kind=, name=, file=, line=, finalize=, {item}...} -> construct. kind: a number of core.kind.
 * read_source lists the fields of an item. Raises for wrong fields or without memory. */
int accd__l_construct(lua_State *L)
{
    luaL_checktype(L, 2, LUA_TTABLE);
    size_t n = lua_rawlen(L, 2);
    lua_getfield(L, 2, "name");
    lua_getfield(L, 2, "file");
    struct accd__lua_construct *construct = push_construct(L, 1, n);
    const int self = lua_gettop(L);
    construct->kind = (accd_construct_kind)accd__get_integer(L, 2, "kind", 0);
    construct->finalize = accd__get_boolean(L, 2, "finalize");
    construct->line = (int)accd__get_integer(L, 2, "line", 0);
    for (size_t i = 0; i < n; i++) {
        construct->nitems = i + 1;
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        read_source(L, lua_gettop(L), construct, i);
        lua_settop(L, self);
    }
    return 1;
}

/* Returns a copy of n elements of `size` bytes, which the caller frees; NULL without memory. */
static void *copy_array(const void *from, size_t n, size_t size)
{
    void *copy = calloc(n + 1, size);
    if (copy && n)
        memcpy(copy, from, n * size);
    return copy;
}

/* Pushes a construct object for a construct of a text. */
void accd__push_ir_construct(lua_State *L, int index, const accd_ir_statement *statement)
{
    lua_pushstring(L, statement->name);
    lua_pushstring(L, statement->file);
    struct accd__lua_construct *construct = push_construct(L, index, statement->nitems);
    construct->kind = statement->construct;
    construct->finalize = statement->finalize;
    construct->line = statement->file_line;
    for (size_t i = 0; i < statement->nitems; i++) {
        const accd_ir_item *from = &statement->items[i];
        struct item_source *source = &construct->sources[i];
        construct->items[i] = from->item;
        accd_program_retain(from->item.program);
        *source = (struct item_source){.place = from->code, .frame = from->frame};
        construct->nitems = i + 1;
        source->place.code = copy_array(from->code.code, from->code.ncode, sizeof from->code.code[0]);
        source->place.params = copy_array(from->code.params, from->code.nparams, sizeof from->code.params[0]);
        source->values = calloc(from->code.nparams + 1, sizeof source->values[0]);
        source->dims = copy_array(from->item.dims, from->item.ndims, sizeof from->item.dims[0]);
        construct->items[i].dims = from->item.dims ? source->dims : NULL;
        if (!source->place.code || !source->place.params || !source->values || !source->dims)
            luaL_error(L, "not enough memory");
        for (size_t k = 0; k < from->code.ncode; k++)
            source->calls |= from->code.code[k].op == ACCD_I_CALL || from->code.code[k].op == ACCD_I_CALL_IF;
    }
}

/* construct:set_inputs{integer...}: sets the inputs of a construct that was read from a text, to be called once, before
 * it runs. Raises for other values or without memory. */
static int l_set_inputs(lua_State *L)
{
    struct accd__lua_construct *construct = accd__check_construct(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    const size_t n = lua_rawlen(L, 2);
    luaL_argcheck(L, !construct->inputs, 1, "the construct has inputs already");
    construct->inputs = calloc(n + 1, sizeof construct->inputs[0]);
    if (!construct->inputs)
        return luaL_error(L, "not enough memory");
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        construct->inputs[i] = luaL_checkinteger(L, -1);
        lua_pop(L, 1);
    }
    for (size_t i = 0; i < construct->nitems; i++) {
        const int frame = construct->sources[i].frame;
        luaL_argcheck(L, frame < (int)n, 2, "inputs are missing");
        if (frame >= 0)
            construct->items[i].frame = (const void *)(uintptr_t)construct->inputs[frame];
    }
    return 0;
}

/* Metamethod __gc: releases the programs and items of a construct, and removes its handle from the context. */
static int construct_gc(lua_State *L)
{
    struct accd__lua_construct *construct = luaL_checkudata(L, 1, construct_name);
    if (construct->handle.context)
        empty_construct(&construct->handle);
    accd__handle_unlink(&construct->handle);
    return 0;
}

/* Locates an item: runs the code of *source with `inputs` as its parameters, which sets address and bytes of *item.
 * Constant code runs until it has succeeded once. Fails if the code of *source fails: an invalid section, a function
 * that raised, or no memory. */
static accd_status locate_item(accd_context *core, accd_item *item, struct item_source *source, const int64_t *inputs)
{
    assert(core && item && source);
    if (source->located)
        return ACCD_OK;
    accd_status status = accd_item_locate(core, &source->place, inputs, source->values, item);
    source->located = source->constant && status == ACCD_OK;
    return status;
}

/* Marks a region object as closed (function `invalidate` of its handle). Does not end the core's region, which is
 * freed with the context. */
static void empty_region(struct accd__lua_handle *handle)
{
    ((struct accd__lua_opened *)handle)->core = NULL;
}

/* Returns the construct at `index`. Raises for other values, or if its context is closed. */
struct accd__lua_construct *accd__check_construct(lua_State *L, int index)
{
    struct accd__lua_construct *construct = luaL_checkudata(L, index, construct_name);
    luaL_argcheck(L, construct->handle.context, index, "the construct's context is closed");
    return construct;
}

/* Returns true if executing the construct opens a region. */
static bool opens_region(const struct accd__lua_construct *construct)
{
    return construct->kind == ACCD_KIND_REGION || construct->kind == ACCD_KIND_COMPUTE;
}

/* Locates the items of a construct (computes their addresses), and executes the construct in the core. Sets *item_p
 * to the number of an item that could not be located, or to 0. */
accd_status accd__construct_run(struct accd__lua_construct *construct, int device, unsigned queue,
                                accd_region **region_p, size_t *item_p)
{
    assert(construct->handle.context && item_p);
    accd_context *core = construct->handle.context->core;
    *item_p = 0;
    for (size_t i = 0; i < construct->nitems; i++) {
        accd_status status = locate_item(core, &construct->items[i], &construct->sources[i], construct->inputs);
        if (status != ACCD_OK) {
            *item_p = i + 1;
            return status;
        }
    }
    return accd_run_construct(core,
                              &(accd_construct){
                                  .device = device,
                                  .kind = construct->kind,
                                  .finalize = construct->finalize,
                                  .items = construct->items,
                                  .nitems = construct->nitems,
                                  .name = construct->name,
                                  .file = construct->file,
                                  .line = construct->line,
                                  .queue = queue,
                              },
                              opens_region(construct) ? region_p : NULL);
}

/* construct:run(device [, queue]) -> the region that the construct opens; true, if the construct opens no region; or
 * nil, error. queue: a number of context:queue; nil or 0: none. */
static int l_run(lua_State *L)
{
    struct accd__lua_construct *construct = accd__check_construct(L, 1);
    struct accd__lua_context *context = construct->handle.context;
    lua_Integer device = luaL_checkinteger(L, 2);
    lua_Integer queue = luaL_optinteger(L, 3, 0);
    context->L = L;
    bool opens = opens_region(construct);
    struct accd__lua_opened *region = NULL;
    accd_region *core = NULL;
    if (opens) {
        region = lua_newuserdatauv(L, sizeof *region, 2);
        *region = (struct accd__lua_opened){{.invalidate = empty_region}, NULL};
        lua_getiuservalue(L, 1, 1);
        lua_setiuservalue(L, -2, 1);
        lua_pushvalue(L, 1); /* the construct keeps names alive that the region uses */
        lua_setiuservalue(L, -2, 2);
        accd__opened_register(L, -1, context);
    }
    size_t item;
    accd_status status = accd__construct_run(construct, (int)device, (unsigned)queue, opens ? &core : NULL, &item);
    if (status != ACCD_OK)
        return accd__push_item_error(L, context, status, item);
    if (!opens) {
        lua_pushboolean(L, 1);
        return 1;
    }
    region->core = core;
    accd__opened_link(region, context);
    luaL_setmetatable(L, region_name);
    return 1;
}

/* Function that construct:step returns: (device, queue) -> true; or nil, error. Executes the construct, upvalue 1.
 * Raises if the context is closed. */
static int l_run_step(lua_State *L)
{
    struct accd__lua_construct *construct = lua_touserdata(L, lua_upvalueindex(1));
    struct accd__lua_context *context = construct->handle.context;
    if (!context)
        return luaL_error(L, "the construct's context is closed");
    context->L = L;
    size_t item;
    accd_status status =
        accd__construct_run(construct, (int)lua_tointeger(L, 1), (unsigned)lua_tointeger(L, 2), NULL, &item);
    if (status != ACCD_OK)
        return accd__push_item_error(L, context, status, item);
    lua_pushboolean(L, 1);
    return 1;
}

/* construct:step() -> a function (device, queue) that executes the construct, and does not check its arguments.
 * Raises if the construct opens a region. */
static int l_step(lua_State *L)
{
    luaL_argcheck(L, !opens_region(accd__check_construct(L, 1)), 1, "the construct opens a region");
    lua_settop(L, 1);
    lua_pushcclosure(L, l_run_step, 1);
    return 1;
}

/* construct:where(item) -> host address and size in bytes that an item had in the last execution. item: number of the
 * item, from 1; raises for other values. */
static int l_where(lua_State *L)
{
    struct accd__lua_construct *construct = luaL_checkudata(L, 1, construct_name);
    size_t item = (size_t)luaL_checkinteger(L, 2) - 1;
    luaL_argcheck(L, item < construct->nitems, 2, "no such item");
    lua_pushinteger(L, (lua_Integer)(uintptr_t)construct->items[item].host);
    lua_pushinteger(L, (lua_Integer)construct->items[item].bytes);
    return 2;
}

/* Frees the core's bounds of a bounds object (function `invalidate` of its handle). */
static void empty_bounds(struct accd__lua_handle *handle)
{
    struct accd__lua_opened *bounds = (struct accd__lua_opened *)handle;
    accd_bounds_free(bounds->core);
    bounds->core = NULL;
}

/* construct:bounds(item) -> object with the bounds of the sections that the item has now; nothing if the item's code
 * calls functions of the scenario; or nil, error. item: number of the item, from 1; raises for other values. */
static int l_bounds(lua_State *L)
{
    struct accd__lua_construct *construct = accd__check_construct(L, 1);
    struct accd__lua_context *context = construct->handle.context;
    size_t item = (size_t)luaL_checkinteger(L, 2) - 1;
    luaL_argcheck(L, item < construct->nitems, 2, "no such item");
    if (construct->sources[item].calls)
        return 0;
    context->L = L;
    struct accd__lua_opened *bounds = lua_newuserdatauv(L, sizeof *bounds, 1);
    accd_bounds *core = NULL;
    *bounds = (struct accd__lua_opened){.handle = {.invalidate = empty_bounds}};
    luaL_setmetatable(L, bounds_name);
    lua_getiuservalue(L, 1, 1); /* bounds keep the context alive */
    lua_setiuservalue(L, -2, 1);
    accd__opened_register(L, -1, context);
    accd_status status =
        locate_item(context->core, &construct->items[item], &construct->sources[item], construct->inputs);
    if (status == ACCD_OK)
        status = accd_bounds_new(context->core, &construct->items[item], &core);
    if (status != ACCD_OK)
        return accd__push_error(L, context, status);
    bounds->core = core;
    accd__opened_link(bounds, context);
    return 1;
}

/* bounds:changed(later) -> descriptions of the first section that differs, as it was in `bounds` and in `later`;
 * nothing if no section differs */
static int l_bounds_changed(lua_State *L)
{
    const struct accd__lua_opened *then = luaL_checkudata(L, 1, bounds_name), *now = luaL_checkudata(L, 2, bounds_name);
    accd_bounds_change change;
    if (!accd_bounds_changed(then->core, now->core, &change))
        return 0;
    lua_pushstring(L, change.then);
    lua_pushstring(L, change.now);
    return 2;
}

/* Metamethod __gc: frees the bounds in the core, if the context is open, and removes the handle from the context. */
static int bounds_gc(lua_State *L)
{
    struct accd__lua_opened *bounds = luaL_checkudata(L, 1, bounds_name);
    if (bounds->handle.context)
        empty_bounds(&bounds->handle);
    accd__handle_unlink(&bounds->handle);
    return 0;
}

/* Returns the core's region of the region object at `index`. Raises for other values, or if the region is closed. */
accd_region *accd__check_region(lua_State *L, int index)
{
    struct accd__lua_opened *region = luaL_checkudata(L, index, region_name);
    luaL_argcheck(L, region->core, index, "the region is closed");
    return region->core;
}

/* region:close() -> true; or nil, error, and the region stays open. Raises if the region is closed. */
static int l_region_close(lua_State *L)
{
    struct accd__lua_opened *region = luaL_checkudata(L, 1, region_name);
    if (!region->core)
        return luaL_error(L, "the region is closed");
    struct accd__lua_context *context = region->handle.context;
    context->L = L;
    accd_status status = accd_region_end(region->core);
    if (status != ACCD_OK)
        return accd__push_error(L, context, status);
    region->core = NULL;
    accd__handle_unlink(&region->handle);
    lua_pushboolean(L, 1);
    return 1;
}

/* region:abandon(): closes the region, if it is open, without copying to the host. */
static int l_region_abandon(lua_State *L)
{
    struct accd__lua_opened *region = luaL_checkudata(L, 1, region_name);
    if (region->core)
        accd_region_abandon(region->core);
    region->core = NULL;
    accd__handle_unlink(&region->handle);
    return 0;
}

/* region:is_open() -> true if the region is open */
static int l_region_is_open(lua_State *L)
{
    lua_pushboolean(L, ((struct accd__lua_opened *)luaL_checkudata(L, 1, region_name))->core != NULL);
    return 1;
}

/* Metamethod __gc: unlinks a region object that was not closed. The region stays open in the core, where the session
 * finds and reports it. */
static int region_gc(lua_State *L)
{
    accd__handle_unlink(luaL_checkudata(L, 1, region_name));
    return 0;
}

/* Creates the classes of constructs, regions and bounds. */
void accd__open_construct_class(lua_State *L)
{
    static const luaL_Reg construct_methods[] = {
        {"run", l_run},     {"step", l_step},     {"set_inputs", l_set_inputs},
        {"where", l_where}, {"bounds", l_bounds}, {NULL, NULL},
    };
    static const luaL_Reg bounds_methods[] = {{"changed", l_bounds_changed}, {NULL, NULL}};
    static const luaL_Reg region_methods[] = {
        {"close", l_region_close},
        {"abandon", l_region_abandon},
        {"is_open", l_region_is_open},
        {NULL, NULL},
    };
    luaL_newmetatable(L, construct_name);
    luaL_newlib(L, construct_methods);
    lua_setfield(L, -2, "__index");
    accd__set_function(L, "__gc", construct_gc);
    luaL_newmetatable(L, region_name);
    luaL_newlib(L, region_methods);
    lua_setfield(L, -2, "__index");
    accd__set_function(L, "__gc", region_gc);
    luaL_newmetatable(L, bounds_name);
    luaL_newlib(L, bounds_methods);
    lua_setfield(L, -2, "__index");
    accd__set_function(L, "__gc", bounds_gc);
    lua_pop(L, 3);
}
