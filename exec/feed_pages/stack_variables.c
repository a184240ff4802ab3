/* stack_variables.c - finds data that are still present, but whose variable belonged to a function that has
 * returned.
 *
 * Data mapped by `enter data` or a routine stay present until they are unmapped. So a function may return
 * while its stack variable is still mapped. For a local `declare copyin`, compilers make no call at the end
 * of the scope. A later variable at the same address must not be taken for the mapped one.
 *
 *      stack    slot: return address of the owner   <- high address
 *               ... the owner's variables ...       <- host
 *               frames of functions it calls        <- low address
 *
 * Each entry records where the return address of the owner (the function with the variable) lies, and its
 * value. While the owner's frame lives, that word is unchanged and above the stack pointer. The table is
 * keyed by the host address where an object begins. All functions need the lock. */
#include "base/runtime.h"
#include "coherence/snapshots.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "image/member_pointers.h"
#include "lib/hash.h"
#include "stack_variables.h"

#include <assert.h>
#include <string.h>
#include <unwind.h>

/* Present object in a stack variable, or a hidden pointer (added by the compiler, field `hidden`) anywhere in
 * memory. */
struct stack_variable {
    uint64_t host, bytes, thread;
    uintptr_t slot, address; /* address of the owner's return address, and its value */
    uintptr_t pc;            /* return address of the call that mapped the variable */
    /* true if a declare directive mapped the variable */
    bool declared;
    bool pointer; /* true for a pointer or descriptor whose data are another object; not reported */
    bool hidden;  /* true for a pointer of the compiler, unknown to the program, that is mapped with its target */
};

/* `thread` of entries whose thread has ended; its stack may be reused */
static const uint64_t THREAD_ENDED = UINT64_MAX;
/* `thread` of an entry outside of stacks; only hidden pointers have such entries */
static const uint64_t NONE = UINT64_MAX - 1;

static struct rt_hash variables = RT_HASH_TABLE(rt_heap_realloc, struct stack_variable); /* variables by host address */

/* Returns the entry of the object that begins at a host address; NULL if there is none. */
static struct stack_variable *find_variable(uint64_t host)
{
    return host ? rt_hash_find(&variables, host) : NULL;
}

/* Adds a copy of an entry for a host address that has no entry yet. Without memory nothing is recorded. */
static void add_variable(const struct stack_variable *entry)
{
    assert(entry->host && !find_variable(entry->host));
    struct stack_variable *added = rt_hash_add(&variables, entry->host);
    if (added)
        *added = *entry;
}

/* Returns true if the host address `host` is on the stack of the calling thread `self`, in a frame of the
 * program (not of the runtime). */
static bool is_on_stack(struct rt_thread *self, uint64_t host)
{
    return host >= rt.site->call.sp && host < rt_get_stack_end(self);
}

/* ----------------------------------------------------------------------------- owning frames -- */

/* Search for the frame that contains the address `host`. slot: address of the frame's return address; 0: not
 * found yet. frame_end: highest address of the frame visited before; 0: none. */
struct search {
    uint64_t host;
    uintptr_t frame_end, slot;
};

/* Callback of _Unwind_Backtrace: stops at the frame that contains the address of the search `arg`, and sets
 * slot of the search. A frame begins where that of the called function ends. */
static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *arg)
{
    struct search *search = arg;
    uintptr_t begin = _Unwind_GetCFA(context);
    if (search->frame_end && search->frame_end <= search->host && search->host < begin) {
        search->slot = begin - sizeof(uintptr_t);
        return _URC_END_OF_STACK;
    }
    search->frame_end = begin;
    return _URC_NO_REASON;
}

/* Returns the name of an item; "" if the item has none, or only a lazy name (one that debug information gives
 * later). */
static const char *get_debug_name(const accd_item *item)
{
    const char *name = item->label ? item->label->name : NULL;
    return name && !rt_parse_lazy_name(name, NULL) ? name : "";
}

/* Returns another item that contains the target of a pointer item; NULL if no item contains it, or if `item` is null or
 * not as large as a pointer. */
static const accd_item *find_target_item(const accd_item *items, size_t nitems, const accd_item *item)
{
    const uintptr_t target = item->bytes == sizeof target ? rt_load_word(item->host) : 0;
    for (size_t i = 0; target && i < nitems; i++)
        if (&items[i] != item && target - (uintptr_t)items[i].host < items[i].bytes)
            return &items[i];
    return NULL;
}

/* Returns true if an item is a hidden pointer, by which compilers pass a dummy argument or a reference. Such
 * a pointer points to another item, and has no name or the name of that item. A pointer to which an unnamed
 * pointer item points, as in a class container, is hidden, too. */
static bool is_hidden_item(const accd_item *items, size_t nitems, const accd_item *item)
{
    const char *const name = get_debug_name(item);
    const accd_item *const target = find_target_item(items, nitems, item);
    if (!target || !*name || !strcmp(name, get_debug_name(target)))
        return target;
    for (size_t i = 0; i < nitems; i++)
        if (!*get_debug_name(&items[i]) && find_target_item(items, nitems, &items[i]) == item)
            return true;
    return false;
}

/* Records the present object of an item on the stack, with the address and the value of the return address of the
 * function that owns the variable. Does nothing if the owner's frame is not found. An entry whose function has not
 * returned is kept. */
static void record_variable(const struct rt_thread *self, const accd_item *items, size_t nitems, const accd_item *item)
{
    assert(item->bytes);
    const bool is_hidden = is_hidden_item(items, nitems, item), is_pointer = rt_is_pointer_item(items, nitems, item);
    uint64_t start = (uintptr_t)item->host, bytes = item->bytes;
    if (!is_hidden && !is_pointer) /* the item may be a part of an object that was present */
        accd_present_bounds(rt.context, self->device, item->host, &start, &bytes);
    struct search search = {.host = start};
    struct stack_variable *entry = find_variable(start);
    if (entry && entry->thread == self->number && rt_load_word((const void *)entry->slot) == entry->address) {
        /* an allocation after the entry was made may have given the pointer its target */
        entry->hidden |= is_hidden;
        entry->bytes = bytes;
        return;
    }
    if (entry)
        rt_hash_remove(&variables, start);
    _Unwind_Backtrace(visit_frame, &search);
    if (search.slot)
        add_variable(&(struct stack_variable){start, bytes, self->number, search.slot,
                                              rt_load_word((const void *)search.slot), rt.site->call.pc,
                                              rt.site->declares, is_pointer, is_hidden});
}

/* Adds entries for the items on the stack and for hidden pointers elsewhere; `exits`: removes the entries of
 * items that are no longer present. Attach and detach items and items without bytes are ignored. */
void rt_record_stack_variables(struct rt_thread *self, const accd_item *items, size_t nitems, bool exits)
{
    for (size_t i = 0; i < nitems; i++) {
        const accd_item *item = &items[i];
        if (item->action == ACCD_ACTION_ATTACH || item->action == ACCD_ACTION_DETACH || !item->bytes)
            continue;
        if (!exits) {
            if (is_on_stack(self, (uintptr_t)item->host))
                record_variable(self, items, nitems, item);
            else if (is_hidden_item(items, nitems, item) && *get_debug_name(item) &&
                     !find_variable((uintptr_t)item->host))
                add_variable(&(struct stack_variable){.thread = NONE, .host = (uintptr_t)item->host, .hidden = true});
            continue;
        }
        struct stack_variable *entry = find_variable((uintptr_t)item->host);
        if (entry && accd_get_presence(rt.context, self->device, item->host, 1) == ACCD_PRESENCE_NONE)
            rt_hash_remove(&variables, entry->host);
    }
}

/* Marks all entries of a thread that has ended as variables of returned functions, because its stack may be
 * used again. */
void rt_end_thread_stack(uint64_t thread)
{
    for (struct stack_variable *entry = NULL; (entry = rt_hash_next(&variables, entry));)
        if (entry->thread == thread)
            entry->thread = THREAD_ENDED;
}

/* Returns true if a declare directive mapped the stack variable at `host`. */
bool rt_is_declared_on_stack(uint64_t host)
{
    const struct stack_variable *entry = find_variable(host);
    return entry && entry->declared;
}

/* Returns true if the object at `host` is a hidden pointer: one of the compiler, for which the program has no
 * name. */
bool rt_is_hidden_pointer(uint64_t host)
{
    const struct stack_variable *entry = find_variable(host);
    return entry && entry->hidden;
}

/* ------------------------------------------------------------------------ returned functions -- */

/* Unmaps the object at a host address. Returns false, and unmaps nothing, if the address is not present, a
 * region has mapped the object, or acc_map_data has. False also if the core fails. */
static bool unmap_variable(const struct rt_thread *self, uint64_t host)
{
    accd_present_object object;
    if (!accd_present_at(rt.context, self->device, host, 0, &object) || object.structured || object.mapped)
        return false;
    const accd_item item = {
        .host = (const void *)(uintptr_t)object.info.host, .bytes = object.info.bytes, .action = ACCD_ACTION_DELETE};
    const accd_construct construct = {
        .device = self->device, .kind = ACCD_KIND_EXIT_DATA, .finalize = 1, .items = &item, .nitems = 1};
    if (rt.options.strict)
        rt_snapshot_before_unmap(self->device, object.info.host, object.info.bytes);
    return accd_run_construct(rt.context, &construct, NULL) == ACCD_OK;
}

/* Returns true if the function that owns a variable has returned, so that the word at `slot` is below the
 * stack pointer or changed. declares: a declare directive begins a scope now, so that an earlier declared
 * variable at the same address no longer exists. */
static bool has_returned(const struct stack_variable *variable, bool declares)
{
    return variable->thread == THREAD_ENDED || (variable->declared && declares) || variable->slot < rt.site->call.sp ||
           rt_load_word((const void *)variable->slot) != variable->address;
}

/* Unmaps the variable that begins at the host address `host` if its function has returned. Reports this,
 * unless a declare directive mapped the variable or it is a pointer. Does nothing for variables of other
 * threads that still run. declares: see has_returned. */
static void check_variable(const struct rt_thread *self, uint64_t host, bool declares)
{
    struct stack_variable *entry = find_variable(host);
    if (!entry || (entry->thread != self->number && entry->thread != THREAD_ENDED) || !has_returned(entry, declares) ||
        !unmap_variable(self, host))
        return;
    const struct stack_variable variable = *entry;
    rt_hash_remove(&variables, host);
    if (!variable.declared && !variable.pointer)
        rt_report_returned_variable(variable.pc);
}

/* Unmaps and reports data of returned functions in the range of each item on the stack. declares: a declare
 * directive begins a scope now. */
void rt_check_returned_variables(struct rt_thread *self, const accd_item *items, size_t nitems, bool declares)
{
    assert(items || !nitems);
    for (size_t i = 0; i < nitems && variables.n; i++) {
        const accd_item *item = &items[i];
        uint64_t at = (uintptr_t)item->host, end = at + item->bytes, start, bytes;
        accd_present_object object;
        if (!is_on_stack(self, at))
            continue;
        const struct stack_variable *entry = find_variable(at);
        if (entry && entry->thread == self->number && item->bytes <= entry->bytes && !has_returned(entry, declares))
            continue; /* the recorded variable still exists and contains the item, so its data are not stale */
        if (accd_present_bounds(rt.context, self->device, item->host, &start, &bytes))
            check_variable(self, start, declares);
        if (accd_get_presence(rt.context, self->device, item->host, item->bytes) != ACCD_PRESENCE_PARTIAL)
            continue;
        while (accd_present_next(rt.context, self->device, &at, &object) && object.info.host < end)
            check_variable(self, object.info.host, declares);
    }
}
