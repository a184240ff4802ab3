/* scaling PROFILE MODE BESIDE N - makes N of something, then does each operation some times, in a function of its own
 * whose instructions scaling.lua counts. "level": levels of N clauses. */
#include <accdeep_core.h>
#include <device/device.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 64, STEP = 96, ROUNDS = 20, MANY = 20000 };

struct leaf {
    int n;
    float *a, *b;
};

static accd_context *context;
static accd_program *program;
static unsigned queue;
static char *kept, *fresh;
static char **slots; /* pointers, present */
static struct leaf *leaves;
static float *arrays;

/* ----------------------------------------------------------------------------- concurrent queues -- */

/* A simulated device whose batches go on by themselves, and are not over before somebody waits for them. */
static accd_backend concurrent;

static accd_status at_once(void *device)
{
    (void)device;
    return ACCD_OK;
}

static accd_status depart(void *device, void **batch)
{
    *batch = device;
    return ACCD_OK;
}

static int arrived(void *device, const void *batch)
{
    (void)device, (void)batch;
    return 0;
}

static accd_status arrive(void *device, void *batch)
{
    (void)device, (void)batch;
    return ACCD_OK;
}

static void goes_on(void)
{
    concurrent = accd__backend_sim;
    concurrent.ready = at_once;
    concurrent.start_batch = depart;
    concurrent.is_batch_done = arrived;
    concurrent.finish_batch = arrive;
    concurrent.fetch_most = BYTES;
}

static void check_status(accd_status status)
{
    if (status == ACCD_OK)
        return;
    fprintf(stderr, "%s\n", accd_context_error(context)->message);
    exit(1);
}

static accd_item make_plain_item(accd_action action, const void *host)
{
    return (accd_item){.host = host, .bytes = BYTES, .action = (uint8_t)action};
}

static accd_item make_deep_item(accd_action action, size_t i)
{
    leaves[i] = (struct leaf){4, arrays + 8 * i, arrays + 8 * i + 4};
    return (accd_item){.host = &leaves[i], .bytes = sizeof leaves[i], .action = (uint8_t)action, .program = program};
}

static void run_scaled(accd_construct_kind kind, unsigned number, const accd_item *items, size_t n,
                       accd_region **region)
{
    check_status(accd_run_construct(
        context, &(accd_construct){.kind = kind, .items = items, .nitems = n, .queue = number}, region));
}

static void run_one_item(accd_construct_kind kind, unsigned number, accd_item item)
{
    run_scaled(kind, number, &item, 1, NULL);
}

/* ---------------------------------------------------------------------------------- operations -- */

#define OPERATION(name) __attribute__((noinline)) static void op_##name(size_t i __attribute__((unused)))

OPERATION(pair)
{
    run_one_item(ACCD_KIND_ENTER_DATA, 0, make_plain_item(ACCD_ACTION_COPYIN, fresh + i * STEP));
    run_one_item(ACCD_KIND_EXIT_DATA, 0, make_plain_item(ACCD_ACTION_DELETE, fresh + i * STEP));
}

OPERATION(look)
{
    const uint64_t dev = accd_device_address(context, 0, kept + i * STEP);
    if (!dev || accd_host_address(context, 0, dev) != (uint64_t)(uintptr_t)(kept + i * STEP))
        exit(1);
}

OPERATION(group)
{
    run_one_item(ACCD_KIND_ENTER_DATA, 0, make_deep_item(ACCD_ACTION_COPYIN, i));
    run_one_item(ACCD_KIND_EXIT_DATA, 0, make_deep_item(ACCD_ACTION_DELETE, i));
}

OPERATION(group_region)
{
    accd_region *region;
    const accd_item item = make_deep_item(ACCD_ACTION_COPYIN, i);
    run_scaled(ACCD_KIND_REGION, 0, &item, 1, &region);
    check_status(accd_region_end(region));
}

OPERATION(region)
{
    accd_region *region;
    const accd_item items[] = {make_plain_item(ACCD_ACTION_COPYIN, fresh + i * STEP),
                               make_plain_item(ACCD_ACTION_COPY, fresh + (i + 1) * STEP)};
    run_scaled(ACCD_KIND_REGION, 0, items, 2, &region);
    check_status(accd_region_end(region));
}

OPERATION(update)
{
    run_one_item(ACCD_KIND_UPDATE, 0, make_plain_item(ACCD_ACTION_UPDATE_DEVICE, kept + i * STEP));
}

OPERATION(async)
{
    run_one_item(ACCD_KIND_UPDATE, queue, make_plain_item(ACCD_ACTION_UPDATE_DEVICE, kept + i * STEP));
}

OPERATION(fetch)
{
    run_one_item(ACCD_KIND_UPDATE, queue, make_plain_item(ACCD_ACTION_UPDATE_SELF, kept + i * STEP));
}

OPERATION(test)
{
    int done;
    check_status(accd_queue_test(context, 0, queue, &done));
}

OPERATION(wait)
{
    check_status(accd_queue_wait(context, 0, queue));
}

OPERATION(number)
{
    unsigned found;
    check_status(accd_queue_get(context, 0, -1, &found));
    if (found != queue)
        exit(1);
}

OPERATION(async_pair)
{
    run_one_item(ACCD_KIND_ENTER_DATA, queue, make_plain_item(ACCD_ACTION_COPYIN, fresh + i * STEP));
    run_one_item(ACCD_KIND_EXIT_DATA, queue, make_plain_item(ACCD_ACTION_DELETE, fresh + i * STEP));
}

OPERATION(async_group)
{
    run_one_item(ACCD_KIND_ENTER_DATA, queue, make_deep_item(ACCD_ACTION_COPYIN, i));
    run_one_item(ACCD_KIND_EXIT_DATA, queue, make_deep_item(ACCD_ACTION_DELETE, i));
}

static int nothing(void *ud, accd_host_call how)
{
    (void)ud, (void)how;
    return 0;
}

OPERATION(launch)
{
    accd_region *region;
    const accd_item item = make_plain_item(ACCD_ACTION_PRESENT, kept + i * STEP);
    check_status(accd_run_construct(
        context, &(accd_construct){.kind = ACCD_KIND_COMPUTE, .items = &item, .nitems = 1, .queue = queue}, &region));
    check_status(accd_launch_function(region, NULL, 0, nothing, NULL));
    check_status(accd_region_end(region));
}

OPERATION(attach)
{
    slots[i] = kept + i * STEP;
    const accd_item item = {.slot = &slots[i], .action = ACCD_ACTION_ATTACH};
    run_one_item(ACCD_KIND_ENTER_DATA, 0, item);
}

OPERATION(detach)
{
    const accd_item item = {.slot = &slots[i], .action = ACCD_ACTION_DETACH};
    run_one_item(ACCD_KIND_EXIT_DATA, 0, item);
}

/* An array to which a pointer is attached comes, and goes with the attachment. */
OPERATION(target)
{
    slots[i] = fresh + i * STEP;
    accd_item item = make_plain_item(ACCD_ACTION_COPYIN, slots[i]);
    item.slot = &slots[i];
    run_one_item(ACCD_KIND_ENTER_DATA, 0, item);
    item.action = ACCD_ACTION_DELETE;
    run_one_item(ACCD_KIND_EXIT_DATA, 0, item);
}

OPERATION(stats)
{
    accd_stats stats;
    (void)i;
    accd_get_stats(context, 0, &stats);
}

/* ---------------------------------------------------------------------------- levels of n clauses -- */

#define LEVEL(name) __attribute__((noinline)) static void op_##name(size_t n, const accd_item *items)

static void open_and_end(size_t n, const accd_item *items, int line)
{
    accd_region *region;
    check_status(accd_run_construct(
        context, &(accd_construct){.kind = ACCD_KIND_REGION, .items = items, .nitems = n, .line = line}, &region));
    check_status(accd_region_end(region));
}

/* Lines, lest compilers make one function of them. */
LEVEL(each_plain)
{
    open_and_end(n, items, __LINE__);
}
LEVEL(each_present)
{
    open_and_end(n, items, __LINE__);
}
LEVEL(each_pointer)
{
    open_and_end(n, items, __LINE__);
}
LEVEL(each_member)
{
    open_and_end(n, items, __LINE__);
}
LEVEL(each_frame)
{
    open_and_end(n, items, __LINE__);
}
LEVEL(each_update)
{
    run_scaled(ACCD_KIND_UPDATE, 0, items, n, NULL);
}
LEVEL(each_async)
{
    run_scaled(ACCD_KIND_UPDATE, queue, items, n, NULL);
}

/* Objects that a level has named go before it ends. */
LEVEL(each_goes)
{
    for (size_t i = 0; i < n; i++) {
        accd_item item = items[i];
        item.action = ACCD_ACTION_DELETE;
        check_status(accd_run_construct(
            context, &(accd_construct){.kind = ACCD_KIND_EXIT_DATA, .items = &item, .nitems = 1, .finalize = 1}, NULL));
    }
}

static void levels(size_t n)
{
    char *rows = calloc(n + 1, STEP), **pointers = calloc(n + 1, sizeof *pointers);
    accd_item *items = calloc(n + 1, sizeof *items);
    accd_region *region;
    if (!rows || !pointers || !items)
        exit(1);
    run_one_item(ACCD_KIND_ENTER_DATA, 0,
                 (accd_item){.host = pointers, .bytes = n * sizeof *pointers, .action = ACCD_ACTION_COPYIN});
    for (size_t i = 0; i < n; i++)
        items[i] = make_plain_item(ACCD_ACTION_COPY, rows + i * STEP);
    op_each_plain(n, items);
    for (size_t i = 0; i < n; i++) {
        items[i].slot = &pointers[i];
        pointers[i] = rows + i * STEP;
    }
    op_each_pointer(n, items);
    for (size_t i = 0; i < n; i++) {
        items[i].slot = NULL;
        items[i].frame = rows;
        items[i].frame_bytes = n * STEP;
    }
    op_each_member(n, items);
    for (size_t i = 0; i < n; i++) {
        items[i].frame = rows + i * STEP;
        items[i].frame_bytes = STEP;
    }
    op_each_frame(n, items);
    for (size_t i = 0; i < n; i++)
        items[i] = make_plain_item(ACCD_ACTION_COPYIN, rows + i * STEP);
    run_scaled(ACCD_KIND_ENTER_DATA, 0, items, n, NULL);
    op_each_present(n, items);
    for (size_t i = 0; i < n; i++)
        items[i].action = ACCD_ACTION_UPDATE_DEVICE;
    op_each_update(n, items);
    op_each_async(n, items);
    check_status(accd_queue_wait(context, 0, queue));
    for (size_t i = 0; i < n; i++)
        items[i].action = ACCD_ACTION_PRESENT;
    run_scaled(ACCD_KIND_REGION, 0, items, n, &region);
    op_each_goes(n, items);
    check_status(accd_region_end(region));
}

static const struct {
    const char *name;
    void (*fn)(size_t i);
    int finishes; /* its queue is waited for, not counted, behind each one */
} operations[] = {
    {"pair", op_pair, 0},
    {"look", op_look, 0},
    {"group", op_group, 0},
    {"group_region", op_group_region, 0},
    {"region", op_region, 0},
    {"update", op_update, 0},
    {"attach", op_attach, 0},
    {"detach", op_detach, 0},
    {"target", op_target, 0},
    {"number", op_number, 0},
    {"async", op_async, 0},
    {"fetch", op_fetch, 0},
    {"test", op_test, 0},
    {"wait", op_wait, 0},
    {"launch", op_launch, 1},
    {"async_pair", op_async_pair, 1},
    {"async_group", op_async_group, 1},
    {"stats", op_stats, 0},
};

/* -------------------------------------------------------------------------------------- beside -- */

static unsigned get_queue_number(size_t i)
{
    unsigned number;
    check_status(accd_queue_get(context, 0, (int64_t)i, &number));
    return number;
}

static void *room(size_t n, size_t size)
{
    void *at = calloc(n, size);
    if (!at)
        exit(1);
    return at;
}

static accd_region *beside(const char *what, size_t n)
{
    accd_region *region = NULL;
    char *rows = room(n, STEP), **pointers = room(n, sizeof *pointers);
    accd_item *items = room(n, sizeof *items);
    unsigned before = 0;
    const accd_item whole = {.host = rows, .bytes = n * STEP, .action = ACCD_ACTION_COPYIN};
    const accd_item all = {.host = pointers, .bytes = n * sizeof *pointers, .action = ACCD_ACTION_COPYIN};
    if (strcmp(what, "clauses") != 0 && strcmp(what, "levels") != 0 && strcmp(what, "targets") != 0)
        run_one_item(ACCD_KIND_ENTER_DATA, 0, whole);
    run_one_item(ACCD_KIND_ENTER_DATA, 0, all);
    for (size_t i = 0; i < n; i++) {
        char *row = rows + i * STEP;
        pointers[i] = row;
        items[i] = make_plain_item(ACCD_ACTION_COPYIN, row);
        if (!strcmp(what, "groups")) {
            run_one_item(ACCD_KIND_ENTER_DATA, 0, make_deep_item(ACCD_ACTION_COPYIN, ROUNDS + i));
        } else if (!strcmp(what, "tasks")) { /* of one queue */
            run_one_item(ACCD_KIND_UPDATE, get_queue_number(1), make_plain_item(ACCD_ACTION_UPDATE_DEVICE, row));
        } else if (!strcmp(what, "own")) { /* of the queue that the operations use: behind the rounds' waits */
            run_one_item(ACCD_KIND_UPDATE, queue, make_plain_item(ACCD_ACTION_UPDATE_DEVICE, row));
        } else if (!strcmp(what, "same")) { /* tasks of one queue that use the same memory */
            run_one_item(ACCD_KIND_UPDATE, get_queue_number(1), make_plain_item(ACCD_ACTION_UPDATE_DEVICE, rows));
        } else if (!strcmp(what, "queues")) { /* each with something to do */
            run_one_item(ACCD_KIND_UPDATE, get_queue_number(i), make_plain_item(ACCD_ACTION_UPDATE_DEVICE, row));
        } else if (!strcmp(what, "idle")) { /* queues with nothing to do */
            (void)get_queue_number(i);
        } else if (!strcmp(what, "chain")) { /* queues of which each comes behind the one before */
            unsigned number = get_queue_number(i);
            run_one_item(ACCD_KIND_UPDATE, number, make_plain_item(ACCD_ACTION_UPDATE_DEVICE, row));
            if (before)
                check_status(accd_queue_wait_for(context, 0, number, 0, before));
            before = number;
        } else if (!strcmp(what, "targets")) {
            accd_item item = make_plain_item(ACCD_ACTION_COPYIN, row);
            item.slot = &pointers[i];
            run_one_item(ACCD_KIND_ENTER_DATA, 0, item);
        } else if (!strcmp(what, "target")) { /* all pointers to one array */
            pointers[i] = rows;
            run_one_item(ACCD_KIND_ENTER_DATA, 0, (accd_item){.slot = &pointers[i], .action = ACCD_ACTION_ATTACH});
        } else if (!strcmp(what, "levels")) {
            run_scaled(ACCD_KIND_REGION, 0, &items[i], 1, &region);
        }
    }
    if (!strcmp(what, "clauses"))
        run_scaled(ACCD_KIND_REGION, 0, items, n, &region);
    return region;
}

int main(int argc, char **argv)
{
    const size_t n = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
    accd_context_config config;
    accd_context_config_init(&config);
    config.threads = 1;
    config.group_least = 1;
    if (argc != 5 || n > MANY)
        return 2;
    config.rules = accd_find_rules(argv[1]);
    config.queues = !strcmp(argv[2], "delayed") ? ACCD_QUEUES_DELAYED : ACCD_QUEUES_IN_ORDER;
    if (!strcmp(argv[2], "concurrent")) {
        goes_on();
        config.backend = &concurrent;
        config.queues = ACCD_QUEUES_CONCURRENT;
    }
    if (accd_context_new(&context, &config) != ACCD_OK)
        return 1;
    kept = room(ROUNDS + 1, STEP);
    fresh = room(ROUNDS + 1, STEP);
    slots = room(ROUNDS, sizeof *slots);
    leaves = room(ROUNDS + n, sizeof *leaves);
    arrays = room(8 * (ROUNDS + n), sizeof *arrays);
    const accd_field fields[] = {{.offset = offsetof(struct leaf, a), .unit = 4, .start = -1, .code_end = 1},
                                 {.offset = offsetof(struct leaf, b), .unit = 4, .start = -1, .code_end = 1}};
    check_status(
        accd_program_new(context,
                         &(accd_program_spec){.stride = sizeof(struct leaf),
                                              .pieces = &(accd_piece){.bytes = sizeof(struct leaf)},
                                              .npieces = 1,
                                              .fields = fields,
                                              .nfields = 2,
                                              .code = &(accd_instruction){.op = ACCD_I_LOAD, .b = ACCD_SCALAR_I32},
                                              .ncode = 1,
                                              .registers = 1},
                         &program));
    check_status(accd_queue_get(context, 0, -1, &queue));
    for (size_t i = 0; i <= ROUNDS; i++)
        run_one_item(ACCD_KIND_ENTER_DATA, 0, make_plain_item(ACCD_ACTION_COPYIN, kept + i * STEP));
    run_one_item(ACCD_KIND_ENTER_DATA, 0,
                 (accd_item){.host = slots, .bytes = ROUNDS * sizeof *slots, .action = ACCD_ACTION_COPYIN});
    /* What is made when it is asked for the first time. */
    if (!accd_host_address(context, 0, accd_device_address(context, 0, kept)))
        return 1;
    op_attach(0);
    op_detach(0);
    op_target(0);
    if (!strcmp(argv[3], "level")) {
        levels(n);
        return 0;
    }
    (void)beside(argv[3], n);
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++)
        for (size_t i = 0; i < ROUNDS; i++) {
            operations[k].fn(i);
            if (operations[k].finishes)
                check_status(accd_queue_wait(context, 0, queue));
        }
    return 0;
}
