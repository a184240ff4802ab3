/* update: moves that leave attached pointers alone on both sides, sections, one element out of
 * many, the two ways of TR14-4.1-07. */
#include "support.h"

enum { N = 8 };
static struct leaf Y[N];
static float arrays[N][2][4];
static struct story story;

struct fixture {
    struct meter meter;
    accd_context *context;
    accd_program *leaf, *only_b;
    const accd_label *label;
    accd_region *region;
};

static void build_update_data(void)
{
    memset(Y, 0, sizeof Y);
    for (int i = 0; i < N; i++) {
        Y[i].n = i == 5 ? 0 : 1 + i % 4;
        Y[i].a = arrays[i][0];
        Y[i].b = arrays[i][1];
        for (int k = 0; k < 8; k++)
            arrays[i][k / 4][k % 4] = (float)(10 * i + k);
    }
}

static void open_fixture(struct fixture *f, size_t least, accd_update_method way)
{
    accd_context_config config;
    init_config(&config);
    *f = (struct fixture){0};
    accd_rules rules = *accd_find_rules("tr14");
    rules.update = way;
    config.alloc = meter_alloc;
    config.alloc_ud = &f->meter;
    config.rules = &rules;
    config.group_least = least;
    config.device_bytes = 1 << 20;
    config.on_event = tell_story;
    config.event_ud = &story;
    story_clear(&story);
    if (accd_context_new(&f->context, &config) != ACCD_OK)
        exit(1);
    build_update_data();
    f->leaf = leaf_program(f->context);
    accd_field field = {.offset = offsetof(struct leaf, b),
                        .unit = 4,
                        .start = -1,
                        .code_end = 1,
                        .label = member(f->context, "b", 4, NULL)};
    f->only_b = program_of(f->context,
                           &(accd_program_spec){.stride = sizeof(struct leaf),
                                                .fields = &field,
                                                .nfields = 1,
                                                .registers = 1,
                                                .ncode = 1,
                                                .code = &(accd_instruction){.op = ACCD_I_LOAD, .b = ACCD_SCALAR_I32}});
    f->label = array(f->context, "Y", sizeof Y[0], f->leaf);
    is_status(REGION(f->context, &f->region, walked(ACCD_ACTION_COPYIN, Y, sizeof Y, f->leaf, f->label)), ACCD_OK,
              "copyin(Y), groups from %zu, way %d", least, (int)way);
    story_clear(&story);
}

static void close_fixture(struct fixture *f)
{
    is_sound(f->context);
    is_status(accd_region_end(f->region), ACCD_OK, "end");
    accd_program_release(f->leaf);
    accd_program_release(f->only_b);
    accd_context_free(f->context);
    is_number(f->meter.live + f->meter.wrong, 0, "memory");
}

static void whole(size_t least, accd_update_method way)
{
    struct fixture f;
    open_fixture(&f, least, way);
    accd_context *context = f.context;
    accd_item deep = walked(ACCD_ACTION_UPDATE_DEVICE, Y, sizeof Y, f.leaf, f.label);
    accd_stats before, after;
    for (int i = 0; i < N; i++) { /* the padding behind n is data, too */
        int *pad = &Y[i].n + 1;
        *pad = 7 + i;
        arrays[i][0][0] = (float)-i;
    }
    accd_get_stats(context, 0, &before);
    is_status(UPDATE(context, deep), ACCD_OK, "update device(Y)");
    accd_get_stats(context, 0, &after);
    ok(after.moved_bytes[0] > before.moved_bytes[0] && after.moved_bytes[1] == before.moved_bytes[1],
       "moves to the device");
    for (int i = 0; i < N; i++) {
        int words[2];
        float value = 0;
        must(device_get(context, &Y[i], words, 8) && words[0] == Y[i].n && words[1] == 7 + i, "Y[%d] itself", i);
        must(i == 5 || (device_get(context, arrays[i][0], &value, 4) && value == (float)-i), "Y[%d].a", i);
        must(i == 5 || device_word(context, &Y[i].a) == accd_device_address(context, 0, Y[i].a),
             "Y[%d].a leads to the device", i);
    }
    for (int i = 0; i < N; i++) {
        int words[2] = {Y[i].n, 70 + i};
        float value = (float)(1000 + i);
        must(device_put(context, &Y[i], words, 8), "write");
        must(i == 5 || device_put(context, arrays[i][1], &value, 4), "write");
    }
    deep.action = ACCD_ACTION_UPDATE_SELF;
    is_status(UPDATE(context, deep), ACCD_OK, "update self(Y)");
    bool good = true;
    for (int i = 0; i < N; i++)
        good &= *(&Y[i].n + 1) == 70 + i && (i == 5 || arrays[i][1][0] == (float)(1000 + i)) &&
                Y[i].a == arrays[i][0] && Y[i].b == arrays[i][1];
    ok(good, "all is fetched, but no pointer");
    close_fixture(&f);
}

static void shallow(size_t least, accd_update_method way)
{
    struct fixture f;
    open_fixture(&f, least, way);
    accd_context *context = f.context;
    int words[2] = {0, 123};
    accd_item item = BYTES(ACCD_ACTION_UPDATE_SELF, Y + 1, 2 * sizeof Y[0]);
    item.label = f.label;
    item.start = 1;
    must(device_put(context, (char *)(Y + 1) + 4, words + 1, 4), "write");
    is_status(UPDATE(context, item), ACCD_OK, "update self(Y[1:2])");
    ok(*(&Y[1].n + 1) == 123 && Y[1].a == arrays[1][0], "the bytes, not the pointers");
    is_text(story.text, way == ACCD_UPDATE_METHOD_SPLIT ? "d2h Y[1]|d2h Y[2]|" : "d2h Y[1:2]|", "how it is moved");
    /* from the middle of one pointer to the middle of another */
    uint64_t kept = device_word(context, &Y[2].a);
    item = BYTES(ACCD_ACTION_UPDATE_DEVICE, (char *)&Y[2].a + 3, 10);
    is_status(UPDATE(context, item), ACCD_OK, "halves of pointers");
    ok(device_word(context, &Y[2].a) == kept, "stay as they are");
    is_sound(context);
    item.action = ACCD_ACTION_UPDATE_SELF;
    is_status(UPDATE(context, item), ACCD_OK, "the same to the host");
    ok(Y[2].a == arrays[2][0] && Y[2].b == arrays[2][1], "stay there, too");
    is_status(UPDATE(context, PLAIN(ACCD_ACTION_UPDATE_SELF, Y), PLAIN(ACCD_ACTION_UPDATE_SELF, Y)), ACCD_OK,
              "twice in one construct");
    close_fixture(&f);
}

static void test_partial_updates(size_t least)
{
    struct fixture f;
    open_fixture(&f, least, ACCD_UPDATE_METHOD_SPLIT);
    accd_context *context = f.context;
    accd_stats before, after;
    float value = 55;
    /* one element of many costs that element */
    must(device_put(context, arrays[3][0], &value, 4), "write");
    accd_get_stats(context, 0, &before);
    accd_item one = walked(ACCD_ACTION_UPDATE_SELF, Y + 3, sizeof Y[0], f.leaf, f.label);
    one.start = 3;
    is_status(UPDATE(context, one), ACCD_OK, "update self(Y[3:1])");
    accd_get_stats(context, 0, &after);
    is_number(after.moved_bytes[1] - before.moved_bytes[1], 8 + 16 + 16, "moves one element");
    is_text(story.text, "d2h Y[3]|d2h Y[3].a[0:4]|d2h Y[3].b[0:4]|", "its events");
    ok(arrays[3][0][0] == 55, "fetched");
    /* one member of all: those are members of a group, and the object itself may stay absent */
    for (int i = 0; i < N; i++)
        must(i == 5 || device_put(context, arrays[i][1], &value, 4), "write");
    story_clear(&story);
    is_status(UPDATE(context, walked(ACCD_ACTION_UPDATE_SELF, Y, sizeof Y, f.only_b, f.label)), ACCD_OK,
              "update self(Y.b)");
    is_text(story.text,
            "d2h Y[0].b[0:1]|d2h Y[1].b[0:2]|d2h Y[2].b[0:3]|d2h Y[3].b[0:4]|"
            "d2h Y[4].b[0:1]|d2h Y[6].b[0:3]|d2h Y[7].b[0:4]|",
            "only those");
    bool good = true;
    for (int i = 0; i < N; i++)
        good &= i == 5 || (arrays[i][1][0] == 55 && arrays[i][0][1] == (float)(10 * i + 1));
    ok(good, "fetched");
    /* a section of a section */
    arrays[7][0][2] = 66;
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_DEVICE, &arrays[7][0][1], 8)), ACCD_OK, "Y[7].a[1:2]");
    ok(device_get(context, &arrays[7][0][2], &value, 4) && value == 66, "sent");
    fails(context, ACCD_ERROR_NOT_PRESENT, UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, arrays[5], 4)),
          "the empty one is not there");
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT, UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, arrays[4], 8)),
          "more than there is");
    int n = Y[4].n;
    Y[4].n = 4;
    fails(context, ACCD_ERROR_PARTIALLY_PRESENT,
          UPDATE(context, walked(ACCD_ACTION_UPDATE_SELF, Y, sizeof Y, f.leaf, f.label)), "a length that grew");
    Y[4].n = n;
    Y[4].a = arrays[5][0];
    fails(context, ACCD_ERROR_POINTER_CHANGED,
          UPDATE(context, walked(ACCD_ACTION_UPDATE_SELF, Y, sizeof Y, f.leaf, f.label)),
          "a pointer that leads elsewhere");
    Y[4].a = arrays[4][0];
    /* both directions in one construct */
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_SELF, arrays[0][0], 4),
                     BYTES(ACCD_ACTION_UPDATE_DEVICE, arrays[1][0], 8)),
              ACCD_OK, "both directions");
    close_fixture(&f);
}

/* What is not translated: AMB-TR14-09, TR14-4.3-15. */
static void untranslated(accd_untranslated way, uint64_t wanted)
{
    static const accd_piece pieces[] = {
        {.bytes = 8}, {.offset = 8, .bytes = 8, .entry_only = 1}, {.offset = 16, .bytes = 8}};
    accd_context_config config;
    accd_rules rules = *accd_find_rules("tr14");
    accd_context *context = NULL;
    accd_region *region;
    rules.untranslated = way;
    init_config(&config);
    config.rules = &rules;
    accd_context_new(&context, &config);
    build_update_data();
    accd_program *program =
        program_of(context, &(accd_program_spec){.stride = sizeof Y[0], .pieces = pieces, .npieces = 3});
    is_status(REGION(context, &region, walked(ACCD_ACTION_COPY, Y, 48, program, NULL)), ACCD_OK, "copy");
    is_number(device_word(context, &Y[1].a), wanted, "untranslated pointer, way %d", (int)way);
    is_number(device_word(context, &Y[1].b), (uintptr_t)arrays[1][1], "any other bytes");
    is_status(UPDATE(context, walked(ACCD_ACTION_UPDATE_SELF, Y, 48, program, NULL)), ACCD_OK, "self");
    is_status(UPDATE(context, walked(ACCD_ACTION_UPDATE_DEVICE, Y, 48, program, NULL)), ACCD_OK, "device");
    is_number(device_word(context, &Y[1].a), wanted, "it stays so");
    is_status(accd_region_end(region), ACCD_OK, "end");
    ok(Y[1].a == arrays[1][0], "and never reaches the host");
    accd_program_release(program);
    accd_context_free(context);
}

/* A clause that keeps what is present may be cut inside of a pointer that is not followed: the bytes of the other
 * part are nobody's to write. Two such pointers side by side may be one piece. */
static void clipped(accd_untranslated way, size_t present, size_t bytes)
{
    struct pair {
        char *p, *q;
        uint64_t n;
    };
    static const accd_piece pieces[] = {{.bytes = 16, .entry_only = 1}, {.offset = 16, .bytes = 8}};
    static struct pair x;
    accd_context_config config;
    accd_rules rules = *accd_find_rules("tr14");
    accd_context *context = NULL;
    rules.untranslated = way;
    init_config(&config);
    config.rules = &rules;
    accd_context_new(&context, &config);
    memset(&x, 0x11, sizeof x);
    accd_program *program =
        program_of(context, &(accd_program_spec){.stride = sizeof x, .pieces = pieces, .npieces = 2});
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, (char *)&x + present, bytes)), ACCD_OK, "a part");
    memset(&x, 0x22, sizeof x);
    accd_item all = walked(ACCD_ACTION_COPYIN, &x, sizeof x, program, NULL);
    all.flags = ACCD_ITEM_COPY_ABSENT;
    is_status(ENTER(context, all), ACCD_OK, "all of it");
    const unsigned char word = way == ACCD_UNTRANSLATED_NULL ? 0 : 0x7F;
    for (size_t i = 0; i < sizeof x; i++) {
        unsigned char found = 0;
        must(device_get(context, (char *)&x + i, &found, 1), "byte %zu was written", i);
        must(found == (i - present < bytes ? 0x11 : i < 16 ? word : 0x22), "byte %zu is %02x", i, found);
    }
    is_sound(context);
    accd_program_release(program);
    accd_context_free(context);
}

/* Followed pointers that lead to nothing keep their value on the host, whatever is copied out. */
static void loose_pointers(size_t least)
{
    struct fixture f;
    accd_region *region;
    open_fixture(&f, least, ACCD_UPDATE_METHOD_SPLIT);
    is_status(accd_region_end(f.region), ACCD_OK, "end");
    for (int i = 0; i < N; i++)
        Y[i].n = 0;
    is_status(REGION(f.context, &region, walked(ACCD_ACTION_COPYOUT, Y, sizeof Y, f.leaf, f.label)), ACCD_OK,
              "copyout of empty ones");
    is_status(UPDATE(f.context, walked(ACCD_ACTION_UPDATE_SELF, Y, sizeof Y, f.leaf, f.label)), ACCD_OK, "update self");
    bool good = true;
    for (int i = 0; i < N; i++)
        good &= Y[i].a == arrays[i][0] && Y[i].b == arrays[i][1];
    ok(good, "host pointers are kept by update");
    for (int i = 0; i < N; i++)
        Y[i].n = 0;
    is_status(accd_region_end(region), ACCD_OK, "end");
    for (int i = 0; i < N; i++)
        good &= Y[i].a == arrays[i][0] && Y[i].b == arrays[i][1];
    ok(good, "and by copyout");
    build_update_data();
    is_status(REGION(f.context, &f.region, walked(ACCD_ACTION_COPY, Y, sizeof Y, f.leaf, f.label)), ACCD_OK,
              "as before");
    close_fixture(&f);
}

int main(void)
{
    for (size_t least = 1; least <= 1000; least += 999) {
        whole(least, ACCD_UPDATE_METHOD_SPLIT);
        whole(least, ACCD_UPDATE_METHOD_REVERSE);
        shallow(least, ACCD_UPDATE_METHOD_SPLIT);
        shallow(least, ACCD_UPDATE_METHOD_REVERSE);
        test_partial_updates(least);
        loose_pointers(least);
    }
    untranslated(ACCD_UNTRANSLATED_HOST, (uintptr_t)arrays[1][0]);
    untranslated(ACCD_UNTRANSLATED_NULL, 0);
    untranslated(ACCD_UNTRANSLATED_POISON, 0x7F7F7F7F7F7F7F7Fu);
    for (int way = ACCD_UNTRANSLATED_NULL; way <= ACCD_UNTRANSLATED_POISON; way++) {
        clipped((accd_untranslated)way, 0, 4);
        clipped((accd_untranslated)way, 4, 7);
        clipped((accd_untranslated)way, 12, 4);
        clipped((accd_untranslated)way, 16, 8);
        clipped((accd_untranslated)way, 20, 4);
    }
    story_free(&story);
    return done();
}
