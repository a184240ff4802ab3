/* The stand-in for the driver itself: when work is done, and what comes behind what. */
#include "backend.h"
#include "standin.h"
#include "../tap.h"

static struct cuda_driver driver;
static standin_reset_fn *reset;
static standin_live_fn *live;

enum { A, B, C, STREAMS };
enum { X, Y, Z, PLACES };
static cu_context context;
static cu_pool pool;
static cu_stream stream[STREAMS];
static cu_event event[STREAMS];
static cu_address at[PLACES]; /* a number each, allocated long before */
static int *pinned;           /* several */

#define DO(symbol, ...) must(driver.symbol(__VA_ARGS__) == CU_OK, #symbol)

static cu_address get(int from)
{
    cu_address fresh = 0;
    if (pool)
        DO(cuMemAllocFromPoolAsync, &fresh, sizeof(int), pool, stream[from]);
    else
        DO(cuMemAlloc_v2, &fresh, sizeof(int));
    return fresh;
}

static cu_result put(cu_address dev, int to)
{
    return pool ? driver.cuMemFreeAsync(dev, stream[to]) : driver.cuMemFree_v2(dev);
}

static cu_result in(int to, cu_address dev, const int *from)
{
    return driver.cuMemcpyHtoDAsync_v2(dev, from, sizeof *from, stream[to]);
}

static cu_result out(int from, int *to, cu_address dev)
{
    return driver.cuMemcpyDtoHAsync_v2(to, dev, sizeof *to, stream[from]);
}

static cu_result within(int by, cu_address to, cu_address from)
{
    return driver.cuMemcpyDtoDAsync_v2(to, from, sizeof(int), stream[by]);
}

/* The number on the device, whatever is under way. */
static int number_at(cu_address dev)
{
    int number = -1;
    must(out(C, &number, dev) == CU_OK, "the device can be read");
    return number;
}

static void set_up(void)
{
    const struct cu_pool_props props = {.allocation = CU_ALLOCATION_PINNED, .location = {CU_LOCATION_DEVICE, 0}};
    void *host = NULL;
    DO(cuDevicePrimaryCtxRetain, &context, 0);
    DO(cuCtxPushCurrent_v2, context);
    pool = NULL;
    if (driver.cuMemPoolCreate)
        DO(cuMemPoolCreate, &pool, &props);
    for (int i = 0; i < STREAMS; i++) {
        DO(cuStreamCreate, &stream[i], CU_STREAM_NON_BLOCKING_FLAG);
        DO(cuEventCreate, &event[i], CU_EVENT_DISABLE_TIMING_FLAG);
    }
    for (int i = 0; i < PLACES; i++)
        at[i] = get(A);
    DO(cuStreamSynchronize, stream[A]);
    DO(cuMemHostAlloc, &host, 8 * sizeof *pinned, 0);
    pinned = host;
    for (int i = 0; i < 8; i++)
        pinned[i] = 10 + i;
}

/* Errors for good are forgotten first. */
static void tear_down(const char *title)
{
    cu_context before;
    reset();
    for (int i = 0; i < STREAMS; i++)
        DO(cuStreamSynchronize, stream[i]);
    for (int i = 0; i < PLACES; i++)
        must(put(at[i], A) == CU_OK, "%s: place %d", title, i);
    for (int i = 0; i < STREAMS; i++) {
        DO(cuEventDestroy_v2, event[i]);
        DO(cuStreamDestroy_v2, stream[i]);
    }
    DO(cuMemFreeHost, pinned);
    if (pool)
        DO(cuMemPoolDestroy, pool);
    DO(cuCtxPopCurrent_v2, &before);
    DO(cuDevicePrimaryCtxRelease_v2, 0);
    is_number(live(), 0, "%s: everything was given back", title);
}

/* -------------------------------------------------------------------------------- when, what -- */

static void independent(void)
{
    must(in(A, at[X], &pinned[0]) == CU_OK && in(B, at[Y], &pinned[1]) == CU_OK, "two copies");
    is_number(driver.cuStreamQuery(stream[A]), CU_NOT_READY, "a stream has work left");
    DO(cuStreamSynchronize, stream[A]);
    is_number(driver.cuStreamQuery(stream[A]), CU_OK, "which is done when somebody waits for it");
    is_number(driver.cuStreamQuery(stream[B]), CU_NOT_READY, "but not that of another stream");
    pinned[0] = 50, pinned[1] = 51;
    DO(cuStreamSynchronize, stream[B]);
    is_number(number_at(at[X]), 10, "the first was read before it changed");
    is_number(number_at(at[Y]), 51, "the second behind that");
}

static void up_to_an_event(void)
{
    is_number(driver.cuEventQuery(event[A]), CU_OK, "an event that was never recorded is done");
    must(in(A, at[X], &pinned[0]) == CU_OK, "work before it");
    DO(cuEventRecord, event[A], stream[A]);
    must(in(A, at[Y], &pinned[1]) == CU_OK, "work behind it");
    is_number(driver.cuEventQuery(event[A]), CU_NOT_READY, "one that was recorded is not");
    DO(cuEventSynchronize, event[A]);
    is_number(driver.cuEventQuery(event[A]), CU_OK, "until somebody waits");
    is_number(driver.cuStreamQuery(stream[A]), CU_NOT_READY, "what comes behind it is left");
    pinned[0] = 50, pinned[1] = 51;
    DO(cuEventRecord, event[A], stream[A]);
    is_number(driver.cuEventQuery(event[A]), CU_NOT_READY, "recorded again it stands for all");
    DO(cuEventSynchronize, event[A]);
    is_number(number_at(at[X]), 10, "work before it was done");
    is_number(number_at(at[Y]), 51, "and that behind it later");
}

static void one_stream_behind_another(void)
{
    must(in(A, at[X], &pinned[0]) == CU_OK, "work of one stream");
    DO(cuEventRecord, event[A], stream[A]);
    DO(cuStreamWaitEvent, stream[B], event[A], 0);
    must(in(A, at[Y], &pinned[1]) == CU_OK, "more of it");
    DO(cuEventRecord, event[A], stream[A]); /* the other one waits for what it was */
    must(within(B, at[Z], at[X]) == CU_OK, "work of another stream");
    DO(cuEventRecord, event[B], stream[B]);
    DO(cuStreamWaitEvent, stream[C], event[B], 0);
    DO(cuEventDestroy_v2, event[B]);
    DO(cuEventCreate, &event[B], 0);
    DO(cuStreamSynchronize, stream[C]);
    is_number(driver.cuStreamQuery(stream[B]), CU_OK, "a third that waits for the other has it done");
    is_number(driver.cuStreamQuery(stream[A]), CU_NOT_READY, "and of the first what that waits for");
    pinned[0] = 50, pinned[1] = 51;
    DO(cuEventSynchronize, event[A]);
    is_number(number_at(at[Z]), 10, "it came in between");
    is_number(number_at(at[Y]), 51, "and the rest behind");
}

static void asking(void)
{
    must(in(A, at[X], &pinned[0]) == CU_OK, "work");
    DO(cuEventRecord, event[A], stream[A]);
    must(in(A, at[Y], &pinned[1]) == CU_OK, "more");
    is_number(driver.cuEventQuery(event[A]), CU_NOT_READY, "asked once, it is not done");
    is_number(driver.cuEventQuery(event[A]), CU_OK, "asked twice, it is");
    is_number(driver.cuStreamQuery(stream[A]), CU_NOT_READY, "but not what comes behind");
    is_number(driver.cuStreamQuery(stream[A]), CU_OK, "unless that is asked for twice, too");
    is_number(number_at(at[Y]), 11, "then it is done");
}

static void pageable(void)
{
    int number = 20, back = 0;
    must(in(A, at[X], &number) == CU_OK && within(A, at[Y], at[X]) == CU_OK, "from memory like any other");
    number = 60;
    is_number(driver.cuStreamQuery(stream[A]), CU_NOT_READY, "it is not on the device yet");
    must(out(A, &pinned[0], at[Y]) == CU_OK, "back into the driver's");
    is_number(pinned[0], 10, "it comes when somebody waits");
    must(out(A, &back, at[Y]) == CU_OK, "back into any other");
    is_number(back, 20, "it is there when the call returns, as it was at the first call");
    is_number(pinned[0], 20, "and so is what comes before");
}

static cu_result batch(int by, cu_address to, cu_address from, int access)
{
    struct cu_copy_attributes attributes = {.access = access};
    size_t bytes = sizeof(int), first = 0, failed;
    if (driver.cuMemcpyBatchAsync_v2)
        return driver.cuMemcpyBatchAsync_v2(&to, &from, &bytes, 1, &attributes, &first, 1, stream[by]);
    return driver.cuMemcpyBatchAsync(&to, &from, &bytes, 1, &attributes, &first, 1, &failed, stream[by]);
}

static void batches(void)
{
    int number = 20, back = 0;
    if (!driver.cuMemcpyBatchAsync && !driver.cuMemcpyBatchAsync_v2)
        return;
    must(batch(A, at[X], (uintptr_t)&number, CU_ACCESS_STREAM) == CU_OK, "in the stream's order");
    must(batch(A, at[Y], (uintptr_t)&pinned[0], CU_ACCESS_DURING_CALL) == CU_OK, "during the call");
    is_number(batch(A, at[Y], (uintptr_t)&pinned[0], 0), CU_INVALID_VALUE, "it has to be one of these");
    number = 60, pinned[0] = 50;
    must(batch(A, (uintptr_t)&pinned[1], at[X], CU_ACCESS_STREAM) == CU_OK, "back into the driver's memory");
    is_number(pinned[1], 11, "it comes when somebody waits");
    must(batch(A, (uintptr_t)&back, at[Y], CU_ACCESS_STREAM) == CU_OK, "back into any other");
    is_number(back, 10, "it is there, as it was during the call");
    is_number(pinned[1], 60, "and what was read in the stream's order");
}

/* A stream that goes does what it was given. */
static void destroyed(void)
{
    must(in(A, at[X], &pinned[0]) == CU_OK, "work");
    DO(cuEventRecord, event[A], stream[A]);
    DO(cuStreamDestroy_v2, stream[A]);
    DO(cuStreamCreate, &stream[A], 0);
    is_number(driver.cuEventQuery(event[A]), CU_NOT_READY, "work of a stream that is gone is left");
    pinned[0] = 50;
    DO(cuEventSynchronize, event[A]);
    is_number(number_at(at[X]), 50, "until somebody waits for it");
}

/* ------------------------------------------------------------------------- what behind what -- */

static void is_lost(const char *why)
{
    is_number(driver.cuStreamSynchronize(stream[B]), CU_ILLEGAL_ADDRESS, "%s", why);
    is_number(driver.cuStreamSynchronize(stream[A]), CU_ILLEGAL_ADDRESS, "for all streams");
    is_number(driver.cuStreamQuery(stream[C]), CU_ILLEGAL_ADDRESS, "whatever is asked");
    reset();
}

/* Whether another stream may use what one has just allocated. Without a pool, it may. */
static cu_result used_after(void (*between)(void))
{
    cu_address fresh = get(A);
    between();
    cu_result result = in(B, fresh, &pinned[0]);
    if (result != CU_OK)
        reset();
    DO(cuEventRecord, event[B], stream[B]);
    DO(cuStreamWaitEvent, stream[A], event[B], 0);
    must(put(fresh, A) == CU_OK, "it goes");
    return result;
}

static void nothing(void)
{
}
static void waits_for_stream(void)
{
    DO(cuStreamSynchronize, stream[A]);
}
static void waits_for_another(void)
{
    DO(cuStreamSynchronize, stream[C]);
}
static void asks_stream(void)
{
    DO(cuStreamQuery, stream[A]);
}
static void records(void)
{
    DO(cuEventRecord, event[A], stream[A]);
}
static void waits_for_event(void)
{
    records();
    DO(cuEventSynchronize, event[A]);
}
static void is_behind(void)
{
    records();
    DO(cuStreamWaitEvent, stream[B], event[A], 0);
}
static void is_behind_what_was_before(void)
{
    DO(cuStreamWaitEvent, stream[B], event[C], 0);
}
static void is_behind_what_it_is_now(void)
{
    records();
    DO(cuEventRecord, event[A], stream[C]);
    DO(cuStreamWaitEvent, stream[B], event[A], 0);
}
static void is_behind_a_third(void)
{
    records();
    DO(cuStreamWaitEvent, stream[C], event[A], 0);
    DO(cuEventRecord, event[C], stream[C]);
    DO(cuStreamWaitEvent, stream[B], event[C], 0);
}

static void fresh_memory(void)
{
    cu_result without = pool ? CU_ILLEGAL_ADDRESS : CU_OK;
    DO(cuEventRecord, event[C], stream[A]);
    is_number(used_after(nothing), without, "memory of a stream that nothing else knows of");
    is_number(used_after(waits_for_another), without, "a wait for anything else does not help");
    is_number(used_after(records), without, "nor an event that nobody waits for");
    DO(cuEventRecord, event[C], stream[A]);
    is_number(used_after(is_behind_what_was_before), without, "nor one that was before");
    is_number(used_after(is_behind_what_it_is_now), without, "nor one that was recorded again elsewhere");
    is_number(used_after(waits_for_stream), CU_OK, "a wait for the stream does");
    is_number(used_after(asks_stream), CU_OK, "so does it to ask, if it is done");
    is_number(used_after(waits_for_event), CU_OK, "so does a wait for an event");
    is_number(used_after(is_behind), CU_OK, "so does a stream's wait for one");
    is_number(used_after(is_behind_a_third), CU_OK, "also by way of a third");
}

/* Its free needs an order, too. */
static void freed_elsewhere(void)
{
    if (!pool)
        return;
    cu_address fresh = get(A);
    is_number(put(fresh, B), CU_ILLEGAL_ADDRESS, "a free that may come first");
    is_lost("is an error");
    waits_for_stream();
    is_number(put(fresh, B), CU_OK, "behind it, any stream frees");
}

static void freed_too_early(void)
{
    cu_address fresh = get(A);
    must(in(A, fresh, &pinned[0]) == CU_OK, "content");
    DO(cuStreamSynchronize, stream[A]);
    must(within(B, at[Y], fresh) == CU_OK, "work of another stream on it");
    DO(cuEventRecord, event[B], stream[B]);
    DO(cuStreamWaitEvent, stream[A], event[B], 0);
    is_number(put(fresh, A), CU_OK, "freed behind that");
    is_number(number_at(at[Y]), 10, "it was there");
    if (!pool)
        return;
    fresh = get(A);
    DO(cuStreamSynchronize, stream[A]);
    must(within(B, at[Y], fresh) == CU_OK, "the same again");
    is_number(put(fresh, A), CU_OK, "freed before");
    is_lost("it is gone");
    is_number(number_at(at[Y]), 10, "nothing was copied");
}

static void pinned_freed_too_early(void)
{
    void *host = NULL;
    DO(cuMemHostAlloc, &host, sizeof(int), 0);
    DO(cuStreamSynchronize, stream[A]);
    must(in(A, at[Y], &pinned[0]) == CU_OK && in(A, at[Y], &pinned[1]) == CU_OK, "work");
    DO(cuEventRecord, event[A], stream[A]);
    must(out(B, host, at[X]) == CU_OK, "work on memory of the host");
    DO(cuMemFreeHost, host);
    is_lost("it is gone");
    is_number(driver.cuEventQuery(event[A]), CU_OK, "nothing is left of other streams' work");
}

/* ---------------------------------------------------------------------------------- kernels -- */

struct row {
    uint64_t to, from, bytes;
};

static void moves(int by, cu_function mover, cu_address table, cu_address to, cu_address from)
{
    const struct row row = {to, from, sizeof(int)};
    uint64_t n = 1;
    void *parameters[] = {&table, &n};
    DO(cuMemcpyHtoDAsync_v2, table, &row, sizeof row, stream[by]);
    DO(cuLaunchKernel, mover, 1, 1, 1, 32, 1, 1, 0, stream[by], parameters, NULL);
}

static void test_stream_kernels(void)
{
    cu_module module = NULL;
    cu_function mover = NULL;
    cu_address table = 0, to = 0, from = 0; /* apart by whole words, as it wants them */
    DO(cuModuleLoadData, &module, accd__cuda_kernels);
    DO(cuModuleGetFunction, &mover, module, ACCD_MOVE_PIECES);
    DO(cuMemAlloc_v2, &table, sizeof(struct row));
    to = get(A), from = get(A);
    DO(cuStreamSynchronize, stream[A]);
    must(in(B, from, &pinned[0]) == CU_OK, "what is moved");
    moves(B, mover, table, to, from);
    must(out(B, &pinned[1], to) == CU_OK, "and back");
    pinned[0] = 50;
    is_number(pinned[1], 11, "a kernel runs when somebody waits");
    DO(cuStreamSynchronize, stream[B]);
    is_number(pinned[1], 50, "behind what comes before it, before what comes behind");
    cu_address fresh = get(A);
    moves(B, mover, table, fresh, from);
    cu_result result = driver.cuStreamSynchronize(stream[B]);
    is_number(result, pool ? CU_ILLEGAL_ADDRESS : CU_OK, "memory of a stream that it does not come behind");
    reset();
    moves(B, mover, table, fresh, from);
    DO(cuStreamSynchronize, stream[A]);
    result = driver.cuStreamSynchronize(stream[B]);
    is_number(result, pool ? CU_ILLEGAL_ADDRESS : CU_OK, "nor did when it was launched");
    reset();
    moves(B, mover, table, fresh, from);
    DO(cuStreamSynchronize, stream[B]);
    is_number(number_at(fresh), 50, "now it does");
    must(put(fresh, A) == CU_OK && put(to, A) == CU_OK && put(from, A) == CU_OK, "all goes");
    DO(cuMemFree_v2, table);
    DO(cuModuleUnload, module);
}

int main(void)
{
    static const struct {
        const char *title;
        void (*run)(void);
    } tests[] = {
        {"independent", independent},
        {"up to an event", up_to_an_event},
        {"one stream behind another", one_stream_behind_another},
        {"asking", asking},
        {"pageable", pageable},
        {"batches", batches},
        {"destroyed", destroyed},
        {"fresh memory", fresh_memory},
        {"freed elsewhere", freed_elsewhere},
        {"freed too early", freed_too_early},
        {"pinned memory freed too early", pinned_freed_too_early},
        {"kernels", test_stream_kernels},
    };
    char why[200];
    standin_find("standin_reset", &reset);
    standin_find("standin_live", &live);
    if (!reset || !live || accd__cuda_load_driver(&driver, why, sizeof why) != CU_OK) {
        printf("Bail out! libcuda.so.1 is not the stand-in\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        set_up();
        tests[i].run();
        tear_down(tests[i].title);
    }
    return done();
}
