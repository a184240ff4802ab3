/* index.h - ordered index from a 64-bit address to a record: a B+-tree with a finger.
 *
 * Measured against std::map, splay trees, skip lists and radix maps this is the best structure that
 * also iterates in both directions and changes cheaply. Searches have constant trip count and no
 * branches; repeated and ascending searches start at the leaf of the last one. */
#ifndef ACCD_BTREE_H
#define ACCD_BTREE_H

#include "base/mem.h"
#include "base/sort.h"

#ifndef ACCD_BTREE_FANOUT
#define ACCD_BTREE_FANOUT 32 /* a power of two, from 4 to 32; tests build with 4 */
#endif

struct accd__btree_node {
    uint64_t key[ACCD_BTREE_FANOUT];      /* ascending; unused ones are UINT64_MAX. Inner nodes: a lower
                                             bound of the keys below each child, exact but for the first */
    void *at[ACCD_BTREE_FANOUT];          /* inner: children; leaf: records */
    struct accd__btree_node *next, *prev; /* leaves only */
    unsigned used;
};

struct accd__btree_finger {
    struct accd__btree_node *leaf;
    uint64_t low, high, least;
    unsigned at;
};

struct accd__btree {
    struct accd__pool nodes;
    struct accd__btree_node *root;
    unsigned height; /* inner levels above the leaves */
    size_t count;
    uint64_t removals; /* how often records went: as long as it is the same, all that were found are in the index */
    /* finger: the leaf that holds the greatest key <= p for every p in [low, high) */
    struct accd__btree_node *leaf;
    uint64_t low, high;
    uint64_t least;                   /* no separator on the way to the leaf is greater */
    struct accd__btree_finger before; /* where the finger was: searches often go to and fro */
    unsigned at;                      /* place of the last search in a leaf: a hint, whatever the leaf */
};

/* A place in the index; valid until the index changes. */
struct accd__btree_cursor {
    const struct accd__btree_node *leaf;
    unsigned at;
};

void accd__btree_init(struct accd__btree *index, struct accd__mem *mem);
void accd__btree_clear(struct accd__btree *index);

/* The record with the greatest key <= p, or NULL. */
void *accd__btree_floor(struct accd__btree *index, uint64_t p);
/* The same, where the last search was near. */
void *accd__btree_floor_hinted(struct accd__btree *index, uint64_t p);
/* The same, and in *after_p the record with the least key > p, or NULL. */
void *accd__btree_floor_and_next(struct accd__btree *index, uint64_t p, void **after_p);
/* The first record with a key >= p; then the following ones. NULL at the end. */
void *accd__btree_seek(struct accd__btree *index, uint64_t p, struct accd__btree_cursor *cursor);
void *accd__btree_next(struct accd__btree_cursor *cursor);

/* All records with keys >= low, in order, for the statement that follows; the index may not change meanwhile. The
 * outer loop runs once, and has the cursor. */
#define ACCD_FOR_EACH(type, record, index, low)                                                                \
    for (struct accd__btree_cursor record##_cursor, *record##_once = &record##_cursor; record##_once;          \
         record##_once = NULL)                                                                                 \
        for (type *record /* NOLINT: a type */ = accd__btree_seek((index), (low), &record##_cursor); (record); \
             (record) = accd__btree_next(&record##_cursor))

/* Whether the next insertion succeeds, whatever it splits. */
static inline int accd__btree_can_insert(const struct accd__btree *index)
{
    return index->nodes.spare > index->height + 1;
}
/* Makes sure that the next n insertions succeed. Returns success. */
int accd__btree_reserve_many(struct accd__btree *index, size_t n);
static inline int accd__btree_reserve(struct accd__btree *index, size_t n)
{
    return (n <= ACCD_BTREE_FANOUT && n * (index->height + 2) <= index->nodes.spare) ||
           accd__btree_reserve_many(index, n);
}
/* The key must not be in the index. Returns success; fails only without reservation. */
int accd__btree_insert(struct accd__btree *index, uint64_t key, void *record);
/* Another record for a key that is in the index. */
void accd__btree_replace(struct accd__btree *index, uint64_t key, void *record);
/* Removes the key, which must be in the index, and returns its record. */
void *accd__btree_erase(struct accd__btree *index, uint64_t key);
/* Removes keys, which must be in the index; neighbours that follow each other go at once. */
void accd__btree_erase_keys(struct accd__btree *index, const uint64_t *keys, size_t n);
/* How many keys are in [low, high); if they are more than most, some number above that. */
size_t accd__btree_count(struct accd__btree *index, uint64_t low, uint64_t high, size_t most);
/* Runs: ascending keys, values that are the addresses of their records; whole nodes come and go at a time. */
/* Makes sure that n keys in [first, last] can be inserted as a run, and behind it as many as beside says. */
int accd__btree_reserve_sorted(struct accd__btree *index, uint64_t first, uint64_t last, size_t n, size_t reserved);
/* None of the keys may be in the index, others may lie between them; there is a reservation. */
void accd__btree_insert_sorted(struct accd__btree *index, const struct accd__pair *run, size_t n);
/* Removes all keys in [low, high). */
void accd__btree_erase_range(struct accd__btree *index, uint64_t low, uint64_t high);

/* NULL if the structure is sound, otherwise what is wrong. */
const char *accd__btree_check(const struct accd__btree *index);

#endif
