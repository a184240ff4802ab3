/* gcc_fast_path.h - the fast path of gcc's directives, for at most FAST_ITEMS_MAX entries of plain data, each of which
 * becomes one item (host range with an action). It is taken only while a call needs no more than the lock
 * (rt_can_use_fast_path): no tools, checks or declared variables. All other directives take the slow path through
 * gcc_entries.c. Which of the two, and the items, are the same for OpenACC (gcc_acc.c) and OpenMP (gcc_omp.c):
 *
 *      rt_choose_route -> FAST_PATH: lock held, rt_fast has the items -> rt_run_fast_items -> rt_leave_fast_path
 *                      -> SLOW_PATH: nothing has changed */
#ifndef RT_FAST_PATH_H
#define RT_FAST_PATH_H

#include "base/lock.h"
#include "image/declared.h"
#include "image/malloc_blocks.h"
#include "rt/lifecycle.h"
#include "gcc_entries.h"

#include <assert.h>

enum { FAST_ITEMS_MAX = 16 };

/* Bits of a spec, which says what a directive does with entries of one kind; each directive has a table of specs,
 * indexed by the kind. ACTION: mask of the accd_action. TRIES: the item is skipped if its data are absent. MOVES: bytes
 * are transferred. OUT: host memory is written. FINAL: the data's reference count becomes 0. A spec of 0: entries of
 * this kind have no data, or need the slow path. */
enum { ACTION = 0x0f, TRIES = 0x10, MOVES = 0x20, OUT = 0x40, FINAL = 0x80 };

/* Tables of specs: for a directive that begins a construct or enters data, for one that exits data, for an update. */
extern const uint8_t rt_entry_specs[0x100], rt_exit_specs[0x100], rt_update_specs[0x100];

/* Path of a directive. CHECKED: the items must be checked before the core gets them. LINKED: items also attach
 * pointers. The values above FAST_PATH are FAST_PATH plus the flags that rt_run_construct gets. */
enum route {
    SLOW_PATH,
    FAST_PATH,
    FAST_PATH_CHECKED = FAST_PATH + RT_NEEDS_CHECK,
    FAST_PATH_LINKED = FAST_PATH_CHECKED + RT_HAS_POINTERS
};

/* Items of the directive that is on the fast path now; pointers to attach are slots of these items. The lock protects
 * them. Fields of items that make_fast_items does not set are always 0. */
struct fast_path {
    accd_item items[FAST_ITEMS_MAX];
    uint8_t entries[FAST_ITEMS_MAX]; /* index of the entry of each item (OpenMP) */
    size_t n;                        /* number of items */
};
extern struct fast_path rt_fast __attribute__((visibility("hidden")));

/* Host range of the present object that rt_is_member_pointer looked up last; 0 bytes: no lookup yet. */
struct present {
    uint64_t start, bytes;
};

/* Returns true if the pointer of entry number `entry` is the base pointer that a later entry attaches or detaches, and
 * lies in a larger object. That object is one of the first n items, or a present object, whose range is stored in
 * *last. The directive then changes no reference count for the pointer. False also if the rules' knob `member` is
 * ACCD_MEMBER_COUNTED. */
bool rt_is_member_pointer(const struct entries *map, size_t entry, size_t n, struct present *last);
/* Attaches the pointer at `slot` to the last of the first n items, by setting the item's slot. The pointer's value plus
 * `bias` must be the start of that item's data. Returns false, and changes nothing, if it is not, if the item has a
 * slot already, or if one of the items maps the pointer alone or its Fortran descriptor. */
bool rt_attach_to_last_item(size_t n, const void *slot, size_t bias);
/* Returns the spec of an entry of OpenMP without one in the tables. Data to delete have one; so has a zero-length
 * section of a target construct in a present object, whose range is stored in *host_p and *bytes_p. ACCD_ACTION_HOLD:
 * the entry is only an argument of the target construct (firstprivate) and needs no item. 0: it needs the slow path. */
unsigned rt_get_target_spec(const struct entries *map, size_t entry, const void **host_p, uint64_t *bytes_p);
/* Returns true if entry number `entry` is an implicit map of OpenMP, of data that are partly present. */
bool rt_is_partly_present_implicit(const struct entries *map, size_t entry);

/* Returns the path for the `bytes` bytes of data at `host`, with the spec of their entry. SLOW_PATH: the data are
 * read-only, but the directive would write them. FAST_PATH_CHECKED: the data must be checked first (rt_needs_check).
 * FAST_PATH: neither. `stack`: the program's stack pointer at the call. The lock must be held. */
static inline __attribute__((always_inline)) enum route choose_data_route(const void *host, size_t bytes, unsigned spec,
                                                                          uintptr_t stack)
{
    /* Static data need no check, unless a thread uses static memory as its stack; then they may lie above `stack`. */
    if (rt_is_static(host) && (uintptr_t)host < stack)
        return FAST_PATH;
    if (spec & OUT && rt_is_constant(host))
        return SLOW_PATH;
    return rt_needs_check((uintptr_t)host, bytes, spec & MOVES) ? FAST_PATH_CHECKED : FAST_PATH;
}

/* Makes the items of a directive in rt_fast, and returns the path that the directive can take. specs: table of specs by
 * kind. target: map->target, as a constant. words: true if pointer-sized variables are never attached (knob
 * attach_variables of the rules is off, or no compute construct). On SLOW_PATH the items are not complete. The lock
 * must be held. */
static inline __attribute__((always_inline)) enum route make_fast_items(const struct entries *map, const uint8_t *specs,
                                                                        bool target, bool words)
{
    assert(rt.site && map->n <= FAST_ITEMS_MAX && map->target == target);
    const accd_label *label = rt_get_site_label();
    const uintptr_t stack = rt.site->call.sp;
    struct present last = {0, 0};
    unsigned construct_flags = 0;
    size_t n = 0;
    for (size_t i = 0; i < map->n; i++) {
        const unsigned kind = map->kind[i] & 0xff;
        const void *host = map->host[i];
        uint64_t bytes = map->size[i];
        unsigned spec = specs[kind];
        if (target && bytes == (size_t)ITERATED)
            return SLOW_PATH;
        if (!spec || !host) {
            if (host && (kind == ATTACH || kind == DETACH) && rt_attach_to_last_item(n, host, bytes)) {
                construct_flags |= RT_HAS_POINTERS;
                continue;
            }
            spec = target ? rt_get_target_spec(map, i, &host, &bytes) : 0;
            if (!spec)
                return SLOW_PATH;
            if (spec == ACCD_ACTION_HOLD)
                continue;
        } else if (target) {
            if (rt_is_partly_present_implicit(map, i))
                return SLOW_PATH;
        } else {
            if (bytes == sizeof(void *) && (spec == ACCD_ACTION_CREATE || spec == ACCD_ACTION_DELETE) &&
                rt_is_member_pointer(map, i, n, &last))
                continue;
            if (bytes == sizeof(void *) && spec & MOVES && !words && rt_is_pointer_variable(&rt_this_thread, host))
                return SLOW_PATH;
            if (kind == TO && rt_may_be_unset_copy(host, bytes))
                return SLOW_PATH;
        }
        const enum route route = choose_data_route(host, bytes, spec, stack);
        if (route == SLOW_PATH)
            return SLOW_PATH;
        accd_item *item = &rt_fast.items[n];
        item->host = host;
        item->bytes = bytes;
        item->slot = NULL;
        item->label = label;
        item->action = spec & ACTION;
        item->flags = spec & TRIES ? ACCD_ITEM_IF_PRESENT : 0;
        if (target && spec & FINAL)
            item->flags |= ACCD_ITEM_FINALIZE;
        if (target)
            rt_fast.entries[n] = (uint8_t)i;
        construct_flags |= (unsigned)route - FAST_PATH;
        n++;
    }
    rt_fast.n = n;
    return FAST_PATH + construct_flags;
}

/* Returns the path that a directive can take; parameters: see make_fast_items. If it is not SLOW_PATH, holds the lock
 * and has made the items in rt_fast; the caller must then call rt_leave_fast_path. On SLOW_PATH the lock is not held.
 */
static inline __attribute__((always_inline)) enum route
rt_choose_route(const struct rt_site *site, const struct entries *map, const uint8_t *specs, bool target, bool words)
{
    if (!rt_can_use_fast_path() || map->n - 1 >= FAST_ITEMS_MAX || !rt_lock())
        return SLOW_PATH;
    rt.site = site;
    const enum route route = make_fast_items(map, specs, target, words);
    if (__builtin_expect(route == SLOW_PATH, 0))
        rt_leave();
    return route;
}

/* Runs a construct of `kind` with the items in rt_fast, and returns its region; NULL: it opens none. Failure ends the
 * program. */
static inline accd_region *rt_run_fast_items(accd_construct_kind kind, enum route route)
{
    assert(route != SLOW_PATH);
    return rt_run_construct(&rt_this_thread, kind, route - FAST_PATH, rt_fast.items, rt_fast.n, false);
}

#endif
