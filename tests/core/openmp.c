/* OpenMP's data environment: constructs count, attachments do not (OMP60-map-4 to map-9). */
#include "accdeep_internal.h"
#include "openmp.h"

static struct story story;

/* ---------------------------------------------------------------------------------- counting -- */

static void a_construct_counts_once(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    accd_region *region;
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, v), BYTES(ACCD_ACTION_COPYIN, v + 2, 8),
                    BYTES(ACCD_ACTION_CREATE, v + 8, 4)),
              ACCD_OK, "three items of one object");
    ok(present_count(context, v, 0, 1), "count as one");
    is_status(REGION(context, &region, BYTES(ACCD_ACTION_COPY, v, 8), BYTES(ACCD_ACTION_COPY, v + 4, 8)), ACCD_OK,
              "a region with two of them");
    ok(present_count(context, v, 1, 1), "counts once more");
    is_sound(context);
    put_device(context, v + 1, 77);
    is_status(accd_region_end(region), ACCD_OK, "its end");
    ok(present_count(context, v, 0, 1) && v[1] == 1, "takes one, and copies nothing");
    is_status(EXIT(context, BYTES(ACCD_ACTION_COPYOUT, v, 8), BYTES(ACCD_ACTION_DELETE, v + 8, 4)), ACCD_OK,
              "exit data of two parts");
    ok(present_count(context, v, 0, 0) && v[1] == 77, "takes one: the object goes, one part back");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_COPYOUT, v)), ACCD_OK, "of what is absent: nothing");
    free_openmp_context(context, &meter);

    context = new_openmp_context(&meter, "openacc-3.3");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, v), BYTES(ACCD_ACTION_COPYIN, v + 2, 8)), ACCD_OK, "OpenACC");
    ok(present_count(context, v, 0, 2), "counts clauses");
    free_openmp_context(context, &meter);
}

static void one_counter(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    accd_region *outer, *inner;
    is_status(REGION(context, &outer, PLAIN(ACCD_ACTION_COPY, v)), ACCD_OK, "a region");
    is_status(REGION(context, &inner, PLAIN(ACCD_ACTION_COPY, v)), ACCD_OK, "in another one");
    put_device(context, v, 5);
    is_status(EXIT(context, PLAIN(ACCD_ACTION_COPYOUT, v)), ACCD_OK, "exit data takes from the regions");
    ok(present_count(context, v, 1, 0) && v[0] == 0, "one is left, nothing is copied");
    is_sound(context);
    is_status(accd_region_end(inner), ACCD_OK, "the inner region takes the last one");
    ok(present_count(context, v, 0, 0) && v[0] == 5, "the object goes, and is copied");
    is_sound(context);
    is_status(accd_region_end(outer), ACCD_OK, "the outer one finds nothing");
    ok(v[0] == 5, "and copies nothing");

    is_status(REGION(context, &outer, PLAIN(ACCD_ACTION_COPY, v)), ACCD_OK, "a region");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, v)), ACCD_OK, "enter data");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, v)), ACCD_OK, "exit data takes its own first");
    ok(present_count(context, v, 1, 0), "the region's is left");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, v)), ACCD_OK, "another exit data");
    ok(present_count(context, v, 0, 0), "takes the last one");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, v, 40), BYTES(ACCD_ACTION_COPYIN, v + 12, 8)), ACCD_OK,
              "parts of it come back");
    is_status(accd_region_end(outer), ACCD_OK, "the region named all of it: a part is passed over");
    ok(present_count(context, v, 0, 1), "and stays as it is");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, v, 40), BYTES(ACCD_ACTION_DELETE, v + 12, 8)), ACCD_OK,
              "exit data");

    is_status(REGION(context, &outer, BYTES(ACCD_ACTION_COPY, v, 8), BYTES(ACCD_ACTION_COPY, v + 8, 8)), ACCD_OK,
              "a region of two objects");
    is_status(EXIT(context, BYTES(ACCD_ACTION_DELETE, v, 8), BYTES(ACCD_ACTION_DELETE, v + 8, 8)), ACCD_OK, "both go");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, v)), ACCD_OK, "one object of both");
    put_device(context, v, 6);
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, v)), ACCD_OK, "twice");
    is_status(accd_region_end(outer), ACCD_OK, "the end of the region");
    ok(present_count(context, v, 0, 1), "takes one of what is there");
    is_sound(context);
    is_status(REGION(context, &outer, PLAIN(ACCD_ACTION_COPY, v)), ACCD_OK, "a region");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_COPYOUT, v)), ACCD_OK, "takes that of enter data");
    is_status(REGION(context, &inner, PLAIN(ACCD_ACTION_CREATE, v)), ACCD_OK, "and one inside");
    ok(present_count(context, v, 2, 0), "two regions count");
    is_status(FINALIZE(context, PLAIN(ACCD_ACTION_DELETE, v)), ACCD_OK, "delete");
    ok(present_count(context, v, 0, 0), "takes them all");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, v)), ACCD_OK, "enter data");
    is_status(accd_region_end(inner), ACCD_OK, "the inner region finds the new object, and it goes");
    ok(present_count(context, v, 0, 0), "its only reference was taken");
    is_status(accd_region_end(outer), ACCD_OK, "the outer one finds nothing");
    free_openmp_context(context, &meter);
}

static void each_item_counts(const char *rules)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, rules);
    accd_region *region;
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, v), BYTES(ACCD_ACTION_COPYIN, v + 2, 8)), ACCD_OK,
              "two items of one object");
    ok(present_count(context, v, 0, 2), "count two");
    is_status(REGION(context, &region, PLAIN(ACCD_ACTION_COPYIN, v), PLAIN(ACCD_ACTION_COPYOUT, v)), ACCD_OK,
              "a region with two");
    ok(present_count(context, v, 2, 2), "counts two more");
    is_sound(context);
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, v), PLAIN(ACCD_ACTION_DELETE, v), PLAIN(ACCD_ACTION_COPYOUT, v)),
              ACCD_OK, "exit data of three");
    ok(present_count(context, v, 1, 0), "takes those of enter data first");
    is_sound(context);
    put_device(context, v, 77);
    is_status(accd_region_end(region), ACCD_OK, "the region's end");
    ok(present_count(context, v, 0, 0) && v[0] == 77, "begins with its last item, which copies back");

    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, v)), ACCD_OK, "one reference");
    put_device(context, v, 78);
    is_status(EXIT(context, PLAIN(ACCD_ACTION_COPYOUT, v), PLAIN(ACCD_ACTION_DELETE, v)), ACCD_OK,
              "the last item takes it");
    ok(present_count(context, v, 0, 0) && v[0] == 77, "and copies nothing");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_CREATE, v), PLAIN(ACCD_ACTION_COPYIN, v)), ACCD_OK,
              "an item that copies nothing");
    put_device(context, v, 79);
    is_status(EXIT(context, with(PLAIN(ACCD_ACTION_DELETE, v), ACCD_ITEM_FINALIZE), PLAIN(ACCD_ACTION_COPYOUT, v)),
              ACCD_OK, "delete before another item");
    ok(present_count(context, v, 0, 0) && v[0] == 77, "takes the last one");
    fails(context, ACCD_ERROR_PARTIAL_OVERLAP,
          ENTER(context, BYTES(ACCD_ACTION_COPYIN, v, 8), PLAIN(ACCD_ACTION_COPYIN, v)),
          "an item that extends the one before it");

    is_status(REGION(context, &region, with(PLAIN(ACCD_ACTION_COPYIN, v), ACCD_ITEM_CHAIN)), ACCD_OK,
              "a pointer on the way");
    ok(present_count(context, v, 1, 1), "has a second reference");
    is_sound(context);
    is_status(accd_region_end(region), ACCD_OK, "the region's end");
    ok(present_count(context, v, 0, 1), "leaves it");
    is_status(REGION(context, &region, PLAIN(ACCD_ACTION_COPY, v), PLAIN(ACCD_ACTION_COPY, v)), ACCD_OK,
              "a region with two");
    is_status(FINALIZE(context, PLAIN(ACCD_ACTION_DELETE, v)), ACCD_OK, "delete");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, v)), ACCD_OK, "and enter data");
    is_status(accd_region_end(region), ACCD_OK, "the end finds what came back");
    ok(present_count(context, v, 0, 0), "and takes its only reference");
    is_sound(context);
    v[0] = 0;
    free_openmp_context(context, &meter);
}

static void deleting(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    for (int i = 0; i < 3; i++)
        is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, v, 8), BYTES(ACCD_ACTION_COPYIN, v + 4, 8)), ACCD_OK,
                  "enter data");
    is_status(
        EXIT(context, BYTES(ACCD_ACTION_COPYOUT, v, 8), with(BYTES(ACCD_ACTION_DELETE, v + 4, 8), ACCD_ITEM_FINALIZE)),
        ACCD_OK, "release and delete");
    ok(present_count(context, v, 0, 2) && present_count(context, v + 4, 0, 0),
       "one object counts down, the other is gone");
    put_device(context, v, 8);
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT,
          EXIT(context, with(BYTES(ACCD_ACTION_COPYOUT, v, 8), ACCD_ITEM_FINALIZE),
               with(BYTES(ACCD_ACTION_DELETE, v + 1, 8), ACCD_ITEM_FINALIZE)),
          "a delete that reaches too far");
    is_status(
        EXIT(context, BYTES(ACCD_ACTION_DELETE, v, 4), with(BYTES(ACCD_ACTION_COPYOUT, v + 1, 4), ACCD_ITEM_FINALIZE)),
        ACCD_OK, "two items of one object, the second deletes");
    ok(present_count(context, v, 0, 0) && v[0] == 0, "all references are gone");
    free_openmp_context(context, &meter);

    context = new_openmp_context(&meter, "tr14"); /* by item there, too */
    for (int i = 0; i < 3; i++)
        is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, v, 8), BYTES(ACCD_ACTION_COPYIN, v + 4, 8)), ACCD_OK,
                  "OpenACC: enter data");
    is_status(
        EXIT(context, BYTES(ACCD_ACTION_DELETE, v, 8), with(BYTES(ACCD_ACTION_DELETE, v + 4, 8), ACCD_ITEM_FINALIZE)),
        ACCD_OK, "OpenACC: one is final");
    ok(present_count(context, v, 0, 2) && present_count(context, v + 4, 0, 0), "that one is gone");
    free_openmp_context(context, &meter);
}

static void references_without_end(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    accd_region *region;
    uint64_t dev;
    must(accd_device_alloc(context, 0, sizeof v, &dev) == ACCD_OK, "device memory");
    is_status(accd_map_data(context, 0, v, dev, sizeof v, NULL), ACCD_OK, "associated");
    is_status(REGION(context, &region, with(PLAIN(ACCD_ACTION_COPY, v), ACCD_ITEM_ALWAYS_IN)), ACCD_OK, "a region");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, v)), ACCD_OK, "enter data");
    ok(present_count(context, v, 0, 1), "count nothing");
    put_device(context, v, 3);
    is_status(EXIT(context, with(PLAIN(ACCD_ACTION_COPYOUT, v), ACCD_ITEM_FINALIZE)), ACCD_OK, "delete");
    ok(present_count(context, v, 0, 1) && v[0] == 0, "removes nothing, copies nothing");
    is_status(EXIT(context, with(PLAIN(ACCD_ACTION_COPYOUT, v), ACCD_ITEM_ALWAYS_OUT)), ACCD_OK, "always, from");
    ok(v[0] == 3, "is copied");
    is_status(accd_unmap_data(context, 0, v), ACCD_OK, "disassociated");
    fails(context, ACCD_ERROR_NOT_PRESENT, accd_unmap_data(context, 0, v), "twice");
    is_sound(context);
    is_status(accd_region_end(region), ACCD_OK, "the region finds nothing");
    is_status(accd_device_free(context, 0, dev), ACCD_OK, "freed");
    free_openmp_context(context, &meter);
}

/* ------------------------------------------------------------------------- always and present -- */

static void always(const char *rules)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, rules);
    accd_region *outer, *inner;
    is_status(REGION(context, &outer, PLAIN(ACCD_ACTION_COPY, v)), ACCD_OK, "%s: a region", rules);
    v[0] = 50;
    v[9] = 59;
    is_status(REGION(context, &inner, BYTES(ACCD_ACTION_COPY, v, 8)), ACCD_OK, "to, present");
    ok(read_device_int(context, v) == 0, "moves nothing");
    is_status(accd_region_end(inner), ACCD_OK, "its end");
    ok(v[0] == 50, "neither");
    is_status(REGION(context, &inner, with(BYTES(ACCD_ACTION_COPYIN, v, 8), ACCD_ITEM_ALWAYS_IN),
                     with(BYTES(ACCD_ACTION_CREATE, v + 9, 4), ACCD_ITEM_ALWAYS_IN)),
              ACCD_OK, "always, to; always, alloc");
    ok(read_device_int(context, v) == 50 && read_device_int(context, v + 1) == 1 &&
           read_device_int(context, v + 9) == 9,
       "the first one's bytes move");
    put_device(context, v, 60);
    put_device(context, v + 1, 61);
    is_status(accd_region_end(inner), ACCD_OK, "its end");
    ok(v[0] == 50, "moves nothing");
    is_status(REGION(context, &inner, with(BYTES(ACCD_ACTION_COPYOUT, v, 4), ACCD_ITEM_ALWAYS_OUT),
                     BYTES(ACCD_ACTION_COPYOUT, v + 1, 4)),
              ACCD_OK, "always, from; from");
    ok(read_device_int(context, v) == 60, "send nothing");
    is_status(accd_region_end(inner), ACCD_OK, "its end");
    ok(v[0] == 60 && v[1] == 1, "fetches what always names");
    is_sound(context);
    is_status(accd_region_end(outer), ACCD_OK, "the outer end");
    ok(v[1] == 61, "fetches all");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, v)), ACCD_OK, "enter data");
    is_status(ENTER(context, with(PLAIN(ACCD_ACTION_CREATE, v), ACCD_ITEM_ALWAYS_IN)), ACCD_OK, "again");
    put_device(context, v, 70);
    is_status(EXIT(context, with(BYTES(ACCD_ACTION_COPYOUT, v, 4), ACCD_ITEM_ALWAYS_OUT)), ACCD_OK,
              "exit data, always");
    ok(v[0] == 70 && present_count(context, v, 0, 1), "fetches although it stays");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_DELETE, v)), ACCD_OK, "exit data");
    free_openmp_context(context, &meter);
}

/* The same through a declare mapper's members, and many elements: they are no group then. */
static void always_through_members(const char *rules, bool one_counter)
{
    static struct leaf leaves[100];
    static float values[100][2];
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, rules);
    for (int i = 0; i < 100; i++) {
        leaves[i] = (struct leaf){2, values[i], NULL};
        values[i][0] = (float)i;
    }
    accd_program *leaf = leaf_program(context);
    accd_item all = walked(ACCD_ACTION_COPY, leaves, sizeof leaves, leaf, array(context, "Y", sizeof leaves[0], leaf));
    for (int i = 0; i < 100; i++)
        leaves[i].b = values[i] + 1; /* the second value, alone */
    for (int i = 0; i < 100; i++)
        leaves[i].n = 1;
    accd_region *outer, *inner;
    is_status(REGION(context, &outer, all), ACCD_OK, "%s: deep", rules);
    values[60][0] = 1000;
    is_status(REGION(context, &inner, all), ACCD_OK, "again");
    float value = 0;
    ok(device_get(context, &values[60][0], &value, 4) && value == 60, "sends nothing");
    is_status(accd_region_end(inner), ACCD_OK, "its end");
    is_status(REGION(context, &inner, with(all, ACCD_ITEM_ALWAYS_IN | ACCD_ITEM_ALWAYS_OUT)), ACCD_OK, "always");
    ok(device_get(context, &values[60][0], &value, 4) && value == 1000, "sends");
    ok(device_word(context, &leaves[60].a) == accd_device_address(context, 0, values[60]), "but no attached pointer");
    value = 2000;
    must(device_put(context, &values[61][0], &value, 4), "written");
    is_sound(context);
    is_status(accd_region_end(inner), ACCD_OK, "its end");
    ok(values[61][0] == 2000 && leaves[61].a == values[61], "fetches, pointers stay the host's");
    accd_program_release(leaf);
    if (!one_counter) {
        is_status(accd_region_end(outer), ACCD_OK, "the outer end");
        free_openmp_context(context, &meter);
        return;
    }
    values[62][0] = 3000;
    is_status(ENTER(context, with(all, ACCD_ITEM_REQUIRE_PRESENT)), ACCD_OK, "all of it must be present");
    is_status(EXIT(context,
                   with(walked(ACCD_ACTION_DELETE, leaves, sizeof leaves, all.program, all.label), ACCD_ITEM_FINALIZE)),
              ACCD_OK, "delete");
    is_status(accd_region_end(outer), ACCD_OK, "the end");
    ok(values[62][0] == 3000, "nothing is left to fetch");
    fails(context, ACCD_ERROR_NOT_PRESENT, ENTER(context, with(all, ACCD_ITEM_REQUIRE_PRESENT)), "it is gone");
    is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, leaves)), ACCD_OK, "the elements alone");
    fails(context, ACCD_ERROR_NOT_PRESENT, ENTER(context, with(all, ACCD_ITEM_REQUIRE_PRESENT)),
          "their sections must be present, too");
    free_openmp_context(context, &meter);
}

static void must_be_present(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    accd_region *region = NULL;
    accd_item must_v = with(PLAIN(ACCD_ACTION_COPY, v), ACCD_ITEM_REQUIRE_PRESENT);
    accd_item nowhere = {.bytes = 8, .action = ACCD_ACTION_COPYIN};
    fails(context, ACCD_ERROR_NOT_PRESENT, REGION(context, &region, must_v), "absent");
    WHERE(context, ACCD_ERROR_NOT_PRESENT, "OMP60-map-9", "present modifier");
    fails(context, ACCD_ERROR_NULL_POINTER, REGION(context, &region, nowhere), "another error");
    fails(context, ACCD_ERROR_NOT_PRESENT, REGION(context, &region, nowhere, must_v), "is told after it");
    is_number(accd_context_error(context)->item, 1, "of the second item");
    fails(context, ACCD_ERROR_NOT_PRESENT, REGION(context, &region, PLAIN(ACCD_ACTION_COPY, v), must_v),
          "another item does not make it present in time");
    fails(context, ACCD_ERROR_NOT_PRESENT,
          EXIT(context, with(PLAIN(ACCD_ACTION_COPYOUT, v), ACCD_ITEM_REQUIRE_PRESENT)), "exit data, too");
    is_status(EXIT(context, PLAIN(ACCD_ACTION_COPYOUT, v)), ACCD_OK, "that ignores absent data else");
    fails(context, ACCD_ERROR_NOT_PRESENT,
          UPDATE(context, with(PLAIN(ACCD_ACTION_UPDATE_SELF, v), ACCD_ITEM_REQUIRE_PRESENT | ACCD_ITEM_IF_PRESENT)),
          "update, too");
    is_status(UPDATE(context, with(PLAIN(ACCD_ACTION_UPDATE_SELF, v), ACCD_ITEM_IF_PRESENT)), ACCD_OK,
              "that may do the same");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, v + 1, 12)), ACCD_OK, "a part");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, REGION(context, &region, must_v), "is not all of it");
    is_status(REGION(context, &region, with(BYTES(ACCD_ACTION_COPY, v + 2, 8), ACCD_ITEM_REQUIRE_PRESENT)), ACCD_OK,
              "a part of that");
    ok(present_count(context, v + 1, 1, 1), "counts");
    is_status(UPDATE(context, with(BYTES(ACCD_ACTION_UPDATE_SELF, v + 2, 8), ACCD_ITEM_REQUIRE_PRESENT)), ACCD_OK,
              "update");
    is_status(accd_region_end(region), ACCD_OK, "the end");
    is_status(EXIT(context, with(BYTES(ACCD_ACTION_DELETE, v + 1, 12), ACCD_ITEM_REQUIRE_PRESENT)), ACCD_OK, "exit");
    is_sound(context);
    free_openmp_context(context, &meter);
}

static void growth(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, v + 4, 16)), ACCD_OK, "v[4:4]");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, ENTER(context, BYTES(ACCD_ACTION_COPYIN, v + 3, 8)), "before");
    WHERE(context, ACCD_ERROR_PARTIALLY_PRESENT, "OMP60-map-13", "an object that would grow");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, ENTER(context, BYTES(ACCD_ACTION_COPYIN, v + 7, 8)), "behind");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, v + 8, 8)), ACCD_OK, "beside");
    fails(context, ACCD_ERROR_PARTIAL_OVERLAP,
          ENTER(context, BYTES(ACCD_ACTION_COPYIN, v + 10, 8), BYTES(ACCD_ACTION_COPYIN, v + 11, 8)),
          "items that share a part");
    WHERE(context, ACCD_ERROR_PARTIAL_OVERLAP, "OMP60-map-13", "shared storage");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, v + 10, 8), BYTES(ACCD_ACTION_COPYIN, v + 11, 4)), ACCD_OK,
              "one in the other");
    free_openmp_context(context, &meter);
}

/* -------------------------------------------------------------------------------- attachment -- */

/* struct_map.3 and .4: the section first, then what has its pointer as base or not. */
static void pointers_first_or_last(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    accd_region *outer, *inner;
    accd_item p = ONE(ACCD_ACTION_CREATE, S.p), all = section(ACCD_ACTION_COPY, &S.p, 0, N);
    is_status(REGION(context, &outer, all), ACCD_OK, "S.p[:N] alone: the pointer is absent");
    is_number(attach_count(context, &S.p), 0, "not attached");
    is_status(REGION(context, &inner, ONE(ACCD_ACTION_COPY, S)), ACCD_OK, "then S");
    ok(!attach_count(context, &S.p) && device_word(context, &S.p) == (uintptr_t)pool,
       "nothing has S.p as base: the host's address (OMPEX-struct_map-6)");
    is_status(accd_region_end(inner), ACCD_OK, "end");
    accd_item empty = section(ACCD_ACTION_CREATE, &S.p, 0, 0);
    is_status(REGION(context, &inner, ONE(ACCD_ACTION_COPY, S), empty), ACCD_OK, "S and S.p[:0]");
    ok(leads(context, &S.p), "the pointer is new: attached (OMPEX-struct_map-10)");
    is_sound(context);
    is_status(accd_region_end(inner), ACCD_OK, "end");
    is_number(attach_count(context, &S.p), 0, "ends with the pointer");
    is_status(REGION(context, &inner, ONE(ACCD_ACTION_COPY, S), section(ACCD_ACTION_COPY, &S.p, 0, 3)), ACCD_OK,
              "any length does");
    ok(leads(context, &S.p), "attached");
    is_status(accd_region_end(inner), ACCD_OK, "end");
    is_status(accd_region_end(outer), ACCD_OK, "end");
    is_status(REGION(context, &outer, p), ACCD_OK, "the pointer first");
    is_status(REGION(context, &inner, all), ACCD_OK, "then the section");
    ok(leads(context, &S.p), "which is new: attached");
    is_number(attach_count(context, &S.p), 1, "not counted");
    is_status(accd_region_end(inner), ACCD_OK, "the section goes");
    accd_attachment attachment;
    ok(accd_attachment_at(context, 0, &S.p, &attachment) && !attachment.high &&
           device_word(context, &S.p) == attachment.dev,
       "the pointer stays as it was");
    is_sound(context);
    is_status(ENTER(context, all), ACCD_OK, "and comes back");
    ok(leads(context, &S.p) && attach_count(context, &S.p) == 1, "attached again");
    is_sound(context);
    is_status(EXIT(context, with(section(ACCD_ACTION_DELETE, &S.p, 0, N), ACCD_ITEM_FINALIZE)), ACCD_OK, "deleted");
    is_status(accd_region_end(outer), ACCD_OK, "and the pointer goes");
    free_openmp_context(context, &meter);
}

static void only_what_is_new(void)
{
    struct meter meter;
    for (int every = 0; every < 2; every++) {
        const char *name = every ? "openmp-4.0" : "openmp-5.1";
        accd_context *context = new_openmp_context(&meter, name);
        accd_region *region;
        is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, pool)), ACCD_OK, "%s: pool", name);
        is_status(ENTER(context, ONE(ACCD_ACTION_COPYIN, S)), ACCD_OK, "S");
        is_status(REGION(context, &region, section(ACCD_ACTION_COPY, &S.p, 0, N)), ACCD_OK,
                  "S.p[:N], of which nothing is new");
        ok(leads(context, &S.p) == every && (int)attach_count(context, &S.p) == every,
           "attached only if every section does (AMB-OMPEX-01)");
        is_status(accd_region_end(region), ACCD_OK, "its end");
        is_number(attach_count(context, &S.p), every, "detaches nothing");
        is_status(ENTER(context, section(ACCD_ACTION_COPY, &S.p, 0, N)), ACCD_OK, "enter data, once more");
        is_number(attach_count(context, &S.p), every, "counts nothing");
        is_status(EXIT(context, section(ACCD_ACTION_DELETE, &S.p, 0, N)), ACCD_OK, "nor does exit data");
        is_number(attach_count(context, &S.p), every, "detach");
        is_sound(context);
        is_status(ENTER(context, (accd_item){.slot = &S.p, .action = ACCD_ACTION_ATTACH}), ACCD_OK,
                  "an attach that stands alone");
        ok(leads(context, &S.p) && attach_count(context, &S.p) == 1, "attaches in any case");
        S.p = pool + 3;
        is_status(ENTER(context, section(ACCD_ACTION_COPY, &S.p, 0, 2)), ACCD_OK, "leads elsewhere now");
        ok(device_word(context, &S.p) == there(context, pool) + (every ? 12 : 0), "moved if every section attaches");
        is_sound(context);
        S.p = other;
        is_status(ENTER(context, section(ACCD_ACTION_COPYIN, &S.p, 0, N)), ACCD_OK, "to what is new");
        ok(leads(context, &S.p) && attach_count(context, &S.p) == 1, "moved");
        is_sound(context);
        is_status(EXIT(context, (accd_item){.slot = &S.p, .action = ACCD_ACTION_DETACH}), ACCD_OK,
                  "a detach that stands alone");
        ok(!attach_count(context, &S.p) && device_word(context, &S.p) == (uintptr_t)other, "ends it");
        free_openmp_context(context, &meter);
    }
}

/* A construct whose body fails leaves what was present as it was before its entry: pointers that the entry
 * attached or moved, their words on the device, and what it sent always. */
static void given_up(const char *rules)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, rules);
    accd_region *region;
    is_status(ENTER(context, ONE(ACCD_ACTION_COPYIN, S), PLAIN(ACCD_ACTION_COPYIN, v)), ACCD_OK, "%s: S, v", rules);
    for (int attached = 0; attached < 2; attached++) {
        uint64_t before = accd__state_digest(context), word = device_word(context, &S.p);
        S.p = attached ? other : pool;
        v[3] = 77;
        is_status(accd_journal_begin(context, 0), ACCD_OK, "a construct begins");
        is_status(REGION(context, &region, section(ACCD_ACTION_COPY, &S.p, 0, 4), section(ACCD_ACTION_COPY, &S.p, 6, 1),
                         with(PLAIN(ACCD_ACTION_COPY, v), ACCD_ITEM_ALWAYS_IN)),
                  ACCD_OK, "two sections of S.p and v, always");
        ok(leads(context, &S.p) && attach_count(context, &S.p) == 1 && read_device_int(context, v + 3) == 77,
           "attached %s, and sent", attached ? "elsewhere" : "");
        is_sound(context);
        put_device(context, v + 3, 78);
        accd_journal_end(context, 0, 0);
        accd_region_abandon(region);
        is_sound(context);
        ok(accd__state_digest(context) == before && device_word(context, &S.p) == word &&
               (int)attach_count(context, &S.p) == attached && read_device_int(context, v + 3) == 3,
           "given up: all is as it was");
        v[3] = 3;
        S.p = pool;
        is_status(ENTER(context, section(ACCD_ACTION_COPYIN, &S.p, 0, 4)), ACCD_OK, "S.p[:4] stays");
    }
    is_status(accd_journal_begin(context, 0), ACCD_OK, "a construct begins");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, REGION(context, &region, section(ACCD_ACTION_COPY, &S.p, 2, 4)),
          "S.p[2:4], of which a part is present");
    accd_journal_end(context, 0, 0);
    ok(leads(context, &S.p) && attach_count(context, &S.p) == 1, "one whose entry fails changes nothing");
    is_status(accd_journal_begin(context, 0), ACCD_OK, "a construct begins");
    S.p = other;
    is_status(REGION(context, &region, section(ACCD_ACTION_COPY, &S.p, 0, 4)), ACCD_OK, "S.p elsewhere");
    is_status(accd_region_end(region), ACCD_OK, "and its end");
    accd_journal_end(context, 0, 1);
    ok(attach_count(context, &S.p) == 1 && device_word(context, &S.p) != there(context, pool),
       "one that ends well leaves what it attached");
    free_openmp_context(context, &meter);
}

/* Sections of one pointer in several objects: a new one moves it, of several the one it points to has it. */
static void several_sections(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    is_status(ENTER(context, ONE(ACCD_ACTION_CREATE, S.p), section(ACCD_ACTION_COPYIN, &S.p, 8, 4),
                    section(ACCD_ACTION_COPYIN, &S.p, 0, 4)),
              ACCD_OK, "two sections");
    ok(leads(context, &S.p) && attach_count(context, &S.p) == 1, "attached to what it points to");
    is_sound(context);
    is_status(ENTER(context, section(ACCD_ACTION_COPYIN, &S.p, 4, 2)), ACCD_OK, "another one, new");
    ok(device_word(context, &S.p) == there(context, pool + 4) - 16, "the pointer moves there");
    is_status(ENTER(context, section(ACCD_ACTION_COPYIN, &S.p, 0, 4)), ACCD_OK, "an old one");
    ok(device_word(context, &S.p) == there(context, pool + 4) - 16, "leaves it there");
    is_sound(context);
    is_status(EXIT(context, section(ACCD_ACTION_DELETE, &S.p, 4, 2)), ACCD_OK, "it goes");
    is_sound(context);
    is_status(ENTER(context, section(ACCD_ACTION_CREATE, &S.p, 12, 0)), ACCD_OK, "[12:0]: nothing new");
    ok(!leads(context, &S.p), "dangles");
    is_status(EXIT(context, ONE(ACCD_ACTION_DELETE, S.p)), ACCD_OK, "the pointer goes");
    is_status(ENTER(context, ONE(ACCD_ACTION_CREATE, S.p), section(ACCD_ACTION_CREATE, &S.p, 12, 0)), ACCD_OK,
              "[12:0] of a new pointer: its address is an end");
    ok(device_word(context, &S.p) == there(context, pool + 8) - 32, "of [8:4]");
    is_sound(context);
    is_status(EXIT(context, ONE(ACCD_ACTION_DELETE, S.p)), ACCD_OK, "it goes");
    is_status(ENTER(context, ONE(ACCD_ACTION_COPYIN, S.p), section(ACCD_ACTION_CREATE, &S.p, 14, 0)), ACCD_OK,
              "[14:0] is nowhere");
    ok(device_word(context, &S.p) == (uintptr_t)pool, "the pointer keeps its value");
    S.p = NULL;
    accd_item null = {.slot = &S.p, .action = ACCD_ACTION_CREATE};
    is_status(ENTER(context, null), ACCD_OK, "a null pointer's [:0]");
    free_openmp_context(context, &meter);

    context = new_openmp_context(&meter, "openmp-4.0");
    is_status(ENTER(context, ONE(ACCD_ACTION_CREATE, S.p), section(ACCD_ACTION_COPYIN, &S.p, 0, 4),
                    section(ACCD_ACTION_COPYIN, &S.p, 8, 4)),
              ACCD_OK, "OpenMP 4.0");
    for (int i = 0; i < 2; i++) {
        is_status(ENTER(context, section(ACCD_ACTION_COPYIN, &S.p, 8, 4), section(ACCD_ACTION_COPYIN, &S.p, 0, 4)),
                  ACCD_OK, "both sections again");
        ok(leads(context, &S.p) && attach_count(context, &S.p) == 1, "stays where it points to");
        is_sound(context);
    }
    free_openmp_context(context, &meter);
}

static void attached_pointers_are_kept(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    accd_region *region, *outer;
    is_status(REGION(context, &outer, ONE(ACCD_ACTION_COPY, S), section(ACCD_ACTION_COPY, &S.p, 0, N)), ACCD_OK,
              "S and S.p[:N]");
    uint64_t word = there(context, pool);
    is_status(REGION(context, &region, with(ONE(ACCD_ACTION_COPY, S), ACCD_ITEM_ALWAYS_IN | ACCD_ITEM_ALWAYS_OUT)),
              ACCD_OK, "always, tofrom: S");
    ok(device_word(context, &S.p) == word, "the device keeps its pointer");
    is_status(accd_region_end(region), ACCD_OK, "the end");
    ok(S.p == pool && S.a == 2, "the host its own");
    is_status(UPDATE(context, ONE(ACCD_ACTION_UPDATE_DEVICE, S)), ACCD_OK, "update to");
    is_status(UPDATE(context, ONE(ACCD_ACTION_UPDATE_SELF, S)), ACCD_OK, "update from");
    ok(S.p == pool && device_word(context, &S.p) == word, "the same");
    uint64_t wrong = word + 4;
    fails(context, ACCD_ERROR_POINTER_CHANGED, accd_device_write(context, 0, there(context, &S.p), &wrong, 8),
          "a kernel changes it");
    WHERE(context, ACCD_ERROR_POINTER_CHANGED, "OMP60-map-8", "an attached pointer");
    is_status(accd_device_write(context, 0, there(context, &S.p), &word, 8), ACCD_OK, "writes the same");
    is_status(EXIT(context, with(PLAIN(ACCD_ACTION_COPYOUT, pool), ACCD_ITEM_ALWAYS_OUT)), ACCD_ERROR_PARTIALLY_PRESENT,
              "more than is present");
    is_status(EXIT(context, with(section(ACCD_ACTION_DELETE, &S.p, 0, N), ACCD_ITEM_FINALIZE)), ACCD_OK,
              "the section is deleted");
    is_status(accd_device_write(context, 0, there(context, &S.p), &wrong, 8), ACCD_OK, "what dangles may be changed");
    is_sound(context);
    is_status(accd_region_end(outer), ACCD_OK, "the end");
    ok(S.p == pool, "the host's pointer is not overwritten");
    free_openmp_context(context, &meter);

    context = new_openmp_context(&meter, "openmp-4.0"); /* LLNL-2.1-08 */
    is_status(REGION(context, &outer, ONE(ACCD_ACTION_COPY, S), section(ACCD_ACTION_COPY, &S.p, 0, N)), ACCD_OK,
              "OpenMP 4.0");
    wrong = there(context, pool) + 4;
    is_status(accd_device_write(context, 0, there(context, &S.p), &wrong, 8), ACCD_OK, "a kernel may change it");
    is_sound(context);
    is_status(accd_region_end(outer), ACCD_OK, "the end");
    ok(S.p == pool, "the host's pointer is not overwritten");
    free_openmp_context(context, &meter);
}

/* ---------------------------------------------------------------------------------- telling -- */

static void tell_rule(void *ud, const accd_event *event)
{
    story_add(ud, "%s %s|", accd_op_name(event->op), event->rule);
}

static void events(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    accd_region *region;
    accd_context_set_event_handler(context, tell_rule, &story);
    story_clear(&story);
    is_status(REGION(context, &region, ONE(ACCD_ACTION_COPY, S), BYTES(ACCD_ACTION_COPY, &S.a, 4),
                     section(ACCD_ACTION_COPYIN, &S.p, 0, 2), section(ACCD_ACTION_COPYIN, &S.p, 1, 1)),
              ACCD_OK, "two objects of four items");
    is_text(story.text,
            "alloc OMP60-map-5|alloc OMP60-map-5|h2d OMP60-map-5|h2d OMP60-map-5|"
            "attach OMP60-map-7|incref OMP60-map-5|incref OMP60-map-5|",
            "each is told once");
    story_clear(&story);
    is_status(ENTER(context, section(ACCD_ACTION_COPYIN, &S.p, 0, 2)), ACCD_OK, "enter data");
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, pool, 8)), ACCD_OK, "update");
    is_status(EXIT(context, section(ACCD_ACTION_DELETE, &S.p, 0, 2)), ACCD_OK, "exit data");
    is_text(story.text, "incref OMP60-map-5|d2h OMP60-upd-1|decref OMP60-map-6|", "enter and exit");
    story_clear(&story);
    is_status(accd_region_end(region), ACCD_OK, "the end");
    is_text(story.text,
            "detach OMP60-map-7|decref OMP60-map-6|decref OMP60-map-6|d2h OMP60-map-6|"
            "free OMP60-map-6|free OMP60-map-6|",
            "the pointer's attachment ends with its object");
    accd_context_set_event_handler(context, NULL, NULL);
    free_openmp_context(context, &meter);
}

static void listing(void)
{
    struct meter meter;
    accd_context *context = new_openmp_context(&meter, NULL);
    uint64_t at = (uintptr_t)v, end = at + sizeof v, start, bytes;
    ok(!accd_present_overlapping(context, 0, &at, end, &start, &bytes), "nothing is there");
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, v + 2, 8), BYTES(ACCD_ACTION_COPYIN, v + 6, 12),
                    BYTES(ACCD_ACTION_COPYIN, v + 14, 8)),
              ACCD_OK, "three objects");
    at = (uintptr_t)(v + 3);
    end = (uintptr_t)(v + 14);
    ok(accd_present_overlapping(context, 0, &at, end, &start, &bytes) && start == (uintptr_t)(v + 2) && bytes == 8 &&
           at == (uintptr_t)(v + 4),
       "the first, from inside");
    ok(accd_present_overlapping(context, 0, &at, end, &start, &bytes) && start == (uintptr_t)(v + 6) && bytes == 12,
       "the second");
    ok(!accd_present_overlapping(context, 0, &at, end, &start, &bytes), "the third begins at the end");
    ok(!accd_present_overlapping(context, 5, &at, end, &start, &bytes), "no such device");
    free_openmp_context(context, &meter);
}

int main(void)
{
    a_construct_counts_once();
    one_counter();
    each_item_counts("libomptarget-19");
    each_item_counts("libomptarget-14");
    deleting();
    references_without_end();
    static const char *const profiles[] = {"openmp-5.1", "openmp-4.0", "tr14", "openacc-3.3"};
    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        always(profiles[i]);
        always_through_members(profiles[i], i < 2);
    }
    must_be_present();
    growth();
    pointers_first_or_last();
    only_what_is_new();
    given_up("openmp-5.1");
    given_up("openmp-4.0");
    several_sections();
    attached_pointers_are_kept();
    events();
    listing();
    story_free(&story);
    return done();
}
