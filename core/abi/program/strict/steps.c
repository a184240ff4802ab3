/* steps.c - what is done about an access to closed memory while a kernel is watched. If the kernel makes it,
 * it ends and is reported. If a library of the system makes it, its page is opened for that one instruction. */
#include "stray.h"
#include "watching.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum {
    STEPS_MOST = 40,   /* pages of one instruction: a gather of 16 crossing elements */
    PATIENCE = 64,     /* a page opened so often stays open for the rest of the run */
    KNOWN_PATIENCE = 8 /* the same for one that stayed open in an earlier run */
};

/* Of a thread: pages open for one instruction. */
static __thread __attribute__((tls_model("initial-exec"))) struct {
    uint64_t at[STEPS_MOST];
    unsigned n;
} steps;

/* How often the page was opened in this run; NULL: too many pages. */
static unsigned *times_opened(struct goacc_watch *watch, uint64_t page)
{
    size_t i = (page / GOACC_PAGE * 0x9E3779B97F4A7C15u >> 32) % GOACC_PAGES_MOST;
    while (watch->page[i] && watch->page[i] != page)
        i = (i + 1) % GOACC_PAGES_MOST;
    if (!watch->page[i]) {
        if (watch->npages == GOACC_PAGES_MOST - 1)
            return NULL;
        watch->npages++;
        watch->page[i] = page;
    }
    return &watch->times[i];
}

static bool has_present(const struct goacc_watch *watch, uint64_t page)
{
    for (uint64_t address = page; address < page + GOACC_PAGE; address += sizeof(void *))
        if (watch->present(watch->ud, address))
            return true;
    return false;
}

/* A page that is often needed stays open. Not for a system library if some of it is present: what a
 * library does there may be the kernel's fault. */
static bool stays_open(struct goacc_watch *watch, uint64_t address, uint64_t page)
{
    unsigned *times = times_opened(watch, page);
    if (times && ++*times < PATIENCE)
        return false;
    bool stays = goacc_everyone_may(&watch->closing, address) || !has_present(watch, page);
    if (times && !stays)
        *times = 0;
    return stays;
}

/* A new run. */
void goacc_watch_forget_times(struct goacc_watch *watch)
{
    bool all = watch->npages > GOACC_PAGES_MOST / 2;
    if (all)
        memset(watch->page, 0, sizeof watch->page);
    for (size_t i = 0; i < GOACC_PAGES_MOST; i++)
        watch->times[i] = !all && watch->times[i] >= PATIENCE ? PATIENCE - KNOWN_PATIENCE : 0;
    watch->npages = all ? 0 : watch->npages;
}

/* What stays open is closed again after the run. */
static void note_open(struct goacc_watch *watch, uint64_t start, uint64_t end)
{
    struct goacc_held *held = &watch->held;
    if (held->nstayed < GOACC_STAYED_MOST)
        held->stayed[held->nstayed] = (struct goacc_range){start, end - start};
    held->nstayed++;
}

static long protect(uint64_t start, uint64_t end, int protection)
{
    return goacc_system(SYS_mprotect, (long)start, (long)(end - start), protection, 0, 0, 0);
}

/* Opens the page for one instruction, or all around it where that is too small for the operating
 * system (huge pages). */
static void step(struct goacc_watch *watch, const struct goacc_closed *closed, uint64_t address,
                 greg_t *registers)
{
    uint64_t page = address & ~(uint64_t)(GOACC_PAGE - 1);
    if (protect(page, page + GOACC_PAGE, closed->protection) != 0) {
        protect(closed->start, closed->end, closed->protection);
        note_open(watch, closed->start, closed->end);
        return;
    }
    if (stays_open(watch, address, page) || steps.n == STEPS_MOST) {
        note_open(watch, page, page + GOACC_PAGE);
        return;
    }
    steps.at[steps.n++] = page;
    registers[REG_EFL] |= 0x100;
}

bool goacc_watch_end_step(greg_t *registers)
{
    const bool stepped = steps.n > 0;
    for (unsigned i = 0; i < steps.n; i++)
        protect(steps.at[i], steps.at[i] + GOACC_PAGE, PROT_NONE);
    steps.n = 0;
    registers[REG_EFL] &= ~(greg_t)0x100;
    return stepped;
}

enum { PAGE_FAULT = 14, ERROR_WRITE = 2, ERROR_FETCH = 16 }; /* of the processor */

/* Whether the kernel is not to blame for an access to closed memory. */
static bool is_harmless(const struct goacc_watch *watch, uint64_t address, const greg_t *registers)
{
    if (registers[REG_ERR] & ERROR_FETCH)
        return false;
    if (goacc_everyone_may(&watch->closing, address))
        return true;
    return goacc_is_system(&watch->closing, (uint64_t)registers[REG_RIP]) &&
           !watch->present(watch->ud, address);
}

void goacc_watch_access(struct goacc_watch *watch, uint64_t address, greg_t *registers)
{
    bool known = registers[REG_TRAPNO] == PAGE_FAULT;
    const struct goacc_closed *closed = known ? goacc_closed_at(&watch->closing, address) : NULL;
    if (known && goacc_sections_touched(watch, address))
        return;
    if (closed && is_harmless(watch, address, registers)) {
        step(watch, closed, address, registers);
        return;
    }
    const uint64_t sp = (uint64_t)registers[REG_RSP], end = watch->own[0].start + watch->own[0].bytes;
    const bool jumped = sp - watch->own[0].start >= watch->own[0].bytes;
    goacc_stopped_note(&watch->stopped, registers, sp < watch->bottom || jumped ? 0 : end);
    watch->fault = (struct goacc_fault){
        .address = known ? address : 0,
        .stopped = &watch->stopped,
        .write = known && registers[REG_ERR] & ERROR_WRITE,
        .host = closed != NULL,
        .jumped = jumped,
        .stray = known ? 0 : goacc_stray(registers),
    };
    watch->faulted = true;
    siglongjmp(watch->leave, 1);
}
