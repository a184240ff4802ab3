/* targets.c - attachments by their targets: an order that is made when somebody asks for the first time, and
 * kept from then on. Those of one base address are a ring, of which the order has one. */
#include "table/inside.h"

accd_status accd_order_targets(struct accd_directory *dir)
{
    struct accd_range_cursor cursor;
    while (dir->groups.woken) /* the pointers of others point to sections that are no objects yet */
        ACCD_TRY(accd_group_attachments(dir, dir->groups.woken->owner));
    if (dir->attached.target_order)
        return ACCD_OK;
    dir->attached.target_order = true;
    for (struct accd_attach *attach = accd_range_seek(&dir->attached.slots, 0, &cursor);
         attach && dir->attached.target_order; attach = accd_range_next(&cursor))
        if (attach->base)
            accd_attach_put_in(dir, attach);
    return dir->attached.target_order ? ACCD_OK
                             : accd_out_of_memory(dir->context, "for the order of attached pointers");
}

struct accd_attach *accd_first_target(struct accd_directory *dir, const struct accd_object *object)
{
    struct accd_range_cursor cursor;
    struct accd_attach *attach = accd_range_seek(&dir->attached.targets, object->host, &cursor);
    return attach && attach->base < accd_object_end(object) ? attach : NULL;
}

/* Attachments of an object into an array, unless that is NULL. */
static size_t list(struct accd_directory *dir, const struct accd_object *object, struct accd_pair *to)
{
    struct accd_range_cursor cursor;
    struct accd_attach *first = accd_range_seek(&dir->attached.targets, object->host, &cursor);
    size_t n = 0;
    for (; first && first->base < accd_object_end(object); first = accd_range_next(&cursor)) {
        struct accd_attach *attach = first;
        do {
            if (to)
                to[n] = (struct accd_pair){attach->slot, accd_address(attach)};
            n++;
            attach = attach->next_target;
        } while (attach != first);
    }
    return n;
}

accd_status accd_list_targets(struct accd_directory *dir, struct accd_targets *targets, size_t room)
{
    struct accd_scratch *scratch = &dir->context->scratch;
    *targets = (struct accd_targets){0};
    ACCD_TRY(accd_order_targets(dir));
    targets->objects = accd_scratch_take(scratch, room * sizeof targets->objects[0]);
    return targets->objects ? ACCD_OK : accd_plan_no_memory(dir->context);
}

accd_status accd_sort_targets(struct accd_directory *dir, struct accd_targets *targets)
{
    size_t n = 0;
    for (size_t i = 0; i < targets->nobjects; i++)
        n += list(dir, targets->objects[i], NULL);
    struct accd_pair *pairs;
    ACCD_TAKE(dir->context, pairs, 2 * n);
    for (size_t i = 0; i < targets->nobjects; i++)
        targets->n += list(dir, targets->objects[i], pairs + targets->n);
    targets->at = accd_sort_pairs(pairs, pairs + n, n);
    return ACCD_OK;
}
