/* touched_sections.c - finds which sections (ranges of device memory that a construct names) a guarded kernel
 * touches. Each section is PROT_NONE until its first touch, which the guard's signal handler records. races.c
 * uses the results. */
#include "page_guard_internal.h"

#include <sys/mman.h>

/* Protects a section that the kernel has not touched. If the system refuses (the process has too many mappings), the
 * section stays open, and its touch becomes RT_TOUCH_UNKNOWN. */
static void protect_section(struct rt_device_section *section)
{
    section->protected =
        !rt_protect_pages(rt_page_down(section->start), rt_page_up(section->start + section->bytes), PROT_NONE);
    if (!section->protected)
        section->touch = RT_TOUCH_UNKNOWN;
}

/* Opens a section, since the kernel must not fault on its own data. If the system refuses to divide a mapping, opens
 * all pages from the first section to the last one, with the guard pages between them. */
static void open_section(struct rt_page_guard *guard, struct rt_device_section *section)
{
    uint64_t low = section->start, high = section->start + section->bytes;
    section->protected = false;
    if (!rt_protect_pages(rt_page_down(low), rt_page_up(high), PROT_READ | PROT_WRITE))
        return;
    for (size_t i = 0; i < guard->nsections; i++) {
        struct rt_device_section *other = &guard->sections[i];
        low = other->start < low ? other->start : low;
        high = other->start + other->bytes > high ? other->start + other->bytes : high;
        if (other->protected)
            other->touch = RT_TOUCH_UNKNOWN;
        other->protected = false;
    }
    rt_protect_pages(rt_page_down(low), rt_page_up(high), PROT_READ | PROT_WRITE);
}

/* Returns true if a section is protected and has a page in common with [start, end). */
static bool overlaps_section(const struct rt_device_section *section, uint64_t start, uint64_t end)
{
    return section->protected && rt_page_down(start) < section->start + section->bytes &&
           section->start < rt_page_up(end);
}

/* Unprotects a section, and all sections that share a page with it. Later touches of those neighbours raise
 * no fault, so they become RT_TOUCH_UNKNOWN. */
static void unprotect_section(struct rt_page_guard *guard, struct rt_device_section *section)
{
    open_section(guard, section);
    for (size_t i = 0; i < guard->nsections; i++)
        if (overlaps_section(&guard->sections[i], section->start, section->start + section->bytes)) {
            guard->sections[i].touch = RT_TOUCH_UNKNOWN;
            unprotect_section(guard, &guard->sections[i]);
        }
}

/* Records the touch of the protected sections on the page of `address`, and opens them: RT_TOUCHED if a
 * section contains `address`, otherwise RT_TOUCH_UNKNOWN. Returns false if no protected section lies on the
 * page. */
bool rt_section_handle_touch(struct rt_page_guard *guard, uint64_t address)
{
    bool is_touched = false;
    for (size_t i = 0; i < guard->nsections; i++) {
        struct rt_device_section *section = &guard->sections[i];
        if (!overlaps_section(section, address, address + 1))
            continue;
        section->touch = address - section->start < section->bytes ? RT_TOUCHED : RT_TOUCH_UNKNOWN;
        section->at = address;
        unprotect_section(guard, section);
        is_touched = true;
    }
    return is_touched;
}

/* Records the touch of sections whose addresses the system call `number` gets in its argument registers. A
 * call that gets addresses in memory may use any section. So it ends the search, and sections not touched so
 * far become RT_TOUCH_UNKNOWN. */
void rt_sections_check_syscall(struct rt_page_guard *guard, long number, const greg_t *registers)
{
    const int arguments[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
    const bool lists = number == SYS_readv || number == SYS_writev || number == SYS_preadv || number == SYS_pwritev ||
                       number == SYS_sendmsg || number == SYS_recvmsg || number == SYS_process_vm_readv ||
                       number == SYS_process_vm_writev || number == SYS_ioctl;
    if (lists)
        rt_sections_end(guard);
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++)
        rt_section_handle_touch(guard, (uint64_t)registers[arguments[i]]);
}

/* Marks all sections as not touched, and protects them. */
void rt_sections_begin(struct rt_page_guard *guard)
{
    for (size_t i = 0; i < guard->nsections; i++)
        guard->sections[i].touch = RT_TOUCH_NONE;
    rt_sections_protect(guard);
}

/* Protects the sections that the kernel has not touched. */
void rt_sections_protect(struct rt_page_guard *guard)
{
    for (size_t i = 0; i < guard->nsections; i++)
        if (guard->sections[i].touch == RT_TOUCH_NONE)
            protect_section(&guard->sections[i]);
}

/* Opens the sections that are protected. */
void rt_sections_unprotect(struct rt_page_guard *guard)
{
    for (size_t i = 0; i < guard->nsections; i++)
        if (guard->sections[i].protected)
            open_section(guard, &guard->sections[i]);
}

/* Ends the search: opens all sections; those not touched so far become RT_TOUCH_UNKNOWN. */
void rt_sections_end(struct rt_page_guard *guard)
{
    rt_sections_unprotect(guard);
    for (size_t i = 0; i < guard->nsections; i++)
        if (guard->sections[i].touch == RT_TOUCH_NONE)
            guard->sections[i].touch = RT_TOUCH_UNKNOWN;
}
