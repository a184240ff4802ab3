/* reports.c - reports of wrong accesses and transfers in programs compiled for checking, in terms of the program.
 * Called by access.c, transfer.c, pending_transfers.c and device_races.c, with the lock. */
#include "base/kernel.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "image/declared.h"
#include "findings.h"
#include "host_access.h"
#include "shadow.h"

#include <assert.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

/* --------------------------------------------------------------------------------- last write -- */

/* Search for a code address of which only the low half is known, the origin of a write. address: the result; 0: not
 * found. */
struct search {
    uint32_t origin;
    uintptr_t address;
};

/* Callback of dl_iterate_phdr: sets search->address (`arg`) if the executable code of a module contains an address with
 * the low half search->origin. Returns 1 when found, 0 otherwise. */
static int match_module_code(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *search = arg;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uintptr_t low = info->dlpi_addr + segment->p_vaddr;
        const uint32_t offset = search->origin - (uint32_t)low;
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && offset < segment->p_memsz)
            search->address = low + offset;
    }
    return search->address != 0;
}

/* Returns the location of the write that an origin (low half of its return address) stands for; `file` NULL: the line
 * is not known. */
struct rt_related_location rt_find_writer(uint32_t origin)
{
    struct rt_related_location related = {.event = "written"};
    struct search search = {.origin = origin};
    if (origin)
        dl_iterate_phdr(match_module_code, &search);
    if (search.address)
        rt_find_line(search.address, &related.file, &related.line, NULL);
    return related;
}

/* -------------------------------------------------------------------------------------- names -- */

const char rt_mpi_transfer[] = "a message";

/* Returns who makes the current access: the region of the thread's kernel ("the compute region"), an MPI message, or
 * the host. The words are valid until the next call. */
static const char *get_actor(void)
{
    static char region[60];
    if (!rt_kernel_site)
        return rt.site && rt.site->construct_name == rt_mpi_transfer ? rt_mpi_transfer : "the host";
    snprintf(region, sizeof region, "the %s region", rt_kernel_site->construct_name);
    return region;
}

/* Names for a report: of the accessed object, and of its accessed element, such as "a[5] of ...". An empty name is not
 * known. */
struct named_element {
    struct rt_display_name object;
    char element[340];
};

/* Returns the site of an access, named `construct_name`; call.pc is 0 if the access is NULL or has no frame. */
struct rt_site rt_get_access_site(const struct rt_access *access, const char *construct_name)
{
    struct rt_site site = {.construct_name = construct_name};
    if (access && access->frame) {
        site.call = (struct accd__debug_call_frame){access->pc, (uintptr_t)(access->frame + 2), access->frame[0]};
        rt_unwind_to_program(&site.call);
    }
    return site;
}

/* Returns the function of the program that makes an access, as a site with the name "access". call.pc is 0 if the
 * access is NULL or has no frame. */
static struct rt_site get_site(const struct rt_access *access)
{
    return rt_get_access_site(access, "access");
}

/* Returns the return address of an access in the program's own code, or that of the access itself if the function is
 * not known. */
uintptr_t rt_get_access_pc(const struct rt_access *access)
{
    const struct rt_site site = get_site(access);
    return site.call.pc ? site.call.pc : access->pc;
}

/* Returns the site whose debug information has the names for an access. That is the construct of the thread's kernel,
 * or outside of kernels the accessing function `site`. If this function is not known (call.pc 0), returns the call
 * under way, which may be NULL. */
static const struct rt_site *get_naming_site(const struct rt_site *site)
{
    return rt_kernel_site ? rt_kernel_site : site->call.pc ? site : rt.site;
}

/* Returns true if all accessed bytes that differ between the sides are known to be padding. */
static bool differs_in_padding(const struct rt_access *access, const struct rt_mapping *mapping)
{
    const struct rt_site site = get_site(access);
    const uint64_t other = rt_other_side(mapping, access->at),
                   host = rt_is_in_device_space(access->at) ? other : access->at;
    const unsigned char *content = rt_get_content_address(access->at), *other_content = rt_get_content_address(other);
    for (uint64_t i = 0; i < access->n && host + i < mapping->host + mapping->bytes; i++)
        if (content[i] != other_content[i] &&
            !rt_is_padding(get_naming_site(&site), mapping->host, mapping->bytes, host + i - mapping->host))
            return false;
    return true;
}

/* Writes the names of the object and of the element that contains `at`, a host or device address, to *names. access:
 * gives the names' site, may be NULL. Both names are empty if the object is not present any more. */
static void name_element(const struct rt_access *access, const struct rt_mapping *mapping, uint64_t at,
                         struct named_element *names)
{
    const struct rt_site site = get_site(access);
    accd_present_object object;
    const uint64_t host = rt_is_in_device_space(at) ? rt_other_side(mapping, at) : at;
    memset(names, 0, sizeof *names);
    if (!accd_present_at(rt.context, mapping->device, mapping->host, 0, &object))
        return;
    names->object = rt_get_display_name(&object.info);
    rt_format_element(get_naming_site(&site), mapping->host, mapping->bytes, host - mapping->host, names->object.name,
                      names->element, sizeof names->element);
}

/* Lost change: data that were unmapped while the host's bytes were old, or were a copy of device memory that was never
 * written. */
struct lost_change {
    uint64_t host, bytes;
    uint32_t origin;  /* origin of the lost change; 0: the device memory was never written */
    uintptr_t pc;     /* return address of the construct that unmapped the data */
    uintptr_t region; /* return address of the data region whose end unmapped the data; 0: no region's end did */
    char name[RT_NAME_SIZE];
};
enum { LOST_CHANGES = 4096 };
/* Ring of LOST_CHANGES entries; the index of the next entry is nlost_changes % LOST_CHANGES. */
static struct lost_change *lost_changes;
static size_t nlost_changes;

/* Records the data of a free event as lost changes, in place of the oldest entry; does nothing without memory. */
void rt_record_lost_change(const accd_event *event, uint32_t origin)
{
    assert(event);
    accd_object_info info = {.host = event->host, .bytes = event->bytes};
    if (!lost_changes)
        lost_changes = calloc(LOST_CHANGES, sizeof *lost_changes);
    if (!lost_changes)
        return;
    struct lost_change *entry = &lost_changes[nlost_changes++ % LOST_CHANGES];
    snprintf(info.name, sizeof info.name, "%s", event->name);
    const bool ends = rt.site && rt.site->is_region_end && rt_this_thread.nregions;
    *entry = (struct lost_change){event->host,
                                  event->bytes,
                                  origin,
                                  rt.site ? rt.site->call.pc : 0,
                                  ends ? rt_this_thread.regions[rt_this_thread.nregions - 1].pc : 0,
                                  ""};
    snprintf(entry->name, sizeof entry->name, "%s", rt_get_display_name(&info).name);
}

/* Returns the newest recorded lost change that contains the host address `at`; NULL if there is none. */
static struct lost_change *find_lost_change(uint64_t at)
{
    for (size_t i = 0; i < LOST_CHANGES && i < nlost_changes; i++) {
        struct lost_change *entry = &lost_changes[(nlost_changes - 1 - i) % LOST_CHANGES];
        if (at - entry->host < entry->bytes)
            return entry;
    }
    return NULL;
}

/* Writes the name of the element of lost data that contains the host address `at`, which must lie in `entry`. */
static void format_lost_element(const struct rt_access *access, struct lost_change *entry, uint64_t at, char *to,
                                size_t capacity)
{
    assert(at - entry->host < entry->bytes);
    const struct rt_site site = get_site(access);
    rt_format_element(access->frame ? &site : NULL, entry->host, entry->bytes, at - entry->host, entry->name, to,
                      capacity);
}

/* Writes the names of an element in host memory that is not present to *names. entry: lost change that contains `at`;
 * NULL: none is known, and the name is that of the accessed range. */
static void name_host_element(const struct rt_access *access, struct lost_change *entry, uint64_t at,
                              struct named_element *names)
{
    const struct rt_site site = get_site(access);
    memset(names, 0, sizeof *names);
    if (entry) {
        format_lost_element(access, entry, at, names->element, sizeof names->element);
        snprintf(names->object.name, sizeof names->object.name, "%s", entry->name);
        return;
    }
    rt_format_name(access->frame ? &site : NULL, at, access->n, names->object.name, sizeof names->object.name);
    snprintf(names->element, sizeof names->element, "%s", names->object.name);
}

/* Returns a warning with a code and a rule, both possibly NULL, about an access; access NULL: about the call under way.
 * It refers to *names, which must live as long; empty names are left out. other: related location. */
static struct rt_diagnostic make_diagnostic(const struct rt_access *access, const char *code, const char *rule,
                                            const struct named_element *names, struct rt_related_location other)
{
    assert(names);
    return (struct rt_diagnostic){
        .level = "warning",
        .code = code,
        .rule = rule,
        .pc = access    ? rt_get_access_pc(access)
              : rt.site ? rt.site->call.pc
                        : 0,
        .object = *names->object.name ? names->object.name : NULL,
        .element = *names->element ? names->element : NULL,
        .region = rt_get_kernel_region(rt_kernel_site),
        .other = other,
    };
}

/* Returns the location where the named object was mapped; its file is NULL if not known. */
static struct rt_related_location get_mapping_location(const struct named_element *names)
{
    return (struct rt_related_location){"mapped", names->object.file, names->object.line};
}

/* -------------------------------------------------------------------------------------- reads -- */

static const char uninitialized_read[] = "uninitialized-read", stale_data[] = "stale-data",
                  missing_wait[] = "missing-wait", out_of_bounds[] = "out-of-bounds";

/* Ring of the last reports. A later access of the same instruction (pc) to the same object is only counted as a
 * repetition, which saves the search for names. The ring has several entries, because an unrolled loop makes its
 * accesses at several addresses. location: return address in the program's own code; start: host address of the object.
 */
static struct recent_report {
    const char *code;
    uintptr_t pc, location;
    uint64_t start;
    char object[160];
} recent_reports[16];
static unsigned nrecent_reports;

/* Returns the recent report of an access with return address `pc`; NULL if none is in the ring. */
static struct recent_report *find_recent_report(uintptr_t pc)
{
    enum { ROOM = sizeof recent_reports / sizeof recent_reports[0] };
    for (unsigned i = 0; i < ROOM; i++)
        if (recent_reports[i].pc == pc)
            return &recent_reports[i];
    return NULL;
}

/* Returns true, and counts a repetition, if the access has a recent report with this code for the same object. False
 * for mapping NULL. */
static bool is_repeated(const char *code, const struct rt_access *access, const struct rt_mapping *mapping)
{
    const struct recent_report *report = find_recent_report(access->pc);
    return mapping && report && report->code == code && report->start == mapping->host &&
           rt_count_duplicate(code, report->location, report->object);
}

/* Records a report in the ring, in place of the last one at the same return address or else the oldest. object: name of
 * the data. mapping NULL: later accesses do not count as repetitions. */
static void add_recent_report(const char *code, const struct rt_access *access, const struct rt_mapping *mapping,
                              const char *object)
{
    struct recent_report *report = find_recent_report(access->pc);
    if (!report)
        report = &recent_reports[nrecent_reports++ % (sizeof recent_reports / sizeof recent_reports[0])];
    report->code = mapping ? code : NULL;
    report->pc = access->pc;
    report->location = rt_get_access_pc(access);
    report->start = mapping ? mapping->host : 0;
    snprintf(report->object, sizeof report->object, "%s", object);
}

/* Writes the element of present data that contains the device byte `dev`, without the name of the data: "a[5] of ..."
 * gives "a[5]". Writes "" if the element has no name. */
static void format_byte(const struct rt_access *access, const struct rt_mapping *mapping, uint64_t dev, char *to,
                        size_t capacity)
{
    struct named_element names;
    name_element(access, mapping, dev, &names);
    snprintf(to, capacity, "%.*s", (int)(strstr(names.element, " of ") ? strcspn(names.element, " ") : 0),
             names.element);
}

/* Writes, as help text, which elements of a mapping have values on the device. Returns false if no element has one, or
 * if these elements are not contiguous or have no names; the text must not be used then. */
static bool format_written_elements(const struct rt_access *access, const struct rt_mapping *mapping, char *to,
                                    size_t capacity)
{
    uint64_t first = 0, last = 0, n = 0;
    char first_element[340], last_element[340];
    RT_FOR_EACH_GRANULE(granule, mapping->dev, mapping->bytes)
    {
        const uint32_t valid = rt_get_bytes_with_state(&granule, RT_VALID);
        if (!valid)
            continue;
        const uint64_t word = granule.at - granule.at % 8;
        first = first ? first : word + (uint64_t)__builtin_ctz(valid) / 4;
        last = word + (31 - (uint64_t)__builtin_clz(valid)) / 4;
        n += (uint64_t)__builtin_popcount(valid);
    }
    if (!first || last - first + 1 != n)
        return false;
    format_byte(access, mapping, first, first_element, sizeof first_element);
    format_byte(access, mapping, last, last_element, sizeof last_element);
    snprintf(to, capacity, "%s to %s have values on the device: write the others, too", first_element, last_element);
    return *first_element && *last_element;
}

/* Reports a read of bytes to which nothing was written, with the elements that have values if the data are present. */
void rt_report_uninitialized_read(const struct rt_access *access, uint64_t at, const struct rt_mapping *mapping)
{
    char written_elements[740], help[900], openmp[900];
    struct named_element names = {.element = "device memory"};
    struct lost_change *entry = mapping || rt_is_in_device_space(at) ? NULL : find_lost_change(at);
    if (is_repeated(uninitialized_read, access, mapping) ||
        (entry && rt_count_duplicate(uninitialized_read, rt_get_access_pc(access), entry->name)))
        return;
    if (mapping)
        name_element(access, mapping, at, &names);
    else if (!rt_is_in_device_space(at))
        name_host_element(access, entry, at, &names);
    add_recent_report(uninitialized_read, access, mapping, names.object.name);
    struct rt_diagnostic read = make_diagnostic(access, NULL, NULL, &names, get_mapping_location(&names));
    if (mapping && rt_is_in_device_space(at) &&
        format_written_elements(access, mapping, written_elements, sizeof written_elements)) {
        snprintf(help, sizeof help, "%s, or use copyin instead of create, copy instead of copyout", written_elements);
        snprintf(openmp, sizeof openmp, "%s, or map with to instead of alloc, tofrom instead of from",
                 written_elements);
        read.help = help;
        read.openmp = openmp;
    }
    if (!mapping) {
        read.help = rt_is_in_device_space(at)
                        ? "write the memory first, in a region or by a copy to the device"
                        : "let a region write all that is copied back, or use copy instead of copyout";
        read.openmp = rt_is_in_device_space(at)
                          ? read.help
                          : "let a region write all that is copied back, or map with tofrom instead of from";
    }
    rt_emit_uninitialized_read(read, get_actor(), rt_is_in_device_space(at));
}

/* Returns what an access does, as a verb. frees: it frees the memory. */
static const char *get_access_verb(const struct rt_access *access, bool frees)
{
    return frees ? "frees" : access->write ? "writes" : "reads";
}

/* Reports a race of an access with `earlier`, work of a queue or task, and the wait that is missing. frees: the access
 * frees the memory. is_write: the work wrote the byte. last: the byte's origin names the line of that write. */
void rt_report_race(const struct rt_access *access, bool frees, const struct rt_access_origin *earlier, bool is_write,
                    bool last)
{
    assert(rt_kernel_site || rt.site);
    const struct rt_site *site = rt_kernel_site ? rt_kernel_site : rt.site;
    const struct rt_granule granule = rt_get_granule(access->at, 1);
    char stream[60], actor[120];
    struct rt_mapping mapping;
    struct named_element names = {.element = "device memory"};
    const bool device = rt_is_in_device_space(access->at);
    const bool is_mapped = device ? rt_find_device_mapping(access->at, &mapping)
                                  : rt_find_mapping(rt_this_thread.device, access->at, &mapping);
    if (is_repeated(missing_wait, access, is_mapped ? &mapping : NULL))
        return;
    if (is_mapped)
        name_element(access, &mapping, access->at, &names);
    add_recent_report(missing_wait, access, is_mapped ? &mapping : NULL, names.object.name);
    rt_format_stream(rt_this_thread.epoch, stream, sizeof stream);
    snprintf(actor, sizeof actor, rt_is_kernel_construct(site->construct_name) ? "the %s region%s" : "%s%s",
             site->construct_name, stream);
    struct rt_related_location related = {0};
    if (is_write && last && device)
        related = rt_find_writer(*granule.origin);
    if (!related.file)
        rt_find_line(earlier->pc, &related.file, &related.line, NULL);
    related.event = is_write ? "written" : "read";
    rt_emit_missing_wait(make_diagnostic(access, NULL, frees ? "ACC33-async-4" : NULL, &names, related), actor,
                         get_access_verb(access, frees),
                         !is_mapped ? ""
                         : device   ? " on the device"
                                    : " on the host",
                         earlier, is_write ? "writes" : "reads");
}

/* Reports that the host reads, writes or frees (`frees`) memory of a pending transfer, for which it has not waited. */
void rt_report_missing_wait(const struct rt_access *access, bool frees, const struct rt_pending_transfer *transfer)
{
    const struct rt_site site = get_site(access);
    struct rt_related_location related = {.event = transfer->writes ? "written" : "read"};
    struct named_element names = {.object = transfer->display};
    if (rt_count_duplicate(missing_wait, rt_get_access_pc(access), names.object.name))
        return;
    const uint64_t at = access->at > transfer->host ? access->at : transfer->host;
    rt_format_element(&site, transfer->object, transfer->object_bytes, at - transfer->object, names.object.name,
                      names.element, sizeof names.element);
    rt_find_line(transfer->origin.pc, &related.file, &related.line, NULL);
    rt_emit_missing_wait(make_diagnostic(access, NULL, NULL, &names, related), "the host",
                         get_access_verb(access, frees), "", &transfer->origin, transfer->writes ? "writes" : "reads");
}

/* Returns true if the byte at `at`, a host or device address of a mapping, belongs to an attached pointer. */
static bool is_attached(const struct rt_mapping *mapping, uint64_t at)
{
    accd_attachment pointer;
    const uintptr_t host = rt_is_in_device_space(at) ? rt_other_side(mapping, at) : at;
    const void *slot = (const void *)(host - host % sizeof(void *));
    return accd_attachment_at(rt.context, mapping->device, slot, &pointer);
}

/* Reports a read of the old value at `at`, with the write on the other side that made it old and the directive that
 * would update it. origin: low half of the return address of that write. */
void rt_report_stale_read(const struct rt_access *access, uint64_t at, const struct rt_mapping *mapping,
                          uint32_t origin)
{
    struct named_element names;
    const bool device = rt_is_in_device_space(at);
    if (is_repeated(stale_data, access, mapping) || differs_in_padding(access, mapping))
        return;
    name_element(access, mapping, at, &names);
    add_recent_report(stale_data, access, mapping, names.object.name);
    struct rt_diagnostic read = make_diagnostic(access, NULL, NULL, &names, rt_find_writer(origin));
    if (is_attached(mapping, at)) {
        read.help = device ? "detach the pointer before the host changes it, and attach it afterwards: "
                             "update leaves attached pointers as they are"
                           : "set the pointer on the host, too: update leaves attached pointers as they are";
        read.openmp = device ? "unmap the pointer's section before the host changes the pointer, and map it "
                               "afterwards: target update leaves attached pointers as they are"
                             : "set the pointer on the host: target update leaves attached pointers as they are";
    }
    rt_emit_stale_data(read, get_actor(), "reads", device);
}

/* Reports a read of host memory whose newest value was lost when the device's data were unmapped. */
void rt_report_lost_change(const struct rt_access *access, uint64_t at)
{
    struct lost_change *entry = find_lost_change(at);
    struct named_element names;
    if (!entry || rt_count_duplicate(stale_data, rt_get_access_pc(access), entry->name))
        return;
    name_host_element(access, entry, at, &names);
    struct rt_diagnostic read = make_diagnostic(access, NULL, NULL, &names, rt_find_writer(entry->origin));
    read.further[0] = rt_get_related_location("end", entry->region);
    if (!read.further[0].file)
        read.further[0] = rt_get_related_location("unmapped", entry->pc);
    rt_emit_stale_after_unmap(read, get_actor());
}

/* Reports that the transfer of the call under way overwrites the newest value of the byte at `at` by an old one.
 * origin: low half of the return address of the write that made the newest value. */
void rt_report_overwritten_change(const struct rt_mapping *mapping, uint64_t at, uint32_t origin, const char *rule)
{
    struct named_element names;
    name_element(NULL, mapping, at, &names);
    rt_emit_overwritten_change(make_diagnostic(NULL, NULL, rule, &names, rt_find_writer(origin)),
                               rt_is_in_device_space(at));
}

/* ------------------------------------------------------------------------------------- bounds -- */

/* Stores in *mapping the present object nearest to a device address, on the kernel's device. Returns false if no object
 * is within 1 MB. */
static bool find_nearest_mapping(uint64_t at, struct rt_mapping *mapping)
{
    assert(rt_kernel_device >= 0);
    enum { NEAR = 1 << 20 };
    const int device = rt_kernel_device;
    uint64_t host = 0, best = NEAR, start, bytes;
    while (accd_present_overlapping(rt.context, device, &host, UINT64_MAX, &start, &bytes)) {
        const uint64_t dev = accd_device_address(rt.context, device, (const void *)(uintptr_t)start);
        const uint64_t distance = at < dev ? dev - at : at - (dev + bytes);
        if (distance >= best)
            continue;
        best = distance;
        *mapping = (struct rt_mapping){start, dev, bytes, device};
    }
    return best < NEAR;
}

/* Reports a kernel's access to unmapped data or beside the nearest object, and ends the program. */
void rt_report_access_out_of_bounds(const struct rt_access *access, uint64_t at)
{
    const char *actor = get_actor(), *verb = get_access_verb(access, false);
    struct rt_mapping mapping;
    if (rt_report_unmapped_access(rt_kernel_site ? rt_kernel_site : rt.site, actor, verb, at, rt_get_access_pc(access)))
        rt_exit_with_error();
    if (find_nearest_mapping(at, &mapping)) {
        struct named_element names;
        name_element(access, &mapping, at, &names);
        struct rt_diagnostic use =
            make_diagnostic(access, out_of_bounds, "ACC33-2.7.1-1", &names, get_mapping_location(&names));
        const accd_object_info object = {.host = mapping.host, .bytes = mapping.bytes};
        use.level = "error";
        use.help = rt_get_out_of_bounds_help(mapping.device, &object, (int64_t)(at - mapping.dev), names.object.name);
        rt_emit_diagnostic(&use, "%s %s %s, %s of the data on the device", actor, verb, names.element,
                           at < mapping.dev ? "before the beginning" : "after the end");
    } else {
        rt_report("error", out_of_bounds, "ACC33-2.7.1-1", rt_get_access_pc(access),
                  "%s %s %p, where no data are on the device", actor, verb, (void *)(uintptr_t)at);
    }
    rt_exit_with_error();
}

/* Reports a kernel's access to host memory, and ends the program. */
void rt_report_access_to_host(const struct rt_access *access)
{
    assert(rt_kernel_site);
    rt_report_host_access(rt_kernel_site, rt_kernel_device, get_actor(), get_access_verb(access, false), access->at,
                          rt_get_access_pc(access));
}

/* Reports the host's access to device memory, and ends the program. */
void rt_report_access_to_device(const struct rt_access *access)
{
    struct rt_mapping mapping;
    struct named_element names = {.element = ""};
    if (rt_find_device_mapping(access->at, &mapping))
        name_element(access, &mapping, access->at, &names);
    struct rt_diagnostic use =
        make_diagnostic(access, "device-pointer-on-host", "ACC33-hd-1", &names, (struct rt_related_location){0});
    use.level = "error";
    if (!*names.element) {
        use.help = "copy the memory to or from the host: acc_memcpy_from_device, acc_memcpy_to_device";
        use.openmp = "copy the memory to or from the host: omp_target_memcpy";
    }
    rt_emit_diagnostic(&use, "the host follows an address of device %d%s%s", accd_device_at(rt.context, access->at),
                       *names.element ? ", that of " : "", names.element);
    rt_exit_with_error();
}

/* Makes the reports of the program's end: unused data, and files that were not compiled for checking. Forgets the lost
 * changes. */
void rt_check_finish(void)
{
    nlost_changes = 0;
    rt_report_unused_data();
    rt_report_uninstrumented_objects();
}
