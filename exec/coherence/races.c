/* races.c - accesses to the same bytes that no wait orders, in strict runs (report missing-wait). All
 * functions need the lock.
 *
 * DATA. A list of pending accesses, the oldest first: accesses of asynchronous work that the host has not
 * waited for yet.
 *
 *      transfers   read bytes of one side, and write those of the other
 *      kernels     write the bytes that they change; may use a byte of each other section that their construct names
 *      exits       free device memory
 *
 * LIFE OF AN ACCESS. check_access compares it with each pending access that does not happen before it, and
 * reports the first byte of a race. Then the new access is appended, unless the host has waited for its
 * epoch. It is removed when the host waits for it, when a later access of its stream covers it, or when the
 * list is full.
 *
 * A transfer that changes no byte counts as one that reads both sides. A kernel may use any part of a section
 * (data that its construct names). So a race with the kernel is reported only if the other access writes or
 * frees the whole section. A kernel under the page guard that touched no byte of the section does not use it.
 * The host bytes of a transfer are copied, and compared with the copy when the host waits: the program must
 * not change them before. */
#include "base/compiler_facts.h"
#include "base/kernel.h"
#include "diag/diagnostics.h"
#include "diag/symbolize.h"
#include "guard/host_interval.h"
#include "guard/page_guard.h"
#include "image/member_pointers.h"
#include "findings.h"
#include "races.h"
#include "snapshots.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* most pending accesses; the oldest one is forgotten for a new one */
enum { PENDING_MAX = 4096 };
/* bytes of a chunk: a kernel that changes a byte in each chunk counts as writing all of the section */
enum { CHUNK = 16 };
static const uint64_t NONE = UINT64_MAX;

/* Kind of an access. USES: a kernel has used at least one byte; MAY_USE: a kernel may have used a byte, or none. */
enum access_kind { READS, WRITES, FREES, USES, MAY_USE };
static const char missing_wait[] = "missing-wait";
static const char *const verbs[] = {"reads", "writes", "frees", "uses", "may use"};

/* Access of asynchronous work or of the host to a range of bytes on one side. */
struct access {
    struct access *next;
    struct rt_access_origin origin;
    uint64_t thread; /* number of the calling host thread; accesses of different threads are never compared */
    enum access_kind kind;
    bool on_device;
    /* true if the access writes the values that the bytes have already: then it counts as a read */
    bool redundant;
    uint64_t start, bytes;
    uint64_t touched;    /* address of a byte that the kernel of a USES access has used for certain; 0: not known */
    unsigned char *bits; /* a bit for each byte, set if a kernel has changed the byte; NULL: all bytes are accessed */
    char *image;         /* copy of the host bytes after a transfer; NULL: not compared at the wait */
    /* host address of the byte at `start`; host address and size of the object that contains the byte */
    uint64_t host, object, object_bytes;
    char *name;
};
static struct access *pending, **end = &pending;
static size_t npending;

/* Number of kernels that run now, and a counter (`writers`) that increases when a kernel begins or a transfer
 * writes device memory. If the counter has increased since a kernel began, changed bytes may be those of the
 * other work. */
static unsigned nrunning;
static uint64_t writers;

/* Cache of pairs of a kernel (return address of its construct) and a section (host address) that the kernel's last
 * guarded run did not touch. A run that sampling skips is expected not to touch the section, either. */
static struct untouched_sections {
    uintptr_t pc;
    uint64_t host;
} untouched_sections[1 << 10];

/* Section that the construct of a thread's kernel names, with the device's bytes before the kernel. */
struct rt_kernel_section {
    struct rt_kernel_section *next;
    uint64_t writers; /* value of the counter `writers` as the kernel began; 0: another kernel was running */
    uint64_t host, dev, bytes;
    enum rt_touch touch;
    uint64_t at; /* address of the first touch, if `touch` is RT_TOUCHED */
    char image[];
};

/* Frees the copy of an access's host bytes, so that they are not compared at the wait. */
static void forget_image(struct access *access)
{
    free(access->image);
    access->image = NULL;
}

/* Frees an access that is out of the list already, and decrements npending. */
static void free_access(struct access *access)
{
    forget_image(access);
    free(access->bits);
    free(access->name);
    free(access);
    npending--;
}

/* Removes and frees the pending accesses for which is_meant(access, ud) returns true. */
static void remove_pending(bool (*is_meant)(const struct access *access, const void *ud), const void *ud)
{
    struct access **at = &pending, *access;
    while ((access = *at)) {
        if (!is_meant(access, ud)) {
            at = &access->next;
            continue;
        }
        *at = access->next;
        free_access(access);
    }
    end = at;
}

/* ----------------------------------------------------------------------------------- reports -- */

/* Writes the name of the element that contains the byte at `at`, an address in the access's range, to `to`,
 * and the name of the element's object to `object`. */
static void format_byte(const struct access *access, uint64_t at, char object[RT_NAME_SIZE], char *to, size_t size)
{
    snprintf(object, RT_NAME_SIZE, "%s", access->name);
    rt_format_element(rt.site, access->object, access->object_bytes,
                      access->host - access->object + (at - access->start), object, to, size);
}

/* Returns the diagnostic for a later access of the kind `kind` to the object `name`, by the construct with
 * the return address `pc`. The line of `earlier` becomes the related location. */
static struct rt_diagnostic make_race_diagnostic(const struct access *earlier, enum access_kind kind, uintptr_t pc,
                                                 const char *name)
{
    static const char *const event_names[] = {"read", "written", "freed", "used", "used"};
    struct rt_diagnostic diagnostic = {.level = "warning",
                                       .rule = kind == FREES ? "ACC33-async-4" : NULL,
                                       .pc = pc,
                                       .object = name,
                                       .other = {.event = event_names[earlier->kind]}};
    rt_find_line(earlier->origin.pc, &diagnostic.other.file, &diagnostic.other.line, NULL);
    return diagnostic;
}

/* Returns true if the last report was about an access of the same construct to the same object, but of
 * another kind or on the other side. One report for both is enough. Otherwise stores `later` as the last
 * report and returns false. */
static bool is_same_construct(const struct access *later)
{
    static struct access last;
    if (last.origin.pc == later->origin.pc && last.object == later->object &&
        (last.kind != later->kind || last.on_device != later->on_device))
        return true;
    last = *later;
    last.name = NULL;
    return false;
}

/* Reports a race of two accesses at the address `at`, a byte of `later`; once for each construct and object. */
static void report_race(const struct access *earlier, const struct access *later, uint64_t at)
{
    assert(earlier && later);
    char stream[60], actor[160], element[340], object[RT_NAME_SIZE];
    const bool kernel = rt_is_kernel_construct(later->origin.construct_name);
    if (is_same_construct(later) || rt_count_duplicate(missing_wait, later->origin.pc, later->name))
        return;
    struct rt_diagnostic clash = make_race_diagnostic(earlier, later->kind, later->origin.pc, later->name);
    rt_format_stream(later->origin.epoch, stream, sizeof stream);
    snprintf(actor, sizeof actor, kernel ? "the %s region%s" : "%s%s", later->origin.construct_name, stream);
    format_byte(later, at, object, element, sizeof element);
    clash.object = object;
    clash.element = element;
    rt_emit_missing_wait(clash, actor, verbs[later->kind], later->on_device ? " on the device" : " on the host",
                         &earlier->origin, verbs[earlier->kind]);
}

/* Reports that the program has changed the host byte at address `at` of the transfer `access`, and has not
 * waited for the transfer before. at_exit: the program has never waited. */
static void report_change_before_wait(const struct access *access, uint64_t at, bool at_exit)
{
    char element[340], object[RT_NAME_SIZE];
    const uintptr_t pc = at_exit || !rt.site ? access->origin.pc : rt.site->call.pc;
    struct rt_diagnostic change = make_race_diagnostic(access, access->kind, pc, access->name);
    format_byte(access, at, object, element, sizeof element);
    change.object = object;
    change.element = element;
    rt_emit_missing_wait(change, "the host", "has changed", at_exit ? "" : " before this call", &access->origin,
                         verbs[access->kind]);
}

/* ---------------------------------------------------------------------------------- accesses -- */

/* Returns true if `access` accesses the byte at address `at` of its range; of a kernel's write, only the
 * changed bytes count. */
static bool is_changed_byte(const struct access *access, uint64_t at)
{
    assert(at - access->start < access->bytes);
    const uint64_t k = at - access->start;
    return !access->bits || access->bits[k / 8] >> k % 8 & 1;
}

/* Returns true if an access changes or frees its bytes. */
static bool is_modification(const struct access *access)
{
    return (access->kind == WRITES && !access->redundant) || access->kind == FREES;
}

/* Returns true if an access covers the whole range of `bytes` bytes from `start` on. The changed bytes of a
 * kernel do so if they are at most CHUNK bytes apart. */
static bool covers_range(const struct access *access, uint64_t start, uint64_t bytes)
{
    if (start < access->start || start + bytes > access->start + access->bytes)
        return false;
    uint64_t last = start;
    for (uint64_t k = start; access->bits && k < start + bytes && k - last < CHUNK; k++)
        if (is_changed_byte(access, k))
            last = k;
    return !access->bits || start + bytes - last <= CHUNK;
}

/* Returns true if two accesses are to the same side and their ranges have a byte in common. */
static bool overlaps(const struct access *a, const struct access *b)
{
    return a->on_device == b->on_device && a->start < b->start + b->bytes && b->start < a->start + a->bytes;
}

/* Returns the address of the first byte of the section of `use`, a kernel's, that `change` accesses. The search begins
 * at the byte that the kernel has used for certain, if one is known. */
static uint64_t find_used_byte(const struct access *use, const struct access *change)
{
    const uint64_t end_of_use = use->start + use->bytes;
    uint64_t at = use->touched ? use->touched : use->start;
    while (at < end_of_use && !is_changed_byte(change, at))
        at++;
    return at < end_of_use ? at : use->start;
}

/* Returns the address of the first byte of a race between two accesses, whose order the caller tests. NONE:
 * no common byte, no change or free, or two kernels' writes, which may be atomic. A
 * kernel's use races only with an access to its whole section. */
static uint64_t find_race(const struct access *a, const struct access *b)
{
    assert(a && b);
    const uint64_t from = a->start > b->start ? a->start : b->start;
    const uint64_t a_end = a->start + a->bytes, b_end = b->start + b->bytes, to = a_end < b_end ? a_end : b_end;
    if (!overlaps(a, b) || (a->bits && b->bits) || (!is_modification(a) && !is_modification(b)))
        return NONE;
    if (a->kind >= USES)
        return covers_range(b, a->start, a->bytes) ? find_used_byte(a, b) : NONE;
    if (b->kind >= USES)
        return covers_range(a, b->start, b->bytes) ? find_used_byte(b, a) : NONE;
    for (uint64_t k = from; k < to; k++)
        if (is_changed_byte(a, k) && is_changed_byte(b, k))
            return k;
    return NONE;
}

/* Returns true if the later access `ud` (struct access) makes the pending `access` unnecessary: same stream,
 * thread, kind and side, and a range that contains that of `access`. Used with remove_pending. */
static bool is_covered_by(const struct access *access, const void *ud)
{
    const struct access *later = ud;
    return access->origin.epoch.stream == later->origin.epoch.stream && access->thread == later->thread &&
           access->kind == later->kind && access->redundant >= later->redundant &&
           access->on_device == later->on_device && later->start <= access->start &&
           access->start + access->bytes <= later->start + later->bytes && !later->bits;
}

/* If `access` and `ud` (struct access) are kernel writes of the same stream and section, clears the bits of
 * `access` for bytes that the later write `ud` has changed, too. Returns true if no bit is left then. Used
 * with remove_pending. */
static bool is_rewritten(const struct access *access, const void *ud)
{
    const struct access *later = ud;
    unsigned char rest = 0;
    if (access->origin.epoch.stream != later->origin.epoch.stream || !access->bits || !later->bits ||
        access->start != later->start || access->bytes != later->bytes)
        return false;
    for (uint64_t k = 0; k < (access->bytes + 7) / 8; k++)
        rest |= access->bits[k] &= (unsigned char)~later->bits[k];
    return !rest;
}

/* Appends a copy of an access to the pending ones; the copy owns access->bits. Removes accesses that the new
 * one makes unnecessary, and the oldest one if the list is full. Copies the host bytes of a host access.
 * Without memory, the access is not recorded. */
static void add_pending(const struct access *access)
{
    assert(npending <= PENDING_MAX);
    remove_pending(access->bits ? is_rewritten : is_covered_by, access);
    if (npending == PENDING_MAX) {
        struct access *oldest = pending;
        pending = oldest->next;
        free_access(oldest);
    }
    struct access *pending_access = malloc(sizeof *pending_access);
    if (!pending_access)
        return;
    *pending_access = *access;
    pending_access->name = strdup(access->name ? access->name : "");
    pending_access->next = NULL;
    if (!pending_access->on_device && (pending_access->image = malloc(pending_access->bytes)) &&
        !rt_peek_protected(pending_access->start, pending_access->image, pending_access->bytes))
        forget_image(pending_access);
    *end = pending_access;
    end = &pending_access->next;
    npending++;
}

/* Copies the host bytes that the access `later` has written to the image of an earlier access. The comparison at the
 * wait then does not take their change for the program's. */
static void renew_image(struct access *access, const struct access *later)
{
    assert(overlaps(access, later));
    const uint64_t from = access->start > later->start ? access->start : later->start;
    const uint64_t own_end = access->start + access->bytes, later_end = later->start + later->bytes;
    const uint64_t n = (own_end < later_end ? own_end : later_end) - from;
    if (access->image && !rt_peek_protected(from, access->image + (from - access->start), n))
        forget_image(access);
}

/* Completes an access of the call under way (origin, object, name), reports its first race, and records it
 * unless the host has waited for its epoch. Takes ownership of access->bits. Renews the host images (copies
 * of host bytes) that the access makes old. */
static void check_access(struct access *access)
{
    assert(rt.site);
    accd_present_object object = {0};
    struct rt_display_name display;
    const struct rt_thread *self = rt_current_thread();
    access->origin = (struct rt_access_origin){self->epoch, rt.site->call.pc, rt.site->construct_name};
    access->thread = self->number;
    /* A transfer's write to device memory: running kernels cannot tell their own changes from it. */
    writers += access->kind == WRITES && access->on_device && !access->bits;
    if (accd_present_at(rt.context, self->device, access->on_device ? access->start : access->host, access->on_device,
                        &object)) {
        display = rt_get_display_name(&object.info);
        access->host = access->on_device ? object.info.host + (access->start - object.dev) : access->start;
    } else {
        snprintf(display.name, sizeof display.name, "%p", (void *)(uintptr_t)access->start);
        object.info.host = access->host = access->start;
        object.info.bytes = access->bytes;
    }
    access->object = object.info.host;
    access->object_bytes = object.info.bytes;
    access->name = display.name;
    bool is_reported = false;
    for (struct access *earlier = pending; earlier; earlier = earlier->next) {
        const bool is_ordered = is_reported || earlier->thread != access->thread ||
                                rt_happens_before(earlier->origin.epoch, access->origin.epoch);
        const uint64_t at = is_ordered ? NONE : find_race(access, earlier);
        is_reported |= at != NONE;
        if (at != NONE)
            report_race(earlier, access, at);
        if (access->kind == WRITES && !access->redundant && overlaps(access, earlier))
            renew_image(earlier, access);
    }
    /* Synchronous work is never pending; nor is work that another thread has waited for meanwhile. */
    if (!rt_is_host_synced(access->origin.epoch))
        add_pending(access);
    else
        free(access->bits);
    access->name = NULL;
}

/* Returns true if no race is possible: the thread `self` does synchronous work, no access is pending and no
 * kernel runs. */
static bool has_no_pending(const struct rt_thread *self)
{
    return !self->epoch.stream && !pending && !nrunning;
}

/* Checks and records the read or (`writes`) write of a transfer on one side: `bytes` bytes from `start` on.
 * redundant: the bytes have the written values already. Does nothing for 0 bytes, or if no race is possible. */
static void record_transfer(bool on_device, bool writes, uint64_t start, uint64_t bytes, bool redundant)
{
    if (bytes && !has_no_pending(rt_current_thread()))
        check_access(&(struct access){.kind = writes ? WRITES : READS,
                                      .on_device = on_device,
                                      .redundant = redundant,
                                      .start = start,
                                      .bytes = bytes,
                                      .host = start});
}

/* Records that a routine reads or (`writes`) writes `bytes` bytes from `start` on, on one side, and reports a
 * race. */
void rt_races_routine_access(bool on_device, bool writes, uint64_t start, uint64_t bytes)
{
    record_transfer(on_device, writes, start, bytes, false);
}

/* Returns true if an access begins in the device memory that the access `ud` frees. Used with remove_pending. */
static bool is_in_freed_memory(const struct access *access, const void *ud)
{
    const struct access *freed_memory = ud;
    return access->on_device && access->start - freed_memory->start < freed_memory->bytes;
}

/* Checks the free of `bytes` bytes of device memory at `dev` for races, and forgets the accesses to that
 * memory. in_construct: the construct under way has mapped the memory itself, so that the free is not a race.
 * Does nothing if dev or bytes is 0. */
static void record_free(uint64_t dev, uint64_t bytes, bool in_construct)
{
    struct access freed_memory = {.kind = FREES, .on_device = true, .start = dev, .bytes = bytes, .host = dev};
    if (!dev || !bytes)
        return;
    if (!in_construct)
        check_access(&freed_memory);
    remove_pending(is_in_freed_memory, &freed_memory);
}

/* Records the free of the block of device memory at `dev`, up to the last byte that pending accesses have
 * used, and reports a race. The size of the block is not known here. */
void rt_races_free(int device, uint64_t dev)
{
    uint64_t bytes = 0;
    for (const struct access *access = pending; access; access = access->next) {
        const uint64_t n = access->start + access->bytes - dev;
        if (access->on_device && access->start >= dev && n > bytes &&
            accd_device_is_allocated(rt.context, device, dev, n))
            bytes = n;
    }
    record_free(dev, bytes, false);
}

/* Returns true if the compiler may have passed the variable of an event by value, or if the variable's item
 * is only a pointer to other data. Then the host access of the transfer is not recorded. */
static bool may_be_by_value(const accd_event *event)
{
    const accd_construct *construct = &rt.construct;
    if (rt_may_pass_by_value(rt.site, event->bytes))
        return true;
    for (size_t i = 0; i < construct->nitems; i++)
        if ((uintptr_t)construct->items[i].host == event->host)
            return !rt_is_data_item(construct->items, construct->nitems, &construct->items[i]);
    return false;
}

/* Returns true if the compute construct under way has mapped the object of an event only for itself. Then its
 * transfers and its free cannot race on the device: the reference counter orders them after other users. */
static bool is_mapped_by_construct(const accd_event *event)
{
    accd_present_object object;
    return rt_is_kernel_construct(rt.site->construct_name) &&
           accd_present_at(rt.context, event->device, event->host, 0, &object) && object.structured <= 1 &&
           !object.dynamic;
}

/* Records the accesses of a transfer on both sides, or of a free, and reports races. Ignores other events,
 * and all if no race is possible. */
void rt_races_event(const accd_event *event)
{
    if (!rt.site || has_no_pending(rt_current_thread()) ||
        (event->op != ACCD_OP_H2D && event->op != ACCD_OP_D2H && event->op != ACCD_OP_FREE))
        return;
    const void *const host = (const void *)(uintptr_t)event->host;
    const uint64_t dev = accd_device_address(rt.context, event->device, host);
    const bool in_construct = is_mapped_by_construct(event);
    if (event->op == ACCD_OP_FREE) {
        record_free(dev, event->bytes, in_construct);
        return;
    }
    const bool to_host = event->op == ACCD_OP_D2H;
    const bool redundant = !rt_is_changing_transfer(event);
    if (!may_be_by_value(event))
        record_transfer(false, to_host, event->host, event->bytes, redundant && to_host);
    if (dev && !in_construct)
        record_transfer(true, !to_host, dev, event->bytes, redundant && !to_host);
}

/* ----------------------------------------------------------------------------------- kernels -- */

/* Copies the present sections that the kernel's construct names into self->kernel_sections, to find the
 * kernel's changes afterwards. Skips a section without memory for the copy, and all sections if no race is
 * possible. */
void rt_races_before_kernel(struct rt_thread *self, const accd_item *items, size_t nitems)
{
    const bool quiet = has_no_pending(self);
    writers++;
    nrunning++;
    for (size_t i = 0; i < nitems && !quiet; i++) {
        const accd_item *item = &items[i];
        const uint64_t dev = accd_device_address(rt.context, self->device, item->host);
        struct rt_kernel_section *section = NULL;
        if (dev && item->bytes && rt_is_data_item(items, nitems, item) &&
            accd_get_presence(rt.context, self->device, item->host, item->bytes) == ACCD_PRESENCE_FULL)
            section = malloc(sizeof *section + item->bytes);
        if (!section)
            continue;
        *section = (struct rt_kernel_section){self->kernel_sections,
                                              nrunning > 1 ? 0 : writers,
                                              (uintptr_t)item->host,
                                              dev,
                                              item->bytes,
                                              RT_TOUCH_UNKNOWN,
                                              0};
        memcpy(section->image, (const void *)(uintptr_t)dev, item->bytes);
        self->kernel_sections = section;
    }
}

/* Returns the entry of untouched_sections for a kernel (return address of its construct) and a section (host address).
 * The entry may hold another pair with the same hash. */
static struct untouched_sections *find_untouched_entry(uintptr_t pc, uint64_t host)
{
    enum { ROOM = sizeof untouched_sections / sizeof untouched_sections[0] };
    return &untouched_sections[((pc ^ host) * 0x9E3779B97F4A7C15u >> 32) % ROOM];
}

/* Returns true if the last guarded run of a kernel (return address of its construct) did not touch the section at a
 * host address. */
static bool is_known_untouched(uintptr_t pc, uint64_t host)
{
    const struct untouched_sections *entry = find_untouched_entry(pc, host);
    return entry->pc == pc && entry->host == host;
}

/* Writes at most `capacity` sections of the thread's kernel to `sections`, for the page guard, and returns
 * how many. */
size_t rt_races_get_sections(const struct rt_thread *self, struct rt_device_section *sections, size_t capacity)
{
    size_t n = 0;
    for (const struct rt_kernel_section *section = self->kernel_sections; section && n < capacity;
         section = section->next)
        sections[n++] = (struct rt_device_section){.start = section->dev, .bytes = section->bytes};
    return n;
}

/* Stores which of the n sections of rt_races_get_sections a guarded kernel has touched, for this run and, in
 * untouched_sections, for skipped runs. pc: return address of the kernel's construct. */
void rt_races_record_touched(struct rt_thread *self, uintptr_t pc, const struct rt_device_section *sections, size_t n)
{
    struct rt_kernel_section *section = self->kernel_sections;
    for (size_t i = 0; i < n; i++, section = section->next) {
        assert(section);
        struct untouched_sections *entry = find_untouched_entry(pc, section->host);
        section->touch = sections[i].touch;
        section->at = sections[i].at;
        if (section->touch == RT_TOUCH_NONE)
            *entry = (struct untouched_sections){pc, section->host};
        else if (is_known_untouched(pc, section->host))
            *entry = (struct untouched_sections){0};
    }
}

/* Compares the 8 bytes at `content` with those at `old_content`: bit i of the result is set if byte i
 * differs. The multiplication moves bit 8 * i to bit 56 + i, without a carry. */
static unsigned char get_changed_mask(const char *content, const char *old_content)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    uint64_t a, b;
    memcpy(&a, content, sizeof a);
    memcpy(&b, old_content, sizeof b);
    const uint64_t changed = a ^ b, tops = (((changed & low) + low) | changed) & ~low;
    return (unsigned char)((tops >> 7) * 0x0102040810204080u >> 56);
}

/* Returns an array with one bit for each byte of a section, set if the kernel has changed the byte; the caller must
 * free it. NULL if no byte has changed, if other work may have changed bytes, or without memory. */
static unsigned char *find_changed_bytes(const struct rt_kernel_section *section)
{
    const char *content = (const char *)(uintptr_t)section->dev;
    if (section->writers != writers || !memcmp(content, section->image, section->bytes))
        return NULL;
    const uint64_t words = section->bytes / 8;
    unsigned char *bits = calloc(words + 1, 1);
    for (uint64_t k = 0; bits && k < words; k++)
        bits[k] = get_changed_mask(content + 8 * k, section->image + 8 * k);
    for (uint64_t k = 8 * words; bits && k < section->bytes; k++)
        bits[words] |= (unsigned char)((content[k] != section->image[k]) << k % 8);
    return bits;
}

/* Records which bytes the kernel has changed, or which sections it uses, reports races, and frees
 * self->kernel_sections. */
void rt_races_after_kernel(struct rt_thread *self)
{
    assert(nrunning);
    nrunning--;
    for (struct rt_kernel_section *section; (section = self->kernel_sections);) {
        unsigned char *bits = find_changed_bytes(section);
        if (self->sampling == RT_SKIPPED && is_known_untouched(rt.site->call.pc, section->host))
            section->touch = RT_TOUCH_NONE;
        struct access kernel_access = {.kind = section->touch == RT_TOUCHED ? USES : MAY_USE,
                                       .on_device = true,
                                       .start = section->dev,
                                       .bytes = section->bytes,
                                       .touched = section->touch == RT_TOUCHED ? section->at : 0,
                                       .host = section->host};
        if (bits) {
            struct access kernel_write = kernel_access;
            kernel_write.kind = WRITES;
            kernel_write.bits = bits;
            check_access(&kernel_write);
            /* A section of at most CHUNK bytes that the kernel has not changed may be a private variable, so
             * no use is recorded. */
        } else if (section->bytes > CHUNK && section->touch != RT_TOUCH_NONE)
            check_access(&kernel_access);
        self->kernel_sections = section->next;
        free(section);
    }
}

/* ------------------------------------------------------------------------------------- waits -- */

/* Reports the first host byte of a transfer that the program has changed since. at_exit: called at the end of
 * the program. Does nothing without an image (copy of the bytes), or if the memory is not mapped any more. */
static void compare_with_image(const struct access *access, bool at_exit)
{
    char content[4096];
    for (uint64_t at = 0, n; access->image && at < access->bytes; at += n) {
        n = access->bytes - at < sizeof content ? access->bytes - at : sizeof content;
        if (!rt_peek_protected(access->start + at, content, n))
            return;
        for (uint64_t k = 0; k < n; k++)
            if (content[k] != access->image[at + k]) {
                report_change_before_wait(access, access->start + at + k, at_exit);
                return;
            }
    }
}

/* Returns true if the host has waited for an access. Used with remove_pending; ud is not used. */
static bool is_synced_access(const struct access *access, const void *ud)
{
    (void)ud;
    return rt_is_host_synced(access->origin.epoch);
}

/* Compares the host memory of transfers that this thread has waited for, and removes all accesses that the host has
 * waited for. */
void rt_races_after_wait(void)
{
    for (const struct access *access = pending; access; access = access->next)
        if (access->thread == rt_this_thread.number && rt_is_host_synced(access->origin.epoch))
            compare_with_image(access, false);
    remove_pending(is_synced_access, NULL);
}

/* Returns true. Used with remove_pending. */
static bool is_any_access(const struct access *access, const void *ud)
{
    (void)access, (void)ud;
    return true;
}

/* Reports, at the end of the program, host memory of transfers that was changed before any wait. Empties the
 * list of accesses. */
void rt_races_finish(void)
{
    for (const struct access *access = pending; access; access = access->next)
        compare_with_image(access, true);
    remove_pending(is_any_access, NULL);
}
