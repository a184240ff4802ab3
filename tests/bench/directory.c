/* directory.c - the experiments of document DIR's section 5, and what an environment costs; for
 * directory.lua, which prints and draws.
 *
 *     directory about BACKEND
 *         the device that experiments run on, in one line; 77: why they cannot
 *     directory overhead EXPERIMENT MOST [BACKEND]
 *         for arrays of up to MOST bytes a line: bytes, ns by hand, ns
 *     directory cost KIND K MOST DEPTH
 *         for K clauses over up to MOST live intervals a line: intervals, ns for each clause
 *
 * By hand is what a program without any directory does: it calls the device's own functions, on the
 * same device, for the same moves and the same kernels. Both take turns. Of many runs the first
 * quartile counts: what else the machine does disturbs the others. Before that both must have the
 * right sums.
 *
 * BACKEND is "direct", where kernels are functions, or "cuda" (directory_cuda.c). */
#include <table/objects.h>
#include "directory.h"

#include <accdeep_directory.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAIRS_MOST = 20001, PAIRS_LEAST = 41, NO_DEVICE = 77 };
static const double BUDGET = 3e9; /* ns for each size, as long as there are enough pairs */

static accd_stacks *stacks;
static struct accd__device_env *device;
static const struct by_hand *by_hand;
static bool stand_in; /* figures mean nothing: few runs are enough */

static double get_seconds(void)
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

static void check_status(accd_status status)
{
    if (status == ACCD_OK)
        return;
    fprintf(stderr, "directory: %s: %s\n", accd_status_code(status), accd_stacks_error(stacks)->message);
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

static __attribute__((noinline)) void add(float *restrict to, const float *restrict x, const float *restrict y,
                                          size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = x[i] + y[i];
}

static uint64_t direct_take(size_t n)
{
    uint64_t address;
    check_status(device->device.ops->alloc(device->device.handle, 0, n * FLOAT, &address));
    return address;
}

static void direct_give(uint64_t at)
{
    check_status(device->device.ops->free(device->device.handle, at));
}

static void direct_send(uint64_t to, const float *from, size_t n)
{
    check_status(device->device.ops->begin_batch(device->device.handle, &(struct accd__traffic){.in = 1}));
    memcpy(device->device.ops->stage(device->device.handle, to, n * FLOAT, NULL), from, n * FLOAT);
    check_status(device->device.ops->end_batch(device->device.handle));
}

static void direct_fetch(float *to, uint64_t from, size_t n)
{
    check_status(device->device.ops->begin_batch(device->device.handle, &(struct accd__traffic){.out = 1}));
    memcpy(to, device->device.ops->fetch(device->device.handle, from, n * FLOAT, NULL), n * FLOAT);
    check_status(device->device.ops->end_batch(device->device.handle));
}

static void direct_add(const struct sum *sums, size_t nsums)
{
    for (size_t i = 0; i < nsums; i++)
        add((float *)(uintptr_t)sums[i].to, (const float *)(uintptr_t)sums[i].x, (const float *)(uintptr_t)sums[i].y,
            sums[i].n);
}

static void direct_wait(void)
{
}

static const struct by_hand directly = {direct_take, direct_give, direct_send, direct_fetch, direct_add, direct_wait};

static uint64_t find_device_address(const float *host)
{
    uint64_t address;
    check_status(accd_stacks_device_address(stacks, 0, host, &address));
    return address;
}

/* --------------------------------------------------------------------------- experiments -- */

enum { ARRAYS = 12, MOVED = 7 };
static float *host[ARRAYS];
static uint64_t resident[ARRAYS];

/* Kernels are the program's own: constructs do not know of them, nor they of constructs. A construct has
 * moved its data when it returns, and what a kernel does must be over before the next one begins. So both
 * sides wait for their kernels, as a construct that computes would, and differ in nothing but data. */
static void run_sums(const struct sum *sums, size_t nsums)
{
    by_hand->add(sums, nsums);
    by_hand->wait();
}

/* Three vector additions, the second one on the host. */
static void vector_by_hand(size_t n)
{
    uint64_t a = by_hand->take(n), b = by_hand->take(n), c = by_hand->take(n);
    const struct sum sum = {c, a, b, n};
    by_hand->send(a, host[0], n);
    by_hand->send(b, host[1], n);
    run_sums(&sum, 1);
    by_hand->fetch(host[2], c, n);
    by_hand->wait();
    add(host[1], host[0], host[2], n);
    by_hand->send(b, host[1], n);
    run_sums(&sum, 1);
    by_hand->fetch(host[2], c, n);
    by_hand->wait();
    by_hand->give(a);
    by_hand->give(b);
    by_hand->give(c);
}

static void vector(size_t n)
{
    const int64_t length = (int64_t)n;
    check_status(accd_stacks_new_dataE(stacks, 0));
    check_status(accd_stacks_read_pragma(stacks));
    check_status(accd_stacks_pragma_copyin(stacks, host[0], 0, length, FLOAT));
    check_status(accd_stacks_pragma_copyin(stacks, host[1], 0, length, FLOAT));
    check_status(accd_stacks_pragma_copyout(stacks, host[2], 0, length, FLOAT));
    check_status(accd_stacks_write_pragma(stacks));
    const struct sum sum = {find_device_address(host[2]), find_device_address(host[0]), find_device_address(host[1]),
                            n};
    run_sums(&sum, 1);
    check_status(accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_SELF, host[2], 0, length, FLOAT));
    add(host[1], host[0], host[2], n);
    check_status(accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_DEVICE, host[1], 0, length, FLOAT));
    run_sums(&sum, 1);
    check_status(accd_stacks_end_dataE(stacks, 0));
}

static void vector_sums(float v[ARRAYS])
{
    v[2] = v[0] + v[1];
    v[1] = v[0] + v[2];
    v[2] = v[0] + v[1];
}

/* The schedule of a hydrodynamics code: of twelve arrays five stay on the device, seven are moved
 * there and back in each step, which has two phases. Real ones compute more. */
enum { PHASES = 2 };
_Static_assert(PHASES *MOVED <= SUMS_MOST, "all kernels of a step are issued together");

static void step_kernels(const uint64_t moved[MOVED], size_t n)
{
    struct sum sums[PHASES * MOVED];
    size_t nsums = 0;
    for (size_t phase = 0; phase < PHASES; phase++)
        for (size_t i = 0; i < MOVED; i++)
            sums[nsums++] =
                (struct sum){moved[i], resident[MOVED + (i + phase) % (ARRAYS - MOVED)], moved[(i + 1) % MOVED], n};
    run_sums(sums, nsums);
}

static void step_sums(float v[ARRAYS])
{
    for (size_t phase = 0; phase < PHASES; phase++)
        for (size_t i = 0; i < MOVED; i++)
            v[i] = v[MOVED + (i + phase) % (ARRAYS - MOVED)] + v[(i + 1) % MOVED];
}

static void step_by_hand(size_t n)
{
    uint64_t moved[MOVED];
    for (int i = 0; i < MOVED; i++)
        moved[i] = by_hand->take(n);
    for (int i = 0; i < MOVED; i++)
        by_hand->send(moved[i], host[i], n);
    step_kernels(moved, n);
    for (int i = 0; i < MOVED; i++)
        by_hand->fetch(host[i], moved[i], n);
    by_hand->wait();
    for (int i = 0; i < MOVED; i++)
        by_hand->give(moved[i]);
}

/* An environment for each step, which names all twelve. */
static void run_environment_step(size_t n)
{
    uint64_t moved[MOVED];
    check_status(accd_stacks_new_dataE(stacks, 0));
    check_status(accd_stacks_read_pragma(stacks));
    for (int i = 0; i < ARRAYS; i++)
        check_status(
            (i < MOVED ? accd_stacks_pragma_copy : accd_stacks_pragma_pcopyin)(stacks, host[i], 0, (int64_t)n, FLOAT));
    check_status(accd_stacks_write_pragma(stacks));
    for (int i = 0; i < MOVED; i++)
        moved[i] = find_device_address(host[i]);
    step_kernels(moved, n);
    check_status(accd_stacks_end_dataE(stacks, 0));
}

/* All twelve stay; each step updates the seven. */
static void updates_by_hand(size_t n)
{
    for (int i = 0; i < MOVED; i++)
        by_hand->send(resident[i], host[i], n);
    step_kernels(resident, n);
    for (int i = 0; i < MOVED; i++)
        by_hand->fetch(host[i], resident[i], n);
    by_hand->wait();
}

static void time_updates(size_t n)
{
    uint64_t moved[MOVED];
    for (int i = 0; i < MOVED; i++)
        check_status(accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_DEVICE, host[i], 0, (int64_t)n, FLOAT));
    for (int i = 0; i < MOVED; i++)
        moved[i] = find_device_address(host[i]);
    step_kernels(moved, n);
    for (int i = 0; i < MOVED; i++)
        check_status(accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_SELF, host[i], 0, (int64_t)n, FLOAT));
}

static const struct experiment {
    const char *name;
    void (*by_hand)(size_t n), (*run)(size_t n);
    void (*sums)(float v[ARRAYS]); /* what becomes of one element of each array */
    int first_resident;            /* arrays that an environment around holds, ARRAYS: none */
} experiments[] = {
    {"vector", vector_by_hand, vector, vector_sums, ARRAYS},
    {"steps", step_by_hand, run_environment_step, step_sums, MOVED},
    {"updates", updates_by_hand, time_updates, step_sums, 0},
};

/* ------------------------------------------------------------------------------ right sums -- */

/* Small whole numbers: their sums are exact. */
static float value_of(size_t array, size_t i)
{
    return (float)(1 + (7 * array + i) % 100);
}

static void set_values(size_t n)
{
    for (size_t array = 0; array < ARRAYS; array++)
        for (size_t i = 0; i < n; i++)
            host[array][i] = value_of(array, i);
}

static void check_sums(const struct experiment *experiment, void (*run)(size_t n), size_t n)
{
    set_values(n);
    run(n);
    for (size_t i = 0; i < n; i++) {
        float v[ARRAYS];
        for (size_t array = 0; array < ARRAYS; array++)
            v[array] = value_of(array, i);
        experiment->sums(v);
        for (size_t array = 0; array < ARRAYS; array++) {
            if (host[array][i] == v[array])
                continue;
            fprintf(stderr, "directory: %s %s: element %zu of array %zu is %g, not %g\n", experiment->name,
                    run == experiment->run ? "with environments" : "by hand", i, array, (double)host[array][i],
                    (double)v[array]);
            exit(1);
        }
    }
}

/* -------------------------------------------------------------------------------- overhead -- */

static double timed(void (*run)(size_t n), size_t n)
{
    double start = get_seconds();
    run(n);
    return get_seconds() - start;
}

static void measure(const struct experiment *experiment, size_t n)
{
    static double hand[PAIRS_MOST], ours[PAIRS_MOST];
    size_t pairs = 0;
    /* The device gives out what was given back last: with each run the blocks change places. In
     * pairs of changing order both meet both. */
    for (int i = 0; i < 3; i++) { /* all memory is there */
        experiment->by_hand(n);
        experiment->run(n);
    }
    const size_t least = stand_in ? 1 : PAIRS_LEAST;
    const double end = get_seconds() + (stand_in ? 0 : BUDGET);
    while (pairs < least || (pairs < PAIRS_MOST && get_seconds() < end)) {
        if (pairs % 2)
            ours[pairs] = timed(experiment->run, n);
        hand[pairs] = timed(experiment->by_hand, n);
        if (pairs % 2 == 0)
            ours[pairs] = timed(experiment->run, n);
        pairs++;
    }
    printf("%zu %.1f %.1f\n", n * FLOAT, quartile(hand, pairs), quartile(ours, pairs));
    fflush(stdout);
}

static void open_resident(const struct experiment *experiment, size_t n)
{
    check_status(accd_stacks_new_dataE(stacks, 0));
    check_status(accd_stacks_read_pragma(stacks));
    for (int i = experiment->first_resident; i < ARRAYS; i++)
        check_status(accd_stacks_pragma_copyin(stacks, host[i], 0, (int64_t)n, FLOAT));
    check_status(accd_stacks_write_pragma(stacks));
    for (int i = experiment->first_resident; i < ARRAYS; i++)
        resident[i] = find_device_address(host[i]);
}

static void overhead(const struct experiment *experiment, size_t most)
{
    for (size_t bytes = 64; bytes <= most; bytes *= 4) {
        size_t n = bytes / FLOAT;
        float *hosts = checked(aligned_alloc(64, ARRAYS * bytes));
        for (size_t i = 0; i < ARRAYS; i++)
            host[i] = hosts + i * n;
        set_values(n);
        open_resident(experiment, n);
        check_sums(experiment, experiment->by_hand, n);
        check_sums(experiment, experiment->run, n);
        check_status(accd_stacks_end_dataE(stacks, 0));
        for (size_t i = 0; i < ARRAYS * n; i++)
            hosts[i] = 0; /* sums stay what they are */
        open_resident(experiment, n);
        measure(experiment, n);
        check_status(accd_stacks_end_dataE(stacks, 0));
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
    void **chosen;    /* places of clauses, those of one environment behind those of another: so many
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
    check_status(accd_stacks_new_dataE(stacks, 0));
    check_status(accd_stacks_read_pragma(stacks));
    for (size_t i = 0; i < cost->k; i++) {
        if (*cost->kind == 'p')
            check_status(accd_stacks_pragma_present(stacks, places[i], 0, LENGTH, FLOAT));
        else if (*cost->kind == 'f')
            check_status(accd_stacks_pragma_create(stacks, places[i], BEHIND, LENGTH, FLOAT));
        else
            check_status(accd_stacks_pragma_create(stacks, (float *)places[i] + BEHIND, 0, LENGTH, FLOAT));
    }
    check_status(accd_stacks_write_pragma(stacks));
    check_status(accd_stacks_end_dataE(stacks, 0));
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
        double start = get_seconds();
        for (size_t end = next + BATCH; next < end; next += cost->k)
            environment(cost, cost->chosen + next);
        batches[batch] = (get_seconds() - start) / BATCH;
        next %= CHOSEN;
    }
    return quartile(batches, BATCHES);
}

/* The live intervals are those of the outermost environment; each other one adds one. */
static void open_levels(const struct cost *cost, const float *above, int depth)
{
    for (int level = 0; level < depth; level++) {
        check_status(accd_stacks_new_dataE(stacks, 0));
        check_status(accd_stacks_read_pragma(stacks));
        for (size_t i = 0; level == 0 && i < cost->n; i++)
            check_status(accd_stacks_pragma_create(stacks, cost->places + i * PLACE, 0, LENGTH, FLOAT));
        if (level)
            check_status(accd_stacks_pragma_create(stacks, above + level * PLACE / FLOAT, 0, LENGTH, FLOAT));
        check_status(accd_stacks_write_pragma(stacks));
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
            check_status(accd_stacks_end_dataE(stacks, 0));
        free(cost.chosen);
        free(cost.places);
    }
    free(above);
}

static size_t number(const char *text)
{
    return strtoul(text, NULL, 10);
}

/* Whether there is a device by hand; else why says why not. */
static bool find_by_hand(const accd_backend *backend, char *why, size_t room)
{
    uint64_t low, high;
    if (accd_device_address_space(accd_stacks_context(stacks), 0, &low, &high))
        by_hand = &directly;
#ifdef ACCD_HAVE_CUDA
    else if (backend == accd_find_backend("cuda"))
        by_hand = cuda_by_hand(device, why, room);
#endif
    else
        snprintf(why, room, "kernels cannot use the memory of %s", backend->name);
    return by_hand;
}

static int overheads(const char *name, const char *most)
{
    const size_t n = sizeof experiments / sizeof experiments[0];
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, experiments[i].name)) {
            overhead(&experiments[i], number(most));
            return 0;
        }
    fprintf(stderr, "directory: there is no experiment '%s'\n", name);
    return 2;
}

/* One that runs on a device: about, overhead. */
static int run_on(const accd_backend *backend, char **argv)
{
    bool about = !strcmp(argv[1], "about");
    char why[1000];
    accd_device_info info = {0};
    (void)accd_device_get_info(backend, 0, &info);
    stand_in = !strncmp(info.name, "stand-in", strlen("stand-in"));
    device = accd__find_device_env(accd_stacks_context(stacks), 0);
    bool found = find_by_hand(backend, why, sizeof why);
    int status = found ? 0 : NO_DEVICE;
    if (!found)
        fprintf(about ? stdout : stderr, "%s\n", why);
    else if (about)
        printf("%s\n", info.name);
    else
        status = overheads(argv[2], argv[3]);
#ifdef ACCD_HAVE_CUDA
    cuda_by_hand_close();
#endif
    return status;
}

static int usage(void)
{
    fprintf(stderr, "usage: directory about BACKEND\n"
                    "       directory overhead vector|steps|updates MOST [BACKEND]\n"
                    "       directory cost new|present|fuse K MOST DEPTH\n");
    return 2;
}

int main(int argc, char **argv)
{
    bool about = argc == 3 && !strcmp(argv[1], "about");
    bool costly = argc == 6 && !strcmp(argv[1], "cost");
    if (!about && !costly && !(argc >= 4 && argc <= 5 && !strcmp(argv[1], "overhead")))
        return usage();
    accd_context_config config;
    accd_device_info none = {0};
    accd_context_config_init(&config);
    config.threads = 1;
    config.own_kernels = 1;
    config.no_device = &none;
    config.backend = accd_find_backend(about ? argv[2] : argc == 5 ? argv[4] : "direct");
    if (!config.backend)
        return usage();
    if (accd_stacks_new(&stacks, &config) != ACCD_OK) {
        fprintf(stderr, "directory: no device: %s\n", none.why);
        return 1;
    }
    int status = 0;
    if (costly)
        costs(argv[2], number(argv[3]), number(argv[4]), (int)number(argv[5]));
    else
        status = run_on(config.backend, argv);
    accd_stacks_free(stacks);
    return status;
}
