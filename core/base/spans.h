/* spans.h - intervals that may overlap, each with its owner: which of them meet a range. A treap by lower bounds in
 * which each node knows the highest upper bound below it. Nodes belong to their owners; nothing is allocated. */
#ifndef ACCD_SPANS_H
#define ACCD_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct accd_span {
    uint64_t low, high; /* [low, high) */
    uint64_t most;      /* highest upper bound of it and all below */
    uint64_t rank;      /* of a parent it is not less than of its children */
    struct accd_span *left, *right;
    void *owner;
};

void accd_span_put(struct accd_span **root, struct accd_span *span);
void accd_span_take(struct accd_span **root, struct accd_span *span);
/* The last one, by lower bounds, that begins before a bound, or NULL. */
struct accd_span *accd_span_last(const struct accd_span *root, uint64_t before);
/* The first one, by lower bounds, that meets [low, high), and that is meant; NULL: all are. NULL: there is none. meant
 * changes no spans. */
struct accd_span *accd_span_first(const struct accd_span *root, uint64_t low, uint64_t high,
                                  bool (*meant)(void *ud, const struct accd_span *span), void *ud);

#endif
