/* pending_transfers.c - list of pending transfers: queues and tasks copy to or from host memory, and the program has
 * not waited for them yet. An access of the host to such memory is reported as missing-wait. The shadow states of the
 * memory (states of each byte, shadow.h) make the fast path of instrumented code (exec/checked/fast_path.h) pass
 * the first access to each word to access.c. */
#include "base/compiler_facts.h"
#include "diag/label.h"
#include "diag/symbolize.h"
#include "shadow.h"

#include <assert.h>
#include <stdlib.h>

enum { PENDING_MAX = 1024 }; /* most transfers that are recorded; further ones are ignored */
static struct rt_pending_transfer *pending[PENDING_MAX];
static size_t npending;

/* Removes from the list those transfers that the host has waited for, and frees them. */
static void remove_synced(void)
{
    size_t n = 0;
    for (size_t i = 0; i < npending; i++)
        if (rt_is_host_synced(pending[i]->origin.epoch))
            free(pending[i]);
        else
            pending[n++] = pending[i];
    npending = n;
}

/* Returns true if the list of pending transfers is not empty; also if the host has waited for all of them. */
bool rt_has_pending_transfers(void)
{
    return npending;
}

/* Returns true if a transfer has a host byte in common with a range. */
static bool overlaps_transfer(const struct rt_pending_transfer *transfer, uint64_t host, uint64_t bytes)
{
    return host < transfer->host + transfer->bytes && transfer->host < host + bytes;
}

/* Makes the bytes of a host range that are not PRESENT present and valid, and all valid bytes neither DIRTY nor read.
 * These states make the fast path pass the next access to the runtime, which compares it with the pending transfers. */
static void restore_shadow(uint64_t host, uint64_t bytes)
{
    RT_FOR_EACH_GRANULE(granule, host, bytes)
    {
        struct rt_granule part = granule;
        part.bytes = granule.bytes & ~(rt_get_bytes_with_state(&granule, RT_PRESENT) * 0xf);
        rt_change_states(&part, 0, RT_PRESENT | RT_VALID);
        part.bytes = rt_get_bytes_with_state(&granule, RT_VALID) / RT_VALID * 0xf;
        rt_change_states(&part, RT_DIRTY | RT_WAS_READ, 0);
    }
}

/* Restores the shadow of the bytes of a range that pending transfers use, after it was cleared or made Modified. */
void rt_restore_pending_shadow(uint64_t host, uint64_t bytes)
{
    for (size_t i = 0; i < npending; i++) {
        const uint64_t end = pending[i]->host + pending[i]->bytes,
                       from = host > pending[i]->host ? host : pending[i]->host;
        if (overlaps_transfer(pending[i], host, bytes))
            restore_shadow(from, (host + bytes < end ? host + bytes : end) - from);
    }
}

/* Returns true if two transfers do not race, whatever their order: each only reads host memory, or writes the values
 * that the host has already. */
static bool needs_no_order(const struct rt_pending_transfer *a, const struct rt_pending_transfer *b)
{
    return (!a->writes || a->redundant) && (!b->writes || b->redundant);
}

/* Reports a race of `transfer` with the first pending transfer that overlaps it and does not happen before it. Reports
 * nothing if there is none. */
static void report_racing_transfer(const struct rt_pending_transfer *transfer)
{
    for (size_t i = 0; i < npending; i++) {
        const struct rt_pending_transfer *earlier = pending[i];
        if (!overlaps_transfer(earlier, transfer->host, transfer->bytes) || needs_no_order(earlier, transfer) ||
            rt_happens_before(earlier->origin.epoch, transfer->origin.epoch))
            continue;
        const uint64_t at = transfer->host > earlier->host ? transfer->host : earlier->host;
        rt_report_race(&(struct rt_access){at, 1, transfer->writes, transfer->origin.pc, NULL}, false, &earlier->origin,
                       earlier->writes, true);
        return;
    }
}

/* Returns true if accesses need not be compared with `earlier`, because they are compared with `later`. Both have the
 * same stream and direction, and the range of `later` contains that of `earlier`. `later` is redundant or scalar, and
 * so exempt from checks, only if `earlier` is so, too. */
static bool covers_transfer(const struct rt_pending_transfer *later, const struct rt_pending_transfer *earlier)
{
    return later->origin.epoch.stream == earlier->origin.epoch.stream && later->writes == earlier->writes &&
           later->redundant <= earlier->redundant && later->scalar <= earlier->scalar && later->host <= earlier->host &&
           earlier->host + earlier->bytes <= later->host + later->bytes;
}

/* Adds a transfer to the list, in place of an earlier one that it covers (covers_transfer). It is left out if the list
 * is full, or without memory. In each case, cached mappings of threads become invalid. */
static void add_pending(const struct rt_pending_transfer *transfer)
{
    assert(npending <= PENDING_MAX);
    size_t i = 0;
    while (i < npending && !covers_transfer(transfer, pending[i]))
        i++;
    if (i == npending && npending < PENDING_MAX && (pending[npending] = malloc(sizeof *transfer)))
        npending++;
    if (i < npending)
        *pending[i] = *transfer;
    /* a new version invalidates the threads' cached mappings, so that host accesses call the runtime again */
    rt_shadow.version++;
}

/* Reports the first race of the transfer with a pending one, and adds the transfer to the list if it belongs to a queue
 * or task. Ignores events outside of a construct, variables passed by value, and variables that the compiler made. */
void rt_record_pending_transfer(const accd_event *event, const struct rt_mapping *mapping, bool redundant)
{
    const bool to_host = event->op == ACCD_OP_D2H;
    accd_present_object object;
    if ((!rt_this_thread.epoch.stream && !npending) || !rt.site ||
        (!to_host && rt_may_pass_by_value(rt.site, event->bytes)) ||
        !accd_present_at(rt.context, event->device, mapping->host, 0, &object))
        return;
    const struct rt_pending_transfer transfer = {
        .origin = {rt_this_thread.epoch, rt.site->call.pc, rt.site->construct_name},
        .writes = to_host,
        .redundant = redundant,
        .scalar = rt_may_pass_by_value(rt.site, event->bytes) && event->bytes <= sizeof(double),
        .host = event->host,
        .bytes = event->bytes,
        .object = mapping->host,
        .object_bytes = mapping->bytes,
        .display = rt_get_display_name(&object.info)};
    const char *file;
    int line;
    /* Variables that the compiler made are not recorded. Only with debug information does the name prove that: without
     * it, variables of the program get such names, too. */
    if (rt_is_private_copy_name(transfer.display.name) && rt_find_line(transfer.origin.pc, &file, &line, NULL))
        return;
    remove_synced();
    report_racing_transfer(&transfer);
    if (transfer.origin.epoch.stream)
        add_pending(&transfer);
}

/* Reports the first race of a routine's access (`writes`: a write, otherwise a read) to host memory with a pending
 * transfer. Adds the access to the list if it belongs to a queue or task. */
void rt_record_pending_copy(uint64_t host, uint64_t bytes, bool writes)
{
    if ((!rt_this_thread.epoch.stream && !npending) || !rt.site || !bytes || !rt_add_shadow(host, bytes))
        return;
    struct rt_pending_transfer transfer = {.origin = {rt_this_thread.epoch, rt.site->call.pc, rt.site->construct_name},
                                           .writes = writes,
                                           .host = host,
                                           .bytes = bytes,
                                           .object = host,
                                           .object_bytes = bytes};
    rt_format_name(rt.site, host, bytes, transfer.display.name, sizeof transfer.display.name);
    remove_synced();
    report_racing_transfer(&transfer);
    if (!transfer.origin.epoch.stream)
        return;
    add_pending(&transfer);
    restore_shadow(host, bytes);
}

/* Returns true if an access of the host to memory of a pending transfer must follow a wait. A write must, unless the
 * transfer is `scalar` (a kernel may have a private copy). A read must if the transfer changes host memory. */
static bool needs_wait(const struct rt_access *access, const struct rt_pending_transfer *transfer)
{
    return access->write ? !transfer->scalar : transfer->writes && !transfer->redundant;
}

/* Reports a missing wait if the host's access races with a pending transfer. frees: the access frees the memory. Does
 * nothing while the thread waits for a task group. */
void rt_check_pending_transfers(const struct rt_access *access, bool frees)
{
    const struct rt_pending_transfer *candidate =
        NULL; /* transfer to report; one that writes host memory is preferred */
    for (size_t i = 0; i < npending && !rt_this_thread.ends_group; i++) {
        const struct rt_pending_transfer *transfer = pending[i];
        if (overlaps_transfer(transfer, access->at, access->n) && needs_wait(access, transfer) &&
            !rt_is_host_synced(transfer->origin.epoch) && (!candidate || transfer->writes > candidate->writes))
            candidate = transfer;
    }
    if (candidate)
        rt_report_missing_wait(access, frees, candidate);
}
