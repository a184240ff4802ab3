/* clang_target.c - the entry points that clang calls for OpenMP's target directives (-fopenmp-targets), each one
 * construct of the core. Their parameters and the arguments of regions are defined by that interface.
 *
 * A region runs in the calling thread, and libomp runs its parallel regions; only the data are those of the device. For
 * a nowait directive clang creates a task of libomp (clang_tasks.c), which calls an entry point here. The arguments of
 * a running region are one block of memory:
 *
 *      | struct rt_kernel, args[0] = body | struct body, args | addresses (PASS_ADDRESSES) | private variables | */
#include "api/next_function.h"
#include "api/order_tasks.h"
#include "api/target.h"

#include "base/kernel.h"
#include "base/lock.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "image/declared.h"
#include "image/image.h"
#include "rt/launch.h"
#include "rt/lifecycle.h"
#include "clang_call_arguments.h"
#include "clang_maps.h"
#include "lower.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Results of a target construct. NOT_OFFLOADED: the compiler's code runs the region on the host. */
enum { OFFLOADED = 0, NOT_OFFLOADED = 1 };

/* ----------------------------------------------------------------------------------------- data --
 */

/* Function that converts the maps of a directive to items: one of rt_add_map_enter_items, rt_add_map_exit_items and
 * rt_add_map_update_items. */
typedef void items_of(struct rt_maps *maps, struct rt_items *items);

/* Makes items of the maps by `convert`, and runs a construct of `kind` with them. Returns the construct's region; NULL:
 * none is open. Failure ends the program. */
static accd_region *run_maps(struct rt_thread *self, accd_construct_kind kind, struct rt_maps *maps, items_of *convert)
{
    struct rt_items items;
    rt_items_init(&items, maps->n);
    convert(maps, &items);
    accd_region *region = rt_run_items(self, kind, RT_NEEDS_CHECK, &items);
    rt_items_free(&items);
    return region;
}

/* Handles maps of an exit directive that would unmap data which a region holds (clause ompx_hold): decrements only the
 * data's dynamic reference counts, to 0. Makes these maps LITERAL, so that the directive ignores them. */
static void keep_held_references(struct rt_thread *self, struct rt_maps *maps)
{
    for (size_t i = 0; i < maps->n; i++) {
        struct rt_map *map = &maps->at[i];
        accd_present_object object;
        if (map->type & (HOLD | LITERAL | PRIVATE) ||
            !accd_present_at(rt.context, self->device, (uintptr_t)map->begin, 0, &object) || !object.structured ||
            (object.dynamic && !(map->type & DELETE)))
            continue;
        const accd_item item = {.host = map->begin, .bytes = (uint64_t)map->size, .action = ACCD_ACTION_DELETE};
        for (uint64_t n = object.dynamic; n; n--)
            rt_run_construct(self, ACCD_KIND_EXIT_DATA, RT_NEEDS_CHECK, &item, 1, false);
        map->type |= LITERAL;
    }
}

/* Handles the maps of a data directive with clang's clause ompx_hold (HOLD), whose data stay present until the
 * program's data region ends. At its begin (kind enter data) opens a region of the core for these maps; at its end
 * (exit data) ends that region, and sets site->is_region_end. Then sets the filter of `maps`, so that the caller
 * ignores these maps.
 */
static void hold_region_data(struct rt_site *site, struct rt_thread *self, accd_construct_kind kind,
                             struct rt_maps *maps)
{
    assert(maps->flag_mask == 0 && maps->flag_value == 0);
    static bool uses_hold; /* true once the program has used the clause ompx_hold */
    bool has_hold = false;
    for (size_t i = 0; i < maps->n; i++)
        has_hold |= (maps->at[i].type & HOLD) != 0;
    uses_hold |= has_hold;
    if (uses_hold && kind == ACCD_KIND_EXIT_DATA)
        keep_held_references(self, maps);
    if (!has_hold)
        return;
    maps->flag_mask = maps->flag_value = HOLD;
    if (kind == ACCD_KIND_ENTER_DATA) {
        struct rt_region *level = rt_push_region(self, 0);
        level->region = run_maps(self, ACCD_KIND_REGION, maps, rt_add_map_enter_items);
    } else if (kind == ACCD_KIND_EXIT_DATA) {
        site->is_region_end = true;
        rt_pop_region(self);
    }
    maps->flag_value = 0;
}

/* Replaces the base addresses of use_device_ptr and use_device_addr (RETURN_PARAM) by device addresses; the program's
 * code reads them from there in the region. Absent data keep the host address (OpenMP 5.1), or get NULL (FB_NULLIFY).
 */
static void translate_addresses(const struct rt_thread *self, const struct rt_map_columns *columns)
{
    for (size_t i = 0; i < columns->n; i++) {
        const struct rt_map map = rt_get_map(columns, i);
        void *device = map.type & RETURN_PARAM && map.begin ? rt_find_map_base(self, &map, false) : NULL;
        RT_CALL_HOOKS(expose, (uintptr_t)device);
        if (device || map.type & FB_NULLIFY)
            columns->base[i] = device;
    }
}

/* Ends the program with a report if a map has an unknown type. */
static void check_types(const struct rt_site *site, const struct rt_map_columns *columns)
{
    for (size_t i = 0; i < columns->n; i++)
        if (!rt_is_known_map_type(columns->type[i]))
            rt_reject_unknown_abi(site, "passes a map of type 0x%llx", (unsigned long long)columns->type[i]);
}

/* Runs a data directive: enter data, exit data, update, or the begin or end of a data region. number: the device number
 * in the directive; convert: makes items of its maps. Does nothing if the device is the host. */
static void run_data_directive(struct rt_site *site, int64_t number, const struct rt_map_columns *columns,
                               accd_construct_kind kind, items_of *convert)
{
    struct rt_maps maps;
    const int device = rt_resolve_target_device((int)number, site);
    if (device < 0)
        return;
    check_types(site, columns);
    rt_run_some_tasks();
    rt_maps_init(&maps, columns);
    site->name = rt_find_map_name;
    site->names = &maps;
    const struct rt_target_call call = rt_target_enter(site, device);
    rt_record_location(site);
    hold_region_data(site, call.self, kind, &maps);
    run_maps(call.self, kind, &maps, convert);
    if (kind == ACCD_KIND_ENTER_DATA)
        translate_addresses(call.self, columns);
    rt_target_leave(&call);
    rt_maps_free(&maps);
}

/* Parameters that the entry points have in common. Those of older compilers lack locations, names and mappers. Those of
 * nowait directives also pass dependences; libomp has waited for these already, so they are ignored. */
#define UNUSED __attribute__((unused))
#define MAPS int32_t n, void **base, void **begin, const int64_t *size, const uint64_t *type
#define NAMES const char *const *name, void *const *mapper
#define DEPENDS UNUSED int32_t ndepend, UNUSED void *depend, UNUSED int32_t nno_alias, UNUSED void *no_alias
#define COLUMNS(...) (&(const struct rt_map_columns){(size_t)n, base, begin, size, type, __VA_ARGS__})

/* Defines the entry point `function`, which runs `call` with the site of the program's call. place: the location that
 * the compiler passes, or NULL. */
#define ENTRY(type, function, parameters, construct_name, place, call) \
    type function parameters;                                          \
    type function parameters                                           \
    {                                                                  \
        struct rt_site site = rt_caller_site(construct_name);          \
        site.location = rt_get_ident_text(place);                      \
        return call;                                                   \
    }
/* Defines the four entry points of a data directive, each of which runs the directive at once: without and with
 * `nowait`, and with locations, names and mappers (`_mapper`). */
#define DATA(function, construct_name, kind, convert)                                                             \
    ENTRY(void, function, (int64_t device, MAPS), construct_name, NULL,                                           \
          run_data_directive(&site, device, COLUMNS(NULL, NULL), kind, convert))                                  \
    ENTRY(void, function##_nowait, (int64_t device, MAPS, DEPENDS), construct_name, NULL,                         \
          run_data_directive(&site, device, COLUMNS(NULL, NULL), kind, convert))                                  \
    ENTRY(void, function##_mapper, (void *location, int64_t device, MAPS, NAMES), construct_name, location,       \
          run_data_directive(&site, device, COLUMNS(name, mapper), kind, convert))                                \
    ENTRY(void, function##_nowait_mapper, (void *location, int64_t device, MAPS, NAMES, DEPENDS), construct_name, \
          location, run_data_directive(&site, device, COLUMNS(name, mapper), kind, convert))

/* The compiler makes the same calls for the begin and end of data regions and for directives without a region. */
DATA(__tgt_target_data_begin, "target (enter) data", ACCD_KIND_ENTER_DATA, rt_add_map_enter_items)
DATA(__tgt_target_data_end, "target (exit) data", ACCD_KIND_EXIT_DATA, rt_add_map_exit_items)
DATA(__tgt_target_data_update, "target update", ACCD_KIND_UPDATE, rt_add_map_update_items)

/* -------------------------------------------------------------------------------------- regions --
 */

/* How the function of a target region takes its arguments. */
enum passing {
    PASS_VALUES,            /* values, a word for each */
    PASS_ENVIRONMENT_FIRST, /* values after one more argument, which is for GPUs */
    PASS_ADDRESSES          /* array of addresses of the values, as single argument */
};

/* Function and n arguments of a target region that runs on `device`. */
struct body {
    void *fn;
    int device;
    size_t n;
    void **addresses; /* addresses of `args`; NULL: `fn` takes the values */
    uintptr_t args[]; /* arguments of fn, followed by the addresses and the private variables */
};

/* Calls the function of a target region with its arguments: with one array of their addresses, or with 16, 64 or 1024
 * words. Of the words, the function reads as many as it has parameters. */
static void call_region(const struct body *body)
{
    assert(body->fn && body->n <= RT_CALL_ARGUMENTS_MAX);
    const uintptr_t *args = body->args;
    if (body->addresses) {
        (*(void (*const *)(void **)) & body->fn)(body->addresses);
        return;
    }
    switch (rt_round_up_argument_count(body->n)) {
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

/* Functions of libomp that get and set its limits for teams and threads. In checked runs target regions have one team
 * of one thread, because checks recognise only the thread that runs the kernel. */
int omp_get_max_active_levels(void), omp_get_teams_thread_limit(void), omp_get_max_teams(void), omp_get_num_procs(void);
void omp_set_teams_thread_limit(int threads), omp_set_num_teams(int teams);

/* Returns true if a teams construct must get one team of one thread. That is so if the calling thread runs a kernel of
 * a strict or instrumented run, whose checks recognise only this thread. */
static bool has_single_team(void)
{
    return rt.options.diagnose && rt_kernel_kind(rt_this_thread.activity);
}

/* Sets the number of teams and the thread limit for the next teams construct, as libomp does; both become 1 in checked
 * kernels. */
void __kmpc_push_num_teams(void *location, int32_t thread, int32_t teams, int32_t threads);
void __kmpc_push_num_teams(void *location, int32_t thread, int32_t teams, int32_t threads)
{
    RT_NEXT(__kmpc_push_num_teams)(location, thread, has_single_team() ? 1 : teams, has_single_team() ? 1 : threads);
}

/* Sets bounds for the number of teams, and the thread limit (OpenMP 5.1), as libomp does; each becomes 1 in checked
 * kernels. */
void __kmpc_push_num_teams_51(void *location, int32_t thread, int32_t least, int32_t most, int32_t threads);
void __kmpc_push_num_teams_51(void *location, int32_t thread, int32_t least, int32_t most, int32_t threads)
{
    RT_NEXT(__kmpc_push_num_teams_51)
    (location, thread, has_single_team() ? 1 : least, has_single_team() ? 1 : most, has_single_team() ? 1 : threads);
}

/* Calls the function of a target region with libomp's limits at one team of one thread, and restores the limits. */
static void call_single_threaded(const struct body *body)
{
    const int regions = RT_NEXT(omp_get_max_active_levels)(), threads = RT_NEXT(omp_get_teams_thread_limit)(),
              teams = RT_NEXT(omp_get_max_teams)();
    RT_NEXT(omp_set_max_active_levels)(0);
    RT_NEXT(omp_set_teams_thread_limit)(1);
    RT_NEXT(omp_set_num_teams)(1);
    call_region(body);
    RT_NEXT(omp_set_num_teams)(teams);
    RT_NEXT(omp_set_teams_thread_limit)(threads ? threads : RT_NEXT(omp_get_num_procs)()); /* threads 0: no limit */
    RT_NEXT(omp_set_max_active_levels)(regions);
}

/* Function of a struct rt_kernel: runs a target region, during which its device is the default device. `args`: address
 * of a pointer to the struct body. */
static void run_region(void *args)
{
    assert(*(struct body **)args);
    const struct body *body = *(struct body **)args;
    const int before = RT_NEXT(omp_get_default_device)();
    RT_NEXT(omp_set_default_device)(RT_TARGET_DEVICE_BASE + body->device);
    if (rt.options.diagnose)
        call_single_threaded(body);
    else
        call_region(body);
    RT_NEXT(omp_set_default_device)(before);
}

enum { PRIVATE_ALIGNMENT = 16 };

/* Returns the number of bytes for copies of all private variables among the maps, with the most that their alignment
 * can need. */
static size_t private_bytes(const struct rt_map_columns *columns)
{
    size_t bytes = 0;
    for (size_t i = 0; i < columns->n; i++)
        if (columns->type[i] & PRIVATE)
            bytes += (size_t)columns->size[i] + PRIVATE_ALIGNMENT - 1;
    return bytes;
}

/* Calls the hook `pass_argument` with the base addresses of the maps, and the values of firstprivate pointers. */
static void report_arguments(struct rt_thread *self, const struct rt_map_columns *columns)
{
    for (size_t i = 0; i < columns->n; i++) {
        RT_CALL_HOOKS(pass_argument, self, (uintptr_t)columns->base[i]);
        if (columns->type[i] & PRIVATE && columns->type[i] & TO && columns->size[i] == sizeof(void *))
            RT_CALL_HOOKS(pass_argument, self, rt_load_word(columns->begin[i]));
    }
}

/* Stores the region's arguments in `args`, which must have space for one per map, and returns their number. Copies
 * private variables to `storage`, which must have private_bytes(columns) bytes. The argument for absent data is null,
 * which is recorded (rt_record_nulled_argument). */
static size_t fill_arguments(const struct rt_thread *self, const struct rt_map_columns *columns, uintptr_t *args,
                             char *storage)
{
    assert(args && storage);
    size_t n = 0;
    for (size_t i = 0; i < columns->n; i++) {
        const struct rt_map map = rt_get_map(columns, i);
        if (!(map.type & TARGET_PARAM))
            continue;
        if (map.type & LITERAL) {
            args[n++] = (uintptr_t)map.base;
        } else if (map.type & PRIVATE) {
            char *copy = rt_place_private_copy(&storage, (size_t)map.size, PRIVATE_ALIGNMENT);
            if (map.type & TO)
                memcpy(copy, map.begin, (size_t)map.size);
            args[n++] = (uintptr_t)copy - ((uintptr_t)map.begin - (uintptr_t)map.base);
        } else {
            const bool has_mapper = columns->mapper && columns->mapper[i];
            args[n] = map.begin ? (uintptr_t)rt_find_map_base(self, &map, has_mapper) : 0;
            if (!args[n++] && map.begin)
                RT_CALL_HOOKS(pass_null, map.begin);
        }
    }
    return n;
}

/* Corrects C++ lambdas that the region uses: a pointer in a lambda's copy to a variable captured by reference gets the
 * variable's device address. args: arguments of the region, some of which are addresses of lambdas. */
static void translate_lambdas(const struct rt_thread *self, const struct rt_map_columns *columns, const uintptr_t *args)
{
    assert(rt.context);
    enum { CAPTURED = LITERAL | PTR_AND_OBJ | IMPLICIT };
    for (size_t i = 0; i < columns->n; i++) {
        const size_t parent = rt_get_map_parent(columns->type[i]);
        if ((columns->type[i] & CAPTURED) != CAPTURED || !parent || parent > i)
            continue;
        size_t position = 0;
        for (size_t k = 0; k + 1 < parent; k++)
            position += (columns->type[k] & TARGET_PARAM) != 0;
        const uintptr_t field = args[position] + (uintptr_t)columns->base[i] - (uintptr_t)columns->base[parent - 1];
        void *device = rt_find_device_address(self, columns->begin[i]);
        if (device && columns->type[parent - 1] & PRIVATE)
            memcpy((void *)field, &device, sizeof device);
        else if (device)
            rt_write_device(self->device, field, &device, sizeof device);
    }
}

/* Releases the lock and waits forever, because another thread has reported an error and ends the program. */
static _Noreturn void wait_for_end(void)
{
    rt_unlock();
    for (;;)
        pause();
}

/* Runs a target construct on `device`: maps its data, runs the kernel and unmaps the data. region_id: host address that
 * identifies the region; passing: how its function takes arguments. Ends the program without memory, or if the device
 * code lacks the region. */
static void run_target(struct rt_site *site, int device, const void *region_id, const struct rt_map_columns *columns,
                       enum passing passing)
{
    assert(device >= 0 && columns->n < RT_CALL_ARGUMENTS_MAX);
    const bool environment = passing == PASS_ENVIRONMENT_FIRST, by_address = passing == PASS_ADDRESSES;
    const size_t capacity = rt_round_up_argument_count(columns->n + environment),
                 head = sizeof(struct rt_kernel) + sizeof(void *),
                 args = head + sizeof(struct body) + (by_address ? 2 : 1) * capacity * sizeof(uintptr_t),
                 bytes = args + private_bytes(columns);
    struct rt_maps maps;
    rt_maps_init(&maps, columns);
    site->name = rt_find_map_name;
    site->names = &maps;
    const struct rt_target_call call = rt_target_enter(site, device);
    rt_record_location(site);
    rt_declared_refresh();
    rt_acquire_exclusive(site);
    if (RT_HAS_HOOK(run_kernel))
        rt_find_next_functions();
    struct rt_kernel *kernel = rt_alloc_kernel(bytes);
    struct body *body = (struct body *)(void *)((char *)kernel + head);
    memset(body, 0, args - head);
    kernel->fn = run_region;
    kernel->args[0] = body;
    body->fn = rt_find_image_function(device, region_id);
    body->device = device;
    if (!body->fn && rt_has_removed_image()) {
        if (rt.must_exit_at_once)
            wait_for_end();
        rt.must_exit_at_once = true;
        rt_fatal("missing-wait",
                 "this target region, a nowait task, begins as the program ends: no wait for tasks comes before");
    }
    if (!body->fn)
        rt_fatal("unsupported", "the device code for this machine does not have this region");
    if (RT_HAS_HOOK(pass_argument))
        report_arguments(call.self, columns);
    *(void **)&kernel->code = body->fn;
    struct rt_items items;
    rt_items_init(&items, maps.n);
    rt_add_map_enter_items(&maps, &items);
    accd_region *region = rt_run_items(call.self, ACCD_KIND_COMPUTE, RT_NEEDS_CHECK, &items);
    /* The environment for GPUs, which may be the first argument, gets any value: regions on this machine do not use it.
     */
    body->args[0] = UINTPTR_MAX;
    body->n = environment + fill_arguments(call.self, columns, body->args + environment, (char *)kernel + args);
    translate_lambdas(call.self, columns, body->args + environment);
    if (by_address)
        body->addresses = (void **)(body->args + capacity);
    for (size_t i = 0; by_address && i < body->n; i++)
        body->addresses[i] = &body->args[i];
    rt_launch_kernel(site, device, kernel);
    RT_CALL_HOOKS(end_nulls, site);
    rt_restore_null_pointers(call.self, &items);
    rt_items_free(&items);
    rt_end_core_region(call.self, region);
    rt_free_kernel(kernel, bytes);
    rt_target_leave(&call);
    rt_maps_free(&maps);
}

/* Runs a target construct and returns OFFLOADED. Returns NOT_OFFLOADED, and does nothing, if the device `number` is the
 * host. region_id: host address that identifies the region; passing: how its function takes arguments. Ends the program
 * if the directive has RT_CALL_ARGUMENTS_MAX maps or more. */
static int run_target_construct(struct rt_site *site, int64_t number, const void *region_id,
                                const struct rt_map_columns *columns, enum passing passing)
{
    const int device = rt_resolve_target_device((int)number, site);
    if (device < 0)
        return NOT_OFFLOADED;
    check_types(site, columns);
    if (columns->n >= RT_CALL_ARGUMENTS_MAX)
        rt_reject_call(site, "unsupported", "has %zu maps; the most are %d", columns->n, RT_CALL_ARGUMENTS_MAX - 1);
    rt_run_some_tasks();
    run_target(site, device, region_id, columns, passing);
    return OFFLOADED;
}

/* Defines the entry points up to clang 14, which run a target construct at once: without and with `nowait`, and with
 * locations, names and mappers (`_mapper`). TEAMS: parameters that follow those of the maps. */
#define TARGET(function, TEAMS)                                                                                      \
    ENTRY(int, function, (int64_t device, const void *region, MAPS TEAMS), "target", NULL,                           \
          run_target_construct(&site, device, region, COLUMNS(NULL, NULL), PASS_VALUES))                             \
    ENTRY(int, function##_nowait, (int64_t device, const void *region, MAPS TEAMS, DEPENDS), "target", NULL,         \
          run_target_construct(&site, device, region, COLUMNS(NULL, NULL), PASS_VALUES))                             \
    ENTRY(int, function##_mapper, (void *location, int64_t device, const void *region, MAPS, NAMES TEAMS), "target", \
          location, run_target_construct(&site, device, region, COLUMNS(name, mapper), PASS_VALUES))                 \
    ENTRY(int, function##_nowait_mapper,                                                                             \
          (void *location, int64_t device, const void *region, MAPS, NAMES TEAMS, DEPENDS), "target", location,      \
          run_target_construct(&site, device, region, COLUMNS(name, mapper), PASS_VALUES))
#define NO_TEAMS
#define TEAMS , UNUSED int32_t teams, UNUSED int32_t threads
TARGET(__tgt_target, NO_TEAMS)
TARGET(__tgt_target_teams, TEAMS)

/* Arguments that clang 15 and later pass for a target construct: the columns of its n maps. Fields after these are for
 * GPUs. */
struct kernel_arguments {
    uint32_t version, n;
    void **base, **begin;
    const int64_t *size;
    const uint64_t *type;
    const char *const *name;
    void *const *mapper;
};
/* Versions of struct kernel_arguments. ENVIRONMENT_FIRST: the region's function has one more argument, for GPUs, before
 * the others; from version 4 on that is the last map. ADDRESSES (clang 23): the function gets an array of addresses. */
enum { ENVIRONMENT_FIRST = 3, ADDRESSES = 5 };

/* Returns how the function of a target region takes its arguments, by the version of struct kernel_arguments. An
 * unknown version ends the program. */
static enum passing passing_of(const struct rt_site *site, uint32_t version)
{
    if (version > ADDRESSES)
        rt_reject_unknown_abi(site, "passes kernel arguments of version %u", version);
    if (version == ADDRESSES)
        return PASS_ADDRESSES;
    return version == ENVIRONMENT_FIRST ? PASS_ENVIRONMENT_FIRST : PASS_VALUES;
}

/* Runs a target construct of clang 15 or later, with the maps in *arguments. region: host address that identifies the
 * region. Returns OFFLOADED, or NOT_OFFLOADED if the device is the host. */
static int target_kernel(struct rt_site *site, int64_t device, const void *region,
                         const struct kernel_arguments *arguments)
{
    rt.device_pointers = true; /* these compilers follow OpenMP 5.2 */
    const struct rt_map_columns columns = {arguments->n,    arguments->base, arguments->begin, arguments->size,
                                           arguments->type, arguments->name, arguments->mapper};
    return run_target_construct(site, device, region, &columns, passing_of(site, arguments->version));
}

/* Run a target construct of clang 15 or later at once; with `nowait`, they are called by the construct's task of
 * libomp. Teams, threads and dependences are ignored. Return 0, or 1 if clang's code must run the region on the host.
 */
#define KERNEL void *location, int64_t device TEAMS, const void *region, const struct kernel_arguments *arguments
ENTRY(int, __tgt_target_kernel, (KERNEL), "target", location, target_kernel(&site, device, region, arguments))
ENTRY(int, __tgt_target_kernel_nowait, (KERNEL, DEPENDS), "target", location,
      target_kernel(&site, device, region, arguments))
