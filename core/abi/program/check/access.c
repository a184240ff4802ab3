/* access.c - accesses that the shadow does not allow at once: the first ones to bytes that were
 * moved or are new on a side, and those that are wrong.
 *
 * What no call was made for is no reason for a report: a library that was not compiled for checking
 * may have written. So what device memory holds from its allocation must still be there where it is
 * said to be unwritten, and old bytes must still be what they were. A load of several members may
 * hold padding and members that are not used: it is reported only if all of its bytes are old, or
 * all unwritten. */
#include "abi/program/data/image.h"
#include "shadow.h"

#include <signal.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

bool goacc_is_poison(uint64_t at, size_t n)
{
    const unsigned char *bytes = goacc_content(at);
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != ACCD_POISON)
            return false;
    return true;
}

static bool is_old(const struct goacc_access *access)
{
    GOACC_EACH_PART(part, access->at, access->n)
        if (!goacc_unchanged(&part))
            return false;
    return true;
}

/* Whether two values are one pointer: the address of present data on the device, and that of the same data on the
 * host. Kernels may set pointers so. */
static bool are_one_pointer(uint64_t one, uint64_t other)
{
    struct goacc_pair target;
    const uint64_t dev = goacc_on_device(one) ? one : other, host = dev == one ? other : one;
    return goacc_on_device(dev) && goacc_pair_at(dev, &target) && goacc_other(&target, dev) == host;
}

/* A change to the same value is no change. */
static bool differs(const struct goacc_access *access, const struct goacc_pair *pair)
{
    const uint64_t at = access->at, start = goacc_on_device(at) ? pair->dev : pair->host;
    const uint64_t left = start + pair->bytes - at;
    const void *here = goacc_content(at), *there = goacc_content(goacc_other(pair, at));
    uint64_t one, other;
    if (!memcmp(here, there, access->n < left ? access->n : left))
        return false;
    if (access->n != sizeof one || left < sizeof other)
        return true;
    memcpy(&one, here, sizeof one);
    memcpy(&other, there, sizeof other);
    return !are_one_pointer(one, other);
}

/* All bytes are present and none is valid: they count as valid from here on, so that each change is reported once. The
 * other side loses "only", which lets the next change there be noticed. */
static void read_invalid(const struct goacc_access *access, const struct goacc_pair *pair)
{
    const uint64_t at = access->at, start = goacc_on_device(at) ? pair->dev : pair->host;
    const uint64_t left = start + pair->bytes - at, n = access->n < left ? access->n : left;
    const struct goacc_part other = goacc_part_of(goacc_other(pair, at), 1);
    if (goacc_is_poison(at, access->n))
        goacc_report_unwritten(access, at, pair);
    else if (is_old(access) && goacc_having(&other, GOACC_VALID) && differs(access, pair))
        goacc_report_stale(access, at, pair, *other.note);
    /* or written by what was not compiled for checking */
    if (differs(access, pair))
        goacc_note_uneven(pair);
    GOACC_EACH_PART(part, goacc_other(pair, at), n) {
        part.bytes = goacc_having(&part, GOACC_VALID) / GOACC_VALID * 0xf;
        goacc_change(&part, GOACC_ONLY, 0);
    }
    goacc_set(at, access->n, GOACC_ONLY, GOACC_VALID); /* bytes whose newest value was lost have "only", too */
}

/* Further writes close to this one may do without a question, unless transfers are under way. The host writes to the
 * device by messages alone, which are always a question. */
static void write_at_once(const struct goacc_pair *pair, uint64_t at)
{
    if (!goacc_has_pending() && (goacc_kernel_site || !goacc_on_device(at)))
        goacc_pair_is_near(pair, at);
}

/* ------------------------------------------------------------------------------------ device -- */

static void device_read(const struct goacc_access *access)
{
    bool invalid = true;
    struct goacc_pair pair;
    GOACC_EACH_PART(part, access->at, access->n) {
        invalid &= !goacc_having(&part, GOACC_VALID);
        goacc_change(&part, 0, GOACC_READ);
    }
    if (!invalid)
        return;
    if (goacc_pair_at(access->at, &pair)) {
        read_invalid(access, &pair);
        return;
    }
    if (goacc_is_poison(access->at, access->n))
        goacc_report_unwritten(access, access->at, NULL);
    goacc_set(access->at, access->n, 0, GOACC_VALID);
}

static void device_write(const struct goacc_access *access)
{
    struct goacc_pair pair = {0};
    GOACC_EACH_PART(part, access->at, access->n) {
        goacc_unused_overwritten(&part);
        goacc_change(&part, 0, GOACC_VALID | GOACC_ONLY | GOACC_READ);
        *part.note = (uint32_t)access->pc;
    }
    if (goacc_pair_at(access->at, &pair)) {
        goacc_outdate(&pair, access->at, access->n);
        write_at_once(&pair, access->at);
    }
}

static void device_access(const struct goacc_access *access)
{
    GOACC_EACH_PART(part, access->at, access->n)
        if (!goacc_all_have(&part, GOACC_PRESENT))
            goacc_report_outside(access, goacc_first_without(&part, GOACC_PRESENT));
    if (access->write)
        device_write(access);
    else
        device_read(access);
}

/* -------------------------------------------------------------------------------------- host -- */

/* The first present object on a device. */
static bool pair_on(uint64_t host, struct goacc_pair *pair)
{
    for (int device = 0; device < goacc.options.devices; device++)
        if (goacc_pair_of(device, host, pair))
            return true;
    return false;
}

/* Bytes of one word that lie in one object, or in none. */
static void host_write_bytes(const struct goacc_access *access, const struct goacc_part *part)
{
    struct goacc_pair pair;
    bool found = false;
    for (int device = 0; device < goacc.options.devices; device++)
        if (goacc_pair_of(device, part->at, &pair)) {
            goacc_outdate(&pair, part->at, part->n);
            found = true;
        }
    if (found) {
        struct goacc_part present = *part;
        present.bytes = goacc_having(part, GOACC_PRESENT) * 0xf;
        goacc_change(&present, 0, GOACC_VALID | GOACC_ONLY | GOACC_READ);
        write_at_once(&pair, part->at);
        *part->note = (uint32_t)access->pc;
    } else {
        goacc_forget(part->at, part->n);
    }
}

/* Objects may begin and end in a word. */
static void host_write_part(const struct goacc_access *access, const struct goacc_part *part)
{
    struct goacc_pair pair;
    if (goacc.options.devices == 1 && goacc_pair_of(0, part->at, &pair) &&
        part->at + part->n <= pair.host + pair.bytes) {
        host_write_bytes(access, part);
        return;
    }
    for (uint64_t i = 0; i < part->n; i++) {
        const struct goacc_part byte = goacc_part_of(part->at + i, 1);
        if (goacc_having(&byte, GOACC_PRESENT))
            host_write_bytes(access, &byte);
    }
}

static void host_read(const struct goacc_access *access)
{
    struct goacc_pair pair;
    bool invalid = true, lost = true;
    GOACC_EACH_PART(part, access->at, access->n) {
        invalid &= goacc_all_have(&part, GOACC_PRESENT) && !goacc_having(&part, GOACC_VALID);
        lost &= goacc_lost(&part) != 0;
        part.bytes = goacc_having(&part, GOACC_PRESENT) * 0xf;
        goacc_change(&part, 0, GOACC_READ);
    }
    if (!invalid)
        return;
    const bool present = pair_on(access->at, &pair);
    if (present && lost && is_old(access) && !goacc_is_poison(access->at, access->n))
        goacc_report_lost(access, access->at);
    if (present)
        read_invalid(access, &pair);
    else if (goacc_is_poison(access->at, access->n))
        goacc_report_unwritten(access, access->at, NULL);
    else if (is_old(access))
        goacc_report_lost(access, access->at);
    if (!present)
        goacc_forget(access->at, access->n);
}

static void host_access(const struct goacc_access *access)
{
    if (goacc_on_device(access->at)) {
        if (accd_device_of(goacc.context, access->at) >= 0)
            goacc_report_on_device(access);
        return;
    }
    goacc_check_pending(access, false);
    if (!access->write) {
        host_read(access);
        return;
    }
    GOACC_EACH_PART(part, access->at, access->n)
        if (goacc_having(&part, GOACC_PRESENT))
            host_write_part(access, &part);
}

/* ---------------------------------------------------------------------------- host in kernel -- */

/* Whether an address is memory of the host that no kernel may touch, for certain. */
static bool is_forbidden(uint64_t at)
{
    struct goacc_pair pair;
    uintptr_t start;
    size_t bytes;
    const enum goacc_owner owner = goacc_check_block(at, &start, &bytes);
    if (owner)
        return owner == GOACC_OF_HOST;
    if (goacc_pair_of(goacc_kernel_device, at, &pair))
        return true;
    if (at >= goacc_kernel_site->call.sp && at < goacc_stack_high(&goacc_own))
        return true;
    const uint64_t heap = goacc_heap_start();
    if (heap && at >= heap && at < (uintptr_t)sbrk(0))
        return true;
    char name[160];
    return goacc_is_static((const void *)at) && goacc_spell(goacc_kernel_site, at, 0, name, sizeof name);
}

/* A declared variable is known by another address than its own on the device. */
static void translate(struct goacc_access *access, uint64_t start, uint64_t dev, uint64_t bytes)
{
    struct goacc_inside *inside = goacc_check_inside();
    inside->declared = start;
    inside->declared_bytes = bytes;
    inside->offset = dev - start;
    access->at += inside->offset;
}

/* Where handlers of signals return to: the address above their frame. 0: no handler is installed. */
static uintptr_t handlers_return(void)
{
    struct sigaction action;
    for (int signal = 1; signal < NSIG; signal++)
        if (!sigaction(signal, NULL, &action) && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN)
            return (uintptr_t)action.sa_restorer;
    return 0;
}

/* Whether a handler of the program makes the access, whose signal came while the kernel ran: its frame, with the
 * registers of the kernel, lies between. */
static bool in_handler(const struct goacc_access *access)
{
    const uintptr_t back = handlers_return(), high = goacc_kernel_site->call.sp;
    stack_t other;
    if (back && !sigaltstack(NULL, &other) && other.ss_flags & SS_ONSTACK)
        return true;
    uintptr_t words[512], at = (uintptr_t)(access->frame ? access->frame : __builtin_frame_address(0)) & ~(uintptr_t)7;
    const size_t step = sizeof words - sizeof(ucontext_t); /* in bytes; the registers lie in what was read */
    for (; back && at < high; at += step & ~(size_t)7) {
        struct iovec here = {words, sizeof words}, there = {(void *)at, sizeof words};
        const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0); /* another stack may end before */
        for (size_t i = 0; got > 0 && (i + 1) * sizeof *words + sizeof(ucontext_t) <= (size_t)got; i++) {
            const ucontext_t *context = (const void *)&words[i + 1];
            const uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
            if (words[i] == back && sp > at + i * sizeof *words && sp < high)
                return true;
        }
        if (got < (ssize_t)sizeof words)
            return false;
    }
    return false;
}

static void kernel_access(struct goacc_access *access)
{
    struct goacc_pair pair;
    struct goacc_image_variable variable;
    if (goacc_swapped && goacc_declared((const void *)access->at) &&
        goacc_pair_of(goacc_kernel_device, access->at, &pair))
        translate(access, pair.host, pair.dev, pair.bytes);
    else if (goacc_image_variable_at(goacc_kernel_device, access->at, &variable))
        translate(access, variable.at, variable.device, variable.bytes);
    if (goacc_on_device(access->at))
        device_access(access);
    else if (is_forbidden(access->at) && in_handler(access))
        host_access(access);
    else if (is_forbidden(access->at))
        goacc_report_on_host(access);
}

/* ------------------------------------------------------------------------------------ threads -- */

__thread const struct goacc_site *goacc_kernel_site;
__thread int goacc_kernel_device;
static atomic_uint kernels; /* under way */

static void on_access(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame)
{
    struct goacc_access access = {at, n, write, pc, frame};
    if (goacc.ending || !goacc_lock()) /* the runtime's own access */
        return;
    if (goacc_kernel_site && goacc_has_jumped(&goacc_own, (uintptr_t)(frame ? frame : __builtin_frame_address(0))))
        goacc_tell_jump(goacc_own.does, pc);
    if (goacc_checked.leaves && goacc.context) {
        if (goacc_kernel_site)
            kernel_access(&access);
        else if (!goacc_on_device(at) || !kernels) /* a kernel's threads are not known */
            host_access(&access);
    }
    goacc_unlock();
}

/* A message uses device memory as a kernel does that the host waits for. */
static void on_message(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame)
{
    struct goacc_access access = {at, n, write, pc, frame};
    if (goacc.ending || !goacc_lock())
        return;
    if (goacc_checked.leaves && goacc.context && !goacc_kernel_site) {
        const struct goacc_site *const outer = goacc.site, site = goacc_site_of(&access, goacc_message);
        goacc.site = &site;
        goacc_turns_use(at, n, write ? GOACC_WRITES : GOACC_READS);
        GOACC_EACH_PART(part, at, n) {
            access.at = part.at;
            access.n = part.n;
            device_access(&access);
        }
        goacc.site = outer;
    }
    goacc_unlock();
}

/* What lies there later is something else. */
static void on_freed(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame)
{
    const bool ours = goacc_freeing.pc; /* lies between */
    const struct goacc_access access = {at, n, true, ours ? goacc_freeing.pc : pc, ours ? goacc_freeing.frame : frame};
    if (goacc.ending || !goacc_lock())
        return;
    if (goacc_checked.leaves && goacc.context && !goacc_kernel_site)
        goacc_check_pending(&access, true);
    if (goacc_checked.leaves)
        goacc_set(at, n, 0xf, 0);
    goacc_unlock();
}

/* Transfers that are under way may not use it then. */
static void on_lent(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame)
{
    const struct goacc_access access = {at, n, true, pc, frame};
    if (goacc.ending || !goacc_lock())
        return;
    if (goacc_checked.leaves && goacc.context && !goacc_kernel_site)
        goacc_check_pending(&access, false);
    goacc_unlock();
}

void goacc_check_open(void)
{
    goacc_shadow_open(on_access, on_message, on_freed, on_lent);
    goacc_turns_open();
    goacc_objects_open();
}

void goacc_check_close(void)
{
    goacc_turns_close();
    goacc_shadow_close();
}

static void close_stack(struct goacc_inside *inside)
{
    if (inside->nstack_tiles)
        memset(inside->stack_tiles, 0, inside->nstack_tiles);
    inside->nstack_tiles = 0;
}

/* What a kernel's part of the stack has next to its beginning may be read like its data, if the stack has tiles. */
static void open_stack(struct goacc_inside *inside)
{
    enum { NEAR = 1 << 15 };
    close_stack(inside); /* of a kernel that was left by a jump */
    const uintptr_t first = ((uintptr_t)__builtin_frame_address(0) - NEAR - goacc_checked.low) / GOACC_TILE,
                    end = (inside->stack + inside->stack_bytes - goacc_checked.low) / GOACC_TILE;
    if (first >= end || end > goacc_checked.reach / GOACC_TILE)
        return;
    inside->stack_tiles = &goacc_checked.tiles[first];
    inside->nstack_tiles = end - first;
    memset(inside->stack_tiles, GOACC_ALL, inside->nstack_tiles);
}

void goacc_check_enter(const struct goacc_site *site, int device)
{
    enum { STACK = 1 << 30 };
    struct goacc_inside *inside = goacc_check_inside();
    goacc_kernel_site = site;
    goacc_kernel_device = device;
    kernels++;
    goacc_lock();
    goacc_turns_enter(inside);
    goacc_unlock();
    inside->stack = site->call.sp - STACK;
    inside->stack_bytes = STACK;
    open_stack(inside);
    goacc_swapped = goacc.declares;
}

void goacc_check_leave(void)
{
    goacc_lock();
    goacc_turns_leave(goacc_check_inside());
    goacc_unlock();
    close_stack(goacc_check_inside());
    *goacc_check_inside() = (struct goacc_inside){0};
    goacc_swapped = false;
    kernels--;
    goacc_kernel_site = NULL;
}
