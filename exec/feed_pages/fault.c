/* fault.c - handler of SIGSEGV and SIGBUS. It explains sections outside of the program's memory, wild
 * pointers in kernels, and device addresses on the host. After the report the program ends, or its own
 * handler runs, as it would without the runtime. */
#include "base/abnormal_exit.h"
#include "base/kernel.h"
#include "base/lock.h"
#include "base/runtime.h"
#include "coherence/host_access.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "guard/fault_context.h"
#include "guard/page_guard_internal.h"
#include "guard/wild_pointer.h"
#include "lib/arena.h"
#include "fault.h"
#include "null_pointers.h"
#include "strict.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

/* Actions that the program had set for SIGSEGV and SIGBUS before rt_install_fault_handler. */
static struct sigaction before_segv, before_bus;

/* Returns the address of the fault in the program's own code, for a report. If a library has faulted, returns
 * the return address of the program's call of the library. */
static uintptr_t find_access_pc(const greg_t *registers)
{
    static struct accd__debug_fault_context fault_context;
    rt_read_fault_context(&fault_context, registers);
    return rt_find_program_pc(&fault_context);
}

/* Reports that a section of the construct under way contains `address`, which is outside of the program's memory, and
 * ends the program. The functions of the core that move bytes hold no lock of the C library, so its functions may be
 * used here. */
static _Noreturn void report_transfer_fault(void *address)
{
    const struct rt_site *site = rt.site;
    char name[160] = "data";
    rt_current_thread()->in_core = false;
    for (size_t i = 0; i < rt.construct.nitems; i++) {
        const accd_item *item = &rt.construct.items[i];
        if ((uintptr_t)address - (uintptr_t)item->host < item->bytes)
            rt_format_name(site, (uintptr_t)item->host, item->bytes, name, sizeof name);
    }
    rt_fatal_about("invalid-section", name, "%s: %s: the section leaves the program's memory at %p",
                   site->construct_name, name, address);
}

/* Reports that the host's code uses the device address `address`, and ends the program. context: ucontext_t
 * that the signal handler has got. */
static _Noreturn void report_device_access(void *address, const void *context)
{
    int device = accd_device_at(rt.context, (uintptr_t)address);
    rt_unprotect_devices(); /* memory stays open, because the process ends */
    uint64_t host = accd_host_address(rt.context, device, (uintptr_t)address);
    struct rt_diagnostic diagnostic = {
        .level = "error",
        .code = "device-pointer-on-host",
        .rule = "ACC33-hd-1",
        .pc = find_access_pc(((const ucontext_t *)context)->uc_mcontext.gregs),
        .help = host ? NULL : "copy the memory to the host first: acc_memcpy_from_device",
        .openmp = host ? NULL : "copy the memory to the host first: omp_target_memcpy",
    };
    struct rt_display_name display;
    accd_present_object object;
    if (host && accd_present_at(rt.context, device, host, 0, &object)) {
        display = rt_get_display_name(&object.info);
        diagnostic.object = display.name;
        diagnostic.other = rt_get_mapped_location(&object.info);
    }
    rt_emit_diagnostic(&diagnostic, "the host follows an address of device %d%s%s", device,
                       diagnostic.object ? ", that of " : "", diagnostic.object ? diagnostic.object : "");
    rt_emit_counts();
    rt.is_ending = true;
    _Exit(EXIT_FAILURE);
}

/* Handles SIGSEGV and SIGBUS: reports an access that the runtime can explain. A fault of a transfer, of the
 * host on device memory, or of a kernel of a strict run then ends the program. After the report of any other
 * kernel, for all other faults, and for a signal that kill() sent, the action of the program runs. An access
 * of MPI to device memory opens the memory and is repeated. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
    const struct sigaction *before = signal == SIGBUS ? &before_bus : &before_segv;
    struct rt_thread *self = rt_current_thread();
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    const bool is_sent = info->si_code <= 0; /* sent by kill() or raise(): not an access */
    if (self->in_core && !is_sent)
        report_transfer_fault(info->si_addr);
    if (!is_sent && rt.options.strict && !rt_kernel_kind(self->activity) && rt.context &&
        accd_device_at(rt.context, (uintptr_t)info->si_addr) >= 0) {
        if (!rt_unprotect_devices_for_mpi())
            report_device_access(info->si_addr, context);
        return;
    }
    /* If the program has no handler, it ends: only one of several faulting threads of a kernel continues
     * here. */
    if (before->sa_handler == SIG_DFL)
        rt_claim_exit();
    if (!is_sent && rt_kernel_kind(self->activity))
        rt_handle_unguarded_fault(info, context);
    const char *const kernel_kind = is_sent ? NULL : rt_team_kernel_kind(self);
    if (kernel_kind) {
        char region[40];
        snprintf(region, sizeof region, "the %s region", kernel_kind);
        const uintptr_t pc = find_access_pc(registers);
        if (info->si_code == SI_KERNEL)
            rt_report_wild_pointer(NULL, rt_find_wild_pointer(registers), pc, region);
        else if (!rt_report_null_pointer(self->activity, self->device, (uintptr_t)info->si_addr, pc, region) &&
                 !rt_report_out_of_bounds(NULL, region, "uses", (uintptr_t)info->si_addr, pc))
            rt_report("error", "out-of-bounds", "ACC33-2.7.1-1", pc,
                      "%s uses %p, which is neither host nor device memory", region, info->si_addr);
    }
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(signal, info, context);
    else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(signal);
    else if (before->sa_handler == SIG_DFL)
        rt_end_by_signal(signal);
    else /* ignored by the program: the access is made again, with this action and without the runtime's handler */
        sigaction(signal, before, NULL);
}

/* Installs on_fault for SIGSEGV and SIGBUS, on the alternate stack. */
void rt_install_fault_handler(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before_segv);
    sigaction(SIGBUS, &action, &before_bus);
}
