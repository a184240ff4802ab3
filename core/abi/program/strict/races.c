/* races.c - accesses to the same bytes that nothing orders, in strict runs: missing waits (missing-wait).
 *
 * Kept is what asynchronous work accessed, until the host has waited for it:
 *
 *   transfers   read bytes of one side, and write those of the other
 *   kernels     write the bytes that they change, and use some byte of other sections that their construct names
 *   exits       free device memory
 *
 * What comes later, and is not ordered behind it, is compared. A transfer that changes no byte writes none. A kernel
 * may use any part of what its construct names: this is reported where the other access writes or frees the whole
 * section. A kernel that was watched, and touched none of the section, does not use it. Host memory that a transfer
 * reads or writes is compared when the host waits: the program must not have changed it before. */
#include "order.h"
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 }; /* accesses that are kept: older ones are forgotten */
enum { CHUNK = 16 };  /* a kernel that changes a byte of each writes the whole section */
static const uint64_t NONE = UINT64_MAX;

enum how { READS, WRITES, FREES, USES, MAY_USE };
static const char missing[] = "missing-wait";
static const char *const verbs[] = {"reads", "writes", "frees", "uses", "may use"};

struct access {
    struct access *next;
    struct goacc_used used;
    uint64_t thread; /* of the host, which made the call; calls of others have no known order with it */
    enum how how;
    bool on_device;
    bool idle; /* writes what is there: of interest if the program changes it */
    uint64_t start, bytes;
    uint64_t touched; /* a byte that a kernel uses for certain, where bits do not tell; 0: it is not known */
    unsigned char *bits; /* which bytes a kernel has changed; NULL: all are meant */
    char *image;         /* of the host, after a transfer; or NULL */
    uint64_t host, object, object_bytes; /* the host address of start; the object that it lies in */
    char *name;
};
static struct access *pending, **end = &pending;
static size_t npending;

/* Kernels under way; how often a kernel began, or other work wrote device memory: a change meanwhile may be the
 * other's. */
static unsigned running;
static uint64_t writers;

/* Of kernels and the sections that they name, those of which all runs that were watched have touched nothing. A run that
 * is passed over is taken to do the same. */
static struct untouched {
    uintptr_t pc;
    uint64_t host;
} untouched[1 << 10];

/* A section that the kernel under way of a thread names, and what the device holds before. */
struct goacc_named {
    struct goacc_named *next;
    uint64_t writers; /* as the kernel began; 0: another one was under way */
    uint64_t host, dev, bytes;
    enum goacc_touch touch;
    uint64_t at; /* where it was touched first */
    char image[];
};

static void forget_image(struct access *access)
{
    free(access->image);
    access->image = NULL;
}

static void release(struct access *access)
{
    forget_image(access);
    free(access->bits);
    free(access->name);
    free(access);
    npending--;
}

/* Takes out all that is meant. */
static void forget(bool (*is_meant)(const struct access *access, const void *ud), const void *ud)
{
    struct access **at = &pending, *access;
    while ((access = *at)) {
        if (!is_meant(access, ud)) {
            at = &access->next;
            continue;
        }
        *at = access->next;
        release(access);
    }
    end = at;
}

/* ----------------------------------------------------------------------------------- reports -- */

/* object gets the object's name. */
static void spell_byte(const struct access *access, uint64_t at, char object[GOACC_NAME], char *to,
                       size_t size)
{
    snprintf(object, GOACC_NAME, "%s", access->name);
    goacc_spell_element(goacc.site, access->object, access->object_bytes,
                        access->host - access->object + (at - access->start), object, to, size);
}

/* What is reported of a pair of accesses: the place of the earlier one is the other one. */
static struct goacc_finding finding(const struct access *earlier, enum how how, uintptr_t pc,
                                    const char *name)
{
    static const char *const done[] = {"read", "written", "freed", "used", "used"};
    struct goacc_finding finding = {.level = "warning",
                                    .code = missing,
                                    .rule = how == FREES ? "ACC33-async-4" : "ACC33-async-2",
                                    .pc = pc,
                                    .object = name,
                                    .other = {.is = done[earlier->how]}};
    goacc_line(earlier->used.pc, &finding.other.file, &finding.other.line, NULL);
    return finding;
}

/* Whether the construct that was reported last does something else with the same object, too. */
static bool is_same_construct(const struct access *later)
{
    static struct access last;
    if (last.used.pc == later->used.pc && last.object == later->object &&
        (last.how != later->how || last.on_device != later->on_device))
        return true;
    last = *later;
    last.name = NULL;
    return false;
}

static void tell_clash(const struct access *earlier, const struct access *later, uint64_t at)
{
    char first[1200], queue[60], remedy[100], element[340], object[GOACC_NAME];
    const bool kernel = goacc_is_kernel(later->used.what);
    if (is_same_construct(later) || goacc_find_again(missing, later->used.pc, later->name))
        return;
    struct goacc_finding clash = finding(earlier, later->how, later->used.pc, later->name);
    goacc_order_spell_work(&earlier->used, first, sizeof first);
    goacc_order_spell(later->used.turn, queue, sizeof queue);
    spell_byte(later, at, object, element, sizeof element);
    goacc_order_remedy(earlier->used.turn, remedy, sizeof remedy);
    clash.object = object;
    clash.element = element;
    goacc_find(&clash, "%s%s%s%s %s %s on the %s; %s %s %s, and %s",
               kernel ? "this " : "", later->used.what, kernel ? " region" : "",
               queue, verbs[later->how], element, later->on_device ? "device" : "host", first,
               verbs[earlier->how], earlier->how == later->how ? "it, too" : "it", remedy);
}

/* The program has changed what a transfer reads or writes. ends: it never waits. */
static void tell_changed(const struct access *access, uint64_t at, bool ends)
{
    char work[1200], element[340], remedy[100], object[GOACC_NAME];
    const uintptr_t pc = ends || !goacc.site ? access->used.pc : goacc.site->call.pc;
    struct goacc_finding change = finding(access, access->how, pc, access->name);
    goacc_order_spell_work(&access->used, work, sizeof work);
    spell_byte(access, at, object, element, sizeof element);
    goacc_order_remedy(access->used.turn, remedy, sizeof remedy);
    change.object = object;
    change.element = element;
    goacc_find(&change, "the host has changed %s %s; %s %s it on the host, and %s", element,
               ends ? "before any wait" : "before this wait", work, verbs[access->how], remedy);
}

/* ---------------------------------------------------------------------------------- accesses -- */

static bool has_bit(const struct access *access, uint64_t at)
{
    const uint64_t k = at - access->start;
    return !access->bits || access->bits[k / 8] >> k % 8 & 1;
}

static bool changes(const struct access *access)
{
    return access->how == WRITES || access->how == FREES;
}

/* Whether an access concerns all of a range. */
static bool covers(const struct access *access, uint64_t start, uint64_t bytes)
{
    if (start < access->start || start + bytes > access->start + access->bytes)
        return false;
    uint64_t last = start;
    for (uint64_t k = start; access->bits && k < start + bytes && k - last < CHUNK; k++)
        if (has_bit(access, k))
            last = k;
    return !access->bits || start + bytes - last <= CHUNK;
}

static bool meets(const struct access *a, const struct access *b)
{
    return a->on_device == b->on_device && a->start < b->start + b->bytes &&
           b->start < a->start + a->bytes;
}

static uint64_t byte_of(const struct access *use)
{
    return use->touched ? use->touched : use->start;
}

/* The first byte that two accesses cannot both have without an order; NONE: there is none. What two kernels write may
 * be written by atomic operations. */
static uint64_t clash_of(const struct access *a, const struct access *b)
{
    const uint64_t from = a->start > b->start ? a->start : b->start;
    const uint64_t a_end = a->start + a->bytes, b_end = b->start + b->bytes,
                   to = a_end < b_end ? a_end : b_end;
    if (!meets(a, b) || (a->bits && b->bits) || a->idle || b->idle || (!changes(a) && !changes(b)))
        return NONE;
    if (a->how >= USES)
        return covers(b, a->start, a->bytes) ? byte_of(a) : NONE;
    if (b->how >= USES)
        return covers(a, b->start, b->bytes) ? byte_of(b) : NONE;
    for (uint64_t k = from; k < to; k++)
        if (has_bit(a, k) && has_bit(b, k))
            return k;
    return NONE;
}

/* Whether a later access of the same strand stands for it, too. */
static bool is_replaced(const struct access *access, const void *ud)
{
    const struct access *by = ud;
    return access->used.turn.strand == by->used.turn.strand && access->thread == by->thread && access->how == by->how &&
           access->idle >= by->idle && access->on_device == by->on_device &&
           by->start <= access->start && access->start + access->bytes <= by->start + by->bytes &&
           !by->bits;
}

/* What the later one of two writes is its own; nothing left: the earlier one goes. */
static bool is_rewritten(const struct access *access, const void *ud)
{
    const struct access *by = ud;
    unsigned char left = 0;
    if (access->used.turn.strand != by->used.turn.strand || !access->bits || !by->bits ||
        access->start != by->start || access->bytes != by->bytes)
        return false;
    for (uint64_t k = 0; k < (access->bytes + 7) / 8; k++)
        left |= access->bits[k] &= (unsigned char)~by->bits[k];
    return !left;
}

static void keep(const struct access *access)
{
    forget(access->bits ? is_rewritten : is_replaced, access);
    if (npending == MOST) {
        struct access *oldest = pending;
        pending = oldest->next;
        release(oldest);
    }
    struct access *own = malloc(sizeof *own);
    if (!own)
        return;
    *own = *access;
    own->name = strdup(access->name ? access->name : "");
    own->next = NULL;
    if (!own->on_device && (own->image = malloc(own->bytes)) &&
        !goacc_strict_peek(own->start, own->image, own->bytes))
        forget_image(own);
    *end = own;
    end = &own->next;
    npending++;
}

/* An access of the call under way. Its bits are taken. */
static void access(struct access *access)
{
    accd_present object = {0};
    struct goacc_shown shown;
    const struct goacc_thread *self = goacc_self();
    access->used = (struct goacc_used){self->turn, goacc.site->call.pc, goacc.site->what};
    access->thread = self->number;
    writers += access->how == WRITES && access->on_device && !access->bits;
    if (accd_present_at(goacc.context, self->device,
                        access->on_device ? access->start : access->host, access->on_device,
                        &object)) {
        shown = goacc_shown(&object.info);
        access->host =
            access->on_device ? object.info.host + (access->start - object.dev) : access->start;
    } else {
        snprintf(shown.name, sizeof shown.name, "%p", (void *)(uintptr_t)access->start);
        object.info.host = access->host = access->start;
        object.info.bytes = access->bytes;
    }
    access->object = object.info.host;
    access->object_bytes = object.info.bytes;
    access->name = shown.name;
    bool told = false;
    for (struct access *earlier = pending; earlier; earlier = earlier->next) {
        const bool ordered = told || earlier->thread != access->thread ||
                             goacc_order_before(earlier->used.turn, access->used.turn);
        const uint64_t at = ordered ? NONE : clash_of(access, earlier);
        told |= at != NONE;
        if (at != NONE)
            tell_clash(earlier, access, at);
        if (access->how == WRITES && !access->idle && meets(access, earlier))
            forget_image(earlier); /* that is no change of the program */
    }
    if (!goacc_order_is_done(access->used.turn)) /* another thread may have waited meanwhile */
        keep(access);
    else
        free(access->bits);
    access->name = NULL;
}

/* Whether nothing can clash: the host's work comes after all that is kept. */
static bool is_quiet(const struct goacc_thread *self)
{
    return !self->turn.strand && !pending && !running;
}

static void transfer(bool on_device, bool writes, uint64_t start, uint64_t bytes, bool idle)
{
    if (bytes && !is_quiet(goacc_self()))
        access(&(struct access){.how = writes ? WRITES : READS,
                                .on_device = on_device,
                                .idle = idle,
                                .start = start,
                                .bytes = bytes,
                                .host = start});
}

void goacc_races_access(bool on_device, bool writes, uint64_t start, uint64_t bytes)
{
    transfer(on_device, writes, start, bytes, false);
}

static bool is_freed(const struct access *access, const void *ud)
{
    const struct access *freed = ud;
    return access->on_device && access->start - freed->start < freed->bytes;
}

static void free_memory(uint64_t dev, uint64_t bytes, bool own)
{
    struct access freed = {.how = FREES, .on_device = true, .start = dev, .bytes = bytes, .host = dev};
    if (!dev || !bytes)
        return;
    if (!own)
        access(&freed);
    forget(is_freed, &freed);
}

void goacc_races_free(int device, uint64_t dev)
{
    uint64_t bytes = 0;
    for (const struct access *access = pending; access; access = access->next) {
        const uint64_t n = access->start + access->bytes - dev;
        if (access->on_device && access->start >= dev && n > bytes &&
            accd_device_holds(goacc.context, device, dev, n))
            bytes = n;
    }
    free_memory(dev, bytes, false);
}

/* Whether the compiler may have passed a variable by value, or made it. */
static bool is_passed(const accd_event *event)
{
    const accd_construct *construct = &goacc.construct;
    if (goacc_is_value(event))
        return true;
    for (size_t i = 0; i < construct->nitems; i++)
        if ((uintptr_t)construct->items[i].host == event->host)
            return !goacc_names_data(construct->items, construct->nitems, &construct->items[i]);
    return false;
}

/* Whether a compute construct maps an object itself, for itself: the reference counter orders that behind others that
 * have the object meanwhile. */
static bool is_own(const accd_event *event)
{
    accd_present object;
    return goacc_is_kernel(goacc.site->what) &&
           accd_present_at(goacc.context, event->device, event->host, 0, &object) && object.structured <= 1 &&
           !object.dynamic;
}

void goacc_races_event(const accd_event *event)
{
    if (!goacc.site || is_quiet(goacc_self()) ||
        (event->op != ACCD_OP_H2D && event->op != ACCD_OP_D2H && event->op != ACCD_OP_FREE))
        return;
    const void *const host = (const void *)(uintptr_t)event->host;
    const uint64_t dev = accd_device_address(goacc.context, event->device, host);
    const bool own = is_own(event);
    if (event->op == ACCD_OP_FREE) {
        free_memory(dev, event->bytes, own);
        return;
    }
    const bool out = event->op == ACCD_OP_D2H;
    const bool idle = !goacc_stale_changes(event);
    if (!is_passed(event))
        transfer(false, out, event->host, event->bytes, idle && out);
    if (dev && !own)
        transfer(true, !out, dev, event->bytes, idle && !out);
}

/* ----------------------------------------------------------------------------------- kernels -- */

void goacc_races_named(struct goacc_thread *self, const accd_item *items, size_t nitems)
{
    const bool quiet = is_quiet(self);
    writers++;
    running++;
    for (size_t i = 0; i < nitems && !quiet; i++) {
        const accd_item *item = &items[i];
        const uint64_t dev = accd_device_address(goacc.context, self->device, item->host);
        struct goacc_named *named = NULL;
        if (dev && item->bytes && goacc_names_data(items, nitems, item) &&
            accd_presence_of(goacc.context, self->device, item->host, item->bytes) == ACCD_WHOLLY)
            named = malloc(sizeof *named + item->bytes);
        if (!named)
            continue;
        *named = (struct goacc_named){self->named, running > 1 ? 0 : writers, (uintptr_t)item->host,
                                      dev, item->bytes, GOACC_MAY_TOUCH, 0};
        memcpy(named->image, (const void *)(uintptr_t)dev, item->bytes);
        self->named = named;
    }
}

static struct untouched *place_in_untouched(uintptr_t pc, uint64_t host)
{
    enum { ROOM = sizeof untouched / sizeof untouched[0] };
    return &untouched[((pc ^ host) * 0x9E3779B97F4A7C15u >> 32) % ROOM];
}

static bool leaves_alone(uintptr_t pc, uint64_t host)
{
    const struct untouched *place = place_in_untouched(pc, host);
    return place->pc == pc && place->host == host;
}

size_t goacc_races_sections(const struct goacc_thread *self, struct goacc_section *sections, size_t most)
{
    size_t n = 0;
    for (const struct goacc_named *named = self->named; named && n < most; named = named->next)
        sections[n++] = (struct goacc_section){.start = named->dev, .bytes = named->bytes};
    return n;
}

void goacc_races_touched(struct goacc_thread *self, uintptr_t pc, const struct goacc_section *sections, size_t n)
{
    struct goacc_named *named = self->named;
    for (size_t i = 0; i < n; i++, named = named->next) {
        struct untouched *place = place_in_untouched(pc, named->host);
        named->touch = sections[i].touch;
        named->at = sections[i].at;
        if (named->touch == GOACC_UNTOUCHED)
            *place = (struct untouched){pc, named->host};
        else if (leaves_alone(pc, named->host))
            *place = (struct untouched){0};
    }
}

/* A bit for each byte of two words that differs. The product moves bit 8 * i to bit 56 + i, and no two to one. */
static unsigned char bits_of(const char *now, const char *before)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    uint64_t a, b;
    memcpy(&a, now, sizeof a);
    memcpy(&b, before, sizeof b);
    const uint64_t changed = a ^ b, tops = (((changed & low) + low) | changed) & ~low;
    return (unsigned char)((tops >> 7) * 0x0102040810204080u >> 56);
}

/* Which bytes a kernel has changed; NULL: none, or it is not known. */
static unsigned char *changed_bits(const struct goacc_named *named)
{
    const char *now = (const char *)(uintptr_t)named->dev;
    if (named->writers != writers || !memcmp(now, named->image, named->bytes))
        return NULL;
    const uint64_t words = named->bytes / 8;
    unsigned char *bits = calloc(words + 1, 1);
    for (uint64_t k = 0; bits && k < words; k++)
        bits[k] = bits_of(now + 8 * k, named->image + 8 * k);
    for (uint64_t k = 8 * words; bits && k < named->bytes; k++)
        bits[words] |= (unsigned char)((now[k] != named->image[k]) << k % 8);
    return bits;
}

void goacc_races_ran(struct goacc_thread *self)
{
    running--;
    for (struct goacc_named *named; (named = self->named);) {
        unsigned char *bits = changed_bits(named);
        if (self->look == GOACC_PASSED && leaves_alone(goacc.site->call.pc, named->host))
            named->touch = GOACC_UNTOUCHED;
        struct access uses = {.how = named->touch == GOACC_TOUCHES ? USES : MAY_USE,
                              .on_device = true,
                              .start = named->dev,
                              .bytes = named->bytes,
                              .touched = named->touch == GOACC_TOUCHES ? named->at : 0,
                              .host = named->host};
        if (bits) {
            struct access writes = uses;
            writes.how = WRITES;
            writes.bits = bits;
            access(&writes);
        } else if (named->bytes > CHUNK && named->touch != GOACC_UNTOUCHED) /* a smaller one may be private */
            access(&uses);
        self->named = named->next;
        free(named);
    }
}

/* ------------------------------------------------------------------------------------- waits -- */

static void compare(const struct access *access, bool ends)
{
    char now[4096];
    for (uint64_t at = 0, n; access->image && at < access->bytes; at += n) {
        n = access->bytes - at < sizeof now ? access->bytes - at : sizeof now;
        if (!goacc_strict_peek(access->start + at, now, n))
            return;
        for (uint64_t k = 0; k < n; k++)
            if (now[k] != access->image[at + k]) {
                tell_changed(access, access->start + at + k, ends);
                return;
            }
    }
}

static bool is_done(const struct access *access, const void *ud)
{
    (void)ud;
    return goacc_order_is_done(access->used.turn);
}

void goacc_races_waited(void)
{
    for (const struct access *access = pending; access; access = access->next)
        if (access->thread == goacc_own.number && goacc_order_is_done(access->used.turn))
            compare(access, false);
    forget(is_done, NULL);
}

static bool is_any(const struct access *access, const void *ud)
{
    (void)access, (void)ud;
    return true;
}

void goacc_races_end(void)
{
    for (const struct access *access = pending; access; access = access->next)
        compare(access, true);
    forget(is_any, NULL);
}
