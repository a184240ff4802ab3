/* Attached pointers: by clauses with a slot and by attach and detach, counters, changed and left
 * behind ones, aliases, several sections through one pointer. */
#include "accdeep_internal.h"
#include "support.h"

struct holder {
    int n;
    int *p, *q;
};

static int data[16], other[16];
static struct holder X;
static struct story story;

static accd_context *new_attach_context(struct meter *meter, const char *rules)
{
    for (int i = 0; i < 16; i++) {
        data[i] = i;
        other[i] = 50 + i;
    }
    X = (struct holder){4, data, other};
    *meter = (struct meter){0};
    accd_context *context = open_with(meter, &story, rules, 64);
    return context;
}

static void free_attach_context(accd_context *context, struct meter *meter)
{
    is_sound(context);
    accd_context_free(context);
    is_number(meter->live + meter->blocks + meter->wrong, 0, "all memory is given back");
}

static accd_item through(uint8_t action, const void *host, uint64_t bytes, const void *slot)
{
    return (accd_item){.host = host, .bytes = bytes, .slot = slot, .action = action};
}
static accd_item pointer(uint8_t action, const void *slot)
{
    return (accd_item){.slot = slot, .action = action};
}
#define ONE(object, what) BYTES(what, &(object), sizeof(object))

static bool leads_to(accd_context *context, const void *slot, const void *target)
{
    return device_word(context, slot) == accd_device_address(context, 0, target);
}

static void by_clauses(void)
{
    struct meter meter;
    accd_context *context = new_attach_context(&meter, NULL);
    accd_region *outer, *inner;
    is_status(REGION(context, &outer, ONE(X, ACCD_ACTION_COPY), through(ACCD_ACTION_COPY, data, 16, &X.p)), ACCD_OK,
              "copy(X, X.p[0:4])");
    ok(attach_count(context, &X.p) == 1 && leads_to(context, &X.p, data), "attached");
    is_number(device_word(context, &X.q), (uintptr_t)other, "X.q is as on the host");
    is_status(REGION(context, &inner, through(ACCD_ACTION_PRESENT, data, 8, &X.p),
                     through(ACCD_ACTION_NO_CREATE, data + 1, 8, &X.p)),
              ACCD_OK, "inner");
    is_number(attach_count(context, &X.p), 3, "each clause counts");
    is_status(ENTER(context, through(ACCD_ACTION_COPYIN, other, 16, &X.q)), ACCD_OK, "top down");
    ok(attach_count(context, &X.q) == 1 && leads_to(context, &X.q, other), "X.q is attached");
    fails(context, ACCD_ERROR_STILL_ATTACHED, EXIT(context, BYTES(ACCD_ACTION_DELETE, other, 16)),
          "delete without its pointer");
    is_status(EXIT(context, through(ACCD_ACTION_DELETE, other, 16, &X.q)), ACCD_OK, "delete with it");
    ok(attach_count(context, &X.q) == 0 && device_word(context, &X.q) == (uintptr_t)other, "its old value is restored");
    is_status(accd_region_end(inner), ACCD_OK, "inner end");
    is_number(attach_count(context, &X.p), 1, "as before");
    int value = 9;
    ok(device_put(context, data, &value, 4) && device_put(context, &X.n, &value, 4), "write");
    story_clear(&story);
    is_status(accd_region_end(outer), ACCD_OK, "outer end");
    ok(X.n == 9 && data[0] == 9 && X.p == data && X.q == other, "copied, but no pointer");
    free_attach_context(context, &meter);
}

static void by_attach(void)
{
    struct meter meter;
    accd_context *context = new_attach_context(&meter, NULL);
    is_status(ENTER(context, ONE(X, ACCD_ACTION_COPYIN), BYTES(ACCD_ACTION_COPYIN, data, 64)), ACCD_OK, "enter");
    is_number(attach_count(context, &X.p), 0, "nothing is attached by itself");
    X.p = data + 3;
    is_status(ENTER(context, pointer(ACCD_ACTION_ATTACH, &X.p)), ACCD_OK, "attach");
    ok(leads_to(context, &X.p, data + 3), "into the middle of the object");
    is_status(ENTER(context, pointer(ACCD_ACTION_ATTACH, &X.p), pointer(ACCD_ACTION_ATTACH, &X.p)), ACCD_OK,
              "twice more");
    is_number(attach_count(context, &X.p), 3, "counted");
    accd_present_object present;
    ok(accd_present_at(context, 0, (uintptr_t)data, 0, &present) && present.dynamic == 1, "attach takes no reference");
    is_status(EXIT(context, pointer(ACCD_ACTION_DETACH, &X.p)), ACCD_OK, "detach");
    is_number(attach_count(context, &X.p), 2, "counted down");
    is_status(FINALIZE(context, pointer(ACCD_ACTION_DETACH, &X.p)), ACCD_OK, "detach finally");
    ok(!attach_count(context, &X.p) && device_word(context, &X.p) == (uintptr_t)(data + 3), "detached, restored");
    fails(context, ACCD_ERROR_NOT_ATTACHED, EXIT(context, pointer(ACCD_ACTION_DETACH, &X.p)), "once more");
    fails(context, ACCD_ERROR_NOT_PRESENT, ENTER(context, pointer(ACCD_ACTION_ATTACH, &X.q)), "absent target");
    int *loose = data;
    fails(context, ACCD_ERROR_NOT_PRESENT, ENTER(context, pointer(ACCD_ACTION_ATTACH, &loose)), "absent pointer");
    fails(context, ACCD_ERROR_NOT_PRESENT, EXIT(context, pointer(ACCD_ACTION_DETACH, &loose)), "and detach");
    accd_item try = pointer(ACCD_ACTION_ATTACH, &X.q);
    try.flags = ACCD_ITEM_IF_PRESENT;
    is_status(ENTER(context, try), ACCD_OK, "if_present");
    is_number(attach_count(context, &X.q), 0, "attaches nothing");
    /* attach once by one construct, several clauses: all or nothing */
    fails(context, ACCD_ERROR_NOT_PRESENT,
          ENTER(context, pointer(ACCD_ACTION_ATTACH, &X.p), pointer(ACCD_ACTION_ATTACH, &X.q)),
          "one of two cannot be attached");
    is_number(attach_count(context, &X.p), 0, "then neither is");
    is_status(ENTER(context, pointer(ACCD_ACTION_ATTACH, &X.p)), ACCD_OK, "attach");
    fails(context, ACCD_ERROR_STILL_ATTACHED, EXIT(context, PLAIN(ACCD_ACTION_DELETE, data)), "target first");
    ok(accd_context_error(context)->asked.host == (uintptr_t)&X.p, "the error names the pointer");
    fails(context, ACCD_ERROR_STILL_ATTACHED, EXIT(context, ONE(X, ACCD_ACTION_DELETE)), "holder first");
    is_status(
        EXIT(context, ONE(X, ACCD_ACTION_DELETE), pointer(ACCD_ACTION_DETACH, &X.p), PLAIN(ACCD_ACTION_DELETE, data)),
        ACCD_OK, "together, in any order of clauses");
    free_attach_context(context, &meter);
}

static void null_pointers(void)
{
    struct meter meter;
    static const char *const profiles[] = {"tr14", "openacc-3.3"};
    for (size_t i = 0; i < 2; i++) {
        accd_context *context = new_attach_context(&meter, profiles[i]);
        accd_region *region;
        is_status(ENTER(context, ONE(X, ACCD_ACTION_CREATE)), ACCD_OK, "%s: enter", profiles[i]);
        X.p = NULL;
        is_status(REGION(context, &region, pointer(ACCD_ACTION_ATTACH, &X.p)), ACCD_OK, "attach null");
        ok(!attach_count(context, &X.p) && device_word(context, &X.p) == 0,
           "the device's copy is null, nothing is attached");
        is_sound(context);
        is_status(accd_region_end(region), ACCD_OK, "the region ends");
        is_status(EXIT(context, ONE(X, ACCD_ACTION_DELETE)), ACCD_OK, "exit");
        free_attach_context(context, &meter);
    }
    accd_context *context = new_attach_context(&meter, "libgomp-12");
    is_status(ENTER(context, ONE(X, ACCD_ACTION_COPYIN)), ACCD_OK, "libgomp: enter");
    X.p = NULL;
    fails(context, ACCD_ERROR_NULL_POINTER, ENTER(context, pointer(ACCD_ACTION_ATTACH, &X.p)), "libgomp: attach null");
    free_attach_context(context, &meter);
}

static void changed_pointers(void)
{
    struct meter meter;
    accd_context *context = new_attach_context(&meter, NULL);
    accd_region *region, *inner;
    is_status(REGION(context, &region, ONE(X, ACCD_ACTION_COPY), through(ACCD_ACTION_COPY, data, 64, &X.p)), ACCD_OK,
              "region");
    X.p = data + 1;
    fails(context, ACCD_ERROR_POINTER_CHANGED, accd_region_end(region), "changed on the host");
    fails(context, ACCD_ERROR_POINTER_CHANGED, ENTER(context, pointer(ACCD_ACTION_ATTACH, &X.p)), "attach it");
    fails(context, ACCD_ERROR_POINTER_CHANGED, REGION(context, &inner, through(ACCD_ACTION_PRESENT, data, 8, &X.p)),
          "count it");
    fails(context, ACCD_ERROR_POINTER_CHANGED, EXIT(context, pointer(ACCD_ACTION_DETACH, &X.p)), "detach it");
    X.p = data;
    uint64_t word = (uintptr_t)other, half = 5;
    uint64_t slot = accd_device_address(context, 0, &X.p);
    fails(context, ACCD_ERROR_POINTER_CHANGED, accd_device_write(context, 0, slot, &word, 8), "changed on the device");
    fails(context, ACCD_ERROR_POINTER_CHANGED, accd_device_write(context, 0, slot + 4, &half, 4), "half");
    fails(context, ACCD_ERROR_POINTER_CHANGED, accd_device_write(context, 0, slot - 4, &half, 8), "front");
    word = accd_device_address(context, 0, data);
    is_status(accd_device_write(context, 0, slot, &word, 8), ACCD_OK, "the same value is not a change");
    is_status(accd_region_end(region), ACCD_OK, "end");
    free_attach_context(context, &meter);

    context = new_attach_context(&meter, "openacc-3.3"); /* attached anew, counted from 1 */
    is_status(ENTER(context, ONE(X, ACCD_ACTION_COPYIN), through(ACCD_ACTION_COPYIN, data, 64, &X.p),
                    PLAIN(ACCD_ACTION_COPYIN, other)),
              ACCD_OK, "3.3: enter");
    is_status(ENTER(context, pointer(ACCD_ACTION_ATTACH, &X.p)), ACCD_OK, "3.3: again");
    X.p = other + 2;
    is_status(ENTER(context, pointer(ACCD_ACTION_ATTACH, &X.p)), ACCD_OK, "3.3: attach elsewhere");
    ok(attach_count(context, &X.p) == 1 && leads_to(context, &X.p, other + 2), "3.3: starts anew");
    is_sound(context);
    X.p = NULL;
    is_status(ENTER(context, pointer(ACCD_ACTION_ATTACH, &X.p), pointer(ACCD_ACTION_ATTACH, &X.p)), ACCD_OK,
              "3.3: attach null, twice");
    ok(attach_count(context, &X.p) == 0 && device_word(context, &X.p) == 0, "3.3: to nothing");
    is_sound(context);
    is_status(
        EXIT(context, ONE(X, ACCD_ACTION_DELETE), PLAIN(ACCD_ACTION_DELETE, data), PLAIN(ACCD_ACTION_DELETE, other)),
        ACCD_OK, "3.3: exit");
    free_attach_context(context, &meter);
}

/* TR14-4.3-12: shallow exits after deep entries. */
static void left_behind(void)
{
    struct meter meter;
    accd_context *context = new_attach_context(&meter, "openacc-3.3");
    accd_item labelled = through(ACCD_ACTION_COPYIN, data, 64, &X.p);
    labelled.label = accd_label_intern(context, &(accd_label){.name = "X.p", .unit = 4, .flags = ACCD_LABEL_SECTION});
    is_status(ENTER(context, ONE(X, ACCD_ACTION_COPYIN), labelled), ACCD_OK, "deep");
    story_clear(&story);
    is_status(EXIT(context, ONE(X, ACCD_ACTION_COPYOUT)), ACCD_OK, "3.3: the holder alone");
    is_text(story.text, "detach X.p|decref |d2h |d2h |free |", "it is detached by force");
    ok(X.p == data && present_count(context, data, 0, 1), "the target stays");
    is_sound(context);
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, data)), ACCD_OK, "the target");
    is_status(ENTER(context, ONE(X, ACCD_ACTION_COPYIN), labelled), ACCD_OK, "deep again");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, data)), ACCD_OK, "3.3: the target alone");
    ok(device_word(context, &X.p) == (uintptr_t)data && !attach_count(context, &X.p),
       "the pointer leads to the host again");
    is_status(EXIT(context, ONE(X, ACCD_ACTION_DELETE)), ACCD_OK, "the holder");
    free_attach_context(context, &meter);
}

/* The same in libgomp: the pointer dangles, and counts on; device addresses reach the host. */
static void dangling(void)
{
    struct meter meter;
    accd_context *context = new_attach_context(&meter, "libgomp-12");
    accd_region *region;
    accd_attachment attachment;
    is_status(ENTER(context, ONE(X, ACCD_ACTION_COPYIN), through(ACCD_ACTION_COPYIN, data, 64, &X.p)), ACCD_OK,
              "libgomp: deep");
    uint64_t dev = accd_device_address(context, 0, data);
    accd__inject_copy_failure(context, 0, 1);
    fails(context, ACCD_ERROR_DEVICE, EXIT(context, PLAIN(ACCD_ACTION_COPYOUT, data)), "a failing copy");
    is_sound(context);
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, data)), ACCD_OK, "the target alone");
    ok(device_word(context, &X.p) == dev && attach_count(context, &X.p) == 1, "it dangles");
    ok(accd_attachment_at(context, 0, &X.p, &attachment) && !attachment.high && !attachment.low,
       "and leads into nothing");
    is_sound(context);
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, data)), ACCD_OK, "the same host memory again");
    is_sound(context);
    is_status(REGION(context, &region, through(ACCD_ACTION_PRESENT, data, 64, &X.p)), ACCD_OK, "count it");
    ok(attach_count(context, &X.p) == 2 && device_word(context, &X.p) == dev, "counted only");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, data)), ACCD_OK, "the region still holds it");
    is_status(accd_region_end(region), ACCD_OK, "end");
    is_number(attach_count(context, &X.p), 1, "as before");
    int *before = X.p;
    is_status(UPDATE(context, ONE(X, ACCD_ACTION_UPDATE_SELF)), ACCD_OK, "update self");
    is_number((uintptr_t)X.p, dev, "a device address reaches the host");
    X.p = before;
    is_status(EXIT(context, ONE(X, ACCD_ACTION_COPYOUT), pointer(ACCD_ACTION_DETACH, &X.p)), ACCD_OK,
              "detached and copied");
    ok(X.p == before, "not so when it is detached");
    is_status(ENTER(context, ONE(X, ACCD_ACTION_COPYIN), through(ACCD_ACTION_COPYIN, data, 64, &X.p)), ACCD_OK,
              "deep again");
    dev = accd_device_address(context, 0, data);
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, data), ONE(X, ACCD_ACTION_COPYOUT)), ACCD_OK, "both go");
    is_number((uintptr_t)X.p, dev, "the device address reaches the host");
    free_attach_context(context, &meter);
}

/* libgomp: attach and detach that a clause asks for are as strict as those that stand alone. */
static void implied(void)
{
    struct meter meter;
    accd_context *context = new_attach_context(&meter, "libgomp-12");
    accd_region *region;
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, data)), ACCD_OK, "the target");
    fails(context, ACCD_ERROR_NOT_PRESENT, ENTER(context, through(ACCD_ACTION_COPYIN, data, 64, &X.p)),
          "the pointer is absent");
    fails(context, ACCD_ERROR_NOT_PRESENT, REGION(context, &region, through(ACCD_ACTION_COPY, data, 64, &X.p)),
          "for a region, too");
    fails(context, ACCD_ERROR_NOT_PRESENT, EXIT(context, through(ACCD_ACTION_DELETE, data, 64, &X.p)),
          "for an exit, too");
    is_status(REGION(context, &region, through(ACCD_ACTION_NO_CREATE, other, 64, &X.q)), ACCD_OK,
              "no_create of what is absent");
    is_status(accd_region_end(region), ACCD_OK, "end");
    is_status(ENTER(context, ONE(X, ACCD_ACTION_COPYIN)), ACCD_OK, "the holder");
    fails(context, ACCD_ERROR_NOT_ATTACHED, EXIT(context, through(ACCD_ACTION_DELETE, data, 64, &X.p)),
          "present, but not attached");
    fails(context, ACCD_ERROR_NOT_ATTACHED, FINALIZE(context, through(ACCD_ACTION_DELETE, data, 64, &X.p)),
          "nor is any other of the holder");
    X.q = data + 1;
    is_status(ENTER(context, pointer(ACCD_ACTION_ATTACH, &X.q)), ACCD_OK, "attach a sibling");
    is_status(EXIT(context, pointer(ACCD_ACTION_DETACH, &X.q)), ACCD_OK, "detach it");
    X.p = data + 2;
    is_status(FINALIZE(context, through(ACCD_ACTION_DELETE, data, 64, &X.p)), ACCD_OK, "then finalize is not an error");
    is_number(device_word(context, &X.p), (uintptr_t)(data + 2), "and writes the host's value");
    ok(present_count(context, data, 0, 0), "the target goes");
    is_status(EXIT(context, ONE(X, ACCD_ACTION_DELETE)), ACCD_OK, "exit");
    free_attach_context(context, &meter);
}

/* The pointer that leads to another item's section: its own object, or part of a larger one. */
static void member_pointers(void)
{
    static const struct {
        const char *name;
        unsigned counts;
    } profiles[] = {{"tr14", 1}, {"openacc-3.3", 0}, {"libgomp-12", 1}};
    struct meter meter;
    accd_item leads = BYTES(ACCD_ACTION_CREATE, &X.p, 8), leaves = BYTES(ACCD_ACTION_DELETE, &X.p, 8);
    leads.flags = leaves.flags = ACCD_ITEM_BASE_POINTER;
    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        const char *name = profiles[i].name;
        unsigned counts = profiles[i].counts;
        accd_region *region;
        accd_context *context = new_attach_context(&meter, name);
        is_status(ENTER(context, leads, through(ACCD_ACTION_COPYIN, data, 64, &X.p)), ACCD_OK, "%s: alone", name);
        is_status(ENTER(context, leads, through(ACCD_ACTION_COPYIN, data, 64, &X.p)), ACCD_OK, "twice");
        ok(present_count(context, &X.p, 0, 2) && leads_to(context, &X.p, data), "counts");
        is_status(EXIT(context, leaves, through(ACCD_ACTION_DELETE, data, 64, &X.p)), ACCD_OK, "once");
        ok(present_count(context, &X.p, 0, 1) && attach_count(context, &X.p) == 1, "counts down");
        is_status(EXIT(context, leaves, through(ACCD_ACTION_DELETE, data, 64, &X.p)), ACCD_OK, "twice");
        ok(present_count(context, &X.p, 0, 0), "gone");
        free_attach_context(context, &meter);

        context = new_attach_context(&meter, name);
        is_status(ENTER(context, ONE(X, ACCD_ACTION_COPYIN)), ACCD_OK, "%s: inside", name);
        is_status(REGION(context, &region, leads, through(ACCD_ACTION_COPYIN, data, 64, &X.p)), ACCD_OK, "region");
        ok(present_count(context, &X, counts, 1), "counted as the rules say");
        is_status(ENTER(context, leads, through(ACCD_ACTION_COPYIN, data, 64, &X.p)), ACCD_OK, "enter");
        ok(present_count(context, &X, counts, 1 + counts), "and here");
        is_sound(context);
        is_status(EXIT(context, leaves, through(ACCD_ACTION_DELETE, data, 64, &X.p)), ACCD_OK, "exit");
        ok(present_count(context, &X, counts, 1), "taken off");
        is_status(accd_region_end(region), ACCD_OK, "end");
        ok(present_count(context, &X, 0, 1), "as at first");
        is_status(REGION(context, &region, leads, ONE(X, ACCD_ACTION_COPYIN)), ACCD_OK, "with its holder");
        ok(present_count(context, &X, 1 + counts, 1), "counted as the rules say");
        is_status(accd_region_end(region), ACCD_OK, "end");
        is_status(EXIT(context, ONE(X, ACCD_ACTION_DELETE)), ACCD_OK, "exit");
        free_attach_context(context, &meter);
    }
}

/* Members without their aggregate: they keep their places; libgomp wants all of them at once. */
static void map_members_alone(void)
{
    static const char *const profiles[] = {"openacc-3.3", "libgomp-12"};
    struct meter meter;
    accd_item n = BYTES(ACCD_ACTION_COPYIN, &X.n, sizeof X.n), p = BYTES(ACCD_ACTION_CREATE, &X.p, 8),
              q = BYTES(ACCD_ACTION_CREATE, &X.q, 8);
    n.frame = p.frame = q.frame = &X;
    n.frame_bytes = p.frame_bytes = q.frame_bytes = sizeof X;
    for (size_t i = 0; i < 2; i++) {
        accd_context *context = new_attach_context(&meter, profiles[i]);
        is_status(ENTER(context, p), ACCD_OK, "%s: one", profiles[i]);
        if (i) {
            fails(context, ACCD_ERROR_PARTIALLY_PRESENT, ENTER(context, q), "another one behind it");
            fails(context, ACCD_ERROR_PARTIALLY_PRESENT, ENTER(context, n, p, q), "all");
            fails(context, ACCD_ERROR_PARTIALLY_PRESENT, ENTER(context, n, p), "one that is, too");
            is_status(ENTER(context, n), ACCD_OK, "one before it");
            is_status(ENTER(context, n, p), ACCD_OK, "those that are");
        } else {
            is_status(ENTER(context, q), ACCD_OK, "another one behind it");
            is_status(ENTER(context, n, p, q), ACCD_OK, "all");
            is_number(accd_device_address(context, 0, &X.q) - accd_device_address(context, 0, &X.n),
                      offsetof(struct holder, q), "in their places");
        }
        free_attach_context(context, &meter);
    }
}

/* Two objects reached through one pointer; two pointers to one object; a pointer to itself. */
static void shared(void)
{
    struct meter meter;
    accd_context *context = new_attach_context(&meter, NULL);
    accd_region *region;
    is_status(REGION(context, &region, ONE(X, ACCD_ACTION_COPY), through(ACCD_ACTION_COPY, data, 16, &X.p),
                     through(ACCD_ACTION_COPY, data + 8, 16, &X.p)),
              ACCD_OK, "X.p[0:4] and X.p[8:4]");
    is_number(attach_count(context, &X.p), 2, "attached for both");
    ok(leads_to(context, &X.p, data), "to where it points");
    is_sound(context);
    is_status(accd_region_end(region), ACCD_OK, "end");
    is_sound(context);
    is_status(REGION(context, &region, ONE(X, ACCD_ACTION_COPY), through(ACCD_ACTION_COPY, data + 8, 16, &X.p),
                     through(ACCD_ACTION_COPY, data, 16, &X.p)),
              ACCD_OK, "the other order");
    is_sound(context);
    is_status(accd_region_end(region), ACCD_OK, "end");
    X.q = data + 2;
    is_status(REGION(context, &region, ONE(X, ACCD_ACTION_COPY), through(ACCD_ACTION_COPY, data, 16, &X.p),
                     through(ACCD_ACTION_COPY, data + 2, 8, &X.q)),
              ACCD_OK, "two pointers, one array");
    ok(leads_to(context, &X.p, data) && leads_to(context, &X.q, data + 2), "both lead there");
    ok(present_count(context, data, 2, 0), "two references");
    is_sound(context);
    is_status(accd_region_end(region), ACCD_OK, "end");
    X.q = (int *)&X;
    is_status(REGION(context, &region, ONE(X, ACCD_ACTION_COPY), through(ACCD_ACTION_COPY, &X, sizeof X, &X.q)),
              ACCD_OK, "a pointer to its own holder");
    ok(leads_to(context, &X.q, &X) && present_count(context, &X, 2, 0), "leads to it");
    is_sound(context);
    is_status(accd_region_end(region), ACCD_OK, "end");
    ok(X.q == (int *)&X, "kept");
    is_status(ENTER(context, ONE(X, ACCD_ACTION_COPYIN), through(ACCD_ACTION_COPYIN, data, 16, &X.p)), ACCD_OK,
              "enter");
    is_status(EXIT(context, through(ACCD_ACTION_DELETE, data, 16, &X.p)), ACCD_OK, "leave with one clause");
    is_status(ENTER(context, through(ACCD_ACTION_COPYIN, data, 16, &X.p), through(ACCD_ACTION_COPYIN, data, 16, &X.p)),
              ACCD_OK, "one clause twice");
    is_number(attach_count(context, &X.p), 2, "counts twice");
    accd_item gone = through(ACCD_ACTION_DELETE, data, 16, &X.p);
    is_status(accd_run_construct(
                  context,
                  &(accd_construct){
                      .kind = ACCD_KIND_EXIT_DATA, .finalize = 1, .nitems = 2, .items = (accd_item[]){gone, gone}},
                  NULL),
              ACCD_OK, "and leaves twice, finally");
    ok(!attach_count(context, &X.p) && present_count(context, data, 0, 0), "nothing is left");
    is_status(EXIT(context, ONE(X, ACCD_ACTION_DELETE)), ACCD_OK, "exit");
    free_attach_context(context, &meter);
}

/* A base before the section (X.p + 4)[0:4]: the pointer's target may lie outside the object. */
static void outside_the_object(void)
{
    struct meter meter;
    accd_context *context = new_attach_context(&meter, NULL);
    accd_region *region;
    is_status(REGION(context, &region, ONE(X, ACCD_ACTION_COPYIN), through(ACCD_ACTION_COPYIN, data + 4, 16, &X.p)),
              ACCD_OK, "X.p[4:4]");
    is_number(device_word(context, &X.p), accd_device_address(context, 0, data + 4) - 16,
              "the pointer leads to where element 0 would be");
    accd_attachment attachment;
    ok(accd_attachment_at(context, 0, &X.p, &attachment) &&
           attachment.low == accd_device_address(context, 0, data + 4) && attachment.high == attachment.low + 16 &&
           attachment.target == (uintptr_t)data,
       "its range is that of the section");
    is_sound(context);
    is_status(accd_region_end(region), ACCD_OK, "end");
    free_attach_context(context, &meter);
}

/* A pointer behind all that are followed, attached by the construct that brings its element. */
static void beside_a_group(void)
{
    enum { N = 100 };
    struct node {
        struct leaf leaf;
        float *other;
    };
    static struct node nodes[N];
    static float values[N][2][4], target[4];
    accd_context *context = open_with(NULL, NULL, NULL, 8);
    const accd_field fields[] = {{.offset = offsetof(struct node, leaf.a),
                                  .unit = 4,
                                  .start = -1,
                                  .code_end = 1,
                                  .label = member(context, "a", 4, NULL)}};
    accd_program *program =
        program_of(context, &(accd_program_spec){.stride = sizeof(struct node),
                                                 .pieces = &(accd_piece){.bytes = sizeof(struct node)},
                                                 .npieces = 1,
                                                 .fields = fields,
                                                 .nfields = 1,
                                                 .registers = 1,
                                                 .ncode = 1,
                                                 .code = CODE(LOAD(0, ACCD_SCALAR_I32, 0))});
    for (int i = 0; i < N; i++)
        nodes[i] = (struct node){{4, values[i][0], values[i][1]}, target + 1};
    is_status(
        ENTER(context, walked(ACCD_ACTION_COPYIN, nodes, sizeof nodes, program, NULL),
              PLAIN(ACCD_ACTION_COPYIN, target),
              ((accd_item){.host = target + 1, .bytes = 4, .slot = &nodes[N - 1].other, .action = ACCD_ACTION_ATTACH})),
        ACCD_OK, "the last pointer of the last element");
    ok(device_word(context, &nodes[N - 1].other) == accd_device_address(context, 0, target + 1) &&
           device_word(context, &nodes[N - 2].other) == (uintptr_t)(target + 1),
       "it is translated, and its neighbour is not");
    is_sound(context);
    accd_program_release(program);
    accd_context_free(context);
}

int main(void)
{
    by_clauses();
    by_attach();
    null_pointers();
    changed_pointers();
    left_behind();
    dangling();
    implied();
    member_pointers();
    map_members_alone();
    shared();
    outside_the_object();
    beside_a_group();
    story_free(&story);
    return done();
}
