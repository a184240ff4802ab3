/* fault_steps.h - the steps of the scripts in faults.c: constructs on a few structures, arrays and descriptors. */
#ifndef ACCD_TEST_FAULT_STEPS_H
#define ACCD_TEST_FAULT_STEPS_H

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
        return ACCD_ERROR_MISUSE;
    accd_status status = REGION(w->context, &w->regions[w->depth], item, other);
    w->depth += status == ACCD_OK;
    return status;
}

static const accd_item nothing = {.action = ACCD_ACTION_CREATE};

static accd_status enter_y(struct world *w)
{
    return ENTER(w->context, deep_y(w, ACCD_ACTION_COPYIN));
}
static accd_status enter_z(struct world *w)
{
    return ENTER(w->context, deep_z(w, ACCD_ACTION_COPYIN));
}
static accd_status copy_y(struct world *w)
{
    return push(w, deep_y(w, ACCD_ACTION_COPY), nothing);
}
static accd_status create_y(struct world *w)
{
    return push(w, deep_y(w, ACCD_ACTION_CREATE), nothing);
}
static accd_status present_y(struct world *w)
{
    return push(w, deep_y(w, ACCD_ACTION_PRESENT), nothing);
}
static accd_status copy_z(struct world *w)
{
    return push(w, deep_z(w, ACCD_ACTION_COPY), nothing);
}
static accd_status copy_z_and_more(struct world *w)
{
    return push(w, deep_z(w, ACCD_ACTION_COPY), PLAIN(ACCD_ACTION_COPYIN, raw));
}
static accd_status part_of_y(struct world *w) /* through pointers of two elements */
{
    return push(w, walked(ACCD_ACTION_COPY, Y + 2, 2 * sizeof Y[0], w->leaf, w->y), nothing);
}
static accd_status shallow_y(struct world *w)
{
    return push(w, PLAIN(ACCD_ACTION_COPY, Y), nothing);
}
static accd_status attach_one(struct world *w)
{
    return ENTER(w->context, BYTES(ACCD_ACTION_COPYIN, arrays[1][0], 16),
                 (accd_item){.slot = &Y[1].a, .action = ACCD_ACTION_ATTACH});
}
static accd_status detach_one(struct world *w)
{
    return EXIT(w->context, (accd_item){.slot = &Y[1].a, .action = ACCD_ACTION_DETACH},
                BYTES(ACCD_ACTION_DELETE, arrays[1][0], 16));
}
static accd_status attach_elsewhere(struct world *w)
{
    float *before = Y[1].a;
    Y[1].a = Y[2].b;
    accd_status status = ENTER(w->context, (accd_item){.slot = &Y[1].a, .action = ACCD_ACTION_ATTACH});
    Y[1].a = before;
    return status;
}
static accd_status end(struct world *w)
{
    if (!w->depth)
        return ACCD_ERROR_MISUSE;
    accd_status status = accd_region_end(w->regions[w->depth - 1]);
    w->depth -= status == ACCD_OK;
    return status;
}
static accd_status send(struct world *w)
{
    return UPDATE(w->context, deep_y(w, ACCD_ACTION_UPDATE_DEVICE));
}
static accd_status fetch(struct world *w)
{
    return UPDATE(w->context, deep_y(w, ACCD_ACTION_UPDATE_SELF));
}
static accd_status fetch_one(struct world *w)
{
    return UPDATE(w->context, walked(ACCD_ACTION_UPDATE_SELF, Y + 1, sizeof Y[0], w->leaf, w->y),
                  BYTES(ACCD_ACTION_UPDATE_DEVICE, arrays[2][0], 8));
}
static accd_status fetch_part(struct world *w)
{
    return UPDATE(w->context, walked(ACCD_ACTION_UPDATE_SELF, Y + 2, sizeof Y[0], w->leaf, w->y),
                  BYTES(ACCD_ACTION_UPDATE_DEVICE, Y + 4, 8));
}
static accd_status copyout_y(struct world *w)
{
    return EXIT(w->context, deep_y(w, ACCD_ACTION_COPYOUT));
}
static accd_status delete_z(struct world *w)
{
    return EXIT(w->context, deep_z(w, ACCD_ACTION_DELETE));
}
static accd_status finalize_y(struct world *w)
{
    return FINALIZE(w->context, deep_y(w, ACCD_ACTION_COPYOUT));
}
static accd_status delete_shallow(struct world *w)
{
    return EXIT(w->context, PLAIN(ACCD_ACTION_COPYOUT, Y));
}
static accd_status delete_arrays(struct world *w)
{
    return EXIT(w->context, BYTES(ACCD_ACTION_DELETE, arrays[1][0], 4), BYTES(ACCD_ACTION_DELETE, arrays[2][1], 8));
}
static accd_status enter_shallow(struct world *w)
{
    return ENTER(w->context, PLAIN(ACCD_ACTION_COPYIN, Y));
}
static accd_status send_shallow(struct world *w)
{
    return UPDATE(w->context, PLAIN(ACCD_ACTION_UPDATE_DEVICE, Y));
}
static accd_status delete_target(struct world *w)
{
    return EXIT(w->context, BYTES(ACCD_ACTION_COPYOUT, arrays[1][0], 16));
}
static accd_status attach_pointer(struct world *w)
{
    return ENTER(w->context, (accd_item){.slot = &Y[1].a, .action = ACCD_ACTION_ATTACH});
}
static accd_status finalize_sibling(struct world *w)
{
    return FINALIZE(w->context, ((accd_item){.slot = &Y[1].b, .action = ACCD_ACTION_DETACH}));
}
static accd_status use_raw(struct world *w)
{
    return push(w, PLAIN(ACCD_ACTION_COPY, raw), nothing);
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
    return accd_map_data(w->context, 0, raw, w->dev, 64, NULL);
}
static accd_status unmap(struct world *w)
{
    return accd_unmap_data(w->context, 0, raw);
}
static accd_status release(struct world *w)
{
    return accd_device_free(w->context, 0, w->dev);
}
static accd_status to_device(struct world *w)
{
    return accd_copy_to_device(w->context, 0, w->dev, arrays, 64);
}
static accd_status open_journal(struct world *w)
{
    return accd_journal_begin(w->context, 0);
}
static accd_status close_journal(struct world *w)
{
    accd_journal_end(w->context, 0, 0);
    return ACCD_OK;
}

/* Bytes of an array, as a section of it. */
static accd_item part(uint8_t action, void *base, size_t from, size_t bytes, uint8_t flags)
{
    return (accd_item){.host = (char *)base + from, .base = base, .bytes = bytes, .action = action, .flags = flags};
}

static accd_status first_part(struct world *w)
{
    return push(w, part(ACCD_ACTION_COPY, raw, 0, 16, 0), nothing);
}
static accd_status last_part(struct world *w)
{
    return push(w, part(ACCD_ACTION_COPY, raw, 48, 16, 0), part(ACCD_ACTION_COPYIN, arrays, 0, 16, 0));
}
static accd_status enter_first(struct world *w)
{
    return ENTER(w->context, part(ACCD_ACTION_COPYIN, raw, 0, 16, 0));
}
static accd_status enter_middle(struct world *w)
{
    return ENTER(w->context, part(ACCD_ACTION_COPYIN, raw, 24, 8, 0));
}
static accd_status exit_first(struct world *w)
{
    return EXIT(w->context, part(ACCD_ACTION_COPYOUT, raw, 0, 16, 0));
}
static accd_status exit_middle(struct world *w)
{
    return EXIT(w->context, part(ACCD_ACTION_COPYOUT, raw, 24, 8, 0));
}
static accd_status in_the_hole(struct world *w)
{
    return push(w, part(ACCD_ACTION_COPY, raw + 40, 0, 4, 0), nothing);
}
static accd_status kept_part(struct world *w)
{
    return push(w, part(ACCD_ACTION_COPYIN, raw, 8, 40, ACCD_ITEM_COPY_ABSENT), nothing);
}
static accd_status refreshed_part(struct world *w)
{
    return push(w, part(ACCD_ACTION_COPYIN, raw, 8, 40, ACCD_ITEM_UPDATE_PRESENT), nothing);
}
static accd_status enter_kept(struct world *w)
{
    return ENTER(w->context, part(ACCD_ACTION_COPYIN, raw, 8, 40, ACCD_ITEM_COPY_ABSENT));
}
static accd_status exit_kept(struct world *w)
{
    return EXIT(w->context, part(ACCD_ACTION_DELETE, raw, 8, 40, 0));
}
static accd_status around_targets(struct world *w) /* of pointers that are attached */
{
    return push(w, part(ACCD_ACTION_COPY, arrays, 0, sizeof arrays[0], 0),
                part(ACCD_ACTION_COPY, arrays, 4 * sizeof arrays[0], sizeof arrays[0], 0));
}
static accd_status refreshed_pointers(struct world *w)
{
    return push(w, part(ACCD_ACTION_COPYIN, Y, 0, sizeof Y + 1, ACCD_ITEM_UPDATE_PRESENT), nothing);
}

/* Storage for members, and members of an aggregate that is not mapped itself. */
static accd_status hold_raw(struct world *w)
{
    return push(w, PLAIN(ACCD_ACTION_HOLD, raw), nothing);
}
static accd_status enter_hold(struct world *w)
{
    return ENTER(w->context, PLAIN(ACCD_ACTION_HOLD, raw), part(ACCD_ACTION_COPYIN, raw, 8, 16, 0));
}
static accd_status exit_hold(struct world *w)
{
    return EXIT(w->context, part(ACCD_ACTION_COPYOUT, raw, 8, 16, 0), PLAIN(ACCD_ACTION_HOLD, raw));
}
static accd_item framed(uint8_t action, const void *host, size_t bytes)
{
    return (accd_item){.host = host, .bytes = bytes, .frame = &Y[3], .frame_bytes = sizeof Y[3], .action = action};
}
static accd_status copy_members(struct world *w) /* and what one of them points to */
{
    return push(w, framed(ACCD_ACTION_COPY, &Y[3].n, sizeof Y[3].n),
                (accd_item){.host = arrays[3][1], .bytes = 12, .slot = &Y[3].b, .action = ACCD_ACTION_COPYIN});
}
static accd_status enter_members(struct world *w)
{
    return ENTER(w->context, framed(ACCD_ACTION_COPYIN, &Y[3].n, sizeof Y[3].n),
                 framed(ACCD_ACTION_COPYIN, &Y[3].b, sizeof Y[3].b));
}
static accd_status enter_member(struct world *w)
{
    return ENTER(w->context, framed(ACCD_ACTION_COPYIN, &Y[3].a, sizeof Y[3].a));
}
static accd_status exit_members(struct world *w)
{
    return EXIT(w->context, framed(ACCD_ACTION_COPYOUT, &Y[3].n, sizeof Y[3].n),
                framed(ACCD_ACTION_DELETE, &Y[3].b, sizeof Y[3].b));
}

/* OpenMP: modifiers, a block of members with a hole, pointers as bases. */
static accd_status marked(struct world *w, accd_construct_kind kind, uint8_t action, unsigned flags)
{
    accd_item item = deep_y(w, action);
    item.flags = (uint16_t)flags;
    if (kind == ACCD_KIND_REGION)
        return push(w, item, nothing);
    return CONSTRUCT(w->context, kind, NULL, item);
}
static accd_status always_y(struct world *w)
{
    return marked(w, ACCD_KIND_REGION, ACCD_ACTION_COPY,
                  ACCD_ITEM_ALWAYS_IN | ACCD_ITEM_ALWAYS_OUT | ACCD_ITEM_REQUIRE_PRESENT);
}
static accd_status always_exit_y(struct world *w)
{
    return marked(w, ACCD_KIND_EXIT_DATA, ACCD_ACTION_COPYOUT, ACCD_ITEM_ALWAYS_OUT);
}
static accd_status zero_y(struct world *w) /* what is init_needed is copied, the rest is cleared */
{
    return marked(w, ACCD_KIND_REGION, ACCD_ACTION_CREATE, ACCD_ITEM_ZERO | ACCD_ITEM_PRESENT_OR);
}
static accd_status final_y(struct world *w)
{
    return marked(w, ACCD_KIND_EXIT_DATA, ACCD_ACTION_COPYOUT, ACCD_ITEM_FINALIZE);
}
static accd_status map_block(struct world *w) /* n and b of one element, and a section of a */
{
    accd_item block = walked(ACCD_ACTION_CREATE, &Y[1], sizeof Y[1], w->block, w->y_block);
    return push(w, block, (accd_item){.host = arrays[1][0], .bytes = 8, .slot = &Y[1].a, .action = ACCD_ACTION_COPY});
}
static accd_status map_base(struct world *w)
{
    return push(w, PLAIN(ACCD_ACTION_COPY, Y), nothing);
}
static accd_status map_target(struct world *w) /* the second one has no elements */
{
    return push(w, (accd_item){.host = arrays[1][0], .bytes = 16, .slot = &Y[1].a, .action = ACCD_ACTION_COPY},
                (accd_item){.host = arrays[2][0], .slot = &Y[2].a, .action = ACCD_ACTION_CREATE});
}
static accd_status enter_target(struct world *w)
{
    return ENTER(w->context,
                 (accd_item){.host = arrays[1][0], .bytes = 16, .slot = &Y[1].a, .action = ACCD_ACTION_COPYIN});
}
static accd_status final_target(struct world *w)
{
    return EXIT(
        w->context,
        (accd_item){.host = arrays[1][0], .bytes = 16, .action = ACCD_ACTION_COPYOUT, .flags = ACCD_ITEM_FINALIZE});
}
static accd_status two_targets(struct world *w) /* of one pointer */
{
    return push(w, (accd_item){.host = arrays[1][0] + 2, .bytes = 8, .slot = &Y[1].a, .action = ACCD_ACTION_COPY},
                (accd_item){.host = arrays[1][0], .bytes = 8, .slot = &Y[1].a, .action = ACCD_ACTION_COPY});
}

/* Descriptors: of a group's sections, and of one variable with its type. */
static accd_item deep_d(struct world *w, uint8_t action)
{
    return walked(action, D, sizeof D, w->cell, w->d);
}
static accd_status enter_d(struct world *w)
{
    return ENTER(w->context, deep_d(w, ACCD_ACTION_COPYIN));
}
static accd_status copy_d(struct world *w)
{
    return push(w, deep_d(w, ACCD_ACTION_COPY), nothing);
}
static accd_status send_d(struct world *w)
{
    return UPDATE(w->context, deep_d(w, ACCD_ACTION_UPDATE_DEVICE));
}
static accd_status fetch_d(struct world *w)
{
    return UPDATE(w->context, deep_d(w, ACCD_ACTION_UPDATE_SELF));
}
static accd_status copyout_d(struct world *w)
{
    return EXIT(w->context, deep_d(w, ACCD_ACTION_COPYOUT));
}
static accd_status finalize_d(struct world *w)
{
    return FINALIZE(w->context, deep_d(w, ACCD_ACTION_COPYOUT));
}
static accd_status enter_shallow_d(struct world *w)
{
    return ENTER(w->context, PLAIN(ACCD_ACTION_COPYIN, D), PLAIN(ACCD_ACTION_COPYIN, arrays));
}
static accd_status delete_shallow_d(struct world *w)
{
    return EXIT(w->context, PLAIN(ACCD_ACTION_COPYOUT, D), PLAIN(ACCD_ACTION_DELETE, arrays));
}
static accd_status part_of_d(struct world *w) /* from inside a descriptor: the group is looked into */
{
    return UPDATE(w->context, BYTES(ACCD_ACTION_UPDATE_DEVICE, (char *)&D[2].p + 16, sizeof D[0]));
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
    return ENTER(w->context, (accd_item){.slot = &D[1].q, .slot_bytes = sizeof D[1].q, .action = ACCD_ACTION_ATTACH});
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
    return push(w, PLAIN(ACCD_ACTION_COPY, D), PLAIN(ACCD_ACTION_COPYIN, arrays));
}
static accd_status delete_shallow_d_only(struct world *w)
{
    return EXIT(w->context, PLAIN(ACCD_ACTION_COPYOUT, D));
}

/* Sections with gaps: columns 0 and 2 of the arrays, and every other element with its pointers. */
static const accd_stride halves[] = {{LEAVES, sizeof arrays[0]}, {2, sizeof arrays[0] / 4}},
                         odd[] = {{LEAVES / 2, 2 * sizeof Y[0]}};
static accd_item half_of_arrays(uint8_t action)
{
    return (accd_item){.host = arrays, .bytes = sizeof arrays, .dims = halves, .ndims = 2, .run = 8, .action = action};
}
static accd_status copy_half(struct world *w)
{
    return push(w, half_of_arrays(ACCD_ACTION_COPY), nothing);
}
static accd_status fetch_half(struct world *w)
{
    return UPDATE(w->context, half_of_arrays(ACCD_ACTION_UPDATE_SELF));
}
static accd_status copy_odd_y(struct world *w)
{
    accd_item item = deep_y(w, ACCD_ACTION_COPY);
    item.dims = odd;
    item.ndims = 1;
    item.run = sizeof Y[0];
    return push(w, item, nothing);
}

/* What a queue does later: at the wait. */
static accd_status open_queue(struct world *w)
{
    w->context->config.queues = ACCD_QUEUES_DELAYED;
    return accd_queue_get(w->context, 0, 1, &w->queue);
}
static accd_status submit_construct(struct world *w, accd_construct_kind kind, accd_item item, accd_region **region_p)
{
    return accd_run_construct(
        w->context, &(accd_construct){.kind = kind, .name = "data", .items = &item, .nitems = 1, .queue = w->queue},
        region_p);
}
static accd_status enter_y_later(struct world *w)
{
    return submit_construct(w, ACCD_KIND_ENTER_DATA, deep_y(w, ACCD_ACTION_COPYIN), NULL);
}
static accd_status send_later(struct world *w)
{
    return submit_construct(w, ACCD_KIND_UPDATE, deep_y(w, ACCD_ACTION_UPDATE_DEVICE), NULL);
}
static accd_status fetch_later(struct world *w)
{
    return submit_construct(w, ACCD_KIND_UPDATE, deep_y(w, ACCD_ACTION_UPDATE_SELF), NULL);
}
static accd_status copy_z_later(struct world *w)
{
    if (w->depth == LEVELS_MOST)
        return ACCD_ERROR_MISUSE;
    accd_status status = submit_construct(w, ACCD_KIND_REGION, deep_z(w, ACCD_ACTION_COPY), &w->regions[w->depth]);
    w->depth += status == ACCD_OK;
    return status;
}
static accd_status copyout_y_later(struct world *w)
{
    return submit_construct(w, ACCD_KIND_EXIT_DATA, deep_y(w, ACCD_ACTION_COPYOUT), NULL);
}
static accd_status enter_first_later(struct world *w)
{
    return submit_construct(w, ACCD_KIND_ENTER_DATA, part(ACCD_ACTION_COPYIN, raw, 0, 16, 0), NULL);
}
static accd_status exit_middle_later(struct world *w)
{
    return submit_construct(w, ACCD_KIND_EXIT_DATA, part(ACCD_ACTION_COPYOUT, raw, 24, 8, 0), NULL);
}
static accd_status copy_later(struct world *w)
{
    const uint64_t dev = accd_device_address(w->context, 0, raw);
    return accd_copy_async(w->context, 0, w->queue, ACCD_DIRECTION_TO_DEVICE, dev, (uintptr_t)arrays, dev ? 4 : 0,
                           "faults.c", 1);
}
static int run_nothing(void *ud, accd_host_call call)
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
        return ACCD_ERROR_MISUSE;
    accd_status status = accd_region_abandon(w->regions[w->depth - 1]);
    w->depth -= status == ACCD_OK;
    return status;
}

typedef accd_status step(struct world *w);

#endif
