/* small.c - what small things cost: one object of 64 bytes, one expression. For bench.lua. */
#include "bench.h"

static volatile uint64_t sink; /* results go here, so that they are computed */

/* bench.flat(kept) -> pair (map and unmap of a fresh 64-byte object), present (a clause on present
 * data), lookup (one address), with so many other objects present. Of random objects among all of
 * them: deviceptr, presence, and map, the std::map's answer to the same questions */
int bench_flat(lua_State *L)
{
    size_t kept = (size_t)luaL_checkinteger(L, 1);
    enum { ROUNDS = 10000, FRESH = 256, QUERIES = 100000 };
    accd_context *context = open_context(1);
    char *objects = checked(calloc(kept + 1, 96)), *fresh = checked(calloc(FRESH, 96));
    uint32_t *order = permutation(kept, 1);
    accd_item item = {.bytes = 64, .action = ACCD_ACTION_COPYIN}, leave = {.bytes = 64, .action = ACCD_ACTION_DELETE};
    void *map = map_new();
    struct record *records = checked(malloc(kept * sizeof *records));
    for (size_t i = 0; i < kept; i++) {
        item.host = objects + (size_t)order[i] * 96;
        run_bench_construct(context, ACCD_KIND_ENTER_DATA, &item, 1);
        records[order[i]] = (struct record){(uint64_t)(uintptr_t)item.host, 64, 1, 1};
        map_insert(map, records[order[i]].start, &records[order[i]]);
    }
    uint32_t *ask = checked(malloc(QUERIES * sizeof *ask));
    uint64_t seed = 5;
    for (size_t i = 0; i < QUERIES; i++)
        ask[i] = (uint32_t)(next_random(&seed) % kept);
    double pair = 1e18, present = 1e18, lookup = 1e18, deviceptr = 1e18, presence = 1e18, in_map = 1e18;
    uint64_t sum = 0;
    for (int r = 0; r < 20; r++) {
        MEASURE(
            pair, ROUNDS, for (int i = 0; i < ROUNDS; i++) {
                item.host = leave.host = fresh + i % FRESH * 96;
                run_bench_construct(context, ACCD_KIND_ENTER_DATA, &item, 1);
                run_bench_construct(context, ACCD_KIND_EXIT_DATA, &leave, 1);
            });
        MEASURE(
            present, ROUNDS, for (int i = 0; i < ROUNDS; i++) {
                item.host = objects + (size_t)order[(size_t)i % kept] * 96;
                run_bench_construct(context, ACCD_KIND_ENTER_DATA, &item, 1);
            });
        MEASURE(lookup, ROUNDS,
                for (int i = 0; i < ROUNDS; i++) sum +=
                accd_device_address(context, 0, objects + (size_t)order[(size_t)i % kept] * 96));
    }
    for (int r = 0; r < 5; r++) {
        MEASURE(deviceptr, QUERIES,
                for (size_t i = 0; i < QUERIES; i++) sum +=
                accd_device_address(context, 0, objects + (size_t)ask[i] * 96 + 8));
        MEASURE(presence, QUERIES,
                for (size_t i = 0; i < QUERIES; i++) sum +=
                (uint64_t)accd_get_presence(context, 0, objects + (size_t)ask[i] * 96 + 8, 8));
        MEASURE(in_map, QUERIES,
                for (size_t i = 0; i < QUERIES; i++) sum +=
                ((struct record *)map_floor(map, records[0].start + (uint64_t)ask[i] * 96 + 8))->dev);
    }
    sink = sum;
    map_free(map);
    free(records);
    free(ask);
    lua_newtable(L);
    set(L, "deviceptr", deviceptr);
    set(L, "presence", presence);
    set(L, "map", in_map);
    set(L, "pair", pair);
    set(L, "present", present);
    set(L, "lookup", lookup);
    accd_context_free(context);
    free(objects);
    free(fresh);
    free(order);
    return 1;
}

/* Expressions over a struct {int n; float *begin, *end}: the loop in C, and the program's code. */
struct item {
    int n;
    float *begin, *end;
};

#define NATIVE(name, expression)                                                                                  \
    static __attribute__((noinline, optimize("no-tree-vectorize"))) void name(const struct item *v, size_t count, \
                                                                              int64_t *to)                        \
    {                                                                                                             \
        for (size_t i = 0; i < count; i++)                                                                        \
            to[i] = (expression);                                                                                 \
    }
NATIVE(native_n, v[i].n)
NATIVE(native_2n1, 2 * (int64_t)v[i].n + 1)
NATIVE(native_range, v[i].end - v[i].begin)

/* As the compiler of shapes writes them: a register for each value. */
static const accd_instruction code_n[] = {{.op = ACCD_I_LOAD, .to = 0, .b = ACCD_SCALAR_I32, .k = 0}},
                              code_2n1[] = {{.op = ACCD_I_LOAD, .to = 0, .b = ACCD_SCALAR_I32, .k = 0},
                                            {.op = ACCD_I_CONST, .to = 1, .k = 2},
                                            {.op = ACCD_I_MUL, .to = 2, .a = 1, .b = 0},
                                            {.op = ACCD_I_CONST, .to = 3, .k = 1},
                                            {.op = ACCD_I_ADD, .to = 4, .a = 2, .b = 3}},
                              code_range[] = {
                                  {.op = ACCD_I_LOAD, .to = 0, .b = ACCD_SCALAR_I64, .k = offsetof(struct item, end)},
                                  {.op = ACCD_I_LOAD, .to = 1, .b = ACCD_SCALAR_I64, .k = offsetof(struct item, begin)},
                                  {.op = ACCD_I_DISTANCE, .to = 2, .a = 0, .b = 1, .k = 4}};

static double walk_time(accd_context *context, const accd_instruction *code, size_t n, const struct item *items,
                        size_t count)
{
    const accd_piece whole = {.offset = 0, .bytes = sizeof(struct item)};
    const accd_field field = {
        .offset = offsetof(struct item, begin), .unit = 4, .count = 5, .start = -1, .code_end = n + 1};
    accd_instruction all[8];
    memcpy(all, code, n * sizeof all[0]); /* the length itself is a constant: only the code differs */
    all[n] = (accd_instruction){.op = ACCD_I_CONST, .to = 5, .k = 4};
    accd_program *program = NULL;
    expect_ok(context, accd_program_new(context,
                                        &(accd_program_spec){.stride = sizeof(struct item),
                                                             .pieces = &whole,
                                                             .npieces = 1,
                                                             .fields = &field,
                                                             .nfields = 1,
                                                             .code = all,
                                                             .ncode = n + 1,
                                                             .registers = 6},
                                        &program));
    accd_item item = {.host = (void *)(uintptr_t)items,
                      .bytes = count * sizeof *items,
                      .program = program,
                      .action = ACCD_ACTION_COPYIN};
    const accd_construct construct = {.kind = ACCD_KIND_ENTER_DATA, .items = &item, .nitems = 1};
    double best = 1e18;
    for (int r = 0; r < 300; r++) {
        struct accd_walk *walk;
        double started = get_seconds();
        expect_ok(context, accd__walk_new(context, &construct, NULL, &walk));
        best = least(best, (get_seconds() - started) / (double)count);
        accd__walk_release(walk);
        accd__scratch_reset(&context->scratch);
    }
    accd_program_release(program);
    return best;
}

/* bench.expressions() -> list of {text, native, program}: ns for each object */
int bench_expressions(lua_State *L)
{
    enum { COUNT = 4096 };
    static const struct {
        const char *text;
        void (*native)(const struct item *, size_t, int64_t *);
        const accd_instruction *code;
        size_t n;
    } expressions[] = {
        {"n", native_n, code_n, 1}, {"2*n+1", native_2n1, code_2n1, 5}, {"end-begin", native_range, code_range, 3}};
    accd_context *context = open_context(1);
    struct item *items = checked(malloc(COUNT * sizeof *items));
    int64_t *to = checked(malloc(COUNT * sizeof *to));
    static float array[16];
    for (int i = 0; i < COUNT; i++)
        items[i] = (struct item){4, array, array + 4};
    double nothing = walk_time(context, code_n, 0, items, COUNT);
    lua_newtable(L);
    for (int e = 0; e < 3; e++) {
        double native = 1e18;
        for (int r = 0; r < 300; r++) {
            MEASURE(native, COUNT, expressions[e].native(items, COUNT, to));
            sink = (uint64_t)to[COUNT - 1];
        }
        double program = walk_time(context, expressions[e].code, expressions[e].n, items, COUNT);
        lua_newtable(L);
        lua_pushstring(L, expressions[e].text);
        lua_setfield(L, -2, "text");
        set(L, "native", native);
        set(L, "program", program - nothing);
        lua_rawseti(L, -2, e + 1);
    }
    accd_context_free(context);
    free(items);
    free(to);
    return 1;
}
