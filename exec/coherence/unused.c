/* unused.c - transfers to the device whose bytes are not read there, and allocations without any use. They are reported
 * as advice at the end.
 *
 * Each word of device memory has the index of the transfer statistics (transfer_stats.h) that moved the word last. A
 * byte is unread while it is VALID, no kernel has written it (DIRTY), and nothing has read it (WAS_READ). An unread
 * byte is counted once: when a kernel or a transfer overwrites it, or when its data are freed. Copying back to the host
 * counts as a read. If a word has bytes of several transfers, none of them is counted. So statistics of which all bytes
 * are unread prove that the program needs none of them, and only these are reported.
 *
 * Data count as used if a library may use them by their device address, or if a second construct names them. */
#include "diag/diagnostics.h"
#include "diag/symbolize.h"
#include "lib/descriptor.h"
#include "lib/vector.h"
#include "shadow.h"
#include "transfer_stats.h"

#include <assert.h>

/* Index in rt_stats_table of an entry that is never reported. A word of device memory has it if several transfers moved
 * its bytes, or if its unread bytes are not to be counted. */
enum { NO_TALLY = RT_STATS_MAX - 1 };
/* Index in rt_stats_table of the transfer that moved each word of device memory last; 0: the word was not moved. NULL
 * until the first transfer. */
static uint16_t *sources;

static uint64_t *exposed; /* device addresses of objects, of which the program has got the device address */
static size_t nexposed, exposed_capacity;

/* Returns true if an object is an array descriptor of gfortran: the device's bytes look like one. If their data pointer
 * is null, other objects may have the same bytes; then the variable must be Fortran's, or have no known name. */
static bool is_descriptor(const struct rt_mapping *mapping)
{
    struct accd__debug_name name;
    const void *const device = rt_get_content_address(mapping->dev);
    return rt_is_descriptor_size(device, mapping->bytes) &&
           (rt_load_word(device) || !rt_find_name(rt.site, mapping->host, mapping->bytes, &name) || name.fortran);
}

/* Returns true, and stores the object in *object, if a mapping is data of the program that are worth a report. The data
 * must exceed RT_SMALL_TRANSFER bytes and be neither a pointer nor a descriptor. */
static bool is_program_data(const struct rt_mapping *mapping, accd_present_object *object)
{
    return mapping->bytes > RT_SMALL_TRANSFER && !is_descriptor(mapping) &&
           accd_present_at(rt.context, mapping->device, mapping->host, 0, object) && !object->pointer;
}

/* Returns the index of the object at the device address `dev` in `exposed` (objects whose address the program has got);
 * nexposed if it is not in the list. */
static size_t find_exposed(uint64_t dev)
{
    size_t i = 0;
    while (i < nexposed && exposed[i] != dev)
        i++;
    return i;
}

/* Adds the object at `dev` to those whose device address the program has got, and marks its bytes as read. Does nothing
 * outside of present data, or without memory. */
void rt_check_expose(uint64_t dev)
{
    struct rt_mapping mapping;
    if (!rt_is_in_device_space(dev) || !rt_find_device_mapping(dev, &mapping) || find_exposed(mapping.dev) < nexposed)
        return;
    if (!RT_RESERVE(rt_heap_realloc, exposed, nexposed, exposed_capacity))
        return;
    exposed[nexposed++] = mapping.dev;
    rt_set_states(mapping.dev, mapping.bytes, 0, RT_WAS_READ);
}

/* Marks the first device byte of the data at `host` as read on the device, so that the data count as used. Does nothing
 * if they are absent, or if that byte is VALID, because it was then moved or written. */
void rt_check_mark_used(int device, const void *host)
{
    struct rt_mapping mapping;
    if (!rt_find_mapping(device, (uintptr_t)host, &mapping))
        return;
    const struct rt_granule first = rt_get_granule(mapping.dev, 1);
    /* a valid byte was moved or written, which counts as a use already */
    if (!rt_get_bytes_with_state(&first, RT_VALID))
        rt_change_states(&first, 0, RT_WAS_READ);
}

/* Marks the data of all items as used, except items that are only pointers. */
void rt_check_mark_items_used(int device, const accd_item *items, size_t nitems)
{
    for (size_t i = 0; i < nitems; i++)
        if (items[i].bytes && items[i].action != ACCD_ACTION_ATTACH && items[i].action != ACCD_ACTION_DETACH &&
            !(items[i].flags & ACCD_ITEM_BASE_POINTER))
            rt_check_mark_used(device, items[i].host);
}

/* ------------------------------------------------------------------------------ unread bytes -- */

/* Returns the entry in `sources` of the word at a device address; `sources` must be allocated. */
static uint16_t *get_transfer_source(uint64_t dev)
{
    assert(sources && rt_is_in_device_space(dev));
    return &sources[(dev - rt_shadow.low) / 8];
}

/* Returns a mask with bit 0 set in the four bits of each unread byte of a granule (bytes in one word). Unread: VALID,
 * but neither written by a kernel (DIRTY) nor read (WAS_READ). */
static uint32_t get_unread_bytes(const struct rt_granule *granule)
{
    const uint32_t states = rt_get_granule_states(granule) & granule->bytes;
    return states / RT_VALID & ~(states / RT_DIRTY) & ~(states / RT_WAS_READ) & RT_ALL_BYTES(1);
}

/* Counts the unread bytes of a granule for the transfer that moved its word last; does nothing before the first
 * transfer. */
void rt_unused_record_overwrite(const struct rt_granule *granule)
{
    const uint32_t unread = sources ? get_unread_bytes(granule) : 0;
    if (unread)
        /* The index NO_TALLY counts in an entry that is never reported. */
        rt_stats_table[*get_transfer_source(granule->at)].unread += (uint64_t)__builtin_popcount(unread);
}

/* Counts the unread bytes of a range of device memory that is freed, or overwritten by a transfer. Does nothing before
 * the first transfer. */
static void count_unread(uint64_t dev, uint64_t bytes)
{
    for (uint64_t k = 0; k < bytes && sources;) {
        const struct rt_word_run run = rt_get_word_run(dev + k, bytes - k);
        const uint64_t read = 8 * rt_count_words_with_state(&run, RT_WAS_READ, 0);
        const struct rt_granule granule = rt_get_granule(dev + k + read, bytes - k - read);
        rt_unused_record_overwrite(&granule);
        k += read + granule.n;
    }
}

/* Sets the source of the word at `word`, of which the range has only a part, to the index `number`; 0: not moved. The
 * source becomes NO_TALLY if other bytes of the word have unread values, or if another transfer moved the word. */
static void set_source_of_partial_word(uint64_t dev, uint64_t bytes, uint64_t word, uint16_t number)
{
    const uint64_t low = word > dev ? word : dev, high = word + 8 < dev + bytes ? word + 8 : dev + bytes;
    const struct rt_granule head = rt_get_granule(word, low - word), tail = rt_get_granule(high, word + 8 - high);
    uint16_t *source = get_transfer_source(word);
    const bool is_only_source = !get_unread_bytes(&head) && !get_unread_bytes(&tail) && (!*source || *source == number);
    *source = is_only_source || !number ? number : NO_TALLY;
}

/* Sets the source of all words of a range of device memory to the index `number`; 0: not moved. Does nothing before the
 * first transfer. */
static void set_source(uint64_t dev, uint64_t bytes, uint16_t number)
{
    const uint64_t first = (dev + 7) / 8 * 8, end = (dev + bytes) / 8 * 8;
    for (uint64_t word = first; sources && word < end; word += 8)
        *get_transfer_source(word) = number;
    if (sources && dev < first)
        set_source_of_partial_word(dev, bytes, first - 8, number);
    if (sources && end < dev + bytes && end >= first)
        set_source_of_partial_word(dev, bytes, end, number);
}

/* Handles a transfer to the device: stores `number` (index of its statistics) as the source of its words. If it moves
 * more than half of the object, first counts the unread bytes that it overwrites. Redundant transfers are ignored. */
void rt_unused_record_transfer(const accd_event *event, const struct rt_mapping *mapping, uint16_t number,
                               bool redundant)
{
    const uint64_t dev = rt_other_side(mapping, event->host);
    /* a redundant transfer does not make earlier bytes unread: the advice is to omit the redundant one */
    if (redundant)
        return;
    if (is_descriptor(mapping) || find_exposed(mapping->dev) < nexposed)
        number = 0;
    if (!sources && rt_stats_table)
        sources = rt_reserve_memory(rt_shadow.bytes / 8 * sizeof *sources);
    rt_shadow.transfer_ids |= number;
    /* a small part of an object may be overwritten at once, though the program needs the rest of the transfer */
    if (event->bytes > mapping->bytes / 2)
        count_unread(dev, event->bytes);
    set_source(dev, event->bytes, number ? number : NO_TALLY);
}

/* Returns true if no byte of an object was moved to, written or read on the device. */
static bool is_unused(const struct rt_mapping *mapping)
{
    RT_FOR_EACH_GRANULE(granule, mapping->dev, mapping->bytes)
    if (rt_get_bytes_with_state(&granule, RT_VALID) || rt_get_bytes_with_state(&granule, RT_WAS_READ) ||
        (sources && *get_transfer_source(granule.at)))
        return false;
    return true;
}

/* Counts the unread bytes of an object that is freed; adds an unused object to the statistics of its allocation. */
void rt_unused_record_free(const struct rt_mapping *mapping)
{
    accd_present_object object;
    char variable[sizeof rt_stats_table->variable];
    const size_t location = find_exposed(mapping->dev);
    count_unread(mapping->dev, mapping->bytes);
    if (location < nexposed)
        exposed[location] = exposed[--nexposed];
    const bool unused = is_unused(mapping);
    set_source(mapping->dev, mapping->bytes, 0);
    if (!unused || !is_program_data(mapping, &object))
        return;
    rt_copy_variable_name(object.info.name, variable, sizeof variable);
    for (size_t i = 1; i <= rt_stats_count; i++) {
        struct rt_transfer_stats *stats = &rt_stats_table[i];
        if (stats->op == ACCD_OP_ALLOC && stats->line == object.info.line && stats->file && object.info.file &&
            !strcmp(stats->file, object.info.file) && !strcmp(stats->variable, variable)) {
            stats->unused++;
            stats->unused_bytes += mapping->bytes;
            return;
        }
    }
}

/* -------------------------------------------------------------------------------------- report -- */

/* Returns the number of bytes that were moved and not read, or allocated and not used; the report is sorted by it. */
static uint64_t get_wasted_bytes(const struct rt_transfer_stats *stats)
{
    return stats->unread + stats->unused_bytes;
}

/* Returns true if all bytes that the transfers of these statistics moved are unread. */
static bool is_wholly_unread(const struct rt_transfer_stats *stats)
{
    return stats->unread == stats->bytes;
}

/* Returns true if all allocations of these statistics are unused. */
static bool is_always_unused(const struct rt_transfer_stats *stats)
{
    return stats->unused == stats->n;
}

/* Reports an unread transfer if all bytes that its clause moved are unread, and unused data if all allocations of the
 * clause are unused. rt_stats_cover_clause tests the whole clause. */
static void report_unused(const struct rt_transfer_stats *stats)
{

    struct rt_diagnostic diagnostic = {.level = "advice", .pc = stats->pc, .object = stats->name, .is_grouped = true};
    if (stats->unread && rt_stats_cover_clause(stats, is_wholly_unread)) {
        diagnostic.code = "unread-transfer";
        diagnostic.bytes = stats->unread;
        diagnostic.times = diagnostic.ntransfers = stats->n;
        rt_emit_diagnostic(&diagnostic,
                           "%s: %llu of %llu bytes that were moved to the device from here were never read there",
                           stats->name, (unsigned long long)stats->unread, (unsigned long long)stats->bytes);
    }
    if (stats->unused && rt_stats_cover_clause(stats, is_always_unused)) {
        diagnostic.code = "unused-data";
        diagnostic.bytes = stats->unused_bytes;
        diagnostic.times = stats->unused;
        diagnostic.ntransfers = stats->n;
        rt_emit_diagnostic(&diagnostic,
                           "%s: %llu of %llu allocations on the device from here were never used: %llu bytes",
                           stats->name, (unsigned long long)stats->unused, (unsigned long long)stats->n,
                           (unsigned long long)stats->unused_bytes);
    }
}

/* Counts the unread and unused data of objects that are still mapped. Reports statistics in the order of wasted bytes;
 * none if an uninstrumented file has kernels. Then forgets the exposed addresses. */
void rt_report_unused_data(void)
{
    struct rt_mapping mapping;
    accd_present_object object;
    for (int device = 0; device < rt.options.devices && rt_stats_count; device++)
        for (uint64_t at = 0; accd_present_next(rt.context, device, &at, &object);) {
            mapping = (struct rt_mapping){object.info.host, object.dev, object.info.bytes, device};
            rt_unused_record_free(&mapping);
        }
    rt_stats_merge(get_wasted_bytes);
    for (size_t i = 1; i <= rt_stats_count && !rt_has_uninstrumented_kernels(); i++)
        report_unused(&rt_stats_table[i]);
    nexposed = 0;
    rt_shadow.transfer_ids = 0;
}
