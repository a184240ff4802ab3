/* sections.c - which sections of device memory a watched kernel touches: each is closed until it does. */
#include "watching.h"

#include <sys/mman.h>

static void protect(struct goacc_section *section, bool closed)
{
    const uint64_t low = section->start & ~(uint64_t)(GOACC_PAGE - 1),
                   high = goacc_whole_pages((long)(section->start + section->bytes));
    goacc_system(SYS_mprotect, (long)low, (long)(high - low), closed ? PROT_NONE : PROT_READ | PROT_WRITE, 0, 0, 0);
    section->closed = closed;
}

static bool meets(const struct goacc_section *section, uint64_t start, uint64_t end)
{
    return section->closed && (start & ~(uint64_t)(GOACC_PAGE - 1)) < section->start + section->bytes &&
           section->start < goacc_whole_pages((long)end);
}

/* Opens a section, and others that have a page with it: of those nothing is known then. */
static void open_section(struct goacc_watch *watch, struct goacc_section *section)
{
    protect(section, false);
    for (size_t i = 0; i < watch->nsections; i++)
        if (meets(&watch->sections[i], section->start, section->start + section->bytes)) {
            watch->sections[i].touch = GOACC_MAY_TOUCH;
            open_section(watch, &watch->sections[i]);
        }
}

bool goacc_sections_touched(struct goacc_watch *watch, uint64_t address)
{
    bool found = false;
    for (size_t i = 0; i < watch->nsections; i++) {
        struct goacc_section *section = &watch->sections[i];
        if (!meets(section, address, address + 1))
            continue;
        section->touch = address - section->start < section->bytes ? GOACC_TOUCHES : GOACC_MAY_TOUCH;
        section->at = address;
        open_section(watch, section);
        found = true;
    }
    return found;
}

/* A system call is given an address in a section, or addresses in memory. */
void goacc_sections_called(struct goacc_watch *watch, long number, const greg_t *registers)
{
    const int arguments[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
    const bool lists = number == SYS_readv || number == SYS_writev || number == SYS_preadv || number == SYS_pwritev ||
                       number == SYS_sendmsg || number == SYS_recvmsg || number == SYS_process_vm_readv ||
                       number == SYS_process_vm_writev || number == SYS_ioctl;
    if (lists)
        goacc_sections_end(watch);
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++)
        goacc_sections_touched(watch, (uint64_t)registers[arguments[i]]);
}

void goacc_sections_begin(struct goacc_watch *watch)
{
    for (size_t i = 0; i < watch->nsections; i++)
        watch->sections[i].touch = GOACC_UNTOUCHED;
    goacc_sections_close(watch);
}

void goacc_sections_close(struct goacc_watch *watch)
{
    for (size_t i = 0; i < watch->nsections; i++)
        if (watch->sections[i].touch == GOACC_UNTOUCHED)
            protect(&watch->sections[i], true);
}

void goacc_sections_open(struct goacc_watch *watch)
{
    for (size_t i = 0; i < watch->nsections; i++)
        if (watch->sections[i].closed)
            protect(&watch->sections[i], false);
}

void goacc_sections_end(struct goacc_watch *watch)
{
    goacc_sections_open(watch);
    for (size_t i = 0; i < watch->nsections; i++)
        if (watch->sections[i].touch == GOACC_UNTOUCHED)
            watch->sections[i].touch = GOACC_MAY_TOUCH;
}
