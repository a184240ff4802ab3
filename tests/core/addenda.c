/* Addenda of Fortran descriptors: a type record is attached with its descriptor, counted, and goes with it (document
 * FLANG). */
#include "accdeep_internal.h"
#include "descriptors.h"

static struct {
    int64_t before;
    struct typed a, b;
    int64_t behind;
} P;
static struct record base_type = {32, "base"}, extended = {32, "extended"};

static bool leads_typed(accd_context *context, const struct typed *descriptor, const void *target)
{
    struct typed dev, host = *descriptor;
    host.head.base = accd__pointer(accd_device_address(context, 0, target));
    if (host.type)
        host.type = accd__pointer(accd_device_address(context, 0, host.type));
    return device_get(context, descriptor, &dev, sizeof dev) && !memcmp(&dev, &host, sizeof dev);
}

static accd_context *open_typed(struct meter *meter, const char *profile, bool reverse)
{
    reset();
    accd_context *context = open_as(meter, profile, 64, ACCD_DESCRIPTOR_FLANG, reverse);
    P.before = P.behind = 4;
    point_typed(&P.a, t1, 1, &base_type);
    point_typed(&P.b, t2, 1, &base_type);
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, t1), PLAIN(ACCD_ACTION_COPYIN, t2), ONE(P, ACCD_ACTION_COPYIN)),
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
    accd__inject_allocation_failure(context, 0, 1);
    fails(context, ACCD_ERROR_OUT_OF_DEVICE_MEMORY, attach(context, &P.a, sizeof t1), "no memory");
    accd__inject_copy_failure(context, 0, 1);
    fails(context, ACCD_ERROR_DEVICE, attach(context, &P.a, sizeof t1), "no copy");
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    ok(attach_count(context, &P.a) == 1 && leads_typed(context, &P.a, t1), "address, bounds, type and length");
    ok(present_count(context, &base_type, 0, 1), "its type record is present");
    is_sound(context);
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "again");
    ok(attach_count(context, &P.a) == 2 && present_count(context, &base_type, 0, 1), "only the descriptor is counted");
    is_status(attach(context, &P.b, sizeof t2), ACCD_OK, "another one of this type");
    ok(leads_typed(context, &P.b, t2) && present_count(context, &base_type, 0, 2), "shares it");
    is_sound(context);

    /* ranges that begin or end anywhere in the two leave them alone */
    int failed = tap_failed;
    uint64_t attached = accd__state_digest(context);
    P.a.len = P.b.len = 55; /* the sides differ in all that could be seen */
    P.a.head.dim[0].lower = P.b.head.dim[0].lower = 56;
    for (size_t from = 0; from < sizeof P; from++)
        for (size_t to = from + 1; to <= sizeof P; to += 3)
            for (int out = 0; out < 2; out++)
                must(UPDATE(context, BYTES(out ? ACCD_ACTION_UPDATE_SELF : ACCD_ACTION_UPDATE_DEVICE, (char *)&P + from,
                                           to - from)) == ACCD_OK,
                     "from %zu to %zu", from, to);
    ok(tap_failed == failed && accd__state_digest(context) == attached && P.a.type == &base_type &&
           P.b.type == &base_type && P.a.len == 55 && P.b.len == 55 && P.a.head.dim[0].lower == 56 &&
           P.b.head.dim[0].lower == 56,
       "updates leave all of them alone");
    point_typed(&P.a, t1, 1, &base_type);
    point_typed(&P.b, t2, 1, &base_type);
    char bytes[sizeof P];
    must(device_get(context, &P, bytes, sizeof bytes), "read");
    is_status(accd_device_write(context, 0, accd_device_address(context, 0, &P), bytes, sizeof bytes), ACCD_OK,
              "a kernel writes what is there");
    bytes[sizeof P - 1] ^= 1; /* of the member behind */
    failed = tap_failed;
    for (size_t from = offsetof(struct typed, len); from > 0; from--) {
        size_t at = sizeof P - 8 - sizeof P.b + from;
        must(accd_device_write(context, 0, accd_device_address(context, 0, (char *)&P + at), bytes + at,
                               sizeof P - at) == ACCD_OK,
             "from byte %zu of the descriptor", from);
        bytes[at] ^= 1;
        must(accd_device_write(context, 0, accd_device_address(context, 0, (char *)&P + at), bytes + at,
                               sizeof P - at) ==
                 (strcmp(profile, "openacc-3.3") ? ACCD_ERROR_POINTER_CHANGED : ACCD_OK),
             "another byte %zu", from);
        bytes[at] ^= 1;
    }
    must(device_put(context, &P, bytes, sizeof bytes), "as it was");
    ok(tap_failed == failed, "or what is behind it");

    is_status(detach(context, &P.a, 0), ACCD_OK, "detach");
    ok(present_count(context, &base_type, 0, 2) && leads_typed(context, &P.a, t1), "still attached, type and all");
    is_status(detach(context, &P.a, 0), ACCD_OK, "again");
    ok(!attach_count(context, &P.a) && as_host(context, &P.a, sizeof P.a), "the host's is back");
    ok(present_count(context, &base_type, 0, 1) && leads_typed(context, &P.b, t2), "the other one keeps the record");
    for (int i = 0; i < 3; i++)
        is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    is_status(detach(context, &P.a, 1), ACCD_OK, "detach finally");
    ok(!attach_count(context, &P.a) && present_count(context, &base_type, 0, 1) && leads_typed(context, &P.b, t2),
       "takes only what is its own");
    is_sound(context);

    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    point_typed(&P.a, t1, 7, &base_type);
    if (strict) {
        fails(context, ACCD_ERROR_POINTER_CHANGED, attach(context, &P.a, sizeof t1), "other bounds");
        point_typed(&P.a, t1, 1, &extended);
        fails(context, ACCD_ERROR_POINTER_CHANGED, attach(context, &P.a, sizeof t1), "another type");
        fails(context, ACCD_ERROR_POINTER_CHANGED, detach(context, &P.a, 0), "detach it");
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
        ok(present_count(context, &base_type, 0, 1) && present_count(context, &extended, 0, 1), "for the one it had");
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
               device_word(context, &P.a.type) == (uintptr_t)&extended && present_count(context, &extended, 0, 0),
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
    is_status(EXIT(context, pointer(ACCD_ACTION_DETACH, &P.b, sizeof P.b)), ACCD_OK, "by a clause");
    is_sound(context);
    is_status(attach(context, &P.b, sizeof t2), ACCD_OK, "attach");
    ok(leads_typed(context, &P.b, t2), "all of it");
    is_status(detach(context, &P.b, 0), ACCD_OK, "detach");
    ok(as_host(context, &P.b, sizeof P.b), "all of it");
    ok(present_count(context, &base_type, 0, 0), "no record is left");
    point_typed(&P.a, t1, 1, &base_type);
    accd_get_stats(context, 0, &after);
    ok(after.objects == before.objects && !after.attachments && after.live_bytes == before.live_bytes,
       "nothing is left");
    free_descriptor_context(context, &meter);
}

/* Whatever ends the attachment of a descriptor, the reference on its type record goes with it, once. */
enum way {
    DETACH_CLAUSE,
    DETACH_FINALLY,
    DETACH_CALL,
    DELETE_HOLDER,
    COPYOUT_HOLDER,
    DELETE_TARGET,
    DELETE_BOTH,
    FINALIZE_HOLDER,
    ATTACH_NULL,
    NULL_CALL,
    COPYIN_NULL,
    DELETE_NULL,
    OTHER_TYPE,
    ITS_TYPE_WORD,
    END_REGION,
    END_OF_TARGET,
    ABANDON,
    ABANDON_TARGET,
    WAYS_OUT
};

static accd_status end_it(accd_context *context, enum way way, accd_region *region)
{
    const accd_item leave = section(ACCD_ACTION_DELETE, NULL, 0, &P.a, sizeof P.a);
    switch (way) {
    case DETACH_CLAUSE:
        return EXIT(context, pointer(ACCD_ACTION_DETACH, &P.a, sizeof P.a));
    case DETACH_FINALLY:
        return FINALIZE(context, pointer(ACCD_ACTION_DETACH, &P.a, sizeof P.a));
    case DETACH_CALL:
        return detach(context, &P.a, 1);
    case DELETE_HOLDER:
        return EXIT(context, ONE(P, ACCD_ACTION_DELETE));
    case COPYOUT_HOLDER:
        return EXIT(context, ONE(P, ACCD_ACTION_COPYOUT));
    case DELETE_TARGET:
        return EXIT(context, PLAIN(ACCD_ACTION_DELETE, t1));
    case DELETE_BOTH:
        return EXIT(context, PLAIN(ACCD_ACTION_DELETE, t1), ONE(P, ACCD_ACTION_DELETE));
    case FINALIZE_HOLDER:
        return FINALIZE(context, ONE(P, ACCD_ACTION_DELETE));
    case ATTACH_NULL:
    case NULL_CALL:
    case COPYIN_NULL:
    case DELETE_NULL:
        P.a.head.base = NULL;
        return way == NULL_CALL ? attach(context, &P.a, 0)
               : way == DELETE_NULL
                   ? EXIT(context, leave)
                   : ENTER(context, way == COPYIN_NULL ? section(ACCD_ACTION_COPYIN, NULL, 0, &P.a, sizeof P.a)
                                                       : pointer(ACCD_ACTION_ATTACH, &P.a, sizeof P.a));
    case OTHER_TYPE: /* the clause knows of no types: the device has the host's address then */
        P.a.type = &extended;
        return ENTER(context, pointer(ACCD_ACTION_ATTACH, &P.a, sizeof P.a));
    case ITS_TYPE_WORD:
        return EXIT(context, pointer(ACCD_ACTION_DETACH, &P.a.type, 0));
    case ABANDON:
    case ABANDON_TARGET:
        accd_region_abandon(region);
        return ACCD_OK;
    default:
        return accd_region_end(region);
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
    accd_item target = PLAIN(ACCD_ACTION_COPYIN, t1), holder = ONE(P, ACCD_ACTION_COPYIN),
              other = PLAIN(ACCD_ACTION_COPYIN, t2);
    if (way == END_OF_TARGET || way == ABANDON_TARGET)
        is_status(ENTER(context, holder, other), ACCD_OK, "%s, way %d: holder", profile, (int)way);
    else if (regional)
        is_status(ENTER(context, target, other), ACCD_OK, "%s, way %d: data", profile, (int)way);
    else
        is_status(ENTER(context, target, holder, other), ACCD_OK, "%s, way %d: data and holder", profile, (int)way);
    if (regional)
        is_status(REGION(context, &region, way == END_OF_TARGET || way == ABANDON_TARGET ? target : holder), ACCD_OK,
                  "the rest by a region");
    accd_get_stats(context, 0, &before);
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    if (shared)
        is_status(attach(context, &P.b, sizeof t2), ACCD_OK, "another one of the type");
    if (way == DETACH_FINALLY || way == DETACH_CALL)
        is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    ok(present_count(context, &base_type, 0, 1 + shared), "the type record is present");
    is_sound(context);
    uint64_t digest = accd__state_digest(context);
    for (int fault = 0; fault < 8; fault++) { /* memory of the host, copies */
        struct typed was = P.a;
        if (way == ABANDON || way == ABANDON_TARGET || (strict && (way == COPYIN_NULL || way == DELETE_NULL)))
            break; /* it cannot fail, or does nothing */
        if (fault % 2)
            accd__inject_copy_failure(context, 0, 1);
        else
            meter.fail_at = 1 + (uint64_t)fault / 2;
        accd_status status = end_it(context, way, region);
        meter.fail_at = 0;
        accd__inject_copy_failure(context, 0, 0);
        must(status != ACCD_OK || accd__state_digest(context) != digest, "something was done");
        if (status == ACCD_OK)
            goto ended;
        P.a = was;
        must(accd__state_digest(context) == digest, "way %d fails and changes nothing", (int)way);
    }
    story_clear(&story);
    if (strict && (goes || (regional && way < ABANDON) || way == FINALIZE_HOLDER)) {
        fails(context, ACCD_ERROR_STILL_ATTACHED, end_it(context, way, region), "%s: way %d", profile, (int)way);
        is_status(detach(context, &P.a, 0), ACCD_OK, "detach");
        if (shared)
            is_status(detach(context, &P.b, 0), ACCD_OK, "detach");
    } else if (strict && (way >= ATTACH_NULL && way <= OTHER_TYPE)) {
        void *base = P.a.head.base;
        accd_status status = end_it(context, way, region);
        ok(status ==
               (way == ATTACH_NULL || way == NULL_CALL || way == OTHER_TYPE ? ACCD_ERROR_POINTER_CHANGED : ACCD_OK),
           "%s: the pointer may not change, or the clause does not apply", profile);
        ok(accd__state_digest(context) == digest, "nothing is done");
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
    bool both = !accd_get_presence(context, 0, &P, sizeof P) || !attach_count(context, &P.b);
    ok(present_count(context, &base_type, 0, shared && !both), "its reference is gone");
    accd_get_stats(context, 0, &after);
    if (!shared || both)
        ok(!present_count(context, &base_type, 0, 0) ||
               accd_get_presence(context, 0, &base_type, sizeof base_type) == ACCD_PRESENCE_NONE,
           "and the record");
    if (attach_count(context, &P.b))
        ok(leads_typed(context, &P.b, t2), "the other one keeps it");
    is_sound(context);
    accd_context_free(context);
    is_number(meter.live + meter.blocks + meter.wrong, 0, "all memory is given back");
}

/* Attached anew by a clause: what leads to the same type keeps it. */
static void anew(void)
{
    struct meter meter;
    accd_context *context = open_typed(&meter, "openacc-3.3", false);
    accd_item clause = pointer(ACCD_ACTION_ATTACH, &P.a, sizeof P.a);
    accd_stats stats;
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    P.a.head.base = t2;
    is_status(ENTER(context, clause), ACCD_OK, "another target, by a clause");
    ok(attach_count(context, &P.a) == 1 && leads_typed(context, &P.a, t2) && present_count(context, &base_type, 0, 1),
       "has the same type there");
    is_status(ENTER(context, clause), ACCD_OK, "again");
    is_status(EXIT(context, pointer(ACCD_ACTION_DETACH, &P.a, sizeof P.a)), ACCD_OK, "detach");
    ok(present_count(context, &base_type, 0, 1), "it stays as long as the attachment");
    is_status(EXIT(context, pointer(ACCD_ACTION_DETACH, &P.a, sizeof P.a)), ACCD_OK, "detach");
    ok(present_count(context, &base_type, 0, 0) && as_host(context, &P.a, sizeof P.a), "and no longer");

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
    is_status(ENTER(context, clause, ONE(extended, ACCD_ACTION_COPYIN)), ACCD_OK, "copyin of what goes");
    ok(present_count(context, &extended, 0, 1) && !attach_count(context, &P.a.type), "is a reference of its own");
    is_status(EXIT(context, ONE(extended, ACCD_ACTION_DELETE)), ACCD_OK, "delete");
    ok(present_count(context, &extended, 0, 0), "the only one");
    is_status(detach(context, &P.a, 1), ACCD_OK, "detach");
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    P.a.type = NULL;
    P.b.head.base = &base_type;
    fails(context, ACCD_ERROR_STILL_ATTACHED, ENTER(context, clause, pointer(ACCD_ACTION_ATTACH, &P.b, sizeof P.b)),
          "a pointer to what goes");
    P.b.head.base = t2;
    is_status(ENTER(context, clause), ACCD_OK, "alone");
    ok(present_count(context, &base_type, 0, 0), "it goes");

    /* with pointers elsewhere that lead to it, and clauses of its own */
    P.a.type = &base_type;
    is_status(detach(context, &P.a, 1), ACCD_OK, "detach");
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    static void *alias;
    alias = &base_type;
    is_status(ENTER(context, ONE(alias, ACCD_ACTION_COPYIN), (accd_item){.slot = &alias, .action = ACCD_ACTION_ATTACH}),
              ACCD_OK, "another pointer");
    P.a.type = NULL;
    is_status(ENTER(context, clause), ACCD_OK, "the type goes");
    ok(!attach_count(context, &alias) && device_word(context, &alias) == (uintptr_t)&base_type,
       "the other pointer is the host's");
    is_sound(context);
    P.a.type = &base_type;
    is_status(detach(context, &P.a, 1), ACCD_OK, "detach");
    is_status(ENTER(context, ONE(base_type, ACCD_ACTION_COPYIN)), ACCD_OK, "copyin of a type");
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    uint64_t size = 48;
    must(device_put(context, &base_type, &size, sizeof size), "write");
    is_status(EXIT(context, ONE(P, ACCD_ACTION_DELETE), ONE(base_type, ACCD_ACTION_COPYOUT)), ACCD_OK,
              "delete of the holder, copyout of the type");
    is_number(base_type.bytes, 48, "is fetched when the last reference goes");
    base_type.bytes = 32;
    accd_get_stats(context, 0, &stats);
    is_number(stats.objects, 3, "t1, t2 and a pointer are left");
    free_descriptor_context(context, &meter);

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
    accd_item third = ONE(many[2], ACCD_ACTION_COPYIN);
    third.base = &many[0];
    accd_region *region;
    is_status(REGION(context, &region, third), ACCD_OK, "fused with another one");
    P.a.type = NULL;
    fails(context, ACCD_ERROR_LIMIT, ENTER(context, clause), "no type");
    is_status(detach(context, &P.a, 1), ACCD_OK, "detach, an exit, can");
    ok(present_count(context, &many[0], 0, 0), "the record goes");
    is_status(accd_region_end(region), ACCD_OK, "end");
    free_descriptor_context(context, &meter);

    /* memory that is unmapped with what is attached in it */
    uint64_t dev;
    context = open_as(&meter, "libgomp-12", 64, ACCD_DESCRIPTOR_FLANG, false);
    reset();
    point_typed(&P.a, t1, 1, &base_type);
    is_status(accd_device_alloc(context, 0, sizeof P, &dev), ACCD_OK, "memory");
    is_status(accd_map_data(context, 0, &P, dev, sizeof P, NULL), ACCD_OK, "map");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, t1)), ACCD_OK, "data");
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    ok(present_count(context, &base_type, 0, 1), "with its type");
    for (uint64_t n = 1;; n++) {
        uint64_t digest = accd__state_digest(context);
        meter.fail_at = n;
        accd_status status = accd_unmap_data(context, 0, &P);
        bool reached = !meter.fail_at;
        meter.fail_at = 0;
        if (status == ACCD_OK && !reached)
            break;
        must(status == ACCD_ERROR_OUT_OF_MEMORY && accd__state_digest(context) == digest, "fault %d", (int)n);
    }
    ok(present_count(context, &base_type, 0, 0), "unmapped: the record goes");
    is_status(accd_device_free(context, 0, dev), ACCD_OK, "free");
    free_descriptor_context(context, &meter);
}

/* A pointer in a type record loses its target, and then goes with the record, in one construct. */
static void dangles_and_ends(void)
{
    static struct {
        struct record head;
        float *p;
    } longer = {{sizeof longer, "longer"}, t2};
    struct meter meter;
    accd_stats stats;
    reset();
    accd_context *context = open_as(&meter, "libgomp-12", 64, ACCD_DESCRIPTOR_FLANG, false);
    point_typed(&P.a, t1, 1, &longer.head);
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, t1), PLAIN(ACCD_ACTION_COPYIN, t2), ONE(P, ACCD_ACTION_COPYIN)),
              ACCD_OK, "data");
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    is_status(ENTER(context, pointer(ACCD_ACTION_ATTACH, &longer.p, 0)), ACCD_OK, "attach in the record");
    ok(attach_count(context, &longer.p) == 1, "attached");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, t2), ONE(P, ACCD_ACTION_DELETE)), ACCD_OK,
              "target and descriptor go");
    is_sound(context);
    accd_get_stats(context, 0, &stats);
    ok(stats.objects == 1 && !stats.attachments, "the record went with them");
    free_descriptor_context(context, &meter);
}

/* exit data takes the reference that an attachment brought, of a record that a region or a changed descriptor uses. */
static void taken(const char *profile, bool changed)
{
    struct meter meter;
    accd_context *context = open_typed(&meter, profile, false);
    accd_region *region = NULL;
    is_status(attach(context, &P.a, sizeof t1), ACCD_OK, "attach");
    if (changed)
        point_typed(&P.a, t1, 7, &extended);
    else
        is_status(REGION(context, &region, ONE(base_type, ACCD_ACTION_COPYIN)), ACCD_OK, "a region names the record");
    is_status(EXIT(context, ONE(base_type, ACCD_ACTION_DELETE)), ACCD_OK, "exit data");
    is_sound(context);
    ok(present_count(context, &base_type, region ? 1 : 0, 0), "takes the reference");
    point_typed(&P.a, t1, 1, &base_type);
    is_status(detach(context, &P.a, 0), ACCD_OK, "detach");
    is_sound(context);
    if (region)
        is_status(accd_region_end(region), ACCD_OK, "end of the region");
    ok(present_count(context, &base_type, 0, 0) && as_host(context, &P.a, sizeof P.a), "nothing is left");
    free_descriptor_context(context, &meter);
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        for (int reverse = 0; reverse < 2; reverse++)
            addenda(documents[i], reverse);
    for (int i = 0; i < 3; i++)
        for (int way = 0; way < WAYS_OUT; way++)
            for (int shared = 0; shared < 2; shared++)
                ways_out(documents[i], (enum way)way, shared);
    anew();
    for (int i = 0; i < 3; i++)
        taken(documents[i], false);
    taken("openacc-3.3", true);
    dangles_and_ends();
    story_free(&story);
    return done();
}
