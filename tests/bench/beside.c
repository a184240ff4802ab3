/* beside.c - what operations cost beside much else, and deep copies in queues: for bench.lua. */
#include "bench.h"

enum { BYTES = 64, STEP = 96, LENGTH = 16 };

struct leaf {
    int n;
    float *a, *b;
};

static void *room(size_t n, size_t size)
{
    return checked(calloc(n, size));
}

static accd_context *open_delayed(uint64_t device_bytes)
{
    accd_context_config config;
    accd_context *context = NULL;
    accd_context_config_init(&config);
    config.threads = 1;
    config.group_least = 1;
    config.queues = ACCD_QUEUES_DELAYED;
    config.device_bytes = device_bytes;
    if (accd_context_new(&context, &config) != ACCD_OK)
        exit(1);
    return context;
}

static void run_one_item(accd_context *context, accd_construct_kind kind, unsigned queue, accd_item item)
{
    const accd_construct construct = {.kind = kind, .items = &item, .nitems = 1, .queue = queue};
    expect_ok(context, accd_run_construct(context, &construct, NULL));
}

static accd_program *leaf_program(accd_context *context)
{
    const accd_field fields[] = {{.offset = offsetof(struct leaf, a), .unit = 4, .start = -1, .code_end = 1},
                                 {.offset = offsetof(struct leaf, b), .unit = 4, .start = -1, .code_end = 1}};
    accd_program *program = NULL;
    expect_ok(context, accd_program_new(
                           context,
                           &(accd_program_spec){.stride = sizeof(struct leaf),
                                                .pieces = &(accd_piece){.bytes = sizeof(struct leaf)},
                                                .npieces = 1,
                                                .fields = fields,
                                                .nfields = 2,
                                                .code = &(accd_instruction){.op = ACCD_I_LOAD, .b = ACCD_SCALAR_I32},
                                                .ncode = 1,
                                                .registers = 1},
                           &program));
    return program;
}

static accd_item make_plain_item(accd_action action, const void *host)
{
    return (accd_item){.host = host, .bytes = BYTES, .action = (uint8_t)action};
}

static unsigned get_queue_number(accd_context *context, size_t i)
{
    unsigned queue;
    expect_ok(context, accd_queue_get(context, 0, (int64_t)i, &queue));
    return queue;
}

/* bench.beside(what, n) -> ns of a pair, of an update in a queue with its wait, of a deep pair: beside n groups, tasks,
 * queues, targets, or clauses of a level */
int bench_beside(lua_State *L)
{
    const char what = *luaL_checkstring(L, 1);
    const size_t n = (size_t)luaL_checkinteger(L, 2);
    enum { TIMES = 2000 };
    static char object[BYTES], kept[BYTES];
    accd_context *context = open_delayed((uint64_t)1 << 30);
    accd_program *program = leaf_program(context);
    char *rows = room(n, STEP), **pointers = room(n, sizeof *pointers);
    float *arrays = room(n + 1, 2 * LENGTH * sizeof *arrays);
    struct leaf *leaves = room(n + 1, sizeof *leaves);
    accd_item *items = room(n, sizeof *items);
    accd_region *region = NULL;
    const unsigned own = get_queue_number(context, n + 1);
    run_one_item(context, ACCD_KIND_ENTER_DATA, 0, make_plain_item(ACCD_ACTION_COPYIN, kept));
    run_one_item(context, ACCD_KIND_ENTER_DATA, 0,
                 (accd_item){.host = pointers, .bytes = n * sizeof *pointers, .action = ACCD_ACTION_COPYIN});
    for (size_t i = 0; i <= n; i++)
        leaves[i] = (struct leaf){LENGTH, arrays + 2 * LENGTH * i, arrays + 2 * LENGTH * i + LENGTH};
    for (size_t i = 0; i < n; i++) {
        items[i] = make_plain_item(ACCD_ACTION_COPYIN, rows + i * STEP);
        if (what == 'g')
            items[i] = (accd_item){
                .host = &leaves[i], .bytes = sizeof *leaves, .action = ACCD_ACTION_COPYIN, .program = program};
        pointers[i] = rows + i * STEP;
        items[i].slot = what == 't' ? &pointers[i] : NULL;
        if (what != 'c')
            run_one_item(context, ACCD_KIND_ENTER_DATA, 0, items[i]);
        if (what == 'w' || what == 'q') /* one queue with many tasks, or many with one */
            run_one_item(context, ACCD_KIND_UPDATE, get_queue_number(context, what == 'q' ? i : 0),
                         make_plain_item(ACCD_ACTION_UPDATE_DEVICE, rows + i * STEP));
    }
    if (what == 'c')
        expect_ok(context,
                  accd_run_construct(context, &(accd_construct){.kind = ACCD_KIND_REGION, .items = items, .nitems = n},
                                     &region));
    double best[3] = {1e18, 1e18, 1e18};
    const accd_item deep = {.host = &leaves[n], .bytes = sizeof *leaves, .program = program};
    for (int r = 0; r < 5; r++)
        for (int k = 0; k < 3; k++) {
            const double started = get_seconds();
            for (int i = 0; i < TIMES; i++) {
                accd_item item = k == 2 ? deep : make_plain_item(ACCD_ACTION_INHERIT, object);
                item.action = ACCD_ACTION_COPYIN;
                if (k == 1) {
                    run_one_item(context, ACCD_KIND_UPDATE, own, make_plain_item(ACCD_ACTION_UPDATE_DEVICE, kept));
                    expect_ok(context, accd_queue_wait(context, 0, own));
                    continue;
                }
                run_one_item(context, ACCD_KIND_ENTER_DATA, 0, item);
                item.action = ACCD_ACTION_DELETE;
                run_one_item(context, ACCD_KIND_EXIT_DATA, 0, item);
            }
            const double each = (get_seconds() - started) / TIMES;
            best[k] = each < best[k] ? each : best[k];
        }
    for (int k = 0; k < 3; k++)
        lua_pushnumber(L, best[k]);
    accd_program_release(program);
    accd_context_free(context);
    free(rows);
    free(pointers);
    free(arrays);
    free(leaves);
    free(items);
    return 3;
}

/* bench.queued(count) -> ratios of copyin, update and copyout of so many structures in a queue, with the wait, to the
 * same in program order */
int bench_queued(lua_State *L)
{
    static const accd_construct_kind kinds[] = {ACCD_KIND_ENTER_DATA, ACCD_KIND_UPDATE, ACCD_KIND_EXIT_DATA};
    static const accd_action actions[] = {ACCD_ACTION_COPYIN, ACCD_ACTION_UPDATE_DEVICE, ACCD_ACTION_COPYOUT};
    const size_t n = (size_t)luaL_checkinteger(L, 1);
    accd_context *context = open_delayed((uint64_t)n * 512 + (1 << 20));
    accd_program *program = leaf_program(context);
    float *arrays = room(n, 2 * LENGTH * sizeof *arrays);
    struct leaf *leaves = room(n, sizeof *leaves);
    for (size_t i = 0; i < n; i++)
        leaves[i] = (struct leaf){LENGTH, arrays + 2 * LENGTH * i, arrays + 2 * LENGTH * i + LENGTH};
    double best[2][3] = {{1e18, 1e18, 1e18}, {1e18, 1e18, 1e18}};
    const unsigned queue = get_queue_number(context, 1);
    for (int r = 0; r < 18; r++)
        for (int k = 0; k < 3; k++) {
            const accd_item item = {
                .host = leaves, .bytes = n * sizeof *leaves, .action = (uint8_t)actions[k], .program = program};
            const double started = get_seconds();
            run_one_item(context, kinds[k], r & 1 ? queue : 0, item);
            expect_ok(context, accd_queue_wait(context, 0, queue));
            const double taken = get_seconds() - started;
            best[r & 1][k] = taken < best[r & 1][k] ? taken : best[r & 1][k];
        }
    for (int k = 0; k < 3; k++)
        lua_pushnumber(L, best[1][k] / best[0][k]);
    accd_program_release(program);
    accd_context_free(context);
    free(arrays);
    free(leaves);
    return 3;
}
