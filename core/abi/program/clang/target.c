/* target.c - the calls that clang makes for OpenMP's target directives (-fopenmp-targets), each one
 * construct of the core. How they look and what a region gets for each map are facts of that
 * interface. A region runs in the thread that calls, and its parallel regions are libomp's; its
 * data are the device's. Of a nowait directive clang makes a task of libomp, which makes the call.
 */
#include "abi/program/routines/target.h"

#include "abi/program/base/arena.h"
#include "abi/program/check/check.h"
#include "abi/program/data/image.h"
#include "abi/program/strict/unmatched.h"
#include "maps.h"
#include "tasks.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OFFLOADED = 0, NOT_OFFLOADED = 1 }; /* results of a target construct */

/* ----------------------------------------------------------------------------------------- data --
 */

typedef void items_of(struct goacc_maps *maps, struct goacc_items *items);

/* Runs a construct of the maps' items. */
static accd_region *run_items(struct goacc_thread *self, accd_kind kind, struct goacc_maps *maps,
                              items_of *convert)
{
    struct goacc_items items;
    accd_region *region = NULL;
    goacc_open_items(&items, maps->n);
    convert(maps, &items);
    if (items.n || kind == ACCD_COMPUTE)
        region = goacc_run(self, kind, true, items.at, items.n, false);
    if (items.nulls)
        goacc_clear_map_pointers(self, maps, false);
    goacc_close_items(&items);
    return region;
}

/* Of what regions hold, an exit removes references of other directives alone. */
static void spare_held(struct goacc_thread *self, struct goacc_maps *maps)
{
    for (size_t i = 0; i < maps->n; i++) {
        struct goacc_map *map = &maps->at[i];
        accd_present object;
        if (map->type & (HOLD | LITERAL | PRIVATE) ||
            !accd_present_at(goacc.context, self->device, (uintptr_t)map->begin, 0, &object) ||
            !object.structured || (object.dynamic && !(map->type & DELETE)))
            continue;
        const accd_item item = {
            .host = map->begin, .bytes = (uint64_t)map->size, .action = ACCD_DELETE};
        for (uint64_t n = object.dynamic; n; n--)
            goacc_run(self, ACCD_EXIT_DATA, true, &item, 1, false);
        map->type |= LITERAL;
    }
}

/* What a data region of the compiler's own clause holds has a region of the core, which ends with
 * it. */
static void hold(struct goacc_site *site, struct goacc_thread *self, accd_kind kind,
                 struct goacc_maps *maps)
{
    static bool holds; /* the program uses that clause */
    bool any = false;
    for (size_t i = 0; i < maps->n; i++)
        any |= (maps->at[i].type & HOLD) != 0;
    holds |= any;
    if (holds && kind == ACCD_EXIT_DATA)
        spare_held(self, maps);
    if (!any)
        return;
    maps->flags = maps->taken = HOLD;
    if (kind == ACCD_ENTER_DATA) {
        struct goacc_level *level = goacc_push_level(self, 0);
        level->region = run_items(self, ACCD_REGION, maps, goacc_enter_maps);
    } else if (kind == ACCD_EXIT_DATA) {
        site->ends = true;
        goacc_pop_level(self);
    }
    maps->taken = 0;
}

/* use_device_ptr, use_device_addr: the program continues with device addresses, of what is not
 * present with the host's (OpenMP 5.1). */
static void translate(const struct goacc_thread *self, const struct goacc_columns *columns)
{
    for (size_t i = 0; i < columns->n; i++) {
        const struct goacc_map map = goacc_map_at(columns, i);
        void *device = map.type & RETURN_PARAM && map.begin ? goacc_map_base(self, &map, false) : NULL;
        goacc_expose(device);
        if (device || map.type & FB_NULLIFY)
            columns->base[i] = device;
    }
}

static void check_types(const struct goacc_site *site, const struct goacc_columns *columns)
{
    for (size_t i = 0; i < columns->n; i++)
        if (!goacc_knows_type(columns->type[i]))
            goacc_refuse_newer(site, "passes a map of type 0x%llx", (unsigned long long)columns->type[i]);
}

static void data(struct goacc_site *site, int64_t number, const struct goacc_columns *columns,
                 accd_kind kind, items_of *convert)
{
    struct goacc_maps maps;
    const int device = goacc_target_device((int)number, site);
    if (device < 0)
        return;
    check_types(site, columns);
    goacc_open_maps(&maps, columns);
    site->name = goacc_map_name;
    site->names = &maps;
    const struct goacc_target_call call = goacc_target_enter(site, device);
    goacc_note_place(site);
    hold(site, call.self, kind, &maps);
    run_items(call.self, kind, &maps, convert);
    if (kind == ACCD_ENTER_DATA)
        translate(call.self, columns);
    goacc_target_leave(&call);
    goacc_close_maps(&maps);
}

/* What all calls have in common; older ones have neither places nor names nor mappers, and those of
 * tasks name what the task depends on, which libomp has waited for. */
#define MAPS int32_t n, void **base, void **begin, const int64_t *size, const uint64_t *type
#define NAMES const char *const *name, void *const *mapper
#define DEPENDS int32_t ndepend, void *depend, int32_t nno_alias, void *no_alias
#define IGNORE_DEPENDS (void)ndepend, (void)depend, (void)nno_alias, (void)no_alias
#define COLUMNS(...) \
    (&(const struct goacc_columns){(size_t)n, base, begin, size, type, __VA_ARGS__})

#define DATA(function, what, kind, convert)                                           \
    void function(int64_t device, MAPS);                                              \
    void function(int64_t device, MAPS)                                               \
    {                                                                                 \
        struct goacc_site site = goacc_here(what);                                    \
        data(&site, device, COLUMNS(NULL, NULL), kind, convert);                      \
    }                                                                                 \
    void function##_nowait(int64_t device, MAPS, DEPENDS);                            \
    void function##_nowait(int64_t device, MAPS, DEPENDS)                             \
    {                                                                                 \
        struct goacc_site site = goacc_here(what);                                    \
        IGNORE_DEPENDS;                                                               \
        data(&site, device, COLUMNS(NULL, NULL), kind, convert);                      \
    }                                                                                 \
    void function##_mapper(void *place, int64_t device, MAPS, NAMES);                 \
    void function##_mapper(void *place, int64_t device, MAPS, NAMES)                  \
    {                                                                                 \
        struct goacc_site site = goacc_here(what);                                    \
        site.place = goacc_place_of(place);                                                 \
        data(&site, device, COLUMNS(name, mapper), kind, convert);                    \
    }                                                                                 \
    void function##_nowait_mapper(void *place, int64_t device, MAPS, NAMES, DEPENDS); \
    void function##_nowait_mapper(void *place, int64_t device, MAPS, NAMES, DEPENDS)  \
    {                                                                                 \
        struct goacc_site site = goacc_here(what);                                    \
        site.place = goacc_place_of(place);                                                 \
        IGNORE_DEPENDS;                                                               \
        data(&site, device, COLUMNS(name, mapper), kind, convert);                    \
    }

/* The compiler makes the same calls for a region and for the directives without one. */
DATA(__tgt_target_data_begin, "target (enter) data", ACCD_ENTER_DATA, goacc_enter_maps)
DATA(__tgt_target_data_end, "target (exit) data", ACCD_EXIT_DATA, goacc_exit_maps)
DATA(__tgt_target_data_update, "target update", ACCD_UPDATE, goacc_update_maps)

/* -------------------------------------------------------------------------------------- regions --
 */

/* How a region's function takes its values. */
enum passing {
    PASS_VALUES,
    PASS_ENVIRONMENT_FIRST, /* one more argument, before the others, which is for GPUs */
    PASS_ADDRESSES          /* as one argument: an array of their addresses */
};

/* What a region runs with. */
struct body {
    void *fn;
    int device;
    size_t n;
    void **addresses; /* of each of args; NULL: fn takes the values */
    uintptr_t args[]; /* of fn; followed by the addresses and the private variables */
};

static void call(const struct body *body)
{
    const uintptr_t *args = body->args;
    if (body->addresses) {
        (*(void (*const *)(void **)) & body->fn)(body->addresses);
        return;
    }
    switch (goacc_words_for(body->n)) {
    case 16:
        (*(void (*const *)(U16)) & body->fn)(A16(0));
        break;
    case 64:
        (*(void (*const *)(U64)) & body->fn)(A64(0));
        break;
    default:
        (*(void (*const *)(U1024)) & body->fn)(A1024(0));
    }
}

/* Regions whose accesses are checked have one team, of one thread, which is known to be the
 * kernel's. */
static struct libomp {
    int (*get_max_active_levels)(void);
    int (*get_teams_thread_limit)(void), (*get_max_teams)(void), (*get_num_procs)(void);
    void (*set_teams_thread_limit)(int threads), (*set_num_teams)(int teams);
} behind;

static void find_libomp(void)
{
    *(void **)&behind.get_max_active_levels = goacc_behind("omp_get_max_active_levels");
    *(void **)&behind.get_teams_thread_limit = goacc_behind("omp_get_teams_thread_limit");
    *(void **)&behind.get_max_teams = goacc_behind("omp_get_max_teams");
    *(void **)&behind.get_num_procs = goacc_behind("omp_get_num_procs");
    *(void **)&behind.set_teams_thread_limit = goacc_behind("omp_set_teams_thread_limit");
    *(void **)&behind.set_num_teams = goacc_behind("omp_set_num_teams");
}

static const struct libomp *libomp(void)
{
    static pthread_once_t found = PTHREAD_ONCE_INIT;
    pthread_once(&found, find_libomp);
    return &behind;
}

/* The clauses of a teams construct come to us first. */
static bool is_alone(void)
{
    return goacc.options.left && goacc_region(goacc_own.does);
}

void __kmpc_push_num_teams(void *place, int32_t thread, int32_t teams, int32_t threads);
void __kmpc_push_num_teams(void *place, int32_t thread, int32_t teams, int32_t threads)
{
    static void (*push)(void *place, int32_t thread, int32_t teams, int32_t threads);
    if (!push)
        *(void **)&push = goacc_behind("__kmpc_push_num_teams");
    push(place, thread, is_alone() ? 1 : teams, is_alone() ? 1 : threads);
}

void __kmpc_push_num_teams_51(void *place, int32_t thread, int32_t least, int32_t most,
                              int32_t threads);
void __kmpc_push_num_teams_51(void *place, int32_t thread, int32_t least, int32_t most,
                              int32_t threads)
{
    static void (*push)(void *place, int32_t thread, int32_t least, int32_t most, int32_t threads);
    if (!push)
        *(void **)&push = goacc_behind("__kmpc_push_num_teams_51");
    push(place, thread, is_alone() ? 1 : least, is_alone() ? 1 : most, is_alone() ? 1 : threads);
}

static void call_alone(const struct body *body)
{
    const int levels = libomp()->get_max_active_levels(),
              threads = libomp()->get_teams_thread_limit(), teams = libomp()->get_max_teams();
    goacc_openmp()->set_max_active_levels(0);
    libomp()->set_teams_thread_limit(1);
    libomp()->set_num_teams(1);
    call(body);
    libomp()->set_num_teams(teams);
    libomp()->set_teams_thread_limit(threads ? threads
                                             : libomp()->get_num_procs()); /* 0: no limit */
    goacc_openmp()->set_max_active_levels(levels);
}

/* With the control variables of a device. */
static void run_kernel(void *args)
{
    const struct body *body = *(struct body **)args;
    const int before = goacc_openmp()->get_default_device();
    goacc_openmp()->set_default_device(GOACC_IN_TARGET + body->device);
    if (goacc.options.left)
        call_alone(body);
    else
        call(body);
    goacc_openmp()->set_default_device(before);
}

enum { PRIVATE_ALIGNMENT = 16 };

static size_t private_bytes(const struct goacc_columns *columns)
{
    size_t bytes = PRIVATE_ALIGNMENT;
    for (size_t i = 0; i < columns->n; i++)
        if (columns->type[i] & PRIVATE)
            bytes += ((size_t)columns->size[i] + PRIVATE_ALIGNMENT - 1) / PRIVATE_ALIGNMENT *
                     PRIVATE_ALIGNMENT;
    return bytes;
}

/* In a strict run: addresses that the kernel gets. */
static void note_values(struct goacc_thread *self, const struct goacc_columns *columns)
{
    for (size_t i = 0; i < columns->n; i++) {
        goacc_steady_value(self, (uintptr_t)columns->base[i]);
        if (columns->type[i] & PRIVATE && columns->type[i] & TO && columns->size[i] == sizeof(void *))
            goacc_steady_value(self, goacc_word(columns->begin[i]));
    }
}

/* What the region gets for each map; returns how many. position: of each map among them. */
static size_t arguments(const struct goacc_thread *self, const struct goacc_columns *columns,
                        uintptr_t *args, char *room)
{
    size_t n = 0;
    room =
        (char *)(((uintptr_t)room + PRIVATE_ALIGNMENT - 1) & ~(uintptr_t)(PRIVATE_ALIGNMENT - 1));
    for (size_t i = 0; i < columns->n; i++) {
        const struct goacc_map map = goacc_map_at(columns, i);
        if (!(map.type & TARGET_PARAM))
            continue;
        if (map.type & LITERAL) {
            args[n++] = (uintptr_t)map.base;
        } else if (map.type & PRIVATE) {
            const size_t size = (size_t)map.size;
            if (map.type & TO)
                memcpy(room, map.begin, size);
            args[n++] = (uintptr_t)room - ((uintptr_t)map.begin - (uintptr_t)map.base);
            room += (size + PRIVATE_ALIGNMENT - 1) / PRIVATE_ALIGNMENT * PRIVATE_ALIGNMENT;
        } else {
            const bool has_mapper = columns->mapper && columns->mapper[i];
            args[n] = map.begin ? (uintptr_t)goacc_map_base(self, &map, has_mapper) : 0;
            if (!args[n++] && map.begin)
                goacc_note_unmatched_argument(map.begin);
        }
    }
    return n;
}

/* Pointers in a lambda that the region uses point to the device's data of what it captures by
 * reference. */
static void translate_lambdas(const struct goacc_thread *self, const struct goacc_columns *columns,
                              const uintptr_t *args)
{
    enum { CAPTURED = LITERAL | PTR_AND_OBJ | IMPLICIT };
    for (size_t i = 0; i < columns->n; i++) {
        const size_t of = goacc_member_of(columns->type[i]);
        if ((columns->type[i] & CAPTURED) != CAPTURED || !of || of > i)
            continue;
        size_t position = 0;
        for (size_t k = 0; k + 1 < of; k++)
            position += (columns->type[k] & TARGET_PARAM) != 0;
        const uintptr_t field =
            args[position] + (uintptr_t)columns->base[i] - (uintptr_t)columns->base[of - 1];
        void *device = goacc_device_address(self, columns->begin[i]);
        if (device && columns->type[of - 1] & PRIVATE)
            memcpy((void *)field, &device, sizeof device);
        else if (device)
            goacc_write_device(self->device, field, &device, sizeof device);
    }
}

static void *memory(void *block, size_t old, size_t bytes)
{
    if (goacc.options.left) /* the stack and the heap are closed to the kernel */
        return goacc_open_memory(NULL, block, old, bytes);
    return realloc(block, bytes);
}

/* Another thread ends the program: one report is enough. */
static _Noreturn void wait_for_end(void)
{
    goacc_unlock();
    for (;;)
        pause();
}

static void compute(struct goacc_site *site, int device, const void *region_id,
                    const struct goacc_columns *columns, enum passing passing)
{
    const bool environment = passing == PASS_ENVIRONMENT_FIRST, by_address = passing == PASS_ADDRESSES;
    const size_t room = goacc_words_for(columns->n + environment),
                 head = sizeof(struct goacc_kernel) + sizeof(void *),
                 args = head + sizeof(struct body) + (by_address ? 2 : 1) * room * sizeof(uintptr_t),
                 bytes = args + private_bytes(columns);
    struct goacc_maps maps;
    goacc_open_maps(&maps, columns);
    site->name = goacc_map_name;
    site->names = &maps;
    const struct goacc_target_call call = goacc_target_enter(site, device);
    goacc_note_place(site);
    goacc_declared_update();
    goacc_hold_back(site);
    if (goacc.options.strict)
        goacc_find_libomp_tasks();
    struct goacc_kernel *kernel = memory(NULL, 0, bytes);
    if (!kernel)
        goacc_die("out-of-memory", "no memory for the arguments of a target region");
    struct body *body = (struct body *)(void *)((char *)kernel + head);
    memset(body, 0, args - head);
    kernel->fn = run_kernel;
    kernel->args[0] = body;
    body->fn = goacc_image_function(device, region_id);
    body->device = device;
    if (!body->fn && goacc_image_is_removed()) {
        if (goacc.ends_at_once)
            wait_for_end();
        goacc.ends_at_once = true;
        goacc_die("missing-wait",
                  "this target region, a nowait task, begins as the program ends: no wait for tasks comes before");
    }
    if (!body->fn)
        goacc_die("unsupported", "the device code for this machine does not have this region");
    if (goacc.options.strict)
        note_values(call.self, columns);
    *(void **)&kernel->code = body->fn;
    accd_region *region = run_items(call.self, ACCD_COMPUTE, &maps, goacc_enter_maps);
    body->args[0] = UINTPTR_MAX; /* there is no environment */
    body->n = environment +
              arguments(call.self, columns, body->args + environment, (char *)kernel + args);
    translate_lambdas(call.self, columns, body->args + environment);
    if (by_address)
        body->addresses = (void **)(body->args + room);
    for (size_t i = 0; by_address && i < body->n; i++)
        body->addresses[i] = &body->args[i];
    goacc_launch(site, device, kernel);
    goacc_forget_unmatched(site);
    goacc_clear_map_pointers(call.self, &maps, true);
    goacc_end_region(call.self, region);
    memory(kernel, bytes, 0);
    goacc_target_leave(&call);
    goacc_close_maps(&maps);
}

static int target(struct goacc_site *site, int64_t number, const void *region_id,
                  const struct goacc_columns *columns, enum passing passing)
{
    const int device = goacc_target_device((int)number, site);
    if (device < 0)
        return NOT_OFFLOADED;
    check_types(site, columns);
    if (columns->n >= GOACC_WORDS_MOST)
        goacc_refuse(site, "unsupported", "has %zu maps; the most are %d", columns->n,
                     GOACC_WORDS_MOST - 1);
    compute(site, device, region_id, columns, passing);
    return OFFLOADED;
}

/* Up to clang 14: teams: arguments behind those of the maps. */
#define TARGET(function, TEAMS, ...)                                                           \
    int function(int64_t device, const void *region, MAPS TEAMS);                              \
    int function(int64_t device, const void *region, MAPS TEAMS)                               \
    {                                                                                          \
        struct goacc_site site = goacc_here("target");                                         \
        __VA_ARGS__;                                                                           \
        return target(&site, device, region, COLUMNS(NULL, NULL), PASS_VALUES);                      \
    }                                                                                          \
    int function##_nowait(int64_t device, const void *region, MAPS TEAMS, DEPENDS);            \
    int function##_nowait(int64_t device, const void *region, MAPS TEAMS, DEPENDS)             \
    {                                                                                          \
        struct goacc_site site = goacc_here("target");                                         \
        __VA_ARGS__;                                                                           \
        IGNORE_DEPENDS;                                                                        \
        return target(&site, device, region, COLUMNS(NULL, NULL), PASS_VALUES);                      \
    }                                                                                          \
    int function##_mapper(void *place, int64_t device, const void *region, MAPS, NAMES TEAMS); \
    int function##_mapper(void *place, int64_t device, const void *region, MAPS, NAMES TEAMS)  \
    {                                                                                          \
        struct goacc_site site = goacc_here("target");                                         \
        site.place = goacc_place_of(place);                                                          \
        __VA_ARGS__;                                                                           \
        return target(&site, device, region, COLUMNS(name, mapper), PASS_VALUES);                    \
    }                                                                                          \
    int function##_nowait_mapper(void *place, int64_t device, const void *region, MAPS,        \
                                 NAMES TEAMS, DEPENDS);                                        \
    int function##_nowait_mapper(void *place, int64_t device, const void *region, MAPS,        \
                                 NAMES TEAMS, DEPENDS)                                         \
    {                                                                                          \
        struct goacc_site site = goacc_here("target");                                         \
        site.place = goacc_place_of(place);                                                          \
        __VA_ARGS__;                                                                           \
        IGNORE_DEPENDS;                                                                        \
        return target(&site, device, region, COLUMNS(name, mapper), PASS_VALUES);                    \
    }
#define NO_TEAMS
#define TEAMS , int32_t teams, int32_t threads
TARGET(__tgt_target, NO_TEAMS, (void)0)
TARGET(__tgt_target_teams, TEAMS, (void)teams, (void)threads)

/* As of clang 15. What later versions have behind these is for GPUs. */
struct kernel_arguments {
    uint32_t version, n;
    void **base, **begin;
    const int64_t *size;
    const uint64_t *type;
    const char *const *name;
    void *const *mapper;
};
/* Versions of the arguments. Since version 4 the environment is the last map. clang 23 has version 5. */
enum { ENVIRONMENT_FIRST = 3, ADDRESSES = 5 };

static enum passing passing_of(const struct goacc_site *site, uint32_t version)
{
    if (version > ADDRESSES)
        goacc_refuse_newer(site, "passes kernel arguments of version %u", version);
    if (version == ADDRESSES)
        return PASS_ADDRESSES;
    return version == ENVIRONMENT_FIRST ? PASS_ENVIRONMENT_FIRST : PASS_VALUES;
}

static int target_kernel(struct goacc_site *site, int64_t device, const void *region,
                         const struct kernel_arguments *of)
{
    goacc.device_pointers = true; /* these compilers do as OpenMP 5.2 says */
    const struct goacc_columns columns = {of->n,    of->base, of->begin, of->size,
                                          of->type, of->name, of->mapper};
    return target(site, device, region, &columns, passing_of(site, of->version));
}

int __tgt_target_kernel(void *place, int64_t device, int32_t teams, int32_t threads,
                        const void *region, const struct kernel_arguments *arguments);
int __tgt_target_kernel(void *place, int64_t device, int32_t teams, int32_t threads,
                        const void *region, const struct kernel_arguments *arguments)
{
    struct goacc_site site = goacc_here("target");
    (void)teams, (void)threads;
    site.place = goacc_place_of(place);
    return target_kernel(&site, device, region, arguments);
}

int __tgt_target_kernel_nowait(void *place, int64_t device, int32_t teams, int32_t threads,
                               const void *region, const struct kernel_arguments *arguments,
                               DEPENDS);
int __tgt_target_kernel_nowait(void *place, int64_t device, int32_t teams, int32_t threads,
                               const void *region, const struct kernel_arguments *arguments,
                               DEPENDS)
{
    struct goacc_site site = goacc_here("target");
    (void)teams, (void)threads, IGNORE_DEPENDS;
    site.place = goacc_place_of(place);
    return target_kernel(&site, device, region, arguments);
}
