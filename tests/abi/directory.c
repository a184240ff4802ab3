/* The calls of accdeep_directory.h: what each clause moves, calls out of order, several devices,
 * environments that do not nest, fusion, and failures, which change nothing. */
#include "accdeep_internal.h"
#include "../core/support.h"

#include <limits.h>

#include <accdeep_directory.h>

static accd_stacks *open_stacks(struct meter *meter, struct story *story)
{
    accd_context_config config;
    accd_context_config_init(&config);
    config.alloc = meter ? meter_alloc : NULL;
    config.alloc_ud = meter;
    config.devices = 2;
    config.device_bytes = 1 << 20;
    config.threads = 1;
    if (story) {
        story_clear(story);
        config.on_event = tell_story;
        config.event_ud = story;
    }
    accd_stacks *stacks = NULL;
    if (accd_stacks_new(&stacks, &config) != ACCD_OK) {
        printf("Bail out! no stacks\n");
        exit(1);
    }
    return stacks;
}

/* The call fails with the status and says why, and nothing at all has changed. */
#define refused(stacks, wanted, call, ...)                                                                       \
    do {                                                                                                         \
        uint64_t before_ = accd__state_digest(accd_stacks_context(stacks));                                      \
        accd_status got_ = (call);                                                                               \
        const accd_error *error_ = accd_stacks_error(stacks);                                                    \
        is_status(got_, wanted, __VA_ARGS__);                                                                    \
        must(error_->status == got_ && error_->message[0] && *error_->rule, "it says why: %s", error_->message); \
        must(accd__state_digest(accd_stacks_context(stacks)) == before_, "nothing changed");                     \
    } while (0)
#define fine(stacks, call) must((call) == ACCD_OK, "%s: %s", #call, accd_stacks_error(stacks)->message)

typedef accd_status clause_fn(accd_stacks *stacks, const void *base, int64_t first, int64_t length, uint64_t size);

static const struct clause {
    clause_fn *fn;
    const char *name;
    bool sends, fetches, joins; /* absent data; joins: data of which a part is present */
} clauses[] = {
    {accd_stacks_pragma_copy, "copy", true, true, false},
    {accd_stacks_pragma_copyin, "copyin", true, false, false},
    {accd_stacks_pragma_copyout, "copyout", false, true, false},
    {accd_stacks_pragma_create, "create", false, false, false},
    {accd_stacks_pragma_pcopy, "pcopy", true, true, false},
    {accd_stacks_pragma_pcopyin, "pcopyin", true, false, false},
    {accd_stacks_pragma_pcopyout, "pcopyout", false, true, false},
    {accd_stacks_pragma_pcreate, "pcreate", false, false, false},
    {accd_stacks_pragma_present_and_copyin, "present_and_copyin", true, false, true},
    {accd_stacks_pragma_update_and_copy, "update_and_copy", true, false, true},
};
enum { CLAUSES = sizeof clauses / sizeof clauses[0] };

static void open_one(accd_stacks *stacks, int device, clause_fn *fn, const int *base, int64_t first, int64_t length)
{
    fine(stacks, accd_stacks_new_dataE(stacks, device));
    fine(stacks, accd_stacks_read_pragma(stacks));
    fine(stacks, fn(stacks, base, first, length, sizeof *base));
    fine(stacks, accd_stacks_write_pragma(stacks));
}

static accd_status non_nested(accd_stacks *stacks, bool begins, clause_fn *fn, const int *base, int64_t first,
                              int64_t length)
{
    fine(stacks, (begins ? accd_stacks_begin_data : accd_stacks_end_data)(stacks, 0));
    fine(stacks, accd_stacks_read_pragma(stacks));
    fine(stacks, fn(stacks, base, first, length, sizeof *base));
    accd_status status = accd_stacks_write_pragma(stacks);
    if (status != ACCD_OK)
        accd_stacks_drop_pragma(stacks);
    return status;
}

/* -1: the device has none. */
static int device_int(accd_stacks *stacks, int device, const int *host)
{
    uint64_t address;
    int value = -1;
    if (accd_stacks_device_address(stacks, device, host, &address) == ACCD_OK)
        must(accd_device_read(accd_stacks_context(stacks), device, address, &value, sizeof value) == ACCD_OK,
             "a kernel can read it");
    return value;
}

static void kernel_sets(accd_stacks *stacks, int device, const int *host, int value)
{
    uint64_t address = 0;
    fine(stacks, accd_stacks_device_address(stacks, device, host, &address));
    must(accd_device_write(accd_stacks_context(stacks), device, address, &value, sizeof value) == ACCD_OK,
         "a kernel can write it");
}

static uint64_t live_bytes(accd_stacks *stacks, int device)
{
    accd_stats stats;
    accd_get_stats(accd_stacks_context(stacks), device, &stats);
    return stats.live_bytes;
}

static uint64_t transfers(accd_stacks *stacks, int device)
{
    accd_stats stats;
    accd_get_stats(accd_stacks_context(stacks), device, &stats);
    return stats.transfers[0] + stats.transfers[1] + stats.transfers[2];
}

/* ------------------------------------------------------------------------------- clauses -- */

static void absent_data(accd_stacks *stacks)
{
    for (int i = 0; i < CLAUSES; i++) {
        const struct clause *clause = &clauses[i];
        int data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        accd_stats stats, before;
        accd_get_stats(accd_stacks_context(stacks), 0, &before);
        open_one(stacks, 0, clause->fn, data, 2, 4);
        accd_get_stats(accd_stacks_context(stacks), 0, &stats);
        is_number(stats.live_bytes, 16, "%s allocates its elements, no others", clause->name);
        is_number(stats.moved_bytes[0] - before.moved_bytes[0], clause->sends ? 16 : 0, "%s sends what it says",
                  clause->name);
        if (clause->sends)
            is_number(device_int(stacks, 0, &data[2]), 2, "from the first element on");
        for (int k = 2; k < 6; k++)
            kernel_sets(stacks, 0, &data[k], 10 + k);
        fine(stacks, accd_stacks_end_dataE(stacks, 0));
        ok(data[2] == (clause->fetches ? 12 : 2) && data[5] == (clause->fetches ? 15 : 5) && data[1] == 1 &&
               data[6] == 6,
           "%s fetches what it says", clause->name);
        is_number(live_bytes(stacks, 0), 0, "nothing stays");
    }
    is_sound(accd_stacks_context(stacks));
}

static void present_data(accd_stacks *stacks)
{
    int data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    open_one(stacks, 0, accd_stacks_pragma_copyin, data, 0, 8);
    uint64_t live = live_bytes(stacks, 0), moves = transfers(stacks, 0);
    for (int i = 0; i <= CLAUSES; i++) {
        clause_fn *fn = i < CLAUSES ? clauses[i].fn : accd_stacks_pragma_present;
        if (fn == accd_stacks_pragma_update_and_copy) /* sends them again */
            continue;
        data[2] = 100;
        open_one(stacks, 0, fn, data, 2, 4);
        is_number(device_int(stacks, 0, &data[2]), 2, "%s finds the data of the device",
                  i < CLAUSES ? clauses[i].name : "present");
        fine(stacks, accd_stacks_end_dataE(stacks, 0));
        is_number(data[2], 100, "and leaves those of the host");
    }
    is_number(live_bytes(stacks, 0), live, "nothing was allocated");
    is_number(transfers(stacks, 0), moves, "nor moved");
    open_one(stacks, 0, accd_stacks_pragma_update_and_copy, data, 2, 4);
    is_number(device_int(stacks, 0, &data[2]), 100, "update_and_copy sends data that are present");
    fine(stacks, accd_stacks_end_dataE(stacks, 0));
    fine(stacks, accd_stacks_end_dataE(stacks, 0));
    is_sound(accd_stacks_context(stacks));
}

/* A clause that is refused: by its call, or when the directive is written. */
static void bad_clauses(accd_stacks *stacks)
{
    int data[8] = {0}, other[2] = {0};
    fine(stacks, accd_stacks_new_dataE(stacks, 0));
    fine(stacks, accd_stacks_read_pragma(stacks));
    fine(stacks, accd_stacks_pragma_create(stacks, other, 0, 2, sizeof *other));
    for (int i = 0; i <= CLAUSES; i++) {
        clause_fn *fn = i < CLAUSES ? clauses[i].fn : accd_stacks_pragma_present;
        refused(stacks, ACCD_ERROR_INVALID_SECTION, fn(stacks, data, 0, -1, 4), "a negative length");
        refused(stacks, ACCD_ERROR_INVALID_SECTION, fn(stacks, data, 0, 2, 0), "elements of no bytes");
        refused(stacks, ACCD_ERROR_INVALID_SECTION, fn(stacks, data, INT64_MAX, 2, 8), "far away");
        refused(stacks, ACCD_ERROR_INVALID_SECTION, fn(stacks, data, 0, INT64_MAX, 8), "too many");
        refused(stacks, ACCD_ERROR_NULL_POINTER, fn(stacks, NULL, 3, 2, 4), "a null base");
    }
    fine(stacks, accd_stacks_pragma_copyin(stacks, NULL, 0, 0, 4));
    fine(stacks, accd_stacks_write_pragma(stacks));
    is_number(live_bytes(stacks, 0), 8, "the others are as they were; none without elements");
    fine(stacks, accd_stacks_end_dataE(stacks, 0));

    open_one(stacks, 0, accd_stacks_pragma_create, data, 2, 4);
    static const struct {
        clause_fn *fn;
        int first, length;
        accd_status status;
    } cases[] = {
        {accd_stacks_pragma_copy, 0, 4, ACCD_ERROR_PARTIAL_OVERLAP},
        {accd_stacks_pragma_pcopyin, 4, 4, ACCD_ERROR_PARTIAL_OVERLAP},
        {accd_stacks_pragma_create, 0, 8, ACCD_ERROR_PARTIAL_OVERLAP},
        {accd_stacks_pragma_present, 0, 4, ACCD_ERROR_PARTIALLY_PRESENT},
        {accd_stacks_pragma_present, 0, 2, ACCD_ERROR_NOT_PRESENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fine(stacks, accd_stacks_new_dataE(stacks, 0));
        fine(stacks, accd_stacks_read_pragma(stacks));
        fine(stacks, accd_stacks_pragma_create(stacks, other, 0, 2, sizeof *other));
        fine(stacks, cases[i].fn(stacks, data, cases[i].first, cases[i].length, sizeof *data));
        refused(stacks, cases[i].status, accd_stacks_write_pragma(stacks), "data of which a part is there");
        is_number(accd_stacks_error(stacks)->item, 1, "by the second clause");
        accd_stacks_drop_pragma(stacks);
    }
    fine(stacks, accd_stacks_new_dataE(stacks, 0));
    fine(stacks, accd_stacks_read_pragma(stacks));
    fine(stacks, accd_stacks_pragma_create(stacks, other, 0, 2, 4));
    fine(stacks, accd_stacks_pragma_create(stacks, other, 1, 2, 4));
    refused(stacks, ACCD_ERROR_PARTIAL_OVERLAP, accd_stacks_write_pragma(stacks), "two clauses that overlap");
    accd_stacks_drop_pragma(stacks);
    fine(stacks, accd_stacks_end_dataE(stacks, 0));
    is_sound(accd_stacks_context(stacks));
}

/* --------------------------------------------------------------------------------- order -- */

/* Everything that may not come where the handle is now. A directive goes on as if nothing had been.
 */
static void refuse_all(accd_stacks *stacks, bool begun, bool reading)
{
    int data[2] = {0};
    uint64_t address;
    if (!reading) {
        for (int i = 0; i < CLAUSES; i++)
            refused(stacks, ACCD_ERROR_MISUSE, clauses[i].fn(stacks, data, 0, 2, 4), "%s outside", clauses[i].name);
        refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_pragma_present(stacks, data, 0, 2, 4), "present outside");
        refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_write_pragma(stacks), "nothing was read");
    }
    if (!begun || reading)
        refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_read_pragma(stacks), "nothing to be read");
    if (!begun)
        return;
    refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_new_dataE(stacks, 0), "a second directive");
    refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_new_dataE(stacks, 1), "on another device");
    refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_begin_data(stacks, 0), "one that does not nest");
    refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_end_data(stacks, 0), "its end");
    refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_end_dataE(stacks, 0), "an end without accd_stacks_write_pragma");
    refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_drop_dataE(stacks, 0), "nor dropped");
    refused(stacks, ACCD_ERROR_MISUSE,
            accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_SELF, data, 0, 2, sizeof *data), "an update");
    refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_device_address(stacks, 0, data, &address), "a query");
}

static void order(accd_stacks *stacks)
{
    int data[2] = {1, 2};
    uint64_t address;
    refuse_all(stacks, false, false);
    accd_status (*const begins[])(accd_stacks *, int) = {accd_stacks_new_dataE, accd_stacks_begin_data,
                                                         accd_stacks_end_data};
    for (int i = 0; i < 3; i++) {
        fine(stacks, begins[i](stacks, 0));
        refuse_all(stacks, true, false);
        fine(stacks, accd_stacks_read_pragma(stacks));
        refuse_all(stacks, true, true);
        fine(stacks, accd_stacks_pragma_copyin(stacks, data, 0, 2, sizeof *data));
        refuse_all(stacks, true, true);
        fine(stacks, accd_stacks_write_pragma(stacks));
        refuse_all(stacks, false, false);
        if (i == 0) {
            is_number(device_int(stacks, 0, data), 1, "it did what it says nevertheless");
            fine(stacks, accd_stacks_end_dataE(stacks, 0));
        }
    }
    is_number(live_bytes(stacks, 0), 0, "all ended");
    for (int device = -1; device <= 2; device += 3) {
        refused(stacks, ACCD_ERROR_NO_DEVICE, accd_stacks_new_dataE(stacks, device), "device %d", device);
        refused(stacks, ACCD_ERROR_NO_DEVICE, accd_stacks_begin_data(stacks, device), "device %d", device);
        refused(stacks, ACCD_ERROR_NO_DEVICE, accd_stacks_end_data(stacks, device), "device %d", device);
        refused(stacks, ACCD_ERROR_NO_DEVICE, accd_stacks_end_dataE(stacks, device), "device %d", device);
        refused(stacks, ACCD_ERROR_NO_DEVICE, accd_stacks_drop_dataE(stacks, device), "device %d", device);
        refused(stacks, ACCD_ERROR_NO_DEVICE,
                accd_stacks_pragma_update(stacks, device, ACCD_ACTION_UPDATE_SELF, data, 0, 2, 4), "device %d", device);
        refused(stacks, ACCD_ERROR_NO_DEVICE, accd_stacks_device_address(stacks, device, data, &address), "device %d",
                device);
    }
    refused(stacks, ACCD_ERROR_REGION_NESTING, accd_stacks_end_dataE(stacks, 0), "no environment is open");
    refused(stacks, ACCD_ERROR_REGION_NESTING, accd_stacks_drop_dataE(stacks, 0), "nor to be dropped");
    open_one(stacks, 0, accd_stacks_pragma_copyin, data, 0, 2);
    refused(stacks, ACCD_ERROR_REGION_NESTING, accd_stacks_end_dataE(stacks, 1), "nor on another device");
    fine(stacks, accd_stacks_end_dataE(stacks, 0));

    fine(stacks, accd_stacks_new_dataE(stacks, 0));
    fine(stacks, accd_stacks_read_pragma(stacks));
    fine(stacks, accd_stacks_write_pragma(stacks));
    fine(stacks, accd_stacks_end_dataE(stacks, 0)); /* without clauses */

    fine(stacks, accd_stacks_new_dataE(stacks, 0));
    fine(stacks, accd_stacks_read_pragma(stacks));
    fine(stacks, accd_stacks_pragma_copyin(stacks, data, 0, 2, sizeof *data));
    accd_stacks_drop_pragma(stacks);
    accd_stacks_drop_pragma(stacks);
    refused(stacks, ACCD_ERROR_REGION_NESTING, accd_stacks_end_dataE(stacks, 0), "a directive that was given up");
    fine(stacks, accd_stacks_new_dataE(stacks, 0));
    fine(stacks, accd_stacks_read_pragma(stacks));
    fine(stacks, accd_stacks_write_pragma(stacks));
    is_number(live_bytes(stacks, 0), 0, "left no clauses");
    fine(stacks, accd_stacks_end_dataE(stacks, 0));

    open_one(stacks, 0, accd_stacks_pragma_copy, data, 0, 2);
    kernel_sets(stacks, 0, data, 50);
    fine(stacks, accd_stacks_drop_dataE(stacks, 0));
    is_number(data[0], 1, "an environment that is dropped moves nothing");
    is_number(live_bytes(stacks, 0), 0, "and leaves nothing");
    is_sound(accd_stacks_context(stacks));
}

static void null_handles(void)
{
    int data[1] = {0};
    uint64_t address;
    accd_context_config config;
    accd_stacks *stacks = NULL;
    accd_context_config_init(&config);
    config.struct_size -= sizeof(void *);
    ok(accd_stacks_new(&stacks, &config) == ACCD_ERROR_MISUSE && !stacks, "a configuration of others");
    ok(accd_stacks_new(NULL, NULL) == ACCD_ERROR_MISUSE, "no place for the handle");
    ok(accd_stacks_new(&stacks, NULL) == ACCD_OK, "a handle with all defaults");
    is_text(accd_get_rules(accd_stacks_context(stacks))->name, "directory", "its rules");
    refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_device_address(stacks, 0, &address, NULL),
            "no place for an address");
    accd_stacks_free(stacks);
    stacks = NULL;
    accd_context_config_init(&config);
    for (config.devices = ACCD_MAX_DEVICES + 1; config.devices; config.devices *= 2) {
        must(accd_stacks_new(&stacks, &config) == ACCD_ERROR_MISUSE && !stacks, "%u devices", config.devices);
        if (config.devices > UINT_MAX / 2)
            break;
    }
    config.devices = UINT_MAX;
    ok(accd_stacks_new(&stacks, &config) == ACCD_ERROR_MISUSE && !stacks, "more devices than there can be");
    accd_context_config_init(&config);
    config.rules = accd_find_rules("openacc-3.3");
    ok(accd_stacks_new(&stacks, &config) == ACCD_OK, "a handle with other rules");
    is_text(accd_get_rules(accd_stacks_context(stacks))->name, "openacc-3.3", "they are kept");
    fine(stacks, accd_stacks_new_dataE(stacks, 0));
    fine(stacks, accd_stacks_read_pragma(stacks));
    ok(accd_stacks_pragma_copyin(stacks, NULL, 0, 1, 4) == ACCD_OK && accd_stacks_write_pragma(stacks) == ACCD_OK,
       "and decide about null pointers");
    accd_stacks_free(stacks);
    for (int i = 0; i < CLAUSES; i++)
        ok(clauses[i].fn(NULL, data, 0, 1, 4) == ACCD_ERROR_MISUSE, "%s without a handle", clauses[i].name);
    ok(accd_stacks_pragma_present(NULL, data, 0, 1, 4) == ACCD_ERROR_MISUSE &&
           accd_stacks_new_dataE(NULL, 0) == ACCD_ERROR_MISUSE && accd_stacks_read_pragma(NULL) == ACCD_ERROR_MISUSE &&
           accd_stacks_write_pragma(NULL) == ACCD_ERROR_MISUSE && accd_stacks_end_dataE(NULL, 0) == ACCD_ERROR_MISUSE &&
           accd_stacks_drop_dataE(NULL, 0) == ACCD_ERROR_MISUSE &&
           accd_stacks_begin_data(NULL, 0) == ACCD_ERROR_MISUSE && accd_stacks_end_data(NULL, 0) == ACCD_ERROR_MISUSE &&
           accd_stacks_pragma_update(NULL, 0, ACCD_ACTION_UPDATE_SELF, data, 0, 1, 4) == ACCD_ERROR_MISUSE &&
           accd_stacks_device_address(NULL, 0, data, &address) == ACCD_ERROR_MISUSE,
       "the others without a handle");
    ok(!accd_stacks_context(NULL) && accd_stacks_error(NULL)->status == ACCD_ERROR_MISUSE &&
           *accd_stacks_error(NULL)->message && *accd_stacks_error(NULL)->rule,
       "nothing has a context, but an error");
    accd_stacks_drop_pragma(NULL);
    accd_stacks_free(NULL);
}

/* ------------------------------------------------------------------- inside and outside -- */

static void updates(accd_stacks *stacks)
{
    int data[6] = {0, 1, 2, 3, 4, 5};
    uint64_t address;
    refused(stacks, ACCD_ERROR_NOT_PRESENT,
            accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_DEVICE, data, 0, 6, 4), "update of absent data");
    refused(stacks, ACCD_ERROR_NOT_PRESENT, accd_stacks_device_address(stacks, 0, data, &address), "their address");
    open_one(stacks, 0, accd_stacks_pragma_copyin, data, 0, 4);
    data[1] = 11;
    data[2] = 12;
    fine(stacks, accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_DEVICE, data, 1, 1, 4));
    ok(device_int(stacks, 0, &data[1]) == 11 && device_int(stacks, 0, &data[2]) == 2,
       "an update of one element sends one");
    kernel_sets(stacks, 0, &data[3], 33);
    kernel_sets(stacks, 0, &data[0], 30);
    fine(stacks, accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_SELF, data, 3, 1, 4));
    ok(data[3] == 33 && data[0] == 0, "and fetches one");
    refused(stacks, ACCD_ERROR_PARTIALLY_PRESENT,
            accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_SELF, data, 2, 4, 4), "a part is absent");
    refused(stacks, ACCD_ERROR_NOT_PRESENT,
            accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_SELF, data, 4, 2, 4), "all of it is");
    refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_COPYIN, data, 0, 4, 4),
            "no direction");
    refused(stacks, ACCD_ERROR_INVALID_SECTION,
            accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_SELF, data, 0, -4, 4), "a negative length");
    refused(stacks, ACCD_ERROR_NULL_POINTER,
            accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_SELF, NULL, 0, 4, 4), "a null base");
    fine(stacks, accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_SELF, data, 4, 0, 4));
    fine(stacks, accd_stacks_end_dataE(stacks, 0));
}

static void devices(accd_stacks *stacks)
{
    int data[4] = {1, 2, 3, 4};
    open_one(stacks, 0, accd_stacks_pragma_copy, data, 0, 4);
    data[0] = 5;
    open_one(stacks, 1, accd_stacks_pragma_copyin, data, 0, 4);
    open_one(stacks, 1, accd_stacks_pragma_present, data, 1, 2);
    ok(device_int(stacks, 0, data) == 1 && device_int(stacks, 1, data) == 5, "each device has its own copy");
    kernel_sets(stacks, 0, data, 10);
    kernel_sets(stacks, 1, data, 20);
    fine(stacks, accd_stacks_pragma_update(stacks, 1, ACCD_ACTION_UPDATE_SELF, data, 0, 1, 4));
    ok(data[0] == 20 && device_int(stacks, 0, data) == 10, "an update is for one device");
    fine(stacks, accd_stacks_end_dataE(stacks, 0));
    is_number(data[0], 10, "the copy of the device whose environment ends");
    ok(live_bytes(stacks, 0) == 0 && live_bytes(stacks, 1) == 16, "the other one stays");
    fine(stacks, accd_stacks_end_dataE(stacks, 1));
    fine(stacks, accd_stacks_end_dataE(stacks, 1));
    is_number(data[0], 10, "copyin does not come back");
    is_number(live_bytes(stacks, 1), 0, "both are empty");
    is_sound(accd_stacks_context(stacks));
}

static void floors(accd_stacks *stacks)
{
    int data[8] = {0, 1, 2, 3, 4, 5, 6, 7}, other[2] = {8, 9};
    for (int i = 0; i < CLAUSES; i++) {
        int before = data[0];
        ok(non_nested(stacks, true, clauses[i].fn, data, 0, 4) == ACCD_OK, "%s begins", clauses[i].name);
        for (int k = 0; k < 4; k++)
            kernel_sets(stacks, 0, &data[k], before + 1);
        ok(non_nested(stacks, false, clauses[i].fn, data, 0, 4) == ACCD_OK, "%s ends", clauses[i].name);
        is_number(data[0], before + clauses[i].fetches, "%s fetches at its end what it says", clauses[i].name);
        is_number(live_bytes(stacks, 0), 0, "nothing stays");
    }
    data[0] = 0;
    open_one(stacks, 0, accd_stacks_pragma_create, other, 0, 2);
    non_nested(stacks, true, accd_stacks_pragma_copyin, data, 4, 4);
    fine(stacks, accd_stacks_end_dataE(stacks, 0));
    is_number(device_int(stacks, 0, &data[4]), 4, "it outlives the environment it began in");
    kernel_sets(stacks, 0, &data[4], 44);
    refused(stacks, ACCD_ERROR_PARTIALLY_PRESENT, non_nested(stacks, false, accd_stacks_pragma_copyout, data, 3, 5),
            "an end of more than was begun");
    refused(stacks, ACCD_ERROR_NOT_PRESENT, non_nested(stacks, false, accd_stacks_pragma_copyout, data, 0, 4),
            "an end of what was not begun");
    ok(non_nested(stacks, false, accd_stacks_pragma_pcopyout, data, 4, 4) == ACCD_OK && data[4] == 44,
       "another clause ends it, its own way");
    fine(stacks, accd_stacks_begin_data(stacks, 0));
    fine(stacks, accd_stacks_read_pragma(stacks));
    refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_pragma_present(stacks, data, 0, 1, 4), "present begins nothing");
    accd_stacks_drop_pragma(stacks);
    fine(stacks, accd_stacks_end_data(stacks, 0));
    fine(stacks, accd_stacks_read_pragma(stacks));
    refused(stacks, ACCD_ERROR_MISUSE, accd_stacks_pragma_present(stacks, data, 0, 1, 4), "and ends nothing");
    accd_stacks_drop_pragma(stacks);
    open_one(stacks, 0, accd_stacks_pragma_create, data, 0, 4);
    refused(stacks, ACCD_ERROR_NOT_PRESENT, non_nested(stacks, false, accd_stacks_pragma_copyout, data, 0, 4),
            "what an environment of another kind holds");
    fine(stacks, accd_stacks_end_dataE(stacks, 0));
    is_number(live_bytes(stacks, 0), 0, "all ended");
    is_sound(accd_stacks_context(stacks));
}

/* -------------------------------------------------------------------------------- fusion -- */

static uint64_t address_of(accd_stacks *stacks, const int *host)
{
    uint64_t address = 0;
    fine(stacks, accd_stacks_device_address(stacks, 0, host, &address));
    return address;
}

static void fusion(accd_stacks *stacks, struct story *story)
{
    int a[70];
    accd_stats before, after;
    for (int i = 0; i < 70; i++)
        a[i] = i;
    open_one(stacks, 0, accd_stacks_pragma_copy, a, 0, 20);
    uint64_t outer = address_of(stacks, a);
    kernel_sets(stacks, 0, a, 100);
    accd_get_stats(accd_stacks_context(stacks), 0, &before);
    story_clear(story);
    fine(stacks, accd_stacks_new_dataE(stacks, 0));
    fine(stacks, accd_stacks_read_pragma(stacks));
    fine(stacks, accd_stacks_pragma_copyin(stacks, a, 50, 20, sizeof *a));
    fine(stacks, accd_stacks_pragma_copyin(stacks, a + 25, 0, 20, sizeof *a));
    fine(stacks, accd_stacks_write_pragma(stacks));
    accd_get_stats(accd_stacks_context(stacks), 0, &after);
    ok(strstr(story->text, "fuse ") && strstr(story->text, "d2d "), "data of one base are fused");
    uint64_t inner = address_of(stacks, a);
    ok(inner != outer && address_of(stacks, a + 50) - inner == 50 * sizeof *a &&
           address_of(stacks, a + 25) - inner == 25 * sizeof *a,
       "they lie at their distances, an alias too");
    ok(device_int(stacks, 0, a) == 100 && device_int(stacks, 0, a + 69) == 69 && device_int(stacks, 0, a + 25) == 25 &&
           device_int(stacks, 0, a + 44) == 44,
       "what was there moved along");
    is_number(after.moved_bytes[0] - before.moved_bytes[0], 160, "and was not sent again");
    kernel_sets(stacks, 0, a + 1, 101);
    fine(stacks, accd_stacks_pragma_update(stacks, 0, ACCD_ACTION_UPDATE_SELF, a, 1, 1, sizeof *a));
    is_number(a[1], 101, "an update knows where it is now");
    kernel_sets(stacks, 0, a + 2, 102);
    fine(stacks, accd_stacks_end_dataE(stacks, 0));
    is_number(address_of(stacks, a), outer, "it is where it was");
    ok(device_int(stacks, 0, a) == 100 && device_int(stacks, 0, a + 2) == 102, "with what it has now");
    fine(stacks, accd_stacks_end_dataE(stacks, 0));
    ok(a[0] == 100 && a[2] == 102 && a[69] == 69, "which comes back at the end");
    is_number(live_bytes(stacks, 0), 0, "nothing stays");
    is_sound(accd_stacks_context(stacks));
}

/* An environment that is dropped, and ones that do not nest, while data are fused. */
static void fusion_undone(accd_stacks *stacks)
{
    int a[70] = {1};
    open_one(stacks, 0, accd_stacks_pragma_copy, a, 0, 20);
    uint64_t outer = address_of(stacks, a);
    open_one(stacks, 0, accd_stacks_pragma_copyin, a, 50, 20);
    kernel_sets(stacks, 0, a, 5);
    fine(stacks, accd_stacks_drop_dataE(stacks, 0));
    ok(address_of(stacks, a) == outer && device_int(stacks, 0, a) == 5 && a[0] == 1,
       "dropped, it gives the device's data back, and nothing to the host");
    a[69] = 69;
    ok(non_nested(stacks, true, accd_stacks_pragma_copyin, a, 50, 20) == ACCD_OK &&
           address_of(stacks, a + 50) - address_of(stacks, a) == 50 * sizeof *a,
       "accd_stacks_begin_data fuses, too");
    kernel_sets(stacks, 0, a, 2);
    fine(stacks, accd_stacks_end_dataE(stacks, 0));
    ok(a[0] == 2 && device_int(stacks, 0, a) == -1 && device_int(stacks, 0, a + 69) == 69,
       "the environment ends, what was begun in it stays");
    refused(stacks, ACCD_ERROR_NOT_PRESENT, non_nested(stacks, false, accd_stacks_pragma_copyout, a, 60, 5),
            "an end of a part of it");
    ok(non_nested(stacks, false, accd_stacks_pragma_copyout, a + 50, 0, 20) == ACCD_OK, "its own end");
    is_number(live_bytes(stacks, 0), 0, "nothing stays");
    is_sound(accd_stacks_context(stacks));
}

static void partial(accd_stacks *stacks)
{
    for (int i = 0; i < CLAUSES; i++) {
        if (!clauses[i].joins)
            continue;
        bool refreshes = clauses[i].fn == accd_stacks_pragma_update_and_copy;
        int a[6] = {0, 1, 2, 3, 4, 5};
        open_one(stacks, 0, accd_stacks_pragma_copy, a, 0, 4);
        kernel_sets(stacks, 0, a + 3, 33);
        open_one(stacks, 0, clauses[i].fn, a, 2, 4);
        ok(device_int(stacks, 0, a + 3) == (refreshes ? 3 : 33) && device_int(stacks, 0, a + 5) == 5,
           "%s of data of which a part is present", clauses[i].name);
        is_number(address_of(stacks, a + 5) - address_of(stacks, a), 20, "in one block");
        kernel_sets(stacks, 0, a + 2, 22);
        kernel_sets(stacks, 0, a + 5, 55);
        fine(stacks, accd_stacks_end_dataE(stacks, 0));
        fine(stacks, accd_stacks_end_dataE(stacks, 0));
        ok(a[2] == 22 && a[3] == (refreshes ? 3 : 33) && a[5] == 5, "the part is kept, no more");
    }
    is_number(live_bytes(stacks, 0), 0, "nothing stays");
    is_sound(accd_stacks_context(stacks));
}

/* ------------------------------------------------------------------------------ failures -- */

/* A nested environment that allocates, fuses, sends; everything again as long as something is
 * missing. */
static int fill(accd_stacks *stacks, const int *a, const int *b)
{
    accd_status status = accd_stacks_new_dataE(stacks, 0);
    if (status == ACCD_OK)
        status = accd_stacks_read_pragma(stacks);
    if (status == ACCD_OK)
        status = accd_stacks_pragma_copyin(stacks, a, 50, 20, sizeof *a);
    if (status == ACCD_OK)
        status = accd_stacks_pragma_copyin(stacks, a + 25, 0, 20, sizeof *a);
    if (status == ACCD_OK)
        status = accd_stacks_pragma_copy(stacks, b, 0, 10, sizeof *b);
    if (status == ACCD_OK)
        status = accd_stacks_write_pragma(stacks);
    return (int)status;
}

enum fault { ALLOCATION, COPY, HOST_MEMORY, FAULTS };

static void arm(accd_stacks *stacks, struct meter *meter, enum fault fault, uint64_t n)
{
    if (fault == ALLOCATION)
        accd__inject_allocation_failure(accd_stacks_context(stacks), 0, n);
    else if (fault == COPY)
        accd__inject_copy_failure(accd_stacks_context(stacks), 0, n);
    else
        meter->fail_at = n;
}

static void failures(void)
{
    static const accd_status wanted[FAULTS] = {ACCD_ERROR_OUT_OF_DEVICE_MEMORY, ACCD_ERROR_DEVICE,
                                               ACCD_ERROR_OUT_OF_MEMORY};
    for (int fault = 0; fault < FAULTS; fault++) {
        int met[2] = {0, 0};
        for (uint64_t n = 1, more = 1; more; n++) {
            int a[70] = {1, 2, 3}, b[10] = {4};
            struct meter meter = {0};
            accd_stacks *stacks = open_stacks(&meter, NULL);
            open_one(stacks, 0, accd_stacks_pragma_copy, a, 0, 20);
            kernel_sets(stacks, 0, a, 7);
            uint64_t before = accd__state_digest(accd_stacks_context(stacks));
            more = 0;
            arm(stacks, &meter, (enum fault)fault, n);
            int status = fill(stacks, a, b);
            arm(stacks, &meter, (enum fault)fault, 0);
            if (status != ACCD_OK) {
                must(status == (int)wanted[fault], "opening fails for want of something: %s",
                     accd_status_code((accd_status)status));
                must(accd_stacks_error(stacks)->status == (accd_status)status, "and says so");
                must(accd__state_digest(accd_stacks_context(stacks)) == before, "it changed nothing");
                must(!accd__check_invariants(accd_stacks_context(stacks)), "all is sound");
                accd_stacks_drop_pragma(stacks);
                must(fill(stacks, a, b) == ACCD_OK, "then it works");
                met[0]++;
                more = 1;
            }
            before = accd__state_digest(accd_stacks_context(stacks));
            arm(stacks, &meter, (enum fault)fault, n);
            accd_status end = accd_stacks_end_dataE(stacks, 0);
            arm(stacks, &meter, (enum fault)fault, 0);
            if (end != ACCD_OK) {
                must(end == wanted[fault], "closing fails for want of something");
                must(accd__state_digest(accd_stacks_context(stacks)) == before, "it changed nothing, either");
                must(a[0] == 1, "nor the host");
                must(accd_stacks_end_dataE(stacks, 0) == ACCD_OK, "then it works");
                met[1]++;
                more = 1;
            }
            must(accd_stacks_end_dataE(stacks, 0) == ACCD_OK && a[0] == 7, "the data come back");
            must(!accd__check_invariants(accd_stacks_context(stacks)), "all is sound");
            accd_stacks_free(stacks);
            must(!meter.live && !meter.wrong, "no host memory is left");
        }
        ok(met[0] > 0, "fault %d: %d openings and %d closings failed", fault, met[0], met[1]);
    }
    int opened = 0; /* the handle itself */
    for (size_t n = 1; !opened; n++) {
        struct meter meter = {.fail_at = n};
        accd_context_config config;
        accd_stacks *stacks = NULL;
        accd_context_config_init(&config);
        config.alloc = meter_alloc;
        config.alloc_ud = &meter;
        config.device_bytes = 1 << 20;
        accd_status status = accd_stacks_new(&stacks, &config);
        opened = status == ACCD_OK;
        must(opened ? !!stacks : status == ACCD_ERROR_OUT_OF_MEMORY && !stacks, "a handle, or no memory");
        accd_stacks_free(stacks);
        must(!meter.live && !meter.wrong, "no host memory is left");
    }
    ok(opened, "a handle is opened at last");
}

/* Deep nesting, many clauses: stacks and lists grow. */
static void many(accd_stacks *stacks)
{
    enum { DEEP = 100, WIDE = 100 };
    static int data[DEEP * WIDE];
    for (int i = 0; i < DEEP; i++) {
        fine(stacks, accd_stacks_new_dataE(stacks, i % 2));
        fine(stacks, accd_stacks_read_pragma(stacks));
        for (int k = 0; k < WIDE; k++)
            fine(stacks, accd_stacks_pragma_copyin(stacks, data + i * WIDE + k, 0, 1, sizeof *data));
        fine(stacks, accd_stacks_write_pragma(stacks));
    }
    accd_stats stats;
    accd_get_stats(accd_stacks_context(stacks), 0, &stats);
    is_number(stats.objects, DEEP / 2 * WIDE, "all are there");
    for (int i = 0; i < DEEP; i++)
        fine(stacks, accd_stacks_end_dataE(stacks, i % 2));
    is_number(live_bytes(stacks, 0), 0, "and gone");
}

int main(void)
{
    struct meter meter = {0};
    struct story story = {0};
    accd_stacks *stacks = open_stacks(&meter, &story);
    absent_data(stacks);
    present_data(stacks);
    bad_clauses(stacks);
    order(stacks);
    null_handles();
    updates(stacks);
    devices(stacks);
    floors(stacks);
    many(stacks);
    fusion(stacks, &story);
    fusion_undone(stacks);
    partial(stacks);
    failures();
    accd_stacks_free(stacks);
    ok(!meter.live && !meter.wrong, "no host memory is left");
    story_free(&story);
    return done();
}
