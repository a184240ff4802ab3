/* standin_driver.h - the stand-in for the CUDA driver, as its files share it.
 *
 *   standin         settings, counts, planned failures; devices, contexts, modules
 *   standin_memory  memory of devices and of the host, pools
 *   standin_stream  work, the streams that it waits in, events, what is known to come before what
 */
#ifndef STANDIN_DRIVER_H
#define STANDIN_DRIVER_H

#include "../../cuda/driver.h"
#include "standin.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef STANDIN_VERSION
#define STANDIN_VERSION 12080
#endif
#define DRIVER __attribute__((visibility("default")))

enum { NESTING = 16, DEVICES = 16, PINNED = 256, SEGMENT = 32 << 20, SEGMENTS = 8192 };
static const uint64_t SPACE = (uint64_t)SEGMENT * SEGMENTS;

struct cu_context_object {
    int users, sticky;
};
struct cu_pool_object {
    int device;
    uint64_t at, end; /* what is left of its last segments */
    size_t live;      /* allocations from it */
};
struct cu_function_object {
    standin_kernel_fn *kernel; /* NULL: the backend's own */
    standin_run_fn *run;
};
struct cu_module_object {
    void *library; /* that the stand-in of NVRTC made; NULL: the backend's own kernel */
    struct cu_function_object functions[4];
    size_t nfunctions;
};

/* Of each stream, by its place, the last ticket that somebody comes behind. */
struct standin_clock {
    uint64_t *upto;
    size_t n; /* streams that it says anything of */
};

enum standin_kind { COPY_IN, COPY_OUT, COPY_WITHIN, MOVE_PIECES, KERNEL, WAIT };
struct standin_work {
    enum standin_kind kind;
    uint64_t ticket;
    uint64_t to, from, bytes;
    char *source; /* what was at from when the call was made; NULL: it is read when this is done */
    bool pinned;  /* the host's side is memory of the driver */
    const struct cu_function_object *function; /* of a kernel: with to as its argument */
    unsigned blocks, threads;
    struct standin_clock behind; /* of a kernel: addresses are known when it runs */
    size_t stream;               /* that is waited for, up to a ticket */
    uint64_t upto;
    struct standin_work *next;
};
struct cu_stream_object {
    struct cu_context_object *context;
    size_t place;                /* among all streams */
    uint64_t given;              /* its last ticket */
    struct standin_clock behind; /* what its next work comes behind */
    struct standin_work *first, **last;
    unsigned asked; /* times somebody asked whether it is done, and it was not */
    bool destroyed; /* its work is still to be done */
};

/* Belongs to the stream at a place since a ticket; to no stream: to all, at once. */
enum { ANYWHERE = -1 };
struct standin_allocation {
    uint64_t at, bytes; /* offset in the space */
    struct cu_context_object *context;
    struct cu_pool_object *pool;
    long stream;
    uint64_t ticket;
};

extern struct standin {
    bool started;
    int devices;
    unsigned polls; /* the N-th question in vain is the last; 0: none is */
    uint64_t room, used[DEVICES];
    char *base, *bytes;                     /* addresses, content */
    struct standin_allocation *allocations; /* live ones, in order */
    size_t nallocations, room_allocations;
    struct cu_context_object contexts[DEVICES];
    uint64_t live; /* everything else that must be given back */
} standin;
extern pthread_mutex_t standin_lock;

#define DECLARE(symbol, parameters) DRIVER cu_result symbol parameters;
ACCD_CUDA_REQUIRED(DECLARE)
ACCD_CUDA_OPTIONAL(DECLARE) /* whether or not it has them */

/* standin.c. What a call gives before it does anything; 0: it may go on. */
cu_result standin_entered(int number, int usual);
int standin_number_of(const char *name);
const char *standin_setting(const char *name, const char *otherwise);
/* The thread's context, or NULL. */
struct cu_context_object *standin_current(void);
/* Streams, pools, modules: known as long as nobody gives them back, which nobody can in a context that
 * is lost. */
void *standin_make(size_t bytes);
void standin_unmake(void *object);

#define BEGIN(name, usual)                               \
    static int number = -1;                              \
    pthread_mutex_lock(&standin_lock);                   \
    if (number < 0)                                      \
        number = standin_number_of(#name);               \
    cu_result result = standin_entered(number, (usual)); \
    if (result != CU_OK) {                               \
        pthread_mutex_unlock(&standin_lock);             \
        return result;                                   \
    }
#define END                              \
    pthread_mutex_unlock(&standin_lock); \
    return result

/* standin_memory.c */
void standin_start_memory(void);
bool standin_on_device(uint64_t at);
/* Whether all of it lies in one allocation of the context that is no younger than the ticket. */
bool standin_reachable(uint64_t dev, uint64_t bytes, const struct cu_context_object *context, uint64_t ticket);
/* The allocation around an address, or NULL. */
const struct standin_allocation *standin_allocation_at(uint64_t dev);
char *standin_content(uint64_t dev);
/* Whether it lies in memory from cuMemHostAlloc that is still there. */
bool standin_pinned(uint64_t host, uint64_t bytes);
/* Memory that the kernel may use is to be had at the device's addresses; none is. */
void standin_open(const struct standin_work *kernel, const struct cu_context_object *context);
void standin_close(void);

/* standin_stream.c. Tickets ascend: of work, of allocations. */
uint64_t standin_ticket(void);
/* The next ticket of a stream. What the host has seen the end of comes before. */
uint64_t standin_issue(struct cu_stream_object *stream);
/* Whether what comes behind all that the clock says may use the allocation. */
bool standin_is_behind(const struct standin_clock *clock, const struct standin_allocation *allocation);
/* Whether it is a stream of the thread's context. */
bool standin_usable(const struct cu_stream_object *stream);
/* Does all work of a stream, of all streams of a context. */
cu_result standin_drain(struct cu_stream_object *stream);
cu_result standin_drain_context(const struct cu_context_object *context);
/* An error for good: what is left in the context's streams is never done. */
cu_result standin_lose(struct cu_context_object *context, cu_result error);
/* Nobody uses the context any more. */
void standin_end_context(struct cu_context_object *context);

#endif
