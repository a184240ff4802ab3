/* What real programs need: a device whose memory lies at its addresses, regions of several host
 * threads, members of aggregates that are not mapped themselves. */
#include "accdeep_internal.h"
#include "support.h"

static accd_context *open_direct(struct meter *meter)
{
    accd_context_config config;
    init_config(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = meter;
    config.devices = 2;
    config.device_bytes = 1 << 20;
    config.rules = accd_find_rules("openacc-3.3");
    config.backend = accd_find_backend("direct");
    accd_context *context = NULL;
    if (!ok(accd_context_new(&context, &config) == ACCD_OK, "a context with direct devices"))
        exit(1);
    return context;
}

static void *device_address(accd_context *context, const void *host)
{
    return (void *)(uintptr_t)accd_device_address(context, 0, host);
}

static void memory(accd_context *context)
{
    int data[4] = {1, 2, 3, 4}, fresh[4];
    uint64_t low, high;
    ok(!accd_find_backend("none") && accd_find_backend("sim"), "backends have names");
    ok(accd_device_address_space(context, 0, &low, &high) && low < high, "it says where its memory lies");
    ENTER(context, PLAIN(ACCD_ACTION_COPYIN, data), PLAIN(ACCD_ACTION_CREATE, fresh));
    int *device = device_address(context, data), *poisoned = device_address(context, fresh);
    ok((uintptr_t)device >= low && (uintptr_t)(device + 4) <= high, "there");
    ok(device[3] == 4, "a kernel reads it");
    ok((unsigned)poisoned[0] == 0x7F7F7F7Fu, "fresh memory is poisoned");
    ok(accd_device_count_written(context, 0, (uintptr_t)device, 4) == -1, "nobody knows what was written");
    device[0] = 10;
    EXIT(context, PLAIN(ACCD_ACTION_COPYOUT, data), PLAIN(ACCD_ACTION_DELETE, fresh));
    ok(data[0] == 10 && data[1] == 2, "what the kernel wrote comes back");
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    is_number(stats.live_bytes, 0, "all memory is given back");
}

/* Whether an allocation stands at a closed page as its kind of device says. */
static bool stands(const char *kind, uint64_t dev, uint64_t bytes)
{
    const uint64_t least = bytes & -bytes;
    if (!strcmp(kind, "guarded-begin"))
        return dev % 4096 == 0;
    if (!strcmp(kind, "guarded-end"))
        return (dev + bytes) % 4096 == 0 && dev % (least < 16 ? least : 16) == 0;
    return dev % 16 == 0 && (dev + bytes + 15) / 16 * 16 % 4096 == 0;
}

/* Guarded memory comes and goes like other memory, rests before it is used again, and tells what was written beside
 * it. */
static void guarded(const char *kind)
{
    enum { N = 300 };
    accd_context_config config;
    accd_context *context = NULL;
    uint64_t dev[N], block = 0;
    accd_stats stats;
    init_config(&config);
    config.device_bytes = 8 << 20;
    config.backend = accd_find_backend(kind);
    if (!ok(accd_context_new(&context, &config) == ACCD_OK, "a context with a guarded device"))
        exit(1);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < N; i++) {
            const uint64_t bytes = (uint64_t)(i * 7 + round * 501 + 1);
            ok(accd_device_alloc(context, 0, bytes, &dev[i]) == ACCD_OK, "memory, round %d, %d", round, i);
            ok(stands(kind, dev[i], bytes), "it ends or begins at a page");
            ok(accd_device_is_allocated(context, 0, dev[i], bytes) &&
                   !accd_device_is_allocated(context, 0, dev[i], bytes + 1),
               "it holds its bytes");
            memset((void *)(uintptr_t)dev[i], i, bytes);
        }
        is_number(accd__device_find_overrun(context, 0, &block), 0, "nothing is written beside it");
        for (int i = 0; i < N; i++)
            ok(accd_device_free(context, 0, dev[(i * 7) % N]) == ACCD_OK, "it goes");
        accd_get_stats(context, 0, &stats);
        is_number(stats.live_bytes, 0, "all memory is given back");
    }
    ok(accd_device_alloc(context, 0, 5, &dev[0]) == ACCD_OK && accd_device_alloc(context, 0, 16, &dev[1]) == ACCD_OK,
       "memory");
    char *first = (void *)(uintptr_t)dev[0], *second = (void *)(uintptr_t)dev[1];
    if (strcmp(kind, "guarded-end") != 0) {
        first[5] = 1;
        is_number(accd__device_find_overrun(context, 0, &block), dev[0] + 5, "after the end");
        is_number(block, dev[0], "of the first");
        first[5] = (char)ACCD_POISON;
    }
    if (strcmp(kind, "guarded-begin") != 0) {
        second[-1] = 1;
        is_number(accd__device_find_overrun(context, 0, &block), dev[1] - 1, "before the beginning");
        second[-1] = (char)ACCD_POISON;
    }
    ok(accd_device_free(context, 0, dev[0]) == ACCD_OK && accd_device_free(context, 0, dev[0]) == ACCD_ERROR_MISUSE &&
           accd_device_alloc(context, 0, 5, &dev[2]) == ACCD_OK && (dev[2] == dev[0]) == !strcmp(kind, "guarded-again"),
       "freed memory rests, or is used again");
    is_number(accd__device_find_overrun(context, 0, &block), 0, "and is not looked at");
    accd_context_free(context);
}

static accd_region *open_region(accd_context *context, uint64_t thread, void *host, uint64_t bytes)
{
    accd_region *region = NULL;
    const accd_item item = BYTES(ACCD_ACTION_COPY, host, bytes);
    ok(accd_run_construct(
           context,
           &(accd_construct){.kind = ACCD_KIND_REGION, .name = "data", .thread = thread, .items = &item, .nitems = 1},
           &region) == ACCD_OK,
       "thread %d opens a region", (int)thread);
    return region;
}

static void threads(accd_context *context)
{
    int shared[4] = {0}, mine[4] = {0};
    accd_region *one = open_region(context, 1, shared, sizeof shared);
    accd_region *two = open_region(context, 2, mine, sizeof mine);
    accd_region *inner = open_region(context, 1, mine, sizeof mine);
    ok(accd_region_end(one) == ACCD_ERROR_REGION_NESTING, "a thread ends its innermost region first");
    ok(accd_region_end(two) == ACCD_OK, "another thread's regions do not matter");
    is_sound(context);
    ok(present_count(context, mine, 1, 0), "the inner region holds the data");
    ok(accd_region_end(inner) == ACCD_OK && accd_region_end(one) == ACCD_OK, "both end");
    accd_region *left = open_region(context, 1, shared, sizeof shared);
    accd_region *other = open_region(context, 2, shared, sizeof shared);
    open_region(context, 1, mine, sizeof mine);
    accd_region_abandon(left); /* with the one inside it */
    ok(present_count(context, shared, 1, 0), "the other thread's region is still there");
    ok(accd_region_end(other) == ACCD_OK, "it ends");
    is_sound(context);
}

struct aggregate {
    int a, b;
    double *p;
};

static accd_item in_frame(accd_action action, void *host, uint64_t bytes, struct aggregate *whole, uint64_t room)
{
    accd_item item = BYTES((uint8_t)action, host, bytes);
    item.frame = whole;
    item.frame_bytes = room;
    return item;
}

static void frames(accd_context *context)
{
    struct aggregate s = {1, 2, NULL}, late = {3, 4, NULL};
    double data[2] = {5, 6};
    accd_stats stats;
    s.p = data;
    accd_item section = PLAIN(ACCD_ACTION_COPYIN, data);
    section.slot = &s.p;
    ok(ENTER(context, in_frame(ACCD_ACTION_COPYIN, &s.b, sizeof s.b, &s, sizeof s),
             in_frame(ACCD_ACTION_CREATE, &s.p, sizeof s.p, &s, sizeof s), section) == ACCD_OK,
       "two members and what one leads to");
    const struct aggregate *device =
        (struct aggregate *)((char *)device_address(context, &s.b) - offsetof(struct aggregate, b));
    ok(device->b == 2 && device->p == device_address(context, data), "a kernel sees the aggregate");
    ok(!device_address(context, &s.a), "the third member is absent");
    ok(ENTER(context, in_frame(ACCD_ACTION_COPYIN, &s.a, sizeof s.a, &s, sizeof s)) == ACCD_OK, "it comes later");
    ok(device_address(context, &s.a) == &device->a && device->a == 1, "to its place");
    is_sound(context);
    ok(ENTER(context, BYTES(ACCD_ACTION_COPYIN, &s, sizeof s)) == ACCD_ERROR_PARTIALLY_PRESENT,
       "the members do not make the whole");
    ok(ENTER(context, in_frame(ACCD_ACTION_COPYIN, &late.a, sizeof late.a, &late, sizeof late.a)) == ACCD_OK &&
           ENTER(context, in_frame(ACCD_ACTION_COPYIN, &late.b, sizeof late.b, &late, sizeof late)) ==
               ACCD_ERROR_PARTIALLY_PRESENT,
       "one that has no room is refused");
    is_sound(context);
    EXIT(context, BYTES(ACCD_ACTION_DELETE, &s.a, sizeof s.a), BYTES(ACCD_ACTION_DELETE, &s.b, sizeof s.b));
    ok(device->p == device_address(context, data), "the others stay where they are");
    EXIT(context, BYTES(ACCD_ACTION_DELETE, &s.p, sizeof s.p), PLAIN(ACCD_ACTION_DELETE, data),
         BYTES(ACCD_ACTION_DELETE, &late.a, sizeof late.a));
    accd_get_stats(context, 0, &stats);
    is_number(stats.live_bytes, 0, "the last member gives the memory back");
}

/* Pointers that are mapped for the sections they lead to are known as such. */
static void test_direct_pointers(accd_context *context)
{
    struct aggregate s = {0};
    accd_present_object object;
    accd_item pointer = in_frame(ACCD_ACTION_CREATE, &s.p, sizeof s.p, &s, sizeof s);
    pointer.flags = ACCD_ITEM_BASE_POINTER;
    ENTER(context, pointer);
    ok(accd_present_at(context, 0, (uintptr_t)&s.p, 0, &object) && object.pointer, "a pointer");
    ENTER(context, BYTES(ACCD_ACTION_CREATE, &s.p, sizeof s.p));
    ok(accd_present_at(context, 0, (uintptr_t)&s.p, 0, &object) && !object.pointer, "it was asked for, too");
    FINALIZE(context, BYTES(ACCD_ACTION_DELETE, &s.p, sizeof s.p));
}

/* On a device with room, fresh large blocks begin at a huge page, whatever lies before them, and do not overlap. */
static void large(void)
{
    enum { HUGE = 2 << 20, N = 4 };
    uint64_t small[N], dev[N];
    accd_context *context;
    accd_context_config config;
    accd_context_config_init(&config);
    config.backend = accd_find_backend("direct");
    if (!ok(accd_context_new(&context, &config) == ACCD_OK, "a context with a usual device"))
        return;
    for (int i = 0; i < N; i++) {
        ok(accd_device_alloc(context, 0, 24, &small[i]) == ACCD_OK, "a small block");
        ok(accd_device_alloc(context, 0, HUGE + 8u * (unsigned)i, &dev[i]) == ACCD_OK, "a large block");
        is_number(dev[i] % HUGE, 0, "a large block begins at a huge page");
        ok(!i || dev[i] >= dev[i - 1] + HUGE + 8u * (unsigned)(i - 1), "large blocks lie apart");
    }
    accd_context_free(context);
}

/* Constructs on a device without bytes change no host memory; a checkpoint restores its allocations and the rules. */
static void test_unbacked(void)
{
    accd_context_config config;
    init_config(&config);
    config.backend = accd_find_backend("unbacked");
    config.rules = accd_find_rules("openacc-3.3");
    config.checkpoints = 1;
    accd_context *context = NULL;
    accd_checkpoint *saved = NULL;
    if (!ok(accd_context_new(&context, &config) == ACCD_OK, "a context with a device without bytes"))
        exit(1);
    static int data[1 << 20];
    data[0] = 7;
    ENTER(context, PLAIN(ACCD_ACTION_COPYIN, data));
    const uint64_t dev = accd_device_address(context, 0, data);
    ok(accd_device_at(context, dev) == 0 && accd_device_at(context, (uintptr_t)data) < 0, "its addresses are its own");
    ok(accd_checkpoint_new(context, &saved) == ACCD_OK, "its state is saved");
    accd__context_set_rules(context, accd_find_rules("tr14"));
    EXIT(context, PLAIN(ACCD_ACTION_COPYOUT, data));
    ok(data[0] == 7, "a copy to the host does not change host memory");
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    is_number(stats.moved_bytes[1], sizeof data, "but it counts");
    is_number(stats.live_bytes, 0, "all memory is given back");
    ok(accd_checkpoint_restore(saved) == ACCD_OK && accd_device_address(context, 0, data) == dev, "it is restored");
    ok(!strcmp(accd_get_rules(context)->name, "openacc-3.3"), "with its rules");
    EXIT(context, PLAIN(ACCD_ACTION_DELETE, data));
    is_sound(context);
    accd_checkpoint_free(saved);
    accd_context_free(context);
}

int main(void)
{
    struct meter meter = {0};
    accd_context *context = open_direct(&meter);
    test_unbacked();
    guarded("guarded");
    guarded("guarded-end");
    guarded("guarded-begin");
    guarded("guarded-again");
    memory(context);
    large();
    threads(context);
    frames(context);
    test_direct_pointers(context);
    is_sound(context);
    accd_context_free(context);
    is_number(meter.live, 0, "no host memory is left");
    return done();
}
