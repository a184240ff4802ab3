/* random_steps.h - random constructs, and what changes what they meet, for tests that run the same ones twice. */
#ifndef RANDOM_STEPS_H
#define RANDOM_STEPS_H

#include <table/find.h>
#include "accdeep_internal.h"
#include "support.h"

#include <plan/plan.h>

enum { BLOCKS = 14, POINTERS = 6, DEPTH_MOST = 12, LEAVES = 3, ITEMS_MOST = 11 };

/* ------------------------------------------------------------------------------------ world -- */

static struct {
    char *pointers[POINTERS]; /* to the blocks behind */
    struct leaf leaves[LEAVES];
    float sections[LEAVES][2][4];
    char bytes[BLOCKS][160];
    char behind[256];
} host;

struct world {
    accd_context *context;
    struct meter meter;
    uint64_t random;
    accd_program *leaf;
    const accd_label *labels[4];
    accd_region *regions[DEPTH_MOST];
    size_t depth;
    unsigned queue;
    bool journal;
    char what[400]; /* the step */
};

struct setting {
    const char *name;
    uint64_t device_bytes;
    accd_queue_mode queues;
    bool calm;     /* nothing but plain constructs, and now and then one that fails */
    bool pointers; /* many items name their pointers */
    bool checkpoints;
    bool avoid_reuse;
};

static uint32_t below(struct world *w, uint32_t n)
{
    return next_random(&w->random) % n;
}
static bool once_in(struct world *w, uint32_t n)
{
    return below(w, n) == 0;
}

static void hear_nothing(void *ud, const accd_event *event)
{
    (void)ud;
    (void)event;
}

static void open_world(struct world *w, const struct setting *setting, uint64_t seed, bool general)
{
    static const accd_rules *rules;
    accd_context_config config;
    *w = (struct world){.random = seed};
    rules = accd_find_rules(setting->name);
    init_config(&config);
    config.alloc = meter_alloc;
    config.alloc_ud = &w->meter;
    config.group_least = 1;
    config.threads = 1;
    config.device_bytes = setting->device_bytes ? setting->device_bytes : (uint64_t)64 << 20;
    config.queues = setting->queues;
    config.rules = rules;
    config.on_event = general ? hear_nothing : NULL;
    config.checkpoints = setting->checkpoints;
    config.avoid_reuse = setting->avoid_reuse;
    if (accd_context_new(&w->context, &config) != ACCD_OK)
        exit(3);
    w->leaf = leaf_program(w->context);
    w->labels[1] = array(w->context, "x", 8, NULL);
    w->labels[2] = array(w->context, "y[#].z", 1, NULL);
    w->labels[3] = accd_label_intern(w->context, &(accd_label){.name = "s", .unit = 4, .file = "short.c", .line = 7});
    accd_queue_get(w->context, 0, 1, &w->queue);
    for (size_t i = 0; i < sizeof host; i++)
        ((unsigned char *)&host)[i] = (unsigned char)(i * 7);
    for (int i = 0; i < POINTERS; i++)
        host.pointers[i] = host.bytes[i];
    for (int i = 0; i < LEAVES; i++)
        host.leaves[i] = (struct leaf){.n = i + 1, .a = host.sections[i][0], .b = host.sections[i][1]};
}

static uint64_t block_bytes(size_t block)
{
    return block % 3 == 0 ? 160 : 16 + 8 * block;
}

/* ------------------------------------------------------------------------------- constructs -- */

static uint8_t any_action(struct world *w, accd_construct_kind kind)
{
    static const uint8_t entries[] = {ACCD_ACTION_COPYIN,    ACCD_ACTION_COPY,    ACCD_ACTION_COPYIN,
                                      ACCD_ACTION_CREATE,    ACCD_ACTION_COPYOUT, ACCD_ACTION_PRESENT,
                                      ACCD_ACTION_NO_CREATE, ACCD_ACTION_HOLD};
    static const uint8_t exits[] = {ACCD_ACTION_DELETE, ACCD_ACTION_COPYOUT, ACCD_ACTION_COPYOUT, ACCD_ACTION_HOLD};
    if (once_in(w, 60))
        return (uint8_t)below(w, ACCD_ACTION_COUNT + 2);
    if (kind == ACCD_KIND_EXIT_DATA)
        return exits[below(w, 16) ? below(w, 3) : 3];
    if (kind == ACCD_KIND_UPDATE)
        return below(w, 2) ? ACCD_ACTION_UPDATE_SELF : ACCD_ACTION_UPDATE_DEVICE;
    return entries[below(w, sizeof entries)];
}

static accd_item plain_item(struct world *w, accd_construct_kind kind)
{
    size_t block = below(w, BLOCKS + 2);
    accd_item item = {.action = any_action(w, kind)};
    if (block == BLOCKS) { /* what other items attach, and what a walk leads to */
        item.host = host.pointers;
        item.bytes = sizeof host.pointers;
        return item;
    }
    if (block > BLOCKS) {
        item.host = host.sections[below(w, LEAVES)][below(w, 2)];
        item.bytes = 16;
        return item;
    }
    item.host = host.bytes[block];
    item.bytes = block_bytes(block);
    item.label = w->labels[below(w, 2) ? 0 : below(w, 4)];
    if (once_in(w, 6)) { /* a part of it, or more than it */
        uint64_t into = below(w, 20);
        item.host = host.bytes[block] + into;
        item.bytes = once_in(w, 4) ? 120 + below(w, 100) : 1 + below(w, 24);
    }
    return item;
}

/* A section with its pointer, or what holds all pointers. */
static accd_item pointer_item(struct world *w, accd_construct_kind kind)
{
    const size_t block = below(w, POINTERS + 2);
    accd_item item = {.host = host.pointers, .bytes = sizeof host.pointers, .action = any_action(w, kind)};
    if (block < POINTERS) {
        const uint64_t into = once_in(w, 4) ? 8 * below(w, 3) : 0;
        item.host = host.bytes[block] + into;
        item.bytes = once_in(w, 4) ? 8 : block_bytes(block) - into;
        item.slot = once_in(w, 8) ? &host.pointers[below(w, POINTERS)] : &host.pointers[block];
    }
    if (once_in(w, 10)) { /* members of one aggregate */
        item.frame = host.pointers;
        item.frame_bytes = sizeof host.pointers;
    }
    return item;
}

/* An item with something that the short way does not know. */
static accd_item any_item(struct world *w, accd_construct_kind kind)
{
    static accd_stride dims[] = {{2, 8}};
    accd_item item = plain_item(w, kind);
    size_t block = below(w, BLOCKS);
    switch (below(w, 16)) {
    case 0:
        item.action = ACCD_ACTION_ATTACH;
        item.slot = once_in(w, 2) ? &host.pointers[block % POINTERS] : NULL;
        break;
    case 1:
    case 2:
        item.slot = &host.pointers[block % POINTERS];
        item.host = host.bytes[block % POINTERS];
        item.bytes = block_bytes(block % POINTERS);
        break;
    case 3:
        if (w->context->rules.attached == ACCD_ATTACHED_COPIED)
            break; /* updates leave device addresses in pointers */
        return walked(item.action, host.leaves, sizeof host.leaves, w->leaf, w->labels[1]);
    case 4:
    case 12:
        item.flags = ACCD_ITEM_UNCOUNTED;
        item.action = ACCD_ACTION_PRESENT;
        break;
    case 5:
        item.bytes = once_in(w, 2) ? 0 : UINT64_MAX - below(w, 200);
        break;
    case 6:
        item.host = once_in(w, 3) ? (const void *)(uintptr_t)(UINT64_MAX - 7) : NULL;
        item.bytes = 8 + below(w, 40);
        break;
    case 7:
        item.dims = once_in(w, 3) ? NULL : dims;
        item.ndims = 1;
        item.run = 8;
        item.bytes = 16;
        break;
    case 8:
        item.slot_bytes = below(w, 3) * 20;
        break;
    case 9:
        item.label = w->labels[1 + below(w, 2)];
        item.start = below(w, 5);
        item.index[0] = 3;
        break;
    case 10:
        item.flags = (uint16_t)(once_in(w, 4) ? 0x2000 : 1u << below(w, 11));
        if (item.flags & ACCD_ITEM_UNCOUNTED)
            item.action = ACCD_ACTION_PRESENT; /* other items create what it names */
        break;
    case 13:
        item.flags = ACCD_ITEM_BASE_POINTER;
        break;
    case 11:
        item.frame = host.bytes[block];
        item.frame_bytes = sizeof host.bytes[0];
        break;
    default:
        item.flags = once_in(w, 2) ? ACCD_ITEM_IF_PRESENT : ACCD_ITEM_PRESENT_OR;
        break;
    }
    return item;
}

/* A step in words, for failures. */
static void describe(struct world *w, const accd_construct *construct)
{
    int used = snprintf(w->what, sizeof w->what, "kind %d, device %d, queue %u%s:", (int)construct->kind,
                        construct->device, construct->queue, construct->finalize ? ", finalize" : "");
    for (size_t i = 0; i < construct->nitems && construct->items && used < 300; i++) {
        const accd_item *item = &construct->items[i];
        used += snprintf(w->what + used, sizeof w->what - (size_t)used, " %s %td+%llx/%x%s%s",
                         accd_action_name(item->action), (const char *)item->host - (const char *)&host,
                         (unsigned long long)item->bytes, item->flags, item->slot ? " slot" : "",
                         item->program ? " walked" : "");
    }
}

static accd_status run_construct(struct world *w, const struct setting *setting, accd_construct_kind kind)
{
    accd_item items[ITEMS_MOST];
    bool opens = kind == ACCD_KIND_REGION || kind == ACCD_KIND_COMPUTE;
    size_t n = once_in(w, 3) ? below(w, ITEMS_MOST) : 1 + below(w, 3);
    for (size_t i = 0; i < n; i++)
        items[i] = once_in(w, setting->calm ? 25 : 4)    ? any_item(w, kind)
                   : setting->pointers && !once_in(w, 4) ? pointer_item(w, kind)
                                                         : plain_item(w, kind);
    accd_construct construct = {.kind = once_in(w, 200) ? (accd_construct_kind)9 : kind,
                                .items = once_in(w, 300) ? NULL : items,
                                .nitems = n,
                                .device = once_in(w, 200) ? (int)below(w, 3) - 1 : 0,
                                .finalize = kind == ACCD_KIND_EXIT_DATA && once_in(w, 10),
                                .name = "data",
                                .file = "short.c",
                                .line = (int)below(w, 1000),
                                .thread = opens ? below(w, 2) : 0};
    if (!setting->calm && once_in(w, 12))
        construct.queue = once_in(w, 10) ? 99 : w->queue;
    describe(w, &construct);
    if (!opens || w->depth == DEPTH_MOST)
        return accd_run_construct(w->context, &construct, NULL);
    accd_status status = accd_run_construct(w->context, &construct, &w->regions[w->depth]);
    w->depth += status == ACCD_OK;
    return status;
}

static accd_status end_region(struct world *w)
{
    snprintf(w->what, sizeof w->what, "end of a region, of %zu", w->depth);
    if (!w->depth)
        return ACCD_OK;
    size_t at = once_in(w, 3) ? below(w, (uint32_t)w->depth) : w->depth - 1;
    if (once_in(w, 20)) {
        while (w->depth)
            accd_region_abandon(w->regions[--w->depth]); /* all of them: which go with one depends on threads */
        return ACCD_OK;
    }
    accd_status status = accd_region_end(w->regions[at]);
    if (status != ACCD_OK)
        return status;
    w->depth--;
    memmove(&w->regions[at], &w->regions[at + 1], (w->depth - at) * sizeof w->regions[0]);
    return status;
}

/* What changes what plain constructs meet. */
static accd_status disturb(struct world *w)
{
    size_t block = below(w, BLOCKS);
    uint64_t dev = 0;
    accd_status status = ACCD_OK;
    struct accd__object *object;
    const uint32_t what = below(w, 8);
    snprintf(w->what, sizeof w->what, "disturbance %u of block %zu", what, block);
    switch (what) {
    case 0:
        status = accd_device_alloc(w->context, 0, 160, &dev);
        return status == ACCD_OK
                   ? accd_map_data(w->context, 0, host.bytes[block], dev, block_bytes(block), w->labels[1])
                   : status;
    case 1:
        return accd_unmap_data(w->context, 0, host.bytes[block]);
    case 2:
        (void)accd_host_address(w->context, 0, 1); /* orders objects by device address */
        return ACCD_OK;
    case 3:
        if (w->journal)
            accd_journal_end(w->context, 0, 1);
        else
            status = accd_journal_begin(w->context, 0);
        w->journal = !w->journal && status == ACCD_OK;
        return status;
    case 4:
        return accd_queue_wait(w->context, 0, 0);
    case 5: /* a counter that is nearly exhausted, for a while */
        status = accd__find_object(&w->context->envs[0], accd__address(host.bytes[block]), &object);
        if (status == ACCD_OK && object && !w->context->rules.fusion) {
            const uint32_t far = UINT32_MAX / 2 - 1, was = object->dynamic;
            accd_item two[2] = {{.host = host.bytes[block], .bytes = 8, .action = ACCD_ACTION_PRESENT}};
            accd_construct construct = {.kind = ACCD_KIND_ENTER_DATA, .items = two, .nitems = 2};
            two[1] = two[0];
            object->dynamic += far;
            status = accd_run_construct(w->context, &construct, NULL);
            if (status == ACCD_OK)
                status = accd_run_construct(w->context, &construct, NULL);
            construct.kind = ACCD_KIND_EXIT_DATA;
            two[0].action = two[1].action = ACCD_ACTION_DELETE;
            (void)accd_run_construct(w->context, &construct, NULL);
            object->dynamic = was;
        }
        return status;
    case 6:
        host.pointers[block % POINTERS] = host.bytes[(block + below(w, 2)) % POINTERS];
        return ACCD_OK;
    default:
        host.bytes[block][below(w, 100)] ^= 1;
        return device_put(w->context, host.bytes[block], &w->random, 8) ? ACCD_OK : ACCD_ERROR_NOT_PRESENT;
    }
}

static accd_status any_step(struct world *w, const struct setting *setting)
{
    accd_status status;
    if (once_in(w, 12) && !setting->queues) { /* what a queue does not do is over all the same */
        accd__inject_allocation_failure(w->context, 0, below(w, 3));
        accd__inject_copy_failure(w->context, 0, below(w, 4));
    }
    switch (below(w, 20)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
        status = run_construct(w, setting, ACCD_KIND_ENTER_DATA);
        break;
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
        status = run_construct(w, setting, ACCD_KIND_EXIT_DATA);
        break;
    case 11:
    case 12:
        status = run_construct(w, setting, ACCD_KIND_UPDATE);
        break;
    case 13:
    case 14:
        status = run_construct(w, setting, once_in(w, 2) ? ACCD_KIND_REGION : ACCD_KIND_COMPUTE);
        break;
    case 15:
    case 16:
    case 17:
        status = end_region(w);
        break;
    default:
        status = disturb(w);
        break;
    }
    accd__inject_allocation_failure(w->context, 0, 0);
    accd__inject_copy_failure(w->context, 0, 0);
    return status;
}

/* ------------------------------------------------------------------------------------ state -- */

static uint64_t hash_info(uint64_t hash, const accd_object_info *info)
{
    hash = mix_bytes(hash, info->name, strlen(info->name));
    hash = mix_bytes(hash, &info->host, sizeof info->host);
    hash = mix_bytes(hash, &info->bytes, sizeof info->bytes);
    hash = mix_bytes(hash, &info->line, sizeof info->line);
    return info->file ? mix_bytes(hash, info->file, strlen(info->file)) : hash;
}

/* Names, counters and levels: what digests leave out. */
static uint64_t hash_state(accd_context *context)
{
    uint64_t hash = 11;
    accd_present_object present;
    accd_level level;
    accd_clause clause;
    for (uint64_t at = 0; accd_present_next(context, 0, &at, &present);) {
        const uint32_t counters[] = {present.structured, present.dynamic, (uint32_t)present.mapped,
                                     (uint32_t)present.pointer};
        hash = mix_bytes(hash_info(hash, &present.info), counters, sizeof counters);
    }
    for (size_t i = 0; accd_level_get(context, 0, i, &level); i++) {
        const int numbers[] = {(int)level.kind, level.line, (int)level.clauses};
        hash = mix_bytes(mix_bytes(hash, numbers, sizeof numbers), level.name, strlen(level.name));
        for (size_t k = 0; accd_level_get_clause(context, 0, i, k, &clause); k++) {
            const int what[] = {(int)clause.action, clause.created};
            hash = mix_bytes(hash_info(hash, &clause.info), what, sizeof what);
        }
    }
    return hash;
}

#endif
