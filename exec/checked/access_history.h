/* access_history.h - the access history of device memory: which work (operation of a queue, or task) accessed
 * each byte last, and whether the next access happens after that access. Used by slow_path.c for kernels, and
 * by the runtime (coherence/device_races.c) for transfers.
 *
 *      shadow->history_tiles[k / 512]  tile: last[16], 4 bits for each 4 bytes     k: offset in device memory
 *        last[0] == RT_TILE_SPLIT -->  split_tiles[k / 128]: 4 bits for each byte
 *          last[0] == SPLIT again -->  split_bytes[k]: one rt_last_access for each byte
 *
 * INVARIANTS. List entry 0 means that no work accessed the unit. A value may have two entries in a tile's
 * list. Only the thread that has the spin lock tile_owner changes tiles; a kernel that runs alone may change
 * the index of a unit without the lock. */
#ifndef RT_ACCESS_HISTORY_H
#define RT_ACCESS_HISTORY_H

#include "checked.h"

#include <string.h>

/* Returns the work id that replaces `from` as last access when the thread's work accesses the bytes. It is
 * that of the thread's work if all works of `from` happen before it, otherwise the id of a set that contains
 * it. Caches the results of rt_shadow.find_successor for the thread. */
static inline uint16_t rt_find_successor(const struct rt_shadow *shadow, struct rt_check_thread *thread, uint16_t from)
{
    const unsigned i = from / 2 % RT_SUCCESSOR_CACHE;
    if (thread->steps[i].from != from) {
        thread->steps[i].to = shadow->find_successor(from, thread->work);
        thread->steps[i].from = from;
    }
    return thread->steps[i].to;
}

/* Replaces *last, the last access of some bytes, by an access of kind `access_flags` (RT_ACCESS_READ, ...) of
 * the thread's work and returns true. Returns false, with *last unchanged, if a conflicting access in *last
 * does not happen before this access. */
static inline bool rt_record_access(const struct rt_shadow *shadow, struct rt_check_thread *thread,
                                    struct rt_last_access *last, unsigned access_flags)
{
    const uint16_t work = thread->work, access_id = work && access_flags & RT_ACCESS_ATOMIC ? work + 1 : work;
    const uint16_t read = rt_find_successor(shadow, thread, last->read);
    if (rt_find_successor(shadow, thread, last->write) != work || (access_flags & RT_ACCESS_MODIFY && read != work))
        return false;
    /* plain accesses before an atomic access stay recorded, because atomic accesses of other works may race with them
     */
    if (access_id != work)
        *last = access_flags & RT_ACCESS_MODIFY
                    ? (struct rt_last_access){shadow->find_successor(last->write, access_id),
                                              shadow->find_successor(last->read, 1)}
                    : (struct rt_last_access){last->write, shadow->find_successor(last->read, access_id)};
    else if (access_flags & RT_ACCESS_MODIFY)
        *last = (struct rt_last_access){.write = work};
    else
        last->read = read;
    return true;
}

/* Returns a last access packed in one word, as tiles store it: the writer's id in the low half, the reader's
 * in the high half. */
static inline uint32_t rt_pack_last_access(struct rt_last_access last)
{
    return last.write | (uint32_t)last.read << 16;
}

/* Returns the last access that rt_pack_last_access has packed. */
static inline struct rt_last_access rt_unpack_last_access(uint32_t packed)
{
    return (struct rt_last_access){(uint16_t)packed, (uint16_t)(packed >> 16)};
}

/* Returns a hash of the packed value `packed`, from which the search in a table begins. Works numbered
 * in sequence give different hashes. Their ids are even; the odd id after each stands for the atomic accesses of the
 * same work, and may have the same hash. */
static inline unsigned rt_hash_last_access(uint32_t packed)
{
    return (packed >> 1) + (packed >> 16);
}

/* -------------------------------------------------------------------------------------- tiles -- */

/* Acquires the spin lock of tiles. Returns false if the calling thread has the lock already: then the caller is a
 * signal handler that interrupted the thread, and must not change any tile. */
static inline bool rt_lock_tiles(struct rt_shadow *shadow, const struct rt_check_thread *thread)
{
    const struct rt_check_thread *owner = NULL;
    while (
        !__atomic_compare_exchange_n(&shadow->tile_owner, &owner, thread, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        if (owner == thread)
            return false;
        owner = NULL;
    }
    return true;
}

/* Releases the spin lock of tiles. */
static inline void rt_unlock_tiles(struct rt_shadow *shadow)
{
    __atomic_store_n(&shadow->tile_owner, NULL, __ATOMIC_RELEASE);
}

/* Returns true if a tile is split: the history of its bytes is in split tiles or, if `tile` is a split tile
 * itself, in split_bytes. */
static inline bool rt_is_tile_split(const struct rt_history_tile *tile)
{
    return tile->last[0] == RT_TILE_SPLIT;
}

/* Returns the list index of a unit (0 to RT_TILE_UNITS - 1) of a tile. */
static inline unsigned rt_get_tile_entry(const struct rt_history_tile *tile, size_t unit)
{
    return tile->indices[unit / 2] >> 4 * (unit % 2) & 0xf;
}

/* Sets the list index of n units of a tile, from `unit` on, to `entry`. */
static inline void rt_set_tile_entries(struct rt_history_tile *tile, size_t unit, size_t n, unsigned entry)
{
    for (size_t step; n; unit += step, n -= step) {
        const unsigned shift = 4 * (unit % 2);
        step = shift || n == 1 ? 1 : 2;
        uint8_t *indices = &tile->indices[unit / 2];
        *indices = (uint8_t)(step == 2 ? 0x11 * entry : (*indices & 0xf0u >> shift) | entry << shift);
    }
}

/* Returns the tile or split tile that has the history of the byte at offset k in device memory. Sets *unit_p
 * to the bytes of a unit of that tile: 4 or 1. Returns NULL, with *unit_p 1, if the history of the byte is in
 * split_bytes[k]. */
static inline struct rt_history_tile *rt_find_history_tile(const struct rt_shadow *shadow, size_t k, size_t *unit_p)
{
    struct rt_history_tile *tile = &shadow->history_tiles[k / RT_TILE_BYTES];
    *unit_p = RT_TILE_BYTES / RT_TILE_UNITS;
    if (rt_is_tile_split(tile)) {
        tile = &shadow->split_tiles[k / RT_TILE_UNITS];
        *unit_p = 1;
    }
    return rt_is_tile_split(tile) ? NULL : tile;
}

/* Splits the tile of the byte at offset k into split tiles, or its split tile into bytes; does nothing if both are
 * split already. The thread must have the lock of tiles. */
static inline void rt_split_tile(const struct rt_shadow *shadow, size_t k)
{
    size_t unit;
    struct rt_history_tile *tile = rt_find_history_tile(shadow, k, &unit);
    const size_t first = k / (unit * RT_TILE_UNITS) * (unit * RT_TILE_UNITS);
    for (size_t i = 0; tile && i < unit * RT_TILE_UNITS; i++) {
        const unsigned entry = rt_get_tile_entry(tile, i / unit);
        struct rt_history_tile *part = &shadow->split_tiles[(first + i) / RT_TILE_UNITS];
        if (unit == 1) {
            shadow->split_bytes[first + i] = rt_unpack_last_access(tile->last[entry]);
            continue;
        }
        if (i % RT_TILE_UNITS == 0)
            memcpy(part->last, tile->last, sizeof part->last);
        rt_set_tile_entries(part, i % RT_TILE_UNITS, 1, entry);
    }
    for (size_t i = 0; tile && i < RT_TILE_ENTRIES; i++)
        tile->last[i] = RT_TILE_SPLIT;
}

/* Frees the entries of a tile's list of last accesses that no unit uses. Does nothing while more than one
 * kernel is recorded, because another thread may be about to use an entry. */
static inline void rt_free_unused_tile_entries(const struct rt_shadow *shadow, struct rt_history_tile *tile)
{
    unsigned used_entries = 1, index_pair = 0;
    for (size_t i = 0; i < RT_TILE_UNITS / 2; i++)
        if (i == 0 || tile->indices[i] != index_pair) {
            index_pair = tile->indices[i];
            used_entries |= 1u << index_pair % RT_TILE_ENTRIES | 1u << index_pair / RT_TILE_ENTRIES;
        }
    for (unsigned i = 1; i < RT_TILE_ENTRIES && shadow->recording < 2; i++)
        if (!(used_entries >> i & 1))
            tile->last[i] = 0;
}

/* Sets *entry_p to the index of the packed value `last` in a tile's list, and returns true; the value 0 is
 * always at index 0. If the tile does not have the value, returns false, and *entry_p is the index of a free
 * entry, or 0 if no entry is free. Most values have the same entry in all tiles, because the search begins at
 * a hash of the value. */
static inline bool rt_find_tile_entry(const struct rt_history_tile *tile, uint32_t last, unsigned *entry_p)
{
    const unsigned first = rt_hash_last_access(last);
    unsigned free = 0;
    *entry_p = 0;
    for (unsigned i = first; i < first + RT_TILE_ENTRIES && last; i++) {
        const unsigned entry = i % RT_TILE_ENTRIES;
        if (entry && tile->last[entry] == last) {
            *entry_p = entry;
            return true;
        }
        if (entry && !free && !tile->last[entry])
            free = entry;
    }
    *entry_p = free;
    return !last;
}

/* Returns the index of the packed value `last` in a tile's list, and adds the value if it is missing. Returns
 * 0 if no entry is free or `last` is 0. A list may get a value twice. The thread must have the lock of tiles. */
static inline unsigned rt_get_or_add_tile_entry(const struct rt_shadow *shadow, struct rt_history_tile *tile,
                                                uint32_t last)
{
    const unsigned first = rt_hash_last_access(last) % RT_TILE_ENTRIES;
    unsigned entry = first + !first;
    if (last && tile->last[entry]) {
        if (rt_find_tile_entry(tile, last, &entry))
            return entry;
        rt_free_unused_tile_entries(shadow, tile);
        if (rt_find_tile_entry(tile, last, &entry) || !entry)
            return entry;
    }
    if (last)
        tile->last[entry] = last;
    return last ? entry : 0;
}

/* Sets *last to the packed last access of the byte at offset k. Returns how many of the n bytes from k on
 * certainly have the same last access and lie in the same tile. A tile has a last access for whole units
 * only. So the tile is split if the range begins inside of a unit or is smaller than a unit. */
static inline size_t rt_find_last_access(struct rt_shadow *shadow, const struct rt_check_thread *thread, size_t k,
                                         size_t n, uint32_t *last)
{
    size_t unit;
    struct rt_history_tile *tile = rt_find_history_tile(shadow, k, &unit);
    if (tile && (k % unit || n < unit) && rt_lock_tiles(shadow, thread)) {
        rt_split_tile(shadow, k);
        rt_unlock_tiles(shadow);
        tile = rt_find_history_tile(shadow, k, &unit);
    }
    if (!tile) {
        *last = rt_pack_last_access(shadow->split_bytes[k]);
        return 1;
    }
    const size_t first = k / unit % RT_TILE_UNITS, limit = first + n / unit;
    const unsigned entry = rt_get_tile_entry(tile, first);
    size_t end = first + 1;
    while (end < limit && end < RT_TILE_UNITS && rt_get_tile_entry(tile, end) == entry)
        end++;
    *last = tile->last[entry];
    return (end - first) * unit;
}

static inline void rt_set_last_access_range(struct rt_shadow *shadow, const struct rt_check_thread *thread, size_t k,
                                            size_t n, uint32_t last);

/* Sets the packed last access of n bytes from offset k on, which are whole units of one tile, to `last`.
 * Splits the tile if its list is full. Returns the list index of the units; 0 if they have none, because
 * `last` is 0 or the tile is split. Returns 0 without a change if the thread has the lock of tiles already. */
static inline unsigned rt_set_last_access(struct rt_shadow *shadow, const struct rt_check_thread *thread, size_t k,
                                          size_t n, uint32_t last)
{
    size_t unit;
    unsigned entry = 0;
    if (!rt_lock_tiles(shadow, thread))
        return 0;
    struct rt_history_tile *tile = rt_find_history_tile(shadow, k, &unit);
    if (tile && n == unit * RT_TILE_UNITS)
        *tile = (struct rt_history_tile){0};
    if (tile)
        entry = rt_get_or_add_tile_entry(shadow, tile, last);
    if (tile && last && !entry) {
        rt_split_tile(shadow, k);
        rt_unlock_tiles(shadow);
        rt_set_last_access_range(shadow, thread, k, n, last);
        return 0;
    }
    if (tile)
        rt_set_tile_entries(tile, k / unit % RT_TILE_UNITS, n / unit, entry);
    else
        shadow->split_bytes[k] = rt_unpack_last_access(last);
    rt_unlock_tiles(shadow);
    return entry;
}

/* Sets the packed last access of the n bytes from offset k on, which may lie in many tiles, to `last`. */
static inline void rt_set_last_access_range(struct rt_shadow *shadow, const struct rt_check_thread *thread, size_t k,
                                            size_t n, uint32_t last)
{
    uint32_t old;
    for (size_t end = k + n, part; k < end; k += part) {
        part = rt_find_last_access(shadow, thread, k, end - k, &old);
        rt_set_last_access(shadow, thread, k, part, last);
    }
}

/* ---------------------------------------------------------------------------------- accesses -- */

/* Returns the slot of the thread's cache of changes (rt_check_thread.changes) for the packed last access
 * `from` and the kind of access `access_flags`. The slot may have another change. */
static inline struct rt_history_change *rt_get_history_change(struct rt_check_thread *thread, uint32_t from,
                                                              unsigned access_flags)
{
    return &thread->changes[access_flags % RT_ACCESS_FREE][rt_hash_last_access(from) % RT_CHANGE_CACHE];
}

/* Records an access of n bytes of device memory at address `at` by the thread's work, and calls on_race for
 * bytes whose last access does not happen before this access. Consecutive bytes with the same last access
 * report a race once. pc: return address of the access; frame: frame of the function that the compiler
 * called, NULL: not known. */
static inline void rt_record_access_range(struct rt_shadow *shadow, struct rt_check_thread *thread, uintptr_t at,
                                          size_t n, unsigned access_flags, uintptr_t pc, const uintptr_t *frame)
{
    struct rt_history_change race = {UINT32_MAX, 0, 0};
    for (size_t k = at - shadow->low, end = k + n, part; k < end; k += part) {
        uint32_t from;
        part = rt_find_last_access(shadow, thread, k, end - k, &from);
        struct rt_history_change *change = rt_get_history_change(thread, from, access_flags);
        if (change->from != from && race.from == from)
            change = &race;
        if (change->from != from) {
            struct rt_last_access last = rt_unpack_last_access(from);
            const bool is_ordered = rt_record_access(shadow, thread, &last, access_flags);
            if (!is_ordered) {
                shadow->on_race(&last, shadow->low + k, access_flags, pc, frame);
                change = &race;
            }
            *change = (struct rt_history_change){from, rt_pack_last_access(last), 0};
        }
        if (change->to != from)
            change->entry = rt_set_last_access(shadow, thread, k, part, change->to);
    }
}

/* Records a load or store of a kernel at offset k, of n (1, 2, 4 or 8) aligned bytes, and returns true. Returns false,
 * and records nothing, in these cases:
 *
 * - n is less than 4 and the tile is not split.
 * - Two units have different last accesses.
 * - The thread's cache does not have the change.
 * - The change needs the lock, because several kernels are recorded.
 * - The tile's list lacks the new value. */
static inline __attribute__((always_inline)) bool rt_record_repeated_access(const struct rt_shadow *shadow,
                                                                            struct rt_check_thread *thread, size_t k,
                                                                            size_t n, unsigned access_flags)
{
    const bool split_tiles = n < 4;
    if (split_tiles && !rt_is_tile_split(&shadow->history_tiles[k / RT_TILE_BYTES]))
        return false;
    struct rt_history_tile *tile =
        split_tiles ? &shadow->split_tiles[k / RT_TILE_UNITS] : &shadow->history_tiles[k / RT_TILE_BYTES];
    const size_t unit = split_tiles ? k : k / 4;
    const bool is_pair = n == 8 || n == 2;
    uint8_t *indices = &tile->indices[unit % RT_TILE_UNITS / 2];
    const unsigned index_pair = *indices, shift = is_pair ? 0 : unit % 2 * 4, entry = index_pair >> shift & 0xf;
    const uint32_t from = tile->last[entry];
    const struct rt_history_change *change = rt_get_history_change(thread, from, access_flags);
    if ((is_pair && index_pair != 0x11 * entry) || change->from != from)
        return false;
    if (change->to == from)
        return true;
    unsigned other = (unsigned)change->entry;
    if (shadow->recording > 1 || (tile->last[other] != change->to && !rt_find_tile_entry(tile, change->to, &other)))
        return false;
    *indices = (uint8_t)(is_pair ? 0x11 * other : (index_pair & 0xf0u >> shift) | other << shift);
    return true;
}

#endif
