/* interval_tree.h - a tree of intervals that may overlap, which finds the intervals that overlap a range.
 *
 * The tree is a treap: a search tree by the lower bounds of the intervals, and a heap by random ranks. Each node has
 * the highest upper bound of its subtree. Nodes are members of the callers' records, so the tree allocates nothing. */
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
    void *owner; /* record that contains the node */
};

/* Inserts an interval, whose bounds and owner are set, into the tree *root (NULL: an empty tree). */
void accd__interval_insert(struct accd__interval **root, struct accd__interval *span);
/* Removes an interval, which must be in the tree *root. */
void accd__interval_remove(struct accd__interval **root, struct accd__interval *span);
/* Returns the interval with the highest lower bound that is less than `before`; NULL if there is none. */
struct accd__interval *accd__interval_find_last_below(const struct accd__interval *root, uint64_t before);
/* Returns the interval with the least lower bound that overlaps [low, high) and for which accept(ud, span) returns
 * true; NULL if there is none. accept = NULL: every overlapping interval is accepted. The function must not change the
 * tree. */
struct accd__interval *accd__interval_find_overlap(const struct accd__interval *root, uint64_t low, uint64_t high,
                                                   bool (*accept)(void *ud, const struct accd__interval *span),
                                                   void *ud);

#endif
