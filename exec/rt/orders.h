/* orders.h - `exec --orders`, `exec --seed`: asynchronous work is carried out late, early or in between, as a seed
 * decides (rt.options.seed). With seed 0 all work is done at once, and nothing here has an effect.
 *
 *      construct with async --> queue of the core ----.
 *                                                     |--> work is done: at once (early), at a later call (in
 *      directive with nowait -> list of the thread ---'    between), or at the wait that needs it (late)
 *
 * orders.c has the queues of OpenACC, queued_kernels.c their kernels, api/order_tasks.c the tasks of OpenMP. */
#ifndef RT_ORDERS_H
#define RT_ORDERS_H

#include "base/runtime.h"

/* Tool that lets queues do their work when the seed decides; added only if there is a seed. */
extern const struct rt_tool rt_orders_tool;
/* Lets the queues of a new context keep their work. The lock must be held. */
void rt_open_orders(void);
/* Returns true with the share `of_256` of 256, by the next random number of the seed. */
bool rt_happens(unsigned of_256);
/* Shares of 256 of operations that are done at once, and of calls at which earlier work is done; both 0 for seed 1. */
struct rt_order_shares {
    unsigned early, between;
};
struct rt_order_shares rt_get_order_shares(void);
/* Records for `accdeep exec` that the process has put off some work. */
void rt_note_deferred(void);

/* Returns the number of the core's queue that keeps the work of queue `async` of a device for later; 0: the work is
 * done at once. The lock must be held. Ends the program without memory. */
unsigned rt_get_work_queue(int device, int async);
/* Returns true if the thread's stack, from the frame of the call under way on, has the data at `host`. */
bool rt_is_on_stack(struct rt_thread *self, const void *host);
/* Calls fn(data): now, or, if the construct under way is in a queue, when that queue has done the work before. The
 * queue copies the `bytes` bytes at `data`. `fn` may only access memory. Failure ends the program. */
void rt_call_in_queue(void (*fn)(const void *data), const void *data, size_t bytes);

#endif
