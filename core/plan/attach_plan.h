/* attach_plan.h - the pointers that an entry construct attaches: planned, written, recorded. */
#ifndef ACCD_ATTACH_PLAN_H
#define ACCD_ATTACH_PLAN_H

#include "plan/plan.h"

/* A pointer that an entry construct attaches. */
struct accd__planned_attach {
    uint32_t request;
    uint32_t holder_claim, target_claim; /* requests that make holder and target, if these are not present */
    struct accd__object *holder, *target;
    uint64_t pointer;                /* value of the host pointer */
    uint64_t base;                   /* host address in the target; 0: the address that the pointer contains */
    struct accd__attachment *attach; /* present attachment of the pointer, or NULL */
    struct accd__saved_descriptor *descriptor; /* descriptor to write, or NULL */
    bool counts;                               /* already attached in this way: only its counter grows */
    bool repeats;                              /* a different attach of this construct writes the pointer */
};

struct accd__attach_plan {
    struct accd__plan *plan;
    struct accd__planned_attach *at;
    size_t n;
    size_t nreattached; /* number that were attached to another target before */
};

/* Returns ACCD_ERROR_POINTER_CHANGED if a request's pointer has changed since it was attached. */
accd_status accd__check_pointer_unchanged(const struct accd__plan *plan, const struct accd__request *request,
                                          const struct accd__attachment *attach);
/* Plans the attaches of all requests with pointers. Fails if the rules reject one. */
accd_status accd__attach_plan_make(struct accd__attach_plan *attaches);
/* Plans the device pointers to write. Requires that all objects have device addresses. */
accd_status accd__attach_plan_words(const struct accd__attach_plan *attaches);
/* Records the attachments and increments their counters. Cannot fail. */
void accd__attach_plan_commit(struct accd__attach_plan *attaches);
/* Frees the descriptors that no attachment took. */
void accd__attach_plan_free(struct accd__attach_plan *attaches);

#endif
