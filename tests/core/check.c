/* accd__check_invariants finds what is wrong: the state is broken by hand, one thing at a time. */
#include <table/objects.h>
#include <table/find.h>
#include "accdeep_internal.h"
#include "support.h"

#include <ops/ops.h>

static struct leaf Y[3];
static float arrays[3][2][4];

struct broken {
    accd_context *context;
    struct accd__device_env *dir;
    struct accd__object *holder, *target;
    struct accd__attachment *attach;
};

static void swap_numbers(uint64_t *a, uint64_t *b)
{
    uint64_t swap = *a;
    *a = *b;
    *b = swap;
}

/* Each breaks something; called again it mends it. */
static void structured_counter(struct broken *b)
{
    b->target->structured ^= 4;
}
static void no_reference(struct broken *b)
{
    static uint32_t structured, dynamic;
    uint32_t swap = b->holder->structured;
    b->holder->structured = structured;
    structured = swap;
    swap = b->holder->dynamic;
    b->holder->dynamic = dynamic;
    dynamic = swap;
}
static void pins(struct broken *b)
{
    b->target->pins ^= 2;
}
static void touched(struct broken *b)
{
    b->holder->size ^= ACCD_OBJECT_VISITED;
}
static void device_address(struct broken *b)
{
    b->holder->dev ^= (uint64_t)1 << 60;
}
static void device_memory(struct broken *b)
{
    static uint64_t dev = 0;
    if (!dev)
        dev = b->target->dev;
    swap_numbers(&dev, &b->holder->dev);
}
static void host_overlap(struct broken *b)
{
    static uint64_t more = 64;
    b->holder->size += more;
    more = -more;
}
static void empty(struct broken *b)
{
    static uint64_t bytes = 0;
    uint64_t now = accd__object_bytes(b->holder);
    b->holder->size += bytes - now;
    bytes = now;
}
static void attach_zero(struct broken *b)
{
    static uint32_t count = 0;
    uint32_t swap = b->attach->count;
    b->attach->count = count;
    count = swap;
}
static void attach_target(struct broken *b)
{
    b->attach->target ^= 8;
}
static void attach_base(struct broken *b)
{
    b->attach->base ^= (uint64_t)1 << 60;
}
static void attach_device(struct broken *b)
{
    b->attach->dev ^= 16;
}
static void attach_word(struct broken *b)
{
    static uint64_t other = 1;
    uint64_t now, at = b->holder->dev + (b->attach->slot - b->holder->host);
    b->dir->device.ops->read(b->dir->device.handle, at, &now, sizeof now);
    b->dir->device.ops->write(b->dir->device.handle, at, &other, sizeof other);
    other = now;
}
static void attach_slot(struct broken *b)
{
    b->attach->slot ^= (uint64_t)1 << 60;
}
static void live_objects(struct broken *b)
{
    b->dir->present.live ^= 64;
}
static void live_attachments(struct broken *b)
{
    b->dir->attached.live ^= 64;
}
static void depth(struct broken *b)
{
    b->dir->levels.depth ^= 64;
}
static void live_bytes(struct broken *b)
{
    static uint64_t bytes = 1;
    swap_numbers(&bytes, &b->dir->device.stats.live_bytes);
}
static void index_count(struct broken *b)
{
    b->dir->present.objects.count ^= 64;
}
static void index_key(struct broken *b)
{
    b->dir->attached.slots.root->key[0] ^= (uint64_t)1 << 60;
}
static void index_order(struct broken *b)
{
    swap_numbers(&b->dir->present.objects.root->key[0], &b->dir->present.objects.root->key[1]);
}
static void device_order(struct broken *b)
{
    struct accd__btree *order = &b->dir->present.by_device;
    static void *record;
    if (!record) {
        record = accd__btree_erase(order, b->target->dev);
        return;
    }
    accd__btree_insert(order, b->target->dev, record);
    record = NULL;
}
static void block_bytes(struct broken *b)
{
    static uint64_t bytes = 1;
    struct accd__block *block = accd__object_block(b->dir, b->target);
    swap_numbers(&bytes, &block->bytes);
}
static void block_dead(struct broken *b)
{
    static size_t live = 0;
    struct accd__block *block = accd__object_block(b->dir, b->target);
    size_t swap = block->live;
    block->live = live;
    live = swap;
}
static void level(struct broken *b)
{
    static struct accd__object *object;
    struct accd__object *swap = b->dir->levels.top->requests[0].object;
    b->dir->levels.top->requests[0].object = object;
    object = swap;
}

static void breaking(size_t group_least)
{
    static const struct {
        const char *what;
        void (*break_it)(struct broken *b);
    } ways[] = {
        {"structured counter", structured_counter},
        {"no reference", no_reference},
        {"pins", pins},
        {"a mark", touched},
        {"device address", device_address},
        {"shared device memory", device_memory},
        {"host ranges overlap", host_overlap},
        {"an empty object", empty},
        {"attachment counter 0", attach_zero},
        {"attachment's target", attach_target},
        {"attachment's base", attach_base},
        {"attachment's device address", attach_device},
        {"attachment's word on the device", attach_word},
        {"attachment's slot", attach_slot},
        {"number of objects", live_objects},
        {"number of attachments", live_attachments},
        {"number of levels", depth},
        {"bytes in use", live_bytes},
        {"entries of an index", index_count},
        {"key of an index", index_key},
        {"order of an index", index_order},
        {"device order", device_order},
        {"bytes of a block", block_bytes},
        {"a block without objects", block_dead},
        {"a level's clause", level},
    };
    struct meter meter = {0};
    struct broken b = {.context = open_with(&meter, NULL, NULL, group_least)};
    accd_program *program = leaf_program(b.context);
    accd_region *region;
    for (int i = 0; i < 3; i++)
        Y[i] = (struct leaf){3, arrays[i][0], arrays[i][1]};
    is_status(REGION(b.context, &region,
                     walked(ACCD_ACTION_COPY, Y, sizeof Y, program, array(b.context, "Y", sizeof Y[0], program)),
                     BYTES(ACCD_ACTION_COPYIN, &meter, 8)),
              ACCD_OK, "region, groups from %zu", group_least);
    b.dir = &b.context->envs[0];
    is_sound(b.context); /* indexes what is pending */
    ok(accd_host_address(b.context, 0, accd_device_address(b.context, 0, Y)) != 0, "makes the device order");
    must(accd__find_object(b.dir, (uintptr_t)Y, &b.holder) == ACCD_OK && b.holder, "holder");
    must(accd__find_object(b.dir, (uintptr_t)arrays[1][0], &b.target) == ACCD_OK && b.target, "target");
    must(accd__find_attachment(b.dir, (uintptr_t)&Y[1].a, &b.attach) == ACCD_OK && b.attach, "attach");
    uint64_t digest = accd__state_digest(b.context);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        ways[i].break_it(&b);
        const char *wrong = accd__check_invariants(b.context);
        ok(wrong != NULL, "%s: %s", ways[i].what, wrong ? wrong : "not found");
        ways[i].break_it(&b);
        wrong = accd__check_invariants(b.context);
        must(!wrong, "%s is mended: %s", ways[i].what, wrong);
        must(accd__state_digest(b.context) == digest, "%s: all is as it was", ways[i].what);
    }
    is_status(accd_region_end(region), ACCD_OK, "end");
    is_sound(b.context);
    accd_program_release(program);
    accd_context_free(b.context);
    is_number(meter.live + meter.wrong, 0, "memory");
}

/* The digest tells states apart. */
static void digests(void)
{
    static const char *const what[] = {"nothing",       "an object", "another counter", "another byte",
                                       "an attachment", "a level",   "device memory"};
    accd_context *context = open_with(NULL, NULL, NULL, 64);
    uint64_t seen[7], dev = 0;
    accd_region *region;
    float value = 5;
    Y[0].a = arrays[0][0];
    for (int i = 0; i < 7; i++) {
        if (i == 1)
            ENTER(context, PLAIN(ACCD_ACTION_COPYIN, Y), PLAIN(ACCD_ACTION_COPYIN, arrays));
        else if (i == 2)
            ENTER(context, PLAIN(ACCD_ACTION_COPYIN, Y));
        else if (i == 3)
            device_put(context, arrays, &value, 4);
        else if (i == 4)
            ENTER(context, (accd_item){.slot = &Y[0].a, .action = ACCD_ACTION_ATTACH});
        else if (i == 5)
            accd_run_construct(context, &(accd_construct){.kind = ACCD_KIND_REGION}, &region);
        else if (i == 6)
            accd_device_alloc(context, 0, 8, &dev);
        seen[i] = accd__state_digest(context);
        must(seen[i] == accd__state_digest(context), "looking twice gives the same");
        bool fresh = true;
        for (int k = 0; k < i; k++)
            fresh &= seen[k] != seen[i];
        ok(fresh, "the digest tells %s", what[i]);
    }
    accd_device_free(context, 0, dev);
    ok(accd__state_digest(context) == seen[5], "the same state has the same digest");
    accd_context_free(context);
}

int main(void)
{
    breaking(1);
    breaking(1000);
    digests();
    return done();
}
