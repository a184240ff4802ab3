/* fault.c - accesses that end the program by SIGSEGV or SIGBUS: sections that leave its memory, wild pointers
 * in kernels, device addresses on the host. The handler reports them; then the program ends, or its own
 * handler runs, as it would without the runtime. */
#include "abi/program/base/arena.h"
#include "abi/program/base/ends.h"
#include "abi/program/base/runtime.h"
#include "followed.h"
#include "stopped.h"
#include "stray.h"
#include "unmatched.h"
#include "watching.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static struct sigaction before_segv, before_bus; /* of the program */

/* Of the access, in the program. */
static uintptr_t place(const greg_t *registers)
{
    static struct goacc_stopped stopped;
    goacc_stopped_look(&stopped, registers);
    return goacc_stopped_in_program(&stopped);
}

/* Bytes are moved by functions that hold no lock of the C library: it may be used. */
static _Noreturn void tell_transfer(void *address)
{
    const struct goacc_site *site = goacc.site;
    char name[160] = "data";
    goacc_self()->in_core = false;
    for (size_t i = 0; i < goacc.construct.nitems; i++) {
        const accd_item *item = &goacc.construct.items[i];
        if ((uintptr_t)address - (uintptr_t)item->host < item->bytes)
            goacc_spell(site, (uintptr_t)item->host, item->bytes, name, sizeof name);
    }
    goacc_die_about("invalid-section", name, "%s: %s: the section leaves the program's memory at %p", site->what, name,
                    address);
}

static _Noreturn void tell_device(void *address, const void *context)
{
    int device = accd_device_of(goacc.context, (uintptr_t)address);
    goacc_strict_open_devices(); /* for good */
    uint64_t host = accd_host_address(goacc.context, device, (uintptr_t)address);
    struct goacc_finding finding = {
        .level = "error",
        .code = "device-pointer-on-host",
        .rule = "ACC33-hd-1",
        .pc = place(((const ucontext_t *)context)->uc_mcontext.gregs),
        .help = host ? NULL : "copy the memory to the host first: acc_memcpy_from_device",
        .openmp = host ? NULL : "copy the memory to the host first: omp_target_memcpy",
    };
    struct goacc_shown shown;
    accd_present object;
    if (host && accd_present_at(goacc.context, device, host, 0, &object)) {
        shown = goacc_shown(&object.info);
        finding.object = shown.name;
        finding.other = goacc_mapped_at(&object.info);
    }
    if (host)
        goacc_find(&finding, "the host program follows the device address %p; the data are at %p on the host", address,
                   (void *)(uintptr_t)host);
    else
        goacc_find(&finding, "the host program follows the device address %p", address);
    goacc_find_end();
    goacc.ending = true;
    _Exit(EXIT_FAILURE);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    const struct sigaction *before = signal == SIGBUS ? &before_bus : &before_segv;
    struct goacc_thread *self = goacc_self();
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    const bool sent = info->si_code <= 0; /* by kill() or raise(): no access */
    if (self->in_core && !sent)
        tell_transfer(info->si_addr);
    if (!sent && goacc.options.strict && !goacc_region(self->does) && goacc.context &&
        accd_device_of(goacc.context, (uintptr_t)info->si_addr) >= 0) {
        if (!goacc_strict_lend_to_message())
            tell_device(info->si_addr, context);
        return;
    }
    if (before->sa_handler == SIG_DFL) /* several threads of a kernel may come here at once */
        goacc_claim_end();
    if (!sent && goacc_region(self->does))
        goacc_strict_fault(info, context);
    const char *const runs = sent ? NULL : goacc_region_of_team(self);
    if (runs) {
        char region[40];
        snprintf(region, sizeof region, "the %s region", runs);
        const uintptr_t pc = place(registers);
        if (info->si_code == SI_KERNEL)
            goacc_tell_stray(goacc_stray(registers), pc, region);
        else if (!goacc_tell_null(self->does, self->device, (uintptr_t)info->si_addr, pc, region) &&
                 !goacc_tell_outside(NULL, region, "uses", (uintptr_t)info->si_addr, pc))
            goacc_tell("error", "out-of-bounds", "ACC33-2.7.1-1", pc,
                       "%s uses %p, which is neither host nor device memory", region,
                       info->si_addr);
    }
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(signal, info, context);
    else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(signal);
    else if (before->sa_handler == SIG_DFL)
        goacc_end_by_signal(signal);
    else /* the access is made again */
        sigaction(signal, before, NULL);
}

void goacc_fault_start(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before_segv);
    sigaction(SIGBUS, &action, &before_bus);
}
