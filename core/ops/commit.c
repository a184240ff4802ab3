/* commit.c - a plan becomes transfers: one batch that is done as a whole or not at all, or a task of a queue. */
#include "ops/inside.h"

/* Stores fetched bytes, but no attached pointer (TR14-4.1-05). */
static void store(struct accd_directory *dir, const struct accd_move *move, const char *from)
{
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

static void run_copies(const struct accd_plan *plan)
{
    struct accd_directory *dir = plan->dir;
    for (size_t i = 0; plan->fusion && i < plan->fusion->ncopies; i++) {
        const struct accd_copy *copy = &plan->fusion->copies[i];
        dir->device.stats.moved_bytes[2] += copy->bytes;
        dir->device.ops->copy(dir->device.handle, copy->to, copy->from, copy->bytes);
    }
}

/* Whether attached pointers are left out when fetched bytes are stored. */
static bool is_guarded(const struct accd_plan *plan)
{
    const accd_rules *rules = &plan->context->rules;
    return plan->dir->slots.count && rules->update == ACCD_UPDATE_REVERSE &&
           rules->attached == ACCD_ATTACHED_KEPT;
}

/* Whether all that is moved is one large range, which goes straight to where it belongs. */
static bool is_received(const struct accd_plan *plan, const struct accd_traffic *traffic)
{
    return plan->dir->device.ops->receive && plan->nmoves == 1 && traffic->out == 1 && !traffic->in &&
           !traffic->within && plan->moves[0].out && plan->moves[0].bytes >= ACCD_SEND_LEAST &&
           !is_guarded(plan);
}

/* Whether the move is announced as one from where it lies. */
static bool is_sent(const struct accd_plan *plan, const struct accd_move *move,
                    const struct accd_traffic *traffic)
{
    return plan->dir->device.ops->send && !traffic->out && move->bytes >= ACCD_SEND_LEAST;
}

/* Tells the device, to which bytes travel, what run_moves and the bulk are going to ask for. */
static accd_status announce(const struct accd_plan *plan, const struct accd_traffic *traffic)
{
    const accd_backend *ops = plan->dir->device.ops;
    void *device = plan->dir->device.handle;
    if (!ops->announce)
        return ACCD_OK;
    const bool received = is_received(plan, traffic);
    for (size_t i = 0; i < plan->nmoves; i++) {
        const struct accd_move *move = &plan->moves[i];
        if (received)
            ops->receive(device, move->dev, accd_pointer(move->host), move->bytes);
        else if (is_sent(plan, move, traffic))
            ops->send(device, move->dev, accd_pointer(move->host), move->bytes);
        else
            ops->announce(device, move->dev, move->bytes, move->out);
    }
    for (size_t i = 0; i < plan->nrests; i++)
        ops->announce(device, plan->rests[i].dev, sizeof plan->rests[i].value + plan->rests[i].bytes,
                      false);
    for (size_t i = 0; i < plan->nwords; i++)
        ops->announce(device, plan->words[i].dev, plan->words[i].bytes, false);
    if (plan->bulk)
        accd_bulk_announce(plan->bulk, traffic);
    return ops->ready(device);
}

static void run_moves(struct accd_plan *plan, const struct accd_traffic *traffic)
{
    struct accd_directory *dir = plan->dir;
    const accd_backend *ops = dir->device.ops;
    const bool guarded = is_guarded(plan), received = is_received(plan, traffic);
    for (size_t i = 0; i < plan->nmoves; i++) {
        const struct accd_move *move = &plan->moves[i];
        dir->device.stats.moved_bytes[move->out] += move->bytes;
        if (received || is_sent(plan, move, traffic))
            continue;
        if (!move->out) {
            memcpy(ops->stage(dir->device.handle, move->dev, move->bytes), accd_pointer(move->host),
                   move->bytes);
            continue;
        }
        const char *from = ops->fetch(dir->device.handle, move->dev, move->bytes);
        if (guarded)
            store(dir, move, from);
        else
            memcpy(accd_pointer(move->host), from, move->bytes);
    }
    for (size_t i = 0; i < plan->nrests; i++) {
        const struct accd_rest *rest = &plan->rests[i];
        char *to = ops->stage(dir->device.handle, rest->dev, sizeof rest->value + rest->bytes);
        memcpy(to, &rest->value, sizeof rest->value);
        memcpy(to + sizeof rest->value, rest->from, rest->bytes);
    }
    for (size_t i = 0; i < plan->nwords; i++)
        memcpy(ops->stage(dir->device.handle, plan->words[i].dev, plan->words[i].bytes),
               &plan->words[i].value, plan->words[i].bytes);
}

/* Host memory may have been freed since the entry that asked for the move. */
static accd_status check_targets(const struct accd_plan *plan)
{
    for (size_t i = 0; plan->context->config.check_host && i < plan->nmoves; i++) {
        const struct accd_move *move = &plan->moves[i];
        if (move->out && !accd_host_covers(plan->context, move->host, move->bytes))
            return accd_claim_error(plan, &plan->claims[move->claim],
                                    plan->claims[move->claim].object, ACCD_OUT_OF_BOUNDS,
                                    R_HOST_BOUNDS,
                                    "it does not lie in live host memory any more");
    }
    return ACCD_OK;
}

static accd_status leave_to_queue(struct accd_plan *plan)
{
    struct accd_directory *dir = plan->dir;
    const struct accd_fusion *fusion = plan->fusion;
    size_t ncopies = fusion ? fusion->ncopies : 0;
    size_t n = 2 * ncopies + plan->nmoves + 2 * plan->nrests + plan->nwords;
    uint64_t kept = plan->nwords * sizeof(uint64_t), used = 0;
    for (size_t i = 0; i < plan->nrests; i++)
        kept += sizeof(uint64_t) + plan->rests[i].bytes;
    struct accd_task *task = accd_transfers_new(dir, n, kept);
    struct accd_pair *spare = accd_scratch_take(&plan->context->scratch, 2 * n * sizeof *spare);
    if (!task || !spare) {
        if (task)
            accd_task_drop(plan->queue, task);
        return accd_fail(plan->context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY,
                         "no memory to leave transfers to a queue");
    }
    for (size_t i = 0; i < ncopies; i++)
        accd_transfers_add(task, &(struct accd_transfer){fusion->copies[i].to, fusion->copies[i].from,
                                              fusion->copies[i].bytes, ACCD_MOVED_WITHIN});
    for (size_t i = 0; i < plan->nmoves; i++)
        accd_transfers_add(task, &(struct accd_transfer){plan->moves[i].dev, plan->moves[i].host,
                                              plan->moves[i].bytes,
                                              plan->moves[i].out ? ACCD_FETCHED : ACCD_SENT});
    for (size_t i = 0; i < plan->nrests; i++) {
        const struct accd_rest *rest = &plan->rests[i];
        accd_transfers_keep(task, rest->dev, &rest->value, sizeof rest->value, &used);
        accd_transfers_keep(task, rest->dev + sizeof rest->value, rest->from, rest->bytes, &used);
    }
    for (size_t i = 0; i < plan->nwords; i++)
        accd_transfers_keep(task, plan->words[i].dev, &plan->words[i].value, plan->words[i].bytes, &used);
    accd_task_settle(task, spare);
    task->what = accd_keep_name(plan->context, accd_construct_name(plan->construct));
    task->file = accd_keep_name(plan->context, plan->construct->file);
    task->line = plan->construct->line;
    accd_status status = ACCD_OK;
    if (task->u.transfers.n)
        status = accd_transfers_leave(plan->queue, task);
    else
        accd_task_drop(plan->queue, task);
    if (status == ACCD_OK)
        dir->giving = plan->queue; /* from here on nothing fails */
    return status;
}

/* Of all devices. */
static accd_status order_everything(accd_context *context)
{
    for (int d = 0; d < context->ndirs; d++)
        ACCD_TRY(accd_order_all(&context->dirs[d]));
    return ACCD_OK;
}

static accd_status order(const struct accd_plan *plan)
{
    if (plan->bulk || plan->fusion) /* they use memory all over the place */
        return order_everything(plan->context);
    const size_t n = plan->nmoves + plan->nwords + plan->nrests;
    struct accd_task task = {0}; /* as if it were one */
    task.ranges = accd_scratch_take(&plan->context->scratch, 2 * n * sizeof task.ranges[0]);
    if (!task.ranges)
        return accd_plan_no_memory(plan->context);
    for (size_t i = 0; i < plan->nmoves; i++) {
        const struct accd_move *move = &plan->moves[i];
        task.ranges[task.nranges++] = (struct accd_pair){move->dev, move->dev + move->bytes};
        accd_task_add_host(&task, move->host, move->bytes, move->out);
    }
    for (size_t i = 0; i < plan->nwords; i++)
        task.ranges[task.nranges++] =
            (struct accd_pair){plan->words[i].dev, plan->words[i].dev + plan->words[i].bytes};
    for (size_t i = 0; i < plan->nrests; i++)
        task.ranges[task.nranges++] = (struct accd_pair){
            plan->rests[i].dev, plan->rests[i].dev + sizeof(uint64_t) + plan->rests[i].bytes};
    accd_task_settle(&task, task.ranges + n);
    return accd_order_task(plan->context, &task);
}

accd_status accd_plan_commit(struct accd_plan *plan)
{
    struct accd_directory *dir = plan->dir;
    struct accd_bulk *bulk = plan->bulk;
    ACCD_TRY(check_targets(plan));
    if (plan->queue)
        return leave_to_queue(plan);
    if (accd_is_concurrent(dir) && accd_anything_is_left(plan->context))
        ACCD_TRY(order(plan));
    struct accd_traffic traffic = {.in = plan->nwords + plan->nrests,
                                   .within = plan->fusion ? plan->fusion->ncopies : 0};
    for (size_t i = 0; i < plan->nmoves; i++)
        *(plan->moves[i].out ? &traffic.out : &traffic.in) += 1;
    if (bulk)
        accd_bulk_count(bulk, &traffic);
    if (!traffic.in && !traffic.out && !traffic.within)
        return ACCD_OK;
    accd_status status = dir->device.ops->begin(dir->device.handle, &traffic);
    if (status == ACCD_OK) {
        run_copies(plan);
        status = announce(plan, &traffic);
    }
    if (status == ACCD_OK) {
        run_moves(plan, &traffic);
        if (bulk)
            accd_bulk_run(bulk);
        status = dir->device.ops->end(dir->device.handle);
    }
    if (status != ACCD_OK)
        return accd_copy_failed(&dir->device, status);
    dir->device.stats.transfers[0] += traffic.in;
    dir->device.stats.transfers[1] += traffic.out;
    dir->device.stats.transfers[2] += traffic.within;
    return ACCD_OK;
}
