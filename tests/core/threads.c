/* Large constructs with one and with several threads: the same results, down to the byte. */
#include "accdeep_internal.h"
#include "support.h"

enum { M = 9000 };

static struct leaf *Y;
static float *values;

static void build_thread_data(bool equal, bool holes)
{
    uint64_t state = 9;
    memset(Y, 0, M * sizeof *Y);
    for (size_t i = 0; i < M; i++) {
        size_t place = (i * 7919) % M; /* scattered */
        Y[i].n = equal ? 5 : 1 + (int)(next_random(&state) % 5);
        Y[i].a = values + 16 * place;
        Y[i].b = values + 16 * place + 8;
        if (holes && i % 1000 == 17)
            Y[i].n = 0;
        if (holes && i > 5000 && i < 5600)
            Y[i].a = NULL;
    }
    for (size_t i = 0; i < 16 * M; i++)
        values[i] = (float)i;
}

struct result {
    uint64_t entered, content, host;
    uint64_t objects, attachments, moved[2];
    accd_status bad;
    char name[160];
};

static struct result run_with_threads(unsigned threads, bool equal, bool holes, size_t least)
{
    struct result result = {0};
    struct meter meter = {0};
    accd_context_config config;
    init_config(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = &meter;
    config.threads = threads;
    config.group_least = least;
    config.rules = accd_find_rules("openacc-3.3");
    config.device_bytes = (uint64_t)64 << 20;
    accd_context *context = NULL;
    accd_region *region;
    must(accd_context_new(&context, &config) == ACCD_OK, "open");
    accd_program *program = leaf_program(context);
    build_thread_data(equal, holes);
    accd_item item = walked(ACCD_ACTION_COPY, Y, M * sizeof *Y, program, array(context, "Y", sizeof *Y, program));
    must(REGION(context, &region, item) == ACCD_OK, "enter");
    accd_item update = item;
    update.action = ACCD_ACTION_UPDATE_DEVICE;
    for (size_t i = 0; i < 16 * M; i += 3)
        values[i] += 0.25f;
    must(UPDATE(context, update) == ACCD_OK, "update");
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    result.moved[0] = stats.moved_bytes[0];
    for (size_t i = 0; i < M; i += 7) { /* the device's own view of some */
        struct leaf leaf = {0};
        float row[5] = {0};
        must(device_get(context, &Y[i], &leaf, sizeof leaf), "read");
        must(!Y[i].n || accd_device_read(context, 0, (uintptr_t)leaf.b, row, 4 * (size_t)Y[i].n) == ACCD_OK,
             "follow Y[%zu].b", i);
        result.content = mix_bytes(mix_bytes(result.content, &leaf.n, 4), row, sizeof row);
        row[0] = -1;
        must(!Y[i].n || device_put(context, Y[i].b, row, 4), "write");
    }
    const char *wrong = accd__check_invariants(context);
    must(!wrong, "%s", wrong);
    struct story state = {0};
    write_state(context, &state);
    result.entered = mix_bytes(0, state.text, state.used);
    story_free(&state);
    result.objects = stats.objects;
    result.attachments = stats.attachments;
    must(accd_region_end(region) == ACCD_OK, "end");
    accd_get_stats(context, 0, &stats);
    result.moved[1] = stats.moved_bytes[1];
    must(!stats.objects && !stats.attachments && !stats.live_bytes, "nothing is left");
    result.host = mix_bytes(mix_bytes(0, Y, M * sizeof *Y), values, 16 * M * sizeof values[0]);
    /* once more, left pending: the group leaves as a whole */
    must(REGION(context, &region, item) == ACCD_OK, "enter again");
    must(accd_region_end(region) == ACCD_OK, "end again");
    result.host = mix_bytes(mix_bytes(result.host, Y, M * sizeof *Y), values, 16 * M * sizeof values[0]);
    /* the first of several faults is the one that is told */
    Y[8000].n = -4;
    Y[6000].n = -3;
    Y[8500].n = -2;
    result.bad = REGION(context, &region, item);
    snprintf(result.name, sizeof result.name, "%s", accd_context_error(context)->asked.name);
    accd_program_release(program);
    accd_context_free(context);
    must(!meter.live && !meter.wrong, "memory");
    return result;
}

int main(void)
{
    Y = calloc(M, sizeof *Y);
    values = calloc(16 * M, sizeof *values);
    for (int shape = 0; shape < 3; shape++) {
        struct result one = run_with_threads(1, shape == 0, shape == 2, 64),
                      two = run_with_threads(2, shape == 0, shape == 2, 64),
                      many = run_with_threads(5, shape == 0, shape == 2, 64);
        struct result single = shape ? one : run_with_threads(2, true, false, 1 << 30);
        const struct result *others[] = {&two, &many, &single};
        is_number(one.objects, one.attachments + 1, "one object for each pointer, and Y");
        ok(one.objects > M, "shape %d: %llu objects", shape, (unsigned long long)one.objects);
        is_status(one.bad, ACCD_ERROR_INVALID_SECTION, "a fault");
        is_text(one.name, "Y[6000].a", "the first one");
        for (size_t i = 0; i < 3; i++) {
            const struct result *x = others[i];
            ok(x->entered == one.entered, "shape %d, run %zu: the same state", shape, i);
            ok(x->content == one.content && x->host == one.host, "the same content");
            ok(x->objects == one.objects && x->attachments == one.attachments && x->moved[0] == one.moved[0] &&
                   x->moved[1] == one.moved[1],
               "the same figures");
            ok(x->bad == one.bad && !strcmp(x->name, one.name), "the same fault");
        }
    }
    free(Y);
    free(values);
    return done();
}
