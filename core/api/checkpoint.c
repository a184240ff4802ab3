/* checkpoint.c - checkpoints: saves and restores the state of a context. A context with checkpoints lies in one arena
 * with everything that it allocates, so that addresses within the state stay valid.
 *
 *     checkpoint->at:  | arena, used part | state of device 0 | ... | {start, bytes, content} of host ranges | calls |
 */
#include "accdeep_checkpoints.h"
#include "accdeep_context.h"
#include "api/inside.h"
#include "queue/queue.h"

#include <assert.h>

/* Host function of a task of kind KERNEL or CALL in a queue. The queue and each checkpoint own one reference to its
 * argument `ud`; the function itself counts these references when it is called (accd_host_call). */
struct queued_call {
    accd_host_fn fn;
    void *ud;
};

/* Header of a checkpoint; the saved state follows in `at`. used: bytes of the arena that were in use; nranges: number
 * of saved host ranges; calls: the ncalls functions in queues. */
struct accd_checkpoint {
    struct accd__checkpoint_memory memory;
    accd_context *context;
    size_t used, nranges, ncalls;
    struct queued_call *calls;
    _Alignas(16) uint8_t at[];
};

/* Header of a saved host range; its content follows. */
struct saved_range {
    uint64_t start, bytes;
};

/* Returns a size, rounded up to a multiple of 16. */
static uint64_t round_up(uint64_t bytes)
{
    return (bytes + 15) & ~(uint64_t)15;
}

/* -------------------------------------------------------------------------------------- save -- */

/* Returns ACCD_ERROR_MISUSE if a construct is under way, or if a queue of any device runs its work; otherwise ACCD_OK.
 */
accd_status accd__check_quiescent(accd_context *context)
{
    ACCD_TRY(accd__check_not_busy(context));
    bool is_running = context->runs_queue;
    for (int i = 0; i < context->nenvs; i++)
        is_running |= context->envs[i].queues.running != NULL;
    if (is_running)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "a queue is at work");
    return ACCD_OK;
}

/* Returns the size in bytes of the saved state of a device, rounded up to a multiple of 16. */
static uint64_t state_bytes(const struct accd__device_env *env)
{
    return round_up(env->device.ops->state_bytes(env->device.handle));
}

/* Returns the number of tasks with host functions (kinds KERNEL and CALL) in the queues of all devices. If `to` is not
 * NULL, also writes their functions to this array, which must have space for all. */
static size_t list_calls(const accd_context *context, struct queued_call *to)
{
    size_t n = 0;
    for (int i = 0; i < context->nenvs; i++) {
        const struct accd__queues *queues = &context->envs[i].queues;
        for (size_t k = 0; k < queues->n && queues->ntasks; k++)
            for (const struct accd__task *task = queues->at[k] ? queues->at[k]->first : NULL; task; task = task->next) {
                if (task->kind != ACCD_TASK_KERNEL && task->kind != ACCD_TASK_CALL)
                    continue;
                if (to)
                    to[n] = (struct queued_call){task->u.call.fn, task->u.call.ud};
                n++;
            }
    }
    return n;
}

/* Calls each of n functions with `reason`. ACCD_CALL_RETAIN adds a reference to the function's argument `ud`,
 * ACCD_CALL_DISCARD removes one. Results are ignored. */
static void notify_calls(const struct queued_call *calls, size_t n, accd_host_call reason)
{
    assert(calls || !n);
    for (size_t i = 0; i < n; i++)
        (void)calls[i].fn(calls[i].ud, reason);
}

/* Saves the state of a context, its devices and its live registered host memory in a new checkpoint, *checkpoint_p.
 * Errors: ACCD_ERROR_MISUSE, if the context was opened without checkpoints or is running something;
 * ACCD_ERROR_OUT_OF_MEMORY. */
accd_status accd_checkpoint_new(accd_context *context, accd_checkpoint **checkpoint_p)
{
    if (!context)
        return ACCD_ERROR_MISUSE;
    ACCD_REQUIRE_ARGUMENT(context, checkpoint_p);
    const struct accd__arena *arena = context->persistent->arena;
    if (!arena)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "the context was opened without checkpoints");
    ACCD_TRY(accd__check_quiescent(context));
    size_t bytes = sizeof(struct accd_checkpoint) + round_up(arena->used), nranges = 0;
    for (int i = 0; i < context->nenvs; i++)
        bytes += state_bytes(&context->envs[i]);
    ACCD_FOR_EACH(const struct accd__host_block, block, &context->host.ranges, 0)
    {
        nranges += block->live != 0;
        bytes += block->live ? sizeof(struct saved_range) + round_up(block->bytes) : 0;
    }
    const size_t ncalls = list_calls(context, NULL);
    struct accd__checkpoint_memory *memory =
        accd__checkpoint_memory_alloc(context, bytes + ncalls * sizeof(struct queued_call));
    if (!memory)
        return accd__report_out_of_memory(context, "for a checkpoint");
    struct accd_checkpoint *checkpoint = (struct accd_checkpoint *)memory;
    checkpoint->context = context;
    checkpoint->used = arena->used;
    checkpoint->nranges = nranges;
    checkpoint->ncalls = ncalls;
    uint8_t *to = checkpoint->at;
    memcpy(to, arena, arena->used);
    to += round_up(arena->used);
    for (int i = 0; i < context->nenvs; i++) {
        const struct accd__device *device = &context->envs[i].device;
        device->ops->state_save(device->handle, to);
        to += state_bytes(&context->envs[i]);
    }
    ACCD_FOR_EACH(const struct accd__host_block, block, &context->host.ranges, 0)
    {
        if (!block->live)
            continue;
        const struct saved_range range = {block->start, block->bytes};
        memcpy(to, &range, sizeof range);
        memcpy(to + sizeof range, accd__pointer(range.start), range.bytes);
        to += sizeof range + round_up(range.bytes);
    }
    assert((size_t)(to - (uint8_t *)checkpoint) <= bytes);
    checkpoint->calls = (struct queued_call *)(void *)to;
    (void)list_calls(context, checkpoint->calls);
    notify_calls(checkpoint->calls, ncalls, ACCD_CALL_RETAIN);
    *checkpoint_p = checkpoint;
    return ACCD_OK;
}

/* ----------------------------------------------------------------------------------- restore -- */

/* Restores the state that a checkpoint has saved, apart from labels, their layouts, programs, the observer of events,
 * and its choice of events. Errors: ACCD_ERROR_MISUSE if something is running; ACCD_ERROR_OUT_OF_MEMORY. */
accd_status accd_checkpoint_restore(accd_checkpoint *checkpoint)
{
    if (!checkpoint)
        return ACCD_ERROR_MISUSE;
    accd_context *context = checkpoint->context;
    ACCD_TRY(accd__check_quiescent(context));
    const size_t ncalls = list_calls(context, NULL);
    struct queued_call *calls = accd__scratch_alloc(&context->scratch, ncalls * sizeof *calls);
    if (!calls)
        return accd__report_out_of_memory(context, "to restore a checkpoint");
    (void)list_calls(context, calls);
    notify_calls(checkpoint->calls, checkpoint->ncalls, ACCD_CALL_RETAIN);
    notify_calls(calls, ncalls, ACCD_CALL_DISCARD);
    const accd_event_fn on_event = context->config.on_event;
    void *const event_ud = context->config.event_ud;
    const unsigned muted_ops = context->muted_ops, unnamed_ops = context->unnamed_ops;
    struct accd__persistent *persistent = context->persistent;
    assert(persistent->arena);
    const uint8_t *from = checkpoint->at + round_up(checkpoint->used);
    for (int i = 0; i < context->nenvs; i++)
        from += round_up(context->envs[i].device.ops->state_restore(context->envs[i].device.handle, from));
    memcpy(persistent->arena, checkpoint->at, checkpoint->used);
    for (size_t i = 0; i < checkpoint->nranges; i++) {
        struct saved_range range;
        memcpy(&range, from, sizeof range);
        memcpy(accd__pointer(range.start), from + sizeof range, range.bytes);
        from += sizeof range + round_up(range.bytes);
    }
    context->layouts = persistent->layouts; /* keeps the current value, because labels are not restored */
    accd_context_set_event_handler(context, on_event, event_ud);
    context->muted_ops = muted_ops;
    context->unnamed_ops = unnamed_ops;
    return ACCD_OK;
}

/* Frees a checkpoint; NULL does nothing. The memory is kept for the next checkpoint, and freed with the context. */
void accd_checkpoint_free(accd_checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    notify_calls(checkpoint->calls, checkpoint->ncalls, ACCD_CALL_DISCARD);
    accd__checkpoint_memory_recycle(checkpoint->context, &checkpoint->memory);
}
