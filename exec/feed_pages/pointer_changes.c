/* pointer_changes.c - reports about kernels that change an attached pointer. The device pointer then points to other
 * data than the host pointer, and no transfer copies the change back. OpenMP forbids such changes (OMP60-map-8).
 * OpenACC leaves them undefined (ACC33-att-8), so nothing is reported there. Strict and checked runs compare the
 * attached pointers of the device before and after each kernel. */
#include "base/context.h"
#include "base/runtime.h"
#include "diag/diagnostics.h"
#include "diag/symbolize.h"
#include "lib/vector.h"
#include "pointer_changes.h"

#include <assert.h>

/* Host addresses of the attached pointers that pointed to other data already before the kernel under way. */
static uint64_t *changed_slots;
static size_t nchanged_slots, capacity;

/* Returns true if an attached pointer holds, on the device, another device address than that of its target.
 * Null and values that are no device addresses do not count as changes. */
static bool is_pointer_changed(int device, const accd_attachment *pointer)
{
    assert(rt.context);
    const uint64_t at = accd_device_address(rt.context, device, (const void *)(uintptr_t)pointer->slot);
    const uintptr_t value = at ? rt_load_word((const void *)(uintptr_t)at) : 0;
    return value && value != pointer->dev && rt_is_device_address((const void *)value);
}

/* Stores in *pointer the first attached pointer at or after the host address *at that is changed on the
 * device, and moves *at past it. Returns false if there is none. */
static bool find_next_changed(int device, uint64_t *at, accd_attachment *pointer)
{
    while (accd_attachment_next(rt.context, device, at, pointer))
        if (is_pointer_changed(device, pointer))
            return true;
    return false;
}

/* Returns true if pointers are attached on a device and the program uses OpenMP. Otherwise nothing is
 * recorded or reported. */
static bool has_attached_pointers(int device)
{
    accd_stats stats;
    return rt_uses_openmp_terms() && (accd_get_stats(rt.context, device, &stats), stats.attachments > 0);
}

/* Called before a kernel: replaces the list changed_slots by the attached pointers whose device value is already that
 * of other data than their target (is_pointer_changed). Without memory the list is shorter, so that more pointers are
 * reported after the kernel. */
void rt_save_changed_pointers(int device)
{
    accd_attachment pointer;
    uint64_t at = 0;
    nchanged_slots = 0;
    if (!has_attached_pointers(device))
        return;
    while (find_next_changed(device, &at, &pointer)) {
        if (!RT_RESERVE(rt_heap_realloc, changed_slots, nchanged_slots, capacity))
            return;
        changed_slots[nchanged_slots++] = pointer.slot;
    }
}

/* Returns true if the pointer at the host address `slot` is in changed_slots, the list of pointers that had already
 * changed before the kernel. */
static bool was_changed_before(uint64_t slot)
{
    size_t i = 0;
    while (i < nchanged_slots && changed_slots[i] != slot)
        i++;
    return i < nchanged_slots;
}

/* Called after a kernel: reports each attached pointer that the kernel has changed, that is, each changed pointer that
 * is not in the list changed_slots. */
void rt_report_changed_pointers(int device)
{
    assert(rt.site);
    accd_attachment attachment;
    struct rt_pointer_name pointer;
    uint64_t at = 0;
    if (!has_attached_pointers(device))
        return;
    while (find_next_changed(device, &at, &attachment)) {
        if (was_changed_before(attachment.slot))
            continue;
        rt_format_pointer(rt.site, device, attachment.slot, &pointer);
        rt_emit_diagnostic(
            &(struct rt_diagnostic){
                .level = "warning",
                .code = "pointer-changed",
                .rule = "OMP60-map-8",
                .pc = rt.site->call.pc,
                .object = pointer.name,
                .slot = attachment.slot,
                .is_grouped = true,
                .help = "change a copy of the pointer in the region: a local variable",
            },
            "this region changes the attached pointer %s on the device; the host's pointer keeps "
            "its value",
            pointer.name);
    }
}
