/* The short way of plain constructs does what the general way does. Random constructs are run twice, in two processes
 * that begin alike, so that addresses are the same: once as they are, and once with a listener, which keeps all of
 * them on the general way. After each step status, error, figures, counters, names, device and host are compared. */
#include "accdeep_internal.h"
#include "random_steps.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 1500 };

/* ---------------------------------------------------------------------------------- records -- */

/* What there is after a step. */
struct outcome {
    accd_status status;
    uint64_t error, state, digest, host;
    accd_stats stats;
    char rule[64], message[400], what[400];
};
struct log {
    size_t steps; /* that were made */
    char wrong[400];
    struct outcome at[STEPS];
};

static void record_outcome(struct world *w, accd_status status, struct outcome *record)
{
    const accd_error *error = accd_context_error(w->context);
    const char *backend = getenv("ACCDEEP_TEST_BACKEND");
    *record = (struct outcome){.status = status};
    uint64_t hash = hash_info(hash_info(5, &error->asked), &error->other);
    hash = mix_bytes(hash, &error->status, sizeof error->status);
    record->error = mix_bytes(hash, &error->item, sizeof error->item);
    memcpy(record->what, w->what, sizeof record->what);
    snprintf(record->rule, sizeof record->rule, "%s", error->rule);
    snprintf(record->message, sizeof record->message, "%s", error->message);
    accd_get_stats(w->context, 0, &record->stats);
    record->host = mix_bytes(3, &host, sizeof host);
    if (w->random >> 40 & 1) /* looking ends that groups are pending */
        return;
    record->state = hash_state(w->context);
    if (!backend || !strcmp(backend, "sim") || !strcmp(backend, "direct")) /* others place memory as they like */
        record->digest = accd__state_digest(w->context);
}

static void run_steps(const struct setting *setting, uint64_t seed, bool general, struct log *log)
{
    static struct world w;
    open_world(&w, setting, seed, general);
    while (log->steps < STEPS) {
        accd_status status = any_step(&w, setting);
        record_outcome(&w, status, &log->at[log->steps++]);
        const bool checked = log->steps % 8 == 0 && !w.context->rules.fusion && !setting->queues;
        const char *wrong = checked ? accd__check_invariants(w.context) : NULL;
        if (wrong) {
            snprintf(log->wrong, sizeof log->wrong, "step %zu, %.150s: %.200s", log->steps, w.what, wrong);
            break;
        }
    }
    while (w.depth)
        accd_region_abandon(w.regions[--w.depth]);
    accd_program_release(w.leaf);
    accd_context_free(w.context);
    if (w.meter.live || w.meter.wrong)
        snprintf(log->wrong, sizeof log->wrong, "memory is left, or given back with another size");
}

/* In a process of its own. */
static void run_apart(const struct setting *setting, uint64_t seed, bool general, struct log *log)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        alarm(100);
        run_steps(setting, seed, general, log);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status)
        snprintf(log->wrong, sizeof log->wrong, "the process ended with status %d", status);
}

static bool outcomes_are_equal(const struct outcome *a, const struct outcome *b)
{
    return a->status == b->status && a->error == b->error && a->state == b->state && a->digest == b->digest &&
           a->host == b->host && !memcmp(&a->stats, &b->stats, sizeof a->stats) && !strcmp(a->rule, b->rule) &&
           !strcmp(a->message, b->message);
}

static void report_outcome(const char *way, const struct outcome *record)
{
    printf("#   %s: %s, %s %s\n#     error %llx, state %llx, digest %llx, host %llx, %llu live, %llu objects, "
           "%llu allocations, %llu and %llu transfers\n",
           way, accd_status_code(record->status), record->rule, record->message, (unsigned long long)record->error,
           (unsigned long long)record->state, (unsigned long long)record->digest, (unsigned long long)record->host,
           (unsigned long long)record->stats.live_bytes, (unsigned long long)record->stats.objects,
           (unsigned long long)record->stats.allocations, (unsigned long long)record->stats.transfers[0],
           (unsigned long long)record->stats.transfers[1]);
}

static void compare_runs(const struct setting *setting, uint64_t seed, struct log *logs)
{
    memset(logs, 0, 2 * sizeof *logs);
    for (int k = 0; k < 2; k++)
        run_apart(setting, seed, k, &logs[k]);
    size_t at = 0, good = 0;
    while (at < STEPS && at < logs[0].steps && at < logs[1].steps &&
           outcomes_are_equal(&logs[0].at[at], &logs[1].at[at]))
        good += logs[0].at[at++].status == ACCD_OK;
    for (int k = 0; k < 2; k++)
        must(!*logs[k].wrong, "%s: %s", k ? "general way" : "short way", logs[k].wrong);
    if (!ok(at == STEPS && good > STEPS / 4, "%s%s, seed %llu: both ways do the same, %zu constructs hold",
            setting->name, setting->calm ? ", mostly plain" : "", (unsigned long long)seed, good) &&
        at < logs[0].steps && at < logs[1].steps) {
        printf("#   step %zu: %s\n", at, logs[0].at[at].what);
        report_outcome("short way", &logs[0].at[at]);
        report_outcome("general way", &logs[1].at[at]);
    }
}

/* ------------------------------------------------------------------------------ it is taken -- */

/* Only the general way plans in scratch space. */
static void is_taken(void)
{
    const char *backend = getenv("ACCDEEP_TEST_BACKEND");
    accd_context *context = open_with(NULL, NULL, "openacc-3.3", 1);
    accd_region *regions[2];
    char *x = host.bytes[0], *y = host.bytes[1], *z = host.bytes[2];
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, x, 64)), ACCD_OK, "enter data of absent data");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, x, 64)), ACCD_OK, "enter data of present data");
    is_status(REGION(context, &regions[0], BYTES(ACCD_ACTION_PRESENT, x, 8)), ACCD_OK, "a region of present data");
    is_status(CONSTRUCT(context, ACCD_KIND_COMPUTE, &regions[1], BYTES(ACCD_ACTION_COPY, x, 8),
                        BYTES(ACCD_ACTION_COPY, y, 64)),
              ACCD_OK, "a compute construct of present data and others");
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, x, 8), BYTES(ACCD_ACTION_UPDATE_DEVICE, y + 8, 8)),
              ACCD_OK, "update");
    is_status(accd_region_end(regions[1]), ACCD_OK, "the construct ends, and data go");
    is_status(accd_region_end(regions[0]), ACCD_OK, "the region ends");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, x, 64)), ACCD_OK, "exit data of data that stay");
    is_status(EXIT(context, BYTES(ACCD_ACTION_COPYOUT, x, 64)), ACCD_OK, "exit data of data that go");
    const bool travels = backend && !strcmp(backend, "cuda"); /* to such a device the general way moves */
    ok(travels || !context->scratch.chunk, "the short way is taken");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, x, 64), BYTES(ACCD_ACTION_COPYIN, z, 64)), ACCD_OK,
              "two absent ones");
    ok(travels || !context->scratch.chunk, "the short way is taken");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, y + 8, 8), BYTES(ACCD_ACTION_COPYIN, y, 64)), ACCD_OK,
              "one within the other");
    ok(context->scratch.chunk, "the general way is taken");
    is_sound(context);
    accd_context_free(context);
    for (int k = 0; k < 2; k++) { /* with a listener, from the beginning or from the middle of a region on */
        context = open_with(NULL, NULL, "openacc-3.3", 1);
        if (k)
            accd_context_set_event_handler(context, hear_nothing, NULL);
        is_status(REGION(context, &regions[0], BYTES(ACCD_ACTION_CREATE, x, 8)), ACCD_OK, "a region");
        ok(travels || (context->scratch.chunk != NULL) == k, "it takes the %s way", k ? "general" : "short");
        accd_context_set_event_handler(context, hear_nothing, NULL);
        is_status(accd_region_end(regions[0]), ACCD_OK, "its end");
        ok(context->scratch.chunk, "its end takes the general way");
        accd_context_set_event_handler(context, NULL, NULL);
        is_sound(context);
        accd_context_free(context);
    }
    context = open_with(NULL, NULL, "openacc-3.3", 1);
    is_status(REGION(context, &regions[0], BYTES(ACCD_ACTION_COPYIN, x, 64)), ACCD_OK, "a region");
    accd__inject_allocation_failure(context, 0, 1);
    is_status(REGION(context, &regions[0], BYTES(ACCD_ACTION_COPYIN, y, 64)), ACCD_ERROR_OUT_OF_DEVICE_MEMORY,
              "no device memory");
    size_t spare = context->envs[0].levels.pool.spare;
    accd__inject_copy_failure(context, 0, 1);
    is_status(REGION(context, &regions[0], BYTES(ACCD_ACTION_COPYIN, y, 64)), ACCD_ERROR_DEVICE, "a copy that fails");
    ok(context->envs[0].levels.pool.spare == spare, "records of regions that fail are given back");
    accd_context_free(context);
}

/* Absent data in one construct, large and small, of which allocations and copies fail: on both ways. */
static void several_absent(void)
{
    enum { FAILS = 5, LARGE = 40000 };
    static char large[2][LARGE];
    struct outcome records[2][FAILS * FAILS];
    memset(records, 0, sizeof records);
    for (int k = 0; k < 2; k++) {
        struct world w = {.context = open_with(NULL, NULL, "openacc-3.3", 1)};
        if (k)
            accd_context_set_event_handler(w.context, hear_nothing, NULL);
        for (unsigned allocation = 0; allocation < FAILS; allocation++)
            for (unsigned copy = 0; copy < FAILS; copy++) {
                accd_region *region = NULL;
                accd__inject_allocation_failure(w.context, 0, allocation);
                accd__inject_copy_failure(w.context, 0, copy);
                accd_status status =
                    REGION(w.context, &region, BYTES(ACCD_ACTION_COPY, large[1], LARGE),
                           BYTES(ACCD_ACTION_CREATE, host.bytes[3], 32), BYTES(ACCD_ACTION_COPYIN, large[0], LARGE),
                           BYTES(ACCD_ACTION_COPY, host.bytes[0], 160));
                record_outcome(&w, status, &records[k][allocation * FAILS + copy]);
                accd__inject_allocation_failure(w.context, 0, 0);
                accd__inject_copy_failure(w.context, 0, 0);
                must(!region || accd_region_end(region) == ACCD_OK, "the region ends");
            }
        accd_context_free(w.context);
    }
    int failed = tap_failed;
    for (int i = 0; i < FAILS * FAILS; i++)
        must(outcomes_are_equal(&records[0][i], &records[1][i]), "allocation %d, copy %d: %s, and %s", i / FAILS,
             i % FAILS, records[0][i].message, records[1][i].message);
    ok(tap_failed == failed && records[0][3 * FAILS].status == ACCD_ERROR_OUT_OF_DEVICE_MEMORY &&
           records[0][3].status == ACCD_ERROR_DEVICE && records[0][4 * FAILS + 4].status == ACCD_OK,
       "several absent objects: both ways do the same");
}

/* A directive that is met again finds its data where they are now. */
static void meets_again(void)
{
    enum { ROUNDS = 6 };
    accd_context *context = open_with(NULL, NULL, "openacc-3.3", 1);
    accd_region *region;
    char *x = host.bytes[0], *y = host.bytes[1], *z = host.bytes[2];
    uint64_t address[3];
    int failed = tap_failed;
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, y, 64)), ACCD_OK, "enter data");
    for (int i = 0; i < ROUNDS; i++) { /* some of its data come and go with it */
        must(REGION(context, &region, BYTES(ACCD_ACTION_CREATE, z, 24), BYTES(ACCD_ACTION_PRESENT, y, 8)) == ACCD_OK,
             "region %d", i);
        must(accd_region_addresses(region, address, 2) == 2 && address[0] == accd_device_address(context, 0, z) &&
                 address[1] == accd_device_address(context, 0, y) && !accd__check_invariants(context),
             "region %d: the data are where they are present", i);
        must(accd_region_end(region) == ACCD_OK && !accd_device_address(context, 0, z), "region %d: end", i);
    }
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 2)
            must(ENTER(context, BYTES(ACCD_ACTION_CREATE, z, 24)) == ACCD_OK, "another object");
        must(ENTER(context, BYTES(ACCD_ACTION_COPYIN, x, 64)) == ACCD_OK, "round %d: enter data", i);
        for (int k = 0; k < 3; k++) { /* one that names less lies between */
            must(REGION(context, &region, BYTES(ACCD_ACTION_PRESENT, y, 8), BYTES(ACCD_ACTION_COPY, x + 8, 8),
                        BYTES(ACCD_ACTION_PRESENT, k == 1 ? x : y + 8, 8)) == ACCD_OK,
                 "round %d: region", i);
            must(accd_region_addresses(region, address, 3) == 3 &&
                     address[1] == accd_device_address(context, 0, x) + 8 &&
                     address[2] == accd_device_address(context, 0, k == 1 ? x : y + 8),
                 "round %d: the data are where they are present", i);
            must(accd_region_end(region) == ACCD_OK, "round %d: end", i);
        }
        must(EXIT(context, BYTES(ACCD_ACTION_DELETE, x, 64)) == ACCD_OK, "round %d: exit data", i);
        must(REGION(context, &region, BYTES(ACCD_ACTION_PRESENT, y, 8)) == ACCD_OK &&
                 accd_region_end(region) == ACCD_OK,
             "round %d: a smaller region", i);
        if (i % 3 == 2)
            must(REGION(context, &region, BYTES(ACCD_ACTION_PRESENT, y, 8), BYTES(ACCD_ACTION_PRESENT, x + 8, 8),
                        BYTES(ACCD_ACTION_PRESENT, y + 8, 8)) == ACCD_ERROR_NOT_PRESENT,
                 "round %d: what is gone is absent", i);
        must(!accd__check_invariants(context), "round %d: invariants", i);
    }
    ok(tap_failed == failed, "directives that are met again find their data");
    must(REGION(context, &region, BYTES(ACCD_ACTION_COPY, y, 8), BYTES(ACCD_ACTION_COPY, y, 64)) == ACCD_OK,
         "one object twice");
    must(EXIT(context, BYTES(ACCD_ACTION_DELETE, y, 64)) == ACCD_OK, "enter data's reference goes");
    must(device_put(context, y, &(uint64_t){9}, 8), "the device writes");
    memset(y, 0, 8);
    is_status(accd_region_end(region), ACCD_OK, "both references go at once, and data with them");
    ok(memcmp(y, "\0\0\0\0\0\0\0", 8) && !accd_device_address(context, 0, y), "they are fetched first");
    is_sound(context);
    accd_context_free(context);
}

/* ----------------------------------------------------------------------- memory of the host -- */

static accd_status plain_step(accd_context *context, int step, accd_region **region_p)
{
    switch (step) {
    case 0:
        return ENTER(context, BYTES(ACCD_ACTION_COPYIN, host.bytes[0], 160));
    case 1:
        return REGION(context, region_p, BYTES(ACCD_ACTION_COPY, host.bytes[0], 8));
    case 2:
        return accd_region_end(*region_p);
    case 3:
        return REGION(context, region_p, BYTES(ACCD_ACTION_COPY, host.bytes[2], 8),
                      BYTES(ACCD_ACTION_COPY, host.bytes[0], 8), BYTES(ACCD_ACTION_COPYIN, host.bytes[1], 8));
    case 4:
        return accd_region_end(*region_p);
    default:
        return EXIT(context, BYTES(ACCD_ACTION_DELETE, host.bytes[0], 160));
    }
}

/* Each request for the host's memory fails once, and from one on all of them do. */
static void memory_ends(bool fails_on, bool ordered)
{
    int failed = tap_failed;
    size_t faults = 0;
    for (int at = 0; at < 6; at++)
        for (size_t n = 1;; n++) {
            struct meter meter = {0};
            accd_region *region = NULL;
            accd_context *context = open_with(&meter, NULL, "tr14", 1);
            if (ordered)
                accd_host_address(context, 0, 1);
            for (int i = 0; i < at; i++)
                must(plain_step(context, i, &region) == ACCD_OK, "step %d", i);
            uint64_t digest = accd__state_digest(context);
            meter.fail_at = n;
            meter.fails_on = fails_on;
            accd_status status = plain_step(context, at, &region);
            bool reached = meter.failed;
            meter.fail_at = 0;
            if (status != ACCD_OK) {
                bool told =
                    getenv("ACCDEEP_TEST_BACKEND") || !strcmp(accd_context_error(context)->rule, "HOUSE-memory");
                must(status == ACCD_ERROR_OUT_OF_MEMORY && told, "step %d, request %zu: %s", at, n,
                     accd_context_error(context)->message);
                must(accd__state_digest(context) == digest, "step %d, request %zu: nothing has changed", at, n);
                must(plain_step(context, at, &region) == ACCD_OK, "step %d, request %zu: once more", at, n);
                faults++;
            }
            for (int i = at + 1; i < 6; i++)
                must(plain_step(context, i, &region) == ACCD_OK, "step %d", i);
            const char *wrong = accd__check_invariants(context);
            must(!wrong, "step %d, request %zu: %s", at, n, wrong);
            accd_context_free(context);
            must(!meter.live && !meter.wrong, "nothing leaks");
            if (!reached)
                break;
        }
    ok(tap_failed == failed && faults >= 2, "host memory ends%s%s: %zu faults", fails_on ? " for good" : "",
       ordered ? ", with the order by device address" : "", faults);
}

int main(void)
{
    static const struct setting settings[] = {
        {.name = "openacc-3.3", .calm = true},
        {.name = "tr14", .calm = true},
        {.name = "libgomp-12", .calm = true, .device_bytes = 700},
        {.name = "openacc-3.3"},
        {.name = "openacc-3.3", .queues = ACCD_QUEUES_DELAYED},
        {.name = "openacc-2.0"},
        {.name = "tr14", .device_bytes = 900},
        {.name = "libgomp-12"},
        {.name = "openmp-5.1", .calm = true},
        {.name = "openmp-4.0"},
        {.name = "directory", .calm = true},
        {.name = "openmp-5.1", .calm = true, .pointers = true},
        {.name = "openmp-4.0", .calm = true, .pointers = true},
        {.name = "openacc-3.3", .calm = true, .pointers = true},
        {.name = "openacc-3.3", .pointers = true, .device_bytes = 900},
        {.name = "tr14", .calm = true, .pointers = true},
        {.name = "libgomp-12", .calm = true, .pointers = true},
    };
    const char *seeds = getenv("ACCDEEP_TEST_SEEDS"), *first = getenv("ACCDEEP_TEST_SEED");
    struct log *logs = mmap(NULL, 2 * sizeof *logs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (logs == MAP_FAILED)
        return 1;
    /* before a device is opened here: a process that has opened one of CUDA does not fork */
    for (uint64_t seed = first ? strtoull(first, NULL, 10) : 1, left = seeds ? strtoull(seeds, NULL, 10) : 4; left;
         seed++, left--)
        for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
            compare_runs(&settings[i], seed, logs);
    munmap(logs, 2 * sizeof *logs);
    is_taken();
    several_absent();
    meets_again();
    for (int k = 0; k < 4; k++)
        memory_ends(k & 1, k & 2);
    return done();
}
