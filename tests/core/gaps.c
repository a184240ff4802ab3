/* Sections with gaps: the bytes between their elements are present, and never move. */
#include "support.h"

#include <ops/ops.h>

enum { ROWS = 6, COLUMNS = 5, CUBE = 4 };
static float a[COLUMNS][ROWS], kept[COLUMNS][ROWS];
static int32_t cube[CUBE][CUBE][CUBE];
struct item {
    int64_t n;
    float *data;
};
static struct item items[7];
static float values[7][4];

static void fill_gap_data(void)
{
    for (int i = 0; i < COLUMNS; i++)
        for (int k = 0; k < ROWS; k++)
            a[i][k] = (float)(10 * i + k);
    for (int i = 0; i < 7; i++) {
        items[i] = (struct item){4, values[i]};
        for (int k = 0; k < 4; k++)
            values[i][k] = (float)(100 * i + k);
    }
}

/* Rows 1 and 3 of columns 0, 2 and 4: pairs of neither. */
static const accd_stride twice_thrice[] = {{3, 2 * sizeof a[0]}, {2, 2 * sizeof(float)}};
static accd_item part(uint8_t action)
{
    return (accd_item){.host = &a[0][1],
                       .bytes = (size_t)((char *)&a[4][4] - (char *)&a[0][1]),
                       .dims = twice_thrice,
                       .ndims = 2,
                       .run = sizeof(float),
                       .action = action};
}
static bool is_part(int column, int row)
{
    return column % 2 == 0 && (row == 1 || row == 3);
}

/* Whether a is what it was, with the elements of the section changed. */
static bool changed(float by)
{
    bool good = true;
    for (int i = 0; i < COLUMNS; i++)
        for (int k = 0; k < ROWS; k++)
            good &= a[i][k] == kept[i][k] + (is_part(i, k) ? by : 0);
    return good;
}

static void add_on_device(accd_context *context, float by)
{
    for (int i = 0; i < COLUMNS; i++)
        for (int k = 0; k < ROWS; k++) {
            float value = kept[i][k] + by;
            if (is_part(i, k))
                must(device_put(context, &a[i][k], &value, sizeof value), "write");
        }
}

/* Bytes moved since the last time. */
static void check_moved_bytes(accd_context *context, uint64_t *before, uint64_t in, uint64_t out)
{
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    ok(stats.moved_bytes[0] - before[0] == in && stats.moved_bytes[1] - before[1] == out,
       "%d bytes to the device, %d back", (int)in, (int)out);
    memcpy(before, stats.moved_bytes, 2 * sizeof before[0]);
}

static void test_plain_gaps(const char *profile)
{
    struct meter meter = {0};
    struct story story = {0};
    accd_context *context = open_with(&meter, &story, profile, 1);
    accd_region *region;
    accd_item item = part(ACCD_ACTION_COPY);
    uint64_t before[2] = {0};
    item.label = array(context, "a", sizeof(float), NULL);
    fill_gap_data();
    story_clear(&story);
    is_status(REGION(context, &region, item), ACCD_OK, "%s: copy", profile);
    check_moved_bytes(context, before, 24, 0);
    ok(strstr(story.text, "h2d a") && !strstr(strstr(story.text, "h2d a") + 1, "h2d"), "told as one");
    is_number(accd_device_count_written(context, 0, accd_device_address(context, 0, &a[0][1]), item.bytes), 24,
              "what lies between was never written");
    for (int i = 0; i < COLUMNS; i++)
        for (int k = 0; k < ROWS; k++)
            a[i][k] += is_part(i, k) ? 0 : 1;
    memcpy(kept, a, sizeof a);
    add_on_device(context, 7);
    memset((void *)&item, 0x7F, sizeof item); /* a region keeps what it needs */
    is_status(accd_region_end(region), ACCD_OK, "end");
    check_moved_bytes(context, before, 0, 24);
    ok(changed(7), "the host keeps what lies between");

    fill_gap_data();
    is_status(ENTER(context, part(ACCD_ACTION_CREATE)), ACCD_OK, "create");
    check_moved_bytes(context, before, 0, 0);
    is_status(UPDATE(context, part(ACCD_ACTION_UPDATE_DEVICE)), ACCD_OK, "update device");
    check_moved_bytes(context, before, 24, 0);
    memcpy(kept, a, sizeof a);
    add_on_device(context, 3);
    is_status(UPDATE(context, part(ACCD_ACTION_UPDATE_SELF)), ACCD_OK, "update self");
    check_moved_bytes(context, before, 0, 24);
    ok(changed(3), "the host keeps what lies between");
    memcpy(a, kept, sizeof a);
    is_status(EXIT(context, part(ACCD_ACTION_COPYOUT)), ACCD_OK, "copyout");
    check_moved_bytes(context, before, 0, 24);
    ok(changed(3), "the host keeps what lies between");

    accd_item all = part(ACCD_ACTION_COPYIN);
    all.ndims = 0;
    fill_gap_data();
    is_status(ENTER(context, part(ACCD_ACTION_COPYIN), all), ACCD_OK, "with all of it");
    check_moved_bytes(context, before, all.bytes, 0);
    is_status(FINALIZE(context, part(ACCD_ACTION_DELETE)), ACCD_OK, "delete");
    is_sound(context);
    story_free(&story);
    accd_context_free(context);
    is_number(meter.live + meter.blocks + meter.wrong, 0, "all memory is given back");
}

/* What is present in pieces: each has its elements. */
static void pieces(void)
{
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, "directory", 1);
    accd_region *outer, *region;
    fill_gap_data();
    accd_item first = PLAIN(ACCD_ACTION_COPYIN, a[0]), item = part(ACCD_ACTION_COPY);
    first.base = item.base = a;
    item.flags = ACCD_ITEM_COPY_ABSENT;
    is_status(REGION(context, &outer, first), ACCD_OK, "column 0");
    is_status(REGION(context, &region, item), ACCD_OK, "the rest, in part");
    is_number(accd_device_count_written(context, 0, accd_device_address(context, 0, a[0]), sizeof a[0]), 24,
              "column 0 is as it was");
    is_number(
        accd_device_count_written(context, 0, accd_device_address(context, 0, a[1]), item.bytes - 5 * sizeof(float)),
        16, "of the others the elements");
    memcpy(kept, a, sizeof a);
    add_on_device(context, 2);
    is_sound(context);
    is_status(accd_region_end(region), ACCD_OK, "end");
    ok(a[2][1] == kept[2][1] + 2 && a[4][3] == kept[4][3] + 2 && a[3][1] == kept[3][1] && a[2][2] == kept[2][2],
       "they come back alone");
    item.flags = ACCD_ITEM_UPDATE_PRESENT;
    a[0][1] = 70;
    a[0][2] = 80;
    is_status(REGION(context, &region, item), ACCD_OK, "present ones, too");
    float word[ROWS];
    ok(device_get(context, a[0], word, sizeof word) && word[1] == 70 && word[2] == kept[0][2],
       "come from the host, what lies between does not");
    is_status(accd_region_end(region), ACCD_OK, "end");
    is_status(accd_region_end(outer), ACCD_OK, "end");
    is_sound(context);
    accd_context_free(context);
}

/* Every subset of a cube, by count and step of each dimension, moves just itself. */
static void cubes(void)
{
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, "tr14", 1);
    int failed = tap_failed;
    for (unsigned shape = 0; shape < 12 * 12 * 12; shape++) {
        accd_stride dims[3];
        unsigned rest = shape, at[3], step[3], count[3];
        uint64_t reach = 0, unit = 4 * CUBE * CUBE;
        for (int d = 0; d < 3; d++, rest /= 12, unit /= CUBE) {
            static const unsigned ways[12][3] = {{0, 1, 1}, {1, 1, 1}, {3, 1, 1}, {0, 2, 1}, {0, 2, 2}, {1, 2, 2},
                                                 {0, 2, 3}, {2, 2, 1}, {0, 3, 1}, {1, 3, 1}, {0, 4, 1}, {1, 2, 1}};
            at[d] = ways[rest % 12][0];
            count[d] = ways[rest % 12][1];
            step[d] = ways[rest % 12][2];
            dims[d] = (accd_stride){count[d], step[d] * unit};
            reach += (count[d] - 1) * step[d] * unit;
        }
        memset(cube, 0, sizeof cube);
        accd_item item = {.host = &cube[at[0]][at[1]][at[2]],
                          .bytes = reach + 4,
                          .dims = dims,
                          .ndims = 3,
                          .run = 4,
                          .action = ACCD_ACTION_COPYOUT};
        accd_region *region;
        must(REGION(context, &region, item) == ACCD_OK, "%u: region", shape);
        static const int32_t ones[CUBE * CUBE * CUBE] = {1};
        for (uint64_t b = 0; b < item.bytes; b += 4)
            must(device_put(context, (const char *)item.host + b, ones, 4), "%u: write", shape);
        must(accd_region_end(region) == ACCD_OK, "%u: end", shape);
        for (unsigned i = 0; i < CUBE * CUBE * CUBE; i++) {
            const unsigned index[3] = {i / 16, i / 4 % 4, i % 4};
            bool in = true;
            for (int d = 0; d < 3; d++)
                in = in && index[d] >= at[d] && (index[d] - at[d]) % step[d] == 0 &&
                     (index[d] - at[d]) / step[d] < count[d];
            must(cube[index[0]][index[1]][index[2]] == in, "%u: element %u", shape, i);
        }
    }
    ok(tap_failed == failed, "all sections of a cube");
    is_sound(context);
    accd_context_free(context);
}

/* Elements with pointers: those in gaps are not walked, however many there are. */
static void walks(size_t least)
{
    struct meter meter = {0};
    struct story story = {0};
    accd_context *context = open_with(&meter, &story, "tr14", least);
    const accd_field field = {.offset = offsetof(struct item, data),
                              .unit = 4,
                              .start = -1,
                              .code_end = 1,
                              .label = member(context, "data", 4, NULL)};
    accd_program *program =
        program_of(context, &(accd_program_spec){.stride = sizeof(struct item),
                                                 .pieces = &(accd_piece){.bytes = sizeof(struct item)},
                                                 .npieces = 1,
                                                 .fields = &field,
                                                 .nfields = 1,
                                                 .registers = 1,
                                                 .code = CODE(LOAD(0, ACCD_SCALAR_I64, 0)),
                                                 .ncode = 1});
    const accd_stride every_third = {3, 3 * sizeof(struct item)};
    accd_item item =
        walked(ACCD_ACTION_COPY, items, sizeof items, program, array(context, "items", sizeof(struct item), program));
    item.dims = &every_third;
    item.ndims = 1;
    item.run = sizeof(struct item);
    accd_region *region;
    fill_gap_data();
    is_status(REGION(context, &region, item), ACCD_OK, "elements 0, 3, 6, groups from %zu", least);
    ok(strstr(story.text, "attach items[3].data") && strstr(story.text, "attach items[6].data") &&
           !strstr(story.text, "items[1].data") && !strstr(story.text, "items[2].data"),
       "are called so, and no others are walked");
    ok(attach_count(context, &items[6].data) == 1 && !attach_count(context, &items[4].data),
       "their pointers are attached");
    is_number(accd_get_presence(context, 0, values[4], 16), ACCD_PRESENCE_NONE, "others lead nowhere");
    is_number(accd_get_presence(context, 0, values[3], 16), ACCD_PRESENCE_FULL, "theirs somewhere");
    items[4].n = 40;
    int64_t n = 30;
    must(device_put(context, &items[3].n, &n, sizeof n), "write");
    is_sound(context);
    is_status(accd_region_end(region), ACCD_OK, "end");
    ok(items[3].n == 30 && items[4].n == 40 && items[6].data == values[6], "what lies between stays");
    fill_gap_data();
    is_status(ENTER(context, walked(ACCD_ACTION_COPYIN, items, sizeof items, program, NULL)), ACCD_OK, "all elements");
    item.action = ACCD_ACTION_COPYIN;
    is_status(ENTER(context, item), ACCD_OK, "three of them again");
    ok(attach_count(context, &items[3].data) == 2 && attach_count(context, &items[2].data) == 1, "are counted");
    item.action = ACCD_ACTION_DELETE;
    is_status(EXIT(context, item), ACCD_OK, "and leave");
    ok(attach_count(context, &items[3].data) == 1, "once");
    item.run = 24;
    fails(context, ACCD_ERROR_MISUSE, EXIT(context, item), "a part of an element");
    is_sound(context);
    accd_program_release(program);
    accd_context_free(context);
    story_free(&story);
    is_number(meter.live + meter.blocks + meter.wrong, 0, "all memory is given back");
}

static void misuse(void)
{
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, "tr14", 1);
    accd_stride dims[16];
    for (int i = 0; i < 16; i++)
        dims[i] = (accd_stride){1, 0};
    accd_item item = part(ACCD_ACTION_COPYIN);
    item.dims = dims;
    item.ndims = 15;
    is_status(ENTER(context, item), ACCD_OK, "fifteen dimensions");
    item.ndims = 16;
    fails(context, ACCD_ERROR_MISUSE, ENTER(context, item), "sixteen");
    static const struct {
        accd_stride dim;
        uint64_t run;
        bool good;
    } ways[] = {{{2, 8}, 4, true},
                {{0, 8}, 4, false},
                {{2, 8}, 0, false},
                {{2, 97}, 4, false},
                {{2, UINT64_MAX}, 4, false},
                {{3, (uint64_t)1 << 63}, 4, false},
                {{2, 4}, 105, false},
                {{UINT64_MAX, 4}, 4, false},
                {{1, 200}, 4, true},
                {{2, 0}, 4, false},
                {{(uint64_t)1 << 32, 0}, 4, false},
                {{2, 2}, 4, false}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        item = part(ACCD_ACTION_UPDATE_DEVICE);
        item.bytes = 100;
        item.dims = &ways[i].dim;
        item.ndims = 1;
        item.run = ways[i].run;
        if (ways[i].good)
            is_status(UPDATE(context, item), ACCD_OK, "way %zu", i);
        else
            fails(context, ACCD_ERROR_MISUSE, UPDATE(context, item), "way %zu", i);
    }
    const accd_stride crossed[] = {{20, 4}, {20, 4}}; /* each of them would do */
    item.dims = crossed;
    item.ndims = 2;
    item.run = 4;
    item.bytes = 200;
    fails(context, ACCD_ERROR_MISUSE, UPDATE(context, item), "runs over one another");
    accd_context_free(context);
}

/* Elements that a walk would visit again and again. */
static void endless(void)
{
    static double element[8];
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, "tr14", 1);
    accd_program *program =
        program_of(context, &(accd_program_spec){.stride = 8, .pieces = &(accd_piece){.bytes = 8}, .npieces = 1});
    const accd_stride still = {(uint64_t)1 << 62, 0};
    const accd_item item = {.host = element,
                            .bytes = sizeof element,
                            .dims = &still,
                            .ndims = 1,
                            .run = 32,
                            .action = ACCD_ACTION_COPYIN,
                            .program = program};
    fails(context, ACCD_ERROR_MISUSE, ENTER(context, item), "a step of nothing");
    accd_program_release(program);
    accd_context_free(context);
    is_number(meter.live, 0, "nothing leaks");
}

/* The three layouts of descriptors; what a walk reaches through them. */
static void layouts(accd_descriptor_layout layout, bool changes)
{
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, "openacc-3.3", 1);
    static struct {
        uint64_t word[11];
    } holder;
    const bool gfortran = layout == ACCD_DESCRIPTOR_GFORTRAN;
    const uint32_t bytes = gfortran ? 88 : 72;
    uint64_t *dim = holder.word + (gfortran ? 5 : 3);
    context->config.descriptors = layout;
    fill_gap_data();
    memset(&holder, 0, sizeof holder);
    holder.word[0] = (uintptr_t)&a[4][1];
    holder.word[gfortran ? 2 : 1] = sizeof(float);
    ((unsigned char *)&holder)[gfortran ? 28 : 20] = 2;
    if (gfortran) {
        holder.word[4] = sizeof(float);
        memcpy(dim, (const int64_t[]){2, 1, 2, -2 * ROWS, 5, 7}, 48);
    } else {
        memcpy(dim, (const int64_t[]){1, 2, 8, 5, 3, -2 * (int64_t)sizeof a[0]}, 48);
    }
    const accd_field field = {.unit = 4, .count = 0, .start = 1, .code_end = 2, .slot_bytes = bytes};
    const int64_t length = (4 * ROWS + 3), first = -4 * ROWS;
    accd_program *program =
        program_of(context, &(accd_program_spec){.stride = sizeof holder,
                                                 .pieces = &(accd_piece){.bytes = sizeof holder},
                                                 .npieces = 1,
                                                 .fields = &field,
                                                 .nfields = 1,
                                                 .registers = 2,
                                                 .code = CODE(CONSTANT(0, length), CONSTANT(1, first)),
                                                 .ncode = 2});
    accd_item item = walked(ACCD_ACTION_COPY, &holder, sizeof holder, program, NULL);
    accd_region *region;
    is_status(REGION(context, &region, item), ACCD_OK, "layout %d: copy", (int)layout);
    is_number(context->envs[0].groups.npending, 0, "is not a group");
    is_number(attach_count(context, &holder), 1, "attached");
    is_number(accd_device_count_written(context, 0, accd_device_address(context, 0, &a[0][1]), 4 * (size_t)length), 24,
              "its elements are sent");
    memcpy(kept, a, sizeof a);
    add_on_device(context, 5);
    if (changes) /* the end goes by what was attached */
        dim[1]++;
    is_status(accd_region_end(region), ACCD_OK, "end");
    ok(changed(5), "and come back alone");
    accd_program_release(program);
    is_sound(context);
    accd_context_free(context);
}

int main(void)
{
    test_plain_gaps("tr14");
    test_plain_gaps("openacc-3.3");
    test_plain_gaps("directory");
    pieces();
    cubes();
    walks(1);
    walks(1000);
    misuse();
    endless();
    for (int changes = 0; changes < 2; changes++) {
        layouts(ACCD_DESCRIPTOR_CFI, changes);
        layouts(ACCD_DESCRIPTOR_FLANG, changes);
        layouts(ACCD_DESCRIPTOR_GFORTRAN, changes);
    }
    return done();
}
