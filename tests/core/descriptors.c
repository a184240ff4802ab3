/* Fortran descriptors: attached and detached as a whole, counted by all they hold, left alone by
 * whatever moves around them (document FLANG); the three layouts; addenda; groups of them. */
#include "support.h"

#include <ops/ops.h>

struct holder {
    int64_t n;
    cfi2 p; /* next to each other */
    cfi1 q;
    int64_t m;
};

static float t1[4], t2[4], line[16];
static struct holder d;
static struct story story;

static accd_context *open_as(struct meter *meter, const char *profile, size_t least,
                             accd_descriptor_layout layout, bool reverse)
{
    static accd_rules rules;
    accd_context_config config;
    init_config(&config);
    *meter = (struct meter){0};
    rules = *accd_rules_named(profile);
    rules.update = reverse ? ACCD_UPDATE_REVERSE : ACCD_UPDATE_SPLIT;
    config.alloc = meter_alloc;
    config.alloc_ud = meter;
    config.group_least = least;
    config.threads = 1;
    config.devices = 2;
    config.device_bytes = (uint64_t)64 << 20;
    config.rules = &rules;
    config.descriptors = layout;
    story_clear(&story);
    config.on_event = tell_story;
    config.event_ud = &story;
    accd_context *context = NULL;
    if (accd_context_open(&context, &config) != ACCD_OK) {
        printf("Bail out! no context\n");
        exit(1);
    }
    return context;
}

static void reset(void)
{
    for (int i = 0; i < 16; i++)
        line[i] = (float)i;
    for (int i = 0; i < 4; i++) {
        t1[i] = (float)(10 + i);
        t2[i] = (float)(20 + i);
    }
    d = (struct holder){.n = 1, .m = 2};
    point(&d.p, 2, NULL, 1, 0);
    point(&d.q, 1, NULL, 1, 0);
}

static accd_context *fresh(struct meter *meter, const char *profile)
{
    reset();
    return open_as(meter, profile, 64, ACCD_DESCRIPTOR_CFI, false);
}

static void finish(accd_context *context, struct meter *meter)
{
    is_sound(context);
    accd_context_close(context);
    is_number(meter->live + meter->blocks + meter->wrong, 0, "all memory is given back");
}

static accd_item section(uint8_t action, const void *host, uint64_t bytes, const void *slot,
                         uint32_t slot_bytes)
{
    return (accd_item){.host = host,
                       .bytes = bytes,
                       .slot = slot,
                       .slot_bytes = slot_bytes,
                       .action = action};
}
static accd_item pointer(uint8_t action, const void *slot, uint32_t slot_bytes)
{
    return section(action, NULL, 0, slot, slot_bytes);
}
#define THROUGH(what, host, p) section(what, host, sizeof(host), &(p), sizeof(p))
#define POINTER(what, p) pointer(what, &(p), sizeof(p))
#define ONE(object, what) BYTES(what, &(object), sizeof(object))

/* The device's copy of a descriptor is the host's, with another address in it. */
static bool holds(accd_context *context, int device, const void *descriptor, size_t bytes,
                  uint64_t base)
{
    char host[512], dev[512];
    memcpy(host, descriptor, bytes);
    memcpy(host, &base, sizeof base);
    return accd_device_read(context, device, accd_device_address(context, device, descriptor), dev,
                            bytes) == ACCD_OK &&
           !memcmp(host, dev, bytes);
}
static bool leads(accd_context *context, const void *descriptor, size_t bytes, const void *target)
{
    return holds(context, 0, descriptor, bytes, accd_device_address(context, 0, target));
}
static bool as_host(accd_context *context, const void *descriptor, size_t bytes)
{
    return holds(context, 0, descriptor, bytes, accd_load_pointer(accd_address(descriptor)));
}

static accd_status attach(accd_context *context, const void *descriptor, uint64_t size)
{
    return accd_attach_descriptor(context, 0, descriptor,
                                  accd_pointer(accd_load_pointer(accd_address(descriptor))), 0,
                                  size, "f.f90", 7);
}
static accd_status detach(accd_context *context, const void *descriptor, int finalize)
{
    return accd_detach_descriptor(context, 0, descriptor, finalize, "f.f90", 8);
}

static uint64_t moved(accd_context *context)
{
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    return stats.moved_bytes[0] + stats.moved_bytes[1] + stats.moved_bytes[2];
}

/* The first example of the document, by clauses and by calls. */
static void the_example(const char *profile, bool calls)
{
    struct meter meter;
    accd_context *context = fresh(&meter, profile);
    const accd_piece pieces[] = {
        {.offset = offsetof(struct holder, p), .bytes = sizeof d.p, .init = 1},
        {.offset = offsetof(struct holder, q), .bytes = sizeof d.q, .init = 1}};
    accd_program *program = program_of(
        context,
        &(accd_program_spec){.stride = sizeof d, .pieces = pieces, .npieces = 2});
    is_status(ENTER(context, walked(ACCD_CREATE, &d, sizeof d, program, NULL)), ACCD_OK,
              "%s: enter data create(d)", profile);
    ok(as_host(context, &d.p, sizeof d.p), "the null descriptor arrives verbatim");
    is_number(accd_device_written(context, 0, accd_device_address(context, 0, &d.n), 8), 0,
              "other bytes do not");
    point(&d.p, 2, t1, 1, 2);
    is_status(ENTER(context, THROUGH(ACCD_COPYIN, t1, d.p)), ACCD_OK, "enter data copyin(d%%p)");
    ok(attach_count(context, &d.p) == 1 && leads(context, &d.p, sizeof d.p, t1),
       "attached, with bounds and strides");
    accd_attachment attachment;
    ok(accd_attachment_at(context, 0, &d.p, &attachment) && attachment.slot_bytes == 72 &&
           attachment.target == (uintptr_t)t1,
       "the attachment is as long as the descriptor");
    uint64_t before = moved(context);
    is_status(ENTER(context, THROUGH(ACCD_COPYIN, t1, d.p)), ACCD_OK, "the same again");
    ok(attach_count(context, &d.p) == 2 && moved(context) == before, "is only counted");
    if (calls)
        is_status(detach(context, &d.p, 0), ACCD_OK, "acc_detach");
    else
        is_status(EXIT(context, POINTER(ACCD_DETACH, d.p)), ACCD_OK, "detach");
    ok(attach_count(context, &d.p) == 1 && leads(context, &d.p, sizeof d.p, t1),
       "still attached");
    is_sound(context);
    if (calls)
        is_status(detach(context, &d.p, 0), ACCD_OK, "acc_detach again");
    else
        is_status(EXIT(context, POINTER(ACCD_DETACH, d.p)), ACCD_OK, "detach again");
    ok(!attach_count(context, &d.p) && as_host(context, &d.p, sizeof d.p),
       "the device has the host's descriptor");
    ok(accd_device_of(context, device_word(context, &d.p)) < 0, "which is of no use there");
    accd_program_release(program);
    finish(context, &meter);
}

/* Detach brings back all of the host's descriptor as it is now: no mixture of two. */
static void no_chimera(void)
{
    struct meter meter;
    for (int way = 0; way < 4; way++) {
        accd_context *context = fresh(&meter, "openacc-3.3");
        is_status(ENTER(context, ONE(d, ACCD_COPYIN)), ACCD_OK, "copyin(d)");
        point(&d.p, 2, t1, 1, 2);
        is_status(ENTER(context, THROUGH(ACCD_COPYIN, t1, d.p)), ACCD_OK, "copyin(d%%p)");
        point(&d.p, 2, t1, 10, 2);
        cfi2 now = d.p;
        if (way == 0)
            is_status(detach(context, &d.p, 0), ACCD_OK, "acc_detach");
        else if (way == 1)
            is_status(EXIT(context, POINTER(ACCD_DETACH, d.p)), ACCD_OK, "detach");
        else if (way == 2)
            is_status(EXIT(context, THROUGH(ACCD_DELETE, t1, d.p)), ACCD_OK, "delete");
        else
            is_status(EXIT(context, PLAIN(ACCD_DELETE, t1)), ACCD_OK, "the target alone");
        ok(as_host(context, &d.p, sizeof d.p), "the device has today's bounds");
        is_sound(context);
        is_status(EXIT(context, ONE(d, ACCD_COPYOUT)), ACCD_OK, "copyout(d)");
        ok(!memcmp(&now, &d.p, sizeof now), "and so has the host");
        finish(context, &meter);
    }
    accd_context *context = fresh(&meter, "openacc-3.3"); /* AMB-FLANG-05: without acc_detach */
    is_status(ENTER(context, ONE(d, ACCD_COPYIN)), ACCD_OK, "copyin(d)");
    point(&d.p, 2, t1, 1, 2);
    is_status(ENTER(context, THROUGH(ACCD_COPYIN, t1, d.p)), ACCD_OK, "copyin(d%%p)");
    point(&d.p, 2, t1, 10, 2);
    cfi2 now = d.p;
    is_status(EXIT(context, ONE(d, ACCD_COPYOUT)), ACCD_OK, "copyout(d), attached");
    ok(!memcmp(&now, &d.p, sizeof now) && d.n == 1, "the host keeps its bounds");
    finish(context, &meter);

    context = fresh(&meter, "tr14");
    point(&d.p, 2, t1, 1, 2);
    is_status(ENTER(context, ONE(d, ACCD_COPYIN), THROUGH(ACCD_COPYIN, t1, d.p)), ACCD_OK,
              "tr14: attached");
    point(&d.p, 2, t1, 10, 2);
    fails(context, ACCD_POINTER_CHANGED, detach(context, &d.p, 0), "acc_detach of other bounds");
    fails(context, ACCD_POINTER_CHANGED, detach(context, &d.p, 1), "and finally");
    fails(context, ACCD_POINTER_CHANGED, EXIT(context, POINTER(ACCD_DETACH, d.p)), "detach");
    fails(context, ACCD_POINTER_CHANGED, EXIT(context, THROUGH(ACCD_DELETE, t1, d.p)), "delete");
    fails(context, ACCD_POINTER_CHANGED, UPDATE(context, THROUGH(ACCD_UPDATE_SELF, t1, d.p)),
          "update");
    point(&d.p, 2, t1, 1, 2);
    is_status(detach(context, &d.p, 0), ACCD_OK, "the old bounds");
    finish(context, &meter);
}

static void moving_target(void)
{
    struct meter meter;
    for (int way = 0; way < 3; way++) { /* new target, new bounds, other stride */
        for (int calls = 0; calls < 2; calls++) {
            accd_context *context = fresh(&meter, "openacc-3.3");
            is_status(ENTER(context, ONE(d, ACCD_COPYIN), PLAIN(ACCD_COPYIN, t1),
                            PLAIN(ACCD_COPYIN, t2)),
                      ACCD_OK, "copyin(d, t1, t2)");
            point(&d.p, 2, t1, 1, 2);
            for (int i = 0; i < 2; i++)
                is_status(calls ? attach(context, &d.p, sizeof t1)
                                : ENTER(context, POINTER(ACCD_ATTACH, d.p)),
                          ACCD_OK, "attach");
            is_number(attach_count(context, &d.p), 2, "twice");
            if (way == 2)
                d.p.dim[1].sm = 4;
            else
                point(&d.p, 2, way ? t1 : t2, way ? 10 : 1, 2);
            is_status(calls ? attach(context, &d.p, sizeof t1)
                            : ENTER(context, POINTER(ACCD_ATTACH, d.p)),
                      ACCD_OK, "attach what has changed");
            is_number(attach_count(context, &d.p), 1, "starts anew");
            ok(leads(context, &d.p, sizeof d.p, way ? t1 : t2), "the device follows");
            is_sound(context);
            is_status(detach(context, &d.p, 0), ACCD_OK, "detach");
            ok(!attach_count(context, &d.p) && as_host(context, &d.p, sizeof d.p), "ends it");
            is_status(detach(context, &d.p, 0), ACCD_OK, "the detach still owed does nothing");
            finish(context, &meter);
        }
    }
    accd_context *context = fresh(&meter, "tr14");
    is_status(
        ENTER(context, ONE(d, ACCD_COPYIN), PLAIN(ACCD_COPYIN, t1), PLAIN(ACCD_COPYIN, t2)),
        ACCD_OK, "tr14: copyin(d, t1, t2)");
    point(&d.p, 2, t1, 1, 2);
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "attach");
    for (int way = 0; way < 2; way++) {
        point(&d.p, 2, way ? t1 : t2, way ? 10 : 1, 2);
        fails(context, ACCD_POINTER_CHANGED, attach(context, &d.p, sizeof t1), "call");
        fails(context, ACCD_POINTER_CHANGED, ENTER(context, POINTER(ACCD_ATTACH, d.p)), "clause");
    }
    point(&d.p, 2, t1, 1, 2);
    is_status(detach(context, &d.p, 1), ACCD_OK, "detach finally");
    fails(context, ACCD_NOT_ATTACHED, detach(context, &d.p, 0), "once more");
    finish(context, &meter);
}

/* Step by step what the call promises. */
static void steps_of_the_call(void)
{
    struct meter meter;
    accd_context *context = fresh(&meter, "tr14");
    point(&d.p, 2, t1, 1, 2);
    point(&d.q, 1, NULL, 1, 0);
    uint64_t empty = accd_digest(context);
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "nothing is present: silence");
    is_status(ENTER(context, PLAIN(ACCD_COPYIN, t1)), ACCD_OK, "the data");
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "no descriptor: silence");
    is_number(attach_count(context, &d.p), 0, "nothing is attached");
    is_status(EXIT(context, PLAIN(ACCD_DELETE, t1)), ACCD_OK, "no data");
    ok(accd_digest(context) == empty, "nothing was left");
    is_status(ENTER(context, ONE(d, ACCD_COPYIN)), ACCD_OK, "the descriptor");
    uint64_t alone = accd_digest(context);
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "no data: silence");
    is_status(attach(context, &d.q, 0), ACCD_OK, "a null pointer: silence");
    ok(accd_digest(context) == alone, "nothing was done");
    is_status(ENTER(context, PLAIN(ACCD_COPYIN, t1)), ACCD_OK, "the data");
    is_status(attach(context, &d.p, sizeof t1 + 1), ACCD_OK, "more than is present: silence");
    is_number(attach_count(context, &d.p), 0, "nothing is attached");
    fails(context, ACCD_POINTER_CHANGED,
          accd_attach_descriptor(context, 0, &d.p, t2, 0, sizeof t2, NULL, 0), "other data");
    ok(!strcmp(accd_context_error(context)->rule, "FLANG-api-1"), "the rule is named");
    fails(context, ACCD_NO_DEVICE,
          accd_attach_descriptor(context, 2, &d.p, t1, 0, sizeof t1, NULL, 0), "no device");
    fails(context, ACCD_NO_DEVICE, accd_detach_descriptor(context, -1, &d.p, 0, NULL, 0),
          "no device");
    d.p.rank = 16;
    fails(context, ACCD_MISUSE, attach(context, &d.p, sizeof t1), "rank 16");
    fails(context, ACCD_MISUSE, detach(context, &d.p, 0), "rank 16");
    is_number(accd_descriptor_bytes(context, &d.p), 0, "has no size");
    d.p.rank = 2;
    story_clear(&story);
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "attach");
    is_text(story.text, "attach |", "one attach is told");
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "again");
    ok(attach_count(context, &d.p) == 2 && present_count(context, t1, 0, 1),
       "counted, and takes no reference");
    ok(leads(context, &d.p, sizeof d.p, t1), "it leads there");
    is_status(detach(context, &d.p, 1), ACCD_OK, "detach finally");
    ok(!attach_count(context, &d.p) && present_count(context, t1, 0, 1), "all at once");

    /* attached by the one, counted by the other, detached by either */
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "call");
    is_status(ENTER(context, POINTER(ACCD_ATTACH, d.p), THROUGH(ACCD_PRESENT, t1, d.p)), ACCD_OK,
              "two clauses");
    is_number(attach_count(context, &d.p), 3, "one counter");
    is_status(EXIT(context, POINTER(ACCD_DETACH, d.p)), ACCD_OK, "clause");
    is_status(detach(context, &d.p, 0), ACCD_OK, "call");
    is_status(detach(context, &d.p, 0), ACCD_OK, "call");
    is_number(attach_count(context, &d.p), 0, "none is left");
    accd_context *lenient = fresh(&(struct meter){0}, "openacc-3.3");
    is_status(detach(lenient, &d.p, 0), ACCD_OK, "3.3: nothing to detach");
    is_status(detach(lenient, &d.p, 1), ACCD_OK, "3.3: nor finally");
    accd_context_close(lenient);
    finish(context, &meter);
}

/* A nullified pointer: the call, attach clauses and, where null pointers count as present, data clauses agree. */
static void nullified(void)
{
    struct meter meter;
    static const uint8_t data[] = {ACCD_COPYIN, ACCD_CREATE, ACCD_COPY, ACCD_COPYOUT, ACCD_PRESENT,
                                   ACCD_NO_CREATE};
    enum { CALL = 6, CLAUSE, WAYS };
    static const char *const profiles[] = {"openacc-3.3", "openacc-2.0", "tr14", "directory",
                                           "libgomp-12"};
    for (int profile = 0; profile < 5; profile++)
        for (int way = 0; way < WAYS; way++) {
            accd_context *context = fresh(&meter, profiles[profile]);
            point(&d.p, 2, t1, 1, 2);
            is_status(ENTER(context, ONE(d, ACCD_COPYIN), PLAIN(ACCD_COPYIN, t1)), ACCD_OK,
                      "%s: data", profiles[profile]);
            for (int i = 0; i < 2; i++)
                is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "attach");
            point(&d.p, 2, NULL, 1, 0);
            bool wants = way == CALL || way == CLAUSE;
            bool strict = profile == 2 || profile == 3, counts = profile == 4;
            const accd_item clause = {.slot = &d.p, .slot_bytes = sizeof d.p,
                                      .action = way < CALL ? data[way] : ACCD_ATTACH};
            accd_status status =
                way == CALL ? attach(context, &d.p, 0) : ENTER(context, clause);
            is_status(status, wants && strict ? ACCD_POINTER_CHANGED : ACCD_OK, "way %d", way);
            bool ends = profile == 0 || (wants && !strict && !counts);
            is_number(attach_count(context, &d.p), ends ? 0 : way == CLAUSE && counts ? 3 : 2,
                      "the attachment %s", ends ? "ends" : "stays");
            ok(ends ? as_host(context, &d.p, sizeof d.p)
                    : device_word(context, &d.p) == accd_device_address(context, 0, t1),
               "the device's descriptor %s", ends ? "is null" : "is as it was");
            ok(present_count(context, t1, 0, 1), "what it led to stays");
            is_sound(context);
            finish(context, &meter);
        }
    accd_context *context = fresh(&meter, "openacc-3.3");
    accd_item leave = {.slot = &d.p, .slot_bytes = sizeof d.p, .action = ACCD_DELETE};
    point(&d.p, 2, t1, 1, 2);
    is_status(attach(context, &d.q, 0), ACCD_OK, "no descriptor: silence");
    is_status(ENTER(context, ONE(d, ACCD_CREATE), PLAIN(ACCD_COPYIN, t1)), ACCD_OK, "create(d)");
    is_status(attach(context, &d.q, 0), ACCD_OK, "a null pointer");
    ok(as_host(context, &d.q, sizeof d.q) && !attach_count(context, &d.q), "arrives");
    for (int i = 0; i < 3; i++)
        is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "attach");
    leave.host = t2;
    leave.bytes = sizeof t2;
    is_status(EXIT(context, leave), ACCD_OK, "absent data");
    is_number(attach_count(context, &d.p), 3, "are no null pointer");
    leave.host = NULL;
    leave.bytes = 0;
    is_status(EXIT(context, leave), ACCD_OK, "a clause of no bytes");
    is_number(attach_count(context, &d.p), 3, "is not about a pointer that leads somewhere");
    point(&d.p, 2, NULL, 1, 0);
    is_status(EXIT(context, leave), ACCD_OK, "exit data delete");
    is_number(attach_count(context, &d.p), 2, "detaches");
    is_status(FINALIZE(context, leave), ACCD_OK, "finally");
    ok(!attach_count(context, &d.p) && as_host(context, &d.p, sizeof d.p), "all of it");
    finish(context, &meter);
}

/* Sections: the device's indices mean what the host's do. */
static void sections(void)
{
    struct meter meter;
    accd_context *context = fresh(&meter, "tr14");
    point(&d.q, 1, line, 1, 16);
    is_status(ENTER(context, ONE(d, ACCD_COPYIN), BYTES(ACCD_COPYIN, line + 4, 32)), ACCD_OK,
              "d, line(5:12)");
    is_status(accd_attach_descriptor(context, 0, &d.q, line, 16, 32, NULL, 0), ACCD_OK,
              "attach(q(5:12))");
    uint64_t base = accd_device_address(context, 0, line + 4) - 16;
    ok(holds(context, 0, &d.q, sizeof d.q, base), "base_addr is that of element 1");
    is_sound(context);
    is_status(accd_attach_descriptor(context, 0, &d.q, line, 16, 16, NULL, 0), ACCD_OK,
              "a part of it");
    is_number(attach_count(context, &d.q), 2, "is counted");
    is_status(accd_attach_descriptor(context, 0, &d.q, line, 12, 32, NULL, 0), ACCD_OK,
              "not wholly present");
    is_number(attach_count(context, &d.q), 2, "is not");
    is_status(detach(context, &d.q, 1), ACCD_OK, "detach");
    is_status(ENTER(context, section(ACCD_COPYIN, line + 6, 8, &d.q, sizeof d.q)), ACCD_OK,
              "by a clause");
    ok(holds(context, 0, &d.q, sizeof d.q, base), "the same");
    is_status(detach(context, &d.q, 0), ACCD_OK, "detach");

    /* backwards: the data lie before the address */
    d.q.base = line + 11;
    d.q.dim[0] = (struct dim){1, 8, -4};
    is_status(accd_attach_descriptor(context, 0, &d.q, line + 11, (uint64_t)-28, 32, NULL, 0),
              ACCD_OK, "line(12:5:-1)");
    ok(holds(context, 0, &d.q, sizeof d.q, base + 44), "leads to its first element");
    is_status(detach(context, &d.q, 0), ACCD_OK, "detach");

    point(&d.q, 1, line + 5, 1, 0); /* of no elements */
    is_status(attach(context, &d.q, 0), ACCD_OK, "an empty array in present data");
    ok(attach_count(context, &d.q) == 1 && leads(context, &d.q, sizeof d.q, line + 5),
       "its bounds arrive");
    is_status(detach(context, &d.q, 0), ACCD_OK, "detach");
    point(&d.q, 1, line, 1, 0);
    is_status(attach(context, &d.q, 0), ACCD_OK, "an empty array elsewhere");
    is_number(attach_count(context, &d.q), 0, "is not present");
    finish(context, &meter);
}

/* Ranks 0 to 15 of every layout, one behind the other. */
static void ranks(accd_descriptor_layout layout, size_t header, size_t rank_at)
{
    enum { MOST = 15, BYTES_MOST = 16 * (40 + 24 * 15) };
    static unsigned char all[BYTES_MOST], before[BYTES_MOST];
    static float scalars[MOST + 1];
    struct meter meter;
    accd_context *context = open_as(&meter, "tr14", 64, layout, false);
    size_t at[MOST + 2] = {0};
    for (size_t rank = 0; rank <= MOST; rank++) {
        for (size_t i = 0; i < header + 24 * rank; i++)
            all[at[rank] + i] = (unsigned char)(7 * i + rank);
        void *base = &scalars[rank];
        memcpy(all + at[rank], &base, sizeof base);
        all[at[rank] + rank_at] = (unsigned char)rank;
        if (layout == ACCD_DESCRIPTOR_FLANG)
            all[at[rank] + 23] = 0;
        at[rank + 1] = at[rank] + header + 24 * rank;
        must(accd_descriptor_bytes(context, all + at[rank]) == header + 24 * rank, "rank %zu",
             rank);
    }
    is_status(ENTER(context, BYTES(ACCD_COPYIN, all, at[MOST + 1]), PLAIN(ACCD_COPYIN, scalars)),
              ACCD_OK, "layout %d: sixteen descriptors", (int)layout);
    for (int round = 0; round < 2; round++) {
        int failed = tap_failed;
        for (size_t rank = 0; rank <= MOST; rank++)
            must(attach(context, all + at[rank], sizeof scalars[0]) == ACCD_OK, "attach");
        for (size_t rank = 0; rank <= MOST; rank++)
            must(attach_count(context, all + at[rank]) == 1 &&
                     leads(context, all + at[rank], at[rank + 1] - at[rank], &scalars[rank]),
                 "rank %zu", rank);
        is_sound(context);
        /* every range that begins and ends anywhere leaves all of them alone */
        uint64_t digest = accd_digest(context);
        for (size_t rank = 0; rank <= MOST; rank++)
            for (size_t i = at[rank] + 8; i < at[rank + 1]; i++)
                all[i] ^= 0xFF;
        memcpy(before, all, sizeof all);
        for (size_t from = 0; from < at[4]; from += 5)
            for (size_t to = from + 1; to < at[4]; to += 9) {
                must(UPDATE(context, BYTES(ACCD_UPDATE_DEVICE, all + from, to - from)) ==
                         ACCD_OK,
                     "to the device");
                must(UPDATE(context, BYTES(ACCD_UPDATE_SELF, all + from, to - from)) == ACCD_OK,
                     "to the host");
            }
        ok(accd_digest(context) == digest && !memcmp(all, before, sizeof all),
           "updates leave both sides alone");
        for (size_t rank = 0; rank <= MOST; rank++)
            for (size_t i = at[rank] + 8; i < at[rank + 1]; i++)
                all[i] ^= 0xFF;
        context->rules.update = ACCD_UPDATE_REVERSE;
        for (size_t rank = 0; rank <= MOST; rank++) {
            must(detach(context, all + at[rank], 0) == ACCD_OK, "detach");
            must(as_host(context, all + at[rank], at[rank + 1] - at[rank]), "is the host's");
        }
        ok(tap_failed == failed, "layout %d, strategy %d: ranks 0 to 15", (int)layout, round);
    }
    finish(context, &meter);
}

/* Bytes around attached descriptors move, these do not, whatever way is taken. */
static void updates(bool reverse)
{
    struct meter meter;
    reset();
    accd_context *context = open_as(&meter, "tr14", 64, ACCD_DESCRIPTOR_CFI, reverse);
    const char *way = reverse ? "reverse" : "split";
    struct holder was;
    point(&d.p, 2, t1, 1, 2);
    point(&d.q, 1, line, 0, 16);
    is_status(ENTER(context, ONE(d, ACCD_COPYIN), THROUGH(ACCD_COPYIN, t1, d.p),
                    THROUGH(ACCD_COPYIN, line, d.q)),
              ACCD_OK, "%s: two descriptors side by side", way);
    ok(leads(context, &d.p, sizeof d.p, t1) && leads(context, &d.q, sizeof d.q, line), "attached");
    d.n = 77;
    d.m = 78;
    is_status(UPDATE(context, ONE(d, ACCD_UPDATE_DEVICE)), ACCD_OK, "update device(d)");
    ok(leads(context, &d.p, sizeof d.p, t1) && leads(context, &d.q, sizeof d.q, line),
       "the descriptors are as they were");
    ok(device_word(context, &d.n) == 77 && device_word(context, &d.m) == 78, "the rest is sent");
    is_sound(context);
    uint64_t value = 99;
    ok(device_put(context, &d.n, &value, 8) && device_put(context, &d.m, &value, 8), "write");
    was = d;
    is_status(UPDATE(context, ONE(d, ACCD_UPDATE_SELF)), ACCD_OK, "update self(d)");
    ok(!memcmp(&was.p, &d.p, sizeof d.p) && !memcmp(&was.q, &d.q, sizeof d.q) && d.n == 99 &&
           d.m == 99,
       "so on the way back");
    is_status(UPDATE(context, ONE(d, ACCD_UPDATE_SELF), ONE(d, ACCD_UPDATE_DEVICE),
                     BYTES(ACCD_UPDATE_DEVICE, (char *)&d.p + 20, sizeof d.p)),
              ACCD_OK, "both, and from inside one descriptor to inside the other");
    ok(leads(context, &d.p, sizeof d.p, t1) && leads(context, &d.q, sizeof d.q, line) &&
           !memcmp(&was.q, &d.q, sizeof d.q),
       "neither side changes");

    /* bounds the device does not know of stay on the host */
    accd_context *loose = open_as(&(struct meter){0}, "openacc-3.3", 64, ACCD_DESCRIPTOR_CFI,
                                  reverse);
    is_status(ENTER(loose, ONE(d, ACCD_COPYIN), THROUGH(ACCD_COPYIN, t1, d.p)), ACCD_OK,
              "3.3: attached");
    cfi2 sent = d.p;
    point(&d.p, 2, t1, 5, 2);
    cfi2 now = d.p;
    is_status(UPDATE(loose, ONE(d, ACCD_UPDATE_DEVICE)), ACCD_OK, "update device(d)");
    is_status(UPDATE(loose, ONE(d, ACCD_UPDATE_SELF)), ACCD_OK, "update self(d)");
    ok(!memcmp(&now, &d.p, sizeof now), "the host keeps its bounds");
    d.p = sent;
    ok(leads(loose, &d.p, sizeof d.p, t1), "and the device its own");
    is_sound(loose);
    accd_context_close(loose);

    is_status(EXIT(context, ONE(d, ACCD_COPYOUT), THROUGH(ACCD_DELETE, t1, d.p),
                   THROUGH(ACCD_DELETE, line, d.q)),
              ACCD_OK, "copyout");
    ok(!memcmp(&was.p, &d.p, sizeof d.p) && !memcmp(&was.q, &d.q, sizeof d.q),
       "the host keeps its descriptors");
    finish(context, &meter);
}

/* A kernel may not change what is attached; to write what is there already is no change. */
static void kernels(void)
{
    struct meter meter;
    accd_context *context = fresh(&meter, "tr14");
    point(&d.p, 2, t1, 1, 2);
    is_status(ENTER(context, ONE(d, ACCD_COPYIN), THROUGH(ACCD_COPYIN, t1, d.p)), ACCD_OK,
              "attached");
    uint64_t dev = accd_device_address(context, 0, &d.p), word = 5;
    char whole[sizeof d.p];
    for (uint64_t at = 0; at < sizeof d.p; at += 8)
        fails(context, ACCD_POINTER_CHANGED, accd_device_write(context, 0, dev + at, &word, 8),
              "word %d", (int)at / 8);
    fails(context, ACCD_POINTER_CHANGED, accd_device_write(context, 0, dev + 20, &word, 1),
          "the rank");
    fails(context, ACCD_POINTER_CHANGED, accd_device_write(context, 0, dev + 68, &word, 8),
          "its last bytes");
    must(accd_device_read(context, 0, dev, whole, sizeof whole) == ACCD_OK, "read");
    is_status(accd_device_write(context, 0, dev, whole, sizeof whole), ACCD_OK, "as it is");
    is_status(accd_device_write(context, 0, dev + 24, whole + 24, 8), ACCD_OK, "a bound as it is");
    word = 9;
    is_status(accd_device_write(context, 0, dev + sizeof d.p, &word, 8), ACCD_OK, "behind it");
    finish(context, &meter);

    context = fresh(&meter, "openacc-3.3");
    point(&d.p, 2, t1, 1, 2);
    is_status(ENTER(context, ONE(d, ACCD_COPYIN), THROUGH(ACCD_COPYIN, t1, d.p)), ACCD_OK,
              "3.3: attached");
    dev = accd_device_address(context, 0, &d.p);
    is_status(accd_device_write(context, 0, dev + 24, &word, 8), ACCD_OK, "3.3: may write");
    is_status(detach(context, &d.p, 0), ACCD_OK, "detach");
    ok(as_host(context, &d.p, sizeof d.p), "mends it");
    finish(context, &meter);
}

static void what_is_no_descriptor(void)
{
    struct meter meter;
    accd_context *context = fresh(&meter, "tr14");
    static const uint32_t sizes[] = {1, 4, 7, 12, 25, ACCD_SLOT_MOST + 8, UINT32_MAX};
    is_status(ENTER(context, ONE(d, ACCD_COPYIN), PLAIN(ACCD_COPYIN, t1)), ACCD_OK, "enter");
    point(&d.p, 2, t1, 1, 2);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        fails(context, ACCD_MISUSE, ENTER(context, pointer(ACCD_ATTACH, &d.p, sizes[i])),
              "a descriptor of %u bytes", sizes[i]);
    is_status(ENTER(context, PLAIN(ACCD_COPYIN, t2)), ACCD_OK, "another target");
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "a descriptor");
    for (size_t at = 1; at < sizeof d.p; at++) { /* nonsense, but no harm */
        void *before, *to = t2;
        memcpy(&before, (char *)&d.p + at, sizeof before);
        memcpy((char *)&d.p + at, &to, sizeof to);
        must(ENTER(context, pointer(ACCD_ATTACH, (char *)&d.p + at, 0)) == ACCD_OK, "across it");
        accd_check(context);
        must(EXIT(context, pointer(ACCD_DETACH, (char *)&d.p + at, 0)) == ACCD_OK, "and off");
        memcpy((char *)&d.p + at, &before, sizeof before);
    }
    is_status(detach(context, &d.p, 0), ACCD_OK, "detach");
    fails(context, ACCD_NOT_PRESENT, ENTER(context, pointer(ACCD_ATTACH, &d.m, 24)),
          "a descriptor that is present in part");
    accd_program *program = NULL;
    accd_field field = {.offset = 8, .unit = 4, .start = -1, .slot_bytes = 48, .in_place = 1};
    accd_program_spec spec = {.stride = 64,
                              .fields = &field,
                              .nfields = 1,
                              .registers = 1,
                              .code = CODE(CONSTANT(0, 1)),
                              .ncode = 1};
    is_status(accd_program_new(context, &spec, &program), ACCD_MISUSE, "of an array in place");
    field.in_place = 0;
    field.embedded = 1;
    is_status(accd_program_new(context, &spec, &program), ACCD_MISUSE, "of embedded elements");
    field.embedded = 0;
    field.slot_bytes = 64;
    is_status(accd_program_new(context, &spec, &program), ACCD_MISUSE, "beyond the element");
    finish(context, &meter);
}

/* ------------------------------------------------------------------------------------ devices -- */

static void devices(void)
{
    struct meter meter;
    accd_context *context = fresh(&meter, "openacc-3.3");
    point(&d.p, 2, t1, 1, 2);
    for (int device = 0; device < 2; device++) {
        accd_construct construct = {.device = device,
                                    .kind = ACCD_ENTER_DATA,
                                    .items = (accd_item[]){ONE(d, ACCD_COPYIN),
                                                           PLAIN(ACCD_COPYIN, t1)},
                                    .nitems = 2};
        is_status(accd_run(context, &construct, NULL), ACCD_OK, "device %d", device);
    }
    is_status(accd_attach_descriptor(context, 1, &d.p, t1, 0, sizeof t1, NULL, 0), ACCD_OK,
              "attach on device 1");
    is_number(attach_count(context, &d.p), 0, "not on device 0");
    ok(holds(context, 1, &d.p, sizeof d.p, accd_device_address(context, 1, t1)), "but there");
    ok(as_host(context, &d.p, sizeof d.p), "device 0 has the host's");
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "device 0, too");
    is_status(accd_detach_descriptor(context, 1, &d.p, 0, NULL, 0), ACCD_OK, "detach on device 1");
    ok(attach_count(context, &d.p) == 1 && leads(context, &d.p, sizeof d.p, t1),
       "device 0 stays attached");
    finish(context, &meter);
}

/* ------------------------------------------------------------------------------------- addenda -- */

static struct {
    int64_t before;
    struct typed a, b;
    int64_t behind;
} P;
static struct record base_type = {32, "base"}, extended = {32, "extended"};

static bool leads_typed(accd_context *context, const struct typed *descriptor, const void *target)
{
    struct typed dev, host = *descriptor;
    host.head.base = accd_pointer(accd_device_address(context, 0, target));
    if (host.type)
        host.type = accd_pointer(accd_device_address(context, 0, host.type));
    return device_get(context, descriptor, &dev, sizeof dev) && !memcmp(&dev, &host, sizeof dev);
}

static accd_context *open_typed(struct meter *meter, const char *profile, bool reverse)
{
    reset();
    accd_context *context = open_as(meter, profile, 64, ACCD_DESCRIPTOR_FLANG, reverse);
    P.before = P.behind = 4;
    point_typed(&P.a, t1, 1, &base_type);
    point_typed(&P.b, t2, 1, &base_type);
    is_status(ENTER(context, PLAIN(ACCD_COPYIN, t1), PLAIN(ACCD_COPYIN, t2), ONE(P, ACCD_COPYIN)),
              ACCD_OK, "%s: data and descriptors", profile);
    is_number(accd_descriptor_bytes(context, &P.a), 64, "the addendum is part of it");
    return context;
}

static void addenda(const char *profile, bool reverse)
{
    struct meter meter;
    bool strict = strcmp(profile, "openacc-3.3") != 0;
    accd_context *context = open_typed(&meter, profile, reverse);
    accd_stats before, after;
    accd_get_stats(context, 0, &before);
    accd_fail_allocation(context, 0, 1);
    fails(context, ACCD_OUT_OF_DEVICE_MEMORY, attach(context, &P.a, sizeof t1), "no memory");
    accd_fail_copy(context, 0, 1);
    fails(context, ACCD_DEVICE_ERROR, attach(context, &P.a, sizeof t1), "no copy");
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    ok(attach_count(context, &P.a) == 1 && leads_typed(context, &P.a, t1),
       "address, bounds, type and length");
    ok(present_count(context, &base_type, 0, 1), "its type record is present");
    is_sound(context);
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "again");
    ok(attach_count(context, &P.a) == 2 && present_count(context, &base_type, 0, 1),
       "only the descriptor is counted");
    is_status(attach(context, &P.b, sizeof t2), ACCD_OK, "another one of this type");
    ok(leads_typed(context, &P.b, t2) && present_count(context, &base_type, 0, 2), "shares it");
    is_sound(context);

    /* ranges that begin or end anywhere in the two leave them alone */
    int failed = tap_failed;
    uint64_t attached = accd_digest(context);
    P.a.len = P.b.len = 55; /* the sides differ in all that could be seen */
    P.a.head.dim[0].lower = P.b.head.dim[0].lower = 56;
    for (size_t from = 0; from < sizeof P; from++)
        for (size_t to = from + 1; to <= sizeof P; to += 3)
            for (int out = 0; out < 2; out++)
                must(UPDATE(context, BYTES(out ? ACCD_UPDATE_SELF : ACCD_UPDATE_DEVICE,
                                           (char *)&P + from, to - from)) == ACCD_OK,
                     "from %zu to %zu", from, to);
    ok(tap_failed == failed && accd_digest(context) == attached && P.a.type == &base_type &&
           P.b.type == &base_type && P.a.len == 55 && P.b.len == 55 &&
           P.a.head.dim[0].lower == 56 && P.b.head.dim[0].lower == 56,
       "updates leave all of them alone");
    point_typed(&P.a, t1, 1, &base_type);
    point_typed(&P.b, t2, 1, &base_type);
    char bytes[sizeof P];
    must(device_get(context, &P, bytes, sizeof bytes), "read");
    is_status(
        accd_device_write(context, 0, accd_device_address(context, 0, &P), bytes, sizeof bytes),
        ACCD_OK, "a kernel writes what is there");
    bytes[sizeof P - 1] ^= 1; /* of the member behind */
    failed = tap_failed;
    for (size_t from = offsetof(struct typed, len); from > 0; from--) {
        size_t at = sizeof P - 8 - sizeof P.b + from;
        must(accd_device_write(context, 0, accd_device_address(context, 0, (char *)&P + at),
                               bytes + at, sizeof P - at) == ACCD_OK,
             "from byte %zu of the descriptor", from);
        bytes[at] ^= 1;
        must(accd_device_write(context, 0, accd_device_address(context, 0, (char *)&P + at),
                               bytes + at, sizeof P - at) ==
                 (strcmp(profile, "openacc-3.3") ? ACCD_POINTER_CHANGED : ACCD_OK),
             "another byte %zu", from);
        bytes[at] ^= 1;
    }
    must(device_put(context, &P, bytes, sizeof bytes), "as it was");
    ok(tap_failed == failed, "or what is behind it");

    is_status(detach(context, &P.a, 0), ACCD_OK, "detach");
    ok(present_count(context, &base_type, 0, 2) && leads_typed(context, &P.a, t1),
       "still attached, type and all");
    is_status(detach(context, &P.a, 0), ACCD_OK, "again");
    ok(!attach_count(context, &P.a) && as_host(context, &P.a, sizeof P.a), "the host's is back");
    ok(present_count(context, &base_type, 0, 1) && leads_typed(context, &P.b, t2),
       "the other one keeps the record");
    for (int i = 0; i < 3; i++)
        is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    is_status(detach(context, &P.a, 1), ACCD_OK, "detach finally");
    ok(!attach_count(context, &P.a) && present_count(context, &base_type, 0, 1) &&
           leads_typed(context, &P.b, t2),
       "takes only what is its own");
    is_sound(context);

    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    point_typed(&P.a, t1, 7, &base_type);
    if (strict) {
        fails(context, ACCD_POINTER_CHANGED, attach(context, &P.a, sizeof t1), "other bounds");
        point_typed(&P.a, t1, 1, &extended);
        fails(context, ACCD_POINTER_CHANGED, attach(context, &P.a, sizeof t1), "another type");
        fails(context, ACCD_POINTER_CHANGED, detach(context, &P.a, 0), "detach it");
        point_typed(&P.a, t1, 1, &base_type);
    } else {
        is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "other bounds");
        ok(attach_count(context, &P.a) == 1 && leads_typed(context, &P.a, t1) &&
               present_count(context, &base_type, 0, 2),
           "the type stays");
        is_sound(context);
        is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "again");
        point_typed(&P.a, t1, 7, &extended);
        is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "another type");
        ok(attach_count(context, &P.a) == 1 && leads_typed(context, &P.a, t1), "is attached");
        ok(present_count(context, &base_type, 0, 1) && present_count(context, &extended, 0, 1),
           "for the one it had");
        is_sound(context);
        P.a.len = 9;
        is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "another length");
        ok(leads_typed(context, &P.a, t1) && present_count(context, &extended, 0, 1), "arrives");
        P.a.type = NULL;
        is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "no type");
        ok(attach_count(context, &P.a) == 1 && leads_typed(context, &P.a, t1) &&
               present_count(context, &extended, 0, 0),
           "the record goes");
        is_sound(context);
        P.a.type = &extended;
        is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "a type again");
        ok(leads_typed(context, &P.a, t1) && present_count(context, &extended, 0, 1), "arrives");
        ((unsigned char *)&P.a)[23] = 0;
        is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "no addendum");
        ok(attach_count(context, &P.a) == 1 && leads(context, &P.a, sizeof P.a.head, t1) &&
               device_word(context, &P.a.type) == (uintptr_t)&extended &&
               present_count(context, &extended, 0, 0),
           "the record goes");
        is_sound(context);
        ((unsigned char *)&P.a)[23] = 1;
        is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "an addendum again");
        ok(leads_typed(context, &P.a, t1) && present_count(context, &extended, 0, 1), "arrives");
        P.a.type = &base_type; /* on the host only */
    }
    is_status(detach(context, &P.a, 1), ACCD_OK, "detach");
    ok(as_host(context, &P.a, sizeof P.a) && present_count(context, &extended, 0, 0) &&
           present_count(context, &base_type, 0, 1),
       "what it brought goes");
    is_status(EXIT(context, pointer(ACCD_DETACH, &P.b, sizeof P.b)), ACCD_OK, "by a clause");
    is_sound(context);
    is_status(attach(context, &P.b, sizeof t2), ACCD_OK, "attach");
    ok(leads_typed(context, &P.b, t2), "all of it");
    is_status(detach(context, &P.b, 0), ACCD_OK, "detach");
    ok(as_host(context, &P.b, sizeof P.b), "all of it");
    ok(present_count(context, &base_type, 0, 0), "no record is left");
    point_typed(&P.a, t1, 1, &base_type);
    accd_get_stats(context, 0, &after);
    ok(after.objects == before.objects && !after.attachments &&
           after.live_bytes == before.live_bytes,
       "nothing is left");
    finish(context, &meter);
}

/* Whatever ends the attachment of a descriptor, the reference on its type record goes with it, once. */
enum way {
    DETACH_CLAUSE, DETACH_FINALLY, DETACH_CALL, DELETE_HOLDER, COPYOUT_HOLDER, DELETE_TARGET,
    DELETE_BOTH, FINALIZE_HOLDER, ATTACH_NULL, NULL_CALL, COPYIN_NULL, DELETE_NULL, OTHER_TYPE,
    ITS_TYPE_WORD, END_REGION, END_OF_TARGET, ABANDON, ABANDON_TARGET, WAYS_OUT
};

static accd_status end_it(accd_context *context, enum way way, accd_region *region)
{
    const accd_item leave = section(ACCD_DELETE, NULL, 0, &P.a, sizeof P.a);
    switch (way) {
    case DETACH_CLAUSE: return EXIT(context, pointer(ACCD_DETACH, &P.a, sizeof P.a));
    case DETACH_FINALLY: return FINALIZE(context, pointer(ACCD_DETACH, &P.a, sizeof P.a));
    case DETACH_CALL: return detach(context, &P.a, 1);
    case DELETE_HOLDER: return EXIT(context, ONE(P, ACCD_DELETE));
    case COPYOUT_HOLDER: return EXIT(context, ONE(P, ACCD_COPYOUT));
    case DELETE_TARGET: return EXIT(context, PLAIN(ACCD_DELETE, t1));
    case DELETE_BOTH: return EXIT(context, PLAIN(ACCD_DELETE, t1), ONE(P, ACCD_DELETE));
    case FINALIZE_HOLDER: return FINALIZE(context, ONE(P, ACCD_DELETE));
    case ATTACH_NULL:
    case NULL_CALL:
    case COPYIN_NULL:
    case DELETE_NULL:
        P.a.head.base = NULL;
        return way == NULL_CALL ? attach(context, &P.a, 0)
               : way == DELETE_NULL
                   ? EXIT(context, leave)
                   : ENTER(context, way == COPYIN_NULL
                                        ? section(ACCD_COPYIN, NULL, 0, &P.a, sizeof P.a)
                                        : pointer(ACCD_ATTACH, &P.a, sizeof P.a));
    case OTHER_TYPE: /* the clause knows of no types: the device has the host's address then */
        P.a.type = &extended;
        return ENTER(context, pointer(ACCD_ATTACH, &P.a, sizeof P.a));
    case ITS_TYPE_WORD: return EXIT(context, pointer(ACCD_DETACH, &P.a.type, 0));
    case ABANDON:
    case ABANDON_TARGET: accd_region_abandon(region); return ACCD_OK;
    default: return accd_region_end(region);
    }
}

static void ways_out(const char *profile, enum way way, bool shared)
{
    struct meter meter;
    accd_region *region = NULL;
    const bool strict = strcmp(profile, "openacc-3.3") != 0;
    const bool regional = way >= END_REGION, goes = way >= DELETE_HOLDER && way <= DELETE_BOTH;
    accd_stats before, after;
    reset();
    accd_context *context = open_as(&meter, profile, 64, ACCD_DESCRIPTOR_FLANG, way % 2);
    point_typed(&P.a, t1, 1, &base_type);
    point_typed(&P.b, t2, 1, &base_type);
    accd_item target = PLAIN(ACCD_COPYIN, t1), holder = ONE(P, ACCD_COPYIN),
              other = PLAIN(ACCD_COPYIN, t2);
    if (way == END_OF_TARGET || way == ABANDON_TARGET)
        is_status(ENTER(context, holder, other), ACCD_OK, "%s, way %d: holder", profile, (int)way);
    else if (regional)
        is_status(ENTER(context, target, other), ACCD_OK, "%s, way %d: data", profile, (int)way);
    else
        is_status(ENTER(context, target, holder, other), ACCD_OK, "%s, way %d: data and holder",
                  profile, (int)way);
    if (regional)
        is_status(REGION(context, &region, way == END_OF_TARGET || way == ABANDON_TARGET ? target
                                                                                         : holder),
                  ACCD_OK, "the rest by a region");
    accd_get_stats(context, 0, &before);
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    if (shared)
        is_status(attach(context, &P.b, sizeof t2), ACCD_OK, "another one of the type");
    if (way == DETACH_FINALLY || way == DETACH_CALL)
        is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    ok(present_count(context, &base_type, 0, 1 + shared), "the type record is present");
    is_sound(context);
    uint64_t digest = accd_digest(context);
    for (int fault = 0; fault < 8; fault++) { /* memory of the host, copies */
        struct typed was = P.a;
        if (way == ABANDON || way == ABANDON_TARGET || (strict && (way == COPYIN_NULL || way == DELETE_NULL)))
            break; /* it cannot fail, or does nothing */
        if (fault % 2)
            accd_fail_copy(context, 0, 1);
        else
            meter.fail_at = 1 + (uint64_t)fault / 2;
        accd_status status = end_it(context, way, region);
        meter.fail_at = 0;
        accd_fail_copy(context, 0, 0);
        must(status != ACCD_OK || accd_digest(context) != digest, "something was done");
        if (status == ACCD_OK)
            goto ended;
        P.a = was;
        must(accd_digest(context) == digest, "way %d fails and changes nothing", (int)way);
    }
    story_clear(&story);
    if (strict && (goes || (regional && way < ABANDON) || way == FINALIZE_HOLDER)) {
        fails(context, ACCD_STILL_ATTACHED, end_it(context, way, region), "%s: way %d", profile,
              (int)way);
        is_status(detach(context, &P.a, 0), ACCD_OK, "detach");
        if (shared)
            is_status(detach(context, &P.b, 0), ACCD_OK, "detach");
    } else if (strict && (way >= ATTACH_NULL && way <= OTHER_TYPE)) {
        void *base = P.a.head.base;
        accd_status status = end_it(context, way, region);
        ok(status == (way == ATTACH_NULL || way == NULL_CALL || way == OTHER_TYPE
                          ? ACCD_POINTER_CHANGED
                          : ACCD_OK),
           "%s: the pointer may not change, or the clause does not apply", profile);
        ok(accd_digest(context) == digest, "nothing is done");
        point_typed(&P.a, base, 1, &base_type);
        is_status(detach(context, &P.a, 0), ACCD_OK, "detach");
        shared = shared && detach(context, &P.b, 0) != ACCD_OK;
    } else {
        is_status(end_it(context, way, region), ACCD_OK, "%s: way %d", profile, (int)way);
        region = NULL;
    }
ended:
    ok(!attach_count(context, &P.a.type), "the type is attached no more");
    is_number(attach_count(context, &P.a), way == ITS_TYPE_WORD || (way == OTHER_TYPE && !strict),
              "nor the descriptor, where it ended");
    bool both = !accd_presence_of(context, 0, &P, sizeof P) || !attach_count(context, &P.b);
    ok(present_count(context, &base_type, 0, shared && !both), "its reference is gone");
    accd_get_stats(context, 0, &after);
    if (!shared || both)
        ok(!present_count(context, &base_type, 0, 0) ||
               accd_presence_of(context, 0, &base_type, sizeof base_type) == ACCD_ABSENT,
           "and the record");
    if (attach_count(context, &P.b))
        ok(leads_typed(context, &P.b, t2), "the other one keeps it");
    is_sound(context);
    accd_context_close(context);
    is_number(meter.live + meter.blocks + meter.wrong, 0, "all memory is given back");
}

/* Attached anew by a clause: what leads to the same type keeps it. */
static void anew(void)
{
    struct meter meter;
    accd_context *context = open_typed(&meter, "openacc-3.3", false);
    accd_item clause = pointer(ACCD_ATTACH, &P.a, sizeof P.a);
    accd_stats stats;
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    P.a.head.base = t2;
    is_status(ENTER(context, clause), ACCD_OK, "another target, by a clause");
    ok(attach_count(context, &P.a) == 1 && leads_typed(context, &P.a, t2) &&
           present_count(context, &base_type, 0, 1),
       "has the same type there");
    is_status(ENTER(context, clause), ACCD_OK, "again");
    is_status(EXIT(context, pointer(ACCD_DETACH, &P.a, sizeof P.a)), ACCD_OK, "detach");
    ok(present_count(context, &base_type, 0, 1), "it stays as long as the attachment");
    is_status(EXIT(context, pointer(ACCD_DETACH, &P.a, sizeof P.a)), ACCD_OK, "detach");
    ok(present_count(context, &base_type, 0, 0) && as_host(context, &P.a, sizeof P.a),
       "and no longer");

    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    P.a.type = &extended;
    story_clear(&story);
    is_status(ENTER(context, clause), ACCD_OK, "another type, by a clause");
    is_text(story.text, "detach |decref |free |attach |", "the record goes before");
    ok(device_word(context, &P.a.type) == (uintptr_t)&extended, "the device has the host's word");
    story_clear(&story);
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "the call");
    ok(attach_count(context, &P.a) == 2, "counts: the descriptor is the same");
    is_status(detach(context, &P.a, 1), ACCD_OK, "detach");
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    ok(leads_typed(context, &P.a, t2), "brings it");

    /* a construct that needs the record keeps it, one that only leads there cannot */
    P.a.type = &base_type;
    is_status(ENTER(context, clause, ONE(extended, ACCD_COPYIN)), ACCD_OK, "copyin of what goes");
    ok(present_count(context, &extended, 0, 1) && !attach_count(context, &P.a.type),
       "is a reference of its own");
    is_status(EXIT(context, ONE(extended, ACCD_DELETE)), ACCD_OK, "delete");
    ok(present_count(context, &extended, 0, 0), "the only one");
    is_status(detach(context, &P.a, 1), ACCD_OK, "detach");
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    P.a.type = NULL;
    P.b.head.base = &base_type;
    fails(context, ACCD_STILL_ATTACHED,
          ENTER(context, clause, pointer(ACCD_ATTACH, &P.b, sizeof P.b)), "a pointer to what goes");
    P.b.head.base = t2;
    is_status(ENTER(context, clause), ACCD_OK, "alone");
    ok(present_count(context, &base_type, 0, 0), "it goes");

    /* with pointers elsewhere that lead to it, and clauses of its own */
    P.a.type = &base_type;
    is_status(detach(context, &P.a, 1), ACCD_OK, "detach");
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    static void *alias;
    alias = &base_type;
    is_status(ENTER(context, ONE(alias, ACCD_COPYIN),
                    (accd_item){.slot = &alias, .action = ACCD_ATTACH}),
              ACCD_OK, "another pointer");
    P.a.type = NULL;
    is_status(ENTER(context, clause), ACCD_OK, "the type goes");
    ok(!attach_count(context, &alias) && device_word(context, &alias) == (uintptr_t)&base_type,
       "the other pointer is the host's");
    is_sound(context);
    P.a.type = &base_type;
    is_status(detach(context, &P.a, 1), ACCD_OK, "detach");
    is_status(ENTER(context, ONE(base_type, ACCD_COPYIN)), ACCD_OK, "copyin of a type");
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    uint64_t size = 48;
    must(device_put(context, &base_type, &size, sizeof size), "write");
    is_status(EXIT(context, ONE(P, ACCD_DELETE), ONE(base_type, ACCD_COPYOUT)), ACCD_OK,
              "delete of the holder, copyout of the type");
    is_number(base_type.bytes, 48, "is fetched when the last reference goes");
    base_type.bytes = 32;
    accd_get_stats(context, 0, &stats);
    is_number(stats.objects, 3, "t1, t2 and a pointer are left");
    finish(context, &meter);

    /* fused data: one construct does not put together and take apart */
    context = open_typed(&meter, "openacc-3.3", false);
    context->rules.fusion = 1;
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach, with fusion");
    P.a.type = NULL;
    is_status(ENTER(context, clause), ACCD_OK, "no type");
    ok(present_count(context, &base_type, 0, 0), "the record goes");
    is_sound(context);
    P.a.type = &base_type;
    is_status(detach(context, &P.a, 1), ACCD_OK, "detach");
    static struct record many[3] = {{32, "a"}, {32, "b"}, {32, "c"}};
    P.a.type = &many[0];
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "a type of several");
    accd_item third = ONE(many[2], ACCD_COPYIN);
    third.base = &many[0];
    accd_region *region;
    is_status(REGION(context, &region, third), ACCD_OK, "fused with another one");
    P.a.type = NULL;
    fails(context, ACCD_LIMIT, ENTER(context, clause), "no type");
    is_status(detach(context, &P.a, 1), ACCD_OK, "detach, an exit, can");
    ok(present_count(context, &many[0], 0, 0), "the record goes");
    is_status(accd_region_end(region), ACCD_OK, "end");
    finish(context, &meter);

    /* memory that is unmapped with what is attached in it */
    uint64_t dev;
    context = open_as(&meter, "libgomp-12", 64, ACCD_DESCRIPTOR_FLANG, false);
    reset();
    point_typed(&P.a, t1, 1, &base_type);
    is_status(accd_device_alloc(context, 0, sizeof P, &dev), ACCD_OK, "memory");
    is_status(accd_map(context, 0, &P, dev, sizeof P, NULL), ACCD_OK, "map");
    is_status(ENTER(context, PLAIN(ACCD_COPYIN, t1)), ACCD_OK, "data");
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    ok(present_count(context, &base_type, 0, 1), "with its type");
    for (uint64_t n = 1;; n++) {
        uint64_t digest = accd_digest(context);
        meter.fail_at = n;
        accd_status status = accd_unmap(context, 0, &P);
        bool reached = !meter.fail_at;
        meter.fail_at = 0;
        if (status == ACCD_OK && !reached)
            break;
        must(status == ACCD_OUT_OF_MEMORY && accd_digest(context) == digest, "fault %d", (int)n);
    }
    ok(present_count(context, &base_type, 0, 0), "unmapped: the record goes");
    is_status(accd_device_free(context, 0, dev), ACCD_OK, "free");
    finish(context, &meter);
}

/* --------------------------------------------------------------------- descriptors in elements -- */

enum { CELLS = 40 };
struct cell {
    int64_t n;
    cfi1 p;
    int64_t k;
    cfi1 q;
};
static struct cell C[CELLS], other_cells[CELLS];
enum { BOXES = 5, EACH = CELLS / BOXES };
struct box {
    cfi1 cells;
    int64_t n;
};
static struct box B[BOXES];
static float values[CELLS][2][4];

enum { WHOLE, INIT, PIECES, ONLY_Q }; /* which own bytes move */

static accd_program *cell_program(accd_context *context, int which)
{
    const accd_field fields[] = {{.offset = offsetof(struct cell, p),
                                  .unit = 4,
                                  .start = -1,
                                  .slot_bytes = sizeof(cfi1),
                                  .code_end = 1,
                                  .label = member(context, "p", 4, NULL)},
                                 {.offset = offsetof(struct cell, q),
                                  .unit = 4,
                                  .start = -1,
                                  .slot_bytes = sizeof(cfi1),
                                  .code_end = 1,
                                  .label = member(context, "q", 4, NULL)}};
    const accd_piece whole[] = {{.bytes = sizeof(struct cell)}},
                     init[] = {{.bytes = 56, .init = 1}, {.offset = 64, .bytes = 48, .init = 1}},
                     /* from inside one descriptor to inside the other */
        pieces[] = {{.bytes = 8}, {.offset = 16, .bytes = 64}};
    const accd_piece *const all[] = {whole, init, pieces, NULL};
    static const size_t n[] = {1, 2, 2, 0};
    return program_of(context,
                      &(accd_program_spec){.stride = sizeof(struct cell),
                                           .fields = which == ONLY_Q ? fields + 1 : fields,
                                           .nfields = which == ONLY_Q ? 1 : 2,
                                           .pieces = all[which],
                                           .npieces = n[which],
                                           .registers = 1,
                                           .code = CODE(LOAD(0, ACCD_I64, 0)),
                                           .ncode = 1});
}

/* Elements whose descriptors lead to those elements. */
static accd_program *box_program(accd_context *context, accd_program *cells)
{
    const accd_field field = {.offset = offsetof(struct box, cells),
                              .unit = sizeof(struct cell),
                              .start = -1,
                              .slot_bytes = sizeof(cfi1),
                              .code_end = 1,
                              .child = cells,
                              .label = member(context, "cells", sizeof(struct cell), cells)};
    return program_of(context,
                      &(accd_program_spec){.stride = sizeof(struct box),
                                           .fields = &field,
                                           .nfields = 1,
                                           .pieces = &(accd_piece){.bytes = sizeof(struct box)},
                                           .npieces = 1,
                                           .registers = 1,
                                           .code = CODE(LOAD(0, ACCD_I64, sizeof(cfi1))),
                                           .ncode = 1});
}

static void build_boxes(void)
{
    for (int i = 0; i < BOXES; i++) {
        B[i].n = i == 3 ? 0 : EACH;
        point(&B[i].cells, 1, C + i * EACH, B[i].cells.dim[0].lower, B[i].n);
    }
}

static void build_cells(uint64_t *state)
{
    memset(B, 0, sizeof B);
    build_boxes();
    for (int i = 0; i < CELLS; i++) {
        C[i] = (struct cell){.n = state ? next_random(state) % 5 : 4, .k = i};
        point(&C[i].p, 1, values[i][0], 1, C[i].n);
        point(&C[i].q, 1, values[i][1], 1, C[i].n);
        for (int k = 0; k < 8; k++)
            values[i][k / 4][k % 4] = (float)(10 * i + k);
    }
}

static bool cells_lead(accd_context *context, bool nulls)
{
    bool all = true;
    for (int i = 0; i < CELLS; i++)
        all = all &&
              (C[i].n ? leads(context, &C[i].p, sizeof(cfi1), values[i][0]) &&
                            leads(context, &C[i].q, sizeof(cfi1), values[i][1])
                      : !nulls || as_host(context, &C[i].p, sizeof(cfi1)));
    return all;
}

/* Arrays of structures, one by one and as a group, with bytes of their own that move or do not. */
static void elements(size_t least, uint8_t action, int which, const char *profile)
{
    struct meter meter;
    uint64_t state = 5;
    accd_context *context = open_as(&meter, profile, least, ACCD_DESCRIPTOR_CFI, false);
    accd_program *program = cell_program(context, which);
    accd_item item = walked(action, C, sizeof C, program,
                            array(context, "C", sizeof(struct cell), program));
    build_cells(&state);
    const char *name = accd_action_name(action);
    is_status(ENTER(context, item), ACCD_OK, "%s: %s of elements %d, groups from %zu", profile,
              name, which, least);
    struct accd_directory *dir = &context->dirs[0];
    bool group = dir->npending_attach > 0;
    ok(group == (least == 1), "as a group or one by one");
    is_status(ENTER(context, item), ACCD_OK, "again");
    memcpy(other_cells, C, sizeof C);
    if (which != INIT) { /* create wants bytes only at first */
        item.action = ACCD_UPDATE_DEVICE;
        is_status(UPDATE(context, item), ACCD_OK, "update device");
        item.action = ACCD_UPDATE_SELF;
        is_status(UPDATE(context, item), ACCD_OK, "update self");
    }
    ok(!memcmp(other_cells, C, sizeof C), "the host is as it was");
    ok((dir->npending_attach > 0) == group, "nothing was looked up");
    item.action = ACCD_DELETE;
    is_status(EXIT(context, item), ACCD_OK, "exit");
    ok((dir->npending_attach > 0) == group, "nor at an exit that leaves it");
    ok(cells_lead(context, which == INIT || (which == WHOLE && action == ACCD_COPYIN)),
       "all attached, null ones verbatim");
    is_number(attach_count(context, &C[1].q), C[1].n ? 1 : 0, "looked up");
    is_sound(context);
    item.action = ACCD_COPYOUT;
    is_status(EXIT(context, item), ACCD_OK, "exit");
    for (int i = 0; i < CELLS; i++)
        must(!memcmp(&other_cells[i].p, &C[i].p, sizeof(cfi1)) &&
                 !memcmp(&other_cells[i].q, &C[i].q, sizeof(cfi1)),
             "descriptor %d of the host is as it was", i);
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    is_number(stats.objects + stats.attachments + dir->ndopes, 0, "nothing is left");
    accd_program_release(program);
    finish(context, &meter);
}

/* Bounds that change while a group is pending; roots that stay when it goes. */
static void changing_groups(size_t least)
{
    struct meter meter;
    accd_region *region;
    for (int strict = 0; strict < 2; strict++) {
        accd_context *context =
            open_as(&meter, strict ? "tr14" : "openacc-3.3", least, ACCD_DESCRIPTOR_CFI, false);
        accd_program *program = cell_program(context, WHOLE), *only = cell_program(context, ONLY_Q);
        accd_item item = walked(ACCD_COPYIN, C, sizeof C, program, NULL), part = item, leave = item,
                  send = item;
        leave.action = ACCD_DELETE;
        send.action = ACCD_UPDATE_DEVICE;
        part.program = only;
        part.action = ACCD_UPDATE_SELF;
        build_cells(NULL);
        is_status(ENTER(context, item), ACCD_OK, "enter, groups from %zu", least);
        C[7].q.dim[0].lower = 3;
        if (strict) {
            fails(context, ACCD_POINTER_CHANGED, ENTER(context, item), "other bounds: enter");
            fails(context, ACCD_POINTER_CHANGED, EXIT(context, leave), "exit");
            fails(context, ACCD_POINTER_CHANGED, UPDATE(context, send), "update");
            fails(context, ACCD_POINTER_CHANGED, UPDATE(context, part), "update of q alone");
            C[7].q.dim[0].lower = 1;
            is_status(EXIT(context, leave), ACCD_OK, "the old ones: exit");
            /* each on a group of its own that nothing has looked into */
            is_status(ENTER(context, item), ACCD_OK, "enter");
            C[7].q.dim[0].lower = 3;
            is_status(UPDATE(context, part), ACCD_POINTER_CHANGED, "update of q alone");
            C[7].q.dim[0].lower = 1;
            is_status(EXIT(context, leave), ACCD_OK, "exit");
            is_status(REGION(context, &region, item), ACCD_OK, "region");
            C[7].q.dim[0].lower = 3;
            is_status(accd_region_end(region), ACCD_POINTER_CHANGED, "its end");
            C[7].q.dim[0].lower = 1;
            is_status(accd_region_end(region), ACCD_OK, "with the old ones");
        } else {
            is_status(UPDATE(context, send), ACCD_OK, "update");
            C[7].q.dim[0].lower = 1;
            ok(leads(context, &C[7].q, sizeof(cfi1), values[7][1]), "keeps the device's bounds");
            C[7].q.dim[0].lower = 3;
            is_status(ENTER(context, item), ACCD_OK, "enter again");
            ok(attach_count(context, &C[7].q) == 1 && attach_count(context, &C[7].p) == 2 &&
                   attach_count(context, &C[8].q) == 2,
               "one starts anew, the others count");
            ok(cells_lead(context, true), "the device has the new bounds");
            is_sound(context);
            is_status(FINALIZE(context, leave), ACCD_OK, "exit, finally");
            is_status(ENTER(context, item), ACCD_OK, "enter");
            uint64_t word = 6;
            ok(device_put(context, &C[5].p.dim[0].lower, &word, 8), "a kernel writes a bound");
            is_status(attach(context, &C[5].p, 16), ACCD_OK, "attach");
            is_number(attach_count(context, &C[5].p), 2, "the host's is as it was: counted");
            is_status(detach(context, &C[5].p, 1), ACCD_OK, "detach");
            ok(as_host(context, &C[5].p, sizeof(cfi1)), "the host's");
            is_status(FINALIZE(context, leave), ACCD_OK, "exit, finally");
            is_status(ENTER(context, item), ACCD_OK, "enter");
            for (int i = 0; i < CELLS; i++)
                C[i].p.dim[0].lower = -i;
            is_status(ENTER(context, item), ACCD_OK, "all with other bounds");
            ok(cells_lead(context, true) && attach_count(context, &C[9].p) == 1 &&
                   attach_count(context, &C[9].q) == 2,
               "start anew");
            is_sound(context);
            is_status(FINALIZE(context, leave), ACCD_OK, "exit, finally");
            is_status(REGION(context, &region, item), ACCD_OK, "region");
            C[7].q.dim[0].lower = 9;
            is_status(accd_region_end(region), ACCD_OK, "ends with other bounds");
        }
        /* roots that are there before and after: they get the host's descriptors back */
        build_cells(NULL);
        is_status(ENTER(context, PLAIN(ACCD_COPYIN, C)), ACCD_OK, "the elements alone");
        is_status(ENTER(context, item), ACCD_OK, "and what they lead to");
        if (!strict)
            C[3].p.dim[0].lower = 5;
        is_status(EXIT(context, leave), ACCD_OK, "exit");
        int wrong = 0;
        for (int i = 0; i < CELLS; i++)
            wrong += !as_host(context, &C[i].p, sizeof(cfi1)) ||
                     !as_host(context, &C[i].q, sizeof(cfi1));
        is_number(wrong, 0, "the elements that stay have the host's descriptors");
        is_sound(context);
        accd_program_release(program);
        accd_program_release(only);
        finish(context, &meter);
    }
}

/* A group of plain pointers is none of descriptors, where these are what differs. */
static void plain_and_whole(void)
{
    struct meter meter;
    accd_context *context = open_as(&meter, "openacc-3.3", 1, ACCD_DESCRIPTOR_CFI, false);
    accd_program *program = cell_program(context, WHOLE);
    accd_field fields[2];
    memcpy(fields, program->spec.fields, sizeof fields);
    fields[0].slot_bytes = fields[1].slot_bytes = 0;
    accd_program_spec spec = program->spec;
    spec.fields = fields;
    accd_program *plain = program_of(context, &spec);
    build_cells(NULL);
    is_status(ENTER(context, walked(ACCD_COPYIN, C, sizeof C, plain, NULL)), ACCD_OK, "pointers");
    is_status(ENTER(context, walked(ACCD_COPYIN, C, sizeof C, program, NULL)), ACCD_OK,
              "descriptors");
    accd_attachment attachment;
    ok(accd_attachment_at(context, 0, &C[2].p, &attachment) &&
           attachment.slot_bytes == sizeof(cfi1),
       "are attached as such");
    is_sound(context);
    accd_program_release(plain);
    accd_program_release(program);
    finish(context, &meter);
}

/* An object near a pending group is not one of it. */
static void neighbours(void)
{
    struct meter meter;
    static struct {
        struct cell cells[CELLS];
        char behind[64];
    } around;
    accd_context *context = open_as(&meter, "tr14", 1, ACCD_DESCRIPTOR_CFI, false);
    accd_program *program = cell_program(context, WHOLE);
    build_cells(NULL);
    memcpy(around.cells, C, sizeof C);
    is_status(ENTER(context, BYTES(ACCD_COPYIN, around.behind, 64)), ACCD_OK, "a neighbour");
    is_status(ENTER(context, walked(ACCD_COPYIN, around.cells, sizeof C, program, NULL)), ACCD_OK,
              "a group");
    is_status(UPDATE(context, BYTES(ACCD_UPDATE_DEVICE, around.behind, 64)), ACCD_OK, "update");
    is_number(context->dirs[0].npending_attach, 1, "the group is still pending");
    is_status(UPDATE(context, BYTES(ACCD_UPDATE_DEVICE, (char *)&around.behind - 8, 8)), ACCD_OK,
              "the end of its last descriptor");
    is_number(context->dirs[0].npending_attach, 0, "is looked up");
    is_sound(context);
    accd_program_release(program);
    finish(context, &meter);
}

/* ------------------------------------------------------------------ groups do the same, at random -- */

struct world {
    accd_context *context;
    accd_program *programs[4], *boxes[2];
    const accd_label *label, *box;
    accd_region *regions[4];
    int depth;
};

static accd_item some_cells(struct world *world, uint64_t *state, uint8_t action)
{
    size_t from = 0, n = CELLS;
    if (next_random(state) % 4 == 0) {
        from = next_random(state) % BOXES;
        return walked(action, B + from, (BOXES - from) * sizeof B[0],
                      world->boxes[next_random(state) % 4 == 0], world->box);
    }
    if (next_random(state) % 2) {
        from = next_random(state) % CELLS;
        n = 1 + next_random(state) % (CELLS - from);
    }
    unsigned which = next_random(state) % 6;
    static const int programs[] = {WHOLE, WHOLE, WHOLE, PIECES, ONLY_Q};
    accd_item item = walked(action, C + from, n * sizeof C[0],
                            which < 5 ? world->programs[programs[which]] : NULL, world->label);
    item.start = (int64_t)from;
    return item;
}

static accd_status random_step(struct world *world, uint64_t *state)
{
    static const uint8_t entries[] = {ACCD_COPYIN,  ACCD_COPYIN,  ACCD_COPY, ACCD_CREATE,
                                      ACCD_COPYOUT, ACCD_PRESENT};
    accd_context *context = world->context;
    struct cell *cell = &C[next_random(state) % CELLS];
    cfi1 *descriptor = next_random(state) % 2 ? &cell->p : &cell->q;
    uint64_t word;
    switch (next_random(state) % 16) {
    case 0: case 1: case 2: case 3:
        return ENTER(context, some_cells(world, state, entries[next_random(state) % 6]));
    case 4: case 5: case 6:
        if (world->depth < 4) {
            accd_status status =
                REGION(context, &world->regions[world->depth],
                       some_cells(world, state, entries[next_random(state) % 6]));
            world->depth += status == ACCD_OK;
            return status;
        } /* fall through */
    case 7: case 8:
        if (world->depth) {
            accd_status status = accd_region_end(world->regions[world->depth - 1]);
            world->depth -= status == ACCD_OK;
            return status;
        } /* fall through */
    case 9: case 10: {
        accd_item item =
            some_cells(world, state, next_random(state) % 3 ? ACCD_COPYOUT : ACCD_DELETE);
        return next_random(state) % 4 ? EXIT(context, item) : FINALIZE(context, item);
    }
    case 11: case 12:
        return UPDATE(context, some_cells(world, state, next_random(state) % 2
                                                            ? ACCD_UPDATE_SELF
                                                            : ACCD_UPDATE_DEVICE));
    case 13:
        return next_random(state) % 2 ? attach(context, descriptor, 4 * (uint64_t)cell->n)
                                      : detach(context, descriptor, 0);
    case 14:
        if (next_random(state) % 3 == 0)
            (next_random(state) % 4 ? descriptor : &B[next_random(state) % BOXES].cells)
                ->dim[0]
                .lower++;
        return ACCD_OK;
    default:
        word = next_random(state);
        if (accd_device_address(context, 0, &cell->k))
            device_put(context, &cell->k, &word, 8);
        return ACCD_OK;
    }
}

static void random_run(struct story *log, uint64_t seed, const char *profile, bool reverse,
                       size_t least)
{
    struct meter meter;
    uint64_t state = seed;
    struct world world = {.context = open_as(&meter, profile, least, ACCD_DESCRIPTOR_CFI, reverse)};
    for (int i = 0; i < 4; i++)
        world.programs[i] = cell_program(world.context, i);
    for (int i = 0; i < 2; i++)
        world.boxes[i] = box_program(world.context, world.programs[i ? PIECES : WHOLE]);
    world.label = array(world.context, "C", sizeof(struct cell), world.programs[0]);
    world.box = array(world.context, "B", sizeof(struct box), world.boxes[0]);
    build_cells(&state);
    story_clear(log);
    for (int i = 0; i < 40; i++) {
        accd_status status = random_step(&world, &state);
        uint64_t hash = mix_bytes(mix_bytes(7, C, sizeof C), values, sizeof values);
        hash = mix_bytes(hash, B, sizeof B);
        uint64_t asked = status == ACCD_OK ? 0 : accd_context_error(world.context)->asked.host;
        story_add(log, "%d %s %llx %llx\n", i, accd_status_code(status),
                  (unsigned long long)asked, (unsigned long long)hash);
        for (int k = 0; k < CELLS; k++) { /* what was never written may have come over them */
            int64_t lower[2] = {C[k].p.dim[0].lower, C[k].q.dim[0].lower};
            C[k].n = C[k].n < 0 || C[k].n > 4 ? 4 : C[k].n;
            point(&C[k].p, 1, values[k][0], lower[0], C[k].n);
            point(&C[k].q, 1, values[k][1], lower[1], C[k].n);
        }
        build_boxes();
        if (i % 8 == 7 && seed % 2) {
            const char *wrong = accd_check(world.context);
            must(!wrong, "%s, seed %llu, step %d: %s", profile, (unsigned long long)seed, i, wrong);
            write_state(world.context, log);
        }
    }
    const char *wrong = accd_check(world.context);
    must(!wrong, "%s, seed %llu: %s", profile, (unsigned long long)seed, wrong);
    write_state(world.context, log);
    while (world.depth)
        accd_region_abandon(world.regions[--world.depth]);
    for (int i = 0; i < 2; i++)
        accd_program_release(world.boxes[i]);
    for (int i = 0; i < 4; i++)
        accd_program_release(world.programs[i]);
    accd_context_close(world.context);
    must(!meter.live && !meter.wrong, "seed %llu: memory is given back", (unsigned long long)seed);
}

static void at_random(const char *profile, bool reverse, uint64_t first, uint64_t last)
{
    struct story one = {0}, groups = {0};
    int failed = 0;
    for (uint64_t seed = first; seed <= last && failed < 3; seed++) {
        random_run(&one, seed, profile, reverse, 1000000);
        random_run(&groups, seed, profile, reverse, 1);
        if (!strcmp(one.text, groups.text))
            continue;
        failed++;
        size_t k = 0, line_at = 0;
        for (; one.text[k] && one.text[k] == groups.text[k]; k++)
            line_at = one.text[k] == '\n' ? k + 1 : line_at;
        printf("#   seed %llu\n#   one by one %.*s\n#   as groups  %.*s\n",
               (unsigned long long)seed, (int)strcspn(one.text + line_at, "\n"),
               one.text + line_at, (int)strcspn(groups.text + line_at, "\n"),
               groups.text + line_at);
    }
    ok(!failed, "%s%s: groups of descriptors and single ones do the same", profile,
       reverse ? ", reverse" : "");
    story_free(&one);
    story_free(&groups);
}

/* -------------------------------------------------------------------------------------- fusion -- */

/* Targets and holders that move into a common block and back. */
static void fusion(void)
{
    struct meter meter;
    accd_context *context = fresh(&meter, "directory");
    accd_region *region, *inner;
    accd_item front = BYTES(ACCD_COPYIN, line, 16), back = BYTES(ACCD_COPYIN, line + 12, 16);
    back.base = line;
    point(&d.q, 1, line, 0, 4);
    point(&d.p, 2, t1, 2, 2);
    is_status(REGION(context, &region, ONE(d, ACCD_COPY), front, PLAIN(ACCD_COPYIN, t1)), ACCD_OK,
              "directory: d, line(0:3), t1");
    is_status(attach(context, &d.q, 16), ACCD_OK, "attach q");
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "attach p");
    uint64_t place = accd_device_address(context, 0, line);
    is_status(REGION(context, &inner, back), ACCD_OK, "line(12:15): the target moves");
    ok(accd_device_address(context, 0, line) != place, "it is elsewhere now");
    ok(leads(context, &d.q, sizeof d.q, line) && leads(context, &d.p, sizeof d.p, t1),
       "the descriptor follows, with its bounds");
    is_sound(context);
    is_status(accd_region_end(inner), ACCD_OK, "and goes back");
    ok(leads(context, &d.q, sizeof d.q, line), "the descriptor, too");
    is_sound(context);

    accd_item beyond = BYTES(ACCD_COPYIN, &d.m + 1, 0);
    static struct {
        struct holder a;
        int64_t gap, more;
    } both;
    (void)beyond;
    both.a = d;
    accd_item holder = BYTES(ACCD_COPYIN, &both, sizeof both.a),
              more = BYTES(ACCD_COPYIN, &both.more, 8);
    more.base = &both;
    is_status(ENTER(context, holder), ACCD_OK, "another holder");
    is_status(attach(context, &both.a.p, sizeof t1), ACCD_OK, "attached");
    is_status(REGION(context, &inner, more), ACCD_OK, "the holder moves");
    ok(leads(context, &both.a.p, sizeof d.p, t1), "with its descriptor");
    is_sound(context);
    is_status(UPDATE(context, BYTES(ACCD_UPDATE_DEVICE, &both, sizeof both.a)), ACCD_OK, "update");
    ok(leads(context, &both.a.p, sizeof d.p, t1), "leaves it alone");
    is_status(accd_region_end(inner), ACCD_OK, "and goes back");
    ok(leads(context, &both.a.p, sizeof d.p, t1), "with it");
    is_sound(context);
    /* moved and refreshed by one directive: what is not sent is not copied, either */
    accd_item again = BYTES(ACCD_COPYIN, &both, sizeof both);
    again.flags = ACCD_ITEM_REFRESH;
    is_status(REGION(context, &inner, again), ACCD_OK, "update_and_copy of more than is there");
    ok(leads(context, &both.a.p, sizeof d.p, t1), "the descriptor is whole");
    is_sound(context);
    is_status(accd_region_end(inner), ACCD_OK, "end");
    is_status(detach(context, &both.a.p, 0), ACCD_OK, "detach");
    ok(as_host(context, &both.a.p, sizeof d.p), "the host's");
    is_status(detach(context, &d.q, 0), ACCD_OK, "detach");
    is_status(detach(context, &d.p, 0), ACCD_OK, "detach");
    is_status(accd_region_end(region), ACCD_OK, "end");
    finish(context, &meter);
}

int main(int argc, char **argv)
{
    static const char *const profiles[] = {"tr14", "openacc-3.3", "directory"};
    if (argc > 2) { /* seeds */
        for (int i = 0; i < 4; i++)
            at_random(profiles[i % 2], i > 1, strtoull(argv[1], NULL, 10),
                      strtoull(argv[2], NULL, 10));
        return done();
    }
    for (int i = 0; i < 3; i++)
        for (int calls = 0; calls < 2; calls++)
            the_example(profiles[i], calls);
    no_chimera();
    moving_target();
    steps_of_the_call();
    nullified();
    sections();
    ranks(ACCD_DESCRIPTOR_CFI, 24, 20);
    ranks(ACCD_DESCRIPTOR_FLANG, 24, 20);
    ranks(ACCD_DESCRIPTOR_GFORTRAN, 40, 28);
    updates(false);
    updates(true);
    kernels();
    what_is_no_descriptor();
    devices();
    for (int i = 0; i < 3; i++)
        for (int reverse = 0; reverse < 2; reverse++)
            addenda(profiles[i], reverse);
    for (int i = 0; i < 3; i++)
        for (int way = 0; way < WAYS_OUT; way++)
            for (int shared = 0; shared < 2; shared++)
                ways_out(profiles[i], (enum way)way, shared);
    anew();
    for (int i = 0; i < 3; i++) {
        bool groups = i < 2;
        for (size_t least = groups ? 1 : 1000; least <= 1000; least += 999)
            for (int which = WHOLE; which <= PIECES; which++) {
                elements(least, ACCD_COPYIN, which, profiles[i]);
                elements(least, ACCD_CREATE, which, profiles[i]);
            }
    }
    changing_groups(1);
    changing_groups(1000);
    plain_and_whole();
    neighbours();
    fusion();
    for (int i = 0; i < 4; i++)
        at_random(profiles[i % 2], i > 1, 1, 60);
    story_free(&story);
    return done();
}
