/* protect.c - what an error says, protection of Lua, memory. */
#include "embed.h"

#include <lauxlib.h>

#include <stdio.h>
#include <string.h>

static accd_status report(accd *a, const accd_detail *detail)
{
    a->detail = *detail;
    snprintf(a->shown, sizeof a->shown, "accdeep: error[%s]: %s\n  rule: %s", detail->code,
             detail->message, detail->rule);
    a->message = a->shown;
    return detail->status;
}

accd_status accd_refuse(accd *a, accd_status status, const char *which, const char *message)
{
    return report(a, &(accd_detail){.status = status,
                                  .code = accd_status_code(status),
                                  .message = message,
                                  .rule = which});
}

accd_status accd_fail_core(accd *a, accd_status status)
{
    const accd_error *error = accd_context_error(a->core);
    snprintf(a->sentence, sizeof a->sentence, "%s", error->message);
    return report(a, &(accd_detail){.status = status,
                                  .code = accd_status_code(status),
                                  .message = a->sentence,
                                  .rule = error->rule,
                                  .objects = {error->asked, error->other}});
}

accd_status accd_no_memory(accd *a)
{
    if (a->meter.refused)
        return accd_refuse(a, ACCD_LIMIT, "HOUSE-limit",
                           "the interpreter needs more memory than the limit allows");
    return accd_refuse(a, ACCD_OUT_OF_MEMORY, "HOUSE-memory", "the host has not enough memory");
}

/* A code as a status: that of its name, else what is said of its phase. */
static accd_status status_of(const char *code, const char *phase)
{
    for (int i = 1; i < ACCD_STATUS_COUNT; i++)
        if (!strcmp(code, accd_status_code((accd_status)i)))
            return (accd_status)i;
    return !strcmp(phase, "internal") ? ACCD_INTERNAL : ACCD_INVALID;
}

static const char *text_field(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    const char *text = lua_tostring(L, -1); /* the table keeps it */
    lua_pop(L, 1);
    return text;
}

static int number_field(lua_State *L, const char *key)
{
    return (int)get_integer(L, lua_gettop(L), key, 0);
}

static void read_object(lua_State *L, int n, accd_object_info *info)
{
    if (lua_rawgeti(L, -1, n) == LUA_TTABLE) {
        const char *name = text_field(L, "name");
        snprintf(info->name, sizeof info->name, "%s", name ? name : "");
        info->host = (uint64_t)get_integer(L, lua_gettop(L), "host", 0);
        info->bytes = (uint64_t)get_integer(L, lua_gettop(L), "bytes", 0);
        info->file = text_field(L, "file");
        info->line = number_field(L, "line");
    }
    lua_pop(L, 1);
}

struct telling {
    accd *a;
    accd_detail detail;
    const char *shown;
};

/* (request, error): what it says, kept in the registry. */
static int tell(lua_State *L)
{
    struct telling *telling = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, telling->a->library);
    lua_getfield(L, -1, "reported");
    lua_pushvalue(L, 2);
    lua_call(L, 1, 1);
    telling->shown = text_field(L, "shown");
    accd_detail *detail = &telling->detail;
    *detail = (accd_detail){
        .code = text_field(L, "code"),
        .message = text_field(L, "message"),
        .rule = text_field(L, "rule"),
        .help = text_field(L, "help"),
        .file = text_field(L, "file"),
        .line = number_field(L, "line"),
        .column = number_field(L, "column"),
        .text = text_field(L, "text"),
    };
    detail->status = status_of(detail->code, text_field(L, "phase"));
    lua_getfield(L, -1, "objects");
    read_object(L, 1, &detail->objects[0]);
    read_object(L, 2, &detail->objects[1]);
    lua_pop(L, 1);
    lua_rawseti(L, LUA_REGISTRYINDEX, telling->a->detail_ref);
    return 0;
}

/* (a): the interpreter gives up what it only keeps to save time. */
static int relieve(lua_State *L)
{
    accd_push_method(L, lua_touserdata(L, 1), "relieve");
    lua_call(L, 1, 0);
    return 0;
}

/* Tells that memory ran out, in Lua. */
static accd_status out_of_memory(accd *a)
{
    accd_status status = accd_no_memory(a);
    if (a->self == LUA_NOREF)
        return status;
    lua_pushcfunction(a->L, relieve);
    lua_pushlightuserdata(a->L, a);
    if (lua_pcall(a->L, 1, 0, 0) != LUA_OK)
        lua_pop(a->L, 1);
    return status;
}

/* Tells of the error at the stack's top, which is popped. */
static accd_status tell_error(accd *a, int failure)
{
    lua_State *L = a->L;
    struct telling telling = {.a = a};
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    if (failure == LUA_ERRMEM || (text && !strcmp(text, "not enough memory"))) { /* caught, raised again */
        lua_pop(L, 1);
        return out_of_memory(a);
    }
    if (a->library == LUA_NOREF) { /* it could not be opened: in a state of the host's, because of that */
        snprintf(a->sentence, sizeof a->sentence, "%s", text ? text : "?");
        lua_pop(L, 1);
        return a->borrowed ? accd_refuse(a, ACCD_MISUSE, "HOUSE-misuse", a->sentence)
                           : accd_refuse(a, ACCD_INTERNAL, "HOUSE-internal", a->sentence);
    }
    lua_pushcfunction(L, tell);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, &telling);
    lua_insert(L, -2);
    failure = lua_pcall(L, 2, 0, 0);
    if (failure != LUA_OK) {
        lua_pop(L, 1);
        return failure == LUA_ERRMEM ? out_of_memory(a)
                                     : accd_refuse(a, ACCD_INTERNAL, "HOUSE-internal",
                                                   "an error cannot be reported");
    }
    a->detail = telling.detail;
    a->message = telling.shown;
    return a->detail.status;
}

/* ---------------------------------------------------------------------------------- protection -- */

/* Once the steps are used up every further one raises, whoever catches the error. */
enum { STEPS = 1000 };

static void on_steps(lua_State *L, lua_Debug *debug)
{
    (void)debug;
    accd *a = *(accd **)lua_getextraspace(L);
    a->steps += STEPS;
    if (a->steps < a->steps_most)
        return;
    lua_sethook(L, on_steps, LUA_MASKCOUNT, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, a->limit_ref);
    lua_error(L);
}

accd_status accd_protected(accd *a, lua_CFunction fn, void *request)
{
    enum { ROOM = 24 };
    lua_State *L = a->L;
    a->meter.refused = false;
    a->steps = 0;
    if (!lua_checkstack(L, ROOM))
        return accd_no_memory(a);
    lua_pushcfunction(L, fn);
    lua_pushlightuserdata(L, request);
    bool is_bounded = a->steps_most && a->limit_ref != LUA_NOREF;
    if (is_bounded)
        lua_sethook(L, on_steps, LUA_MASKCOUNT, STEPS);
    int failure = lua_pcall(L, 1, 0, 0);
    if (is_bounded)
        lua_sethook(L, NULL, 0, 0);
    return failure == LUA_OK ? ACCD_OK : tell_error(a, failure);
}

void accd_push_method(lua_State *L, accd *a, const char *name)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, a->self);
    lua_getfield(L, -1, name);
    lua_insert(L, -2);
}

void accd_push_place(lua_State *L, const char *file, int line)
{
    lua_pushstring(L, file ? file : "text"); /* errors show the text then, as if it were a file */
    lua_pushinteger(L, file ? line : 1);
}

/* ------------------------------------------------------------------------------------- memory -- */

void *accd_new(accd *a, size_t bytes)
{
    void *block = a->meter.fn(a->meter.ud, NULL, 0, bytes);
    if (block)
        memset(block, 0, bytes);
    else
        accd_no_memory(a);
    return block;
}

void accd_delete(accd *a, void *block, size_t bytes)
{
    a->meter.fn(a->meter.ud, block, bytes, 0);
}
