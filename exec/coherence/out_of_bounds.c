/* out_of_bounds.c - reports about kernels that access device memory outside of present data: next to an object, in data
 * that were unmapped, or elsewhere. */
#include "base/runtime.h"
#include "diag/diagnostics.h"
#include "diag/symbolize.h"
#include "guard/page_guard.h"
#include "image/malloc_blocks.h"
#include "host_access.h"
#include "out_of_bounds.h"

#include <assert.h>
#include <stdio.h>

/* Quarantine: ring of the objects that were unmapped last. The core does not reuse their device memory at
 * once. */
enum { QUARANTINE = 256 };
static struct {
    uint64_t dev;
    uintptr_t pc; /* return address of the call that unmapped the object */
    accd_object_info info;
} quarantine[QUARANTINE];
static unsigned last_entry;

/* Adds the object that `event` unmaps, with device memory at `dev`, to the quarantine, in place of the oldest
 * one. */
void rt_quarantine_add(const accd_event *event, uint64_t dev)
{
    assert(event);
    last_entry = (last_entry + 1) % QUARANTINE;
    quarantine[last_entry].dev = dev;
    quarantine[last_entry].pc = rt.site ? rt.site->call.pc : 0;
    quarantine[last_entry].info.host = event->host;
    quarantine[last_entry].info.bytes = event->bytes;
    memccpy(quarantine[last_entry].info.name, event->name, 0, sizeof quarantine[last_entry].info.name - 1);
}

/* Returns a help text for an access at `offset` from the beginning of the object `info`. If another object is
 * present at that host address, the text names pieces that lie apart on the device; otherwise a wrong index
 * or a short section. */
const char *rt_get_out_of_bounds_help(int device, const accd_object_info *info, int64_t offset)
{
    assert(info);
    accd_present_object other;
    if (accd_present_at(rt.context, device, info->host + (uint64_t)offset, 0, &other) && other.info.host != info->host)
        return "pieces of one object lie apart on the device: map one section that contains all "
               "that a region uses";
    return offset < 0 ? "keep the index inside of {1|the data}, or map a section that begins before"
                      : "keep the index inside of {1|the data}, or map a longer section";
}

/* Reports an access `at` bytes from the start of an object, in code at `pc`. related: where the object was
 * mapped or unmapped. position: for example "after the end of the data on the device"; region: "the compute
 * region of a.c:5"; verb: "reads". */
static void emit_out_of_bounds(const struct rt_site *site, const accd_object_info *info, uint64_t at,
                               struct rt_related_location related, const char *region, const char *verb,
                               const char *position, const char *help, uintptr_t pc)
{
    assert(info && position);
    struct rt_display_name display = rt_get_display_name(info);
    char element[340];
    rt_format_element(site, info->host, info->bytes, at, display.name, element, sizeof element);
    rt_emit_diagnostic(
        &(struct rt_diagnostic){
            .level = "error",
            .code = "out-of-bounds",
            .rule = "ACC33-2.7.1-1",
            .pc = pc,
            .object = display.name,
            .element = element,
            .other = related,
            .help = help,
        },
        "%s %s %s, %s", region, verb, element, position);
}

/* Reports an access to the former device memory of an object in the quarantine; of several such objects, the one
 * unmapped last. Returns false, without a report, if no such object contained the address. */
static bool report_unmapped_access(const struct rt_site *site, const char *region, const char *verb, uint64_t address,
                                   uintptr_t pc)
{
    for (unsigned i = last_entry, n = 0; n < QUARANTINE; n++, i = (i + QUARANTINE - 1) % QUARANTINE) {
        if (address - quarantine[i].dev >= quarantine[i].info.bytes)
            continue;
        struct rt_related_location related = {.event = "unmapped"};
        char location[1100] = "";
        if (rt_find_line(quarantine[i].pc, &related.file, &related.line, NULL))
            snprintf(location, sizeof location, " at %s:%d", related.file, related.line);
        char position[1200];
        snprintf(position, sizeof position, "whose data were unmapped%s", location);
        emit_out_of_bounds(site, &quarantine[i].info, address - quarantine[i].dev, related, region, verb, position,
                           "unmap {1|the data} after the last region that uses them", pc);
        return true;
    }
    return false;
}

/* Reports an access to a device address: to the former memory of an unmapped object, beside a present object,
 * or elsewhere. Returns false, without a report, for an address of no device. */
bool rt_report_out_of_bounds(const struct rt_site *site, const char *region, const char *verb, uint64_t address,
                             uintptr_t pc)
{
    assert(region && verb);
    const int device = rt.context ? accd_device_at(rt.context, address) : -1;
    const uint64_t page = address / RT_PAGE_SIZE * RT_PAGE_SIZE, next = page + RT_PAGE_SIZE;
    const char *position = "after the end of the data on the device";
    accd_present_object object;
    uint64_t at = address;
    if (device < 0)
        return false;
    if (report_unmapped_access(site, region, verb, address, pc))
        return true;
    const bool before = rt.options.guard_before && accd_present_at(rt.context, device, next, 1, &object);
    if (before)
        position = "before the beginning of the data on the device";
    /* An access after the end: the object ends at the beginning of the page, or at most RT_BLOCK_ALIGNMENT
     * (16) bytes before the page. */
    while (!before && at >= page - RT_BLOCK_ALIGNMENT && !accd_present_at(rt.context, device, at, 1, &object))
        at--;
    if (at >= page - RT_BLOCK_ALIGNMENT) {
        emit_out_of_bounds(site, &object.info, address - object.dev, rt_get_mapped_location(&object.info), region, verb,
                           position, rt_get_out_of_bounds_help(device, &object.info, (int64_t)(address - object.dev)),
                           pc);
        return true;
    }
    rt_report("error", "out-of-bounds", "ACC33-2.7.1-1", pc, "%s %s device memory at %p, which is not allocated",
              region, verb, (void *)(uintptr_t)address);
    return true;
}
