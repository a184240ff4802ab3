/* older.c - a program that is compiled against the headers of an earlier commit (abi/headers) and runs with the present
 * library: a context of the core with events and a region, and a session with directives as text. */
#include <accdeep.h>

#include "../tap.h"

static void count_event(void *ud, const accd_event *event)
{
    int *counts = ud;
    counts[event->op]++;
}

/* Maps an array by constructs of the core, with a rule profile of which the program changes a knob. */
static void use_core(void)
{
    int counts[ACCD_OP_COUNT] = {0};
    accd_rules rules = *accd_find_rules("openacc-3.3");
    rules.name = "older";
    accd_context_config config;
    accd_context_config_init(&config);
    ok(config.struct_size == sizeof config && config.devices == 1, "a configuration of the older size has defaults");
    config.rules = &rules;
    config.on_event = count_event;
    config.event_ud = counts;
    accd_context *context = NULL;
    ok(accd_context_new(&context, &config) == ACCD_OK, "a context opens");
    int data[4] = {1, 2, 3, 4};
    const accd_label label = {.name = "data"};
    const accd_item item = {
        .host = data, .bytes = sizeof data, .action = ACCD_ACTION_COPY, .label = accd_label_intern(context, &label)};
    const accd_construct construct = {.kind = ACCD_KIND_REGION, .items = &item, .nitems = 1};
    accd_region *region = NULL;
    ok(accd_run_construct(context, &construct, &region) == ACCD_OK && region, "a region opens");
    ok(accd_get_presence(context, 0, data, sizeof data) == ACCD_PRESENCE_FULL, "its data are present");
    accd_present_object object;
    ok(accd_present_at(context, 0, (uintptr_t)data, 0, &object) == 1 && object.info.bytes == sizeof data,
       "they have their size");
    const int seven = 7;
    ok(accd_copy_to_device(context, 0, accd_device_address(context, 0, data), &seven, sizeof seven) == ACCD_OK,
       "the device copy changes");
    ok(accd_region_end(region) == ACCD_OK && data[0] == 7, "the end of the region copies it back");
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    ok(stats.objects == 0 && stats.allocations == 1, "statistics count the object");
    ok(counts[ACCD_OP_ALLOC] == 1 && counts[ACCD_OP_FREE] == 1, "events have the older numbers");
    ok(!strcmp(accd_get_rules(context)->name, "older"), "the context works by the changed profile");
    accd_context_free(context);
}

/* Deep copy by directives as text. */
static void use_session(void)
{
    struct {
        int n;
        float *a;
    } X = {2, (float[]){1, 2}};
    accd_session *session = NULL;
    ok(accd_session_new(&session, &(accd_session_config){.device = "direct"}) == ACCD_OK, "a session opens");
    ok(accd_declare(session, "struct deep { int n; float *a; };") == ACCD_OK, "a type is declared");
    ok(accd_bind(session, "X", "struct deep", &X) == ACCD_OK, "an object is bound");
    ok(accd_run_directive(session, "acc data copy(X, X.a[0:X.n])") == ACCD_OK, "a directive is executed");
    float *device = accd_deviceptr(session, X.a);
    ok(device && device[1] == 2, "its data are on the device");
    device[1] = 3;
    ok(accd_run_directive(session, "acc end data") == ACCD_OK && X.a[1] == 3, "they are copied back");
    ok(accd_run_directive(session, "acc data present(Y)") == ACCD_ERROR_INVALID &&
           !strcmp(accd_last_error(session)->code, "unknown-name"),
       "an error has its code");
    ok(accd_session_free(session) == ACCD_OK, "the session ends");
}

int main(void)
{
    use_core();
    use_session();
    return done();
}
