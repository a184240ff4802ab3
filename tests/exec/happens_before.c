/* Vector clocks of queues and tasks against a model: for each operation, the set of all operations that happen before
 * it. */
#include "../tap.h"
#include "random.h"

#include <coherence/happens_before.h>
#include <diag/errors.h>
#include <diag/symbolize.h>

enum { OPERATIONS = 192, ROUNDS = 400, DEVICES = 2, QUEUES = 3, ADDRESSES = 4, SYNC = DEVICES * QUEUES };

/* Needed by the tested file. */
void rt_fatal(const char *code, const char *format, ...)
{
    printf("Bail out! %s: %s\n", code, format);
    exit(1);
}
void rt_format_location(uintptr_t pc, char *to, size_t capacity)
{
    (void)pc, (void)capacity;
    *to = 0;
}

/* A set of operations of the round, by number. */
typedef struct set {
    uint64_t bits[OPERATIONS / 64];
} set;

static bool contains(const set *s, size_t i)
{
    return s->bits[i / 64] >> i % 64 & 1;
}

static void join(set *to, const set *from)
{
    for (size_t i = 0; i < OPERATIONS / 64; i++)
        to->bits[i] |= from->bits[i];
}

/* The model: the epochs of the operations; what happens before the next operation of each queue, and of the host. */
static struct rt_epoch epochs[OPERATIONS];
static size_t n;
static set queue_past[SYNC], host_past;

/* The tasks that named an address in a depend clause, each with all that happens before its end. */
static struct {
    set writer, readers;
    char address;
} dependences[ADDRESSES];

/* Adds an operation after which `past` contains it; compares its order with that of all earlier ones. */
static void add_operation(struct rt_epoch epoch, set *past)
{
    join(past, &host_past);
    for (size_t i = 0; i < n; i++) {
        must(rt_happens_before(epochs[i], epoch) == contains(past, i), "operation %zu before %zu", i, n);
        must(rt_is_host_synced(epochs[i]) == contains(&host_past, i), "the host has waited for operation %zu", i);
    }
    epochs[n] = epoch;
    past->bits[n / 64] |= (uint64_t)1 << n % 64;
    n++;
}

static void begin_operation(struct rt_thread *self)
{
    const size_t i = pick(SYNC);
    self->device = (int)(i / QUEUES);
    rt_clock_begin_operation(self, (int)(i % QUEUES));
    add_operation(self->epoch, &queue_past[i]);
    rt_clock_begin_operation(self, RT_ASYNC_SYNC);
    must(!self->epoch.stream, "an operation of the host has stream 0");
}

/* A wait of the host or a queue for a queue, or for all queues of the device. */
static void wait_for_queue(void)
{
    const size_t device = pick(DEVICES), queue = pick(QUEUES + 1), waiter = pick(2) ? pick(QUEUES) : QUEUES;
    set *past = waiter < QUEUES ? &queue_past[device * QUEUES + waiter] : &host_past;
    rt_clock_wait((int)device, waiter < QUEUES ? (int)waiter : RT_ASYNC_SYNC,
                  queue < QUEUES ? (int)queue : RT_ASYNC_NOVAL);
    for (size_t i = 0; i < QUEUES; i++)
        if (queue == QUEUES || queue == i)
            join(past, &queue_past[device * QUEUES + i]);
}

/* Fills in the arguments of depend clauses, as gcc passes them: first the addresses that the task writes. Returns the
 * number of these. */
static size_t choose_dependences(void **depend, size_t *naddresses)
{
    const size_t first = pick(ADDRESSES), nwritten = pick(3);
    *naddresses = nwritten + pick(2);
    *naddresses += !*naddresses;
    depend[0] = (void *)(uintptr_t)*naddresses;
    depend[1] = (void *)(uintptr_t)nwritten;
    for (size_t i = 0; i < *naddresses; i++)
        depend[2 + i] = &dependences[(first + i) % ADDRESSES].address;
    return nwritten;
}

/* Joins what happens before a task, or before a wait, with these depend clauses. */
static void join_dependences(set *past, void **depend, size_t naddresses, size_t nwritten)
{
    for (size_t k = 0; k < ADDRESSES; k++)
        for (size_t i = 0; i < naddresses; i++)
            if (depend[2 + i] == &dependences[k].address) {
                join(past, &dependences[k].writer);
                if (i < nwritten)
                    join(past, &dependences[k].readers);
            }
}

static void begin_task(void)
{
    void *depend[2 + ADDRESSES];
    size_t naddresses, nwritten = choose_dependences(depend, &naddresses);
    set past = {0};
    if (!pick(4)) {
        add_operation(rt_clock_begin_task(NULL), &past);
        return;
    }
    join_dependences(&past, depend, naddresses, nwritten);
    add_operation(rt_clock_begin_task(depend), &past);
    for (size_t k = 0; k < ADDRESSES; k++)
        for (size_t i = 0; i < naddresses; i++)
            if (depend[2 + i] == &dependences[k].address) {
                if (i < nwritten)
                    dependences[k].readers = (set){0};
                join(i < nwritten ? &dependences[k].writer : &dependences[k].readers, &past);
            }
}

static void wait_for_dependences(void)
{
    void *depend[2 + ADDRESSES];
    size_t naddresses, nwritten = choose_dependences(depend, &naddresses);
    rt_clock_wait_depend(depend);
    join_dependences(&host_past, depend, naddresses, nwritten);
}

int main(void)
{
    struct rt_thread self = {.type = RT_DEVICE_NVIDIA};
    bool quiescent = true;
    for (size_t round = 0; round < ROUNDS; round++) {
        for (n = 0; n < OPERATIONS;) {
            const size_t choice = pick(16);
            if (choice < 7)
                begin_operation(&self);
            else if (choice < 12)
                begin_task();
            else if (choice < 15)
                wait_for_queue();
            else
                wait_for_dependences();
        }
        for (int device = 0; device < DEVICES; device++)
            rt_clock_wait(device, RT_ASYNC_SYNC, RT_ASYNC_NOVAL);
        rt_clock_wait_tasks();
        quiescent &= rt_is_quiescent();
        for (size_t i = 0; i < n; i++)
            must(rt_is_host_synced(epochs[i]), "after a wait for all, the host has waited for operation %zu", i);
        memset(queue_past, 0, sizeof queue_past);
        memset(dependences, 0, sizeof dependences);
        host_past = (set){0};
    }
    ok(quiescent, "after a wait for all, no work is pending");
    ok(!tap_failed, "%d rounds of %d operations have the order of the model", ROUNDS, OPERATIONS);
    return done();
}
