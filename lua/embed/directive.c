/* directive.c - executes directives given as text: Lua plans them (lua/accdeep/embed.lua), this file runs the plans.
 *
 * Public functions: accd_run_directive, accd_run_compute, accd_prepare and the calls of prepared directives. Each
 * asks Lua for a plan, and runs it with accd__construct_run. Open regions are a stack, a->regions:
 *
 *   a->regions -> innermost -> ... -> outermost -> NULL        (outer)
 *
 * A registry reference keeps the directive's Lua record, and with the record the construct, alive. The reference is
 * owned by the region (`owns`), or by the handle of a prepared directive. If the handle gets another record or is freed
 * while regions use the old one, the outermost of these regions becomes the owner.
 *
 * Functions that return a status have filled the session's error detail on failure. */
#include "embed.h"

#include <lauxlib.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- plans -- */

/* Stack indices of the results of the Lua planner. */
enum { KIND = 1, CONSTRUCT, DEVICE, QUEUE, NAME, IS_OPENMP, GATED, RECORD, VALUES = RECORD };

/* Request for a plan, with its results `plan` and `ref`. */
struct planning {
    accd_session *a;
    const char *method;      /* method of the Lua session: directive, compute, prepare, again */
    const char *text, *file; /* text and file of the directive; NULL for `again` */
    int line;
    int ref; /* registry reference to the directive's record; the method `again` replaces the record */
    struct accd__directive_plan plan;
};

/* Fills *plan from the planner's results at the stack indices above. Raises for results of another type. */
static void read_plan(lua_State *L, struct accd__directive_plan *plan)
{
    static const char *const kinds[] = {"done", "step", "region", "compute", "end", NULL};
    plan->kind = (enum accd__plan_kind)luaL_checkoption(L, KIND, NULL, kinds);
    plan->construct = lua_isnil(L, CONSTRUCT) ? NULL : accd__check_construct(L, CONSTRUCT);
    plan->device = (int)lua_tointeger(L, DEVICE);
    plan->queue = (unsigned)lua_tointeger(L, QUEUE);
    snprintf(plan->name, sizeof plan->name, "%s", luaL_checkstring(L, NAME));
    plan->is_openmp = lua_toboolean(L, IS_OPENMP);
    plan->gated = lua_toboolean(L, GATED);
}

/* Lua function (struct planning): calls the planner, and sets `plan` and `ref`. Raises if the directive is not valid.
 */
static int make_plan(lua_State *L)
{
    struct planning *planning = lua_touserdata(L, 1);
    lua_settop(L, 0);
    accd__push_method(L, planning->a, planning->method);
    if (planning->text) {
        lua_pushstring(L, planning->text);
        accd__push_location(L, planning->file, planning->line);
    } else {
        lua_rawgeti(L, LUA_REGISTRYINDEX, planning->ref);
    }
    lua_call(L, lua_gettop(L) - 1, VALUES);
    read_plan(L, &planning->plan);
    planning->ref = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

/* Sets plan and ref of *planning to the results of Lua's planner. On success the caller owns planning->ref. Fails if
 * the directive is not valid, or without memory. */
static accd_status get_plan(struct planning *planning)
{
    return accd__call_protected(planning->a, make_plan, planning);
}

/* -------------------------------------------------------------------------------------- failures -- */

/* Failure of the core in a construct. */
struct failure {
    accd_session *a;
    int ref;            /* reference to the directive's record */
    accd_status status; /* status that the core returned */
    size_t item;        /* number of the item in the construct, from 1; 0: as the core reported */
    bool at_end;        /* true if the construct failed at its end, not at its entry */
};

/* Lua function (struct failure): raises the core's error in the words of the directive. */
static int raise_failure(lua_State *L)
{
    const struct failure *failure = lua_touserdata(L, 1);
    accd__push_method(L, failure->a, "failed");
    accd__push_item_error(L, failure->a->context, failure->status, failure->item);
    lua_remove(L, -2);
    lua_rawgeti(L, LUA_REGISTRYINDEX, failure->ref);
    lua_pushboolean(L, failure->at_end);
    lua_call(L, 4, 0);
    return 0;
}

/* Fills the error detail with a failure of the core in the words of the directive; in the core's own words if Lua has
 * no memory for that. Returns the status of the error, never ACCD_OK. */
static accd_status report_failure(struct failure failure)
{
    accd_session *a = failure.a;
    uint64_t max_steps = a->max_steps;
    a->max_steps = 0; /* an error of this limit would replace the error to report */
    accd_status status = accd__call_protected(a, raise_failure, &failure);
    a->max_steps = max_steps;
    bool is_exhausted = status == ACCD_ERROR_OUT_OF_MEMORY || status == ACCD_ERROR_LIMIT;
    return is_exhausted && failure.status != status ? accd__report_core_error(a, failure.status) : status;
}

/* Error about a directive that a method of the Lua session raises. The method gets the directive's record, the text
 * (NULL: nil) and the number. */
struct complaint {
    accd_session *a;
    const char *method; /* method of the Lua session that raises the error */
    int ref;
    const char *text;
    int number;
};

/* Lua function (struct complaint): calls the method with the directive's record, text and number; the method always
 * raises. */
static int raise_complaint(lua_State *L)
{
    const struct complaint *complaint = lua_touserdata(L, 1);
    accd__push_method(L, complaint->a, complaint->method);
    lua_rawgeti(L, LUA_REGISTRYINDEX, complaint->ref);
    lua_pushstring(L, complaint->text);
    lua_pushinteger(L, complaint->number);
    lua_call(L, 4, 0);
    return 0;
}

/* Fills the error detail with an error about a directive, which a method of the Lua session words. Returns the status
 * of the error, never ACCD_OK. */
static accd_status report_complaint(struct complaint complaint)
{
    return accd__call_protected(complaint.a, raise_complaint, &complaint);
}

/* --------------------------------------------------------------------------------------- regions -- */

/* Ends the innermost open region, which must exist, and removes it from the stack of regions. If the core fails, the
 * region stays open, and the error detail is filled. */
static accd_status end_region(accd_session *a)
{
    assert(a->regions);
    struct accd__session_region *region = a->regions;
    accd_status status = region->core ? accd_region_end(region->core) : ACCD_OK;
    if (status != ACCD_OK)
        return report_failure((struct failure){a, region->ref, status, 0, true});
    accd__pop_region(a);
    return ACCD_OK;
}

/* Returns true if a compute construct opened the region. */
static bool is_compute(const struct accd__session_region *region)
{
    return region->kind == PLAN_COMPUTE;
}

/* Returns true if the plan `end`, "end NAME", ends `region`: NAME is the name of the region's directive or, for a
 * compute construct, the first words of this name. */
static bool matches_end(const struct accd__directive_plan *end, const struct accd__session_region *region)
{
    size_t n = strlen(end->name);
    if (end->is_openmp != region->is_openmp || strncmp(end->name, region->name, n) != 0)
        return false;
    return !region->name[n] || (region->name[n] == ' ' && is_compute(region));
}

/* Runs the construct of a plan that is not PLAN_DONE or PLAN_END. Sets *opened_p to true if a region was opened, which
 * then owns `ref`, unless `by`, the handle of a prepared directive, is not NULL. On failure no region is open, and the
 * caller still owns `ref`. */
static accd_status run_plan(accd_session *a, const struct accd__directive_plan *plan, int ref, accd_prepared *by,
                            bool *opened_p)
{
    assert(plan->kind != PLAN_DONE && plan->kind != PLAN_END);
    struct accd__session_region *region = NULL;
    size_t item = 0;
    *opened_p = false;
    if (plan->kind != PLAN_STEP) {
        region = accd__session_alloc(a, sizeof *region);
        if (!region)
            return ACCD_ERROR_OUT_OF_MEMORY;
    }
    accd_status status = ACCD_OK;
    if (plan->construct && plan->device >= 0)
        status = accd__construct_run(plan->construct, plan->device, plan->queue, region ? &region->core : NULL, &item);
    if (status == ACCD_OK && plan->kind == PLAN_COMPUTE && region->core) {
        status = accd_queue_wait(a->core, plan->device, 0); /* queues may still copy data that the kernel needs */
        if (status != ACCD_OK)
            accd_region_abandon(region->core);
    }
    if (status != ACCD_OK) {
        if (region)
            accd__session_free_block(a, region, sizeof *region);
        return report_failure((struct failure){a, ref, status, item, false});
    }
    if (!region)
        return ACCD_OK;
    region->outer = a->regions;
    region->kind = plan->kind;
    region->device = plan->device;
    region->ref = ref;
    region->owns = !by;
    region->by = by;
    region->is_openmp = plan->is_openmp;
    memcpy(region->name, plan->name, sizeof region->name);
    a->regions = region;
    *opened_p = true;
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------ directives -- */

/* Updates the session after Lua has executed a directive, which may have changed the current device or types.
 * Prepared directives become stale: they are planned again at their next run. */
static void note_executed(accd_session *a, const struct accd__directive_plan *plan)
{
    a->device = plan->device;
    a->generation++;
}

/* Ends the innermost region if the plan "end NAME" names this region; otherwise fails. */
static accd_status end_named(accd_session *a, const struct planning *planning)
{
    const struct accd__session_region *region = a->regions;
    if (region && matches_end(&planning->plan, region))
        return end_region(a);
    return report_complaint(
        (struct complaint){a, "cannot_end", planning->ref, region ? region->name : NULL, region && region->is_openmp});
}

/* Executes the directive `text`; `file` and `line` are the location of the call, for errors and events. */
accd_status accd_run_directive_loc(accd_session *a, const char *text, const char *file, int line)
{
    accd_status status = accd__begin_call(a, ACCD_HERE, text);
    if (status != ACCD_OK)
        return status;
    struct planning planning = {a, "directive", text, file, line, LUA_NOREF, {0}};
    status = get_plan(&planning);
    if (status != ACCD_OK)
        return accd__end_call(a, status);
    bool opened = false;
    if (planning.plan.kind == PLAN_DONE)
        note_executed(a, &planning.plan);
    else if (planning.plan.kind == PLAN_END)
        status = end_named(a, &planning);
    else
        status = run_plan(a, &planning.plan, planning.ref, NULL, &opened);
    if (!opened)
        accd__unref(a, planning.ref);
    return accd__end_call(a, status);
}

/* Executes a directive without a known location. */
accd_status(accd_run_directive)(accd_session *a, const char *text)
{
    return accd_run_directive_loc(a, text, NULL, 0);
}

/* --------------------------------------------------------------------------------------- kernels -- */

/* Calls the kernel fn(a, device, ud) of the innermost region, whose construct has been entered, and ends the construct.
 * If the kernel or the end fails, undoes the kernel's writes and abandons the region. */
static accd_status run_kernel(accd_session *a, accd_kernel_fn fn, void *ud)
{
    assert(a->regions && is_compute(a->regions));
    struct accd__session_region *region = a->regions;
    int device = region->device;
    a->kernel = region;
    int failed = fn(a, device, ud);
    accd_status status = ACCD_OK;
    if (failed)
        status = report_complaint((struct complaint){a, "kernel_failed", region->ref, NULL, failed});
    else
        status = end_region(a);
    if (status != ACCD_OK) {
        accd__undo_kernel(a);
        return status;
    }
    a->kernel = NULL;
    if (device >= 0)
        accd_journal_end(a->core, device, 1);
    return ACCD_OK;
}

/* Executes a compute construct with the kernel `fn`; `file` and `line` are the location of the call. */
accd_status accd_run_compute_loc(accd_session *a, const char *text, accd_kernel_fn fn, void *ud, const char *file,
                                 int line)
{
    accd_status status = accd__begin_call(a, ACCD_HERE, text && fn);
    if (status != ACCD_OK)
        return status;
    struct planning planning = {a, "compute", text, file, line, LUA_NOREF, {0}};
    status = get_plan(&planning);
    if (status != ACCD_OK)
        return accd__end_call(a, status);
    int device = planning.plan.device;
    if (device >= 0)
        status = accd_journal_begin(a->core, device);
    if (status != ACCD_OK) {
        accd__unref(a, planning.ref);
        return accd__end_call(a, accd__report_core_error(a, status));
    }
    bool opened;
    status = run_plan(a, &planning.plan, planning.ref, NULL, &opened);
    if (opened)
        return accd__end_call(a, run_kernel(a, fn, ud));
    if (device >= 0)
        accd_journal_end(a->core, device, 0);
    accd__unref(a, planning.ref);
    return accd__end_call(a, status);
}

/* Executes a compute construct with a kernel, without a known location. */
accd_status(accd_run_compute)(accd_session *a, const char *text, accd_kernel_fn fn, void *ud)
{
    return accd_run_compute_loc(a, text, fn, ud, NULL, 0);
}

/* --------------------------------------------------------------------------- prepared directives -- */

/* Plans the directive `text` for many runs, and sets *prepared_p to a handle of it. `file` and `line` are the
 * location of the call. */
accd_status accd_prepare_loc(accd_session *a, const char *text, const char *file, int line, accd_prepared **prepared_p)
{
    accd_status status = accd__begin_call(a, ACCD_HERE, text && prepared_p);
    if (status != ACCD_OK)
        return status;
    accd_prepared *prepared = accd__session_alloc(a, sizeof *prepared);
    if (!prepared)
        return accd__end_call(a, ACCD_ERROR_OUT_OF_MEMORY);
    struct planning planning = {a, "prepare", text, file, line, LUA_NOREF, {0}};
    status = get_plan(&planning);
    if (status != ACCD_OK) {
        accd__session_free_block(a, prepared, sizeof *prepared);
        return accd__end_call(a, status);
    }
    *prepared = (accd_prepared){
        .a = a,
        .next = a->handles,
        .link = &a->handles,
        .meter = a->meter,
        .ref = planning.ref,
        .generation = a->generation,
        .plan = planning.plan,
    };
    if (prepared->next)
        prepared->next->link = &prepared->next;
    a->handles = prepared;
    *prepared_p = prepared;
    return accd__end_call(a, ACCD_OK);
}

/* Plans a directive for many runs, without a known location. */
accd_status(accd_prepare)(accd_session *a, const char *text, accd_prepared **prepared_p)
{
    return accd_prepare_loc(a, text, NULL, 0, prepared_p);
}

/* Gives up the handle's ownership of its record. The outermost open region that uses the record becomes the owner; if
 * no region uses it, releases the record. */
static void release_record(accd_session *a, const accd_prepared *prepared)
{
    assert(prepared->a == a);
    struct accd__session_region *outermost = NULL;
    for (struct accd__session_region *region = a->regions; region; region = region->outer)
        if (region->by == prepared && region->ref == prepared->ref)
            outermost = region;
    if (outermost)
        outermost->owns = true;
    else
        accd__unref(a, prepared->ref);
}

/* Plans a prepared directive again: evaluates its conditions, and lowers a stale directive. On failure the old plan and
 * record stay. */
static accd_status plan_again(accd_session *a, accd_prepared *prepared)
{
    struct planning planning = {.a = a, .method = "again", .ref = prepared->ref};
    accd_status status = get_plan(&planning);
    if (status != ACCD_OK)
        return status;
    release_record(a, prepared);
    prepared->ref = planning.ref;
    prepared->plan = planning.plan;
    prepared->generation = a->generation;
    return ACCD_OK;
}

/* Runs a prepared directive. First plans it again if names or types have changed (stale), or if its conditions must
 * be evaluated at each run (gated). */
accd_status accd_prepared_run(accd_prepared *prepared)
{
    accd_session *a = prepared ? prepared->a : NULL;
    accd_status status = accd__begin_call(a, ACCD_HERE, true);
    if (status != ACCD_OK)
        return status;
    const struct accd__directive_plan *plan = &prepared->plan;
    if (plan->gated || prepared->generation != a->generation)
        status = plan_again(a, prepared);
    else
        prepared->plan.device = a->device;
    bool opened;
    if (status == ACCD_OK)
        status = run_plan(a, plan, prepared->ref, prepared, &opened);
    return accd__end_call(a, status);
}

/* Ends the innermost region, which this prepared directive must have opened; otherwise fails. */
accd_status accd_prepared_end(accd_prepared *prepared)
{
    accd_session *a = prepared ? prepared->a : NULL;
    accd_status status = accd__begin_call(a, ACCD_HERE, true);
    if (status != ACCD_OK)
        return status;
    const struct accd__session_region *region = a->regions;
    if (region && region->by == prepared)
        return accd__end_call(a, end_region(a));
    return accd__end_call(
        a, report_complaint((struct complaint){a, "not_innermost", prepared->ref, region ? region->name : NULL, 0}));
}

/* Frees the handle of a prepared directive; its open regions stay open. NULL does nothing. */
void accd_prepared_free(accd_prepared *prepared)
{
    if (!prepared)
        return;
    accd_session *a = prepared->a;
    if (a) {
        *prepared->link = prepared->next;
        if (prepared->next)
            prepared->next->link = prepared->link;
        release_record(a, prepared);
        for (struct accd__session_region *region = a->regions; region; region = region->outer)
            if (region->by == prepared)
                region->by = NULL;
    }
    prepared->meter.fn(prepared->meter.ud, prepared, sizeof *prepared, 0);
}
