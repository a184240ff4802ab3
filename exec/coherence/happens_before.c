/* happens_before.c - vector clocks of the host, of queues and of tasks. Called by races.c and by entries of
 * queues and tasks.
 *
 *      streams[0]    the host; its threads are one stream, because their order is not known
 *      streams[i]    a queue or a chain of tasks: last (epochs begun), synced (epochs that the host has waited for)
 *      clock         of a stream: the last epoch that happens before it, for each stream that it has waited for
 *
 * Epochs that the host has waited for happen before everything that follows; clocks need no entry for them. A
 * stream that waits for another stream acquires that stream's last epoch and clock. A stream and the tasks
 * recorded in dependences share a clock; it is copied before a change. */
#include "base/kernel.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "lib/vector.h"
#include "happens_before.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Vector clock of a stream: for other streams the last epoch (number of an operation) that happens before the next
 * operation of this stream. A stream without an entry has no such epoch. */
struct clock {
    size_t users; /* number of owners: streams, and tasks in dependences */
    size_t n, capacity;
    struct rt_epoch epochs[];
};

/* The host, a queue, or a chain of tasks, as one ordered line of operations. */
struct stream {
    int device, queue;
    bool task;                  /* true: a chain of tasks, each of which depends on the one before; false: a queue */
    uint64_t last, host_synced; /* last epoch begun; last epoch that the host has waited for */
    struct clock *clock;        /* clock of the stream after its last epoch; NULL: an empty clock */
};
static struct stream *streams; /* streams[0] is the host */
static size_t nstreams, capacity;

/* A task, and the clock of the task's stream as the task began (NULL: the stream had none). Later tasks of
 * that stream may have waited for more, so its present clock does not hold for the task. */
struct past_task {
    struct rt_epoch epoch;
    struct clock *clock;
};

/* Address of depend clauses, with the tasks that named it: the last task that writes, and the tasks that have
 * read since. */
struct dependence {
    struct dependence *next;
    const void *address;
    struct past_task writer;
    struct past_task *readers;
    size_t nreaders, readers_capacity;
};
static struct dependence *dependences;

static _Noreturn void fail_without_memory(void) /* ends the program */
{
    rt_fatal("out-of-memory", "no memory for the order of queues and tasks");
}

/* Returns the last epoch of stream i; its number is 0 if nothing has begun. */
static struct rt_epoch get_last_epoch(unsigned i)
{
    assert(i < nstreams);
    return (struct rt_epoch){i, streams[i].last};
}

/* Adds a stream of a queue or (`task`) of a chain of tasks, and returns its index. The first call adds the host's
 * stream, too. Ends the program without memory. */
static unsigned new_stream(int device, int queue, bool task)
{
    if (!RT_RESERVE(rt_heap_realloc, streams, nstreams, capacity))
        fail_without_memory();
    if (!nstreams) /* the array has place for both streams */
        streams[nstreams++] = (struct stream){0};
    streams[nstreams] = (struct stream){.device = device, .queue = queue, .task = task};
    return (unsigned)nstreams++;
}

/* Returns true if stream i is the queue `queue` of a device; with RT_ASYNC_NOVAL, true for any queue of the
 * device. */
static bool is_queue_stream(unsigned i, int device, int queue)
{
    return !streams[i].task && streams[i].device == device && (queue == RT_ASYNC_NOVAL || streams[i].queue == queue);
}

/* Returns the index of the stream of a queue; 0 if the queue has done no work yet. */
static unsigned find_stream(int device, int queue)
{
    for (unsigned i = 1; i < nstreams; i++)
        if (!streams[i].task && streams[i].device == device && streams[i].queue == queue)
            return i;
    return 0;
}

/* Returns true if the host has waited for the operation of an epoch; epochs of the host count as waited for. */
bool rt_is_host_synced(struct rt_epoch epoch)
{
    assert(epoch.stream < nstreams || !epoch.stream);
    return !epoch.stream || epoch.number <= streams[epoch.stream].host_synced;
}

/* Returns true if the host has waited for all streams. */
bool rt_is_quiescent(void)
{
    for (size_t i = 1; i < nstreams; i++)
        if (streams[i].host_synced != streams[i].last)
            return false;
    return true;
}

/* Returns true if all operations up to the epoch `earlier` happen before the next operation of the stream of
 * `later`. They do if the host has waited for `earlier`, both epochs have the same stream, or the clock of
 * the later stream says so. */
bool rt_happens_before(struct rt_epoch earlier, struct rt_epoch later)
{
    if (rt_is_host_synced(earlier) || earlier.stream == later.stream)
        return true;
    assert(later.stream < nstreams || !later.stream);
    const struct clock *clock = streams[later.stream].clock;
    for (size_t i = 0; clock && i < clock->n; i++)
        if (clock->epochs[i].stream == earlier.stream)
            return earlier.number <= clock->epochs[i].number;
    return false;
}

/* Adds an owner to a clock and returns the clock; does nothing for NULL. */
static struct clock *share_clock(struct clock *clock)
{
    if (clock)
        clock->users++;
    return clock;
}

/* Removes an owner of a clock, and frees the clock if no owner is left. Does nothing for NULL. */
static void drop_clock(struct clock *clock)
{
    assert(!clock || clock->users);
    if (clock && !--clock->users)
        free(clock);
}

/* Makes sure that a stream is the only owner of its clock, and that the clock has capacity for one more epoch; copies
 * the clock if needed. Returns the clock. Ends the program without memory. */
static struct clock *own_clock(struct stream *stream)
{
    enum { FEW = 8 };
    struct clock *old = stream->clock;
    const size_t n = old ? old->n : 0;
    if (old && old->users == 1 && n < old->capacity)
        return old;
    const size_t new_capacity = 2 * n + FEW;
    struct clock *clock = malloc(sizeof *clock + new_capacity * sizeof clock->epochs[0]);
    if (!clock)
        fail_without_memory();
    *clock = (struct clock){.users = 1, .n = n, .capacity = new_capacity};
    if (n)
        memcpy(clock->epochs, old->epochs, n * sizeof old->epochs[0]);
    drop_clock(old);
    return stream->clock = clock;
}

/* Makes an epoch happen before the next operation of stream i, which must not be the host's. Does nothing if that order
 * exists already. */
static void acquire(unsigned i, struct rt_epoch epoch)
{
    struct stream *stream = &streams[i];
    assert(i && i < nstreams);
    if (rt_is_host_synced(epoch) || epoch.stream == i || rt_happens_before(epoch, get_last_epoch(i)))
        return;
    struct clock *clock = own_clock(stream);
    size_t k = 0;
    while (k < clock->n && clock->epochs[k].stream != epoch.stream)
        k++;
    clock->epochs[k] = epoch;
    clock->n += k == clock->n;
}

/* Makes an epoch, and all epochs in `clock`, happen before the next operation of stream i. */
static void acquire_all(unsigned i, struct rt_epoch epoch, const struct clock *clock)
{
    for (size_t k = 0; epoch.stream != i && clock && k < clock->n; k++)
        acquire(i, clock->epochs[k]);
    acquire(i, epoch);
}

/* Records that the host has waited for an epoch: the epoch, and all epochs in `clock`, happen before
 * everything that follows. Does nothing if the host has waited for the epoch before. clock: clock of the
 * epoch's stream or task; NULL: it has none. */
static void sync_host(struct rt_epoch epoch, const struct clock *clock)
{
    struct stream *stream = &streams[epoch.stream];
    if (rt_is_host_synced(epoch))
        return;
    stream->host_synced = epoch.number;
    for (size_t k = 0; clock && k < clock->n; k++)
        if (streams[clock->epochs[k].stream].host_synced < clock->epochs[k].number)
            streams[clock->epochs[k].stream].host_synced = clock->epochs[k].number;
    if (stream->host_synced == stream->last) {
        drop_clock(stream->clock);
        stream->clock = NULL;
    }
}

/* ------------------------------------------------------------------------------------ queues -- */

/* Begins an operation of `queue` for the thread, and stores its epoch in self->epoch. With queue
 * RT_ASYNC_SYNC, or if the device is the host, the operation is one of the host. */
void rt_clock_begin_operation(struct rt_thread *self, int queue)
{
    self->epoch = (struct rt_epoch){0};
    if (queue == RT_ASYNC_SYNC || self->type == RT_DEVICE_HOST)
        return;
    unsigned i = find_stream(self->device, queue);
    if (!i)
        i = new_stream(self->device, queue, false);
    streams[i].last++;
    self->epoch = get_last_epoch(i);
}

/* Makes queue `async` (RT_ASYNC_SYNC: the host) wait for all operations of `queue` (RT_ASYNC_NOVAL: of all
 * queues of the device). Does nothing if `queue` is RT_ASYNC_SYNC. Ends the program without memory. */
void rt_clock_wait(int device, int async, int queue)
{
    if (queue == RT_ASYNC_SYNC)
        return;
    unsigned waiter = async == RT_ASYNC_SYNC ? 0 : find_stream(device, async);
    if (async != RT_ASYNC_SYNC && !waiter)
        waiter = new_stream(device, async, false);
    if (waiter)
        streams[waiter].last++; /* the wait is itself an operation of its queue */
    for (unsigned i = 1; i < nstreams; i++)
        if (is_queue_stream(i, device, queue) && waiter)
            acquire_all(waiter, get_last_epoch(i), streams[i].clock);
        else if (is_queue_stream(i, device, queue))
            sync_host(get_last_epoch(i), streams[i].clock);
}

/* ------------------------------------------------------------------------------------- tasks -- */

/* Returns the dependence of an address; makes a new one if there is none. Ends the program without memory. */
static struct dependence *get_dependence(const void *address)
{
    struct dependence *at = dependences;
    while (at && at->address != address)
        at = at->next;
    if (at)
        return at;
    at = calloc(1, sizeof *at);
    if (!at)
        rt_fatal("out-of-memory", "no memory for a depend clause");
    at->address = address;
    at->next = dependences;
    return dependences = at;
}

/* Calls fn(at, reads, ud) for each address of depend clauses; reads: the task only reads the address. `depend` is in
 * one of the formats of gcc:
 *
 *      old   number of addresses, number of written ones, addresses
 *      new   0, numbers of all, of written, of mutexinoutset, of read ones, addresses, then objects of type depend */
static void for_each_dependence(void **depend, void (*fn)(struct dependence *at, bool reads, void *ud), void *ud)
{
    enum { IN = 1, OLD = 2, NEW = 5 };
    assert(depend && fn);
    const bool old = depend[0] != NULL;
    const size_t n = (uintptr_t)depend[old ? 0 : 1];
    const size_t nwriters = old ? (uintptr_t)depend[1] : (uintptr_t)depend[2] + (uintptr_t)depend[3];
    const size_t plain = old ? n : nwriters + (uintptr_t)depend[4];
    for (size_t i = 0; i < n; i++) {
        void **const at = depend[(old ? OLD : NEW) + i];
        if (i < plain)
            fn(get_dependence(at), i >= nwriters, ud);
        else
            fn(get_dependence(at[0]), (uintptr_t)at[1] == IN, ud);
    }
}

/* Sets *ud, an index of a stream, to the stream of the task that wrote the address last, if that task is
 * still the last one of its stream. A new task that depends on the address then continues this chain.
 * Otherwise leaves *ud as it is. reads is not used. */
static void find_continued_stream(struct dependence *at, bool reads, void *ud)
{
    unsigned *stream = ud;
    (void)reads;
    const struct rt_epoch writer = at->writer.epoch;
    if (writer.stream && writer.number == streams[writer.stream].last)
        *stream = writer.stream;
}

/* Makes the stream with the index *ud wait for the last writer of an address; also for the readers, if the
 * new task writes the address (`reads` false). */
static void acquire_dependence(struct dependence *at, bool reads, void *ud)
{
    const unsigned i = *(const unsigned *)ud;
    acquire_all(i, at->writer.epoch, at->writer.clock);
    for (size_t k = 0; k < at->nreaders && !reads; k++)
        acquire_all(i, at->readers[k].epoch, at->readers[k].clock);
}

/* Removes the writer and the readers of a dependence, which no longer own their clocks. */
static void forget_tasks(struct dependence *at)
{
    drop_clock(at->writer.clock);
    for (size_t k = 0; k < at->nreaders; k++)
        drop_clock(at->readers[k].clock);
    at->writer = (struct past_task){0};
    at->nreaders = 0;
}

/* Records the task with the epoch *ud as the writer of an address, or as a reader if `reads` is true. A
 * writer replaces all earlier tasks of the address. */
static void record_dependence(struct dependence *at, bool reads, void *ud)
{
    const struct rt_epoch epoch = *(const struct rt_epoch *)ud;
    if (!reads)
        forget_tasks(at);
    else if (!RT_RESERVE(rt_heap_realloc, at->readers, at->nreaders, at->readers_capacity))
        fail_without_memory();
    *(reads ? &at->readers[at->nreaders++] : &at->writer) =
        (struct past_task){epoch, share_clock(streams[epoch.stream].clock)};
}

/* Begins a task after the tasks that `depend` names (NULL: no clauses), and returns its epoch. Uses the
 * stream of such a task, a stream of tasks that the host has waited for, or a new one. Ends the program
 * without memory. */
struct rt_epoch rt_clock_begin_task(void **depend)
{
    unsigned i = 0;
    if (depend)
        for_each_dependence(depend, find_continued_stream, &i);
    for (unsigned k = 1; k < nstreams && !i; k++)
        if (streams[k].task && streams[k].host_synced == streams[k].last)
            i = k;
    if (!i)
        i = new_stream(0, 0, true);
    streams[i].last++;
    struct rt_epoch epoch = get_last_epoch(i);
    if (depend) {
        for_each_dependence(depend, acquire_dependence, &i);
        for_each_dependence(depend, record_dependence, &epoch);
    }
    return epoch;
}

/* Records that the host has waited for the last writer of an address; also for the readers, if `reads` is
 * false. ud is not used. */
static void sync_dependence(struct dependence *at, bool reads, void *ud)
{
    (void)ud;
    sync_host(at->writer.epoch, at->writer.clock);
    for (size_t k = 0; k < at->nreaders && !reads; k++)
        sync_host(at->readers[k].epoch, at->readers[k].clock);
}

/* Records that the host has waited for the tasks of the depend clauses. */
void rt_clock_wait_depend(void **depend)
{
    for_each_dependence(depend, sync_dependence, NULL);
}

/* Records that the host has waited for all tasks, and forgets all dependences. */
void rt_clock_wait_tasks(void)
{
    for (unsigned i = 1; i < nstreams; i++)
        if (streams[i].task)
            sync_host(get_last_epoch(i), streams[i].clock);
    for (struct dependence *at = dependences, *next; at; at = next) {
        next = at->next;
        forget_tasks(at);
        free(at->readers);
        free(at);
    }
    dependences = NULL;
}

/* ------------------------------------------------------------------------------------- names -- */

/* Writes the name of the queue of stream i, "queue 1" or "the default queue", to `to`, and returns `to`. */
static const char *format_queue(unsigned i, char *to, size_t size)
{
    snprintf(to, size, streams[i].queue < 0 ? "the default queue" : "queue %d", streams[i].queue);
    return to;
}

/* Writes the stream of an epoch to `to`, as words that follow the name of an operation: " in queue 1", ", a
 * nowait task,", or "" for the host. */
void rt_format_stream(struct rt_epoch epoch, char *to, size_t size)
{
    char queue[40];
    if (!epoch.stream)
        *to = 0;
    else if (streams[epoch.stream].task)
        snprintf(to, size, ", a nowait task,");
    else
        snprintf(to, size, " in %s", format_queue(epoch.stream, queue, sizeof queue));
}

/* Writes the name of an operation, its location and its stream to `to`. */
void rt_format_origin(const struct rt_access_origin *work, char *to, size_t size)
{
    char location[1100], queue[60];
    rt_format_location(work->pc, location, sizeof location);
    rt_format_stream(work->epoch, queue, sizeof queue);
    const int n = snprintf(to, size, rt_is_kernel_construct(work->construct_name) ? "the %s region%s%s" : "%s%s%s",
                           work->construct_name, location, queue);
    if (n > 0 && (size_t)n < size && to[n - 1] == ',')
        to[n - 1] = 0;
}

/* Writes what a wait for an epoch waits for: a queue or a task. */
void rt_format_waited_stream(struct rt_epoch epoch, char *to, size_t size)
{
    char queue[40];
    snprintf(to, size, "%s",
             streams[epoch.stream].task ? "a nowait task" : format_queue(epoch.stream, queue, sizeof queue));
}

/* Returns true if the program was linked with gfortran's library. */
static bool is_fortran(void)
{
    return dlsym(RTLD_DEFAULT, "_gfortran_set_args");
}

/* Writes, as help text, which wait or clause orders an access after the operation `earlier`, one of a queue or a
 * task. */
void rt_format_wait_help(struct rt_epoch earlier, char *to, size_t size)
{
    assert(earlier.stream < nstreams);
    char queue[40];
    if (streams[earlier.stream].task)
        snprintf(to, size, "wait for the task before, by taskwait, or order both by depend clauses%s",
                 is_fortran() ? "; gfortran 12 drops those of combined constructs" : "");
    else
        snprintf(to, size, "wait for %s before, by a wait directive or a wait clause",
                 format_queue(earlier.stream, queue, sizeof queue));
}
