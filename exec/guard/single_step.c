/* single_step.c - accesses to protected memory during a guarded kernel. An access by the kernel ends the
 * kernel and is reported. An access by a library of the system to data that are not present is
 * single-stepped: its page is open for that instruction only. An access to a section of device memory is
 * recorded (touched_sections.c). */
#include "page_guard_internal.h"
#include "wild_pointer.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum {
    STEPS_MOST = 40, /* most pages that one instruction opens; a gather of 16 elements across page borders needs 32 */
    /* A page that is opened so often in a run stays open until the run ends, because single steps take long. */
    OPENS_MAX = 64,
    KNOWN_OPENS_MAX = 8 /* this limit for a page that stayed open until the end of the last run */
};

/* Pages that the thread has opened for the instruction under way. */
static __thread __attribute__((tls_model("initial-exec"))) struct {
    uint64_t at[STEPS_MOST];
    unsigned n;
} steps;

/* Returns the counter of how often the page at `page` was opened in this run; NULL if RT_STEPPED_PAGES_MAX - 1 other
 * pages are counted. */
static unsigned *get_open_count(struct rt_page_guard *guard, uint64_t page)
{
    size_t i = (page / RT_PAGE_SIZE * 0x9E3779B97F4A7C15u >> 32) % RT_STEPPED_PAGES_MAX;
    while (guard->stepped_pages[i] && guard->stepped_pages[i] != page)
        i = (i + 1) % RT_STEPPED_PAGES_MAX;
    if (!guard->stepped_pages[i]) {
        if (guard->nstepped_pages == RT_STEPPED_PAGES_MAX - 1)
            return NULL;
        guard->nstepped_pages++;
        guard->stepped_pages[i] = page;
    }
    return &guard->open_counts[i];
}

/* Returns true if the page at `page` has host data that are present on a device. */
static bool has_present_data(const struct rt_page_guard *guard, uint64_t page)
{
    for (uint64_t address = page; address < page + RT_PAGE_SIZE; address += sizeof(void *))
        if (guard->present(guard->ud, address))
            return true;
    return false;
}

/* Counts that `page`, the page of `address`, is opened. Returns true if the page is to stay open, because it
 * was opened OPENS_MAX times or cannot be counted. A page with present data stays open only for an address
 * that any code may use, as a later access to the data may be the kernel's fault. */
static bool is_left_open(struct rt_page_guard *guard, uint64_t address, uint64_t page)
{
    unsigned *open_counts = get_open_count(guard, page);
    if (open_counts && ++*open_counts < OPENS_MAX)
        return false;
    bool is_unrestricted = rt_is_unrestricted(&guard->protections, address) || !has_present_data(guard, page);
    if (open_counts && !is_unrestricted)
        *open_counts = 0;
    return is_unrestricted;
}

/* Starts the counters of a run. Pages that the last run left open begin near the limit: after KNOWN_OPENS_MAX
 * single steps they stay open again. */
void rt_guard_reset_step_counts(struct rt_page_guard *guard)
{
    bool is_table_full = guard->nstepped_pages > RT_STEPPED_PAGES_MAX / 2;
    if (is_table_full)
        memset(guard->stepped_pages, 0, sizeof guard->stepped_pages);
    for (size_t i = 0; i < RT_STEPPED_PAGES_MAX; i++)
        guard->open_counts[i] = !is_table_full && guard->open_counts[i] >= OPENS_MAX ? OPENS_MAX - KNOWN_OPENS_MAX : 0;
    guard->nstepped_pages = is_table_full ? 0 : guard->nstepped_pages;
}

/* Records the pages from `start` to `end`, which stay open in this run, in lazy.left_open, so that they are
 * protected again after the run. nleft_open also counts pages that the list has no slot for; then lazy
 * reprotection ends. */
static void record_unprotected(struct rt_page_guard *guard, uint64_t start, uint64_t end)
{
    struct rt_lazy_reprotect *lazy = &guard->lazy;
    if (lazy->nleft_open < RT_UNPROTECTED_PAGES_MAX)
        lazy->left_open[lazy->nleft_open] = (struct rt_range){start, end - start};
    lazy->nleft_open++;
}

/* Opens the page of `address` in the range `protected` for one instruction: sets the trap flag in `registers`. A page
 * that was opened often stays open until the run ends. So does the whole range if the operating system cannot open
 * single pages (huge pages). */
static void step_instruction(struct rt_page_guard *guard, const struct rt_protected_range *protected, uint64_t address,
                             greg_t *registers)
{
    uint64_t page = rt_page_down(address);
    if (rt_protect_pages(page, page + RT_PAGE_SIZE, protected->protection) != 0) {
        rt_protect_pages(protected->start, protected->end, protected->protection);
        record_unprotected(guard, protected->start, protected->end);
        return;
    }
    if (is_left_open(guard, address, page) || steps.n == STEPS_MOST) {
        record_unprotected(guard, page, page + RT_PAGE_SIZE);
        return;
    }
    steps.at[steps.n++] = page;
    registers[REG_EFL] |= 0x100;
}

/* Protects the pages again that were opened for the last instruction, and clears the trap flag in
 * `registers`. Returns false if no page was open. */
bool rt_guard_end_single_step(greg_t *registers)
{
    const bool is_stepped = steps.n > 0;
    for (unsigned i = 0; i < steps.n; i++)
        rt_protect_pages(steps.at[i], steps.at[i] + RT_PAGE_SIZE, PROT_NONE);
    steps.n = 0;
    registers[REG_EFL] &= ~(greg_t)0x100;
    return is_stepped;
}

enum { PAGE_FAULT = 14, ERROR_WRITE = 2, ERROR_FETCH = 16 }; /* trap number and bits of the error code of x86 */

/* Returns true if an access to protected memory is allowed. Any code may use the memory, or a system library
 * accesses data that are not present on a device. A jump to protected memory is not allowed. registers: those
 * at the fault. */
static bool is_allowed_access(const struct rt_page_guard *guard, uint64_t address, const greg_t *registers)
{
    if (registers[REG_ERR] & ERROR_FETCH)
        return false;
    if (rt_is_unrestricted(&guard->protections, address))
        return true;
    return rt_is_system_library_address(&guard->protections, (uint64_t)registers[REG_RIP]) &&
           !guard->present(guard->ud, address);
}

/* Records the first touch of a device section, or single-steps an allowed access. For any other access,
 * records the fault and leaves the kernel by siglongjmp. */
void rt_guard_handle_access(struct rt_page_guard *guard, uint64_t address, greg_t *registers)
{
    bool is_page_fault = registers[REG_TRAPNO] == PAGE_FAULT;
    const struct rt_protected_range *protected =
        is_page_fault ? rt_find_protected_range(&guard->protections, address) : NULL;
    if (is_page_fault && rt_section_handle_touch(guard, address))
        return;
    if (protected && is_allowed_access(guard, address, registers)) {
        step_instruction(guard, protected, address, registers);
        return;
    }
    const uint64_t sp = (uint64_t)registers[REG_RSP], end = guard->own_ranges[0].start + guard->own_ranges[0].bytes;
    const bool has_jumped = sp - guard->own_ranges[0].start >= guard->own_ranges[0].bytes;
    rt_capture_fault_context(&guard->fault_context, registers, sp < guard->bottom || has_jumped ? 0 : end);
    guard->fault = (struct rt_guard_fault){
        .address = is_page_fault ? address : 0,
        .fault_context = &guard->fault_context,
        .write = is_page_fault && registers[REG_ERR] & ERROR_WRITE,
        .host = protected != NULL,
        .has_jumped = has_jumped,
        .wild_pointer = is_page_fault ? 0 : rt_find_wild_pointer(registers),
    };
    guard->has_faulted = true;
    siglongjmp(guard->leave, 1);
}
