/* leaks.c - objects still mapped, and pointers still attached, at the end of a strict or checked run: one report for
 * each line that mapped data. */
#include "coherence/interposed_free.h"
#include "diag/diagnostics.h"
#include "diag/source_lines.h"
#include "diag/symbolize.h"
#include "image/allocatable.h"
#include "image/declared.h"
#include "image/image.h"
#include "lib/descriptor.h"
#include "leaks.h"
#include "stack_variables.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Returns true if a descriptor of gfortran begins at the host address `host`, and its array is present under the same
 * name: then only the array is reported. */
static bool is_unreported_descriptor(int device, uint64_t host)
{
    accd_attachment pointer;
    accd_present_object descriptor, array;
    return accd_attachment_at(rt.context, device, (const void *)(uintptr_t)host, &pointer) &&
           accd_present_at(rt.context, device, host, 0, &descriptor) && descriptor.info.host == host &&
           rt_has_descriptor_size(descriptor.info.bytes) &&
           accd_present_at(rt.context, device, pointer.target, 0, &array) &&
           !strcmp(rt_get_display_name(&descriptor.info).name, rt_get_display_name(&array.info).name);
}

/* Returns true if a host address is in a variable of OpenMP's declare target, which stays mapped to the end without a
 * reference counter. */
static bool is_declared_target(uint64_t host)
{
    return rt_uses_openmp_terms() && rt_is_declared_permanent((const void *)(uintptr_t)host);
}

/* Returns true if an attached pointer lies in a declare target variable, and the data that it points to are unmapped.
 * Such an attachment is not reported, because OpenMP has no clause that detaches. */
static bool has_ended_with_data(int device, const accd_attachment *pointer)
{
    accd_present_object data;
    return is_declared_target(pointer->slot) && !accd_present_at(rt.context, device, pointer->target, 0, &data);
}

/* Returns true if an object is the base pointer of data that are not present any more, in an OpenACC program.
 * gcc maps the pointer with a directive's data, but a routine such as acc_delete unmaps only the data. */
static bool is_bare_pointer(int device, const accd_present_object *object)
{
    accd_present_object data;
    uint64_t target;
    return object->pointer && !rt_uses_openmp_terms() && object->info.bytes == sizeof target &&
           rt_peek_memory(object->info.host, (char *)&target, sizeof target) &&
           !accd_present_at(rt.context, device, target, 0, &data);
}

/* Returns true if the end of the program reports an object as still mapped. Its dynamic reference counter is
 * not 0, and the program, not the compiler or the runtime, must unmap it. */
static bool is_leaked(int device, const accd_present_object *object)
{
    const uint64_t host = object->info.host;
    return object->dynamic && !rt_is_declared_on_stack(host) && !rt_is_allocatable_data(host) &&
           !rt_is_image_variable(host) && !is_declared_target(host) && !is_bare_pointer(device, object) &&
           !rt_is_hidden_pointer(host) && !is_unreported_descriptor(device, host);
}

/* Group: objects that were mapped at the same line, `n` objects of `bytes` bytes together. An object with an
 * unknown line forms a group of its own. names: the first NAMED of the `nnames` names of variables, joined by
 * ", ". */
enum { GROUPS = 20, NAMED = 3 };
struct group {
    struct rt_display_name first;
    accd_present_object object; /* first object of the group */
    size_t n, nnames;
    uint64_t bytes;
    char names[500];
};

/* Appends the variable of the object name `name` to the names of a group. After NAMED names, appends "..." once.
 * Addresses and names that do not fit are left out. */
static void add_group_name(struct group *group, const char *name)
{
    const size_t length = strlen(group->names), n = rt_variable_name_length(name);
    if (!strncmp(name, "0x", 2) || group->nnames++ > NAMED || length + n + sizeof ", " > sizeof group->names)
        return;
    snprintf(group->names + length, sizeof group->names - length, "%s%.*s", length ? ", " : "",
             group->nnames > NAMED ? 3 : (int)n, group->nnames > NAMED ? "..." : name);
}

/* Adds an object to the group of the line that mapped it, or to a new group. Returns false if a new group is
 * needed, but all GROUPS are used. */
static bool add_to_group(struct group *groups, size_t *ngroups, const accd_present_object *object)
{
    const struct rt_display_name display = rt_get_display_name(&object->info);
    size_t i = 0;
    while (i < *ngroups && (!display.file || !groups[i].first.file || groups[i].first.line != display.line ||
                            strcmp(groups[i].first.file, display.file) != 0))
        i++;
    if (i == GROUPS)
        return false;
    if (i == *ngroups)
        groups[(*ngroups)++] = (struct group){.first = display, .object = *object};
    groups[i].n++;
    groups[i].bytes += object->info.bytes;
    add_group_name(&groups[i], display.name);
    return true;
}

/* Reports the objects of a group: one object by its name, several by their number and bytes. */
static void report_group(int device, const struct group *group)
{
    assert(group->n);
    const struct rt_display_name *display = &group->first;
    char bytes[40];
    const double megabytes = (double)group->bytes / 1e6;
    snprintf(bytes, sizeof bytes, megabytes < 1 ? "%.0f bytes" : "%.1f MB",
             megabytes < 1 ? megabytes * 1e6 : megabytes);
    const struct rt_diagnostic diagnostic = {
        .level = "note",
        .code = "still-mapped",
        .rule = "ACC33-2.6.7-4",
        .object = display->name,
        .other = {"mapped", display->file, display->line},
        .bytes = group->bytes,
        .objects = group->n > 1 ? group->n : 0,
    };
    if (group->n > 1)
        rt_emit_diagnostic(&diagnostic, "%zu objects, %s, are still on device %d at the end%s%s%s", group->n, bytes,
                           device, *group->names ? " (" : "", group->names, *group->names ? ")" : "");
    else
        rt_emit_diagnostic(&diagnostic, "%s, %s, is still on device %d at the end, with dynamic reference counter %u%s",
                           display->name, bytes, device, group->object.dynamic,
                           group->object.mapped ? ", from acc_map_data" : "");
}

/* Reports the objects that are still mapped on a device, in groups, and how many more there are if groups do
 * not suffice. Data in a block that was freed are left out, because the call of free() has been reported. */
static void report_mapped(int device)
{
    static struct group groups[GROUPS];
    accd_present_object object;
    uint64_t at = 0;
    size_t n = 0, nomitted = 0;
    while (accd_present_next(rt.context, device, &at, &object))
        if (is_leaked(device, &object) && !rt_is_freed_data(device, object.info.host))
            nomitted += !add_to_group(groups, &n, &object);
    for (size_t i = 0; i < n; i++)
        report_group(device, &groups[i]);
    if (nomitted)
        rt_report("note", "still-mapped", "ACC33-2.6.7-4", 0, "and %zu more on device %d", nomitted, device);
}

/* Returns true if the pointer at host address `slot` lies in an object that is reported as still mapped; then
 * its attachment is not reported. */
static bool is_leaked_with_object(int device, uint64_t slot)
{
    accd_present_object object;
    return accd_present_at(rt.context, device, slot, 0, &object) && is_leaked(device, &object);
}

/* Reports the pointers that are still attached on a device, at most MOST, and how many more there are.
 * Pointers that the compiler or the runtime attached, and those in reported objects, are left out. */
static void report_attached(int device)
{
    enum { MOST = 20 };
    accd_attachment pointer;
    uint64_t at = 0;
    size_t n = 0;
    while (accd_attachment_next(rt.context, device, &at, &pointer)) {
        if (rt_is_allocatable_data(pointer.slot) || rt_is_image_variable(pointer.slot) ||
            rt_is_hidden_pointer(pointer.slot) || is_unreported_descriptor(device, pointer.slot) ||
            has_ended_with_data(device, &pointer) || is_leaked_with_object(device, pointer.slot) || n++ >= MOST)
            continue;
        const struct rt_display_name display = rt_get_pointer_display_name(&pointer);
        rt_emit_diagnostic(
            &(struct rt_diagnostic){
                .level = "note",
                .code = "still-attached",
                .rule = "ACC33-det-1",
                .object = display.name,
            },
            "the pointer %s is still attached on device %d at the end, with attachment counter %u", display.name,
            device, pointer.count);
    }
    if (n > MOST)
        rt_report("note", "still-attached", "ACC33-det-1", 0, "and %zu more on device %d", n - MOST, device);
}

/* Reports the objects still mapped and the pointers still attached on a device. */
void rt_report_leaks(int device)
{
    assert(rt.context && device >= 0);
    report_mapped(device);
    report_attached(device);
}
