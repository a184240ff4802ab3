/* limits.c - limits of a scenario: memory, steps, time; stopping a scenario; the clock; frames of calls in progress.
 *
 * core.limited runs a function with limits. Three things are counted:
 *
 *     memory    by the allocator of Lua, and by budget.c for the core and devices
 *     steps     VM instructions, by a hook of each Lua thread, in advance
 *     seconds   of the processor, by a timer, because library functions and the core take no steps
 *
 * After a limit is reached, every further step raises the error again, so a scenario cannot continue by catching it. */
#include "binding.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* core.clock() -> seconds of the system's monotonic clock */
static int l_clock(lua_State *L)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    lua_pushnumber(L, (lua_Number)t.tv_sec + (lua_Number)t.tv_nsec * 1e-9);
    return 1;
}

/* core.call(level) -> function, current line of the call in progress at this level: what debug.getinfo(level, "fl")
 * gives, without a table. Returns nothing if there is no such level. */
static int l_call(lua_State *L)
{
    lua_Debug frame;
    if (!lua_getstack(L, (int)luaL_checkinteger(L, 1), &frame))
        return 0;
    lua_getinfo(L, "fl", &frame);
    lua_pushinteger(L, frame.currentline);
    return 2;
}

/* State of core.limited. The registry has the state's address under limits_key while core.limited runs. */
struct limits {
    lua_Alloc alloc; /* allocator that the Lua state had before; `ud` is its first argument */
    void *ud;
    struct accd__budget memory;
    long long steps, most_steps;
    clock_t start;
    int seconds; /* seconds of the processor from the start until a limit was reached; 0: less than one, or none reached
                  */
    bool is_exceeded;          /* a limit was reached */
    bool is_timeout;           /* the limit of time was reached */
    unsigned nrefused;         /* number of allocations that were refused twice */
    const void *refused_block; /* block that the last refused request would have resized; NULL: a new block */
    size_t refused_bytes;      /* size of the last refused request; 0: a later request was granted */
    const char *stop_reason;   /* reason to stop other than a limit; NULL: a limit, or not stopped */
    const char *chunk;         /* name of the scenario's chunk */
    char position[256];        /* place in the scenario where a limit was reached, "file:line:" */
};

/* STEPS, STEPS_LEAST: greatest and first number of steps between two hooks. REFUSED_MOST: refused allocations after
 * which the scenario is stopped. EXIT_LIMIT: exit status. Lua repeats a refused request after a garbage collection, so
 * a refusal counts only if it is repeated. */
enum { STEPS = 10000, STEPS_LEAST = 100, REFUSED_MOST = 64, EXIT_LIMIT = 3 };

static const char limits_key = 0; /* the address of this variable is the registry key of the limits */

/* Allocates memory of Lua (a lua_Alloc) within the limit; returns NULL if the request would exceed it, or if there is
 * no memory. Counts a refusal that Lua repeats. */
static void *limited_alloc(void *ud, void *ptr, size_t old, size_t n)
{
    struct limits *limits = ud;
    size_t before = ptr ? old : 0;
    if (n > before && limits->memory.most && limits->memory.used + (n - before) > limits->memory.most) {
        if (limits->refused_block == ptr && limits->refused_bytes == n)
            limits->nrefused++;
        limits->refused_block = ptr;
        limits->refused_bytes = n;
        return NULL;
    }
    if (n > before)
        limits->refused_bytes = 0;
    void *block = limits->alloc(limits->ud, ptr, old, n);
    if (block || n == 0)
        limits->memory.used += n - before;
    return block;
}

/* Returns the limits of the running core.limited; NULL if core.limited does not run. */
static struct limits *get_limits(lua_State *L)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &limits_key);
    struct limits *limits = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return limits;
}

/* Seconds of the processor since the hook on_steps ran last, and their limit. A library function that runs for very
 * long, such as a match of a hopeless pattern, runs no hook and cannot be interrupted: the program ends. */
static volatile sig_atomic_t idle_seconds, most_idle_seconds;

/* Seconds of the processor since the start or the last core.restart_limits, and their limit, which the hook checks.
 * They include the work of the core. */
static volatile sig_atomic_t seconds, most_seconds;

/* Signal handler of the timer: counts a second; ends the program if no hook ran for most_idle_seconds. */
static void on_second(int signal)
{
    (void)signal;
    static const char message[] = "accdeep: error[limit]: the scenario makes no progress\n"
                                  "  rule: HOUSE-limit\n";
    seconds++;
    if (++idle_seconds <= most_idle_seconds)
        return;
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
        _exit(EXIT_LIMIT);
    _exit(EXIT_LIMIT);
}

/* Starts the timer for a run of at most `steps` steps, which determine the limits of time; 0: stops the timer. */
static void set_timer(long long steps)
{
    const long long whole = 2000000000, most_idle = 60;
    enum { SLOWEST = 20 }; /* factor from most_idle_seconds to most_seconds */
    struct itimerval every = {0};
    if (steps) {
        struct sigaction action = {.sa_handler = on_second, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        sigaction(SIGVTALRM, &action, NULL);
        every.it_interval.tv_sec = every.it_value.tv_sec = 1;
        idle_seconds = seconds = 0;
        most_idle_seconds = 1 + (int)(steps >= whole ? most_idle : steps * most_idle / whole);
        most_seconds = 3 + SLOWEST * (most_idle_seconds - 1);
    }
    setitimer(ITIMER_VIRTUAL, &every, NULL);
}

static void on_steps(lua_State *L, lua_Debug *debug);

/* Sets limits->position to the innermost line of the scenario that is being executed; leaves it empty if there is none.
 */
static void find_scenario_line(lua_State *L, struct limits *limits)
{
    lua_Debug frame;
    for (int level = 0; lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Sl", &frame);
        if (frame.currentline > 0 && limits->chunk && !strcmp(frame.source, limits->chunk)) {
            snprintf(limits->position, sizeof limits->position, "%s:%d:", frame.source + 1, frame.currentline);
            return;
        }
    }
}

/* Pushes the error table for the limit that was reached: {code, rule, message, where, stopped, memory}. stopped: the
 * reason is no limit; memory: it is the limit of memory. */
static void push_limit(lua_State *L, const struct limits *limits)
{
    lua_createtable(L, 0, 5);
    accd__set_text(L, "code", "limit");
    accd__set_text(L, "rule", "HOUSE-limit");
    if (limits->stop_reason)
        lua_pushstring(L, limits->stop_reason);
    else if (limits->nrefused > REFUSED_MOST)
        lua_pushliteral(L, "the scenario needs more memory than the limit allows");
    else if (limits->is_timeout)
        lua_pushfstring(L, "the scenario took more than %d s of the processor", (int)most_seconds);
    else if (limits->seconds) /* the message gives the time only if it is at least one second */
        lua_pushfstring(L, "the scenario took more than %I steps, in %d s", (LUAI_UACINT)limits->most_steps,
                        limits->seconds);
    else
        lua_pushfstring(L, "the scenario took more than %I steps", (LUAI_UACINT)limits->most_steps);
    lua_setfield(L, -2, "message");
    accd__set_text(L, "where", limits->position);
    accd__set_boolean(L, "stopped", limits->stop_reason != NULL);
    accd__set_boolean(L, "memory", limits->nrefused > REFUSED_MOST);
}

/* 1 if the interrupt key was pressed since the last core.interrupted; set only after core.watch_interrupts(true). */
static volatile sig_atomic_t interrupts;

/* Signal handler of the interrupt key: sets `interrupts`. */
static void on_interrupt(int signal)
{
    (void)signal;
    interrupts = 1;
}

/* Raises the error of push_limit if a limit of memory, steps or time was reached, or the scenario was stopped or
 * interrupted. Every further step of the thread then raises, too. */
static void check_limits(lua_State *L, struct limits *limits)
{
    if (interrupts && !limits->is_exceeded) {
        limits->is_exceeded = true;
        limits->stop_reason = "the scenario was interrupted";
    }
    /* memory of devices is never refused, so the limit may be exceeded here */
    if (limits->memory.most && limits->memory.used > limits->memory.most)
        limits->nrefused = REFUSED_MOST + 1;
    if (limits->steps < limits->most_steps && seconds <= most_seconds && !limits->is_exceeded &&
        limits->nrefused <= REFUSED_MOST)
        return;
    if (limits->nrefused > REFUSED_MOST)
        limits->memory.most = 0; /* removes the limit, because the error itself needs memory */
    if (!limits->is_exceeded) {
        limits->seconds = (int)((clock() - limits->start) / CLOCKS_PER_SEC);
        limits->is_timeout = limits->steps < limits->most_steps;
    }
    limits->is_exceeded = true;
    if (!limits->position[0])
        find_scenario_line(L, limits);
    lua_sethook(L, on_steps, LUA_MASKCOUNT, 1);
    push_limit(L, limits);
    lua_error(L);
}

/* Hook: runs when a Lua thread has taken the steps that were counted for it in advance, and counts the next ones. Their
 * number doubles each time, up to STEPS, so a thread that ends early has taken at least half of what was counted. */
static void on_steps(lua_State *L, lua_Debug *debug)
{
    (void)debug;
    struct limits *limits = get_limits(L);
    if (!limits || !limits->most_steps)
        return;
    idle_seconds = 0;
    const int counted_steps = lua_gethookcount(L), next = 2 * counted_steps < STEPS ? 2 * counted_steps : STEPS;
    limits->steps += next;
    if (next != counted_steps)
        lua_sethook(L, on_steps, LUA_MASKCOUNT, next);
    check_limits(L, limits);
}

/* core.count_thread(thread): begins to count the steps of a coroutine before it runs, since Lua has a hook for each
 * thread. core.count_thread() counts none. Both raise if a limit was reached meanwhile, and do nothing without a limit
 * of steps. */
static int l_count_thread(lua_State *L)
{
    struct limits *limits = get_limits(L);
    if (!limits || !limits->most_steps)
        return 0;
    lua_State *thread = lua_tothread(L, 1);
    if (thread) {
        limits->steps += STEPS_LEAST;
        lua_sethook(thread, on_steps, LUA_MASKCOUNT, STEPS_LEAST);
    }
    check_limits(L, limits);
    return 0;
}

/* core.take_steps(n): counts n steps for work that the hook does not see; raises if they reach the limit. Does nothing
 * without a limit of steps. */
static int l_take_steps(lua_State *L)
{
    struct limits *limits = get_limits(L);
    if (!limits || !limits->most_steps)
        return 0;
    limits->steps += luaL_checkinteger(L, 1);
    check_limits(L, limits);
    return 0;
}

/* core.limited(memory, steps, fn [, chunk]) -> true; or false, error. Runs fn with at most `memory` more bytes and
 * `steps` steps; 0: no limit. error: what fn raised, or the table of push_limit. chunk: name of the scenario's chunk,
 * for places of errors. Limits and allocator are removed afterwards, because this library may be unloaded before the
 * state is closed. Raises inside of another core.limited. */
static int l_limited(lua_State *L)
{
    lua_Integer memory = luaL_checkinteger(L, 1), steps = luaL_checkinteger(L, 2);
    luaL_checktype(L, 3, LUA_TFUNCTION);
    const char *chunk = luaL_optstring(L, 4, NULL);
    lua_settop(L, 4);
    lua_insert(L, 1); /* limits->chunk points to this string, which must stay on the stack */
    struct limits *limits = get_limits(L);
    if (limits)
        return luaL_error(L, "limits inside limits");
    limits = lua_newuserdatauv(L, sizeof *limits, 0);
    lua_insert(L, 4);
    *limits = (struct limits){.most_steps = steps, .start = clock(), .chunk = chunk};
    limits->memory.used = (size_t)lua_gc(L, LUA_GCCOUNT) * 1024;
    limits->memory.most = memory ? limits->memory.used + (size_t)memory : 0;
    lua_pushlightuserdata(L, limits);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &limits_key);
    accd__set_budget(&limits->memory);
    limits->alloc = lua_getallocf(L, &limits->ud);
    lua_setallocf(L, limited_alloc, limits);
    if (steps)
        lua_sethook(L, on_steps, LUA_MASKCOUNT, steps < STEPS ? (int)steps : STEPS);
    set_timer(steps);
    int status = lua_pcall(L, 0, 0, 0);
    set_timer(0);
    lua_sethook(L, NULL, 0, 0);
    lua_setallocf(L, limits->alloc, limits->ud);
    accd__set_budget(NULL);
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &limits_key);
    if (status == LUA_OK && limits->is_exceeded) { /* the function caught the error and ended before the next step */
        push_limit(L, limits);
        status = LUA_ERRRUN;
    }
    lua_pushboolean(L, status == LUA_OK);
    if (status == LUA_OK)
        return 1;
    lua_insert(L, -2);
    return 2;
}

/* core.stop(): ends the function that core.limited runs: raises the table of push_limit, and every further step raises
 * it again, so that the function cannot continue by catching it. Outside of core.limited, only raises. */
static int l_stop(lua_State *L)
{
    struct limits *limits = get_limits(L);
    if (!limits)
        return luaL_error(L, "there is nothing to stop");
    limits->is_exceeded = true;
    limits->stop_reason = "the scenario was stopped";
    lua_sethook(L, on_steps, LUA_MASKCOUNT, 1);
    push_limit(L, limits);
    return lua_error(L);
}

/* core.restart_limits(): sets the counters of steps and time back to 0; does nothing outside of core.limited. */
static int l_restart_limits(lua_State *L)
{
    struct limits *limits = get_limits(L);
    if (limits) {
        limits->steps = 0;
        limits->start = clock();
        seconds = 0;
    }
    return 0;
}

/* core.watch_interrupts(on): makes the interrupt key stop the function of core.limited; on false or nil: the key ends
 * the process again. */
static int l_watch_interrupts(lua_State *L)
{
    struct sigaction action = {.sa_handler = lua_toboolean(L, 1) ? on_interrupt : SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    return 0;
}

/* core.interrupted() -> true if the interrupt key was pressed since the last call, else false */
static int l_interrupted(lua_State *L)
{
    lua_pushboolean(L, interrupts);
    interrupts = 0;
    return 1;
}

/* core.charge(bytes) -> true, and counts memory outside Lua against the limit; false, without counting, if the limit
 * would be exceeded. A negative number gives memory back, and always returns true. */
static int l_charge(lua_State *L)
{
    struct limits *limits = get_limits(L);
    lua_Integer bytes = luaL_checkinteger(L, 1);
    struct accd__budget *budget = limits ? &limits->memory : NULL;
    if (bytes < 0)
        accd__discharge(budget, (size_t)-bytes);
    lua_pushboolean(L, bytes < 0 || charge(budget, (size_t)bytes));
    return 1;
}

/* core.most_steps() -> limit of steps; 0: no limit */
static int l_most_steps(lua_State *L)
{
    const struct limits *limits = get_limits(L);
    lua_pushinteger(L, limits ? limits->most_steps : 0);
    return 1;
}

/* core.steps_left() -> steps before the limit; nil if there is no limit */
static int l_steps_left(lua_State *L)
{
    const struct limits *limits = get_limits(L);
    if (limits && limits->most_steps)
        lua_pushinteger(L, limits->most_steps - limits->steps);
    else
        lua_pushnil(L);
    return 1;
}

/* Adds the functions of this file to the module. */
void accd__open_limits(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"clock", l_clock},
        {"call", l_call},
        {"limited", l_limited},
        {"charge", l_charge},
        {"count_thread", l_count_thread},
        {"most_steps", l_most_steps},
        {"steps_left", l_steps_left},
        {"stop", l_stop},
        {"take_steps", l_take_steps},
        {"restart_limits", l_restart_limits},
        {"interrupted", l_interrupted},
        {"watch_interrupts", l_watch_interrupts},
        {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
}
