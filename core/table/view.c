/* view.c - device ranges of objects, and of the targets of attached pointers. */
#include "accdeep_queues.h"
#include "table/inside.h"
#include "table/tuples.h"
#include "find.h"
#include "objects.h"
#include "view.h"

/* Sets [*low_p, *high_p) to the device range of the object, or of the current fused tuple that contains it, and returns
 * 1. Returns 0 if `object` is NULL. */
int accd__object_device_range(struct accd__device_env *env, const struct accd__object *object, uint64_t *low_p,
                              uint64_t *high_p)
{
    if (!object)
        return 0;
    const struct accd__fused_tuple *fused = env->tuples.fused.count ? accd__find_fused_tuple(env, object->host) : NULL;
    *low_p = fused ? accd__fused_tuple_dev(fused) : object->dev;
    *high_p = *low_p + (fused ? fused->end - fused->host : accd__object_bytes(object));
    return 1;
}

/* Sets [*low_p, *high_p) to the device range into which an attached pointer points, and returns 1. The range is empty
 * if the target is unmapped. Returns 0 if the pointer at `slot` is not attached with the device value `dev`. */
int accd_attached_range(accd_context *context, int device, const void *slot, uint64_t dev, uint64_t *low_p,
                        uint64_t *high_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    struct accd__attachment *attach = NULL;
    if (!env || !low_p || !high_p || accd__find_attachment(env, accd__address(slot), &attach) != ACCD_OK || !attach ||
        attach->dev != dev)
        return 0;
    if (!attach->base) {
        *low_p = *high_p = dev;
        return 1;
    }
    return accd__object_device_range(env, accd__object_at(env, attach->base, false), low_p, high_p);
}
