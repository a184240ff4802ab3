/* ACCD_ITEM_ZERO: memory that a construct allocates is cleared, but for the bytes that come from the host. */
#include "openmp.h"

enum { MANY = 10000 };
static int many[MANY];

/* Whether the device has 0 everywhere, but for the elements from low on and below high, which are the host's. */
static bool is_clear(accd_context *context, int low, int high)
{
    bool good = true;
    for (int i = 0; i < MANY; i++) /* each for itself: under the directory's rules there may be several objects */
        good &= read_device_int(context, many + i) == (i >= low && i < high ? many[i] : 0);
    return good;
}

static accd_context *opened(struct meter *meter, const char *rules)
{
    for (int i = 0; i < MANY; i++)
        many[i] = i + 1;
    *meter = (struct meter){0};
    return open_with(meter, NULL, rules, 64);
}

static void clears(const char *rules)
{
    struct meter meter;
    accd_context *context = opened(&meter, rules);
    accd_region *region;
    const accd_item zero = with(PLAIN(ACCD_ACTION_CREATE, many), ACCD_ITEM_ZERO);
    is_status(ENTER(context, zero), ACCD_OK, "%s: create(zero: ...)", rules);
    ok(is_clear(context, 0, 0), "all is 0");
    put_device(context, many + 5, 7);
    is_status(REGION(context, &region, with(zero, ACCD_ITEM_PRESENT_OR)), ACCD_OK, "again, where it is present");
    ok(read_device_int(context, many + 5) == 7, "clears nothing");
    is_status(accd_region_end(region), ACCD_OK, "its end");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, many)), ACCD_OK, "exit data");

    is_status(REGION(context, &region, with(PLAIN(ACCD_ACTION_COPYOUT, many), ACCD_ITEM_ZERO)), ACCD_OK,
              "copyout(zero: ...)");
    put_device(context, many + 5, 7);
    is_status(accd_region_end(region), ACCD_OK, "its end");
    ok(many[4] == 0 && many[5] == 7 && many[MANY - 1] == 0, "copies zeros");
    free_openmp_context(context, &meter);
}

static void in_parts(const char *rules)
{
    struct meter meter;
    accd_context *context = opened(&meter, rules);
    accd_region *region;
    const accd_item zero = with(PLAIN(ACCD_ACTION_CREATE, many), ACCD_ITEM_ZERO | ACCD_ITEM_PRESENT_OR);
    const accd_item part = BYTES(ACCD_ACTION_COPYIN, many + 2000, 4000 * sizeof many[0]);
    is_status(REGION(context, &region, zero, part), ACCD_OK, "%s: a part is copied", rules);
    ok(is_clear(context, 2000, 6000), "the rest is 0");
    is_status(accd_region_end(region), ACCD_OK, "its end");
    is_status(REGION(context, &region, part, zero), ACCD_OK, "the other order");
    ok(is_clear(context, 2000, 6000), "does the same");
    is_status(accd_region_end(region), ACCD_OK, "its end");
    const accd_item others[] = {BYTES(ACCD_ACTION_COPYIN, many, 4), BYTES(ACCD_ACTION_COPYIN, many + MANY - 1, 4)};
    is_status(REGION(context, &region, others[1], zero, others[0]), ACCD_OK, "the first one and the last one");
    many[MANY - 1] = 0;
    ok(!is_clear(context, 0, 1), "are copied, the last one, too");
    many[MANY - 1] = MANY;
    put_device(context, many + MANY - 1, 0);
    ok(is_clear(context, 0, 1), "and the rest is 0");
    is_status(accd_region_end(region), ACCD_OK, "its end");
    is_status(REGION(context, &region, zero, PLAIN(ACCD_ACTION_COPYIN, many)), ACCD_OK, "all is copied");
    ok(is_clear(context, 0, MANY), "nothing is 0");
    is_status(accd_region_end(region), ACCD_OK, "its end");
    free_openmp_context(context, &meter);
}

int main(void)
{
    static const char *const profiles[] = {"openacc-3.4", "tr14", "directory", "openmp-5.1"};
    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        clears(profiles[i]);
        in_parts(profiles[i]);
    }
    return done();
}
