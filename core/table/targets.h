/* targets.h - order of attached pointers by the host addresses of their targets. */
#ifndef ACCD_TABLE_TARGETS_H
#define ACCD_TABLE_TARGETS_H

#include "table.h"

/* Makes attachments of pending pointers of groups, and builds the order of attachments by their targets unless it
 * exists already. Fails without memory, or if a descriptor cannot be read from the device. */
accd_status accd__build_target_order(struct accd__device_env *env);
/* Returns an attachment whose pointer points into an object, or NULL. The order by targets must exist. */
struct accd__attachment *accd__first_attachment_to(struct accd__device_env *env, const struct accd__object *object);
/* Lists in *pairs_p, in scratch space, the *n_p attached pointers that point into any of the `nobjects` objects: pairs
 * of pointer address and attachment, by ascending address. Fails without memory. */
accd_status accd__list_attachments_to(struct accd__device_env *env, const struct accd__object *const *objects,
                                      size_t nobjects, const struct accd__pair **pairs_p, size_t *n_p);

#endif
