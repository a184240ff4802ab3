/* lazy_reprotect.c - lazy reprotection: the host's memory stays protected between two kernels, because
 * protecting and unprotecting all of it takes long. Used if the process has no thread except the one that
 * runs kernels.
 *
 * DATA. A window is an interval of pages in a protected mapping that the host has touched. It is open
 * (unprotected) or protected:
 *
 *      mapping   [............................................................]   PROT_NONE
 *      windows        [ open ]       [ protected ]            [ open ]
 *
 * LIFE OF A WINDOW. The host's first access to a protected page faults and opens a window of one page. The
 * next kernel protects the window again. A fault in the protected window opens it once more. A fault near the
 * window lets it grow to the faulting page, and to twice its size if it has grown before in this host
 * interval (time between two kernels). A window that faults repeatedly is opened without a fault after the
 * next `eager` kernels; their number doubles with each fault: 2, 4, ... 256. A window of more than
 * EAGER_WINDOW_MAX bytes is opened by faults only.
 *
 * INVARIANTS. Each window lies in one range of the protection map, and windows do not overlap. While lazy.on,
 * mappings, threads and signal actions are those of the last kernel. A system call of the host ends lazy
 * reprotection, because the operating system would answer EFAULT for protected memory, without a signal. A
 * signal that the program handles ends it too (signals.c). Memory outside of the listed windows was last open
 * in the interval lazy.all_open_interval or before. */
#include "lib/read_memory.h"
#include "page_guard_internal.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

enum {
    MERGE_DISTANCE = 4 * RT_PAGE_SIZE, /* bytes from a window at which a fault still lets it grow */
    STACK_WINDOW = 2 * RT_PAGE_SIZE, /* bytes of the caller's stack that are opened on each side of its stack pointer */
    EAGER_WINDOW_MAX = 64 * RT_PAGE_SIZE, /* bytes; a larger window is opened by faults only */
    STACK_GROWTH = 16384 * RT_PAGE_SIZE,  /* most bytes by which one fault lets any window grow */
    EAGER_PERIOD = 256                    /* most kernels after which a window is opened without a fault */
};

/* Returns true if a page is mapped just below the range of the caller's stack in the protection map. If that
 * was not so as the map was built, the stack has grown since. */
static bool is_mapped_below(const struct rt_page_guard *guard)
{
    unsigned char in_memory;
    const struct rt_protected_range *stack = rt_find_protected_range(&guard->protections, guard->caller_sp);
    return stack &&
           !rt_raw_syscall(SYS_mincore, (long)(stack->start - RT_PAGE_SIZE), RT_PAGE_SIZE, (long)&in_memory, 0, 0, 0);
}

/* ----------------------------------------------------------------------------------- windows -- */

/* Returns true if a window, open or not, contains an address. */
static bool is_in_window(const struct rt_window *window, uint64_t address)
{
    return address - window->start < window->end - window->start;
}

/* Returns the window that contains a page. If there is none, returns a window in the same range `protected`
 * that may grow to the page. It is at most MERGE_DISTANCE away, and not larger than EAGER_WINDOW_MAX unless
 * it grew in this interval. NULL: no such window. */
static struct rt_window *find_near_window(struct rt_lazy_reprotect *lazy, uint64_t page,
                                          const struct rt_protected_range *protected)
{
    struct rt_window *neighbor = NULL;
    for (size_t i = 0; i < lazy->nwindows; i++) {
        struct rt_window *window = &lazy->windows[i];
        if (is_in_window(window, page))
            return window;
        if ((window->end - window->start <= EAGER_WINDOW_MAX || window->growth_interval == lazy->interval) &&
            window->start >= protected->start && window->end <= protected->end &&
            page + MERGE_DISTANCE >= window->start && page < window->end + MERGE_DISTANCE)
            neighbor = window;
    }
    return neighbor;
}

/* Forgets the windows that are not open, to free their slots. It is not known later when their pages were
 * last open. So lazy.all_open_interval is set to this interval: all memory counts as open now. */
static void remove_closed_windows(struct rt_lazy_reprotect *lazy)
{
    size_t nwindows = 0;
    for (size_t i = 0; i < lazy->nwindows; i++)
        if (lazy->windows[i].open)
            lazy->windows[nwindows++] = lazy->windows[i];
    lazy->nwindows = nwindows;
    lazy->all_open_interval = lazy->interval;
}

/* Merges the grown window `target`, an element of lazy->windows, and all windows that overlap it into one
 * window, which becomes the last of the list. */
static void absorb_windows(struct rt_lazy_reprotect *lazy, struct rt_window *target)
{
    const uint64_t start = target->start, end = target->end;
    struct rt_window merged = *target;
    size_t nwindows = 0;
    for (size_t i = 0; i < lazy->nwindows; i++) {
        const struct rt_window window = lazy->windows[i];
        if (window.start >= end || window.end <= start) {
            lazy->windows[nwindows++] = window;
            continue;
        }
        merged.start = window.start < merged.start ? window.start : merged.start;
        merged.end = window.end > merged.end ? window.end : merged.end;
        merged.patience = window.patience > merged.patience ? window.patience : merged.patience;
    }
    lazy->windows[nwindows++] = merged;
    lazy->nwindows = nwindows;
}

/* Unprotects a window for the current host interval. Returns false if the system call fails: the window stays closed,
 * and an access to it ends lazy reprotection. */
static bool open_window(struct rt_lazy_reprotect *lazy, struct rt_window *window)
{
    window->open = !rt_protect_pages(window->start, window->end, window->protection);
    window->open_interval = lazy->interval;
    return window->open;
}

/* Opens a window for the host's access to a protected page: the window that contains the page, a near one
 * that grows to the page, or a new one. protected: range of the page. Returns false if all RT_WINDOWS_MAX
 * windows are open, or if the page cannot be unprotected. */
static bool open_window_at(struct rt_lazy_reprotect *lazy, const struct rt_protected_range *protected, uint64_t page)
{
    struct rt_window *window = find_near_window(lazy, page, protected);
    if (window && is_in_window(window, page)) {
        window->eager = window->patience;
        window->patience = window->patience < EAGER_PERIOD ? 2 * window->patience : EAGER_PERIOD;
        /* The size doubles if the window has grown in this interval, because the host runs through the mapping then. */
    } else if (window) {
        uint64_t growth = window->growth_interval == lazy->interval ? window->end - window->start : RT_PAGE_SIZE;
        growth = growth < STACK_GROWTH ? growth : STACK_GROWTH;
        if (page < window->start) {
            const uint64_t capacity = page - protected->start;
            window->start = page - (capacity < growth - RT_PAGE_SIZE ? capacity : growth - RT_PAGE_SIZE);
        } else {
            const uint64_t capacity = protected->end - page;
            window->end = page + (capacity < growth ? capacity : growth);
        }
        window->growth_interval = lazy->interval;
        absorb_windows(lazy, window);
        window = &lazy->windows[lazy->nwindows - 1];
    } else {
        if (lazy->nwindows == RT_WINDOWS_MAX)
            remove_closed_windows(lazy);
        if (lazy->nwindows == RT_WINDOWS_MAX)
            return false;
        window = &lazy->windows[lazy->nwindows++];
        *window = (struct rt_window){.start = page,
                                     .end = page + RT_PAGE_SIZE,
                                     .protection = protected->protection,
                                     .eager = 1,
                                     .patience = 2,
                                     .growth_interval = lazy->interval};
    }
    return open_window(lazy, window);
}

/* Returns true if an open window of the list contains an address. */
static bool is_in_open_window(const struct rt_lazy_reprotect *lazy, uint64_t address)
{
    for (size_t i = 0; i < lazy->nwindows; i++)
        if (lazy->windows[i].open && is_in_window(&lazy->windows[i], address))
            return true;
    return false;
}

/* ----------------------------------------------------------------------------- begin and end -- */

/* Returns true if the caller's signal mask does not block the signals of faults and system calls, which the
 * guard must handle between kernels. */
static bool can_take_faults(const struct rt_page_guard *guard)
{
    return !(guard->caller_mask &
             (rt_signal_bit(SIGSEGV) | rt_signal_bit(SIGBUS) | rt_signal_bit(SIGSYS) | rt_signal_bit(SIGTRAP)));
}

/* Opens the pages of the caller's stack around the caller's stack pointer. Does nothing if that part of the stack is
 * not protected. Returns false if the pages cannot be opened. */
static bool open_stack_window(struct rt_page_guard *guard)
{
    struct rt_lazy_reprotect *lazy = &guard->lazy;
    const uint64_t sp = guard->caller_sp;
    const struct rt_protected_range *stack = rt_find_protected_range(&guard->protections, sp);
    if (!stack)
        return true;
    const uint64_t low = rt_page_down(sp - STACK_WINDOW), high = rt_page_down(sp + STACK_WINDOW) + RT_PAGE_SIZE;
    struct rt_window *window = &lazy->stack;
    *window = (struct rt_window){.start = low > stack->start ? low : stack->start,
                                 .end = high < stack->end ? high : stack->end,
                                 .protection = stack->protection};
    return open_window(lazy, window);
}

/* Begins a host interval (time between two kernels): opens the stack's window and the windows with `eager`
 * kernels left, and returns true. If memory cannot stay protected, turns lazy reprotection off and returns
 * false. */
bool rt_lazy_begin(struct rt_page_guard *guard)
{
    struct rt_lazy_reprotect *lazy = &guard->lazy;
    const bool was_on = lazy->on;
    lazy->interval++;
    lazy->on = lazy->nleft_open <= RT_UNPROTECTED_PAGES_MAX && !guard->is_abandoned && !guard->has_faulted &&
               !guard->queued_signals && lazy->nopen <= RT_OPEN_RANGES_MAX &&
               rt_is_only_thread(&guard->other_threads) && (was_on || can_take_faults(guard)) &&
               open_stack_window(guard);
    const size_t nleft_open = lazy->nleft_open;
    lazy->nleft_open = 0;
    if (!lazy->on) {
        lazy->all_open_interval = lazy->interval;
        rt_signals_restore(guard);
        return false;
    }
    for (size_t i = 0; i < nleft_open; i++)
        rt_protect_pages(lazy->left_open[i].start, lazy->left_open[i].start + lazy->left_open[i].bytes, PROT_NONE);
    if (!was_on) {
        lazy->nwindows = 0;
        lazy->has_page_below = is_mapped_below(guard);
        rt_signals_forward(guard);
    }
    for (size_t i = 0; i < lazy->nwindows; i++) {
        struct rt_window *window = &lazy->windows[i];
        if (window->eager && window->end - window->start <= EAGER_WINDOW_MAX) {
            window->eager--;
            open_window(lazy, window);
        } else if (window->eager) {
            window->eager = 0;
        }
    }
    return true;
}

/* Returns true if the caller's ranges (`open`, `nopen`) and stack are those of the last run, so that the
 * protection map is still right. */
bool rt_lazy_can_continue(struct rt_page_guard *guard, const struct rt_range *open, size_t nopen)
{
    assert(open || !nopen);
    const struct rt_lazy_reprotect *lazy = &guard->lazy;
    uint64_t sp = (uintptr_t)__builtin_frame_address(0);
    const struct rt_protected_range *stack = rt_find_protected_range(&guard->protections, guard->caller_sp);
    return lazy->on && nopen == lazy->nopen && !memcmp(open, lazy->open_ranges, nopen * sizeof *open) &&
           rt_find_protected_range(&guard->protections, sp) == stack && lazy->has_page_below == is_mapped_below(guard);
}

/* Protects the page below the stack's mapping with PROT_GROWSDOWN, as the system maps stacks. The stack may have grown
 * while its lower end was PROT_NONE, and the new pages have inherited that protection. */
static void protect_stack_growth(const struct rt_page_guard *guard)
{
    const struct rt_protected_range *stack = rt_find_protected_range(&guard->protections, guard->caller_sp);
    if (stack)
        rt_protect_pages(stack->start - RT_PAGE_SIZE, stack->start, stack->protection | PROT_GROWSDOWN);
}

/* Protects the open windows again. A window that was not opened in the last whole interval gets its first
 * patience (2) again. */
void rt_lazy_protect_windows(struct rt_page_guard *guard)
{
    struct rt_lazy_reprotect *lazy = &guard->lazy;
    if (lazy->stack.open)
        rt_protect_pages(lazy->stack.start, lazy->stack.end, PROT_NONE);
    lazy->stack.open = false;
    for (size_t i = 0; i < lazy->nwindows; i++) {
        struct rt_window *window = &lazy->windows[i];
        if (window->open)
            rt_protect_pages(window->start, window->end, PROT_NONE);
        else if (window->open_interval + 1 < lazy->interval)
            window->patience = 2;
        window->open = false;
    }
}

/* Turns lazy reprotection off: opens all memory, and restores handlers and signal stack of the program. */
void rt_lazy_end(struct rt_page_guard *guard, ucontext_t *context)
{
    struct rt_lazy_reprotect *lazy = &guard->lazy;
    if (!lazy->on)
        return;
    lazy->on = false;
    lazy->all_open_interval = lazy->interval;
    guard->selector = RT_DISPATCH_ALLOW;
    rt_protection_lift(&guard->protections);
    protect_stack_growth(guard);
    rt_guard_restore_handlers(guard);
    rt_signals_restore(guard);
    rt_guard_set_syscall_dispatch(guard, false);
    if (context)
        context->uc_stack = lazy->program_stack;
    else
        rt_raw_syscall(SYS_sigaltstack, (long)&lazy->program_stack, 0, 0, 0, 0, 0);
}

/* ----------------------------------------------------------------------------------- signals -- */

/* Returns true if a system call between kernels touches no protected memory. It is getpid or close, or maps
 * or protects a part of an open range of the caller, such as device memory. registers: those of the call. */
static bool is_device_protection_call(const struct rt_lazy_reprotect *lazy, long number, const greg_t *registers)
{
    uint64_t start = (uint64_t)registers[REG_RDI], bytes = (uint64_t)registers[REG_RSI];
    /* mremap of 0 bytes maps the old range a second time, at the address in r8 */
    if (number == SYS_mremap && !bytes && registers[REG_R10] & MREMAP_FIXED) {
        start = (uint64_t)registers[REG_R8];
        bytes = (uint64_t)registers[REG_RDX];
    } else if (number != SYS_mprotect && (number != SYS_mmap || !(registers[REG_R10] & MAP_FIXED)))
        return number == SYS_getpid || number == SYS_close;
    for (size_t i = 0; i < lazy->nopen; i++)
        if (start - lazy->open_ranges[i].start < lazy->open_ranges[i].bytes &&
            bytes <= lazy->open_ranges[i].bytes - (start - lazy->open_ranges[i].start))
            return true;
    return false;
}

/* Opens a window for a fault on protected memory, or makes a system call that needs no open memory. For any
 * other signal or system call, ends lazy reprotection (opens all memory) and lets the signal, or the call,
 * happen again. */
void rt_lazy_handle_signal(struct rt_page_guard *guard, int signal, const siginfo_t *info, ucontext_t *context)
{
    struct rt_lazy_reprotect *lazy = &guard->lazy;
    greg_t *registers = context->uc_mcontext.gregs;
    const uint64_t address = (uintptr_t)info->si_addr;
    const struct rt_protected_range *protected = NULL;
    if (signal == SIGSEGV && info->si_code > 0 && info->si_code != SI_KERNEL)
    protected = rt_find_protected_range(&guard->protections, address);
    if (protected && !is_in_open_window(lazy, address) && open_window_at(lazy, protected, rt_page_down(address)))
        return;
    const bool call = signal == SIGSYS && info->si_code == SYS_USER_DISPATCH;
    if (call && is_device_protection_call(lazy, info->si_syscall, registers)) {
        registers[REG_RAX] =
            rt_raw_syscall(info->si_syscall, registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                           registers[REG_R10], registers[REG_R8], registers[REG_R9]);
        return;
    }
    rt_lazy_end(guard, context);
    const unsigned char *before = (const unsigned char *)registers[REG_RIP] - 1;
    if (call) { /* the program repeats the syscall instruction */
        registers[REG_RIP] -= 2;
        registers[REG_RAX] = info->si_syscall;
    } else if (info->si_code <= 0) {
        rt_signals_resend(guard, signal, info);
        /* SIGTRAP of a breakpoint (0xCC) arrives after its instruction, which the program must repeat */
    } else if (signal == SIGTRAP && *before == 0xCC) {
        registers[REG_RIP]--;
    }
}

/* ------------------------------------------------------------------------- queries and reads -- */

/* Returns the number of the current host interval; 0 if guard is NULL. */
uint64_t rt_guard_get_interval(const struct rt_page_guard *guard)
{
    return guard ? guard->lazy.interval : 0;
}

/* Returns true if all of the range is protected, and no window in it was open after the host interval
 * `interval`. The caller's part of its stack always counts as open. */
bool rt_guard_is_untouched(const struct rt_page_guard *guard, uint64_t start, uint64_t bytes, uint64_t interval)
{
    const uint64_t end = start + bytes;
    if (!guard || !guard->lazy.on || guard->lazy.all_open_interval > interval)
        return false;
    const struct rt_lazy_reprotect *lazy = &guard->lazy;
    /* the whole range must be protected, because the guard does not observe accesses to other memory */
    for (uint64_t at = start; at < end;) {
        const struct rt_protected_range *protected = rt_find_protected_range(&guard->protections, at);
        if (!protected)
            return false;
        at = protected->end;
    }
    if (lazy->stack.start < end && start < lazy->stack.end)
        return false;
    for (size_t i = 0; i < lazy->nwindows; i++) {
        const struct rt_window *window = &lazy->windows[i];
        if (window->start < end && start < window->end && window->open_interval > interval)
            return false;
    }
    return true;
}

/* Request to copy or to compare n bytes of host memory from `start` on. The fields advance as parts of the
 * request are served, so that they describe the rest. */
struct host_read {
    uint64_t start;
    size_t n;
    /* Target of the copy; NULL: the bytes are compared with those at `expected`. `same` becomes false if they
     * differ. */
    char *to;
    const char *expected;
    bool same;
};

/* Serves the first n bytes of a request, which can be read at `at`: copies them, unless `at` is the target,
 * or compares them. */
static void read_bytes(struct host_read *request, const void *at, size_t n)
{
    if (request->to) {
        if (request->to != at)
            memcpy(request->to, at, n);
        request->to += n;
    } else {
        request->same = request->same && !memcmp(request->expected, at, n);
        request->expected += n;
    }
    request->start += n;
    request->n -= n;
}

/* Serves the first bytes of a request from the protected range `protected`: opens their pages, reads, and protects the
 * pages again, except in open windows. Returns false if the pages cannot be opened. */
static bool read_protected(const struct rt_lazy_reprotect *lazy, const struct rt_protected_range *protected,
                           struct host_read *request)
{
    const uint64_t start = request->start;
    const size_t n = protected->end - start < request->n ? protected->end - start : request->n;
    const uint64_t low = rt_page_down(start), high = rt_page_down(start + n - 1) + RT_PAGE_SIZE;
    bool is_there = lazy->stack.open && low >= lazy->stack.start && high <= lazy->stack.end;
    for (size_t i = 0; i < lazy->nwindows && !is_there; i++)
        is_there = lazy->windows[i].open && low >= lazy->windows[i].start && high <= lazy->windows[i].end;
    if (!is_there && rt_protect_pages(low, high, protected->protection))
        return false;
    read_bytes(request, (const void *)(uintptr_t)start, n);
    if (is_there)
        return true;
    rt_protect_pages(low, high, PROT_NONE);
    if (lazy->stack.open && lazy->stack.start < high && low < lazy->stack.end)
        rt_protect_pages(lazy->stack.start, lazy->stack.end, lazy->stack.protection);
    for (size_t i = 0; i < lazy->nwindows; i++) {
        const struct rt_window *window = &lazy->windows[i];
        if (window->open && window->start < high && low < window->end)
            rt_protect_pages(window->start, window->end, window->protection);
    }
    return true;
}

/* Serves the rest of a request from memory that is not protected; stops at the first difference of a
 * comparison. Returns false if memory is not mapped. */
static bool read_open(struct host_read *request)
{
    enum { MOST = 1 << 16 }; /* size of a part, chosen to stay in the processor's cache */
    static char window[MOST];
    while (request->n && request->same) {
        const size_t n = request->to || request->n < MOST ? request->n : MOST;
        char *const to = request->to ? request->to : window;
        if (rt_read_memory(rt_raw_syscall, to, request->start, n) < n)
            return false;
        read_bytes(request, to, n);
    }
    return true;
}

/* Serves a request, from protected or open memory; guard may be NULL. Returns false if memory is not mapped. */
static bool read_host(struct rt_page_guard *guard, struct host_read *request)
{
    if (!guard || !guard->lazy.on)
        return read_open(request);
    /* signals are blocked, because a handler would end lazy reprotection between two steps */
    const uint64_t mask = rt_block_all_but_faults();
    bool success = false;
    while (request->n && guard->lazy.on && !success) {
        const struct rt_protected_range *protected = rt_find_protected_range(&guard->protections, request->start);
        if (protected ? !read_protected(&guard->lazy, protected, request) : !read_open(request))
            rt_lazy_end(guard, NULL); /* the map is wrong, as the program has changed the protection itself */
        else
            success = !protected;
    }
    rt_set_signal_mask(mask, NULL);
    return success || read_open(request);
}

/* Copies n bytes of host memory to `to`; returns false if memory is not mapped. */
bool rt_guard_peek(struct rt_page_guard *guard, uint64_t start, char *to, size_t n)
{
    return read_host(guard, &(struct host_read){.start = start, .n = n, .to = to, .same = true});
}

/* Returns true if n bytes of host memory are mapped and differ from those at `from`. */
bool rt_guard_differs(struct rt_page_guard *guard, uint64_t start, const char *from, size_t n)
{
    struct host_read request = {.start = start, .n = n, .expected = from, .same = true};
    return read_host(guard, &request) && !request.same;
}
