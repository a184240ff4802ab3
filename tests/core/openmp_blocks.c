/* Structures whose members are mapped come in one block, with what lies between (OMP60-map-13, OMPEX-struct_map). */
#include "openmp.h"

/* map(to: S.a) map(from: S.b) map(alloc: S.p), or without b: one item, a piece for each member. */
static accd_item block(accd_context *context, bool b, accd_program **program_p)
{
    enum {
        A = offsetof(struct shape, a),
        B = offsetof(struct shape, b) - A,
        P = offsetof(struct shape, p) - A,
        SPAN = P + 8
    };
    const accd_piece pieces[] = {{.offset = 0, .bytes = 4, .action = ACCD_ACTION_COPYIN},
                                 {.offset = P, .bytes = 8, .action = ACCD_ACTION_CREATE},
                                 {.offset = B, .bytes = 4, .action = ACCD_ACTION_COPYOUT}};
    const accd_member gaps[] = {{.offset = B + 4, .bytes = P - B - 4}, {.offset = B, .bytes = 4}};
    size_t first = P > B + 4 ? 0 : 1;
    *program_p = program_of(context, &(accd_program_spec){.stride = SPAN,
                                                          .pieces = pieces,
                                                          .npieces = b ? 3 : 2,
                                                          .excluded = gaps + first,
                                                          .nexcluded = (b ? 1 : 2) - first});
    accd_item item = walked(ACCD_ACTION_CREATE, &S.a, SPAN, *program_p, NULL);
    item.label = accd_label_intern(context, &(accd_label){.name = "S", .unit = SPAN, .layout = *program_p});
    return item;
}

static void members_in_a_block(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    accd_region *region, *inner;
    accd_program *program;
    accd_item ab = block(context, true, &program);
    float value = 0;
    is_status(REGION(context, &region, ab, section(ACCD_ACTION_COPY, &S.p, 0, N)), ACCD_OK,
              "to: a, from: b, alloc: p, tofrom: p[:N]");
    ok(present_count(context, &S.a, 1, 0) && present_count(context, pool, 1, 0), "two objects");
    ok(leads(context, &S.p), "p is attached");
    ok(device_get(context, &S.a, &value, 4) && value == 2, "a is there");
    is_status(accd_device_read(context, 0, there(context, &S.b), &value, 4), ACCD_ERROR_UNINITIALIZED_READ,
              "b has no value yet");
    WHERE(context, ACCD_ERROR_UNINITIALIZED_READ, "OMP60-map-5", "from");
    value = 40;
    must(device_put(context, &S.a, &value, 4) && device_put(context, &S.b, &value, 4), "written");
    is_status(REGION(context, &inner, ab), ACCD_OK, "the same block again");
    ok(present_count(context, &S.a, 2, 0), "is the same object");
    is_status(accd_region_end(inner), ACCD_OK, "end");
    ok(S.b == 4, "fetches nothing");
    is_status(REGION(context, &inner, with(ab, ACCD_ITEM_ALWAYS_IN | ACCD_ITEM_ALWAYS_OUT | ACCD_ITEM_REQUIRE_PRESENT)),
              ACCD_OK, "always, present");
    ok(device_get(context, &S.a, &value, 4) && value == 2, "sends a");
    ok(device_get(context, &S.b, &value, 4) && value == 40, "not b");
    is_status(accd_region_end(inner), ACCD_OK, "end");
    ok(S.b == 40 && S.a == 2 && S.p == pool, "fetches b");
    value = 41;
    must(device_put(context, &S.a, &value, 4) && device_put(context, &S.b, &value, 4), "written");
    is_sound(context);
    is_status(accd_region_end(region), ACCD_OK, "the end");
    ok(S.b == 41 && S.a == 2 && S.p == pool, "fetches b alone");
    accd_program_release(program);
    free_openmp_context(context, &meter);
}

static void holes(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    accd_region *region, *inner;
    accd_program *program, *with_b;
    accd_item ap = block(context, false, &program), ab = block(context, true, &with_b);
    accd_item b = BYTES(ACCD_ACTION_COPY, &S.b, 4), both = BYTES(ACCD_ACTION_COPY, &S.a, 8);
    is_status(REGION(context, &region, ap), ACCD_OK, "a and p, with a gap for b");
    is_number(accd_get_presence(context, 0, &S.a, 4), ACCD_PRESENCE_FULL, "a");
    is_number(accd_get_presence(context, 0, &S.b, 4), ACCD_PRESENCE_NONE, "b");
    is_number(accd_get_presence(context, 0, &S.a, 8), ACCD_PRESENCE_PARTIAL, "a and b");
    is_number(accd_get_presence(context, 0, &S.a, ap.bytes), ACCD_PRESENCE_PARTIAL, "all of it, the gap included");
    is_number(accd_get_presence(context, 0, &S.p, 8), ACCD_PRESENCE_FULL, "p");
    fails(context, ACCD_ERROR_NOT_PRESENT, REGION(context, &inner, b), "b must come with the others");
    WHERE(context, ACCD_ERROR_NOT_PRESENT, "OMP60-map-13", "a new member");
    fails(context, ACCD_ERROR_NOT_PRESENT, REGION(context, &inner, with(b, ACCD_ITEM_REQUIRE_PRESENT)), "present");
    WHERE(context, ACCD_ERROR_NOT_PRESENT, "OMP60-map-9", "a member that must be present");
    fails(context, ACCD_ERROR_NOT_PRESENT, REGION(context, &inner, BYTES(ACCD_ACTION_PRESENT, &S.b, 4)),
          "present, as an action");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, REGION(context, &inner, both), "a and b");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, REGION(context, &inner, with(both, ACCD_ITEM_REQUIRE_PRESENT)),
          "a and b, present");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, REGION(context, &inner, ONE(ACCD_ACTION_COPY, S)), "all of S");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, REGION(context, &inner, ab), "a block with b");
    fails(context, ACCD_ERROR_NOT_PRESENT, UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, &S.a, 8)),
          "update of a and b, a part of which is there, as of what is absent");
    fails(context, ACCD_ERROR_NOT_PRESENT, UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, &S.b, 4)), "of b");
    is_status(UPDATE(context, with(BYTES(ACCD_ACTION_UPDATE_SELF, &S.b, 4), ACCD_ITEM_IF_PRESENT)), ACCD_OK,
              "which may be absent");
    is_status(EXIT(context, BYTES(ACCD_ACTION_COPYOUT, &S.b, 4)), ACCD_OK, "as in exit data");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, EXIT(context, BYTES(ACCD_ACTION_COPYOUT, &S.a, 8)),
          "exit data of both");
    ok(present_count(context, &S.a, 1, 0), "nothing was taken off");
    is_status(REGION(context, &inner, BYTES(ACCD_ACTION_NO_CREATE, &S.b, 4)), ACCD_OK, "if it is there");
    ok(present_count(context, &S.a, 1, 0), "it is not");
    is_status(accd_region_end(inner), ACCD_OK, "end");
    is_status(REGION(context, &inner, BYTES(ACCD_ACTION_COPY, &S.a, 4), ap), ACCD_OK, "a, and the block");
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_DEVICE, &S.a, 4)), ACCD_OK, "update of a");
    is_status(accd_region_end(inner), ACCD_OK, "end");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, &S.p, 8)), ACCD_OK, "a member in exit data");
    ok(present_count(context, &S.a, 0, 0), "is its whole block");
    is_sound(context);
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, &S.b, 4)), ACCD_OK, "b alone");
    is_status(accd_region_end(region), ACCD_OK, "the region ends: nothing of its block is there");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, &S.b, 4)), ACCD_OK, "b goes");
    is_status(REGION(context, &region, ap), ACCD_OK, "the block again");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, &S.p, 8)), ACCD_OK, "gone");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, &S.a, 4)), ACCD_OK, "a alone");
    is_status(accd_region_end(region), ACCD_ERROR_PARTIALLY_PRESENT, "the region's block is not all there");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, &S.a, 4)), ACCD_OK, "a goes");
    is_status(accd_region_end(region), ACCD_OK, "then it ends");
    fails(context, ACCD_ERROR_PARTIAL_OVERLAP, REGION(context, &region, ap, b), "a gap is nobody's");
    fails(context, ACCD_ERROR_PARTIAL_OVERLAP, REGION(context, &region, ap, BYTES(ACCD_ACTION_PRESENT, &S.b, 4)),
          "for items that make nothing, too");
    is_status(REGION(context, &region, ab, b), ACCD_OK, "b with a block that has it");
    is_status(REGION(context, &inner, ap), ACCD_OK, "a block with less of it");
    is_status(accd_region_end(inner), ACCD_OK, "end");
    is_status(accd_region_end(region), ACCD_OK, "end");
    accd_program_release(program);
    accd_program_release(with_b);
    free_openmp_context(context, &meter);

    context = new_openmp_context(&meter, "tr14");
    ap = block(context, false, &program);
    is_status(REGION(context, &region, ap), ACCD_OK, "OpenACC: a and p");
    is_status(REGION(context, &inner, both), ACCD_OK, "gaps are present");
    is_number(accd_get_presence(context, 0, &S.b, 4), ACCD_PRESENCE_FULL, "b");
    accd_program_release(program);
    free_openmp_context(context, &meter);
}

/* A pointer that was left out is not attached; a null or absent one neither. */
static void pointers_in_holes(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    accd_region *region, *inner;
    const accd_member p = {.offset = 4, .bytes = sizeof S - offsetof(struct shape, b)};
    accd_program *program =
        program_of(context, &(accd_program_spec){.stride = sizeof S - offsetof(struct shape, a),
                                                 .pieces = &(accd_piece){.bytes = 4, .action = ACCD_ACTION_COPY},
                                                 .npieces = 1,
                                                 .excluded = &p,
                                                 .nexcluded = 1});
    accd_item a = walked(ACCD_ACTION_CREATE, &S.a, sizeof S - offsetof(struct shape, a), program,
                         accd_label_intern(context, &(accd_label){.name = "S", .layout = program}));
    is_status(REGION(context, &region, a, section(ACCD_ACTION_COPY, &S.p, 0, N)), ACCD_OK,
              "p[:N] and a block without p");
    is_number(attach_count(context, &S.p), 0, "not attached in a new object");
    is_status(REGION(context, &inner, (accd_item){.slot = &S.p, .action = ACCD_ACTION_ATTACH}), ACCD_OK, "an attach");
    is_number(attach_count(context, &S.p), 0, "nor in a present one");
    is_sound(context);
    accd_program_release(program);
    free_openmp_context(context, &meter);
}

/* Elements of which a mapper leaves out the same: parts of them, other mappers. */
static void holes_of_elements(void)
{
    static struct leaf leaves[4];
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    accd_region *region, *inner;
    const accd_member left = {.offset = offsetof(struct leaf, a), .bytes = 16};
    const accd_member less = {.offset = offsetof(struct leaf, b), .bytes = 8};
    accd_program_spec spec = {.stride = sizeof leaves[0],
                              .pieces = &(accd_piece){.bytes = 8},
                              .npieces = 1,
                              .excluded = &left,
                              .nexcluded = 1};
    accd_program *n = program_of(context, &spec), *same = program_of(context, &spec);
    spec.excluded = &less;
    accd_program *n_and_a = program_of(context, &spec);
    const accd_label *label = array(context, "Y", sizeof leaves[0], n);
    const accd_label *label_same = array(context, "Y", sizeof leaves[0], same);
    const accd_label *label_more = array(context, "Y", sizeof leaves[0], n_and_a);
    const uint64_t one = sizeof leaves[0];
    is_status(REGION(context, &region, walked(ACCD_ACTION_COPY, leaves, 4 * one, n, label)), ACCD_OK,
              "n of four elements");
    is_status(REGION(context, &inner, walked(ACCD_ACTION_COPY, leaves + 1, 2 * one, n, label)), ACCD_OK,
              "of two of them, by the same mapper");
    is_status(accd_region_end(inner), ACCD_OK, "end");
    is_status(REGION(context, &inner, walked(ACCD_ACTION_COPY, leaves + 1, 2 * one, same, label_same)), ACCD_OK,
              "by another mapper of the same members");
    is_status(accd_region_end(inner), ACCD_OK, "end");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT,
          REGION(context, &inner, walked(ACCD_ACTION_COPY, leaves + 1, 2 * one, n_and_a, label_more)),
          "by one that wants more");
    fails(context, ACCD_ERROR_NOT_PRESENT, REGION(context, &inner, BYTES(ACCD_ACTION_COPY, &leaves[3].a, 16)),
          "what is left out of the last one");
    is_status(REGION(context, &inner, BYTES(ACCD_ACTION_COPY, &leaves[3], 8)), ACCD_OK, "n of that");
    is_number(accd_get_presence(context, 0, &leaves[2].b, 16), ACCD_PRESENCE_PARTIAL, "b, and n of the next");
    is_number(accd_get_presence(context, 0, &leaves[2].a, 16), ACCD_PRESENCE_NONE, "both pointers");
    accd_program_release(n);
    accd_program_release(same);
    accd_program_release(n_and_a);
    free_openmp_context(context, &meter);
}

int main(void)
{
    members_in_a_block();
    holes();
    pointers_in_holes();
    holes_of_elements();
    return done();
}
