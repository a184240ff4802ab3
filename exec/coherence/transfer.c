/* transfer.c - changes of shadow states by what the runtime does with data: allocations, frees, transfers, attachments,
 * copies of routines. States of a byte (shadow.h): Modified, this side alone has the newest value; Shared, both sides
 * have it; Invalid, this side is old. A granule is the bytes of a range in one word of 8 bytes. Called by the runtime's
 * event dispatch and by routines, with the lock. */
#include "base/compiler_facts.h"
#include "diag/symbolize.h"
#include "shadow.h"
#include "transfer_stats.h"

#include <assert.h>

/* Returns true if both sides of the mapping have the newest value of the n bytes at the host address `at`, so that a
 * transfer changes nothing. False for divergent mappings (rt_mark_divergent), whose sides differ. */
static bool is_redundant(const struct rt_mapping *mapping, uint64_t at, uint64_t n)
{
    return rt_has_range_states(at, n, RT_VALID, RT_DIRTY) &&
           rt_has_range_states(rt_other_side(mapping, at), n, RT_VALID, RT_DIRTY) && !rt_is_divergent(mapping);
}

/* Returns true if the invalid bytes of the granule in the same aligned 4 bytes as byte i hold poison, the value of
 * unwritten device memory. One written byte may have that value by chance; an element of 4 bytes does not. */
static bool is_uninitialized(const struct rt_granule *granule, uint64_t i)
{
    enum { UNIT = 4 };
    const uint64_t unit = (granule->at + i) / UNIT * UNIT, end = granule->at + granule->n;
    for (uint64_t at = unit > granule->at ? unit : granule->at; at < unit + UNIT && at < end; at++) {
        const struct rt_granule byte = rt_get_granule(at, 1);
        if (!rt_get_bytes_with_state(&byte, RT_VALID) && !rt_is_poison(at, 1))
            return false;
    }
    return true;
}

/* Moves the states of the whole, valid words at the beginning of n bytes from `from` to `to`: both sides become Shared.
 * read: RT_WAS_READ if the target counts as read, otherwise 0. Returns the number of bytes moved; 0 if the first word
 * of a side is not whole, not valid, or without a shadow. */
static uint64_t move_valid_words(uint64_t to, uint64_t from, uint64_t n, uint32_t read)
{
    assert(read == 0 || read == RT_WAS_READ);
    const struct rt_word_run target = rt_get_word_run(to, n);
    struct rt_word_run source = rt_get_word_run(from, target.n * 8);
    source.n = rt_count_words_with_state(&source, RT_VALID, 0);
    for (size_t i = 0; i < source.n; i++) {
        target.states[i] = (target.states[i] & ~RT_ALL_BYTES(RT_DIRTY | RT_WAS_READ)) |
                           RT_ALL_BYTES(RT_PRESENT | RT_VALID) | RT_ALL_BYTES(read);
        source.states[i] &= ~RT_ALL_BYTES(RT_DIRTY);
    }
    rt_invalidate_tiles(to, source.n * 8);
    return source.n * 8;
}

/* Sets the states of both sides for a transfer of n bytes from `from` to `to`: valid bytes become Shared, and old bytes
 * make the target old. Reports the first target byte that is Modified and overwritten by an old one. rule: that of the
 * transfer; NULL: none. */
static void move_states(uint64_t to, uint64_t from, uint64_t n, const struct rt_mapping *mapping, const char *rule)
{
    /* While transfers of queues are pending, moved host bytes stay unread: so the fast path does not allow reads of the
     * host before it has waited. */
    const bool is_pending = rt_this_thread.epoch.stream || rt_has_pending_transfers();
    const uint32_t read = rt_is_in_device_space(to) || is_pending ? 0 : RT_WAS_READ;
    bool is_reported = false;
    for (uint64_t k = 0; k < n;) {
        const uint64_t rest = n - k, moved = move_valid_words(to + k, from + k, rest, read);
        if (moved) {
            k += moved;
            continue;
        }
        struct rt_granule target = rt_get_granule(to + k, rest), source = rt_get_granule(from + k, target.n);
        if (source.n < target.n)
            target = rt_get_granule(to + k, source.n);
        const uint32_t whole = target.bytes & RT_ALL_BYTES(RT_VALID);
        if (rt_get_lost_bytes(&source) == source.bytes && !rt_get_bytes_with_state(&target, RT_DIRTY) &&
            !rt_is_poison(source.at, source.n)) {
            rt_change_states(&target, RT_WAS_READ, RT_PRESENT | RT_VALID);
        } else if (rt_get_bytes_with_state(&source, RT_VALID) >> 4 * (source.at % 8) == whole >> 4 * (target.at % 8)) {
            rt_change_states(&target, RT_DIRTY | RT_WAS_READ, RT_PRESENT | RT_VALID | read);
            rt_change_states(&source, RT_DIRTY, 0);
        } else {
            bool is_unwritten[sizeof(uint64_t)];
            for (uint64_t i = 0; i < target.n; i++)
                is_unwritten[i] = is_uninitialized(&source, i);
            for (uint64_t i = 0; i < target.n; i++) {
                const struct rt_granule a = rt_get_granule(target.at + i, 1), b = rt_get_granule(source.at + i, 1);
                const bool is_dirty = rt_get_bytes_with_state(&a, RT_DIRTY) && rt_get_bytes_with_state(&a, RT_VALID);
                bool valid = !b.states || rt_get_bytes_with_state(&b, RT_VALID) ||
                             (rt_get_lost_bytes(&b) && !is_dirty && !is_unwritten[i]);
                if (!valid && is_dirty && !is_unwritten[i]) {
                    if (!is_reported && mapping && rt_matches_digest(&b))
                        rt_report_overwritten_change(mapping, a.at, *a.origin, rule);
                    is_reported = valid = true;
                    rt_change_states(&b, 0, RT_VALID);
                }
                rt_change_states(&a, RT_DIRTY | RT_WAS_READ | RT_VALID, RT_PRESENT | (valid ? RT_VALID | read : 0));
                rt_change_states(&b, rt_get_lost_bytes(&b) ? 0 : RT_DIRTY, 0);
            }
            rt_store_digest(&target);
        }
        k += target.n;
    }
}

/* Stores in *mapping the mapping in which the addresses `to` and `from` are the two sides of the same byte. Returns
 * false if there is none. */
static bool find_mapping_between(uint64_t to, uint64_t from, struct rt_mapping *mapping)
{
    const uint64_t dev = rt_is_in_device_space(to) ? to : from;
    return rt_is_in_device_space(dev) && rt_find_device_mapping(dev, mapping) &&
           rt_other_side(mapping, dev) == (dev == to ? from : to);
}

/* Makes bytes of `from` valid that are old but equal to what the target holds, if that is Modified. Then no value is
 * lost, and move_states reports nothing. Called before a transfer or a copy by a routine, while the target still has
 * its bytes. Unwritten device memory stays Invalid. */
void rt_check_begin_transfer(uint64_t to, uint64_t from, uint64_t bytes)
{
    struct rt_mapping mapping;
    if (rt_has_range_states(from, bytes, RT_VALID, 0) || rt_is_in_device_space(to) == rt_is_in_device_space(from) ||
        !find_mapping_between(to, from, &mapping))
        return;
    for (uint64_t i = 0; i < bytes; i++) {
        const struct rt_granule target = rt_get_granule(to + i, 1), source = rt_get_granule(from + i, 1);
        const char *const old = rt_get_content_address(source.at), *const newer = rt_get_content_address(target.at);
        if (rt_get_bytes_with_state(&target, RT_VALID) && rt_get_bytes_with_state(&target, RT_DIRTY) &&
            rt_get_bytes_with_state(&source, RT_PRESENT) && !rt_get_bytes_with_state(&source, RT_VALID) &&
            *old == *newer && !rt_is_poison(source.at, 1))
            rt_change_states(&source, 0, RT_VALID);
    }
}

/* Makes the copies of host bytes Invalid on all devices except that of the mapping `from`. Called before a transfer
 * from this device writes the host bytes. Changes only host bytes that are old and get a valid value; their origin
 * becomes the call under way. */
static void invalidate_on_other_devices(const struct rt_mapping *from, uint64_t host, uint64_t bytes)
{
    struct rt_mapping mapping;
    if (rt.options.devices == 1 || rt_has_range_states(host, bytes, RT_VALID, 0))
        return;
    for (uint64_t at = host; at < host + bytes; at++) {
        const struct rt_granule host_granule = rt_get_granule(at, 1);
        const struct rt_granule source = rt_get_granule(rt_other_side(from, at), 1);
        if (rt_get_bytes_with_state(&host_granule, RT_VALID) || !rt_get_bytes_with_state(&source, RT_VALID))
            continue;
        for (int device = 0; device < rt.options.devices; device++)
            if (device != from->device && rt_find_mapping(device, at, &mapping))
                rt_invalidate_other_side(&mapping, at, 1);
        if (host_granule.states && rt.site)
            *host_granule.origin = (uint32_t)rt.site->call.pc;
    }
}

/* Makes the host's bytes of a new mapping Modified. Bytes that were old when an earlier mapping ended stay old (and
 * DIRTY: lost) if their digest still matches: then nothing has written them since. */
static void map_host_shadow(const struct rt_mapping *mapping)
{
    assert(mapping->bytes);
    if (rt_has_range_states(mapping->host, mapping->bytes, 0, RT_PRESENT)) {
        rt_set_states(mapping->host, mapping->bytes, 0, RT_PRESENT | RT_VALID | RT_DIRTY);
        return;
    }
    RT_FOR_EACH_GRANULE(granule, mapping->host, mapping->bytes)
    {
        const uint32_t valid = rt_get_bytes_with_state(&granule, RT_VALID) / RT_VALID;
        const uint32_t old =
            rt_matches_digest(&granule) ? (rt_get_bytes_with_state(&granule, RT_PRESENT) & ~valid) * 0xf : 0;
        rt_change_states(&granule, 0, RT_PRESENT | RT_DIRTY);
        granule.bytes &= ~old;
        rt_change_states(&granule, 0, RT_VALID);
    }
}

/* Adds a shadow and statistics for an object that was allocated, and sets the states of both sides. Does nothing for an
 * empty object, or without memory for the shadow: then accesses to the object are not checked. */
static void handle_allocation(const accd_event *event)
{
    struct rt_mapping mapping;
    rt_invalidate_mapping_cache();
    if (!event->bytes || !rt_find_mapping(event->device, event->host, &mapping) ||
        !rt_add_shadow(mapping.host, mapping.bytes))
        return;
    rt_use_huge_shadow_pages(mapping.dev, mapping.bytes);
    rt_check_device_alloc(mapping.dev, mapping.bytes);
    rt_stats_record(event);
    map_host_shadow(&mapping);
    rt_restore_pending_shadow(mapping.host, mapping.bytes);
}

/* Returns true if a part of the data of an event is present on another device than the event's. */
static bool is_present_elsewhere(const accd_event *event)
{
    for (int device = 0; device < rt.options.devices; device++)
        if (device != event->device && accd_get_presence(rt.context, device, (const void *)(uintptr_t)event->host,
                                                         event->bytes) != ACCD_PRESENCE_NONE)
            return true;
    return false;
}

/* Handles the end of an object: clears the states of both sides, and records the first change of the device that is
 * lost. If none is lost, but the host has bytes copied from unwritten device memory, that is recorded. Host bytes that
 * are old keep PRESENT and their digest until they are written. Host bytes that another device has, too, are not
 * changed. A change of a variable that may be private is not recorded. */
static void handle_free(const accd_event *event)
{
    struct rt_mapping mapping;
    bool is_recorded = false, has_unwritten = false;
    if (!rt_find_mapping(event->device, event->host, &mapping))
        return;
    rt_history_record_access(mapping.dev, mapping.bytes, RT_ACCESS_FREE);
    rt_unused_record_free(&mapping);
    const bool is_elsewhere = is_present_elsewhere(event);
    const bool newest = !is_elsewhere && rt_has_range_states(mapping.host, mapping.bytes, RT_VALID, 0);
    if (newest)
        rt_set_states(mapping.host, mapping.bytes, 0xf, 0);
    RT_FOR_EACH_GRANULE(granule, mapping.host, newest ? mapping.bytes : 0)
    rt_store_digest(&granule); /* renews the digests of old bytes of other objects in the same words */
    RT_FOR_EACH_GRANULE(granule, mapping.host, is_elsewhere || newest ? 0 : mapping.bytes)
    {
        if (!rt_get_bytes_with_state(&granule, RT_PRESENT))
            continue; /* the host's memory was freed */
        const uint32_t valid = rt_get_bytes_with_state(&granule, RT_VALID) / RT_VALID * 0xf;
        const bool same =
            valid != granule.bytes && !memcmp(rt_get_content_address(granule.at),
                                              rt_get_content_address(rt_other_side(&mapping, granule.at)), granule.n);
        for (uint64_t i = 0; i < granule.n && valid != granule.bytes; i++) {
            const struct rt_granule own = rt_get_granule(granule.at + i, 1);
            const struct rt_granule other = rt_get_granule(rt_other_side(&mapping, granule.at + i), 1);
            const bool other_valid =
                !rt_get_bytes_with_state(&own, RT_VALID) && rt_get_bytes_with_state(&other, RT_VALID);
            const bool newer = other_valid && !same;
            if (other_valid && (newer ? rt_may_be_private_scalar(rt.site, event->bytes) : !rt_get_lost_bytes(&own)))
                rt_change_states(&own, 0, RT_VALID);
            else if (newer && !is_recorded)
                rt_record_lost_change(event, *other.origin);
            is_recorded |= newer;
            has_unwritten |= !newer && !rt_get_bytes_with_state(&own, RT_VALID) && !rt_get_lost_bytes(&own);
        }
        const uint32_t old = granule.bytes & ~(rt_get_bytes_with_state(&granule, RT_VALID) / RT_VALID * 0xf);
        granule.bytes &= ~old;
        rt_change_states(&granule, 0xf, 0);
        if (granule.bytes)
            rt_store_digest(&granule);
        granule.bytes = old;
        rt_change_states(&granule, RT_DIRTY | RT_WAS_READ, 0);
    }
    if (has_unwritten && !is_recorded)
        rt_record_lost_change(event, 0);
    rt_set_states(mapping.dev, mapping.bytes, 0xf, 0);
    rt_unmark_divergent(&mapping);
    /* cleared again, because the lookups above cached the object, which is unmapped after this event */
    rt_invalidate_mapping_cache();
    rt_restore_pending_shadow(mapping.host, mapping.bytes);
}

/* Changes the states of both sides for a transfer of data of a mapping, and reports races with earlier work. */
static void handle_transfer(const accd_event *event, const struct rt_mapping *mapping)
{
    const uint64_t host = event->host, bytes = event->bytes, dev = rt_other_side(mapping, host);
    const bool to_host = event->op == ACCD_OP_D2H, redundant = is_redundant(mapping, host, bytes);
    rt_history_record_access(dev, bytes, to_host || redundant ? RT_ACCESS_READ : RT_ACCESS_WRITE);
    rt_record_pending_transfer(event, mapping, to_host && redundant);
    const uint16_t number = rt_stats_record_transfer(event, redundant && !rt_has_uninstrumented_objects(), false);
    if (to_host) {
        invalidate_on_other_devices(mapping, host, bytes);
        move_states(host, dev, bytes, mapping, event->rule);
        /* The device bytes count as read, because the host has them now: they are not reported as unused. */
        rt_set_states(dev, bytes, 0, RT_WAS_READ);
        return;
    }
    rt_unused_record_transfer(event, mapping, number, redundant);
    if (!redundant)
        move_states(dev, host, bytes, mapping, event->rule);
}

/* Changes states for an event of the core: an allocation, a free, a transfer, an attach or a detach. Other events are
 * ignored, and those of data that are not present. */
void rt_check_event(const accd_event *event)
{
    struct rt_mapping mapping;
    const uint64_t host = event->host;
    switch (event->op) {
    case ACCD_OP_ALLOC:
        handle_allocation(event);
        break;
    case ACCD_OP_FREE:
        handle_free(event);
        break;
    case ACCD_OP_H2D:
    case ACCD_OP_D2H:
        if (rt_find_mapping(event->device, host, &mapping) && event->bytes <= mapping.host + mapping.bytes - host)
            handle_transfer(event, &mapping);
        break;
    case ACCD_OP_ATTACH:
    case ACCD_OP_DETACH:
        if (!rt_find_mapping(event->device, host, &mapping) || event->bytes > mapping.host + mapping.bytes - host)
            break;
        rt_set_states(rt_other_side(&mapping, host), event->bytes, 0, RT_PRESENT | RT_VALID);
        /* The host's pointer counts as valid, because a transfer back never copies the device's pointer to it. */
        if (event->op == ACCD_OP_DETACH)
            rt_set_states(host, event->bytes, 0, RT_VALID);
        break;
    default:
        break;
    }
}

/* Marks the device bytes at `dev`, which the runtime itself has written, as present and Shared: valid, and not newer
 * than the host's. */
void rt_check_device_write(int device, uint64_t dev, const void *host, uint64_t bytes)
{
    (void)device, (void)host;
    rt_set_states(dev, bytes, RT_DIRTY, RT_PRESENT | RT_VALID);
}

/* Sets the states of a declared variable that is mapped with the device bytes `initial`, or clears them (initial NULL).
 * Elements of the host that differ from the initial value were changed by the host, so their device copies become
 * Invalid. Without a known element size, single bytes are compared. */
void rt_check_set_initial(int device, const char *host, const char *initial, uint64_t bytes)
{
    assert(host);
    struct rt_mapping mapping;
    struct accd__debug_name name;
    uint64_t unit = rt_find_name(rt.site, (uintptr_t)host, bytes, &name) && name.unit ? name.unit : bytes;
    if (unit == 0 || unit > 2 * sizeof(uint64_t) || bytes % unit)
        unit = 1;
    if (!initial)
        rt_check_unmap(device, host);
    rt_invalidate_mapping_cache();
    if (!initial || !rt_find_mapping(device, (uintptr_t)host, &mapping) || !rt_add_shadow(mapping.host, mapping.bytes))
        return;
    rt_set_states(mapping.host, mapping.bytes, RT_DIRTY, RT_PRESENT | RT_VALID);
    rt_set_states(mapping.dev, mapping.bytes, RT_DIRTY, RT_PRESENT | RT_VALID);
    for (uint64_t k = 0; k < bytes; k += unit)
        if (memcmp(host + k, initial + k, unit) != 0)
            rt_invalidate_other_side(&mapping, (uintptr_t)host + k, unit);
}

/* Makes a block of device memory present and Invalid: nothing was written to it. */
void rt_check_device_alloc(uint64_t dev, uint64_t bytes)
{
    rt_set_states(dev, bytes, RT_VALID | RT_DIRTY | RT_WAS_READ, RT_PRESENT);
    RT_FOR_EACH_GRANULE(granule, dev, bytes)
    rt_store_digest(&granule);
}

/* Clears the states of the block of device memory at `dev`, up to the first word that is not present: a gap follows
 * each block. Records the end of the block in the access history. */
void rt_check_device_free(uint64_t dev)
{
    uint64_t end = dev;
    rt_invalidate_mapping_cache();
    for (; rt_is_in_device_space(end); end += 8) {
        const struct rt_granule granule = rt_get_granule(end, 8);
        if (!rt_get_bytes_with_state(&granule, RT_PRESENT))
            break;
        rt_change_states(&granule, 0xf, 0);
    }
    rt_history_record_access(dev, end - dev, RT_ACCESS_FREE);
}

/* Adds a shadow for data that acc_map_data maps, and makes them Modified on the host. Does nothing without memory. */
void rt_check_map(const void *host, uint64_t bytes)
{
    rt_invalidate_mapping_cache();
    if (!rt_add_shadow((uintptr_t)host, bytes))
        return;
    rt_set_states((uintptr_t)host, bytes, 0, RT_PRESENT | RT_VALID | RT_DIRTY);
    rt_restore_pending_shadow((uintptr_t)host, bytes);
}

/* Clears the states of the host's bytes of the data at `host`; does nothing if the data are not present. */
void rt_check_unmap(int device, const void *host)
{
    struct rt_mapping mapping;
    if (rt_find_mapping(device, (uintptr_t)host, &mapping))
        rt_set_states(mapping.host, mapping.bytes, 0xf, 0);
    rt_invalidate_mapping_cache();
}

/* Stores in *mapping the mapping of a device address, or of a host address on the first device where it is present.
 * Returns false if there is none. */
static bool find_any_mapping(uint64_t at, struct rt_mapping *mapping)
{
    bool is_mapped = rt_is_in_device_space(at) && rt_find_device_mapping(at, mapping);
    for (int device = 0; !rt_is_in_device_space(at) && device < rt.options.devices && !is_mapped; device++)
        is_mapped = rt_find_mapping(device, at, mapping);
    return is_mapped;
}

/* Returns true if the program has attached a pointer itself, by a copy to the device address `at`. The pointer there
 * then holds the device address of what the host's pointer points to. False for null pointers, and for an `at` that is
 * unaligned or a host address. */
static bool is_attached_by_program(uint64_t at)
{
    struct rt_mapping mapping;
    if (!rt_is_in_device_space(at) || at % sizeof(void *) || !find_any_mapping(at, &mapping) ||
        at + sizeof(void *) > mapping.dev + mapping.bytes)
        return false;
    const uintptr_t value = rt_load_word((const void *)(uintptr_t)at),
                    host = rt_load_word((const void *)(uintptr_t)rt_other_side(&mapping, at));
    return value && value == accd_device_address(rt.context, mapping.device, (const void *)host);
}

/* Makes the copies of the written byte at `at` Invalid: the host's copy of a device byte, or the copies of a host byte
 * on all devices. */
static void invalidate_copies(uint64_t at)
{
    struct rt_mapping mapping;
    if (rt_is_in_device_space(at)) {
        if (rt_find_device_mapping(at, &mapping))
            rt_invalidate_other_side(&mapping, at, 1);
        return;
    }
    for (int device = 0; device < rt.options.devices; device++)
        if (rt_find_mapping(device, at, &mapping))
            rt_invalidate_other_side(&mapping, at, 1);
}

/* Sets the states of bytes that a routine copies between two addresses that are not the two sides of one object. Each
 * target byte becomes old if its source is old, otherwise Modified. Pointers that the program attaches itself count as
 * valid. */
static void copy_states(uint64_t to, uint64_t from, uint64_t bytes)
{
    struct rt_mapping mapping;
    if (rt_is_in_device_space(from))
        rt_set_states(from, bytes, 0, RT_WAS_READ);
    for (uint64_t i = 0; i < bytes; i++) {
        const struct rt_granule target = rt_get_granule(to + i, 1), source = rt_get_granule(from + i, 1);
        if (bytes - i >= sizeof(void *) && is_attached_by_program(to + i)) {
            rt_set_states(to + i, sizeof(void *), RT_DIRTY, RT_VALID);
            i += sizeof(void *) - 1;
            continue;
        }
        if (!rt_get_bytes_with_state(&target, RT_PRESENT))
            continue;
        if (!find_any_mapping(to + i, &mapping) && !rt_is_in_device_space(to + i)) {
            rt_change_states(&target, 0xf, 0); /* the byte was present earlier; now it is free to use */
        } else if (rt_get_bytes_with_state(&source, RT_PRESENT) && !rt_get_bytes_with_state(&source, RT_VALID)) {
            rt_change_states(&target, RT_VALID | RT_DIRTY, 0);
        } else {
            rt_change_states(&target, RT_WAS_READ, RT_VALID | RT_DIRTY);
            invalidate_copies(to + i);
        }
    }
}

/* Handles a routine that copies bytes from the address `from` to `to`, which are not the two sides of one object.
 * Records both accesses in the access history, changes the states of the target, and reports races with earlier work.
 */
void rt_check_copy(uint64_t to, uint64_t from, uint64_t bytes)
{
    rt_history_record_access(from, bytes, RT_ACCESS_READ);
    rt_history_record_access(to, bytes, RT_ACCESS_WRITE);
    copy_states(to, from, bytes);
    if (!rt_is_in_device_space(to))
        rt_record_pending_copy(to, bytes, true);
    if (!rt_is_in_device_space(from))
        rt_record_pending_copy(from, bytes, false);
}
