/* Queues whose work goes on by itself: that it does; when what they fetch is there, what comes first, what a
 * construct does that cannot start, and a device that is lost, and when memory is given back. */
#include "accdeep_internal.h"
#include "standin.h"
#include "../core/support.h"
#include "../../cuda/driver.h"

static standin_fail_fn *fail;
static standin_reset_fn *reset;
static standin_live_fn *live;
static standin_count_fn *count;
static standin_pending_fn *pending;

enum { N = 64, LARGE = 64 << 10 };
static struct meter meter;
static int a[N], b[N], c[N];
static char large[4][LARGE];
static char odd[3][37]; /* in one block, with bytes between them that nobody writes */

static void build_concurrent_data(void)
{
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 100 + i;
        c[i] = 200 + i;
    }
    for (int i = 0; i < 4; i++)
        memset(large[i], 'a' + i, LARGE);
}

static accd_context *open_concurrent(uint64_t bytes)
{
    accd_context_config config;
    accd_context *context = NULL;
    init_config(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = &meter;
    config.queues = ACCD_QUEUES_CONCURRENT;
    config.threads = 1;
    config.devices = 2;
    config.group_least = 1;
    config.check_host = 0;
    config.device_bytes = bytes ? bytes : (uint64_t)64 << 20;
    meter = (struct meter){0};
    build_concurrent_data();
    must(accd_context_new(&context, &config) == ACCD_OK, "a context");
    return context;
}

static void close_all(accd_context *context)
{
    is_sound(context);
    accd_context_free(context);
    is_number(meter.live + meter.wrong, 0, "host memory was given back");
    is_number(live(), 0, "the device's was, too");
}

static unsigned get_queue_number(accd_context *context, int device, int64_t async)
{
    unsigned queue = 0;
    must(accd_queue_get(context, device, async, &queue) == ACCD_OK, "a queue");
    return queue;
}

static accd_status on(accd_context *context, int device, unsigned queue, accd_construct_kind kind,
                      const accd_item *items, size_t n)
{
    const accd_construct construct = {
        .device = device, .kind = kind, .file = "concurrent.c", .line = 1, .queue = queue, .items = items, .nitems = n};
    return accd_run_construct(context, &construct, NULL);
}
#define ON(context, device, queue, kind, ...)                            \
    on((context), (device), (queue), (kind), (accd_item[]){__VA_ARGS__}, \
       sizeof((accd_item[]){__VA_ARGS__}) / sizeof(accd_item))
#define SEND(queue, object) ON(context, 0, queue, ACCD_KIND_UPDATE, PLAIN(ACCD_ACTION_UPDATE_DEVICE, object))
#define FETCH(queue, object) ON(context, 0, queue, ACCD_KIND_UPDATE, PLAIN(ACCD_ACTION_UPDATE_SELF, object))
#define IN(queue, object) ON(context, 0, queue, ACCD_KIND_ENTER_DATA, PLAIN(ACCD_ACTION_COPYIN, object))
#define OUT(queue, object) ON(context, 0, queue, ACCD_KIND_EXIT_DATA, PLAIN(ACCD_ACTION_COPYOUT, object))

static size_t left(accd_context *context, unsigned queue)
{
    accd_queue_info info = {0};
    return accd_queue_get_info(context, 0, queue, &info) ? info.pending : 999;
}

static int tested(accd_context *context, unsigned queue)
{
    int over = -1;
    must(accd_queue_test(context, 0, queue, &over) == ACCD_OK, "a test");
    return over;
}

static uint64_t waits(void)
{
    return count("cuStreamSynchronize") + count("cuEventSynchronize");
}

/* ------------------------------------------------------------------------------- goes on -- */

/* Nothing waits between constructs, whatever is sent or fetched; host memory is read at the construct, and
 * written at the wait. */
static void runs_in_stream(void)
{
    accd_context *context = open_concurrent(0);
    unsigned one = get_queue_number(context, 0, 1), two = get_queue_number(context, 0, 2);
    reset();
    must(ON(context, 0, one, ACCD_KIND_ENTER_DATA, PLAIN(ACCD_ACTION_COPYIN, a), PLAIN(ACCD_ACTION_COPYIN, b)) ==
             ACCD_OK,
         "enter");
    must(IN(two, large) == ACCD_OK, "enter");
    must(ON(context, 0, one, ACCD_KIND_ENTER_DATA, PLAIN(ACCD_ACTION_COPYIN, odd[0]), PLAIN(ACCD_ACTION_COPYIN, odd[1]),
            PLAIN(ACCD_ACTION_COPYIN, odd[2])) == ACCD_OK,
         "enter");
    must(ON(context, 0, one, ACCD_KIND_UPDATE, PLAIN(ACCD_ACTION_UPDATE_SELF, odd[0]),
            PLAIN(ACCD_ACTION_UPDATE_SELF, odd[2])) == ACCD_OK,
         "fetch");
    memset(a, 0, sizeof a);
    large[0][7] = large[3][7] = 'x';
    must(FETCH(one, a) == ACCD_OK && FETCH(two, large) == ACCD_OK, "fetch");
    a[1] = -1;
    large[1][1] = 'y';
    is_number(waits(), 0, "constructs wait for nothing");
    is_number(left(context, one) + left(context, two), 6, "all of them are under way");
    ok(a[1] == -1 && a[2] == 0 && large[1][1] == 'y' && large[0][7] == 'x', "nothing was fetched yet");
    is_status(accd_queue_wait(context, 0, one), ACCD_OK, "wait for one");
    ok(waits() > 0, "now the driver is waited for");
    ok(a[1] == 1 && a[2] == 2, "it has what was there at the construct");
    ok(large[1][1] == 'y' && left(context, two) == 2, "the other one is still under way");
    is_status(accd_queue_wait(context, 0, 0), ACCD_OK, "wait for all");
    ok(large[1][1] == 'b' && large[0][7] == 'a' && large[3][7] == 'd', "now it has its own");
    close_all(context);
}

/* Page-locked memory of the program's own, which the driver reads later unless it is told not to. */
static void locked(void)
{
    accd_context *context = open_concurrent(0);
    unsigned one = get_queue_number(context, 0, 1);
    struct cuda_driver driver;
    char why[200];
    cu_context gpu, ours;
    void *at = NULL;
    must(accd__cuda_load_driver(&driver, why, sizeof why) == 0, "the driver");
    must(!driver.cuDevicePrimaryCtxRetain(&gpu, 0) && !driver.cuCtxPushCurrent_v2(gpu) &&
             !driver.cuMemHostAlloc(&at, 3 * LARGE, 0),
         "page-locked memory");
    char *bytes = at;
    memset(bytes, 'p', 3 * LARGE);
    static const size_t starts[] = {0, LARGE + 5};
    for (size_t n = 1; n <= 2; n++) {
        accd_item items[2], sent[2];
        for (size_t i = 0; i < n; i++) {
            items[i] = BYTES(ACCD_ACTION_COPYIN, bytes + starts[i], LARGE);
            sent[i] = BYTES(ACCD_ACTION_UPDATE_DEVICE, bytes + starts[i], LARGE);
        }
        bytes[9] = 'p';
        must(on(context, 0, one, ACCD_KIND_ENTER_DATA, items, n) == ACCD_OK, "enter");
        bytes[9] = 'q';
        must(on(context, 0, one, ACCD_KIND_UPDATE, sent, n) == ACCD_OK, "send");
        bytes[9] = 'r';
        must(FETCH(one, *(char(*)[LARGE])bytes) == ACCD_OK && accd_queue_wait(context, 0, one) == ACCD_OK, "fetch");
        ok(bytes[9] == 'q', "%zu: what was sent is what it was at the construct", n);
        for (size_t i = 0; i < n; i++)
            items[i].action = ACCD_ACTION_DELETE;
        must(on(context, 0, 0, ACCD_KIND_EXIT_DATA, items, n) == ACCD_OK, "exit");
    }
    (void)driver.cuMemFreeHost(at);
    (void)driver.cuCtxPopCurrent_v2(&ours);
    (void)driver.cuDevicePrimaryCtxRelease_v2(0);
    close_all(context);
}

/* A test asks, and waits for nothing; a queue that comes behind another one is not over before it. */
static void asks(void)
{
    accd_context *context = open_concurrent(0);
    unsigned one = get_queue_number(context, 0, 1), two = get_queue_number(context, 0, 2),
             three = get_queue_number(context, 0, 3);
    must(IN(0, a) == ACCD_OK && FETCH(one, a) == ACCD_OK, "fetch");
    must(accd_queue_wait_for(context, 0, two, 0, one) == ACCD_OK, "two behind one");
    a[3] = -3;
    reset();
    is_number(tested(context, three), 1, "a queue that was asked for nothing");
    is_number(tested(context, two), 0, "one behind one that is at work");
    is_number(waits(), 0, "nobody waits");
    ok(a[3] == -3, "nothing was stored");
    int times = 1;
    while (times < 10 && !tested(context, one))
        times++;
    ok(times < 10 && a[3] == 3, "asking comes to an end, and then it is there");
    is_number(tested(context, two), 1, "so does the other one");
    close_all(context);
}

/* Far more batches under way than there are chunks of pinned memory, and more pieces of both sizes than fit.
 */
static void many_batches(void)
{
    enum { BATCHES = 20, PIECES = 100, SMALL = 40, MIDDLE = 40 << 10 };
    static char small[BATCHES][PIECES][SMALL], middle[PIECES][MIDDLE];
    static accd_item items[2 * PIECES];
    accd_context *context = open_concurrent(0);
    memset(small, 1, sizeof small);
    memset(middle, 1, sizeof middle);
    must(IN(0, small) == ACCD_OK && IN(0, middle) == ACCD_OK, "enter");
    memset(small, 9, sizeof small);
    memset(middle, 9, sizeof middle);
    for (int out = 0; out < 2; out++)
        for (int k = 0; k < BATCHES; k++) {
            for (int i = 0; i < PIECES; i++) {
                memset(small[k][i], out ? 0 : 10 + (k + i) % 100, SMALL);
                items[i] = BYTES(out ? ACCD_ACTION_UPDATE_SELF : ACCD_ACTION_UPDATE_DEVICE, &small[k][i][1],
                                 (uint64_t)(SMALL - 1 - i % 7));
            }
            must(on(context, 0, get_queue_number(context, 0, k % 3), ACCD_KIND_UPDATE, items, PIECES) == ACCD_OK, "%d",
                 k);
        }
    for (int i = 0; i < PIECES; i++) {
        items[2 * i] = BYTES(ACCD_ACTION_UPDATE_SELF, &middle[i][3], MIDDLE - 5);
        items[2 * i + 1] = BYTES(ACCD_ACTION_UPDATE_SELF, &small[0][i][0], 1);
    }
    must(accd_queue_wait(context, 0, 0) == ACCD_OK, "wait");
    bool right = true;
    for (int k = 0; k < BATCHES; k++)
        for (int i = 0; i < PIECES; i++)
            for (int at = 0; at < SMALL; at++)
                right &= small[k][i][at] == (at && at < SMALL - i % 7 ? 10 + (k + i) % 100 : 0);
    ok(right, "%d batches of %d pieces arrive", 2 * BATCHES, PIECES);
    const size_t before = meter.live;
    must(on(context, 0, get_queue_number(context, 0, 1), ACCD_KIND_UPDATE, items, 2 * PIECES) == ACCD_OK, "both sizes");
    ok(meter.live - before < 2 * PIECES * (size_t)MIDDLE, "small and large pieces do not take a chunk each");
    must(accd_queue_wait(context, 0, 0) == ACCD_OK, "wait");
    right = middle[0][2] == 9 && middle[0][MIDDLE - 2] == 9;
    for (int i = 0; i < PIECES; i++)
        right &= middle[i][3] == 1 && middle[i][MIDDLE - 3] == 1 && small[0][i][0] == 1;
    ok(right, "and each has its own");
    close_all(context);
}

/* ----------------------------------------------------------------------------------- order -- */

/* What uses the same memory comes in program order, in whatever queues, of whatever devices. */
static void test_concurrent_order(void)
{
    accd_context *context = open_concurrent(0);
    unsigned one = get_queue_number(context, 0, 1), two = get_queue_number(context, 0, 2),
             other = get_queue_number(context, 1, 1);
    must(IN(0, a) == ACCD_OK && ON(context, 1, 0, ACCD_KIND_ENTER_DATA, PLAIN(ACCD_ACTION_COPYIN, a)) == ACCD_OK,
         "enter");
    uint64_t dev = accd_device_address(context, 0, a);
    must(FETCH(one, a) == ACCD_OK, "fetch");
    is_status(accd_copy_async(context, 0, two, ACCD_DIRECTION_TO_DEVICE, dev, (uintptr_t)b, sizeof b, NULL, 0), ACCD_OK,
              "other bytes over them, in another queue");
    is_number(left(context, one), 0, "which comes behind what reads them");
    must(FETCH(one, a) == ACCD_OK && a[5] == 5, "fetch");
    is_number(left(context, two), 0, "which comes behind what writes them");
    must(accd_copy_to_device(context, 0, dev, c, sizeof c) == ACCD_OK, "and without a queue");
    ok(a[5] == 105, "what was fetched before is here");
    must(FETCH(one, a) == ACCD_OK, "fetch");
    must(ON(context, 1, other, ACCD_KIND_UPDATE, PLAIN(ACCD_ACTION_UPDATE_DEVICE, a)) == ACCD_OK, "to another device");
    ok(a[5] == 205, "it sends what the first one has fetched");
    int there = 0;
    must(accd_device_read(context, 1, accd_device_address(context, 1, a) + 20, &there, 4) == ACCD_OK, "read");
    is_number(there, 205, "that is there");
    must(ON(context, 1, other, ACCD_KIND_UPDATE, PLAIN(ACCD_ACTION_UPDATE_SELF, a)) == ACCD_OK, "fetch from there");
    a[5] = -5;
    must(SEND(0, a) == ACCD_OK && a[5] == 205, "a construct without a queue sends what that has fetched");
    must(FETCH(one, a) == ACCD_OK, "fetch");
    a[5] = -5;
    must(SEND(0, a) == ACCD_OK && a[5] == 205, "it comes behind one of its own device, too");
    must(FETCH(two, a) == ACCD_OK && FETCH(one, a) == ACCD_OK &&
             accd_device_read(context, 0, dev, &there, 4) == ACCD_OK,
         "and read");
    is_number(left(context, one) + left(context, two), 0, "a read comes behind both");
    close_all(context);
}

/* A group without a queue comes behind what uses its memory, and behind nothing else. */
static void groups(void)
{
    enum { LEAVES = 300, LENGTH = 100 };
    static struct leaf leaves[LEAVES];
    static float values[LEAVES][2][LENGTH];
    accd_context *context = open_concurrent(0);
    accd_program *program = leaf_program(context);
    accd_item item =
        walked(ACCD_ACTION_COPYIN, leaves, sizeof leaves, program, array(context, "leaves", sizeof *leaves, program));
    unsigned one = get_queue_number(context, 0, 1), two = get_queue_number(context, 0, 2);
    for (int i = 0; i < LEAVES; i++)
        leaves[i] = (struct leaf){LENGTH, values[i][0], values[i][1]};
    must(IN(0, a) == ACCD_OK && IN(0, c) == ACCD_OK && FETCH(one, a) == ACCD_OK, "fetch");
    is_status(ON(context, 0, 0, ACCD_KIND_ENTER_DATA, item), ACCD_OK, "a group");
    is_number(left(context, one), 1, "is entered beside the queue");
    const uint64_t dev = accd_device_address(context, 0, values[7][1]);
    must(accd_copy_async(context, 0, two, ACCD_DIRECTION_TO_DEVICE, dev, (uintptr_t)b, sizeof b, NULL, 0) == ACCD_OK,
         "send");
    item.action = ACCD_ACTION_UPDATE_SELF;
    is_status(ON(context, 0, 0, ACCD_KIND_UPDATE, item), ACCD_OK, "it is fetched");
    ok(!memcmp(values[7][1], b, sizeof b), "behind what was sent into it");
    is_number(left(context, one), 1, "but beside the queue");
    const uint64_t other = accd_device_address(context, 0, c);
    must(accd_copy_async(context, 0, two, ACCD_DIRECTION_FROM_DEVICE, (uintptr_t)values[9][0], other, sizeof c, NULL,
                         0) == ACCD_OK,
         "other bytes are fetched into a section");
    item.action = ACCD_ACTION_UPDATE_DEVICE;
    is_status(ON(context, 0, 0, ACCD_KIND_UPDATE, item), ACCD_OK, "it is sent");
    int there[N];
    must(accd_device_read(context, 0, accd_device_address(context, 0, values[9][0]), there, sizeof there) == ACCD_OK,
         "read");
    ok(!memcmp(there, c, sizeof there), "behind what was fetched there");
    is_number(left(context, one), 1, "but beside the queue");
    item.action = ACCD_ACTION_DELETE;
    is_status(ON(context, 0, 0, ACCD_KIND_EXIT_DATA, item), ACCD_OK, "it goes");
    is_number(left(context, one), 1, "beside the queue, too");
    must(accd_queue_wait(context, 0, one) == ACCD_OK, "wait");
    accd_program_release(program);
    close_all(context);
}

static uint64_t live_bytes(accd_context *context)
{
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    return stats.live_bytes;
}

/* Device memory lives as long as its queue needs it, and is had again when there is no other. */
static void gives_back(void)
{
    enum { SIZE = 6 << 20 };
    static char big[SIZE], more[SIZE];
    accd_context *context = open_concurrent(8 << 20);
    unsigned one = get_queue_number(context, 0, 1), two = get_queue_number(context, 0, 2);
    memset(big, 3, sizeof big);
    must(IN(0, big) == ACCD_OK && FETCH(two, big) == ACCD_OK, "enter");
    reset();
    is_status(ON(context, 0, two, ACCD_KIND_EXIT_DATA, PLAIN(ACCD_ACTION_COPYOUT, big)), ACCD_OK,
              "what is fetched goes");
    ok(present_count(context, big, 0, 0), "it is not present any more");
    is_number(live_bytes(context), SIZE, "its memory is");
    is_number(count("cuMemFreeAsync") + count("cuMemFree_v2"), 0, "nothing was freed");
    memset(big, 4, sizeof big);
    is_status(IN(one, more), ACCD_OK, "as much memory again is had from what goes");
    is_number(left(context, two), 0, "behind it");
    ok(big[SIZE - 1] == 3, "which is here");
    is_number(live_bytes(context), SIZE, "one of them lives");
    close_all(context);
}

/* --------------------------------------------------------------------------------- kernels -- */

/* Adds one to each number of the present data that it may touch, unless the first one is negative then.
 * Tables are as lua/accdeep/backend/cuda/kernel_prelude.cu has them. */
static const char text[] =
    "struct run { unsigned long stopped, turns, parallel, writes, ranges, nranges, slots, nslots, variables, "
    "owners,"
    " owner_words; };\n"
    "struct range { unsigned long low, high, flags, origin, bits, owners, saved; };\n"
    "static __device__ void copy(const run *r, int back)\n"
    "{\n"
    "  for (unsigned long i = 0; i < r->nranges && blockIdx.x == 0 && threadIdx.x == 0; i++) {\n"
    "    const range *at = (const range *)r->ranges + i;\n"
    "    for (unsigned long k = 0; k < at->high - at->low; k++)\n"
    "      if (back) ((char *)at->low)[k] = ((char *)at->saved)[k];\n"
    "      else ((char *)at->saved)[k] = ((char *)at->low)[k];\n"
    "  }\n"
    "}\n"
    "extern \"C\" __global__ void accd_save(unsigned long tables) { copy((run *)tables, 0); }\n"
    "extern \"C\" __global__ void accd_restore(unsigned long tables) { copy((run *)tables, 1); }\n"
    "extern \"C\" __global__ void accd_body(unsigned long tables)\n"
    "{\n"
    "  run *r = (run *)tables;\n"
    "  for (unsigned long i = 0; i < r->nranges; i++) {\n"
    "    const range *at = (const range *)r->ranges + i;\n"
    "    if (!(at->flags & 1)) continue;\n" /* of present data */
    "    for (int *p = (int *)at->low; p < (int *)at->high; p++) *p += 1;\n"
    "    if (*(int *)at->low < 0) r->stopped = 1ul << 32 | 1;\n"
    "  }\n"
    "}\n";

struct body {
    accd_context *context;
    uint64_t dev;
    int runs, was_run, drops, fails;
    bool lost, gave; /* told that it was run, it could give its own memory back */
};

static bool says_lost(accd_context *context)
{
    return strstr(accd_context_error(context)->message, "lost the device") != NULL;
}

static int body(void *ud, accd_host_call call)
{
    struct body *body = ud;
    accd_context *context = body->context;
    int values[N];
    uint64_t own;
    if (call == ACCD_CALL_KERNEL_DONE)
        body->gave = accd_device_alloc(context, 0, 16, &own) == ACCD_OK && accd_device_free(context, 0, own) == ACCD_OK;
    if (call != ACCD_CALL_RUN) {
        *(call == ACCD_CALL_KERNEL_DONE ? &body->was_run : &body->drops) += 1;
        return 0;
    }
    bool ran = !body->fails && accd_device_read(context, 0, body->dev, values, sizeof values) == ACCD_OK;
    for (int i = 0; ran && i < N; i++)
        values[i] += 1;
    ran = ran && accd_device_write(context, 0, body->dev, values, sizeof values) == ACCD_OK;
    body->runs += ran;
    body->lost = !ran && says_lost(context);
    return !ran;
}

/* A compute construct on what is present: it is run by the device, if that can, in its queue. */
static accd_status run_compute(struct body *of, unsigned queue, accd_item item, bool abandon)
{
    const accd_kernel kernel = {.text = text, .writes = 1};
    const accd_construct construct = {.kind = ACCD_KIND_COMPUTE, .queue = queue, .items = &item, .nitems = 1};
    accd_region *region = NULL;
    accd_kernel_result end = {.outcome = ACCD_KERNEL_NOT_RUN};
    accd_status status = accd_run_construct(of->context, &construct, &region);
    if (status != ACCD_OK)
        return status;
    of->dev = accd_device_address(of->context, 0, item.host);
    status = accd_launch_kernel(region, NULL, 0, &kernel, body, of, &end);
    if (status == ACCD_OK && end.outcome != ACCD_KERNEL_QUEUED)
        status = accd_launch_function(region, NULL, 0, body, of);
    if (status == ACCD_OK && !abandon)
        status = accd_region_end(region);
    if (status != ACCD_OK || abandon)
        accd_region_abandon(region);
    return status;
}

static bool compiles(void)
{
    char what[200];
    accd_context *context = open_concurrent(0);
    bool found = accd_get_kernel_compiler(context, 0, what, sizeof what);
    accd_context_free(context);
    return found;
}

static void test_concurrent_kernels(void)
{
    accd_context *context = open_concurrent(0);
    unsigned one = get_queue_number(context, 0, 1), two = get_queue_number(context, 0, 2);
    struct body good = {.context = context}, stopped = {.context = context}, wrong = {.context = context, .fails = 1};
    must(IN(0, a) == ACCD_OK && IN(0, b) == ACCD_OK && IN(0, c) == ACCD_OK, "enter");
    reset();
    is_status(run_compute(&good, one, PLAIN(ACCD_ACTION_PRESENT, c), false), ACCD_OK, "a kernel");
    must(FETCH(two, b) == ACCD_OK, "fetch");
    is_number(waits(), 0, "nobody waits for it");
    is_number(good.runs + good.was_run, 0, "it is under way");
    is_number(tested(context, one), 0, "a test says so");
    must(FETCH(two, c) == ACCD_OK, "fetch what it writes");
    is_number(good.was_run, 1, "which comes behind it");
    ok(good.gave, "it is told so while it can give back what it has");
    must(accd_queue_wait(context, 0, two) == ACCD_OK && c[4] == 205, "it has run");

    static int d[N];
    reset();
    is_status(run_compute(&good, one, PLAIN(ACCD_ACTION_COPY, d), false), ACCD_OK,
              "a kernel whose results are copied out");
    is_status(run_compute(&good, two, PLAIN(ACCD_ACTION_COPY, d), false), ACCD_OK, "and in again, in another queue");
    ok(d[4] == 1, "which waits for the first one");
    is_status(accd_queue_wait(context, 0, two), ACCD_OK, "the wait");
    is_number((uint64_t)d[4], 2, "both have run");
    reset();
    is_status(run_compute(&good, one, PLAIN(ACCD_ACTION_COPY, d), false), ACCD_OK, "alone");
    is_number(waits(), 0, "nobody waits for its results");
    is_number((uint64_t)d[4], 2, "which are not here");
    ok(accd_get_presence(context, 0, d, sizeof d) == ACCD_PRESENCE_NONE, "though its data have left");
    is_status(accd_queue_wait(context, 0, one), ACCD_OK, "until the wait");
    is_number((uint64_t)d[4], 3, "which brings them");

    a[0] = -5;
    must(SEND(one, a) == ACCD_OK, "what it does not like");
    is_status(run_compute(&stopped, one, PLAIN(ACCD_ACTION_PRESENT, a), false), ACCD_OK, "a kernel that stops");
    is_status(accd_queue_wait(context, 0, one), ACCD_OK, "it does at the wait");
    is_number(stopped.runs, 1, "the host runs its function instead");
    must(FETCH(0, a) == ACCD_OK && a[0] == -4 && a[9] == 10, "which finds what was there before");

    is_status(run_compute(&wrong, one, PLAIN(ACCD_ACTION_PRESENT, a), false), ACCD_OK, "one whose function fails");
    is_status(run_compute(&good, two, PLAIN(ACCD_ACTION_PRESENT, b), false), ACCD_OK, "another one");
    fails(context, ACCD_ERROR_CALLBACK, accd_queue_wait(context, 0, one), "the wait gives its error");
    is_status(run_compute(&wrong, one, PLAIN(ACCD_ACTION_PRESENT, a), false), ACCD_OK, "again");
    is_status(SEND(two, a), ACCD_ERROR_CALLBACK, "or who needs it");
    is_status(accd_queue_wait(context, 0, 0), ACCD_OK, "it is told once");
    must(FETCH(0, b) == ACCD_OK && b[9] == 110, "the other one has run");

    is_status(run_compute(&good, one, PLAIN(ACCD_ACTION_PRESENT, c), true), ACCD_OK, "a region that is abandoned");
    must(FETCH(0, c) == ACCD_OK && c[4] == 205 && good.drops == 1, "its kernel is undone");

    is_status(run_compute(&wrong, one, PLAIN(ACCD_ACTION_PRESENT, a), false), ACCD_OK, "one that fails");
    int drops = good.drops;
    is_status(accd_queue_call(context, 0, one, body, &good), ACCD_ERROR_CALLBACK, "before a function of the host");
    is_number(good.drops, drops + 1, "which is let go");
    must(run_compute(&good, two, PLAIN(ACCD_ACTION_PRESENT, b), false) == ACCD_OK, "one that is under way at the end");
    close_all(context);
    is_number(good.drops, drops + 2, "is let go");
}

/* --------------------------------------------------------------------------------- failures -- */

static bool is_all(const void *at, size_t n, int value)
{
    const char *bytes = at;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

enum { ENTER_ALL, SEND_ALL, FETCH_A, FETCH_LARGE, COMPUTE, WAIT_TWO, EXIT_ALL, WAIT_ALL, STEPS };

static accd_status run_concurrent_step(accd_context *context, int which, struct body *of)
{
    unsigned one = get_queue_number(context, 0, 1), two = get_queue_number(context, 0, 2);
    switch (which) {
    case ENTER_ALL:
        return ON(context, 0, one, ACCD_KIND_ENTER_DATA, PLAIN(ACCD_ACTION_COPYIN, a), PLAIN(ACCD_ACTION_COPYIN, b),
                  PLAIN(ACCD_ACTION_COPYIN, large));
    case SEND_ALL:
        return ON(context, 0, one, ACCD_KIND_UPDATE, PLAIN(ACCD_ACTION_UPDATE_DEVICE, a),
                  PLAIN(ACCD_ACTION_UPDATE_DEVICE, b), PLAIN(ACCD_ACTION_UPDATE_DEVICE, large[0]),
                  PLAIN(ACCD_ACTION_UPDATE_DEVICE, large[2]));
    case FETCH_A:
        return FETCH(one, a);
    case FETCH_LARGE:
        return FETCH(two, large);
    case COMPUTE:
        return run_compute(of, one, PLAIN(ACCD_ACTION_PRESENT, b), false);
    case WAIT_TWO:
        return accd_queue_wait(context, 0, two);
    case EXIT_ALL:
        return ON(context, 0, two, ACCD_KIND_EXIT_DATA, PLAIN(ACCD_ACTION_COPYOUT, a), PLAIN(ACCD_ACTION_COPYOUT, b),
                  PLAIN(ACCD_ACTION_DELETE, large));
    default:
        return accd_queue_wait(context, 0, 0);
    }
}

/* What the host does before a step. */
static void prepare(int which)
{
    int value = which == ENTER_ALL ? 1 : which == SEND_ALL ? 2 : 3;
    if (which > FETCH_A)
        return;
    memset(a, value, sizeof a);
    memset(b, value, sizeof b);
    memset(large, value, sizeof large);
}

/* A step has failed, and the device lives: nothing has changed. */
static void unchanged(accd_context *context, int which, uint64_t n)
{
    char there[N * sizeof(int)];
    must(present_count(context, a, 0, which > ENTER_ALL) && present_count(context, large, 0, which > ENTER_ALL),
         "call %d, step %d: counters", (int)n, which);
    if (which == SEND_ALL)
        must(device_get(context, a, there, sizeof there) && is_all(there, sizeof there, 1) &&
                 device_get(context, large[2], there, sizeof there) && is_all(there, sizeof there, 1),
             "call %d: nothing was sent", (int)n);
    const char *wrong = accd__check_invariants(context);
    must(!wrong, "call %d, step %d: %s", (int)n, which, wrong);
}

enum { HOST_MEMORY = -1, ANY_ERROR = 0, FOR_GOOD = 700 };

static void plan_failure(int error, uint64_t n)
{
    if (error == HOST_MEMORY)
        meter.fail_at = n;
    else
        fail("*", n, error);
}

/* The n-th call from there to the end fails: whether there are so many. */
static bool at_call(uint64_t n, int error, int *failed_p, int *lost_p)
{
    accd_context *context = open_concurrent(0);
    struct body of = {.context = context};
    bool lost = false;
    (void)get_queue_number(context, 0, 1);
    (void)get_queue_number(context, 0, 2);
    plan_failure(error, n);
    for (int i = 0; i < STEPS; i++) {
        prepare(i);
        accd_status status = run_concurrent_step(context, i, &of);
        if (status == ACCD_OK) {
            must(!lost || i >= WAIT_TWO, "call %d: step %d goes on", (int)n, i);
            continue;
        }
        ++*failed_p;
        must(accd_context_error(context)->status == status, "call %d, step %d: it is told", (int)n, i);
        lost |= error == FOR_GOOD || of.lost || says_lost(context);
        if (lost)
            continue;
        must(error != HOST_MEMORY || status == ACCD_ERROR_OUT_OF_MEMORY, "call %d, step %d: %s", (int)n, i,
             accd_context_error(context)->message);
        must(!pending() && !meter.fail_at, "call %d, step %d: %s without a reason", (int)n, i,
             accd_context_error(context)->message);
        unchanged(context, i, n);
        must(run_concurrent_step(context, i, &of) == ACCD_OK, "call %d, step %d: again: %s", (int)n, i,
             accd_context_error(context)->message);
    }
    *lost_p += lost;
    if (lost) { /* whole, or not at all */
        must(is_all(a, sizeof a, 2) || is_all(a, sizeof a, 3), "call %d: a part of a", (int)n);
        must(is_all(large[1], LARGE, 1) || is_all(large[1], LARGE, 3), "call %d: a part of the rest", (int)n);
    } else {
        must(is_all(a, sizeof a, 2) && is_all(large[2], LARGE, 2) && is_all(large[3], LARGE, 1),
             "call %d: what was fetched is here", (int)n);
        int ran = b[3] - 0x02020202, told = of.runs + of.was_run;
        must(ran == told && (ran == 1 || (!ran && of.drops)), "call %d: the kernel ran %d times, it is told %d times",
             (int)n, ran, told);
    }
    bool met = !pending() && !meter.fail_at;
    plan_failure(error, 0);
    accd_context_free(context);
    must(meter.live + meter.wrong == 0, "call %d: host memory was given back", (int)n);
    if (lost)
        reset();
    return met;
}

static void each_call(const char *what, int error)
{
    uint64_t n = 1, before = live();
    int failed = 0, lost = 0, wrong = tap_failed;
    while (n < 500 && tap_failed == wrong && at_call(n, error, &failed, &lost)) {
        reset();
        n++;
    }
    reset();
    ok(tap_failed == wrong && n > 30 && n < 500, "%s fails at each of %d calls: %d steps did, %d lost the device", what,
       (int)n - 1, failed, lost);
    ok(lost || live() == before, "and gave back what it had");
}

/* An error for good, found at a wait: by all that comes, until the end. */
static void lost(void)
{
    accd_context *context = open_concurrent(0);
    unsigned one = get_queue_number(context, 0, 1), two = get_queue_number(context, 0, 2);
    must(IN(0, a) == ACCD_OK && IN(0, b) == ACCD_OK, "enter");
    a[0] = b[0] = -1;
    must(FETCH(one, a) == ACCD_OK && FETCH(two, b) == ACCD_OK, "fetch");
    fail("cuEventSynchronize", 1, 700);
    is_status(accd_queue_wait(context, 0, one), ACCD_ERROR_DEVICE, "the wait finds it");
    ok(strstr(accd_context_error(context)->message, "queue 1 has not done the update of concurrent.c:1") &&
           says_lost(context),
       "it says what was to be done");
    is_status(accd_queue_wait(context, 0, one), ACCD_OK, "that is over");
    is_status(SEND(one, a), ACCD_ERROR_DEVICE, "nothing starts any more");
    is_number(tested(context, one), 1, "there is nothing to be done");
    int over;
    is_status(accd_queue_test(context, 0, two, &over), ACCD_ERROR_DEVICE, "a test of the other one finds it, too");
    ok(a[0] == -1 && b[0] == -1, "nothing of it reaches the host");
    is_sound(context);
    accd_context_free(context);
    is_number(meter.live + meter.wrong, 0, "host memory was given back");
    reset();
}

/* A chain of queues, each of which waits for the next one more than once: a test looks at each task once. */
static void chain(void)
{
    enum { QUEUES = 40, WAITS = 3 };
    static char rows[QUEUES][64];
    accd_context *context = open_concurrent(0);
    unsigned queues[QUEUES];
    for (int i = 0; i < QUEUES; i++) {
        queues[i] = get_queue_number(context, 0, i + 1);
        must(IN(0, rows[i]) == ACCD_OK, "enter");
    }
    for (int i = QUEUES - 1; i >= 0; i--) {
        for (int k = 0; k < WAITS && i + 1 < QUEUES; k++)
            must(accd_queue_wait_for(context, 0, queues[i], 0, queues[i + 1]) == ACCD_OK, "behind the next one");
        must(SEND(queues[i], rows[i]) == ACCD_OK, "send");
    }
    int over = 0;
    for (int i = 0; i < 1000000 && !over; i++)
        over = tested(context, queues[0]);
    ok(over, "a chain of %d queues is over", QUEUES);
    is_number(left(context, queues[QUEUES - 1]), 0, "to its last one");
    close_all(context);
}

int main(void)
{
    if (!standin_find_all((const struct standin_function[]){{"standin_fail", &fail},
                                                            {"standin_reset", &reset},
                                                            {"standin_live", &live},
                                                            {"standin_count", &count},
                                                            {"standin_pending", &pending},
                                                            {NULL, NULL}}))
        return 1;
    runs_in_stream();
    chain();
    locked();
    asks();
    many_batches();
    test_concurrent_order();
    groups();
    gives_back();
    if (compiles())
        test_concurrent_kernels();
    each_call("host memory", HOST_MEMORY);
    each_call("the driver", ANY_ERROR);
    each_call("the device", FOR_GOOD); /* contexts that are lost give nothing back: this comes last */
    lost();
    return done();
}
