/* turns.c - uses of device memory that nothing orders: missing waits, and races of queues and tasks.
 *
 * Work of queues and tasks is done at once, in program order. Each operation of a queue, and each task, has a number.
 * A few bytes of device memory have the numbers of the works that wrote and read them last; several works that read
 * them without an order have a number together. Work that uses memory looks whether those come before, by the clocks
 * of order.c. As long as the host has waited for all work, nothing is noted and nothing is asked. */
#include "abi/checked/order.h"
#include "abi/program/strict/order.h"
#include "shadow.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { FIRST = 2, END = GOACC_APART - 1, MANY = END / 4, MEMBERS = 1 << 16 };

/* By half of their numbers: works, and sets of works. */
static struct work {
    struct goacc_used used;
    uint32_t first, n; /* members of a set; n == 0: it is a work */
} works[END / 2];
static uint16_t members[MEMBERS]; /* their numbers: odd ones are atomic operations */
static unsigned next = FIRST, nmembers;
static uintptr_t reported; /* the call under way, if it was */

/* --------------------------------------------------------------------------------- numbers -- */

static uint64_t ntiles(void)
{
    return goacc_checked.bytes / GOACC_TILE + 1;
}

/* Tiles, their parts, and bytes of the device's memory. */
static uint64_t bytes_of_tables(void)
{
    enum { PARTS = GOACC_TILE / GOACC_UNITS };
    return ntiles() * ((1 + PARTS) * sizeof *goacc_checked.uses + GOACC_TILE * sizeof *goacc_checked.apart);
}

/* What was noted is forgotten. */
static void forget(void)
{
    madvise(goacc_checked.uses, bytes_of_tables(), MADV_DONTNEED);
    next = FIRST;
    nmembers = 0;
}

/* A new number; 0: there is none, while kernels use the old ones. */
static uint16_t new_number(struct work work)
{
    if (!goacc_checked.noting && (next == END || (next > MANY && goacc_order_is_quiet())))
        forget();
    if (next == END)
        return 0;
    works[next / 2] = work;
    next += 2;
    return (uint16_t)(next - 2);
}

/* Of the call under way, or the kernel that the thread runs; 0: it is the host's work, or has no number. */
static uint16_t own_number(void)
{
    enum { NEAR = 64 };
    const struct goacc_turn turn = goacc_own.turn;
    const struct goacc_site *site = goacc_kernel_site ? goacc_kernel_site : goacc.site;
    for (unsigned i = next; i > FIRST && i + NEAR > next && turn.strand; i -= 2) {
        const struct work *work = &works[i / 2 - 1];
        if (!work->n && work->used.turn.strand == turn.strand && work->used.turn.number == turn.number)
            return (uint16_t)(i - 2);
    }
    if (!turn.strand || !site)
        return 0;
    return new_number((struct work){.used = {.turn = turn, .pc = site->call.pc, .what = site->what}});
}

/* ------------------------------------------------------------------------------------ sets -- */

/* The members of a set, or the number itself. */
static size_t members_of(const uint16_t *number, const uint16_t **list_p)
{
    const struct work *work = &works[*number / 2];
    *list_p = work->n ? members + work->first : number;
    return work->n ? work->n : *number != 0;
}

static bool is_before(uint16_t number)
{
    return goacc_order_before(works[number / 2].used.turn, goacc_own.turn);
}

enum { MOST = 64 }; /* members that are kept */

/* Those members of a number that do not come before the thread's turn, at most MOST; the first that is no atomic
 * operation, or 0. */
static size_t left_of(uint16_t number, uint16_t *left, uint16_t *plain_p)
{
    const uint16_t *list;
    const size_t n = members_of(&number, &list);
    size_t kept = 0;
    *plain_p = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_before(list[i]))
            continue;
        if (!*plain_p && !(list[i] & 1))
            *plain_p = list[i];
        if (kept < MOST)
            left[kept++] = list[i];
    }
    return kept;
}

/* The set of some numbers: one that is there, or a new one. */
static uint16_t set_of(const uint16_t *list, size_t n)
{
    for (unsigned i = next; i > FIRST; i -= 2) {
        const struct work *set = &works[i / 2 - 1];
        if (set->n == n && !memcmp(members + set->first, list, n * sizeof *list))
            return (uint16_t)(i - 2);
        if (i - 2 <= (list[n - 1] & ~1u)) /* older than its newest member */
            break;
    }
    if (nmembers + n > MEMBERS)
        return list[n - 1];
    const uint16_t number = new_number((struct work){.first = nmembers, .n = (uint32_t)n});
    if (number) {
        memcpy(members + nmembers, list, n * sizeof *list);
        nmembers += (unsigned)n;
    }
    return number ? number : list[n - 1];
}

/* Whether a member of a number stays where a work joins it. Those that come before do not, but an atomic operation
 * leaves plain uses that the host has not waited for: a third work may be atomic, too, and not come after them. */
static bool stays(uint16_t member, uint16_t work)
{
    const bool plain = !(member & 1);
    return !is_before(member) || (work & 1 && plain && !goacc_order_is_done(works[member / 2].used.turn));
}

/* What a number becomes where a work, 0: the host's, 1: an atomic one without a number, joins those that stay. */
static uint16_t joined(uint16_t from, uint16_t work)
{
    uint16_t list[MOST + 1];
    const uint16_t *all;
    const size_t most = members_of(&from, &all);
    size_t n = 0;
    bool has = work <= 1;
    for (size_t i = 0; i < most && n < MOST; i++)
        if (stays(all[i], work)) {
            list[n++] = all[i];
            has |= all[i] == work;
        }
    if (!has)
        list[n++] = work;
    return n == 0 ? 0 : n == 1 ? list[0] : set_of(list, n);
}

/* -------------------------------------------------------------------------------------- uses -- */

static uint16_t on_step(uint16_t from, uint16_t work)
{
    const bool own = goacc_lock();
    const uint16_t to = joined(from, work);
    if (own)
        goacc_unlock();
    return to;
}

static void on_clash(struct goacc_last *last, uintptr_t at, unsigned how, uintptr_t pc, const uintptr_t *frame)
{
    const bool own = goacc_lock(), writes = how & GOACC_CHANGES;
    uint16_t list[MOST], plain_write, plain_read = 0;
    const size_t written = left_of(last->write, list, &plain_write);
    const uint16_t write = written ? list[0] : 0;
    const size_t read = writes ? left_of(last->read, list, &plain_read) : 0;
    const uint16_t work = own_number(), mine = work && how & GOACC_ATOMIC ? work + 1 : work;
    if (how & GOACC_ATOMIC && !plain_write && !plain_read) { /* the others are atomic operations, too */
        if (writes)
            last->write = joined(last->write, mine);
    } else if (written || read) {
        const struct goacc_access access = {at, 1, writes, pc, frame};
        const bool by_write = plain_write || (written && !plain_read), last_write = !works[last->write / 2].n;
        const uint16_t earlier = plain_write ? plain_write : plain_read ? plain_read : written ? write : list[0];
        if (frame || pc != reported)
            goacc_report_clash(&access, how & GOACC_FREES, &works[earlier / 2].used, by_write, last_write);
        reported = frame ? 0 : pc;
        *last = writes ? (struct goacc_last){.write = mine} : (struct goacc_last){.read = mine};
    }
    if (own)
        goacc_unlock();
}

void goacc_turns_open(void)
{
    goacc_checked.uses = goacc_reserve(bytes_of_tables());
    goacc_checked.parts = goacc_checked.uses + ntiles();
    goacc_checked.apart = (struct goacc_last *)(goacc_checked.parts + ntiles() * (GOACC_TILE / GOACC_UNITS));
    goacc_checked.step = on_step;
    goacc_checked.clash = on_clash;
    if (!goacc_checked.uses)
        goacc_die("out-of-memory", "no memory for the checks");
}

void goacc_turns_close(void)
{
    next = FIRST;
    nmembers = 0;
    munmap(goacc_checked.uses, bytes_of_tables());
}

static bool is_quiet(void)
{
    return !goacc_own.turn.strand && (next == FIRST || goacc_order_is_quiet());
}

static pthread_key_t changes_key;

static void open_changes(void)
{
    pthread_key_create(&changes_key, free);
}

/* The changes of a kernel's thread, which ends them. They are no variables of each thread of each program: those lie on
 * stacks, which may be small. */
static struct goacc_change (*thread_changes(void))[GOACC_KEPT]
{
    static pthread_once_t opened = PTHREAD_ONCE_INIT;
    pthread_once(&opened, open_changes);
    struct goacc_change(*changes)[GOACC_KEPT] = pthread_getspecific(changes_key);
    if (!changes) {
        changes = malloc(GOACC_FREES * sizeof *changes);
        if (!changes || pthread_setspecific(changes_key, changes))
            goacc_die("out-of-memory", "no memory for the checks of a thread");
    }
    return changes;
}

static void prepare(struct goacc_inside *inside, struct goacc_change (*changes)[GOACC_KEPT])
{
    memset(inside->steps, 0, sizeof inside->steps);
    inside->changes = changes;
    memset(changes, 0xff, GOACC_FREES * sizeof *changes); /* numbers that no tile has */
    inside->work = own_number();
    inside->steps[0].to = inside->work;
}

void goacc_turns_leave(const struct goacc_inside *inside)
{
    goacc_checked.noting -= inside->notes_uses;
}

void goacc_turns_enter(struct goacc_inside *inside)
{
    goacc_turns_leave(inside); /* a kernel that was left by a jump */
    memset(inside->near, 0, sizeof inside->near);
    inside->runs = true;
    inside->low = goacc_checked.low;
    inside->states = goacc_checked.states;
    inside->notes = goacc_checked.notes;
    inside->tiles = goacc_checked.tiles;
    inside->notes_uses = !is_quiet();
    for (unsigned shift = 0; shift < 4; shift++) {
        inside->units[shift] = inside->notes_uses ? 0 : goacc_checked.bytes >> shift;
        inside->reach[shift] = inside->notes_uses ? 0 : goacc_checked.reach >> shift;
    }
    if (!inside->notes_uses)
        return;
    prepare(inside, thread_changes());
    goacc_checked.noting++;
}

void goacc_turns_use(uint64_t at, uint64_t n, unsigned how)
{
    struct goacc_inside inside = {0};
    struct goacc_change changes[GOACC_FREES][GOACC_KEPT];
    if (!goacc_on_device(at) || is_quiet())
        return;
    prepare(&inside, changes);
    reported = 0;
    goacc_use_all(&goacc_checked, &inside, at, n, how, goacc.site ? goacc.site->call.pc : 0, NULL);
    if (how & GOACC_FREES) /* what lies there later is something else */
        goacc_put_all(&goacc_checked, &inside, at - goacc_checked.low, n, 0);
}
