/* links.h - pointers that an entry construct attaches. */
#ifndef ACCD_ATTACH_PLAN_H
#define ACCD_ATTACH_PLAN_H

#include "plan/plan.h"

/* A pointer that an entry construct attaches. */
struct accd__planned_attach {
    uint32_t request;
    uint32_t holder_claim, target_claim; /* that make holder and target, if they are not present */
    struct accd__object *holder, *target;
    uint64_t pointer;                          /* the host's value */
    uint64_t base;                             /* host address in the target, 0: what it points to */
    struct accd__attachment *attach;           /* its present attachment, or NULL */
    struct accd__saved_descriptor *descriptor; /* to be written, or NULL */
    bool counts;                               /* attached like that already */
    bool repeats;                              /* another one of the construct writes the pointer */
};

struct accd__attach_plan {
    struct accd__plan *plan;
    struct accd__planned_attach *at;
    size_t n;
    size_t nreattached; /* of them: attached to something else before */
};

/* ACCD_ERROR_POINTER_CHANGED if the claim's pointer points elsewhere than when it was attached. */
accd_status accd__check_pointer_unchanged(const struct accd__plan *plan, const struct accd__request *request,
                                          const struct accd__attachment *attach);
accd_status accd__attach_plan_make(struct accd__attach_plan *attaches);
accd_status accd__attach_plan_words(const struct accd__attach_plan *attaches);
void accd__attach_plan_commit(struct accd__attach_plan *attaches);
void accd__attach_plan_free(struct accd__attach_plan *attaches);

#endif
