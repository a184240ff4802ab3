/* interposed_free.c - reports malloc blocks that are freed while data in them are mapped, and device memory that is
 * passed to free. The library is preloaded before the C library, so that the program calls the functions free and
 * realloc of this file. They look for data only if no kernel is guarded, as the runtime's memory is protected then, and
 * if no other thread has the lock. */
#include "base/kernel.h"
#include "base/lock.h"
#include "base/runtime.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "image/allocatable.h"
#include "lib/hash.h"
#include "interposed_free.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

/* Mapped data whose block was freed, as a report has said. The block's memory may belong to another block now, which
 * has nothing to do with these data. Needs the lock. */
static struct rt_hash reported_frees = RT_HASH_TABLE(rt_heap_realloc, uint64_t); /* keys by rt_data_key */

/* Returns true if a report has said that the block of the mapped data at `host` was freed. */
bool rt_is_freed_data(int device, uint64_t host)
{
    return reported_frees.n && rt_hash_find(&reported_frees, rt_data_key(device, host));
}

/* Forgets that the block of the data at `host` was freed, as the data are unmapped. */
void rt_forget_freed_data(int device, uint64_t host)
{
    if (reported_frees.n)
        rt_hash_remove(&reported_frees, rt_data_key(device, host));
}

__thread struct rt_free_call rt_free_call;

#ifdef RT_PRELOADED

/* Returns the function `name` of the next library, and stores it in *function for the next call. Returns NULL while
 * dlsym, which looks the function up, calls free or realloc itself. `in_dlsym` is volatile, because the compiler
 * assumes that dlsym calls none of these functions. */
static void *find_next_function(const char *name, _Atomic(void *) *function)
{
    static __thread volatile bool in_dlsym;
    void *at = atomic_load_explicit(function, memory_order_relaxed);
    if (at || in_dlsym)
        return at;
    in_dlsym = true;
    at = dlsym(RTLD_NEXT, name);
    in_dlsym = false;
    atomic_store_explicit(function, at, memory_order_relaxed);
    return at;
}

/* Mapped data that find_data_in_block has found in a block that is freed. */
struct freed_data {
    int device; /* device of the data; -1: nothing in the block is mapped */
    accd_present_object object;
};

/* Returns true if freed blocks are searched for mapped data: in strict and checked runs, while no kernel is guarded. */
static bool checks_frees(void)
{
    return (rt.options.strict || rt.options.instrumented) && rt.context && !rt.is_ending &&
           !atomic_load_explicit(&rt.guarded_kernels, memory_order_relaxed);
}

/* Stores in *freed_data the first mapped data that begin in a malloc block and were not reported as freed.
 * freed_data->device becomes -1 if there are no such data, or if any thread has the lock. */
static void find_data_in_block(const void *block, struct freed_data *freed_data)
{
    freed_data->device = -1;
    if (!block || !rt_try_lock())
        return;
    const uint64_t low = (uintptr_t)block, end = low + malloc_usable_size((void *)(uintptr_t)block);
    const int devices = rt.context ? accd_device_count(rt.context) : 0;
    for (int device = 0; device < devices && freed_data->device < 0; device++) {
        uint64_t at = low, start, bytes;
        while (freed_data->device < 0 && accd_present_overlapping(rt.context, device, &at, end, &start, &bytes))
            if (start >= low && !rt_is_freed_data(device, start) &&
                accd_present_at(rt.context, device, start, 0, &freed_data->object))
                freed_data->device = device;
    }
    rt_unlock();
}

/* Returns the return address, in the program's own code, of the call of free or realloc at `site`. */
static __attribute__((noinline)) uintptr_t find_free_call(struct rt_site site)
{
    rt_unwind_to_program(&site.call);
    return site.call.pc;
}

/* Reports that the block of mapped data was freed. moves: realloc has moved the block's content to another
 * block. Does nothing if *freed_data has no data, if the data belong to an allocatable variable, or if any
 * thread has the lock. */
static void report_freed_data(const struct rt_site *site, const struct freed_data *freed_data, bool moves)
{
    if (freed_data->device < 0 || rt_is_allocatable_data(freed_data->object.info.host) || !rt_try_lock())
        return;
    const struct rt_display_name display = rt_get_display_name(&freed_data->object.info);
    const struct rt_diagnostic diagnostic = {
        .level = "warning",
        .code = "still-mapped",
        .rule = "ACC33-2.6.7-4",
        .pc = find_free_call(*site),
        .object = display.name,
        .other = {"mapped", display.file, display.line},
        .bytes = freed_data->object.info.bytes,
        .is_grouped = display.file,
        .help = moves ? "exit data copyout({1|...}) before the realloc, and enter data "
                        "copyin({1|...}) after it"
                      : "unmap the data before they are freed: exit data delete({1|...})",
        .openmp = moves ? "target exit data map(from: {1|...}) before the realloc, and target enter data "
                          "map(to: {1|...}) "
                          "after it"
                        : "unmap the data before they are freed: target exit data map(delete: {1|...})",
    };
    if (moves)
        rt_emit_diagnostic(&diagnostic, "realloc moves %s, which is still on device %d: the device keeps the old block",
                           display.name, freed_data->device);
    else
        rt_emit_diagnostic(&diagnostic, "%s: %s is freed on the host, and still on device %d", site->construct_name,
                           display.name, freed_data->device);
    /* if there is no memory, the end of the program reports the data again */
    rt_hash_add(&reported_frees, rt_data_key(freed_data->device, freed_data->object.info.host));
    rt_unlock();
}

/* Returns true if a block lies in the address space of device memory. */
static bool is_in_device_range(const void *block)
{
    return (uintptr_t)block - rt.device_low < rt.device_high - rt.device_low;
}

/* Reports a device address passed to free or realloc, and ends the program, because the C library would read
 * the memory before that address. Returns if the address belongs to no device, if the program is ending, or
 * in the runtime's own code (which has the lock). */
static __attribute__((noinline, cold)) void reject_device_free(const struct rt_site *site, const void *block)
{
    const uintptr_t dev = (uintptr_t)block;
    if (rt.is_ending || !rt_lock())
        return;
    const char *region = rt_kernel_kind(rt_this_thread.activity);
    const int device = accd_device_at(rt.context, dev);
    const uint64_t host = device < 0 ? 0 : accd_host_address(rt.context, device, dev);
    struct rt_diagnostic diagnostic = {
        .level = "error",
        .code = region ? "misuse" : "device-pointer-on-host",
        .rule = region ? NULL : "ACC33-hd-1",
        .pc = find_free_call(*site),
        .help = region ? "free only what the region itself has allocated; the host unmaps data"
                       : "unmap data with exit data; acc_free and omp_target_free free what the "
                         "program has allocated",
    };
    char actor[48] = "the host";
    struct rt_display_name display;
    accd_present_object object;
    if (region)
        snprintf(actor, sizeof actor, "the %s region", region);
    if (host && accd_present_at(rt.context, device, host, 0, &object)) {
        display = rt_get_display_name(&object.info);
        diagnostic.object = display.name;
        diagnostic.other = rt_get_mapped_location(&object.info);
    }
    if (diagnostic.object)
        rt_emit_diagnostic(&diagnostic, "%s: %s frees the device memory of %s", site->construct_name, actor,
                           display.name);
    else if (device >= 0)
        rt_emit_diagnostic(&diagnostic, "%s: %s frees device memory at %p", site->construct_name, actor,
                           (const void *)dev);
    if (device >= 0)
        rt_exit_with_error();
    rt_unlock();
}

/* Reports mapped data in a block that the program frees, and frees the block. A device address is reported by
 * reject_device_free. */
void free(void *block)
{
    static _Atomic(void *) function;
    void (*real)(void *) = (void (*)(void *))find_next_function("free", &function);
    if (__builtin_expect(is_in_device_range(block), 0)) {
        const struct rt_site site = rt_caller_site("free");
        reject_device_free(&site, block);
    }
    if (checks_frees()) {
        const struct rt_site site = rt_caller_site("free");
        struct freed_data freed_data;
        find_data_in_block(block, &freed_data);
        report_freed_data(&site, &freed_data, false);
    }
    rt_free_call = (struct rt_free_call){(uintptr_t)__builtin_return_address(0), __builtin_frame_address(0)};
    if (real)
        real(block);
    rt_free_call = (struct rt_free_call){0};
}

/* Functions of C23 that free a block whose size, or size and alignment, the caller knows. */
void free_sized(void *block, size_t bytes);
void free_sized(void *block, size_t bytes)
{
    (void)bytes;
    free(block);
}
void free_aligned_sized(void *block, size_t alignment, size_t bytes);
void free_aligned_sized(void *block, size_t alignment, size_t bytes)
{
    (void)alignment, (void)bytes;
    free(block);
}

/* Resizes a block; reports mapped data in it if the block was moved or freed. */
void *realloc(void *block, size_t bytes)
{
    static _Atomic(void *) function;
    const struct rt_site site = rt_caller_site("realloc");
    void *(*real)(void *, size_t) = (void *(*)(void *, size_t))find_next_function("realloc", &function);
    struct freed_data freed_data = {.device = -1};
    const uintptr_t before = (uintptr_t)block;
    if (is_in_device_range(block))
        reject_device_free(&site, block);
    if (checks_frees())
        find_data_in_block(block, &freed_data);
    rt_free_call = (struct rt_free_call){(uintptr_t)__builtin_return_address(0), __builtin_frame_address(0)};
    void *new_block = real ? real(block, bytes) : NULL;
    rt_free_call = (struct rt_free_call){0};
    if ((uintptr_t)new_block != before && (new_block || !bytes))
        report_freed_data(&site, &freed_data, new_block);
    return new_block;
}
#endif
