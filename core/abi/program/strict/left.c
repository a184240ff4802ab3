/* left.c - what is still mapped or attached at the end of a strict or checked run: one report for
 * each place where data were mapped. */
#include "left.h"
#include "abi/program/data/image.h"

#include <stdio.h>
#include <string.h>

/* Whether a descriptor of gfortran begins at an address that is present as long as its array, of
 * the same name, is: the array is reported. */
static bool is_descriptor(int device, uint64_t host)
{
    accd_attachment pointer;
    accd_present descriptor, array;
    return accd_attachment_at(goacc.context, device, (const void *)(uintptr_t)host, &pointer) &&
           accd_present_at(goacc.context, device, host, 0, &descriptor) &&
           descriptor.info.host == host && goacc_has_descriptor_size(descriptor.info.bytes) &&
           accd_present_at(goacc.context, device, pointer.target, 0, &array) &&
           !strcmp(goacc_shown(&descriptor.info).name, goacc_shown(&array.info).name);
}

/* Whether an address lies in a variable of OpenMP's declare target, which is mapped to the end: no
 * counter counts. */
static bool is_declared_target(uint64_t host)
{
    return goacc_speaks_openmp() && goacc_declared_stays((const void *)(uintptr_t)host);
}

/* OpenMP has no clause that detaches: an attachment ends with the data, or with the pointer. */
static bool has_ended(int device, const accd_attachment *pointer)
{
    accd_present data;
    return is_declared_target(pointer->slot) &&
           !accd_present_at(goacc.context, device, pointer->target, 0, &data);
}

/* A base pointer that OpenACC's directives do not map, and gcc does: a routine has unmapped the
 * data alone. */
static bool is_bare_pointer(int device, const accd_present *object)
{
    accd_present data;
    uint64_t target;
    return object->pointer && !goacc_speaks_openmp() && object->info.bytes == sizeof target &&
           goacc_peek(object->info.host, (char *)&target, sizeof target) &&
           !accd_present_at(goacc.context, device, target, 0, &data);
}

/* Whether the end reports that an object is mapped, or free has done so. */
static bool is_left(int device, const accd_present *object)
{
    const uint64_t host = object->info.host;
    return object->dynamic && !goacc_stack_declared(host) && !goacc_allocated_has(host) &&
           !goacc_image_holds(host) && !is_declared_target(host) &&
           !is_bare_pointer(device, object) && !goacc_stack_hides(host) && !is_descriptor(device, host);
}

/* Objects that were mapped at one place; those whose place is not known are apart. */
enum { GROUPS = 20, NAMED = 3 };
struct group {
    struct goacc_shown first;
    accd_present object; /* the first one */
    size_t n, named;
    uint64_t bytes;
    char names[500];
};

static void add_name(struct group *group, const char *name)
{
    const size_t used = strlen(group->names), n = goacc_variable_length(name);
    if (!strncmp(name, "0x", 2) || group->named++ > NAMED ||
        used + n + sizeof ", " > sizeof group->names)
        return;
    snprintf(group->names + used, sizeof group->names - used, "%s%.*s", used ? ", " : "",
             group->named > NAMED ? 3 : (int)n, group->named > NAMED ? "..." : name);
}

/* False: there is no room for one more. */
static bool add_left(struct group *groups, size_t *ngroups, const accd_present *object)
{
    const struct goacc_shown shown = goacc_shown(&object->info);
    size_t i = 0;
    while (i < *ngroups &&
           (!shown.file || !groups[i].first.file || groups[i].first.line != shown.line ||
            strcmp(groups[i].first.file, shown.file) != 0))
        i++;
    if (i == GROUPS)
        return false;
    if (i == *ngroups)
        groups[(*ngroups)++] = (struct group){.first = shown, .object = *object};
    groups[i].n++;
    groups[i].bytes += object->info.bytes;
    add_name(&groups[i], shown.name);
    return true;
}

static void tell_group(int device, const struct group *group)
{
    const struct goacc_shown *shown = &group->first;
    char from[1100] = "", bytes[40];
    const double megabytes = (double)group->bytes / 1e6;
    if (shown->file)
        snprintf(from, sizeof from, ", mapped at %s:%d", shown->file, shown->line);
    snprintf(bytes, sizeof bytes, megabytes < 1 ? "%.0f bytes" : "%.1f MB",
             megabytes < 1 ? megabytes * 1e6 : megabytes);
    const struct goacc_finding finding = {
        .level = "note",
        .code = "still-mapped",
        .rule = "ACC33-2.6.7-4",
        .object = shown->name,
        .other = {"mapped", shown->file, shown->line},
        .bytes = group->bytes,
        .objects = group->n > 1 ? group->n : 0,
    };
    if (group->n > 1)
        goacc_find(&finding, "%zu objects, %s, are still on device %d at the end%s%s%s%s", group->n,
                   bytes, device, from, *group->names ? " (" : "", group->names,
                   *group->names ? ")" : "");
    else
        goacc_find(
            &finding,
            "%s, %s, is still on device %d at the end, with dynamic reference counter %u%s%s",
            shown->name, bytes, device, group->object.dynamic,
            group->object.mapped ? ", from acc_map_data" : "", from);
}

static void tell_mapped(int device)
{
    static struct group groups[GROUPS];
    accd_present object;
    uint64_t at = 0;
    size_t n = 0, more = 0;
    while (accd_present_next(goacc.context, device, &at, &object))
        if (is_left(device, &object) && !goacc_was_freed(device, object.info.host))
            more += !add_left(groups, &n, &object);
    for (size_t i = 0; i < n; i++)
        tell_group(device, &groups[i]);
    if (more)
        goacc_tell("note", "still-mapped", "ACC33-2.6.7-4", 0, "and %zu more on device %d", more,
                   device);
}

/* A pointer of an object that is reported goes with it. */
static bool is_left_with_object(int device, uint64_t slot)
{
    accd_present object;
    return accd_present_at(goacc.context, device, slot, 0, &object) && is_left(device, &object);
}

static void tell_attached(int device)
{
    enum { MOST = 20 };
    accd_attachment pointer;
    uint64_t at = 0;
    size_t n = 0;
    while (accd_attachment_next(goacc.context, device, &at, &pointer)) {
        if (goacc_allocated_has(pointer.slot) || goacc_image_holds(pointer.slot) ||
            goacc_stack_hides(pointer.slot) || is_descriptor(device, pointer.slot) || has_ended(device, &pointer) ||
            is_left_with_object(device, pointer.slot) || n++ >= MOST)
            continue;
        const struct goacc_shown shown = goacc_shown_pointer(&pointer);
        goacc_find(
            &(struct goacc_finding){
                .level = "note",
                .code = "still-attached",
                .rule = "ACC33-det-1",
                .object = shown.name,
            },
            "the pointer %s is still attached on device %d at the end, with attachment counter %u",
            shown.name, device, pointer.count);
    }
    if (n > MOST)
        goacc_tell("note", "still-attached", "ACC33-det-1", 0, "and %zu more on device %d",
                   n - MOST, device);
}

void goacc_tell_left(int device)
{
    tell_mapped(device);
    tell_attached(device);
}
