/* goacc.c - the calls that gcc makes for directives (-fopenacc), each one construct of the core.
 * How they look and what a kernel is passed for each entry are facts of that interface. */
#include "abi/program/base/arena.h"
#include "abi/program/check/check.h"
#include "abi/program/base/prof.h"
#include "plain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Flags of calls, which are inverted: if(false); self, which gcc has since version 14. Both mean the host, and its data
 * (ACC33-2.5.7-1). */
enum { HOST_FALLBACK = 1, LOCAL_DEVICE = 2 };

static bool is_on_device(int flags)
{
    return flags == -1;
}

/* --------------------------------------------------------------------------------- short way -- */

static const uint8_t of_entry[0x100] = {
    [ALLOC] = ACCD_CREATE,
    [TO] = ACCD_COPYIN | MOVES,
    [FROM] = ACCD_COPYOUT | MOVES | OUT,
    [TOFROM] = ACCD_COPY | MOVES | OUT,
    [PRESENT] = ACCD_PRESENT,
    [FORCE | ALLOC] = ACCD_CREATE,
    [FORCE | TO] = ACCD_COPYIN | MOVES,
    [FORCE | FROM] = ACCD_COPYOUT | MOVES | OUT,
    [FORCE | TOFROM] = ACCD_COPY | MOVES | OUT,
};
static const uint8_t of_exit[0x100] = {
    [ALLOC] = ACCD_DELETE,
    [TO] = ACCD_DELETE,
    [FROM] = ACCD_COPYOUT | MOVES,
    [RELEASE] = ACCD_DELETE,
};
static const uint8_t of_update[0x100] = {
    [TO] = ACCD_UPDATE_DEVICE | TRIES | MOVES,
    [FROM] = ACCD_UPDATE_SELF | TRIES | MOVES,
    [FORCE | TO] = ACCD_UPDATE_DEVICE | MOVES,
    [FORCE | FROM] = ACCD_UPDATE_SELF | MOVES,
};

/* Their items, without those of pointers; what is not written here is never written. With the lock. */
static accd_item plain[PLAIN];
static size_t nplain;

/* A present object that was met. No bytes: none was. */
struct present {
    uint64_t start, bytes;
};

/* Whether an entry of a pointer's size is no more than the pointer of a section that follows, and lies in a larger
 * object, which the directive does not count for it: one of n items, or a present one, which is kept. */
static __attribute__((noinline)) bool is_member_pointer(const struct entries *map, size_t entry, size_t n,
                                                        struct present *last)
{
    const uintptr_t host = (uintptr_t)map->host[entry];
    size_t i = entry + 1;
    while (i < map->n && !((map->kind[i] & 0xff) != TO && map->host[i] == map->host[entry]))
        i++;
    if (i == map->n || ((map->kind[i] & 0xff) != ATTACH && (map->kind[i] & 0xff) != DETACH) ||
        goacc.options.rules->member == ACCD_MEMBER_COUNTED)
        return false;
    for (size_t k = 0; k < n; k++)
        if (plain[k].bytes > sizeof(void *) && host - (uintptr_t)plain[k].host <= plain[k].bytes - sizeof(void *))
            return true;
    if (host - last->start >= last->bytes &&
        !accd_present_bounds(goacc.context, goacc_own.device, map->host[entry], &last->start, &last->bytes))
        return false;
    return last->bytes > sizeof(void *) && host - last->start <= last->bytes - sizeof(void *);
}

/* words: variables of a pointer's size are never attached. */
static inline __attribute__((always_inline)) enum route plain_items(const struct entries *map,
                                                                     const uint8_t *asked_of, bool words)
{
    const accd_label *label = goacc_site_label();
    const uintptr_t stack = goacc.site->call.sp;
    struct present last = {0, 0};
    unsigned how = 0;
    size_t n = 0;
    for (size_t i = 0; i < map->n; i++) {
        const unsigned kind = map->kind[i] & 0xff, asked = asked_of[kind];
        void *const host = map->host[i];
        const size_t bytes = map->size[i];
        if (!asked || !host) {
            if (!host || (kind != ATTACH && kind != DETACH) || !plain_pointer(plain, n, host, bytes))
                return GENERAL;
            how |= GOACC_LINKED;
            continue;
        }
        if (bytes == sizeof(void *) && (asked == ACCD_CREATE || asked == ACCD_DELETE) &&
            is_member_pointer(map, i, n, &last))
            continue;
        if (bytes == sizeof(void *) && asked & MOVES && !words && goacc_is_pointer(&goacc_own, host))
            return GENERAL;
        if (kind == TO && goacc_may_be_no_copy(host, bytes))
            return GENERAL;
        const enum route route = plain_data(host, bytes, asked, stack);
        if (route == GENERAL)
            return GENERAL;
        how |= (unsigned)route - SHORT;
        plain[n].host = host;
        plain[n].bytes = bytes;
        plain[n].slot = NULL;
        plain[n].label = label;
        plain[n].action = asked & ACTION;
        plain[n++].flags = asked & TRIES ? ACCD_ITEM_TRY : 0;
    }
    nplain = n;
    return SHORT + how;
}

/* Takes the lock and makes the items if a directive goes the short way. */
static inline __attribute__((always_inline)) enum route route_of(const struct goacc_site *site, int flags,
                                                                const struct entries *map, const uint8_t *asked_of,
                                                                bool words)
{
    if (!goacc_is_quick() || !is_on_device(flags) || map->n - 1 >= PLAIN || !goacc_lock())
        return GENERAL;
    goacc.site = site;
    const enum route route = plain_items(map, asked_of, words);
    if (__builtin_expect(route == GENERAL, 0))
        goacc_leave();
    return route;
}

/* -------------------------------------------------------------------------------- structured -- */

static _Noreturn void refuse_absent(const struct goacc_thread *self, const void *host)
{
    char name[160];
    goacc_spell(goacc.site, (uintptr_t)host, 0, name, sizeof name);
    goacc_die_about("not-present", name, "use_device needs present data, but %s is not present on device %d", name,
                    self->device);
}

/* host_data: the program continues with device addresses. */
static void translate(const struct goacc_thread *self, const struct entries *map)
{
    for (size_t i = 0; i < map->n; i++) {
        unsigned kind = goacc_kind(map, i);
        if ((kind != USE_DEVICE && kind != USE_DEVICE_IF_PRESENT) || !map->host[i])
            continue;
        void *device = goacc_device_address(self, map->host[i]);
        goacc_expose(device);
        if (device)
            map->host[i] = device;
        else if (kind == USE_DEVICE)
            refuse_absent(self, map->host[i]);
    }
}

/* host_data has no other clauses. */
static bool uses_device(const struct entries *map)
{
    return map->n &&
           (goacc_kind(map, 0) == USE_DEVICE || goacc_kind(map, 0) == USE_DEVICE_IF_PRESENT);
}

/* Returns what a directive with these flags runs on. Ends the program if a flag is not known. */
static int type_of(const struct goacc_site *site, int flags)
{
    if (~flags & ~(HOST_FALLBACK | LOCAL_DEVICE))
        goacc_refuse_newer(site, "passes the flags 0x%x", (unsigned)~flags);
    return is_on_device(flags) ? GOACC_CURRENT : GOACC_HOST;
}

static bool nothing_to_do(const struct goacc_thread *self, int flags)
{
    return !is_on_device(flags) || self->type == GOACC_HOST;
}

static __attribute__((noinline)) void start_data(const struct goacc_site *site, int flags, const struct entries *map)
{
    const int parent = goacc_listens() && uses_device(map) ? GOACC_IN_HOST_DATA : GOACC_IN_DATA;
    struct goacc_span span;
    goacc_begin(&span, site, GOACC_EV_ENTER_DATA, parent, GOACC_SYNC, type_of(site, flags));
    struct goacc_thread *self = goacc_enter(site);
    struct goacc_level *level = goacc_push_level(self, parent);
    if (!nothing_to_do(self, flags)) {
        struct goacc_items items;
        goacc_open_items(&items, map->n);
        goacc_entry_items(map, &items);
        if (items.n)
            level->region = goacc_run(self, ACCD_REGION, true, items.at, items.n, false);
        if (items.descriptors)
            goacc_refresh_descriptors(self, map);
        goacc_close_items(&items);
        translate(self, map);
    }
    goacc_leave();
    goacc_finish(&span);
}

void GOACC_data_start(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds);
void GOACC_data_start(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds)
{
    const struct goacc_site site = goacc_here("data");
    const struct entries map = {n, host, sizes, kinds, false, false, NULL, 0};
    const enum route route = route_of(&site, flags, &map, of_entry, true);
    if (route == GENERAL) {
        start_data(&site, flags, &map);
        return;
    }
    struct goacc_level *level = goacc_push_level(&goacc_own, GOACC_IN_DATA);
    level->region = goacc_run(&goacc_own, ACCD_REGION, route - SHORT, plain, nplain, false);
    goacc_leave_quick();
}

static int parent_of_end(void)
{
    const struct goacc_thread *self = goacc_started();
    return self->nlevels ? self->levels[self->nlevels - 1].parent : GOACC_IN_DATA;
}

static __attribute__((noinline)) void end_data(const struct goacc_site *site)
{
    struct goacc_span span;
    goacc_begin(&span, site, GOACC_EV_EXIT_DATA, goacc_listens() ? parent_of_end() : 0, GOACC_SYNC, GOACC_CURRENT);
    struct goacc_thread *self = goacc_enter(site);
    goacc_pop_level(self);
    goacc_leave();
    goacc_finish(&span);
}

void GOACC_data_end(void);
void GOACC_data_end(void)
{
    struct goacc_site site = goacc_here("end data");
    site.ends = true;
    if (!goacc_is_quick() || !goacc_lock()) {
        end_data(&site);
        return;
    }
    goacc.site = &site;
    goacc_pop_level(&goacc_own);
    goacc_leave_quick();
}

/* ----------------------------------------------------------------------------------- dynamic -- */

/* How a kind of directive is carried out, and reported. */
struct way {
    accd_kind kind;
    int event, parent;
    const uint8_t *asked_of;
    void (*convert)(const struct entries *map, struct goacc_items *items);
};
static const struct way enters = {ACCD_ENTER_DATA, GOACC_EV_ENTER_DATA, GOACC_IN_ENTER_DATA, of_entry,
                                  goacc_entry_items};
static const struct way exits = {ACCD_EXIT_DATA, GOACC_EV_EXIT_DATA, GOACC_IN_EXIT_DATA, of_exit, goacc_exit_items};
static const struct way updates = {ACCD_UPDATE, GOACC_EV_UPDATE, GOACC_IN_UPDATE, of_update, goacc_update_items};

/* queue: only reported and checked, every queue is done at once, in program order. */
static __attribute__((noinline)) void dynamic(const struct goacc_site *site, int flags, const struct entries *map,
                                              const struct way *way, int queue)
{
    struct goacc_span span;
    goacc_begin(&span, site, way->event, site->declares ? GOACC_IN_DECLARE : way->parent, queue, type_of(site, flags));
    struct goacc_thread *self = goacc_enter(site);
    if (!nothing_to_do(self, flags)) {
        struct goacc_items items;
        goacc_open_items(&items, map->n);
        way->convert(map, &items);
        goacc_in_queue(self, queue);
        if (items.n)
            goacc_run(self, way->kind, true, items.at, items.n, items.finalize);
        goacc_in_queue(self, GOACC_SYNC);
        goacc_close_items(&items);
        if (items.descriptors)
            goacc_refresh_descriptors(self, map);
        if (way->kind == ACCD_UPDATE && !map->n)
            goacc_tell_lost_update();
    }
    goacc_leave();
    goacc_finish(&span);
}

/* False: nothing is done. */
static inline bool dynamic_short(const struct goacc_site *site, int flags, const struct entries *map,
                                 const struct way *way)
{
    const enum route route = route_of(site, flags, map, way->asked_of, true);
    if (route == GENERAL)
        return false;
    goacc_run(&goacc_own, way->kind, route - SHORT, plain, nplain, false);
    goacc_leave_quick();
    return true;
}

/* Wait clauses, and arguments of a wait directive, for the trace: so many queues follow; less than 0: all. */
static void trace_waits(const struct goacc_site *site, int async, int waits, va_list queues)
{
    if (waits < 0)
        goacc_hear_wait(site, async, GOACC_NOVAL);
    while (waits-- > 0)
        goacc_hear_wait(site, async, va_arg(queues, int));
}

#define TRACE_WAITS(site, async, waits)                      \
    do {                                                     \
        if (__builtin_expect(goacc.follows && (waits), 0)) {  \
            va_list queues;                                  \
            va_start(queues, waits);                         \
            trace_waits((site), (async), (waits), queues);   \
            va_end(queues);                                  \
        }                                                    \
    } while (0)

void GOACC_enter_data(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds,
                      int async, int waits, ...);
void GOACC_enter_data(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds,
                      int async, int waits, ...)
{
    const struct goacc_site site = goacc_here("enter data");
    const struct entries map = {n, host, sizes, kinds, false, false, NULL, 0};
    if (dynamic_short(&site, flags, &map, &enters))
        return;
    TRACE_WAITS(&site, async, waits);
    dynamic(&site, flags, &map, &enters, async);
}

void GOACC_exit_data(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds,
                     int async, int waits, ...);
void GOACC_exit_data(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds,
                     int async, int waits, ...)
{
    const struct goacc_site site = goacc_here("exit data");
    const struct entries map = {n, host, sizes, kinds, false, false, NULL, 0};
    if (dynamic_short(&site, flags, &map, &exits))
        return;
    TRACE_WAITS(&site, async, waits);
    dynamic(&site, flags, &map, &exits, async);
}

/* Of gcc before 12, for both directions: the first kind that tells decides. */
static bool is_exit(const struct entries *map)
{
    for (size_t i = 0; i < map->n; i++) {
        unsigned raw = map->kind[i] & 0xff, kind = goacc_kind(map, i);
        if (kind == FROM || kind == DELETE || kind == RELEASE || kind == DETACH ||
            raw == FORCE_DETACH)
            return true;
        if (kind == TO || kind == ALLOC || kind == ATTACH || kind == TO_PSET || kind == STRUCT)
            return false;
    }
    return false;
}

void GOACC_enter_exit_data(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds,
                           int async, int waits, ...);
void GOACC_enter_exit_data(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds,
                           int async, int waits, ...)
{
    const struct entries map = {n, host, sizes, kinds, false, false, NULL, 0};
    bool out = is_exit(&map);
    const struct goacc_site site = goacc_here(out ? "exit data" : "enter data");
    TRACE_WAITS(&site, async, waits);
    dynamic(&site, flags, &map, out ? &exits : &enters, async);
}

void GOACC_update(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds, int async,
                  int waits, ...);
void GOACC_update(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds, int async,
                  int waits, ...)
{
    const struct goacc_site site = goacc_here("update");
    const struct entries map = {n, host, sizes, kinds, false, false, NULL, 0};
    if (dynamic_short(&site, flags, &map, &updates))
        return;
    TRACE_WAITS(&site, async, waits);
    dynamic(&site, flags, &map, &updates, async);
}

void GOACC_declare(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds);
void GOACC_declare(int flags, size_t n, void **host, size_t *sizes, unsigned short *kinds)
{
    struct goacc_site site = goacc_here("declare");
    site.declares = true;
    const struct entries map = {n, host, sizes, kinds, false, false, NULL, 0};
    bool out = is_exit(&map);
    dynamic(&site, flags, &map, out ? &exits : &enters, GOACC_SYNC);
}

void GOACC_wait(int async, int waits, ...);
void GOACC_wait(int async, int waits, ...)
{
    const struct goacc_site site = goacc_here("wait");
    if (async != GOACC_SYNC) { /* nothing is ever under way */
        if (!waits && goacc.follows)
            goacc_hear_wait(&site, async, GOACC_NOVAL);
        TRACE_WAITS(&site, async, waits);
        return;
    }
    if (!goacc_listens() && !goacc.follows)
        return;
    va_list queues;
    va_start(queues, waits);
    if (!waits)
        goacc_wait(&site, GOACC_IN_WAIT, GOACC_NOVAL);
    while (waits-- > 0)
        goacc_wait(&site, GOACC_IN_WAIT, va_arg(queues, int));
    va_end(queues);
}

/* ----------------------------------------------------------------------------------- compute -- */

/* What the kernel gets for each entry. */
static void arguments(const struct goacc_thread *self, const struct entries *map, void **args)
{
    for (size_t i = 0; i < map->n; i++)
        args[i] = goacc_argument(self, map, i);
}

/* Callbacks run without the lock, on the host as the program knows it. */
static void next_part(struct goacc_span *part, const struct goacc_span *span, int event)
{
    if (!span->site)
        return;
    goacc_leave();
    goacc_finish(part);
    goacc_begin_part(part, span, event);
    goacc_enter(span->site);
}

/* False: nothing is done. Queues make no difference but to listeners. */
static bool compute_short(const struct goacc_site *site, int flags, void (*fn)(void *), const struct entries *map)
{
    union {
        uint64_t address[PLAIN];
        void *at[PLAIN];
    } args;
    if (!goacc_is_quick()) /* there may be no rules yet */
        return false;
    const enum route route = route_of(site, flags, map, of_entry, !goacc.options.rules->attach_variables);
    if (route == GENERAL)
        return false;
    goacc_declared_update();
    if (goacc.declares) {
        goacc_leave();
        return false;
    }
    struct goacc_thread *self = &goacc_own;
    accd_region *region = goacc_run(self, ACCD_COMPUTE, route - SHORT, plain, nplain, false);
    if (nplain < map->n || accd_region_addresses(region, args.address, nplain) < nplain) /* pointers are arguments, too */
        arguments(self, map, args.at);
    goacc_leave_quick();
    goacc_begin_kernel(self, site->call.pc);
    fn(args.at);
    self->does = GOACC_QUICK;
    goacc_enter(site);
    goacc_end_region(self, region);
    goacc_leave();
    return true;
}

static __attribute__((noinline)) void compute(const struct goacc_site *site, int flags, void (*fn)(void *),
                                              const struct entries *map, int queue)
{
    enum { FEW = 32 };
    struct goacc_thread *self = goacc_started();
    struct goacc_span span, part;
    goacc_begin(&span, site, GOACC_EV_COMPUTE, GOACC_IN_COMPUTE, queue, type_of(site, flags));
    if (nothing_to_do(self, flags)) {
        fn(map->host);
        goacc_finish(&span);
        return;
    }
    span.kernel = fn;
    goacc_begin_part(&part, &span, GOACC_EV_ENTER_DATA);
    union {
        struct goacc_kernel kernel;
        void *room[1 + FEW];
    } few;
    struct goacc_kernel *kernel = &few.kernel;
    struct goacc_items items;
    const size_t bytes = sizeof *kernel + map->n * sizeof(void *);
    /* The stack is closed to a kernel that is watched, and the heap to a checked one. */
    const bool apart = goacc.options.strict || (goacc.options.check && bytes > sizeof few);
    self = goacc_enter(site);
    goacc_declared_update();
    goacc_hold_back(site);
    if (apart)
        kernel = goacc_open_memory(NULL, NULL, 0, bytes);
    else if (bytes > sizeof few)
        kernel = malloc(bytes);
    if (!kernel)
        goacc_die("out-of-memory", "no memory for the arguments of a compute region");
    kernel->fn = kernel->code = fn;
    goacc_tell_sections_of_links(map, kernel->code);
    goacc_open_items(&items, map->n);
    goacc_entry_items(map, &items);
    goacc_attach_variables(self, map, &items);
    if (goacc.options.left)
        goacc_strict_scalars(self, items.at, items.n);
    goacc_in_queue(self, queue);
    accd_region *region = goacc_run(self, ACCD_COMPUTE, true, items.at, items.n, false);
    if (items.descriptors)
        goacc_refresh_descriptors(self, map);
    goacc_close_items(&items);
    arguments(self, map, kernel->args);
    next_part(&part, &span, GOACC_EV_LAUNCH);
    goacc_launch(site, self->device, kernel);
    next_part(&part, &span, GOACC_EV_EXIT_DATA);
    goacc_end_region(self, region);
    goacc_in_queue(self, GOACC_SYNC);
    if (apart)
        goacc_open_memory(NULL, kernel, bytes, 0);
    else if (kernel != &few.kernel)
        free(kernel);
    goacc_leave();
    goacc_finish(&part);
    goacc_finish(&span);
}

/* The queue of a compute construct: its call continues with tags, each with values, up to a 0. Waits are traced. */
static int queue_of(const struct goacc_site *site, va_list tags)
{
    enum { DIMENSIONS = 1, QUEUE = 2, WAITS = 3, LARGE = 0xffff };
    int queue = GOACC_SYNC;
    for (unsigned tag; (tag = va_arg(tags, unsigned)) != 0;) {
        int n = 0;
        if (tag >> 28 == QUEUE)
            queue = (tag & LARGE) == LARGE ? va_arg(tags, int) : (int)(tag & LARGE);
        else if (tag >> 28 == DIMENSIONS)
            n = __builtin_popcount(tag & LARGE);
        else if (tag >> 28 == WAITS)
            n = (int16_t)(tag & LARGE);
        else
            goacc_refuse_newer(site, "passes the launch argument 0x%x", tag);
        if (tag >> 28 == WAITS && goacc.follows && n < 0)
            goacc_hear_wait(site, queue, GOACC_NOVAL);
        while (n-- > 0) {
            const int value = va_arg(tags, int);
            if (tag >> 28 == WAITS && goacc.follows)
                goacc_hear_wait(site, queue, value);
        }
    }
    return queue;
}

void GOACC_parallel_keyed(int flags, void (*fn)(void *), size_t n, void **host, size_t *sizes,
                          unsigned short *kinds, ...);
void GOACC_parallel_keyed(int flags, void (*fn)(void *), size_t n, void **host, size_t *sizes,
                          unsigned short *kinds, ...)
{
    struct goacc_site site = goacc_here("compute");
    if (compute_short(&site, flags, fn, &(struct entries){n, host, sizes, kinds, false, false, NULL, 0}))
        return;
    int queue = GOACC_SYNC; /* which makes no difference but to listeners and strict runs */
    if (goacc_listens() || goacc.follows) {
        va_list tags;
        va_start(tags, kinds);
        queue = queue_of(&site, tags);
        va_end(tags);
    }
    if (queue != GOACC_SYNC)
        site.queue = &queue;
    compute(&site, flags, fn, &(struct entries){n, host, sizes, kinds, false, false, NULL, 0}, queue);
}

/* Of gcc before 6. */
void GOACC_parallel(int flags, void (*fn)(void *), size_t n, void **host, size_t *sizes,
                    unsigned short *kinds, int gangs, int workers, int vector, int async, int waits,
                    ...);
void GOACC_parallel(int flags, void (*fn)(void *), size_t n, void **host, size_t *sizes,
                    unsigned short *kinds, int gangs, int workers, int vector, int async, int waits,
                    ...)
{
    (void)gangs, (void)workers, (void)vector;
    struct goacc_site site = goacc_here("compute");
    TRACE_WAITS(&site, async, waits);
    if (async != GOACC_SYNC)
        site.queue = &async;
    compute(&site, flags, fn, &(struct entries){n, host, sizes, kinds, false, false, NULL, 0}, async);
}

int GOACC_get_num_threads(void);
int GOACC_get_num_threads(void)
{
    return 1;
}

int GOACC_get_thread_num(void);
int GOACC_get_thread_num(void)
{
    return 0;
}
