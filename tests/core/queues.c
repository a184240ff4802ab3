/* activity queues, delayed: what is asked for is done at the wait, in order, as a whole or not at all; device
 * memory lives as long as a queue needs it; missing memory at any step changes nothing. */
#include "accdeep_internal.h"
#include "support.h"

enum { N = 4 };
static struct leaf Y[N];
static float arrays[N][2][4];
static float flat[16], other[16];
static struct story story;

static void build_queue_data(void)
{
    memset(Y, 0, sizeof Y);
    for (int i = 0; i < N; i++) {
        Y[i].n = 1 + i % 4;
        Y[i].a = arrays[i][0];
        Y[i].b = arrays[i][1];
        for (int k = 0; k < 8; k++)
            arrays[i][k / 4][k % 4] = (float)(10 * i + k);
    }
    for (int i = 0; i < 16; i++) {
        flat[i] = (float)i;
        other[i] = 0;
    }
}

static accd_context *open_delayed(struct meter *meter, int delayed, accd_update_method way)
{
    static accd_rules rules;
    accd_context_config config;
    accd_context *context = NULL;
    init_config(&config);
    rules = *accd_find_rules("tr14");
    rules.update = way;
    config.rules = &rules;
    config.alloc = meter_alloc;
    config.alloc_ud = meter;
    config.threads = 1;
    config.devices = 2;
    config.group_least = 1;
    config.device_bytes = (uint64_t)64 << 20;
    config.queues = delayed ? ACCD_QUEUES_DELAYED : ACCD_QUEUES_IN_ORDER;
    config.on_event = tell_story;
    config.event_ud = &story;
    story_clear(&story);
    build_queue_data();
    return accd_context_new(&context, &config) == ACCD_OK ? context : NULL;
}

static unsigned get_queue_number(accd_context *context, int64_t async)
{
    unsigned queue = 0;
    return accd_queue_get(context, 0, async, &queue) == ACCD_OK ? queue : 0;
}

#define QUEUED(context, what, number, region_p, ...)                                                              \
    accd_run_construct((context),                                                                                 \
                       &(accd_construct){.kind = (what),                                                          \
                                         .file = "queues.c",                                                      \
                                         .line = __LINE__,                                                        \
                                         .queue = (number),                                                       \
                                         .items = (const accd_item[]){__VA_ARGS__},                               \
                                         .nitems = sizeof((const accd_item[]){__VA_ARGS__}) / sizeof(accd_item)}, \
                       (region_p))

static float read_device_float(accd_context *context, const float *host)
{
    float value = -1;
    (void)device_get(context, host, &value, sizeof value);
    return value;
}

static size_t pending(accd_context *context, unsigned queue)
{
    accd_queue_info info = {0};
    return accd_queue_get_info(context, 0, queue, &info) ? info.pending : 999;
}

/* A function in a queue. */
struct task {
    accd_context *context;
    const float *host;
    uint64_t dev;
    int runs, drops, fails;
    accd_status asked;
};

static int add_one_on_host(void *ud, accd_host_call call)
{
    struct task *task = ud;
    float value = 0;
    if (call == ACCD_CALL_DISCARD) {
        task->drops++;
        return 0;
    }
    task->runs++;
    task->asked = UPDATE(task->context, PLAIN(ACCD_ACTION_UPDATE_DEVICE, other));
    if (task->fails || accd_device_read(task->context, 0, task->dev, &value, sizeof value) != ACCD_OK)
        return 1;
    value += 1;
    return accd_device_write(task->context, 0, task->dev, &value, sizeof value) != ACCD_OK;
}

/* ------------------------------------------------------------------------------------ order -- */

static void test_queue_order(void)
{
    struct meter meter = {0};
    accd_context *context = open_delayed(&meter, 1, ACCD_UPDATE_METHOD_SPLIT);
    unsigned one = get_queue_number(context, 1), two = get_queue_number(context, 2);
    is_number(get_queue_number(context, 1), one, "a queue has one number");
    is_status(QUEUED(context, ACCD_KIND_ENTER_DATA, one, NULL, PLAIN(ACCD_ACTION_COPYIN, flat)), ACCD_OK, "enter data");
    ok(present_count(context, flat, 0, 1), "the counter changes at once");
    is_number(pending(context, one), 1, "the transfer does not");
    is_text(story.text, "alloc |incref |", "nor is it told");
    is_sound(context);
    flat[0] = 50;
    is_status(accd_queue_wait(context, 0, two), ACCD_OK, "another queue");
    is_number(pending(context, one), 1, "changes nothing");
    is_status(accd_queue_wait_for(context, 0, two, 0, one), ACCD_OK, "two behind one");
    is_status(QUEUED(context, ACCD_KIND_UPDATE, two, NULL, PLAIN(ACCD_ACTION_UPDATE_SELF, flat)), ACCD_OK, "update");
    is_status(accd_queue_wait(context, 0, two), ACCD_OK, "now it does");
    is_number(pending(context, one), 0, "what it waits for is done");
    ok(read_device_float(context, flat) == 50.0f, "with what the host held at the wait");
    is_text(story.text, "alloc |incref |h2d |d2h |", "and told");
    int done = -1;
    flat[1] = 7;
    is_status(QUEUED(context, ACCD_KIND_UPDATE, one, NULL, PLAIN(ACCD_ACTION_UPDATE_DEVICE, flat)), ACCD_OK, "update");
    is_status(accd_queue_test(context, 0, 0, &done), ACCD_OK, "test of all");
    is_number(done, 0, "not yet");
    is_status(accd_queue_test(context, 0, one, &done), ACCD_OK, "test again");
    is_number(done, 1, "now");
    ok(read_device_float(context, flat + 1) == 7.0f, "because it is done");
    uint64_t dev = accd_device_address(context, 0, flat);
    is_status(accd_copy_async(context, 0, one, ACCD_DIRECTION_WITHIN_DEVICE, dev + 16, dev, 8, NULL, 0), ACCD_OK,
              "a copy within the device");
    is_status(accd_copy_async(context, 0, one, ACCD_DIRECTION_FROM_DEVICE, (uintptr_t)other, dev + 16, 8, NULL, 0),
              ACCD_OK, "and back");
    ok(other[0] == 0.0f, "not yet");
    is_status(accd_queue_wait(context, 0, 0), ACCD_OK, "wait for all");
    ok(other[0] == 50.0f && other[1] == 7.0f, "in order");
    is_status(accd_queue_wait(context, 0, 9), ACCD_ERROR_MISUSE, "there is no such queue");
    is_status(QUEUED(context, ACCD_KIND_UPDATE, 9, NULL, PLAIN(ACCD_ACTION_UPDATE_SELF, flat)), ACCD_ERROR_MISUSE,
              "for a construct neither");
    accd_context_free(context);
    is_number(meter.live, 0, "nothing leaks");
}

/* ---------------------------------------------------------------------------- kernels, memory -- */

static void test_queue_kernels(void)
{
    struct meter meter = {0};
    accd_context *context = open_delayed(&meter, 1, ACCD_UPDATE_METHOD_SPLIT);
    unsigned one = get_queue_number(context, 1);
    accd_region *region;
    accd_stats stats;
    is_status(QUEUED(context, ACCD_KIND_COMPUTE, one, &region, PLAIN(ACCD_ACTION_COPY, flat)), ACCD_OK,
              "a compute region");
    struct task task = {.context = context, .dev = accd_device_address(context, 0, flat)};
    is_status(accd_launch_function(region, NULL, 0, add_one_on_host, &task), ACCD_OK, "its kernel");
    is_status(accd_region_end(region), ACCD_OK, "its end");
    ok(present_count(context, flat, 0, 0), "its data are not present any more");
    accd_get_stats(context, 0, &stats);
    is_number(stats.live_bytes, sizeof flat, "but still there");
    is_number(pending(context, one), 3, "entry, kernel, exit");
    is_text(story.text, "alloc |incref |decref |", "none of them is reported");
    is_sound(context);
    is_status(accd_queue_wait(context, 0, one), ACCD_OK, "wait");
    ok(flat[0] == 1.0f, "the kernel ran between them");
    accd_report_wait(context, 0, 0, 0, one, "queues.c", 1);
    accd_report_wait(context, 0, one, 0, get_queue_number(context, 2), "queues.c", 2);
    accd_report_wait(context, 0, 0, 0, 0, NULL, 0);
    accd_report_wait(context, 0, 9, 0, 0, NULL, 0);
    is_text(story.text, "alloc |incref |decref |h2d |kernel |d2h |free |wait queue 1|wait queue 2|wait all queues|",
            "all are reported now, and waits when the program says so; not of a queue that there is not");
    is_number(task.runs, 1, "once");
    is_status(task.asked, ACCD_ERROR_MISUSE, "it could ask for nothing");
    accd_get_stats(context, 0, &stats);
    is_number(stats.live_bytes, 0, "then the memory goes");

    is_status(QUEUED(context, ACCD_KIND_COMPUTE, one, &region, PLAIN(ACCD_ACTION_COPY, flat)), ACCD_OK, "again");
    task.dev = accd_device_address(context, 0, flat);
    task.fails = 1;
    is_status(accd_launch_function(region, NULL, 0, add_one_on_host, &task), ACCD_OK, "a kernel that fails");
    is_status(accd_region_end(region), ACCD_OK, "end");
    is_status(accd_queue_wait(context, 0, one), ACCD_ERROR_CALLBACK, "is told at the wait");
    is_status(accd_queue_wait(context, 0, one), ACCD_OK, "and then over");
    accd_get_stats(context, 0, &stats);
    is_number(stats.live_bytes, 0, "the rest is done");

    is_status(QUEUED(context, ACCD_KIND_COMPUTE, one, &region, PLAIN(ACCD_ACTION_COPY, flat)), ACCD_OK, "again");
    uint64_t before = accd__state_digest(context);
    is_status(accd_launch_function(region, NULL, 0, add_one_on_host, &task), ACCD_OK, "a kernel");
    ok(accd__state_digest(context) == before, "the state is the same");
    accd_region_abandon(region);
    is_number(task.drops, 1, "an abandoned construct lets go of it");
    is_number(pending(context, one), 0, "nothing is left to do");
    accd_get_stats(context, 0, &stats);
    is_number(stats.live_bytes, 0, "the memory is back at once");
    is_status(accd_queue_call(context, 0, one, add_one_on_host, &task), ACCD_OK, "a function of the host");
    accd_context_free(context);
    is_number(task.drops, 2, "goes with the context");
    is_number(meter.live, 0, "nothing leaks");
}

static void leaving(void)
{
    struct meter meter = {0};
    accd_context *context = open_delayed(&meter, 1, ACCD_UPDATE_METHOD_SPLIT);
    unsigned one = get_queue_number(context, 1), two = get_queue_number(context, 2);
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, flat), PLAIN(ACCD_ACTION_COPYIN, other)), ACCD_OK, "enter");
    is_status(QUEUED(context, ACCD_KIND_UPDATE, one, NULL, PLAIN(ACCD_ACTION_UPDATE_DEVICE, flat)), ACCD_OK, "update");
    fails(context, ACCD_ERROR_MISSING_WAIT, EXIT(context, PLAIN(ACCD_ACTION_DELETE, flat)), "without a queue");
    ok(strstr(accd_context_error(context)->message, "queue 1 has not done the update of queues.c:"),
       "it says what is missing");
    fails(context, ACCD_ERROR_MISSING_WAIT,
          QUEUED(context, ACCD_KIND_EXIT_DATA, two, NULL, PLAIN(ACCD_ACTION_DELETE, flat)), "by another queue");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, other)), ACCD_OK, "what shares its block goes");
    is_sound(context);
    is_status(accd_queue_wait_for(context, 0, two, 0, one), ACCD_OK, "two behind one");
    is_status(QUEUED(context, ACCD_KIND_EXIT_DATA, two, NULL, PLAIN(ACCD_ACTION_COPYOUT, flat)), ACCD_OK,
              "then it may go by two");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, other)), ACCD_OK, "others get other memory");
    is_sound(context);
    flat[3] = 99;
    is_status(accd_queue_wait(context, 0, two), ACCD_OK, "wait");
    ok(flat[3] == 99.0f, "out and back");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, other)), ACCD_OK, "exit");
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    is_number(stats.live_allocations, 0, "all memory is back");
    accd_context_free(context);
    is_number(meter.live, 0, "nothing leaks");
}

/* A deep structure, asked for in queues or not: the same in the end. */
static accd_status run_deep_construct(accd_context *context, unsigned queue, accd_program *leaf,
                                      const accd_label *label)
{
    accd_item item = walked(ACCD_ACTION_COPYIN, Y, sizeof Y, leaf, label);
    accd_status status = QUEUED(context, ACCD_KIND_ENTER_DATA, queue, NULL, item);
    for (int i = 0; i < N; i++)
        arrays[i][0][0] += 100;
    item.action = ACCD_ACTION_UPDATE_DEVICE;
    if (status == ACCD_OK)
        status = QUEUED(context, ACCD_KIND_UPDATE, queue, NULL, item);
    if (status == ACCD_OK)
        status = accd_queue_wait(context, 0, 0);
    return status;
}

static void deep_structures(accd_update_method way)
{
    struct story states[2] = {{0}};
    for (int delayed = 0; delayed < 2; delayed++) {
        struct meter meter = {0};
        accd_context *context = open_delayed(&meter, delayed, way);
        accd_program *leaf = leaf_program(context);
        const accd_label *label = array(context, "Y", sizeof Y[0], leaf);
        is_status(run_deep_construct(context, get_queue_number(context, 0), leaf, label), ACCD_OK, "in and updated");
        is_sound(context);
        write_state(context, &states[delayed]);
        is_status(QUEUED(context, ACCD_KIND_EXIT_DATA, 1, NULL, walked(ACCD_ACTION_COPYOUT, Y, sizeof Y, leaf, label)),
                  ACCD_OK, "out");
        is_sound(context);
        is_status(accd_queue_wait(context, 0, 0), ACCD_OK, "wait");
        ok(Y[1].a == arrays[1][0] && arrays[1][0][0] == 110.0f, "the host has its own pointers");
        accd_program_release(leaf);
        accd_context_free(context);
        is_number(meter.live, 0, "nothing leaks");
    }
    is_text(states[1].text, states[0].text, "delayed or not, way %d", (int)way);
    story_free(&states[0]);
    story_free(&states[1]);
}

/* --------------------------------------------------------------------------------- failures -- */

static void failures(void)
{
    struct meter meter = {0};
    accd_context *context = open_delayed(&meter, 1, ACCD_UPDATE_METHOD_SPLIT);
    unsigned one = get_queue_number(context, 1);
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, flat), PLAIN(ACCD_ACTION_COPYIN, other)), ACCD_OK, "enter");
    accd__inject_copy_failure(context, 0, 2);
    flat[0] = other[0] = 60;
    is_status(QUEUED(context, ACCD_KIND_UPDATE, one, NULL, PLAIN(ACCD_ACTION_UPDATE_DEVICE, flat),
                     PLAIN(ACCD_ACTION_UPDATE_DEVICE, other)),
              ACCD_OK, "two transfers");
    is_status(accd_queue_wait(context, 0, one), ACCD_ERROR_DEVICE, "one of them fails");
    ok(strstr(accd_context_error(context)->message, "the update of queues.c:"), "it says which");
    ok(read_device_float(context, flat) == 0.0f && read_device_float(context, other) == 0.0f, "neither is done");
    is_status(accd_queue_wait(context, 0, one), ACCD_OK, "it is over");
    accd__inject_allocation_failure(context, 0, 1);
    fails(context, ACCD_ERROR_OUT_OF_DEVICE_MEMORY,
          QUEUED(context, ACCD_KIND_ENTER_DATA, one, NULL, PLAIN(ACCD_ACTION_COPYIN, Y)), "is told at once");
    is_number(pending(context, one), 0, "and nothing is left to do");
    accd_context_free(context);
}

static int runs(void *ud, accd_host_call call)
{
    (void)ud, (void)call;
    return 0;
}

/* Steps of a sweep: all that a queue can be asked for. */
enum { STEPS = 9 };
static accd_status submit_step(accd_context *context, int step, unsigned one, unsigned two, accd_item y,
                               accd_region **region, struct task *task)
{
    switch (step) {
    case 0:
        y.action = ACCD_ACTION_COPYIN;
        return QUEUED(context, ACCD_KIND_ENTER_DATA, one, NULL, y);
    case 1:
        y.action = ACCD_ACTION_UPDATE_SELF;
        return QUEUED(context, ACCD_KIND_UPDATE, one, NULL, y);
    case 2:
        return QUEUED(context, ACCD_KIND_COMPUTE, one, region, PLAIN(ACCD_ACTION_COPY, flat));
    case 3:
        task->dev = accd_device_address(context, 0, flat);
        return accd_launch_function(*region, NULL, 0, add_one_on_host, task);
    case 4:
        return accd_queue_wait_for(context, 0, two, 0, one);
    case 5:
        return accd_region_end(*region);
    case 6:
        return accd_queue_call(context, 0, two, runs, NULL);
    case 7:
        return accd_copy_async(context, 0, two, ACCD_DIRECTION_FROM_DEVICE, (uintptr_t)other,
                               accd_device_address(context, 0, Y), sizeof Y[0], "queues.c", 1);
    default:
        y.action = ACCD_ACTION_COPYOUT;
        return QUEUED(context, ACCD_KIND_EXIT_DATA, two, NULL, y);
    }
}

/* The n-th request for host memory fails, or all from there on, for every n: nothing changed, or all is done in
 * the end. */
static void sweep(bool fails_on)
{
    for (size_t n = 1; n < 400; n++) {
        struct meter meter = {.fails_on = fails_on};
        accd_context *context = open_delayed(&meter, 1, ACCD_UPDATE_METHOD_SPLIT);
        accd_program *leaf = leaf_program(context);
        const accd_label *label = array(context, "Y", sizeof Y[0], leaf);
        unsigned one = get_queue_number(context, 1);
        unsigned two = get_queue_number(context, 2);
        struct task task = {.context = context};
        accd_region *region = NULL;
        accd_status status = ACCD_OK;
        for (int step = 0; step < STEPS && status == ACCD_OK; step++) {
            uint64_t before = accd__state_digest(context);
            meter.fail_at = step ? meter.fail_at : n;
            status = submit_step(context, step, one, two, walked(0, Y, sizeof Y, leaf, label), &region, &task);
            size_t left = meter.fail_at;
            meter.fail_at = 0;
            if (status != ACCD_OK)
                must(accd__state_digest(context) == before, "request %zu, step %d: nothing changed", n, step);
            const char *wrong = accd__check_invariants(context);
            must(!wrong, "request %zu, step %d: %s", n, step, wrong ? wrong : "");
            meter.fail_at = left;
        }
        bool reached = meter.failed;
        must(status == ACCD_OK || status == ACCD_ERROR_OUT_OF_MEMORY, "request %zu: %s", n, accd_status_code(status));
        accd_status waited = accd_queue_wait(context, 0, 0);
        must(waited == ACCD_OK || waited == ACCD_ERROR_OUT_OF_MEMORY || (waited == ACCD_ERROR_CALLBACK && meter.failed),
             "request %zu: the wait", n); /* the kernel looks for its data, too */
        meter.fail_at = 0;
        must(accd_queue_wait(context, 0, 0) == ACCD_OK, "request %zu: it ends", n);
        /* a copy for which a device has no host memory at the wait is given up, as one that the device fails */
        const char *wrong = waited == ACCD_ERROR_OUT_OF_MEMORY ? NULL : accd__check_invariants(context);
        must(!wrong, "request %zu: %s", n, wrong ? wrong : "");
        accd_program_release(leaf);
        accd_context_free(context);
        must(!meter.live && !meter.wrong, "request %zu: nothing leaks", n);
        if (!reached) {
            ok(1, "%zu requests for memory failed%s", n - 1, fails_on ? ", with all behind them" : " one by one");
            return;
        }
    }
    ok(0, "the sweep ends");
}

/* Data that are neighbours in both places may still lie in two allocations: they are two copies. */
static void neighbours(int delayed)
{
    enum { PART = 16 };
    static char row[3 * PART];
    struct meter meter = {0};
    accd_context_config config;
    accd_context *context = NULL;
    accd_stats stats;
    init_config(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = &meter;
    config.rules = accd_find_rules("directory");
    config.queues = delayed ? ACCD_QUEUES_DELAYED : ACCD_QUEUES_IN_ORDER;
    accd_context_new(&context, &config);
    for (int i = 0; i < 3 * PART; i++)
        row[i] = (char)i;
    const accd_item last = {.host = row + 2 * PART, .bytes = PART, .base = row, .action = ACCD_ACTION_COPYIN};
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, row, PART)), ACCD_OK, "the first part");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, row + PART, PART)), ACCD_OK, "the second one");
    const uint64_t first = accd_device_address(context, 0, row);
    const bool side_by_side = accd_device_address(context, 0, row + PART) == first + PART;
    ok(side_by_side || getenv("ACCDEEP_TEST_BACKEND"), "side by side on the device");
    ok(!accd_device_is_allocated(context, 0, first, 2 * PART), "in two allocations");
    unsigned one = get_queue_number(context, 1);
    is_status(QUEUED(context, ACCD_KIND_ENTER_DATA, one, NULL, last), ACCD_OK, "the last one, of the first one's base");
    is_sound(context);
    is_status(accd_queue_wait(context, 0, one), ACCD_OK, "wait");
    accd_get_stats(context, 0, &stats);
    is_number(stats.transfers[2], 2, "two copies");
    char found[3 * PART];
    must(device_get(context, row, found, sizeof found) && !memcmp(found, row, sizeof row), "all of it is there");
    is_sound(context);
    accd_context_free(context);
    is_number(meter.live, 0, "nothing leaks");
}

/* Roots and sections of a structure lie in allocations of their own, wherever these are. */
static void touching(void)
{
    static char hole[96], kept[96];
    int failed = tap_failed, met = 0;
    for (size_t bytes = 16; bytes <= sizeof hole; bytes += 16)
        for (size_t between = 0; between <= sizeof kept; between += 16)
            for (size_t n = 1; n <= N; n++) {
                struct meter meter = {0};
                accd_context *context = open_delayed(&meter, true, ACCD_UPDATE_METHOD_SPLIT);
                accd_program *leaf = leaf_program(context);
                Y[0].n = 1;
                for (size_t i = 1; i < N; i++)
                    Y[i].n = 0;
                must(ENTER(context, BYTES(ACCD_ACTION_COPYIN, hole, bytes)) == ACCD_OK, "a place");
                must(!between || ENTER(context, BYTES(ACCD_ACTION_COPYIN, kept, between)) == ACCD_OK, "one behind it");
                must(EXIT(context, BYTES(ACCD_ACTION_DELETE, hole, bytes)) == ACCD_OK, "free again");
                must(QUEUED(context, ACCD_KIND_ENTER_DATA, get_queue_number(context, 1), NULL,
                            walked(ACCD_ACTION_COPYIN, Y, n * sizeof Y[0], leaf, NULL)) == ACCD_OK,
                     "a structure");
                const uint64_t root = accd_device_address(context, 0, Y);
                must(!accd__check_invariants(context), "%zu, %zu, %zu: %s", bytes, between, n,
                     accd__check_invariants(context));
                met += root == accd_device_address(context, 0, Y[0].b) + 16;
                must(accd_queue_wait(context, 0, 0) == ACCD_OK, "wait");
                accd_program_release(leaf);
                accd_context_free(context);
                must(!meter.live, "nothing leaks");
            }
    ok(failed == tap_failed, "places and sizes");
    ok(met || getenv("ACCDEEP_TEST_BACKEND"), "in some of them the root begins where its sections end: %d", met);
}

/* Data that a queue still writes are not moved by a construct that does not wait for it. */
static void test_moved_data(void)
{
    static char row[64];
    struct meter meter = {0};
    accd_context_config config;
    accd_context *context = NULL;
    accd_region *region = NULL;
    init_config(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = &meter;
    config.rules = accd_find_rules("directory");
    config.queues = ACCD_QUEUES_DELAYED;
    accd_context_new(&context, &config);
    unsigned one = get_queue_number(context, 1), two = get_queue_number(context, 2);
    const accd_item more = {.host = row + 32, .bytes = 16, .base = row, .action = ACCD_ACTION_COPYIN};
    memset(row, 7, sizeof row);
    is_status(QUEUED(context, ACCD_KIND_ENTER_DATA, one, NULL, BYTES(ACCD_ACTION_COPYIN, row, 16)), ACCD_OK,
              "in one queue");
    fails(context, ACCD_ERROR_MISSING_WAIT, QUEUED(context, ACCD_KIND_REGION, two, &region, more),
          "more, in another one");
    fails(context, ACCD_ERROR_MISSING_WAIT, CONSTRUCT(context, ACCD_KIND_REGION, &region, more), "or in none");
    is_status(accd_queue_wait_for(context, 0, two, 0, one), ACCD_OK, "that waits");
    is_status(QUEUED(context, ACCD_KIND_REGION, two, &region, more), ACCD_OK, "in another one");
    is_sound(context);
    is_status(QUEUED(context, ACCD_KIND_UPDATE, one, NULL, BYTES(ACCD_ACTION_UPDATE_DEVICE, row, 16)), ACCD_OK,
              "an update");
    fails(context, ACCD_ERROR_MISSING_WAIT, accd_region_end(region), "they do not move back, either");
    is_status(accd_queue_wait(context, 0, 0), ACCD_OK, "wait");
    char found[16] = {0};
    must(device_get(context, row, found, sizeof found) && found[15] == 7, "the bytes have arrived");
    is_status(accd_region_end(region), ACCD_OK, "end");
    is_sound(context);
    is_status(accd_queue_wait(context, 0, 0), ACCD_OK, "wait");
    accd_context_free(context);
    is_number(meter.live, 0, "nothing leaks");
}

/* Returns 1 for the bytes of `flat`: the function of accd__queue_set_captures. */
static int captures_flat(uint64_t host, uint64_t bytes)
{
    return bytes && host - (uintptr_t)flat < sizeof flat;
}

/* A queue does a part of its tasks, and those that write given host memory; captured bytes are read at the construct.
 */
static void test_parts_of_queue(void)
{
    struct meter meter = {0};
    accd_context *context = open_delayed(&meter, 1, ACCD_UPDATE_METHOD_SPLIT);
    const unsigned one = get_queue_number(context, 1), two = get_queue_number(context, 2);
    uint64_t first = 0, last = 0;
    must(!accd__queue_get_tasks(context, 0, one, &first, &last) && first == last + 1, "no tasks at first");
    is_status(CONSTRUCT(context, ACCD_KIND_ENTER_DATA, NULL, PLAIN(ACCD_ACTION_COPYIN, flat),
                        PLAIN(ACCD_ACTION_COPYIN, other)),
              ACCD_OK, "enter data");
    accd__queue_set_captures(context, captures_flat);
    flat[0] = 100;
    other[0] = 100;
    is_status(QUEUED(context, ACCD_KIND_UPDATE, one, NULL, PLAIN(ACCD_ACTION_UPDATE_DEVICE, flat)), ACCD_OK, "flat");
    must(accd__queue_get_tasks(context, 0, one, &first, &last) && first <= last, "a task");
    const uint64_t last_of_flat = last;
    is_status(QUEUED(context, ACCD_KIND_UPDATE, one, NULL, PLAIN(ACCD_ACTION_UPDATE_DEVICE, other)), ACCD_OK, "other");
    flat[0] = other[0] = 200;
    is_status(accd__queue_run_tasks(context, 0, one, last_of_flat), ACCD_OK, "the first task");
    must(read_device_float(context, flat) == 100, "captured bytes");
    must(read_device_float(context, other) == 0, "the second task is not done");
    must(accd__queue_get_tasks(context, 0, one, &first, &last) && first == last_of_flat + 1, "its number");
    is_sound(context);
    is_status(accd_queue_wait(context, 0, one), ACCD_OK, "wait");
    must(read_device_float(context, other) == 200, "bytes that were not captured");
    is_status(QUEUED(context, ACCD_KIND_UPDATE, two, NULL, PLAIN(ACCD_ACTION_UPDATE_SELF, flat)), ACCD_OK, "self");
    is_status(QUEUED(context, ACCD_KIND_UPDATE, one, NULL, PLAIN(ACCD_ACTION_UPDATE_SELF, other)), ACCD_OK, "self");
    other[0] = 1;
    is_status(accd__queue_finish_copies(context, 0, &flat[3], sizeof flat[3]), ACCD_OK, "copies to one element");
    must(flat[0] == 100 && pending(context, two) == 0, "are done");
    must(other[0] == 1 && pending(context, one) == 1, "others are not");
    is_sound(context);
    is_status(accd_queue_wait(context, 0, 0), ACCD_OK, "wait");
    must(other[0] == 200, "the rest is done");
    static char large[40 << 20];
    for (int i = 0; i < 3; i++) {
        is_status(QUEUED(context, ACCD_KIND_ENTER_DATA, one, NULL, PLAIN(ACCD_ACTION_COPYIN, large)), ACCD_OK,
                  "memory that the queue has yet to free is freed first");
        is_status(QUEUED(context, ACCD_KIND_EXIT_DATA, one, NULL, PLAIN(ACCD_ACTION_DELETE, large)), ACCD_OK, "exit");
    }
    accd_context_free(context);
    is_number(meter.live, 0, "nothing leaks");
}

int main(void)
{
    test_parts_of_queue();
    test_moved_data();
    touching();
    neighbours(0);
    neighbours(1);
    test_queue_order();
    test_queue_kernels();
    leaving();
    deep_structures(ACCD_UPDATE_METHOD_SPLIT);
    deep_structures(ACCD_UPDATE_METHOD_REVERSE);
    failures();
    sweep(false);
    sweep(true);
    story_free(&story);
    return done();
}
