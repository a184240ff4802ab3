/* unmatched.c - pointers that are null on the device, because nothing present matches them
 * (OMP60-map-10). They are noted as a construct makes them null, so that the error of a kernel that
 * follows one has their names. */
#include "abi/program/base/runtime.h"
#include "abi/program/base/text.h"
#include "unmatched.h"
#include "watch.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 32 };

/* Arguments of kernels under way: what the pointers point to on the host. */
static struct argument {
    const struct goacc_site *site;
    const void *target;
} arguments[MOST];
static unsigned narguments;

/* Pointers in present objects, the last ones: each may have got another value since. */
static struct slot {
    int device;
    const void *host;
    const struct goacc_site *site; /* of the kernel under way that it is for; NULL: of none */
} slots[MOST];
static unsigned nslots;

void goacc_note_unmatched_argument(const void *target)
{
    if (narguments < MOST)
        arguments[narguments++] = (struct argument){goacc.site, target};
}

void goacc_note_unmatched_slot(int device, const void *host)
{
    const struct goacc_site *site = goacc_is_kernel(goacc.site->what) ? goacc.site : NULL;
    for (unsigned i = 0; i < MOST; i++)
        if (slots[i].host == host && slots[i].device == device) {
            slots[i].site = site;
            return;
        }
    slots[nslots++ % MOST] = (struct slot){device, host, site};
}

void goacc_forget_unmatched(const struct goacc_site *site)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < narguments; i++)
        if (arguments[i].site != site)
            arguments[kept++] = arguments[i];
    narguments = kept;
    for (unsigned i = 0; i < MOST; i++)
        if (slots[i].site == site)
            slots[i].site = NULL;
}

/* Whether a pointer is null on the device, and not on the host. */
static bool is_null(const struct slot *slot)
{
    const uint64_t device =
        slot->host ? accd_device_address(goacc.context, slot->device, slot->host) : 0;
    uint64_t there, here;
    return device && goacc_peek(device, (char *)&there, sizeof there) && !there &&
           goacc_peek((uintptr_t)slot->host, (char *)&here, sizeof here) && here;
}

struct names {
    struct goacc_text text, sections;
    char first[160];
    unsigned n;
};

/* One more name, once, and a section of the pointer; "": not known. */
static void add_name(struct names *names, const char *name, const char *section)
{
    char known[300];
    snprintf(known, sizeof known, "%s%.290s", names->n ? " and " : "", name);
    if (names->n && (strstr(names->text.at, known) || !strcmp(names->first, name)))
        return;
    if (!names->n++)
        snprintf(names->first, sizeof names->first, "%s", name);
    goacc_text(&names->text, "%s", known);
    if (*section)
        goacc_text(&names->sections, "%s%s", names->sections.n ? ", " : "", section);
}

/* An argument, which points to an address of the host. */
static void add_argument(struct names *names, const struct goacc_site *site, uint64_t target)
{
    struct goacc_name name;
    char section[160] = "";
    if (goacc_name_of(site, target, 0, &name))
        snprintf(section, sizeof section, "%s%s", name.name, name.fortran ? "" : "[0:n]");
    else
        snprintf(name.name, sizeof name.name, "to %p", (void *)(uintptr_t)target);
    add_name(names, name.name, section);
}

static void add_slot(struct names *names, const struct goacc_site *site, uintptr_t construct,
                     const struct slot *slot)
{
    struct goacc_pointer pointer;
    const bool own = slot->site && goacc_construct(slot->site) == construct;
    goacc_spell_pointer(own ? slot->site : site, slot->device, (uintptr_t)slot->host, &pointer);
    add_name(names, pointer.name, pointer.section);
}

/* False: no pointer is known. */
static bool tell_unmatched(uintptr_t construct, int device, uintptr_t pc, const char *region)
{
    struct names names = {.n = 0};
    const struct goacc_site *site = goacc.site;
    const char *required = goacc_required_memory(pc);
    char help[800];
    for (unsigned i = 0; i < narguments; i++)
        if (goacc_construct(arguments[i].site) == construct) {
            site = arguments[i].site;
            add_argument(&names, site, (uintptr_t)arguments[i].target);
        }
    for (unsigned i = 0; i < MOST; i++)
        if (slots[i].device == device && is_null(&slots[i]))
            add_slot(&names, site, construct, &slots[i]);
    if (!names.n)
        return false;
    const bool one = names.n == 1;
    snprintf(help, sizeof help, "map a section of %s%s%.500s%s%s%s", one ? "it" : "each",
             names.sections.n ? ": " : "", names.sections.at,
             required ? "; the program requires " : "", required ? required : "",
             required ? ", but devices have memory of their own here" : "");
    goacc_find(
        &(struct goacc_finding){
            .level = "error",
            .code = "null-pointer",
            .rule = "OMP60-map-10",
            .pc = pc,
            .object = one ? names.first : NULL,
            .help = help,
        },
        "the pointer%s %s %s null on device %d: what %s on the host is not present; %s follows %s",
        one ? "" : "s", names.text.at, one ? "is" : "are", device,
        one ? "it points to" : "they point to", region, one ? "it" : "one of them");
    return true;
}

bool goacc_tell_null(uintptr_t construct, int device, uint64_t address, uintptr_t pc,
                     const char *region)
{
    const uint64_t low = (uint64_t)1 << 32; /* elements of a null pointer may lie up to low */
    if (address < low && tell_unmatched(construct, device, pc, region))
        return true;
    if (address >= GOACC_PAGE)
        return false;
    goacc_find(
        &(struct goacc_finding){
            .level = "error",
            .code = "null-pointer",
            .rule = "ACC33-gloss-2",
            .pc = pc,
            .help = "set the pointer before the construct, or do not follow it in the region",
        },
        "%s follows a null pointer", region);
    return true;
}
