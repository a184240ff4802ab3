/* objects.h - finds the environment of a device, and inserts and removes the objects, blocks and name origins in its
 * present table. */
#ifndef ACCD_TABLE_OBJECTS_H
#define ACCD_TABLE_OBJECTS_H

#include "table.h"

/* Records ACCD_ERROR_NO_DEVICE in the context, unless that is NULL. Always returns NULL. */
struct accd__device_env *accd__report_no_device(accd_context *context, int device);
/* Returns the environment of a device; NULL if `context` is NULL or, after recording ACCD_ERROR_NO_DEVICE, if the
 * device does not exist. */
static inline struct accd__device_env *accd__find_device_env(accd_context *context, int device)
{
    return context && device >= 0 && device < context->nenvs ? &context->envs[device]
                                                             : accd__report_no_device(context, device);
}
/* Declares `env` as the environment of a device. If there is none, returns from the calling function with
 * ACCD_ERROR_NO_DEVICE or, if `context` is NULL, ACCD_ERROR_MISUSE. */
#define ACCD_ON_DEVICE(env, context, device)                                         \
    struct accd__device_env *const env = accd__find_device_env((context), (device)); \
    if (!(env))                                                                      \
    return (context) ? ACCD_ERROR_NO_DEVICE : ACCD_ERROR_MISUSE
/* Reserves records for the given numbers of objects, name origins, attachments and blocks, so that as many insertions
 * cannot fail before accd__unreserve_records. Groups that are expanded in between reserve further records. Fails
 * without memory. */
accd_status accd__reserve_records(struct accd__device_env *env, size_t objects, size_t origins, size_t attachments,
                                  size_t blocks);
/* Inserts an object into the indices by host address and, if it exists, by device address. The entries must be
 * reserved. */
void accd__insert_object(struct accd__device_env *env, struct accd__object *object);
/* Inserts n reserved objects, n <= ACCD_FAST_PATH_ITEMS, given as pairs of host address and object with ascending
 * addresses. */
void accd__insert_objects(struct accd__device_env *env, const struct accd__pair *objects, size_t n);
/* Removes an object from the table; the caller frees its device memory (accd__free_object_memory). */
void accd__remove_object(struct accd__device_env *env, struct accd__object *object);
/* Removes the n objects of an array from the table, n <= ACCD_FAST_PATH_ITEMS; the caller frees their device memory. */
void accd__remove_objects(struct accd__device_env *env, struct accd__object *const *objects, size_t n);
/* Returns the first object that ends after a host address, or NULL, and sets `cursor` to it; accd__btree_next(cursor)
 * returns the following objects. Ignores pending groups. */
struct accd__object *accd__first_object_after(struct accd__device_env *env, uint64_t host,
                                              struct accd__btree_cursor *cursor);
/* Returns the device block that contains an object with ACCD_OBJECT_SHARED. The result for other objects is
 * meaningless: an unrelated block, or NULL. */
struct accd__block *accd__object_block(struct accd__device_env *env, const struct accd__object *object);
/* Copies `block` into a reserved record, inserts the copy into the indices of blocks, and returns the copy. */
struct accd__block *accd__insert_block(struct accd__device_env *env, const struct accd__block *block);
/* Copies a name origin into a reserved record, and returns its number. */
uint32_t accd__new_name_origin(struct accd__device_env *env, const struct accd__name_origin *origin);

#endif
