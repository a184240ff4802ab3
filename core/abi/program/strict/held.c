/* held.c - keeps the host's memory closed between two kernels, because opening and closing all of it takes
 * long. This is done if the process has no thread but the one that runs kernels. The host's access to closed
 * memory opens a piece of it. Pieces that are opened again and again are opened without a fault. A system
 * call of the host opens everything, because the operating system answers with EFAULT, not with a signal,
 * where memory is closed. So does a signal that the program handles (signals.c). So mappings, threads and handlers of
 * signals are what they were when the next kernel begins, unless memory is open. */
#include "watching.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

enum {
    NEAR = 4 * GOACC_PAGE,     /* pieces so close are one */
    STACK = 2 * GOACC_PAGE,    /* of the caller's stack, in both directions */
    SMALL = 64 * GOACC_PAGE,   /* a larger piece is opened by faults only */
    GROWTH = 16384 * GOACC_PAGE,
    PATIENCE = 256             /* kernels until it is seen whether a piece is still needed */
};

static uint64_t page_of(uint64_t address)
{
    return address & ~(uint64_t)(GOACC_PAGE - 1);
}

static bool protect(uint64_t start, uint64_t end, int protection)
{
    return !goacc_system(SYS_mprotect, (long)start, (long)(end - start), protection, 0, 0, 0);
}

/* Whether something lies below the caller's stack: the stack may have grown. */
static bool is_mapped_below(const struct goacc_watch *watch)
{
    unsigned char in_memory;
    const struct goacc_closed *stack = goacc_closed_at(&watch->closing, watch->caller_sp);
    return stack && !goacc_system(SYS_mincore, (long)(stack->start - GOACC_PAGE), GOACC_PAGE, (long)&in_memory, 0,
                                  0, 0);
}

/* ------------------------------------------------------------------------------------ pieces -- */

static bool holds(const struct goacc_piece *piece, uint64_t address)
{
    return address - piece->start < piece->end - piece->start;
}

/* The piece of a page, or one of the same mapping that is so close that it may grow; or NULL. */
static struct goacc_piece *piece_near(struct goacc_held *held, uint64_t page, const struct goacc_closed *closed)
{
    struct goacc_piece *found = NULL;
    for (size_t i = 0; i < held->npieces; i++) {
        struct goacc_piece *piece = &held->pieces[i];
        if (holds(piece, page))
            return piece;
        if ((piece->end - piece->start <= SMALL || piece->grown == held->gap) && piece->start >= closed->start &&
            piece->end <= closed->end && page + NEAR >= piece->start && page < piece->end + NEAR)
            found = piece;
    }
    return found;
}

/* Pieces that are not open are forgotten: what they held may have been changed until now. */
static void forget_pieces(struct goacc_held *held)
{
    size_t kept = 0;
    for (size_t i = 0; i < held->npieces; i++)
        if (held->pieces[i].open)
            held->pieces[kept++] = held->pieces[i];
    held->npieces = kept;
    held->all = held->gap;
}

/* What else begins in a piece that has grown is a part of it. */
static void absorb(struct goacc_held *held, struct goacc_piece *grown)
{
    const uint64_t start = grown->start, end = grown->end;
    struct goacc_piece whole = *grown;
    size_t kept = 0;
    for (size_t i = 0; i < held->npieces; i++) {
        const struct goacc_piece piece = held->pieces[i];
        if (piece.start >= end || piece.end <= start) {
            held->pieces[kept++] = piece;
            continue;
        }
        whole.start = piece.start < whole.start ? piece.start : whole.start;
        whole.end = piece.end > whole.end ? piece.end : whole.end;
        whole.patience = piece.patience > whole.patience ? piece.patience : whole.patience;
    }
    held->pieces[kept++] = whole;
    held->npieces = kept;
}

static bool open_piece(struct goacc_held *held, struct goacc_piece *piece)
{
    piece->open = true;
    piece->opened = held->gap;
    return protect(piece->start, piece->end, piece->protection);
}

/* The host touches a page of closed memory. False: it cannot be opened. */
static bool open_at(struct goacc_held *held, const struct goacc_closed *closed, uint64_t page)
{
    struct goacc_piece *piece = piece_near(held, page, closed);
    if (piece && holds(piece, page)) {
        piece->eager = piece->patience;
        piece->patience = piece->patience < PATIENCE ? 2 * piece->patience : PATIENCE;
    } else if (piece) { /* twice as long, if the host is on its way through it */
        uint64_t more = piece->grown == held->gap ? piece->end - piece->start : GOACC_PAGE;
        more = more < GROWTH ? more : GROWTH;
        if (page < piece->start) {
            const uint64_t room = page - closed->start;
            piece->start = page - (room < more - GOACC_PAGE ? room : more - GOACC_PAGE);
        } else {
            const uint64_t room = closed->end - page;
            piece->end = page + (room < more ? room : more);
        }
        piece->grown = held->gap;
        absorb(held, piece);
        piece = &held->pieces[held->npieces - 1];
    } else {
        if (held->npieces == GOACC_PIECES_MOST)
            forget_pieces(held);
        if (held->npieces == GOACC_PIECES_MOST)
            return false;
        piece = &held->pieces[held->npieces++];
        *piece = (struct goacc_piece){.start = page,
                                      .end = page + GOACC_PAGE,
                                      .protection = closed->protection,
                                      .eager = 1,
                                      .patience = 2,
                                      .grown = held->gap};
    }
    return open_piece(held, piece);
}

static bool is_open(const struct goacc_held *held, uint64_t address)
{
    for (size_t i = 0; i < held->npieces; i++)
        if (held->pieces[i].open && holds(&held->pieces[i], address))
            return true;
    return false;
}

/* ---------------------------------------------------------------------------- begin and end -- */

/* Whether the thread lets the faults through that open memory. */
static bool let_faults_through(const struct goacc_watch *watch)
{
    return !(watch->caller_mask & (goacc_bit(SIGSEGV) | goacc_bit(SIGBUS) | goacc_bit(SIGSYS) | goacc_bit(SIGTRAP)));
}

static void open_stack(struct goacc_watch *watch)
{
    struct goacc_held *held = &watch->held;
    const uint64_t sp = watch->caller_sp;
    const struct goacc_closed *stack = goacc_closed_at(&watch->closing, sp);
    if (!stack)
        return;
    const uint64_t low = page_of(sp - STACK), high = page_of(sp + STACK) + GOACC_PAGE;
    struct goacc_piece *piece = &held->stack;
    *piece = (struct goacc_piece){.start = low > stack->start ? low : stack->start,
                                  .end = high < stack->end ? high : stack->end,
                                  .protection = stack->protection};
    open_piece(held, piece);
}

bool goacc_held_begin(struct goacc_watch *watch)
{
    struct goacc_held *held = &watch->held;
    const bool again = held->on;
    held->gap++;
    held->on = held->nstayed <= GOACC_STAYED_MOST && !watch->given_up && !watch->faulted && !watch->late && held->nopen <= GOACC_OPEN_MOST &&
               goacc_others_none(&watch->others) && (again || let_faults_through(watch));
    const size_t nstayed = held->nstayed;
    held->nstayed = 0;
    if (!held->on) {
        held->all = held->gap;
        goacc_signals_give_back(watch);
        return false;
    }
    for (size_t i = 0; i < nstayed; i++)
        protect(held->stayed[i].start, held->stayed[i].start + held->stayed[i].bytes, PROT_NONE);
    if (!again) {
        held->npieces = 0;
        held->below = is_mapped_below(watch);
        goacc_signals_forward(watch);
    }
    open_stack(watch);
    for (size_t i = 0; i < held->npieces; i++) {
        struct goacc_piece *piece = &held->pieces[i];
        if (piece->eager && piece->end - piece->start <= SMALL) {
            piece->eager--;
            open_piece(held, piece);
        } else if (piece->eager) {
            piece->eager = 0;
        }
    }
    return true;
}

bool goacc_held_goes_on(struct goacc_watch *watch, const struct goacc_range *open, size_t nopen)
{
    const struct goacc_held *held = &watch->held;
    uint64_t sp = (uintptr_t)__builtin_frame_address(0);
    const struct goacc_closed *stack = goacc_closed_at(&watch->closing, watch->caller_sp);
    return held->on && nopen == held->nopen && !memcmp(open, held->opened, nopen * sizeof *open) &&
           goacc_closed_at(&watch->closing, sp) == stack && held->below == is_mapped_below(watch);
}

/* The caller's stack may have grown while its lower end was closed: what is new is closed, too. */
static void open_growth(const struct goacc_watch *watch)
{
    const struct goacc_closed *stack = goacc_closed_at(&watch->closing, watch->caller_sp);
    if (stack)
        protect(stack->start - GOACC_PAGE, stack->start, stack->protection | PROT_GROWSDOWN);
}

void goacc_held_close(struct goacc_watch *watch)
{
    struct goacc_held *held = &watch->held;
    if (held->stack.open)
        protect(held->stack.start, held->stack.end, PROT_NONE);
    held->stack.open = false;
    for (size_t i = 0; i < held->npieces; i++) {
        struct goacc_piece *piece = &held->pieces[i];
        if (piece->open)
            protect(piece->start, piece->end, PROT_NONE);
        else if (piece->opened + 1 < held->gap)
            piece->patience = 2;
        piece->open = false;
    }
}

void goacc_held_end(struct goacc_watch *watch, ucontext_t *context)
{
    struct goacc_held *held = &watch->held;
    if (!held->on)
        return;
    held->on = false;
    held->all = held->gap;
    watch->selector = GOACC_SELECT_ALLOW;
    goacc_closing_open(&watch->closing);
    open_growth(watch);
    goacc_watch_restore(watch);
    goacc_signals_give_back(watch);
    goacc_watch_dispatch(watch, false);
    if (context)
        context->uc_stack = held->program_stack;
    else
        goacc_system(SYS_sigaltstack, (long)&held->program_stack, 0, 0, 0, 0, 0);
}

/* ----------------------------------------------------------------------------------- signals -- */

/* Calls that change the protection of memory that is never closed, as the device's, and no other memory. */
static bool is_of_device(const struct goacc_held *held, long number, const greg_t *registers)
{
    uint64_t start = (uint64_t)registers[REG_RDI], bytes = (uint64_t)registers[REG_RSI];
    if (number == SYS_mremap && !bytes && registers[REG_R10] & MREMAP_FIXED) { /* one more mapping */
        start = (uint64_t)registers[REG_R8];
        bytes = (uint64_t)registers[REG_RDX];
    } else if (number != SYS_mprotect && (number != SYS_mmap || !(registers[REG_R10] & MAP_FIXED)))
        return number == SYS_getpid || number == SYS_close;
    for (size_t i = 0; i < held->nopen; i++)
        if (start - held->opened[i].start < held->opened[i].bytes &&
            bytes <= held->opened[i].bytes - (start - held->opened[i].start))
            return true;
    return false;
}

void goacc_held_signal(struct goacc_watch *watch, int signal, const siginfo_t *info, ucontext_t *context)
{
    struct goacc_held *held = &watch->held;
    greg_t *registers = context->uc_mcontext.gregs;
    const uint64_t address = (uintptr_t)info->si_addr;
    const struct goacc_closed *closed = NULL;
    if (signal == SIGSEGV && info->si_code > 0 && info->si_code != SI_KERNEL)
        closed = goacc_closed_at(&watch->closing, address);
    if (closed && !is_open(held, address) && open_at(held, closed, page_of(address)))
        return;
    const bool call = signal == SIGSYS && info->si_code == SYS_USER_DISPATCH;
    if (call && is_of_device(held, info->si_syscall, registers)) {
        registers[REG_RAX] = goacc_system(info->si_syscall, registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                                          registers[REG_R10], registers[REG_R8], registers[REG_R9]);
        return;
    }
    goacc_held_end(watch, context);
    const unsigned char *before = (const unsigned char *)registers[REG_RIP] - 1;
    if (call) { /* the instruction, once more */
        registers[REG_RIP] -= 2;
        registers[REG_RAX] = info->si_syscall;
    } else if (info->si_code <= 0) {
        goacc_signals_resend(watch, signal, info);
    } else if (signal == SIGTRAP && *before == 0xCC) { /* a breakpoint is reported after its instruction */
        registers[REG_RIP]--;
    }
}

/* ------------------------------------------------------------------------------------- looks -- */

uint64_t goacc_watch_gap(const struct goacc_watch *watch)
{
    return watch ? watch->held.gap : 0;
}

bool goacc_watch_untouched(const struct goacc_watch *watch, uint64_t start, uint64_t bytes, uint64_t since)
{
    const uint64_t end = start + bytes;
    if (!watch || !watch->held.on || watch->held.all > since)
        return false;
    const struct goacc_held *held = &watch->held;
    for (uint64_t at = start; at < end;) { /* what is never closed is not looked after */
        const struct goacc_closed *closed = goacc_closed_at(&watch->closing, at);
        if (!closed)
            return false;
        at = closed->end;
    }
    if (held->stack.start < end && start < held->stack.end)
        return false;
    for (size_t i = 0; i < held->npieces; i++) {
        const struct goacc_piece *piece = &held->pieces[i];
        if (piece->start < end && start < piece->end && piece->opened > since)
            return false;
    }
    return true;
}

/* Bytes of the host that are copied, or compared. */
struct looking {
    uint64_t start;
    size_t n;
    char *to; /* NULL: they are compared */
    const char *with;
    bool same;
};

/* The first ones of them, which can be read at another address. */
static void look_at(struct looking *looking, const void *at, size_t n)
{
    if (looking->to) {
        if (looking->to != at)
            memcpy(looking->to, at, n);
        looking->to += n;
    } else {
        looking->same = looking->same && !memcmp(looking->with, at, n);
        looking->with += n;
    }
    looking->start += n;
    looking->n -= n;
}

static bool look_at_closed(const struct goacc_held *held, const struct goacc_closed *closed, struct looking *looking)
{
    const uint64_t start = looking->start;
    const size_t n = closed->end - start < looking->n ? closed->end - start : looking->n;
    const uint64_t low = page_of(start), high = page_of(start + n - 1) + GOACC_PAGE;
    bool is_there = held->stack.open && low >= held->stack.start && high <= held->stack.end;
    for (size_t i = 0; i < held->npieces && !is_there; i++)
        is_there = held->pieces[i].open && low >= held->pieces[i].start && high <= held->pieces[i].end;
    if (!is_there && !protect(low, high, closed->protection))
        return false;
    look_at(looking, (const void *)(uintptr_t)start, n);
    if (is_there)
        return true;
    protect(low, high, PROT_NONE);
    if (held->stack.open && held->stack.start < high && low < held->stack.end)
        protect(held->stack.start, held->stack.end, held->stack.protection);
    for (size_t i = 0; i < held->npieces; i++) {
        const struct goacc_piece *piece = &held->pieces[i];
        if (piece->open && piece->start < high && low < piece->end)
            protect(piece->start, piece->end, piece->protection);
    }
    return true;
}

static bool look_at_open(struct looking *looking)
{
    enum { MOST = 1 << 16 }; /* it stays in the cache */
    static char piece[MOST];
    const long pid = goacc_system(SYS_getpid, 0, 0, 0, 0, 0, 0);
    while (looking->n && looking->same) {
        const size_t n = looking->to || looking->n < MOST ? looking->n : MOST;
        const struct iovec here = {looking->to ? looking->to : piece, n},
                           there = {(void *)(uintptr_t)looking->start, n};
        const long got = goacc_system(SYS_process_vm_readv, pid, (long)&here, 1, (long)&there, 1, 0);
        if (got == -ENOSYS || got == -EPERM) /* where the call is not allowed */
            look_at(looking, there.iov_base, n);
        else if (got == (long)n)
            look_at(looking, here.iov_base, n);
        else
            return false;
    }
    return true;
}

static bool look(struct goacc_watch *watch, struct looking *looking)
{
    if (!watch || !watch->held.on)
        return look_at_open(looking);
    const uint64_t mask = goacc_block_but_faults(); /* a handler would open all memory in between */
    bool good = false;
    while (looking->n && watch->held.on && !good) {
        const struct goacc_closed *closed = goacc_closed_at(&watch->closing, looking->start);
        if (closed ? !look_at_closed(&watch->held, closed, looking) : !look_at_open(looking))
            goacc_held_end(watch, NULL); /* more is closed there */
        else
            good = !closed;
    }
    goacc_set_mask(mask, NULL);
    return good || look_at_open(looking);
}

bool goacc_watch_peek(struct goacc_watch *watch, uint64_t start, char *to, size_t n)
{
    return look(watch, &(struct looking){.start = start, .n = n, .to = to, .same = true});
}

bool goacc_watch_differs(struct goacc_watch *watch, uint64_t start, const char *from, size_t n)
{
    struct looking looking = {.start = start, .n = n, .with = from, .same = true};
    return look(watch, &looking) && !looking.same;
}
