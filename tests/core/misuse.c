/* Calls that are given nothing, or what there is not: a status and a sentence, and nothing has changed. */
#include "accdeep_internal.h"
#include "support.h"

#include <limits.h>

static char bytes[64], other[64];

/* ACCD_ERROR_MISUSE with a sentence of its own. */
#define misused(context, call, ...)                                                                  \
    do {                                                                                             \
        fails(context, ACCD_ERROR_MISUSE, call, __VA_ARGS__);                                        \
        must(strlen(accd_context_error(context)->message) > 10, "a sentence: %s", __VA_ARGS__);      \
        must(!strcmp(accd_context_error(context)->rule, "HOUSE-misuse"), "a rule: %s", __VA_ARGS__); \
    } while (0)

/* ------------------------------------------------------------------------------- no context -- */

static int no_call(void *ud, accd_host_call call)
{
    (void)ud, (void)call;
    return 0;
}
static void no_tuple(void *ud, const accd_tuple *tuple)
{
    (void)ud, (void)tuple;
}

static void without_context(void)
{
    const accd_construct construct = {.kind = ACCD_KIND_ENTER_DATA};
    accd_item item = {0};
    accd_program *program = NULL;
    accd_kernel_result end;
    const accd_kernel kernel = {0};
    unsigned queue;
    uint64_t number = 0, more = 0;
    int64_t out;
    int finished;
    accd_present_object present;
    accd_object_info info;
    accd_attachment attachment;
    accd_level level;
    accd_clause clause;
    accd_host_range range;
    accd_queue_info queue_info;
    const accd_status statuses[] = {
        accd_run_construct(NULL, &construct, NULL),
        accd_region_end(NULL),
        accd_program_new(NULL, &(accd_program_spec){.stride = 1}, &program),
        accd_evaluate(NULL, NULL, 0, 0, NULL, &out),
        accd_item_set_section(NULL, &item, 0, 0, 0, 1),
        accd_bounds_new(NULL, &item, NULL),
        accd_queue_get(NULL, 0, 1, &queue),
        accd_queue_wait(NULL, 0, 0),
        accd_queue_wait_for(NULL, 0, 1, 0, 1),
        accd_queue_test(NULL, 0, 0, &finished),
        accd_queue_call(NULL, 0, 0, no_call, NULL),
        accd_launch_function(NULL, NULL, 0, no_call, NULL),
        accd_launch_kernel(NULL, NULL, 0, &kernel, no_call, NULL, &end),
        accd_map_data(NULL, 0, bytes, 1, 1, NULL),
        accd_unmap_data(NULL, 0, bytes),
        accd_device_alloc(NULL, 0, 1, &number),
        accd_device_free(NULL, 0, 1),
        accd_copy_to_device(NULL, 0, 1, bytes, 1),
        accd_copy_from_device(NULL, 0, bytes, 1, 1),
        accd_copy_within_device(NULL, 0, 1, 2, 1),
        accd_copy_async(NULL, 0, 0, ACCD_DIRECTION_TO_DEVICE, 1, 2, 1, NULL, 0),
        accd_attach_descriptor(NULL, 0, bytes, NULL, 0, 0, NULL, 0),
        accd_detach_descriptor(NULL, 0, bytes, 0, NULL, 0),
        accd_for_each_tuple(NULL, 0, 0, ACCD_LIST_ORIGINAL, no_tuple, NULL),
        accd_host_register(NULL, bytes, 1, NULL),
        accd_device_read(NULL, 0, 1, bytes, 1),
        accd_device_write(NULL, 0, 1, bytes, 1),
        accd_run_kernel(NULL, 0, &kernel, &end),
        accd_journal_begin(NULL, 0),
        accd_context_new(NULL, NULL),
        accd_device_get_info(NULL, 0, NULL),
    };
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        must(statuses[i] == ACCD_ERROR_MISUSE, "call %zu without a context: %s", i, accd_status_code(statuses[i]));
    accd_context_set_event_handler(NULL, NULL, NULL);
    accd_report_wait(NULL, 0, 0, 0, 0, NULL, 0);
    accd_context_config_init(NULL);
    accd_host_set_state(NULL, bytes, 0);
    accd_journal_end(NULL, 0, 0);
    accd__inject_allocation_failure(NULL, 0, 1);
    accd__inject_copy_failure(NULL, 0, 1);
    accd_region_abandon(NULL);
    accd_program_release(NULL);
    accd_context_free(NULL);
    char name[8] = "x";
    accd_format_name_at(NULL, 0, 1, name, sizeof name);
    is_text(name, "", "a name of nothing");
    const long long nothings[] = {
        accd_get_rules(NULL) != NULL,
        accd_device_count(NULL),
        accd_label_intern(NULL, &(accd_label){.name = "a"}) != NULL,
        accd_program_retain(NULL) != NULL,
        accd_queue_get_info(NULL, 0, 1, &queue_info),
        accd_descriptor_bytes(NULL, bytes),
        (long long)accd_get_presence(NULL, 0, bytes, 1),
        (long long)accd_device_address(NULL, 0, bytes),
        (long long)accd_host_address(NULL, 0, 1),
        accd_present_at(NULL, 0, 1, 0, &present),
        accd_present_next(NULL, 0, &number, &present),
        accd_present_bounds(NULL, 0, bytes, &number, &more),
        accd_present_overlapping(NULL, 0, &number, 9, &number, &more),
        accd_attachment_at(NULL, 0, bytes, &attachment),
        accd_attachment_next(NULL, 0, &number, &attachment),
        accd_level_get(NULL, 0, 0, &level),
        accd_level_get_clause(NULL, 0, 0, 0, &clause),
        accd_host_at(NULL, bytes, &range),
        accd_host_bounds(NULL, bytes, &number, &more),
        accd_device_bounds(NULL, 0, 1, &number, &more),
        accd_device_address_space(NULL, 0, &number, &more),
        accd_attached_range(NULL, 0, bytes, 1, &number, &more),
        accd_get_kernel_compiler(NULL, 0, name, sizeof name),
        accd_device_is_allocated(NULL, 0, 1, 1),
        accd__excluded_at(NULL, 0, 1, &info),
        accd_find_rules(NULL) != NULL,
        accd_find_backend(NULL) != NULL,
    };
    for (size_t i = 0; i < sizeof nothings / sizeof nothings[0]; i++)
        must(!nothings[i], "question %zu without a context", i);
    is_number(accd_device_count_written(NULL, 0, 1, 1), -1, "nobody knows what was written");
    is_number(accd_device_at(NULL, 1), -1, "no device");
    is_number(accd_region_device(NULL), -1, "of no region");
    is_number((long long)accd_region_addresses(NULL, &(uint64_t){0}, 1), 0, "nor its addresses");
    ok(accd_context_error(NULL)->status == ACCD_ERROR_MISUSE && *accd_context_error(NULL)->message,
       "the error of no context");
    ok(accd__check_invariants(NULL) != NULL, "no context is not sound");
}

/* ---------------------------------------------------------------------------- null arguments -- */

static void null_arguments(accd_context *context)
{
    accd_region *region = NULL;
    uint64_t number = 0, dev = accd_device_address(context, 0, bytes);
    char name[2] = "x";
    misused(context, accd_run_construct(context, NULL, NULL), "no construct");
    misused(context, accd_run_construct(context, &(accd_construct){.kind = ACCD_KIND_ENTER_DATA, .nitems = 2}, NULL),
            "no items");
    misused(context, accd_run_construct(context, &(accd_construct){.kind = ACCD_KIND_REGION}, NULL),
            "no place for a region");
    misused(context,
            ENTER(context, (accd_item){.host = other, .bytes = 8, .ndims = 1, .run = 8, .action = ACCD_ACTION_COPYIN}),
            "no dimensions");
    misused(context, accd_program_new(context, NULL, NULL), "no program");
    misused(context, accd_program_new(context, &(accd_program_spec){.stride = 8, .npieces = 1}, NULL),
            "no place for a program");
    misused(context, accd_evaluate(context, NULL, 1, 1, NULL, NULL), "no code");
    misused(context, accd_item_set_section(context, NULL, 0, 0, 0, 1), "no item");
    misused(context, accd_queue_get(context, 0, 1, NULL), "no place for a queue");
    misused(context, accd_queue_test(context, 0, 0, NULL), "no place for an answer");
    misused(context, accd_queue_call(context, 0, 0, NULL, NULL), "no function");
    misused(context, accd_device_alloc(context, 0, 8, NULL), "no place for an address");
    misused(context, accd_copy_to_device(context, 0, dev, NULL, 8), "from nowhere");
    misused(context, accd_copy_from_device(context, 0, NULL, dev, 8), "to nowhere");
    misused(context, accd_device_read(context, 0, dev, NULL, 8), "to nowhere");
    misused(context, accd_device_write(context, 0, dev, NULL, 8), "from nowhere");
    misused(context, accd_for_each_tuple(context, 0, -1, ACCD_LIST_BASE_LEVEL, NULL, NULL), "no function");
    misused(context, accd_run_kernel(context, 0, NULL, NULL), "no kernel");
    misused(context, accd_detach_descriptor(context, 0, NULL, 0, NULL, 0), "no descriptor");
    ok(!accd_label_intern(context, NULL) && accd_context_error(context)->status == ACCD_ERROR_MISUSE, "no label");
    ok(!accd_present_at(context, 0, (uintptr_t)bytes, 0, NULL) && !accd_present_next(context, 0, NULL, NULL) &&
           !accd_present_next(context, 0, &number, NULL) && !accd_present_bounds(context, 0, bytes, NULL, NULL) &&
           !accd_present_overlapping(context, 0, NULL, 9, NULL, NULL) && !accd_attachment_at(context, 0, bytes, NULL) &&
           !accd_attachment_next(context, 0, NULL, NULL) && !accd_level_get(context, 0, 0, NULL) &&
           !accd_level_get_clause(context, 0, 0, 0, NULL) && !accd_device_bounds(context, 0, dev, NULL, NULL) &&
           !accd_device_address_space(context, 0, NULL, NULL) &&
           !accd_attached_range(context, 0, bytes, dev, NULL, NULL) && !accd__excluded_at(context, 0, dev, NULL) &&
           !accd_host_at(context, bytes, NULL) && !accd_host_bounds(context, bytes, NULL, NULL) &&
           !accd_queue_get_info(context, 0, 1, NULL) && !accd_get_kernel_compiler(context, 0, NULL, 0) &&
           !accd_descriptor_bytes(context, NULL),
       "no places for answers");
    accd_get_stats(context, 0, NULL);
    accd_format_name_at(context, 0, dev, NULL, 0);
    accd_format_name_at(context, 0, dev, name, 0);
    is_text(name, "x", "a name without room is not written");
    is_status(REGION(context, &region, PLAIN(ACCD_ACTION_PRESENT, bytes)), ACCD_OK, "a region");
    misused(context, accd_launch_function(region, NULL, 0, NULL, NULL), "no kernel");
    misused(context, accd_launch_function(region, NULL, 1, no_call, NULL), "no addresses");
    misused(context, accd_launch_kernel(region, NULL, 0, NULL, no_call, NULL, NULL), "no text");
    is_status(accd_region_end(region), ACCD_OK, "its end");
}

/* ------------------------------------------------------------------------------- enumerators -- */

static accd_status program_with(accd_context *context, accd_piece piece, accd_field field)
{
    accd_program *program = NULL;
    field.code_end = field.unit ? 1 : 0;
    accd_status status = accd_program_new(context,
                                          &(accd_program_spec){.stride = 16,
                                                               .pieces = &piece,
                                                               .npieces = 1,
                                                               .fields = &field,
                                                               .nfields = field.unit != 0,
                                                               .code = &(accd_instruction){.op = ACCD_I_CONST, .k = 1},
                                                               .ncode = 1,
                                                               .registers = 1},
                                          &program);
    accd_program_release(program);
    return status;
}

static void enumerators(accd_context *context)
{
    uint64_t dev = accd_device_address(context, 0, bytes);
    const accd_piece piece = {.bytes = 8};
    misused(context, accd_run_construct(context, &(accd_construct){.kind = (accd_construct_kind)7}, NULL),
            "kind of construct");
    misused(context, ENTER(context, BYTES(200, other, 8)), "action of an item");
    misused(context, accd_copy_async(context, 0, 0, (accd_direction)1000000, dev, (uintptr_t)bytes, 8, NULL, 0),
            "way of a copy");
    misused(context, accd_for_each_tuple(context, 0, 0, (accd_tuple_list)9, no_tuple, NULL), "list of tuples");
    misused(context, accd_queue_get(context, 0, ACCD_SYNCHRONOUS, &(unsigned){0}), "no async value");
    misused(context, program_with(context, (accd_piece){.bytes = 8, .action = 200}, (accd_field){0}),
            "action of a piece");
    misused(context, program_with(context, piece, (accd_field){.offset = 8, .unit = 4, .start = -1, .action = 13}),
            "action of a field");
    misused(context, program_with(context, piece, (accd_field){.offset = 8, .unit = 4, .start = -9}),
            "register of a field");
    misused(
        context,
        program_with(context, piece, (accd_field){.offset = 8, .unit = 4, .start = -1, .flags = ACCD_ITEM_IF_PRESENT}),
        "flags of a field");
    int64_t out[2];
    const int64_t params[1] = {0};
    const accd_instruction wrong[] = {
        {.op = ACCD_I_COUNT},          {.op = ACCD_I_CONST, .to = 9}, {.op = ACCD_I_ADD, .a = 7},
        {.op = ACCD_I_LOAD},           {.op = ACCD_I_SELF},           {.op = ACCD_I_INHERIT},
        {.op = ACCD_I_PARAM, .k = -1}, {.op = ACCD_I_DISTANCE},       {.op = ACCD_I_CAST, .b = 99},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        misused(context, accd_evaluate(context, &wrong[i], 1, 2, params, out), "code");
    misused(context, accd_evaluate(context, &(accd_instruction){.op = ACCD_I_PARAM}, 1, 2, NULL, out),
            "code without parameters");
    misused(context, accd_evaluate(context, NULL, 0, 65, NULL, out), "registers");
    const accd_array array = {.rank = 16};
    ok(!accd_label_intern(context, &(accd_label){.name = "a", .array = &array}), "rank of a label");
}

static accd_status open_so(void (*change)(accd_context_config *, accd_rules *))
{
    accd_context *context = NULL;
    accd_context_config config;
    accd_rules rules = *accd_find_rules("tr14");
    accd_context_config_init(&config);
    config.rules = &rules;
    change(&config, &rules);
    accd_status status = accd_context_new(&context, &config);
    accd_context_free(context);
    return status;
}
static void many_devices(accd_context_config *config, accd_rules *rules)
{
    (void)rules;
    config->devices = ACCD_MAX_DEVICES + 1;
}
static void all_devices(accd_context_config *config, accd_rules *rules)
{
    (void)rules;
    config->devices = UINT_MAX;
}
static void many_threads(accd_context_config *config, accd_rules *rules)
{
    (void)rules;
    config->threads = UINT_MAX;
}
static void no_layout(accd_context_config *config, accd_rules *rules)
{
    (void)rules;
    config->descriptors = (accd_descriptor_layout)9;
}
static void no_mode(accd_context_config *config, accd_rules *rules)
{
    (void)rules;
    config->queues = (accd_queue_mode)9;
}
static void no_choice(accd_context_config *config, accd_rules *rules)
{
    (void)config;
    rules->exit_absent = (accd_choice)2;
}
static void huge(accd_context_config *config, accd_rules *rules)
{
    (void)rules;
    config->device_bytes = ((uint64_t)1 << 63) + ((uint64_t)1 << 20);
}

static void configurations(void)
{
    is_status(open_so(many_devices), ACCD_ERROR_MISUSE, "one device too many");
    is_status(open_so(all_devices), ACCD_ERROR_MISUSE, "as many devices as a number can say");
    is_status(open_so(many_threads), ACCD_ERROR_MISUSE, "too many threads");
    is_status(open_so(no_layout), ACCD_ERROR_MISUSE, "no such layout of descriptors");
    is_status(open_so(no_mode), ACCD_ERROR_MISUSE, "no such mode of queues");
    is_status(open_so(no_choice), ACCD_ERROR_MISUSE, "rules that choose nothing");
    is_status(open_so(huge), ACCD_ERROR_OUT_OF_MEMORY, "a device larger than all addresses");
}

/* ------------------------------------------------------------------------------------- sizes -- */

static void sizes(accd_context *context)
{
    void *last = (void *)UINTPTR_MAX;
    uint64_t dev = 0;
    is_status(accd_device_alloc(context, 0, 64, &dev), ACCD_OK, "device memory");
    fails(context, ACCD_ERROR_INVALID_SECTION, accd_map_data(context, 0, (char *)last - 8, dev, 64, NULL),
          "host memory behind the last address");
    misused(context, accd_host_register(context, bytes, UINT64_MAX, NULL), "known memory behind the last address");
    misused(context, accd_host_register(context, last, 0, NULL), "known memory at the last address");
    is_status(accd_device_free(context, 0, dev), ACCD_OK, "freed");
}

/* Every address may be a base, the last one, too. */
static void last_base(void)
{
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, "directory", 1);
    accd_item item = PLAIN(ACCD_ACTION_COPYIN, bytes), more = PLAIN(ACCD_ACTION_COPYIN, other);
    item.base = more.base = (const void *)UINTPTR_MAX;
    is_status(ENTER(context, item), ACCD_OK, "data of the last base");
    is_sound(context);
    item.base = (const void *)(UINTPTR_MAX - 1);
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, bytes, sizeof bytes)), ACCD_OK, "their end");
    is_status(ENTER(context, item), ACCD_OK, "data of the base before");
    is_sound(context);
    accd_context_free(context);
    is_number(meter.live, 0, "nothing leaks");
}

int main(void)
{
    struct meter meter = {0};
    without_context();
    accd_context *context = open_with(&meter, NULL, NULL, 1);
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, bytes)), ACCD_OK, "data");
    null_arguments(context);
    enumerators(context);
    sizes(context);
    is_sound(context);
    accd_context_free(context);
    is_number(meter.live, 0, "nothing leaks");
    configurations();
    last_base();
    return done();
}
