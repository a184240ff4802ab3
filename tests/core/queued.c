/* groups in queues: deep structures that are asked for in queues stay one record, and nobody can tell: random
 * constructs in queues, sections alone or in groups, with waits that are missing and host memory that is freed;
 * what listeners hear; how much a queue does for them. */
#include "accdeep_internal.h"
#include "support.h"

#include <ops/ops.h>

enum { NODES = 3, LEAVES = 4, FLOATS = 4, STEPS = 24, DEEP = 2 };

struct node {
    int n, mark;
    struct leaf *at;
    float *c;
    int64_t last;
};

static struct node nodes[NODES];
static struct leaf leaves[NODES][LEAVES];
static float floats[NODES][LEAVES][2][FLOATS], lines[NODES][FLOATS];
static uint64_t seed;
static unsigned pick(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

/* A device address that a missing wait has brought to the host would crash the program. */
static void restore_pointers(void)
{
    for (int i = 0; i < NODES; i++) {
        nodes[i].at = leaves[i];
        nodes[i].c = lines[i];
        for (int k = 0; k < LEAVES; k++) {
            leaves[i][k].a = floats[i][k][0];
            leaves[i][k].b = floats[i][k][1];
        }
    }
}

static void build_queued_data(void)
{
    memset(nodes, 0, sizeof nodes);
    memset(leaves, 0, sizeof leaves);
    for (int i = 0; i < NODES; i++) {
        nodes[i] = (struct node){.n = (int)pick(FLOATS + 1), .mark = i, .last = 7 * i};
        for (int k = 0; k < LEAVES; k++) {
            leaves[i][k].n = (int)pick(FLOATS + 1);
            for (int j = 0; j < 2 * FLOATS; j++)
                floats[i][k][j / FLOATS][j % FLOATS] = (float)(100 * i + 10 * k + j);
        }
        for (int j = 0; j < FLOATS; j++)
            lines[i][j] = (float)(1000 * i + j);
    }
    restore_pointers();
}

static uint8_t some_action(bool own)
{
    static const uint8_t actions[] = {ACCD_ACTION_INHERIT, ACCD_ACTION_INHERIT, ACCD_ACTION_COPYIN,
                                      ACCD_ACTION_CREATE,  ACCD_ACTION_COPY,    ACCD_ACTION_COPYOUT};
    return own ? actions[pick(sizeof actions)] : ACCD_ACTION_INHERIT;
}

/* Elements with two pointers, all or some of whose own bytes move; own: with actions of their own. */
static accd_program *random_program(accd_context *context, accd_program *child, uint64_t stride, const uint64_t at[2],
                                    bool own)
{
    const accd_instruction load = {.op = ACCD_I_LOAD, .b = ACCD_SCALAR_I32, .k = 0};
    const accd_field fields[2] = {
        {.offset = at[0],
         .unit = child ? sizeof(struct leaf) : 4,
         .start = -1,
         .code_end = 1,
         .child = child,
         .action = some_action(own),
         .label = member(context, "one", child ? sizeof(struct leaf) : 4, child)},
        {.offset = at[1],
         .unit = 4,
         .start = -1,
         .code_end = 1,
         .action = some_action(own),
         .label = member(context, "two", 4, NULL)},
    };
    const unsigned whole = pick(3);
    const accd_piece pieces[2] = {{.bytes = whole ? stride : 8, .action = some_action(own)},
                                  {.offset = at[1] + 8, .bytes = stride - at[1] - 8, .action = some_action(own)}};
    return program_of(context, &(accd_program_spec){.stride = stride,
                                                    .pieces = pieces,
                                                    .npieces = whole || stride == at[1] + 8 ? whole < 2 : 2,
                                                    .fields = fields,
                                                    .nfields = 2,
                                                    .code = &load,
                                                    .ncode = 1,
                                                    .registers = 1});
}

struct world {
    struct meter meter;
    accd_context *context;
    accd_program *leaf[2], *node[2]; /* of updates, of others */
    const accd_label *label;
    accd_region *regions[DEEP];
    unsigned queues[2];
    size_t nregions;
    int line;
    bool enters; /* the last step entered data in a queue */
};

static void open_world(struct world *world, const char *rules, size_t least, accd_queue_mode mode, bool known)
{
    accd_context_config config;
    *world = (struct world){0};
    init_config(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = &world->meter;
    config.rules = rules_of(rules);
    config.threads = 1;
    config.group_least = least;
    config.device_bytes = (uint64_t)64 << 20;
    config.queues = mode;
    config.check_host = known;
    build_queued_data();
    must(accd_context_new(&world->context, &config) == ACCD_OK, "a context");
    for (unsigned i = 0; i < 2; i++)
        must(accd_queue_get(world->context, 0, i + 1, &world->queues[i]) == ACCD_OK, "a queue");
    for (int i = 0; i < 2; i++) {
        world->leaf[i] = random_program(world->context, NULL, sizeof(struct leaf),
                                        (uint64_t[]){offsetof(struct leaf, a), offsetof(struct leaf, b)}, i);
        world->node[i] = random_program(world->context, world->leaf[i], sizeof(struct node),
                                        (uint64_t[]){offsetof(struct node, at), offsetof(struct node, c)}, i);
    }
    world->label = array(world->context, "nodes", sizeof(struct node), world->node[1]);
    accd_host_register(world->context, nodes, sizeof nodes, array(world->context, "nodes", sizeof nodes[0], NULL));
    accd_host_register(world->context, leaves, sizeof leaves,
                       array(world->context, "leaves", sizeof leaves[0][0], NULL));
    accd_host_register(world->context, floats, sizeof floats, array(world->context, "floats", 4, NULL));
    accd_host_register(world->context, lines, sizeof lines, array(world->context, "lines", 4, NULL));
}

static void close_world(struct world *world)
{
    while (world->nregions)
        accd_region_abandon(world->regions[--world->nregions]);
    for (int i = 0; i < 2; i++) {
        accd_program_release(world->node[i]);
        accd_program_release(world->leaf[i]);
    }
    accd_context_free(world->context);
    must(!world->meter.live && !world->meter.wrong, "nothing leaks");
}

static accd_status submit_construct(struct world *world, accd_construct_kind kind, uint8_t action, unsigned queue,
                                    bool finalize, accd_region **region)
{
    const accd_item item = walked(action, nodes, sizeof nodes, world->node[kind != ACCD_KIND_UPDATE], world->label);
    return accd_run_construct(world->context,
                              &(accd_construct){.kind = kind,
                                                .name = "it",
                                                .file = "queued.c",
                                                .line = world->line,
                                                .items = &item,
                                                .nitems = 1,
                                                .queue = queue,
                                                .finalize = finalize},
                              region);
}

/* ----------------------------------------------------------------------------------- random -- */

static accd_status run_queued_step(struct world *world)
{
    static const uint8_t enters[] = {ACCD_ACTION_COPYIN, ACCD_ACTION_COPYIN, ACCD_ACTION_CREATE};
    accd_context *context = world->context;
    const unsigned kind = pick(16), queue = pick(3), i = pick(NODES), k = pick(LEAVES), more = pick(3);
    const unsigned number = queue ? world->queues[queue - 1] : 0;
    accd_status status = ACCD_OK;
    world->enters = kind < 3 && queue;
    switch (kind) {
    case 0:
    case 1:
    case 2:
        return submit_construct(world, ACCD_KIND_ENTER_DATA, enters[more], number, false, NULL);
    case 3:
    case 4:
        return submit_construct(world, ACCD_KIND_EXIT_DATA, more ? ACCD_ACTION_COPYOUT : ACCD_ACTION_DELETE, number,
                                !more, NULL);
    case 5:
    case 6:
        return submit_construct(world, ACCD_KIND_UPDATE, more ? ACCD_ACTION_UPDATE_DEVICE : ACCD_ACTION_UPDATE_SELF,
                                number, false, NULL);
    case 7:
    case 8:
        if (world->nregions == DEEP)
            return ACCD_OK;
        status = submit_construct(world, more ? ACCD_KIND_COMPUTE : ACCD_KIND_REGION,
                                  more == 1 ? ACCD_ACTION_COPY : ACCD_ACTION_COPYIN, number, false,
                                  &world->regions[world->nregions]);
        if (status == ACCD_OK && more && !pick(3)) /* its kernel fails */
            accd_region_abandon(world->regions[world->nregions]);
        else
            world->nregions += status == ACCD_OK;
        return status;
    case 9:
    case 10:
        if (!world->nregions)
            return ACCD_OK;
        status = accd_region_end(world->regions[world->nregions - 1]);
        world->nregions -= status == ACCD_OK;
        return status;
    case 11:
        return accd_queue_wait(context, 0, number);
    case 12:
        return accd_queue_wait_for(context, 0, world->queues[more & 1], 0, world->queues[1 - (more & 1)]);
    case 13:
        floats[i][k][0][more] += 1;
        nodes[i].mark++;
        return ACCD_OK;
    case 14:
        lines[i][more] += 1;
        leaves[i][k].b[0] -= 1;
        return ACCD_OK;
    default:
        accd_host_set_state(context, more ? (void *)floats : lines, 0);
        if (more == 1) {
            status = accd_queue_wait(context, 0, 0);
            accd_host_set_state(context, floats, 1);
        }
        accd_host_set_state(context, lines, 1);
        accd_host_set_state(context, floats, 1);
        return status;
    }
}

/* The host's memory as a number; where a wait is missing, a device address may have come to it. */
static uint64_t host_now(accd_context *context)
{
    uint64_t hash = mix_bytes(0, floats, sizeof floats), word;
    hash = mix_bytes(hash, lines, sizeof lines);
    for (size_t i = 0; i < sizeof nodes + sizeof leaves; i += sizeof word) {
        memcpy(&word, i < sizeof nodes ? (char *)nodes + i : (char *)leaves + (i - sizeof nodes), sizeof word);
        word = accd_device_at(context, word) < 0 ? word : 1;
        hash = mix_bytes(hash, &word, sizeof word);
    }
    return hash;
}

/* What is present, with its bytes; device addresses, good or stale, are told as such. */
static void write_device(accd_context *context, struct story *told)
{
    accd_present_object present;
    accd_attachment attachment;
    for (uint64_t at = 0; accd_present_next(context, 0, &at, &present);) {
        story_add(told, "%llx s%u d%u", (unsigned long long)present.info.host, present.structured, present.dynamic);
        for (uint64_t i = 0; i < present.info.bytes; i += 4) {
            uint64_t word = 0;
            const bool all = i + 8 <= present.info.bytes && (present.info.host + i) % 8 == 0;
            if (accd_device_count_written(context, 0, present.dev + i, 4) != 4)
                continue;
            must(accd_device_read(context, 0, present.dev + i, &word, all ? 8 : 4) == ACCD_OK, "read");
            if (all && accd_device_at(context, word) >= 0) {
                story_add(told, " device");
                i += 4;
            } else {
                story_add(told, " %llu:%x", (unsigned long long)i, (uint32_t)word);
            }
        }
        story_add(told, "\n");
    }
    for (uint64_t at = 0; accd_attachment_next(context, 0, &at, &attachment);)
        story_add(told, "%llx -> %llx %u\n", (unsigned long long)attachment.slot, (unsigned long long)attachment.target,
                  attachment.count);
}

/* What random steps do, as text. Returns how often a queue got a new group. */
static size_t play(uint64_t number, size_t least, accd_queue_mode mode, struct story *told)
{
    static const char *const profiles[] = {"tr14", "openacc-3.3", "tr14", "openmp-5.1"};
    struct world world;
    size_t queued = 0;
    seed = number * 977 + 5;
    pick(2);
    open_world(&world, profiles[number % 4], least, mode, number % 3 == 0);
    for (int i = 0; i < STEPS; i++) {
        const struct accd__device_env *dir = world.context->envs;
        const size_t before = dir->groups.npending;
        world.line = i;
        accd_status status = run_queued_step(&world);
        queued += world.enters && dir->groups.npending > before;
        story_add(told, "%d: %s %s %llx\n", i, accd_status_code(status),
                  status == ACCD_OK ? "" : accd_context_error(world.context)->message,
                  (unsigned long long)host_now(world.context));
        restore_pointers();
    }
    for (int i = 0; i < 9; i++) { /* each failure ends a wait */
        accd_status status = accd_queue_wait(world.context, 0, 0);
        story_add(told, "%s ", accd_status_code(status));
    }
    const char *wrong = accd__check_invariants(world.context); /* missing waits may mix pointers up */
    story_add(told, "%s\n", wrong ? wrong : "sound");
    write_device(world.context, told);
    close_world(&world);
    return queued;
}

static void random_constructs(accd_queue_mode mode, const char *how)
{
    const char *text = getenv("ACCDEEP_ROUNDS");
    const uint64_t rounds = text ? strtoull(text, NULL, 10) * 10 : 1000;
    size_t queued = 0, different = 0;
    for (uint64_t number = 0; number < rounds && different < 3; number++) {
        struct story alone = {0}, grouped = {0};
        (void)play(number, 1000, mode, &alone);
        queued += play(number, 1, mode, &grouped);
        if (strcmp(alone.text, grouped.text) != 0) {
            different++;
            printf("# program %llu, sections alone:\n%s\n# in groups:\n%s\n", (unsigned long long)number, alone.text,
                   grouped.text);
        }
        story_free(&alone);
        story_free(&grouped);
    }
    is_number(different, 0, "random constructs in queues, %s, sections alone or in groups: the same", how);
    ok(queued > rounds / 4, "queues get new groups %zu times", queued);
}

/* ----------------------------------------------------------------------------------- events -- */

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What was told, in alphabetical order: a queue tells later. */
static void sort_story(struct story *told)
{
    char *lines_of[400], *at = told->text;
    struct story sorted = {0};
    size_t n = 0;
    for (char *end; n < 400 && (end = strchr(at, '|')); at = end + 1) {
        *end = 0;
        lines_of[n++] = at;
    }
    qsort(lines_of, n, sizeof lines_of[0], compare_strings);
    for (size_t i = 0; i < n; i++)
        story_add(&sorted, "%s\n", lines_of[i]);
    story_free(told);
    *told = sorted;
}

static size_t tasks(const struct world *world)
{
    accd_queue_info info = {0};
    return accd_queue_get_info(world->context, 0, world->queues[0], &info) ? info.pending : 999;
}

/* In and out of one queue, with a listener from the beginning, or from before the wait on. */
static void in_and_out(struct world *world, accd_queue_mode mode, bool late, struct story *told)
{
    seed = 3;
    open_world(world, "tr14", 1, mode, false);
    accd_context_set_event_handler(world->context, late ? NULL : tell_story, told);
    const bool delayed = mode == ACCD_QUEUES_DELAYED;
    const unsigned queue = world->queues[0];
    const struct accd__device_env *dir = world->context->envs;
    is_status(submit_construct(world, ACCD_KIND_ENTER_DATA, ACCD_ACTION_COPYIN, queue, false, NULL), ACCD_OK, "enter");
    is_number(dir->groups.npending, 1, "all sections are one group");
    is_number(tasks(world), delayed, "and one task");
    is_status(submit_construct(world, ACCD_KIND_UPDATE, ACCD_ACTION_UPDATE_DEVICE, queue, false, NULL), ACCD_OK,
              "update");
    is_number(tasks(world), delayed ? 2 : 0, "the next one");
    is_status(submit_construct(world, ACCD_KIND_EXIT_DATA, ACCD_ACTION_COPYOUT, queue, false, NULL), ACCD_OK, "exit");
    is_number(dir->groups.npending, 0, "the group leaves");
    is_number(tasks(world), delayed ? 3 : 0, "with a third one");
    ok((dir->device.stats.live_bytes > 0) == delayed, "its memory stays as long as a queue needs it");
    accd_context_set_event_handler(world->context, tell_story, told);
    is_status(accd_queue_wait(world->context, 0, 0), ACCD_OK, "wait");
    is_number(dir->device.stats.live_bytes, 0, "then it goes");
    is_sound(world->context);
    close_world(world);
}

static void events(void)
{
    struct story told[3] = {{0}};
    struct world world;
    for (int i = 0; i < 3; i++) {
        story_add(&told[i], "%s", "");
        in_and_out(&world, i ? ACCD_QUEUES_DELAYED : ACCD_QUEUES_IN_ORDER, i == 2, &told[i]);
        sort_story(&told[i]);
    }
    is_text(told[1].text, told[0].text, "a queue tells the same of a group");
    ok(strstr(told[2].text, "h2d nodes[0].two[0:") && strstr(told[2].text, "free nodes[0].one[0:") &&
           !strstr(told[2].text, "attach"),
       "and those who listen when it gets there hear what it does then");
    for (int i = 0; i < 3; i++)
        story_free(&told[i]);
}

/* The n-th request for host memory fails, for every n: the construct changes nothing, or a wait gives up what it was
 * to do; all memory comes back. */
static void sweep(bool fails_on)
{
    static const struct {
        accd_construct_kind kind;
        uint8_t action;
    } steps[] = {{ACCD_KIND_ENTER_DATA, ACCD_ACTION_COPYIN},
                 {ACCD_KIND_UPDATE, ACCD_ACTION_UPDATE_SELF},
                 {ACCD_KIND_UPDATE, ACCD_ACTION_UPDATE_DEVICE},
                 {ACCD_KIND_EXIT_DATA, ACCD_ACTION_COPYOUT}};
    bool reached = true;
    size_t n = 0;
    while (reached && n < 400) {
        struct world world;
        accd_status status = ACCD_OK;
        seed = 3;
        open_world(&world, "tr14", 1, ACCD_QUEUES_DELAYED, false);
        world.meter.fails_on = fails_on;
        world.meter.fail_at = ++n;
        for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == ACCD_OK; i++) {
            const size_t groups = world.context->envs->groups.npending, before = tasks(&world);
            status = submit_construct(&world, steps[i].kind, steps[i].action, world.queues[0], false, NULL);
            must(status == ACCD_OK || (groups == world.context->envs->groups.npending && before == tasks(&world)),
                 "request %zu, step %zu: nothing changed", n, i);
        }
        const accd_status waited = accd_queue_wait(world.context, 0, 0);
        must((status == ACCD_OK || status == ACCD_ERROR_OUT_OF_MEMORY) &&
                 (waited == ACCD_OK || waited == ACCD_ERROR_OUT_OF_MEMORY),
             "request %zu: %s, %s", n, accd_status_code(status), accd_status_code(waited));
        reached = world.meter.failed;
        world.meter.fail_at = 0;
        must(accd_queue_wait(world.context, 0, 0) == ACCD_OK, "request %zu: it ends", n);
        const char *wrong = waited == ACCD_OK ? accd__check_invariants(world.context) : NULL;
        must(!wrong, "request %zu: %s", n, wrong ? wrong : "");
        close_world(&world);
    }
    ok(n > 20 && !reached, "%zu requests for memory failed%s", n - 1,
       fails_on ? ", with all behind them" : " one by one");
}

int main(void)
{
    events();
    sweep(false);
    sweep(true);
    random_constructs(ACCD_QUEUES_DELAYED, "delayed");
    random_constructs(ACCD_QUEUES_IN_ORDER, "in order");
    return done();
}
