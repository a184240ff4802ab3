/* A group record must not be told from its sections one by one: random constructs over a small
 * world of structures, done once with groups from one section on and once without groups, have the
 * same statuses, events, host memory, device content, counters, attachments and levels. With random
 * faults on the way, too. */
#include <table/targets.h>
#include "accdeep_internal.h"
#include "support.h"

#include <ops/ops.h>

enum { LEAVES = 24, NODES = 6, EACH = LEAVES / NODES, STEPS = 50 };

struct node {
    double *w;
    int nleaves, nw;
    struct leaf *leaves;
};

static struct leaf Y[LEAVES];
static struct node Z[NODES];
static float arrays[LEAVES][2][4];
static double weights[NODES][3];

struct world {
    accd_context *context;
    accd_program *leaf, *node, *only_b, *pieces;
    const accd_label *y, *z;
    accd_region *regions[6];
    int depth;
    bool nulls; /* pointers may be null although their length is not 0 */
};

/* update(b): nothing but the array behind b; and a structure whose bytes go one by one. */
static accd_program *partial_program(accd_context *context, bool pieces)
{
    const accd_field fields[] = {{.offset = offsetof(struct leaf, b),
                                  .unit = 4,
                                  .start = -1,
                                  .code_end = 1,
                                  .label = member(context, "b", 4, NULL)}};
    const accd_piece parts[] = {
        {.offset = 0, .bytes = 4}, {.offset = 8, .bytes = 8, .entry_only = 1}, {.offset = 16, .bytes = 8, .init = 1}};
    return program_of(context,
                      &(accd_program_spec){.stride = sizeof(struct leaf),
                                           .fields = fields,
                                           .nfields = 1,
                                           .pieces = parts,
                                           .npieces = pieces ? 3 : 0,
                                           .code = &(accd_instruction){.op = ACCD_I_LOAD, .b = ACCD_SCALAR_I32},
                                           .ncode = 1,
                                           .registers = 1});
}

static accd_program *node_program(accd_context *context, accd_program *leaf)
{
    const accd_field fields[] = {{.offset = offsetof(struct node, w),
                                  .unit = 8,
                                  .start = -1,
                                  .count = 0,
                                  .code_end = 2,
                                  .label = member(context, "w", 8, NULL)},
                                 {.offset = offsetof(struct node, leaves),
                                  .unit = sizeof(struct leaf),
                                  .start = -1,
                                  .count = 1,
                                  .code_end = 2,
                                  .label = member(context, "leaves", sizeof(struct leaf), leaf),
                                  .child = leaf}};
    const accd_instruction code[] = {
        {.op = ACCD_I_LOAD, .to = 0, .b = ACCD_SCALAR_I32, .k = offsetof(struct node, nw)},
        {.op = ACCD_I_LOAD, .to = 1, .b = ACCD_SCALAR_I32, .k = offsetof(struct node, nleaves)}};
    return program_of(context, &(accd_program_spec){.stride = sizeof(struct node),
                                                    .fields = fields,
                                                    .nfields = 2,
                                                    .pieces = &(accd_piece){.bytes = sizeof(struct node)},
                                                    .npieces = 1,
                                                    .code = code,
                                                    .ncode = 2,
                                                    .registers = 2});
}

/* Of equal lengths columns may be shared with earlier walks. */
static void build_group_world(struct world *world, uint64_t *state, bool shares, bool equal)
{
    for (int i = 0; i < LEAVES; i++) {
        Y[i] = (struct leaf){equal ? 4 : (int)(next_random(state) % 5), arrays[i][0], arrays[i][1]};
        memset(&Y[i].n + 1, 0, 4);
        if (shares && i && next_random(state) % 6 == 0)
            Y[i].a = Y[next_random(state) % (unsigned)i].b;
        if (world->nulls && next_random(state) % 5 == 0)
            Y[i].b = NULL;
        for (int k = 0; k < 8; k++)
            arrays[i][k / 4][k % 4] = (float)(10 * i + k);
    }
    for (int i = 0; i < NODES; i++) {
        Z[i] = (struct node){weights[i], i % 5 == 4 && !equal ? 0 : EACH, equal ? 3 : 1 + i % 3, Y + EACH * i};
        for (int k = 0; k < 3; k++)
            weights[i][k] = 1000 * i + k;
    }
}

/* Copies of what was never initialised make pointers to nowhere; the program mends them. */
static void mend(void)
{
    static struct leaf leaves[LEAVES];
    static struct node nodes[NODES];
    static bool kept;
    if (kept) {
        memcpy(Y, leaves, sizeof Y);
        memcpy(Z, nodes, sizeof Z);
    }
    memcpy(leaves, Y, sizeof Y);
    memcpy(nodes, Z, sizeof Z);
    kept = !kept;
}

/* Where the rules bring device addresses to the host, contexts differ in them: 1 stands for all. */
static void level_pointer(accd_context *context, void *pointer)
{
    static const uint64_t some_device_address = 1;
    uint64_t address;
    memcpy(&address, pointer, sizeof address);
    if (accd_device_at(context, address) >= 0)
        memcpy(pointer, &some_device_address, sizeof address);
}

static uint64_t host_hash(accd_context *context)
{
    static struct leaf leaves[LEAVES];
    static struct node nodes[NODES];
    memcpy(leaves, Y, sizeof Y);
    memcpy(nodes, Z, sizeof Z);
    for (int i = 0; i < LEAVES; i++) {
        level_pointer(context, &leaves[i].a);
        level_pointer(context, &leaves[i].b);
    }
    for (int i = 0; i < NODES; i++) {
        level_pointer(context, &nodes[i].w);
        level_pointer(context, &nodes[i].leaves);
    }
    uint64_t hash = mix_bytes(14695981039346656037u, leaves, sizeof leaves);
    hash = mix_bytes(hash, nodes, sizeof nodes);
    hash = mix_bytes(hash, arrays, sizeof arrays);
    return mix_bytes(hash, weights, sizeof weights);
}

static accd_item random_item(struct world *world, uint64_t *state, uint8_t action)
{
    unsigned what = next_random(state) % 8, first = 0, n = LEAVES;
    if (next_random(state) % 2) {
        first = EACH * (next_random(state) % NODES);
        n = EACH * (1 + next_random(state) % (NODES - first / EACH));
    }
    accd_item item = walked(action, Y + first, n * sizeof Y[0], world->leaf, world->y);
    item.start = first;
    if (what < 3)
        return item;
    if (what == 3) {
        item.program = NULL;
        return item;
    }
    if (what == 4) {
        item.program = next_random(state) % 2 ? world->only_b : world->pieces;
        return item;
    }
    first /= EACH;
    item = walked(action, Z + first, n / EACH * sizeof Z[0], what == 7 ? NULL : world->node, world->z);
    item.start = first;
    return item;
}

/* Events of one construct; moves as ranges of host memory, because neighbours may be joined. */
struct heard {
    bool by_address; /* where holders go before what their pointers lead to, names may differ */
    accd_context *looks;
    struct story names;
    struct move {
        uint64_t op, from, to;
    } moves[4000];
    size_t n;
};

static void hear(void *ud, const accd_event *event)
{
    struct heard *heard = ud;
    bool leaves = event->op == ACCD_OP_FREE || event->op == ACCD_OP_DECREF;
    if (heard->looks && leaves) { /* a listener may look; on entry that would end what is pending */
        accd_attachment attachment;
        accd_get_presence(heard->looks, 0, (const void *)(uintptr_t)event->host, event->bytes);
        accd_attachment_at(heard->looks, 0, (const void *)(uintptr_t)event->host, &attachment);
    }
    if (heard->by_address && event->op != ACCD_OP_H2D && event->op != ACCD_OP_D2H)
        story_add(&heard->names, "%s %llx+%llu|", accd_op_name(event->op), (unsigned long long)event->host,
                  (unsigned long long)event->bytes);
    else if ((event->op == ACCD_OP_H2D || event->op == ACCD_OP_D2H) && heard->n < 4000)
        heard->moves[heard->n++] = (struct move){event->op, event->host, event->host + event->bytes};
    else
        tell_story(&heard->names, event);
}

static int compare_moves(const void *x, const void *y)
{
    const struct move *a = x, *b = y;
    return a->op != b->op ? (a->op > b->op) - (a->op < b->op) : (a->from > b->from) - (a->from < b->from);
}

static int compare_text(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* In alphabetic order: groups tell theirs behind those of other items. */
static void add_heard(struct story *log, struct heard *heard)
{
    char *part[4000];
    size_t n = 0;
    for (char *at = strtok(heard->names.text, "|"); at && n < 4000; at = strtok(NULL, "|"))
        part[n++] = at;
    qsort(part, n, sizeof part[0], compare_text);
    for (size_t i = 0; i < n; i++)
        story_add(log, "%s|", part[i]);
    qsort(heard->moves, heard->n, sizeof heard->moves[0], compare_moves);
    for (size_t i = 0; i < heard->n;) {
        struct move move = heard->moves[i];
        for (i++; i < heard->n && heard->moves[i].op == move.op && heard->moves[i].from <= move.to; i++)
            move.to = heard->moves[i].to > move.to ? heard->moves[i].to : move.to;
        story_add(log, "%s %llx+%llu|", accd_op_name((accd_op)move.op), (unsigned long long)move.from,
                  (unsigned long long)(move.to - move.from));
    }
    story_clear(&heard->names);
    heard->n = 0;
}

static void device_write(struct world *world, uint64_t *state)
{
    float *at = &arrays[next_random(state) % LEAVES][next_random(state) % 2][0], value = 0.5f;
    uint64_t dev = accd_device_address(world->context, 0, at);
    if (dev)
        accd_device_write(world->context, 0, dev, &value, 4);
    int n = 77; /* a member of an element */
    struct leaf *leaf = &Y[next_random(state) % LEAVES];
    dev = accd_device_address(world->context, 0, (char *)leaf + 4);
    if (dev)
        accd_device_write(world->context, 0, dev, &n, 4);
}

static accd_status run_group_step(struct world *world, uint64_t *state, struct story *log)
{
    static const uint8_t entries[] = {ACCD_ACTION_COPYIN,   ACCD_ACTION_COPYIN,  ACCD_ACTION_COPY,
                                      ACCD_ACTION_CREATE,   ACCD_ACTION_COPYOUT, ACCD_ACTION_PRESENT,
                                      ACCD_ACTION_NO_CREATE};
    static const uint8_t exits[] = {ACCD_ACTION_DELETE, ACCD_ACTION_COPYOUT, ACCD_ACTION_COPYOUT};
    static const uint8_t updates[] = {ACCD_ACTION_UPDATE_SELF, ACCD_ACTION_UPDATE_DEVICE};
    accd_context *context = world->context;
    accd_construct construct = {.name = "data"};
    accd_item items[2];
    const uint8_t *actions = entries;
    uint32_t choices = sizeof entries;
    unsigned what = next_random(state) % 20;
    construct.kind = ACCD_KIND_ENTER_DATA;
    if (what < 4) {
        construct.kind = ACCD_KIND_REGION;
    } else if (what < 7) {
        construct.kind = ACCD_KIND_EXIT_DATA;
        construct.finalize = next_random(state) % 4 == 0;
        actions = exits;
        choices = sizeof exits;
    } else if (what < 10) {
        construct.kind = ACCD_KIND_UPDATE;
        actions = updates;
        choices = sizeof updates;
    } else if (what < 12 && world->depth) {
        story_add(log, "end ");
        accd_status status = accd_region_end(world->regions[world->depth - 1]);
        world->depth -= status == ACCD_OK;
        return status;
    } else if (what == 12) {
        device_write(world, state);
        return ACCD_OK;
    } else if (what == 13) {
        arrays[next_random(state) % LEAVES][0][1] += 1;
        return ACCD_OK;
    } else if (what == 14) {
        struct leaf *leaf = &Y[next_random(state) % LEAVES];
        accd_item item = {.slot = next_random(state) % 2 ? &leaf->a : &leaf->b,
                          .action = next_random(state) % 2 ? ACCD_ACTION_ATTACH : ACCD_ACTION_DETACH};
        story_add(log, "pointer ");
        return item.action == ACCD_ACTION_ATTACH ? ENTER(context, item) : EXIT(context, item);
    }
    if (construct.kind == ACCD_KIND_REGION && world->depth == 6)
        return ACCD_OK;
    construct.items = items;
    construct.nitems = next_random(state) % 4 ? 1 : 2;
    for (size_t i = 0; i < construct.nitems; i++)
        items[i] = random_item(world, state, actions[next_random(state) % choices]);
    story_add(log, "kind %d: %s ", (int)construct.kind, accd_action_name(items[0].action));
    accd_status status = accd_run_construct(context, &construct,
                                            construct.kind == ACCD_KIND_REGION ? &world->regions[world->depth] : NULL);
    world->depth += construct.kind == ACCD_KIND_REGION && status == ACCD_OK;
    return status;
}

/* What an entry has reserved is not taken by a group that it looks into: n attached sections fill slabs to the
 * brim, then one entry refreshes their structures and attaches a pointer of its own, and from some request on
 * there is no memory. */
static void kept_reserve(int n)
{
    struct pointing {
        int n;
        float *a;
    };
    struct pointing *y = calloc((size_t)n, sizeof *y);
    float *a = calloc(4 * (size_t)n, sizeof *a), target[4] = {0}, *pointer[2] = {target, NULL};
    int failed = tap_failed;
    size_t k = 1;
    for (int i = 0; i < n; i++)
        y[i] = (struct pointing){4, a + 4 * i};
    for (bool reached = true; reached; k++) {
        struct meter meter = {0};
        accd_context *context = open_with(&meter, NULL, "tr14", 1);
        const accd_field field = {.offset = offsetof(struct pointing, a), .unit = 4, .start = -1, .code_end = 1};
        accd_program *program =
            program_of(context, &(accd_program_spec){.stride = sizeof *y,
                                                     .pieces = &(accd_piece){.bytes = 8},
                                                     .npieces = 1,
                                                     .fields = &field,
                                                     .nfields = 1,
                                                     .code = &(accd_instruction){.op = ACCD_I_CONST, .k = 4},
                                                     .ncode = 1,
                                                     .registers = 1});
        const uint64_t bytes = (uint64_t)n * sizeof *y;
        must(ENTER(context, walked(ACCD_ACTION_COPYIN, y, bytes, program, NULL)) == ACCD_OK, "a group");
        must(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, pointer)) == ACCD_OK, "a pointer");
        accd_item again = BYTES(ACCD_ACTION_COPYIN, y, bytes), attached = PLAIN(ACCD_ACTION_COPYIN, target);
        again.flags = ACCD_ITEM_UPDATE_PRESENT;
        attached.slot = pointer;
        meter.fails_on = true;
        meter.fail_at = k;
        accd_status status = ENTER(context, again, attached);
        reached = meter.failed;
        meter.fail_at = 0;
        must(status == ACCD_OK || status == ACCD_ERROR_OUT_OF_MEMORY, "request %zu: %s", k, accd_status_code(status));
        must(attach_count(context, pointer) == (status == ACCD_OK), "request %zu: attached or not", k);
        const char *wrong = accd__check_invariants(context);
        must(!wrong, "request %zu: %s", k, wrong ? wrong : "");
        accd_program_release(program);
        accd_context_free(context);
        must(!meter.live && !meter.wrong, "request %zu: nothing leaks", k);
    }
    ok(tap_failed == failed && k > 4, "%d sections: memory ends at each of %zu requests", n, k - 2);
    free(y);
    free(a);
}

static unsigned long faults_met;

/* A step that fails for want of something changes nothing, and then does what it always did. */
static accd_status step_with_fault(struct world *world, struct meter *meter, uint64_t *state, struct story *log,
                                   uint64_t *chance)
{
    uint64_t before = *state, peek = *state;
    size_t used = log->used;
    unsigned what = next_random(&peek) % 20, fault = next_random(chance) % 4;
    uint64_t n = 1 + next_random(chance) % 10;
    if (what == 12 || what == 13 || fault > 2) /* no constructs */
        return run_group_step(world, state, log);
    if (fault == 0)
        *meter = (struct meter){meter->live, meter->blocks, n, next_random(chance) % 2, 0, meter->wrong};
    else if (fault == 1)
        accd__inject_allocation_failure(world->context, 0, n);
    else
        accd__inject_copy_failure(world->context, 0, n);
    accd_status status = run_group_step(world, state, log);
    meter->fail_at = 0;
    accd__inject_allocation_failure(world->context, 0, 0);
    accd__inject_copy_failure(world->context, 0, 0);
    if (status != ACCD_ERROR_OUT_OF_MEMORY && status != ACCD_ERROR_OUT_OF_DEVICE_MEMORY && status != ACCD_ERROR_DEVICE)
        return status;
    faults_met++;
    *state = before;
    log->used = used;
    log->text[used] = 0;
    return run_group_step(world, state, log);
}

static void run_story(struct story *log, uint64_t seed, const char *rules, size_t least, int look_every, bool shares,
                      bool faults)
{
    struct meter meter = {0};
    uint64_t chance = seed + 1000;
    static struct heard heard;
    uint64_t state = seed;
    struct world world = {.nulls = !strcmp(rules, "openacc-3.3")};
    bool reverse = !strcmp(rules, "reverse"); /* tr14, but moved around and translated otherwise */
    world.context = open_with(&meter, NULL, reverse ? "tr14" : rules, least);
    accd_context_set_event_handler(world.context, hear, &heard);
    if (reverse) {
        world.context->rules.update = ACCD_UPDATE_METHOD_REVERSE;
        world.context->rules.untranslated = ACCD_UNTRANSLATED_NULL;
    }
    world.leaf = leaf_program(world.context);
    world.only_b = partial_program(world.context, false);
    world.pieces = partial_program(world.context, true);
    world.node = node_program(world.context, world.leaf);
    world.y = array(world.context, "Y", sizeof(struct leaf), world.leaf);
    world.z = array(world.context, "Z", sizeof(struct node), world.node);
    story_clear(log);
    story_clear(&heard.names);
    heard.looks = seed % 4 == 3 ? world.context : NULL;
    heard.by_address = strcmp(rules, "tr14") != 0;
    build_group_world(&world, &state, shares, seed % 4 == 2);
    for (int i = 0; i < STEPS; i++) {
        story_add(log, "step %d ", i);
        mend(); /* keeps them */
        accd_status status =
            faults ? step_with_fault(&world, &meter, &state, log, &chance) : run_group_step(&world, &state, log);
        story_add(log, "%s ", accd_status_code(status));
        if (status != ACCD_OK)
            story_add(log, "%s ", accd_context_error(world.context)->asked.name);
        if (reverse) /* whole by the one, in pieces by the other */
            heard.n = 0;
        add_heard(log, &heard);
        story_add(log, " %llx\n", (unsigned long long)host_hash(world.context));
        mend();
        if (i % look_every == look_every - 1) {
            const char *wrong = accd__check_invariants(world.context);
            must(!wrong, "seed %llu, step %d, groups from %zu: %s", (unsigned long long)seed, i, least, wrong);
            write_state(world.context, log);
        }
    }
    while (world.depth)
        accd_region_abandon(world.regions[--world.depth]);
    write_state(world.context, log);
    const char *wrong = accd__check_invariants(world.context);
    must(!wrong, "seed %llu, end, groups from %zu: %s", (unsigned long long)seed, least, wrong);
    accd_program_release(world.leaf);
    accd_program_release(world.only_b);
    accd_program_release(world.pieces);
    accd_program_release(world.node);
    accd_context_free(world.context);
    must(!meter.live && !meter.wrong, "seed %llu: memory is given back", (unsigned long long)seed);
    story_free(&heard.names);
}

/* Tells the first line in which two logs differ. */
static bool logs_are_equal(const char *x, const char *y)
{
    while (*x && *y) {
        size_t n = strcspn(x, "\n"), k = strcspn(y, "\n");
        if (n != k || memcmp(x, y, n)) {
            printf("#   one by one %.*s\n#   as groups  %.*s\n", (int)n, x, (int)k, y);
            return false;
        }
        x += n + (x[n] != 0);
        y += k + (y[k] != 0);
    }
    return !*x && !*y;
}

/* A region's end that fails after its group was looked into leaves the counters of what it found there. */
static void failing_end(void)
{
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, "tr14", 1);
    accd_program *leaf = leaf_program(context);
    const accd_label *y = array(context, "Y", sizeof(struct leaf), leaf);
    accd_region *region = NULL;
    for (int i = 0; i < LEAVES; i++)
        Y[i] = (struct leaf){2, arrays[i][0], arrays[i][1]};
    const accd_item deep = walked(ACCD_ACTION_COPYIN, Y, sizeof Y, leaf, y);
    is_status(ENTER(context, deep), ACCD_OK, "enter data");
    is_status(REGION(context, &region, deep), ACCD_OK, "region");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, Y)), ACCD_OK, "exit data of the structures alone");
    for (int i = 0; i < 2; i++) {
        is_status(accd_region_end(region), ACCD_ERROR_STILL_ATTACHED, "their sections are held");
        is_number(attach_count(context, &Y[1].a), 2, "attached as often as before");
        ok(present_count(context, Y[1].a, 1, 1), "referred to as often as before");
        is_sound(context);
    }
    accd_region_abandon(region);
    accd_program_release(leaf);
    accd_context_free(context);
}

/* ------------------------------------------------------------------------------ gathering -- */

/* A group of Y, or of the arrays behind its b alone, and what a touch of it needs. */
struct touched {
    accd_context *context;
    accd_program *leaf, *only_b;
    bool b; /* the group is that of only_b */
    accd_region *region;
};

static accd_item all_of(const struct touched *t, uint8_t action)
{
    return walked(action, Y, sizeof Y, t->b ? t->only_b : t->leaf, NULL);
}

static bool one_record(const struct touched *t)
{
    return t->context->envs[0].groups.npending == 1 && t->context->envs[0].groups.npending_attach == 1;
}

static void looked_at(struct touched *t)
{
    accd_get_presence(t->context, 0, Y[1].b, 4);
}
static void pointer_looked_at(struct touched *t)
{
    must(attach_count(t->context, &Y[1].b) == 1, "attached");
}
static void all_looked_at(struct touched *t)
{
    is_sound(t->context);
}
static void device_looked_at(struct touched *t)
{
    uint64_t dev = accd_device_address(t->context, 0, Y[2].b);
    must(accd_host_address(t->context, 0, dev) == (uint64_t)(uintptr_t)Y[2].b, "there and back");
}
static void targets_ordered(struct touched *t)
{
    must(accd__build_target_order(&t->context->envs[0]) == ACCD_OK, "the order of targets");
}
static void failed_end(struct touched *t) /* changes nothing */
{
    must(EXIT(t->context, PLAIN(ACCD_ACTION_DELETE, Y)) == ACCD_OK, "a reference less");
    must(EXIT(t->context, PLAIN(ACCD_ACTION_DELETE, Y)) == ACCD_ERROR_STILL_ATTACHED, "the structures are held");
    must(ENTER(t->context, PLAIN(ACCD_ACTION_CREATE, Y)) == ACCD_OK, "a reference more");
}

static void section_counted(struct touched *t)
{
    is_status(ENTER(t->context, BYTES(ACCD_ACTION_COPYIN, Y[2].b, 16)), ACCD_OK, "enter data of a section");
}
static void section_discounted(struct touched *t)
{
    is_status(EXIT(t->context, BYTES(ACCD_ACTION_DELETE, Y[2].b, 16)), ACCD_OK, "exit data of a section");
}
static void pointer_attached(struct touched *t)
{
    is_status(ENTER(t->context, (accd_item){.slot = &Y[2].b, .action = ACCD_ACTION_ATTACH}), ACCD_OK, "attach again");
}
static void pointer_detached(struct touched *t)
{
    is_status(EXIT(t->context, (accd_item){.slot = &Y[2].b, .action = ACCD_ACTION_DETACH}), ACCD_OK, "detach");
}
static void neighbour_attached(struct touched *t) /* a of Y[2], between pointers of the group of b */
{
    accd_item item = BYTES(ACCD_ACTION_COPYIN, Y[2].a, 16);
    item.slot = &Y[2].a;
    is_status(ENTER(t->context, item), ACCD_OK, "enter data of another pointer's array");
    pointer_looked_at(t);
}
static void neighbour_detached(struct touched *t)
{
    accd_item item = BYTES(ACCD_ACTION_DELETE, Y[2].a, 16);
    item.slot = &Y[2].a;
    is_status(EXIT(t->context, item), ACCD_OK, "exit data of another pointer's array");
}
static void leads_to_section(struct touched *t) /* a of Y[2] is attached to the section behind b of Y[3] */
{
    Y[2].a = Y[3].b;
    is_status(ENTER(t->context, (accd_item){.slot = &Y[2].a, .action = ACCD_ACTION_ATTACH}), ACCD_OK, "attach");
}
static void leads_no_more(struct touched *t)
{
    is_status(EXIT(t->context, (accd_item){.slot = &Y[2].a, .action = ACCD_ACTION_DETACH}), ACCD_OK, "detach");
    Y[2].a = arrays[2][0];
}
static void objects_between(struct touched *t) /* among the arrays behind b, those behind a */
{
    for (int i = 3; i < LEAVES; i += i < 8 ? 1 : 5)
        must(ENTER(t->context, BYTES(ACCD_ACTION_COPYIN, Y[i].a, 16)) == ACCD_OK, "enter data of array %d", i);
    looked_at(t);
}
static void nothing_between(struct touched *t)
{
    for (int i = 3; i < LEAVES; i += i < 8 ? 1 : 5) {
        must(present_count(t->context, Y[i].a, 0, 1), "array %d is present", i);
        must(EXIT(t->context, BYTES(ACCD_ACTION_DELETE, Y[i].a, 16)) == ACCD_OK, "exit data of array %d", i);
    }
}
static void section_named(struct touched *t) /* without a reference */
{
    accd_item item = BYTES(ACCD_ACTION_COPY, Y[2].b, 16);
    item.flags = ACCD_ITEM_UNCOUNTED;
    is_status(REGION(t->context, &t->region, item), ACCD_OK, "a region that names a section");
}
static void section_fused(struct touched *t) /* with the array in front of it */
{
    accd_item item = PLAIN(ACCD_ACTION_COPY, arrays[2]);
    item.flags = ACCD_ITEM_COPY_ABSENT;
    is_status(REGION(t->context, &t->region, item), ACCD_OK, "a region that fuses a section");
    must(t->context->envs[0].tuples.placements.count, "fused");
}
static void region_ended(struct touched *t)
{
    is_status(accd_region_end(t->region), ACCD_OK, "its end");
}
static void journal_open(struct touched *t)
{
    looked_at(t);
    is_status(accd_journal_begin(t->context, 0), ACCD_OK, "a journal");
}
static void journal_closed(struct touched *t)
{
    accd_journal_end(t->context, 0, 0);
}
static int targets[2][4], *pointer;
static void journal_of_pointer(struct touched *t) /* it would put back the pointer, which is not of the group */
{
    pointer = targets[0];
    must(ENTER(t->context, BYTES(ACCD_ACTION_COPYIN, &pointer, sizeof pointer)) == ACCD_OK, "the pointer");
    journal_open(t);
    accd_item item = BYTES(ACCD_ACTION_COPYIN, targets[0], 16);
    item.slot = &pointer;
    must(ENTER(t->context, item) == ACCD_OK, "its target");
}
static void pointer_put_back(struct touched *t)
{
    journal_closed(t);
    pointer = targets[0];
}

enum ending { BY_EXIT, BY_END, BY_FINALIZE, ENDINGS };
static const char *const endings[] = {"exit", "end", "finalize"};

struct touching {
    const char *what;
    void (*touch)(struct touched *t), (*undo)(struct touched *t);
    bool whole;   /* before it is undone */
    bool of_b;    /* only for that group */
    bool counted; /* only where attachments are */
};

/* least: 1, or no group is made; then the story is what it should be. */
static void touch_one(const struct touching *one, const char *rules, bool counted, bool b, enum ending ending,
                      size_t least, struct story *story)
{
    struct meter meter = {0};
    struct touched t = {.context = open_with(&meter, NULL, rules, least), .b = b};
    const bool grouped = least == 1;
    accd_region *region = NULL;
    t.leaf = leaf_program(t.context);
    t.only_b = partial_program(t.context, false);
    for (int k = 0; k < LEAVES; k++)
        Y[k] = (struct leaf){4, arrays[k][0], arrays[k][1]};
    if (counted) /* otherwise the pointers go with the structures */
        must(ENTER(t.context, PLAIN(ACCD_ACTION_COPYIN, Y)) == ACCD_OK, "the structures");
    if (ending == BY_END)
        must(REGION(t.context, &region, all_of(&t, ACCD_ACTION_COPY)) == ACCD_OK, "region");
    else
        must(ENTER(t.context, all_of(&t, ACCD_ACTION_COPYIN)) == ACCD_OK, "enter data");
    must(one_record(&t) == grouped, "one record");
    one->touch(&t);
    for (int round = 0; round < 1 + (one->undo != NULL); round++) {
        if (round)
            one->undo(&t);
        if (ending != BY_END || one->undo) /* otherwise only the end names all of it */
            must(UPDATE(t.context, all_of(&t, ACCD_ACTION_UPDATE_DEVICE)) == ACCD_OK, "update");
        if (grouped && (ending != BY_END || one->undo))
            must(one_record(&t) == (one->whole || round), "%s: %s in round %d", one->what,
                 one->whole || round ? "whole" : "in pieces", round);
        if (round || !one->undo)
            continue;
        write_state(t.context, story); /* looks at everything */
        must(UPDATE(t.context, all_of(&t, ACCD_ACTION_UPDATE_DEVICE)) == ACCD_OK, "update");
        must(one_record(&t) == (grouped && one->whole), "%s: the same after all is looked at", one->what);
    }
    looked_at(&t);
    if (ending == BY_END)
        must(accd_region_end(region) == ACCD_OK, "end");
    else if (ending == BY_EXIT)
        must(EXIT(t.context, all_of(&t, ACCD_ACTION_COPYOUT)) == ACCD_OK, "exit data");
    else
        must(FINALIZE(t.context, all_of(&t, ACCD_ACTION_COPYOUT)) == ACCD_OK, "finalize");
    const char *wrong = accd__check_invariants(t.context);
    must(!wrong, "%s: %s", one->what, wrong ? wrong : "");
    write_state(t.context, story);
    must(!grouped || !t.context->envs[0].groups.at[0], "%s: the group is gone", one->what);
    must(!grouped || t.context->envs[0].groups.retired, "%s: it left as one record", one->what);
    accd_program_release(t.leaf);
    accd_program_release(t.only_b);
    accd_context_free(t.context);
    must(!meter.live && !meter.wrong, "%s: memory is given back", one->what);
}

/* A group that was looked into is one record again as soon as a construct names all of it, if nothing of it has
 * changed; what has changed stays as it is. */
static void gathering(const char *rules, bool counted, bool b, enum ending ending)
{
    static const struct touching all[] = {
        {"one section", looked_at, NULL, true, false, false},
        {"one pointer", pointer_looked_at, NULL, true, false, false},
        {"everything", all_looked_at, NULL, true, false, false},
        {"a device address", device_looked_at, NULL, true, false, false},
        {"the order of targets", targets_ordered, NULL, true, false, false},
        {"a failing exit", failed_end, NULL, true, false, true},
        {"a section counted twice", section_counted, section_discounted, false, false, false},
        {"a section fused", section_fused, region_ended, false, true, true},
        {"a pointer attached twice", pointer_attached, pointer_detached, false, false, true},
        {"another pointer between", neighbour_attached, neighbour_detached, false, true, true},
        {"another pointer to a section", leads_to_section, leads_no_more, false, true, true},
        {"other objects between", objects_between, nothing_between, true, true, false},
        {"a section named", section_named, region_ended, false, false, true},
        {"a journal", journal_open, journal_closed, true, false, false},
        {"a journal of a pointer", journal_of_pointer, pointer_put_back, false, false, false},
    };
    struct story one = {0}, groups = {0};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if ((all[i].touch == journal_of_pointer && counted) || (all[i].of_b && !b) || (all[i].counted && !counted) ||
            (all[i].touch == failed_end && ending == BY_END))
            continue;
        const int failed = tap_failed;
        touch_one(&all[i], rules, counted, b, ending, 1000000, &one);
        touch_one(&all[i], rules, counted, b, ending, 1, &groups);
        must(logs_are_equal(one.text, groups.text), "%s: as section by section", all[i].what);
        ok(tap_failed == failed, "%s, %s, %s: %s", rules, b ? "b" : "a and b", endings[ending], all[i].what);
        story_clear(&one);
        story_clear(&groups);
    }
    story_free(&one);
    story_free(&groups);
}

/* A group stays, but its pointers are looked through on the way: an object between their structures goes. */
static void looked_through(void)
{
    enum { BETWEEN = LEAVES / 2 };
    accd_context *context = open_with(NULL, NULL, "openacc-3.3", 1);
    accd_program *program = leaf_program(context);
    const accd_label *label = array(context, "Y", sizeof *Y, program);
    for (int i = 0; i < LEAVES; i++)
        Y[i] = (struct leaf){4, arrays[i][0], arrays[i][1]};
    accd_item items[] = {
        walked(ACCD_ACTION_COPYIN, Y, BETWEEN * sizeof *Y, program, label),
        walked(ACCD_ACTION_COPYIN, Y + BETWEEN + 1, (LEAVES - BETWEEN - 1) * sizeof *Y, program, label),
        BYTES(ACCD_ACTION_COPYIN, Y + BETWEEN, sizeof *Y)};
    must(ENTER(context, items[0], items[1]) == ACCD_OK && ENTER(context, items[2]) == ACCD_OK, "enter");
    must(ENTER(context, items[0], items[1]) == ACCD_OK, "again");
    for (int i = 0; i < 3; i++)
        items[i].action = ACCD_ACTION_DELETE;
    is_status(EXIT(context, items[0], items[1], items[2]), ACCD_OK, "one goes, all others lose a reference");
    ok(present_count(context, Y[3].b, 0, 1) && attach_count(context, &Y[3].b) == 1, "their pointers, too");
    is_sound(context);
    is_status(EXIT(context, items[0], items[1]), ACCD_OK, "they go");
    ok(!attach_count(context, &Y[3].b) && !accd_device_address(context, 0, Y), "with their pointers");
    accd_program_release(program);
    accd_context_free(context);
}

int main(int argc, char **argv)
{
    looked_through();
    failing_end();
    for (int b = 0; b < 2; b++)
        for (int ending = 0; ending < ENDINGS; ending++) {
            gathering("tr14", true, b, (enum ending)ending);
            if (ending != BY_END) /* there regions make no groups */
                gathering("openmp-5.1", false, b, (enum ending)ending);
        }
    for (int n = 64; n <= 512; n += 64)
        kept_reserve(n);
    struct story one = {0}, groups = {0};
    static const char *const profiles[] = {"tr14", "openacc-3.3", "openacc-2.0", "libgomp-12", "reverse"};
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t last = argc > 2 ? strtoull(argv[2], NULL, 10) : argc > 1 ? first : 60;
    for (size_t p = 0; p < sizeof profiles / sizeof profiles[0]; p++) {
        int failed = 0;
        if (argc > 3 && strcmp(argv[3], profiles[p]))
            continue;
        for (uint64_t seed = first; seed <= last && failed < 5; seed++) {
            int every = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 7 : 1000;
            run_story(&one, seed, profiles[p], 1000000, every, seed % 2, false);
            run_story(&groups, seed, profiles[p], 1, every, seed % 2, false);
            bool good = logs_are_equal(one.text, groups.text);
            run_story(&groups, seed, profiles[p], seed % 5 ? 1 : 1000000, every, seed % 2, true);
            if (!good || !logs_are_equal(one.text, groups.text)) {
                failed++;
                printf("#   seed %llu, %s\n", (unsigned long long)seed, profiles[p]);
            }
        }
        ok(!failed, "%s: groups and single sections do the same", profiles[p]);
    }
    ok(faults_met > 20 * (last - first + 1), "%lu faults on the way", faults_met);
    if (argc > 3)
        printf("%s\n----\n%s", one.text, groups.text);
    story_free(&one);
    story_free(&groups);
    return done();
}
