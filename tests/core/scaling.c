/* What something costs does not grow with how much else there is: a hundred times as much may take a few times as
 * long for each, not a hundred times. Processor time of this process; of several runs the shortest. */
#include "support.h"

#include <time.h>

enum { FEW = 200, MANY = 20000, GROWS_MOST = 12 };

static double get_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Prepares a context with n of something, and returns what one costs in it. */
typedef double cost_of(accd_context *context, size_t n);

static accd_context *open_plain(const char *rules, accd_queue_mode queues)
{
    accd_context_config config;
    accd_context *context = NULL;
    init_config(&config);
    config.threads = 1;
    config.group_least = 1;
    config.rules = rules_of(rules);
    config.queues = queues;
    must(accd_context_new(&context, &config) == ACCD_OK, "a context");
    return context;
}

static double shortest(cost_of *cost, const char *rules, accd_queue_mode queues, size_t n)
{
    double best = 0;
    for (int i = 0; i < 3; i++) {
        accd_context *context = open_plain(rules, queues);
        double found = cost(context, n);
        accd_context_free(context);
        best = !i || found < best ? found : best;
    }
    return best;
}

static void scales(const char *what, cost_of *cost, const char *rules, accd_queue_mode queues)
{
    double few = shortest(cost, rules, queues, FEW), many = shortest(cost, rules, queues, MANY);
    ok(many < GROWS_MOST * few, "%s: %.0f ns each of %d, %.0f ns each of %d", what, few, FEW, many, MANY);
}

/* ------------------------------------------------------------------------------------ queues -- */

static double queues(accd_context *context, size_t n)
{
    unsigned queue = 0;
    double start = get_seconds();
    for (size_t i = 0; i < n; i++)
        must(accd_queue_get(context, 0, (int64_t)(i * 7919 % n), &queue) == ACCD_OK && queue == i + 1, "a queue");
    for (size_t i = 0; i < n; i++)
        must(accd_queue_get(context, 0, (int64_t)(i * 7919 % n), &queue) == ACCD_OK && queue == i + 1, "the same one");
    return (get_seconds() - start) / (double)n;
}

/* ---------------------------------------------------------------------------------- pointers -- */

/* Arrays that go one by one while pointers are attached to them. */
static double targets(accd_context *context, size_t n)
{
    float **pointers = calloc(n, sizeof *pointers), *arrays = calloc(16 * n, sizeof *arrays);
    must(ENTER(context, BYTES(ACCD_ACTION_COPYIN, pointers, n * sizeof *pointers)) == ACCD_OK, "pointers");
    for (size_t i = 0; i < n; i++) {
        pointers[i] = arrays + 16 * i;
        accd_item item = BYTES(ACCD_ACTION_COPYIN, pointers[i], 64);
        item.slot = &pointers[i];
        must(ENTER(context, item) == ACCD_OK, "an array");
    }
    double start = get_seconds();
    for (size_t i = 0; i < n; i++)
        must(EXIT(context, BYTES(ACCD_ACTION_DELETE, pointers[i * 7919 % n], 64)) == ACCD_OK, "an array goes");
    double each = (get_seconds() - start) / (double)n;
    free(pointers);
    free(arrays);
    return each;
}

/* Some attached to one array, and to parts of it, in every order: they go with it, and are sound on the way. */
static void one_target(void)
{
    enum { N = 9 };
    static float array[64], *pointers[N];
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, "openacc-3.3", 1);
    must(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, pointers)) == ACCD_OK, "pointers");
    for (int round = 0; round < 2; round++) {
        must(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, array)) == ACCD_OK, "an array");
        for (int i = 0; i < N; i++) {
            pointers[i] = array + i % 3;
            must(ENTER(context, (accd_item){.slot = &pointers[i], .action = ACCD_ACTION_ATTACH}) == ACCD_OK,
                 "attached");
            is_sound(context);
        }
        pointers[4] = array + 60;
        must(ENTER(context, (accd_item){.slot = &pointers[4], .action = ACCD_ACTION_ATTACH}) == ACCD_OK, "moved");
        must(EXIT(context, (accd_item){.slot = &pointers[0], .action = ACCD_ACTION_DETACH}) == ACCD_OK, "detached");
        is_sound(context);
        must(EXIT(context, PLAIN(ACCD_ACTION_DELETE, array)) == ACCD_OK, "it goes");
        is_sound(context);
        for (int i = 0; i < N; i++)
            must(!attach_count(context, &pointers[i]), "pointer %d goes with it", i);
    }
    accd_context_free(context);
    is_number(meter.live, 0, "nothing leaks");
}

/* ------------------------------------------------------------------------------ what waits -- */

/* A flat object comes and goes. */
static double pair(accd_context *context)
{
    enum { TIMES = 2000 };
    static char object[64];
    double start = get_seconds();
    for (int i = 0; i < TIMES; i++) {
        must(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, object)) == ACCD_OK, "an object comes");
        must(EXIT(context, PLAIN(ACCD_ACTION_DELETE, object)) == ACCD_OK, "and goes");
    }
    return (get_seconds() - start) / TIMES;
}

/* Beside groups that nobody has looked into. */
static double groups(accd_context *context, size_t n)
{
    struct leaf *leaves = calloc(n, sizeof *leaves);
    float *arrays = calloc(8 * n, sizeof *arrays);
    accd_program *program = leaf_program(context);
    for (size_t i = 0; i < n; i++) {
        leaves[i] = (struct leaf){4, arrays + 8 * i, arrays + 8 * i + 4};
        must(ENTER(context, walked(ACCD_ACTION_COPYIN, &leaves[i], sizeof *leaves, program, NULL)) == ACCD_OK,
             "a group");
    }
    double each = pair(context);
    accd_program_release(program);
    free(leaves);
    free(arrays);
    return each;
}

/* Groups themselves: each comes and goes among the others. */
static double group(accd_context *context, size_t n)
{
    struct leaf *leaves = calloc(n, sizeof *leaves);
    float *arrays = calloc(8 * n, sizeof *arrays);
    accd_program *program = leaf_program(context);
    double start = get_seconds();
    for (int out = 0; out < 2; out++)
        for (size_t i = 0; i < n; i++) {
            leaves[i] = (struct leaf){4, arrays + 8 * i, arrays + 8 * i + 4};
            accd_item item =
                walked(out ? ACCD_ACTION_DELETE : ACCD_ACTION_COPYIN, &leaves[i], sizeof *leaves, program, NULL);
            must((out ? EXIT(context, item) : ENTER(context, item)) == ACCD_OK, "a group");
        }
    double each = (get_seconds() - start) / (double)n;
    accd_program_release(program);
    free(leaves);
    free(arrays);
    return each;
}

/* Beside a queue that has much to do. */
static double tasks(accd_context *context, size_t n)
{
    char *rows = calloc(n, 64);
    unsigned queue = 0;
    must(ENTER(context, BYTES(ACCD_ACTION_COPYIN, rows, 64 * n)) == ACCD_OK, "rows");
    must(accd_queue_get(context, 0, 1, &queue) == ACCD_OK, "a queue");
    for (size_t i = 0; i < n; i++) {
        const accd_item item = BYTES(ACCD_ACTION_UPDATE_DEVICE, rows + 64 * i, 64);
        const accd_construct update = {.kind = ACCD_KIND_UPDATE, .items = &item, .nitems = 1, .queue = queue};
        must(accd_run_construct(context, &update, NULL) == ACCD_OK, "an update of a row");
    }
    double each = pair(context);
    must(accd_queue_wait(context, 0, 0) == ACCD_OK, "wait");
    free(rows);
    return each;
}

/* ------------------------------------------------------------------------------------ labels -- */

/* What is said again is kept once, however often; what differs in anything is another label. */
static void labels(void)
{
    enum { TIMES = 100000 };
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, NULL, 1);
    accd_array rows = {.name = "s", .rank = 1, .dimensions = {{.extent = 4}}};
    const accd_label first = {.name = "Y[#].b", .unit = 4, .file = "f.c", .line = 3, .pointer = "p", .array = &rows};
    const accd_label *label = accd_label_intern(context, &first);
    const size_t live = meter.live;
    bool same = label;
    char name[] = "Y[#].b", file[] = "f.c", pointer[] = "p";
    for (int i = 0; i < TIMES && same; i++) {
        accd_array copy = rows;
        copy.dimensions[1].extent = i; /* behind its rank */
        same =
            accd_label_intern(
                context,
                &(accd_label){.name = name, .unit = 4, .file = file, .line = 3, .pointer = pointer, .array = &copy}) ==
            label;
    }
    ok(same, "the same label each time");
    is_number(meter.live, live, "it takes no memory again");
    accd_array other = rows, named = rows;
    other.dimensions[0].extent = 5;
    named.name = "t";
    accd_program *program = leaf_program(context);
    accd_label apart[] = {first, first, first, first, first, first, first, first, first, first};
    apart[0].name = "Y[#].c";
    apart[1].unit = 8;
    apart[2].flags = ACCD_LABEL_MEMBER;
    apart[3].file = NULL;
    apart[4].line = 4;
    apart[5].pointer = NULL;
    apart[6].layout = program;
    apart[7].array = NULL;
    apart[8].array = &other;
    apart[9].array = &named;
    const accd_label *made[10];
    for (int i = 0; i < 10; i++) {
        made[i] = accd_label_intern(context, &apart[i]);
        bool own = made[i] && made[i] != label;
        for (int k = 0; k < i; k++)
            own &= made[i] != made[k];
        ok(own, "label %d is another one", i);
    }
    for (int i = 0; i < 1000; i++) { /* the table grows */
        char text[16];
        snprintf(text, sizeof text, "n%d", i);
        must(accd_label_intern(context, &(accd_label){.name = text}), "a label");
    }
    bool found = accd_label_intern(context, &first) == label;
    for (int i = 0; i < 10; i++)
        found &= accd_label_intern(context, &apart[i]) == made[i];
    ok(found, "each is found again among many");
    accd_program_release(program);
    accd_context_free(context);
    is_number(meter.live, 0, "nothing leaks");
}

int main(void)
{
    labels();
    one_target();
    scales("queues found by their value", queues, "tr14", ACCD_QUEUES_IN_ORDER);
    scales("arrays that go with pointers attached to them", targets, "openacc-3.3", ACCD_QUEUES_IN_ORDER);
    scales("objects beside groups", groups, "tr14", ACCD_QUEUES_IN_ORDER);
    scales("groups beside groups", group, "tr14", ACCD_QUEUES_IN_ORDER);
    scales("objects beside tasks that wait", tasks, "tr14", ACCD_QUEUES_DELAYED);
    return done();
}
