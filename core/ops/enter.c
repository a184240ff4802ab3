/* enter.c - entry constructs: structured and compute regions, enter data.
 *
 * The four steps of TR14 4.2: one set of claims from all clauses; those on present data; conflicts
 * among the others, of which only the largest of nested ones gets memory; references for all. */
#include "ops/inside.h"
#include "plan/fusion.h"
#include "plan/ledger.h"
#include "table/name.h"

/* Members of an aggregate that is not mapped itself: they lie in one block as they do in it. */
struct frame {
    struct accd_span at; /* of its host address, in the entry's frames_at */
    uint64_t host, dev, bytes;
    size_t objects;           /* that this construct puts there */
    struct accd_block *block; /* of members that are present already, or NULL */
};

struct entry {
    struct accd_plan *plan;
    struct accd_links links;
    uint64_t block_dev, block_bytes; /* shared by small objects */
    size_t block_objects;
    struct frame *frames;
    size_t nframes;
    struct accd_span *frames_at;
    size_t taken;                    /* fresh claims that have memory */
    uint64_t group_dev, group_bytes;
    struct accd_region *region;
    struct accd_release *release;    /* what goes with attachments that are made anew, or NULL */
};

/* --------------------------------------------------------------------------------- 1. reserve -- */

/* Decides HOUSE-memory. */
accd_status accd_device_full(const struct accd_plan *plan, const struct accd_claim *claim,
                             accd_status status, uint64_t bytes)
{
    if (accd_is_of_queue(status))
        return status;
    accd_claim_error(plan, claim, NULL, status, R_ALLOCATE,
                     "device %d has no %llu bytes of memory left for " ACCD_ASKED,
                     plan->dir->device.number, (unsigned long long)bytes);
    return accd_say_why(&plan->dir->device, status);
}

/* Device memory for what a claim asks for. */
static accd_status alloc_for(struct accd_plan *plan, const struct accd_claim *claim, uint64_t bytes, uint64_t *dev_p)
{
    accd_status status = accd_alloc_memory(plan->dir, bytes, dev_p);
    return status == ACCD_OK ? ACCD_OK : accd_device_full(plan, claim, status, bytes);
}

/* The aggregate that a claim is a member of, or 0. */
static uint64_t aggregate_of(const struct accd_plan *plan, const struct accd_claim *claim)
{
    return claim->source & ACCD_CLAIM_WALKED
               ? 0
               : accd_address(plan->given.construct->items[claim->source].frame);
}

/* The same, if its members have one block: not where the base fuses, or members come together in one object. */
static uint64_t frame_of(const struct accd_plan *plan, const struct accd_claim *claim)
{
    const accd_rules *rules = &plan->context->rules;
    return rules->fusion || plan->context->verdicts.holes ? 0 : aggregate_of(plan, claim);
}

static size_t framed_claims(const struct accd_plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->found.nfresh; i++)
        n += frame_of(plan, &plan->found.claims[plan->found.fresh[i]]) != 0;
    return n;
}

/* The frame of a claim; gets memory unless other members of the aggregate have it. */
static accd_status open_frame(struct entry *entry, const struct accd_claim *claim, struct frame **frame_p)
{
    struct accd_plan *plan = entry->plan;
    struct accd_directory *dir = plan->dir;
    uint64_t host = frame_of(plan, claim);
    const struct accd_span *open = accd_span_first(entry->frames_at, host, host + 1, NULL, NULL);
    if (open) {
        *frame_p = open->owner;
        return ACCD_OK;
    }
    struct frame *frame = &entry->frames[entry->nframes];
    struct accd_block *block = accd_range_floor(&dir->present.frames, host);
    *frame = (struct frame){.at = {.low = host, .high = host + 1, .owner = frame}, .host = host};
    if (block && block->frame == host) {
        frame->block = block;
        frame->dev = block->dev;
        frame->bytes = block->bytes;
    } else {
        frame->bytes = plan->given.construct->items[claim->source].room;
        ACCD_TRY(alloc_for(plan, claim, frame->bytes, &frame->dev));
    }
    entry->nframes++;
    accd_span_put(&entry->frames_at, &frame->at);
    *frame_p = frame;
    return ACCD_OK;
}

static accd_status place_in_frame(struct entry *entry, const struct accd_claim *claim, uint64_t *dev_p)
{
    struct frame *frame = NULL;
    ACCD_TRY(open_frame(entry, claim, &frame));
    uint64_t into = claim->host - frame->host;
    if (into > frame->bytes || claim->bytes > frame->bytes - into)
        return accd_claim_error(entry->plan, claim, NULL, ACCD_PARTIALLY_PRESENT,
                                R_PARTIALLY_PRESENT,
                                "members of the same aggregate are present, and their device "
                                "memory has no room for " ACCD_ASKED "; map them in one directive");
    frame->objects++;
    *dev_p = frame->dev + into;
    return ACCD_OK;
}

/* Shares the block of small objects, which lie in it one behind the other. */
static bool small(const struct accd_plan *plan, const struct accd_claim *claim)
{
    return claim->bytes < plan->dir->device.ops->small && !frame_of(plan, claim) &&
           !accd_fuse_covers(plan, claim->host);
}

/* Whether a program names no bytes of its elements: only pointers that it follows, and those that it leaves. */
static bool names_nothing(const accd_program *program)
{
    bool nothing = !program || !program->again;
    for (size_t i = 0; program && i < program->spec.npieces && nothing; i++)
        nothing = program->spec.pieces[i].entry_only;
    for (size_t i = 0; program && i < program->spec.nfields && nothing; i++)
        if (program->spec.fields[i].embedded || program->spec.fields[i].in_place)
            nothing = program->spec.fields[i].child && names_nothing(program->spec.fields[i].child);
    return nothing;
}

/* The place of a new object on the device. *block: where the next one of the small ones lies. */
static accd_status place_object(struct entry *entry, const struct accd_claim *claim, uint64_t *block, uint64_t *dev_p,
                                bool *shared_p)
{
    struct accd_plan *plan = entry->plan;
    *shared_p = true;
    if (entry->block_objects && small(plan, claim)) {
        *dev_p = *block;
        *block += accd_padded(claim->bytes);
    } else if (accd_fuse_covers(plan, claim->host)) {
        *dev_p = accd_fuse_dev(plan, claim->host);
    } else if (frame_of(plan, claim)) {
        ACCD_TRY(place_in_frame(entry, claim, dev_p));
    } else {
        *shared_p = false;
        ACCD_TRY(alloc_for(plan, claim, claim->bytes, dev_p));
    }
    return ACCD_OK;
}

static accd_status reserve_objects(struct entry *entry)
{
    struct accd_plan *plan = entry->plan;
    struct accd_directory *dir = plan->dir;
    uint64_t block = entry->block_dev, dev = 0;
    while (entry->taken < plan->found.nfresh) {
        struct accd_claim *claim = &plan->found.claims[plan->found.fresh[entry->taken]];
        bool shared = false;
        ACCD_TRY(place_object(entry, claim, &block, &dev, &shared));
        claim->object = accd_pool_take(&dir->present.object_pool);
        *claim->object = (struct accd_object){.host = claim->host, .size = claim->bytes, .dev = dev};
        if (claim->flags & ACCD_ITEM_POINTER)
            claim->object->size |= ACCD_OBJECT_POINTER;
        if (plan->context->rules.fusion && claim->action == ACCD_HOLD &&
            names_nothing(accd_claim_program(&plan->given, claim)))
            claim->object->size |= ACCD_OBJECT_HELD;
        if (shared)
            claim->object->size |= ACCD_OBJECT_SHARED;
        entry->taken++;
        if (dir->queues.ntasks && shared) /* a place that others left */
            ACCD_TRY(accd_pending_finish(dir, dev, claim->bytes));
    }
    return ACCD_OK;
}

/* Decides TR14-4.2-06, TR14-1.2-02, TR14-4.3-20, DIR-4.1-04, LLNL-2.1-03. */
static accd_status reserve_memory(struct entry *entry)
{
    struct accd_plan *plan = entry->plan;
    size_t nsmall = 0;
    if (plan->found.fusion)
        ACCD_TRY(accd_fuse_place(plan));
    for (size_t i = 0; i < plan->found.nfresh; i++) {
        const struct accd_claim *claim = &plan->found.claims[plan->found.fresh[i]];
        if (!small(plan, claim))
            continue;
        nsmall++;
        entry->block_bytes += accd_padded(claim->bytes);
    }
    if (nsmall > 1) {
        const struct accd_claim *first = &plan->found.claims[plan->found.fresh[0]];
        ACCD_TRY(alloc_for(plan, first, entry->block_bytes, &entry->block_dev));
        entry->block_objects = nsmall;
    }
    ACCD_TRY(reserve_objects(entry));
    if (!plan->found.new_group)
        return ACCD_OK;
    const struct accd_walk *walk = plan->given.walk;
    ACCD_EACH_SEGMENT(segment, walk)
        entry->group_bytes += accd_segment_maps(segment) ? segment->total : 0;
    ACCD_TRY(alloc_for(plan, &plan->found.claims[walk->roots[0].item], entry->group_bytes, &entry->group_dev));
    struct accd_block *block = accd_pool_take(&plan->dir->present.block_pool);
    *block = (struct accd_block){
        .dev = entry->group_dev, .bytes = entry->group_bytes, .live = plan->found.group->live};
    plan->found.group->block = block;
    return ACCD_OK;
}

static void give_memory_back(struct entry *entry)
{
    struct accd_plan *plan = entry->plan;
    struct accd_directory *dir = plan->dir;
    for (size_t i = 0; i < entry->taken; i++) {
        struct accd_object *object = plan->found.claims[plan->found.fresh[i]].object;
        if (!(object->size & ACCD_OBJECT_SHARED))
            accd_free_memory(dir, object->dev, accd_object_bytes(object));
        accd_pool_give(&dir->present.object_pool, object);
    }
    if (entry->block_objects)
        accd_free_memory(dir, entry->block_dev, entry->block_bytes);
    for (size_t i = 0; i < entry->nframes; i++)
        if (!entry->frames[i].block)
            accd_free_memory(dir, entry->frames[i].dev, entry->frames[i].bytes);
    if (plan->found.new_group && plan->found.group->block) {
        accd_free_memory(dir, entry->group_dev, entry->group_bytes);
        accd_pool_give(&dir->present.block_pool, plan->found.group->block);
    }
}

static accd_status reserve_region(struct entry *entry)
{
    struct accd_plan *plan = entry->plan;
    const accd_construct *construct = plan->given.construct;
    if (construct->kind == ACCD_ENTER_DATA)
        return ACCD_OK;
    size_t nitems = construct->nitems;
    size_t originals = plan->found.fusion ? plan->found.fusion->noriginals : 0;
    size_t bytes = sizeof(struct accd_region) + plan->found.nclaims * sizeof(struct accd_claim) +
                   nitems * sizeof(struct accd_source) +
                   originals * sizeof(struct accd_original *) + plan->given.ngaps * sizeof(struct accd_gaps);
    struct accd_region *region = accd_mem_new(&plan->context->mem, bytes);
    if (!region)
        return accd_out_of_memory(plan->context, "for a data region");
    *region = (struct accd_region){
        .context = plan->context,
        .dir = plan->dir,
        .kind = construct->kind,
        .name = construct->name,
        .file = construct->file,
        .line = construct->line,
        .thread = construct->thread,
        .queue = construct->queue,
        .opened = plan->given.queue ? plan->given.queue->asked : 0,
        .nitems = nitems,
        .nclaims = plan->found.nclaims,
        .ngaps = plan->given.ngaps,
        .bytes = bytes,
    };
    region->claims = (struct accd_claim *)(region + 1);
    region->items = (struct accd_source *)(region->claims + plan->found.nclaims);
    region->originals = (struct accd_original **)(region->items + nitems);
    region->gaps = (struct accd_gaps *)(region->originals + originals);
    memcpy(region->items, plan->given.sources, nitems * sizeof region->items[0]);
    if (plan->given.ngaps)
        memcpy(region->gaps, plan->given.gaps, plan->given.ngaps * sizeof region->gaps[0]);
    entry->region = region;
    return ACCD_OK;
}

/* Whether the name of an object needs more than its label. */
static bool needs_origin(const struct accd_plan *plan, const struct accd_source *source,
                         const struct accd_claim *claim)
{
    return accd_source_start(source, claim->host) ||
           accd_label_counts(source->label) || accd_claim_base(plan, claim);
}

/* Whether a list item of enter data begins an extended range of its own on data that are there. */
static bool lowers_base(const struct accd_plan *plan, const struct accd_claim *claim)
{
    bool there = claim->state == ACCD_CLAIM_PRESENT && !(claim->object->size & ACCD_OBJECT_MEMBER);
    return plan->given.construct->kind == ACCD_ENTER_DATA && (there || claim->state == ACCD_CLAIM_WITHIN) &&
           accd_claim_base(plan, claim);
}

static void lower_base(struct accd_plan *plan, const struct accd_claim *claim)
{
    struct accd_object *object = claim->object;
    uint64_t base = accd_claim_base(plan, claim);
    if (!(object->size & ACCD_OBJECT_ORIGIN)) {
        object->where = accd_new_origin(
            plan->dir, &(struct accd_origin){.label = object->where, .item = object->where});
        object->size |= ACCD_OBJECT_ORIGIN;
    }
    struct accd_origin *origin = &plan->dir->present.origins[object->where];
    if (!origin->base || base < origin->base)
        origin->base = base;
}

static size_t origins_needed(const struct accd_plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->found.nfresh; i++) {
        const struct accd_claim *claim = &plan->found.claims[plan->found.fresh[i]];
        const struct accd_source *source = accd_claim_source(&plan->given, claim);
        n += !source || needs_origin(plan, source, claim);
    }
    for (size_t i = 0; plan->context->rules.extended_range && i < plan->found.nclaims; i++)
        n += lowers_base(plan, &plan->found.claims[i]);
    return n;
}

static accd_status reserve_records(struct entry *entry)
{
    struct accd_plan *plan = entry->plan;
    size_t attachments =
        plan->dir->attached.nrecords ? entry->links.anew : 0; /* they may be removed before */
    for (size_t i = 0; i < entry->links.n; i++)
        attachments += !entry->links.at[i].attach;
    size_t framed = framed_claims(plan);
    if (framed) {
        ACCD_TAKE(plan->context, entry->frames, framed);
    }
    size_t blocks = (plan->found.nfresh > 1) + (size_t)plan->found.new_group + framed;
    if (plan->found.fusion) {
        ACCD_TRY(accd_fuse_reserve(plan));
        blocks += plan->found.fusion->blocks;
    }
    size_t origins = origins_needed(plan);
    if (!plan->found.nfresh && !attachments && !blocks && !origins)
        return ACCD_OK;
    ACCD_TRY(accd_directory_reserve(plan->dir, plan->found.nfresh, origins, attachments, blocks));
    if (plan->found.fusion)
        plan->dir->promised.objects += plan->found.fusion->shifts.n; /* they get other places on the device */
    return ACCD_OK;
}

/* ---------------------------------------------------------------------------------- 2. moves -- */

/* Bytes that are there and come from the host all the same: attached pointers are kept.
 * Decides DIR-6-04. */
static accd_status plan_refresh(struct accd_plan *plan, bool *any_p)
{
    *any_p = false;
    for (uint32_t i = 0; i < plan->found.nclaims; i++)
        if (accd_claim_refreshes(&plan->found.claims[i])) {
            *any_p = true;
            ACCD_TRY(accd_plan_own_bytes(plan, i, false));
        }
    if (!*any_p)
        return ACCD_OK;
    ACCD_TRY(accd_plan_merge(plan));
    return accd_plan_keep_pointers(plan);
}

/* Where list items count: marks the claims that do not, when new objects are known. */
static void mark_uncounted(struct accd_plan *plan)
{
    struct accd_claim *claims = plan->found.claims;
    for (size_t i = 0; i < plan->found.nclaims; i++)
        if (claims[i].state == ACCD_CLAIM_WITHIN)
            claims[i].object = claims[claims[i].owner].object;
    accd_plan_together(plan);
}

/* Decides TR14-4.2-07, TR14-4.3-09, ACC33-2.7.2-1, LLNL-2.1-02, OMP60-map-5. */
static accd_status plan_moves(struct entry *entry)
{
    struct accd_plan *plan = entry->plan;
    const bool items = plan->context->rules.counting == ACCD_COUNT_ITEMS;
    bool refreshes;
    if (plan->found.fusion)
        ACCD_TRY(accd_fuse_moves(plan));
    ACCD_TRY(plan_refresh(plan, &refreshes));
    if (items)
        mark_uncounted(plan);
    for (uint32_t i = 0; i < plan->found.nclaims; i++) {
        struct accd_claim *claim = &plan->found.claims[i];
        if (claim->state == ACCD_CLAIM_WITHIN)
            claim->object = plan->found.claims[claim->owner].object;
        if (claim->state != ACCD_CLAIM_NEW && claim->state != ACCD_CLAIM_WITHIN)
            continue;
        if (items && claim->state == ACCD_CLAIM_WITHIN &&
            !(claim->flags & (ACCD_ITEM_UNCOUNTED | ACCD_ITEM_ALWAYS_IN)))
            continue; /* an item before it made the data present */
        bool in_bulk = plan->result.bulk && !(claim->source & ACCD_CLAIM_WALKED) &&
                       plan->given.sources[claim->source].root >= 0;
        if (!in_bulk)
            ACCD_TRY(accd_plan_own_bytes(plan, i, false));
    }
    ACCD_TRY(accd_plan_merge(plan));
    ACCD_TRY(accd_plan_clears(plan));
    return accd_links_words(&entry->links);
}

/* Roots of the walk whose sections are a new group: their own bytes go with the group. */
static accd_status plan_bulk(struct entry *entry)
{
    struct accd_plan *plan = entry->plan;
    if (!plan->found.new_group)
        return ACCD_OK;
    ACCD_TRY(accd_bulk_begin(plan, plan->found.group));
    plan->result.bulk->entry = true;
    for (size_t i = 0; i < plan->given.walk->nroots; i++) {
        struct accd_claim *root = &plan->found.claims[plan->given.walk->roots[i].item];
        if (root->state == ACCD_CLAIM_WITHIN)
            root->object = plan->found.claims[root->owner].object;
        accd_bulk_root(plan, i, root->object);
        plan->result.bulk->own[i] = root->state != ACCD_CLAIM_PRESENT;
    }
    return ACCD_OK;
}

/* --------------------------------------------------------------------------------- 3. commit -- */

static void note_where(struct accd_plan *plan, const struct accd_claim *claim)
{
    struct accd_object *object = claim->object;
    const struct accd_source *source = accd_claim_source(&plan->given, claim);
    if (source) {
        uint32_t label = source->label ? source->label->id : 0;
        object->where = label;
        if (claim->bytes != source->bytes)
            object->size |= ACCD_OBJECT_PIECE;
        if (!needs_origin(plan, source, claim))
            return;
        struct accd_origin origin = {.slot = claim->slot,
                                     .base = accd_claim_base(plan, claim),
                                     .start = accd_source_start(source, claim->host),
                                     .label = label,
                                     .item = label};
        memcpy(origin.index, source->index, sizeof origin.index);
        object->where = accd_new_origin(plan->dir, &origin);
    } else {
        size_t row;
        const struct accd_segment *segment = accd_claim_segment(&plan->given, claim, &row);
        const accd_label *item = accd_section_root(plan->given.walk, segment)->label;
        struct accd_origin origin = {
            .slot = claim->slot,
            .base = accd_claim_base(plan, claim),
            .start = accd_section_start(segment, row),
            .label = segment->field->label ? segment->field->label->id : 0,
            .item = item ? item->id : 0,
        };
        origin.root = accd_name_root(plan->given.walk, segment, row, origin.index);
        object->where = accd_new_origin(plan->dir, &origin);
    }
    object->size |= ACCD_OBJECT_ORIGIN;
}

static void commit_group(struct entry *entry)
{
    struct accd_plan *plan = entry->plan;
    struct accd_directory *dir = plan->dir;
    struct accd_group *group = plan->found.group;
    if (!group)
        return;
    if (plan->found.new_group) {
        accd_range_insert(&dir->present.blocks, group->block->dev, group->block);
        accd_group_wait(dir, group);
        dir->present.live += group->live;
        dir->attached.live += group->live;
    }
    if (plan->found.new_group || plan->context->verdicts.counts_attachments)
        group->attached++;
    *(plan->given.construct->kind == ACCD_ENTER_DATA ? &group->dynamic : &group->structured) += 1;
}

/* Whether a claim counts; the object of a region's item that does not may go while the region is open. */
static bool counts(struct accd_plan *plan, struct accd_claim *claim, bool dynamic)
{
    if (accd_claim_counts(plan, claim))
        return true;
    claim->flags |= ACCD_ITEM_UNCOUNTED; /* to its end, whatever is there then */
    if (!dynamic && !(claim->source & ACCD_CLAIM_WALKED)) /* those have a root in the object */
        claim->object->size |= ACCD_OBJECT_NAMED;
    return false;
}

/* Where constructs count, the first claim on each object does (OMP60-map-5), unless the program's own memory
 * is mapped there: that has references without end. Where items count, so does each claim.
 * Decides TR14-4.2-08, TR14-4.3-21, ACC33-2.6.7-1, ACC33-2.6.7-2, OMP60-map-5. */
static void count_claims(struct accd_plan *plan, bool dynamic)
{
    const accd_counting counting = plan->context->rules.counting;
    const bool once = counting == ACCD_COUNT_CONSTRUCTS;
    const uint64_t uncounted = counting == ACCD_COUNT_CLAUSES ? 0 : ACCD_OBJECT_MAPPED | ACCD_OBJECT_TOUCHED;
    for (size_t i = 0; i < plan->found.nclaims; i++) {
        struct accd_claim *claim = &plan->found.claims[i];
        struct accd_object *object = claim->object;
        if (!object || !counts(plan, claim, dynamic))
            continue;
        if (!(claim->flags & ACCD_ITEM_POINTER))
            object->size &= ~ACCD_OBJECT_POINTER;
        claim->counted = !(object->size & uncounted);
        *(dynamic ? &object->dynamic : &object->structured) += claim->counted;
        if (claim->flags & ACCD_ITEM_CHAIN)
            object->dynamic += claim->counted;
        if (once && claim->counted)
            object->size |= ACCD_OBJECT_TOUCHED;
    }
    for (size_t i = 0; once && i < plan->found.nclaims; i++)
        if (plan->found.claims[i].object)
            plan->found.claims[i].object->size &= ~ACCD_OBJECT_TOUCHED;
}

static void commit(struct entry *entry)
{
    struct accd_plan *plan = entry->plan;
    struct accd_directory *dir = plan->dir;
    const accd_rules *rules = &plan->context->rules;
    bool dynamic = plan->given.construct->kind == ACCD_ENTER_DATA;
    if (entry->block_objects)
        accd_insert_block(dir, &(struct accd_block){.dev = entry->block_dev,
                                                    .bytes = entry->block_bytes,
                                                    .live = entry->block_objects});
    for (size_t i = 0; i < entry->nframes; i++) {
        const struct frame *frame = &entry->frames[i];
        if (frame->block)
            frame->block->live += frame->objects;
        else
            accd_insert_block(dir, &(struct accd_block){.dev = frame->dev,
                                                        .bytes = frame->bytes,
                                                        .live = frame->objects,
                                                        .frame = frame->host});
    }
    for (size_t i = 0; i < plan->found.nfresh; i++) {
        struct accd_claim *claim = &plan->found.claims[plan->found.fresh[i]];
        note_where(plan, claim);
        accd_insert_object(dir, claim->object);
    }
    for (size_t i = 0; rules->extended_range && i < plan->found.nclaims; i++)
        if (lowers_base(plan, &plan->found.claims[i]))
            lower_base(plan, &plan->found.claims[i]);
    uint64_t serial = ++dir->levels.serial;
    if (plan->found.fusion)
        accd_fuse_commit(plan, entry->region, serial);
    accd_links_commit(&entry->links);
    accd_links_free(&entry->links);
    count_claims(plan, dynamic);
    commit_group(entry);
    struct accd_region *region = entry->region;
    if (!region)
        return;
    memcpy(region->claims, plan->found.claims, plan->found.nclaims * sizeof region->claims[0]);
    for (size_t i = 0; !plan->context->verdicts.counts_attachments && i < plan->found.nclaims; i++)
        region->claims[i].attached = false; /* its end detaches nothing */
    region->walk = plan->given.walk ? accd_walk_retain(plan->given.walk) : NULL;
    region->group = plan->found.group;
    region->serial = serial;
    region->below = dir->levels.top;
    dir->levels.top = region;
    dir->levels.depth++;
}

/* Decides HOUSE-expect, HOUSE-memory. */
static void undo(struct entry *entry)
{
    struct accd_plan *plan = entry->plan;
    if (entry->release)
        accd_release_undo(entry->release);
    if (plan->found.fusion)
        accd_fuse_undo(plan);
    accd_links_free(&entry->links);
    give_memory_back(entry);
    if (plan->found.new_group)
        accd_group_free(plan->dir, plan->found.group);
    if (entry->region)
        accd_mem_free(&plan->context->mem, entry->region, entry->region->bytes);
}

/* The end of what must be absent of each aggregate for a member to be new: of the last member that the construct
 * names, or, where members come in one object, of the aggregate. By aggregates; NULL: no memory. */
static const struct accd_pair *frame_ends(const struct accd_plan *plan, size_t *n_p)
{
    const accd_construct *construct = plan->given.construct;
    const bool whole = plan->context->verdicts.holes;
    struct accd_pair *ends = accd_scratch_take(&plan->context->scratch, 2 * construct->nitems * sizeof *ends);
    size_t n = 0, kept = 0;
    if (!ends)
        return NULL;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        const uint64_t frame = accd_address(item->frame);
        if (frame)
            ends[n++] = (struct accd_pair){frame, whole ? frame + item->room : accd_address(item->host) + item->bytes};
    }
    ends = accd_sort_pairs(ends, ends + construct->nitems, n);
    for (size_t i = 0; i < n; i++) {
        if (!kept || ends[kept - 1].key != ends[i].key)
            ends[kept++] = ends[i];
        else if (ends[i].value > ends[kept - 1].value)
            ends[kept - 1].value = ends[i].value;
    }
    *n_p = kept;
    return ends;
}

static accd_status grows(const struct accd_plan *plan, const struct accd_claim *claim,
                         const struct accd_object *object)
{
    if (plan->context->verdicts.holes)
        return accd_claim_reject(plan, claim, object,
                                 accd_claim_verdict(plan, claim, ACCD_ASKS_NEW, ACCD_FOUND_EXCLUDED));
    return accd_claim_error(plan, claim, object, ACCD_PARTIALLY_PRESENT, R_PARTIALLY_PRESENT,
                            "other members of the same aggregate as " ACCD_ASKED " are present, and %s "
                            "maps all of them together",
                            plan->context->rules.name);
}

/* Members of an aggregate that is not mapped itself come together or not at all, if the rules say so.
 * Decides OMP60-map-13. */
static __attribute__((noinline, cold)) accd_status check_frames(struct accd_plan *plan)
{
    const struct accd_pair *ends = NULL;
    size_t n = 0;
    for (size_t i = 0; i < plan->found.nfresh; i++) {
        const struct accd_claim *claim = &plan->found.claims[plan->found.fresh[i]];
        const uint64_t frame = aggregate_of(plan, claim);
        if (frame && !ends)
            ends = frame_ends(plan, &n);
        if (frame && !ends)
            return accd_plan_no_memory(plan->context);
        const uint64_t end = frame ? ends[ACCD_FIRST_ABOVE(ends, key, n, frame) - 1].value : 0;
        enum accd_relation relation;
        struct accd_object *object;
        if (end <= frame)
            continue;
        ACCD_TRY(accd_relate(plan->dir, frame, end - frame, &relation, &object));
        if (relation != ACCD_NONE)
            return grows(plan, claim, object);
    }
    return ACCD_OK;
}

/* All that may fail. */
static accd_status plan_and_move(struct entry *entry)
{
    struct accd_plan *plan = entry->plan;
    if (plan->given.walk && !plan->dir->attached.nrecords) /* what goes may be looked for among its sections */
        ACCD_TRY(accd_plan_group(plan));
    if (plan->given.walk && !plan->found.group)
        ACCD_TRY(accd_plan_sections(plan));
    if (accd_fuse_wanted(plan))
        ACCD_TRY(accd_fuse_begin(plan));
    ACCD_TRY(accd_resolve_entry(plan));
    if (plan->found.fusion)
        ACCD_TRY(accd_fuse_plan(plan));
    if (plan->context->rules.frame_grows == ACCD_REJECT)
        ACCD_TRY(check_frames(plan));
    ACCD_TRY(accd_links_plan(&entry->links));
    ACCD_TRY(reserve_records(entry));
    ACCD_TRY(reserve_region(entry));
    ACCD_TRY(reserve_memory(entry));
    ACCD_TRY(plan_bulk(entry));
    ACCD_TRY(accd_links_release(&entry->links, &entry->release));
    ACCD_TRY(plan_moves(entry));
    if (plan->dir->journal)
        ACCD_TRY(accd_journal_entry(plan, &entry->links));
    return accd_plan_commit(plan);
}

/* Decides TR14-1.2-13, FLANG-order-1, FLANG-api-7. */
accd_status accd_enter(struct accd_plan *plan, struct accd_region **region_p)
{
    struct entry entry = {.plan = plan, .links = {.plan = plan}};
    accd_status status = plan_and_move(&entry);
    if (status != ACCD_OK) {
        undo(&entry);
        return status;
    }
    if (entry.release)
        accd_release_commit(entry.release);
    else
        accd_ledger_apply(plan);
    commit(&entry);
    accd_tell_entry(plan);
    if (region_p)
        *region_p = entry.region;
    return ACCD_OK;
}
