/* commit.c - a plan becomes transfers: one batch that is done as a whole or not at all, or a task of a queue. */
#include "ops/inside.h"
#include "plan/fusion.h"

/* Stores fetched bytes, but no attached pointer (TR14-4.1-05).
 * Decides TR14-4.1-05. */
static void store(void *ud, const struct accd_transfer *move, const char *from)
{
    struct accd_directory *dir = ud;
    struct accd_range_cursor cursor;
    struct accd_attach *attach;
    uint64_t at = move->host, end = move->host + move->bytes;
    if (accd_first_attach(dir, at, end, &cursor, &attach) != ACCD_OK)
        attach = NULL; /* already indexed by the plan */
    for (; attach; attach = accd_next_attach(&cursor, end)) {
        if (attach->slot > at)
            memcpy(accd_pointer(at), from + (at - move->host), attach->slot - at);
        if (accd_attach_end(attach) > at)
            at = accd_attach_end(attach);
    }
    if (at < end)
        memcpy(accd_pointer(at), from + (at - move->host), end - at);
}

/* Whether attached pointers are left out when fetched bytes are stored. */
static bool is_guarded(const struct accd_plan *plan)
{
    return plan->dir->attached.slots.count && plan->context->verdicts.reverses && !plan->given.queue;
}

/* Host memory may have been freed since the entry that asked for the move. */
static accd_status check_targets(const struct accd_plan *plan)
{
    for (size_t i = 0; plan->context->config.check_host && i < plan->result.moves.n; i++) {
        const struct accd_move *move = &plan->result.moves.at[i];
        if (move->out && !accd_host_covers(plan->context, move->host, move->bytes))
            return accd_claim_error(plan, &plan->found.claims[move->claim],
                                    plan->found.claims[move->claim].object, ACCD_OUT_OF_BOUNDS,
                                    R_HOST_BOUNDS,
                                    ACCD_ASKED " does not lie in live host memory any more");
    }
    return ACCD_OK;
}

static struct accd_transfer own(uint64_t dev, const void *from, uint64_t bytes)
{
    return (struct accd_transfer){dev, accd_address(from), bytes, ACCD_OWN};
}

/* A descriptor is one transfer, though what lies behind its address comes from elsewhere. */
static accd_status list_rest(const struct accd_plan *plan, const struct accd_rest *rest, struct accd_transfer *at)
{
    char *bytes = accd_scratch_take(&plan->context->scratch, sizeof rest->value + rest->bytes);
    if (!bytes)
        return accd_plan_no_memory(plan->context);
    memcpy(bytes, &rest->value, sizeof rest->value);
    memcpy(bytes + sizeof rest->value, rest->from, rest->bytes);
    *at = own(rest->dev, bytes, sizeof rest->value + rest->bytes);
    return ACCD_OK;
}

/* What clears comes from here, a part after the other. */
static const char nothing[4096];

static size_t count_clears(const struct accd_plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->result.clears.n; i++)
        n += (size_t)((plan->result.clears.at[i].bytes + sizeof nothing - 1) / sizeof nothing);
    return n;
}

static struct accd_transfer *list_clears(const struct accd_plan *plan, struct accd_transfer *at)
{
    for (size_t i = 0; i < plan->result.clears.n; i++) {
        const struct accd_clear *clear = &plan->result.clears.at[i];
        for (uint64_t k = 0; k < clear->bytes; k += sizeof nothing)
            *at++ = own(clear->dev + k, nothing,
                        clear->bytes - k < sizeof nothing ? clear->bytes - k : sizeof nothing);
    }
    return at;
}

/* All that a plan transfers, in order. */
static accd_status list_transfers(const struct accd_plan *plan, struct accd_batch *batch)
{
    const struct accd_fusion *fusion = plan->found.fusion;
    const size_t ncopies = fusion ? fusion->copies.n : 0;
    const size_t n = ncopies + count_clears(plan) + plan->result.moves.n + plan->result.rests.n +
                     plan->result.words.n;
    struct accd_transfer *at = n ? accd_scratch_take(&plan->context->scratch, n * sizeof *at) : NULL;
    *batch = (struct accd_batch){.at = at, .n = n, .bulk = plan->result.bulk, .bulk_ops = &accd_bulk_ops};
    if (is_guarded(plan)) {
        batch->store = store;
        batch->ud = plan->dir;
    }
    if (n && !at)
        return accd_plan_no_memory(plan->context);
    for (size_t i = 0; i < ncopies; i++, at++)
        *at = (struct accd_transfer){fusion->copies.at[i].to, fusion->copies.at[i].from, fusion->copies.at[i].bytes,
                                     ACCD_MOVED_WITHIN};
    at = list_clears(plan, at);
    for (size_t i = 0; i < plan->result.moves.n; i++, at++) {
        const struct accd_move *move = &plan->result.moves.at[i];
        *at = (struct accd_transfer){move->dev, move->host, move->bytes, move->out ? ACCD_FETCHED : ACCD_SENT};
    }
    for (size_t i = 0; i < plan->result.rests.n; i++, at++)
        ACCD_TRY(list_rest(plan, &plan->result.rests.at[i], at));
    for (size_t i = 0; i < plan->result.words.n; i++, at++)
        *at = own(plan->result.words.at[i].dev, &plan->result.words.at[i].value, plan->result.words.at[i].bytes);
    return ACCD_OK;
}

static accd_status leave_to_queue(struct accd_plan *plan, struct accd_batch *batch)
{
    const accd_construct *construct = plan->given.construct;
    if (batch->bulk)
        ACCD_TRY(accd_bulk_leave(batch));
    if (batch->n || batch->bulk)
        ACCD_TRY(accd_batch_leave(plan->given.queue, batch, accd_construct_name(construct), construct->file,
                                  construct->line));
    plan->dir->queues.giving = plan->given.queue; /* from here on nothing fails */
    return ACCD_OK;
}

accd_status accd_plan_commit(struct accd_plan *plan)
{
    struct accd_directory *dir = plan->dir;
    struct accd_batch batch;
    ACCD_TRY(check_targets(plan));
    ACCD_TRY(list_transfers(plan, &batch));
    if (plan->given.queue)
        return leave_to_queue(plan, &batch);
    if (accd_is_concurrent(dir))
        ACCD_TRY(plan->found.fusion ? accd_order_everything(plan->context) /* it uses memory all over the place */
                              : accd_order_batch(dir, &batch));
    accd_status status = accd_batch_now(&dir->device, &batch);
    return status == ACCD_OK ? ACCD_OK : accd_copy_failed(&dir->device, status);
}
