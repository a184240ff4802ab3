/* gcc_fast_path.c - the tables of gcc's fast path, and the less frequent steps of making its items. The lock must be
 * held. */
#include "gcc_fast_path.h"
#include "lib/descriptor.h"

/* Specs (action and flags of an item), indexed by the kind of an entry. OpenACC has the kinds with FORCE and PRESENT,
 * OpenMP those with IMPLICIT. Kinds that are not listed have no data, or need the slow path. */
const uint8_t rt_entry_specs[0x100] = {
    [ALLOC] = ACCD_ACTION_CREATE,
    [TO] = ACCD_ACTION_COPYIN | MOVES,
    [FROM] = ACCD_ACTION_COPYOUT | MOVES | OUT,
    [TOFROM] = ACCD_ACTION_COPY | MOVES | OUT,
    [PRESENT] = ACCD_ACTION_PRESENT,
    [FORCE | ALLOC] = ACCD_ACTION_CREATE,
    [FORCE | TO] = ACCD_ACTION_COPYIN | MOVES,
    [FORCE | FROM] = ACCD_ACTION_COPYOUT | MOVES | OUT,
    [FORCE | TOFROM] = ACCD_ACTION_COPY | MOVES | OUT,
    [IMPLICIT | ALLOC] = ACCD_ACTION_CREATE,
    [IMPLICIT | TO] = ACCD_ACTION_COPYIN | MOVES,
    [IMPLICIT | FROM] = ACCD_ACTION_COPYOUT | MOVES | OUT,
    [IMPLICIT | TOFROM] = ACCD_ACTION_COPY | MOVES | OUT,
};
const uint8_t rt_exit_specs[0x100] = {
    [ALLOC] = ACCD_ACTION_DELETE,
    [TO] = ACCD_ACTION_DELETE,
    [FROM] = ACCD_ACTION_COPYOUT | MOVES,
    [RELEASE] = ACCD_ACTION_DELETE,
};
const uint8_t rt_update_specs[0x100] = {
    [TO] = ACCD_ACTION_UPDATE_DEVICE | TRIES | MOVES,
    [FROM] = ACCD_ACTION_UPDATE_SELF | TRIES | MOVES,
    [FORCE | TO] = ACCD_ACTION_UPDATE_DEVICE | MOVES,
    [FORCE | FROM] = ACCD_ACTION_UPDATE_SELF | MOVES,
};

struct fast_path rt_fast;

/* Returns true if a later entry attaches or detaches the pointer of entry number `entry`, which lies in a larger
 * object. That object is one of the first n items, or a present object. */
bool rt_is_member_pointer(const struct entries *map, size_t entry, size_t n, struct present *last)
{
    assert(n <= FAST_ITEMS_MAX && map->size[entry] == sizeof(void *));
    const uintptr_t host = (uintptr_t)map->host[entry];
    size_t i = entry + 1;
    while (i < map->n && !((map->kind[i] & 0xff) != TO && map->host[i] == map->host[entry]))
        i++;
    if (i == map->n || ((map->kind[i] & 0xff) != ATTACH && (map->kind[i] & 0xff) != DETACH) ||
        rt.options.rules->member == ACCD_MEMBER_COUNTED)
        return false;
    for (size_t k = 0; k < n; k++)
        if (rt_fast.items[k].bytes > sizeof(void *) &&
            host - (uintptr_t)rt_fast.items[k].host <= rt_fast.items[k].bytes - sizeof(void *))
            return true;
    if (host - last->start >= last->bytes &&
        !accd_present_bounds(rt.context, rt_this_thread.device, map->host[entry], &last->start, &last->bytes))
        return false;
    return last->bytes > sizeof(void *) && host - last->start <= last->bytes - sizeof(void *);
}

/* Attaches the pointer at `slot` to the last of the first n items. Returns false, and changes nothing, if the item is
 * not the pointer's section, has a slot already, or if one of the items maps the pointer. */
bool rt_attach_to_last_item(size_t n, const void *slot, size_t bias)
{
    assert(slot && n <= FAST_ITEMS_MAX);
    accd_item *items = rt_fast.items, *last = n ? &items[n - 1] : NULL;
    if (!last || last->slot || (uintptr_t)last->host != rt_load_word(slot) + bias)
        return false;
    for (size_t i = 0; i < n; i++)
        if (items[i].host == slot && (items[i].bytes <= sizeof(void *) || rt_is_descriptor_size(slot, items[i].bytes)))
            return false;
    last->slot = slot;
    return true;
}

/* Returns the spec of an entry of OpenMP that has none in the tables. ACCD_ACTION_HOLD: it needs no item. 0: it needs
 * the slow path. */
unsigned rt_get_target_spec(const struct entries *map, size_t entry, const void **host_p, uint64_t *bytes_p)
{
    assert(map->target && entry < map->n);
    const unsigned kind = map->kind[entry] & 0xff;
    if (kind == FIRSTPRIVATE || kind == FIRSTPRIVATE_INT)
        return map->region ? ACCD_ACTION_HOLD : 0;
    if (!*host_p)
        return 0;
    if (kind == DELETE)
        return ACCD_ACTION_DELETE | FINAL;
    uint64_t start;
    if (kind != ZERO_LENGTH || !map->region ||
        !accd_present_bounds(rt.context, rt_this_thread.device, *host_p, &start, bytes_p))
        return 0;
    *host_p = (const void *)(uintptr_t)start;
    return ACCD_ACTION_CREATE;
}

/* Returns true if an entry is an implicit map of OpenMP, of data that are partly present. */
bool rt_is_partly_present_implicit(const struct entries *map, size_t entry)
{
    assert(map->target && entry < map->n);
    const unsigned kind = map->kind[entry] & 0xff;
    return kind >= (IMPLICIT | ALLOC) && kind <= (IMPLICIT | TOFROM) &&
           rt_is_partly_present(&rt_this_thread, map->host[entry], map->size[entry]);
}
