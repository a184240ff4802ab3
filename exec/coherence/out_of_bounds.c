/* out_of_bounds.c - reports about kernels that access device memory outside of present data: next to an object, in data
 * that were unmapped, or elsewhere. */
#include "base/runtime.h"
#include "diag/diagnostics.h"
#include "diag/object_history.h"
#include "diag/source_lines.h"
#include "diag/symbolize.h"
#include "guard/page_guard.h"
#include "image/malloc_blocks.h"
#include "lib/text_buffer.h"
#include "host_access.h"

#include <assert.h>
#include <stdio.h>

/* Returns a help text for an access at `offset` from the beginning of the object `info`, which `name` is the name of.
 * If another object is present at that host address, the text names pieces that lie apart on the device; otherwise a
 * wrong index or a short section. */
const char *rt_get_out_of_bounds_help(int device, const accd_object_info *info, int64_t offset, const char *name)
{
    assert(info && name);
    accd_present_object other;
    if (accd_present_at(rt.context, device, info->host + (uint64_t)offset, 0, &other) && other.info.host != info->host)
        return "pieces of one object lie apart on the device: map one section that contains all "
               "that a region uses";
    if (offset >= 0 && (uint64_t)offset == info->bytes)
        return rt_variable_name_length(name) < strlen(name)
                   ? "map one element more than {1|the data}, or end the loop one earlier"
                   : "end the loop one earlier: all of {1|the data} is mapped";
    return offset < 0 ? "keep the index inside of {1|the data}, or map a section that begins before"
                      : "keep the index inside of {1|the data}, or map a longer section";
}

/* Completes and emits the report `diagnostic` about an access to a device address, `at` bytes from the start of an
 * object, in code at `pc`.
 * position: for example "after the end of the data on the device"; actor: "the compute region"; verb: "reads". */
static void emit_out_of_bounds(const struct rt_site *site, struct rt_diagnostic diagnostic,
                               const accd_object_info *info, uint64_t address, uint64_t at, const char *actor,
                               const char *verb, const char *position, uintptr_t pc)
{
    assert(info && position);
    struct rt_display_name display = rt_get_display_name(info);
    char element[340];
    rt_format_element(site, info->host, info->bytes, at, display.name, element, sizeof element);
    diagnostic.level = "error";
    diagnostic.code = "out-of-bounds";
    diagnostic.rule = "ACC33-2.7.1-1";
    diagnostic.pc = pc;
    diagnostic.object = display.name;
    diagnostic.element = element;
    if (!diagnostic.help)
        diagnostic.help =
            rt_get_out_of_bounds_help(accd_device_at(rt.context, address), info, (int64_t)at, display.name);
    diagnostic.region = rt_get_kernel_region(site);
    rt_emit_diagnostic(&diagnostic, "%s %s %s, %s", actor, verb, element, position);
}

/* Reports an access to the former device memory of an unmapped object. Returns false, without a report, if no such
 * object contained the address. */
bool rt_report_unmapped_access(const struct rt_site *site, const char *actor, const char *verb, uint64_t address,
                               uintptr_t pc)
{
    const struct rt_unmapped_object *object = rt_find_unmapped_memory(address);
    struct rt_text_buffer lines;
    if (!object)
        return false;
    struct rt_diagnostic diagnostic = {.help = "unmap {1|the data} after the last region that uses them"};
    rt_text_clear(&lines);
    rt_add_object_history(&diagnostic, &lines, object);
    emit_out_of_bounds(site, diagnostic, &object->info, address, address - object->dev, actor, verb,
                       "whose data were unmapped", pc);
    return true;
}

/* Reports an access to a device address: to the former memory of an unmapped object, beside a present object,
 * or elsewhere. Returns false, without a report, for an address of no device. */
bool rt_report_out_of_bounds(const struct rt_site *site, const char *actor, const char *verb, uint64_t address,
                             uintptr_t pc)
{
    assert(actor && verb);
    const int device = rt.context ? accd_device_at(rt.context, address) : -1;
    const uint64_t page = rt_page_down(address), next = page + RT_PAGE_SIZE;
    const char *position = "after the end of the data on the device";
    accd_present_object object;
    uint64_t at = address;
    if (device < 0)
        return false;
    if (rt_report_unmapped_access(site, actor, verb, address, pc))
        return true;
    const bool before = rt.options.guard_before && accd_present_at(rt.context, device, next, 1, &object);
    if (before)
        position = "before the beginning of the data on the device";
    /* An access after the end: the object ends at the beginning of the page, or at most RT_BLOCK_ALIGNMENT
     * (16) bytes before the page. */
    while (!before && at >= page - RT_BLOCK_ALIGNMENT && !accd_present_at(rt.context, device, at, 1, &object))
        at--;
    if (at >= page - RT_BLOCK_ALIGNMENT) {
        emit_out_of_bounds(site,
                           (struct rt_diagnostic){
                               .other = rt_get_mapped_location(&object.info),
                           },
                           &object.info, address, address - object.dev, actor, verb, position, pc);
        return true;
    }
    rt_report("error", "out-of-bounds", "ACC33-2.7.1-1", pc, "%s %s device memory at %p, which is not allocated", actor,
              verb, (void *)(uintptr_t)address);
    return true;
}
