/* lowered.c - directives of lowered programs: the context of the process, regions, addresses in kernels, errors.
 *
 * A directive's first run reads its plan (plan.c). Each run locates the items of the plan with the arguments of the
 * call, and executes them as one construct of the core. One lock protects the context, the plans and all other data of
 * this file. Every failure ends the process with an error. */
#include "lowered.h"

#include "abi/helps/helps.h"
#include "accdeep_routines.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Value of `item` in accd_lowered_pointer: the target must be present. */
enum { MUST_BE_PRESENT = -2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static accd_context *context; /* context of the process; opened by its first directive */
static FILE *events;          /* file of ACCDEEP_EVENTS; NULL: events are not written */

/* Takes the lock of the library, which protects all its data. */
void accd__lowered_lock(void)
{
    pthread_mutex_lock(&lock);
}

/* Open region of a data or compute construct. */
struct accd_lowered_region {
    accd_region *core;
    const accd_lowered *directive;
    size_t nitems;
    const void *hosts[]; /* host addresses of the items' first bytes, by number of the item */
};

/* Writes the help of an error code to standard error, if the code has a help. {1|the data} is written as "the data". */
static void write_help(const char *code)
{
    const struct accd__help *entry = accd__help_table;
    while (entry->code && strcmp(entry->code, code) != 0)
        entry++;
    if (!entry->code)
        return;
    fputs("  help: ", stderr);
    for (const char *c = entry->help; *c; c++)
        if (*c == '{')
            c += strcspn(c, "|");
        else if (*c != '}')
            fputc(*c, stderr);
    fputc('\n', stderr);
}

/* Writes an error at `line` of `file` to standard error, and ends the process with exit status 1. The caller holds the
 * lock. */
static _Noreturn void end_with_error(const char *file, int line, const char *code, const char *rule,
                                     const char *message)
{
    assert(pthread_mutex_trylock(&lock) != 0);
    pthread_mutex_unlock(&lock); /* exit() runs functions of atexit, whose directives take the lock again */
    fflush(stdout);
    fprintf(stderr, "%s:%d: error[%s]: %s\n  rule: %s\n", file, line, code, message, rule);
    write_help(code);
    fprintf(stderr, "  more: accdeep explain %s\n", code);
    exit(EXIT_FAILURE);
}

/* Ends the process with an error at the place of a directive. The caller holds the lock. */
_Noreturn void accd__lowered_end_with_error(const accd_lowered *directive, const char *code, const char *rule,
                                            const char *message)
{
    end_with_error(directive->file, directive->line, code, rule, message);
}

/* Ends the process with the last error of the core. The caller holds the lock. */
static _Noreturn void end_with_core_error(const accd_lowered *directive)
{
    const accd_error *error = accd_context_error(context);
    accd__lowered_end_with_error(directive, accd_status_code(error->status), error->rule, error->message);
}

static accd_lowered_bound **bounds; /* functions of bounds of all units, by number */
static size_t nbounds;

/* Returns the index of the function `bound` in the list `bounds`; at its first use appends it there. */
int accd__lowered_bound_number(const accd_lowered *directive, accd_lowered_bound *bound)
{
    assert(pthread_mutex_trylock(&lock) != 0 && bound);
    for (size_t i = 0; i < nbounds; i++)
        if (bounds[i] == bound)
            return (int)i;
    accd_lowered_bound **list = realloc(bounds, (nbounds + 1) * sizeof *list);
    if (!list)
        accd__lowered_end_with_error(directive, "out-of-memory", "HOUSE-memory",
                                     "there is no memory for a function of a bound");
    bounds = list;
    bounds[nbounds] = bound;
    return (int)nbounds++;
}

/* Calls the function with index `fn` in `bounds` for each of n objects, whose addresses are args[0], and stores the
 * results in `out` (an accd_bound_fn). Returns 0: success. */
static int call_bound(void *ud, int fn, size_t n, int nargs, const int64_t *const *args, int64_t *out)
{
    assert(fn >= 0 && (size_t)fn < nbounds && nargs >= 1);
    (void)ud, (void)nargs;
    for (size_t row = 0; row < n; row++)
        out[row] = bounds[fn]((const void *)(uintptr_t)args[0][row]);
    return 0;
}

/* Writes the line "OPERATION NAME BYTES" about an event to the file of ACCDEEP_EVENTS (an accd_event_fn). */
static void write_event(void *ud, const accd_event *event)
{
    assert(events);
    (void)ud;
    fprintf(events, "%s %s %llu\n", accd_op_name(event->op), event->name, (unsigned long long)event->bytes);
}

/* Returns the value of an environment variable; `otherwise` if it is unset or empty. */
static const char *get_setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

/* Opens the context of the process with the settings of the environment. On failure the process ends with an error at
 * the directive. The caller holds the lock. */
static void open_process_context(const accd_lowered *directive)
{
    const char *device = get_setting("ACCDEEP_DEVICE", "direct"), *colon = strchr(device, ':');
    const char *path = get_setting("ACCDEEP_EVENTS", NULL);
    char backend[16] = "", message[300];
    accd_device_info info = {.why = ""};
    accd_context_config config;
    accd_context_config_init(&config);
    snprintf(backend, sizeof backend, "%.*s", (int)(colon ? colon - device : 15), device);
    config.backend = accd_find_backend(backend);
    config.first_device = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    config.no_device = &info;
    config.own_kernels = 1;
    config.on_bound = call_bound;
    if (!config.backend) {
        snprintf(message, sizeof message, "ACCDEEP_DEVICE: there is no device '%s'", device);
        accd__lowered_end_with_error(directive, accd_status_code(ACCD_ERROR_NO_DEVICE), "HOUSE-device", message);
    }
    if (path && !(events = fopen(path, "w"))) {
        snprintf(message, sizeof message, "ACCDEEP_EVENTS: %s cannot be written", path);
        accd__lowered_end_with_error(directive, "file", "HOUSE-files", message);
    }
    if (events)
        config.on_event = write_event;
    const accd_status status = accd_context_new(&context, &config);
    if (status != ACCD_OK)
        accd__lowered_end_with_error(directive, accd_status_code(status), "HOUSE-device",
                                     *info.why ? info.why : accd_status_text(status));
    if (!events)
        accd_context_subscribe(context, 0, 0);
}

/* Returns the number of the calling thread, from 1. The caller holds the lock. */
static uint64_t get_thread_number(void)
{
    static uint64_t last;
    static _Thread_local uint64_t own;
    assert(pthread_mutex_trylock(&lock) != 0);
    if (!own)
        own = ++last;
    return own;
}

/* Gives an item in an array a new label (its name in errors and events) if the array's address or bounds, which
 * `arguments` give, have changed. construct_item: the item at its present address. Ends the process without memory.
 * The caller holds the lock. */
static void name_elements(const accd_lowered *directive, accd_ir_item *plan_item, const accd_item *construct_item,
                          const int64_t *arguments)
{
    assert(plan_item->first_row >= 0 && plan_item->item.label);
    const int64_t *numbers = arguments + plan_item->first_row;
    accd_array array = plan_item->rows;
    int64_t stride = (int64_t)plan_item->item.label->unit;
    array.shift = numbers[0] ? (int64_t)(uintptr_t)construct_item->host - numbers[0] : 0;
    for (unsigned i = 0; i < array.rank; i++) {
        array.dimensions[i] = (accd_dimension){numbers[1 + 2 * i], numbers[2 + 2 * i], stride};
        stride *= numbers[2 + 2 * i];
    }
    if (plan_item->item.label->array && array.shift == plan_item->rows.shift &&
        memcmp(array.dimensions, plan_item->rows.dimensions, sizeof array.dimensions) == 0)
        return;
    plan_item->rows = array;
    accd_label label = *plan_item->item.label;
    label.array = &array;
    plan_item->item.label = accd_label_intern(context, &label);
    if (!plan_item->item.label)
        accd__lowered_end_with_error(directive, "out-of-memory", "HOUSE-memory", "there is no memory for a name");
}

/* Returns the directive's plan, with `construct_items` set to its items at the addresses that `arguments` give. Opens
 * the context of the process and reads the plan first, if that was not done yet. Ends the process on failure. The
 * caller holds the lock. */
static struct accd__lowered_plan *locate(accd_lowered *directive, const void *const *arguments)
{
    assert(pthread_mutex_trylock(&lock) != 0);
    if (!context)
        open_process_context(directive);
    if (!directive->parsed)
        directive->parsed = accd__lowered_read_plan(context, directive);
    struct accd__lowered_plan *plan = directive->parsed;
    for (size_t i = 0; i < plan->nitems; i++) {
        accd_ir_item *plan_item = &plan->items[i];
        plan->construct_items[i] = plan_item->item;
        if (plan_item->frame >= 0)
            plan->construct_items[i].frame = arguments[plan_item->frame];
        if (accd_item_locate(context, &plan_item->code, (const int64_t *)(const void *)arguments, plan_item->params,
                             &plan->construct_items[i]) != ACCD_OK)
            end_with_core_error(directive);
        if (plan_item->first_row >= 0 && plan_item->item.label) {
            name_elements(directive, plan_item, &plan->construct_items[i], (const int64_t *)(const void *)arguments);
            plan->construct_items[i].label = plan_item->item.label;
        }
    }
    return plan;
}

/* Executes the located items of a plan as one construct, whose region is stored in *region_p; region_p is NULL if the
 * construct opens none. Ends the process on failure. The caller holds the lock. */
static void execute_plan(const accd_lowered *directive, const struct accd__lowered_plan *plan, accd_region **region_p)
{
    assert(context && pthread_mutex_trylock(&lock) != 0);
    const accd_construct construct = {
        .kind = plan->kind,
        .finalize = plan->finalize,
        .items = plan->construct_items,
        .nitems = plan->nitems,
        .name = plan->name,
        .file = directive->file,
        .line = directive->line,
        .thread = get_thread_number(),
    };
    if (accd_run_construct(context, &construct, region_p) != ACCD_OK)
        end_with_core_error(directive);
}

/* Executes enter data, exit data or update at once. */
void accd_lowered_run(accd_lowered *directive, const void *const *arguments)
{
    pthread_mutex_lock(&lock);
    const struct accd__lowered_plan *plan = locate(directive, arguments);
    execute_plan(directive, plan, NULL);
    pthread_mutex_unlock(&lock);
}

/* Executes a routine of OpenACC for the `bytes` bytes at `host`. Returns the device address of data that it has mapped;
 * otherwise NULL. Ends the process on failure. */
void *accd__lowered_call_routine(accd_lowered *directive, const char *name, void *host, unsigned long bytes)
{
    const accd_label label = {.name = name, .unit = 1, .file = directive->file, .line = directive->line};
    pthread_mutex_lock(&lock);
    if (!context)
        open_process_context(directive);
    const accd__routine_call call = {
        .routine = accd__find_routine(name),
        .devices = 1,
        .label = accd_label_intern(context, &label),
        .address = (uint64_t)(uintptr_t)host,
        .bytes = bytes,
    };
    if (!call.label)
        accd__lowered_end_with_error(directive, "out-of-memory", "HOUSE-memory", "there is no memory for a name");
    accd__routine_step step;
    if (accd__decide_routine(context, &call, &step) != ACCD_OK ||
        accd__perform_routine(context, &call, &step) != ACCD_OK)
        end_with_core_error(directive);
    pthread_mutex_unlock(&lock);
    return (void *)(uintptr_t)step.result;
}

/* Opens a region, and stores the host addresses of its items in the region, for accd_lowered_pointer. Returns the
 * region. */
accd_lowered_region *accd_lowered_enter(accd_lowered *directive, const void *const *arguments)
{
    pthread_mutex_lock(&lock);
    const struct accd__lowered_plan *plan = locate(directive, arguments);
    accd_lowered_region *region = malloc(sizeof *region + plan->nitems * sizeof region->hosts[0]);
    if (!region)
        accd__lowered_end_with_error(directive, "out-of-memory", "HOUSE-memory", "there is no memory for a region");
    region->directive = directive;
    region->nitems = plan->nitems;
    for (size_t i = 0; i < plan->nitems; i++)
        region->hosts[i] = plan->construct_items[i].host;
    region->core = NULL;
    execute_plan(directive, plan, &region->core);
    if (!region->core)
        accd__lowered_end_with_bad_plan(directive);
    pthread_mutex_unlock(&lock);
    return region;
}

/* Ends and frees a region; NULL does nothing. */
void accd_lowered_leave(accd_lowered_region *region)
{
    if (!region)
        return;
    pthread_mutex_lock(&lock);
    if (accd_region_end(region->core) != ACCD_OK)
        end_with_core_error(region->directive);
    pthread_mutex_unlock(&lock);
    free(region);
}

/* Returns the address that `find` (context, device 0, pointer) gives for a pointer; NULL: no such address, or no
 * context is open. Takes the lock. */
static void *find_counterpart(uint64_t (*find)(accd_context *, int, const void *), const void *pointer)
{
    pthread_mutex_lock(&lock);
    const uint64_t address = context && pointer ? find(context, 0, pointer) : 0;
    pthread_mutex_unlock(&lock);
    return (void *)(uintptr_t)address;
}

/* Returns the address that `pointer` has in the kernel. With the number of an item, the distance from the item's host
 * address is kept on the device; otherwise the pointer's own target is looked up. Returns the pointer unchanged if
 * the target is not present, but MUST_BE_PRESENT then ends the process. */
void *accd_lowered_pointer(const accd_lowered_region *region, int item, const volatile void *pointer)
{
    const uint64_t own = (uint64_t)(uintptr_t)pointer;
    if (!region || !own)
        return (void *)(uintptr_t)own;
    const bool is_named = item >= 0 && (size_t)item < region->nitems;
    const void *host = is_named ? region->hosts[item] : (const void *)(uintptr_t)own;
    const uint64_t device = (uint64_t)(uintptr_t)find_counterpart(accd_device_address, host);
    if (!device && item == MUST_BE_PRESENT) {
        pthread_mutex_lock(&lock);
        accd__lowered_end_with_error(region->directive, "not-present", "ACC33-impl-1",
                                     "a variable of the kernel is not present, and no data clause maps all of it");
    }
    return (void *)(uintptr_t)(device ? device + (own - (uint64_t)(uintptr_t)host) : own);
}

/* Copies bytes from `host` to the kernel's address `device`, or back unless `to_device`. Without a region, and if no
 * data have this device address, `device` is an address of the host. Takes the lock; ends the process on failure. */
static void copy_region_bytes(const accd_lowered_region *region, uint64_t device, void *host, unsigned long bytes,
                              bool to_device)
{
    pthread_mutex_lock(&lock);
    accd_status status = ACCD_OK;
    if (region && accd_host_address(context, 0, device))
        status = to_device ? accd_copy_to_device(context, 0, device, host, bytes)
                           : accd_copy_from_device(context, 0, host, device, bytes);
    else if (to_device)
        memcpy((void *)(uintptr_t)device, host, bytes);
    else
        memcpy(host, (const void *)(uintptr_t)device, bytes);
    if (status != ACCD_OK)
        end_with_core_error(region->directive);
    pthread_mutex_unlock(&lock);
}

/* Copies bytes from an address of a kernel to the host. */
void accd_lowered_read(const accd_lowered_region *region, void *to, const void *from, unsigned long bytes)
{
    copy_region_bytes(region, (uint64_t)(uintptr_t)from, to, bytes, false);
}

/* Copies bytes from the host to an address of a kernel. */
void accd_lowered_write(const accd_lowered_region *region, void *to, const void *from, unsigned long bytes)
{
    copy_region_bytes(region, (uint64_t)(uintptr_t)to, (void *)(uintptr_t)from, bytes, true);
}

/* Returns 1 if the whole host range is present; 0 otherwise, also before the first directive. */
int accd_lowered_is_present(const void *host, unsigned long bytes)
{
    pthread_mutex_lock(&lock);
    const int is_present = context && accd__is_range_present(context, 0, host, bytes);
    pthread_mutex_unlock(&lock);
    return is_present;
}

/* Returns the host address for a device address `pointer`; adapts accd_host_address to find_counterpart. */
static uint64_t find_host_address(accd_context *device_context, int device, const void *pointer)
{
    return accd_host_address(device_context, device, (uint64_t)(uintptr_t)pointer);
}

/* Returns the device address of a host address; NULL if absent. */
void *accd_lowered_device(const void *host)
{
    return find_counterpart(accd_device_address, host);
}
/* Returns the host address of a device address; NULL if no data have it. */
void *accd_lowered_host(const void *device)
{
    return find_counterpart(find_host_address, device);
}

/* Returns the device address of a pointer of host_data. If the target is not present, ends the process with an error
 * at `file` and `line`; with `file` NULL, returns the pointer unchanged. */
void *accd_lowered_use_device(const volatile void *pointer, const char *file, int line)
{
    void *own = (void *)(uintptr_t)pointer, *device = find_counterpart(accd_device_address, own);
    if (!device && own && file) {
        pthread_mutex_lock(&lock);
        end_with_error(file, line, "not-present", "ACC33-hd-1", "host_data: the data of use_device are not present");
    }
    return device ? device : own;
}
