/* stack.c - finds present data that lay in a variable of a function that has returned.
 *
 * Data mapped by `enter data` or a routine stay present until they are taken off; if they lie on
 * the stack, the function that owns them may return before. For a local `declare copyin` the
 * compiler makes no call at the end of the scope at all. What lies at their address then is another
 * variable, which must not be taken for present. The owner's return address on the stack tells: as
 * long as its frame lives, it is where it was. */
#include "abi/program/base/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <unwind.h>

struct frame_of {
    uint64_t thread, host, bytes;
    uintptr_t slot, address; /* where the owner's return address lies, and what it was */
    uintptr_t pc;            /* of the call that mapped it */
    bool declared;
    bool pointer; /* no more than the pointer or descriptor of data that have a life of their own */
    bool hidden;  /* a pointer that the program does not know: the compiler maps it with its target */
};

static const uint64_t ENDED = UINT64_MAX; /* a thread; its stack may be another one's now */
static const uint64_t NONE = UINT64_MAX - 1; /* of memory that is no stack: only hidden pointers */

/* By host address, open addressing; thread 0: free. Objects are what is looked for, so that each is
 * found by where it begins. */
static struct frame_of *mapped;
static size_t nmapped, room; /* room is 0 or a power of two */

static size_t home_of(uint64_t host)
{
    return (size_t)((host >> 3) * 0x9E3779B97F4A7C15u >> 20);
}

static struct frame_of *find(uint64_t host)
{
    for (size_t k = home_of(host); nmapped; k++) {
        struct frame_of *entry = &mapped[k & (room - 1)];
        if (!entry->thread)
            return NULL;
        if (entry->host == host)
            return entry;
    }
    return NULL;
}

static struct frame_of *place(struct frame_of *table, size_t size, uint64_t host)
{
    size_t k = home_of(host);
    while (table[k & (size - 1)].thread)
        k++;
    return &table[k & (size - 1)];
}

/* Without memory there is a diagnosis less. */
static void add(const struct frame_of *entry)
{
    if (2 * nmapped >= room) {
        size_t more = room ? 2 * room : 64;
        struct frame_of *grown = calloc(more, sizeof *grown);
        if (!grown)
            return;
        for (size_t i = 0; i < room; i++)
            if (mapped[i].thread)
                *place(grown, more, mapped[i].host) = mapped[i];
        free(mapped);
        mapped = grown;
        room = more;
    }
    *place(mapped, room, entry->host) = *entry;
    nmapped++;
}

/* What was pushed on by the entry moves back. */
static void take(struct frame_of *entry)
{
    size_t hole = (size_t)(entry - mapped);
    for (size_t k = hole + 1; mapped[k & (room - 1)].thread; k++) {
        size_t at = k & (room - 1), home = home_of(mapped[at].host) & (room - 1);
        if (((at - home) & (room - 1)) < ((at - hole) & (room - 1)))
            continue;
        mapped[hole] = mapped[at];
        hole = at;
    }
    mapped[hole].thread = 0;
    nmapped--;
}

uintptr_t goacc_stack_high(struct goacc_thread *self)
{
    if (!self->stack_high) {
        pthread_attr_t attr;
        void *low;
        size_t bytes = 0;
        self->stack_high = 1; /* none is known */
        if (!pthread_getattr_np(pthread_self(), &attr)) {
            if (!pthread_attr_getstack(&attr, &low, &bytes))
                self->stack_high = (uintptr_t)low + bytes;
            pthread_attr_destroy(&attr);
        }
    }
    return self->stack_high;
}

static bool on_stack(struct goacc_thread *self, uint64_t host)
{
    return host >= goacc.site->call.sp && host < goacc_stack_high(self);
}

/* ------------------------------------------------------------------------------------ owners -- */

struct search {
    uint64_t host;
    uintptr_t below, slot;
};

/* A frame of the stack begins where the one it called ends. */
static _Unwind_Reason_Code at_frame(struct _Unwind_Context *context, void *arg)
{
    struct search *search = arg;
    uintptr_t begin = _Unwind_GetCFA(context);
    if (search->below && search->below <= search->host && search->host < begin) {
        search->slot = begin - sizeof(uintptr_t);
        return _URC_END_OF_STACK;
    }
    search->below = begin;
    return _URC_NO_REASON;
}

static uintptr_t load(uintptr_t address)
{
    uintptr_t value;
    memcpy(&value, (const void *)address, sizeof value);
    return value;
}

/* The name that debug information has of an item; empty: none. */
static const char *name_of(const accd_item *item)
{
    const char *name = item->label ? item->label->name : NULL;
    return name && !goacc_late(name, NULL) ? name : "";
}

/* The item that another one points to, if that is no larger than a pointer; NULL: none. */
static const accd_item *target_of(const accd_item *items, size_t nitems, const accd_item *item)
{
    const uintptr_t target = item->bytes == sizeof target ? goacc_word(item->host) : 0;
    for (size_t i = 0; target && i < nitems; i++)
        if (&items[i] != item && target - (uintptr_t)items[i].host < items[i].bytes)
            return &items[i];
    return NULL;
}

/* Whether an item is a pointer that compilers pass a dummy argument or a reference by: it has no name, or that of what it
 * points to. Or it is the pointer of a class container, which such a pointer points to. */
static bool is_hidden(const accd_item *items, size_t nitems, const accd_item *item)
{
    const char *const name = name_of(item);
    const accd_item *const target = target_of(items, nitems, item);
    if (!target || !*name || !strcmp(name, name_of(target)))
        return target;
    for (size_t i = 0; i < nitems; i++)
        if (!*name_of(&items[i]) && target_of(items, nitems, &items[i]) == item)
            return true;
    return false;
}

static void note(const struct goacc_thread *self, const accd_item *items, size_t nitems,
                 const accd_item *item)
{
    struct search search = {.host = (uintptr_t)item->host};
    struct frame_of *known = find(search.host);
    if (known && known->thread == self->number && load(known->slot) == known->address) {
        known->hidden |= is_hidden(items, nitems, item); /* its target may have been allocated since */
        return;
    }
    if (known)
        take(known);
    _Unwind_Backtrace(at_frame, &search);
    if (search.slot)
        add(&(struct frame_of){self->number, search.host, item->bytes, search.slot,
                               load(search.slot), goacc.site->call.pc, goacc.site->declares,
                               goacc_carries(items, nitems, item), is_hidden(items, nitems, item)});
}

void goacc_stack_note(struct goacc_thread *self, const accd_item *items, size_t nitems, bool exits)
{
    for (size_t i = 0; i < nitems; i++) {
        const accd_item *item = &items[i];
        if (item->action == ACCD_ATTACH || item->action == ACCD_DETACH || !item->bytes)
            continue;
        if (!exits) {
            if (on_stack(self, (uintptr_t)item->host))
                note(self, items, nitems, item);
            else if (is_hidden(items, nitems, item) && *name_of(item) && !find((uintptr_t)item->host))
                add(&(struct frame_of){.thread = NONE, .host = (uintptr_t)item->host, .hidden = true});
            continue;
        }
        struct frame_of *known = find((uintptr_t)item->host);
        if (known && accd_presence_of(goacc.context, self->device, item->host, 1) == ACCD_ABSENT)
            take(known);
    }
}

void goacc_stack_end(uint64_t thread)
{
    for (size_t i = 0; i < room; i++)
        if (mapped[i].thread == thread && thread)
            mapped[i].thread = ENDED;
}

bool goacc_stack_declared(uint64_t host)
{
    const struct frame_of *known = find(host);
    return known && known->declared;
}

bool goacc_stack_hides(uint64_t host)
{
    const struct frame_of *known = find(host);
    return known && known->hidden;
}

/* ---------------------------------------------------------------------------------- returned -- */

/* Takes what begins at an address off the device. */
static bool drop(const struct goacc_thread *self, uint64_t host)
{
    accd_present object;
    if (!accd_present_at(goacc.context, self->device, host, 0, &object) || object.structured ||
        object.mapped)
        return false;
    const accd_item item = {.host = (const void *)(uintptr_t)object.info.host,
                            .bytes = object.info.bytes,
                            .action = ACCD_DELETE};
    const accd_construct construct = {
        .device = self->device, .kind = ACCD_EXIT_DATA, .finalize = 1, .items = &item, .nitems = 1};
    if (goacc.options.strict)
        goacc_stale_goes(self->device, object.info.host, object.info.bytes);
    return accd_run(goacc.context, &construct, NULL) == ACCD_OK;
}

/* declares: a scope begins, so that what other ones declared at the same place has ended. */
static bool returned(const struct frame_of *variable, bool declares)
{
    return variable->thread == ENDED || (variable->declared && declares) ||
           variable->slot < goacc.site->call.sp || load(variable->slot) != variable->address;
}

static void check(const struct goacc_thread *self, uint64_t host, bool declares)
{
    struct frame_of *known = find(host);
    if (!known || (known->thread != self->number && known->thread != ENDED) ||
        !returned(known, declares) || !drop(self, host))
        return;
    const struct frame_of variable = *known;
    take(known);
    if (!variable.declared && !variable.pointer)
        goacc_tell_returned(variable.pc);
}

void goacc_stack_check(struct goacc_thread *self, const accd_item *items, size_t nitems,
                       bool declares)
{
    for (size_t i = 0; i < nitems && nmapped; i++) {
        const accd_item *item = &items[i];
        uint64_t at = (uintptr_t)item->host, end = at + item->bytes, start, bytes;
        accd_present object;
        if (!on_stack(self, at))
            continue;
        const struct frame_of *known = find(at);
        if (known && known->thread == self->number && item->bytes <= known->bytes && !returned(known, declares))
            continue; /* the variable lives */
        if (accd_present_bounds(goacc.context, self->device, item->host, &start, &bytes))
            check(self, start, declares);
        if (accd_presence_of(goacc.context, self->device, item->host, item->bytes) != ACCD_PARTLY)
            continue;
        while (accd_present_next(goacc.context, self->device, &at, &object) &&
               object.info.host < end)
            check(self, object.info.host, declares);
    }
}
