/* Fortran descriptors in elements of arrays: as groups and one by one they do the same, at random, too (document
 * FLANG). */
#include "accdeep_internal.h"
#include "descriptors.h"

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
    return program_of(context, &(accd_program_spec){.stride = sizeof(struct cell),
                                                    .fields = which == ONLY_Q ? fields + 1 : fields,
                                                    .nfields = which == ONLY_Q ? 1 : 2,
                                                    .pieces = all[which],
                                                    .npieces = n[which],
                                                    .registers = 1,
                                                    .code = CODE(LOAD(0, ACCD_SCALAR_I64, 0)),
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
    return program_of(context, &(accd_program_spec){.stride = sizeof(struct box),
                                                    .fields = &field,
                                                    .nfields = 1,
                                                    .pieces = &(accd_piece){.bytes = sizeof(struct box)},
                                                    .npieces = 1,
                                                    .registers = 1,
                                                    .code = CODE(LOAD(0, ACCD_SCALAR_I64, sizeof(cfi1))),
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
        all = all && (C[i].n ? leads(context, &C[i].p, sizeof(cfi1), values[i][0]) &&
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
    accd_item item = walked(action, C, sizeof C, program, array(context, "C", sizeof(struct cell), program));
    build_cells(&state);
    const char *name = accd_action_name(action);
    is_status(ENTER(context, item), ACCD_OK, "%s: %s of elements %d, groups from %zu", profile, name, which, least);
    struct accd__device_env *dir = &context->envs[0];
    bool group = dir->groups.npending_attach > 0;
    ok(group == (least == 1), "as a group or one by one");
    is_status(ENTER(context, item), ACCD_OK, "again");
    memcpy(other_cells, C, sizeof C);
    if (which != INIT) { /* create wants bytes only at first */
        item.action = ACCD_ACTION_UPDATE_DEVICE;
        is_status(UPDATE(context, item), ACCD_OK, "update device");
        item.action = ACCD_ACTION_UPDATE_SELF;
        is_status(UPDATE(context, item), ACCD_OK, "update self");
    }
    ok(!memcmp(other_cells, C, sizeof C), "the host is as it was");
    ok((dir->groups.npending_attach > 0) == group, "nothing was looked up");
    item.action = ACCD_ACTION_DELETE;
    is_status(EXIT(context, item), ACCD_OK, "exit");
    ok((dir->groups.npending_attach > 0) == group, "nor at an exit that leaves it");
    ok(cells_lead(context, which == INIT || (which == WHOLE && action == ACCD_ACTION_COPYIN)),
       "all attached, null ones verbatim");
    is_number(attach_count(context, &C[1].q), C[1].n ? 1 : 0, "looked up");
    is_sound(context);
    item.action = ACCD_ACTION_COPYOUT;
    is_status(EXIT(context, item), ACCD_OK, "exit");
    for (int i = 0; i < CELLS; i++)
        must(!memcmp(&other_cells[i].p, &C[i].p, sizeof(cfi1)) && !memcmp(&other_cells[i].q, &C[i].q, sizeof(cfi1)),
             "descriptor %d of the host is as it was", i);
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    is_number(stats.objects + stats.attachments + dir->attached.ndescriptors, 0, "nothing is left");
    accd_program_release(program);
    free_descriptor_context(context, &meter);
}

/* Bounds that change while a group is pending; roots that stay when it goes. */
static void changing_groups(size_t least)
{
    struct meter meter;
    accd_region *region;
    for (int strict = 0; strict < 2; strict++) {
        accd_context *context = open_as(&meter, strict ? "tr14" : "openacc-3.3", least, ACCD_DESCRIPTOR_CFI, false);
        accd_program *program = cell_program(context, WHOLE), *only = cell_program(context, ONLY_Q);
        accd_item item = walked(ACCD_ACTION_COPYIN, C, sizeof C, program, NULL), part = item, leave = item, send = item;
        leave.action = ACCD_ACTION_DELETE;
        send.action = ACCD_ACTION_UPDATE_DEVICE;
        part.program = only;
        part.action = ACCD_ACTION_UPDATE_SELF;
        build_cells(NULL);
        is_status(ENTER(context, item), ACCD_OK, "enter, groups from %zu", least);
        C[7].q.dim[0].lower = 3;
        if (strict) {
            fails(context, ACCD_ERROR_POINTER_CHANGED, ENTER(context, item), "other bounds: enter");
            fails(context, ACCD_ERROR_POINTER_CHANGED, EXIT(context, leave), "exit");
            fails(context, ACCD_ERROR_POINTER_CHANGED, UPDATE(context, send), "update");
            fails(context, ACCD_ERROR_POINTER_CHANGED, UPDATE(context, part), "update of q alone");
            C[7].q.dim[0].lower = 1;
            is_status(EXIT(context, leave), ACCD_OK, "the old ones: exit");
            /* each on a group of its own that nothing has looked into */
            is_status(ENTER(context, item), ACCD_OK, "enter");
            C[7].q.dim[0].lower = 3;
            is_status(UPDATE(context, part), ACCD_ERROR_POINTER_CHANGED, "update of q alone");
            C[7].q.dim[0].lower = 1;
            is_status(EXIT(context, leave), ACCD_OK, "exit");
            is_status(REGION(context, &region, item), ACCD_OK, "region");
            C[7].q.dim[0].lower = 3;
            is_status(accd_region_end(region), ACCD_ERROR_POINTER_CHANGED, "its end");
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
            ok(cells_lead(context, true) && attach_count(context, &C[9].p) == 1 && attach_count(context, &C[9].q) == 2,
               "start anew");
            is_sound(context);
            is_status(FINALIZE(context, leave), ACCD_OK, "exit, finally");
            is_status(REGION(context, &region, item), ACCD_OK, "region");
            C[7].q.dim[0].lower = 9;
            is_status(accd_region_end(region), ACCD_OK, "ends with other bounds");
        }
        /* roots that are there before and after: they get the host's descriptors back */
        build_cells(NULL);
        is_status(ENTER(context, PLAIN(ACCD_ACTION_COPYIN, C)), ACCD_OK, "the elements alone");
        is_status(ENTER(context, item), ACCD_OK, "and what they lead to");
        if (!strict)
            C[3].p.dim[0].lower = 5;
        is_status(EXIT(context, leave), ACCD_OK, "exit");
        int wrong = 0;
        for (int i = 0; i < CELLS; i++)
            wrong += !as_host(context, &C[i].p, sizeof(cfi1)) || !as_host(context, &C[i].q, sizeof(cfi1));
        is_number(wrong, 0, "the elements that stay have the host's descriptors");
        is_sound(context);
        accd_program_release(program);
        accd_program_release(only);
        free_descriptor_context(context, &meter);
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
    is_status(ENTER(context, walked(ACCD_ACTION_COPYIN, C, sizeof C, plain, NULL)), ACCD_OK, "pointers");
    is_status(ENTER(context, walked(ACCD_ACTION_COPYIN, C, sizeof C, program, NULL)), ACCD_OK, "descriptors");
    accd_attachment attachment;
    ok(accd_attachment_at(context, 0, &C[2].p, &attachment) && attachment.slot_bytes == sizeof(cfi1),
       "are attached as such");
    is_sound(context);
    accd_program_release(plain);
    accd_program_release(program);
    free_descriptor_context(context, &meter);
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
    is_status(ENTER(context, BYTES(ACCD_ACTION_COPYIN, around.behind, 64)), ACCD_OK, "a neighbour");
    is_status(ENTER(context, walked(ACCD_ACTION_COPYIN, around.cells, sizeof C, program, NULL)), ACCD_OK, "a group");
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_DEVICE, around.behind, 64)), ACCD_OK, "update");
    is_number(context->envs[0].groups.npending_attach, 1, "the group is still pending");
    is_status(UPDATE(context, BYTES(ACCD_ACTION_UPDATE_DEVICE, (char *)&around.behind - 8, 8)), ACCD_OK,
              "the end of its last descriptor");
    is_number(context->envs[0].groups.npending_attach, 0, "is looked up");
    is_sound(context);
    accd_program_release(program);
    free_descriptor_context(context, &meter);
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
        return walked(action, B + from, (BOXES - from) * sizeof B[0], world->boxes[next_random(state) % 4 == 0],
                      world->box);
    }
    if (next_random(state) % 2) {
        from = next_random(state) % CELLS;
        n = 1 + next_random(state) % (CELLS - from);
    }
    unsigned which = next_random(state) % 6;
    static const int programs[] = {WHOLE, WHOLE, WHOLE, PIECES, ONLY_Q};
    accd_item item =
        walked(action, C + from, n * sizeof C[0], which < 5 ? world->programs[programs[which]] : NULL, world->label);
    item.start = (int64_t)from;
    return item;
}

static accd_status random_step(struct world *world, uint64_t *state)
{
    static const uint8_t entries[] = {ACCD_ACTION_COPYIN, ACCD_ACTION_COPYIN,  ACCD_ACTION_COPY,
                                      ACCD_ACTION_CREATE, ACCD_ACTION_COPYOUT, ACCD_ACTION_PRESENT};
    accd_context *context = world->context;
    struct cell *cell = &C[next_random(state) % CELLS];
    cfi1 *descriptor = next_random(state) % 2 ? &cell->p : &cell->q;
    uint64_t word;
    switch (next_random(state) % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
        return ENTER(context, some_cells(world, state, entries[next_random(state) % 6]));
    case 4:
    case 5:
    case 6:
        if (world->depth < 4) {
            accd_status status = REGION(context, &world->regions[world->depth],
                                        some_cells(world, state, entries[next_random(state) % 6]));
            world->depth += status == ACCD_OK;
            return status;
        } /* fall through */
    case 7:
    case 8:
        if (world->depth) {
            accd_status status = accd_region_end(world->regions[world->depth - 1]);
            world->depth -= status == ACCD_OK;
            return status;
        } /* fall through */
    case 9:
    case 10: {
        accd_item item = some_cells(world, state, next_random(state) % 3 ? ACCD_ACTION_COPYOUT : ACCD_ACTION_DELETE);
        return next_random(state) % 4 ? EXIT(context, item) : FINALIZE(context, item);
    }
    case 11:
    case 12:
        return UPDATE(
            context,
            some_cells(world, state, next_random(state) % 2 ? ACCD_ACTION_UPDATE_SELF : ACCD_ACTION_UPDATE_DEVICE));
    case 13:
        return next_random(state) % 2 ? attach(context, descriptor, 4 * (uint64_t)cell->n)
                                      : detach(context, descriptor, 0);
    case 14:
        if (next_random(state) % 3 == 0)
            (next_random(state) % 4 ? descriptor : &B[next_random(state) % BOXES].cells)->dim[0].lower++;
        return ACCD_OK;
    default:
        word = next_random(state);
        if (accd_device_address(context, 0, &cell->k))
            device_put(context, &cell->k, &word, 8);
        return ACCD_OK;
    }
}

static void random_run(struct story *log, uint64_t seed, const char *profile, bool reverse, size_t least)
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
        story_add(log, "%d %s %llx %llx\n", i, accd_status_code(status), (unsigned long long)asked,
                  (unsigned long long)hash);
        for (int k = 0; k < CELLS; k++) { /* what was never written may have come over them */
            int64_t lower[2] = {C[k].p.dim[0].lower, C[k].q.dim[0].lower};
            C[k].n = C[k].n < 0 || C[k].n > 4 ? 4 : C[k].n;
            point(&C[k].p, 1, values[k][0], lower[0], C[k].n);
            point(&C[k].q, 1, values[k][1], lower[1], C[k].n);
        }
        build_boxes();
        if (i % 8 == 7 && seed % 2) {
            const char *wrong = accd__check_invariants(world.context);
            must(!wrong, "%s, seed %llu, step %d: %s", profile, (unsigned long long)seed, i, wrong);
            write_state(world.context, log);
        }
    }
    const char *wrong = accd__check_invariants(world.context);
    must(!wrong, "%s, seed %llu: %s", profile, (unsigned long long)seed, wrong);
    write_state(world.context, log);
    while (world.depth)
        accd_region_abandon(world.regions[--world.depth]);
    for (int i = 0; i < 2; i++)
        accd_program_release(world.boxes[i]);
    for (int i = 0; i < 4; i++)
        accd_program_release(world.programs[i]);
    accd_context_free(world.context);
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
        printf("#   seed %llu\n#   one by one %.*s\n#   as groups  %.*s\n", (unsigned long long)seed,
               (int)strcspn(one.text + line_at, "\n"), one.text + line_at, (int)strcspn(groups.text + line_at, "\n"),
               groups.text + line_at);
    }
    ok(!failed, "%s%s: groups of descriptors and single ones do the same", profile, reverse ? ", reverse" : "");
    story_free(&one);
    story_free(&groups);
}

int main(int argc, char **argv)
{
    if (argc > 2) { /* seeds */
        for (int i = 0; i < 4; i++)
            at_random(documents[i % 2], i > 1, strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
        return done();
    }
    for (int i = 0; i < 3; i++) {
        bool groups = i < 2;
        for (size_t least = groups ? 1 : 1000; least <= 1000; least += 999)
            for (int which = WHOLE; which <= PIECES; which++) {
                elements(least, ACCD_ACTION_COPYIN, which, documents[i]);
                elements(least, ACCD_ACTION_CREATE, which, documents[i]);
            }
    }
    changing_groups(1);
    changing_groups(1000);
    plain_and_whole();
    neighbours();
    for (int i = 0; i < 4; i++)
        at_random(documents[i % 2], i > 1, 1, 60);
    story_free(&story);
    return done();
}
