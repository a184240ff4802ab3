/* directory.c - the experiments of document DIR's section 5, and what an environment costs; for
 * directory.lua, which prints and draws.
 *
 *     directory overhead EXPERIMENT MOST [BACKEND]
 *         for arrays of up to MOST bytes a line: bytes, ns by hand, ns
 *     directory cost KIND K MOST DEPTH
 *         for K clauses over up to MOST live intervals a line: intervals, ns for each clause
 *
 * By hand is what a program without any directory does: it calls the device's own functions, on the
 * same device, for the same moves and the same kernels. Both take turns. Of many runs the first
 * quartile counts: what else the machine does disturbs the others.
 *
 * BACKEND must be one whose memory the kernels here can use, "direct"; a device with kernels of its
 * own needs others in their place. */
#include "core.h"

#include <accdeep_directory.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FLOAT = sizeof(float), PAIRS_MOST = 20001, PAIRS_LEAST = 41 };
static const double BUDGET = 3e9; /* ns for each size, as long as there are enough pairs */

static accd_stacks *stacks;
static struct accd_directory *device;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *checked(void *block)
{
    if (block)
        return block;
    fprintf(stderr, "directory: not enough memory\n");
    exit(1);
}

static void check(accd_status status)
{
    if (status == ACCD_OK)
        return;
    fprintf(stderr, "directory: %s: %s\n", accd_status_code(status),
            accd_stacks_error(stacks)->message);
    exit(1);
}

static int by_value(const void *x, const void *y)
{
    const double *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* The value that a quarter of them do not reach. */
static double quartile(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return values[(n - 1) / 4];
}

/* ---------------------------------------------------------------------- a device by hand -- */

static float *take(size_t n)
{
    uint64_t address;
    check(device->ops->alloc(device->device, n * FLOAT, &address));
    return (float *)(uintptr_t)address;
}

static void give(float *block)
{
    check(device->ops->free(device->device, (uintptr_t)block));
}

static void send(float *to, const float *from, size_t n)
{
    check(device->ops->begin(device->device, &(struct accd_traffic){.in = 1}));
    memcpy(device->ops->stage(device->device, (uintptr_t)to, n * FLOAT), from, n * FLOAT);
    check(device->ops->end(device->device));
}

static void fetch(float *to, const float *from, size_t n)
{
    check(device->ops->begin(device->device, &(struct accd_traffic){.out = 1}));
    memcpy(to, device->ops->fetch(device->device, (uintptr_t)from, n * FLOAT), n * FLOAT);
    check(device->ops->end(device->device));
}

static float *on_device(const float *host)
{
    uint64_t address;
    check(device_address(stacks, 0, host, &address));
    return (float *)(uintptr_t)address;
}

/* --------------------------------------------------------------------------- experiments -- */

enum { ARRAYS = 12, MOVED = 7 };
static float *host[ARRAYS], *resident[ARRAYS];

static __attribute__((noinline)) void add(float *restrict to, const float *restrict x,
                                          const float *restrict y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = x[i] + y[i];
}

/* Three vector additions, the second one on the host. */
static void vector_by_hand(size_t n)
{
    float *a = take(n), *b = take(n), *c = take(n);
    send(a, host[0], n);
    send(b, host[1], n);
    add(c, a, b, n);
    fetch(host[2], c, n);
    add(host[1], host[0], host[2], n);
    send(b, host[1], n);
    add(c, a, b, n);
    fetch(host[2], c, n);
    give(a);
    give(b);
    give(c);
}

static void vector(size_t n)
{
    const int64_t length = (int64_t)n;
    check(new_dataE(stacks, 0));
    check(read_pragma(stacks));
    check(pragma_copyin(stacks, host[0], 0, length, FLOAT));
    check(pragma_copyin(stacks, host[1], 0, length, FLOAT));
    check(pragma_copyout(stacks, host[2], 0, length, FLOAT));
    check(write_pragma(stacks));
    float *a = on_device(host[0]), *b = on_device(host[1]), *c = on_device(host[2]);
    add(c, a, b, n);
    check(pragma_update(stacks, 0, ACCD_UPDATE_SELF, host[2], 0, length, FLOAT));
    add(host[1], host[0], host[2], n);
    check(pragma_update(stacks, 0, ACCD_UPDATE_DEVICE, host[1], 0, length, FLOAT));
    add(c, a, b, n);
    check(end_dataE(stacks, 0));
}

/* The schedule of a hydrodynamics code: of twelve arrays five stay on the device, seven are moved
 * there and back in each step, which has two phases. Real ones compute more. */
static void step_kernel(float *const moved[MOVED], size_t n)
{
    for (int phase = 0; phase < 2; phase++)
        for (int i = 0; i < MOVED; i++)
            add(moved[i], resident[MOVED + (i + phase) % (ARRAYS - MOVED)], moved[(i + 1) % MOVED],
                n);
}

static void step_by_hand(size_t n)
{
    float *moved[MOVED];
    for (int i = 0; i < MOVED; i++)
        moved[i] = take(n);
    for (int i = 0; i < MOVED; i++)
        send(moved[i], host[i], n);
    step_kernel(moved, n);
    for (int i = 0; i < MOVED; i++)
        fetch(host[i], moved[i], n);
    for (int i = 0; i < MOVED; i++)
        give(moved[i]);
}

/* An environment for each step, which names all twelve. */
static void step(size_t n)
{
    float *moved[MOVED];
    check(new_dataE(stacks, 0));
    check(read_pragma(stacks));
    for (int i = 0; i < ARRAYS; i++)
        check((i < MOVED ? pragma_copy : pragma_pcopyin)(stacks, host[i], 0, (int64_t)n, FLOAT));
    check(write_pragma(stacks));
    for (int i = 0; i < MOVED; i++)
        moved[i] = on_device(host[i]);
    step_kernel(moved, n);
    check(end_dataE(stacks, 0));
}

/* All twelve stay; each step updates the seven. */
static void updates_by_hand(size_t n)
{
    for (int i = 0; i < MOVED; i++)
        send(resident[i], host[i], n);
    step_kernel(resident, n);
    for (int i = 0; i < MOVED; i++)
        fetch(host[i], resident[i], n);
}

static void updates(size_t n)
{
    float *moved[MOVED];
    for (int i = 0; i < MOVED; i++)
        check(pragma_update(stacks, 0, ACCD_UPDATE_DEVICE, host[i], 0, (int64_t)n, FLOAT));
    for (int i = 0; i < MOVED; i++)
        moved[i] = on_device(host[i]);
    step_kernel(moved, n);
    for (int i = 0; i < MOVED; i++)
        check(pragma_update(stacks, 0, ACCD_UPDATE_SELF, host[i], 0, (int64_t)n, FLOAT));
}

static const struct experiment {
    const char *name;
    void (*by_hand)(size_t n), (*run)(size_t n);
    int first_resident; /* arrays that an environment around holds, ARRAYS: none */
} experiments[] = {
    {"vector", vector_by_hand, vector, ARRAYS},
    {"steps", step_by_hand, step, MOVED},
    {"updates", updates_by_hand, updates, 0},
};

static double timed(void (*run)(size_t n), size_t n)
{
    double start = now();
    run(n);
    return now() - start;
}

static void measure(const struct experiment *experiment, size_t n)
{
    static double by_hand[PAIRS_MOST], ours[PAIRS_MOST];
    size_t pairs = 0;
    /* The device gives out what was given back last: with each run the blocks change places. In
     * pairs of changing order both meet both. */
    for (int i = 0; i < 3; i++) { /* all memory is there */
        experiment->by_hand(n);
        experiment->run(n);
    }
    double started = now();
    while (pairs < PAIRS_LEAST || (pairs < PAIRS_MOST && now() - started < BUDGET)) {
        if (pairs % 2)
            ours[pairs] = timed(experiment->run, n);
        by_hand[pairs] = timed(experiment->by_hand, n);
        if (pairs % 2 == 0)
            ours[pairs] = timed(experiment->run, n);
        pairs++;
    }
    printf("%zu %.1f %.1f\n", n * FLOAT, quartile(by_hand, pairs), quartile(ours, pairs));
    fflush(stdout);
}

static void overhead(const struct experiment *experiment, size_t most)
{
    uint64_t low, high;
    if (!accd_device_space(accd_stacks_context(stacks), 0, &low, &high)) {
        fprintf(stderr, "directory: kernels cannot use the memory of this backend\n");
        exit(1);
    }
    for (size_t bytes = 64; bytes <= most; bytes *= 4) {
        size_t n = bytes / FLOAT;
        float *hosts = checked(aligned_alloc(64, ARRAYS * bytes));
        for (size_t i = 0; i < ARRAYS * n; i++)
            hosts[i] = 0; /* sums stay what they are */
        for (size_t i = 0; i < ARRAYS; i++)
            host[i] = hosts + i * n;
        check(new_dataE(stacks, 0));
        check(read_pragma(stacks));
        for (int i = experiment->first_resident; i < ARRAYS; i++)
            check(pragma_copyin(stacks, host[i], 0, (int64_t)n, FLOAT));
        check(write_pragma(stacks));
        for (int i = experiment->first_resident; i < ARRAYS; i++)
            resident[i] = on_device(host[i]);
        measure(experiment, n);
        check(end_dataE(stacks, 0));
        free(hosts);
    }
}

/* ---------------------------------------------------------------------------------- cost -- */

/* A place for each interval: the interval, a gap, and what a clause adds behind it. Nobody touches
 * the host's memory. */
enum { PLACE = 256, LENGTH = 16, BEHIND = 32, CHOSEN = 160000, BATCH = 1000, ROUNDS = 5 };

static uint64_t next_random(uint64_t *state) /* xorshift64* */
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Du;
}

struct cost {
    char *places;
    size_t n, k;
    uint64_t seed;
    const char *kind; /* what the clauses ask for: new, present, or fused data */
    void **chosen; /* places of clauses, those of one environment behind those of another: so many
                      that they do not stay in caches */
};

/* One from each part of the memory, in any order. */
static void choose(struct cost *cost)
{
    for (size_t first = 0; first < CHOSEN; first += cost->k)
        for (size_t i = 0; i < cost->k; i++) {
            void **places = cost->chosen + first;
            size_t from = i * cost->n / cost->k, to = (i + 1) * cost->n / cost->k;
            size_t other = next_random(&cost->seed) % (i + 1);
            places[i] = places[other];
            places[other] = cost->places + (from + next_random(&cost->seed) % (to - from)) * PLACE;
        }
}

static void environment(const struct cost *cost, void *const *places)
{
    check(new_dataE(stacks, 0));
    check(read_pragma(stacks));
    for (size_t i = 0; i < cost->k; i++) {
        if (*cost->kind == 'p')
            check(pragma_present(stacks, places[i], 0, LENGTH, FLOAT));
        else if (*cost->kind == 'f')
            check(pragma_create(stacks, places[i], BEHIND, LENGTH, FLOAT));
        else
            check(pragma_create(stacks, (float *)places[i] + BEHIND, 0, LENGTH, FLOAT));
    }
    check(write_pragma(stacks));
    check(end_dataE(stacks, 0));
}

static double cost_of(struct cost *cost)
{
    enum { BATCHES = CHOSEN / BATCH * ROUNDS };
    static double batches[BATCHES];
    size_t next = 0;
    choose(cost);
    for (size_t first = 0; first < CHOSEN; first += cost->k) /* all memory is there */
        environment(cost, cost->chosen + first);
    for (size_t batch = 0; batch < BATCHES; batch++) {
        double start = now();
        for (size_t end = next + BATCH; next < end; next += cost->k)
            environment(cost, cost->chosen + next);
        batches[batch] = (now() - start) / BATCH;
        next %= CHOSEN;
    }
    return quartile(batches, BATCHES);
}

/* The live intervals are those of the outermost environment; each other one adds one. */
static void open_levels(const struct cost *cost, const float *above, int depth)
{
    for (int level = 0; level < depth; level++) {
        check(new_dataE(stacks, 0));
        check(read_pragma(stacks));
        for (size_t i = 0; level == 0 && i < cost->n; i++)
            check(pragma_create(stacks, cost->places + i * PLACE, 0, LENGTH, FLOAT));
        if (level)
            check(pragma_create(stacks, above + level * PLACE / FLOAT, 0, LENGTH, FLOAT));
        check(write_pragma(stacks));
    }
}

static void costs(const char *kind, size_t k, size_t most, int depth)
{
    float *above = checked(calloc((size_t)depth, PLACE));
    for (size_t n = k; n <= most; n *= 10) {
        struct cost cost = {.n = n, .k = k, .seed = 88172645463325252u, .kind = kind};
        cost.places = checked(malloc(n * PLACE));
        cost.chosen = checked(malloc((CHOSEN + k) * sizeof *cost.chosen));
        open_levels(&cost, above, depth);
        printf("%zu %.1f\n", n, cost_of(&cost));
        fflush(stdout);
        for (int level = 0; level < depth; level++)
            check(end_dataE(stacks, 0));
        free(cost.chosen);
        free(cost.places);
    }
    free(above);
}

static size_t number(const char *text)
{
    return strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
    bool overheads = argc > 3 && !strcmp(argv[1], "overhead");
    accd_context_config config;
    accd_context_config_init(&config);
    config.threads = 1;
    config.backend = accd_backend_named(argc > 4 && overheads ? argv[4] : "direct");
    if (argc < (overheads ? 4 : 6) || !config.backend ||
        accd_stacks_open(&stacks, &config) != ACCD_OK) {
        fprintf(stderr, "usage: directory overhead vector|steps|updates MOST [BACKEND]\n"
                        "       directory cost new|present|fuse K MOST DEPTH\n");
        return 2;
    }
    device = accd_directory_of(accd_stacks_context(stacks), 0);
    if (!overheads)
        costs(argv[2], number(argv[3]), number(argv[4]), (int)number(argv[5]));
    for (size_t i = 0; overheads && i < sizeof experiments / sizeof experiments[0]; i++)
        if (!strcmp(argv[2], experiments[i].name))
            overhead(&experiments[i], number(argv[3]));
    accd_stacks_close(stacks);
    return 0;
}
