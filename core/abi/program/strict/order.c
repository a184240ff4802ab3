/* order.c - which work comes before which: the clocks of the host, of queues and of tasks.
 *
 * The threads of the host are one strand: how a program orders them is not known. A clock has an
 * entry for each strand that its strand has waited for; what the host has waited for is before
 * everything that comes. */
#include "order.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct strand {
    int device, queue;
    bool task;             /* not a queue, but tasks, each of which depends on the one before */
    uint64_t last, joined; /* turns: that began last; that the host has waited for */
    struct goacc_turn *clock;
    size_t nclock, clock_room;
};
static struct strand *strands; /* the first is the host */
static size_t nstrands, room;

/* What tasks that name an address in depend clauses have to wait for. */
struct dependence {
    struct dependence *next;
    const void *address;
    struct goacc_turn writer;
    struct goacc_turn *readers;
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
    const struct strand *strand = &strands[later.strand];
    for (size_t i = 0; i < strand->nclock; i++)
        if (strand->clock[i].strand == earlier.strand)
            return earlier.number <= strand->clock[i].number;
    return false;
}

/* What a strand does from now on comes after a turn. */
static void follow(unsigned i, struct goacc_turn turn)
{
    struct strand *strand = &strands[i];
    if (goacc_order_is_done(turn) || turn.strand == i)
        return;
    for (size_t k = 0; k < strand->nclock; k++)
        if (strand->clock[k].strand == turn.strand) {
            if (strand->clock[k].number < turn.number)
                strand->clock[k].number = turn.number;
            return;
        }
    strand->clock =
        grown(strand->clock, strand->nclock, &strand->clock_room, sizeof *strand->clock);
    strand->clock[strand->nclock++] = turn;
}

/* The same for all that a turn came after. */
static void follow_all(unsigned i, struct goacc_turn turn)
{
    if (turn.strand && turn.strand != i)
        for (size_t k = 0; k < strands[turn.strand].nclock; k++)
            follow(i, strands[turn.strand].clock[k]);
    follow(i, turn);
}

static struct goacc_turn last_of(unsigned i)
{
    return (struct goacc_turn){i, strands[i].last};
}

static void join(struct goacc_turn turn)
{
    struct strand *strand = &strands[turn.strand];
    if (goacc_order_is_done(turn))
        return;
    strand->joined = turn.number;
    for (size_t k = 0; k < strand->nclock; k++)
        if (strands[strand->clock[k].strand].joined < strand->clock[k].number)
            strands[strand->clock[k].strand].joined = strand->clock[k].number;
    if (strand->joined == strand->last)
        strand->nclock = 0;
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
    for (unsigned i = 1; i < nstrands; i++)
        if (is_queue(i, device, queue) && waiter)
            follow_all(waiter, last_of(i));
        else if (is_queue(i, device, queue))
            join(last_of(i));
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
    if (at->writer.strand && at->writer.number == strands[at->writer.strand].last)
        *found = at->writer.strand;
}

static void come_after(struct dependence *at, bool reads, void *ud)
{
    const unsigned i = *(const unsigned *)ud;
    follow_all(i, at->writer);
    for (size_t k = 0; k < at->nreaders && !reads; k++)
        follow_all(i, at->readers[k]);
}

static void note(struct dependence *at, bool reads, void *ud)
{
    const struct goacc_turn turn = *(const struct goacc_turn *)ud;
    if (reads) {
        at->readers = grown(at->readers, at->nreaders, &at->readers_room, sizeof *at->readers);
        at->readers[at->nreaders++] = turn;
    } else {
        at->writer = turn;
        at->nreaders = 0;
    }
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
    join(at->writer);
    for (size_t k = 0; k < at->nreaders && !reads; k++)
        join(at->readers[k]);
}

void goacc_order_depend(void **depend)
{
    each_dependence(depend, wait_for, NULL);
}

void goacc_order_tasks(void)
{
    for (unsigned i = 1; i < nstrands; i++)
        if (strands[i].task)
            join(last_of(i));
    for (struct dependence *at = dependences, *next; at; at = next) {
        next = at->next;
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
    snprintf(to, size, goacc_is_kernel(work->what) ? "the %s region%s%s" : "%s%s%s", work->what, place, queue);
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
