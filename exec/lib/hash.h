/* hash.h - hash tables by 64-bit keys, with open addressing. Header only, since the library of checked programs uses
 * it, too.
 *
 *      slots:  | key, value |  0  | key, value | key, value |  0  | ...        a power of two; at most half are used
 *                              free  ^ home slot   ^ next slot of the probe sequence
 *
 * An entry is a struct whose first member is its key, a uint64_t other than 0. It lies in its home slot or, if other
 * entries lie there, in the next free one. Removal moves later entries of the probe sequence into the hole. Therefore
 * rt_hash_add and rt_hash_remove invalidate pointers to entries. Nothing is allocated before the first entry. */
#ifndef RT_HASH_H
#define RT_HASH_H

#include "vector.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Word of an entry. */
typedef uint64_t __attribute__((may_alias)) rt_hash_word;

/* Table; initialize with RT_HASH_TABLE. */
struct rt_hash {
    rt_allocator *allocate;
    size_t entry_bytes; /* bytes of an entry */
    void *slots;
    size_t n, capacity; /* number of entries; number of slots, 0 or a power of two */
};
/* Initializer of an empty table with entries of a type. */
#define RT_HASH_TABLE(allocator, type)                        \
    {                                                         \
        .allocate = (allocator), .entry_bytes = sizeof(type), \
    }

/* Returns the key of the data at a host address on a device. Addresses of data have at most 56 bits; bit 63 is 0. */
static inline uint64_t rt_data_key(int device, uint64_t host)
{
    assert(host && device >= 0 && device < 1 << 7);
    return host | (uint64_t)device << 56;
}

/* Returns the index of the home slot of a key, modulo the capacity. */
static inline size_t rt_hash_home(uint64_t key)
{
    return (size_t)((key ^ key >> 32) * 0x9E3779B97F4A7C15u >> 20);
}

/* Returns slot number i modulo the capacity. */
static inline rt_hash_word *rt_hash_slot(const struct rt_hash *table, size_t i)
{
    return (rt_hash_word *)((char *)table->slots + (i & (table->capacity - 1)) * table->entry_bytes);
}

/* Returns the entry of a key, or else the free slot where it belongs. There must be slots. */
static inline rt_hash_word *rt_hash_probe(const struct rt_hash *table, uint64_t key)
{
    assert(key && table->capacity && !(table->capacity & (table->capacity - 1)));
    size_t i = rt_hash_home(key);
    while (*rt_hash_slot(table, i) && *rt_hash_slot(table, i) != key)
        i++;
    return rt_hash_slot(table, i);
}

/* Copies `bytes` bytes, whole words; zeros if `from` is NULL. The barrier keeps the compiler from calling memcpy or
 * memset, since the library of checked programs replaces both. */
static inline void rt_hash_copy(rt_hash_word *to, const rt_hash_word *from, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *to; i++) {
        to[i] = from ? from[i] : 0;
        __asm__ volatile("" ::: "memory");
    }
}

/* Returns the entry of a key, which must not be 0; NULL if there is none. */
static inline void *rt_hash_find(const struct rt_hash *table, uint64_t key)
{
    assert(key);
    rt_hash_word *const entry = table->n ? rt_hash_probe(table, key) : NULL;
    return entry && *entry ? entry : NULL;
}

/* Returns the next entry after `entry` in the order of slots, the first one for NULL; NULL at the end. */
static inline void *rt_hash_next(const struct rt_hash *table, const void *entry)
{
    size_t i = entry ? (size_t)((const char *)entry - (char *)table->slots) / table->entry_bytes + 1 : 0;
    while (i < table->capacity && !*rt_hash_slot(table, i))
        i++;
    return i < table->capacity ? rt_hash_slot(table, i) : NULL;
}

/* Removes all entries, and frees the slots. */
static inline void rt_hash_clear(struct rt_hash *table)
{
    if (table->slots)
        table->allocate(NULL, table->slots, table->capacity * table->entry_bytes, 0);
    table->slots = NULL;
    table->n = table->capacity = 0;
}

/* Returns the entry of a key, which must not be 0; a new one is zero except for its key. Returns NULL, and changes
 * nothing, without memory. */
static inline void *rt_hash_add(struct rt_hash *table, uint64_t key)
{
    assert(key);
    rt_hash_word *entry = table->capacity ? rt_hash_probe(table, key) : NULL;
    if (entry && *entry)
        return entry;
    if (2 * table->n >= table->capacity) {
        struct rt_hash larger = *table;
        larger.capacity = table->capacity ? 2 * table->capacity : 64;
        larger.slots = table->allocate(NULL, NULL, 0, larger.capacity * table->entry_bytes);
        if (!larger.slots)
            return NULL;
        rt_hash_copy(larger.slots, NULL, larger.capacity * table->entry_bytes);
        for (const rt_hash_word *old = NULL; (old = rt_hash_next(table, old));)
            rt_hash_copy(rt_hash_probe(&larger, *old), old, table->entry_bytes);
        rt_hash_clear(table);
        *table = larger;
        entry = rt_hash_probe(table, key);
    }
    *entry = key;
    table->n++;
    return entry;
}

/* Removes the entry of a key, which must not be 0. Returns false if there is none. */
static inline bool rt_hash_remove(struct rt_hash *table, uint64_t key)
{
    rt_hash_word *const entry = rt_hash_find(table, key);
    if (!entry)
        return false;
    size_t hole = (size_t)((char *)entry - (char *)table->slots) / table->entry_bytes;
    for (size_t i = hole + 1; *rt_hash_slot(table, i); i++) {
        const size_t distance = i - rt_hash_home(*rt_hash_slot(table, i));
        if ((distance & (table->capacity - 1)) < i - hole)
            continue; /* the hole lies before the entry's home slot */
        rt_hash_copy(rt_hash_slot(table, hole), rt_hash_slot(table, i), table->entry_bytes);
        hole = i;
    }
    rt_hash_copy(rt_hash_slot(table, hole), NULL, table->entry_bytes);
    table->n--;
    return true;
}

#endif
