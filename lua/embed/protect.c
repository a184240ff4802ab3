/* protect.c - protected calls of Lua, error details of a session, memory of a session. */
#include "embed.h"

#include <lauxlib.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Copies *detail to the session's error detail, and formats the text of accd_last_error_message. Returns
 * detail->status. */
static accd_status set_detail(accd_session *a, const accd_error_detail *detail)
{
    assert(detail->code && detail->message && detail->rule);
    a->detail = *detail;
    snprintf(a->text, sizeof a->text, "accdeep: error[%s]: %s\n  rule: %s", detail->code, detail->message,
             detail->rule);
    a->message = a->text;
    return detail->status;
}

/* Fills the session's error detail with an error that was found without Lua or the core: status, rule and message.
 * Returns `status`. */
accd_status accd__reject_call(accd_session *a, accd_status status, const char *rule, const char *message)
{
    return set_detail(
        a, &(accd_error_detail){.status = status, .code = accd_status_code(status), .message = message, .rule = rule});
}

/* Fills the error detail with the core's last error, in the core's words. Returns `status`. */
accd_status accd__report_core_error(accd_session *a, accd_status status)
{
    assert(a->core && status != ACCD_OK);
    const accd_error *error = accd_context_error(a->core);
    snprintf(a->sentence, sizeof a->sentence, "%s", error->message);
    return set_detail(a, &(accd_error_detail){.status = status,
                                              .code = accd_status_code(status),
                                              .message = a->sentence,
                                              .rule = error->rule,
                                              .objects = {error->asked, error->other}});
}

/* Fills the session's error detail for missing memory. Returns ACCD_ERROR_LIMIT if the limit of memory refused the
 * request, else ACCD_ERROR_OUT_OF_MEMORY. */
accd_status accd__report_no_memory(accd_session *a)
{
    if (a->meter.refused)
        return accd__reject_call(a, ACCD_ERROR_LIMIT, "HOUSE-limit",
                                 "the interpreter needs more memory than the limit allows");
    return accd__reject_call(a, ACCD_ERROR_OUT_OF_MEMORY, "HOUSE-memory", "the host has not enough memory");
}

/* Returns the status whose code is `code`. For other codes: ACCD_ERROR_INTERNAL if `phase` is "internal", else
 * ACCD_ERROR_INVALID. */
static accd_status find_status(const char *code, const char *phase)
{
    assert(code && phase);
    for (int i = 1; i < ACCD_STATUS_COUNT; i++)
        if (!strcmp(code, accd_status_code((accd_status)i)))
            return (accd_status)i;
    return !strcmp(phase, "internal") ? ACCD_ERROR_INTERNAL : ACCD_ERROR_INVALID;
}

/* Returns the text in field `key` of the table on top of the stack; NULL if it is no text. The table keeps the text
 * alive. */
static const char *get_text_field(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text;
}

/* Returns the integer in field `key` of the table on top of the stack; 0 if the field is nil. Raises for other values.
 */
static int get_number_field(lua_State *L, const char *key)
{
    return (int)accd__get_integer(L, lua_gettop(L), key, 0);
}

/* Fills *info from element n of the table on top of the stack: {name, host, bytes, file, line}. Does nothing if the
 * element is no table. */
static void read_object(lua_State *L, int n, accd_object_info *info)
{
    if (lua_rawgeti(L, -1, n) == LUA_TTABLE) {
        const char *name = get_text_field(L, "name");
        snprintf(info->name, sizeof info->name, "%s", name ? name : "");
        info->host = (uint64_t)accd__get_integer(L, lua_gettop(L), "host", 0);
        info->bytes = (uint64_t)accd__get_integer(L, lua_gettop(L), "bytes", 0);
        info->file = get_text_field(L, "file");
        info->line = get_number_field(L, "line");
    }
    lua_pop(L, 1);
}

/* Argument of push_diagnostic, with its results detail and text. */
struct diagnostic_request {
    accd_session *a;
    accd_error_detail detail;
    const char *text; /* the error as a text, which accd_last_error_message will return */
};

/* Lua function (struct diagnostic_request, error): sets detail and text from the error that Lua raised. The texts stay
 * alive in the registry (detail_ref). Raises without memory. */
static int push_diagnostic(lua_State *L)
{
    struct diagnostic_request *request = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, request->a->library);
    lua_getfield(L, -1, "reported");
    lua_pushvalue(L, 2);
    lua_call(L, 1, 1);
    request->text = get_text_field(L, "report");
    accd_error_detail *detail = &request->detail;
    *detail = (accd_error_detail){
        .code = get_text_field(L, "code"),
        .message = get_text_field(L, "message"),
        .rule = get_text_field(L, "rule"),
        .help = get_text_field(L, "help"),
        .file = get_text_field(L, "file"),
        .line = get_number_field(L, "line"),
        .column = get_number_field(L, "column"),
        .text = get_text_field(L, "text"),
    };
    detail->status = find_status(detail->code, get_text_field(L, "phase"));
    lua_getfield(L, -1, "objects");
    read_object(L, 1, &detail->objects[0]);
    read_object(L, 2, &detail->objects[1]);
    lua_pop(L, 1);
    lua_rawseti(L, LUA_REGISTRYINDEX, request->a->detail_ref);
    return 0;
}

/* Lua function (session): empties the Lua session's caches, so that Lua can collect the memory. */
static int collect_garbage(lua_State *L)
{
    accd__push_method(L, lua_touserdata(L, 1), "relieve");
    lua_call(L, 1, 0);
    return 0;
}

/* Fills the error detail because memory ran out in Lua, and frees caches of the Lua session. Returns the status of the
 * error: ACCD_ERROR_LIMIT or ACCD_ERROR_OUT_OF_MEMORY. */
static accd_status report_memory(accd_session *a)
{
    accd_status status = accd__report_no_memory(a);
    if (a->self == LUA_NOREF)
        return status;
    lua_pushcfunction(a->L, collect_garbage);
    lua_pushlightuserdata(a->L, a);
    if (lua_pcall(a->L, 1, 0, 0) != LUA_OK)
        lua_pop(a->L, 1);
    return status;
}

/* Pops the error on top of the stack, with which lua_pcall returned `failure`, and fills the error detail from it.
 * Returns the status of the error, never ACCD_OK. */
static accd_status report_lua_error(accd_session *a, int failure)
{
    lua_State *L = a->L;
    struct diagnostic_request request = {.a = a};
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    /* an error with this text is a memory error, too, which Lua code has caught and raised again */
    if (failure == LUA_ERRMEM || (text && !strcmp(text, "not enough memory"))) {
        lua_pop(L, 1);
        return report_memory(a);
    }
    /* The Lua library could not be opened, so its code cannot describe the error. If the state is the program's own,
     * something in the state is the reason, which is a misuse by the program. */
    if (a->library == LUA_NOREF) {
        snprintf(a->sentence, sizeof a->sentence, "%s", text ? text : "?");
        lua_pop(L, 1);
        return a->is_borrowed ? accd__reject_call(a, ACCD_ERROR_MISUSE, "HOUSE-misuse", a->sentence)
                              : accd__reject_call(a, ACCD_ERROR_INTERNAL, "HOUSE-internal", a->sentence);
    }
    lua_pushcfunction(L, push_diagnostic);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, &request);
    lua_insert(L, -2);
    failure = lua_pcall(L, 2, 0, 0);
    if (failure != LUA_OK) {
        lua_pop(L, 1);
        return failure == LUA_ERRMEM
                   ? report_memory(a)
                   : accd__reject_call(a, ACCD_ERROR_INTERNAL, "HOUSE-internal", "an error cannot be reported");
    }
    a->detail = request.detail;
    a->message = request.text;
    return a->detail.status;
}

/* ---------------------------------------------------------------------------------- protection -- */

/* Number of instructions between two calls of the hook. After the limit the hook runs at every instruction and raises
 * the error, so that code that catches it cannot continue. */
enum { STEPS = 1000 };

/* Hook: counts instructions of the interpreter, and raises the error of the step limit once max_steps is reached. */
static void on_steps(lua_State *L, lua_Debug *debug)
{
    (void)debug;
    accd_session *a = *(accd_session **)lua_getextraspace(L);
    a->steps += STEPS;
    if (a->steps < a->max_steps)
        return;
    lua_sethook(L, on_steps, LUA_MASKCOUNT, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, a->limit_ref);
    lua_error(L);
}

/* Calls fn(L) protected and within the limits, with `request` as light userdata at index 1. On failure fills the
 * session's error detail and returns its status. */
accd_status accd__call_protected(accd_session *a, lua_CFunction fn, void *request)
{
    enum { ROOM = 24 };
    assert(fn && a->L);
    lua_State *L = a->L;
    a->meter.refused = false;
    a->steps = 0;
    if (!lua_checkstack(L, ROOM))
        return accd__report_no_memory(a);
    lua_pushcfunction(L, fn);
    lua_pushlightuserdata(L, request);
    bool is_bounded = a->max_steps && a->limit_ref != LUA_NOREF;
    if (is_bounded)
        lua_sethook(L, on_steps, LUA_MASKCOUNT, STEPS);
    int failure = lua_pcall(L, 1, 0, 0);
    if (is_bounded)
        lua_sethook(L, NULL, 0, 0);
    return failure == LUA_OK ? ACCD_OK : report_lua_error(a, failure);
}

/* Pushes the method `name` of the Lua session, and the Lua session as its first argument. */
void accd__push_method(lua_State *L, accd_session *a, const char *name)
{
    assert(a->self != LUA_NOREF);
    lua_rawgeti(L, LUA_REGISTRYINDEX, a->self);
    lua_getfield(L, -1, name);
    lua_insert(L, -2);
}

/* Pushes file and line of the host program's call; "text" and 1 if `file` is NULL. */
void accd__push_location(lua_State *L, const char *file, int line)
{
    lua_pushstring(L, file ? file : "text"); /* errors then show the text as if it were a file */
    lua_pushinteger(L, file ? line : 1);
}

/* ------------------------------------------------------------------------------------- memory -- */

/* Returns a zeroed block from the session's allocator; NULL, with the error detail filled, without memory. */
void *accd__session_alloc(accd_session *a, size_t bytes)
{
    void *block = a->meter.fn(a->meter.ud, NULL, 0, bytes);
    if (block)
        memset(block, 0, bytes);
    else
        accd__report_no_memory(a);
    return block;
}

/* Frees a block of accd__session_alloc. */
void accd__session_free_block(accd_session *a, void *block, size_t bytes)
{
    a->meter.fn(a->meter.ud, block, bytes, 0);
}
