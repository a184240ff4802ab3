/* links.h - pointers that an entry construct attaches. */
#ifndef ACCD_LINKS_H
#define ACCD_LINKS_H

#include "plan/plan.h"

/* A pointer that an entry construct attaches. */
struct accd_link {
    uint32_t claim;
    uint32_t holder_claim, target_claim; /* that make holder and target, if they are not present */
    struct accd_object *holder, *target;
    uint64_t pointer; /* the host's value */
    uint64_t base;    /* host address in the target, 0: what it points to */
    struct accd_attach *attach; /* its present attachment, or NULL */
    struct accd_kept_descriptor *descriptor; /* to be written, or NULL */
    bool counts;                /* attached like that already */
    bool repeats;               /* another one of the construct writes the pointer */
};

struct accd_links {
    struct accd_plan *plan;
    struct accd_link *at;
    size_t n;
    size_t anew; /* of them: attached to something else before */
};

/* ACCD_POINTER_CHANGED if the claim's pointer points elsewhere than when it was attached. */
accd_status accd_check_pointer(const struct accd_plan *plan, const struct accd_claim *claim,
                               const struct accd_attach *attach);
accd_status accd_links_plan(struct accd_links *links);
accd_status accd_links_words(const struct accd_links *links);
void accd_links_commit(struct accd_links *links);
void accd_links_free(struct accd_links *links);

#endif
