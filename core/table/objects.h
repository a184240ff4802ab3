/* objects.h - environments of devices, and the objects and blocks in their tables. */
#ifndef ACCD_TABLE_OBJECTS_H
#define ACCD_TABLE_OBJECTS_H

#include "table.h"

/* Records ACCD_ERROR_NO_DEVICE in the context, unless that is NULL. Always returns NULL. */
struct accd__device_env *accd__report_no_device(accd_context *context, int device);
/* Returns the environment of a device; NULL, after recording ACCD_ERROR_NO_DEVICE, if the device does not exist. */
static inline struct accd__device_env *accd__find_device_env(accd_context *context, int device)
{
    return context && device >= 0 && device < context->nenvs ? &context->envs[device]
                                                             : accd__report_no_device(context, device);
}
/* Declares env as the environment of a device; returns an error status from the calling function if there is none. */
#define ACCD_ON_DEVICE(env, context, device)                                         \
    struct accd__device_env *const env = accd__find_device_env((context), (device)); \
    if (!(env))                                                                      \
    return (context) ? ACCD_ERROR_NO_DEVICE : ACCD_ERROR_MISUSE
/* Reserves records for so many more objects, name origins, attachments and blocks, so that their insertions succeed
 * until accd__unreserve_records. Groups that are expanded in between reserve further records. Fails without memory. */
accd_status accd__reserve_records(struct accd__device_env *env, size_t objects, size_t origins, size_t attachments,
                                  size_t blocks);
/* Inserts an object into the indices; its entries are reserved. */
void accd__insert_object(struct accd__device_env *env, struct accd__object *object);
/* Inserts n reserved objects, n <= ACCD_FAST_PATH_ITEMS, given as pairs of host address and object with ascending
 * addresses. */
void accd__insert_objects(struct accd__device_env *env, const struct accd__pair *objects, size_t n);
/* Removes an object from the table; the caller frees its device memory (accd__free_object_memory). */
void accd__remove_object(struct accd__device_env *env, struct accd__object *object);
/* Removes several objects, at most ACCD_FAST_PATH_ITEMS. */
void accd__remove_objects(struct accd__device_env *env, struct accd__object *const *objects, size_t n);
/* Returns the first object that ends after a host address, or NULL; accd__btree_next(cursor) returns the following
 * objects. */
struct accd__object *accd__first_object_after(struct accd__device_env *env, uint64_t host,
                                              struct accd__btree_cursor *cursor);
/* Returns the block of an object with ACCD_OBJECT_SHARED; for other objects an unrelated block, or NULL. */
struct accd__block *accd__object_block(struct accd__device_env *env, const struct accd__object *object);
/* Inserts a copy of the block in a reserved record, and returns the copy. */
struct accd__block *accd__insert_block(struct accd__device_env *env, const struct accd__block *block);
/* Copies a name origin into a reserved record, and returns its number. */
uint32_t accd__new_name_origin(struct accd__device_env *env, const struct accd__name_origin *origin);

#endif
