/* snapshots.c - copies of each present object, taken when host and device last agreed: at its allocation or last
 * transfer. Compared with the object before constructs that may move or free data, and after kernels. Reports:
 *
 *      overwritten-change   a transfer overwrites what its target has changed
 *      stale-data           a kernel gets data that the host has changed, and no transfer ever sends the change
 *      lost-change          data are freed with changes of the device that the host never received
 *      uninitialized-read   bytes are copied to the host that have not changed since their allocation
 *      idle-transfer        a transfer moves bytes that both sides have (transfer_stats.h)
 *
 * DATA. A hash table of objects by device and host address. It and the snapshots lie in the arena, which
 * is never protected. Of the bytes of an object, up to four images (copies) exist:
 *
 *      host_snapshot     the host's bytes at the last agreement; NULL: the object is not checked
 *      device_snapshot   the device's bytes then; NULL: equal to host_snapshot, or poison if `unwritten`
 *      copy[side]        what a side holds before the construct under way; NULL: unchanged since the agreement
 *
 * LIFE OF AN OBJECT. Its allocation copies the host's bytes. Before a construct, the sides that it may overwrite are
 * saved if they have changed. Each transfer compares old and new bytes of its target, and updates the snapshots. Its
 * release reports stale-data and lost-change. All functions need the lock. Host memory may be freed while its data are
 * present, so it is read by a system call, which then fails. */
#include "base/kernel.h"
#include "base/runtime.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "guard/host_interval.h"
#include "image/allocatable.h"
#include "image/code_references.h"
#include "image/declared.h"
#include "image/image.h"
#include "image/malloc_blocks.h"
#include "image/member_pointers.h"
#include "lib/arena.h"
#include "lib/descriptor.h"
#include "lib/hash.h"
#include "findings.h"
#include "padding.h"
#include "snapshots.h"
#include "transfer_stats.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { HOST, DEVICE, SIDES };
static const uint64_t NONE = UINT64_MAX; /* offset that means no byte */

/* Element that a kernel got in an old state. */
struct stale_element {
    uint64_t at;  /* offset of its stale byte in the object */
    uintptr_t pc; /* return address of the kernel's construct */
    char object[RT_NAME_SIZE], name[340];
};

/* A present object, with its snapshots. */
struct object {
    struct object *next_saved; /* next in the list saved_objects */
    int device;
    bool was_transferred;      /* true once any part was transferred, in either direction */
    bool host_is_changed;      /* true if the host differed from host_snapshot in the last comparison */
    uint64_t checked_interval; /* last host interval (time between two kernels) whose changes that comparison saw */
    uint64_t host, dev, bytes;
    uintptr_t agreed_pc; /* return address of the call that last transferred the object, or else mapped it */
    uint64_t changed_at; /* offset of the first byte changed by the device and not sent to the host; NONE: no byte */
    struct stale_element *stale; /* NULL: none */
    char *copy[SIDES];           /* bytes saved before the construct under way (DATA above) */
    char *host_snapshot, *device_snapshot;
    bool unwritten; /* true: device memory was never written; used if device_snapshot is NULL */
};

/* Returns n bytes in the arena, whose memory is never protected; NULL without memory. */
static void *allocate_image(size_t n)
{
    return rt_arena_realloc(NULL, NULL, 0, n);
}

/* Frees n bytes from allocate_image; p may be NULL. */
static void free_image(void *p, size_t n)
{
    if (p)
        rt_arena_realloc(NULL, p, n, 0);
}

struct entry {
    uint64_t key; /* result of rt_data_key */
    struct object *object;
};
static struct rt_hash objects = RT_HASH_TABLE(rt_arena_realloc, struct entry);
static struct object *saved_objects; /* list of objects with saved bytes (`copy`) */

/* Open data region of a thread: host ranges of its data, which are checked when the region ends. */
struct frame {
    struct frame *outer;
    uint64_t thread;
    enum rt_sampling sampling;
    size_t n, capacity;
    struct {
        uint64_t host, bytes;
    } ranges[];
};
static struct frame *frames;

static const char *get_device_bytes(const struct object *object) /* the object's bytes on the device */
{
    return (const char *)(uintptr_t)object->dev;
}

/* Returns the byte at offset k that the device held at the last agreement. */
static char get_device_snapshot_byte(const struct object *object, uint64_t k)
{
    assert(k < object->bytes);
    if (object->device_snapshot)
        return object->device_snapshot[k];
    return object->unwritten ? (char)ACCD_POISON : object->host_snapshot[k];
}

/* Returns true if n bytes at `bytes` equal what the device held from offset `at` on at the last agreement. */
static bool equals_device_snapshot(const struct object *object, uint64_t at, const char *bytes, uint64_t n)
{
    if (!object->device_snapshot && object->unwritten)
        return rt_is_poisoned(bytes, n);
    return !memcmp(bytes, (object->device_snapshot ? object->device_snapshot : object->host_snapshot) + at, n);
}

/* Gives an object a device_snapshot if it has none. Returns false without memory; then the object's checks end. */
static bool split_snapshots(struct object *object)
{
    if (object->device_snapshot)
        return true;
    object->device_snapshot = allocate_image(object->bytes);
    if (!object->device_snapshot) {
        free_image(object->host_snapshot, object->bytes);
        object->host_snapshot = NULL;
        return false;
    }
    if (object->unwritten)
        memset(object->device_snapshot, ACCD_POISON, object->bytes);
    else
        memcpy(object->device_snapshot, object->host_snapshot, object->bytes);
    return true;
}

/* Sets the snapshots of n bytes from offset `at` on to the bytes `host` and `device`, which may be the same pointer.
 * host NULL: the host's snapshot stays. Without memory, the object is not checked any more. */
static void update_snapshots(struct object *object, uint64_t at, uint64_t n, const char *host, const char *device)
{
    assert(object->host_snapshot && at + n <= object->bytes);
    const char *const other = host ? host : object->host_snapshot + at;
    const bool same = other == device || !memcmp(other, device, n);
    if (same && host && n == object->bytes) {
        free_image(object->device_snapshot, object->bytes);
        object->device_snapshot = NULL;
        object->unwritten = false;
    } else if ((!same || object->unwritten || object->device_snapshot) && !split_snapshots(object)) {
        return;
    }
    if (object->device_snapshot)
        memcpy(object->device_snapshot + at, device, n);
    if (host)
        memcpy(object->host_snapshot + at, host, n);
}

/* Returns the number of the host interval (time between two kernels) before the current one; 0 without a page guard. */
static uint64_t get_current_interval(void)
{
    const uint64_t interval = rt_get_host_interval();
    return interval ? interval - 1 : 0;
}

/* Returns true if the host differs from host_snapshot, in a page that it may have written after interval `interval`. */
static bool has_host_changed(const struct object *object, uint64_t interval)
{
    uint64_t from = NONE; /* offset of the first page to compare */
    for (uint64_t k = 0, next = 0; k <= object->bytes; k = next) {
        const uint64_t at = object->host + k, rest = object->bytes - k, page = RT_PAGE_SIZE - at % RT_PAGE_SIZE;
        next = k + (rest < page ? rest : page);
        const bool skipped = !rest || rt_is_untouched_since(at, next - k, interval);
        if (!skipped && from == NONE)
            from = k;
        if (skipped && from != NONE &&
            rt_protected_differs(object->host + from, object->host_snapshot + from, k - from))
            return true;
        if (skipped)
            from = NONE;
        if (!rest)
            break;
    }
    return false;
}

/* Returns true if `side` differs from its snapshot. Compares the host only if it was unequal or may have written. */
static bool has_changed(struct object *object, int side)
{
    if (side == DEVICE)
        return !equals_device_snapshot(object, 0, get_device_bytes(object), object->bytes);
    if (!object->host_is_changed && rt_is_untouched_since(object->host, object->bytes, object->checked_interval))
        return false;
    object->host_is_changed = has_host_changed(object, object->host_is_changed ? 0 : object->checked_interval);
    object->checked_interval = get_current_interval();
    return object->host_is_changed;
}

/* Returns true if the byte at offset `at` belongs to an attached pointer, which has a value of its own on each side. */
static bool is_attached_pointer(const struct object *object, uint64_t at)
{
    accd_attachment pointer;
    const uintptr_t slot = (object->host + at) & ~(sizeof(void *) - 1);
    return accd_attachment_at(rt.context, object->device, (const void *)slot, &pointer);
}

/* Returns true if the byte at `at` is in a pointer to a malloc block that became null in `copy`, the host's bytes: by
 * deallocate of a component. If a kernel follows the old pointer, that access is reported, not stale data. */
static bool is_freed_component(const struct object *object, const char *copy, uint64_t at)
{
    enum { MAPPINGS = 0x7 }; /* address bits from 44 up of a large malloc block, which is a mapping of its own */
    const uint64_t start = ((object->host + at) & ~(sizeof(void *) - 1)) - object->host;
    if (start > at || start + sizeof(void *) > object->bytes || rt_load_word(copy + start))
        return false;
    const uintptr_t block = rt_load_word(object->host_snapshot + start), heap = rt_find_heap_start();
    const bool on_heap = heap && block >= heap && block < (uintptr_t)sbrk(0);
    return block % RT_BLOCK_ALIGNMENT == 0 && (on_heap || block >> 44 == MAPPINGS);
}

/* Returns the object of a device and a host address; NULL: not recorded. */
static struct object *get_object(int device, uint64_t host)
{
    const struct entry *entry = rt_hash_find(&objects, rt_data_key(device, host));
    return entry ? entry->object : NULL;
}

static void free_saved_images(struct object *object) /* frees the saved bytes of both sides */
{
    for (int side = 0; side < SIDES; side++) {
        free(object->copy[side]);
        object->copy[side] = NULL;
    }
}

static void free_all_saved_images(void) /* frees the saved bytes of all objects, and empties the list */
{
    for (; saved_objects; saved_objects = saved_objects->next_saved)
        free_saved_images(saved_objects);
}

static void clear_stale_element(struct object *object) /* forgets the object's stale element, if any */
{
    free(object->stale);
    object->stale = NULL;
}

/* Frees an object with its images. It must have been removed from the table and from saved_objects. */
static void free_object(struct object *object)
{
    free_saved_images(object);
    clear_stale_element(object);
    free_image(object->host_snapshot, object->bytes);
    free_image(object->device_snapshot, object->bytes);
    free_image(object, sizeof *object);
}

/* Removes and frees the object of a device and a host address, with its images; does nothing if there is none. */
static void remove_object(int device, uint64_t host)
{
    struct object *object = get_object(device, host);
    if (!object)
        return;
    for (struct object **k = &saved_objects; *k; k = &(*k)->next_saved)
        if (*k == object) {
            *k = object->next_saved;
            break;
        }
    rt_hash_remove(&objects, rt_data_key(device, host));
    free_object(object);
}

/* Adds an object; an old one of the same address is removed. is_checked: with a snapshot of the host. Returns NULL if
 * the object is not checked, its host memory cannot be read, or without memory. */
static struct object *add_object(int device, uint64_t host, uint64_t bytes, bool is_checked)
{
    remove_object(device, host);
    struct object *object = allocate_image(sizeof *object);
    struct entry *entry = object ? rt_hash_add(&objects, rt_data_key(device, host)) : NULL;
    if (!entry) {
        free_image(object, sizeof *object);
        return NULL;
    }
    entry->object = object;
    *object = (struct object){
        .device = device,
        .host = host,
        .dev = accd_device_address(rt.context, device, (const void *)(uintptr_t)host),
        .bytes = bytes,
        .agreed_pc = rt.site ? rt.site->call.pc : 0,
        .changed_at = NONE,
        .checked_interval = get_current_interval(),
        .host_snapshot = is_checked ? allocate_image(bytes) : NULL,
        .unwritten = true,
    };
    if (object->host_snapshot && rt_peek_protected(host, object->host_snapshot, bytes))
        return object;
    free_image(object->host_snapshot, bytes);
    object->host_snapshot = NULL;
    return NULL;
}

/* Returns the checked object that contains a host address; NULL: the address is not present, or not checked. */
static struct object *find_object(int device, uint64_t host)
{
    uint64_t start, bytes;
    if (!objects.n || !accd_present_bounds(rt.context, device, (const void *)(uintptr_t)host, &start, &bytes))
        return NULL;
    struct object *object = get_object(device, start);
    const void *first = (const void *)(uintptr_t)start;
    return object && object->host_snapshot && object->bytes == bytes &&
                   object->dev == accd_device_address(rt.context, device, first)
               ? object
               : NULL; /* NULL: the object is not checked, or its data were unmapped and others mapped */
}

/* Calls fn(object) for each checked object on `device` that overlaps a host range. */
static void for_each_object(int device, uint64_t host, uint64_t bytes, void (*fn)(struct object *object))
{
    uint64_t at = host, start, n;
    while (accd_present_overlapping(rt.context, device, &at, host + bytes, &start, &n)) {
        struct object *object = find_object(device, start);
        if (object)
            fn(object);
    }
}

/* Returns the location of the object's last transfer, or else of its mapping. */
static struct rt_related_location find_agreed_location(const struct object *object)
{
    return rt_get_related_location(object->was_transferred ? "agreed" : "mapped", object->agreed_pc);
}

/* Writes the name of the element at offset `at` of the object named `name` to `to`. */
static void format_object_element(const struct object *object, uint64_t at, char name[RT_NAME_SIZE], char *to,
                                  size_t size)
{
    rt_format_element(rt.site, object->host, object->bytes, at, name, to, size);
}

/* Returns the name that the data of an event got when they were mapped. A construct that finds its data present names
 * them late; then it is the name of the present object. */
static struct rt_display_name get_event_name(const accd_event *event)
{
    accd_present_object object;
    accd_object_info info = {.host = event->host, .bytes = event->bytes};
    if (rt_parse_lazy_name(event->name, NULL) && accd_present_at(rt.context, event->device, event->host, 0, &object))
        return rt_get_display_name(&object.info);
    snprintf(info.name, sizeof info.name, "%s", event->name);
    return rt_get_display_name(&info);
}

/* Reports that a transfer overwrites the byte at offset `at`, which its target side has changed. */
static void report_overwritten(const struct object *object, const accd_event *event, uint64_t at)
{
    char element[340];
    const uintptr_t pc = rt.site->call.pc;
    struct rt_display_name display = get_event_name(event);
    if (rt_count_duplicate("overwritten-change", pc, display.name))
        return;
    format_object_element(object, at, display.name, element, sizeof element);
    rt_emit_overwritten_change(
        (struct rt_diagnostic){
            .level = "warning",
            .rule = event->rule,
            .pc = pc,
            .object = display.name,
            .element = element,
            .other = find_agreed_location(object),
        },
        event->op == ACCD_OP_H2D);
}

/* Saves the bytes of `side` in copy[side] if they differ from the snapshot, can be read, and memory suffices. */
static void save_side(struct object *object, int side)
{
    assert(side == HOST || side == DEVICE);
    if (object->copy[side] || !has_changed(object, side))
        return;
    char *image = malloc(object->bytes);
    if (!image)
        return;
    if (side == DEVICE)
        memcpy(image, get_device_bytes(object), object->bytes);
    else if (!rt_peek_protected(object->host, image, object->bytes)) {
        free(image);
        return;
    }
    if (!object->copy[!side]) {
        object->next_saved = saved_objects;
        saved_objects = object;
    }
    object->copy[side] = image;
}

static void save_host_side(struct object *object) /* saves the host side */
{
    save_side(object, HOST);
}

static void save_device_side(struct object *object) /* saves the device side */
{
    save_side(object, DEVICE);
}

/* Returns true if the end of a region may free an object: at most one region holds it, and no dynamic reference. True
 * also if it is not present, or is an allocatable variable or its contents. */
static bool may_be_unmapped(const struct object *object)
{
    accd_present_object present;
    return rt_is_allocatable_data(object->host) ||
           !accd_present_at(rt.context, object->device, object->host, 0, &present) ||
           (present.structured <= 1 && !present.dynamic);
}

/* Forgets the stale element of an object if a kernel that was not checked has changed the element since. */
static void recheck_stale_element(struct object *object)
{
    const struct stale_element *stale = object->stale;
    if (stale && get_device_bytes(object)[stale->at] != get_device_snapshot_byte(object, stale->at))
        clear_stale_element(object);
}

/* Returns true if the object is the descriptor of a gfortran array and its data pointer is null in host_snapshot and in
 * `data`, the device's bytes. Then only bounds of an unallocated array can differ, whose loss is not reported. */
static bool is_unallocated(const struct object *object, const char *data)
{
    struct rt_gfortran_descriptor array;
    if (!rt_has_descriptor_size(object->bytes))
        return false;
    memcpy(&array, data, sizeof array);
    return !array.data && !rt_load_word(object->host_snapshot) && !array.version && array.element && array.type > 0 &&
           object->bytes == rt_descriptor_bytes(array.rank);
}

/* Sets changed_at to the offset of the first byte that the device has changed since the last agreement, except padding.
 * NONE: there is no such byte, the object was never transferred, or it is the descriptor of an unallocated array. */
static void find_lost_change(struct object *object)
{
    const char *const data = get_device_bytes(object);
    recheck_stale_element(object);
    object->changed_at = NONE;
    if (!object->was_transferred || equals_device_snapshot(object, 0, data, object->bytes) ||
        is_unallocated(object, data))
        return;
    for (uint64_t k = 0; k < object->bytes && object->changed_at == NONE; k++)
        if (data[k] != get_device_snapshot_byte(object, k) && !rt_is_cached_padding(object->host, object->bytes, k))
            object->changed_at = k;
}

static void check_before_unmap(struct object *object) /* finds a change that an unmap would lose */
{
    if (may_be_unmapped(object))
        find_lost_change(object);
}

void rt_snapshot_before_unmap(int device, uint64_t host, uint64_t bytes) /* finds changes that an unmap would lose */
{
    for_each_object(device, host, bytes, find_lost_change);
}

void rt_snapshot_before_transfer(const accd_event *event) /* saves the side that a copy may overwrite */
{
    free_all_saved_images();
    for_each_object(event->device, event->host, event->bytes,
                    event->op == ACCD_OP_D2H ? save_host_side : save_device_side);
}

void rt_snapshot_before_construct(const struct rt_thread *self, accd_construct_kind kind, const accd_item *items,
                                  size_t nitems) /* saves sides that may be overwritten, finds lost changes */
{
    free_all_saved_images();
    if (self->sampling == RT_SKIPPED)
        return;
    for (size_t i = 0; i < nitems; i++) {
        const accd_item *item = &items[i];
        const uint64_t host = (uintptr_t)item->host;
        const bool out = item->action == ACCD_ACTION_UPDATE_SELF || item->flags & ACCD_ITEM_ALWAYS_OUT ||
                         (kind == ACCD_KIND_EXIT_DATA && item->action == ACCD_ACTION_COPYOUT);
        if (!item->bytes)
            continue;
        if (out)
            for_each_object(self->device, host, item->bytes, save_host_side);
        if (item->action == ACCD_ACTION_UPDATE_DEVICE || item->flags & ACCD_ITEM_ALWAYS_IN)
            for_each_object(self->device, host, item->bytes, save_device_side);
        if (kind == ACCD_KIND_EXIT_DATA && rt_is_data_item(items, nitems, item))
            for_each_object(self->device, host, item->bytes, find_lost_change);
    }
}

void rt_snapshot_enter_region(const struct rt_thread *self, const accd_item *items, size_t nitems) /* adds a frame */
{
    assert(items || !nitems);
    struct frame *frame = allocate_image(sizeof *frame + nitems * sizeof frame->ranges[0]);
    if (!frame)
        rt_fatal("out-of-memory", "no memory for a data region");
    *frame = (struct frame){.outer = frames, .thread = self->number, .sampling = self->sampling, .capacity = nitems};
    for (size_t i = 0; i < nitems; i++)
        if (rt_is_data_item(items, nitems, &items[i])) {
            frame->ranges[frame->n].host = (uintptr_t)items[i].host;
            frame->ranges[frame->n++].bytes = items[i].bytes;
        }
    frames = frame;
}

/* Returns true if the device still holds an old value of the byte at offset k, which the host had changed before the
 * kernel that has just run. The changed host side must have been saved. */
static bool is_stale_byte(const struct object *object, uint64_t k)
{
    const char *const data = get_device_bytes(object), *const copy = object->copy[HOST];
    return copy && copy[k] != object->host_snapshot[k] && copy[k] != data[k] &&
           data[k] == get_device_snapshot_byte(object, k) && !is_attached_pointer(object, k) &&
           !is_freed_component(object, copy, k) && !rt_is_cached_padding(object->host, object->bytes, k);
}

/* Records in object->stale the first stale byte of the offsets `from` to `end` - 1, which the kernel that has just run
 * may use. An older record stays as long as its byte is stale. */
static void find_stale_element(struct object *object, uint64_t from, uint64_t end)
{
    const char *copy = object->copy[HOST], *snapshot = object->host_snapshot;
    uint64_t at = NONE;
    if (object->stale && is_stale_byte(object, object->stale->at))
        return;
    clear_stale_element(object);
    for (uint64_t page = from, n; copy && page < end && at == NONE; page += n) {
        n = end - page < RT_PAGE_SIZE ? end - page : RT_PAGE_SIZE;
        const bool changed = memcmp(copy + page, snapshot + page, n) != 0;
        for (uint64_t k = page; changed && k < page + n && at == NONE; k++)
            if (is_stale_byte(object, k))
                at = k;
    }
    accd_present_object present;
    if (at == NONE || !accd_present_at(rt.context, object->device, object->host, 0, &present) ||
        !(object->stale = malloc(sizeof *object->stale)))
        return;
    struct stale_element *const stale = object->stale;
    *stale = (struct stale_element){.at = at, .pc = rt.site->call.pc};
    snprintf(stale->object, sizeof stale->object, "%s", rt_get_display_name(&present.info).name);
    format_object_element(object, at, stale->object, stale->name, sizeof stale->name);
}

/* Records stale elements of a host range that the kernel that has just run may use. */
static void find_stale_elements(int device, uint64_t host, uint64_t bytes)
{
    uint64_t at = host, start, n;
    while (accd_present_overlapping(rt.context, device, &at, host + bytes, &start, &n)) {
        struct object *object = find_object(device, start);
        const uint64_t end = host + bytes - start;
        if (object)
            find_stale_element(object, host > start ? host - start : 0, end < n ? end : n);
    }
}

void rt_snapshot_set_initial(int device, const char *host, const char *initial, uint64_t bytes)
{
    if (!initial) {
        remove_object(device, (uintptr_t)host);
        return;
    }
    struct object *object = find_object(device, (uintptr_t)host);
    if (!object && (object = add_object(device, (uintptr_t)host, bytes, true))) { /* new variable of device code */
        object->was_transferred = true;
        split_snapshots(object);
    }
    if (!object || !object->host_snapshot || object->host != (uintptr_t)host || object->bytes != bytes)
        return;
    update_snapshots(object, 0, bytes, NULL, get_device_bytes(object));
    memcpy(object->host_snapshot, initial, bytes);
}

static void check_used_variable(int device, uint64_t host, uint64_t bytes) /* finds stale bytes in a variable */
{
    for_each_object(device, host, bytes, save_host_side);
    find_stale_elements(device, host, bytes);
}

void rt_snapshot_check_declared(int device, const struct rt_kernel *kernel) /* checks variables that the kernel uses */
{
    const size_t n = rt_get_declared_ranges(NULL);
    struct rt_range *ranges = malloc(n * sizeof *ranges);
    free_all_saved_images();
    for (size_t i = 0; ranges && kernel->code && i < rt_get_declared_ranges(ranges); i++)
        if (rt_code_references((const void *)(uintptr_t)kernel->code, ranges[i].start, ranges[i].bytes))
            check_used_variable(device, ranges[i].start, ranges[i].bytes);
    free(ranges);
    if (kernel->code)
        rt_for_each_used_image_variable(device, (const void *)(uintptr_t)kernel->code, check_used_variable);
}

void rt_snapshot_leave_region(struct rt_thread *self, bool kernel) /* checks and removes the innermost frame */
{
    struct frame **at = &frames, *frame;
    free_all_saved_images();
    while (*at && (*at)->thread != self->number)
        at = &(*at)->outer;
    frame = *at;
    if (frame)
        self->sampling = frame->sampling;
    for (size_t i = 0; frame && frame->sampling != RT_SKIPPED && i < frame->n; i++) {
        const uint64_t host = frame->ranges[i].host, bytes = frame->ranges[i].bytes;
        for_each_object(self->device, host, bytes, save_host_side);
        for_each_object(self->device, host, bytes, check_before_unmap);
        if (kernel)
            find_stale_elements(self->device, host, bytes);
    }
    if (frame) {
        *at = frame->outer;
        free_image(frame, sizeof *frame + frame->capacity * sizeof frame->ranges[0]);
    }
}

/* Returns the first of n offsets from `from` on at which the bytes `data` overwrite a change by `side`; NONE: none. */
static uint64_t find_overwritten_byte(const struct object *object, int side, const char *data, uint64_t from,
                                      uint64_t n)
{
    const char *copy = object->copy[side];
    for (uint64_t k = from; copy && k < from + n; k++)
        if (copy[k] != data[k - from] &&
            copy[k] != (side == HOST ? object->host_snapshot[k] : get_device_snapshot_byte(object, k)) &&
            !is_attached_pointer(object, k) && !rt_is_cached_padding(object->host, object->bytes, k))
            return k;
    return NONE;
}

/* Reports that a transfer copies memory to the host that was never written. */
static void report_uninitialized(const accd_event *event)
{
    const struct rt_display_name display = get_event_name(event);
    rt_emit_uninitialized_copy((struct rt_diagnostic){
        .level = "warning",
        .rule = event->rule,
        .pc = rt.site->call.pc,
        .object = display.name,
        .element = display.name,
        .other = {"mapped", display.file, display.line},
    });
}

/* Counts a transfer; reports an overwritten change or uninitialized bytes. data: moved bytes; at: their offset. */
static void check_transfer(const struct object *object, const accd_event *event, uint64_t at, const char *data)
{
    assert(object->host_snapshot);
    const bool out = event->op == ACCD_OP_D2H;
    const uint64_t n = event->bytes, lost_at = find_overwritten_byte(object, out ? HOST : DEVICE, data, at, n);
    const char *const copy = object->copy[out ? HOST : DEVICE];
    if (lost_at != NONE)
        report_overwritten(object, event, lost_at);
    if (out && !object->was_transferred && n == object->bytes && n >= sizeof(int) &&
        rt_is_poisoned(data, n)) /* a part is not reported, as a kernel may have written the rest */
        report_uninitialized(event);
    rt_stats_record_transfer(event,
                             !memcmp(data, object->host_snapshot + at, n) &&
                                 equals_device_snapshot(object, at, data, n) && (!copy || !memcmp(copy + at, data, n)),
                             false);
}

/* Updates the snapshots by a transfer; checks it unless sampling skips the construct. May add its object. */
static void handle_transfer(const accd_event *event)
{
    const bool is_checked = rt_current_thread()->sampling != RT_SKIPPED, out = event->op == ACCD_OP_D2H;
    struct object *object = find_object(event->device, event->host);
    uint64_t start, bytes;
    if (!object && is_checked &&
        accd_present_bounds(rt.context, event->device, (const void *)(uintptr_t)event->host, &start, &bytes)) {
        const struct object *passed = get_object(event->device, start); /* NULL: acc_map_data */
        if (!passed || (event->host == start && event->bytes == bytes)) /* checked from now on, if moved as a whole */
            object = add_object(event->device, start, bytes, true);
    }
    if (!object || event->bytes > object->host + object->bytes - event->host)
        return;
    const uint64_t at = event->host - object->host, n = event->bytes;
    const char *data = (const char *)(uintptr_t)event->host;
    if (is_checked)
        check_transfer(object, event, at, data);
    else
        rt_stats_record_transfer(event, false, true);
    accd_stats stats;
    accd_get_stats(rt.context, event->device, &stats);
    update_snapshots(object, at, n, data, out || !stats.attachments ? data : get_device_bytes(object) + at);
    if (!object->host_snapshot)
        return;
    object->agreed_pc = rt.site->call.pc;
    object->was_transferred = true;
    if (object->changed_at - at < n)
        find_lost_change(object); /* searches again: more bytes than those moved may be changed */
    if (object->stale && object->stale->at - at < n)
        clear_stale_element(object);
}

/* Reports the stale element of an object; does nothing if none is recorded. */
static void report_stale_data(const struct object *object)
{
    const struct stale_element *stale = object->stale;
    if (stale)
        rt_emit_stale_data(
            (struct rt_diagnostic){
                .level = "note",
                .pc = stale->pc,
                .object = stale->object,
                .element = stale->name,
                .other = find_agreed_location(object),
            },
            "this region", "gets", true);
}

/* Reports the device's change that is lost as the object is freed; does nothing if changed_at is NONE. */
static void report_lost_change(const struct object *object, const accd_event *event)
{
    char element[340];
    struct rt_display_name display = get_event_name(event);
    if (object->changed_at == NONE)
        return;
    format_object_element(object, object->changed_at, display.name, element, sizeof element);
    rt_emit_lost_change((struct rt_diagnostic){
        .level = "note",
        .rule = event->rule,
        .pc = rt.site ? rt.site->call.pc : 0,
        .object = display.name,
        .element = element,
        .other = find_agreed_location(object),
        .is_grouped = true, /* reported once, as one line often maps many scratch arrays */
    });
}

bool rt_is_changing_transfer(const accd_event *event) /* true also if the old bytes are unknown */
{
    const struct object *object = find_object(event->device, event->host);
    if (!object || event->bytes > object->host + object->bytes - event->host)
        return true;
    const bool out = event->op == ACCD_OP_D2H;
    const uint64_t at = event->host - object->host;
    const int side = out ? HOST : DEVICE;
    const char *data = out ? (const char *)(uintptr_t)event->host : get_device_bytes(object) + at;
    if (!object->copy[side] && side == DEVICE)
        return !equals_device_snapshot(object, at, data, event->bytes);
    return memcmp(data, (object->copy[side] ? object->copy[side] : object->host_snapshot) + at, event->bytes) != 0;
}

void rt_snapshot_event(const accd_event *event) /* handles an allocation, transfer, attachment or free */
{
    struct object *object;
    switch (event->op) {
    case ACCD_OP_ALLOC:
        add_object(event->device, event->host, event->bytes, rt_current_thread()->sampling != RT_SKIPPED);
        break;
    case ACCD_OP_H2D:
    case ACCD_OP_D2H:
        handle_transfer(event);
        break;
    case ACCD_OP_ATTACH:
    case ACCD_OP_DETACH:
        rt_snapshot_device_write(event->device,
                                 accd_device_address(rt.context, event->device, (const void *)(uintptr_t)event->host),
                                 NULL, event->bytes);
        break;
    case ACCD_OP_FREE:
        object = get_object(event->device, event->host);
        if (object) {
            report_stale_data(object);
            report_lost_change(object, event);
            remove_object(event->device, event->host);
        }
        break;
    default:
        break;
    }
}

void rt_snapshot_device_write(int device, uint64_t dev, const void *host, uint64_t bytes)
{
    const uint64_t start = dev ? accd_host_address(rt.context, device, dev) : 0;
    struct object *object = start ? find_object(device, start) : NULL;
    if (!object)
        return;
    const uint64_t at = start - object->host, n = bytes < object->bytes - at ? bytes : object->bytes - at;
    update_snapshots(object, at, n, NULL, get_device_bytes(object) + at);
    if (start != (uintptr_t)host || !object->host_snapshot || !split_snapshots(object))
        return;
    rt_peek_protected(start, object->host_snapshot + at, n);
    if (object->stale && object->stale->at - at < n)
        clear_stale_element(object);
}

void rt_snapshot_finish(void) /* reports all stale elements, and removes all objects */
{
    for (struct entry *entry = NULL; (entry = rt_hash_next(&objects, entry));) {
        report_stale_data(entry->object);
        free_object(entry->object);
    }
    saved_objects = NULL;
    rt_hash_clear(&objects);
}
