/* order.c - which work comes before which: the clocks of the host, of queues and of tasks.
 *
 * The threads of the host are one strand: how a program orders them is not known. A clock has an
 * entry for each strand that its strand has waited for; what the host has waited for is before
 * everything that comes. */
#include "order.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Turns that come before what a strand does next, one for each strand. A clock of several users is
 * copied before it changes. */
struct clock {
    size_t users; /* a strand, and turns in dependences */
    size_t n, room;
    struct goacc_turn turns[];
};

struct strand {
    int device, queue;
    bool task;             /* not a queue, but tasks, each of which depends on the one before */
    uint64_t last, joined; /* turns: that began last; that the host has waited for */
    struct clock *clock;   /* of its last turn; NULL: empty */
};
static struct strand *strands; /* the first is the host */
static size_t nstrands, room;

/* A task, and the clock that its strand had then: later tasks of the strand may wait for more. */
struct past {
    struct goacc_turn turn;
    struct clock *clock;
};

/* What tasks that name an address in depend clauses have to wait for. */
struct dependence {
    struct dependence *next;
    const void *address;
    struct past writer;
    struct past *readers;
    size_t nreaders, readers_room;
};
static struct dependence *dependences;

static void *grown(void *array, size_t n, size_t *room_p, size_t element)
{
    if (n < *room_p)
        return array;
    *room_p = *room_p ? 2 * *room_p : 16;
    void *larger = realloc(array, *room_p * element);
    if (!larger)
        goacc_die("out-of-memory", "no memory for the order of queues and tasks");
    return larger;
}

static struct goacc_turn last_of(unsigned i)
{
    return (struct goacc_turn){i, strands[i].last};
}

static unsigned new_strand(int device, int queue, bool task)
{
    if (!nstrands) {
        strands = grown(strands, nstrands, &room, sizeof *strands);
        strands[nstrands++] = (struct strand){0};
    }
    strands = grown(strands, nstrands, &room, sizeof *strands);
    strands[nstrands] = (struct strand){.device = device, .queue = queue, .task = task};
    return (unsigned)nstrands++;
}

static bool is_queue(unsigned i, int device, int queue)
{
    return !strands[i].task && strands[i].device == device &&
           (queue == GOACC_NOVAL || strands[i].queue == queue);
}

/* Of a queue; 0: nothing was done there. */
static unsigned strand_of(int device, int queue)
{
    for (unsigned i = 1; i < nstrands; i++)
        if (!strands[i].task && strands[i].device == device && strands[i].queue == queue)
            return i;
    return 0;
}

bool goacc_order_is_done(struct goacc_turn turn)
{
    return !turn.strand || turn.number <= strands[turn.strand].joined;
}

bool goacc_order_is_quiet(void)
{
    for (size_t i = 1; i < nstrands; i++)
        if (strands[i].joined != strands[i].last)
            return false;
    return true;
}

bool goacc_order_before(struct goacc_turn earlier, struct goacc_turn later)
{
    if (goacc_order_is_done(earlier) || earlier.strand == later.strand)
        return true;
    const struct clock *clock = strands[later.strand].clock;
    for (size_t i = 0; clock && i < clock->n; i++)
        if (clock->turns[i].strand == earlier.strand)
            return earlier.number <= clock->turns[i].number;
    return false;
}

static struct clock *share_clock(struct clock *clock)
{
    if (clock)
        clock->users++;
    return clock;
}

static void drop_clock(struct clock *clock)
{
    if (clock && !--clock->users)
        free(clock);
}

/* Returns the clock of a strand, of no other user, with room for one more turn. */
static struct clock *own_clock(struct strand *strand)
{
    enum { FEW = 8 };
    struct clock *old = strand->clock;
    const size_t n = old ? old->n : 0;
    if (old && old->users == 1 && n < old->room)
        return old;
    const size_t more = 2 * n + FEW;
    struct clock *clock = malloc(sizeof *clock + more * sizeof clock->turns[0]);
    if (!clock)
        goacc_die("out-of-memory", "no memory for the order of queues and tasks");
    *clock = (struct clock){.users = 1, .n = n, .room = more};
    if (n)
        memcpy(clock->turns, old->turns, n * sizeof old->turns[0]);
    drop_clock(old);
    return strand->clock = clock;
}

/* Puts what a strand does from now on after a turn. */
static void follow(unsigned i, struct goacc_turn turn)
{
    struct strand *strand = &strands[i];
    if (goacc_order_is_done(turn) || turn.strand == i || goacc_order_before(turn, last_of(i)))
        return;
    struct clock *clock = own_clock(strand);
    size_t k = 0;
    while (k < clock->n && clock->turns[k].strand != turn.strand)
        k++;
    clock->turns[k] = turn;
    clock->n += k == clock->n;
}

/* Puts it after a turn, and all that the turn came after. */
static void follow_all(unsigned i, struct goacc_turn turn, const struct clock *clock)
{
    for (size_t k = 0; turn.strand != i && clock && k < clock->n; k++)
        follow(i, clock->turns[k]);
    follow(i, turn);
}

/* The host has waited for a turn, and for all that it came after. */
static void join(struct goacc_turn turn, const struct clock *clock)
{
    struct strand *strand = &strands[turn.strand];
    if (goacc_order_is_done(turn))
        return;
    strand->joined = turn.number;
    for (size_t k = 0; clock && k < clock->n; k++)
        if (strands[clock->turns[k].strand].joined < clock->turns[k].number)
            strands[clock->turns[k].strand].joined = clock->turns[k].number;
    if (strand->joined == strand->last) {
        drop_clock(strand->clock);
        strand->clock = NULL;
    }
}

/* ------------------------------------------------------------------------------------ queues -- */

void goacc_order_queue(struct goacc_thread *self, int queue)
{
    self->turn = (struct goacc_turn){0};
    if (queue == GOACC_SYNC || self->type == GOACC_HOST)
        return;
    unsigned i = strand_of(self->device, queue);
    if (!i)
        i = new_strand(self->device, queue, false);
    strands[i].last++;
    self->turn = last_of(i);
}

void goacc_order_wait(int device, int async, int queue)
{
    if (queue == GOACC_SYNC)
        return;
    unsigned waiter = async == GOACC_SYNC ? 0 : strand_of(device, async);
    if (async != GOACC_SYNC && !waiter)
        waiter = new_strand(device, async, false);
    if (waiter)
        strands[waiter].last++; /* the wait is an operation of its queue */
    for (unsigned i = 1; i < nstrands; i++)
        if (is_queue(i, device, queue) && waiter)
            follow_all(waiter, last_of(i), strands[i].clock);
        else if (is_queue(i, device, queue))
            join(last_of(i), strands[i].clock);
}

/* ------------------------------------------------------------------------------------- tasks -- */

static struct dependence *dependence_of(const void *address)
{
    struct dependence *at = dependences;
    while (at && at->address != address)
        at = at->next;
    if (at)
        return at;
    at = calloc(1, sizeof *at);
    if (!at)
        goacc_die("out-of-memory", "no memory for a depend clause");
    at->address = address;
    at->next = dependences;
    return dependences = at;
}

/* Calls fn for each address of depend clauses, as gcc passes them: the number of all, of those that
 * are written, and the addresses; or no number first, those written, those of mutexinoutset, those
 * read, then objects of type depend. */
static void each_dependence(void **depend, void (*fn)(struct dependence *at, bool reads, void *ud),
                            void *ud)
{
    enum { IN = 1, OLD = 2, NEW = 5 };
    const bool old = depend[0] != NULL;
    const size_t n = (uintptr_t)depend[old ? 0 : 1];
    const size_t written = old ? (uintptr_t)depend[1] : (uintptr_t)depend[2] + (uintptr_t)depend[3];
    const size_t plain = old ? n : written + (uintptr_t)depend[4];
    for (size_t i = 0; i < n; i++) {
        void **const at = depend[(old ? OLD : NEW) + i];
        if (i < plain)
            fn(dependence_of(at), i >= written, ud);
        else
            fn(dependence_of(at[0]), (uintptr_t)at[1] == IN, ud);
    }
}

/* The strand that a new task continues: one whose last turn it depends on. */
static void look_for_strand(struct dependence *at, bool reads, void *ud)
{
    unsigned *found = ud;
    (void)reads;
    const struct goacc_turn writer = at->writer.turn;
    if (writer.strand && writer.number == strands[writer.strand].last)
        *found = writer.strand;
}

static void come_after(struct dependence *at, bool reads, void *ud)
{
    const unsigned i = *(const unsigned *)ud;
    follow_all(i, at->writer.turn, at->writer.clock);
    for (size_t k = 0; k < at->nreaders && !reads; k++)
        follow_all(i, at->readers[k].turn, at->readers[k].clock);
}

static void forget_tasks(struct dependence *at)
{
    drop_clock(at->writer.clock);
    for (size_t k = 0; k < at->nreaders; k++)
        drop_clock(at->readers[k].clock);
    at->writer = (struct past){0};
    at->nreaders = 0;
}

static void note(struct dependence *at, bool reads, void *ud)
{
    const struct goacc_turn turn = *(const struct goacc_turn *)ud;
    if (!reads)
        forget_tasks(at);
    else
        at->readers = grown(at->readers, at->nreaders, &at->readers_room, sizeof *at->readers);
    *(reads ? &at->readers[at->nreaders++] : &at->writer) =
        (struct past){turn, share_clock(strands[turn.strand].clock)};
}

struct goacc_turn goacc_order_task(void **depend)
{
    unsigned i = 0;
    if (depend)
        each_dependence(depend, look_for_strand, &i);
    for (unsigned k = 1; k < nstrands && !i; k++)
        if (strands[k].task && strands[k].joined == strands[k].last)
            i = k;
    if (!i)
        i = new_strand(0, 0, true);
    strands[i].last++;
    struct goacc_turn turn = last_of(i);
    if (depend) {
        each_dependence(depend, come_after, &i);
        each_dependence(depend, note, &turn);
    }
    return turn;
}

static void wait_for(struct dependence *at, bool reads, void *ud)
{
    (void)ud;
    join(at->writer.turn, at->writer.clock);
    for (size_t k = 0; k < at->nreaders && !reads; k++)
        join(at->readers[k].turn, at->readers[k].clock);
}

void goacc_order_depend(void **depend)
{
    each_dependence(depend, wait_for, NULL);
}

void goacc_order_tasks(void)
{
    for (unsigned i = 1; i < nstrands; i++)
        if (strands[i].task)
            join(last_of(i), strands[i].clock);
    for (struct dependence *at = dependences, *next; at; at = next) {
        next = at->next;
        forget_tasks(at);
        free(at->readers);
        free(at);
    }
    dependences = NULL;
}

/* ------------------------------------------------------------------------------------- names -- */

static const char *spell_queue(unsigned i, char *to, size_t size)
{
    snprintf(to, size, strands[i].queue < 0 ? "the default queue" : "queue %d", strands[i].queue);
    return to;
}

void goacc_order_spell(struct goacc_turn turn, char *to, size_t size)
{
    char queue[40];
    if (!turn.strand)
        *to = 0;
    else if (strands[turn.strand].task)
        snprintf(to, size, ", a nowait task,");
    else
        snprintf(to, size, " in %s", spell_queue(turn.strand, queue, sizeof queue));
}

void goacc_order_spell_work(const struct goacc_used *work, char *to, size_t size)
{
    char place[1100], queue[60];
    goacc_place(work->pc, place, sizeof place);
    goacc_order_spell(work->turn, queue, sizeof queue);
    snprintf(to, size, goacc_is_kernel(work->what) ? "the %s region%s%s" : "%s%s%s", work->what,
             place, queue);
}

static bool is_fortran(void)
{
    return dlsym(RTLD_DEFAULT, "_gfortran_set_args");
}

void goacc_order_remedy(struct goacc_turn earlier, char *to, size_t size)
{
    char queue[40];
    if (strands[earlier.strand].task)
        snprintf(to, size, "no taskwait and no depend clause orders the two%s",
                 is_fortran() ? "; gfortran 12 drops those of combined constructs" : "");
    else
        snprintf(to, size, "no wait for %s comes between",
                 spell_queue(earlier.strand, queue, sizeof queue));
}
