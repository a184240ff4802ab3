/* Host memory made known, and what constructs call: functions for bounds and listeners. */
#include "support.h"

/* Host memory made known: what is freed meanwhile is neither read nor written. */
static void known_memory(size_t least)
{
    static double data[3][4];
    struct meter meter = {0};
    accd_context_config config;
    init_config(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = &meter;
    config.group_least = least;
    config.device_bytes = 1 << 20;
    config.check_host = 1;
    accd_context *context = NULL;
    accd_context_new(&context, &config);
    accd_program *program = bounds_program(context);
    struct bounds X[3] = {{4, 0, data[0]}, {3, 1, data[1]}, {0, 0, NULL}};
    accd_item item = walked(ACCD_ACTION_COPY, X, sizeof X, program, array(context, "X", sizeof X[0], program));
    accd_region *region;
    accd_host_register(context, X, sizeof X, array(context, "X", sizeof X[0], NULL));
    accd_host_register(context, data[0], sizeof data[0], array(context, "zero", 8, NULL));
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, REGION(context, &region, item), "X[1].p is not known");
    is_text(accd_context_error(context)->asked.name, "X[1].p", "it is named, groups from %zu", least);
    accd_host_register(context, data[1], sizeof data[1], array(context, "one", 8, NULL));
    X[1].n = 4;
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, REGION(context, &region, item), "X[1].p[1:4] is too long");
    is_text(accd_context_error(context)->other.name, "one[0:4]", "its array is named");
    X[1].n = 3;
    double *const parts[] = {data[1], data[0], (double *)X};
    for (int i = 0; i < 3; i++) {
        is_status(REGION(context, &region, item), ACCD_OK, "all is known");
        accd_host_set_state(context, parts[i], 0);
        fails(context, ACCD_ERROR_OUT_OF_BOUNDS, accd_region_end(region), "part %d is freed", i);
        item.action = ACCD_ACTION_UPDATE_SELF;
        fails(context, ACCD_ERROR_OUT_OF_BOUNDS, UPDATE(context, item), "update");
        item.action = ACCD_ACTION_COPYOUT;
        fails(context, ACCD_ERROR_OUT_OF_BOUNDS, EXIT(context, item), "exit");
        item.action = ACCD_ACTION_COPY;
        accd_item pointer = {.slot = &X[0].p, .action = ACCD_ACTION_ATTACH};
        if (i == 2)
            fails(context, ACCD_ERROR_OUT_OF_BOUNDS, ENTER(context, pointer), "attach a freed pointer");
        accd_host_set_state(context, parts[i], 1);
        is_status(accd_region_end(region), ACCD_OK, "live again");
        is_status(REGION(context, &region, item), ACCD_OK, "once more");
        accd_host_set_state(context, parts[i], 0);
        accd_region_abandon(region);
        accd_host_set_state(context, parts[i], 1);
        is_sound(context);
    }
    accd_program_release(program);
    accd_context_free(context);
    is_number(meter.live + meter.wrong, 0, "memory");
}

/* What a construct calls may look and compute, but not change anything. */
struct meddler {
    accd_context *context;
    accd_region *region;
    int calls, refused;
};

static char meddled[8];

static void meddle(struct meddler *m)
{
    accd_region *region = NULL;
    uint64_t dev = 0;
    int64_t out[1];
    m->calls += 9;
    m->refused += accd_region_abandon(m->region) == ACCD_ERROR_MISUSE;
    m->refused += ENTER(m->context, PLAIN(ACCD_ACTION_COPYIN, meddled)) == ACCD_ERROR_MISUSE;
    m->refused += REGION(m->context, &region, PLAIN(ACCD_ACTION_COPYIN, meddled)) == ACCD_ERROR_MISUSE;
    m->refused += UPDATE(m->context, PLAIN(ACCD_ACTION_UPDATE_SELF, meddled)) == ACCD_ERROR_MISUSE;
    m->refused += accd_device_alloc(m->context, 0, 8, &dev) == ACCD_ERROR_MISUSE;
    m->refused += accd_copy_to_device(m->context, 0, 8, meddled, 8) == ACCD_ERROR_MISUSE;
    m->refused += accd_map_data(m->context, 0, meddled, 8, 8, NULL) == ACCD_ERROR_MISUSE;
    m->refused += m->region ? accd_region_end(m->region) == ACCD_ERROR_MISUSE : 1;
    m->refused += accd_evaluate(m->context, CODE(CONSTANT(0, 5)), 1, 1, NULL, out) == ACCD_OK && out[0] == 5 &&
                  accd_get_presence(m->context, 0, meddled, 8) == ACCD_PRESENCE_NONE;
}

static int meddling_bound(void *ud, int fn, size_t n, int nargs, const int64_t *const *args, int64_t *out)
{
    (void)fn;
    (void)nargs;
    meddle(ud);
    for (size_t i = 0; i < n; i++)
        out[i] = args[0][i];
    return 0;
}

static void meddling_event(void *ud, const accd_event *event)
{
    (void)event;
    meddle(ud);
}

static void meddling(size_t least)
{
    static float a[3][4];
    struct leaf X[3] = {{2, a[0], a[1]}, {0, NULL, NULL}, {4, a[2], NULL}};
    struct meddler meddler = {0};
    struct meter meter = {0};
    accd_context_config config;
    init_config(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = &meter;
    config.group_least = least;
    config.device_bytes = 1 << 20;
    config.on_bound = meddling_bound;
    config.on_event = meddling_event;
    config.bound_ud = config.event_ud = &meddler;
    accd_context_new(&meddler.context, &config);
    accd_context *context = meddler.context;
    accd_field field = {.offset = offsetof(struct leaf, a),
                        .unit = 4,
                        .start = -1,
                        .count = 1,
                        .code_end = 2,
                        .label = member(context, "a", 4, NULL)};
    accd_program *program = program_of(
        context,
        &(accd_program_spec){.stride = sizeof X[0],
                             .fields = &field,
                             .nfields = 1,
                             .pieces = &(accd_piece){.bytes = sizeof X[0]},
                             .npieces = 1,
                             .registers = 2,
                             .ncode = 2,
                             .code = CODE(LOAD(0, ACCD_SCALAR_I32, 0), {.op = ACCD_I_CALL, .to = 1, .a = 0, .b = 1})});
    accd_item item = walked(ACCD_ACTION_COPY, X, sizeof X, program, NULL);
    is_status(REGION(context, &meddler.region, item), ACCD_OK, "enter, groups from %zu", least);
    item.action = ACCD_ACTION_UPDATE_SELF;
    is_status(UPDATE(context, item), ACCD_OK, "update");
    accd_region *region = meddler.region;
    is_status(accd_region_end(region), ACCD_OK, "end");
    ok(meddler.calls > 60 && meddler.calls == meddler.refused, "%d of %d refused", meddler.refused, meddler.calls);
    meddler.region = NULL;
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, meddled)), ACCD_OK, "afterwards all is well");
    is_sound(context);
    accd_program_release(program);
    accd_context_free(context);
    is_number(meter.live + meter.wrong, 0, "memory");
}

int main(void)
{
    for (size_t least = 1; least <= 1000; least += 999) {
        known_memory(least);
        meddling(least);
    }
    return done();
}
