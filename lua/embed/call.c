/* call.c - how calls begin and end: whose turn it is, protection of Lua, what an error says. */
#include "embed.h"

#include <lauxlib.h>

#include <stdio.h>
#include <string.h>
#include <unwind.h>

/* --------------------------------------------------------------------------------- whose turn -- */

static const char misuse[] = "misuse", rule[] = "HOUSE-misuse";

static const accd_detail no_session = {
    .status = ACCD_MISUSE,
    .code = misuse,
    .message = "there is no session",
    .rule = rule,
};
static const accd_detail not_yours = {
    .status = ACCD_MISUSE,
    .code = misuse,
    .message = "the session belongs to another thread",
    .rule = rule,
    .help = "accd_handover gives it away, accd_adopt takes it",
};

static bool is_session(const accd *a)
{
    return a && a->magic == ACCD_MAGIC;
}

static bool is_ours(const accd *a)
{
    return atomic_load_explicit(&a->owner, memory_order_relaxed) == (uintptr_t)pthread_self();
}

struct search {
    struct caller caller;
    bool passed;
};

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *arg)
{
    struct search *search = arg;
    uintptr_t frame = _Unwind_GetCFA(context), wanted = (uintptr_t)search->caller.frame;
    if (frame < wanted)
        return _URC_NO_REASON;
    search->passed = frame > wanted || _Unwind_GetIP(context) != (uintptr_t)search->caller.at;
    return _URC_NORMAL_STOP;
}

/* Whether the stack has other calls where that one was. Not where they cannot be told. */
static bool is_gone(struct caller caller)
{
    struct search search = {.caller = caller};
    _Unwind_Backtrace(look_at, &search);
    return search.passed;
}

/* The call under way is over without an end if the new one is not below it, or if the stack does not have
 * it any more: a callback jumped out. A kernel can be undone, since nothing is under way around it; anything
 * else cannot. */
static void notice_jump(accd *a, struct caller caller)
{
    if (!a->caller.frame || (caller.frame < a->caller.frame && !is_gone(a->caller)))
        return;
    a->caller.frame = NULL;
    if (a->kernel)
        accd_undo_kernel(a);
    else
        a->broken = true;
}

accd_status accd_begin(accd *a, struct caller caller, bool given)
{
    if (!is_session(a) || !is_ours(a))
        return ACCD_MISUSE;
    notice_jump(a, caller);
    if (!a->core)
        return a->detail.status; /* of accd_open */
    if (a->broken)
        return accd_refuse(a, ACCD_MISUSE, rule,
                           "a callback did not return: the session can only be closed");
    if (a->caller.frame)
        return accd_refuse(a, ACCD_MISUSE, rule,
                           a->kernel ? "a kernel of the session is running"
                                     : "the session is in a call: a callback cannot use it");
    if (!given)
        return accd_refuse(a, ACCD_MISUSE, rule, "an argument is missing");
    a->caller = caller;
    return ACCD_OK;
}

accd_status accd_leave(accd *a, accd_status status)
{
    a->caller.frame = NULL;
    return status;
}

accd_status accd_look(accd *a, struct caller caller)
{
    if (!is_session(a) || !is_ours(a))
        return ACCD_MISUSE;
    if (a->kernel && caller.frame < a->caller.frame)
        return ACCD_OK;
    accd_status status = accd_begin(a, caller, true);
    return status == ACCD_OK ? accd_leave(a, ACCD_OK) : status;
}

accd_status accd_handover(accd *a)
{
    accd_status status = accd_begin(a, ACCD_HERE, true);
    if (status != ACCD_OK)
        return status;
    accd_leave(a, ACCD_OK);
    atomic_store_explicit(&a->owner, 0, memory_order_release);
    return ACCD_OK;
}

accd_status accd_adopt(accd *a)
{
    uintptr_t nobody = 0;
    if (!is_session(a))
        return ACCD_MISUSE;
    if (is_ours(a))
        return accd_refuse(a, ACCD_MISUSE, rule, "the session is this thread's already");
    return atomic_compare_exchange_strong(&a->owner, &nobody, (uintptr_t)pthread_self())
               ? ACCD_OK
               : ACCD_MISUSE;
}

accd_status accd_may_close(accd *a, struct caller caller)
{
    if (!is_session(a) || !is_ours(a))
        return ACCD_MISUSE;
    notice_jump(a, caller);
    return a->caller.frame ? ACCD_MISUSE : ACCD_OK;
}

/* ------------------------------------------------------------------------------------- errors -- */

const accd_detail *accd_last_detail(const accd *a)
{
    if (!is_session(a))
        return &no_session;
    return is_ours(a) ? &a->detail : &not_yours;
}

const char *accd_message(const accd *a)
{
    if (!is_session(a))
        return "accdeep: error[misuse]: there is no session\n  rule: HOUSE-misuse";
    if (!is_ours(a))
        return "accdeep: error[misuse]: the session belongs to another thread\n  rule: HOUSE-misuse\n"
               "  help: accd_handover gives it away, accd_adopt takes it";
    return a->message ? a->message : "accdeep: no error";
}

static accd_status told(accd *a, const accd_detail *detail)
{
    a->detail = *detail;
    snprintf(a->shown, sizeof a->shown, "accdeep: error[%s]: %s\n  rule: %s", detail->code,
             detail->message, detail->rule);
    a->message = a->shown;
    return detail->status;
}

accd_status accd_refuse(accd *a, accd_status status, const char *which, const char *message)
{
    return told(a, &(accd_detail){.status = status,
                                  .code = accd_status_code(status),
                                  .message = message,
                                  .rule = which});
}

accd_status accd_fail_core(accd *a, accd_status status)
{
    const accd_error *error = accd_context_error(a->core);
    snprintf(a->sentence, sizeof a->sentence, "%s", error->message);
    return told(a, &(accd_detail){.status = status,
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
    lua_getfield(L, -1, "told");
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
        return a->borrowed ? accd_refuse(a, ACCD_MISUSE, rule, a->sentence)
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
                                                   "an error cannot be told");
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
