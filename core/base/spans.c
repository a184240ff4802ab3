/* spans.c - see spans.h. */
#include "base/spans.h"

static uint64_t most_of(const struct accd_span *span) { return span ? span->most : 0; }

static void sum_up(struct accd_span *span)
{
    span->most = span->high;
    if (most_of(span->left) > span->most)
        span->most = span->left->most;
    if (most_of(span->right) > span->most)
        span->most = span->right->most;
}

/* By lower bound; those of one lower bound by where they are. */
static int before(const struct accd_span *a, const struct accd_span *b)
{
    return a->low != b->low ? a->low < b->low : (uintptr_t)a < (uintptr_t)b;
}

/* Cuts a tree in two: what comes before a span, and the rest. */
static void cut(struct accd_span *root, const struct accd_span *at, struct accd_span **left, struct accd_span **right)
{
    if (!root) {
        *left = *right = NULL;
    } else if (before(root, at)) {
        cut(root->right, at, &root->right, right);
        *left = root;
        sum_up(root);
    } else {
        cut(root->left, at, left, &root->left);
        *right = root;
        sum_up(root);
    }
}

static struct accd_span *join(struct accd_span *left, struct accd_span *right)
{
    if (!left || !right)
        return left ? left : right;
    struct accd_span *root = left->rank >= right->rank ? left : right;
    if (root == left)
        left->right = join(left->right, right);
    else
        right->left = join(left, right->left);
    sum_up(root);
    return root;
}

void accd_span_put(struct accd_span **root, struct accd_span *span)
{
    /* as good as by chance: addresses are mixed */
    span->rank = (uint64_t)(uintptr_t)span * 0x9E3779B97F4A7C15u;
    span->rank = (span->rank ^ span->rank >> 32) * 0xD6E8FEB86659FD93u;
    struct accd_span **at = root;
    while (*at && (*at)->rank > span->rank) {
        if ((*at)->most < span->high)
            (*at)->most = span->high;
        at = before(span, *at) ? &(*at)->left : &(*at)->right;
    }
    struct accd_span *below = *at;
    *at = span;
    cut(below, span, &span->left, &span->right);
    sum_up(span);
}

void accd_span_take(struct accd_span **root, struct accd_span *span)
{
    if (*root == span) {
        *root = join(span->left, span->right);
        return;
    }
    accd_span_take(before(span, *root) ? &(*root)->left : &(*root)->right, span);
    sum_up(*root);
}

struct accd_span *accd_span_first(const struct accd_span *root, uint64_t low, uint64_t high,
                                  bool (*meant)(void *ud, const struct accd_span *span), void *ud)
{
    if (!root || root->most <= low)
        return NULL;
    struct accd_span *found = accd_span_first(root->left, low, high, meant, ud);
    if (!found && root->low < high && root->high > low && (!meant || meant(ud, root)))
        found = (struct accd_span *)(uintptr_t)root;
    if (!found && root->low < high)
        found = accd_span_first(root->right, low, high, meant, ud);
    return found;
}

struct accd_span *accd_span_last(const struct accd_span *root, uint64_t before)
{
    const struct accd_span *found = NULL;
    while (root) {
        if (root->low < before)
            found = root;
        root = root->low < before ? root->right : root->left;
    }
    return (struct accd_span *)(uintptr_t)found;
}
