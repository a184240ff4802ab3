/* Deep copy of structures through the core alone: programs, attachments, counters, groups. */
#include "accdeep_internal.h"
#include "support.h"

struct deep {
    int n;
    float *a, *b;
};

static accd_program *deep_program(accd_context *context)
{
    const accd_label *a = accd_label_intern(
        context, &(accd_label){.name = "a", .unit = 4, .flags = ACCD_LABEL_MEMBER | ACCD_LABEL_SECTION});
    const accd_label *b = accd_label_intern(
        context, &(accd_label){.name = "b", .unit = 4, .flags = ACCD_LABEL_MEMBER | ACCD_LABEL_SECTION});
    const accd_field fields[] = {
        {.offset = offsetof(struct deep, a), .unit = 4, .count = 0, .start = -1, .label = a, .code_end = 1},
        {.offset = offsetof(struct deep, b), .unit = 4, .count = 0, .start = -1, .label = b, .code_end = 1},
    };
    const accd_instruction code[] = {{.op = ACCD_I_LOAD, .to = 0, .b = ACCD_SCALAR_I32, .k = 0}};
    const accd_piece whole = {.offset = 0, .bytes = sizeof(struct deep)};
    accd_program *program = NULL;
    accd_status status = accd_program_new(context,
                                          &(accd_program_spec){
                                              .stride = sizeof(struct deep),
                                              .pieces = &whole,
                                              .npieces = 1,
                                              .fields = fields,
                                              .nfields = 2,
                                              .code = code,
                                              .ncode = 1,
                                              .registers = 1,
                                          },
                                          &program);
    ok(status == ACCD_OK, "a program is made");
    return program;
}

static void collect(void *ud, const accd_event *event)
{
    char *text = ud;
    snprintf(text + strlen(text), 4000 - strlen(text), "%s %s|", accd_op_name(event->op), event->name);
}

/* Bounds of a walk are compared: lengths, and the pointers they belong to. */
static void bounds(void)
{
    struct meter meter = {0};
    accd_context_config config;
    init_config(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = &meter;
    accd_context *context = NULL;
    ok(accd_context_new(&context, &config) == ACCD_OK, "open");
    accd_program *program = deep_program(context);
    const accd_label *label =
        accd_label_intern(context, &(accd_label){.name = "X", .unit = sizeof(struct deep), .layout = program});
    float a[3] = {1, 2, 3}, b[3] = {4, 5, 6}, other[3] = {0};
    struct deep X[2] = {{3, a, b}, {0, NULL, NULL}};
    accd_item item = {.host = X, .bytes = sizeof X, .label = label, .program = program};
    accd_bounds *then = NULL, *now = NULL;
    accd_bounds_change change = {"", ""};
    ok(accd_bounds_new(context, &item, &then) == ACCD_OK && then, "bounds");
    ok(accd_bounds_new(context, &item, &now) == ACCD_OK && !accd_bounds_changed(then, now, &change), "the same");
    accd_bounds_free(now);
    X[0].a = other;
    ok(accd_bounds_new(context, &item, &now) == ACCD_OK && !accd_bounds_changed(then, now, &change),
       "another pointer has bounds of its own");
    accd_bounds_free(now);
    X[0].n = 2;
    ok(accd_bounds_new(context, &item, &now) == ACCD_OK && accd_bounds_changed(then, now, &change), "a length");
    is_text(change.then, "X[0].b[0:3]", "which it was");
    is_text(change.now, "X[0].b[0:2]", "which it is");
    accd_bounds_free(now);
    X[0] = (struct deep){3, a, b};
    X[1] = (struct deep){1, other, other};
    ok(accd_bounds_new(context, &item, &now) == ACCD_OK && accd_bounds_changed(then, now, &change),
       "a section where there was none");
    is_text(change.now, "X[1].a[0:1]", "its name");
    accd_bounds_free(now);
    X[1].n = -1;
    ok(accd_bounds_new(context, &item, &now) == ACCD_ERROR_INVALID_SECTION && !now, "a section that is none");
    X[1].n = 1;
    for (size_t n = 1, done = 0; !done; n++) {
        size_t live = meter.live;
        meter.fail_at = n;
        accd_status status = accd_bounds_new(context, &item, &now);
        done = meter.fail_at != 0;
        meter.fail_at = 0;
        must(done ? status == ACCD_OK : status == ACCD_ERROR_OUT_OF_MEMORY && !now && meter.live >= live,
             "no memory, %zu", n);
    }
    accd_bounds_free(now);
    item.bytes = 0;
    ok(accd_bounds_new(context, &item, &now) == ACCD_OK && !now, "nothing is walked");
    ok(!accd_bounds_changed(then, now, &change) && !accd_bounds_changed(NULL, then, &change), "nothing to compare");
    accd_bounds_free(then);
    accd_bounds_free(NULL);
    ok(!accd__check_invariants(context), "the context is as it was");
    accd_program_release(program);
    accd_context_free(context);
    is_number(meter.live, 0, "memory is given back");
}

static void with_group_least(size_t least)
{
    accd_context_config config;
    init_config(&config);
    config.group_least = least;
    char events[4000] = "";
    config.on_event = collect;
    config.event_ud = events;
    accd_context *context = NULL;
    ok(accd_context_new(&context, &config) == ACCD_OK, "open, groups from %zu sections", least);
    accd_program *program = deep_program(context);
    const accd_label *label = accd_label_intern(
        context,
        &(accd_label){.name = "X", .unit = sizeof(struct deep), .flags = ACCD_LABEL_SECTION, .layout = program});
    float a0[3] = {1, 2, 3}, b0[3] = {4, 5, 6}, a1[2] = {7, 8}, b1[2] = {9, 10};
    struct deep X[2] = {{3, a0, b0}, {2, a1, b1}};
    accd_item item = {.host = X, .bytes = sizeof X, .label = label, .program = program, .action = ACCD_ACTION_COPY};
    accd_region *region = NULL;
    accd_status status = accd_run_construct(
        context, &(accd_construct){.kind = ACCD_KIND_REGION, .items = &item, .nitems = 1, .name = "data"}, &region);
    if (!ok(status == ACCD_OK, "copy in"))
        printf("# %s\n", accd_context_error(context)->message);
    is_text(events,
            "alloc X[0:2]|alloc X[0].a[0:3]|alloc X[0].b[0:3]|alloc X[1].a[0:2]|alloc X[1].b[0:2]|"
            "h2d X[0:2]|h2d X[0].a[0:3]|h2d X[0].b[0:3]|h2d X[1].a[0:2]|h2d X[1].b[0:2]|"
            "attach X[0].a|attach X[0].b|attach X[1].a|attach X[1].b|"
            "incref X[0:2]|incref X[0].a[0:3]|incref X[0].b[0:3]|incref X[1].a[0:2]|"
            "incref X[1].b[0:2]|",
            "events of the entry");
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    is_number(stats.objects, 5, "objects");
    is_number(stats.attachments, 4, "attachments");
    /* the device's own view: X[1].b[1] through the translated pointer */
    uint64_t devX = accd_device_address(context, 0, &X[1]);
    struct deep copy;
    ok(accd_device_read(context, 0, devX, &copy, sizeof copy) == ACCD_OK, "read X[1]");
    float value = 0;
    ok(accd_device_read(context, 0, (uint64_t)(uintptr_t)(copy.b + 1), &value, 4) == ACCD_OK && value == 10,
       "X[1].b[1] on the device");
    value = 77;
    ok(accd_device_write(context, 0, (uint64_t)(uintptr_t)(copy.b + 1), &value, 4) == ACCD_OK, "write");
    ok(b1[1] == 10, "the host does not see it yet");
    if (least > 1) {
        const char *wrong = accd__check_invariants(context);
        ok(!wrong, "invariants: %s", wrong ? wrong : "hold");
    }
    events[0] = 0;
    status = accd_region_end(region);
    if (!ok(status == ACCD_OK, "copy out"))
        printf("# %s\n", accd_context_error(context)->message);
#define BEFORE_MOVES                                                          \
    "detach X[0].a|detach X[0].b|detach X[1].a|detach X[1].b|"                \
    "decref X[0:2]|decref X[0].a[0:3]|decref X[0].b[0:3]|decref X[1].a[0:2]|" \
    "decref X[1].b[0:2]|"
#define BEHIND_MOVES "free X[0:2]|free X[0].a[0:3]|free X[0].b[0:3]|free X[1].a[0:2]|free X[1].b[0:2]|"
    is_text(events,
            least > 1 ? BEFORE_MOVES "d2h X[0]|d2h X[1]|d2h X[0].a[0:3]|d2h X[0].b[0:3]|d2h X[1].a[0:2]|"
                                     "d2h X[1].b[0:2]|" BEHIND_MOVES
                      : BEFORE_MOVES "d2h X[0]|d2h X[0].a[0:3]|d2h X[0].b[0:3]|d2h X[1]|d2h X[1].a[0:2]|"
                                     "d2h X[1].b[0:2]|" BEHIND_MOVES, /* a group moves element by element */
            "events of the exit");
    ok(b1[1] == 77, "the host sees it now");
    ok(X[0].a == a0 && X[1].b == b1, "host pointers are kept");
    accd_get_stats(context, 0, &stats);
    is_number(stats.objects + stats.attachments + stats.live_bytes, 0, "nothing is left");
    const char *wrong = accd__check_invariants(context);
    ok(!wrong, "invariants: %s", wrong ? wrong : "hold");
    accd_program_release(program);
    accd_context_free(context);
}

int main(void)
{
    with_group_least(1000);
    with_group_least(1);
    bounds();
    return done();
}
