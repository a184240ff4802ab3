/* target.c - the calls that gcc makes for OpenMP's target directives (-fopenmp), each one construct
 * of the core. How they look and what a region gets for each entry are facts of that interface.
 * Regions run as libgomp runs those of the host, with control variables, teams and threads of their
 * own; their data are the device's. */
#include "abi/program/routines/target.h"

#include "abi/program/base/arena.h"
#include "abi/program/check/check.h"
#include "abi/program/strict/unmatched.h"
#include "plain.h"

#include <stdlib.h>
#include <string.h>

enum { NOWAIT = 1, EXIT_DATA = 2 }; /* flags of calls */
enum { TASK_DEPENDS = 8 };          /* of tasks */
enum { ON_HOST = -2 };              /* a device, as libgomp numbers them */

/* Functions of libgomp behind ours. */
static struct libgomp {
    void (*target)(int device, void (*fn)(void *), size_t n, void **host, size_t *sizes,
                   unsigned short *kinds, unsigned flags, void **depend, void **args);
    void (*task)(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes,
                 long alignment, bool deferred, unsigned flags, void **depend, int priority,
                 void *detach);
    void (*taskwait_depend)(void **depend);
} behind;

static void find_libgomp(void)
{
    *(void **)&behind.target = goacc_behind("GOMP_target_ext");
    *(void **)&behind.task = goacc_behind("GOMP_task");
    *(void **)&behind.taskwait_depend = goacc_behind("GOMP_taskwait_depend");
}

static const struct libgomp *libgomp(void)
{
    static pthread_once_t found = PTHREAD_ONCE_INIT;
    pthread_once(&found, find_libgomp);
    return &behind;
}

/* ------------------------------------------------------------------------------------- tasks -- */

/* A directive: what its call was given. */
struct directive {
    struct goacc_site site;
    int device; /* -1: the host */
    void (*fn)(void *);
    void **teams; /* of a target construct */
    struct entries map;
    unsigned flags;
    void (*run)(const struct directive *directive);
};

/* The same with arrays of its own, until its task has run. */
struct deferred {
    struct directive directive;
    struct goacc_turn turn;
    uint64_t room[]; /* addresses, sizes, arguments, private variables, kinds */
};
static __thread const struct deferred *making; /* by the thread, at this moment */

static size_t words(size_t bytes)
{
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static bool is_private(const struct entries *map, size_t i)
{
    return goacc_kind(map, i) == FIRSTPRIVATE && map->host[i];
}

static size_t alignment(const struct entries *map, size_t i)
{
    return (size_t)1 << (map->kind[i] >> 8);
}

/* Bytes for the private variables of a directive. */
static size_t private_bytes(const struct entries *map)
{
    size_t bytes = 0;
    for (size_t i = 0; i < map->n; i++)
        if (is_private(map, i))
            bytes += map->size[i] + alignment(map, i) - 1;
    return bytes;
}

/* Copies them; args get the addresses of the copies. */
static void copy_private(const struct entries *map, char *room, void **args)
{
    for (size_t i = 0; i < map->n; i++) {
        if (!is_private(map, i))
            continue;
        const size_t align = alignment(map, i);
        room = (char *)(((uintptr_t)room + align - 1) & ~(uintptr_t)(align - 1));
        memcpy(room, map->host[i], map->size[i]);
        args[i] = room;
        room += map->size[i];
    }
}

/* In a strict run: addresses that the kernel gets. */
static void note_values(struct goacc_thread *self, const struct entries *map)
{
    for (size_t i = 0; i < map->n; i++)
        if (!is_private(map, i))
            goacc_steady_value(self, (uintptr_t)map->host[i]);
        else if (map->size[i] == sizeof(void *))
            goacc_steady_value(self, goacc_word(map->host[i]));
}

static void run_task(void *data)
{
    struct deferred *task = *(struct deferred **)data;
    struct goacc_call *call = &task->directive.site.call;
    if (task != making) /* the frames of the call may be gone */
        *call = (struct goacc_call){.pc = call->pc, .sp = (uintptr_t)__builtin_frame_address(0)};
    struct goacc_thread *self = goacc_started();
    const struct goacc_turn before = self->turn;
    self->turn = task->turn;
    task->directive.run(&task->directive);
    self->turn = before;
    free(task);
}

/* Makes a task of libgomp of a nowait directive. */
static void defer(const struct directive *directive, void **depend)
{
    const struct entries *map = &directive->map;
    const size_t n = map->n, arguments = map->argument ? map->arguments : 0, bytes = private_bytes(map);
    struct deferred *task =
        malloc(sizeof *task + (2 * n + arguments + words(bytes) + words(2 * n)) * sizeof(uint64_t));
    if (!task)
        goacc_die("out-of-memory", "no memory for a task of a directive with %zu entries", n);
    void **host = (void **)(void *)task->room;
    size_t *size = (size_t *)(void *)(task->room + n), *argument = size + n;
    char *copies = (char *)(argument + arguments);
    unsigned short *kind = (unsigned short *)(void *)(copies + words(bytes) * sizeof(uint64_t));
    task->directive = *directive;
    if (n) {
        memcpy(host, map->host, n * sizeof *host);
        memcpy(size, map->size, n * sizeof *size);
        memcpy(kind, map->kind, n * sizeof *kind);
    }
    if (arguments)
        memcpy(argument, map->argument, arguments * sizeof *argument);
    copy_private(map, copies, host);
    task->directive.map = (struct entries){
        n, host, size, kind, true, map->region, arguments ? argument : NULL, arguments};
    task->turn = goacc_next_task(&directive->site, depend);
    making = task;
    libgomp()->task(run_task, &task, NULL, sizeof task, sizeof task, goacc_is_deferred(), depend ? TASK_DEPENDS : 0,
                          depend, 0, NULL);
    making = NULL;
}

/* Executes a directive without iterators, or lets a task do so. */
static void carry_out_expanded(const struct directive *directive, void **depend)
{
    if (directive->flags & NOWAIT) {
        defer(directive, depend);
        return;
    }
    if (depend) {
        libgomp()->taskwait_depend(depend);
        goacc_tasks_waited(&directive->site, depend);
    }
    directive->run(directive);
}

/* Executes a directive, or lets a task do so. */
static void carry_out(const struct directive *directive, void **depend)
{
    struct directive expanded = *directive;
    if (directive->flags & ~(unsigned)(NOWAIT | EXIT_DATA))
        goacc_refuse_newer(&directive->site, "passes the flags 0x%x", directive->flags);
    if (!goacc_has_iterators(&directive->map)) {
        carry_out_expanded(directive, depend);
        return;
    }
    expanded.map = goacc_expand_iterators(&directive->map);
    carry_out_expanded(&expanded, depend);
    free(expanded.map.host);
}

/* --------------------------------------------------------------------------------- short way -- */

static const uint8_t of_entry[0x100] = {
    [ALLOC] = ACCD_CREATE,
    [TO] = ACCD_COPYIN | MOVES,
    [FROM] = ACCD_COPYOUT | MOVES | OUT,
    [TOFROM] = ACCD_COPY | MOVES | OUT,
    [IMPLICIT | ALLOC] = ACCD_CREATE,
    [IMPLICIT | TO] = ACCD_COPYIN | MOVES,
    [IMPLICIT | FROM] = ACCD_COPYOUT | MOVES | OUT,
    [IMPLICIT | TOFROM] = ACCD_COPY | MOVES | OUT,
    [ATTACH] = ACCD_ATTACH,
    [ZERO_LENGTH] = ACCD_CREATE,
    [FIRSTPRIVATE] = ACCD_HOLD,
    [FIRSTPRIVATE_INT] = ACCD_HOLD,
};
static const uint8_t of_exit[0x100] = {
    [FROM] = ACCD_COPYOUT | MOVES,
    [RELEASE] = ACCD_DELETE,
    [DELETE] = ACCD_DELETE | FINAL,
    [DETACH] = ACCD_DETACH,
};
static const uint8_t of_update[0x100] = {
    [TO] = ACCD_UPDATE_DEVICE | TRIES | MOVES,
    [FROM] = ACCD_UPDATE_SELF | TRIES | MOVES,
};

/* Their items, and of which entry each is; what is not written here is never written. With the lock. */
static accd_item plain[PLAIN];
static uint8_t entry_of[PLAIN];
static size_t nplain;

static enum route plain_items(const struct entries *map, const uint8_t *asked_of)
{
    const accd_label *label = goacc_site_label();
    const uintptr_t stack = goacc.site->call.sp;
    bool doubtful = false;
    nplain = 0;
    for (size_t i = 0; i < map->n; i++) {
        const unsigned kind = map->kind[i] & 0xff, asked = asked_of[kind];
        const void *host = map->host[i];
        uint64_t bytes = map->size[i];
        if ((asked & ACTION) == ACCD_HOLD) { /* an argument of the region alone */
            if (!map->region)
                return GENERAL;
            continue;
        }
        if (!asked || !host || bytes == (size_t)ITERATED)
            return GENERAL;
        if (kind == ATTACH || kind == DETACH) {
            if (!plain_pointer(plain, nplain, host, bytes))
                return GENERAL;
            continue;
        }
        if (kind == ZERO_LENGTH) {
            uint64_t start;
            if (!map->region || !accd_present_bounds(goacc.context, goacc_own.device, host, &start, &bytes))
                return GENERAL;
            host = (const void *)(uintptr_t)start;
        } else if (kind >= (IMPLICIT | ALLOC) && kind <= (IMPLICIT | TOFROM) &&
                   goacc_is_partly_present(&goacc_own, host, bytes)) {
            return GENERAL;
        }
        const enum route route = plain_data(host, bytes, asked, stack);
        if (route == GENERAL)
            return GENERAL;
        doubtful |= route == DOUBTFUL;
        accd_item *item = &plain[nplain];
        item->host = host;
        item->bytes = bytes;
        item->slot = NULL;
        item->label = label;
        item->action = asked & ACTION;
        item->flags = (asked & TRIES ? ACCD_ITEM_TRY : 0) | (asked & FINAL ? ACCD_ITEM_FINAL : 0);
        entry_of[nplain++] = (uint8_t)i;
    }
    return doubtful ? DOUBTFUL : SHORT;
}

/* Takes the lock, chooses the device and makes the items if a directive goes the short way. leave_short comes after. */
static inline enum route route_of(const struct goacc_site *site, int device, const struct entries *map,
                                  const uint8_t *asked_of, struct goacc_target_call *call)
{
    if (device < 0 || !goacc_is_quick() || map->n - 1 >= PLAIN || !goacc_lock())
        return GENERAL;
    goacc.site = site;
    *call = (struct goacc_target_call){&goacc_own, goacc_own.device};
    goacc_own.device = device;
    const enum route route = plain_items(map, asked_of);
    if (__builtin_expect(route == GENERAL, 0))
        goacc_target_leave(call);
    return route;
}

static void leave_short(const struct goacc_target_call *call)
{
    goacc_own.device = call->before;
    goacc_leave_quick();
}

/* Whether a directive without a region of its own has been carried out. */
static inline bool done_short(const struct goacc_site *site, int device, const struct entries *map, accd_kind kind,
                              const uint8_t *asked_of)
{
    struct goacc_target_call call;
    const enum route route = route_of(site, device, map, asked_of, &call);
    if (route == GENERAL)
        return false;
    goacc_run(&goacc_own, kind, route == DOUBTFUL, plain, nplain, false);
    leave_short(&call);
    return true;
}

/* -------------------------------------------------------------------------------------- data -- */

/* What a construct opened: its region, if it has one, and whether it made pointers null. */
struct opened {
    accd_region *region;
    bool nulls;
};

/* Runs a construct of the entries' items. */
static struct opened run_items(struct goacc_thread *self, accd_kind kind, const struct entries *map,
                               void (*convert)(const struct entries *map, struct goacc_items *items))
{
    struct goacc_items items;
    accd_region *region = NULL;
    goacc_open_items(&items, map->n);
    convert(map, &items);
    if (items.n || kind == ACCD_COMPUTE)
        region = goacc_run(self, kind, true, items.at, items.n, items.finalize);
    if (items.descriptors)
        goacc_refresh_descriptors(self, map);
    if (items.nulls)
        goacc_clear_pointers(self, map, false);
    goacc_close_items(&items);
    return (struct opened){region, items.nulls};
}

/* use_device_ptr, use_device_addr: the program continues with device addresses, of what is not
 * present with the host's (OpenMP 5.1). */
static void translate(const struct goacc_thread *self, const struct entries *map)
{
    for (size_t i = 0; i < map->n; i++) {
        const unsigned kind = goacc_kind(map, i);
        if (kind != USE_DEVICE && kind != USE_DEVICE_IF_PRESENT)
            continue;
        void *device = map->host[i] ? goacc_device_address(self, map->host[i]) : NULL;
        goacc_expose(device);
        if (device)
            map->host[i] = device;
    }
}

void GOMP_target_data_ext(int device, size_t n, void **host, size_t *sizes, unsigned short *kinds);
void GOMP_target_data_ext(int device, size_t n, void **host, size_t *sizes, unsigned short *kinds)
{
    const struct goacc_site site = goacc_here("target data");
    const struct entries map = {n, host, sizes, kinds, true, false, NULL, 0};
    device = goacc_target_device(device, &site);
    struct goacc_target_call call;
    const enum route route = route_of(&site, device, &map, of_entry, &call);
    if (route != GENERAL) {
        struct goacc_level *level = goacc_push_level(call.self, 0);
        level->region = goacc_run(call.self, ACCD_REGION, route == DOUBTFUL, plain, nplain, false);
        leave_short(&call);
        return;
    }
    call = goacc_target_enter(&site, device);
    struct goacc_level *level = goacc_push_level(call.self, 0);
    if (device >= 0) {
        const bool iterated = goacc_has_iterators(&map);
        const struct entries expanded = iterated ? goacc_expand_iterators(&map) : map;
        level->region = run_items(call.self, ACCD_REGION, &expanded, goacc_entry_items).region;
        if (iterated)
            free(expanded.host);
        translate(call.self, &map);
    }
    goacc_target_leave(&call);
}

void GOMP_target_end_data(void);
void GOMP_target_end_data(void)
{
    struct goacc_site site = goacc_here("end target data");
    site.ends = true;
    goacc_pop_level(goacc_enter(&site));
    goacc_leave();
}

/* Carries out a directive without a region of its own. */
static void move_data(const struct goacc_site *site, int device, const struct entries *map, unsigned flags,
                      void **depend, accd_kind kind, const uint8_t *asked_of, void (*run)(const struct directive *))
{
    device = goacc_target_device(device, site);
    if ((flags & ~(unsigned)EXIT_DATA) || depend || !done_short(site, device, map, kind, asked_of))
        carry_out(&(struct directive){.site = *site, .device = device, .flags = flags, .map = *map, .run = run},
                  depend);
}

static void enter_exit(const struct directive *directive)
{
    const bool out = directive->flags & EXIT_DATA;
    if (directive->device < 0)
        return;
    const struct goacc_target_call call = goacc_target_enter(&directive->site, directive->device);
    run_items(call.self, out ? ACCD_EXIT_DATA : ACCD_ENTER_DATA, &directive->map,
              out ? goacc_exit_items : goacc_entry_items);
    goacc_target_leave(&call);
}

void GOMP_target_enter_exit_data(int device, size_t n, void **host, size_t *sizes,
                                 unsigned short *kinds, unsigned flags, void **depend);
void GOMP_target_enter_exit_data(int device, size_t n, void **host, size_t *sizes,
                                 unsigned short *kinds, unsigned flags, void **depend)
{
    const bool out = flags & EXIT_DATA;
    const struct goacc_site site = goacc_here(out ? "target exit data" : "target enter data");
    const struct entries map = {n, host, sizes, kinds, true, false, NULL, 0};
    move_data(&site, device, &map, flags, depend, out ? ACCD_EXIT_DATA : ACCD_ENTER_DATA, out ? of_exit : of_entry,
              enter_exit);
}

static void update(const struct directive *directive)
{
    if (directive->device < 0)
        return;
    const struct goacc_target_call call = goacc_target_enter(&directive->site, directive->device);
    run_items(call.self, ACCD_UPDATE, &directive->map, goacc_update_items);
    goacc_target_leave(&call);
}

void GOMP_target_update_ext(int device, size_t n, void **host, size_t *sizes, unsigned short *kinds,
                            unsigned flags, void **depend);
void GOMP_target_update_ext(int device, size_t n, void **host, size_t *sizes, unsigned short *kinds,
                            unsigned flags, void **depend)
{
    const struct goacc_site site = goacc_here("target update");
    const struct entries map = {n, host, sizes, kinds, true, false, NULL, 0};
    move_data(&site, device, &map, flags, depend, ACCD_UPDATE, of_update, update);
}

/* ----------------------------------------------------------------------------------- regions -- */

/* What a region runs with. */
struct body {
    void (*fn)(void *);
    void **teams;
    int device;
    void *args[]; /* of fn; private variables lie behind them */
};

/* With the control variables of a region of the host. */
static void run_inside(void *data)
{
    struct body *body = data;
    if (body->device >= 0)
        goacc_openmp()->set_default_device(GOACC_IN_TARGET + body->device);
    if (body->device >= 0 && goacc.options.left) /* one thread is known to be the kernel's */
        goacc_openmp()->set_max_active_levels(0);
    body->fn(body->args);
}

static void run_body(struct body *body)
{
    libgomp()->target(ON_HOST, run_inside, 0, (void **)body, NULL, NULL, 0, NULL,
                            body->teams);
}

static void run_kernel(void *args)
{
    run_body(*(struct body **)args);
}

static void *memory(void *block, size_t old, size_t bytes)
{
    if (goacc.options.left) /* the stack and the heap are closed to the kernel */
        return goacc_open_memory(NULL, block, old, bytes);
    return realloc(block, bytes);
}

/* Leaves each argument of a region the one of its entry. */
static void pick_arguments(const struct entries *map, void **args)
{
    for (size_t i = 0; map->argument && i < map->arguments; i++)
        args[i] = args[map->argument[i]]; /* which is not before it */
}

/* False: nothing is done. */
static bool compute_short(const struct goacc_site *site, int device, void (*fn)(void *), const struct entries *map,
                          void **teams)
{
    enum { FEW = 512, WORDS = sizeof(struct body) / sizeof(void *) + PLAIN };
    union {
        struct body body;
        void *words[WORDS];
    } few;
    struct goacc_target_call call;
    uint64_t addresses[PLAIN];
    char copies[FEW];
    if (private_bytes(map) > FEW)
        return false;
    const enum route route = route_of(site, device, map, of_entry, &call);
    if (route == GENERAL)
        return false;
    goacc_declared_update();
    if (goacc.declares) {
        goacc_target_leave(&call);
        return false;
    }
    accd_region *region = goacc_run(call.self, ACCD_COMPUTE, route == DOUBTFUL, plain, nplain, false);
    struct body *body = &few.body;
    *body = (struct body){fn, teams, device};
    for (size_t i = 0; i < map->n; i++)
        body->args[i] = map->host[i];
    const size_t known = accd_region_addresses(region, addresses, nplain);
    for (size_t k = 0; k < nplain; k++) {
        const size_t i = entry_of[k];
        if (k < known)
            body->args[i] = (void *)(uintptr_t)(addresses[k] + ((uintptr_t)map->host[i] - (uintptr_t)plain[k].host));
        else
            body->args[i] = goacc_argument(call.self, map, i);
    }
    copy_private(map, copies, body->args);
    leave_short(&call);
    goacc_begin_kernel(call.self, site->call.pc | GOACC_TARGET);
    run_body(body);
    call.self->does = GOACC_QUICK;
    call = goacc_target_enter(site, device);
    goacc_end_region(call.self, region);
    goacc_target_leave(&call);
    return true;
}

static void compute(const struct directive *directive)
{
    const struct entries *map = &directive->map;
    const size_t head = sizeof(struct goacc_kernel) + sizeof(void *);
    const size_t args = head + sizeof(struct body) + map->n * sizeof(void *),
                 bytes = args + private_bytes(map);
    const struct goacc_target_call call = goacc_target_enter(&directive->site, directive->device);
    goacc_declared_update();
    goacc_hold_back(&directive->site);
    if (goacc.options.strict)
        goacc_find_tasks();
    struct goacc_kernel *kernel = memory(NULL, 0, bytes);
    if (!kernel)
        goacc_die("out-of-memory", "no memory for the arguments of a target region");
    struct body *body = (struct body *)(void *)((char *)kernel + head);
    kernel->fn = run_kernel;
    kernel->code = directive->fn;
    kernel->args[0] = body;
    *body = (struct body){directive->fn, directive->teams, directive->device};
    goacc_tell_sections_of_links(map, kernel->code);
    if (goacc.options.strict)
        note_values(call.self, map);
    const struct opened opened = run_items(call.self, ACCD_COMPUTE, map, goacc_entry_items);
    for (size_t i = 0; i < map->n; i++)
        if (!(body->args[i] = goacc_argument(call.self, map, i)) && map->host[i])
            goacc_note_unmatched_argument(map->host[i]);
    copy_private(map, (char *)kernel + args, body->args);
    pick_arguments(map, body->args);
    goacc_launch(&directive->site, directive->device, kernel);
    goacc_forget_unmatched(&directive->site);
    if (opened.nulls)
        goacc_clear_pointers(call.self, map, true);
    goacc_end_region(call.self, opened.region);
    memory(kernel, bytes, 0);
    goacc_target_leave(&call);
}

/* On the host, variables are the program's, but private ones. */
static void compute_on_host(const struct directive *directive)
{
    const struct entries *map = &directive->map;
    const size_t args = sizeof(struct body) + map->n * sizeof(void *);
    struct body *body = malloc(args + private_bytes(map));
    if (!body)
        goacc_die("out-of-memory", "no memory for the arguments of a target region");
    *body = (struct body){directive->fn, directive->teams, -1};
    for (size_t i = 0; i < map->n; i++)
        body->args[i] = map->host[i];
    copy_private(map, (char *)body + args, body->args);
    pick_arguments(map, body->args);
    run_body(body);
    free(body);
}

void GOMP_target_ext(int device, void (*fn)(void *), size_t n, void **host, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **args);
void GOMP_target_ext(int device, void (*fn)(void *), size_t n, void **host, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **args)
{
    const struct goacc_site site = goacc_here("target");
    const struct entries map = {n, host, sizes, kinds, true, true, NULL, 0};
    device = goacc_target_device(device, &site);
    if (!flags && !depend && compute_short(&site, device, fn, &map, args))
        return;
    carry_out(&(struct directive){.site = site,
                                  .device = device,
                                  .fn = fn,
                                  .teams = args,
                                  .flags = flags,
                                  .map = map,
                                  .run = device < 0 ? compute_on_host : compute},
              depend);
}
