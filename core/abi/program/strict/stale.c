/* stale.c - what host and device held of each present object when both last agreed. A strict run compares with it
 * before a construct that may move or free data, and after a kernel. Reported is:
 *
 *   a transfer overwrites what its target has changed (overwritten-change)
 *   a kernel gets data that the host has changed, and no transfer ever sends the change (stale-data)
 *   data are freed with changes of the device that the host never received (lost-change)
 *   what is copied to the host has not changed since its allocation (uninitialized-read)
 *   a transfer moves what both sides have (idle)
 *
 * Host memory may be freed while its data are present. It is read by a system call, which fails then. */
#include "abi/program/base/arena.h"
#include "abi/program/base/runtime.h"
#include "abi/program/data/image.h"
#include "abi/program/data/uses.h"
#include "tally.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { HOST, DEVICE, SIDES };
static const uint64_t NONE = UINT64_MAX; /* no byte */

struct object {
    struct object *next, *next_kept; /* of the bucket; of those with an image in was */
    int device;
    bool moved; /* to the device or from there, at least in part */
    bool differs;   /* the host from host_then, when it was looked at last */
    uint64_t looked; /* the host was not touched since this gap between kernels, or differs */
    uint64_t host, dev, bytes;
    uintptr_t agreed;   /* the call that mapped it, or moved it last */
    uint64_t unsaved;   /* first byte that the device has changed, as the object may go */
    char *unsent;       /* the element that a kernel got in an old state; NULL: there is none */
    uint64_t unsent_at; /* its byte */
    uintptr_t unsent_pc;
    char *was[SIDES]; /* what a side holds before the construct under way, if that has changed; or NULL */
    /* What each side held when they last agreed, the device from the allocation on. NULL: the object is not looked at. */
    char *host_then, *device_then; /* device_then: of its own, or NULL */
    bool unwritten;                /* without device_then: device memory was not written to; or equals the host's */
};

/* Memory that stays open: between kernels, the runtime need not open it. */
static void *take_memory(size_t n)
{
    return goacc_open_memory(NULL, NULL, 0, n);
}

static void give_memory(void *p, size_t n)
{
    if (p)
        goacc_open_memory(NULL, p, n, 0);
}

static struct object **buckets, *kept;
static size_t nobjects, room; /* room is 0 or a power of two */

/* What a region under way names. */
struct frame {
    struct frame *outer;
    uint64_t thread;
    enum goacc_look look;
    size_t n, room;
    struct {
        uint64_t host, bytes;
    } ranges[];
};
static struct frame *frames;

/* ------------------------------------------------------------------------------------ memory -- */

static bool is_poison(const char *bytes, uint64_t n)
{
    return (unsigned char)*bytes == ACCD_POISON && !memcmp(bytes, bytes + 1, n - 1);
}

static const char *on_device(const struct object *object)
{
    return (const char *)(uintptr_t)object->dev;
}

static char device_byte(const struct object *object, uint64_t k)
{
    if (object->device_then)
        return object->device_then[k];
    return object->unwritten ? (char)ACCD_POISON : object->host_then[k];
}

/* Whether bytes are what the device held then. */
static bool is_device_then(const struct object *object, uint64_t at, const char *bytes, uint64_t n)
{
    if (!object->device_then && object->unwritten)
        return is_poison(bytes, n);
    return !memcmp(bytes, (object->device_then ? object->device_then : object->host_then) + at, n);
}

/* The device's memory of its own from now on. False: there is none; the object is not looked at any more. */
static bool part(struct object *object)
{
    if (object->device_then)
        return true;
    object->device_then = take_memory(object->bytes);
    if (!object->device_then) {
        give_memory(object->host_then, object->bytes);
        object->host_then = NULL;
        return false;
    }
    if (object->unwritten)
        memset(object->device_then, ACCD_POISON, object->bytes);
    else
        memcpy(object->device_then, object->host_then, object->bytes);
    return true;
}

/* In a range the sides hold this now; host: NULL if it is what it was. device is host if both are equal. */
static void note(struct object *object, uint64_t at, uint64_t n, const char *host, const char *device)
{
    const char *const other = host ? host : object->host_then + at;
    const bool same = other == device || !memcmp(other, device, n);
    if (same && host && n == object->bytes) {
        give_memory(object->device_then, object->bytes);
        object->device_then = NULL;
        object->unwritten = false;
    } else if ((!same || object->unwritten || object->device_then) && !part(object)) {
        return;
    }
    if (object->device_then)
        memcpy(object->device_then + at, device, n);
    if (host)
        memcpy(object->host_then + at, host, n);
}

/* What the host can have changed since this gap was not looked at. */
static uint64_t looked_now(void)
{
    const uint64_t gap = goacc_strict_gap();
    return gap ? gap - 1 : 0;
}

/* Whether the host differs; pages that it cannot have changed since `since` are left out. */
static bool host_differs(const struct object *object, uint64_t since)
{
    uint64_t from = NONE; /* pages from there on are compared */
    for (uint64_t k = 0, next = 0; k <= object->bytes; k = next) {
        const uint64_t at = object->host + k, left = object->bytes - k, page = GOACC_PAGE - at % GOACC_PAGE;
        next = k + (left < page ? left : page);
        const bool skipped = !left || goacc_strict_untouched(at, next - k, since);
        if (!skipped && from == NONE)
            from = k;
        if (skipped && from != NONE && goacc_strict_differs(object->host + from, object->host_then + from, k - from))
            return true;
        if (skipped)
            from = NONE;
        if (!left)
            break;
    }
    return false;
}

static bool has_changed(struct object *object, int side)
{
    if (side == DEVICE)
        return !is_device_then(object, 0, on_device(object), object->bytes);
    if (!object->differs && goacc_strict_untouched(object->host, object->bytes, object->looked))
        return false;
    object->differs = host_differs(object, object->differs ? 0 : object->looked);
    object->looked = looked_now();
    return object->differs;
}

/* Pointers that are attached stay what they are on each side. */
static bool is_attached(const struct object *object, uint64_t at)
{
    accd_attachment pointer;
    const uintptr_t slot = (object->host + at) & ~(sizeof(void *) - 1);
    return accd_attachment_at(goacc.context, object->device, (const void *)slot, &pointer);
}

/* Whether a byte is of a pointer to a block of malloc that the host has made null since, as deallocate does with a
 * component: the block was freed. A kernel that follows the device's copy of the pointer is found by its access. */
static bool is_null_since(const struct object *object, const char *was, uint64_t at)
{
    enum { MAPPINGS = 0x7 }; /* the highest bits of addresses of large blocks */
    const uint64_t start = ((object->host + at) & ~(sizeof(void *) - 1)) - object->host;
    if (start > at || start + sizeof(void *) > object->bytes || goacc_word(was + start))
        return false;
    const uintptr_t block = goacc_word(object->host_then + start), heap = goacc_heap_start();
    const bool on_heap = heap && block >= heap && block < (uintptr_t)sbrk(0);
    return block % GOACC_ALIGNED == 0 && (on_heap || block >> 44 == MAPPINGS);
}

/* Whether a byte is padding, as the call under way knows the type. What is found for one element of an array holds for
 * all. */
static bool is_padding(const struct object *object, uint64_t at)
{
    enum { MOST = 4096 };
    static struct {
        uint64_t host, bytes, unit;
        uintptr_t pc;
        signed char is[MOST]; /* of the bytes of an element; -1: not asked for yet */
    } known;
    struct goacc_name name;
    const uintptr_t pc = goacc.site ? goacc.site->call.pc : 0;
    if (known.host != object->host || known.bytes != object->bytes || known.pc != pc) {
        const bool has_unit = goacc_name_of(goacc.site, object->host, object->bytes, &name) && name.unit;
        known.host = object->host;
        known.bytes = object->bytes;
        known.pc = pc;
        known.unit = has_unit ? name.unit : object->bytes;
        memset(known.is, -1, sizeof known.is);
    }
    const uint64_t k = at % known.unit;
    if (k >= MOST)
        return goacc_is_padding(goacc.site, object->host, object->bytes, at);
    if (known.is[k] < 0)
        known.is[k] = goacc_is_padding(goacc.site, object->host, object->bytes, at);
    return known.is[k];
}

/* ----------------------------------------------------------------------------------- objects -- */

static struct object **place_of(int device, uint64_t host)
{
    const uint64_t hash = (host + (uint64_t)device) * 0x9E3779B97F4A7C15u;
    struct object **at = &buckets[(hash >> 32) & (room - 1)];
    while (*at && ((*at)->host != host || (*at)->device != device))
        at = &(*at)->next;
    return at;
}

static bool grow(void)
{
    struct object **old = buckets;
    const size_t before = room;
    struct object **grown = take_memory((room ? 2 * room : 256) * sizeof(struct object *));
    if (!grown)
        return false;
    memset(grown, 0, (room ? 2 * room : 256) * sizeof(struct object *));
    buckets = grown;
    room = room ? 2 * room : 256;
    for (size_t i = 0; i < before; i++)
        for (struct object *object = old[i], *next; object; object = next) {
            next = object->next;
            object->next = NULL;
            *place_of(object->device, object->host) = object;
        }
    give_memory(old, before * sizeof(struct object *));
    return true;
}

static void forget_images(struct object *object)
{
    for (int side = 0; side < SIDES; side++) {
        free(object->was[side]);
        object->was[side] = NULL;
    }
}

static void forget_kept(void)
{
    for (; kept; kept = kept->next_kept)
        forget_images(kept);
}

static void forget_unsent(struct object *object)
{
    free(object->unsent);
    object->unsent = NULL;
}

static void take(int device, uint64_t host)
{
    struct object **at = room ? place_of(device, host) : NULL, *object = at ? *at : NULL;
    if (!object)
        return;
    for (struct object **k = &kept; *k; k = &(*k)->next_kept)
        if (*k == object) {
            *k = object->next_kept;
            break;
        }
    *at = object->next;
    forget_images(object);
    forget_unsent(object);
    give_memory(object->host_then, object->bytes);
    give_memory(object->device_then, object->bytes);
    give_memory(object, sizeof *object);
    nobjects--;
}

/* looked: whether it is looked at. NULL: it is not, or there is no memory. */
static struct object *add(int device, uint64_t host, uint64_t bytes, bool looked)
{
    take(device, host);
    struct object *object = nobjects < room || grow() ? take_memory(sizeof *object) : NULL;
    if (!object)
        return NULL;
    *object = (struct object){
        .device = device,
        .host = host,
        .dev = accd_device_address(goacc.context, device, (const void *)(uintptr_t)host),
        .bytes = bytes,
        .agreed = goacc.site ? goacc.site->call.pc : 0,
        .unsaved = NONE,
        .looked = looked_now(),
        .host_then = looked ? take_memory(bytes) : NULL,
        .unwritten = true,
    };
    *place_of(device, host) = object;
    nobjects++;
    if (object->host_then && goacc_strict_peek(host, object->host_then, bytes))
        return object;
    give_memory(object->host_then, bytes);
    object->host_then = NULL;
    return NULL;
}

/* The object that covers an address, or NULL. */
static struct object *object_at(int device, uint64_t host)
{
    uint64_t start, bytes;
    if (!room || !accd_present_bounds(goacc.context, device, (const void *)(uintptr_t)host, &start, &bytes))
        return NULL;
    struct object *object = *place_of(device, start);
    const void *first = (const void *)(uintptr_t)start;
    return object && object->host_then && object->bytes == bytes &&
                   object->dev == accd_device_address(goacc.context, device, first)
               ? object
               : NULL; /* not looked at, or of data that were unmapped */
}

static void each_object(int device, uint64_t host, uint64_t bytes, void (*fn)(struct object *object))
{
    uint64_t at = host, start, n;
    while (accd_present_in(goacc.context, device, &at, host + bytes, &start, &n)) {
        struct object *object = object_at(device, start);
        if (object)
            fn(object);
    }
}

/* ----------------------------------------------------------------------------------- reports -- */

/* Where both sides last agreed, also in words. */
static struct goacc_mark agreed_at(const struct object *object, char *to, size_t size)
{
    struct goacc_mark mark = {.is = object->moved ? "agreed" : "mapped"};
    *to = 0;
    if (goacc_line(object->agreed, &mark.file, &mark.line, NULL))
        snprintf(to, size, object->moved ? "; host and device last agreed at %s:%d" : "; mapped at %s:%d",
                 mark.file, mark.line);
    return mark;
}

static const char overwritten[] = "overwritten-change", stale[] = "stale-data", lost[] = "lost-change",
                  unwritten[] = "uninitialized-read";

static void spell(const struct object *object, uint64_t at, char name[GOACC_NAME], char *to,
                  size_t size)
{
    goacc_spell_element(goacc.site, object->host, object->bytes, at, name, to, size);
}

/* What moves, or goes, as it was called when it was mapped. */
static struct goacc_shown called(const accd_event *event)
{
    accd_object_info info = {.host = event->host, .bytes = event->bytes};
    snprintf(info.name, sizeof info.name, "%s", event->name);
    return goacc_shown(&info);
}

static void tell_overwritten(const struct object *object, const accd_event *event, uint64_t at)
{
    char element[340], agreed[1100], call[1200];
    const bool out = event->op == ACCD_OP_D2H;
    const uintptr_t pc = goacc.site->call.pc;
    struct goacc_shown shown = called(event);
    if (goacc_find_again(overwritten, pc, shown.name))
        return;
    spell(object, at, shown.name, element, sizeof element);
    goacc_spell_call(call, sizeof call);
    goacc_find(
        &(struct goacc_finding){
            .level = "warning",
            .code = overwritten,
            .rule = event->rule,
            .pc = pc,
            .object = shown.name,
            .element = element,
            .other = agreed_at(object, agreed, sizeof agreed),
        },
        "%s overwrites %s on the %s, which the %s has changed%s", call, element,
        out ? "host" : "device", out ? "host" : "device", agreed);
}

/* ------------------------------------------------------------------------ before constructs -- */

/* Keeps what a side holds, if that has changed. */
static void keep(struct object *object, int side)
{
    if (object->was[side] || !has_changed(object, side))
        return;
    char *image = malloc(object->bytes);
    if (!image)
        return;
    if (side == DEVICE)
        memcpy(image, on_device(object), object->bytes);
    else if (!goacc_strict_peek(object->host, image, object->bytes)) {
        free(image);
        return;
    }
    if (!object->was[!side]) {
        object->next_kept = kept;
        kept = object;
    }
    object->was[side] = image;
}

static void keep_host(struct object *object)
{
    keep(object, HOST);
}

static void keep_device(struct object *object)
{
    keep(object, DEVICE);
}

/* Whether an object may go before the next construct that is looked at. */
static bool may_go(const struct object *object)
{
    accd_present present;
    return goacc_allocated_has(object->host) ||
           !accd_present_at(goacc.context, object->device, object->host, 0, &present) ||
           (present.structured <= 1 && !present.dynamic);
}

/* A kernel that was not looked at may have changed what an earlier one got in an old state. */
static void look_at_unsent(struct object *object)
{
    const uint64_t at = object->unsent_at;
    if (object->unsent && on_device(object)[at] != device_byte(object, at))
        forget_unsent(object);
}

/* Whether an array of gfortran is as unallocated as before the kernel: what its descriptor says of bounds is lost. */
static bool is_unallocated(const struct object *object, const char *now)
{
    struct goacc_descriptor array;
    if (!goacc_has_descriptor_size(object->bytes))
        return false;
    memcpy(&array, now, sizeof array);
    return !array.data && !goacc_word(object->host_then) && !array.version && array.element && array.type > 0 &&
           object->bytes == goacc_descriptor_bytes(array.rank);
}

static void look_for_unsaved(struct object *object)
{
    const char *const now = on_device(object);
    look_at_unsent(object);
    object->unsaved = NONE;
    if (!object->moved || is_device_then(object, 0, now, object->bytes) || is_unallocated(object, now))
        return;
    for (uint64_t k = 0; k < object->bytes && object->unsaved == NONE; k++)
        if (now[k] != device_byte(object, k) && !is_padding(object, k))
            object->unsaved = k;
}

static void look_if_it_goes(struct object *object)
{
    if (may_go(object))
        look_for_unsaved(object);
}

void goacc_stale_goes(int device, uint64_t host, uint64_t bytes)
{
    each_object(device, host, bytes, look_for_unsaved);
}

bool goacc_names_data(const accd_item *items, size_t nitems, const accd_item *item)
{
    return item->bytes && item->action != ACCD_ATTACH && item->action != ACCD_DETACH &&
           !(item->flags & ACCD_ITEM_POINTER) && !goacc_carries(items, nitems, item);
}

void goacc_stale_before(const struct goacc_thread *self, accd_kind kind, const accd_item *items,
                        size_t nitems)
{
    forget_kept();
    if (self->look == GOACC_PASSED)
        return;
    for (size_t i = 0; i < nitems; i++) {
        const accd_item *item = &items[i];
        const uint64_t host = (uintptr_t)item->host;
        const bool out = item->action == ACCD_UPDATE_SELF || item->flags & ACCD_ITEM_ALWAYS_OUT ||
                         (kind == ACCD_EXIT_DATA && item->action == ACCD_COPYOUT);
        if (!item->bytes)
            continue;
        if (out)
            each_object(self->device, host, item->bytes, keep_host);
        if (item->action == ACCD_UPDATE_DEVICE || item->flags & ACCD_ITEM_ALWAYS_IN)
            each_object(self->device, host, item->bytes, keep_device);
        if (kind == ACCD_EXIT_DATA && goacc_names_data(items, nitems, item))
            each_object(self->device, host, item->bytes, look_for_unsaved);
    }
}

void goacc_stale_enter(const struct goacc_thread *self, const accd_item *items, size_t nitems)
{
    struct frame *frame = take_memory(sizeof *frame + nitems * sizeof frame->ranges[0]);
    if (!frame)
        goacc_die("out-of-memory", "no memory for a data region");
    *frame = (struct frame){.outer = frames, .thread = self->number, .look = self->look, .room = nitems};
    for (size_t i = 0; i < nitems; i++)
        if (goacc_names_data(items, nitems, &items[i])) {
            frame->ranges[frame->n].host = (uintptr_t)items[i].host;
            frame->ranges[frame->n++].bytes = items[i].bytes;
        }
    frames = frame;
}

/* The first byte that the host has changed, and the kernel, which has just run, has not. */
static void look_for_unsent(struct object *object)
{
    const char *now = on_device(object), *was = object->was[HOST], *then = object->host_then;
    uint64_t at = NONE;
    for (uint64_t page = 0, n; was && page < object->bytes && at == NONE; page += n) {
        n = object->bytes - page < GOACC_PAGE ? object->bytes - page : GOACC_PAGE;
        const bool changed = memcmp(was + page, then + page, n) != 0;
        for (uint64_t k = page; changed && k < page + n && at == NONE; k++)
            if (was[k] != then[k] && was[k] != now[k] && now[k] == device_byte(object, k) &&
                !is_attached(object, k) && !is_null_since(object, was, k) && !is_padding(object, k))
                at = k;
    }
    if (object->unsent && at != NONE)
        return;
    forget_unsent(object);
    accd_present present;
    char element[340];
    if (at == NONE || !accd_present_at(goacc.context, object->device, object->host, 0, &present))
        return;
    struct goacc_shown shown = goacc_shown(&present.info);
    spell(object, at, shown.name, element, sizeof element);
    object->unsent = strdup(element);
    object->unsent_at = at;
    object->unsent_pc = goacc.site->call.pc;
}

void goacc_stale_initial(int device, const char *host, const char *initial, uint64_t bytes)
{
    if (!initial) {
        take(device, (uintptr_t)host);
        return;
    }
    struct object *object = object_at(device, (uintptr_t)host);
    if (!object && (object = add(device, (uintptr_t)host, bytes, true))) { /* of device code */
        object->moved = true;
        part(object);
    }
    if (!object || !object->host_then || object->host != (uintptr_t)host || object->bytes != bytes)
        return;
    note(object, 0, bytes, NULL, on_device(object));
    memcpy(object->host_then, initial, bytes);
}

static void look_at_used(int device, uint64_t host, uint64_t bytes)
{
    each_object(device, host, bytes, keep_host);
    each_object(device, host, bytes, look_for_unsent);
}

void goacc_stale_declared(int device, const struct goacc_kernel *kernel)
{
    const size_t n = goacc_declared_ranges(NULL);
    struct goacc_range *ranges = malloc(n * sizeof *ranges);
    forget_kept();
    for (size_t i = 0; ranges && kernel->code && i < goacc_declared_ranges(ranges); i++)
        if (goacc_code_uses((const void *)(uintptr_t)kernel->code, ranges[i].start, ranges[i].bytes))
            look_at_used(device, ranges[i].start, ranges[i].bytes);
    free(ranges);
    if (kernel->code)
        goacc_image_each_used(device, (const void *)(uintptr_t)kernel->code, look_at_used);
}

void goacc_stale_leave(struct goacc_thread *self, bool kernel)
{
    struct frame **at = &frames, *frame;
    forget_kept();
    while (*at && (*at)->thread != self->number)
        at = &(*at)->outer;
    frame = *at;
    if (frame)
        self->look = frame->look;
    for (size_t i = 0; frame && frame->look != GOACC_PASSED && i < frame->n; i++) {
        const uint64_t host = frame->ranges[i].host, bytes = frame->ranges[i].bytes;
        each_object(self->device, host, bytes, keep_host);
        each_object(self->device, host, bytes, look_if_it_goes);
        if (kernel)
            each_object(self->device, host, bytes, look_for_unsent);
    }
    if (frame) {
        *at = frame->outer;
        give_memory(frame, sizeof *frame + frame->room * sizeof frame->ranges[0]);
    }
}

/* ------------------------------------------------------------------------------------ events -- */

/* The first byte of a range at which an image has changed, and is overwritten. */
static uint64_t overwritten_at(const struct object *object, int side, const char *now, uint64_t from,
                               uint64_t n)
{
    const char *was = object->was[side];
    for (uint64_t k = from; was && k < from + n; k++)
        if (was[k] != now[k - from] && was[k] != (side == HOST ? object->host_then[k] : device_byte(object, k)) &&
            !is_attached(object, k) && !is_padding(object, k))
            return k;
    return NONE;
}

static void tell_unwritten(const accd_event *event)
{
    const struct goacc_shown shown = called(event);
    char call[1200];
    goacc_spell_call(call, sizeof call);
    goacc_find(
        &(struct goacc_finding){
            .level = "warning",
            .code = unwritten,
            .rule = event->rule,
            .pc = goacc.site->call.pc,
            .object = shown.name,
            .other = {"mapped", shown.file, shown.line},
        },
        "%s copies %s to the host: its device memory has not changed since it was allocated", call, shown.name);
}

/* Compares what a transfer has moved with what both sides held. */
static void look_at_move(const struct object *object, const accd_event *event, uint64_t at, const char *now)
{
    const bool out = event->op == ACCD_OP_D2H;
    const uint64_t n = event->bytes, lost_at = overwritten_at(object, out ? HOST : DEVICE, now, at, n);
    const char *const was = object->was[out ? HOST : DEVICE];
    if (lost_at != NONE)
        tell_overwritten(object, event, lost_at);
    if (out && !object->moved && n == object->bytes && n >= sizeof(int) && is_poison(now, n)) /* a kernel may write less */
        tell_unwritten(event);
    goacc_idle_count(event, !memcmp(now, object->host_then + at, n) && is_device_then(object, at, now, n) &&
                                    (!was || !memcmp(was + at, now, n)),
                     false);
}

static void moved(const accd_event *event)
{
    const bool looked = goacc_self()->look != GOACC_PASSED, out = event->op == ACCD_OP_D2H;
    struct object *object = object_at(event->device, event->host);
    uint64_t start, bytes;
    if (!object && looked && accd_present_bounds(goacc.context, event->device, (const void *)(uintptr_t)event->host,
                                                 &start, &bytes)) {
        const struct object *passed = room ? *place_of(event->device, start) : NULL;
        if (!passed || (event->host == start && event->bytes == bytes)) /* of acc_map_data, or all is known now */
            object = add(event->device, start, bytes, true);
    }
    if (!object || event->bytes > object->host + object->bytes - event->host)
        return;
    const uint64_t at = event->host - object->host, n = event->bytes;
    const char *now = (const char *)(uintptr_t)event->host;
    if (looked)
        look_at_move(object, event, at, now);
    else
        goacc_idle_count(event, false, true);
    accd_stats stats;
    accd_get_stats(goacc.context, event->device, &stats);
    note(object, at, n, now, out || !stats.attachments ? now : on_device(object) + at);
    if (!object->host_then)
        return;
    object->agreed = goacc.site->call.pc;
    object->moved = true;
    if (object->unsaved - at < n)
        look_for_unsaved(object); /* a section may be a part of the object */
    if (object->unsent && object->unsent_at - at < n)
        forget_unsent(object);
}

static void tell_unsent(const struct object *object)
{
    char agreed[1100];
    if (object->unsent)
        goacc_find(
            &(struct goacc_finding){
                .level = "note",
                .code = stale,
                .rule = "ACC33-upd-1",
                .pc = object->unsent_pc,
                .object = object->unsent,
                .element = object->unsent,
                .other = agreed_at(object, agreed, sizeof agreed),
            },
            "this region gets an old state of %s: the host has changed it, and no transfer sends the change%s",
            object->unsent, agreed);
}

static void tell_unsaved(const struct object *object, const accd_event *event)
{
    char element[340], agreed[1100], call[1200];
    const uintptr_t pc = goacc.site ? goacc.site->call.pc : 0;
    struct goacc_shown shown = called(event);
    if (object->unsaved == NONE)
        return;
    spell(object, object->unsaved, shown.name, element, sizeof element);
    goacc_spell_call(call, sizeof call);
    goacc_find(
        &(struct goacc_finding){
            .level = "note",
            .code = lost,
            .rule = event->rule,
            .pc = pc,
            .object = shown.name,
            .element = element,
            .other = agreed_at(object, agreed, sizeof agreed),
            .together = true, /* scratch memory of a program lies side by side */
        },
        "%s removes %s from the device: a kernel has changed it, and no transfer copies the change "
        "to the "
        "host%s",
        goacc.site ? call : "this", element, agreed);
}

bool goacc_stale_changes(const accd_event *event)
{
    const struct object *object = object_at(event->device, event->host);
    if (!object || event->bytes > object->host + object->bytes - event->host)
        return true;
    const bool out = event->op == ACCD_OP_D2H;
    const uint64_t at = event->host - object->host;
    const int side = out ? HOST : DEVICE;
    const char *now = out ? (const char *)(uintptr_t)event->host : on_device(object) + at;
    if (!object->was[side] && side == DEVICE)
        return !is_device_then(object, at, now, event->bytes);
    return memcmp(now, (object->was[side] ? object->was[side] : object->host_then) + at, event->bytes) != 0;
}

void goacc_stale_event(const accd_event *event)
{
    struct object *object;
    switch (event->op) {
    case ACCD_OP_ALLOC:
        add(event->device, event->host, event->bytes, goacc_self()->look != GOACC_PASSED);
        break;
    case ACCD_OP_H2D:
    case ACCD_OP_D2H:
        moved(event);
        break;
    case ACCD_OP_ATTACH:
    case ACCD_OP_DETACH:
        goacc_stale_copied(
            event->device,
            accd_device_address(goacc.context, event->device, (const void *)(uintptr_t)event->host), NULL,
            event->bytes);
        break;
    case ACCD_OP_FREE:
        object = room ? *place_of(event->device, event->host) : NULL;
        if (object) {
            tell_unsent(object);
            tell_unsaved(object, event);
            goacc_gone_note(event, object->dev);
            take(event->device, event->host);
        }
        break;
    default:
        break;
    }
}

void goacc_stale_copied(int device, uint64_t dev, const void *host, uint64_t bytes)
{
    const uint64_t start = dev ? accd_host_address(goacc.context, device, dev) : 0;
    struct object *object = start ? object_at(device, start) : NULL;
    if (!object)
        return;
    const uint64_t at = start - object->host, n = bytes < object->bytes - at ? bytes : object->bytes - at;
    note(object, at, n, NULL, on_device(object) + at);
    if (start != (uintptr_t)host || !object->host_then || !part(object))
        return;
    goacc_strict_peek(start, object->host_then + at, n);
    if (object->unsent && object->unsent_at - at < n)
        forget_unsent(object);
}

void goacc_stale_end(void)
{
    for (size_t i = 0; i < room; i++)
        while (buckets[i]) {
            tell_unsent(buckets[i]);
            take(buckets[i]->device, buckets[i]->host);
        }
}
