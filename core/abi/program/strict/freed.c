/* freed.c - reports about malloc blocks that are freed while data in them are mapped, and about device memory that is
 * freed like a block. The program calls these free and realloc, because the library is preloaded: it comes before the C
 * library. They look for no data while a kernel is watched, because the runtime's memory is closed then, or while
 * another thread has the lock. */
#include "abi/program/base/runtime.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

/* Mapped data whose block was freed, as it was reported: their memory may be that of another block now. With the
 * lock. */
static struct {
    uint64_t host; /* 0: none */
    int device;
} told[64];
enum { TOLD = sizeof told / sizeof told[0] };
static bool any_told;

void goacc_freed_unmapped(int device, uint64_t host)
{
    for (int i = 0; any_told && i < TOLD; i++)
        if (told[i].host == host && told[i].device == device)
            told[i].host = 0;
}

#ifdef GOACC_PRELOADED

static bool is_told(int device, uint64_t host)
{
    bool known = false;
    for (int i = 0; i < TOLD; i++)
        known |= told[i].host == host && told[i].device == device;
    return known;
}

static void note_told(int device, uint64_t host)
{
    static unsigned last;
    last = (last + 1) % TOLD;
    any_told = true;
    told[last].host = host;
    told[last].device = device;
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
            if (start >= low && !is_told(device, start) &&
                accd_present_at(goacc.context, device, start, 0, &freed->object))
                freed->device = device;
    }
    goacc_unlock();
}

static void tell(const char *what, uintptr_t pc, const struct freed *freed)
{
    if (freed->device < 0 || goacc_allocated_has(freed->object.info.host) || !goacc_try_lock())
        return;
    const struct goacc_shown shown = goacc_shown(&freed->object.info);
    char from[1100] = "";
    if (shown.file)
        snprintf(from, sizeof from, ", mapped at %s:%d", shown.file, shown.line);
    goacc_find(
        &(struct goacc_finding){
            .level = "warning",
            .code = "still-mapped",
            .rule = "ACC33-2.6.7-4",
            .pc = pc,
            .object = shown.name,
            .other = {"mapped", shown.file, shown.line},
            .bytes = freed->object.info.bytes,
        },
        "%s: %s is freed on the host, and still on device %d%s", what, shown.name, freed->device, from);
    note_told(freed->device, freed->object.info.host);
    goacc_unlock();
}

/* Of device memory, which is no block. The C library would read what lies before it, and crash or not. */
static void refuse(const char *what, const void *block, uintptr_t pc)
{
    const uintptr_t dev = (uintptr_t)block;
    if (dev - goacc.device_low >= goacc.device_high - goacc.device_low || goacc.ending || !goacc_lock())
        return;
    const char *region = goacc_region(goacc_own.does);
    const int device = accd_device_of(goacc.context, dev);
    const uint64_t host = device < 0 ? 0 : accd_host_address(goacc.context, device, dev);
    struct goacc_finding finding = {
        .level = "error",
        .code = region ? "misuse" : "device-pointer-on-host",
        .rule = region ? NULL : "ACC33-hd-1",
        .pc = pc,
        .help = region ? "free only what the region itself has allocated; the host unmaps data"
                       : "unmap data with exit data; acc_free and omp_target_free free what the program has allocated",
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
        goacc_find(&finding, "%s: %s frees the device memory of %s", what, who, shown.name);
    else if (device >= 0)
        goacc_find(&finding, "%s: %s frees device memory at %p", what, who, (const void *)dev);
    if (device >= 0)
        goacc_end();
    goacc_unlock();
}

void free(void *block)
{
    static _Atomic(void *) found;
    void (*real)(void *) = (void (*)(void *))next("free", &found);
    refuse("free", block, (uintptr_t)__builtin_return_address(0));
    if (is_looking()) {
        struct freed freed;
        look(block, &freed);
        tell("free", (uintptr_t)__builtin_return_address(0), &freed);
    }
    if (real)
        real(block);
}

__thread struct goacc_freeing goacc_freeing;

void *realloc(void *block, size_t bytes)
{
    static _Atomic(void *) found;
    void *(*real)(void *, size_t) = (void *(*)(void *, size_t))next("realloc", &found);
    struct freed freed = {.device = -1};
    const uintptr_t before = (uintptr_t)block;
    refuse("realloc", block, (uintptr_t)__builtin_return_address(0));
    if (is_looking())
        look(block, &freed);
    goacc_freeing = (struct goacc_freeing){(uintptr_t)__builtin_return_address(0), __builtin_frame_address(0)};
    void *grown = real ? real(block, bytes) : NULL;
    goacc_freeing = (struct goacc_freeing){0};
    if ((uintptr_t)grown != before && (grown || !bytes))
        tell("realloc", (uintptr_t)__builtin_return_address(0), &freed);
    return grown;
}
#endif
