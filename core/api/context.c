/* context.c - makes, configures and closes contexts, and opens their devices. */
#include "accdeep_context.h"
#include "accdeep_internal.h"
#include "accdeep_programs.h"
#include "accdeep_queues.h"
#include "accdeep_rules.h"
#include "api/inside.h"
#include "ops/ops.h"
#include "table/attach.h"
#include "table/group.h"
#include "table/label.h"
#include "table/regions.h"
#include "table/tuples.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Bytes of the configuration of the first version: up to its last member. */
#define FIRST_CONFIG_BYTES (offsetof(accd_context_config, charge_ud) + sizeof(void *))

/* Returns the default configuration: one device, and groups (core/table/group.h) of at least 64 sections. */
static accd_context_config default_config(void)
{
    return (accd_context_config){.struct_size = sizeof(accd_context_config), .devices = 1, .group_least = 64};
}

/* Sets the first `bytes` bytes of a configuration to their defaults, and struct_size to `bytes`. Does nothing if
 * `config` is NULL, or `bytes` is less than the size of the first version. */
void accd_context_config_init_sized(accd_context_config *config, size_t bytes)
{
    if (!config || bytes < FIRST_CONFIG_BYTES)
        return;
    const accd_context_config defaults = default_config();
    memset(config, 0, bytes);
    memcpy(config, &defaults, bytes < sizeof defaults ? bytes : sizeof defaults);
    config->struct_size = bytes;
}

/* Returns true if all of the `n` bytes are 0, also for n = 0. */
static bool is_zero(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

/* Copies the configuration *from, made with any version of the header, to *to, a configuration of this library's
 * version. Members that *from lacks get their defaults. Returns ACCD_ERROR_MISUSE if *from is too small, or sets a
 * member that this library does not know. */
accd_status accd__context_config_copy(accd_context_config *to, const accd_context_config *from)
{
    if (!to || !from || from->struct_size < FIRST_CONFIG_BYTES)
        return ACCD_ERROR_MISUSE;
    const size_t bytes = from->struct_size, common_bytes = bytes < sizeof *to ? bytes : sizeof *to;
    if (!is_zero((const unsigned char *)from + common_bytes, bytes - common_bytes))
        return ACCD_ERROR_MISUSE;
    accd_context_config copy = default_config();
    memcpy(&copy, from, common_bytes);
    copy.struct_size = sizeof copy;
    *to = copy;
    return ACCD_OK;
}

/* Returns the number of processors that are online, at least 1 and at most 16; 1 if it is not known. */
static unsigned count_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 16 ? 16 : (unsigned)n;
}

/* Frees cached memory when the allocator has failed (accd__mem.reclaim); `owner` is the context. The caches are the
 * retired groups of all devices: group records that are kept for the next construct. Returns true if there was one. */
static bool reclaim_memory(void *owner)
{
    assert(owner);
    accd_context *context = owner;
    bool freed = false;
    for (int i = 0; i < context->nenvs; i++) {
        freed |= context->envs[i].groups.retired != NULL;
        accd__free_retired_group(&context->envs[i]);
    }
    return freed;
}

/* Returns true if all numbers and enumerators of a configuration are in range, its rules are valid, and, with
 * `checkpoints`, its backend can save states. */
static bool is_valid_config(const accd_context_config *config)
{
    return config->devices <= ACCD_MAX_DEVICES && config->threads <= ACCD_MAX_THREADS &&
           (unsigned)config->descriptors <= ACCD_DESCRIPTOR_GFORTRAN &&
           (unsigned)config->queues <= ACCD_QUEUES_CONCURRENT &&
           (!config->checkpoints || !config->backend || config->backend->state_save) &&
           (!config->rules || accd__rules_are_valid(config->rules));
}

/* Size of the requests and items that follow the record of a region, if the fast path opened the region. */
#define FAST_PATH_REGION_BYTES \
    (ACCD_FAST_PATH_ITEMS * (sizeof(struct accd__request) + sizeof(struct accd__item_source)))

/* INDICES: X(member) for each ordered index of a device. POOLS: X(member, type, extra bytes after each record, records
 * in a slab) for each pool of records. */
#define INDICES(X)       \
    X(present.objects)   \
    X(present.by_device) \
    X(present.blocks)    \
    X(present.frames)    \
    X(attached.slots) X(attached.targets) X(queues.by_async) X(tuples.placements) X(tuples.fused) X(tuples.bases)
#define POOLS(X)                                             \
    X(present.object_pool, struct accd__object, 0, 128)      \
    X(attached.pool, struct accd__attachment, 0, 128)        \
    X(present.block_pool, struct accd__block, 0, 64)         \
    X(tuples.placement_pool, struct accd__placement, 0, 64)  \
    X(tuples.original_pool, struct accd__original, 0, 64)    \
    X(tuples.vacated_pool, struct accd__vacated_slot, 0, 64) \
    X(tuples.fused_pool, struct accd__fused_tuple, 0, 64)    \
    X(levels.pool, struct accd_region, FAST_PATH_REGION_BYTES, 8)

/* Sets *env to the state of device `number`, adds the device to the context's list of devices, and opens it. Returns
 * the error of the backend's `open`; the caller must close *env even then. Decides DIR-1-04. */
static accd_status open_device_env(struct accd__device_env *env, accd_context *context, int number)
{
    assert(number >= 0 && number < ACCD_MAX_DEVICES);
    struct accd__mem *mem = &context->mem;
    *env = (struct accd__device_env){
        .context = context,
        .slow_path_reasons = context->config.on_event != NULL,
        .tuples = {.exit = 1},
        .device = {.context = context,
                   .number = number,
                   .ops = context->config.backend ? context->config.backend : &accd__backend_sim},
    };
    env->slow_path_reasons += env->device.ops->has_no_bytes;
    struct accd__device **last = &context->devices;
    while (*last)
        last = &(*last)->next;
    *last = &env->device;
#define X(member) accd__btree_init(&env->member, mem);
    INDICES(X)
#undef X
#define X(member, type, extra_bytes, per_slab) \
    accd__pool_init(&env->member, mem, sizeof(type) + (extra_bytes), per_slab);
    POOLS(X)
#undef X
    return env->device.ops->open(&env->device.handle, number, &context->config, mem);
}

/* Makes the context follow a copy of `rules` from now on. Its state must have been made under rules with the same knob
 * `fusion`. */
void accd__context_set_rules(accd_context *context, const accd_rules *rules)
{
    assert(accd__rules_are_valid(rules));
    context->rules = *rules;
    accd__policy_compile(&context->rules, &context->policy);
    context->fast_paths = accd__choose_fast_paths(context);
}

/* Makes a context with its own devices and tables, and sets *context_p to it. config = NULL: the defaults. Errors:
 * ACCD_ERROR_MISUSE for an invalid configuration, ACCD_ERROR_OUT_OF_MEMORY, or that of opening a device. */
accd_status accd_context_new(accd_context **context_p, const accd_context_config *config)
{
    accd_context_config own = default_config();
    if (config && accd__context_config_copy(&own, config) != ACCD_OK)
        return ACCD_ERROR_MISUSE;
    config = &own;
    if (!context_p || !is_valid_config(config))
        return ACCD_ERROR_MISUSE;
    struct accd__mem mem;
    struct accd__persistent *persistent = NULL;
    accd__mem_init(&mem, config->alloc, config->alloc_ud);
    if (config->checkpoints && !(persistent = accd__persistent_new(&mem)))
        return ACCD_ERROR_OUT_OF_MEMORY;
    accd_context *context = accd__mem_alloc_zeroed(&mem, sizeof *context);
    if (!context) {
        accd__persistent_free(persistent);
        return ACCD_ERROR_OUT_OF_MEMORY;
    }
    context->mem = mem;
    context->persistent_inline.mem = &context->mem;
    context->persistent = persistent ? persistent : &context->persistent_inline;
    context->mem.reclaim = reclaim_memory;
    context->mem.owner = context;
    context->config = *config;
    context->config.rules = &context->rules;
    if (!context->config.devices)
        context->config.devices = 1;
    if (!context->config.threads || persistent)
        context->config.threads = persistent ? 1 : count_processors();
    if (!context->config.group_least)
        context->config.group_least = 1;
    accd__context_set_rules(context, config->rules ? config->rules : accd_find_rules("tr14"));
    context->scratch.mem = &context->mem;
    accd__host_registry_init(&context->host, &context->mem);
    accd__set_error(context, ACCD_OK, R_NONE, "no error");
    accd_status status = ACCD_ERROR_OUT_OF_MEMORY;
    unsigned devices = context->config.devices;
    context->envs = accd__mem_alloc_array(&context->mem, devices, sizeof context->envs[0]);
    /* made first, so that id 0 is the label of objects without a name */
    if (context->envs && accd_label_intern(context, &(accd_label){.name = ""}))
        status = ACCD_OK;
    while (status == ACCD_OK && (unsigned)context->nenvs < devices) {
        status = open_device_env(&context->envs[context->nenvs], context, context->nenvs);
        context->nenvs++;
    }
    if (status != ACCD_OK) {
        accd_context_free(context);
        return status;
    }
    context->config.no_device = NULL; /* reset, because it points to memory of the caller, valid for this call only */
    *context_p = context;
    return ACCD_OK;
}

/* Frees all records and memory of one device, and closes the device if it was opened. No region may be open. */
static void close_device_env(struct accd__device_env *env)
{
    assert(!env->levels.top);
    struct accd__mem *mem = &env->context->mem;
    accd__queues_free(env);
    accd__free_retired_group(env);
    ACCD_FOR_EACH(struct accd__attachment, attach, &env->attached.slots, 0)
    accd__free_saved_descriptor(env, attach->descriptor);
    for (size_t i = 0; i < env->groups.n; i++)
        if (env->groups.at[i])
            accd__group_free(env, env->groups.at[i]);
    accd__mem_free(mem, env->groups.at, env->groups.capacity * sizeof env->groups.at[0]);
    accd__mem_free(mem, env->present.origins, env->present.origins_capacity * sizeof env->present.origins[0]);
#define X(member) accd__btree_clear(&env->member);
    INDICES(X)
#undef X
#define X(member, ...) accd__pool_free_all(&env->member);
    POOLS(X)
#undef X
    if (env->device.handle)
        env->device.ops->close(env->device.handle);
}

/* Frees a context, its open regions and all device memory. Copies nothing to the host. */
void accd_context_free(accd_context *context)
{
    if (!context)
        return;
    struct accd__mem *mem = &context->mem;
    for (int i = 0; i < context->nenvs; i++) {
        while (context->envs[i].levels.top)
            accd__region_free(context->envs[i].levels.top);
        accd_journal_end(context, i, 1);
        close_device_env(&context->envs[i]);
    }
    accd__workers_free(context->workers);
    accd__labels_free(context);
    accd__mem_free(mem, context->envs, context->config.devices * sizeof context->envs[0]);
    accd__host_registry_clear(&context->host);
    accd__scratch_free(&context->scratch);
    accd__mem_drop_cache(mem);
    struct accd__persistent *persistent = context->persistent;
    struct accd__mem last = *mem;
    if (persistent->arena)
        accd__persistent_free(persistent);
    else
        accd__mem_free(&last, context, sizeof *context);
}

/* Returns the error of the last call that failed. If `context` is NULL, returns a constant error that says so. */
const accd_error *accd_context_error(const accd_context *context)
{
    static const accd_error no_context = {
        .status = ACCD_ERROR_MISUSE, .rule = "HOUSE-misuse", .item = SIZE_MAX, .message = "there is no context"};
    return context ? &context->error : &no_context;
}

/* Returns the rule profile of the context; NULL if `context` is NULL. */
const accd_rules *accd_get_rules(const accd_context *context)
{
    return context ? &context->rules : NULL;
}

/* Returns the number of devices of the context; 0 if `context` is NULL. */
int accd_device_count(const accd_context *context)
{
    return context ? context->nenvs : 0;
}

/* Sets the observer of events: fn(ud, event) is called for each event; fn = NULL: no observer. An observer keeps
 * constructs off the fast path. */
void accd_context_set_event_handler(accd_context *context, accd_event_fn fn, void *ud)
{
    if (!context)
        return;
    for (int i = 0; i < context->nenvs; i++)
        context->envs[i].slow_path_reasons += (size_t)(fn != NULL) - (context->config.on_event != NULL);
    context->config.on_event = fn;
    context->config.event_ud = ud;
}

/* Selects the events that the observer gets: those of each operation `op` whose bit 1 << op is set in `ops`. They have
 * names of data if the bit is set in `named`, too. Does nothing if `context` is NULL. */
void accd_context_subscribe(accd_context *context, unsigned ops, unsigned named)
{
    if (!context)
        return;
    context->muted_ops = ~ops;
    context->unnamed_ops = ~named;
}

/* Returns the built-in backend called `name`; NULL if there is no such backend, or `name` is NULL. */
const accd_backend *accd_find_backend(const char *name)
{
    static const accd_backend *const backends[] = {
        &accd__backend_sim,           &accd__backend_direct,        &accd__backend_guarded,  &accd__backend_guarded_end,
        &accd__backend_guarded_begin, &accd__backend_guarded_again, &accd__backend_unbacked,
#ifdef ACCD_HAVE_CUDA
        &accd__backend_cuda,
#endif
    };
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
        if (name && !strcmp(backends[i]->name, name))
            return backends[i];
    return NULL;
}
