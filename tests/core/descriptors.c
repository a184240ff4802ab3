/* Fortran descriptors: attached and detached as a whole, left alone by whatever moves around them
 * (document FLANG); the three layouts; updates, kernels, fusion. */
#include "accdeep_internal.h"
#include "descriptors.h"

/* The first example of the document, by clauses and by calls. */
static void the_example(const char *profile, bool calls)
{
    struct meter meter;
    accd_context *context = new_descriptor_context(&meter, profile);
    const accd_piece pieces[] = {{.offset = offsetof(struct holder, p), .bytes = sizeof d.p, .init = 1},
                                 {.offset = offsetof(struct holder, q), .bytes = sizeof d.q, .init = 1}};
    accd_program *program =
        program_of(context, &(accd_program_spec){.stride = sizeof d, .pieces = pieces, .npieces = 2});
    is_status(ENTER(context, walked(ACCD_ACTION_CREATE, &d, sizeof d, program, NULL)), ACCD_OK,
              "%s: enter data create(d)", profile);
    ok(as_host(context, &d.p, sizeof d.p), "the null descriptor arrives verbatim");
    is_number(accd_device_count_written(context, 0, accd_device_address(context, 0, &d.n), 8), 0, "other bytes do not");
    point(&d.p, 2, t1, 1, 2);
    is_status(ENTER(context, THROUGH(ACCD_ACTION_COPYIN, t1, d.p)), ACCD_OK, "enter data copyin(d%%p)");
    ok(attach_count(context, &d.p) == 1 && leads(context, &d.p, sizeof d.p, t1), "attached, with bounds and strides");
    accd_attachment attachment;
    ok(accd_attachment_at(context, 0, &d.p, &attachment) && attachment.slot_bytes == 72 &&
           attachment.target == (uintptr_t)t1,
       "the attachment is as long as the descriptor");
    uint64_t before = get_moved_bytes(context);
    is_status(ENTER(context, THROUGH(ACCD_ACTION_COPYIN, t1, d.p)), ACCD_OK, "the same again");
    ok(attach_count(context, &d.p) == 2 && get_moved_bytes(context) == before, "is only counted");
    if (calls)
        is_status(detach(context, &d.p, 0), ACCD_OK, "acc_detach");
    else
        is_status(EXIT(context, POINTER(ACCD_ACTION_DETACH, d.p)), ACCD_OK, "detach");
    ok(attach_count(context, &d.p) == 1 && leads(context, &d.p, sizeof d.p, t1), "still attached");
    is_sound(context);
    if (calls)
        is_status(detach(context, &d.p, 0), ACCD_OK, "acc_detach again");
    else
        is_status(EXIT(context, POINTER(ACCD_ACTION_DETACH, d.p)), ACCD_OK, "detach again");
    ok(!attach_count(context, &d.p) && as_host(context, &d.p, sizeof d.p), "the device has the host's descriptor");
    ok(accd_device_at(context, device_word(context, &d.p)) < 0, "which is of no use there");
    accd_program_release(program);
    free_descriptor_context(context, &meter);
}

/* Detach brings back all of the host's descriptor as it is now: no mixture of two. */
static void no_chimera(void)
{
    struct meter meter;
    for (int way = 0; way < 4; way++) {
        accd_context *context = new_descriptor_context(&meter, "openacc-3.3");
        is_status(ENTER(context, ONE(d, ACCD_ACTION_COPYIN)), ACCD_OK, "copyin(d)");
        point(&d.p, 2, t1, 1, 2);
        is_status(ENTER(context, THROUGH(ACCD_ACTION_COPYIN, t1, d.p)), ACCD_OK, "copyin(d%%p)");
        point(&d.p, 2, t1, 10, 2);
        cfi2 now = d.p;
        if (way == 0)
            is_status(detach(context, &d.p, 0), ACCD_OK, "acc_detach");
        else if (way == 1)
            is_status(EXIT(context, POINTER(ACCD_ACTION_DETACH, d.p)), ACCD_OK, "detach");
        else if (way == 2)
            is_status(EXIT(context, THROUGH(ACCD_ACTION_DELETE, t1, d.p)), ACCD_OK, "delete");
        else
            is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, t1)), ACCD_OK, "the target alone");
        ok(as_host(context, &d.p, sizeof d.p), "the device has today's bounds");
        is_sound(context);
        is_status(EXIT(context, ONE(d, ACCD_ACTION_COPYOUT)), ACCD_OK, "copyout(d)");
        ok(!memcmp(&now, &d.p, sizeof now), "and so has the host");
        free_descriptor_context(context, &meter);
    }
    accd_context *context = new_descriptor_context(&meter, "openacc-3.3"); /* AMB-FLANG-05: without acc_detach */
    is_status(ENTER(context, ONE(d, ACCD_ACTION_COPYIN)), ACCD_OK, "copyin(d)");
    point(&d.p, 2, t1, 1, 2);
    is_status(ENTER(context, THROUGH(ACCD_ACTION_COPYIN, t1, d.p)), ACCD_OK, "copyin(d%%p)");
    point(&d.p, 2, t1, 10, 2);
    cfi2 now = d.p;
    is_status(EXIT(context, ONE(d, ACCD_ACTION_COPYOUT)), ACCD_OK, "copyout(d), attached");
    ok(!memcmp(&now, &d.p, sizeof now) && d.n == 1, "the host keeps its bounds");
    free_descriptor_context(context, &meter);

    context = new_descriptor_context(&meter, "tr14");
    point(&d.p, 2, t1, 1, 2);
    is_status(ENTER(context, ONE(d, ACCD_ACTION_COPYIN), THROUGH(ACCD_ACTION_COPYIN, t1, d.p)), ACCD_OK,
              "tr14: attached");
    point(&d.p, 2, t1, 10, 2);
    fails(context, ACCD_ERROR_POINTER_CHANGED, detach(context, &d.p, 0), "acc_detach of other bounds");
    fails(context, ACCD_ERROR_POINTER_CHANGED, detach(context, &d.p, 1), "and finally");
    fails(context, ACCD_ERROR_POINTER_CHANGED, EXIT(context, POINTER(ACCD_ACTION_DETACH, d.p)), "detach");
    fails(context, ACCD_ERROR_POINTER_CHANGED, EXIT(context, THROUGH(ACCD_ACTION_DELETE, t1, d.p)), "delete");
    fails(context, ACCD_ERROR_POINTER_CHANGED, UPDATE(context, THROUGH(ACCD_ACTION_UPDATE_SELF, t1, d.p)), "update");
    point(&d.p, 2, t1, 1, 2);
    is_status(detach(context, &d.p, 0), ACCD_OK, "the old bounds");
    free_descriptor_context(context, &meter);
}

static void moving_target(void)
{
    struct meter meter;
    for (int way = 0; way < 3; way++) { /* new target, new bounds, other stride */
        for (int calls = 0; calls < 2; calls++) {
            accd_context *context = new_descriptor_context(&meter, "openacc-3.3");
            is_status(ENTER(context, ONE(d, ACCD_ACTION_COPYIN), PLAIN(ACCD_ACTION_COPYIN, t1),
                            PLAIN(ACCD_ACTION_COPYIN, t2)),
                      ACCD_OK, "copyin(d, t1, t2)");
            point(&d.p, 2, t1, 1, 2);
            for (int i = 0; i < 2; i++)
                is_status(calls ? attach(context, &d.p, sizeof t1) : ENTER(context, POINTER(ACCD_ACTION_ATTACH, d.p)),
                          ACCD_OK, "attach");
            is_number(attach_count(context, &d.p), 2, "twice");
            if (way == 2)
                d.p.dim[1].sm = 4;
            else
                point(&d.p, 2, way ? t1 : t2, way ? 10 : 1, 2);
            is_status(calls ? attach(context, &d.p, sizeof t1) : ENTER(context, POINTER(ACCD_ACTION_ATTACH, d.p)),
                      ACCD_OK, "attach what has changed");
            is_number(attach_count(context, &d.p), 1, "starts anew");
            ok(leads(context, &d.p, sizeof d.p, way ? t1 : t2), "the device follows");
            is_sound(context);
            is_status(detach(context, &d.p, 0), ACCD_OK, "detach");
            ok(!attach_count(context, &d.p) && as_host(context, &d.p, sizeof d.p), "ends it");
            is_status(detach(context, &d.p, 0), ACCD_OK, "the detach still owed does nothing");
            free_descriptor_context(context, &meter);
        }
    }
    accd_context *context = new_descriptor_context(&meter, "tr14");
    is_status(ENTER(context, ONE(d, ACCD_ACTION_COPYIN), PLAIN(ACCD_ACTION_COPYIN, t1), PLAIN(ACCD_ACTION_COPYIN, t2)),
              ACCD_OK, "tr14: copyin(d, t1, t2)");
    point(&d.p, 2, t1, 1, 2);
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "attach");
    for (int way = 0; way < 2; way++) {
        point(&d.p, 2, way ? t1 : t2, way ? 10 : 1, 2);
        fails(context, ACCD_ERROR_POINTER_CHANGED, attach(context, &d.p, sizeof t1), "call");
        fails(context, ACCD_ERROR_POINTER_CHANGED, ENTER(context, POINTER(ACCD_ACTION_ATTACH, d.p)), "clause");
    }
    point(&d.p, 2, t1, 1, 2);
    is_status(detach(context, &d.p, 1), ACCD_OK, "detach finally");
    fails(context, ACCD_ERROR_NOT_ATTACHED, detach(context, &d.p, 0), "once more");
    free_descriptor_context(context, &meter);
}

/* Step by step what the call promises. */
static void steps_of_the_call(void)
{
    struct meter meter;
    accd_context *context = new_descriptor_context(&meter, "tr14");
    point(&d.p, 2, t1, 1, 2);
    point(&d.q, 1, NULL, 1, 0);
    uint64_t empty = accd__state_digest(context);
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "nothing is present: silence");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, t1)), ACCD_OK, "the data");
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "no descriptor: silence");
    is_number(attach_count(context, &d.p), 0, "nothing is attached");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, t1)), ACCD_OK, "no data");
    ok(accd__state_digest(context) == empty, "nothing was left");
    is_status(ENTER(context, ONE(d, ACCD_ACTION_COPYIN)), ACCD_OK, "the descriptor");
    uint64_t alone = accd__state_digest(context);
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "no data: silence");
    is_status(attach(context, &d.q, 0), ACCD_OK, "a null pointer: silence");
    ok(accd__state_digest(context) == alone, "nothing was done");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, t1)), ACCD_OK, "the data");
    is_status(attach(context, &d.p, sizeof t1 + 1), ACCD_OK, "more than is present: silence");
    is_number(attach_count(context, &d.p), 0, "nothing is attached");
    fails(context, ACCD_ERROR_POINTER_CHANGED, accd_attach_descriptor(context, 0, &d.p, t2, 0, sizeof t2, NULL, 0),
          "other data");
    ok(!strcmp(accd_context_error(context)->rule, "FLANG-api-1"), "the rule is named");
    fails(context, ACCD_ERROR_NO_DEVICE, accd_attach_descriptor(context, 2, &d.p, t1, 0, sizeof t1, NULL, 0),
          "no device");
    fails(context, ACCD_ERROR_NO_DEVICE, accd_detach_descriptor(context, -1, &d.p, 0, NULL, 0), "no device");
    d.p.rank = 16;
    fails(context, ACCD_ERROR_MISUSE, attach(context, &d.p, sizeof t1), "rank 16");
    fails(context, ACCD_ERROR_MISUSE, detach(context, &d.p, 0), "rank 16");
    is_number(accd_descriptor_bytes(context, &d.p), 0, "has no size");
    d.p.rank = 2;
    story_clear(&story);
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "attach");
    is_text(story.text, "attach |", "one attach is told");
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "again");
    ok(attach_count(context, &d.p) == 2 && present_count(context, t1, 0, 1), "counted, and takes no reference");
    ok(leads(context, &d.p, sizeof d.p, t1), "it leads there");
    is_status(detach(context, &d.p, 1), ACCD_OK, "detach finally");
    ok(!attach_count(context, &d.p) && present_count(context, t1, 0, 1), "all at once");

    /* attached by the one, counted by the other, detached by either */
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "call");
    is_status(ENTER(context, POINTER(ACCD_ACTION_ATTACH, d.p), THROUGH(ACCD_ACTION_PRESENT, t1, d.p)), ACCD_OK,
              "two clauses");
    is_number(attach_count(context, &d.p), 3, "one counter");
    is_status(EXIT(context, POINTER(ACCD_ACTION_DETACH, d.p)), ACCD_OK, "clause");
    is_status(detach(context, &d.p, 0), ACCD_OK, "call");
    is_status(detach(context, &d.p, 0), ACCD_OK, "call");
    is_number(attach_count(context, &d.p), 0, "none is left");
    accd_context *lenient = new_descriptor_context(&(struct meter){0}, "openacc-3.3");
    is_status(detach(lenient, &d.p, 0), ACCD_OK, "3.3: nothing to detach");
    is_status(detach(lenient, &d.p, 1), ACCD_OK, "3.3: nor finally");
    accd_context_free(lenient);
    free_descriptor_context(context, &meter);
}

/* A nullified pointer: the call, attach clauses and, where null pointers count as present, data clauses agree. */
static void nullified(void)
{
    struct meter meter;
    static const uint8_t data[] = {ACCD_ACTION_COPYIN,  ACCD_ACTION_CREATE,  ACCD_ACTION_COPY,
                                   ACCD_ACTION_COPYOUT, ACCD_ACTION_PRESENT, ACCD_ACTION_NO_CREATE};
    enum { CALL = 6, CLAUSE, WAYS };
    static const char *const profiles[] = {"openacc-3.3", "openacc-2.0", "tr14", "directory", "libgomp-12"};
    for (int profile = 0; profile < 5; profile++)
        for (int way = 0; way < WAYS; way++) {
            accd_context *context = new_descriptor_context(&meter, profiles[profile]);
            point(&d.p, 2, t1, 1, 2);
            is_status(ENTER(context, ONE(d, ACCD_ACTION_COPYIN), PLAIN(ACCD_ACTION_COPYIN, t1)), ACCD_OK, "%s: data",
                      profiles[profile]);
            for (int i = 0; i < 2; i++)
                is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "attach");
            point(&d.p, 2, NULL, 1, 0);
            bool wants = way == CALL || way == CLAUSE;
            bool strict = profile == 2 || profile == 3, counts = profile == 4;
            const accd_item clause = {
                .slot = &d.p, .slot_bytes = sizeof d.p, .action = way < CALL ? data[way] : ACCD_ACTION_ATTACH};
            accd_status status = way == CALL ? attach(context, &d.p, 0) : ENTER(context, clause);
            is_status(status, wants && strict ? ACCD_ERROR_POINTER_CHANGED : ACCD_OK, "way %d", way);
            bool ends = profile == 0 || (wants && !strict && !counts);
            is_number(attach_count(context, &d.p),
                      ends                      ? 0
                      : way == CLAUSE && counts ? 3
                                                : 2,
                      "the attachment %s", ends ? "ends" : "stays");
            ok(ends ? as_host(context, &d.p, sizeof d.p)
                    : device_word(context, &d.p) == accd_device_address(context, 0, t1),
               "the device's descriptor %s", ends ? "is null" : "is as it was");
            ok(present_count(context, t1, 0, 1), "what it led to stays");
            is_sound(context);
            free_descriptor_context(context, &meter);
        }
    accd_context *context = new_descriptor_context(&meter, "openacc-3.3");
    accd_item leave = {.slot = &d.p, .slot_bytes = sizeof d.p, .action = ACCD_ACTION_DELETE};
    point(&d.p, 2, t1, 1, 2);
    is_status(attach(context, &d.q, 0), ACCD_OK, "no descriptor: silence");
    is_status(ENTER(context, ONE(d, ACCD_ACTION_CREATE), PLAIN(ACCD_ACTION_COPYIN, t1)), ACCD_OK, "create(d)");
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
    free_descriptor_context(context, &meter);
}

/* Sections: the device's indices mean what the host's do. */
static void sections(void)
{
    struct meter meter;
    accd_context *context = new_descriptor_context(&meter, "tr14");
    point(&d.q, 1, line, 1, 16);
    is_status(ENTER(context, ONE(d, ACCD_ACTION_COPYIN), BYTES(ACCD_ACTION_COPYIN, line + 4, 32)), ACCD_OK,
              "d, line(5:12)");
    is_status(accd_attach_descriptor(context, 0, &d.q, line, 16, 32, NULL, 0), ACCD_OK, "attach(q(5:12))");
    uint64_t base = accd_device_address(context, 0, line + 4) - 16;
    ok(has_descriptor_copy(context, 0, &d.q, sizeof d.q, base), "base_addr is that of element 1");
    is_sound(context);
    is_status(accd_attach_descriptor(context, 0, &d.q, line, 16, 16, NULL, 0), ACCD_OK, "a part of it");
    is_number(attach_count(context, &d.q), 2, "is counted");
    is_status(accd_attach_descriptor(context, 0, &d.q, line, 12, 32, NULL, 0), ACCD_OK, "not wholly present");
    is_number(attach_count(context, &d.q), 2, "is not");
    is_status(detach(context, &d.q, 1), ACCD_OK, "detach");
    is_status(ENTER(context, section(ACCD_ACTION_COPYIN, line + 6, 8, &d.q, sizeof d.q)), ACCD_OK, "by a clause");
    ok(has_descriptor_copy(context, 0, &d.q, sizeof d.q, base), "the same");
    is_status(detach(context, &d.q, 0), ACCD_OK, "detach");

    /* backwards: the data lie before the address */
    d.q.base = line + 11;
    d.q.dim[0] = (struct dim){1, 8, -4};
    is_status(accd_attach_descriptor(context, 0, &d.q, line + 11, (uint64_t)-28, 32, NULL, 0), ACCD_OK,
              "line(12:5:-1)");
    ok(has_descriptor_copy(context, 0, &d.q, sizeof d.q, base + 44), "leads to its first element");
    is_status(detach(context, &d.q, 0), ACCD_OK, "detach");

    point(&d.q, 1, line + 5, 1, 0); /* of no elements */
    is_status(attach(context, &d.q, 0), ACCD_OK, "an empty array in present data");
    ok(attach_count(context, &d.q) == 1 && leads(context, &d.q, sizeof d.q, line + 5), "its bounds arrive");
    is_status(detach(context, &d.q, 0), ACCD_OK, "detach");
    point(&d.q, 1, line, 1, 0);
    is_status(attach(context, &d.q, 0), ACCD_OK, "an empty array elsewhere");
    is_number(attach_count(context, &d.q), 0, "is not present");
    free_descriptor_context(context, &meter);
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
        must(accd_descriptor_bytes(context, all + at[rank]) == header + 24 * rank, "rank %zu", rank);
    }
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, all, at[MOST + 1]), PLAIN(ACCD_ACTION_COPYIN, scalars)), ACCD_OK,
              "layout %d: sixteen descriptors", (int)layout);
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
        uint64_t digest = accd__state_digest(context);
        for (size_t rank = 0; rank <= MOST; rank++)
            for (size_t i = at[rank] + 8; i < at[rank + 1]; i++)
                all[i] ^= 0xFF;
        memcpy(before, all, sizeof all);
        for (size_t from = 0; from < at[4]; from += 5)
            for (size_t to = from + 1; to < at[4]; to += 9) {
                must(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_DEVICE, all + from, to - from)) == ACCD_OK,
                     "to the device");
                must(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, all + from, to - from)) == ACCD_OK, "to the host");
            }
        ok(accd__state_digest(context) == digest && !memcmp(all, before, sizeof all), "updates leave both sides alone");
        for (size_t rank = 0; rank <= MOST; rank++)
            for (size_t i = at[rank] + 8; i < at[rank + 1]; i++)
                all[i] ^= 0xFF;
        context->rules.update = ACCD_UPDATE_METHOD_REVERSE;
        for (size_t rank = 0; rank <= MOST; rank++) {
            must(detach(context, all + at[rank], 0) == ACCD_OK, "detach");
            must(as_host(context, all + at[rank], at[rank + 1] - at[rank]), "is the host's");
        }
        ok(tap_failed == failed, "layout %d, strategy %d: ranks 0 to 15", (int)layout, round);
    }
    free_descriptor_context(context, &meter);
}

/* Bytes around attached descriptors move, these do not, whatever way is taken. */
static void test_descriptor_updates(bool reverse)
{
    struct meter meter;
    reset();
    accd_context *context = open_as(&meter, "tr14", 64, ACCD_DESCRIPTOR_CFI, reverse);
    const char *way = reverse ? "reverse" : "split";
    struct holder was;
    point(&d.p, 2, t1, 1, 2);
    point(&d.q, 1, line, 0, 16);
    is_status(ENTER(context, ONE(d, ACCD_ACTION_COPYIN), THROUGH(ACCD_ACTION_COPYIN, t1, d.p),
                    THROUGH(ACCD_ACTION_COPYIN, line, d.q)),
              ACCD_OK, "%s: two descriptors side by side", way);
    ok(leads(context, &d.p, sizeof d.p, t1) && leads(context, &d.q, sizeof d.q, line), "attached");
    d.n = 77;
    d.m = 78;
    is_status(UPDATE(context, ONE(d, ACCD_ACTION_UPDATE_DEVICE)), ACCD_OK, "update device(d)");
    ok(leads(context, &d.p, sizeof d.p, t1) && leads(context, &d.q, sizeof d.q, line),
       "the descriptors are as they were");
    ok(device_word(context, &d.n) == 77 && device_word(context, &d.m) == 78, "the rest is sent");
    is_sound(context);
    uint64_t value = 99;
    ok(device_put(context, &d.n, &value, 8) && device_put(context, &d.m, &value, 8), "write");
    was = d;
    is_status(UPDATE(context, ONE(d, ACCD_ACTION_UPDATE_SELF)), ACCD_OK, "update self(d)");
    ok(!memcmp(&was.p, &d.p, sizeof d.p) && !memcmp(&was.q, &d.q, sizeof d.q) && d.n == 99 && d.m == 99,
       "so on the way back");
    is_status(UPDATE(context, ONE(d, ACCD_ACTION_UPDATE_SELF), ONE(d, ACCD_ACTION_UPDATE_DEVICE),
                     BYTES(ACCD_ACTION_UPDATE_DEVICE, (char *)&d.p + 20, sizeof d.p)),
              ACCD_OK, "both, and from inside one descriptor to inside the other");
    ok(leads(context, &d.p, sizeof d.p, t1) && leads(context, &d.q, sizeof d.q, line) &&
           !memcmp(&was.q, &d.q, sizeof d.q),
       "neither side changes");

    /* bounds the device does not know of stay on the host */
    accd_context *loose = open_as(&(struct meter){0}, "openacc-3.3", 64, ACCD_DESCRIPTOR_CFI, reverse);
    is_status(ENTER(loose, ONE(d, ACCD_ACTION_COPYIN), THROUGH(ACCD_ACTION_COPYIN, t1, d.p)), ACCD_OK, "3.3: attached");
    cfi2 sent = d.p;
    point(&d.p, 2, t1, 5, 2);
    cfi2 now = d.p;
    is_status(UPDATE(loose, ONE(d, ACCD_ACTION_UPDATE_DEVICE)), ACCD_OK, "update device(d)");
    is_status(UPDATE(loose, ONE(d, ACCD_ACTION_UPDATE_SELF)), ACCD_OK, "update self(d)");
    ok(!memcmp(&now, &d.p, sizeof now), "the host keeps its bounds");
    d.p = sent;
    ok(leads(loose, &d.p, sizeof d.p, t1), "and the device its own");
    is_sound(loose);
    accd_context_free(loose);

    is_status(EXIT(context, ONE(d, ACCD_ACTION_COPYOUT), THROUGH(ACCD_ACTION_DELETE, t1, d.p),
                   THROUGH(ACCD_ACTION_DELETE, line, d.q)),
              ACCD_OK, "copyout");
    ok(!memcmp(&was.p, &d.p, sizeof d.p) && !memcmp(&was.q, &d.q, sizeof d.q), "the host keeps its descriptors");
    free_descriptor_context(context, &meter);
}

/* A kernel may not change what is attached; to write what is there already is not a change. */
static void test_descriptor_kernels(void)
{
    struct meter meter;
    accd_context *context = new_descriptor_context(&meter, "tr14");
    point(&d.p, 2, t1, 1, 2);
    is_status(ENTER(context, ONE(d, ACCD_ACTION_COPYIN), THROUGH(ACCD_ACTION_COPYIN, t1, d.p)), ACCD_OK, "attached");
    uint64_t dev = accd_device_address(context, 0, &d.p), word = 5;
    char whole[sizeof d.p];
    for (uint64_t at = 0; at < sizeof d.p; at += 8)
        fails(context, ACCD_ERROR_POINTER_CHANGED, accd_device_write(context, 0, dev + at, &word, 8), "word %d",
              (int)at / 8);
    fails(context, ACCD_ERROR_POINTER_CHANGED, accd_device_write(context, 0, dev + 20, &word, 1), "the rank");
    fails(context, ACCD_ERROR_POINTER_CHANGED, accd_device_write(context, 0, dev + 68, &word, 8), "its last bytes");
    must(accd_device_read(context, 0, dev, whole, sizeof whole) == ACCD_OK, "read");
    is_status(accd_device_write(context, 0, dev, whole, sizeof whole), ACCD_OK, "as it is");
    is_status(accd_device_write(context, 0, dev + 24, whole + 24, 8), ACCD_OK, "a bound as it is");
    word = 9;
    is_status(accd_device_write(context, 0, dev + sizeof d.p, &word, 8), ACCD_OK, "behind it");
    free_descriptor_context(context, &meter);

    context = new_descriptor_context(&meter, "openacc-3.3");
    point(&d.p, 2, t1, 1, 2);
    is_status(ENTER(context, ONE(d, ACCD_ACTION_COPYIN), THROUGH(ACCD_ACTION_COPYIN, t1, d.p)), ACCD_OK,
              "3.3: attached");
    dev = accd_device_address(context, 0, &d.p);
    is_status(accd_device_write(context, 0, dev + 24, &word, 8), ACCD_OK, "3.3: may write");
    is_status(detach(context, &d.p, 0), ACCD_OK, "detach");
    ok(as_host(context, &d.p, sizeof d.p), "mends it");
    free_descriptor_context(context, &meter);
}

static void what_is_no_descriptor(void)
{
    struct meter meter;
    accd_context *context = new_descriptor_context(&meter, "tr14");
    static const uint32_t sizes[] = {1, 4, 7, 12, 25, ACCD_MAX_SLOT_BYTES + 8, UINT32_MAX};
    is_status(ENTER(context, ONE(d, ACCD_ACTION_COPYIN), PLAIN(ACCD_ACTION_COPYIN, t1)), ACCD_OK, "enter");
    point(&d.p, 2, t1, 1, 2);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        fails(context, ACCD_ERROR_MISUSE, ENTER(context, pointer(ACCD_ACTION_ATTACH, &d.p, sizes[i])),
              "a descriptor of %u bytes", sizes[i]);
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, t2)), ACCD_OK, "another target");
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "a descriptor");
    for (size_t at = 1; at < sizeof d.p; at++) { /* nonsense, but no harm */
        void *before, *to = t2;
        memcpy(&before, (char *)&d.p + at, sizeof before);
        memcpy((char *)&d.p + at, &to, sizeof to);
        must(ENTER(context, pointer(ACCD_ACTION_ATTACH, (char *)&d.p + at, 0)) == ACCD_OK, "across it");
        accd__check_invariants(context);
        must(EXIT(context, pointer(ACCD_ACTION_DETACH, (char *)&d.p + at, 0)) == ACCD_OK, "and off");
        memcpy((char *)&d.p + at, &before, sizeof before);
    }
    is_status(detach(context, &d.p, 0), ACCD_OK, "detach");
    fails(context, ACCD_ERROR_NOT_PRESENT, ENTER(context, pointer(ACCD_ACTION_ATTACH, &d.m, 24)),
          "a descriptor that is present in part");
    accd_program *program = NULL;
    accd_field field = {.offset = 8, .unit = 4, .start = -1, .slot_bytes = 48, .in_place = 1};
    accd_program_spec spec = {
        .stride = 64, .fields = &field, .nfields = 1, .registers = 1, .code = CODE(CONSTANT(0, 1)), .ncode = 1};
    is_status(accd_program_new(context, &spec, &program), ACCD_ERROR_MISUSE, "of an array in place");
    field.in_place = 0;
    field.embedded = 1;
    is_status(accd_program_new(context, &spec, &program), ACCD_ERROR_MISUSE, "of embedded elements");
    field.embedded = 0;
    field.slot_bytes = 64;
    is_status(accd_program_new(context, &spec, &program), ACCD_ERROR_MISUSE, "beyond the element");
    free_descriptor_context(context, &meter);
}

/* ------------------------------------------------------------------------------------ devices -- */

static void test_descriptor_devices(void)
{
    struct meter meter;
    accd_context *context = new_descriptor_context(&meter, "openacc-3.3");
    point(&d.p, 2, t1, 1, 2);
    for (int device = 0; device < 2; device++) {
        accd_construct construct = {.device = device,
                                    .kind = ACCD_KIND_ENTER_DATA,
                                    .items = (accd_item[]){ONE(d, ACCD_ACTION_COPYIN), PLAIN(ACCD_ACTION_COPYIN, t1)},
                                    .nitems = 2};
        is_status(accd_run_construct(context, &construct, NULL), ACCD_OK, "device %d", device);
    }
    is_status(accd_attach_descriptor(context, 1, &d.p, t1, 0, sizeof t1, NULL, 0), ACCD_OK, "attach on device 1");
    is_number(attach_count(context, &d.p), 0, "not on device 0");
    ok(has_descriptor_copy(context, 1, &d.p, sizeof d.p, accd_device_address(context, 1, t1)), "but there");
    ok(as_host(context, &d.p, sizeof d.p), "device 0 has the host's");
    is_status(attach(context, &d.p, sizeof t1), ACCD_OK, "device 0, too");
    is_status(accd_detach_descriptor(context, 1, &d.p, 0, NULL, 0), ACCD_OK, "detach on device 1");
    ok(attach_count(context, &d.p) == 1 && leads(context, &d.p, sizeof d.p, t1), "device 0 stays attached");
    free_descriptor_context(context, &meter);
}

/* -------------------------------------------------------------------------------------- fusion -- */

/* Targets and holders that move into a common block and back. */
static void fusion(void)
{
    struct meter meter;
    accd_context *context = new_descriptor_context(&meter, "directory");
    accd_region *region, *inner;
    accd_item front = BYTES(ACCD_ACTION_COPYIN, line, 16), back = BYTES(ACCD_ACTION_COPYIN, line + 12, 16);
    back.base = line;
    point(&d.q, 1, line, 0, 4);
    point(&d.p, 2, t1, 2, 2);
    is_status(REGION(context, &region, ONE(d, ACCD_ACTION_COPY), front, PLAIN(ACCD_ACTION_COPYIN, t1)), ACCD_OK,
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

    accd_item beyond = BYTES(ACCD_ACTION_COPYIN, &d.m + 1, 0);
    static struct {
        struct holder a;
        int64_t gap, more;
    } both;
    (void)beyond;
    both.a = d;
    accd_item holder = BYTES(ACCD_ACTION_COPYIN, &both, sizeof both.a), more = BYTES(ACCD_ACTION_COPYIN, &both.more, 8);
    more.base = &both;
    is_status(ENTER(context, holder), ACCD_OK, "another holder");
    is_status(attach(context, &both.a.p, sizeof t1), ACCD_OK, "attached");
    is_status(REGION(context, &inner, more), ACCD_OK, "the holder moves");
    ok(leads(context, &both.a.p, sizeof d.p, t1), "with its descriptor");
    is_sound(context);
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_DEVICE, &both, sizeof both.a)), ACCD_OK, "update");
    ok(leads(context, &both.a.p, sizeof d.p, t1), "leaves it alone");
    is_status(accd_region_end(inner), ACCD_OK, "and goes back");
    ok(leads(context, &both.a.p, sizeof d.p, t1), "with it");
    is_sound(context);
    /* moved and refreshed by one directive: what is not sent is not copied, either */
    accd_item again = BYTES(ACCD_ACTION_COPYIN, &both, sizeof both);
    again.flags = ACCD_ITEM_UPDATE_PRESENT;
    is_status(REGION(context, &inner, again), ACCD_OK, "update_and_copy of more than is there");
    ok(leads(context, &both.a.p, sizeof d.p, t1), "the descriptor is whole");
    is_sound(context);
    is_status(accd_region_end(inner), ACCD_OK, "end");
    is_status(detach(context, &both.a.p, 0), ACCD_OK, "detach");
    ok(as_host(context, &both.a.p, sizeof d.p), "the host's");
    is_status(detach(context, &d.q, 0), ACCD_OK, "detach");
    is_status(detach(context, &d.p, 0), ACCD_OK, "detach");
    is_status(accd_region_end(region), ACCD_OK, "end");
    free_descriptor_context(context, &meter);
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        for (int calls = 0; calls < 2; calls++)
            the_example(documents[i], calls);
    no_chimera();
    moving_target();
    steps_of_the_call();
    nullified();
    sections();
    ranks(ACCD_DESCRIPTOR_CFI, 24, 20);
    ranks(ACCD_DESCRIPTOR_FLANG, 24, 20);
    ranks(ACCD_DESCRIPTOR_GFORTRAN, 40, 28);
    test_descriptor_updates(false);
    test_descriptor_updates(true);
    test_descriptor_kernels();
    what_is_no_descriptor();
    test_descriptor_devices();
    fusion();
    story_free(&story);
    return done();
}
