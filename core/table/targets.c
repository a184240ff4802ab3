/* targets.c - attachments ordered by their targets. The first request builds the order; it is maintained from then on.
 * Attachments with one base address form a ring; the order contains one attachment of each ring. */
#include "table/inside.h"
#include "targets.h"

/* Builds the order of attachments by targets, unless it exists. First makes attachments of the pending pointers of
 * groups whose sections are objects. Fails without memory, or if a descriptor cannot be read from the device. */
accd_status accd__build_target_order(struct accd__device_env *env)
{
    struct accd__btree_cursor cursor;
    /* groups whose sections are pending, too, need no expansion: their pending pointers point to no object */
    while (env->groups.pointers_pending)
        ACCD_TRY(accd__group_expand_pointers(env, env->groups.pointers_pending->owner));
    if (env->attached.target_order)
        return ACCD_OK;
    env->attached.target_order = true;
    for (struct accd__attachment *attach = accd__btree_seek(&env->attached.slots, 0, &cursor);
         attach && env->attached.target_order; attach = accd__btree_next(&cursor))
        if (attach->base)
            accd__attachment_order_by_target(env, attach);
    return env->attached.target_order ? ACCD_OK
                                      : accd__report_out_of_memory(env->context, "for the order of attached pointers");
}

/* Returns an attachment whose pointer points into `object`: one of those with the lowest target address; or NULL. */
struct accd__attachment *accd__first_attachment_to(struct accd__device_env *env, const struct accd__object *object)
{
    assert(env->attached.target_order);
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach = accd__btree_seek(&env->attached.targets, object->host, &cursor);
    return attach && attach->base < accd__object_end(object) ? attach : NULL;
}

/* Returns the number of attachments whose pointers point into `object`. Unless `to` is NULL, also writes them to `to`
 * as pairs of pointer address and attachment. */
static size_t list_attachments(struct accd__device_env *env, const struct accd__object *object, struct accd__pair *to)
{
    struct accd__btree_cursor cursor;
    struct accd__attachment *first = accd__btree_seek(&env->attached.targets, object->host, &cursor);
    size_t n = 0;
    for (; first && first->base < accd__object_end(object); first = accd__btree_next(&cursor)) {
        struct accd__attachment *attach = first;
        do {
            if (to)
                to[n] = (struct accd__pair){attach->slot, accd__address(attach)};
            n++;
            attach = attach->next_target;
        } while (attach != first);
    }
    return n;
}

/* Sets *pairs_p to the *n_p attachments that point into any of the objects, sorted by pointer address. Fails without
 * memory. */
accd_status accd__list_attachments_to(struct accd__device_env *env, const struct accd__object *const *objects,
                                      size_t nobjects, const struct accd__pair **pairs_p, size_t *n_p)
{
    struct accd__pair *pairs;
    size_t most = 0, n = 0;
    ACCD_TRY(accd__build_target_order(env));
    for (size_t i = 0; i < nobjects; i++)
        most += list_attachments(env, objects[i], NULL);
    ACCD_SCRATCH_ALLOC(env->context, pairs, 2 * most);
    for (size_t i = 0; i < nobjects; i++)
        n += list_attachments(env, objects[i], pairs + n);
    *pairs_p = accd__sort_pairs(pairs, pairs + n, n);
    *n_p = n;
    return ACCD_OK;
}
