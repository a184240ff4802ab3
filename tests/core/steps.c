/* Single steps (the acc_* routines' level): map and unmap, raw memory and copies, host memory made
 * known, addresses and their objects. */
#include "support.h"

static char a[256], b[256];

static accd_context *new_memory_context(struct meter *meter)
{
    for (size_t i = 0; i < sizeof a; i++) {
        a[i] = (char)i;
        b[i] = 0;
    }
    *meter = (struct meter){0};
    return open_with(meter, NULL, NULL, 64);
}

static void free_memory_context(accd_context *context, struct meter *meter)
{
    is_sound(context);
    accd_context_free(context);
    is_number(meter->live + meter->blocks + meter->wrong, 0, "all memory is given back");
}

static void raw_memory(void)
{
    struct meter meter;
    accd_context *context = new_memory_context(&meter);
    uint64_t dev = 77, other;
    char back[64];
    is_status(accd_device_alloc(context, 0, 0, &dev), ACCD_OK, "no bytes");
    is_number(dev, 0, "have address 0");
    is_status(accd_device_free(context, 0, 0), ACCD_OK, "which is freed by doing nothing");
    is_status(accd_device_alloc(context, 0, 64, &dev), ACCD_OK, "64 bytes");
    is_number(accd_device_count_written(context, 0, dev, 64), 0, "nothing is written yet");
    fails(context, ACCD_ERROR_UNINITIALIZED_READ, accd_device_read(context, 0, dev, back, 4), "nor read");
    is_status(accd_copy_to_device(context, 0, dev, a, 32), ACCD_OK, "to the device");
    is_status(accd_copy_from_device(context, 0, b, dev + 8, 8), ACCD_OK, "from it");
    ok(!memcmp(b, a + 8, 8), "the same bytes");
    is_status(accd_device_alloc(context, 0, 64, &other), ACCD_OK, "64 more");
    is_status(accd_copy_within_device(context, 0, other + 4, dev + 16, 24), ACCD_OK, "within");
    is_number(accd_device_count_written(context, 0, other, 64), 16, "what was not written stays so");
    ok(accd_device_read(context, 0, other + 4, back, 16) == ACCD_OK && !memcmp(back, a + 16, 16),
       "the same bytes there");
    is_status(accd_copy_within_device(context, 0, dev + 1, dev, 31), ACCD_OK, "onto itself");
    ok(accd_device_read(context, 0, dev + 1, back, 31) == ACCD_OK && !memcmp(back, a, 31), "as memmove does");
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, accd_copy_to_device(context, 0, dev + 40, a, 32), "over the end");
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, accd_copy_from_device(context, 0, b, dev, UINT64_MAX), "absurd");
    fails(context, ACCD_ERROR_HOST_POINTER_ON_DEVICE, accd_copy_from_device(context, 0, b, (uint64_t)(uintptr_t)a, 8),
          "a host address");
    fails(context, ACCD_ERROR_HOST_POINTER_ON_DEVICE, accd_copy_to_device(context, 0, (uintptr_t)a, a, 32),
          "the host's own");
    is_status(accd_copy_within_device(context, 0, dev, dev, 32), ACCD_OK, "the same place");
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, accd_copy_within_device(context, 0, dev + 40, dev + 40, 32),
          "the same over the end");
    fails(context, ACCD_ERROR_HOST_POINTER_ON_DEVICE, accd_copy_to_device(context, 1, dev, a, 8),
          "another device's address");
    fails(context, ACCD_ERROR_OUT_OF_DEVICE_MEMORY, accd_device_alloc(context, 0, (uint64_t)1 << 40, &dev), "too much");
    fails(context, ACCD_ERROR_MISUSE, accd_device_free(context, 0, dev + 16), "the middle of it");
    fails(context, ACCD_ERROR_MISUSE, accd_device_free(context, 0, (uint64_t)(uintptr_t)a), "host memory");
    fails(context, ACCD_ERROR_NO_DEVICE, accd_device_alloc(context, 9, 8, &dev), "no such device");
    is_status(accd_device_free(context, 0, dev), ACCD_OK, "free");
    fails(context, ACCD_ERROR_MISUSE, accd_device_free(context, 0, dev), "but only once");
    is_status(accd_device_free(context, 0, other), ACCD_OK, "free");
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    is_number(stats.live_bytes + stats.live_allocations, 0, "no device memory is in use");
    free_memory_context(context, &meter);
}

/* Blocks of all sizes, freed in any order: never two that overlap, nothing is lost. */
static void device_allocator(void)
{
    enum { MOST = 200 };
    static struct {
        uint64_t dev, bytes;
    } live[MOST];
    struct meter meter;
    accd_context *context = new_memory_context(&meter);
    uint64_t state = 5, total = 0, n = 0;
    int failed = tap_failed;
    for (int step = 0; step < 20000; step++) {
        size_t i = next_random(&state) % MOST;
        if (live[i].bytes) {
            uint64_t seen = 0;
            must(accd_copy_from_device(context, 0, &seen, live[i].dev, 1) == ACCD_OK && (seen & 0xff) == (i & 0xff),
                 "block %zu holds its own byte", i);
            must(accd_device_free(context, 0, live[i].dev) == ACCD_OK, "free");
            total -= live[i].bytes;
            live[i].bytes = 0;
            continue;
        }
        unsigned shift = next_random(&state) % 22;
        uint64_t bytes = 1 + next_random(&state) % ((1u << shift) + 1), dev;
        accd_status status = accd_device_alloc(context, 0, bytes, &dev);
        must(status == ACCD_OK || total + bytes > ((uint64_t)48 << 20), "allocate %llu at %llu",
             (unsigned long long)bytes, (unsigned long long)total);
        if (status != ACCD_OK)
            continue;
        must(dev % 16 == 0, "aligned");
        must(accd_device_count_written(context, 0, dev, bytes) == 0, "fresh memory is not initialised");
        for (size_t k = 0; k < MOST && step % 8 == 0; k++)
            must(!live[k].bytes || dev + bytes <= live[k].dev || live[k].dev + live[k].bytes <= dev,
                 "blocks %zu and %zu overlap", i, k);
        live[i].dev = dev;
        live[i].bytes = bytes;
        char mark = (char)i;
        must(accd_copy_to_device(context, 0, dev, &mark, 1) == ACCD_OK, "mark");
        must(accd_device_count_written(context, 0, dev, bytes + 1) == -1, "no byte more");
        total += bytes;
        n++;
    }
    for (size_t i = 0; i < MOST; i++)
        if (live[i].bytes)
            accd_device_free(context, 0, live[i].dev);
    ok(tap_failed == failed && n > 1000, "%llu blocks came and went", (unsigned long long)n);
    /* all of it can be had as one block again */
    uint64_t dev;
    is_status(accd_device_alloc(context, 0, (uint64_t)64 << 20, &dev), ACCD_OK, "all memory");
    fails(context, ACCD_ERROR_OUT_OF_DEVICE_MEMORY, accd_device_alloc(context, 0, 1, &state), "and no more");
    is_status(accd_device_free(context, 0, dev), ACCD_OK, "free");
    free_memory_context(context, &meter);
}

/* What is freed was never written when it is handed out again, and only that. */
static void freed_memory(void)
{
    enum { LARGE = (8 << 20) + 112 };
    static const uint64_t places[] = {0, 100, 32768, LARGE / 2, LARGE - 32768, LARGE - 1};
    struct meter meter;
    accd_context *context = new_memory_context(&meter);
    uint64_t before, large, behind, again;
    is_status(accd_device_alloc(context, 0, 48, &before), ACCD_OK, "a block");
    is_status(accd_device_alloc(context, 0, LARGE, &large), ACCD_OK, "a large one");
    is_status(accd_device_alloc(context, 0, 48, &behind), ACCD_OK, "and one more");
    static const char text[48] = "text";
    must(accd_copy_to_device(context, 0, before, text, sizeof text) == ACCD_OK, "write");
    must(accd_copy_to_device(context, 0, behind, text, sizeof text) == ACCD_OK, "write");
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        must(accd_copy_to_device(context, 0, large + places[i], text, 1) == ACCD_OK, "write");
    is_number(accd_device_count_written(context, 0, large, LARGE), 6, "what was written is known");
    is_status(accd_device_free(context, 0, large), ACCD_OK, "free");
    is_status(accd_device_alloc(context, 0, LARGE, &again), ACCD_OK, "another one");
    is_number(accd_device_count_written(context, 0, again, LARGE), 0, "nothing of it is written");
    is_number(accd_device_count_written(context, 0, before, 48), 48, "what lies before it still is");
    is_number(accd_device_count_written(context, 0, behind, 48), 48, "and what lies behind");
    accd_device_free(context, 0, before);
    accd_device_free(context, 0, again);
    accd_device_free(context, 0, behind);
    free_memory_context(context, &meter);
}

static void mapping(void)
{
    struct meter meter;
    accd_context *context = new_memory_context(&meter);
    accd_region *region;
    uint64_t dev, hole;
    accd_present_object present;
    is_status(accd_device_alloc(context, 0, 128, &dev), ACCD_OK, "128 bytes");
    is_status(accd_map_data(context, 0, a, dev + 32, 32, NULL), ACCD_OK, "map");
    ok(present_count(context, a, 0, 1) && accd_device_address(context, 0, a + 4) == dev + 36 &&
           accd_host_address(context, 0, dev + 36) == (uint64_t)(uintptr_t)(a + 4),
       "present at that address");
    ok(accd_present_at(context, 0, dev + 63, 1, &present) && present.mapped, "by device address");
    ok(!accd_present_at(context, 0, dev + 64, 1, &present), "up to its end");
    fails(context, ACCD_ERROR_ALREADY_PRESENT, accd_map_data(context, 0, a + 8, dev + 64, 8, NULL), "again");
    fails(context, ACCD_ERROR_ALREADY_PRESENT, accd_map_data(context, 0, b, dev + 48, 32, NULL),
          "device memory that is taken");
    fails(context, ACCD_ERROR_ALREADY_PRESENT, accd_map_data(context, 0, b, dev, 64, NULL),
          "device memory that is taken further on");
    fails(context, ACCD_ERROR_ALREADY_PRESENT, accd_map_data(context, 0, b, dev, 128, NULL), "around it");
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, accd_map_data(context, 0, b, dev + 100, 64, NULL), "too far");
    fails(context, ACCD_ERROR_NULL_POINTER, accd_map_data(context, 0, NULL, dev, 8, NULL), "null host");
    fails(context, ACCD_ERROR_NULL_POINTER, accd_map_data(context, 0, b, 0, 8, NULL), "null device");
    fails(context, ACCD_ERROR_INVALID_SECTION, accd_map_data(context, 0, b, dev, 0, NULL), "no bytes");
    fails(context, ACCD_ERROR_ALREADY_PRESENT, accd_device_free(context, 0, dev), "it is in use");
    is_status(accd_map_data(context, 0, b, dev, 32, NULL), ACCD_OK, "the memory before it");
    is_status(REGION(context, &region, BYTES(ACCD_ACTION_COPY, a, 32)), ACCD_OK, "a region of mapped data");
    fails(context, ACCD_ERROR_ALREADY_PRESENT, accd_unmap_data(context, 0, a), "it is in use");
    is_status(accd_region_end(region), ACCD_OK, "its end");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, a, 32)), ACCD_OK, "delete");
    is_status(FINALIZE(context, BYTES(ACCD_ACTION_DELETE, a, 32)), ACCD_OK, "delete finally");
    ok(present_count(context, a, 0, 1), "only unmap takes the last reference off");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, a, 32)), ACCD_OK, "enter");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, a, 32)), ACCD_OK, "exit");
    ok(present_count(context, a, 0, 1), "as before");
    fails(context, ACCD_ERROR_NOT_PRESENT, accd_unmap_data(context, 0, a + 4), "not its first byte");
    fails(context, ACCD_ERROR_NOT_PRESENT, accd_unmap_data(context, 1, a), "not on that device");
    is_sound(context);
    is_status(accd_unmap_data(context, 0, a), ACCD_OK, "unmap");
    fails(context, ACCD_ERROR_NOT_PRESENT, accd_unmap_data(context, 0, a), "only once");
    is_status(accd_unmap_data(context, 0, b), ACCD_OK, "unmap");
    is_status(accd_device_free(context, 0, dev), ACCD_OK, "free");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, a, 32), BYTES(ACCD_ACTION_COPYIN, a + 64, 32)), ACCD_OK,
              "two in one block");
    fails(context, ACCD_ERROR_NOT_PRESENT, accd_unmap_data(context, 0, a), "not by map");
    hole = accd_device_address(context, 0, a);
    fails(context, ACCD_ERROR_ALREADY_PRESENT, accd_device_free(context, 0, hole), "present data");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, a, 32)), ACCD_OK, "the first leaves");
    fails(context, ACCD_ERROR_ALREADY_PRESENT, accd_device_free(context, 0, hole),
          "its memory still belongs to the other's block");
    fails(context, ACCD_ERROR_ALREADY_PRESENT, accd_map_data(context, 0, b, hole, 32, NULL), "and cannot be mapped");
    is_sound(context);
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, a + 64, 32)), ACCD_OK, "the other leaves");
    free_memory_context(context, &meter);
}

static void host_memory(void)
{
    struct meter meter = {0};
    accd_context_config config;
    init_config(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = &meter;
    config.check_host = 1;
    config.device_bytes = 1 << 20;
    accd_context *context = NULL;
    is_status(accd_context_new(&context, &config), ACCD_OK, "open");
    accd_host_range range;
    uint64_t start, bytes, dev;
    is_status(accd_host_register(context, a, 64, array(context, "a", 1, NULL)), ACCD_OK, "a is known");
    is_status(accd_host_register(context, a + 128, 64, NULL), ACCD_OK, "so is this");
    ok(accd_host_at(context, a + 63, &range) && range.live && !strcmp(range.info.name, "a[0:64]"), "its last byte");
    ok(!accd_host_at(context, a + 64, &range) && !accd_host_at(context, NULL, &range), "not more");
    ok(accd_host_bounds(context, a + 130, &start, &bytes) && bytes == 64, "bounds");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, a + 8, 56)), ACCD_OK, "a section of it");
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, ENTER(context, BYTES(ACCD_ACTION_COPYIN, a + 128, 65)), "too long");
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, ENTER(context, BYTES(ACCD_ACTION_COPYIN, a + 70, 8)), "between");
    dev = accd_device_address(context, 0, a + 8);
    fails(context, ACCD_ERROR_DEVICE_POINTER_ON_HOST,
          ENTER(context, BYTES(ACCD_ACTION_COPYIN, (void *)(uintptr_t)dev, 8)), "a device address");
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, accd_copy_from_device(context, 0, b, dev, 8), "raw copies too");
    accd_host_set_state(context, a + 128, 0);
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, ENTER(context, BYTES(ACCD_ACTION_COPYIN, a + 128, 8)), "freed");
    ok(accd_host_at(context, a + 128, &range) && !range.live, "it is remembered");
    ok(!accd_host_bounds(context, a + 128, &start, &bytes), "but is not live");
    accd_host_set_state(context, a + 128, 1);
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, a + 128, 8)), ACCD_OK, "live again");
    /* what was freed meanwhile is neither read nor written at the exit */
    accd_region *region;
    is_status(REGION(context, &region, BYTES(ACCD_ACTION_COPY, a + 160, 8)), ACCD_OK, "region");
    accd_host_set_state(context, a + 128, 0);
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, UPDATE(context, BYTES(ACCD_ACTION_UPDATE_DEVICE, a + 160, 8)),
          "update of freed memory");
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, EXIT(context, BYTES(ACCD_ACTION_COPYOUT, a + 128, 8)),
          "copyout to freed memory");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, a + 128, 8)), ACCD_OK, "delete moves nothing");
    fails(context, ACCD_ERROR_OUT_OF_BOUNDS, accd_region_end(region), "nor does the end of a region");
    accd_host_set_state(context, a + 128, 1);
    is_status(accd_region_end(region), ACCD_OK, "live again");
    accd_host_set_state(context, a + 128, -1);
    ok(!accd_host_at(context, a + 128, &range), "forgotten");
    accd_host_set_state(context, a + 128, 0); /* no such range: nothing happens */
    is_status(EXIT(context, BYTES(ACCD_ACTION_COPYOUT, a + 8, 56)), ACCD_OK, "exit");
    free_memory_context(context, &meter);
}

static void addresses(void)
{
    struct meter meter;
    accd_context *context = new_memory_context(&meter);
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, a, 16)), ACCD_OK, "enter");
    uint64_t dev = accd_device_address(context, 0, a), low, high;
    ok(accd_host_address(context, 0, dev + 15) == (uint64_t)(uintptr_t)(a + 15), "there and back");
    ok(!accd_host_address(context, 0, dev + 16) && !accd_host_address(context, 0, 0) &&
           !accd_host_address(context, 0, UINT64_MAX) && !accd_device_address(context, 0, a + 16) &&
           !accd_device_address(context, 0, (void *)UINTPTR_MAX) && !accd_device_address(context, 5, a),
       "and nowhere else");
    /* the device order is kept from now on */
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, b, 16), BYTES(ACCD_ACTION_COPYIN, b + 32, 16)), ACCD_OK, "more");
    dev = accd_device_address(context, 0, b + 32);
    ok(accd_device_bounds(context, 0, dev + 3, &low, &high) && low == dev && high == dev + 16, "bounds");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, b + 32, 16)), ACCD_OK, "less");
    ok(!accd_device_bounds(context, 0, dev, &low, &high), "no bounds");
    is_sound(context);
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, a, 16), BYTES(ACCD_ACTION_DELETE, b, 16)), ACCD_OK, "exit");
    free_memory_context(context, &meter);
}

int main(void)
{
    raw_memory();
    device_allocator();
    freed_memory();
    mapping();
    host_memory();
    addresses();
    return done();
}
