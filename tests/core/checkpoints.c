/* Checkpoints put a context back, and digests do not depend on addresses. Random constructs are run in a context
 * without checkpoints, and in one that makes other steps in between and is put back. After each step status, error,
 * figures, names, digests and host memory are compared; digests with those of a process with other addresses, too. */
#include "accdeep_internal.h"
#include "random_steps.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    STEPS = 400,
    STEPS_APART = 200, /* later, words that were partly overwritten have parts of addresses */
    KEPT = 4
};

struct outcome {
    accd_status status;
    uint64_t error, state, digest, host;
    accd__digest_set digests;
    accd_stats stats;
    char message[400], what[400];
};
struct log {
    size_t steps;
    char wrong[400];
    struct outcome at[STEPS];
};

/* A checkpoint, and the test's own state then. */
struct kept {
    accd_checkpoint *checkpoint;
    struct world world;
    size_t steps;
};

static void know_host(accd_context *context)
{
    accd_host_register(context, host.pointers, sizeof host.pointers, NULL);
    accd_host_register(context, host.leaves, sizeof host.leaves, NULL);
    accd_host_register(context, host.sections, sizeof host.sections, NULL);
    for (int i = 0; i < BLOCKS; i++)
        accd_host_register(context, host.bytes[i], sizeof host.bytes[i], NULL);
    accd_host_register(context, host.behind, sizeof host.behind, NULL);
}

static void record_outcome(struct world *w, accd_status status, struct outcome *record)
{
    const accd_error *error = accd_context_error(w->context);
    *record = (struct outcome){.status = status};
    uint64_t hash = hash_info(hash_info(5, &error->asked), &error->other);
    hash = mix_bytes(hash, &error->status, sizeof error->status);
    record->error = mix_bytes(hash, &error->item, sizeof error->item);
    memcpy(record->what, w->what, sizeof record->what);
    snprintf(record->message, sizeof record->message, "%s", error->message);
    accd_get_stats(w->context, 0, &record->stats);
    record->host = mix_bytes(3, &host, sizeof host);
    if (w->random >> 40 & 1) /* looking ends that groups are pending */
        return;
    record->state = hash_state(w->context);
    record->digest = accd__state_digest(w->context);
    if (accd__state_digests(w->context, 0, NULL, 0, &record->digests) != ACCD_OK)
        record->digests.host = 1;
}

/* What another program would do, which a checkpoint undoes. */
static void stray(struct world *w, const struct setting *setting)
{
    w->random ^= 0x1234567;
    for (uint32_t n = 1 + below(w, 12); n; n--) {
        (void)any_step(w, setting);
        must(!accd__check_invariants(w->context) || w->context->rules.fusion || setting->queues, "%s: %s", w->what,
             accd__check_invariants(w->context));
        if (once_in(w, 6))
            (void)accd_label_intern(w->context, &(accd_label){.name = once_in(w, 2) ? "new" : "newer"});
    }
}

/* Takes checkpoints, and returns to them. */
static void go_to_and_fro(struct world *w, const struct setting *setting, struct kept *kept, struct log *log,
                          uint64_t *chance)
{
    struct kept *one = &kept[next_random(chance) % KEPT];
    const uint32_t what = next_random(chance) % 8;
    if (what == 0) {
        accd_checkpoint_free(one->checkpoint);
        one->checkpoint = NULL;
        must(accd_checkpoint_new(w->context, &one->checkpoint) == ACCD_OK, "%s",
             accd_context_error(w->context)->message);
        one->world = *w;
        one->steps = log->steps;
    } else if (what == 1 && one->checkpoint && log->steps - one->steps < 60) {
        const struct meter meter = w->meter;
        if (next_random(chance) % 2)
            stray(w, setting);
        must(accd_checkpoint_restore(one->checkpoint) == ACCD_OK, "%s", accd_context_error(w->context)->message);
        *w = one->world;
        w->meter = meter;
        log->steps = one->steps;
    } else if (what < 4) {
        const struct world before = *w;
        accd_checkpoint *checkpoint;
        must(accd_checkpoint_new(w->context, &checkpoint) == ACCD_OK, "%s", accd_context_error(w->context)->message);
        for (uint32_t n = 1 + next_random(chance) % 2; n; n--) {
            stray(w, setting);
            must(accd_checkpoint_restore(checkpoint) == ACCD_OK, "%s", accd_context_error(w->context)->message);
            const struct meter meter = w->meter;
            *w = before;
            w->meter = meter;
        }
        accd_checkpoint_free(checkpoint);
    }
}

static void run_steps(const struct setting *setting, uint64_t seed, size_t steps, struct log *log)
{
    static struct world w;
    struct kept kept[KEPT] = {0};
    uint64_t chance = seed + 99, turns = 0;
    open_world(&w, setting, seed, false);
    know_host(w.context);
    while (log->steps < steps) {
        if (setting->checkpoints && turns++ < (uint64_t)20 * STEPS)
            go_to_and_fro(&w, setting, kept, log, &chance);
        accd_status status = any_step(&w, setting);
        record_outcome(&w, status, &log->at[log->steps++]);
        const bool checked = log->steps % 8 == 0 && !w.context->rules.fusion && !setting->queues;
        const char *wrong = checked ? accd__check_invariants(w.context) : NULL;
        if (wrong) {
            snprintf(log->wrong, sizeof log->wrong, "step %zu, %.150s: %.200s", log->steps, w.what, wrong);
            break;
        }
    }
    for (int i = 0; i < KEPT; i++)
        accd_checkpoint_free(kept[i].checkpoint);
    if (seed % 2)
        while (w.depth)
            accd_region_abandon(w.regions[--w.depth]);
    accd_program_release(w.leaf);
    accd_context_free(w.context);
    if (w.meter.live || w.meter.wrong)
        snprintf(log->wrong, sizeof log->wrong, "memory is left, or given back with another size");
}

/* Takes the addresses that a context with checkpoints lies in, so that devices have the same ones without. */
static void take_addresses(void)
{
    for (int k = 0; k < 2; k++)
        (void)mmap(NULL, (size_t)1 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* In a process of its own. */
static void run_apart(const struct setting *setting, uint64_t seed, struct log *log)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        tap_failed = 0;
        if (!setting->checkpoints)
            take_addresses();
        alarm(200);
        run_steps(setting, seed, STEPS, log);
        fflush(stdout);
        _exit(tap_failed != 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status)
        snprintf(log->wrong, sizeof log->wrong, "the process ended with status %d", status);
}

static bool outcomes_are_equal(const struct outcome *a, const struct outcome *b)
{
    return a->status == b->status && a->error == b->error && a->state == b->state && a->host == b->host &&
           a->digest == b->digest && !memcmp(&a->digests, &b->digests, sizeof a->digests) &&
           !memcmp(&a->stats, &b->stats, sizeof a->stats) && !strcmp(a->message, b->message);
}

static void report_outcome(const char *way, const struct outcome *record)
{
    const accd__digest_set *digests = &record->digests;
    printf("#   %s: %s, %s\n#     error %llx, state %llx, host memory %llx, %llu live, %llu objects\n"
           "#     host %llx, present %llx, values %llx, counters %llx, rest %llx\n",
           way, accd_status_code(record->status), record->message, (unsigned long long)record->error,
           (unsigned long long)record->state, (unsigned long long)record->host,
           (unsigned long long)record->stats.live_bytes, (unsigned long long)record->stats.objects,
           (unsigned long long)digests->host, (unsigned long long)digests->present, (unsigned long long)digests->values,
           (unsigned long long)digests->counters, (unsigned long long)digests->rest);
}

static void compare_runs(struct setting setting, uint64_t seed, struct log *logs)
{
    memset(logs, 0, 2 * sizeof *logs);
    for (int k = 0; k < 2; k++) {
        setting.checkpoints = k;
        run_apart(&setting, seed, &logs[k]);
    }
    size_t at = 0, good = 0;
    while (at < STEPS && at < logs[0].steps && at < logs[1].steps &&
           outcomes_are_equal(&logs[0].at[at], &logs[1].at[at]))
        good += logs[0].at[at++].status == ACCD_OK;
    for (int k = 0; k < 2; k++)
        must(!*logs[k].wrong, "%s: %s", k ? "with checkpoints" : "without", logs[k].wrong);
    if (!ok(at == STEPS && good > STEPS / 5, "%s, seed %llu: as if there had been no checkpoints, %zu constructs hold",
            setting.name, (unsigned long long)seed, good) &&
        at < logs[0].steps && at < logs[1].steps) {
        printf("#   step %zu: %s\n", at, logs[0].at[at].what);
        report_outcome("without", &logs[0].at[at]);
        report_outcome("with checkpoints", &logs[1].at[at]);
    }
}

static const struct setting settings[] = {
    {.name = "openacc-3.3"},
    {.name = "openacc-3.3", .queues = ACCD_QUEUES_DELAYED},
    {.name = "openacc-3.3", .calm = true, .pointers = true},
    {.name = "openacc-2.0", .pointers = true, .avoid_reuse = true},
    {.name = "tr14", .device_bytes = 900, .avoid_reuse = true},
    {.name = "tr14", .calm = true, .pointers = true},
    {.name = "directory", .avoid_reuse = true},
    {.name = "directory", .calm = true, .pointers = true},
    {.name = "libgomp-12", .calm = true, .pointers = true},
    {.name = "openmp-4.0", .pointers = true},
    {.name = "openmp-5.1"},
    {.name = "openmp-5.1", .calm = true, .pointers = true},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* Prints the digests of all steps: for another process, which has other addresses. */
static int print_digests(const char *how, size_t number, uint64_t seed)
{
    static struct log log;
    struct setting setting = settings[number];
    setting.checkpoints = !strcmp(how, "checkpoints");
    run_steps(&setting, seed, STEPS_APART, &log);
    for (size_t i = 0; i < log.steps; i++) {
        const accd__digest_set *digests = &log.at[i].digests;
        printf("%d %llx %llx %llx %llx %llx\n", (int)log.at[i].status, (unsigned long long)digests->host,
               (unsigned long long)digests->present, (unsigned long long)digests->values,
               (unsigned long long)digests->counters, (unsigned long long)digests->rest);
    }
    return *log.wrong != 0;
}

static size_t read_all(const char *program, size_t setting, uint64_t seed, char *to, size_t room)
{
    char command[500];
    snprintf(command, sizeof command, "'%s' digests %zu %llu", program, setting, (unsigned long long)seed);
    FILE *pipe = popen(command, "r");
    size_t n = pipe ? fread(to, 1, room - 1, pipe) : 0;
    to[n] = 0;
    return pipe && !pclose(pipe) ? n : 0;
}

static void other_addresses(const char *program)
{
    static char texts[2][200 * STEPS_APART];
    for (size_t i = 0; i < SETTINGS; i++) {
        size_t n = read_all(program, i, 3, texts[0], sizeof texts[0]);
        read_all(program, i, 3, texts[1], sizeof texts[1]);
        size_t line = 0, at = 0;
        for (; texts[0][at] && texts[0][at] == texts[1][at]; at++)
            line += texts[0][at] == '\n';
        ok(n > 20 * (size_t)STEPS_APART && at == n,
           "%s: a process with other addresses has equal digests, up to step %zu", settings[i].name, line);
    }
}

/* --------------------------------------------------------------------------------- one by one -- */

static accd_context *open_checkpoints(struct meter *meter, const char *rules)
{
    accd_context_config config;
    accd_context_config_init(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = meter;
    config.checkpoints = 1;
    config.rules = rules_of(rules);
    config.group_least = 4;
    accd_context *context = NULL;
    is_status(accd_context_new(&context, &config), ACCD_OK, "a context with checkpoints opens");
    return context;
}

static accd__digest_set digests_of(accd_context *context)
{
    accd__digest_set digests = {0};
    must(accd__state_digests(context, 0, NULL, 0, &digests) == ACCD_OK, "there are digests");
    return digests;
}

static bool equal(const accd__digest_set *a, const accd__digest_set *b)
{
    return !memcmp(a, b, sizeof *a);
}

static void ask_within(void *ud, const accd_event *event)
{
    accd_checkpoint *checkpoint = NULL;
    accd__digest_set digests;
    (void)event;
    must(accd_checkpoint_new(ud, &checkpoint) == ACCD_ERROR_MISUSE, "a callback takes no checkpoint");
    must(accd__state_digests(ud, 0, NULL, 0, &digests) == ACCD_ERROR_MISUSE, "nor digests");
}

static void misuse(void)
{
    accd_checkpoint *checkpoint = NULL;
    accd_context_config config;
    accd_context *context = open_with(NULL, NULL, NULL, 64), *other = NULL;
    is_status(accd_checkpoint_new(context, &checkpoint), ACCD_ERROR_MISUSE, "a context without checkpoints takes none");
    is_status(accd_checkpoint_new(context, NULL), ACCD_ERROR_MISUSE, "a checkpoint needs a place");
    is_status(accd_checkpoint_new(NULL, &checkpoint), ACCD_ERROR_MISUSE, "a checkpoint needs a context");
    is_status(accd_checkpoint_restore(NULL), ACCD_ERROR_MISUSE, "there is no checkpoint to restore");
    is_status(accd__state_digests(context, 0, NULL, 0, NULL), ACCD_ERROR_MISUSE, "digests need a place");
    is_status(accd__state_digests(context, 7, NULL, 0, &(accd__digest_set){0}), ACCD_ERROR_NO_DEVICE,
              "digests are of a device");
    accd_checkpoint_free(NULL);
    accd_context_free(context);
    accd_context_config_init(&config);
    config.checkpoints = 1;
    config.backend = accd_find_backend("direct");
    is_status(accd_context_new(&other, &config), ACCD_ERROR_MISUSE, "only the simulated device has checkpoints");
    struct meter meter = {0};
    static int a[4];
    context = open_checkpoints(&meter, NULL);
    accd_context_set_event_handler(context, ask_within, context);
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, a)), ACCD_OK, "callbacks ask");
    accd_context_set_event_handler(context, NULL, NULL);
    meter.fail_at = 1;
    is_status(accd_checkpoint_new(context, &checkpoint), ACCD_ERROR_OUT_OF_MEMORY,
              "there is no memory for a checkpoint");
    is_sound(context);
    accd_context_free(context);
    ok(!meter.live && !meter.wrong, "no memory is left");
}

/* Objects, device memory, regions, attached pointers, host memory, labels. */
static void comes_back(void)
{
    static int a[8], b[3000];
    static int *p;
    struct meter meter = {0};
    struct story story = {0};
    accd_context *context = open_checkpoints(&meter, "openacc-3.3");
    accd_checkpoint *empty, *full, *later;
    accd_region *region = NULL, *inner = NULL;
    accd_bounds *bounds = NULL;
    p = a;
    for (int i = 0; i < 8; i++)
        a[i] = i;
    accd_host_register(context, a, sizeof a, NULL);
    accd_host_register(context, &p, sizeof p, NULL);
    accd_host_register(context, b, sizeof b, NULL);
    is_status(accd_checkpoint_new(context, &empty), ACCD_OK, "an empty context has a checkpoint");
    const accd__digest_set none = digests_of(context);
    REGION(context, &region, PLAIN(ACCD_ACTION_COPY, a), BYTES(ACCD_ACTION_COPYIN, &p, sizeof p));
    ENTER(context, ((accd_item){.host = a, .bytes = sizeof a, .slot = &p, .action = ACCD_ACTION_COPYIN}));
    const accd__digest_set there = digests_of(context);
    is_status(accd_checkpoint_new(context, &full), ACCD_OK, "a region is open, a pointer is attached");
    device_put(context, &a[3], &(int){77}, sizeof(int));
    REGION(context, &inner, PLAIN(ACCD_ACTION_CREATE, b));
    accd_program *layout = leaf_program(context);
    const accd_label *label = accd_label_intern(context, &(accd_label){.name = "later", .unit = 4, .layout = layout});
    accd_host_set_state(context, b, 0);
    b[0] = a[2] = 5;
    story_clear(&story);
    accd_context_set_event_handler(context, tell_story, &story);
    accd_context_subscribe(context, 1u << ACCD_OP_ALLOC, 0);
    is_status(accd_checkpoint_new(context, &later), ACCD_OK, "a checkpoint behind another one");
    const accd__digest_set behind = digests_of(context);
    ok(behind.host != there.host && behind.present != there.present && behind.values != there.values &&
           behind.counters != there.counters && behind.rest != there.rest,
       "all digests differ");
    for (int round = 0; round < 3; round++) {
        is_status(accd_checkpoint_restore(full), ACCD_OK, "back");
        accd__digest_set now = digests_of(context);
        int value = 0;
        ok(equal(&now, &there) && a[2] == 2 && device_get(context, &a[3], &value, sizeof value) && value == 3,
           "state and values are those of the checkpoint");
        ok(attach_count(context, &p) == 1 && present_count(context, a, 1, 1) && present_count(context, b, 0, 0),
           "so are counters");
        is_sound(context);
        story_clear(&story);
        accd_item item = {.host = b, .bytes = 100, .action = ACCD_ACTION_CREATE, .label = label};
        is_status(ENTER(context, item), ACCD_OK, "a label made since is valid");
        ok(context->layouts, "there is a label with a layout");
        ok(!strcmp(story.text, "alloc |"), "the listener stays: %s", story.text);
        accd_present_object present = {0};
        accd_present_at(context, 0, (uint64_t)(uintptr_t)b, 0, &present);
        ok(!strcmp(present.info.name, "later"), "it names the object: %s", present.info.name);
        is_status(accd_region_end(region), ACCD_OK, "the region is open, and ends");
        is_sound(context);
        is_status(accd_checkpoint_restore(empty), ACCD_OK, "further back");
        now = digests_of(context);
        ok(equal(&now, &none) && !accd_get_presence(context, 0, a, 4), "nothing is present");
        ENTER(context, PLAIN(ACCD_ACTION_COPYIN, b));
        is_status(accd_checkpoint_restore(later), ACCD_OK, "forward");
        now = digests_of(context);
        ok(equal(&now, &behind) && b[0] == 0 && a[2] == 5, "the later state is there, but for memory that was freed");
        is_status(accd_region_end(inner), ACCD_OK, "its region ends");
        is_sound(context);
    }
    accd_program_release(layout);
    accd_program *program = leaf_program(context);
    static struct leaf leaf;
    static float floats[2];
    leaf = (struct leaf){2, floats, floats};
    const accd_item item = walked(ACCD_ACTION_COPYIN, &leaf, sizeof leaf, program, NULL);
    is_status(accd_checkpoint_restore(empty), ACCD_OK, "back to nothing");
    accd_checkpoint_free(full);
    is_status(accd_bounds_new(context, &item, &bounds), ACCD_OK, "bounds");
    is_status(REGION(context, &region, item), ACCD_OK, "a structure");
    is_status(accd_checkpoint_new(context, &full), ACCD_OK, "with a program");
    is_status(accd_region_end(region), ACCD_OK, "its region ends");
    accd_bounds_free(bounds);
    accd_program_release(program);
    is_status(accd_checkpoint_restore(full), ACCD_OK, "the structure is there again");
    accd_bounds_change change;
    ok(!accd_bounds_changed(bounds, bounds, &change), "so are bounds");
    is_status(accd_region_end(region), ACCD_OK, "the program outlives its last user");
    is_sound(context);
    accd_checkpoint_free(empty);
    accd_checkpoint_free(full);
    accd_checkpoint_free(later);
    accd_context_free(context);
    ok(!meter.live && !meter.wrong, "no memory is left");
    story_free(&story);
}

struct body {
    int users, runs;
};

static int run_body(void *ud, accd_host_call call)
{
    struct body *body = ud;
    body->users += call == ACCD_CALL_RETAIN ? 1 : -1;
    body->runs += call == ACCD_CALL_RUN;
    return 0;
}

/* Functions that queues hold have the state and each checkpoint as users. */
static void functions(void)
{
    static int a[4];
    struct meter meter = {0};
    struct body early = {1, 0}, late = {1, 0};
    accd_context_config config;
    accd_context_config_init(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = &meter;
    config.checkpoints = 1;
    config.queues = ACCD_QUEUES_DELAYED;
    accd_context *context = NULL;
    accd_checkpoint *one, *two;
    unsigned queue;
    accd_context_new(&context, &config);
    accd_queue_get(context, 0, 1, &queue);
    accd_host_register(context, a, sizeof a, NULL);
    accd_queue_call(context, 0, queue, run_body, &early);
    is_status(accd_checkpoint_new(context, &one), ACCD_OK, "a queue holds a function");
    ok(early.users == 2, "the checkpoint is a user");
    accd__digest_set first = digests_of(context);
    accd_queue_call(context, 0, queue, run_body, &late);
    is_status(accd_checkpoint_new(context, &two), ACCD_OK, "two functions");
    accd__digest_set second = digests_of(context);
    ok(first.rest != second.rest && early.users == 3 && late.users == 2, "digests tell how many");
    for (int round = 1; round < 4; round++) {
        is_status(accd_queue_wait(context, 0, queue), ACCD_OK, "a wait");
        ok(early.runs == round && early.users == 2 && late.runs == round, "it runs functions");
        is_status(accd_checkpoint_restore(round < 3 ? two : one), ACCD_OK, "back");
    }
    ok(late.users == 1 && early.users == 3, "back before the second one");
    is_sound(context);
    accd_checkpoint_free(two);
    ok(late.users == 0 && early.users == 2, "nobody uses the second one");
    accd_checkpoint_restore(one);
    accd_checkpoint_free(one);
    ok(early.users == 1, "the state uses the first one");
    accd_context_free(context);
    ok(early.users == 0 && !meter.live && !meter.wrong, "no function and no memory is left");
}

/* Data of a megabyte, in several blocks; memory behind what the device had is fresh again. */
static void large(void)
{
    enum { N = 1 << 20 };
    static unsigned char data[N];
    struct meter meter = {0};
    accd_context *context = open_checkpoints(&meter, "tr14");
    accd_checkpoint *before, *after;
    uint64_t dev = 0, again = 0;
    accd_host_register(context, data, sizeof data, NULL);
    is_status(accd_checkpoint_new(context, &before), ACCD_OK, "before");
    ENTER(context, BYTES(ACCD_ACTION_COPYIN, data, N / 2));
    accd_device_alloc(context, 0, N, &dev);
    accd__digest_set digests = digests_of(context);
    accd_device_write(context, 0, dev, data, N);
    const accd__digest_set written = digests_of(context);
    ok(digests.rest != written.rest && digests.values == written.values, "memory without host data counts");
    is_status(accd_checkpoint_new(context, &after), ACCD_OK, "after");
    accd_checkpoint_restore(before);
    accd_device_alloc(context, 0, N, &again);
    ok(accd_device_count_written(context, 0, again, N) == 0, "memory that is handed out again was never written");
    ENTER(context, BYTES(ACCD_ACTION_CREATE, data, N / 2));
    ok(accd_device_count_written(context, 0, accd_device_address(context, 0, data), N / 2) == 0, "nor was this");
    is_sound(context);
    memset(data, 1, N);
    accd_checkpoint_restore(after);
    ok(data[N - 1] == 0 && accd_device_count_written(context, 0, dev, N) == N, "all is there again");
    is_sound(context);
    accd_checkpoint_free(after);
    accd_checkpoint_free(before);
    accd_context_free(context);
    ok(!meter.live && !meter.wrong, "no memory is left");
}

/* How objects are cut does not matter for values, nor where they lie on the device. */
static void cuts(void)
{
    static struct {
        int64_t n;
        const void *to;
        char c[24];
    } s = {3, &s.n, "abcdefghijklmnopqrstuvw"};
    accd__digest_set one, two;
    accd_context *context = open_with(NULL, NULL, "openacc-3.3", 64);
    accd_host_register(context, &s, sizeof s, NULL);
    ENTER(context, BYTES(ACCD_ACTION_COPYIN, &s, sizeof s));
    const accd__digest_set whole = digests_of(context);
    EXIT(context, BYTES(ACCD_ACTION_DELETE, &s, sizeof s));
    ENTER(context, BYTES(ACCD_ACTION_COPYIN, s.c + 3, 21));
    ENTER(context, BYTES(ACCD_ACTION_COPYIN, &s, 11));
    ENTER(context, BYTES(ACCD_ACTION_COPYIN, (char *)&s + 11, 8));
    one = digests_of(context);
    ok(one.values == whole.values && one.present != whole.present, "four cuts have the values of the whole");
    EXIT(context, BYTES(ACCD_ACTION_DELETE, s.c + 3, 21));
    two = digests_of(context);
    ok(two.values != whole.values, "a part has not");
    EXIT(context, BYTES(ACCD_ACTION_DELETE, &s, 11), BYTES(ACCD_ACTION_DELETE, (char *)&s + 11, 8));
    ENTER(context, BYTES(ACCD_ACTION_CREATE, &s, sizeof s));
    two = digests_of(context);
    ok(two.present == whole.present && two.counters == whole.counters && two.values != whole.values,
       "bytes that were never written are others");
    accd_context_free(context);
}

static void speed(void)
{
    enum { ROUNDS = 20000 };
    static int data[12][16];
    struct meter meter = {0};
    accd_context *context = open_checkpoints(&meter, "openacc-3.3");
    accd__digest_set digests;
    accd_checkpoint *checkpoint, *inner;
    for (int i = 0; i < 12; i++) {
        accd_host_register(context, data[i], sizeof data[i], NULL);
        if (i % 2)
            ENTER(context, PLAIN(ACCD_ACTION_COPYIN, data[i]));
    }
    clock_t start = clock();
    accd_checkpoint_new(context, &checkpoint);
    for (int i = 0; i < ROUNDS; i++) {
        ENTER(context, PLAIN(ACCD_ACTION_COPYIN, data[i % 12]));
        accd__state_digests(context, 0, NULL, 0, &digests);
        accd_checkpoint_new(context, &inner);
        accd_checkpoint_free(inner);
        accd_checkpoint_restore(checkpoint);
    }
    const double us = (double)(clock() - start) / CLOCKS_PER_SEC * 1e6 / ROUNDS;
    printf("# %.2f us for a construct, digests, a checkpoint and its way back; the arena has %zu bytes\n", us,
           context->persistent->arena->used);
    accd_checkpoint_free(checkpoint);
    ok(present_count(context, data[0], 0, 0), "the state is the first one");
    accd_context_free(context);
}

/* Where device memory was that is gone does not matter; and nothing comes to lie there again, if that is asked for. */
static void places(void)
{
    static int a[4], b[4];
    static uint64_t kept[1];
    for (int avoid_reuse = 0; avoid_reuse < 2; avoid_reuse++) {
        accd__digest_set digests[2];
        for (int k = 0; k < 2; k++) {
            accd_context_config config;
            accd_context *context = NULL;
            accd_context_config_init(&config);
            config.avoid_reuse = avoid_reuse;
            must(accd_context_new(&context, &config) == ACCD_OK, "a context opens");
            must(accd_host_register(context, kept, sizeof kept, NULL) == ACCD_OK, "memory is known");
            for (int i = 0; i < 2; i++)
                must((i == k ? ENTER(context, PLAIN(ACCD_ACTION_COPYIN, a))
                             : ENTER(context, PLAIN(ACCD_ACTION_COPYIN, b))) == ACCD_OK,
                     "one behind the other");
            kept[0] = accd_device_address(context, 0, a);
            must(EXIT(context, PLAIN(ACCD_ACTION_DELETE, b)) == ACCD_OK &&
                     EXIT(context, PLAIN(ACCD_ACTION_DELETE, a)) == ACCD_OK,
                 "both are gone");
            digests[k] = digests_of(context);
            must(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, b)) == ACCD_OK, "one comes back");
            ok((accd_device_address(context, 0, b) == kept[0]) != avoid_reuse, "%s place",
               avoid_reuse ? "a new" : "the same");
            accd_context_free(context);
        }
        ok(equal(&digests[0], &digests[1]), "pointers to what is gone are the same");
    }
}

int main(int argc, char **argv)
{
    if (argc == 4)
        return print_digests(argv[1], strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    const char *seeds = getenv("ACCDEEP_TEST_SEEDS"), *first = getenv("ACCDEEP_TEST_SEED");
    struct log *logs = mmap(NULL, 2 * sizeof *logs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (logs == MAP_FAILED)
        return 1;
    for (uint64_t seed = first ? strtoull(first, NULL, 10) : 1, left = seeds ? strtoull(seeds, NULL, 10) : 2; left;
         seed++, left--)
        for (size_t i = 0; i < SETTINGS; i++)
            compare_runs(settings[i], seed, logs);
    munmap(logs, 2 * sizeof *logs);
    other_addresses(argv[0]);
    misuse();
    comes_back();
    functions();
    large();
    cuts();
    places();
    speed();
    return done();
}
