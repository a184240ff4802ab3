/* interval_tree.c - a treap (search tree and heap) of intervals, which finds those that overlap a range. */
#include "base/interval_tree.h"

#include <assert.h>

/* Returns the highest upper bound in the subtree `span`; 0 if it is NULL. */
static uint64_t max_of(const struct accd__interval *span)
{
    return span ? span->max_high : 0;
}

/* Sets span->max_high from the upper bounds of the node and of its two subtrees. */
static void update_max(struct accd__interval *span)
{
    span->max_high = span->high;
    if (max_of(span->left) > span->max_high)
        span->max_high = span->left->max_high;
    if (max_of(span->right) > span->max_high)
        span->max_high = span->right->max_high;
}

/* Returns true if interval `a` precedes `b` in the tree: by lower bounds or, if these are equal, by node addresses. */
static int is_before(const struct accd__interval *a, const struct accd__interval *b)
{
    return a->low != b->low ? a->low < b->low : (uintptr_t)a < (uintptr_t)b;
}

/* Splits the tree `root`, which does not contain `at`, into two trees: *left with the intervals that precede `at`, and
 * *right with all others. root = NULL gives two empty trees. */
static void split_tree(struct accd__interval *root, const struct accd__interval *at, struct accd__interval **left,
                       struct accd__interval **right)
{
    if (!root) {
        *left = *right = NULL;
    } else if (is_before(root, at)) {
        split_tree(root->right, at, &root->right, right);
        *left = root;
        update_max(root);
    } else {
        split_tree(root->left, at, left, &root->left);
        *right = root;
        update_max(root);
    }
}

/* Merges two trees, which may be NULL, and returns the result; all intervals of `left` must precede those of `right`.
 */
static struct accd__interval *merge_trees(struct accd__interval *left, struct accd__interval *right)
{
    if (!left || !right)
        return left ? left : right;
    struct accd__interval *root = left->rank >= right->rank ? left : right;
    if (root == left)
        left->right = merge_trees(left->right, right);
    else
        right->left = merge_trees(left, right->left);
    update_max(root);
    return root;
}

/* Inserts an interval, whose bounds and owner are set, and sets its rank. */
void accd__interval_insert(struct accd__interval **root, struct accd__interval *span)
{
    /* the rank must be random, so that the tree is balanced; a hash of the node's address serves as a random number */
    span->rank = (uint64_t)(uintptr_t)span * 0x9E3779B97F4A7C15u;
    span->rank = (span->rank ^ span->rank >> 32) * 0xD6E8FEB86659FD93u;
    struct accd__interval **at = root;
    while (*at && (*at)->rank > span->rank) {
        if ((*at)->max_high < span->high)
            (*at)->max_high = span->high;
        at = is_before(span, *at) ? &(*at)->left : &(*at)->right;
    }
    struct accd__interval *below = *at;
    *at = span;
    split_tree(below, span, &span->left, &span->right);
    update_max(span);
}

/* Removes an interval, which must be in the tree *root. */
void accd__interval_remove(struct accd__interval **root, struct accd__interval *span)
{
    assert(*root);
    if (*root == span) {
        *root = merge_trees(span->left, span->right);
        return;
    }
    accd__interval_remove(is_before(span, *root) ? &(*root)->left : &(*root)->right, span);
    update_max(*root);
}

/* Returns the interval with the least lower bound that overlaps [low, high) and that `accept`, called with `ud`,
 * accepts. accept = NULL accepts all. Returns NULL if there is no such interval. */
struct accd__interval *accd__interval_find_overlap(const struct accd__interval *root, uint64_t low, uint64_t high,
                                                   bool (*accept)(void *ud, const struct accd__interval *span),
                                                   void *ud)
{
    if (!root || root->max_high <= low)
        return NULL;
    struct accd__interval *found = accd__interval_find_overlap(root->left, low, high, accept, ud);
    if (!found && root->low < high && root->high > low && (!accept || accept(ud, root)))
        found = (struct accd__interval *)(uintptr_t)root;
    if (!found && root->low < high)
        found = accd__interval_find_overlap(root->right, low, high, accept, ud);
    return found;
}

/* Returns the interval with the highest lower bound that is less than `before`; NULL if there is none. */
struct accd__interval *accd__interval_find_last_below(const struct accd__interval *root, uint64_t before)
{
    const struct accd__interval *found = NULL;
    while (root) {
        if (root->low < before)
            found = root;
        root = root->low < before ? root->right : root->left;
    }
    return (struct accd__interval *)(uintptr_t)found;
}
