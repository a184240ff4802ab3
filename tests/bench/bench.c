/* bench.c - what the benchmarks measure, for bench.lua. Every function returns the least time of
 * several interleaved repetitions, in ns for each operation or object.
 *
 * Both sides of a comparison find their memory in the same state: every buffer was written before, the
 * device's block is the one of the repetition before. */
#include "bench.h"

#include <malloc.h>

static volatile uint64_t sink; /* results go here, so that they are computed */

/* ------------------------------------------------------------------------------------- index -- */

/* Blocks of 64 bytes, one in each 96, as malloc would place them. */
static uint64_t key_of(uint32_t i)
{
    return 0x100000 + (uint64_t)i * 96;
}

/* bench.index(n) -> single, map, finger, map_ordered, churn, map_churn, last, bytes */
static int l_index(lua_State *L)
{
    size_t n = (size_t)luaL_checkinteger(L, 1), queries = n < 100000 ? 100000 : n < 1000000 ? n : 1000000;
    int repetitions = n < 1000000 ? 7 : 3;
    struct accd__mem mem;
    struct accd__btree index;
    accd__mem_init(&mem, NULL, NULL);
    accd__btree_init(&index, &mem);
    void *map = map_new();
    struct record *records = checked(malloc(n * sizeof *records));
    uint32_t *order = permutation(n, 1), *ask = checked(malloc(queries * sizeof *ask));
    for (size_t i = 0; i < n; i++) {
        struct record *r = &records[order[i]];
        *r = (struct record){key_of(order[i]), 64, 1, 1};
        accd__btree_insert(&index, r->start, r);
        map_insert(map, r->start, r);
    }
    uint64_t seed = 5;
    for (size_t i = 0; i < queries; i++)
        ask[i] = (uint32_t)(next_random(&seed) % n);
    double single = 1e18, in_map = 1e18, finger = 1e18, ordered = 1e18, churn = 1e18, map_churn = 1e18, last = 1e18;
    uint64_t sum = 0;
    for (int r = 0; r < repetitions; r++) {
        MEASURE(single, queries,
                for (size_t i = 0; i < queries; i++) sum +=
                ((struct record *)accd__btree_floor(&index, key_of(ask[i]) + 8))->dev);
        MEASURE(in_map, queries,
                for (size_t i = 0; i < queries; i++) sum += ((struct record *)map_floor(map, key_of(ask[i]) + 8))->dev);
        MEASURE(finger, n,
                for (uint32_t i = 0; i < n; i++) sum +=
                ((struct record *)accd__btree_floor(&index, key_of(i) + 8))->dev);
        MEASURE(ordered, n,
                for (uint32_t i = 0; i < n; i++) sum += ((struct record *)map_floor(map, key_of(i) + 8))->dev);
        size_t changes = n < 100000 ? n : 100000;
        MEASURE(
            churn, changes, for (size_t i = 0; i < changes; i++) {
                uint64_t key = key_of(ask[i]);
                accd__btree_insert(&index, key, accd__btree_erase(&index, key));
            });
        MEASURE(
            map_churn, changes, for (size_t i = 0; i < changes; i++) {
                uint64_t key = key_of(ask[i]);
                map_erase(map, key);
                map_insert(map, key, &records[ask[i]]);
            });
        MEASURE(last, 100000,
                for (size_t i = 0; i < 100000; i++) sum +=
                ((struct record *)accd__btree_floor(&index, key_of(ask[0]) + (i & 31)))->dev);
    }
    sink = sum;
    size_t slabs = 0;
    for (struct {
             void *next;
             size_t bytes;
         } *slab = index.nodes.slabs;
         slab; slab = slab->next)
        slabs += slab->bytes;
    lua_newtable(L);
    set(L, "single", single);
    set(L, "map", in_map);
    set(L, "finger", finger);
    set(L, "map_ordered", ordered);
    set(L, "churn", churn);
    set(L, "map_churn", map_churn);
    set(L, "last", last);
    set(L, "bytes", (double)slabs / (double)n + sizeof(struct record));
    accd__btree_clear(&index);
    accd__mem_drop_cache(&mem);
    map_free(map);
    free(records);
    free(order);
    free(ask);
    return 1;
}

/* --------------------------------------------------------------------------------- deep copy -- */

enum { LENGTH = 16, ARRAYS = 3, AHEAD = 8 };

struct object {
    int n;
    float *a, *b, *c;
};

enum { OBJECT_BYTES = sizeof(struct object) + ARRAYS * LENGTH * sizeof(float) };

static float **array_of(struct object *o, unsigned which)
{
    return which == 0 ? &o->a : which == 1 ? &o->b : &o->c;
}

enum { MALLOC_STEP = 80 }; /* from one small block of malloc to the next, its header included */

/* Structures and arrays in one block, placed as malloc places them in a fresh heap; scattered: in
 * random order. By hand, because what malloc does depends on what was freed before, and so would the
 * ratios. A larger step spreads the arrays over more memory. */
static struct object *make_objects(size_t count, int scattered, size_t step)
{
    size_t before = (count * sizeof(struct object) + 63) / 64 * 64;
    struct object *objects = checked(malloc(before + count * ARRAYS * step));
    uint32_t *order = permutation(count * ARRAYS, scattered);
    for (size_t i = 0; i < count * ARRAYS; i++) {
        float *array = (float *)((char *)objects + before + i * step);
        for (unsigned k = 0; k < LENGTH; k++)
            array[k] = (float)(order[i] + k);
        objects[order[i] / ARRAYS].n = LENGTH;
        *array_of(&objects[order[i] / ARRAYS], order[i] % ARRAYS) = array;
    }
    free(order);
    return objects;
}

static inline __attribute__((always_inline)) void fetch_ahead(const struct object *o)
{
    __builtin_prefetch(o->a);
    __builtin_prefetch((const char *)o->a + 63);
    __builtin_prefetch(o->b);
    __builtin_prefetch((const char *)o->b + 63);
    __builtin_prefetch(o->c);
    __builtin_prefetch((const char *)o->c + 63);
}

static inline void pack_some(const struct object *objects, size_t count, struct object *device, char *heap)
{
    for (size_t i = 0; i < count; i++, device++) {
        size_t length = (size_t)objects[i].n * sizeof(float);
        if (i + AHEAD < count)
            fetch_ahead(&objects[i + AHEAD]);
        device->n = objects[i].n;
        device->a = memcpy(heap, objects[i].a, length);
        device->b = memcpy(heap + length, objects[i].b, length);
        device->c = memcpy(heap + 2 * length, objects[i].c, length);
        heap += 3 * length;
    }
}

/* The copy a programmer writes by hand: the size first, then everything into one buffer. */
static __attribute__((noinline)) void pack(const struct object *objects, size_t count, char *to)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += ARRAYS * sizeof(float) * (size_t)objects[i].n;
    sink = bytes;
    struct object *device = (struct object *)to;
    pack_some(objects, count, device, (char *)(device + count));
}

/* The same in two halves: what the memory of this machine gives to two threads. */
struct halves {
    const struct object *objects;
    size_t count;
    char *to;
    size_t bytes[2];
};

static size_t half(const struct halves *h, unsigned part)
{
    return part ? part > 1 ? h->count : h->count / 2 : 0;
}

static void size_half(void *arg, unsigned part)
{
    struct halves *h = arg;
    size_t bytes = 0;
    for (size_t i = half(h, part); i < half(h, part + 1); i++)
        bytes += ARRAYS * sizeof(float) * (size_t)h->objects[i].n;
    h->bytes[part] = bytes;
}

static void pack_half(void *arg, unsigned part)
{
    const struct halves *h = arg;
    size_t from = half(h, part);
    struct object *device = (struct object *)h->to;
    pack_some(h->objects + from, half(h, part + 1) - from, device + from,
              (char *)(device + h->count) + (part ? h->bytes[0] : 0));
}

static void pack_halves(struct accd__workers *workers, struct halves *halves)
{
    accd__workers_run(workers, size_half, halves, 2);
    accd__workers_run(workers, pack_half, halves, 2);
}

static __attribute__((noinline)) void unpack(struct object *objects, size_t count, const char *from)
{
    const struct object *device = (const struct object *)from;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            fetch_ahead(&objects[i + AHEAD]);
        size_t length = (size_t)objects[i].n * sizeof(float);
        memcpy(objects[i].a, device[i].a, length);
        memcpy(objects[i].b, device[i].b, length);
        memcpy(objects[i].c, device[i].c, length);
    }
}

/* One allocation, one copy and one table entry for each array, as runtimes without shapes do. */
static __attribute__((noinline)) void one_by_one(struct object *objects, size_t count, struct object *device, void *map)
{
    for (size_t i = 0; i < count; i++) {
        device[i].n = objects[i].n;
        for (unsigned k = 0; k < ARRAYS; k++) {
            size_t bytes = (size_t)objects[i].n * sizeof(float);
            float *to = checked(malloc(bytes));
            *array_of(&device[i], k) = memcpy(to, *array_of(&objects[i], k), bytes);
            struct record *r = checked(malloc(sizeof *r));
            *r = (struct record){(uint64_t)(uintptr_t)*array_of(&objects[i], k), bytes, (uint64_t)(uintptr_t)to, 1};
            map_insert(map, r->start, r);
        }
    }
}

static accd_program *object_program(accd_context *context)
{
    static const struct {
        const char *name;
        size_t offset;
    } arrays[ARRAYS] = {
        {"a", offsetof(struct object, a)}, {"b", offsetof(struct object, b)}, {"c", offsetof(struct object, c)}};
    accd_field fields[ARRAYS];
    for (int k = 0; k < ARRAYS; k++)
        fields[k] = (accd_field){
            .offset = arrays[k].offset,
            .unit = sizeof(float),
            .count = 0,
            .start = -1,
            .code_end = 1,
            .label = accd_label_intern(context, &(accd_label){.name = arrays[k].name,
                                                              .unit = sizeof(float),
                                                              .flags = ACCD_LABEL_MEMBER | ACCD_LABEL_SECTION})};
    const accd_instruction load = {.op = ACCD_I_LOAD, .to = 0, .b = ACCD_SCALAR_I32, .k = 0};
    const accd_piece whole = {.offset = 0, .bytes = sizeof(struct object)};
    accd_program *program = NULL;
    expect_ok(context, accd_program_new(context,
                                        &(accd_program_spec){.stride = sizeof(struct object),
                                                             .pieces = &whole,
                                                             .npieces = 1,
                                                             .fields = fields,
                                                             .nfields = ARRAYS,
                                                             .code = &load,
                                                             .ncode = 1,
                                                             .registers = 1},
                                        &program));
    return program;
}

static accd_context *deep_context(unsigned threads, accd_item *item, struct object *objects, size_t count)
{
    accd_context *context = open_context(threads);
    accd_program *program = object_program(context);
    *item = (accd_item){
        .host = objects,
        .bytes = count * sizeof *objects,
        .program = program,
        .label = accd_label_intern(
            context,
            &(accd_label){.name = "S", .unit = sizeof *objects, .flags = ACCD_LABEL_SECTION, .layout = program}),
    };
    return context;
}

/* bench.deep(count, scattered, naive) -> memcpy, pack, unpack, in, out, delete, in2, out2 (two
 * threads), pack2 (by hand, two threads), first (what in costs if the last construct was another one),
 * and with naive: one_by_one, update_all, update_one (ns each, not for each object) */
static int l_deep(lua_State *L)
{
    size_t count = (size_t)luaL_checkinteger(L, 1);
    int scattered = lua_toboolean(L, 2), naive = lua_toboolean(L, 3);
    int repetitions = count < 10000 ? 300 : count < 100000 ? 60 : count < 1000000 ? 10 : 16;
    struct object *objects = make_objects(count, scattered, MALLOC_STEP);
    char *to = checked(malloc(count * OBJECT_BYTES)), *from = checked(malloc(count * OBJECT_BYTES));
    memset(to, 1, count * OBJECT_BYTES);
    memset(from, 1, count * OBJECT_BYTES);
    double copy = 1e18, packed = 1e18, unpacked = 1e18, halved = 1e18;
    struct halves halves = {objects, count, to, {0}};
    double in[2] = {1e18, 1e18}, out[2] = {1e18, 1e18}, drop[2] = {1e18, 1e18}, first = 1e18;
    accd_item item[2];
    accd_context *context[2];
    for (unsigned t = 0; t < 2; t++)
        context[t] = deep_context(t + 1, &item[t], objects, count);
    accd__choose_part_count(context[1], SIZE_MAX); /* starts its threads, which pack by hand, too */
    enum { OTHERS = 64 };
    struct object *others = make_objects(OTHERS, 1, MALLOC_STEP);
    accd_item other = item[0];
    other.host = others;
    other.bytes = OTHERS * sizeof *others;
    for (int r = 0; r < repetitions; r++) {
        MEASURE(copy, count, memcpy(to, from, count * OBJECT_BYTES));
        MEASURE(packed, count, pack(objects, count, to));
        MEASURE(halved, count, pack_halves(context[1]->workers, &halves));
        MEASURE(unpacked, count, unpack(objects, count, to));
        for (unsigned t = 0; t < 2; t++) {
            item[t].action = ACCD_ACTION_COPYIN;
            MEASURE(in[t], count, run_bench_construct(context[t], ACCD_KIND_ENTER_DATA, &item[t], 1));
            item[t].action = r & 1 ? ACCD_ACTION_COPYOUT : ACCD_ACTION_DELETE;
            double *best = r & 1 ? out : drop;
            MEASURE(best[t], count, run_bench_construct(context[t], ACCD_KIND_EXIT_DATA, &item[t], 1));
        }
        other.action = item[0].action = ACCD_ACTION_COPYIN;
        run_bench_construct(context[0], ACCD_KIND_ENTER_DATA, &other, 1);
        other.action = ACCD_ACTION_DELETE;
        run_bench_construct(context[0], ACCD_KIND_EXIT_DATA, &other, 1);
        MEASURE(first, count, run_bench_construct(context[0], ACCD_KIND_ENTER_DATA, &item[0], 1));
        item[0].action = ACCD_ACTION_DELETE;
        run_bench_construct(context[0], ACCD_KIND_EXIT_DATA, &item[0], 1);
    }
    lua_newtable(L);
    set(L, "memcpy", copy);
    set(L, "pack", packed);
    set(L, "pack2", halved);
    set(L, "unpack", unpacked);
    set(L, "in", in[0]);
    set(L, "out", out[0]);
    set(L, "delete", drop[0]);
    set(L, "first", first);
    set(L, "in2", in[1]);
    set(L, "out2", out[1]);
    if (naive) {
        double one = 1e18, update_all = 1e18, update_one = 1e18;
        struct object *device = checked(malloc(count * sizeof *device));
        for (int r = 0; r < 2; r++) { /* the second time in warm memory, as the rest */
            void *map = map_new();
            MEASURE(one, count, one_by_one(objects, count, device, map));
            map_free_records(map);
            for (size_t i = 0; i < count; i++)
                for (unsigned k = 0; k < ARRAYS; k++)
                    free(*array_of(&device[i], k));
        }
        free(device);
        set(L, "one_by_one", one);
        item[0].action = ACCD_ACTION_COPYIN;
        run_bench_construct(context[0], ACCD_KIND_ENTER_DATA, &item[0], 1);
        accd_item whole = item[0], part = item[0];
        whole.action = part.action = ACCD_ACTION_UPDATE_SELF;
        part.bytes = sizeof *objects;
        for (int r = 0; r < 5; r++)
            MEASURE(update_all, 1, run_bench_construct(context[0], ACCD_KIND_UPDATE, &whole, 1));
        for (size_t r = 0; r < 1000; r++) { /* the first one puts the group in order */
            part.host = objects + r * 7919 % count;
            MEASURE(update_one, 1, run_bench_construct(context[0], ACCD_KIND_UPDATE, &part, 1));
        }
        set(L, "update_all", update_all);
        set(L, "update_one", update_one);
    }
    for (unsigned t = 0; t < 2; t++) {
        accd_program_release(item[t].program);
        accd_context_free(context[t]);
    }
    free(objects);
    free(others);
    free(to);
    free(from);
    return 1;
}

/* bench.objects(count, scattered, step) -> address; bench.drop(address): for directives from Lua */
static int l_objects(lua_State *L)
{
    struct object *made =
        make_objects((size_t)luaL_checkinteger(L, 1), lua_toboolean(L, 2), (size_t)luaL_optinteger(L, 3, MALLOC_STEP));
    lua_pushinteger(L, (lua_Integer)(uintptr_t)made);
    return 1;
}

static int l_drop(lua_State *L)
{
    free((void *)(uintptr_t)luaL_checkinteger(L, 1));
    return 0;
}

/* bench.pack(address, count) -> the hand-written copy of them */
static int l_pack(lua_State *L)
{
    struct object *objects = (struct object *)(uintptr_t)luaL_checkinteger(L, 1);
    size_t count = (size_t)luaL_checkinteger(L, 2);
    static char *to;
    static size_t room;
    if (room < count * OBJECT_BYTES) {
        free(to);
        room = count * OBJECT_BYTES;
        to = checked(malloc(room));
        memset(to, 1, room);
    }
    double best = 1e18;
    MEASURE(best, count, pack(objects, count, to));
    lua_pushnumber(L, best);
    return 1;
}

/* ------------------------------------------------------------------------------ nested shapes -- */

enum { INNERS = 10 };

struct inner {
    int m;
    float *v;
};

struct outer {
    int n;
    struct inner *list;
};

/* Structures of structures in one block; arrays in random order. */
static struct outer *make_nested(size_t count)
{
    size_t inners = count * INNERS;
    size_t step = LENGTH * sizeof(float) + 16;
    char *block = checked(malloc(count * sizeof(struct outer) + inners * (sizeof(struct inner) + step)));
    struct outer *outers = (struct outer *)block;
    struct inner *lists = (struct inner *)(outers + count);
    char *heap = (char *)(lists + inners);
    uint32_t *order = permutation(inners, 1);
    for (size_t i = 0; i < count; i++)
        outers[i] = (struct outer){INNERS, lists + i * INNERS};
    for (size_t i = 0; i < inners; i++) {
        float *v = (float *)(heap + order[i] * step);
        for (unsigned k = 0; k < LENGTH; k++)
            v[k] = (float)(i + k);
        lists[i] = (struct inner){LENGTH, v};
    }
    free(order);
    return outers;
}

static __attribute__((noinline)) void pack_nested(const struct outer *outers, size_t count, char *to)
{
    size_t inners = 0, bytes = 0;
    for (size_t i = 0; i < count; i++) {
        inners += (size_t)outers[i].n;
        for (int k = 0; k < outers[i].n; k++)
            bytes += sizeof(float) * (size_t)outers[i].list[k].m;
    }
    sink = bytes;
    struct outer *device = (struct outer *)to;
    struct inner *lists = (struct inner *)(device + count);
    char *heap = (char *)(lists + inners);
    for (size_t i = 0; i < count; i++) {
        device[i] = (struct outer){outers[i].n, lists};
        for (int k = 0; k < outers[i].n; k++, lists++) {
            const struct inner *one = &outers[i].list[k];
            if (k + AHEAD < outers[i].n) {
                __builtin_prefetch(one[AHEAD].v);
                __builtin_prefetch((const char *)one[AHEAD].v + 63);
            } else if (i + 1 < count && k + AHEAD - outers[i].n < outers[i + 1].n) {
                const struct inner *next = &outers[i + 1].list[k + AHEAD - outers[i].n];
                __builtin_prefetch(next->v);
                __builtin_prefetch((const char *)next->v + 63);
            }
            size_t length = (size_t)one->m * sizeof(float);
            *lists = (struct inner){one->m, memcpy(heap, one->v, length)};
            heap += length;
        }
    }
}

/* bench.nested(count) -> address of so many outer structures, a function that packs them (ns each) */
static int l_pack_nested(lua_State *L)
{
    const struct outer *outers = (const struct outer *)(uintptr_t)lua_tointeger(L, lua_upvalueindex(1));
    size_t count = (size_t)lua_tointeger(L, lua_upvalueindex(2));
    char *to = lua_touserdata(L, lua_upvalueindex(3));
    double best = 1e18;
    MEASURE(best, count, pack_nested(outers, count, to));
    lua_pushnumber(L, best);
    return 1;
}

static int l_nested(lua_State *L)
{
    size_t count = (size_t)luaL_checkinteger(L, 1);
    lua_pushinteger(L, (lua_Integer)(uintptr_t)make_nested(count));
    lua_pushvalue(L, -1);
    lua_pushinteger(L, (lua_Integer)count);
    size_t bytes = count * (sizeof(struct outer) + INNERS * (sizeof(struct inner) + LENGTH * sizeof(float)));
    memset(lua_newuserdatauv(L, bytes, 0), 1, bytes);
    lua_pushcclosure(L, l_pack_nested, 3);
    return 2;
}

/* ------------------------------------------------------------------------------- descriptors -- */

/* A member of Fortran's: address, element size, rank and so on, one dimension. */
struct described {
    uint64_t n;
    struct {
        float *base;
        uint64_t elem_len, kind;
        int64_t lower, extent, stride;
    } a;
};
struct pointed {
    uint64_t n;
    float *a;
};

/* Arrays of structures that differ in what leads to the section: a pointer or a descriptor. */
struct members {
    accd_context *context;
    char *at;
    size_t count, stride;
    uint32_t slot_bytes;
    accd_program *program;
    accd_item *attach; /* of each member */
    double in, drop, each, all, again, detach;
};

static struct members make_members(size_t count, float *arrays, int described)
{
    struct members m = {
        .context = open_context(1),
        .count = count,
        .stride = described ? sizeof(struct described) : sizeof(struct pointed),
        .slot_bytes = described ? sizeof(((struct described *)0)->a) : 0,
        .in = 1e18,
        .drop = 1e18,
        .each = 1e18,
        .all = 1e18,
        .again = 1e18,
        .detach = 1e18,
    };
    m.at = checked(calloc(count, m.stride));
    m.attach = checked(calloc(count, sizeof m.attach[0]));
    for (size_t i = 0; i < count; i++) {
        struct described d = {.n = LENGTH,
                              .a = {arrays + i * LENGTH, sizeof(float), (uint64_t)1 << 32 /* rank */, 1, LENGTH, 4}};
        memcpy(m.at + i * m.stride, &d, m.stride);
        m.attach[i] = (accd_item){.slot = m.at + i * m.stride + offsetof(struct described, a),
                                  .slot_bytes = m.slot_bytes,
                                  .action = ACCD_ACTION_ATTACH};
    }
    const accd_field field = {.offset = offsetof(struct described, a),
                              .unit = sizeof(float),
                              .start = -1,
                              .code_end = 1,
                              .slot_bytes = m.slot_bytes};
    expect_ok(m.context, accd_program_new(
                             m.context,
                             &(accd_program_spec){.stride = m.stride,
                                                  .pieces = &(accd_piece){.bytes = m.stride},
                                                  .npieces = 1,
                                                  .fields = &field,
                                                  .nfields = 1,
                                                  .code = &(accd_instruction){.op = ACCD_I_LOAD, .b = ACCD_SCALAR_U64},
                                                  .ncode = 1,
                                                  .registers = 1},
                             &m.program));
    return m;
}

static void measure_members(struct members *m, float *arrays)
{
    accd_context *context = m->context;
    accd_item deep = {
        .host = m->at, .bytes = m->count * m->stride, .program = m->program, .action = ACCD_ACTION_COPYIN};
    MEASURE(m->in, m->count, run_bench_construct(context, ACCD_KIND_ENTER_DATA, &deep, 1));
    deep.action = ACCD_ACTION_DELETE;
    MEASURE(m->drop, m->count, run_bench_construct(context, ACCD_KIND_EXIT_DATA, &deep, 1));
    accd_item flat[] = {{.host = m->at, .bytes = m->count * m->stride, .action = ACCD_ACTION_COPYIN},
                        {.host = arrays, .bytes = m->count * LENGTH * sizeof(float), .action = ACCD_ACTION_COPYIN}};
    run_bench_construct(context, ACCD_KIND_ENTER_DATA, flat, 2);
    for (int once = 0; once < 2; once++) { /* in one directive, and each with its own call */
        for (size_t i = 0; i < m->count; i++)
            m->attach[i].action = ACCD_ACTION_ATTACH;
        double *best = once ? &m->all : &m->each;
        MEASURE(*best, m->count, {
            if (once)
                run_bench_construct(context, ACCD_KIND_ENTER_DATA, m->attach, m->count);
            else if (m->slot_bytes)
                for (size_t i = 0; i < m->count; i++)
                    expect_ok(context, accd_attach_descriptor(context, 0, m->attach[i].slot, arrays + i * LENGTH, 0,
                                                              LENGTH * sizeof(float), NULL, 0));
            else
                for (size_t i = 0; i < m->count; i++)
                    run_bench_construct(context, ACCD_KIND_ENTER_DATA, &m->attach[i], 1);
        });
        if (once)
            MEASURE(m->again, m->count, run_bench_construct(context, ACCD_KIND_ENTER_DATA, m->attach, m->count));
        for (size_t i = 0; i < m->count; i++)
            m->attach[i].action = ACCD_ACTION_DETACH;
        if (once)
            run_bench_construct(context, ACCD_KIND_EXIT_DATA, m->attach, m->count);
        MEASURE(m->detach, m->count, run_bench_construct(context, ACCD_KIND_EXIT_DATA, m->attach, m->count));
    }
    flat[0].action = flat[1].action = ACCD_ACTION_DELETE;
    run_bench_construct(context, ACCD_KIND_EXIT_DATA, flat, 2);
}

/* bench.descriptors(count) -> two tables, with pointers and with descriptors: in, delete (a deep copy of
 * the array), each, all (attach of members that are present, call by call and by one directive), again
 * (counted only), detach */
static int l_descriptors(lua_State *L)
{
    size_t count = (size_t)luaL_checkinteger(L, 1);
    float *arrays = checked(calloc(count, LENGTH * sizeof(float)));
    struct members m[2] = {make_members(count, arrays, 0), make_members(count, arrays, 1)};
    for (int r = 0; r < 15; r++)
        for (int k = 0; k < 2; k++)
            measure_members(&m[k], arrays);
    for (int k = 0; k < 2; k++) {
        lua_newtable(L);
        set(L, "in", m[k].in);
        set(L, "delete", m[k].drop);
        set(L, "each", m[k].each);
        set(L, "all", m[k].all);
        set(L, "again", m[k].again);
        set(L, "detach", m[k].detach);
        accd_program_release(m[k].program);
        accd_context_free(m[k].context);
        free(m[k].at);
        free(m[k].attach);
    }
    free(arrays);
    return 2;
}

__attribute__((visibility("default"))) int luaopen_bench(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"index", l_index},
        {"deep", l_deep},
        {"objects", l_objects},
        {"drop", l_drop},
        {"pack", l_pack},
        {"flat", bench_flat},
        {"expressions", bench_expressions},
        {"nested", l_nested},
        {"descriptors", l_descriptors},
        {"beside", bench_beside},
        {"queued", bench_queued},
        {NULL, NULL},
    };
    mallopt(M_MMAP_MAX, 0); /* freed memory stays in the heap: later repetitions find it warm */
    mallopt(M_TRIM_THRESHOLD, -1);
    luaL_newlib(L, functions);
    return 1;
}
