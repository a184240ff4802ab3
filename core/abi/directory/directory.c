/* directory.c - the ABI of document DIR's Figure 4 (accdeep_directory.h): collects clauses, and executes each directive
 * as one construct of the core. Uses the public interface only.
 *
 * A directive passes through three phases; each other order of calls is ACCD_ERROR_MISUSE:
 *
 *     IDLE -- new_dataE, begin_data, end_data --> BEGUN -- read_pragma --> READING -- write_pragma --> IDLE
 *                                                                          clauses fill `items`
 *
 * drop_pragma returns to IDLE from each phase. If write_pragma fails, the phase and the items stay. */
#include "accdeep_internal.h"
#include "accdeep_directory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rules that the errors of this file cite. */
#define R_ORDER "DIR-ABI-02"
#define R_NO_LEVEL "DIR-4.3-06"
#define R_DEVICE "DIR-1-04"
#define R_SECTION "TR14-3.1.1-23"
#define R_NULL "ACC33-2.7-2"
#define R_MEMORY "HOUSE-memory"
#define R_MISUSE "HOUSE-misuse"
#define R_UPDATE "DIR-ABI-03"
#define R_NON_NESTED "DIR-6-01"

/* Stack of the open data environments of a device. */
struct environment_stack {
    accd_region **levels; /* regions of the core; the last one is the current environment */
    size_t depth, capacity;
};

/* Handle: the context, the directive in progress, and the environments of each device. */
struct accd_stacks {
    accd_context *context;
    accd_allocator alloc;
    void *alloc_ud;
    int devices;
    enum { IDLE, BEGUN, READING } phase; /* phase of the directive in progress */
    accd_construct_kind kind;            /* kind of the directive in progress */
    int device;                          /* device of the directive in progress */
    accd_item *items;                    /* clauses of the directive in progress, as items of the core */
    size_t nitems, capacity;
    struct environment_stack *stacks; /* stacks of environments, one for each device */
    accd_error error;
};

/* ---------------------------------------------------------------------------- small things -- */

/* Allocator of handles whose configuration names none (an accd_allocator). Resizes the block `ptr` to n bytes by
 * realloc, or frees it if n is 0. Returns the block; NULL without memory, and after freeing. Ignores `ud` and `old`. */
static void *default_alloc(void *ud, void *ptr, size_t old, size_t n)
{
    (void)ud, (void)old;
    if (n)
        return realloc(ptr, n);
    free(ptr);
    return NULL;
}

/* Sets the handle's error to status, rule and a formatted message. Returns `status`, which is not ACCD_OK. */
static __attribute__((format(printf, 4, 5))) accd_status refuse(accd_stacks *stacks, accd_status status,
                                                                const char *rule, const char *format, ...)
{
    assert(status != ACCD_OK && rule);
    va_list args;
    stacks->error = (accd_error){.status = status, .rule = rule, .item = SIZE_MAX};
    va_start(args, format);
    vsnprintf(stacks->error.message, sizeof stacks->error.message, format, args);
    va_end(args);
    return status;
}

/* Returns `status`, the result of a function of the core. If it is not ACCD_OK, first copies the core's last error to
 * the handle. Touches neither the phase nor the items of the handle, so that after an error the clauses may be
 * written again. */
static accd_status keep_clauses_on_error(accd_stacks *stacks, accd_status status)
{
    assert(stacks && stacks->context);
    if (status != ACCD_OK)
        stacks->error = *accd_context_error(stacks->context);
    return status;
}

/* Ensures that the array *array, which holds `count` elements of `size` bytes, has space for one more. If not,
 * resizes the array, and sets *capacity, the number of elements that have space. Returns false, with nothing changed,
 * without memory. */
static bool grow_array(const accd_stacks *stacks, void **array, size_t count, size_t *capacity, size_t size)
{
    assert(count <= *capacity && size > 0);
    if (count < *capacity)
        return true;
    size_t new_capacity = *capacity ? 2 * *capacity : 16;
    void *new_array = new_capacity <= SIZE_MAX / size
                          ? stacks->alloc(stacks->alloc_ud, *array, *capacity * size, new_capacity * size)
                          : NULL;
    if (!new_array)
        return false;
    *array = new_array;
    *capacity = new_capacity;
    return true;
}

/* Sets the handle's error to missing memory. Returns ACCD_ERROR_OUT_OF_MEMORY. */
static accd_status report_no_memory(accd_stacks *stacks)
{
    assert(stacks);
    return refuse(stacks, ACCD_ERROR_OUT_OF_MEMORY, R_MEMORY, "no memory for a data environment");
}

/* --------------------------------------------------------------------------------- handles -- */

/* Opens a handle with its context and an empty stack for each device, and sets *stacks_p to it. Fails with
 * ACCD_ERROR_MISUSE (stacks_p is NULL, or config is wrong), ACCD_ERROR_OUT_OF_MEMORY, or an error of
 * accd_context_new; *stacks_p is then unchanged. */
accd_status accd_stacks_new(accd_stacks **stacks_p, const accd_context_config *config)
{
    accd_context_config context_config;
    if (!stacks_p)
        return ACCD_ERROR_MISUSE;
    accd_context_config_init(&context_config);
    if (config && accd__context_config_copy(&context_config, config) != ACCD_OK)
        return ACCD_ERROR_MISUSE;
    if (!context_config.rules)
        context_config.rules = accd_find_rules("directory");
    accd_allocator alloc = context_config.alloc ? context_config.alloc : default_alloc;
    accd_stacks *stacks = alloc(context_config.alloc_ud, NULL, 0, sizeof *stacks);
    if (!stacks)
        return ACCD_ERROR_OUT_OF_MEMORY;
    *stacks = (accd_stacks){.alloc = alloc, .alloc_ud = context_config.alloc_ud};
    stacks->error = (accd_error){.rule = "", .item = SIZE_MAX};
    accd_status status = accd_context_new(&stacks->context, &context_config);
    if (status == ACCD_OK) {
        int devices = accd_device_count(stacks->context);
        size_t bytes = (size_t)devices * sizeof stacks->stacks[0];
        stacks->stacks = alloc(context_config.alloc_ud, NULL, 0, bytes);
        if (stacks->stacks) {
            memset(stacks->stacks, 0, bytes);
            stacks->devices = devices;
        } else {
            status = ACCD_ERROR_OUT_OF_MEMORY;
        }
    }
    if (status != ACCD_OK) {
        accd_stacks_free(stacks);
        return status;
    }
    *stacks_p = stacks;
    return ACCD_OK;
}

/* Frees a block of `bytes` bytes that the handle's allocator has given; NULL does nothing. */
static void free_memory_block(const accd_stacks *stacks, void *block, size_t bytes)
{
    if (block)
        stacks->alloc(stacks->alloc_ud, block, bytes, 0);
}

/* Frees the handle, its context and all device memory; NULL does nothing. */
void accd_stacks_free(accd_stacks *stacks)
{
    if (!stacks)
        return;
    for (int i = 0; i < stacks->devices; i++)
        free_memory_block(stacks, stacks->stacks[i].levels,
                          stacks->stacks[i].capacity * sizeof stacks->stacks[i].levels[0]);
    free_memory_block(stacks, stacks->stacks, (size_t)stacks->devices * sizeof stacks->stacks[0]);
    free_memory_block(stacks, stacks->items, stacks->capacity * sizeof stacks->items[0]);
    accd_context_free(stacks->context);
    stacks->alloc(stacks->alloc_ud, stacks, sizeof *stacks, 0);
}

/* Returns the context of the handle; NULL for NULL. */
accd_context *accd_stacks_context(accd_stacks *stacks)
{
    return stacks ? stacks->context : NULL;
}

/* Returns the last error of the handle; for a handle that is NULL, a constant error that says so. */
const accd_error *accd_stacks_error(const accd_stacks *stacks)
{
    static const accd_error no_handle = {.status = ACCD_ERROR_MISUSE,
                                         .rule = R_MISUSE,
                                         .item = SIZE_MAX,
                                         .message = "there is no handle: it is a null pointer"};
    return stacks ? &stacks->error : &no_handle;
}

/* ------------------------------------------------------------------------------ directives -- */

/* Returns ACCD_OK if the device exists and no directive is in progress. Otherwise sets the handle's error, which names
 * the function `call`, and returns its status; ACCD_ERROR_MISUSE for a handle that is NULL. */
static accd_status check_no_directive(accd_stacks *stacks, const char *call, int device)
{
    if (!stacks)
        return ACCD_ERROR_MISUSE;
    if (stacks->phase != IDLE)
        return refuse(stacks, ACCD_ERROR_MISUSE, R_ORDER,
                      "%s was called before accd_stacks_write_pragma ended the directive begun on device %d", call,
                      stacks->device);
    if (device < 0 || device >= stacks->devices)
        return refuse(stacks, ACCD_ERROR_NO_DEVICE, R_DEVICE, "%s: there is no device %d; the number of devices is %d",
                      call, device, stacks->devices);
    return ACCD_OK;
}

/* Returns ACCD_OK if the device exists, no directive is in progress, and an environment is open on the device; sets
 * *region_p to the region of the current environment. Otherwise sets the handle's error, which names the function
 * `call`, and returns its status: ACCD_ERROR_REGION_NESTING if no environment is open. */
static accd_status check_environment(accd_stacks *stacks, const char *call, int device, accd_region **region_p)
{
    accd_status status = check_no_directive(stacks, call, device);
    if (status != ACCD_OK)
        return status;
    const struct environment_stack *stack = &stacks->stacks[device];
    if (!stack->depth)
        return refuse(stacks, ACCD_ERROR_REGION_NESTING, R_NO_LEVEL, "%s: no data environment is open on device %d",
                      call, device);
    *region_p = stack->levels[stack->depth - 1];
    return ACCD_OK;
}

/* Begins a directive of this kind on a device. Fails if the handle is NULL, another directive is in progress, or
 * there is no such device; the handle's error then names the public function `call`. */
static accd_status begin_directive(accd_stacks *stacks, const char *call, accd_construct_kind kind, int device)
{
    accd_status status = check_no_directive(stacks, call, device);
    if (status != ACCD_OK)
        return status;
    stacks->phase = BEGUN;
    stacks->kind = kind;
    stacks->device = device;
    return ACCD_OK;
}

/* Begins a directive that opens a data environment. */
accd_status accd_stacks_new_dataE(accd_stacks *stacks, int device)
{
    return begin_directive(stacks, "accd_stacks_new_dataE", ACCD_KIND_REGION, device);
}

/* Begins a directive that maps data until accd_stacks_end_data. */
accd_status accd_stacks_begin_data(accd_stacks *stacks, int device)
{
    return begin_directive(stacks, "accd_stacks_begin_data", ACCD_KIND_ENTER_DATA, device);
}

/* Begins a directive that unmaps data of accd_stacks_begin_data. */
accd_status accd_stacks_end_data(accd_stacks *stacks, int device)
{
    return begin_directive(stacks, "accd_stacks_end_data", ACCD_KIND_EXIT_DATA, device);
}

/* Begins the clauses of the directive. Returns ACCD_ERROR_MISUSE if no directive was begun, or if this function was
 * already called for the directive. */
accd_status accd_stacks_read_pragma(accd_stacks *stacks)
{
    if (!stacks)
        return ACCD_ERROR_MISUSE;
    if (stacks->phase != BEGUN)
        return refuse(stacks, ACCD_ERROR_MISUSE, R_ORDER, "accd_stacks_read_pragma: %s",
                      stacks->phase == IDLE ? "accd_stacks_new_dataE has not begun a directive"
                                            : "it was called for this directive already");
    stacks->phase = READING;
    return ACCD_OK;
}

/* Forgets the directive in progress with its clauses; NULL does nothing. */
void accd_stacks_drop_pragma(accd_stacks *stacks)
{
    if (!stacks)
        return;
    stacks->phase = IDLE;
    stacks->nitems = 0;
}

/* Returns ACCD_OK if a directive collects clauses now. Otherwise sets the handle's error, which names the function
 * `call`, and returns ACCD_ERROR_MISUSE. */
static accd_status check_clauses_open(accd_stacks *stacks, const char *call)
{
    if (!stacks)
        return ACCD_ERROR_MISUSE;
    if (stacks->phase != READING)
        return refuse(stacks, ACCD_ERROR_MISUSE, R_ORDER,
                      "%s was called outside of a directive, between accd_stacks_read_pragma and "
                      "accd_stacks_write_pragma",
                      call);
    return ACCD_OK;
}

/* Executes the directive with its clauses as one construct. On failure the directive is still in progress. */
accd_status accd_stacks_write_pragma(accd_stacks *stacks)
{
    accd_status status = check_clauses_open(stacks, "accd_stacks_write_pragma");
    if (status != ACCD_OK)
        return status;
    struct environment_stack *stack = &stacks->stacks[stacks->device];
    if (stacks->kind == ACCD_KIND_REGION &&
        !grow_array(stacks, (void **)&stack->levels, stack->depth, &stack->capacity, sizeof stack->levels[0]))
        return report_no_memory(stacks);
    accd_region *region = NULL;
    status = keep_clauses_on_error(stacks, accd_run_construct(stacks->context,
                                                              &(accd_construct){.device = stacks->device,
                                                                                .kind = stacks->kind,
                                                                                .items = stacks->items,
                                                                                .nitems = stacks->nitems,
                                                                                .name = "data"},
                                                              &region));
    if (status != ACCD_OK)
        return status;
    if (stacks->kind == ACCD_KIND_REGION)
        stack->levels[stack->depth++] = region;
    accd_stacks_drop_pragma(stacks);
    return ACCD_OK;
}

/* Closes the current environment of a device, with the copies that its clauses ask for; on failure the environment
 * stays open. */
accd_status accd_stacks_end_dataE(accd_stacks *stacks, int device)
{
    accd_region *region = NULL;
    accd_status status = check_environment(stacks, "accd_stacks_end_dataE", device, &region);
    if (status == ACCD_OK)
        status = keep_clauses_on_error(stacks, accd_region_end(region));
    if (status == ACCD_OK)
        stacks->stacks[device].depth--;
    return status;
}

/* Closes the current environment of a device without copies to the host. */
accd_status accd_stacks_drop_dataE(accd_stacks *stacks, int device)
{
    accd_region *region = NULL;
    accd_status status = check_environment(stacks, "accd_stacks_drop_dataE", device, &region);
    if (status != ACCD_OK)
        return status;
    accd_region_abandon(region);
    stacks->stacks[device].depth--;
    return ACCD_OK;
}

/* --------------------------------------------------------------------------------- clauses -- */

/* Sets the section of an item: `length` elements of `size` bytes from element `first` of the array at `base`. On
 * failure sets the handle's error, and returns ACCD_ERROR_INVALID_SECTION or, if the rules reject a null base,
 * ACCD_ERROR_NULL_POINTER. */
static accd_status set_item_section(accd_stacks *stacks, accd_item *item, const void *base, int64_t first,
                                    int64_t length, uint64_t size)
{
    assert(stacks && item);
    if (!size)
        return refuse(stacks, ACCD_ERROR_INVALID_SECTION, R_SECTION, "the elements have no bytes");
    if (!base && length > 0 && accd_get_rules(stacks->context)->null_pointer == ACCD_CHOICE_REJECT)
        return refuse(stacks, ACCD_ERROR_NULL_POINTER, R_NULL,
                      "the section has %lld element%s, but its base is a null pointer", (long long)length,
                      length == 1 ? "" : "s");
    return keep_clauses_on_error(
        stacks, accd_item_set_section(stacks->context, item, (uint64_t)(uintptr_t)base, first, length, size));
}

/* Appends a clause to the directive in progress: the action and flags of `item`, for `length` elements of `size`
 * bytes from element `first` of the array at `base`. In end_data the action becomes copyout (for copy and copyout) or
 * delete, without flags. On failure (no memory, a wrong section, a wrong directive) nothing is appended, and the
 * error names the public function `call`. */
static accd_status add_clause(accd_stacks *stacks, const char *call, accd_item item, const void *base, int64_t first,
                              int64_t length, uint64_t size)
{
    accd_status status = check_clauses_open(stacks, call);
    if (status != ACCD_OK)
        return status;
    if (stacks->kind != ACCD_KIND_REGION && item.action == ACCD_ACTION_PRESENT)
        return refuse(stacks, ACCD_ERROR_MISUSE, R_NON_NESTED,
                      "%s is for environments of accd_stacks_new_dataE: it has nothing to begin or to end", call);
    if (stacks->kind == ACCD_KIND_EXIT_DATA) {
        bool fetches = item.action == ACCD_ACTION_COPY || item.action == ACCD_ACTION_COPYOUT;
        item = (accd_item){.action = fetches ? ACCD_ACTION_COPYOUT : ACCD_ACTION_DELETE};
    }
    status = set_item_section(stacks, &item, base, first, length, size);
    if (status != ACCD_OK)
        return status;
    if (!grow_array(stacks, (void **)&stacks->items, stacks->nitems, &stacks->capacity, sizeof stacks->items[0]))
        return report_no_memory(stacks);
    stacks->items[stacks->nitems++] = item;
    return ACCD_OK;
}

/* Defines the public function `name`, which appends a clause with the action `clause_action` and the flags `flag` to
 * the directive in progress. */
#define CLAUSE(name, clause_action, flag)                                                                              \
    accd_status name(accd_stacks *stacks, const void *base, int64_t first, int64_t length, uint64_t size)              \
    {                                                                                                                  \
        return add_clause(stacks, #name, (accd_item){.action = (clause_action), .flags = (flag)}, base, first, length, \
                          size);                                                                                       \
    }

CLAUSE(accd_stacks_pragma_copy, ACCD_ACTION_COPY, 0)
CLAUSE(accd_stacks_pragma_copyin, ACCD_ACTION_COPYIN, 0)
CLAUSE(accd_stacks_pragma_copyout, ACCD_ACTION_COPYOUT, 0)
CLAUSE(accd_stacks_pragma_create, ACCD_ACTION_CREATE, 0)
CLAUSE(accd_stacks_pragma_pcopy, ACCD_ACTION_COPY, ACCD_ITEM_PRESENT_OR)
CLAUSE(accd_stacks_pragma_pcopyin, ACCD_ACTION_COPYIN, ACCD_ITEM_PRESENT_OR)
CLAUSE(accd_stacks_pragma_pcopyout, ACCD_ACTION_COPYOUT, ACCD_ITEM_PRESENT_OR)
CLAUSE(accd_stacks_pragma_pcreate, ACCD_ACTION_CREATE, ACCD_ITEM_PRESENT_OR)
CLAUSE(accd_stacks_pragma_present, ACCD_ACTION_PRESENT, 0)
CLAUSE(accd_stacks_pragma_present_and_copyin, ACCD_ACTION_COPYIN, ACCD_ITEM_COPY_ABSENT)
CLAUSE(accd_stacks_pragma_update_and_copy, ACCD_ACTION_COPYIN, ACCD_ITEM_UPDATE_PRESENT)

/* ---------------------------------------------------------------- inside of an environment -- */

/* Copies present elements to the device or to the host, as `direction` says, at once. */
accd_status accd_stacks_pragma_update(accd_stacks *stacks, int device, accd_action direction, const void *base,
                                      int64_t first, int64_t length, uint64_t size)
{
    accd_item item = {.action = (uint8_t)direction};
    accd_status status = check_no_directive(stacks, "accd_stacks_pragma_update", device);
    if (status != ACCD_OK)
        return status;
    if (direction != ACCD_ACTION_UPDATE_DEVICE && direction != ACCD_ACTION_UPDATE_SELF)
        return refuse(stacks, ACCD_ERROR_MISUSE, R_UPDATE,
                      "accd_stacks_pragma_update: the direction is neither to the device nor to the host");
    status = set_item_section(stacks, &item, base, first, length, size);
    if (status != ACCD_OK)
        return status;
    return keep_clauses_on_error(
        stacks, accd_run_construct(
                    stacks->context,
                    &(accd_construct){
                        .device = device, .kind = ACCD_KIND_UPDATE, .items = &item, .nitems = 1, .name = "update"},
                    NULL));
}

/* Sets *dev_p to the device address of the present data at the host address `host`. */
accd_status accd_stacks_device_address(accd_stacks *stacks, int device, const void *host, uint64_t *dev_p)
{
    accd_status status = check_no_directive(stacks, "accd_stacks_device_address", device);
    if (status != ACCD_OK)
        return status;
    if (!dev_p)
        return refuse(stacks, ACCD_ERROR_MISUSE, R_MISUSE,
                      "accd_stacks_device_address: the argument dev_p is a null pointer");
    uint64_t dev = accd_device_address(stacks->context, device, host);
    if (!dev)
        return refuse(stacks, ACCD_ERROR_NOT_PRESENT, R_UPDATE,
                      "accd_stacks_device_address: no data at %p are present on device %d", host, device);
    *dev_p = dev;
    return ACCD_OK;
}
