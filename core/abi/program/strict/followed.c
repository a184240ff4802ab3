/* followed.c - reports about kernels that use memory of the host: the pointer that they most likely
 * followed, and what would make it one of the device. */
#include "abi/program/base/runtime.h"
#include "followed.h"

#include <stdio.h>
#include <string.h>

/* The word of present data, as the device has it, that points closest to a host address from below:
 * the pointer that a kernel most likely followed. Its own host address, or 0. */
static uint64_t culprit(int device, uint64_t address, uint64_t low)
{
    accd_present object;
    uint64_t at = 0, best = 0, found = 0;
    while (accd_present_next(goacc.context, device, &at, &object))
        for (uint64_t k = 0; k + sizeof(uint64_t) <= object.info.bytes; k += sizeof(uint64_t)) {
            uint64_t word;
            memcpy(&word, (const void *)(uintptr_t)(object.dev + k), sizeof word);
            if (word < low || word > address || word < best)
                continue;
            best = word;
            found = object.info.host + k;
        }
    return found;
}

/* Help for one situation, in the words of OpenACC and of OpenMP. */
struct advice {
    char help[400], openmp[400];
};

static void advise(struct advice *to, const struct goacc_pointer *pointer, const char *data,
                   bool present, bool attached)
{
    data = strncmp(data, "0x", 2) != 0 ? data : "...";
    const char *section = *pointer->section ? pointer->section : "...",
               *name = *pointer->section ? pointer->name : "...";
    const size_t room = sizeof to->help;
    if (attached) {
        snprintf(to->help, room,
                 "detach the pointer before a transfer overwrites it, and attach it afterwards");
        snprintf(to->openmp, room,
                 "transfer single members, not all of the object that the pointer lies in");
    } else if (present && pointer->slot) {
        snprintf(to->help, room,
                 "attach the pointer after both are mapped: enter data attach(%.160s)", name);
        snprintf(to->openmp, room,
                 "map the object with the pointer first, and then the pointer's section: %s",
                 section);
    } else if (present) {
        snprintf(to->help, room, "name the data in a clause of the construct: present(%s)", data);
        snprintf(to->openmp, room, "name the data in a map clause of the construct: %s", data);
    } else if (pointer->slot) {
        snprintf(
            to->help, room,
            "map what the pointer points to, with the pointer or after it: copyin(%s), or copy",
            section);
        snprintf(to->openmp, room,
                 "map what the pointer points to, with the pointer or after it: map(tofrom: %s)",
                 section);
    } else {
        snprintf(to->help, room,
                 "map it at the construct: copy(%s); by declare where a routine uses it", data);
        snprintf(
            to->openmp, room,
            "map it at the construct: map(tofrom: %s); by declare target where a function uses it",
            data);
    }
}

_Noreturn void goacc_tell_host(const struct goacc_site *site, int device, const char *region,
                               const char *does, uint64_t address, uintptr_t pc)
{
    enum { NEAR = 1 << 20 };
    const uint64_t low = address > NEAR ? address - NEAR : 0;
    accd_present object;
    char name[160], variable[160] = "...";
    struct goacc_pointer pointer;
    struct advice advice;
    bool present = accd_present_at(goacc.context, device, address, 0, &object);
    uint64_t slot = culprit(device, address, present ? object.info.host : low);
    struct goacc_name at;
    goacc_spell(site, address, 0, name, sizeof name);
    if (goacc_name_of(site, address, 0, &at))
        snprintf(variable, sizeof variable, "%s%s", at.name,
                 at.section && !at.fortran ? "[0:n]" : "");
    goacc_spell_pointer(site, device, slot, &pointer);
    accd_attachment attachment;
    bool attached =
        present && accd_attachment_at(goacc.context, device, (void *)(uintptr_t)slot, &attachment);
    struct goacc_finding finding = {
        .level = "error",
        .code = "host-pointer-on-device",
        .rule = !present   ? "ACC33-impl-1"
                : attached ? "ACC33-att-8"
                           : "ACC33-att-6",
        .pc = pc,
        .object = name,
        .second = slot ? pointer.name : NULL,
    };
    const struct goacc_shown shown =
        present ? goacc_shown(&object.info) : (struct goacc_shown){.line = 0};
    advise(&advice, &pointer, present ? shown.name : variable, present, attached);
    finding.help = advice.help;
    finding.openmp = advice.openmp;
    if (present) {
        finding.object = shown.name;
        finding.element = name;
        finding.other = goacc_mapped_at(&object.info);
        goacc_find(&finding, "%s%s%s%s %s host memory at %s, whose data are present as %s%s",
                   slot ? "the pointer " : "", slot ? pointer.name : "",
                   attached ? " was attached, and then overwritten: "
                   : slot   ? " was never attached: "
                            : "",
                   region, does, name, shown.name, slot ? "" : ": their host address was used");
    } else {
        goacc_find(&finding, "%s %s host memory at %s, which is not present%s%s%s", region, does,
                   name, slot ? "; the pointer " : "", slot ? pointer.name : "",
                   slot ? " points there" : "");
    }
    goacc_end();
}
