/* open.c - opens and closes sessions: configuration, Lua state, cache of Lua states. */
#include "embed.h"

#include <lauxlib.h>

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Default allocator of sessions (an accd_allocator), which Lua can use directly. */
static void *default_allocator(void *ud, void *ptr, size_t old, size_t n)
{
    (void)ud;
    (void)old;
    if (n == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, n);
}

/* Allocates the interpreter's memory (a lua_Alloc); ud: a struct accd__meter. Resizes the block `ptr` of `old` bytes
 * to n bytes, or frees it if n is 0. Returns NULL after freeing, without memory, or if the limit would be exceeded,
 * which also sets `refused`. If ptr is NULL, Lua passes a type, not a size, as `old`. */
static void *metered_alloc(void *ud, void *ptr, size_t old, size_t n)
{
    struct accd__meter *meter = ud;
    size_t before = ptr ? old : 0;
    if (n > before && meter->most && meter->used + (n - before) > meter->most) {
        meter->refused = true;
        return NULL;
    }
    if (!ptr && n == 0)
        return NULL;
    void *block = meter->fn(meter->ud, ptr, before, n);
    if (block || n == 0)
        meter->used += n - before;
    return block;
}

/* ----------------------------------------------------------------------------- the interpreter -- */

/* Lua states of closed sessions, for later sessions: they have the modules and the grammar. Only states with the
 * default allocator and without a memory limit are cached. */
enum { CACHED_MOST = 8 };
static _Atomic(lua_State *) cached_states[CACHED_MOST];

/* Removes a state from the cache and returns the state; NULL: the cache is empty. Any thread may call this. */
static lua_State *take_cached_state(void)
{
    for (int i = 0; i < CACHED_MOST; i++) {
        lua_State *L = atomic_load(&cached_states[i]) ? atomic_exchange(&cached_states[i], NULL) : NULL;
        if (L)
            return L;
    }
    return NULL;
}

/* Empties the stack of a Lua state, collects its garbage, puts the state into the cache and returns true. Returns
 * false if the cache is full. The state must not be in a call. */
static bool cache_state(lua_State *L)
{
    assert(L);
    lua_settop(L, 0);
    lua_gc(L, LUA_GCCOLLECT);
    for (int i = 0; i < CACHED_MOST; i++) {
        lua_State *none = NULL;
        if (atomic_compare_exchange_strong(&cached_states[i], &none, L))
            return true;
    }
    return false;
}

/* Closes the cached states when the library is unloaded or the program ends. */
__attribute__((destructor)) static void close_cached_states(void)
{
    for (lua_State *L; (L = take_cached_state());)
        lua_close(L);
}

/* Returns a cached or new state for the session; NULL: no memory. Only sessions with the default allocator use the
 * cache. */
static lua_State *new_state(accd_session *a)
{
    lua_State *L = a->is_usual ? take_cached_state() : NULL;
    if (L)
        return L;
    L = a->is_usual ? lua_newstate(default_allocator, NULL) : lua_newstate(metered_alloc, &a->meter);
    if (L)
        lua_gc(L, LUA_GCGEN, 0, 0);
    return L;
}

/* Lua function (session): makes a->L a new Lua thread of the caller's state, and a->thread the registry reference to
 * this thread. */
static int new_thread(lua_State *L)
{
    accd_session *a = lua_touserdata(L, 1);
    a->L = lua_newthread(L);
    a->thread = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

/* Returns true if the process uses the Lua release that libaccdeep is linked with, because the layout of a state
 * differs between releases. If several Lua libraries are loaded, the loader's order decides which one the program uses.
 */
static bool is_same_lua_library(void)
{
    const char *program_ident = dlsym(RTLD_DEFAULT, "lua_ident");
    return !program_ident || !strcmp(program_ident, lua_ident);
}

/* Sets a->L to a state of the session, or to a thread of the configured state. On failure fills the error detail,
 * returns its status, and a->L is NULL. */
static accd_status make_state(accd_session *a, const accd_session_config *config)
{
    lua_State *L = config->L;
    if (!L) {
        a->L = new_state(a);
        return a->L ? ACCD_OK : accd__report_no_memory(a);
    }
    a->is_borrowed = true;
    if (lua_version(L) != LUA_VERSION_NUM || !is_same_lua_library())
        return accd__reject_call(a, ACCD_ERROR_MISUSE, "HOUSE-misuse",
                                 "the state is of another release of Lua than the library");
    if (!lua_checkstack(L, 3))
        return accd__report_no_memory(a);
    lua_pushcfunction(L, new_thread);
    lua_pushlightuserdata(L, a);
    if (lua_pcall(L, 1, 0, 0) == LUA_OK)
        return ACCD_OK;
    lua_pop(L, 1);
    a->L = NULL;
    return accd__report_no_memory(a);
}

/* -------------------------------------------------------------------------------------- opening -- */

/* Arguments of open_session. */
struct opening {
    accd_session *a;
    const accd_session_config *config;
    struct accd__lua_allocator allocator;
};

/* Sets field `key` of the table on top of the stack to `value`, unless that is 0, which stands for the default. */
static void set_number(lua_State *L, const char *key, uint64_t value)
{
    if (!value)
        return;
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, key);
}

/* Pushes the configuration as the options table of accdeep.embed. */
static void push_options(lua_State *L, struct opening *opening)
{
    const accd_session_config *config = opening->config;
    lua_newtable(L);
    accd__set_text(L, "device", config->device);
    accd__set_text(L, "rules", config->rules);
    accd__set_text(L, "language", config->language);
    accd__set_text(L, "descriptors", config->descriptors);
    accd__set_text(L, "async", config->async);
    set_number(L, "devices", config->devices);
    set_number(L, "device_bytes", config->device_bytes);
    set_number(L, "threads", config->threads);
    accd__set_boolean(L, "strict", config->strict);
    lua_pushlightuserdata(L, &opening->allocator);
    lua_setfield(L, -2, "allocator");
}

/* Lua function (struct opening): loads the library, opens the Lua session, and sets the session's references, context
 * and core. Raises on failure. */
static int open_session(lua_State *L)
{
    struct opening *opening = lua_touserdata(L, 1);
    accd_session *a = opening->a;
    accd__push_library(L);
    lua_pushboolean(L, 0);
    a->detail_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_getfield(L, -1, "limit");
    a->limit_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushvalue(L, -1);
    a->library = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_getfield(L, -1, "open");
    push_options(L, opening);
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "ctx");
    struct accd__lua_context *context = accd__check_context(L, -1);
    lua_pop(L, 1);
    a->self = luaL_ref(L, LUA_REGISTRYINDEX);
    a->context = context;
    a->core = context->core;
    return 0;
}

/* Returns true if all `reserved` members of the configuration are zero; others were set by a program for a later
 * version. */
static bool is_zero(const accd_session_config *config)
{
    for (size_t i = 0; i < sizeof config->reserved / sizeof config->reserved[0]; i++)
        if (config->reserved[i])
            return false;
    return true;
}

/* Checks the configuration, makes the Lua state and opens the Lua session and its context. On failure fills the error
 * detail and returns its status; the session can then only be freed. */
static accd_status open_core(accd_session *a, const accd_session_config *config)
{
    if (!is_zero(config))
        return accd__reject_call(a, ACCD_ERROR_MISUSE, "HOUSE-misuse",
                                 "the configuration has fields that this version does not know");
    if (config->max_memory && config->L)
        return accd__reject_call(a, ACCD_ERROR_MISUSE, "HOUSE-misuse",
                                 "the memory of a Lua state of yours is not counted here");
    if (config->devices > INT32_MAX || config->device_bytes > INT64_MAX)
        return accd__reject_call(a, ACCD_ERROR_MISUSE, "HOUSE-misuse", "a number is too large");
    accd_status status = make_state(a, config);
    if (status != ACCD_OK)
        return status;
    *(accd_session **)lua_getextraspace(a->L) = a;
    struct opening opening = {a, config, {a->meter.fn, a->meter.ud}};
    status = accd__call_protected(a, open_session, &opening);
    if (status != ACCD_OK)
        return status;
    accd_context_set_event_handler(a->core, config->on_event, config->event_ud);
    return ACCD_OK;
}

/* Opens a session with a configuration; NULL: the defaults. Sets *a_p even on failure, so that the error can be asked
 * for, unless there is no memory for the session. */
accd_status accd_session_new(accd_session **a_p, const accd_session_config *config)
{
    static const accd_session_config default_config;
    if (!a_p)
        return ACCD_ERROR_MISUSE;
    *a_p = NULL;
    if (!config)
        config = &default_config;
    struct accd__meter meter = {
        .fn = config->alloc ? config->alloc : default_allocator,
        .ud = config->alloc_ud,
        .most = config->max_memory,
    };
    accd_session *a = meter.fn(meter.ud, NULL, 0, sizeof *a);
    if (!a)
        return ACCD_ERROR_OUT_OF_MEMORY;
    *a = (accd_session){
        .magic = ACCD_MAGIC,
        .meter = meter,
        .is_usual = !config->alloc && !config->max_memory,
        .self = LUA_NOREF,
        .library = LUA_NOREF,
        .thread = LUA_NOREF,
        .detail_ref = LUA_NOREF,
        .limit_ref = LUA_NOREF,
        .max_steps = config->max_steps,
        .generation = 1,
    };
    atomic_init(&a->owner, (uintptr_t)pthread_self());
    *a_p = a;
    return open_core(a, config);
}

/* -------------------------------------------------------------------------------------- closing -- */

/* Lua function (pointer to session): closes the Lua session and its context. */
static int close_session(lua_State *L)
{
    accd_session *a = *(accd_session **)lua_touserdata(L, 1);
    accd__push_method(L, a, "close");
    lua_call(L, 1, 0);
    return 0;
}

/* Releases the session's registry references in its Lua state, which outlives the session. */
static void detach_state(accd_session *a)
{
    assert(a->L);
    lua_State *L = a->L;
    for (accd_prepared *handle = a->handles; handle; handle = handle->next)
        luaL_unref(L, LUA_REGISTRYINDEX, handle->ref);
    const int refs[] = {a->self, a->library, a->detail_ref, a->limit_ref, a->thread};
    for (size_t i = 0; i < sizeof refs / sizeof refs[0]; i++)
        luaL_unref(L, LUA_REGISTRYINDEX, refs[i]);
}

/* Leaves a state that the program configured to the program. Caches a state of the library's own if possible,
 * otherwise closes it. is_whole: true if the Lua session was closed without an error. */
static void release_state(accd_session *a, bool is_whole)
{
    bool is_reusable = a->is_borrowed || (a->is_usual && is_whole);
    if (is_reusable)
        detach_state(a);
    if (!a->is_borrowed && !(is_reusable && cache_state(a->L)))
        lua_close(a->L);
}

/* Closes a session: abandons its regions, closes its context, and frees the session. Handles of prepared directives
 * stay, without a session. */
accd_status accd_session_free(accd_session *a)
{
    if (!a)
        return ACCD_OK;
    accd_status status = accd__check_can_close(a, ACCD_HERE);
    if (status != ACCD_OK)
        return status;
    while (a->regions)
        accd__drop_regions(a, a->regions);
    a->max_steps = 0; /* closing must not fail because of a limit */
    a->meter.most = 0;
    bool is_whole = a->core && accd__call_protected(a, close_session, &a) == ACCD_OK && !a->is_broken;
    if (a->L)
        release_state(a, is_whole);
    for (accd_prepared *handle = a->handles, *next; handle; handle = next) {
        next = handle->next;
        handle->a = NULL;
    }
    a->magic = 0;
    struct accd__meter meter = a->meter;
    meter.fn(meter.ud, a, sizeof *a, 0);
    return ACCD_OK;
}
