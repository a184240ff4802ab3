/* accdeep_lowered.h - functions that programs written by `accdeep lower --to accdeep` call.
 *
 * A process has one context, with the rules "tr14", which is opened at its first directive. The environment chooses:
 *
 *     ACCDEEP_DEVICE   "direct" (the default): simulated memory that kernels of the process reach;
 *                      "cuda", "cuda:1": memory of a GPU, for kernels that the compiler makes for the GPU
 *     ACCDEEP_EVENTS   a file that gets a line for each event: operation, name, bytes
 *
 * An error ends the process: its place, code, rule and help are written to standard error, and the exit status is 1.
 * Functions may be called by any thread; regions nest among those of a thread. */
#ifndef ACCDEEP_LOWERED_H
#define ACCDEEP_LOWERED_H

#ifdef __cplusplus
extern "C" {
#endif

/* Function of the unit (a lowered source file) that computes a bound from an object, such as a number of elements. */
typedef long accd_lowered_bound(const void *object);

/* Directive of a unit. The unit initialises all members except `parsed`. */
typedef struct accd_lowered {
    const char *plan, *file; /* plan of the directive, as plan.c reads it; source file of the directive */
    int line;
    /* functions of bounds that the plan numbers from 0, and NULL at their end; NULL: the plan has no such functions */
    accd_lowered_bound *const *bounds;
    void *parsed; /* plan as the library has read it; NULL at first */
} accd_lowered;

/* Open region of a construct. The caller owns the region until accd_lowered_leave. */
typedef struct accd_lowered_region accd_lowered_region;

/* Executes enter data, exit data or update. arguments: the values that the plan numbers, which are addresses of
 * variables and values of bounds, as 64-bit integers. */
void accd_lowered_run(accd_lowered *directive, const void *const *arguments);
/* Opens and returns the region of a data or compute construct; never NULL. arguments: the values that the plan
 * numbers (addresses of variables, values of bounds) as 64-bit integers. */
accd_lowered_region *accd_lowered_enter(accd_lowered *directive, const void *const *arguments);
/* Ends a region, which must be the innermost one of its thread. NULL does nothing. */
void accd_lowered_leave(accd_lowered_region *region);
/* Returns the address that a pointer has in the kernel of a compute construct. item: number, from 0, of the item whose
 * section the pointer points to. -1: the pointer's own target is looked up. -2: the target must also be present,
 * because the kernel uses it. A pointer to memory that is not present is returned unchanged. So is every pointer if
 * region is NULL, because the kernel then runs on the host. */
void *accd_lowered_pointer(const accd_lowered_region *region, int item, const volatile void *pointer);

/* Copies `bytes` bytes from `from`, an address that accd_lowered_pointer returned, to `to` on the host. */
void accd_lowered_read(const accd_lowered_region *region, void *to, const void *from, unsigned long bytes);
/* Copies `bytes` bytes from `from` on the host to `to`, an address that accd_lowered_pointer returned. */
void accd_lowered_write(const accd_lowered_region *region, void *to, const void *from, unsigned long bytes);
/* Returns 1 if all `bytes` bytes at `host` are present, else 0, as acc_is_present does; 0 bytes count as one
 * (ACC33-3.2.26-2). */
int accd_lowered_is_present(const void *host, unsigned long bytes);
/* Returns the device address of a host address, NULL if absent, as acc_deviceptr does (ACC33-3.2.26-1). */
void *accd_lowered_device(const void *host);
/* Returns the host address of a device address, NULL if no data have it, as acc_hostptr does (ACC33-3.2.26-1). */
void *accd_lowered_host(const void *device);
/* Returns the device address of a pointer of host_data. If its target is not present, the process ends with an error
 * at `file` and `line`; if file is NULL, the pointer is returned unchanged (ACC33-hd-1). */
void *accd_lowered_use_device(const volatile void *pointer, const char *file, int line);

/* Routine of OpenACC that moves data. Work of queues is done at once. acc_copyin and acc_create return device
 * addresses, all other routines NULL (ACC33-3.2.18-1, ACC33-3.2.21-1). */
typedef void *accd_lowered_routine(void *host, unsigned long bytes, ...);
/* Returns the routine with a name, such as "acc_copyin" or "acc_delete_finalize_async", for a call at `line` of `file`.
 * The thread must call the routine before it looks up another one. */
accd_lowered_routine *accd_lowered_find_routine(const char *file, int line, const char *name);
/* Replaces routines that test or wait for one queue. Does nothing, because work of queues is done at once. Returns 1:
 * complete. */
int accd_lowered_wait(int queue, ...);
/* Replaces routines that test or wait for all queues. Does nothing. Returns 1: complete. */
int accd_lowered_wait_all(void);

#ifdef __cplusplus
}
#endif
#endif
