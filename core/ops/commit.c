/* commit.c - turns the changes of a plan into transfers: one batch that succeeds or fails as a whole, or a task of a
 * queue. Input: plan->changes, and the copies of plan->resolved.fusion. Called last by entries, exits and updates;
 * after it nothing fails. */
#include "ops/inside.h"
#include "plan/fusion.h"
#include "table/find.h"

#include <assert.h>

/* Stores the bytes `from`, fetched from the device for `move`, on the host, and leaves out attached pointers in that
 * range. `store` callback of a batch; `ud` is the device environment. Decides TR14-4.1-05. */
static void store_except_pointers(void *ud, const struct accd__transfer *move, const char *from)
{
    assert(move && from);
    struct accd__device_env *env = ud;
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach;
    uint64_t at = move->host, end = move->host + move->bytes;
    if (accd__first_attachment(env, at, end, &cursor, &attach) != ACCD_OK)
        attach = NULL; /* cannot happen: the plan has expanded all pending pointers here */
    for (; attach; attach = accd__next_attachment(&cursor, end)) {
        if (attach->slot > at)
            memcpy(accd__pointer(at), from + (at - move->host), attach->slot - at);
        if (accd__attachment_end(attach) > at)
            at = accd__attachment_end(attach);
    }
    if (at < end)
        memcpy(accd__pointer(at), from + (at - move->host), end - at);
}

/* True if fetched bytes must be stored on the host by store_except_pointers: pointers are attached,
 * policy.copies_then_restores is set, so that moves contain such pointers, and the construct is not queued. */
static bool skips_pointers(const struct accd__plan *plan)
{
    return plan->env->attached.slots.count && plan->context->policy.copies_then_restores && !plan->input.queue;
}

/* Returns ACCD_ERROR_OUT_OF_BOUNDS if host memory that moves write has been freed since the entry. Checks nothing
 * unless the context checks host memory. */
static accd_status check_host_targets(const struct accd__plan *plan)
{
    for (size_t i = 0; plan->context->config.check_host && i < plan->changes.moves.n; i++) {
        const struct accd__move *move = &plan->changes.moves.at[i];
        if (move->out && !accd__is_live_host_range(plan->context, move->host, move->bytes))
            return accd__report_request_error(plan, &plan->resolved.requests[move->request],
                                              plan->resolved.requests[move->request].object, ACCD_ERROR_OUT_OF_BOUNDS,
                                              R_HOST_BOUNDS,
                                              ACCD_NAME_PLACEHOLDER " does not lie in live host memory any more");
    }
    return ACCD_OK;
}

/* Returns a transfer of `bytes` bytes at host address `from` to device address `dev`. The bytes at `from` belong to the
 * core, not to the program. */
static struct accd__transfer make_core_transfer(uint64_t dev, const void *from, uint64_t bytes)
{
    return (struct accd__transfer){dev, accd__address(from), bytes, ACCD_TRANSFER_CORE_TO_DEVICE};
}

/* Sets *at to the transfer that writes the descriptor `rest`: its address of data, then its other bytes. It copies both
 * to scratch space first. Fails only without memory. */
static accd_status list_descriptor_write(const struct accd__plan *plan, const struct accd__descriptor_write *rest,
                                         struct accd__transfer *at)
{
    assert(rest->from && at);
    char *bytes = accd__scratch_alloc(&plan->context->scratch, sizeof rest->value + rest->bytes);
    if (!bytes)
        return accd__report_plan_out_of_memory(plan->context);
    memcpy(bytes, &rest->value, sizeof rest->value);
    memcpy(bytes + sizeof rest->value, rest->from, rest->bytes);
    *at = make_core_transfer(rest->dev, bytes, sizeof rest->value + rest->bytes);
    return ACCD_OK;
}

/* Zeros, which transfers copy to device memory that is to be cleared, at most 4096 bytes each. */
static const char zeros[4096];

/* Returns the number of transfers that list_clears makes. */
static size_t count_clears(const struct accd__plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->changes.clears.n; i++)
        n += (size_t)((plan->changes.clears.at[i].bytes + sizeof zeros - 1) / sizeof zeros);
    return n;
}

/* Writes the transfers that clear memory to `at`; returns the position after the last one. */
static struct accd__transfer *list_clears(const struct accd__plan *plan, struct accd__transfer *at)
{
    for (size_t i = 0; i < plan->changes.clears.n; i++) {
        const struct accd__clear_range *clear = &plan->changes.clears.at[i];
        for (uint64_t k = 0; k < clear->bytes; k += sizeof zeros)
            *at++ = make_core_transfer(clear->dev + k, zeros,
                                       clear->bytes - k < sizeof zeros ? clear->bytes - k : sizeof zeros);
    }
    return at;
}

/* Sets *batch to all transfers of a plan in order: copies within the device, clears, moves, descriptors, words (pointer
 * values). Words are last, because they overwrite bytes that moves have copied. Fails only without memory. */
static accd_status list_transfers(const struct accd__plan *plan, struct accd__batch *batch)
{
    const struct accd__fusion *fusion = plan->resolved.fusion;
    const size_t ncopies = fusion ? fusion->copies.n : 0;
    const size_t n = ncopies + count_clears(plan) + plan->changes.moves.n + plan->changes.descriptor_writes.n +
                     plan->changes.words.n;
    struct accd__transfer *at = n ? accd__scratch_alloc(&plan->context->scratch, n * sizeof *at) : NULL;
    *batch = (struct accd__batch){.at = at, .n = n, .bulk = plan->changes.bulk, .bulk_ops = &accd__bulk_ops};
    if (skips_pointers(plan)) {
        batch->store = store_except_pointers;
        batch->ud = plan->env;
    }
    if (n && !at)
        return accd__report_plan_out_of_memory(plan->context);
    for (size_t i = 0; i < ncopies; i++, at++)
        *at = (struct accd__transfer){fusion->copies.at[i].to, fusion->copies.at[i].from, fusion->copies.at[i].bytes,
                                      ACCD_TRANSFER_WITHIN_DEVICE};
    at = list_clears(plan, at);
    for (size_t i = 0; i < plan->changes.moves.n; i++, at++) {
        const struct accd__move *move = &plan->changes.moves.at[i];
        *at = (struct accd__transfer){move->dev, move->host, move->bytes,
                                      move->out ? ACCD_TRANSFER_TO_HOST : ACCD_TRANSFER_TO_DEVICE};
    }
    for (size_t i = 0; i < plan->changes.descriptor_writes.n; i++, at++)
        ACCD_TRY(list_descriptor_write(plan, &plan->changes.descriptor_writes.at[i], at));
    for (size_t i = 0; i < plan->changes.words.n; i++, at++)
        *at = make_core_transfer(plan->changes.words.at[i].dev, &plan->changes.words.at[i].value,
                                 plan->changes.words.at[i].bytes);
    return ACCD_OK;
}

/* Hands the transfers of a batch to the queue of the plan, as one task. From then on, memory that the construct frees
 * is freed when the queue gets there. Fails without memory, and then changes nothing. */
static accd_status queue_transfers(struct accd__plan *plan, struct accd__batch *batch)
{
    assert(plan->input.queue);
    const accd_construct *construct = plan->input.construct;
    if (batch->bulk)
        ACCD_TRY(accd__bulk_queue(batch));
    if (batch->n || batch->bulk)
        ACCD_TRY(accd__queue_batch(plan->input.queue, batch, accd__construct_name(construct), construct->file,
                                   construct->line));
    plan->env->queues.releasing = plan->input.queue; /* set last, because from here on nothing fails */
    return ACCD_OK;
}

/* Runs the transfers of a plan as one batch, after tasks of concurrent queues that use the same memory, or hands them
 * to the plan's queue. Returns an error if host memory was freed, a transfer fails, or without memory; then none has
 * any effect. */
accd_status accd__plan_commit(struct accd__plan *plan)
{
    struct accd__device_env *env = plan->env;
    struct accd__batch batch;
    ACCD_TRY(check_host_targets(plan));
    ACCD_TRY(list_transfers(plan, &batch));
    if (plan->input.queue)
        return queue_transfers(plan, &batch);
    if (accd__is_concurrent(env))
        ACCD_TRY(plan->resolved.fusion
                     ? accd__wait_for_all_devices(plan->context) /* fusion moves objects that any task may use */
                     : accd__wait_for_batch_conflicts(env, &batch));
    accd_status status = accd__run_batch(&env->device, &batch);
    return status == ACCD_OK ? ACCD_OK : accd__report_copy_failure(&env->device, status);
}
