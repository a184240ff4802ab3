/* attach_plan.h - the pointers that an entry construct attaches: planned, written, recorded. */
#ifndef ACCD_ATTACH_PLAN_H
#define ACCD_ATTACH_PLAN_H

#include "plan/plan.h"

/* A pointer that an entry construct attaches. The holder is the object that contains the pointer. */
struct accd__planned_attach {
    uint32_t request;
    /* indices of the requests that make the holder and the target; valid if `holder` or `target` is NULL */
    uint32_t holder_request, target_request;
    struct accd__object *holder, *target;
    uint64_t pointer; /* value of the pointer on the host */
    uint64_t base;    /* host address in the target for accd__attachment.base; 0: the value of the pointer is used */
    struct accd__attachment *attach; /* present attachment of the pointer; NULL: it is not attached yet */
    /* saved copy of the descriptor to write; NULL: a plain pointer is written */
    struct accd__saved_descriptor *descriptor;
    /* the pointer is attached to this target already, so that only the counter of `attach` grows */
    bool counts;
    bool repeats; /* the pointer is written by another planned attach of this construct */
};

struct accd__attach_plan {
    struct accd__plan *plan;
    struct accd__planned_attach *at;
    size_t n;
    size_t nreattached; /* number of planned attaches whose pointer was attached to another target before */
};

/* Returns ACCD_ERROR_POINTER_CHANGED if the host pointer of `attach` has changed since it was attached and the rules
 * reject that; ACCD_OK otherwise. */
accd_status accd__check_pointer_unchanged(const struct accd__plan *plan, const struct accd__request *request,
                                          const struct accd__attachment *attach);
/* Fills `attaches`, of which only `plan` is set, with the attaches of all requests with pointers. Returns an error if
 * the rules reject one of these pointers, or without memory. accd__attach_plan_free must be called after a failure,
 * too. */
accd_status accd__attach_plan_make(struct accd__attach_plan *attaches);
/* Adds the device values of all planned pointers to the writes of the plan. Requires that all objects have device
 * addresses. Fails only without memory. */
accd_status accd__attach_plan_words(const struct accd__attach_plan *attaches);
/* Records the attachments and increments their counters. Requires reserved records. Cannot fail. */
void accd__attach_plan_commit(struct accd__attach_plan *attaches);
/* Frees the saved descriptors that no attachment owns. Must be called after a commit as well as after a failure. */
void accd__attach_plan_free(struct accd__attach_plan *attaches);

#endif
