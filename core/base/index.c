#include "base/index.h"

#include <string.h>

enum {
    FANOUT = ACCD_RANGE_FANOUT,
    MERGE_AT = FANOUT / 4,       /* a node this empty looks for a neighbour to join */
    MERGE_TO = FANOUT - FANOUT / 4, /* that is not fuller than this with it */
    HEIGHT_MOST = 32
};

_Static_assert(FANOUT >= 4 && (FANOUT & (FANOUT - 1)) == 0, "fan-out is a power of two");

typedef struct accd_range_node node;

/* Unused keys are the greatest number, which no record has; it is looked for as the one before. */
static inline uint64_t wanted(uint64_t p) { return p - (p == UINT64_MAX); }

/* Place of the last key <= p, or 0: binary search over the full width, without branches. */
static inline unsigned place(const node *n, uint64_t p)
{
    unsigned at = 0;
#pragma GCC unroll 8
    for (unsigned half = FANOUT / 2; half; half /= 2)
        at += half & -(unsigned)(n->key[at + half] <= p);
    return at;
}

static node *new_node(struct accd_range *index)
{
    node *n = accd_pool_take(&index->nodes);
    if (n) {
        memset(n->key, 0xff, sizeof n->key);
        n->next = n->prev = NULL;
        n->used = 0;
    }
    return n;
}

void accd_range_init(struct accd_range *index, struct accd_mem *mem)
{
    *index = (struct accd_range){0};
    accd_pool_init(&index->nodes, mem, sizeof(node), 16);
}

void accd_range_close(struct accd_range *index)
{
    accd_pool_close(&index->nodes);
    accd_range_init(index, index->nodes.mem);
}

static inline __attribute__((always_inline)) void fetch(const node *n)
{
    enum { LINE = 64 };
    for (size_t at = 0; at < offsetof(node, next); at += LINE)
        __builtin_prefetch((const char *)n + at);
}

/* A search that goes from a leaf to the next one will go on: what lies behind is fetched ahead. */
static inline void fetch_behind(const node *leaf)
{
    if (leaf->next)
        fetch(leaf->next);
}

/* Moves the finger to the leaf for p. */
static inline __attribute__((always_inline)) node *descend(struct accd_range *index, uint64_t p)
{
    const node *before = index->leaf;
    node *n = index->root;
    uint64_t low = 0, least = 0, high = UINT64_MAX;
    for (unsigned h = index->height; h; h--) {
        unsigned i = place(n, p);
        if (i && n->key[i] > low)
            low = n->key[i];
        if (n->key[i] > least)
            least = n->key[i];
        if (i + 1 < FANOUT && n->key[i + 1] < high)
            high = n->key[i + 1];
        n = n->at[i];
        fetch(n); /* all of it at once: the search reads one line after the other */
    }
    if (__builtin_expect(before && before->next == n, 0))
        fetch_behind(n);
    index->leaf = n;
    index->low = low;
    index->least = least;
    index->high = high;
    return n;
}

static inline node *leaf_for(struct accd_range *index, uint64_t p)
{
    if (p - index->low < index->high - index->low && index->leaf)
        return index->leaf;
    return descend(index, p);
}

/* The place in the finger's leaf: where the last one was, just beside it, or looked for. A construct
 * asks for an address before it changes the index there, and one that undoes another asks again. */
static inline unsigned place_near(struct accd_range *index, const node *leaf, uint64_t p)
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
    return index->at = place(leaf, p);
}

static void lift_finger(struct accd_range *index) { index->leaf = NULL; }

/* A leaf's own keys may all lie above p although it is the leaf for p: separators are lower bounds
 * that erasures leave behind. The predecessor is then the last key of the leaf before. */
static inline void *at_or_before(const node *leaf, unsigned i, uint64_t p)
{
    if (leaf->key[i] <= p)
        return leaf->at[i];
    return leaf->prev ? leaf->prev->at[leaf->prev->used - 1] : NULL;
}

void *accd_range_floor(struct accd_range *index, uint64_t p)
{
    if (!index->root)
        return NULL;
    p = wanted(p);
    const node *leaf = leaf_for(index, p);
    return at_or_before(leaf, place(leaf, p), p);
}

void *accd_range_floor_near(struct accd_range *index, uint64_t p)
{
    if (!index->root)
        return NULL;
    p = wanted(p);
    const node *leaf = leaf_for(index, p);
    return at_or_before(leaf, place_near(index, leaf, p), p);
}

void *accd_range_around(struct accd_range *index, uint64_t p, void **after_p)
{
    *after_p = NULL;
    if (!index->root)
        return NULL;
    p = wanted(p);
    const node *leaf = leaf_for(index, p);
    unsigned i = place_near(index, leaf, p);
    if (leaf->key[i] > p) /* all keys of the leaf, if it has any */
        *after_p = leaf->used ? leaf->at[i] : NULL;
    else if (i + 1 < leaf->used)
        *after_p = leaf->at[i + 1];
    else if (leaf->next)
        *after_p = leaf->next->at[0];
    return at_or_before(leaf, i, p);
}

void accd_range_floor_batch(struct accd_range *index, const uint64_t *p, void **found,
                            unsigned count)
{
    const node *n[ACCD_RANGE_BATCH];
    unsigned at[ACCD_RANGE_BATCH];
    if (!index->root) {
        for (unsigned i = 0; i < count; i++)
            found[i] = NULL;
        return;
    }
    for (unsigned i = 0; i < count; i++)
        n[i] = index->root;
    for (unsigned h = index->height; h; h--)
        for (unsigned i = 0; i < count; i++) {
            n[i] = n[i]->at[place(n[i], wanted(p[i]))];
            for (unsigned k = 0; k < FANOUT; k += 8)
                __builtin_prefetch(n[i]->key + k);
        }
    for (unsigned i = 0; i < count; i++) {
        at[i] = place(n[i], wanted(p[i]));
        __builtin_prefetch(n[i]->at + at[i]);
    }
    for (unsigned i = 0; i < count; i++) {
        found[i] = at_or_before(n[i], at[i], p[i]);
        __builtin_prefetch(found[i]);
    }
}

void *accd_range_seek(struct accd_range *index, uint64_t p, struct accd_range_cursor *cursor)
{
    *cursor = (struct accd_range_cursor){NULL, 0};
    if (!index->root)
        return NULL;
    const node *leaf = leaf_for(index, wanted(p));
    unsigned i = place(leaf, wanted(p));
    cursor->leaf = leaf;
    cursor->at = i;
    if (!leaf->used)
        return NULL;
    if (leaf->key[i] >= p)
        return leaf->at[i];
    return accd_range_next(cursor);
}

void *accd_range_next(struct accd_range_cursor *cursor)
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

/* -------------------------------------------------------------------------------- insertion -- */

/* Each insertion splits at most one node of each level and may add a root. Many insertions cannot
 * each split a full path: only the nodes that are full now split at once, any other one first needs
 * FANOUT / 2 insertions; upper levels add at most as much again. */
int accd_range_reserve(struct accd_range *index, size_t n)
{
    size_t each = index->height + 2, need;
    if (__builtin_mul_overflow(n, each, &need))
        return 0;
    size_t bound = 3 * (index->count / FANOUT + n / (FANOUT / 2) + 2) + HEIGHT_MOST;
    return accd_pool_reserve(&index->nodes, need < bound ? need : bound);
}

static void put(node *n, unsigned i, uint64_t key, void *at)
{
    memmove(n->key + i + 1, n->key + i, (n->used - i) * sizeof n->key[0]);
    memmove(n->at + i + 1, n->at + i, (n->used - i) * sizeof n->at[0]);
    n->key[i] = key;
    n->at[i] = at;
    n->used++;
}

/* Splits the full node n, into which (key, at) goes at place i. A split at the very end of the index
 * moves nothing, so that ascending keys fill their nodes. Returns the new right sibling, or NULL when
 * out of memory. */
static node *split(struct accd_range *index, node *n, unsigned i, uint64_t key, void *at, int leaf,
                   int last)
{
    node *right = new_node(index);
    if (!right)
        return NULL;
    unsigned from = i == FANOUT && last ? FANOUT : FANOUT / 2;
    right->used = FANOUT - from;
    memcpy(right->key, n->key + from, right->used * sizeof n->key[0]);
    memcpy(right->at, n->at + from, right->used * sizeof n->at[0]);
    memset(n->key + from, 0xff, right->used * sizeof n->key[0]);
    n->used = from;
    if (i >= from)
        put(right, i - from, key, at);
    else
        put(n, i, key, at);
    if (leaf) {
        right->next = n->next;
        right->prev = n;
        if (right->next)
            right->next->prev = right;
        n->next = right;
    }
    lift_finger(index);
    return right;
}

/* One step of a path from the root to a leaf: the node at a height and the child taken. */
struct step {
    node *n;
    unsigned at;
};

static node *walk_down(const struct accd_range *index, uint64_t key, struct step *path)
{
    node *n = index->root;
    for (unsigned h = index->height; h; h--) {
        unsigned at = place(n, key);
        path[h] = (struct step){n, at};
        n = n->at[at];
    }
    return n;
}

static int insert_on_path(struct accd_range *index, uint64_t key, void *record)
{
    struct step path[HEIGHT_MOST + 1];
    node *n = walk_down(index, key, path);
    int last = !n->next;
    unsigned i = place(n, key);
    i += n->used && n->key[i] < key;
    for (unsigned h = 1; h <= index->height; h++) /* separators stay lower bounds */
        if (key < path[h].n->key[path[h].at]) {
            path[h].n->key[path[h].at] = key;
            lift_finger(index);
        }
    for (unsigned h = 0;; h++) {
        if (n->used < FANOUT) {
            put(n, i, key, record);
            return 1;
        }
        node *right = split(index, n, i, key, record, h == 0, last);
        if (!right)
            return 0;
        key = right->key[0];
        record = right;
        if (h == index->height) {
            node *root = new_node(index);
            if (!root)
                return 0;
            put(root, 0, n->key[0], n);
            put(root, 1, key, right);
            index->root = root;
            index->height++;
            return 1;
        }
        n = path[h + 1].n;
        i = path[h + 1].at + 1;
    }
}

int accd_range_insert(struct accd_range *index, uint64_t key, void *record)
{
    if (!index->root) {
        index->root = new_node(index);
        if (!index->root)
            return 0;
        index->height = 0;
        lift_finger(index);
    }
    /* Near the last search there is no need to start at the root. */
    node *leaf = index->leaf;
    if (!index->height && index->root->used == 0) {
        put(index->root, 0, key, record);
        index->count++;
        return 1;
    }
    if (leaf && leaf->used && leaf->used < FANOUT && key - index->least < index->high - index->least) {
        unsigned i = place_near(index, leaf, key);
        put(leaf, i + (leaf->key[i] < key), key, record);
        index->count++;
        return 1;
    }
    if (!insert_on_path(index, key, record))
        return 0;
    index->count++;
    return 1;
}

void accd_range_replace(struct accd_range *index, uint64_t key, void *record)
{
    node *leaf = leaf_for(index, key);
    leaf->at[place(leaf, key)] = record;
}

int accd_range_fill(struct accd_range *index, const uint64_t *keys, void *const *records, size_t n)
{
    if (n == 0)
        return 1;
    size_t nodes = 0;
    for (size_t level = n; level > 1; level = (level + FANOUT - 1) / FANOUT)
        nodes += (level + FANOUT - 1) / FANOUT;
    if (!accd_pool_reserve(&index->nodes, nodes + 1))
        return 0;
    /* The leaves, then every inner level from the one below, chained through next while building. */
    node *first = NULL, *last = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!last || last->used == FANOUT) {
            node *leaf = new_node(index);
            leaf->prev = last;
            if (last)
                last->next = leaf;
            else
                first = leaf;
            last = leaf;
        }
        last->key[last->used] = keys[i];
        last->at[last->used++] = records[i];
    }
    index->height = 0;
    for (int leaves = 1; first->next; leaves = 0) {
        node *above = NULL, *end = NULL;
        for (node *child = first; child;) {
            node *following = child->next;
            if (!end || end->used == FANOUT) {
                node *inner = new_node(index);
                if (end)
                    end->next = inner;
                else
                    above = inner;
                end = inner;
            }
            end->key[end->used] = child->key[0];
            end->at[end->used++] = child;
            if (!leaves)
                child->next = NULL;
            child = following;
        }
        first = above;
        index->height++;
    }
    index->root = first;
    index->count = n;
    lift_finger(index);
    return 1;
}

/* ---------------------------------------------------------------------------------- erasure -- */

static void take(node *n, unsigned i)
{
    n->used--;
    memmove(n->key + i, n->key + i + 1, (n->used - i) * sizeof n->key[0]);
    memmove(n->at + i, n->at + i + 1, (n->used - i) * sizeof n->at[0]);
    n->key[n->used] = UINT64_MAX;
}

/* Joins right, the child behind left in parent at place i, into left if both fit loosely. */
static int join(struct accd_range *index, node *parent, unsigned i, int leaves)
{
    node *left = parent->at[i], *right = parent->at[i + 1];
    if (left->used + right->used > MERGE_TO)
        return 0;
    memcpy(left->key + left->used, right->key, right->used * sizeof left->key[0]);
    memcpy(left->at + left->used, right->at, right->used * sizeof left->at[0]);
    if (!leaves) /* a first separator may be stale; the parent's is a valid lower bound */
        left->key[left->used] = parent->key[i + 1];
    left->used += right->used;
    if (leaves) {
        left->next = right->next;
        if (left->next)
            left->next->prev = left;
    }
    accd_pool_give(&index->nodes, right);
    take(parent, i + 1);
    return 1;
}

void *accd_range_erase(struct accd_range *index, uint64_t key)
{
    index->count--;
    /* Near the last search, and far from empty or alone: nothing above the leaf changes. */
    node *leaf = index->leaf;
    if (leaf && (leaf->used > 2 || !index->height) && key - index->low < index->high - index->low) {
        unsigned i = place_near(index, leaf, key);
        void *record = leaf->at[i];
        take(leaf, i);
        return record;
    }
    struct step path[HEIGHT_MOST + 1];
    node *n = walk_down(index, key, path);
    unsigned i = place(n, key);
    void *record = n->at[i];
    take(n, i);
    lift_finger(index);
    for (unsigned h = 1; h <= index->height && n->used <= MERGE_AT; h++) {
        node *parent = path[h].n;
        unsigned at = path[h].at;
        if (n->used == 0) {
            if (h == 1) {
                if (n->prev)
                    n->prev->next = n->next;
                if (n->next)
                    n->next->prev = n->prev;
            }
            accd_pool_give(&index->nodes, n);
            take(parent, at);
        } else if (!(at + 1 < parent->used && join(index, parent, at, h == 1)) &&
                   !(at > 0 && join(index, parent, at - 1, h == 1))) {
            break;
        }
        n = parent;
    }
    while (index->height && index->root->used <= 1) {
        node *root = index->root;
        index->root = root->used ? root->at[0] : NULL;
        accd_pool_give(&index->nodes, root);
        index->height--;
        if (!index->root)
            index->height = 0;
    }
    return record;
}

/* ------------------------------------------------------------------------------------ check -- */

struct survey {
    const node *last_leaf;
    size_t count;
    uint64_t last_key;
};

static const char *check_below(const node *n, unsigned h, uint64_t low, uint64_t high,
                               struct survey *s)
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
            const char *wrong = check_below(n->at[i], h - 1, from, to, s);
            if (wrong)
                return wrong;
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

const char *accd_range_check(const struct accd_range *index)
{
    struct survey s = {0};
    if (!index->root)
        return index->count ? "an index without nodes has entries" : NULL;
    if (!index->count)
        return index->height || index->root->used ? "an empty index has nodes" : NULL;
    const char *wrong = check_below(index->root, index->height, 0, UINT64_MAX, &s);
    if (wrong)
        return wrong;
    if (s.last_leaf->next)
        return "the last leaf has a successor";
    return s.count == index->count ? NULL : "the number of entries is wrong";
}
