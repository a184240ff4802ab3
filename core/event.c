/* event.c - tells a listener what a construct did: one event for each object, in the order of the
 * document's steps, whatever the transfers were. Costs nothing when nobody listens. */
#include "core.h"

static void tell(const struct accd_plan *plan, accd_op op, const char *rule, const char *name,
                 uint64_t host, uint64_t bytes)
{
    const accd_config *config = &plan->context->config;
    const accd_construct *construct = plan->construct;
    config->on_event(config->event_ud, &(accd_event){
                                           .op = op,
                                           .device = plan->dir->number,
                                           .name = name,
                                           .host = host,
                                           .bytes = bytes,
                                           .rule = rule,
                                           .file = construct->file,
                                           .line = construct->line,
                                       });
}

static void tell_claim(const struct accd_plan *plan, const struct accd_claim *claim, accd_op op,
                       const char *rule)
{
    char name[160];
    bool pointer = op == ACCD_OP_ATTACH || op == ACCD_OP_DETACH;
    if (pointer)
        accd_name_claim_slot(plan, claim, name, sizeof name);
    else
        accd_name_claim(plan, claim, name, sizeof name);
    tell(plan, op, rule, name, pointer ? claim->slot : claim->host,
         pointer ? sizeof(void *) : claim->bytes);
}

static void tell_moves(const struct accd_plan *plan, const char *rule)
{
    char name[160];
    for (size_t i = 0; i < plan->nmoves; i++) {
        const struct accd_move *move = &plan->moves[i];
        const struct accd_claim *claim = &plan->claims[move->claim];
        if (move->piece == ACCD_WHOLE) {
            bool part = move->bytes < claim->bytes && accd_layout_of(plan->dir, claim->object);
            if (part) /* cut at a pointer: the element it belongs to */
                accd_name_element(plan->dir, claim->object, move->host - claim->object->host, name,
                                  sizeof name);
            else
                accd_name_claim(plan, claim, name, sizeof name);
        } else {
            size_t from, to;
            const struct accd_rowset *set = accd_elements_of(plan, claim, &from, &to);
            accd_name_piece(plan->walk, set, move->row, &set->program->spec.pieces[move->piece],
                            name, sizeof name);
        }
        tell(plan, move->out ? ACCD_OP_D2H : ACCD_OP_H2D, rule, name, move->host, move->bytes);
    }
}

/* Sections of a group, element by element. */
static void tell_sections(const struct accd_plan *plan, accd_op op, const char *rule)
{
    const struct accd_walk *walk = plan->walk;
    const struct accd_bulk *bulk = plan->bulk; /* of moves */
    char name[160];
    bool pointer = op == ACCD_OP_ATTACH || op == ACCD_OP_DETACH;
    bool move = op == ACCD_OP_H2D || op == ACCD_OP_D2H;
    for (size_t i = 0; i < walk->nrowsets; i++) {
        const struct accd_rowset *set = &walk->rowsets[i];
        size_t nown = move ? accd_bulk_own(bulk, set) : 0;
        uint64_t own = 0, stride = set->program->spec.stride;
        for (size_t k = 0; k < nown; k++)
            own += bulk->ranges[k].bytes;
        if (nown && own == stride && set->parent < 0) { /* one move for all elements */
            const struct accd_walk_root *root = &walk->roots[-1 - set->parent];
            accd_name_label(root->label, root->index, root->start, root->bytes, name, sizeof name);
            tell(plan, op, rule, name, root->host, root->bytes);
            nown = 0;
        }
        for (size_t row = 0; row < set->rows; row++) {
            for (size_t k = 0; k < nown; k++) {
                accd_name_piece(walk, set, row, NULL, name, sizeof name);
                tell(plan, op, rule, name, accd_row_address(set, row) + bulk->ranges[k].offset,
                     bulk->ranges[k].bytes);
            }
            for (size_t f = 0; f < set->nsegments; f++) {
                const struct accd_segment *segment = &walk->segments[set->segments + f];
                uint64_t bytes = accd_section_bytes(segment, row);
                if (!bytes || !accd_segment_maps(segment) ||
                    (move && !accd_bulk_dense(bulk, segment)))
                    continue;
                if (pointer) {
                    accd_name_row_slot(walk, segment->first + row, name, sizeof name);
                    tell(plan, op, rule, name, accd_section_slot(walk, segment, row),
                         sizeof(void *));
                } else {
                    accd_name_section(walk, segment->first + row, name, sizeof name);
                    tell(plan, op, rule, name, segment->host[row], bytes);
                }
            }
        }
    }
}

void accd_tell_entry(const struct accd_plan *plan)
{
    if (!plan->context->config.on_event)
        return;
    const char *count = plan->construct->kind == ACCD_ENTER_DATA ? R_COUNT_DYNAMIC : R_COUNT;
    for (size_t i = 0; i < plan->nclaims; i++)
        if (plan->claims[i].state == ACCD_CLAIM_NEW)
            tell_claim(plan, &plan->claims[i], ACCD_OP_ALLOC, R_ALLOCATE);
    if (plan->new_group)
        tell_sections(plan, ACCD_OP_ALLOC, R_ALLOCATE);
    tell_moves(plan, R_MOVE);
    if (plan->bulk)
        tell_sections(plan, ACCD_OP_H2D, R_MOVE);
    for (size_t i = 0; i < plan->nclaims; i++)
        if (plan->claims[i].attached)
            tell_claim(plan, &plan->claims[i], ACCD_OP_ATTACH, R_ATTACH);
    if (plan->group)
        tell_sections(plan, ACCD_OP_ATTACH, R_ATTACH);
    for (size_t i = 0; i < plan->nclaims; i++)
        if (plan->claims[i].object && !(plan->claims[i].flags & ACCD_ITEM_UNCOUNTED))
            tell_claim(plan, &plan->claims[i], ACCD_OP_INCREF, count);
    if (plan->group)
        tell_sections(plan, ACCD_OP_INCREF, count);
}

void accd_tell_exit(const struct accd_plan *plan, const struct accd_exit_story *story)
{
    const char *count = plan->construct->kind == ACCD_EXIT_DATA ? R_COUNT_DYNAMIC : R_LEAVE;
    char name[160];
    for (size_t i = 0; i < plan->nclaims; i++)
        if (plan->claims[i].detached)
            tell_claim(plan, &plan->claims[i], ACCD_OP_DETACH, R_DETACH);
    for (size_t i = 0; i < story->nforced; i++) {
        const struct accd_attach *attach = story->forced[i];
        accd_name_slot(plan->dir, attach->slot, attach->label, name, sizeof name);
        tell(plan, ACCD_OP_DETACH, R_STILL_ATTACHED, name, attach->slot, sizeof(void *));
    }
    if (story->group_leaves)
        tell_sections(plan, ACCD_OP_DETACH, R_DETACH);
    for (size_t i = 0; i < plan->nclaims; i++)
        if (plan->claims[i].owner)
            tell_claim(plan, &plan->claims[i], ACCD_OP_DECREF, count);
    if (story->group_leaves)
        tell_sections(plan, ACCD_OP_DECREF, count);
    tell_moves(plan, R_LEAVE);
    if (plan->bulk)
        tell_sections(plan, ACCD_OP_D2H, R_LEAVE);
    for (size_t i = 0; i < story->ndying; i++) {
        const struct accd_object *object = story->dying[i];
        accd_name_object(plan->dir, object, name, sizeof name);
        tell(plan, ACCD_OP_FREE, R_LEAVE, name, object->host, accd_object_bytes(object));
    }
    if (story->group_dies)
        tell_sections(plan, ACCD_OP_FREE, R_LEAVE);
}

void accd_tell_update(const struct accd_plan *plan)
{
    if (!plan->context->config.on_event)
        return;
    tell_moves(plan, R_UPDATE);
    if (plan->bulk)
        tell_sections(plan, plan->bulk->out ? ACCD_OP_D2H : ACCD_OP_H2D, R_UPDATE);
}
