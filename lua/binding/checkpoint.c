/* checkpoint.c - saved states of a context as Lua objects, and digests of states.
 *
 * A checkpoint object has the core's checkpoint, and the list of region and bounds objects that were open. Restoring
 * the checkpoint sets these Lua objects to their former regions and bounds, and closes those that were opened later. */
#include "accdeep_internal.h"
#include "binding.h"

#include <assert.h>
#include <string.h>

static const char checkpoint_name[] = "accdeep.checkpoint";

/* Checkpoint object, with the n region and bounds objects that were open. Its second user value, a list of these
 * objects, keeps them alive. */
struct checkpoint {
    struct accd__lua_handle handle;
    accd_checkpoint *core; /* checkpoint of the core; NULL: freed */
    size_t n;
    struct {
        struct accd__lua_opened *opened;
        void *core;
    } open[];
};

/* Frees the core's checkpoint of a checkpoint object (function `invalidate` of its handle). */
static void empty_checkpoint(struct accd__lua_handle *handle)
{
    assert(handle && handle->invalidate == empty_checkpoint);
    struct checkpoint *checkpoint = (struct checkpoint *)handle;
    accd_checkpoint_free(checkpoint->core);
    checkpoint->core = NULL;
}

/* context:checkpoint() -> object with the context's present state, for context:restore; or nil, error */
static int l_checkpoint(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    size_t n = 0;
    for (const struct accd__lua_handle *handle = context->opened; handle; handle = handle->next)
        n++;
    struct checkpoint *checkpoint = lua_newuserdatauv(L, sizeof *checkpoint + n * sizeof checkpoint->open[0], 2);
    *checkpoint = (struct checkpoint){.handle = {.invalidate = empty_checkpoint}};
    luaL_setmetatable(L, checkpoint_name);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    if (n && context->objects_ref != LUA_NOREF) {
        lua_createtable(L, (int)n, 0);
        lua_rawgeti(L, LUA_REGISTRYINDEX, context->objects_ref);
        for (struct accd__lua_handle *handle = context->opened; handle; handle = handle->next) {
            struct accd__lua_opened *opened = (struct accd__lua_opened *)handle;
            if (lua_rawgetp(L, -1, opened) == LUA_TNIL) { /* the object is garbage: Lua code can no longer use it */
                lua_pop(L, 1);
                continue;
            }
            checkpoint->open[checkpoint->n].opened = opened;
            checkpoint->open[checkpoint->n++].core = opened->core;
            lua_rawseti(L, -3, (lua_Integer)checkpoint->n);
        }
        lua_pop(L, 1);
        lua_setiuservalue(L, -2, 2);
    }
    accd_status status = accd_checkpoint_new(context->core, &checkpoint->core);
    if (status != ACCD_OK)
        return accd__push_error(L, context, status);
    accd__handle_link(&checkpoint->handle, context);
    return 1;
}

/* context:restore(checkpoint) -> true; or nil, error. Regions and bounds that were open at the checkpoint are open
 * again; all other regions and bounds are closed, and recorded events are dropped. Raises for a freed checkpoint, or
 * one of another context. */
static int l_restore(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    struct checkpoint *checkpoint = luaL_checkudata(L, 2, checkpoint_name);
    luaL_argcheck(L, checkpoint->core && checkpoint->handle.context == context, 2,
                  "the checkpoint was freed, or is of another context");
    accd_status status = accd_checkpoint_restore(checkpoint->core);
    if (status != ACCD_OK)
        return accd__push_error(L, context, status);
    while (context->opened) {
        struct accd__lua_opened *opened = (struct accd__lua_opened *)context->opened;
        opened->core = NULL;
        accd__handle_unlink(&opened->handle);
    }
    for (size_t i = checkpoint->n; i-- > 0;) {
        checkpoint->open[i].opened->core = checkpoint->open[i].core;
        accd__opened_link(checkpoint->open[i].opened, context);
    }
    accd__forget_events(&context->event_log);
    lua_pushboolean(L, 1);
    return 1;
}

/* context:digests(device [, numbers]) -> host, present, values, counters, rest; or nil, error. The results are
 * integers, hashes of the parts of the state that accd__digest_set describes. numbers: string of at most 64 numbers
 * of 32 bits each. They replace the numbers 1, 2, ... under which the hashes know the registered ranges of host
 * memory, in the order of registration. */
static int l_digests(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd__digest_set digests;
    size_t bytes;
    uint32_t numbers[64];
    const char *text = luaL_optlstring(L, 3, "", &bytes);
    luaL_argcheck(L, bytes <= sizeof numbers, 3, "these are more ranges than can be renamed");
    memcpy(numbers, text, bytes);
    accd_status status =
        accd__state_digests(context->core, accd__device_argument(L, 2), numbers, bytes / sizeof numbers[0], &digests);
    if (status != ACCD_OK)
        return accd__push_error(L, context, status);
    lua_pushinteger(L, (lua_Integer)digests.host);
    lua_pushinteger(L, (lua_Integer)digests.present);
    lua_pushinteger(L, (lua_Integer)digests.values);
    lua_pushinteger(L, (lua_Integer)digests.counters);
    lua_pushinteger(L, (lua_Integer)digests.rest);
    return 5;
}

/* checkpoint:free(): frees the checkpoint's memory at once; the checkpoint cannot be restored afterwards. Freeing it
 * again does nothing. */
static int l_free(lua_State *L)
{
    struct checkpoint *checkpoint = luaL_checkudata(L, 1, checkpoint_name);
    if (checkpoint->handle.context) {
        checkpoint->handle.context->L = L;
        empty_checkpoint(&checkpoint->handle);
    }
    accd__handle_unlink(&checkpoint->handle);
    return 0;
}

const luaL_Reg accd__checkpoint_methods[] = {
    {"checkpoint", l_checkpoint},
    {"restore", l_restore},
    {"digests", l_digests},
    {NULL, NULL},
};

/* Creates the class of checkpoint objects: its method `free`, which is also called for garbage. */
void accd__open_checkpoint_class(lua_State *L)
{
    luaL_newmetatable(L, checkpoint_name);
    lua_createtable(L, 0, 1);
    accd__set_function(L, "free", l_free);
    lua_setfield(L, -2, "__index");
    accd__set_function(L, "__gc", l_free);
    lua_pop(L, 1);
}
