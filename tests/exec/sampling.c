/* Sampling of strict runs: which runs of a construct are checked, by its arguments and by the data that are present. */
#include "../tap.h"

#include <base/runtime.h>
#include <feed_pages/sampling.h>
#include <lib/arena.h>

void *rt_arena_realloc(void *ud, void *old, size_t old_size, size_t new_size)
{
    (void)ud, (void)old_size;
    if (new_size)
        return realloc(old, new_size);
    free(old);
    return NULL;
}
void accd_get_stats(accd_context *context, int device, accd_stats *stats_p)
{
    (void)context, (void)device;
    *stats_p = (accd_stats){.objects = 1};
}

static struct rt_site site;
static accd_item item = {.host = "data", .bytes = 1 << 20, .action = ACCD_ACTION_COPY};

/* Runs a compute construct at `pc` n times, and returns how many runs were checked. */
static int count_checked(uintptr_t pc, int n)
{
    int checked = 0;
    site.call.pc = pc;
    for (int i = 0; i < n; i++)
        checked += rt_sample_construct(&rt_this_thread, ACCD_KIND_COMPUTE, &item, 1) == RT_SAMPLED;
    return checked;
}

int main(void)
{
    rt.site = &site;
    is_number(count_checked(1, 16), 16, "the first 16 runs are checked");
    is_number(count_checked(1, 8), 4, "then each second one");
    is_number(count_checked(1, 16), 4, "then each fourth one");
    count_checked(1, 10000);
    is_number(count_checked(1, 2560), 10, "at last each 256th one");
    is_number(count_checked(2, 16), 16, "another construct begins anew");

    item.bytes++;
    is_number(count_checked(1, 16), 16, "so does the same one with other data");
    item.bytes--;
    const accd_event allocation = {.op = ACCD_OP_ALLOC, .host = 4096, .bytes = 8};
    accd_event release = allocation;
    release.op = ACCD_OP_FREE;
    rt_sampling_event(&allocation);
    is_number(count_checked(1, 16), 16, "and when other data are present");
    rt_sampling_event(&release);
    ok(count_checked(1, 512) < 4, "but not when these are unmapped again");
    rt_sampling_add_value(&rt_this_thread, (uint64_t)1 << 40);
    is_number(count_checked(1, 1), 1, "an address among the arguments counts");
    rt_sampling_add_value(&rt_this_thread, 12345);
    ok(count_checked(1, 512) < 4, "a number does not");

    int checked = 0;
    for (int i = 0; i < 64000; i++) {
        item.bytes = (1u << 20) + (uint64_t)i;
        checked += count_checked(3, 1);
    }
    ok(checked >= 1000 && checked <= 1100, "if data always differ, one run in 64 is checked: %d of 64000", checked);

    item.bytes = 100;
    site.call.pc = 4;
    enum rt_sampling sampling = RT_SAMPLED;
    for (int i = 0; i < 100; i++)
        sampling = rt_sample_construct(&rt_this_thread, ACCD_KIND_UPDATE, &item, 1);
    ok(sampling == RT_ALWAYS_CHECKED || sampling == RT_SAMPLED, "a directive of few bytes is checked each time");
    rt.options.check_all = true;
    is_number(count_checked(1, 1000), 1000, "and so is each run, if all are asked for");
    return done();
}
