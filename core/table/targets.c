/* targets.c - attachments by their targets: an order that is made when it is asked for the first time, and
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

accd_status accd_targets_of(struct accd_directory *dir, const struct accd_object *const *objects, size_t nobjects,
                            const struct accd_pair **pairs_p, size_t *n_p)
{
    struct accd_pair *pairs;
    size_t most = 0, n = 0;
    ACCD_TRY(accd_order_targets(dir));
    for (size_t i = 0; i < nobjects; i++)
        most += list(dir, objects[i], NULL);
    ACCD_TAKE(dir->context, pairs, 2 * most);
    for (size_t i = 0; i < nobjects; i++)
        n += list(dir, objects[i], pairs + n);
    *pairs_p = accd_sort_pairs(pairs, pairs + n, n);
    *n_p = n;
    return ACCD_OK;
}
