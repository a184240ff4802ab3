/* Plain data clauses: present test, overlap, aliases, counters, regions, devices, single steps. */
#include "support.h"

static int a[64], b[64], c[64];
static struct story story;

static accd_context *new_construct_context(struct meter *meter, const char *rules)
{
    for (int i = 0; i < 64; i++) {
        a[i] = i;
        b[i] = 100 + i;
        c[i] = 200 + i;
    }
    *meter = (struct meter){0};
    return open_with(meter, NULL, rules, 64);
}

static void free_construct_context(accd_context *context, struct meter *meter)
{
    is_sound(context);
    accd_context_free(context);
    is_number(meter->live + meter->blocks + meter->wrong, 0, "all memory is given back");
}

static void present_test(void)
{
    struct meter meter;
    accd_context *context = new_construct_context(&meter, NULL);
    accd_region *region;
    is_number(accd_get_presence(context, 0, a, sizeof a), ACCD_PRESENCE_NONE, "absent at first");
    is_status(REGION(context, &region, BYTES(ACCD_ACTION_COPYIN, a + 10, 40)), ACCD_OK, "a[10:10]");
    is_number(accd_get_presence(context, 0, a + 10, 40), ACCD_PRESENCE_FULL, "wholly");
    is_number(accd_get_presence(context, 0, a + 12, 8), ACCD_PRESENCE_FULL, "a part of it, wholly");
    is_number(accd_get_presence(context, 0, a + 9, 8), ACCD_PRESENCE_PARTIAL, "over the front");
    is_number(accd_get_presence(context, 0, a + 19, 8), ACCD_PRESENCE_PARTIAL, "over the end");
    is_number(accd_get_presence(context, 0, a, sizeof a), ACCD_PRESENCE_PARTIAL, "around it");
    is_number(accd_get_presence(context, 0, a, 40), ACCD_PRESENCE_NONE, "up to its first byte");
    is_number(accd_get_presence(context, 0, a + 20, 4), ACCD_PRESENCE_NONE, "from its end");
    is_number(accd_get_presence(context, 0, a + 10, 0), ACCD_PRESENCE_FULL, "no bytes count as one");
    is_number(accd_get_presence(context, 0, a + 20, 0), ACCD_PRESENCE_NONE, "no bytes at the end");
    is_number(accd_get_presence(context, 0, a, UINT64_MAX), ACCD_PRESENCE_PARTIAL, "all there is");
    is_number(accd_get_presence(context, 0, NULL, 4), ACCD_PRESENCE_NONE, "nothing at a null address");
    is_number(accd_get_presence(context, 0, (void *)UINTPTR_MAX, 1), ACCD_PRESENCE_NONE, "the last byte");
    is_number(accd_get_presence(context, 1, a + 10, 40), ACCD_PRESENCE_NONE, "on the other device");
    is_number(accd_get_presence(context, 2, a + 10, 40), ACCD_PRESENCE_NONE, "on no device");
    accd_region *inner = NULL;
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, REGION(context, &inner, BYTES(ACCD_ACTION_COPY, a + 15, 40)),
          "half present");
    ok(accd_context_error(context)->other.host == (uint64_t)(uintptr_t)(a + 10) &&
           accd_context_error(context)->item == 0 && !inner,
       "the error tells what is in the way");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, ENTER(context, PLAIN(ACCD_ACTION_COPYIN, a)), "a piece inside");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, UPDATE(context, PLAIN(ACCD_ACTION_UPDATE_DEVICE, a)), "update");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, EXIT(context, PLAIN(ACCD_ACTION_DELETE, a)), "exit");
    fails(context, ACCD_ERROR_NOT_PRESENT, REGION(context, &inner, PLAIN(ACCD_ACTION_PRESENT, b)), "present");
    fails(context, ACCD_ERROR_NOT_PRESENT, EXIT(context, PLAIN(ACCD_ACTION_COPYOUT, b)), "copyout of nothing");
    fails(context, ACCD_ERROR_NOT_PRESENT, UPDATE(context, PLAIN(ACCD_ACTION_UPDATE_SELF, b)), "update self");
    is_status(REGION(context, &inner, BYTES(ACCD_ACTION_PRESENT, a + 11, 4), PLAIN(ACCD_ACTION_NO_CREATE, b)), ACCD_OK,
              "present and no_create");
    ok(present_count(context, a + 10, 2, 0) && present_count(context, b, 0, 0), "counters");
    fails(context, ACCD_ERROR_REGION_NESTING, accd_region_end(region), "the outer one first");
    is_status(accd_region_end(inner), ACCD_OK, "inner end");
    is_status(accd_region_end(region), ACCD_OK, "outer end");
    free_construct_context(context, &meter);
}

static void overlap(void)
{
    struct meter meter;
    accd_context *context = new_construct_context(&meter, NULL);
    accd_region *region;
    fails(context, ACCD_ERROR_PARTIAL_OVERLAP,
          REGION(context, &region, BYTES(ACCD_ACTION_COPY, a, 40), BYTES(ACCD_ACTION_COPY, a + 5, 40)), "overlap");
    fails(context, ACCD_ERROR_PARTIAL_OVERLAP,
          ENTER(context, BYTES(ACCD_ACTION_CREATE, a + 5, 40), BYTES(ACCD_ACTION_COPYIN, a, 40)), "either order");
    fails(context, ACCD_ERROR_PARTIAL_OVERLAP,
          REGION(context, &region, BYTES(ACCD_ACTION_PRESENT, a + 5, 40), BYTES(ACCD_ACTION_COPYIN, a, 40)),
          "with a present clause");
    fails(context, ACCD_ERROR_PARTIAL_OVERLAP,
          ENTER(context, BYTES(ACCD_ACTION_COPYIN, a, 40), BYTES(ACCD_ACTION_COPYIN, a + 4, 8),
                BYTES(ACCD_ACTION_COPYIN, a + 9, 8)),
          "behind a contained one");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, a, 40), BYTES(ACCD_ACTION_COPYIN, a + 10, 40)), ACCD_OK,
              "neighbours do not overlap");
    ok(present_count(context, a + 9, 0, 1) && present_count(context, a + 10, 0, 1), "two objects");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, ENTER(context, BYTES(ACCD_ACTION_COPYIN, a, 80)),
          "two objects together are not one");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, a, 40), BYTES(ACCD_ACTION_DELETE, a + 10, 40)), ACCD_OK,
              "both leave");
    free_construct_context(context, &meter);
}

/* TR14-4.2-06 to 08: contained objects, each byte once, references for all clauses. */
static void containment(void)
{
    struct meter meter;
    accd_context *context = new_construct_context(&meter, NULL);
    accd_stats stats;
    accd_region *region;
    story_clear(&story);
    accd_context_set_event_handler(context, tell_story, &story);
    accd_item whole = PLAIN(ACCD_ACTION_CREATE, a), part = BYTES(ACCD_ACTION_COPYIN, a + 8, 20),
              other = BYTES(ACCD_ACTION_COPYIN, a + 10, 40), out = BYTES(ACCD_ACTION_COPYOUT, a + 60, 16);
    whole.label = array(context, "a", 4, NULL);
    part.label = array(context, "part", 4, NULL);
    is_status(REGION(context, &region, part, whole, other, out), ACCD_OK, "contained");
    accd_get_stats(context, 0, &stats);
    is_number(stats.live_bytes, sizeof a, "memory for the largest only");
    is_number(stats.moved_bytes[0], 48, "the union of what is asked for, once");
    ok(present_count(context, a, 4, 0), "a reference for each clause");
    is_text(story.text,
            "alloc a[0:64]|h2d part[0:5]|incref part[0:5]|incref a[0:64]|incref |"
            "incref |",
            "events");
    is_number(accd_device_count_written(context, 0, accd_device_address(context, 0, a), sizeof a), 48,
              "only those bytes are initialised");
    int value = 9;
    ok(device_put(context, a + 60, &value, 4) && device_put(context, a + 20, &value, 4), "write");
    a[61] = 5;
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_DEVICE, a + 61, 12)), ACCD_OK, "update a part");
    is_status(accd_region_end(region), ACCD_OK, "end");
    ok(a[60] == 9 && a[61] == 5 && a[20] == 20, "copied out is what was asked for");
    /* AMB-TR14-17: state and moves do not depend on the order of clauses */
    for (int order = 0; order < 2; order++) {
        accd_item copy = BYTES(ACCD_ACTION_COPY, b, 40), also = BYTES(ACCD_ACTION_PRESENT, b, 40);
        is_status(order ? REGION(context, &region, also, copy) : REGION(context, &region, copy, also), ACCD_OK,
                  "copy(b) present(b), order %d", order);
        value = 70 + order;
        ok(device_put(context, b + 1, &value, 4), "write");
        is_status(accd_region_end(region), ACCD_OK, "end");
        is_number(b[1], 70 + order, "the copy is not lost");
    }
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, a, 8), BYTES(ACCD_ACTION_COPYIN, a, 8),
                    BYTES(ACCD_ACTION_COPYIN, a, 8)),
              ACCD_OK, "one object three times");
    ok(present_count(context, a, 0, 3), "has three references");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, a, 8), BYTES(ACCD_ACTION_DELETE, a, 8),
                   BYTES(ACCD_ACTION_DELETE, a, 8), BYTES(ACCD_ACTION_DELETE, a, 8)),
              ACCD_OK, "and loses four");
    ok(present_count(context, a, 0, 0), "which is no less than none");
    free_construct_context(context, &meter);
}

static void counters(void)
{
    struct meter meter;
    accd_context *context = new_construct_context(&meter, NULL);
    accd_region *outer, *inner;
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, a)), ACCD_OK, "enter");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_CREATE, a)), ACCD_OK, "enter again");
    is_status(REGION(context, &outer, PLAIN(ACCD_ACTION_COPY, a)), ACCD_OK, "region");
    is_status(CONSTRUCT(context, ACCD_KIND_COMPUTE, &inner, PLAIN(ACCD_ACTION_PRESENT, a)), ACCD_OK, "compute");
    ok(present_count(context, a, 2, 2), "two structured, two dynamic");
    int value = -1;
    ok(device_put(context, a, &value, 4), "write");
    is_status(accd_region_end(inner), ACCD_OK, "end");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_COPYOUT, a)), ACCD_OK, "exit");
    ok(a[0] == 0 && present_count(context, a, 1, 1), "copyout only at zero");
    is_status(FINALIZE(context, PLAIN(ACCD_ACTION_COPYOUT, a)), ACCD_OK, "finalize");
    ok(a[0] == 0 && present_count(context, a, 1, 0), "the region still holds it");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_COPYOUT, a)), ACCD_OK, "exit without dynamic reference");
    ok(present_count(context, a, 1, 0), "does nothing");
    is_status(accd_region_end(outer), ACCD_OK, "end");
    ok(a[0] == -1 && present_count(context, a, 0, 0), "the region's copy comes at its end");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, b)), ACCD_OK, "enter");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, b)), ACCD_OK, "enter");
    ok(device_put(context, b, &value, 4), "write");
    is_status(FINALIZE(context, PLAIN(ACCD_ACTION_COPYOUT, b)), ACCD_OK, "finalize");
    ok(b[0] == -1 && present_count(context, b, 0, 0), "takes all dynamic references");
    /* a region ends around what enter data made inside it */
    is_status(REGION(context, &outer, PLAIN(ACCD_ACTION_CREATE, c)), ACCD_OK, "region");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, c)), ACCD_OK, "enter inside");
    is_status(accd_region_end(outer), ACCD_OK, "region ends");
    ok(present_count(context, c, 0, 1), "c stays");
    is_number(accd_device_count_written(context, 0, accd_device_address(context, 0, c), sizeof c), 0,
              "the second clause moved nothing");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, c)), ACCD_OK, "exit");
    free_construct_context(context, &meter);
}

/* An item without a reference of its own does not keep its object. What an exit data in its region takes away is gone
 * for the end of the region, too, which finds what is there again under the same address. */
static void without_reference(const char *rules)
{
    struct meter meter;
    accd_context *context = new_construct_context(&meter, rules);
    accd_region *outer, *region;
    accd_item named = PLAIN(ACCD_ACTION_PRESENT, a), part = BYTES(ACCD_ACTION_COPYOUT, a + 8, 8);
    named.flags = part.flags = ACCD_ITEM_UNCOUNTED;
    for (int again = 0; again < 2; again++) {
        a[8] = 8;
        is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, a)), ACCD_OK, "%s: enter", rules);
        is_status(REGION(context, &outer, PLAIN(ACCD_ACTION_COPY, b), part), ACCD_OK, "a region around");
        is_status(REGION(context, &region, named), ACCD_OK, "a region that counts nothing");
        ok(present_count(context, a, 0, 1), "one dynamic reference");
        is_sound(context);
        is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, a)), ACCD_OK, "exit");
        ok(present_count(context, a, 0, 0), "its data are gone");
        is_sound(context);
        a[8] = 88;
        if (again)
            is_status(ENTER(context, PLAIN(ACCD_ACTION_CREATE, a)), ACCD_OK, "other data under the address");
        is_status(accd_region_end(region), ACCD_OK, "end");
        is_status(accd_region_end(outer), ACCD_OK, "end of the region around");
        is_number(a[8], 88, "nothing comes out");
        ok(present_count(context, a, 0, again ? 1 : 0), "nothing else goes");
        is_sound(context);
        if (again)
            is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, a)), ACCD_OK, "exit");
    }
    free_construct_context(context, &meter);
}

static void nothing_to_do(void)
{
    struct meter meter;
    accd_context *context = new_construct_context(&meter, NULL);
    accd_region *region;
    is_status(accd_run_construct(context, &(accd_construct){.kind = ACCD_KIND_REGION}, &region), ACCD_OK, "no clauses");
    is_status(accd_region_end(region), ACCD_OK, "end");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, a, 0), BYTES(ACCD_ACTION_CREATE, NULL, 0)), ACCD_OK, "no bytes");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, a, 0)), ACCD_OK, "no bytes at exit");
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, b, 0)), ACCD_OK, "no bytes to update");
    accd_item try = PLAIN(ACCD_ACTION_UPDATE_SELF, a);
    try.flags = ACCD_ITEM_IF_PRESENT;
    is_status(UPDATE(context, try), ACCD_OK, "if_present");
    fails(context, ACCD_ERROR_NULL_POINTER, ENTER(context, BYTES(ACCD_ACTION_COPYIN, NULL, 8)), "null");
    fails(context, ACCD_ERROR_INVALID_SECTION, ENTER(context, BYTES(ACCD_ACTION_CREATE, a, (uint64_t)1 << 50)),
          "too large");
    fails(context, ACCD_ERROR_INVALID_SECTION, ENTER(context, BYTES(ACCD_ACTION_CREATE, (void *)(UINTPTR_MAX - 3), 8)),
          "over the end of memory");
    fails(context, ACCD_ERROR_OUT_OF_DEVICE_MEMORY, ENTER(context, BYTES(ACCD_ACTION_CREATE, a, 1u << 30)),
          "more than the device has");
    fails(context, ACCD_ERROR_MISUSE, REGION(context, NULL, PLAIN(ACCD_ACTION_COPY, a)), "no place for a region");
    fails(context, ACCD_ERROR_MISUSE, ENTER(context, PLAIN(ACCD_ACTION_DELETE, a)), "delete does not enter");
    fails(context, ACCD_ERROR_MISUSE, EXIT(context, PLAIN(ACCD_ACTION_COPYIN, a)), "copyin does not leave");
    fails(context, ACCD_ERROR_MISUSE, UPDATE(context, PLAIN(ACCD_ACTION_COPY, a)), "copy does not update");
    fails(context, ACCD_ERROR_MISUSE, ENTER(context, PLAIN(ACCD_ACTION_INHERIT, a)), "nothing is asked for");
    fails(context, ACCD_ERROR_MISUSE, ENTER(context, PLAIN(200, a)), "no such action");
    fails(context, ACCD_ERROR_MISUSE, CONSTRUCT(context, (accd_construct_kind)77, &region, PLAIN(ACCD_ACTION_COPY, a)),
          "no such kind");
    fails(context, ACCD_ERROR_NO_DEVICE,
          accd_run_construct(context, &(accd_construct){.device = 7, .kind = ACCD_KIND_ENTER_DATA}, NULL),
          "no such device");
    free_construct_context(context, &meter);
}

/* The message of an error names the object that was asked for, and the error says where. */
static void names(void)
{
    struct meter meter;
    accd_context *context = new_construct_context(&meter, "tr14");
    const accd_error *error = accd_context_error(context);
    accd_item item = PLAIN(ACCD_ACTION_UPDATE_SELF, a);
    fails(context, ACCD_ERROR_NOT_PRESENT, UPDATE(context, item), "an object without a name");
    is_text(error->message, "the data is not present on device 0", "what it is called then");
    ok(error->named == 0 && error->named_bytes == strlen("the data") && !error->item, "where that stands");
    item.label = accd_label_intern(context, &(accd_label){.name = "a"});
    fails(context, ACCD_ERROR_NOT_PRESENT, UPDATE(context, item), "an object with a name");
    is_text(error->message, "a is not present on device 0", "its name");
    is_status(ENTER(context, BYTES(ACCD_ACTION_CREATE, a, 8)), ACCD_OK, "a part of it is entered");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, UPDATE(context, item), "in the middle of a sentence");
    is_text(error->message, "only a part of a is present on device 0", "its name there");
    ok(error->named == strlen("only a part of ") && error->named_bytes == 1, "where that stands, too");
    fails(context, ACCD_ERROR_MISUSE, ENTER(context, PLAIN(ACCD_ACTION_DELETE, a)), "an error about no object");
    ok(!error->named_bytes && !*error->asked.name, "names none");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, a, 8)), ACCD_OK, "the part is removed");
    free_construct_context(context, &meter);
}

static void profiles(void)
{
    struct meter meter;
    accd_context *context = new_construct_context(&meter, "openacc-3.3");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, a)), ACCD_OK, "3.3: exit of absent data");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, NULL, 8)), ACCD_OK, "3.3: a null base");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, NULL, 8)), ACCD_OK, "3.3: a null base leaves");
    free_construct_context(context, &meter);
    context = new_construct_context(&meter, "openacc-2.0");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, a)), ACCD_OK, "2.0: enter");
    fails(context, ACCD_ERROR_ALREADY_PRESENT, ENTER(context, PLAIN(ACCD_ACTION_CREATE, a)), "2.0: again");
    accd_item again = PLAIN(ACCD_ACTION_COPYIN, a);
    again.flags = ACCD_ITEM_PRESENT_OR;
    is_status(ENTER(context, again), ACCD_OK, "2.0: present_or_copyin");
    accd_region *region;
    is_status(REGION(context, &region, PLAIN(ACCD_ACTION_PRESENT, a)), ACCD_OK, "2.0: present");
    is_status(accd_region_end(region), ACCD_OK, "2.0: end");
    is_status(FINALIZE(context, PLAIN(ACCD_ACTION_DELETE, a)), ACCD_OK, "2.0: leave");
    free_construct_context(context, &meter);
    ok(!accd_find_rules("none such"), "no such profile");
}

static void addresses(void)
{
    struct meter meter;
    accd_context *context = new_construct_context(&meter, NULL);
    char lead[32], tail[32], absent[32];
    uint64_t known[3] = {1, 1, 1};
    accd_region *region;
    is_status(ENTER(context, PLAIN(ACCD_ACTION_CREATE, lead), PLAIN(ACCD_ACTION_CREATE, tail)), ACCD_OK,
              "two are present");
    is_status(REGION(context, &region, PLAIN(ACCD_ACTION_PRESENT, tail), BYTES(ACCD_ACTION_PRESENT, lead + 8, 8),
                     PLAIN(ACCD_ACTION_CREATE, absent)),
              ACCD_OK, "a region");
    is_number((long long)accd_region_addresses(region, known, 2), 2, "as many as were asked for");
    ok(known[0] == accd_device_address(context, 0, tail) && known[1] == accd_device_address(context, 0, lead + 8) &&
           known[2] == 1,
       "in the order of the items, and no more are written");
    is_number((long long)accd_region_addresses(region, known, 3), 3, "what the region made is known, too");
    ok(known[2] && known[2] == accd_device_address(context, 0, absent), "where it lies");
    is_number((long long)accd_region_addresses(region, NULL, 3), 0, "nowhere to write");
    is_status(accd_region_end(region), ACCD_OK, "end");
    free_construct_context(context, &meter);
}

static void test_devices(void)
{
    struct meter meter;
    accd_context *context = new_construct_context(&meter, NULL);
    accd_region *zero, *one;
    accd_item item = PLAIN(ACCD_ACTION_COPY, a);
    accd_construct on_one = {.device = 1, .kind = ACCD_KIND_REGION, .items = &item, .nitems = 1};
    is_status(REGION(context, &zero, item), ACCD_OK, "device 0");
    is_status(accd_run_construct(context, &on_one, &one), ACCD_OK, "device 1");
    uint64_t there = accd_device_address(context, 1, a);
    ok(there && there != accd_device_address(context, 0, a), "two addresses");
    is_number(accd_device_at(context, there), 1, "an address tells its device");
    is_number(accd_device_at(context, (uint64_t)(uintptr_t)a), -1, "a host address has none");
    ok(accd_device_is_allocated(context, 1, there, sizeof a) && !accd_device_is_allocated(context, 0, there, 1),
       "its memory is its own");
    ok(!accd_device_is_allocated(context, 1, there, UINT64_MAX) && !accd_device_is_allocated(context, 2, there, 1),
       "and ends somewhere");
    is_number(accd_region_device(one), 1, "so does a region");
    int value = 42;
    is_status(accd_device_write(context, 1, there, &value, 4), ACCD_OK, "write on device 1");
    fails(context, ACCD_ERROR_HOST_POINTER_ON_DEVICE, accd_device_read(context, 0, there, &value, 4),
          "device 0 cannot read it");
    /* levels are a stack for each device */
    is_status(accd_region_end(zero), ACCD_OK, "device 0 first");
    is_number(a[0], 0, "unchanged there");
    is_status(accd_region_end(one), ACCD_OK, "device 1");
    is_number(a[0], 42, "changed here");
    free_construct_context(context, &meter);
}

static void levels(void)
{
    struct meter meter;
    accd_context *context = new_construct_context(&meter, NULL);
    accd_region *outer, *inner;
    accd_level level;
    accd_clause clause;
    accd_item item = PLAIN(ACCD_ACTION_COPY, a);
    item.label = accd_label_intern(context, &(accd_label){.name = "a", .unit = 4, .flags = ACCD_LABEL_SECTION});
    is_status(accd_run_construct(
                  context,
                  &(accd_construct){
                      .kind = ACCD_KIND_REGION, .items = &item, .nitems = 1, .name = "data", .file = "x.c", .line = 7},
                  &outer),
              ACCD_OK, "outer");
    item.action = ACCD_ACTION_PRESENT;
    is_status(accd_run_construct(
                  context,
                  &(accd_construct){.kind = ACCD_KIND_COMPUTE, .items = &item, .nitems = 1, .name = "parallel"},
                  &inner),
              ACCD_OK, "inner");
    ok(accd_level_get(context, 0, 0, &level) && level.kind == ACCD_KIND_REGION && level.line == 7 &&
           !strcmp(level.name, "data") && level.clauses == 1,
       "level 0");
    ok(accd_level_get(context, 0, 1, &level) && !strcmp(level.name, "parallel"), "level 1");
    ok(!accd_level_get(context, 0, 2, &level), "no level 2");
    ok(accd_level_get_clause(context, 0, 0, 0, &clause) && clause.created && clause.action == ACCD_ACTION_COPY &&
           !strcmp(clause.info.name, "a[0:64]"),
       "its clause");
    ok(accd_level_get_clause(context, 0, 1, 0, &clause) && !clause.created, "an alias");
    ok(!accd_level_get_clause(context, 0, 1, 1, &clause), "no more clauses");
    int value = 3;
    ok(device_put(context, a, &value, 4), "write");
    accd_region_abandon(outer);
    ok(a[0] == 0 && present_count(context, a, 0, 0), "abandoned: inner ones too, nothing moved");
    ok(!accd_level_get(context, 0, 0, &level), "no level left");
    is_status(REGION(context, &outer, PLAIN(ACCD_ACTION_COPY, b)), ACCD_OK, "open at the end");
    free_construct_context(context, &meter);
    accd_context_free(NULL);
    accd_region_abandon(NULL);
}

/* Programs that were compiled with an older header know these numbers. */
static void check_statuses(void)
{
    static const char *const codes[ACCD_STATUS_COUNT] = {
        "ok",
        "not-present",
        "already-present",
        "partially-present",
        "partial-overlap",
        "not-attached",
        "pointer-changed",
        "still-attached",
        "invalid-section",
        "null-pointer",
        "missing-wait",
        "out-of-bounds",
        "host-pointer-on-device",
        "device-pointer-on-host",
        "excluded-member",
        "uninitialized-read",
        "region-nesting",
        "no-device",
        "out-of-device-memory",
        "device-error",
        "out-of-memory",
        "limit",
        "callback",
        "misuse",
        "syntax",
        "invalid",
        "internal",
    };
    for (int status = 0; status < ACCD_STATUS_COUNT; status++)
        must(codes[status] && !strcmp(accd_status_code((accd_status)status), codes[status]) &&
                 *accd_status_text((accd_status)status),
             "status %d has its code and a text", status);
    is_number(ACCD_ERROR_INTERNAL, 26, "the last number");
}

static void opening(void)
{
    accd_context *context = NULL;
    accd_context_config config;
    init_config(&config);
    config.struct_size -= sizeof(void *); /* the first version ended with charge_ud */
    is_status(accd_context_new(&context, &config), ACCD_ERROR_MISUSE,
              "a configuration shorter than the first version's");
    ok(!context, "no context is returned");
    struct {
        accd_context_config config;
        unsigned char later[64];
    } newer;
    accd_context_config_init_sized(&newer.config, sizeof newer);
    newer.config.devices = 2;
    is_status(accd_context_new(&context, &newer.config), ACCD_OK,
              "a configuration of a later version with its defaults");
    is_number(accd_device_count(context), 2, "its devices");
    accd_context_free(context);
    context = NULL;
    newer.later[63] = 1;
    is_status(accd_context_new(&context, &newer.config), ACCD_ERROR_MISUSE,
              "one that uses what only a later version has");
    ok(!context, "no context is returned");
    is_status(accd_context_new(&context, NULL), ACCD_OK, "defaults");
    is_number(accd_device_count(context), 1, "one device");
    ok(!strcmp(accd_get_rules(context)->name, "tr14"), "tr14");
    accd_context_free(context);
    is_text(accd_version(), ACCD_VERSION, "the version of the library is that of its header");
    check_statuses();
    is_text(accd_status_code((accd_status)1000), "unknown", "no such status");
    is_text(accd_action_name((accd_action)1000), "unknown", "no such action");
    is_text(accd_op_name((accd_op)1000), "unknown", "no such event");
}

/* An allocator need not give more than malloc promises: 16 bytes. */
static void *odd_alloc(void *ud, void *ptr, size_t old, size_t n)
{
    (void)ud;
    char *new_construct_context = n ? aligned_alloc(64, (n + 16 + 63) & ~(size_t)63) : NULL;
    if (new_construct_context && ptr)
        memcpy(new_construct_context + 16, ptr, old < n ? old : n);
    if (ptr && (new_construct_context || !n))
        free((char *)ptr - 16);
    return new_construct_context ? new_construct_context + 16 : NULL;
}

static void alignment(void)
{
    static char data[64];
    accd_context_config config;
    accd_context *context = NULL;
    init_config(&config);
    config.alloc = odd_alloc;
    is_status(accd_context_new(&context, &config), ACCD_OK, "an allocator of the least alignment");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, data)), ACCD_OK, "data");
    is_sound(context);
    accd_context_free(context);
}

/* What lies between data that are fused is put there, by whatever clause, in profiles that fuse nothing else. */
static void between(const char *rules)
{
    enum { PART = 16, PARTS = 4 };
    static char row[PARTS * PART];
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, rules, 1);
    accd_item all = PLAIN(ACCD_ACTION_COPYIN, row);
    all.flags = ACCD_ITEM_COPY_ABSENT;
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, row + PART, PART)), ACCD_OK, "a part");
    is_status(ENTER(context, all), ACCD_OK, "and the rest");
    for (int i = 0; accd_device_address(context, 0, row + PART) && i < 2; i++)
        is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, row + PART, PART)), ACCD_OK, "the part goes");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, row + PART, PART)), ACCD_OK, "and comes back");
    is_number(accd_device_address(context, 0, row + PART) - accd_device_address(context, 0, row), PART, "at its place");
    is_sound(context);
    is_status(ENTER(context, all), ACCD_OK, "all of it again");
    is_sound(context);
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, row + PART, PART)), ACCD_OK, "the part");
    is_sound(context);
    accd_context_free(context);
    is_number(meter.live, 0, "nothing leaks");
}

int main(void)
{
    between("tr14");
    between("openmp-4.0");
    between("openacc-3.3");
    alignment();
    opening();
    present_test();
    overlap();
    containment();
    counters();
    without_reference("tr14");
    without_reference("openacc-3.3");
    without_reference("directory");
    nothing_to_do();
    names();
    profiles();
    addresses();
    test_devices();
    levels();
    story_free(&story);
    return done();
}
