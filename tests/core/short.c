/* The short way of plain constructs does what the general way does. Random constructs are run twice, in two processes
 * that begin alike, so that addresses are the same: once as they are, and once with a listener, which keeps all of
 * them on the general way. After each step status, error, figures, counters, names, device and host are compared. */
#include "support.h"

#include <plan/plan.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 1500, BLOCKS = 14, POINTERS = 6, DEPTH_MOST = 12, LEAVES = 3, ITEMS_MOST = 11 };

/* ------------------------------------------------------------------------------------ world -- */

static struct {
    char *pointers[POINTERS];          /* to the blocks behind */
    struct leaf leaves[LEAVES];
    float sections[LEAVES][2][4];
    char bytes[BLOCKS][160];
    char behind[256];
} host;

struct world {
    accd_context *context;
    struct meter meter;
    uint64_t random;
    accd_program *leaf;
    const accd_label *labels[4];
    accd_region *regions[DEPTH_MOST];
    size_t depth;
    unsigned queue;
    bool journal;
    char what[400]; /* the step */
};

struct setting {
    const char *name;
    uint64_t device_bytes;
    accd_queue_mode queues;
    bool calm; /* nothing but plain constructs, and now and then one that fails */
    bool pointers; /* many items name their pointers */
};

static uint32_t below(struct world *w, uint32_t n) { return next_random(&w->random) % n; }
static bool once_in(struct world *w, uint32_t n) { return below(w, n) == 0; }

static void hear_nothing(void *ud, const accd_event *event)
{
    (void)ud;
    (void)event;
}

static void open_world(struct world *w, const struct setting *setting, uint64_t seed, bool general)
{
    static const accd_rules *rules;
    accd_context_config config;
    *w = (struct world){.random = seed};
    rules = accd_rules_named(setting->name);
    init_config(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = &w->meter;
    config.group_least = 1;
    config.threads = 1;
    config.device_bytes = setting->device_bytes ? setting->device_bytes : (uint64_t)64 << 20;
    config.queues = setting->queues;
    config.rules = rules;
    config.on_event = general ? hear_nothing : NULL;
    if (accd_context_open(&w->context, &config) != ACCD_OK)
        exit(3);
    w->leaf = leaf_program(w->context);
    w->labels[1] = array(w->context, "x", 8, NULL);
    w->labels[2] = array(w->context, "y[#].z", 1, NULL);
    w->labels[3] = accd_label_new(w->context, &(accd_label){.name = "s", .unit = 4, .file = "short.c", .line = 7});
    accd_queue(w->context, 0, 1, &w->queue);
    for (size_t i = 0; i < sizeof host; i++)
        ((unsigned char *)&host)[i] = (unsigned char)(i * 7);
    for (int i = 0; i < POINTERS; i++)
        host.pointers[i] = host.bytes[i];
    for (int i = 0; i < LEAVES; i++)
        host.leaves[i] = (struct leaf){.n = i + 1, .a = host.sections[i][0], .b = host.sections[i][1]};
}

static uint64_t block_bytes(size_t block) { return block % 3 == 0 ? 160 : 16 + 8 * block; }

/* ------------------------------------------------------------------------------- constructs -- */

static uint8_t any_action(struct world *w, accd_kind kind)
{
    static const uint8_t entries[] = {ACCD_COPYIN, ACCD_COPY,   ACCD_COPYIN,    ACCD_CREATE,
                                      ACCD_COPYOUT, ACCD_PRESENT, ACCD_NO_CREATE, ACCD_HOLD};
    static const uint8_t exits[] = {ACCD_DELETE, ACCD_COPYOUT, ACCD_COPYOUT, ACCD_HOLD};
    if (once_in(w, 60))
        return (uint8_t)below(w, ACCD_ACTION_COUNT + 2);
    if (kind == ACCD_EXIT_DATA)
        return exits[below(w, 16) ? below(w, 3) : 3];
    if (kind == ACCD_UPDATE)
        return below(w, 2) ? ACCD_UPDATE_SELF : ACCD_UPDATE_DEVICE;
    return entries[below(w, sizeof entries)];
}

static accd_item plain_item(struct world *w, accd_kind kind)
{
    size_t block = below(w, BLOCKS + 2);
    accd_item item = {.action = any_action(w, kind)};
    if (block == BLOCKS) { /* what other items attach, and what a walk leads to */
        item.host = host.pointers;
        item.bytes = sizeof host.pointers;
        return item;
    }
    if (block > BLOCKS) {
        item.host = host.sections[below(w, LEAVES)][below(w, 2)];
        item.bytes = 16;
        return item;
    }
    item.host = host.bytes[block];
    item.bytes = block_bytes(block);
    item.label = w->labels[below(w, 2) ? 0 : below(w, 4)];
    if (once_in(w, 6)) { /* a part of it, or more than it */
        uint64_t into = below(w, 20);
        item.host = host.bytes[block] + into;
        item.bytes = once_in(w, 4) ? 120 + below(w, 100) : 1 + below(w, 24);
    }
    return item;
}

/* A section with its pointer, or what holds all pointers. */
static accd_item pointer_item(struct world *w, accd_kind kind)
{
    const size_t block = below(w, POINTERS + 2);
    accd_item item = {.host = host.pointers, .bytes = sizeof host.pointers, .action = any_action(w, kind)};
    if (block < POINTERS) {
        const uint64_t into = once_in(w, 4) ? 8 * below(w, 3) : 0;
        item.host = host.bytes[block] + into;
        item.bytes = once_in(w, 4) ? 8 : block_bytes(block) - into;
        item.slot = once_in(w, 8) ? &host.pointers[below(w, POINTERS)] : &host.pointers[block];
    }
    if (once_in(w, 10)) { /* members of one aggregate */
        item.frame = host.pointers;
        item.room = sizeof host.pointers;
    }
    return item;
}

/* An item with something that the short way does not know. */
static accd_item any_item(struct world *w, accd_kind kind)
{
    static accd_dim dims[] = {{2, 8}};
    accd_item item = plain_item(w, kind);
    size_t block = below(w, BLOCKS);
    switch (below(w, 16)) {
    case 0:
        item.action = ACCD_ATTACH;
        item.slot = once_in(w, 2) ? &host.pointers[block % POINTERS] : NULL;
        break;
    case 1:
    case 2:
        item.slot = &host.pointers[block % POINTERS];
        item.host = host.bytes[block % POINTERS];
        item.bytes = block_bytes(block % POINTERS);
        break;
    case 3:
        if (w->context->rules.attached == ACCD_ATTACHED_COPIED)
            break; /* updates leave device addresses in pointers */
        return walked(item.action, host.leaves, sizeof host.leaves, w->leaf, w->labels[1]);
    case 4:
    case 12:
        item.flags = ACCD_ITEM_UNCOUNTED;
        item.action = ACCD_PRESENT;
        break;
    case 5:
        item.bytes = once_in(w, 2) ? 0 : UINT64_MAX - below(w, 200);
        break;
    case 6:
        item.host = once_in(w, 3) ? (const void *)(uintptr_t)(UINT64_MAX - 7) : NULL;
        item.bytes = 8 + below(w, 40);
        break;
    case 7:
        item.dims = once_in(w, 3) ? NULL : dims;
        item.ndims = 1;
        item.run = 8;
        item.bytes = 16;
        break;
    case 8:
        item.slot_bytes = below(w, 3) * 20;
        break;
    case 9:
        item.label = w->labels[1 + below(w, 2)];
        item.start = below(w, 5);
        item.index[0] = 3;
        break;
    case 10:
        item.flags = (uint16_t)(once_in(w, 4) ? 0x2000 : 1u << below(w, 11));
        if (item.flags & ACCD_ITEM_UNCOUNTED)
            item.action = ACCD_PRESENT; /* other items create what it names */
        break;
    case 13:
        item.flags = ACCD_ITEM_POINTER;
        break;
    case 11:
        item.frame = host.bytes[block];
        item.room = sizeof host.bytes[0];
        break;
    default:
        item.flags = once_in(w, 2) ? ACCD_ITEM_TRY : ACCD_ITEM_PRESENT_OR;
        break;
    }
    return item;
}

/* A step in words, for failures. */
static void describe(struct world *w, const accd_construct *construct)
{
    int used = snprintf(w->what, sizeof w->what, "kind %d, device %d, queue %u%s:", (int)construct->kind,
                        construct->device, construct->queue, construct->finalize ? ", finalize" : "");
    for (size_t i = 0; i < construct->nitems && construct->items && used < 300; i++) {
        const accd_item *item = &construct->items[i];
        used += snprintf(w->what + used, sizeof w->what - (size_t)used, " %s %td+%llx/%x%s%s",
                         accd_action_name(item->action), (const char *)item->host - (const char *)&host,
                         (unsigned long long)item->bytes, item->flags, item->slot ? " slot" : "",
                         item->program ? " walked" : "");
    }
}

static accd_status run_construct(struct world *w, const struct setting *setting, accd_kind kind)
{
    accd_item items[ITEMS_MOST];
    bool opens = kind == ACCD_REGION || kind == ACCD_COMPUTE;
    size_t n = once_in(w, 3) ? below(w, ITEMS_MOST) : 1 + below(w, 3);
    for (size_t i = 0; i < n; i++)
        items[i] = once_in(w, setting->calm ? 25 : 4)            ? any_item(w, kind)
                   : setting->pointers && !once_in(w, 4) ? pointer_item(w, kind)
                                                                  : plain_item(w, kind);
    accd_construct construct = {.kind = once_in(w, 200) ? (accd_kind)9 : kind,
                                .items = once_in(w, 300) ? NULL : items,
                                .nitems = n,
                                .device = once_in(w, 200) ? (int)below(w, 3) - 1 : 0,
                                .finalize = kind == ACCD_EXIT_DATA && once_in(w, 10),
                                .name = "data",
                                .file = "short.c",
                                .line = (int)below(w, 1000),
                                .thread = opens ? below(w, 2) : 0};
    if (!setting->calm && once_in(w, 12))
        construct.queue = once_in(w, 10) ? 99 : w->queue;
    describe(w, &construct);
    if (!opens || w->depth == DEPTH_MOST)
        return accd_run(w->context, &construct, NULL);
    accd_status status = accd_run(w->context, &construct, &w->regions[w->depth]);
    w->depth += status == ACCD_OK;
    return status;
}

static accd_status end_region(struct world *w)
{
    snprintf(w->what, sizeof w->what, "end of a region, of %zu", w->depth);
    if (!w->depth)
        return ACCD_OK;
    size_t at = once_in(w, 3) ? below(w, (uint32_t)w->depth) : w->depth - 1;
    if (once_in(w, 20)) {
        while (w->depth)
            accd_region_abandon(w->regions[--w->depth]); /* all of them: which go with one depends on threads */
        return ACCD_OK;
    }
    accd_status status = accd_region_end(w->regions[at]);
    if (status != ACCD_OK)
        return status;
    w->depth--;
    memmove(&w->regions[at], &w->regions[at + 1], (w->depth - at) * sizeof w->regions[0]);
    return status;
}

/* What changes what plain constructs meet. */
static accd_status disturb(struct world *w)
{
    size_t block = below(w, BLOCKS);
    uint64_t dev = 0;
    accd_status status = ACCD_OK;
    struct accd_object *object;
    const uint32_t what = below(w, 8);
    snprintf(w->what, sizeof w->what, "disturbance %u of block %zu", what, block);
    switch (what) {
    case 0:
        status = accd_device_alloc(w->context, 0, 160, &dev);
        return status == ACCD_OK ? accd_map(w->context, 0, host.bytes[block], dev, block_bytes(block), w->labels[1])
                                 : status;
    case 1:
        return accd_unmap(w->context, 0, host.bytes[block]);
    case 2:
        (void)accd_host_address(w->context, 0, 1); /* orders objects by device address */
        return ACCD_OK;
    case 3:
        if (w->journal)
            accd_journal_close(w->context, 0, 1);
        else
            status = accd_journal_open(w->context, 0);
        w->journal = !w->journal && status == ACCD_OK;
        return status;
    case 4:
        return accd_queue_wait(w->context, 0, 0);
    case 5: /* a counter that is nearly exhausted, for a while */
        status = accd_find(&w->context->dirs[0], accd_address(host.bytes[block]), &object);
        if (status == ACCD_OK && object && !w->context->rules.fusion) {
            const uint32_t far = UINT32_MAX / 2 - 1, was = object->dynamic;
            accd_item two[2] = {{.host = host.bytes[block], .bytes = 8, .action = ACCD_PRESENT}};
            accd_construct construct = {.kind = ACCD_ENTER_DATA, .items = two, .nitems = 2};
            two[1] = two[0];
            object->dynamic += far;
            status = accd_run(w->context, &construct, NULL);
            if (status == ACCD_OK)
                status = accd_run(w->context, &construct, NULL);
            construct.kind = ACCD_EXIT_DATA;
            two[0].action = two[1].action = ACCD_DELETE;
            (void)accd_run(w->context, &construct, NULL);
            object->dynamic = was;
        }
        return status;
    case 6:
        host.pointers[block % POINTERS] = host.bytes[(block + below(w, 2)) % POINTERS];
        return ACCD_OK;
    default:
        host.bytes[block][below(w, 100)] ^= 1;
        return device_put(w->context, host.bytes[block], &w->random, 8) ? ACCD_OK : ACCD_NOT_PRESENT;
    }
}

static accd_status any_step(struct world *w, const struct setting *setting)
{
    accd_status status;
    if (once_in(w, 12) && !setting->queues) { /* what a queue does not do is over all the same */
        accd_fail_allocation(w->context, 0, below(w, 3));
        accd_fail_copy(w->context, 0, below(w, 4));
    }
    switch (below(w, 20)) {
    case 0: case 1: case 2: case 3: case 4: case 5:
        status = run_construct(w, setting, ACCD_ENTER_DATA);
        break;
    case 6: case 7: case 8: case 9: case 10:
        status = run_construct(w, setting, ACCD_EXIT_DATA);
        break;
    case 11: case 12:
        status = run_construct(w, setting, ACCD_UPDATE);
        break;
    case 13: case 14:
        status = run_construct(w, setting, once_in(w, 2) ? ACCD_REGION : ACCD_COMPUTE);
        break;
    case 15: case 16: case 17:
        status = end_region(w);
        break;
    default:
        status = disturb(w);
        break;
    }
    accd_fail_allocation(w->context, 0, 0);
    accd_fail_copy(w->context, 0, 0);
    return status;
}

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

static uint64_t hash_info(uint64_t hash, const accd_object_info *info)
{
    hash = mix_bytes(hash, info->name, strlen(info->name));
    hash = mix_bytes(hash, &info->host, sizeof info->host);
    hash = mix_bytes(hash, &info->bytes, sizeof info->bytes);
    hash = mix_bytes(hash, &info->line, sizeof info->line);
    return info->file ? mix_bytes(hash, info->file, strlen(info->file)) : hash;
}

/* Names, counters and levels: what digests leave out. */
static uint64_t hash_state(accd_context *context)
{
    uint64_t hash = 11;
    accd_present present;
    accd_level level;
    accd_clause clause;
    for (uint64_t at = 0; accd_present_next(context, 0, &at, &present);) {
        const uint32_t counters[] = {present.structured, present.dynamic, (uint32_t)present.mapped,
                                     (uint32_t)present.pointer};
        hash = mix_bytes(hash_info(hash, &present.info), counters, sizeof counters);
    }
    for (size_t i = 0; accd_level_at(context, 0, i, &level); i++) {
        const int numbers[] = {(int)level.kind, level.line, (int)level.clauses};
        hash = mix_bytes(mix_bytes(hash, numbers, sizeof numbers), level.name, strlen(level.name));
        for (size_t k = 0; accd_level_clause(context, 0, i, k, &clause); k++) {
            const int what[] = {(int)clause.action, clause.created};
            hash = mix_bytes(hash_info(hash, &clause.info), what, sizeof what);
        }
    }
    return hash;
}

static void note(struct world *w, accd_status status, struct outcome *record)
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
        record->digest = accd_digest(w->context);
}

static void run_steps(const struct setting *setting, uint64_t seed, bool general, struct log *log)
{
    static struct world w;
    open_world(&w, setting, seed, general);
    while (log->steps < STEPS) {
        accd_status status = any_step(&w, setting);
        note(&w, status, &log->at[log->steps++]);
        const bool checked = log->steps % 8 == 0 && !w.context->rules.fusion && !setting->queues;
        const char *wrong = checked ? accd_check(w.context) : NULL;
        if (wrong) {
            snprintf(log->wrong, sizeof log->wrong, "step %zu, %.150s: %.200s", log->steps, w.what, wrong);
            break;
        }
    }
    while (w.depth)
        accd_region_abandon(w.regions[--w.depth]);
    accd_program_release(w.leaf);
    accd_context_close(w.context);
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

static bool same(const struct outcome *a, const struct outcome *b)
{
    return a->status == b->status && a->error == b->error && a->state == b->state && a->digest == b->digest &&
           a->host == b->host && !memcmp(&a->stats, &b->stats, sizeof a->stats) && !strcmp(a->rule, b->rule) &&
           !strcmp(a->message, b->message);
}

static void tell(const char *way, const struct outcome *record)
{
    printf("#   %s: %s, %s %s\n#     error %llx, state %llx, digest %llx, host %llx, %llu live, %llu objects, "
           "%llu allocations, %llu and %llu transfers\n",
           way, accd_status_code(record->status), record->rule, record->message, (unsigned long long)record->error,
           (unsigned long long)record->state, (unsigned long long)record->digest, (unsigned long long)record->host,
           (unsigned long long)record->stats.live_bytes, (unsigned long long)record->stats.objects,
           (unsigned long long)record->stats.allocations, (unsigned long long)record->stats.transfers[0],
           (unsigned long long)record->stats.transfers[1]);
}

static void compare(const struct setting *setting, uint64_t seed, struct log *logs)
{
    memset(logs, 0, 2 * sizeof *logs);
    for (int k = 0; k < 2; k++)
        run_apart(setting, seed, k, &logs[k]);
    size_t at = 0, good = 0;
    while (at < STEPS && at < logs[0].steps && at < logs[1].steps && same(&logs[0].at[at], &logs[1].at[at]))
        good += logs[0].at[at++].status == ACCD_OK;
    for (int k = 0; k < 2; k++)
        must(!*logs[k].wrong, "%s: %s", k ? "general way" : "short way", logs[k].wrong);
    if (!ok(at == STEPS && good > STEPS / 4, "%s%s, seed %llu: both ways do the same, %zu constructs hold",
            setting->name, setting->calm ? ", mostly plain" : "", (unsigned long long)seed, good) &&
        at < logs[0].steps && at < logs[1].steps) {
        printf("#   step %zu: %s\n", at, logs[0].at[at].what);
        tell("short way", &logs[0].at[at]);
        tell("general way", &logs[1].at[at]);
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
    is_status(ENTER(context, BYTES(ACCD_COPYIN, x, 64)), ACCD_OK, "enter data of absent data");
    is_status(ENTER(context, BYTES(ACCD_COPYIN, x, 64)), ACCD_OK, "enter data of present data");
    is_status(REGION(context, &regions[0], BYTES(ACCD_PRESENT, x, 8)), ACCD_OK, "a region of present data");
    is_status(CONSTRUCT(context, ACCD_COMPUTE, &regions[1], BYTES(ACCD_COPY, x, 8), BYTES(ACCD_COPY, y, 64)),
              ACCD_OK, "a compute construct of present data and others");
    is_status(UPDATE(context, BYTES(ACCD_UPDATE_SELF, x, 8), BYTES(ACCD_UPDATE_DEVICE, y + 8, 8)), ACCD_OK, "update");
    is_status(accd_region_end(regions[1]), ACCD_OK, "the construct ends, and data go");
    is_status(accd_region_end(regions[0]), ACCD_OK, "the region ends");
    is_status(EXIT(context, BYTES(ACCD_DELETE, x, 64)), ACCD_OK, "exit data of data that stay");
    is_status(EXIT(context, BYTES(ACCD_COPYOUT, x, 64)), ACCD_OK, "exit data of data that go");
    const bool travels = backend && !strcmp(backend, "cuda"); /* to such a device the general way moves */
    ok(travels || !context->scratch.chunk, "the short way is taken");
    is_status(ENTER(context, BYTES(ACCD_COPYIN, x, 64), BYTES(ACCD_COPYIN, z, 64)), ACCD_OK, "two absent ones");
    ok(travels || !context->scratch.chunk, "the short way is taken");
    is_status(ENTER(context, BYTES(ACCD_COPYIN, y + 8, 8), BYTES(ACCD_COPYIN, y, 64)), ACCD_OK, "one within the other");
    ok(context->scratch.chunk, "the general way is taken");
    is_sound(context);
    accd_context_close(context);
    for (int k = 0; k < 2; k++) { /* with a listener, from the beginning or from the middle of a region on */
        context = open_with(NULL, NULL, "openacc-3.3", 1);
        if (k)
            accd_context_on_event(context, hear_nothing, NULL);
        is_status(REGION(context, &regions[0], BYTES(ACCD_CREATE, x, 8)), ACCD_OK, "a region");
        ok(travels || (context->scratch.chunk != NULL) == k, "it takes the %s way", k ? "general" : "short");
        accd_context_on_event(context, hear_nothing, NULL);
        is_status(accd_region_end(regions[0]), ACCD_OK, "its end");
        ok(context->scratch.chunk, "its end takes the general way");
        accd_context_on_event(context, NULL, NULL);
        is_sound(context);
        accd_context_close(context);
    }
    context = open_with(NULL, NULL, "openacc-3.3", 1);
    is_status(REGION(context, &regions[0], BYTES(ACCD_COPYIN, x, 64)), ACCD_OK, "a region");
    accd_fail_allocation(context, 0, 1);
    is_status(REGION(context, &regions[0], BYTES(ACCD_COPYIN, y, 64)), ACCD_OUT_OF_DEVICE_MEMORY, "no device memory");
    size_t spare = context->dirs[0].levels.pool.spare;
    accd_fail_copy(context, 0, 1);
    is_status(REGION(context, &regions[0], BYTES(ACCD_COPYIN, y, 64)), ACCD_DEVICE_ERROR, "a copy that fails");
    ok(context->dirs[0].levels.pool.spare == spare, "records of regions that fail are given back");
    accd_context_close(context);
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
            accd_context_on_event(w.context, hear_nothing, NULL);
        for (unsigned allocation = 0; allocation < FAILS; allocation++)
            for (unsigned copy = 0; copy < FAILS; copy++) {
                accd_region *region = NULL;
                accd_fail_allocation(w.context, 0, allocation);
                accd_fail_copy(w.context, 0, copy);
                accd_status status =
                    REGION(w.context, &region, BYTES(ACCD_COPY, large[1], LARGE), BYTES(ACCD_CREATE, host.bytes[3], 32),
                           BYTES(ACCD_COPYIN, large[0], LARGE), BYTES(ACCD_COPY, host.bytes[0], 160));
                note(&w, status, &records[k][allocation * FAILS + copy]);
                accd_fail_allocation(w.context, 0, 0);
                accd_fail_copy(w.context, 0, 0);
                must(!region || accd_region_end(region) == ACCD_OK, "the region ends");
            }
        accd_context_close(w.context);
    }
    int failed = tap_failed;
    for (int i = 0; i < FAILS * FAILS; i++)
        must(same(&records[0][i], &records[1][i]), "allocation %d, copy %d: %s, and %s", i / FAILS, i % FAILS,
             records[0][i].message, records[1][i].message);
    ok(tap_failed == failed && records[0][3 * FAILS].status == ACCD_OUT_OF_DEVICE_MEMORY &&
           records[0][3].status == ACCD_DEVICE_ERROR && records[0][4 * FAILS + 4].status == ACCD_OK,
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
    is_status(ENTER(context, BYTES(ACCD_COPYIN, y, 64)), ACCD_OK, "enter data");
    for (int i = 0; i < ROUNDS; i++) { /* some of its data come and go with it */
        must(REGION(context, &region, BYTES(ACCD_CREATE, z, 24), BYTES(ACCD_PRESENT, y, 8)) == ACCD_OK, "region %d", i);
        must(accd_region_addresses(region, address, 2) == 2 && address[0] == accd_device_address(context, 0, z) &&
                 address[1] == accd_device_address(context, 0, y) && !accd_check(context),
             "region %d: the data are where they are present", i);
        must(accd_region_end(region) == ACCD_OK && !accd_device_address(context, 0, z), "region %d: end", i);
    }
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 2)
            must(ENTER(context, BYTES(ACCD_CREATE, z, 24)) == ACCD_OK, "another object");
        must(ENTER(context, BYTES(ACCD_COPYIN, x, 64)) == ACCD_OK, "round %d: enter data", i);
        for (int k = 0; k < 3; k++) { /* one that names less lies between */
            must(REGION(context, &region, BYTES(ACCD_PRESENT, y, 8), BYTES(ACCD_COPY, x + 8, 8),
                        BYTES(ACCD_PRESENT, k == 1 ? x : y + 8, 8)) == ACCD_OK, "round %d: region", i);
            must(accd_region_addresses(region, address, 3) == 3 &&
                     address[1] == accd_device_address(context, 0, x) + 8 &&
                     address[2] == accd_device_address(context, 0, k == 1 ? x : y + 8),
                 "round %d: the data are where they are present", i);
            must(accd_region_end(region) == ACCD_OK, "round %d: end", i);
        }
        must(EXIT(context, BYTES(ACCD_DELETE, x, 64)) == ACCD_OK, "round %d: exit data", i);
        must(REGION(context, &region, BYTES(ACCD_PRESENT, y, 8)) == ACCD_OK && accd_region_end(region) == ACCD_OK,
             "round %d: a smaller region", i);
        if (i % 3 == 2)
            must(REGION(context, &region, BYTES(ACCD_PRESENT, y, 8), BYTES(ACCD_PRESENT, x + 8, 8),
                        BYTES(ACCD_PRESENT, y + 8, 8)) == ACCD_NOT_PRESENT, "round %d: what is gone is absent", i);
        must(!accd_check(context), "round %d: invariants", i);
    }
    ok(tap_failed == failed, "directives that are met again find their data");
    must(REGION(context, &region, BYTES(ACCD_COPY, y, 8), BYTES(ACCD_COPY, y, 64)) == ACCD_OK, "one object twice");
    must(EXIT(context, BYTES(ACCD_DELETE, y, 64)) == ACCD_OK, "enter data's reference goes");
    must(device_put(context, y, &(uint64_t){9}, 8), "the device writes");
    memset(y, 0, 8);
    is_status(accd_region_end(region), ACCD_OK, "both references go at once, and data with them");
    ok(memcmp(y, "\0\0\0\0\0\0\0", 8) && !accd_device_address(context, 0, y), "they are fetched first");
    is_sound(context);
    accd_context_close(context);
}

/* ----------------------------------------------------------------------- memory of the host -- */

static accd_status plain_step(accd_context *context, int step, accd_region **region_p)
{
    switch (step) {
    case 0:
        return ENTER(context, BYTES(ACCD_COPYIN, host.bytes[0], 160));
    case 1:
        return REGION(context, region_p, BYTES(ACCD_COPY, host.bytes[0], 8));
    case 2:
        return accd_region_end(*region_p);
    case 3:
        return REGION(context, region_p, BYTES(ACCD_COPY, host.bytes[2], 8), BYTES(ACCD_COPY, host.bytes[0], 8),
                      BYTES(ACCD_COPYIN, host.bytes[1], 8));
    case 4:
        return accd_region_end(*region_p);
    default:
        return EXIT(context, BYTES(ACCD_DELETE, host.bytes[0], 160));
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
            uint64_t digest = accd_digest(context);
            meter.fail_at = n;
            meter.fails_on = fails_on;
            accd_status status = plain_step(context, at, &region);
            bool reached = meter.failed;
            meter.fail_at = 0;
            if (status != ACCD_OK) {
                bool told = getenv("ACCDEEP_TEST_BACKEND") || !strcmp(accd_context_error(context)->rule, "HOUSE-memory");
                must(status == ACCD_OUT_OF_MEMORY && told,
                     "step %d, request %zu: %s", at, n, accd_context_error(context)->message);
                must(accd_digest(context) == digest, "step %d, request %zu: nothing has changed", at, n);
                must(plain_step(context, at, &region) == ACCD_OK, "step %d, request %zu: once more", at, n);
                faults++;
            }
            for (int i = at + 1; i < 6; i++)
                must(plain_step(context, i, &region) == ACCD_OK, "step %d", i);
            const char *wrong = accd_check(context);
            must(!wrong, "step %d, request %zu: %s", at, n, wrong);
            accd_context_close(context);
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
    struct log *logs =
        mmap(NULL, 2 * sizeof *logs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (logs == MAP_FAILED)
        return 1;
    /* before a device is opened here: a process that has opened one of CUDA does not fork */
    for (uint64_t seed = first ? strtoull(first, NULL, 10) : 1, left = seeds ? strtoull(seeds, NULL, 10) : 4; left;
         seed++, left--)
        for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
            compare(&settings[i], seed, logs);
    munmap(logs, 2 * sizeof *logs);
    is_taken();
    several_absent();
    meets_again();
    for (int k = 0; k < 4; k++)
        memory_ends(k & 1, k & 2);
    return done();
}
