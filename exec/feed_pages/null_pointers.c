/* null_pointers.c - pointers that are null on the device, because the data that they point to are not present
 * (OMP60-map-10). They are recorded when a construct makes them null, so that the report about a kernel that follows
 * such a pointer can name it. */
#include "base/kernel.h"
#include "base/runtime.h"
#include "diag/diagnostics.h"
#include "diag/source_lines.h"
#include "diag/symbolize.h"
#include "guard/page_guard.h"
#include "lib/text_buffer.h"
#include "null_pointers.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { NULLED_MAX = 32 };

/* Pointers that kernels under way got as null arguments: the construct of the kernel, and the pointer's value
 * on the host. */
static struct argument {
    const struct rt_site *site;
    const void *target;
} nulled_arguments[NULLED_MAX];
static unsigned nnulled_arguments;

/* Ring of the pointers in present objects that were last made null on the device. A pointer may have got
 * another value since. */
static struct slot {
    int device;
    const void *host;
    /* construct that made the pointer null, while its kernel runs; NULL: no kernel, or the kernel has ended */
    const struct rt_site *site;
} nulled_pointers[NULLED_MAX];
static unsigned nnulled_pointers;

/* Records a null argument of the current construct's kernel; ignored if NULLED_MAX are recorded. */
void rt_record_nulled_argument(const void *target)
{
    assert(rt.site);
    if (nnulled_arguments < NULLED_MAX)
        nulled_arguments[nnulled_arguments++] = (struct argument){rt.site, target};
}

/* Records the pointer at host address `host`, which becomes null on the device. A pointer without an entry
 * takes the place of the oldest entry. */
void rt_record_nulled_pointer(int device, const void *host)
{
    assert(rt.site);
    const struct rt_site *site = rt_is_kernel_construct(rt.site->construct_name) ? rt.site : NULL;
    for (unsigned i = 0; i < NULLED_MAX; i++)
        if (nulled_pointers[i].host == host && nulled_pointers[i].device == device) {
            nulled_pointers[i].site = site;
            return;
        }
    nulled_pointers[nnulled_pointers++ % NULLED_MAX] = (struct slot){device, host, site};
}

/* Removes the null arguments of a construct, and the construct from the recorded pointers, because `site`
 * does not outlive the kernel. */
void rt_forget_nulled_pointers(const struct rt_site *site)
{
    unsigned narguments = 0;
    for (unsigned i = 0; i < nnulled_arguments; i++)
        if (nulled_arguments[i].site != site)
            nulled_arguments[narguments++] = nulled_arguments[i];
    nnulled_arguments = narguments;
    for (unsigned i = 0; i < NULLED_MAX; i++)
        if (nulled_pointers[i].site == site)
            nulled_pointers[i].site = NULL;
}

/* Returns true if a recorded pointer is null on the device, but not on the host. False if the pointer is not
 * present, or cannot be read on one side. */
static bool is_null_on_device(const struct slot *slot)
{
    const uint64_t device = slot->host ? accd_device_address(rt.context, slot->device, slot->host) : 0;
    uint64_t device_value, host_value;
    return device && rt_peek_memory(device, (char *)&device_value, sizeof device_value) && !device_value &&
           rt_peek_memory((uintptr_t)slot->host, (char *)&host_value, sizeof host_value) && host_value;
}

/* Names of the null pointers, joined by "and", and sections of their targets for the help. n: number of pointers. */
struct names {
    struct rt_text_buffer text, sections;
    char first[160];
    unsigned n;
};

/* Adds the name of a pointer, unless the name is in the list already, and a section of its target. section "": no
 * section is known. */
static void add_pointer_name(struct names *names, const char *name, const char *section)
{
    assert(name && section);
    char list_entry[300];
    snprintf(list_entry, sizeof list_entry, "%s%.290s", names->n ? " and " : "", name);
    if (names->n && (strstr(names->text.at, list_entry) || !strcmp(names->first, name)))
        return;
    if (!names->n++)
        snprintf(names->first, sizeof names->first, "%s", name);
    rt_text_append(&names->text, "%s", list_entry);
    if (*section)
        rt_text_append(&names->sections, "%s%s", names->sections.n ? ", " : "", section);
}

/* Adds an argument that points to the host address `target`, by the name that `site` has for the target, or by the
 * address. */
static void add_argument(struct names *names, const struct rt_site *site, uint64_t target)
{
    struct accd__debug_name name;
    char section[160] = "";
    if (rt_find_name(site, target, 0, &name))
        snprintf(section, sizeof section, "%s%s", name.name, name.fortran ? "" : "[0:n]");
    else
        snprintf(name.name, sizeof name.name, "to %p", (void *)(uintptr_t)target);
    add_pointer_name(names, name.name, section);
}

/* Adds a pointer in a present object to the names. If the construct that made the pointer null is
 * `construct`, its site names the pointer; otherwise `site` does. */
static void add_nulled_pointer(struct names *names, const struct rt_site *site, uintptr_t construct,
                               const struct slot *slot)
{
    struct rt_pointer_name pointer;
    const bool in_construct = slot->site && rt_construct_id(slot->site) == construct;
    rt_format_pointer(in_construct ? slot->site : site, slot->device, (uintptr_t)slot->host, &pointer);
    add_pointer_name(names, pointer.name, pointer.section);
}

/* Returns where the compute or target region of a construct begins. */
static struct rt_region_begin get_region(uintptr_t construct)
{
    const char *kind = rt_kernel_kind(construct);
    return (struct rt_region_begin){.kind = kind, .pc = kind ? construct & ~RT_TARGET_BIT : 0};
}

/* Reports all recorded null pointers that the kernel of `construct` may use on `device`, in one diagnostic.
 * Returns false, without a report, if there is no such pointer. pc: address of the access in the kernel. */
static bool report_nulled_pointers(uintptr_t construct, int device, uintptr_t pc)
{
    struct names names = {.n = 0};
    const struct rt_site *site = rt.site;
    const char *required = rt_find_requires_clause(pc);
    char help[800];
    for (unsigned i = 0; i < nnulled_arguments; i++)
        if (rt_construct_id(nulled_arguments[i].site) == construct) {
            site = nulled_arguments[i].site;
            add_argument(&names, site, (uintptr_t)nulled_arguments[i].target);
        }
    for (unsigned i = 0; i < NULLED_MAX; i++)
        if (nulled_pointers[i].device == device && is_null_on_device(&nulled_pointers[i]))
            add_nulled_pointer(&names, site, construct, &nulled_pointers[i]);
    if (!names.n)
        return false;
    const bool is_single = names.n == 1;
    snprintf(help, sizeof help, "map a section of %s%s%.500s%s%s%s", is_single ? "it" : "each",
             names.sections.n ? ": " : "", names.sections.at, required ? "; the program requires " : "",
             required ? required : "", required ? ", but devices have memory of their own here" : "");
    rt_emit_diagnostic(
        &(struct rt_diagnostic){
            .level = "error",
            .code = "null-pointer",
            .rule = "OMP60-map-10",
            .pc = pc,
            .object = is_single ? names.first : NULL,
            .region = get_region(construct),
            .help = help,
        },
        "the pointer%s %s %s null on device %d: what %s on the host is not present", is_single ? "" : "s",
        names.text.at, is_single ? "is" : "are", device, is_single ? "it points to" : "they point to");
    return true;
}

/* Reports the recorded null pointers for an address below 4 GB; without such pointers, reports an access to
 * the first page. Returns false, without a report, for other addresses. */
bool rt_report_null_pointer(uintptr_t construct, int device, uint64_t address, uintptr_t pc, const char *actor)
{
    /* address (4 GB) below which elements of an array at a null pointer are expected */
    const uint64_t low = (uint64_t)1 << 32;
    if (address < low && report_nulled_pointers(construct, device, pc))
        return true;
    if (address >= RT_PAGE_SIZE)
        return false;
    rt_emit_diagnostic(
        &(struct rt_diagnostic){
            .level = "error",
            .code = "null-pointer",
            .rule = "ACC33-gloss-2",
            .pc = pc,
            .region = get_region(construct),
            .help = "set the pointer before the construct, or do not follow it in the region",
        },
        "%s follows a null pointer", actor);
    return true;
}
