/* What a kernel may touch: uninitialised, excluded and foreign memory, bounds, unattached pointers;
 * names of places; the journal. */
#include "accdeep_internal.h"
#include "support.h"

static struct leaf X[2];
static float arrays[2][4], other[4];

static accd_context *new_kernel_context(struct meter *meter, accd_program **program, accd_region **region,
                                        uint8_t action, size_t least)
{
    *meter = (struct meter){0};
    accd_context *context = open_with(meter, NULL, NULL, least);
    accd_field field = {.offset = offsetof(struct leaf, a),
                        .unit = 4,
                        .start = -1,
                        .code_end = 1,
                        .label = member(context, "a", 4, NULL)};
    accd_member excluded = {.offset = offsetof(struct leaf, b), .bytes = 8, .label = member(context, "b", 0, NULL)};
    *program =
        program_of(context, &(accd_program_spec){.stride = sizeof X[0],
                                                 .fields = &field,
                                                 .nfields = 1,
                                                 .pieces = &(accd_piece){.bytes = 16},
                                                 .npieces = 1,
                                                 .excluded = &excluded,
                                                 .nexcluded = 1,
                                                 .members = &excluded,
                                                 .nmembers = 1,
                                                 .registers = 1,
                                                 .ncode = 1,
                                                 .code = &(accd_instruction){.op = ACCD_I_LOAD, .b = ACCD_SCALAR_I32}});
    for (int i = 0; i < 2; i++) {
        X[i] = (struct leaf){4, arrays[i], other};
        for (int k = 0; k < 4; k++)
            arrays[i][k] = (float)(10 * i + k);
    }
    accd_item item = walked(action, X, sizeof X, *program, array(context, "X", sizeof X[0], *program));
    is_status(REGION(context, region, item), ACCD_OK, "%s, groups from %zu", accd_action_name((accd_action)action),
              least);
    return context;
}

static void free_kernel_context(accd_context *context, struct meter *meter, accd_program *program, accd_region *region)
{
    is_sound(context);
    is_status(accd_region_end(region), ACCD_OK, "end");
    accd_program_release(program);
    accd_context_free(context);
    is_number(meter->live + meter->wrong, 0, "memory");
}

static void accesses(size_t least)
{
    struct meter meter;
    accd_program *program;
    accd_region *region;
    accd_context *context = new_kernel_context(&meter, &program, &region, ACCD_ACTION_COPY, least);
    uint64_t dev = accd_device_address(context, 0, X), low, high, word = 1, a;
    accd_object_info info;
    char name[80];
    is_status(accd_device_read(context, 0, dev + 8, &a, 8), ACCD_OK, "X[0].a");
    ok(a == accd_device_address(context, 0, arrays[0]), "leads to the device");
    ok(accd_attached_range(context, 0, &X[0].a, a, &low, &high) && low == a && high == a + 16, "and has bounds");
    ok(!accd_attached_range(context, 0, &X[0].a, a + 4, &low, &high) &&
           !accd_attached_range(context, 0, &X[0].b, a, &low, &high),
       "another value has none");
    fails(context, ACCD_ERROR_EXCLUDED_MEMBER, accd_device_read(context, 0, dev + 16, &word, 8), "X[0].b");
    is_text(accd_context_error(context)->asked.name, "X[0].b", "it is named");
    fails(context, ACCD_ERROR_EXCLUDED_MEMBER, accd_device_write(context, 0, dev + 44, &word, 4), "half of X[1].b");
    ok(accd__excluded_at(context, 0, dev + 47, &info) && !strcmp(info.name, "X[1].b") && info.bytes == 8 &&
           info.host == (uintptr_t)&X[1].b,
       "found by its last byte");
    ok(!accd__excluded_at(context, 0, dev + 39, &info) && !accd__excluded_at(context, 0, 0, &info),
       "no other byte is excluded");
    accd_format_name_at(context, 0, dev + 32, name, sizeof name);
    is_text(name, "X[1].a", "a pointer's name");
    accd_format_name_at(context, 0, a + 8, name, sizeof name);
    is_text(name, "X[0].a[2]", "an element's name");
    accd_format_name_at(context, 0, 12345, name, sizeof name);
    is_text(name, "", "no name");
    accd_format_name_at(context, 0, a + 8, name, 5);
    is_text(name, "X[0]", "as much of it as there is room for");
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, accd_device_read(context, 0, a + 12, &word, 8), "over the end");
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, accd_device_write(context, 0, a + 12, &word, 8), "a write");
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, accd_device_read(context, 0, dev, &word, UINT64_MAX), "absurd");
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, accd_device_read(context, 0, dev + (1 << 22), &word, 8), "far");
    fails(context, ACCD_ERROR_NULL_POINTER, accd_device_read(context, 0, 0, &word, 8), "null");
    fails(context, ACCD_ERROR_HOST_POINTER_ON_DEVICE, accd_device_read(context, 0, (uintptr_t)arrays[1], &word, 8),
          "a host pointer");
    is_text(accd_context_error(context)->other.name, "X[1].a[0:4]", "whose object is present");
    fails(context, ACCD_ERROR_HOST_POINTER_ON_DEVICE, accd_device_write(context, 0, (uintptr_t)other, &a, 8),
          "another one");
    fails(context, ACCD_ERROR_HOST_POINTER_ON_DEVICE, accd_device_read(context, 1, a, &word, 4), "another device");
    is_status(accd_device_read(context, 7, a, &word, 4), ACCD_ERROR_NO_DEVICE, "no device");
    is_number(accd_device_count_written(context, 0, 12345, 8), -1, "not device memory");
    free_kernel_context(context, &meter, program, region);
    for (int i = 0; i < 2; i++)
        must(X[i].b == other && X[i].a == arrays[i], "the host's pointers are kept");
}

static void uninitialised(size_t least)
{
    struct meter meter;
    accd_program *program;
    accd_region *region;
    accd_context *context = new_kernel_context(&meter, &program, &region, ACCD_ACTION_CREATE, least);
    float value = 4;
    int n;
    uint64_t a = 0;
    fails(context, ACCD_ERROR_UNINITIALIZED_READ,
          accd_device_read(context, 0, accd_device_address(context, 0, X), &n, 4), "X[0].n");
    ok(strstr(accd_context_error(context)->message, "X[0]") != NULL, "it is named");
    ok(device_get(context, &X[1].a, &a, 8) && a == accd_device_address(context, 0, arrays[1]),
       "pointers are set even so (TR14-1.2-06)");
    fails(context, ACCD_ERROR_UNINITIALIZED_READ, accd_device_read(context, 0, a + 4, &value, 4), "X[1].a[1]");
    is_status(accd_device_write(context, 0, a + 4, &value, 4), ACCD_OK, "written");
    ok(device_get(context, &arrays[1][1], &value, 4) && value == 4, "is read");
    fails(context, ACCD_ERROR_UNINITIALIZED_READ, accd_device_read(context, 0, a + 4, &value, 5),
          "one byte more is not");
    is_number(accd_device_count_written(context, 0, a, 16), 4, "four bytes are written");
    free_kernel_context(context, &meter, program, region);
}

static void journal(size_t least)
{
    struct meter meter;
    accd_program *program;
    accd_region *region;
    accd_context *context = new_kernel_context(&meter, &program, &region, ACCD_ACTION_CREATE, least);
    uint64_t a = accd_device_address(context, 0, arrays[0]), state = 3;
    uint32_t value = 1;
    is_status(accd_device_write(context, 0, a, &value, 4), ACCD_OK, "before");
    uint64_t before = accd__state_digest(context);
    for (int commit = 0; commit < 2; commit++) {
        is_status(accd_journal_begin(context, 0), ACCD_OK, "open");
        is_status(accd_journal_begin(context, 0), ACCD_ERROR_MISUSE, "only one at a time");
        for (int i = 0; i < 300; i++) { /* overlapping writes of all lengths */
            uint64_t word = next_random(&state), at = next_random(&state) % 12;
            uint64_t bytes = 1 + next_random(&state) % 4;
            must(accd_device_write(context, 0, a + at, &word, bytes) == ACCD_OK, "write");
        }
        accd_journal_end(context, 0, commit);
        ok((accd__state_digest(context) == before) == !commit, commit ? "committed" : "undone");
        is_number(accd_device_count_written(context, 0, a, 16), commit ? 15 : 4, "what is initialised");
    }
    accd_journal_end(context, 0, 0); /* none is open */
    is_status(accd_journal_begin(context, 1), ACCD_OK, "on the other device");
    accd_journal_end(context, 1, 1);
    is_status(accd_journal_begin(context, 9), ACCD_ERROR_NO_DEVICE, "on none");
    free_kernel_context(context, &meter, program, region);
}

int main(void)
{
    for (size_t least = 1; least <= 1000; least += 999) {
        accesses(least);
        uninitialised(least);
        journal(least);
    }
    return done();
}
