/* access.c - handles accesses of the program that the shadow (states of each byte, see shadow.h) does not allow at
 * once. These are the first accesses to bytes that were moved or are new on a side, and wrong ones. Called by
 * exec/checked through the callbacks in rt_shadow. A granule is the bytes of a range in one word of 8 bytes; a
 * digest is a hash of old bytes, by which a later change is noticed.
 *
 * Libraries that were not compiled for checking may change memory without a call. Therefore nothing is reported unless
 * the bytes prove it. Device memory that counts as unwritten must still hold the poison of its allocation, and old
 * bytes must still match their digest. A load of several members may contain padding and unused members, so it is
 * reported only if all of its bytes are old, or all unwritten. */
#include "base/kernel.h"
#include "base/lock.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "image/declared.h"
#include "image/image.h"
#include "image/malloc_blocks.h"
#include "lib/read_memory.h"
#include "interposed_free.h"
#include "shadow.h"
#include "snapshots.h"

#include <assert.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

/* Returns true if the n bytes at `at` all have the value that new device memory is filled with (ACCD_POISON). */
bool rt_is_poison(uint64_t at, size_t n)
{
    return !n || rt_is_poisoned((const void *)rt_get_content_address(at), n);
}

/* Returns true if the accessed bytes still match the digest that was stored when they became Invalid. Bytes without a
 * digest count as unchanged: those with a valid byte in their word, or without a shadow. */
static bool is_unchanged(const struct rt_access *access)
{
    RT_FOR_EACH_GRANULE(granule, access->at, access->n)
    if (!rt_matches_digest(&granule))
        return false;
    return true;
}

/* Returns true if one of the two pointer values is a device address and the other the host address of the same present
 * byte. Such values are equal in meaning: a kernel may set a pointer to the device address that corresponds to the
 * host's pointer. */
static bool is_same_pointer(uint64_t value, uint64_t other_value)
{
    struct rt_mapping target;
    const uint64_t dev = rt_is_in_device_space(value) ? value : other_value, host = dev == value ? other_value : value;
    return rt_is_in_device_space(dev) && rt_find_device_mapping(dev, &target) && rt_other_side(&target, dev) == host;
}

/* Returns true if the accessed bytes, up to the end of the mapping, differ from those on the other side. Two pointers
 * to the same data, one with the host's address and one with the device's, do not count as different. */
static bool differs_from_other_side(const struct rt_access *access, const struct rt_mapping *mapping)
{
    const uint64_t at = access->at, start = rt_is_in_device_space(at) ? mapping->dev : mapping->host;
    const uint64_t rest = start + mapping->bytes - at;
    const void *content = rt_get_content_address(at),
               *other_content = rt_get_content_address(rt_other_side(mapping, at));
    uint64_t value, other_value;
    if (!memcmp(content, other_content, access->n < rest ? access->n : rest))
        return false;
    if (access->n != sizeof value || rest < sizeof other_value)
        return true;
    memcpy(&value, content, sizeof value);
    memcpy(&other_value, other_content, sizeof other_value);
    return !is_same_pointer(value, other_value);
}

/* Handles a read of bytes that are all present and of which none is valid. Reports an uninitialized read if all bytes
 * hold poison; a stale read if they match their digest and differ from the valid other side. Afterwards the bytes count
 * as valid, so that each change is reported once. The bytes of the other side lose DIRTY, so that the next change there
 * is noticed. The mapping is marked divergent if the sides differ; ends the program without memory for the mark. */
static void handle_invalid_read(const struct rt_access *access, const struct rt_mapping *mapping)
{
    const uint64_t at = access->at, start = rt_is_in_device_space(at) ? mapping->dev : mapping->host;
    const uint64_t rest = start + mapping->bytes - at, n = access->n < rest ? access->n : rest;
    const struct rt_granule other = rt_get_granule(rt_other_side(mapping, at), 1);
    if (rt_is_poison(at, access->n))
        rt_report_uninitialized_read(access, at, mapping);
    else if (is_unchanged(access) && rt_get_bytes_with_state(&other, RT_VALID) &&
             differs_from_other_side(access, mapping))
        rt_report_stale_read(access, at, mapping, *other.origin);
    /* if nothing is reported, code that was not compiled for checking has written the bytes */
    if (differs_from_other_side(access, mapping))
        rt_mark_divergent(mapping);
    RT_FOR_EACH_GRANULE(granule, rt_other_side(mapping, at), n)
    {
        granule.bytes = rt_get_bytes_with_state(&granule, RT_VALID) / RT_VALID * 0xf;
        rt_change_states(&granule, RT_DIRTY, 0);
    }
    /* DIRTY is cleared, too: without VALID it marked host bytes whose newest value was lost with an earlier mapping. */
    rt_set_states(at, access->n, RT_DIRTY, RT_VALID);
}

/* Caches the mapping around `at` for the thread, so that its further first writes to the object need no call of the
 * runtime. Does nothing while transfers are pending, as each write must be compared with them, or if host code has
 * written device memory. */
static void cache_written_object(const struct rt_mapping *mapping, uint64_t at)
{
    if (!rt_has_pending_transfers() && (rt_kernel_site || !rt_is_in_device_space(at)))
        rt_cache_mapping(mapping, at);
}

/* ----------------------------------------------------------------- accesses to device memory -- */

/* Handles a read of present device memory by a kernel or an MPI message: sets WAS_READ. If no byte is valid, reports an
 * uninitialized or stale read that the values prove; afterwards the bytes count as valid. */
static void handle_device_read(const struct rt_access *access)
{
    bool invalid = true;
    struct rt_mapping mapping;
    RT_FOR_EACH_GRANULE(granule, access->at, access->n)
    {
        invalid &= !rt_get_bytes_with_state(&granule, RT_VALID);
        rt_change_states(&granule, 0, RT_WAS_READ);
    }
    if (!invalid)
        return;
    if (rt_find_device_mapping(access->at, &mapping)) {
        handle_invalid_read(access, &mapping);
        return;
    }
    if (rt_is_poison(access->at, access->n))
        rt_report_uninitialized_read(access, access->at, NULL);
    rt_set_states(access->at, access->n, 0, RT_VALID);
}

/* Handles a write to present device memory: the written bytes become Modified, with the write as their origin, and the
 * host's copy becomes Invalid. */
static void handle_device_write(const struct rt_access *access)
{
    struct rt_mapping mapping = {0};
    RT_FOR_EACH_GRANULE(granule, access->at, access->n)
    {
        rt_unused_record_overwrite(&granule);
        rt_change_states(&granule, 0, RT_VALID | RT_DIRTY | RT_WAS_READ);
        *granule.origin = (uint32_t)access->pc;
    }
    if (rt_find_device_mapping(access->at, &mapping)) {
        rt_invalidate_other_side(&mapping, access->at, access->n);
        cache_written_object(&mapping, access->at);
    }
}

/* Handles an access to device memory by a kernel or an MPI message; ends the program with a report if a byte is not
 * present. */
static void handle_device_access(const struct rt_access *access)
{
    RT_FOR_EACH_GRANULE(granule, access->at, access->n)
    if (!rt_have_all_bytes(&granule, RT_PRESENT))
        rt_report_access_out_of_bounds(access, rt_find_byte_without(&granule, RT_PRESENT));
    if (access->write)
        handle_device_write(access);
    else
        handle_device_read(access);
}

/* ---------------------------------------------------------------------- accesses of the host -- */

/* Stores in *mapping the mapping of a host address on the first device where it is present. Returns false if no device
 * has the address. */
static bool find_mapping_on_any_device(uint64_t host, struct rt_mapping *mapping)
{
    for (int device = 0; device < rt.options.devices; device++)
        if (rt_find_mapping(device, host, mapping))
            return true;
    return false;
}

/* Handles a host write to a granule (bytes in one word) whose bytes all lie in one object, or in no object. Bytes of an
 * object become Modified, and their copies on all devices Invalid. Bytes in no object lose their shadow. */
static void write_host_bytes(const struct rt_access *access, const struct rt_granule *granule)
{
    struct rt_mapping mapping;
    bool is_mapped = false;
    for (int device = 0; device < rt.options.devices; device++)
        if (rt_find_mapping(device, granule->at, &mapping)) {
            rt_invalidate_other_side(&mapping, granule->at, granule->n);
            is_mapped = true;
        }
    if (is_mapped) {
        struct rt_granule present = *granule;
        present.bytes = rt_get_bytes_with_state(granule, RT_PRESENT) * 0xf;
        rt_change_states(&present, 0, RT_VALID | RT_DIRTY | RT_WAS_READ);
        cache_written_object(&mapping, granule->at);
        *granule->origin = (uint32_t)access->pc;
    } else {
        rt_remove_shadow(granule->at, granule->n);
    }
}

/* Handles a host write to a granule. If its bytes may lie in several objects, each PRESENT byte is handled by itself.
 */
static void write_host_granule(const struct rt_access *access, const struct rt_granule *granule)
{
    struct rt_mapping mapping;
    if (rt.options.devices == 1 && rt_find_mapping(0, granule->at, &mapping) &&
        granule->at + granule->n <= mapping.host + mapping.bytes) {
        write_host_bytes(access, granule);
        return;
    }
    for (uint64_t i = 0; i < granule->n; i++) {
        const struct rt_granule byte = rt_get_granule(granule->at + i, 1);
        if (rt_get_bytes_with_state(&byte, RT_PRESENT))
            write_host_bytes(access, &byte);
    }
}

/* Handles a read by host code: sets WAS_READ. If the bytes are all present and none of them is valid, reports a stale
 * or uninitialized read, or a lost change, if the values prove it. Bytes in no object then lose their shadow. */
static void handle_host_read(const struct rt_access *access)
{
    struct rt_mapping mapping;
    bool invalid = true, is_lost = true;
    RT_FOR_EACH_GRANULE(granule, access->at, access->n)
    {
        invalid &= rt_have_all_bytes(&granule, RT_PRESENT) && !rt_get_bytes_with_state(&granule, RT_VALID);
        is_lost &= rt_get_lost_bytes(&granule) != 0;
        granule.bytes = rt_get_bytes_with_state(&granule, RT_PRESENT) * 0xf;
        rt_change_states(&granule, 0, RT_WAS_READ);
    }
    if (!invalid)
        return;
    const bool present = find_mapping_on_any_device(access->at, &mapping);
    if (present && is_lost && is_unchanged(access) && !rt_is_poison(access->at, access->n))
        rt_report_lost_change(access, access->at);
    if (present)
        handle_invalid_read(access, &mapping);
    else if (rt_is_poison(access->at, access->n))
        rt_report_uninitialized_read(access, access->at, NULL);
    else if (is_unchanged(access))
        rt_report_lost_change(access, access->at);
    if (!present) {
        rt_remove_shadow(access->at, access->n);
        rt_restore_pending_shadow(access->at, access->n);
    }
}

/* Handles an access by host code. Reports missing waits for pending transfers; ends the program with a report if the
 * access is to allocated device memory. Accesses to other addresses of the device are ignored. */
static void handle_host_access(const struct rt_access *access)
{
    if (rt_is_in_device_space(access->at)) {
        if (accd_device_at(rt.context, access->at) >= 0)
            rt_report_access_to_device(access);
        return;
    }
    rt_check_pending_transfers(access, false);
    if (!access->write) {
        handle_host_read(access);
        return;
    }
    RT_FOR_EACH_GRANULE(granule, access->at, access->n)
    if (rt_get_bytes_with_state(&granule, RT_PRESENT))
        write_host_granule(access, &granule);
}

/* ----------------------------------------------------------------------- accesses of kernels -- */

/* Returns true if an address is certainly host memory that no kernel may access. That is a block of malloc that the
 * host allocated, present data, the stack of the kernel's caller, the heap, or a named static variable. */
static bool is_forbidden_to_kernels(uint64_t at)
{
    struct rt_mapping mapping;
    uintptr_t start;
    size_t bytes;
    const enum rt_block_owner owner = rt_find_malloc_block(at, &start, &bytes);
    if (owner)
        return owner == RT_OWNER_HOST;
    if (rt_find_mapping(rt_kernel_device, at, &mapping))
        return true;
    if (at >= rt_kernel_site->call.sp && at < rt_get_stack_end(&rt_this_thread))
        return true;
    const uint64_t heap = rt_find_heap_start();
    if (heap && at >= heap && at < (uintptr_t)sbrk(0))
        return true;
    char name[160];
    return rt_is_static((const void *)at) && rt_format_name(rt_kernel_site, at, 0, name, sizeof name);
}

/* Translates an access to a declared variable, whose `bytes` bytes at `start` are at `dev` on the device, to its device
 * address. Caches the range and the offset for the thread's later accesses. */
static void translate_declared(struct rt_access *access, uint64_t start, uint64_t dev, uint64_t bytes)
{
    assert(bytes);
    struct rt_check_thread *thread = rt_get_check_thread();
    thread->declared = start;
    thread->declared_bytes = bytes;
    thread->offset = dev - start;
    access->at += thread->offset;
}

/* Returns the address to which signal handlers return, the same for all handlers; 0 if no handler is installed. A
 * running handler has this address on the stack, before the signal frame. */
static uintptr_t find_sigreturn_address(void)
{
    struct sigaction action;
    for (int signal = 1; signal < NSIG; signal++)
        if (!sigaction(signal, NULL, &action) && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN)
            return (uintptr_t)action.sa_restorer;
    return 0;
}

/* Returns true if a signal handler of the program makes the access while it interrupts the kernel. The handler runs on
 * the alternate stack, or its signal frame, with the registers of the kernel, is on the thread's stack. */
static bool is_in_signal_handler(const struct rt_access *access)
{
    const uintptr_t sigreturn_address = find_sigreturn_address(), high = rt_kernel_site->call.sp;
    stack_t other;
    if (sigreturn_address && !sigaltstack(NULL, &other) && other.ss_flags & SS_ONSTACK)
        return true;
    uintptr_t words[512], at = (uintptr_t)(access->frame ? access->frame : __builtin_frame_address(0)) & ~(uintptr_t)7;
    /* Bytes from one read of the stack to the next: reads overlap by the size of a frame's registers, so that each
     * frame lies wholly in one read. */
    const size_t step = sizeof words - sizeof(ucontext_t);
    for (; sigreturn_address && at < high; at += step & ~(size_t)7) {
        /* reads fewer bytes at the end of the stack */
        const size_t nread = rt_read_memory(rt_libc_system_call, words, at, sizeof words);
        for (size_t i = 0; (i + 1) * sizeof *words + sizeof(ucontext_t) <= nread; i++) {
            const ucontext_t *context = (const void *)&words[i + 1];
            const uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
            if (words[i] == sigreturn_address && sp > at + i * sizeof *words && sp < high)
                return true;
        }
        if (nread < sizeof words)
            return false;
    }
    return false;
}

/* Handles an access by a kernel; ends the program with a report if the access is to host memory that kernels may not
 * use. Accesses to declared variables go to their device addresses. Accesses of an interrupting signal handler count as
 * those of the host. */
static void handle_kernel_access(struct rt_access *access)
{
    assert(rt_kernel_site);
    struct rt_mapping mapping;
    struct rt_image_variable variable;
    if (rt_declared_swapped && rt_is_declared((const void *)access->at) &&
        rt_find_mapping(rt_kernel_device, access->at, &mapping))
        translate_declared(access, mapping.host, mapping.dev, mapping.bytes);
    else if (rt_find_image_variable(rt_kernel_device, access->at, &variable))
        translate_declared(access, variable.at, variable.device, variable.bytes);
    if (rt_is_in_device_space(access->at))
        handle_device_access(access);
    else if (is_forbidden_to_kernels(access->at) && is_in_signal_handler(access))
        handle_host_access(access);
    else if (is_forbidden_to_kernels(access->at))
        rt_report_access_to_host(access);
}

/* ---------------------------------------------------------------- calls of instrumented code -- */

__thread const struct rt_site *rt_kernel_site;
__thread int rt_kernel_device;
static atomic_uint running_kernels; /* number of kernels that run now */

/* Callback rt_shadow.on_access: handles an access to the n bytes at `at`, of a kernel or of the host, that the shadow
 * does not allow at once. pc: its return address; frame: its stack frame, or NULL. Ignored in the runtime's own code,
 * which has the lock already, and after an error. */
static void on_access(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame)
{
    struct rt_access access = {at, n, write, pc, frame};
    /* rt_lock fails if the calling thread has the lock: then the runtime itself makes the access */
    if (rt.is_ending || !rt_lock())
        return;
    if (rt_kernel_site && rt_has_left_kernel(&rt_this_thread, (uintptr_t)(frame ? frame : __builtin_frame_address(0))))
        rt_report_jump_out_of_kernel(rt_this_thread.activity, pc);
    if (rt_shadow.shadow_pages && rt.context) {
        if (rt_kernel_site)
            handle_kernel_access(&access);
        /* Device memory is ignored while kernels run: a helper thread of a kernel, which has no rt_kernel_site, may
         * access it. */
        else if (!rt_is_in_device_space(at) || !running_kernels)
            handle_host_access(&access);
    }
    rt_unlock();
}

/* Handles an MPI message that reads or writes n bytes of device memory. The message counts as a kernel that the host
 * waits for. Ignored in kernels, in the runtime's own code and after an error. */
static void on_mpi_transfer(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame)
{
    struct rt_access access = {at, n, write, pc, frame};
    if (rt.is_ending || !rt_lock())
        return;
    if (rt_shadow.shadow_pages && rt.context && !rt_kernel_site) {
        const struct rt_site *const outer = rt.site, site = rt_get_access_site(&access, rt_mpi_transfer);
        rt.site = &site;
        rt_history_record_access(at, n, write ? RT_ACCESS_WRITE : RT_ACCESS_READ);
        RT_FOR_EACH_GRANULE(granule, at, n)
        {
            access.at = granule.at;
            access.n = granule.n;
            handle_device_access(&access);
        }
        rt.site = outer;
    }
    rt_unlock();
}

/* Handles that the host frees a block of n bytes: reports a pending transfer that uses the block, and clears the
 * block's shadow. Ignored in the runtime's own code and after an error. */
static void on_free(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame)
{
    /* The program calls free of this runtime, which calls this function: the program's call is the one to report. */
    const bool ours = rt_free_call.pc;
    const struct rt_access access = {at, n, true, ours ? rt_free_call.pc : pc, ours ? rt_free_call.frame : frame};
    if (rt.is_ending || !rt_lock())
        return;
    if (rt_shadow.shadow_pages && rt.context && !rt_kernel_site)
        rt_check_pending_transfers(&access, true);
    if (rt_shadow.shadow_pages)
        rt_set_states(at, n, 0xf, 0);
    rt_unlock();
}

/* Handles a host buffer that an asynchronous MPI message may write from now on: reports a pending transfer that uses
 * the buffer. Ignored in kernels, in the runtime's own code and after an error. */
static void on_async_buffer(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame)
{
    const struct rt_access access = {at, n, true, pc, frame};
    if (rt.is_ending || !rt_lock())
        return;
    if (rt_shadow.shadow_pages && rt.context && !rt_kernel_site)
        rt_check_pending_transfers(&access, false);
    rt_unlock();
}

/* Begins the checks: shadow, access history, list of uninstrumented files. Ends the program without memory. */
void rt_check_init(void)
{
    rt_shadow_init(on_access, on_mpi_transfer, on_free, on_async_buffer);
    rt_history_init();
    rt_iteration_races_init();
    rt_find_uninstrumented_objects();
}

/* Frees the access history and the shadow, before the context is freed. */
void rt_check_free(void)
{
    rt_iteration_races_free();
    rt_history_free();
    rt_shadow_free();
}

/* Clears the tiles that open_stack_tiles made readable for the thread; does nothing if there are none. */
static void close_stack_tiles(struct rt_check_thread *thread)
{
    if (thread->nstack_tiles)
        memset(thread->stack_tiles, 0, thread->nstack_tiles);
    thread->nstack_tiles = 0;
}

/* Marks the tiles of the kernel's part of the stack as readable, so that the fast path allows reads there. A tile
 * stands for 512 bytes (see checked.h). Does nothing if the stack lies outside the range that has tiles. */
static void open_stack_tiles(struct rt_check_thread *thread)
{
    /* NEAR: bytes below the current frame that the kernel's functions are expected to use */
    enum { NEAR = 1 << 15 };
    close_stack_tiles(thread); /* closes those of an earlier kernel that the program left by a jump */
    const uintptr_t first = ((uintptr_t)__builtin_frame_address(0) - NEAR - rt_shadow.low) / RT_TILE_BYTES,
                    end = (thread->stack + thread->stack_bytes - rt_shadow.low) / RT_TILE_BYTES;
    if (first >= end || end > rt_shadow.reach / RT_TILE_BYTES)
        return;
    thread->stack_tiles = &rt_shadow.tiles[first];
    thread->nstack_tiles = end - first;
    memset(thread->stack_tiles, RT_TILE_READABLE, thread->nstack_tiles);
}

/* Makes the calling thread one that runs a kernel. From now on it may use device memory and its own part of the stack;
 * accesses to the stack of the function with the construct count as wrong. */
void rt_check_begin_kernel(const struct rt_site *site, int device)
{
    assert(site);
    /* STACK: bytes below the stack pointer of the construct's call that the kernel may use as stack */
    enum { STACK = 1 << 30 };
    struct rt_check_thread *thread = rt_get_check_thread();
    rt_end_kernel_loops(); /* a jump may have left the thread's last kernel without its end */
    rt_kernel_site = site;
    rt_kernel_device = device;
    running_kernels++;
    rt_lock();
    rt_history_begin_kernel(thread);
    thread->has_loops = false;
    thread->skips_iterations = !rt_compares_iterations(site->call.pc);
    accdeep_compares += !thread->skips_iterations;
    rt_unlock();
    thread->stack = site->call.sp - STACK;
    thread->stack_bytes = thread->all_stack_bytes = STACK;
    open_stack_tiles(thread);
    rt_declared_swapped = rt.has_declared;
}

/* Ends the kernel of the calling thread: later accesses of the thread are checked as those of the host. */
void rt_check_end_kernel(void)
{
    assert(running_kernels);
    rt_end_kernel_loops();
    rt_lock();
    accdeep_compares -= !rt_get_check_thread()->skips_iterations;
    rt_history_end_kernel(rt_get_check_thread());
    rt_unlock();
    close_stack_tiles(rt_get_check_thread());
    *rt_get_check_thread() = (struct rt_check_thread){0};
    rt_declared_swapped = false;
    running_kernels--;
    rt_kernel_site = NULL;
}
