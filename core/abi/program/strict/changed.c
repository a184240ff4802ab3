/* changed.c - reports about kernels that change an attached pointer: the device pointer then leads
 * to other data than the host pointer, and no transfer brings the change back. OpenMP forbids it
 * (OMP60-map-8); OpenACC leaves it undefined (ACC33-att-8), and nothing is reported. Strict and
 * checked runs compare the attached pointers of the device before and after each kernel. */
#include "abi/program/base/runtime.h"
#include "changed.h"

#include <stdlib.h>

/* Attached pointers that were changed before the kernel under way: they are not its own. */
static uint64_t *changed;
static size_t nchanged, room;

/* Whether an attached pointer holds another address of the device than that of its target. */
static bool is_changed(int device, const accd_attachment *pointer)
{
    const uint64_t at =
        accd_device_address(goacc.context, device, (const void *)(uintptr_t)pointer->slot);
    const uintptr_t value = at ? goacc_word((const void *)(uintptr_t)at) : 0;
    return value && value != pointer->dev && goacc_is_on_device((const void *)value);
}

/* The next one from an address on. */
static bool next_changed(int device, uint64_t *at, accd_attachment *pointer)
{
    while (accd_attachment_next(goacc.context, device, at, pointer))
        if (is_changed(device, pointer))
            return true;
    return false;
}

static bool may_change(int device)
{
    accd_stats stats;
    return goacc_speaks_openmp() &&
           (accd_get_stats(goacc.context, device, &stats), stats.attachments > 0);
}

/* Without memory some are not known. */
void goacc_changed_before(int device)
{
    accd_attachment pointer;
    uint64_t at = 0;
    nchanged = 0;
    if (!may_change(device))
        return;
    while (next_changed(device, &at, &pointer)) {
        if (nchanged == room) {
            uint64_t *grown = realloc(changed, (2 * room + 16) * sizeof *grown);
            if (!grown)
                return;
            changed = grown;
            room = 2 * room + 16;
        }
        changed[nchanged++] = pointer.slot;
    }
}

static bool was_changed(uint64_t slot)
{
    size_t i = 0;
    while (i < nchanged && changed[i] != slot)
        i++;
    return i < nchanged;
}

void goacc_changed_after(int device)
{
    accd_attachment attached;
    struct goacc_pointer pointer;
    uint64_t at = 0;
    if (!may_change(device))
        return;
    while (next_changed(device, &at, &attached)) {
        if (was_changed(attached.slot))
            continue;
        goacc_spell_pointer(goacc.site, device, attached.slot, &pointer);
        goacc_find(
            &(struct goacc_finding){
                .level = "warning",
                .code = "pointer-changed",
                .rule = "OMP60-map-8",
                .pc = goacc.site->call.pc,
                .object = pointer.name,
                .together = true,
                .help = "change a copy of the pointer in the region: a local variable",
            },
            "this region changes the attached pointer %s on the device; the host's pointer keeps "
            "its value",
            pointer.name);
    }
}
