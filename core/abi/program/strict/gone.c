/* gone.c - reports about kernels that use device memory outside of present data: next to an object, where
 * data were that are unmapped now, or anywhere else. */
#include "abi/program/base/runtime.h"
#include "followed.h"
#include "watch.h"

#include <stdio.h>

/* Objects that were unmapped last; their device memory rests. */
enum { GONE = 256 };
static struct {
    uint64_t dev;
    uintptr_t pc; /* of the call that unmapped it */
    accd_object_info info;
} gone[GONE];
static unsigned last;

void goacc_gone_note(const accd_event *event, uint64_t dev)
{
    last = (last + 1) % GONE;
    gone[last].dev = dev;
    gone[last].pc = goacc.site ? goacc.site->call.pc : 0;
    gone[last].info.host = event->host;
    gone[last].info.bytes = event->bytes;
    memccpy(gone[last].info.name, event->name, 0, sizeof gone[last].info.name - 1);
}

const char *goacc_help_beside(int device, const accd_object_info *info, int64_t into)
{
    accd_present other;
    if (accd_present_at(goacc.context, device, info->host + (uint64_t)into, 0, &other) &&
        other.info.host != info->host)
        return "pieces of one object lie apart on the device: map one section that contains all "
               "that a region uses";
    return into < 0 ? "keep the index inside of {1|the data}, or map a section that begins before"
                    : "keep the index inside of {1|the data}, or map a longer section";
}

static void tell(const struct goacc_site *site, const accd_object_info *info, uint64_t at,
                 struct goacc_mark mark, const char *region, const char *does, const char *where,
                 const char *help, uintptr_t pc)
{
    struct goacc_shown shown = goacc_shown(info);
    char element[340];
    goacc_spell_element(site, info->host, info->bytes, at, shown.name, element, sizeof element);
    goacc_find(
        &(struct goacc_finding){
            .level = "error",
            .code = "out-of-bounds",
            .rule = "ACC33-2.7.1-1",
            .pc = pc,
            .object = shown.name,
            .element = element,
            .other = mark,
            .help = help,
        },
        "%s %s %s, %s", region, does, element, where);
}

static bool tell_unmapped(const struct goacc_site *site, const char *region, const char *does,
                          uint64_t address, uintptr_t pc)
{
    for (unsigned i = last, n = 0; n < GONE; n++, i = (i + GONE - 1) % GONE) {
        if (address - gone[i].dev >= gone[i].info.bytes)
            continue;
        struct goacc_mark mark = {.is = "unmapped"};
        char place[1100] = "";
        if (goacc_line(gone[i].pc, &mark.file, &mark.line, NULL))
            snprintf(place, sizeof place, " at %s:%d", mark.file, mark.line);
        char where[1200];
        snprintf(where, sizeof where, "whose data were unmapped%s", place);
        tell(site, &gone[i].info, address - gone[i].dev, mark, region, does, where,
             "unmap {1|the data} after the last region that uses them", pc);
        return true;
    }
    return false;
}

bool goacc_tell_outside(const struct goacc_site *site, const char *region, const char *does,
                        uint64_t address, uintptr_t pc)
{
    const int device = goacc.context ? accd_device_of(goacc.context, address) : -1;
    const uint64_t page = address / GOACC_PAGE * GOACC_PAGE, next = page + GOACC_PAGE;
    const char *where = "after the end of the data on the device";
    accd_present object;
    uint64_t at = address;
    if (device < 0)
        return false;
    if (tell_unmapped(site, region, does, address, pc))
        return true;
    const bool before =
        goacc.options.begin && accd_present_at(goacc.context, device, next, 1, &object);
    if (before)
        where = "before the beginning of the data on the device";
    /* an object ends at the page, or in its last 16 bytes */
    while (!before && at >= page - GOACC_ALIGNED &&
           !accd_present_at(goacc.context, device, at, 1, &object))
        at--;
    if (at >= page - GOACC_ALIGNED) {
        tell(site, &object.info, address - object.dev, goacc_mapped_at(&object.info), region, does,
             where, goacc_help_beside(device, &object.info, (int64_t)(address - object.dev)), pc);
        return true;
    }
    goacc_tell("error", "out-of-bounds", "ACC33-2.7.1-1", pc,
               "%s %s device memory at %p, which is not allocated", region, does,
               (void *)(uintptr_t)address);
    return true;
}
