/* freed.c - reports about malloc blocks that are freed while data in them are mapped, and about device memory that is
 * freed like a block. The program calls these free and realloc, because the library is preloaded: it comes before the C
 * library. They look for no data while a kernel is watched, because the runtime's memory is closed then, or while
 * another thread has the lock. */
#include "abi/program/base/runtime.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

/* Mapped data whose block was freed, as it was reported: their memory may be that of another block
 * now. By host address, with open addressing, with the lock. */
static struct freed_data {
    uint64_t host; /* 0: none; GONE: none any more */
    int device;
} * told;
static size_t ntold, told_room; /* entries that are not 0; 0 or a power of two */
enum { GONE = 1 };

/* The entry of the data, or a free one; told_room is not 0. */
static struct freed_data *told_at(int device, uint64_t host)
{
    size_t i = (size_t)((host >> 3) * 0x9E3779B97F4A7C15u >> 20);
    while (told[i & (told_room - 1)].host &&
           (told[i & (told_room - 1)].host != host || told[i & (told_room - 1)].device != device))
        i++;
    return &told[i & (told_room - 1)];
}

bool goacc_was_freed(int device, uint64_t host)
{
    return ntold && told_at(device, host)->host;
}

void goacc_freed_unmapped(int device, uint64_t host)
{
    if (goacc_was_freed(device, host))
        told_at(device, host)->host = GONE;
}

__thread struct goacc_freeing goacc_freeing;

#ifdef GOACC_PRELOADED

/* Without memory the end reports the data again. */
static void note_told(int device, uint64_t host)
{
    if (2 * ntold >= told_room) {
        struct freed_data *const old = told;
        const size_t old_room = told_room;
        struct freed_data *grown = calloc(old_room ? 2 * old_room : 64, sizeof *grown);
        if (!grown)
            return;
        told = grown;
        told_room = old_room ? 2 * old_room : 64;
        ntold = 0;
        for (size_t i = 0; i < old_room; i++)
            if (old[i].host > GONE) {
                *told_at(old[i].device, old[i].host) = old[i];
                ntold++;
            }
        free(old);
    }
    struct freed_data *entry = told_at(device, host);
    ntold += !entry->host;
    *entry = (struct freed_data){host, device};
}

/* The function of the next library; NULL: the dynamic linker, which looks for it, frees the text of an old error. The
 * compiler takes dlsym for a function that calls none of ours. */
static void *next(const char *name, _Atomic(void *) *found)
{
    static __thread volatile bool asking;
    void *at = atomic_load_explicit(found, memory_order_relaxed);
    if (at || asking)
        return at;
    asking = true;
    at = dlsym(RTLD_NEXT, name);
    asking = false;
    atomic_store_explicit(found, at, memory_order_relaxed);
    return at;
}

struct freed {
    int device; /* -1: nothing is mapped */
    accd_present object;
};

static bool is_looking(void)
{
    return (goacc.options.strict || goacc.options.check) && goacc.context && !goacc.ending &&
           !atomic_load_explicit(&goacc.watched, memory_order_relaxed);
}

/* The first data that begin in a block. */
static void look(const void *block, struct freed *freed)
{
    freed->device = -1;
    if (!block || !goacc_try_lock())
        return;
    const uint64_t low = (uintptr_t)block, end = low + malloc_usable_size((void *)(uintptr_t)block);
    const int devices = goacc.context ? accd_device_count(goacc.context) : 0;
    for (int device = 0; device < devices && freed->device < 0; device++) {
        uint64_t at = low, start, bytes;
        while (freed->device < 0 && accd_present_in(goacc.context, device, &at, end, &start, &bytes))
            if (start >= low && !goacc_was_freed(device, start) &&
                accd_present_at(goacc.context, device, start, 0, &freed->object))
                freed->device = device;
    }
    goacc_unlock();
}

/* The place of a call of free or realloc in the program's own code. */
static __attribute__((noinline)) uintptr_t place_of(struct goacc_site site)
{
    goacc_leave_system(&site.call);
    return site.call.pc;
}

/* moves: by realloc, to another block. */
static void tell(const struct goacc_site *site, const struct freed *freed, bool moves)
{
    if (freed->device < 0 || goacc_allocated_has(freed->object.info.host) || !goacc_try_lock())
        return;
    const struct goacc_shown shown = goacc_shown(&freed->object.info);
    char from[1100] = "";
    if (shown.file)
        snprintf(from, sizeof from, ", mapped at %s:%d", shown.file, shown.line);
    const struct goacc_finding finding = {
        .level = "warning",
        .code = "still-mapped",
        .rule = "ACC33-2.6.7-4",
        .pc = place_of(*site),
        .object = shown.name,
        .other = {"mapped", shown.file, shown.line},
        .bytes = freed->object.info.bytes,
        .together = shown.file,
        .help = moves ? "exit data copyout({1|...}) before the realloc, and enter data "
                        "copyin({1|...}) after it"
                      : "unmap the data before they are freed: exit data delete({1|...})",
        .openmp =
            moves ? "target exit data map(from: {1|...}) before the realloc, and target enter data "
                    "map(to: {1|...}) "
                    "after it"
                  : "unmap the data before they are freed: target exit data map(delete: {1|...})",
    };
    if (moves)
        goacc_find(
            &finding,
            "realloc moves %s, which is still on device %d%s: the device keeps the old block",
            shown.name, freed->device, from);
    else
        goacc_find(&finding, "%s: %s is freed on the host, and still on device %d%s", site->what,
                   shown.name, freed->device, from);
    note_told(freed->device, freed->object.info.host);
    goacc_unlock();
}

static bool may_be_on_device(const void *block)
{
    return (uintptr_t)block - goacc.device_low < goacc.device_high - goacc.device_low;
}

/* Of device memory, which is no block. The C library would read what lies before it, and crash or not. */
static __attribute__((noinline, cold)) void refuse(const struct goacc_site *site, const void *block)
{
    const uintptr_t dev = (uintptr_t)block;
    if (goacc.ending || !goacc_lock())
        return;
    const char *region = goacc_region(goacc_own.does);
    const int device = accd_device_of(goacc.context, dev);
    const uint64_t host = device < 0 ? 0 : accd_host_address(goacc.context, device, dev);
    struct goacc_finding finding = {
        .level = "error",
        .code = region ? "misuse" : "device-pointer-on-host",
        .rule = region ? NULL : "ACC33-hd-1",
        .pc = place_of(*site),
        .help = region ? "free only what the region itself has allocated; the host unmaps data"
                       : "unmap data with exit data; acc_free and omp_target_free free what the "
                         "program has allocated",
    };
    char who[48] = "the host";
    struct goacc_shown shown;
    accd_present object;
    if (region)
        snprintf(who, sizeof who, "the %s region", region);
    if (host && accd_present_at(goacc.context, device, host, 0, &object)) {
        shown = goacc_shown(&object.info);
        finding.object = shown.name;
        finding.other = goacc_mapped_at(&object.info);
    }
    if (finding.object)
        goacc_find(&finding, "%s: %s frees the device memory of %s", site->what, who, shown.name);
    else if (device >= 0)
        goacc_find(&finding, "%s: %s frees device memory at %p", site->what, who,
                   (const void *)dev);
    if (device >= 0)
        goacc_end();
    goacc_unlock();
}

void free(void *block)
{
    static _Atomic(void *) found;
    void (*real)(void *) = (void (*)(void *))next("free", &found);
    if (__builtin_expect(may_be_on_device(block), 0)) {
        const struct goacc_site site = goacc_here("free");
        refuse(&site, block);
    }
    if (is_looking()) {
        const struct goacc_site site = goacc_here("free");
        struct freed freed;
        look(block, &freed);
        tell(&site, &freed, false);
    }
    goacc_freeing = (struct goacc_freeing){(uintptr_t)__builtin_return_address(0), __builtin_frame_address(0)};
    if (real)
        real(block);
    goacc_freeing = (struct goacc_freeing){0};
}

void *realloc(void *block, size_t bytes)
{
    static _Atomic(void *) found;
    const struct goacc_site site = goacc_here("realloc");
    void *(*real)(void *, size_t) = (void *(*)(void *, size_t))next("realloc", &found);
    struct freed freed = {.device = -1};
    const uintptr_t before = (uintptr_t)block;
    if (may_be_on_device(block))
        refuse(&site, block);
    if (is_looking())
        look(block, &freed);
    goacc_freeing = (struct goacc_freeing){(uintptr_t)__builtin_return_address(0), __builtin_frame_address(0)};
    void *grown = real ? real(block, bytes) : NULL;
    goacc_freeing = (struct goacc_freeing){0};
    if ((uintptr_t)grown != before && (grown || !bytes))
        tell(&site, &freed, grown);
    return grown;
}
#endif
