/* The history of unmapped objects against a list of all that were unmapped: which one contained a range last. */
#include "../tap.h"
#include "random.h"

#include <base/runtime.h>
#include <diag/object_history.h>
#include <diag/source_lines.h>
#include <diag/symbolize.h>
#include <lib/text_buffer.h>

enum { RECORDS = 3000, KEPT = 256, SPACE = 4000, DEVICES = 2, LOOKUPS = 20 };
static const uint64_t HOST = 1 << 20, DEVICE = 1 << 24; /* where host and device memory begin */

/* The present object, which the tested file asks for; bytes 0: none. */
static struct {
    uint64_t host, dev, bytes;
    int device;
} present;

int accd_present_at(accd_context *context, int device, uint64_t address, int in_device, accd_present_object *present_p)
{
    (void)context;
    if (!present.bytes || device != present.device ||
        address - (in_device ? present.dev : present.host) >= present.bytes)
        return 0;
    *present_p = (accd_present_object){.info = {.host = present.host, .bytes = present.bytes}, .dev = present.dev};
    return 1;
}

/* Needed by functions of the tested file that this test does not call. */
int accd_device_count(const accd_context *context)
{
    (void)context;
    return DEVICES;
}
accd_presence accd_get_presence(accd_context *context, int device, const void *host, uint64_t bytes)
{
    (void)context, (void)device, (void)host, (void)bytes;
    return ACCD_PRESENCE_NONE;
}
int accd_present_next(accd_context *context, int device, uint64_t *at, accd_present_object *present_p)
{
    (void)context, (void)device, (void)at, (void)present_p;
    return 0;
}
bool rt_is_same_variable(const char *a, const char *b)
{
    return !strcmp(a, b);
}
bool rt_format_name(const struct rt_site *site, uint64_t host, uint64_t bytes, char *to, size_t capacity)
{
    (void)site, (void)host, (void)bytes, (void)to, (void)capacity;
    return false;
}

/* A line is the return address itself; 0: not known. */
bool rt_find_line(uintptr_t pc, const char **file_p, int *line_p, const char **function_p)
{
    (void)function_p;
    *file_p = pc ? "a.c" : NULL;
    *line_p = (int)pc;
    return pc;
}
struct rt_display_name rt_get_display_name(const accd_object_info *object)
{
    struct rt_display_name display = {.file = object->file, .line = object->line};
    snprintf(display.name, sizeof display.name, "%s", object->name);
    return display;
}
struct rt_related_location rt_get_mapped_location(const accd_object_info *object)
{
    return (struct rt_related_location){"mapped", object->file, object->line};
}

/* The model: all records, the newest last; those before `forgotten` count no more. */
static struct {
    uint64_t host, dev, bytes;
    int device;
} records[RECORDS];
static size_t n, forgotten;

static size_t get_first_record(void)
{
    return n > forgotten + KEPT ? n - KEPT : forgotten;
}

/* Returns the number of the record that the history must find for a range; RECORDS: none. */
static size_t find_range(int device, uint64_t host, uint64_t bytes)
{
    size_t part = RECORDS;
    for (size_t i = n; i-- > get_first_record();) {
        if (records[i].device != device)
            continue;
        if (host >= records[i].host && host + bytes <= records[i].host + records[i].bytes)
            return i;
        if (part == RECORDS && host < records[i].host + records[i].bytes && records[i].host < host + bytes)
            part = i;
    }
    return part;
}

/* Returns the number of the record whose device memory contained an address and is not used again; RECORDS: none. */
static size_t find_memory(uint64_t address)
{
    for (size_t i = n; i-- > get_first_record();) {
        const bool is_used = present.bytes && present.device == records[i].device &&
                             records[i].dev - present.dev < present.bytes;
        if (address - records[i].dev < records[i].bytes && !is_used)
            return i;
    }
    return RECORDS;
}

/* Maps and unmaps an object, often at an address where others were. */
static void unmap_object(void)
{
    const struct rt_site site = {.call = {.pc = n + 1}};
    present.host = HOST + pick(SPACE);
    present.dev = DEVICE + pick(SPACE);
    present.bytes = 1 + pick(200);
    present.device = (int)pick(DEVICES);
    rt.site = &site;
    rt_record_unmapped_object(present.device, present.host + pick(present.bytes));
    rt_record_unmapped_object(present.device, HOST + SPACE + 1000); /* is not present */
    rt.site = NULL;
    records[n].host = present.host;
    records[n].dev = present.dev;
    records[n].bytes = present.bytes;
    records[n++].device = present.device;
}

/* Returns true if the history has found the record number i; RECORDS: none. */
static bool is_record(const struct rt_unmapped_object *found, size_t i)
{
    return i == RECORDS ? !found
                        : found && found->pc == i + 1 && found->info.host == records[i].host &&
                              found->dev == records[i].dev && found->device == records[i].device;
}

int main(void)
{
    size_t nfound = 0;
    while (n < RECORDS) {
        unmap_object();
        if (!pick(500)) {
            rt_forget_unmapped_objects();
            forgotten = n;
        }
        for (size_t i = 0; i < LOOKUPS; i++) {
            const uint64_t host = HOST + pick(SPACE), address = DEVICE + pick(SPACE), bytes = 1 + pick(300);
            const int device = (int)pick(DEVICES);
            const size_t in_range = find_range(device, host, bytes), in_memory = find_memory(address);
            must(is_record(rt_find_unmapped_object(device, host, bytes), in_range), "record %zu of a range", in_range);
            must(is_record(rt_find_unmapped_memory(address), in_memory), "record %zu of an address", in_memory);
            nfound += in_range < RECORDS && in_memory < RECORDS;
        }
    }
    ok(nfound > RECORDS, "%zu lookups find an object", nfound);
    ok(!tap_failed, "the newest object is found that contained a range, or a part of it");
    return done();
}
