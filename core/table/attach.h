/* attach.h - insertion and removal of attachments, the records of attached pointers. A slot is the host address of an
 * attached pointer. */
#ifndef ACCD_TABLE_ATTACH_H
#define ACCD_TABLE_ATTACH_H

#include "table.h"

/* Extends the hull [low, high) of the attach table to the slots (pointers) with addresses first .. last, which are
 * about to be inserted. */
static inline void accd__extend_slot_hull(struct accd__device_env *env, uint64_t first, uint64_t last)
{
    struct accd__attach_table *table = &env->attached;
    if (!table->slots.count || first < table->low)
        table->low = first;
    if (!table->slots.count || last + ACCD_MAX_SLOT_BYTES > table->high)
        table->high = last + ACCD_MAX_SLOT_BYTES;
}
/* Returns a new attachment of the pointer at `slot`, inserted in a reserved record. */
struct accd__attachment *accd__insert_attachment(struct accd__device_env *env, uint64_t slot);
/* Returns a new attachment in a reserved record, without inserting it into the index. */
struct accd__attachment *accd__new_attachment(struct accd__device_env *env, uint64_t slot);
/* Inserts n new attachments, given as pairs of pointer address and attachment with ascending addresses. */
void accd__insert_attachments(struct accd__device_env *env, const struct accd__pair *attaches, size_t n);
/* Removes an attachment from the index by slot and the order by targets, and frees it with its saved descriptor. */
void accd__remove_attachment(struct accd__device_env *env, struct accd__attachment *attach);
/* Removes the n attachments of an array, n <= ACCD_FAST_PATH_ITEMS, and frees them with their saved descriptors. */
void accd__remove_attachments(struct accd__device_env *env, struct accd__attachment *const *attaches, size_t n);
/* Sets the `base` of an attachment, the host address of its target, to `base`; 0: the target was unmapped. Updates the
 * order by targets, if that exists. */
void accd__attachment_set_base(struct accd__device_env *env, struct accd__attachment *attach, uint64_t base);
/* Returns a copy of a readable descriptor of `bytes` bytes, except its first word, the address of data; NULL: no
 * memory. */
struct accd__saved_descriptor *accd__save_descriptor(struct accd__device_env *env, const void *descriptor,
                                                     uint32_t bytes);
/* Frees a saved descriptor; NULL does nothing. */
void accd__free_saved_descriptor(struct accd__device_env *env, struct accd__saved_descriptor *copy);

#endif
