/* What moving data costs on a device, beside what the same costs by hand. Ratios are of one run.
 *
 *   bench [objects ...]
 *
 * 1. steps of deep data, beside one plain array of as many bytes
 * 2. deep copyin, beside calls of the driver and a pack by hand
 * 3. updates of flat data, beside calls of the driver
 * 4. the worst of these, beside what is aimed at
 *
 * The best of some times counts. Which device: ACCDEEP_TEST_BACKEND, "cuda" or "sim", which has no driver. */
#include "../core/support.h"

#include <driver.h>

#include <time.h>
#include <unistd.h>

enum { FLOATS = 16, LONG_FLOATS = 1024, TIMES = 5, LARGE_TIMES = 3 };
static const size_t large = (size_t)256 << 20;

static double get_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void keep_best(double started, double *best_p)
{
    double took = get_seconds() - started;
    *best_p = *best_p == 0 || took < *best_p ? took : *best_p;
}

static void time_construct(accd_context *context, accd_construct_kind kind, accd_item item, double *best_p)
{
    double started = get_seconds();
    accd_construct construct = {.kind = kind, .items = &item, .nitems = 1};
    if (accd_run_construct(context, &construct, NULL) != ACCD_OK) {
        printf("%s\n", accd_context_error(context)->message);
        exit(1);
    }
    keep_best(started, best_p);
}

static accd_context *open_threads(unsigned threads)
{
    accd_context_config config;
    accd_context *context = NULL;
    accd_device_info none = {0};
    init_config(&config);
    config.threads = threads;
    config.no_device = &none;
    if (accd_context_new(&context, &config) != ACCD_OK) {
        printf("%s\n", none.why);
        exit(1);
    }
    return context;
}

/* -------------------------------------------------------------------------------------- aims -- */

/* What is aimed at, and the worst that was measured. At least: a share of a plain copy's speed; at most: a multiple of
 * the driver's time, or microseconds more. */
enum aim { ONE_THREAD, SIXTEEN_THREADS, LONG_ARRAYS, LARGE_UPDATE, SMALL_UPDATE, AIMS };
static struct {
    const char *what;
    double bound;
    bool at_least, measured;
    double worst;
} aims[AIMS] = {
    [ONE_THREAD] = {"deep copyin of a million objects, 64-byte arrays, 1 thread: plain / deep", 0.1, true},
    [SIXTEEN_THREADS] = {"the same with 16 threads", 0.5, true},
    [LONG_ARRAYS] = {"the same with 4 KiB arrays, 16 threads", 0.8, true},
    [LARGE_UPDATE] = {"a flat update from 1 MiB on: directive / raw", 1.01, false},
    [SMALL_UPDATE] = {"a flat update below 1 MiB: microseconds more than raw", 2, false},
};
enum { AIMED_OBJECTS = 1000000, LARGE_BYTES = 1 << 20 };

static void record_aim(enum aim aim, double value)
{
    if (!aims[aim].measured || (aims[aim].at_least ? value < aims[aim].worst : value > aims[aim].worst))
        aims[aim].worst = value;
    aims[aim].measured = true;
}

static void print_aims(void)
{
    printf("\nAims\n%-72s | %13s | %s\n", "", "aim", "worst");
    for (int i = 0; i < AIMS; i++) {
        bool holds = aims[i].at_least ? aims[i].worst >= aims[i].bound : aims[i].worst <= aims[i].bound;
        printf("%-72s | %s %4.2f |", aims[i].what, aims[i].at_least ? "at least" : "at most ", aims[i].bound);
        if (aims[i].measured)
            printf(" %6.3f %s\n", aims[i].worst, holds ? "holds" : "MISSED");
        else
            printf(" not measured\n");
    }
}

/* -------------------------------------------------------------------------------------- data -- */

struct forest {
    size_t n, floats, bytes; /* bytes: all that a deep copy moves */
    struct leaf *leaves;
    float *values;
};

/* Arrays of their own for each leaf: far apart and out of order, or one behind the other. */
static struct forest new_forest(size_t n, size_t floats, bool ordered)
{
    struct forest forest = {n, floats, n * (sizeof(struct leaf) + 2 * floats * sizeof(float)),
                            malloc(n * sizeof(struct leaf)), malloc(n * 2 * floats * sizeof(float))};
    memset(forest.values, 0, n * 2 * floats * sizeof(float));
    for (size_t i = 0; i < n; i++) {
        float *at = forest.values + (ordered ? i : i * 7919 % n) * 2 * floats;
        forest.leaves[i] = (struct leaf){(int)floats, at, at + floats};
    }
    return forest;
}

static void cut(struct forest *forest)
{
    free(forest->leaves);
    free(forest->values);
}

static int times_for(size_t bytes)
{
    return bytes > large ? LARGE_TIMES : TIMES;
}

/* ------------------------------------------------------------------------------------ 1. steps -- */

enum { ENTER_DEEP, SEND, FETCH, LEAVE, PLAIN_IN, PLAIN_OUT, STEPS };

static void measure_steps(accd_context *context, size_t n)
{
    accd_program *program = leaf_program(context);
    const accd_label *label = array(context, "Y", sizeof(struct leaf), program);
    struct forest forest = new_forest(n, FLOATS, false);
    const size_t bytes = n * sizeof(struct leaf);
    char *plain = malloc(forest.bytes);
    double best[STEPS] = {0};
    memset(plain, 1, forest.bytes);
    for (int time = 0; time < TIMES; time++) {
        time_construct(context, ACCD_KIND_ENTER_DATA, walked(ACCD_ACTION_COPYIN, forest.leaves, bytes, program, label),
                       &best[ENTER_DEEP]);
        time_construct(context, ACCD_KIND_UPDATE,
                       walked(ACCD_ACTION_UPDATE_DEVICE, forest.leaves, bytes, program, label), &best[SEND]);
        time_construct(context, ACCD_KIND_UPDATE, walked(ACCD_ACTION_UPDATE_SELF, forest.leaves, bytes, program, label),
                       &best[FETCH]);
        time_construct(context, ACCD_KIND_EXIT_DATA, walked(ACCD_ACTION_COPYOUT, forest.leaves, bytes, program, label),
                       &best[LEAVE]);
        time_construct(context, ACCD_KIND_ENTER_DATA, BYTES(ACCD_ACTION_COPYIN, plain, forest.bytes), &best[PLAIN_IN]);
        time_construct(context, ACCD_KIND_EXIT_DATA, BYTES(ACCD_ACTION_COPYOUT, plain, forest.bytes), &best[PLAIN_OUT]);
    }
    printf("%9zu %8.1f |", n, (double)forest.bytes / (1 << 20));
    for (int s = 0; s < STEPS; s++)
        printf(" %9.1f", best[s] * 1e6);
    printf(" | %5.3f %5.3f\n", best[PLAIN_IN] / best[ENTER_DEEP], best[PLAIN_OUT] / best[LEAVE]);
    accd_program_release(program);
    free(plain);
    cut(&forest);
}

static void steps(const size_t *sizes, int nsizes)
{
    accd_context *context = open_threads(0);
    printf("\nSteps, 64-byte arrays far apart; microseconds\n%9s %8s | %9s %9s %9s %9s %9s %9s | %s\n", "objects",
           "MiB", "copyin", "to device", "to self", "copyout", "plain in", "plain out", "plain / deep, in and out");
    for (int i = 0; i < nsizes; i++)
        measure_steps(context, sizes[i]);
    accd_context_free(context);
}

/* ---------------------------------------------------------------------------------- the driver -- */

/* The driver as a program would use it by hand. */
struct raw {
    struct cuda_driver driver;
    cu_context context;
    cu_device gpu;
    cu_stream stream;
};

#define RAW(raw, symbol, ...) ((raw)->driver.symbol(__VA_ARGS__) == CU_OK ? (void)0 : raw_failed(#symbol))
static void raw_failed(const char *call)
{
    printf("%s failed\n", call);
    exit(1);
}

static void raw_open(struct raw *raw)
{
    char why[200] = "";
    if (accd__cuda_load_driver(&raw->driver, why, sizeof why) != CU_OK) {
        printf("%s\n", why);
        exit(1);
    }
    RAW(raw, cuDeviceGet, &raw->gpu, 0);
    RAW(raw, cuDevicePrimaryCtxRetain, &raw->context, raw->gpu);
    RAW(raw, cuCtxPushCurrent_v2, raw->context);
    RAW(raw, cuStreamCreate, &raw->stream, CU_STREAM_NON_BLOCKING_FLAG);
}

static void raw_close(struct raw *raw)
{
    RAW(raw, cuStreamDestroy_v2, raw->stream);
    RAW(raw, cuCtxPopCurrent_v2, &raw->context);
    RAW(raw, cuDevicePrimaryCtxRelease_v2, raw->gpu);
}

static void raw_send(struct raw *raw, cu_address to, const void *from, size_t bytes)
{
    RAW(raw, cuMemcpyHtoDAsync_v2, to, from, bytes, raw->stream);
    RAW(raw, cuStreamSynchronize, raw->stream);
}

/* ------------------------------------------------------------------------------ 2. deep copyin -- */

/* One allocation and one copy for each array, then the structures. */
static double one_by_one(struct raw *raw, const struct forest *forest)
{
    const size_t n = forest->n, bytes = forest->floats * sizeof(float);
    cu_address *at = malloc((2 * n + 1) * sizeof *at);
    struct leaf *leaves = malloc(n * sizeof *leaves);
    double best = 0;
    for (int time = 0; time < LARGE_TIMES; time++) {
        double started = get_seconds();
        for (size_t i = 0; i < n; i++) {
            RAW(raw, cuMemAlloc_v2, &at[2 * i], bytes);
            RAW(raw, cuMemcpyHtoDAsync_v2, at[2 * i], forest->leaves[i].a, bytes, raw->stream);
            RAW(raw, cuMemAlloc_v2, &at[2 * i + 1], bytes);
            RAW(raw, cuMemcpyHtoDAsync_v2, at[2 * i + 1], forest->leaves[i].b, bytes, raw->stream);
            leaves[i] =
                (struct leaf){forest->leaves[i].n, (float *)(uintptr_t)at[2 * i], (float *)(uintptr_t)at[2 * i + 1]};
        }
        RAW(raw, cuMemAlloc_v2, &at[2 * n], n * sizeof *leaves);
        raw_send(raw, at[2 * n], leaves, n * sizeof *leaves);
        keep_best(started, &best);
        for (size_t i = 0; i <= 2 * n; i++)
            RAW(raw, cuMemFree_v2, at[i]);
    }
    free(leaves);
    free(at);
    return best;
}

/* Structures and arrays behind each other in page-locked memory, and one copy. */
static void pack(const struct forest *forest, char *to, cu_address dev)
{
    const size_t n = forest->n, bytes = forest->floats * sizeof(float);
    char *arrays = to + n * sizeof(struct leaf);
    for (size_t i = 0; i < n; i++, arrays += 2 * bytes) {
        uint64_t at = dev + (uint64_t)(arrays - to);
        const struct leaf *leaf = &forest->leaves[i];
        struct leaf there = {leaf->n, (float *)(uintptr_t)at, (float *)(uintptr_t)(at + bytes)};
        memcpy(to + i * sizeof there, &there, sizeof there);
        memcpy(arrays, leaf->a, bytes);
        memcpy(arrays + bytes, leaf->b, bytes);
    }
}

static void by_hand(struct raw *raw, const struct forest *forest, double *plain_p, double *packed_p)
{
    void *pinned = NULL;
    cu_address dev;
    RAW(raw, cuMemHostAlloc, &pinned, forest->bytes, 0);
    RAW(raw, cuMemAlloc_v2, &dev, forest->bytes);
    memset(pinned, 1, forest->bytes);
    for (int time = 0; time < times_for(forest->bytes); time++) {
        double started = get_seconds();
        raw_send(raw, dev, pinned, forest->bytes);
        keep_best(started, plain_p);
        started = get_seconds();
        pack(forest, pinned, dev);
        raw_send(raw, dev, pinned, forest->bytes);
        keep_best(started, packed_p);
    }
    RAW(raw, cuMemFree_v2, dev);
    RAW(raw, cuMemFreeHost, pinned);
}

static double copyin(const struct forest *forest, unsigned threads)
{
    accd_context *context = open_threads(threads);
    accd_program *program = leaf_program(context);
    const accd_label *label = array(context, "Y", sizeof(struct leaf), program);
    const size_t bytes = forest->n * sizeof(struct leaf);
    double best = 0, leave = 0;
    for (int time = 0; time < times_for(forest->bytes); time++) {
        time_construct(context, ACCD_KIND_ENTER_DATA, walked(ACCD_ACTION_COPYIN, forest->leaves, bytes, program, label),
                       &best);
        time_construct(context, ACCD_KIND_EXIT_DATA, walked(ACCD_ACTION_DELETE, forest->leaves, bytes, program, label),
                       &leave);
    }
    accd_program_release(program);
    accd_context_free(context);
    return best;
}

/* A quarter of what the host has, and of what the device has: there are several copies of all data. */
static size_t most_bytes(const accd_device_info *device)
{
    uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    return (size_t)((host < device->bytes ? host : device->bytes) / 4);
}

static void measure_copyin(struct raw *raw, size_t n, size_t floats, bool ordered, size_t most)
{
    enum { ONE_BY_ONE_MOST = 10000 };
    const double bytes = (double)n * (double)(sizeof(struct leaf) + 2 * floats * sizeof(float));
    printf("%9zu %6zu %-9s %8.1f |", n, floats * sizeof(float), ordered ? "in order" : "far apart", bytes / (1 << 20));
    if (bytes > (double)most) {
        printf(" %10s %10s %10s %10s %10s |\n", "-", "-", "-", "-", "-");
        return;
    }
    struct forest forest = new_forest(n, floats, ordered);
    double plain = 0, packed = 0, one = 0, sixteen = 0;
    by_hand(raw, &forest, &plain, &packed);
    one = copyin(&forest, 1);
    sixteen = copyin(&forest, 16);
    if (n == AIMED_OBJECTS && floats == FLOATS)
        record_aim(ONE_THREAD, plain / one);
    if (n == AIMED_OBJECTS)
        record_aim(floats == FLOATS ? SIXTEEN_THREADS : LONG_ARRAYS, plain / sixteen);
    printf(" %10.1f %10.1f %10.1f %10.1f", one * 1e6, sixteen * 1e6, plain * 1e6, packed * 1e6);
    if (n <= ONE_BY_ONE_MOST) {
        double single = one_by_one(raw, &forest);
        printf(" %10.1f | %6.3f %6.3f %7.2f %7.2f %8.1f\n", single * 1e6, plain / one, plain / sixteen, packed / one,
               packed / sixteen, single / one);
    } else {
        printf(" %10s | %6.3f %6.3f %7.2f %7.2f %8s\n", "-", plain / one, plain / sixteen, packed / one,
               packed / sixteen, "-");
    }
    fflush(stdout);
    cut(&forest);
}

static void deep_copyin(struct raw *raw, const accd_device_info *device, const size_t *sizes, int nsizes)
{
    printf("\nDeep copyin of structures with two arrays each, 1 and 16 threads; microseconds\n"
           "%9s %6s %-9s %8s | %10s %10s %10s %10s %10s | %13s %15s %8s\n",
           "objects", "array", "", "MiB", "1 thread", "16 threads", "plain copy", "by hand", "one by one",
           "plain / deep", "by hand / deep", "one by one / deep");
    for (int kind = 0; kind < 4; kind++)
        for (int i = 0; i < nsizes; i++)
            measure_copyin(raw, sizes[i], kind < 2 ? FLOATS : LONG_FLOATS, kind % 2 == 0, most_bytes(device));
}

/* ------------------------------------------------------------------------------ 3. flat updates -- */

static void measure_flat(struct raw *raw, accd_context *context, size_t bytes)
{
    enum { FLAT_TIMES = 20 };
    char *host = malloc(bytes);
    double best[4] = {0}, setup = 0;
    cu_address dev;
    memset(host, 1, bytes);
    time_construct(context, ACCD_KIND_ENTER_DATA, BYTES(ACCD_ACTION_COPYIN, host, bytes), &setup);
    RAW(raw, cuMemAlloc_v2, &dev, bytes);
    for (int time = 0; time < FLAT_TIMES; time++) {
        time_construct(context, ACCD_KIND_UPDATE, BYTES(ACCD_ACTION_UPDATE_DEVICE, host, bytes), &best[0]);
        double started = get_seconds();
        raw_send(raw, dev, host, bytes);
        keep_best(started, &best[1]);
        time_construct(context, ACCD_KIND_UPDATE, BYTES(ACCD_ACTION_UPDATE_SELF, host, bytes), &best[2]);
        started = get_seconds();
        RAW(raw, cuMemcpyDtoHAsync_v2, host, dev, bytes, raw->stream);
        RAW(raw, cuStreamSynchronize, raw->stream);
        keep_best(started, &best[3]);
    }
    RAW(raw, cuMemFree_v2, dev);
    time_construct(context, ACCD_KIND_EXIT_DATA, BYTES(ACCD_ACTION_DELETE, host, bytes), &setup);
    printf("%9zu | %10.2f %10.2f %10.2f %10.2f | %6.2f %6.2f\n", bytes >> 10, best[0] * 1e6, best[1] * 1e6,
           best[2] * 1e6, best[3] * 1e6, best[0] / best[1], best[2] / best[3]);
    for (int way = 0; way < 4; way += 2)
        if (bytes >= LARGE_BYTES)
            record_aim(LARGE_UPDATE, best[way] / best[way + 1]);
        else
            record_aim(SMALL_UPDATE, (best[way] - best[way + 1]) * 1e6);
    free(host);
}

static void flat_updates(struct raw *raw)
{
    accd_context *context = open_threads(1);
    printf("\nUpdates of present flat data in ordinary memory; microseconds\n"
           "%9s | %10s %10s %10s %10s | %s\n",
           "KiB", "device", "raw copy", "self", "raw copy", "directive / raw, to and from");
    for (size_t bytes = 4 << 10; bytes <= (size_t)64 << 20; bytes *= 4)
        measure_flat(raw, context, bytes);
    accd_context_free(context);
}

int main(int argc, char **argv)
{
    enum { SIZES_MOST = 16 };
    size_t sizes[SIZES_MOST] = {100, 1000, 10000, 100000, 1000000};
    int nsizes = 5;
    if (argc > 1)
        for (nsizes = 0; nsizes + 1 < argc && nsizes < SIZES_MOST; nsizes++)
            sizes[nsizes] = strtoull(argv[nsizes + 1], NULL, 10);
    accd_context_config config;
    init_config(&config);
    if (!config.backend || config.backend != accd_find_backend("cuda")) {
        steps(sizes, nsizes);
        return 0;
    }
    accd_device_info device = {0};
    if (accd_device_get_info(config.backend, 0, &device) != ACCD_OK) {
        printf("%s\n", device.why);
        return 1;
    }
    printf("%s\n", device.name);
    if (!strncmp(device.name, "stand-in", strlen("stand-in")))
        printf("That is host memory behind the driver's interface: its figures mean nothing.\n");
    steps(sizes, nsizes);
    struct raw raw;
    raw_open(&raw);
    deep_copyin(&raw, &device, sizes, nsizes);
    flat_updates(&raw);
    print_aims();
    raw_close(&raw);
    return 0;
}
