/* lowered.c - directives of lowered programs: the context of the process, regions, addresses in kernels, errors. */
#include "lowered.h"

#include "abi/helps/helps.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of accd_lowered_pointer. */
enum { MUST_BE_PRESENT = -2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static accd_context *context; /* of the process; opened by its first directive */
static FILE *events;

void lowered_lock(void) { pthread_mutex_lock(&lock); }

struct accd_lowered_region {
    accd_region *core;
    const accd_lowered *directive;
    size_t nitems;
    const void *hosts[]; /* first bytes of the items */
};

/* Writes the help of a code, in which {1|the data} is "the data". */
static void write_help(const char *code)
{
    const struct accd_help *entry = accd_helps;
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

/* Ends the process with an error. The caller has the lock. */
static _Noreturn void die(const char *file, int line, const char *code, const char *rule, const char *message)
{
    pthread_mutex_unlock(&lock); /* functions of atexit may have directives */
    fflush(stdout);
    fprintf(stderr, "%s:%d: error[%s]: %s\n  rule: %s\n", file, line, code, message, rule);
    write_help(code);
    fprintf(stderr, "  more: accdeep explain %s\n", code);
    exit(EXIT_FAILURE);
}

_Noreturn void lowered_die(const accd_lowered *directive, const char *code, const char *rule, const char *message)
{
    die(directive->file, directive->line, code, rule, message);
}

/* Ends the process with the error that the core has. */
static _Noreturn void fail(const accd_lowered *directive)
{
    const accd_error *error = accd_context_error(context);
    lowered_die(directive, accd_status_code(error->status), error->rule, error->message);
}

static accd_lowered_bound **bounds; /* of all units */
static size_t nbounds;

int lowered_bound(const accd_lowered *directive, accd_lowered_bound *bound)
{
    for (size_t i = 0; i < nbounds; i++)
        if (bounds[i] == bound)
            return (int)i;
    accd_lowered_bound **list = realloc(bounds, (nbounds + 1) * sizeof *list);
    if (!list)
        lowered_die(directive, "out-of-memory", "HOUSE-memory", "there is no memory for a function of a bound");
    bounds = list;
    bounds[nbounds] = bound;
    return (int)nbounds++;
}

static int call_bound(void *ud, int fn, size_t n, int nargs, const int64_t *const *args, int64_t *out)
{
    (void)ud, (void)nargs;
    for (size_t row = 0; row < n; row++)
        out[row] = bounds[fn]((const void *)(uintptr_t)args[0][row]);
    return 0;
}

static void write_event(void *ud, const accd_event *event)
{
    (void)ud;
    fprintf(events, "%s %s %llu\n", accd_op_name(event->op), event->name, (unsigned long long)event->bytes);
}

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static void open_context(const accd_lowered *directive)
{
    const char *device = setting("ACCDEEP_DEVICE", "direct"), *colon = strchr(device, ':');
    const char *path = setting("ACCDEEP_EVENTS", NULL);
    char backend[16] = "", message[300];
    accd_device_info info = {.why = ""};
    accd_context_config config;
    accd_context_config_init(&config);
    snprintf(backend, sizeof backend, "%.*s", (int)(colon ? colon - device : 15), device);
    config.backend = accd_backend_named(backend);
    config.first_device = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    config.no_device = &info;
    config.own_kernels = 1;
    config.on_bound = call_bound;
    if (!config.backend) {
        snprintf(message, sizeof message, "ACCDEEP_DEVICE: there is no device '%s'", device);
        lowered_die(directive, accd_status_code(ACCD_NO_DEVICE), "HOUSE-device", message);
    }
    if (path && !(events = fopen(path, "w"))) {
        snprintf(message, sizeof message, "ACCDEEP_EVENTS: %s cannot be written", path);
        lowered_die(directive, "file", "HOUSE-files", message);
    }
    if (events)
        config.on_event = write_event;
    const accd_status status = accd_context_open(&context, &config);
    if (status != ACCD_OK)
        lowered_die(directive, accd_status_code(status), "HOUSE-device",
                    *info.why ? info.why : accd_status_text(status));
    if (!events)
        accd_context_hear(context, 0, 0);
}

/* The number of the calling thread, which has the lock. */
static uint64_t this_thread(void)
{
    static uint64_t last;
    static _Thread_local uint64_t own;
    if (!own)
        own = ++last;
    return own;
}

/* Gives an item's label the bounds that its array has now. */
static void name_elements(const accd_lowered *directive, struct plan_item *one, const accd_item *located,
                          const int64_t *given)
{
    const int64_t *numbers = given + one->rows->first;
    accd_array array = one->rows->array;
    int64_t stride = (int64_t)one->item.label->unit;
    array.shift = numbers[0] ? (int64_t)(uintptr_t)located->host - numbers[0] : 0;
    for (unsigned i = 0; i < array.rank; i++) {
        array.dimensions[i] = (accd_dimension){numbers[1 + 2 * i], numbers[2 + 2 * i], stride};
        stride *= numbers[2 + 2 * i];
    }
    if (one->item.label->array && array.shift == one->rows->array.shift &&
        memcmp(array.dimensions, one->rows->array.dimensions, sizeof array.dimensions) == 0)
        return;
    one->rows->array = array;
    accd_label label = *one->item.label;
    label.array = &array;
    one->item.label = accd_label_new(context, &label);
    if (!one->item.label)
        lowered_die(directive, "out-of-memory", "HOUSE-memory", "there is no memory for a name");
}

/* The directive's plan, with its items where they lie now. */
static struct plan *locate(accd_lowered *directive, const void *const *given)
{
    if (!context)
        open_context(directive);
    if (!directive->made)
        directive->made = lowered_plan(context, directive);
    struct plan *plan = directive->made;
    for (size_t i = 0; i < plan->nitems; i++) {
        struct plan_item *one = &plan->items[i];
        plan->located[i] = one->item;
        if (accd_item_locate(context, &one->place, (const int64_t *)(const void *)given, one->params,
                             &plan->located[i]) != ACCD_OK)
            fail(directive);
        if (one->rows) {
            name_elements(directive, one, &plan->located[i], (const int64_t *)(const void *)given);
            plan->located[i].label = one->item.label;
        }
    }
    return plan;
}

static void carry_out(const accd_lowered *directive, const struct plan *plan, accd_region **region_p)
{
    const accd_construct construct = {
        .kind = plan->kind,
        .finalize = plan->finalize,
        .items = plan->located,
        .nitems = plan->nitems,
        .name = plan->name,
        .file = directive->file,
        .line = directive->line,
        .thread = this_thread(),
    };
    if (accd_run(context, &construct, region_p) != ACCD_OK)
        fail(directive);
}

void accd_lowered_run(accd_lowered *directive, const void *const *given)
{
    pthread_mutex_lock(&lock);
    const struct plan *plan = locate(directive, given);
    carry_out(directive, plan, NULL);
    pthread_mutex_unlock(&lock);
}

void *lowered_move(accd_lowered *directive, const struct plan *plan, accd_action action, void *host, unsigned long bytes)
{
    const accd_label label = {.name = plan->name, .unit = 1, .file = directive->file, .line = directive->line};
    pthread_mutex_lock(&lock);
    if (!context)
        open_context(directive);
    accd_item item = {.host = host, .bytes = bytes, .action = (uint8_t)action};
    struct plan one = *plan;
    item.label = accd_label_new(context, &label);
    one.located = &item;
    one.nitems = 1;
    if (!item.label)
        lowered_die(directive, "out-of-memory", "HOUSE-memory", "there is no memory for a name");
    if (bytes && !host)
        lowered_die(directive, accd_status_code(ACCD_NULL_POINTER), "ACC33-3.2.18-1", "a null pointer has no data");
    if (bytes)
        carry_out(directive, &one, NULL);
    const uint64_t device = bytes && plan->kind == ACCD_ENTER_DATA ? accd_device_address(context, 0, host) : 0;
    pthread_mutex_unlock(&lock);
    return (void *)(uintptr_t)device;
}

accd_lowered_region *accd_lowered_enter(accd_lowered *directive, const void *const *given)
{
    pthread_mutex_lock(&lock);
    const struct plan *plan = locate(directive, given);
    accd_lowered_region *region = malloc(sizeof *region + plan->nitems * sizeof region->hosts[0]);
    if (!region)
        lowered_die(directive, "out-of-memory", "HOUSE-memory", "there is no memory for a region");
    region->directive = directive;
    region->nitems = plan->nitems;
    for (size_t i = 0; i < plan->nitems; i++)
        region->hosts[i] = plan->located[i].host;
    carry_out(directive, plan, &region->core);
    pthread_mutex_unlock(&lock);
    return region;
}

void accd_lowered_leave(accd_lowered_region *region)
{
    if (!region)
        return;
    pthread_mutex_lock(&lock);
    if (accd_region_end(region->core) != ACCD_OK)
        fail(region->directive);
    pthread_mutex_unlock(&lock);
    free(region);
}

/* The address on the other side, or 0. */
static void *other_side(uint64_t (*find)(accd_context *, int, const void *), const void *pointer)
{
    pthread_mutex_lock(&lock);
    const uint64_t found = context && pointer ? find(context, 0, pointer) : 0;
    pthread_mutex_unlock(&lock);
    return (void *)(uintptr_t)found;
}

void *accd_lowered_pointer(const accd_lowered_region *region, int item, const volatile void *pointer)
{
    const uint64_t own = (uint64_t)(uintptr_t)pointer;
    if (!region || !own)
        return (void *)(uintptr_t)own;
    const bool is_named = item >= 0 && (size_t)item < region->nitems;
    const void *host = is_named ? region->hosts[item] : (const void *)(uintptr_t)own;
    const uint64_t device = (uint64_t)(uintptr_t)other_side(accd_device_address, host);
    if (!device && item == MUST_BE_PRESENT) {
        pthread_mutex_lock(&lock);
        lowered_die(region->directive, "not-present", "ACC33-impl-1",
                    "a variable of the kernel is not present, and no data clause brings all of it");
    }
    return (void *)(uintptr_t)(device ? device + (own - (uint64_t)(uintptr_t)host) : own);
}

/* Copies bytes from device memory, or to it. Without a region, and if nothing is present there, it is the host's. */
static void copy(const accd_lowered_region *region, uint64_t device, void *host, unsigned long bytes, bool to_device)
{
    pthread_mutex_lock(&lock);
    accd_status status = ACCD_OK;
    if (region && accd_host_address(context, 0, device))
        status = to_device ? accd_to_device(context, 0, device, host, bytes)
                           : accd_from_device(context, 0, host, device, bytes);
    else if (to_device)
        memcpy((void *)(uintptr_t)device, host, bytes);
    else
        memcpy(host, (const void *)(uintptr_t)device, bytes);
    if (status != ACCD_OK)
        fail(region->directive);
    pthread_mutex_unlock(&lock);
}

void accd_lowered_read(const accd_lowered_region *region, void *to, const void *from, unsigned long bytes)
{
    copy(region, (uint64_t)(uintptr_t)from, to, bytes, false);
}

void accd_lowered_write(const accd_lowered_region *region, void *to, const void *from, unsigned long bytes)
{
    copy(region, (uint64_t)(uintptr_t)to, (void *)(uintptr_t)from, bytes, true);
}

int accd_lowered_is_present(const void *host, unsigned long bytes)
{
    pthread_mutex_lock(&lock);
    const int is_present = context && accd_presence_of(context, 0, host, bytes ? bytes : 1) == ACCD_WHOLLY;
    pthread_mutex_unlock(&lock);
    return is_present;
}

static uint64_t host_of(accd_context *of, int device, const void *pointer)
{
    return accd_host_address(of, device, (uint64_t)(uintptr_t)pointer);
}

void *accd_lowered_device(const void *host) { return other_side(accd_device_address, host); }
void *accd_lowered_host(const void *device) { return other_side(host_of, device); }

void *accd_lowered_use_device(const volatile void *pointer, const char *file, int line)
{
    void *own = (void *)(uintptr_t)pointer, *device = other_side(accd_device_address, own);
    if (!device && own && file) {
        pthread_mutex_lock(&lock);
        die(file, line, "not-present", "ACC33-hd-1", "host_data: the data of use_device are not present");
    }
    return device ? device : own;
}
