/* checkpoint.c - checkpoints: the state of a context, saved and put back as a whole. A context that has them lies in one
 * range of memory, with all that its functions allocate, so addresses within the state stay as they are. */
#include "face/inside.h"
#include "queue/queue.h"

/* A function that a queue holds. The state, and each checkpoint, is a user of its ud. */
struct call {
    accd_host_fn fn;
    void *ud;
};

/* What follows it: the arena as far as it is used, each device's state, the registered ranges of host memory, each with
 * its bytes, and functions that queues hold. */
struct accd_checkpoint {
    struct accd_saved memory;
    accd_context *context;
    size_t used, nranges, ncalls;
    struct call *calls;
    _Alignas(16) uint8_t at[];
};

struct range {
    uint64_t start, bytes;
};

static uint64_t padded(uint64_t bytes) { return (bytes + 15) & ~(uint64_t)15; }

/* -------------------------------------------------------------------------------------- save -- */

accd_status accd_at_rest(accd_context *context)
{
    ACCD_TRY(accd_idle(context));
    bool runs = context->working;
    for (int i = 0; i < context->ndirs; i++)
        runs |= context->dirs[i].queues.running != NULL;
    if (runs)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "a queue is at work");
    return ACCD_OK;
}

static uint64_t state_bytes(const struct accd_directory *dir)
{
    return padded(dir->device.ops->state_bytes(dir->device.handle));
}

/* Their number. to: where they are written, or NULL. */
static size_t calls_of(const accd_context *context, struct call *to)
{
    size_t n = 0;
    for (int i = 0; i < context->ndirs; i++) {
        const struct accd_queues *queues = &context->dirs[i].queues;
        for (size_t k = 0; k < queues->n && queues->ntasks; k++)
            for (const struct accd_task *task = queues->at[k] ? queues->at[k]->first : NULL; task; task = task->next) {
                if (task->kind != ACCD_TASK_KERNEL && task->kind != ACCD_TASK_CALL)
                    continue;
                if (to)
                    to[n] = (struct call){task->u.call.fn, task->u.call.ud};
                n++;
            }
    }
    return n;
}

static void call_all(const struct call *calls, size_t n, accd_call how)
{
    for (size_t i = 0; i < n; i++)
        (void)calls[i].fn(calls[i].ud, how);
}

accd_status accd_checkpoint_take(accd_context *context, accd_checkpoint **checkpoint_p)
{
    if (!context)
        return ACCD_MISUSE;
    ACCD_GIVEN(context, checkpoint_p);
    const struct accd_arena *arena = context->lasting->arena;
    if (!arena)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "the context was opened without checkpoints");
    ACCD_TRY(accd_at_rest(context));
    size_t bytes = sizeof(struct accd_checkpoint) + padded(arena->used), nranges = 0;
    for (int i = 0; i < context->ndirs; i++)
        bytes += state_bytes(&context->dirs[i]);
    ACCD_EACH(const struct accd_host_block, block, &context->host.ranges, 0) {
        nranges += block->live != 0;
        bytes += block->live ? sizeof(struct range) + padded(block->bytes) : 0;
    }
    const size_t ncalls = calls_of(context, NULL);
    struct accd_saved *memory = accd_saved_new(context, bytes + ncalls * sizeof(struct call));
    if (!memory)
        return accd_out_of_memory(context, "for a checkpoint");
    struct accd_checkpoint *checkpoint = (struct accd_checkpoint *)memory;
    checkpoint->context = context;
    checkpoint->used = arena->used;
    checkpoint->nranges = nranges;
    checkpoint->ncalls = ncalls;
    uint8_t *to = checkpoint->at;
    memcpy(to, arena, arena->used);
    to += padded(arena->used);
    for (int i = 0; i < context->ndirs; i++) {
        const struct accd_device *device = &context->dirs[i].device;
        device->ops->state_save(device->handle, to);
        to += state_bytes(&context->dirs[i]);
    }
    ACCD_EACH(const struct accd_host_block, block, &context->host.ranges, 0) {
        if (!block->live)
            continue;
        const struct range range = {block->start, block->bytes};
        memcpy(to, &range, sizeof range);
        memcpy(to + sizeof range, accd_pointer(range.start), range.bytes);
        to += sizeof range + padded(range.bytes);
    }
    checkpoint->calls = (struct call *)(void *)to;
    (void)calls_of(context, checkpoint->calls);
    call_all(checkpoint->calls, ncalls, ACCD_RETAIN);
    *checkpoint_p = checkpoint;
    return ACCD_OK;
}

/* ----------------------------------------------------------------------------------- restore -- */

accd_status accd_checkpoint_restore(accd_checkpoint *checkpoint)
{
    if (!checkpoint)
        return ACCD_MISUSE;
    accd_context *context = checkpoint->context;
    ACCD_TRY(accd_at_rest(context));
    const size_t ncalls = calls_of(context, NULL);
    struct call *calls = accd_scratch_take(&context->scratch, ncalls * sizeof *calls);
    if (!calls)
        return accd_out_of_memory(context, "to restore a checkpoint");
    (void)calls_of(context, calls);
    call_all(checkpoint->calls, checkpoint->ncalls, ACCD_RETAIN);
    call_all(calls, ncalls, ACCD_DISCARD);
    const accd_event_fn on_event = context->config.on_event;
    void *const event_ud = context->config.event_ud;
    const unsigned unheard = context->unheard, unnamed = context->unnamed;
    struct accd_lasting *lasting = context->lasting;
    const uint8_t *from = checkpoint->at + padded(checkpoint->used);
    for (int i = 0; i < context->ndirs; i++)
        from += padded(context->dirs[i].device.ops->state_restore(context->dirs[i].device.handle, from));
    memcpy(lasting->arena, checkpoint->at, checkpoint->used);
    for (size_t i = 0; i < checkpoint->nranges; i++) {
        struct range range;
        memcpy(&range, from, sizeof range);
        memcpy(accd_pointer(range.start), from + sizeof range, range.bytes);
        from += sizeof range + padded(range.bytes);
    }
    context->layouts = lasting->layouts;
    accd_context_on_event(context, on_event, event_ud);
    context->unheard = unheard;
    context->unnamed = unnamed;
    return ACCD_OK;
}

void accd_checkpoint_free(accd_checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    call_all(checkpoint->calls, checkpoint->ncalls, ACCD_DISCARD);
    accd_saved_give(checkpoint->context, &checkpoint->memory);
}
