/* orders.c - lets queues of OpenACC do their work late, early or in between (orders.h).
 *
 * The core keeps the work of queues in its delayed mode. Presence, counters and device addresses change at the
 * construct. Transfers, kernels and frees are done later, in the order of their queue, so that the rules allow each
 * order that this file chooses (ACC33-async-2).
 *
 *      begin_operation(queue)                  the construct belongs to `queue`
 *          begin_construct -> rt.construct.queue ... end_construct
 *          [rt_queue_kernel, end of the region]
 *      begin_operation(RT_ASYNC_SYNC)          early: the queue does all of its work now
 *      begin_call                              in between: some queue does a part of its work
 *      wait                                    late: the queue does the work that the wait needs
 *
 * Arguments that gcc passes by reference to the stack are read at the construct (captures): gcc's copies of private
 * variables are gone later. */
#include "accdeep_internal.h"
#include "base/compiler_facts.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "image/declared.h"
#include "image/malloc_blocks.h"
#include "lib/descriptor.h"
#include "lib/vector.h"
#include "orders.h"

#include <assert.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ----------------------------------------------------------------------------------- chances -- */

/* Returns the next number of the random sequence (splitmix64) that begins with the seed. */
static uint64_t next_random(void)
{
    static atomic_uint_fast64_t counter;
    uint64_t x = rt.options.seed * 0xd1342543de82ef95u + (atomic_fetch_add(&counter, 1) + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

bool rt_happens(unsigned of_256)
{
    return of_256 && next_random() % 256 < of_256;
}

struct rt_order_shares rt_get_order_shares(void)
{
    static const unsigned early[] = {0, 64, 128, 192}, between[] = {24, 64, 128, 224};
    const uint64_t n = rt.options.seed;
    return n == 1 ? (struct rt_order_shares){0, 0} : (struct rt_order_shares){early[n % 4], between[n / 4 % 4]};
}

/* Makes the file ACCDEEP_DEFERRED, by which `accdeep exec --orders` knows that there is an order to try. */
void rt_note_deferred(void)
{
    static atomic_bool is_noted;
    const char *name = getenv("ACCDEEP_DEFERRED");
    if (atomic_exchange(&is_noted, true) || !name || !*name)
        return;
    const int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
}

/* ------------------------------------------------------------------------------------ queues -- */

/* queue of the operation under way; RT_ASYNC_SYNC: none */
static __thread int operation_queue = RT_ASYNC_SYNC;

unsigned rt_get_work_queue(int device, int async)
{
    unsigned number;
    if (!rt.options.seed || async == RT_ASYNC_SYNC)
        return 0;
    assert(rt.site && rt.context);
    rt_check_status(accd_queue_get(rt.context, device, async, &number));
    return number;
}

/* Data on a thread's stack that the tasks of a queue up to `number` use. */
struct stack_use {
    int device, async;
    unsigned queue;
    uint64_t number, thread;
    uintptr_t host, stack_end;
    uint64_t bytes;
    struct rt_site site; /* the construct */
};
static struct stack_use *stack_uses;                       /* protected by the lock */
static size_t nstack_uses, stack_uses_capacity, nnumbered; /* uses from nnumbered on are of the operation under way */

/* Removes the uses whose tasks are done. */
static void remove_done_uses(void)
{
    size_t n = 0;
    uint64_t first, last;
    for (size_t i = 0; i < nstack_uses; i++) {
        const struct stack_use *use = &stack_uses[i];
        if (i >= nnumbered ||
            (accd__queue_get_tasks(rt.context, use->device, use->queue, &first, &last) && first <= use->number))
            stack_uses[n++] = *use;
    }
    nnumbered -= nstack_uses - n;
    nstack_uses = n;
}

/* Ends the program with a report if a queue still needs data of a function of this thread that has returned. */
static void check_stack_uses(const struct rt_thread *self)
{
    const uintptr_t sp = rt.site->call.sp;
    for (size_t i = 0; i < nnumbered; i++) {
        const struct stack_use *use = &stack_uses[i];
        const char *file = "?";
        char name[160] = "", place[200] = "";
        int line = 0;
        if (use->thread != self->number || sp <= use->host || sp >= use->stack_end)
            continue;
        rt_format_name(&use->site, use->host, use->bytes, name, sizeof name);
        if (rt_find_line(use->site.call.pc, &file, &line, NULL))
            snprintf(place, sizeof place, " of %s:%d", file, line);
        rt_fatal("missing-wait", "the function with %s has returned, but queue %d has not done the %s%s yet",
                 *name ? name : "the data", use->async, use->site.construct_name, place);
    }
}

/* Lets a queue do its tasks up to `last`. Failure ends the program. */
static void run_tasks(int device, unsigned number, uint64_t last)
{
    struct rt_thread *self = &rt_this_thread;
    self->in_core = true;
    const accd_status status = accd__queue_run_tasks(rt.context, device, number, last);
    self->in_core = false;
    rt_check_status(status);
    remove_done_uses();
}

/* Lets a queue (0: all queues of the device) do all of its work. Failure ends the program. */
static void finish_queue(int device, unsigned number)
{
    struct rt_thread *self = &rt_this_thread;
    self->in_core = true;
    const accd_status status = accd_queue_wait(rt.context, device, number);
    self->in_core = false;
    rt_check_status(status);
    remove_done_uses();
}

/* Lets some queues do a part of their work, as the seed decides. Called at the begin of a call. */
static void run_some_work(struct rt_thread *self, const struct rt_site *site)
{
    (void)site;
    const unsigned share = rt_get_order_shares().between;
    accd_queue_info info;
    uint64_t first, last;
    if (nstack_uses)
        check_stack_uses(self);
    for (int device = 0; share && device < rt.options.devices; device++)
        for (unsigned number = 1; accd_queue_get_info(rt.context, device, number, &info); number++)
            if (accd__queue_get_tasks(rt.context, device, number, &first, &last) && rt_happens(share))
                run_tasks(device, number, first + next_random() % (last - first + 1));
}

/* -------------------------------------------------------------------------------- constructs -- */

bool rt_is_on_stack(struct rt_thread *self, const void *host)
{
    return (uintptr_t)host >= rt.site->call.sp && (uintptr_t)host < rt_get_stack_end(self);
}

/* Returns true if the construct under way reads the `bytes` bytes at `host` at once. In a compute construct these are
 * data of copyin clauses on the stack, in static memory, or of a scalar's size, because gcc passes firstprivate
 * variables in the same way. In all constructs these are descriptors of Fortran with the pointer of an item, which may
 * be gfortran's own variables. */
static bool is_captured(uint64_t host, uint64_t bytes)
{
    struct rt_thread *self = &rt_this_thread;
    const void *const at = (const void *)(uintptr_t)host;
    const bool is_near = rt_is_static(at) || rt_is_on_stack(self, at),
               may_be_private = rt_is_acc_compute(rt.site) && (is_near || bytes <= RT_PRIVATE_SCALAR_MAX),
               may_be_descriptor = is_near && rt_has_descriptor_size(bytes);
    for (size_t i = 0; i < rt.construct.nitems; i++) {
        const accd_item *item = &rt.construct.items[i];
        if (may_be_private && host - (uintptr_t)item->host < item->bytes && item->action == ACCD_ACTION_COPYIN)
            return true;
        if (may_be_descriptor && (uintptr_t)item->slot == host)
            return true;
    }
    return false;
}

/* Function of accd__queue_set_captures. */
static int captures(uint64_t host, uint64_t bytes)
{
    return operation_queue != RT_ASYNC_SYNC && rt.construct.queue && is_captured(host, bytes);
}

/* Returns true if a queued construct may access the host memory of an item later. It does not if the bytes are
 * captured, or if it begins a region or enters data that are present already. */
static bool uses_host_later(const struct rt_thread *self, const struct rt_construct *construct, const accd_item *item)
{
    const bool is_copyin = item->action == ACCD_ACTION_COPYIN || item->action == ACCD_ACTION_UPDATE_DEVICE,
               enters = construct->kind == ACCD_KIND_COMPUTE || construct->kind == ACCD_KIND_ENTER_DATA;
    return rt_moves_bytes(item->action) && !(is_copyin && is_captured((uintptr_t)item->host, item->bytes)) &&
           !(enters && accd_get_presence(rt.context, self->device, item->host, item->bytes) == ACCD_PRESENCE_FULL);
}

/* Records the items on the stack, which must stay there until the queue has done its work. */
static void record_stack_uses(struct rt_thread *self, const struct rt_construct *construct)
{
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        if (!rt_is_on_stack(self, item->host) || !uses_host_later(self, construct, item))
            continue;
        if (!RT_RESERVE(rt_heap_realloc, stack_uses, nstack_uses, stack_uses_capacity))
            rt_fatal("out-of-memory", "no memory for the work of a queue");
        stack_uses[nstack_uses++] = (struct stack_use){.device = self->device,
                                                       .async = operation_queue,
                                                       .thread = self->number,
                                                       .host = (uintptr_t)item->host,
                                                       .bytes = item->bytes,
                                                       .stack_end = rt_get_stack_end(self),
                                                       .site = *rt.site};
    }
}

/* Lets all queues of the device do their work if its memory has grown much since they did, because memory that a queue
 * frees stays in use until then. */
static void limit_memory(int device)
{
    static const uint64_t most = (uint64_t)256 << 20;
    static uint64_t before[ACCD_MAX_DEVICES]; /* bytes in use when the queues had done their work */
    accd_stats stats;
    accd_get_stats(rt.context, device, &stats);
    if (stats.live_bytes < before[device] + most)
        return;
    finish_queue(device, 0);
    accd_get_stats(rt.context, device, &stats);
    before[device] = stats.live_bytes;
}

/* Hook: puts the construct into the queue of the operation. Data that are captured are read now, so that earlier copies
 * to the same host memory are done first. */
static void begin_construct(struct rt_thread *self, const struct rt_construct *construct)
{
    const unsigned number = rt_get_work_queue(self->device, operation_queue);
    if (!number)
        return;
    limit_memory(self->device);
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        if (rt_moves_bytes(item->action) && is_captured((uintptr_t)item->host, item->bytes))
            rt_check_status(accd__queue_finish_copies(rt.context, self->device, item->host, item->bytes));
    }
    record_stack_uses(self, construct);
    rt.construct.queue = number;
    rt.construct.file = NULL;
    rt_find_line(rt.site->call.pc, &rt.construct.file, &rt.construct.line, NULL);
}

/* Hook: later constructs are in no queue. */
static void end_construct(struct rt_thread *self, const struct rt_construct *construct, bool opens_region)
{
    (void)self, (void)construct, (void)opens_region;
    rt.construct.queue = 0;
    rt.construct.file = NULL;
    rt.construct.line = 0;
}

/* Hook: an operation in `queue` begins; RT_ASYNC_SYNC: it ends, and the seed decides whether its work is done early. A
 * queue with very many tasks does them in any case. */
static void begin_operation(struct rt_thread *self, int queue)
{
    enum { MOST_TASKS = 10000 };
    const unsigned ended = rt_get_work_queue(self->device, operation_queue);
    uint64_t first, last;
    operation_queue = queue;
    if (!ended)
        return;
    rt_note_deferred();
    accd__queue_get_tasks(rt.context, self->device, ended, &first, &last);
    for (; nnumbered < nstack_uses; nnumbered++) {
        stack_uses[nnumbered].queue = ended;
        stack_uses[nnumbered].number = last;
    }
    if (rt_happens(rt_get_order_shares().early) || last >= first + MOST_TASKS)
        finish_queue(self->device, ended);
}

/* ------------------------------------------------------------------------------------- waits -- */

/* Hook: does the work that the host waits for, or lets a queue wait for other queues. */
static void wait(const struct rt_wait *wait)
{
    accd_queue_info info;
    if (wait->is_for_tasks)
        return;
    const bool is_for_all = wait->queue == RT_ASYNC_NOVAL;
    const unsigned number = is_for_all ? 0 : rt_get_work_queue(wait->device, wait->queue),
                   waiting = rt_get_work_queue(wait->device, wait->async);
    if (!waiting && (is_for_all || number))
        finish_queue(wait->device, number);
    for (unsigned other = 1; waiting && accd_queue_get_info(rt.context, wait->device, other, &info); other++)
        if (is_for_all || other == number)
            rt_check_status(accd_queue_wait_for(rt.context, wait->device, waiting, wait->device, other));
}

/* Hook: before the device is shut down, the queues of all devices do their work. */
static void finish_all(void)
{
    for (int device = 0; device < rt.options.devices; device++)
        finish_queue(device, 0);
}

const struct rt_tool rt_orders_tool = {
    .name = "orders",
    .begin_call = run_some_work,
    .begin_construct = begin_construct,
    .end_construct = end_construct,
    .begin_operation = begin_operation,
    .wait = wait,
    .close = finish_all,
};

void rt_open_orders(void)
{
    assert(rt.options.seed && rt.context);
    rt_find_heap_start(); /* static memory is known after this call */
    accd__queue_set_captures(rt.context, captures);
}

/* ------------------------------------------------------------------------------------- calls -- */

/* Function in a queue, with its data. */
struct queued_call {
    void (*fn)(const void *data);
    uint64_t data[];
};

/* Function of the core's queue: calls the function, unless it is dropped, and frees its data. */
static int on_call(void *ud, accd_host_call call)
{
    struct queued_call *queued = ud;
    if (call == ACCD_CALL_RUN)
        queued->fn(queued->data);
    free(queued);
    return 0;
}

void rt_call_in_queue(void (*fn)(const void *data), const void *data, size_t bytes)
{
    const unsigned number = rt.options.seed ? rt_get_work_queue(rt_this_thread.device, operation_queue) : 0;
    if (!number) {
        fn(data);
        return;
    }
    struct queued_call *queued = malloc(sizeof *queued + bytes);
    if (!queued)
        rt_fatal("out-of-memory", "no memory for the work of a queue");
    queued->fn = fn;
    memcpy(queued->data, data, bytes);
    rt_check_status(accd_queue_call(rt.context, rt_this_thread.device, number, on_call, queued));
}
