/* A construct that was seen before takes over what the last one computed, column by column, as far as
 * the host's data are still the same. Whatever changed in between, wherever: the result must be that
 * of a context that never saw it. */
#include "accdeep_internal.h"
#include "support.h"
#include "table/group.h"

#include <ops/ops.h>

enum { M = 7000, LENGTH = 4 };

static struct leaf *Y, *original;
static struct leaf *alike, *mixed; /* all of one length; some shorter, some of nothing */
static float *values;

enum change {
    NOTHING,
    OTHER_TARGET, /* a pointer leads elsewhere */
    SWAPPED,      /* two pointers change places */
    LENGTH_OF_ONE,
    LENGTH_OF_ALL,
    NO_LENGTH,
    NULL_POINTER,
    NULL_WITH_LENGTH,
    NEGATIVE_LENGTH,
    SHARED_TARGET, /* partly: a section inside another one */
    BELOW_ALL,     /* outside the earlier hull */
    CHANGES
};

static void apply(enum change change, size_t row, bool second)
{
    float **slot = second ? &Y[row].b : &Y[row].a;
    memcpy(Y, original, M * sizeof *Y);
    switch (change) {
    case OTHER_TARGET:
        *slot = values + 8 * (2 * M + 1);
        break;
    case SWAPPED: {
        float **other = &Y[(row + 700) % M].b, *swap = *other;
        *other = *slot;
        *slot = swap;
        break;
    }
    case LENGTH_OF_ONE:
        Y[row].n = LENGTH - 2;
        break;
    case LENGTH_OF_ALL:
        for (size_t i = 0; i < M; i++)
            Y[i].n++;
        break;
    case NO_LENGTH:
        Y[row].n = 0;
        break;
    case NULL_POINTER:
        *slot = NULL;
        break;
    case NULL_WITH_LENGTH:
        Y[4].n = LENGTH;
        break;
    case NEGATIVE_LENGTH:
        Y[row].n = -LENGTH;
        break;
    case SHARED_TARGET:
        *slot = Y[(row + 11) % M].a + 2;
        break;
    case BELOW_ALL:
        *slot = values;
        break;
    default:
        break;
    }
}

static accd_context *open_threads(struct meter *meter, unsigned threads, const char *rules)
{
    accd_context_config config;
    init_config(&config);
    config.alloc = meter ? meter_alloc : NULL;
    config.alloc_ud = meter;
    config.threads = threads;
    config.rules = rules_of(rules);
    config.device_bytes = (uint64_t)64 << 20;
    accd_context *context = NULL;
    must(accd_context_new(&context, &config) == ACCD_OK, "open");
    return context;
}

/* Enters all structures and tells what came of it: status, group, device content and, if asked for,
 * the whole state. */
static uint64_t enter(accd_context *context, accd_item item, bool state)
{
    accd_status status = ENTER(context, item);
    uint64_t hash = mix_bytes(0, &status, sizeof status);
    const char *message = accd_context_error(context)->message;
    if (status != ACCD_OK)
        return mix_bytes(hash, message, strlen(message));
    const struct accd__device_env *dir = &context->envs[0];
    for (size_t i = 0; i < dir->groups.n; i++) {
        const struct accd__group *group = dir->groups.at[i];
        if (!group)
            continue;
        const struct accd_walk *walk = group->walk;
        hash = mix_bytes(hash, &group->low, sizeof group->low);
        hash = mix_bytes(hash, &group->high, sizeof group->high);
        hash = mix_bytes(hash, &group->live, sizeof group->live);
        hash = mix_bytes(hash, group->bitmap, group->bitmap_words * sizeof group->bitmap[0]);
        for (size_t k = 0; k < walk->nsegments; k++) {
            const struct accd__segment *segment = &walk->segments[k];
            hash = mix_bytes(hash, segment->host, segment->rows * sizeof segment->host[0]);
            hash = mix_bytes(hash, &segment->total, sizeof segment->total);
            hash = mix_bytes(hash, &segment->applied, sizeof segment->applied);
        }
    }
    for (size_t i = 0; i < M; i += 50) {
        struct leaf leaf = {0};
        float row[LENGTH + 1] = {0};
        must(device_get(context, &Y[i], &leaf, sizeof leaf), "read");
        if (Y[i].n && Y[i].b)
            must(accd_device_read(context, 0, (uintptr_t)leaf.b, row, 4 * (size_t)Y[i].n) == ACCD_OK, "follow Y[%zu].b",
                 i);
        hash = mix_bytes(hash, row, sizeof row);
    }
    if (!state)
        return hash;
    const char *wrong = accd__check_invariants(context);
    must(!wrong, "%s", wrong);
    struct story text = {0};
    write_state(context, &text);
    hash = mix_bytes(hash, text.text, text.used);
    story_free(&text);
    return hash;
}

static void compare_with_threads(unsigned threads, const char *rules, struct leaf *from)
{
    static const size_t rows[] = {0, 255, 256, M / 2, M - 1};
    static const uint8_t exits[] = {ACCD_ACTION_DELETE, ACCD_ACTION_COPYOUT};
    struct meter meter = {0};
    original = from;
    accd_context *knows = open_threads(&meter, threads, rules);
    accd_program *program = leaf_program(knows);
    accd_item item = walked(ACCD_ACTION_COPYIN, Y, M * sizeof *Y, program, array(knows, "Y", sizeof *Y, program));
    for (int change = 0; change < CHANGES; change++) {
        int failed = 0;
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            accd_item leave = item;
            leave.action = exits[r % 2];
            apply(NOTHING, 0, false);
            must(ENTER(knows, item) == ACCD_OK, "enter");
            must(EXIT(knows, leave) == ACCD_OK, "exit");
            must(knows->envs[0].groups.retired, "the group is remembered");
            apply((enum change)change, rows[r], r & 2);
            uint64_t with = enter(knows, item, rows[r] == M / 2);
            leave.action = ACCD_ACTION_DELETE;
            EXIT(knows, leave);
            accd_context *fresh = open_threads(NULL, threads, rules);
            accd_program *other = leaf_program(fresh);
            uint64_t without =
                enter(fresh, walked(ACCD_ACTION_COPYIN, Y, M * sizeof *Y, other, array(fresh, "Y", sizeof *Y, other)),
                      rows[r] == M / 2);
            accd_program_release(other);
            accd_context_free(fresh);
            failed += with != without;
            accd_stats stats;
            accd_get_stats(knows, 0, &stats);
            must(!stats.objects && !stats.attachments && !stats.live_bytes, "nothing is left");
        }
        ok(!failed, "%s, %u threads, %s: after change %d as if it were the first time", rules, threads,
           from == mixed ? "lengths differ" : "one length", change);
    }
    accd_program_release(program);
    accd_context_free(knows);
    must(!meter.live && !meter.wrong, "memory");
}

static void takes_over(struct leaf *from)
{
    struct meter meter = {0};
    original = from;
    accd_context *context = open_threads(&meter, 2, "tr14");
    accd_program *program = leaf_program(context);
    accd_item item = walked(ACCD_ACTION_COPYIN, Y, M * sizeof *Y, program, array(context, "Y", sizeof *Y, program));
    accd_item leave = item;
    leave.action = ACCD_ACTION_DELETE;
    struct accd__device_env *dir = &context->envs[0];
    apply(NOTHING, 0, false);
    must(ENTER(context, item) == ACCD_OK, "enter");
    const uint64_t *map = dir->groups.at[0]->bitmap, *a = dir->groups.at[0]->walk->segments[0].host,
                   *b = dir->groups.at[0]->walk->segments[1].host;
    must(EXIT(context, leave) == ACCD_OK && ENTER(context, item) == ACCD_OK, "again");
    ok(dir->groups.at[0]->bitmap == map && dir->groups.at[0]->walk->segments[0].host == a,
       "map and column are those of the first time");
    ok(!dir->groups.at[0]->walk->segments[0].bytes_of == (from == alike), "lengths that differ have a column");
    accd_region *region;
    item.action = ACCD_ACTION_PRESENT;
    must(REGION(context, &region, item) == ACCD_OK, "a region around what is there");
    ok(region->walk->segments[1].host == b && region->group == dir->groups.at[0], "shares the pending group's column");
    ok(region->walk->segments[1].bytes_of == dir->groups.at[0]->walk->segments[1].bytes_of, "and that of its lengths");
    apply(OTHER_TARGET, 1500, true);
    fails(context, ACCD_ERROR_POINTER_CHANGED, accd_region_end(region), "a pointer that was changed meanwhile");
    ok(strstr(accd_context_error(context)->message, "Y[1500].b") != NULL, "and is named");
    apply(NOTHING, 0, false);
    must(accd_region_end(region) == ACCD_OK && EXIT(context, leave) == ACCD_OK, "ends");
    apply(OTHER_TARGET, 1500, true);
    item.action = ACCD_ACTION_COPYIN;
    must(ENTER(context, item) == ACCD_OK, "with one pointer of b changed");
    ok(dir->groups.at[0]->walk->segments[0].host == a && dir->groups.at[0]->walk->segments[1].host != b,
       "a is shared, b is not");
    ok(!dir->groups.retired || dir->groups.retired->bitmap == map, "the map is a new one");
    must(EXIT(context, leave) == ACCD_OK, "ends");
    must(dir->groups.retired, "remembered");
    char other[64];
    meter.fail_at = 1; /* what is only remembered is given up first */
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, other, sizeof other)), ACCD_OK, "no memory left");
    for (int i = 0; i < 200 && dir->groups.retired; i++) {
        meter.fail_at = 1;
        must(accd_label_intern(context, &(accd_label){.name = "more"}) != NULL, "label %d", i);
    }
    meter.fail_at = 0;
    ok(!dir->groups.retired, "then it is forgotten");
    accd_program_release(program);
    accd_context_free(context);
    must(!meter.live && !meter.wrong, "memory");
}

/* A null pointer has no bytes, but a length that no section has is an error. */
static void too_large(void)
{
    enum { ROWS = 64, UNIT = 1 << 20 };
    static struct row {
        int64_t n;
        char *a;
    } rows[ROWS];
    struct meter meter = {0};
    accd_context *context = open_threads(&meter, 1, "openacc-3.3");
    const accd_field field = {.offset = offsetof(struct row, a),
                              .unit = UNIT,
                              .start = -1,
                              .code_end = 1,
                              .label = member(context, "a", UNIT, NULL)};
    accd_program *program =
        program_of(context, &(accd_program_spec){
                                .stride = sizeof rows[0],
                                .pieces = &(accd_piece){.bytes = sizeof rows[0]},
                                .npieces = 1,
                                .fields = &field,
                                .nfields = 1,
                                .code = &(accd_instruction){.op = ACCD_I_LOAD, .b = ACCD_SCALAR_I64},
                                .ncode = 1,
                                .registers = 1,
                            });
    const accd_item item =
        walked(ACCD_ACTION_COPYIN, rows, sizeof rows, program, array(context, "rows", sizeof rows[0], program));
    rows[0].n = 1;
    rows[0].a = calloc(1, UNIT);
    is_status(ENTER(context, item), ACCD_OK, "null pointers of no length, or of one");
    const uint64_t *host = context->envs[0].groups.at[0]->walk->segments[0].host;
    rows[1].n = 7;
    accd_region *region;
    is_status(REGION(context, &region, item), ACCD_OK, "null pointers of another length");
    ok(region->walk->segments[0].host == host, "are the same");
    is_status(accd_region_end(region), ACCD_OK, "end");
    for (int bits = 30; bits <= 50; bits += 10) { /* bytes of 50 bits, of 60, of more than 64 */
        rows[1].n = INT64_C(1) << bits;
        fails(context, ACCD_ERROR_INVALID_SECTION, ENTER(context, item), "2^%d elements are too many for any section",
              bits);
    }
    free(rows[0].a);
    accd_program_release(program);
    accd_context_free(context);
    must(!meter.live && !meter.wrong, "memory");
}

int main(void)
{
    Y = calloc(M, sizeof *Y);
    alike = calloc(M, sizeof *Y);
    mixed = calloc(M, sizeof *Y);
    values = calloc(8 * (2 * M + 2), sizeof *values);
    for (size_t i = 0; i < 8 * (2 * M + 2); i++)
        values[i] = (float)i;
    for (size_t i = 0; i < M; i++) {
        size_t place = (i * 7919) % M; /* scattered */
        alike[i] = (struct leaf){LENGTH, values + 8 * (2 * place + 1), values + 8 * (2 * place + 2)};
        memset(&alike[i].n + 1, 0, 4);
        mixed[i] = alike[i];
        mixed[i].n = LENGTH - (int)(i % 5);
    }
    mixed[4].a = mixed[4].b = NULL;
    takes_over(alike);
    takes_over(mixed);
    compare_with_threads(1, "tr14", alike);
    compare_with_threads(3, "openacc-3.3", alike); /* null pointers may have a length */
    compare_with_threads(1, "tr14", mixed);
    compare_with_threads(3, "openacc-3.3", mixed);
    too_large();
    free(Y);
    free(alike);
    free(mixed);
    free(values);
    return done();
}
