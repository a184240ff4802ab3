/* accdeep_queues.h - activity queues, and the device side of kernels: what accdeep_core.h includes at its end. */
#ifndef ACCDEEP_QUEUES_H
#define ACCDEEP_QUEUES_H

#include "accdeep_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------- activity queues -- */

/* What a queue is asked for is done in order; queues are independent of each other and of what is
 * done without one (ACC33-async-2). Presence, counters and levels change at the construct, in program
 * order, whatever its queue (ACC33-2.6.7-4); the queue holds its transfers, the words it writes to
 * attached pointers, its kernel, and the device memory that is given up. In order, the default, all
 * of that is done at once, which is a legal order, and there is never anything to wait for. Delayed, it is
 * done at the wait: what the host's memory holds then is what is sent. Concurrent, it starts at its
 * construct, as if it were done there - what uses the same memory waits for it - and is over at the wait:
 * what is fetched reaches the host's memory then.
 *
 * A wait fails with the error of the first operation that failed, reported with the construct that asked for
 * it; that operation is over, and the next wait goes on behind it. */

/* The queue of a device with this async value, made when it is first asked for; never 0. */
ACCD_API accd_status accd_queue(accd_context *context, int device, int64_t async,
                                unsigned *queue_p);
/* Does what a queue, or with 0 all of the device, was asked for. ACCD_MISSING_WAIT: the host has freed
 * memory that was to be copied. Delayed, constructs give the same, and change nothing, when they would remove
 * data that a queue still needs, unless they belong to that queue or to one that waits for it. */
ACCD_API accd_status accd_queue_wait(accd_context *context, int device, unsigned queue);
/* What a queue is asked for from now on comes behind all that another one was asked for. */
ACCD_API accd_status accd_queue_after(accd_context *context, int device, unsigned queue,
                                      int other_device, unsigned other);
/* Reports to the context's listener that a queue, or with 0 the program, waits for another one, or with 0 for all of
 * the device: accd_queue_after and accd_queue_wait report nothing, for a program may have other reasons to wait. */
ACCD_API void accd_waited(accd_context *context, int device, unsigned queue, int other_device, unsigned other,
                          const char *file, int line);
/* *done_p: whether there is nothing left to do. A queue that has been asked since it last got
 * something to do does it first: asking again and again ends. Concurrent, it says whether the device is done with
 * what is under way. With 0, all queues of the device. */
ACCD_API accd_status accd_queue_test(accd_context *context, int device, unsigned queue, int *done_p);

/* A function that the host runs; otherwise it only lets ud go. Not 0: it failed, ACCD_CALLBACK. It may read
 * and write device memory, but not ask for constructs. */
typedef enum accd_call {
    ACCD_DISCARD, /* it is not to be run any more */
    ACCD_RUN,
    ACCD_WAS_RUN /* the device has run the kernel whose function it is */
} accd_call;
typedef int (*accd_host_fn)(void *ud, accd_call call);
/* Runs a function in a queue, which takes it on success: at once, behind what is under way, unless queues are
 * delayed. With ACCD_CALLBACK it has taken it, too. */
ACCD_API accd_status accd_queue_call(accd_context *context, int device, unsigned queue,
                                     accd_host_fn fn, void *ud);
/* The same of the kernel of an open compute region, in the queue of its construct: it uses the data
 * that the region names and those that attached pointers point to from there, where they are now, and what
 * lies at n device addresses. */
ACCD_API accd_status accd_launch(accd_region *region, const uint64_t *devs, size_t n, accd_host_fn fn,
                                 void *ud);

typedef struct accd_queue_info {
    int64_t async;
    size_t pending; /* constructs, copies and kernels that are not done */
} accd_queue_info;
/* Queues of a device by number, from 1. 0: no such queue. */
ACCD_API int accd_queue_at(accd_context *context, int device, unsigned queue, accd_queue_info *info_p);

/* ------------------------------------------------------------------- device side of a kernel -- */

/* What the place of a present object at a device address is called: "X.a", "Y[3].n". */
ACCD_API void accd_name_at(accd_context *context, int device, uint64_t dev, char *to, size_t room);
/* Device range of the present object at a device address; 0: none. */
ACCD_API int accd_device_bounds(accd_context *context, int device, uint64_t dev, uint64_t *low_p,
                                uint64_t *high_p);
/* The range of this process's memory in which device addresses lie, if kernels of the program itself
 * can use them; 0: they cannot. */
ACCD_API int accd_device_space(accd_context *context, int device, uint64_t *low_p,
                               uint64_t *high_p);
/* Device range of the object that the pointer with this host address is attached to, if the device
 * copy of it holds dev, an empty one if that object is gone; 0: it is not attached, or holds something
 * else. */
ACCD_API int accd_attached_range(accd_context *context, int device, const void *slot, uint64_t dev,
                                 uint64_t *low_p, uint64_t *high_p);
/* Reads or writes device memory as a kernel would. The simulated device knows which bytes were
 * ever written: ACCD_UNINITIALIZED_READ, or ACCD_EXCLUDED_MEMBER if they belong to an excluded
 * member. ACCD_HOST_POINTER_ON_DEVICE: no address of the device; ACCD_OUT_OF_BOUNDS; to write over
 * an attached pointer: ACCD_POINTER_CHANGED (TR14-1.2-06, TR14-1.2-10, TR14-3.1.1-14). */
ACCD_API accd_status accd_device_read(accd_context *context, int device, uint64_t dev, void *to,
                                      uint64_t bytes);
ACCD_API accd_status accd_device_write(accd_context *context, int device, uint64_t dev,
                                       const void *from, uint64_t bytes);
/* Number of bytes of the range that were ever written; -1 if the device cannot tell. */
ACCD_API int64_t accd_device_written(accd_context *context, int device, uint64_t dev,
                                     uint64_t bytes);
/* Kernels that the device runs itself. The text is what its compiler takes, with the entry points accd_body,
 * accd_save and accd_restore (lua/accdeep/cuda); it accepts only what accd_device_read and accd_device_write accept,
 * and stops at everything else, as if it had not run: then those find out what is wrong. */
typedef struct accd_kernel_pointer {
    uint64_t at, low, high; /* an address, and the bounds of what it points into */
} accd_kernel_pointer;
typedef struct accd_kernel_slot { /* a pointer in device memory */
    uint64_t at, bytes;           /* 0 bytes: kernels may change it */
    uint64_t value, low, high;    /* while it holds value, it points into these */
} accd_kernel_slot;
typedef struct accd_kernel {
    const char *text;
    const accd_kernel_pointer *pointers; /* its arguments */
    size_t npointers;
    const accd_kernel_slot *slots; /* beside the attached ones */
    size_t nslots;
    int writes;     /* it does */
    int parallel;   /* many threads share its loop; it stops if iterations depend on each other */
    uint64_t turns; /* of its loops that a thread may make; 0: as many as it likes */
    uint64_t again; /* in a queue: one thread runs it again if many have stopped for a reason whose bit is set */
} accd_kernel;
typedef struct accd_kernel_end {
    enum {
        ACCD_KERNEL_DONE,
        ACCD_KERNEL_STOPPED,  /* why and site are the text's */
        ACCD_KERNEL_NOT_RUN,  /* it cannot be run here and now: said says why */
        ACCD_KERNEL_REJECTED, /* the compiler's log is in said */
        ACCD_KERNEL_UNDER_WAY /* in its queue */
    } how;
    unsigned why, site;
    const char *said; /* until the next kernel */
    void *under_way;  /* the device's name of it */
} accd_kernel_end;
/* Whether the device runs kernels given as text, and by what, or why not. */
ACCD_API int accd_kernel_compiler(accd_context *context, int device, char *what, size_t room);
/* With a journal open, which undoes what a kernel did, too. ACCD_DEVICE_ERROR, ACCD_OUT_OF_MEMORY, ACCD_MISUSE. */
ACCD_API accd_status accd_kernel_run(accd_context *context, int device, const accd_kernel *kernel,
                                     accd_kernel_end *end_p);
/* A kernel of the region's queue, in a context whose queues are concurrent: accd_launch's, but the device runs it
 * itself, or *end_p says why not. Under way, fn belongs to it: when the kernel is over, the function learns that it
 * was run, or runs instead of what the device stopped. Only then it takes ud. */
ACCD_API accd_status accd_launch_kernel(accd_region *region, const uint64_t *devs, size_t n,
                                        const accd_kernel *kernel, accd_host_fn fn, void *ud,
                                        accd_kernel_end *end_p);
/* While a journal is open, what accd_device_write and the entries of constructs overwrite is remembered, and which
 * pointers these attach where attachments are not counted. commit = 0 undoes; then a region that was opened in the
 * meantime is given up (accd_region_abandon). ACCD_MISUSE: one is open, or the device cannot keep one. */
ACCD_API accd_status accd_journal_open(accd_context *context, int device);
ACCD_API void accd_journal_close(accd_context *context, int device, int commit);
/* If the address belongs to some device of the context: its number, else -1. */
ACCD_API int accd_device_of(accd_context *context, uint64_t address);
/* Whether the range lies in one piece of memory that is allocated on the device, whatever is in it. */
ACCD_API int accd_device_holds(accd_context *context, int device, uint64_t dev, uint64_t bytes);
/* The member of a present object a device address falls in, if it was excluded: its name. */
ACCD_API int accd_excluded_at(accd_context *context, int device, uint64_t dev, accd_object_info *info_p);

#ifdef __cplusplus
}
#endif
#endif
