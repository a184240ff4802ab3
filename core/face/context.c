/* context.c - contexts: what they are opened with, their devices, their end. */
#include "face/inside.h"
#include "ops/ops.h"
#include "table/group.h"
#include "table/tuples.h"

#include <unistd.h>

void accd_context_config_init(accd_context_config *config)
{
    if (!config)
        return;
    *config = (accd_context_config){
        .struct_size = sizeof *config,
        .devices = 1,
        .group_least = 64,
    };
}

static unsigned processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 16 ? 16 : (unsigned)n;
}

static bool reclaim(void *owner)
{
    accd_context *context = owner;
    bool found = false;
    for (int i = 0; i < context->ndirs; i++) {
        found |= context->dirs[i].groups.retired != NULL;
        accd_forget_retired(&context->dirs[i]);
    }
    return found;
}

static bool is_sound(const accd_context_config *config)
{
    return config->struct_size == sizeof *config && config->devices <= ACCD_DEVICES_MOST &&
           config->threads <= ACCD_THREADS_MOST && (unsigned)config->descriptors <= ACCD_DESCRIPTOR_GFORTRAN &&
           (unsigned)config->queues <= ACCD_QUEUES_CONCURRENT &&
           (!config->checkpoints || !config->backend || config->backend->state_save) &&
           (!config->rules || accd_rules_sound(config->rules));
}

/* What lies behind the record of a level that the short way opens. */
#define SHORT_REGION (ACCD_SHORT_ITEMS * (sizeof(struct accd_claim) + sizeof(struct accd_source)))

/* X(member): the ordered indices of a directory; X(member, type, bytes behind each, per_slab): the pools of its
 * records. */
#define INDICES(X)                                                                                \
    X(present.objects) X(present.by_device) X(present.blocks) X(present.frames) X(attached.slots) \
    X(attached.targets) X(queues.by_async) X(tuples.shares) X(tuples.fused) X(tuples.bases)
#define POOLS(X)                                         \
    X(present.object_pool, struct accd_object, 0, 128)   \
    X(attached.pool, struct accd_attach, 0, 128)         \
    X(present.block_pool, struct accd_block, 0, 64)      \
    X(tuples.share_pool, struct accd_share, 0, 64)       \
    X(tuples.original_pool, struct accd_original, 0, 64) \
    X(tuples.former_pool, struct accd_former, 0, 64)     \
    X(tuples.fused_pool, struct accd_fused, 0, 64)       \
    X(levels.pool, struct accd_region, SHORT_REGION, 8)

/* Decides DIR-1-04. */
static accd_status open_directory(struct accd_directory *dir, accd_context *context, int number)
{
    struct accd_mem *mem = &context->mem;
    *dir = (struct accd_directory){
        .context = context,
        .eventful = context->config.on_event != NULL,
        .tuples = {.exit = 1},
        .device = {.context = context,
                   .number = number,
                   .ops = context->config.backend ? context->config.backend : &accd_backend_sim},
    };
    struct accd_device **last = &context->devices;
    while (*last)
        last = &(*last)->next;
    *last = &dir->device;
#define X(member) accd_range_init(&dir->member, mem);
    INDICES(X)
#undef X
#define X(member, type, behind, per_slab) accd_pool_init(&dir->member, mem, sizeof(type) + (behind), per_slab);
    POOLS(X)
#undef X
    return dir->device.ops->open(&dir->device.handle, number, &context->config, mem);
}

accd_status accd_context_open(accd_context **context_p, const accd_context_config *config)
{
    accd_context_config defaults;
    accd_context_config_init(&defaults);
    if (!config)
        config = &defaults;
    if (!context_p || !is_sound(config))
        return ACCD_MISUSE;
    struct accd_mem mem;
    struct accd_lasting *lasting = NULL;
    accd_mem_init(&mem, config->alloc, config->alloc_ud);
    if (config->checkpoints && !(lasting = accd_lasting_open(&mem)))
        return ACCD_OUT_OF_MEMORY;
    accd_context *context = accd_mem_zero(&mem, sizeof *context);
    if (!context) {
        accd_lasting_close(lasting);
        return ACCD_OUT_OF_MEMORY;
    }
    context->mem = mem;
    context->lasting_here.mem = &context->mem;
    context->lasting = lasting ? lasting : &context->lasting_here;
    context->mem.reclaim = reclaim;
    context->mem.owner = context;
    context->config = *config;
    context->rules = config->rules ? *config->rules : *accd_rules_named("tr14");
    context->config.rules = &context->rules;
    if (!context->config.devices)
        context->config.devices = 1;
    if (!context->config.threads || lasting)
        context->config.threads = lasting ? 1 : processors();
    if (!context->config.group_least)
        context->config.group_least = 1;
    accd_rules_compile(&context->rules, &context->verdicts);
    context->ways = accd_short_ways(context);
    context->scratch.mem = &context->mem;
    accd_host_init(&context->host, &context->mem);
    accd_fail(context, ACCD_OK, R_NONE, "no error");
    accd_status status = ACCD_OUT_OF_MEMORY;
    unsigned devices = context->config.devices;
    context->dirs = accd_mem_array(&context->mem, devices, sizeof context->dirs[0]);
    /* label number 0 stands for objects without a name */
    if (context->dirs && accd_label_new(context, &(accd_label){.name = ""}))
        status = ACCD_OK;
    while (status == ACCD_OK && (unsigned)context->ndirs < devices) {
        status = open_directory(&context->dirs[context->ndirs], context, context->ndirs);
        context->ndirs++;
    }
    if (status != ACCD_OK) {
        accd_context_close(context);
        return status;
    }
    context->config.no_device = NULL; /* the caller's, for this call */
    *context_p = context;
    return ACCD_OK;
}

static void close_directory(struct accd_directory *dir)
{
    struct accd_mem *mem = &dir->context->mem;
    accd_queues_close(dir);
    accd_forget_retired(dir);
    ACCD_EACH(struct accd_attach, attach, &dir->attached.slots, 0)
        accd_descriptor_forget(dir, attach->descriptor);
    for (size_t i = 0; i < dir->groups.n; i++)
        if (dir->groups.at[i])
            accd_group_free(dir, dir->groups.at[i]);
    accd_mem_free(mem, dir->groups.at, dir->groups.room * sizeof dir->groups.at[0]);
    accd_mem_free(mem, dir->present.origins, dir->present.origins_room * sizeof dir->present.origins[0]);
#define X(member) accd_range_close(&dir->member);
    INDICES(X)
#undef X
#define X(member, ...) accd_pool_close(&dir->member);
    POOLS(X)
#undef X
    if (dir->device.handle)
        dir->device.ops->close(dir->device.handle);
}

void accd_context_close(accd_context *context)
{
    if (!context)
        return;
    struct accd_mem *mem = &context->mem;
    for (int i = 0; i < context->ndirs; i++) {
        while (context->dirs[i].levels.top)
            accd_region_free(context->dirs[i].levels.top);
        accd_journal_close(context, i, 1);
        close_directory(&context->dirs[i]);
    }
    accd_workers_close(context->workers);
    accd_labels_close(context);
    accd_mem_free(mem, context->dirs, context->config.devices * sizeof context->dirs[0]);
    accd_host_close(&context->host);
    accd_scratch_close(&context->scratch);
    accd_mem_close(mem);
    struct accd_lasting *lasting = context->lasting;
    struct accd_mem last = *mem;
    if (lasting->arena)
        accd_lasting_close(lasting);
    else
        accd_mem_free(&last, context, sizeof *context);
}

const accd_error *accd_context_error(const accd_context *context)
{
    static const accd_error no_context = {
        .status = ACCD_MISUSE, .rule = "HOUSE-misuse", .item = SIZE_MAX, .message = "there is no context"};
    return context ? &context->error : &no_context;
}

const accd_rules *accd_get_rules(const accd_context *context) { return context ? &context->rules : NULL; }

int accd_device_count(const accd_context *context) { return context ? context->ndirs : 0; }

void accd_context_on_event(accd_context *context, accd_event_fn fn, void *ud)
{
    if (!context)
        return;
    for (int i = 0; i < context->ndirs; i++)
        context->dirs[i].eventful += (size_t)(fn != NULL) - (context->config.on_event != NULL);
    context->config.on_event = fn;
    context->config.event_ud = ud;
}

void accd_context_hear(accd_context *context, unsigned ops, unsigned named)
{
    if (!context)
        return;
    context->unheard = ~ops;
    context->unnamed = ~named;
}

const accd_backend *accd_backend_named(const char *name)
{
    static const accd_backend *const backends[] = {
        &accd_backend_sim,
        &accd_backend_direct,
        &accd_backend_guarded,
        &accd_backend_guarded_end,
        &accd_backend_guarded_begin,
        &accd_backend_guarded_again,
#ifdef ACCD_HAVE_CUDA
        &accd_backend_cuda,
#endif
    };
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
        if (name && !strcmp(backends[i]->name, name))
            return backends[i];
    return NULL;
}
