/* spans.h - intervals that may overlap, each with its owner: which of them meet a range. A treap by lower bounds in
 * which each node knows the highest upper bound below it. Nodes belong to their owners; nothing is allocated. */
#ifndef ACCD_INTERVAL_TREE_H
#define ACCD_INTERVAL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct accd__interval {
    uint64_t low, high; /* [low, high) */
    uint64_t max_high;  /* highest upper bound of it and all below */
    uint64_t rank;      /* of a parent it is not less than of its children */
    struct accd__interval *left, *right;
    void *owner;
};

void accd__interval_insert(struct accd__interval **root, struct accd__interval *span);
void accd__interval_remove(struct accd__interval **root, struct accd__interval *span);
/* The last one, by lower bounds, that begins before a bound, or NULL. */
struct accd__interval *accd__interval_find_last_below(const struct accd__interval *root, uint64_t before);
/* The first one, by lower bounds, that meets [low, high), and that is meant; NULL: all are. NULL: there is none. meant
 * changes no spans. */
struct accd__interval *accd__interval_find_overlap(const struct accd__interval *root, uint64_t low, uint64_t high,
                                                   bool (*accept)(void *ud, const struct accd__interval *span),
                                                   void *ud);

#endif
