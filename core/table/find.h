/* find.h - look-ups in the present table (objects) and the attach table (attached pointers) of a device. A pending
 * group is a deep structure kept as one record (group.h); to expand it is to make its objects or attachments. */
#ifndef ACCD_TABLE_FIND_H
#define ACCD_TABLE_FIND_H

#include "table.h"

/* Sets *object_p to the present object that contains a host address, or to NULL. Fails with ACCD_ERROR_OUT_OF_MEMORY if
 * it must expand a pending group. */
accd_status accd__find_object(struct accd__device_env *env, uint64_t host, struct accd__object **object_p);
/* Sets *relation_p to the relation between a range of at least one byte and the present objects, and *object_p to the
 * first object that overlaps the range, or NULL. Fails with ACCD_ERROR_OUT_OF_MEMORY if it must expand a pending group.
 */
accd_status accd__find_containment(struct accd__device_env *env, uint64_t host, uint64_t bytes,
                                   enum accd__containment *relation_p, struct accd__object **object_p);
/* Sets *object_p to the present object that contains a device address, or to NULL. The first call builds the index by
 * device address. Fails without memory. */
accd_status accd__find_object_by_dev(struct accd__device_env *env, uint64_t dev, struct accd__object **object_p);
/* Returns the object that contains a host address or, if `in_device`, a device address. Returns NULL if there is no
 * such object, no memory to expand a group, or env is NULL. */
static inline struct accd__object *accd__object_at(struct accd__device_env *env, uint64_t address, bool in_device)
{
    struct accd__object *object = NULL;
    return env && (in_device ? accd__find_object_by_dev : accd__find_object)(env, address, &object) == ACCD_OK ? object
                                                                                                               : NULL;
}
/* Sets *attach_p to the attachment of the pointer at host address `slot`, or to NULL. Fails if a group must be expanded
 * and that fails, mainly without memory. */
accd_status accd__find_attachment(struct accd__device_env *env, uint64_t slot, struct accd__attachment **attach_p);
/* Sets *attach_p to the first attachment that overlaps [low, high), or to NULL, and `cursor` to its position. Fails if
 * a group must be expanded and that fails, mainly without memory. */
accd_status accd__first_attachment(struct accd__device_env *env, uint64_t low, uint64_t high,
                                   struct accd__btree_cursor *cursor, struct accd__attachment **attach_p);
/* Returns the attachment after the cursor that begins before `high`, or NULL. The index of attachments must not have
 * changed since the cursor was set. */
struct accd__attachment *accd__next_attachment(struct accd__btree_cursor *cursor, uint64_t high);
/* Returns the attachment of a pointer that lies in the descriptor of `bytes` bytes at `slot`, after its first word (a
 * pointer to a type record); NULL: none. */
struct accd__attachment *accd__find_attachment_within(struct accd__device_env *env, uint64_t slot, uint64_t bytes);
/* Returns the attachment of the pointer to the type record that belongs to the attached descriptor `attach`, or NULL.
 */
struct accd__attachment *accd__type_record_attachment(struct accd__device_env *env,
                                                      const struct accd__attachment *attach);
/* Returns the attachment of the descriptor to which the type-record attachment `record` belongs, or NULL. */
struct accd__attachment *accd__descriptor_attachment(struct accd__device_env *env,
                                                     const struct accd__attachment *record);
/* Returns true if the host pointer of `attach`, and its host descriptor of slot_bytes bytes (0: no descriptor), are
 * unchanged since the attach. */
bool accd__is_attachment_current(const struct accd__attachment *attach, uint32_t slot_bytes);
/* Expands the sections and pointers of all pending groups. Fails without memory, or if a descriptor cannot be read from
 * the device. */
accd_status accd__expand_groups(struct accd__device_env *env);
/* Expands the pending pointers of all groups whose hull of pointers overlaps [low, high). Fails without memory, or if a
 * descriptor cannot be read from the device. */
accd_status accd__expand_group_pointers(struct accd__device_env *env, uint64_t low, uint64_t high);

#endif
