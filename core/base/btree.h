/* btree.h - ordered index from a 64-bit address to a record: a B+-tree with a finger. All tables use it.
 *
 * Compared with std::map, splay trees, skip lists and radix maps, this is the fastest structure that also iterates in
 * both directions and changes cheaply. Searches have a constant trip count and no branches. Repeated and ascending
 * searches start at the leaf of the last search. btree.c shows the structure. */
#ifndef ACCD_BTREE_H
#define ACCD_BTREE_H

#include "base/mem.h"
#include "base/sort.h"

#ifndef ACCD_BTREE_FANOUT
#define ACCD_BTREE_FANOUT 32 /* a power of two, from 4 to 32; tests build with 4 */
#endif

/* Node: an inner node or a leaf. */
struct accd__btree_node {
    uint64_t key[ACCD_BTREE_FANOUT]; /* keys, ascending; unused ones are UINT64_MAX. In inner nodes a lower bound of the
                                        keys below each child, exact except for the first */
    void *at[ACCD_BTREE_FANOUT];     /* children of an inner node, records of a leaf */
    struct accd__btree_node *next, *prev; /* neighbours; leaves only */
    unsigned used;
};

/* Copy of a finger (the leaf of the last search, see struct accd__btree), whose members have the same names. */
struct accd__btree_finger {
    struct accd__btree_node *leaf;
    uint64_t low, high, least;
    unsigned at;
};

/* Ordered index. */
struct accd__btree {
    struct accd__pool nodes;
    struct accd__btree_node *root;
    unsigned height; /* number of inner levels above the leaves */
    size_t count;
    uint64_t removals; /* number of removals; while the number is unchanged, all records found before are still in the
                          index */
    /* Finger: the leaf that holds the greatest key <= p for every p in [low, high); NULL: none. */
    struct accd__btree_node *leaf;
    uint64_t low, high;
    /* Greatest first separator (key[0] of an inner node) on the path to the leaf: a key in [least, high) can be
     * inserted into the leaf without a change of separators. */
    uint64_t least;
    struct accd__btree_finger before; /* previous finger, because searches often alternate between two leaves */
    unsigned at;                      /* slot of the last search in a leaf, used as a hint in any leaf */
};

/* Position in the index; valid until the index changes. */
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
/* Returns the record with the greatest key <= p, or NULL; faster than accd__btree_floor if the last search was near. */
void *accd__btree_floor_hinted(struct accd__btree *index, uint64_t p);
/* Returns the record with the greatest key <= p, or NULL, and sets *after_p to the record with the least key > p, or
 * NULL. */
void *accd__btree_floor_and_next(struct accd__btree *index, uint64_t p, void **after_p);
/* Returns the record with the least key >= p, or NULL, and sets the cursor to its position. */
void *accd__btree_seek(struct accd__btree *index, uint64_t p, struct accd__btree_cursor *cursor);
/* Advances a cursor that is at a record, and returns the next record; NULL at the end. */
void *accd__btree_next(struct accd__btree_cursor *cursor);

/* Runs the following statement for all records with keys >= low, in order; the index must not change meanwhile. The
 * outer loop runs once, and declares the cursor. */
#define ACCD_FOR_EACH(type, record, index, low)                                                                \
    for (struct accd__btree_cursor record##_cursor, *record##_once = &record##_cursor; record##_once;          \
         record##_once = NULL)                                                                                 \
        for (type *record /* NOLINT: a type */ = accd__btree_seek((index), (low), &record##_cursor); (record); \
             (record) = accd__btree_next(&record##_cursor))

/* Returns true if nodes for the next insertion are reserved, even if it splits a node on each level. */
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
/* Replaces the record of a key that is in the index. */
void accd__btree_replace(struct accd__btree *index, uint64_t key, void *record);
/* Removes the key, which must be in the index, and returns its record. */
void *accd__btree_erase(struct accd__btree *index, uint64_t key);
/* Removes n keys, which must be in the index; faster if adjacent keys follow each other in `keys`. */
void accd__btree_erase_keys(struct accd__btree *index, const uint64_t *keys, size_t n);
/* Returns the number of keys in [low, high); if more than `most`, any number above `most`. */
size_t accd__btree_count(struct accd__btree *index, uint64_t low, uint64_t high, size_t most);
/* Run: an array of pairs of ascending key and record address. The following functions make and remove whole nodes at a
 * time. */

/* Reserves nodes to insert n keys in [first, last] as a run, and then `reserved` single keys. Returns 1, or 0 without
 * memory. */
int accd__btree_reserve_sorted(struct accd__btree *index, uint64_t first, uint64_t last, size_t n, size_t reserved);
/* Inserts a run of n pairs, for which nodes must be reserved: without memory, the rest of the run is not inserted. None
 * of its keys may be in the index; other keys may lie between them. */
void accd__btree_insert_sorted(struct accd__btree *index, const struct accd__pair *run, size_t n);
/* Removes all keys in [low, high). */
void accd__btree_erase_range(struct accd__btree *index, uint64_t low, uint64_t high);

/* Returns NULL if the structure is sound, otherwise a description of the first error. */
const char *accd__btree_check(const struct accd__btree *index);

#endif
