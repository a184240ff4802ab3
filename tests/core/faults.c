/* Failure sweeps: in scripts of constructs every step is made to fail at every host allocation,
 * every device allocation and every copy: at the n-th alone, and at all from the n-th on. After a failure
 * nothing has changed, and the step then succeeds and ends as if it had never failed. */
#include "../cuda/standin.h"
#include "support.h"

#include <ops/ops.h>

enum { LEAVES = 6, STEPS_MOST = 16, LEVELS_MOST = 4 };

struct nest {
    int n;
    struct leaf *leaves;
};

static struct {
    struct leaf y[LEAVES];
    char behind[8];
} around_y;
#define Y around_y.y
static struct nest Z[2];
static float arrays[LEAVES][2][4];
static char raw[64];

struct cell { /* members of a derived type: descriptors, one with its type */
    int64_t n;
    cfi1 p;
    struct typed q;
};
static struct cell D[LEAVES];
static struct record base_type = {32, "base"}, extended = {32, "extended"};

struct world {
    struct meter meter;
    accd_context *context;
    accd_program *leaf, *nest, *cell, *block;
    const accd_label *y, *z, *d, *y_block;
    accd_region *regions[LEVELS_MOST];
    int depth;
    uint64_t dev;
    unsigned queue;
    accd_backend ops; /* of its device, with faults */
};

static accd_item deep_y(struct world *w, uint8_t action)
{
    return walked(action, Y, sizeof Y, w->leaf, w->y);
}
static accd_item deep_z(struct world *w, uint8_t action)
{
    return walked(action, Z, sizeof Z, w->nest, w->z);
}
static accd_status push(struct world *w, accd_item item, accd_item other)
{
    if (w->depth == LEVELS_MOST)
        return ACCD_MISUSE;
    accd_status status = REGION(w->context, &w->regions[w->depth], item, other);
    w->depth += status == ACCD_OK;
    return status;
}

static const accd_item nothing = {.action = ACCD_CREATE};

static accd_status enter_y(struct world *w)
{
    return ENTER(w->context, deep_y(w, ACCD_COPYIN));
}
static accd_status enter_z(struct world *w)
{
    return ENTER(w->context, deep_z(w, ACCD_COPYIN));
}
static accd_status copy_y(struct world *w)
{
    return push(w, deep_y(w, ACCD_COPY), nothing);
}
static accd_status create_y(struct world *w)
{
    return push(w, deep_y(w, ACCD_CREATE), nothing);
}
static accd_status present_y(struct world *w)
{
    return push(w, deep_y(w, ACCD_PRESENT), nothing);
}
static accd_status copy_z(struct world *w)
{
    return push(w, deep_z(w, ACCD_COPY), nothing);
}
static accd_status copy_z_and_more(struct world *w)
{
    return push(w, deep_z(w, ACCD_COPY), PLAIN(ACCD_COPYIN, raw));
}
static accd_status part_of_y(struct world *w) /* through pointers of two elements */
{
    return push(w, walked(ACCD_COPY, Y + 2, 2 * sizeof Y[0], w->leaf, w->y), nothing);
}
static accd_status shallow_y(struct world *w)
{
    return push(w, PLAIN(ACCD_COPY, Y), nothing);
}
static accd_status attach_one(struct world *w)
{
    return ENTER(w->context, BYTES(ACCD_COPYIN, arrays[1][0], 16),
                 (accd_item){.slot = &Y[1].a, .action = ACCD_ATTACH});
}
static accd_status detach_one(struct world *w)
{
    return EXIT(w->context, (accd_item){.slot = &Y[1].a, .action = ACCD_DETACH},
                BYTES(ACCD_DELETE, arrays[1][0], 16));
}
static accd_status attach_elsewhere(struct world *w)
{
    float *before = Y[1].a;
    Y[1].a = Y[2].b;
    accd_status status = ENTER(w->context, (accd_item){.slot = &Y[1].a, .action = ACCD_ATTACH});
    Y[1].a = before;
    return status;
}
static accd_status end(struct world *w)
{
    if (!w->depth)
        return ACCD_MISUSE;
    accd_status status = accd_region_end(w->regions[w->depth - 1]);
    w->depth -= status == ACCD_OK;
    return status;
}
static accd_status send(struct world *w)
{
    return UPDATE(w->context, deep_y(w, ACCD_UPDATE_DEVICE));
}
static accd_status fetch(struct world *w)
{
    return UPDATE(w->context, deep_y(w, ACCD_UPDATE_SELF));
}
static accd_status fetch_one(struct world *w)
{
    return UPDATE(w->context, walked(ACCD_UPDATE_SELF, Y + 1, sizeof Y[0], w->leaf, w->y),
                  BYTES(ACCD_UPDATE_DEVICE, arrays[2][0], 8));
}
static accd_status fetch_part(struct world *w)
{
    return UPDATE(w->context, walked(ACCD_UPDATE_SELF, Y + 2, sizeof Y[0], w->leaf, w->y),
                  BYTES(ACCD_UPDATE_DEVICE, Y + 4, 8));
}
static accd_status copyout_y(struct world *w)
{
    return EXIT(w->context, deep_y(w, ACCD_COPYOUT));
}
static accd_status delete_z(struct world *w)
{
    return EXIT(w->context, deep_z(w, ACCD_DELETE));
}
static accd_status finalize_y(struct world *w)
{
    return FINALIZE(w->context, deep_y(w, ACCD_COPYOUT));
}
static accd_status delete_shallow(struct world *w)
{
    return EXIT(w->context, PLAIN(ACCD_COPYOUT, Y));
}
static accd_status delete_arrays(struct world *w)
{
    return EXIT(w->context, BYTES(ACCD_DELETE, arrays[1][0], 4),
                BYTES(ACCD_DELETE, arrays[2][1], 8));
}
static accd_status enter_shallow(struct world *w)
{
    return ENTER(w->context, PLAIN(ACCD_COPYIN, Y));
}
static accd_status send_shallow(struct world *w)
{
    return UPDATE(w->context, PLAIN(ACCD_UPDATE_DEVICE, Y));
}
static accd_status delete_target(struct world *w)
{
    return EXIT(w->context, BYTES(ACCD_COPYOUT, arrays[1][0], 16));
}
static accd_status attach_pointer(struct world *w)
{
    return ENTER(w->context, (accd_item){.slot = &Y[1].a, .action = ACCD_ATTACH});
}
static accd_status finalize_sibling(struct world *w)
{
    return FINALIZE(w->context, ((accd_item){.slot = &Y[1].b, .action = ACCD_DETACH}));
}
static accd_status use_raw(struct world *w)
{
    return push(w, PLAIN(ACCD_COPY, raw), nothing);
}
static accd_status write_device(struct world *w)
{
    int n = 99;
    uint64_t at = accd_device_address(w->context, 0, (char *)&Y[2] + 4);
    return accd_device_write(w->context, 0, at, &n, sizeof n);
}
static accd_status allocate(struct world *w)
{
    return accd_device_alloc(w->context, 0, 64, &w->dev);
}
static accd_status map(struct world *w)
{
    return accd_map(w->context, 0, raw, w->dev, 64, NULL);
}
static accd_status unmap(struct world *w)
{
    return accd_unmap(w->context, 0, raw);
}
static accd_status release(struct world *w)
{
    return accd_device_free(w->context, 0, w->dev);
}
static accd_status to_device(struct world *w)
{
    return accd_to_device(w->context, 0, w->dev, arrays, 64);
}
static accd_status open_journal(struct world *w)
{
    return accd_journal_open(w->context, 0);
}
static accd_status close_journal(struct world *w)
{
    accd_journal_close(w->context, 0, 0);
    return ACCD_OK;
}

/* Bytes of an array, as a section of it. */
static accd_item part(uint8_t action, void *base, size_t from, size_t bytes, uint8_t flags)
{
    return (accd_item){.host = (char *)base + from,
                       .base = base,
                       .bytes = bytes,
                       .action = action,
                       .flags = flags};
}

static accd_status first_part(struct world *w)
{
    return push(w, part(ACCD_COPY, raw, 0, 16, 0), nothing);
}
static accd_status last_part(struct world *w)
{
    return push(w, part(ACCD_COPY, raw, 48, 16, 0), part(ACCD_COPYIN, arrays, 0, 16, 0));
}
static accd_status enter_first(struct world *w)
{
    return ENTER(w->context, part(ACCD_COPYIN, raw, 0, 16, 0));
}
static accd_status enter_middle(struct world *w)
{
    return ENTER(w->context, part(ACCD_COPYIN, raw, 24, 8, 0));
}
static accd_status exit_first(struct world *w)
{
    return EXIT(w->context, part(ACCD_COPYOUT, raw, 0, 16, 0));
}
static accd_status exit_middle(struct world *w)
{
    return EXIT(w->context, part(ACCD_COPYOUT, raw, 24, 8, 0));
}
static accd_status in_the_hole(struct world *w)
{
    return push(w, part(ACCD_COPY, raw + 40, 0, 4, 0), nothing);
}
static accd_status kept_part(struct world *w)
{
    return push(w, part(ACCD_COPYIN, raw, 8, 40, ACCD_ITEM_KEEP), nothing);
}
static accd_status refreshed_part(struct world *w)
{
    return push(w, part(ACCD_COPYIN, raw, 8, 40, ACCD_ITEM_REFRESH), nothing);
}
static accd_status enter_kept(struct world *w)
{
    return ENTER(w->context, part(ACCD_COPYIN, raw, 8, 40, ACCD_ITEM_KEEP));
}
static accd_status exit_kept(struct world *w)
{
    return EXIT(w->context, part(ACCD_DELETE, raw, 8, 40, 0));
}
static accd_status around_targets(struct world *w) /* of pointers that are attached */
{
    return push(w, part(ACCD_COPY, arrays, 0, sizeof arrays[0], 0),
                part(ACCD_COPY, arrays, 4 * sizeof arrays[0], sizeof arrays[0], 0));
}
static accd_status refreshed_pointers(struct world *w)
{
    return push(w, part(ACCD_COPYIN, Y, 0, sizeof Y + 1, ACCD_ITEM_REFRESH), nothing);
}

/* Storage for members, and members of an aggregate that is not mapped itself. */
static accd_status hold_raw(struct world *w)
{
    return push(w, PLAIN(ACCD_HOLD, raw), nothing);
}
static accd_status enter_hold(struct world *w)
{
    return ENTER(w->context, PLAIN(ACCD_HOLD, raw), part(ACCD_COPYIN, raw, 8, 16, 0));
}
static accd_status exit_hold(struct world *w)
{
    return EXIT(w->context, part(ACCD_COPYOUT, raw, 8, 16, 0), PLAIN(ACCD_HOLD, raw));
}
static accd_item framed(uint8_t action, const void *host, size_t bytes)
{
    return (accd_item){.host = host, .bytes = bytes, .frame = &Y[3], .room = sizeof Y[3], .action = action};
}
static accd_status copy_members(struct world *w) /* and what one of them leads to */
{
    return push(w, framed(ACCD_COPY, &Y[3].n, sizeof Y[3].n),
                (accd_item){.host = arrays[3][1], .bytes = 12, .slot = &Y[3].b, .action = ACCD_COPYIN});
}
static accd_status enter_members(struct world *w)
{
    return ENTER(w->context, framed(ACCD_COPYIN, &Y[3].n, sizeof Y[3].n),
                 framed(ACCD_COPYIN, &Y[3].b, sizeof Y[3].b));
}
static accd_status enter_member(struct world *w)
{
    return ENTER(w->context, framed(ACCD_COPYIN, &Y[3].a, sizeof Y[3].a));
}
static accd_status exit_members(struct world *w)
{
    return EXIT(w->context, framed(ACCD_COPYOUT, &Y[3].n, sizeof Y[3].n),
                framed(ACCD_DELETE, &Y[3].b, sizeof Y[3].b));
}

/* OpenMP: modifiers, a block of members with a hole, pointers as bases. */
static accd_status marked(struct world *w, accd_kind kind, uint8_t action, unsigned flags)
{
    accd_item item = deep_y(w, action);
    item.flags = (uint16_t)flags;
    if (kind == ACCD_REGION)
        return push(w, item, nothing);
    return CONSTRUCT(w->context, kind, NULL, item);
}
static accd_status always_y(struct world *w)
{
    return marked(w, ACCD_REGION, ACCD_COPY,
                  ACCD_ITEM_ALWAYS_IN | ACCD_ITEM_ALWAYS_OUT | ACCD_ITEM_MUST);
}
static accd_status always_exit_y(struct world *w)
{
    return marked(w, ACCD_EXIT_DATA, ACCD_COPYOUT, ACCD_ITEM_ALWAYS_OUT);
}
static accd_status final_y(struct world *w)
{
    return marked(w, ACCD_EXIT_DATA, ACCD_COPYOUT, ACCD_ITEM_FINAL);
}
static accd_status map_block(struct world *w) /* n and b of one element, and a section of a */
{
    accd_item block = walked(ACCD_CREATE, &Y[1], sizeof Y[1], w->block, w->y_block);
    return push(w, block,
                (accd_item){.host = arrays[1][0], .bytes = 8, .slot = &Y[1].a, .action = ACCD_COPY});
}
static accd_status map_base(struct world *w)
{
    return push(w, PLAIN(ACCD_COPY, Y), nothing);
}
static accd_status map_target(struct world *w) /* the second one has no elements */
{
    return push(w, (accd_item){.host = arrays[1][0], .bytes = 16, .slot = &Y[1].a, .action = ACCD_COPY},
                (accd_item){.host = arrays[2][0], .slot = &Y[2].a, .action = ACCD_CREATE});
}
static accd_status enter_target(struct world *w)
{
    return ENTER(w->context, (accd_item){.host = arrays[1][0],
                                         .bytes = 16,
                                         .slot = &Y[1].a,
                                         .action = ACCD_COPYIN});
}
static accd_status final_target(struct world *w)
{
    return EXIT(w->context, (accd_item){.host = arrays[1][0],
                                        .bytes = 16,
                                        .action = ACCD_COPYOUT,
                                        .flags = ACCD_ITEM_FINAL});
}
static accd_status two_targets(struct world *w) /* of one pointer */
{
    return push(w,
                (accd_item){.host = arrays[1][0] + 2, .bytes = 8, .slot = &Y[1].a, .action = ACCD_COPY},
                (accd_item){.host = arrays[1][0], .bytes = 8, .slot = &Y[1].a, .action = ACCD_COPY});
}

/* Descriptors: of a group's sections, and of one variable with its type. */
static accd_item deep_d(struct world *w, uint8_t action)
{
    return walked(action, D, sizeof D, w->cell, w->d);
}
static accd_status enter_d(struct world *w)
{
    return ENTER(w->context, deep_d(w, ACCD_COPYIN));
}
static accd_status copy_d(struct world *w)
{
    return push(w, deep_d(w, ACCD_COPY), nothing);
}
static accd_status send_d(struct world *w)
{
    return UPDATE(w->context, deep_d(w, ACCD_UPDATE_DEVICE));
}
static accd_status fetch_d(struct world *w)
{
    return UPDATE(w->context, deep_d(w, ACCD_UPDATE_SELF));
}
static accd_status copyout_d(struct world *w)
{
    return EXIT(w->context, deep_d(w, ACCD_COPYOUT));
}
static accd_status finalize_d(struct world *w)
{
    return FINALIZE(w->context, deep_d(w, ACCD_COPYOUT));
}
static accd_status enter_shallow_d(struct world *w)
{
    return ENTER(w->context, PLAIN(ACCD_COPYIN, D), PLAIN(ACCD_COPYIN, arrays));
}
static accd_status delete_shallow_d(struct world *w)
{
    return EXIT(w->context, PLAIN(ACCD_COPYOUT, D), PLAIN(ACCD_DELETE, arrays));
}
static accd_status part_of_d(struct world *w) /* from inside a descriptor: the group is looked into */
{
    return UPDATE(w->context, BYTES(ACCD_UPDATE_DEVICE, (char *)&D[2].p + 16, sizeof D[0]));
}
static accd_status other_bounds(struct world *w) /* on the host only */
{
    (void)w;
    D[2].p.dim[0].lower++;
    D[1].q.head.dim[0].lower++;
    return ACCD_OK;
}
static accd_status other_type(struct world *w)
{
    (void)w;
    D[1].q.type = D[1].q.type ? NULL : &extended;
    return ACCD_OK;
}
static accd_status attach_p(struct world *w)
{
    return accd_attach_descriptor(w->context, 0, &D[2].p, D[2].p.base, 0, 16, NULL, 0);
}
static accd_status detach_p(struct world *w)
{
    return accd_detach_descriptor(w->context, 0, &D[2].p, 0, NULL, 0);
}
static accd_status attach_q(struct world *w)
{
    return accd_attach_descriptor(w->context, 0, &D[1].q, D[1].q.head.base, 0, 16, NULL, 0);
}
static accd_status detach_q(struct world *w)
{
    return accd_detach_descriptor(w->context, 0, &D[1].q, 0, NULL, 0);
}
static accd_status finalize_q(struct world *w)
{
    return accd_detach_descriptor(w->context, 0, &D[1].q, 1, NULL, 0);
}
static accd_status attach_q_too(struct world *w) /* another one of the type */
{
    return accd_attach_descriptor(w->context, 0, &D[3].q, D[3].q.head.base, 0, 16, NULL, 0);
}
static accd_status detach_q_too(struct world *w)
{
    return accd_detach_descriptor(w->context, 0, &D[3].q, 0, NULL, 0);
}

static accd_status clause_q(struct world *w) /* as it is now, by a clause that knows of no types */
{
    return ENTER(w->context, (accd_item){.slot = &D[1].q, .slot_bytes = sizeof D[1].q,
                                         .action = ACCD_ATTACH});
}
static accd_status null_q(struct world *w)
{
    void *before = D[1].q.head.base;
    D[1].q.head.base = NULL;
    accd_status status = clause_q(w);
    D[1].q.head.base = before;
    return status;
}
static accd_status shallow_d(struct world *w)
{
    return push(w, PLAIN(ACCD_COPY, D), PLAIN(ACCD_COPYIN, arrays));
}
static accd_status delete_shallow_d_only(struct world *w)
{
    return EXIT(w->context, PLAIN(ACCD_COPYOUT, D));
}

/* Sections with gaps: columns 0 and 2 of the arrays, and every other element with its pointers. */
static const accd_dim halves[] = {{LEAVES, sizeof arrays[0]}, {2, sizeof arrays[0] / 4}},
                      odd[] = {{LEAVES / 2, 2 * sizeof Y[0]}};
static accd_item half_of_arrays(uint8_t action)
{
    return (accd_item){.host = arrays, .bytes = sizeof arrays, .dims = halves, .ndims = 2, .run = 8,
                       .action = action};
}
static accd_status copy_half(struct world *w)
{
    return push(w, half_of_arrays(ACCD_COPY), nothing);
}
static accd_status fetch_half(struct world *w)
{
    return UPDATE(w->context, half_of_arrays(ACCD_UPDATE_SELF));
}
static accd_status copy_odd_y(struct world *w)
{
    accd_item item = deep_y(w, ACCD_COPY);
    item.dims = odd;
    item.ndims = 1;
    item.run = sizeof Y[0];
    return push(w, item, nothing);
}

/* What a queue does later: at the wait. */
static accd_status open_queue(struct world *w)
{
    w->context->config.queues = ACCD_QUEUES_DELAYED;
    return accd_queue(w->context, 0, 1, &w->queue);
}
static accd_status ask(struct world *w, accd_kind kind, accd_item item, accd_region **region_p)
{
    return accd_run(w->context,
                    &(accd_construct){.kind = kind, .name = "data", .items = &item, .nitems = 1, .queue = w->queue},
                    region_p);
}
static accd_status enter_y_later(struct world *w)
{
    return ask(w, ACCD_ENTER_DATA, deep_y(w, ACCD_COPYIN), NULL);
}
static accd_status send_later(struct world *w)
{
    return ask(w, ACCD_UPDATE, deep_y(w, ACCD_UPDATE_DEVICE), NULL);
}
static accd_status fetch_later(struct world *w)
{
    return ask(w, ACCD_UPDATE, deep_y(w, ACCD_UPDATE_SELF), NULL);
}
static accd_status copy_z_later(struct world *w)
{
    if (w->depth == LEVELS_MOST)
        return ACCD_MISUSE;
    accd_status status = ask(w, ACCD_REGION, deep_z(w, ACCD_COPY), &w->regions[w->depth]);
    w->depth += status == ACCD_OK;
    return status;
}
static accd_status copyout_y_later(struct world *w)
{
    return ask(w, ACCD_EXIT_DATA, deep_y(w, ACCD_COPYOUT), NULL);
}
static accd_status enter_first_later(struct world *w)
{
    return ask(w, ACCD_ENTER_DATA, part(ACCD_COPYIN, raw, 0, 16, 0), NULL);
}
static accd_status exit_middle_later(struct world *w)
{
    return ask(w, ACCD_EXIT_DATA, part(ACCD_COPYOUT, raw, 24, 8, 0), NULL);
}
static accd_status copy_later(struct world *w)
{
    const uint64_t dev = accd_device_address(w->context, 0, raw);
    return accd_copy_async(w->context, 0, w->queue, ACCD_TO_DEVICE, dev, (uintptr_t)arrays, dev ? 4 : 0, "faults.c", 1);
}
static int run_nothing(void *ud, accd_call call)
{
    (void)ud, (void)call;
    return 0;
}
static accd_status call_later(struct world *w)
{
    return accd_queue_call(w->context, 0, w->queue, run_nothing, NULL);
}
static accd_status wait_all(struct world *w)
{
    return accd_queue_wait(w->context, 0, 0);
}

/* A construct that fails gives its level up. */
static accd_status give_up(struct world *w)
{
    if (!w->depth)
        return ACCD_MISUSE;
    accd_status status = accd_region_abandon(w->regions[w->depth - 1]);
    w->depth -= status == ACCD_OK;
    return status;
}

typedef accd_status step(struct world *w);

static void open_world(struct world *w, const char *rules, size_t least)
{
    *w = (struct world){0};
    memset(Y, 0, sizeof Y);
    memset(Z, 0, sizeof Z);
    for (int i = 0; i < LEAVES; i++) {
        Y[i].n = i % 4;
        Y[i].a = arrays[i][0];
        Y[i].b = arrays[i][1];
        for (int k = 0; k < 8; k++)
            arrays[i][k / 4][k % 4] = (float)(10 * i + k);
    }
    for (int i = 0; i < LEAVES; i++) {
        D[i].n = 4;
        point(&D[i].p, 1, arrays[i][0], 1, 4);
        D[i].p.type = 1; /* Flang's: no addendum */
        point_typed(&D[i].q, arrays[i][1], 1, &base_type);
    }
    Z[0].n = 2;
    Z[0].leaves = Y;
    Z[1].n = 3;
    Z[1].leaves = Y + 3;
    w->context = open_with(&w->meter, NULL, rules, least);
    w->leaf = leaf_program(w->context);
    accd_field field = {.offset = offsetof(struct nest, leaves),
                        .unit = sizeof(struct leaf),
                        .start = -1,
                        .code_end = 1,
                        .child = w->leaf};
    w->nest = program_of(
        w->context,
        &(accd_program_spec){.stride = sizeof(struct nest),
                             .fields = &field,
                             .nfields = 1,
                             .npieces = 1,
                             .registers = 1,
                             .pieces = &(accd_piece){.bytes = sizeof(struct nest)},
                             .code = &(accd_instruction){.op = ACCD_I_LOAD, .b = ACCD_I32},
                             .ncode = 1});
    w->context->config.descriptors = ACCD_DESCRIPTOR_FLANG;
    const accd_field fields[] = {{.offset = offsetof(struct cell, p),
                                  .unit = 4,
                                  .start = -1,
                                  .slot_bytes = sizeof(cfi1),
                                  .code_end = 1},
                                 {.offset = offsetof(struct cell, q),
                                  .unit = 4,
                                  .start = -1,
                                  .slot_bytes = sizeof(struct typed),
                                  .code_end = 1}};
    w->cell = program_of(
        w->context,
        &(accd_program_spec){.stride = sizeof(struct cell),
                             .fields = fields,
                             .nfields = 2,
                             .npieces = 1,
                             .registers = 1,
                             .pieces = &(accd_piece){.bytes = sizeof(struct cell)},
                             .code = &(accd_instruction){.op = ACCD_I_LOAD, .b = ACCD_I64},
                             .ncode = 1});
    w->block = program_of(
        w->context,
        &(accd_program_spec){
            .stride = sizeof(struct leaf),
            .pieces = (const accd_piece[]){{.bytes = 4, .action = ACCD_COPY},
                                           {.offset = 16, .bytes = 8, .action = ACCD_CREATE}},
            .npieces = 2,
            .excluded = &(accd_member){.offset = 4, .bytes = 12},
            .nexcluded = 1});
    w->y_block = array(w->context, "Y", sizeof(struct leaf), w->block);
    w->d = array(w->context, "D", sizeof(struct cell), w->cell);
    w->y = array(w->context, "Y", sizeof(struct leaf), w->leaf);
    w->z = array(w->context, "Z", sizeof(struct nest), w->nest);
}

static void close_world(struct world *w)
{
    accd_program_release(w->leaf);
    accd_program_release(w->nest);
    accd_program_release(w->cell);
    accd_program_release(w->block);
    accd_context_close(w->context);
    must(!w->meter.live && !w->meter.blocks && !w->meter.wrong, "nothing leaks");
}

static uint64_t host_hash(void)
{
    uint64_t hash = mix_bytes(mix_bytes(7, Y, sizeof Y), D, sizeof D);
    return mix_bytes(mix_bytes(mix_bytes(hash, Z, sizeof Z), arrays, sizeof arrays), raw, sizeof raw);
}

enum fault {
    HOST_MEMORY, HOST_MEMORY_ENDS, DEVICE_MEMORY, DEVICE_MEMORY_ENDS, COPY, COPIES_END, DRIVER_CALL, FAULTS
};
static const struct {
    const char *name;
    accd_status status;
} faults[FAULTS] = {
    {"host allocation", ACCD_OUT_OF_MEMORY},
    {"end of host memory", ACCD_OUT_OF_MEMORY},
    {"device allocation", ACCD_OUT_OF_DEVICE_MEMORY},
    {"end of device memory", ACCD_OUT_OF_DEVICE_MEMORY},
    {"copy", ACCD_DEVICE_ERROR},
    {"end of copies", ACCD_DEVICE_ERROR},
    {"driver call", ACCD_DEVICE_ERROR},
};
/* Where the driver is our stand-in, each of its calls fails once, too. */
static standin_fail_fn *fail_call;
static standin_pending_fn *call_pending;

/* A device whose allocations, or batches of copies, all fail from the n-th on. */
static const accd_backend *sound;
static uint64_t allocations_left, batches_left; /* and one; 0: none fails */

static bool is_over(uint64_t *left)
{
    *left -= *left > 1;
    return *left == 1;
}
static accd_status ending_alloc(void *device, uint64_t bytes, uint64_t *dev_p)
{
    return is_over(&allocations_left) ? ACCD_OUT_OF_DEVICE_MEMORY : sound->alloc(device, bytes, dev_p);
}
static accd_status ending_begin(void *device, const struct accd_traffic *traffic)
{
    return is_over(&batches_left) ? ACCD_DEVICE_ERROR : sound->begin(device, traffic);
}

static void arm(struct world *w, enum fault fault, uint64_t n)
{
    struct accd_device *device = &w->context->dirs[0].device;
    w->meter.fails_on = fault == HOST_MEMORY_ENDS;
    if (fault == HOST_MEMORY || fault == HOST_MEMORY_ENDS) {
        w->meter.fail_at = n;
    } else if (fault == DEVICE_MEMORY) {
        accd_fail_allocation(w->context, 0, n);
    } else if (fault == COPY) {
        accd_fail_copy(w->context, 0, n);
    } else if (fault == DRIVER_CALL) {
        fail_call("*", n, 0);
    } else if (n) {
        sound = device->ops;
        w->ops = *sound;
        w->ops.alloc = ending_alloc;
        w->ops.begin = ending_begin;
        *(fault == COPIES_END ? &batches_left : &allocations_left) = n + 1;
        device->ops = &w->ops;
    } else {
        device->ops = sound;
        allocations_left = batches_left = 0;
    }
}

/* Looking at what is present changes what is pending: a fault is tried without it, and with it at two places. */
enum look { NEVER, BEFORE, AFTER, LOOKS };

/* One step with one fault; states: before and after each step. Returns false when the fault was not reached any
 * more. */
static bool try_fault(const char *title, const char *rules, size_t least, step *const *steps, int at,
                      enum fault fault, uint64_t n, enum look look, const struct story *states)
{
    struct world w;
    struct story state = {0};
    accd_stats before, after;
    char place[800];
    snprintf(place, sizeof place, "%s, groups from %zu: step %d, %s %d, look %d", title, least, at, faults[fault].name,
             (int)n, look);
    open_world(&w, rules, least);
    for (int i = 0; i < at; i++)
        must(steps[i](&w) == ACCD_OK, "%s: step %d", title, i);
    uint64_t digest = look == BEFORE ? accd_digest(w.context) : 0;
    accd_get_stats(w.context, 0, &before);
    uint64_t host = host_hash();
    arm(&w, fault, n);
    accd_status status = steps[at](&w);
    bool reached = fault <= HOST_MEMORY_ENDS ? w.meter.failed
                   : fault == DRIVER_CALL    ? !call_pending()
                                             : status != ACCD_OK;
    arm(&w, fault, 0);
    bool lost = false, torn = false; /* only what the driver does can be */
    if (status != ACCD_OK) {
        bool refused = fault == DRIVER_CALL && status == ACCD_OUT_OF_DEVICE_MEMORY;
        const char *message = accd_context_error(w.context)->message;
        must(fault != DRIVER_CALL || strstr(message, "CUDA_ERROR_"), "%s: the driver's name for it", place);
        lost = strstr(message, "lost the device") != NULL;
        torn = lost || strstr(message, "a part of it may have arrived");
        must(refused || status == faults[fault].status, "%s: %s", place, accd_status_code(status));
        must(host_hash() == host, "%s: the host is unchanged", place);
        accd_get_stats(w.context, 0, &after);
        must(before.live_bytes == after.live_bytes && before.objects == after.objects &&
                 before.live_allocations == after.live_allocations &&
                 before.attachments == after.attachments,
             "%s: figures", place);
        if (look == BEFORE && !torn)
            must(accd_digest(w.context) == digest, "%s: the state is unchanged", place);
        if (look == AFTER && !torn) {
            write_state(w.context, &state);
            must(!strcmp(state.text, states[at].text), "%s: the state is as before", place);
        }
        if (look != NEVER) {
            const char *wrong = accd_check(w.context);
            must(!wrong, "%s: %s", place, wrong);
        }
        status = steps[at](&w);
        must(status == (lost ? ACCD_DEVICE_ERROR : ACCD_OK), "%s, then: %s", place,
             accd_context_error(w.context)->message);
    }
    uint64_t dev = 0;
    if (fault == DRIVER_CALL) { /* undoing a kernel may lose the device, and tells nobody at once */
        lost = lost || accd_device_alloc(w.context, 0, 16, &dev) == ACCD_DEVICE_ERROR;
        accd_device_free(w.context, 0, dev);
        status = lost ? ACCD_DEVICE_ERROR : status;
    }
    if (status == ACCD_OK && (look != NEVER || n % 3)) { /* otherwise go on with what is pending */
        const char *wrong = accd_check(w.context);
        must(!wrong, "%s: afterwards: %s", place, wrong);
        story_clear(&state);
        write_state(w.context, &state);
        must(!strcmp(state.text, states[at + 1].text), "%s: it ends as it should", place);
    }
    for (int i = at + 1; status == ACCD_OK && steps[i]; i++)
        must(steps[i](&w) == ACCD_OK, "%s: later step %d", place, i);
    const char *wrong = lost ? NULL : accd_check(w.context); /* which asks the device what groups hold */
    must(!wrong, "%s: at the end: %s", place, wrong);
    while (w.depth)
        accd_region_abandon(w.regions[--w.depth]);
    close_world(&w);
    story_free(&state);
    return reached;
}

/* Returns how many faults were tried. */
static uint64_t sweep_one(const char *title, const char *rules, size_t least, step *const *steps)
{
    struct story states[STEPS_MOST + 1] = {{0}};
    struct world w;
    const int failed = tap_failed;
    uint64_t tried = 0;
    for (int last = 0; !last || steps[last - 1]; last++) { /* the state before and after each step, undisturbed */
        open_world(&w, rules, least);
        for (int i = 0; i < last; i++) {
            accd_status status = steps[i](&w);
            must(status == ACCD_OK, "%s: step %d: %s", title, i,
                 accd_context_error(w.context)->message);
        }
        story_clear(&states[last]);
        write_state(w.context, &states[last]);
        close_world(&w);
    }
    for (int at = 0; steps[at]; at++)
        for (int fault = 0; fault < (fail_call ? FAULTS : DRIVER_CALL); fault++) {
            if (fail_call && (fault == DEVICE_MEMORY_ENDS || fault == COPIES_END))
                continue; /* the driver's calls tell more */
            /* a wait gives up what fails, and a level that is given up cares for no device */
            bool reached = steps[at] != wait_all && (steps[at] != give_up || fault <= HOST_MEMORY_ENDS);
            for (uint64_t n = 1; reached && n < 200; n++) {
                reached = false;
                for (int look = 0; look < LOOKS && tap_failed < failed + 5; look++)
                    if (!fail_call || n % LOOKS == (unsigned)look) { /* a driver of our own is slow */
                        reached |= try_fault(title, rules, least, steps, at, (enum fault)fault, n, (enum look)look,
                                             states);
                        tried++;
                    }
            }
        }
    for (int i = 0; i <= STEPS_MOST; i++)
        story_free(&states[i]);
    return tried;
}

static void sweep(const char *title, const char *rules, step *const *steps)
{
    for (size_t least = 1; least <= 1000; least += 999) {
        const int failed = tap_failed;
        const uint64_t tried = sweep_one(title, rules, least, steps);
        ok(tap_failed == failed && tried >= 3, "%s, groups from %zu: %llu faults", title, least,
           (unsigned long long)tried);
    }
}

/* ------------------------------------------------------------------------------ random scripts -- */

static const struct any {
    step *step;
    const char *name;
} any[] = {
#define ANY(step) {step, #step}
    ANY(enter_y), ANY(enter_z), ANY(copy_y), ANY(create_y), ANY(present_y), ANY(copy_z), ANY(copy_z_and_more),
    ANY(part_of_y), ANY(shallow_y), ANY(attach_one), ANY(detach_one), ANY(attach_elsewhere), ANY(end), ANY(send),
    ANY(fetch), ANY(fetch_one), ANY(fetch_part), ANY(copyout_y), ANY(delete_z), ANY(finalize_y), ANY(delete_shallow),
    ANY(delete_arrays), ANY(enter_shallow), ANY(send_shallow), ANY(delete_target), ANY(attach_pointer),
    ANY(finalize_sibling), ANY(use_raw), ANY(write_device), ANY(allocate), ANY(map), ANY(unmap), ANY(release),
    ANY(first_part), ANY(last_part), ANY(enter_first), ANY(enter_middle), ANY(exit_first), ANY(exit_middle),
    ANY(in_the_hole), ANY(hold_raw), ANY(enter_hold), ANY(exit_hold), ANY(kept_part), ANY(refreshed_part), ANY(enter_kept), ANY(exit_kept), ANY(around_targets),
    ANY(refreshed_pointers), ANY(always_y), ANY(always_exit_y), ANY(final_y), ANY(map_block), ANY(map_base),
    ANY(map_target), ANY(enter_target), ANY(copy_members), ANY(enter_members), ANY(enter_member), ANY(exit_members), ANY(final_target), ANY(two_targets), ANY(enter_d), ANY(copy_d), ANY(send_d),
    ANY(fetch_d), ANY(copyout_d), ANY(finalize_d), ANY(enter_shallow_d), ANY(delete_shallow_d), ANY(part_of_d),
    ANY(other_bounds), ANY(other_type), ANY(attach_p), ANY(detach_p), ANY(attach_q), ANY(detach_q), ANY(finalize_q),
    ANY(attach_q_too), ANY(detach_q_too), ANY(clause_q), ANY(null_q), ANY(shallow_d), ANY(delete_shallow_d_only),
    ANY(copy_half), ANY(fetch_half), ANY(copy_odd_y), ANY(open_queue), ANY(enter_y_later), ANY(send_later),
    ANY(fetch_later), ANY(copy_z_later), ANY(copyout_y_later), ANY(enter_first_later), ANY(exit_middle_later), ANY(copy_later), ANY(call_later),
    ANY(wait_all), ANY(give_up),
};

/* Whether pointers and counts on the host are those of the beginning: some rules bring others back from the device. */
static bool is_walkable(void)
{
    bool sane = Z[0].n == 2 && Z[1].n == 3 && Z[0].leaves == Y && Z[1].leaves == Y + 3;
    for (int i = 0; i < LEAVES; i++)
        sane = sane && Y[i].n == i % 4 && Y[i].a == arrays[i][0] && Y[i].b == arrays[i][1] && D[i].n == 4 &&
               D[i].p.base == arrays[i][0] && D[i].q.head.base == arrays[i][1] &&
               (!D[i].q.type || D[i].q.type == &base_type || D[i].q.type == &extended);
    return sane;
}

/* Some of the steps that succeed one after the other; several of them from one neighbourhood, so that they meet. */
static void sweep_random(uint64_t seed, const char *rules, size_t least)
{
    enum { ALL = sizeof any / sizeof any[0], NEAR = 12 };
    step *steps[STEPS_MOST] = {NULL};
    struct world w;
    char title[600];
    size_t n = 0, length = (size_t)snprintf(title, sizeof title, "script %llu, %s:", (unsigned long long)seed, rules);
    const int failed = tap_failed;
    uint64_t random = seed * 7919 + 17;
    const size_t near = next_random(&random) % ALL;
    open_world(&w, rules, least);
    for (int tries = 0; tries < 24 && n < 9 && is_walkable(); tries++) {
        const size_t which = next_random(&random) % 3 ? near + next_random(&random) % NEAR : next_random(&random);
        const struct any *next = &any[which % ALL];
        const uint64_t digest = accd_digest(w.context);
        if (next->step(&w) != ACCD_OK) {
            must(accd_digest(w.context) == digest, "%s %s: what is wrong changes nothing", title, next->name);
            continue;
        }
        steps[n++] = next->step;
        length += (size_t)snprintf(title + length, sizeof title - length, " %s", next->name);
    }
    while (w.depth)
        accd_region_abandon(w.regions[--w.depth]);
    close_world(&w);
    sweep_one(title, rules, least, steps);
    if (tap_failed != failed)
        printf("# %s\n", title);
}

static void random_scripts(void)
{
    static const char *const profiles[] = {"tr14", "openacc-3.3", "directory", "openmp-5.1", "libgomp-12", "openmp-4.0",
                                           "openacc-2.0"};
    const char *text = getenv("ACCDEEP_ROUNDS");
    const uint64_t rounds = text ? strtoull(text, NULL, 10) : 60;
    const char *begin = getenv("ACCDEEP_SEED");
    const uint64_t first = begin ? strtoull(begin, NULL, 10) : 0;
    const int failed = tap_failed;
    for (uint64_t seed = first; seed < first + rounds && tap_failed < failed + 20; seed++)
        sweep_random(seed, profiles[seed % 7], seed % 4 < 2 ? 1 : 1000);
    ok(tap_failed == failed, "%llu random scripts", (unsigned long long)rounds);
}

/* A level that could not be given up goes with the one around it. */
static void given_up(void)
{
    struct world w;
    accd_level level;
    open_world(&w, "tr14", 1);
    must(use_raw(&w) == ACCD_OK && copy_y(&w) == ACCD_OK, "two levels");
    arm(&w, HOST_MEMORY_ENDS, 1);
    is_status(accd_region_abandon(w.regions[1]), ACCD_OUT_OF_MEMORY, "no memory to give the inner one up");
    arm(&w, HOST_MEMORY_ENDS, 0);
    ok(accd_level_at(w.context, 0, 1, &level) && present_count(w.context, Y, 1, 0), "it stays");
    is_sound(w.context);
    is_status(accd_region_end(w.regions[0]), ACCD_OK, "the level around it ends");
    ok(!accd_level_at(w.context, 0, 0, &level) && present_count(w.context, Y, 0, 0), "and nothing is left");
    is_sound(w.context);
    close_world(&w);
}

#define SCRIPT(...) ((step *const[]){__VA_ARGS__, NULL})

/* Contexts, labels, programs and known host memory. */
static void making_things(void)
{
    int failed = tap_failed;
    size_t n = 1;
    for (bool done = false; !done && n < 1000; n++) {
        struct meter meter = {.fail_at = n};
        accd_context_config config;
        init_config(&config);
        config.alloc = meter_alloc;
        config.alloc_ud = &meter;
        config.devices = 3;
        accd_context *context = NULL;
        accd_status status = accd_context_open(&context, &config);
        done = status == ACCD_OK;
        must(done == (meter.fail_at != 0) && (done || status == ACCD_OUT_OF_MEMORY), "open");
        if (done) {
            for (size_t k = 1;; k++) {
                meter.fail_at = k;
                const accd_label *label = member(context, "a", 4, NULL);
                accd_program *program = NULL;
                accd_field field = {.unit = 4, .start = -1, .label = label};
                if (label)
                    accd_program_new(context,
                                     &(accd_program_spec){
                                         .stride = 8,
                                         .fields = &field,
                                         .nfields = 1,
                                         .npieces = 1,
                                         .ncode = 1,
                                         .registers = 1,
                                         .pieces = &(accd_piece){.bytes = 8},
                                         .code = &(accd_instruction){.op = ACCD_I_CONST, .k = 2}},
                                     &program);
                accd_status known =
                    program ? accd_host_add(context, (char *)raw + k, 1, NULL) : ACCD_OUT_OF_MEMORY;
                bool all = meter.fail_at != 0;
                meter.fail_at = 0;
                must(all ? known == ACCD_OK
                         : accd_context_error(context)->status == ACCD_OUT_OF_MEMORY,
                     "made or told");
                accd_program_release(program);
                if (all)
                    break;
            }
            accd_host_range range;
            must(!accd_host_at(context, raw, &range), "nothing half made is left");
        }
        accd_context_close(context);
        must(!meter.live && !meter.wrong, "fault %zu leaks", n);
    }
    ok(tap_failed == failed && n > 4, "opening and making, %zu faults", n - 1);
}

int main(void)
{
    if (getenv("ACCDEEP_TEST_BACKEND")) {
        standin_find("standin_fail", &fail_call);
        standin_find("standin_pending", &call_pending);
    }
    making_things();
    sweep("enter, update, exit", "tr14",
          SCRIPT(enter_y, send, copy_y, write_device, fetch, end, fetch_one, copyout_y));
    sweep("enter twice, finalize", "tr14",
          SCRIPT(enter_y, enter_y, present_y, part_of_y, end, end, finalize_y));
    sweep("one looked at between entry and exit", "tr14",
          SCRIPT(enter_y, fetch_one, send, copy_y, fetch_one, end, fetch_one, fetch, copyout_y));
    sweep("one looked at before the end", "tr14", SCRIPT(copy_y, fetch_one, end, copy_y, fetch_one, end));
    sweep("one looked at, and a journal", "tr14", SCRIPT(enter_y, fetch_one, open_journal, send, close_journal, copyout_y));
    sweep("regions", "tr14", SCRIPT(create_y, present_y, end, write_device, copy_y, end, end));
    sweep("nested programs", "tr14",
          SCRIPT(copy_z, copy_z, end, end, enter_z, copy_z, delete_z, end));
    sweep("nested programs and others", "tr14", SCRIPT(copy_z_and_more, copy_z, end, end));
    sweep("parts", "tr14", SCRIPT(shallow_y, part_of_y, fetch_part, end, end, part_of_y, end));
    sweep("attach, detach", "tr14",
          SCRIPT(shallow_y, attach_one, attach_one, detach_one, detach_one, part_of_y, end, end));
    sweep("force", "openacc-3.3",
          SCRIPT(enter_y, attach_elsewhere, delete_shallow, enter_y, delete_arrays, finalize_y));
    sweep("force with regions", "openacc-3.3",
          SCRIPT(copy_y, enter_y, attach_elsewhere, end, attach_elsewhere, copyout_y));
    sweep("dangling pointers", "libgomp-12",
          SCRIPT(enter_shallow, attach_one, delete_target, attach_pointer, finalize_sibling,
                 send_shallow, attach_one, delete_target, delete_shallow));
    sweep("unmapped in a region", "libgomp-12",
          SCRIPT(allocate, map, use_raw, enter_shallow, unmap, end, release));
    sweep("single steps", "tr14", SCRIPT(allocate, to_device, map, unmap, map, unmap, release));
    sweep("mapped among others", "tr14",
          SCRIPT(enter_y, allocate, map, copy_z, end, unmap, release));
    sweep("journal", "tr14", SCRIPT(enter_y, open_journal, write_device, close_journal, copyout_y));
    sweep("journal left open", "tr14", SCRIPT(enter_y, open_journal, write_device));
    sweep("journal of an entry", "openmp-5.1",
          SCRIPT(map_base, open_journal, map_target, close_journal, end, enter_target, end));
    sweep("tuples of levels", "directory",
          SCRIPT(first_part, last_part, in_the_hole, enter_middle, end, end, exit_middle, end));
    sweep("tuples of floors", "directory",
          SCRIPT(enter_first, enter_middle, last_part, exit_first, enter_first, exit_middle, end,
                 exit_first));
    sweep("targets that move", "directory",
          SCRIPT(enter_y, around_targets, fetch, send, attach_pointer, end, copy_y, end));
    sweep("targets that leave", "directory", SCRIPT(copy_y, around_targets, end, end));
    sweep("pieces", "directory",
          SCRIPT(first_part, kept_part, last_part, end, end, refreshed_part, end, end));
    sweep("pieces without fusion", "tr14",
          SCRIPT(first_part, enter_kept, refreshed_part, end, end, exit_kept));
    sweep("pointers among pieces", "tr14", SCRIPT(enter_y, refreshed_pointers, end, copyout_y));
    sweep("descriptors", "tr14",
          SCRIPT(enter_d, send_d, copy_d, fetch_d, end, part_of_d, copyout_d));
    sweep("descriptors one by one", "tr14",
          SCRIPT(enter_shallow_d, attach_p, attach_p, enter_d, detach_p, detach_p, copyout_d,
                 delete_shallow_d));
    sweep("other bounds", "openacc-3.3",
          SCRIPT(enter_d, other_bounds, enter_d, copy_d, other_bounds, end, attach_p, other_bounds,
                 attach_p, detach_p, copyout_d, finalize_d));
    sweep("other bounds of what stays", "openacc-3.3",
          SCRIPT(enter_shallow_d, enter_d, other_bounds, copyout_d, enter_d, delete_shallow_d));
    sweep("types", "tr14",
          SCRIPT(enter_shallow_d, attach_q, attach_q, attach_q_too, detach_q, detach_q, attach_q,
                 attach_q, finalize_q, detach_q_too, delete_shallow_d));
    sweep("other types", "openacc-3.3",
          SCRIPT(enter_shallow_d, attach_q, other_type, attach_q, attach_q_too, other_type,
                 attach_q, other_bounds, attach_q, send_d, other_type, attach_q, other_type,
                 attach_q, finalize_q));
    sweep("types that go otherwise", "openacc-3.3",
          SCRIPT(enter_shallow_d, attach_q, attach_q_too, delete_shallow_d, enter_shallow_d, attach_q,
                 null_q, attach_q, other_type, clause_q, other_type, clause_q, finalize_q, attach_q,
                 delete_shallow_d_only));
    sweep("types in regions", "openacc-3.3",
          SCRIPT(shallow_d, attach_q, attach_q_too, shallow_d, other_type, attach_q, end, end));
    sweep("sections with gaps", "tr14",
          SCRIPT(copy_half, fetch_half, copy_half, end, end, copy_odd_y, copy_odd_y, end, end));
    sweep("descriptors that move", "directory",
          SCRIPT(enter_shallow_d, attach_p, attach_q, around_targets, detach_p, attach_q_too, end,
                 detach_q, detach_q_too));
    sweep("queues", "tr14",
          SCRIPT(open_queue, enter_y_later, send_later, copy_z_later, fetch_later, end, wait_all, fetch_one,
                 copyout_y_later, wait_all));
    sweep("tuples in queues", "directory",
          SCRIPT(open_queue, enter_first_later, wait_all, enter_middle, enter_first_later, exit_middle_later,
                 wait_all, exit_first));
    sweep("levels that are given up", "tr14", SCRIPT(copy_y, copy_z, give_up, enter_y, copy_y, give_up, give_up));
    sweep("descriptors of a group", "tr14", SCRIPT(copy_d, attach_p, attach_q, detach_p, detach_q, end));
    sweep("descriptors that nothing attaches anew", "openmp-5.1", SCRIPT(shallow_d, attach_q, enter_d, end, copyout_d));
    sweep("storage for members", "directory",
          SCRIPT(hold_raw, enter_hold, kept_part, end, exit_hold, end, enter_hold, refreshed_part, end, exit_hold));
    sweep("members in their places", "tr14",
          SCRIPT(enter_members, copy_members, enter_member, end, exit_members));
    for (int every = 0; every < 2; every++) {
        const char *openmp = every ? "openmp-4.0" : "openmp-5.1";
        sweep("constructs count", openmp,
              SCRIPT(enter_y, copy_y, always_y, end, always_exit_y, end, enter_y, final_y));
        sweep("taken from regions", openmp,
              SCRIPT(copy_y, create_y, copyout_y, enter_y, final_y, end, enter_y, end));
        sweep("taken and back again", openmp, SCRIPT(copy_z, delete_z, enter_z, enter_z, end));
        sweep("blocks", openmp, SCRIPT(map_block, map_block, end, end));
        sweep("pointers first", openmp,
              SCRIPT(map_base, map_target, end, map_target, final_target, enter_target, end, end));
        sweep("targets first", openmp,
              SCRIPT(enter_target, map_base, map_target, end, end, final_target, map_base, two_targets,
                     end, end));
        sweep("references without end", openmp,
              SCRIPT(allocate, map, use_raw, unmap, end, release));
    }
    given_up();
    if (!fail_call)
        random_scripts();
    return done();
}
