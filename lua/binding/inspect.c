/* inspect.c - methods of a context that inspect devices and levels, and constructs with one item for acc_* routines. */
#include "accdeep_internal.h"
#include "binding.h"

#include <assert.h>

/* context:presence(device, address, bytes) -> "absent", "partly" or "wholly": how much of a host range is present */
static int l_presence(lua_State *L)
{
    static const char *const names[] = {"absent", "partly", "wholly"};
    struct accd__lua_context *context = accd__check_context(L, 1);
    lua_pushstring(L, names[accd_get_presence(context->core, accd__device_argument(L, 2), accd__address_argument(L, 3),
                                              accd__word_argument(L, 4))]);
    return 1;
}

/* context:deviceptr(device, host address) -> device address; 0 if the address is not present */
static int l_deviceptr(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    lua_pushinteger(
        L, (lua_Integer)accd_device_address(context->core, accd__device_argument(L, 2), accd__address_argument(L, 3)));
    return 1;
}

/* context:matching(device, address) -> the device address that corresponds to a host address; begin and end on the
 * device of the present object that contains the host address or ends at it. Returns nothing if there is no such
 * object. */
static int l_matching(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    uint64_t low, high;
    uint64_t dev =
        accd_matching_address(context->core, accd__device_argument(L, 2), accd__address_argument(L, 3), &low, &high);
    if (!dev)
        return 0;
    lua_pushinteger(L, (lua_Integer)dev);
    lua_pushinteger(L, (lua_Integer)low);
    lua_pushinteger(L, (lua_Integer)high);
    return 3;
}

/* context:device_of(device address) -> number of the device with the address; -1 if no device has it */
static int l_device_of(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    lua_pushinteger(L, accd_device_at(context->core, accd__word_argument(L, 2)));
    return 1;
}

/* Pushes a table about a present object: name, host, bytes, file, line; dev, its device address; structured and
 * dynamic, its reference counters; and mapped, true if acc_map_data mapped it. */
static void push_present(lua_State *L, const accd_present_object *present)
{
    accd__push_object_info(L, &present->info);
    accd__set_integer(L, "dev", (lua_Integer)present->dev);
    accd__set_integer(L, "structured", present->structured);
    accd__set_integer(L, "dynamic", present->dynamic);
    accd__set_boolean(L, "mapped", present->mapped);
}

/* context:present_at(device, address, in_device) -> table of push_present about the object that contains the address, a
 * device address if in_device is true; nothing if no object does */
static int l_present_at(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_present_object present;
    if (!accd_present_at(context->core, accd__device_argument(L, 2), accd__word_argument(L, 3), lua_toboolean(L, 4),
                         &present))
        return 0;
    push_present(L, &present);
    return 1;
}

/* context:present(device) -> list of the device's present objects (tables of push_present), sorted by host address */
static int l_present(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    int device = accd__device_argument(L, 2);
    uint64_t link = 0;
    accd_present_object present;
    lua_newtable(L);
    for (lua_Integer i = 1; accd_present_next(context->core, device, &link, &present); i++) {
        push_present(L, &present);
        lua_rawseti(L, -2, i);
    }
    return 1;
}

/* context:present_in(device, address, bytes) -> list of {host=, bytes=}: the present objects that overlap the host
 * range, by host address */
static int l_present_in(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    int device = accd__device_argument(L, 2);
    uint64_t link = accd__word_argument(L, 3);
    uint64_t end = link + accd__word_argument(L, 4), start, bytes;
    lua_newtable(L);
    for (lua_Integer i = 1; accd_present_overlapping(context->core, device, &link, end, &start, &bytes); i++) {
        lua_createtable(L, 0, 2);
        accd__set_integer(L, "host", (lua_Integer)start);
        accd__set_integer(L, "bytes", (lua_Integer)bytes);
        lua_rawseti(L, -2, i);
    }
    return 1;
}

/* Pushes a table about an attachment. Fields: name and host address (slot) of the pointer; its value on the host when
 * it was attached (target), and on the device (dev). Also the attach counter (count), and the device range of the
 * object that the pointer points into (low, high). */
static void push_attachment(lua_State *L, const accd_attachment *attachment)
{
    lua_createtable(L, 0, 7);
    accd__set_text(L, "name", attachment->name);
    accd__set_integer(L, "slot", (lua_Integer)attachment->slot);
    accd__set_integer(L, "target", (lua_Integer)attachment->target);
    accd__set_integer(L, "dev", (lua_Integer)attachment->dev);
    accd__set_integer(L, "count", attachment->count);
    accd__set_integer(L, "low", (lua_Integer)attachment->low);
    accd__set_integer(L, "high", (lua_Integer)attachment->high);
}

/* context:attachment_at(device, address of a pointer) -> table of push_attachment; nothing if the pointer is not
 * attached */
static int l_attachment_at(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_attachment attachment;
    if (!accd_attachment_at(context->core, accd__device_argument(L, 2), accd__address_argument(L, 3), &attachment))
        return 0;
    push_attachment(L, &attachment);
    return 1;
}

/* context:attachments(device) -> list of tables of push_attachment, sorted by the address of the pointer */
static int l_attachments(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    int device = accd__device_argument(L, 2);
    uint64_t link = 0;
    accd_attachment attachment;
    lua_newtable(L);
    for (lua_Integer i = 1; accd_attachment_next(context->core, device, &link, &attachment); i++) {
        push_attachment(L, &attachment);
        lua_rawseti(L, -2, i);
    }
    return 1;
}

/* State of a list of tuples that is being made. A tuple is document DIR's record of the data of a clause. */
struct tuples {
    lua_State *L;
    int list; /* stack index of the list */
    lua_Integer n;
    const accd_tuple *tuple;
    bool failed; /* push_tuple has raised; the error is on top of the stack */
};

/* Lua function (list, struct tuples): appends the current tuple to the list as a table {info, base, dev, action,
 * flags, alloc, ancestors}. The fields are members of accd_tuple; ancestors: list of names. */
static int push_tuple(lua_State *L)
{
    struct tuples *tuples = lua_touserdata(L, 2);
    const accd_tuple *tuple = tuples->tuple;
    lua_createtable(L, 0, 11);
    accd__push_object_info(L, &tuple->info);
    lua_setfield(L, -2, "info");
    accd__set_integer(L, "base", (lua_Integer)tuple->base);
    accd__set_integer(L, "dev", (lua_Integer)tuple->dev);
    accd__set_text(L, "action", accd_action_name(tuple->action));
    accd__set_integer(L, "flags", tuple->flags);
    accd__set_boolean(L, "alloc", tuple->alloc);
    lua_createtable(L, (int)tuple->nancestors, 0);
    for (size_t i = 0; i < tuple->nancestors; i++) {
        lua_pushstring(L, tuple->ancestors[i].name);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "ancestors");
    lua_rawseti(L, 1, ++tuples->n);
    return 0;
}

/* Appends a tuple to the list of `ud`, a struct tuples (an accd_tuple_fn). Lua runs protected, because an error must
 * not skip the core's release of memory; after an error further tuples are ignored. */
static void on_tuple(void *ud, const accd_tuple *tuple)
{
    assert(ud && tuple);
    struct tuples *tuples = ud;
    lua_State *L = tuples->L;
    if (tuples->failed)
        return;
    tuples->tuple = tuple;
    lua_pushcfunction(L, push_tuple);
    lua_pushvalue(L, tuples->list);
    lua_pushlightuserdata(L, tuples);
    tuples->failed = lua_pcall(L, 2, 0, 0) != LUA_OK;
}

/* Sets field `key` of the table on top of the stack to a list of the tuples of level number `level`; `list` says
 * which of the level's lists. Raises if the core or Lua fails. */
static void set_tuples(lua_State *L, struct accd__lua_context *context, int device, int64_t level, accd_tuple_list list,
                       const char *key)
{
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    lua_newtable(L);
    struct tuples tuples = {.L = L, .list = lua_gettop(L)};
    accd_status status = accd_for_each_tuple(context->core, device, level, list, on_tuple, &tuples);
    if (tuples.failed)
        lua_error(L);
    if (status != ACCD_OK)
        luaL_error(L, "%s", accd_status_text(status));
    lua_setfield(L, -2, key);
}

/* Sets fields `dynamic` and `floor` of the table on top of the stack to two lists of tuples. They are those of the
 * base level of `level`, to which enter data adds tuples; -1: of the base level below all levels. */
static void set_floor(lua_State *L, struct accd__lua_context *context, int device, int64_t level)
{
    set_tuples(L, context, device, level, ACCD_LIST_DYNAMIC, "dynamic");
    set_tuples(L, context, device, level, ACCD_LIST_BASE_LEVEL, "floor");
}

/* context:levels(device) -> list of {kind=, file=, line=, {name=, bytes=, action=, created=}...}, the outermost level
 * first. If the rules fuse data, each level also has lists of tuples (push_tuple): original, artificial, dynamic,
 * floor. Field `below` of the list then has dynamic and floor of the base level below all levels. */
static int l_levels(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    int device = accd__device_argument(L, 2);
    bool fusion = accd_get_rules(context->core)->fusion;
    accd_level level;
    lua_newtable(L);
    if (fusion) {
        lua_createtable(L, 0, 2);
        set_floor(L, context, device, -1);
        lua_setfield(L, -2, "below");
    }
    for (size_t i = 0; accd_level_get(context->core, device, i, &level); i++) {
        lua_createtable(L, (int)level.clauses, 7);
        accd__set_text(L, "kind", level.name ? level.name : "data");
        accd__set_text(L, "file", level.file);
        accd__set_integer(L, "line", level.line);
        accd_clause clause;
        for (size_t k = 0; accd_level_get_clause(context->core, device, i, k, &clause); k++) {
            accd__push_object_info(L, &clause.info);
            if (!lua_istable(L, -1)) {
                lua_pop(L, 1);
                lua_createtable(L, 0, 2);
            }
            accd__set_text(L, "action", accd_action_name(clause.action));
            accd__set_boolean(L, "created", clause.created);
            lua_rawseti(L, -2, (lua_Integer)k + 1);
        }
        if (fusion) {
            set_tuples(L, context, device, (int64_t)i, ACCD_LIST_ORIGINAL, "original");
            set_tuples(L, context, device, (int64_t)i, ACCD_LIST_ARTIFICIAL, "artificial");
            set_floor(L, context, device, (int64_t)i);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* context:name_at(device, device address) -> name of the data at the address; "" if no present data contain it */
static int l_name_at(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    char name[160];
    accd_format_name_at(context->core, accd__device_argument(L, 2), accd__word_argument(L, 3), name, sizeof name);
    lua_pushstring(L, name);
    return 1;
}

/* context:stats(device) -> table of the device's counters: live_bytes and others, listed below */
static int l_stats(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_stats stats;
    accd_get_stats(context->core, accd__device_argument(L, 2), &stats);
    static const char *const names[] = {
        "live_bytes",    "live_allocations", "objects",       "attachments", "allocations", "frees",
        "h2d_transfers", "d2h_transfers",    "d2d_transfers", "h2d_bytes",   "d2h_bytes",   "d2d_bytes"};
    const uint64_t values[] = {stats.live_bytes,     stats.live_allocations, stats.objects,
                               stats.attachments,    stats.allocations,      stats.frees,
                               stats.transfers[0],   stats.transfers[1],     stats.transfers[2],
                               stats.moved_bytes[0], stats.moved_bytes[1],   stats.moved_bytes[2]};
    lua_createtable(L, 0, 12);
    for (int i = 0; i < 12; i++) {
        lua_pushinteger(L, (lua_Integer)values[i]);
        lua_setfield(L, -2, names[i]);
    }
    return 1;
}

/* context:excluded_at(device, device address) -> {name=, host=, bytes=, file=, line=} about the excluded member (one
 * that the mapping of its type leaves out) at the address; nothing if there is none */
static int l_excluded_at(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_object_info info;
    if (!accd__excluded_at(context->core, accd__device_argument(L, 2), accd__word_argument(L, 3), &info))
        return 0;
    accd__push_object_info(L, &info);
    return 1;
}

/* --------------------------------------------------------------------------- acc_* routines -- */

/* context:run_one(kind, device, action, address, bytes, slot, finalize, label, slot_bytes, flags, queue) -> true; or
 * nil, error. Executes a construct with one item. kind, action: numbers of core.kind and core.action; slot, slot_bytes,
 * flags, queue: nil is 0; finalize: a boolean; label: light userdata or nil. */
static int l_run_one(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    accd_item item = {
        .action = (uint8_t)luaL_checkinteger(L, 4),
        .host = accd__address_argument(L, 5),
        .bytes = accd__word_argument(L, 6),
        .slot = (const void *)(uintptr_t)luaL_optinteger(L, 7, 0),
        .label = lua_touserdata(L, 9),
        .slot_bytes = (uint32_t)luaL_optinteger(L, 10, 0),
        .flags = (uint16_t)luaL_optinteger(L, 11, 0),
    };
    return accd__push_result(L, context,
                             accd_run_construct(context->core,
                                                &(accd_construct){
                                                    .kind = (accd_construct_kind)luaL_checkinteger(L, 2),
                                                    .device = accd__device_argument(L, 3),
                                                    .finalize = lua_toboolean(L, 8),
                                                    .items = &item,
                                                    .nitems = 1,
                                                    .file = item.label ? item.label->file : NULL,
                                                    .line = item.label ? item.label->line : 0,
                                                    .queue = (unsigned)luaL_optinteger(L, 12, 0),
                                                },
                                                NULL));
}

/* context:map(device, host address, device address, bytes, label) -> true; or nil, error. Executes acc_map_data.
 * label: light userdata or nil. */
static int l_map(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    return accd__push_result(L, context,
                             accd_map_data(context->core, accd__device_argument(L, 2), accd__address_argument(L, 3),
                                           accd__word_argument(L, 4), accd__word_argument(L, 5), lua_touserdata(L, 6)));
}

/* context:unmap(device, host address) -> true; or nil, error. Executes acc_unmap_data. */
static int l_unmap(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    return accd__push_result(L, context,
                             accd_unmap_data(context->core, accd__device_argument(L, 2), accd__address_argument(L, 3)));
}

/* context:device_alloc(device, bytes) -> device address, 0 for 0 bytes; or nil, error. Executes acc_malloc. */
static int l_device_alloc(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    uint64_t dev;
    accd_status status = accd_device_alloc(context->core, accd__device_argument(L, 2), accd__word_argument(L, 3), &dev);
    if (status != ACCD_OK)
        return accd__push_error(L, context, status);
    lua_pushinteger(L, (lua_Integer)dev);
    return 1;
}

/* context:device_free(device, device address) -> true; or nil, error. Executes acc_free. */
static int l_device_free(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    return accd__push_result(L, context,
                             accd_device_free(context->core, accd__device_argument(L, 2), accd__word_argument(L, 3)));
}

/* context:to_device(device, device address, host address, bytes) -> true; or nil, error. Copies bytes to the device. */
static int l_to_device(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    return accd__push_result(L, context,
                             accd_copy_to_device(context->core, accd__device_argument(L, 2), accd__word_argument(L, 3),
                                                 accd__address_argument(L, 4), accd__word_argument(L, 5)));
}

/* context:from_device(device, host address, device address, bytes) -> true; or nil, error. Copies bytes to the host. */
static int l_from_device(lua_State *L)
{
    struct accd__lua_context *context = accd__check_context(L, 1);
    return accd__push_result(L, context,
                             accd_copy_from_device(context->core, accd__device_argument(L, 2),
                                                   (void *)(uintptr_t)luaL_checkinteger(L, 3),
                                                   accd__word_argument(L, 4), accd__word_argument(L, 5)));
}

const luaL_Reg accd__inspect_methods[] = {
    {"presence", l_presence},
    {"deviceptr", l_deviceptr},
    {"matching", l_matching},
    {"device_of", l_device_of},
    {"present_at", l_present_at},
    {"present", l_present},
    {"present_in", l_present_in},
    {"attachment_at", l_attachment_at},
    {"attachments", l_attachments},
    {"levels", l_levels},
    {"name_at", l_name_at},
    {"stats", l_stats},
    {"excluded_at", l_excluded_at},
    {"run_one", l_run_one},
    {"map", l_map},
    {"unmap", l_unmap},
    {"device_alloc", l_device_alloc},
    {"device_free", l_device_free},
    {"to_device", l_to_device},
    {"from_device", l_from_device},
    {NULL, NULL},
};
