/* btree.h - ordered index from a 64-bit address to a record: a B+-tree with a finger (the leaf of the last search). All
 * ordered tables of the core are such indices.
 *
 * Compared with std::map, splay trees, skip lists and radix maps, this is the fastest structure that also iterates in
 * order and changes cheaply. The search in a node has a constant trip count and no branches. Repeated and ascending
 * searches start at the finger. btree.c shows the structure. */
#ifndef ACCD_BTREE_H
#define ACCD_BTREE_H

#include "base/mem.h"
#include "base/sort.h"

#ifndef ACCD_BTREE_FANOUT
#define ACCD_BTREE_FANOUT 32 /* slots of a node: a power of two, from 4 to 32; tests build with 4 */
#endif

/* Node of the tree: an inner node or a leaf. */
struct accd__btree_node {
    uint64_t key[ACCD_BTREE_FANOUT]; /* keys, ascending; unused ones are UINT64_MAX. In an inner node, key[i] is a lower
                                        bound of the keys below child i */
    void *at[ACCD_BTREE_FANOUT];     /* children of an inner node, records of a leaf */
    struct accd__btree_node *next, *prev; /* neighbours; leaves only */
    unsigned used;                        /* number of used slots in `key` and `at` */
};

/* Copy of a finger: of the members of struct accd__btree with these names. */
struct accd__btree_finger {
    struct accd__btree_node *leaf;
    uint64_t low, high, least;
    unsigned at;
};

/* Ordered index. */
struct accd__btree {
    struct accd__pool nodes;       /* memory of the nodes */
    struct accd__btree_node *root; /* NULL: the index has no nodes */
    unsigned height;               /* number of inner levels above the leaves */
    size_t count;                  /* number of keys */
    uint64_t removals; /* number of removals and replacements; while it is unchanged, all records found before are still
                          in the index */
    /* Finger: the leaf at which the search path of every p in [low, high) ends; NULL: none. */
    struct accd__btree_node *leaf;
    uint64_t low, high;
    /* Greatest first separator (key[0] of an inner node) on the path to the leaf: a key in [least, high) can be
     * inserted into the leaf without a change of separators. */
    uint64_t least;
    struct accd__btree_finger before; /* previous finger, because searches often alternate between two leaves */
    unsigned at;                      /* slot of the last search in a leaf, used as a hint in any leaf */
};

/* Position in the index: slot `at` of a leaf. Valid until the index changes. */
struct accd__btree_cursor {
    const struct accd__btree_node *leaf;
    unsigned at;
};

/* Makes an empty index, whose nodes come from `mem`. */
void accd__btree_init(struct accd__btree *index, struct accd__mem *mem);
/* Removes all keys and frees all nodes; the index stays usable. */
void accd__btree_clear(struct accd__btree *index);

/* Returns the record with the greatest key <= p; NULL if there is none. */
void *accd__btree_floor(struct accd__btree *index, uint64_t p);
/* Returns the record with the greatest key <= p, or NULL if there is none. Faster than accd__btree_floor if the result
 * is near that of the last search. */
void *accd__btree_floor_hinted(struct accd__btree *index, uint64_t p);
/* Returns the record with the greatest key <= p, and sets *after_p to the record with the least key > p. Either is NULL
 * if there is no such record. */
void *accd__btree_floor_and_next(struct accd__btree *index, uint64_t p, void **after_p);
/* Returns the record with the least key >= p, and sets the cursor to its position. Returns NULL if there is no such
 * record. */
void *accd__btree_seek(struct accd__btree *index, uint64_t p, struct accd__btree_cursor *cursor);
/* Advances a cursor that is at a record, and returns the next record; NULL at the end. */
void *accd__btree_next(struct accd__btree_cursor *cursor);

/* Runs the following statement with `record`, a pointer to `type`, for each record with a key >= low, in ascending
 * order. The statement must not change the index. The outer loop runs once, and declares the cursor. */
#define ACCD_FOR_EACH(type, record, index, low)                                                                \
    for (struct accd__btree_cursor record##_cursor, *record##_once = &record##_cursor; record##_once;          \
         record##_once = NULL)                                                                                 \
        for (type *record /* NOLINT: a type */ = accd__btree_seek((index), (low), &record##_cursor); (record); \
             (record) = accd__btree_next(&record##_cursor))

/* Returns true if nodes are reserved for one insertion that splits a node on each level, which is the worst case. */
static inline int accd__btree_can_insert(const struct accd__btree *index)
{
    return index->nodes.spare > index->height + 1;
}
/* Reserves nodes for the next n insertions. Returns 1, or 0 without memory. */
int accd__btree_reserve_many(struct accd__btree *index, size_t n);
/* Reserves nodes for the next n insertions; fast if enough are reserved already. Returns 1, or 0 without memory. */
static inline int accd__btree_reserve(struct accd__btree *index, size_t n)
{
    return (n <= ACCD_BTREE_FANOUT && n * (index->height + 2) <= index->nodes.spare) ||
           accd__btree_reserve_many(index, n);
}
/* Inserts a record; the key must not be in the index. Returns 1; returns 0 without memory, which cannot happen if nodes
 * are reserved. */
int accd__btree_insert(struct accd__btree *index, uint64_t key, void *record);
/* Replaces the record of `key`, which must be in the index. */
void accd__btree_replace(struct accd__btree *index, uint64_t key, void *record);
/* Removes the key, which must be in the index, and returns its record. */
void *accd__btree_erase(struct accd__btree *index, uint64_t key);
/* Removes the n keys of the array `keys`, which must be in the index. Faster if keys that are adjacent in the index are
 * adjacent in `keys`. */
void accd__btree_erase_keys(struct accd__btree *index, const uint64_t *keys, size_t n);
/* Returns the number of keys in [low, high); if there are more than `most`, any number above `most`. */
size_t accd__btree_count(struct accd__btree *index, uint64_t low, uint64_t high, size_t most);
/* The following functions make and remove whole nodes at a time. Their input is a run: an array of pairs, each of a key
 * and the address of its record, sorted by ascending key. */

/* Reserves nodes to insert n keys in [first, last] as a run, and then `reserved` single keys. Returns 1, or 0 without
 * memory. */
int accd__btree_reserve_sorted(struct accd__btree *index, uint64_t first, uint64_t last, size_t n, size_t reserved);
/* Inserts the n pairs of a run, for which nodes must be reserved; otherwise an insertion that fails without memory
 * drops the rest of the run. The keys of the run must not be in the index; keys of the index may lie between them. */
void accd__btree_insert_sorted(struct accd__btree *index, const struct accd__pair *run, size_t n);
/* Removes all keys in [low, high). */
void accd__btree_erase_range(struct accd__btree *index, uint64_t low, uint64_t high);

/* Checks all invariants of the index. Returns NULL if they hold, otherwise a description of the first error. */
const char *accd__btree_check(const struct accd__btree *index);

#endif
