/* object_history.c - explains why data are absent, by the objects that were unmapped last and by the present objects.
 * Called for reports; only rt_record_unmapped_object is called earlier, for each object that is unmapped. */
#include "lib/text_buffer.h"
#include "object_history.h"
#include "source_lines.h"
#include "symbolize.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Ring of the objects that were unmapped last. The core does not reuse their device memory at once. */
enum { UNMAPPED = 256 };
static struct rt_unmapped_object unmapped[UNMAPPED];
static unsigned last_entry;

/* Records a present object as unmapped by the current call. */
void rt_record_unmapped_object(int device, uint64_t host)
{
    accd_present_object object;
    if (!accd_present_at(rt.context, device, host, 0, &object))
        return;
    last_entry = (last_entry + 1) % UNMAPPED;
    unmapped[last_entry] = (struct rt_unmapped_object){
        .info = object.info,
        .dev = object.dev,
        .pc = rt.site ? rt.site->call.pc : 0,
        .device = device,
    };
}

/* Empties the ring. */
void rt_forget_unmapped_objects(void)
{
    memset(unmapped, 0, sizeof unmapped);
}

/* Returns true if the object's host range contained the range. */
bool rt_contained_range(const struct rt_unmapped_object *object, uint64_t host, uint64_t bytes)
{
    assert(object);
    return host >= object->info.host && host - object->info.host < object->info.bytes &&
           bytes <= object->info.bytes - (host - object->info.host);
}

/* Returns the newest object that contained all of the range, or else the newest one that contained a part of it. */
const struct rt_unmapped_object *rt_find_unmapped_object(int device, uint64_t host, uint64_t bytes)
{
    const struct rt_unmapped_object *part = NULL;
    for (unsigned n = 0; n < UNMAPPED; n++) {
        const struct rt_unmapped_object *entry = &unmapped[(last_entry + UNMAPPED - n) % UNMAPPED];
        if (!entry->info.bytes || entry->device != device)
            continue;
        if (rt_contained_range(entry, host, bytes))
            return entry;
        if (!part && entry->info.host < host + bytes && host < entry->info.host + entry->info.bytes)
            part = entry;
    }
    return part;
}

/* Returns the newest object whose former device memory contains the address and belongs to no present object. */
const struct rt_unmapped_object *rt_find_unmapped_memory(uint64_t address)
{
    accd_present_object object;
    for (unsigned n = 0; n < UNMAPPED; n++) {
        const struct rt_unmapped_object *entry = &unmapped[(last_entry + UNMAPPED - n) % UNMAPPED];
        if (address - entry->dev < entry->info.bytes &&
            !accd_present_at(rt.context, entry->device, entry->dev, 1, &object))
            return entry;
    }
    return NULL;
}

/* Returns the location where an object was unmapped. */
struct rt_related_location rt_get_unmapped_location(const struct rt_unmapped_object *object)
{
    struct rt_related_location location = {.event = "unmapped"};
    rt_find_line(object->pc, &location.file, &location.line, NULL);
    return location;
}

/* Adds the line "history: a[0:8], 64 bytes at 0x..., was mapped at FILE:LINE and unmapped at FILE:LINE". */
void rt_add_object_history(struct rt_diagnostic *diagnostic, struct rt_text_buffer *lines,
                           const struct rt_unmapped_object *object)
{
    const struct rt_display_name display = rt_get_display_name(&object->info);
    const struct rt_related_location end = rt_get_unmapped_location(object);
    rt_text_append(lines, "  history: ");
    if (strncmp(display.name, "0x", 2) != 0)
        rt_text_append(lines, "%s, ", display.name);
    rt_text_append(lines, "%llu bytes at %p, was ", (unsigned long long)object->info.bytes,
                   (void *)(uintptr_t)object->info.host);
    if (display.file)
        rt_text_append(lines, "mapped at %s:%d and ", display.file, display.line);
    rt_text_append(lines, "unmapped");
    if (end.file)
        rt_text_append(lines, " at %s:%d", end.file, end.line);
    rt_text_append(lines, "\n");
    diagnostic->lines = lines->at;
    diagnostic->other = (struct rt_related_location){"mapped", display.file, display.line};
    diagnostic->further[0] = end;
}

/* ----------------------------------------------------------------------------------- nearest -- */

/* Names a present object: as a site sees it, if that is a section of the variable `variable`, and otherwise as it was
 * called when it was mapped. The name is empty if neither is known. Returns true if it is one of the variable. */
static bool name_object(const struct rt_site *site, const char *variable, struct rt_nearest_object *nearest)
{
    const accd_object_info *info = &nearest->object.info;
    if (rt_format_name(site, info->host, info->bytes, nearest->name, sizeof nearest->name) &&
        rt_is_same_variable(nearest->name, variable))
        return true;
    const struct rt_display_name display = rt_get_display_name(info);
    snprintf(nearest->name, sizeof nearest->name, "%s", strncmp(display.name, "0x", 2) != 0 ? display.name : "");
    return rt_is_same_variable(nearest->name, variable);
}

/* Finds an object that contains all bytes of `absent` on a device other than the thread's. */
static bool find_on_other_device(const accd_object_info *absent, struct rt_nearest_object *nearest)
{
    const void *host = (const void *)(uintptr_t)absent->host;
    for (int device = 0; device < accd_device_count(rt.context); device++)
        if (device != rt_this_thread.device &&
            accd_get_presence(rt.context, device, host, absent->bytes) == ACCD_PRESENCE_FULL &&
            accd_present_at(rt.context, device, absent->host, 0, &nearest->object)) {
            nearest->device = device;
            return true;
        }
    return false;
}

/* Finds the nearest present object: on another device, of the same variable, or with its name. */
bool rt_find_nearest_object(const struct rt_site *site, const accd_object_info *absent, const char *name,
                            const struct rt_unmapped_object *former, struct rt_nearest_object *nearest)
{
    assert(site && absent->bytes);
    const int device = rt_this_thread.device;
    accd_present_object object;
    /* the last object before the data, the first one after them, and the last one mapped under the variable's name */
    accd_present_object before = {0}, after = {0}, namesake = {0};
    if (find_on_other_device(absent, nearest)) {
        name_object(site, name, nearest);
        return true;
    }
    if (!*name || !strncmp(name, "0x", 2))
        return false;
    for (uint64_t at = 0; accd_present_next(rt.context, device, &at, &object);) {
        if (object.info.host < absent->host)
            before = object;
        else if (!after.info.bytes)
            after = object;
        if (rt_is_same_variable(object.info.name, name))
            namesake = object;
    }
    const uint64_t gap_before = absent->host - (before.info.host + before.info.bytes),
                   gap_after = after.info.host - (absent->host + absent->bytes);
    const bool is_after_nearer = after.info.bytes && (!before.info.bytes || gap_after < gap_before);
    const accd_present_object candidates[] = {is_after_nearer ? after : before, is_after_nearer ? before : after,
                                              namesake};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        *nearest = (struct rt_nearest_object){.object = candidates[i], .device = device};
        if (candidates[i].info.bytes &&
            (name_object(site, name, nearest) ||
             (former && *nearest->name && rt_is_same_variable(nearest->name, former->info.name))))
            return true;
    }
    return false;
}

/* Appends the line "nearest: a[0:4], 32 bytes at 0x..., mapped at FILE:LINE". */
void rt_append_nearest_object(struct rt_text_buffer *text, const struct rt_nearest_object *nearest)
{
    const struct rt_related_location mapped = rt_get_mapped_location(&nearest->object.info);
    rt_text_append(text, "  nearest: %s%s%llu bytes at %p", nearest->name, *nearest->name ? ", " : "",
                   (unsigned long long)nearest->object.info.bytes, (void *)(uintptr_t)nearest->object.info.host);
    if (nearest->device != rt_this_thread.device)
        rt_text_append(text, " on device %d", nearest->device);
    if (mapped.file)
        rt_text_append(text, ", mapped at %s:%d", mapped.file, mapped.line);
    rt_text_append(text, "\n");
}
