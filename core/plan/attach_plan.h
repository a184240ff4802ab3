/* attach_plan.h - the pointers that an entry construct attaches. To attach a pointer is to give its copy on the device
 * the device address of its target; the record of that is an attachment (table/table.h). These functions plan the
 * attaches, plan the writes to the device, and record the attachments. */
#ifndef ACCD_ATTACH_PLAN_H
#define ACCD_ATTACH_PLAN_H

#include "plan/plan.h"

/* A pointer that an entry construct attaches. Its holder is the object that contains it; its target is the object into
 * which it points. */
struct accd__planned_attach {
    uint32_t request;
    /* indices of the requests that make the holder and the target; each is valid only if `holder` or `target`,
     * respectively, is NULL */
    uint32_t holder_request, target_request;
    struct accd__object *holder, *target;
    uint64_t pointer; /* value of the pointer on the host */
    uint64_t base;    /* host address in the target, which becomes accd__attachment.base; 0: `pointer` is used */
    struct accd__attachment *attach; /* present attachment of the pointer; NULL: it is not attached yet */
    /* saved copy of the descriptor (pointer with bounds) to write, owned until the commit; NULL: a plain pointer */
    struct accd__saved_descriptor *descriptor;
    /* the device pointer is not written, because it is attached to this target already. If attachments are counted, the
     * commit increments the counter of `attach` */
    bool counts;
    /* the device pointer is not written, because a second planned attach of this construct is for the same pointer and
     * writes it */
    bool repeats;
};

struct accd__attach_plan {
    struct accd__plan *plan;
    struct accd__planned_attach *at;
    size_t n;
    size_t nreattached; /* number of planned attaches whose pointer was attached to another target before */
};

/* Returns ACCD_ERROR_POINTER_CHANGED if the host pointer of `attach` has changed since it was attached and the knob
 * `pointer_changed` is `reject`. Returns ACCD_OK otherwise, also if its host memory may not be read. `request`: request
 * that names the pointer in the error. */
accd_status accd__check_pointer_unchanged(const struct accd__plan *plan, const struct accd__request *request,
                                          const struct accd__attachment *attach);
/* Fills `attaches`, in which only `plan` is set, with an attach for each request whose pointer the rules attach.
 * Returns an error if the rules reject one of these pointers, or without memory. accd__attach_plan_free must be called
 * after a failure, too. */
accd_status accd__attach_plan_make(struct accd__attach_plan *attaches);
/* Adds the device value of each planned pointer to plan->changes, unless the pointer is not written or another planned
 * attach writes it. Requires that all objects have device addresses. Fails only without memory. */
accd_status accd__attach_plan_words(const struct accd__attach_plan *attaches);
/* Records the attachments and increments their counters. Requires reserved records. Cannot fail. */
void accd__attach_plan_commit(struct accd__attach_plan *attaches);
/* Frees the saved descriptors that no attachment owns. Must be called after a commit as well as after a failure. */
void accd__attach_plan_free(struct accd__attach_plan *attaches);

#endif
