/* host_access.c - reports about kernels that access host memory: which pointer they most likely followed, and which
 * clause would make it a device pointer. */
#include "base/runtime.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/object_history.h"
#include "diag/symbolize.h"
#include "lib/text_buffer.h"
#include "host_access.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Returns the host address of the pointer that a kernel most likely followed to the host address `address`.
 * Of all aligned words in present data on the device, this is the word with the greatest value from `low` to
 * `address`. 0: no word has such a value. */
static uint64_t find_followed_pointer(int device, uint64_t address, uint64_t low)
{
    accd_present_object object;
    uint64_t at = 0, best = 0, slot = 0;
    while (accd_present_next(rt.context, device, &at, &object))
        for (uint64_t k = 0; k + sizeof(uint64_t) <= object.info.bytes; k += sizeof(uint64_t)) {
            uint64_t word;
            memcpy(&word, (const void *)(uintptr_t)(object.dev + k), sizeof word);
            if (word < low || word > address || word < best)
                continue;
            best = word;
            slot = object.info.host + k;
        }
    return slot;
}

/* Help texts for one situation, in terms of OpenACC and of OpenMP. */
struct advice {
    char help[400], openmp[400];
};

/* Writes the help texts for a kernel's access to host memory to *to. pointer: the pointer that the kernel
 * followed (slot 0: not known). data: name of the accessed data. present: these data are present on the
 * device. is_attached: the pointer was attached, and then overwritten. */
static void fill_advice(struct advice *to, const struct rt_pointer_name *pointer, const char *data, bool present,
                        bool is_attached)
{
    data = strncmp(data, "0x", 2) != 0 ? data : "...";
    const char *section = *pointer->section ? pointer->section : "...",
               *name = *pointer->section ? pointer->name : "...";
    const size_t capacity = sizeof to->help;
    if (is_attached) {
        snprintf(to->help, capacity, "detach the pointer before a transfer overwrites it, and attach it afterwards");
        snprintf(to->openmp, capacity, "transfer single members, not all of the object that the pointer lies in");
    } else if (present && pointer->slot) {
        snprintf(to->help, capacity, "attach the pointer after both are mapped: enter data attach(%.160s)", name);
        snprintf(to->openmp, capacity, "map the object with the pointer first, and then the pointer's section: %s",
                 section);
    } else if (present) {
        snprintf(to->help, capacity, "name the data in a clause of the construct: present(%s)", data);
        snprintf(to->openmp, capacity, "name the data in a map clause of the construct: %s", data);
    } else if (pointer->slot) {
        snprintf(to->help, capacity,
                 "map what the pointer points to, with the pointer or after it: copyin(%s), or copy", section);
        snprintf(to->openmp, capacity, "map what the pointer points to, with the pointer or after it: map(tofrom: %s)",
                 section);
    } else {
        snprintf(to->help, capacity, "map it at the construct: copy(%s); by declare where a routine uses it", data);
        snprintf(to->openmp, capacity,
                 "map it at the construct: map(tofrom: %s); by declare target where a function uses it", data);
    }
}

/* Finds the pointer that the kernel most likely followed to `address`, and the data there. Reports both with
 * a help text, and ends the program. */
_Noreturn void rt_report_host_access(const struct rt_site *site, int device, const char *actor, const char *verb,
                                     uint64_t address, uintptr_t pc)
{
    assert(rt.context && actor && verb);
    enum { NEAR = 1 << 20 };
    const uint64_t low = address > NEAR ? address - NEAR : 0;
    accd_present_object object;
    char name[160], variable[160] = "...";
    struct rt_pointer_name pointer;
    struct advice advice;
    bool present = accd_present_at(rt.context, device, address, 0, &object);
    uint64_t slot = find_followed_pointer(device, address, present ? object.info.host : low);
    struct accd__debug_name at;
    rt_format_name(site, address, 0, name, sizeof name);
    if (rt_find_name(site, address, 0, &at))
        snprintf(variable, sizeof variable, "%s%s", at.name, at.section && !at.fortran ? "[0:n]" : "");
    rt_format_pointer(site, device, slot, &pointer);
    accd_attachment attachment;
    bool is_attached = present && accd_attachment_at(rt.context, device, (void *)(uintptr_t)slot, &attachment);
    struct rt_diagnostic diagnostic = {
        .level = "error",
        .code = "host-pointer-on-device",
        .rule = !present      ? "ACC33-impl-1"
                : is_attached ? "ACC33-att-8"
                              : "ACC33-att-6",
        .pc = pc,
        .object = name,
        .second = slot ? pointer.name : NULL,
        .slot = slot,
        .region = rt_get_kernel_region(site),
    };
    const struct rt_display_name display =
        present ? rt_get_display_name(&object.info) : (struct rt_display_name){.line = 0};
    fill_advice(&advice, &pointer, present ? display.name : variable, present, is_attached);
    diagnostic.help = advice.help;
    diagnostic.openmp = advice.openmp;
    if (present) {
        diagnostic.object = display.name;
        diagnostic.element = name;
        diagnostic.other = rt_get_mapped_location(&object.info);
        /* the access may be to a member of the object that the pointer points to */
        uint64_t value;
        const bool is_pointed_to = slot && rt_peek_memory(slot, (char *)&value, sizeof value) && value == address;
        if (slot)
            rt_emit_diagnostic(&diagnostic, "the pointer %s holds the host address of %s on device %d: it was %s",
                               pointer.name, is_pointed_to ? name : display.name, device,
                               is_attached ? "attached, and then overwritten" : "never attached");
        else
            rt_emit_diagnostic(&diagnostic, "%s %s %s by its host address, but its data are present: %s", actor, verb,
                               name, display.name);
    } else {
        const struct rt_unmapped_object *unmapped = rt_find_unmapped_object(device, address, 1);
        struct rt_text_buffer lines;
        rt_text_clear(&lines);
        if (unmapped)
            rt_add_object_history(&diagnostic, &lines, unmapped);
        if (slot)
            rt_emit_diagnostic(&diagnostic,
                               "the pointer %s holds the host address of %s, which is not present on device %d",
                               pointer.name, name, device);
        else
            rt_emit_diagnostic(&diagnostic, "%s %s %s, which is not present on device %d", actor, verb, name, device);
    }
    rt_exit_with_error();
}
