/* event.c - reports to a listener what a construct did: one event for each object, in the order of the
 * document's steps, whatever the transfers were. Costs nothing where there is no listener, nor
 * will be one when a queue gets there. */
#include "ops/leave.h"
#include "plan/fusion.h"
#include "table/name.h"

#include <stdio.h>

/* Whether the listener wants to hear of an operation; with its name. */
static bool hears(const struct accd_plan *plan, accd_op op) { return !(plan->context->unheard >> op & 1); }
static bool names(const struct accd_plan *plan, accd_op op) { return !(plan->context->unnamed >> op & 1); }

/* Whether a queue's listener hears it when the queue has got there. */
static bool comes_later(const struct accd_plan *plan, accd_op op)
{
    return plan->given.queue && (op == ACCD_OP_H2D || op == ACCD_OP_D2H || op == ACCD_OP_D2D ||
                                 op == ACCD_OP_FREE || op == ACCD_OP_KERNEL);
}

/* An event of a plan, without name and range. */
static accd_event event_of(const struct accd_plan *plan, accd_op op, enum accd_rule rule)
{
    const accd_construct *construct = plan->given.construct;
    return (accd_event){
        .op = op,
        .device = plan->dir->device.number,
        .rule = accd_rule_id(plan->context->config.rules, rule),
        .file = construct->file,
        .line = construct->line,
        .async = accd_async_of(plan->dir, construct->queue),
    };
}

static void tell(const struct accd_plan *plan, accd_op op, enum accd_rule rule, const char *name,
                 uint64_t host, uint64_t bytes)
{
    const accd_context_config *config = &plan->context->config;
    accd_event event = event_of(plan, op, rule);
    event.name = name;
    event.host = host;
    event.bytes = bytes;
    bool taken = comes_later(plan, op) && accd_queue_event(plan->given.queue, &event);
    if (!taken && config->on_event)
        config->on_event(config->event_ud, &event);
}

/* Bytes of a pointer: a descriptor is attached as a whole (FLANG-composite-1). */
static uint64_t pointer_bytes(uint32_t slot_bytes)
{
    return slot_bytes ? slot_bytes : sizeof(void *);
}

static void tell_claim(const struct accd_plan *plan, const struct accd_claim *claim, accd_op op,
                       enum accd_rule rule)
{
    char name[160] = "";
    bool pointer = op == ACCD_OP_ATTACH || op == ACCD_OP_DETACH;
    if (!hears(plan, op))
        return;
    if (pointer && accd_claim_slot_bytes(&plan->given, claim))
        rule = op == ACCD_OP_ATTACH ? R_ATTACH_DESCRIPTOR : R_DETACH_DESCRIPTOR;
    if (pointer && names(plan, op))
        accd_name_claim_slot(&plan->given, claim, name, sizeof name);
    else if (names(plan, op))
        accd_name_claim(&plan->given, claim, name, sizeof name);
    tell(plan, op, rule, name, pointer ? claim->slot : claim->host,
         pointer ? pointer_bytes(accd_claim_slot_bytes(&plan->given, claim)) : claim->bytes);
}

/* Elements of a section with gaps are reported as one. */
static bool same_section(const struct accd_move *a, const struct accd_move *b)
{
    return b->piece == ACCD_ONE_OF_RUN && b->claim == a->claim && b->out == a->out;
}

static void tell_moves(const struct accd_plan *plan, enum accd_rule rule)
{
    char name[160];
    for (size_t i = 0; i < plan->result.moves.n; i++) {
        const struct accd_move *move = &plan->result.moves.at[i];
        const struct accd_claim *claim = &plan->found.claims[move->claim];
        uint64_t bytes = move->bytes;
        const accd_op op = move->out ? ACCD_OP_D2H : ACCD_OP_H2D;
        if (!hears(plan, op))
            continue;
        if (!names(plan, op) && move->piece == ACCD_WHOLE) {
            tell(plan, op, rule, "", move->host, bytes);
            continue;
        }
        if (move->piece == ACCD_ONE_OF_RUN) {
            for (; i + 1 < plan->result.moves.n && same_section(move, &plan->result.moves.at[i + 1]); i++)
                bytes += plan->result.moves.at[i + 1].bytes;
            accd_name_claim(&plan->given, claim, name, sizeof name);
        } else if (move->piece == ACCD_WHOLE) {
            bool part = move->bytes < claim->bytes && accd_layout_of(plan->dir, claim->object);
            if (part) /* cut at a pointer */
                accd_name_element(plan->dir, claim->object, move->host - claim->object->host, bytes,
                                  name, sizeof name);
            else
                accd_name_claim(&plan->given, claim, name, sizeof name);
        } else {
            size_t from, to;
            const struct accd_rowset *set = accd_elements_of(plan, claim, &from, &to);
            accd_name_piece(plan->given.walk, set, move->row, &set->program->spec.pieces[move->piece],
                            name, sizeof name);
        }
        tell(plan, op, rule, name, move->host, bytes);
    }
}

/* A range by its first object: what is fused, or moves within the device. */
static void tell_range(const struct accd_plan *plan, accd_op op, enum accd_rule rule, uint64_t host,
                       uint64_t bytes)
{
    struct accd_object *object = NULL;
    char name[160] = "";
    if (!hears(plan, op))
        return;
    if (names(plan, op) && accd_find(plan->dir, host, &object) == ACCD_OK && object)
        accd_name_range(plan->dir, object, host - object->host, bytes, name, sizeof name);
    tell(plan, op, rule, name, host, bytes);
}

static void tell_copies(const struct accd_plan *plan, enum accd_rule rule)
{
    for (size_t i = 0; plan->found.fusion && i < plan->found.fusion->copies.n; i++)
        tell_range(plan, ACCD_OP_D2D, rule, plan->found.fusion->copies.at[i].host,
                   plan->found.fusion->copies.at[i].bytes);
}

static void tell_ranges(const struct accd_plan *plan)
{
    static const enum accd_rule rules[] = {R_FUSE_RANGE, R_FUSE_BASE, R_FUSE_SPLIT};
    const struct accd_fusion *fusion = plan->found.fusion;
    for (size_t i = 0; fusion && i < fusion->nranges; i++)
        if (!fusion->ranges[i].home)
            tell_range(plan, ACCD_OP_FUSE, rules[fusion->ranges[i].reason], fusion->ranges[i].host,
                       fusion->ranges[i].end - fusion->ranges[i].host);
    for (size_t i = 0; fusion && i < fusion->nranges; i++)
        if (!fusion->ranges[i].home)
            tell_range(plan, ACCD_OP_ALLOC, R_MEMORY, fusion->ranges[i].host,
                       fusion->ranges[i].end - fusion->ranges[i].host);
}

/* Memory that no tuple goes back to: of objects that were alone, and of whole tuples. */
static void tell_left(const struct accd_plan *plan)
{
    const struct accd_fusion *fusion = plan->found.fusion;
    for (size_t i = 0; fusion && i < fusion->shifts.n; i++)
        if (fusion->shifts.at[i].left)
            tell_range(plan, ACCD_OP_FREE, R_MEMORY, fusion->shifts.at[i].object->host,
                       fusion->shifts.at[i].left);
}

/* Whether an object's memory is a tuple's block, or was: that is reported as a whole, when it goes. What it had
 * for itself before is reported under its name. */
static bool lies_with_others(const struct accd_plan *plan, const struct accd_object *object)
{
    const struct accd_share *share = accd_share_of(plan->dir, object);
    const struct accd_block *block = accd_block_of(plan->dir, object);
    bool shared = object->size & ACCD_OBJECT_SHARED && block && block->host;
    return share && shared && !share->former &&
           (share->fused || block->bytes - accd_object_bytes(object) > 15);
}

/* How many places of a block are left with this exit. */
static size_t places_left(const struct leave *leave, const struct accd_block *block)
{
    const struct accd_plan *plan = leave->plan;
    size_t n = 0;
    for (size_t i = 0; i < leave->dying.n; i++) {
        const struct accd_share *share = accd_share_of(plan->dir, leave->dying.at[i]);
        n += leave->dying.at[i]->dev - block->dev < block->bytes;
        for (const struct accd_former *f = share ? share->former : NULL; f; f = f->below)
            n += f->dev - block->dev < block->bytes;
    }
    for (size_t i = 0; i < plan->found.fusion->shifts.n; i++)
        n += plan->found.fusion->shifts.at[i].from - block->dev < block->bytes;
    return n;
}

/* Blocks of tuples whose last object leaves them. */
static void tell_ends(const struct leave *leave)
{
    const struct accd_plan *plan = leave->plan;
    const struct accd_fusion *fusion = plan->found.fusion;
    const struct accd_block *last = NULL;
    for (size_t i = 0; fusion && i < fusion->regroups.n; i++) {
        const struct accd_fused *fused = fusion->regroups.at[i].fused;
        if (places_left(leave, fused->block) == fused->block->live)
            tell_range(plan, ACCD_OP_FREE, R_END_LEVEL, fused->host, fused->end - fused->host);
    }
    for (size_t i = 0; fusion && i < leave->dying.n; i++) { /* what a tuple left behind */
        const struct accd_object *object = leave->dying.at[i];
        const struct accd_share *share = accd_share_of(plan->dir, object);
        const struct accd_block *block = accd_block_of(plan->dir, object);
        if (!share || share->fused || !lies_with_others(plan, object) || block == last ||
            places_left(leave, block) != block->live)
            continue;
        last = block;
        tell_range(plan, ACCD_OP_FREE, R_END_LEVEL, object->host, block->bytes - block->ahead);
    }
}

/* What is reported of the sections of a group: events that differ in name and range. */
struct report {
    accd_context *context;
    struct accd_walk *walk;
    struct accd_bulk *bulk; /* of moves; otherwise NULL */
    accd_event event;
};

static void tell_one(const struct report *report, const char *name, uint64_t host, uint64_t bytes)
{
    const accd_context_config *config = &report->context->config;
    accd_event event = report->event;
    event.name = name;
    event.host = host;
    event.bytes = bytes;
    config->on_event(config->event_ud, &event);
}

/* The piece of an element that begins at an offset, or NULL. */
static const accd_piece *piece_at(const accd_program_spec *spec, uint64_t offset)
{
    for (size_t i = 0; i < spec->npieces; i++)
        if (spec->pieces[i].offset == offset)
            return &spec->pieces[i];
    return NULL;
}

/* Element by element. */
static void tell_rows(const struct report *report, const struct accd_rowset *set)
{
    const struct accd_walk *walk = report->walk;
    const struct accd_bulk *bulk = report->bulk;
    const bool pointer = report->event.op == ACCD_OP_ATTACH || report->event.op == ACCD_OP_DETACH;
    size_t nown = bulk ? accd_bulk_own(bulk, set) : 0;
    uint64_t own = 0, stride = set->program->spec.stride;
    char name[160];
    for (size_t k = 0; k < nown; k++)
        own += bulk->ranges[k].bytes;
    if (nown && own == stride && set->parent < 0) { /* one move for all elements */
        const struct accd_walk_root *root = &walk->roots[-1 - set->parent];
        accd_name_label(root->label, root->index, root->start, root->bytes, name, sizeof name);
        tell_one(report, name, root->host, root->bytes);
        nown = 0;
    }
    for (size_t row = 0; row < set->rows; row++) {
        for (size_t k = 0; k < nown; k++) {
            accd_name_piece(walk, set, row, piece_at(&set->program->spec, bulk->ranges[k].offset), name,
                            sizeof name);
            tell_one(report, name, accd_row_address(set, row) + bulk->ranges[k].offset,
                     bulk->ranges[k].bytes);
        }
        for (size_t f = 0; f < set->nsegments; f++) {
            const struct accd_segment *segment = &walk->segments[set->segments + f];
            uint64_t bytes = accd_section_bytes(segment, row);
            if (!bytes || !accd_segment_maps(segment) || (bulk && !accd_bulk_dense(bulk, segment)))
                continue;
            if (pointer) {
                accd_name_row_slot(walk, segment->first + row, name, sizeof name);
                tell_one(report, name, accd_section_slot(walk, segment, row),
                         accd_field_slot_bytes(segment->field));
            } else {
                accd_name_section(walk, segment->first + row, name, sizeof name);
                tell_one(report, name, segment->host[row], bytes);
            }
        }
    }
}

static void tell_report(const void *ud)
{
    const struct report *report = ud;
    for (size_t i = 0; report->context->config.on_event && i < report->walk->nrowsets; i++)
        tell_rows(report, &report->walk->rowsets[i]);
}

static void drop_report(void *ud)
{
    struct report *report = ud;
    accd_context *context = report->context;
    if (report->bulk)
        accd_bulk_drop(report->bulk);
    accd_walk_release(report->walk);
    accd_mem_free(&context->mem, report, sizeof *report);
}

/* Reports a leave when the queue has got there. False: it is to be reported now, for want of memory or because the
 * queue has got there. */
static bool leave_report(const struct accd_plan *plan, const struct report *report)
{
    struct report *kept =
        accd_is_concurrent(plan->dir) ? NULL : accd_mem_new(&plan->context->mem, sizeof *kept);
    if (!kept)
        return false;
    *kept = *report;
    kept->event.file = accd_keep_name(plan->context, report->event.file);
    kept->walk = accd_walk_retain(report->walk);
    kept->bulk = report->bulk ? accd_bulk_keep(report->bulk) : NULL;
    if ((!report->bulk || kept->bulk) && accd_queue_report(plan->given.queue, tell_report, drop_report, kept))
        return true;
    drop_report(kept);
    return false;
}

/* Sections of a group. */
static void tell_sections(const struct accd_plan *plan, accd_op op, enum accd_rule rule)
{
    const bool moves = op == ACCD_OP_H2D || op == ACCD_OP_D2H;
    if (!hears(plan, op))
        return;
    const struct report report = {.context = plan->context,
                                .walk = plan->given.walk,
                                .bulk = moves ? plan->result.bulk : NULL,
                                .event = event_of(plan, op, rule)};
    if (!comes_later(plan, op) || !leave_report(plan, &report))
        tell_report(&report);
}

void accd_tell_entry(const struct accd_plan *plan)
{
    if (!plan->context->config.on_event && !plan->given.queue)
        return;
    const enum accd_rule count = plan->given.construct->kind == ACCD_ENTER_DATA ? R_COUNT_DYNAMIC : R_COUNT;
    tell_ranges(plan);
    for (size_t i = 0; i < plan->found.nclaims; i++)
        if (plan->found.claims[i].state == ACCD_CLAIM_NEW && !accd_fuse_covers(plan, plan->found.claims[i].host))
            tell_claim(plan, &plan->found.claims[i], ACCD_OP_ALLOC, plan->context->verdicts.allocated);
    if (plan->found.new_group)
        tell_sections(plan, ACCD_OP_ALLOC, R_ALLOCATE);
    tell_copies(plan, R_COPY_IN_DEVICE);
    tell_left(plan);
    tell_moves(plan, plan->context->verdicts.sent);
    if (plan->result.bulk)
        tell_sections(plan, ACCD_OP_H2D, R_MOVE);
    for (size_t i = 0; i < plan->found.nclaims; i++)
        if (plan->found.claims[i].attached)
            tell_claim(plan, &plan->found.claims[i], ACCD_OP_ATTACH, R_ATTACH);
    if (plan->found.group)
        tell_sections(plan, ACCD_OP_ATTACH, R_ATTACH);
    for (size_t i = 0; i < plan->found.nclaims; i++)
        if (plan->found.claims[i].counted)
            tell_claim(plan, &plan->found.claims[i], ACCD_OP_INCREF, count);
    if (plan->found.group)
        tell_sections(plan, ACCD_OP_INCREF, count);
}

/* A kernel by what its construct names: "a, b", and "..." for what is too much. */
static void tell_kernel(const struct accd_plan *plan)
{
    const struct accd_given *given = &plan->given;
    char names[1000] = "", name[160];
    size_t n = 0;
    if (!hears(plan, ACCD_OP_KERNEL))
        return;
    for (size_t i = 0; i < given->construct->nitems; i++) {
        const struct accd_source *source = &given->sources[i];
        *name = 0;
        accd_name_source(source, source->host, source->bytes, name, sizeof name);
        bool fits = n + strlen(name) + 8 < sizeof names;
        if (*name)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", fits ? name : "...");
        if (!fits)
            break;
    }
    tell(plan, ACCD_OP_KERNEL, given->construct->queue ? R_QUEUE : R_KERNEL, names, 0, 0);
}

void accd_tell_exit(const struct leave *leave)
{
    const struct accd_plan *plan = leave->plan;
    if (!plan->context->config.on_event && !plan->given.queue)
        return;
    if (plan->given.leaving && plan->given.construct->kind == ACCD_COMPUTE && !leave->abandon)
        tell_kernel(plan);
    const enum accd_rule count = plan->given.construct->kind == ACCD_EXIT_DATA ? R_UNCOUNT_DYNAMIC : R_LEAVE;
    char name[160];
    for (size_t i = 0; i < plan->found.nclaims; i++)
        if (plan->found.claims[i].detached)
            tell_claim(plan, &plan->found.claims[i], ACCD_OP_DETACH, R_DETACH);
    for (size_t i = 0; i < leave->removed.n; i++) {
        const struct accd_attach *attach = leave->removed.at[i]->attach;
        if (!leave->removed.at[i]->forced) /* a clause has detached it */
            continue;
        if (!hears(plan, ACCD_OP_DETACH))
            continue;
        accd_name_slot(plan->dir, attach->slot, attach->label, name, sizeof name);
        tell(plan, ACCD_OP_DETACH, attach->holds_record ? R_RECORD : R_STILL_ATTACHED, name, attach->slot,
             accd_attach_end(attach) - attach->slot);
    }
    if (leave->group_leaves)
        tell_sections(plan, ACCD_OP_DETACH, R_DETACH);
    for (size_t i = 0; i < plan->found.nclaims; i++)
        if (plan->found.claims[i].taken)
            tell_claim(plan, &plan->found.claims[i], ACCD_OP_DECREF, count);
    for (size_t i = 0; i < leave->removed.n; i++) {
        const struct accd_object *record = leave->removed.at[i]->record;
        if (!record || !hears(plan, ACCD_OP_DECREF))
            continue;
        accd_name_object(plan->dir, record, name, sizeof name);
        tell(plan, ACCD_OP_DECREF, R_RECORD, name, record->host, accd_object_bytes(record));
    }
    if (leave->group_leaves)
        tell_sections(plan, ACCD_OP_DECREF, count);
    tell_moves(plan, plan->context->verdicts.fetched);
    if (plan->result.bulk)
        tell_sections(plan, ACCD_OP_D2H, R_LEAVE);
    tell_copies(plan, R_COPY_BACK);
    tell_ends(leave);
    for (size_t i = 0; i < leave->dying.n; i++) {
        const struct accd_object *object = leave->dying.at[i];
        if (plan->found.fusion && lies_with_others(plan, object))
            continue;
        if (!hears(plan, ACCD_OP_FREE))
            continue;
        *name = 0;
        if (names(plan, ACCD_OP_FREE))
            accd_name_object(plan->dir, object, name, sizeof name);
        tell(plan, ACCD_OP_FREE, R_LEAVE, name, object->host, accd_object_bytes(object));
    }
    if (leave->group_dies)
        tell_sections(plan, ACCD_OP_FREE, R_LEAVE);
}

void accd_tell_update(const struct accd_plan *plan)
{
    if (!plan->context->config.on_event && !plan->given.queue)
        return;
    tell_moves(plan, R_UPDATE);
    if (plan->result.bulk)
        tell_sections(plan, plan->result.bulk->out ? ACCD_OP_D2H : ACCD_OP_H2D, R_UPDATE);
}
