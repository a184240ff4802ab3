/* interval_tree.h - intervals that may overlap, each with its owner; finds the intervals that overlap a range.
 *
 * A treap: ordered by lower bounds, a heap by rank. Each node knows the highest upper bound of its subtree. Nodes
 * belong to their owners, so nothing is allocated. */
#ifndef ACCD_INTERVAL_TREE_H
#define ACCD_INTERVAL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Interval: a node of the tree, embedded in the record `owner`. */
struct accd__interval {
    uint64_t low, high; /* bounds [low, high) */
    uint64_t max_high;  /* highest upper bound in the node's subtree */
    uint64_t rank;      /* heap order: not less than the ranks of the children */
    struct accd__interval *left, *right;
    void *owner;
};

/* Inserts an interval whose bounds and owner are set. */
void accd__interval_insert(struct accd__interval **root, struct accd__interval *span);
/* Removes an interval, which must be in the tree. */
void accd__interval_remove(struct accd__interval **root, struct accd__interval *span);
/* Returns the interval with the highest lower bound below `before`; NULL if there is none. */
struct accd__interval *accd__interval_find_last_below(const struct accd__interval *root, uint64_t before);
/* Returns the first interval, by lower bounds, that overlaps [low, high) and for which accept(ud, span) returns true;
 * NULL: none. accept = NULL accepts all; the function must not change the tree. */
struct accd__interval *accd__interval_find_overlap(const struct accd__interval *root, uint64_t low, uint64_t high,
                                                   bool (*accept)(void *ud, const struct accd__interval *span),
                                                   void *ud);

#endif
