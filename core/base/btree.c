/* btree.c - a B+-tree with a finger (the leaf of the last search): ordered index from 64-bit addresses to records.
 *
 * Keys are addresses of data, pointers or device memory; records belong to the callers. core/table, core/queue and
 * core/base keep all ordered tables in such an index. Nodes come from a pool, so that a construct can reserve them
 * before it changes anything; an insertion with reserved nodes cannot fail.
 *
 *     root            [ 0 | 40 | 90 |  .  ]                     inner node: key[i] is a lower bound of child i
 *                       |     |    `------------.
 *     leaves          [10|20|30] <-> [40|70| . ] <-> [90|95]     leaf: keys and records; doubly linked
 *                                     ^
 *     finger          leaf, [low, high) = [40, 90), least        searches for p in [40, 90) start here
 *     before          the previous finger
 *
 * Invariants (accd__btree_check tests them):
 * - Keys of a node are ascending; unused slots hold UINT64_MAX, so that a search needs no count and no branch.
 * - Separators are lower bounds. Erasing the first key of a leaf leaves the separator, so that the greatest key <= p
 *   may be the last one of the previous leaf.
 * - No node is empty, except the root of an empty index. A node with at most MERGE_THRESHOLD entries is merged with a
 *   neighbour if both fit into MERGED_LIMIT.
 * - The search path of every p in [low, high) ends at the finger's leaf: it is "the leaf for p". Every change of a
 *   separator resets the finger.
 *
 * Life of a key: insert_prefix puts it into the finger's leaf if it fits, together with the pairs of the run that
 * follow it there. Otherwise insert_on_path walks down from the root; distribute_entries splits full nodes and feeds
 * the new ones to the level above. erase_at removes it from its leaf alone if no merge is due; otherwise erase_below
 * removes it on the path from the root, frees empty nodes and merges neighbours. */
#include "base/btree.h"

#include <assert.h>
#include <string.h>

enum {
    FANOUT = ACCD_BTREE_FANOUT,
    MERGE_THRESHOLD = FANOUT / 4,       /* a node with at most so many entries is merged with a neighbour */
    MERGED_LIMIT = FANOUT - FANOUT / 4, /* greatest number of entries of a merged node */
    MIN_LAST_NODE = FANOUT / 8 + 1, /* least entries of a new last node, so that erasing its first key and inserting the
                                       key again neither frees nor makes a node */
    MAX_HEIGHT = 32
};

_Static_assert(FANOUT >= 4 && FANOUT <= 32 && (FANOUT & (FANOUT - 1)) == 0, "fan-out is a power of two up to 32");

typedef struct accd__btree_node node;

/* Returns the key to search for: p, or UINT64_MAX - 1 for UINT64_MAX, which unused slots hold. */
static inline uint64_t clamp_key(uint64_t p)
{
    return p - (p == UINT64_MAX);
}

/* Returns at + half if the key in that slot is <= p, otherwise `at`: one step of a binary search, without a branch. */
static inline unsigned halve_step(const node *n, unsigned at, unsigned half, uint64_t p)
{
    return at + (half & -(unsigned)(n->key[at + half] <= p));
}

/* Returns the slot of the last key <= p, or 0 if all keys are larger: a binary search over the full width, without
 * branches. */
static inline unsigned lower_bound_slot(const node *n, uint64_t p)
{
    unsigned at = 0;
    if (FANOUT > 16) /* unrolled by hand: compilers keep the loop if they do not know its trip count */
        at = halve_step(n, at, 16, p);
    if (FANOUT > 8)
        at = halve_step(n, at, 8, p);
    if (FANOUT > 4)
        at = halve_step(n, at, 4, p);
    return halve_step(n, halve_step(n, at, 2, p), 1, p);
}

/* Returns an empty node; NULL: no memory. */
static node *new_node(struct accd__btree *index)
{
    node *n = accd__pool_alloc(&index->nodes);
    if (n) {
        memset(n->key, 0xff, sizeof n->key);
        n->next = n->prev = NULL;
        n->used = 0;
    }
    return n;
}

void accd__btree_init(struct accd__btree *index, struct accd__mem *mem)
{
    *index = (struct accd__btree){0};
    accd__pool_init(&index->nodes, mem, sizeof(node), 16);
}

void accd__btree_clear(struct accd__btree *index)
{
    accd__pool_free_all(&index->nodes);
    accd__btree_init(index, index->nodes.mem);
}

/* Prefetches the cache lines with the keys and records of a node. */
static inline __attribute__((always_inline)) void prefetch_node(const node *n)
{
    enum { LINE = 64 };
    for (size_t at = 0; at < offsetof(node, next); at += LINE)
        __builtin_prefetch((const char *)n + at);
}

/* Prefetches the leaf after `leaf`, because searches that advance from leaf to leaf will probably need it next. */
static inline void prefetch_next(const node *leaf)
{
    if (leaf->next)
        prefetch_node(leaf->next);
}

/* Moves the finger to the leaf for p, which is that of index->before or is found from the root, and returns the leaf.
 * The old finger becomes index->before. The index must have a root. */
static inline __attribute__((always_inline)) node *find_leaf(struct accd__btree *index, uint64_t p)
{
    assert(index->root);
    node *const before = index->leaf;
    const struct accd__btree_finger previous = index->before;
    index->before = (struct accd__btree_finger){before, index->low, index->high, index->least, index->at};
    if (previous.leaf && p - previous.low < previous.high - previous.low) {
        index->low = previous.low;
        index->high = previous.high;
        index->least = previous.least;
        index->at = previous.at;
        return index->leaf = previous.leaf;
    }
    node *n = index->root;
    uint64_t low = 0, least = 0, high = UINT64_MAX;
    for (unsigned h = index->height; h; h--) {
        unsigned i = lower_bound_slot(n, p);
        if (i && n->key[i] > low)
            low = n->key[i];
        if (n->key[i] > least)
            least = n->key[i];
        if (i + 1 < FANOUT && n->key[i + 1] < high)
            high = n->key[i + 1];
        n = n->at[i];
        prefetch_node(n); /* fetches all cache lines of n at once; otherwise each search step waits for one line */
    }
    if (__builtin_expect(before && before->next == n, 0))
        prefetch_next(n);
    index->leaf = n;
    index->low = low;
    index->least = least;
    index->high = high;
    return n;
}

/* Calls find_leaf without being inlined, for callers in which the search is not the main cost. */
static __attribute__((noinline)) node *find_leaf_far(struct accd__btree *index, uint64_t p)
{
    return find_leaf(index, p);
}

/* Returns true if the index has a finger, and the finger's leaf is the leaf for p. */
static inline bool is_near(const struct accd__btree *index, uint64_t p)
{
    return p - index->low < index->high - index->low && index->leaf;
}

/* Returns the leaf for p, and moves the finger there if necessary. */
static inline node *leaf_for_key(struct accd__btree *index, uint64_t p)
{
    return is_near(index, p) ? index->leaf : find_leaf(index, p);
}

/* Returns lower_bound_slot(leaf, p) and stores it in index->at; `leaf` is the finger's leaf. Tests the slot of the last
 * search and its neighbours first. These often succeed, because a construct looks an address up before it changes the
 * index there. */
static inline unsigned lower_bound_hinted(struct accd__btree *index, const node *leaf, uint64_t p)
{
    unsigned at = index->at;
    if (leaf->key[at] > p) {
        if (!at || leaf->key[at - 1] <= p)
            return index->at = at - (at > 0);
    } else if (at + 1 == FANOUT || p < leaf->key[at + 1]) {
        return at;
    } else if (at + 2 == FANOUT || p < leaf->key[at + 2]) {
        return index->at = at + 1;
    }
    return index->at = lower_bound_slot(leaf, p);
}

/* Returns the finger's leaf and sets index->at to the slot of `key`, if the key is at most one slot before or two after
 * the last search. Otherwise returns NULL, also if the index does not have the key. */
static inline node *find_leaf_by_hint(struct accd__btree *index, uint64_t key)
{
    node *leaf = index->leaf;
    const unsigned at = index->at;
    if (!leaf)
        return NULL;
    if (at < leaf->used && leaf->key[at] == key)
        return leaf;
    if (at + 1 < leaf->used && leaf->key[at + 1] == key)
        index->at = at + 1;
    else if (at - 1 < leaf->used && leaf->key[at - 1] == key)
        index->at = at - 1;
    else if (at + 2 < leaf->used && leaf->key[at + 2] == key)
        index->at = at + 2;
    else
        return NULL;
    return leaf;
}

/* Forgets both fingers; the next search starts at the root. */
static void reset_finger(struct accd__btree *index)
{
    index->leaf = index->before.leaf = NULL;
}

/* Returns the record of the greatest key <= p, given slot i of lower_bound_slot in the leaf for p; NULL: none. All keys
 * of the leaf for p may lie above p, because separators are lower bounds that erasures leave unchanged. The result is
 * then the last record of the previous leaf. */
static inline void *record_at_or_before(const node *leaf, unsigned i, uint64_t p)
{
    if (leaf->key[i] <= p)
        return leaf->at[i];
    return leaf->prev ? leaf->prev->at[leaf->prev->used - 1] : NULL;
}

/* Returns the record with the greatest key <= p, or NULL. */
void *accd__btree_floor(struct accd__btree *index, uint64_t p)
{
    if (!index->root)
        return NULL;
    p = clamp_key(p);
    const node *leaf = leaf_for_key(index, p);
    return record_at_or_before(leaf, lower_bound_slot(leaf, p), p);
}

/* Returns the record with the greatest key <= p, or NULL; tests the slots near the last search first. */
void *accd__btree_floor_hinted(struct accd__btree *index, uint64_t p)
{
    const node *leaf_by_hint = find_leaf_by_hint(index, p);
    if (leaf_by_hint)
        return leaf_by_hint->at[index->at];
    if (!index->root)
        return NULL;
    p = clamp_key(p);
    const node *leaf = is_near(index, p) ? index->leaf : find_leaf_far(index, p);
    return record_at_or_before(leaf, lower_bound_hinted(index, leaf, p), p);
}

/* Returns the record with the greatest key <= p and sets *after_p to the next record; each may be NULL. */
void *accd__btree_floor_and_next(struct accd__btree *index, uint64_t p, void **after_p)
{
    *after_p = NULL;
    if (!index->root)
        return NULL;
    p = clamp_key(p);
    const node *leaf = leaf_for_key(index, p);
    unsigned i = lower_bound_hinted(index, leaf, p);
    if (leaf->key[i] > p) /* i is 0 and all keys of the leaf are > p, so that its first record is the next one */
        *after_p = leaf->used ? leaf->at[i] : NULL;
    else if (i + 1 < leaf->used)
        *after_p = leaf->at[i + 1];
    else if (leaf->next)
        *after_p = leaf->next->at[0];
    return record_at_or_before(leaf, i, p);
}

/* Returns the record with the least key >= p, or NULL, and sets the cursor to it. */
void *accd__btree_seek(struct accd__btree *index, uint64_t p, struct accd__btree_cursor *cursor)
{
    *cursor = (struct accd__btree_cursor){NULL, 0};
    if (!index->root)
        return NULL;
    const node *leaf = leaf_for_key(index, clamp_key(p));
    unsigned i = lower_bound_slot(leaf, clamp_key(p));
    cursor->leaf = leaf;
    cursor->at = i;
    if (!leaf->used)
        return NULL;
    if (leaf->key[i] >= p)
        return leaf->at[i];
    return accd__btree_next(cursor);
}

/* Advances a cursor and returns the next record; NULL at the end. */
void *accd__btree_next(struct accd__btree_cursor *cursor)
{
    if (!cursor->leaf)
        return NULL;
    if (++cursor->at == cursor->leaf->used) {
        cursor->leaf = cursor->leaf->next;
        cursor->at = 0;
        if (!cursor->leaf)
            return NULL;
    }
    return cursor->leaf->at[cursor->at];
}

/* Returns the number of keys of a node that are less than p. */
static unsigned keys_below(const node *n, uint64_t p)
{
    unsigned i = n->used && p ? lower_bound_slot(n, p - 1) : 0;
    return i + (n->used && n->key[i] < p);
}

/* Returns the number of keys in [low, high); if there are more than `most`, any number above `most`. */
size_t accd__btree_count(struct accd__btree *index, uint64_t low, uint64_t high, size_t most)
{
    const node *leaf = index->root ? leaf_for_key(index, clamp_key(low)) : NULL;
    const size_t before = leaf ? keys_below(leaf, low) : 0;
    size_t n = 0;
    if (!leaf || low >= high)
        return 0;
    for (; leaf->next && leaf->next->key[0] < high && n <= most + before; leaf = leaf->next)
        n += leaf->used;
    return n + keys_below(leaf, high) - before;
}

/* -------------------------------------------------------------------------------- insertion -- */

/* Returns an upper bound of the number of nodes that n insertions into an index of `count` keys make, each on at most
 * `levels` levels. One insertion splits at most one node of each level, and may add a root. Many insertions cannot all
 * split a full path: only nodes that are full now split at once, and any other node needs FANOUT / 2 insertions first.
 * Upper levels add at most as many nodes again. */
static size_t nodes_for(size_t count, size_t levels, size_t n)
{
    size_t need, bound = 3 * (count / FANOUT + n / (FANOUT / 2) + 2) + MAX_HEIGHT;
    return __builtin_mul_overflow(n, levels, &need) || bound < need ? bound : need;
}

int accd__btree_reserve_many(struct accd__btree *index, size_t n)
{
    return accd__pool_reserve(&index->nodes, nodes_for(index->count, index->height + 2, n));
}

/* Reserves nodes for a run of n keys in [first, last], and then `reserved` single keys. Returns 1, or 0 without memory.
 * Existing keys cut the run into pieces, each of which makes full nodes and one more node of each level. */
int accd__btree_reserve_sorted(struct accd__btree *index, uint64_t first, uint64_t last, size_t n, size_t reserved)
{
    const size_t leaf_by_hint = accd__btree_count(index, first, last + 1, n),
                 pieces = 2 * leaf_by_hint + 2 < n ? 2 * leaf_by_hint + 2 : n;
    size_t levels = index->height + 2, need, most;
    for (size_t k = n; k > 1; k /= FANOUT / 2)
        levels++;
    need = nodes_for(index->count, levels, n);
    most = n / (FANOUT - 1) + pieces * levels;
    return accd__pool_reserve(&index->nodes,
                              (most < need ? most : need) + nodes_for(index->count + n, levels, reserved));
}

/* Inserts the first `count` pairs of a run at slot i of a node, which has space for them. */
static inline void insert_pairs(node *n, unsigned i, const struct accd__pair *run, unsigned count)
{
    assert(n->used + count <= FANOUT && i <= n->used);
    if (i < n->used) {
        memmove(n->key + i + count, n->key + i, (n->used - i) * sizeof n->key[0]);
        memmove(n->at + i + count, n->at + i, (n->used - i) * sizeof n->at[0]);
    }
    for (unsigned k = 0; k < count; k++) {
        n->key[i + k] = run[k].key;
        n->at[i + k] = (void *)(uintptr_t)run[k].value;
    }
    n->used += count;
}

/* Step of a path from the root to a leaf: the node at a height, and the slot of the child taken. */
struct path_step {
    node *n;
    unsigned at;
};

/* Returns the leaf for a key, and writes the path to it to path[1 .. height], the lowest inner node first. */
static node *walk_down(const struct accd__btree *index, uint64_t key, struct path_step *path)
{
    node *n = index->root;
    for (unsigned h = index->height; h; h--) {
        unsigned at = lower_bound_slot(n, key);
        path[h] = (struct path_step){n, at};
        n = n->at[at];
    }
    return n;
}

/* Entries to put into nodes of one level: pairs of a run, or (run = NULL) new nodes of the level below, linked by next.
 */
struct feed {
    const struct accd__pair *run;
    node *below;
    size_t n;
    int leaves; /* true if the nodes of `below` are leaves, which stay linked by next */
};

/* Moves the first entry of a feed, which is not empty, to the end of node `to`, which has space. */
static void feed_entry(struct feed *feed, node *to)
{
    node *below = feed->below;
    to->key[to->used] = feed->run ? feed->run->key : below->key[0];
    to->at[to->used++] = feed->run ? (void *)(uintptr_t)feed->run->value : below;
    feed->n--;
    if (feed->run) {
        feed->run++;
        return;
    }
    feed->below = below->next;
    if (!feed->leaves)
        below->next = NULL;
}

/* Returns a new node, which must be reserved, linked after n. `leaf`: also links it back, as leaves are. */
static node *new_node_after(struct accd__btree *index, node *n, int leaf)
{
    node *right = new_node(index);
    right->next = n->next;
    n->next = right;
    if (leaf) {
        right->prev = n;
        if (right->next)
            right->next->prev = right;
    }
    return right;
}

/* Puts the entries of a feed into node n (`leaf`: a leaf) at slot i. If n overflows, the entries are spread equally
 * over n and new nodes after it, which must be reserved. If n is the last node (`last`) and i its end, all nodes but
 * the last become full, so that ascending keys fill nodes. Sets the feed to the new nodes, for the level above. */
static void distribute_entries(struct accd__btree *index, node *n, unsigned i, struct feed *feed, int leaf, int last)
{
    assert(i <= n->used);
    node *const start = n;
    const node old = *n;
    const size_t total = old.used + feed->n, nodes = (total + FANOUT - 1) / FANOUT;
    const int ascending = last && i == old.used;
    size_t done = 0, next_old = i;
    struct feed above = {.n = nodes - 1, .leaves = leaf};
    memset(n->key, 0xff, sizeof n->key);
    n->used = 0;
    for (size_t k = 1; k <= nodes; k++) {
        size_t end = ascending && k < nodes ? k * FANOUT : ascending ? total : total * k / nodes;
        if (ascending && k == nodes - 1 && total - end < MIN_LAST_NODE)
            end = total - MIN_LAST_NODE;
        for (; done < end; done++) {
            if (done >= i && feed->n) {
                feed_entry(feed, n);
                continue;
            }
            size_t from = done < i ? done : next_old++;
            n->key[n->used] = old.key[from];
            n->at[n->used++] = old.at[from];
        }
        if (k < nodes) {
            n = new_node_after(index, n, leaf);
            above.below = above.below ? above.below : n;
        }
    }
    if (!leaf)
        start->next = NULL;
    *feed = above;
}

/* Returns the number of new nodes that one more record in `leaf` needs: one for each full node of `path` from `leaf`
 * upwards, and a root if all are full. */
static size_t nodes_on_path(const struct accd__btree *index, const node *leaf, const struct path_step *path)
{
    unsigned h = 0;
    while (leaf->used == FANOUT && h++ < index->height)
        leaf = path[h].n;
    return leaf->used < FANOUT ? h : index->height + 2;
}

/* Inserts the pairs of a run that precede the next existing key or separator, on the path from the root. Returns the
 * number of pairs inserted; 0: no memory for the first pair. */
static size_t insert_on_path(struct accd__btree *index, const struct accd__pair *run, size_t n)
{
    struct path_step path[MAX_HEIGHT + 1];
    const uint64_t key = run->key;
    const unsigned height = index->height;
    assert(n > 0 && height <= MAX_HEIGHT);
    node *to = walk_down(index, key, path);
    const unsigned i = keys_below(to, key);
    uint64_t upper = i < to->used ? to->key[i] : UINT64_MAX;
    for (unsigned h = 1; h <= height; h++) { /* separators must stay lower bounds: lowers those above `key` */
        node *above = path[h].n;
        if (key < above->key[path[h].at]) {
            above->key[path[h].at] = key;
            reset_finger(index);
        }
        if (upper == UINT64_MAX && path[h].at + 1 < above->used)
            upper = above->key[path[h].at + 1];
    }
    n = n > 1 ? ACCD_UPPER_BOUND(run, key, n, upper - 1) : 1;
    if (n == 1 && to->used < FANOUT) {
        insert_pairs(to, i, run, 1);
        return 1;
    }
    if (n == 1 && !accd__pool_reserve(&index->nodes, nodes_on_path(index, to, path)))
        return 0;
    struct feed feed = {.run = run, .n = n};
    const int last = !to->next;
    reset_finger(index);
    distribute_entries(index, to, i, &feed, 1, last);
    for (unsigned h = 1; feed.n; h++) {
        struct path_step above = {NULL, 0};
        if (h <= height) {
            above = path[h];
        } else {
            above.n = new_node(index);
            above.n->key[0] = to->key[0];
            above.n->at[0] = to;
            above.n->used = 1;
            index->root = above.n;
            index->height = h;
        }
        to = above.n;
        distribute_entries(index, to, above.at + 1, &feed, 0, last);
    }
    return n;
}

/* Makes an empty leaf the root of an empty index. Returns 1, or 0 without memory. */
static int ensure_root(struct accd__btree *index)
{
    if (index->root)
        return 1;
    index->root = new_node(index);
    index->height = 0;
    reset_finger(index);
    return index->root != NULL;
}

/* Inserts the pairs of a run that precede the next existing key: in the finger's leaf if they belong and fit there,
 * otherwise from the root. Returns the number of pairs inserted; 0: no memory for the first pair. */
static __attribute__((noinline)) size_t insert_prefix(struct accd__btree *index, const struct accd__pair *run, size_t n)
{
    assert(n > 0 && run->key != UINT64_MAX);
    const uint64_t key = run->key;
    size_t done = 0;
    if (!ensure_root(index))
        return 0;
    node *leaf = index->leaf;
    if (!leaf || key - index->least >= index->high - index->least)
        leaf = find_leaf_far(index, key);
    if (leaf->used < FANOUT && key - index->least < index->high - index->least) {
        unsigned i = lower_bound_hinted(index, leaf, key);
        i += leaf->key[i] < key;
        const uint64_t upper = leaf->key[i] < index->high ? leaf->key[i] : index->high;
        for (done = 1; done < n && run[done].key < upper && leaf->used + done <= FANOUT;)
            done++;
        if (leaf->used + done <= FANOUT) {
            insert_pairs(leaf, i, run, (unsigned)done);
            index->at = i + (unsigned)done - 1;
        } else {
            done = 0;
        }
    }
    if (!done)
        done = insert_on_path(index, run, n);
    index->count += done;
    return done;
}

/* Inserts a record under a key that is not in the index. Returns 1, or 0 without memory. */
int accd__btree_insert(struct accd__btree *index, uint64_t key, void *record)
{
    return insert_prefix(index, &(struct accd__pair){key, (uintptr_t)record}, 1) != 0;
}

/* Replaces the record of a key that is in the index; counts as a removal. */
void accd__btree_replace(struct accd__btree *index, uint64_t key, void *record)
{
    assert(index->root);
    node *leaf = leaf_for_key(index, key);
    leaf->at[lower_bound_slot(leaf, key)] = record;
    index->removals++;
}

/* Inserts a run of n pairs; stops without memory, which cannot happen if nodes are reserved. */
void accd__btree_insert_sorted(struct accd__btree *index, const struct accd__pair *run, size_t n)
{
    for (size_t done = 1; n && done; run += done, n -= done)
        done = insert_prefix(index, run, n);
}

/* ---------------------------------------------------------------------------------- erasure -- */

/* Removes the entries in slots [i, end) of a node, and moves later entries down. */
static inline void remove_entries(node *n, unsigned i, unsigned end)
{
    assert(i <= end && end <= n->used);
    const unsigned used = n->used, removals = end - i, free = FANOUT - used < removals ? FANOUT - used : removals;
    n->used = used - removals;
    if (end == used) {
        memset(n->key + i, 0xff, removals * sizeof n->key[0]);
        return;
    }
    memmove(n->key + i, n->key + end, (used + free - end) * sizeof n->key[0]); /* unused slots move, too */
    memmove(n->at + i, n->at + end, (used - end) * sizeof n->at[0]);
    if (free < removals)
        memset(n->key + FANOUT - removals, 0xff, (removals - free) * sizeof n->key[0]);
}

/* Merges the child in slot i + 1 of `parent` into the child in slot i and frees it. Returns true if it did; false, with
 * nothing changed, if both have more than MERGED_LIMIT entries together. leaves: the children are leaves. */
static int merge_siblings(struct accd__btree *index, node *parent, unsigned i, int leaves)
{
    node *left = parent->at[i], *right = parent->at[i + 1];
    assert(left->next == right || !leaves);
    if (left->used + right->used > MERGED_LIMIT)
        return 0;
    memcpy(left->key + left->used, right->key, right->used * sizeof left->key[0]);
    memcpy(left->at + left->used, right->at, right->used * sizeof left->at[0]);
    if (!leaves) /* the first separator of `right` may be no lower bound; that of the parent is one */
        left->key[left->used] = parent->key[i + 1];
    left->used += right->used;
    if (leaves) {
        left->next = right->next;
        if (left->next)
            left->next->prev = left;
    }
    accd__pool_free(&index->nodes, right);
    remove_entries(parent, i + 1, i + 2);
    return 1;
}

/* Unlinks a node from its neighbours and frees it. */
static void unlink_node(struct accd__btree *index, node *n)
{
    if (n->prev)
        n->prev->next = n->next;
    if (n->next)
        n->next->prev = n->prev;
    accd__pool_free(&index->nodes, n);
}

/* Merges the child in slot i of n (`leaves`: a leaf) with a neighbour, if it has few entries and both fit together. */
static void merge_with_neighbor(struct accd__btree *index, node *n, unsigned i, int leaves)
{
    const node *child = n->at[i];
    if (child->used <= MERGE_THRESHOLD && !(i + 1 < n->used && merge_siblings(index, n, i, leaves)) && i > 0)
        merge_siblings(index, n, i - 1, leaves);
}

/* Removes the keys in [low, high) below n, a node at height h; returns the number of keys removed. Frees empty
 * children, but leaves n to the caller. */
static size_t erase_below(struct accd__btree *index, node *n, unsigned h, uint64_t low, uint64_t high)
{
    if (!h) {
        const unsigned from = keys_below(n, low), end = keys_below(n, high);
        if (end - from == n->used && n != index->root)
            n->used = 0; /* need not clear the keys, because the caller frees the node */
        else
            remove_entries(n, from, end);
        return end - from;
    }
    const unsigned first = lower_bound_slot(n, low), last = lower_bound_slot(n, high - 1);
    unsigned write_slot = first;
    size_t erased = 0;
    for (unsigned i = first; i <= last; i++) {
        node *child = n->at[i];
        erased += erase_below(index, child, h - 1, low, high);
        if (!child->used) {
            unlink_node(index, child);
            continue;
        }
        n->key[write_slot] = n->key[i];
        n->at[write_slot++] = child;
    }
    remove_entries(n, write_slot, last + 1);
    for (unsigned i = first + 2; i-- > first;) /* the children at both ends of the range may be small now */
        if (i < n->used)
            merge_with_neighbor(index, n, i, h == 1);
    return erased;
}

/* Removes all keys in [low, high), and lowers the tree while the root has one child. */
void accd__btree_erase_range(struct accd__btree *index, uint64_t low, uint64_t high)
{
    if (!index->root || low >= high)
        return;
    reset_finger(index);
    index->removals++;
    index->count -= erase_below(index, index->root, index->height, low, high);
    while (index->height && index->root->used <= 1) {
        node *root = index->root;
        index->root = root->used ? root->at[0] : NULL;
        accd__pool_free(&index->nodes, root);
        index->height--;
        if (!index->root)
            index->height = 0;
    }
}

/* Removes the entries in slots [from, end) of the finger's leaf. Merges the leaf if few entries remain: at most
 * MERGE_THRESHOLD, or at most one with `at_finger`. at_finger: the finger was at the leaf before this operation. */
static inline void erase_at(struct accd__btree *index, node *leaf, int at_finger, unsigned from, unsigned end)
{
    if (leaf->used > (at_finger ? 1 : MERGE_THRESHOLD) + end - from ||
        !index->height) { /* a merge is not due: only the leaf changes */
        index->count -= end - from;
        index->removals++;
        remove_entries(leaf, from, end);
    } else {
        accd__btree_erase_range(index, leaf->key[from], leaf->key[end - 1] + 1);
    }
}

/* Returns the leaf of a key that is in the index, and sets index->at to the slot of the key. Sets *at_finger_p to true
 * if the finger was at this leaf before, else to false. */
static inline node *find_leaf_of_key(struct accd__btree *index, uint64_t key, int *at_finger_p)
{
    node *leaf = find_leaf_by_hint(index, key);
    *at_finger_p = leaf || is_near(index, key);
    if (!leaf) {
        leaf = *at_finger_p ? index->leaf : find_leaf_far(index, key);
        lower_bound_hinted(index, leaf, key);
    }
    return leaf;
}

/* Removes a key that is in the index, and returns its record. */
void *accd__btree_erase(struct accd__btree *index, uint64_t key)
{
    int at_finger;
    node *leaf = find_leaf_of_key(index, key, &at_finger);
    const unsigned i = index->at;
    void *record = leaf->at[i];
    assert(leaf->key[i] == key);
    erase_at(index, leaf, at_finger, i, i + 1);
    return record;
}

/* Removes n keys that are in the index; adjacent keys that follow each other in `keys` are removed together. */
void accd__btree_erase_keys(struct accd__btree *index, const uint64_t *keys, size_t n)
{
    for (size_t done; n; keys += done, n -= done) {
        int at_finger;
        node *leaf = find_leaf_of_key(index, *keys, &at_finger);
        unsigned from = index->at, end = from + 1;
        assert(leaf->key[from] == *keys);
        for (done = 1; done < n; done++)
            if (end < leaf->used && leaf->key[end] == keys[done])
                end++;
            else if (from && leaf->key[from - 1] == keys[done])
                from--;
            else
                break;
        index->at = from;
        erase_at(index, leaf, at_finger, from, end);
    }
}

/* ------------------------------------------------------------------------------------ check -- */

/* State of check_below: last leaf visited, number of keys so far, and last key. */
struct check_state {
    const node *last_leaf;
    size_t count;
    uint64_t last_key;
};

/* Checks a node at height h and all below it, whose keys must be in [low, high), and advances `s` over its leaves.
 * Returns the text of the first error, or NULL. */
static const char *check_below(const node *n, unsigned h, uint64_t low, uint64_t high, struct check_state *s)
{
    if (!n->used || n->used > FANOUT)
        return "a node is empty or too full";
    for (unsigned i = n->used; i < FANOUT; i++)
        if (n->key[i] != UINT64_MAX)
            return "an unused key is not the greatest one";
    for (unsigned i = 0; i < n->used; i++) {
        if (i && n->key[i] <= n->key[i - 1])
            return "keys are not ascending";
        if (h) {
            uint64_t from = i ? n->key[i] : low, to = i + 1 < n->used ? n->key[i + 1] : high;
            const char *violation = check_below(n->at[i], h - 1, from, to, s);
            if (violation)
                return violation;
        } else {
            if (n->key[i] < low || n->key[i] >= high)
                return "a key is outside its separators";
            if (s->count && n->key[i] <= s->last_key)
                return "leaves are not ascending";
            s->last_key = n->key[i];
            s->count++;
        }
    }
    if (!h) {
        if (n->prev != s->last_leaf || (s->last_leaf && s->last_leaf->next != n))
            return "leaves are not linked";
        s->last_leaf = n;
    }
    return NULL;
}

/* Checks the invariants of the whole index. Returns the text of the first error, or NULL. */
const char *accd__btree_check(const struct accd__btree *index)
{
    struct check_state s = {0};
    if (!index->root)
        return index->count ? "an index without nodes has entries" : NULL;
    if (!index->count)
        return index->height || index->root->used ? "an empty index has nodes" : NULL;
    const char *violation = check_below(index->root, index->height, 0, UINT64_MAX, &s);
    if (violation)
        return violation;
    if (s.last_leaf->next)
        return "the last leaf has a successor";
    return s.count == index->count ? NULL : "the number of entries is wrong";
}
