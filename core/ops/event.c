/* event.c - reports to an observer (callback config.on_event) what a construct did. There is one event for each
 * operation on an object, in the order of the document's steps, however bytes were transferred. Called after a
 * construct has succeeded. An event of queued work is reported when the queue executes the work. If the observer does
 * not want an operation, no event of that operation is made. */
#include "ops/exit_plan.h"
#include "plan/fusion.h"
#include "table/find.h"
#include "table/label.h"
#include "table/name.h"
#include "table/objects.h"

#include <assert.h>
#include <stdio.h>

/* True if the observer wants events of the operation `op`. */
static bool is_observed(const struct accd__plan *plan, accd_op op)
{
    return !(plan->context->muted_ops >> op & 1);
}
/* True if the observer wants events of the operation `op` with the names of data. */
static bool is_named(const struct accd__plan *plan, accd_op op)
{
    return !(plan->context->unnamed_ops >> op & 1);
}

/* True if an event of `op` is reported later, when the queue has executed the work. That is so if the construct is
 * queued, and `op` is a copy, a free or a kernel. */
static bool is_deferred(const struct accd__plan *plan, accd_op op)
{
    return plan->input.queue &&
           (op == ACCD_OP_H2D || op == ACCD_OP_D2H || op == ACCD_OP_D2D || op == ACCD_OP_FREE || op == ACCD_OP_KERNEL);
}

/* Returns an event of the operation `op` in the construct of a plan, which cites `rule`. The caller sets name and
 * range. */
static accd_event make_event(const struct accd__plan *plan, accd_op op, enum accd__rule rule)
{
    const accd_construct *construct = plan->input.construct;
    return (accd_event){
        .op = op,
        .device = plan->env->device.number,
        .rule = accd__rule_id(plan->context->config.rules, rule),
        .file = construct->file,
        .line = construct->line,
        .async = accd__queue_async(plan->env, construct->queue),
    };
}

/* Reports an event of the operation `op`, which cites `rule`, on the range of `bytes` bytes at `host`, called `name`.
 * If the work is queued, leaves the report to the queue; if the queue does not take it, reports it now. */
static void emit(const struct accd__plan *plan, accd_op op, enum accd__rule rule, const char *name, uint64_t host,
                 uint64_t bytes)
{
    assert(op < ACCD_OP_COUNT && name);
    const accd_context_config *config = &plan->context->config;
    accd_event event = make_event(plan, op, rule);
    event.name = name;
    event.host = host;
    event.bytes = bytes;
    bool is_queued = is_deferred(plan, op) && accd__queue_event(plan->input.queue, &event);
    if (!is_queued && config->on_event)
        config->on_event(config->event_ud, &event);
}

/* Returns the bytes of an attached pointer: `slot_bytes`, the size of its descriptor (FLANG-composite-1), or, if that
 * is 0, the size of a plain pointer. */
static uint64_t slot_bytes_or_pointer(uint32_t slot_bytes)
{
    return slot_bytes ? slot_bytes : sizeof(void *);
}

/* Reports the operation `op`: attach or detach on the pointer of `request`, another operation on its data. Does nothing
 * if `op` is not observed. The event cites `rule`; an attach or detach of a descriptor cites its own rule. */
static void emit_request(const struct accd__plan *plan, const struct accd__request *request, accd_op op,
                         enum accd__rule rule)
{
    char name[160] = "";
    bool pointer = op == ACCD_OP_ATTACH || op == ACCD_OP_DETACH;
    if (!is_observed(plan, op))
        return;
    if (pointer && accd__request_slot_bytes(&plan->input, request))
        rule = op == ACCD_OP_ATTACH ? R_ATTACH_DESCRIPTOR : R_DETACH_DESCRIPTOR;
    if (pointer && is_named(plan, op))
        accd__format_request_slot(&plan->input, request, name, sizeof name);
    else if (is_named(plan, op))
        accd__format_request(&plan->input, request, name, sizeof name);
    emit(plan, op, rule, name, pointer ? request->slot : request->host,
         pointer ? slot_bytes_or_pointer(accd__request_slot_bytes(&plan->input, request)) : request->bytes);
}

/* True if the move `b` belongs to the same section with gaps as `a`: it is one of its elements, and has the request and
 * direction of `a`. Such moves are reported as one event. */
static bool is_same_grid(const struct accd__move *a, const struct accd__move *b)
{
    return b->piece == ACCD_GRID_ELEMENT && b->request == a->request && b->out == a->out;
}

/* Reports the moves of a plan, which are copies to or from the device; skips a direction that is not observed. `rule`:
 * rule that the events cite. */
static void emit_moves(const struct accd__plan *plan, enum accd__rule rule)
{
    assert(plan->resolved.requests || !plan->changes.moves.n);
    char name[160];
    for (size_t i = 0; i < plan->changes.moves.n; i++) {
        const struct accd__move *move = &plan->changes.moves.at[i];
        const struct accd__request *request = &plan->resolved.requests[move->request];
        uint64_t bytes = move->bytes;
        const accd_op op = move->out ? ACCD_OP_D2H : ACCD_OP_H2D;
        if (!is_observed(plan, op))
            continue;
        if (!is_named(plan, op) && move->piece == ACCD_WHOLE_REQUEST) {
            emit(plan, op, rule, "", move->host, bytes);
            continue;
        }
        if (move->piece == ACCD_GRID_ELEMENT) {
            for (; i + 1 < plan->changes.moves.n && is_same_grid(move, &plan->changes.moves.at[i + 1]); i++)
                bytes += plan->changes.moves.at[i + 1].bytes;
            accd__format_request(&plan->input, request, name, sizeof name);
        } else if (move->piece == ACCD_WHOLE_REQUEST) {
            bool part = move->bytes < request->bytes && accd__object_layout(plan->env, request->object);
            if (part) /* the move was split at an attached pointer */
                accd__format_element(plan->env, request->object, move->host - request->object->host, bytes, name,
                                     sizeof name);
            else
                accd__format_request(&plan->input, request, name, sizeof name);
        } else {
            size_t from, to;
            const struct accd__rowset *set = accd__request_elements(plan, request, &from, &to);
            accd__format_piece(plan->input.walk, set, move->row, &set->program->spec.pieces[move->piece], name,
                               sizeof name);
        }
        emit(plan, op, rule, name, move->host, bytes);
    }
}

/* Reports the operation `op` on a fused range, or on the range of a copy within the device, under the name of the first
 * object in it. `rule`: rule that the event cites. */
static void emit_range(const struct accd__plan *plan, accd_op op, enum accd__rule rule, uint64_t host, uint64_t bytes)
{
    struct accd__object *object = NULL;
    char name[160] = "";
    if (!is_observed(plan, op))
        return;
    if (is_named(plan, op) && accd__find_object(plan->env, host, &object) == ACCD_OK && object)
        accd__format_range(plan->env, object, host - object->host, bytes, name, sizeof name);
    emit(plan, op, rule, name, host, bytes);
}

/* Reports the copies within the device that fusion makes. `rule`: rule that the events cite. */
static void emit_copies(const struct accd__plan *plan, enum accd__rule rule)
{
    for (size_t i = 0; plan->resolved.fusion && i < plan->resolved.fusion->copies.n; i++)
        emit_range(plan, ACCD_OP_D2D, rule, plan->resolved.fusion->copies.at[i].host,
                   plan->resolved.fusion->copies.at[i].bytes);
}

/* Reports the host ranges that an entry fuses (whose objects move into one device block), then the blocks allocated for
 * them. */
static void emit_fused_ranges(const struct accd__plan *plan)
{
    static const enum accd__rule rules[] = {R_FUSE_RANGE, R_FUSE_BASE, R_FUSE_SPLIT};
    const struct accd__fusion *fusion = plan->resolved.fusion;
    for (size_t i = 0; fusion && i < fusion->nranges; i++)
        if (!fusion->ranges[i].cover)
            emit_range(plan, ACCD_OP_FUSE, rules[fusion->ranges[i].reason], fusion->ranges[i].host,
                       fusion->ranges[i].end - fusion->ranges[i].host);
    for (size_t i = 0; fusion && i < fusion->nranges; i++)
        if (!fusion->ranges[i].cover)
            emit_range(plan, ACCD_OP_ALLOC, R_MEMORY, fusion->ranges[i].host,
                       fusion->ranges[i].end - fusion->ranges[i].host);
}

/* Reports the memory that objects moved by fusion have left and that is freed: of single objects, and of whole fused
 * tuples. */
static void emit_vacated(const struct accd__plan *plan)
{
    const struct accd__fusion *fusion = plan->resolved.fusion;
    for (size_t i = 0; fusion && i < fusion->shifts.n; i++)
        if (fusion->shifts.at[i].freed_bytes)
            emit_range(plan, ACCD_OP_FREE, R_MEMORY, fusion->shifts.at[i].object->host,
                       fusion->shifts.at[i].freed_bytes);
}

/* True if the memory of `object` is in the block of a present or former fused tuple, and the object has no vacated
 * slots (former addresses). Freeing is then reported once for the block; otherwise for the object, under its own name.
 */
static bool shares_tuple_block(const struct accd__plan *plan, const struct accd__object *object)
{
    const struct accd__placement *placement = accd__find_placement(plan->env, object);
    const struct accd__block *block = accd__object_block(plan->env, object);
    bool shared = object->size & ACCD_OBJECT_SHARED && block && block->host;
    return placement && shared && !placement->vacated &&
           (placement->fused || block->bytes - accd__object_bytes(object) > 15);
}

/* Returns the number of places in `block` that this exit frees: those of dying objects, their vacated slots (former
 * places), and places that objects leave because a tuple is split. */
static size_t count_vacated_slots(const struct accd__exit_plan *exit_plan, const struct accd__block *block)
{
    assert(exit_plan->plan->resolved.fusion);
    const struct accd__plan *plan = exit_plan->plan;
    size_t n = 0;
    for (size_t i = 0; i < exit_plan->dying.n; i++) {
        const struct accd__placement *placement = accd__find_placement(plan->env, exit_plan->dying.at[i]);
        n += exit_plan->dying.at[i]->dev - block->dev < block->bytes;
        for (const struct accd__vacated_slot *f = placement ? placement->vacated : NULL; f; f = f->below)
            n += f->dev - block->dev < block->bytes;
    }
    for (size_t i = 0; i < plan->resolved.fusion->shifts.n; i++)
        n += plan->resolved.fusion->shifts.at[i].from - block->dev < block->bytes;
    return n;
}

/* Reports as freed the blocks of present and former fused tuples in which this exit frees the last place. */
static void emit_tuple_ends(const struct accd__exit_plan *exit_plan)
{
    const struct accd__plan *plan = exit_plan->plan;
    const struct accd__fusion *fusion = plan->resolved.fusion;
    const struct accd__block *last = NULL;
    for (size_t i = 0; fusion && i < fusion->regroups.n; i++) {
        const struct accd__fused_tuple *fused = fusion->regroups.at[i].fused;
        if (count_vacated_slots(exit_plan, fused->block) == fused->block->live)
            emit_range(plan, ACCD_OP_FREE, R_END_LEVEL, fused->host, fused->end - fused->host);
    }
    for (size_t i = 0; fusion && i < exit_plan->dying.n; i++) { /* reports the blocks of former tuples */
        const struct accd__object *object = exit_plan->dying.at[i];
        const struct accd__placement *placement = accd__find_placement(plan->env, object);
        const struct accd__block *block = accd__object_block(plan->env, object);
        if (!placement || placement->fused || !shares_tuple_block(plan, object) || block == last ||
            count_vacated_slots(exit_plan, block) != block->live)
            continue;
        last = block;
        emit_range(plan, ACCD_OP_FREE, R_END_LEVEL, object->host, block->bytes - block->padding);
    }
}

/* A report of one operation on all sections of a group (deep structure in one record, table/group.h): events that
 * differ only in name and range. */
struct group_report {
    accd_context *context;
    struct accd_walk *walk;
    struct accd__bulk *bulk; /* bulk transfer whose moves are reported; NULL: the operation is not a move */
    accd_event event;
};

/* Reports one event of a group report: report->event with the given name and the range of `bytes` bytes at `host`.
 * Requires an observer. */
static void emit_one(const struct group_report *report, const char *name, uint64_t host, uint64_t bytes)
{
    assert(report->context->config.on_event);
    const accd_context_config *config = &report->context->config;
    accd_event event = report->event;
    event.name = name;
    event.host = host;
    event.bytes = bytes;
    config->on_event(config->event_ud, &event);
}

/* Returns the piece of an element that begins at `offset`; NULL: no piece does. */
static const accd_piece *piece_at(const accd_program_spec *spec, uint64_t offset)
{
    for (size_t i = 0; i < spec->npieces; i++)
        if (spec->pieces[i].offset == offset)
            return &spec->pieces[i];
    return NULL;
}

/* Reports a rowset (array of elements) element by element. First come the bytes of the element itself, if the operation
 * is a move; then the sections of its pointers or, for attach and detach, the pointers. */
static void emit_rows(const struct group_report *report, const struct accd__rowset *set)
{
    const struct accd_walk *walk = report->walk;
    const struct accd__bulk *bulk = report->bulk;
    const bool pointer = report->event.op == ACCD_OP_ATTACH || report->event.op == ACCD_OP_DETACH;
    size_t nown = bulk ? accd__bulk_own_ranges(bulk, set) : 0;
    uint64_t own = 0, stride = set->program->spec.stride;
    char name[160];
    for (size_t k = 0; k < nown; k++)
        own += bulk->ranges[k].bytes;
    if (nown && own == stride && set->parent < 0) { /* the elements are one move, and therefore one event */
        const struct accd__walk_root *root = &walk->roots[-1 - set->parent];
        accd__format_label(root->label, root->index, root->start, root->bytes, name, sizeof name);
        emit_one(report, name, root->host, root->bytes);
        nown = 0;
    }
    for (size_t row = 0; row < set->rows; row++) {
        for (size_t k = 0; k < nown; k++) {
            accd__format_piece(walk, set, row, piece_at(&set->program->spec, bulk->ranges[k].offset), name,
                               sizeof name);
            emit_one(report, name, accd__row_address(set, row) + bulk->ranges[k].offset, bulk->ranges[k].bytes);
        }
        for (size_t f = 0; f < set->nsegments; f++) {
            const struct accd__segment *segment = &walk->segments[set->segments + f];
            uint64_t bytes = accd__section_bytes(segment, row);
            if (!bytes || !accd__segment_is_mapped(segment) || (bulk && !accd__is_dense_column(bulk, segment)))
                continue;
            if (pointer) {
                accd__format_row_slot(walk, segment->first + row, name, sizeof name);
                emit_one(report, name, accd__section_slot(walk, segment, row), accd__field_slot_bytes(segment->field));
            } else {
                accd__format_section(walk, segment->first + row, name, sizeof name);
                emit_one(report, name, segment->host[row], bytes);
            }
        }
    }
}

/* Reports all rowsets (arrays of elements) of the struct group_report `ud`. Does nothing if there is no observer any
 * more. */
static void emit_group(const void *ud)
{
    const struct group_report *report = ud;
    for (size_t i = 0; report->context->config.on_event && i < report->walk->nrowsets; i++)
        emit_rows(report, &report->walk->rowsets[i]);
}

/* Frees the struct group_report `ud`, which a queue has kept. */
static void free_group_report(void *ud)
{
    struct group_report *report = ud;
    accd_context *context = report->context;
    if (report->bulk)
        accd__bulk_free(report->bulk);
    accd__walk_release(report->walk);
    accd__mem_free(&context->mem, report, sizeof *report);
}

/* Gives a copy of `report` to the queue, which reports it when it has executed the work, and returns true. Returns
 * false if the caller must report now: without memory, or because queues run in concurrent mode, with the result of
 * program order. */
static bool defer_group_report(const struct accd__plan *plan, const struct group_report *report)
{
    struct group_report *copy =
        accd__is_concurrent(plan->env) ? NULL : accd__mem_alloc(&plan->context->mem, sizeof *copy);
    if (!copy)
        return false;
    *copy = *report;
    copy->event.file = accd__intern_name(plan->context, report->event.file);
    copy->walk = accd__walk_retain(report->walk);
    copy->bulk = report->bulk ? accd__bulk_copy(report->bulk) : NULL;
    if ((!report->bulk || copy->bulk) && accd__queue_report(plan->input.queue, emit_group, free_group_report, copy))
        return true;
    free_group_report(copy);
    return false;
}

/* Reports the operation `op` on the sections of a group, or on its pointers for attach and detach: now or, for queued
 * work, when the queue has executed it. Does nothing if `op` is not observed. `rule`: rule that the events cite. */
static void emit_sections(const struct accd__plan *plan, accd_op op, enum accd__rule rule)
{
    assert(plan->input.walk);
    const bool moves = op == ACCD_OP_H2D || op == ACCD_OP_D2H;
    if (!is_observed(plan, op))
        return;
    const struct group_report report = {.context = plan->context,
                                        .walk = plan->input.walk,
                                        .bulk = moves ? plan->changes.bulk : NULL,
                                        .event = make_event(plan, op, rule)};
    if (!is_deferred(plan, op) || !defer_group_report(plan, &report))
        emit_group(&report);
}

/* Reports allocations, copies, moves, attachments and references of an entry as events, in this order. */
void accd__report_entry(const struct accd__plan *plan)
{
    if (!plan->context->config.on_event && !plan->input.queue)
        return;
    const enum accd__rule count = plan->input.construct->kind == ACCD_KIND_ENTER_DATA ? R_COUNT_DYNAMIC : R_COUNT;
    emit_fused_ranges(plan);
    for (size_t i = 0; i < plan->resolved.nrequests; i++)
        if (plan->resolved.requests[i].state == ACCD_REQUEST_NEW &&
            !accd__fuse_covers(plan, plan->resolved.requests[i].host))
            emit_request(plan, &plan->resolved.requests[i], ACCD_OP_ALLOC, plan->context->policy.allocated);
    if (plan->resolved.new_group)
        emit_sections(plan, ACCD_OP_ALLOC, R_ALLOCATE);
    emit_copies(plan, R_COPY_IN_DEVICE);
    emit_vacated(plan);
    emit_moves(plan, plan->context->policy.sent);
    if (plan->changes.bulk)
        emit_sections(plan, ACCD_OP_H2D, R_MOVE);
    for (size_t i = 0; i < plan->resolved.nrequests; i++)
        if (plan->resolved.requests[i].attached)
            emit_request(plan, &plan->resolved.requests[i], ACCD_OP_ATTACH, R_ATTACH);
    if (plan->resolved.group)
        emit_sections(plan, ACCD_OP_ATTACH, R_ATTACH);
    for (size_t i = 0; i < plan->resolved.nrequests; i++)
        if (plan->resolved.requests[i].counted)
            emit_request(plan, &plan->resolved.requests[i], ACCD_OP_INCREF, count);
    if (plan->resolved.group)
        emit_sections(plan, ACCD_OP_INCREF, count);
}

/* Reports the kernel of a compute construct, with the names of the construct's items as the event's name: "a, b", and
 * "..." if there are too many. */
static void emit_kernel(const struct accd__plan *plan)
{
    const struct accd__plan_input *input = &plan->input;
    char names[1000] = "", name[160];
    size_t n = 0;
    if (!is_observed(plan, ACCD_OP_KERNEL))
        return;
    for (size_t i = 0; i < input->construct->nitems; i++) {
        const struct accd__item_source *source = &input->sources[i];
        *name = 0;
        accd__format_source(source, source->host, source->bytes, name, sizeof name);
        bool fits = n + strlen(name) + 8 < sizeof names;
        if (*name)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", fits ? name : "...");
        if (!fits)
            break;
    }
    emit(plan, ACCD_OP_KERNEL, input->construct->queue ? R_QUEUE : R_KERNEL, names, 0, 0);
}

/* Reports the kernel, detaches, references, moves, copies and freed memory of an exit as events, in this order. */
void accd__report_exit(const struct accd__exit_plan *exit_plan)
{
    assert(exit_plan->plan);
    const struct accd__plan *plan = exit_plan->plan;
    if (!plan->context->config.on_event && !plan->input.queue)
        return;
    if (plan->input.leaving && plan->input.construct->kind == ACCD_KIND_COMPUTE && !exit_plan->abandon)
        emit_kernel(plan);
    const enum accd__rule count = plan->input.construct->kind == ACCD_KIND_EXIT_DATA ? R_UNCOUNT_DYNAMIC : R_LEAVE;
    char name[160];
    for (size_t i = 0; i < plan->resolved.nrequests; i++)
        if (plan->resolved.requests[i].detached)
            emit_request(plan, &plan->resolved.requests[i], ACCD_OP_DETACH, R_DETACH);
    for (size_t i = 0; i < exit_plan->removed.n; i++) {
        const struct accd__attachment *attach = exit_plan->removed.at[i]->attach;
        if (!exit_plan->removed.at[i]->forced) /* a clause detached the pointer: the loop above has reported it */
            continue;
        if (!is_observed(plan, ACCD_OP_DETACH))
            continue;
        accd__format_slot(plan->env, attach->slot, attach->label, name, sizeof name);
        emit(plan, ACCD_OP_DETACH, attach->holds_record ? R_RECORD : R_STILL_ATTACHED, name, attach->slot,
             accd__attachment_end(attach) - attach->slot);
    }
    if (exit_plan->group_exits)
        emit_sections(plan, ACCD_OP_DETACH, R_DETACH);
    for (size_t i = 0; i < plan->resolved.nrequests; i++)
        if (plan->resolved.requests[i].removed_count)
            emit_request(plan, &plan->resolved.requests[i], ACCD_OP_DECREF, count);
    for (size_t i = 0; i < exit_plan->removed.n; i++) {
        const struct accd__object *record = exit_plan->removed.at[i]->record;
        if (!record || !is_observed(plan, ACCD_OP_DECREF))
            continue;
        accd__format_object(plan->env, record, name, sizeof name);
        emit(plan, ACCD_OP_DECREF, R_RECORD, name, record->host, accd__object_bytes(record));
    }
    if (exit_plan->group_exits)
        emit_sections(plan, ACCD_OP_DECREF, count);
    emit_moves(plan, plan->context->policy.fetched);
    if (plan->changes.bulk)
        emit_sections(plan, ACCD_OP_D2H, R_LEAVE);
    emit_copies(plan, R_COPY_BACK);
    emit_tuple_ends(exit_plan);
    for (size_t i = 0; i < exit_plan->dying.n; i++) {
        const struct accd__object *object = exit_plan->dying.at[i];
        if (plan->resolved.fusion && shares_tuple_block(plan, object))
            continue;
        if (!is_observed(plan, ACCD_OP_FREE))
            continue;
        *name = 0;
        if (is_named(plan, ACCD_OP_FREE))
            accd__format_object(plan->env, object, name, sizeof name);
        emit(plan, ACCD_OP_FREE, R_LEAVE, name, object->host, accd__object_bytes(object));
    }
    if (exit_plan->group_dies)
        emit_sections(plan, ACCD_OP_FREE, R_LEAVE);
}

/* Reports the moves of an update as events. */
void accd__report_update(const struct accd__plan *plan)
{
    if (!plan->context->config.on_event && !plan->input.queue)
        return;
    emit_moves(plan, R_UPDATE);
    if (plan->changes.bulk)
        emit_sections(plan, plan->changes.bulk->out ? ACCD_OP_D2H : ACCD_OP_H2D, R_UPDATE);
}
